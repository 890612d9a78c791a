"""`irpref curve`: the curves and tables behind the measures, one row a point.

    irpref curve crp       QRELS RUN...  relative position and its cumulation by rank
    irpref curve npref     QRELS RUN...  n-pref by number of partitions, misplaced pairs
    irpref curve pr        QRELS RUN...  precision at the 11 levels of recall
    irpref curve gain      QRELS RUN...  CG, DCG, their ideals and ratios by rank
    irpref curve histogram QRELS A B     R-precision of A minus B, topic by topic
    irpref curve summary   QRELS RUN...  topics, documents retrieved, relevant, found

Means over the topics of the qrels; with --per-topic one block for each. Files are in TREC format, plain or compressed.
The columns are described at `irpref.curves`.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from irpref.cli import OK, UsageError
from irpref.cli.scoring import read_judgments
from irpref.formats.runs import run_names
from irpref.messages import IrprefWarning, warn_user

FUNCTIONS = {
    "crp": "crp",
    "npref": "npref_convergence",
    "pr": "interpolated_precision",
    "gain": "cumulated_gain",
    "histogram": "precision_histogram",
    "summary": "summary_table",
}
_HELP = {
    "crp": "Cumulated Relative Position by rank",
    "npref": "n-pref by number of partitions",
    "pr": "precision at the 11 levels of recall",
    "gain": "cumulated and discounted cumulated gain by rank",
    "histogram": "R-precision of A minus B, topic by topic",
    "summary": "topics, documents retrieved, relevant, found",
}


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "curve",
        help="CRP, n-pref, precision-recall and gain curves as tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(dest="kind", metavar="CURVE", required=True)
    for kind, text in _HELP.items():
        one = kinds.add_parser(kind, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_inputs(one, 2 if kind == "histogram" else "+")
        add_options(one, kind)
        if kind != "histogram":
            one.add_argument("-q", "--per-topic", action="store_true", help="one block of rows for each topic")
            one.add_argument("--query", metavar="ID", help="only this topic (implies --per-topic)")
        one.add_argument("--format", choices=("tsv", "csv"), default="tsv", help="default: %(default)s")
    parser.set_defaults(run=run)
    return parser


def add_inputs(parser: argparse.ArgumentParser, n_runs: int | str = "+") -> None:
    """The positional arguments: qrels, and one run or more (or a fixed number)."""
    parser.add_argument("qrels", metavar="QRELS", help="judgments in TREC format, '-', or ir_datasets id")
    parser.add_argument("runs", metavar="RUN", nargs=n_runs, help="run in TREC format, named after its file")


def add_options(parser: argparse.ArgumentParser, kind: str) -> None:
    """The options of a curve, see `options`."""
    if kind in ("pr", "summary", "histogram"):
        parser.add_argument(
            "--rel", metavar="GRADE", type=float, default=1, help="minimum grade counted as relevant (default: 1)"
        )
    if kind in ("crp", "pr", "gain"):
        parser.add_argument("--judged-only", action="store_true", help="drop documents without a judgment first")
    if kind in ("crp", "gain"):
        parser.add_argument("--depth", metavar="RANK", type=int, help="last rank shown (default: the longest run's)")
    if kind == "npref":
        parser.add_argument(
            "--measure", metavar="RPREF", default="RPref", help="RPref with its options, as \"RPref(norm='relative')\""
        )
        parser.add_argument(
            "--partitions",
            metavar="N,N,...",
            type=_whole_numbers,
            help="numbers of partitions (default: 2,4,8,16,32,64)",
        )
    if kind == "gain":
        parser.add_argument("--base", metavar="B", type=float, default=2, help="base of the logarithm (default: 2)")
        parser.add_argument(
            "--gains", metavar="GRADE=GAIN,...", type=_gains, help="gains of grades, such as 1=1,2=3,3=7"
        )
        parser.add_argument(
            "--ideal",
            choices=("judged", "retrieved"),
            default="judged",
            help="documents of the ideal list (default: %(default)s)",
        )


def options(args: argparse.Namespace) -> dict[str, Any]:
    """The options given, as the functions of `irpref.curves` take them."""
    names = ("rel", "judged_only", "depth", "base", "gains", "ideal", "measure")
    out = {name: getattr(args, name) for name in names if hasattr(args, name)}
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


def read(args: argparse.Namespace) -> tuple[list[Any], dict[str, Any]]:
    """The judgments, and the runs by name."""
    from irpref import read_run

    if len(set(args.runs)) < len(args.runs):
        raise UsageError("a run is given twice")
    runs = {name: read_run(path) for name, path in run_names(args.runs).items()}
    for name, run in runs.items():
        if run.empty:
            warn_user(f"{name}: the run is empty: all topics have the value of an empty ranking", IrprefWarning)
    return read_judgments(args.qrels).rows(), runs


def two(runs: dict[str, Any]) -> str:
    """Name of the second of two runs, the one compared with."""
    return list(runs)[1]


def run(args: argparse.Namespace) -> int:
    """Print the table. Raises `ValueError` as the functions of `irpref.curves`; returns the exit status."""
    separator = "\t" if args.format == "tsv" else ","
    _table(args).to_csv(sys.stdout, sep=separator, index=False, float_format="%.10g", lineterminator="\n")
    return OK


def _table(args: argparse.Namespace) -> Any:
    from irpref import curves

    qrels, runs = read(args)
    if args.kind == "histogram":
        return curves.precision_histogram(qrels, runs, two(runs), **options(args))
    function = getattr(curves, FUNCTIONS[args.kind])
    if args.query is None:
        return function(qrels, runs, per_topic=args.per_topic, **options(args))
    # Of all topics, so that what is taken from the qrels as a whole (max_rel) stays the same.
    if not any(row.query_id == args.query for row in qrels):
        raise ValueError(f"the qrels have no topic {args.query!r}")
    table = function(qrels, runs, per_topic=True, **options(args))
    return table[table["query_id"] == args.query]
