"""The tie rule: score as float64 descending, then document id descending, as trec_eval has it.

`Alignment` says whether a user asks for something else. Every entry point passes it down to here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from irpref.kernel.segments import Bools, Floats, Ints, NDArray, Segments
from irpref.messages import check_choice

T = TypeVar("T", bound=np.generic)

TIES = ("id", "input")


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the documents of a run are ranked.

    Attributes
    ----------
    ties : {'id', 'input'}
        Equal scores are ranked by document id, descending, as in trec_eval; or in the order of the
        input's rows.
    float32 : bool
        Whether the measures that pytrec_eval computes for ir_measures see scores rounded to 32
        bits, as there.

    Raises
    ------
    ValueError
        There is no such rule for ties.
    """

    ties: str = "id"
    float32: bool = False

    def __post_init__(self) -> None:
        check_choice("ties", self.ties, TIES)

    @property
    def by_id(self) -> bool:
        """Whether ties are broken by document id."""
        return self.ties == "id"


TREC = Alignment()


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """Rows that are to be moved: row `rows[i]` takes the place of row `place[i]`."""

    place: Ints
    rows: Ints

    def put(self, values: NDArray[T]) -> NDArray[T]:
        """Values of the rows, (n_rows,), in the order of evaluation."""
        out = values.copy()
        out[self.place] = values[self.rows]
        return out


def evaluation_order(
    score: Floats,
    topics: Segments,
    falling: Callable[[Ints, Ints], Ints],
    matters: Bools | None = None,
    by_id: bool = True,
) -> Moved | None:
    """Order of evaluation of the rows of each topic.

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
    by_id : bool
        Whether ties are broken by id. False: they stay in the order of their rows.

    Returns
    -------
    Moved or None
        None if all rows are in order.
    """
    if score.size < 2:
        return None
    level = score[1:] == score[:-1]
    rises = score[1:] > score[:-1]
    inner = topics.starts[1:]
    border = inner[(inner > 0) & (inner < score.size)] - 1
    level[border] = False
    rises[border] = False
    order: Ints | None = None
    if rises.any():
        order = np.arange(score.size)
        unsorted = np.unique(topics.topic[1:][rises])
        part = Segments.of_lengths(topics.lengths[unsorted])
        of_part = topics.rows(unsorted)
        for _, rows, inside in part.padded():
            block = np.where(inside, -score[of_part[rows]], np.inf)
            ranked = np.take_along_axis(
                of_part[rows], np.argsort(block, axis=1, kind=None if by_id else "stable"), axis=1
            )
            # Padding is +inf after finite scores, so it sorts after the topic's own rows.
            order[of_part[rows[inside]]] = ranked[inside]
        ordered = score[order]
        level = ordered[1:] == ordered[:-1]
        level[border] = False
    if by_id and level.any():
        tied = np.zeros(score.size, bool)
        tied[1:] = level
        tied[:-1] |= level
        place = np.flatnonzero(tied)
        opens = np.ones(place.size, bool)
        opens[1:] = ~level[place[1:] - 1]
        group = np.cumsum(opens) - 1
        rows = place if order is None else order[place]
        if matters is not None:
            wanted = np.zeros(int(group[-1]) + 1, bool)
            wanted[group[matters[rows]]] = True
            keep = wanted[group]
            place, rows, group = place[keep], rows[keep], group[keep]
        resolved = falling(rows, group)
        if order is None:
            return Moved(place, resolved) if (resolved != rows).any() else None
        order[place] = resolved
    return None if order is None else Moved(np.arange(order.size), order)


def rounded(score: Floats) -> Floats:
    """Scores in 32 bits, as in pytrec_eval. Those beyond the range become its ends, and tie as
    infinities would.
    """
    ends = np.finfo(np.float32)
    return np.clip(score, float(ends.min), float(ends.max)).astype(np.float32).astype(np.float64)


def blurs(score: Floats, topics: Segments) -> Bools:
    """Rows whose score differs from the one before in 64 bits but not in 32; `score` falls in each
    topic.
    """
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    out = np.zeros(score.size, bool)
    out[1:] = (short[1:] == short[:-1]) & (score[1:] != score[:-1])
    out[topics.starts[topics.lengths > 0]] = False
    return out
