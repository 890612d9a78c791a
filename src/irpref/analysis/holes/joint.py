"""Extremes of the difference of two runs over shared grades of holes, where they are known.

The holes are those of both runs. c(x) is what a relevant hole x adds to the sum of the first run, less what it adds to
that of the second; each document has one grade.

    P, NumRet, SetP, gP   sums over the documents seen, divided by what no grade changes: holes with c > 0 take the
                          highest grade and the others the lowest, or the other way round
    R, SetR               (f + i - j) / (R0 + i + j + m), where i holes are seen by the first run alone, j by the second
                          alone, and m by both or by neither. In each of i, j and m this is a ratio of two linear
                          functions, hence monotone, so that all or none of each kind are the extremes
    RR, Success           one relevant hole is enough: of those that are, only the first of the first run raises the
                          difference, and any other can but lower it. So at most one is relevant, and the best one is
                          found by looking at each
    nDCG, OriginalNDCG,   layers of grades, as in `layers`: in each layer, of m holes those with the largest c are the
    gR                    best choice, and since the ideal list (the gains in the pool) depends on their numbers alone,
                          Dinkelbach's iterations find the best numbers. The smallest difference is the largest of the
                          runs in the other order

For the others (AP, Q, bpref, rpref) what a hole adds depends on which other holes are relevant, and that in both runs
at once; for them there are bounds, see `pairs`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.holes.filled import Topic
from irpref.analysis.holes.layers import Values, chain, ideal_layers, mapped, ndcg_gain, original_gain
from irpref.arrays.segments import Bools, Floats, Ints
from irpref.measures import everyday, generalised, original_ndcg
from irpref.measures.original_ndcg import discount


class Seen(NamedTuple):
    """One of the runs.

    Attributes
    ----------
    topic : Topic
    rank : int array (n_holes,)
        Ranks of the holes of both runs; beyond `topic.n` where this run does not retrieve them.
    hit_rank, hit_grade : arrays (n_hits,)
        Of the judged documents retrieved; ties stand in the order that the measure reads, as in `rank`.
    """

    topic: Topic
    rank: Ints
    hit_rank: Ints
    hit_grade: Floats

    def seen(self, cutoff: int | None) -> Bools:
        """Which holes are seen: (n_holes,)."""
        return self.rank <= self.topic.limit(cutoff)

    def hits(self, cutoff: int | None) -> Bools:
        """Which judged documents are seen: (n_hits,)."""
        return self.hit_rank <= self.topic.limit(cutoff)


def _additive(a: Seen, b: Seen, grid: Floats, over: Callable[[Topic, int | None], float], cutoff: int | None) -> Any:
    c = a.seen(cutoff) / over(a.topic, cutoff) - b.seen(cutoff) / over(b.topic, cutoff)
    return [np.where(c > 0, grid[-1], grid[0]), np.where(c < 0, grid[-1], grid[0])]


def _by_cutoff(a: Seen, b: Seen, grid: Floats, *, cutoff: int | None = None, **_: Any) -> list[Floats]:
    return _additive(a, b, grid, lambda topic, cutoff: 1.0, cutoff)


def _by_length(a: Seen, b: Seen, grid: Floats, *, cutoff: int | None = None, **_: Any) -> list[Floats]:
    return _additive(a, b, grid, lambda topic, cutoff: float(max(topic.n, 1) if cutoff is None else cutoff), cutoff)


def _set_precision(a: Seen, b: Seen, grid: Floats, *, relative: bool, **_: Any) -> list[Floats] | None:
    return None if relative else _by_length(a, b, grid)


def _recall(a: Seen, b: Seen, grid: Floats, *, rel: float, cutoff: int | None = None, **_: Any) -> list[Floats]:
    seen_a, seen_b = a.seen(cutoff), b.seen(cutoff)
    one, two = seen_a & ~seen_b, seen_b & ~seen_a
    corners = []
    for corner in range(8):
        relevant = np.where(one, corner & 1, np.where(two, corner & 2, corner & 4)) > 0
        corners.append(np.where(relevant, grid[-1], grid[0]))
    return corners


def _first(a: Seen, b: Seen, grid: Floats, *, rel: float, cutoff: int | None, worth: Any) -> list[Floats]:
    low, high = grid[0], grid[-1]
    nothing = np.full(a.rank.size, low)
    if low >= rel or high < rel:
        return [nothing]

    def values(of: Seen) -> Floats:
        """With each hole as the only relevant one."""
        inside = of.hits(cutoff) & (of.hit_grade >= rel)
        first = float(of.hit_rank[inside].min()) if inside.any() else np.inf
        found: Floats = worth(np.minimum(np.where(of.seen(cutoff), of.rank, np.inf), first)).astype(np.float64)
        return found

    difference = values(a) - values(b)
    ways = [nothing]
    for place in {int(np.argmax(difference)), int(np.argmin(difference))} if difference.size else ():
        ways.append(nothing.copy())
        ways[-1][place] = high
    return ways


def _reciprocal_rank(a: Seen, b: Seen, grid: Floats, *, rel: float, cutoff: int | None, **_: Any) -> list[Floats]:
    return _first(a, b, grid, rel=rel, cutoff=cutoff, worth=lambda rank: 1 / rank)


def _success(a: Seen, b: Seen, grid: Floats, *, rel: float, cutoff: int | None, **_: Any) -> list[Floats]:
    return _first(a, b, grid, rel=rel, cutoff=cutoff, worth=np.isfinite)


# Ratios -----------------------------------------------------------------------------------------------------------


def _largest_ratio(start: float, upper: Floats, fixed: float, lower: Floats) -> Ints:
    """Counts with the largest (start + sum upper[l, m_l]) / (fixed + sum lower[l, m_l]); 0/0 is 0.

    Parameters
    ----------
    upper, lower : float arrays (n_layers, n_holes + 1)
        `lower` not below 0; where all of it is 0, so is the sum above.
    """
    places = np.arange(upper.shape[0])

    def value(m: Ints) -> float:
        below = fixed + float(lower[places, m].sum())
        return (start + float(upper[places, m].sum())) / below if below > 0 else 0.0

    counts: Ints = np.zeros(upper.shape[0], np.int64)
    best = value(counts)
    while True:
        other = chain(upper - best * lower)
        found = value(other)
        if not found > best:
            return counts
        counts, best = other, found


def _ratio_ways(
    a: Seen,
    b: Seen,
    grid: Floats,
    gain: Callable[[Floats], Floats],
    weight: Callable[[Ints], Floats],
    ideal: Callable[[Values], tuple[float, Floats]],
    cutoff: int | None,
) -> list[Floats]:
    """`weight` of ranks; `ideal`: what is divided by without the holes, and what m of them add, by layer."""
    values = Values.of(grid, gain)

    def added(of: Seen) -> tuple[Floats, float]:
        """What each hole adds with a gain of 1, and what the judged documents have."""
        seen, hits = of.seen(cutoff), of.hits(cutoff)
        own = np.zeros(of.rank.size)
        own[seen] = weight(of.rank[seen])
        return own, float((gain(of.hit_grade[hits]) * weight(of.hit_rank[hits])).sum())

    (own_a, start_a), (own_b, start_b) = added(a), added(b)
    fixed, lower = ideal(values)
    height = np.diff(values.value)[:, None]
    ways: list[Floats] = []
    for c, start in ((own_a - own_b, start_a - start_b), (own_b - own_a, start_b - start_a)):
        order = np.argsort(-c, kind="stable")
        upper = height * np.append(0.0, np.cumsum(c[order]))
        start += float(values.value[0]) * float(c.sum())
        counts = _largest_ratio(start, upper, fixed, lower)
        way = np.empty(c.size)
        way[order] = values.way(c.size, counts, slice(None))
        ways.append(way)
    return ways


def _ndcg(a: Seen, b: Seen, grid: Floats, *, dcg: str, gains: Any, cutoff: int | None, **_: Any) -> list[Floats]:
    def weight(rank: Ints) -> Floats:
        return 1 / np.log2(rank + 1)

    gain = ndcg_gain(dcg, gains)
    return _ratio_ways(
        a, b, grid, gain, weight, partial(ideal_layers, a.topic, gain=gain, weight=weight, cutoff=cutoff), cutoff
    )


def _original(a: Seen, b: Seen, grid: Floats, *, base: float, gains: Any, cutoff: int | None, **_: Any) -> list[Floats]:
    def weight(rank: Ints) -> Floats:
        return 1 / discount(rank, base)

    gain = original_gain(gains)
    return _ratio_ways(
        a, b, grid, gain, weight, partial(ideal_layers, a.topic, gain=gain, weight=weight, cutoff=cutoff), cutoff
    )


def _g_recall(a: Seen, b: Seen, grid: Floats, *, gains: Any, cutoff: int | None, **_: Any) -> list[Floats]:
    def gain(grade: Floats) -> Floats:
        return np.where(grade >= 0, mapped(grade, gains), 0.0)

    def whole(values: Values) -> tuple[float, Floats]:
        least = float(values.value[0]) * a.rank.size
        return float(gain(a.topic.pool_grade).sum()) + least, np.diff(values.value)[:, None] * np.arange(
            a.rank.size + 1
        )

    return _ratio_ways(a, b, grid, gain, lambda rank: np.ones(rank.size), whole, cutoff)


ALGORITHMS: dict[Any, Callable[..., list[Floats] | None]] = {
    everyday.precision: _by_cutoff,
    everyday.n_retrieved: _by_cutoff,
    everyday.set_precision: _set_precision,
    everyday.recall: _recall,
    everyday.set_recall: _recall,
    everyday.reciprocal_rank: _reciprocal_rank,
    everyday.success: _success,
    everyday.ndcg: _ndcg,
    original_ndcg.original_ndcg: _original,
    generalised.g_precision: _by_length,
    generalised.g_recall: _g_recall,
}


def joint_ways(task: partial[Floats], a: Seen, b: Seen, grid: Floats) -> list[Floats] | None:
    """Grades of the holes, each (n_holes,), among which are the lowest and the highest difference; None: not known."""
    algorithm = ALGORITHMS.get(task.func)
    return algorithm(a, b, grid, **task.keywords) if algorithm else None
