"""The results of boards and comparisons over several collections, and their tables."""

from __future__ import annotations

import pandas as pd

from irpref.messages import visible
from irpref.show import Column, Table, of_frame, rounded
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.first_lines import Sentences
from irpref_lab.decide.results import VerdictFrame
from irpref_lab.messages import end_of_interval, p_value

# Boards -------------------------------------------------------------------------------------------


class CollectionBoard(VerdictFrame):
    """A leaderboard over several collections.

    Attributes
    ----------
    text : str
        Which system is best, and which are not shown to differ from it: a line for each measure.
    sentences : dict of (measure, None) to str
        The same, line by line.
    pairs : pandas.DataFrame
        A row for each pair of systems and measure: `measure`, `a`, `b`, `difference` (mean of `b`
        minus mean of `a`), `low`, `high`, `p`, `p_adjusted` (after Holm), `codes` (why the pair is
        not called different).
    by_collection : dict of measure to DataFrame
        Mean of each system on each collection.
    over : {'topics', 'collections'}
    values_only : bool
        Whether nothing is known of the runs behind the values.
    method : str
        'holm', or 'none' if nothing was tested.
    test : str
        Test, sample and family in one line.
    """

    sentences: Sentences
    pairs: pd.DataFrame
    by_collection: dict[str, pd.DataFrame]
    over: str
    values_only: bool
    method: str
    test: str

    def different_pairs(self) -> pd.DataFrame:
        """Select the rows of `pairs` with a significant difference that nothing rules out."""
        shown = significant(self.pairs["p_adjusted"], self.level)
        return self.pairs[shown & (self.pairs["codes"] == "").to_numpy()]

    def tables(self, top: int | None = None) -> list[Table]:
        """Make a table for each measure."""
        tables = []
        for measure, part in self.groupby("measure", sort=False):
            shown = part.drop(columns=["measure", "group"])
            few = top is not None and top < len(shown)
            shown = shown.iloc[:top] if few else shown
            empty = [
                name
                for name in ("low", "high", "place_low", "place_high", "letters", "codes", "reason")
                if name in shown and not _says_something(shown[name])
            ]
            shown = shown.drop(columns=empty)
            table = of_frame(shown, rounded())
            table.title = self.sentences[measure, None] + "\n\n"
            table.notes = [f"the best {len(shown):,} of {len(part):,} systems"] * few
            table.notes.append("mean: of the collections' means; borda: rank by Borda's count")
            if "low" in shown:
                what = "topics of these collections" if self.over == "topics" else "collections"
                table.notes.append(f"low, high: {100 * self.level:g} % interval over {what}")
            if "place_low" in shown:
                also = "; systems that share a letter are not shown to differ"
                table.notes.append(
                    "place_low, place_high: range of places consistent with the tests"
                    + also * ("letters" in shown)
                )
            if "codes" in shown:
                table.notes.append("codes: why no other system is called better than this one")
            tables.append(table)
        test = [f"test: {self.test}"] * bool(self.test)
        tables[-1].notes = [*tables[-1].notes, *test, *self.notes]
        return tables

    in_paper = tables


# One pair -----------------------------------------------------------------------------------------


class CollectionComparison(VerdictFrame):
    """A comparison of two systems over several collections.

    Attributes
    ----------
    text : str
        One sentence for each measure, then the test in one line.
    test : str
    by_collection : DataFrame
        A row for each measure and collection: `measure`, `collection`, `topics`, a column for each
        system, `difference` (b - a).
    names : list of str
        The two systems.
    over : {'topics', 'collections'}
    """

    test: str
    by_collection: pd.DataFrame
    names: list[str]
    over: str

    def tables(self) -> list[Table]:
        """Make the sentences, then a table of the measures, and one of the collections."""
        a, b = map(visible, self.names)
        four, gap = rounded(), rounded(4, "+")
        columns = {
            "measure": Column("measure", left=True),
            "mean_a": Column(a, four),
            "mean_b": Column(b, four),
            "difference": Column("difference", gap),
            "low": Column("low", end_of_interval),
            "high": Column("high", end_of_interval),
            "p": Column("p", p_value),
            "wins": Column("wins"),
            "losses": Column("losses"),
            "equal": Column("equal"),
        }
        *sentences, test = self.text.splitlines()
        rows = self[list(columns)].to_numpy().tolist()
        notes = [
            f"difference: {b} minus {a}; low, high: its {100 * self.level:g} % interval",
            f"wins, losses, equal: collections on which {b} is better, worse or the same",
            test,
            *self.notes,
        ]
        return [Table(list(columns.values()), rows, "\n".join([*sentences, "", ""]), notes)]


# All against one ----------------------------------------------------------------------------------


class CollectionDifferences(VerdictFrame):
    """Systems compared with a baseline over several collections.

    Attributes
    ----------
    text : str
        Which systems are better or worse than the baseline: a line for each measure.
    sentences : dict of (measure, None) to str
        The same, line by line.
    baseline : str
    left_out : dict of system to str
        Systems that lack a collection, with the reason.
    over : {'topics', 'collections'}
    test : str
        Test, sample and family in one line; empty if nothing was tested.
    """

    sentences: Sentences
    baseline: str
    left_out: dict[str, str]
    over: str
    test: str

    def tables(self, places: int = 4) -> list[Table]:
        """Make a table of `against_over` for each measure."""
        baseline = self.baseline
        heads = {"mean_b": "mean"}
        shows = {"p": p_value, "p_adjusted": p_value}
        columns = [
            *("run", "mean_b", "difference", "low", "high", "p", "p_adjusted"),
            *("wins", "losses", "equal", "codes"),
        ]
        tables = []
        for measure, part in self.groupby("measure", sort=False):
            shown = part[columns]
            may_be_empty = ("low", "high", "p_adjusted", "codes")
            empty = [name for name in may_be_empty if not _says_something(shown[name])]
            made = of_frame(shown.drop(columns=empty), rounded(places), heads, shows)
            made.title = self.sentences[measure, None] + "\n\n"
            tables.append(made)
        tables[-1].notes = [
            f"mean: of the collections' means; difference: run minus {visible(baseline)}; low, "
            f"high: its {100 * self.level:g} % interval",
            "wins, losses, equal: collections on which the run is better, worse or the same",
            *[f"test: {self.test}"] * bool(self.test),
            *self.notes,
        ]
        return tables


def _says_something(column: pd.Series) -> bool:
    return bool((column.notna() & (column.astype(str) != "")).any())
