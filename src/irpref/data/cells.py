"""Files of cells (CSV, TSV) as tables, and the common part of readers of named columns.

Rows are read some at a time: rows that hold nothing unusual by compiled code, others by `csv`, cell
by cell. A row that compiled code reads, `csv` reads, too, and with the same result."""

from __future__ import annotations

import io
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, compress, islice
from typing import Any, NoReturn

import numpy as np

from irpref.data import trec
from irpref.data.columns import (
    NAMES,
    PLAIN,
    Reading,
    Stretches,
    Table,
    check_names,
    columns_of,
    objects,
    printable,
)
from irpref.data.kinds import name_pairs
from irpref.data.labels import worth
from irpref.data.source import LONGEST_LINE, Ending, Source, blocks_of, too_long
from irpref.data.texts import plain_lines
from irpref.errors import InputError, IrprefWarning, LabelError
from irpref.kernel.segments import Floats, all_whole
from irpref.messages import clipped, warn_user

_IDS = ("query_id", "doc_id")
BLOCK_BYTES = 1 << 20
_ROWS = 1 << 16  # of a run that are read cell by cell at a time

# CSV ----------------------------------------------------------------------------------------------


def csv(source: Source, value: str, how: Reading, separator: str = ",") -> Iterator[Table]:
    """Read a file of cells separated by commas (or semicolons, tabs, bars), with a header."""
    texts = text_blocks(source, ends_with_number=True)
    header, rest = _header(texts, separator, source.name, value)
    columns = columns_of(header.names, value, how, path=source.name)
    header = replace(header, columns=columns)
    texts = filter(None, chain([rest], texts))
    if value == "score":
        return (part if isinstance(part, Table) else part.run() for part in _parts(texts, header))
    # Compiled code reads neither labels nor further columns.
    plain = how.labels is None and len(header.names) == len(columns)
    return iter([_judged(_parts(texts, header, plain), header, how)])


def tsv(source: Source, value: str, how: Reading) -> Iterator[Table]:
    """Read a file of cells separated by tabs, with a header; for files without one see
    `has_header`.

    Quotation marks have no meaning.
    """
    return csv(source, value, how, "\t")


@dataclass(frozen=True, slots=True)
class _Header:
    """The first line of a file of cells.

    Attributes
    ----------
    path : str
        Of the file.
    names : list of str
    separator : str
    lines : int
        How many lines it takes.
    columns : dict of str to str
        The names of topic, document and value, by ours; empty before they are looked up.
    """

    path: str
    names: list[str]
    separator: str
    lines: int
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[int]:
        """Which cells of a row are topic, document and value."""
        return [self.names.index(there) for there in self.columns.values()]


def _header(texts: Iterator[str], separator: str, path: str, value: str) -> tuple[_Header, str]:
    """Read the header of a file, and return it with the rest of the first of its texts of whole
    lines.
    """
    text = next(texts, "")
    if separator == "," and text[:4].lower() == "sep=":
        text += next(texts, "")  # a stream may give its first line alone
    physical = io.StringIO(text, newline="")
    first = physical.readline()
    lines = 1
    if separator == "," and (setting := first.strip().lower())[:4] == "sep=" and len(setting) == 5:
        separator, lines = setting[4], 2  # as Excel writes it
        first = physical.readline()
    elif separator == "," and "," not in first:
        separator = next((other for other in (";", "\t", "|") if other in first), separator)
    _, names = next(_rows([first], separator, path, lines - 1), (0, []))
    if not any(names):
        raise InputError(
            f"the file is empty, expected a header such as query_id,doc_id,{value}", path=path
        )
    check_names(names, path)
    return _Header(path, names, separator, lines), text[text.index(first) + len(first) :]


def header_of(source: Source, separator: str, value: str) -> list[str]:
    """Read the names of the columns of a file. Raises as `csv`."""
    return _header(text_blocks(source), separator, source.name, value)[0].names


def rows_of_cells(source: Source, separator: str) -> tuple[list[str], Iterator[list[str]]]:
    """Read the names of the columns of a file, and its rows as text. Raises as `csv`."""
    texts = text_blocks(source)
    header, rest = _header(texts, separator, source.name, "relevance")
    rows = _rows(chain([rest], texts), header.separator, source.name, header.lines)
    return header.names, (row for _, row in rows)


