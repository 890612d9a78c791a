"""Runs and judgments in TREC format, as columns.

    run    query_id  Q0  doc_id  rank  score  tag
    qrels  query_id  iteration  doc_id  relevance
           query_id  doc_id  relevance

Fields are separated by white space (spaces, tabs, any number of them), lines by LF, CRLF or CR.
Blank lines are ignored. A line that begins with `#` is data if it has the fields of the form (a
topic may be called `#q1`); else it is a comment, and a warning says how many were skipped.
Everything else is data: a line that does not have the form above is an error with file, line number
and text. Ids are text (`007` stays `007`; quotes are ordinary characters; UTF-8). Ranks are not
read. A line has at most 64 MB.

The format leaves open, and we decided:

* *A tag with spaces.* trec_eval ignores all that follows the tag. So do we, unless the line could
  as well be one with a space in the document id (its fourth field is not a whole number, or its
  sixth is a number): then the score would be taken from the wrong place, and the line is an error.
* *Which qrels.* The first line decides between three and four fields. The header of BEIR's files is
  known.
* *Byte order marks.* One at the beginning of a line belongs to none of its fields: files of Windows
  that were put together have several.
* *Numbers.* Any text that Python's `float` takes, without `_`. NaN and infinity are passed on:
  evaluation rejects them, with topic and document.

The file is cut into blocks of whole lines. Compiled code (`irpref.data.texts`) takes a block whose
lines hold nothing unusual; without it, a block with one blank or tab between two fields is split at
once. Every other block goes through the exact parser (`parse_lines`), line by line, which reads it
or says which line is wrong."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, starmap
from typing import Any

import numpy as np

from irpref.data import texts
from irpref.data.columns import (
    NAMES,
    OF_VALUES,
    VALUES,
    Stretches,
    Table,
    as_list,
    as_objects,
    stretches_of,
    take,
)
from irpref.data.labels import WORTH
from irpref.data.ranks import Counted
from irpref.data.source import LONGEST_LINE, Ending, Source, ahead, blocks_of, too_long
from irpref.data.texts import Texts
from irpref.errors import QRELS_FIRST, InputError, IrprefWarning, LabelError, Remedy
from irpref.messages import clipped, warn_user

BLOCK_BYTES = 4 << 20  # several in flight: bytes and tables stay small however long the file is
SHOWN = 200  # characters of a malformed line in its message
MOST_FIELDS = 64  # of a line that are checked
CHECK_BYTES = 1 << 19  # of a line whose fields are counted at a time
BEIR = [b"query-id", b"corpus-id", b"score"]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of line.

    Attributes
    ----------
    what : str
        'run' or 'qrels'.
    expected : str
        The names of its fields.
    number : str
        The field that is read as a number; none if empty.
    further : tuple of str
        Fields that are read as text although measures do not need them.
    """

    what: str
    expected: str
    number: str
    further: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of fields."""
        return len(self.expected.split())

    @property
    def columns(self) -> dict[str, int]:
        """The fields that are read, by name."""
        names = enumerate(self.expected.split())
        unread = {"Q0", "rank", "tag"} - {self.number, *self.further}
        return {name: i for i, name in names if name not in unread}

    @property
    def is_run(self) -> bool:
        """Whether these are the six fields of a run."""
        return self.expected == RUN.expected

    @property
    def texts(self) -> list[str]:
        """The columns that are neither the topic nor the number; the document is the first `doc_id`
        or `winner`.
        """
        return [name for name in self.columns if name not in ("query_id", self.number)]

    @property
    def doc(self) -> str:
        """The column of documents."""
        return "doc_id" if "doc_id" in self.columns else "winner"


RUN = Form("run", "query_id Q0 doc_id rank score tag", "score")
RUN_WITH_TAGS = replace(RUN, further=("rank", "tag"))
QRELS = Form("qrels", "query_id iteration doc_id relevance", "relevance")
QRELS_3 = Form("qrels", "query_id doc_id relevance", "relevance")
RANKS = Form("run", "query_id doc_id rank", "rank")


class TopicReturnsError(InputError):
    """A run that was read topic by topic has rows of a topic in two places."""


class _Malformed(Exception):
    """A line of a block: its number in the block from 0, the fault, its text, the remedy; and the
    class and attributes of the error that users see.
    """

    def __init__(
        self,
        line: int,
        why: str,
        text: bytes,
        remedy: Remedy | None = None,
        kind: type[InputError] = InputError,
        **about: Any,
    ) -> None:
        super().__init__(line, why, text)
        self.line, self.why, self.text, self.remedy = line, why, text, remedy
        self.kind, self.about = kind, about

    def told(self, name: str, before: int) -> InputError:
        """Make the error that users see; `before`: lines of the file above the block."""
        return self.kind(
            f"{self.why}: {shown(self.text)!r}",
            remedy=None if before else self.remedy,
            path=name,
            line=before + self.line + 1,
            **self.about,
        )


# Tables -------------------------------------------------------------------------------------------


def whole(source: Source, form: Form) -> Table:
    """Read all rows of a file. Raises as `read_run`."""
    table = Table.joined(part.compact() for part in blocks(source, form))
    nothing = {name: np.zeros(0, object) for name in form.texts if name != form.doc}
    return table if len(table) else replace(table, columns=nothing)


def ranks(source: Source) -> Iterator[Table]:
    """Yield the rows of a run of MS MARCO's three columns, which hold ranks: the scores are the
    negative ranks.

    Raises
    ------
    InputError
        As `blocks`; a rank is not a whole number; in most topics the ranks are not 1, 2, 3, ...
        (or 0, 1, 2, ...), so these are scores.
    """
    counted = Counted()
    for table in blocks(source, RANKS):
        rank = table.value
        bad = np.flatnonzero(~((rank == np.rint(rank)) & (rank >= 0) & (rank < 2**53)))
        if bad.size:
            topic, doc = (
                as_list(take(column, bad[:1]))[0] for column in (table.query_id, table.doc_id)
            )
            raise InputError(
                f"the rank of topic {topic!r}, document {doc!r} is {rank[bad[0]]:g}, expected a "
                f"whole number (the third column of MS MARCO's runs holds ranks, not scores)",
                path=source.name,
                topic=topic,
                doc=doc,
                column="rank",
                value=float(rank[bad[0]]),
            )
        counted.add(table)
        yield replace(table, value=-rank)
    if 2 * len(odd := counted.odd) > counted.n:
        topic = odd[0]
        raise InputError(
            f"the third column of MS MARCO's runs holds ranks, 1, 2, 3, ...; in {len(odd)} of "
            f"{counted.n} topics it does not, first in {topic!r}: are these scores?",
            path=source.name,
            topic=topic,
            column="rank",
        )


def lines_of(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield lines that hold something, with their numbers from 1.

    Lines that begin with `#` hold something if they have the fields of the first other line.
    """
    doubtful: list[tuple[int, bytes]] = []
    plain: list[bytes] = []
    for number, line in _lines(source):
        if not line.lstrip().startswith(b"#"):
            if not plain:
                plain = line.split(None, MOST_FIELDS)
                yield from (pair for pair in doubtful if _are_alike(pair[1], plain))
            yield number, line
        elif plain:
            if _are_alike(line, plain):
                yield number, line
        else:
            doubtful.append((number, line))
    if not plain:
        yield from (pair for pair in doubtful if 3 <= len(pair[1].split(None, MOST_FIELDS)) <= 6)


