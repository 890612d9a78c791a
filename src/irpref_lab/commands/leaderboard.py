"""`irpref leaderboard`: runs by their means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irpref.cli import options
from irpref.cli.arguments import Inputs, one_measure_of
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.cli.parameter_types import COUNT
from irpref.messages import whole_files
from irpref.show import Table, of_frame, rounded
from irpref_lab.arguments import MARGIN
from irpref_lab.commands import lab_inputs, lab_options, value_options
from irpref_lab.commands.lab_types import DIFFERENCE
from irpref_lab.commands.picture import Picture
from irpref_lab.decide.sign_flips import N_PERMUTATIONS
from irpref_lab.messages import p_value

if TYPE_CHECKING:
    from irpref.values import TopicValues


@command("leaderboard")
@options.inputs("RUN... MEASURE...", build=value_options.runs_or_values)
@value_options.values
@value_options.collections("add a column for each collection, with the mean there")
@options.option(
    "--sort",
    metavar="MEASURE",
    help="order all tables by this measure (default: each by its own)",
)
@options.topics
@lab_options.pairs
@lab_options.level
@options.groups_as("a table for each group of topics")
@lab_options.repeats
@lab_options.strict
@lab_options.judge
@lab_options.sample
@options.option(
    "--permutations",
    "n_permutations",
    metavar="N",
    type=COUNT,
    default=N_PERMUTATIONS,
    show_default=True,
    help="sign vectors of --pairs stepdown",
)
@lab_options.seed("permutations")
@options.option(
    "--top",
    metavar="N",
    type=COUNT,
    help="show the best N runs only; the tests still cover all runs",
)
@options.option("--tests", is_flag=True, help="print pairs of runs instead of the ranking")
@options.option(
    "--design",
    metavar="[DIFFERENCE]",
    is_flag=False,
    flag_value=MARGIN,
    type=DIFFERENCE,
    help="also print how many topics you need to detect this difference (default: "
    f"{MARGIN}); -o tsv, csv, json and jsonl print only this",
)
@options.reading
@options.ranking
@options.writing_as(pictures=True)
@lab_options.highlight
@lab_options.look
def leaderboard(
    given: Inputs,
    out: Output,
    pairs: str,
    level: float,
    groups: str | None,
    judge: tuple[str, ...],
    strict: bool,
    plan: str | None,
    top: int | None,
    tests: bool,
    sort: str | None,
    design: float | None,
    highlight: tuple[str, ...],
    size: tuple[float, float] | None,
    dpi: int,
    title: str | None,
    **how: Any,
) -> None:
    """Rank runs by their means, with confidence intervals and tests of all pairs.

    Shows the places that each run could have, given the tests (place_low, place_high). Runs that
    share a letter are not shown to differ (no letters if it would take more than eight). --design
    estimates how many topics you need. -f board.png draws the leaderboard of one measure, and
    -f board.tex writes one table with a column for each measure.
    """
    import irpref_lab

    if len(given.systems) < 2 and (design is not None or pairs != "none"):
        option = "--design" if design is not None else f"--pairs {pairs}"
        one = "" if design is not None else "; --pairs none shows one"
        raise click.UsageError(f"{option} compares runs: give at least 2{one}")
    if design is not None and tests and out.for_programs:
        raise click.UsageError("--design and --tests are two tables: choose one, or -o table")
    if sort is not None:
        how["sort"] = one_measure_of(given.measures, "--sort", sort)
    chosen = given.systems_called("--highlight", highlight)
    if out.draws and len(given.measures) > 1:
        names = ", ".join(map(str, given.measures))
        raise click.UsageError(f"-f {out.file}: a picture is of one measure, got {names}")
    with whole_files(strict):
        qrels, runs = lab_inputs.read(given, judge, plan, ranks=True)
    how = value_options.that_apply(given, groups=groups, strict=strict, **how)
    how = lab_options.some(**how)
    board = irpref_lab.leaderboard(given.measures, qrels, runs, pairs=pairs, level=level, **how)
    lab_options.say_grave(board.grave)
    if out.draws:
        assert out.file is not None
        picture = Picture(out.file, size, dpi, title)
        picture.save(
            irpref_lab.plots.leaderboard(board, highlight=chosen or None, ax=picture.axes())
        )
        return
    tested = board.pairs
    if groups is None:
        tested = tested.drop(columns="group", errors="ignore")
    data = tested if tests else board
    data = lab_options.with_sentences(data, board.sentences, out)
    title = f"{board.text}\n\n"
    tables = (
        [of_frame(tested, rounded(), shows={"p": p_value, "p_adjusted": p_value}, title=title)]
        if tests
        else (board.in_paper(top) if out.form == "latex" else board.tables(top))
    )
    if design is not None:
        data = _design(board.topic_values, design, level)
        tables.append(_sizes(data, level))
    out.show(tables, of_frame(data, str))


def _design(by_measure: list[TopicValues], difference: float, level: float) -> Any:
    """Find how many topics each measure would need: see `irpref_lab.meta.topic_set_size`."""
    import pandas as pd

    from irpref_lab.meta import topic_set_size

    sizes = [topic_set_size(values, difference, level=level) for values in by_measure]
    return pd.concat(sizes, ignore_index=True)


def _enough(design: Any) -> str:
    """Say how many topics would detect the difference, a line for each measure."""
    lines = [
        f"{row['measure']}: about {row['topics_t']:,} topics detect a difference of "
        f"{row['difference']:.4f} in 4 of 5 experiments, and {row['n_topics']:,} are here."
        for row in design.to_dict("records")
    ]
    return "\n".join([*lines, "", ""])


def _sizes(design: Any, level: float) -> Table:
    """Tabulate the numbers of topics, for readers."""
    heads = {
        "topics_t": "topics (t)",
        "topics_anova": "topics (ANOVA)",
        "topics_margin": "topics (margin)",
        "n_topics": "topics here",
        "detectable": "detectable here",
    }
    table = of_frame(
        design[["measure", "difference", *heads]], rounded(), heads, title=_enough(design)
    )
    table.notes = [
        f"topics (t): to detect this difference between two runs in 4 of 5 experiments, at level "
        f"{1 - level:.3g}",
        "topics (ANOVA): to detect it as often among all runs, if it is the one of the best and "
        "the worst",
        "topics (margin): to rule out a loss of this size as often, where there is none",
        "detectable here: the smallest difference that the topics here detect as often (t)",
    ]
    return table
