"""The judgments as measures see them: arrays only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from irpref.errors import JudgmentsError
from irpref.kernel.memo import HasMemo, shared
from irpref.kernel.preference_pairs import Preferences
from irpref.kernel.segments import Bools, Floats, Ints, Segments

Gains = tuple[tuple[float, float], ...] | None

LARGEST_GAIN = 2.0**850  # sums and products of many such gains and counts are below 2^1024
_KEPT = 1 << 20  # up to so many judgments, the arrays that measures share are kept for the next run


class Grades(HasMemo):
    """The judgments as measures see them: arrays, by topic, in ideal order.

    A *level* is a grade that occurs in a topic. Sums over the pool go over the few levels of a
    topic, not over its many documents.

    Attributes
    ----------
    judged : Segments
        Judged documents (rows) by topic.
    grade : float array (n_judged,)
        Grades, descending inside each topic: the rows of a topic are in ideal order.
    levels : Segments
        Levels (rows) by topic, by descending grade.
    level_grade : float array (n_levels,)
    level_size : int array (n_levels,)
        Documents of the level.
    level_start : int array (n_levels,)
        First row of the level; its documents follow each other.
    columns : dict of str to array (n_judged,)
        Further columns of the qrels that the measures asked for, and under (parameter, name) the
        values that a measure reads in them: `known` truth values, `expected` numbers.
    """

    def __init__(
        self, judged: Segments, grade: Floats, columns: Mapping[Any, Any] | None = None
    ) -> None:
        super().__init__()
        self.judged = judged
        self.grade = grade
        self.columns: dict[Any, Any] = dict(columns or {})
        rows = Segments.of_equal(judged.topic, grade)
        self.level_start, self.level_size = rows.starts, rows.lengths
        self.level_grade: Floats = grade[self.level_start]
        self.levels = judged.part(self.level_start)
        self._preferences: Preferences | None = None

    @property
    def n_topics(self) -> int:
        """Number of topics of the qrels."""
        return self.judged.n

    @cached_property
    def level(self) -> Ints:
        """Level of each judged document: shape (n_judged,)."""
        return np.arange(self.level_start.size).repeat(self.level_size)

    @property
    def preferences(self) -> Preferences:
        """Which documents are preferred to which: as they were given, or those that the grades
        imply.
        """
        return self._of_grades() if self._preferences is None else self._preferences

    @shared
    def _of_grades(self) -> Preferences:
        return Preferences.of_levels(self.judged, self.level, self.grade)

    @property
    def load(self) -> Ints:
        """Rows of all topics before each one, of judgments or of given preferences: shape (n_topics
        + 1,).
        """
        return self.judged.offsets if self._preferences is None else self._preferences.load

    @property
    def preferences_of_grades(self) -> bool:
        """Whether the preferences are those that the grades imply."""
        return self._preferences is None

    def trim(self, most: int) -> None:
        """Drop the arrays that measures share if they take more than about `most` bytes."""
        if self._held() > most:
            self._memo = {}

    def _held(self) -> int:
        memo = list(self._memo.values())
        return len(memo) * self.grade.nbytes + sum(
            part._held() for part in memo if isinstance(part, Grades)
        )

    def level_mapped(self, gains: Gains) -> Floats:
        """Map each level to `gains.get(grade, grade)`: shape (n_levels,).

        Raises
        ------
        JudgmentsError
            One is above 2^850: sums of such gains could leave the range of a double.
        """
        out = self.level_grade.copy()
        for grade, gain in gains or ():
            out[self.level_grade == grade] = gain
        if out.max(initial=0.0) > LARGEST_GAIN:
            raise JudgmentsError(
                f"gain {out.max():g} is too large for double precision, expected at most 2^850 "
                f"({LARGEST_GAIN:g})",
                value=float(out.max()),
            )
        return out

    @shared
    def level_gain(self, gains: Gains) -> Floats:
        """Map each level as `level_mapped` does, but grades of 0 and below to 0: shape
        (n_levels,).
        """
        return np.where(self.level_grade > 0, self.level_mapped(gains), 0.0)

    @shared
    def gain(self, gains: Gains) -> Floats:
        """Return the gain of each judged document: shape (n_judged,), falling inside each topic."""
        return self.level_gain(gains)[self.level]

    @shared
    def whole(self, gains: Gains) -> bool:
        """Test whether all gains are whole numbers, and so small that sums of them are exact."""
        gain = self.level_gain(gains)
        exact = gain.max(initial=0.0) < 2.0**53 / max(self.judged.size, 1)
        return bool(exact and (gain == np.rint(gain)).all())

    @shared
    def ideal(self, gains: Gains) -> tuple[Segments, Floats]:
        """Return the documents with a gain: rows by topic, and gains, falling inside each topic."""
        # Gains do not rise while grades fall, so these are the first rows of each topic.
        size = np.where(self.level_gain(gains) > 0, self.level_size, 0)
        relevant = self.levels.total_whole(size.astype(np.float64))
        return Segments.of_lengths(relevant), np.repeat(self.level_gain(gains), size)

    def level_total(self, values: Floats) -> Floats:
        """Sum over all judged documents of a value their level has: (n_levels,) to (n_topics,)."""
        return self.levels.total(values * self.level_size)

    @shared
    def count_relevant(self, rel: float) -> Ints:
        """Count R, the documents with a grade of at least `rel`: shape (n_topics,)."""
        return self.count_levels(self.level_grade >= rel)

    @shared
    def scale(self) -> list[float]:
        """List the grades that occur, rising."""
        return sorted(set(self.level_grade.tolist()))

    @shared
    def wins(self) -> Floats:
        """Count the preferences of each judged document over others: shape (n_judged,)."""
        return self.preferences.wins(self.judged.size)

    def count_levels(self, mask: Bools) -> Ints:
        """Count the judged documents on the levels that `mask` keeps: (n_levels,) to
        (n_topics,).
        """
        return self.level_total(mask.astype(np.float64)).astype(np.int64)

    def topics(self, start: int, stop: int) -> Grades:
        """Select the topics `start` to `stop - 1`."""
        if self.load[-1] > _KEPT:
            return self._part(start, stop)
        # Columns may join later, when other measures ask for them.
        key = (Grades.topics, start, stop, *self.columns)
        return self.memo(key, lambda: self._part(start, stop))

    def _part(self, start: int, stop: int) -> Grades:
        rows = self.judged.span(start, stop)
        columns = {name: column[rows] for name, column in dict(self.columns).items()}
        part = Grades(self.judged.slice(start, stop), self.grade[rows], columns)
        if self._preferences is not None:
            part._preferences = self._preferences.topics(start, stop, rows.start, rows.stop)
        return part


class Levels(Grades):
    """Judgments of which only the levels are known; the documents are listed for a measure that
    asks for them.

    A topic has few levels but many judged documents, most of them not retrieved. Where thousands of
    versions of a topic are evaluated, listing them takes most of the time.

    Parameters
    ----------
    levels : Segments
        Levels (rows) by topic, by descending grade.
    grade, size : arrays (n_levels,)
        Grade of the level, and its documents.
    columns : callable
        () -> the values that measures read in further columns, each (n_judged,).
    """

    def __init__(
        self, levels: Segments, grade: Floats, size: Ints, columns: Callable[[], dict[Any, Any]]
    ) -> None:
        HasMemo.__init__(self)
        self.levels, self.level_grade, self.level_size = levels, grade, size
        offsets = np.append(0, np.cumsum(size))
        self.level_start = offsets[:-1]
        self.judged = Segments(offsets[levels.offsets])
        self._columns = columns
        self._preferences = None

    @cached_property
    def grade(self) -> Floats:  # type: ignore[override]
        """Grades, descending inside each topic: shape (n_judged,)."""
        return self.level_grade.repeat(self.level_size)

    @cached_property
    def columns(self) -> dict[Any, Any]:  # type: ignore[override]
        """Values that measures read in further columns: each (n_judged,)."""
        return self._columns()
