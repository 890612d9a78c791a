"""Turn the inputs of users into tables: frames, dicts of dicts, iterables of namedtuples, files,
data sets.

`rereadable` reads files and data sets of runs (`irpref.judged.judgments` reads judgments);
`tables` makes a `Table` of any form. Columns have ir_measures' names, or PyTerrier's if those are
missing. A score or grade is a real number: text, dates and complex numbers are refused in any form
of input. An id is text; one of another type is its `str`.

Inputs are read once and never modified. Ids stay as they are (Python strings, integers, Arrow,
categories): how they are looked up is up to `irpref.judged.align`."""

from __future__ import annotations

import datetime
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from irpref.data.collections import dataset_named
from irpref.data.columns import (
    Coded,
    Reading,
    Stretches,
    Table,
    as_list,
    columns_of,
    objects,
    stretches_of,
)
from irpref.data.kinds import as_pairs, check_text_pairs, seem_pairs
from irpref.data.lists import as_lists, hold_ids, numbered
from irpref.data.ranks import as_scores
from irpref.data.rows import id_text as id_text
from irpref.data.texts import Texts, Unread
from irpref.errors import ArgumentError, ColumnError, InputError, RunError
from irpref.judged.match import FEW, chunks
from irpref.kernel.segments import Floats, Ints, order_by


class Opened:
    """Input that was read once and is passed on: it holds its rows as a table.

    Attributes
    ----------
    table : Table
    """

    table: Table


def rereadable(run: Any, columns: Iterable[str] = (), how: Reading | None = None) -> Any:
    """Return a run in a form that can be read any number of times: read the file or data set that
    it names, and list rows that come only once.

    Parameters
    ----------
    run : any form of run
        A path is read; an id or object of a data set of ir_datasets or PyTerrier gives its results;
        an iterable of namedtuples becomes a table; a lazy frame is collected. A frame and a mapping
        are returned as they are.
    columns : names of further columns to keep of an iterable, if they are present
    how : Reading, optional
        As `tables` takes it, for an iterable.

    Raises
    ------
    ValueError, OSError
        No such file and no such data set; a line is malformed.
    """
    if isinstance(run, (str, os.PathLike)):
        if not names_dataset(run):
            from irpref.data.source import Source
            from irpref.data.tables import read_table

            with Source(run, keep=True) as source:
                return read_table(source, "score")
        run = dataset_named(str(run), "scoreddocs")
    run = unwrapped(run)
    if is_dataset(run):
        if not hasattr(run, "scoreddocs_iter"):
            raise ArgumentError(
                f"the data set {run!r} has no results (scoreddocs)", parameter="run", value=run
            )
        return list(run.scoreddocs_iter())
    if hasattr(run, "get_qrels") and hasattr(run, "get_results"):  # of PyTerrier
        run = run.get_results()
    if isinstance(run, (Mapping, Table, Opened)) or hasattr(run, "columns"):
        return run
    return _from_rows(run, "score", columns, how)


def unwrapped(data: Any) -> Any:
    """Turn iterators into lists, tables of pyarrow into frames and PyTerrier's wrapper of a data
    set into the data set of ir_datasets, and collect lazy frames; return anything else as it is.
    """
    if isinstance(data, (Mapping, list, Table, Opened)):
        return data
    if type(data).__module__.partition(".")[0] == "pyarrow" and hasattr(data, "to_pandas"):
        return data.to_pandas()
    if isinstance(data, Iterator):
        return list(data)
    if hasattr(type(data), "columns"):  # of the class: a polars LazyFrame warns when asked itself
        return data.collect() if hasattr(data, "collect") else data
    return data.irds_ref() if hasattr(data, "irds_ref") else data


def is_dataset(data: Any) -> bool:
    """Test whether this is a data set of ir_datasets."""
    return any(
        hasattr(data, f"{part}_iter") for part in ("docs", "qrels", "scoreddocs", "docpairs")
    )


def names_dataset(name: Any) -> bool:
    """Test whether a path may be the id of a data set: no file has this name."""
    return isinstance(name, str) and name != "-" and not os.path.exists(os.path.expanduser(name))


OF_DATASET = "a data set of ir_datasets brings its own"
OF_MEMORY = "this is no file, and has its form"


def refuse_reading(
    how: Reading, why: str, parameters: Iterable[str] = ("columns", "labels", "form")
) -> None:
    """Raise `ArgumentError` if something is said of how to read an input that it is not read by.

    What is said of several inputs may belong to another one.
    """
    for parameter in () if how.shared else parameters:
        if value := getattr(how, parameter):
            raise ArgumentError(f"{parameter}: {why}", parameter=parameter, value=value)


