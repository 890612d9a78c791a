"""Find the lowest and highest value over all grades that the holes of a topic could have.

There are three methods, tried in this order. The needs of the first are declared by the measure
(`irpref.kernel.uncertain.Holes`).

*Corners.* The extremes of a monotone measure are among four ways: all holes down to the cutoff have
the lowest or all have the highest grade, and likewise all other holes. For the difference of two
runs see `corners` and `one_relevant`.

*All.* If there are at most `EXHAUSTIVE` ways to grade the holes, all are tried.

*Search*, otherwise. The best ways of many measures are steps: with a given number of holes of each
grade, the higher the rank the higher the grade; for the lowest value the other way round. The
search starts from steps of many widths and moves their ends by fewer and fewer documents; then
single documents get other grades, as long as that helps. The values it returns are attained; the
extremes may lie further out."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from irpref.kernel import Bools, Floats, Ints

EXHAUSTIVE = 1_024
_LEVELS = 5  # number of grades that steps use
_SINGLE = 16  # documents whose grade is changed alone, and how often
_ROUNDS = 3

Ways = list[Floats]  # grades of the holes of a topic, each (n_holes,)
# Ways to fill some topics to the values of each way.
Values = Callable[[dict[int, Ways]], list[Floats]]
Ends = dict[int, tuple[float, float]]  # lowest and highest value by topic


class Places(NamedTuple):
    """The holes of a topic in the order in which they are graded.

    Attributes
    ----------
    seen : bool array (n_holes,)
        Holes that can add to the value; the others can only change the pool.
    place : int array (2, n_holes)
        Position among the holes of the same kind: from the one that adds most, and from the one
        that adds least.
    """

    seen: Bools
    place: Ints

    @classmethod
    def by_effect(cls, effect: Floats, seen: Bools) -> Places:
        """Place holes that add more, the larger their `effect`, (n_holes,)."""
        place = np.empty((2, effect.size), np.int64)
        for kind in (seen, ~seen):
            rows = np.flatnonzero(kind)
            rows = rows[np.argsort(-effect[rows], kind="stable")]
            place[0, rows] = np.arange(rows.size)
            place[1, rows] = rows.size - 1 - np.arange(rows.size)
        return cls(seen, place)

    @property
    def sizes(self) -> Ints:
        """Numbers of holes that are not seen and that are."""
        return np.bincount(self.seen, minlength=2)

    def ways(self, backwards: Ints, ends: Ints, steps: Floats) -> Floats:
        """Grade holes by steps, (n_ways, n_holes), from directions (n_ways,) and ends (n_ways,
        n_steps, 2).

        The first ends[w, i, kind] holes of a kind have at least the grade steps[i + 1].
        """
        below = self.place[backwards][:, None] < ends[:, :, self.seen.astype(np.int64)]
        return steps[below.sum(axis=1)]


def corners(seen: Bools, grid: Floats) -> Ways:
    """List the ways in which all holes of a kind have the lowest grade, or all have the highest.

    For one run the kinds are seen and not seen. For two runs, `seen` (2, n_holes), they are seen by
    the first run only, by the second only, and by both or neither. With i, j and m relevant holes
    of these kinds, the difference in recall is (f + i - j) / (R0 + i + j + m): in each of i, j and
    m a ratio of linear functions, hence monotone."""
    kind = seen[0] * 1
    if len(seen) == 2:
        kind = np.where(seen[0] == seen[1], 2, np.where(seen[0], 0, 1))
    there = np.bincount(kind, minlength=len(seen) + 1) > 0
    ends = [(grid[0], grid[-1]) if some else (grid[0],) for some in there.tolist()]
    return [np.array(way)[kind] for way in product(*ends)]


def every_way(n_holes: int, grid: Floats) -> Ways | None:
    """List all ways to grade the holes; None if there are too many."""
    if n_holes * np.log(grid.size) > np.log(EXHAUSTIVE) + 1e-9:
        return None
    return [np.array(way) for way in product(grid.tolist(), repeat=n_holes)]


def attained(values: Values, ways: dict[int, Ways]) -> Ends:
    """Find the lowest and the highest value of these ways, by topic."""
    return {
        t: (float(outcomes.min()), float(outcomes.max()))
        for t, outcomes in zip(ways, values(ways), strict=True)
    }


class _State(NamedTuple):
    """The best way so far in one direction."""

    value: float
    backwards: Ints  # (1,)
    ends: Ints  # (n_steps, 2)
    way: Floats


def search(values: Values, topics: dict[int, Places], grid: Floats) -> Ends:
    """Search for low and high values that some grades attain, by topic: all topics are evaluated
    together.

    Parameters
    ----------
    values : callable
        Takes topics and ways to fill each; returns the values of each way.
    topics : dict of topic to Places
    grid : float array
        Grades that a hole can have, ascending.
    """
    steps = grid
    if grid.size > _LEVELS:
        steps = grid[np.linspace(0, grid.size - 1, _LEVELS).round().astype(int)]
    begun = {t: _starts(*places.sizes.tolist(), steps.size - 1) for t, places in topics.items()}
    ways = {
        t: [
            *places.ways(*begun[t], steps),
            *_strewn(places.seen.size, steps),
            *_peaks(places, steps),
        ]
        for t, places in topics.items()
    }
    first = dict(zip(topics, values(ways), strict=True))
    extremes: list[dict[int, float]] = []
    for sign in (-1.0, 1.0):
        best: dict[int, _State] = {}
        for t, attained_values in first.items():
            backwards, ends = begun[t]
            at = int(np.argmax(sign * attained_values[: backwards.size]))
            best[t] = _State(
                sign * float(attained_values[at]), backwards[at : at + 1], ends[at], ways[t][at]
            )
        _move_ends(values, topics, steps, sign, best)
        for t, attained_values in first.items():
            at = int(np.argmax(sign * attained_values))
            if sign * attained_values[at] > best[t].value:
                best[t] = best[t]._replace(value=sign * float(attained_values[at]), way=ways[t][at])
        _change_one(values, topics, steps, sign, best)
        extremes.append({t: sign * state.value for t, state in best.items()})
    return {t: (extremes[0][t], extremes[1][t]) for t in topics}


def _strewn(n_holes: int, steps: Floats) -> Floats:
    """Draw random ways, (n_ways, n_holes): some holes have the highest grade, more and more in
    turn.
    """
    draw = np.random.default_rng(n_holes).random((3, n_holes))
    share = np.array([0.02, 0.05, 0.1, 0.25, 0.5])[:, None, None]
    return np.where(draw < share, steps[-1], steps[0]).reshape(-1, n_holes)


def _peaks(places: Places, steps: Floats) -> Ways:
    """List ways in which one seen hole has the highest grade, and all holes above it a lower one,
    as PMeasure looks for.
    """
    ways = []
    for peak in sorted({0, 1, 2, 3, 5, 8, *_spread(int(places.sizes[1]))}):
        for grade in steps[:-1]:
            way = np.where(places.seen & (places.place[0] < peak), grade, steps[0])
            ways.append(np.where(places.seen & (places.place[0] == peak), steps[-1], way))
    return ways


def _spread(n: int) -> range:
    """Spread about eight numbers from 0 to n - 1."""
    return range(0, n, max(n // 8, 1))


@lru_cache(maxsize=4096)
def _starts(unseen: int, seen: int, top: int) -> tuple[Ints, Ints]:
    """List steps to start from, between any two of the grades 0 to `top`: directions (n,), and ends
    (n, top, 2).
    """
    level = np.arange(top)
    few = {0, 1, 3, seen // 4, seen // 2, seen}
    many = few | {2, 5, 8, seen - 1, *_spread(seen)}
    directions, ends = [], []
    for low, high in combinations(range(top + 1), 2):
        wide = high - low == top
        widths = sorted(width for width in (many if wide else few) if 0 <= width <= seen)
        rests = {0, top} if unseen and wide else {0}
        for rest, width, backwards in product(rests, widths, (0, 1)):
            if backwards and width in (0, seen):
                continue
            of_seen = np.where(level < low, seen, np.where(level < high, width, 0))
            directions.append(backwards)
            ends.append([np.where(level < rest, unseen, 0), of_seen])
    return np.array(directions), np.swapaxes(ends, 1, 2)


def _best_of(values: Values, tried: dict[int, Ways], sign: float) -> dict[int, tuple[int, float]]:
    """Find the way with the highest value, or the lowest (`sign` -1), by topic, and `sign` times
    it.
    """
    outcomes = values(tried)
    return {
        t: (int(np.argmax(sign * of_ways)), float((sign * of_ways).max()))
        for t, of_ways in zip(tried, outcomes, strict=True)
    }


def _move_ends(
    values: Values, topics: dict[int, Places], steps: Floats, sign: float, best: dict[int, _State]
) -> None:
    """Move one end of the steps of seen holes, or all ends: at first by a quarter, then by
    fewer and fewer.

    Then again from a sixteenth. No ends are evaluated twice.
    """
    known = {t: {state.ends[:, 1].tobytes()} for t, state in best.items()}
    rows = np.concatenate([np.ones((1, steps.size - 1), int), np.eye(steps.size - 1, dtype=int)])
    for part in (4, 16):
        stride = {t: max(int(places.sizes[1]) // part, 1) for t, places in topics.items()}
        while stride:
            tried: dict[int, Ints] = {}
            for t, by in stride.items():
                ends = best[t].ends
                changes = (-by, by) if by > 1 else (-5, -3, -2, -1, 1, 2, 3, 5)
                moved = ends[:, 1] + np.multiply.outer(rows, changes).swapaxes(1, 2)
                moved = moved.clip(0, topics[t].sizes[1]).reshape(-1, rows.shape[1])
                new = {key: one for one in moved if (key := one.tobytes()) not in known[t]}
                if new:
                    known[t].update(new)
                    tried[t] = np.repeat(ends[None], len(new), axis=0)
                    tried[t][:, :, 1] = list(new.values())
            ways = {t: list(topics[t].ways(best[t].backwards, e, steps)) for t, e in tried.items()}
            improved = _best_of(values, ways, sign)
            for t in list(stride):
                at, value = improved.get(t, (0, -np.inf))
                if value > best[t].value:
                    best[t] = best[t]._replace(value=value, ends=tried[t][at], way=ways[t][at])
                elif stride[t] == 1:
                    del stride[t]
                else:
                    stride[t] //= 2


def _change_one(
    values: Values, topics: dict[int, Places], steps: Floats, sign: float, best: dict[int, _State]
) -> None:
    """Give single documents another grade."""
    left = dict(topics)
    for _ in range(_ROUNDS):
        ways: dict[int, Ways] = {}
        for t, places in left.items():
            rows = np.flatnonzero(places.seen)
            rows = rows[np.argsort(places.place[0, rows])]
            some = np.linspace(0, rows.size - 1, _SINGLE // 2 if rows.size else 0).astype(int)
            chosen = np.append(rows[: _SINGLE // 2], rows[some])
            for row, grade in product(np.unique(chosen).tolist(), steps.tolist()):
                if best[t].way[row] != grade:
                    other = best[t].way.copy()
                    other[row] = grade
                    ways.setdefault(t, []).append(other)
        left = {}
        for t, (at, value) in _best_of(values, ways, sign).items():
            if value > best[t].value:
                best[t] = best[t]._replace(value=value, way=ways[t][at])
                left[t] = topics[t]


def one_relevant(rank_a: Floats, rank_b: Floats, grid: Floats) -> Ways:
    """List ways that include the extremes of a difference in RR or Success: at most one hole is
    relevant.

    Of several relevant holes only the first run's first raises the difference; any other can only
    lower it. No other hole is ranked above the best one by the first run and below it by the
    second. Ranks are (n_holes,), infinite if the hole is not seen."""
    ways = [np.full(rank_a.size, grid[0])]
    for better, worse in ((rank_a, rank_b), (rank_b, rank_a)):
        lowest = 0.0
        seen = np.flatnonzero(np.isfinite(better))
        for hole in seen[np.lexsort((-worse[seen], better[seen]))].tolist():
            if worse[hole] > lowest:
                lowest = worse[hole]
                ways.append(ways[0].copy())
                ways[-1][hole] = grid[-1]
    return ways
