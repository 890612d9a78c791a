"""Fill the holes of runs: every retrieved document without a judgment gets a grade and joins the
pool.

runs = [run.on(pool), other.on(pool)]                     the documents of each run
open_runs = OpenRuns(pool, runs[:1], negative=False)      of one run, or of two for a difference
open_runs.values(task, {topic: [grades, grades, ...]})    values with these grades, many at once
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
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
        # The grades of the pool, and by topic how many documents have each; of documents, the
        # number of their grade.
        grades, step = np.unique(-self.pool.grade, return_inverse=True)
        self._grades, self._step = 0.0 - grades, step  # not -0.0
        at_step = self.pool.judged.topic * self._grades.size + self._step
        self._number = np.bincount(at_step, minlength=pool.n_topics * self._grades.size).reshape(
            pool.n_topics, -1
        )
        self._open_runs = [
            _OpenRun(run, hole, of_run, row[run.row], self.pool.judged.starts, step)
            for run, hole, of_run in zip(runs, open_, number, strict=True)
        ]
        # A column with one number for each topic repeats it on every row; keep it if a topic loses
        # all of its rows.
        at = np.where(pool.judged.lengths > 0, pool.judged.starts, -1)
        self._of_topic = {
            key: np.append(column, 0.0)[at]
            for key, column in pool.columns.items()
            if isinstance(key, tuple) and key[0] == "expected"
        }

    @cached_property
    def _rank(self) -> Floats:
        return self._by_hole([part.position + 1 for part in self._open_runs])

    @cached_property
    def _rank_rising(self) -> Floats:
        pairs = [(part, part.run.topics.starts) for part in self._open_runs]
        return self._by_hole(
            [part.rank_rising[part.gaps.spread(starts) + part.position] for part, starts in pairs]
        )

    def _by_hole(self, ranks: Sequence[Ints]) -> Floats:
        """Place the ranks of holes in each run, inf if it lacks them: (n_runs, n_holes)."""
        out = np.full((len(ranks), self.holes.size), np.inf)
        for of_run, part, rank in zip(out, self._open_runs, ranks, strict=True):
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
        pool, k = self.pool, topics.size
        judged = Segments.of_lengths(pool.judged.lengths[topics])
        holes = Segments.of_lengths(self.holes.lengths[topics])
        steps = np.union1d(self._grades, grades)[::-1]  # all grades, descending
        step = np.searchsorted(-steps, -grades)
        known = np.append(np.searchsorted(-steps, -self._grades), 0)  # 0: of the holes, for now
        number = np.bincount(holes.topic * steps.size + step, minlength=k * steps.size).reshape(
            k, -1
        )
        number[:, known[:-1]] += self._number[topics]
        there = number > 0
        level_of = np.cumsum(there).reshape(k, -1) - 1  # of a topic and a step

        @cache
        def in_order() -> Ints:
            """Order judged documents and holes, topic after topic, by descending grade."""
            entry = np.concatenate([judged.topic, holes.topic])
            return order_by(
                entry, np.concatenate([known[self._step[pool.judged.rows(topics)]], step]), k
            )

        def columns() -> dict[Any, Any]:
            out: dict[Any, Any] = {}
            for key, column in pool.columns.items():
                if key in self._of_topic:
                    out[key] = filled.judged.spread(self._of_topic[key][topics])
                elif isinstance(key, tuple):  # the user did not know any hole
                    both = np.concatenate(
                        [column[pool.judged.rows(topics)], np.zeros(holes.size, bool)]
                    )
                    out[key] = both[in_order()]
            return out

        filled = Levels(
            Segments.of_lengths(there.sum(axis=1)),
            np.tile(steps, (k, 1))[there],
            number[there],
            columns,
        )
        for part in self._open_runs:
            run, gaps = part.run, part.gaps
            n = run.topics.lengths[topics]
            listed, of_run = Segments.of_lengths(n), run.topics.taken(part.steps, topics)
            if steps.size > self._grades.size:
                of_run = known.take(of_run)
            position, hole = (gaps.taken(rows, topics) for rows in (part.position, part.hole))
            open_ = Segments.of_lengths(gaps.lengths[topics])
            of_run[open_.spread(listed.starts) + position] = step.take(
                open_.spread(holes.starts) + hole
            )
            level = level_of.ravel().take(of_run + listed.spread(np.arange(k) * steps.size))

            def row(part: _OpenRun = part, listed: Segments = listed) -> Ints:
                document = part.run.topics.taken(part.documents, topics)
                first = np.where(
                    document >= 0,
                    listed.spread(judged.starts),
                    judged.size + listed.spread(holes.starts),
                )
                place = np.empty_like(in_order())
                place[in_order()] = np.arange(place.size)
                return place[first + np.maximum(document, ~document)]

            rank = listed.position + 1
            other = run.topics.taken(part.rank_rising, topics) if rising else None
            yield JudgedRun(filled, listed, rank, row, n, level, rank_rising=other)

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
