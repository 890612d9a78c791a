"""Pictures of the curves and tables of `irpref.curves`, and of values by topic.

Every function takes either the table, or the qrels and runs it is made of (with the options of the function
in `irpref.curves`); draws on `ax` or on a new figure of about the width of a column; and returns the Axes. It
draws what the table holds and computes nothing. `styles` maps the name of a run to keyword arguments of
`Axes.plot`, for a house style; `ax.set_title("")` removes a title that the caption repeats.

Runs are told apart by line and marker as well as by colour, wins and losses by side and hatching.

Needs matplotlib: `pip install matplotlib`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from irpref.messages import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irpref.meta import TopicValues

Styles = Mapping[str, Mapping[str, Any]]

# Told apart by colour-blind readers as well, and in print (P. Tol, bright and muted).
COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#997700", "#222255", "#777777")
LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "0.45"
_ours: WeakSet[Any] = WeakSet()  # figures made here: they may grow
SIZE = (4.4, 3.2)  # inches: two columns of a page hold it at three quarters, where 10 points become 7.5


# -------------------------------------------------------------------------------------------------- positions


def crp_sketch(
    data: Any,
    runs: Any = None,
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
    ax.plot([0, *rank], [0, *of_worst], color=GREY, linewidth=1.3, linestyle=":", label="worst case")
    line = {**_style(0, "run", None), "marker": "", "linewidth": 1.8, **(styles or {}).get(name, {})}
    ax.plot([0, *rank], [0, *curve], **line)

    marks: dict[int, list[str]] = {}
    for at, text in ((first["turn_around"], "min"), (r, "R"), (first["balance"], "b")):
        if not _missing(at) and 0 < int(at) <= rank[-1]:
            marks.setdefault(int(at), []).append(text)
    width = rank[-1] * 1.04
    ends: list[float] = []  # where the last name of each row of names stands
    for at in sorted(marks):
        ax.axvline(at, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        text = " = ".join([*(f"${mark}$" if mark != "min" else mark for mark in marks[at]), str(at)])
        # A name goes to the first row where it does not meet the one before.
        row = next((i for i, end in enumerate(ends) if at - end > 0.2 * width), len(ends))
        ends[row : row + 1] = [at]
        ax.annotate(
            text,
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
                f"CRP(${what}$, $R$) = {value}".replace("-", "\N{MINUS SIGN}"),
                (r, value),
                xytext=(6, -4) if r < 0.6 * width else (-6, -4),
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
    ax.set_title(_wrapped(f"CRP of {_label(name, 'a run')}, topic {_visible(topic).strip()}"), pad=8 + 11 * len(ends))
    _whole_ranks(ax)
    # The curve may pass anywhere, so the legend stands below.
    return _finish(ax, 3, legend=_below(ax, 3))


def crp(
    data: Any,
    runs: Any = None,
    *,
    normalized: bool = True,
    spread: bool | None = None,
    ax: Axes | None = None,
    styles: Styles | None = None,
    **options: Any,
) -> Axes:
    """CRP of runs over the topics: the mean by rank, and a band from the first to the third quartile.

    Parameters
    ----------
    data : table of `irpref.curves.crp()`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    normalized : bool
        Draw CRP over R(R+1)/2 (0 ideal, -1 the worst case at R), so that topics count alike. Otherwise CRP in
        ranks, where topics with many relevant documents prevail.
    spread : bool, optional
        Draw the band; None: for up to three runs.
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.crp`
    """
    table = _data("crp", ("rank", "crp_low", "share_low"), data, runs, options)
    ax = axes() if ax is None else ax
    value = "share" if normalized else "crp"
    names = list(dict.fromkeys(table["run"]))
    spread = len(names) <= 3 if spread is None else spread
    ax.axhline(0, color=GREY, linewidth=1.0, linestyle="--", zorder=1)
    for i, name in enumerate(names):
        rows = table[table["run"] == name]
        style = {"markevery": (0.03 * i, 0.15), **_style(i, name, styles)}
        (line,) = ax.plot(rows["rank"], rows[value], **style)
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
        ax.plot(rows["rank"], rows["worst"], color=GREY, linewidth=1.3, linestyle=":", label="worst case")
    ax.set_xlim(left=0)
    what = _crp_name(table)
    minus = "\N{MINUS SIGN}"
    scaled = f"{what} / [R(R + 1)/2]\n(0 ideal, {minus}1 worst case at R)"
    ax.set_ylabel(scaled if normalized else f"{what} (ranks)")
    ax.set_xlabel("rank")
    ax.set_title(_over_topics("CRP: mean" + (" and quartiles" if spread else ""), table))
    _whole_ranks(ax)
    return _finish(ax, len(names) + (not normalized))


def _crp_name(table: Any) -> str:
    return "CRP, judged documents only" if table.attrs.get("judged_only") else "CRP"


# ------------------------------------------------------------------------------------------------ preferences


def npref_convergence(
    data: Any,
    runs: Any = None,
    *,
    pairs: bool | None = None,
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
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.npref_convergence`
    """
    table = _data("npref_convergence", ("n", "value", "limit", "misplaced"), data, runs, options)
    if "query_id" in table:
        table = _only(table, "query_id", None)
    ax = axes() if ax is None else ax
    names = list(dict.fromkeys(table["run"]))
    pairs = len(names) <= 3 if pairs is None else pairs
    steps = sorted(set(table["n"]))
    end = steps[-1] * 2.4
    for i, name in enumerate(names):
        rows = table[table["run"] == name]
        (line,) = ax.plot(rows["n"], rows["value"], **_style(i, name, styles))
        limit = rows["limit"].iloc[0]
        ax.plot([steps[-1] * 1.25, end], [limit, limit], color=line.get_color(), linewidth=2.2)
        if pairs:
            for n, value, number in zip(rows["n"], rows["value"], rows["misplaced"], strict=True):
                ax.annotate(
                    f"{number:.4g}",
                    (n, value),
                    xytext=(0, 5),
                    textcoords="offset points",
                    ha="center",
                    fontsize="x-small",
                    color=line.get_color(),
                )
    ax.set_xscale("log", base=2)
    ax.set_xticks([*steps, float(np.sqrt(steps[-1] * 1.25 * end))], [*map(str, steps), "rpref"])
    ax.minorticks_off()
    ax.set_xlim(steps[0] / 1.3, end * 1.05)
    ax.set_ylim(-0.03, 1.08)
    ax.set_xlabel("partitions n of the grade scale")
    measure = table.attrs.get("measure", "")
    ax.set_ylabel("n-pref")
    several = "query_id" not in table and table.attrs.get("n_topics", 1) > 1
    note = f"numbers: misplaced pairs{' (mean)' if several else ''}" if pairs else ""
    _two_line_title(ax, _over_topics("n-pref", table), _parameters(measure), note)
    return _finish(ax, len(names))


# ------------------------------------------------------------------------------------------ recall, precision


def precision_recall(
    data: Any, runs: Any = None, *, ax: Axes | None = None, styles: Styles | None = None, **options: Any
) -> Axes:
    """Interpolated precision at the 11 levels of recall.

    Parameters
    ----------
    data : table of `irpref.curves.interpolated_precision()`, or the qrels
    runs : with qrels: one run, or a dict of name to run
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.interpolated_precision`
    """
    table = _data("interpolated_precision", ("recall", "precision"), data, runs, options)
    if "query_id" in table:
        table = _only(table, "query_id", None)
    ax = axes() if ax is None else ax
    names = list(dict.fromkeys(table["run"]))
    for i, name in enumerate(names):
        rows = table[table["run"] == name]
        # The first and the last level lie on the frame.
        ax.plot(rows["recall"], rows["precision"], clip_on=False, **_style(i, name, styles))
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_xticks(np.arange(11) / 10)
    ax.set_xlabel("recall")
    ax.set_ylabel("interpolated precision")
    details = [f"relevant: grade {table.attrs['rel']:g} or above"] if table.attrs.get("rel", 1) != 1 else []
    details += ["judged documents only"] if table.attrs.get("judged_only") else []
    _two_line_title(ax, _over_topics("Precision at 11 levels of recall", table), ", ".join(details))
    return _finish(ax, len(names))


def precision_histogram(
    data: Any,
    runs: Any = None,
    baseline: Any = None,
    *,
    run: str | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Difference of two runs by topic, topics sorted: wins filled and above, losses hatched and below the
    line.

    Parameters
    ----------
    data : table of `irpref.curves.precision_histogram()` or `paired_differences(per_topic=True)`, or the
    qrels runs, baseline : with qrels: as there
    run : str, optional
        What to draw, where the table holds several.
    ax : Axes to draw on; a new figure if None
    **options : of `irpref.curves.precision_histogram`
    """
    if runs is not None:
        options = {**options, "baseline": baseline, "per_topic": True}
    table = _data("precision_histogram", ("query_id", "difference"), data, runs, options)
    table = _only(table, "run", run)
    table = table.sort_values("difference", ascending=False, kind="stable")
    ax = axes() if ax is None else ax

    from matplotlib.patches import Patch

    difference = table["difference"].to_numpy()
    name, base = _label(table["run"].iloc[0], "A"), _visible(table.attrs.get("baseline", "B")).strip()
    measure = {"Rprec": "R-precision"}.get(table.attrs.get("measure", "Rprec"), table.attrs.get("measure"))
    place = np.arange(difference.size)
    filled: dict[str, Any] = {"facecolor": COLOURS[0], "edgecolor": COLOURS[0], "linewidth": 0.8}
    hatched: dict[str, Any] = {**filled, "facecolor": "white", "edgecolor": COLOURS[1], "hatch": "//////"}
    handles: list[Any] = []
    for chosen, look, text in (
        (difference > 0, filled, f"{name} higher"),
        (difference < 0, hatched, f"{base} higher"),
    ):
        ax.bar(place[chosen], difference[chosen], width=0.8, **look)
        handles.append(Patch(label=f"{text}: {int(chosen.sum())}", **look))
    equal = difference == 0
    (dots,) = ax.plot(place[equal], difference[equal], "o", color=GREY, markersize=4, clip_on=False)
    dots.set_label(f"equal: {int(equal.sum())}")
    handles.append(dots)
    ax.axhline(0, color="0.2", linewidth=0.8)
    ax.set_xlim(-0.8, difference.size - 0.2)
    most = max(np.abs(difference).max(initial=0.0), 0.1) * 1.1
    ax.set_ylim(-most, most)
    if difference.size <= 40:
        ids = table["query_id"].tolist()
        upright = sum(map(len, ids)) + len(ids) > 70
        ax.set_xticks(place, ids, rotation=90 if upright else 0, fontsize="small" if not upright else "x-small")
        ax.tick_params(axis="x", length=0)
    else:
        ax.set_xticks([])
    ax.set_xlabel("topic, sorted by difference")
    ax.set_ylabel(_wrapped(f"{measure}: {name} \N{MINUS SIGN} {base}"))
    ax.set_title(_wrapped(f"{measure} by topic, {difference.size} topics"))
    _finish(ax, 0)
    ax.grid(False, axis="x")
    ax.legend(handles=handles, frameon=False, fontsize="small", loc="upper right")
    return ax


# ------------------------------------------------------------------------------------------------------- gain

_IDEAL: dict[str, Any] = {"linewidth": 1.5, "linestyle": ":"}
_GAINS = {"cg": "CG", "dcg": "DCG", "ncg": "NCG", "ndcg": "NDCG"}


def cumulated_gain(
    data: Any,
    runs: Any = None,
    *,
    quantity: str = "dcg",
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
    ax, styles : see `crp_sketch`
    **options : of `irpref.curves.cumulated_gain`
    """
    if quantity not in _GAINS:
        raise ValueError(f"quantity={quantity!r} is not accepted, expected one of {', '.join(map(repr, _GAINS))}")
    table = _data("cumulated_gain", ("rank", "dcg", "ideal_dcg"), data, runs, options)
    if "query_id" in table:
        table = _only(table, "query_id", None)
    ax = axes() if ax is None else ax
    names = list(dict.fromkeys(table["run"]))
    shared = table.attrs.get("ideal", "judged") == "judged"
    ratio = quantity in ("ncg", "ndcg")
    for i, name in enumerate(names):
        rows = table[table["run"] == name]
        every = max(1, len(rows) // 12)
        (line,) = ax.plot(rows["rank"], rows[quantity], markevery=every, **_style(i, name, styles))
        if not ratio and not shared:
            text = "ideal" if len(names) == 1 else f"ideal of {name}"
            ax.plot(rows["rank"], rows[f"ideal_{quantity}"], color=line.get_color(), label=text, **_IDEAL)
    if ratio:
        ax.axhline(1, color=GREY, label="ideal", **_IDEAL)
    elif shared:
        ax.plot(rows["rank"], rows[f"ideal_{quantity}"], color=GREY, label="ideal", **_IDEAL)
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    text = _GAINS[quantity]
    ax.set_xlabel("rank")
    ax.set_ylabel(f"{text} (share of the ideal)" if ratio else f"{text} (gain)")
    details = _parameters(table.attrs.get("measure", ""), base="d" in quantity)
    if not shared:
        details = "; ".join(filter(None, [details, "ideal of the retrieved documents"]))
    full = {"cg": "Cumulated gain", "dcg": "Discounted cumulated gain"}.get(quantity, text)
    _two_line_title(ax, _over_topics(full, table), details)
    _whole_ranks(ax)
    return _finish(ax, len(names) + 1)


# -------------------------------------------------------------------------------------------- values by topic


def topic_strip(
    data: Any, runs: Any = None, measure: Any = None, *, ax: Axes | None = None, styles: Styles | None = None
) -> Axes:
    """Values of one measure: a strip for each system with a dot for each topic, and the mean as a bar.

    Parameters
    ----------
    data : `irpref.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`, or the qrels
    runs : with qrels: a dict of name to run, or a list of paths
    measure : with qrels, or with a result of several measures: the measure or its name
    ax, styles : see `crp_sketch`
    """
    (values,) = _values(data, runs, [measure])
    rank = values.means.argsort(kind="stable")
    order = rank if values.higher_is_better else rank[::-1]  # the best on top
    many = values.n_systems > 15
    ax = axes((SIZE[0], 1.2 + (0.16 if many else 0.36) * values.n_systems)) if ax is None else ax
    top = max(values.matrix.max(), 1.0)
    low = min(values.matrix.min(), 0.0)
    for place, s in enumerate(order.tolist()):
        of = values.matrix[s]
        name = values.systems[s]
        look = {"color": COLOURS[0], "marker": "o", "markersize": 4, "alpha": 0.6, **(styles or {}).get(name, {})}
        (dots,) = ax.plot(of, place + _swarm(of, low, top), linestyle="none", markeredgewidth=0, **look)
        (bar,) = ax.plot([of.mean()] * 2, [place - 0.38, place + 0.38], color="0.1", linewidth=2)
    dots.set_label("topic")
    bar.set_label("mean")
    ax.set_yticks(range(values.n_systems), [_visible(values.systems[s]) for s in order.tolist()])
    ax.tick_params(axis="y", length=0, labelsize="x-small" if many else "medium")
    ax.set_ylim(-0.6, values.n_systems - 0.4)
    margin = 0.03 * (top - low)
    ax.set_xlim(low - margin, top + margin)
    ax.set_xlabel(_axis(values))
    ax.set_title(_wrapped(f"{values.measure} by topic, {values.n_topics} topics"), pad=18)
    _finish(ax, 0)
    ax.grid(False, axis="y")
    ax.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, borderpad=0)
    return ax


def measure_scatter(
    data: Any,
    runs: Any = None,
    measures: Sequence[Any] = (),
    *,
    labels: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Means of two measures over the same systems, with Kendall's tau between the rankings of the systems.

    Better is to the right and up: the axis of a measure where lower is better is turned.

    Parameters
    ----------
    data : two `irpref.meta.TopicValues`, the result of `pt.Experiment(perquery=True)`, or the qrels
    runs : with qrels: a dict of name to run, or a list of paths
    measures : with qrels, or with a result of several measures: two measures or their names
    labels : bool, optional
        Write the names of the systems; None: for up to fifteen with names of up to 16 characters.
    ax : Axes to draw on; a new figure if None
    """
    from irpref.meta import system_ranking

    found = _values(data, runs, measures)
    if len(found) != 2:
        raise ValueError(f"measure_scatter draws two measures, got {len(found)}")
    x, y = found
    y = y.select(systems=x.systems)
    tau = system_ranking(x).tau(system_ranking(y))
    ax = axes() if ax is None else ax
    ax.plot(x.means, y.means, "o", color=COLOURS[0], markersize=5, alpha=0.75, markeredgewidth=0)
    if labels is None:
        labels = len(x.systems) <= 15 and max(map(len, x.systems)) <= 16
    ax.margins(0.14 if labels else 0.05)
    ax.set_xlabel(_axis(x, "mean "))
    ax.set_ylabel(_axis(y, "mean "))
    _better_outwards(ax, x, y)
    text = "undefined" if np.isnan(tau) else f"{tau:.2f}".replace("-", "\N{MINUS SIGN}")
    _two_line_title(
        ax,
        f"Kendall's \N{GREEK SMALL LETTER TAU} = {text}",
        f"{x.n_systems} systems, {x.n_topics} topics",
    )
    if labels:
        _name_points(ax, x.means, y.means, x.systems)
    return _finish(ax, 0, legend=False)


def _values(data: Any, runs: Any, measures: Sequence[Any]) -> list[TopicValues]:
    from irpref.analysis.curves import named_runs
    from irpref.meta.values import topic_values, values_in

    if runs is not None:
        if not measures or any(m is None for m in measures):
            raise ValueError("with qrels and runs, say which measure")
        return list(topic_values(measures, data, named_runs(runs)).values())
    found = values_in(data, [measure for measure in measures if measure is not None])
    if len(found) != len(measures) and len(measures) == 1:
        raise ValueError(f"the results hold {len(found)} measures ({', '.join(of.measure for of in found)}): say which")
    return found


def _axis(values: TopicValues, before: str = "") -> str:
    return _wrapped(f"{before}{values.measure}" + ("" if values.higher_is_better else " (lower is better)"))


def _better_outwards(ax: Axes, x: TopicValues, y: TopicValues) -> None:
    """Turn the axes of measures where lower is better: better systems stand further right and further up."""
    if not x.higher_is_better:
        ax.invert_xaxis()
    if not y.higher_is_better:
        ax.invert_yaxis()


def _swarm(values: Any, low: float, high: float) -> Any:
    """Offsets that keep dots of near values apart: shape as `values`, within (-0.36, 0.36)."""
    column = np.rint((np.asarray(values) - low) / ((high - low) or 1) * 60).astype(int)
    offset = np.zeros(column.size)
    for at in np.unique(column):
        inside = np.flatnonzero(column == at)
        step = min(0.12, 0.72 / inside.size)
        offset[inside] = (np.arange(inside.size) - (inside.size - 1) / 2) * step
    return offset


def _name_points(ax: Axes, x: Any, y: Any, names: Sequence[str]) -> None:
    """Names beside points, each where it covers least."""
    ax.autoscale_view()
    box = ax.get_window_extent()
    points = ax.transData.transform(np.column_stack([x, y]))
    scale = ax.figure.dpi / 72
    high, gap = 9 * scale, 5 * scale
    taken = [(px - gap, py - gap, px + gap, py + gap) for px, py in points]
    for (px, py), (vx, vy), name in zip(points, zip(x, y, strict=True), names, strict=True):
        wide = 5.2 * scale * len(name)
        best, least = None, np.inf
        for dx, dy, ha, va in (
            (1, 0, "left", "center"),
            (-1, 0, "right", "center"),
            (0, 1, "center", "bottom"),
            (0, -1, "center", "top"),
            (0.7, 0.9, "left", "bottom"),
            (0.7, -0.9, "left", "top"),
            (-0.7, 0.9, "right", "bottom"),
            (-0.7, -0.9, "right", "top"),
        ):
            left = px + dx * gap - {"left": 0, "right": wide, "center": wide / 2}[ha]
            low = py + dy * gap - {"bottom": 0, "top": high, "center": high / 2}[va]
            room = (left, low, left + wide, low + high)
            covered = sum(_overlap(room, other) for other in taken)
            outside = max(0, box.x0 - room[0]) + max(0, room[2] - box.x1)
            outside += max(0, box.y0 - room[1]) + max(0, room[3] - box.y1)
            if covered + outside * high < least:
                best, least = (dx, dy, ha, va, room), covered + outside * high
        assert best is not None
        dx, dy, ha, va, room = best
        taken.append(room)
        ax.annotate(
            _visible(name).strip(),
            (vx, vy),
            xytext=(dx * 5, dy * 5),
            textcoords="offset points",
            ha=ha,
            va=va,
            fontsize="small",
        )


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


# ----------------------------------------------------------------------------------------------------- common


def axes(size: tuple[float, float] = SIZE) -> Axes:
    """Axes of a new figure of this size in inches.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    _ours.add(figure)
    return ax


def _data(curve: str, needed: Sequence[str], data: Any, runs: Any, options: Mapping[str, Any]) -> Any:
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
    if not len(data):
        raise ValueError(f"the table of irpref.curves.{curve} is empty: there is nothing to draw")
    return data


def _only(table: Any, column: str, wanted: str | None) -> Any:
    """Rows of one run or topic; `ValueError` where it is not said or not there."""
    found = list(dict.fromkeys(table[column]))
    what = {"run": "run", "query_id": "topic"}[column]
    if wanted is None and len(found) > 1:
        names = ", ".join(map(str, found[:6])) + (", ..." if len(found) > 6 else "")
        raise ValueError(f"the table holds {len(found)} {what}s ({names}): name one with {column}=")
    if wanted is not None and wanted not in found:
        raise ValueError(f"no {what} {wanted!r} in the table (found: {', '.join(map(str, found[:6]))})")
    return table if wanted is None else table[table[column] == wanted]


def _missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _style(i: int, name: str, styles: Styles | None) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "label": _visible(name),
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": LINES[i % len(LINES)],
        "marker": MARKERS[i % len(MARKERS)],
        "markersize": 4.5,
        "linewidth": 1.5,
    }
    return {**plain, **(styles or {}).get(name, {})}


def _wrapped(text: str, width: int = 38) -> str:
    """Text in lines that fit a picture; long measures are broken between their parameters."""
    return text if len(text) <= width else textwrap.fill(text.replace(",", ", ").replace("  ", " "), width)


def _visible(name: str) -> str:
    """The name as matplotlib shows it: dollars begin mathematics, labels that begin with an underscore are left out."""
    name = visible(name).replace("$", r"\$")
    return f" {name}" if name.startswith("_") else name


def _label(name: str, otherwise: str) -> str:
    """Name of a run, or another word for one that came without a name."""
    return otherwise if name == "run" else _visible(str(name)).strip()


def _parameters(measure: str, base: bool = False) -> str:
    """Parameters of a measure in words for a reader: `norm=relative, max_rel=3, cutoff=10`."""
    before, _, cutoff = measure.partition("@")
    text = before.partition("(")[2].rpartition(")")[0].replace("'", "").replace(",", ", ")
    if base and "base=" not in text:
        text = ", ".join(filter(None, ["base=2", text]))
    if not base:
        text = ", ".join(part for part in text.split(", ") if not part.startswith("base="))
    return ", ".join(filter(None, [text, f"cutoff={cutoff}" if cutoff else ""]))


def _over_topics(text: str, table: Any) -> str:
    if "query_id" in table:
        return f"{text}, topic {_visible(table['query_id'].iloc[0]).strip()}"
    n = table.attrs.get("n_topics")
    if n is None:
        return text
    return f"{text}, 1 topic" if n == 1 else f"{text}, {n} topics"


def _two_line_title(ax: Axes, title: str, *details: str) -> None:
    below = textwrap.fill("; ".join(filter(None, details)), 56)
    ax.set_title(title, pad=20 + 11 * below.count("\n") if below else 8)
    if below:
        ax.annotate(
            below,
            (0.5, 1),
            xycoords="axes fraction",
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize="small",
            color="0.25",
        )


def _whole_ranks(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def _below(ax: Axes, columns: int) -> dict[str, Any]:
    """Where a legend stands below the label of the x axis."""
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0, -34 / 72, ax.figure.dpi_scale_trans)
    return {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, 0),
        "bbox_transform": ax.transAxes + down,
        "ncols": columns,
        "borderaxespad": 0,
    }


def _finish(ax: Axes, n_lines: int, legend: bool | dict[str, Any] = True) -> Axes:
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    texts = ax.get_legend_handles_labels()[1]
    if legend and any(text != "run" for text in texts):
        place: dict[str, Any] = {}
        if isinstance(legend, dict):
            place = legend
        elif n_lines > 6:  # many lines leave no free corner
            columns = 2 if max(map(len, texts)) <= 20 else 1
            place = _below(ax, columns)
            figure: Any = ax.figure
            if figure in _ours:
                width, height = figure.get_size_inches()
                figure.set_size_inches(width, height + 0.19 * -(-n_lines // columns))
        ax.legend(edgecolor="none", framealpha=0.75, fontsize="small", handlelength=2.6, **place)
    return ax
