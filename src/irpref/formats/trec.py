"""Runs and judgments in TREC format, as tables.

    run    query_id  Q0  doc_id  rank  score  tag
    qrels  query_id  iteration  doc_id  relevance
           query_id  doc_id  relevance

Fields are separated by white space (spaces, tabs, any number of them), lines by LF, CRLF or CR. Blank lines
and lines that begin with `#` hold nothing, as for trec_eval 10. Everything else is data: a line that does not
have the form above is an error with file, line number and text; nothing is skipped. Ids are text (`007` stays
`007`; quotes are ordinary characters; UTF-8). Ranks are not read.

Left open by the format, decided here:

* *A tag with blanks.* trec_eval ignores what follows the tag. So do we, unless the line could as well be one
  with a blank in the document id (its fourth field is no whole number, or its sixth is a number): then the
  score would be taken from the wrong place, and the line is an error.
* *Which qrels.* The first line decides between three and four fields. The header of BEIR's files is known.
* *Byte order marks.* One at the beginning of a line belongs to none of its fields: files of Windows that were put
  together have several.
* *Numbers.* What Python's `float` takes, without `_`. NaN and infinity are passed on: whoever evaluates the
  table rejects them with topic and document.

How it is read: polars parses delimited text several times faster than Python, but forgives what we must not:
lines that are too long pass unnoticed when only some columns are asked for. So the file is cut into blocks of
whole lines; others parse the next ones, and NumPy looks at the white space of each: as many separators as there
should be, all alike, none beside another. A block that fails is normalised and parsed again; a block that polars
still cannot take is parsed line by line in Python, which reads it or says which line is wrong.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import select
import signal
import stat
import sys
import tempfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, repeat, starmap
from operator import itemgetter
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, TypeVar

from irpref.arrays.record import Record
from irpref.formats import texts
from irpref.formats.columns import Table, objects
from irpref.formats.texts import Lines

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import polars as pl

T = TypeVar("T")
PathLike = str | os.PathLike[str] | IO[bytes]
# Rows of some topics of a run (polars frame or `Lines`), whole and one after the other; these topics; their lengths.
TopicBlock = tuple[Any, list[str], list[int]]

BLOCK_BYTES = 4 << 20  # several in flight: bytes and tables stay small however long the file is
PACKED_BYTES = 1 << 18  # of a packed file that are unpacked at a time
PACKED_RATIO = 5  # of the text of a run to its packed bytes, about
WHOLE_BYTES = 2 << 20  # of a packed file that is unpacked at once
LARGEST_RATIO = 32  # of its text, which for runs is about a fifth of that
AHEAD = 3  # blocks that are being read or parsed, or wait for the caller
CHECK_BYTES = 1 << 19  # white space is looked at in pieces whose arrays fit the cache
SHOWN = 200  # characters of a malformed line in its message
_WHITE = bytes.maketrans(b"\t\x0b\x0c\r", b"    ")
# Known by their first bytes, which no text begins with, to be named.
_OTHERS: dict[str, bytes | tuple[bytes, ...]] = {
    "bzip2": tuple(b"BZh%d1AY&SY" % size for size in range(1, 10)),
    "xz": b"\xfd7zXZ\x00",
    "zip": b"PK\x03\x04",
    "7-Zip": b"7z\xbc\xaf\x27\x1c",
}
_BEIR = [b"query-id", b"corpus-id", b"score"]


class Form(Record):
    """A form of line: number of fields, and which of them are the columns of the table."""

    what: str
    n: int
    columns: dict[str, int]
    number: str

    @property
    def expected(self) -> str:
        """The line in words."""
        if self is RANKS:
            return "query_id doc_id rank"
        return {
            6: "query_id Q0 doc_id rank score tag",
            4: "query_id iteration doc_id relevance",
            3: "query_id doc_id relevance",
        }[self.n]


RUN = Form("run", 6, {"query_id": 0, "doc_id": 2, "score": 4}, "score")
QRELS = Form("qrels", 4, {"query_id": 0, "doc_id": 2, "relevance": 3, "iteration": 1}, "relevance")
QRELS_3 = Form("qrels", 3, {"query_id": 0, "doc_id": 1, "relevance": 2}, "relevance")

RANKS = Form("run", 3, {"query_id": 0, "doc_id": 1, "rank": 2}, "rank")


class NotPlainError(ValueError):
    """Lines that `plain_lines` leaves to others: the file is to be read again by `frames`."""


class TopicReturnsError(ValueError):
    """A run that was read topic by topic has rows of a topic in two places."""


class _Malformed(Exception):
    """A line of a block: its number in the block from 0, what is wrong, its text."""

    def __init__(self, line: int, why: str, text: bytes) -> None:
        super().__init__(line, why, text)
        self.line, self.why, self.text = line, why, text


# Tables -------------------------------------------------------------------------------------------------------


def run_table(path: PathLike | Source) -> pl.DataFrame:
    """`read_run` as a polars frame: `query_id`, `doc_id`, `score`."""
    return _joined(frames(_source(path), RUN), RUN)


def qrels_table(path: PathLike | Source) -> pl.DataFrame:
    """`read_qrels` as a polars frame: `query_id`, `doc_id`, `relevance`, `iteration`."""
    import polars as pl

    # All iterations mostly are the same: one word instead of a column.
    parts: list[pl.DataFrame] = []
    words: list[str | None] = []
    for part in frames(_source(path), QRELS):
        word: str | None = "0"
        if "iteration" in part.columns:
            column = part["iteration"]
            word = column[0] if (column == column[0]).all() else None
            part = part if word is None else part.drop("iteration")
        parts.append(part)
        words.append(word)
    if len(set(words)) == 1 and words[0] is not None:
        return whole_grades(_joined(parts, QRELS)).with_columns(iteration=pl.lit(words[0]))
    parts = [p if w is None else p.with_columns(iteration=pl.lit(w)) for p, w in zip(parts, words, strict=True)]
    return whole_grades(_joined(parts, QRELS))


def ranks_table(path: PathLike | Source) -> pl.DataFrame:
    """A run of MS MARCO's three columns, which hold ranks: `query_id`, `doc_id`, and as `score` the negative rank."""
    import numpy as np
    import polars as pl

    source = _source(path)
    table = _joined(frames(source, RANKS), RANKS)
    rank = table["rank"].to_numpy()
    bad = np.flatnonzero(~((rank == np.rint(rank)) & (rank >= 0) & (rank < 2**53)))
    if bad.size:
        topic, doc, found = table.row(int(bad[0]))
        raise ValueError(
            f"{source.name}: the rank of topic {topic!r}, document {doc!r} is {found:g}, expected a whole number "
            "(the third column of MS MARCO's runs holds ranks, not scores)"
        )
    return table.select("query_id", "doc_id", score=-pl.col("rank"))


