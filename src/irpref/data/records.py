"""Readers of files with named columns: a function for each form, with its name in
`irpref.data.run_names`.

Each takes the source, what is wanted of it ('score' for a run, 'relevance' for judgments) and how
it is read, and returns a `Table`, or several one after the other.

A record is the same in JSON and in JSON lines: what Python's `json` reads. Two things are errors,
though: a key that occurs twice in one object (which of the two counts would be chance), and half of
a surrogate pair in an id."""

from __future__ import annotations

import io
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irpref.data import trec
from irpref.data.columns import NAMES, PLAIN, Reading, Table, columns_of, objects
from irpref.data.labels import WORTH, grades_of
from irpref.data.source import LONGEST_LINE, Source, ahead, blocks_of, too_long
from irpref.errors import ColumnError, InputError, LabelError
from irpref.kernel.segments import Floats, all_whole
from irpref.messages import clipped


def parquet(source: Source, value: str, how: Reading = PLAIN) -> Iterator[Table]:
    """A Parquet file, or all those of a folder."""
    from irpref.data.parquet import tables

    return ahead(tables(source, value, how))


# CSV ----------------------------------------------------------------------------------------------


def csv(source: Source, value: str, how: Reading = PLAIN, separator: str = ",") -> Table:
    """A file of cells separated by commas, with a header."""
    import csv

    name = source.name
    physical = (line for text in _blocks(source) for line in io.StringIO(text, newline=""))
    lines = csv.reader(physical, delimiter=separator, strict=True)
    try:
        header = next(lines, None)
        if header is None or not any(header):
            raise InputError(
                f"the file is empty, expected a header such as query_id,doc_id,{value}", path=name
            )
        of = columns_of(header, value, how.columns, path=name)
        if len(set(header)) < len(header):
            raise ColumnError(
                f"has two columns of the same name (found: {', '.join(map(repr, header))})",
                path=name,
                found=tuple(header),
            )
        columns: dict[str, list[str]] = {
            c: [] for c in (of.values() if value == "score" else header)
        }
        kept = [(columns[c].append, header.index(c), c == of["query_id"]) for c in columns]
        ends = array("q")  # the line that each row ends in
        for row in filter(None, lines):
            ends.append(lines.line_num)
            if len(row) != len(header):
                size = f"{len(row)} field{'s' * (len(row) != 1)}, expected {len(header)}"
                size += f" ({separator.join(header)})"
                raise InputError(
                    f"{size}: {separator.join(row)[: trec.SHOWN]!r}", path=name, line=ends[-1]
                )
            for append, i, repeats in kept:
                append(sys.intern(row[i]) if repeats else row[i])
    except csv.Error as error:
        raise InputError(str(error), path=name, line=lines.line_num) from None
    topics, docs, cells = (columns[there] for there in of.values())

    def place(row: int) -> dict[str, Any]:
        return {"path": name, "line": ends[row]}

    for ours, ids in (("query_id", topics), ("doc_id", docs)):
        if "" in ids:
            raise InputError(f"the {ours} is missing", column=ours, **place(ids.index("")))
    further = {}
    if value == "relevance":
        taken = set(of.values()) | set(of)
        further = {
            c: objects(columns[c]) if c == "iteration" else _typed(columns[c])
            for c in header
            if c not in taken
        }
    return _table(
        topics, docs, _numbers(cells, place, value, how, name, is_text=True), further, value, name
    )


