"""Runs and judgments in TREC format, as columns.

    run    query_id  Q0  doc_id  rank  score  tag
    qrels  query_id  iteration  doc_id  relevance
           query_id  doc_id  relevance

Fields are separated by white space (spaces, tabs, any number of them), lines by LF, CRLF or CR. Blank lines
and lines that begin with `#` hold nothing, as for trec_eval 10. Everything else is data: a line that does not
have the form above is an error with file, line number and text; nothing is skipped. Ids are text (`007` stays
`007`; quotes are ordinary characters; UTF-8). Ranks are not read. A line has at most 64 MB.

Left open by the format, decided here:

* *A tag with blanks.* trec_eval ignores what follows the tag. So do we, unless the line could as well be one
  with a blank in the document id (its fourth field is no whole number, or its sixth is a number): then the
  score would be taken from the wrong place, and the line is an error.
* *Which qrels.* The first line decides between three and four fields. The header of BEIR's files is known.
* *Byte order marks.* One at the beginning of a line belongs to none of its fields: files of Windows that were put
  together have several.
* *Numbers.* What Python's `float` takes, without `_`. NaN and infinity are passed on: whoever evaluates the
  table rejects them with topic and document.

How it is read: the file is cut into blocks of whole lines. Compiled code (`irpref.formats.texts`) takes a block whose
lines hold nothing unusual; without it, a block with one blank or tab between two fields is split at once. Every other
block goes through the exact parser (`parse_lines`), line by line, which reads it or says which line is wrong.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import starmap
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from irpref.arrays.record import Record
from irpref.formats import texts
from irpref.formats.columns import Coded, Table, as_list, changes, objects, take
from irpref.formats.source import LONGEST_LINE, Source, blocks_of, too_long
from irpref.formats.texts import Lines, Texts

T = TypeVar("T")
# Rows of some topics of a run, whole and one after the other; these topics; their lengths.
TopicBlock = tuple[Lines, list[str], list[int]]

BLOCK_BYTES = 4 << 20  # several in flight: bytes and tables stay small however long the file is
AHEAD = 3  # blocks that are being read or parsed, or wait for the caller
SHOWN = 200  # characters of a malformed line in its message
MOST_FIELDS = 64  # of a line that are looked at
CHECK_BYTES = 1 << 19  # of a line whose fields are counted at a time
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

    @property
    def texts(self) -> list[str]:
        """The columns that are neither the topic nor the number."""
        return [name for name in self.columns if name not in ("query_id", self.number)]


RUN = Form("run", 6, {"query_id": 0, "doc_id": 2, "score": 4}, "score")
QRELS = Form("qrels", 4, {"query_id": 0, "doc_id": 2, "relevance": 3, "iteration": 1}, "relevance")
QRELS_3 = Form("qrels", 3, {"query_id": 0, "doc_id": 1, "relevance": 2}, "relevance")

RANKS = Form("run", 3, {"query_id": 0, "doc_id": 1, "rank": 2}, "rank")


class TopicReturnsError(ValueError):
    """A run that was read topic by topic has rows of a topic in two places."""


class _Malformed(Exception):
    """A line of a block: its number in the block from 0, what is wrong, its text."""

    def __init__(self, line: int, why: str, text: bytes) -> None:
        super().__init__(line, why, text)
        self.line, self.why, self.text = line, why, text


# Tables -------------------------------------------------------------------------------------------------------


def run_table(source: Source) -> Table:
    """A run: `query_id`, `doc_id`, and scores."""
    return table_of(_whole(source, RUN))


def _whole(source: Source, form: Form) -> Lines:
    """All lines of a file."""
    short = source.is_short(BLOCK_BYTES)  # then its text is no burden
    parts = [part if short else part.compact() for part in blocks(source, form)]
    return Lines.joined(parts) if parts else lines_from([], None, {name: [] for name in form.texts})


def table_of(whole: Lines, names: Sequence[str] = ("query_id", "doc_id", "score")) -> Table:
    """Lines as a table."""
    topics = Coded(objects(whole.names), np.repeat(np.arange(len(whole.names)), whole.lengths))
    further = {name: column for name, column in whole.columns.items() if name != "doc_id"}
    return Table(topics, whole.docs, whole.number, further, names)


def qrels_table(source: Source) -> Table:
    """Judgments: `query_id`, `doc_id`, grades, and the column `iteration` (`0` where the file has none)."""
    table = table_of(_whole(source, QRELS), ("query_id", "doc_id", "relevance", "iteration"))
    return table.but(columns={"iteration": _words(table.columns.get("iteration", []), len(table))})


def _words(column: Texts | list[str], size: int) -> Any:
    """A column as an object array: of equal neighbours, which all iterations mostly are, each is there once."""
    if not len(column):
        return objects(["0"] * size)
    begins = changes(column)
    if begins.size * 4 > size:
        return objects(as_list(column))
    return np.repeat(objects(as_list(take(column, begins))), np.diff(np.append(begins, size)))


def ranks_table(source: Source) -> Table:
    """A run of MS MARCO's three columns, which hold ranks: `query_id`, `doc_id`, and as scores the negative ranks."""
    table = table_of(_whole(source, RANKS))
    rank = table.value
    bad = np.flatnonzero(~((rank == np.rint(rank)) & (rank >= 0) & (rank < 2**53)))
    if bad.size:
        topic, doc = (as_list(take(column, bad[:1]))[0] for column in (table.query_id, table.doc_id))
        raise ValueError(
            f"{source.name}: the rank of topic {topic!r}, document {doc!r} is {rank[bad[0]]:g}, expected a whole "
            "number (the third column of MS MARCO's runs holds ranks, not scores)"
        )
    return table.but(value=-rank)


