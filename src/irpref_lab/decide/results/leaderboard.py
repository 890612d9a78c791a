"""The result of `irpref_lab.leaderboard`: a board, with its tables for readers and for papers."""

from __future__ import annotations

import pandas as pd

from irpref.show import Cell, Column, Table, of_frame, rounded
from irpref.values import TopicValues, higher_is_better
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.first_lines import Sentences
from irpref_lab.decide.results import VerdictFrame

_HEADS = {"judged@10": "Judged@10"}


class Leaderboard(VerdictFrame):
    """Result of `leaderboard`: a frame, with the tests behind it.

    Attributes
    ----------
    text : str
        Which run is best, and which are not shown to differ from it: a line for each measure (and
        group of topics).
    sentences : dict of (measure, group) to str
        The same, line by line; the group is None without groups.
    pairs : pandas.DataFrame
        A row for each pair of runs, measure and group: `measure`, `group`, `a`, `b`, `difference`
        (mean of `b` minus mean of `a`), `effect_size`, `p` (of this pair alone), `p_adjusted` (for
        all of them), `codes` (why the pair is not called different, as in `irpref_lab.compare`).
    method : str
    test : str
        Test, family, level and permutations in one line; empty for `none`.
    evidence : pandas.DataFrame
        The evidence, as `irpref.evidence` returns it; missing on the boards of a report.
    notes : list of str
        The same in words, a sentence each.
    n_topics : dict of group to int
        Number of topics of each group; {None: all} without groups.
    topic_values : list of irpref_lab.meta.TopicValues
        The values behind the board, of each measure: runs that answer, all topics.
    """

    sentences: Sentences
    pairs: pd.DataFrame
    method: str
    test: str
    evidence: pd.DataFrame
    n_topics: dict[str | None, int]
    topic_values: list[TopicValues]

    def different_pairs(self) -> pd.DataFrame:
        """Select the rows of `pairs` with a significant difference that nothing rules out."""
        shown = significant(self.pairs["p_adjusted"], self.level)
        return self.pairs[shown & (self.pairs["codes"] == "").to_numpy()]

    def tables(self, top: int | None = None) -> list[Table]:
        """Show a table for each measure, and group of topics, of the best `top` runs."""
        tables = [
            _of_measure(part, self, top)
            for _, part in self.groupby(["group", "measure"], sort=False, dropna=False)
        ]
        # A legend (`name: meaning`) that all tables share is once below the last one.
        shared = [
            note
            for note in tables[-1].notes
            if ": " in note and all(note in table.notes for table in tables[:-1])
        ]
        for table in tables[:-1]:
            table.notes = [note for note in table.notes if note not in shared]
        tables[-1].notes = [*tables[-1].notes, *self.notes]
        return tables

    def in_paper(self, top: int | None = None) -> list[Table]:
        """Show a row for each run and a column for each measure, for each group of topics, with a
        caption.

        The best values are marked. Runs that share a letter are not shown to differ; where letters
        would be too many, runs that differ from the best are marked.
        """
        if self["mean"].isna().all():  # a sample, which knows no values of single runs
            return self.tables(top)
        return [
            _of_group(part, self, top)
            for _, part in self.groupby("group", sort=False, dropna=False)
        ]


