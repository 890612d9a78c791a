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

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.ties.orders import Tied
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats, Ints, Segments, ratio
from irpref.measures import crp as of_crp
from irpref.measures import e_measure as of_e
from irpref.measures import everyday, original_ndcg
from irpref.measures import expected as of_expected
from irpref.measures import known as of_known

Task = Callable[[JudgedRun], Floats]
Closed = tuple[Floats, Floats, Floats]  # low, expected, high: (n_topics,)


def _ends(tied: Tied, task: Task, merit: Floats) -> tuple[Floats, Floats]:
    """Lowest and highest value: groups sorted by the merit of their documents, (n_judged,)."""

    def make() -> tuple[JudgedRun, JudgedRun]:
        key = merit[tied.run.row]
        return tied.arranged(key), tied.arranged(-key)

    one, other = (task(run) for run in tied.run.memo((_ends, merit.tobytes()), make))
    return np.minimum(one, other), np.maximum(one, other)


def _constant(tied: Tied, task: Task, **_: Any) -> Closed:
    value = task(tied.run)
    return value, value, value


# Sums over documents ------------------------------------------------------------------------------------------


class Weighted(NamedTuple):
    """A value that is start + 1/size * (sum of gain weight(rank)), or gain weight(rank) (1 + hits above) if `above`."""

    gain: Floats  # (n_judged,); its rows above 0 are the hits
    size: Floats | Ints  # (n_topics,)
    weight: Callable[[Ints], Floats] = lambda rank: np.ones(rank.size)
    above: bool = False
    start: Any = 0.0
    cutoff: Ints | None = None  # one a topic, in place of the measure's


def _summed(tied: Tied, task: Task, of: Callable[..., Weighted], **arguments: Any) -> Closed:
    this, cutoff = of(tied.run, **arguments), arguments.get("cutoff")
    low, high = _ends(tied, task, this.gain)
    view = tied.view(arguments.get("judged_only", False))
    gain = this.gain[view.run.row]
    at, group = Segments.of_lengths(view.slots(cutoff if this.cutoff is None else this.cutoff)), view.groups
    weight, total = this.weight(at.spread(view.first) + at.position), group.total(gain)
    mean = total / view.size * at.total(weight)
    if this.above:
        # At place q of the group, q of the other n - 1 documents are above.
        hits = gain > 0
        others = total * group.count(hits) - group.total(gain * hits)
        mean *= 1 + view.before(group.count(hits) * 1.0)
        mean += others / (view.size * np.maximum(view.size - 1, 1)) * at.total(weight * at.position)
    size: Floats = np.broadcast_to(this.size, low.shape).astype(np.float64)
    return low, this.start + ratio(view.by_topic.total(mean), size), high


def _relevant(run: JudgedRun, *, rel: float, **_: Any) -> Weighted:
    return Weighted((run.pool.grade >= rel) * 1.0, run.pool.count_relevant(rel))


def _r_precision(run: JudgedRun, *, rel: float, **_: Any) -> Weighted:
    return _relevant(run, rel=rel)._replace(cutoff=run.pool.count_relevant(rel))


def _judged(run: JudgedRun, *, cutoff: int | None) -> Weighted:
    size = run.n_retrieved if cutoff is None else np.minimum(run.n_retrieved, cutoff)
    return Weighted(np.ones(run.pool.grade.size), size)


