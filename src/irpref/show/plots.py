"""Pictures of the curves and tables of `irpref.curves`, and of values by topic.

Every function takes either the table, or the qrels and runs it is made of (with the options of the function
in `irpref.curves`); draws on `ax` or on a new figure of about the width of a column; and returns the Axes. It
draws what the table holds and computes nothing. `styles` maps the name of a run to keyword arguments of
`Axes.plot`, for a house style; `ax.set_title("")` removes a title that the caption repeats.

Runs are told apart by line and marker as well as by colour, wins and losses by side and hatching. The same system has
the same colour in all pictures of a session; `irpref.show.look.forget()` gives them anew. Long names are shortened in
the middle, and what all begin or end with is left out and said.

Judgments and runs have any form that `irpref.curves` takes, PyTerrier's frames among them; the pictures of values by
topic take the result of `pt.Experiment(..., perquery=True)`, too.

Needs matplotlib: `pip install matplotlib`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irpref.show.board_plot import leaderboard
from irpref.show.look import (
    COLOURS,
    CRP_CUT,
    GREY,
    MINUS,
    NEUTRAL,
    SIZE,
    Styles,
    above,
    axes,
    count,
    finish,
    grow,
    in_colour,
    introduce,
    legend,
    name_points,
    one_name,
    short_names,
    style,
    styled,
    text,
    title,
    wrapped,
)
from irpref.show.meta_plots import incompleteness, significance, stability, swap
from irpref.show.names import middle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from irpref.arrays.segments import Floats, Ints
    from irpref.judged.types import Groups, Qrels, Run, Runs
    from irpref.measures.declare import MeasureLike
    from irpref.meta import TopicValues

    # What the pictures of values by topic are drawn from.
    Values: TypeAlias = Qrels | TopicValues | Iterable[TopicValues]

__all__ = [
    "axes",
    "crp",
    "crp_sketch",
    "cumulated_gain",
    "incompleteness",
    "leaderboard",
    "measure_scatter",
    "npref_convergence",
    "precision_histogram",
    "precision_recall",
    "significance",
    "stability",
    "swap",
    "topic_strip",
]
_LABELS = 15  # systems that a scatter of ordinary size has room to name


# -------------------------------------------------------------------------------------------------- positions


@styled
def crp_sketch(
    data: Qrels,
    runs: Run | Runs | None = None,
    *,
    query_id: str | None = None,
    run: str | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
    **options: Any,
) -> Axes:
    """CRP of one run on one topic as in figure 1 of the paper: run, ideal and worst case, and the points on
    them.

    R is the number of relevant documents, `min` the turn-around point, b the balance point; the marks at R
    are the loss value CRP(r, R) and that of the worst case, CRP(w, R).

    Parameters
    ----------
    data : table of `irpref.curves.crp(per_topic=True)`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    query_id, run : what to draw, where the table holds several
    ax : Axes to draw on; a new figure if None
    styles : mapping of run to keyword arguments of `Axes.plot`
    **options : of `irpref.curves.crp`

    Raises
    ------
    ValueError
        `data` is no such table; a topic or run is not said or not there.
    ImportError
        matplotlib is not installed.
    """
    table = _data("crp", ("query_id", "rank", "crp", "worst"), data, runs, {**options, "per_topic": True})
    table = _only(_only(table, "run", run), "query_id", query_id)
    name, topic, first = table["run"].iloc[0], table["query_id"].iloc[0], table.iloc[0]
    ax = axes() if ax is None else ax
    rank, curve = table["rank"].to_numpy(), table["crp"].to_numpy()
    r = int(first["recall_base"])
    of_worst = table["worst"].to_numpy()

    ax.axhline(0, color=GREY, linewidth=1.3, linestyle="--", label="ideal", zorder=1)
    # From the origin: before the first document nothing is displaced.
    ax.plot([0, *rank], [0, *of_worst], color=GREY, linewidth=1.3, linestyle=":", label=_worst(table, topic))
    shown = one_name(name, "run")
    line = {
        **style(name, None, shown),
        "marker": "",
        "linestyle": "-",
        "linewidth": 1.8,
        **(styles or {}).get(name, {}),
    }
    ax.plot([0, *rank], [0, *curve], **line)

    marks: dict[int, list[str]] = {}
    for at, mark in ((first["turn_around"], "min"), (r, "R"), (first["balance"], "b")):
        if not _missing(at) and 0 < int(at) <= rank[-1]:
            marks.setdefault(int(at), []).append(mark)
    width = rank[-1] * 1.04
    ends: list[float] = []  # where the last name of each row of names stands
    for at in sorted(marks):
        ax.axvline(at, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        words = " = ".join([*(f"${mark}$" if mark != "min" else mark for mark in marks[at]), str(at)])
        # A name goes to the first row where it does not meet the one before.
        row = next((i for i, end in enumerate(ends) if at - end > 0.2 * width), len(ends))
        ends[row : row + 1] = [at]
        ax.annotate(
            words,
            (at, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3 + 11 * row),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
    if 0 < r <= rank[-1]:
        for values, what, colour in ((curve, "r", line.get("color")), (of_worst, "w", GREY)):
            value = int(values[r - 1])
            ax.plot([r], [value], "o", color=colour, markersize=5)
            ax.annotate(
                f"CRP(${what}$, $R$) = {value}".replace("-", MINUS),
                (r, value),
                xytext=(6, -4) if r < 0.6 * width else (-6, -9),  # on the left the curve comes down
                textcoords="offset points",
                ha="left" if r < 0.6 * width else "right",
                va="top",
                fontsize="small",
                color=colour,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
            )
    ax.set_xlim(0, width)
    low = min(of_worst.min(), curve.min(), 0)
    high = max(curve.max(), 0)
    span = (high - low) or 1
    ax.set_ylim(low - 0.16 * span, high + 0.08 * span)
    ax.set_xlabel("rank")
    ax.set_ylabel(f"{_crp_name(table)} (ranks)")
    of = one_name(name, "a run")
    ax.set_title(wrapped(f"CRP of {of}, topic {one_name(topic, '')}"), pad=8 + 11 * len(ends))
    _whole_ranks(ax)
    legend(ax)
    return finish(ax)


@styled
def crp(
    data: Qrels,
    runs: Run | Runs | None = None,
    *,
    normalized: bool = True,
    spread: bool | None = None,
    cut: float | None = None,
    highlight: Sequence[str] | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
    **options: Any,
) -> Axes:
    """CRP of runs over the topics: the median by rank, and a band from the first to the third quartile.

    A curve ends where its run ends, though CRP is defined down to R.

    Parameters
    ----------
    data : table of `irpref.curves.crp()`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    normalized : bool
        Draw CRP over R(R+1)/2 (0 ideal, -1 at R for a run with nothing relevant), so that topics count alike.
        Otherwise CRP in ranks, where topics with many relevant documents prevail.
    spread : bool, optional
        Draw the band; None: for up to three runs.
    cut : number, optional
        Last rank drawn, as a multiple of the mean of R: what comes later says little about the run. None: 4, or all
        ranks where `depth` says how many.
    highlight : names of runs, optional
        Those in colour; the others are grey. None: all of up to eight runs, the best five of more.
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.crp`

    Raises
    ------
    ValueError
        `data` is no such table; `cut` is not above 0.
    """
    if cut is not None and not cut > 0:
        raise ValueError(f"cut={cut!r} is not accepted, expected a number above 0")
    table = _means("crp", ("rank", "share_median", "crp_low", "share_low", "exhausted"), data, runs, options)
    ax = axes() if ax is None else ax
    value = "share" if normalized else "crp"
    one = table.attrs.get("n_topics") == 1
    times = cut or (np.inf if options.get("depth") else CRP_CUT)
    last = np.ceil(times * max(float(table["recall_base"].max()), 1)) if np.isfinite(times) else np.inf
    alive = table[table["exhausted"] < 1]
    shown = alive[alive["rank"] <= last]
    names = in_colour(ax, shown, ("rank", f"{value}_median"), highlight)
    spread = (len(names) <= 3 if spread is None else spread) and not one
    labels = short_names(names)
    introduce(names)
    ax.axhline(0, color=GREY, linewidth=1.0, linestyle="--", zorder=1)
    for i, name in enumerate(names):
        rows = shown[shown["run"] == name]
        look = {"markevery": (0.03 * (i % 5), 0.15), **style(name, styles, labels.shown[name])}
        (line,) = ax.plot(rows["rank"], rows[f"{value}_median"], **look)
        if spread:
            ax.fill_between(
                rows["rank"],
                rows[f"{value}_low"],
                rows[f"{value}_high"],
                color=line.get_color(),
                alpha=0.18,
                linewidth=0,
            )
    if not normalized:
        # The same for all runs, but not for all groups.
        for i, name in enumerate(table.groupby("group")["run"].first() if "group" in table else names[:1]):
            rows = table[(table["run"] == name) & (table["rank"] <= shown["rank"].max())]
            ax.plot(
                rows["rank"],
                rows["worst_median"],
                color=GREY,
                linewidth=1.3,
                linestyle=":",
                label=None if i else ("" if one else "median ") + _worst(table),
            )
    ax.set_xlim(left=0)
    what = _crp_name(table)
    bottom = f"{MINUS}1 {_worst(table)} at R"
    ends = f"0 ideal, {bottom}" if normalized else "0 ideal"
    if shown[f"{value}_median"].max() > 0:
        ends += "; above 0:\nmore documents too low than too high"
    ax.set_ylabel(f"{what} / [R(R + 1)/2]\n({ends})" if normalized else f"{what} (ranks; {ends})")
    ax.set_xlabel("rank")
    middle_of = "" if one else ": median" + (" and quartiles" if spread else "")
    title(
        ax,
        _over_topics(f"CRP{middle_of}", table),
        f"cut at {times:g} times the mean R, rank {last:g}" if len(shown) < len(alive) else "",
        "grades below 0 can take it lower" if _negative(table) else "",
    )
    _whole_ranks(ax)
    legend(ax, note=labels.note)
    return finish(ax)


def _negative(table: pd.DataFrame, query_id: str | None = None) -> bool:
    """Whether documents were judged below 0, so that a run can do worse than to retrieve nothing relevant."""
    topics = table.attrs.get("negative_topics", [])
    return query_id in topics if query_id is not None else bool(topics)


def _worst(table: pd.DataFrame, query_id: str | None = None) -> str:
    """What the line of a run with nothing relevant is called."""
    below = _negative(table, query_id) or bool((table["crp"] < table["worst"]).any())
    return "nothing relevant" if below else "worst case"


def _crp_name(table: pd.DataFrame) -> str:
    return "CRP, judged documents only" if table.attrs.get("judged_only") else "CRP"


# ------------------------------------------------------------------------------------------------ preferences


@styled
def npref_convergence(
    data: Qrels,
    runs: Run | Runs | None = None,
    *,
    pairs: bool | None = None,
    highlight: Sequence[str] | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
    **options: Any,
) -> Axes:
    """n-pref by the number of partitions, and the rpref it approaches (a short line at the right).

    Parameters
    ----------
    data : table of `irpref.curves.npref_convergence()`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    pairs : bool, optional
        Write the number of misplaced pairs beside each point; None: for up to three runs.
    highlight : names of runs, optional
        Those in colour; the others are grey. None: all of up to eight runs, the best five of more.
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.npref_convergence`
    """
    table = _means("npref_convergence", ("n", "value", "limit", "misplaced"), data, runs, options)
    ax = axes() if ax is None else ax
    names = in_colour(ax, table, ("n", "value"), highlight)
    pairs = len(names) <= 3 if pairs is None else pairs
    labels = short_names(names)
    introduce(names)
    steps = sorted(set(table["n"]))
    end = steps[-1] * 2.4
    for i, name in enumerate(names):
        rows = table[table["run"] == name]
        (line,) = ax.plot(rows["n"], rows["value"], **style(name, styles, labels.shown[name]))
        limit = rows["limit"].iloc[0]
        ax.plot([steps[-1] * 1.25, end], [limit, limit], color=line.get_color(), linewidth=2.2)
        if pairs:
            # In a row of its own below the axis: two runs may have the same values.
            down = -(20 + 10 * i)
            for n, number in zip(rows["n"], rows["misplaced"], strict=True):
                _below_axis(ax, f"{number:.4g}", n, down, "center", line.get_color())
            _below_axis(ax, middle(labels.shown[name].strip(), 14), 0, down, "right", line.get_color())
    ax.set_xscale("log", base=2)
    ax.set_xticks([*steps, float(np.sqrt(steps[-1] * 1.25 * end))], [*map(str, steps), "rpref"])
    ax.minorticks_off()
    ax.set_xlim(steps[0] / 1.3, end * 1.05)
    # As high as the data need: runs differ by less than the range of the measure.
    low, high = table[["value", "limit"]].min().min(), table[["value", "limit"]].max().max()
    margin = max(0.08 * (high - low), 0.005)
    ax.set_ylim(low - margin, high + margin)
    ax.set_xlabel("partitions n of the grade scale", labelpad=4 + (10 * len(names) - 2 if pairs else 0))
    measure = table.attrs.get("measure", "")
    ax.set_ylabel("n-pref")
    several = "query_id" not in table and table.attrs.get("n_topics", 1) > 1
    note = f"numbers below: misplaced pairs{' (mean)' if several else ''}" if pairs else ""
    ends = table.groupby("run")["value"].agg(["min", "max"])
    constant = bool((ends["max"] - ends["min"] <= 1e-12).all()) and len(steps) > 1
    same = "the same for every n, as always with binary judgments" if constant else ""
    title(ax, _over_topics("n-pref", table), _parameters(measure), same, note)
    if pairs:
        grow(ax, height=10 / 72 * len(names))
    legend(ax, note=labels.note)
    return finish(ax)


def _below_axis(ax: Axes, words: str, x: float, down: float, ha: str, colour: ColorType) -> None:
    """Small text so many points below the x axis, at a place of the axis or (`ha` 'right') left of it."""
    ax.annotate(
        words,
        (x, 0),
        xycoords=("axes fraction" if ha == "right" else "data", "axes fraction"),
        xytext=(-6 if ha == "right" else 0, down),
        textcoords="offset points",
        ha=ha,
        va="center",
        fontsize="x-small",
        color=colour,
        annotation_clip=False,
    )


# ------------------------------------------------------------------------------------------ recall, precision


@styled
def precision_recall(
    data: Qrels,
    runs: Run | Runs | None = None,
    *,
    highlight: Sequence[str] | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
    **options: Any,
) -> Axes:
    """Interpolated precision at the 11 levels of recall.

    Parameters
    ----------
    data : table of `irpref.curves.interpolated_precision()`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    highlight : names of runs, optional
        Those in colour; the others are grey. None: all of up to eight runs, the best five of more.
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.interpolated_precision`
    """
    table = _means("interpolated_precision", ("recall", "precision"), data, runs, options)
    ax = axes() if ax is None else ax
    names = in_colour(ax, table, ("recall", "precision"), highlight)
    labels = short_names(names)
    introduce(names)
    for name in names:
        rows = table[table["run"] == name]
        # The first and the last level lie on the frame.
        ax.plot(rows["recall"], rows["precision"], clip_on=False, **style(name, styles, labels.shown[name]))
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_xticks(np.arange(11) / 10)
    ax.set_xlabel("recall")
    ax.set_ylabel("interpolated precision")
    details = [f"relevant: grade {table.attrs['rel']:g} or above"] if table.attrs.get("rel", 1) != 1 else []
    details += ["judged documents only"] if table.attrs.get("judged_only") else []
    title(ax, _over_topics("Precision at 11 levels of recall", table), ", ".join(details))
    legend(ax, note=labels.note)
    return finish(ax)


@styled
def precision_histogram(
    data: Values,
    runs: Run | Runs | None = None,
    baseline: Run | None = None,
    *,
    run: str | None = None,
    measure: MeasureLike | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Difference of two runs by topic, topics sorted: wins filled and above, losses hatched and below the
    line.

    Parameters
    ----------
    data : table of `irpref.curves.precision_histogram()` or `paired_differences(per_topic=True)`, or values by topic
        (`irpref.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`), or the qrels
    runs : with qrels: as there
    baseline : with qrels, as there; with values, the name of a system
    run : str, optional
        What to draw, where the table holds several.
    measure : optional
        With qrels, what to draw in place of R-precision; with values of several measures, which.
    ax : Axes to draw on; a new figure if None
    **options : of `irpref.curves.precision_histogram`
    """
    if runs is None and _are_values(data):
        from irpref.analysis.curves import value_differences

        if not isinstance(baseline, str):
            raise ValueError("with values by topic, say the baseline by its name")
        (values,) = _values(data, None, [] if measure is None else [measure], exactly=1)
        data = value_differences(values, baseline, per_topic=True)
    if runs is not None:
        options = {**options, "baseline": baseline, "per_topic": True}
        if measure is not None:
            from irpref.analysis.curves import paired_differences

            judgments: Any = data
            data, runs, options = paired_differences(judgments, runs, measure=measure, **options), None, {}
    table = _data("precision_histogram", ("query_id", "difference"), data, runs, options)
    table = _only(table, "run", run)
    table = table.sort_values("difference", ascending=False, kind="stable")
    if "group" in table:
        table = table.sort_values("group", kind="stable")
    ax = axes() if ax is None else ax

    from matplotlib.patches import Patch

    difference = table["difference"].to_numpy()
    own, other = table["run"].iloc[0], table.attrs.get("baseline", "B")
    labels = short_names([own, other])
    introduce([own, other])
    name = "A" if own == "run" else labels.shown[own].strip()
    base = labels.shown[other].strip()
    of = {"Rprec": "R-precision"}.get(table.attrs.get("measure", "Rprec"), table.attrs.get("measure"))
    place = np.arange(difference.size)
    colour, against = style(own)["color"], style(other)["color"]
    filled: dict[str, Any] = {"facecolor": colour, "edgecolor": colour, "linewidth": 0.8}
    hatched: dict[str, Any] = {**filled, "facecolor": "white", "edgecolor": against, "hatch": "//////"}
    handles: list[Any] = []
    for chosen, look, words in (
        (difference > 0, filled, f"{name} higher"),
        (difference < 0, hatched, f"{base} higher"),
    ):
        ax.bar(place[chosen], difference[chosen], width=0.8, **look)
        handles.append(Patch(label=f"{words}: {int(chosen.sum())}", **look))
    equal = difference == 0
    (dots,) = ax.plot(place[equal], difference[equal], "o", color=GREY, markersize=4, clip_on=False)
    dots.set_label(f"equal: {int(equal.sum())}")
    handles.append(dots)
    ax.axhline(0, color="0.2", linewidth=0.8)
    beside = max(6 - difference.size, 0) / 2  # few topics have no broader bars
    ax.set_xlim(-0.8 - beside, difference.size - 0.2 + beside)
    # Each side as far as it goes; tiny differences must not fill the picture.
    low, high = min(difference.min(), 0.0), max(difference.max(), 0.0)
    margin = 0.06 * max(high - low, 0.1)
    missing = max(0.1 - (high - low), 0.0) / 2
    ax.set_ylim(low - missing - margin, high + missing + margin)
    if difference.size <= 40:
        ids = [text(middle(str(topic), 12)).strip() for topic in table["query_id"]]
        upright = len(ids) * (4.9 * max(map(len, ids), default=0) + 4) > 250  # points
        ax.set_xticks(place, ids, rotation=90 if upright else 0, fontsize="small" if not upright else "x-small")
        ax.tick_params(axis="x", length=0)
    else:
        ax.set_xticks([])
    ax.set_xlabel("topic, sorted by difference")
    if "group" in table:
        group = table["group"].to_numpy()
        opens = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        for start, end in zip(opens, [*opens[1:], group.size], strict=True):
            if start:
                ax.axvline(start - 0.5, color=GREY, linewidth=0.8, linestyle=":")
            words = text(middle(str(group[start]), 14))
            # Beside the bars of losses, which stand at the end of a group.
            ax.annotate(
                words, (end - 0.6, 1), (0, -3), ("data", "axes fraction"), "offset points", ha="right", va="top"
            )
        ax.set_xlabel("topic, by group, sorted by difference")
    ax.set_ylabel(wrapped(f"{of}: {name} {MINUS} {base}"))
    gap = above(ax, handles, [handle.get_label() for handle in handles])
    title(ax, wrapped(f"{of} by topic, {count(difference.size, 'topic')}"), labels.note, gap=gap)
    finish(ax).grid(False, axis="x")
    return ax


# ------------------------------------------------------------------------------------------------------- gain

_IDEAL: dict[str, Any] = {"linewidth": 1.5, "linestyle": ":"}
_GAINS = {"cg": "CG", "dcg": "DCG", "ncg": "NCG", "ndcg": "NDCG"}


@styled
def cumulated_gain(
    data: Qrels,
    runs: Run | Runs | None = None,
    *,
    quantity: str = "dcg",
    highlight: Sequence[str] | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
    **options: Any,
) -> Axes:
    """Cumulated gain by rank with the ideal curve.

    Parameters
    ----------
    data : table of `irpref.curves.cumulated_gain()`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    quantity : 'cg', 'dcg', 'ncg' or 'ndcg'
    highlight : names of runs, optional
        Those in colour; the others are grey. None: all of up to eight runs, the best five of more.
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.cumulated_gain`
    """
    if quantity not in _GAINS:
        raise ValueError(f"quantity={quantity!r} is not accepted, expected one of {', '.join(map(repr, _GAINS))}")
    table = _means("cumulated_gain", ("rank", "dcg", "ideal_dcg"), data, runs, options)
    ax = axes() if ax is None else ax
    names = in_colour(ax, table if "ended" not in table else table[table["ended"] < 1], ("rank", quantity), highlight)
    shared = table.attrs.get("ideal", "judged") == "judged" and "group" not in table
    ratio = quantity in ("ncg", "ndcg")
    # The ideal list may be longer than all runs.
    last = (table if "ended" not in table else table[table["ended"] < 1])["rank"].max()
    labels = short_names(names)
    introduce(names)
    for name in names:
        rows = table[table["run"] == name]
        rows = rows[rows["ended"] < 1] if "ended" in rows else rows
        look = {"markevery": max(1, len(rows) // 12), **style(name, styles, labels.shown[name])}
        (line,) = ax.plot(rows["rank"], rows[quantity], **look)
        if not ratio and not shared:
            words = "ideal" if len(names) == 1 else f"ideal of {labels.shown[name].strip()}"
            ax.plot(rows["rank"], rows[f"ideal_{quantity}"], color=line.get_color(), label=words, **_IDEAL)
    if ratio:
        ax.axhline(1, color=GREY, label="ideal", **_IDEAL)
    elif shared:
        rows = table[(table["run"] == names[0]) & (table["rank"] <= last)]
        ax.plot(rows["rank"], rows[f"ideal_{quantity}"], color=GREY, label="ideal", **_IDEAL)
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    short = _GAINS[quantity]
    ax.set_xlabel("rank")
    ax.set_ylabel(f"{short} (share of the ideal)" if ratio else f"{short} (gain)")
    details = _parameters(table.attrs.get("measure", ""), base="d" in quantity)
    if table.attrs.get("ideal", "judged") != "judged":
        details = "; ".join(filter(None, [details, "ideal of the retrieved documents"]))
    full = {"cg": "Cumulated gain", "dcg": "Discounted cumulated gain"}.get(quantity, short)
    title(ax, _over_topics(full, table), details)
    _whole_ranks(ax)
    legend(ax, note=labels.note)
    return finish(ax)


# -------------------------------------------------------------------------------------------- values by topic


@styled
def topic_strip(
    data: Values,
    runs: Run | Runs | None = None,
    measure: MeasureLike | None = None,
    *,
    groups: Groups | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
) -> Axes:
    """Values of one measure: a strip for each system with a dot for each topic, and the mean as a bar.

    Parameters
    ----------
    data : `irpref.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`, or the qrels
    runs : with qrels: a dict of name to run, or a list of paths
    measure : measure or its name, with qrels, or where the result holds several
    groups : mapping of topic to group, or path of a file, optional
        A strip for each system and group of topics.
    ax, styles : see `crp_sketch`
    """
    from irpref.judged.groups import parts_of

    (values,) = _values(data, runs, [] if measure is None else [measure], exactly=1)
    order = _places(values).argsort(kind="stable")[::-1]  # the best on top
    parts = parts_of(groups, None, values.topics)
    several = len(parts) > 1
    strips = [(s, part) for s in order.tolist() for part in reversed(parts)]  # from the bottom
    many = len(strips) > 15
    coloured = values.n_systems <= len(COLOURS)
    labels = short_names(values.systems, 28)
    introduce(values.systems if coloured else ())
    names = [labels.shown[values.systems[s]] + (f" ({text(str(p.group))})" if several else "") for s, p in strips]
    if ax is None:
        wide = SIZE[0] + 0.07 * max(max(map(len, names)) - 12, 0)
        ax = axes((wide, 1.2 + (0.16 if many else 0.36) * len(strips)))
    top = max(values.matrix.max(), 1.0)
    low = min(values.matrix.min(), 0.0)
    for place, (s, part) in enumerate(strips):
        of = values.matrix[s][part.topics]
        name = values.systems[s]
        colour = style(name)["color"] if coloured else NEUTRAL
        look = {"color": colour, "marker": "o", "markersize": 4, "alpha": 0.6, **(styles or {}).get(name, {})}
        (dots,) = ax.plot(of, place + _swarm(of, low, top), linestyle="none", markeredgewidth=0, **look)
        if of.size > 1:
            (bar,) = ax.plot([of.mean()] * 2, [place - 0.38, place + 0.38], color="0.1", linewidth=2)
    dots.set_label("topic")
    handles = [dots]
    if max(part.topics.size for part in parts) > 1:
        bar.set_label("mean")
        handles.append(bar)
    ax.set_yticks(range(len(strips)), names)
    ax.tick_params(axis="y", length=0, labelsize="x-small" if many else "medium")
    ax.set_ylim(-0.6, len(strips) - 0.4)
    margin = 0.03 * (top - low)
    ax.set_xlim(low - margin, top + margin)
    ax.set_xlabel(_axis(values))
    gap = above(ax, handles, [str(handle.get_label()) for handle in handles])
    title(ax, wrapped(f"{values.measure} by topic, {count(values.n_topics, 'topic')}"), labels.note, gap=gap)
    finish(ax).grid(False, axis="y")
    return ax


@styled
def measure_scatter(
    data: Values,
    runs: Run | Runs | None = None,
    measures: Sequence[MeasureLike] = (),
    *,
    labels: bool | None = None,
    groups: Groups | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Means of two measures over the same systems, with Kendall's tau between the rankings of the systems.

    Better is to the right and up: the axis of a measure where lower is better is turned.

    Parameters
    ----------
    data : two `irpref.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`, or the qrels
    runs : with qrels: a dict of name to run, or a list of paths
    measures : two measures or their names, with qrels, or where the result holds more than two
    labels : bool, optional
        Write the names of the systems. None: as many as find room, first those that the measures rank most
        differently; the picture says how many that are. True: all, even over each other.
    groups : mapping of topic to group, or path of a file, optional
        A dot for each system and group of topics, and tau of each group.
    ax : Axes to draw on; a new figure if None
    """
    from irpref.meta import system_ranking

    x, y = _values(data, runs, measures, exactly=2)
    parts: dict[str | None, tuple[TopicValues, TopicValues]] = {None: (x, y.select(systems=x.systems))}
    if groups is not None:
        parts = {group: (of, y.select(of.systems, of.topics)) for group, of in x.by_group(groups).items()}
    taus = {group: system_ranking(a).tau(system_ranking(b)) for group, (a, b) in parts.items()}
    means = np.array([[a.means, b.means] for a, b in parts.values()])  # (n_parts, 2, n_systems)
    at, up = means[:, 0].ravel(), means[:, 1].ravel()
    apart = np.concatenate([np.abs(_places(a) - _places(b)) for a, b in parts.values()])
    if ax is None:
        ax = axes(SIZE if labels is False or at.size <= _LABELS else (6.2, 4.8))
    coloured = x.n_systems <= len(COLOURS)
    introduce(x.systems if coloured else ())
    for i in range(at.size) if coloured else ():
        colour = style(x.systems[i % x.n_systems])["color"]
        ax.plot(at[i], up[i], "o", color=colour, markersize=6, markeredgewidth=0)
    if not coloured:
        ax.plot(at, up, "o", color=NEUTRAL, markersize=5, alpha=0.75, markeredgewidth=0)
    ax.margins(0.05 if labels is False else 0.14)
    ax.set_xlabel(_axis(x, "mean "))
    ax.set_ylabel(_axis(y, "mean "))
    finish(ax)
    _better_outwards(ax, x, y)
    values = {group: "undefined" if np.isnan(tau) else f"{tau:.2f}".replace("-", MINUS) for group, tau in taus.items()}
    words = [
        value if group is None else f"{value}\N{NO-BREAK SPACE}({text(middle(group, 14))})"
        for group, value in values.items()
    ]
    heading = wrapped(f"Kendall's \N{GREEK SMALL LETTER TAU} = {', '.join(words)}")
    details = f"{count(x.n_systems, 'system')}, {count(x.n_topics, 'topic')}"
    if labels is False:
        title(ax, heading, details)
        return ax
    names = short_names(x.systems)
    shown = [name if g is None else f"{name} ({text(g)})" for g in parts for name in names.shown.values()]
    written, n = f"{at.size} of {at.size} labelled", len(ax.texts)
    title(ax, heading, details, written, names.note)  # takes its room
    ax.autoscale_view()
    found = name_points(ax, at, up, shown, np.argsort(-apart, kind="stable").tolist(), labels is True)
    ax.texts[n].remove()
    title(ax, heading, details, f"{found} of {at.size} labelled" if found < at.size else "", names.note)
    return ax


