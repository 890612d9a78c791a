"""Lowest, mean and highest value over the orders of tied documents, from the form of a value (see
`irpref.kernel.uncertain`).

A group of n tied documents fills the ranks f ... f + n - 1. Each document has each of these ranks
with probability 1/n, and each pair of documents each pair of ranks with probability 1/(n (n - 1)).
Groups are ordered independently of each other, and the documents above a group do not depend on the
order inside it.

*Highest and lowest.* Swap two neighbours of a group. If moving the better one up never lowers the
value, the group sorted by falling merit has the highest value and by rising merit the lowest, since
such swaps can sort any order. Merit is relevance or gain. The kernel itself computes both orders.

*Mean.* By linearity, document by document.

F. McSherry and M. Najork, Computing information retrieval performance measures efficiently in the
presence of tied scores, ECIR 2008, 414-421, doi:10.1007/978-3-540-78646-7_38."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from irpref.kernel import Floats, JudgedRun, OneDocument, Segments, Unmoved, WeightedSum, ratio
from irpref.values import Task
from irpref_lab.trust.ties.orders import Tied

Closed = tuple[Floats, Floats, Floats]  # low, expected, high: (n_topics,)


def closed(
    tied: Tied,
    task: Task,
    form: WeightedSum | OneDocument | Unmoved,
    *,
    cutoff: int | None = None,
    judged_only: bool = False,
) -> Closed:
    """Compute the lowest, mean and highest value of each topic.

    Parameters
    ----------
    tied : Tied
    task : kernel with its arguments
    form : the form of its value, which `tied.run` has
    cutoff, judged_only : parameters of the measure
    """
    if isinstance(form, Unmoved):
        value = task(tied.run)
        return value, value, value
    low, high = _ends(tied, task, form.merit)
    view = tied.view(judged_only)
    if isinstance(form, OneDocument):
        return low, _mean_of_one(view, form, cutoff), high
    total = view.by_topic.total(_mean_of_groups(view, form, cutoff))
    size: Floats = np.broadcast_to(form.size, low.shape).astype(np.float64)
    return low, form.start + ratio(total, size), high


def _ends(tied: Tied, task: Task, merit: Floats) -> tuple[Floats, Floats]:
    """Compute the lowest and the highest value: groups sorted by the merit of their documents,
    (n_judged,).
    """

    def compute() -> tuple[JudgedRun, JudgedRun]:
        key = merit[tied.run.row]
        return tied.arranged(key), tied.arranged(-key)

    one, other = (task(run) for run in tied.run.memo((_ends, merit.tobytes()), compute))
    return np.minimum(one, other), np.maximum(one, other)


def _mean_of_groups(view: Tied, form: WeightedSum, cutoff: int | None) -> Floats:
    """Average the amount that each group adds to the sum: shape (n_groups,)."""
    gain, group = form.gain[view.run.row], view.groups
    at = Segments.of_lengths(view.slots(cutoff if form.cutoff is None else form.cutoff))
    weight = form.weight(at.spread(view.first) + at.position, at.spread(view.topic))
    total = group.total(gain)
    if form.above is None:
        return total / view.size * at.total(weight)
    above = form.above[view.run.row]
    own, of_group = group.total(gain * above), group.total(above)
    # At place q of the group, q of the other n - 1 documents are above.
    others = (total * of_group - own) / (view.size * np.maximum(view.size - 1, 1))
    mean = (own + total * view.before(of_group)) / view.size * at.total(weight)
    return mean + others * at.total(weight * at.position)


def _mean_of_one(view: Tied, form: OneDocument, cutoff: int | None) -> Floats:
    """Average gain * weight(rank) of the document that counts: shape (n_topics,); 0 if there is
    none.
    """
    gain = form.gain[view.run.row]
    number = view.groups.count(gain > 0)
    mean_gain = ratio(view.groups.total(gain), number)
    before, mean = view.before(number * 1.0), np.zeros(view.run.n_topics)
    wanted = np.ones(before.size) if form.which is None else form.which[view.topic]
    for g in np.flatnonzero((before < wanted) & (wanted <= before + number)).tolist():
        rank = view.first[g] + np.arange(view.size[g])
        chance = nth_at(rank.size, int(number[g]), int(wanted[g] - before[g]))
        worth = mean_gain[g] * form.weight(rank, np.full(rank.size, view.topic[g]))
        mean[view.topic[g]] = (chance * (rank <= (cutoff or np.inf)) * worth).sum()
    return mean


@lru_cache(maxsize=4096)
def nth_at(n: int, marked: int, which: int) -> Floats:
    """Compute the probability that marked document number `which` (from 1) is at place q of n:
    shape (n,), for q = 0, 1 ...

    C(q, which - 1) C(n - 1 - q, marked - which) / C(n, marked), from ratios of neighbours, since
    factorials would overflow a double."""
    out = np.zeros(n)
    low, high = which - 1, n - 1 - (marked - which)
    q = np.arange(low, high, dtype=np.float64)
    ratios = (q + 1) / (q + 2 - which) * (n - 1 - q - (marked - which)) / (n - 1 - q)
    # The ratios fall, so the largest chance is where they pass 1.
    top = int(np.searchsorted(-ratios, -1.0))
    chance = np.concatenate(
        [np.cumprod(1 / ratios[:top][::-1])[::-1], [1.0], np.cumprod(ratios[top:])]
    )
    out[low : high + 1] = chance / chance.sum()
    return out
