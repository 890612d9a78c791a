"""`irpref cite`: the sources of measures."""

from __future__ import annotations

import sys

import click

from irpref.cli import options
from irpref.cli.arguments import named_measures
from irpref.cli.command import Argument, command
from irpref.cli.complete import measures_only


@command("cite")
@click.argument(
    "measures",
    cls=Argument,
    metavar="[MEASURE...]",
    nargs=-1,
    shell_complete=measures_only,
    help="such as 'RPref(max_rel=3)@10'; without one: irpref itself",
)
@options.importing
def cite(measures: tuple[str, ...]) -> None:
    """Print the BibTeX entries of measures and of irpref, with a sentence for your methods
    section.
    """
    import irpref

    # The entry of irpref comes in any case.
    names = [name for name in measures if name.lower() != "irpref"]
    sys.stdout.write(irpref.cite(named_measures(names)).lstrip("\n"))