def _of_measure(part: pd.DataFrame, board: Leaderboard, top: int | None) -> Table:
    """Show the rows of one measure: facts that all rows share are said once or not at all."""
    group, measure = _group_of(part), part["measure"].iloc[0]
    shown = part.drop(columns=["measure", "group", "topics_by_code"], errors="ignore")
    if top is not None and top < len(shown):
        shown = shown.iloc[:top]
    sampled = bool(shown["mean"].isna().all())  # which knows no values of single runs
    if sampled:
        shown = shown.drop(columns=["mean", "low", "high"])
    elif shown["low"].isna().all():
        shown = shown.drop(columns=["low", "high"])
    if board.method == "none":
        shown = shown.drop(columns=["place_low", "place_high"])
    if shown["letters"].isna().all():
        shown = shown.drop(columns="letters")
    if "codes" in shown and not shown["codes"].astype(bool).any():
        shown = shown.drop(columns="codes")
    n_topics = board.n_topics[group]
    lacking = shown.pop("topics_without_documents")
    differs = lacking.nunique() > 1
    if differs:
        shown.insert(shown.columns.get_loc("judged@10"), "answered", n_topics - lacking)
    if sampled:
        shown = shown.drop(columns="judged@10")
    table = of_frame(shown, rounded(), _HEADS)
    table.title = board.sentences[measure, group] + "\n\n"
    table.notes = [f"the best {len(shown):,} of {len(part):,} runs"] * (len(shown) < len(part))
    if differs:
        table.notes.append(f"answered: topics with documents, of {n_topics}")
    if "low" in shown:
        table.notes.append(f"low, high: {100 * board.level:g} % interval of the mean over topics")
    if board.method != "none":
        letters = "; runs that share a letter are not shown to differ" if "letters" in shown else ""
        table.notes += [
            f"place_low, place_high: range of places consistent with the tests{letters}",
            f"test: {board.test}",
        ]
    if "codes" in shown:
        table.notes.append("codes: why no other run is called better than this one")
    return table


def _group_of(part: pd.DataFrame) -> str | None:
    """Return the group of topics that these rows are about; None without groups."""
    group = part["group"].iloc[0]
    return None if group != group else group  # NaN is not itself


def _of_group(part: pd.DataFrame, board: Leaderboard, top: int | None) -> Table:
    measures = list(dict.fromkeys(part["measure"]))
    runs = part.loc[part["measure"] == measures[0], "run"].tolist()
    group = _group_of(part)
    lower = [name for name in measures if not higher_is_better(name)]
    cells: dict[str, list[Cell]] = {run: [] for run in runs}
    lettered, marked = False, False
    for measure in measures:
        rows = part[part["measure"] == measure].set_index("run")
        best = rows["place"].idxmin()
        letters = rows["letters"].fillna("")
        lettered |= bool((letters != "").any())
        differs = set() if (letters != "").any() else _different_from(best, measure, group, board)
        marked |= bool(differs)
        for run in runs:
            row = rows.loc[run]
            is_best = bool(row["place"] == 1) and len(runs) > 1
            cells[run].append(Cell(row["mean"], is_best, run in differs, letters[run]))
    shown = runs if top is None else runs[:top]
    columns = [Column("run", left=True)]
    columns += [Column(name, rounded(), lower=name in lower) for name in measures]
    of_group = "" if group is None else f" of {group}"
    which = f"Means of {len(runs):,} runs"
    if len(shown) < len(runs):
        which = f"The best {len(shown):,} of {len(runs):,} runs"
    sentences = [f"{which} over {board.n_topics[group]:,} topics{of_group}", "Best means are bold"]
    if lettered:
        sentences.append("In a column, runs that share a letter are not shown to differ")
    if marked:
        sentences.append("†: differs from the best run of the column")
    if board.test:
        sentences.append(f"Test: {board.test}")
    caption = ". ".join(sentences) + "."
    title = "\n".join(board.sentences[measure, group] for measure in measures)
    rows = [[run, *cells[run]] for run in shown]
    return Table(columns, rows, title, board.notes, caption=caption)


def _different_from(best: str, measure: str, group: str | None, board: Leaderboard) -> set[str]:
    """Find the runs that are shown to differ from the best one."""
    pairs = board.different_pairs()
    pairs = pairs[pairs["measure"] == measure]
    pairs = pairs[pairs["group"].isna() if group is None else pairs["group"] == group]
    return {*pairs.loc[pairs["a"] == best, "b"], *pairs.loc[pairs["b"] == best, "a"]}