def _places(values: TopicValues) -> Ints:
    """Places of the systems, the best 1: shape (n_systems,)."""
    from irpref.values.means import magnitude, places

    return places(values.means, magnitude(values.matrix), values.higher_is_better)


def _are_values(data: Values) -> bool:
    """Whether these are values by topic, not a table of a curve."""
    from irpref.values.matrix import TopicValues

    if isinstance(data, TopicValues) or hasattr(data, "perquery"):
        return True
    columns = [str(name) for name in getattr(data, "columns", ())]
    return "measure" in columns and "value" in columns


def _values(data: Any, runs: Run | Runs | None, measures: Sequence[MeasureLike], *, exactly: int) -> list[TopicValues]:
    """Values of one or two measures, from whatever they are handed in."""
    from irpref.analysis.blocks import named_runs
    from irpref.values.matrix import topic_values, values_in

    if runs is not None:
        if not measures:
            raise ValueError("with qrels and runs, say which measure")
        found = list(topic_values(measures, data, named_runs(runs)).values())
    else:
        found = values_in(data, measures)
    if len(found) != exactly:
        names = ", ".join(of.measure for of in found)
        many = count(len(found), "measure")
        if len(measures) == len(found):
            raise ValueError(f"the picture is of {count(exactly, 'measure')}, got {many} ({names})")
        which = f"say which {exactly}" if exactly > 1 else f"say which, such as measure={found[0].measure!r}"
        raise ValueError(f"the results hold {many} ({names}): {which}")
    return found


