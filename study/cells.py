"""Outcomes of one loss at one level (a cell), kept in a file so that an interrupted study goes on where it was."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from irpref.arrays.segments import Floats
from irpref.formats.replace import replaced
from study import outcomes
from study.data import Collection, Setting
from study.engine import labels_for, values_of
from study.losses import LEVELS, PRIMARY, Loss, halves
from study.measures import LABELS, RESIDUAL

# Modules that the results depend on; a change in one of them makes cells stale.
_CODE = ("data", "losses", "measures", "engine", "outcomes", "cells")
POWER_OF = tuple(label for label in LABELS if label != "retrieved")


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
        none = cell.loss == "none"
        n = plan.samples if none else loss.n_samples
        half = halves(n, setting.n_topics, plan.seed)
        labels = labels_for(cell.loss)
        boot = None
        if plan.replicates:
            boot = outcomes.Bootstrap(setting.n_topics, setting.team, n, plan.replicates, plan.seed)
        samples: dict[str, list[Floats]] = {}
        replicates: dict[str, list[Floats]] = {}
        ap, ndcg = full["AP"], full["nDCG@10"]
        for label in labels:
            of, whole = values[label], full[label]
            told: dict[str, Floats] = {"value": of.mean(axis=(1, 2))}
            drawn: dict[str, Floats] = {}
            shown = np.broadcast_to(of, (n, *of.shape[1:])) if none else of
            told["prediction_ndcg10"] = outcomes.prediction(shown, ndcg, half)
            told["prediction_ap"] = outcomes.prediction(shown, ap, half)
            told["prediction"] = (told["prediction_ndcg10"] + told["prediction_ap"]) / 2
            if boot is not None:
                sides = (boot.prediction(of, side, half) for side in (ndcg, ap))
                drawn["prediction"] = sum(sides) / 2  # type: ignore[assignment]
            strength = outcomes.power(of, whole)
            told["power"] = strength.power
            if none:
                if boot is not None:
                    drawn["tau_recall"] = boot.tau(of, full["recall"])
                told["tau_recall"] = outcomes.taus(outcomes.means(whole), outcomes.means(full["recall"]))
            else:
                told["kept"], told["wrong"] = strength.kept, strength.wrong
                before, now = outcomes.means(whole), outcomes.means(of)
                told["tau"] = outcomes.taus(now, before)
                told["tau_ap"] = outcomes.taus_ap(now, before)
                told["stability"] = outcomes.stability(of, whole)
                if boot is not None:
                    drawn["tau"] = boot.tau(of, whole)
            if cell.loss == "random":
                told["tau_full_ap"] = outcomes.taus(outcomes.means(of), outcomes.means(ap))
                if boot is not None:
                    drawn["tau_full_ap"] = boot.tau(of, ap)
                    if cell.primary:
                        drawn["power"] = boot.power(of)
            if loss.pooled is not None:
                change = outcomes.bias(of, whole, loss.pooled)
                told["bias_value"], told["bias_place"] = change.value, change.place
                told["bias_value_pooled"], told["bias_place_pooled"] = change.value_pooled, change.place_pooled
                if boot is not None:
                    draw = boot.bias_left_out if cell.loss == "team" else boot.bias
                    drawn["bias_value"] = draw(of, whole, loss.pooled)
            for into, new in ((samples, told), (replicates, drawn)):
                for name, row in new.items():
                    into.setdefault(name, []).append(row)
        return Found(
            labels,
            {name: np.array(rows) for name, rows in samples.items()},
            {name: np.array(rows) for name, rows in replicates.items()},
            left,
            time.process_time() - began,
        )


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
