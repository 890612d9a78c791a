"""The look of all pictures: one style, one colour per name, names that fit, legends that cover no
data.

Colours are Okabe and Ito's (Color Universal Design, 2008) without the yellow, which is lost on
white. A name gets its colour, line and marker when it is first drawn, and keeps them in all
pictures of the process. The first seven names differ in colour; 280 differ in colour, line or
marker. A new name takes a colour that no other name of its picture has, as long as one is free."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar
from weakref import WeakSet

from irpref.errors import ArgumentError
from irpref.messages import did_you_mean, visible
from irpref_lab.short_names import LONGEST, left_out, middle, parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Names of runs that are drawn in colour.
Highlight: TypeAlias = "Sequence[str] | str | None"
_Drawing = TypeVar("_Drawing", bound=Callable[..., Any])

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "0.45"
PALE = "0.75"  # of runs that are not highlighted
MANY, BEST = 8, 5  # up to eight runs are all in colour; of more, the best five
# Inches: at three quarters it fits a column of a two-column page, and 10 points become 7.5.
SIZE = (4.4, 3.2)
# a curve of CRP is drawn down to this multiple of the mean R: later ranks say little about a run
CRP_CUT = 4
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
_places: dict[str, dict[str, int]] = {"system": {}, "measure": {}}


# ------------------------------------------------------------------------------------------ figures


def load() -> Any:
    """Import `matplotlib.pyplot`. An ImportError says how to get it if it is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    # Load the backend now. A notebook's backend switches interactive drawing on; inside our style
    # that would be undone, and only the first picture would be shown.
    pyplot.draw_if_interactive()
    return pyplot


def styled(draw: _Drawing) -> _Drawing:
    """Decorate a function so that it draws in the style of all pictures."""

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        with load().rc_context(STYLE):
            return draw(*args, **options)

    return drawn  # type: ignore[return-value]  # the same signature


def axes(size: tuple[float, float] = SIZE) -> Axes:
    """Make the axes of a new figure of this size in inches. Raises as `load`."""
    pyplot = load()
    with pyplot.rc_context(STYLE):
        figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    _ours.add(figure)
    return ax


def grow(ax: Axes, height: float) -> None:
    """Make the figure `height` inches higher, if it is one of ours."""
    figure: Any = ax.figure
    if figure in _ours:
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide, high + height)


