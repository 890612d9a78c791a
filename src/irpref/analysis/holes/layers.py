"""Extremes of graded measures that can be cut into layers: nDCG, and rpref in all its forms.

Let the grades that a hole can have be worth v_0 < v_1 < ... < v_G, and let m_l be the number of holes worth v_l or
more: m_1 >= m_2 >= ... >= m_G. A value x is the sum of the layers (v_(l-1), v_l] that lie below it, so what is linear
in values, or sums over pairs the amount by which one value exceeds another, is a sum over layers of what it would be
if only "at least v_l" mattered. In each layer, for given m_l, the m_l highest holes are the best choice and the m_l
lowest the worst (`relevance` says why); the same order serves all layers, so these choices fit together. Grades of
the pool that lie between two of the v's cut their layer into thinner ones, with the same m_l.

*Ratios*: the value is (a_0 + sum A_l(m_l)) / (b_0 + sum B_l(m_l)). By Dinkelbach (Management Science 13, 1967, 492-498,
doi:10.1287/mnsc.13.7.492) the best m_l maximise sum A_l - z B_l, z being the best value; starting anywhere, the ratio
at the maximum for one z is the next z, and does not improve only when it is the best. For given z the best m_1 >= m_2
>= ... are found layer by layer.

    nDCG            A: discounted gain of the holes; B: discounts of the first p + m ranks of the ideal list, where p
                    documents of the pool reach the layer
    rpref, relative A: per layer sum of (relevant documents above) / (judged above) over relevant documents: everything
                    retrieved is judged once the holes are filled, so the denominator depends on the rank only; B: m_l

*rpref, absolute*: with T judged documents and R = sum rho, N is T - R, and with M = sum over misplaced pairs of the
difference and S = sum of the retrieved rho

    rpref = S/R - M / (R (T - R))

M is a sum over layers of inversions M_l(m_l). One more of the highest holes adds (non-relevant judged documents above
it) - (relevant documents below it): more with each m, more in each higher layer. So M_l is convex, and taking the
cheapest steps first, whatever their layer, gives the lowest M for every R that is reached on the way; it never takes a
step in a layer before the same one below it. Between two such points, M is at least what lies on the line that joins
them. With equal steps v_l - v_(l-1) every R is reached, and the best of all these points is the maximum; otherwise the
lines give an upper bound.

One more of the lowest holes adds (non-relevant documents above it, holes included) - (relevant documents below it,
holes included): less with each m, more in each higher layer. So M_l is concave; and if a layer holds fewer than the
one below, adding the next hole to it gives at least as much as the last one gave there, so for every price of R, M is
largest with all m_l equal: holes of the top grade at the bottom, of the lowest grade elsewhere. The points so reached,
and the lines between them, bound M from above. On a line M = a + bR,

    rpref >= 1 - (R - S + a/T) / R - (b + a/T) / (T - R)

whose right side, as R moves from one point to the next, is smallest at one of them: with both numerators >= 0 it is
concave; with one of them < 0 it is monotone; both cannot be, since the line is >= 0 at two points between 0 and T.
So the lowest of the points is the minimum.

A hole at rank 1 with `top='drop'` or `'zero'` is given each of its grades in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.holes.filled import Topic
from irpref.analysis.holes.relevance import Found, cumulated, reciprocals
from irpref.arrays.judgments import Gains
from irpref.arrays.segments import Floats, Ints
from irpref.measures.original_ndcg import discount
from irpref.measures.scale import partition

# Bound and best value found are the same but for rounding.
_SAME = 1e-12


class Values(NamedTuple):
    """Grades that a hole can have, by rising value; one grade a value."""

    grade: Floats
    value: Floats

    @classmethod
    def of(cls, grid: Floats, worth: Callable[[Floats], Floats]) -> Values:
        value, first = np.unique(worth(grid), return_index=True)
        return cls(grid[first], value)

    def way(self, size: int, counts: Ints, order: slice, place: int = 0) -> Floats:
        """Grades of `size` holes, of which the first counts[l] in this order are worth value[l + 1] or more."""
        level = np.zeros(size - place, np.int64)
        for number in counts.tolist():
            level[:number] += 1
        out = np.empty(size)
        out[place:] = self.grade[level[order]]
        return out


def chain(reward: Floats) -> Ints:
    """m_1 >= ... >= m_G with the largest sum of reward[l, m_l]: (G, u + 1) to (G,)."""
    n_layers, size = reward.shape
    places = np.arange(size)
    choice = np.zeros((n_layers, size), np.int64)  # best m_l among 0 ... m
    above = np.zeros(size)
    for layer in range(n_layers - 1, -1, -1):
        total = reward[layer] + above
        above = np.maximum.accumulate(total)
        new = np.ones(size, bool)
        new[1:] = total[1:] > above[:-1]
        choice[layer] = np.maximum.accumulate(np.where(new, places, 0))
    out = np.zeros(n_layers, np.int64)
    most = size - 1
    for layer in range(n_layers):
        most = out[layer] = choice[layer, most]
    return out


def ratio(a: float, upper: Floats, b: float, lower: Floats, largest: bool) -> Ints:
    """Counts with the extreme of (a + sum upper[l, m_l]) / (b + sum lower[l, m_l]); 0/0 is 0, and so the lowest.

    Parameters
    ----------
    upper, lower : float arrays (G, u + 1), none below 0
    """
    layers = np.arange(upper.shape[0])
    counts: Ints = np.zeros(upper.shape[0], np.int64)
    sign = 1.0 if largest else -1.0

    def value(m: Ints) -> float:
        below = b + float(lower[layers, m].sum())
        return (a + float(upper[layers, m].sum())) / below if below > 0 else 0.0

    if not largest and value(counts) <= 0:
        return counts
    best = value(counts)
    while True:
        other = chain(sign * (upper - best * lower))
        found = value(other)
        if not sign * (found - best) > 0:
            return counts
        counts, best = other, found


def _steps(counts: Floats) -> Floats:
    """0, then the running sums."""
    return np.append(0.0, np.cumsum(counts))


# nDCG -------------------------------------------------------------------------------------------------------


def ideal_layers(
    topic: Topic,
    values: Values,
    *,
    gain: Callable[[Floats], Floats],
    weight: Callable[[Ints], Floats],
    cutoff: int | None,
) -> tuple[float, Floats]:
    """DCG of the ideal list with all holes worth the lowest value, and what m holes in a layer add to it.

    Returns
    -------
    fixed : float
    lower : float array (n_layers, n_holes + 1)
    """
    u = topic.rank.size
    pool = np.sort(gain(topic.pool_grade))
    size = pool.size + u
    places = np.arange(1, size + 1)
    first = _steps(np.where(places <= (size if cutoff is None else cutoff), weight(places), 0.0))
    edges = np.unique(np.concatenate([pool, values.value]))
    edges = edges[edges > 0]
    thickness = np.diff(np.append(0.0, edges))
    reached = pool.size - np.searchsorted(pool, edges)  # documents of the pool in each thin layer
    layer = np.searchsorted(values.value, edges)  # 0: all holes are in it, G + 1: none is
    n_layers = values.value.size - 1
    fixed = float((thickness * first[reached + np.where(layer == 0, u, 0)])[(layer == 0) | (layer > n_layers)].sum())
    lower = np.zeros((n_layers, u + 1))
    for height, p, at in zip(thickness.tolist(), reached.tolist(), layer.tolist(), strict=True):
        if 1 <= at <= n_layers:
            lower[at - 1] += height * first[p : p + u + 1]
    return fixed, lower


def _ndcg(
    topic: Topic, grid: Floats, gain: Callable[[Floats], Floats], weight: Callable[[Ints], Floats], cutoff: int | None
) -> Found:
    """`gain` of grades, `weight` of ranks; without and below the cutoff, as trec_eval has them."""
    values = Values.of(grid, gain)
    u = topic.rank.size
    limit, seen = topic.limit(cutoff), topic.seen(cutoff)
    of_hit = gain(topic.hit_grade)
    inside = topic.hit_rank <= limit
    own = np.append(weight(topic.rank[:seen]), np.zeros(u - seen))
    start = float((of_hit * weight(topic.hit_rank))[inside].sum()) + values.value[0] * float(own.sum())

    fixed, lower = ideal_layers(topic, values, gain=gain, weight=weight, cutoff=cutoff)
    height = np.diff(values.value)[:, None]
    most = ratio(start, height * _steps(own), fixed, lower, largest=True)
    least = ratio(start, height * _steps(own[::-1]), fixed, lower, largest=False)
    return Found([values.way(u, most, slice(None)), values.way(u, least, slice(None, None, -1))])


def mapped(grade: Floats, gains: Gains) -> Floats:
    """`gains.get(grade, grade)` of grades."""
    out = grade.astype(np.float64)
    for of, gain in gains or ():
        out[grade == of] = gain
    return out


def ndcg_gain(dcg: str, gains: Gains) -> Callable[[Floats], Floats]:
    """Gain of grades in the host's nDCG."""

    def gain(grade: Floats) -> Floats:
        value = np.maximum(mapped(grade, gains), 0.0)
        return np.exp2(value) - 1 if dcg == "exp-log2" else value

    return gain


