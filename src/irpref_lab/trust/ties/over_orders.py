"""How far the order of tied documents can change a value: lowest, mean and highest value over all
their orders.

A run that gives several documents the same score leaves their order open. The evaluation has to
choose one (descending document id, as in trec_eval); another order could give another value.
`tie_intervals` finds the values that are possible, and their mean if all orders of each group of
tied documents are equally likely.

Documents are tied if their scores are equal as float64. Scores that become equal only when rounded
to float32 are ties for tools that store scores as float32 (pytrec_eval), but not here.

AP, P, R, RR, nDCG and measures of their form have closed forms (`closed_forms`), which they declare
beside their kernel (see `irpref.kernel.uncertain`). For any other measure, yours included, orders
of a topic (`orders`) are passed to its kernel as if each were a topic: all, up to
`ARRANGEMENTS`; if there are more, orders drawn at random. The column `exact` tells you."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import MeasureError
from irpref.judged import QrelsLike, RunLike, align_run, as_judgments
from irpref.kernel import Bools, Floats, Ints, JudgedRun, Segments
from irpref.measures.declare import KernelMeasure, Measures
from irpref.measures.everyday import declaration, supports
from irpref.measures.names import parse_all
from irpref.values import KernelEvaluator, Task
from irpref_lab.trust.batches import ROWS, batches
from irpref_lab.trust.interval_tables import by_topic
from irpref_lab.trust.ties.closed_forms import Closed, closed
from irpref_lab.trust.ties.orders import Tied

DRAWS, TURNS = 100, 10  # orders drawn at a time if there are too many, and how many times at most
VIEW = ("cutoff", "judged_only")  # parameters that say which documents count
ENOUGH = 5e-4  # standard error of a topic's mean at which no more are drawn


class Bounds(NamedTuple):
    """Values over the orders of tied documents: float arrays (n_topics,)."""

    low: Floats
    expected: Floats
    high: Floats
    exact: Bools
    error: Floats  # standard error of `expected`, 0 where it is exact


def tie_intervals(measures: Measures, qrels: QrelsLike, run: RunLike) -> pd.DataFrame:
    """Find the lowest, mean and highest value over all orders of tied documents.

    Parameters
    ----------
    measures : measures or names
        Measures that irpref computes: its own, and measures of the host that `irpref.evaluator`
        computes itself.
    qrels, run : as `irpref.evaluator` takes them

    Returns
    -------
    DataFrame
        Columns `query_id, measure, value, low, expected, high, exact, error`; a row for each
        measure and topic, and one for the mean over the topics (`query_id` None; for measures that
        count, the sum). `value` is the value of the evaluation; `error` is the standard error of
        `expected`, 0 if that is exact. If `exact` is False, there are too many orders to try.
        `expected` is then the mean of orders drawn with a fixed seed, `DRAWS` at a time until its
        standard error in the topic is at most `ENOUGH`, at most `TURNS` times. `low` and `high` are
        the extremes among these orders and the orders by falling and by rising grade. Both can
        occur, but the true ones may lie further out.

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
    chosen = parse_all(measures)
    for measure in chosen:
        if not supports(measure):
            raise MeasureError(
                f"{measure} is computed by ir_measures alone: its value over tied documents is "
                f"not known",
                measure=str(measure),
            )
    evaluator = KernelEvaluator(chosen, as_judgments(qrels))
    judged = align_run(evaluator.pool, run, ties=True)
    values = evaluator.values_of(judged)
    bounds = over_ties(evaluator.tasks, judged, values)
    table = by_topic(
        evaluator,
        {measure: {"value": values[measure], **bounds[measure]._asdict()} for measure in chosen},
    )
    # The means of two columns may be rounded differently.
    table["low"] = np.fmin(table["low"], table["value"])
    table["high"] = np.fmax(table["high"], table["value"])
    table["expected"] = np.fmax(np.fmin(table["expected"], table["high"]), table["low"])
    return table


