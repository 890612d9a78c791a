"""`irpref fill`: judgments, their holes filled with a judge's grades."""

from __future__ import annotations

from typing import Any

import click

from irpref.cli import options
from irpref.cli.arguments import read_judgments, shared_reading
from irpref.cli.command import Argument, command
from irpref.cli.output import Output
from irpref.cli.say import say
from irpref.show import of_frame
from irpref.show.text import LINES


@command(
    "fill",
    epilog="""\b
Examples:
  irpref fill qrels.txt judge.txt -f filled.csv
  irpref eval filled.csv run.txt nDCG@10""",
)
@click.argument(
    "qrels",
    cls=Argument,
    type=click.Path(),
    metavar="HUMAN",
    help="human judgments: a file, '-', or an id of ir_datasets",
)
@click.argument(
    "judges",
    cls=Argument,
    type=click.Path(),
    metavar="JUDGE...",
    nargs=-1,
    required=True,
    help="the judge's grades for these documents and others; one file per judge",
)
@options.reading_judgments
@options.writing_as("tsv")
def fill(
    out: Output,
    qrels: str,
    judges: tuple[str, ...],
    format: str | None,
    columns: Any,
    labels: Any,
) -> None:
    """Fill in an LLM judge's grades for documents that no human judged.

    Each grade of the judge becomes the mean human grade of the documents with that grade. Human
    judgments do not change. Writes a table that every command reads as judgments and that says
    which grades are filled in: measures with a threshold need to know.
    """
    if not out.for_programs or (out.file and not out.file.endswith(LINES)):
        raise click.UsageError(
            f"filled judgments are a table that marks the grades that are filled in: "
            f"write {', '.join(LINES)}, as with -f filled.csv"
        )
    import irpref_lab

    form = shared_reading(format, columns, labels)
    human = read_judgments(qrels, form)
    filled = irpref_lab.fill(human, [read_judgments(path, form) for path in judges])
    out.show(of_frame(filled.frame(), str))
    say(filled.text)