PACKED = (".gz", ".zst", ".zstd")
# Below this size Python has parsed the file before polars is imported.
SMALL_BYTES = 6 << 20


def run_columns(path: PathLike | Source) -> pl.DataFrame | Table:
    """A run: lists where the file is small and polars is not needed for anything else, else a polars frame."""
    source = _source(path)
    return small_run(source) if source.is_small() else run_table(source)


def qrels_columns(path: PathLike | Source) -> pl.DataFrame | Table:
    """Judgments, as `run_columns`."""
    source = _source(path)
    return _small(source, QRELS) if source.is_small() else qrels_table(source)


def small_run(source: Source) -> Table:
    """A run parsed without polars."""
    return _small(source, RUN)


def _source(path: PathLike | Source) -> Source:
    return path if isinstance(path, Source) else Source(path)


def _small(source: Source, form: Form) -> Table:
    with source.open() as file:
        data = _text(file.read())
    skipped = 0
    if form is QRELS:
        found, data, skipped = _form_of(data)
        form = found or form
    with _located(source.name, skipped):
        fields = _plain(data, form) or _split(data, form) or parse_lines(data, form)[0]
    import numpy as np

    value = np.array(fields[form.number], dtype=np.float64)
    if form.what == "run":
        return Table(fields["query_id"], fields["doc_id"], value, {}, ("query_id", "doc_id", "score"), once=True)
    columns = {"iteration": objects(fields.get("iteration") or ["0"] * value.size)}
    names = ("query_id", "doc_id", "relevance", "iteration")
    return Table(fields["query_id"], fields["doc_id"], value, columns, names, once=True)


def columns_of(source: Source, form: Form) -> dict[str, list[Any]] | dict[str, pl.Series]:
    """The columns of a file of another form than those of runs and qrels. Raises as `read_run`."""
    if source.is_small():
        with source.open() as file:
            data = _text(file.read())
        with _located(source.name, 0):
            return _plain(data, form) or _split(data, form) or parse_lines(data, form)[0]
    table = _joined(frames(source, form), form)
    return {name: table[name] for name in form.columns}


def lines_of(source: Source) -> Iterator[tuple[int, bytes]]:
    """Lines that hold something, with their numbers from 1."""
    with source.open() as file:
        number = 0
        for block in blocks_of(file, BLOCK_BYTES):
            for line in _text(block).removesuffix(b"\n").split(b"\n"):
                number += 1
                if line.split() and not line.split()[0].startswith(b"#"):
                    yield number, line


