"""The recovery value over the orders of tied documents: where the CRP curve is back at 0, step by step.

The balance point depends on the whole way of the curve, but all that the ranks below need to know of the ranks above
is where the curve stands, and how many documents of each kind the present group has left. Both are counted: the chance
of every whole number that the curve can stand at, for every number of documents placed. Where the curve is back at 0
that part of the chance has found its balance point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irpref.analysis.ties.groups import Tied
from irpref.analysis.ties.walk import TooManyError, Walk
from irpref.arrays.segments import Bools, Floats
from irpref.measures import crp as of_crp


class _At(NamedTuple):
    """Where the curve can stand: at `low`, `low + 1`, ..."""

    low: int
    chance: Floats
    possible: Bools  # apart from the chance, which can be too small for a double


class _Walk(Walk[_At]):
    """Takes out what has found its balance point."""

    def __init__(self, relevant: int) -> None:
        super().__init__(relevant)
        self.values: list[float] = []

    def moved(self, at: _At, rp: float) -> _At:
        return _At(at.low + int(rp), at.chance, at.possible)

    def arrive(self, at: _At, rank: int) -> _At:
        self.steps += at.chance.size
        self.check()
        if rank < self.relevant:
            return at
        back = max(-at.low, 0)
        if at.possible[back:].any():
            value = self.relevant / rank
            self.mean += float(at.chance[back:].sum()) * value
            self.values.append(value)
        return _At(at.low, at.chance[:back], at.possible[:back])

    def merged(self, parts: list[tuple[float, _At]]) -> _At:
        low = min(at.low for _, at in parts)
        width = max(at.low + at.chance.size for _, at in parts) - low
        chance, possible = np.zeros(width), np.zeros(width, bool)
        for share, at in parts:
            begin = at.low - low
            chance[begin : begin + at.chance.size] += share * at.chance
            possible[begin : begin + at.chance.size] |= at.possible
        return _At(low, chance, possible)


def recovery(tied: Tied, task: Any, *, cutoff: int | None, judged_only: bool) -> tuple[Floats, Floats, Floats]:
    """Lowest, mean and highest recovery value: (n_topics,) each, NaN where there is too much to count."""
    view = tied.condensed(negative=True) if judged_only else tied
    cut = view.run.at(cutoff)
    of = of_crp.positions(cut)
    negatives = of_crp.ideal(view.run.pool).negatives
    ranks, rp = of_crp.crp_curve(cut)
    bounds = of.intervals(view.run)
    slots = view.slots(cutoff)
    value = task(tied.run)
    low, mean, high = value.copy(), value.copy(), value.copy()
    for t in np.unique(view.topic[view.mixed & (slots > 0)]).tolist():
        groups = np.arange(view.by_topic.offsets[t], view.by_topic.offsets[t + 1])
        groups = groups[view.mixed[groups] & (slots[groups] > 0)]
        if not of.relevant[t]:
            continue
        if negatives[t] and (slots[groups] < view.size[groups]).any():
            # How far negative grades are pushed down depends on how many judged documents are seen.
            mean[t] = np.nan
            continue
        own = rp[ranks.offsets[t] : ranks.offsets[t + 1]]
        walk = _Walk(int(of.relevant[t]))
        try:
            at = walk.down(_At(0, np.ones(1), np.ones(1, bool)), view, groups, slots, bounds, of, own)
        except TooManyError:
            mean[t] = np.nan
            continue
        if at.possible.any():
            walk.values.append(0.0)
        low[t], mean[t], high[t] = min(walk.values), walk.mean, max(walk.values)
    return low, mean, high