def over_ties(
    tasks: dict[Any, Task], judged: JudgedRun, values: dict[Any, Floats]
) -> dict[Any, Bounds]:
    """Find the bounds of each measure over the orders of tied documents.

    Parameters
    ----------
    tasks : measure to kernel with its arguments
    judged : run aligned with `ties=True`
    values : measure to values of the run, (n_topics,)
    """
    tied = Tied.of_run(judged)
    mixed = np.unique(tied.topic[tied.mixed])
    bounds: dict[Any, Bounds] = {}
    without_form: dict[int | None, dict[Any, Task]] = {}
    for measure, task in tasks.items():
        value, n = values[measure], judged.n_topics
        bounds[measure] = Bounds(
            value.copy(), value.copy(), value.copy(), np.ones(n, bool), np.zeros(n)
        )
        ends = _closed(tied, measure, task)
        if ends is None:
            without_form.setdefault(_end(measure), {})[measure] = task
        else:
            _put(bounds[measure], mixed, [numbers[mixed] for numbers in ends], value[mixed])
    for end, some in without_form.items():
        _tried(tied, end, some, values, bounds)
    return bounds


def _closed(tied: Tied, measure: Measure, task: Task) -> Closed | None:
    """Compute bounds from the form that the measure declares; None if it has none."""
    if not isinstance(task, partial):
        return None
    declared = declaration(measure)
    if declared is None or declared.over_ties is None:
        return None
    form = declared.over_ties(tied.run, **task.keywords)
    if form is None:
        return None
    view = {name: task.keywords[name] for name in VIEW if name in task.keywords}
    return closed(tied, task, form, **view)


def _end(measure: Measure) -> int | None:
    """Rank below which the order does not matter."""
    if not isinstance(measure, KernelMeasure) or not type(measure).CUTOFF_ENDS_LIST:
        return None
    return None if measure.params.get("judged_only") else measure.params.get("cutoff")


def _put(
    bounds: Bounds, topics: Any, ends: Sequence[Any], value: Any, error: float | None = None
) -> None:
    """Store the lowest, mean and highest value of some topics, and the standard error of the mean;
    None if it is exact.
    """
    low, mean, high = ends
    # Two orders with the same value may differ by rounding.
    bounds.low[topics], bounds.high[topics] = np.minimum(low, value), np.maximum(high, value)
    bounds.expected[topics] = np.clip(mean, bounds.low[topics], bounds.high[topics])
    bounds.exact[topics], bounds.error[topics] = error is None, error or 0.0


# A topic, some of its orders as ranks of its hits (number, n_hits), and their probabilities.
_Orders = tuple[int, Ints, Any]


