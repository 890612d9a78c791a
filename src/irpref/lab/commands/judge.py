"""`irpref judge`: human judgments of some topics beside a judge's of all."""

from __future__ import annotations

from typing import Any

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs, only_topics, read_judgments
from irpref.cli.command import Argument, command
from irpref.cli.output import Output
from irpref.cli.parameter_types import Choice
from irpref.cli.say import say
from irpref.lab.commands import lab_options
from irpref.messages import p_value
from irpref.show.text import Table, of_frame, rounded


@command(
    "judge",
    epilog="""\b
Example:
  irpref judge qrels.txt judge.txt bm25.run dense.run nDCG@10 AP

A. N. Angelopoulos et al., Prediction-powered inference, Science 382 (2023)""",
)
@options.inputs(
    "RUN... MEASURE...",
    judgments="HUMAN",
    more=click.argument(
        "judge_file",
        cls=Argument,
        type=click.Path(),
        metavar="JUDGE",
        help="the judge's grades of these topics and others",
    ),
)
@options.option(
    "--topics",
    type=Choice(["sample", "fixed"]),
    default="sample",
    show_default=True,
    help="sample: conclude about more topics like these; fixed: about these alone",
)
@options.option("--tests", is_flag=True, help="print pairs of runs instead of means")
@options.topics
@lab_options.level
@options.reading
@options.writing
def judge(
    given: Inputs, out: Output, judge_file: str, topics: str, tests: bool, level: float
) -> None:
    """Combine human judgments of some topics with an LLM judge's grades of all topics.

    Prints means with prediction-powered intervals: the judge's values, corrected on the topics that
    humans judged. Then it shows how well the judge agrees with the humans. --tests has a row for
    each pair of runs.
    """
    from irpref import lab

    human, grades = given.all_judgments(), read_judgments(judge_file, given.form)
    if given.topics:
        chosen = only_topics(human.topic_ids, given.topics)
        human, grades = human.only(chosen), grades.only(chosen)
    predictions = lab.judge(given.measures, human, grades, given.runs(), level=level, topics=topics)
    interval = f"{100 * level:g} % interval"
    shown = predictions.pairs if tests else predictions
    p = {name: p_value for name in ("p", "p_human", "p_judge")}
    counts = {"sample": lambda n: "-" if n != n else f"{n:.0f}"}
    counts |= {"topics_needed": lambda n: "-" if n != n or n == float("inf") else f"{n:.0f}"}
    tables = [_table(part, p | counts) for _, part in shown.groupby("measure", sort=False)]
    for table in tables:
        table.notes = [
            f"human: over the humans' topics; judge: over all; low, high: {interval} of what is "
            "estimated"
        ]
    agreement = _table(predictions.agreement, counts, "How far the judge agrees with humans")
    agreement.notes = [
        f"both, judge_only, human_only, reversed: pairs of runs that t-tests call at "
        f"{1 - level:.3g}; "
        "topics_needed: human topics that would settle half of those which the judge alone calls "
        "or reverses"
    ]
    out.show([*tables, agreement], of_frame(shown, str))
    for line in filter(None, predictions.text.splitlines()):
        say(line)


def _table(part: Any, shows: dict[str, Any], title: str = "") -> Table:
    """A frame for readers, with its measure as the title if there is only one."""
    alone = not title
    shown = part.drop(columns="measure") if alone else part
    return of_frame(shown, rounded(), shows=shows, title=title or str(part["measure"].iloc[0]))
