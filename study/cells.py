"""Outcomes of one loss at one level (a cell), kept in a file so that an interrupted study goes on where it was."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from irpref.arrays.segments import Bools, Floats
from irpref.formats.replace import replaced
from study import outcomes
from study.data import Collection, Setting
from study.engine import labels_for, values_of
from study.hypotheses import HYPOTHESES
from study.losses import LEVELS, PRIMARY, Loss, halves
from study.measures import RESIDUAL

# Modules that the results depend on; a change in one of them makes cells stale.
_CODE = ("data", "losses", "measures", "engine", "outcomes", "hypotheses", "cells")
MEANS = 5  # samples that a replicate averages over at the primary levels, beside the one that was planned
# Measures whose power a hypothesis is about.
POWER_OF = {label for of in HYPOTHESES for c in of.claims if c.outcome == "power" for label in (c.a, c.b)}


@dataclass(frozen=True)
class Plan:
    """What is drawn, and how often.

    Attributes
    ----------
    replicates : of the bootstrap; 0 for none
    """

    samples: int
    seed: int
    replicates: int


@dataclass(frozen=True, order=True)
class Cell:
    """A loss at a level, at a depth."""

    depth: int
    loss: str
    level: int

    @property
    def primary(self) -> bool:
        return PRIMARY[self.loss] == self.level

    @property
    def file(self) -> str:
        return f"{self.depth}-{self.loss}-{self.level}.npz"


@dataclass(frozen=True)
class Found:
    """What a cell has found.

    Attributes
    ----------
    samples : outcome to float array (n_labels, n_samples), labels as in `labels`
    replicates : outcome to float array (n_labels, n_replicates)
        Of one sample each, as planned; under `mean ...` of the mean over `MEANS` samples, NaN where there is none.
    left : what is left of the judgments, see `engine.values_of`; and the mean residual of RBP
    """

    labels: list[str]
    samples: dict[str, Floats]
    replicates: dict[str, Floats]
    left: dict[str, float]
    seconds: float


def cells_of(depths: list[int], one_team: bool) -> list[Cell]:
    """All cells, in the order in which they are computed; pools of teams need more than one team."""
    return [
        Cell(depth, loss, level)
        for depth in depths
        for loss, levels in LEVELS.items()
        for level in levels
        if not (one_team and loss in ("shallow", "team"))
    ]


def key_of(collection: Collection, plan: Plan, cell: Cell) -> str:
    """Of everything that a cell's results depend on."""
    code = [
        hashlib.blake2b((Path(__file__).parent / f"{name}.py").read_bytes(), digest_size=8).hexdigest()
        for name in _CODE
    ]
    parts = [collection.hash, plan.samples, plan.seed, plan.replicates, cell.file, version("irpref"), version("numpy")]
    return hashlib.blake2b(repr([*parts, *code]).encode(), digest_size=12).hexdigest()


class Study:
    """A collection with its settings, and the values by all judgments, made when they are first needed."""

    def __init__(self, collection: Collection, plan: Plan) -> None:
        self.collection, self.plan = collection, plan
        self.setting = lru_cache(maxsize=1)(self._setting)
        self.full = lru_cache(maxsize=1)(self._full)

    def _setting(self, depth: int) -> Setting:
        return self.collection.setting(depth)

    def _full(self, depth: int) -> dict[str, Any]:
        values, _ = values_of(Loss(self.setting(depth), "none", 0, 1, self.plan.seed))
        return {label: of[0] for label, of in values.items()}

    def compute(self, cell: Cell) -> Found:
        """All outcomes of a cell."""
        began = time.process_time()
        setting, full, plan = self.setting(cell.depth), self.full(cell.depth), self.plan
        loss = Loss(setting, cell.loss, cell.level, plan.samples, plan.seed)
        values, left = values_of(loss)
        left["residual"] = float(values[RESIDUAL].mean())
        n = plan.samples if cell.loss == "none" else loss.n_samples
        half = halves(n, setting.n_topics, plan.seed)
        labels = labels_for(cell.loss)
        boots: list[outcomes.Bootstrap] = []
        if plan.replicates:
            boots.append(outcomes.Bootstrap(setting.n_topics, setting.team, n, plan.replicates, plan.seed))
            if cell.primary and cell.loss != "team":
                boots += _shifted(boots[0], n)
        samples: dict[str, list[Floats]] = {}
        replicates: dict[str, list[Floats]] = {}
        for label in labels:
            case = _Case(cell, label, values[label], full, half, loss.pooled)
            for name, row in case.by_sample().items():
                samples.setdefault(name, []).append(row)
            if boots:
                drawn = [case.replicates(boot, k == 0) for k, boot in enumerate(boots)]
                for name, row in drawn[0].items():
                    replicates.setdefault(name, []).append(row)
                    rows = [of[name] for of in drawn if name in of]
                    mean = np.mean(rows, axis=0) if len(rows) > 1 else np.full(row.shape, np.nan)
                    replicates.setdefault(f"mean {name}", []).append(mean)
        return Found(
            labels,
            {name: np.array(rows) for name, rows in samples.items()},
            {name: np.array(rows) for name, rows in replicates.items() if np.isfinite(rows).any()},
            left,
            time.process_time() - began,
        )


