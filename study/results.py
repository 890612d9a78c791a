"""The result files of a collection, written from its cells.

    settings.json     what was studied, and with which settings
    outcomes.csv      depth, loss, level, measure, outcome, mean, sd, min, max, n     over the samples
    intervals.csv     depth, loss, level, outcome, measure, estimate, low, high, mean_low, mean_high
    differences.csv   depth, loss, level, outcome, a, b, estimate, low, high, p, mean_low, mean_high, mean_p
                                                                                      a - b; b empty: of a itself
    samples.csv.gz    depth, loss, level, sample, measure, tau, prediction            at the primary depth
    teams.csv         depth, team, measure, bias_value, bias_place, n_runs            each team left out
    full.csv          depth, measure_a, measure_b, tau                                agreement with all judgments
    losses.csv        depth, loss, level, judgments, relevant, topics_lost, residual  what is left, means over samples
    timing.json       seconds of the processor by cell

Intervals are of the 95 % bootstrap over topics, teams and samples, one sample a replicate, as planned; `mean_...` at
the primary levels has the mean over `cells.MEANS` samples a replicate, which is nearer to what the estimate is.
Outcomes are those of the preregistration; beside them `value`, the mean value of all systems, `tau_full_ap`, tau with
AP by all judgments, `tau_recall`, the same with recall, `bias_size`, the bias without its sign, and `tau_deeper`, the
difference of two measures' tau at a deeper setting less that at the first.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from irpref.arrays.segments import Floats
from irpref.formats.replace import replaced
from study import outcomes
from study.cells import Cell, Found, Plan, Study
from study.data import PRIMARY as PRIMARY_DEPTH
from study.data import Collection
from study.hypotheses import HYPOTHESES
from study.losses import LEVELS, PRIMARY
from study.measures import FACTS, LABELS, REFERENCES

INTERVALS = ("tau", "prediction", "bias_value", "power", "tau_full_ap", "tau_recall")


def _text(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "" if not np.isfinite(value) else f"{value:.5g}"
    return str(value)


def table(path: Path, columns: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write a table, whole or not at all; the same rows give the same bytes."""
    text = "\n".join([columns, *(",".join(map(_text, row)) for row in rows)]) + "\n"
    data = text.encode()
    with replaced(path) as beside, open(beside, "wb") as file:
        file.write(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


def write_all(folder: Path, study: Study, cells: Mapping[Cell, Found]) -> None:
    """Write all files of a collection."""
    table(folder / "outcomes.csv", "depth,loss,level,measure,outcome,mean,sd,min,max,n", _outcomes(cells))
    table(
        folder / "intervals.csv",
        "depth,loss,level,outcome,measure,estimate,low,high,mean_low,mean_high",
        _intervals(cells),
    )
    table(
        folder / "differences.csv",
        "depth,loss,level,outcome,a,b,estimate,low,high,p,mean_low,mean_high,mean_p",
        _differences(cells),
    )
    table(folder / "samples.csv.gz", "depth,loss,level,sample,measure,tau,prediction", _samples(cells))
    table(folder / "teams.csv", "depth,team,measure,bias_value,bias_place,n_runs", _teams(study, cells))
    table(folder / "full.csv", "depth,measure_a,measure_b,tau", _full(study, cells))
    left = ("judgments", "relevant", "topics_lost", "residual")
    table(
        folder / "losses.csv",
        ",".join(["depth,loss,level", *left]),
        ((c.depth, c.loss, c.level, *(of.left[name] for name in left)) for c, of in cells.items()),
    )
    _json(folder / "settings.json", _settings(study, cells))
    _json(folder / "timing.json", {f"{c.depth} {c.loss} {c.level}": round(of.seconds, 1) for c, of in cells.items()})


def _json(path: Path, content: Any) -> None:
    with replaced(path) as beside, open(beside, "w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1) + "\n")


def _settings(study: Study, cells: Mapping[Cell, Found]) -> dict[str, Any]:
    collection, plan = study.collection, study.plan
    grades, counts = np.unique(collection.pool.grade, return_counts=True)
    depths = []
    for depth in dict.fromkeys(cell.depth for cell in cells):
        of = study.setting(depth)
        depths.append(
            {
                "depth": depth,
                "runs": len(of.systems),
                "shorter_runs": sum(s.depth < depth for s in of.systems),
                "teams": len(of.teams),
                "contributing_runs": int(of.contributed.sum()),
                "pool_depth": of.pool_depth,
                "judged_retrieved": sum(s.hit.size for s in of.systems),
            }
        )
    return {
        "collection": collection.name,
        "rel": collection.rel,
        "runs": len(collection.systems),
        "teams": len(set(collection.team_of)),
        "team_source": collection.team_source,
        "contributions": collection.contributions,
        "topics": collection.pool.n_topics,
        "topics_left_out": collection.left_out,
        "judgments": int(collection.pool.grade.size),
        "grades": {f"{g:g}": int(c) for g, c in zip(grades.tolist(), counts.tolist(), strict=True)},
        "documents": collection.n_docs,
        "primary_depth": PRIMARY_DEPTH,
        "settings": depths,
        "levels": {loss: list(levels) for loss, levels in LEVELS.items()},
        "primary": PRIMARY,
        "samples": plan.samples,
        "seed": plan.seed,
        "replicates": plan.replicates,
        "versions": {name: version(name) for name in ("irpref", "numpy", "scipy")},
        "inputs": collection.hash,
    }


def _rows(cells: Mapping[Cell, Found]) -> Iterable[tuple[Cell, Found, str, Floats]]:
    for cell, of in cells.items():
        for outcome, values in of.samples.items():
            yield cell, of, outcome, values


def _outcomes(cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    for cell, of, outcome, values in _rows(cells):
        for label, row in zip(of.labels, values, strict=True):
            some = row[np.isfinite(row)]
            if some.size:
                sd = some.std(ddof=1) if some.size > 1 else np.nan
                yield (*_place(cell), label, outcome, some.mean(), sd, some.min(), some.max(), some.size)


def _place(cell: Cell) -> tuple[int, str, int]:
    return cell.depth, cell.loss, cell.level


def _estimate(of: Found, outcome: str, label: str) -> float:
    """Mean over the samples that have a value."""
    row = of.samples[outcome][of.labels.index(label)]
    row = row[np.isfinite(row)]
    return float(row.mean()) if row.size else float("nan")


def _intervals(cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    for cell, of in cells.items():
        for outcome in INTERVALS:
            if outcome in of.replicates:
                for label in of.labels:
                    drawn, mean = _drawn(of, outcome, label)
                    ends = (*outcomes.interval(drawn), *outcomes.interval(mean))
                    yield (*_place(cell), outcome, label, _estimate(of, outcome, label), *ends)


def _drawn(of: Found, outcome: str, label: str) -> Floats:
    """Replicates of one sample, and of the mean over samples (NaN where there are none): (2, n_replicates)."""
    at = of.labels.index(label)
    one = of.replicates[outcome][at]
    mean = of.replicates.get(f"mean {outcome}")
    return np.array([one, np.full(one.shape, np.nan) if mean is None else mean[at]])


def pairs_of(cell: Cell, labels: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs that are compared: those of the hypotheses, and at the primary levels every measure with the references."""
    found = dict.fromkeys((claim.a, claim.b) for of in HYPOTHESES for claim in of.claims if claim.b)
    found |= dict.fromkeys((label, f.binary) for label, f in FACTS.items())
    found |= dict.fromkeys((label, f.uncondensed) for label, f in FACTS.items())
    if cell.primary:
        found |= dict.fromkeys((label, other) for label in labels for other in REFERENCES if label != other)
    return [(a, b) for a, b in found if a in labels and b in labels]


def _differences(cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    for cell, of in cells.items():
        for outcome in INTERVALS:
            if outcome not in of.replicates:
                continue
            for a, b in pairs_of(cell, of.labels):
                first, second = (_estimate(of, outcome, label) for label in (a, b))
                drawn, other = (_drawn(of, outcome, label) for label in (a, b))
                yield (*_place(cell), outcome, a, b, *_told(first - second, drawn - other))
                if outcome == "bias_value":
                    yield (*_place(cell), "bias_size", a, b, *_told(abs(first) - abs(second), abs(drawn) - abs(other)))
            if outcome == "bias_value":
                for a in of.labels:
                    yield (*_place(cell), outcome, a, "", *_told(_estimate(of, outcome, a), _drawn(of, outcome, a)))
    yield from _deeper(cells)


def _told(estimate: float, replicates: Floats) -> tuple[float, ...]:
    return estimate, *(x for row in replicates for x in (*outcomes.interval(row), outcomes.p_value(row)))


def _deeper(cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    """Whether the absolute norm's lead grows with depth."""
    a, b = "rpref absolute", "rpref relative"
    at = [(c, of) for c, of in cells.items() if c.loss == "random" and c.primary and "tau" in of.replicates]
    if not at:
        return
    lead, drawn = [], []
    for _, of in at:
        lead.append(_estimate(of, "tau", a) - _estimate(of, "tau", b))
        drawn.append(_drawn(of, "tau", a) - _drawn(of, "tau", b))
    for k, (cell, _) in enumerate(at[1:], 1):
        yield (*_place(cell), "tau_deeper", a, b, *_told(lead[k] - lead[0], drawn[k] - drawn[0]))


def _samples(cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    first = next(iter(cells)).depth
    for cell, of in cells.items():
        if cell.depth != first or cell.loss in ("none", "team"):
            continue
        tau, prediction = of.samples["tau"], of.samples["prediction"]
        for sample in range(tau.shape[1]):
            for k, label in enumerate(of.labels):
                yield (*_place(cell), sample, label, f"{tau[k, sample]:.4f}", f"{prediction[k, sample]:.4f}")


def _teams(study: Study, cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    for cell, of in cells.items():
        if cell.loss != "team":
            continue
        setting = study.setting(cell.depth)
        value, place = of.samples["bias_value"], of.samples["bias_place"]
        for k, team in enumerate(setting.teams):
            n_runs = int((setting.team == k).sum())
            for row, label in enumerate(of.labels):
                if np.isfinite(value[row, k]):
                    yield cell.depth, team, label, value[row, k], place[row, k], n_runs


def _full(study: Study, cells: Mapping[Cell, Found]) -> Iterable[tuple[Any, ...]]:
    for depth in dict.fromkeys(cell.depth for cell in cells):
        full = study.full(depth)
        of = np.array([outcomes.means(full[label]) for label in LABELS])
        for i, a in enumerate(LABELS):
            others = range(i + 1, len(LABELS))
            for j, tau in zip(others, outcomes.taus(of[[i] * len(others)], of[i + 1 :]), strict=True) if others else ():
                yield depth, a, LABELS[j], tau


def write_seeds(folder: Path, cells: Mapping[Cell, Found], other: Mapping[Cell, Found]) -> None:
    """What another seed moves: `seed.csv`, means over the samples of the one and the other."""
    rows = [
        (*_place(cell), label, outcome, _estimate(of, outcome, label), _estimate(other[cell], outcome, label))
        for cell, of, outcome, _ in _rows(cells)
        for label in of.labels
    ]
    table(folder / "seed.csv", "depth,loss,level,measure,outcome,mean,other", rows)


def describe(collection: Collection, depths: list[int], plan: Plan) -> str:
    """A line for the terminal."""
    return (
        f"{collection.name}: {len(collection.systems)} runs of {len(set(collection.team_of))} teams "
        f"({collection.team_source}), {collection.pool.n_topics} topics, relevant from grade {collection.rel:g}, "
        f"depths {', '.join(map(str, depths))}; {plan.samples} samples, seed {plan.seed}"
    )
