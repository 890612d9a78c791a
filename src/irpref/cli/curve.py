"""`irpref curve`: curves as tables. A kind is named after the curve that it shows, its options
after the arguments of the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs, only_topics
from irpref.cli.command import group
from irpref.cli.output import Output
from irpref.show.text import of_frame, rounded, significant

per_topic = options.option(
    "-q",
    "--by-query",
    "per_topic",
    is_flag=True,
    help="also print a value for each topic",
)
_last = options.together(
    options.one_topic, options.reading, options.ranking, options.writing_as("tsv")
)


@group("curve", "CURVE")
def curve() -> None:
    """Print a curve as a table, one row per point.

    You get the mean over topics; --groups gives one for each group, -q adds each topic, -t selects
    one. The documentation of irpref.curves describes the columns.
    """


def _kind(name: str, takes: str, compute: str, text: str, *declared: options.Decorator) -> None:
    """Add a kind of curve: the function of `irpref.curves` that computes it, a line of help, and
    the options that it has besides the options of all kinds.
    """

    def show(given: Inputs, out: Output, **how: Any) -> None:
        from irpref import curves

        _print(getattr(curves, compute), given, out, how)

    show.__doc__ = text
    decorate = options.together(options.inputs(takes), options.groups, *declared, _last)
    curve.command(name)(decorate(show))


_kind(
    "crp",
    "RUN...",
    "crp",
    "Cumulated Relative Position by rank.",
    options.judged_only,
    options.depth,
    per_topic,
)
_kind(
    "npref",
    "RUN... [MEASURE]",
    "npref_convergence",
    "n-pref by number of partitions.\n\nIt has the relative norm unless you name an RPref.",
    options.partitions,
    per_topic,
)
_kind(
    "pr",
    "RUN...",
    "interpolated_precision",
    "Precision at the 11 levels of recall.",
    options.rel,
    options.judged_only,
    per_topic,
)
_kind(
    "fe",
    "RUN...",
    "f_and_e",
    "Recall, precision, F and E by rank.",
    options.beta,
    options.rel,
    options.judged_only,
    options.depth,
    per_topic,
)
_of_gain = (options.judged_only, options.depth, options.gain, per_topic)
_kind(
    "gain",
    "RUN...",
    "cumulated_gain",
    "Cumulated and discounted cumulated gain by rank.",
    *_of_gain,
)
_kind(
    "areas",
    "RUN...",
    "gain_areas",
    "Areas under the curves of cumulated gain: their mean height.",
    *_of_gain,
)
_kind(
    "summary",
    "RUN...",
    "summary_table",
    "Topics, documents retrieved, relevant, relevant retrieved.",
    options.rel,
    per_topic,
)


@curve.command("histogram")
@options.inputs("A B [MEASURE]")
@options.groups
@options.rel
@_last
def histogram(given: Inputs, out: Output, **how: Any) -> None:
    """R-precision, or another measure, of A minus B by topic."""
    from irpref.curves import paired_differences, precision_histogram

    how |= {"baseline": list(given.files)[1], "per_topic": True}
    _print(paired_differences if given.measures else precision_histogram, given, out, how)


def _print(compute: Callable[..., Any], given: Inputs, out: Output, how: dict[str, Any]) -> None:
    how = arguments(given, how)
    qrels, runs = given.all_judgments(), given.runs()
    if given.topics:
        how["per_topic"] = True
        only_topics(qrels.topic_ids, given.topics)
    # Computed on all topics, so that facts of the qrels as a whole (max_rel) stay the same.
    table = compute(qrels, runs, **how)
    if given.topics:
        table = table[table["query_id"] == given.topics[0]]
    out.show(of_frame(table, rounded()), of_frame(table, significant(10)))


def arguments(given: Inputs, how: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, and the measure, as functions take them."""
    how = {name: value for name, value in how.items() if value is not None}
    if given.measures:
        if how.pop("rel", 1) != 1:
            raise click.UsageError(
                "--rel does not apply to a measure that you name: write it into the name, as in "
                "AP(rel=2)"
            )
        how["measure"] = given.measures[0]
    return how
