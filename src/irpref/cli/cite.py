"""Print the BibTeX entries of measures and of irpref, with a sentence for your methods section."""

from __future__ import annotations

import argparse
import sys

from irpref.cli.shared import named_measures


def run(args: argparse.Namespace) -> None:
    """Print the entries."""
    from irpref import cite

    names = [
        name for name in args.measures if name.lower() != "irpref"
    ]  # whose entry comes in any case
    sys.stdout.write(cite(named_measures(names)).lstrip("\n"))
