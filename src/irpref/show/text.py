"""Tables as text: one writer for everything that is printed.

    table             for a screen: long heads are broken, then columns come in blocks
    tsv, csv, jsonl   one line a row, to be read by programs
    json              the rows of jsonl as one array
    latex, markdown   for papers and pages

The standard library writes csv and json, tabulate the others. tabulate does not know how wide the
screen is, so the width of columns, and which columns share a block, are decided here.

Names are data. Characters that would move a cursor or end a row are escaped in columns; csv quotes
line ends. In csv, a quote comes before a cell that a spreadsheet would take for a formula."""

from __future__ import annotations

import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
_BULLET = "- "  # of an item of a list: its other lines begin below its first word
_NARROWEST = 24  # characters of prose, and of names that are broken to make room for others


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and how its values look."""

    name: str
    show: Callable[[Any], str] = str
    left: bool = False  # flush left; such columns at the front are labels, repeated in each block
    prose: bool = False  # sentences, broken into the space that is left
    narrowest: int = _NARROWEST  # characters that prose and labels need at least
    lower: bool = False  # the lowest value is the best
    below: int = 0  # prose, last: under its row if rows had more lines than these with it beside


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with its marks."""

    value: Any
    best: bool = False
    differs: bool = False
    letters: str = ""  # of the groups that the value is in; in papers alone


class Table:
    """Rows of values (or `Cell`s), with a title above and notes below.

    None is an empty cell; a row without cells is a blank line on a screen, and left out elsewhere.
    `labels`: how many columns are repeated in each block; those flush left at the front if not
    given. `caption`: of the table in a paper, where it is then set as a float, or over several
    pages."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[Any]],
        title: str = "",
        notes: Sequence[str] = (),
        labels: int | None = None,
        caption: str = "",
    ) -> None:
        self.columns, self.rows, self.title = columns, rows, title
        self.notes, self.labels, self.caption = notes, labels, caption


@dataclass(frozen=True, slots=True)
class Page:
    """The page that a text is printed on."""

    width: int | None = None
    colour: bool = False

    def styled(self, text: str, style: str) -> str:
        """Return the text bold or dim, if colours are shown."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour and text.strip() else text


_STYLES = {"bold": 1, "dim": 2}
PAPER = Page()


def page_of(stream: TextIO, widest: int | None = None) -> Page:
    """Find width and colours of a stream: of the terminal if it is one; COLUMNS and NO_COLOR are
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
    """Test whether a stream is a terminal that shows colours, and they are wanted."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# Values -------------------------------------------------------------------------------------------


def rounded(places: int = 4, sign: str = "") -> Callable[[Any], str]:
    """Make a function that writes numbers with so many decimal places; -1: all there are."""

    def show(value: Any) -> str:
        return f"{value}" if places == -1 else f"{value:{sign}.{places}f}"

    return show


def significant(digits: int) -> Callable[[Any], str]:
    """Make a function that writes numbers with so many significant digits, and nothing for NaN."""
    return lambda value: "" if value != value else f"{value:.{digits}g}"


# Frames -------------------------------------------------------------------------------------------


def of_frame(
    frame: Any,
    show: Callable[[Any], str],
    heads: Mapping[str, str] = MappingProxyType({}),
    shows: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
    **more: Any,
) -> Table:
    """Turn a data frame into a table: numbers by `show`, whole numbers and text as they are, unless
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
        The page of `out` if not given.
    head : bool
        Whether tsv begins with the names of the columns, as csv always does.
    """
    out = sys.stdout if out is None else out
    out.writelines(lines(table, form, page or page_of(out), head))


def text(table: Table, form: str = "table", page: Page = PAPER) -> str:
    """Return a table as one string, see `write`."""
    return "".join(lines(table, form, page))


def lines(table: Table, form: str, page: Page, head: bool = True) -> Iterator[str]:
    """Yield a table in pieces: for programs the rows as they come, one line each."""
    if form == "tsv":
        return _tsv(table, head)
    if form == "csv":
        return _csv(table)
    if form in ("json", "jsonl"):
        return _json(table, form)
    return iter([_table(table, page) if form == "table" else _WRITERS[form](table)])


# For programs -------------------------------------------------------------------------------------


def _rows(table: Table) -> Iterator[list[Any]]:
    """Yield the values of each row, without their marks."""
    for row in table.rows:
        if row:
            yield [cell.value if isinstance(cell, Cell) else cell for cell in row]