def original_gain(gains: Gains) -> Callable[[Floats], Floats]:
    """Gain of grades in the nDCG of Järvelin and Kekäläinen."""
    return lambda grade: np.where(grade > 0, mapped(grade, gains), 0.0)


def ndcg(topic: Topic, grid: Floats, *, dcg: str, gains: Gains, cutoff: int | None, **_: Any) -> Found:
    """The host's nDCG, both kinds of gain."""
    return _ndcg(topic, grid, ndcg_gain(dcg, gains), lambda rank: 1 / np.log2(rank + 1), cutoff)


def original_ndcg(topic: Topic, grid: Floats, *, base: float, gains: Gains, cutoff: int | None, **_: Any) -> Found:
    """nDCG of Järvelin and Kekäläinen."""
    return _ndcg(topic, grid, original_gain(gains), lambda rank: 1 / discount(rank, base), cutoff)


# rpref ------------------------------------------------------------------------------------------------------


class _Scaled(NamedTuple):
    """A topic on the scale [0, 1]; rank 1 may be a hole whose value has been fixed."""

    limit: int
    hole: Ints  # ranks of the free holes seen
    below: int  # holes not seen
    hit: Ints  # ranks of the judged documents seen
    rho: Floats  # of these
    missed: Floats  # rho of the judged documents not seen
    whole: int  # T
    first: float  # rho of the document at rank 1


