"""What `irpref.formats.texts` calls. Arrays are contiguous; int64, lengths int32, hashes uint64, numbers float64."""

from typing import Any

from irpref.arrays.segments import Bools, Floats, Ints

def count(data: bytes, /) -> int:
    """Number of line ends."""

def lines(
    data: bytes,
    n: int,
    text_field: int,
    number_field: int,
    at: Ints,
    length: Ints,
    hashes: Ints,
    number: Floats,
    begins: Ints,
    topic_at: Ints,
    topic_length: Ints,
    /,
) -> tuple[int, int] | None:
    """Fill the arrays; rows, and stretches of one topic."""

def collect(objects: Any, at: Ints, length: Ints, hashes: Ints, /) -> bytes | None:
    """Characters of a list or array of strings; fills the arrays."""

def changes(objects: Any, rows: Ints, /) -> int | None:
    """Number of rows that differ from the row before; fills the array with them."""

def entries(dicts: list[Any], at: Ints, length: Ints, hashes: Ints, number: Floats, /) -> bytes | None:
    """As `collect`, of keys, with their values."""

def hashes(data: bytes, at: Ints, length: Ints, out: Ints, /) -> None:
    """Hash of each text; fills `out`."""

def same(
    data: bytes, at: Ints, length: Ints, rows: Ints, others: bytes, its_at: Ints, its_length: Ints, its_rows: Ints, /
) -> bool:
    """Whether the texts of all pairs of rows are equal."""

def less(data: bytes, at: Ints, length: Ints, rows: Ints, its_rows: Ints, out: Bools, /) -> None:
    """Whether the text of each row is below that of the other; fills `out`."""

def strings(data: bytes, at: Ints, length: Ints, rows: Ints, out: Any, /) -> None:
    """The texts of these rows; fills the object array `out`."""
