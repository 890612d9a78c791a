"""The result of `pt.Experiment` as a table to read: what is best, which way is better, what differs."""

from __future__ import annotations

import html
from typing import Any

from irpref.show.text import Cell, Column, Page, Table, rounded, text
from irpref.values.matrix import higher_is_better

_TIME = "mrt"  # milliseconds a topic
_BESIDE = (" +", " -", " p-value", " reject", " p-value corrected")


class ExperimentTable:
    """A row for each system, a column for each measure; a notebook shows it, `print` prints it.

    The best value of a measure is bold (`*` on a screen), whichever way is better; `†` marks values that differ
    significantly from the baseline.

    Parameters
    ----------
    result : DataFrame
        What `pt.Experiment` returns, or the first of two with `perquery='both'`.
    alpha : float
        Level of significance of p-values; where `pt.Experiment` corrected them, its own decision counts.
    round : int
        Decimal places.

    Raises
    ------
    ValueError
        `result` has no systems, or holds values by query.
    """

    def __init__(self, result: Any, alpha: float = 0.05, round: int = 4) -> None:
        frame = getattr(result, "averages", result)
        frame = frame[0] if isinstance(frame, tuple) else frame
        frame = getattr(frame, "data", frame)  # of `highlight=`
        found = [str(name) for name in getattr(frame, "columns", ())]
        if "name" not in found or {"qid", "measure", "value"} <= set(found):
            raise ValueError(
                "expected what pt.Experiment returns with a row for each system"
                + (f", found the columns {', '.join(found)}" if found else f", got {type(result).__name__}")
            )
        self.frame, self.alpha, self.places = frame, alpha, round
        beside = {name + end for name in found for end in _BESIDE}
        self.measures = [name for name in found if name != "name" and name not in beside]
        self._tested = [name for name in self.measures if f"{name} p-value" in found]

    def _lower(self, name: str) -> bool:
        return name == _TIME or not higher_is_better(name)

    def table(self, arrows: bool = True) -> Table:
        """The table that is written; `arrows` in the heads where the writer has none of its own."""
        show = rounded(self.places)
        columns = [Column("system", left=True)]
        cells: list[list[Any]] = [[str(name)] for name in self.frame["name"]]
        for name in self.measures:
            values = self.frame[name].tolist()
            lower = self._lower(name)
            known = [value for value in values if value == value]
            best = show((min if lower else max)(known)) if len({show(value) for value in known}) > 1 else None
            differs = self._differs(name, len(values))
            columns.append(Column(f"{name} ↓" if lower and arrows else name, show, lower=lower))
            for row, value, differ in zip(cells, values, differs, strict=True):
                row.append(Cell(value, best is not None and show(value) == best, differ))
        lowest = [name for name in self.measures if self._lower(name)]
        notes = ["* best of its column"]
        notes += [f"↓ lower is better: {', '.join(lowest)}"] if lowest and arrows else []
        notes += [f"† differs from the baseline, p < {self.alpha:g}"] if self._tested else []
        return Table(columns, cells, notes=notes)

    def _differs(self, name: str, size: int) -> list[bool]:
        if f"{name} reject" in self.frame.columns:
            return [value is True or bool(value == 1) for value in self.frame[f"{name} reject"].tolist()]
        if name in self._tested:
            return [bool(p is not None and p < self.alpha) for p in self.frame[f"{name} p-value"].tolist()]
        return [False] * size

    def __str__(self) -> str:
        return text(self.table(), "table", Page())

    def __repr__(self) -> str:
        return str(self)

    def to_latex(self) -> str:
        """LaTeX source, for booktabs."""
        return text(self.table(arrows=False), "latex")

    def to_markdown(self) -> str:
        """A table of Markdown."""
        return text(self.table(), "markdown")

    def _repr_latex_(self) -> None:
        return None  # notebooks would take it for mathematics

    def _repr_html_(self) -> str:
        table = self.table()

        def cell(column: Column, value: Any) -> str:
            of = value if isinstance(value, Cell) else Cell(value)
            shown = html.escape(of.value if isinstance(of.value, str) else column.show(of.value))
            shown = f"<b>{shown}</b>" if of.best else shown
            side = "left" if column.left else "right"
            return f'<td style="text-align: {side}">{shown}{"&dagger;" * of.differs}</td>'

        head = "".join(
            f'<th style="text-align: {"left" if column.left else "right"}">{html.escape(column.name)}</th>'
            for column in table.columns
        )
        body = "".join(
            f"<tr>{''.join(cell(c, v) for c, v in zip(table.columns, row, strict=True))}</tr>" for row in table.rows
        )
        notes = "<br>".join(html.escape(note) for note in table.notes if not note.startswith("*"))
        below = f"<p><small>{notes}</small></p>" if notes else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def table(result: Any, alpha: float = 0.05, round: int = 4) -> ExperimentTable:
    """The result of a plain `pt.Experiment` as a table to read. See `ExperimentTable`.

    Examples
    --------
    >>> import pandas as pd
    >>> result = pd.DataFrame({"name": ["a", "b"], "AP": [0.3, 0.4], "nCRP": [0.5, 0.6]})
    >>> print(table(result), end="")
    system       AP   nCRP ↓
    a       0.3000   0.5000*
    b       0.4000*  0.6000
    * best of its column
    ↓ lower is better: nCRP
    """
    return ExperimentTable(result, alpha, round)
