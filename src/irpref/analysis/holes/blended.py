"""Extremes of Q-, O- and P-measure, whose denominators know the ideal list that the holes belong to.

    BR(r) = (beta cg(r) + count(r)) / (beta cgI(r) + r) <= 1

More gain at a rank above r raises BR(r): the numerator grows by at least as much as the denominator, and the ratio is
at most 1. More gain below r, or where it is not seen, lowers BR(r) or leaves it.

*O* is BR at the first relevant document: every hole above it is worth nothing, and what is below it is best worth
nothing, worst worth most. So each rank that can be the first, with each gain, is tried.

*P* is BR at r_p, the first document of the highest grade. Holes above it are of lower grades, best the next lower one
and worst without gain; those below are of no higher grade, best without gain and worst of the same grade, or the top
of the scale where they are not seen. So each hole with each grade, and the best judged document, is tried.

*Q* is the sum of BR over relevant documents, over R. With beta = 0, or with one gain in all, it falls as the rank of
the t-th relevant document grows, for a given number of them: as AP (see `relevance`). Else, say how many holes get each
gain: then the ideal list is given, and with it D(r) = beta cgI(r) + r. A document of gain g at rank p adds
(beta g + 1) W(p), W(p) = sum of 1/D(r) over relevant r >= p, which falls with p; so whichever holes are relevant, the
highest gain belongs to the highest of them for the maximum, and to the lowest for the minimum. Which holes are relevant
is found by dynamic programming over ranks and the number of relevant holes so far, for all numbers of each gain
together. (The highest holes are not always the best: of a document of gain 3 at rank 2 and holes at 1 and 3, one of
them of gain 1, 4/6 + 6/7 > 2/4 + 1.) What is not seen is best worth nothing and worst worth most. Where that takes too
long there are bounds: for each number m of relevant holes, BR at each rank with as many of them above as there can be,
of the highest gain, and the others of the lowest; and the m largest such ratios among the holes.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.holes.filled import Topic
from irpref.analysis.holes.layers import Values
from irpref.analysis.holes.relevance import Found, precision_sum, two
from irpref.arrays.judgments import Gains
from irpref.arrays.segments import Floats, Ints

# Steps of the dynamic programming up to which Q-measure is exact, for each of the two extremes.
_STEPS = 3_000_000


class _Gained(NamedTuple):
    """A topic seen through gains."""

    topic: Topic
    values: Values
    seen: int  # holes
    below: int  # holes not seen
    hit: Ints  # ranks of the relevant judged documents seen
    hit_grade: Floats
    gain: Floats  # of these
    ideal: Floats  # gains of the pool, falling
    upto: Floats  # their running sums, from 0
    beta: float

    @property
    def hole(self) -> Ints:
        return self.topic.rank[: self.seen]

    def best(self, rank: Any, *groups: tuple[float, Any]) -> Floats:
        """Sum of the first `rank` gains of the pool and of groups (gain, number), gains not rising: by shape."""
        rank = np.asarray(rank)
        total: Any = 0.0
        taken: Any = 0
        for gain, number in groups:
            before = np.searchsorted(-self.ideal, -gain)  # gains of the pool above this one
            here = np.clip(rank - before - taken, 0, number)
            total, taken = total + here * gain, taken + here
        return total + self.upto[np.minimum(rank - taken, self.ideal.size)]

    def cumulated(self, rank: Any) -> tuple[Floats, Ints]:
        """Gain and number of the relevant judged documents down to these ranks."""
        at = np.searchsorted(self.hit, rank, side="right")
        return np.append(0.0, np.cumsum(self.gain))[at], at


def _gain(grade: Floats, gains: Gains) -> Floats:
    out = grade.astype(np.float64)
    for of, gain in gains or ():
        out[grade == of] = gain
    return np.where(grade > 0, out, 0.0)


def _gained(topic: Topic, grid: Floats, beta: float, gains: Gains, cutoff: int | None) -> _Gained | None:
    """The topic seen through gains; None where no grade of the grid is without gain, or where there are no holes."""
    values = Values.of(grid, lambda grade: _gain(grade, gains))
    if values.value[0] > 0 or not topic.rank.size:
        return None
    gain = _gain(topic.hit_grade, gains)
    kept = (gain > 0) & (topic.hit_rank <= topic.limit(cutoff))
    ideal = _gain(topic.pool_grade, gains)
    ideal = np.sort(ideal[ideal > 0])[::-1]
    seen = topic.seen(cutoff)
    return _Gained(
        topic,
        values,
        seen,
        topic.rank.size - seen,
        topic.hit_rank[kept],
        topic.hit_grade[kept],
        gain[kept],
        ideal,
        np.append(0.0, np.cumsum(ideal)),
        beta,
    )


class _Best:
    """The lowest and the highest value so far, and how they were reached."""

    def __init__(self) -> None:
        self.low, self.high = np.inf, -np.inf
        self.ways: list[Floats] = [np.zeros(0), np.zeros(0)]

    def lower(self, value: float, way: Any) -> None:
        if value < self.low:
            self.low, self.ways[0] = value, way()

    def higher(self, value: float, way: Any) -> None:
        if value > self.high:
            self.high, self.ways[1] = value, way()


def _one_grade(topic: Topic, grid: Floats) -> Found | None:
    return Found([np.full(topic.rank.size, grid[0])]) if grid.size == 1 or not topic.rank.size else None


def o_measure(topic: Topic, grid: Floats, *, beta: float, gains: Gains, cutoff: int | None, **_: Any) -> Found | None:
    """O-measure."""
    of = _gained(topic, grid, beta, gains, cutoff)
    if of is None:
        return _one_grade(topic, grid)
    best, u = _Best(), topic.rank.size
    none, top = of.values.grade[0], of.values.grade[-1]
    most = float(of.values.value[-1])
    first = int(of.hit[0]) if of.hit.size else None
    above = int(np.searchsorted(of.hole, first)) if first is not None else of.seen

    def way(i: int, grade: float, rest: float) -> Floats:
        out = np.full(u, none)
        out[i:], out[i : i + 1] = rest, grade
        return out

    for i, rank in enumerate(of.hole[:above].tolist()):
        for grade, gain in zip(of.values.grade[1:].tolist(), of.values.value[1:].tolist(), strict=True):
            lone = float((beta * gain + 1) / (beta * of.best(rank, (gain, 1)) + rank))
            full = float((beta * gain + 1) / (beta * of.best(rank, (most, u - i - 1), (gain, 1)) + rank))
            best.higher(lone, lambda i=i, grade=grade: way(i, grade, none))
            best.lower(full, lambda i=i, grade=grade: way(i, grade, top))
    if first is None:
        best.higher(0.0, lambda: np.full(u, none))
        best.lower(0.0, lambda: np.full(u, none))
    else:
        share = beta * float(of.gain[0]) + 1
        best.higher(share / (beta * float(of.best(first)) + first), lambda: np.full(u, none))
        full = share / (beta * float(of.best(first, (most, u - above))) + first)
        best.lower(full, lambda: np.append(np.full(above, none), np.full(u - above, top)))
    return Found(best.ways)


def p_measure(topic: Topic, grid: Floats, *, beta: float, gains: Gains, cutoff: int | None, **_: Any) -> Found | None:
    """P-measure."""
    of = _gained(topic, grid, beta, gains, cutoff)
    if of is None:
        return _one_grade(topic, grid)
    best, u = _Best(), topic.rank.size
    # By grade, not by gain: grades of one gain are told apart.
    worth = _gain(grid, gains)
    none = float(grid[0])
    most = float(worth[-1])
    highest = float(of.hit_grade.max(initial=-np.inf))
    first = int(of.hit[np.argmax(of.hit_grade)]) if of.hit.size else None
    above = int(np.searchsorted(of.hole, first)) if first is not None else of.seen

    def attempt(rank: int, before: int, own: tuple[float, float] | None, grade: float) -> None:
        """r_p at this rank, below `before` holes: a hole of this grade and gain, or the judged document."""
        at = 0 if own is None else 1
        lower, same = grid[grid < grade], grid[grid <= grade]
        gained, number = of.cumulated(rank)
        mine = own[1] if own else 0.0
        after = of.seen - before - at
        groups = [(mine, 1)] if own else []

        next_lower = float(_gain(lower[-1:], gains)[0]) if lower.size else 0.0
        fills = before if next_lower > 0 else 0
        value = (beta * (gained + mine + fills * next_lower) + number + at + fills) / (
            beta * of.best(rank, *groups, (next_lower, fills)) + rank
        )

        def way(first: float, rest: float, unseen: float) -> Floats:
            out = np.full(u, unseen)
            out[: of.seen] = rest
            out[:before] = first
            if own:
                out[before] = own[0]
            return out

        best.higher(float(value), lambda: way(float(lower[-1]) if lower.size else none, none, none))
        if before and lower.size == 0:
            return
        same_gain = float(_gain(same[-1:], gains)[0]) if same.size else 0.0
        value = (beta * (gained + mine) + number + at) / (
            beta * of.best(rank, (most, of.below), *groups, (same_gain, after)) + rank
        )
        best.lower(float(value), lambda: way(none, float(same[-1]) if same.size else none, float(grid[-1])))

    for grade, gain in zip(grid.tolist(), worth.tolist(), strict=True):
        if gain > 0 and grade >= highest:
            reach = above if grade == highest else of.seen
            for i, rank in enumerate(of.hole[:reach].tolist()):
                attempt(rank, i, (grade, gain), grade)
    if first is not None:
        attempt(first, above, None, highest)
    else:
        best.higher(0.0, lambda: np.full(u, none))
        best.lower(0.0, lambda: np.full(u, none))
    return Found(best.ways)


# Q-measure --------------------------------------------------------------------------------------------------


def q_measure(topic: Topic, grid: Floats, *, beta: float, gains: Gains, cutoff: int | None, **_: Any) -> Found | None:
    """Q-measure."""
    of = _gained(topic, grid, beta, gains, cutoff)
    if of is None:
        return _one_grade(topic, grid)
    if beta == 0:
        seen = two(topic, grid, lambda grade: _gain(grade, gains) > 0, cutoff)
        return Found([np.full(topic.rank.size, grid[0])]) if seen is None else precision_sum(seen, cutoff)
    if of.values.value.size == 2 and (of.ideal == of.values.value[1]).all():
        return _binary(of, cutoff)
    n_gains = of.values.value.size - 1
    n_counts = _binomial(of.seen + n_gains, n_gains)
    if n_counts * (of.seen + of.hit.size) * (of.seen + 1) <= _STEPS and n_counts * (of.ideal.size + 1) <= _STEPS:
        return Found([_programmed(of, cutoff, largest) for largest in (False, True)])
    low, low_m = _q_low(of, cutoff)
    high, high_m = _q_high(of, cutoff)
    none, top = of.values.grade[0], of.values.grade[-1]
    u = topic.rank.size
    some = [np.full(u, none), np.full(u, none)]
    some[0][of.seen - low_m :] = top
    some[1][:high_m] = top
    return Found(some, low, high)


def _binary(of: _Gained, cutoff: int | None) -> Found:
    """Q-measure where there is one gain: 1/R sum t (beta gain + 1) / D(r_t), and D rises."""
    gain = float(of.values.value[1])
    u = of.seen

    def value(chosen: Ints, others: int) -> float:
        ranks = np.sort(np.append(of.hit, chosen))
        r = of.ideal.size + chosen.size + others
        below = of.beta * gain * np.minimum(ranks, r) + ranks
        total = float(((of.beta * gain + 1) * np.arange(1, ranks.size + 1) / below).sum())
        return total / max(r if cutoff is None else min(r, cutoff), 1)

    best = int(np.argmax([value(of.hole[:m], 0) for m in range(u + 1)]))
    worst = int(np.argmin([value(of.hole[u - m :], of.below) for m in range(u + 1)]))
    none, top = of.values.grade
    ways = [np.full(of.topic.rank.size, none), np.full(of.topic.rank.size, none)]
    ways[0][:best] = top
    ways[1][u - worst :] = top
    return Found(ways)


def _binomial(n: int, k: int) -> int:
    out = 1
    for i in range(k):
        out = out * (n - i) // (i + 1)
    return out


def _programmed(of: _Gained, cutoff: int | None, largest: bool) -> Floats:
    """Grades of the holes that give the extreme, by dynamic programming."""
    gains = of.values.value[1:]
    most = float(gains[-1]) if gains.size else 0.0
    u, below = of.seen, of.below
    # A row for each way to say how many holes get each gain: gains in the order of the holes that get them.
    rows = [
        sorted(row, reverse=largest)
        for m in range(u + 1)
        for row in combinations_with_replacement(range(gains.size), m)
    ]
    if not gains.size:
        return np.full(of.topic.rank.size, of.values.grade[0])
    width = u + 1
    size = np.array([len(row) for row in rows])
    level = np.full((len(rows), u), -1)
    for i, row in enumerate(rows):
        level[i, : len(row)] = row
    gain = np.where(level >= 0, gains[np.maximum(level, 0)], 0.0)
    so_far = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(gain, axis=1)], axis=1)  # by relevant holes so far
    others = np.zeros(0) if largest else np.full(below, most)
    ranks = np.sort(np.append(of.hit, of.hole))
    deepest = int(ranks[-1]) if ranks.size else 0
    pool = np.concatenate([of.ideal[:deepest], others[:deepest]])
    every = -np.sort(-np.concatenate([np.broadcast_to(pool, (len(rows), pool.size)), gain], axis=1), axis=1)
    ideal = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(every, axis=1)], axis=1)
    is_hole = np.isin(ranks, of.hole)
    gained, number = of.cumulated(ranks)
    count = np.arange(width)[None, :]
    impossible = count > size[:, None]
    sign = 1.0 if largest else -1.0
    value = np.full((len(rows), width), -np.inf)
    value[:, 0] = 0.0
    taken = np.zeros((ranks.size, len(rows), width), bool)
    for step, rank in enumerate(ranks.tolist()):
        below_line = of.beta * ideal[:, min(rank, ideal.shape[1] - 1)] + rank
        ratio = sign * (of.beta * (gained[step] + so_far) + number[step] + count) / below_line[:, None]
        if not is_hole[step]:
            value = value + ratio
            continue
        with_it = np.full_like(value, -np.inf)
        with_it[:, 1:] = value[:, :-1] + ratio[:, 1:]
        with_it[impossible] = -np.inf
        taken[step] = with_it > value
        value = np.maximum(value, with_it)
    r = of.ideal.size + size + (0 if largest else below if most > 0 else 0)
    norm = np.maximum(r if cutoff is None else np.minimum(r, cutoff), 1)
    best = int(np.argmax(value[np.arange(len(rows)), size] / norm))
    out = np.full(of.topic.rank.size, of.values.grade[0])
    if not largest:
        out[u:] = of.values.grade[-1]
    left = int(size[best])
    place = u
    for step in range(ranks.size - 1, -1, -1):
        if not is_hole[step]:
            continue
        place -= 1
        if taken[step, best, left]:
            left -= 1
            out[place] = of.values.grade[1:][level[best, left]]
    return out


def _norm(of: _Gained, cutoff: int | None, m: int) -> int:
    r = of.ideal.size + m
    return max(r if cutoff is None else min(r, cutoff), 1)


def _q_high(of: _Gained, cutoff: int | None) -> tuple[float, int]:
    """No value is higher; and the number of relevant holes that comes nearest."""
    least, most = float(of.values.value[1]), float(of.values.value[-1])
    ranks = np.append(of.hit, of.hole)
    n_hits = of.hit.size
    gained, number = of.cumulated(ranks)
    reach = np.append(np.searchsorted(of.hole, of.hit), np.arange(1, of.seen + 1))
    values = []
    for m in range(of.seen + 1):
        a = np.minimum(reach, m)
        below = of.beta * of.best(ranks, (most, a), (least, m - a)) + ranks
        ratio = np.minimum((of.beta * (gained + a * most) + number + a) / below, 1.0)
        holes = np.sort(ratio[n_hits:])
        values.append((ratio[:n_hits].sum() + holes[of.seen - m :].sum()) / _norm(of, cutoff, m))
    best = int(np.argmax(values))
    return min(float(values[best]) + 1e-12, 1.0), best


def _q_low(of: _Gained, cutoff: int | None) -> tuple[float, int]:
    """No value is lower; and the number of relevant holes that comes nearest."""
    least, most = float(of.values.value[1]), float(of.values.value[-1])
    ranks = np.append(of.hit, of.hole)
    n_hits = of.hit.size
    gained, number = of.cumulated(ranks)
    after = np.append(of.seen - np.searchsorted(of.hole, of.hit), of.seen - np.arange(1, of.seen + 1))
    own = np.append(np.zeros(n_hits, np.int64), np.ones(of.seen, np.int64))
    values = []
    for m in range(of.seen + 1):
        a = np.minimum(np.maximum(m - after, own), m)
        below = of.beta * of.best(ranks, (most, m - a + of.below), (least, a)) + ranks
        ratio = (of.beta * (gained + a * least) + number + a) / below
        holes = np.sort(ratio[n_hits:])
        values.append((ratio[:n_hits].sum() + holes[:m].sum()) / _norm(of, cutoff, m + of.below))
    best = int(np.argmin(values))
    return max(float(values[best]) - 1e-12, 0.0), best
