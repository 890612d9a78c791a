"""Readers of files with named columns: a function for each form, with its name in
`irpref.data.forms`.

Each takes the source, the kind of values wanted ('score' for a run, 'relevance' for judgments) and
how it is read, and returns a `Table`, or several one after the other.

A record is the same in JSON and in JSON lines: any text that Python's `json` reads. Two things are
errors, though: a key that occurs twice in one object (which of the two counts would be chance), and
half of a surrogate pair in an id."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.data import trec
from irpref.data.cells import csv as csv
from irpref.data.cells import (
    decoded,
    numbers_of,
    table_of,
    text_blocks,
    warn_of_ungraded,
)
from irpref.data.cells import tsv as tsv
from irpref.data.columns import (
    NAMES,
    Reading,
    Table,
    columns_of,
    objects,
)
from irpref.data.lists import as_lists, check_no_distances, hold_ids, numbered, one_by_one
from irpref.data.source import Source, ahead
from irpref.errors import InputError, Remedy
from irpref.kernel.segments import NDArray, all_whole

if TYPE_CHECKING:
    from json import JSONDecoder

_LINES = 1 << 13  # of a run that are read at a time
_OF_MTEB = "mteb_model_meta"  # the key that marks predictions of mteb


def parquet(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """Read a Parquet file, or all files of a folder."""
    from irpref.data.parquet import holds_lists, tables

    if holds_lists(source, how):
        content = enumerate(content_of(source, "parquet"), 1)
        return iter([_records(content, "record", source.name, value, how)])
    return ahead(tables(source, value, how))


# JSON ---------------------------------------------------------------------------------------------


def json(source: Source, value: str, how: Reading) -> Table:
    """Read an object, topic -> document -> number, or a list of records."""
    name, content = source.name, content_of(source, "json")
    if isinstance(content, list):
        return _records(enumerate(content, 1), "record", name, value, how)
    if not isinstance(content, dict):
        raise InputError(
            f"expected topic -> document -> number, got a {_json_type(content)}", path=name
        )
    if _OF_MTEB in content:
        content = _prediction(content, name)
    if hold_ids(content, value):
        if value == "score":
            check_no_distances(how, path=name)
        content = {topic: numbered(list(map(str, docs)), value) for topic, docs in content.items()}
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


def _prediction(content: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the run in predictions of mteb: subset -> split -> topic -> document -> score.

    Raises
    ------
    InputError
        There are several.
    """
    runs = {
        f"[{subset!r}][{split!r}]": run
        for subset, splits in content.items()
        if subset != _OF_MTEB and isinstance(splits, dict)
        for split, run in splits.items()
    }
    if len(runs) != 1 or not isinstance(run := next(iter(runs.values())), dict):
        raise InputError(
            f"predictions of mteb with {len(runs)} runs ({', '.join(list(runs)[:5])}), expected "
            "one",
            path=name,
            remedy=Remedy(effect=f"json.load(file){next(iter(runs), '')} is one of them")
            if runs
            else None,
        )
    return run


def jsonl(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """Read one record a line."""
    if value == "relevance":  # labels, and the type of a further column, depend on all lines
        yield _of_lines(lines_of(source), source.name, value, how)
        return
    lines = lines_of(source)
    while some := list(islice(lines, _LINES)):
        if len(table := _of_lines(some, source.name, value, how)):
            yield table


def content_of(source: Source, form: str) -> Any:
    """Read what a file of JSON, JSON lines or Parquet holds: its records, or the value of JSON."""
    name = source.name
    if form == "parquet":
        from irpref.data.parquet import records_of

        return records_of(source)
    if form == "jsonl":
        return [
            loaded(line.removeprefix("\ufeff"), name, number)
            for number, line in lines_of(source)
            if line.strip()
        ]
    with source.open() as file:
        return loaded(decoded(file.read(), name), name)


def _of_lines(lines: Iterable[tuple[int, str]], name: str, value: str, how: Reading) -> Table:
    """Read a record from each line that holds something."""
    records = (
        (number, loaded(line.removeprefix("\ufeff"), name, number))
        for number, line in lines
        if line.strip()
    )
    return _records(records, "line", name, value, how)


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield lines, with their numbers from 1. LF alone ends one: JSON and titles may hold
    characters that Python takes for line ends.
    """
    number, rest = 1, ""
    for text in text_blocks(source):
        *lines, rest = (rest + text).split("\n")
        yield from enumerate(lines, number)
        number += len(lines)
    yield number, rest


def loaded(text: str, name: str, line: int | None = None) -> Any:
    """Load the value of a text of JSON; `line`: its number if it is one line of the file."""
    import json

    shown = "" if line is None else f": {text[: trec.SHOWN]!r}"
    try:
        return _decoder().decode(text)
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


@cache
def _decoder() -> JSONDecoder:
    import json

    return json.JSONDecoder(object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object. Raise `InputError` if a key occurs twice: which counts would be
    chance.
    """
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"the key {twice!r} occurs twice in one object")
    return entries


