"""Many documents looked up at once, in compiled code: by a hash, then by the id itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from irpref.data.columns import Coded, take
from irpref.data.texts import CHUNK_ROWS, Texts, Unread
from irpref.kernel.segments import Ints

FEW = 500  # rows from which `Texts` are faster


def texts_of(column: Any) -> Any:
    """Return ids to be looked up all at once: `Texts`, or `Coded` ones; None if they are few or no
    text, or nothing is compiled.
    """
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


def rows_with(docs: Any, names: Sequence[str], places: Ints | None = None) -> Ints:
    """Find the rows whose id is one of some names, or the one that is meant for the row.

    Parameters
    ----------
    docs : list, `Texts` or `Coded` texts (n_rows,)
    names : sequence of str
    places : int array (n_rows,), optional
        Which of the names each row is compared with; all if not given.

    Returns
    -------
    int array
        Ascending.
    """
    if isinstance(docs, list):
        if places is None:
            wanted = set(names)
            return np.flatnonzero([doc in wanted for doc in docs])
        return np.flatnonzero(
            [doc == names[place] for doc, place in zip(docs, places.tolist(), strict=True)]
        )
    hashes = docs.values.hashes[docs.codes] if isinstance(docs, Coded) else docs.hashes
    texts = Texts.from_strings(list(names))
    if texts is None:
        return np.zeros(0, np.int64)
    of_names = texts.hashes
    alike = np.isin(hashes, of_names) if places is None else hashes == of_names[places]
    return np.flatnonzero(alike)


def plain(docs: Any) -> Any:
    """Turn `Coded` texts into `Texts`, one for each row; return anything else as it is."""
    return take(docs.values, docs.codes) if isinstance(docs, Coded) else docs


def chunks(lengths: Ints) -> Iterator[tuple[int, int]]:
    """Group consecutive topics into chunks of about `CHUNK_ROWS` rows: pairs of first and one past
    the last.
    """
    starts = np.flatnonzero(np.diff(np.cumsum(lengths) // CHUNK_ROWS, prepend=-1))
    return pairwise([*starts.tolist(), lengths.size])
