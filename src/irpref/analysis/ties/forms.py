"""Lowest, mean and highest value over the orders of tied documents in closed form, kernel by kernel.

A group of n tied documents fills the ranks f ... f + n - 1; each document stands at each of these ranks with
probability 1/n, and each pair of documents at each pair of ranks with probability 1/(n (n - 1)). Groups are drawn
independently, and what stands above a group does not depend on the order inside it.

*Highest and lowest.* Two neighbours of a group change places; if the better one moving up never lowers the value,
whatever else stands around them, then the group by falling merit has the highest value and by rising merit the
lowest: any order becomes sorted by such steps. The kernel itself computes both. Merit is relevance, gain or rho.
Where this does not hold (CRP, P, P+, graded NCU, Novelty) the extremes are found as described there.

*Mean.* By linearity, document by document; `chances` has the distributions that are not uniform.

AP, P, R, RR, nDCG and F: F. McSherry and M. Najork, Computing information retrieval performance measures
efficiently in the presence of tied scores, ECIR 2008, 414-421, doi:10.1007/978-3-540-78646-7_38. The others are
derived here; `docs/ties.md` has the proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import permutations
from typing import Any

import numpy as np

from irpref.analysis.ties.chances import at_least, drawn, first_at, nth_at
from irpref.analysis.ties.effort import effort
from irpref.analysis.ties.groups import Tied
from irpref.analysis.ties.recovery import recovery
from irpref.arrays.judgments import Gains
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.measures import blended_ratio as blended
from irpref.measures import bpref as of_bpref
from irpref.measures import crp as of_crp
from irpref.measures import e_measure as of_e
from irpref.measures import everyday, ncu, original_ndcg, rpref, twist
from irpref.measures import expected as of_expected
from irpref.measures import known as of_known
from irpref.measures.scale import Scale, scale

Task = Callable[[JudgedRun], Floats]
Closed = tuple[Floats, Floats, Floats]  # low, expected, high: (n_topics,); NaN where the form does not reach
Form = Callable[..., Closed]


# What the forms share ---------------------------------------------------------------------------------------


def _ends(
    tied: Tied, task: Task, name: Hashable, key: Callable[[], Floats], missing: float = 0.0
) -> tuple[Floats, Floats]:
    """Lowest and highest value where groups sorted by `key`, (n_hits,), have them.

    `name` is what the key depends on: measures with the same one share the sorted runs.
    """

    def make() -> tuple[JudgedRun, JudgedRun]:
        merit = key()
        return tied.arranged(merit, missing), tied.arranged(-merit, -missing)

    one, other = (task(run) for run in tied.memo((_ends, name), make))
    return np.minimum(one, other), np.maximum(one, other)


def _by_relevance(tied: Tied, task: Task, rel: float) -> tuple[Floats, Floats]:
    return _ends(tied, task, (_by_relevance, rel), lambda: (tied.run.grade >= rel) * 1.0)


def _by_gain(tied: Tied, task: Task, gains: Gains) -> tuple[Floats, Floats]:
    return _ends(tied, task, (_by_gain, gains), lambda: tied.run.gain(gains))


class _Places:
    """Every rank that a group fills: rows by group."""

    def __init__(self, tied: Tied) -> None:
        self.of = Segments.of_lengths(tied.size)
        self.place: Floats = self.of.position.astype(np.float64)
        self.rank: Ints = self.of.spread(tied.first) + self.of.position
        self.topic: Ints = self.of.spread(tied.topic)


def _places(tied: Tied) -> _Places:
    return tied.memo(_places, lambda: _Places(tied))


def _within(rank: Ints, topic: Ints, cutoff: int | Ints | None) -> Bools:
    if cutoff is None:
        return np.ones(rank.size, bool)
    return rank <= (cutoff[topic] if isinstance(cutoff, np.ndarray) else cutoff)


def _share(tied: Tied, mask: Bools, cutoff: int | Ints | None) -> Floats:
    """Expected number of hits of a kind within the cutoff: shape (n_topics,)."""
    return tied.total(tied.groups.count(mask) * tied.slots(cutoff) / tied.size)


def _pairs(
    tied: Tied, u: Floats, own: Floats, above: Floats, weight: Floats, cutoff: int | Ints | None
) -> tuple[Floats, Floats]:
    """Mean of the sum over documents of u weight(rank) (own + sum of `above` over the documents above).

    u, own, above : (n_hits,), 0 for documents without a judgment; weight : (n_places,)

    Returns the mean of each group's part, (n_groups,), and the sums of `above` in the groups above.
    """
    group, at = tied.groups, _places(tied)
    number, v = group.total(u), group.total(above)
    before = tied.before(v)
    level = (group.total(u * own) + number * before) / tied.size
    # At place q of the group, q of the other n - 1 documents stand above.
    slope = (number * v - group.total(u * above)) / (tied.size * np.maximum(tied.size - 1, 1))
    seen = np.where(_within(at.rank, at.topic, cutoff), weight, 0.0)
    return level * at.of.total(seen) + slope * at.of.total(seen * at.place), before


def _ratio(numerator: Floats, denominator: Any) -> Floats:
    out = np.zeros(numerator.size)
    return np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)


# Counts within a cutoff -------------------------------------------------------------------------------------


def _constant(tied: Tied, task: Task, **_: Any) -> Closed:
    value = task(tied.run)
    return value, value, value


def _precision(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int) -> Closed:
    view = tied.view(judged_only)
    low, high = _by_relevance(tied, task, rel)
    return low, _share(view, view.run.grade >= rel, cutoff) / cutoff, high


def _recall(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int) -> Closed:
    low, mean, high = _precision(tied, task, rel=rel, judged_only=judged_only, cutoff=cutoff)
    return low, _ratio(mean * cutoff, tied.run.pool.count_relevant(rel)), high


def _r_precision(tied: Tied, task: Task, *, rel: float, judged_only: bool) -> Closed:
    view, size = tied.view(judged_only), tied.run.pool.count_relevant(rel)
    low, high = _by_relevance(tied, task, rel)
    return low, _ratio(_share(view, view.run.grade >= rel, size), size), high


def _judged(tied: Tied, task: Task, *, cutoff: int | None) -> Closed:
    low, high = _ends(tied, task, _judged, lambda: np.ones(tied.run.rank.size))
    size = tied.run.n_retrieved if cutoff is None else np.minimum(tied.run.n_retrieved, cutoff)
    return low, _ratio(_share(tied, np.ones(tied.run.rank.size, bool), cutoff), size), high


def _f_measure(tied: Tied, task: Task, *, beta: float, rel: float, cutoff: int | None) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    n = tied.run.n_retrieved if cutoff is None else cutoff
    square = min(beta * beta, 1e300)
    found = (1 + square) * _share(tied, tied.run.grade >= rel, cutoff)
    return low, _ratio(found, square * tied.run.pool.count_relevant(rel) + n), high


def _e_measure(tied: Tied, task: Task, **arguments: Any) -> Closed:
    # `task` is E: its ends are right as they are, of the mean the complement is asked for.
    low, mean, high = _f_measure(tied, task, **arguments)
    return low, 1 - mean, high


def _coverage(tied: Tied, task: Task, *, known: str, rel: float, cutoff: int | None) -> Closed:
    pool = tied.run.pool
    wanted = pool.columns["known", known] & (pool.grade >= rel)
    here = wanted[tied.run.row]
    low, high = _ends(tied, task, (_coverage, known, rel), lambda: here * 1.0)
    return low, _share(tied, here, cutoff) / np.maximum(pool.judged.count(wanted), 1), high


def _straddling(tied: Tied, cutoff: int | None) -> Ints:
    """Groups that the cutoff divides, at most one of each topic."""
    slots = tied.slots(cutoff)
    return np.flatnonzero((slots > 0) & (slots < tied.size))


def _novelty(tied: Tied, task: Task, *, known: str, rel: float, cutoff: int | None) -> Closed:
    """By the number m of relevant documents drawn; of these, as many are new as can be, as few, or their share."""
    value = task(tied.run)
    low, mean, high = value.copy(), value.copy(), value.copy()
    relevant = tied.run.grade >= rel
    new = relevant & ~tied.run.pool.columns["known", known][tied.run.row]
    slots = tied.slots(cutoff)
    found, fresh = tied.groups.count(relevant), tied.groups.count(new)
    above, above_new = tied.before(found * 1.0), tied.before(fresh * 1.0)
    for g in _straddling(tied, cutoff).tolist():
        t, n, r, f = tied.topic[g], int(tied.size[g]), int(found[g]), int(fresh[g])
        if not r:
            continue
        chance = drawn(n, r, int(slots[g]))
        m = np.arange(max(int(slots[g]) - (n - r), 0), min(r, int(slots[g])) + 1)
        size = np.maximum(above[g] + m, 1)
        mean[t] = (chance[m] * (above_new[g] + m * f / r) / size).sum()
        high[t] = ((above_new[g] + np.minimum(m, f)) / size).max()
        low[t] = ((above_new[g] + np.maximum(m - (r - f), 0)) / size).min()
    return low, mean, high


def _relative_recall(
    tied: Tied, task: Task, *, expected: float | str | None, capped: bool, rel: float, cutoff: int | None
) -> Closed:
    relevant = tied.run.grade >= rel
    low, high = _by_relevance(tied, task, rel)
    wanted = of_expected.wanted(tied.run, expected, rel)
    mean = _ratio(_share(tied, relevant, cutoff), wanted)
    if capped:
        mean = task(tied.run)
        found = tied.groups.count(relevant)
        above, slots = tied.before(found * 1.0), tied.slots(cutoff)
        for g in _straddling(tied, cutoff).tolist():
            t = tied.topic[g]
            if found[g] and wanted[t] > 0:
                chance = drawn(int(tied.size[g]), int(found[g]), int(slots[g]))
                mean[t] = (chance * np.minimum((above[g] + np.arange(chance.size)) / wanted[t], 1.0)).sum()
    return low, mean, high


# The first, or a certain, relevant document -----------------------------------------------------------------


def _passage(tied: Tied, mask: Bools, which: Floats, worth: Callable[[int, Ints], Floats]) -> Floats:
    """Mean worth of the rank at which hit number `which` (n_topics,) of a kind stands, 0 if there is none."""
    out = np.zeros(tied.run.n_topics)
    number = tied.groups.count(mask)
    before = tied.before(number * 1.0)
    wanted = which[tied.topic]
    for g in np.flatnonzero((before < wanted) & (wanted <= before + number)).tolist():
        n, m = int(tied.size[g]), int(number[g])
        chance = nth_at(n, m, int(wanted[g] - before[g]))
        out[tied.topic[g]] = (chance * worth(int(tied.topic[g]), tied.first[g] + np.arange(n))).sum()
    return out


def _reciprocal_rank(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int | None) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    view = tied.view(judged_only)
    limit = np.inf if cutoff is None else cutoff
    first = np.ones(tied.run.n_topics)
    return low, _passage(view, view.run.grade >= rel, first, lambda _, rank: (rank <= limit) / rank), high


def _success(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    view = tied.view(judged_only)
    first = np.ones(tied.run.n_topics)
    return low, _passage(view, view.run.grade >= rel, first, lambda _, rank: (rank <= cutoff) * 1.0), high


def _recall_effort(tied: Tied, task: Task, *, expected: float | str | None, rel: float, cutoff: int | None) -> Closed:
    relevant = tied.run.grade >= rel
    low, high = _by_relevance(tied, task, rel)
    limit = np.inf if cutoff is None else cutoff
    e = of_expected.wanted(tied.run, expected, rel)
    return low, _passage(tied, relevant, np.ceil(e), lambda t, rank: e[t] * (rank <= limit) / rank), high


# Sums of gains ----------------------------------------------------------------------------------------------


def _ndcg(tied: Tied, task: Task, *, dcg: str, gains: Gains, judged_only: bool, cutoff: int | None) -> Closed:
    pool, view, exponential = tied.run.pool, tied.view(judged_only), dcg == "exp-log2"
    gain = everyday.level_gain(pool, gains, exponential)
    low, high = _ends(tied, task, (everyday.level_gain, gains, exponential), lambda: gain[tied.run.level])
    hits = gain[view.run.level]
    zero = np.zeros(hits.size)
    weight = 1 / np.log2(_places(view).rank + 1.0)
    part, _ = _pairs(view, hits, zero + 1.0, zero, weight, cutoff)
    return low, _ratio(view.total(part), everyday.ideal_dcg(pool, gains, exponential, cutoff)), high


def _original_ndcg(
    tied: Tied, task: Task, *, base: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Closed:
    pool, view = tied.run.pool, tied.view(judged_only)
    low, high = _by_gain(tied, task, gains)
    hits = pool.level_ratio_gain(gains)[view.run.level]
    zero = np.zeros(hits.size)
    part, _ = _pairs(view, hits, zero + 1.0, zero, 1 / original_ndcg.discount(_places(view).rank, base), cutoff)
    return low, _ratio(view.total(part), original_ndcg.ideal_dcg(pool, base, gains, cutoff)), high


def _average_precision(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int | None) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    view = tied.view(judged_only)
    relevant = (view.run.grade >= rel) * 1.0
    part, _ = _pairs(view, relevant, np.ones(relevant.size), relevant, 1 / _places(view).rank, cutoff)
    return low, _ratio(view.total(part), tied.run.pool.count_relevant(rel)), high


class _Blend:
    """What the blended ratio BR(r) = (beta cg + count) / (beta cgI(r) + r) is made of."""

    def __init__(self, view: Tied, beta: float, gains: Gains) -> None:
        self.view = view
        pool = view.run.pool
        self.gains, self.beta = gains, beta
        # Of both sides of the fraction: that of the gains, which may have been made smaller.
        excess = pool.ratio_excess(gains)
        self.unit: Floats = np.ones(pool.n_topics) if excess is None else np.ldexp(1.0, -excess)
        self.gain: Floats = pool.level_ratio_gain(gains)[view.run.level]  # (n_hits,)
        self.relevant: Bools = view.run.gain(gains) > 0  # (n_hits,)
        self.above = self.worth(view.run)
        self.ideal, self.upto = blended.ideal_gain(pool, gains)

    def worth(self, run: JudgedRun) -> Floats:
        """What each hit adds to the numerator of its own ratio and of those below: shape (n_hits,)."""
        gain = run.pool.level_ratio_gain(self.gains)[run.level]
        return np.where(run.gain(self.gains) > 0, self.beta * gain + self.unit[run.hits.topic], 0.0)

    def denominator(self, topic: Ints, rank: Ints) -> Floats:
        """beta cgI(r) + r, shape as `rank`."""
        ideal = self.ideal
        at = np.minimum(ideal.starts[topic] + rank - 1, ideal.ends[topic] - 1)
        best = np.append(self.upto, 0.0)[np.where(ideal.lengths[topic] > 0, at, -1)]
        return self.beta * best + rank * self.unit[topic]

    def parts(self, u: Floats, cutoff: int | None) -> Floats:
        """Mean of the sum of u BR over the relevant documents of each group: shape (n_groups,)."""
        at = _places(self.view)
        weight = 1 / self.denominator(at.topic, at.rank)
        return _pairs(self.view, u * self.relevant, self.above, self.above, weight, cutoff)[0]


def _q_measure(tied: Tied, task: Task, *, beta: float, gains: Gains, judged_only: bool, cutoff: int | None) -> Closed:
    low, high = _by_gain(tied, task, gains)
    view = tied.view(judged_only)
    part = _Blend(view, beta, gains).parts(np.ones(view.run.rank.size), cutoff)
    return low, view.total(part) / blended.q_size(tied.run, gains, cutoff), high


def _o_measure(tied: Tied, task: Task, *, beta: float, gains: Gains, judged_only: bool, cutoff: int | None) -> Closed:
    """The first relevant document is each of its group's relevant ones with the same probability."""
    low, high = _by_gain(tied, task, gains)
    view = tied.view(judged_only)
    of = _Blend(view, beta, gains)
    number = view.groups.count(of.relevant)
    first = view.by_topic.first(number > 0)
    worth = _ratio(view.groups.total(of.above), number)
    limit = np.inf if cutoff is None else cutoff

    def ratio(topic: int, rank: Ints) -> Floats:
        return worth[first[topic]] * (rank <= limit) / of.denominator(np.full(rank.size, topic), rank)

    return low, _passage(view, of.relevant, np.ones(tied.run.n_topics), ratio), high


