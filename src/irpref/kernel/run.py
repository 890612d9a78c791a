"""A run judged against a pool: arrays only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from irpref.errors import ArgumentError
from irpref.kernel.memo import HasMemo, shared
from irpref.kernel.segments import Bools, Floats, Ints, Segments

if TYPE_CHECKING:
    from irpref.kernel.grades import Gains, Grades

# Judgments of a group of topics. Arrays of this length stay in a core's cache; smaller groups pay
# NumPy's call overhead, larger ones memory traffic.
BATCH_ROWS = 1 << 17


def _values_of(row: Ints | Callable[[], Ints]) -> Ints:
    return row() if callable(row) else row


def _taken(row: Ints | Callable[[], Ints], kept: Ints) -> Ints:
    return _values_of(row).take(kept)


class JudgedRun(HasMemo):
    """A run as measures see it: its judged documents, by topic, in rank order.

    Attributes
    ----------
    pool : Grades
        The judgments of the same topics.
    hits : Segments
        Retrieved judged documents (rows) by topic.
    rank : int array (n_hits,)
        Rank among all retrieved documents of the topic, from 1.
    n_retrieved : int array (n_topics,)
        Documents retrieved, judged or not.
    rank_rising : int array (n_hits,) or None
        Rank if ties are broken by id, ascending, as some tools do; only if it was asked for, and
        not in views.
    tied_from : int array (n_hits,) or None
        Rank of the first document of the same score; there if `rank_rising` is.
    order : int array or None
        Topics as the run has them, those without judgments left out; not in views.
    """

    def __init__(
        self,
        pool: Grades,
        hits: Segments,
        rank: Ints,
        row: Ints | Callable[[], Ints],
        n_retrieved: Ints,
        level: Ints | None = None,
        *,
        rank_rising: Ints | None = None,
        tied_from: Ints | None = None,
        order: Ints | None = None,
    ) -> None:
        super().__init__()
        self.pool = pool
        self.hits = hits
        self.rank = rank
        self._row = row  # computed when asked for: most measures need only the level
        self.n_retrieved = n_retrieved
        self.rank_rising, self.tied_from, self.order = rank_rising, tied_from, order
        if level is not None:
            self.level = level
        self._kept: Ints | None = None  # which hits of another run these are, if not all

    @property
    def n_topics(self) -> int:
        """Number of topics of the qrels."""
        return self.hits.n

    @cached_property
    def row(self) -> Ints:
        """Row of each hit in the pool: shape (n_hits,)."""
        return _values_of(self._row)

    @cached_property
    def level(self) -> Ints:
        """Level of each hit in the pool: shape (n_hits,)."""
        return self.pool.level.take(self.row)

    @cached_property
    def grade(self) -> Floats:
        """Grade of each hit, negative grades included: shape (n_hits,)."""
        return self.pool.level_grade[self.level]

    @shared
    def gain(self, gains: Gains) -> Floats:
        """Return the gain of each hit: shape (n_hits,), 0 for grades of 0 and below. See
        `Grades.gain`.
        """
        return self.pool.level_gain(gains)[self.level]

    def at(self, cutoff: int | None) -> JudgedRun:
        """Cut the run after the first `cutoff` retrieved documents; the pool stays whole. None: the
        run itself.
        """
        return self if cutoff is None else self._cut(cutoff)

    @shared
    def _cut(self, cutoff: int) -> JudgedRun:
        return self.select(self.rank <= cutoff, np.minimum(self.n_retrieved, cutoff))

    @shared
    def condensed(self, negative: bool) -> JudgedRun:
        """Keep only documents with a judgment, ranked again from 1; the pool stays whole.

        A negative grade counts as a judgment only if `negative` is true.
        """
        judged = self if negative else self.at_least(0)
        hits = judged.hits
        rank = hits.position + 1
        return JudgedRun(self.pool, hits, rank, judged._row, hits.lengths, judged.level)

    def relevant(self, gains: Gains) -> JudgedRun:
        """Select the hits with a gain, at their ranks; everything else stays."""
        return self.of_levels(self.pool.level_gain(gains) > 0)

    def at_least(self, grade: float) -> JudgedRun:
        """Select the hits with at least this grade, at their ranks; everything else stays."""
        return self.of_levels(self.pool.level_grade >= grade)

    def of_levels(self, mask: Bools) -> JudgedRun:
        """Select the hits of the levels that `mask` keeps, (n_levels,), at their ranks; everything
        else stays.
        """
        # The key is the levels, so that views are shared: a gain and a grade of at least 1 mostly
        # select the same ones.
        if mask.all():
            return self
        return self.memo(mask.tobytes(), lambda: self.select(mask.take(self.level)))

    def view(self, cutoff: int | None, judged_only: bool, negative: bool = False) -> JudgedRun:
        """Apply `condensed(negative)` if `judged_only`, then `at(cutoff)`."""
        return (self.condensed(negative) if judged_only else self).at(cutoff)

    def select(self, mask: Bools, n_retrieved: Ints | None = None) -> JudgedRun:
        """Select the hits that `mask` keeps, (n_hits,), at their ranks; the list has as many
        documents as before, or `n_retrieved`.
        """
        n = self.n_retrieved if n_retrieved is None else n_retrieved
        # Refer to the rows, not to this run: it holds its views, and only the garbage collector
        # would free the cycle.
        row, kept = self._row, mask.nonzero()[0]
        if kept.size == mask.size:
            return JudgedRun(self.pool, self.hits, self.rank, row, n, self.level)
        part = self.hits.part(kept)
        rows = partial(_taken, row, kept)
        view = JudgedRun(self.pool, part, self.rank.take(kept), rows, n, self.level.take(kept))
        view._kept = kept
        return view

    @shared
    def others_above(self, part: JudgedRun) -> Floats:
        """Count the hits above each hit of a part, in its topic, that the part lacks: (n_hits of
        the part,).
        """
        if part is self or part._kept is None:
            return np.zeros(part.rank.size)
        above = part._kept - part.hits.position - part.hits.spread(self.hits.starts)
        return above.astype(np.float64)

    def on_pool(self, values: Floats, missing: float = np.nan) -> Floats:
        """Put values of the hits on the rows of the pool, `missing` for documents that are no hits:
        (n_judged,).
        """
        out = np.full(self.pool.judged.size, missing)
        out[self.row] = values
        return out

    @property
    def rising(self) -> Ints:
        """Rank of each hit if ties are broken by rising id. `ValueError` if not asked for."""
        if self.rank_rising is None:
            raise ArgumentError(
                "some measures rank tied documents by rising id: align the run with ties=True",
                parameter="ties",
            )
        return self.rank_rising

    @shared
    def missed(self) -> Bools:
        """Mark the rows of the pool that the run did not retrieve: shape (n_judged,)."""
        out = np.ones(self.pool.judged.size, bool)
        out[self.row] = False
        return out

    def topics(self, start: int, stop: int) -> JudgedRun:
        """Select the topics `start` to `stop - 1`."""
        if (start, stop) == (0, self.n_topics):
            return self
        rows = self.hits.span(start, stop)
        rising, tied = self.rank_rising, self.tied_from
        return JudgedRun(
            self.pool.topics(start, stop),
            self.hits.slice(start, stop),
            self.rank[rows],
            self.row[rows] - self.pool.judged.offsets[start],
            self.n_retrieved[start:stop],
            rank_rising=None if rising is None else rising[rows],
            tied_from=None if tied is None else tied[rows],
        )

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[tuple[int, int]]:
        """Group consecutive topics into batches of about `rows` rows, small enough for the cache:
        first, one past the last.
        """
        # By judgments, not by hits: then every run of an evaluator has the same groups, and the
        # results that a group of the pool keeps for the measures serve all runs.
        load = self.pool.load
        start = 0
        while start < self.n_topics:
            stop = int(np.searchsorted(load, load[start] + rows, side="right")) - 1
            stop = min(max(stop, start + 1), self.n_topics)
            yield start, stop
            start = stop

    def by_batch(self, values: Callable[[JudgedRun], Floats]) -> Floats:
        """Compute a number a topic, batch by batch, so that what it takes is freed: (n_topics,)."""
        parts = [values(self.topics(*batch)) for batch in self.batches()]
        return np.concatenate(parts) if parts else np.empty(0)
