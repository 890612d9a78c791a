"""Fill the holes of runs: every retrieved document without a judgment gets a grade and joins the pool.

runs = retrieved(evaluate, {"a": run_a, "b": run_b})      the documents of each run
holes = Holes(evaluate.pool, [runs["a"]], negative=False)  the holes of one run, or of two for their difference
holes.values(task, {topic: [grades, grades, ...]})         values with these grades, many at once
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.together import batches
from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments, order_by
from irpref.judged.align import listing
from irpref.messages import about

if TYPE_CHECKING:
    from irpref.judged.types import Run
    from irpref.values.kernels import KernelEvaluator


class Retrieved(NamedTuple):
    """The documents of a run by topic, in the order of the evaluation."""

    values: dict[Any, Floats]  # of the run with the judgments as they are
    topics: Segments
    row: Ints  # of the pool, -1 for documents without a judgment
    grade: Floats  # NaN for these
    rank_rising: Ints  # ranks with ties broken by ascending id
    code: Ints  # number of the document in `ids`, 0 for judged ones
    ids: list[list[str]]  # by topic, documents of all runs without a judgment or with a negative grade

    def unjudged(self, negative: bool) -> Bools:
        """Which documents are holes; `negative`: a negative grade is a judgment."""
        return self.row < 0 if negative else ~(self.grade >= 0)


def retrieved(evaluate: KernelEvaluator, runs: Mapping[Any, Run]) -> dict[Any, Retrieved]:
    """The documents of each run."""
    numbers: list[dict[str, int]] = [{} for _ in range(evaluate.pool.n_topics)]
    ids: list[list[str]] = []
    out = {}
    for name, run in runs.items():
        given = list(run) if isinstance(run, Iterator) else run
        with about(str(name), len(runs) > 1):
            values = evaluate.values(given)
        every = listing(evaluate.pool, given, quiet=True)
        ties = Segments.of_equal(every.topics.topic, every.score)
        rising = every.rank - 2 * ties.position + ties.spread(ties.lengths) - 1
        code = np.zeros(every.row.size, np.int64)
        rows = np.flatnonzero(~(every.grade >= 0))
        for row, topic in zip(rows.tolist(), every.topics.topic[rows].tolist(), strict=True):
            known = numbers[topic]
            code[row] = known.setdefault(every.doc_ids[row], len(known))
        out[name] = Retrieved(values, every.topics, every.row, every.grade, rising, code, ids)
    ids += map(list, numbers)
    return out


class Holes:
    """The holes of one run, or of two: documents that a run retrieved and nobody judged.

    Attributes
    ----------
    pool : Judgments
        The pool without the judgments of holes (negative grades that count as unjudged).
    holes : Segments
        Holes (rows) by topic; for a single run in rank order, if `retrieved` was given no other run.
    code : int array (n_holes,)
        Which documents they are, see `Retrieved`.
    """

    def __init__(self, pool: Judgments, runs: Sequence[Retrieved], negative: bool, spare: bool = False) -> None:
        """Find the holes.

        Parameters
        ----------
        pool : Judgments
        runs : one or two of `retrieved`
        negative : bool
            Whether a negative grade is a judgment.
        spare : bool
            Whether each topic gets one more hole, after the others, that no run retrieved.
        """
        self.runs = runs
        unjudged = [run.unjudged(negative) for run in runs]
        keep = np.ones(pool.grade.size + 1, bool)
        for run, hole in zip(runs, unjudged, strict=True):
            keep[run.row[hole]] = False  # documents without a row have index -1, the last
        keep = keep[:-1]
        columns = {name: column[keep] for name, column in pool.columns.items()}
        self.pool = pool if keep.all() else Judgments(pool.judged.where(keep), pool.grade[keep], columns)
        row = np.append(np.cumsum(keep) - 1, -1)  # in this pool
        width = 2 + max(int(run.code.max(initial=0)) for run in runs)
        own = [run.topics.topic[hole] * width + run.code[hole] for run, hole in zip(runs, unjudged, strict=True)]
        every, number = np.unique(
            np.concatenate([*own, width * np.arange(pool.n_topics * spare) + width - 1]), return_inverse=True
        )
        self.holes = Segments(np.searchsorted(every, width * np.arange(pool.n_topics + 1)))
        self.code: Ints = every % width
        self._rank = np.full((2, len(runs), every.size), np.inf)
        self._documents: list[Ints] = []  # of each run: rows in the topic of the pool, and ~ those of the holes
        begin = 0
        for i, (run, hole) in enumerate(zip(runs, unjudged, strict=True)):
            here = number[begin : begin + own[i].size]
            begin += here.size
            document = row[run.row] - run.topics.spread(self.pool.judged.starts)
            document[hole] = ~(here - self.holes.starts[run.topics.topic[hole]])
            self._documents.append(document)
            self._rank[:, i, here] = run.topics.position[hole] + 1, run.rank_rising[hole]
        self._grades = np.unique(self.pool.grade)
        # A column with one number for each topic repeats it on every row; keep it if a topic loses all of its rows.
        at = np.where(pool.judged.lengths > 0, pool.judged.starts, -1)
        self._of_topic = {
            key: np.append(column, 0.0)[at]
            for key, column in pool.columns.items()
            if isinstance(key, tuple) and key[0] == "expected"
        }

    def ranks(self, t: int, rising: bool = False) -> Floats:
        """Ranks of the holes of a topic in each run, inf if it lacks them; `rising`: with ties by ascending id."""
        return self._rank[int(rising), :, self.holes.offsets[t] : self.holes.offsets[t + 1]]

    def topmost(self, t: int, last: int) -> Ints:
        """Codes of the holes of a topic that the first run has down to rank `last`."""
        rows = slice(self.holes.starts[t], self.holes.ends[t])
        return self.code[rows][self._rank[0, 0, rows] <= last]

    def hits(self, t: int) -> tuple[Ints, Floats]:
        """Ranks and grades of the judged documents of a topic that the first run retrieved."""
        topics = self.runs[0].topics
        document = self._documents[0][topics.offsets[t] : topics.offsets[t + 1]]
        at = np.flatnonzero(document >= 0)
        return at + 1, self.pool.grade[self.pool.judged.starts[t] + document[at]]

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
        pool = self.pool
        judged = Segments.of_lengths(pool.judged.lengths[topics])
        holes = Segments.of_lengths(self.holes.lengths[topics])
        rows = pool.judged.rows(topics)
        grade = np.concatenate([pool.grade[rows], grades])
        levels = np.union1d(self._grades, np.unique(grades))
        entry = np.concatenate([judged.topic, holes.topic])
        order = order_by(entry, levels.size - 1 - np.searchsorted(levels, grade), topics.size)
        every = Segments.of_lengths(judged.lengths + holes.lengths)
        columns: dict[Any, Any] = {}
        for key, column in pool.columns.items():
            if key in self._of_topic:
                columns[key] = every.spread(self._of_topic[key][topics])
            elif isinstance(key, tuple):  # the user did not know any hole
                columns[key] = np.concatenate([column[rows], np.zeros(holes.size, bool)])[order]
        filled = Judgments(every, grade[order], columns)
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        for run, documents in zip(self.runs, self._documents, strict=True):
            n = run.topics.lengths[topics]
            listed, at = Segments.of_lengths(n), run.topics.rows(topics)
            document = documents[at]
            first = np.where(document >= 0, listed.spread(judged.starts), judged.size + listed.spread(holes.starts))
            one = JudgedRun(filled, listed, listed.position + 1, place[first + np.maximum(document, ~document)], n)
            one.rank_rising = run.rank_rising[at]
            yield one

    def values(self, task: Callable[[JudgedRun], Floats], filled: Mapping[int, Sequence[Floats]]) -> list[Floats]:
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
        size = self.pool.judged.lengths + self.holes.lengths
        found = [np.zeros(0)]
        for start, stop in batches(size[topics]):
            runs = self.fill(topics[start:stop], np.concatenate(ways[start:stop]))
            found.append(np.subtract.reduce([task(run) for run in runs]))
        return list(np.split(np.concatenate(found), np.cumsum(number, dtype=np.int64))[:-1])
