"""Is B better than A? One sentence a measure, with a confidence interval of the difference, then a
table.

-q also prints each topic, the largest gain of B first.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

from irpref.cli import shared as frame
from irpref.cli.shared import RANKING, options
from irpref.messages import p_value, visible
from irpref.show.text import Column, Table, of_frame, rounded, significant


def run(args: argparse.Namespace) -> None:
    """Print the comparison. Raises `ValueError` for input that cannot be evaluated."""
    from irpref.lab import compare

    given = frame.inputs(args)
    qrels, runs = given.read()
    how = options(args, f"level margin groups {RANKING}")
    found = compare(given.measures, qrels, *runs.values(), names=list(runs), **how)
    a, b = map(visible, runs)
    tables = [_means(found, a, b, args.level)]
    if args.by_query:
        tables += [_topics(part, a, b) for _, part in found.by_topic.groupby("measure", sort=False)]
    data = found.by_topic if args.by_query else found.assign(a=a, b=b)[["a", "b", *found.columns]]
    frame.show(args, tables, of_frame(data, significant(10)))


def _means(found: Any, a: str, b: str, level: float) -> Table:
    """The sentences, then a line a measure, or a measure and group."""
    four, gap = rounded(), rounded(4, "+")
    columns = {
        "measure": Column("measure", left=True),
        **(
            {"group": Column("group", left=True), "topics": Column("topics")}
            if "group" in found
            else {}
        ),
        "mean_a": Column(a, four),
        "mean_b": Column(b, four),
        "difference": Column("difference", gap),
        **{end: Column(name, _end) for end, name in (("low", "from"), ("high", "to"))},
        "p": Column("p", p_value),
        "wins": Column("better"),
        "losses": Column("worse"),
        "equal": Column("equal"),
    }
    *sentences, test = found.text.splitlines()
    notes = [
        f"difference: {b} minus {a}; from, to: its {100 * level:g} % interval",
        f"better, worse, equal: topics on which {b} is better, worse or the same",
        test,
    ]
    return Table(
        list(columns.values()),
        found[list(columns)].to_numpy().tolist(),
        "\n".join([*sentences, "", ""]),
        notes,
    )


def _end(end: float) -> str:
    return f"{end:+.4f}" if math.isfinite(end) else "-"


def _topics(part: Any, a: str, b: str) -> Table:
    """The values of a measure by topic."""
    heads = {"query_id": "topic", "a": a, "b": b}
    return of_frame(
        part.drop(columns="measure"), rounded(), heads, title=str(part["measure"].iloc[0])
    )
