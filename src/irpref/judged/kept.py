"""The pools of the qrels seen last, so that the same frame is not indexed again for every system.

`pt.Experiment` builds an evaluator for each system (and batch) from the same qrels. A pool is reused only where
every id, grade and column asked for is the same: the whole content is compared each time, with a copy that the
caller cannot change, so a frame changed in place is indexed anew. Ids are compared by identity: our copy keeps
the strings alive, so the same address is the same string. That takes microseconds where indexing takes
milliseconds. Qrels whose cells hold what can change (lists, objects of users) are indexed anew each time.
"""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import Any

import numpy as np

from irpref.formats.columns import Coded, Table
from irpref.formats.texts import Texts
from irpref.judged.inputs import as_table, opened
from irpref.judged.pool import SOURCE, Pool
from irpref.judged.preferences import COLUMNS, are_preferences, pool_of_preferences

KEPT = 4  # qrels; batches of one experiment alternate
MOST_BYTES = 64 << 20  # that a kept pool holds of arrays which measures share: about, and for each setting anew
_pools: deque[tuple[Table, Pool]] = deque(maxlen=KEPT)
_lock = Lock()


def kept_pool(qrels: Any, columns: tuple[str, ...] = (), preferences: bool = False) -> Pool:
    """`Pool.build`, or the pool built before from equal frames. Raises as `Pool.build`.

    With `preferences`, qrels that have groups are a pool of preferences.
    """
    columns = (*columns, SOURCE, *(COLUMNS if preferences else ()))
    data = opened(qrels, "relevance", preferences)
    if isinstance(data, Table) or not hasattr(data, "columns"):
        return _built(as_table(data, "relevance", columns))  # dicts and lists: reading them is the larger part
    data = as_table(data, "relevance", columns)
    assert isinstance(data, Table)  # since it has columns
    with _lock:
        kept = list(_pools)
    for known, pool in kept:
        if _same_table(known, data):
            pool.trim(MOST_BYTES)
            return pool
    if not all(map(_cannot_change, (data.query_id, data.doc_id, *data.columns.values()))):
        return _built(data)
    copy = Table(
        _copy(data.query_id),
        _copy(data.doc_id),
        # A read-only array still shows what is written to the frame, or to what a column was made from.
        data.value.copy(),
        {name: _copy(column) for name, column in data.columns.items()},
        data.found,
    )
    pool = _built(copy)
    with _lock:
        _pools.append((copy, pool))
    return pool


# What an object column may hold: the same object is the same value then, and the same text.
_CONSTANT = (str, int, float, bool, bytes, type(None), np.generic)


def _cannot_change(column: Any) -> bool:
    """Whether the items of a column are what they are; a list in a cell can change, and stay the same object."""
    if isinstance(column, Coded):
        return _cannot_change(column.values)
    if not isinstance(column, np.ndarray) or column.dtype != object:
        return True
    items = column.tolist()
    try:
        "".join(items)
        return True
    except TypeError:
        return all(issubclass(kind, _CONSTANT) for kind in set(map(type, items)))


def _built(data: Any) -> Pool:
    return pool_of_preferences(data) if are_preferences(data) else Pool.of(data)


def forget() -> None:
    """Drop the pools kept, and the memory they hold."""
    with _lock:
        _pools.clear()


def _copy(column: Any) -> Any:
    if isinstance(column, Coded):
        return Coded(_copy(column.values), column.codes.copy())
    return column.copy() if isinstance(column, np.ndarray) else column  # texts cannot change


def _same_table(a: Table, b: Table) -> bool:
    return (
        a.value.size == b.value.size
        and list(a.found) == list(b.found)
        and a.columns.keys() == b.columns.keys()
        and np.array_equal(a.value, b.value)
        and _same(a.query_id, b.query_id)
        and _same(a.doc_id, b.doc_id)
        and all(_same(column, b.columns[name]) for name, column in a.columns.items())
    )


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, Coded):
        return np.array_equal(a.codes, b.codes) and _same(a.values, b.values)
    if isinstance(a, Texts):
        return a.equals(b)
    if a.dtype != b.dtype:
        return False
    if a.dtype != object:
        return bool(np.array_equal(a, b))
    # An object array is an array of addresses.
    x, y = (np.frombuffer(np.ascontiguousarray(column), dtype=np.intp) for column in (a, b))
    return bool(np.array_equal(x, y))