def tables(
    data: Any,
    value: str,
    columns: Iterable[str] | None = (),
    topics: Container[str] | None = None,
    how: Reading | None = None,
) -> Iterator[Table]:
    """Yield the rows of an input in memory, one table after the other; each topic of a dict is in
    one table.

    Parameters
    ----------
    data : DataFrame (pandas or polars), dict of dicts, iterable of namedtuples, or `Table`
    value : 'score' or 'relevance'
    columns : names of further columns to take if they are present; None: all
    topics : container of str, optional
        Topics that are asked for. Of a dict, documents of other topics are not read: these topics
        then have none.
    how : Reading, optional
        Names of the columns, and labels. A `Table` has been read already.

    Raises
    ------
    ValueError
        A column is missing, or a value is not a number, and no label.
    TypeError
        `data` is none of these forms.
    """
    if isinstance(data, Opened):
        data = data.table
    if isinstance(data, Mapping):
        yield from _from_dicts(data, value, topics, how)
    elif isinstance(data, Table):
        wanted = (
            data.columns if columns is None else [name for name in columns if name in data.columns]
        )
        yield replace(data, columns={name: data.columns[name] for name in wanted})
    else:
        yield _from_rows(data, value, columns, how)


def run_tables(run: Any, topics: Container[str] | None = None) -> Iterator[Table]:
    """Yield the `tables` of a run in any form, which `rereadable` reads."""
    return tables(rereadable(run), "score", topics=topics)


def run_table(run: Any) -> Table:
    """Put all rows of a run in any form into one table. Errors as for `tables`."""
    return Table.joined(run_tables(run))


def as_table(
    data: Any, value: str, columns: Iterable[str] | None = (), how: Reading | None = None
) -> Table:
    """Put all rows of any input into one table. Parameters and errors as for `tables`."""
    return Table.joined(tables(data, value, columns, how=how))


def by_topic(data: Mapping[Any, Any], value: str) -> Mapping[str, Mapping[Any, Any]]:
    """Return a dict of dicts whose topics are `str`. Raises as `tables`."""
    what = "run" if value == "score" else "qrels"
    out: Mapping[str, Any] = data
    if not all(type(key) is str for key in data):
        out = dict(zip(map(str, str_list(list(data), "query_id")), data.values(), strict=True))
        if len(out) != len(data):
            raise InputError(f"{what}: two topics have the same id when ids are compared as text")
    listed = [key for key, docs in out.items() if not isinstance(docs, Mapping)]
    if not listed:
        return out
    if len(listed) == len(out) and hold_ids(out, value):
        return {key: numbered(docs, value) for key, docs in out.items()}
    docs = out[listed[0]]
    pairs = ((t, *pair) for t in listed for pair in out[t] if isinstance(pair, (list, tuple)))
    hint = _or_pairs(pairs) if value == "relevance" and isinstance(docs, (list, tuple)) else ""
    raise TypeError(
        f"{what}: expected a dict of dicts{_or_of_ids(value)}, but topic {listed[0]!r} holds a "
        f"{type(docs).__name__}{hint}"
    )


def _or_pairs(rows: Iterable[Any]) -> str:
    """Say how pairs are read, as the end of a message, if rows seem to be pairs."""
    return f"; {as_pairs('pairs of documents')}" if seem_pairs(rows) else ""


def _or_of_ids(value: str) -> str:
    return ", or of lists of ids, best first" if value == "score" else ", or of sets of ids"


def _from_dicts(
    data: Mapping[Any, Any], value: str, topics: Container[str] | None, how: Reading | None
) -> Iterator[Table]:
    given = by_topic(data, value)
    names = [name for name in given if topics is None or name in topics]
    if topics is not None and len(names) < len(given):
        others = [name for name in given if name not in topics]
        yield Table(Stretches(others, np.zeros(len(others), np.int64)), [], np.zeros(0))
    every = np.fromiter((len(given[name]) for name in names), np.int64, len(names))
    labelled = how is not None and how.labels is not None  # what they are depends on all rows
    # A few at a time: their ids are looked up while they are in the cache.
    for start, stop in [(0, len(names))] if labelled else chunks(every):
        query_id = Stretches(names[start:stop], every[start:stop])
        dicts = [given[name] for name in query_id.names]
        read: Any = None
        if every.sum() >= FEW and not labelled:
            read = Texts.from_dicts(dicts, len(query_id))
        if read is None:
            keys = list(chain.from_iterable(dicts))
            docs = str_list(keys)
            if docs is not keys and value == "score":
                _check_same_ids(query_id.to_list(), docs)
            numbers = list(chain.from_iterable(docs_of.values() for docs_of in dicts))
            read = docs, _read_numbers(numbers, query_id.to_list(), docs, value, how)
        yield Table(query_id, read[0], read[1], header=("query_id", "doc_id", value))


