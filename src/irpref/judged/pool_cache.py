"""A cache of the pools of the last qrels, so that a frame is not indexed again for every system.

`pt.Experiment` builds an evaluator for each system (and batch) from the same qrels. A pool is
reused only if every id, grade and column asked for is the same: the whole content is compared each
time, which the caller cannot change, so a frame changed in place is indexed anew. Ids are compared
by identity: our copy keeps the strings alive, so the same address is the same string. That takes
microseconds, indexing milliseconds. Qrels whose cells hold values that can change (lists, objects
of users) are indexed anew each time."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import Any

import numpy as np

from irpref.data.columns import Coded, Stretches, Table
from irpref.data.texts import Texts, Unread
from irpref.judged.match import texts_of
from irpref.judged.pool import Pool

KEPT = 4  # qrels; batches of one experiment alternate
# About: of arrays in a kept pool that measures share, some for every setting of parameters.
MOST_BYTES = 64 << 20
_pools: deque[tuple[list[Any], list[Any], Pool]] = deque(maxlen=KEPT)
_lock = Lock()


def kept_pool(data: Table) -> Pool:
    """Return `Pool.from_table`, or the pool built before from an equal table. Raises as
    `from_table` does.
    """
    with _lock:
        kept = list(_pools)
    content, held = _content(data)
    for known, _, pool in kept:
        if known == content:
            pool.trim(MOST_BYTES)
            return pool
    pool = Pool.from_table(data)
    unread = [column for column in held if column is not data.doc_id or not pool.has_text_ids]
    if all(_is_constant(column) for column in unread):
        with _lock:
            _pools.append((content, held, pool))
    return pool


def _is_constant(column: Any) -> bool:
    """Test whether nothing that an object column holds can change."""
    return all(issubclass(kind, _CONSTANT) for kind in set(map(type, column.tolist())))


# Types that an object column may hold: the same object is the same value then, and the same text.
_CONSTANT = (str, int, float, bool, bytes, type(None), np.generic)


def forget() -> None:
    """Drop the kept pools and free their memory."""
    with _lock:
        _pools.clear()


def _content(table: Table) -> tuple[list[Any], list[Any]]:
    """Return the pieces that two equal tables have in common, and the columns whose addresses are
    compared.
    """
    pieces: list[Any] = [list(table.header), list(table.columns), table.value.tobytes()]
    held = []
    for column in (table.query_id, table.doc_id, *table.columns.values()):
        if isinstance(column, Coded) and not isinstance(column, Stretches):
            pieces.append(column.codes.tobytes())
            column = column.values
        if isinstance(column, Stretches):
            pieces += [column.names, column.lengths.tobytes()]
        elif isinstance(column, (Texts, Unread)):
            column = texts_of(column)
            pieces += [bytes(column.data), column.at.tobytes(), column.length.tobytes()]
        else:
            pieces += [column.dtype, column.tobytes()]  # of objects: their addresses
            held += [column] if column.dtype == object else []
    return pieces, held
