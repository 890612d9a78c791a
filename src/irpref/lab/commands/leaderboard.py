"""Rank runs by their means, with confidence intervals and tests of all pairs.

Shows each run's range of places (best, worst) that is consistent with the tests. Runs that share a
letter are not shown to differ (no letters if it would take more than eight). --design estimates how
many topics you need."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from irpref.cli import shared as frame
from irpref.cli.shared import UsageError
from irpref.judged.types import Qrels, Runs
from irpref.show.text import LINES, Table, of_frame, rounded

OBSERVED = float("inf")  # --design without a number
DIFFERENCE = 0.05  # if none is observed
_HEADS = {
    "low": "from",
    "high": "to",
    "place_low": "best",
    "place_high": "worst",
    "judged@10": "Judged@10",
}


def run(args: argparse.Namespace) -> None:
    """Print the leaderboard. Raises `ValueError` as `irpref.lab.leaderboard`."""
    from irpref.judged.groups import groups_of
    from irpref.lab import leaderboard

    given = frame.inputs(args)
    if args.design is not None and len(given.files) < 2:
        raise UsageError("--design compares runs: give at least 2")
    if args.design is not None and args.tests and frame.form_of(args) in LINES:
        raise UsageError("--design and --tests are two tables: choose one, or -o table")
    qrels, runs = given.read()
    how = frame.options(args, f"sort pairs level groups n_permutations rng {frame.RANKING}")
    board = leaderboard(given.measures, qrels, runs, **how)
    data = board.pairs if args.tests else board
    if args.tests:
        tables = [of_frame(board.pairs, rounded())]
    else:
        sizes = {
            group: int(inside.sum())
            for group, inside in groups_of(args.groups, None, frame.topic_ids(qrels)).items()
        }
        parts = board.groupby(["group", "measure"], sort=False, dropna=False)
        tables = [_table(part, args, sizes, board.test) for _, part in parts]
    if args.design is not None:
        data = _design(given, args, qrels, runs)
        tables.append(_sizes(data, args))
    frame.show(args, tables, of_frame(data, str))


def _design(given: frame.Inputs, args: argparse.Namespace, qrels: Qrels, runs: Runs) -> Any:
    """How many topics each measure would need: see `irpref.lab.meta.topic_set_size`."""
    import pandas as pd

    from irpref.lab.meta import topic_set_size, topic_values

    found = []
    for values in topic_values(
        given.measures, qrels, runs, **frame.options(args, frame.RANKING)
    ).values():
        difference = args.design
        if difference == OBSERVED:
            best = sorted(values.means.tolist(), reverse=values.higher_is_better)[:2]
            difference = abs(best[0] - best[1]) or DIFFERENCE
        found.append(topic_set_size(values, difference, level=args.level))
    return pd.concat(found, ignore_index=True)


def _sizes(design: Any, args: argparse.Namespace) -> Table:
    """The numbers of topics, for readers."""
    heads = {
        **{"topics_t": "topics (t)", "topics_anova": "topics (ANOVA)"},
        **{"n_topics": "topics here", "detectable": "detectable here"},
    }
    table = of_frame(
        design[["measure", "difference", *heads]], rounded(), heads, title="How many topics?"
    )
    which = f" (here that of the two best runs, or {DIFFERENCE})" if args.design == OBSERVED else ""
    table.notes = [
        f"so many topics show a true difference{which} 4 times in 5 at level "
        f"{1 - args.level:.3g}; t: of two runs, "
        "ANOVA: of all; detectable here: with the topics at hand"
    ]
    return table


def _table(
    board: Any, args: argparse.Namespace, sizes: Mapping[str | None, int], test: str
) -> Table:
    """The rows of one measure, for readers: what is the same for all of them is said once or not at
    all.
    """
    from irpref.values.matrix import higher_is_better

    group, measure = board["group"].iloc[0], board["measure"].iloc[0]
    shown = board.drop(columns=["measure", "group"])
    if args.pairs == "none":
        shown = shown.drop(columns=["place_low", "place_high"])
    if shown["letters"].isna().all():
        shown = shown.drop(columns="letters")
    n_topics = sizes[None if group != group else group]
    lacking = shown.pop("topics_without_documents")
    differs = lacking.nunique() > 1
    if differs:
        shown.insert(shown.columns.get_loc("judged@10"), "answered", n_topics - lacking)
    table = of_frame(shown, rounded(), _HEADS)
    lower = "" if higher_is_better(measure) else " (lower is better)"
    table.title = f"{measure}{lower}" + (
        "" if group is None or group != group else f", topics of {group}"
    )
    table.notes = [f"answered: topics with documents, of {n_topics}"] if differs else []
    table.notes.append(f"from, to: {100 * args.level:g} % interval of the mean over topics")
    if args.pairs != "none":
        letters = "; runs that share a letter are not shown to differ" if "letters" in shown else ""
        table.notes += [
            f"best, worst: range of places consistent with the tests{letters}",
            f"test: {test}",
        ]
    return table