def _axis(values: TopicValues, before: str = "") -> str:
    return wrapped(f"{before}{values.measure}" + ("" if values.higher_is_better else " (lower is better)"))


def _better_outwards(ax: Axes, x: TopicValues, y: TopicValues) -> None:
    """Turn the axes of measures where lower is better: better systems stand further right and further up."""
    if not x.higher_is_better:
        ax.invert_xaxis()
    if not y.higher_is_better:
        ax.invert_yaxis()


def _swarm(values: Floats, low: float, high: float) -> Floats:
    """Offsets that keep dots of near values apart: shape as `values`, within (-0.36, 0.36)."""
    column = np.rint((np.asarray(values) - low) / ((high - low) or 1) * 60).astype(int)
    offset = np.zeros(column.size)
    for at in np.unique(column):
        inside = np.flatnonzero(column == at)
        step = min(0.12, 0.72 / inside.size)
        offset[inside] = (np.arange(inside.size) - (inside.size - 1) / 2) * step
    return offset


# ----------------------------------------------------------------------------------------------------- common


def _data(
    curve: str, needed: Sequence[str], data: Values, runs: Run | Runs | None, options: Mapping[str, Any]
) -> pd.DataFrame:
    """The table handed in, or the one made of qrels and runs."""
    if runs is not None:
        from irpref.analysis import curves

        return getattr(curves, curve)(data, runs, **options)
    found = [str(name) for name in getattr(data, "columns", ())]
    missing = [name for name in ("run", *needed) if name not in found]
    if missing:
        raise ValueError(
            f"expected the table of irpref.curves.{curve} or qrels and runs; column {missing[0]!r} is missing "
            f"(found: {', '.join(found) or 'none'})"
        )
    table: Any = data
    if not len(table):
        raise ValueError(f"the table of irpref.curves.{curve} is empty: there is nothing to draw")
    return table


