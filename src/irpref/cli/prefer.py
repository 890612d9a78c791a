"""Compare rankings directly, without a measure in between.

    --how rpp            users who want 1, 2, ... or all relevant documents have one vote each
    --how lexirecall     users who want all decide first, then those who want one less, ...
    --how lexiprecision  users who want one decide first, then those who want two, ...

Ranks the runs by their mean preference over the others, with topics won, lost and tied. --tests prints each pair of
runs, -q each pair and topic.
"""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import frame
from irpref.cli.frame import Command, Parser, UsageError, choice, option
from irpref.messages import p_value
from irpref.show.text import LINES, Table, of_frame, rounded, significant

EPILOG = """\
example:
  irpref prefer qrels.txt bm25.run dense.run --how lexirecall -q

F. Diaz and A. Ferraro, SIGIR 2022 (rpp); F. Diaz, M. D. Ekstrand and B. Mitra, ACM TORS 2025 (lexirecall); F. Diaz,
EVIA 2023 (lexiprecision)
"""
HOW = ("rpp", "lexirecall", "lexiprecision")


def _arguments(parser: Parser) -> None:
    frame.add_inputs(parser, "RUN RUN...")
    weight = "rpp: weight of the user who wants i documents: 1, 1/i, 1/log2(i + 1)"
    frame.add(
        parser,
        choice("--how", *HOW, help="who decides, see above"),
        choice("--weights", "uniform", "inverse", "dcg", help=weight),
        option("--graded", action="store_true", help="rpp: average over each grade as the lowest relevant one"),
        option("--tests", action="store_true", help="print pairs of runs, with a sign test"),
        *("by_query", "rel", "topic", "groups", *frame.READING, "ties", *frame.WRITING),
        by_query="print pairs of runs by topic",
        groups="a table for each group of topics",
    )


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` as `irpref.prefer`."""
    from irpref import prefer

    given = frame.inputs(args)
    if len(given.files) < 2:
        raise UsageError(f"runs are compared with each other: expected at least two, got {', '.join(given.files)}")
    if args.tests and args.by_query:
        raise UsageError("--tests and --by-query are two tables: choose one")
    qrels, runs = given.read()
    options = {name: getattr(args, name) for name in ("how", "weights", "rel", "graded", "groups", "ties")}
    found = prefer(qrels, runs, **options)
    shown = found.pairs if args.tests else _by_topic(found) if args.by_query else found
    form = frame.form_of(args)
    if form in LINES:
        frame.show(args, of_frame(shown, significant(10)))
        return
    topics = "" if args.groups else f", {found.differences.n_topics} topics"
    title = f"{args.how}{topics}; positive: {'a' if 'a' in shown else 'the run'} is better"
    parts = [part for _, part in shown.groupby("group", sort=False)] if "group" in shown else [shown]
    frame.show(args, [_table(part, title) for part in parts])


def _by_topic(found: Any) -> Any:
    """The preference of each pair and topic, a row each."""
    import pandas as pd

    of = found.differences
    pairs = found.pairs.drop_duplicates(["a", "b"])  # in the order of the rows of the matrix
    return pd.DataFrame(
        {
            "a": pairs["a"].repeat(of.n_topics).to_numpy(),
            "b": pairs["b"].repeat(of.n_topics).to_numpy(),
            "query_id": list(of.topics) * len(pairs),
            "preference": of.matrix.ravel(),
        }
    )


def _table(shown: Any, title: str) -> Table:
    """The rows of all topics, or of a group, for readers."""
    import pandas as pd

    if "group" in shown:
        title += f"; topics of {shown['group'].iloc[0]}"
        shown = pd.DataFrame(shown.drop(columns="group"))
    return of_frame(shown, rounded(), {"p_sign": "p (sign)"}, {"p_sign": p_value}, title=title)


COMMAND = Command(run, _arguments, __doc__, EPILOG)
