"""Extremes of measures that know relevant documents and others, over what the holes of a topic could be.

Notation: n_seen holes stand within the cutoff, the others do not count but as members of the pool (below the cutoff,
or of another run); a of the former and b of the latter are relevant, R0 documents of the pool already are.

*For given a and b the best choice are the a highest holes, the worst the a lowest*, for every measure here. Let r_t be
the rank of the t-th relevant document that is seen. Of all choices of a holes, the highest ones make every r_t as small
as it can be, the lowest ones as large: the number of relevant documents in the top j, for each j, is largest, or
smallest. And with R = R0 + a + b given, these measures do not rise as an r_t grows:

    AP      1/R sum t / r_t                      Rprec   #{t : r_t <= R} / R
    bpref   1/R sum (1 - min(r_t - t, cap)/den)  RR 1 / r_1, RecallEffort e / r_e, P, Success, ...

(In bpref, non-relevant above is r_t - t, since everything retrieved is judged once the holes are filled.) What is left
is to try all a, and all b where the measure is not plainly better off with b = 0 and worse off with all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.holes.filled import Topic
from irpref.arrays.segments import Bools, Floats, Ints


class Found(NamedTuple):
    """What an algorithm found for a topic.

    Attributes
    ----------
    ways : list of float arrays (n_holes,)
        Grades of the holes; the extremes are among them where they are exact.
    low, high : float, optional
        Bounds that enclose all values. None: the lowest, or highest, value of the `ways` is the extreme.
    """

    ways: list[Floats]
    low: float | None = None
    high: float | None = None


class Two(NamedTuple):
    """A topic seen through a threshold."""

    topic: Topic
    yes: float  # grade of a hole that is relevant
    no: float
    limit: int  # ranks seen
    hole: Ints  # ranks of the holes seen
    below: int  # holes not seen
    good: Ints  # ranks of the relevant judged documents seen
    r: int  # relevant documents of the pool

    def way(self, chosen: Bools | slice, b: int) -> Floats:
        """Grades if these of the holes seen are relevant, and b of the others."""
        grades = np.full(self.topic.rank.size, self.no)
        grades[: self.hole.size][chosen] = self.yes
        grades[self.hole.size : self.hole.size + b] = self.yes
        return grades

    def top(self, a: int, b: int = 0) -> Floats:
        """Grades if the a highest holes are relevant, and b of those not seen."""
        return self.way(slice(0, a), b)

    def bottom(self, a: int, b: int = 0) -> Floats:
        """Grades if the a lowest holes seen are relevant, and b of those not seen."""
        return self.way(slice(self.hole.size - a, None), b)


def two(topic: Topic, grid: Floats, relevant: Callable[[Floats], Bools], cutoff: int | None) -> Two | None:
    """The topic seen through a threshold; None where all the grades are on one side of it.

    `relevant` says which grades are relevant; `grid` ascends.
    """
    flags = relevant(grid)
    if flags.all() or not flags.any():
        return None
    seen = topic.seen(cutoff)
    limit = topic.limit(cutoff)
    good = topic.hit_rank[relevant(topic.hit_grade) & (topic.hit_rank <= limit)]
    r = int(np.count_nonzero(relevant(topic.pool_grade)))
    return Two(
        topic,
        float(grid[flags][-1]),
        float(grid[~flags][0]),
        limit,
        topic.rank[:seen],
        topic.rank.size - seen,
        good,
        r,
    )


def at_least(rel: float) -> Callable[[Floats], Bools]:
    """Relevant from this grade on."""
    return lambda grade: grade >= rel


def _one_side(topic: Topic, grid: Floats) -> Found:
    return Found([np.full(topic.rank.size, grid[0])])


def corners(topic: Topic, grid: Floats, *, rel: float | None = 1, cutoff: int | None = None, **_: Any) -> Found:
    """Measures that all holes seen, or none of them, and all others, or none, take to their extremes.

    Those that a relevant document seen never lowers and one that is not seen never raises, or the other way round:
    P, R, RR, Success, SetP, SetR, SetF, SetAP, NumRel, E, F; relative recall; recall effort where a number is
    expected; novelty (holes are unknown to the user); and those that do not change: Judged, NumRet, coverage.
    R = (found + a) / (R0 + a + b) rises with a, since found <= R0, and falls with b; so do F and the others, which
    are made of it and of precision.
    """
    of = two(topic, grid, at_least(1 if rel is None else rel), cutoff)
    if of is None:
        return _one_side(topic, grid)
    u = of.hole.size
    return Found([of.top(0), of.top(u, of.below), of.top(u), of.top(0, of.below)])


def cumulated(good: Ints, hole: Ints, own: Floats, pair: Floats) -> tuple[Floats, Floats]:
    """sum over relevant ranks r of own[r] + pair[r] * (relevant documents above r), as holes become relevant.

    Parameters
    ----------
    good : int array (n_good,), ranks of the relevant documents
    hole : int array (u,), ranks of the holes
    own, pair : float arrays (limit + 1,), by rank

    Returns
    -------
    top, bottom : float arrays (u + 1,)
        With the m highest, and the m lowest, holes relevant. Each hole that joins brings its own summand, and adds to
        those of the relevant documents below it.
    """
    weight = pair[good]
    below = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    start = float(np.sum(own[good] + weight * np.arange(good.size)))
    above = np.searchsorted(good, hole)
    gain = own[hole] + above * pair[hole] + below[above]
    ordinal = np.arange(hole.size)
    top = np.append(0.0, np.cumsum(gain + ordinal * pair[hole]))
    lower = np.append(0.0, np.cumsum(pair[hole][::-1]))[:-1]
    bottom = np.append(0.0, np.cumsum(gain[::-1] + lower))
    return start + top, start + bottom


def _over(numerator: Floats, denominator: Any) -> Floats:
    denominator = np.asarray(denominator, dtype=np.float64)
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0)


def reciprocals(limit: int) -> Floats:
    """1 / rank by rank, 0 for rank 0."""
    out = np.zeros(limit + 1)
    out[1:] = 1.0 / np.arange(1, limit + 1)
    return out


def average_precision(topic: Topic, grid: Floats, *, rel: float, cutoff: int | None, **_: Any) -> Found:
    """AP: 1/R sum t / r_t. Relevant documents that are not seen lower it: b = 0 is best, all worst."""
    of = two(topic, grid, at_least(rel), cutoff)
    return _one_side(topic, grid) if of is None else precision_sum(of)


def precision_sum(of: Two, most: int | None = None) -> Found:
    """1/R sum t / r_t, or divided by min(`most`, R)."""
    a = np.arange(of.hole.size + 1)
    by_rank = reciprocals(of.limit)
    top, bottom = cumulated(of.good, of.hole, by_rank, by_rank)
    size = of.r + a if most is None else np.minimum(of.r + a, most)
    full = of.r + a + of.below if most is None else np.minimum(of.r + a + of.below, most)
    best, worst = int(np.argmax(_over(top, size))), int(np.argmin(_over(bottom, full)))
    return Found([of.top(best), of.bottom(worst, of.below)])


def _grid_of(of: Two) -> tuple[Ints, Ints]:
    """All a, (n_seen + 1, 1), and all b, (1, below + 1)."""
    return np.arange(of.hole.size + 1)[:, None], np.arange(of.below + 1)[None, :]


def _extremes(of: Two, top: Floats, bottom: Floats) -> Found:
    """The extremes of values by a and b."""
    best = np.unravel_index(int(np.argmax(top)), top.shape)
    worst = np.unravel_index(int(np.argmin(bottom)), bottom.shape)
    return Found([of.top(int(best[0]), int(best[1])), of.bottom(int(worst[0]), int(worst[1]))])


def r_precision(topic: Topic, grid: Floats, *, rel: float, **_: Any) -> Found:
    """Rprec: relevant documents in the top R, over R."""
    of = two(topic, grid, at_least(rel), None)
    if of is None:
        return _one_side(topic, grid)
    a, b = _grid_of(of)
    size = of.r + a + b
    judged = np.searchsorted(of.good, size, side="right")
    holes = np.searchsorted(of.hole, size, side="right")
    top = _over(judged + np.minimum(a, holes) * 1.0, size)
    bottom = _over(judged + np.maximum(a - (of.hole.size - holes), 0) * 1.0, size)
    return _extremes(of, top, bottom)


def recall_effort(
    topic: Topic, grid: Floats, *, rel: float, cutoff: int | None, expected: float | str | None, **_: Any
) -> Found:
    """Recall effort: e / r_e. With e = R, that is R over the rank of the last relevant document, if all are seen."""
    if expected is not None:
        return corners(topic, grid, rel=rel, cutoff=cutoff)
    of = two(topic, grid, at_least(rel), cutoff)
    if of is None or of.good.size < of.r:
        return _one_side(topic, grid)  # all are on one side, or one is never reached
    a = np.arange(of.hole.size + 1)
    last = int(of.good[-1]) if of.good.size else 0
    top = _over(of.r + a * 1.0, np.maximum(np.append(0, of.hole), last))
    ends = np.where(a > 0, of.hole[-1] if of.hole.size else 0, 0)
    bottom = _over(of.r + a * 1.0, np.maximum(ends, last))
    best, worst = int(np.argmax(top)), int(np.argmin(bottom))
    return Found([of.top(best), of.bottom(worst), of.bottom(0, of.below)])


class _Sums(NamedTuple):
    """Ascending whole numbers x, and their running sums."""

    x: Ints
    upto: Ints

    @classmethod
    def of(cls, x: Ints) -> _Sums:
        return cls(x, np.append(0, np.cumsum(x)))

    def capped(self, first: Ints, stop: Ints, shift: Ints, cap: Ints) -> Ints:
        """Sum of min(x - shift, cap) over x[first:stop]: shapes that broadcast."""
        turn = np.clip(np.searchsorted(self.x, shift + cap), first, stop)
        return self.upto[turn] - self.upto[first] - shift * (turn - first) + cap * (stop - turn)


def bpref(topic: Topic, grid: Floats, *, rel: float, norm: str = "min", cutoff: int | None = None, **_: Any) -> Found:
    """bpref, all denominators: 1/R sum (1 - min(r_t - t, cap) / den).

    With the a highest holes relevant, the number of non-relevant documents above is: J, the judged ones, for these
    holes and for judged documents among them; J + H - a, where H counts the holes above, for those further down.
    With the a lowest ones: J + H for documents above them, J + n_seen - a for these holes and what is further down.
    All these sequences ascend, so each sum of min(x - shift, cap) is had from running sums and one search.
    """
    of = two(topic, grid, at_least(rel), cutoff)
    if of is None:
        return _one_side(topic, grid)
    u = of.hole.size
    bad = topic.hit_rank[(topic.hit_grade < rel) & (topic.hit_rank <= of.limit)]
    n_judged = int(np.count_nonzero(topic.pool_grade >= 0)) + topic.rank.size
    holes_above = np.searchsorted(of.hole, of.good)
    judged, holes = _Sums.of(np.searchsorted(bad, of.good)), _Sums.of(np.searchsorted(bad, of.hole))
    both = _Sums.of(judged.x + holes_above)

    a, b = _grid_of(of)
    r = of.r + a + b
    n = n_judged - r
    cap = {"N": n, "10": r + 10, "10min": r + 10}.get(norm, r)
    retrieved = bad.size + u - a + 0 * b
    den = {
        "min": np.minimum(r, n),
        "10min": np.minimum(r + 10, n),
        "old": np.minimum(r, retrieved),
    }.get(norm, cap)
    zero = np.zeros_like(r)
    a = a + zero
    found = of.good.size + a

    among = np.searchsorted(holes_above, a)  # relevant judged documents above the last of the a highest holes
    end = zero + of.good.size
    lost = holes.capped(zero, a, zero, cap) + judged.capped(zero, among, zero, cap) + both.capped(among, end, a, cap)
    top = _over(found - lost / np.maximum(den, 1), r)

    left = u - a  # holes that are not relevant
    among = np.searchsorted(holes_above, left, side="right")
    lost = (
        both.capped(zero, among, zero, cap)
        + judged.capped(among, end, -left, cap)
        + holes.capped(left, zero + u, -left, cap)
    )
    bottom = _over(found - lost / np.maximum(den, 1), r)
    return _extremes(of, top, bottom)


def host_bpref(topic: Topic, grid: Floats, *, rel: float, **_: Any) -> Found:
    """The host's Bpref."""
    return bpref(topic, grid, rel=rel)