def _plain(data: bytes, form: Form) -> dict[str, list[Any]] | None:
    """Columns of lines that hold nothing unusual, else None."""
    number = form.columns.get(form.number)
    out: dict[str, list[Any]] = {}
    for name in (name for name in form.columns if name not in ("query_id", form.number)):
        found = texts.plain_lines(data, form.n, form.columns[name], number)
        if found is None:
            return None
        out[name] = found.texts.to_list()
        out["query_id"] = list(chain.from_iterable(map(repeat, found.names, found.lengths.tolist())))
        if number is not None:
            out[form.number] = found.number.tolist()
    return out


def _split(data: bytes, form: Form) -> dict[str, list[Any]] | None:
    """Columns of well-formed lines; None where there is a doubt."""
    for plain, separator in _readings(data, form.n):
        if _gaps(plain) is None or not _is_even(plain, form.n, separator):
            continue
        try:
            text = plain.decode("utf-8")
            fields = text[:-1].replace("\n", separator.decode()).split(separator.decode())
            return {
                name: as_floats(fields[i :: form.n]) if name == form.number else fields[i :: form.n]
                for name, i in form.columns.items()
            }
        except ValueError:
            return None
    return None


def _is_even(data: bytes, n: int, separator: bytes) -> bool:
    """Whether each line has `n` fields, and their gaps are separators."""
    import numpy as np

    text = np.frombuffer(data, np.uint8)
    gaps = text[text <= 32]
    return gaps.size % n == 0 and bool(
        (gaps.reshape(-1, n) == np.frombuffer(separator * (n - 1) + b"\n", np.uint8)).all()
    )


def _joined(parts: Iterable[pl.DataFrame], form: Form) -> pl.DataFrame:
    import polars as pl

    found = list(parts)
    if not found:
        names = [name for name in form.columns]
        return pl.DataFrame(schema={n: pl.Float64 if n == form.number else pl.String for n in names})
    return _together(found)


def whole_grades(table: pl.DataFrame) -> pl.DataFrame:
    """Judgments with grades as integers, if all are whole numbers."""
    import polars as pl

    from irpref.arrays.segments import all_whole

    if all(all_whole(part.to_numpy()) for part in table["relevance"].get_chunks()):
        table = table.with_columns(pl.col("relevance").cast(pl.Int64))
    return table


def topic_blocks(source: Source, block_bytes: int = BLOCK_BYTES) -> Iterator[TopicBlock]:
    """Read a run whose topics each stand in one place, some whole topics at a time.

    Memory is that of a few blocks and of the longest topic, however many topics the file has.

    Parameters
    ----------
    source : Source
    block_bytes : int
        Bytes read at a time, after decompression.

    Yields
    ------
    TopicBlock
        Columns `query_id`, `doc_id`, `score`, all rows of each of its topics; these topics, and their lengths.

    Raises
    ------
    TopicReturnsError
        Rows of a topic follow after those of another: what was yielded is not the whole of that topic. Read the
        file again with `run_table` (a `Source` that was told to `keep` standard input can be read again).
    ValueError, OSError
        As `read_run`.
    """
    return whole_topics(frames(source, RUN, block_bytes), source.name)


def plain_topic_blocks(source: Source, block_bytes: int = BLOCK_BYTES) -> Iterator[TopicBlock]:
    """As `topic_blocks`, with `Lines` for frames. Raises `NotPlainError`, too."""
    return whole_topics(plain_blocks(source, RUN, block_bytes), source.name)


def whole_topics(frames: Iterator[Any], name: str) -> Iterator[TopicBlock]:
    """Frames or `Lines` that follow each other, cut between topics. Raises `TopicReturnsError`."""
    done: set[str] = set()
    pending: list[Any] = []
    waiting: dict[str, int] = {}  # rows of the topics of `pending`, the last of which may go on
    for frame, is_last in _and_last(frames):
        begins, names = _stretches(frame)
        for topic, start, stop in zip(names, begins, [*begins[1:], len(frame)], strict=True):
            if start == 0 and waiting and topic == next(reversed(waiting)):
                waiting[topic] += stop
                continue
            if topic in done:
                raise TopicReturnsError(f"{name}: topic {topic!r} stands in more than one place")
            done.add(topic)
            waiting[topic] = stop - start
        if is_last or (len(names) == 1 and len(waiting) == 1):
            pending.append(frame)
            continue
        last = names[-1]
        if begins[-1]:
            pending.append(frame[: begins[-1]])
        rows = waiting.pop(last)
        yield _together(pending), list(waiting), list(waiting.values())
        pending, waiting = [frame[begins[-1] :]], {last: rows}
    if pending:
        yield _together(pending), list(waiting), list(waiting.values())


def _stretches(frame: pl.DataFrame | Lines) -> tuple[list[int], list[str]]:
    """First row and topic of each stretch of rows of one topic."""
    if isinstance(frame, Lines):
        return frame.begins.tolist(), frame.names
    topics = frame["query_id"]
    rows = changes(topics)
    return rows.tolist(), topics[rows].to_list()


