"""`irpref compare`: is B better than A?"""

from __future__ import annotations

import math
from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.lab.commands import lab_options
from irpref.messages import p_value, visible
from irpref.show.text import Column, Table, of_frame, rounded, significant
from irpref.values.thresholds import thresholds_on


@command("compare")
@options.inputs("A B MEASURE...")
@options.option(
    "--margin", type=float, help="also say whether a difference this large is ruled out"
)
@options.option(
    "--missing",
    type=float,
    default=0.05,
    show_default=True,
    help="share of the topics that a run may lack",
)
@options.option(
    "-q", "--by-query", is_flag=True, help="also print each topic (with -o: only these)"
)
@options.topics
@lab_options.level
@options.groups
@lab_options.judge
@lab_options.sample
@options.reading
@options.ranking
@options.writing
def compare(
    given: Inputs,
    out: Output,
    margin: float | None,
    missing: float,
    by_query: bool,
    level: float,
    groups: str | None,
    judge: tuple[str, ...],
    plan: str | None,
) -> None:
    """Is B better than A? One sentence a measure, with a confidence interval of the difference,
    then a table.

    -q also prints each topic, the largest gain of B first.
    """
    from irpref import lab

    qrels, runs = lab_options.read(given, judge, plan)
    how = lab_options.some(margin=margin, groups=groups)
    comparison = lab.compare(
        given.measures, qrels, *runs.values(), names=list(runs), level=level, missing=missing, **how
    )
    a, b = map(visible, runs)
    tables = [_means(comparison, a, b, level)]
    tables[0].notes = [*tables[0].notes, *thresholds_on(given.measures, qrels)]
    if by_query:
        tables += [
            _topics(part, a, b) for _, part in comparison.by_topic.groupby("measure", sort=False)
        ]
    data = (
        comparison.by_topic
        if by_query
        else comparison.assign(a=a, b=b)[["a", "b", *comparison.columns]]
    )
    out.show(tables, of_frame(data, significant(10)))


def _means(comparison: Any, a: str, b: str, level: float) -> Table:
    """The sentences, then a line a measure, or a measure and group."""
    four, gap = rounded(), rounded(4, "+")
    columns = {
        "measure": Column("measure", left=True),
        **(
            {"group": Column("group", left=True), "topics": Column("topics")}
            if "group" in comparison
            else {}
        ),
        "mean_a": Column(a, four),
        "mean_b": Column(b, four),
        "difference": Column("difference", gap),
        **{end: Column(name, _end) for end, name in (("low", "from"), ("high", "to"))},
        "p": Column("p", p_value),
        "wins": Column("better"),
        "losses": Column("worse"),
        "equal": Column("equal"),
    }
    *sentences, test = comparison.text.splitlines()
    notes = [
        f"difference: {b} minus {a}; from, to: its {100 * level:g} % interval",
        f"better, worse, equal: topics on which {b} is better, worse or the same",
        test,
    ]
    if "low_judged" in comparison:  # a sample, which knows no values of single runs
        for name in ("mean_a", "mean_b", "wins", "losses", "equal"):
            del columns[name]
        for end in ("low_judged", "high_judged"):
            columns[end] = Column(end, _end)
        notes = [
            f"difference: {b} minus {a}; from, to: its interval over topics",
            "low_judged, high_judged: of the difference under full judgments of these topics",
            test,
        ]
    return Table(
        list(columns.values()),
        comparison[list(columns)].to_numpy().tolist(),
        "\n".join([*sentences, "", ""]),
        notes,
    )


def _end(end: float) -> str:
    return f"{end:+.4f}" if math.isfinite(end) else "-"


def _topics(part: Any, a: str, b: str) -> Table:
    """The values of a measure by topic."""
    heads = {"query_id": "topic", "a": a, "b": b}
    return of_frame(
        part.drop(columns="measure"), rounded(), heads, title=str(part["measure"].iloc[0])
    )
