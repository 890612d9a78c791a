"""The kinds of lines of white-space separated fields: the fields decide, not their number.

    topic iteration document grade     topic document grade      grades
    topic winner loser [judge]                                   pairs
    topic A B preferred                                          pairs: the preferred one of A and B

Three or four fields may be any of these, and ids may be numbers. Lines left in doubt are refused,
unless `form` names the kind. Numbers in tables with named columns and in memory are looked at in
the same way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from irpref.data.columns import NAMES, OF_VALUES, VALUES, Reading, Table, as_list
from irpref.data.rows import id_text
from irpref.data.source import Source
from irpref.data.texts import Texts
from irpref.data.trec import is_number, is_value, lines_of
from irpref.errors import InputError, Remedy
from irpref.kernel.memo import shared

_SOME = 10_000  # lines that are looked at
_HIGHEST = 100  # of the numbers that are taken for grades beside ids that are numbers
_NO_GRADE = 1_000  # numbers above it that differ nearly everywhere are no grades
_NEARLY_ALL = 0.9
_DIFFERENT = 0.25  # of times in seconds, many of which repeat
_FEW = 3
_MUCH = 10
_TIME = 10**8  # seconds since 1970 are more
_NO_TIME = 1e20  # nanoseconds since 1970 are less
_EITHER = (
    *((b"a", b"b"), (b"left", b"right"), (b"first", b"second"), (b"doc_a", b"doc_b")),
    *((b"model_a", b"model_b"), (b"1", b"2"), (b"0", b"1")),
)
_TIED = {b"tie", b"tied", b"both", b"neither", b"equal", b"same", b"none"}

# Columns of these names hold pairs, or, without a loser, the preferred one of two documents.
PAIR = ("winner", "loser")
PREFERRED = ("preferred", "winner")
TOPICS = frozenset((*NAMES["query_id"], "topic", "topic_id", "query"))

Rows = Sequence[Sequence[bytes]]


def name_pairs(names: Iterable[Any]) -> bool:
    """Return whether columns say that their rows are pairs of documents."""
    given = {str(name).strip().lower() for name in names}
    return not given.isdisjoint(PREFERRED)


def head_pairs(names: Sequence[Any]) -> bool:
    """Return whether the first row of pairs holds names of columns."""
    return name_pairs(names) or any(str(name).strip().lower() in TOPICS for name in names[:1])


@shared
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
            remedy=as_pairs("the preferred document of two, and 'trec' a grade"),
            path=path,
        )


def _preferred(rows: Rows) -> Rows:
    return [row for row in rows if row[3] in row[1:3] and row[1] != row[2]]


def as_pairs(reads: str) -> Remedy:
    """Return the remedy for pairs that were given as grades; `reads`: the rest of the sentence."""
    return Remedy("form", "pairs", "judgments", f"reads {reads}")


def check_pairs(rows: Rows, **place: Any) -> None:
    """Raise `InputError` if the losers of pairs would be ratings: numbers that are small, and no
    ids.
    """
    others = {row[2] for row in rows}
    if others and all(map(_is_small, others)) and others.isdisjoint(row[1] for row in rows):
        raise InputError(
            "the third field holds small numbers, which are not among the documents of the second: "
            "are these user, item, rating and time? Expected topic, iteration, document and grade, "
            "or topic, winner, loser and judge",
            **place,
        )


def check_judges(rows: Rows, otherwise: str, **place: Any) -> None:
    """Raise `InputError` if the fourth of four fields, which is read as a judge, may say which of
    two documents is preferred: `A` or `B`, `left` or `right`. `otherwise`: how it is read as a
    judge.
    """
    said = {row[3].lower() for row in rows} - _TIED
    if tuple(sorted(said)) in _EITHER and not are_preferred(rows, small=True):
        shown = " or ".join(sorted({row[3].decode() for row in rows}))
        raise InputError(
            f"the fourth field is {shown}: if it says which document is preferred, write that "
            f"document instead; if it is a judge, {otherwise}",
            **place,
        )


def check_fields(rows: Rows, **place: Any) -> None:
    """Raise `InputError` if four fields that end with a grade may be something else: a pair and the
    number of a judge, or user, item, time and rating.
    """
    rows = [row for row in rows if row[1] not in (b"0", b"Q0")]
    docs = {(row[0], row[2]) for row in rows}
    judged = sum((row[0], row[1]) in docs and not _is_small(row[1]) for row in rows)
    if 10 * judged > len(rows):
        raise InputError(
            "the second field is also a third one: is the fourth a grade, or the judge of a pair?",
            remedy=as_pairs("topic, winner, loser and judge, and 'trec' a grade"),
            **place,
        )
    # No time begins with a letter; most ids do, and are told from numbers without parsing.
    may_be_times = (row[2] for row in rows if not row[2][:1].isalpha())
    late = sum(is_number(field) and float(field) > _TIME for field in may_be_times)
    if len(rows) >= _FEW and late >= _NEARLY_ALL * len(rows):
        items = len({(row[0], row[1]) for row in rows})
        if items >= _NEARLY_ALL * len(rows):
            raise InputError(
                "the second field differs in nearly every line, and the third may be a time: are "
                "these user, item, time and rating? Expected topic, iteration, document and grade "
                "(form='trec' takes them so)",
                **place,
            )


def check_grades(table: Table, n: int, path: str) -> None:
    """Refuse the judgments of a file of `n` fields a line whose grades are probably no grades.

    Raises
    ------
    InputError
        Nearly all grades exceed 1,000 and many differ: times. In files of three fields, a grade
        exceeds 100, or is the id of a document: the third field may be a document, too.
    """
    if n == 3:
        _check_third(table, path=path)
    if times := _times(table.value):
        raise InputError(
            f"the relevance, the last field, {times}: are these user, item, rating and time? "
            f"Expected topic, iteration, document and grade",
            path=path,
            column="relevance",
            value=float(table.value[0]),
        )


def check_numbers(table: Table, how: Reading, *, bare: bool = False, **place: Any) -> None:
    """Refuse judgments with named columns, or in memory, whose grades are probably no grades,
    unless `columns` says which column holds grades.

    Parameters
    ----------
    table : Table
    how : Reading
    bare : bool
        Whether the numbers are the third of three without names, as in lines of three fields.
    **place : attributes of the error

    Raises
    ------
    InputError
        Nearly all grades exceed 1,000 and many differ: times. Most grades exceed 100, and are
        whole numbers as the ids of documents are: they may be documents. Or they are one of the two
        ids of TREC's fields: the preferred one of two documents.
    """
    if "relevance" in how.columns:
        how.used.update(
            ("relevance", name) for name in how.columns["relevance"] if not table.column
        )
        return
    column = table.column or "relevance"
    about: dict[str, Any] = {"column": column, **place}
    if bare:
        _check_third(table, **place)
    if np.count_nonzero(table.value > _HIGHEST) * 2 <= len(table):
        return
    rows = _fields(table)
    iteration = {row[1] for row in rows} - {b"0", b"Q0"}
    if iteration and 2 * len(_preferred(rows)) > len(rows):
        raise InputError(
            f"the {column} is the preferred one of two documents",
            remedy=as_pairs("such preferences"),
            **about,
        )
    if _may_be_ids(rows):
        raise InputError(
            f"is the {column}, such as {table.value.max():.0f}, a grade or the id of a document? "
            f"If it is a grade, name the column (relevance={column})",
            remedy=as_pairs("topic, winner and loser"),
            **about,
        )
    if times := _times(table.value):
        raise InputError(
            f"the {column} {times}: are these times? Grades were expected",
            remedy=None if iteration else _as_grades(column),
            **about,
        )


def _may_be_ids(rows: Rows) -> bool:
    """Return whether grades may be documents: these have whole numbers, too, which are not all much
    lower.
    """
    docs = [float(row[2]) for row in rows if row[2].isdigit()]
    grades = [float(row[3]) for row in rows]
    numbered = len(docs) >= _NEARLY_ALL * len(rows) and all(map(float.is_integer, grades))
    return numbered and min(grades) <= _MUCH * max(docs)


def _fields(table: Table) -> list[list[bytes]]:
    """Return the first rows as TREC's four fields of text."""
    some = table.rows(np.arange(min(len(table), _SOME)))
    iteration = as_list(some.columns.get("iteration", ["0"] * len(some)))
    ids = as_list(some.query_id), iteration, as_list(some.doc_id)
    fields = ([str(one).encode() for one in column] for column in ids)
    grades = [f"{grade:.15g}".encode() for grade in some.value.tolist()]
    return [list(row) for row in zip(*fields, grades, strict=True)]


