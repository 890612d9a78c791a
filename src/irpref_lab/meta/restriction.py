"""Runs judged by some of the judgments, or by the same judgments with other grades.

A run is aligned with the full judgments once; the judgments left need only its hits."""

from __future__ import annotations

import numpy as np

from irpref.kernel import Bools, Floats, Grades, Ints, JudgedRun, Segments


class Restriction:
    """Several subsets of the judgments, and runs judged by each.

    A mask picks the hits of a run for each subset. The topics of the first subset come first, then
    the topics of the second, and so on: measures see one run with many topics, which takes little
    longer than one with few.

    Attributes
    ----------
    keep : bool array (n, n_judged)
        Rows of the full pool that each subset keeps; you may give (n_judged,) for one subset.
    pool : Grades
        The judgments left, still in ideal order.
    """

    def __init__(self, pool: Grades, keep: Bools) -> None:
        self.keep = keep = np.atleast_2d(keep)
        n, n_judged = keep.shape
        rows = np.flatnonzero(keep)
        row = rows % n_judged
        columns = {name: column[row] for name, column in pool.columns.items()}
        self.pool = Grades(_repeated(pool.judged, n).part(rows), pool.grade[row], columns)
        # New number of each level of the full pool, for the first subset, then the second, and so
        # on.
        self._level = np.zeros(n * pool.level_start.size, np.int64)
        self._level[pool.level[row] + rows // n_judged * pool.level_start.size] = self.pool.level

    def judged(self, run: JudgedRun) -> JudgedRun:
        """Judge the run by the judgments left: all other documents keep their ranks and count as
        unjudged.
        """
        n, size, n_levels = len(self.keep), run.row.size, run.pool.level_start.size
        kept = np.flatnonzero(self.keep.take(run.row, axis=1))
        hit = kept % size
        rising = run.rank_rising
        return JudgedRun(
            self.pool,
            _repeated(run.hits, n).part(kept),
            run.rank.take(hit),
            lambda: self._row(run.row),
            np.tile(run.n_retrieved, n),
            self._level.take(kept // size * n_levels + run.level.take(hit)),
            rank_rising=None if rising is None else rising.take(hit),
        )

    def _row(self, row: Ints) -> Ints:
        """Map rows of the full pool to rows of the pool that is left; removed rows are dropped."""
        n, n_judged = self.keep.shape
        left = np.where(self.keep, np.cumsum(self.keep).reshape(n, n_judged) - 1, -1)[
            :, row
        ].ravel()
        return left[left >= 0]


def _repeated(segments: Segments, n: int) -> Segments:
    """Repeat the same segments `n` times in a row."""
    starts = np.arange(n)[:, None] * segments.size + segments.starts
    return Segments(np.append(starts, n * segments.size))


class Regraded:
    """The same judged documents with other grades, and runs judged by these.

    Attributes
    ----------
    pool : Grades
        The judgments with the new grades, in ideal order.
    """

    def __init__(self, pool: Grades, grade: Floats) -> None:
        order = np.lexsort((np.arange(grade.size), -grade, pool.judged.topic))
        columns = {name: column[order] for name, column in pool.columns.items()}
        self.pool = Grades(pool.judged, grade[order], columns)
        self._row: Ints = np.empty(order.size, dtype=np.int64)
        self._row[order] = np.arange(order.size)

    def judged(self, run: JudgedRun) -> JudgedRun:
        """Judge the run by the new grades: all documents keep their ranks."""
        return JudgedRun(
            self.pool,
            run.hits,
            run.rank,
            lambda: self._row[run.row],
            run.n_retrieved,
            rank_rising=run.rank_rising,
            tied_from=run.tied_from,
        )