def _together(frames: Sequence[Any]) -> Any:
    if len(frames) == 1:
        return frames[0]
    if isinstance(frames[0], Lines):
        return Lines.joined(frames)
    import polars as pl

    return pl.concat(frames, rechunk=False)


def changes(column: pl.Series) -> Any:
    """Rows that differ from the row before, the first included: int array. No value is missing."""
    import numpy as np

    # Polars goes a longer way for `ne_missing` and `arg_true`.
    return np.append(0, np.flatnonzero((column[1:] != column[:-1]).to_numpy()) + 1)


def _and_last(items: Iterator[T]) -> Iterator[tuple[T, bool]]:
    """Each item, and whether it is the last."""
    waiting = next(items, None)
    for item in items:
        assert waiting is not None
        yield waiting, False
        waiting = item
    if waiting is not None:
        yield waiting, True


# Bytes --------------------------------------------------------------------------------------------------------


class Source:
    """A file, `-` or an open binary file: its name for messages, and its decompressed bytes.

    Parameters
    ----------
    path : path, `-`, or binary file
    keep : bool
        Whether what cannot be read twice (standard input, a pipe) is spooled to a temporary file, so that
        it can be opened again.
    """

    def __init__(self, path: PathLike, keep: bool = False) -> None:
        self.path = path
        self.keep = keep
        self.alone = False  # whether it is parsed by whoever asks, since others read other files meanwhile
        self._spool: _Spool | None = None
        if isinstance(path, (str, os.PathLike)):
            self.name = "<stdin>" if os.fspath(path) == "-" else os.fspath(path)
        else:
            self.name = str(getattr(path, "name", "<file>"))

    def is_file(self) -> bool:
        """Whether it is a file of the disk, which can be read without waiting for anybody."""
        return not self._again() and os.path.isfile(self.path)  # type: ignore[arg-type]

    def is_short(self, size: int) -> bool:
        """Whether a file of the disk has at most so many bytes, about, once it is unpacked."""
        packed = self.name.lower().endswith(PACKED)
        return self.is_file() and os.path.getsize(self.name) * (PACKED_RATIO if packed else 1) <= size

    def is_small(self) -> bool:
        """Whether it is read fast enough without polars, and polars is not there already."""
        if "polars" in sys.modules or not isinstance(self.path, (str, os.PathLike)) or self.name == "<stdin>":
            return False
        with suppress(OSError):
            if os.path.isfile(self.path):
                packed = self.name.lower().endswith(PACKED)
                return os.path.getsize(self.path) <= (SMALL_BYTES // 4 if packed else SMALL_BYTES)
        return False

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes from the beginning."""
        if not self.is_file() and hasattr(signal, "siginterrupt"):
            # Polars has its own handler of Ctrl-C, which lets a read that waits for a pipe go on waiting.
            signal.siginterrupt(signal.SIGINT, True)
        try:
            if not self._again():
                with open(self.path, "rb", buffering=0) as file:  # type: ignore[arg-type]
                    yield _decompressed(file, self.name)
            else:
                yield _decompressed(self._stream(), self.name)
        except Exception as error:
            # By name: the package of zstd is imported where a file needs it.
            if isinstance(error, (EOFError, zlib.error, gzip.BadGzipFile)) or type(error).__name__ == "ZstdError":
                raise ValueError(f"{self.name}: the compressed data is damaged: {error}") from None
            raise

    def _again(self) -> bool:
        """Whether the bytes come from something that cannot simply be opened once more."""
        if not isinstance(self.path, (str, os.PathLike)) or self.name == "<stdin>":
            return True
        return self.keep and os.path.exists(self.path) and not os.path.isfile(self.path)  # a pipe with a name

    def _stream(self) -> Any:
        if self._spool is not None:
            self._spool.rewind()
            return self._spool
        stream: Any = self.path
        if self.name == "<stdin>":
            if sys.stdin is None:
                raise ValueError("<stdin>: standard input is closed")
            stream = sys.stdin.buffer
        elif isinstance(self.path, (str, os.PathLike)):
            stream = open(self.path, "rb", buffering=0)  # noqa: SIM115  # read to its end by the spool
        if isinstance(stream, io.TextIOBase):
            raise TypeError(f"{self.name} is open as text, expected a path or a binary file: open it with mode 'rb'")
        if not hasattr(stream, "read"):
            raise TypeError(f"expected a path or a binary file, got {type(self.path).__name__}")
        if not (isinstance(stream, io.FileIO) and stat.S_ISREG(os.fstat(stream.fileno()).st_mode)):
            stream = _Patient(stream, self.name)
        if self.keep:
            stream = self._spool = _Spool(stream)
        return stream


class _Patient:
    """A stream whose end is its end: one that has nothing yet (`read` returns None) is waited for."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream, self.name = stream, name

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            parts = []
            while part := self.read(1 << 20):
                parts.append(part)
            return b"".join(parts)
        while (data := self._stream.read(size)) is None:
            try:
                select.select([self._stream], [], [])
            except (OSError, TypeError, ValueError):  # nothing that can be waited for
                raise ValueError(
                    f"{self.name}: the stream has no data yet and cannot be waited for: read it where it blocks"
                ) from None
        return data


class _Spool:
    """A stream that can be read again: what was read once comes from a temporary file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the spool
        self._replaying = False

    def __del__(self) -> None:
        self._file.close()

    def rewind(self) -> None:
        self._file.seek(0)
        self._replaying = True

    def read(self, size: int = -1) -> bytes:
        if self._replaying:
            data = self._file.read(size)
            if data and size >= 0:
                return data
            self._replaying = False
        else:
            data = b""
        fresh = self._stream.read(size)
        self._file.write(fresh)
        return data + fresh


class _Reader(io.RawIOBase):
    """A stream with its first bytes put back."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            head = self._head if size < 0 else self._head[:size]
            self._head = self._head[len(head) :]
            return head + (self._stream.read() if size < 0 else b"")
        return self._stream.read(size)

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _decompressed(stream: Any, name: str) -> IO[bytes]:
    head = b""
    while len(head) < 10 and (more := stream.read(10 - len(head))):
        head += more
    whole: Any = _put_back(head, stream)
    if head[:2] == b"\x1f\x8b":
        if whole is stream and os.fstat(stream.fileno()).st_size <= WHOLE_BYTES:
            packed = stream.read()
            data = _unpacked(packed)
            if data is not None:
                return io.BytesIO(data)
            whole.seek(0)
        return _Gunzip(whole)  # type: ignore[return-value]
    if head[:4] == b"\x28\xb5\x2f\xfd" or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):  # or one to skip
        return _zstd(whole)
    for packed, begin in _OTHERS.items():
        if head.startswith(begin):
            raise ValueError(f"{name} is a file of {packed}, expected plain text, gzip or zstd: unpack it first")
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise ValueError(f"{name} is UTF-16 text, expected UTF-8: convert it with iconv -f UTF-16 -t UTF-8")
    if head[:3] == codecs.BOM_UTF8:
        whole.read(3)
    return whole


