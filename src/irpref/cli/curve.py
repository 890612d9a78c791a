"""Print a curve as a table, one row a point.

You get the mean over topics; --groups gives one for each group, -q adds each topic, -t selects one.
The documentation of `irpref.curves` describes the columns.
"""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import shared as frame
from irpref.show.text import of_frame, rounded, significant


def run(args: argparse.Namespace) -> None:
    """Print the table. Raises `ValueError` as the functions of `irpref.curves`."""
    found = _table(args)
    frame.show(args, of_frame(found, rounded()), of_frame(found, significant(10)), "tsv")


def _table(args: argparse.Namespace) -> Any:
    from irpref import curves

    given = frame.inputs(args)
    more = given_options(args, given) | frame.options(args, frame.RANKING)
    qrels, runs = given.judgments(), given.runs()
    function = getattr(curves, args.declared["function"])
    if args.kind == "histogram":
        more |= {"baseline": list(runs)[1], "per_topic": True}
        function = curves.paired_differences if given.measures else function
    if args.topic is not None:
        more["per_topic"] = True
        frame.only_topics(frame.topic_ids(qrels), [args.topic])
    # Computed on all topics, so that what is taken from the qrels as a whole (max_rel) stays the
    # same.
    table = function(qrels, runs, **more)
    return table if args.topic is None else table[table["query_id"] == args.topic]


def given_options(args: argparse.Namespace, given: frame.Inputs) -> dict[str, Any]:
    """The options of a kind of curve or picture, and the measure, as functions take them."""
    found = frame.options(args, args.declared["options"])
    if given.measures:
        if found.pop("rel", 1) != 1:
            raise frame.UsageError(
                "--rel is not for a measure of your own: write it into its name, as in AP(rel=2)"
            )
        found["measure"] = given.measures[0]
    return found
