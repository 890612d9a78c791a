"""The commands by name, and the parser that lists them: all that `irpref --help` needs, in a quarter of the time."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, TypeVar

# In the order of the help.
COMMANDS = {
    "eval": "evaluate runs with measures of any toolkit",
    "check": "what to know about judgments and runs before any number is read",
    "compare": "is B better than A? two runs topic by topic, with the verdict in a sentence",
    "gate": "may this change ship? exit status 0, 1, or 3 if there are too few topics to tell",
    "prefer": "two or more rankings compared directly, without a measure",
    "leaderboard": "which runs are shown to differ, and what places they could have",
    "intervals": "how far values can be trusted: ties, unjudged documents, topics",
    "judge": "human judgments of some topics and an LLM judge's of all: estimates, intervals, agreement",
    "crosscheck": "our values beside those of every tool at hand, with the reason of each difference",
    "explain": "what each document of a topic contributes to a measure, and why",
    "curve": "tables behind the numbers: CRP, n-pref convergence, recall-precision, gain, histogram",
    "plot": "draw these tables",
    "report": "one page of an evaluation, to look at without a network",
    "list": "the measures: parameters, ranges, sources",
    "cite": "what to cite: BibTeX of measures and package",
    "meta": "stability, sensitivity and robustness of measures",
    "demo": "which of two real systems is better? On one screen",
}
P = TypeVar("P", bound=argparse.ArgumentParser)


def top(kind: type[P], listed: Iterable[str] = COMMANDS) -> tuple[P, Any]:
    """A parser of no command's arguments, and what parsers of commands are added to; `listed` stand in its help."""
    parser = kind(
        prog="irpref",
        description="Evaluate retrieval runs: preference, graded, position and user-oriented measures beside those "
        "of ir_measures and trec_eval.",
        epilog="irpref COMMAND QRELS RUN... MEASURE... [options]; irpref COMMAND --help explains a command.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    below = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in listed:
        below.add_parser(name, help=COMMANDS[name], add_help=False)
    return parser, below
