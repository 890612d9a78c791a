"""The result of `irpref_lab.compare`, and its tables."""

from __future__ import annotations

import pandas as pd

from irpref.messages import visible
from irpref.show import Column, Table, of_frame, rounded
from irpref_lab.decide.results import VerdictFrame
from irpref_lab.messages import end_of_interval, p_value


class Comparison(VerdictFrame):
    """Result of `compare`.

    Attributes
    ----------
    text : str
        One sentence for each measure, then the test in one line.
    test : str
        Test, family and level.
    by_topic : DataFrame
        A row for each measure and topic, the largest difference first: `measure`, `group` (if there
        are groups), `query_id`, a column for each run, `difference` (b - a).
    evidence : DataFrame
        The evidence, as `irpref.evidence` returns it.
    names : list of str
        The names of the two runs.
    notes : list of str
        What all sentences have in common, a sentence each: systems that are the mean of several
        runs, which grades count as relevant, how many measures were tested.
    """

    test: str
    by_topic: pd.DataFrame
    evidence: pd.DataFrame
    names: list[str]

    def tables(self) -> list[Table]:
        """Show the sentences of a comparison, then a line a measure, or a measure and group."""
        a, b = map(visible, self.names)
        four, gap = rounded(), rounded(4, "+")
        columns = {"measure": Column("measure", left=True)}
        if "group" in self:
            columns |= {"group": Column("group", left=True), "topics": Column("topics")}
        columns |= {
            "mean_a": Column(a, four),
            "mean_b": Column(b, four),
            "difference": Column("difference", gap),
            **{end: Column(end, end_of_interval) for end in ("low", "high")},
            "p": Column("p", p_value),
            **{name: Column(name) for name in ("wins", "losses", "equal")},
        }
        *sentences, test = self.text.splitlines()
        notes = [
            f"difference: {b} minus {a}; low, high: its {100 * self.level:g} % interval",
            f"wins, losses, equal: topics on which {b} is better, worse or the same",
        ]
        if "low_judged" in self:  # a sample, which knows no values of single runs
            for name in ("mean_a", "mean_b", "wins", "losses", "equal"):
                del columns[name]
            for end in ("low_judged", "high_judged"):
                columns[end] = Column(end, end_of_interval)
            notes = [
                f"difference: {b} minus {a}; low, high: its interval over topics",
                "low_judged, high_judged: interval of the difference under full judgments of these "
                "topics",
            ]
        if (self["codes"] != "").any():
            columns["codes"] = Column("codes", left=True)
            notes.append("codes: why there is no verdict")
        rows = self[list(columns)].to_numpy().tolist()
        title = "\n".join([*sentences, "", ""])
        return [Table(list(columns.values()), rows, title, [*notes, test, *self.notes])]

    def tables_by_topic(self) -> list[Table]:
        """Tabulate the values of each measure by topic."""
        heads = {"query_id": "topic"} | {name: visible(name) for name in self.names}
        return [
            of_frame(
                part.drop(columns="measure"), rounded(), heads, title=str(part["measure"].iloc[0])
            )
            for _, part in self.by_topic.groupby("measure", sort=False)
        ]
