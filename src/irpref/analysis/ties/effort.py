"""Twist over the orders of tied documents: how far documents are displaced, and when the curve first rises above 0.

The value follows from three things: the sums of the positive and of the negative relative positions, and the rank
before which the curve is first above 0. The curve is the sum of the two sums, so that they, and the number of documents
of each kind that a group has left, are all that the ranks below need to know. Where the curve rises above 0, a part of
the chance gets its recovery value, and keeps it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.ties.groups import Tied
from irpref.analysis.ties.walk import TooManyError, Walk
from irpref.arrays.segments import Bools, Floats
from irpref.measures import crp as of_crp
from irpref.measures import twist as of_twist


class _Sums(NamedTuple):
    """What the sums can be: arrays (n_plus, n_minus), for plus, plus + 1, ... and minus, minus + 1, ..."""

    plus: int
    minus: int
    below: Floats  # chance of a curve that was never above 0
    maybe: Bools  # whether there is one, apart from the chance, which can be too small for a double
    above: Floats  # chance of one that was
    best: Floats  # and its highest recovery value, -inf where there is none
    worst: Floats  # the lowest, inf where there is none


class _Walk(Walk[_Sums]):
    """Gives those whose curve is above 0 their recovery value."""

    def moved(self, at: _Sums, rp: float) -> _Sums:
        return at._replace(plus=at.plus + max(int(rp), 0), minus=at.minus + min(int(rp), 0))

    def arrive(self, at: _Sums, rank: int) -> _Sums:
        n_plus, n_minus = at.below.shape
        # The highest that the curve can be: most ranks end here.
        if at.plus + at.minus + n_plus + n_minus - 2 <= 0 or not at.maybe.any():
            return at
        self.steps += at.below.size
        curve = at.plus + at.minus + np.arange(n_plus)[:, None] + np.arange(n_minus)
        rises = at.maybe & (curve > 0)
        if not rises.any():
            return at
        value = self.relevant / max(self.relevant, rank - 1)
        chance = np.where(rises, at.below, 0.0)
        self.mean += value * float(chance.sum())
        return at._replace(
            below=at.below - chance,
            maybe=at.maybe & ~rises,
            above=at.above + chance,
            best=np.where(rises, np.maximum(at.best, value), at.best),
            worst=np.where(rises, np.minimum(at.worst, value), at.worst),
        )

    def merged(self, parts: list[tuple[float, _Sums]]) -> _Sums:
        plus, minus = min(at.plus for _, at in parts), min(at.minus for _, at in parts)
        shape = (
            max(at.plus + at.below.shape[0] for _, at in parts) - plus,
            max(at.minus + at.below.shape[1] for _, at in parts) - minus,
        )
        self.steps += shape[0] * shape[1]
        self.check()
        out = _Sums(
            plus,
            minus,
            np.zeros(shape),
            np.zeros(shape, bool),
            np.zeros(shape),
            np.full(shape, -np.inf),
            np.full(shape, np.inf),
        )
        for share, at in parts:
            i, j = at.plus - plus, at.minus - minus
            here = slice(i, i + at.below.shape[0]), slice(j, j + at.below.shape[1])
            out.below[here] += share * at.below
            out.maybe[here] |= at.maybe
            out.above[here] += share * at.above
            out.best[here] = np.maximum(out.best[here], at.best)
            out.worst[here] = np.minimum(out.worst[here], at.worst)
        return out


def _start() -> _Sums:
    one = np.ones((1, 1))
    return _Sums(0, 0, one, one > 0, one * 0, one * -np.inf, one * np.inf)


def effort(tied: Tied, task: Any, *, depth: int) -> tuple[Floats, Floats, Floats]:
    """Lowest, mean and highest Twist: (n_topics,) each, NaN where there is too much to count."""
    run = tied.run
    best = of_crp.ideal(run.pool)
    n = np.maximum(depth, best.relevant)
    cut = of_twist.shown(run, n)
    ranks, rp = of_crp.crp_curve(cut, n)
    of = of_crp.positions(cut, n)
    bounds = of.intervals(run)
    slots = tied.slots(n)
    relevant = tied.groups.count(run.grade > 0)
    value = task(run)
    low, mean, high = value.copy(), value.copy(), value.copy()
    most = of_twist.largest(cut, n)
    for t in np.unique(tied.topic[tied.mixed & (slots > 0)]).tolist():
        groups = np.arange(tied.by_topic.offsets[t], tied.by_topic.offsets[t + 1])
        whole = slots[groups] == tied.size[groups]
        found = relevant[groups[whole]].any()
        groups = groups[tied.mixed[groups] & (slots[groups] > 0)]
        divided = (slots[groups] < tied.size[groups]).any()
        if divided and (best.negatives[t] or not found):
            mean[t] = np.nan  # the list of reference, or whether anything relevant is seen, depends on the order
            continue
        if not found:
            continue
        own = rp[ranks.offsets[t] : ranks.offsets[t + 1]]
        walk = _Walk(int(best.relevant[t]))
        try:
            at = walk.down(_start(), tied, groups, slots, bounds, of, own)
        except TooManyError:
            mean[t] = np.nan
            continue
        plus = (at.plus + np.arange(at.below.shape[0]) * 1.0)[:, None] + np.zeros(at.below.shape[1])
        minus = (at.minus + np.arange(at.below.shape[1]) * 1.0) + np.zeros(at.below.shape[0])[:, None]
        sigma = of_twist.space(plus, minus, np.full(plus.shape, most[0][t]), np.full(plus.shape, most[1][t]))
        still = ((plus == 0) & (minus == 0)) * 1.0
        rho = walk.mean + float((at.below * still).sum())
        mean[t] = (rho + float(((at.below + at.above) * sigma).sum())) / 2
        ends = [(sigma[at.maybe] + still[at.maybe]) / 2]
        rose = at.best > -np.inf
        ends += [(sigma[rose] + at.best[rose]) / 2, (sigma[rose] + at.worst[rose]) / 2]
        low[t], high[t] = np.concatenate(ends).min(), np.concatenate(ends).max()
    return low, mean, high
