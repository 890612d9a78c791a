"""Strings that lie anywhere in memory, fetched before they are read.

A frame made from a list of tuples, merged or sorted has each id in a place of its own, and who reads one id after
the other waits for the memory each time. Here a byte of many strings is read at once by address, in an order that
leaves the processor free to fetch several; after that they are in its cache. Nothing is done with the bytes: what
reads the ids is the same code with and without, and so are its results.

Only CPython's own `str` objects are touched, whose address is their `id` and which have a character (or the zero at
their end) where the empty string has its zero.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

PIECE = 1 << 12  # strings fetched at a time: they fit the cache of a core
_LEAST = 1 << 14  # rows from which it is worth the calls
_SAMPLE = 1 << 9
_NEAR = 1 << 10  # bytes: what lies nearer is fetched by the processor itself
_WORD = 8
_FIRST = sys.getsizeof("") - 1  # bytes from the address of a string to its first character
_POSSIBLE = (
    sys.implementation.name == "cpython"
    and ctypes.sizeof(ctypes.c_void_p) == _WORD
    and sys.getsizeof("a") > _FIRST
    and getattr(sys, "_is_gil_enabled", lambda: True)()
)


def scattered(column: Any) -> bool:
    """Whether an object array holds many objects, neighbours far from each other."""
    if not _POSSIBLE or column.size < _LEAST:
        return False
    step = max(column.size // _SAMPLE, 2)
    one, other = (_addresses(column[start::step][: _SAMPLE - 1]) for start in (0, 1))
    far = np.abs(other - one) > _NEAR
    return bool(np.count_nonzero(far) * 4 > far.size)


def pieces(column: Any) -> Iterator[Any]:
    """An object array in pieces, the strings of each fetched; each begins with the last row of the one before."""
    for start in range(0, max(column.size - 1, 1), PIECE):
        piece = np.ascontiguousarray(column[start : start + PIECE + 1])
        fetch(piece)
        yield piece


def fetch(piece: Any) -> None:
    """Bring the strings of an object array into the cache; nothing if some are no strings."""
    at = _addresses(piece)
    base = int(at.min(initial=sys.maxsize))
    if not _POSSIBLE or not at.size or base <= 0:
        return
    # As far as the objects lie apart; only where they are is it looked at.
    size = int(at.max()) - base + _FIRST + 1
    memory: Any = (ctypes.c_uint8 * size).from_address(base)
    words: Any = (ctypes.c_int64 * (size // _WORD + 1)).from_address(base)
    at = at - base
    # An object begins with a counter and its type.
    if (np.frombuffer(words, dtype=np.int64)[at // _WORD + 1] == id(str)).all():
        np.frombuffer(memory, dtype=np.uint8)[at + _FIRST]


def _addresses(column: Any) -> Any:
    """Where the objects of an array are: an array of objects is one of addresses."""
    return np.frombuffer(np.ascontiguousarray(column), dtype=np.intp)
