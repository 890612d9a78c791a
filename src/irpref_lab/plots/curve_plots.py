"""Pictures of the curves of `irpref.curves`: runs by rank, recall or number of partitions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from irpref.messages import check_choice
from irpref_lab.messages import not_accepted
from irpref_lab.plots import drawing
from irpref_lab.plots.plot_data import (
    GivenRuns,
    constant_npref,
    curve_means,
    curve_table,
    only,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irpref.judged import QrelsLike

# Of the points on the curve of a sketch.
_DASHES: tuple[Any, ...] = ((0, (4, 1, 1, 1)), (0, (6, 3)), (0, (1, 3)))
_GAINS = {"cg": "Cumulated gain", "dcg": "Discounted cumulated gain", "ncg": "NCG", "ndcg": "NDCG"}
NOTHING = "nothing relevant"  # label of the curve of a run without relevant documents

# The part of the docstrings of all curves about their parameters.
_FIRST = """data : table of `irpref.curves.{table}`, or the qrels
runs : with qrels: one run, or a dict of name to run"""
_HIGHLIGHT = """highlight : names of runs, optional
    Runs drawn in colour, the others in grey. None: all runs if there are at most eight, else
    the best five."""
_LAST = """ax : Axes to draw on; a new figure if None
**options : of `irpref.curves.{curve}`"""
_Drawing = TypeVar("_Drawing", bound=Callable[..., Any])


def _picture_of(table: str) -> Callable[[_Drawing], _Drawing]:
    """Decorate the function that draws a table of `irpref.curves`: its style, and the parameters
    that all of these functions have.

    `%(first)s`, `%(highlight)s` and `%(last)s` in the docstring stand for these parameters."""

    def decorate(draw: _Drawing) -> _Drawing:
        shared = {"first": _FIRST, "highlight": _HIGHLIGHT, "last": _LAST}
        text = inspect.cleandoc(draw.__doc__ or "")
        for name, lines in shared.items():
            filled = lines.format(table=table, curve=table.partition("(")[0])
            text = text.replace(f"%({name})s", filled)
        draw.__doc__ = text
        return drawing.styled(draw)

    return decorate


def _dotted(ax: Axes, x: Any, y: Any, label: str | None, **look: Any) -> None:
    """Draw a dotted grey line, to compare runs with."""
    ax.plot(
        x, y, label=label, **{"color": drawing.GREY, "linewidth": 1.3, "linestyle": ":", **look}
    )


@_picture_of("crp(per_topic=True)")
def crp_sketch(
    data: QrelsLike,
    runs: GivenRuns = None,
    *,
    query_id: str | None = None,
    run: str | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw CRP of one run on one topic as in figure 1 of the paper: the run, an ideal one, and one
    with nothing relevant.

    R is the number of relevant documents, `min` the turn-around point, b the balance point; the
    dots at R are the loss value CRP(r, R) and, for a run with nothing relevant, CRP(w, R).

    Parameters
    ----------
    %(first)s
    query_id, run : topic and run to draw, if the table holds several
    %(last)s

    Raises
    ------
    ValueError
        `data` is not such a table; the topic or run is not named, or is not in it.
    ImportError
        matplotlib is not installed.
    """
    import pandas as pd

    table = curve_table(
        "crp", ("query_id", "rank", "crp", "worst"), data, runs, {**options, "per_topic": True}
    )
    table = only(only(table, "run", run), "query_id", query_id)
    name, topic, r = table[["run", "query_id", "recall_base"]].iloc[0]
    ax = drawing.axes() if ax is None else ax
    rank, curve, lowest = (table[column].to_numpy() for column in ("rank", "crp", "worst"))
    width = rank[-1] * 1.04
    # From the origin: before the first document nothing is displaced.
    ax.axhline(0, color=drawing.GREY, linewidth=1.3, linestyle="--", label="ideal", zorder=1)
    _dotted(ax, [0, *rank], [0, *lowest], NOTHING)
    look = {"marker": "", "linestyle": "-", "linewidth": 1.8}
    (line,) = ax.plot(
        [0, *rank], [0, *curve], **drawing.style(name, drawing.one_name(name, "run")) | look
    )
    points: dict[int, list[str]] = {}
    for column, mark in (("turn_around", "min"), ("recall_base", "$R$"), ("balance", "$b$")):
        at = table[column].iloc[0]
        if pd.notna(at) and 0 < at <= width:
            points.setdefault(int(at), []).append(mark)
    for (at, marks), dashes in zip(sorted(points.items()), _DASHES, strict=False):
        ax.axvline(
            at,
            color=drawing.GREY,
            linewidth=0.9,
            linestyle=dashes,
            label=" = ".join([*marks, str(at)]),
        )
    for of_rank, what, colour in ((curve, "r", line.get_color()), (lowest, "w", drawing.GREY)):
        if 0 < r <= rank[-1]:
            value = int(of_rank[r - 1])
            label = f"CRP(${what}$, $R$) = {value}".replace("-", drawing.MINUS)
            ax.plot([r], [value], "o", color=colour, markersize=5, label=label)
    low, high = min(lowest.min(), curve.min(), 0), max(curve.max(), 0)
    span = (high - low) or 1
    ax.set(xlim=(0, width), ylim=(low - 0.08 * span, high + 0.08 * span), xlabel="rank")
    ax.set_ylabel(
        "CRP (ranks)" + ("\njudged documents only" if table.attrs.get("judged_only") else "")
    )
    drawing.title(
        ax,
        drawing.wrapped(
            f"CRP of {drawing.one_name(name, 'a run')}, topic {drawing.one_name(topic, '')}"
        ),
    )
    drawing.whole_ranks(ax)
    drawing.legend(ax)
    return drawing.finish(ax)


