"""The commands by name, and the parser that lists them: all that `irpref --help` needs, in a quarter of the time."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, TypeVar

# In the order of the help.
COMMANDS = {
    "eval": "compute measures for one or more runs",
    "check": "find problems in judgments and runs before you trust a value",
    "compare": "is B better than A? topic by topic, with a verdict in words",
    "gate": "may this change ship? a check for CI: pass, block, or too few topics to tell",
    "prefer": "compare rankings directly, without a measure",
    "leaderboard": "rank runs: means, intervals, and which differences are significant",
    "intervals": "how much ties, unjudged documents or the choice of topics can change a value",
    "judge": "combine human judgments of some topics with an LLM judge's of all",
    "crosscheck": "compare values with other tools, and explain each difference",
    "explain": "show what each document of a topic adds to a measure, and why",
    "curve": "print curves as tables: precision-recall, cumulated gain, CRP, n-pref, histogram",
    "plot": "draw these curves, or values by topic, as png, pdf or svg",
    "report": "write an evaluation as one HTML page that works offline",
    "list": "list the measures, or explain one of them",
    "cite": "print the BibTeX entries of measures and of irpref",
    "meta": "test measures on your data: stability, discriminative power, robustness",
    "demo": "try irpref on real runs that come with it",
}
P = TypeVar("P", bound=argparse.ArgumentParser)


def top(kind: type[P], listed: Iterable[str] = COMMANDS) -> tuple[P, Any]:
    """A parser of no command's arguments, and what parsers of commands are added to; its help shows those `listed`."""
    parser = kind(
        prog="irpref",
        description="Evaluate and compare retrieval runs, with the measures of irpref, ir_measures and trec_eval.",
        epilog="Most commands take judgments, runs and measures: irpref COMMAND QRELS RUN... MEASURE... [options]. "
        "For the options of one, type irpref COMMAND --help. New here? Type irpref demo.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    below = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in listed:
        below.add_parser(name, help=COMMANDS[name], add_help=False)
    return parser, below
