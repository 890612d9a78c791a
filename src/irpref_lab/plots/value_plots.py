"""Pictures of values by topic: differences of two runs, dots of each run, two measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref_lab.plots import drawing
from irpref_lab.plots.drawing import axes
from irpref_lab.plots.plot_data import GivenRuns, Values, differences, only, values
from irpref_lab.short_names import middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irpref.judged import RunLike
    from irpref.kernel import Floats
    from irpref.measures.declare import MeasureLike
    from irpref.values import TopicValues

__all__ = ["measure_scatter", "precision_histogram", "topic_strip"]


@drawing.styled
def precision_histogram(
    data: Values,
    runs: GivenRuns = None,
    baseline: RunLike | None = None,
    *,
    run: str | None = None,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw the difference of two runs by topic, topics sorted: wins filled and above, losses
    hatched and below the line.

    Parameters
    ----------
    data : table of `irpref.curves.precision_histogram()` or `paired_differences(per_topic=True)`,
        or values by topic
        (`irpref_lab.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`), or the qrels
    runs : with qrels: as `irpref.curves.precision_histogram` takes them
    baseline : with qrels: as there; with values: the name of a system
    run : str, optional
        The run to draw, if the table holds several.
    measure : optional
        With qrels, the measure to draw in place of R-precision; with values of several measures,
        which one.
    ax : Axes to draw on; a new figure if None
    **options : of `irpref.curves.precision_histogram`, or with a measure of `paired_differences`
    """
    table = only(differences(data, runs, baseline, measure, options), "run", run)
    table = table.sort_values("difference", ascending=False, kind="stable")
    ax = axes() if ax is None else ax
    own, other = table["run"].iloc[0], table.attrs.get("baseline", "B")
    labels = drawing.short_names([own, other])
    drawing.introduce([own, other])
    name, base = "A" if own == "run" else labels.shown[own].strip(), labels.shown[other].strip()
    measured = table.attrs.get("measure", "Rprec")
    measured = "R-precision" if measured == "Rprec" else measured
    difference = table["difference"].to_numpy()
    handles = _bars(
        ax, difference, {name: drawing.style(own)["color"], base: drawing.style(other)["color"]}
    )
    beside = max(6 - difference.size, 0) / 2  # bars of few topics are no broader
    ax.set_xlim(-0.8 - beside, difference.size - 0.2 + beside)
    # The axis ends at the longest bars, but tiny differences must not fill the picture.
    low, high = min(difference.min(), 0.0), max(difference.max(), 0.0)
    margin = 0.06 * max(high - low, 0.1) + max(0.1 - (high - low), 0.0) / 2
    ax.set_ylim(low - margin, high + margin)
    _name_topics(ax, [drawing.text(middle(str(topic), 12)).strip() for topic in table["query_id"]])
    ax.set_xlabel("topic, sorted by difference")
    ax.set_ylabel(drawing.wrapped(f"{measured}: {name} {drawing.MINUS} {base}", 30))
    drawing.title(
        ax,
        drawing.wrapped(f"{measured} by topic, {drawing.count(difference.size, 'topic')}"),
        labels.note,
    )
    drawing.legend(ax, handles)
    drawing.finish(ax).grid(False, axis="x")
    return ax


def _bars(ax: Axes, difference: Floats, colours: dict[str, Any]) -> list[Any]:
    """Draw bars for the wins of either run, and dots for ties; returns the handles of the
    legend.
    """
    from matplotlib.patches import Patch

    (name, own), (base, against) = (
        [*colours.items()] if len(colours) == 2 else [*colours.items()] * 2
    )
    filled: dict[str, Any] = {"facecolor": own, "edgecolor": own, "linewidth": 0.8}
    hatched: dict[str, Any] = {
        **filled,
        "facecolor": "white",
        "edgecolor": against,
        "hatch": "//////",
    }
    handles: list[Any] = []
    for chosen, arguments, who in ((difference > 0, filled, name), (difference < 0, hatched, base)):
        ax.bar(np.flatnonzero(chosen), difference[chosen], width=0.8, **arguments)
        handles.append(Patch(label=f"{who} higher: {int(chosen.sum())}", **arguments))
    equal = np.flatnonzero(difference == 0)
    dots = ax.plot(
        equal, np.zeros(equal.size), "o", color=drawing.GREY, markersize=4, clip_on=False
    )
    dots[0].set_label(f"equal: {equal.size}")
    ax.axhline(0, color="0.2", linewidth=0.8)
    return [*handles, *dots]


def _name_topics(ax: Axes, ids: Sequence[str]) -> None:
    """Write topic ids below the axis, upright if they would touch; none if there are more than
    forty.
    """
    if len(ids) > 40:
        ax.set_xticks([])
        return
    upright = len(ids) * (4.9 * max(map(len, ids), default=0) + 4) > 250  # points
    ax.set_xticks(
        range(len(ids)), ids, rotation=90 * upright, fontsize="x-small" if upright else "small"
    )
    ax.tick_params(axis="x", length=0)


