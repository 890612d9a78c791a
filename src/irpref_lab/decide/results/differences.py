"""The result of `irpref_lab.against`, and its table."""

from __future__ import annotations

from typing import Any

import pandas as pd

from irpref.show import Cell, Column, Table, rounded
from irpref.values import higher_is_better
from irpref_lab.decide.first_lines import Sentences
from irpref_lab.decide.results import VerdictFrame


class Differences(VerdictFrame):
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
    """

    sentences: Sentences
    baseline: str
    method: str
    test: str
    by_topic: pd.DataFrame
    evidence: pd.DataFrame

    def tables(self, places: int = 4) -> list[Table]:
        """Show a row for each run (and group), a column for each measure, the best marked."""
        number = rounded(places)
        labels = ["run", "group"] if "group" in self else ["run"]
        measures = list(dict.fromkeys(self["measure"]))
        lower = [name for name in measures if not higher_is_better(name)]
        ranked = self.assign(shown=[number(value) for value in self["value"]])
        best = {}
        for key, part in ranked.groupby(["measure", *labels[1:]], sort=False):
            values = part["value"].dropna()
            if part["shown"].nunique() > 1 and values.size:
                place = values.idxmin() if key[0] in lower else values.idxmax()
                best[key] = ranked.loc[place, "shown"]
        rows: dict[tuple[Any, ...], dict[str, Cell]] = {}
        for row in ranked.to_dict("records"):
            is_best = (
                best.get((row["measure"], *(row[name] for name in labels[1:]))) == row["shown"]
            )
            cell = Cell(row["shown"], is_best, row["differs"] is True)
            rows.setdefault(tuple(row[name] for name in labels), {})[row["measure"]] = cell
        columns = [Column(name, left=True) for name in labels]
        columns += [Column(name, number, lower=name in lower) for name in measures]
        cells = [[*key, *(values.get(name) for name in measures)] for key, values in rows.items()]
        note = "* best" + f" (lower is better: {', '.join(lower)})" * bool(lower)
        notes = [note] * bool(best)
        if self.test:
            notes += [
                f"† differs from {self.baseline}; a value without † is not shown to differ",
                f"test: {self.test}",
            ]
        title = f"{self.text}\n\n"
        return [Table(columns, cells, title, notes=[*notes, *self.notes])]
