"""Damages of runs and of judgments that a verdict should see: see `study.stopped`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import irpref
from irpref.data.columns import as_objects
from irpref.judged import Judgments, Run

Damage = Callable[[pd.DataFrame, pd.DataFrame, np.random.Generator], pd.DataFrame]


def rows_of(run: Run) -> pd.DataFrame:
    """Return the rows of a run in the order that is evaluated, with the ranks of its file."""
    rows = run.frame()
    rank = run.table.columns.get("rank")
    if rank is None:
        return rows.drop(columns="rank")
    names = ["query_id", "doc_id"]
    columns = {name: as_objects(getattr(run.table, name)) for name in names}
    given = pd.DataFrame({**columns, "rank": as_objects(rank)})
    given = given.drop_duplicates(names, keep="last")
    return rows.drop(columns="rank").merge(given, on=names, how="left")


# Runs ---------------------------------------------------------------------------------------------
# Each takes the rows of a run, the rows of another one, and a source of chance.


def _shifted(share: float) -> Damage:
    def damage(rows: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        topics = rows["query_id"].unique()
        moved = rng.permutation(topics)[: max(2, round(share * len(topics)))]
        names = dict(zip(moved, np.roll(moved, 1), strict=True))
        return rows.assign(query_id=rows["query_id"].map(lambda name: names.get(name, name)))

    return damage


def _renamed(change: Callable[[str], str], share: float = 1.0) -> Damage:
    def damage(rows: pd.DataFrame, other: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        changes = rng.random(len(rows)) < share
        docs = [change(d) if c else d for d, c in zip(rows["doc_id"], changes, strict=True)]
        return rows.assign(doc_id=docs)

    return damage


def _two_in_one(rows: pd.DataFrame, other: pd.DataFrame, rng: Any) -> pd.DataFrame:
    return pd.concat([rows, other], ignore_index=True)


def _without_first(rows: pd.DataFrame, other: pd.DataFrame, rng: Any) -> pd.DataFrame:
    return rows[rows.groupby("query_id").cumcount() > 1]


def _sorted_by_id(rows: pd.DataFrame, other: pd.DataFrame, rng: Any) -> pd.DataFrame:
    ordered = rows.sort_values(["query_id", "doc_id"], kind="stable")
    return ordered.assign(score=-np.arange(len(rows)) * 1.0).drop(columns="rank", errors="ignore")


def _turned(rows: pd.DataFrame, other: pd.DataFrame, rng: Any) -> pd.DataFrame:
    return rows.assign(score=-rows["score"])


def _coarse(levels: int) -> Damage:
    """Round the scores of each topic to so many levels, equally far apart."""

    def damage(rows: pd.DataFrame, other: pd.DataFrame, rng: Any) -> pd.DataFrame:
        by_topic = rows.groupby("query_id")["score"]
        low, high = by_topic.transform("min"), by_topic.transform("max")
        share = (rows["score"] - low) / (high - low).where(high > low, 1.0)
        return rows.assign(score=(share * (levels - 1)).round()).drop(columns="rank")

    return damage


DAMAGES: dict[str, dict[str, Damage]] = {
    "other-topic": {
        "all topics shifted": _shifted(1.0),
        "half of the topics shifted": _shifted(0.5),
        "a fifth of the topics shifted": _shifted(0.2),
    },
    "changed-ids": {
        "U+200B in all ids": _renamed(lambda doc: doc[:2] + "\u200b" + doc[2:]),
        "U+00AD in half of the ids": _renamed(lambda doc: doc[:2] + "\u00ad" + doc[2:], 0.5),
        "a '.' after half of the ids": _renamed(lambda doc: doc + ".", 0.5),
        "'x/' before half of the ids": _renamed(lambda doc: "x/" + doc, 0.5),
        "'.txt' after half of the ids": _renamed(lambda doc: doc + ".txt", 0.5),
        "the last character of all ids lost": _renamed(lambda doc: doc[:-1]),
        "the last character of half of the ids lost": _renamed(lambda doc: doc[:-1], 0.5),
    },
    "repeats": {"two runs in one file": _two_in_one},
    "ranks-begin-late": {"the first two rows of each topic lost": _without_first},
    "id-order": {"row numbers of sorted ids as scores": _sorted_by_id},
    "upside-down": {"scores turned round": _turned},
    "ties": {
        "scores rounded to 20 levels": _coarse(20),
        "scores rounded to 4 levels": _coarse(4),
    },
}


# Judgments ----------------------------------------------------------------------------------------


def reversed_grades(qrels: Judgments) -> Judgments:
    """Turn the grades of judgments round."""
    rows = qrels.frame()
    ends = rows["relevance"].clip(lower=0)
    return irpref.judgments(rows.assign(relevance=ends.max() + ends.min() - ends))


def swapped_columns(qrels: Judgments) -> Judgments:
    """Take the column before the document, which is 1 everywhere, for the grade."""
    rows = qrels.frame()[["query_id", "doc_id", "relevance"]]
    return irpref.judgments(rows.assign(iteration=rows["relevance"], relevance=1))


def relevant_only(qrels: Judgments, rng: np.random.Generator) -> Judgments:
    """Keep the relevant documents, all with grade 1; the column before the document has numbers
    that are no grades, such as assessors.
    """
    rows = qrels.frame()[["query_id", "doc_id", "relevance"]]
    rows = rows[rows["relevance"] > 0]
    return irpref.judgments(rows.assign(relevance=1, iteration=rng.integers(1, 5, len(rows))))


def partisan(qrels: Judgments, human: set[str], run: Run) -> Judgments:
    """Grade as humans do where they judged; elsewhere the first ten documents of one run get the
    highest grade, and all others 0.
    """
    rows = qrels.frame()[["query_id", "doc_id", "relevance"]]
    first = run.frame().groupby("query_id", sort=False).head(10)[["query_id", "doc_id"]]
    favoured = rows.merge(first.assign(favoured=True), how="left")["favoured"].notna()
    by_judge = np.where(favoured, float(rows["relevance"].max()), 0.0)
    of_human = rows["query_id"].isin(human)
    return irpref.judgments(rows.assign(relevance=np.where(of_human, rows["relevance"], by_judge)))
