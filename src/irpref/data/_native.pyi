"""What `irpref.data.texts` calls.

Arrays are contiguous; int64, lengths int32, hashes uint64, numbers float64.
"""

from typing import Any

from irpref.kernel.segments import Floats, Ints

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
) -> tuple[int, int, int] | None:
    """Fill the arrays; number of rows, of stretches of one topic, and whether all is ASCII."""

def collect(objects: Any, at: Ints, length: Ints, hashes: Ints, /) -> bytes | None:
    """Characters of a list or array of strings; fills the arrays."""

def changes(objects: Any, rows: Ints, /) -> int | None:
    """Number of rows that differ from the row before; fills the array with them."""

def entries(
    dicts: list[Any], at: Ints, length: Ints, hashes: Ints, number: Floats, /
) -> bytes | None:
    """As `collect`, of keys, with their values."""

def stream(capsule: Any, at: Ints, length: Ints, hashes: Ints, /) -> bytes | None:
    """As `collect`, of a stream of Arrow."""

def packed(data: bytes, at: Ints, length: Ints, /) -> bytes:
    """The texts one after the other."""

def hashes(data: bytes, at: Ints, length: Ints, out: Ints, /) -> None:
    """Hash of each text; fills `out`."""

def match(
    data: bytes,
    at: Ints,
    length: Ints,
    hashes: Ints,
    codes: Ints,
    lengths: Ints,
    others: bytes,
    its_at: Ints,
    its_length: Ints,
    its_hashes: Ints,
    begins: Ints,
    its_lengths: Ints,
    out: Ints,
    /,
) -> bool:
    """Which other text is the same as that of each row of a group; fills `out`.

    False if one is twice in a group.
    """

def changes_of(data: bytes, at: Ints, length: Ints, rows: Ints, /) -> int:
    """Number of texts that differ from the one before; fills the array with their rows."""

def falling(data: bytes, at: Ints, length: Ints, group: Ints, out: Ints, /) -> None:
    """The rows of each group by descending text; fills `out`."""

def strings(data: bytes, at: Ints, length: Ints, out: Any, /) -> None:
    """The texts; fills the object array `out`."""
