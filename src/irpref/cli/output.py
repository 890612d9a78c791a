"""Results as text: lines to process, and tables to read.

tsv, jsonl, csv          one line a value
table, markdown, latex   one row a run (or topic), one column a measure; the best run is marked
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

LINES = ("tsv", "jsonl", "csv")
TABLES = ("table", "markdown", "latex")
DEFAULT_PLACES = 4
SUMMARY = "all"  # the host's name of the row over all topics

# Numbers that describe a run but do not rank it.
_COUNTS = ("NumQ", "NumRel", "NumRet", "num_q", "num_rel", "num_ret")
_DAGGER = {"table": "†", "markdown": "†", "latex": r"$^{\dagger}$"}


class Value(NamedTuple):
    """A value, where it belongs, and how it compares with the baseline."""

    run: str
    query_id: str  # SUMMARY for all topics
    measure: Any
    value: float
    difference: float | None = None
    p: float | None = None


class Layout:
    """What is shown: the columns of lines, the rounding of numbers, remarks below a table."""

    def __init__(
        self,
        form: str,
        places: int = DEFAULT_PLACES,
        with_run: bool = False,
        by_query: bool = False,
        compared: bool = False,
        alpha: float = 0.05,
    ) -> None:
        self.form, self.places, self.alpha = form, places, alpha
        self.with_run, self.by_query, self.compared = with_run, by_query, compared
        self.notes: list[str] = []

    def number(self, value: float) -> str:
        """The value rounded; -1 places are all there are, as the host's command has it."""
        return f"{value}" if self.places == -1 else f"{value:.{self.places}f}"

    @property
    def columns(self) -> list[str]:
        """Names of the columns of lines."""
        names = ["run"] * self.with_run + ["query_id"] * self.by_query + ["measure", "value"]
        return names + ["difference", "p"] * self.compared


def lower_is_better(measure: Any) -> bool:
    """Whether the best value is the lowest."""
    return not getattr(measure, "higher_is_better", True)


# Lines ----------------------------------------------------------------------------------------------------------


def header(layout: Layout) -> None:
    """What stands before the first line."""
    if layout.form == "csv":
        sys.stdout.write(",".join(layout.columns) + "\n")
    if layout.form == "jsonl" and layout.places != DEFAULT_PLACES:
        sys.stderr.write("--places is ignored when using --output jsonl\n")


def line(value: Value, layout: Layout) -> None:
    """One value as one line."""
    cells: dict[str, Any] = {
        "run": value.run,
        "query_id": value.query_id,
        "measure": str(value.measure),
        "value": value.value,
        "difference": value.difference,
        "p": value.p,
    }
    if layout.form == "jsonl":
        # JSON has no NaN.
        if cells["p"] is not None and math.isnan(cells["p"]):
            cells["p"] = None
        row = {name: cells[name] for name in layout.columns}
        import json

        sys.stdout.write(json.dumps(row) + "\n")
        return
    texts = [_cell(name, cells[name], layout) for name in layout.columns]
    if layout.form == "csv":
        texts = [f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & set(',"\n') else text for text in texts]
    sys.stdout.write(("," if layout.form == "csv" else "\t").join(texts) + "\n")


def _cell(name: str, content: Any, layout: Layout) -> str:
    if content is None:
        return ""
    if name == "p":
        return f"{content:.4g}"
    return layout.number(content) if name in ("value", "difference") else str(content)


# Tables ---------------------------------------------------------------------------------------------------------