def _shown(column: Column, value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else column.show(value)


def _tsv(table: Table, head: bool) -> Iterator[str]:
    if head:
        yield "\t".join(visible(column.name) for column in table.columns) + "\n"
    for row in _rows(table):
        cells = (visible(_shown(c, v)) for c, v in zip(table.columns, row, strict=True))
        yield "\t".join(cells) + "\n"


class _Echo:
    """A file for csv's writer, which then returns each line."""

    def write(self, line: str) -> str:
        return line


def _csv(table: Table) -> Iterator[str]:
    import csv

    # csv quotes the line ends of a cell that are in this terminator; lines still end with \n.
    writer = csv.writer(_Echo(), lineterminator="\r\n")
    yield writer.writerow([_no_formula(column.name) for column in table.columns])[:-2] + "\n"
    for row in _rows(table):
        cells = [_no_formula(_shown(c, v)) for c, v in zip(table.columns, row, strict=True)]
        yield writer.writerow(cells)[:-2] + "\n"


def _no_formula(cell: str) -> str:
    """Put a quote before a cell that a spreadsheet would compute: it begins with `=`, `+`, `-` or
    `@`, and is no number.
    """
    text = _on_lines(cell)
    if text.lstrip()[:1] not in ("=", "+", "-", "@"):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _on_lines(cell: str) -> str:
    """Escape the control characters of a cell except for those that csv quotes."""
    return re.sub(r"[^\r\n\t]+", lambda part: visible(part[0]), cell)


def _json(table: Table, form: str) -> Iterator[str]:
    import json

    names = [column.name for column in table.columns]
    records = (
        json.dumps(dict(zip(names, map(_strict, row), strict=True)), allow_nan=False)
        for row in _rows(table)
    )
    if form == "json":
        yield "[" + ",".join(f"\n{record}" for record in records) + "\n]\n"
    else:
        yield from (f"{record}\n" for record in records)


def _strict(value: Any) -> Any:
    """Return a value as JSON knows it: it has no NaN and no infinity."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


# For screens --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Fitted:
    """A column ready to print: head and cells may have several lines."""

    head: str
    cells: list[str]
    width: int
    left: bool


def _table(table: Table, page: Page) -> str:
    rows = list(table.rows)
    labels = table.labels
    if labels is None:
        labels = next(
            (i for i, c in enumerate(table.columns) if not c.left or c.prose), len(table.columns)
        )
    cells = _cells(table, rows)
    under = (
        None
        if _has_room(table.columns, cells, labels, page)
        else [row.pop().value for row in cells]
    )
    columns = _fitted(table.columns[: None if under is None else -1], cells, labels, page)
    blocks = [_block(block, page) for block in _blocks(columns, labels, page.width)]
    if under is not None:
        blocks[-1] = _with_lines_below(blocks[-1], columns, under, page)
    lines = table.title.splitlines()
    if page.width:
        lines = [part for line in lines for part in textwrap.wrap(line, page.width) or [""]]
    out = [*lines, "\n\n".join(blocks)]
    for note in table.notes:
        parts = textwrap.wrap(note, page.width, subsequent_indent="  ") if page.width else [note]
        out += [page.styled(line, "dim") for line in parts or [note]]
    return "\n".join(out) + "\n"


def _has_room(columns: Sequence[Column], rows: list[list[Cell]], labels: int, page: Page) -> bool:
    """Test whether the last column fits beside the others, or has no other place."""
    if page.width is None or not (columns and columns[-1].below):
        return True
    beside = _fitted(columns, rows, labels, page)
    tallest = max((cell.count("\n") + 1 for column in beside for cell in column.cells), default=1)
    return tallest <= columns[-1].below and _total([c.width for c in beside]) <= page.width


def _with_lines_below(
    block: str, columns: Sequence[_Fitted], under: Sequence[str], page: Page
) -> str:
    """Add to a block the text below each row that has one."""
    assert page.width is not None
    indent = " " * 2 * len(_GAP)
    lines = iter(block.split("\n"))
    n_heads = max(column.head.count("\n") + 1 for column in columns)
    out = [next(lines) for _ in range(n_heads)]
    for i, text in enumerate(under):
        out += [next(lines) for _ in range(max(c.cells[i].count("\n") + 1 for c in columns))]
        out += textwrap.wrap(text, page.width, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(out)


def _fitted(
    columns: Sequence[Column], rows: list[list[Cell]], labels: int, page: Page
) -> list[_Fitted]:
    """Make the columns as wide as they need to be, or as the page lets them."""
    marks = [["*" * cell.best + "†" * cell.differs for cell in row] for row in rows]
    # Marks are outside the column of digits.
    outside = [max((len(row[i]) for row in marks), default=0) for i in range(len(columns))]
    widths = [
        max((wide(row[i].value) + outside[i] for row in rows), default=0)
        for i in range(len(columns))
    ]
    heads = [visible(column.name) for column in columns]
    room = [max(width, wide(head)) for width, head in zip(widths, heads, strict=True)]
    if page.width is not None and _total(room) > page.width:
        heads = [head if i < labels else _broken(head, widths[i]) for i, head in enumerate(heads)]
        room = [
            max([width, *map(wide, head.split("\n"))])
            for width, head in zip(widths, heads, strict=True)
        ]
        _narrow(room, columns, labels, page.width)
    fitted = []
    for i, column in enumerate(columns):
        shown = []
        for row, mark in zip(rows, marks, strict=True):
            value = row[i].value
            if column.prose:
                hang = _BULLET if value.startswith(_BULLET) else ""
                shown.append(textwrap.fill(value, room[i], subsequent_indent=" " * len(hang)))
            elif column.left:
                shown.append(_broken(value, room[i], hard=True))
            else:
                styled = page.styled(value, "bold") if row[i].best else value
                shown.append(styled + mark[i].ljust(outside[i]))
        fitted.append(_Fitted(heads[i], shown, room[i], column.left))
    return fitted


def _narrow(room: list[int], columns: Sequence[Column], labels: int, width: int) -> None:
    """Take room from prose, then from labels that may be narrower than others, then from all
    labels, until one column has room beside them on a page of this width.
    """
    prose = [i for i, column in enumerate(columns) if column.prose]
    narrow = [i for i, column in enumerate(columns[:labels]) if column.narrowest < _NARROWEST]
    for i in (*prose, *narrow):
        left = width - _total(room) + room[i]
        room[i] = min(room[i], max(left, columns[i].narrowest))
    widest = max(room[labels:], default=0)
    for i in range(labels):
        over = _total([*room[:labels], widest]) - width
        room[i] = min(room[i], max(room[i] - over, _NARROWEST))


def _total(widths: Sequence[int]) -> int:
    """Add up the width of columns beside each other."""
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _blocks(columns: list[_Fitted], labels: int, width: int | None) -> Iterator[list[_Fitted]]:
    """Split the columns into groups that fit the page, each after the labels."""
    block = columns[: labels + 1]
    for column in columns[labels + 1 :]:
        if width is not None and _total([c.width for c in (*block, column)]) > width:
            yield block
            block = columns[:labels]
        block = [*block, column]
    yield block


def _block(columns: list[_Fitted], page: Page) -> str:
    """Lay out the lines of columns beside each other, heads in bold."""
    heads = [column.head for column in columns]
    rows: list[Any] = list(zip(*(column.cells for column in columns), strict=True))
    sides = ["left" if column.left else "right" for column in columns]
    if not any(heads):
        return _tabulated(rows, [], "plain", sides)
    # As the first row: tabulate makes columns wider than their heads.
    printed = _tabulated([heads, *rows], [], "plain", sides).split("\n")
    n_heads = max(head.count("\n") + 1 for head in heads)
    printed[:n_heads] = [page.styled(line, "bold") for line in printed[:n_heads]]
    return "\n".join(printed)


def _tabulated(
    cells: Sequence[Sequence[str]], heads: Sequence[str], form: Any, sides: Sequence[str]
) -> str:
    """Format cells with tabulate, which leaves text as it is."""
    from tabulate import tabulate

    return tabulate(
        cells,
        headers=heads,
        tablefmt=form,
        colalign=sides if cells else None,
        headersalign=sides if heads and cells else None,
        disable_numparse=True,
        preserve_whitespace=True,
    )


def _broken(name: str, width: int, hard: bool = False) -> str:
    """Break a name into lines of about this width, nothing lost or added; inside a word only if
    `hard`.
    """
    if wide(name) <= width:
        return name
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
    return "\n".join(out)


def wide(text: str) -> int:
    """Count the columns of a screen that a text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # with which tabulate measures, too

    return wcswidth(text)


# For papers and pages -----------------------------------------------------------------------------


def _cells(table: Table, rows: Iterable[Sequence[Any]]) -> list[list[Cell]]:
    """Turn the values of each row into text; blank rows have empty cells."""
    out = []
    for row in rows:
        cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
        # tabulate leaves out an empty row where others have several lines.
        cells = cells or [Cell(" ") for _ in table.columns]
        shown = [
            visible(_shown(c, cell.value)) for c, cell in zip(table.columns, cells, strict=True)
        ]
        out.append([replace(cell, value=t) for cell, t in zip(cells, shown, strict=True)])
    return out


def _marked(
    table: Table,
    form: Any,
    written: Callable[[str], str],
    best: str,
    differs: str,
    letters: str = "{}",
) -> str:
    """Write the table in a form of tabulate, its marks in the words of that form.

    Parameters
    ----------
    written : function
        Escapes a text.
    best, differs : str
        The text for a marked value, which takes the place of `{}`.
    letters : str
        The same for letters after a value.
    """

    def shown(cell: Cell) -> str:
        value = written(cell.value)
        value = best.format(value) if cell.best else value
        value = differs.format(value) if cell.differs else value
        return value + letters.format(cell.letters) if cell.letters else value

    heads = [written(visible(column.name)) for column in table.columns]
    sides = ["left" if column.left else "right" for column in table.columns]
    rows = _cells(table, filter(None, table.rows))
    return _tabulated([list(map(shown, row)) for row in rows], heads, form, sides)


def _remarks(table: Table, best: str) -> list[str]:
    """List the notes, with the mark of the best value that this form has in place of a star."""
    return [
        note.replace("* best", f"{best}: best") if note.startswith("* best") else note
        for note in table.notes
    ]


def _markdown(table: Table) -> str:
    above = f"{_in_markdown(table.title.rstrip())}\n\n" if table.title else ""
    body = _marked(table, "pipe", _in_markdown, "**{}**", "{}†")
    notes = "".join(f"\n{_in_markdown(note)}\n" for note in _remarks(table, "Bold"))
    return f"{above}{body}\n{notes}"


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
    | {"↓": r"$\downarrow$", "†": r"$^{\dagger}$"}
)


