"""How pictures look: one style, one colour a name, names that fit, legends that cover nothing.

Shared by `irpref.plots` and the pictures of `irpref.meta`. Colours are those of Okabe and Ito (Color Universal Design,
2008) without the yellow, which is lost on white. A name gets its colour, line and marker when it is drawn first, and
keeps them in all pictures of the process: the first seven differ in colour, 280 in colour, line or marker. Names that
are new take colours that the other names of their picture do not have, as long as there are some.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakSet

from irpref.messages import did_you_mean, visible
from irpref.show.names import LONGEST, left_out, middle, parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Styles = Mapping[str, Mapping[str, Any]]
_Drawing = TypeVar("_Drawing", bound=Callable[..., Any])

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "0.45"
NEUTRAL = "0.35"  # of systems that are too many to have a colour each
MANY, BEST = 8, 5  # runs that are all in colour; of more, as many
SIZE = (4.4, 3.2)  # inches: two columns of a page hold it at three quarters, where 10 points become 7.5
CRP_CUT = 4  # a curve of CRP is drawn down to so many times the mean R: later ranks say little of a run
STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "legend.fontsize": "small",
    "legend.title_fontsize": "x-small",
    "legend.frameon": False,
    "legend.handlelength": 2.6,
}
MINUS = "\N{MINUS SIGN}"
_ours: WeakSet[Any] = WeakSet()  # figures made here: they may grow
_places: dict[tuple[str, str], int] = {}


# ------------------------------------------------------------------------------------------------------ figures


def load() -> Any:
    """`matplotlib.pyplot`; ImportError that says how to get it where it is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    # Loads the backend now: that of notebooks switches interactive drawing on, which would be undone with our style,
    # and all pictures but the first would not be shown.
    pyplot.draw_if_interactive()
    return pyplot


def styled(draw: _Drawing) -> _Drawing:
    """A function that draws, in the style of all pictures."""

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        with load().rc_context(STYLE):
            return draw(*args, **options)

    return drawn  # type: ignore[return-value]  # the same signature


def axes(size: tuple[float, float] = SIZE) -> Axes:
    """Axes of a new figure of this size in inches.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    pyplot = load()
    with pyplot.rc_context(STYLE):
        figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    _ours.add(figure)
    return ax


def panels(n: int, size: tuple[float, float] = (2.0, 1.7)) -> list[Axes]:
    """`n` small axes of one new figure, at most five in a row, that share their scales. Raises as `axes`."""
    pyplot = load()
    down = math.ceil(n / 5)
    across = math.ceil(n / down)
    figure, grid = pyplot.subplots(
        down,
        across,
        figsize=(across * size[0] + 0.4, down * size[1] + 0.4),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    _ours.add(figure)
    found = grid.ravel().tolist()
    for empty in found[n:]:
        empty.remove()
    for last in found[max(0, n - across) : n]:  # nothing stands below it
        last.xaxis.set_tick_params(labelbottom=True)
    found[0].locator_params(nbins=4)
    return found[:n]


def grow(ax: Axes, height: float = 0, width: float = 0) -> None:
    """Make the figure larger by so many inches, where it is one of ours."""
    figure: Any = ax.figure
    if figure in _ours:
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide + width, high + height)


def finish(ax: Axes) -> Axes:
    """Grid and frame, also on axes that were made in another style."""
    ax.grid(True, color=STYLE["grid.color"], linewidth=STYLE["grid.linewidth"])
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


# ------------------------------------------------------------------------------------------------- style by name


def introduce(names: Iterable[str], kind: str = "system") -> None:
    """Give the names of one picture their places: those that have none yet, colours apart from the others'."""
    names = [name for name in dict.fromkeys(names) if name != "run"]
    used = {place for key, place in _places.items() if key[0] == kind}
    here = {_places[kind, name] % len(COLOURS) for name in names if (kind, name) in _places}
    for name in names:
        if (kind, name) in _places:
            continue
        place = 0
        while place in used or (place % len(COLOURS) in here and len(here) < len(COLOURS)):
            place += 1
        _places[kind, name] = place
        used.add(place)
        here.add(place % len(COLOURS))


def style(name: str, styles: Styles | None = None, label: str | None = None, kind: str = "system") -> dict[str, Any]:
    """Arguments of `Axes.plot` for this name: the same in all pictures of the process.

    Parameters
    ----------
    name : str
    styles : mapping of name to arguments that go before these
    label : what the legend says; None: the name
    kind : 'system' or 'measure'
        Names of different kinds do not take colours from each other.
    """
    introduce([name], kind)
    place = _places.get((kind, name), 0)  # a run without a name is alone
    plain: dict[str, Any] = {
        "label": text(name) if label is None else label,
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": LINES[place % len(LINES)],
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": 4.5,
        "linewidth": 1.5,
    }
    return {**plain, **(styles or {}).get(name, {})}


def forget() -> None:
    """Give colours anew, from the first on, to the names that are drawn from now on."""
    _places.clear()


# --------------------------------------------------------------------------------------------------------- names


