"""`irpref intervals`: how much a value depends on unknown facts."""

from __future__ import annotations

from typing import Any

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.cli.parameter_types import Choice
from irpref.messages import about
from irpref.observed import thresholds_on
from irpref.show import of_frame, rounded
from irpref_lab.arguments import LEVEL
from irpref_lab.commands import lab_inputs, lab_options
from irpref_lab.commands.lab_types import LEVEL as A_LEVEL
from irpref_lab.commands.lab_types import NUMBERS, SEED


@command("intervals")
@options.inputs("RUN... MEASURE...")
@options.option(
    "--over",
    type=Choice(["ties", "unjudged", "topics"]),
    default="ties",
    show_default=True,
    help="what varies",
)
@options.option("-q", "--by-query", is_flag=True, help="in a table: also a row for each topic")
@options.option(
    "--grades",
    metavar="G,G,...",
    type=NUMBERS,
    help="unjudged: grades that these documents could have (default: all of the scale)",
)
@options.option("--level", type=A_LEVEL, help=f"topics: confidence level (default: {LEVEL})")
@options.option(
    "--method",
    type=Choice(["bootstrap", "t"]),
    help="topics: kind of interval (default: bootstrap)",
)
@options.option(
    "--seed",
    "rng",
    metavar="SEED",
    type=SEED,
    help="topics: seed of the bootstrap (default: 0)",
)
@options.topics
@options.groups
@lab_options.judge
@options.reading
@options.writing
def intervals(
    given: Inputs, out: Output, by_query: bool, judge: tuple[str, ...], **how: Any
) -> None:
    """Show how much a value depends on ties, on unjudged documents, or on the choice of topics.

    \b
    --over ties      lowest and highest value over all orders of documents with
                     equal scores
    --over unjudged  lowest and highest value over all grades that the
                     unjudged documents of the run could have
    --over topics    confidence interval of the mean over topics

    The last row of each measure, without a topic, is the mean.
    """
    import pandas as pd

    import irpref_lab
    from irpref_lab.decide.basis import basis_of
    from irpref_lab.trust.holes import notes_on
    from irpref_lab.trust.interval_lines import lines_of
    from irpref_lab.trust.intervals import SOURCES

    how = lab_options.some(**how)
    for name in how:
        fits = [over for over, (_, takes) in SOURCES.items() if name in takes]
        if fits and how["over"] not in fits:
            option = "seed" if name == "rng" else name
            raise click.UsageError(f"--{option} is for --over {fits[0]}, got --over {how['over']}")
    qrels, runs = lab_inputs.read(given, judge)
    evidence = basis_of(given.measures, qrels, runs, present=(), keep=False)
    lab_options.say_grave(evidence.grave())
    tables = {}
    for name, run in runs.items():
        with about(name, len(runs) > 1):
            tables[name] = irpref_lab.intervals(given.measures, qrels, run, **how)
    whole = pd.concat(tables, names=["run", None]).reset_index("run").reset_index(drop=True)
    shown = whole if by_query else whole[whole["query_id"].isna()].drop(columns="query_id")
    if shown["expected"].isna().all():
        shown = shown.drop(columns="expected")
    means = whole[whole["query_id"].isna()]
    table = of_frame(
        shown, rounded(), title=f"{lines_of(means, how['over'], how.get('level', LEVEL))}\n\n"
    )
    notes = notes_on(shown) if how["over"] == "unjudged" else []
    table.notes = [*table.notes, *notes, *thresholds_on(given.measures, qrels)]
    out.show(table, of_frame(whole, str))
