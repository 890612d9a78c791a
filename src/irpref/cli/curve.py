"""Print a curve as a table, one row a point.

    irpref curve crp       QRELS RUN...          Cumulated Relative Position by rank
    irpref curve npref     QRELS RUN... [RPREF]  n-pref by number of partitions
    irpref curve pr        QRELS RUN...          precision at the 11 levels of recall
    irpref curve gain      QRELS RUN...          CG and DCG by rank, with those of the ideal list
    irpref curve areas     QRELS RUN...          areas under the curves of gain
    irpref curve histogram QRELS A B             R-precision of A minus B, topic by topic
    irpref curve summary   QRELS RUN...          topics, documents retrieved, relevant, relevant retrieved

You get the mean over topics; --groups gives one for each group, -q adds each topic, -t selects one.
The documentation of `irpref.curves` describes the columns.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError
from irpref.show.text import FORMS, LINES, of_frame, rounded, significant

OF_THE_HOST = ("pr", "histogram")  # curves of measures that pytrec_eval computes for ir_measures
FUNCTIONS = {
    "crp": "crp",
    "npref": "npref_convergence",
    "pr": "interpolated_precision",
    "gain": "cumulated_gain",
    "areas": "gain_areas",
    "histogram": "precision_histogram",
    "summary": "summary_table",
}
_HELP = {
    "crp": "Cumulated Relative Position by rank",
    "npref": "n-pref by number of partitions",
    "pr": "precision at the 11 levels of recall",
    "gain": "cumulated and discounted cumulated gain by rank",
    "areas": "areas under the curves of cumulated gain: their mean height",
    "histogram": "R-precision, or another measure, of A minus B, topic by topic",
    "summary": "topics, documents retrieved, relevant, relevant retrieved",
}


def _arguments(kind: str, parser: Parser) -> None:
    frame.add_inputs(
        parser, "RUN... [MEASURE]" if kind == "npref" else "A B [MEASURE]" if kind == "histogram" else "RUN..."
    )
    add_options(parser, kind)
    if kind != "histogram":
        parser.add_argument("-q", "--by-query", action="store_true", help="also print each topic")
    own = {"topic": {"action": "store", "help": "only this topic"}, "output": f"{', '.join(FORMS)} (default: tsv)"}
    ranking = frame.RANKING if kind in OF_THE_HOST else ()
    frame.add(parser, "topic", *frame.READING, *ranking, *frame.WRITING, **own)


def add_options(parser: Parser, kind: str) -> None:
    """The options of a curve, see `options`."""
    if kind in FUNCTIONS:
        frame.add(parser, "groups")
    if kind in ("pr", "summary", "histogram"):
        frame.add(parser, "rel")
    if kind in ("crp", "sketch", "pr", "gain", "areas"):
        parser.add_argument("--judged-only", action="store_true", help="leave out unjudged documents")
    if kind in ("crp", "sketch", "gain", "areas"):
        parser.add_argument("--depth", metavar="RANK", type=int, help="last rank (default: that of the longest run)")
    if kind == "npref":
        parser.add_argument(
            "--partitions",
            metavar="N,N,...",
            type=_whole_numbers,
            help="numbers of partitions (default: 2,4,8,16,32,64)",
        )
    if kind in ("gain", "areas"):
        parser.add_argument("--base", metavar="B", type=float, default=2, help="base of the logarithm (default: 2)")
        parser.add_argument(
            "--gains", metavar="GRADE=GAIN,...", type=_gains, help="gain of each grade, such as 1=1,2=3,3=7"
        )
        parser.add_argument(
            "--ideal",
            choices=("judged", "retrieved"),
            default="judged",
            help="build the ideal list from these documents (default: %(default)s)",
        )


def options(args: argparse.Namespace, given: frame.Inputs) -> dict[str, Any]:
    """The options given, as the functions of `irpref.curves` take them."""
    names = ("rel", "judged_only", "depth", "base", "gains", "ideal", "groups")
    out = {name: getattr(args, name) for name in names if hasattr(args, name)}
    if given.measures:
        if len(given.measures) > 1:
            raise UsageError(f"expected one measure, got {len(given.measures)}: {', '.join(map(str, given.measures))}")
        out["measure"] = given.measures[0]
    if getattr(args, "partitions", None):
        out["n"] = args.partitions
    return out


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of whole numbers such as 2,4,8") from None


def _gains(text: str) -> dict[float, float]:
    try:
        pairs = [part.replace(":", "=").split("=") for part in text.split(",")]
        return {float(grade): float(gain) for grade, gain in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of gains such as 1=1,2=3,3=7") from None


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` as the functions of `irpref.curves`."""
    form = frame.form_of(args, "tsv")
    frame.show(args, of_frame(_table(args), significant(10) if form in LINES else rounded()), "tsv")


def _table(args: argparse.Namespace) -> Any:
    from irpref import curves

    given = frame.inputs(args, 2 if args.kind == "histogram" else None, default=())
    more = options(args, given)
    qrels, runs = given.judgments().rows(), given.runs(args, rounded=True)
    function = getattr(curves, FUNCTIONS[args.kind])
    if args.kind == "histogram":
        if given.measures:
            function = curves.paired_differences
            del more["rel"]
        function, args.by_query = partial(function, baseline=list(runs)[1]), True
    if args.topic is None:
        return function(qrels, runs, per_topic=args.by_query, **more)
    # Of all topics, so that what is taken from the qrels as a whole (max_rel) stays the same.
    frame.only_topics((row.query_id for row in qrels), [args.topic])
    table = function(qrels, runs, per_topic=True, **more)
    return table[table["query_id"] == args.topic]


COMMAND = Command(
    run,
    _arguments,
    description=__doc__,
    kinds=_HELP,
    kind="CURVE",
)
