"""Imperfect judgments, exploratory: `python -m study.imperfect FOLDER...` writes
results/imperfect.csv.

No hypothesis of the preregistration is about them. A row for each collection, loss and measure:
Kendall's tau-b between the ranking of the runs with imperfect judgments and the measure's own
ranking with the judgments as they are, mean of the samples. Losses: half of the documents are no
longer in the collection; one grade in five is changed to a neighbouring one; each topic has the
grades of one of several language models (where FOLDER/../llm-judges has some)."""

from __future__ import annotations

import csv
import sys
import warnings
from pathlib import Path
from runpy import run_path
from typing import Any

from irpref.data.replace import replaced
from irpref_lab.meta import incompleteness
from study.data import Collection, read
from study.measures import measures
from study.run import SEED

SAMPLES = 10
LOSSES = (("documents", 50), ("flip", 80), ("judges", 0))
SHOWN = (
    *("AP", "Q", "nDCG", "nDCG@10", "RBP", "AP'", "Q'", "nDCG'"),
    *("bpref", "rpref absolute", "rpref relative", "rpref relative2"),
)
RESULTS = Path(__file__).parent / "results" / "imperfect.csv"


def compute(collection: Collection, judges: list[Path]) -> list[tuple[Any, ...]]:
    """Compute the rows of one collection: collection, loss, measure, tau."""
    grades = sorted(collection.qrels["relevance"].unique().tolist())
    every = measures([float(grade) for grade in grades], collection.rel)
    rows = []
    for loss, level in LOSSES:
        if loss == "judges" and not judges:
            continue
        more: dict[str, Any] = {"judges": list(map(str, judges))} if loss == "judges" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = incompleteness(
                [every[name] for name in SHOWN],
                collection.qrels,
                collection.runs,
                loss=loss,
                levels=(level,),
                n_samples=SAMPLES,
                rng=SEED,
                rel=collection.rel,
                **more,
            )
        names = dict(zip(result.measures, SHOWN, strict=True))
        table = result.table()
        for row in table[table["level"] == level].itertuples():
            rows.append((collection.name, f"{loss} {level}", names[row.measure], f"{row.tau:.5g}"))
    return rows


def judges_of(folder: Path) -> list[Path]:
    """List the grades of language models for the documents of a collection."""
    home = folder.parent / "llm-judges" / folder.name.partition("-")[0]
    return sorted(home.glob("*.gz")) if home.is_dir() else []


def main(folders: list[str]) -> None:
    """Write the table."""
    rows = [
        row
        for folder in map(Path, folders)
        for row in compute(read(folder), judges_of(folder.resolve()))
    ]
    with (
        replaced(RESULTS) as beside,
        open(beside, "w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file, lineterminator="\n").writerows(
            [("collection", "loss", "measure", "tau"), *rows]
        )


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    main(sys.argv[1:])
