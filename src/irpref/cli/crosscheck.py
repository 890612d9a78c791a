"""Compare the values of irpref with those of other tools on your own files, and explain each
difference.

Compares topic by topic with the providers of ir_measures that you have installed (pytrec_eval,
cwl_eval, gdeval, ...), and with trec_eval if the shell finds it."""

from __future__ import annotations

import argparse

from irpref.cli import shared as frame
from irpref.cli.shared import ERROR, OK
from irpref.show.text import of_frame, rounded


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    from irpref import crosscheck

    given = frame.inputs(args)
    found = crosscheck(given.measures, given.of_topics(), given.runs())
    table = of_frame(found, rounded(), title="")
    table.notes = [
        "largest: the tool's value minus ours",
        *(["no tool here computes these measures"] * found.empty),
    ]
    frame.show(args, table)
    return ERROR if found["unexplained"].any() else OK
