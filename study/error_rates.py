"""How often tests and gate are wrong: simulations of docs/significance.md.

    python -m study.error_rates DATA [PART...]   # DATA/trec-covid-r3, ...; about half an hour
    python -m study.error_rates_page             # write the pages from the stored results

**Split, fixed before any result was seen.** The reserve of the gate and the default test of boards
were once chosen on `TUNING`. Nothing was chosen on `CONFIRMATION`. (TREC-COVID's first round shares
its 30 topics with the third; runs and judgments are others.) CAsT 2021 and CACM have too few runs.
Seeds are fixed: (`SEED`, part, cell).

**Equal runs that keep the values of real runs.** Topics are always drawn with replacement.

    exchange   the values of a topic are given to the runs in random order
    weights    topics are drawn with unequal chances, as near to equal ones as possible (by relative
               entropy), for which the runs have exactly the same mean
    near       pairs that differ by at most `NEAR` standard deviations in the collection

Subtracting means, as an earlier version of this simulation did, turns ties into small differences
of one sign, so that measures with many ties look far worse than they are."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
from scipy import special

import irpref_lab
from irpref.kernel.segments import Bools, Floats, Ints
from irpref_lab.decide.sign_flips import are_all, sign_vectors, stepdown
from irpref_lab.trust import bounds, t_tests
from irpref_lab.trust.design import topics_for_margin, topics_needed
from irpref_lab.trust.samples import pairs_of_systems

HERE = Path(__file__).parent
RESULTS = HERE / "error-rates.json"
TUNING = ("trec-covid-r3", "robust03", "dl19-passage")
CONFIRMATION = ("trec-covid-r1", "dl20-passage", "clef-ehealth-2018")
MEASURES = ("nDCG@10", "AP", "P@5", "RR")
BINARY = "Success@1"
TOPICS = (10, 25, 50)
RUNS, LEVEL, MARGIN, SEED = 8, 0.95, 0.02, 2027
BOARDS, PAIRS_MADE = 100, 200  # sets of runs, of a collection and measure, made equal by weights
EXPERIMENTS = 5000  # of a cell of boards
WORST = "worst"  # the part that repeats the worst of these cells
MANY_BOARDS, EACH = 600, 60  # with so many sets of runs, and experiments with each
CHANGES = 10_000  # of a cell of pairs
FLIPS = 999  # sign vectors of an experiment; of ten topics all 1,024
NEAR = 0.02
RESERVE = 0.85  # what the gate's sign flips use of the level
SMALLEST = 0.5  # effective share of topics that weights must leave

Cell = dict[str, Any]
Values = dict[str, Floats]  # of each measure, (n_runs, n_topics)


def generator(*cell: object) -> np.random.Generator:
    """Return the generator of a cell, from the fixed seed."""
    return np.random.default_rng([SEED, zlib.crc32(repr(cell).encode())])


# Equal runs ---------------------------------------------------------------------------------------


def equal_weights(values: Floats) -> Floats | None:
    """Return chances of topics for which all runs have one mean, (n_topics,), or None.

    Of all such chances, those nearest to equal ones: exp(x' d_t) over their sum, where d_t are the
    differences of the runs from the first one on topic t and x minimises that sum (Newton).
    """
    d = (values[1:] - values[0]).T
    d = d / max(float(np.abs(d).max()), 1e-300)
    x = np.zeros(d.shape[1])

    def log_sum(at: Floats) -> float:
        return float(special.logsumexp(d @ at))

    for _ in range(50):
        w = special.softmax(d @ x)
        mean = w @ d
        if np.abs(mean).max() < 1e-10:
            return w if 1 / (w @ w) >= SMALLEST * w.size else None
        curve = (d * w[:, None]).T @ d - np.outer(mean, mean)
        step = np.linalg.lstsq(curve, mean, rcond=1e-10)[0]
        size, before = 1.0, log_sum(x)
        while size > 1e-4 and log_sum(x - size * step) > before - 1e-4 * size * float(mean @ step):
            size /= 2
        x = x - size * step
        if size <= 1e-4 or np.abs(x).max() > 50:
            return None
    return None


def made_equal(
    values: Floats, k: int, number: int, draw: np.random.Generator, loss: float = 0.0
) -> tuple[Ints, Floats]:
    """Return sets of k runs, (number, k), and weights of topics that make each set equal.

    The runs of a set are neighbours by their means: drawn among 2 k that follow each other (of a
    pair, among ten). All but the first run lose `loss`.
    """
    order = np.argsort(values.mean(axis=1), kind="stable")
    sets: list[Ints] = []
    weights: list[Floats] = []
    for _ in range(200 * number):
        if len(sets) == number:
            break
        window = min(max(2 * k, 10), order.size)
        start = int(draw.integers(0, order.size - window + 1))
        chosen = draw.choice(order[start : start + window], k, replace=False)
        shifted = values[chosen] + loss * (np.arange(k) > 0)[:, None]
        found = equal_weights(shifted)
        if found is not None and np.ptp(values[chosen], axis=0).any():
            sets.append(chosen)
            weights.append(found)
    return np.array(sets, dtype=np.int64).reshape(-1, k), np.array(weights)


def boards_of(
    values: Floats,
    null: str,
    k: int,
    number: int,
    draw: np.random.Generator,
    loss: float = 0.0,
) -> Callable[[int, int], Floats] | None:
    """Return a function of size and n_topics that draws values of equal runs, (size, k, n)."""
    n_runs, n_topics = values.shape
    if null == "exchange":

        def exchanged(size: int, n: int) -> Floats:
            runs = np.array([draw.choice(n_runs, k, replace=False) for _ in range(size)])
            topics = draw.integers(0, n_topics, (size, 1, n))
            return draw.permuted(values[runs[:, :, None], topics], axis=1)

        return exchanged
    if null == "near":
        first, second = pairs_of_systems(n_runs)
        d = values[first] - values[second]
        is_near = np.abs(d.mean(axis=1)) <= NEAR * d.std(axis=1)
        is_near &= (d != 0).any(axis=1)
        pairs = np.array([first[is_near], second[is_near]]).T
        chances = np.full((len(pairs), n_topics), 1 / n_topics)
    else:
        pairs, chances = made_equal(values, k, number, draw, loss)
    if len(pairs) < min(10, number):
        return None
    heaps = np.cumsum(chances, axis=1)
    heaps[:, -1] = 1.0

    def weighted(size: int, n: int) -> Floats:
        which = draw.integers(0, len(pairs), size)
        u = draw.random((size, n))
        topics = (u[:, :, None] > heaps[which][:, None, :]).sum(axis=2)
        return values[pairs[which][:, :, None], topics[:, None, :]]

    return weighted


def settled(differences: Floats) -> Floats:
    """Return differences with rounding errors set to 0."""
    return np.where(np.abs(differences) <= 1e-12, 0.0, differences)


def by_sign_flips(z: Floats, flips: int = FLIPS) -> Floats:
    """Return p-values of sign flips for differences (size, n_topics), the same signs for all."""
    observed = np.abs(z.sum(axis=1)) * (1 - 1e-9) - 1e-12
    wanted = 1024 if z.shape[1] <= 10 else flips
    count, total = np.zeros(len(z)), 0
    for signs in sign_vectors(z.shape[1], wanted, None):
        count += (np.abs(signs @ z.T) >= observed).sum(axis=0)
        total += len(signs)
    one = 0 if are_all(z.shape[1], wanted) else 1
    return np.asarray((count + one) / (total + one))


# Parts --------------------------------------------------------------------------------------------


def boards(name: str, of: Values) -> Iterator[Cell]:
    """Simulate eight equal runs: how often any pair is called different by each test."""
    first, second = pairs_of_systems(RUNS)
    for measure in MEASURES:
        for null in ("exchange", "weights"):
            draw = generator("boards", name, measure, null)
            made = boards_of(of[measure], null, RUNS, BOARDS, draw)
            for n in TOPICS if made else ():
                assert made is not None
                z = settled(np.diff(made(EXPERIMENTS, n)[:, [second, first]], axis=1)[:, 0])
                wrong_t = (t_tests.p_values(z).min(axis=1) * len(first) <= 1 - LEVEL).mean()
                wanted = 1024 if n <= 10 else FLIPS
                wrong = [
                    stepdown(each, wanted, i)[1].min() <= 1 - LEVEL for i, each in enumerate(z)
                ]
                yield {
                    **{"measure": measure, "null": null, "topics": n},
                    **{"holm": float(wrong_t), "stepdown": float(np.mean(wrong))},
                }


def found(name: str, of: Values) -> Iterator[Cell]:
    """Draw eight real runs: how many of the pairs that differ each test finds on a board."""
    first, second = pairs_of_systems(RUNS)
    for measure in MEASURES:
        draw = generator("found", name, measure)
        values = of[measure]
        for n in TOPICS:
            shares = []
            for i in range(EXPERIMENTS // 10):
                runs = values[draw.choice(len(values), RUNS, replace=False)]
                differ = np.abs(runs[first].mean(axis=1) - runs[second].mean(axis=1)) > 1e-12
                drawn = runs[:, draw.integers(0, values.shape[1], n)]
                z = settled(drawn[first] - drawn[second])
                by_t = t_tests.holm(t_tests.p_values(z)) <= 1 - LEVEL
                by_flips = stepdown(z, 1024 if n <= 10 else FLIPS, i)[1] <= 1 - LEVEL
                shares.append([by_t[differ].mean(), by_flips[differ].mean()])
            holm, flips = np.mean(shares, axis=0).tolist()
            yield {"measure": measure, "topics": n, "holm": holm, "stepdown": flips}


def pairs(name: str, of: Values) -> Iterator[Cell]:
    """Simulate one pair: size of both tests by each null, and their findings on real pairs."""
    for measure in (*MEASURES, BINARY):
        for null in ("exchange", "weights", "near"):
            draw = generator("pairs", name, measure, null)
            made = boards_of(of[measure], null, 2, PAIRS_MADE, draw)
            for n in (*TOPICS, 100) if made else ():
                assert made is not None
                z = settled(np.diff(made(CHANGES, n), axis=1)[:, 0])
                gate = _blocks(z, 1)
                yield {
                    **{"measure": measure, "null": null, "topics": n},
                    "t": float((t_tests.p_values(z) <= 1 - LEVEL).mean()),
                    "flips": float((by_sign_flips(z) <= 1 - LEVEL).mean()),
                    "blocked": float(gate[0].mean()),
                    "blocked_with_flips": float(gate[1].mean()),
                }
        draw = generator("pairs", name, measure, "real")
        for n in (*TOPICS, 100):
            z, truth = _real(of[measure], n, draw)
            low, high = (bound(z, (1 + LEVEL) / 2) for bound in (t_tests.lower, t_tests.upper))
            worse = z * np.where(truth > 0, -1.0, 1.0)[:, None]  # the loser against the winner
            gate = _blocks(worse, 1)
            some = np.abs(truth) > 1e-12
            yield {
                **{"measure": measure, "null": "real", "topics": n},
                "held": float(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).mean()),
                "t": float((t_tests.p_values(z) <= 1 - LEVEL)[some].mean()),
                "flips": float((by_sign_flips(z) <= 1 - LEVEL)[some].mean()),
                "blocked": float(gate[0][some].mean()),
                "blocked_with_flips": float(gate[1][some].mean()),
            }


def differences(name: str, of: Values) -> Iterator[Cell]:
    """Draw topics of real pairs: how often intervals of the difference hold it, by t and widened.

    `overruled`: of the differences that t calls significant, the share whose widened interval holds
    0.
    """
    for measure in (*MEASURES, BINARY):
        draw = generator("differences", name, measure)
        for n in (*TOPICS, 100):
            z, truth = (part[:EXPERIMENTS] for part in _real(of[measure], n, draw))
            usual = [t_tests.interval(each, LEVEL) for each in z]
            hulls = [
                bounds.widened(each, interval, LEVEL, (-1.0, 1.0))
                for each, interval in zip(z, usual, strict=True)
            ]
            is_found = t_tests.p_values(z) <= 1 - LEVEL
            low, high = np.array(hulls).T
            held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
            by_t = np.array(
                [a - 1e-12 <= x <= b + 1e-12 for (a, b), x in zip(usual, truth, strict=True)]
            )
            over = (low <= 0) & (high >= 0) & is_found
            yield {
                **{"measure": measure, "topics": n},
                **{"t": float(by_t.mean()), "hull": float(held.mean())},
                "overruled": float(over.sum() / max(is_found.sum(), 1)),
            }


def _real(values: Floats, n: int, draw: np.random.Generator) -> tuple[Floats, Floats]:
    """Return differences of real pairs on drawn topics, (CHANGES, n), and of their means."""
    a = draw.integers(0, len(values), CHANGES)
    b = (a + draw.integers(1, len(values), CHANGES)) % len(values)
    d = values[b] - values[a]
    topics = draw.integers(0, values.shape[1], (CHANGES, n))
    return settled(np.take_along_axis(d, topics, axis=1)), d.mean(axis=1)


def _blocks(gains: Floats, n_rows: int) -> tuple[Bools, Bools]:
    """Return which changes a gate blocks, (size,): by its bounds, and if sign flips agree."""
    worse = t_tests.upper(gains, 1 - (1 - LEVEL) / n_rows) < 0
    worse &= ~(bounds.lower(gains, LEVEL) > -MARGIN)
    agree = by_sign_flips(gains) / 2 * n_rows / RESERVE <= 1 - LEVEL
    return worse, worse & agree


def four(name: str, of: Values) -> Iterator[Cell]:
    """Simulate a gate on four measures, which share the level, with changes without effect.

    The same two runs and topics for all measures. `exchange` swaps all values of a topic; of
    `near`, the pair is nearly equal by every measure.
    """
    values = np.array([of[measure] for measure in MEASURES])
    _, n_runs, n_topics = values.shape
    first, second = pairs_of_systems(n_runs)
    d = settled(values[:, second] - values[:, first])
    near = (np.abs(d.mean(axis=2)) <= 0.1 * d.std(axis=2)).all(axis=0)
    for null in ("exchange", "near"):
        draw = generator("four", name, null)
        candidates = np.arange(len(first)) if null == "exchange" else np.flatnonzero(near)
        if candidates.size < 10:
            continue
        for n in TOPICS:
            which = draw.choice(candidates, CHANGES)
            topics = draw.integers(0, n_topics, (CHANGES, n))
            signs = draw.choice([-1.0, 1.0], (CHANGES, n))
            blocked = np.zeros((2, CHANGES), bool)
            passed = np.ones(CHANGES, bool)
            for of_measure in d:
                z = np.take_along_axis(of_measure[which], topics, axis=1)
                z = z * signs if null == "exchange" else z
                blocked |= _blocks(z, len(MEASURES))
                passed &= bounds.lower(z, LEVEL) > -MARGIN
            shares = (blocked & ~passed).mean(axis=1).tolist()
            yield {
                **{"null": null, "topics": n, "pairs": int(candidates.size)},
                **dict(zip(("blocked", "blocked_with_flips"), shares, strict=True)),
            }


def passes(name: str, of: Values) -> Iterator[Cell]:
    """Simulate changes that lose as much as the margin: how often the gate passes them.

    `broken`: the values of a random share of the queries become 0; `lost`: two
    real runs, on topics drawn with weights for which the second loses exactly the margin."""
    for measure in MEASURES:
        values = of[measure]
        for n in (10, 20, 50, 100, 200, 400):
            draw = generator("passes", name, measure, n)
            # Of a run that has less to lose, more than half of the queries would have to break.
            strong = np.flatnonzero(values.mean(axis=1) > 2 * MARGIN)
            runs = draw.choice(strong, CHANGES)
            share = MARGIN / values.mean(axis=1)[runs]
            topics = draw.integers(0, values.shape[1], (CHANGES, n))
            base = values[runs[:, None], topics]
            z = -base * (draw.random((CHANGES, n)) < share[:, None])
            by_t, by_both = (b(z, LEVEL) > -MARGIN for b in (t_tests.lower, bounds.lower))
            seen = (z < 0).any(axis=1)
            yield {
                **{"measure": measure, "change": "broken", "topics": n},
                "t": float(by_t.mean()),
                "both": float(by_both.mean()),
                "both_loss_seen": float((by_both & seen).mean()),
            }
        draw = generator("passes", name, measure, "lost")
        made = boards_of(values, "weights", 2, PAIRS_MADE, draw, MARGIN)
        for n in (10, 20, 50, 100, 200, 400) if made else ():
            assert made is not None
            z = settled(np.diff(made(CHANGES, n), axis=1)[:, 0])
            by_t, by_both = (b(z, LEVEL) > -MARGIN for b in (t_tests.lower, bounds.lower))
            yield {
                **{"measure": measure, "change": "lost", "topics": n},
                **{"t": float(by_t.mean()), "both": float(by_both.mean())},
            }


def right(name: str, of: Values) -> Iterator[Cell]:
    """Simulate changes without effect that touch few queries: who passes by t, and who still does.

    A query is touched with the given chance; then it has the difference of two real runs, times
    `size`, whose sign a coin decides.
    """
    for measure in MEASURES:
        for n in (20, 50, 100):
            for touched in (0.1, 0.3):
                for size in (1.0, 0.2):
                    draw = generator("right", name, measure, n, touched, size)
                    z, _ = _real(of[measure], n, draw)
                    z = z * size * draw.choice([-1.0, 1.0], z.shape)
                    z = z * (draw.random(z.shape) < touched)
                    by_t, both = (b(z, LEVEL) > -MARGIN for b in (t_tests.lower, bounds.lower))
                    yield {
                        **{"measure": measure, "topics": n, "touched": touched, "size": size},
                        **{"t": float(by_t.mean()), "both": float(both.mean())},
                    }


def hulls(name: str, of: Values) -> Iterator[Cell]:
    """Draw topics of each real run: how often intervals hold the mean of all topics."""
    for measure in ("RR", BINARY, "P@5", "nDCG@10", "AP"):
        values = of[measure]
        truth = values.mean(axis=1)
        for n in (*TOPICS, 5):
            draw = generator("hulls", name, measure, n)
            per_run = max(1, 6000 // len(values))
            by_t, by_hull, used = np.zeros((3, len(values)))
            for i, of_run in enumerate(values):
                for x in of_run[draw.integers(0, of_run.size, (per_run, n))]:
                    usual = t_tests.interval(x, LEVEL)
                    hull = bounds.widened(x, usual, LEVEL, (0.0, 1.0))
                    for held, (low, high) in ((by_t, usual), (by_hull, hull)):
                        held[i] += low - 1e-12 <= truth[i] <= high + 1e-12
                    used[i] += hull != usual
            yield {
                **{"measure": measure, "topics": n},
                **{"t": float(by_t.mean() / per_run), "hull": float(by_hull.mean() / per_run)},
                "used": float(used.mean() / per_run),
                "lowest_run": float(by_hull.min() / per_run),
            }


def chains(name: str, of: Values) -> Iterator[Cell]:
    """Simulate a hundred commits, each gated against the last: how many chains are stopped.

    A commit touches each topic with a chance of .1; then the value of nDCG@10 moves by a normal
    number with standard deviation .05, so that a commit loses `drift` on average. (Values are not
    cut to [0, 1]: cutting moves the mean.) With a reference, a commit is also blocked if the loss
    to the first run is shown.
    """
    values = of["nDCG@10"]
    for n in (50, 100, 200):
        for drift in (0.0, 0.0003, 0.0006, 0.0015):
            draw = generator("chains", name, n, drift)
            size, touched = 500, 0.1
            runs = draw.integers(0, len(values), size)
            first = values[runs[:, None], draw.integers(0, values.shape[1], (size, n))]
            last = first.copy()
            alone, both = np.zeros(size, bool), np.zeros(size, bool)
            open_steps = np.zeros(size)
            for _ in range(100):
                moves = draw.normal(-drift / touched, 0.05, (size, n))
                new = last + moves * (draw.random((size, n)) < touched)
                blocked = _blocks_by_bounds(new - last)
                open_steps += ~blocked & ~(bounds.lower(new - last, LEVEL) > -MARGIN)
                alone |= blocked
                both |= blocked | (t_tests.upper(new - first, LEVEL) < 0)
                last = new
            yield {
                **{"topics": n, "drift": drift, "fell": float((first - last).mean())},
                **{"last": float(alone.mean()), "reference": float(both.mean())},
                "inconclusive": float(open_steps.mean() / 100),
            }


def _blocks_by_bounds(gains: Floats) -> Bools:
    """Return which changes the bounds of the gate block."""
    passed = bounds.lower(gains, LEVEL) > -MARGIN
    return np.asarray((t_tests.upper(gains, LEVEL) < 0) & ~passed)


def groups(name: str, of: Values) -> Iterator[Cell]:
    """Simulate a change without effect but on one group, which loses four margins.

    Of n topics, ten are in the group; a coin swaps the values of two real runs on all topics.
    """
    for measure in MEASURES:
        for n in (50, 100):
            draw = generator("groups", name, measure, n)
            z, _ = _real(of[measure], n, draw)
            z = z * draw.choice([-1.0, 1.0], z.shape)
            z[:, :10] -= 4 * MARGIN
            passed = bounds.lower(z, LEVEL) > -MARGIN
            worse = (t_tests.upper(z[:, :10], 1 - (1 - LEVEL) / 2) < 0) | (
                t_tests.upper(z, 1 - (1 - LEVEL) / 2) < 0
            ) & ~passed
            yield {
                **{"measure": measure, "topics": n},
                **{"blocked": float(worse.mean()), "passed": float((passed & ~worse).mean())},
            }


def planned(name: str, of: Values) -> Iterator[Cell]:
    """Plan from 25 topics of a real pair: how often the number of topics is within a factor of 2.

    `margin`: for the margin, from the variance alone; `difference`: for the observed difference.
    """
    for measure in MEASURES:
        draw = generator("planned", name, measure)
        close: dict[str, list[bool]] = {"margin": [], "difference": []}
        values = of[measure]
        for _ in range(300):
            a, b = draw.choice(len(values), 2, replace=False)
            d = values[b] - values[a]
            drawn = d[draw.integers(0, d.size, 25)]
            truth = _numbers(d, ddof=0)
            for rule, guess in _numbers(drawn, ddof=1).items():
                if truth[rule]:
                    close[rule].append(bool(guess) and 0.5 <= guess / truth[rule] <= 2)
        yield {"measure": measure, **{rule: float(np.mean(x)) for rule, x in close.items()}}


def _numbers(d: Floats, ddof: int) -> dict[str, int]:
    """Return the numbers of topics by both rules, 0 if there is none."""
    variance = float(d.var(ddof=ddof)) / 2
    if variance <= 1e-12:
        return {"margin": 0, "difference": 0}
    margin = topics_for_margin(MARGIN, variance, LEVEL) or 0
    effect = abs(float(d.mean()))
    other = topics_needed(effect, variance, level=LEVEL) if effect > 1e-3 else 0
    return {"margin": margin, "difference": other}


PARTS: dict[str, Callable[[str, Values], Iterator[Cell]]] = {
    part.__name__: part
    for part in (
        hulls,
        differences,
        passes,
        right,
        chains,
        groups,
        planned,
        pairs,
        four,
        found,
        boards,
    )
}


def worst(data: Path, cells: list[Cell]) -> Cell:
    """Simulate the worst cell of boards again, with many more sets of runs.

    `error` is the standard error of Holm's t over these sets, `error_before` of the worst cell with
    its `BOARDS` sets, which differ more than experiments with one set do.
    """
    cell = max(cells, key=lambda one: float(one["holm"]))
    name, measure, n = cell["collection"], cell["measure"], cell["topics"]
    values = _evaluated(data, name, (measure,))[measure]
    draw = generator("worst", name, measure, n)
    first, second = pairs_of_systems(RUNS)
    wrong = []
    for chosen, chances in zip(*made_equal(values, RUNS, MANY_BOARDS, draw), strict=True):
        drawn = values[chosen][:, draw.choice(values.shape[1], (EACH, n), p=chances)]
        z = settled(drawn[second] - drawn[first]).transpose(1, 0, 2)
        wrong.append((t_tests.p_values(z).min(axis=1) * len(first) <= 1 - LEVEL).mean())
    rates = np.array(wrong)
    mean = float(rates.mean())
    between = max(float(rates.var(ddof=1)) - mean * (1 - mean) / EACH, 0.0)
    return {
        **{"collection": name, "measure": measure, "null": cell["null"], "topics": n},
        **{"boards": rates.size, "holm": mean, "error": float(rates.std(ddof=1) / rates.size**0.5)},
        "error_before": (between / BOARDS + mean * (1 - mean) / EXPERIMENTS) ** 0.5,
    }


def _evaluated(data: Path, name: str, measures: tuple[str, ...]) -> Values:
    (qrels,) = (data / name / "qrels").iterdir()
    runs = sorted(map(str, (data / name / "runs").iterdir()))
    measured = irpref_lab.meta.topic_values(measures, str(qrels), runs)
    return {measure: each.matrix for measure, each in measured.items()}


def compute(data: Path, parts: list[str]) -> None:
    """Evaluate the runs, simulate, and store the results of each part as soon as it is done."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    simulated = [part for part in parts or PARTS if part in PARTS]
    of = {}
    for name in (*TUNING, *CONFIRMATION) if simulated else ():
        of[name] = _evaluated(data, name, (*MEASURES, BINARY))
    for part in simulated:
        stored[part] = []
        for name, values in of.items():
            for cell in PARTS[part](name, values):
                rounded = {k: round(v, 5) if isinstance(v, float) else v for k, v in cell.items()}
                stored[part].append({"collection": name, **rounded})
                print(part, stored[part][-1], flush=True)
        _store(stored)
    if not parts or WORST in parts:
        cell = worst(data, stored["boards"])
        rounded = {k: round(v, 5) if isinstance(v, float) else v for k, v in cell.items()}
        _store(stored | {WORST: [rounded]})


def _store(stored: dict[str, list[Cell]]) -> None:
    text = json.dumps(stored, indent=0)
    RESULTS.write_text(text.replace(',\n"', ', "') + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "docs" / "own_source.py"))
    compute(Path(sys.argv[1]), sys.argv[2:])
