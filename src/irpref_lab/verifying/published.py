"""Read a published table: a row per run, a column per measure, figures as people print them.

CSV (also with tabs or semicolons), Markdown, or a frame. A table with the columns run, measure and
value is read, too. A figure may be bold, have a mark of significance, or be in percent."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from ir_measures.measures import Measure

import irpref
from irpref.data import Source
from irpref.errors import InputError
from irpref.messages import clipped

_NUMBER = re.compile(r"[-+\u2212]?(?:\d+(?:,\d{3})+(?:\.\d+)?|\d*[.,]\d+|\d+)(?:[eE][-+]?\d+)?")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_RUN = ("run", "system", "model", "method", "name", "tag", "run_id", "runid", "runtag")
_MEASURE, _VALUE = ("measure", "metric"), ("value", "score", "mean")


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
class Published:
    """The figures of a table, and the headings that are no measures."""

    figures: tuple[Figure, ...]
    others: tuple[str, ...] = ()


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
        return _read(_of_frame(path), None)
    if not isinstance(path, str):
        raise TypeError(f"expected a table or its path, got {type(table).__name__}")
    if "\n" in path:
        return _read(_cells(path), None)
    with Source(path).open() as file:
        return _read(_cells(file.read().decode("utf-8-sig")), path)


def _of_frame(frame: pd.DataFrame) -> list[list[str]]:
    named = {str(name).lower() for name in frame.columns} & {*_RUN}
    plain = isinstance(frame.index, pd.RangeIndex) or bool(named)
    table = frame if plain else frame.reset_index()
    head = [str(name) for name in table.columns]
    return [head, *(["" if x is None else str(x) for x in row] for row in table.to_numpy())]


def _cells(text: str) -> list[list[str]]:
    """Read the cells of the first Markdown table of a text, or of CSV."""
    lines = [line for line in text.splitlines() if line.strip()]
    rule = next(
        (i for i, line in enumerate(lines) if i and "|" in line and _RULE.fullmatch(line)), None
    )
    if rule is not None:
        rows = [lines[rule - 1]]
        for line in lines[rule + 1 :]:
            if "|" not in line:
                break
            rows.append(line)
        return [_of_markdown(row) for row in rows]
    head = lines[0] if lines else ""
    delimiter = max("\t;,", key=head.count)
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]


def _of_markdown(line: str) -> list[str]:
    inside = re.sub(r"^\||\|$", "", line.strip())
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", inside)]


def _read(cells: Sequence[Sequence[str]], path: str | None) -> Published:
    """Read the figures of a table whose first row has the headings."""
    if len(cells) < 2 or len(cells[0]) < 2:
        raise InputError(
            "there is no table in it: expected a row of headings, then a row per run, a column per "
            "measure",
            path=path,
        )
    head = [_plain(cell) for cell in cells[0]]
    rows = [[*row, *[""] * (len(head) - len(row))] for row in cells[1:]]
    low = [name.lower() for name in head]
    at = next((i for i, name in enumerate(low) if name in _RUN), 0)
    measure = next((i for i, name in enumerate(low) if name in _MEASURE), None)
    value = next((i for i, name in enumerate(low) if name in _VALUE), None)
    columns: dict[str, list[tuple[str, str]]] = {}
    if measure is not None and value is not None:
        for row in rows:
            run = "" if at == measure else row[at]  # a table of one run need not name it
            columns.setdefault(row[measure], []).append((run, row[value]))
    else:
        for i, name in enumerate(cells[0]):
            if i != at:
                columns.setdefault(name, []).extend((row[at], row[i]) for row in rows)
    return _figures(columns, path)


def _figures(columns: Mapping[str, list[tuple[str, str]]], path: str | None) -> Published:
    figures: list[Figure] = []
    others = []
    for heading, cells in columns.items():
        measure = measure_of(heading)
        if measure is None:
            others.append(_plain(heading))
            continue
        figures += _of_column(heading, measure, cells)
    if not figures:
        listed = ", ".join(map(repr, others)) or "none"
        raise InputError(
            f"no column of the table is a measure with figures (columns: {clipped(listed)})",
            path=path,
        )
    return Published(tuple(figures), tuple(others))


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
    plain = found[0].replace("\u2212", "-")
    whole, _, rest = plain.partition(",")
    if rest and "." not in rest:
        # 1,000 is a thousand and 0,774 is not.
        thousands = whole.lstrip("+-0") and re.fullmatch(r"\d{3}(,\d{3})*", rest)
        plain = plain.replace(",", "" if thousands else ".")
    plain = plain.replace(",", "")
    digits, _, power = plain.lower().partition("e")
    places = len(digits.partition(".")[2]) - int(power or 0)
    return float(plain), places


def _plain(text: str) -> str:
    """Strip a cell of its marks: bold, code, LaTeX, arrows, signs of significance."""
    text = re.sub(r"\\(?:textbf|emph|underline|textit)\{([^}]*)\}", r"\1", text)
    text = re.sub(r"\^\{?\\?\w+\}?|<sup>.*?</sup>|\$", "", text)
    return re.sub(r"[*`↑↓†‡§]|(?<![\w])_|_(?![\w])", "", text).replace("\\_", "_").strip()