def _json_type(value: Any) -> str:
    return {dict: "object", list: "list", str: "text", bool: "truth value", type(None): "null"}.get(
        type(value), "number"
    )


def _records(
    records: Iterable[tuple[int, Any]], unit: str, name: str, value: str, how: Reading
) -> Table:
    """Make a table of records with names of columns, each with its number; `unit`: whether these
    are numbers of a `line` or `record`.
    """
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[Any] = []
    rows, ungraded = array("q"), array("q")
    further: dict[str, list[Any]] = {}
    known = set(chain(*NAMES.values(), *how.columns.values()))
    keys: list[str] | None = None
    names: dict[str, str] = {}

    def where(number: int) -> dict[str, Any]:
        return {"path": name, unit: number}

    def place(row: int) -> dict[str, Any]:
        return where(rows[row])

    for number, record in _one_by_one(records, value, how, where):
        if keys != (keys := list(record)):
            names = columns_of(keys, value, how, **where(number))
            topic, doc, given = (names[ours] for ours in ("query_id", "doc_id", value))
            known.update(names.values())
            if value == "relevance":
                new = (key for key in keys if key not in known and key not in further)
                further.update({key: [None] * len(rows) for key in new})
        if value == "relevance" and record[given] in (None, ""):
            ungraded.append(number)
            continue
        rows.append(number)
        topics.append(_id(record[topic], "query_id", place))
        docs.append(_id(record[doc], "doc_id", place))
        numbers.append(record[given])
        for key, column in further.items():
            column.append(record.get(key))
    if ungraded:
        warn_of_ungraded(len(ungraded), **where(ungraded[0]))
    columns = {key: _column(cells) for key, cells in further.items() if key not in known}
    values = numbers_of(numbers, place, value, how, name)
    table = table_of(topics, docs, values, columns, value, name, place)
    return replace(table, column=names.get(value, ""))


def _one_by_one(
    records: Iterable[tuple[int, Any]],
    value: str,
    how: Reading,
    where: Callable[[int], dict[str, Any]],
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield records of one document each, with their numbers; `where`: the place of one, for
    errors.
    """
    for number, record in records:
        if not isinstance(record, dict):
            raise InputError(
                f"expected an object with query_id, doc_id, {value}, got a {_json_type(record)}",
                **where(number),
            )
        for one in one_by_one(record, value, how, **where(number)):
            yield number, one


def _id(given: Any, ours: str, place: Callable[[int], dict[str, Any]]) -> str:
    """Return an id as text; `ours`: its column; `place`: of a row. `InputError` if it is none."""
    if type(given) is str:
        return sys.intern(given) if ours == "query_id" else given
    if type(given) is not int:
        raise InputError(
            f"the {ours} is a {_json_type(given)}, expected text or a whole number",
            remedy=as_lists(ours) if isinstance(given, list) and ours == "doc_id" else None,
            column=ours,
            **place(-1),
        )
    return str(given)


def _column(cells: list[Any]) -> NDArray[Any]:
    """Make a further column: of numbers or truth values if all cells are, or else of objects."""
    whole, types = objects(cells), set(map(type, cells))
    if types == {int} and not all_whole(whole.astype(np.float64)):
        return whole  # more than 2^53
    return np.array(cells) if types in ({bool}, {int}, {float}, {int, float}) else whole
