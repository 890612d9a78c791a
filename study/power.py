"""Power of the design by simulation, from the earlier study: `python -m study.power`.

`earlier.csv` has the earlier estimate of every hypothesis in each of its five collections (rounds
averaged). A simulated study draws its collections from a normal distribution with the earlier mean
and a spread that is itself drawn from the evidence of five collections, and goes through the rule
of `claims`, Holm's procedure included."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path
from runpy import run_path

import numpy as np

from study.claims import HYPOTHESES, NO_EFFECT, OPEN, REFUTED, SUPPORTED, decide

STUDIES, SEED = 20000, 28
LOW = 0.8  # a hypothesis with less power may stay open


def earlier() -> np.ndarray:
    """Read the earlier estimates: (n_hypotheses, 5)."""
    with open(Path(__file__).parent / "earlier.csv", encoding="utf-8", newline="") as file:
        rows = {
            row.pop("hypothesis"): [float(x) for x in row.values()] for row in csv.DictReader(file)
        }
    return np.array([rows[h.name] for h in HYPOTHESES])


def simulate(k: int, mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Simulate studies of `k` collections: the share with each verdict, (n_hypotheses, 4)."""
    draw = np.random.default_rng([SEED, k])
    sd = spread[:, None] * np.sqrt(4 / draw.chisquare(4, (spread.size, STUDIES)))
    estimates = mean[:, None, None] + sd[:, None] * draw.normal(size=(mean.size, k, STUDIES))
    level, low, high, _ = decide(estimates)
    out = np.zeros((mean.size, 4))
    for i, h in enumerate(HYPOTHESES):
        verdicts = [
            h.read(a, b) if passed else OPEN
            for a, b, passed in zip(low[i], high[i], level[i], strict=True)
        ]
        out[i] = [verdicts.count(word) / STUDIES for word in (SUPPORTED, NO_EFFECT, REFUTED, OPEN)]
    return out


@lru_cache
def simulated(k: int) -> tuple[float, ...]:
    """Estimate the chance of any verdict with `k` collections, of each hypothesis, with the earlier
    means as the truth.
    """
    if k < 3:
        return (0.0,) * len(HYPOTHESES)
    known = earlier()
    shares = simulate(k, known.mean(axis=1), known.std(axis=1, ddof=1))
    return tuple((1 - shares[:, 3]).tolist())


def table() -> str:
    """Write the table of the preregistration, in Markdown."""
    known = earlier()
    mean, spread = known.mean(axis=1), known.std(axis=1, ddof=1)
    five, seven = simulate(5, mean, spread), simulate(7, mean, spread)
    rows = [
        "| | earlier mean (SD) | margin | any verdict, 5 collections | 7 collections "
        "| of these supported / no effect / refuted (7) |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for i, h in enumerate(HYPOTHESES):
        by = " / ".join(f"{x:.2f}" for x in seven[i, :3])
        rows.append(
            f"| {h.name} | {mean[i]:+.3f} ({spread[i]:.3f}) | {h.bound:.2f} | {1 - five[i, 3]:.2f} "
            f"| {1 - seven[i, 3]:.2f} | {by} |"
        )
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    print(table(), end="")
