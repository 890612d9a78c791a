"""`irpref check QRELS RUN... [MEASURE...]`: what to know before any number is read.

Findings about judgments, runs, and measures on them, the worst first: topics without documents, repeated documents,
ties, unjudged documents, ids that do not meet, judgments on which a measure tells nothing apart.

exit status: 0; with --strict 1 where something grave was found
"""

from __future__ import annotations

import argparse
from itertools import groupby

from irpref.cli import frame
from irpref.cli.frame import ERROR, OK, Command, Parser
from irpref.show.text import LINES, Column, Table, of_frame, rounded


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser)
    parser.add_argument("--strict", action="store_true", help="exit status 1 where something grave is found")
    frame.add_output(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings. Raises `ValueError` for judgments that cannot be read."""
    from irpref import check

    given = frame.inputs(args)
    found = check(given.judgments().for_pool(), given.files, given.measures)
    if frame.form_of(args) in LINES:
        frame.show(args, of_frame(found, rounded()))
    else:
        records = found.astype(object).where(found.notna(), None).to_dict("records")
        columns = [Column("", left=True), Column("", left=True, prose=True)]
        tables = [
            Table(columns, [(row["run"] or "", row["text"]) for row in rows], level.capitalize())
            for level, rows in groupby(records, key=lambda row: str(row["level"]))
        ]
        frame.show(args, tables)
    return ERROR if args.strict and (found["level"] == "grave").any() else OK


COMMAND = Command(
    "check",
    "what to know about judgments and runs before any number is read",
    run,
    _arguments,
    __doc__,
    "irpref check [options] QRELS RUN... [MEASURE...]",
)
