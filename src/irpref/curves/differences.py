"""Values of runs minus a baseline's, by topic and on average."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from irpref.curves.blocks import Columns, Rows, curve_table
from irpref.data.run_names import named_runs
from irpref.errors import ArgumentError
from irpref.judged.groups import Part, parts_of
from irpref.judged.judgments import as_judgments
from irpref.judged.types import QrelsLike, RunLike, Runs
from irpref.kernel.segments import Ints
from irpref.measures.declare import MeasureLike
from irpref.values.means import SAME

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import Groups
    from irpref.values.matrix import TopicValues


def precision_histogram(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    baseline: RunLike,
    *,
    rel: float = 1,
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Subtract a baseline's R-precision from the R-precision of runs, topic by topic:
    `paired_differences` by `Rprec`.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    baseline : a run, or the name of one of `runs`
        The run that is subtracted; if it is one of `runs`, it is not compared with itself.
    rel : int
        Minimum grade counted as relevant.
    **rows : `per_topic`, `groups`
        See the module. `per_topic` is the default here.

    Returns
    -------
    pandas.DataFrame
        `run`, (`query_id`,) `value` and `baseline` (R-precision of each), `difference` (positive:
        the run is better than the baseline). Without `per_topic`: the means, and the columns that
        `paired_differences` adds.

    References
    ----------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4. A topic that a run does not
    answer has R-precision
    0.
    """
    measure = "Rprec" if rel == 1 else f"Rprec(rel={rel:g})"
    rows.setdefault("per_topic", True)
    table = paired_differences(qrels, runs, baseline, measure, **rows)
    table.attrs |= {"curve": "precision_histogram", "measure": measure}
    return table


def paired_differences(
    qrels: QrelsLike,
    runs: RunLike | Runs,
    baseline: RunLike,
    measure: MeasureLike = "Rprec",
    **rows: Unpack[Rows],
) -> pd.DataFrame:
    """Subtract the values of a baseline from the values of runs, by any measure, with wins and
    losses.

    Parameters
    ----------
    qrels, runs : any form of qrels and run; several runs as a dict of name to run, or a list of
        paths
    baseline : a run, or the name of one of `runs`
    measure : ir_measures measure, or its name
    **rows : `per_topic`, `groups`
        See the module.

    Returns
    -------
    pandas.DataFrame
        With `per_topic`: `run`, `query_id`, `value`, `baseline`, `difference`. Otherwise the means
        of these, and `wins`, `losses`, `equal` (topics; a win is a better value, even if lower is
        better).
    """
    from irpref.values.matrix import evaluated

    named = dict(named_runs(runs, "run", qrels if isinstance(qrels, Mapping) else ()))
    if isinstance(baseline, str) and (baseline in named or not os.path.exists(baseline)):
        name = baseline
    else:
        name = "baseline"
        while name in named:
            name += "'"
        named[name] = baseline
    read = as_judgments(qrels)
    (values,) = evaluated([measure], read, named)
    # In the order of the qrels.
    values = values.select(
        topics=[topic for topic in read.topic_ids if topic in set(values.topics)]
    )
    per_topic, groups = rows.get("per_topic", False), rows.get("groups")
    return value_differences(values, name, per_topic=per_topic, groups=groups, qrels=read)


def value_differences(
    values: TopicValues,
    baseline: str,
    *,
    per_topic: bool = False,
    groups: Groups | None = None,
    qrels: QrelsLike | None = None,
) -> pd.DataFrame:
    """Make the table of `paired_differences` from values that you already have.

    Parameters
    ----------
    values : irpref_lab.meta.TopicValues
    baseline : str
        Name of the system that is subtracted.
    per_topic : bool
    groups : mapping of topic to group, path of a file, or name of a column of `qrels`, optional

    Raises
    ------
    ValueError
        `baseline` is not among the systems, or is the only one.
    """
    value_of = dict(zip(values.systems, values.matrix, strict=True))
    reference = value_of.pop(baseline, None)
    if reference is None:
        raise ArgumentError(
            f"baseline={baseline!r} is not one of the runs: {', '.join(value_of)}",
            parameter="baseline",
            value=baseline,
        )
    if not value_of:
        raise ArgumentError(
            f"there is no run to compare with the baseline {baseline!r}", parameter="runs"
        )

    def block(name: str) -> tuple[Ints, Columns]:
        columns = {
            "value": value_of[name],
            "baseline": reference,
            "difference": value_of[name] - reference,
        }
        return np.ones(values.n_topics, np.int64), columns

    def over(_: str, part: Part, grid: dict[str, Any]) -> Columns:
        inside = {key: column[part.topics, 0] for key, column in grid.items()}
        gained = inside["difference"] if values.higher_is_better else -inside["difference"]
        # Values that differ only by rounding are equal.
        wins, losses = int((gained > SAME).sum()), int((gained < -SAME).sum())
        counted = {"wins": wins, "losses": losses, "equal": part.topics.size - wins - losses}
        return {
            key: [value]
            for key, value in {**{k: v.mean() for k, v in inside.items()}, **counted}.items()
        }

    read = None if qrels is None else as_judgments(qrels)
    parts = parts_of(groups, read, values.topics)
    options = {
        "higher_is_better": values.higher_is_better,
        "measure": values.measure,
        "baseline": baseline,
    }
    return curve_table(
        "paired_differences", value_of, values.topics, parts, per_topic, block, over, **options
    )
