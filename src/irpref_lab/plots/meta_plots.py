"""Pictures of results of meta-evaluation. They draw the numbers of the results, and compute
nothing.

A measure has the same colour, line and marker in a whole session. Of more than eight measures the
first five, or those named by `highlight`, are in colour and the others grey."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from irpref.messages import check_choice
from irpref_lab.meta.incompleteness import Incompleteness
from irpref_lab.meta.power import DiscriminativePower
from irpref_lab.meta.stability import Stability
from irpref_lab.meta.swap import Swap
from irpref_lab.plots import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["incompleteness", "significance", "stability", "swap"]


def _curves(
    curves: Mapping[str, tuple[Any, Any]],
    ax: Axes | None,
    highlight: drawing.Highlight,
    across: str,
    up: str,
) -> drawing.Lines:
    """Draw a curve for each measure, with a legend."""
    table = pd.concat(
        [pd.DataFrame({"run": name, "x": x, "y": y}) for name, (x, y) in curves.items()]
    )
    drawn = drawing.draw_runs(table, "x", "y", ax, highlight, kind="measure")
    drawn.ax.set(xlabel=across, ylabel=drawing.wrapped(up))
    drawing.legend(drawing.finish(drawn.ax))
    return drawn


@drawing.styled
def stability(
    results: Stability | Iterable[Stability],
    ax: Axes | None = None,
    *,
    highlight: drawing.Highlight = None,
) -> Axes:
    """Draw minority rate against proportion of ties, a curve for each measure; low and left is
    stable.

    Parameters
    ----------
    results : Stability, or iterable of Stability
    ax : Axes to draw on; a new figure if None
    highlight : names of measures, optional
        Measures drawn in colour, the others in grey. None: all if there are at most eight, else the
        first five.
    """
    several = [results] if isinstance(results, Stability) else results
    curves = {one.measure: (100 * one.ties, 100 * one.minority_rate) for one in several}
    ax = _curves(curves, ax, highlight, "proportion of ties (%)", "minority rate (%)").ax
    ax.set(xlim=(0, None), ylim=(0, None))
    return ax


@drawing.styled
def swap(
    results: Swap | Iterable[Swap],
    ax: Axes | None = None,
    rate: float = 0.05,
    *,
    highlight: drawing.Highlight = None,
) -> Axes:
    """Draw swap rate by difference, a curve for each measure; low is sensitive.

    Parameters
    ----------
    results : Swap, or iterable of Swap
    ax : Axes to draw on; a new figure if None
    rate : swap rate to mark
    highlight : see `stability`
    """
    several = [results] if isinstance(results, Swap) else results
    curves = {one.measure: (one.edges, 100 * one.rate) for one in several}
    ax = _curves(curves, ax, highlight, "difference of the means, at least", "swap rate (%)").ax
    ax.axhline(100 * rate, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)))
    ax.set(xlim=(0, None), ylim=(0, None))
    return ax


@drawing.styled
def incompleteness(
    result: Incompleteness,
    ax: Axes | None = None,
    value: str = "tau",
    reference: str | None = None,
    *,
    highlight: drawing.Highlight = None,
) -> Axes:
    """Draw agreement with the ranking by all judgments, as fewer and fewer are left; a curve for
    each measure.

    The curve is the mean over the samples, the band reaches from the lowest sample to the highest.

    Parameters
    ----------
    result : Incompleteness
    ax : Axes to draw on; a new figure if None
    value : 'tau', 'tau_ap', or 'mean' (of all systems)
    reference : as in `Incompleteness.table`
    highlight : see `stability`
    """
    words = {"tau": "Kendall's tau", "tau_ap": "tau_ap", "mean": "mean value of the systems"}
    check_choice("value", value, words)
    table = result.table(reference)
    of_measure = {name: table[table["measure"] == name] for name in result.measures}
    curves = {name: (rows["level"], rows[value]) for name, rows in of_measure.items()}
    samples = int(table["samples"].max())
    across = f"{result.of_level} (%)" + (
        f"; mean and range of {samples} samples" if samples > 1 else ""
    )
    up = words[value]
    if value != "mean":
        up += drawing.text(f" with {reference or 'its own ranking'} by all judgments")
    ax, drawn, _ = _curves(curves, ax, highlight, across, up)
    ranges = result.samples(reference).groupby(["measure", "level"])[value].agg(["min", "max"])
    for name, (rows, line) in drawn.items() if samples > 1 else ():
        ends = ranges.loc[name].loc[rows["x"]]
        alpha = 0.18 if len(drawn) <= drawing.BEST else 0.07  # many bands overlap
        ax.fill_between(
            rows["x"], ends["min"], ends["max"], color=line.get_color(), alpha=alpha, linewidth=0
        )
    levels = sorted(set(table["level"]), reverse=True)
    shown = [
        level for level in (100, 70, 50, 30, 20, 10, 5, 3, 2, 1, 0) if level in levels
    ] or levels
    if levels[-1] > 0:
        ax.set(xscale="log", xlim=(levels[0] * 1.05, levels[-1] / 1.05))
    else:
        ax.set_xlim(levels[0] * 1.02, -2)
    ax.set_xticks(shown, [f"{level:g}" for level in shown])
    ax.minorticks_off()
    return ax


@drawing.styled
def significance(result: DiscriminativePower, ax: Axes | None = None) -> Axes:
    """Draw which pairs of systems are told apart: a square of systems, best at the top left.

    Parameters
    ----------
    result : DiscriminativePower
    ax : Axes to draw on; a new figure if None
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    n = len(result.systems)
    ax = drawing.axes((5.2, 5.0)) if ax is None else ax
    # Sums of differences to all others order systems as their means do.
    first, second = np.triu_indices(n, 1)
    lead = np.bincount(second, result.difference, n) - np.bincount(first, result.difference, n)
    order = np.argsort(-lead, kind="stable")
    asl = result.matrix()[np.ix_(order, order)]
    shade = np.where(asl < result.alpha / 5, 2, np.where(asl < result.alpha, 1, 0))
    colours = ("#eeeeee", "#88aacc", "#225588")
    ax.imshow(shade, cmap=ListedColormap(colours), vmin=0, vmax=2, interpolation="nearest")
    note = ""
    if n <= 30:
        shown, note = drawing.short_names(result.systems)
        size = 9 if n <= 10 else 7.5 if n <= 18 else 6  # points that rows and columns have room for
        names = [
            f"{shown[result.systems[i]].strip()} ({place})" for place, i in enumerate(order, 1)
        ]
        ax.set_yticks(range(n), names, fontsize=size)
        ax.set_xticks(range(n), [str(i + 1) for i in range(n)], fontsize=size)
    else:
        ax.set(xlabel="systems, best first", ylabel="systems, best first")
    drawing.title(
        ax, f"{drawing.text(result.measure).strip()}: {100 * result.power:.1f} % of the pairs", note
    )
    ax.title.set_fontsize("medium")
    words = (
        f"ASL $\\geq$ {result.alpha:g}",
        f"ASL < {result.alpha:g}",
        f"ASL < {result.alpha / 5:g}",
    )
    handles = [
        Patch(facecolor=c, edgecolor="0.6", linewidth=0.4, label=w)
        for c, w in zip(colours, words, strict=True)
    ]
    drawing.legend(ax, handles)
    return ax