def _ncu(
    tied: Tied, task: Task, *, stop: str, utility: str, gamma: float, beta: float, gains: Gains, judged_only: bool
) -> Closed:
    view = tied.view(judged_only)
    of = _Blend(view, beta if utility == "BR" else 0.0, gains)
    if stop == "rank_biased":
        low, high = _by_gain(tied, task, gains)
        return low, _ratio(_rank_biased(of, gamma), _rank_biased_size(of, gamma)), high
    if stop == "uniform":
        low, high = _by_gain(tied, task, gains)
        return low, _ratio(view.total(of.parts(np.ones(of.gain.size), None)), of.ideal.lengths), high
    size = np.append(of.upto, 0.0)[np.where(of.ideal.lengths > 0, of.ideal.ends - 1, -1)]
    share = of.gain / view.run.hits.spread(np.where(size > 0, size, 1.0))
    low, high = (np.minimum(view.total(of_groups), 1.0) for of_groups in _graded_ends(of, share))
    return low, view.total(of.parts(share, None)), high


def _rank_biased(of: _Blend, gamma: float) -> Floats:
    """Mean of the sum of gamma^(count - 1) BR: by the number of relevant documents above, (n_topics,)."""
    view = of.view
    number = view.groups.count(of.relevant)
    before, gained = view.before(number * 1.0), view.before(view.groups.total(of.above))
    worth = _ratio(view.groups.total(of.above), number)  # of a relevant document in the numerator
    at = _places(view)
    weight = 1 / of.denominator(at.topic, at.rank)
    part = np.zeros(number.size)
    for g in np.flatnonzero(number).tolist():
        n, m = int(view.size[g]), int(number[g])
        k = np.arange(m)
        each = gamma ** (before[g] + k) * (gained[g] + worth[g] * (k + 1))
        for q, w in enumerate(weight[at.of.offsets[g] : at.of.offsets[g + 1]]):
            part[g] += m / n * w * float(drawn(n - 1, m - 1, q) @ each)
    return view.total(part)


