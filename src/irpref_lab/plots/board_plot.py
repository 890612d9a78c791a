"""The leaderboard as a picture: means with their intervals, and the range of places of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from irpref.errors import ArgumentError
from irpref.messages import did_you_mean
from irpref_lab.plots import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irpref_lab.decide.results.leaderboard import Leaderboard


@drawing.styled
def leaderboard(
    board: Leaderboard,
    measure: str | None = None,
    *,
    group: str | None = None,
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means of runs with their intervals, best on top; on the right the range of places
    consistent with the tests.

    Parameters
    ----------
    board : result of `irpref_lab.leaderboard`
    measure : str, optional
        Which of its measures; the first if None.
    group : str, optional
        Which of its groups of topics; the first if None.
    highlight : names of runs, optional
        Runs drawn in colour, the others in grey. None: all runs if there are at most eight, else
        the best five.
    ax : Axes to draw on; a new figure if None

    Raises
    ------
    ValueError
        The board has no such measure, group or run.

    Examples
    --------
    >>> import irpref
    >>> import irpref_lab
    >>> made = irpref.datasets.load("synthetic")
    >>> ax = leaderboard(irpref_lab.leaderboard(["AP"], made.qrels, made.runs))
    """
    rows = board
    for column, wanted in (("group", group), ("measure", measure)):
        known = list(dict.fromkeys(rows[column]))
        wanted = known[0] if wanted is None else str(wanted)
        if wanted not in known:
            raise ArgumentError(
                f"{column}={wanted!r} is not on this "
                f"board{did_you_mean(str(wanted), map(str, known))}",
                parameter=column,
                value=wanted,
            )
        rows = rows[rows[column].isna() if wanted is None else rows[column] == wanted]
    rows = rows.sort_values("place", kind="stable")
    names = rows["run"].tolist()
    chosen = drawing.highlighted(names, highlight, names)
    ax = drawing.axes((5.4, 1.3 + 0.2 * len(names))) if ax is None else ax
    labels = drawing.short_names(names, 28)
    for at, row in enumerate(rows.itertuples(index=False)):
        colour, ink = drawing.PALE, drawing.GREY
        if row.run in chosen:
            colour, ink = drawing.COLOURS[0], "0.1"
        ax.plot([row.low, row.high], [at, at], color=colour, linewidth=1.6, solid_capstyle="butt")
        ax.plot([row.mean], [at], "o", color=colour, markersize=4.5)
        ends = {row.place} if board.method == "none" else {row.place_low, row.place_high}
        known = sorted(end for end in ends if not pd.isna(end))
        # A run that takes no part in the tests has no place.
        places = "\N{EN DASH}".join(map(str, known)) or "left out"
        beside = ax.get_yaxis_transform()
        drawing.remark(
            ax, places, (1, at), (6, 0), xycoords=beside, va="center", fontsize="x-small", color=ink
        )
    ax.set_yticks(range(len(names)), [labels.shown[name].strip() for name in names])
    ax.tick_params(axis="y", length=0, labelsize="small")
    ax.set_ylim(len(names) - 0.5, -0.5)
    measured = drawing.text(rows["measure"].iloc[0])
    ax.set_xlabel(f"{measured}: {_mean(board)} and {100 * board.level:g} % interval")
    drawing.remark(ax, "places", (1, 1), (6, 3), fontsize="x-small", va="bottom")
    drawing.title(
        ax,
        drawing.count(len(names), "run")
        + ("" if group is None else f", topics of {drawing.text(group)}"),
        labels.note,
    )
    drawing.finish(ax).grid(False, axis="y")
    return ax


def _mean(board: Any) -> str:
    """Say which mean is drawn: of topics, or of the means of several collections."""
    means = getattr(board, "by_collection", None)
    if means is None:
        return "mean"
    return f"mean of {next(iter(means.values())).shape[1]} collections"
