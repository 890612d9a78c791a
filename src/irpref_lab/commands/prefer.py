"""`irpref prefer`: rankings, compared directly."""

from __future__ import annotations

from typing import Any

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.cli.parameter_types import Choice
from irpref.messages import p_value
from irpref.show.text import Table, of_frame, rounded, significant
from irpref_lab.commands import lab_options

HOW = ("rpp", "lexirecall", "lexiprecision")


@command(
    "prefer",
    epilog="""\b
Example:
  irpref prefer qrels.txt bm25.run dense.run --how lexirecall -q

F. Diaz and A. Ferraro, SIGIR 2022 (rpp); F. Diaz, M. D. Ekstrand and B. Mitra, ACM TORS 2025
(lexirecall); F. Diaz, EVIA 2023 (lexiprecision)""",
)
@options.inputs("RUN RUN...")
@options.option(
    "--how",
    type=Choice(HOW),
    metavar="HOW",
    default="rpp",
    show_default=True,
    help="who decides, see above",
)
@options.option(
    "--weights",
    type=Choice(["uniform", "inverse", "dcg"]),
    metavar="WEIGHTS",
    default="uniform",
    show_default=True,
    help="rpp: uniform, inverse or dcg: the user who wants i documents has the weight 1, 1/i, or "
    "1/log2(i + 1)",
)
@options.option(
    "--graded", is_flag=True, help="rpp: average over each grade as the lowest relevant one"
)
@options.option("--tests", is_flag=True, help="print pairs of runs, with a sign test")
@options.option("-q", "--by-query", is_flag=True, help="print pairs of runs by topic")
@options.rel
@options.topics
@options.groups_as("a table for each group of topics")
@options.reading
@options.ties
@options.writing
def prefer(
    given: Inputs,
    out: Output,
    how: str,
    tests: bool,
    by_query: bool,
    groups: str | None,
    **more: Any,
) -> None:
    """Compare rankings directly, without a measure in between.

    \b
    --how rpp            users who want 1, 2, ... or all relevant documents have
                         one vote each
    --how lexirecall     users who want all decide first, then those who want
                         one less, ...
    --how lexiprecision  users who want one decide first, then those who want
                         two, ...

    Ranks the runs by their mean preference over the others, with topics won, lost and tied. --tests
    prints each pair of runs, -q each pair and topic.
    """
    import irpref_lab

    if tests and by_query:
        raise click.UsageError("--tests and --by-query are two tables: choose one")
    for option, is_given in {
        "--weights": more["weights"] != "uniform",
        "--graded": more["graded"],
    }.items():
        if is_given and how != "rpp":
            raise click.UsageError(f"{option} is for --how rpp, got --how {how}")
    qrels, runs = lab_options.read(given)
    preferences = irpref_lab.prefer(qrels, runs, how=how, **lab_options.some(groups=groups, **more))
    shown = preferences.pairs if tests else _by_topic(preferences) if by_query else preferences
    n = preferences.differences.n_topics
    topics = "" if groups else f", {n:,} topic{'s' * (n != 1)}"
    title = f"{how}{topics}; positive: {'a' if 'a' in shown else 'the run'} is better"
    parts = (
        [part for _, part in shown.groupby("group", sort=False)] if "group" in shown else [shown]
    )
    tables = [_table(part, title) for part in parts]
    tables[-1].notes = preferences.notes
    out.show(tables, of_frame(shown, significant(10)))


def _by_topic(preferences: Any) -> Any:
    """The preference of each pair and topic, a row each."""
    import pandas as pd

    differences = preferences.differences
    pairs = preferences.pairs.drop_duplicates(["a", "b"])  # in the order of the rows of the matrix
    return pd.DataFrame(
        {
            "a": pairs["a"].repeat(differences.n_topics).to_numpy(),
            "b": pairs["b"].repeat(differences.n_topics).to_numpy(),
            "query_id": list(differences.topics) * len(pairs),
            "preference": differences.matrix.ravel(),
        }
    )


def _table(shown: Any, title: str) -> Table:
    """The rows of all topics, or of a group, for readers."""
    import pandas as pd

    if "group" in shown:
        title += f"; topics of {shown['group'].iloc[0]}"
        shown = pd.DataFrame(shown.drop(columns="group"))
    return of_frame(shown, rounded(), {"p_sign": "p (sign)"}, {"p_sign": p_value}, title=title)
