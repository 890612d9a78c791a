"""Many documents looked up at once: by a hash of topic and id, then by the id itself.

Ids stay where they are, in `Texts`. Hashes only say where to look; two ids are equal if their text is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.segments import Ints, Segments
from irpref.formats.columns import Coded, take
from irpref.formats.texts import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]
else:
    Keys = Any

CHUNK_ROWS = 1 << 16  # rows looked up at a time: their arrays stay in the cache
FEW = 500  # rows from which `Texts` are faster
_FACTOR = np.uint64(0xD6E8FEB86659FD93)


def texts_of(column: Any) -> Texts | None:
    """Ids to be looked up all at once; None if they are few, no strings, or nothing is compiled."""
    if isinstance(column, Texts) or len(column) < FEW:
        return column if isinstance(column, Texts) else None
    if isinstance(column, Coded):
        return texts_of(take(column.values, column.codes))
    if isinstance(column, np.ndarray) and column.dtype != object:
        column = list(map(str, column.tolist()))
    return Texts.of(column)


def keys_of(docs: Texts, topics: Ints, lengths: Ints) -> Keys:
    """A number for each document of a topic: equal for equal pairs, nearly always different for others.

    `topics` and `lengths`: topic numbers, and how many rows each has, (n_topics,).
    """
    # Odd factors lose nothing; the second carries differences into the high bits, which choose the bucket.
    keys = docs.hashes ^ np.repeat(topics.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15), lengths)
    keys *= _FACTOR
    return keys


class Buckets:
    """Rows by key: a table of buckets, each with the last row that fell into it.

    Attributes
    ----------
    repeated : bool
        Whether two rows have the same key.
    """

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        # Four buckets a row: about one row in nine loses its bucket to a later one.
        bits = max(int(keys.size * 4 - 1).bit_length(), 1)
        self.shift = np.uint64(64 - bits)
        small = np.uint16 if keys.size <= 1 << 16 else np.int32 if bits < 32 else np.int64  # more of it in the cache
        rows: Ints = np.arange(keys.size, dtype=small)
        bucket = self._bucket(keys)
        self.last: Ints = np.zeros(1 << bits, dtype=rows.dtype)
        self.last[bucket] = rows
        winner = self.last[bucket]
        self.lost = np.flatnonzero(winner != rows)
        self.repeated = bool((keys[self.lost] == keys[winner[self.lost]]).any())
        if self.lost.size and not self.repeated:
            self.crowded = np.zeros(1 << bits, bool)
            self.crowded[bucket[self.lost]] = True
            # Another factor, so that rows that met here do not meet again.
            lost = keys[self.lost] * _FACTOR
            self.rest = Buckets(lost)
            self.repeated = self.rest.repeated

    rest: Buckets | None = None  # the rows that lost their bucket

    def _bucket(self, keys: Keys) -> Ints:
        return (keys >> self.shift).view(np.int64)

    def find(self, keys: Keys) -> tuple[Ints, Ints]:
        """Where the rows with these keys are; only while no key is repeated.

        Returns
        -------
        which, row : int arrays (n_found,)
            `keys[which]` are the keys of the rows `row`.
        """
        if not self.keys.size:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        bucket = self._bucket(keys)
        row = self.last[bucket]
        found = self.keys[row] == keys
        which = np.flatnonzero(found)
        row = row[which]
        if self.rest is not None:
            more = np.flatnonzero(self.crowded[bucket] & ~found)
            there, at = self.rest.find(keys[more] * _FACTOR)
            return np.concatenate([which, more[there]]), np.concatenate([row, self.lost[at]])
        return which, row


def chunks(lengths: Ints, rows: int = CHUNK_ROWS) -> Iterator[tuple[int, int]]:
    """Consecutive topics of about `rows` rows: pairs of first and one past the last."""
    ends = np.cumsum(lengths)
    start, n = 0, lengths.size
    while start < n:
        base = ends[start - 1] if start else 0
        stop = min(max(int(np.searchsorted(ends, base + rows, side="right")), start + 1), n)
        yield start, stop
        start = stop


def repeated(keys: Keys, topics: Segments) -> bool:
    """Whether a key occurs twice in a topic; `keys`: (n_rows,), topic after topic."""
    # Topic by topic, or a few together, so that the buckets fit the cache.
    return any(
        Buckets(keys[topics.offsets[start] : topics.offsets[stop]]).repeated for start, stop in chunks(topics.lengths)
    )