@drawing.styled
def topic_strip(
    data: Values,
    runs: GivenRuns = None,
    measure: MeasureLike | None = None,
    *,
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw values of one measure: a strip for each system with a dot for each topic, and the mean
    as a bar.

    Parameters
    ----------
    data : `irpref_lab.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`, or the qrels
    runs : with qrels: a dict of name to run, or a list of paths
    measure : measure or its name, with qrels, or if the result holds several
    highlight : names of systems, optional
        Systems drawn in colour, the others in grey. None: all if there are at most eight, else the
        best five.
    ax : Axes to draw on; a new figure if None
    """
    (by_topic,) = values(data, runs, [] if measure is None else [measure], 1)
    best = [by_topic.systems[s] for s in by_topic.best_first.tolist()]
    many = len(best) > 15
    chosen = drawing.highlighted(by_topic.systems, highlight, best)
    drawing.introduce(chosen)
    labels = drawing.short_names(by_topic.systems, 28)
    if ax is None:
        wide = drawing.SIZE[0] + 0.07 * max(max(map(len, labels.shown.values())) - 12, 0)
        ax = axes((wide, 1.2 + (0.16 if many else 0.36) * len(best)))
    top, low = max(by_topic.matrix.max(), 1.0), min(by_topic.matrix.min(), 0.0)
    handles: list[Any] = []
    for place, name in enumerate(best):
        dots = by_topic.matrix[by_topic.systems.index(name)]
        colour = drawing.style(name)["color"] if name in chosen else drawing.GREY
        look: dict[str, Any] = {
            "color": colour,
            "markersize": 4,
            "alpha": 0.6,
            "markeredgewidth": 0,
        }
        handles = ax.plot(dots, place + _swarm(dots, low, top), "o", label="topic", **look)
        if dots.size > 1:
            mean = [dots.mean()] * 2
            handles += ax.plot(
                mean, [place - 0.38, place + 0.38], color="0.1", linewidth=2, label="mean"
            )
    ax.set_yticks(range(len(best)), [labels.shown[name] for name in best])
    ax.tick_params(axis="y", length=0, labelsize="x-small" if many else "medium")
    margin = 0.03 * (top - low)
    ax.set(xlim=(low - margin, top + margin), ylim=(len(best) - 0.4, -0.6), xlabel=_axis(by_topic))
    drawing.title(
        ax,
        drawing.wrapped(
            f"{by_topic.measure} by topic, {drawing.count(by_topic.n_topics, 'topic')}"
        ),
        labels.note,
    )
    drawing.legend(ax, handles)
    drawing.finish(ax).grid(False, axis="y")
    return ax


def _swarm(values: Floats, low: float, high: float) -> Floats:
    """Find offsets that keep dots of similar values apart: shape as `values`, within (-0.36,
    0.36).
    """
    column = np.rint((np.asarray(values) - low) / ((high - low) or 1) * 60).astype(int)
    offset = np.zeros(column.size)
    for at in np.unique(column):
        inside = np.flatnonzero(column == at)
        step = min(0.12, 0.72 / inside.size)
        offset[inside] = (np.arange(inside.size) - (inside.size - 1) / 2) * step
    return offset


@drawing.styled
def measure_scatter(
    data: Values,
    runs: GivenRuns = None,
    measures: Sequence[MeasureLike] = (),
    *,
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means of two measures over the same systems, with Kendall's tau between the rankings of
    the systems.

    Better is to the right and up: if lower is better, the axis is reversed.

    Parameters
    ----------
    data : two `irpref_lab.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`, or the
        qrels
    runs : with qrels: a dict of name to run, or a list of paths
    measures : two measures or their names, with qrels, or if the result holds more than two
    highlight : names of systems, optional
        Systems drawn in colour, the others in grey. None: all if there are at most eight, else the
        five that the measures rank most differently.
    ax : Axes to draw on; a new figure if None
    """
    from irpref_lab.meta.ranking import system_ranking

    x, y = values(data, runs, measures, 2)
    y = y.select(systems=x.systems)
    most = [x.systems[i] for i in np.argsort(-np.abs(x.places - y.places), kind="stable")]
    chosen = drawing.highlighted(x.systems, highlight, most)
    short = drawing.short_names(chosen)
    drawing.introduce(chosen)
    ax = axes() if ax is None else ax
    grey: dict[str, Any] = {"color": drawing.PALE, "marker": "o", "zorder": 1}
    grey["label"] = drawing.count(x.n_systems - len(chosen), "other run")
    handles = {}
    for name, at, up in zip(x.systems, x.means, y.means, strict=True):
        look = drawing.style(name, short.shown[name]) if name in chosen else grey
        (handles[look["label"]],) = ax.plot(at, up, **look | {"linestyle": "none", "markersize": 6})
    tau = system_ranking(x).tau(system_ranking(y))
    word = "undefined" if np.isnan(tau) else f"{tau:.2f}".replace("-", drawing.MINUS)
    ax.margins(0.08)
    ax.set(xlabel=_axis(x, "mean "), ylabel=_axis(y, "mean "))
    ax.xaxis.set_inverted(not x.higher_is_better)
    ax.yaxis.set_inverted(not y.higher_is_better)
    drawing.title(
        ax,
        f"Kendall's \N{GREEK SMALL LETTER TAU} = {word}",
        f"{drawing.count(x.n_systems, 'system')}, {drawing.count(x.n_topics, 'topic')}",
        "in colour: those ranked most differently"
        if highlight is None and len(chosen) < x.n_systems
        else "",
    )
    drawing.legend(ax, [*handles.values()], note=short.note)
    return drawing.finish(ax)


def _axis(by_topic: TopicValues, before: str = "") -> str:
    return drawing.wrapped(
        f"{before}{by_topic.measure}" + ("" if by_topic.higher_is_better else " (lower is better)")
    )