def _are_alike(line: bytes, plain: list[bytes]) -> bool:
    """Test whether a line has as many fields as another one, and a number in the same place."""
    fields = line.split(None, MOST_FIELDS)
    if len(fields) != len(plain):
        return False
    place = 4 if len(plain) == RUN.n else -1
    if is_number(plain[place]):
        return is_number(fields[place])
    return fields[0] != b"#"


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield lines that are not blank, with their numbers from 1."""
    with source.open() as file:
        number = 0
        for block in blocks_of(file, 1 << 16):
            if error := _too_long(block):
                raise error.told(source.name, number)
            for line in _text(block).removesuffix(b"\n").split(b"\n"):
                number += 1
                if line.strip():
                    yield number, line


def first_fields(source: Source) -> list[bytes]:
    """Read the fields of the first line that holds something; none in a file without such a
    line.
    """
    return next((line.split(None, MOST_FIELDS) for _, line in lines_of(source)), [])


def is_header(source: Source) -> bool:
    """Test whether the first line alone, of up to a hundred, does not end with a number."""
    first, *others = (is_number(line.split()[-1]) for _, line in islice(lines_of(source), 100))
    return bool(others) and not first and all(others)


def whole_topics(parts: Iterator[Table], name: str) -> Iterator[Table]:
    """Yield rows that follow each other, cut between topics: some whole topics at a time.

    Memory holds a few parts and the longest topic, however many topics there are. If there
    is one part only, it comes as it is.

    Parameters
    ----------
    parts : iterator of Table, none empty
    name : str
        Of the file.

    Raises
    ------
    TopicReturnsError
        Rows of a topic follow after those of another: the part yielded is not the whole topic.
        Read the file again as a whole (a `Source` that was told to `keep` standard input can
        be read again).
    """
    first, second = next(parts, None), next(parts, None)
    if first is None or second is None:
        yield from () if first is None else (first,)
        return
    done: set[str] = set()
    waiting: list[Table] = []  # the last of their topics may go on
    topic = None
    for part in chain((first, second), parts):
        stretches = stretches_of(part.query_id)
        names = stretches.names
        part = replace(part, query_id=stretches)
        for i, other in enumerate(names):
            if other in done and (i or other != topic):
                raise TopicReturnsError(
                    f"topic {other!r} is in more than one place", path=name, topic=other
                )
            done.add(other)
        if waiting and names[0] == topic:
            if (n := len(waiting[0].query_id.names)) > 1:
                yield waiting[0].stretches(0, n - 1)
                waiting = [waiting[0].stretches(n - 1, n).compact()]
            waiting.append(part.stretches(0, 1).compact())
            if len(names) == 1:
                continue
            part = part.stretches(1, len(names))
        if waiting:
            yield Table.joined(waiting)
        waiting, topic = [part], names[-1]
    yield Table.joined(waiting)


# Blocks -------------------------------------------------------------------------------------------


def blocks(source: Source, form: Form, block_bytes: int = BLOCK_BYTES) -> Iterator[Table]:
    """Yield the rows of a file in order, some at a time, no part empty; the next are read while the
    caller works.

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
    # A pipe is read by the caller's thread: one that waits for a pipe cannot be interrupted. Few
    # blocks need none.
    threads = texts.compiled and not source.alone and source.size() > 2 * block_bytes
    lines = comments = 0
    ending = Ending()
    with source.open() as file:
        formed = _formed(ending.watch(blocks_of(file, block_bytes)), form)
        parsed = starmap(_parsed, ahead(formed) if threads else formed)
        for table, number, skipped in ahead(parsed) if threads else parsed:
            if isinstance(table, _Malformed):
                raise table.told(source.name, lines)
            lines += number
            comments += skipped
            if len(table):
                yield table
    ending.warn(source.name, form.is_run)
    if comments:
        several = f"{comments} lines that begin with '#' were skipped: they are comments"
        one = "a line that begins with '#' was skipped: it is a comment"
        warn_user(several if comments > 1 else one, IrprefWarning, path=source.name)