def _rank_biased_size(of: _Blend, gamma: float) -> Floats:
    r = of.ideal.lengths
    upto = np.cumsum(gamma ** np.arange(max(int(r.max(initial=0)), 1)))
    return np.where(r > 0, upto[r - 1], 1.0)


_NODES = 200_000  # counts of documents placed in a group up to which the best and the worst order are looked for


def _graded_ends(of: _Blend, share: Floats) -> tuple[Floats, Floats]:
    """Lowest and highest sum of share BR of each group, (n_groups,): NaN where its classes are too many to try.

    share : (n_hits,), the gain of each as a part of all gain

    Of two neighbours that are relevant the better one is not always better off above: with stop='graded' its weight
    goes to a ratio that can rise further down. So the orders of a group are searched by how many documents of each
    class have been placed: the sum that they have collected is all that the rest needs to know.
    """
    view = of.view
    at = _places(view)
    weight = 1 / of.denominator(at.topic, at.rank)
    before = view.before(view.groups.total(of.above))
    low, high = np.zeros(view.size.size), np.zeros(view.size.size)
    for g in np.flatnonzero(view.groups.total(of.above)).tolist():
        rows = slice(view.groups.offsets[g], view.groups.offsets[g + 1])
        alone = np.zeros(int(view.size[g]) - (rows.stop - rows.start))
        own, where, sizes = np.unique(
            np.append(np.where(of.relevant, share, 0.0)[rows], alone), return_index=True, return_counts=True
        )
        above = np.append(of.above[rows], alone)[where]
        place = weight[at.of.offsets[g] : at.of.offsets[g + 1]]

        def term(c: int, q: int, placed: Ints) -> Floats:
            return own[c] * place[q] * (before[g] + above[c] + above @ placed)  # noqa: B023  called here only

        low[g], high[g] = _search(sizes, int(view.size[g]), term)
    return low, high


