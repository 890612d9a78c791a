"""`irpref leaderboard QRELS RUN... MEASURE...`: which runs differ, and what places they could have.

Means with confidence intervals over topics, places with those that a run could have, and letters: two runs share one
if and only if they are not significantly different.
"""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError
from irpref.show.text import LINES, Column, Table, of_frame, rounded

METHODS = ("randomised_tukey", "tukey", "holm", "none")
_HEADS = {
    "low": "from",
    "high": "to",
    "place_low": "best",
    "place_high": "worst",
    "topics_without_documents": "no documents",
    "judged@10": "Judged@10",
}


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser)
    parser.add_argument("--sort", metavar="MEASURE", help="measure that orders the runs (default: the first)")
    parser.add_argument("--pairs", choices=METHODS, default=METHODS[0], help="test of all pairs (default: %(default)s)")
    parser.add_argument("--level", type=float, default=0.95, help="confidence level (default: %(default)s)")
    parser.add_argument("--groups", metavar="FILE", help="a board for each group of topics: lines `topic group`")
    parser.add_argument("--permutations", metavar="N", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: %(default)s)")
    parser.add_argument("--tests", action="store_true", help="a row for each pair of runs in place of the board")
    frame.add_output(parser)


def run(args: argparse.Namespace) -> None:
    """Print the leaderboard. Raises `ValueError` as `irpref.leaderboard`."""
    from irpref import leaderboard

    given = frame.inputs(args)
    if not given.measures:
        raise UsageError("no measure given, such as AP, nDCG@10 or RPref (irpref list shows them)")
    if args.permutations < 1:
        raise UsageError(f"--permutations {args.permutations}: expected a number of at least 1")
    qrels, runs = given.judgments().rows(), given.runs()
    frame.say_grave(qrels, runs, given.measures)
    board = leaderboard(
        given.measures,
        qrels,
        runs,
        sort=args.sort,
        pairs=args.pairs,
        level=args.level,
        groups=args.groups,
        n_permutations=args.permutations,
        rng=args.seed,
    )
    if args.tests:
        frame.show(args, of_frame(board.pairs, str if frame.form_of(args) in LINES else rounded()))
    elif frame.form_of(args) in LINES:
        frame.show(args, of_frame(board, str))
    else:
        frame.show(
            args, [_table(part, args) for _, part in board.groupby(["group", "measure"], sort=False, dropna=False)]
        )


def _table(board: Any, args: argparse.Namespace) -> Table:
    """The rows of one measure, for readers: what is the same for all of them is said once or not at all."""
    from irpref import parse

    group, measure = board["group"].iloc[0], board["measure"].iloc[0]
    shown = board.drop(columns=["measure", "group"])
    if args.pairs == "none":
        shown = shown.drop(columns=["place_low", "place_high", "letters"])
    if not shown["topics_without_documents"].any():
        shown = shown.drop(columns="topics_without_documents")
    table = of_frame(shown, rounded())
    table.columns = [
        Column(_HEADS.get(column.name, column.name), column.show, left=column.left) for column in table.columns
    ]
    lower = "" if getattr(parse(measure), "higher_is_better", True) else " (lower is better)"
    table.title = f"{measure}{lower}" + ("" if group is None or group != group else f", topics of {group}")
    table.notes = [f"from, to: {100 * args.level:g} % interval of the mean over topics"]
    if args.pairs != "none":
        alpha = f"{1 - args.level:.3g}"
        table.notes.append(
            f"best, worst: places that the run could have; runs that share a letter do not differ at {alpha}"
        )
    return table


COMMAND = Command(
    "leaderboard",
    "which runs differ, and what places they could have",
    run,
    _arguments,
    __doc__,
    "irpref leaderboard [options] QRELS RUN... MEASURE...",
)
