"""What users hand in, as columns: frames, dicts of dicts, iterables of namedtuples.

Inputs are read once and never modified. Ids stay what they are (Python strings, integers, Arrow, categories): how
they are looked up is up to `irpref.judged.align`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irpref.arrays.segments import Floats, Ints, order_by

_PIECE = 1 << 17  # rows
OTHER_NAMES = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}


class Coded:
    """A categorical column of ids: row `i` holds `values[codes[i]]`, values an object array or polars.Series."""

    def __init__(self, values: Any, codes: Ints) -> None:
        self.values, self.codes = values, codes

    def __len__(self) -> int:
        return self.codes.size


class Table(NamedTuple):
    """Columns of equal length: topic, document, value (score or grade), and what else was asked for."""

    query_id: Any  # list, object or integer array, polars.Series of strings, or `Coded`
    doc_id: Any
    value: Floats
    columns: Mapping[str, Any] = MappingProxyType({})
    found: Sequence[str] = ()  # names of all columns of the input
    once: bool = False  # whether nothing else will be evaluated: then polars is not worth its import


def as_table(data: Any, value: str, columns: Iterable[str] = ()) -> Table | Mapping[str, Mapping[str, Any]]:
    """Columns of `data`; a dict of dicts is returned as it is, with `str` keys.

    Parameters
    ----------
    data : DataFrame (pandas or polars), dict of dicts, iterable of namedtuples, or `Table`
    value : 'score' or 'relevance'
    columns : names of further columns to take where they are present

    Raises
    ------
    ValueError
        A column is missing, or a value is no number.
    TypeError
        `data` is none of these forms.
    """
    if isinstance(data, Mapping):
        return _str_keys(data, value)
    if isinstance(data, Table):
        return data
    module = type(data).__module__.partition(".")[0]
    if module == "polars":
        return _from_polars(data, value, columns)
    if hasattr(data, "columns") and hasattr(data, "itertuples"):
        return _from_pandas(data, value, columns)
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise TypeError(
            f"expected a DataFrame with columns query_id, doc_id, {value}, a dict of dicts, or an iterable of "
            f"namedtuples with these fields; got {type(data).__name__}"
            + (" (read a file with irpref.read_run or irpref.read_qrels)" if isinstance(data, str) else "")
        )
    return _from_tuples(data, value, columns)


def _str_keys(data: Mapping[Any, Any], value: str) -> Mapping[str, Mapping[str, Any]]:
    what = "run" if value == "score" else "qrels"
    out: Mapping[str, Any] = data
    if not all(type(key) is str for key in data):
        out = {str(key): docs for key, docs in data.items()}
        if len(out) != len(data):
            raise ValueError(f"{what}: two topics have the same id once compared as str")
    for key, docs in out.items():
        if not isinstance(docs, Mapping):
            raise TypeError(f"{what}: expected a dict of dicts, but topic {key!r} holds a {type(docs).__name__}")
    return out


def no_column(name: str, found: Sequence[str], what: str) -> ValueError:
    """The error for a column that is not there."""
    hint = ""
    if OTHER_NAMES.get(name) in found:
        hint = f"; {OTHER_NAMES[name]!r} is PyTerrier's name for it, rename it to {name!r}"
        hint += " (pt.irpref.bind and pt.irpref.with_known take PyTerrier's names)"
    return ValueError(f"{what} has no column {name!r} (found: {', '.join(map(str, found)) or 'none'}){hint}")


def _from_polars(data: Any, value: str, columns: Iterable[str]) -> Table:
    import polars as pl

    if hasattr(data, "collect"):
        data = data.collect()
    found = data.columns
    for name in ("query_id", "doc_id", value):
        if name not in found:
            raise no_column(name, found, "DataFrame")
    ids = {
        name: data[name] if data[name].dtype == pl.String else data[name].cast(pl.String)
        for name in ("query_id", "doc_id")
    }
    for name, series in ids.items():
        if series.null_count():
            raise _missing_id(name)
    numbers = data[value]
    # A frame without rows has no dtype of its own; missing values are found, with topic and document, as NaN.
    if not (numbers.dtype.is_numeric() or numbers.dtype in (pl.Boolean, pl.Null)):
        raise ValueError(f"column {value!r} holds {numbers.dtype}, expected numbers")
    numbers = numbers.cast(pl.Float64)
    values = (numbers.fill_null(float("nan")) if numbers.null_count() else numbers).to_numpy()
    return Table(
        ids["query_id"],
        ids["doc_id"],
        values,
        {name: data[name].to_numpy() for name in columns if name in found},
        found,
    )


def _from_pandas(data: Any, value: str, columns: Iterable[str]) -> Table:
    found = [str(name) for name in data.columns]
    for name in ("query_id", "doc_id", value):
        if name not in found:
            raise no_column(name, found, "DataFrame")
    for name in ("query_id", "doc_id", value, *columns):
        if found.count(name) > 1:
            raise ValueError(f"DataFrame has {found.count(name)} columns {name!r}")
    return Table(
        _ids(data["query_id"]),
        _ids(data["doc_id"]),
        _numbers(data[value], value),
        {name: data[name].to_numpy() for name in columns if name in found},
        found,
    )


def _ids(column: Any) -> Any:
    """A pandas column (or index) of ids as `Table` holds it."""
    dtype = column.dtype
    if getattr(dtype, "storage", None) == "pyarrow" or type(dtype).__name__ == "ArrowDtype":
        import polars as pl

        series = pl.Series("", column.array.__arrow_array__())
        if series.null_count():
            raise _missing_id(str(column.name))
        return series if series.dtype == pl.String else series.cast(pl.String)
    if type(dtype).__name__ == "CategoricalDtype":
        codes = column.array.codes
        if codes.size and codes.min() < 0:
            raise _missing_id(str(column.name))
        return Coded(_ids(column.array.categories), codes)
    if dtype.kind in "iu":
        if column.isna().any():  # pandas would make floats of the others: 1.0 for 1
            raise _missing_id(str(column.name))
        return column.to_numpy(dtype=np.int64 if dtype.kind == "i" else np.uint64)
    return column.to_numpy(dtype=object)


def _numbers(column: Any, value: str) -> Floats:
    if column.dtype.kind in "iuf" and isinstance(column.dtype, np.dtype):
        return column.to_numpy(dtype=np.float64)
    try:
        if column.dtype == object and any(isinstance(v, str) for v in column):
            raise ValueError
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"column {value!r} holds {column.dtype}, expected numbers") from None


def _from_tuples(data: Iterable[Any], value: str, columns: Iterable[str]) -> Table:
    rows = data if isinstance(data, list) else list(data)
    if not rows:
        return Table([], [], np.zeros(0))
    found = getattr(rows[0], "_fields", None)
    if found is None:
        if type(rows[0]).__module__.partition(".")[0] == "polars":
            hint = "hand them to irpref.evaluator(measures, qrels)"
            raise TypeError(f"ir_measures does not take polars frames: {hint}")
        raise TypeError(
            f"expected an iterable of namedtuples with fields query_id, doc_id, {value}; "
            f"its first item is a {type(rows[0]).__name__}"
        )
    for name in ("query_id", "doc_id", value):
        if name not in found:
            raise no_column(name, found, type(rows[0]).__name__)
    extra = {name: np.array([getattr(r, name, None) for r in rows], dtype=object) for name in columns if name in found}
    query_id = [r.query_id for r in rows]
    doc_id = [r.doc_id for r in rows]
    numbers = [r.score for r in rows] if value == "score" else [r.relevance for r in rows]
    return Table(query_id, doc_id, as_numbers(numbers, query_id, doc_id, value), extra, found)


def as_numbers(numbers: list[Any], query_id: Sequence[Any], doc_id: Sequence[Any], value: str) -> Floats:
    """Float64 array of Python numbers; `ValueError` names topic and document of the first that is none."""
    try:
        return np.fromiter(numbers, dtype=np.float64, count=len(numbers))
    except (TypeError, ValueError, OverflowError):
        for number, query, doc in zip(numbers, query_id, doc_id, strict=False):
            try:
                float(number)
            except OverflowError:
                raise ValueError(
                    f"{value} of topic {str(query)!r}, document {str(doc)!r} is too large for a double"
                ) from None
            except (TypeError, ValueError):
                raise ValueError(
                    f"{value} of topic {str(query)!r}, document {str(doc)!r} is {number!r}, expected a number"
                ) from None
        return np.array([float(n) for n in numbers])


def dict_columns(data: Mapping[str, Mapping[str, Any]], value: str) -> tuple[list[str], Ints, list[str], Floats]:
    """Topics, their lengths, documents and values of a dict of dicts."""
    names = list(data)
    lengths = np.fromiter(map(len, data.values()), dtype=np.int64, count=len(names))
    docs = list(chain.from_iterable(data.values()))
    numbers = list(chain.from_iterable(d.values() for d in data.values()))
    values: Floats
    try:
        # Grades mostly are small whole numbers, which `bytes` reads in half the time.
        values = np.frombuffer(bytes(numbers), dtype=np.uint8).astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        try:
            values = np.fromiter(numbers, dtype=np.float64, count=len(numbers))
        except (TypeError, ValueError, OverflowError):
            values = as_numbers(numbers, [name for name, d in data.items() for _ in d], docs, value)
    return names, lengths, docs, values


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA compares as neither
        return True


def str_list(docs: list[Any], name: str = "doc_id") -> list[str]:
    """The same list where all ids are `str` already, else their `str`. `ValueError` where one is missing."""
    try:
        "".join(docs)  # the cheapest check of a whole list that CPython offers
        return docs
    except TypeError:
        if any(map(is_missing, docs)):
            raise _missing_id(name) from None
        # Text, as polars has it.
        return [doc.decode("utf-8", "surrogateescape") if type(doc) is bytes else str(doc) for doc in docs]


def _missing_id(name: str) -> ValueError:
    return ValueError(f"an id is missing (None or NaN) in {name}")


class Grouping(NamedTuple):
    """Rows grouped by topic: `names[i]` owns `lengths[i]` rows, read in the order `order` (None: as they stand)."""

    names: list[str]
    lengths: Ints
    order: Ints | None


def group(query_id: Any) -> Grouping:
    """Group rows by topic id, topics in order of first appearance, rows in their order."""
    size = len(query_id)
    if not size:
        return Grouping([], np.zeros(0, np.int64), None)
    if isinstance(query_id, list):
        query_id = _object_array(query_id)
    begins = changes(query_id)
    blocks = str_list(as_list(take(query_id, begins)), "query_id")
    lengths = np.diff(np.append(begins, size))
    seen: dict[str, int] = {}
    of_block = np.fromiter((seen.setdefault(name, len(seen)) for name in blocks), np.int64, len(blocks))
    names = list(seen)
    if len(names) == len(blocks):
        return Grouping(names, lengths, None)
    of_row = np.repeat(of_block, lengths)
    order = order_by(of_row, np.zeros(size, np.int64), len(names))
    return Grouping(names, np.bincount(of_block, lengths, len(names)).astype(np.int64), order)


def changes(column: Any) -> Ints:
    """Rows of a column that differ from the row before, the first included."""
    if isinstance(column, Coded):
        # Two codes may be one id, where categories differ in type only: neighbours of one topic, then grouped.
        column = column.codes
    elif isinstance(column, list):
        column = _object_array(column)
    if not isinstance(column, np.ndarray):
        # In pieces: polars copies columns whose chunks do not end in the same places.
        found = [np.zeros(1, np.int64)]
        for start in range(0, len(column) - 1, _PIECE):
            piece = column[start : start + _PIECE + 1]
            found.append(piece[1:].ne_missing(piece[:-1]).arg_true().to_numpy() + (start + 1))
        return np.concatenate(found)
    if column.dtype != object:
        return np.append(0, np.flatnonzero(column[1:] != column[:-1]) + 1)
    # The same object is equal to itself, so addresses rule most rows out at once; the few that are left are compared.
    addresses = np.frombuffer(np.ascontiguousarray(column), dtype=np.intp)
    rows = np.flatnonzero(addresses[1:] != addresses[:-1]) + 1
    try:
        if rows.size * 4 > column.size:
            rows = np.flatnonzero(column[1:] != column[:-1]) + 1
        else:
            rows = rows[column[rows] != column[rows - 1]]
    except TypeError:  # pandas' NA cannot be compared
        str_list(column.tolist(), "query_id")
        raise
    return np.append(0, rows)


def _object_array(items: list[Any]) -> Any:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def take(column: Any, order: Ints | slice | None) -> Any:
    """Rows of a column in this order."""
    if order is None:
        return column
    if isinstance(column, Coded):
        return Coded(column.values, column.codes[order])
    if isinstance(column, list) and not isinstance(order, slice):
        column = _object_array(column)
    return column[order]


def as_list(column: Any) -> list[Any]:
    """A column of ids as a list."""
    if isinstance(column, list):
        return column
    if isinstance(column, Coded):
        return as_list(take(column.values, column.codes))
    return column.tolist() if isinstance(column, np.ndarray) else column.to_list()
