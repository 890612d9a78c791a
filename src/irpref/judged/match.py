"""Many documents found at once: by a hash of topic and id, then by the id itself.

Ids stay where they are, in `Texts` or in Arrow. What decides is always the comparison of the ids; hashes only say
where to look.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irpref.arrays.segments import Bools, Ints, Segments
from irpref.formats.columns import Coded
from irpref.formats.texts import Texts
from irpref.judged.inputs import as_list, str_list, take

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]
else:
    Keys = Any

CHUNK_ROWS = 1 << 16  # rows looked up at a time: their arrays stay in the cache

_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_MANY = 100_000  # rows from which looking them up in Arrow wins back the import of polars
_SOME = 2_000  # and the cost of its calls, where it is there already
FEW = 500  # rows from which texts are worth their calls
_SORTED = 2_000  # keys below which a sorted array is searched sooner than a table is made


def arrow_pays(rows: int) -> bool:
    """Whether so many rows are looked up faster in Arrow than one by one in Python. The answers are the same."""
    return rows >= (_SOME if "polars" in sys.modules else _MANY)


def texts_of(column: Any) -> Texts | None:
    """Ids that are looked up faster where they lie than one by one in Python; None where they are not."""
    if isinstance(column, Coded):
        texts = texts_of(column.values)
        return None if texts is None else texts[column.codes]
    if isinstance(column, Texts):
        return column
    return Texts.of(column) if len(column) >= FEW else None


class ArrowDocs:
    """Document ids in Arrow.

    Attributes
    ----------
    values : polars.Series of strings
        The ids, or the different ids of a categorical column.
    codes : int array (n_rows,) or None
        Where the id of each row stands in `values`, which then are all different; None: row after row.
    """

    def __init__(self, values: Any, codes: Ints | None = None) -> None:
        self._given = values  # with codes, categories may stay what they are until all are asked for
        self.codes = codes

    @cached_property
    def values(self) -> pl.Series:
        """See the class."""
        text = _strings(self._given)
        assert text is not None  # looked at by whoever made this
        return text

    @classmethod
    def of(cls, column: Any) -> ArrowDocs | None:
        """A column of ids; None where it cannot be, since a string is no unicode text (a lone surrogate).

        Raises
        ------
        ValueError
            An id is missing.
        """
        if isinstance(column, ArrowDocs):
            return column
        if isinstance(column, Coded):
            # Categories of other types need not differ once they are text.
            text = _strings(column.values) if repetitive(column) else None
            return cls.of(take(column.values, column.codes)) if text is None else cls(text, column.codes)
        text = _strings(column)
        if text is None:
            import polars as pl

            with suppress(UnicodeEncodeError):
                text = pl.Series("", str_list(as_list(column)), dtype=pl.String)
        return None if text is None else cls(text)

    def __len__(self) -> int:
        return len(self._given) if self.codes is None else self.codes.size

    def __getitem__(self, rows: Ints | slice) -> ArrowDocs:
        if self.codes is None:
            # In one chunk: from several, polars gathers a tenth as fast. Some rows at a time, so that it costs little.
            return ArrowDocs(self.values[rows].rechunk())
        part = ArrowDocs(self._given, self.codes[rows])
        # What is known of the categories serves every part.
        for name in ("values", "hashes"):
            if name in self.__dict__:
                part.__dict__[name] = self.__dict__[name]
        return part

    def same(self, rows: Ints, other: ArrowDocs, its_rows: Ints) -> bool:
        """Whether the ids of these rows are those of the rows of another, one by one."""
        return not (self._gather(rows) != other._gather(its_rows)).any()

    def less(self, a: Ints, b: Ints) -> Bools:
        """Whether each row of `a` has a lower id than that of `b`: shape as both."""
        return (self._gather(a) < self._gather(b)).to_numpy()

    def _gather(self, rows: Ints) -> pl.Series:
        if self.codes is None:
            return self.values[rows]
        if "values" in self.__dict__:
            return self.values[self.codes[rows]]
        return ArrowDocs(take(self._given, self.codes[rows])).values

    def to_list(self, rows: Ints | None = None) -> list[str]:
        """The ids of these rows, of all if not given, as Python strings."""
        if rows is not None:
            return self._gather(rows).to_list()
        return (self.values if self.codes is None else self.values.gather(self.codes)).to_list()

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have another polars, whose hashes are others.
        return {"_given": self._given, "codes": self.codes}

    @cached_property
    def hashes(self) -> Keys:
        """Hash of each of `values`."""
        return hashed(self.values)

    @property
    def row_hashes(self) -> Keys:
        """Hash of each row: (n_rows,)."""
        return self.hashes if self.codes is None else self.hashes[self.codes]


Docs: TypeAlias = ArrowDocs | Texts


def keys_of(docs: Docs, topics: Ints, lengths: Ints) -> Keys:
    """A number for each document of a topic: equal for equal pairs, nearly always different for others.

    `topics` and `lengths`: topic numbers, and how many rows each has, (n_topics,).
    """
    # Odd factors lose nothing; the second carries differences into the high bits, which choose the bucket.
    keys = docs.row_hashes ^ np.repeat(topics.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15), lengths)
    keys *= _FACTOR
    return keys


def repetitive(column: Coded) -> bool:
    """Whether rows are matched by their codes; where hardly an id stands twice, the rows themselves are read faster.

    Categories are sorted, so their strings lie all over memory.
    """
    return len(column.values) * 10 <= column.codes.size * 9


def codes_of(values: Any, docs: ArrowDocs) -> Ints | None:
    """Where each of some documents stands among different ids, `len(values)` if nowhere: (len(docs),).

    None where two ids have the same hash, or are no text.
    """
    import polars as pl

    size = len(values)
    # Most of the values often are none of these, which the high bits of their hashes show.
    bits = min((docs.hashes.size * 64).bit_length(), 22)
    shift = np.uint64(64 - bits)
    wanted = np.zeros(1 << bits, bool)
    wanted[(docs.hashes >> shift).view(np.int64)] = True
    rows, hashes, texts = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)], [pl.Series("", [], dtype=pl.String)]
    # Piece by piece: what is not wanted is gone before the next is read, and its memory taken again.
    for start in range(0, size, CHUNK_ROWS):
        piece = values[start : start + CHUNK_ROWS]
        text = _strings(piece)
        if text is None or isinstance(piece[0], bytes):  # which may be the text of another piece
            return None
        found = hashed(text)
        maybe = np.flatnonzero(wanted[(found >> shift).view(np.int64)])
        rows.append(maybe + start)
        hashes.append(found[maybe])
        texts.append(text[maybe])
    row, text = np.concatenate(rows), pl.concat(texts)
    buckets = Buckets(np.concatenate(hashes))
    if buckets.repeated:
        return None
    which, at = buckets.find(docs.hashes)
    if (docs.values[which] != text[at]).any():
        return None
    out = np.full(docs.hashes.size, size)
    out[which] = row[at]
    return out if docs.codes is None else out[docs.codes]


def hashed(values: pl.Series) -> Keys:
    """Hash of each id: (len(values),), the same for equal ids in this process."""
    return values.hash().to_numpy()


def code_keys(codes: Ints, topics: Ints, lengths: Ints) -> Keys:
    """As `keys_of`, of numbers below 2^32 instead of ids: different for different pairs."""
    keys = np.repeat(topics.astype(np.uint64) << np.uint64(32), lengths)
    keys |= codes.astype(np.uint32, copy=False)
    keys *= _FACTOR
    return keys


def _strings(column: Any) -> pl.Series | None:
    """Ids that are strings (in Python or Arrow) or integers as a series; None if they are not, or no unicode text."""
    import polars as pl

    if isinstance(column, pl.Series):
        return column
    if isinstance(column, np.ndarray) and column.dtype != object:
        return pl.Series("", column).cast(pl.String)
    try:
        text = pl.Series("", column, dtype=pl.String)
    except Exception:  # an id that is no string: what polars raises depends on what it is
        return None
    return None if text.null_count() else text


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
            self.rest = Sorted(lost) if lost.size < _SORTED else Buckets(lost)
            self.repeated = self.rest.repeated

    rest: Buckets | Sorted | None = None  # the rows that lost their bucket

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


class Sorted:
    """As `Buckets`, for a few rows."""

    def __init__(self, keys: Keys) -> None:
        self.order = np.argsort(keys)
        self.keys = keys[self.order]
        self.repeated = bool((self.keys[1:] == self.keys[:-1]).any())

    def find(self, keys: Keys) -> tuple[Ints, Ints]:
        """As `Buckets.find`."""
        at = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        which = np.flatnonzero(self.keys[at] == keys)
        return which, self.order[at[which]]


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
    """Whether a key stands twice in a topic: (n_rows,), topic after topic."""
    # Topic by topic, or a few together, so that the buckets fit the cache.
    return any(
        Buckets(keys[topics.offsets[start] : topics.offsets[stop]]).repeated for start, stop in chunks(topics.lengths)
    )
