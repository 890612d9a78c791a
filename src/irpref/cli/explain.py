"""Explain the value of one topic: what each document adds to the measure, and why.

Prints the ranking with the grade and the contribution of each document, then the judged documents
that the run did not retrieve. The contributions add up to the value."""

from __future__ import annotations

import argparse

from irpref.cli import shared as frame
from irpref.cli.shared import UsageError
from irpref.show.text import LINES, of_frame, page_of


def run(args: argparse.Namespace) -> None:
    """Print the explanation. Raises `ValueError` as `irpref.explain`."""
    from irpref.explanation import explain
    from irpref.show.explained import explanation_text

    given = frame.inputs(args)
    (measure,) = given.measures
    qrels = given.judgments()
    if args.topic is None:
        topics = frame.topic_ids(qrels)
        if len(topics) > 1:
            raise UsageError(
                f"one topic is explained: give -t ID (the topics begin {', '.join(topics[:3])})"
            )
        (args.topic,) = topics
    (ranking,) = given.runs().values()
    form = frame.form_of(args)
    if form in LINES:
        frame.show(
            args, of_frame(explain(measure, qrels, ranking, args.topic, ties=args.ties), str)
        )
        return
    with frame.output(args) as out:
        options = {"every": args.every, "form": form, "page": page_of(out), "ties": args.ties}
        out.write(explanation_text(qrels, ranking, measure, args.topic, **options))
