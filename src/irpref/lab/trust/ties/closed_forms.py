"""Closed forms of the lowest, mean and highest value over the orders of tied documents, for each
kernel.

A group of n tied documents fills the ranks f ... f + n - 1. Each document has each of these ranks
with probability 1/n, and each pair of documents each pair of ranks with probability 1/(n (n - 1)).
Groups are ordered independently of each other, and the documents above a group do not depend on the
order inside it.

*Highest and lowest.* Swap two neighbours of a group. If moving the better one up never lowers the
value, the group sorted by falling merit has the highest value and by rising merit the lowest, since
such swaps can sort any order. Merit is relevance or gain. The kernel itself computes both orders.
(CRP, P and P+ are different: see there.)

*Mean.* By linearity, document by document.

F. McSherry and M. Najork, Computing information retrieval performance measures efficiently in the
presence of tied scores, ECIR 2008, 414-421, doi:10.1007/978-3-540-78646-7_38."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from irpref.kernel.grades import Gains
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, Segments, ratio
from irpref.lab.trust.ties.orders import Tied
from irpref.measures import blended_ratio, everyday, ncu, original_ndcg
from irpref.measures import crp as of_crp
from irpref.measures import e_measure as of_e
from irpref.measures import expected as of_expected
from irpref.measures import known as of_known

Task = Callable[[JudgedRun], Floats]
Closed = tuple[Floats, Floats, Floats]  # low, expected, high: (n_topics,)
Weight = Callable[[Ints, Ints], Floats]  # of ranks and topics, two arrays of one shape


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


# Sums over documents ------------------------------------------------------------------------------


class Weighted(NamedTuple):
    """A value start + 1/size * sum of gain * weight(rank), each times the sum of `above` down to
    the document.
    """

    gain: Floats  # (n_judged,)
    size: Floats | Ints  # (n_topics,)
    weight: Weight = lambda rank, _: np.ones(rank.size)
    above: Floats = np.zeros(0)  # (n_judged,), or empty: no such factor
    start: Any = 0.0
    cutoff: Ints | None = None  # one for each topic, instead of the measure's


def _summed(
    tied: Tied, task: Task, of: Callable[..., Weighted | None], **arguments: Any
) -> Closed | None:
    this, cutoff = of(tied.run, **arguments), arguments.get("cutoff")
    if this is None:
        return None
    low, high = _ends(tied, task, this.above if this.above.size else this.gain)
    view = tied.view(arguments.get("judged_only", False))
    mean = view.by_topic.total(
        _mean_of_groups(view, this, cutoff if this.cutoff is None else this.cutoff)
    )
    size: Floats = np.broadcast_to(this.size, low.shape).astype(np.float64)
    return low, this.start + ratio(mean, size), high


def _mean_of_groups(view: Tied, this: Weighted, cutoff: int | Ints | None) -> Floats:
    gain, at, group = this.gain[view.run.row], Segments.of_lengths(view.slots(cutoff)), view.groups
    weight, total = (
        this.weight(at.spread(view.first) + at.position, at.spread(view.topic)),
        group.total(gain),
    )
    if not this.above.size:
        return total / view.size * at.total(weight)
    above = this.above[view.run.row]
    own, of_group = group.total(gain * above), group.total(above)
    # At place q of the group, q of the other n - 1 documents are above.
    others = (total * of_group - own) / (view.size * np.maximum(view.size - 1, 1))
    mean = (own + total * view.before(of_group)) / view.size * at.total(weight)
    return mean + others * at.total(weight * at.position)


def _relevant(run: JudgedRun, *, rel: float, **_: Any) -> Weighted:
    return Weighted((run.pool.grade >= rel) * 1.0, run.pool.count_relevant(rel))


def _r_precision(run: JudgedRun, *, rel: float, **_: Any) -> Weighted:
    return _relevant(run, rel=rel)._replace(cutoff=run.pool.count_relevant(rel))


def _average_precision(run: JudgedRun, *, rel: float, **_: Any) -> Weighted:
    of = _relevant(run, rel=rel)
    return of._replace(weight=lambda rank, _: 1 / rank, above=of.gain)


def _judged(run: JudgedRun, *, cutoff: int | None) -> Weighted:
    size = run.n_retrieved if cutoff is None else np.minimum(run.n_retrieved, cutoff)
    return Weighted(np.ones(run.pool.grade.size), size)


def _f_measure(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> Weighted:
    n, square = run.n_retrieved if cutoff is None else cutoff, min(beta * beta, 1e300)
    return Weighted(
        (1 + square) * (run.pool.grade >= rel), square * run.pool.count_relevant(rel) + n
    )


def _e_measure(run: JudgedRun, **arguments: Any) -> Weighted:
    f = _f_measure(run, **arguments)
    return f._replace(gain=-f.gain, start=1.0)


def _coverage(
    run: JudgedRun, *, known: str, nothing_known: str, rel: float, cutoff: int | None
) -> Weighted:
    wanted = run.pool.columns["known", known] & (run.pool.grade >= rel)
    size = run.pool.judged.count(wanted)
    return Weighted(wanted * 1.0, size, start=of_known.undefined(size, nothing_known))


def _ndcg(run: JudgedRun, *, dcg: str, gains: Any, cutoff: int | None, **_: Any) -> Weighted:
    how = run.pool, gains, dcg == "exp-log2"
    return Weighted(
        everyday.level_gain(*how)[run.pool.level],
        everyday.ideal_dcg(*how, cutoff),
        lambda rank, _: 1 / np.log2(rank + 1),
    )


def _original_ndcg(
    run: JudgedRun, *, base: float, gains: Any, cutoff: int | None, **_: Any
) -> Weighted:
    return Weighted(
        run.pool.level_ratio_gain(gains)[run.pool.level],
        original_ndcg.ideal_dcg(run.pool, base, gains, cutoff),
        lambda rank, _: 1 / original_ndcg.discount(rank, base),
    )


def _blended(run: JudgedRun, *, beta: float, gains: Gains, **_: Any) -> Weighted:
    """Sum of the blended ratios of relevant documents, over R."""
    pool, excess = run.pool, run.pool.ratio_excess(gains)
    unit = np.ones(run.n_topics) if excess is None else np.ldexp(1.0, -excess)
    relevant, (ideal, upto) = pool.gain(gains) > 0, blended_ratio.ideal_gain(pool, gains)

    def weight(rank: Ints, topic: Ints) -> Floats:
        best = np.append(upto, 0.0)[np.minimum(ideal.starts[topic] + rank, ideal.ends[topic]) - 1]
        return 1 / (beta * best + rank * unit[topic])

    adds = beta * pool.level_ratio_gain(gains)[pool.level] + pool.judged.spread(unit)
    return Weighted(relevant * 1.0, ideal.lengths, weight, np.where(relevant, adds, 0.0))


def _q_measure(run: JudgedRun, *, cutoff: int | None, **arguments: Any) -> Weighted:
    of = _blended(run, **arguments)
    return of if cutoff is None else of._replace(size=np.minimum(of.size, cutoff))


def _ncu(
    run: JudgedRun, *, stop: str, utility: str, beta: float, gains: Gains, **_: Any
) -> Weighted | None:
    return (
        _blended(run, beta=beta if utility == "BR" else 0.0, gains=gains)
        if stop == "uniform"
        else None
    )


_SUMS: dict[Any, Callable[..., Weighted | None]] = {
    everyday.precision: lambda run, *, rel, cutoff, **_: Weighted(
        (run.pool.grade >= rel) * 1.0, np.array(cutoff)
    ),
    everyday.recall: _relevant,
    everyday.r_precision: _r_precision,
    everyday.average_precision: _average_precision,
    blended_ratio.q_measure: _q_measure,
    ncu.ncu: _ncu,
    everyday.judged: _judged,
    everyday.ndcg: _ndcg,
    original_ndcg.original_ndcg: _original_ndcg,
    of_known.coverage: _coverage,
    of_e.f_measure: _f_measure,
    of_e.e_measure: _e_measure,
}


# The first, or a certain, relevant document -------------------------------------------------------


@lru_cache(maxsize=4096)
def nth_at(n: int, marked: int, which: int) -> Floats:
    """Probability that marked document number `which` (from 1) is at place q of n, q = 0, 1 ...:
    shape (n,).

    C(q, which - 1) C(n - 1 - q, marked - which) / C(n, marked), from ratios of neighbours, since
    factorials would overflow a double."""
    out = np.zeros(n)
    low, high = which - 1, n - 1 - (marked - which)
    q = np.arange(low, high, dtype=np.float64)
    ratio = (q + 1) / (q + 2 - which) * (n - 1 - q - (marked - which)) / (n - 1 - q)
    top = int(
        np.searchsorted(-ratio, -1.0)
    )  # ratios fall, so the largest chance is where they pass 1
    chance = np.concatenate(
        [np.cumprod(1 / ratio[:top][::-1])[::-1], [1.0], np.cumprod(ratio[top:])]
    )
    out[low : high + 1] = chance / chance.sum()
    return out


Worth = Callable[[int, Ints], Any]  # of a group and of ranks in it


def _at_hit(view: Tied, which: Floats, marked: Bools, worth: Worth, cutoff: int | None) -> Floats:
    """Mean `worth` of the rank of marked document number `which`, (n_topics,); 0 if there is none."""
    number = view.groups.count(marked)
    before, wanted, mean = view.before(number * 1.0), which[view.topic], np.zeros(which.size)
    for g in np.flatnonzero((before < wanted) & (wanted <= before + number)).tolist():
        rank = view.first[g] + np.arange(view.size[g])
        chance = nth_at(rank.size, int(number[g]), int(wanted[g] - before[g]))
        mean[view.topic[g]] = (chance * (rank <= (cutoff or np.inf)) * worth(g, rank)).sum()
    return mean


def _at_relevant(
    tied: Tied,
    task: Task,
    which: Floats,
    worth: Worth,
    *,
    rel: float,
    cutoff: int | None,
    judged_only: bool = False,
) -> Closed:
    low, high = _ends(tied, task, (tied.run.pool.grade >= rel) * 1.0)
    view = tied.view(judged_only)
    return low, _at_hit(view, which, view.run.grade >= rel, worth, cutoff), high


def _first(tied: Tied, task: Task, worth: Callable[[Ints], Any], **arguments: Any) -> Closed:
    return _at_relevant(
        tied, task, np.ones(tied.run.n_topics), lambda _, rank: worth(rank), **arguments
    )


def _recall_effort(
    tied: Tied, task: Task, *, expected: float | str | None, rel: float, cutoff: int | None
) -> Closed:
    e = of_expected.wanted(tied.run, expected, rel)
    return _at_relevant(
        tied, task, np.ceil(e), lambda g, rank: e[tied.topic[g]] / rank, rel=rel, cutoff=cutoff
    )


def _o_measure(
    tied: Tied, task: Task, *, judged_only: bool, cutoff: int | None, **arguments: Any
) -> Closed:
    of, view = _blended(tied.run, **arguments), tied.view(judged_only)
    low, high = _ends(tied, task, of.above)
    above = of.above[view.run.row]
    mean = ratio(view.groups.total(above), view.groups.count(above > 0))

    def worth(g: int, rank: Ints) -> Floats:
        return mean[g] * of.weight(rank, np.full(rank.size, view.topic[g]))

    return low, _at_hit(view, np.ones(low.size), above > 0, worth, cutoff), high


# Down to the best document ------------------------------------------------------------------------


def _to_best(
    tied: Tied, task: Task, *, plus: bool, judged_only: bool, cutoff: int | None, **arguments: Any
) -> Closed:
    """P, or P+: from the place of the best document and the number of relevant ones above it."""
    of, view = _blended(tied.run, **arguments), tied.view(judged_only)
    run, group, above, slots = view.run, view.groups, of.above[view.run.row], view.slots(cutoff)
    counted, gained = view.before(group.count(above > 0) * 1.0), view.before(group.total(above))

    def ratios(sign: int) -> Floats:
        sorted_by = view.arranged(sign * above)
        own = of.above[sorted_by.row]
        br = sorted_by.hits.running(own) * of.weight(sorted_by.rank, sorted_by.hits.topic)
        return group.total((own > 0) * br)

    parts = (
        (ratios(-1), _mean_of_groups(view, of, None), ratios(1))
        if plus
        else (np.zeros(group.n),) * 3
    )
    before = np.array([view.before(part) for part in parts])
    out, visible = (
        np.zeros((3, run.n_topics)),
        np.flatnonzero((above > 0) & group.spread(slots > 0)),
    )
    for hits in (
        np.split(visible, np.flatnonzero(np.diff(run.hits.topic[visible])) + 1)
        if visible.size
        else ()
    ):
        level, t, last = run.level[hits], run.hits.topic[hits[0]], group.topic[hits[-1]]
        n, seen = (
            int(view.size[last]),
            int(slots[last]),
        )  # of the last group, which the cutoff may divide
        divided = level[group.topic[hits] == last] if seen < n else level[:0]
        low, mean, high = np.inf, 0.0, 0.0
        for best in np.unique(level).tolist():
            g = group.topic[hits[np.argmax(level == best)]]
            hidden = int((divided < best).sum())  # better documents, all below the cutoff
            chance = math.comb(n - hidden, seen) / math.comb(n, seen)
            if not chance:
                break
            rows, size = slice(group.offsets[g], group.offsets[g + 1]), int(view.size[g])
            rest = np.sort(above[rows][(run.level[rows] > best) & (above[rows] > 0)])
            k = np.arange(rest.size + 1.0)
            sums = [
                np.cumsum([0, *rest]),
                k * rest.sum() / max(rest.size, 1),
                np.cumsum([0, *rest[::-1]]),
            ]
            weight = of.weight(view.first[g] + np.arange(slots[g]), np.full(slots[g], t))
            of_best, left = above[rows][run.level[rows] == best], size - hidden * (g == last)
            ratios_of = counted[g] + k + 1 if plus else np.ones(k.size)
            three = _place_by_place(
                gained[g] + np.array(sums), of_best, weight, left, before[:, [g]], ratios_of, plus
            )
            low, mean, high = min(low, three[0]), mean + chance * three[1], max(high, three[2])
            if slots[g] == size:
                break
        else:  # every relevant document may be below the cutoff
            low = 0.0 if n - divided.size >= seen else low
        out[:, t] = low, mean, high
    return out[0], out[1], out[2]


def _place_by_place(
    upto: Floats, best: Floats, weight: Floats, n: int, before: Floats, size: Floats, plus: bool
) -> tuple[float, float, float]:
    """Lowest, mean and highest value over the orders of the group that holds the best documents.

    The mean counts orders in which the best document is below the places that are seen as 0.

    Parameters
    ----------
    upto : float array (3, m + 1)
        Numerator of the blended ratio of relevant document number k: lowest, mean, highest.
    best : float array (n_best,)
        What each of the best documents adds to the numerator.
    weight : float array (n_seen,)
        1 / denominator at each place that is seen.
    n : int
        Documents that these places can hold.
    before : float array (3, 1)
        Sum of the blended ratios in the groups above.
    size : float array (m + 1,)
        Number of ratios in the mean, by the number of relevant documents above the best one.
    plus : bool
        Whether the mean includes the ratios of these documents, too.
    """
    m = size.size - 1
    k, share = np.arange(m + 1), np.ones((3, m + 1))
    none = np.array([[np.inf], [0.0], [-np.inf]])
    # By the number of relevant documents so far: `share`, with its chance in the second row, and
    # the lowest, mean and highest sum of their ratios, the mean times this chance.
    share[1, 1:], sums = 0.0, np.repeat(none, m + 1, axis=1)
    sums[:, 0] = 0.0
    low, mean, high = np.inf, 0.0, -np.inf
    for place, w in enumerate(weight[: n - best.size + 1].tolist()):
        left = n - place
        values = (sums + share * (before + (upto + best[0]) * w)) / size
        low, high = min(low, values[0].min()), max(high, values[2].max())
        mean += values[1].sum() * best.size / left
        relevant, other = (m - k) / left, np.maximum(left - best.size - (m - k), 0) / left
        more = sums[:, :-1] + plus * share[:, :-1] * upto[:, 1:] * w
        sums = np.where(other > 0, sums, none)
        sums[1] *= other
        sums[0, 1:] = np.minimum(sums[0, 1:], more[0])
        sums[1, 1:] += more[1] * relevant[:-1]
        sums[2, 1:] = np.maximum(sums[2, 1:], more[2])
        share[1, 1:], share[1, 0] = (
            share[1, 1:] * other[1:] + share[1, :-1] * relevant[:-1],
            share[1, 0] * other[0],
        )
    return low, mean, high


# Relative positions -------------------------------------------------------------------------------


def _crp(
    tied: Tied,
    task: Task,
    *,
    judged_only: bool,
    cutoff: int | None = None,
    loss: Floats | None = None,
) -> Closed:
    """CRP: each document adds a term that depends on its rank alone, so the ends are optimal
    assignments to ranks.
    """
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
    move = np.zeros((3, r.size))  # change of a group from what it adds now: lowest, mean, highest
    value = task(tied.run)
    for g in np.flatnonzero(view.mixed & (view.first <= limit[view.topic])).tolist():
        rows, t = slice(view.groups.offsets[g], view.groups.offsets[g + 1]), int(view.topic[g])
        rank = view.first[g] + np.arange(view.size[g], dtype=np.float64)
        own = np.minimum(rank - first[rows], 0.0) + np.maximum(rank - last[rows], 0.0)
        other = np.minimum(rank - (r[t] + 1), 0.0) + np.maximum(
            rank - (r[t] + best.zeros[t] + pushed[t]), 0.0
        )
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


# A form returns None for arguments without a closed form.
FORMS: dict[Callable[..., Floats], Callable[..., Closed | None]] = {
    **{kernel: partial(_summed, of=of) for kernel, of in _SUMS.items()},
    **dict.fromkeys(
        (everyday.set_precision, everyday.set_recall, everyday.set_f, everyday.set_ap), _constant
    ),
    **dict.fromkeys((everyday.n_retrieved, everyday.n_relevant, everyday.n_topics), _constant),
    everyday.success: partial(_first, worth=np.ones_like),
    everyday.reciprocal_rank: partial(_first, worth=lambda rank: 1 / rank),
    of_expected.recall_effort: _recall_effort,
    blended_ratio.o_measure: _o_measure,
    blended_ratio.p_measure: partial(_to_best, plus=False),
    blended_ratio.p_plus: partial(_to_best, plus=True),
    of_crp.crp: _crp,
    of_crp.n_crp: _n_crp,
}