def _unpacked(packed: bytes) -> bytes | None:
    """The data of a gzip file of one member, all at once; None where it is not that simple: `_Gunzip` knows."""
    size = int.from_bytes(packed[-4:], "little")  # of the member, unless others follow
    if size > LARGEST_RATIO * len(packed):
        return None
    member = zlib.decompressobj(wbits=31)
    try:
        data = member.decompress(packed, 1)
        # Into one piece of memory, which is asked for once.
        data += member.flush(size or 1)
    except zlib.error:
        return None
    return data if member.eof and not member.unused_data else None


class _Gunzip:
    """The data of a gzip file of any number of members, checked as `gzip.GzipFile` does.

    That one unpacks a few kilobytes at a time, and takes the interpreter from others each time.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._member: Any = None
        self._waiting = b""  # packed bytes that were read

    def read(self, size: int = -1) -> bytes:
        parts: list[bytes] = []
        left = size
        while left and (part := self._some(max(left, 0) or PACKED_BYTES * 8)):
            parts.append(part)
            left -= len(part) if size > 0 else 0
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _some(self, size: int) -> bytes:
        """At most so many bytes; none at the end."""
        while True:
            if (self._member is None or self._member.eof) and not self._begin():
                return b""
            packed = self._member.unconsumed_tail or self._waiting or self._stream.read(PACKED_BYTES)
            self._waiting = b""
            data: bytes = self._member.decompress(packed, size)
            if data:
                return data
            if not packed:
                raise EOFError("the file ends before its compressed data does")

    def _begin(self) -> bool:
        """Whether there is another member, which is begun."""
        if self._member is not None:
            # Members may be followed by zeros.
            self._waiting = self._member.unused_data.lstrip(b"\0")
        while len(self._waiting) < 2 and (more := self._stream.read(PACKED_BYTES)):
            self._waiting = (self._waiting + more).lstrip(b"\0")
        if not self._waiting:
            return False
        if self._waiting[:2] != b"\x1f\x8b":
            raise gzip.BadGzipFile(f"what follows the compressed data is none ({self._waiting[:2]!r})")
        self._member = zlib.decompressobj(wbits=31)
        return True


def _put_back(head: bytes, stream: Any) -> Any:
    if isinstance(stream, io.FileIO) and stream.seekable():
        stream.seek(-len(head), os.SEEK_CUR)
        return stream
    return _Reader(head, stream)


def _zstd(stream: Any) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    widest = {int(zstd.DecompressionParameter.window_log_max): 31}  # as `zstd --long=31` writes
    return zstd.ZstdFile(stream, options=widest)  # type: ignore[return-value,unused-ignore]


def blocks_of(file: IO[bytes], block_bytes: int) -> Iterator[bytes]:
    """The bytes in blocks of whole lines, the last of which may lack its end of line."""
    rest: list[bytes] = []
    while data := file.read(_upto_line_end(file, block_bytes)):
        cut = data.rfind(b"\n") + 1
        if not cut:
            rest.append(data)
            continue
        yield b"".join((*rest, data[:cut])) if rest else data[:cut]
        rest = [data[cut:]] if cut < len(data) else []
    if rest:
        yield b"".join(rest)


def _upto_line_end(file: IO[bytes], size: int) -> int:
    """Up to `size` bytes, so many that a line ends there if that is easy to see: then nothing need be copied."""
    if not (isinstance(file, io.FileIO) and hasattr(os, "pread") and stat.S_ISREG(os.fstat(file.fileno()).st_mode)):
        return size
    here = file.tell()
    near = min(size, 1 << 12)
    return size - near + (os.pread(file.fileno(), near, here + size - near).rfind(b"\n") + 1 or near)


def _text(data: bytes) -> bytes:
    """Whole lines separated by LF alone, without byte order marks at their beginning."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.isascii() and codecs.BOM_UTF8 in data:
        data = re.sub(rb"(?m)^(?:\xef\xbb\xbf)+", b"", data)  # files of Windows put together, each with its own
    return data


