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
from irpref.arrays.segments import Bools, Floats, Ints
from irpref.measures import crp as of_crp

_STEPS = 20_000_000  # numbers looked at for one topic, beyond which orders are drawn


class _At(NamedTuple):
    """Where the curve can stand: at `low`, `low + 1`, ..."""

    low: int
    chance: Floats
    possible: Bools  # apart from the chance, which can be too small for a double


class _TooLong(Exception):
    pass


class _Walk:
    """The curve of one topic on its way down the ranks."""

    def __init__(self, relevant: int) -> None:
        self.relevant = relevant
        self.mean = 0.0
        self.values: list[float] = []
        self.steps = 0

    def arrive(self, at: _At, rank: int) -> _At:
        """Take out of `at` what has found its balance point at this rank."""
        self.steps += at.chance.size
        if self.steps > _STEPS:
            raise _TooLong
        if rank < self.relevant:
            return at
        back = max(-at.low, 0)
        if at.possible[back:].any():
            value = self.relevant / rank
            self.mean += float(at.chance[back:].sum()) * value
            self.values.append(value)
        return _At(at.low, at.chance[:back], at.possible[:back])

    def steady(self, at: _At, first: int, rp: Floats) -> _At:
        """Pass ranks at which every order has the same relative position: from `first`, (n_ranks,)."""
        # Only where the curve moves, or is looked at for the first time, there is something to do.
        here = np.flatnonzero((rp != 0) | (np.arange(first, first + rp.size) == self.relevant))
        for i in here.tolist():
            at = self.arrive(_At(at.low + int(rp[i]), at.chance, at.possible), first + i)
        return at

    def tied(self, at: _At, first: int, seen: int, sizes: list[int], rp: Floats) -> _At:
        """Pass the `seen` first ranks of a group of these sizes by kind, with relative positions (n_kinds, seen)."""
        nodes = {(0,) * len(sizes): at}
        n = sum(sizes)
        for q in range(seen):
            coming: dict[tuple[int, ...], list[tuple[float, _At]]] = {}
            for placed, here in nodes.items():
                for kind, size in enumerate(sizes):
                    if placed[kind] < size:
                        there = (*placed[:kind], placed[kind] + 1, *placed[kind + 1 :])
                        moved = _At(here.low + int(rp[kind, q]), here.chance, here.possible)
                        coming.setdefault(there, []).append(((size - placed[kind]) / (n - q), moved))
            nodes = {placed: self.arrive(_merged(parts), first + q) for placed, parts in coming.items()}
        return _merged([(1.0, at) for at in nodes.values()])


def _merged(parts: list[tuple[float, _At]]) -> _At:
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
    bounds = of_crp.intervals(view.run, of.depth - cut.hits.lengths + view.run.hits.lengths)
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
        at, rank = _At(0, np.ones(1), np.ones(1, bool)), 1
        try:
            for g in groups.tolist():
                first, seen = int(view.first[g]), int(slots[g])
                at = walk.steady(at, rank, own[rank - 1 : first - 1])
                sizes, of_kind = kinds_of(view, g, bounds, of, t, np.arange(first, first + seen))
                at = walk.tied(at, first, seen, sizes, of_kind)
                rank = first + seen
            at = walk.steady(at, rank, own[rank - 1 :])
        except _TooLong:
            mean[t] = np.nan
            continue
        if at.possible.any():
            walk.values.append(0.0)
        low[t], mean[t], high[t] = min(walk.values), walk.mean, max(walk.values)
    return low, mean, high


def kinds_of(
    view: Tied, group: int, bounds: tuple[Ints, Ints], of: of_crp.Positions, topic: int, rank: Ints
) -> tuple[list[int], Floats]:
    """Documents of a group by kind: how many, and relative positions at these ranks, (n_kinds, n_ranks)."""
    rows = slice(view.groups.offsets[group], view.groups.offsets[group + 1])
    graded = view.run.grade[rows] != 0
    kinds, sizes = np.unique(np.array([bound[rows][graded] for bound in bounds]), axis=1, return_counts=True)
    own = np.minimum(rank - kinds[0][:, None], 0.0) + np.maximum(rank - kinds[1][:, None], 0.0)
    others = int(view.size[group]) - int(graded.sum())
    if not others:
        return sizes.tolist(), own
    return [*sizes.tolist(), others], np.vstack([own, of.of_nonrelevant(np.full(rank.size, topic), rank)])