def columns_of(source: Source, form: Form) -> dict[str, Any]:
    """The columns of a file of another form than those of runs and qrels, as lists. Raises as `read_run`."""
    whole = _whole(source, form)
    topics = np.repeat(objects(whole.names), whole.lengths).tolist()
    numbers = {form.number: whole.number.tolist()} if form.number in form.columns else {}
    return {"query_id": topics, **{name: as_list(column) for name, column in whole.columns.items()}, **numbers}


def lines_of(source: Source) -> Iterator[tuple[int, bytes]]:
    """Lines that hold something, with their numbers from 1."""
    with source.open() as file:
        number = 0
        for block in blocks_of(file, BLOCK_BYTES):
            if error := _too_long(block):
                with _located(source.name, number):
                    raise error
            for line in _text(block).removesuffix(b"\n").split(b"\n"):
                number += 1
                if (first := line.split(None, 1)) and not first[0].startswith(b"#"):
                    yield number, line


def whole_topics(parts: Iterator[Lines], name: str) -> Iterator[TopicBlock]:
    """Lines that follow each other, cut between topics: some whole topics at a time.

    Memory is that of a few blocks and of the longest topic, however many topics there are.

    Parameters
    ----------
    parts : iterator of Lines, none of them empty
    name : str
        Of the file.

    Yields
    ------
    TopicBlock
        All rows of each of its topics; these topics, and their lengths.

    Raises
    ------
    TopicReturnsError
        Rows of a topic follow after those of another: what was yielded is not the whole of that topic. Read the
        file again as a whole (a `Source` that was told to `keep` standard input can be read again).
    """
    done: set[str] = set()
    pending: list[Lines] = []
    waiting: dict[str, int] = {}  # rows of the topics of `pending`, the last of which may go on
    for part, is_last in _and_last(parts):
        begins, names = part.begins.tolist(), part.names
        for topic, start, stop in zip(names, begins, [*begins[1:], len(part)], strict=True):
            if start == 0 and waiting and topic == next(reversed(waiting)):
                waiting[topic] += stop
                continue
            if topic in done:
                raise TopicReturnsError(f"{name}: topic {topic!r} is in more than one place")
            done.add(topic)
            waiting[topic] = stop - start
        if is_last or (len(names) == 1 and len(waiting) == 1):
            pending.append(part)
            continue
        last = names[-1]
        if begins[-1]:
            pending.append(part[: begins[-1]])
        rows = waiting.pop(last)
        yield Lines.joined(pending), list(waiting), list(waiting.values())
        pending, waiting = [part[begins[-1] :]], {last: rows}
    if pending:
        yield Lines.joined(pending), list(waiting), list(waiting.values())


