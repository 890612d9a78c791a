"""Exact bounds over holes: ways to fill the holes of a topic that include the lowest and the
highest value.

For AP, R-precision, bpref, nDCG, OriginalNDCG, NCG, rpref, and O- and P-measure.

*Relevant or not.* Let a of the holes down to the cutoff be relevant, and b of the others. For given
a and b, the a highest holes are the best choice and the a lowest the worst: with the highest, the
rank r_t of the t-th relevant document seen is as small as possible for each t; with the lowest, as
large as possible. For given R = R0 + a + b these never rise with r_t:

    AP      1/R sum t / r_t                                  R-precision   #{t : r_t <= R} / R
    bpref   1/R sum (1 - min(r_t - t, cap) / den)

(In bpref, r_t - t documents above are judged and not relevant, since nothing is unjudged once the
holes are filled.) So all a and b are tried, with running sums instead of the measure itself.

*Grades.* nDCG is linear in gains. Let m_l holes have at least the gain v_l. In each layer between
two gains the m_l highest holes are the best choice and the m_l lowest the worst, and these choices
are compatible across layers. Both numerator and denominator are sums over layers, of functions of
m_l. By Dinkelbach (Management Science 13, 1967, 492-498, doi:10.1287/mnsc.13.7.492) the best m_l
maximise numerator - z denominator if z is the best value: start anywhere; the ratio that is best
for one z is the next z.

*rpref, absolute norm.* With T judged documents, R = sum of rho, S that of those retrieved, and M
the sum of the differences of misplaced pairs,

    rpref = S/R - M / (R (T - R))

M is a sum over layers, too. One more of the highest holes in a layer adds (what the documents above
lack) - (what those below have): more each time, and more in higher layers. So if all layers are
equally thick, taking the cheapest steps first, in any layer, gives the lowest M for each R. One
more of the lowest holes adds less each time, and more in higher layers. So M is highest if all
layers have the same holes.

*rpref, relative norms.* As for nDCG: in each layer the sum of AP with other rank weights, over the
layers' parts of R.

*O and P* are the blended ratio BR(r) = (beta cg(r) + count(r)) / (beta cgI(r) + r) at the document
where the user stops: the first relevant one, or the first of the highest grade. BR is at most 1, so
more gain above r raises it, and more gain below r or in the pool lowers it or leaves it unchanged.
So every hole is tried as the stop, with every grade, and so is the judged document that is the stop
if no hole is. For the lowest value, holes above the stop have no gain, and holes below it have the
highest grade that does not move the stop. For the highest value, holes above have the next lower
grade (for P; for O they have no gain), and holes below have no gain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from irpref.kernel.grades import Gains
from irpref.kernel.segments import Floats, Ints, ratio
from irpref.lab.trust.holes.filled import Holes
from irpref.lab.trust.holes.search import Ways
from irpref.measures import blended_ratio, bpref, everyday, original_ndcg, rpref
from irpref.measures.gain import ncg
from irpref.measures.scale import partition


class Topic(NamedTuple):
    """A topic with holes.

    Attributes
    ----------
    rank : int array (n_holes,)
        Ranks of the holes, ascending.
    seen : int
        Number of holes within the cutoff.
    hit_grade, hit_rank : float and int arrays
        Judged documents within the cutoff.
    pool : float array (n_judged,)
    """

    rank: Ints
    seen: int
    hit_grade: Floats
    hit_rank: Ints
    pool: Floats

    @classmethod
    def of(cls, holes: Holes, t: int, cutoff: int | None) -> Topic:
        hit_rank, hit_grade = holes.hits(t)
        inside = slice(
            None if cutoff is None else int(np.searchsorted(hit_rank, cutoff, side="right"))
        )
        rank = holes.ranks(t)[0].astype(np.int64)
        judged = holes.pool.judged
        pool = holes.pool.grade[judged.starts[t] : judged.ends[t]]
        seen = rank.size if cutoff is None else int(np.searchsorted(rank, cutoff, side="right"))
        return cls(rank, seen, hit_grade[inside], hit_rank[inside], pool)


def _relevant(
    values: Callable[[Topic, Ints, Ints, float], tuple[Floats, Floats]],
    topic: Topic,
    grid: Floats,
    rel: float,
) -> Ways:
    """The best and the worst way for a measure with binary relevance.

    For each number a of relevant holes that are seen, (n + 1, 1), and b of the others, (1, m + 1),
    `values` returns the value with the a highest holes, and with the a lowest."""
    seen, below = topic.seen, topic.rank.size - topic.seen
    if grid[0] >= rel or grid[-1] < rel:
        return [np.full(topic.rank.size, grid[0])]
    ways = []
    top, bottom = values(topic, np.arange(seen + 1)[:, None], np.arange(below + 1)[None, :], rel)
    for value, best, highest in ((top, np.argmax(top), True), (bottom, np.argmin(bottom), False)):
        a, b = np.unravel_index(int(best), value.shape)
        way = np.full(topic.rank.size, grid[0])
        way[:a] = grid[-1] if highest else grid[0]
        way[seen - (0 if highest else a) : seen + b] = grid[-1]
        ways.append(way)
    return ways


def _sums(
    good: Ints, hole: Ints, own: Callable[[Ints], Floats], pair: Callable[[Ints], Floats]
) -> tuple[Floats, Floats]:
    """Sum over relevant documents of own(rank) + pair(rank) * (relevant documents above), with m
    relevant holes.

    Returns two arrays (n_holes + 1,): with the m highest holes relevant, and with the m lowest.
    Each hole brings its own summand and adds to those of the documents below it."""
    below = np.append(np.cumsum(pair(good)[::-1])[::-1], 0.0)
    above = np.searchsorted(good, hole)
    gain = own(hole) + above * pair(hole) + below[above]
    start = float((own(good) + np.arange(good.size) * pair(good)).sum())
    lower = np.append(0.0, np.cumsum(pair(hole)[::-1]))[:-1]
    top = np.append(0.0, np.cumsum(gain + np.arange(hole.size) * pair(hole)))
    return start + top, start + np.append(0.0, np.cumsum(gain[::-1] + lower))


def _precision_sums(topic: Topic, a: Ints, b: Ints, rel: float) -> tuple[Floats, Floats]:
    """AP."""
    good, size = topic.hit_rank[topic.hit_grade >= rel], np.count_nonzero(topic.pool >= rel) + a + b
    top, bottom = _sums(
        good, topic.rank[: topic.seen], lambda rank: 1 / rank, lambda rank: 1 / rank
    )
    return ratio(top[:, None], size), ratio(bottom[:, None], size)


def _r_precision(topic: Topic, a: Ints, b: Ints, rel: float) -> tuple[Floats, Floats]:
    size = np.count_nonzero(topic.pool >= rel) + a + b
    judged = np.searchsorted(topic.hit_rank[topic.hit_grade >= rel], size, side="right")
    holes = np.searchsorted(topic.rank, size, side="right")
    lowest = np.maximum(a - (topic.seen - holes), 0)
    return ratio(judged + np.minimum(a, holes) * 1.0, size), ratio(judged + lowest * 1.0, size)


def _capped(rising: Ints, first: Ints, stop: Ints, shift: Ints, cap: Ints) -> Ints:
    """Sum of min(x - shift, cap) over rising[first:stop]: shapes that broadcast."""
    upto = np.append(0, np.cumsum(rising))
    turn = np.clip(np.searchsorted(rising, shift + cap), first, stop)
    return upto[turn] - upto[first] - shift * (turn - first) + cap * (stop - turn)


def _bpref(topic: Topic, a: Ints, b: Ints, rel: float, norm: str) -> tuple[Floats, Floats]:
    """bpref, with all absolute denominators.

    Let J be the judged non-relevant documents above a document, and H the holes above it. If the a
    highest holes are relevant, J non-relevant documents are above each of these holes and the
    judged documents among them, and J + H - a above documents further down. If the a lowest are
    relevant, J + H are above documents that precede them, and J + n - a above these holes and
    documents further down (n: holes seen)."""
    hole, good = topic.rank[: topic.seen], topic.hit_rank[topic.hit_grade >= rel]
    bad = topic.hit_rank[topic.hit_grade < rel]
    of_good, of_hole, above = (
        np.searchsorted(bad, good),
        np.searchsorted(bad, hole),
        np.searchsorted(hole, good),
    )
    r = np.count_nonzero(topic.pool >= rel) + a + b
    n = np.count_nonzero(topic.pool >= 0) + topic.rank.size - r
    a = a + 0 * b
    left = topic.seen - a
    cap, den = bpref.bounds(r, n, bad.size + left, norm)
    zero, end = 0 * a, 0 * a + good.size
    among = np.searchsorted(above, a)
    lost = _capped(of_hole, zero, a, zero, cap) + _capped(of_good, zero, among, zero, cap)
    top = good.size + a - (lost + _capped(of_good + above, among, end, a, cap)) / np.maximum(den, 1)
    among = np.searchsorted(above, left, side="right")
    lost = _capped(of_good + above, zero, among, zero, cap) + _capped(
        of_good, among, end, -left, cap
    )
    bottom = (
        good.size
        + a
        - (lost + _capped(of_hole, left, zero + topic.seen, -left, cap)) / np.maximum(den, 1)
    )
    return ratio(top, r), ratio(bottom, r)


def _mapped(grade: Floats, gains: Gains) -> Floats:
    out = grade.astype(np.float64)
    for of, value in gains or ():
        out[grade == of] = value
    return out


# nDCG ---------------------------------------------------------------------------------------------


def _chain(reward: Floats) -> Ints:
    """m_1 >= ... >= m_G with the largest sum of reward[l, m_l]: (G, u + 1) to (G,)."""
    n_layers, size = reward.shape
    choice = np.zeros((n_layers, size), np.int64)  # the best m_l among 0 ... m
    above = np.zeros(size)
    for layer in range(n_layers - 1, -1, -1):
        total = reward[layer] + above
        above = np.maximum.accumulate(total)
        new = np.append(True, total[1:] > above[:-1])
        choice[layer] = np.maximum.accumulate(np.where(new, np.arange(size), 0))
    out: Ints = np.zeros(n_layers, np.int64)
    most = size - 1
    for layer in range(n_layers):
        most = out[layer] = choice[layer, most]
    return out


def _best_counts(a: float, upper: Floats, b: float, lower: Floats, sign: float) -> Ints:
    """m_l with the extreme of (a + sum upper[l, m_l]) / (b + sum lower[l, m_l]); 0/0 is 0."""
    layers = np.arange(upper.shape[0])

    def value(m: Ints) -> float:
        below = b + float(lower[layers, m].sum())
        return (a + float(upper[layers, m].sum())) / below if below > 0 else 0.0

    counts: Ints = np.zeros(layers.size, np.int64)
    best = value(counts)
    while sign > 0 or best > 0:
        other = _chain(sign * (upper - best * lower))
        if not sign * (value(other) - best) > 0:
            break
        counts, best = other, value(other)
    return counts


def _two_ways(grade: Floats, start: Floats, upper: Floats, fixed: float, lower: Floats) -> Ways:
    """The ways with the extremes of (start + sum upper[l, m_l]) / (fixed + sum lower[l, m_l]), on a
    first axis.
    """
    ways = []
    for i, (sign, order) in enumerate(((1.0, slice(None)), (-1.0, slice(None, None, -1)))):
        counts = _best_counts(float(start[i]), upper[i], fixed, lower, sign)
        level = (np.arange(lower.shape[1] - 1) < counts[:, None]).sum(axis=0)
        ways.append(grade[level[order]])
    return ways


def _ndcg(
    topic: Topic,
    grid: Floats,
    *,
    gains: Gains,
    cutoff: int | None,
    dcg: str = "log2",
    base: float = 0.0,
    **_: Any,
) -> Ways:
    """The best and the worst way for DCG over that of the ideal list; OriginalNDCG has a `base`."""

    def gain(grade: Floats) -> Floats:
        value = np.where((grade > 0) | (base == 0), np.maximum(_mapped(grade, gains), 0.0), 0.0)
        return np.exp2(value) - 1 if dcg == "exp-log2" else value

    def weight(rank: Ints) -> Floats:
        return 1 / (original_ndcg.discount(rank, base) if base else np.log2(rank + 1))

    value, first = np.unique(gain(grid), return_index=True)
    u, pool = topic.rank.size, np.sort(gain(topic.pool))
    places = np.arange(1, pool.size + u + 1)
    of_ideal = np.append(
        0.0, np.cumsum(np.where(places <= (cutoff or places.size), weight(places), 0.0))
    )
    # Each thin layer, between two gains of the pool or the grid, lies in a thick one: the first
    # holds all holes, the last none.
    edges = np.unique(np.append(pool, value))
    edges = edges[edges > 0]
    lower = np.zeros((value.size + 1, u + 1))
    above = pool.size - np.searchsorted(pool, edges)
    for layer, at, thick in zip(
        np.searchsorted(value, edges), above, np.diff(edges, prepend=0.0), strict=True
    ):
        lower[layer] += thick * of_ideal[at : at + u + 1]
    fixed = float(lower[0, u] + lower[value.size, 0])
    own = np.append(weight(topic.rank[: topic.seen]), np.zeros(u - topic.seen))
    start = float((gain(topic.hit_grade) * weight(topic.hit_rank)).sum() + value[0] * own.sum())
    upper = (
        np.diff(value)[:, None]
        * np.array([np.append(0.0, np.cumsum(of)) for of in (own, own[::-1])])[:, None]
    )
    return _two_ways(grid[first], np.full(2, start), upper, fixed, lower[1 : value.size])


# O and P ------------------------------------------------------------------------------------------


def _stop(
    topic: Topic,
    grid: Floats,
    of_best: bool,
    *,
    beta: float,
    gains: Gains,
    cutoff: int | None,
    **_: Any,
) -> Ways | None:
    """O-measure; P-measure if `of_best`."""

    def gain(grade: Any) -> Any:
        return np.where(grade > 0, _mapped(np.asarray(grade), gains), 0.0)

    none, top, size = grid[0], grid[-1], topic.rank.size
    if gain(none) > 0:
        return None
    kept = gain(topic.hit_grade) > 0
    hit, hit_grade, hole = topic.hit_rank[kept], topic.hit_grade[kept], topic.rank[: topic.seen]
    ideal = -np.sort(-gain(topic.pool))
    upto, gained = (np.append(0.0, np.cumsum(of)) for of in (ideal, gain(hit_grade)))
    ways = [np.full(size, none)]

    def best_gain(rank: Ints, *more: tuple[float, Any]) -> Floats:
        """Ideal gain down to these ranks with more documents: pairs of gain and number, by falling
        gain.
        """
        total, taken = np.zeros(rank.size), np.zeros(rank.size, np.int64)
        for of, number in more:
            here = np.clip(rank - np.searchsorted(-ideal, -of) - taken, 0, number)
            total, taken = total + of * here, taken + here
        return total + upto[np.minimum(rank - taken, ideal.size)]

    def stop(rank: Ints, above: Ints, grade: float, own: int) -> None:
        """Try a stop at each of these ranks, with `above` holes above: a hole (`own` 1) or a judged
        document.
        """
        lower = grid[grid < grade][-1] if of_best and (grid < grade).any() else none
        same = grid[grid <= grade][-1] if of_best else top
        at = np.searchsorted(hit, rank, side="right")
        mine, fill = float(gain(grade)) * own, float(gain(lower))
        filled = above if fill > 0 else 0 * above
        high = (beta * (gained[at] + mine + filled * fill) + at + own + filled) / (
            beta * best_gain(rank, (mine, own), (fill, filled)) + rank
        )
        others = (
            (float(gain(top)), size - topic.seen),
            (float(gain(same)), topic.seen - above - own),
            (mine, own),
        )
        low = (beta * (gained[at] + mine) + at + own) / (beta * best_gain(rank, *others) + rank)
        for first, i, seen, unseen in (
            (lower, int(np.argmax(high)), none, none),
            (none, int(np.argmin(low)), same, top),
        ):
            way = np.where(np.arange(size) < topic.seen, seen, unseen)
            way[: above[i]], way[above[i] : above[i] + own] = first, grade
            ways.append(way)

    highest = float(hit_grade.max(initial=-np.inf))
    preferred = hit[hit_grade == highest] if of_best else hit
    for grade in grid[gain(grid) > 0].tolist():
        if of_best and grade < highest:
            continue
        reach = (
            np.searchsorted(hole, preferred[0])
            if preferred.size and not (of_best and grade > highest)
            else hole.size
        )
        if reach:
            stop(hole[:reach], np.arange(reach), grade, 1)
    if preferred.size:
        stop(preferred[:1], np.searchsorted(hole, preferred[:1]), highest, 0)
    return ways


# rpref --------------------------------------------------------------------------------------------


def _rpref(
    topic: Topic, grid: Floats, *, max_rel: float, gains: Gains, n: int | None = None, **how: Any
) -> Ways | None:
    """rpref and n-pref; with the absolute norm only if the grades that a hole can have are equally
    spaced.
    """

    def rho(grade: Floats) -> Floats:
        gain = np.clip(np.where(grade >= 0, _mapped(grade, gains), 0.0), 0.0, max_rel)
        return gain / max_rel if n is None else partition(gain, n, float(max_rel)) / (n - 1)

    value, first = np.unique(rho(grid), return_index=True)
    height = np.diff(value)
    if (how["unretrieved"], how["top"]) != ("zero", "keep"):
        return None
    if not height.size:
        return [np.full(topic.rank.size, grid[0])]
    pool, hit = rho(topic.pool[topic.pool >= 0]), rho(topic.hit_grade)
    if how["norm"] != "absolute":
        return _relative(topic, grid[first], value, pool, hit, how["norm"])
    if np.ptp(height) > 1e-9:
        return None
    u, below = topic.seen, topic.rank.size - topic.seen
    hole = topic.rank[:u]
    place = np.searchsorted(topic.hit_rank, hole)
    more, less = (
        [],
        [],
    )  # what one more hole adds to M: the highest in a layer; the lowest, in all layers
    for low, high in pairwise(value):
        lack_above = np.append(0.0, np.cumsum(np.clip(high - hit, 0.0, high - low)))
        have_below = np.append(np.cumsum(np.clip(hit - low, 0.0, high - low)[::-1])[::-1], 0.0)
        more.append(lack_above[place] - have_below[place])
        less.append(more[-1][::-1] + (high - low) * (u - 1 - 2 * np.arange(u)))
    ranked = np.insert(hit, place, value[0])
    edges = np.unique(ranked)
    misplaced = sum(
        (up - low) * np.cumsum(ranked < up)[ranked >= up].sum() for low, up in pairwise(edges)
    )
    whole = pool.size + topic.rank.size
    r, s = pool.sum() + value[0] * topic.rank.size, ranked.sum()

    def values(r: Floats, s: Floats, m: Floats) -> Floats:
        return ratio(s - ratio(m, whole - r), r)

    order = np.argsort(np.concatenate(more), kind="stable")
    gained = height[0] * np.arange(order.size + 1)
    m = misplaced + np.append(0.0, np.cumsum(np.concatenate(more)[order]))
    best = int(np.argmax(values(r + gained, s + gained, m)))
    counts = np.sort(np.bincount(order[:best] // max(u, 1), minlength=height.size))
    level = np.append((np.arange(u) < counts[:, None]).sum(axis=0), np.zeros(below, np.int64))
    rise = value[-1] - value[0]
    gained = rise * np.arange(u + 1)
    m = misplaced + np.append(0.0, np.cumsum(np.sum(less, axis=0)))
    worst = int(np.argmin(values(r + rise * below + gained, s + gained, m)))
    lowest = np.where(np.arange(topic.rank.size) < u - worst, 0, height.size)
    return [grid[first][level], grid[first][lowest], np.full(topic.rank.size, grid[0])]


def _relative(
    topic: Topic, grade: Floats, value: Floats, pool: Floats, hit: Floats, norm: str
) -> Ways:
    """The relative norms: in each layer of grades a sum over its documents, divided by R.

    With k documents of the layer above it, a document at rank r adds k / (r - 1), and 1 at rank 1;
    with `relative2` it adds (1 + k) / r."""

    def own(rank: Ints) -> Floats:
        return 1.0 / rank if norm == "relative2" else (rank == 1) * 1.0

    def pair(rank: Ints) -> Floats:
        return 1.0 / (rank if norm == "relative2" else np.maximum(rank - 1, 1))

    size, seen = topic.rank.size, topic.seen
    edges = np.unique(np.append(hit, value))
    edges = edges[edges > 0]
    upper = np.zeros((2, value.size + 1, size + 1))
    for edge, thick, layer in zip(
        edges, np.diff(edges, prepend=0.0), np.searchsorted(value, edges), strict=True
    ):
        top, bottom = _sums(topic.hit_rank[hit >= edge], topic.rank[:seen], own, pair)
        upper[:, layer] += thick * np.array(
            [np.pad(top, (0, size - seen), "edge"), np.pad(bottom, (size - seen, 0), "edge")]
        )
    start = upper[:, 0, size] + upper[:, value.size, 0]
    lower = np.diff(value)[:, None] * np.arange(size + 1)
    return _two_ways(
        grade, start, upper[:, 1 : value.size], float(pool.sum() + value[0] * size), lower
    )


def _of_bpref(
    topic: Topic, grid: Floats, *, rel: float, norm: str = "min", top: str = "keep", **_: Any
) -> Ways | None:
    if top != "keep" or norm in ("relative", "relative2"):
        return None
    return _relevant(partial(_bpref, norm=norm), topic, grid, rel)


FORMS: dict[Any, Callable[..., Ways | None]] = {
    everyday.average_precision: lambda topic, grid, *, rel, **_: _relevant(
        _precision_sums, topic, grid, rel
    ),
    everyday.r_precision: lambda topic, grid, *, rel, **_: _relevant(
        _r_precision, topic, grid, rel
    ),
    everyday.host_bpref: _of_bpref,
    bpref.bpref: _of_bpref,
    everyday.ndcg: _ndcg,
    original_ndcg.original_ndcg: _ndcg,
    ncg: partial(_ndcg, base=np.inf),
    blended_ratio.o_measure: partial(_stop, of_best=False),
    blended_ratio.p_measure: partial(_stop, of_best=True),
    rpref.rpref: _rpref,
}
