"""Show how much a value depends on ties, on unjudged documents, or on the choice of topics.

    --over ties       lowest and highest value over all orders of documents with equal scores
    --over unjudged   lowest and highest value over all grades that unjudged documents could have
    --over topics     confidence interval of the mean over topics

The last row of each measure, without a topic, is the mean.
"""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, choice, option
from irpref.show.text import LINES, of_frame, rounded

_OPTIONS = ("grades", "level", "method", "groups", "rng")


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser)
    text = "unjudged: grades that these documents could have (default: all of the scale)"
    frame.add(
        parser,
        choice("--over", "ties", "unjudged", "topics", help="what varies"),
        "by_query",
        option("--grades", metavar="G,G,...", type=_grades, help=text),
        option("--level", type=float, help="topics: confidence level (default: 0.95)"),
        option("--method", choices=("bootstrap", "t"), help="topics: kind of interval (default: bootstrap)"),
        option("--seed", dest="rng", type=int, help="topics: seed of the bootstrap (default: 0)"),
        *("topic", "groups", "judge", *frame.READING, *frame.WRITING),
        by_query="in a table: also a row for each topic",
    )


def run(args: argparse.Namespace) -> None:
    """Print the intervals. Raises `ValueError` as `irpref.intervals`."""
    import pandas as pd

    from irpref import intervals

    given = frame.inputs(args)
    options: dict[str, Any] = {name: getattr(args, name) for name in _OPTIONS if getattr(args, name) is not None}
    qrels, runs = given.read()
    tables = {name: intervals(given.measures, qrels, run, over=args.over, **options) for name, run in runs.items()}
    whole = pd.concat(tables, names=["run", None]).reset_index("run").reset_index(drop=True)
    if frame.form_of(args) in LINES:
        frame.show(args, of_frame(whole, str))
        return
    if not args.by_query:
        whole = whole[whole["query_id"].isna()].drop(columns="query_id")
    frame.show(args, of_frame(whole, rounded()))


def _grades(text: str) -> list[float]:
    try:
        return [float(grade) for grade in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of grades such as 0,1,2") from None


COMMAND = Command(run, _arguments, __doc__)
