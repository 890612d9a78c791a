"""`irpref plot`: pictures of curves and values, as png, pdf or svg.

    irpref plot sketch    QRELS RUN --query ID -o FILE   CRP of one topic: run, ideal, worst case, points
    irpref plot crp       QRELS RUN... -o FILE           CRP over the topics, mean and quartiles
    irpref plot npref     QRELS RUN... -o FILE           n-pref by number of partitions
    irpref plot pr        QRELS RUN... -o FILE           precision at the 11 levels of recall
    irpref plot gain      QRELS RUN... -o FILE           cumulated gain with the ideal
    irpref plot histogram QRELS A B -o FILE              R-precision of A minus B by topic
    irpref plot strip     QRELS RUN... --measure M -o FILE        values by topic
    irpref plot scatter   QRELS RUN... --measures M M -o FILE     two measures over the runs, Kendall's tau

Needs matplotlib: pip install matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from irpref.cli import OK, UsageError
from irpref.cli.curve import add_inputs, add_options, options, read, two

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
FORMATS = ("png", "pdf", "svg")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "plot",
        help="pictures of curves and values",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(dest="kind", metavar="PICTURE", required=True)
    for kind, (_, text) in _KINDS.items():
        one = kinds.add_parser(kind, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_inputs(one, {"sketch": 1, "histogram": 2}.get(kind, "+"))
        add_options(one, "crp" if kind == "sketch" else kind)
        if kind == "sketch":
            one.add_argument("--query", metavar="ID", required=True, help="the topic")
        if kind == "crp":
            one.add_argument(
                "--ranks", action="store_true", help="CRP in ranks, not as a share of the worst case of each topic"
            )
        if kind == "gain":
            one.add_argument(
                "--quantity", choices=("cg", "dcg", "ncg", "ndcg"), default="dcg", help="default: %(default)s"
            )
        if kind == "strip":
            one.add_argument("--measure", metavar="NAME", default="AP", help="default: %(default)s")
        if kind == "scatter":
            one.add_argument("--measures", metavar="NAME", nargs=2, default=["AP", "RPref"], help="default: AP RPref")
        one.add_argument("-o", "--output", metavar="FILE", required=True, help="picture: .png, .pdf or .svg")
        one.add_argument(
            "--size", metavar="WIDTHxHEIGHT", type=_size, help="in inches, such as 4.4x3.2 (the default of most)"
        )
        one.add_argument("--dpi", type=int, default=300, help="dots per inch of a png (default: %(default)s)")
        one.add_argument("--title", help="another title; '' for none")
    parser.set_defaults(run=run)
    return parser


def _size(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 4.4x3.2") from None
    if not (0 < width < 100 and 0 < height < 100):
        raise argparse.ArgumentTypeError(f"{text!r} is no size in inches")
    return width, height


def run(args: argparse.Namespace) -> int:
    """Write the picture. Raises `ValueError` as the functions of `irpref.plots`; returns the exit status."""
    if Path(args.output).suffix.lstrip(".").lower() not in FORMATS:
        raise UsageError(f"the name of the picture must end in .png, .pdf or .svg, got {args.output!r}")
    _draw(args)
    return OK


def _draw(args: argparse.Namespace) -> None:
    from irpref import plots

    ax = plots.axes(args.size) if args.size else None
    qrels, runs = read(args)
    draw = getattr(plots, _KINDS[args.kind][0])
    more = options(args)
    if args.kind == "sketch":
        more["query_id"] = args.query
    elif args.kind == "crp":
        more["normalized"] = not args.ranks
    elif args.kind == "gain":
        more["quantity"] = args.quantity
    elif args.kind == "histogram":
        more["baseline"] = two(runs)
    elif args.kind == "scatter":
        more["measures"] = args.measures
    ax = draw(qrels, runs, ax=ax, **more)
    if args.title is not None:
        ax.set_title(args.title)
    figure = ax.figure
    figure.savefig(args.output, dpi=args.dpi)

    from matplotlib import pyplot

    pyplot.close(figure)
