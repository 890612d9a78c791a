"""`irpref judge`: human judgments of some topics beside a judge's of all."""

from __future__ import annotations

from irpref.cli import options
from irpref.cli.arguments import Inputs, only_topics, read_judgments
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.cli.parameter_types import Choice
from irpref.cli.say import say
from irpref.show import of_frame
from irpref_lab.commands import lab_options


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
    more=lab_options.judge_file("the judge's grades for these topics and others"),
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
    import irpref_lab

    human, grades = given.all_judgments(), read_judgments(judge_file, given.form)
    if given.topics:
        chosen = only_topics(human.topic_ids, given.topics)
        human, grades = human.only(chosen), grades.only(chosen)
    predictions = irpref_lab.judge(
        given.measures, human, grades, given.runs(), level=level, topics=topics
    )
    shown = predictions.pairs if tests else predictions
    data = lab_options.with_sentences(shown, predictions.sentences, out)
    out.show(predictions.tables(tests), of_frame(data, str))
    for line in filter(None, predictions.advice.splitlines()):
        say(line)
