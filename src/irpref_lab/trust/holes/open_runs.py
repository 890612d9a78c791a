"""Fill the holes of runs: every retrieved document without a judgment gets a grade and joins the
pool.

runs = [run.on(pool), other.on(pool)]                     the documents of each run
open_runs = OpenRuns(pool, runs[:1], negative=False)      of one run, or of two for a difference
open_runs.values(task, {topic: [grades, grades, ...]})    values with these grades, many at once
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from irpref.judged import Listing
from irpref.kernel import Bools, Floats, Grades, Ints, JudgedRun, Levels, Segments, order_by
from irpref_lab.trust.batches import batches


def unjudged(run: Listing, negative: bool) -> Bools:
    """Find the holes of a run: (n_retrieved,); `negative`: a negative grade is a judgment."""
    return run.row < 0 if negative else ~(run.grade >= 0)


def numbers(runs: Sequence[Listing], holes: Sequence[Bools]) -> tuple[list[Ints], Ints]:
    """Number the holes of each topic from 0, in rank order, run after run: a document that several
    runs retrieve has one number.

    Parameters
    ----------
    runs : sequence of Listing
    holes : sequence of bool arrays (n_retrieved,)

    Returns
    -------
    list of int arrays (n_retrieved,)
        By run, -1 for documents that are no holes.
    int array (n_topics,)
        How many holes each topic has.
    """
    total: Ints = np.zeros(runs[0].topics.n, np.int64)
    out: list[Ints] = []
    for i, (run, hole) in enumerate(zip(runs, holes, strict=True)):
        number: Ints = np.full(hole.size, -1)
        for other, known in zip(runs[:i], out, strict=True):
            row = run.rows_in(other)
            number = np.where((number < 0) & (row >= 0), np.append(known, -1)[row], number)
        new = np.flatnonzero(hole & (number < 0))
        of_topics = run.topics.part(new)
        number[new] = of_topics.position + of_topics.spread(total)
        total = total + of_topics.lengths
        out.append(number)
    return out, total


class _OpenRun:
    """A run with its holes: the parts that stay the same however these are filled.

    Attributes
    ----------
    run : Listing
    documents : int array (n_retrieved,)
        Rows in the topic of the pool, and ~ rows in the topic of `OpenRuns.holes`.
    steps : int array (n_retrieved,)
        Number of the grade of each document, -1 for holes.
    gaps : Segments
        Its holes by topic.
    position, hole : int arrays (its holes,)
        Of each hole, the place in the list of the topic, and the row in the topic of
        `OpenRuns.holes`.
    """

    def __init__(
        self, run: Listing, hole: Bools, number: Ints, row: Ints, starts: Ints, step: Ints
    ) -> None:
        at = np.flatnonzero(hole)
        self.run = run
        self.gaps = run.topics.part(at)
        self.position = run.topics.position[at]
        self.hole = number[at]
        self.documents = np.where(hole, ~number, row - run.topics.spread(starts))
        self.steps = np.append(step, -1)[np.where(hole, -1, row)]

    @cached_property
    def rank_rising(self) -> Ints:
        """Rank of each document if ties are broken by ascending id: (n_retrieved,)."""
        run = self.run
        ties = Segments.of_equal(run.topics.topic, run.score)
        return run.rank - 2 * ties.position + ties.spread(ties.lengths) - 1


class OpenRuns:
    """One run, or two, with their holes: documents that a run retrieved and nobody judged.

    Attributes
    ----------
    pool : Grades
        The pool without the judgments of holes (negative grades that count as unjudged).
    holes : Segments
        Holes (rows) by topic, in rank order: those of the first run, then what the second adds.
    parts : list of _OpenRun
        The runs, one by one.
    grades : float array (n_grades,)
        The grades of the pool, descending.
    step : int array (n_judged,)
        The number of the grade of each document of the pool.
    number : int array (n_topics, n_grades)
        How many documents of each topic have each grade.
    of_topic : dict of float arrays (n_topics,)
        Columns with one number for each topic.
    """

    def __init__(self, pool: Grades, runs: Sequence[Listing], negative: bool) -> None:
        """Find the holes.

        Parameters
        ----------
        pool : Grades
        runs : one or two listings
            Documents beyond the end of a list are not retrieved: pass short lists to fill the
            first ranks only.
        negative : bool
            Whether a negative grade is a judgment.
        """
        self.runs = runs
        open_ = [unjudged(run, negative) for run in runs]
        keep = np.ones(pool.grade.size + 1, bool)
        for run, hole in zip(runs, open_, strict=True):
            keep[run.row[hole]] = False  # documents without a row have index -1, the last
        keep = keep[:-1]
        columns = {name: column[keep] for name, column in pool.columns.items()}
        self.pool = (
            pool if keep.all() else Grades(pool.judged.where(keep), pool.grade[keep], columns)
        )
        row = np.append(np.cumsum(keep) - 1, -1)  # in this pool
        number, total = numbers(runs, open_)
        self.holes = Segments.of_lengths(total)
        grades, step = np.unique(-self.pool.grade, return_inverse=True)
        self.grades, self.step = 0.0 - grades, step  # not -0.0
        at_step = self.pool.judged.topic * self.grades.size + self.step
        self.number = np.bincount(at_step, minlength=pool.n_topics * self.grades.size).reshape(
            pool.n_topics, -1
        )
        self.parts = [
            _OpenRun(run, hole, of_run, row[run.row], self.pool.judged.starts, step)
            for run, hole, of_run in zip(runs, open_, number, strict=True)
        ]
        # Such a column repeats its number on every row; keep it if a topic loses all of its rows.
        at = np.where(pool.judged.lengths > 0, pool.judged.starts, -1)
        self.of_topic = {
            key: np.append(column, 0.0)[at]
            for key, column in pool.columns.items()
            if isinstance(key, tuple) and key[0] == "expected"
        }

    @cached_property
    def _rank(self) -> Floats:
        return self._by_hole([part.position + 1 for part in self.parts])

    @cached_property
    def _rank_rising(self) -> Floats:
        pairs = [(part, part.run.topics.starts) for part in self.parts]
        return self._by_hole(
            [part.rank_rising[part.gaps.spread(starts) + part.position] for part, starts in pairs]
        )

    def _by_hole(self, ranks: Sequence[Ints]) -> Floats:
        """Place the ranks of holes in each run, inf if it lacks them: (n_runs, n_holes)."""
        out = np.full((len(ranks), self.holes.size), np.inf)
        for of_run, part, rank in zip(out, self.parts, ranks, strict=True):
            of_run[part.gaps.spread(self.holes.starts) + part.hole] = rank
        return out

    def ranks(self, t: int, rising: bool = False) -> Floats:
        """Rank the holes of a topic in each run, inf if it lacks them; `rising`: with ties by
        ascending id.
        """
        every = self._rank_rising if rising else self._rank
        return every[:, self.holes.span(t)]

    def fill(self, topics: Ints, grades: Floats, rising: bool = False) -> Iterator[JudgedRun]:
        """Yield each run, on topics whose holes are all filled.

        Parameters
        ----------
        topics : int array (k,)
            A topic may be repeated.
        grades : float array (sum of their holes,)
            Grades of the holes, topic after topic.
        rising : bool
            Whether to note ranks with ties by ascending id.

        Yields
        ------
        JudgedRun
            On k topics, with no unjudged documents.
        """
        filled = _Filled(self, topics, grades)
        for part in self.parts:
            yield filled.run(part, rising)

    def values(
        self,
        task: Callable[[JudgedRun], Floats],
        filled: Mapping[int, Sequence[Floats]],
        rising: bool = False,
    ) -> list[Floats]:
        """Compute the values of a measure, or differences of the two runs, for topics filled in
        several ways.

        Parameters
        ----------
        task : kernel with its parameters
        filled : topic to several ways to grade its holes, each of shape (n_holes,)
        rising : bool
            Whether the measure has ties by ascending id.

        Returns
        -------
        list of float arrays
            An array for each topic, with a value for each way.
        """
        number = [len(some) for some in filled.values()]
        topics = np.repeat(np.array(list(filled), dtype=np.int64), number)
        ways = [way for some in filled.values() for way in some]
        # Most measures read only what the runs retrieved; see `Levels`.
        size = (
            sum(run.topics.lengths for run in self.runs)
            + (self.pool.judged.lengths + self.holes.lengths) // 16
        )
        parts = [np.zeros(0)]
        for start, stop in batches(size[topics]):
            runs = self.fill(topics[start:stop], np.concatenate(ways[start:stop]), rising)
            parts.append(np.subtract.reduce([task(run) for run in runs]))
        return list(np.split(np.concatenate(parts), np.cumsum(number, dtype=np.int64))[:-1])


class _Filled:
    """Topics with a grade in each hole: the judgments, and the runs on them.

    Attributes
    ----------
    topics : int array (k,)
    holes, judged : Segments
        Holes, and documents of the pool without them, by topic.
    steps : float array (n_steps,)
        All grades, descending.
    step : int array (n_holes,)
        The number of the grade of each hole.
    known : int array (n_grades + 1,)
        The number of each grade of the pool; the last is 0, of holes for now.
    level : int array (k, n_steps)
        The level of each topic and grade.
    levels : Levels
        The judgments with the filled holes.
    """

    def __init__(self, of: OpenRuns, topics: Ints, grades: Floats) -> None:
        self.of, self.topics = of, topics
        self.judged = Segments.of_lengths(of.pool.judged.lengths[topics])
        self.holes = Segments.of_lengths(of.holes.lengths[topics])
        self.steps = np.union1d(of.grades, grades)[::-1]
        self.step = np.searchsorted(-self.steps, -grades)
        self.known = np.append(np.searchsorted(-self.steps, -of.grades), 0)
        number = self._number()
        there = number > 0
        self.level = np.cumsum(there).reshape(number.shape) - 1
        self.levels = Levels(
            Segments.of_lengths(there.sum(axis=1)),
            np.tile(self.steps, (topics.size, 1))[there],
            number[there],
            self._columns,
        )

    def _number(self) -> Ints:
        """Count the documents of each topic and grade: (k, n_steps)."""
        shape = self.topics.size, self.steps.size
        cell = self.holes.topic * self.steps.size + self.step
        number = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        number[:, self.known[:-1]] += self.of.number[self.topics]
        return number

    @cached_property
    def _rows(self) -> Ints:
        """Row of each document of these topics in the pool: (n_judged,)."""
        return self.of.pool.judged.rows(self.topics)

    @cached_property
    def _order(self) -> Ints:
        """Judged documents and holes, topic after topic, by descending grade."""
        step = np.concatenate([self.known[self.of.step[self._rows]], self.step])
        topic = np.concatenate([self.judged.topic, self.holes.topic])
        return order_by(topic, step, self.topics.size)

    def _columns(self) -> dict[Any, Any]:
        """Return the columns of the pool, with the holes."""
        out: dict[Any, Any] = {}
        for key, column in self.of.pool.columns.items():
            if key in self.of.of_topic:
                out[key] = self.levels.judged.spread(self.of.of_topic[key][self.topics])
            elif isinstance(key, tuple):  # the user did not know any hole
                both = np.concatenate([column[self._rows], np.zeros(self.holes.size, bool)])
                out[key] = both[self._order]
        return out

    def run(self, part: _OpenRun, rising: bool) -> JudgedRun:
        """Return a run on these topics; `rising`: with its ranks if ties are by ascending id."""
        topics = part.run.topics
        n = topics.lengths[self.topics]
        listed = Segments.of_lengths(n)
        return JudgedRun(
            self.levels,
            listed,
            listed.position + 1,
            partial(self._row, part, listed),
            n,
            self._level(part, listed),
            rank_rising=topics.taken(part.rank_rising, self.topics) if rising else None,
        )

    def _level(self, part: _OpenRun, listed: Segments) -> Ints:
        """Find the level of each retrieved document."""
        step = part.run.topics.taken(part.steps, self.topics)
        if self.steps.size > self.of.grades.size:
            step = self.known.take(step)
        position, hole = (part.gaps.taken(rows, self.topics) for rows in (part.position, part.hole))
        gaps = Segments.of_lengths(part.gaps.lengths[self.topics])
        step[gaps.spread(listed.starts) + position] = self.step.take(
            gaps.spread(self.holes.starts) + hole
        )
        return self.level.ravel().take(
            step + listed.spread(np.arange(self.topics.size) * self.steps.size)
        )

    def _row(self, part: _OpenRun, listed: Segments) -> Ints:
        """Find the row of each retrieved document in the filled judgments."""
        document = part.run.topics.taken(part.documents, self.topics)
        first = np.where(
            document >= 0,
            listed.spread(self.judged.starts),
            self.judged.size + listed.spread(self.holes.starts),
        )
        place = np.empty_like(self._order)
        place[self._order] = np.arange(place.size)
        return place[first + np.maximum(document, ~document)]
