"""`irpref plot`: curves and values by topic as pictures. A kind is named after the picture that it
draws, its options after the arguments of the function that draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import group
from irpref.cli.curve import arguments
from irpref.cli.parameter_types import Choice
from irpref_lab.commands import lab_options
from irpref_lab.commands.picture import Picture

_last = options.together(options.topics, options.reading, options.ranking, lab_options.picture)


@group("plot", "PICTURE")
def plot() -> None:
    """Draw curves and values as png, pdf or svg.

    Needs matplotlib (pip install matplotlib). Leaderboards are drawn by their own command, with
    -f board.png.
    """


@plot.command("sketch")
@options.inputs("RUN")
@options.judged_only
@options.depth
@options.option("-t", "--topic", metavar="ID", required=True, help="the topic")
@options.together(options.reading, options.ranking, lab_options.picture)
def sketch(given: Inputs, **how: Any) -> None:
    """CRP of one topic: the run, an ideal one, nothing relevant."""
    from irpref_lab.plots import crp_sketch

    qrels = given.all_judgments()
    _draw(crp_sketch, qrels, given, how | {"query_id": given.topics[0]})


def _kind(name: str, takes: str, draw: str, text: str, *declared: options.Decorator) -> None:
    """Add a kind of picture of a curve: the function of `irpref_lab.plots` that draws it, a line of
    help, and the options that it has besides the options of all kinds.
    """

    def show(given: Inputs, **how: Any) -> None:
        from irpref_lab import plots

        _draw(getattr(plots, draw), given.judgments(), given, how)

    show.__doc__ = text
    declared = (options.inputs(takes), options.groups, *declared, lab_options.highlight, _last)
    plot.command(name)(options.together(*declared)(show))


_kind(
    "crp",
    "RUN...",
    "crp",
    "Cumulated Relative Position by rank, median and quartiles.",
    options.judged_only,
    options.depth,
    options.option(
        "--ranks",
        "normalized",
        flag_value=False,
        default=True,
        help="CRP in ranks, not divided by R(R + 1)/2 of each topic",
    ),
)
_kind(
    "npref",
    "RUN... [MEASURE]",
    "npref_convergence",
    "n-pref by number of partitions.\n\nIt has the relative norm unless you name an RPref.",
    options.partitions,
)
_kind(
    "pr",
    "RUN...",
    "precision_recall",
    "Precision at the 11 levels of recall.",
    options.rel,
    options.judged_only,
)
_kind(
    "gain",
    "RUN...",
    "cumulated_gain",
    "Cumulated gain by rank with the ideal.",
    options.judged_only,
    options.depth,
    options.gain,
    options.option(
        "--quantity",
        type=Choice(["cg", "dcg", "ncg", "ndcg"]),
        default="dcg",
        show_default=True,
        help="what to draw",
    ),
)


@plot.command("histogram")
@options.inputs("A B [MEASURE]")
@options.rel
@_last
def histogram(given: Inputs, **how: Any) -> None:
    """R-precision, or another measure, of A minus B by topic."""
    from irpref_lab.plots import precision_histogram

    _draw(precision_histogram, given.judgments(), given, how | {"baseline": list(given.files)[1]})


@plot.command("strip")
@options.inputs("RUN... [MEASURE...]", measures=("AP",))
@lab_options.highlight
@_last
def strip(given: Inputs, **how: Any) -> None:
    """Values of a measure by topic."""
    from irpref_lab.plots import topic_strip

    _draw_values(topic_strip, 1, given, how)


@plot.command("scatter")
@options.inputs("RUN... [MEASURE...]", measures=("AP", "RPref(norm='relative2')"))
@lab_options.highlight
@_last
def scatter(given: Inputs, **how: Any) -> None:
    """Two measures over the runs, with Kendall's tau."""
    from irpref_lab.plots import measure_scatter

    _draw_values(measure_scatter, 2, given, how)


def _draw(draw: Callable[..., Any], qrels: Any, given: Inputs, how: dict[str, Any]) -> None:
    """Draw a picture of runs."""
    picture = Picture.from_options(how)
    how = _highlighted(given, arguments(given, how))
    picture.save(draw(qrels, given.runs(), ax=picture.axes(), **how))


def _draw_values(
    draw: Callable[..., Any], n_measures: int, given: Inputs, how: dict[str, Any]
) -> None:
    """Draw a picture of values by topic."""
    from irpref_lab.meta.values import topic_values

    picture = Picture.from_options(how)
    if len(given.measures) != n_measures:
        got = ", ".join(map(str, given.measures))
        raise click.UsageError(
            f"this picture is of {n_measures} measure{'s' * (n_measures > 1)}, "
            f"got {len(given.measures)}: {got}"
        )
    qrels = given.judgments()
    values = topic_values(given.measures, qrels, given.runs())
    how = _highlighted(given, arguments(replace(given, measures=[]), how))
    picture.save(draw(values, ax=picture.axes(), **how))


def _highlighted(given: Inputs, how: dict[str, Any]) -> dict[str, Any]:
    """Name the runs of --highlight as they are named in the picture."""
    if "highlight" in how:
        how["highlight"] = given.systems_called("--highlight", how["highlight"]) or None
    return how