def _form_of(data: bytes) -> tuple[Form | None, bytes, int]:
    """Which form of qrels these first lines have, the lines left to parse, and how many were passed over.

    None if all of them are blank or comments.
    """
    at = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split()
        at += len(line) + 1
        if not fields or fields[0].startswith(b"#"):
            continue
        if fields == _BEIR:
            return QRELS_3, data[at:], number
        return (QRELS_3 if len(fields) == 3 else QRELS), data, 0
    return None, data, 0


@contextmanager
def _located(name: str, lines: int) -> Iterator[None]:
    """Turn a malformed line of a block into the error that users see."""
    try:
        yield
    except _Malformed as error:
        raise ValueError(f"{name}, line {lines + error.line + 1}: {error.why}: {shown(error.text)!r}") from None


def shown(line: bytes) -> str:
    """A line as it stands in a message."""
    text = line.decode("utf-8", "backslashreplace")
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


# Blocks to frames ---------------------------------------------------------------------------------------------


class Parsed(Record):
    """A block of whole lines, and what polars makes of it: whether that is what the lines say is not known yet."""

    data: bytes
    form: Form
    skipped: int  # lines before it that hold nothing
    plain: bytes  # the lines as they were parsed
    table: pl.DataFrame | None
    readings: Iterator[tuple[bytes, bytes]]  # how else they could be parsed


def frames(source: Source, form: Form, block_bytes: int = BLOCK_BYTES) -> Iterator[pl.DataFrame]:
    """Frames of the blocks of a file, in order; the next are parsed while the caller works on one."""
    import polars  # noqa: F401  # before the threads need it

    lines = 0
    with source.open() as file:
        for parsed in _each_block(source, _formed(blocks_of(file, block_bytes), form), _parsed, block_bytes):
            lines += parsed.skipped
            with _located(source.name, lines):
                frame, number = _checked(parsed)
            lines += number
            if frame is not None:
                yield frame


def plain_blocks(source: Source, form: Form, block_bytes: int = BLOCK_BYTES) -> Iterator[Lines]:
    """As `frames`, of lines that hold nothing unusual. Raises `NotPlainError` once some do: then read it again."""
    if not texts.compiled or not (source.keep or source.is_file()):
        raise NotPlainError(source.name)
    _, text, number = itemgetter("query_id", "doc_id", form.number)(form.columns)

    def lines(data: bytes) -> Lines:
        found = texts.plain_lines(data, form.n, text, number)
        if found is None:
            raise NotPlainError(source.name)
        return found

    with source.open() as file:
        yield from _each_block(source, ((data,) for data in blocks_of(file, block_bytes)), lines, block_bytes)


def _each_block(
    source: Source, blocks: Iterator[tuple[Any, ...]], parse: Callable[..., T], block_bytes: int
) -> Iterator[T]:
    """The blocks parsed, in order; where there are several, by others, ahead of the caller."""
    if source.alone or source.is_short(block_bytes):
        yield from starmap(parse, blocks)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as workers:
        yield from _ahead(blocks, parse, workers, source.is_file())


