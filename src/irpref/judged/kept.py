"""A cache of the pools of the last qrels, so that a frame is not indexed again for every system.

`pt.Experiment` builds an evaluator for each system (and batch) from the same qrels. A pool is reused only if
every id, grade and column asked for is the same: the whole content is compared each time, with a copy that the
caller cannot change, so a frame changed in place is indexed anew. Ids are compared by identity: our copy keeps
the strings alive, so the same address is the same string. That takes microseconds, indexing
milliseconds. Qrels whose cells hold what can change (lists, objects of users) are indexed anew each time.
"""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import Any

import numpy as np

from irpref.formats.columns import Coded, Stretches, Table
from irpref.formats.texts import Texts
from irpref.judged.inputs import as_table, opened
from irpref.judged.pool import SOURCE, Pool
from irpref.judged.preferences import COLUMNS, are_preferences, pool_of_preferences

KEPT = 4  # qrels; batches of one experiment alternate
MOST_BYTES = 64 << 20  # about: of arrays in a kept pool that measures share, some for every setting of parameters
_pools: deque[tuple[list[Any], Table, Pool]] = deque(maxlen=KEPT)
_lock = Lock()


def kept_pool(qrels: Any, columns: tuple[str, ...] = (), preferences: bool = False) -> Pool:
    """`Pool.build`, or the pool built before from equal frames. Raises as `Pool.build`.

    With `preferences`, qrels that have groups are a pool of preferences.
    """
    columns = (*columns, SOURCE, *(COLUMNS if preferences else ()))
    qrels = opened(qrels, "relevance", preferences)
    data = as_table(qrels, "relevance", columns)
    if isinstance(qrels, Table) or not hasattr(qrels, "columns"):
        return _built(data)  # dicts and lists: reading them is the larger part
    with _lock:
        kept = list(_pools)
    content = _content(data)
    for known, _, pool in kept:
        if len(known) == len(content) and all(map(_same, known, content)):
            pool.trim(MOST_BYTES)
            return pool
    if not all(map(_cannot_change, (data.query_id, data.doc_id, *data.columns.values()))):
        return _built(data)
    copy = data.but(
        query_id=_copy(data.query_id),
        doc_id=_copy(data.doc_id),
        # Copies: a read-only array would still show changes of the frame, or of what a column was made from.
        value=data.value.copy(),
        columns={name: _copy(column) for name, column in data.columns.items()},
    )
    pool = _built(copy)
    with _lock:
        _pools.append((_content(copy), copy, pool))
    return pool


# What an object column may hold: the same object is the same value then, and the same text.
_CONSTANT = (str, int, float, bool, bytes, type(None), np.generic)


def _cannot_change(column: Any) -> bool:
    """Whether no item of a column can change; a list in a cell can, and stays the same object."""
    if isinstance(column, Coded) and not isinstance(column, Stretches):
        return _cannot_change(column.values)
    if not isinstance(column, np.ndarray) or column.dtype != object:
        return True
    items = column.tolist()
    try:
        "".join(items)
        return True
    except TypeError:
        return all(issubclass(kind, _CONSTANT) for kind in set(map(type, items)))


def _built(data: Table) -> Pool:
    return pool_of_preferences(data) if are_preferences(data) else Pool.of(data)


def forget() -> None:
    """Drop the kept pools and free their memory."""
    with _lock:
        _pools.clear()


def _copy(column: Any) -> Any:
    if isinstance(column, Stretches):
        return column  # made from the frame, and used nowhere else
    if isinstance(column, Coded):
        return Coded(_copy(column.values), column.codes.copy())
    return column.copy() if isinstance(column, np.ndarray) else column  # texts cannot change


def _content(table: Table) -> list[Any]:
    """What two equal tables have in common, piece by piece."""
    pieces: list[Any] = [list(table.found), list(table.columns), table.value]
    for column in (table.query_id, table.doc_id, *table.columns.values()):
        while isinstance(column, Coded) and not isinstance(column, Stretches):
            pieces.append(column.codes)
            column = column.values
        pieces += [column.names, column.lengths] if isinstance(column, Stretches) else [column]
    return pieces


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, Texts):
        return a.data == b.data and np.array_equal(a.at, b.at) and np.array_equal(a.length, b.length)
    if not isinstance(a, np.ndarray):
        return bool(a == b)
    if a.dtype != b.dtype or a.dtype != object:
        return a.dtype == b.dtype and np.array_equal(a, b)
    # An object array is an array of addresses.
    x, y = (np.frombuffer(np.ascontiguousarray(column), dtype=np.intp) for column in (a, b))
    return bool(np.array_equal(x, y))
