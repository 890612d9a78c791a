"""Texts of queries and titles of documents, from mappings, frames, files or data sets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from irpref.data import Source
from irpref.data.collections import not_loaded
from irpref.data.records import lines_of, loaded
from irpref.errors import InputError
from irpref.judged import Frame, id_text
from irpref.messages import no_such_file

# Text by id; a frame; a path, or the id of a data set of ir_datasets.
Texts: TypeAlias = Mapping[Any, Any] | Frame | str | os.PathLike[str]

LONGEST = 300  # characters of a text on the page
_IDS = {"topics": ("query_id", "qid"), "titles": ("doc_id", "docno")}
_TEXTS = {"topics": ("query", "text", "title"), "titles": ("title", "text", "body")}


def texts(given: Texts | None, what: str, wanted: Iterable[str]) -> list[str | None]:
    """Find the texts of some ids.

    Parameters
    ----------
    given : mapping, frame, path, or id of a data set of ir_datasets; None
    what : 'topics' or 'titles'
    wanted : iterable of str

    Returns
    -------
    list of str or None
        One line each, cut to `LONGEST` characters; None if there is no text.

    Raises
    ------
    ValueError, OSError
        There is no such file and no such data set; a frame lacks a column.
    """
    ids = list(wanted)
    by_id = {} if given is None else _texts_by_id(given, what, ids)
    return [None if by_id.get(name) is None else _line(str(by_id[name])) for name in ids]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _texts_by_id(given: Texts, what: str, ids: list[str]) -> Mapping[str, object]:
    if isinstance(given, Mapping):
        return {id_text(name): text for name, text in given.items()}
    if hasattr(given, "columns"):
        frame: Any = given
        id_ = _column(list(frame.columns), _IDS[what], what)
        text = _column(list(frame.columns), _TEXTS[what], what)
        return dict(zip(map(id_text, list(frame[id_])), list(frame[text]), strict=True))
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        return _of_file(path, what) if os.path.exists(path) else _of_dataset(path, what, ids)
    raise TypeError(
        f"{what}: expected a mapping of id to text, a frame, a path or the id of a data set of "
        f"ir_datasets, got {type(given).__name__}"
    )


def _column(columns: list[object], names: tuple[str, ...], what: str) -> str:
    for name in names:
        if name in columns:
            return name
    raise InputError(
        f"{what}: expected a column {' or '.join(map(repr, names))}, found "
        f"{', '.join(map(str, columns))}"
    )


def _of_file(path: str, what: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for number, line in lines_of(Source(path)):
        if line.strip():
            try:
                id_, text = _of_line(line, what)
            except (ValueError, LookupError, RecursionError):
                raise InputError(
                    "expected `id<TAB>text` or a JSON record with id and text",
                    path=path,
                    line=number,
                ) from None
            if text.strip():
                out[id_] = text
    return out


def _of_line(line: str, what: str) -> tuple[str, str]:
    """Split a line into id and text: `id<TAB>text`, or a JSON record, whose first text that is not
    empty counts.
    """
    if not line.lstrip().startswith("{"):
        id_, text = line.rstrip("\r").split("\t", 1)
        return id_, text
    record = loaded(line, what)
    ids = [str(record[name]) for name in (*_IDS[what], "id", "_id") if name in record]
    texts = [str(record[name] or "") for name in _TEXTS[what] if name in record]
    return ids[0], next(filter(None, texts), texts[0])


def _of_dataset(name: str, what: str, ids: list[str]) -> dict[str, str]:
    try:
        import ir_datasets

        data = ir_datasets.load(name)
    except (ImportError, KeyError) as error:
        raise no_such_file(
            name, f"no such file, and no data set of ir_datasets ({error})"
        ) from None
    try:
        if what == "topics":
            return {row.query_id: _text(row, what) for row in data.queries_iter()}
        return {name: _text(row, what) for name, row in data.docs_store().get_many(ids).items()}
    except (OSError, RuntimeError) as error:
        raise not_loaded(name, error) from None


def _text(row: Any, what: str) -> str:
    texts = (getattr(row, name, None) for name in _TEXTS[what])
    return str(next(filter(None, texts), None) or row.default_text())