def rpref(
    topic: Topic,
    grid: Floats,
    *,
    norm: str,
    unretrieved: str,
    top: str,
    max_rel: float,
    gains: Gains,
    cutoff: int | None,
    n: int | None = None,
    **_: Any,
) -> Found:
    """rpref and n-pref."""

    def worth(grade: Floats) -> Floats:
        value = np.clip(np.where(grade >= 0, mapped(grade, gains), 0.0), 0.0, max_rel)
        return value / max_rel if n is None else partition(value, n, float(max_rel)) / (n - 1)

    values = Values.of(grid, worth)
    limit, seen = topic.limit(cutoff), topic.seen(cutoff)
    inside = topic.hit_rank <= limit
    hit, rho = topic.hit_rank[inside], worth(topic.hit_grade[inside])
    pool = worth(topic.pool_grade[topic.pool_grade >= 0])
    missed = _taken_out(np.sort(pool), rho)
    of = _Scaled(limit, topic.rank[:seen], topic.rank.size - seen, hit, rho, missed, pool.size + topic.rank.size, 0.0)
    infinity = unretrieved == "infinity"
    solve = _absolute if norm == "absolute" else _relative
    ways: list[Floats] = []
    high: float | None = None
    unsure = False
    for held, fixed in _first_fixed(of, values, top):
        found = solve(fixed, values, norm, infinity, top)
        ways += [np.concatenate([held, way]) for way in found.ways]
        if found.high is not None:
            unsure = True
            high = max(found.high, -np.inf if high is None else high)
    return Found(ways, None, high if unsure else None)


def _taken_out(pool: Floats, some: Floats) -> Floats:
    """The pool, ascending, without some of its members."""
    keep = np.ones(pool.size, bool)
    some = np.sort(some)
    ordinal = np.arange(some.size) - np.searchsorted(some, some)
    keep[np.searchsorted(pool, some) + ordinal] = False
    return pool[keep]


def _first_fixed(of: _Scaled, values: Values, top: str) -> Iterator[tuple[Floats, _Scaled]]:
    """The topic with each grade that a hole at rank 1 can have, if it has a part of its own."""
    if top == "keep" or not of.limit:
        yield np.zeros(0), of
    elif not of.hole.size or of.hole[0] != 1:
        yield np.zeros(0), of._replace(first=float(of.rho[0]))
    else:
        for grade, value in zip(values.grade, values.value.tolist(), strict=True):
            yield (
                np.array([grade]),
                of._replace(hole=of.hole[1:], hit=np.append(1, of.hit), rho=np.append(value, of.rho), first=value),
            )


def _ways(of: _Scaled, values: Values, most: Ints, least: Ints) -> list[Floats]:
    u = of.hole.size + of.below
    # With a document at rank 1 that is out of R: nothing else is worth anything.
    nothing = np.full(u, values.grade[0])
    return [values.way(u, most, slice(None)), _lowest_way(of, values, least), nothing]