def _ahead(blocks: Iterator[tuple[Any, ...]], parse: Callable[..., T], workers: Executor, on_disk: bool) -> Iterator[T]:
    """The blocks, parsed by others, in their order."""
    numbered = enumerate(blocks)
    reading = Lock()
    running: deque[Any] = deque()
    ready: dict[int, T] = {}

    def following() -> tuple[int, T] | None:
        # Who comes first to the lock reads first, whoever was asked first.
        with reading:
            number, block = next(numbered, (0, None))
        return None if block is None else (number, parse(*block))

    def this(number: int, block: tuple[Any, ...]) -> tuple[int, T]:
        return number, parse(*block)

    def submit() -> None:
        # Decompressing is left to the others, too. A pipe is not: who waits for it there cannot be interrupted.
        if on_disk:
            running.append(workers.submit(following))
        elif (block := next(numbered, None)) is not None:
            running.append(workers.submit(this, *block))

    for _ in range(AHEAD):
        submit()
    turn = 0
    while running:
        found = running.popleft().result()
        if found is not None:
            ready[found[0]] = found[1]
            submit()
        while turn in ready:
            yield ready.pop(turn)
            turn += 1


def _formed(blocks: Iterator[bytes], form: Form) -> Iterator[tuple[bytes, Form, int]]:
    """Blocks, their form, and how many lines before each hold nothing."""
    decided = form is not QRELS
    for data in blocks:
        skipped = 0
        if not decided:
            found, data, skipped = _form_of(_text(data))
            form, decided = found or form, found is not None
        yield data, form, skipped


def _parsed(data: bytes, form: Form, skipped: int) -> Parsed:
    # One long call of polars, and little else: the caller has the interpreter to itself.
    readings = _readings(data, form.n)
    plain, separator = next(readings)
    return Parsed(data, form, skipped, plain, _parse_csv(plain, form, separator), readings)


def _checked(block: Parsed) -> tuple[pl.DataFrame | None, int]:
    """A block as a frame (None without data), and its number of lines. Raises `_Malformed`."""
    import polars as pl

    data, form, plain, table, readings = block.data, block.form, block.plain, block.table, block.readings
    while not _is_sound(table, plain, form):
        try:
            plain, separator = next(readings)
        except StopIteration:
            fields, n_lines = parse_lines(data, form)
            if not fields["query_id"]:
                return None, n_lines
            types = {name: pl.Float64 if name == form.number else pl.String for name in form.columns}
            return pl.DataFrame(fields, schema=types), n_lines
        table = _parse_csv(plain, form, separator)
    assert table is not None
    return table[list(form.columns)], table.height if len(plain) == len(data) else _n_lines(data)


def _is_sound(table: pl.DataFrame | None, plain: bytes, form: Form) -> bool:
    """Whether a table holds what the lines say."""
    # Polars takes a byte order mark away, which is one at the beginning of a file only.
    if table is None or _gaps(plain) != table.height * form.n or plain.startswith(codecs.BOM_UTF8):
        return False
    # No last field is missing, so no line has fewer separators than it should; then, by their number on the whole,
    # none has more, and there is no other white space.
    return not any(column.null_count() for column in table.get_columns()) and _is_utf8(plain)


def _n_lines(data: bytes) -> int:
    text = _text(data)
    return text.count(b"\n") + (not text.endswith(b"\n"))


def _readings(data: bytes, n: int) -> Iterator[tuple[bytes, bytes]]:
    """Lines as they are, if the first is well-formed, then with normal white space: bytes, and the separator."""
    data = _text(data)
    if not data.endswith(b"\n"):
        data += b"\n"
    first = data[: data.find(b"\n")]
    separator = b"\t" if b"\t" in first else b" "
    if first.count(separator) == n - 1 == len(first.split()) - 1:
        yield data, separator
    yield _normalised(data), b" "


def _gaps(data: bytes) -> int | None:
    """Number of white-space and control characters, none of them beside another; None if any are, or at a comment."""
    import numpy as np

    text = np.frombuffer(data, np.uint8)
    if not text.size or text[0] <= 32 or data.startswith(b"#") or (b"#" in data and b"\n#" in data):
        return None
    number = 0
    for start in range(0, text.size, CHECK_BYTES):
        low = text[start : start + CHECK_BYTES + 1] <= 32  # with the first of the next piece, which may be a neighbour
        if (low[1:] & low[:-1]).any():  # an empty field or line
            return None
        number += int(np.count_nonzero(low[:CHECK_BYTES]))
    return number


