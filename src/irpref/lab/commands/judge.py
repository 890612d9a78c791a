"""Combine human judgments of some topics with an LLM judge's grades of all topics.

Prints means with prediction-powered intervals: the judge's values, corrected on the topics that
humans judged. Then it shows how well the judge agrees with the humans. --tests has a row for each
pair of runs."""

from __future__ import annotations

import argparse
from typing import Any

from irpref.cli import shared as frame
from irpref.messages import p_value
from irpref.show.text import Table, of_frame, rounded


def run(args: argparse.Namespace) -> None:
    """Print the estimates. Raises `ValueError` as `irpref.lab.judge`."""
    from irpref.lab import judge

    given = frame.inputs(args)
    human, said = given.judgments(), frame.read_judgments(args.judge_file, frame.reading(args))
    if args.topic:
        topics = frame.only_topics(frame.topic_ids(human), args.topic)
        human, said = frame.only(human, topics), frame.only(said, topics)
    found = judge(given.measures, human, said, given.runs(), level=args.level, topics=args.topics)
    level = f"{100 * args.level:g} % interval"
    shown = found.pairs if args.tests else found
    p = {name: p_value for name in ("p", "p_human", "p_judge")}
    counts = {"topics_needed": lambda n: "-" if n != n or n == float("inf") else f"{n:.0f}"}
    tables = [_table(part, p | counts) for _, part in shown.groupby("measure", sort=False)]
    for table in tables:
        table.notes = [
            f"human: over the humans' topics; judge: over all; low, high: {level} of what is "
            f"estimated"
        ]
    agreement = _table(found.agreement, counts, "How far the judge agrees with humans")
    agreement.notes = [
        f"both, judge_only, human_only, reversed: pairs of runs that t-tests call at "
        f"{1 - args.level:.3g}; "
        "topics_needed: human topics that would settle half of those which the judge alone calls "
        "or reverses"
    ]
    frame.show(args, [*tables, agreement], of_frame(shown, str))


def _table(part: Any, shows: dict[str, Any], title: str = "") -> Table:
    """A frame for readers, with its measure as the title if there is only one."""
    alone = not title
    shown = part.drop(columns="measure") if alone else part
    return of_frame(shown, rounded(), shows=shows, title=title or str(part["measure"].iloc[0]))
