"""`irpref report`: an evaluation as one page."""

from __future__ import annotations

import sys
from typing import Any

import click

import irpref_lab
from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import before_writing, command
from irpref.cli.parameter_types import COUNT
from irpref.cli.say import say
from irpref.data import hashed
from irpref.messages import whole_files
from irpref_lab.commands import lab_inputs, lab_options, value_options


@command(
    "report",
    epilog="""\b
Examples:
  irpref report qrels.txt runs/*.gz nDCG@10 AP "RPref(norm='relative2')" \\
    -f report.html
  irpref report qrels.txt bm25.run mine.run AP --baseline bm25.run \\
    --topics topics.tsv -f report.html""",
)
@options.inputs("RUN... MEASURE...", build=value_options.runs_or_values)
@value_options.values
@options.option(
    "-f",
    "--file",
    metavar="FILE",
    help="write the page to this file (default: standard output)",
)
@options.option("--baseline", metavar="RUN", help="the run to compare the others with")
@options.option("--title", default="Evaluation", show_default=True, help="title of the page")
@options.option(
    "--topics",
    metavar="FILE",
    help="texts of the queries: lines id<TAB>text, .jsonl, or an id of ir_datasets",
)
@options.option("--titles", metavar="FILE", help="titles of the documents, in the same formats")
@options.option(
    "--rankings",
    metavar="RUN",
    multiple=True,
    help="show the rankings of this run; default: the best ten and the baseline (repeatable)",
)
@options.option("--depth", type=COUNT, default=20, show_default=True, help="last rank to show")
@options.topics
@options.groups_as("show groups of topics")
@options.known
@lab_options.pairs
@lab_options.level
@lab_options.repeats
@lab_options.strict
@lab_options.judge
@options.reading
@options.ranking
def report(
    given: Inputs,
    file: str | None,
    baseline: str | None,
    rankings: tuple[str, ...],
    judge: tuple[str, ...],
    strict: bool,
    **how: Any,
) -> None:
    """Write an evaluation as one HTML page that works offline.

    The page has a leaderboard, tests of all pairs, two systems topic by topic, rankings side by
    side, unjudged documents, ties and curves. It also says what was done: inputs, versions,
    parameters, a methods paragraph and BibTeX. You can download every table as CSV.
    """
    lab_options.named_as_page(file)
    if file is None and sys.stdout.isatty():
        raise click.UsageError("name the file to write, such as -f report.html")
    bases = given.systems_called("--baseline", [] if baseline is None else [baseline])
    chosen = given.systems_called("--rankings", rankings)
    with hashed():
        with whole_files(strict):
            if isinstance(given, value_options.ValueInputs):
                qrels, runs = lab_inputs.read(given)
            else:
                qrels, runs = lab_inputs.filled(given, judge), given.of_systems(given.runs())
        page = irpref_lab.report(
            given.measures,
            qrels,
            runs,
            strict=strict,
            baseline=next(iter(bases), None),
            rankings=chosen or None,
            **lab_options.some(**how),
        )
    lab_options.say_grave(page.grave)
    before_writing(file)
    if file is None:
        sys.stdout.write(page.html)
    else:
        page.save(file)
        say(page.text)
