"""`irpref_lab.intervals`: of a value, over the orders of tied documents, the grades of unjudged
ones, or other topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from irpref.errors import ArgumentError
from irpref.judged import Groups, QrelsLike, RunLike, as_judgments, read_once
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import check_choice, check_measures, clipped, once_per_call
from irpref_lab.arguments import LEVEL
from irpref_lab.calls import by_line
from irpref_lab.judges.filling import Filled, with_expected
from irpref_lab.judges.grades import human_rows
from irpref_lab.trust.holes import hole_intervals
from irpref_lab.trust.samples import Rng
from irpref_lab.trust.ties import tie_intervals
from irpref_lab.trust.topics import topic_intervals

# What the interval is over: the function, and the options it takes beside measures, qrels and run,
# as they are if not given.
SOURCES: dict[str, tuple[Callable[..., pd.DataFrame], dict[str, Any]]] = {
    "ties": (tie_intervals, {}),
    "unjudged": (hole_intervals, {"grades": None}),
    "topics": (
        topic_intervals,
        {"level": LEVEL, "method": "bootstrap", "rng": None, "groups": None},
    ),
}


@by_line("run")
@once_per_call
def intervals(
    measures: Measures,
    qrels: QrelsLike,
    run: RunLike,
    over: str = "ties",
    *,
    grades: Iterable[int] | None = None,
    level: float = LEVEL,
    method: str = "bootstrap",
    rng: Rng | None = None,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Find the intervals of values: over tied documents, unjudged documents, or topics.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels, run : in any form that `irpref.evaluator` takes
        With the result of `irpref_lab.fill` as qrels, `low` and `high` for `unjudged` follow from
        the human judgments, and `expected` is the value with the filled grades (grades of documents
        that the run lacks can take it out of the bounds). A judge alone promises no more;
        `irpref_lab.sample` plans which human grades do.
    over : {'ties', 'unjudged', 'topics'}
        `ties`: minimum, mean and maximum over all orders of documents with equal scores.
        `unjudged`: lowest and highest value over all grades that unjudged retrieved documents could
        have. `topics`: confidence interval of the mean; the topics are seen as a sample of more
        topics like them.
    grades : sequence of int, optional
        For `unjudged`: the grades that such documents could have; by default the whole grades from
        0 to the top of the scale.
    level : float in (0, 1)
        For `topics`: confidence level.
    method : {'bootstrap', 't'}
        For `topics`. See `irpref_lab.trust.topics.mean_intervals`.
    rng : seed or numpy Generator, optional
        For `topics`. None is seed 0, so that the same data give the same digits.
    groups : mapping of topic to group, path of a file, or name of a column of the qrels, optional
        For `topics`: means over each group instead of all topics, with a column `group`.

    Returns
    -------
    pandas.DataFrame
        Columns `query_id` (None: the mean over the topics), `measure`, `value`, `low`, `expected`,
        `high`, `exact`; `error`, the standard error, if something is drawn at random. For ties and
        unjudged documents, `low` and `high` are values that can occur; if `exact` is False, there
        may be lower or higher ones. Over unjudged documents, `exact` is about the grades of those
        that the run retrieved: a relevant document that it lacks could move a value further. Bpref,
        which ignores unjudged documents, can have a `value` outside of `low` and `high`.

    Raises
    ------
    ValueError
        `over` is unknown, or an option does not apply to it.

    Examples
    --------
    >>> qrels = {f"q{n}": {"a": 1} for n in range(6)}
    >>> run = {f"q{n}": {"a": 1, "b": n % 2 * 2} for n in range(6)}
    >>> intervals(["RR"], qrels, run, over="topics", method="t").round(4)
      query_id measure  value     low  expected  high  exact
    0     None      RR   0.75  0.4626      0.75   1.0   True
    """
    check_choice("over", over, SOURCES)
    check_measures(parse_all(measures), "an interval")
    read = as_judgments(qrels)
    compute, takes = SOURCES[over]
    given = {"grades": grades, "level": level, "method": method, "rng": rng, "groups": groups}
    for other, (_, usual) in SOURCES.items():
        for option, default in usual.items() if other != over else ():
            value = given[option]
            if value is not default and value != default:
                raise ArgumentError(
                    f"{option}={clipped(repr(value))} does not go with over={over!r}: "
                    f"it is for over={other!r}",
                    parameter=option,
                    value=value,
                )
    if over == "unjudged" and isinstance(read, Filled):
        once: Any = read_once(run)
        bounds = hole_intervals(measures, human_rows(read.frame()), once, grades)
        return with_expected(measures, bounds, read, once)
    return compute(measures, read, run, **{option: given[option] for option in takes})
