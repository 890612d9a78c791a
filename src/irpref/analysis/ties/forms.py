"""Lowest, mean and highest value over the orders of tied documents in closed form, kernel by kernel.

A group of n tied documents fills the ranks f ... f + n - 1. Each document has each of these ranks with probability
1/n, and each pair of documents each pair of ranks with probability 1/(n (n - 1)). Groups are ordered independently of
each other, and what is above a group does not depend on the order inside it.

*Highest and lowest.* Two neighbours of a group change places. If the better one moving up never lowers the value, the
group by falling merit has the highest value and by rising merit the lowest: any order becomes sorted by such steps.
Merit is relevance or gain. The kernel itself computes both orders.

*Mean.* By linearity, document by document.

F. McSherry and M. Najork, Computing information retrieval performance measures efficiently in the presence of tied
scores, ECIR 2008, 414-421, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from irpref.analysis.ties.orders import Tied
from irpref.arrays.judgments import Gains
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.measures import e_measure as of_e
from irpref.measures import everyday, original_ndcg
from irpref.measures import expected as of_expected
from irpref.measures import known as of_known

Task = Callable[[JudgedRun], Floats]
Closed = tuple[Floats, Floats, Floats]  # low, expected, high: (n_topics,)
Form = Callable[..., Closed]


def _ends(tied: Tied, task: Task, name: Hashable, merit: Callable[[], Floats]) -> tuple[Floats, Floats]:
    """Lowest and highest value: groups sorted by `merit`, (n_hits,); measures of the same name share the runs."""

    def make() -> tuple[JudgedRun, JudgedRun]:
        key = merit()
        return tied.arranged(key), tied.arranged(-key)

    one, other = (task(run) for run in tied.memo((_ends, name), make))
    return np.minimum(one, other), np.maximum(one, other)


def _by_relevance(tied: Tied, task: Task, rel: float) -> tuple[Floats, Floats]:
    return _ends(tied, task, (_by_relevance, rel), lambda: (tied.run.grade >= rel) * 1.0)


def _ratio(numerator: Floats, denominator: Any) -> Floats:
    out = np.zeros(numerator.size)
    return np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)


def _constant(tied: Tied, task: Task, **_: Any) -> Closed:
    value = task(tied.run)
    return value, value, value


# Counts within a cutoff ---------------------------------------------------------------------------------------


def _share(tied: Tied, mask: Bools, cutoff: int | Ints | None) -> Floats:
    """Expected number of hits of a kind within the cutoff: shape (n_topics,)."""
    return tied.total(tied.groups.count(mask) * tied.slots(cutoff) / tied.size)


def _found(tied: Tied, rel: float, judged_only: bool, cutoff: int | Ints | None) -> Floats:
    view = tied.view(judged_only)
    return _share(view, view.run.grade >= rel, cutoff)


def _precision(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    return low, _found(tied, rel, judged_only, cutoff) / cutoff, high


def _recall(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int | None = None) -> Closed:
    """R, and R-precision if there is no cutoff."""
    low, high = _by_relevance(tied, task, rel)
    size = tied.run.pool.count_relevant(rel)
    return low, _ratio(_found(tied, rel, judged_only, size if cutoff is None else cutoff), size), high


def _judged(tied: Tied, task: Task, *, cutoff: int | None) -> Closed:
    low, high = _ends(tied, task, _judged, lambda: np.ones(tied.run.rank.size))
    size = tied.run.n_retrieved if cutoff is None else np.minimum(tied.run.n_retrieved, cutoff)
    return low, _ratio(_share(tied, np.ones(tied.run.rank.size, bool), cutoff), size), high


def _f_measure(tied: Tied, task: Task, *, beta: float, rel: float, cutoff: int | None) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    n = tied.run.n_retrieved if cutoff is None else cutoff
    square = min(beta * beta, 1e300)
    found = (1 + square) * _found(tied, rel, False, cutoff)
    return low, _ratio(found, square * tied.run.pool.count_relevant(rel) + n), high


def _e_measure(tied: Tied, task: Task, **arguments: Any) -> Closed:
    # `task` is E: its ends are right as they are, of the mean the complement is asked for.
    low, mean, high = _f_measure(tied, task, **arguments)
    return low, 1 - mean, high


def _coverage(tied: Tied, task: Task, *, known: str, nothing_known: str, rel: float, cutoff: int | None) -> Closed:
    pool = tied.run.pool
    wanted = pool.columns["known", known] & (pool.grade >= rel)
    here = wanted[tied.run.row]
    low, high = _ends(tied, task, (_coverage, known, rel), lambda: here * 1.0)
    size = pool.judged.count(wanted)
    mean = _share(tied, here, cutoff) / np.maximum(size, 1) + of_known.undefined(size, nothing_known)
    return low, mean, high


# The first, or a certain, relevant document -------------------------------------------------------------------


@lru_cache(maxsize=4096)
def nth_at(n: int, marked: int, which: int) -> Floats:
    """Chance that marked document number `which` (from 1) is at place q of n, q = 0, 1 ...: shape (n,).

    C(q, which - 1) C(n - 1 - q, marked - which) / C(n, marked), from ratios of neighbours: factorials would leave the
    range of a double.
    """
    out = np.zeros(n)
    low, high = which - 1, n - 1 - (marked - which)
    q = np.arange(low, high, dtype=np.float64)
    ratio = (q + 1) / (q + 2 - which) * (n - 1 - q - (marked - which)) / (n - 1 - q)
    top = int(np.searchsorted(-ratio, -1.0))  # ratios fall, so that the largest chance is where they pass 1
    chance = np.concatenate([np.cumprod(1 / ratio[:top][::-1])[::-1], [1.0], np.cumprod(ratio[top:])])
    out[low : high + 1] = chance / chance.sum()
    return out


def _passage(tied: Tied, mask: Bools, which: Floats, worth: Callable[[int, Ints], Floats]) -> Floats:
    """Mean worth of the rank of hit number `which` (n_topics,) of a kind, 0 if there is none: shape (n_topics,)."""
    out = np.zeros(tied.run.n_topics)
    number = tied.groups.count(mask)
    before = tied.before(number * 1.0)
    wanted = which[tied.topic]
    for g in np.flatnonzero((before < wanted) & (wanted <= before + number)).tolist():
        n, t = int(tied.size[g]), int(tied.topic[g])
        chance = nth_at(n, int(number[g]), int(wanted[g] - before[g]))
        out[t] = (chance * worth(t, tied.first[g] + np.arange(n))).sum()
    return out


def _first(
    tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int | None, worth: Callable[[Ints], Any]
) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    view, limit = tied.view(judged_only), np.inf if cutoff is None else cutoff
    one = np.ones(tied.run.n_topics)
    return low, _passage(view, view.run.grade >= rel, one, lambda _, rank: (rank <= limit) * worth(rank)), high


def _recall_effort(tied: Tied, task: Task, *, expected: float | str | None, rel: float, cutoff: int | None) -> Closed:
    relevant = tied.run.grade >= rel
    low, high = _by_relevance(tied, task, rel)
    limit = np.inf if cutoff is None else cutoff
    e = of_expected.wanted(tied.run, expected, rel)
    return low, _passage(tied, relevant, np.ceil(e), lambda t, rank: e[t] * (rank <= limit) / rank), high


# Sums over documents ------------------------------------------------------------------------------------------


def _pairs(view: Tied, gain: Floats, above: Floats, weight: Callable[[Ints], Floats], cutoff: int | None) -> Floats:
    """Mean of the sum of gain weight(rank) (1 + sum of `above` over the documents above): shape (n_topics,).

    gain, above : (n_hits,), 0 for documents without a judgment
    """
    at, group = Segments.of_lengths(view.size), view.groups
    rank = at.spread(view.first) + at.position
    u, v = group.total(gain), group.total(above)
    # At place q of the group, q of the other n - 1 documents are above.
    level = (u + u * view.before(v)) / view.size
    slope = (u * v - group.total(gain * above)) / (view.size * np.maximum(view.size - 1, 1))
    seen = weight(rank) if cutoff is None else np.where(rank <= cutoff, weight(rank), 0.0)
    return view.total(level * at.total(seen) + slope * at.total(seen * at.position))


def _average_precision(tied: Tied, task: Task, *, rel: float, judged_only: bool, cutoff: int | None) -> Closed:
    low, high = _by_relevance(tied, task, rel)
    view = tied.view(judged_only)
    relevant = (view.run.grade >= rel) * 1.0
    return (
        low,
        _ratio(_pairs(view, relevant, relevant, lambda r: 1 / r, cutoff), tied.run.pool.count_relevant(rel)),
        high,
    )


def _discounted(
    tied: Tied, task: Task, gain: Floats, ideal: Floats, name: Hashable, discount: Any, judged_only: bool, cutoff: Any
) -> Closed:
    """gain : (n_levels,)"""
    low, high = _ends(tied, task, name, lambda: gain[tied.run.level])
    view = tied.view(judged_only)
    hits = gain[view.run.level]
    return low, _ratio(_pairs(view, hits, np.zeros(hits.size), lambda r: 1 / discount(r), cutoff), ideal), high


def _ndcg(tied: Tied, task: Task, *, dcg: str, gains: Gains, judged_only: bool, cutoff: int | None) -> Closed:
    pool, exponential = tied.run.pool, dcg == "exp-log2"
    gain, ideal = everyday.level_gain(pool, gains, exponential), everyday.ideal_dcg(pool, gains, exponential, cutoff)
    return _discounted(
        tied, task, gain, ideal, (_ndcg, gains, exponential), lambda r: np.log2(r + 1), judged_only, cutoff
    )


def _original_ndcg(
    tied: Tied, task: Task, *, base: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Closed:
    gain, ideal = tied.run.pool.level_ratio_gain(gains), original_ndcg.ideal_dcg(tied.run.pool, base, gains, cutoff)
    return _discounted(
        tied, task, gain, ideal, (_original_ndcg, gains), lambda r: original_ndcg.discount(r, base), judged_only, cutoff
    )


FORMS: dict[Callable[..., Floats], Form] = {
    everyday.average_precision: _average_precision,
    everyday.precision: _precision,
    everyday.recall: _recall,
    everyday.r_precision: _recall,
    everyday.success: partial(_first, worth=np.ones_like),
    everyday.reciprocal_rank: partial(_first, worth=lambda rank: 1 / rank),
    everyday.judged: _judged,
    everyday.ndcg: _ndcg,
    everyday.set_precision: _constant,
    everyday.set_recall: _constant,
    everyday.set_f: _constant,
    everyday.set_ap: _constant,
    everyday.n_retrieved: _constant,
    everyday.n_relevant: _constant,
    everyday.n_topics: _constant,
    original_ndcg.original_ndcg: _original_ndcg,
    of_known.coverage: _coverage,
    of_expected.recall_effort: _recall_effort,
    of_e.f_measure: _f_measure,
    of_e.e_measure: _e_measure,
}