def in_colour(ax: Axes, table: Any, of: tuple[str, str], highlight: Iterable[str] | None = None) -> list[str]:
    """The runs of a table of curves that are to be drawn in colour; the others are drawn, in grey.

    Parameters
    ----------
    ax : Axes
    table : DataFrame with a column `run`
    of : names of two columns
        What is drawn, across and up.
    highlight : names of runs, optional
        None: all of up to eight runs, of more the five with the highest mean.

    Raises
    ------
    ValueError
        A name is that of no run.
    """
    names = list(dict.fromkeys(table["run"]))
    if highlight is None:
        means = table.groupby("run", sort=False)[of[1]].mean()
        chosen = (
            names if len(names) <= MANY else means.sort_values(ascending=False, kind="stable").index[:BEST].tolist()
        )
    else:
        chosen = [highlight] if isinstance(highlight, str) else list(dict.fromkeys(highlight))
        for name in chosen:
            if name not in names:
                raise ValueError(f"highlight={name!r} is none of the runs{did_you_mean(name, names)}")
    rest = [name for name in names if name not in chosen]
    for i, name in enumerate(rest):
        rows = table[table["run"] == name]
        label = None if i else count(len(rest), "other run")
        ax.plot(rows[of[0]], rows[of[1]], color="0.8", linewidth=0.7, zorder=1, label=label)
    return chosen


def text(name: object) -> str:
    """The name as matplotlib shows it: dollars begin mathematics, labels that begin with an underscore are left out."""
    shown = visible(str(name)).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


class Names(NamedTuple):
    """Names as they are shown, by name, and what was left out of all (empty: nothing)."""

    shown: dict[str, str]
    note: str


def short_names(names: Iterable[str], longest: int = LONGEST) -> Names:
    """Names that fit: without what all begin or end with, and shortened in the middle, but still different.

    Parameters
    ----------
    names : iterable of str
    longest : int
        Characters. Where no name is longer, all stay as they are.
    """
    plain = {name: visible(str(name)) for name in names}
    found = parts(plain.values(), longest)
    return Names({name: text(found[shown].shown) for name, shown in plain.items()}, text(left_out(found)))


def one_name(name: object, otherwise: str, longest: int = 40) -> str:
    """Name of a run for a title, or another word for one that came without a name."""
    return otherwise if name == "run" else text(middle(visible(str(name)), longest)).strip()


def count(n: int, what: str) -> str:
    """`1 topic`, `2 topics`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def wrapped(words: str, width: int = 38) -> str:
    """Text in lines that fit a picture; long measures are broken between their parameters."""
    return words if len(words) <= width else textwrap.fill(words.replace(",", ", ").replace("  ", " "), width)


def title(ax: Axes, words: str, *details: str, gap: float = 0) -> None:
    """A title, and below it in small letters what else has to be said; `gap` points are left free below both."""
    below = textwrap.fill("; ".join(filter(None, details)), 56)
    ax.set_title(words, pad=8 + gap + (12 + 11 * below.count("\n") if below else 0))
    if below:
        ax.annotate(
            below,
            (0.5, 1),
            xycoords="axes fraction",
            xytext=(0, 5 + gap),
            textcoords="offset points",
            ha="center",
            fontsize="small",
            color="0.25",
        )


# ------------------------------------------------------------------------------------------------------- legends


def columns(labels: Sequence[str], inches: float) -> int:
    """Columns of a legend that fit this width."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    small = FontProperties(size=8.4)
    wide = max(
        (TextPath((0, 0), label, prop=small).get_extents().width for label in labels if label.strip()), default=0
    )
    each = wide / 72 + 0.52  # with the line, and the space around it
    most = max(1, int(inches / each))
    rows = math.ceil(len(labels) / most)
    return math.ceil(len(labels) / rows) if rows else 1


def legend(ax: Axes, *, note: str = "", always: bool = False, **more: Any) -> None:
    """A legend below the x axis, where it covers no data; inside on a figure that cannot make room for it."""
    handles, labels = ax.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i].endswith(("other run", "other runs")))  # these last
    handles, labels = [handles[i] for i in order], [labels[i] for i in order]
    if not labels or not (always or any(label != "run" for label in labels)):
        return
    figure: Any = ax.figure
    if figure.get_layout_engine() is None:
        ax.legend(frameon=True, edgecolor="none", framealpha=0.75, fontsize="small", title=note or None, **more)
        return
    from matplotlib.transforms import ScaledTranslation

    note = textwrap.fill(note, 66, break_on_hyphens=False)
    # The axes do not stand in the middle of the figure.
    n_columns = columns(labels, figure.get_size_inches()[0] / _beside(ax) - 0.4)
    rows = math.ceil(len(labels) / n_columns) + (note.count("\n") + 1 if note else 0)
    down = ScaledTranslation(0, -(34 + ax.xaxis.labelpad - 4) / 72, figure.dpi_scale_trans)
    ax.legend(
        handles,
        labels,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + down,
        ncols=n_columns,
        borderaxespad=0,
        frameon=False,
        fontsize="small",
        handlelength=2.6,
        columnspacing=1.2,
        title=note or None,
        title_fontsize="x-small",
        **more,
    )
    grow(ax, height=0.19 * rows)