def _and_last(items: Iterator[T]) -> Iterator[tuple[T, bool]]:
    """Each item, and whether it is the last."""
    waiting = next(items, None)
    for item in items:
        assert waiting is not None
        yield waiting, False
        waiting = item
    if waiting is not None:
        yield waiting, True


# Blocks -------------------------------------------------------------------------------------------------------


def blocks(source: Source, form: Form, block_bytes: int = BLOCK_BYTES) -> Iterator[Lines]:
    """The rows of a file in order, some at a time, none of them empty; the next are read while the caller works.

    Parameters
    ----------
    source : Source
    form : Form
        `QRELS` means four fields or three: the first line decides.
    block_bytes : int
        Bytes read at a time, after decompression.

    Raises
    ------
    ValueError, OSError
        As `read_run`.
    """
    lines = 0
    ahead = texts.compiled and not source.alone and not source.is_short(block_bytes)
    with source.open(in_blocks=ahead) as file:
        formed = _formed(blocks_of(file, block_bytes), form)
        for found, number in _parsed_ahead(formed, source.is_file()) if ahead else starmap(_parsed, formed):
            if isinstance(found, _Malformed):
                with _located(source.name, lines):
                    raise found
            lines += number
            if len(found):
                yield found


def _parsed_ahead(given: Iterator[tuple[Any, ...]], on_disk: bool) -> Iterator[tuple[Lines | _Malformed, int]]:
    """The blocks parsed by two threads, in their order, `AHEAD` of the caller."""
    from concurrent.futures import ThreadPoolExecutor

    numbered = enumerate(given)
    reading = Lock()
    running: deque[Any] = deque()
    ready: dict[int, Any] = {}

    def following() -> tuple[int, Any] | None:
        # Who comes first to the lock reads first, whoever was asked first.
        with reading:
            number, block = next(numbered, (0, None))
        return None if block is None else (number, _parsed(*block))

    def submit() -> None:
        # Decompressing is left to the threads, too. A pipe is not: who waits for it there cannot be interrupted.
        if on_disk:
            running.append(threads.submit(following))
        elif (numbered_block := next(numbered, None)) is not None:
            number, block = numbered_block
            running.append(threads.submit(lambda: (number, _parsed(*block))))

    with ThreadPoolExecutor(2) as threads:
        for _ in range(AHEAD):
            submit()
        turn = 0
        while running:
            if (found := running.popleft().result()) is not None:
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


def _form_of(data: bytes) -> tuple[Form | None, bytes, int]:
    """Which form of qrels these first lines have, the lines left to parse, and how many were passed over.

    None if all of them are blank or comments.
    """
    at = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split(None, MOST_FIELDS)
        at += len(line) + 1
        if not fields or fields[0].startswith(b"#"):
            continue
        if fields == _BEIR:
            return QRELS_3, data[at:], number
        return (QRELS_3 if len(fields) == 3 else QRELS), data, 0
    return None, data, 0


def _parsed(data: bytes, form: Form, skipped: int = 0) -> tuple[Lines | _Malformed, int]:
    """A block and its number of lines, or what is wrong with it; `skipped` lines before it hold nothing."""
    fields = form.n, {name: form.columns[name] for name in form.texts}, form.columns.get(form.number)
    if error := _too_long(data):
        return error, 0
    text, plain = data, texts.plain_lines(data, *fields)
    if plain is None and (text := _text(data)) is not data:
        plain = texts.plain_lines(text, *fields)
    if plain is not None:
        return plain, skipped + len(plain)
    try:
        columns = _split(text, form)
        number = 0 if columns is None else len(columns["query_id"])
        if columns is None:
            columns, number = parse_lines(text, form)
    except _Malformed as error:
        error.line += skipped
        return error, 0
    return lines_from(columns.pop("query_id"), columns.pop(form.number, None), columns), skipped + number


def lines_from(query_id: Any, number: Any, columns: dict[str, Any]) -> Lines:
    """Columns of equal length as `Lines`.

    Parameters
    ----------
    query_id : column of str
    number : list or float array, or None
    columns : dict of name to list of str
    """
    begins = changes(query_id)
    value = np.zeros(len(query_id)) if number is None else np.asarray(number, dtype=np.float64)
    held = {name: Texts.of(column) or column for name, column in columns.items()}
    return Lines(as_list(take(query_id, begins)), begins, held, value)


