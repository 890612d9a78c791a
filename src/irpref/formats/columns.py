"""Columns of runs and judgments: what every reader returns.

A reader of any form returns a `Table` of plain columns: lists, NumPy arrays, `Coded`. No reader returns a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from irpref.arrays.record import Record
from irpref.arrays.segments import Floats, Ints


class Coded:
    """A column of ids, many of them equal: row `i` holds `values[codes[i]]`.

    Parameters
    ----------
    values : object array, or another column
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
    query_id, doc_id : list, object or integer array, `Coded`
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
    once: bool = False  # whether nothing else will be evaluated: then polars is not worth its import

    def __len__(self) -> int:
        return self.value.size


def objects(items: Sequence[Any]) -> Any:
    """An object array of these items."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