def _rows(
    texts: Iterable[str], separator: str, path: str, before: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row, and the number of the line that it ends in; `before`: lines that
    were read before.
    """
    import csv

    lines = (line for text in texts for line in io.StringIO(text, newline=""))
    style: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if separator == "\t" else {}
    rows = csv.reader(lines, delimiter=separator, strict=True, **style)
    try:
        for row in rows:
            if row:
                yield before + rows.line_num, row
    except csv.Error as error:
        raise InputError(str(error), path=path, line=before + rows.line_num) from None


@dataclass(frozen=True, slots=True)
class _Cells:
    """Some rows, read cell by cell.

    Attributes
    ----------
    header : _Header
    lines : list of int
        The number of the line that each row ends in.
    columns : list of tuple of str
    """

    header: _Header
    lines: list[int]
    columns: list[tuple[str, ...]]

    def run(self) -> Table:
        """Make the table of a run."""
        path = self.header.path
        topics, docs, scores = (self.columns[place] for place in self.header.places)
        place = partial(_place, path, self.lines)
        numbers = numbers_of(list(scores), place, "score", PLAIN, path, is_text=True)
        table = table_of(list(map(sys.intern, topics)), docs, numbers, {}, "score", path)
        return replace(table, column=self.header.columns["score"])


def _parts(texts: Iterator[str], header: _Header, plain: bool = True) -> Iterator[Table | _Cells]:
    """Yield the rows of a file, some at a time, no part empty: a table of rows that hold nothing
    unusual, which compiled code reads (if `plain`), else their cells.

    Raises
    ------
    InputError
        A row has not as many cells as the header, or lacks an id, or an id has an end of line in
        it.
    """
    before = header.lines
    for text in texts:
        if plain and (table := _plain_cells(text, header)) is not None:
            yield table
        elif '"' in text and header.separator != "\t":
            # A cell may go on in the next block.
            yield from _cells(chain([text], texts), header, before)
            return
        else:
            yield from _cells([text], header, before)
        before += text.count("\n") + (not text.endswith("\n"))


def _plain_cells(text: str, header: _Header) -> Table | None:
    """Read rows that hold nothing unusual as lines of white-space separated fields; None in
    doubt.
    """
    topic, doc, number = header.places
    separator, width = header.separator, len(header.names)
    if topic != 0 or '"' in text or " " in text or "\n#" in text or text.startswith("#"):
        return None
    if separator != "\t" and "\t" in text:
        return None
    n = text.count(separator)
    data = (text if separator == "\t" else text.replace(separator, "\t")).encode()
    if _has_long_line(data):
        return None
    plain = plain_lines(data, width, {"doc_id": doc}, number)
    # Two separators without a cell between them are one gap between fields.
    if plain is None or n != plain[3].size * (width - 1):
        return None
    names, lengths, ids, numbers = plain
    return Table(
        Stretches(names, lengths),
        ids["doc_id"],
        numbers,
        header=tuple(header.columns),
        column=[*header.columns.values()][2],
    )


def _has_long_line(data: bytes) -> bool:
    """Test whether there may be a line with a cell that is longer than `csv` accepts."""
    import csv

    step = csv.field_size_limit() // 2
    return any(data.find(b"\n", at, at + step) < 0 for at in range(0, len(data) - step, step))


def _cells(texts: Iterable[str], header: _Header, before: int) -> Iterator[_Cells]:
    """Yield the cells of some rows, until all are read.

    Parameters
    ----------
    texts : iterable of str
        Whole lines.
    header : _Header
    before : int
        How many lines come before them.

    Raises
    ------
    InputError
        As `_parts`.
    """
    rows = _rows(texts, header.separator, header.path, before)
    while part := list(islice(rows, _ROWS)):
        if {len(row) for _, row in part} != {len(header.names)}:
            _refuse(part, header)
        columns: list[tuple[str, ...]] = list(zip(*(row for _, row in part), strict=True))
        for place in header.places[:2]:
            if not all(columns[place]) or has_line_end("".join(columns[place])):
                _refuse(part, header)
        yield _Cells(header, [number for number, _ in part], columns)


def _refuse(rows: Iterable[tuple[int, list[str]]], header: _Header) -> NoReturn:
    """Raise the error of the first row that is not as it should be."""
    for number, row in rows:
        where: dict[str, Any] = {"path": header.path, "line": number}
        if len(row) != len(header.names):
            size = f"{len(row)} field{'s' * (len(row) != 1)}, expected {len(header.names)}"
            size += f" ({', '.join(map(printable, header.names))})"
            shown = header.separator.join(row)[: trec.SHOWN]
            raise InputError(f"{size}: {shown!r}", **where)
        for ours, place in zip(_IDS, header.places, strict=False):
            if not row[place]:
                raise InputError(f"the {ours} is missing", column=ours, **where)
            if has_line_end(row[place]):
                raise line_end(ours, row[place], **where)
    raise AssertionError("each row is as it should be, and not all of them are")


def _place(path: str, lines: Sequence[int], row: int) -> dict[str, Any]:
    return {"path": path, "line": lines[row]}


def _judged(parts: Iterable[Table | _Cells], header: _Header, how: Reading) -> Table:
    """Collect the rows of judgments with all their columns. Rows with an empty grade are left
    out.

    How a cell is read may depend on all rows: labels, the type of a further column.
    """
    graded = _Graded(header)

    def tables() -> Iterator[Table]:
        only_cells = True
        for part in parts:
            if isinstance(part, _Cells):
                graded.add(part)
                continue
            only_cells = False
            if graded:
                yield graded.table(None)  # beside numbers, no cell is a label
            yield part.compact()
        if graded or only_cells:
            yield graded.table(how if only_cells else None)

    table = Table.joined(tables())
    warn_of_ungraded(len(graded.ungraded), header.path, line=(*graded.ungraded, None)[0])
    return replace(table, column=header.columns["relevance"])


class _Graded:
    """The cells of rows of judgments that have a grade.

    Attributes
    ----------
    ungraded : array of int
        The lines of rows that have none.
    """

    def __init__(self, header: _Header) -> None:
        self._header = header
        self.ungraded = array("q")
        self._begin()

    def _begin(self) -> None:
        self._columns: dict[str, list[str]] = {there: [] for there in self._header.names}
        self._lines = array("q")

    def add(self, part: _Cells) -> None:
        """Add some rows."""
        graded = [bool(cell.strip()) for cell in part.columns[self._header.places[2]]]
        self._lines.extend(compress(part.lines, graded))
        self.ungraded.extend(
            line for line, there in zip(part.lines, graded, strict=True) if not there
        )
        topic = self._header.columns["query_id"]
        for there, column in zip(self._header.names, part.columns, strict=True):
            kept = compress(column, graded)
            self._columns[there] += map(sys.intern, kept) if there == topic else kept

    def __bool__(self) -> bool:
        return len(self._lines) > 0

    def table(self, how: Reading | None) -> Table:
        """Return the rows that were added, and begin again; without `how`, no cell is a label."""
        columns, lines = self._columns, self._lines
        self._begin()
        value, names, path = "relevance", self._header.columns, self._header.path
        topics, docs, grades = (columns[there] for there in names.values())
        further = {
            there: objects(columns[there]) if there == "iteration" else _typed(columns[there])
            for there in self._header.names
            if there not in {*names, *names.values()}
        }
        numbers = numbers_of(grades, partial(_place, path, lines), value, how, path, is_text=True)
        return table_of(topics, docs, numbers, further, value, path)


def warn_of_ungraded(number: int, path: str, **place: Any) -> None:
    """Say that rows have no grade."""
    if number:
        rows = "a row has" if number == 1 else f"{number} rows have"
        documents = "its document is" if number == 1 else "these documents are"
        warn_user(f"{rows} no relevance: {documents} unjudged", IrprefWarning, path=path, **place)


def first_line(source: Source) -> str:
    """Read the first line of a file, without its end; the file can be read again."""
    source.keep = True
    data = b""
    with source.open() as file:
        while not {10, 13} & set(data) and len(data) < 1 << 16 and (more := file.read(1 << 12)):
            data += more
    return data.replace(b"\r", b"\n").partition(b"\n")[0].decode("utf-8-sig", "replace")


def has_header(source: Source, value: str, how: Reading) -> bool:
    """Test whether the first line of a file with tabs names columns: ours, those of pairs, or any
    above columns that end with numbers; if not, it is a TREC file.
    """
    line = first_line(source)
    if is_beir(line):  # whose judgments the reader of TREC files knows
        return value == "score"
    fields = [field.strip() for field in line.split("\t")]
    if value == "relevance" and name_pairs(fields):
        return True
    ids = ({*how.columns.get(ours, ()), *NAMES[ours]} for ours in _IDS)
    if any(known & {*fields, *(field.lower() for field in fields)} for known in ids):
        return True
    return len(fields) > 2 and trec.is_header(source)


def is_beir(line: str) -> bool:
    """Return whether a line is the header of BEIR's files of judgments, which some runs have."""
    return [field.strip() for field in line.split("\t")] == ["query-id", "corpus-id", "score"]


def _typed(cells: Sequence[str]) -> Any:
    """Convert a further column of judgments: truth values, numbers or text; missing is NaN among
    numbers, else None.
    """
    there = {cell for cell in cells if cell}
    # As Python and pandas write them.
    if there and {cell.lower() for cell in there} <= {"true", "false"}:
        truths = [cell.lower() == "true" if cell else None for cell in cells]
        return objects(truths) if None in truths else np.array(truths)
    try:
        trec.as_floats(list(there))
    except ValueError:
        return objects([cell or None for cell in cells])
    numbers = np.array([float(cell or "nan") for cell in cells])
    whole = all(cell.lstrip("+-").isdecimal() for cell in cells) and all_whole(numbers)
    return numbers.astype(np.int64) if whole else numbers


# Columns ------------------------------------------------------------------------------------------


def text_blocks(source: Source, ends_with_number: bool = False) -> Iterator[str]:
    """Yield the text, some whole lines at a time, and warn if it may have been cut off in a
    number.
    """
    number = 1
    ending = Ending()
    with source.open() as file:
        for block in ending.watch(blocks_of(file, BLOCK_BYTES)):
            if too_long(block):
                raise InputError(
                    f"longer than {LONGEST_LINE >> 20} MB", path=source.name, line=number
                )
            yield decoded(block, source.name, number)
            number += block.count(b"\n")
    if ends_with_number:
        ending.warn(source.name)


def has_line_end(text: str) -> bool:
    """Test whether there is an end of line in a text, as no id has one."""
    return "\n" in text or "\r" in text


def line_end(ours: str, text: str, **place: Any) -> InputError:
    """Make the error for an id with an end of line in it; `ours`: its column."""
    why = f"the {ours} contains a line break: {clipped(text)!r}"
    return InputError(why, column=ours, **place)


def decoded(data: bytes, name: str, number: int = 1) -> str:
    """Decode some bytes of a file; `number`: the number of their first line."""
    try:
        return data.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = number + data.count(b"\n", 0, error.start)
        raise InputError("this is not UTF-8", path=name, line=line) from None


def numbers_of(
    cells: list[Any],
    place: Callable[[int], dict[str, Any]],
    value: str,
    how: Reading | None,
    name: str,
    is_text: bool = False,
) -> Floats:
    """Read scores or grades, including grades of labels unless `how` is None. `is_text`: numbers
    are text; `place`: a row's place in the file.
    """
    if (
        value == "relevance"
        and how is not None
        and (how.labels is not None or set(map(type, cells)) == {str})
    ):
        grades = how.grades_of(list(map(str, cells)), name)
        if grades is not None:
            return grades
    try:
        if is_text:
            return np.array(trec.as_floats(cells), dtype=np.float64)
        if set(map(type, cells)) <= {int, float}:
            return np.fromiter(map(float, cells), np.float64, len(cells))
    except OverflowError:
        row = next(row for row, cell in enumerate(cells) if abs(cell) > sys.float_info.max)
        message = "a number is too large for a double"
        raise _wrong(InputError, message, value, cells[row], place(row)) from None
    except ValueError:
        pass
    good = (
        trec.is_number(cell.encode()) if is_text else type(cell) in (int, float) for cell in cells
    )
    row = next(row for row, is_good in enumerate(good) if not is_good)
    message = f"the {value} is {clipped(cells[row])!r}, expected a number"
    if is_text and trec.is_number(cells[row].replace(",", ".", 1).encode()):
        message += " with a decimal point"
    if value != "relevance":
        raise _wrong(InputError, message, value, cells[row], place(row))
    about = {"remedy": worth(cells), "label": str(cells[row])}
    raise _wrong(LabelError, message, value, cells[row], place(row) | about)


def _wrong(
    kind: type[InputError], message: str, column: str, value: Any, about: dict[str, Any]
) -> InputError:
    """Make the error for a cell that is not a number; `about` may name its topic and document."""
    if "topic" in about:
        message = "topic {topic!r}, document {doc!r}: {message}".format(message=message, **about)
    return kind(message, column=column, value=value, **about)


def table_of(
    topics: Sequence[str],
    docs: Sequence[str],
    number: Floats,
    further: Mapping[str, Any],
    value: str,
    name: str,
    place: Callable[[int], dict[str, Any]] | None = None,
) -> Table:
    """Make a table, and check its ids; `place`: of a row in the file called `name`."""
    for ours, ids in zip(_IDS, (topics, docs), strict=True):
        text = "".join(ids)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(
                "an id is not valid text: it contains half of a surrogate pair", path=name
            ) from None
        if has_line_end(text):
            row, odd = next((i, odd) for i, odd in enumerate(ids) if has_line_end(odd))
            raise line_end(ours, odd, **({"path": name} if place is None else place(row)))
    return Table(
        objects(topics), objects(docs), number, further, ("query_id", "doc_id", value, *further)
    )
