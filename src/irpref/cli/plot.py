"""`irpref plot`: pictures of curves and values, as png, pdf or svg.

    irpref plot sketch    QRELS RUN -t ID -f FILE       CRP of one topic: run, ideal, worst case, points
    irpref plot crp       QRELS RUN... -f FILE          CRP over the topics, mean and quartiles
    irpref plot npref     QRELS RUN... [RPREF] -f FILE  n-pref by number of partitions
    irpref plot pr        QRELS RUN... -f FILE          precision at the 11 levels of recall
    irpref plot gain      QRELS RUN... -f FILE          cumulated gain with the ideal
    irpref plot histogram QRELS A B -f FILE             R-precision of A minus B by topic
    irpref plot strip     QRELS RUN... [M] -f FILE      values by topic
    irpref plot scatter   QRELS RUN... [M M] -f FILE    two measures over the runs, Kendall's tau

Needs matplotlib: pip install matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from irpref.cli import frame
from irpref.cli.curve import OF_THE_HOST, add_options, options
from irpref.cli.frame import Command, Parser, UsageError
from irpref.formats.replace import replaced

_KINDS = {
    "sketch": ("crp_sketch", "CRP of one topic: run, ideal, worst case, points"),
    "crp": ("crp", "Cumulated Relative Position over the topics, mean and quartiles"),
    "npref": ("npref_convergence", "n-pref by number of partitions"),
    "pr": ("precision_recall", "precision at the 11 levels of recall"),
    "gain": ("cumulated_gain", "cumulated gain by rank with the ideal"),
    "histogram": ("precision_histogram", "R-precision of A minus B by topic"),
    "strip": ("topic_strip", "values of a measure by topic"),
    "scatter": ("measure_scatter", "two measures over the runs, with Kendall's tau"),
}
_MEASURES = {"strip": ("AP",), "scatter": ("AP", "RPref")}  # where none is named
FORMATS = ("png", "pdf", "svg")


def _arguments(kind: str, parser: Parser) -> None:
    frame.add_inputs(parser, measures=kind in ("npref", *_MEASURES))
    add_options(parser, kind)
    if kind in _MEASURES:
        frame.add_groups(parser, f"a {'strip' if kind == 'strip' else 'dot'} for each run and group of topics")
    if kind == "sketch":
        frame.add_topic(parser, "the topic")
        frame.old(parser, "--query", "-t, --topic", dest="topic")
    else:
        frame.add_topic(parser, "only this topic", several=True)
    if kind == "crp":
        parser.add_argument(
            "--ranks", action="store_true", help="CRP in ranks, not as a share of the worst case of each topic"
        )
    if kind == "gain":
        parser.add_argument(
            "--quantity", choices=("cg", "dcg", "ncg", "ndcg"), default="dcg", help="default: %(default)s"
        )
    if kind == "scatter":
        frame.old(parser, "--measures", "two arguments after the runs", dest="measure", nargs=2)
    frame.add_reading(parser, float32=kind in (*OF_THE_HOST, *_MEASURES))
    parser.add_argument("-f", "--file", metavar="FILE", required=True, help="picture: .png, .pdf or .svg")
    frame.gone(parser, "-o --output", "a picture is written with -f {}")
    parser.add_argument(
        "--size", metavar="WIDTHxHEIGHT", type=_size, help="in inches, such as 4.4x3.2 (the default of most)"
    )
    parser.add_argument("--dpi", type=int, default=300, help="dots per inch of a png (default: %(default)s)")
    parser.add_argument("--title", help="another title; '' for none")


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 4.4x3.2") from None
    if not (0 < width < 100 and 0 < height < 100):
        raise argparse.ArgumentTypeError(f"{text!r} is no size in inches")
    return width, height


def run(args: argparse.Namespace) -> None:
    """Write the picture. Raises `ValueError` as the functions of `irpref.plots`."""
    check_picture(args.file)
    kind = args.kind
    if kind == "sketch" and args.topic is None:
        raise UsageError("one topic is drawn: give -t ID")
    given = frame.inputs(args, {"sketch": 1, "histogram": 2}.get(kind), _MEASURES.get(kind, ()))
    judgments = given.judgments() if kind == "sketch" else frame.of_topics(given.judgments(), args.topic, given)
    more = {"groups": args.groups} if kind == "scatter" else options(args, given)
    if kind == "sketch":
        more["query_id"] = args.topic
    elif kind == "crp":
        more["normalized"] = not args.ranks
    elif kind == "gain":
        more["quantity"] = args.quantity
    elif kind == "histogram":
        more["baseline"] = list(given.files)[1]
    elif kind == "scatter":
        if len(given.measures) != 2:
            raise UsageError(f"expected two measures, got {', '.join(map(str, given.measures))}")
        more["measures"] = given.measures

    from irpref import plots

    ax = plots.axes(args.size) if args.size else None
    data = [judgments.table(), given.runs(args, rounded=kind in OF_THE_HOST)]
    if kind in _MEASURES:
        from irpref.meta import topic_values

        data = [topic_values(given.measures, *data, float32=args.float32)]
    ax = getattr(plots, _KINDS[kind][0])(*data, ax=ax, **more)
    if args.title is not None:
        ax.set_title(args.title)
    save(ax, args.file, dpi=args.dpi)


def check_picture(path: str) -> None:
    """`UsageError` for a name that says no format; before anything is computed."""
    if Path(path).suffix.lstrip(".").lower() not in FORMATS:
        raise UsageError(f"the name of the picture must end in .png, .pdf or .svg, got {path!r}")


def save(ax: object, path: str, **more: object) -> None:
    """Write the figure of `ax`, whole or not at all, and close it."""
    from matplotlib import pyplot

    figure = ax.figure  # type: ignore[attr-defined]
    try:
        with replaced(path) as beside:
            figure.savefig(beside, **more)
    finally:
        pyplot.close(figure)


COMMAND = Command(
    run,
    _arguments,
    description=__doc__,
    kinds={kind: text for kind, (_, text) in _KINDS.items()},
    kind="PICTURE",
)