def _formed(blocks: Iterator[bytes], form: Form) -> Iterator[tuple[bytes, Form, int]]:
    """Yield blocks, their form, and how many lines before each hold nothing."""
    decided = form is not QRELS
    for data in blocks:
        skipped = 0
        if not decided:
            known, data, skipped = _form_of(_text(data))
            form, decided = known or form, known is not None
        yield data, form, skipped


def _form_of(data: bytes) -> tuple[Form | None, bytes, int]:
    """Find the form of qrels of these first lines, the lines left to parse, and how many were
    passed over.

    None if all are blank or comments.
    """
    at = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split(None, MOST_FIELDS)
        at += len(line) + 1
        if not fields:
            continue
        if fields[0].startswith(b"#") and not (len(fields) in (3, 4) and is_number(fields[-1])):
            continue
        if fields == BEIR:
            return QRELS_3, data[at:], number
        return (QRELS_3 if len(fields) == 3 else QRELS), data, 0
    return None, data, 0


def _parsed(data: bytes, form: Form, skipped: int = 0) -> tuple[Table | _Malformed, int, int]:
    """Parse a block into a table, or describe its fault; return its number of lines, and how many
    are comments; `skipped` lines before it hold nothing.
    """
    if error := _too_long(data):
        return error, 0, 0
    columns = form.columns
    fields = form.n, {name: columns[name] for name in form.texts}, columns.get(form.number)
    text, plain = data, texts.plain_lines(data, *fields)
    if plain is None and (text := _text(data)) is not data:
        plain = texts.plain_lines(text, *fields)
    if plain is not None:
        names, lengths, ids, numbers = plain
        table = _table(form, Stretches(names, lengths), ids, numbers)
        return table, skipped + numbers.size, 0
    comments = 0
    try:
        split = _split(text, form)
        number = len(split["query_id"]) if split else 0
        if split is None:
            split, number, comments = parse_lines(text, form)
    except _Malformed as error:
        error.line += skipped
        return error, 0, 0
    query_id = stretches_of(split["query_id"])
    numbers = np.array(
        split[form.number] if form.number else np.zeros(len(query_id)), dtype=np.float64
    )
    table = _table(form, query_id, {name: split[name] for name in form.texts}, numbers)
    return table, skipped + number, comments


