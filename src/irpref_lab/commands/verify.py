"""`irpref verify`: are the figures of a published table those that the runs give?"""

from __future__ import annotations

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import ERROR, OK, USAGE, Argument, command
from irpref.cli.output import Output
from irpref.show import of_frame


@command(
    "verify",
    error_status=USAGE,
    epilog="""\b
Examples:
  irpref verify table.csv qrels.txt runs/*.gz
  irpref verify README.md qrels.txt bm25.run dense.run

Exit status: 0 if all figures are equal, 1 if one is not or was not checked, 2 if a file cannot be
read.""",
)
@click.argument(
    "table",
    cls=Argument,
    metavar="TABLE",
    type=click.Path(),
    help="a published table: CSV or Markdown, with a row per run and a column per measure",
)
@options.inputs("RUN...")
@options.topics
@options.reading
@options.writing
def verify(given: Inputs, out: Output, table: str) -> int:
    """Recompute a published table, and say why its figures differ.

    Compares each figure with the digits printed. If one differs, it tries known reasons, alone and
    in pairs: order of ties, 32-bit scores, threshold of relevance, cutoffs, topics that were left
    out, repeated documents, the query among its results, gain and discount of nDCG, percent. It
    names only reasons that lead to the printed figure, and the values that other orders of ties can
    give if the figure is among them. A number that it cannot compare (its row has no run, its
    column is no measure, its cell has several) is not checked, and the first line says so.
    """
    import irpref_lab

    qrels = given.judgments()
    found = irpref_lab.verify(table, qrels, given.runs())
    out.show(found.tables(), of_frame(found, str))
    return OK if found else ERROR
