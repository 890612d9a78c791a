"""`irpref explain`: what each document of a topic adds to a measure."""

from __future__ import annotations

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.show.text import of_frame, page_of


@command(
    "explain",
    epilog="""\b
Examples:
  irpref explain qrels.txt run.txt AP -t 101
  irpref explain qrels.txt run.txt "RPref(norm='relative2')" -t 101

Only measures that are sums over documents can be explained; for others, the message names one
that can.""",
)
@options.inputs("RUN MEASURE")
@options.option("--all", "every", is_flag=True, help="also show documents that add nothing")
@options.option("-t", "--topic", metavar="ID", help="the topic")
@options.known
@options.reading
@options.ties
@options.writing
def explain(given: Inputs, out: Output, every: bool) -> None:
    """Explain the value of one topic: what each document adds to the measure, and why.

    Prints the ranking with the grade and the contribution of each document, then the judged
    documents that the run did not retrieve. The contributions add up to the value.
    """
    from irpref.show.explained import explain as explained
    from irpref.show.explained import explanation_text

    (measure,) = given.measures
    qrels = given.all_judgments()
    topics = list(given.topics) or qrels.topic_ids
    if len(topics) > 1:
        first = ", ".join(map(repr, topics[:3]))
        raise click.UsageError(
            f"explain needs one topic: give -t ID (the first topics are {first})"
        )
    (topic,) = topics
    (run,) = given.runs().values()
    if out.for_programs:
        out.show(of_frame(explained(measure, qrels, run, topic), str))
        return
    with out.open() as file:
        page = page_of(file)
        file.write(
            explanation_text(qrels, run, measure, topic, every=every, form=out.form, page=page)
        )