def tsv(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """A file of cells separated by tabs, with a header; for files without one see `has_header`."""
    return csv(source, value, how, "\t")


def has_header(source: Source, value: str, how: Reading) -> bool:
    """Whether the first line of a file with tabs names our columns; if not, it is a TREC file."""
    if not source.is_file():
        source.keep = True  # it is opened again
    data = b""
    with source.open() as file:
        while not {10, 13} & set(data) and len(data) < 1 << 16 and (more := file.read(1 << 12)):
            data += more
    line = data.replace(b"\r", b"\n").partition(b"\n")[0]
    fields = [field.strip().strip('"') for field in line.decode("utf-8", "replace").split("\t")]
    # BEIR's header is known to the reader of TREC files, where quotes are ordinary characters.
    ids = ({how.columns.get(ours), *NAMES[ours]} for ours in ("query_id", "doc_id"))
    return fields != ["query-id", "corpus-id", "score"] and any(
        known & set(fields) for known in ids
    )


def _typed(cells: Sequence[str]) -> Any:
    """A further column of judgments: truth values, numbers or text; missing is NaN among numbers,
    else None.
    """
    there = {cell for cell in cells if cell}
    if there and {cell.lower() for cell in there} <= {
        "true",
        "false",
    }:  # as Python and pandas write them
        found = [cell.lower() == "true" if cell else None for cell in cells]
        return objects(found) if None in found else np.array(found)
    try:
        trec.as_floats(list(there))
    except ValueError:
        return objects([cell or None for cell in cells])
    numbers = np.array([float(cell or "nan") for cell in cells])
    whole = all(cell.lstrip("+-").isdecimal() for cell in cells) and all_whole(numbers)
    return numbers.astype(np.int64) if whole else numbers


# JSON ---------------------------------------------------------------------------------------------


def json(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """An object, topic -> document -> number, or a list of records."""
    name = source.name
    with source.open() as file:
        data = file.read()
    found = loaded(_decoded(data, name), name)
    if isinstance(found, list):
        where = [{"path": name, "record": i} for i in range(1, len(found) + 1)]
        return _records(found, where, name, value, how)
    if not isinstance(found, dict):
        raise InputError(
            f"expected topic -> document -> number, got a {_json_type(found)}", path=name
        )
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[Any] = []
    for topic, of in found.items():
        if not isinstance(of, dict):
            raise InputError(
                f"topic {topic!r} holds a {_json_type(of)}, expected document -> number",
                path=name,
                topic=topic,
            )
        topics += [topic] * len(of)
        docs += of
        numbers += of.values()

    def place(row: int) -> dict[str, Any]:
        return {"path": name, "topic": topics[row], "doc": docs[row]}

    return _table(topics, docs, _numbers(numbers, place, value, how, name), {}, value, name)


def jsonl(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """One record a line."""
    records: list[Any] = []
    where: list[dict[str, Any]] = []
    for number, line in lines_of(source):
        if line.strip():
            where.append({"path": source.name, "line": number})
            records.append(loaded(line.removeprefix("\ufeff"), source.name, number))
    return _records(records, where, source.name, value, how)


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Lines, with their numbers from 1. LF alone ends one: JSON and titles may hold what Python
    takes for line ends.
    """
    number, rest = 1, ""
    for text in _blocks(source):
        *lines, rest = (rest + text).split("\n")
        yield from enumerate(lines, number)
        number += len(lines)
    yield number, rest


def _blocks(source: Source) -> Iterator[str]:
    """The text, some whole lines at a time."""
    number = 1
    with source.open() as file:
        for block in blocks_of(file, 1 << 20):
            if too_long(block):
                raise InputError(
                    f"longer than {LONGEST_LINE >> 20} MB", path=source.name, line=number
                )
            yield _decoded(block, source.name, number)
            number += block.count(b"\n")


def _decoded(data: bytes, name: str, number: int = 1) -> str:
    try:
        return data.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = number + data.count(b"\n", 0, error.start)
        raise InputError("this is not UTF-8", path=name, line=line) from None


def loaded(text: str, name: str, line: int | None = None) -> Any:
    """The value that a text of JSON has; `line`: its number if it is one line of the file."""
    import json

    shown = "" if line is None else f": {text[: trec.SHOWN]!r}"
    try:
        return json.loads(text, object_pairs_hook=_once)
    except InputError as error:  # a key is repeated
        error.path, error.line = name, line
        raise
    except json.JSONDecodeError as error:
        at = error.lineno if line is None else line
        raise InputError(
            f"this is no JSON{shown or f': {error.msg}'}", path=name, line=at
        ) from None
    except RecursionError:
        raise InputError(
            "the JSON is nested too deeply, expected topic -> document -> number",
            path=name,
            line=line,
        ) from None
    except ValueError:  # Python refuses whole numbers of thousands of digits
        raise InputError(f"a number has too many digits{shown}", path=name, line=line) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Raises `InputError` if a key occurs twice: which counts would be chance."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"the key {twice!r} is twice in one object")
    return entries


def _json_type(value: Any) -> str:
    return {dict: "object", list: "list", str: "text", bool: "truth value", type(None): "null"}.get(
        type(value), "number"
    )


def _records(
    records: list[Any], places: list[dict[str, Any]], name: str, value: str, how: Reading
) -> Table:
    """Records with names of columns as a table; `places`: file and line (or record) of each."""
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[Any] = []
    of: dict[str, str] = {}
    keys: list[str] = []
    for record, where in zip(records, places, strict=True):
        if not isinstance(record, dict):
            raise InputError(
                f"expected an object with query_id, doc_id, {value}, got a {_json_type(record)}",
                **where,
            )
        if keys != (keys := list(record)):
            of = columns_of(keys, value, how.columns, **where)
        for ours, column in (("query_id", topics), ("doc_id", docs)):
            given = record[of[ours]]
            if type(given) not in (str, int):
                raise InputError(
                    f"the {ours} is a {_json_type(given)}, expected text or a whole number",
                    column=ours,
                    **where,
                )
            column.append(str(given))
        numbers.append(record[of[value]])
    further: dict[str, Any] = {}
    if value == "relevance":
        known = {other for several in NAMES.values() for other in several} | set(
            how.columns.values()
        )
        for key in dict.fromkeys(key for record in records for key in record if key not in known):
            cells = [record.get(key) for record in records]
            whole, types = objects(cells), set(map(type, cells))
            further[key] = np.array(cells) if types in ({bool}, {float}, {int, float}) else whole
            if types == {int} and all_whole(whole.astype(np.float64)):
                further[key] = np.array(cells)
    return _table(
        topics, docs, _numbers(numbers, places.__getitem__, value, how, name), further, value, name
    )


# Columns ------------------------------------------------------------------------------------------


def _numbers(
    cells: list[Any],
    place: Callable[[int], dict[str, Any]],
    value: str,
    how: Reading,
    name: str,
    is_text: bool = False,
) -> Floats:
    """Scores or grades, those of labels included. `is_text`: numbers are text; `place`: a row's
    place in the file.
    """
    if value == "relevance" and (how.labels is not None or set(map(type, cells)) == {str}):
        grades = grades_of(list(map(str, cells)), how.labels, name)
        if grades is not None:
            return grades
    try:
        if is_text:
            return np.array(trec.as_floats(cells), dtype=np.float64)
        if set(map(type, cells)) <= {int, float}:
            return np.fromiter(map(float, cells), np.float64, len(cells))
    except OverflowError:
        row = next(row for row, cell in enumerate(cells) if abs(cell) > sys.float_info.max)
        message = "a number is too large for a double"
        if "topic" in place(row):
            message = "topic {topic!r}, document {doc!r}: ".format(**place(row)) + message
        raise InputError(message, column=value, value=cells[row], **place(row)) from None
    except ValueError:
        pass
    good = (
        trec.is_number(cell.encode()) if is_text else type(cell) in (int, float) for cell in cells
    )
    row = next(row for row, is_good in enumerate(good) if not is_good)
    message = f"the {value} is {clipped(cells[row])!r}, expected a number"
    if "topic" in place(row):
        message = "topic {topic!r}, document {doc!r}: ".format(**place(row)) + message
    if value != "relevance":
        raise InputError(message, column=value, value=cells[row], **place(row))
    raise LabelError(
        message, remedy=WORTH, column=value, label=str(cells[row]), value=cells[row], **place(row)
    )


def _table(
    topics: list[str],
    docs: list[str],
    number: Floats,
    further: Mapping[str, Any],
    value: str,
    name: str,
) -> Table:
    try:
        "".join(topics).encode()
        "".join(docs).encode()
    except UnicodeEncodeError:
        raise InputError("an id is no text: it holds half of a surrogate pair", path=name) from None
    return Table(
        objects(topics), objects(docs), number, further, ("query_id", "doc_id", value, *further)
    )
