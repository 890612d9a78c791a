"""What a cutoff costs: stability, sensitivity and discriminative power of measures at several cutoffs, side by side.

T. Sakai announces the comparison of P-measure, P-plus, O-measure, reciprocal rank and weighted reciprocal rank by the
bootstrap, and says that "a small cut-off makes IR evaluation unstable" (SIGIR 2006, 695-696,
doi:10.1145/1148170.1148322, sections 3 and 4). For each measure and cutoff, from the same samples of topics:

    minority rate, ties     `stability`, fuzziness 5 %
    difference required     `swap`, swap rate at most 5 %; sensitivity: the share of observations that reach it
    power                   `discriminative_power`, and the difference that it requires of any pair

Decided here: measures that have no cutoff, such as R-measure, which looks at rank R, stand in the table once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.judged.inputs import opened
from irpref.judged.types import EachRun, Groups, Qrels
from irpref.measures.declare import MeasureLike
from irpref.meta.power import discriminative_power
from irpref.meta.progress import Bar
from irpref.meta.stability import stability
from irpref.meta.swap import swap
from irpref.values.matrix import TopicValues, topic_values
from irpref.values.samples import Rng

if TYPE_CHECKING:
    import pandas as pd

CUTOFFS = (5, 10, 20, 50, 100, None)
FUZZINESS = 0.05
COLUMNS = (
    "measure",
    "cutoff",
    "mean",
    "minority_rate",
    "ties",
    "swap_difference",
    "sensitivity",
    "power",
    "power_difference",
)


def cutoffs(
    measures: Iterable[MeasureLike],
    qrels: Qrels,
    runs: EachRun,
    *,
    at: Iterable[int | None] = CUTOFFS,
    top: int | None = None,
    alpha: float = 0.05,
    n_samples: int = 1000,
    groups: Groups | None = None,
    rng: Rng | None = None,
    float32: bool = False,
    ties: str = "id",
) -> pd.DataFrame:
    """Stability, sensitivity and discriminative power of measures at several cutoffs.

    Parameters
    ----------
    measures : measures without a cutoff, or their names
    qrels, runs : as `topic_values` takes them
    at : cutoffs; None for whole lists
    top : int, optional
        Only so many systems, the best by the first measure on whole lists. Sakai takes 50, by average precision.
    alpha : level of significance of `discriminative_power`
    n_samples : int
        Of topics, for each of the three methods.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        Rows of each group of topics in place of all topics, with a column `group`.
    rng : seed or Generator
        All measures and cutoffs see the same samples.
    float32, ties : see `irpref.evaluator`

    Returns
    -------
    DataFrame
        A row for each measure and cutoff: `measure`, `cutoff` (missing for whole lists), `mean` (of all systems),
        `minority_rate` and `ties`, `swap_difference` and `sensitivity`, `power` and `power_difference`.

    Raises
    ------
    ValueError
        No `rng`; a measure has a cutoff already; a cutoff is not accepted; fewer than two systems or topics.
    """
    import pandas as pd

    if rng is None:
        raise ValueError("cutoffs draws samples: give rng (a seed or a numpy Generator)")
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else int(rng)
    qrels = opened(qrels, "relevance")  # read again for the groups
    asked = _asked(measures, list(dict.fromkeys(at)))
    whole = str(next(iter(asked))[0])
    wanted = dict.fromkeys([*([whole] if top is not None else []), *(str(one) for one in asked.values())])
    values = topic_values(list(wanted), qrels, runs, float32=float32, ties=ties)
    if top is not None:
        values = _best(values, values[whole], top)
    parts: dict[str, dict[Any, TopicValues]] = {
        name: {None: of} if groups is None else {**of.by_group(groups, qrels)} for name, of in values.items()
    }
    short = next((group for group, of in next(iter(parts.values())).items() if group and of.n_topics < 2), None)
    if short is not None:
        raise ValueError(f"group {short!r} has one topic, and a test needs at least 2")
    bar = Bar(len(asked))
    rows = []
    for (measure, cutoff), cut in asked.items():
        bar.step(str(cut))
        for group, of in parts[str(cut)].items():
            steady = stability(of, fuzziness=[FUZZINESS], n_samples=n_samples, rng=seed)
            swapped = swap(of, n_samples=n_samples, rng=seed)
            power = discriminative_power(of, alpha=alpha, n_samples=n_samples, rng=seed)
            rows.append(
                (
                    str(measure),
                    cutoff,
                    group,
                    float(of.means.mean()),
                    float(steady.minority_rate[0]),
                    float(steady.ties[0]),
                    swapped.difference_required(),
                    swapped.sensitivity(),
                    power.power,
                    power.difference_required,
                )
            )
    bar.close()
    table = pd.DataFrame(rows, columns=[*COLUMNS[:2], "group", *COLUMNS[2:]])
    if groups is None:
        table = table.drop(columns="group")
    table["cutoff"] = pd.array([cutoff if cutoff is not None else pd.NA for _, cutoff, *_ in rows], dtype="Int64")
    table.attrs.update(
        systems=values[next(iter(values))].n_systems, topics=values[next(iter(values))].n_topics, n_samples=n_samples
    )
    return table


def _asked(measures: Iterable[MeasureLike], at: list[int | None]) -> dict[tuple[Any, int | None], Any]:
    """Each measure at each cutoff: (measure, cutoff) to measure."""
    from irpref.measures.names import parse_all

    out: dict[tuple[Any, int | None], Any] = {}
    chosen = parse_all(measures)
    if not chosen or not at:
        raise ValueError("cutoffs needs at least one measure and one cutoff")
    for measure in chosen:
        if measure.params.get("cutoff") is not None:
            raise ValueError(f"{measure} has a cutoff: give the measure without it, and its cutoffs with `at`")
        if "cutoff" not in measure.SUPPORTED_PARAMS:
            out[measure, None] = measure
            continue
        for cutoff in at:
            cut = measure if cutoff is None else measure(cutoff=cutoff)
            cut.validate_params()
            out[measure, cutoff] = cut
    return out


def _best(values: Mapping[str, TopicValues], by: TopicValues, top: int) -> dict[str, TopicValues]:
    order = np.argsort(-by.means if by.higher_is_better else by.means, kind="stable")
    best = [by.systems[i] for i in order[:top].tolist()]
    return {name: of.select(best) for name, of in values.items()}
