"""Parquet through pyarrow: a file, or all files of a folder, some rows of a row group at a time.

A folder may be partitioned (`query_id=301/...`); values in the names of its folders are text. Ids
stay in Arrow's memory if compiled code can look them up there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import unquote

import numpy as np

from irpref.data.cells import has_line_end, warn_of_ungraded
from irpref.data.columns import (
    Coded,
    Reading,
    Table,
    check_names,
    columns_of,
    objects,
    stretches_of,
)
from irpref.data.forms import is_packed, parquet_files
from irpref.data.lists import as_lists
from irpref.data.notes import remember
from irpref.data.source import Source, check_unchanged
from irpref.data.texts import Texts, Unread
from irpref.data.trec import SHOWN
from irpref.errors import InputError
from irpref.kernel.segments import Floats
from irpref.messages import clipped

ROWS = 1 << 18  # decoded at a time


def tables(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """Yield the rows of a run, or of judgments with all their columns, in their order. Raises as
    `read_run`.
    """
    for file, folders in _files(source):
        name = file if isinstance(file, str) else source.name
        with _one_line(name):
            before = os.stat(name) if isinstance(file, str) else None
            if before is not None:
                remember(before)
            yield from _tables_of(file, name, folders, value, how)
            if before is not None:
                check_unchanged(name, before, os.stat(name))


def holds_lists(source: Source, how: Reading) -> bool:
    """Test whether a column that is named as the documents holds lists. Raises as `read_run`."""
    wanted = set(how.columns.get("doc_id", ()))
    if not wanted:
        return False
    from pyarrow import BufferReader, parquet, types

    for file, _ in _files(source):
        with _one_line(file if isinstance(file, str) else source.name):
            schema = parquet.read_schema(file if isinstance(file, str) else BufferReader(file))
            return any(field.name in wanted and _is_list(field.type, types) for field in schema)
    return False


def _is_list(kind: Any, types: Any) -> bool:
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def records_of(source: Source) -> list[dict[str, Any]]:
    """Return all rows as records. Raises as `read_run`."""
    from pyarrow import BufferReader, parquet

    records: list[dict[str, Any]] = []
    for file, folders in _files(source):
        name = file if isinstance(file, str) else source.name
        with _one_line(name):
            given = file if isinstance(file, str) else BufferReader(file)
            with parquet.ParquetFile(given, page_checksum_verification=True) as opened:
                records += [{**folders, **row} for row in opened.read().to_pylist()]
    return records


# Files --------------------------------------------------------------------------------------------


def _files(source: Source) -> Iterator[tuple[Any, dict[str, str]]]:
    """Yield path or bytes of each file, and the columns that the folders above it name."""
    if os.path.isdir(source.name):
        files = list(parquet_files(source.name))
        if not files:
            raise IsADirectoryError(
                f"{source.name}: a folder without .parquet files, expected a file"
            )
        for file in files:
            above = os.path.relpath(file, source.name).split(os.sep)[:-1]
            yield (
                file,
                {
                    key: unquote(value)
                    for key, _, value in (part.partition("=") for part in above)
                    if value
                },
            )
    elif source.is_file() and not is_packed(source.name):
        yield source.name, {}
    else:
        with source.open() as opened:
            yield opened.read(), {}


@contextmanager
def _one_line(name: str) -> Iterator[None]:
    """Turn an error of pyarrow into one line with the file's name."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        raise ImportError(f"{name}: Parquet needs pyarrow: pip install 'irpref[parquet]'") from None
    try:
        yield
    except (OSError, pa.ArrowException, UnicodeDecodeError, MemoryError, OverflowError) as error:
        if (
            getattr(error, "filename", None) is not None
            or getattr(error, "errno", None) is not None
        ):
            raise
        line = next((line for line in str(error).split("\n") if line.strip()), type(error).__name__)
        raise InputError(
            f"this is not a Parquet file, or it is damaged: {line.strip()[:SHOWN]}", path=name
        ) from None


def _tables_of(
    file: Any, name: str, folders: Mapping[str, str], value: str, how: Reading
) -> Iterator[Table]:
    from pyarrow import BufferReader, parquet

    def opened(**more: Any) -> Any:
        return parquet.ParquetFile(
            file if isinstance(file, str) else BufferReader(file),
            page_checksum_verification=True,
            **more,
        )

    with opened() as plain:
        schema, metadata = plain.schema_arrow, plain.metadata
    here = [*schema.names, *(key for key in folders if key not in schema.names)]
    check_names(here, name)
    names = columns_of(here, value, how, path=name)
    topic, doc, number = names.values()
    wanted = [column for column in names.values() if column in schema.names]
    others: list[str] = []
    if value == "relevance":
        wanted = schema.names
        others = [column for column in here if column not in {*names, *names.values()}]
    # Each name of a topic is read once.
    coded = [topic] if topic in schema.names and _is_text(schema.field(topic).type) else []
    rows = ungraded = 0
    with opened(metadata=metadata, read_dictionary=coded) as reader:
        # The caller works in another thread meanwhile: more of them would take its core.
        for batch in reader.iter_batches(ROWS, columns=wanted, use_threads=False):
            if value == "relevance" and number in batch.schema.names:
                graded = batch.column(number).is_valid()
                ungraded += len(batch) - (graded.true_count or 0)
                batch = batch.filter(graded)
            if not len(batch):
                continue
            column = partial(_column, batch, folders)
            topics = stretches_of(_ids(column(topic), topic, name, rows))
            docs = _ids(column(doc), doc, name, rows)
            further = {other: _plain(column(other)) for other in others}
            numbers = _grades(column(number), how, name) if value == "relevance" else None
            if numbers is None:
                numbers = _numbers(column(number), number, name)
            header = ("query_id", "doc_id", value, *others)
            yield Table(topics, docs, numbers, further, header, number)
            rows += len(batch)
    warn_of_ungraded(ungraded, name)


