"""Files as bytes: where they come from, how they are packed, and where lines end."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import select
import stat
import sys
import tempfile
import weakref
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeVar

from irpref.data.forms import is_packed
from irpref.data.notes import note_digest, remember
from irpref.errors import CutWarning, InputError
from irpref.kernel.memo import HasMemo
from irpref.messages import no_such_file, warn_user

T = TypeVar("T")
PathLike = str | os.PathLike[str] | IO[bytes]
PACKED_BYTES = 1 << 18  # of a packed file that are unpacked at a time
PACKED_RATIO = 5  # of the text of a run to its packed bytes, about
LONGEST_LINE = 64 << 20  # bytes
# Magic bytes of formats we do not read, so that the error can name them.
_OTHERS: dict[str, bytes | tuple[bytes, ...]] = {
    "bzip2": tuple(b"BZh%d1AY&SY" % size for size in range(1, 10)),
    "xz": b"\xfd7zXZ\x00",
    "zip": b"PK\x03\x04",
    "7-Zip": b"7z\xbc\xaf\x27\x1c",
}


class Source(HasMemo):
    """A file, `-` or an open binary file: its name for messages, and its decompressed bytes.

    Parameters
    ----------
    path : path, `-`, or binary file
    keep : bool
        Whether input that cannot be read twice (standard input, a pipe) is spooled to a temporary
        file, so that it can be opened again.
    """

    def __init__(self, path: PathLike, keep: bool = False) -> None:
        super().__init__()
        self.path = path
        self.keep = keep
        # whether it is parsed in the caller's thread, since other threads read other files
        self.alone = False
        self._kept: _Stream | None = None
        self._file: Any = None  # open between `with source:` and its end
        self._stays_open = 0  # how many `with` we are inside of
        if isinstance(path, (str, os.PathLike)):
            self.path = path = os.path.expanduser(path)
            self.name = "<stdin>" if os.fspath(path) == "-" else os.fspath(path)
        else:
            self.name = str(getattr(path, "name", "<file>"))

    def __enter__(self) -> Source:
        """Open a file on disk only once, however often it is read inside of `with`."""
        self._stays_open += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._stays_open -= 1
        if not self._stays_open and self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> Any:
        """Open a file on disk at its beginning."""
        if not self._stays_open:
            return _open(self.path)
        if self._file is None:
            self._file = _open(self.path)
        # Another handle of the same open file, which whoever reads may close.
        again = open(os.dup(self._file.fileno()), "rb", buffering=0)  # noqa: SIM115
        if again.seekable():
            again.seek(0)
        return again

    def is_file(self) -> bool:
        """Test whether it is a file on disk, not a pipe or stream that may have to be waited
        for.
        """
        return not self._again() and os.path.isfile(self.path)  # type: ignore[arg-type]

    def size(self) -> int:
        """Estimate how many bytes a file on disk has when unpacked; 0 for anything else."""
        if not self.is_file():
            return 0
        return os.path.getsize(self.name) * (PACKED_RATIO if is_packed(self.name) else 1)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the decompressed bytes from the beginning."""
        try:
            if not self._again():
                with self._opened() as file:
                    before = os.fstat(file.fileno())
                    remember(before)
                    note_digest(file, before)
                    yield _decompressed(
                        file if file.seekable() else _Stream(file, self.name), self.name
                    )
                    check_unchanged(self.name, before, os.fstat(file.fileno()))
            else:
                yield _decompressed(self._stream(), self.name)
        except Exception as error:
            # By name: the package of zstd is imported if a file needs it.
            if (
                isinstance(error, (EOFError, zlib.error, gzip.BadGzipFile))
                or type(error).__name__ == "ZstdError"
            ):
                raise InputError(
                    f"the compressed data is damaged: {error}", path=self.name
                ) from None
            raise

    def _again(self) -> bool:
        """Test whether the bytes come from something that cannot simply be opened again."""
        if not isinstance(self.path, (str, os.PathLike)) or self.name == "<stdin>":
            return True
        is_pipe = os.path.exists(self.path) and not os.path.isfile(self.path)
        return self.keep and is_pipe

    def _stream(self) -> Any:
        if self._kept is not None:
            self._kept.again()
            return self._kept
        stream: Any = self.path
        if self.name == "<stdin>":
            if sys.stdin is None:
                raise InputError("standard input is closed", path=self.name)
            stream = sys.stdin.buffer
            with suppress(OSError):  # not of the system
                remember(os.fstat(stream.fileno()))
        elif isinstance(self.path, (str, os.PathLike)):
            stream = _open(self.path)  # closed with this
            weakref.finalize(self, stream.close)
        if isinstance(stream, io.TextIOBase):
            raise TypeError(
                f"{self.name} was opened in text mode, expected a path or a binary file: open it "
                f"with mode 'rb'"
            )
        if not hasattr(stream, "read"):
            raise TypeError(f"expected a path or a binary file, got {type(self.path).__name__}")
        if self.keep:
            stream = self._kept = _Stream(stream, self.name, keep=True)
        elif not _is_regular(stream):
            stream = _Stream(stream, self.name)
        return stream


