"""What the order of tied documents does to a value: lowest, mean and highest over all their orders.

A run that gives several documents the same score leaves their order open. The evaluation has to choose one (falling
document id, as trec_eval); had it chosen another, the value could be another. `tie_intervals` says which values are
possible and, each order of each group of tied documents being as likely as any other, their mean.

Tied are documents whose scores are equal as float64. Scores that differ, but are the same once rounded to float32,
are ties for tools that keep them so (pytrec_eval); they are none here.

Closed forms (`forms`) where a proof is known, exact counting where arrangements are few, and draws otherwise; the
column `exact` says which.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.ties.forms import FORMS
from irpref.analysis.ties.groups import Tied
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats
from irpref.evaluation import KernelEvaluator, Task
from irpref.judged.align import judge
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import Measures

ARRANGEMENTS = 10_000  # different orders of a topic up to which all are looked at, where there is no closed form
WIDEST = 1_000  # documents of one group up to which that is so
DRAWS = 1_000  # orders drawn where there are more


class Bounds(NamedTuple):
    """Values over the orders of tied documents: float arrays (n_topics,)."""

    low: Floats
    expected: Floats
    high: Floats
    exact: Bools
    error: Floats  # standard error of `expected`, 0 where it is exact


def tie_intervals(measures: Measures, qrels: Qrels, run: Run) -> pd.DataFrame:
    """Lowest, mean and highest value over all orders of tied documents.

    Parameters
    ----------
    measures : measures or names
        Of this package, or of the host's those that `irpref.evaluator` computes itself.
    qrels, run : as `irpref.evaluator` takes them

    Returns
    -------
    DataFrame
        Columns `query_id, measure, value, low, expected, high, exact, error`; a row for each measure and topic, and
        one for the mean over the topics (`query_id` None; for measures that count, the sum). `value` is that of the
        evaluation, `error` the standard error of `expected`: 0 where that is exact. Where `exact` is False, more than
        `ARRANGEMENTS` orders are possible (or more than `WIDEST` documents are tied) and no closed form is known for
        one of the numbers: `low` and `high` are the extremes among `DRAWS` orders drawn with a fixed seed and those by
        falling and rising grade; both can occur, but may lie inside the true ones. `expected` is the mean of those
        drawn, unless `error` is 0.

    Raises
    ------
    ValueError
        A measure that only the host computes; bad qrels or runs, as for `irpref.evaluator`.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1, "b": 0}}
    >>> run = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    >>> tie_intervals(["AP"], qrels, run).iloc[0, 2:6].tolist()
    [0.3333333333333333, 0.3333333333333333, 0.611111111111111, 1.0]
    """
    import pandas as pd

    chosen = parse_all(measures)
    for measure in chosen:
        if not supports(measure):
            raise ValueError(f"{measure} is computed by ir_measures alone: its value over tied documents is not known")
    evaluator = KernelEvaluator(chosen, qrels)
    judged = judge(evaluator.pool, run, ties=True)
    values = evaluator.values_of(judged)
    bounds = over_ties(evaluator.tasks, judged, values)
    order = sorted(range(len(evaluator.topic_ids)), key=evaluator.topic_ids.__getitem__)
    ids: list[str | None] = [evaluator.topic_ids[t] for t in order]
    frames = []
    for measure in dict.fromkeys(chosen):
        of = bounds[measure]
        means = [evaluator.means_of({measure: column})[measure] for column in (values[measure], *of[:3])]
        # The mean of one column may be rounded otherwise than that of another.
        value, low, expected, high = means
        low, high = min(low, value), max(high, value)
        error = math.sqrt(float((of.error**2).sum())) / (1 if _counts(measure) else of.error.size)
        frames.append(
            pd.DataFrame(
                {
                    "query_id": pd.Series([*ids, None], dtype=object),
                    "measure": pd.Series([str(measure)] * (len(ids) + 1), dtype=object),
                    "value": [*values[measure][order], value],
                    "low": [*of.low[order], low],
                    "expected": [*of.expected[order], min(max(expected, low), high)],
                    "high": [*of.high[order], high],
                    "exact": [*of.exact[order].tolist(), bool(of.exact.all())],
                    "error": [*of.error[order], error],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def _counts(measure: Measure) -> bool:
    from ir_measures.measures.base import SumAgg

    return isinstance(measure.aggregator(), SumAgg)


def over_ties(tasks: dict[Any, Task], judged: JudgedRun, values: dict[Any, Floats]) -> dict[Any, Bounds]:
    """Bounds of each measure over the orders of tied documents.

    Parameters
    ----------
    tasks : measure to kernel with its arguments
    judged : run aligned with `ties=True`
    values : measure to values of the run, (n_topics,)
    """
    n = judged.n_topics
    out = {
        measure: Bounds(of.copy(), of.copy(), of.copy(), np.ones(n, bool), np.zeros(n))
        for measure, of in values.items()
    }
    for start, stop in judged.batches():
        tied = Tied.of(judged.topics(start, stop))
        apart = tied.told_apart()
        left: dict[tuple[int, bool], dict[Any, float]] = {}  # what has no closed form, with its mean where that has
        for measure, task in tasks.items():
            closed = None
            by_itself = isinstance(measure, KernelMeasure) and "preferences" in measure.NEEDS
            which = apart if by_itself else tied
            open_topics = np.unique(which.topic[which.mixed])
            if open_topics.size and isinstance(task, partial) and task.func in FORMS:
                closed = FORMS[task.func](tied, task, **task.keywords)
            for topic in open_topics.tolist():
                low, mean, high = (math.nan,) * 3 if closed is None else (float(of[topic]) for of in closed)
                if math.isnan(low) or math.isnan(mean):
                    left.setdefault((topic, by_itself), {})[measure] = mean
                else:
                    _put(out[measure], start + topic, (low, mean, high, True, 0.0), values[measure][start + topic])
        for (topic, by_itself), those in left.items():
            which = apart if by_itself else tied
            for measure, row in _one_by_one(which, topic, {m: tasks[m] for m in those}).items():
                if not math.isnan(those[measure]):
                    row = (row[0], those[measure], row[2], row[3], 0.0)
                _put(out[measure], start + topic, row, values[measure][start + topic])
    return out


def _put(of: Bounds, topic: int, row: tuple[float, float, float, bool, float], value: float) -> None:
    low, expected, high, exact, error = row
    # Rounding may differ between two orders that have the same value.
    low, high = min(low, value), max(high, value)
    of.low[topic], of.high[topic], of.expected[topic] = low, high, min(max(expected, low), high)
    of.exact[topic], of.error[topic] = exact, error


def _end(measure: Measure) -> int | None:
    """Rank below which the order cannot matter to a measure, if it says so."""
    own = isinstance(measure, KernelMeasure) and type(measure).CUTOFF_ENDS_LIST
    if not own or measure.params.get("judged_only"):
        return None
    end: int | None = measure.params.get("cutoff")
    return end


def _computed(task: Task, runs: list[JudgedRun]) -> Floats:
    return np.concatenate([task(run) for run in runs])


def _adds(measure: Measure) -> bool:
    return isinstance(measure, KernelMeasure) and type(measure).TIES_ADD


def _group_by_group(
    tied: Tied, topic: int, end: int | None, tasks: dict[Any, Task]
) -> dict[Any, tuple[float, float, float, bool, float]]:
    """As `_one_by_one`, where what a group adds does not depend on the order of the others."""
    out = {}
    base = {measure: float(_computed(task, tied.as_it_is(topic))[0]) for measure, task in tasks.items()}
    moves: dict[Any, list[tuple[float, float, float]]] = {measure: [] for measure in tasks}
    for many, chance in tied.each(topic, end):
        for measure, task in tasks.items():
            moved = _computed(task, many) - base[measure]
            moves[measure].append((float(moved.min()), float(moved @ chance), float(moved.max())))
    for measure, parts in moves.items():
        low, mean, high = (base[measure] + math.fsum(part) for part in zip(*parts, strict=True))
        out[measure] = (low, mean, high, True, 0.0)
    return out


def _one_by_one(tied: Tied, topic: int, tasks: dict[Any, Task]) -> dict[Any, tuple[float, float, float, bool, float]]:
    """Bounds of one topic by computing the measures for all of its arrangements, or for some if they are many."""
    out = {}
    for end, adds in dict.fromkeys((_end(measure), _adds(measure)) for measure in tasks):
        those = {measure: task for measure, task in tasks.items() if (_end(measure), _adds(measure)) == (end, adds)}
        few = tied.widest(topic, end) <= WIDEST
        exact = few and tied.arrangements(topic, end) <= ARRANGEMENTS
        if adds and few and not exact and tied.alone(topic, end) <= ARRANGEMENTS:
            out.update(_group_by_group(tied, topic, end, those))
            continue
        # A seed of its own: the value of a topic does not depend on the others.
        runs = tied.every(topic, end) if exact else tied.drawn(topic, DRAWS, np.random.default_rng(14))
        found: dict[Any, list[Floats]] = {measure: [] for measure in those}
        chances = []
        for many, chance in runs:
            chances.append(chance)
            for measure, task in those.items():
                found[measure].append(_computed(task, many))
        ends = None if exact else tied.by_grade(topic)
        share = np.concatenate(chances)
        for measure, parts in found.items():
            of = np.concatenate(parts)
            mean = math.fsum((of * share).tolist())
            error = 0.0 if exact else float(np.std(of, ddof=1)) / math.sqrt(of.size)
            if ends is not None:
                of = np.append(of, _computed(those[measure], ends))
            out[measure] = (float(of.min()), mean, float(of.max()), exact, error)
    return out