@_picture_of("crp()")
def crp(
    data: QrelsLike,
    runs: GivenRuns = None,
    *,
    normalized: bool = True,
    spread: bool | None = None,
    cut: float | None = None,
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw CRP of runs over the topics: the median by rank, and a band from the first to the third
    quartile.

    A curve ends at the end of its run, though CRP is defined down to R.

    Parameters
    ----------
    %(first)s
    normalized : bool
        Draw CRP over R(R+1)/2 (0 ideal, -1 at R for a run with nothing relevant), so that topics
        count alike. If false, draw CRP in ranks: topics with many relevant documents then dominate.
    spread : bool, optional
        Whether to draw the band. None: only for up to three runs.
    cut : number, optional
        Last rank drawn, as a multiple of the mean of R: later ranks say little about the run.
        None: 4, or all ranks if `depth` says how many.
    %(highlight)s
    %(last)s

    Raises
    ------
    ValueError
        `data` is not such a table; `cut` is not above 0.
    """
    if cut is not None and not cut > 0:
        raise not_accepted("cut", cut, "a number above 0")
    table = curve_means(
        "crp", ("rank", "share_median", "crp_low", "share_low", "exhausted"), data, runs, options
    )
    times = cut or (np.inf if options.get("depth") else drawing.CRP_CUT)
    last = (
        np.ceil(times * max(float(table["recall_base"].max()), 1)) if np.isfinite(times) else np.inf
    )
    down = table[table["rank"] <= last]
    shown = down[down["exhausted"] < 1]
    cut_off = len(shown) < (table["exhausted"] < 1).sum()
    value = "share" if normalized else "crp"
    one = table.attrs.get("n_topics") == 1
    ax, drawn, note = drawing.draw_runs(shown, "rank", f"{value}_median", ax, highlight, down)
    spread = (len(drawn) <= 3 if spread is None else spread) and not one
    for rows, line in drawn.values() if spread else ():
        low, high = rows[f"{value}_low"], rows[f"{value}_high"]
        ax.fill_between(rows["rank"], low, high, color=line.get_color(), alpha=0.18, linewidth=0)
    ax.axhline(0, color=drawing.GREY, linewidth=1.0, linestyle="--", zorder=1)
    if not normalized:
        # This curve is the same for all runs, but not for all groups: draw it once a group.
        for i, name in enumerate(
            table.groupby("group")["run"].first() if "group" in table else [*drawn][:1]
        ):
            rows = table[(table["run"] == name) & (table["rank"] <= shown["rank"].max())]
            label = None if i else NOTHING if one else f"median with {NOTHING}"
            _dotted(ax, rows["rank"], rows["worst_median"], label)
    ends = f"0 ideal, {drawing.MINUS}1 {NOTHING} at R" if normalized else "0 ideal"
    above = "\nabove 0: more too low than too high" if shown[f"{value}_median"].max() > 0 else ""
    ax.set_ylabel(f"CRP {'/ [R(R + 1)/2]' if normalized else 'in ranks'}\n{ends}{above}")
    ax.yaxis.label.set_fontsize("small")
    return _finished(
        ax,
        note,
        "CRP" if one else "CRP: median and quartiles" if spread else "CRP: median",
        table,
        f"cut at {times:g} times the mean R, rank {last:g}" if cut_off else "",
        "grades below 0 can take it lower" if table.attrs.get("negative_topics") else "",
    )


@_picture_of("npref_convergence()")
def npref_convergence(
    data: QrelsLike,
    runs: GivenRuns = None,
    *,
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw n-pref by the number of partitions, and the rpref it approaches (a short line at the
    right).

    In the relative norm, as in figure 1 of the paper, unless you pass another `measure`.

    Parameters
    ----------
    %(first)s
    %(highlight)s
    %(last)s
    """
    table = curve_means("npref_convergence", ("n", "value", "limit"), data, runs, options)
    ax, drawn, note = drawing.draw_runs(table, "n", "value", ax, highlight)
    steps = sorted(set(table["n"]))
    begin, end = steps[-1] * 1.25, steps[-1] * 2.4  # of the short lines
    for rows, line in drawn.values():
        ax.plot([begin, end], [rows["limit"].iloc[0]] * 2, color=line.get_color(), linewidth=2.2)
    ax.set_xscale("log", base=2)
    # Of two numbers whose labels would touch, such as 8 and 9, the second has one.
    labels = ["" if after < 1.2 * step else str(step) for step, after in pairwise([*steps, end])]
    ax.set_xticks([*steps, float(np.sqrt(begin * end))], [*labels, "rpref"])
    ax.minorticks_off()
    # As high as the data need, but differences by rounding alone are not shown.
    low, high = table[["value", "limit"]].min().min(), table[["value", "limit"]].max().max()
    margin = max(0.08 * (high - low), 0.005)
    ax.set(
        xlim=(steps[0] / 1.3, end * 1.05),
        ylim=(low - margin, high + margin),
        xlabel="partitions n of the grade scale",
        ylabel="n-pref",
    )
    return _finished(
        ax,
        note,
        "n-pref",
        table,
        drawing.text(table.attrs.get("measure", "")),
        constant_npref(table),
    )


@_picture_of("interpolated_precision()")
def precision_recall(
    data: QrelsLike,
    runs: GivenRuns = None,
    *,
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw interpolated precision at the 11 levels of recall.

    Parameters
    ----------
    %(first)s
    %(highlight)s
    %(last)s
    """
    table = curve_means("interpolated_precision", ("recall", "precision"), data, runs, options)
    # The first and the last level lie on the frame, which would clip their marks.
    ax, _, note = drawing.draw_runs(table, "recall", "precision", ax, highlight, clip_on=False)
    ax.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xticks=np.arange(11) / 10,
        xlabel="recall",
        ylabel="interpolated precision",
    )
    rel = table.attrs.get("rel", 1)
    relevant = f"relevant: grade {rel:g} or above" if rel != 1 else ""
    return _finished(ax, note, "Precision at 11 levels of recall", table, relevant)


@_picture_of("cumulated_gain()")
def cumulated_gain(
    data: QrelsLike,
    runs: GivenRuns = None,
    *,
    quantity: str = "dcg",
    highlight: drawing.Highlight = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw cumulated gain by rank with the ideal curve.

    Parameters
    ----------
    %(first)s
    quantity : 'cg', 'dcg', 'ncg' or 'ndcg'
    %(highlight)s
    %(last)s
    """
    check_choice("quantity", quantity, _GAINS)
    table = curve_means("cumulated_gain", ("rank", "dcg", "ideal_dcg"), data, runs, options)
    alive = table[table["ended"] < 1] if "ended" in table else table
    ax, drawn, note = drawing.draw_runs(alive, "rank", quantity, ax, highlight, table)
    judged = table.attrs.get("ideal", "judged") == "judged"
    ratio = quantity in ("ncg", "ndcg")
    best = f"ideal_{quantity}"
    if ratio:
        ax.axhline(1, color=drawing.GREY, label="ideal", linewidth=1.5, linestyle=":")
    elif judged and "group" not in table:
        # The ideal list may be longer than all runs.
        rows = table[(table["run"] == next(iter(drawn))) & (table["rank"] <= alive["rank"].max())]
        _dotted(ax, rows["rank"], rows[best], "ideal", linewidth=1.5)
    else:
        for rows, line in drawn.values():
            label = "ideal" if len(drawn) == 1 else f"ideal of {line.get_label().strip()}"
            _dotted(ax, rows["rank"], rows[best], label, color=line.get_color(), linewidth=1.5)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(f"{quantity.upper()} ({'share of the ideal' if ratio else 'gain'})")
    measure = drawing.text(table.attrs.get("measure", ""))
    return _finished(
        ax,
        note,
        _GAINS[quantity],
        table,
        measure,
        "" if judged else "ideal of the retrieved documents",
    )


def _finished(ax: Axes, note: str, words: str, table: Any, *details: str) -> Axes:
    """Add a title, notes below it, a legend and a grid to the picture of a curve."""
    only_judged = "judged documents only" if table.attrs.get("judged_only") else ""
    drawing.title(ax, _with_topics(words, table), *details, only_judged)
    drawing.legend(ax, note=note)
    return drawing.finish(ax)


def _with_topics(words: str, table: Any) -> str:
    """Add the topic of the table to a title, or the number of its topics."""
    if "query_id" in table:
        return f"{words}, topic {drawing.one_name(table['query_id'].iloc[0], 'run')}"
    n = table.attrs.get("n_topics")
    return words if n is None else f"{words}, {drawing.count(n, 'topic')}"