def finish(ax: Axes) -> Axes:
    """Give axes our grid and frame, even if they were made in another style."""
    ax.grid(True, color=STYLE["grid.color"], linewidth=STYLE["grid.linewidth"])
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def whole_ranks(ax: Axes) -> None:
    """Write only whole numbers below the x axis."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


# ------------------------------------------------------------------------------------ style by name


def introduce(names: Iterable[str], kind: str = "system") -> None:
    """Give a style to each name of a picture that has none yet, in a colour that its other names do
    not use.
    """
    places, names = _places[kind], [name for name in dict.fromkeys(names) if name != "run"]
    for name in names:
        if name not in places:
            here = {places[one] % len(COLOURS) for one in names if one in places}
            free = (place for place in itertools.count() if place not in places.values())
            places[name] = next(
                at for at in free if at % len(COLOURS) not in here or len(here) == len(COLOURS)
            )


def style(name: str, label: str | None = None, kind: str = "system") -> dict[str, Any]:
    """Choose the arguments of `Axes.plot` for this name: the same in all pictures of the
    process.

    Parameters
    ----------
    name : str
    label : text of the legend; None: the name
    kind : 'system' or 'measure'
        Names of different kinds do not take colours from each other.
    """
    introduce([name], kind)
    place = _places[kind].get(name, 0)  # a run without a name is alone
    return {
        "label": text(name) if label is None else label,
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": LINES[place % len(LINES)],
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": 4.5,
        "linewidth": 1.5,
    }


def forget() -> None:
    """Forget the style of every name: the names drawn next get styles from the first on."""
    for places in _places.values():
        places.clear()


# ---------------------------------------------------------------------------------------- many runs


def highlighted(names: Sequence[str], highlight: Highlight, best: Sequence[str]) -> list[str]:
    """Name the runs that are drawn in colour; the others are grey.

    Parameters
    ----------
    names : of all runs
    highlight : names asked for; None: all runs if there are at most eight, else the first five of
        `best`
    best : the same names, best first

    Raises
    ------
    ValueError
        No run has a name that is asked for.
    """
    if highlight is None:
        return list(names if len(names) <= MANY else best[:BEST])
    chosen = [highlight] if isinstance(highlight, str) else list(dict.fromkeys(highlight))
    for name in chosen:
        if name not in names:
            raise ArgumentError(
                f"highlight={name!r} is not one of the runs{did_you_mean(name, names)}",
                parameter="highlight",
                value=name,
            )
    return chosen


class Lines(NamedTuple):
    """The curves of a picture: its axes, the rows and line of each run by name, and the parts that
    names leave out.
    """

    ax: Axes
    runs: dict[str, tuple[Any, Any]]
    note: str


def draw_runs(
    table: Any,
    x: str,
    y: str,
    ax: Axes | None,
    highlight: Highlight,
    among: Any = None,
    kind: str = "system",
    **look: Any,
) -> Lines:
    """Draw a curve for each run of a table: the best ones or the runs to `highlight` in colour, the
    rest in grey.

    Parameters
    ----------
    table : DataFrame with a column `run`
    x, y : names of columns
    ax : Axes to draw on; a new figure if None
    highlight : see `highlighted`; the best runs are those with the highest mean of `y`
    among : DataFrame with equally many rows for each run, in which the best runs are found; `table`
        if None
    kind : 'system', or 'measure'
        The kind of names in the column `run`. Measures are not shortened, and keep the order of
        the table.
    **look : further arguments of `Axes.plot`
    """
    ax = axes() if ax is None else ax
    rows_of = {str(name): rows for name, rows in table.groupby("run", sort=False)}
    names = list(rows_of)
    means = (table if among is None else among).groupby("run", sort=False)[y].mean()
    best = means.sort_values(ascending=False, kind="stable").index.tolist()
    are_runs = kind == "system"
    chosen = highlighted(names, highlight, best if are_runs else names)
    rest = [name for name in names if name not in chosen]
    label = count(len(rest), "other run" if are_runs else "other measure")
    for i, name in enumerate(rest):
        rows = rows_of[name]
        ax.plot(rows[x], rows[y], color=PALE, linewidth=0.7, zorder=1, label=None if i else label)
    short = short_names(chosen) if are_runs else Names({name: text(name) for name in chosen}, "")
    introduce(chosen, kind)
    drawn = {}
    for i, name in enumerate(chosen):
        rows = rows_of[name]
        # Each line has marks at other places, so that you see lines that coincide.
        marks: dict[str, Any] = {"markevery": (0.03 * (i % 5), 0.15)} if x == "rank" else {}
        (line,) = ax.plot(rows[x], rows[y], **marks, **look, **style(name, short.shown[name], kind))
        drawn[name] = rows, line
    if x == "rank":
        ax.set(xlabel="rank", xlim=(0, None))
        whole_ranks(ax)
    return Lines(ax, drawn, short.note)


# -------------------------------------------------------------------------------------------- names


def text(name: object) -> str:
    """Escape a name: matplotlib reads `$` as mathematics, and leaves out labels that begin with an
    underscore.
    """
    shown = visible(str(name)).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


class Names(NamedTuple):
    """The names to show, by full name, and the part left out of all names (empty if nothing)."""

    shown: dict[str, str]
    note: str


def short_names(names: Iterable[str], longest: int = LONGEST) -> Names:
    """Shorten names so that they fit and still differ: drop a common beginning or end, cut long
    ones in the middle.

    Parameters
    ----------
    names : iterable of str
    longest : int
        Characters. If no name is longer, all stay as they are.
    """
    plain = {name: visible(str(name)) for name in names}
    shortened = parts(plain.values(), longest)
    return Names(
        {name: text(shortened[shown].shown) for name, shown in plain.items()},
        text(left_out(shortened)),
    )


def one_name(name: object, otherwise: str) -> str:
    """Return the name of a run for a title; `otherwise` for a run that came without a name."""
    return otherwise if name == "run" else text(middle(visible(str(name)), 40)).strip()


def count(n: int, what: str) -> str:
    """Write a number with its noun: `1 topic`, `2 topics`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def wrapped(words: str, width: int = 38) -> str:
    """Wrap text into lines that fit a picture; long measures are broken between their parameters,
    and a number of topics stays on one line.
    """
    if len(words) <= width:
        return words
    together = re.sub(r"(\d) (topics?)\b", "\\1\N{NO-BREAK SPACE}\\2", words)
    lines = textwrap.fill(together.replace(",", ", ").replace("  ", " "), width)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def remark(
    ax: Axes, words: str, at: tuple[float, float], offset: tuple[float, float], **more: Any
) -> Any:
    """Write a small text at a point of the axes (0 to 1, or `xycoords=`), moved by `offset`
    points.
    """
    look = {"xycoords": "axes fraction", "textcoords": "offset points", "fontsize": "small", **more}
    return ax.annotate(words, at, xytext=offset, annotation_clip=False, **look)


