"""Twist: the effort of a ranking, from the recovery value and the sizes of the displacements. 1 is best.

    tau   = (rho + sigma) / 2
    sigma = harmonic mean of 1 - RP+(run) / RP+(full) and 1 - RP-(run) / RP-(full)
    rho   = R / max(R, b),   b the last rank before CRP is first positive; if it never is: 1 where the
            curve is 0 all along, else 0

RP+, RP-  sums of the positive and of the negative relative positions down to `depth`
full      the ideal list, cut at `depth`, in reverse

N. Ferro, G. Silvello, H. Keskustalo, A. Pirkola and K. Järvelin, The twist measure for IR evaluation: taking
user's effort into account, JASIST 67(3), 2016, 620-648, doi:10.1002/asi.23416. The formulas, and the rule for rho,
which is not that of `CRPRecovery`, are those of the authors' toolkit MATTERS (`twist.m`).

Decided here: nothing relevant retrieved or in the pool gives 0; a list in perfect reverse has sigma 0 (MATTERS:
0/0); where R exceeds `depth`, R is the depth (MATTERS stops); negative grades are grades below non-relevant.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from irpref.declare import KernelMeasure, Param, register
from irpref.judged import JudgedRun
from irpref.measures.crp import crp_curve, ideal, positions
from irpref.segments import Floats, Ints


def _rank_sum(first: Floats, last: Floats) -> Floats:
    """first + ... + last, 0 where last < first."""
    n = np.maximum(last - first + 1, 0)
    return n * (first + last) / 2


def _full(run: JudgedRun, depth: Ints, last: Ints) -> tuple[Floats, Floats]:
    """RP+ and RP- of the reversed ideal list: (n_topics,), (n_topics,).

    `last`: last rank of the non-relevant documents in the ideal list.
    """
    pool = run.pool
    best = ideal(pool)
    r = best.relevant
    pushed = pool.judged.spread(last - r - best.zeros)
    low = np.where(pool.grade < 0, pushed, 0)
    place = pool.judged.position + 1 + low
    rank = pool.judged.spread(depth) + 1 - place
    rp = np.minimum(rank - (best.first + low), 0.0) + np.maximum(rank - (best.last + low), 0.0)
    counts = (pool.grade != 0) & (rank >= 1)
    plus = pool.judged.total(np.where(counts, np.maximum(rp, 0.0), 0.0))
    minus = pool.judged.total(np.where(counts, np.minimum(rp, 0.0), 0.0))
    # Non-relevant documents stand at ranks `from_` to `to`.
    from_, to = np.maximum(depth + 1.0 - last, 1.0), (depth - r).astype(np.float64)
    top = np.minimum(to, r)
    minus += _rank_sum(from_, top) - np.maximum(top - from_ + 1, 0) * (r + 1)
    begin = np.maximum(from_, last + 1.0)
    plus += _rank_sum(begin, to) - np.maximum(to - begin + 1, 0) * last
    return plus, minus


def twist(run: JudgedRun, *, depth: int) -> Floats:
    """Twist of each topic: shape (n_topics,), in [0, 1], higher is better."""
    best = ideal(run.pool)
    r = best.relevant
    # A view has one cutoff for all topics; where R exceeds the depth nothing is cut below R.
    n = np.maximum(depth, r)
    keep = run.rank <= run.hits.spread(n)
    view = JudgedRun(
        run.pool, run.hits.where(keep), run.rank[keep], run.row[keep], np.minimum(run.n_retrieved, n)
    )
    of = positions(view, n)
    plus = view.hits.total(np.maximum(of.rp, 0.0))
    alone = of.of_nonrelevant(view.hits.topic, view.rank)
    minus = of.of_nonrelevant_upto(r) + view.hits.total(np.minimum(of.rp, 0.0) - np.minimum(alone, 0.0))
    surplus = view.hits.running(of.rp - alone)
    above = view.hits.first(surplus + of.of_nonrelevant_upto(view.rank, view.hits.topic) > 0)
    first_above = np.append(view.rank, 0)[above]
    rare = best.negatives
    if rare.any():
        ranks, rp = crp_curve(view, n)
        found = ranks.first(ranks.running(rp) > 0)
        plus = np.where(rare, ranks.total(np.maximum(rp, 0.0)), plus)
        minus = np.where(rare, ranks.total(np.minimum(rp, 0.0)), minus)
        first_above = np.where(rare, np.append(ranks.position + 1, 0)[found], first_above)
    still = (plus == 0) & (minus == 0)
    rho = np.where(first_above > 0, r / np.maximum(np.maximum(r, first_above - 1), 1), still * 1.0)
    most_plus, most_minus = _full(view, n, of.last)
    a = 1 - np.divide(plus, most_plus, out=np.zeros_like(plus), where=most_plus > 0)
    b = 1 - np.divide(minus, most_minus, out=np.zeros_like(minus), where=most_minus < 0)
    sigma = np.divide(2 * a * b, a + b, out=np.zeros_like(a), where=a + b > 0)
    found_any = view.hits.count(view.grade > 0) > 0
    return np.where(found_any, (rho + sigma) / 2, 0.0)


class _Twist(KernelMeasure):
    """Effort that misplaced documents cost, from how soon they are made good and how far they are misplaced."""

    __name__ = NAME = "Twist"
    PRETTY_NAME = "Twist"
    SHORT_DESC = "Recovery value and size of the displacements in one number."
    QUESTION = "How much effort do misplaced documents spare or cost the user?"
    SOURCE = "Ferro et al., JASIST 2016, doi:10.1002/asi.23416; MATTERS twist.m"
    SUPPORTED_PARAMS: ClassVar[dict[str, Any]] = {
        "depth": Param(int, "ranks that are looked at; shorter lists are filled up", default=1000, minimum=1)
    }
    kernel = staticmethod(twist)


Twist = register(_Twist())
