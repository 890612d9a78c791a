"""Read a published table: a row per run, a column per measure, figures as people print them.

CSV (also with tabs or semicolons), Markdown, or a frame. A table with the columns run, measure and
value is read, too. A figure may be bold, have a mark of significance, or be in percent.

Every figure of a table is either compared or left out with a reason: a table is not right because
most of it was not looked at. What follows a figure in its cell, such as an interval, is not one."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, TypeAlias

import pandas as pd
from ir_measures.measures import Measure

import irpref
from irpref.data import Source
from irpref.errors import InputError
from irpref.messages import clipped

_MINUS = "\u2212\u2013-"  # a minus, an en dash in its place, and the key
_NUMBER = re.compile(rf"[+{_MINUS}]?(?:\d+(?:,\d{{3}})+(?:\.\d+)?|\d*[.,]\d+|\d+)(?:[eE][-+]?\d+)?")
_ALSO = re.compile(rf"\s*/\s*(?:{_NUMBER.pattern})")  # two figures in one cell
_FIGURE = re.compile(rf"[(<>~≈]?\s*(?:{_NUMBER.pattern})(?=[a-z]{{,4}}(?![\w/:-]|\.\d))")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_RUN = ("run", "system", "model", "method", "name", "tag", "run_id", "runid", "runtag")
_MEASURE, _VALUE = ("measure", "metric"), ("value", "score", "mean")
_NUMBERS_OF_ROWS = ("", "#", "rank")
_MEAN = "mean"  # in a leaderboard, of the measure that the line above the table begins with
FURTHER = "a further number in its cell is not compared"
NO_MEASURE, NO_NUMBER = "its column is not read as a measure", "there is no number in it"
OTHER_TABLE = "it is in another table of the file"


@dataclass(frozen=True, slots=True)
class Figure:
    """A printed number.

    Attributes
    ----------
    run : str
        Name of the run in the table.
    measure : Measure
    text : str
        The cell.
    value : float
    places : int
        Digits after the decimal point.
    factor : float
        100 if it is in percent.
    """

    run: str
    measure: Measure
    text: str
    value: float
    places: int
    factor: float = 1.0

    def shows(self, mean: float, factor: float = 1.0) -> bool:
        """Tell whether a mean, times a factor, is printed like this."""
        half = 0.5 * 10.0**-self.places
        return abs(mean * self.factor * factor - self.value) <= half * (1 + 1e-9)


@dataclass(frozen=True, slots=True)
class Unread:
    """A cell that cannot be compared though it has a number, or stands where a figure should.

    Attributes
    ----------
    run : str
        Name of the run in the table.
    heading : str
        That of its column.
    text : str
        The cell.
    why : str
        Why it is not compared.
    """

    run: str
    heading: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Published:
    """What a table has; cells that are nowhere here hold nothing to compare.

    Attributes
    ----------
    figures : tuple of Figure
    others : tuple of str
        Headings that are no measures.
    unread : tuple of Unread
    beside : tuple of Unread
        Numbers of tables without a measure in the same file. They matter if their rows are runs.
    """

    figures: tuple[Figure, ...] = ()
    others: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    beside: tuple[Unread, ...] = ()

    def with_those_of(self, other: Published) -> Published:
        """Return the cells of both."""
        return Published(
            self.figures + other.figures,
            tuple(dict.fromkeys(self.others + other.others)),
            self.unread + other.unread,
            self.beside + other.beside,
        )


_Cells: TypeAlias = Sequence[Sequence[str]]
_Column: TypeAlias = list[tuple[str, str]]  # of each cell, the name of its row and its text


def published(table: Any) -> Published:
    """Read a table.

    Parameters
    ----------
    table : path, text of a table, or DataFrame

    Raises
    ------
    InputError, OSError
        There is no such file, no table in it, or no column that is a measure.
    """
    path = os.fspath(table) if isinstance(table, os.PathLike) else table
    if isinstance(path, pd.DataFrame):
        return _read([("", _of_frame(path))], None)
    if not isinstance(path, str):
        raise TypeError(f"expected a table or its path, got {type(table).__name__}")
    if "\n" in path:
        return _read(_tables(path), None)
    with Source(path).open() as file:
        return _read(_tables(file.read().decode("utf-8-sig"), path), path)


def _of_frame(frame: pd.DataFrame) -> list[list[str]]:
    named = {str(name).lower() for name in frame.columns} & {*_RUN}
    plain = isinstance(frame.index, pd.RangeIndex) or bool(named)
    table = frame if plain else frame.reset_index()
    head = [str(name) for name in table.columns]
    cells = table.astype(object).where(table.notna(), "").to_numpy()
    return [head, *([str(x) for x in row] for row in cells)]


def _tables(text: str, path: str | None = None) -> list[tuple[str, _Cells]]:
    """Read the cells of the Markdown tables of a text, each with the line above it, or of CSV."""
    lines = text.splitlines()
    rules = [i for i, line in enumerate(lines) if i and "|" in line and _RULE.fullmatch(line)]
    found: list[tuple[str, _Cells]] = []
    for rule in (i for i in rules if "|" in lines[i - 1]):
        above = [line for line in lines[: rule - 1] if line.strip()]
        below = takewhile(lambda line: "|" in line, lines[rule + 1 :])
        cells = [_of_markdown(row) for row in (lines[rule - 1], *below)]
        found.append((above[-1] if above else "", cells))
    if not found and r"\begin{tabular" in text:
        raise InputError("LaTeX is not read, expected CSV or Markdown", path=path)
    return found or [("", _of_csv([line for line in lines if line.strip()]))]


def _of_csv(lines: Sequence[str]) -> _Cells:
    head = lines[0] if lines else ""
    delimiter = max("\t;,", key=head.count)
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]


def _of_markdown(line: str) -> list[str]:
    inside = re.sub(r"^\||\|$", "", line.strip())
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", inside)]


def _read(tables: Sequence[tuple[str, _Cells]], path: str | None) -> Published:
    """Read the first table with figures of measures, and the other ones of a leaderboard."""
    there = [(above, cells) for above, cells in tables if len(cells) > 1 and len(cells[0]) > 1]
    if not there:
        raise InputError(
            "there is no table in it: expected a row of headings, then a row per run, a column per "
            "measure",
            path=path,
        )
    out = nothing = Published()  # nothing: what the tables without a measure have
    for above, cells in there:
        of_mean = _measure_of_mean(above, cells[0])
        found = _of_table(_columns(cells, of_mean))
        if not found.figures:
            nothing = nothing.with_those_of(found)
            found = Published(beside=found.unread)
        elif out.figures and of_mean is None:
            # Another table of a file may be of another collection.
            figures = [(f.run, str(f.measure), f.text) for f in found.figures]
            unread = [(cell.run, cell.heading, cell.text) for cell in found.unread]
            found = Published(unread=tuple(Unread(*c, OTHER_TABLE) for c in (*figures, *unread)))
        out = out.with_those_of(found)
    if not out.figures:
        listed = ", ".join(map(repr, nothing.others)) or "none"
        raise InputError(
            f"no column of the table is a measure with figures (columns: {clipped(listed)})",
            path=path,
        )
    return out


def _measure_of_mean(above: str, heads: Sequence[str]) -> Measure | None:
    """Return the measure of the column `mean` in a table of a leaderboard."""
    if _MEAN not in (_plain(name).lower() for name in heads):
        return None
    return measure_of(above.partition(": ")[0])


def _columns(
    cells: _Cells, of_mean: Measure | None
) -> Iterator[tuple[str, Measure | None, _Column]]:
    """Yield the columns of a table whose first row has the headings; None is no measure."""
    width = max(map(len, cells))
    head, *rows = [[*row, *[""] * (width - len(row))] for row in cells]
    low = [_plain(name).lower() for name in head]
    at = next((i for i, name in enumerate(low) if name in _RUN), 0)
    measure = next((i for i, name in enumerate(low) if name in _MEASURE), None)
    value = next((i for i, name in enumerate(low) if name in _VALUE), None)
    others = [i for i in range(width) if i != at]
    if measure is not None and value is not None:
        by_name: dict[str, _Column] = {}
        for row in rows:
            run = "" if at == measure else row[at]  # a table of one run need not name it
            by_name.setdefault(row[measure], []).append((run, row[value]))
        for name, column in by_name.items():
            yield name, measure_of(name), column
        others = [i for i in others if i not in (measure, value)]
    for i in others:
        column = [(row[at], row[i]) for row in rows]
        if measure is not None and value is not None:
            yield head[i], None, column
        else:
            yield head[i], of_mean if low[i] == _MEAN else measure_of(head[i]), column


def _of_table(columns: Iterable[tuple[str, Measure | None, _Column]]) -> Published:
    figures: list[Figure] = []
    others: list[str] = []
    unread: list[Unread] = []
    for heading, measure, column in columns:
        if measure is None:
            name, why = _plain(heading), NO_MEASURE
            others.append(name)
            left = [] if _numbers_rows(name, column) else [c for c in column if _is_figure(c[1])]
        else:
            name, why = str(measure), NO_NUMBER
            figures += _of_column(heading, measure, column)
            left = [(run, text) for run, text in column if text and number(text) is None]
            further = [(run, text) for run, text in column if _has_further(text)]
            unread += [Unread(_plain(run), name, text, FURTHER) for run, text in further]
        unread += [Unread(_plain(run), name, text, why) for run, text in left]
    return Published(tuple(figures), tuple(others), tuple(unread))


def _is_figure(text: str) -> bool:
    """Tell whether a cell is a number, maybe with marks after it: not `7B`, not `2019-passage`."""
    return bool(_FIGURE.match(_plain(text)))


def _numbers_rows(heading: str, column: _Column) -> bool:
    """Tell whether a column counts the rows, from 0 or from 1."""
    cells = [_plain(text) for _, text in column]
    counts = ([str(i + first) for i in range(len(cells))] for first in (0, 1))
    return heading.lower() in _NUMBERS_OF_ROWS and cells in counts


def _of_column(
    heading: str, measure: Measure, cells: Iterable[tuple[str, str]]
) -> Iterator[Figure]:
    """Read the figures of a column: in percent if it says so, or if values above 1 could be
    nothing else.
    """
    read = [(_plain(run), text, number(text)) for run, text in cells]
    found = [(run, text, *printed) for run, text, printed in read if printed is not None]
    said = "%" in heading or any("%" in text for _, text, _, _ in found)
    bounded = getattr(measure, "BOUNDS", (0.0, 1.0))[1] == 1 and str(measure.NAME)[:3] != "Num"
    over = bounded and max((value for _, _, value, _ in found), default=0) > 1
    for run, text, value, places in found:
        yield Figure(run, measure, text, value, places, 100.0 if said or over else 1.0)


def measure_of(heading: str) -> Measure | None:
    """Return the measure that a heading names, as `irpref.parse` reads it; None if it names
    none.
    """
    try:
        return irpref.parse(_plain(re.sub(r"[\[(]\s*\\?%\s*[\])]|\\?%", "", heading)))
    except (ValueError, TypeError):
        return None


def number(text: str) -> tuple[float, int] | None:
    """Return the number in a cell, and its digits after the decimal point; None if there is
    none.
    """
    found = _NUMBER.search(_plain(text))
    if found is None:
        return None
    plain = re.sub(rf"[{_MINUS}]", "-", found[0])
    whole, _, rest = plain.partition(",")
    if rest and "." not in rest:
        # 1,000 is a thousand and 0,774 is not.
        thousands = whole.lstrip("+-0") and re.fullmatch(r"\d{3}(,\d{3})*", rest)
        plain = plain.replace(",", "" if thousands else ".")
    plain = plain.replace(",", "")
    digits, _, power = plain.lower().partition("e")
    places = len(digits.partition(".")[2]) - int(power or 0)
    return float(plain), places


def _has_further(text: str) -> bool:
    """Tell whether a second figure follows in a cell. Marks of significance, and what is in
    brackets or after a sign (an interval, a gain) are none.
    """
    plain = _plain(text)
    first = _NUMBER.search(plain)
    return first is not None and _ALSO.match(plain, first.end()) is not None


def _plain(text: str) -> str:
    """Strip a cell of its marks: bold, code, LaTeX, arrows, signs of significance."""
    text = re.sub(r"\\(?:textbf|emph|underline|textit)\{([^}]*)\}", r"\1", text)
    text = re.sub(r"\^\{?\\?\w+\}?|<sup>.*?</sup>|\$", "", text)
    return re.sub(r"[*`↑↓†‡§]|(?<![\w])_|_(?![\w])", "", text).replace("\\_", "_").strip()