def _open(path: Any) -> Any:
    """Open a file on disk, without a buffer."""
    try:
        return open(path, "rb", buffering=0)
    except FileNotFoundError:
        raise no_such_file(os.fspath(path)) from None


def check_unchanged(name: str, before: os.stat_result, after: os.stat_result) -> None:
    """Raise `InputError` if a file on disk has another size or time of change than before it was
    read.
    """
    if stat.S_ISREG(before.st_mode) and (before.st_size, before.st_mtime_ns) != (
        after.st_size,
        after.st_mtime_ns,
    ):
        raise InputError("the file was changed while it was read: read it again", path=name)


def _is_regular(stream: Any) -> bool:
    """Test whether this is an unbuffered file on disk."""
    return isinstance(stream, io.FileIO) and stat.S_ISREG(os.fstat(stream.fileno()).st_mode)


class _Stream:
    """A stream that can be read only once. It is waited for while it has no data yet (its `read`
    returns None).

    `again` goes back to the beginning: once, or with `keep`, which writes all to a temporary file,
    any number of times."""

    def __init__(self, stream: Any, name: str, keep: bool = False) -> None:
        self._stream, self._name, self._keep = stream, name, keep
        # Closed with this.
        self._read: IO[bytes] = tempfile.TemporaryFile() if keep else io.BytesIO()  # noqa: SIM115
        self._recording = True
        weakref.finalize(self, self._read.close)

    def again(self) -> None:
        self._read.seek(0)
        self._recording = self._keep

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return b"".join(iter(lambda: self.read(1 << 20), b""))
        if data := self._read.read(size):
            return data
        while (data := self._stream.read(size)) is None:
            try:
                select.select([self._stream], [], [])
            except (OSError, TypeError, ValueError):  # nothing that can be waited for
                raise InputError(
                    "the stream has no data yet and cannot be waited for: open it in blocking mode",
                    path=self._name,
                ) from None
        if self._recording:
            self._read.write(data)
        return data


def _decompressed(stream: Any, name: str) -> IO[bytes]:
    head = b""
    while len(head) < 10 and (more := stream.read(10 - len(head))):
        head += more
    if isinstance(stream, _Stream):
        stream.again()
    else:
        stream.seek(-len(head), os.SEEK_CUR)
    if head[:2] == b"\x1f\x8b":
        return _Gunzip(stream)  # type: ignore[return-value]
    to_skip = head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F
    if head[:4] == b"\x28\xb5\x2f\xfd" or to_skip:  # the first frame
        return _zstd(stream)
    for packed, begin in _OTHERS.items():
        if head.startswith(begin):
            raise InputError(
                f"the file is compressed with {packed}, expected plain text, gzip or zstd: "
                "unpack it first",
                path=name,
            )
    if _is_utf16(head):
        raise InputError(
            "this is UTF-16 text, expected UTF-8: convert it with iconv -f UTF-16 -t UTF-8",
            path=name,
        )
    if head[:3] == codecs.BOM_UTF8:
        stream.read(3)
    return stream


def _is_utf16(head: bytes) -> bool:
    """Test whether a file begins with UTF-16's mark, or, without one, with ASCII in UTF-16."""
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return True
    even, odd = head[0::2], head[1::2]
    return len(head) > 3 and ((all(even) and not any(odd)) or (all(odd) and not any(even)))


class _Gunzip:
    """The data of a gzip file of any number of members, checked as `gzip.GzipFile` does.

    `gzip.GzipFile` unpacks a few kilobytes at a time, and takes the interpreter from other threads
    each time."""

    def __init__(self, stream: Any) -> None:
        self._most = 0  # bytes that are asked for
        self._pieces = self._unpacked(stream)

    def read(self, size: int = -1) -> bytes:
        parts: list[bytes] = []
        left = size
        while left:
            self._most = max(left, 0) or PACKED_BYTES * 8
            if not (part := next(self._pieces, b"")):
                break
            parts.append(part)
            left -= len(part) if size > 0 else 0
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _unpacked(self, stream: Any) -> Iterator[bytes]:
        packed = stream.read(PACKED_BYTES)
        while packed:
            while len(packed) < 2 and (more := stream.read(PACKED_BYTES)):
                packed += more
            if packed[:2] != b"\x1f\x8b":
                raise gzip.BadGzipFile(f"the compressed data is followed by {packed[:2]!r}")
            member = zlib.decompressobj(wbits=31)
            while not member.eof:
                data = member.decompress(packed, self._most)
                if data:
                    yield data
                elif not packed:
                    raise EOFError("the file ends before its compressed data does")
                packed = member.unconsumed_tail or (
                    b"" if member.eof else stream.read(PACKED_BYTES)
                )
            packed = member.unused_data.lstrip(b"\0")  # members may be followed by zeros
            while not packed and (more := stream.read(PACKED_BYTES)):
                packed = more.lstrip(b"\0")


