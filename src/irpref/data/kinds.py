"""The kinds of lines of white-space separated fields: the fields decide, not their number.

    topic iteration document grade     topic document grade      grades
    topic winner loser [judge]                                   pairs
    topic A B preferred                                          pairs: the preferred one of A and B

Three or four fields may be any of these, and ids may be numbers. Lines left in doubt are refused,
unless `form` names the kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

import numpy as np

from irpref.data.columns import Table, as_list
from irpref.data.source import Source
from irpref.data.texts import Texts
from irpref.data.trec import is_number, lines_of
from irpref.errors import InputError, Remedy

_SOME = 10_000  # lines that are looked at
_HIGHEST = 100  # of the numbers that are taken for grades beside ids that are numbers
_NO_GRADE = 1_000  # numbers above it that differ nearly everywhere are no grades
_NEARLY_ALL = 0.9
_DIFFERENT = 0.25  # of times in seconds, many of which repeat
_FEW = 3

Rows = Sequence[Sequence[bytes]]


def rows_of(source: Source, n: int) -> list[list[bytes]]:
    """Return the fields of the first lines that have `n` fields."""
    rows = (line.split(None, n) for _, line in islice(lines_of(source), _SOME))
    return [row for row in rows if len(row) == n]


def are_pairs(rows: Rows) -> bool:
    """Return whether lines of three fields are pairs although the third is a number: in most of
    them it is also a second field of the topic, and too high for a grade.
    """
    docs = defaultdict(set)
    for topic, doc, _ in rows:
        docs[topic].add(doc)
    found = [
        other
        for topic, doc, other in rows
        if other != doc and other in docs[topic] and not _is_small(other)
    ]
    return 2 * len(found) > len(rows)


def are_preferred(rows: Rows, small: bool = False) -> bool:
    """Return whether the fourth of four fields is the preferred one of the second and the third: in
    most lines it is one of them, and no small number (unless these are ids, too: `small`).
    """
    found = _preferred(rows)
    return 2 * len(found) > len(rows) and (
        small or 2 * sum(_is_small(row[3]) for row in found) < len(found)
    )


def check_preferred(rows: Rows, path: str) -> None:
    """Raise `InputError` if the fourth field may be the preferred document, but also a grade: in
    some lines it is the second field and in some the third, as grades are not.
    """
    found = _preferred(rows)
    if 2 * len(found) > len(rows) and len({row[3] == row[1] for row in found}) > 1:
        raise InputError(
            "the fourth field is the second or the third: is it a document that is preferred, or "
            "a grade?",
            remedy=_as_pairs("the preferred document of two, and 'trec' a grade"),
            path=path,
        )


def _preferred(rows: Rows) -> Rows:
    return [row for row in rows if row[3] in row[1:3] and row[1] != row[2]]


def _as_pairs(reads: str) -> Remedy:
    return Remedy("form", "pairs", "judgments", f"reads {reads}")


def check_pairs(rows: Rows, path: str) -> None:
    """Raise `InputError` if the losers of pairs would be ratings: numbers that are small, and no
    ids.
    """
    others = {row[2] for row in rows}
    if others and all(map(_is_small, others)) and others.isdisjoint(row[1] for row in rows):
        raise InputError(
            "the third field holds small numbers, which are not among the documents of the second: "
            "are these user, item, rating and time? Expected topic, iteration, document and grade, "
            "or topic, winner, loser and judge",
            path=path,
        )


def check_grades(table: Table, n: int, path: str) -> None:
    """Refuse the judgments of a file of `n` fields a line whose grades are probably no grades.

    Raises
    ------
    InputError
        Nearly all grades exceed 1,000 and many differ: times. In files of three fields, a grade
        exceeds 100, or is the id of a document: the third field may be a document, too.
    """
    grade = table.value[np.isfinite(table.value)]
    if n == 3:
        doubtful = set(grade[np.abs(grade) > _HIGHEST][:1].tolist()) or _ids_among(table, grade)
        if doubtful:
            raise InputError(
                f"is the third field, such as {min(doubtful):g}, a grade or the id of a document?",
                remedy=_as_pairs("topic, winner and loser, and 'trec' a grade"),
                path=path,
                column="relevance",
                value=min(doubtful),
            )
    high = np.count_nonzero(grade > _NO_GRADE)
    if (
        grade.size >= _FEW
        and high >= _NEARLY_ALL * grade.size
        and np.unique(grade).size > _DIFFERENT * grade.size
    ):
        raise InputError(
            f"the relevance, the last field, exceeds {_NO_GRADE:,} in {high} of {grade.size} lines "
            f"and rarely repeats, first {grade[0]:.0f}: are these user, item, rating and time? "
            f"Expected topic, iteration, document and grade",
            path=path,
            column="relevance",
            value=float(grade[0]),
        )


def _ids_among(table: Table, grade: np.ndarray) -> set[float]:
    """Find grades that are the ids of documents. They have few digits."""
    docs = table.doc_id
    if isinstance(docs, Texts):
        docs = docs[np.flatnonzero(docs.length <= len(str(_HIGHEST)))]
    ids = set(as_list(docs))
    return {level for level in np.unique(grade).tolist() if f"{level:g}" in ids}


def _is_small(field: bytes) -> bool:
    return is_number(field) and abs(float(field)) <= _HIGHEST