def _shifted(boot: outcomes.Bootstrap, n_samples: int) -> list[outcomes.Bootstrap]:
    """The same topics and teams with other samples, for means over `MEANS` samples a replicate."""
    more = []
    for k in range(1, min(MEANS, n_samples)):
        other = copy(boot)
        other.sample = (boot.sample + k * max(n_samples // MEANS, 1)) % n_samples
        more.append(other)
    return more


@dataclass(frozen=True)
class _Case:
    """A measure in a cell: values (n_samples, n_systems, n_topics), those by all judgments, halves, who was pooled."""

    cell: Cell
    label: str
    values: Floats
    full: dict[str, Any]
    half: Bools
    pooled: Bools | None

    def by_sample(self) -> dict[str, Floats]:
        """Outcomes of each sample."""
        of, whole, half = self.values, self.full[self.label], self.half
        told: dict[str, Floats] = {"value": of.mean(axis=(1, 2))}
        shown = np.broadcast_to(of, (len(half), *of.shape[1:])) if len(of) == 1 else of
        told["prediction_ndcg10"] = outcomes.prediction(shown, self.full["nDCG@10"], half)
        told["prediction_ap"] = outcomes.prediction(shown, self.full["AP"], half)
        told["prediction"] = (told["prediction_ndcg10"] + told["prediction_ap"]) / 2
        strength = outcomes.power(of, whole)
        told["power"] = strength.power
        before, now = outcomes.means(whole), outcomes.means(of)
        if self.cell.loss == "none":
            told["tau_recall"] = outcomes.taus(now, outcomes.means(self.full["recall"]))
            return told
        told["kept"], told["wrong"] = strength.kept, strength.wrong
        told["tau"] = outcomes.taus(now, before)
        told["tau_ap"] = outcomes.taus_ap(now, before)
        told["stability"] = outcomes.stability(of, whole)
        if self.cell.loss == "random":
            told["tau_full_ap"] = outcomes.taus(now, outcomes.means(self.full["AP"]))
        if self.pooled is not None:
            change = outcomes.bias(of, whole, self.pooled)
            told["bias_value"], told["bias_place"] = change.value, change.place
            told["bias_value_pooled"], told["bias_place_pooled"] = change.value_pooled, change.place_pooled
        return told

    def replicates(self, boot: outcomes.Bootstrap, first: bool) -> dict[str, Floats]:
        """Replicates of the outcomes that intervals are made for; `first`: with those that take long."""
        of, whole = self.values, self.full[self.label]
        sides = [boot.prediction(of, self.full[side], self.half) for side in ("nDCG@10", "AP")]
        drawn: dict[str, Floats] = {"prediction": (sides[0] + sides[1]) / 2}
        if self.cell.loss == "none":
            drawn["tau_recall"] = boot.tau(of, self.full["recall"])
            return drawn
        drawn["tau"] = boot.tau(of, whole)
        if self.cell.loss == "random":
            drawn["tau_full_ap"] = boot.tau(of, self.full["AP"])
            if self.cell.primary and (first or self.label in POWER_OF):
                drawn["power"] = boot.power(of)
        if self.pooled is not None:
            draw = boot.bias_left_out if self.cell.loss == "team" else boot.bias
            drawn["bias_value"] = draw(of, whole, self.pooled)
        return drawn


def write(path: Path, key: str, found: Found) -> None:
    """Keep a cell: the file is there whole or not at all."""
    head = json.dumps({"key": key, "labels": found.labels, "left": found.left, "seconds": found.seconds})
    arrays: dict[str, Any] = {f"samples {name}": of for name, of in found.samples.items()}
    arrays |= {f"replicates {name}": of for name, of in found.replicates.items()}
    with replaced(path) as beside, open(beside, "wb") as file:
        np.savez(file, head=np.array(head), **arrays)


def read(path: Path, key: str) -> Found | None:
    """A cell that was kept; None where there is none, or one of other inputs."""
    if not path.exists():
        return None
    try:
        with np.load(path) as file:
            head = json.loads(str(file["head"]))
            if head["key"] != key:
                return None
            parts: Mapping[str, dict[str, Floats]] = {"samples": {}, "replicates": {}}
            for name in file.files:
                kind, _, outcome = name.partition(" ")
                if outcome:
                    parts[kind][outcome] = file[name]
    except (OSError, ValueError, KeyError):
        return None
    return Found(head["labels"], parts["samples"], parts["replicates"], head["left"], head["seconds"])


_worker: Study | None = None


def start_worker(collection: Collection, plan: Plan) -> None:
    """What a process has at hand for all its cells."""
    global _worker
    warnings.simplefilter("ignore", RuntimeWarning)
    _worker = Study(collection, plan)


def run_cell(cell: Cell, folder: str) -> Cell:
    """Compute a cell and keep it."""
    assert _worker is not None
    write(Path(folder) / cell.file, key_of(_worker.collection, _worker.plan, cell), _worker.compute(cell))
    return cell