def _zstd(stream: Any) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    widest = {int(zstd.DecompressionParameter.window_log_max): 31}  # as `zstd --long=31` writes
    return zstd.ZstdFile(stream, options=widest)  # type: ignore[return-value,unused-ignore]


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield the same items; the next two are made in a thread while the caller works."""
    from concurrent.futures import ThreadPoolExecutor

    end: Any = object()
    thread = ThreadPoolExecutor(1)
    try:
        waiting = deque(thread.submit(next, items, end) for _ in range(2))
        while (item := waiting.popleft().result()) is not end:
            waiting.append(thread.submit(next, items, end))
            yield item
    finally:
        # If the caller stops early, this may run during garbage collection, even in that thread,
        # which cannot wait for itself.
        thread.shutdown(wait=False, cancel_futures=True)


def blocks_of(file: IO[bytes], block_bytes: int) -> Iterator[bytes]:
    """Yield the bytes in blocks of whole lines, the last of which may lack its end of line.

    A line that is longer than `LONGEST_LINE` is the last block, as far as it was read: see
    `too_long`."""
    rest: list[bytes] = []
    waiting = 0
    while data := file.read(_upto_line_end(file, block_bytes)):
        # CR ends a line, too; the last byte may be the first half of CRLF.
        cut = data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
        if not cut:
            rest.append(data)
            waiting += len(data)
            if waiting > LONGEST_LINE:
                break
            continue
        yield b"".join((*rest, data[:cut])) if rest else data[:cut]
        rest, waiting = [data[cut:]] if cut < len(data) else [], len(data) - cut
    if rest:
        whole = b"".join(rest)
        rest.clear()
        yield whole


class Ending:
    """The last lines of a file of text that is read in blocks: was it cut off?"""

    def __init__(self) -> None:
        self._bytes = b""

    def watch(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the same blocks."""
        for data in blocks:
            self._bytes = (self._bytes + data[-_ENDING:])[-_ENDING:]
            yield data

    def warn(self, name: str, tagged: bool = False, even: bool = False) -> None:
        """Warn if the last line has no end and ends with a number of several digits, or of one
        digit and a point.

        `tagged`: lines end with a tag. If the last two end with the same one, nothing is missing.
        `even`: numbers at the end of lines have the same number of decimal places, so that one
        with fewer than all before it is cut off.

        Warns
        -----
        CutWarning
        """
        lines = self._bytes.splitlines(keepends=True)
        if not lines or not (
            _NUMBER_AT_END.search(lines[-1]) or (even and _is_shorter(lines[-1], lines[1:-1]))
        ):
            return
        tags = [line.split()[-1:] for line in lines[-2:]]
        if not (tagged and len(tags) == 2 and tags[0] == tags[1]):
            warn_user(
                "the last line has no end and ends with a number: was the file cut off?",
                CutWarning,
                path=name,
            )


_ENDING = 1 << 12  # bytes at the end of a file that are looked at
# A number of several digits, or of one and a point, alone or in quotation marks, at the end of a
# line without an end.
_NUMBER_AT_END = re.compile(rb"(?:^|[\s,;])\"?[+-]?(?=[^\s,;]*[0-9][^\s,;]*[0-9.])[0-9.eE+-]+\Z")
_DIGIT_AT_END = re.compile(rb"[\s,;]\"?[+-]?[0-9]\Z")
_DECIMALS_AT_END = re.compile(rb"[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?\"?\s*\Z")


def _is_shorter(last: bytes, before: Sequence[bytes]) -> bool:
    """Test whether a line ends with one digit, and all lines before it with decimal places."""
    return bool(_DIGIT_AT_END.search(last) and before and all(map(_DECIMALS_AT_END.search, before)))


def too_long(block: bytes) -> bool:
    """Test whether a block begins with a line that is longer than any line of a file of lines."""
    end = LONGEST_LINE + 1
    return len(block) >= end and block.find(b"\n", 0, end) < 0 and block.find(b"\r", 0, end) < 0


def _upto_line_end(file: IO[bytes], size: int) -> int:
    """Count up to `size` bytes, up to the end of a line if one is easy to find: then nothing need
    be copied.
    """
    if not (hasattr(os, "pread") and _is_regular(file)):
        return size
    here = file.tell()
    near = min(size, 1 << 12)
    return (
        size - near + (os.pread(file.fileno(), near, here + size - near).rfind(b"\n") + 1 or near)
    )
