"""One collection of the study, computed: `results/NAME.csv` and `results/NAME.json`.

The CSV has a row for each loss, outcome and measure: estimate and standard error, and both for the
difference from bpref. The JSON has facts about the collection, the estimate and standard error of
every hypothesis, and the judgments that measures need to predict as well as nDCG' does with a
tenth."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from irpref.data.replace import replaced
from irpref_lab.meta.robustness import Robustness, robustness
from study.claims import HYPOTHESES
from study.data import CUTOFF, Collection
from study.measures import measures

SEED, SAMPLES = 28, 30
LEVELS = (50, 20, 10, 5)
DEPTHS = (3, 10, 30, 100)
REFERENCE = "bpref"
COLUMNS = ("loss", "outcome", "measure", "estimate", "error", "less", "less_error")


def compute(
    collection: Collection, n_samples: int = SAMPLES
) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    """Compute the rows of the CSV, and the JSON."""
    grades = sorted(collection.qrels["relevance"].unique().tolist())
    options: dict[str, Any] = {
        "n_samples": n_samples,
        "rel": collection.rel,
        "cutoff": CUTOFF,
        "rng": SEED,
    }
    options["teams"] = collection.teams
    measures_of_study = measures([float(g) for g in grades], collection.rel)
    rows: list[tuple[Any, ...]] = []
    claims: dict[str, list[float | None]] = {}
    left: dict[str, float] = {}
    needed: dict[str, list[float | None]] = {}
    teams = len(set(collection.teams.values()))
    for loss, level, depth in [("random", 0, 10), *(("pools", 50, k) for k in DEPTHS if teams > 1)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            levels = LEVELS if loss == "random" else (level,)
            result = robustness(
                measures_of_study,
                collection.qrels,
                collection.runs,
                loss=loss,
                levels=levels,
                depth=depth,
                **options,
            )
        for here, outcome in result.outcomes:
            if here == 100 and loss == "pools":
                continue
            name = f"{loss} {depth if loss == 'pools' else f'{here:g}'}"
            left[name] = result.judgments[here]
            rows += _rows(result, here, outcome, name)
            for h in HYPOTHESES:
                if (h.loss, h.outcome) == (name, outcome):
                    numbers = result.number(here, outcome, h.estimand)
                    if np.isfinite(numbers[0]):  # a ratio by 0 is no number
                        claims[h.name] = [
                            float(f"{x:.5g}") if np.isfinite(x) else None for x in numbers
                        ]
        if loss == "random":
            needed = _needed(result)
    counts = collection.qrels["relevance"].value_counts().sort_index()
    about = {
        "collection": collection.name,
        "rel": collection.rel,
        "runs": len(collection.runs),
        "teams": teams,
        "teams_from": collection.source,
        "topics": int(collection.qrels["query_id"].nunique()),
        "graded_topics": graded_topics(collection),
        "grades": {f"{grade:g}": int(n) for grade, n in counts.items()},
        "judgments": {name: round(n, 1) for name, n in left.items()},
        "samples": n_samples,
        "seed": SEED,
        "versions": {name: version(name) for name in ("irpref", "numpy", "scipy")},
        "claims": claims,
        "needed": needed,
    }
    return rows, about


def graded_topics(collection: Collection) -> int:
    """Count the topics with relevant documents of several grades."""
    relevant = collection.qrels[collection.qrels["relevance"] > 0]
    return int((relevant.groupby("query_id")["relevance"].nunique() > 1).sum())


def _rows(result: Robustness, level: float, outcome: str, name: str) -> list[tuple[Any, ...]]:
    rows = []
    for measure in result.measures:
        numbers = [*result.number(level, outcome, measure)]
        numbers += result.number(level, outcome, _less(measure))
        rows.append((name, outcome, measure, *(f"{x:.5g}" for x in numbers)))
    return rows


def _less(measure: str) -> Any:
    return lambda outcomes: outcomes[measure] - outcomes[REFERENCE]


def _needed(result: Robustness) -> dict[str, list[float | None]]:
    """Find the judgments, in per cent of all, with which measures predict as well as nDCG' does
    with 10 %.
    """
    every = result.judgments[100.0]
    out = {}
    for measure in result.measures:
        table = (
            result.judgments_needed(measure, "nDCG'")
            .set_index("level")
            .loc[10.0, ["needed", "low", "high"]]
        )
        out[measure] = [round(100 * x / every, 2) if np.isfinite(x) else None for x in table]
    return out


def write(folder: Path, rows: list[tuple[Any, ...]], about: Mapping[str, Any]) -> None:
    """Write both files of a collection."""
    folder.mkdir(parents=True, exist_ok=True)
    name = about["collection"]
    with (
        replaced(folder / f"{name}.csv") as beside,
        open(beside, "w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    with replaced(folder / f"{name}.json") as beside, open(beside, "w", encoding="utf-8") as file:
        file.write(json.dumps(about, indent=1, allow_nan=False) + "\n")
