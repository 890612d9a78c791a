"""Columns of runs and judgments: what every reader returns.

A reader of any form returns a `Table` of plain columns: lists, NumPy arrays, `Coded`. No reader returns a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import ne
from types import MappingProxyType
from typing import Any

import numpy as np

from irpref.arrays.record import Record
from irpref.arrays.segments import Floats, Ints
from irpref.formats import texts
from irpref.formats.labels import Labels, checked
from irpref.formats.texts import Texts
from irpref.messages import did_you_mean


class Coded:
    """A column of ids, many of them equal: row `i` holds `values[codes[i]]`.

    Parameters
    ----------
    values : object array, or another column
        The different ids, mostly; two may be the same text.
    codes : int array (n_rows,)
    """

    def __init__(self, values: Any, codes: Ints) -> None:
        self.values, self.codes = values, codes

    def __len__(self) -> int:
        return self.codes.size


class Table(Record):
    """A run or judgments as columns of equal length.

    Attributes
    ----------
    query_id, doc_id : list, object or integer array, `Texts`, `Coded`
        Files give `str`, none of them missing. Rows may come in any order.
    value : float array (n_rows,)
        Scores or grades; NaN where one is missing. Whole grades are floats, too: `whole_grades` says whether all are.
    columns : mapping of name to column
        Further arrays (n_rows,) of judgments (`iteration`, `known`, ...).
    found : sequence of str
        Names of all columns of the input, in its order.
    """

    query_id: Any
    doc_id: Any
    value: Floats
    columns: Mapping[str, Any] = MappingProxyType({})
    found: Sequence[str] = ()

    def __len__(self) -> int:
        return self.value.size


def text_type() -> Any:
    """What pandas makes of strings here, kept as Python strings: those of pyarrow are slow to loop over."""
    import pandas as pd

    dtype = pd.Series(["text"]).dtype
    return pd.StringDtype("python", na_value=np.nan) if getattr(dtype, "storage", "") == "pyarrow" else dtype


def objects(items: Sequence[Any]) -> Any:
    """An object array of these items."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def take(column: Any, order: Ints | slice | None) -> Any:
    """Rows of a column in this order; all if it is None."""
    if order is None:
        return column
    if isinstance(column, Coded):
        return Coded(column.values, column.codes[order])
    if isinstance(column, list) and not isinstance(order, slice):
        return [column[row] for row in order.tolist()]
    return column[order]


def as_list(column: Any) -> list[Any]:
    """A column as a list."""
    if isinstance(column, list):
        return column
    if isinstance(column, Coded):
        return as_list(take(column.values, column.codes))
    return column.tolist() if isinstance(column, np.ndarray) else column.to_list()


def as_objects(column: Any) -> Any:
    """A column of text as an object array of Python strings; a coded one holds each of its values once."""
    if isinstance(column, Coded):
        return as_objects(column.values)[column.codes]
    if isinstance(column, Texts):
        out = np.empty(len(column), dtype=object)
        column.fill(out)
        return out
    return column if isinstance(column, np.ndarray) else objects(column)


def changes(column: Any) -> Ints:
    """Rows of a column that differ from the row before, the first included.

    Raises
    ------
    TypeError
        Two items cannot be compared (pandas' NA).
    """
    if not len(column):
        return np.zeros(0, np.int64)
    if isinstance(column, Coded):
        # Two codes may be one id: neighbours of one topic, then grouped.
        column = column.codes
    elif isinstance(column, Texts):
        return column.changes()
    elif (rows := texts.changes(column)) is not None:
        return rows
    elif isinstance(column, list):
        differ = map(ne, islice(column, 1, None), column)
        return np.append(0, np.flatnonzero(np.fromiter(differ, bool, len(column) - 1)) + 1)
    if column.dtype != object:
        return np.append(0, np.flatnonzero(column[1:] != column[:-1]) + 1)
    # The same object is equal to itself, so addresses rule most rows out at once; the few that are left are compared.
    addresses = np.frombuffer(np.ascontiguousarray(column), dtype=np.intp)
    rows = np.flatnonzero(addresses[1:] != addresses[:-1]) + 1
    if rows.size * 4 > column.size:
        rows = np.flatnonzero(column[1:] != column[:-1]) + 1
    else:
        rows = rows[column[rows] != column[rows - 1]]
    return np.append(0, rows)


# What our columns are called elsewhere, ours first: in PyTerrier, ranx, BEIR, and where grades are collected.
NAMES = {
    "query_id": ("query_id", "qid", "q_id", "query-id"),
    "doc_id": ("doc_id", "docno", "corpus-id"),
    "score": ("score",),
    "relevance": ("relevance", "label", "grade", "rating", "rel", "score"),
}


class Reading(Record):
    """How files are read, where they do not say it themselves.

    Attributes
    ----------
    form : str, optional
        By the ending of the name if not given.
    columns : mapping of our name (`query_id`, `doc_id`, `score`, `relevance`) to the name in the file
        A file that has no such column is read as if it were not named here.
    labels : str or mapping, optional
        See `irpref.formats.labels`.
    """

    form: str | None = None
    columns: Mapping[str, str] = MappingProxyType({})
    labels: Labels = None


PLAIN = Reading()


def reading(
    form: str | Reading | None = None, columns: Mapping[str, str] | None = None, labels: Labels = None
) -> Reading:
    """What was said of a file, checked. Raises `ValueError` for columns that are none of ours, and unknown labels."""
    if isinstance(form, Reading):
        return form
    for name in columns or {}:
        if name not in NAMES:
            hint = did_you_mean(str(name), NAMES)
            raise ValueError(f"columns: {name!r} is none of ours, expected one of {', '.join(NAMES)}{hint}")
    return Reading(form, dict(columns or {}), checked(labels))


def reader_of(value: str) -> str:
    """The reader of files, for messages: of runs, which have scores, or of judgments."""
    return "irpref.read_run" if value == "score" else "irpref.read_qrels"


def columns_of(found: Sequence[str], value: str, where: str, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The three columns of a run or of judgments among those of a file.

    Parameters
    ----------
    found : names of the columns that are there
    value : 'score' or 'relevance'
    where : what the message begins with
    given : mapping of our name to the name in the file, optional
        Counts where the file has that column; else, and for what is not named here, the first of `NAMES` that is there.

    Returns
    -------
    dict
        Name in the file by our name: topic, document, value.

    Raises
    ------
    ValueError
        A column is not there.
    """
    out: dict[str, str] = {}
    for ours in ("query_id", "doc_id", value):
        wanted = ((given or {}).get(ours, ours), *NAMES[ours])
        there = next((name for name in wanted if name in found), None)
        if there is None:
            names = " or ".join(dict.fromkeys(wanted[: 2 if wanted[0] == ours else 1] + NAMES[ours][:2]))
            known = {name for several in NAMES.values() for name in several}
            advice = f"{reader_of(value)}(path, columns={{{ours!r}: NAME}}) (or --columns {ours}=NAME) says which it is"
            if not known & set(found):
                advice = f"expected a header such as query_id,doc_id,{value}; if this is one, {advice}"
            raise ValueError(f"{where}: no column {names} (found: {', '.join(map(repr, found)) or 'none'}); {advice}")
        out[ours] = there
    return out
