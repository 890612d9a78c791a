"""The result of `irpref_lab.against`, and its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from irpref.show import Cell, Column, ResultFrame, Table, rounded
from irpref.values import higher_is_better
from irpref_lab.decide.first_lines import Sentences


class Differences(ResultFrame):
    """Result of `against`.

    Attributes
    ----------
    text : str
        Which runs are better or worse than the baseline: a line for each measure (and group of
        topics).
    sentences : dict of (measure, group) to str
        The same, line by line; the group is None without groups.
    baseline : str
        The name of the run that all others are compared with.
    level : float
    method : str
        How the pairs are tested.
    test : str
        Test, family, level and permutations in one line; empty for `none`.
    by_topic : DataFrame
        A row for each measure, run and topic: `run`, `group` (if there are groups), `query_id`,
        `measure`, `value`, `difference`.
    evidence : DataFrame
        The evidence, as `irpref.evidence` returns it.
    notes : list of str
        The same in words, a sentence each.
    grave : list of str
        Findings that would mislead, as `irpref check` words them, a line for each code.
    """

    text: str
    sentences: Sentences
    baseline: str
    level: float
    method: str
    test: str
    by_topic: pd.DataFrame
    evidence: pd.DataFrame
    notes: list[str]
    grave: list[str]

    def _tables(self) -> Sequence[Table]:
        return of_differences(self)


def of_differences(differences: Differences, places: int = 4) -> list[Table]:
    """Show a row for each run (and group), a column for each measure, the best values marked."""
    number = rounded(places)
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
        notes += [
            f"† differs from {differences.baseline}; a value without † is not shown to differ",
            f"test: {differences.test}",
        ]
    title = f"{differences.text}\n\n"
    return [Table(columns, cells, title, notes=[*notes, *differences.notes])]