def _check_third(table: Table, **place: Any) -> None:
    """Raise `InputError` if the third of three fields may be a document instead of a grade."""
    grade = table.value[np.isfinite(table.value)]
    doubtful = set(grade[np.abs(grade) > _HIGHEST][:1].tolist()) or _ids_among(table, grade)
    if doubtful and all(is_value((row[0], row[2], row[3])) for row in _fields(table)):
        raise InputError(OF_VALUES, remedy=VALUES, column="relevance", **place)
    if doubtful:
        raise InputError(
            f"is the third field, such as {min(doubtful):.15g}, a grade or the id of a document?",
            remedy=as_pairs("topic, winner and loser, and 'trec' a grade"),
            column="relevance",
            value=min(doubtful),
            **place,
        )


def check_text_pairs(rows: Sequence[Sequence[Any]]) -> None:
    """Raise `InputError` if the third of three is text, and another document of the topic."""
    text = next((row[2] for row in rows if isinstance(row[2], (str, bytes))), None)
    if text is not None and seem_pairs(rows):
        raise InputError(
            f"the third of three, {text!r}, is text: is it the id of a document?",
            remedy=as_pairs("topic, winner and loser"),
        )


def seem_pairs(rows: Iterable[Any]) -> bool:
    """Return whether rows of unknown form, topic first, may be pairs: a third cell is also a second
    one of the topic, or most fourth ones are the second or the third.
    """
    cells = [row for row in islice(rows, _SOME) if isinstance(row, (tuple, list))]
    fields = [[id_text(cell).encode() for cell in row] for row in cells if len(row) in (3, 4)]
    four = [row for row in fields if len(row) == 4]
    docs = {(row[0], row[1]) for row in fields}
    chained = any((row[0], row[2]) in docs and not _is_small(row[2]) for row in fields)
    return chained or are_preferred(four)


def _times(grade: np.ndarray) -> str:
    """Say that grades are probably times: nearly all are high, and many differ; empty if not."""
    grade = grade[np.isfinite(grade)]
    high = np.count_nonzero((grade > _NO_GRADE) & (grade < _NO_TIME))
    if (
        grade.size >= _FEW
        and high >= _NEARLY_ALL * grade.size
        and np.unique(grade).size > _DIFFERENT * grade.size
    ):
        return (
            f"exceeds {_NO_GRADE:,} in {high} of {grade.size} rows and rarely repeats, first "
            f"{grade[0]:.0f}"
        )
    return ""


def _as_grades(column: str) -> Remedy:
    return Remedy("columns", {"relevance": column}, "judgments", "reads them as grades")


def _ids_among(table: Table, grade: np.ndarray) -> set[float]:
    """Find grades that are the ids of documents. They have few digits."""
    docs = table.doc_id
    if isinstance(docs, Texts):
        docs = docs[np.flatnonzero(docs.length <= len(str(_HIGHEST)))]
    ids = set(as_list(docs))
    return {level for level in np.unique(grade).tolist() if f"{level:g}" in ids}


def _is_small(field: bytes) -> bool:
    return is_number(field) and abs(float(field)) <= _HIGHEST