def _check_same_ids(topics: list[str], docs: list[str]) -> None:
    """Refuse two documents of a topic whose ids are the same text, such as 1 and '1': which one was
    meant?
    """
    seen: set[tuple[str, str]] = set()
    for topic, doc in zip(topics, docs, strict=True):
        if (topic, doc) in seen:
            raise RunError(
                f"two documents of topic {topic!r} have the same id {doc!r} when ids are compared "
                f"as text",
                topic=topic,
                doc=doc,
            )
        seen.add((topic, doc))


def _from_rows(data: Any, value: str, columns: Iterable[str] | None, how: Reading | None) -> Table:
    """Make the table of a frame or of an iterable. Ranks become scores."""
    if _of_polars(data) and hasattr(data, "columns"):
        table, column = _from_polars(data, value, columns, how)
    elif hasattr(data, "columns") and hasattr(data, "itertuples"):
        table, column = _from_pandas(data, value, columns, how)
    else:
        table, column = _from_tuples(data, value, columns, how)
    table = replace(table, column=column)
    # As a list: ranks are checked at the end.
    (read,) = list(as_scores([table])) if value == "score" else [table]
    return read


def _from_polars(
    data: Any, value: str, columns: Iterable[str] | None, how: Reading | None
) -> tuple[Table, str]:
    """Make the table of a frame, and name the column that its numbers are from; so do the two
    below.
    """
    import polars as pl

    present = data.columns
    names = columns_of(present, value, how, table="DataFrame")
    numbers = data[names[value]]
    if (grades := _grades(numbers, value, how)) is not None:
        numbers = pl.Series(grades)
    # A frame without rows has no dtype of its own; missing values are found, with topic and
    # document, as NaN.
    if not (numbers.dtype.is_numeric() or numbers.dtype in (pl.Boolean, pl.Null)):
        raise ColumnError(
            f"column {names[value]!r} holds {numbers.dtype}, expected numbers", column=names[value]
        )
    topics, docs = (_series(data[names[name]], name) for name in ("query_id", "doc_id"))
    stretches = topics.rle().struct.unnest()
    table = Table(
        Stretches(stretches["value"].to_list(), stretches["len"].to_numpy().astype(np.int64)),
        Unread.wrapping(docs, Texts.from_stream) or objects(docs.to_list()),
        numbers.cast(pl.Float64).to_numpy(),  # NaN for missing ones
        _Columns(data, _further(present, names, columns)),
        present,
    )
    return table, names[value]


def _series(ids: Any, name: str) -> Any:
    """Return a polars column of ids as text."""
    import polars as pl

    if ids.null_count():
        raise _missing_id(name)
    if not (ids.dtype.is_integer() or ids.dtype in (pl.String, pl.Categorical, pl.Enum)):
        return pl.Series(str_list(ids.to_list(), name), dtype=pl.String)
    return ids.cast(pl.String)


def _further(
    present: Sequence[str], names: Mapping[str, str], columns: Iterable[str] | None
) -> list[str]:
    """Select the further columns that are asked for (all if `columns` is None) and present."""
    if columns is None:
        # Ours are the columns that were read, whatever they are called.
        return [name for name in present if name not in {*names, *names.values()}]
    return [name for name in columns if name in present]


def _from_pandas(
    data: Any, value: str, columns: Iterable[str] | None, how: Reading | None
) -> tuple[Table, str]:
    present = [str(name) for name in data.columns]
    names = columns_of(present, value, how, table="DataFrame")
    # By their places: a name may be a number.
    topics, docs, numbers = (data.iloc[:, present.index(name)] for name in names.values())
    further = [name for name in _further(present, names, columns) if present.count(name) == 1]
    table = Table(
        _ids(topics),
        _ids(docs),
        _numbers(numbers, topics, docs, value, how),
        _Columns(data, further),
        present,
    )
    return table, names[value]


