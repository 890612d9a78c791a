"""The tie rule: score as float64 descending, then document id descending, as trec_eval has it.

Every measure sees this order. `irpref.run` gives a run scores that make another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from irpref.kernel.segments import Bools, Floats, Ints, NDArray, Segments

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """Rows that are to be moved: row `rows[i]` takes the place of row `place[i]`; `place` is
    ascending.
    """

    place: Ints
    rows: Ints

    def put(self, values: NDArray[T]) -> NDArray[T]:
        """Put values of the rows, (n_rows,), in the order of evaluation."""
        out = values.copy()
        out[self.place] = values[self.rows]
        return out

    def rows_at(self, places: Ints) -> Ints:
        """Find the rows that take these places: shape as `places`."""
        at = self.place.searchsorted(places)
        is_moved = self.place.take(at, mode="clip") == places
        rows = places.copy()
        rows[is_moved] = self.rows[at[is_moved]]
        return rows


def evaluation_order(
    score: Floats,
    topics: Segments,
    falling: Callable[[Ints, Ints], Ints],
    matters: Bools | None = None,
    top: int = 0,
) -> Moved | None:
    """Find the order of evaluation of the rows of each topic.

    Parameters
    ----------
    score : float array (n_rows,)
        Finite scores, topic after topic.
    topics : Segments
        Rows of each topic.
    falling : callable
        Of rows and the group of each, (n,), whose groups follow each other: the rows of each group
        by descending id.
    matters : bool array (n_rows,), optional
        Rows whose exact place is asked for. Ties among the others are left as they are, which
        spares looking at their ids.
    top : int
        Of so many ranks of each topic, the documents are asked for in any case.

    Returns
    -------
    Moved or None
        None if all rows are in order.
    """
    first = topics.starts[topics.lengths > 0]
    rises = np.zeros(score.size, bool)
    rises[1:] = score[1:] > score[:-1]
    rises[first] = False
    order: Ints | None = None
    if rises.any():
        order = _by_score(score, topics, np.unique(topics.topic[rises]))
        score = score[order]
    as_before = np.zeros(score.size, bool)
    as_before[1:] = score[1:] == score[:-1]
    as_before[first] = False
    if as_before.any():
        tied = as_before.copy()
        tied[:-1] |= as_before[1:]
        place = np.flatnonzero(tied)
        group = np.cumsum(~as_before[place]) - 1
        rows = place if order is None else order[place]
        if matters is not None:
            wanted = np.zeros(int(group[-1]) + 1, bool)
            wanted[group[matters[rows]]] = True
            if top:
                first = topics.firsts(top)
                wanted[group[place.searchsorted(first[tied[first]])]] = True
            keep = wanted[group]
            place, rows, group = place[keep], rows[keep], group[keep]
        resolved = falling(rows, group)
        if order is None:
            return Moved(place, resolved) if (resolved != rows).any() else None
        order[place] = resolved
    return None if order is None else Moved(np.arange(order.size), order)


def _by_score(score: Floats, topics: Segments, unsorted: Ints) -> Ints:
    """Order the rows of all topics, in the topics `unsorted` by descending score: shape
    (n_rows,).
    """
    order = np.arange(score.size)
    part = Segments.of_lengths(topics.lengths[unsorted])
    of_part = topics.rows(unsorted)
    for _, rows, inside in part.padded():
        block = np.where(inside, -score[of_part[rows]], np.inf)
        best_first = np.take_along_axis(of_part[rows], np.argsort(block, axis=1), axis=1)
        # Padding is +inf after finite scores, so it sorts after the topic's own rows.
        order[of_part[rows[inside]]] = best_first[inside]
    return order