def _lowest_way(of: _Scaled, values: Values, counts: Ints) -> Floats:
    """As `Values.way`, in the order of `_bottom_order`."""
    u, seen = of.hole.size + of.below, of.hole.size
    in_order = values.way(u, counts, slice(None))
    out = np.empty(u)
    out[_bottom_order(seen, of.below)] = in_order
    return out


def _bottom_order(seen: int, below: int) -> Ints:
    """Holes from the worst place up: those not seen, then the lowest of the others."""
    return np.append(np.arange(seen, seen + below), np.arange(seen)[::-1])


def _relative(of: _Scaled, values: Values, norm: str, infinity: bool, top: str) -> Found:
    """Relative norms: ratios. A document at rank r has (relevant above) / (r - 1), or (1 + those) / r."""
    u, below, limit = of.hole.size, of.below, of.limit
    if norm == "relative2":
        own = pair = reciprocals(limit)
        end_own, end_pair = 1.0 / (limit + 1), 1.0 / (limit + 1)
    else:
        own, pair = np.zeros(limit + 1), np.zeros(limit + 1)
        own[1:2] = 1.0
        pair[2:] = 1.0 / np.arange(1, limit)
        end_own, end_pair = 0.0, 1.0 / max(limit, 1)
    if not infinity:
        end_own = end_pair = 0.0

    edges = np.unique(np.concatenate([of.rho, of.missed, values.value]))
    edges = edges[edges > 0]
    thickness = np.diff(np.append(0.0, edges))
    layer = np.searchsorted(values.value, edges)
    n_layers = values.value.size - 1
    most, least = np.zeros((n_layers, u + below + 1)), np.zeros((n_layers, u + below + 1))
    start = start_r = 0.0
    free = np.arange(below + 1)
    for edge, height, at in zip(edges.tolist(), thickness.tolist(), layer.tolist(), strict=True):
        good = of.hit[of.rho >= edge]
        others = int(np.count_nonzero(of.missed >= edge))
        if at == 0:
            good, beyond = np.sort(np.append(good, of.hole)), others + below
        else:
            beyond = others
        start_r += height * (good.size + beyond)
        if not 1 <= at <= n_layers:
            fixed = cumulated(good, np.zeros(0, np.int64), own, pair)[0][0]
            start += height * (fixed + beyond * (end_own + end_pair * good.size))
            continue
        first, last = cumulated(good, of.hole, own, pair)
        m = np.arange(u + 1)
        # Documents that were not retrieved, and holes that are not seen, stand below all that are.
        first = first + others * (end_own + end_pair * (good.size + m))
        most[at - 1] += height * np.append(first, first[-1] + free[1:] * (end_own + end_pair * (good.size + u)))
        before = last[0] + (others + free) * (end_own + end_pair * good.size)
        last = last + (others + below) * (end_own + end_pair * (good.size + m))
        least[at - 1] += height * np.append(before, last[1:])
    size = np.diff(values.value)[:, None] * np.arange(u + below + 1)
    start += float(most[:, 0].sum()) - (of.first if top != "keep" else 0.0)
    most, least = most - most[:, :1], least - least[:, :1]
    start_r -= of.first if top == "drop" else 0.0
    if start_r <= _SAME:
        # Nothing is worth anything, and the value 0; or nothing but the document at rank 1, which stays, and it is 1.
        start = start_r = 1e-200 if top == "drop" and of.first > 0 else 0.0
    return Found(_ways(of, values, ratio(start, most, start_r, size, True), ratio(start, least, start_r, size, False)))


