"""Compare rankings directly, without a measure in between.

    --how rpp            users who want 1, 2, ... or all relevant documents have one vote each
    --how lexirecall     users who want all decide first, then those who want one less, ...
    --how lexiprecision  users who want one decide first, then those who want two, ...

Ranks the runs by their mean preference over the others, with topics won, lost and tied. --tests
prints each pair of runs, -q each pair and topic."""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import shared as frame
from irpref.cli.shared import UsageError
from irpref.messages import p_value
from irpref.show.text import Table, of_frame, rounded, significant

HOW = ("rpp", "lexirecall", "lexiprecision")


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` as `irpref.lab.prefer`."""
    from irpref.lab import prefer

    given = frame.inputs(args)
    if args.tests and args.by_query:
        raise UsageError("--tests and --by-query are two tables: choose one")
    qrels, runs = given.read()
    found = prefer(qrels, runs, **frame.options(args, "how weights rel graded groups ties"))
    shown = found.pairs if args.tests else _by_topic(found) if args.by_query else found
    topics = "" if args.groups else f", {found.differences.n_topics} topics"
    title = f"{args.how}{topics}; positive: {'a' if 'a' in shown else 'the run'} is better"
    parts = (
        [part for _, part in shown.groupby("group", sort=False)] if "group" in shown else [shown]
    )
    frame.show(args, [_table(part, title) for part in parts], of_frame(shown, significant(10)))


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