def _split(data: bytes, form: Form) -> dict[str, list[Any]] | None:
    """Split lines that hold nothing unusual into columns, all at once; None if in doubt."""
    if not _is_even(data, form.n) or data.startswith(b"#") or b"\n#" in data:
        return None
    try:
        fields = (
            data.decode("utf-8").removesuffix("\n").replace("\n", " ").replace("\t", " ").split(" ")
        )
        columns: dict[str, list[Any]] = {
            name: fields[i :: form.n] for name, i in form.columns.items()
        }
        if form.number:
            # Only Python accepts digits of other scripts and `_` in a number.
            plain = data.isascii() and b"_" not in data
            columns[form.number] = (
                list(map(float, columns[form.number])) if plain else as_floats(columns[form.number])
            )
        return columns
    except ValueError:
        return None


def _is_even(data: bytes, n: int) -> bool:
    """Test whether each line has `n` fields, with one blank or tab between two, and no other byte
    below 33.
    """
    text = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", np.uint8)
    low = text <= 32
    # Counted first: a long line may have many fields.
    if np.count_nonzero(low) != np.count_nonzero(text == 10) * n:
        return False
    at = np.flatnonzero(low)
    if at[0] == 0 or (at[1:] - at[:-1] == 1).any():
        return False
    gaps = text[at].reshape(-1, n)
    return bool((gaps[:, -1] == 10).all() and ((gaps[:, :-1] == 32) | (gaps[:, :-1] == 9)).all())


def _table(form: Form, query_id: Stretches, columns: dict[str, Any], number: Any) -> Table:
    docs = columns[form.doc]
    further = {name: _repeated(column) for name, column in columns.items() if name != form.doc}
    return Table(
        query_id,
        Texts.from_strings(docs) or docs,
        number,
        further,
        ("query_id", *form.texts, form.number),
    )


def _repeated(column: Texts | list[str]) -> Any:
    """Return a column as an object array; equal neighbours share one string (usually all iterations
    are equal).
    """
    stretches = stretches_of(column)
    names = as_objects(stretches.names)
    if len(names) == 1:
        return np.broadcast_to(names, len(column))
    return np.repeat(names, stretches.lengths)


def shown(line: bytes) -> str:
    """Show a line as a message does."""
    text = line[: 4 * SHOWN + 4].decode("utf-8", "backslashreplace")
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


