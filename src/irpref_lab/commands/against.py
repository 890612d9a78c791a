"""`irpref against`: do runs differ from a baseline?"""

from __future__ import annotations

from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.messages import whole_files
from irpref.show import of_frame
from irpref_lab.commands import lab_inputs, lab_options, value_options


@command(
    "against",
    epilog="""\b
Examples:
  irpref against qrels.txt bm25.run mine.run other.run nDCG@10 AP
  irpref against qrels.txt bm25.run runs/*.gz nDCG@10 -o latex""",
)
@options.inputs("BASELINE RUN... MEASURE...", build=value_options.runs_or_values)
@value_options.values
@value_options.collections()
@options.topics
@lab_options.pairs
@lab_options.level
@options.groups_as("means and tests for each group of topics")
@options.known
@lab_options.repeats
@lab_options.strict
@lab_options.judge
@options.reading
@options.ranking
@options.writing
@options.places
def against(
    given: Inputs,
    out: Output,
    judge: tuple[str, ...],
    strict: bool,
    places: int,
    **how: Any,
) -> None:
    """Test whether runs differ from a baseline.

    Prints a row with the means of each run, and marks those that differ significantly from the
    baseline's. -o tsv, csv, json and jsonl also print differences and p-values: `p` is for a pair
    alone, `p_adjusted` is adjusted for all pairs with the baseline.
    """
    import irpref_lab

    is_folder = isinstance(given, value_options.CollectionInputs)
    with whole_files(strict):
        qrels, runs = lab_inputs.read(given, judge)
    base = next(iter(runs))
    # A baseline alone is compared with every system of the collections.
    others = None if is_folder and len(runs) == 1 else runs
    how = lab_options.some(strict=strict, **how)
    differences = irpref_lab.against(given.measures, qrels, runs[base], others, **how)
    lab_options.say_grave(differences.grave)
    data = lab_options.with_sentences(differences, differences.sentences, out)
    out.show(differences.tables(places), of_frame(data, str))
