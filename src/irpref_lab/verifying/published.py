"""Read a published table: a row per run, a column per measure, figures as people print them.

CSV (also with tabs or semicolons), Markdown, or a frame. A table with the columns run, measure and
value is read, too. A figure may be bold, have a mark of significance, or be in percent.

Every figure of a table is either compared or left out with a reason: a table is not right because
most of it was not looked at. Of several numbers in a cell, the first is the figure if the others
are clearly none: a deviation, a change, anything in brackets. Other such cells are left out, since
a rank or the number of a footnote must not confirm the figure beside it."""

from __future__ import annotations

import csv
import html
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
from ir_measures.measures import Measure

import irpref
from irpref.data import Source
from irpref.errors import InputError, Remedy
from irpref.messages import clipped

_MINUS = "\u2212\u2013-"  # a minus, an en dash in its place, and the key
_THOUSANDS = r"[1-9]\d{,2}(?:,\d{3})+(?![\d,])(?:\.\d+)?"
_NUMBER = re.compile(rf"[+{_MINUS}]?(?:{_THOUSANDS}|\d*[.,]\d+|\d+)(?:[eE][-+]?\d+)?")
_FIRST = re.compile(rf"(?<!\w)(?:{_NUMBER.pattern})")
_BESIDE = re.compile(  # what may follow a figure: in brackets, a deviation, a change
    r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}"
    rf"|(?:±|\\pm|\+/[{_MINUS}])\s*(?:{_NUMBER.pattern})|(?<=\s)(?=[-+\u2212])(?:{_NUMBER.pattern})"
)
_ALSO = re.compile(rf"\s*/\s*(?:{_NUMBER.pattern})")  # two figures in one cell
_FIGURE = re.compile(rf"[(<>~≈]?\s*(?:{_NUMBER.pattern})(?=[a-z]{{,4}}(?![\w/:-]|\.\d))")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_RUN = ("run", "system", "model", "method", "name", "tag", "run_id", "runid", "runtag")
_MEASURE, _VALUE = ("measure", "metric"), ("value", "score", "mean")
_NUMBERS_OF_ROWS = ("", "#", "rank")
_MEAN = "mean"  # in a leaderboard, of the measure that the line above the table begins with
FURTHER = "a further number in its cell is not compared"
NO_MEASURE, NO_NUMBER = "its column is not read as a measure", "there is no number in it"
UNCLEAR = "it is not clear which number in its cell is the figure"
NOT_ALONE = "a whole number beside something else may not be the figure"
NO_VALUE = "the measure has no such value"
DOUBTS = (UNCLEAR, NOT_ALONE, NO_VALUE)
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
        rounding = 1e-12 * max(1.0, abs(self.value))  # of sums in another order
        return abs(mean * self.factor * factor - self.value) <= half * (1 + 1e-9) + rounding


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

    @property
    def has_numbers(self) -> bool:
        """Whether there are any in columns of measures, be they figures or not."""
        return bool(self.figures) or any(cell.why in DOUBTS for cell in self.unread)

    @property
    def measures(self) -> list[Measure]:
        """Those of the figures, each once."""
        return list(dict.fromkeys(figure.measure for figure in self.figures))

    def without(self, refused: Mapping[Measure, object]) -> Published:
        """Leave out the figures of some measures, each with a reason."""
        left = (f for f in self.figures if f.measure in refused)
        unread = [Unread(f.run, str(f.measure), f.text, str(refused[f.measure])) for f in left]
        figures = tuple(f for f in self.figures if f.measure not in refused)
        return replace(self, figures=figures, unread=(*self.unread, *unread))

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
        data = file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("this is not UTF-8", path=path, line=line) from None
    return _read(_tables(text, path), path)


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
        if not found.has_numbers:
            nothing = nothing.with_those_of(found)
            found = Published(beside=found.unread)
        elif out.has_numbers and of_mean is None:
            # Another table of a file may be of another collection.
            figures = [(f.run, str(f.measure), f.text) for f in found.figures]
            unread = [(cell.run, cell.heading, cell.text) for cell in found.unread]
            found = Published(unread=tuple(Unread(*c, OTHER_TABLE) for c in (*figures, *unread)))
        out = out.with_those_of(found)
    if not out.has_numbers:
        raise _without_figures(nothing, [cells for _, cells in there], path)
    return out