# Lines --------------------------------------------------------------------------------------------


def _text(data: bytes) -> bytes:
    """Return whole lines separated by LF alone, without byte order marks at their beginning."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.isascii() and codecs.BOM_UTF8 in data:
        # Files of Windows put together, each with its own.
        data = re.sub(rb"(?m)^(?:\xef\xbb\xbf)+", b"", data)
    return data


def _too_long(block: bytes) -> _Malformed | None:
    """Make the error if a block begins with a line that is too long."""
    why = f"longer than {LONGEST_LINE >> 20} MB, which no line of this form is"
    return _Malformed(0, why, block[: 4 * SHOWN + 4]) if too_long(block) else None


def _is_comment(row: list[bytes], form: Form) -> bool:
    """Test whether a line is a comment: it begins with `#` and has not the fields of the form."""
    if row[0][:1] != b"#":
        return False
    if len(row) != form.n:
        # A tag may have blanks in it.
        return not (form.is_run and len(row) > form.n and row[3].isdigit() and is_number(row[4]))
    return not is_number(row[form.columns[form.number]]) if form.number else row[0] == b"#"


def parse_lines(data: bytes, form: Form) -> tuple[dict[str, list[Any]], int, int]:
    """Parse lines exactly: return their columns, their number, and how many are comments. Raises
    `_Malformed`.
    """
    comments = 0
    lines = _text(data).split(b"\n")
    if not lines[-1]:
        lines.pop()
    rows = [line.split(None, MOST_FIELDS) for line in lines]
    kept: Any = rows
    if not set(map(len, rows)) <= {form.n} or any(row[0][:1] == b"#" for row in rows):
        kept, numbers = [], []
        for number, row in enumerate(rows):
            if not row:
                continue
            if _is_comment(row, form):
                comments += 1
                continue
            if len(row) != form.n:
                why, remedy = _fields_wrong(row, lines[number], form)
                if why:
                    # An error in an earlier line comes first.
                    parse_lines(b"\n".join(lines[:number]), form)
                    # Another form would begin with the first line.
                    raise _Malformed(number, why, lines[number], None if kept else remedy)
                row = row[: form.n]
            kept.append(row)
            numbers.append(number)
    else:
        numbers = range(len(rows))  # type: ignore[assignment]
    columns = list(zip(*kept, strict=True)) or [()] * form.n
    out: dict[str, list[Any]] = {}
    wrong: list[tuple[int, str, str, str]] = []
    for name, i in form.columns.items():
        try:
            texts = _texts(columns[i])
            out[name] = as_floats(texts) if name == form.number else texts
        except ValueError:
            wrong.append((*_first_wrong(columns[i], name, form, numbers), name))
    if wrong:
        number, why, label, name = min(wrong)
        if not label:
            raise _Malformed(number, why, lines[number], column=name)
        raise _Malformed(number, why, lines[number], WORTH, LabelError, label=label, column=name)
    return out, len(lines), comments


def _first_wrong(
    column: Sequence[bytes], name: str, form: Form, numbers: Sequence[int]
) -> tuple[int, str, str]:
    """Find the line of the first field of a column that cannot be read, the reason, and the field
    if it may be a label.
    """
    for number, field in zip(numbers, column, strict=True):
        try:
            text = _texts((field,))
            if name == form.number:
                as_floats(text)
        except ValueError:
            if name != form.number:
                return number, f"the {name} is not UTF-8", ""
            word = field.decode("utf-8", "backslashreplace")
            why = f"the {name} {clipped(word)!r} is not a number"
            return number, why, word if name == "relevance" else ""
    raise AssertionError("each field can be read, and the column cannot")


def _fields_wrong(row: list[bytes], line: bytes, form: Form) -> tuple[str | None, Remedy | None]:
    """Describe the fault of a line of another number of fields, and the remedy; None for a run's
    tag with blanks in it.
    """
    size = len(row) if len(row) <= MOST_FIELDS else n_fields(line)
    why = f"{size} field{'s' * (size != 1)}, expected {form.n} ({form.expected})"
    if kind := another_kind(row):
        return f"{why}; {kind}", None
    if not form.is_run and len(row) == RUN.n and row[1] == b"Q0":
        return f"{why}; this looks like a run", QRELS_FIRST
    if form.is_run and len(row) == QRELS.n and row[1] in (b"0", b"Q0"):
        return f"{why}; this looks like judgments", QRELS_FIRST
    if form.is_run and row[0].decode("utf-8", "replace").lower() in NAMES["query_id"]:
        return why, Remedy("form", "tsv", effect="reads columns that a header names")
    if len(row) == RANKS.n and is_value(row):
        return f"{why}; {OF_VALUES}", VALUES
    if form.is_run and len(row) == RANKS.n:
        return why, Remedy(
            "form", "msmarco", effect="reads MS MARCO's three columns (query_id doc_id rank)"
        )
    if not form.is_run or len(row) < form.n or not re.fullmatch(rb"[+-]?[0-9]+", row[3]):
        return why, None
    if is_number(row[5]):
        return why, None
    return (f"{why}; is the end of a line missing?", None) if _is_joined(row) else (None, None)


_MEASURE = re.compile(
    rb"(?i)(ap|bpref|judged|map|mrr|ndcg|num_(rel|ret|rel_ret)|p|r|rbp|recall|recip_rank|rr|rprec|"
    rb"set_.*|success)((_cut)?[_@][0-9]+)?"
)


def is_value(row: Sequence[bytes]) -> bool:
    """Test whether three fields are a measure, a topic and a value, or a topic, a measure and a
    value, as `trec_eval -q` and `ir_measures -q` print.
    """
    return any(map(_MEASURE.fullmatch, row[:2])) and is_number(row[2])


def _is_joined(row: list[bytes]) -> bool:
    """Test whether a line of a run has the fields of another one behind the fourth: Q0, document,
    rank and score.
    """
    fields = row[:MOST_FIELDS]  # the last one may be the rest of a very long line
    return any(
        fields[i] in (fields[1], b"Q0") and fields[i + 2].isdigit() and is_number(fields[i + 3])
        for i in range(5, len(fields) - 3)
    )


_FEATURE = re.compile(rb"[0-9]+:\S*")
_LEVEL = re.compile(rb"L?[0-9]+")


def another_kind(fields: Sequence[bytes]) -> str:
    """Say which kind a line looks like that is neither of a run nor of judgments; empty if that is
    not clear.
    """
    n = len(fields)
    has_features = n > 2 and is_number(fields[0]) and all(map(_FEATURE.fullmatch, fields[1:3]))
    if has_features or (n > 1 and fields[1].startswith(b"qid:")):
        return "this looks like LETOR's or svmlight's form (grade qid:topic feature:value ...)"
    if n == 2 and _LEVEL.fullmatch(fields[1]):
        return (
            "this looks like NTCIR's .rel file of one topic (document level): put the topic in "
            "front of each line"
        )
    return ""


def n_fields(line: bytes) -> int:
    """Count the fields of a line, some at a time: a long line may have very many."""
    size, rest = 0, b""
    for start in range(0, len(line), CHECK_BYTES):
        *fields, rest = (rest + line[start : start + CHECK_BYTES] + b".").split()
        size, rest = size + len(fields), rest[:-1]
    return size + bool(rest)


def as_floats(fields: Sequence[str]) -> list[float]:
    """Read fields as numbers. Raises `ValueError`."""
    # Python takes 1_000 and digits of other scripts for numbers; no tool of this field does.
    text = " ".join(fields)
    if "_" in text or not text.isascii():
        raise ValueError
    return list(map(float, fields))


def is_number(field: bytes) -> bool:
    """Test whether a field is one number."""
    try:
        return bool(as_floats([field.decode("utf-8")]))
    except ValueError:
        return False


def _texts(fields: Iterable[bytes]) -> list[str]:
    joined = b"\n".join(fields)
    return joined.decode("utf-8").split("\n") if joined else []