def table(values: Iterable[Value], measures: Sequence[Any], layout: Layout) -> str:
    """Values as a table, with the best of the runs marked in each column."""
    found: dict[tuple[str, str], dict[Any, Value]] = {}
    for value in values:
        found.setdefault((value.run, value.query_id), {})[value.measure] = value
    rows = list(found)

    def shown(query_id: str, measure: Any) -> list[float]:
        """Values of the runs; the host leaves topics out of some measures."""
        return [found[r][measure].value for r in rows if r[1] == query_id and measure in found[r]]

    best = {
        (query_id, measure): winner
        for query_id in dict.fromkeys(query_id for _, query_id in rows)
        for measure in measures
        if layout.with_run and (winner := _best(measure, shown(query_id, measure), layout)) is not None
    }
    labels = ["run"] * layout.with_run + ["topic"] * layout.by_query
    if not labels:  # one run, all topics: a list is easier to read than one long row
        body = [[str(measure), layout.number(next(iter(found.values()))[measure].value)] for measure in measures]
        return _WRITERS[layout.form](["measure", "value"], 1, body, [])
    body = []
    for run, query_id in rows:
        cells = [run] * layout.with_run + [query_id] * layout.by_query
        for measure in measures:
            of = found[run, query_id].get(measure)
            text = "" if of is None else layout.number(of.value)
            is_best = bool(text) and best.get((query_id, measure)) == text
            cells.append(_marked(text, is_best, of is not None and _differs(of, layout), layout.form))
        body.append(cells)
    notes = list(layout.notes)
    if best and layout.form == "table":
        lower = [str(measure) for measure in measures if lower_is_better(measure)]
        notes.insert(0, "* best" + (f" (lower is better: {', '.join(lower)})" if lower else ""))
    return _WRITERS[layout.form]([*labels, *map(str, measures)], len(labels), body, notes)


def _best(measure: Any, values: Sequence[float], layout: Layout) -> str | None:
    """The best value as it is printed; None where nothing is better than anything else."""
    if str(measure.NAME) in _COUNTS:
        return None
    printed = {layout.number(value): value for value in values if value == value}
    if len(printed) < 2:
        return None
    return (min if lower_is_better(measure) else max)(printed, key=printed.__getitem__)


def _differs(value: Value, layout: Layout) -> bool:
    return value.p is not None and value.p < layout.alpha


def _marked(text: str, best: bool, differs: bool, form: str) -> str:
    if form == "table":
        return text + ("*" if best else "") + (_DAGGER[form] if differs else "")
    if best:
        text = f"**{text}**" if form == "markdown" else rf"\textbf{{{text}}}"
    return text + (_DAGGER[form] if differs else "")


def _plain(head: Sequence[str], n_labels: int, body: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    # Marks stand outside the column of digits.
    split = [[_split_mark(cell) if i >= n_labels else (cell, "") for i, cell in enumerate(row)] for row in body]
    widths, marks = [], []
    for i, name in enumerate(head):
        mark = max((len(row[i][1]) for row in split), default=0)
        widths.append(max([len(name) - mark, *(len(row[i][0]) for row in split)]))
        marks.append(mark)
    columns = list(zip(head, widths, marks, strict=True))
    lines = ["  ".join(_aligned(name, w + m, i < n_labels) for i, (name, w, m) in enumerate(columns))]
    for row in split:
        cells = [
            (text.ljust(w) if i < n_labels else text.rjust(w)) + mark.ljust(m)
            for i, ((text, mark), w, m) in enumerate(zip(row, widths, marks, strict=True))
        ]
        lines.append("  ".join(cells))
    return "\n".join([*(line.rstrip() for line in lines), *notes]) + "\n"


def _aligned(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def _split_mark(cell: str) -> tuple[str, str]:
    digits = cell.rstrip("*†")
    return digits, cell[len(digits) :]


def _markdown(head: Sequence[str], n_labels: int, body: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"

    rule = "|" + "|".join(" --- " if i < n_labels else " ---: " for i in range(len(head))) + "|"
    text = "\n".join([row(head), rule, *map(row, body)]) + "\n"
    return text + "".join(f"\n{note}\n" for note in notes)


_LATEX: Mapping[int, str] = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "_": r"\_",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


def _latex(head: Sequence[str], n_labels: int, body: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    lines = [r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{{'l' * n_labels}{'r' * (len(head) - n_labels)}}}"]
    lines += [r"\toprule", " & ".join(name.translate(_LATEX) for name in head) + r" \\", r"\midrule"]
    for row in body:
        cells = [cell.translate(_LATEX) if i < n_labels else cell for i, cell in enumerate(row)]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in notes)]
    return "\n".join(lines) + "\n"


_WRITERS = {"table": _plain, "markdown": _markdown, "latex": _latex}
