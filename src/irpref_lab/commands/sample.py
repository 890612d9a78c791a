"""`irpref sample`: which documents a human should judge."""

from __future__ import annotations

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs, only_topics, read_judgments
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.cli.parameter_types import COUNT
from irpref.cli.say import say
from irpref.errors import EmptyJudgmentsError
from irpref_lab.commands import lab_options
from irpref_lab.commands.lab_types import RISING, SEED


@command(
    "sample",
    epilog="""\b
Examples:
  irpref sample qrels.txt judge.txt a.run b.run DCG@10 -n 100 \\
    --looks 50,100,200 -f plan.tsv
  irpref compare qrels.txt a.run b.run DCG@10 \\
    --judge judge.txt --sample plan.tsv

HUMAN may be an empty file, such as /dev/null.""",
)
@options.inputs(
    "RUN... MEASURE...",
    judgments="HUMAN",
    more=lab_options.judge_file("the judge's grades of all documents that matter"),
)
@options.option(
    "-n", "n", metavar="N", type=COUNT, default=100, show_default=True, help="documents to judge"
)
@options.option(
    "--looks",
    metavar="N,N,...",
    type=RISING,
    help="numbers of judged documents at which you will look at the result; they share the level "
    "(default: N)",
)
@options.option(
    "--seed", "rng", metavar="SEED", type=SEED, help="seed of the draw (default: a fresh one)"
)
@options.topics
@options.reading
@options.writing_as("tsv")
def sample(
    given: Inputs, out: Output, judge_file: str, n: int, looks: list[int] | None, rng: int | None
) -> None:
    """Plan which documents humans should judge until it is clear which run is better.

    Writes all documents that the runs weight differently, in the order in which to judge them.
    Judge down the list, add the grades to HUMAN, and compare the runs with --sample. If a document
    cannot be judged, add a tab and "unjudgeable" at the end of its line. Works for P@k, CG@k, DCG@k
    and RBP(rel=1)@k.
    """
    if out.form != "tsv":
        raise click.UsageError("a plan is written as tsv, as with -f plan.tsv")
    import irpref_lab

    judge = read_judgments(judge_file, given.form)
    try:
        human = read_judgments(given.qrels, given.form)
    except EmptyJudgmentsError:
        human = None
    if given.topics:
        chosen_topics = only_topics(judge.topic_ids, given.topics)
        judge = judge.only(chosen_topics)
        human = human and human.only(chosen_topics)
    chosen = looks or 1
    plan = irpref_lab.sample(given.measures, human, judge, given.runs(), n, looks=chosen, rng=rng)
    with out.open() as file:
        file.writelines(plan.lines())
    say(plan.text)