def _split(data: bytes, form: Form) -> dict[str, list[Any]] | None:
    """Columns of lines that hold nothing unusual, split all at once; None where there is a doubt."""
    if not _is_even(data, form.n) or data.startswith(b"#") or b"\n#" in data:
        return None
    try:
        fields = data.decode("utf-8").removesuffix("\n").replace("\n", " ").replace("\t", " ").split(" ")
        found: dict[str, list[Any]] = {name: fields[i :: form.n] for name, i in form.columns.items()}
        if form.number in found:
            # What is no number but to Python has a letter of another script or `_`.
            plain = data.isascii() and b"_" not in data
            found[form.number] = list(map(float, found[form.number])) if plain else as_floats(found[form.number])
        return found
    except ValueError:
        return None


def _is_even(data: bytes, n: int) -> bool:
    """Whether each line has `n` fields, with one blank or tab between two, and nothing else below 33."""
    text = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", np.uint8)
    low = text <= 32
    if np.count_nonzero(low) != data.count(b"\n") * n + n * (not data.endswith(b"\n")):
        return False
    at = np.flatnonzero(low)
    if at.size % n or at[0] == 0 or (at[1:] - at[:-1] == 1).any():
        return False
    gaps = text[at].reshape(-1, n)
    return bool((gaps[:, -1] == 10).all() and ((gaps[:, :-1] == 32) | (gaps[:, :-1] == 9)).all())


@contextmanager
def _located(name: str, lines: int) -> Iterator[None]:
    """Turn a malformed line of a block into the error that users see."""
    try:
        yield
    except _Malformed as error:
        raise ValueError(f"{name}, line {lines + error.line + 1}: {error.why}: {shown(error.text)!r}") from None


def shown(line: bytes) -> str:
    """A line as a message shows it."""
    text = line[: 4 * SHOWN + 4].decode("utf-8", "backslashreplace")
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


# Lines --------------------------------------------------------------------------------------------------------


def _text(data: bytes) -> bytes:
    """Whole lines separated by LF alone, without byte order marks at their beginning."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.isascii() and codecs.BOM_UTF8 in data:
        data = re.sub(rb"(?m)^(?:\xef\xbb\xbf)+", b"", data)  # files of Windows put together, each with its own
    return data


def _too_long(block: bytes) -> _Malformed | None:
    """The error where a block begins with a line that is too long."""
    why = f"longer than {LONGEST_LINE >> 20} MB, which no line of this form is"
    return _Malformed(0, why, block[: 4 * SHOWN + 4]) if too_long(block) else None


def parse_lines(data: bytes, form: Form) -> tuple[dict[str, list[Any]], int]:
    """The exact parser: columns of these lines, and how many lines there are. Raises `_Malformed`."""
    lines = _text(data).split(b"\n")
    if not lines[-1]:
        lines.pop()
    rows = [line.split(None, MOST_FIELDS) for line in lines]
    kept: Any = rows
    if not set(map(len, rows)) <= {form.n} or any(row[0][:1] == b"#" for row in rows):
        kept, numbers = [], []
        for number, row in enumerate(rows):
            if not row or row[0][:1] == b"#":
                continue
            if len(row) != form.n:
                why = _fields_wrong(row, lines[number], form)
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


def _fields_wrong(row: list[bytes], line: bytes, form: Form) -> str | None:
    """What is wrong with a line of another number of fields; None for a run's tag with blanks in it."""
    size = len(row) if len(row) <= MOST_FIELDS else n_fields(line)
    why = f"{size} field{'s' * (size != 1)}, expected {form.n} ({form.expected})"
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


def n_fields(line: bytes) -> int:
    """Number of fields of a line, counted some at a time: a long line may have very many."""
    size, rest = 0, b""
    for start in range(0, len(line), CHECK_BYTES):
        *fields, rest = (rest + line[start : start + CHECK_BYTES] + b".").split()
        size, rest = size + len(fields), rest[:-1]
    return size + bool(rest)


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
