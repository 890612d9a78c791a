"""Readers of files with named columns: a function for each form, with its name in
`irpref.data.forms`.

Each takes the source, what is wanted of it ('score' for a run, 'relevance' for judgments) and how
it is read, and returns a `Table`, or several one after the other.

A record is the same in JSON and in JSON lines: what Python's `json` reads. Two things are errors,
though: a key that occurs twice in one object (which of the two counts would be chance), and half of
a surrogate pair in an id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from irpref.data import trec
from irpref.data.cells import csv as csv
from irpref.data.cells import (
    decoded,
    has_line_end,
    joined_if_plain,
    line_end,
    numbers_of,
    table_of,
    text_blocks,
    warn_of_ungraded,
)
from irpref.data.cells import tsv as tsv
from irpref.data.columns import (
    NAMES,
    Reading,
    Stretches,
    Table,
    as_scores,
    columns_of,
    objects,
)
from irpref.data.source import Source, ahead
from irpref.data.texts import compiled, plain_lines
from irpref.errors import InputError
from irpref.kernel.segments import NDArray, all_whole


def parquet(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """A Parquet file, or all those of a folder."""
    from irpref.data.parquet import tables

    return ahead(tables(source, value, how))


# JSON ---------------------------------------------------------------------------------------------


def json(source: Source, value: str, how: Reading) -> Table:
    """An object, topic -> document -> number, or a list of records."""
    name = source.name
    with source.open() as file:
        data = file.read()
    content = loaded(decoded(data, name), name)
    if isinstance(content, list):
        where = [{"path": name, "record": i} for i in range(1, len(content) + 1)]
        return _records(content, where, name, value, how)
    if not isinstance(content, dict):
        raise InputError(
            f"expected topic -> document -> number, got a {_json_type(content)}", path=name
        )
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[Any] = []
    for topic, grades in content.items():
        if not isinstance(grades, dict):
            raise InputError(
                f"topic {topic!r} holds a {_json_type(grades)}, expected document -> number",
                path=name,
                topic=topic,
            )
        topics += [topic] * len(grades)
        docs += grades
        numbers += grades.values()

    def place(row: int) -> dict[str, Any]:
        return {"path": name, "topic": topics[row], "doc": docs[row]}

    return table_of(topics, docs, numbers_of(numbers, place, value, how, name), {}, value, name)


def jsonl(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """One record a line."""
    if value == "relevance":
        table = None
        if compiled and how.labels is None:
            source.keep = True  # it is opened again if a line is unusual
            table = joined_if_plain(table for _, table in _plain_texts(source, value, how))
        yield _of_lines(lines_of(source), source.name, value, how) if table is None else table
        return
    before = 0
    for text, table in _plain_texts(source, value, how):
        if table is None:
            lines = enumerate(text.split("\n"), before + 1)
            table = _of_lines(lines, source.name, value, how)
        if len(table):
            yield table
        before += text.count("\n")


def _plain_texts(source: Source, value: str, how: Reading) -> Iterator[tuple[str, Table | None]]:
    """Some lines at a time, and their rows if all are written like the first one; None in doubt."""
    form: _LineForm | None = None
    for text in text_blocks(source):
        form = form or _line_form(text, value, how, source.name)
        yield text, None if form is None else form.table(text)


def _of_lines(lines: Iterable[tuple[int, str]], name: str, value: str, how: Reading) -> Table:
    """A record for each line that holds something."""
    records: list[Any] = []
    where: list[dict[str, Any]] = []
    for number, line in lines:
        if line.strip():
            where.append({"path": name, "line": number})
            records.append(loaded(line.removeprefix("\ufeff"), name, number))
    return _records(records, where, name, value, how)


# A text without escapes, or a number, as the value of a key.
_VALUE = r'"(?:[^"\\]*)"|-?[0-9][0-9.eE+-]*'
_KEY = r'\s*"[^"\\]+"\s*:\s*'
_LINE = re.compile(rf"\{{{_KEY}(?:{_VALUE})(?:\s*,{_KEY}(?:{_VALUE}))*\s*\}}")
_ENTRY = re.compile(rf'(\s*)"([^"\\]+)"(\s*:\s*)({_VALUE})(\s*,?)')


@dataclass(frozen=True, slots=True)
class _LineForm:
    """How all lines of a file of records are written if they are written like the first one.

    Attributes
    ----------
    between : list of bytes
        What stands before, between and behind the values of a line.
    doc, score : int
        Which of the values these are; the first is the topic.
    column : str
        The name of the score.
    names : tuple of str
        Our names of the three columns.
    """

    between: list[bytes]
    doc: int
    score: int
    column: str
    names: tuple[str, ...]

    def table(self, text: str) -> Table | None:
        """The rows of lines like the first one; None if one is different.

        What is between the values is replaced by bytes that JSON never has inside of text, whose
        order must be the same in each line. Then these are lines of fields.
        """
        data = text.encode()
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        if not data.endswith(b"\n"):
            data += b"\n"
        first, *inner, last = self.between
        n = data.count(b"\n")
        if not data.startswith(first) or any(byte in data for byte in (b"\\", b"\t", *_MARKS)):
            return None
        data = data.removeprefix(first).removesuffix(last + b"\n") + b"\n"
        data = data.replace(last + b"\n" + first, b"\n")
        for mark, gap in zip(_MARKS, inner, strict=False):
            data = data.replace(gap, mark)
        if any(byte in data for byte in (b'"', b"{", b"}", b" ", b"\t")):
            return None
        marks = np.frombuffer(data, np.uint8)
        marks = marks[marks < 32]
        width = len(inner) + 1
        expected = [*(mark[0] for mark in _MARKS[: len(inner)]), 10]
        if marks.size != n * width or (marks.reshape(n, width) != expected).any():
            return None
        plain = plain_lines(data.translate(_TABS), width, {"doc_id": self.doc}, self.score)
        if plain is None:
            return None
        names, lengths, ids, numbers = plain
        if "score" in self.names:
            numbers = as_scores(numbers, self.column)
        return Table(Stretches(names, lengths), ids["doc_id"], numbers, header=self.names)


_MARKS = tuple(bytes([byte]) for byte in range(1, 9))
_TABS = bytes(9 if 0 < byte < 9 else byte for byte in range(256))


def _line_form(text: str, value: str, how: Reading, name: str) -> _LineForm | None:
    """How the first line is written; None if it is anything but a flat record that begins with the
    topic and whose other values are text or numbers, or if judgments have further columns.
    """
    line = text.partition("\n")[0].removesuffix("\r")
    if not compiled or not _LINE.fullmatch(line):
        return None
    entries = list(_ENTRY.finditer(line))
    keys = [entry[2] for entry in entries]
    columns = columns_of(keys, value, how, path=name, line=1)
    ours = ("query_id", "doc_id", value)
    places = [keys.index(columns[our]) for our in ours]
    if places[0] != 0 or len(keys) > (len(ours) if value == "relevance" else len(_MARKS)):
        return None
    values = [entry.span(4) for entry in entries]
    # Quotation marks belong to what is between.
    quoted = [line[start] == '"' for start, _ in values]
    if quoted[places[2]] or not (quoted[0] and quoted[places[1]]):
        return None
    inside = [
        (start + quote, stop - quote) for (start, stop), quote in zip(values, quoted, strict=True)
    ]
    ends = [0, *(stop for _, stop in inside)]
    begins = [*(start for start, _ in inside), len(line)]
    between = [line[a:b].encode() for a, b in zip(ends, begins, strict=True)]
    return _LineForm(between, places[1], places[2], columns[value], ours)


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Lines, with their numbers from 1. LF alone ends one: JSON and titles may hold what Python
    takes for line ends.
    """
    number, rest = 1, ""
    for text in text_blocks(source):
        *lines, rest = (rest + text).split("\n")
        yield from enumerate(lines, number)
        number += len(lines)
    yield number, rest


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
            f"this is not JSON{shown or f': {error.msg}'}", path=name, line=at
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
    names: dict[str, str] = {}
    keys: list[str] | None = None
    graded: list[int] = []
    for i, (record, where) in enumerate(zip(records, places, strict=True)):
        if not isinstance(record, dict):
            raise InputError(
                f"expected an object with query_id, doc_id, {value}, got a {_json_type(record)}",
                **where,
            )
        if keys != (keys := list(record)):
            names = columns_of(keys, value, how, **where)
        if value == "relevance" and record[names[value]] in (None, ""):
            continue
        graded.append(i)
        topics.append(_id(record[names["query_id"]], "query_id", where))
        docs.append(_id(record[names["doc_id"]], "doc_id", where))
        numbers.append(record[names[value]])
    if len(graded) < len(records):
        first = next(i for i, row in enumerate([*graded, -1]) if i != row)
        warn_of_ungraded(len(records) - len(graded), **places[first])
        records, places = ([rows[i] for i in graded] for rows in (records, places))
    further: dict[str, Any] = {}
    if value == "relevance":
        known = set(chain(names.values(), *NAMES.values(), *how.columns.values()))
        for key in dict.fromkeys(key for record in records for key in record if key not in known):
            further[key] = _column([record.get(key) for record in records])
    values = numbers_of(numbers, places.__getitem__, value, how, name)
    if value == "score" and names:
        values = as_scores(values, names[value])
    return table_of(topics, docs, values, further, value, name)


def _id(given: Any, ours: str, where: dict[str, Any]) -> str:
    """An id as text; `InputError` if it is none. `ours`: its column."""
    if type(given) not in (str, int):
        raise InputError(
            f"the {ours} is a {_json_type(given)}, expected text or a whole number",
            column=ours,
            **where,
        )
    text = str(given)
    if has_line_end(text):
        raise line_end(ours, text, **where)
    return text


def _column(cells: list[Any]) -> NDArray[Any]:
    """A further column: of numbers or truth values if all cells are, or else of objects."""
    whole, types = objects(cells), set(map(type, cells))
    if types == {int} and not all_whole(whole.astype(np.float64)):
        return whole  # more than 2^53
    return np.array(cells) if types in ({bool}, {int}, {float}, {int, float}) else whole
