"""Pictures of results of meta-evaluation. They draw what the results hold, and compute nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.messages import visible
from irpref.meta.incompleteness import Incompleteness
from irpref.meta.power import DiscriminativePower
from irpref.meta.stability import Stability
from irpref.meta.swap import Swap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Styles = Mapping[str, Mapping[str, Any]]

# Told apart by colour-blind readers as well (P. Tol, bright and muted).
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#997700", "#222255", "#999999")
_LINES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def load() -> Any:
    """`matplotlib.pyplot`; ImportError that says how to get it where it is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    return pyplot


def axes(size: tuple[float, float] = (6.4, 4.4)) -> Axes:
    """Axes of a new figure. Raises as `load`."""
    return load().subplots(figsize=size, layout="constrained")[1]


def _style(i: int, name: str, styles: Styles | None) -> dict[str, Any]:
    plain = {
        "label": visible(name).replace("$", r"\$"),
        "color": _COLOURS[i % len(_COLOURS)],
        "linestyle": _LINES[i // len(_COLOURS) % len(_LINES)],
        "marker": _MARKERS[i % len(_MARKERS)],
        "markersize": 4,
        "linewidth": 1.3,
    }
    return {**plain, **(styles or {}).get(name, {})}


def _finish(ax: Axes, n_lines: int) -> Axes:
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    # Many lines leave no free corner.
    beside: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if n_lines > 5 else {}
    ax.legend(frameon=False, fontsize="small", **beside)
    return ax


def plot_stability(
    results: Stability | Iterable[Stability], ax: Axes | None = None, styles: Styles | None = None
) -> Axes:
    """Minority rate against proportion of ties, a curve for each measure; low and left is stable.

    Parameters
    ----------
    results : Stability, or iterable of them
    ax : Axes to draw on; a new figure if None
    styles : mapping of measure to keyword arguments of `Axes.plot`
    """
    ax = axes() if ax is None else ax
    several = [results] if isinstance(results, Stability) else list(results)
    for i, one in enumerate(several):
        ax.plot(100 * one.ties, 100 * one.minority_rate, **_style(i, one.measure, styles))
    ax.set(xlabel="proportion of ties (%)", ylabel="minority rate (%)")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    return _finish(ax, len(several))


def plot_swap(
    results: Swap | Iterable[Swap], ax: Axes | None = None, styles: Styles | None = None, rate: float = 0.05
) -> Axes:
    """Swap rate by difference, a curve for each measure; low is sensitive.

    Parameters
    ----------
    results : Swap, or iterable of them
    ax : Axes to draw on; a new figure if None
    styles : mapping of measure to keyword arguments of `Axes.plot`
    rate : swap rate to mark
    """
    ax = axes() if ax is None else ax
    several = [results] if isinstance(results, Swap) else list(results)
    for i, one in enumerate(several):
        ax.plot(one.edges, 100 * one.rate, **_style(i, one.measure, styles))
    ax.axhline(100 * rate, color="0.4", linewidth=0.8, linestyle=(0, (1, 1)))
    ax.set(xlabel="difference of the means, at least", ylabel="swap rate (%)")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    return _finish(ax, len(several))


def plot_incompleteness(
    result: Incompleteness,
    ax: Axes | None = None,
    styles: Styles | None = None,
    value: str = "tau",
    reference: str | None = None,
) -> Axes:
    """Agreement with the ranking by all judgments, as fewer and fewer are left; a curve for each measure.

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
    for i, measure in enumerate(measures):
        part = table[table["measure"] == measure]
        ax.plot(part["level"], part[value], **_style(i, measure, styles))
    ax.set_xscale("log")
    levels = sorted(set(table["level"]), reverse=True)
    shown = [level for level in (100, 70, 50, 30, 20, 10, 5, 3, 2, 1) if level in levels] or levels
    ax.set_xticks(shown, [f"{level:g}" for level in shown])
    ax.minorticks_off()
    ax.set_xlim(max(levels) * 1.05, min(levels) / 1.05)
    with_what = "" if value == "mean" else f" with {reference or 'its own ranking'} by all judgments"
    ax.set(xlabel="judgments left (%)", ylabel=words[value] + with_what)
    return _finish(ax, len(measures))


def plot_significance(result: DiscriminativePower, ax: Axes | None = None) -> Axes:
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
    if n <= 30:
        names = [result.systems[i] for i in order]
        short = [name if len(name) <= 24 else name[:23] + "\N{HORIZONTAL ELLIPSIS}" for name in names]
        ax.set_yticks(range(n), [f"{name} {i + 1}" for i, name in enumerate(short)], fontsize=6)
        ax.set_xticks(range(n), [str(i + 1) for i in range(n)], fontsize=6)
    else:
        ax.set(xlabel="systems, best first", ylabel="systems, best first")
    ax.set_title(f"{result.measure}: {100 * result.power:.1f} % of the pairs", fontsize="medium")
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
