"""Many documents looked up at once, in compiled code: by a hash, then by the id itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from irpref.data.columns import Coded, take
from irpref.data.texts import CHUNK_ROWS, Texts, Unread
from irpref.kernel.segments import Ints

FEW = 500  # rows from which `Texts` are faster


def texts_of(column: Any) -> Any:
    """Ids to be looked up all at once: `Texts`, or `Coded` ones; None if they are few or no text,
    or nothing is
    compiled."""
    if isinstance(column, Unread):
        return column.texts
    if isinstance(column, Texts) or len(column) < FEW:
        return column if isinstance(column, Texts) else None
    if isinstance(column, Coded):  # each category is read once
        values = (
            texts_of(column.values)
            if isinstance(column.values, (Texts, Unread))
            else _read(column.values)
        )
        return None if values is None else Coded(values, column.codes)
    return _read(column)


def _read(column: Any) -> Texts | None:
    if isinstance(column, np.ndarray) and column.dtype != object:
        column = list(map(str, column.tolist()))
    return Texts.from_strings(column)


def plain(docs: Any) -> Any:
    """`Coded` texts as `Texts`, one for each row; anything else as it is."""
    return take(docs.values, docs.codes) if isinstance(docs, Coded) else docs


def chunks(lengths: Ints, rows: int = CHUNK_ROWS) -> Iterator[tuple[int, int]]:
    """Consecutive topics of about `rows` rows: pairs of first and one past the last."""
    starts = np.flatnonzero(np.diff(np.cumsum(lengths) // rows, prepend=-1))
    return pairwise([*starts.tolist(), lengths.size])