def _absolute(of: _Scaled, values: Values, norm: str, infinity: bool, top: str) -> Found:
    """S/R - M / (R (T - R)), see the head of this file."""
    u, below = of.hole.size, of.below
    height = np.diff(values.value)
    n_layers = height.size
    lowest, highest = float(values.value[0]), float(values.value[-1])
    missed_r = float(of.missed.sum())
    hit_r = float(of.rho.sum())
    out_of_s, out_of_r = (of.first if top != "keep" else 0.0), (of.first if top == "drop" else 0.0)
    whole = of.whole - out_of_r
    # Without a part in the sum, what is not seen is best worth nothing and worst worth most: it adds to R only.
    free = below if infinity else 0
    m_0 = _misplaced(of, lowest, below if infinity else 0, infinity)
    r_0 = hit_r + lowest * (u + below) + missed_r - out_of_r
    s_0 = hit_r + lowest * u - out_of_s + (missed_r + lowest * below if infinity else 0.0)

    more, less = np.zeros((n_layers, u + free)), np.zeros((n_layers, u + free))
    place = np.searchsorted(of.hit, of.hole)
    ordinal = np.arange(u)
    for layer in range(n_layers):
        step, low, up = height[layer], values.value[layer], values.value[layer + 1]
        good, bad = np.clip(of.rho - low, 0.0, step), np.clip(up - of.rho, 0.0, step)
        beyond = float(np.clip(of.missed - low, 0.0, step).sum()) if infinity else 0.0
        bad_above = _steps(bad)
        good_below = np.append(np.cumsum(good[::-1])[::-1], 0.0) + beyond
        cost = bad_above[place] - good_below[place]
        more[layer] = np.append(cost, np.full(free, bad_above[-1]))
        turned = cost[::-1] + step * (ordinal[::-1] - ordinal - free)
        less[layer] = np.append(np.full(free, bad_above[-1] + step * u), turned)

    def worth(r: Floats, s: Floats, m: Floats) -> Floats:
        n = whole - r
        lost = np.divide(m, n, out=np.zeros_like(r), where=n > _SAME)
        value = np.divide(s - lost, r, out=np.zeros_like(r), where=r > _SAME)
        if out_of_r > 0:  # nothing would be left: the document at rank 1 stays
            value = np.where(r > _SAME, value, 1.0)
        return np.clip(value, 0.0, 1.0)

    # The cheapest steps first.
    which = np.repeat(np.arange(n_layers), u + free)
    price = (more / height[:, None]).ravel() if n_layers else np.zeros(0)
    order = np.argsort(price, kind="stable")
    r = r_0 + _steps(height[which][order])
    m = m_0 + _steps(more.ravel()[order])
    value = worth(r, s_0 + (r - r_0), m)
    best = int(np.argmax(value))
    most = np.sort(np.bincount(which[order[:best]], minlength=n_layers))[::-1]
    high: float | None = None
    if n_layers and not np.allclose(height, height[0], rtol=1e-9, atol=0):
        between = _on_lines(r, s_0 - r_0, m, whole)
        if between > value[best] + _SAME:
            high = between

    # All layers together, the lowest holes first.
    total = less.sum(axis=0)
    rise = highest - lowest
    start = r_0 + (0.0 if infinity else rise * below)
    gained = rise * np.arange(u + free + 1)
    low = worth(start + gained, s_0 + gained, m_0 + _steps(total))
    worst = int(np.argmin(low))
    rest = 0 if infinity else below
    least = np.full(n_layers, worst + rest)
    found = Found(_ways(of, values, most, least), None, high)
    return found


def _on_lines(r: Floats, s_less_r: float, m: Floats, whole: float) -> float:
    """The highest value of S/R - M/(R (T - R)) on the lines between points (R, M), inside them; -inf if nowhere."""
    width = np.diff(r)
    line = (width > 0) & (r[:-1] > _SAME) & (r[1:] < whole - _SAME)
    if not line.any():
        return -np.inf
    slope = np.diff(m)[line] / width[line]
    at_0 = m[:-1][line] - slope * r[:-1][line]
    alpha, kappa = -s_less_r + at_0 / whole, slope + at_0 / whole
    both = (alpha > 0) & (kappa > 0)
    root_a, root_k = np.sqrt(np.where(both, alpha, 1.0)), np.sqrt(np.where(both, kappa, 1.0))
    turn = whole * root_a / (root_a + root_k)
    inside = both & (turn > r[:-1][line]) & (turn < r[1:][line])
    if not inside.any():
        return -np.inf
    value = 1 - alpha[inside] / turn[inside] - kappa[inside] / (whole - turn[inside])
    return float(value.max())


def _misplaced(of: _Scaled, lowest: float, below: int, infinity: bool) -> float:
    """Sum of the differences of misplaced pairs if all holes are worth `lowest`."""
    rho = np.append(of.rho, np.full(of.hole.size, lowest))[np.argsort(np.append(of.hit, of.hole), kind="stable")]
    beyond = np.append(of.missed, np.full(below, lowest)) if infinity else np.zeros(0)
    edges = np.unique(np.append(rho, beyond))
    total = 0.0
    for low, up in itertools.pairwise(edges):
        good = rho >= up
        bad_above = np.cumsum(~good)
        n = float(bad_above[good].sum())
        if beyond.size:
            n += float(np.count_nonzero(beyond >= up)) * float(bad_above[-1] if bad_above.size else 0)
        total += float(up - low) * n
    return total
