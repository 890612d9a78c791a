"""Ids as they lie in files, lists and dicts, read by compiled code where it is there.

`_native` is optional: it reads what is plain (lines with single fields, ids of ASCII characters) and leaves everything
else, and every doubt, to the code in Python that stands beside each call of `plain_lines` and `Texts`. That code says
what is right; with and without it, values are the same. The environment variable IRPREF_TEXTS=pure leaves it out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.record import Record
from irpref.arrays.segments import Bools, Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]
else:
    Hashes = Any


def _load() -> Any:
    try:
        from irpref.formats import _native
    except ImportError:  # built where there was no compiler, or for everybody
        return None
    return _native


_PIECE = 1 << 20  # rows of a series that are copied at a time
_native = _load()
compiled: bool = _native is not None and os.environ.get("IRPREF_TEXTS") != "pure"


class Texts:
    """ASCII texts in one piece of memory.

    Attributes
    ----------
    data : bytes
        The characters.
    at : int64 array (n,)
        Where each text begins in `data`.
    length : int32 array (n,)
    hashes : uint64 array (n,)
        The same for equal texts of all objects of this class, in this process.
    """

    def __init__(self, data: bytes, at: Ints, length: Ints, hashes: Hashes) -> None:
        self.data, self.at, self.length, self.hashes = data, at, length, hashes

    @classmethod
    def of(cls, column: Any) -> Texts | None:
        """A list or object array of strings; None where one is no string, or not ASCII, or nothing is compiled."""
        if not compiled or not (isinstance(column, list) or _is_objects(column)):
            return None
        at, length, hashes = _room(len(column))
        data = _native.collect(column, at, length, hashes)
        return None if data is None else cls(data, at, length, hashes)

    @classmethod
    def of_series(cls, column: Any) -> Texts | None:
        """A polars series of strings; None as for `of`."""
        if not compiled:
            return None
        parts, lengths = [b""], [np.zeros(0, np.int32)]
        for start in range(0, len(column), _PIECE):
            piece = column[start : start + _PIECE]
            part = piece.str.join("").item().encode()
            if not part.isascii():
                return None
            parts.append(part)
            lengths.append(piece.str.len_bytes().to_numpy().astype(np.int32))
        data, length = b"".join(parts), np.concatenate(lengths)
        at, hashes = np.cumsum(length, dtype=np.int64) - length, np.empty(length.size, np.uint64)
        _native.hashes(data, at, length, hashes)
        return cls(data, at, length, hashes)

    @classmethod
    def of_dicts(cls, dicts: Sequence[Mapping[str, Any]], size: int) -> tuple[Texts, Floats] | None:
        """Keys and values of dicts with `size` entries together; None as for `of`, or where a value is no number."""
        if not compiled:
            return None
        at, length, hashes = _room(size)
        number = np.empty(size)
        data = _native.entries(list(dicts), at, length, hashes, number)
        return None if data is None else (cls(data, at, length, hashes), number)

    @classmethod
    def joined(cls, parts: Sequence[Texts]) -> Texts:
        """Texts of several one after the other."""
        sizes = [len(part.data) for part in parts]
        before = np.repeat(np.cumsum([0, *sizes[:-1]]), [len(part) for part in parts])
        at, length, hashes = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("at", "length", "hashes")
        )
        return cls(b"".join(part.data for part in parts), at + before, length, hashes)

    def __len__(self) -> int:
        return self.at.size

    def __getitem__(self, rows: Ints | slice) -> Texts:
        return Texts(self.data, self.at[rows], self.length[rows], self.hashes[rows])

    @property
    def row_hashes(self) -> Hashes:
        """Hash of each row: (n,)."""
        return self.hashes

    def same(self, rows: Ints, other: Texts, its_rows: Ints) -> bool:
        """Whether the texts of these rows are those of the rows of another, one by one."""
        one, two = _rows(rows), _rows(its_rows)
        found: bool = _native.same(self.data, self.at, self.length, one, other.data, other.at, other.length, two)
        return found

    def less(self, a: Ints, b: Ints) -> Bools:
        """Whether each row of `a` has a lower text than that of `b`: shape as both."""
        out = np.empty(a.size, bool)
        _native.less(self.data, self.at, self.length, _rows(a), _rows(b), out)
        return out

    def to_list(self, rows: Ints | None = None) -> list[str]:
        """The texts of these rows, of all if not given, as Python strings."""
        every = np.arange(len(self)) if rows is None else _rows(rows)
        found: list[str] = _native.strings(self.data, self.at, self.length, every)
        return found


class Lines(Record):
    """Rows of a block of lines, which follow each other topic by topic.

    Attributes
    ----------
    names : list of str
        Topic of each stretch of rows with the same topic.
    begins : int array (n_stretches,)
        Row that each stretch begins with.
    texts : Texts
        Document of each row.
    number : float array (n_rows,)
        Score or grade of each row.
    """

    names: list[str]
    begins: Ints
    texts: Texts
    number: Floats

    def __len__(self) -> int:
        return self.number.size

    @property
    def lengths(self) -> Ints:
        """Rows of each stretch."""
        return np.diff(np.append(self.begins, len(self)))

    def __getitem__(self, rows: slice) -> Lines:
        """Some of the rows; the stretches stay those of the whole."""
        return Lines(self.names, self.begins, self.texts[rows], self.number[rows])

    @classmethod
    def joined(cls, parts: Sequence[Lines]) -> Lines:
        """Rows of several one after the other; the stretches stay those of the first."""
        number = np.concatenate([part.number for part in parts])
        return cls(parts[0].names, parts[0].begins, Texts.joined([part.texts for part in parts]), number)


def plain_lines(data: bytes, n: int, text: int, number: int | None) -> Lines | None:
    """Lines of `n` fields, the first of which is the topic.

    Fields are separated by blanks or tabs, lines by LF or CRLF. None where a line is anything else: blank, a comment,
    too long or too short, with other characters than ASCII, with a number that is no decimal one; and where nothing
    is compiled.

    Parameters
    ----------
    data : bytes
        Whole lines, the last of which may lack its end.
    n : int
    text, number : int
        Which fields are the document and the number; None: there is no number.
    """
    if not compiled or not data.isascii():
        return None
    size = _native.count(data) + 1
    of_texts, numbers = _room(size), np.empty(size)
    begins, (at, length, _) = np.empty(size, np.int64), _room(size)
    fields = (n, text, -1 if number is None else number)
    found = _native.lines(data, *fields, *of_texts, numbers, begins, at, length)
    if found is None:
        return None
    n_rows, n_names = found
    names = _native.strings(data, at[:n_names], length[:n_names], np.arange(n_names))
    return Lines(names, begins[:n_names].copy(), Texts(data, *of_texts)[:n_rows], numbers[:n_rows])


def changes(column: Any) -> Ints | None:
    """Rows of a list or object array whose string differs from that of the row before, the first included.

    None as for `Texts.of`.
    """
    if not compiled or not (isinstance(column, list) or _is_objects(column)):
        return None
    rows = np.empty(len(column), np.int64)
    n = _native.changes(column, rows)
    return None if n is None else rows[:n].copy()


def _is_objects(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype == object and column.ndim == 1


def _room(size: int) -> tuple[Ints, Ints, Hashes]:
    return np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint64)


def _rows(rows: Ints) -> Ints:
    return np.ascontiguousarray(rows, dtype=np.int64)