def _means(
    curve: str, needed: Sequence[str], data: Qrels, runs: Run | Runs | None, options: Mapping[str, Any]
) -> pd.DataFrame:
    """The same where means are drawn; of a table by groups of topics, each run and group is drawn as a run."""
    table = _data(curve, needed, data, runs, options)
    if "query_id" in table:
        return _only(table, "query_id", None)
    if "group" not in table:
        return table
    alone = set(table["run"]) == {"run"}  # what a run without a name is called
    names = table["group"] if alone else table["run"] + " (" + table["group"] + ")"
    drawn = table.assign(run=names)
    drawn.attrs = table.attrs
    return drawn


def _only(table: pd.DataFrame, column: str, wanted: str | None) -> pd.DataFrame:
    """Rows of one run or topic; `ValueError` where it is not said or not there."""
    found = list(dict.fromkeys(table[column]))
    what = {"run": "run", "query_id": "topic"}[column]
    if wanted is None and len(found) > 1:
        names = ", ".join(map(str, found[:6])) + (", ..." if len(found) > 6 else "")
        raise ValueError(f"the table holds {len(found)} {what}s ({names}): name one with {column}=")
    if wanted is not None and wanted not in found:
        raise ValueError(f"no {what} {wanted!r} in the table (found: {', '.join(map(str, found[:6]))})")
    return table if wanted is None else table[table[column] == wanted]


def _missing(value: object) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _parameters(measure: str, base: bool = False) -> str:
    """Parameters of a measure in words for a reader: `norm=relative, max_rel=3, cutoff=10`."""
    before, _, cutoff = measure.partition("@")
    words = before.partition("(")[2].rpartition(")")[0].replace("'", "").replace(",", ", ")
    if base and "base=" not in words:
        words = ", ".join(filter(None, ["base=2", words]))
    if not base:
        words = ", ".join(part for part in words.split(", ") if not part.startswith("base="))
    return ", ".join(filter(None, [words, f"cutoff={cutoff}" if cutoff else ""]))


def _over_topics(words: str, table: pd.DataFrame) -> str:
    if "query_id" in table:
        return f"{words}, topic {one_name(table['query_id'].iloc[0], 'run')}"
    n = table.attrs.get("n_topics")
    return words if n is None else f"{words}, {count(n, 'topic')}"


def _whole_ranks(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
