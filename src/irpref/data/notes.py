"""What is noted about files on disk while they are read: which they were, and their hashes.

Notes are kept for the process, not for a context, since other threads read files for those who ask.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Generic, TypeVar

Note = TypeVar("Note")


class _Notes(Generic[Note]):
    """Notes about files, kept inside of `with notes.kept():`.

    Such blocks may be nested, and may overlap in threads. They share their notes, which are
    forgotten when the last of them ends.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks = 0  # how many we are inside of
        self._notes: dict[tuple[int, ...], Note] = {}

    @contextmanager
    def kept(self) -> Iterator[None]:
        with self._lock:
            self._blocks += 1
        try:
            yield
        finally:
            with self._lock:
                self._blocks -= 1
                if not self._blocks:
                    self._notes.clear()

    def lack(self, file: tuple[int, ...]) -> bool:
        """Test whether there could be a note about this file, but is none yet."""
        return self._blocks > 0 and file not in self._notes

    def add(self, file: tuple[int, ...], note: Note) -> None:
        with self._lock:
            if self._blocks:  # else the last block ended while the file was read
                self._notes[file] = note

    def about(self, file: tuple[int, ...]) -> Note | None:
        return self._notes.get(file)


_reads: _Notes[bool] = _Notes()  # by `_place`
_digests: _Notes[str] = _Notes()  # SHA-256, by `_version`


@contextmanager
def remembered() -> Iterator[None]:
    """Keep a list of the files that are read meanwhile, by all threads: see `was_read`."""
    with _reads.kept():
        yield


def remember(status: os.stat_result) -> None:
    """Put a file that is read on the list of `remembered`."""
    if stat.S_ISREG(status.st_mode):
        _reads.add(_place(status), True)


def was_read(path: str | os.PathLike[str]) -> bool:
    """Test whether this file, by whichever name, is on the list of `remembered`."""
    return os.path.isfile(path) and _reads.about(_place(os.stat(path))) is not None


@contextmanager
def hashed() -> Iterator[None]:
    """Hash the files on disk that are read meanwhile, by all threads: see `digest_of`."""
    with _digests.kept():
        yield


def digest_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file on disk, which is opened only if it was not read inside of
    `hashed`, or was changed since.
    """
    if known := _digests.about(_version(os.stat(path))):
        return known
    with open(path, "rb") as file:
        return _sha256(file)


def note_digest(file: Any, status: os.stat_result) -> None:
    """Hash an open file from its beginning, and go back there: once, and only inside of
    `hashed`.
    """
    if stat.S_ISREG(status.st_mode) and _digests.lack(_version(status)):
        _digests.add(_version(status), _sha256(file))
        file.seek(0)


def _place(status: os.stat_result) -> tuple[int, ...]:
    """Return what tells a file from others, by whichever name."""
    return status.st_dev, status.st_ino


def _version(status: os.stat_result) -> tuple[int, ...]:
    """Return what tells a file from others, and from itself before it was changed."""
    return *_place(status), status.st_size, status.st_mtime_ns


def _sha256(file: Any) -> str:
    import hashlib  # few commands need it

    return hashlib.file_digest(file, "sha256").hexdigest()