class _Columns(Mapping[str, Any]):
    """Further columns of a frame, which become arrays when they are asked for."""

    def __init__(self, frame: Any, names: Sequence[str]) -> None:
        self._frame, self._names = frame, dict.fromkeys(names)
        self._arrays: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._arrays:
            self._arrays[name] = self._frame[name].to_numpy()
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _ids(column: Any) -> Any:
    """Return a pandas column (or index) of ids as `Table` holds it."""
    dtype = column.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        codes = column.array.codes
        if codes.size and codes.min() < 0:
            raise _missing_id(str(column.name))
        return Coded(_ids(column.array.categories), codes)
    if dtype.kind in "iu":
        if column.isna().any():  # pandas would make floats of the others: 1.0 for 1
            raise _missing_id(str(column.name))
        return column.to_numpy(dtype=np.int64 if dtype.kind == "i" else np.uint64)
    if getattr(dtype, "storage", None) == "pyarrow" or type(dtype).__name__ == "ArrowDtype":
        if column.isna().any():
            raise _missing_id(str(column.name))
        return Unread.wrapping(column.array.__arrow_array__(), Texts.from_arrow) or column.to_numpy(
            dtype=object
        )
    return column.to_numpy(dtype=object)


def _numbers(column: Any, topics: Any, docs: Any, value: str, how: Reading | None) -> Floats:
    """Return a pandas column of scores or grades as float64; missing ones are NaN."""
    if (grades := _grades(column, value, how)) is not None:
        return grades
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        return column.to_numpy(dtype=np.float64)
    kind = getattr(dtype, "kind", "O")
    if kind in "mMcSU" or str(dtype) in ("str", "string"):
        raise ColumnError(
            f"column {column.name!r} holds {dtype}, expected numbers", column=str(column.name)
        )
    if kind in "iufb":  # of pandas' own, or Arrow's: they can lack values
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return as_numbers(column.tolist(), topics, docs, value)


def _from_tuples(
    data: Any, value: str, columns: Iterable[str] | None, how: Reading | None
) -> tuple[Table, str]:
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise TypeError(
            f"expected a DataFrame with columns query_id, doc_id, {value}, a dict of dicts, an "
            f"iterable of namedtuples "
            f"with these fields, a path, or a data set of ir_datasets; got {type(data).__name__}"
        )
    rows = data if isinstance(data, list) else list(data)
    if not rows:
        return Table([], [], np.zeros(0)), value
    present = getattr(rows[0], "_fields", None)
    table = type(rows[0]).__name__
    if isinstance(rows[0], Mapping):
        present, table = tuple(map(str, rows[0])), "record 1"
        rows = _records(rows, present, value, how)
    elif type(rows[0]) is tuple and len(rows[0]) == 3:
        if value == "relevance":
            check_text_pairs(rows)
        present = ("query_id", "doc_id", value)
        named = [dict(zip(present, row, strict=True)) for row in rows]
        rows = _records(named, present, value, how)
    if present is None:
        raise TypeError(
            f"expected an iterable of namedtuples or dicts with query_id, doc_id, {value}, or of "
            f"tuples of these three; "
            f"its first item is a {type(rows[0]).__name__}"
            + " (of a file give the path)" * isinstance(rows[0], (str, bytes))
            + (_or_pairs(rows) if value == "relevance" else "")
            + (
                " (ir_measures does not take polars frames, irpref.evaluator does)"
                if _of_polars(rows[0])
                else ""
            )
        )
    names = columns_of(present, value, how, table=table)
    extra = {
        name: objects([getattr(r, name, None) for r in rows])
        for name in _further(present, names, columns)
    }
    query_id, doc_id, numbers = (list(map(attrgetter(name), rows)) for name in names.values())
    values = _read_numbers(numbers, query_id, doc_id, value, how)
    return Table(query_id, doc_id, values, extra, present), names[value]


def _records(
    rows: Iterable[Mapping[Any, Any]], present: tuple[str, ...], value: str, how: Reading | None
) -> list[Any]:
    """Turn rows of dicts into objects with attributes. Raises as `columns_of` if a row lacks a
    column.
    """
    out = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Mapping) and tuple(row) != present:
            names = columns_of(present, value, how)
            lacking = [name for name in names.values() if name not in row]
            if lacking:
                columns_of([str(name) for name in row], value, how, table=f"record {number}")
        out.append(SimpleNamespace(**{str(name): cell for name, cell in row.items()}))
    return out


def _of_polars(item: Any) -> bool:
    return type(item).__module__.partition(".")[0] == "polars"


def _grades(cells: Iterable[Any], value: str, how: Reading | None) -> Floats | None:
    """Find the grades of labels, if some were given; None if these are numbers beside words."""
    if value != "relevance" or how is None or how.labels is None:
        return None
    return how.grades_of(list(cells), "qrels")