def _beside(ax: Axes) -> int:
    """Number of axes beside each other in the figure."""
    spec = ax.get_subplotspec()
    return 1 if spec is None else int(spec.get_gridspec().ncols)


def above(ax: Axes, handles: Sequence[Any], labels: Sequence[str]) -> float:
    """A legend between the title and the axes; the points it needs."""
    figure: Any = ax.figure
    n_columns = columns(labels, figure.get_size_inches()[0] / _beside(ax) - 0.6)
    rows = math.ceil(len(labels) / n_columns)
    ax.legend(
        handles,
        labels,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=n_columns,
        borderpad=0,
        borderaxespad=0.3,
        frameon=False,
        fontsize="small",
        columnspacing=1.2,
    )
    grow(ax, height=0.17 * (rows - 1))
    return 13.0 * rows


def direct_labels(ax: Axes, lines: Sequence[Any]) -> None:
    """The name of each line at the right of the axes, joined to its last point, instead of a legend."""
    import numpy as np
    from matplotlib.patches import ConnectionPatch

    figure: Any = ax.figure
    ends = []
    for line in lines:
        x, y = (np.asarray(values, dtype=float) for values in line.get_data())
        seen = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if seen.size:
            ends.append((float(y[seen[-1]]), float(x[seen[-1]]), line))
    height = max(ax.get_window_extent().height / figure.dpi * 72, 1)
    step = min(11 / height, 1 / max(len(ends), 1))
    low, high = ax.get_ylim()
    ends.sort(key=lambda end: end[0])
    places: list[float] = []
    for end, _, _ in ends:
        wanted = (end - low) / ((high - low) or 1)
        places.append(max(wanted, places[-1] + step) if places else max(wanted, 0.0))
    # What was pushed over the top goes down again.
    top = 1.0
    for i in range(len(places) - 1, -1, -1):
        places[i] = min(places[i], top)
        top = places[i] - step
    for (end, last, line), place in zip(ends, places, strict=True):
        ax.annotate(
            line.get_label().strip(),
            (1.06, place),
            xycoords="axes fraction",
            va="center",
            fontsize="x-small",
            color=line.get_color(),
            annotation_clip=False,
        )
        # Left out where other limits, set later, leave the end of the line outside.
        leader = ConnectionPatch(
            xyA=(last, end),
            coordsA="data",
            xyB=(1.055, place),
            coordsB="axes fraction",
            axesA=ax,
            axesB=ax,
            color=line.get_color(),
            linewidth=0.5,
            alpha=0.6,
        )
        ax.add_artist(leader)
        leader.set_in_layout(False)


# -------------------------------------------------------------------------------------------------- names of points


def name_points(ax: Axes, x: Any, y: Any, names: Sequence[str], order: Sequence[int], every: bool) -> int:
    """Names beside points; how many were written.

    Parameters
    ----------
    ax : Axes with its limits, and its texts written
    x, y : points, shape (n,)
    names : as they are shown
    order : the first of these find more room
    every : bool
        Write all, each where it covers least. Otherwise those that cover no point, no name and no edge.
    """
    import numpy as np

    figure: Any = ax.figure
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()  # only now it is known where the points stand
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    box = ax.get_window_extent()
    points = ax.transData.transform(np.column_stack([x, y]))
    scale = figure.dpi / 72
    dot = 3.2 * scale
    taken = [(px - dot, py - dot, px + dot, py + dot) for px, py in points]
    written = 0
    for i in order:
        note: Any = ax.annotate(
            names[i].strip(), (x[i], y[i]), xytext=(0, 0), textcoords="offset points", fontsize="x-small"
        )
        note.set_in_layout(False)
        extent = note.get_window_extent(renderer)
        wide, high = extent.width, extent.height
        px, py = points[i]
        best, least = None, np.inf
        for far in (5.0, 9.0):
            gap = far * scale
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.9), (0.7, -0.9), (-0.7, 0.9), (-0.7, -0.9)):
                left = px + dx * gap - {1: 0, 0: wide / 2, -1: wide}[_sign(dx)]
                low = py + dy * gap - {1: 0, 0: high / 2, -1: high}[_sign(dy)]
                room = (left, low, left + wide, low + high)
                covered = sum(_overlap(room, other) for other in taken)
                outside = max(0, box.x0 - room[0]) + max(0, room[2] - box.x1)
                outside += max(0, box.y0 - room[1]) + max(0, room[3] - box.y1)
                if covered + outside * high < least:
                    best, least = (dx * far, dy * far, room), covered + outside * high
            if least == 0:
                break
        assert best is not None
        if least > 0 and not every:
            note.remove()
            continue
        right, up, room = best
        note.set_position((right, up))
        note.set_ha({1: "left", 0: "center", -1: "right"}[_sign(right)])
        note.set_va({1: "bottom", 0: "center", -1: "top"}[_sign(up)])
        taken.append(room)
        written += 1
    return written


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
