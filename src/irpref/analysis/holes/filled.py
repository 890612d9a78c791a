"""Runs whose holes are filled: every retrieved document without a judgment gets a grade, and the pool grows with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments, order_by

_ROWS = 1 << 20  # judgments of the filled topics that are evaluated together


class Topic(NamedTuple):
    """What an algorithm sees of one topic.

    Attributes
    ----------
    n : int
        Documents retrieved.
    rank : int array (n_holes,)
        Ranks of the holes, ascending. Those beyond `n` were not retrieved by this run: holes of another one.
    hit_rank : int array (n_hits,)
        Ranks of the judged documents that were retrieved, ascending.
    hit_grade : float array (n_hits,)
    pool_grade : float array (n_judged,)
        Grades of all judged documents, retrieved or not, falling.
    """

    n: int
    rank: Ints
    hit_rank: Ints
    hit_grade: Floats
    pool_grade: Floats

    def limit(self, cutoff: int | None) -> int:
        """Number of retrieved documents that a measure with this cutoff sees."""
        return self.n if cutoff is None else min(self.n, cutoff)

    def seen(self, cutoff: int | None) -> int:
        """Number of holes among them: the first ones."""
        return int(np.searchsorted(self.rank, self.limit(cutoff), side="right"))


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

    def topic(self, t: int) -> Topic:
        """One topic as the algorithms see it."""
        base, pool = self.base, self.base.pool
        hits = slice(int(base.hits.offsets[t]), int(base.hits.offsets[t + 1]))
        rows = slice(int(pool.judged.offsets[t]), int(pool.judged.offsets[t + 1]))
        holes = slice(int(self.holes.offsets[t]), int(self.holes.offsets[t + 1]))
        return Topic(int(base.n_retrieved[t]), self.rank[holes], base.rank[hits], base.grade[hits], pool.grade[rows])

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
