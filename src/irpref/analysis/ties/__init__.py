"""What the order of tied documents does to a value: lowest, mean and highest over all their orders.

A run that gives several documents the same score leaves their order open. The evaluation has to choose one (falling
document id, as trec_eval); had it chosen another, the value could be another. `tie_intervals` says which values are
possible and, each order of each group of tied documents being as likely as any other, their mean.

Tied are documents whose scores are equal as float64. Scores that differ, but are the same once rounded to float32,
are ties for tools that keep them so (pytrec_eval); they are none here.

Closed forms (`forms`) for AP, P, R, RR, nDCG, F and what is made like them. For any other measure, yours included,
orders of a topic (`orders`) are put through its kernel as so many topics. If the value is a sum over the groups, or a
ratio of such sums, a few orders of each group tell the values of all (`paths`). Else all orders are computed, up to
`ARRANGEMENTS`. If that is too much, some orders are drawn. The column `exact` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.frames import interval_table
from irpref.analysis.ties.forms import FORMS
from irpref.analysis.ties.orders import Tied
from irpref.analysis.ties.paths import STEPS, sums_of, together
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.arrays.terms import Sum
from irpref.judged.align import align_run
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
    seen_ap,
    weighted_rr,
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
        evaluation, `error` the standard error of `expected`: 0 if that is exact. If `exact` is False, there are too
        many orders to look at. `expected` is then the mean of orders drawn with a fixed seed, `DRAWS` at a time until
        its standard error in the topic is at most `ENOUGH`, at most `TURNS` times. `low` and `high` are the extremes
        among these and the orders by falling and by rising grade. Both can occur, but the true ones may lie further
        out.

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
    judged = align_run(evaluator.pool, run, ties=True)
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
    alike: dict[_Kind, dict[Any, Task]] = {}
    for measure, task in tasks.items():
        value, n = values[measure], judged.n_topics
        out[measure] = of = Bounds(value.copy(), value.copy(), value.copy(), np.ones(n, bool), np.zeros(n))
        form = FORMS.get(task.func) if isinstance(task, partial) else None
        if form is None or not isinstance(task, partial):
            alike.setdefault(_Kind.of(measure, task), {})[measure] = task
            continue
        low, mean, high = form(tied, task, **task.keywords)
        for topic in np.unique(tied.topic[tied.mixed]).tolist():
            _put(of, topic, (low[topic], mean[topic], high[topic]), value[topic])
    for kind, those in alike.items():
        groups = {
            "all": lambda: tied,
            "judged": lambda: tied.view(True, negative=True),
            "condensed": lambda: tied.view(True),
            "worth": tied.worth,
        }[kind.documents]()
        _looked_at(groups, kind, those, values, out)
    return out


def _put(of: Bounds, topic: int, found: tuple[float, float, float], value: float, error: float | None = None) -> None:
    low, mean, high = found
    # Rounding may differ between two orders that have the same value.
    low, high = min(low, value), max(high, value)
    of.low[topic], of.high[topic], of.expected[topic] = low, high, min(max(mean, low), high)
    of.exact[topic], of.error[topic] = error is None, error or 0.0


# Values that are sums over groups of tied documents. What a document adds depends on its rank and on which documents
# are above it, not on their order.
SUMS = (
    *(everyday.host_bpref, blended_ratio.q_measure, blended_ratio.o_measure, blended_ratio.r_measure, ncu.ncu),
    *(crp.crp, crp.n_crp, known.novelty, expected.relative_recall, generalised.g_precision, generalised.g_recall),
    *(rank_biased.rbp, rank_biased.rbp_residual, rank_biased.err, gain.cg, gain.dcg, gain.ncg),
    *(weighted_rr.weighted_rr, blended_ratio.p_measure),
)


def _size(kernel: Sum, run: JudgedRun, **how: Any) -> Floats:
    return kernel.parts(run, **how).size * 1.0


# Ratios of two such sums, by their divisor.
RATIOS: dict[Any, Callable[..., Floats]] = {
    **{kernel: partial(_size, kernel) for kernel in (bpref.bpref, blended_ratio.p_plus, seen_ap.seen_ap)},
    rpref.rpref: lambda run, **how: rpref.summands(run, **{"n": None, **how}).size,
}
# Those that are such sums only once it is known which documents are above the cutoff.
_DIVIDED = {blended_ratio.p_measure, blended_ratio.p_plus}
# Without a cutoff, documents without a judgment do not matter to the first; to the others they are as those of grade 0.
_JUDGED = {bpref.bpref, rpref.rpref, everyday.host_bpref}
_WORTH = {
    *(blended_ratio.q_measure, blended_ratio.o_measure, blended_ratio.p_measure, blended_ratio.p_plus),
    *(blended_ratio.r_measure, ncu.ncu, crp.crp, crp.n_crp),
}


class _Kind(NamedTuple):
    """How the orders of a topic are looked at: the same for measures that are looked at together."""

    documents: str = "all"  # which are told apart: see `over_ties`
    end: int | None = None  # rank below which the order does not matter
    sums: bool = False  # whether the value is a sum (or a ratio of sums) over groups
    divided: bool = False  # whether it is one only for given documents above the cutoff

    @classmethod
    def of(cls, measure: Measure, task: Task) -> _Kind:
        declared: Any = type(measure) if isinstance(measure, KernelMeasure) else None
        kernel, how = (task.func, task.keywords) if isinstance(task, partial) else (None, {})
        cutoff, documents = how.get("cutoff"), "all"
        if kernel in _JUDGED and cutoff is None:
            documents = "judged"
        elif kernel in _WORTH:
            of_crp = kernel in (crp.crp, crp.n_crp)
            documents = "worth" if not how.get("judged_only") else "all" if of_crp else "condensed"
        ends = bool(declared and declared.CUTOFF_ENDS_LIST) and (documents == "condensed" or not how.get("judged_only"))
        sums = kernel in SUMS or kernel in RATIOS or bool(declared and declared.TIES_ADD)
        divided = cutoff is not None and (kernel in _DIVIDED or how.get("norm") == "old")
        return cls(documents, cutoff if ends else None, sums and (ends or not divided), divided)


class _Orders(NamedTuple):
    """Some orders of a topic: ranks of its hits (number, n_hits)."""

    topic: int
    ranks: Ints
    of: Any  # what whoever asked needs to know of them


def _computed(
    tied: Tied, tasks: dict[Any, Task], orders: Iterable[_Orders]
) -> Iterator[tuple[_Orders, dict[Any, Floats]]]:
    """Values of the measures for each of these orders, many topics at a time."""
    size = tied.run.pool.judged.lengths + tied.run.hits.lengths

    def values(some: list[_Orders]) -> Iterator[tuple[_Orders, dict[Any, Floats]]]:
        topics = np.concatenate([np.repeat(one.topic, one.ranks.shape[0]) for one in some])
        ranks = np.concatenate([one.ranks.ravel() for one in some])
        hits, load = Segments.of_lengths(tied.run.hits.lengths[topics]), np.cumsum(size[topics]) // _ROWS
        parts: dict[Any, list[Floats]] = {measure: [] for measure in tasks}
        for here in np.split(np.arange(topics.size), np.flatnonzero(np.diff(load)) + 1):
            for run in tied.copies(topics[here], ranks[hits.offsets[here[0]] : hits.offsets[here[-1] + 1]]):
                for measure, task in tasks.items():
                    parts[measure].append(task(run))
        at = np.cumsum([one.ranks.shape[0] for one in some])[:-1]
        found = {measure: np.split(np.concatenate(of), at) for measure, of in parts.items()}
        for i, one in enumerate(some):
            yield one, {measure: of[i] for measure, of in found.items()}

    waiting: list[_Orders] = []
    for of in orders:
        waiting.append(of)
        if sum(one.ranks.shape[0] * int(size[one.topic]) for one in waiting) > _ROWS:
            yield from values(waiting)
            waiting = []
    if waiting:
        yield from values(waiting)


def _looked_at(
    tied: Tied, kind: _Kind, tasks: dict[Any, Task], values: dict[Any, Floats], out: dict[Any, Bounds]
) -> None:
    """Bounds of measures without a closed form, by computing them for some orders of each topic."""
    few: dict[int, list[int]] = {}
    many: list[int] = []
    for topic, groups in tied.open_groups(kind.end).items():
        if kind.sums:
            number: float = tied.n_steps(groups, kind.end, kind.divided, STEPS)
        else:
            number = math.prod(tied.n_orders(group, kind.end, ARRANGEMENTS) for group in groups)
        if number > (STEPS if kind.sums else ARRANGEMENTS):
            many.append(topic)
        else:
            few[topic] = groups
    (_by_paths if kind.sums else _one_by_one)(tied, few, kind, tasks, values, out)
    if many:
        _estimated(tied, many, tasks, values, out)


def _one_by_one(
    tied: Tied,
    groups: dict[int, list[int]],
    kind: _Kind,
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    out: dict[Any, Bounds],
) -> None:
    """All orders of some groups of these topics."""
    orders = (_Orders(topic, *tied.every(topic, some, kind.end)) for topic, some in groups.items())
    for (topic, _, chance), found in _computed(tied, tasks, orders):
        for measure, of in found.items():
            three = float(of.min()), math.fsum((of * chance).tolist()), float(of.max())
            _put(out[measure], topic, three, values[measure][topic])


def _by_paths(
    tied: Tied,
    groups: dict[int, list[int]],
    kind: _Kind,
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    out: dict[Any, Bounds],
) -> None:
    """All orders of some groups of these topics, see `paths`."""
    both = dict(tasks)
    for measure, task in tasks.items():
        if isinstance(task, partial) and task.func in RATIOS:
            both[measure, "divisor"] = partial(RATIOS[task.func], **task.keywords)
    cases: dict[tuple[Any, int], list[tuple[float, tuple[float, float, float]]]] = {}
    orders = (
        _Orders(topic, ranks, of)
        for topic, some in groups.items()
        for ranks, of in tied.walks(topic, some, kind.end, kind.divided)
    )
    for (topic, ranks, (chance, walks)), found in _computed(tied, both, orders):
        at = np.cumsum([1, *(walk.places.shape[0] for walk in walks)])
        for measure in tasks:
            divisor = found.get((measure, "divisor"), np.ones(ranks.shape[0]))
            value = found[measure] * divisor
            sums = (sums_of(walk, value[a:b], divisor[a:b]) for walk, a, b in zip(walks, at[:-1], at[1:], strict=True))
            three = together(sums, float(value[0]), float(divisor[0]))
            cases.setdefault((measure, topic), []).append((chance, three))
    for (measure, topic), some in cases.items():
        low, high = min(three[0] for _, three in some), max(three[2] for _, three in some)
        mean = math.fsum(chance * three[1] for chance, three in some)
        _put(out[measure], topic, (low, mean, high), values[measure][topic])


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
        for (topic, _, _), found in _computed(tied, tasks, orders):
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
