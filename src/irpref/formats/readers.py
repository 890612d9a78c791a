"""Readers of files with named columns: a function for each form, of the name that it has in `irpref.formats.runs`.

Each takes the source, what is wanted of it ('score' for a run, 'relevance' for judgments) and how it is read, and
returns a `Table`.

A record is the same in JSON and in JSON lines: what Python's `json` reads, except that a key that is twice in one
object is an error (which of the two counts would be chance), and so is half of a surrogate pair in an id.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irpref.arrays.segments import Floats, all_whole
from irpref.formats import trec
from irpref.formats.columns import NAMES, PLAIN, Reading, Table, columns_of, objects
from irpref.formats.labels import grades_of
from irpref.formats.source import Source


def parquet(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """A Parquet file, or all those of a folder."""
    from irpref.formats.arrow import table

    return table(source, value, how)


# CSV ------------------------------------------------------------------------------------------------------------


def csv(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """Cells between commas, below a header."""
    return _separated(source, value, how, ",")


def tsv(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """Cells between tabs, below a header; without one, a TREC file."""
    if _has_header(source, value, how):
        return _separated(source, value, how, "\t")
    return trec.run_table(source) if value == "score" else trec.qrels_table(source)


def _has_header(source: Source, value: str, how: Reading) -> bool:
    """Whether the first line of a file names our columns."""
    if not source.is_file():
        source.keep = True  # it is opened once more
    data = b""
    with source.open() as file:
        while not {10, 13} & set(data) and len(data) < 1 << 16 and (more := file.read(1 << 12)):
            data += more
    line = data.replace(b"\r", b"\n").partition(b"\n")[0]
    fields = [field.strip().strip('"') for field in line.decode("utf-8", "replace").split("\t")]
    # BEIR's header is known to the reader of TREC files, where quotes are ordinary characters.
    ids = ({how.columns.get(ours), *NAMES[ours]} for ours in ("query_id", "doc_id"))
    return fields != ["query-id", "corpus-id", "score"] and any(known & set(fields) for known in ids)


def _separated(source: Source, value: str, how: Reading, separator: str) -> Table:
    import csv

    name = source.name
    lines = csv.reader(io.StringIO(_text(source), newline=""), delimiter=separator, strict=True)
    try:
        header = next(lines, None)
        if header is None or not any(header):
            raise ValueError(f"{name}: the file is empty, expected a header such as query_id,doc_id,{value}")
        of = columns_of(header, value, name, how.columns)
        if len(set(header)) < len(header):
            raise ValueError(f"{name}: two columns have the same name (found: {', '.join(map(repr, header))})")
        rows: list[list[str]] = []
        ends = []  # the line that each row ends in
        for row in lines:
            if row:
                rows.append(row)
                ends.append(lines.line_num)
    except csv.Error as error:
        raise ValueError(f"{name}, line {lines.line_num}: {error}") from None
    columns: dict[str, Sequence[str]] = {}
    if {len(row) for row in rows} <= {len(header)}:
        cells = list(zip(*rows, strict=True)) or [()] * len(header)
        columns = dict(zip(header, cells, strict=True))
    number = _labelled(columns[of[value]], value, how, name) if columns else None
    try:
        if number is None:
            number = np.array(trec.as_floats(columns[of[value]]), dtype=np.float64)
        if "" in columns[of["query_id"]] or "" in columns[of["doc_id"]]:
            raise ValueError
    except (KeyError, ValueError):
        for row, end in zip(rows, ends, strict=True):
            if why := _wrong(row, header, of, separator):
                raise ValueError(f"{name}, line {end}: {why}: {separator.join(row)[: trec.SHOWN]!r}") from None
        raise
    further = {}
    if value == "relevance":
        taken = set(of.values()) | set(of)
        further = {c: objects(columns[c]) if c == "iteration" else _typed(columns[c]) for c in header if c not in taken}
    query_id, doc_id = (objects(columns[of[ours]]) for ours in ("query_id", "doc_id"))
    return Table(query_id, doc_id, number, further, ("query_id", "doc_id", value, *further))


def _wrong(row: list[str], header: list[str], of: Mapping[str, str], separator: str) -> str | None:
    """What is wrong with a row, if anything."""
    if len(row) != len(header):
        return f"{len(row)} field{'s' * (len(row) != 1)}, expected {len(header)} ({separator.join(header)})"
    cells = dict(zip(header, row, strict=True))
    value = list(of)[2]
    if empty := next((ours for ours, there in of.items() if not cells[there]), None):
        return f"the {empty} is missing"
    if not trec.is_number(cells[of[value]].encode()):
        return f"the {value} {cells[of[value]]!r} is no number" + _OR_LABELS * (value == "relevance")
    return None


_OR_LABELS = " (labels={...} or --labels says what labels are worth)"


def _typed(cells: Sequence[str]) -> Any:
    """Another column of judgments: truth values, numbers or text; what is missing is NaN among numbers, else None."""
    there = {cell for cell in cells if cell}
    if there and {cell.lower() for cell in there} <= {"true", "false"}:  # as Python and pandas write them
        found = [cell.lower() == "true" if cell else None for cell in cells]
        return objects(found) if None in found else np.array(found)
    try:
        trec.as_floats(list(there))
    except ValueError:
        return objects([cell or None for cell in cells])
    numbers = np.array([float(cell or "nan") for cell in cells])
    whole = all(cell.lstrip("+-").isdecimal() for cell in cells) and all_whole(numbers)
    return numbers.astype(np.int64) if whole else numbers


# JSON -----------------------------------------------------------------------------------------------------------


def json(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """An object, topic -> document -> number, or a list of records."""
    name = source.name
    found = _loaded(_text(source), name)
    if isinstance(found, list):
        where = [f"{name}, record {i}" for i in range(1, len(found) + 1)]
        return _records(found, where, name, value, how)
    if not isinstance(found, dict):
        raise ValueError(f"{name}: expected topic -> document -> number, got a {_json_type(found)}")
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[float] = []
    for topic, of in found.items():
        if not isinstance(of, dict):
            raise ValueError(f"{name}: topic {topic!r} holds a {_json_type(of)}, expected document -> number")
        topics += [topic] * len(of)
        docs += of
        numbers += of.values()
    numbers = _graded(numbers, value, how, name)
    if not set(map(type, numbers)) <= {int, float}:
        for topic, doc, number in zip(topics, docs, numbers, strict=True):
            if type(number) not in (int, float):
                raise ValueError(f"{name}: topic {topic!r}, document {doc!r} holds {number!r}, expected a number")
    return _table(topics, docs, numbers, {}, value, name)


def jsonl(source: Source, value: str, how: Reading = PLAIN) -> Table:
    """One record a line."""
    records: list[Any] = []
    where: list[str] = []
    for number, line in enumerate(_text(source).split("\n"), 1):
        if line.strip():
            where.append(f"{source.name}, line {number}")
            records.append(_loaded(line.removeprefix("\ufeff"), where[-1], line))
    return _records(records, where, source.name, value, how)


def _text(source: Source) -> str:
    with source.open() as file:
        data = file.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{source.name}, line {line}: this is not UTF-8") from None


def _loaded(text: str, where: str, line: str | None = None) -> Any:
    """The value that a text of JSON has. `line`: what a message shows; then `where` has its number."""
    import json

    shown = "" if line is None else f": {line[: trec.SHOWN]!r}"
    try:
        return json.loads(text, object_pairs_hook=_once)
    except _RepeatedError as error:
        raise ValueError(f"{where}: the key {error.key!r} is twice in one object") from None
    except json.JSONDecodeError as error:
        at = f", line {error.lineno}" if line is None else ""
        raise ValueError(f"{where}{at}: this is no JSON{shown or f': {error.msg}'}") from None
    except RecursionError:
        raise ValueError(f"{where}: the JSON is nested too deeply, expected topic -> document -> number") from None
    except ValueError:  # Python makes no whole numbers of thousands of digits
        raise ValueError(f"{where}: a number has too many digits{shown}") from None


class _RepeatedError(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _RepeatedError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found


def _json_type(value: Any) -> str:
    return {dict: "object", list: "list", str: "text", bool: "truth value", type(None): "null"}.get(
        type(value), "number"
    )


def _records(records: list[Any], places: list[str], name: str, value: str, how: Reading) -> Table:
    """Records with names of columns as a table; `places`: what a message about each begins with."""
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[Any] = []
    of: dict[str, str] = {}
    keys: list[str] = []
    for record, where in zip(records, places, strict=True):
        if not isinstance(record, dict):
            raise ValueError(f"{where}: expected an object with query_id, doc_id, {value}, got a {_json_type(record)}")
        if keys != (keys := list(record)):
            of = columns_of(keys, value, where, how.columns)
        for ours, column in (("query_id", topics), ("doc_id", docs)):
            given = record[of[ours]]
            if type(given) not in (str, int):
                raise ValueError(f"{where}: the {ours} is a {_json_type(given)}, expected text or a whole number")
            column.append(str(given))
        numbers.append(record[of[value]])
    numbers = _graded(numbers, value, how, name)
    if not set(map(type, numbers)) <= {int, float}:
        at, number = next((at, number) for at, number in enumerate(numbers) if type(number) not in (int, float))
        hint = _OR_LABELS * (value == "relevance")
        raise ValueError(f"{places[at]}: the {value} is {number!r}, expected a number{hint}")
    further: dict[str, Any] = {}
    if value == "relevance":
        known = {other for several in NAMES.values() for other in several} | set(how.columns.values())
        for key in dict.fromkeys(key for record in records for key in record if key not in known):
            cells = [record.get(key) for record in records]
            whole, types = objects(cells), set(map(type, cells))
            further[key] = np.array(cells) if types in ({bool}, {float}, {int, float}) else whole
            if types == {int} and all_whole(whole.astype(np.float64)):
                further[key] = np.array(cells)
    return _table(topics, docs, numbers, further, value, name)


def _graded(numbers: list[Any], value: str, how: Reading, name: str) -> list[Any]:
    """The same numbers, or the grades of labels. Scores have no labels."""
    if value == "relevance" and how.labels is not None:
        numbers = list(map(str, numbers))
    if not numbers or set(map(type, numbers)) != {str}:
        return numbers
    found = _labelled(numbers, value, how, name)
    return numbers if found is None else found.tolist()


def _labelled(cells: Sequence[str], value: str, how: Reading, name: str) -> Floats | None:
    return grades_of(cells, how.labels, name) if value == "relevance" else None


def _table(
    topics: list[str], docs: list[str], numbers: list[Any], further: Mapping[str, Any], value: str, name: str
) -> Table:
    try:
        floats = np.fromiter(map(float, numbers), np.float64, len(numbers))
        "".join(topics).encode()
        "".join(docs).encode()
    except OverflowError:
        raise ValueError(f"{name}: a number is too large for a double") from None
    except UnicodeEncodeError:
        raise ValueError(f"{name}: an id is no text: it holds half of a surrogate pair") from None
    return Table(objects(topics), objects(docs), floats, further, ("query_id", "doc_id", value, *further))
