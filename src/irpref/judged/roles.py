"""Judgments and a run the wrong way round, in forms that do not say which is which.

JSON of pytrec_eval, ranx and BEIR, dicts, and tables whose numbers are called `score` have one form
for both. Their numbers tell them apart, in most cases: scores differ from document to document,
grades come from a scale of a few whole numbers, so that many documents share one. Only if both are
the wrong way round are they refused; grades may be fractions, and scores may tie. Whoever calls
`irpref.judgments` or `irpref.run` has said which is which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from irpref.data.columns import Table, as_objects
from irpref.errors import QRELS_FIRST, InputError
from irpref.kernel.segments import Bools, Floats, Ints, Segments

SCALE = 10  # grades of the longest scale
_SEVERAL = 3  # documents of a topic of which some share a grade
_MOST = 0.75  # of the documents of a topic: web pages that are copies share their scores
_SOME = 6  # numbers with a fraction that no two documents share
_LOOKED_AT = 1_000  # judgments that tell whether to look at the rest


def hold_scores(topics: Segments, number: Floats) -> bool:
    """Return whether judgments hold numbers as runs have them: in topics with three or more
    documents most differ, and there are more numbers than on any scale, or most are
    fractions.
    """
    n = int(np.searchsorted(topics.ends, _LOOKED_AT)) + 1
    if n < topics.n:
        some = slice(0, int(topics.ends[n - 1]))
        if not _differ(topics.topic[some], number[some]):
            return False
    return _differ(topics.topic, number)


def _differ(topic: Ints, number: Floats) -> bool:
    """Return whether most numbers of the topics with three or more differ."""
    n_each = np.bincount(topic)[topic]
    topic, number = topic[n_each >= _SEVERAL], number[n_each >= _SEVERAL]
    order = np.lexsort((number, topic))
    topic, number = topic[order], number[order]
    again = (topic[1:] == topic[:-1]) & (number[1:] == number[:-1])
    if not number.size or again.sum() > (1 - _MOST) * number.size:
        return False
    different = np.unique(number)
    fractions = np.count_nonzero(different % 1)
    return different.size > SCALE or bool(fractions >= _SOME and 2 * fractions > different.size)


class _Grades:
    """Whether the numbers of a run are grades, some rows at a time: a few whole ones, and in most
    topics with three or more documents, two share a number.
    """

    def __init__(self) -> None:
        self.levels: set[float] = set()
        self._n_topics = self._n_shared = 0
        self._possible = True

    def add(self, table: Table) -> None:
        """Note the rows of a table of whole topics."""
        if not self._possible or not len(table):
            return
        self.levels.update(np.unique(table.value).tolist())
        whole = all(map(float.is_integer, self.levels))
        self._possible = whole and len(self.levels) <= SCALE
        if self._possible:
            several, shared = _shared(as_objects(table.query_id), table.value)
            self._n_topics += int(several.sum())
            self._n_shared += int((several & shared).sum())

    @property
    def found(self) -> bool:
        """Whether all rows so far may be grades."""
        return self._possible and 2 * self._n_shared > self._n_topics


def _shared(topics: np.ndarray, number: Floats) -> tuple[Bools, Bools]:
    """Find topics with three or more documents, and topics of which two documents share a
    number.
    """
    names, topic = np.unique(topics.astype(str), return_inverse=True)
    order = np.lexsort((number, topic))
    topic, number = topic[order], number[order]
    again = (topic[1:] == topic[:-1]) & (number[1:] == number[:-1])
    counts = np.bincount(topic, minlength=names.size)
    return counts >= _SEVERAL, np.bincount(topic[1:], again, names.size) > 0


def in_their_roles(tables: Iterable[Table]) -> Iterator[Table]:
    """Pass on the tables of a run whose judgments hold scores.

    Raises
    ------
    InputError
        The run holds grades: they were swapped. It is raised after the last table.
    """
    grades = _Grades()
    for table in tables:
        grades.add(table)
        yield table
    if grades.found:
        levels = ", ".join(f"{level:g}" for level in sorted(grades.levels))
        raise InputError(
            f"judgments and run seem to be swapped: the run holds grades ({levels}), and most "
            f"numbers of the judgments differ, as scores do (irpref.judgments reads them as they "
            f"are)",
            remedy=QRELS_FIRST,
        )
