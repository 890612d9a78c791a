"""Ids as they are stored in files, lists, dicts and Arrow's memory, read by compiled code if there
is some.

`_native` is optional: it reads plain input (lines with single fields, ids that are text) and leaves
everything else to the Python code beside each call of `plain_lines` and `Texts`. That code defines
the right result; values are the same with and without the compiled part. The environment variable
IRPREF_TEXTS=pure leaves it out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.kernel.segments import Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]
else:
    Hashes = Any


def _load() -> Any:
    try:
        from irpref.data import _native
    except ImportError:  # built without a compiler, or for all platforms
        return None
    return _native


_native = _load()
compiled: bool = _native is not None and os.environ.get("IRPREF_TEXTS") != "pure"
CHUNK_ROWS = 1 << 16  # rows read or looked up at a time: their arrays stay in the processor's cache


class Texts:
    """Texts in one piece of memory, in UTF-8.

    Attributes
    ----------
    data : bytes, or another buffer of bytes
    at : int64 array (n,)
        Where each text begins in `data`.
    length : int32 array (n,)
    hashes : uint64 array (n,)
        The same for equal texts of all objects of this class, in this process.
    """

    at: Ints
    hashes: Hashes

    def __init__(self, data: Any, at: Ints, length: Ints, hashes: Hashes) -> None:
        self.data, self.at, self.length, self.hashes = data, at, length, hashes

    @classmethod
    def from_strings(cls, column: Any) -> Texts | None:
        """Read a list or object array of strings; None if one is not a string, or no text (half of
        a surrogate pair), or nothing is compiled.
        """
        if not compiled or not (isinstance(column, list) or _is_objects(column)):
            return None
        at, length, hashes = _room(len(column))
        data = _native.collect(column, at, length, hashes)
        return None if data is None else cls(data, at, length, hashes)

    @classmethod
    def from_arrow(cls, column: Any) -> Texts | None:
        """Read an array of pyarrow's strings, none missing, which stay there; None as for
        `from_strings`.
        """
        if not compiled or str(column.type) not in ("string", "large_string"):
            return None
        import pyarrow as pa

        column = column.cast(pa.large_string())
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        _, offsets, data = column.buffers()
        ends = np.frombuffer(offsets or bytes(8), np.int64)[column.offset :][: len(column) + 1]
        texts = cls(
            data or b"", ends[:-1], np.diff(ends).astype(np.int32), np.empty(len(column), np.uint64)
        )
        _native.hashes(texts.data, texts.at, texts.length, texts.hashes)
        return texts

    @classmethod
    def from_stream(cls, column: Any) -> Texts | None:
        """Read a column of strings, none missing, of any library that exports Arrow streams; None
        as for `from_strings`.
        """
        if not compiled:
            return None
        at, length, hashes = _room(len(column))
        data = _native.stream(column.__arrow_c_stream__(), at, length, hashes)
        return None if data is None else cls(data, at, length, hashes)

    @classmethod
    def from_dicts(
        cls, dicts: Sequence[Mapping[str, Any]], size: int
    ) -> tuple[Texts, Floats] | None:
        """Read keys and values of dicts with `size` entries together; None as for `from_strings`,
        or if a value is not a number.
        """
        if not compiled:
            return None
        at, length, hashes = _room(size)
        number = np.empty(size)
        data = _native.entries(list(dicts), at, length, hashes, number)
        return None if data is None else (cls(data, at, length, hashes), number)

    @classmethod
    def joined(cls, parts: Iterable[Texts]) -> Texts:
        """Join several texts one after the other."""
        whole = GrowingTexts()
        for part in parts:
            whole.add(part)
        return whole.texts()

    def __len__(self) -> int:
        return self.length.size

    def compact(self) -> Packed:
        """Copy the same texts to memory that holds nothing else."""
        return Packed(_native.packed(self.data, self.at, self.length), self.length)

    def changes(self) -> Ints:
        """Find the rows whose text differs from the row before, the first included."""
        rows = np.empty(len(self), np.int64)
        return rows[: _native.changes_of(self.data, self.at, self.length, rows)].copy()

    def __getitem__(self, rows: Ints | slice) -> Texts:
        return Texts(self.data, self.at[rows], self.length[rows], self.hashes[rows])

    def match(
        self, lengths: Ints, other: Texts, begins: Ints, its_lengths: Ints, codes: Any = ()
    ) -> Ints | None:
        """Find for each row the text of another that is the same; -1 if none is. None if a text is
        twice in a group of rows.

        Parameters
        ----------
        lengths : int array (n_groups,)
            How many rows each group has; groups follow each other.
        other : Texts
        begins, its_lengths : int arrays (n_groups,)
            The rows of `other` among which the texts of a group are looked up: the first, and how
            many.
        codes : int array (n_rows,), optional
            Row `i` has the text `codes[i]`; text `i` by default.
        """
        rows = np.ascontiguousarray(codes, dtype=np.int64)
        out = np.empty(rows.size or len(self), np.int64)
        mine, its = ((some.data, some.at, some.length, some.hashes) for some in (self, other))
        return out if _native.match(*mine, rows, lengths, *its, begins, its_lengths, out) else None

    def repeated(self, lengths: Ints) -> bool:
        """Test whether a text is twice in one of these groups of rows. See `match`."""
        none = np.zeros(lengths.size, np.int64)
        return self.match(lengths, self, none, none) is None

    def falling(self, group: Ints) -> Ints:
        """Order the rows of each group by descending text: shape as `group`; groups follow each
        other.
        """
        out = np.empty(group.size, np.int64)
        _native.falling(self.data, self.at, self.length, np.ascontiguousarray(group), out)
        return out

    def fill(self, out: Any) -> None:
        """Put the texts into an object array as Python strings."""
        _native.strings(self.data, self.at, self.length, out)

    def to_list(self) -> list[str]:
        """List the texts as Python strings."""
        out = np.empty(len(self), dtype=object)
        self.fill(out)
        strings: list[str] = out.tolist()
        return strings


class Packed(Texts):
    """Texts one after the other, with nothing between them.

    Where each begins, and its hash, is computed when it is asked for: until then, many ids take
    half of the memory.
    """

    def __init__(self, data: Any, length: Ints) -> None:
        self.data, self.length = data, length

    @cached_property
    def at(self) -> Ints:  # type: ignore[override]
        """Where each text begins."""
        ends: Ints = np.cumsum(self.length, dtype=np.int64)
        ends -= self.length
        return ends

    @cached_property
    def hashes(self) -> Hashes:  # type: ignore[override]
        """The hash of each text."""
        hashes = np.empty(len(self), np.uint64)
        _native.hashes(self.data, self.at, self.length, hashes)
        return hashes

    def compact(self) -> Packed:
        """Return the same texts."""
        return self


class Growing:
    """An array to which others are appended.

    Memory that is not used yet costs nothing, and of a large array the system takes back the memory
    freed: the whole and one copy of it is the most that there is at a time.

    Parameters
    ----------
    dtype : of NumPy
    """

    def __init__(self, dtype: Any) -> None:
        self._array = np.empty(0, dtype)
        self.n = 0

    def room(self, size: int) -> Any:
        """Return the next `size` items, to be written."""
        start, self.n = self.n, self.n + size
        if self.n > self._array.size:
            larger = np.empty(max(self.n, 2 * self._array.size), self._array.dtype)
            larger[:start] = self._array[:start]
            self._array = larger
        return self._array[start : self.n]

    def add(self, items: Any) -> None:
        """Append an array."""
        self.room(len(items))[:] = items

    def array(self) -> Any:
        """Return all items."""
        return self._array[: self.n]


class GrowingTexts:
    """Texts to which others are appended."""

    def __init__(self) -> None:
        self._data, self._length = Growing(np.uint8), Growing(np.int32)

    def add(self, part: Texts) -> None:
        """Append some texts."""
        packed = part.compact()
        self._data.add(np.frombuffer(packed.data, np.uint8))
        self._length.add(packed.length)

    def texts(self) -> Packed:
        """Return all texts."""
        return Packed(self._data.array(), self._length.array())


class Unread:
    """A column of strings, none missing, of another library: rows become `Texts` when they are
    needed.

    Parameters
    ----------
    column : array of pyarrow, Series of polars, ...
    read : callable
        `Texts` of such a column.
    """

    def __init__(self, column: Any, read: Callable[[Any], Texts | None]) -> None:
        self.column, self.read = column, read

    @classmethod
    def wrapping(cls, column: Any, read: Callable[[Any], Texts | None]) -> Unread | None:
        """Wrap the column; None if `read` does not take it."""
        return None if read(column[:0]) is None else cls(column, read)

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, rows: Ints | slice) -> Unread | Texts:
        return Unread(self.column[rows], self.read) if isinstance(rows, slice) else self.texts[rows]

    @cached_property
    def texts(self) -> Texts:
        """All rows."""
        texts = self.read(self.column)
        if texts is None:  # an id of more than 2 GB, say
            raise MemoryError
        return texts

    def changes(self) -> Ints:
        """Find rows as `Texts.changes` does."""
        rows: list[Ints] = [np.zeros(min(len(self), 1), np.int64)]
        for start in range(1, len(self), CHUNK_ROWS):
            some = Unread(self.column[start - 1 : start + CHUNK_ROWS], self.read)
            rows.append(some.texts.changes()[1:] + (start - 1))
        return np.concatenate(rows)

    def to_list(self) -> list[str]:
        """List the texts as Python strings."""
        return self.texts.to_list()


def plain_lines(
    data: bytes, n: int, columns: Mapping[str, int], number: int | None
) -> tuple[list[str], Ints, dict[str, Texts], Floats] | None:
    """Read topic and length of each stretch of rows with the same topic, further columns, and
    numbers of lines.

    The lines have `n` fields, the first of which is the topic, separated by blanks or tabs, and end
    with LF or CRLF. None if a line is anything else (blank, a comment, too long or too short, with
    a byte order mark, with a number that is not a decimal one), if the text is not UTF-8, and if
    nothing is compiled.

    Parameters
    ----------
    data : bytes
        Whole lines, the last of which may lack its end.
    n : int
    columns : mapping of name to field
        At least one.
    number : int
        Which field is the number; None if there is none.
    """
    if not compiled:
        return None
    size = _native.count(data) + 1
    begins, (at, length, _), numbers = np.empty(size, np.int64), _room(size), np.empty(size)
    read: dict[str, Texts] = {}
    for name, field in columns.items():
        room = _room(size)
        sizes = _native.lines(
            data, n, field, -1 if number is None else number, *room, numbers, begins, at, length
        )
        if sizes is None or not (sizes[2] or _is_utf8(data)):
            return None
        read[name] = Texts(data, *room)[: sizes[0]]
    topics = Texts(data, at, length, room[2])[: sizes[1]]  # their hashes are not used
    lengths = np.diff(np.append(begins[: sizes[1]], sizes[0]))
    return topics.to_list(), lengths, read, numbers[: sizes[0]]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def changes(column: Any) -> Ints | None:
    """Find the rows of a list or object array whose string differs from the row before, the first
    included.

    None as for `Texts.from_strings`.
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
