"""Fill the holes of runs: every retrieved document without a judgment gets a grade and joins the
pool.

runs = retrieved(evaluate, {"a": run_a, "b": run_b})      the documents of each run
holes = Holes(evaluate.pool, [runs["a"]], negative=False)  of one run, or of two for a difference
holes.values(task, {topic: [grades, grades, ...]})         values with these grades, many at once
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from irpref.judged import RunLike, in_memory, listing
from irpref.kernel import Bools, Floats, Grades, Ints, JudgedRun, Levels, Segments, order_by
from irpref.messages import about
from irpref.values.kernels import KernelEvaluator
from irpref_lab.trust.batches import batches


class Retrieved(NamedTuple):
    """The documents of a run by topic, in the order of the evaluation."""

    values: dict[Any, Floats]  # of the run with the judgments as they are
    topics: Segments
    row: Ints  # of the pool, -1 for documents without a judgment
    grade: Floats  # NaN for these
    rank_rising: Ints  # ranks with ties broken by ascending id
    code: Ints  # number of the document in `ids`, 0 for judged ones
    ids: list[list[str]]  # by topic: those of all runs, not judged or with a negative grade

    def unjudged(self, negative: bool) -> Bools:
        """Which documents are holes; `negative`: a negative grade is a judgment."""
        return self.row < 0 if negative else ~(self.grade >= 0)


def retrieved(evaluate: KernelEvaluator, runs: Mapping[Any, RunLike]) -> dict[Any, Retrieved]:
    """The documents of each run."""
    numbers: list[dict[str, int]] = [{} for _ in range(evaluate.pool.n_topics)]
    ids: list[list[str]] = []
    out = {}
    for name, run in runs.items():
        given = in_memory(run)
        with about(str(name), len(runs) > 1):
            values = evaluate.values(given)
        every = listing(evaluate.pool, given, quiet=True)
        ties = Segments.of_equal(every.topics.topic, every.score)
        rising = every.rank - 2 * ties.position + ties.spread(ties.lengths) - 1
        code = np.zeros(every.row.size, np.int64)
        rows = np.flatnonzero(~(every.grade >= 0))
        ends, docs = every.topics.part(rows).offsets.tolist(), every.doc_ids
        for known, start, stop in zip(numbers, ends, ends[1:], strict=False):
            code[rows[start:stop]] = [
                known.setdefault(docs[row], len(known)) for row in rows[start:stop].tolist()
            ]
        out[name] = Retrieved(values, every.topics, every.row, every.grade, rising, code, ids)
    ids += map(list, numbers)
    return out


class _Filled(NamedTuple):
    """What does not change about a run, however its holes are filled."""

    run: Retrieved
    documents: Ints  # rows in the topic of the pool, and ~ rows in the topic of `Holes.holes`
    steps: Ints  # number of the grade of each document, -1 for holes
    gaps: Segments  # its holes by topic
    position: Ints  # of each hole, in the topic
    hole: Ints  # row of each hole, in the topic of `Holes.holes`


class Holes:
    """The holes of one run, or of two: documents that a run retrieved and nobody judged.

    Attributes
    ----------
    pool : Grades
        The pool without the judgments of holes (negative grades that count as unjudged).
    holes : Segments
        Holes (rows) by topic; for a single run in rank order, if `retrieved` was given no other
        run.
    code : int array (n_holes,)
        Which documents they are, see `Retrieved`.
    """

    def __init__(self, pool: Grades, runs: Sequence[Retrieved], negative: bool) -> None:
        """Find the holes.

        Parameters
        ----------
        pool : Grades
        runs : one or two of `retrieved`
        negative : bool
            Whether a negative grade is a judgment.
        """
        self.runs = runs
        unjudged = [run.unjudged(negative) for run in runs]
        keep = np.ones(pool.grade.size + 1, bool)
        for run, hole in zip(runs, unjudged, strict=True):
            keep[run.row[hole]] = False  # documents without a row have index -1, the last
        keep = keep[:-1]
        columns = {name: column[keep] for name, column in pool.columns.items()}
        self.pool = (
            pool if keep.all() else Grades(pool.judged.where(keep), pool.grade[keep], columns)
        )
        row = np.append(np.cumsum(keep) - 1, -1)  # in this pool
        width = 2 + max(int(run.code.max(initial=0)) for run in runs)
        own = [
            run.topics.topic[hole] * width + run.code[hole]
            for run, hole in zip(runs, unjudged, strict=True)
        ]
        every, number = np.unique(np.concatenate(own), return_inverse=True)
        self.holes = Segments(np.searchsorted(every, width * np.arange(pool.n_topics + 1)))
        self.code: Ints = every % width
        self._rank = np.full((2, len(runs), every.size), np.inf)
        # The grades of the pool, and by topic how many documents have each; of documents, the
        # number of their grade.
        grades, step = np.unique(-self.pool.grade, return_inverse=True)
        self._grades, self._step = 0.0 - grades, step  # not -0.0
        at_step = self.pool.judged.topic * self._grades.size + self._step
        self._number = np.bincount(at_step, minlength=pool.n_topics * self._grades.size).reshape(
            pool.n_topics, -1
        )
        self._filled: list[_Filled] = []
        of_runs = np.split(number, np.cumsum([holes.size for holes in own])[:-1])
        for i, (run, hole, here) in enumerate(zip(runs, unjudged, of_runs, strict=True)):
            topics, position = run.topics, run.topics.position[hole]
            self._rank[:, i, here] = position + 1, run.rank_rising[hole]
            of_topic = here - self.holes.starts[topics.topic[hole]]
            documents = row[run.row] - topics.spread(self.pool.judged.starts)
            documents[hole] = ~of_topic
            steps = np.append(step, -1)[np.where(hole, -1, row[run.row])]
            gaps = topics.part(np.flatnonzero(hole))
            self._filled.append(_Filled(run, documents, steps, gaps, position, of_topic))
        # A column with one number for each topic repeats it on every row; keep it if a topic loses
        # all of its rows.
        at = np.where(pool.judged.lengths > 0, pool.judged.starts, -1)
        self._of_topic = {
            key: np.append(column, 0.0)[at]
            for key, column in pool.columns.items()
            if isinstance(key, tuple) and key[0] == "expected"
        }

    def ranks(self, t: int, rising: bool = False) -> Floats:
        """Ranks of the holes of a topic in each run, inf if it lacks them; `rising`: with ties by
        ascending id.
        """
        return self._rank[int(rising), :, self.holes.span(t)]

    def fill(self, topics: Ints, grades: Floats) -> Iterator[JudgedRun]:
        """Yield each run, on topics whose holes are all filled.

        Parameters
        ----------
        topics : int array (k,)
            A topic may be repeated.
        grades : float array (sum of their holes,)
            Grades of the holes, topic after topic.

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
            """Judged documents and holes, topic after topic, by descending grade."""
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
        for part in self._filled:
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

            def row(part: _Filled = part, listed: Segments = listed) -> Ints:
                document = part.run.topics.taken(part.documents, topics)
                first = np.where(
                    document >= 0,
                    listed.spread(judged.starts),
                    judged.size + listed.spread(holes.starts),
                )
                place = np.empty_like(in_order())
                place[in_order()] = np.arange(place.size)
                return place[first + np.maximum(document, ~document)]

            rank = run.topics.taken(run.topics.position, topics) + 1
            rising = run.topics.taken(run.rank_rising, topics)
            yield JudgedRun(filled, listed, rank, row, n, level, rank_rising=rising)

    def values(
        self, task: Callable[[JudgedRun], Floats], filled: Mapping[int, Sequence[Floats]]
    ) -> list[Floats]:
        """Values of a measure, or differences of the two runs, for topics filled in several ways.

        Parameters
        ----------
        task : kernel with its parameters
        filled : topic to several ways to grade its holes, each of shape (n_holes,)

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
            runs = self.fill(topics[start:stop], np.concatenate(ways[start:stop]))
            parts.append(np.subtract.reduce([task(run) for run in runs]))
        return list(np.split(np.concatenate(parts), np.cumsum(number, dtype=np.int64))[:-1])
