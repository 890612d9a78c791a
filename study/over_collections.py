"""How often tests and intervals over several collections are wrong: simulations of
docs/many-collections.md.

    python -m study.over_collections DATA    # DATA/trec-covid-r3, ...; five minutes
    python -m study.over_collections_page    # write the page from the stored results

A population is a pair of real runs on one collection: its differences by topic, which are drawn
with replacement. An experiment has `COUNTS` collections of unequal size (`SIZES`), each a
population of its own, so topics are nested in collections.

    fixed    the populations of an experiment are the collections that matter; the truth is the mean
             of their means
    sample   the populations stand for others like them: they are drawn anew for each experiment,
             and the truth is the mean of all populations

For the error the truth is a mean of zero. Where collections are fixed, each population gets weights
of topics under which its two runs are equal (see `study.error_rates`), so values keep their form.
Where they are a sample, each population is turned round with probability one half.

Nothing was chosen on any of these results: the method is as the page describes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

import irpref_lab
from irpref.kernel.segments import Floats
from irpref_lab.across import strata
from study.error_rates import CONFIRMATION, MEASURES, TUNING, equal_weights, generator

HERE = Path(__file__).parent
RESULTS = HERE / "over-collections.json"
COUNTS = (3, 8, 15)
SIZES = (5, 20, 100, 10, 50, 400, 30, 1000)  # topics; further collections begin again
EXPERIMENTS, POPULATIONS = 4000, 60  # of a cell; of a collection and measure
LEVEL = 0.95

Cell = dict[str, Any]
Population = tuple[Floats, Floats]  # differences by topic, and chances under which runs are equal


def populations(values: Floats, draw: np.random.Generator) -> Iterator[Population]:
    """Draw pairs of real runs that differ, and can be made equal by weights of topics."""
    made = 0
    for _ in range(100 * POPULATIONS):
        pair = draw.choice(len(values), 2, replace=False)
        d = values[pair[0]] - values[pair[1]]
        chances = equal_weights(values[pair]) if np.count_nonzero(d) >= 5 else None
        if chances is None:
            continue
        yield np.where(np.abs(d) <= 1e-12, 0.0, d), chances
        made += 1
        if made == POPULATIONS:
            return


def cell(every: list[Population], k: int, world: str, draw: np.random.Generator) -> Cell:
    """Simulate experiments with k collections."""
    sizes = [SIZES[i % len(SIZES)] for i in range(k)]
    wrong = {"error_topics": 0, "error_collections": 0, "miss_topics": 0, "miss_collections": 0}
    grand = float(np.mean([d.mean() for d, _ in every]))
    for _ in range(EXPERIMENTS):
        chosen = [every[i] for i in draw.choice(len(every), k, replace=False)]
        drawn = [d[draw.integers(0, d.size, n)] for (d, _), n in zip(chosen, sizes, strict=True)]
        if world == "fixed":
            truth = float(np.mean([d.mean() for d, _ in chosen]))
            null = [
                draw.choice(d, n, p=chances) for (d, chances), n in zip(chosen, sizes, strict=True)
            ]
        else:
            truth = grand
            turned = draw.choice([-1.0, 1.0], k)
            null = [sign * part for sign, part in zip(turned, drawn, strict=True)]
        for over in strata.METHODS:
            wrong[f"error_{over}"] += bool(strata.p_values(null, over) <= 1 - LEVEL)
            low, high = strata.intervals(drawn, LEVEL, over)
            wrong[f"miss_{over}"] += bool(not low <= truth <= high)
    if k < strata.FEWEST:
        wrong["error_collections"] = wrong["miss_collections"] = None  # type: ignore[assignment]
    return {
        name: None if count is None else round(count / EXPERIMENTS, 5)
        for name, count in wrong.items()
    }


def compute(data: Path) -> None:
    """Evaluate the runs, simulate, and store the results."""
    of: dict[str, list[Population]] = {measure: [] for measure in MEASURES}
    for name in (*TUNING, *CONFIRMATION):
        (qrels,) = (data / name / "qrels").iterdir()
        runs = sorted(map(str, (data / name / "runs").iterdir()))
        measured = irpref_lab.meta.topic_values(MEASURES, str(qrels), runs)
        for measure, table in measured.items():
            of[measure] += populations(table.matrix, generator("populations", name, measure))
    cells = []
    for measure, every in of.items():
        for world in ("fixed", "sample"):
            for k in COUNTS:
                draw = generator("over", measure, world, k)
                found = cell(every, k, world, draw)
                cells.append({"measure": measure, "collections": k, "world": world, **found})
                print(cells[-1], flush=True)
    stored = {"experiments": EXPERIMENTS, "populations": len(of[MEASURES[0]]), "cells": cells}
    text = json.dumps(stored, indent=0)
    RESULTS.write_text(text.replace(',\n"', ', "') + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    compute(Path(sys.argv[1]))