def _without_figures(found: Published, tables: Iterable[_Cells], path: str | None) -> InputError:
    """Return the error about tables without a figure."""
    listed = ", ".join(map(repr, found.others)) or "none"
    said = f"no column of the table is a measure with figures (columns: {clipped(listed)})"
    names = [row[0] for cells in tables for row in cells[1:] if row]
    measures = [str(measure) for name in names if (measure := measure_of(name))]
    if 2 * len(measures) <= len(names):  # a run may have the name of a measure
        return InputError(said, path=path)
    effect = "transpose it, so that each run has a row and each measure a column"
    said += f"; its rows are measures ({clipped(', '.join(measures))})"
    return InputError(said, path=path, remedy=Remedy(effect=effect))


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
            read, without = _of_column(heading, measure, column)
            figures += read
            unread += without
            left = [(run, text) for run, text in column if text and number(text) is None]
            further = [f for f in read if _is_of_two(f.text)]
            unread += [Unread(f.run, name, f.text, FURTHER) for f in further]
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
) -> tuple[list[Figure], list[Unread]]:
    """Read the figures of a column, and the cells with a number that may not be one.

    A figure is in percent if the heading or the sign behind it says so, or if it is above 1 and the
    measure is not. One below 1 is if most of its column are, and have as many digits."""
    low, high = getattr(measure, "BOUNDS", (0.0, 1.0))
    bounded = high == 1 and str(measure.NAME)[:3] != "Num"
    plain = [(_plain(run), text) for run, text in cells]
    # No value up to 100% has thousands.
    comma = bounded or any(_has_decimal_comma(text) for _, text in plain)
    read = [(run, text, found) for run, text in plain if (found := _number(text, comma))]
    said = "%" in heading
    above = [found for _, _, found in read if found.percent or found.value > 1]
    most, digits = 2 * len(above) > len(read), {found.places for found in above}
    figures: list[Figure] = []
    unread: list[Unread] = []
    for run, text, found in read:
        percent = said or found.percent
        alike = percent or (most and found.places in digits)
        best = 100 if alike else 1
        if why := _doubt(found, (low * best, best) if bounded else None):
            unread.append(Unread(run, str(measure), text, why))
            continue
        percent = percent or (bounded and (found.value > 1 or alike))
        factor = 100.0 if percent else 1.0
        figures.append(Figure(run, measure, text, found.value, found.places, factor))
    return figures, unread


class _Number(NamedTuple):
    """The first number of a cell, and whether it is the figure."""

    value: float
    places: int
    percent: bool  # a percent sign follows
    alone: bool
    clear: bool  # no other number could be the figure


def _doubt(found: _Number, bounds: tuple[float, float] | None) -> str:
    """Say why a number may not be the figure of its cell; empty if it is. In whole numbers, a
    measure with bounds has few values.
    """
    if not found.clear:
        return UNCLEAR
    if not math.isfinite(found.value) or abs(found.places) > 300:  # floats end there
        return NO_VALUE
    if bounds and found.places <= 0:
        if not found.alone:
            return NOT_ALONE
        if found.places < 0 or not bounds[0] <= found.value <= bounds[1]:
            return NO_VALUE
    return ""


def measure_of(heading: str) -> Measure | None:
    """Return the measure that a heading names, as `irpref.parse` reads it; None if it names
    none.
    """
    try:
        return irpref.parse(_plain(re.sub(r"[\[(]\s*\\?%\s*[\])]|\\?%", "", heading)))
    except (ValueError, TypeError):
        return None


