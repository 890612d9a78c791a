"""The result of `pt.Experiment` as a table to read: the best values, which way is better, and which
values differ."""

from __future__ import annotations

from typing import Any, overload

from irpref.errors import ArgumentError
from irpref.messages import check_choice
from irpref.show.frames import ResultFrame
from irpref.show.text import Cell, Column, Page, Table, rounded, text
from irpref.values.matrix import higher_is_better

FORMS = ("latex", "markdown", "html")
_TIME = "mrt"  # milliseconds a topic
_BESIDE = (" +", " -", " p-value", " reject", " p-value corrected")


class ExperimentTable(Table):
    """A row for each system, a column for each measure; a notebook shows it, `print` prints it.

    The best value of a measure is bold (`*` on a screen), whichever way is better; `†` marks values
    that differ significantly from the baseline.

    Parameters
    ----------
    result : DataFrame
        The result of `pt.Experiment`, or the first of two with `perquery='both'`.
    alpha : float
        Level of significance of p-values; if `pt.Experiment` corrected them, its own decision
        counts.
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
        names = [str(name) for name in getattr(frame, "columns", ())]
        if "name" not in names or {"qid", "measure", "value"} <= set(names):
            raise ArgumentError(
                "expected what pt.Experiment returns with a row for each system"
                + (
                    f", found the columns {', '.join(names)}"
                    if names
                    else f", got {type(result).__name__}"
                ),
                parameter="result",
            )
        beside = {name + end for name in names for end in _BESIDE}
        measures = [name for name in names if name != "name" and name not in beside]
        lowest = [name for name in measures if name == _TIME or not higher_is_better(name)]
        show = rounded(round)
        columns, cells = [Column("system", left=True)], [list(map(str, frame["name"]))]
        for name in measures:
            columns.append(Column(f"{name} ↓" if name in lowest else name, show))
            cells.append(_marked(frame, name, show, min if name in lowest else max, alpha))
        notes = ["* best of its column"]
        notes += [f"↓ lower is better: {', '.join(lowest)}"] if lowest else []
        notes += (
            [f"† differs from the baseline, p < {alpha:g}"]
            if any(n.endswith(" p-value") for n in names)
            else []
        )
        rows = list(zip(*cells, strict=True))
        caption = [f"Means of {len(rows)} systems", "Best means are bold", *notes[1:]]
        super().__init__(columns, rows, notes=notes, caption=". ".join(caption) + ".")

    def __repr__(self) -> str:
        return text(self, "table", Page())

    def to_latex(self) -> str:
        """Return LaTeX source, for booktabs."""
        return text(self, "latex")

    def to_markdown(self) -> str:
        """Return a table of Markdown."""
        return text(self, "markdown")

    def _repr_latex_(self) -> None:
        return None  # notebooks would take it for mathematics

    def _repr_html_(self) -> str:
        return text(self, "html")


def _marked(frame: Any, name: str, show: Any, best_of: Any, alpha: float) -> list[Any]:
    """Mark the values of a measure that are best (unless all look alike) or differ from the
    baseline.
    """
    values = frame[name].tolist()
    shown = {show(value) for value in values if value == value}
    best = show(best_of(value for value in values if value == value)) if len(shown) > 1 else None
    differs = [False] * len(values)
    if f"{name} reject" in frame:
        differs = [bool(value == 1) for value in frame[f"{name} reject"]]
    elif f"{name} p-value" in frame:
        differs = [bool(p is not None and p < alpha) for p in frame[f"{name} p-value"]]
    return [
        Cell(value, show(value) == best, differ)
        for value, differ in zip(values, differs, strict=True)
    ]


@overload
def table(
    result: Any, form: None = None, *, alpha: float = 0.05, round: int = 4
) -> ExperimentTable: ...


@overload
def table(result: Any, form: str, *, alpha: float = 0.05, round: int = 4) -> str: ...


def table(
    result: Any, form: str | None = None, *, alpha: float = 0.05, round: int = 4
) -> ExperimentTable | str:
    """Show the result of a plain `pt.Experiment` as a table to read. See `ExperimentTable`.

    Parameters
    ----------
    result : DataFrame
        Also a result of irpref, such as a leaderboard, if you ask for source text.
    form : {'latex', 'markdown', 'html'}, optional
        Return source text instead: LaTeX has a caption, and a table of many systems breaks between
        pages.

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
    if form is None:
        return ExperimentTable(result, alpha, round)
    check_choice("form", form, FORMS)
    if isinstance(result, ResultFrame) and result.is_whole:
        return "\n".join(text(shown, form) for shown in result.in_paper())
    return text(ExperimentTable(result, alpha, round), form)
