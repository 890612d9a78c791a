"""How far the order of tied documents can change a value: lowest, mean and highest value over all
their orders.

A run that gives several documents the same score leaves their order open. The evaluation has to
choose one (descending document id, as in trec_eval); another order could give another value.
`tie_intervals` finds the values that are possible, and their mean if all orders of each group of
tied documents are equally likely.

Documents are tied if their scores are equal as float64. Scores that become equal only when rounded
to float32 are ties for tools that store scores as float32 (pytrec_eval), but not here.

AP, P, R, RR, nDCG, F, Q and similar measures have closed forms (`forms`). For any other measure,
yours included, orders of a topic (`orders`) are passed to its kernel as if each were a topic. If
the value is a sum over the groups, or a ratio of such sums, a few orders of each group determine
the values of all (`paths`). Otherwise all orders are computed, up to `ARRANGEMENTS`. If there are
more, orders are drawn at random. The column `exact` tells you."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.judged.align import align_run
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, Segments, opens
from irpref.kernel.terms import Parts
from irpref.lab.trust.batches import ROWS, batches
from irpref.lab.trust.frames import by_topic
from irpref.lab.trust.ties.closed_forms import FORMS
from irpref.lab.trust.ties.orders import Tied
from irpref.lab.trust.ties.paths import Paths, bounds_of, sums_of, together
from irpref.measures import (
    blended_ratio,
    bpref,
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

DRAWS, TURNS = 100, 10  # orders drawn at a time if there are too many, and how many times at most
ENOUGH = 5e-4  # standard error of a topic's mean at which no more are drawn


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
        Measures that irpref computes: its own, and those of the host that `irpref.evaluator`
        computes itself.
    qrels, run : as `irpref.evaluator` takes them

    Returns
    -------
    DataFrame
        Columns `query_id, measure, value, low, expected, high, exact, error`; a row for each
        measure and topic, and one for the mean over the topics (`query_id` None; for measures that
        count, the sum). `value` is that of the evaluation; `error` is the standard error of
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
    chosen = list(dict.fromkeys(parse_all(measures)))
    for measure in chosen:
        if not supports(measure):
            raise ValueError(
                f"{measure} is computed by ir_measures alone: its value over tied documents is "
                f"not known"
            )
    evaluator = KernelEvaluator(chosen, qrels)
    judged = align_run(evaluator.pool, run, ties=True)
    values = evaluator.values_of(judged)
    bounds = over_ties(evaluator.tasks, judged, values)
    table = by_topic(
        evaluator,
        {measure: {"value": values[measure], **bounds[measure]._asdict()} for measure in chosen},
    )
    # The means of two columns may be rounded differently.
    table["low"], table["high"] = (
        np.fmin(table["low"], table["value"]),
        np.fmax(table["high"], table["value"]),
    )
    table["expected"] = np.fmax(np.fmin(table["expected"], table["high"]), table["low"])
    return table


def over_ties(
    tasks: dict[Any, Task], judged: JudgedRun, values: dict[Any, Floats]
) -> dict[Any, Bounds]:
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
    mixed = np.unique(tied.topic[tied.mixed])
    for measure, task in tasks.items():
        value, n = values[measure], judged.n_topics
        out[measure] = of = Bounds(
            value.copy(), value.copy(), value.copy(), np.ones(n, bool), np.zeros(n)
        )
        three = None
        if isinstance(task, partial) and task.func in FORMS:
            three = FORMS[task.func](tied, task, **task.keywords)
        if three is not None:
            _put(of, mixed, [numbers[mixed] for numbers in three], value[mixed])
        else:
            alike.setdefault(_Kind.of(measure, task), {})[measure] = task
    zero = Tied(judged, tied.groups, tied.first, tied.size, unjudged_zero=True)
    for kind, those in alike.items():
        groups = {"all": tied, "judged": tied.view(True), "zero": zero}[kind.documents]
        _looked_at(groups, kind, those, values, out)
    return out


def _put(
    of: Bounds, topics: Any, found: Sequence[Any], value: Any, error: float | None = None
) -> None:
    low, mean, high = found
    # Two orders with the same value may differ by rounding.
    of.low[topics], of.high[topics] = np.minimum(low, value), np.maximum(high, value)
    of.expected[topics] = np.clip(mean, of.low[topics], of.high[topics])
    of.exact[topics], of.error[topics] = error is None, error or 0.0


class _Adds(NamedTuple):
    """How a value is a sum over groups of tied documents, or a ratio of two such sums.

    What a document adds depends on its rank and on which documents are above it, but not on their
    order."""

    parts: Callable[..., Parts] | None = (
        None  # what each document adds, if the kernel has no `parts` itself
    )
    unjudged: str = (
        "all"  # unjudged documents: "judged" if they do not matter, "zero" if they count as grade 0
    )


def _rpref(run: JudgedRun, **how: Any) -> Parts:
    of = rpref.summands(run, **{"n": None, **how})
    return Parts(of.found, of.hits, of.size)


ADDS: dict[Any, _Adds] = {
    **dict.fromkeys(
        (known.novelty, expected.relative_recall, generalised.g_precision, generalised.g_recall),
        _Adds(),
    ),
    **dict.fromkeys(
        (rank_biased.rbp, rank_biased.rbp_residual, rank_biased.err, weighted_rr.weighted_rr),
        _Adds(),
    ),
    **dict.fromkeys((gain.cg, gain.dcg, gain.ncg), _Adds()),
    **dict.fromkeys((blended_ratio.r_measure, ncu.ncu), _Adds(unjudged="zero")),
    everyday.host_bpref: _Adds(
        partial(bpref.bpref.parts, norm="min", top="keep", cutoff=None), unjudged="judged"
    ),
    bpref.bpref: _Adds(unjudged="judged"),
    rpref.rpref: _Adds(_rpref, unjudged="judged"),
    seen_ap.seen_ap: _Adds(),
}


def _parts_of(task: Task) -> Callable[[JudgedRun], Parts] | None:
    """What each retrieved document adds, from the run; None if that is not known."""
    if not isinstance(task, partial):
        return None
    adds = ADDS.get(task.func)
    parts = (adds and adds.parts) or getattr(task.func, "parts", None)
    return None if parts is None else partial(parts, **task.keywords)


def _infinity(task: Task) -> bool:
    """Whether documents that were not retrieved add something, too."""
    return isinstance(task, partial) and task.keywords.get("unretrieved") == "infinity"


class _Kind(NamedTuple):
    """How the orders of a topic are enumerated; measures of the same kind are computed together."""

    documents: str = "all"  # which documents are told apart: see `_Adds.unjudged`
    end: int | None = None  # rank below which the order does not matter
    sums: bool = False  # whether the value is a sum (or a ratio of sums) over groups

    @classmethod
    def of(cls, measure: Measure, task: Task) -> _Kind:
        declared: Any = type(measure) if isinstance(measure, KernelMeasure) else None
        kernel, how = (task.func, task.keywords) if isinstance(task, partial) else (None, {})
        adds, cutoff, documents = ADDS.get(kernel), how.get("cutoff"), "all"
        if adds and adds.unjudged == "zero":
            documents = "judged" if how["judged_only"] else "zero"
        elif adds and cutoff is None:
            documents = adds.unjudged
        ends = bool(declared and declared.CUTOFF_ENDS_LIST) and (
            documents == "judged" or not how.get("judged_only")
        )
        old = (
            cutoff is not None and how.get("norm") == "old"
        )  # the denominator depends on what is above the cutoff
        sums = bool(adds or (declared and declared.TIES_ADD)) and not old
        return cls(documents, cutoff if ends else None, sums)


_Orders = tuple[
    int, Ints, Any
]  # a topic, some of its orders as ranks of its hits (number, n_hits), their purpose


def _computed(
    tied: Tied, tasks: dict[Any, Task], orders: Iterable[_Orders]
) -> Iterator[tuple[int, Any, dict[Any, Floats]]]:
    """Values of the measures for each of these orders, many topics at a time."""
    pool, hits = tied.run.pool, tied.run.hits
    # Most measures read levels, and none of the judged documents that were not retrieved; see
    # `Tied.copies`.
    size = np.maximum(pool.levels.lengths + hits.lengths, pool.judged.lengths // 16)

    def values(some: list[_Orders]) -> Iterator[tuple[int, Any, dict[Any, Floats]]]:
        number = [ranks.shape[0] for _, ranks, _ in some]
        topics = np.repeat([topic for topic, _, _ in some], number)
        every = np.concatenate([ranks.ravel() for _, ranks, _ in some])
        hits = Segments.of_lengths(tied.run.hits.lengths[topics])
        parts: dict[Any, list[Floats]] = {measure: [] for measure in tasks}
        for start, stop in batches(size[topics]):
            for run in tied.copies(
                topics[start:stop], every[hits.offsets[start] : hits.offsets[stop]]
            ):
                for measure, task in tasks.items():
                    parts[measure].append(task(run))
        found = {
            measure: np.split(np.concatenate(of), np.cumsum(number))
            for measure, of in parts.items()
        }
        for i, (topic, _, what) in enumerate(some):
            yield topic, what, {measure: of[i] for measure, of in found.items()}

    waiting: list[_Orders] = []
    rows = 0
    for topic, ranks, what in orders:
        waiting.append((topic, ranks, what))
        rows += ranks.shape[0] * int(size[topic])
        if rows > ROWS:
            yield from values(waiting)
            waiting, rows = [], 0
    if waiting:
        yield from values(waiting)


def _looked_at(
    tied: Tied,
    kind: _Kind,
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    out: dict[Any, Bounds],
) -> None:
    """Bounds of measures without a closed form, from their values for some orders of each topic."""
    groups, many = tied.open_groups(kind.end), []
    sums: dict[Any, list[tuple[int, list[Paths], Floats]]] = {measure: [] for measure in tasks}
    if kind.sums:
        _at_once(tied, kind, groups, tasks, sums)
    left = {measure: groups.keys() - {topic for topic, _, _ in sums[measure]} for measure in tasks}

    def orders() -> Iterator[_Orders]:
        for topic in sorted(set().union(*left.values())):
            some = (tied.walks if kind.sums else tied.every)(topic, groups[topic], kind.end)
            if some is None:
                many.append(topic)
            else:
                yield (topic, *some)

    parts = {
        (measure, "parts"): _parts_of(task)
        for measure, task in tasks.items()
        if kind.sums and left[measure]
    }
    sizes = {key: partial(_size, of) for key, of in parts.items() if of is not None}
    for topic, of, found in _computed(tied, tasks | sizes, orders()):
        for measure in tasks:
            if topic in left[measure]:
                value, divided_by = found[measure], found.get((measure, "parts"), np.ones(1))
                if kind.sums and (divided_by == divided_by[0]).all():
                    sums[measure].append((topic, of, value))
                else:
                    three = _by_paths(value, divided_by, of) if kind.sums else _three(value, of)
                    _put(out[measure], topic, three, values[measure][topic])
    for measure, topics in sums.items():
        for (topic, _, _), (low, mean, high) in zip(
            topics, _sums([of[1:] for of in topics]), strict=True
        ):
            _put(out[measure], topic, (low, mean, high), values[measure][topic])
    if many:
        _estimated(tied, many, tasks, values, out)


def _size(parts: Callable[[JudgedRun], Parts], run: JudgedRun) -> Floats:
    return parts(run).size * 1.0


def _at_once(
    tied: Tied,
    kind: _Kind,
    groups: dict[int, list[int]],
    tasks: dict[Any, Task],
    sums: dict[Any, list[tuple[int, list[Paths], Floats]]],
) -> None:
    """Values of the orders of `Tied.walks`, from what the documents of each group add in orders of
    all groups at once.

    Left out are measures of which that is not known, and topics in which the divisor depends on the
    order."""
    width = 1 + int(tied.by_topic.lengths.max(initial=0))

    def by_group(parts: Callable[[JudgedRun], Parts], run: JudgedRun) -> Floats:
        """What the documents of each group of the topic add, and in the last column the divisor:
        (n_topics, width).
        """
        of, hits = parts(run), run.hits
        assert run.tied_from is not None
        number = np.cumsum(opens(run.tied_from, hits.topic)) - 1
        number -= hits.spread(np.append(number, 0)[hits.starts])
        group: Ints = np.empty(
            run.pool.judged.size, np.int64
        )  # by row: ranks differ if unjudged documents are dropped
        group[run.row] = number
        cell = of.found.hits.topic * width + group[of.found.row]
        out: Floats = np.zeros((run.n_topics, width))
        out.ravel()[:] = np.bincount(cell, of.adds, out.size)
        out[:, -1] = of.size
        return out

    parts = {measure: _parts_of(task) for measure, task in tasks.items() if not _infinity(task)}
    known: dict[Any, Task] = {
        measure: partial(by_group, of) for measure, of in parts.items() if of is not None
    }
    walked = (
        (topic, tied.walks(topic, of_topic, kind.end, True))
        for topic, of_topic in groups.items()
        if known
    )
    for topic, walks, found in _computed(
        tied, known, ((topic, *some) for topic, some in walked if some is not None)
    ):
        place = np.array(groups[topic]) - tied.by_topic.starts[topic]
        for measure, adds in found.items():
            size = adds[:, -1]
            if (size == size[0]).all():
                adds = adds[:, :-1] / size[0] if size[0] > 0 else np.zeros(adds.shape)
                first = float(adds[0].sum())
                more = [
                    first + adds[: walk.places.shape[0], g] - adds[0, g]
                    for walk, g in zip(walks, place, strict=True)
                ]
                sums[measure].append((topic, walks, np.concatenate([[first], *more])))


def _three(value: Floats, chance: Floats) -> tuple[float, float, float]:
    return float(value.min()), math.fsum((value * chance).tolist()), float(value.max())


def _by_group(walks: list[Paths]) -> list[slice]:
    """Orders of each group among those that `Tied.walks` returns."""
    return [
        slice(*ends)
        for ends in pairwise(np.cumsum([1, *(walk.places.shape[0] for walk in walks)]).tolist())
    ]


def _by_paths(value: Floats, divisor: Floats, walks: list[Paths]) -> tuple[float, float, float]:
    value = value * divisor
    sums = (
        sums_of(walk, value[at], divisor[at])
        for walk, at in zip(walks, _by_group(walks), strict=True)
    )
    return together(sums, float(value[0]), float(divisor[0]))


def _sums(topics: list[tuple[list[Paths], Floats]]) -> Iterator[list[float]]:
    """As `_by_paths`, topic by topic, if all orders have the same divisor: groups with the same
    paths at once.
    """
    same: dict[int, list[tuple[int, Paths, Floats]]] = {}
    for i, (walks, value) in enumerate(topics):
        for walk, at in zip(walks, _by_group(walks), strict=True):
            same.setdefault(id(walk), []).append((i, walk, value[at]))
    more: list[list[list[float]]] = [[] for _ in topics]
    for some in same.values():
        found = np.array(
            bounds_of(some[0][1], np.column_stack([value for _, _, value in some]))
        ).T.tolist()
        for (i, _, _), three in zip(some, found, strict=True):
            more[i].append(three)
    for (_, value), groups in zip(topics, more, strict=True):
        base = float(value[0])
        yield [base + math.fsum(end - base for end in ends) for ends in zip(*groups, strict=True)]


def _estimated(
    tied: Tied,
    topics: list[int],
    tasks: dict[Any, Task],
    values: dict[Any, Floats],
    out: dict[Any, Bounds],
) -> None:
    """Bounds of topics with too many orders, from random orders and those by falling and by rising
    grade.
    """
    by_grade = tied.run.memo(
        _estimated, lambda: [tied.arranged(tied.run.grade), tied.arranged(-tied.run.grade)]
    )
    ends = {measure: [task(run) for run in by_grade] for measure, task in tasks.items()}
    left = {topic: set(tasks) for topic in topics}
    seen: dict[tuple[Any, int], list[Floats]] = {}
    for turn in range(TURNS):
        orders = ((topic, tied.drawn(topic, DRAWS, turn), None) for topic in left)
        for topic, _, found in _computed(tied, tasks, orders):
            for measure in left[topic].copy():
                drawn = seen[measure, topic] = [*seen.get((measure, topic), ()), found[measure]]
                one_by_one = np.concatenate(drawn)
                pairs = (one_by_one[::2] + one_by_one[1::2]) / 2
                error = float(np.std(pairs, ddof=1)) / math.sqrt(pairs.size)
                extremes = np.array([of[topic] for of in ends[measure]])
                every = np.append(one_by_one, extremes)
                low, high = float(every.min()), float(every.max())
                # An order and its reverse may have the same mean, whichever the order (values
                # linear in the ranks); those by grade then have it, too. If not, orders with other
                # values are rare, and were not drawn.
                near = 1e-12 * np.abs(every).max()
                linear = np.ptp(one_by_one) > 0 and abs(extremes.mean() - pairs[0]) <= near
                if np.ptp(pairs) <= near and not linear:
                    error = (high - low) / one_by_one.size
                if error <= ENOUGH or turn == TURNS - 1:
                    three = low, float(pairs.mean()), high
                    _put(out[measure], topic, three, float(values[measure][topic]), error)
                    left[topic].remove(measure)
        left = {topic: those for topic, those in left.items() if those}
