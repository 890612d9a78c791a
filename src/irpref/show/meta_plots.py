"""Pictures of results of meta-evaluation. They draw what the results hold, and compute nothing.

One style with `irpref.plots`; a measure has the same colour, line and marker in all pictures of a session. More than
five measures have a panel each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.meta.incompleteness import Incompleteness
from irpref.meta.power import DiscriminativePower
from irpref.meta.stability import Stability
from irpref.meta.swap import Swap
from irpref.show import drawing
from irpref.show.drawing import load

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes", "incompleteness", "load", "significance", "stability", "swap"]
_SIZE = (6.4, 4.4)  # inches
_FEW = 5  # curves that one picture has room for


def axes(size: tuple[float, float] = _SIZE) -> Axes:
    """Axes of a new figure. Raises as `load`."""
    return drawing.axes(size)


def _curves(
    curves: Mapping[str, tuple[Any, Any]],
    ax: Axes | None,
    words: tuple[str, str],
    bands: Mapping[str, tuple[Any, Any]] | None = None,
    **limits: Any,
) -> list[Axes]:
    """A curve for each measure, with its band; more than five, if no axes are given, in a panel each, others grey."""
    drawing.introduce(curves, "measure")
    many = ax is None and len(curves) > _FEW
    drawn = [[name] for name in curves] if many else [list(curves)]
    found = drawing.panels(len(curves)) if many else [axes() if ax is None else ax]
    for panel, mine in zip(found, drawn, strict=True):
        for x, y in curves.values() if many else []:
            panel.plot(x, y, color="0.82", linewidth=0.8)
        for name in mine:
            look = drawing.style(name, kind="measure") | {"markersize": 4, "linewidth": 1.3}
            (line,) = panel.plot(*curves[name], **look)
            if bands:
                # Many bands are over each other, and each has to be lighter.
                alpha = 0.18 if len(mine) <= _FEW else 0.07
                panel.fill_between(curves[name][0], *bands[name], color=line.get_color(), alpha=alpha, linewidth=0)
        panel.set(**limits)
        drawing.finish(panel)
        if many:
            panel.set_title(str(line.get_label()), fontsize="small")
        else:
            panel.set(xlabel=words[0], ylabel=words[1])
            drawing.legend(panel, always=True)
    if many:
        figure: Any = found[0].figure
        figure.supxlabel(words[0], fontsize="medium")
        figure.supylabel(words[1], fontsize="medium")
    return found


@drawing.styled
def stability(results: Stability | Iterable[Stability], ax: Axes | None = None) -> Axes:
    """Minority rate against proportion of ties, a curve for each measure; low and left is stable.

    Parameters
    ----------
    results : Stability, or iterable of them
    ax : Axes to draw on; a new figure if None, in which more than five measures have a panel each
    """
    several = [results] if isinstance(results, Stability) else results
    curves = {one.measure: (100 * one.ties, 100 * one.minority_rate) for one in several}
    words = "proportion of ties (%)", "minority rate (%)"
    return _curves(curves, ax, words, xlim=(0, None), ylim=(0, None))[0]


@drawing.styled
def swap(results: Swap | Iterable[Swap], ax: Axes | None = None, rate: float = 0.05) -> Axes:
    """Swap rate by difference, a curve for each measure; low is sensitive.

    Parameters
    ----------
    results : Swap, or iterable of them
    ax : Axes to draw on; a new figure if None, in which more than five measures have a panel each
    rate : swap rate to mark
    """
    several = [results] if isinstance(results, Swap) else results
    curves = {one.measure: (one.edges, 100 * one.rate) for one in several}
    words = "difference of the means, at least", "swap rate (%)"
    found = _curves(curves, ax, words, xlim=(0, None), ylim=(0, None))
    for panel in found:
        panel.axhline(100 * rate, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)))
    return found[0]


@drawing.styled
def incompleteness(
    result: Incompleteness, ax: Axes | None = None, value: str = "tau", reference: str | None = None
) -> Axes:
    """Agreement with the ranking by all judgments, as fewer and fewer are left; a curve for each measure.

    The curve is the mean over the samples, the band reaches from the lowest sample to the highest.

    Parameters
    ----------
    result : Incompleteness
    ax : Axes to draw on; a new figure if None, in which more than five measures have a panel each
    value : 'tau', 'tau_ap', or 'mean' (of all systems)
    reference : as in `Incompleteness.table`
    """
    words = {"tau": "Kendall's tau", "tau_ap": "tau_ap", "mean": "mean value of the systems"}
    if value not in words:
        raise ValueError(f"value={value!r} is not accepted, expected one of {', '.join(map(repr, words))}")
    table = result.table(reference)
    of_measure = {name: table[table["measure"] == name] for name in result.measures}
    curves = {name: (rows["level"], rows[value]) for name, rows in of_measure.items()}
    across, up, bands = f"{result.of_level} (%)", words[value], None
    if value != "mean":
        up += drawing.text(f" with {reference or 'its own ranking'} by all judgments")
    samples = int(table["samples"].max())
    if samples > 1:
        across += f"; mean and range of {samples} samples"
        found = result.samples(reference).groupby(["measure", "level"], sort=False)[value].agg(["min", "max"])
        ends = {name: found.loc[name].loc[rows["level"]] for name, rows in of_measure.items()}
        bands = {name: (of["min"], of["max"]) for name, of in ends.items()}
    levels = sorted(set(table["level"]), reverse=True)
    drawn = _curves(curves, ax, (across, up), bands, xscale="log", xlim=(levels[0] * 1.05, levels[-1] / 1.05))
    shown = [level for level in (100, 70, 50, 30, 20, 10, 5, 3, 2, 1) if level in levels] or levels
    if len(drawn) > 1:  # a panel has room for three
        shown = sorted({levels[0], levels[len(levels) // 2], levels[-1]}, reverse=True)
    for panel in drawn:
        panel.set_xticks(shown, [f"{level:g}" for level in shown])
        panel.minorticks_off()
    return drawn[0]


@drawing.styled
def significance(result: DiscriminativePower, ax: Axes | None = None) -> Axes:
    """Which pairs of systems are told apart: a square of systems, best at the top left.

    Parameters
    ----------
    result : DiscriminativePower
    ax : Axes to draw on; a new figure if None
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    n = len(result.systems)
    ax = axes((5.2, 5.0)) if ax is None else ax
    # Sums of differences to all others order systems as their means do.
    first, second = np.triu_indices(n, 1)
    lead = np.bincount(first, result.difference, n) - np.bincount(second, result.difference, n)
    order = np.argsort(-lead, kind="stable")
    asl = result.matrix()[np.ix_(order, order)]
    shade = np.where(asl < result.alpha / 5, 2, np.where(asl < result.alpha, 1, 0))
    colours = ("#eeeeee", "#88aacc", "#225588")
    ax.imshow(shade, cmap=ListedColormap(colours), vmin=0, vmax=2, interpolation="nearest")
    note = ""
    if n <= 30:
        shown, note = drawing.short_names(result.systems)
        size = 9 if n <= 10 else 7.5 if n <= 18 else 6  # points that rows and columns have room for
        names = [f"{shown[result.systems[i]].strip()} ({place})" for place, i in enumerate(order, 1)]
        ax.set_yticks(range(n), names, fontsize=size)
        ax.set_xticks(range(n), [str(i + 1) for i in range(n)], fontsize=size)
    else:
        ax.set(xlabel="systems, best first", ylabel="systems, best first")
    drawing.title(ax, f"{drawing.text(result.measure).strip()}: {100 * result.power:.1f} % of the pairs", note)
    ax.title.set_fontsize("medium")
    words = (f"ASL $\\geq$ {result.alpha:g}", f"ASL < {result.alpha:g}", f"ASL < {result.alpha / 5:g}")
    handles = [Patch(facecolor=c, edgecolor="0.6", linewidth=0.4, label=w) for c, w in zip(colours, words, strict=True)]
    drawing.legend(ax, handles)
    return ax
