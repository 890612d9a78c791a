"""Readers of files with named columns: a function for each form, of the name that it has in `irpref.formats.runs`.

Each takes the source and what is wanted of it, 'run' or 'qrels', and returns a table with `query_id`, `doc_id`, and
`score` or `relevance` first; `typed` makes one of a frame whose columns have any of the names known here.

Polars reads; what it refuses is read once more in Python, to say what is wrong and where.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from irpref.formats import trec
from irpref.formats.columns import Table
from irpref.formats.runs import inside
from irpref.formats.source import PACKED, Source

if TYPE_CHECKING:
    import polars as pl

PARQUET_ROWS = 1 << 20  # of a file that are read at a time
PARQUET_BYTES = 16 << 20  # of the files of a folder
# Other names of our columns, the first found counts.
_NAMES = {
    "query_id": ("query_id", "qid", "q_id", "query-id"),
    "doc_id": ("doc_id", "docno", "corpus-id"),
    "score": ("score",),
    "relevance": ("relevance", "label", "score"),
}
_VALUE = {"run": "score", "qrels": "relevance"}


# Columns --------------------------------------------------------------------------------------------------------


def columns_of(found: Sequence[str], kind: str, name: str) -> dict[str, str]:
    """Our columns among those of a file: name there by our name. Raises `ValueError` if one is missing."""
    out: dict[str, str] = {}
    for ours in ("query_id", "doc_id", _VALUE[kind]):
        there = next((other for other in _NAMES[ours] if other in found), None)
        if there is None:
            names = " or ".join(_NAMES[ours][:2])
            lacks = f"{name}: no column {names} (found: {', '.join(map(repr, found)) or 'none'})"
            header = f"query_id,doc_id,{_VALUE[kind]}"
            known = {other for several in _NAMES.values() for other in several}
            raise ValueError(lacks + ("" if known & set(found) else f"; expected a header such as {header}"))
        out[ours] = there
    return out


def typed(frame: pl.DataFrame, kind: str, name: str) -> pl.DataFrame:
    """A frame with our columns under our names, first, and with their types."""
    import polars as pl

    value = _VALUE[kind]
    of = columns_of(frame.columns, kind, name)
    if kind == "run":
        frame = frame.select(list(of.values()))
    taken = set(of.values())
    others = [column for column in frame.columns if column not in taken and column not in of]
    ids = []
    for ours in ("query_id", "doc_id"):
        column = frame[of[ours]]
        if column.null_count():
            row = int(column.is_null().arg_true()[0])
            raise ValueError(f"{name}: an id is missing in column {of[ours]!r}, row {row + 1}")
        if len(frame) and not (
            column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Binary)
        ):
            raise ValueError(f"{name}: column {of[ours]!r} holds {column.dtype}, expected text or whole numbers")
        try:
            ids.append(column.cast(pl.String).alias(ours))
        except pl.exceptions.PolarsError:
            raise ValueError(f"{name}: column {of[ours]!r} holds bytes that are not UTF-8") from None
    numbers = frame[of[value]]
    if not (numbers.dtype.is_numeric() or numbers.dtype in (pl.Boolean, pl.Null)):
        raise ValueError(f"{name}: column {of[value]!r} holds {numbers.dtype}, expected numbers")
    # A number that is missing is found, with topic and document, as NaN.
    numbers = numbers.cast(pl.Float64).fill_null(float("nan")).alias(value)
    out = pl.DataFrame([*ids, numbers, *(frame[column] for column in others)])
    return out if kind == "run" else _whole_grades(out)


def _whole_grades(table: pl.DataFrame) -> pl.DataFrame:
    """Judgments with grades as integers, if all are whole numbers."""
    import polars as pl

    from irpref.arrays.segments import all_whole

    if all(all_whole(part.to_numpy()) for part in table["relevance"].get_chunks()):
        table = table.with_columns(pl.col("relevance").cast(pl.Int64))
    return table


# Parquet --------------------------------------------------------------------------------------------------------


def parquet(source: Source, kind: str) -> pl.DataFrame:
    """A Parquet file, or all those of a folder."""
    import polars as pl

    try:
        lazy = scan_parquet(source)
        found = lazy.collect_schema().names()
        wanted = list(columns_of(found, kind, source.name).values()) if kind == "run" else found
        frame = lazy.select(wanted).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(error, source.name, "Parquet") from None
    return typed(frame, kind, source.name)


def parquet_frames(source: Source) -> Iterator[pl.DataFrame]:
    """A run in Parquet, some rows at a time; the next are read while the caller works on those before.

    Yields
    ------
    polars.DataFrame
        `query_id`, `doc_id`, `score`: about `PARQUET_ROWS` rows, none of them empty.

    Raises
    ------
    ValueError, OSError
        As `read_run`.
    """
    from concurrent.futures import ThreadPoolExecutor

    import polars as pl

    try:
        parts = _parquet_parts(source)
        with ThreadPoolExecutor(1) as reader:
            following = reader.submit(next, parts, None)
            while (frame := following.result()) is not None:
                following = reader.submit(next, parts, None)
                if len(frame):
                    yield typed(frame, "run", source.name)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(error, source.name, "Parquet") from None


def _parquet_parts(source: Source) -> Iterator[pl.DataFrame]:
    import polars as pl

    if not os.path.isdir(source.name):
        lazy = scan_parquet(source)
        wanted = list(columns_of(lazy.collect_schema().names(), "run", source.name).values())
        rows = lazy.select(pl.len()).collect().item()
        for start in range(0, rows, PARQUET_ROWS):
            yield lazy.select(wanted).slice(start, PARQUET_ROWS).collect()
        return
    some: list[str] = []
    size = 0
    for file in [*inside(source.name), None]:
        if some and (file is None or size >= PARQUET_BYTES):
            lazy = _scan(some, source.name)
            wanted = list(columns_of(lazy.collect_schema().names(), "run", source.name).values())
            yield lazy.select(wanted).collect()
            some, size = [], 0
        if file is not None:
            some.append(file)
            size += os.path.getsize(file)


def scan_parquet(source: Source) -> pl.LazyFrame:
    """A Parquet file, or all those of a folder, not read yet. Raises `OSError` if there is none."""
    import polars as pl

    if source.is_file() and not source.name.lower().endswith(PACKED):
        return pl.scan_parquet(source.name, glob=False, hive_partitioning=False)
    if os.path.isdir(source.name):
        files = list(inside(source.name))
        if not files:
            raise IsADirectoryError(errno.EISDIR, "a folder without .parquet files", source.name)
        return _scan(files, source.name)
    with source.open() as file:
        return pl.scan_parquet(io.BytesIO(file.read()))


def _scan(files: list[str], folder: str) -> pl.LazyFrame:
    """Files of a folder; what the names of folders say of them (`query_id=007`) is text."""
    import polars as pl

    parts = os.path.relpath(files[0], folder).split(os.sep)[:-1]
    schema = {part.partition("=")[0]: pl.String for part in parts if "=" in part}
    return pl.scan_parquet(files, glob=False, hive_partitioning=bool(schema), hive_schema=schema or None)


def _read(source: Source) -> bytes:
    with source.open() as file:
        return file.read()


def unreadable(error: Exception, name: str, what: str) -> Exception:
    """What a user is told where polars cannot read a file: one line, with its name."""
    if isinstance(error, OSError) and error.filename is not None:
        return error
    line = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return ValueError(f"{name}: this is no {what} file, or it is damaged: {line.strip()[: trec.SHOWN]}")


# CSV ------------------------------------------------------------------------------------------------------------


def csv(source: Source, kind: str) -> pl.DataFrame:
    """Cells between commas, below a header."""
    return _separated(source, kind, ",")


def tsv(source: Source, kind: str) -> pl.DataFrame | Table:
    """Cells between tabs, below a header; without one, a TREC file."""
    if _has_header(source):
        return _separated(source, kind, "\t")
    return trec.run_table(source) if kind == "run" else trec.qrels_table(source)


def _has_header(source: Source) -> bool:
    """Whether the first line of a file names our columns."""
    if not source.is_file():
        source.keep = True  # it is opened once more
    data = b""
    with source.open() as file:
        while b"\n" not in data and len(data) < 1 << 16 and (more := file.read(1 << 12)):
            data += more
    line = data.partition(b"\n")[0]
    fields = [field.strip().strip('"') for field in line.decode("utf-8", "replace").split("\t")]
    # BEIR's header is known to the reader of TREC files, where quotes are ordinary characters.
    return fields != list(_BEIR) and all(set(_NAMES[name]) & set(fields) for name in ("query_id", "doc_id"))


_BEIR = ("query-id", "corpus-id", "score")


def _separated(source: Source, kind: str, separator: str) -> pl.DataFrame:
    import csv

    import polars as pl

    name, data = source.name, _read(source)
    if not data.strip():
        raise ValueError(f"{name}: the file is empty, expected a header such as query_id,doc_id,{_VALUE[kind]}")
    text = data[: data.find(b"\n")] if b"\n" in data else data
    header = next(csv.reader([text.decode("utf-8", "replace").rstrip("\r")], delimiter=separator))
    of = columns_of(header, kind, name)
    if len(set(header)) < len(header):
        raise ValueError(f"{name}: two columns have the same name (found: {', '.join(map(repr, header))})")
    types: dict[str, Any] = {of["query_id"]: pl.String, of["doc_id"]: pl.String, of[_VALUE[kind]]: pl.Float64}
    types.update({"iteration": pl.String} if "iteration" in header else {})
    try:
        frame = pl.read_csv(
            data,
            separator=separator,
            schema_overrides=types,
            # All rows are looked at; of a run, other columns are of no interest.
            **({"infer_schema": False} if kind == "run" else {"infer_schema_length": None}),
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        _csv_fault(data, name, header, of, separator)
        raise unreadable(error, name, "CSV") from None
    if any(frame[column].null_count() for column in types):
        _csv_fault(data, name, header, of, separator)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
    if kind == "qrels":
        words = [c for c in frame.columns if c not in types and frame[c].dtype == pl.String]
        # As Python and pandas write truth values.
        frame = frame.with_columns(_truth(frame[c]) for c in words if _is_truth(frame[c]))
    return typed(frame, kind, name)


def _is_truth(column: pl.Series) -> bool:
    return column.null_count() < len(column) and bool(
        column.drop_nulls().str.to_lowercase().is_in(["true", "false"]).all()
    )


def _truth(column: pl.Series) -> pl.Series:
    return (column.str.to_lowercase() == "true").alias(column.name)


def _csv_fault(data: bytes, name: str, header: list[str], of: dict[str, str], separator: str) -> None:
    """Raise for the first line of a CSV file that is malformed, if Python finds one."""
    import csv

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}, line {line}: this is not UTF-8") from None
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    value = list(of)[2]
    try:
        next(lines)
        for row in lines:
            if not row:
                continue
            why = None
            if len(row) != len(header):
                why = f"{len(row)} field{'s' * (len(row) != 1)}, expected {len(header)} ({separator.join(header)})"
            else:
                cells = dict(zip(header, row, strict=True))
                empty = next((ours for ours, there in of.items() if not cells[there]), None)
                if empty:
                    why = f"the {empty} is missing"
                elif not trec.is_number(cells[of[value]].encode()):
                    why = f"the {value} {cells[of[value]]!r} is no number"
            if why:
                shown = separator.join(row)[: trec.SHOWN]
                raise ValueError(f"{name}, line {lines.line_num}: {why}: {shown!r}")
    except csv.Error as error:
        raise ValueError(f"{name}, line {lines.line_num}: {error}") from None


# JSON -----------------------------------------------------------------------------------------------------------


def json(source: Source, kind: str) -> pl.DataFrame:
    """An object, topic -> document -> number, or a list of records."""
    import json

    name, data = source.name, _read(source)
    try:
        found = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {error.lineno}: this is no JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}, line {line}: this is not UTF-8") from None
    except _RepeatedError as error:
        raise ValueError(f"{name}: the key {error.key!r} stands twice in one object") from None
    except RecursionError:
        raise ValueError(f"{name}: the JSON is nested too deeply, expected topic -> document -> number") from None
    value = _VALUE[kind]
    if isinstance(found, list):
        return _records(found, [None] * len(found), name, kind)
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
    if not all(type(number) in (int, float) for number in numbers):
        for topic, doc, number in zip(topics, docs, numbers, strict=True):
            if type(number) not in (int, float):
                raise ValueError(f"{name}: topic {topic!r}, document {doc!r} holds {number!r}, expected a number")
    return _of_lists(topics, docs, numbers, value, name)


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


def _of_lists(topics: list[str], docs: list[str], numbers: list[Any], value: str, name: str) -> pl.DataFrame:
    import polars as pl

    try:
        floats = pl.Series(value, [float(number) for number in numbers], dtype=pl.Float64)
        ids = [pl.Series("query_id", topics, dtype=pl.String), pl.Series("doc_id", docs, dtype=pl.String)]
    except OverflowError:
        raise ValueError(f"{name}: a number is too large for a double") from None
    except UnicodeEncodeError:
        raise ValueError(f"{name}: an id is no text: it holds half of a surrogate pair") from None
    frame = pl.DataFrame([*ids, floats])
    return frame if value == "score" else _whole_grades(frame)


def jsonl(source: Source, kind: str) -> pl.DataFrame:
    """One record a line."""
    import json

    import polars as pl

    name, data = source.name, _read(source)
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
        of = columns_of(frame.columns, kind, name)
        types = [frame[of[ours]].dtype for ours in ("query_id", "doc_id")]
        sound = (
            all(dtype == pl.String or dtype.is_integer() for dtype in types)
            and frame[of[_VALUE[kind]]].dtype.is_numeric()
            and not any(frame[there].null_count() for there in of.values())
        )
    # Polars 1.30 panics where a line is no object.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        sound = False
    if sound:
        return typed(frame, kind, name)
    records: list[Any] = []
    numbers: list[int | None] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            records.append(json.loads(line.decode("utf-8-sig"), object_pairs_hook=_once))
        except UnicodeDecodeError:
            raise ValueError(f"{name}, line {number}: this is not UTF-8") from None
        except _RepeatedError as error:
            raise ValueError(f"{name}, line {number}: the key {error.key!r} stands twice") from None
        except (json.JSONDecodeError, RecursionError):
            shown = line.decode("utf-8", "backslashreplace")[: trec.SHOWN]
            raise ValueError(f"{name}, line {number}: this is no JSON: {shown!r}") from None
        numbers.append(number)
    return _records(records, numbers, name, kind)


def _records(records: list[Any], lines: list[int | None], name: str, kind: str) -> pl.DataFrame:
    """Records with names of columns as a table."""
    import polars as pl

    value = _VALUE[kind]
    topics: list[str] = []
    docs: list[str] = []
    numbers: list[Any] = []
    for at, (record, line) in enumerate(zip(records, lines, strict=True), 1):
        where = f"{name}, line {line}" if line else f"{name}, record {at}"
        if not isinstance(record, dict):
            raise ValueError(f"{where}: expected an object with query_id, doc_id, {value}, got a {_json_type(record)}")
        of = columns_of(list(record), kind, where)
        for ours, column in (("query_id", topics), ("doc_id", docs)):
            given = record[of[ours]]
            if type(given) not in (str, int):
                raise ValueError(f"{where}: the {ours} is a {_json_type(given)}, expected text or a whole number")
            column.append(str(given))
        number = record[of[value]]
        if type(number) not in (int, float):
            raise ValueError(f"{where}: the {value} is {number!r}, expected a number")
        numbers.append(number)
    frame = _of_lists(topics, docs, numbers, value, name)
    if kind == "run" or not records:
        return frame
    known = {other for names in _NAMES.values() for other in names}
    further = list(dict.fromkeys(key for record in records for key in record if key not in known))
    return frame.with_columns(pl.Series(key, [record.get(key) for record in records], strict=False) for key in further)
