"""Runs whose holes are filled: every retrieved document without a judgment gets a grade, and the pool grows with it.

holes = Holes(evaluate.align(run), negative=False)      the holes of a run
hole_ids(listing(evaluate.pool, run), negative=False)   which documents they are
holes.values(task, [(topic, [grades, grades, ...])])    values of a measure with these grades, many at once
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments, order_by

if TYPE_CHECKING:
    from irpref.judged.align import Listing

_ROWS = 1 << 20  # judgments of the filled topics that are evaluated together


class Holes:
    """The holes of a run, by topic, in the order of their ranks.

    Attributes
    ----------
    base : JudgedRun
        The run without the judgments that are none (negative grades of holes).
    holes : Segments
        Holes (rows) by topic.
    rank : int array (n_holes,)
        Beyond `n_retrieved` for the holes of other runs.
    """

    def __init__(
        self,
        judged: JudgedRun,
        negative: bool,
        others: Ints | None = None,
        gone: Bools | None = None,
        rank_rising: Ints | None = None,
    ) -> None:
        """Find the holes.

        Parameters
        ----------
        judged : JudgedRun
        negative : bool
            Whether a negative grade is a judgment.
        others : int array (n_topics,), optional
            Unjudged documents of other runs that this one did not retrieve; they join the pool, too.
        gone : bool array (n_judged,), optional
            Judgments that are none, of documents which this run or another one retrieved.
        rank_rising : int array (n_holes of this run,), optional
            Ranks of the run's own holes if ties stood by rising id. Without it they have some order, which makes no
            difference to the extremes of one run.
        """
        self.negative = negative
        pool = judged.pool
        if gone is None:
            gone = np.zeros(pool.grade.size, bool)
            if not negative:
                gone[judged.row[judged.grade < 0]] = True
        self.base = _without(judged, gone) if gone.any() else judged
        self.others: Ints = np.zeros(judged.n_topics, np.int64) if others is None else others
        base = self.base
        own = base.n_retrieved - base.hits.lengths
        self.holes = Segments.of_lengths(own + self.others)
        places = Segments.of_lengths(base.n_retrieved + self.others)
        free = np.ones(places.size, bool)
        free[base.hits.spread(places.starts) + base.rank - 1] = False
        self.rank: Ints = places.position[free] + 1
        self.rank_rising: Ints | None = None
        if base.rank_rising is not None:
            free[:] = True
            free[base.hits.spread(places.starts) + base.rank_rising - 1] = False
            self.rank_rising = places.position[free] + 1  # no measure reads both orders
            if rank_rising is not None:
                self.rank_rising[self.rank <= self.holes.spread(base.n_retrieved)] = rank_rising
        # Numbers of a topic stand on each of its rows, and are those of the topic even if it loses all of them.
        at = np.where(pool.judged.lengths > 0, pool.judged.starts, -1)
        self._of_topic = {
            key: np.append(column, 0.0)[at]
            for key, column in pool.columns.items()
            if isinstance(key, tuple) and key[0] == "expected"
        }

    @cached_property
    def _grades(self) -> Floats:
        return np.unique(self.base.pool.grade)

    def ranks(self, t: int, rising: bool = False) -> Ints:
        """Ranks of the holes of a topic; `rising`: if ties were ranked by rising id."""
        rank = self.rank_rising if rising and self.rank_rising is not None else self.rank
        return rank[self.holes.offsets[t] : self.holes.offsets[t + 1]]

    def seen(self, t: int, cutoff: int | None, rising: bool = False) -> Bools:
        """Which holes of a topic are retrieved, down to the cutoff: shape (n_holes,)."""
        n = int(self.base.n_retrieved[t])
        return self.ranks(t, rising) <= (n if cutoff is None else min(n, cutoff))

    def size(self, t: int) -> int:
        """Judgments of a topic once its holes are filled."""
        return int(self.base.pool.judged.lengths[t] + self.holes.lengths[t])

    def fill(self, topics: Ints, grades: Floats) -> JudgedRun:
        """Topics with all their holes filled.

        Parameters
        ----------
        topics : int array (k,)
            Any topic any number of times.
        grades : float array (sum of their holes,)
            Grades of the holes, topic after topic.

        Returns
        -------
        JudgedRun
            Of k topics, which hold nothing unjudged but the documents that nobody retrieved.
        """
        base, pool = self.base, self.base.pool
        judged = Segments.of_lengths(pool.judged.lengths[topics])
        holes = Segments.of_lengths(self.holes.lengths[topics])
        rows, hole_rows = pool.judged.rows(topics), self.holes.rows(topics)
        entry = np.concatenate([judged.topic, holes.topic])
        grade = np.concatenate([pool.grade[rows], grades])
        levels = np.union1d(self._grades, np.unique(grades))
        order = order_by(entry, levels.size - 1 - np.searchsorted(levels, grade), topics.size)
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        every = Segments.of_lengths(judged.lengths + holes.lengths)
        columns: dict[Any, Any] = {}
        for key, column in pool.columns.items():
            if key in self._of_topic:
                columns[key] = every.spread(self._of_topic[key][topics])
            elif isinstance(key, tuple):  # the user knows none of them
                columns[key] = np.concatenate([column[rows], np.zeros(hole_rows.size, bool)])[order]
        filled = Judgments(every, grade[order], columns)

        hits = Segments.of_lengths(base.hits.lengths[topics])
        hit_rows = base.hits.rows(topics)
        n = base.n_retrieved[topics]
        listed = Segments.of_lengths(n)
        of_hit = place[hits.spread(judged.starts) + base.row[hit_rows] - hits.spread(pool.judged.starts[topics])]
        of_hole = place[judged.size :]
        rank = self.rank[hole_rows]
        retrieved = rank <= holes.spread(n)
        at_hit = hits.spread(listed.starts) + base.rank[hit_rows] - 1
        at_hole = (holes.spread(listed.starts) + rank - 1)[retrieved]
        row = np.empty(listed.size, np.int64)
        row[at_hit], row[at_hole] = of_hit, of_hole[retrieved]
        run = JudgedRun(filled, listed, listed.position + 1, row, n)
        if base.rank_rising is not None and self.rank_rising is not None:
            run.rank_rising = np.empty(listed.size, np.int64)
            run.rank_rising[at_hit], run.rank_rising[at_hole] = (
                base.rank_rising[hit_rows],
                self.rank_rising[hole_rows][retrieved],
            )
        return run

    def values(
        self, task: Callable[[JudgedRun], Floats], filled: Iterable[tuple[int, Sequence[Floats]]]
    ) -> list[Floats]:
        """Values of a measure for topics filled in several ways.

        Parameters
        ----------
        task : kernel with its parameters
        filled : topic and the grades of its holes, each of shape (n_holes,), several for each

        Returns
        -------
        list of float arrays, one a topic, one value a way
        """
        out: list[Floats] = []
        topics: list[int] = []
        grades: list[Floats] = []
        ways: list[int] = []
        found: list[Floats] = []
        rows = 0

        def flush() -> None:
            nonlocal rows
            if topics:
                found.append(task(self.fill(np.array(topics), np.concatenate(grades))))
                topics.clear()
                grades.clear()
                rows = 0

        for t, some in filled:
            ways.append(len(some))
            for one in some:
                topics.append(t)
                grades.append(one)
                rows += self.size(t)
                if rows >= _ROWS:
                    flush()
        flush()
        flat = np.concatenate([*found, np.zeros(0)])
        start = 0
        for n in ways:
            out.append(flat[start : start + n])
            start += n
        return out


def _without(judged: JudgedRun, gone: Bools) -> JudgedRun:
    """The run judged by a pool without some rows."""
    pool = judged.pool
    keep = ~gone
    rest = Judgments(pool.judged.where(keep), pool.grade[keep], {n: c[keep] for n, c in pool.columns.items()})
    at = np.flatnonzero(keep[judged.row])
    place = np.cumsum(keep) - 1
    run = JudgedRun(rest, judged.hits.part(at), judged.rank[at], place[judged.row[at]], judged.n_retrieved)
    if judged.rank_rising is not None:
        run.rank_rising = judged.rank_rising[at]
    return run


def hole_ids(listing: Listing, negative: bool) -> tuple[list[list[str]], Ints]:
    """Which documents the holes of a run are.

    Parameters
    ----------
    listing : Listing
        The run, see `irpref.judged.align.listing`.
    negative : bool
        Whether a negative grade is a judgment.

    Returns
    -------
    doc_ids : list of lists of str
        By topic, in the order of `Holes`.
    rank_rising : int array (n_holes,)
        Their ranks if ties were ranked by rising id.
    """
    opens = np.ones(listing.score.size + 1, bool)
    opens[1:-1] = listing.score[1:] != listing.score[:-1]
    opens[listing.topics.offsets] = True
    ties = Segments(np.flatnonzero(opens))
    rank_rising = listing.rank - ties.position + ties.spread(ties.lengths) - 1 - ties.position
    hole = listing.row < 0
    if not negative:
        hole |= listing.grade < 0
    rows = np.flatnonzero(hole)
    found: list[list[str]] = [[] for _ in range(listing.topics.n)]
    for t, row in zip(listing.topics.topic[rows].tolist(), rows.tolist(), strict=True):
        found[t].append(listing.doc_ids[row])
    return found, rank_rising[rows]
