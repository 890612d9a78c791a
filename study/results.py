"""The stored results of `run`, read: estimates, standard errors and verdicts."""

from __future__ import annotations

import copy
import csv
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from irpref_lab.meta.outcomes import LEAST_TEAMS
from study.claims import (
    BINARY,
    GRADED,
    HYPOTHESES,
    MOSTLY_GRADED,
    SEEN,
    Hypothesis,
    Verdict,
    unit,
    units,
    verdicts,
)

TITLES = {
    "cast2021": "TREC CAsT 2021",
    "clef-ehealth-2018": "CLEF eHealth 2018",
    "dl19-passage": "TREC DL 2019",
    "dl20-passage": "TREC DL 2020",
    "robust03": "TREC Robust 2003",
    "trec-covid-r1": "TREC-COVID round 1",
    "trec-covid-r3": "TREC-COVID round 3",
}


class Results:
    """All collections of a folder, in the order of their names.

    Attributes
    ----------
    names : all collections
    counted : collections that the claims rest on, of at least six teams (all if there are none):
        with fewer, a collection says nothing about other systems
    about : facts about each, see `study.run`
    """

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob("*.json"))
        if not files:
            raise ValueError(
                f"{folder} has no results: compute them with `python -m study FOLDER...`"
            )
        self.about: dict[str, dict[str, Any]] = {
            path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files
        }
        self.names = list(self.about)
        teams = {name: about["teams"] for name, about in self.about.items()}
        self.counted = [name for name in teams if teams[name] >= LEAST_TEAMS] or self.names
        self._found: dict[tuple[str, str, str, str], tuple[float, ...]] = {}
        for path in files:
            with open(path.with_suffix(".csv"), encoding="utf-8", newline="") as file:
                for loss, outcome, measure, *numbers in list(csv.reader(file))[1:]:
                    self._found[path.stem, loss, outcome, measure] = tuple(map(float, numbers))
        self.measures = list(dict.fromkeys(key[3] for key in self._found))
        # Tau by collection, loss and measure.
        self.imperfect: dict[tuple[str, str, str], float] = {}
        if (folder / "imperfect.csv").exists():
            with open(folder / "imperfect.csv", encoding="utf-8", newline="") as file:
                for name, loss, measure, tau in list(csv.reader(file))[1:]:
                    self.imperfect[name, loss, measure] = float(tau)

    @property
    def imperfect_measures(self) -> list[str]:
        """Measures whose ranking by imperfect judgments is known."""
        return list(dict.fromkeys(measure for _, _, measure in self.imperfect))

    def title(self, name: str) -> str:
        """Return the name of a collection on the page, or of all its rounds."""
        rounds = [title for key, title in TITLES.items() if unit(key) == name]
        return TITLES.get(name, rounds[0].rpartition(" round")[0] if rounds else name)

    @property
    def unseen(self) -> list[str]:
        """Collections that the hypotheses were written without."""
        return [name for name in self.names if name not in SEEN]

    def row(self, name: str, loss: str, outcome: str, measure: str) -> tuple[float, ...]:
        """Look up the estimate, its standard error, and both for the difference from bpref; NaN
        where there are none.
        """
        return self._found.get((name, loss, outcome, measure), (float("nan"),) * 4)

    def estimate(self, name: str, loss: str, outcome: str, measure: str) -> float:
        """Look up an outcome in a collection."""
        return self.row(name, loss, outcome, measure)[0]

    def mean(self, loss: str, outcome: str, measure: str, less: bool = False) -> float:
        """Mean over collections, rounds of one counted once; with `less`, of the difference from
        bpref.
        """
        by_name = {
            name: self.row(name, loss, outcome, measure)[2 if less else 0] for name in self.counted
        }
        estimates = units({name: x for name, x in by_name.items() if np.isfinite(x)})
        return float(np.mean(estimates)) if estimates else float("nan")

    def span(self, loss: str, outcome: str, measure: str) -> tuple[float, float]:
        """Find the smallest and the largest outcome of a collection."""
        estimates = [self.estimate(name, loss, outcome, measure) for name in self.counted]
        return float(np.nanmin(estimates)), float(np.nanmax(estimates))

    def claim(self, hypothesis: Hypothesis, names: Iterable[str] | None = None) -> dict[str, float]:
        """Map each collection that has an estimate of a hypothesis to it."""
        chosen = self.counted if names is None else names
        claims = {
            name: self.about[name]["claims"].get(hypothesis.name)
            for name in chosen
            if self.is_graded(name) or not hypothesis.graded
        }
        return {name: claim[0] for name, claim in claims.items() if claim is not None}

    def is_graded(self, name: str) -> bool:
        """Test whether most topics have relevant documents of several grades."""
        about = self.about[name]
        return bool(about["graded_topics"] >= MOSTLY_GRADED * about["topics"])

    def without(self, left_out: str) -> Results:
        """Leave out a collection, all its rounds."""
        others = copy.copy(self)
        others.counted = [name for name in self.counted if unit(name) != left_out]
        return others

    def with_all(self) -> Results:
        """Return the results with every collection counted."""
        every = copy.copy(self)
        every.counted = self.names
        return every

    @property
    def units(self) -> list[str]:
        """Collections, rounds of one counted once."""
        return list(dict.fromkeys(map(unit, self.counted)))

    def worth_of_grades(self) -> dict[str, float]:
        """Compute how many times as many judgments the binary measures need to predict as well as
        their graded twins do with a tenth of the judgments: by graded collection, rounds averaged.
        """
        factors: dict[str, list[float]] = {}
        for name in filter(self.is_graded, self.counted):
            levels = (5, 10, 20, 50, 100)
            judged = [np.log(self.about[name]["judgments"][f"random {k}"]) for k in levels]
            binary = [self._prediction(name, k, BINARY) for k in levels]
            target = self._prediction(name, 10, GRADED)
            below = max((i for i, x in enumerate(binary) if x < target), default=-1)
            if below < 0 or below + 1 == len(levels):
                continue  # out of the range that was looked at
            share = (target - binary[below]) / (binary[below + 1] - binary[below])
            needed = judged[below] + share * (judged[below + 1] - judged[below])
            factors.setdefault(unit(name), []).append(float(needed - judged[1]))
        return {name: float(np.exp(np.mean(parts))) for name, parts in factors.items()}

    def _prediction(self, name: str, level: int, measures: Iterable[str]) -> float:
        rows = [self.estimate(name, f"random {level}", "prediction", m) for m in measures]
        return float(np.mean(rows))

    def within(self, name: str, hypothesis: Hypothesis) -> tuple[float, float, float] | None:
        """Estimate a hypothesis in a collection, with its 95 % interval over topics, teams and
        samples.
        """
        from scipy import stats

        about = self.about[name]
        estimate, error = about["claims"].get(hypothesis.name, (None, None))
        if error is None:
            return None
        freedom = (
            min(
                about["topics"],
                about["teams"] if about["teams"] >= LEAST_TEAMS else about["topics"],
            )
            - 1
        )
        half = float(stats.t.isf(0.025, freedom)) * error
        return estimate, estimate - half, estimate + half

    def verdicts(
        self, names: Iterable[str] | None = None, merged: bool = False, graded: bool = True
    ) -> list[Verdict]:
        """Reach the verdicts of the collections; `merged`: with the years of one track as one
        collection; `graded`: without collections that are not graded, where a hypothesis asks for
        it.
        """
        tables = {
            h.name: self.claim(h if graded else replace(h, graded=False), names) for h in HYPOTHESES
        }
        return verdicts(
            {
                h: {_track(n) if merged else n: x for n, x in by_name.items()}
                for h, by_name in tables.items()
            }
        )

    def predicted(self, hypothesis: Hypothesis) -> tuple[float, float]:
        """Compute the 95 % prediction interval for one more collection, from the collections
        already seen.
        """
        from scipy import stats

        estimates = units(self.claim(hypothesis, [name for name in self.names if name in SEEN]))
        k = len(estimates)
        if k < 3:
            return float("nan"), float("nan")
        half = float(stats.t.isf(0.025, k - 1) * np.std(estimates, ddof=1) * np.sqrt(1 + 1 / k))
        return float(np.mean(estimates)) - half, float(np.mean(estimates)) + half

    def is_predicted(self, hypothesis: Hypothesis) -> dict[str, bool]:
        """Test whether the estimate of each unseen collection lies in the prediction interval."""
        low, high = self.predicted(hypothesis)
        new = self.claim(hypothesis, self.unseen)
        return {name: low <= x <= high for name, x in new.items()}


def _track(name: str) -> str:
    """Name the years of TREC DL as rounds of one collection."""
    return f"dl-r{name[2:4]}" if name in ("dl19-passage", "dl20-passage") else name
