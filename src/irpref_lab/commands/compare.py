"""`irpref compare`: is B better than A?"""

from __future__ import annotations

from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.messages import visible
from irpref.show import of_frame, rounded
from irpref.show.text import significant
from irpref_lab.commands import lab_inputs, lab_options, value_options
from irpref_lab.commands.lab_types import MARGIN


@command("compare")
@options.inputs("A B MEASURE...", build=value_options.runs_or_values)
@value_options.values
@value_options.collections("also print the means on each collection (with -o: only these)")
@options.option(
    "--margin", type=MARGIN, help="also say whether a difference this large is ruled out"
)
@lab_options.missing("a run may leave unanswered")
@options.option(
    "-q", "--by-query", is_flag=True, help="also print a value for each topic (with -o: only these)"
)
@options.topics
@lab_options.level
@options.groups
@lab_options.repeats
@lab_options.judge
@lab_options.sample
@options.reading
@options.ranking
@options.writing
def compare(
    given: Inputs,
    out: Output,
    by_query: bool,
    by_collection: bool,
    judge: tuple[str, ...],
    plan: str | None,
    **how: Any,
) -> None:
    """Compare two runs: is B better than A?

    Prints a sentence for each measure, with a confidence interval of the difference, then a table.
    -q also prints each topic, the largest gain of B first.
    """
    import irpref_lab

    qrels, runs = lab_inputs.read(given, judge, plan)
    comparison = irpref_lab.compare(
        given.measures, qrels, *runs.values(), names=list(runs), **lab_options.some(**how)
    )
    lab_options.say_grave(comparison.grave)
    a, b = map(visible, runs)
    in_rows, tables = None, comparison.tables()
    if by_collection:
        in_rows = comparison.by_collection
        tables.append(of_frame(in_rows, rounded(), {name: visible(name) for name in runs}))
    elif by_query:
        in_rows = comparison.by_topic
        tables += comparison.tables_by_topic()
    sentences = comparison.text.splitlines()[: len(comparison)]
    whole = comparison.assign(a=a, b=b, sentence=sentences)
    data = whole[["a", "b", *comparison.columns, "sentence"]] if in_rows is None else in_rows
    out.show(tables, of_frame(data, significant(10)))