def _f_measure(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> Weighted:
    n, square = run.n_retrieved if cutoff is None else cutoff, min(beta * beta, 1e300)
    return Weighted((1 + square) * (run.pool.grade >= rel), square * run.pool.count_relevant(rel) + n)


def _e_measure(run: JudgedRun, **arguments: Any) -> Weighted:
    f = _f_measure(run, **arguments)
    return f._replace(gain=-f.gain, start=1.0)


def _coverage(run: JudgedRun, *, known: str, nothing_known: str, rel: float, cutoff: int | None) -> Weighted:
    wanted = run.pool.columns["known", known] & (run.pool.grade >= rel)
    size = run.pool.judged.count(wanted)
    return Weighted(wanted * 1.0, size, start=of_known.undefined(size, nothing_known))


def _ndcg(run: JudgedRun, *, dcg: str, gains: Any, cutoff: int | None, **_: Any) -> Weighted:
    how = run.pool, gains, dcg == "exp-log2"
    return Weighted(
        everyday.level_gain(*how)[run.pool.level], everyday.ideal_dcg(*how, cutoff), lambda rank: 1 / np.log2(rank + 1)
    )


def _original_ndcg(run: JudgedRun, *, base: float, gains: Any, cutoff: int | None, **_: Any) -> Weighted:
    return Weighted(
        run.pool.level_ratio_gain(gains)[run.pool.level],
        original_ndcg.ideal_dcg(run.pool, base, gains, cutoff),
        lambda rank: 1 / original_ndcg.discount(rank, base),
    )


_SUMS: dict[Any, Callable[..., Weighted]] = {
    everyday.precision: lambda run, *, rel, cutoff, **_: Weighted((run.pool.grade >= rel) * 1.0, np.array(cutoff)),
    everyday.recall: _relevant,
    everyday.r_precision: _r_precision,
    everyday.average_precision: lambda run, **how: _relevant(run, **how)._replace(weight=lambda r: 1 / r, above=True),
    everyday.judged: _judged,
    everyday.ndcg: _ndcg,
    original_ndcg.original_ndcg: _original_ndcg,
    of_known.coverage: _coverage,
    of_e.f_measure: _f_measure,
    of_e.e_measure: _e_measure,
}


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


Worth = Callable[[int, Ints], Any]


def _at_hit(
    tied: Tied, task: Task, which: Floats, worth: Worth, *, rel: float, cutoff: int | None, judged_only: bool = False
) -> Closed:
    """`worth` of a topic and the rank of its relevant document number `which`, (n_topics,); 0 if there is none."""
    low, high = _ends(tied, task, (tied.run.pool.grade >= rel) * 1.0)
    view = tied.view(judged_only)
    number = view.groups.count(view.run.grade >= rel)
    before, wanted, mean = view.before(number * 1.0), which[view.topic], np.zeros(low.size)
    for g in np.flatnonzero((before < wanted) & (wanted <= before + number)).tolist():
        t, rank = int(view.topic[g]), view.first[g] + np.arange(view.size[g])
        chance = nth_at(rank.size, int(number[g]), int(wanted[g] - before[g]))
        mean[t] = (chance * (rank <= (cutoff or np.inf)) * worth(t, rank)).sum()
    return low, mean, high


def _first(tied: Tied, task: Task, worth: Callable[[Ints], Any], **arguments: Any) -> Closed:
    return _at_hit(tied, task, np.ones(tied.run.n_topics), lambda _, rank: worth(rank), **arguments)


def _recall_effort(tied: Tied, task: Task, *, expected: float | str | None, rel: float, cutoff: int | None) -> Closed:
    e = of_expected.wanted(tied.run, expected, rel)
    return _at_hit(tied, task, np.ceil(e), lambda t, rank: e[t] / rank, rel=rel, cutoff=cutoff)


# Relative positions -------------------------------------------------------------------------------------------


def _crp(tied: Tied, task: Task, *, judged_only: bool, cutoff: int | None = None, loss: Floats | None = None) -> Closed:
    """CRP, a sum of what each document adds at its rank alone: the ends are best assignments of documents to ranks."""
    from scipy.optimize import linear_sum_assignment

    view = tied.view(judged_only, negative=True)
    run, best, grade = view.run, of_crp.ideal(view.run.pool), view.run.pool.level_grade
    r = best.relevant
    limit = r if cutoff is None else np.full(r.size, cutoff)
    # Non-relevant documents without a judgment push the lower grades down.
    pushed = np.maximum(run.n_retrieved, r) - run.hits.lengths
    shift = run.pool.levels.spread(pushed)
    first = (best.first + np.where(grade < 0, shift, 0))[run.level, None]
    last = (best.last + np.where(grade <= 0, shift, 0))[run.level, None]
    move = np.zeros((3, r.size))  # of a group from what it adds as it is: down, on average, up
    value = task(tied.run)
    for g in np.flatnonzero(view.mixed & (view.first <= limit[view.topic])).tolist():
        rows, t = slice(view.groups.offsets[g], view.groups.offsets[g + 1]), int(view.topic[g])
        rank = view.first[g] + np.arange(view.size[g], dtype=np.float64)
        own = np.minimum(rank - first[rows], 0.0) + np.maximum(rank - last[rows], 0.0)
        other = np.minimum(rank - (r[t] + 1), 0.0) + np.maximum(rank - (r[t] + best.zeros[t] + pushed[t]), 0.0)
        surplus = np.where(rank <= limit[t], own - other, 0.0)  # (n_hits, n_ranks)
        now = surplus[np.arange(surplus.shape[0]), run.rank[rows] - view.first[g]].sum()
        ends = [surplus[linear_sum_assignment(surplus, maximize=up)].sum() for up in (False, True)]
        move[:, t] += np.array([ends[0], surplus.mean(axis=1).sum(), ends[1]]) - now
    move[:, r == 0] = 0.0
    if loss is not None:
        move = np.divide(move, loss, out=np.zeros_like(move), where=loss < 0)[::-1]
    return value + move[0], value + move[1], value + move[2]


def _n_crp(tied: Tied, task: Task, *, judged_only: bool, worst: str) -> Closed:
    run = tied.view(judged_only, negative=True).run
    loss = of_crp.worst(run.pool) if worst == "bound" else of_crp.worst_reversed(run)
    return _crp(tied, task, judged_only=judged_only, loss=loss)


FORMS: dict[Callable[..., Floats], Callable[..., Closed]] = {
    **{kernel: partial(_summed, of=of) for kernel, of in _SUMS.items()},
    **dict.fromkeys((everyday.set_precision, everyday.set_recall, everyday.set_f, everyday.set_ap), _constant),
    **dict.fromkeys((everyday.n_retrieved, everyday.n_relevant, everyday.n_topics), _constant),
    everyday.success: partial(_first, worth=np.ones_like),
    everyday.reciprocal_rank: partial(_first, worth=lambda rank: 1 / rank),
    of_expected.recall_effort: _recall_effort,
    of_crp.crp: _crp,
    of_crp.n_crp: _n_crp,
}