def _read_numbers(
    cells: list[Any],
    query_id: Iterable[Any],
    doc_id: Iterable[Any],
    value: str,
    how: Reading | None,
) -> Floats:
    """Read scores, or grades, which labels may stand for. Raises as `as_numbers`."""
    grades = _grades(cells, value, how)
    return as_numbers(cells, query_id, doc_id, value) if grades is None else grades


def as_numbers(
    numbers: list[Any], query_id: Iterable[Any], doc_id: Iterable[Any], value: str
) -> Floats:
    """Make a float64 array of Python numbers; `ValueError` names topic and document of the first
    that is no number.
    """
    if are_numbers(numbers):
        try:
            return np.fromiter(numbers, dtype=np.float64, count=len(numbers))
        except (TypeError, ValueError, OverflowError):
            pass
    out = np.empty(len(numbers))
    for row, (number, query, doc) in enumerate(zip(numbers, query_id, doc_id, strict=False)):
        try:
            if isinstance(number, _NO_NUMBERS):
                raise TypeError
            out[row] = np.nan if is_missing(number) else float(number)
        except OverflowError:
            raise InputError(
                f"{value} of topic {str(query)!r}, document {str(doc)!r} is too large for a double",
                topic=str(query),
                doc=str(doc),
                column=value,
            ) from None
        except (TypeError, ValueError):
            raise InputError(
                f"{value} of topic {str(query)!r}, document {str(doc)!r} is {number!r}, expected "
                f"a number",
                remedy=as_pairs("losers by winner")
                if value == "relevance" and isinstance(number, (list, tuple, set, frozenset))
                else None,
                topic=str(query),
                doc=str(doc),
                column=value,
                value=number,
            ) from None
    return out


# Types that can be converted to numbers but are none. (The types of pandas are subclasses.)
_NO_NUMBERS = (
    *(str, bytes, bytearray, complex, np.complexfloating, np.datetime64, np.timedelta64),
    *(datetime.date, datetime.time, datetime.timedelta, np.ndarray),
)


def are_numbers(numbers: Iterable[Any]) -> bool:
    """Test whether these are numbers of the usual kinds; if not, they have to be checked one by
    one.

    NumPy would take text, dates and complex numbers for numbers. A sum does not, and costs little.
    (NumPy 2.5 warns about times added to numbers; if warnings are errors, that means no.)"""
    try:
        total = sum(numbers)
        return isinstance(total, (int, float, np.integer, np.floating)) and not isinstance(
            total, np.timedelta64
        )
    except (TypeError, ValueError, OverflowError, DeprecationWarning):
        return False


def is_missing(value: Any) -> bool:
    """Test whether a value is None, NaN or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA compares as neither
        return True


def str_list(docs: list[Any], name: str = "doc_id") -> list[str]:
    """Return the same list if all ids are `str` already, else their `str`. Raise `ValueError` if an
    id is missing.
    """
    try:
        "".join(docs)  # the cheapest check of a whole list that CPython offers
        return docs
    except TypeError:
        if any(map(is_missing, docs)):
            raise _missing_id(name) from None
        odd = next((doc for doc in docs if isinstance(doc, _NO_IDS)), None)
        if odd is not None:
            raise ColumnError(
                f"the {name} is a {type(odd).__name__}, expected text or a whole number",
                remedy=as_lists(name) if name == "doc_id" else None,
                column=name,
            ) from None
        return [id_text(doc) for doc in docs]


_NO_IDS = (list, tuple, set, frozenset, dict, np.ndarray)


def _missing_id(name: str) -> ColumnError:
    return ColumnError(f"an id is missing (None or NaN) in {name}", column=name)


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Rows grouped by topic: `names[i]` owns `lengths[i]` rows, read in the order `order` (None: as
    they are).
    """

    names: list[str]
    lengths: Ints
    order: Ints | None


def group(query_id: Any) -> Grouping:
    """Group rows by topic id, topics in order of first appearance, rows in their order."""
    try:
        stretches = stretches_of(query_id)
    except TypeError:  # pandas' NA cannot be compared
        str_list(as_list(query_id), "query_id")
        raise
    blocks, lengths = str_list(stretches.names, "query_id"), stretches.lengths
    names = list(dict.fromkeys(blocks))
    if len(names) == len(blocks):
        return Grouping(names, lengths, None)
    number = dict(zip(names, range(len(names)), strict=True))
    of_block = np.fromiter(map(number.__getitem__, blocks), np.int64, len(blocks))
    of_row = np.repeat(of_block, lengths)
    order = order_by(of_row, None, len(names))
    return Grouping(names, np.bincount(of_block, lengths, len(names)).astype(np.int64), order)