def _search(sizes: Ints, seen: int, term: Callable[[int, int, Ints], Floats]) -> tuple[float, float]:
    """Lowest and highest sum over the first `seen` places of a group, NaN where there is too much to search.

    Parameters
    ----------
    sizes : documents of each class
    seen : places that count
    term : (class, place, documents of each class above, (n_classes, k)) -> what it adds there, (k,)
    """
    shape = np.minimum(sizes, seen) + 1
    nodes = int(np.prod(shape.astype(np.float64)))
    if nodes > _NODES:
        return np.nan, np.nan
    digits = np.indices(tuple(shape)).reshape(sizes.size, -1)
    placed = digits.sum(axis=0)
    strides = np.append(np.cumprod(shape[::-1])[::-1][1:], 1)
    low, high = np.full(nodes, np.inf), np.full(nodes, -np.inf)
    low[0] = high[0] = 0.0
    order = np.argsort(placed, kind="stable")
    layers = np.split(order, np.cumsum(np.bincount(placed))[:-1])
    for q, layer in enumerate(layers[:seen]):
        for c in range(sizes.size):
            here = layer[digits[c, layer] < shape[c] - 1]
            there = here + strides[c]
            step = term(c, q, digits[:, here])
            low[there] = np.minimum(low[there], low[here] + step)
            high[there] = np.maximum(high[there], high[here] + step)
    return float(low[layers[seen]].min()), float(high[layers[seen]].max())


# The preferred document -------------------------------------------------------------------------------------


_NONE = np.iinfo(np.int64).max  # level of documents that are not relevant: after all others


