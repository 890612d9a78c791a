"""Pictures of results of meta-evaluation. They draw what the results hold, and compute nothing.

One style with `irpref.plots`; a measure has the same colour, line and marker in all pictures of a session. Many
measures are named at the end of their lines, or have a panel each, in place of a legend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.meta.incompleteness import Incompleteness
from irpref.meta.power import DiscriminativePower
from irpref.meta.stability import Stability
from irpref.meta.swap import Swap
from irpref.show.look import (
    Styles,
    direct_labels,
    finish,
    introduce,
    legend,
    load,
    panels,
    short_names,
    style,
    styled,
    text,
    title,
)
from irpref.show.look import axes as axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes", "incompleteness", "load", "significance", "stability", "swap"]
_SIZE = (6.4, 4.4)  # inches
_FEW = 5  # lines that a legend tells apart


def axes(size: tuple[float, float] = _SIZE) -> Axes:
    """Axes of a new figure. Raises as `load`."""
    return axes_of(size)


def _look(measure: str, styles: Styles | None) -> dict[str, Any]:
    return {
        **style(measure, None, kind="measure"),
        "markersize": 4,
        "linewidth": 1.3,
        **(styles or {}).get(measure, {}),
    }


def _names(ax: Axes, lines: Sequence[Any]) -> Axes:
    """Tell the lines apart: in a legend, or each by its name where they are many."""
    if len(lines) <= _FEW:
        legend(ax, always=True)
    else:
        direct_labels(ax, lines)
    return finish(ax)


def _curves(
    curves: Mapping[str, tuple[Any, Any]],
    ax: Axes | None,
    styles: Styles | None,
    words: tuple[str, str],
    rate: float | None = None,
) -> Axes:
    """A curve for each measure; where they are many, and no axes are given, each in a panel, the others in grey."""
    introduce(curves, "measure")
    many = ax is None and len(curves) > _FEW
    drawn = [[name] for name in curves] if many else [list(curves)]
    found = panels(len(curves)) if many else [axes() if ax is None else ax]
    for panel, mine in zip(found, drawn, strict=True):
        for x, y in curves.values() if many else []:
            panel.plot(x, y, color="0.82", linewidth=0.8)
        lines = [line for name in mine for line in panel.plot(*curves[name], **_look(name, styles))]
        if rate is not None:
            panel.axhline(100 * rate, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)))
        panel.set_xlim(left=0)
        panel.set_ylim(bottom=0)
        if many:
            finish(panel).set_title(str(lines[0].get_label()), fontsize="small")
        else:
            panel.set(xlabel=words[0], ylabel=words[1])
            _names(panel, lines)
    if many:
        figure: Any = found[0].figure
        figure.supxlabel(words[0], fontsize="medium")
        figure.supylabel(words[1], fontsize="medium")
    return found[0]


@styled
def stability(results: Stability | Iterable[Stability], ax: Axes | None = None, styles: Styles | None = None) -> Axes:
    """Minority rate against proportion of ties, a curve for each measure; low and left is stable.

    Parameters
    ----------
    results : Stability, or iterable of them
    ax : Axes to draw on; a new figure if None, in which more than five measures have a panel each
    styles : mapping of measure to keyword arguments of `Axes.plot`
    """
    several = [results] if isinstance(results, Stability) else results
    curves = {one.measure: (100 * one.ties, 100 * one.minority_rate) for one in several}
    return _curves(curves, ax, styles, ("proportion of ties (%)", "minority rate (%)"))


@styled
def swap(
    results: Swap | Iterable[Swap], ax: Axes | None = None, styles: Styles | None = None, rate: float = 0.05
) -> Axes:
    """Swap rate by difference, a curve for each measure; low is sensitive.

    Parameters
    ----------
    results : Swap, or iterable of them
    ax : Axes to draw on; a new figure if None, in which more than five measures have a panel each
    styles : mapping of measure to keyword arguments of `Axes.plot`
    rate : swap rate to mark
    """
    several = [results] if isinstance(results, Swap) else results
    curves = {one.measure: (one.edges, 100 * one.rate) for one in several}
    return _curves(curves, ax, styles, ("difference of the means, at least", "swap rate (%)"), rate)


@styled
def incompleteness(
    result: Incompleteness,
    ax: Axes | None = None,
    styles: Styles | None = None,
    value: str = "tau",
    reference: str | None = None,
) -> Axes:
    """Agreement with the ranking by all judgments, as fewer and fewer are left; a curve for each measure.

    The curve is the mean over the samples, the band reaches from the lowest sample to the highest.

    Parameters
    ----------
    result : Incompleteness
    ax : Axes to draw on; a new figure if None
    styles : mapping of measure to keyword arguments of `Axes.plot`
    value : 'tau', 'tau_ap', or 'mean' (of all systems)
    reference : as in `Incompleteness.table`
    """
    words = {"tau": "Kendall's tau", "tau_ap": "tau_ap", "mean": "mean value of the systems"}
    if value not in words:
        raise ValueError(f"value={value!r} is not accepted, expected one of {', '.join(map(repr, words))}")
    ax = axes() if ax is None else ax
    table = result.table(reference)
    measures = result.measures
    samples = result.samples(reference).groupby(["measure", "level"], sort=False)[value].agg(["min", "max"])
    several = int(table["samples"].max()) > 1
    introduce(measures, "measure")
    lines = []
    for measure in measures:
        part = table[table["measure"] == measure]
        (line,) = ax.plot(part["level"], part[value], **_look(measure, styles))
        lines.append(line)
        if several:
            ends = samples.loc[measure].loc[part["level"]]
            # Many bands lie over each other, and each has to be lighter.
            ax.fill_between(
                part["level"],
                ends["min"],
                ends["max"],
                color=line.get_color(),
                alpha=0.18 if len(measures) <= _FEW else 0.07,
                linewidth=0,
            )
    levels = sorted(set(table["level"]), reverse=True)
    ax.set_xscale("log")
    shown = [level for level in (100, 70, 50, 30, 20, 10, 5, 3, 2, 1) if level in levels] or levels
    ax.set_xlim(max(levels) * 1.05, min(levels) / 1.05)
    ax.set_xticks(shown, [f"{level:g}" for level in shown])
    ax.minorticks_off()
    with_what = "" if value == "mean" else f" with {reference or 'its own ranking'} by all judgments"
    ax.set(xlabel=f"{result.of_level} (%)", ylabel=words[value] + text(with_what))
    if several:
        title(ax, "", f"mean and range of {int(table['samples'].max())} samples")
    return _names(ax, lines)


@styled
def significance(result: DiscriminativePower, ax: Axes | None = None) -> Axes:
    """Which pairs of systems are told apart: a square of systems, best at the top left.

    Parameters
    ----------
    result : DiscriminativePower
    ax : Axes to draw on; a new figure if None
    """
    n = len(result.systems)
    ax = axes((5.2, 5.0)) if ax is None else ax
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

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
        names = short_names(result.systems)
        note = names.note
        shown = [names.shown[result.systems[i]].strip() for i in order]
        size = 9 if n <= 10 else 7.5 if n <= 18 else 6  # points that rows and columns have room for
        ax.set_yticks(range(n), [f"{name} ({i + 1})" for i, name in enumerate(shown)], fontsize=size)
        ax.set_xticks(range(n), [str(i + 1) for i in range(n)], fontsize=size)
    else:
        ax.set(xlabel="systems, best first", ylabel="systems, best first")
    title(ax, f"{text(result.measure).strip()}: {100 * result.power:.1f} % of the pairs", note)
    ax.title.set_fontsize("medium")
    words = (f"ASL $\\geq$ {result.alpha:g}", f"ASL < {result.alpha:g}", f"ASL < {result.alpha / 5:g}")
    handles = [Patch(facecolor=c, edgecolor="0.6", linewidth=0.4, label=w) for c, w in zip(colours, words, strict=True)]
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.1),
        ncols=3,
        frameon=False,
        fontsize="x-small",
        handlelength=1.4,
        columnspacing=1.2,
    )
    return ax
