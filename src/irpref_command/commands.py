"""The commands by name, and the parser that lists them: all that `irpref --help` needs, in a quarter of the time."""

from __future__ import annotations

import argparse
from typing import Any, TypeVar

# What people want to do, and the commands for it, in the order of the help.
GROUPS = {
    "start here": {"demo": "try irpref on real runs that come with it"},
    "evaluate runs": {
        "eval": "compute measures for one or more runs",
        "leaderboard": "rank runs: means, intervals, and which differences are significant",
        "report": "write an evaluation as one HTML page that works offline",
    },
    "decide": {
        "compare": "is B better than A? one sentence with an interval",
        "gate": "may this change ship? a check for CI: pass, block, or too few topics to tell",
        "prefer": "compare rankings directly, without a measure",
    },
    "trust": {
        "check": "find problems in judgments and runs before you trust a value",
        "intervals": "how much ties, unjudged documents or the choice of topics can change a value",
        "judge": "combine human judgments of some topics with an LLM judge's of all",
        "crosscheck": "compare values with other tools, and explain each difference",
    },
    "look closer": {
        "explain": "show what each document of a topic adds to a measure, and why",
        "curve": "print curves as tables: precision-recall, cumulated gain, CRP, n-pref, histogram",
        "plot": "draw these curves, or values by topic, as png, pdf or svg",
    },
    "choose measures": {
        "list": "list the measures, or explain one of them",
        "cite": "print the BibTeX entries of measures and of irpref",
        "meta": "test measures on your data: stability, discriminative power, robustness",
    },
}
COMMANDS = {name: help for commands in GROUPS.values() for name, help in commands.items()}
P = TypeVar("P", bound=argparse.ArgumentParser)


def top(kind: type[P]) -> tuple[P, Any]:
    """A parser of no command's arguments, and what parsers of commands are added to."""
    lines = ["Evaluate and compare retrieval runs, with the measures of irpref, ir_measures and trec_eval."]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:<12} {help}" for name, help in commands.items())]
    parser = kind(
        prog="irpref",
        usage="irpref COMMAND ...",
        description="\n".join(lines),
        epilog="Most commands take judgments, runs and measures: irpref COMMAND QRELS RUN... MEASURE... [options].\n"
        "For the options of one, type irpref COMMAND --help.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser, parser.add_subparsers(dest="command", metavar="COMMAND", prog="irpref", help=argparse.SUPPRESS)