class _LineEndError(Exception):
    """An id contains a line break."""


# Columns ------------------------------------------------------------------------------------------


def _column(batch: Any, folders: Mapping[str, str], there: str) -> Any:
    """Return a column of the file, or one that its folders name."""
    import pyarrow as pa

    if there in batch.schema.names:
        return batch.column(there)
    return pa.DictionaryArray.from_arrays(np.zeros(len(batch), np.int32), [folders[there]])


def _ids(column: Any, there: str, name: str, before: int) -> Any:
    """Return a column of ids as `Table` holds it; `before` rows of the file were read before it."""
    import pyarrow as pa
    from pyarrow import compute

    if column.null_count or (_is_dictionary(column) and column.dictionary.null_count):
        row = before + compute.index(compute.is_null(column), True).as_py()
        raise InputError(
            f"an id is missing in column {there!r}", path=name, column=there, record=row + 1
        )
    try:
        if not _is_dictionary(column):
            return _texts(column)
        column.validate(full=True)  # in a damaged file, indices may lie outside the dictionary
        return Coded(_texts(column.dictionary), column.indices.to_numpy())
    except _LineEndError as error:
        raise InputError(f"column {there!r} {error}", path=name, column=there) from None
    except pa.ArrowInvalid:
        raise InputError(
            f"column {there!r} holds bytes that are not UTF-8", path=name, column=there
        ) from None
    except TypeError:
        from pyarrow import types

        raise InputError(
            f"column {there!r} holds {column.type}, expected text or whole numbers",
            remedy=as_lists(there) if _is_list(column.type, types) else None,
            path=name,
            column=there,
        ) from None


def _texts(column: Any) -> Any:
    """Return `Texts` or an array of strings. Raise `TypeError` if a column holds neither text nor
    whole numbers.
    """
    import pyarrow as pa

    if not (_is_text(column.type) or pa.types.is_integer(column.type)):
        raise TypeError
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    # By way of bytes: pyarrow does not check text that it reads.
    texts = column.cast(pa.large_binary())
    data = np.frombuffer(texts.buffers()[2] or b"", np.int8)
    if ((data == 10) | (data == 13)).any() and (odd := _with_line_end(texts)):
        raise _LineEndError(f"has an id that contains a line break: {clipped(odd[0])!r}")
    is_ascii = data.min(initial=0) >= 0
    texts = texts.view(pa.large_string()) if is_ascii else texts.cast(pa.large_string())
    return Unread.wrapping(texts, Texts.from_arrow) or texts.to_numpy(zero_copy_only=False)


def _with_line_end(texts: Any) -> list[str]:
    """Find texts with an end of line in them; the memory of a column may hold others than its
    own.
    """
    ids = (text.decode("utf-8", "replace") for text in texts.to_pylist())
    return list(filter(has_line_end, ids))


def _is_text(type_: Any) -> bool:
    return str(type_) in (
        "string",
        "large_string",
        "string_view",
        "binary",
        "large_binary",
        "binary_view",
    )


def _is_dictionary(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(column.type))


def _numbers(column: Any, there: str, name: str) -> Floats:
    """Read scores or grades. Missing ones are NaN, for which a later error names topic and
    document.
    """
    import pyarrow as pa

    kind = pa.types
    if kind.is_boolean(column.type) or kind.is_null(column.type):
        column = column.cast(pa.int8())
    if not (
        kind.is_integer(column.type)
        or kind.is_floating(column.type)
        or kind.is_decimal(column.type)
    ):
        raise InputError(
            f"column {there!r} holds {column.type}, expected numbers", path=name, column=there
        )
    column = column.cast(pa.float64(), safe=False)
    numbers: Floats = (column.fill_null(float("nan")) if column.null_count else column).to_numpy()
    return numbers


def _grades(column: Any, how: Reading, name: str) -> Floats | None:
    """Find the grades of labels; None if there are none."""
    text = column.dictionary_decode() if _is_dictionary(column) else column
    if not (_is_text(text.type) or how.labels is not None) or text.null_count:
        return None
    return how.grades_of(list(map(str, text.to_pylist())), name)


def _plain(column: Any) -> Any:
    """Return another column as an array: numbers with NaN for missing ones, anything else as
    objects.
    """
    import pyarrow as pa

    if pa.types.is_primitive(column.type) and not (
        column.null_count and pa.types.is_boolean(column.type)
    ):
        return column.to_numpy(zero_copy_only=False)
    return objects(column.to_pylist())
