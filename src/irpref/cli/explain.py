"""`irpref explain QRELS RUN TOPIC MEASURE`: why a topic of a run has its value."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from irpref.cli import UsageError
from irpref.cli.scoring import read_judgments

EPILOG = """\
example:
  irpref explain qrels.txt run.txt 101 'RPref(max_rel=3)'

Measures that are sums over documents can be explained; for EMeasure, CRPRecovery, Twist and RecallEffort the
message names the one to explain instead.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the subcommand.

    Parameters
    ----------
    subparsers
        What `argparse.ArgumentParser.add_subparsers` returns.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "explain",
        help="what each document of a topic contributes to a measure, and why",
        description="Print the ranking of one topic: the grade of each document, what it adds to a measure "
        "and why, then judged documents that were not retrieved, then the sum, which is the value.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("qrels", metavar="QRELS", help="judgments in TREC format, '-', or ir_datasets id")
    parser.add_argument("run_file", metavar="RUN", help="run in TREC format, or '-'")
    parser.add_argument("topic", metavar="TOPIC", help="topic id")
    parser.add_argument("measure", metavar="MEASURE", help="such as 'RPref(max_rel=3)' or QMeasure@10")
    parser.add_argument(
        "--all", action="store_true", dest="every", help="a line for each document, even if it adds nothing"
    )
    parser.add_argument("--csv", action="store_true", help="comma-separated values, not a table to read")
    parser.add_argument("--known", metavar="FILE", help="documents the user knew, for Coverage and Novelty")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the explanation. Raises `ValueError` as `irpref.explain.explain`; returns the exit status."""
    from irpref.analysis.explain import explain, explanation_text
    from irpref.formats.trec import read_run

    if args.qrels == args.run_file == "-":
        raise UsageError("standard input ('-') can be read once only")
    qrels, ranking = read_judgments(args.qrels, args.known).for_pool(), read_run(args.run_file)
    try:
        if args.csv:
            explain(qrels, ranking, args.measure, args.topic).to_csv(sys.stdout, index=False)
        else:
            print(explanation_text(qrels, ranking, args.measure, args.topic, every=args.every), end="")
    except ValueError as error:
        if "'known'" in str(error) and args.known is None:
            raise UsageError(f"{str(error).partition(' (found')[0]}: give --known FILE") from None
        raise
    return 0