def title(ax: Axes, words: str, *details: str) -> None:
    """Write a title, with details below it in small letters."""
    below = textwrap.fill("; ".join(filter(None, details)), 56)
    ax.set_title(words, pad=8 + (12 + 11 * below.count("\n") if below else 0))
    if below:
        remark(ax, below, (0.5, 1), (0, 5), ha="center", color="0.25")


# ------------------------------------------------------------------------------------------ legends


def legend(ax: Axes, handles: Sequence[Any] | None = None, *, note: str = "") -> None:
    """Add a legend below the axes, so that it covers no data; inside if the figure cannot make room
    for it.

    Parameters
    ----------
    ax : Axes
    handles : lines that it names; all that have a label if None
    note : a line above it
    """
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    others = tuple(f"other {what}" for what in ("run", "runs", "measure", "measures"))
    handles = sorted(handles, key=lambda one: one.get_label().endswith(others))  # these last
    labels = [str(one.get_label()) for one in handles]
    if all(label == "run" for label in labels):
        return
    figure: Any = ax.figure
    look: dict[str, Any] = {
        "fontsize": "small",
        "title": textwrap.fill(note, 66, break_on_hyphens=False) or None,
    }
    if figure.get_layout_engine() is None:
        ax.legend(handles, labels, frameon=True, edgecolor="none", framealpha=0.75, **look)
        return
    from matplotlib.transforms import ScaledTranslation

    figure.draw_without_rendering()  # to know where the parts below the axes end
    ends: Any = ax.xaxis.get_tightbbox()
    down = ScaledTranslation(0, (ends.y0 - ax.bbox.y0) / figure.dpi - 0.06, figure.dpi_scale_trans)
    look |= {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, 0),
        "bbox_transform": ax.transAxes + down,
    }
    spec: Any = ax.get_subplotspec()
    beside, place = (1, 0) if spec is None else (spec.get_gridspec().ncols, spec.colspan.start)
    width = figure.bbox.width / beside
    # Not in the middle of the figure.
    middle_of_axes = (ax.bbox.x0 + ax.bbox.x1) / 2 - place * width
    room = 2 * min(middle_of_axes, width - middle_of_axes)
    for rows in range(1, len(labels) + 1):
        look |= {
            "ncols": -(-len(labels) // rows),
            "columnspacing": 1.2,
            "borderaxespad": 0,
            "frameon": False,
        }
        made = ax.legend(handles, labels, **look)
        if made.get_window_extent().width <= room:
            break
    grow(ax, made.get_window_extent().height / figure.dpi)