def _normalised(data: bytes) -> bytes:
    """The same lines with one blank between fields, none around them, and without blank lines and comments."""
    import numpy as np

    text = np.frombuffer(data.translate(_WHITE), np.uint8).copy()
    at = np.flatnonzero((text == 32) | (text == 10))
    opens = np.ones(at.size, bool)  # where a stretch of white space begins
    opens[1:] = np.diff(at) > 1
    begins = np.flatnonzero(opens)
    ends_line = np.logical_or.reduceat(text[at] == 10, begins)
    text[at[begins]] = np.where(ends_line, 10, 32)
    keep = np.ones(text.size, bool)
    keep[at[~opens]] = False
    keep[0] &= at[0] != 0
    plain = text[keep].tobytes()
    if plain.startswith(b"#") or b"\n#" in plain:
        plain = re.sub(rb"(?m)^#.*\n", b"", plain)
    return plain


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _parse_csv(data: bytes, form: Form, separator: bytes) -> pl.DataFrame | None:
    """Polars' reading of some lines: the columns of the form, and the last; None where it has doubts.

    A line that is too short has nothing in the last column.
    """
    import polars as pl

    wanted = {field: name for name, field in form.columns.items()}
    schema = {
        wanted.get(i, f"field {i}"): pl.Float64 if wanted.get(i) == form.number else pl.String for i in range(form.n)
    }
    try:
        return pl.read_csv(
            data,
            has_header=False,
            separator=separator.decode(),
            quote_char=None,
            schema=schema,
            columns=sorted({*wanted, form.n - 1}),
        )
    except (pl.exceptions.PolarsError, OSError):  # OSError: a topic that begins like compressed data
        return None


# Lines --------------------------------------------------------------------------------------------------------


def parse_lines(data: bytes, form: Form) -> tuple[dict[str, list[Any]], int]:
    """The exact parser: columns of these lines, and how many lines there are. Raises `_Malformed`."""
    lines = _text(data).split(b"\n")
    if not lines[-1]:
        lines.pop()
    rows = [line.split() for line in lines]
    kept: Any = rows
    if not set(map(len, rows)) <= {form.n} or any(row[0][:1] == b"#" for row in rows):
        kept, numbers = [], []
        for number, row in enumerate(rows):
            if not row or row[0][:1] == b"#":
                continue
            if len(row) != form.n:
                why = _fields_wrong(row, form)
                if why:
                    parse_lines(b"\n".join(lines[:number]), form)  # an earlier line is told first
                    raise _Malformed(number, why, lines[number])
                row = row[: form.n]
            kept.append(row)
            numbers.append(number)
    else:
        numbers = range(len(rows))  # type: ignore[assignment]
    columns = list(zip(*kept, strict=True)) or [()] * form.n
    out: dict[str, list[Any]] = {}
    wrong: list[tuple[int, str]] = []
    for name, i in form.columns.items():
        try:
            texts = _texts(columns[i])
            out[name] = as_floats(texts) if name == form.number else texts
        except ValueError:
            wrong.append(_first_wrong(columns[i], name, form, numbers))
    if wrong:
        number, why = min(wrong)
        raise _Malformed(number, why, lines[number])
    return out, len(lines)


def _first_wrong(column: Sequence[bytes], name: str, form: Form, numbers: Sequence[int]) -> tuple[int, str]:
    """Line and reason of the first field of a column that cannot be read."""
    for number, field in zip(numbers, column, strict=True):
        try:
            text = _texts((field,))
            if name == form.number:
                as_floats(text)
        except ValueError:
            if name != form.number:
                return number, f"the {name} is not UTF-8"
            return number, f"the {name} {field.decode('utf-8', 'backslashreplace')!r} is no number"
    raise AssertionError("each field can be read, and the column cannot")


def _fields_wrong(row: list[bytes], form: Form) -> str | None:
    """What is wrong with a line of another number of fields; None for a run's tag with blanks in it."""
    why = f"{len(row)} field{'s' * (len(row) != 1)}, expected {form.n} ({form.expected})"
    if form is not RUN and len(row) == RUN.n and row[1] == b"Q0":
        return f"{why}; this looks like a run"
    if form is RUN and len(row) == QRELS.n and row[1] in (b"0", b"Q0"):
        return f"{why}; this looks like judgments"
    if form is RUN and len(row) == RANKS.n:
        return f"{why}; MS MARCO's three columns (query_id doc_id rank) are read as form 'msmarco' (--format msmarco)"
    if form is not RUN or len(row) < form.n or not re.fullmatch(rb"[+-]?[0-9]+", row[3]):
        return why
    try:
        as_floats(_texts((row[5],)))
    except ValueError:
        return None
    return why


def as_floats(fields: Sequence[str]) -> list[float]:
    """Fields as numbers. Raises `ValueError`."""
    # Python takes 1_000 and digits of other scripts for numbers; no tool of this field does.
    text = " ".join(fields)
    if "_" in text or not text.isascii():
        raise ValueError
    return list(map(float, fields))


def is_number(field: bytes) -> bool:
    """Whether a field is one number."""
    try:
        return bool(as_floats([field.decode("utf-8")]))
    except ValueError:
        return False


def _texts(fields: Iterable[bytes]) -> list[str]:
    joined = b"\n".join(fields)
    return joined.decode("utf-8").split("\n") if joined else []
