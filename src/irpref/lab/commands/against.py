"""`irpref against`: do runs differ from a baseline?"""

from __future__ import annotations

from typing import Any

from irpref.cli import options
from irpref.cli.arguments import Inputs
from irpref.cli.command import command
from irpref.cli.output import Output
from irpref.lab.commands import lab_options
from irpref.show.text import Cell, Column, Table, of_frame, rounded
from irpref.values.thresholds import thresholds_on


@command(
    "against",
    epilog="""\b
Examples:
  irpref against qrels.txt bm25.run mine.run other.run nDCG@10 AP
  irpref against qrels.txt bm25.run runs/*.gz nDCG@10 -o latex""",
)
@options.inputs("BASELINE RUN... MEASURE...")
@options.topics
@lab_options.pairs
@lab_options.level
@options.option("--groups", metavar="FILE", help="means and tests for each group of topics")
@options.known
@lab_options.judge
@options.reading
@options.ranking
@options.writing
@options.places
def against(
    given: Inputs,
    out: Output,
    pairs: str,
    level: float,
    groups: str | None,
    judge: tuple[str, ...],
    places: int,
) -> None:
    """Test whether runs differ from a baseline.

    Prints the means of all runs, a row each, and marks those that differ significantly from the
    baseline's. With -o tsv, csv, json and jsonl, differences and p-values, too: `p` is for a pair
    alone, `p_adjusted` for all pairs with the baseline.
    """
    from irpref import lab

    qrels, runs = lab_options.read(given, judge)
    base = next(iter(runs))
    how = lab_options.some(groups=groups)
    differences = lab.against(
        given.measures, qrels, runs[base], runs, pairs=pairs, level=level, **how
    )
    table = _table(differences, rounded(places))
    table.notes = [*table.notes, *thresholds_on(given.measures, qrels)]
    out.show(table, of_frame(differences, str))


def _table(differences: Any, number: Any) -> Table:
    """A row for each run (and group), a column for each measure, the best values marked."""
    from irpref.values.matrix import higher_is_better

    labels = ["run", "group"] if "group" in differences else ["run"]
    measures = list(dict.fromkeys(differences["measure"]))
    lower = [name for name in measures if not higher_is_better(name)]
    ranked = differences.assign(shown=[number(value) for value in differences["value"]])
    best = {}
    for key, part in ranked.groupby(["measure", *labels[1:]], sort=False):
        values = part["value"].dropna()
        if part["shown"].nunique() > 1 and values.size:
            place = values.idxmin() if key[0] in lower else values.idxmax()
            best[key] = ranked.loc[place, "shown"]
    rows: dict[tuple[Any, ...], dict[str, Cell]] = {}
    for row in ranked.to_dict("records"):
        is_best = best.get((row["measure"], *(row[name] for name in labels[1:]))) == row["shown"]
        cell = Cell(row["shown"], is_best, row["differs"] is True)
        rows.setdefault(tuple(row[name] for name in labels), {})[row["measure"]] = cell
    columns = [Column(name, left=True) for name in labels]
    columns += [Column(name, number, lower=name in lower) for name in measures]
    cells = [[*key, *(values.get(name) for name in measures)] for key, values in rows.items()]
    note = "* best" + f" (lower is better: {', '.join(lower)})" * bool(lower)
    notes = [note] * bool(best)
    if differences.test:
        notes.append(
            f"† differs from {differences.baseline}: {differences.test}; a value without † is not "
            "shown to differ"
        )
    return Table(columns, cells, notes=notes)