def _preferred(
    tied: Tied, task: Task, plus: bool, beta: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Closed:
    """P, and with `plus` P+: by the group, the level and the place of the preferred document.

    A group that the cutoff divides comes into play if a level better than all those above it is seen. If not, the
    preferred document stands in the first group that has the best level above.
    """
    view = tied.view(judged_only)
    of = _Blend(view, beta, gains)
    slots, number = view.slots(cutoff), view.groups.count(of.relevant) * 1.0
    counted, gained = view.before(number), view.before(view.groups.total(of.above))
    sums = _ratios_before(of) if plus else (np.zeros(slots.size),) * 3
    level = np.where(of.relevant, view.run.level, _NONE)
    best_of_group = -view.groups.maximum(-level.astype(np.float64), -float(_NONE))
    low, mean, high = (np.zeros(tied.run.n_topics) for _ in range(3))
    for t in np.flatnonzero(view.total(number) > 0).tolist():
        groups = np.arange(view.by_topic.offsets[t], view.by_topic.offsets[t + 1])
        whole = groups[slots[groups] == view.size[groups]]
        divided = groups[(slots[groups] > 0) & (slots[groups] < view.size[groups])]
        best: int = _NONE
        if whole.size and number[whole].any():
            first = whole[np.argmin(best_of_group[whole])]
            best = int(level[view.groups.offsets[first] : view.groups.offsets[first + 1]].min())
        cases: list[tuple[float, int, int]] = []  # chance of the part of the group that is seen, group, level
        stays = 1.0
        possible = True
        for g in divided.tolist():
            levels = level[view.groups.offsets[g] : view.groups.offsets[g + 1]]
            n, seen = int(view.size[g]), int(slots[g])
            for one in np.unique(levels[levels < best]).tolist():
                cases.append((_without(n, int((levels < one).sum()), seen), g, one))
            stays = _without(n, int((levels < best).sum()), seen)
            possible = seen <= n - int((levels < best).sum())
        if possible and best < _NONE:
            cases.append((stays, int(first), best))
        ends = [] if best < _NONE or not possible else [(0.0, 0.0)]
        for chance, g, one in cases:
            base = counted[g], gained[g], tuple(float(of_groups[g]) for of_groups in sums)
            found = _outcome(of, level, g, one, int(slots[g]), base, plus)
            if found is not None:
                mean[t] += chance * found[1]
                ends.append((found[0], found[2]))
        low[t], high[t] = min(e[0] for e in ends), max(e[1] for e in ends)
    return low, mean, high


def _without(n: int, better: int, seen: int) -> float:
    """Chance that none of the better ones is among those seen, of n."""
    i = np.arange(seen)
    return float(np.prod(np.maximum(n - better - i, 0) / (n - i)))


def _ratios_before(of: _Blend) -> tuple[Floats, Floats, Floats]:
    """Lowest, mean and highest sum of the blended ratios in the groups above each: (n_groups,)."""
    view = of.view
    gain = np.where(of.relevant, of.gain, 0.0)
    ends = []
    for sign in (-1.0, 1.0):
        run = view.arranged(sign * gain, 0.0)
        above = of.worth(run)
        ratio = run.hits.running(above) / of.denominator(run.hits.topic, run.rank)
        ends.append(view.before(view.groups.total(np.where(above > 0, ratio, 0.0))))
    return ends[0], view.before(of.parts(np.ones(gain.size), None)), ends[1]


def _outcome(
    of: _Blend, level: Ints, group: int, one: int, seen: int, base: tuple[float, float, tuple[float, ...]], plus: bool
) -> tuple[float, float, float] | None:
    """Lowest, mean and highest value where the preferred document is of level `one` in this group.

    Nothing better is seen. The mean is times the chance that this level is. None where that cannot be.
    """
    view = of.view
    rows = slice(view.groups.offsets[group], view.groups.offsets[group + 1])
    same, worse = level[rows] == one, (level[rows] > one) & (level[rows] < _NONE)
    better = int((level[rows] < one).sum())
    others = int(view.size[group]) - better - int(same.sum())  # of lower levels, or not relevant
    places = min(others, seen - 1) + 1
    if seen > int(view.size[group]) - better:
        return None
    count, gained, (low, mean, high) = base
    own = float(of.above[rows][same][0])
    rising = np.sort(of.above[rows][worse])
    m = rising.size
    p = np.arange(places)
    d = of.denominator(np.full(places, view.topic[group]), view.first[group] + p)
    chance = first_at(others + int(same.sum()), int(same.sum()))[:places]
    # Sums of the lowest and of the highest among the lower levels.
    least, most = np.append(0.0, np.cumsum(rising)), np.append(0.0, np.cumsum(rising[::-1]))
    if not plus:
        fewest = np.maximum(p - (others - m), 0)
        lowest = ((gained + own + least[fewest]) / d).min()
        highest = ((gained + own + most[np.minimum(p, m)]) / d).max()
        return lowest, float((chance * (gained + own + p * most[-1] / max(others, 1)) / d).sum()), highest
    worth = most[-1] / max(m, 1)
    one_over, place_over = np.append(0.0, np.cumsum(1 / d)), np.append(0.0, np.cumsum(p / d))
    # Best: the best relevant ones first. Worst: others first, then the relevant ones from the worst on.
    first_best = np.append(0.0, np.cumsum((gained + most[1 : places + 1]) / d[: most.size - 1]))
    lowest, total, highest = np.inf, 0.0, -np.inf
    late = np.zeros(places + 1)  # by the number of others first: sum over the relevant ones after them
    for k in range(min(m, places - 1) + 1):  # relevant documents above
        if k:
            late[: places - k + 1] += (gained + least[k]) / d[k - 1 :]
        at = p[(p >= k) & (p - k <= others - m)]
        if not at.size:
            continue
        size = count + k + 1
        highest = max(highest, float(((high + first_best[k] + (gained + most[k] + own) / d[at]) / size).max()))
        lowest = min(lowest, float(((low + late[at - k] + (gained + least[k] + own) / d[at]) / size).min()))
        inner = (
            k
            / np.maximum(at, 1)
            * ((gained + worth) * one_over[at] + worth * (k - 1) / np.maximum(at - 1, 1) * place_over[at])
        )
        likely = chance[at] * np.array([drawn(others, m, q)[k] for q in at.tolist()])
        total += float((likely * (mean + inner + (gained + own + k * worth) / d[at]) / size).sum())
    return lowest, total, highest


def _p_measure(tied: Tied, task: Task, **arguments: Any) -> Closed:
    return _preferred(tied, task, False, **arguments)


def _p_plus(tied: Tied, task: Task, **arguments: Any) -> Closed:
    return _preferred(tied, task, True, **arguments)


# Preferences ------------------------------------------------------------------------------------------------


def _bpref(tied: Tied, task: Task, *, norm: str, rel: float, cutoff: int | None) -> Closed:
    """A relevant document has any number of its group's non-relevant ones above it with the same probability."""
    relevant, negative = tied.run.grade >= rel, tied.run.grade < 0
    low, high = (v.copy() for v in _by_relevance(tied, task, rel))
    groups, slots = tied.groups, tied.slots(cutoff)
    m, number = groups.count(~relevant & ~negative) * 1.0, groups.count(relevant) * 1.0
    of = of_bpref.above(tied.run, rel, cutoff)
    cap, den = (bound.astype(np.float64) for bound in of_bpref.bounds(of, norm))
    before = tied.before(m)
    c = cap[tied.topic]
    # Mean of min(above, cap) over above = before ... before + m; the cap is a whole number.
    up = np.clip(c, before, before + m)
    counted = ((before + up) * (up - before + 1) / 2 + (before + m - up) * c) / (m + 1)
    counted = np.where(before >= c, c, counted)
    part = np.where(slots == tied.size, number, 0.0) * (1 - counted / np.maximum(den, 1)[tied.topic])
    for g in _straddling(tied, cutoff).tolist():
        n, t = int(tied.size[g]), tied.topic[g]
        if not number[g]:
            continue
        lost = np.minimum(before[g] + np.arange(int(m[g]) + 1), cap[t]) / max(den[t], 1)
        for q in range(int(slots[g])):
            part[g] += number[g] / n * (1 - float(drawn(n - 1, int(m[g]), q) @ lost))
    mean = tied.total(part) / np.maximum(of.r, 1)
    if norm == "old":
        # The denominator counts the non-relevant documents that are seen, which vary where a group is divided.
        sums = [np.minimum(before + a, c) * number for a in (0.0, m)]  # of what counts above, least and most
        counts = tuple(tied.before(of_groups) for of_groups in (sums[0], counted * number, sums[1]))
        for g in _straddling(tied, cutoff).tolist():
            if m[g] and of.r[tied.topic[g]]:
                t = tied.topic[g]
                kinds = int(tied.size[g]), int(number[g]), int(m[g]), int(slots[g])
                base = tied.before(number)[g], before[g], tuple(float(of_groups[g]) for of_groups in counts)
                low[t], mean[t], high[t] = (v / of.r[t] for v in _old_bpref(kinds, base, float(of.r[t])))
    return low, mean, high


def _old_bpref(
    kinds: tuple[int, int, int, int], base: tuple[float, float, tuple[float, ...]], r: float
) -> tuple[float, float, float]:
    """Lowest, mean and highest sum where the cutoff divides a group, by what is seen of it.

    Parameters
    ----------
    kinds : documents of the group, the relevant, the judged non-relevant among them, and how many are seen
    base : relevant and non-relevant documents above, and lowest, mean and highest sum of what counts above them
    """
    n, relevant, other, seen = kinds
    found, above, (least, usual, most) = base
    lows, highs, mean = [], [], 0.0
    chance = drawn(n, relevant, seen)
    for i in range(max(seen - (n - relevant), 0), min(relevant, seen) + 1):
        rest = drawn(n - relevant, other, seen - i)
        for j in range(max(seen - i - (n - relevant - other), 0), min(other, seen - i) + 1):
            den = max(min(r, above + j), 1.0)
            places = np.minimum(above + np.arange(j + 1), r)
            highs.append(found + i - (least + i * places[0]) / den)
            lows.append(found + i - (most + i * places[-1]) / den)
            mean += float(chance[i] * rest[j]) * (found + i - (usual + i * float(places.mean())) / den)
    return min(lows), mean, max(highs)


def _host_bpref(tied: Tied, task: Task, *, rel: float) -> Closed:
    return _bpref(tied, task, norm="min", rel=rel, cutoff=None)


def _rpref(
    tied: Tied,
    task: Task,
    *,
    norm: str,
    unretrieved: str,
    top: str,
    max_rel: float,
    gains: Gains,
    cutoff: int | None,
    n: int | None = None,
) -> Closed:
    """Place q of a group of judged documents has each of them with the same probability, and q of the others above."""
    pool = tied.run.pool
    of = scale(pool, gains, max_rel, n)
    judged = tied.run.grade >= 0
    rho = np.where(judged, of.value[tied.run.level], -1.0)
    if top == "keep":
        low, high = _ends(tied, task, (Scale, of.name), lambda: rho, missing=-1.0)
        low, high = low.copy(), high.copy()
    else:
        low, high = _with_first(tied, task, rho)

    view = tied.condensed()
    value = of.value[view.run.level] / pool.levels.spread(of.unit)[view.run.level]
    den = of.value * (pool.levels.spread(of.n) if norm == "absolute" else 1.0)
    factor = np.where(den > 0, of.top if norm == "absolute" else 1.0, 0.0) / np.where(den > 0, den, 1.0)
    x = value * factor[view.run.level]  # what a misplaced difference of 1 costs a document
    at, seen = _places(view), _seen(view, cutoff)
    under = (view.first - 1)[at.of.topic] + at.place  # judged documents above
    inverse = {"absolute": np.ones(under.size), "relative": 1 / np.maximum(under, 1), "relative2": 1 / (under + 1)}[
        norm
    ]
    # Differences to the documents of the groups above, and to all others of the same group.
    lost = [view.groups.total(_misplaced(view, of, factor, sign)) for sign in (1.0, -1.0)]
    inside = (lost[1] - lost[0]) / np.maximum(view.size - 1, 1)
    spread = at.of.spread
    base = view.groups.total(value)
    part = seen / spread(view.size) * (spread(base) - inverse * (spread(lost[0]) + spread(inside) * at.place))
    size = of.r / of.unit

    # What the unretrieved add: the same in every order, unless the cutoff divides a group of several kinds.
    missed: Floats = np.zeros(tied.run.n_topics)
    if unretrieved == "infinity":
        parts = rpref.summands(tied.run, norm, unretrieved, top, max_rel, gains, cutoff, n)
        assert parts.missed is not None
        missed = pool.judged.total(parts.missed)

    first = view.by_topic.first(np.ones(view.size.size, bool))
    if top == "zero":
        part[at.of.starts[first[first >= 0]]] = 0.0
    mean = _ratio(view.total(at.of.total(part)) + missed, size)
    if top == "drop":
        mean = _dropped(view, of, x, value, at.of.total(part), seen, inverse, size, missed, first)
    divided = _straddling(tied, cutoff)
    divided = tied.topic[divided[tied.mixed[divided]]]
    if unretrieved == "infinity" or (norm == "absolute" and top != "keep"):
        mean[divided] = np.nan
    elif norm == "absolute":
        # What a document of lower rho adds at the cutoff can be more than what a better one would, which counts all
        # that is misplaced above: the part of a group that is seen has to be searched.
        lows, highs = (base - lost[1]), (base - lost[0])
        ends = _cut(view, of, factor, cutoff)
        for t in divided.tolist():
            groups = np.arange(view.by_topic.offsets[t], view.by_topic.offsets[t + 1])
            cut = [g for g in groups.tolist() if g in ends]
            whole = groups[view.whole[0][groups] + view.whole[1][groups] - 1 <= (cutoff or 0)]
            if cut and size[t] > 0:
                low[t] = (lows[whole].sum() + ends[cut[0]][0]) / size[t]
                high[t] = (highs[whole].sum() + ends[cut[0]][1]) / size[t]
    return low, mean, high


def _cut(view: Tied, of: Scale, factor: Floats, cutoff: int | None) -> dict[int, tuple[float, float]]:
    """Lowest and highest part of the groups that the cutoff divides: group to sums of rho (1 - penalty)."""
    first, size = view.whole
    slots = np.clip((cutoff or 0) - first + 1, 0, size)
    run = view.memo((Scale, of.name, 1.0), lambda: view.arranged(of.value[view.run.level], 0.0))
    before = _misplaced(view, of, factor, 1.0)  # of the groups above only
    unit = run.pool.levels.spread(of.unit)[run.level]
    value = of.value[run.level]
    out = {}
    for g in np.flatnonzero((slots > 0) & (slots < size)).tolist():
        rows = slice(view.groups.offsets[g], view.groups.offsets[g + 1])
        rho, where, sizes = np.unique(value[rows], return_index=True, return_counts=True)
        at = rows.start + where
        own, cost0 = rho / unit[at], before[at]
        x = own * factor[run.level[at]]
        difference = np.maximum(rho[:, None] - rho, 0.0)
        alone = int(size[g]) - (rows.stop - rows.start)

        def term(c: int, q: int, placed: Ints) -> Floats:
            if c == rho.size:  # noqa: B023  called here only
                return np.zeros(placed.shape[1])
            return own[c] - cost0[c] - x[c] * (difference[c] @ placed[: rho.size])  # noqa: B023

        out[g] = _search(np.append(sizes, alone) if alone else sizes, int(slots[g]), term)
    return out


def _seen(view: Tied, cutoff: int | None) -> Floats:
    """Chance that each place of a condensed group lies within the cutoff of the whole list: shape (n_places,)."""
    at = _places(view)
    if cutoff is None:
        return np.ones(at.rank.size)
    first, size = view.whole
    slots = np.clip(cutoff - first + 1, 0, size)
    out = at.of.spread((slots == size) * 1.0)
    for g in np.flatnonzero((slots > 0) & (slots < size)).tolist():
        # Place q is seen if more than q of the judged documents are.
        out[at.of.offsets[g] : at.of.offsets[g + 1]] = at_least(int(size[g]), int(view.size[g]), int(slots[g]))
    return out


def _misplaced(view: Tied, of: Scale, factor: Floats, sign: float) -> Floats:
    """Cost of what is misplaced above each hit, groups by falling (1) or rising (-1) rho: (n_hits,), in that order."""
    run = view.memo((Scale, of.name, sign), lambda: view.arranged(sign * of.value[view.run.level], 0.0))
    lost = view.memo((rpref.misplaced, of.name, sign), lambda: rpref.misplaced(run, of))
    unit = run.pool.levels.spread(of.unit)[run.level]
    return lost * of.value[run.level] / unit * factor[run.level]


def _with_first(tied: Tied, task: Task, rho: Floats) -> tuple[Floats, Floats]:
    """Ends where the first judged document plays a part of its own: sorted behind each one that can be the first."""
    view = tied.condensed()
    kept = np.flatnonzero(rho >= 0)
    first = view.by_topic.first(np.ones(view.size.size, bool))
    first = first[first >= 0]
    low, high = task(tied.run), task(tied.run)
    # Hits of each topic's first group, one of each kind, kind after kind.
    kinds: list[Ints] = []
    for g in first.tolist():
        rows = kept[view.groups.offsets[g] : view.groups.offsets[g + 1]]
        kinds.append(rows[np.unique(rho[rows], return_index=True)[1]])
    for i in range(max((rows.size for rows in kinds), default=0)):
        chosen = [int(rows[min(i, rows.size - 1)]) for rows in kinds]
        for best in (True, False):
            key = rho.copy() if best else np.where(rho >= 0, -rho, np.inf)
            key[chosen] = 1e308
            values = task(tied.arranged(key, -1.0 if best else np.inf))
            low, high = np.minimum(low, values), np.maximum(high, values)
    return low, high


def _dropped(
    view: Tied,
    of: Scale,
    x: Floats,
    value: Floats,
    part: Floats,
    seen: Floats,
    inverse: Floats,
    size: Floats,
    missed: Floats,
    first: Ints,
) -> Floats:
    """Mean of rpref without the highest ranked judged document, by which of its group that is: shape (n_topics,)."""
    total = view.total(part)
    at = _places(view).of
    out = np.zeros(size.size)
    for t in np.flatnonzero((first >= 0) & (size > 0)).tolist():
        g = int(first[t])
        rows = slice(view.groups.offsets[g], view.groups.offsets[g + 1])
        places = slice(at.offsets[g], at.offsets[g + 1])
        v, cost, rho = value[rows], x[rows], of.value[view.run.level[rows]]
        k, later = v.size, total[t] - part[g] + missed[t]
        difference = np.maximum(rho[:, None] - rho, 0.0)  # of the row's document to the column's above it
        to_first = cost @ difference
        of_pair = float(cost @ difference.sum(axis=1)) - cost * difference.sum(axis=1) - to_first
        q = np.arange(1, k)
        w, inv = seen[places][1:] / max(k - 1, 1), inverse[places][1:]
        rest = (
            w.sum() * (v.sum() - v)
            - (w * inv).sum() * to_first
            - (w * inv * (q - 1)).sum() / max(k - 2, 1) * of_pair
            + later
        )
        left = of.r[t] > rho
        alone = seen[places][0] * v + rest
        out[t] = np.where(left, rest / np.where(left, size[t] - v, 1.0), alone / size[t]).mean()
    return out


# Relative position ------------------------------------------------------------------------------------------


def _triangle(first: Floats, last: Floats, begin: Floats, end: Floats) -> Floats:
    """Sum over the ranks `begin` to `end` of the position relative to the interval `first` to `last`."""
    below = np.minimum(end, first)
    above = np.maximum(begin, last)
    early = np.where(below >= begin, ((begin + below) / 2 - first) * (below - begin + 1), 0.0)
    late = np.where(end >= above, ((above + end) / 2 - last) * (end - above + 1), 0.0)
    return early + late


def _crp(tied: Tied, task: Task, *, cutoff: int | None, judged_only: bool) -> Closed:
    """Each hit stands at each rank of its group; the ends are best assignments of documents to ranks."""
    view = tied.condensed(negative=True) if judged_only else tied
    run = view.run
    of = of_crp.positions(run)
    r = of.relevant
    limit = np.minimum(r if cutoff is None else np.full(r.size, cutoff), of.depth)
    own_first, own_last = (bound.astype(np.float64) for bound in of.intervals(run))
    base = of.of_nonrelevant_upto(limit)
    topic = run.hits.topic
    other_first = (r[topic] + 1).astype(np.float64)
    other_last = of.last[topic].astype(np.float64) if of.negatives else np.full(topic.size, 1e15)
    begin = view.groups.spread(view.first).astype(np.float64)
    end = np.minimum(begin + view.groups.spread(view.size) - 1, limit[topic])
    surplus = _triangle(own_first, own_last, begin, end) - _triangle(other_first, other_last, begin, end)
    part = view.groups.total(surplus) / view.size
    mean = base + view.total(part)
    low, high = part.copy(), part.copy()
    bounds = own_first, own_last, other_first, other_last
    mixed = np.flatnonzero(view.mixed & (view.first <= limit[view.topic]))
    for n in np.unique(view.size[mixed]).tolist():
        some = mixed[view.size[mixed] == n]
        for start in range(0, some.size, max((1 << 20) // (n * n), 1)):
            here = some[start : start + max((1 << 20) // (n * n), 1)]
            low[here], high[here] = _assigned(view, here, n, bounds, limit)
    # A value of 0 where nothing is relevant.
    return tuple(np.where(r > 0, v, 0.0) for v in (base + view.total(low), mean, base + view.total(high)))  # type: ignore[return-value]


_PERMUTED = 5  # documents of a group up to which all permutations are tried, many groups at once


def _assigned(view: Tied, groups: Ints, n: int, bounds: tuple[Floats, ...], limit: Ints) -> tuple[Floats, Floats]:
    """Lowest and highest surplus of groups of n documents: (n_groups of these,), (...)."""
    rows = view.groups.rows(groups)
    which = np.repeat(np.arange(groups.size), view.groups.lengths[groups])
    rank = (view.first[groups][which, None] + np.arange(n)).astype(np.float64)
    own_first, own_last, other_first, other_last = (bound[rows][:, None] for bound in bounds)
    own = np.minimum(rank - own_first, 0.0) + np.maximum(rank - own_last, 0.0)
    other = np.minimum(rank - other_first, 0.0) + np.maximum(rank - other_last, 0.0)
    cost = np.zeros((groups.size, n, n))  # documents without a judgment have no surplus
    seen = rank <= limit[view.topic[groups]][which, None]
    cost[which, view.groups.position[rows]] = np.where(seen, own - other, 0.0)
    if n <= _PERMUTED:
        orders = np.array(list(permutations(range(n))))
        sums = np.zeros((groups.size, orders.shape[0]))
        for place in range(n):
            sums += cost[:, place, orders[:, place]]
        return sums.min(axis=1), sums.max(axis=1)
    from scipy.optimize import linear_sum_assignment

    ends = []
    for maximize in (False, True):
        chosen = [linear_sum_assignment(one, maximize=maximize) for one in cost]
        ends.append(np.array([one[at].sum() for one, at in zip(cost, chosen, strict=True)]))
    return ends[0], ends[1]


def _n_crp(tied: Tied, task: Task, *, judged_only: bool) -> Closed:
    loss = of_crp.worst(tied.run.pool)
    low, mean, high = _crp(tied, task, cutoff=None, judged_only=judged_only)
    scaled = [np.divide(v, loss, out=np.zeros_like(loss), where=(loss < 0) & (v != 0)) for v in (high, mean, low)]
    return scaled[0], scaled[1], scaled[2]


FORMS: dict[Callable[..., Floats], Form] = {
    everyday.average_precision: _average_precision,
    everyday.precision: _precision,
    everyday.recall: _recall,
    everyday.r_precision: _r_precision,
    everyday.success: _success,
    everyday.reciprocal_rank: _reciprocal_rank,
    everyday.judged: _judged,
    everyday.ndcg: _ndcg,
    everyday.host_bpref: _host_bpref,
    everyday.set_precision: _constant,
    everyday.set_recall: _constant,
    everyday.set_f: _constant,
    everyday.set_ap: _constant,
    everyday.n_retrieved: _constant,
    everyday.n_relevant: _constant,
    everyday.n_topics: _constant,
    blended.q_measure: _q_measure,
    blended.o_measure: _o_measure,
    blended.p_measure: _p_measure,
    blended.p_plus: _p_plus,
    ncu.ncu: _ncu,
    original_ndcg.original_ndcg: _original_ndcg,
    of_bpref.bpref: _bpref,
    rpref.rpref: _rpref,
    of_crp.crp: _crp,
    of_crp.n_crp: _n_crp,
    of_crp.crp_recovery: recovery,
    twist.twist: effort,
    of_known.coverage: _coverage,
    of_known.novelty: _novelty,
    of_expected.relative_recall: _relative_recall,
    of_expected.recall_effort: _recall_effort,
    of_e.f_measure: _f_measure,
    of_e.e_measure: _e_measure,
}
