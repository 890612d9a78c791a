"""Tables as text: one writer for everything that is printed.

    table             columns for a screen, as wide as it is: long heads are broken, then columns come in blocks
    tsv, csv, jsonl   one line a row, to be read by programs
    json              the rows of jsonl as one array
    latex, markdown   for papers and pages

Names are data. What would move a cursor or end a row is escaped in columns; csv quotes line ends.
csv changes nothing else, since programs read it: a spreadsheet takes a name that begins with `=`,
`+`, `-` or `@` for a formula unless the column is imported as text."""

from __future__ import annotations

import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, TextIO

from irpref.messages import visible

FORMS = ("table", "tsv", "csv", "json", "jsonl", "latex", "markdown")
LINES = ("tsv", "csv", "json", "jsonl")
ENDINGS = {
    ".txt": "table",
    ".tex": "latex",
    ".md": "markdown",
    **{f".{form}": form for form in LINES},
}
_GAP = "  "
_NARROWEST = (
    24  # characters of a column of prose, and of names that are broken to make room for others
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and how its values look."""

    name: str
    show: Callable[[Any], str] = str
    left: bool = False  # flush left; such columns at the front are labels, repeated in each block
    prose: bool = False  # sentences, broken into the space that is left
    lower: bool = False  # the lowest value is the best


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with its marks."""

    value: Any
    best: bool = False
    differs: bool = False


class Table:
    """Rows of values (or `Cell`s), with a title above and notes below.

    None is an empty cell. On a screen, a row that is a string is printed as it is, across the
    columns. `labels`: how many columns are repeated in each block; those flush left at the front if
    not given."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[Any] | str],
        title: str = "",
        notes: Sequence[str] = (),
        labels: int | None = None,
    ) -> None:
        self.columns, self.rows, self.title, self.notes, self.labels = (
            columns,
            rows,
            title,
            notes,
            labels,
        )


@dataclass(frozen=True, slots=True)
class Page:
    """What a text is printed on."""

    width: int | None = None
    colour: bool = False

    def styled(self, text: str, style: str) -> str:
        """The text bold or dim, if colours are shown."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour and text.strip() else text


_STYLES = {"bold": 1, "dim": 2}
PAPER = Page()


def page_of(stream: TextIO, widest: int | None = None) -> Page:
    """Width and colours of a stream: of the terminal if it is one; COLUMNS and NO_COLOR are
    honoured.
    """
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else 0
    if not width and stream.isatty():
        try:
            width = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            width = 80
    if widest is not None:
        width = min(width or widest, widest)
    return Page(width or None, coloured(stream))


def coloured(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and they are wanted."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# Values -------------------------------------------------------------------------------------------


def rounded(places: int = 4, sign: str = "") -> Callable[[Any], str]:
    """A function that writes numbers with so many decimal places; -1: all there are."""

    def show(value: Any) -> str:
        return f"{value}" if places == -1 else f"{value:{sign}.{places}f}"

    return show


def significant(digits: int) -> Callable[[Any], str]:
    """A function that writes numbers with so many significant digits, and nothing for NaN."""
    return lambda value: "" if value != value else f"{value:.{digits}g}"


# Frames -------------------------------------------------------------------------------------------


def of_frame(
    frame: Any,
    show: Callable[[Any], str],
    heads: Mapping[str, str] = MappingProxyType({}),
    shows: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
    **more: Any,
) -> Table:
    """A data frame as a table: numbers by `show`, whole numbers and text as they are, unless
    `shows` says otherwise.
    """
    import pandas as pd

    columns = []
    for name in frame.columns:
        kind = frame[name].dtype
        real = kind.kind == "f" if hasattr(kind, "kind") else False
        shown = shows.get(name, show if real else str)
        columns.append(
            Column(heads.get(name, str(name)), shown, left=not pd.api.types.is_numeric_dtype(kind))
        )
    values = [
        frame[name].astype(object).where(frame[name].notna(), None).tolist()
        for name in frame.columns
    ]
    return Table(columns, list(zip(*values, strict=True)), **more)


# Writing ------------------------------------------------------------------------------------------


def write(
    table: Table, form: str, out: TextIO | None = None, page: Page | None = None, head: bool = True
) -> None:
    """Write a table.

    Parameters
    ----------
    table : Table
    form : one of `FORMS`
    out : file, optional
        Standard output if not given.
    page : Page, optional
        That of `out` if not given.
    head : bool
        Whether tsv begins with the names of the columns, as csv always does.
    """
    out = sys.stdout if out is None else out
    out.writelines(lines(table, form, page or page_of(out), head))


def text(table: Table, form: str = "table", page: Page = PAPER) -> str:
    """A table as one string, see `write`."""
    return "".join(lines(table, form, page))


def lines(table: Table, form: str, page: Page, head: bool = True) -> Iterator[str]:
    """A table in pieces: for programs the rows as they come, one line each."""
    if form in _WRITERS:
        yield _WRITERS[form](table, page)
        return
    columns = table.columns
    names = [column.name for column in columns]
    given = (row for row in table.rows if not isinstance(row, str))
    rows = ([cell.value if isinstance(cell, Cell) else cell for cell in row] for row in given)
    if form in ("json", "jsonl"):
        import json

        records = (json.dumps(dict(zip(names, map(_json, row), strict=True))) for row in rows)
        if form == "json":
            yield "[" + ",".join(f"\n{record}" for record in records) + "\n]\n"
        else:
            yield from (f"{record}\n" for record in records)
        return
    between, escaped = (",", _quoted) if form == "csv" else ("\t", visible)
    if head or form == "csv":
        yield between.join(map(escaped, names)) + "\n"
    for row in rows:
        yield (
            between.join([escaped(_shown(c, v)) for c, v in zip(columns, row, strict=True)]) + "\n"
        )


def _shown(column: Column, value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else column.show(value)


def _json(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    # JSON has no NaN.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _quoted(cell: str) -> str:
    cell = (
        "".join(c if c in "\r\n\t" else visible(c) for c in cell)
        if not cell.isprintable()
        else cell
    )
    return f'"{cell.replace(chr(34), chr(34) * 2)}"' if set(cell) & set(',"\r\n') else cell


def _cells(table: Table) -> list[list[Cell]]:
    """The rows with text in place of values, except rows that are a string."""
    out = []
    for row in table.rows:
        if isinstance(row, str):
            continue
        cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
        shown = [
            visible(_shown(c, cell.value)) for c, cell in zip(table.columns, cells, strict=True)
        ]
        out.append([replace(cell, value=t) for cell, t in zip(cells, shown, strict=True)])
    return out


# For screens --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Printed:
    """A column ready to print: head and cells are lists of lines, each as wide as the column."""

    width: int
    head: list[str]
    cells: list[list[str]]


def _plain(table: Table, page: Page) -> str:
    rows = list(table.rows)
    cells = _cells(Table(table.columns, rows))
    labels = table.labels
    if labels is None:
        labels = next(
            (i for i, c in enumerate(table.columns) if not c.left or c.prose), len(table.columns)
        )
    columns = _columns(table.columns, cells, labels, page)
    out = table.title.splitlines()
    for n, block in enumerate(_blocks(columns, labels, page.width)):
        out += [""] * (n > 0)
        out += [
            page.styled(line, "bold") for line in _beside([c.head for c in block], block) if line
        ]
        at = iter(range(len(cells)))
        for row in rows:
            if not isinstance(row, str):
                i = next(at)
                out += _beside([c.cells[i] for c in block], block)
            elif n == 0 or not row:
                out.append(row)
    for note in table.notes:
        parts = (
            textwrap.wrap(note, page.width, subsequent_indent="  ") if page.width else None
        ) or [note]
        out += [page.styled(line, "dim") for line in parts]
    return "\n".join(out) + "\n"


def _columns(
    columns: Sequence[Column], rows: list[list[Cell]], labels: int, page: Page
) -> list[_Printed]:
    """The columns as wide as they need to be, or as the page lets them."""
    marks = [[("*" if cell.best else "") + "†" * cell.differs for cell in row] for row in rows]
    # Marks are outside the column of digits.
    outside = [max((len(row[i]) for row in marks), default=0) for i in range(len(columns))]
    widths = [
        max((wide(row[i].value) + outside[i] for row in rows), default=0)
        for i in range(len(columns))
    ]
    heads = [[visible(column.name)] for column in columns]
    room = [max(width, wide(head)) for width, (head,) in zip(widths, heads, strict=True)]
    if page.width is not None and _total(room) > page.width:
        heads = [
            head if i < labels else _broken(head[0], widths[i]) for i, head in enumerate(heads)
        ]
        room = [max([width, *map(wide, head)]) for width, head in zip(widths, heads, strict=True)]
        # Less for prose, then for labels, so that there is room for at least one column beside
        # them.
        for i, column in enumerate(columns):
            if column.prose:
                room[i] = min(room[i], max(page.width - _total(room) + room[i], _NARROWEST))
        widest = max(room[labels:], default=0)
        for i in range(labels):
            over = _total([*room[:labels], widest]) - page.width
            room[i] = min(room[i], max(room[i] - over, _NARROWEST))
    out = []
    for i, column in enumerate(columns):
        shown = []
        for row, mark in zip(rows, marks, strict=True):
            text = row[i].value
            if column.left:
                parts = (
                    textwrap.wrap(text, room[i])
                    if column.prose
                    else _broken(text, room[i], hard=True)
                )
                shown.append([_filled(part, room[i], True) for part in parts or [""]])
            else:
                blank = " " * (room[i] - outside[i] - wide(text))
                text = page.styled(text, "bold") if row[i].best else text
                shown.append([blank + text + mark[i].ljust(outside[i])])
        out.append(
            _Printed(room[i], [_filled(line, room[i], column.left) for line in heads[i]], shown)
        )
    return out


def _total(widths: Sequence[int]) -> int:
    """Width of columns beside each other."""
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _blocks(columns: list[_Printed], labels: int, width: int | None) -> Iterator[list[_Printed]]:
    """The columns in groups that fit the page, each after the labels."""
    block = columns[: labels + 1]
    for column in columns[labels + 1 :]:
        if width is not None and _total([of.width for of in (*block, column)]) > width:
            yield block
            block = columns[:labels]
        block = [*block, column]
    yield block


def _beside(cells: Sequence[Sequence[str]], columns: Sequence[_Printed]) -> list[str]:
    """Cells beside each other, the shorter ones filled up with blanks."""
    blanks = [" " * column.width for column in columns]
    lines = zip_longest(*cells)
    return [
        _GAP.join(part or blank for part, blank in zip(line, blanks, strict=True)).rstrip()
        for line in lines
    ]


def _filled(text: str, width: int, left: bool) -> str:
    gap = " " * (width - wide(text))
    return text + gap if left else gap + text


def _broken(name: str, width: int, hard: bool = False) -> list[str]:
    """A name in lines of about this width, nothing lost or added; broken inside a word only if
    `hard`.
    """
    if wide(name) <= width:
        return [name]
    ends = r".+?(?:[(,\s_.@-]+|$)" if hard else r".+?(?:,|\s+|(?<=\w)\(|$)"
    pieces = re.findall(ends, name)
    if hard:
        pieces = [piece[at : at + width] for piece in pieces for at in range(0, len(piece), width)]
    else:
        width = max(width, *map(wide, pieces))
    out = [""]
    for piece in pieces:
        if out[-1] and wide(out[-1] + piece) > width:
            out.append("")
        out[-1] += piece
    return out


def wide(text: str) -> int:
    """How many columns of a screen a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


# For papers and pages -----------------------------------------------------------------------------


def _remarks(table: Table, best: str) -> list[str]:
    """Notes, with the mark of the best value that this form has in place of a star."""
    return [
        note.replace("* best", f"{best}: best") if note.startswith("* best") else note
        for note in table.notes
    ]


def _markdown(table: Table, page: Page) -> str:
    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def shown(cell: Cell) -> str:
        text = _in_markdown(cell.value)
        return (f"**{text}**" if cell.best else text) + "†" * cell.differs

    heads = [_in_markdown(visible(column.name)) for column in table.columns]
    rule = "|" + "|".join(" --- " if column.left else " ---: " for column in table.columns) + "|"
    body = [row(map(shown, cells)) for cells in _cells(table)]
    above = f"{_in_markdown(table.title.rstrip())}\n\n" if table.title else ""
    notes = "".join(f"\n{_in_markdown(note)}\n" for note in _remarks(table, "Bold"))
    return above + "\n".join([row(heads), rule, *body]) + "\n" + notes


def _in_markdown(text: str) -> str:
    """Escape a text for Markdown, in which an underscore inside a word needs no escape."""
    return re.sub(
        r"[\\`*|~$\[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", text
    )


_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "_%&#${}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"[": "{[}", "*": "{*}"}  # after the end of a row, LaTeX would take them for its arguments
    | {"↓": r"$\downarrow$"}
)


# As wide as it is, but no wider than the text.
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def _latex(table: Table, page: Page) -> str:
    def shown(cell: Cell) -> str:
        text = cell.value.translate(_LATEX)
        return (rf"\textbf{{{text}}}" if cell.best else text) + (
            r"$^{\dagger}$" if cell.differs else ""
        )

    heads = [
        visible(column.name).translate(_LATEX) + (r" $\downarrow$" * column.lower)
        for column in table.columns
    ]
    kinds = "".join("l" if column.left else "r" for column in table.columns)
    body = [
        " & ".join(cells) + r" \\" for cells in (heads, *(map(shown, row) for row in _cells(table)))
    ]
    lines = [
        r"% \usepackage{booktabs,graphicx}",
        *(f"% {line}" for line in table.title.rstrip().splitlines()),
        _SHRUNK,
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        body[0],
        r"\midrule",
        *body[1:],
        r"\bottomrule",
        r"\end{tabular}}",
        *(f"% {note}" for note in _remarks(table, "bold")),
    ]
    return "\n".join(lines) + "\n"


def _html(table: Table, page: Page) -> str:
    from html import escape

    def row(cells: Iterable[str], tag: str) -> str:
        shown = (
            f'<{tag} style="text-align: {side}">{cell}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(shown)}</tr>"

    def shown(cell: Cell) -> str:
        text = escape(cell.value)
        return (f"<b>{text}</b>" if cell.best else text) + "&dagger;" * cell.differs

    sides = ["left" if column.left else "right" for column in table.columns]
    head = row((escape(column.name) for column in table.columns), "th")
    body = "".join(row(map(shown, cells), "td") for cells in _cells(table))
    notes = "<br>".join(escape(note) for note in table.notes if not note.startswith("*"))
    below = f"<p><small>{notes}</small></p>" if notes else ""
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{below}"


_WRITERS: dict[str, Callable[[Table, Page], str]] = {
    "table": _plain,
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}