def _computed(
    tied: Tied, tasks: dict[Any, Task], orders: Iterable[_Orders]
) -> Iterator[tuple[int, Any, dict[Any, Floats]]]:
    """Yield the values of the measures for each of these orders, many topics at a time."""
    pool, hits = tied.run.pool, tied.run.hits
    # Most measures read levels, and none of the judged documents that were not retrieved; see
    # `Tied.copies`.
    size = np.maximum(pool.levels.lengths + hits.lengths, pool.judged.lengths // 16)

    def values(some: list[_Orders]) -> Iterator[tuple[int, Any, dict[Any, Floats]]]:
        number = [len(ranks) for _, ranks, _ in some]
        topics = np.repeat([topic for topic, _, _ in some], number)
        every = np.concatenate([ranks.ravel() for _, ranks, _ in some])
        hits = Segments.of_lengths(tied.run.hits.lengths[topics])
        parts: dict[Any, list[Floats]] = {measure: [] for measure in tasks}
        for start, stop in batches(size[topics]):
            for run in tied.copies(topics[start:stop], every[hits.span(start, stop)]):
                for measure, task in tasks.items():
                    parts[measure].append(task(run))
        of_measures = {
            measure: np.split(np.concatenate(outcomes), np.cumsum(number))
            for measure, outcomes in parts.items()
        }
        for i, (topic, _, chance) in enumerate(some):
            yield topic, chance, {measure: outcomes[i] for measure, outcomes in of_measures.items()}

    waiting: list[_Orders] = []
    rows = 0
    for topic, ranks, chance in orders:
        waiting.append((topic, ranks, chance))
        rows += len(ranks) * int(size[topic])
        if rows > ROWS:
            yield from values(waiting)
            waiting, rows = [], 0
    if waiting:
        yield from values(waiting)


def _tried(
    tied: Tied,
    end: int | None,
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    bounds: dict[Any, Bounds],
) -> None:
    """Find the bounds of measures without a closed form, from all orders of a topic or from
    some.
    """
    groups = tied.open_groups(end)
    too_many = []

    def orders() -> Iterator[_Orders]:
        for topic, open_groups in groups.items():
            some = tied.every(topic, open_groups, end)
            if some is None:
                too_many.append(topic)
            else:
                yield (topic, *some)

    for topic, chance, computed in _computed(tied, tasks, orders()):
        for measure, value in computed.items():
            ends = float(value.min()), math.fsum((value * chance).tolist()), float(value.max())
            _put(bounds[measure], topic, ends, values[measure][topic])
    if too_many:
        _estimated(tied, too_many, tasks, values, bounds)


def _estimated(
    tied: Tied,
    topics: list[int],
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    bounds: dict[Any, Bounds],
) -> None:
    """Estimate the bounds of topics with too many orders, from random orders and the orders by
    falling and by rising grade.
    """
    by_grade = tied.run.memo(
        _estimated, lambda: [tied.arranged(tied.run.grade), tied.arranged(-tied.run.grade)]
    )
    of_grades = {measure: [task(run) for run in by_grade] for measure, task in tasks.items()}
    left = {topic: set(tasks) for topic in topics}
    seen: dict[tuple[Any, int], list[Floats]] = {}
    for turn in range(TURNS):
        orders = ((topic, tied.drawn(topic, DRAWS, turn), None) for topic in left)
        for topic, _, computed in _computed(tied, tasks, orders):
            for measure in left[topic].copy():
                drawn = seen[measure, topic] = [*seen.get((measure, topic), ()), computed[measure]]
                by_grade_here = np.array([outcomes[topic] for outcomes in of_grades[measure]])
                ends, error = _ends_and_error(np.concatenate(drawn), by_grade_here)
                if error <= ENOUGH or turn == TURNS - 1:
                    _put(bounds[measure], topic, ends, float(values[measure][topic]), error)
                    left[topic].remove(measure)
        left = {topic: open_measures for topic, open_measures in left.items() if open_measures}


def _ends_and_error(drawn: Floats, by_grade: Floats) -> tuple[tuple[float, float, float], float]:
    """Estimate the lowest, mean and highest value of a topic, and the standard error of the mean.

    Parameters
    ----------
    drawn : float array (n_orders,)
        Values of random orders, each followed by the value of its reverse.
    by_grade : float array (2,)
        Values of the orders by falling and by rising grade.
    """
    pairs = (drawn[::2] + drawn[1::2]) / 2
    error = float(np.std(pairs, ddof=1)) / math.sqrt(pairs.size)
    every = np.append(drawn, by_grade)
    low, high = float(every.min()), float(every.max())
    # An order and its reverse may have the same mean, whichever the order (values linear in the
    # ranks); those by grade then have it, too. If not, orders with other values are rare, and were
    # not drawn.
    near = 1e-12 * np.abs(every).max()
    linear = np.ptp(drawn) > 0 and abs(by_grade.mean() - pairs[0]) <= near
    if np.ptp(pairs) <= near and not linear:
        error = (high - low) / drawn.size
    return (low, float(pairs.mean()), high), error