# As wide as it is, but no wider than the text.
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


_LONGEST = 40  # rows of a table on one page


def _latex(table: Table) -> str:
    from tabulate import DataRow, Line, TableFormat

    rows = list(filter(None, table.rows))
    breaks = len(rows) > _LONGEST
    # tabulate's own form escapes the marks.
    booktabs = TableFormat(
        lineabove=Line(r"\toprule", "", "", ""),
        linebelowheader=Line(_HEAD_AGAIN if breaks else r"\midrule", "", "", ""),
        linebetweenrows=None,
        linebelow=None if breaks else Line(r"\bottomrule", "", "", ""),
        headerrow=DataRow("", " & ", r" \\"),
        datarow=DataRow("", " & ", r" \\"),
        padding=0,
        with_header_hide=None,
    )
    columns = [
        replace(column, name=f"{column.name} ↓") if column.lower else column
        for column in table.columns
    ]
    kinds = "".join("l" if column.left else "r" for column in columns)
    body = _marked(
        Table(columns, rows),
        booktabs,
        _in_latex,
        r"\textbf{{{}}}",
        r"{}$^{{\dagger}}$",
        r"\textsuperscript{{{}}}",
    )
    packages = "booktabs,longtable" if breaks else "booktabs,graphicx"
    above = [rf"% \usepackage{{{packages}}}"]
    above += [f"% {line}" for line in table.title.rstrip().splitlines()]
    below = [f"% {note}" for note in _remarks(table, "bold")]
    caption = rf"\caption{{{_in_latex(table.caption)}}}"
    if breaks:
        head = body.split("\n")[1]
        body = body.replace(_HEAD_AGAIN, _HEAD_AGAIN.replace("HEAD", head))
        above += [
            r"\begingroup\small\setlength{\tabcolsep}{4pt}",
            rf"\begin{{longtable}}{{{kinds}}}",
        ]
        above += [caption + r"\\"] if table.caption else []
        below = [r"\end{longtable}", r"\endgroup", *below]
    else:
        above += [r"\begin{table}", r"\centering", caption] if table.caption else [r"\noindent"]
        above += [_SHRUNK, rf"\begin{{tabular}}{{{kinds}}}"]
        below = [r"\end{tabular}}", *([r"\end{table}"] if table.caption else []), *below]
    return "\n".join([*above, body, *below]) + "\n"


# Under the head of a table over several pages; HEAD is the head.
_HEAD_AGAIN = (
    "\\midrule\n\\endfirsthead\n\\toprule\nHEAD\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot"
)


def _in_latex(text: str) -> str:
    return text.translate(_LATEX)


def _html(table: Table) -> str:
    from html import escape

    title = "".join(f"<p>{escape(line)}</p>" for line in table.title.splitlines() if line)
    body = _marked(table, "unsafehtml", escape, "<b>{}</b>", "{}&dagger;", "<sup>{}</sup>")
    for cell in ("th", "td"):
        body = body.replace(f"<{cell}>", f'<{cell} style="text-align: left;">')
    body = f'<div style="overflow-x: auto;">{body}</div>'
    notes = "<br>".join(map(escape, _remarks(table, "bold")))
    return title + body + (f"<p><small>{notes}</small></p>" if notes else "")


_WRITERS = {"markdown": _markdown, "latex": _latex, "html": _html}
