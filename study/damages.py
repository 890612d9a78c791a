"""Ask the codes that stop verdicts about submitted runs as they are, and damaged.

    IRPREF_DATA=FOLDER python -m study.damages [CODE...]     # all of `DAMAGES` if none is named

Each code is asked about all pairs of the submitted runs of a collection, in both orders, and then
with a damaged baseline: `DAMAGED` runs of each collection, drawn with a fixed seed, beside each
other run. The table that is printed has, by code and damage: collections, pairs as they are and how
many the code stops, pairs with a damaged baseline and how many it finds. A damaged run without a
judged document is in no pair: verdicts refuse it. Nothing of the runs is stored."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pandas as pd

import irpref
from irpref.data.columns import as_objects
from irpref.judged import Judgments, Run
from irpref.measures.names import parse_all
from irpref.observed import CODES, MISSING, Evidence, Gatherer, System
from irpref.observed.finding import Code, View

MEASURE, SEED, DAMAGED = "nDCG@10", 49, 10
Damage = Callable[[pd.DataFrame, pd.DataFrame, np.random.Generator], pd.DataFrame]


# Damages ------------------------------------------------------------------------------------------
# Each takes the rows of a run, those of another one, and a source of chance.


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
}
GRADES = {"grades-reversed": "grades turned round"}  # damage of the judgments


# Asking -------------------------------------------------------------------------------------------


@dataclass
class Count:
    """Pairs that were asked about, and how many of these a code stops."""

    pairs: int = 0
    stopped: int = 0
    collections: int = 0

    def ask(self, code: Code, facts: Evidence, pairs: Iterator[tuple[int, int]]) -> None:
        """Ask about pairs of baseline and candidate."""
        (measure,) = facts.measures
        self.collections += 1
        for run, other in pairs:
            view = View(facts, facts.everything, run, other, measure, MEASURE, MISSING, 0.02)
            self.pairs += 1
            self.stopped += code.against_verdict(view) is not None


def collections() -> Iterator[tuple[str, Judgments, list[Path]]]:
    """Yield name, judgments and files of runs of each collection with two runs or more."""
    for home in sorted(Path(os.environ["IRPREF_DATA"]).iterdir()):
        files = sorted((home / "runs").iterdir()) if (home / "runs").is_dir() else []
        qrels = sorted((home / "qrels").glob("*.gz")) if files else []
        if len(files) > 1 and len(qrels) == 1:
            yield home.name, irpref.judgments(str(qrels[0])), files


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


def systems_of(gatherer: Gatherer, runs: dict[str, Run]) -> list[System]:
    """Evaluate and observe runs; those without a judged document are no pairs."""
    every = [gatherer.system(name, [run], keep=True) for name, run in runs.items()]
    return [system for system in every if not system.is_absent]


def pairs_of(n: int) -> Iterator[tuple[int, int]]:
    """Yield all pairs in both orders."""
    return ((a, b) for a in range(n) for b in range(n) if a != b)


def reversed_grades(qrels: Judgments) -> Judgments:
    """Turn the grades of judgments round."""
    rows = qrels.frame()
    ends = rows["relevance"].clip(lower=0)
    return irpref.judgments(rows.assign(relevance=ends.max() + ends.min() - ends))


def compute(names: list[str]) -> pd.DataFrame:
    """Ask the codes of these names about all collections."""
    codes = {code.name: code for code in CODES if code.name in names}
    undamaged = {name: Count() for name in codes}
    damaged: dict[tuple[str, str], Count] = {}
    for name, qrels, files in collections():
        rng = np.random.default_rng(SEED)
        runs = {path.name: irpref.run(str(path)) for path in files}
        gatherer = Gatherer(parse_all([MEASURE]), qrels)
        facts = gatherer.evidence(systems_of(gatherer, runs))
        n, kept = len(facts.systems), {system.name: system.runs[0] for system in facts.systems}
        chosen = rng.choice(n, min(DAMAGED, n), replace=False).tolist()
        some = [facts.systems[number].name for number in chosen]
        for code_name, code in codes.items():
            undamaged[code_name].ask(code, facts, pairs_of(n))
            for what, damage in DAMAGES.get(code_name, {}).items():
                made = {}
                for run in some:
                    other = next(each for each in kept if each != run)
                    rows = damage(rows_of(kept[run]), rows_of(kept[other]), rng)
                    made["damaged " + run] = irpref.run(rows)
                found = systems_of(gatherer, made)
                both = replace(facts, systems=[*facts.systems, *found])
                pairs = ((n + a, b) for a in range(len(found)) for b in range(n))
                different = (
                    (a, b)
                    for a, b in pairs
                    if both.systems[a].name != "damaged " + both.systems[b].name
                )
                damaged.setdefault((code_name, what), Count()).ask(code, both, different)
            if code_name in GRADES:
                turned = Gatherer(parse_all([MEASURE]), reversed_grades(qrels))
                of_turned = turned.evidence(systems_of(turned, kept))
                count = damaged.setdefault((code_name, GRADES[code_name]), Count())
                count.ask(code, of_turned, pairs_of(len(of_turned.systems)))
        print(f"{name}: {n} runs", file=sys.stderr, flush=True)
    rows = [
        {
            "code": code_name,
            "damage": what,
            "collections": count.collections,
            "pairs": undamaged[code_name].pairs,
            "stopped": undamaged[code_name].stopped,
            "damaged": count.pairs,
            "found": count.stopped,
        }
        for (code_name, what), count in damaged.items()
    ]
    return pd.DataFrame(rows)


def main() -> None:
    """Print the table."""
    names = sys.argv[1:] or [*DAMAGES, *GRADES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = compute(names)
    lines = [" | ".join(map(str, row)) for row in table.itertuples(index=False)]
    print("| " + " | ".join(table.columns) + " |\n|" + "---|" * len(table.columns))
    print("\n".join(f"| {line} |" for line in lines))


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    main()
