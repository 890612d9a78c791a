"""The CRP curve of a topic on its way down the ranks, over all orders of its tied documents at once.

All that the ranks below need to know of the ranks above is a state, such as where the curve stands, and how many
documents of each kind the present group has left. What a state is, and what is counted on arrival at a rank, is up to
the measure: `recovery` and `effort`.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from irpref.analysis.ties.groups import Tied
from irpref.arrays.segments import Floats, Ints
from irpref.measures import crp as of_crp

S = TypeVar("S")
STEPS = 20_000_000  # numbers looked at for one topic, beyond which orders are drawn


class TooManyError(Exception):
    """There is more to count than `STEPS`."""


class Walk(Generic[S]):
    """States of one topic on their way down.

    Attributes
    ----------
    relevant : int
    mean : float
        Mean recovery value of what has found it so far.
    steps : int
        Numbers looked at.
    """

    def __init__(self, relevant: int) -> None:
        self.relevant = relevant
        self.mean = 0.0
        self.steps = 0

    def moved(self, at: S, rp: float) -> S:
        """The states after a document with this relative position."""
        raise NotImplementedError

    def arrive(self, at: S, rank: int) -> S:
        """Count what is decided at this rank."""
        raise NotImplementedError

    def merged(self, parts: list[tuple[float, S]]) -> S:
        """The states of several ways to the same place, each with its share of the chance."""
        raise NotImplementedError

    def check(self) -> None:
        """`TooManyError` where there is too much to count."""
        if self.steps > STEPS:
            raise TooManyError

    def down(
        self, at: S, view: Tied, groups: Ints, slots: Ints, bounds: tuple[Ints, Ints], of: of_crp.Positions, own: Floats
    ) -> S:
        """All ranks of a topic.

        Parameters
        ----------
        at : states before the first rank
        view : Tied
        groups : int array
            Its groups whose order can matter, in the order of their ranks.
        slots : int array
            Ranks of each group of `view` that are looked at.
        bounds, of : of all topics, as `irpref.measures.crp` gives them
        own : float array (n_ranks,)
            Relative positions of the topic as it is ranked.
        """
        rank = 1
        for g in groups.tolist():
            first, seen = int(view.first[g]), int(slots[g])
            at = self._steady(at, rank, own[rank - 1 : first - 1])
            sizes, of_kind = _kinds_of(view, g, bounds, of, np.arange(first, first + seen))
            at = self._tied(at, first, seen, sizes, of_kind)
            rank = first + seen
        return self._steady(at, rank, own[rank - 1 :])

    def _steady(self, at: S, first: int, rp: Floats) -> S:
        """Pass ranks at which every order has the same relative position: from `first`, (n_ranks,)."""
        # Only where the curve moves, or R is reached, there is something to do.
        here = np.flatnonzero((rp != 0) | (np.arange(first, first + rp.size) == self.relevant))
        for i in here.tolist():
            at = self.arrive(self.moved(at, rp[i]), first + i)
        return at

    def _tied(self, at: S, first: int, seen: int, sizes: list[int], rp: Floats) -> S:
        """Pass the `seen` first ranks of a group of these sizes by kind, with relative positions (n_kinds, seen)."""
        nodes = {(0,) * len(sizes): at}
        n = sum(sizes)
        for q in range(seen):
            coming: dict[tuple[int, ...], list[tuple[float, S]]] = {}
            for placed, here in nodes.items():
                for kind, size in enumerate(sizes):
                    if placed[kind] < size:
                        there = (*placed[:kind], placed[kind] + 1, *placed[kind + 1 :])
                        part = (size - placed[kind]) / (n - q), self.moved(here, rp[kind, q])
                        coming.setdefault(there, []).append(part)
            nodes = {placed: self.arrive(self.merged(parts), first + q) for placed, parts in coming.items()}
        return self.merged([(1.0, here) for here in nodes.values()])


def _kinds_of(
    view: Tied, group: int, bounds: tuple[Ints, Ints], of: of_crp.Positions, rank: Ints
) -> tuple[list[int], Floats]:
    """Documents of a group by kind: how many, and relative positions at these ranks, (n_kinds, n_ranks)."""
    rows = slice(view.groups.offsets[group], view.groups.offsets[group + 1])
    graded = view.run.grade[rows] != 0
    kinds, sizes = np.unique(np.array([bound[rows][graded] for bound in bounds]), axis=1, return_counts=True)
    own = np.minimum(rank - kinds[0][:, None], 0.0) + np.maximum(rank - kinds[1][:, None], 0.0)
    others = int(view.size[group]) - int(graded.sum())
    if not others:
        return sizes.tolist(), own
    topic = np.full(rank.size, view.topic[group])
    return [*sizes.tolist(), others], np.vstack([own, of.of_nonrelevant(topic, rank)])