def number(text: str, decimal_comma: bool = False) -> tuple[float, int] | None:
    """Return the first number in a cell, and its digits after the decimal point; None if there is
    none. `1,234` is a thousand unless there is a decimal comma.
    """
    found = _number(text, decimal_comma)
    return found and (found.value, found.places)


def _number(text: str, decimal_comma: bool) -> _Number | None:
    plain = _plain(text)
    found = _FIRST.search(plain)
    if found is None:
        return None
    digits, _, power = re.sub(rf"[{_MINUS}]", "-", found[0]).lower().partition("e")
    single = digits.count(",") == 1 and "." not in digits
    if single and (decimal_comma or not _in_thousands(digits)):
        digits = digits.replace(",", ".")
    digits = digits.replace(",", "")
    value = float(f"{digits}e{power or 0}")
    places = len(digits.partition(".")[2]) - (int(power or 0) if value else 0)
    before, rest = plain[: found.start()], plain[found.end() :]
    sign = re.match(r"\s*\\?%", rest)
    rest = rest[sign.end() :] if sign else rest
    others = before + _BESIDE.sub("", _ALSO.sub("", rest) if _ALSO.match(rest) else rest)
    return _Number(
        value,
        places,
        percent=sign is not None,
        alone=not (before + rest).strip(),
        clear=not re.search(r"\d", others),
    )


def _in_thousands(digits: str) -> bool:
    return re.fullmatch(_THOUSANDS, digits.lstrip("+-")) is not None


def _has_decimal_comma(text: str) -> bool:
    """Tell whether the comma of a number can only be a decimal one: in 0,774 but not in 1,774."""
    found = _FIRST.search(_plain(text))
    digits = found[0].lstrip(f"+{_MINUS}").lower().partition("e")[0] if found else ""
    return digits.count(",") == 1 and "." not in digits and not _in_thousands(digits)


def _is_of_two(text: str) -> bool:
    """Tell whether a second figure follows the first after a stroke."""
    plain = _plain(text)
    first = _FIRST.search(plain)
    return first is not None and _ALSO.match(plain, first.end()) is not None


# A subscript stays, in braces: it may be the cutoff in a heading.
_SUPERSCRIPT = re.compile(r"(?i)<sup>.*?</sup>")
_SUBSCRIPT = re.compile(r"(?i)<sub>(.*?)</sub>|\\textsubscript\{([^{}]*)\}")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_NOTE = re.compile(r"\\(?:textsuperscript|cite[a-z]*|[a-z]*note)\{[^{}]*\}")
_MODEL = r"(?:\[[^]]*\])?"  # of a colour
_COLOUR = re.compile(rf"\\(?:cell|row|page)?color{_MODEL}\{{[^{{}}]*\}}")
_COLOURED = re.compile(rf"\\(?:textcolor|f?colorbox){_MODEL}(?:\{{[^{{}}]*\}}){{1,2}}(?=\{{)")
_AROUND = re.compile(r"\\[A-Za-z]+\{([^{}]*)\}")
_MARKS = re.compile(r"[*`↑↓†‡§⁰¹²³⁴-⁹]|(?<![\w])_|_(?![\w])")


def _plain(text: str) -> str:
    """Strip a cell of its marks: bold, code, LaTeX, HTML, arrows, signs of significance."""
    text = html.unescape(text)
    text = _SUBSCRIPT.sub(r"{\1\2}", _SUPERSCRIPT.sub("", text))
    text = _COLOUR.sub("", _NOTE.sub("", _TAG.sub(" ", text)))
    text = _COLOURED.sub(r"\\text", text)
    while (inside := _AROUND.sub(r"\1", text)) != text:
        text = inside
    text = re.sub(r"\^\{[^{}]*\}|\^\\?\w+|\$", "", text)
    return _MARKS.sub("", text).replace("\\_", "_").strip()
