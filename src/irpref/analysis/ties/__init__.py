"""What the order of tied documents does to a value: lowest, mean and highest over all their orders.

A run that gives several documents the same score leaves their order open. The evaluation has to choose one (falling
document id, as trec_eval); had it chosen another, the value could be another. `tie_intervals` says which values are
possible and, each order of each group of tied documents being as likely as any other, their mean.

Tied are documents whose scores are equal as float64. Scores that differ, but are the same once rounded to float32,
are ties for tools that keep them so (pytrec_eval); they are none here.

Closed forms (`forms`) for AP, P, R, RR, nDCG, F and what is made like them. For any other measure, yours included, the
different orders of a topic (`orders`) are put through its kernel as so many topics: all of them up to `ARRANGEMENTS`,
else some that are drawn. The column `exact` says which.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.interval_table import interval_table
from irpref.analysis.ties.forms import FORMS
from irpref.analysis.ties.orders import Tied
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints
from irpref.judged.align import judge
from irpref.measures import (
    blended_ratio,
    bpref,
    crp,
    everyday,
    expected,
    gain,
    generalised,
    known,
    ncu,
    rank_biased,
    rpref,
)
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all
from irpref.values.kernels import KernelEvaluator, Task

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import Measures

ARRANGEMENTS = 1_000  # different orders of a topic up to which all are looked at, if there is no closed form
DRAWS, TURNS = 100, 10  # orders drawn at a time if there are more, and how often at most
ENOUGH = 5e-4  # standard error of a topic's mean at which no more are drawn
_ROWS = 1 << 19  # judgments evaluated at a time


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
        evaluation, `error` the standard error of `expected`: 0 if that is exact. If `exact` is False, no closed form is
        known and more than `ARRANGEMENTS` orders are possible. `expected` is then the mean of orders drawn with a fixed
        seed, `DRAWS` at a time until its standard error in the topic is at most `ENOUGH`, at most `TURNS` times. `low`
        and `high` are the extremes among these and the orders by falling and by rising grade. Both can occur, but the
        true ones may lie further out.

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
    chosen = list(dict.fromkeys(parse_all(measures)))
    for measure in chosen:
        if not supports(measure):
            raise ValueError(f"{measure} is computed by ir_measures alone: its value over tied documents is not known")
    evaluator = KernelEvaluator(chosen, qrels)
    judged = judge(evaluator.pool, run, ties=True)
    values = evaluator.values_of(judged)
    bounds = over_ties(evaluator.tasks, judged, values)
    order = sorted(range(len(evaluator.topic_ids)), key=evaluator.topic_ids.__getitem__)
    names = ("query_id", "measure", "value", "low", "expected", "high", "exact", "error")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for measure in chosen:
        of = bounds[measure]
        means = [evaluator.means_of({measure: column})[measure] for column in (values[measure], *of[:3])]
        # The mean of one column may be rounded otherwise than that of another.
        value, low, mean, high = means
        low, high = min(low, value), max(high, value)
        error = math.sqrt(float((of.error**2).sum())) / (1 if _counts(measure) else of.error.size)
        whole = (value, low, min(max(mean, low), high), high, bool(of.exact.all()), error)
        columns["query_id"] += [*(evaluator.topic_ids[t] for t in order), None]
        columns["measure"] += [str(measure)] * (len(order) + 1)
        for name, column, last in zip(names[2:], (values[measure], *of), whole, strict=True):
            columns[name] += [*column[order].tolist(), last]
    return interval_table(**columns)


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
    tied = Tied.of(judged)
    out = {}
    alike: dict[tuple[int | None, bool], dict[Any, Task]] = {}  # measures that look at the same orders
    for measure, task in tasks.items():
        value, n = values[measure], judged.n_topics
        out[measure] = of = Bounds(value.copy(), value.copy(), value.copy(), np.ones(n, bool), np.zeros(n))
        form = FORMS.get(task.func) if isinstance(task, partial) else None
        if form is None or not isinstance(task, partial):
            alike.setdefault((_end(measure), _adds(measure, task)), {})[measure] = task
            continue
        low, mean, high = form(tied, task, **task.keywords)
        for topic in np.unique(tied.topic[tied.mixed]).tolist():
            _put(of, topic, (low[topic], mean[topic], high[topic]), value[topic])
    for (end, adds), those in alike.items():
        _looked_at(tied, end, adds, those, values, out)
    return out


def _put(of: Bounds, topic: int, found: tuple[float, float, float], value: float, error: float | None = None) -> None:
    low, mean, high = found
    # Rounding may differ between two orders that have the same value.
    low, high = min(low, value), max(high, value)
    of.low[topic], of.high[topic], of.expected[topic] = low, high, min(max(mean, low), high)
    of.exact[topic], of.error[topic] = error is None, error or 0.0


def _end(measure: Measure) -> int | None:
    """Rank below which the order cannot matter to a measure, if it says so."""
    own = isinstance(measure, KernelMeasure) and type(measure).CUTOFF_ENDS_LIST
    if not own or measure.params.get("judged_only"):
        return None
    end: int | None = measure.params.get("cutoff")
    return end


# Values to which each group of tied documents adds its own part, whatever the order of the other groups: either what a
# document adds depends on its rank and on which documents are above, or only one group matters at all.
ADDS: dict[Any, Callable[..., bool]] = dict.fromkeys(
    (
        *(everyday.host_bpref, blended_ratio.q_measure, blended_ratio.o_measure, blended_ratio.p_measure, ncu.ncu),
        *(crp.crp, crp.n_crp, known.novelty, expected.relative_recall, generalised.g_precision, generalised.g_recall),
        *(rank_biased.rbp, rank_biased.rbp_residual, rank_biased.err, gain.cg, gain.dcg, gain.ncg),
    ),
    lambda **_: True,
)
ADDS[bpref.bpref] = lambda norm, top, cutoff, **_: top != "drop" and (norm != "old" or cutoff is None)
ADDS[rpref.rpref] = lambda top, **_: top != "drop"


def _adds(measure: Measure, task: Task) -> bool:
    if isinstance(task, partial) and task.func in ADDS:
        return ADDS[task.func](**task.keywords)
    return isinstance(measure, KernelMeasure) and type(measure).TIES_ADD


class _Orders(NamedTuple):
    """Some orders of a topic: ranks of its hits (number, n_hits), and the chance of each; None if they were drawn."""

    topic: int
    ranks: Ints
    chance: Floats | None


def _every(tied: Tied, topic: int, groups: list[int], end: int | None) -> _Orders:
    """All orders of some groups of a topic, the others as they are."""
    every = [tied.every(group, end) for group in groups]
    index = np.arange(math.prod(chance.size for _, _, chance in every))
    hits, ranks = tied.ranks(topic, index.size)
    share = np.ones(index.size)
    for rows, of_group, chance in every:
        ranks[:, rows - hits.start] = of_group[index % chance.size]
        share *= chance[index % chance.size]
        index = index // chance.size
    return _Orders(topic, ranks, share)


def _computed(
    tied: Tied, tasks: dict[Any, Task], orders: Iterable[_Orders]
) -> Iterator[tuple[_Orders, dict[Any, Floats]]]:
    """Values of the measures for each of these orders, many topics at a time."""

    def values(some: list[_Orders]) -> Iterator[tuple[_Orders, dict[Any, Floats]]]:
        topics = np.concatenate([np.repeat(of.topic, of.ranks.shape[0]) for of in some])
        runs = list(tied.copies(topics, np.concatenate([of.ranks.ravel() for of in some])))
        at = np.cumsum([of.ranks.shape[0] for of in some])[:-1]
        found = {m: np.split(np.concatenate([task(run) for run in runs]), at) for m, task in tasks.items()}
        for i, of in enumerate(some):
            yield of, {measure: parts[i] for measure, parts in found.items()}

    size = tied.run.pool.judged.lengths + tied.run.hits.lengths
    waiting: list[_Orders] = []
    for of in orders:
        waiting.append(of)
        if sum(one.ranks.shape[0] * int(size[one.topic]) for one in waiting) > _ROWS:
            yield from values(waiting)
            waiting = []
    if waiting:
        yield from values(waiting)


def _looked_at(
    tied: Tied,
    end: int | None,
    adds: bool,
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    out: dict[Any, Bounds],
) -> None:
    """Bounds of measures without a closed form, by computing them for some orders of each topic."""
    few: list[tuple[int, list[int]]] = []  # topics, with groups whose orders are looked at together
    many: list[int] = []
    for topic, groups in tied.open_groups(end).items():
        numbers = [tied.n_orders(group, end, ARRANGEMENTS) for group in groups]
        if (sum(numbers) if adds else math.prod(numbers)) > ARRANGEMENTS:
            many.append(topic)
        else:
            few += [(topic, [group]) for group in groups] if adds else [(topic, groups)]
    parts: dict[tuple[Any, int], list[tuple[float, float, float]]] = {}
    for of, found in _computed(tied, tasks, (_every(tied, topic, groups, end) for topic, groups in few)):
        for measure, some in found.items():
            moved = some - values[measure][of.topic]
            three = float(moved.min()), float(moved @ of.chance), float(moved.max())
            parts.setdefault((measure, of.topic), []).append(three)
    for (measure, topic), moves in parts.items():
        value = float(values[measure][topic])
        low, mean, high = (value + math.fsum(part) for part in zip(*moves, strict=True))
        _put(out[measure], topic, (low, mean, high), value)
    if many:
        _estimated(tied, many, tasks, values, out)


def _estimated(
    tied: Tied, topics: list[int], tasks: dict[Any, Task], values: dict[Any, Floats], out: dict[Any, Bounds]
) -> None:
    """Bounds of topics with too many orders, from drawn ones and those by falling and by rising grade."""
    by_grade = tied.memo(_estimated, lambda: [tied.arranged(tied.run.grade), tied.arranged(-tied.run.grade)])
    ends = {measure: [task(run) for run in by_grade] for measure, task in tasks.items()}
    left = {topic: set(tasks) for topic in topics}
    seen: dict[tuple[Any, int], list[Floats]] = {}
    for turn in range(TURNS):
        orders = (_Orders(topic, tied.drawn(topic, DRAWS, turn), None) for topic in left)
        for (topic, *_), found in _computed(tied, tasks, orders):
            for measure in left[topic].copy():
                drawn = seen[measure, topic] = [*seen.get((measure, topic), ()), found[measure]]
                one_by_one = np.concatenate(drawn)
                pairs = (one_by_one[::2] + one_by_one[1::2]) / 2
                error = float(np.std(pairs, ddof=1)) / math.sqrt(pairs.size)
                every = np.append(one_by_one, [of[topic] for of in ends[measure]])
                low, high = float(every.min()), float(every.max())
                if one_by_one.min() == one_by_one.max():  # what is rare was not drawn
                    error = (high - low) / one_by_one.size
                if error <= ENOUGH or turn == TURNS - 1:
                    three = low, float(pairs.mean()), high
                    _put(out[measure], topic, three, float(values[measure][topic]), error)
                    left[topic].remove(measure)
        left = {topic: those for topic, those in left.items() if those}
