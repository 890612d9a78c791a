"""Print the BibTeX entries of measures and of irpref, with a sentence for your methods section."""

from __future__ import annotations

import argparse
import sys

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, named_measures


def _arguments(parser: Parser) -> None:
    help = "such as 'RPref(max_rel=3)@10'; without one: irpref itself"
    parser.add_argument("measures", metavar="MEASURE", nargs="*", help=help)
    frame.add(parser, "import")


def run(args: argparse.Namespace) -> None:
    """Print the entries."""
    from irpref import cite

    names = [name for name in args.measures if name.lower() != "irpref"]  # whose entry comes in any case
    sys.stdout.write(cite(named_measures(names)).lstrip("\n"))


COMMAND = Command(run, _arguments, __doc__)
