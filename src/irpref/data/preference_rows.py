"""Pairs of documents in tables and mappings: frames, records, tuples, CSV, JSON and Parquet.

    topic  winner  loser  [judge]           topic  A  B  preferred

Columns called `winner` and `loser`, or `preferred`, say that these are pairs. If `form='pairs'`
does, three or four columns of any name are read in this order, as lines of text are; a mapping
holds the pairs of each topic: a list of pairs, or losers by winner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.data.cells import rows_of_cells
from irpref.data.columns import NAMES, objects
from irpref.data.kinds import (
    PAIR,
    PREFERRED,
    TOPICS,
    are_preferred,
    check_judges,
    check_pairs,
    name_pairs,
)
from irpref.data.preference_frames import of_pairs
from irpref.data.records import content_of
from irpref.data.rows import id_text
from irpref.data.source import Source
from irpref.errors import ColumnError, InputError

if TYPE_CHECKING:
    import pandas as pd

_JUDGES = ("judge", "judge_id", "assessor")
_EXPECTED = "topic, winner, loser and perhaps judge, or topic, A, B and preferred"
_TREC = ("query_id", "iteration", "doc_id", "relevance")  # in the order of lines of text


def pairs_of_file(source: Source, form: str) -> pd.DataFrame:
    """Read the pairs of a file of a form whose columns have names, as `read_preferences` does."""
    if form not in ("csv", "tsv"):
        return pairs_in_memory(content_of(source, form), path=source.name)
    names, rows = rows_of_cells(source, "," if form == "csv" else "\t")
    if not (name_pairs(names) or TOPICS.intersection(_plain(names))):
        raise _no_columns(names, path=source.name)  # the first row may hold ids
    return _frame(names, list(rows), path=source.name)


def pairs_in_memory(data: Any, **place: Any) -> pd.DataFrame:
    """Read the pairs of a frame, a mapping, records, namedtuples or tuples; `place`: attributes of
    errors.
    """
    if isinstance(data, Mapping):
        return _frame(None, list(_rows_of_mapping(data, place)), **place)
    if hasattr(data, "columns"):
        rows = data.itertuples(index=False) if hasattr(data, "itertuples") else data.rows()
        return _frame(list(data.columns), [tuple(row) for row in rows], **place)
    rows = data if isinstance(data, list) else [data]
    first = rows[0] if rows else ()
    if not isinstance(first, Mapping):
        return _frame(getattr(first, "_fields", None), rows, **place)
    lacking = [row for row in rows if not isinstance(row, Mapping) or set(row) != set(first)]
    if lacking:
        raise InputError(f"a record has other columns than the first: {lacking[0]!r}", **place)
    return _frame(list(first), [tuple(row[name] for name in first) for row in rows], **place)


def _rows_of_mapping(data: Mapping[Any, Any], place: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield topic, winner and loser of the pairs of each topic."""
    for topic, pairs in data.items():
        if isinstance(pairs, Mapping):
            for winner, losers in pairs.items():
                several = isinstance(losers, (list, tuple, set, frozenset))
                yield from ((topic, winner, loser) for loser in (losers if several else [losers]))
            continue
        for pair in pairs if isinstance(pairs, (list, tuple)) else [None]:
            if not (isinstance(pair, (list, tuple)) and len(pair) in (2, 3)):
                raise InputError(
                    f"topic {id_text(topic)!r} holds no pairs, winner and loser",
                    topic=id_text(topic),
                    **place,
                )
            yield (topic, *pair)


def _frame(names: Sequence[Any] | None, rows: Sequence[Any], **place: Any) -> pd.DataFrame:
    """Make the frame of preferences, as `read_preferences` returns it, of rows of pairs.

    Raises
    ------
    ColumnError
        It is not clear which columns hold the pairs.
    InputError
        A row has another number of cells, or lacks an id; preferences contradict each other.
    """
    width = len(names if names is not None else rows[0]) if rows or names is not None else 3
    wanted, last = (list(range(width)), "") if names is None else _places(names, place)
    cells = [_ids(row, wanted, width, record=i, **place) for i, row in enumerate(rows, 1)]
    if len(wanted) == 4 and not last and {row[1] for row in cells} <= {"0", "Q0"}:
        cells = [[row[0], *row[2:]] for row in cells]  # the iteration of judgments
    size = len(cells[0]) if cells else len(wanted)
    columns = [objects([row[i] for row in cells]) for i in range(size)]
    fields = [[cell.encode() for cell in row] for row in cells]
    if size == 4 and not last:
        check_pairs(fields, **place)
        last = "preferred" if are_preferred(fields, small=True) else "judge"
        if names is not None and last == "judge":
            check_judges(fields, "call the column 'judge'", **place)
    return of_pairs(
        columns[0],
        np.stack(columns[1:3], axis=1),
        columns[3] if last == "judge" else None,
        columns[3] if last == "preferred" else None,
        lambda found: {"record": min(found) + 1, **place},
    )


def _ids(row: Any, wanted: Sequence[int], width: int, **place: Any) -> list[str]:
    """Return topic, the two documents and perhaps a fourth id of a row, as text."""
    is_row = isinstance(row, Sequence) and not isinstance(row, (str, bytes))
    if not is_row or len(row) != width or len(wanted) not in (3, 4):
        raise InputError(f"expected {_EXPECTED}: {row!r}", **place)
    ids = [row[i] for i in wanted]
    if any(not isinstance(one, (str, bytes, int, np.integer)) or one in ("", b"") for one in ids):
        raise InputError(f"an id is missing, or is neither text nor whole: {row!r}", **place)
    return list(map(id_text, ids))


def _places(names: Sequence[Any], place: Mapping[str, Any]) -> tuple[list[int], str]:
    """Find the columns of topic, the two documents and perhaps a fourth one, and what that is: a
    `judge`, `preferred`, or unknown.
    """
    given = _plain(names)
    topics = [i for i, name in enumerate(given) if name in TOPICS]
    preferred = [i for i, name in enumerate(given) if name in PREFERRED]
    if set(PAIR) <= set(given):
        judges = [i for i, name in enumerate(given) if name in _JUDGES][:1]
        if len(topics) == 1 and len(preferred) == 1:
            return [topics[0], *map(given.index, PAIR), *judges], "judge" * bool(judges)
    elif preferred:
        if len(topics) == len(preferred) == 1 and len(given) == 4:
            others = [i for i in range(4) if i not in (topics[0], preferred[0])]
            return [topics[0], *others, preferred[0]], "preferred"
    elif set(ours := _ours(given)) == set(_TREC) and len(given) == 4:
        return list(map(ours.index, _TREC)), ""
    elif len(given) in (3, 4):
        return list(range(len(given))), ""
    raise _no_columns(names, **place)


def _ours(given: Iterable[str]) -> list[str]:
    """Return our names for columns that have one."""
    return [next((ours for ours in NAMES if name in NAMES[ours]), name) for name in given]


def _plain(names: Iterable[Any]) -> list[str]:
    return [str(name).strip().lower() for name in names]


def _no_columns(names: Sequence[Any], **place: Any) -> ColumnError:
    found = ", ".join(map(str, names))
    return ColumnError(
        f"has pairs, expected columns {_EXPECTED} (found: {found})",
        header=tuple(map(str, names)),
        **place,
    )
