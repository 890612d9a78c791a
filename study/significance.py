"""The simulations of docs/significance.md: how often the test is wrong, and how much it finds. All
tables are in study/ERROR-RATES.md.

    python -m study.significance DATA        # DATA/trec-covid-r3, ...: qrels and runs; about twelve minutes on one core
    python -m study.significance             # both pages from the stored results

The test is tried on the 79 runs of TREC-COVID's third round, the gate on two more collections. Of
20 runs, drawn anew for each experiment, each topic's values minus the runs' means over the topics
are what chance does; topics are drawn with replacement, and true means are added. So the form of
the differences is that of real runs, and which runs are equal is known. With `symmetric`, the sign
of each drawn topic is drawn, too."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

import irpref_lab
from irpref_lab.decide.all_pairs import pair_tests, significant
from irpref_lab.decide.gating import RESERVE
from irpref_lab.decide.sign_flips import N_PERMUTATIONS, are_all, sign_vectors, stepdown
from irpref_lab.decide.significance import holm
from irpref_lab.trust.samples import pairs_of_systems
from irpref_lab.trust.topics import FEWEST

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RESULTS, PAGE = DOCS / "significance" / "results.json", DOCS / "significance.md"
TABLES = HERE / "ERROR-RATES.md"
COLLECTIONS = {"trec-covid-r3": "TREC-COVID", "robust03": "Robust 2003", "dl19-passage": "DL 2019"}
MEASURES = ("nDCG@10", "AP", "P@5", "RR")
TOPICS = (10, 40, 200)
RUNS, LEVEL, MARGIN, SEED = 20, 0.05, 0.02, 2026
EQUAL = {
    "all": 20,
    "nine tenths": 19,
    "half": 14,
    "a tenth": 7,
}  # runs that are equal: 100, 90, 48 and 11 % of the pairs
EXPERIMENTS, COMPARED, CHANGES = 3000, 1000, 10_000
REPEATS, GROUPS = 3, (0.5, 0.8, 1.0)  # where groups of topics end
FLIPS = 199  # sign vectors of an experiment; of 10 topics all 1,024
METHODS = ("stepdown", "holm")


def noise(
    values: np.ndarray, n_runs: int, n_topics: int, symmetric: bool, draw: np.random.Generator
) -> Any:
    """Values of equal runs, (n_runs, n_topics), and which real runs they are made of."""
    chosen = draw.choice(len(values), n_runs, replace=False)
    centred = values[chosen] - values[chosen].mean(axis=1, keepdims=True)
    drawn = centred[:, draw.integers(0, values.shape[1], n_topics)]
    return drawn * draw.choice([-1.0, 1.0], n_topics) if symmetric else drawn, chosen


def experiment(
    values: np.ndarray, n_equal: int, n_topics: int, symmetric: bool, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Values of runs, the first `n_equal` of which are equal, and which pairs are: (RUNS,
    n_topics), (n_pairs,).
    """
    made, chosen = noise(values, RUNS, n_topics, symmetric, draw)
    truth = values[chosen].mean(axis=1)
    truth[:n_equal] = truth[:n_equal].mean()
    first, second = pairs_of_systems(RUNS)
    return made + truth[:, None], (first < n_equal) & (second < n_equal)


def called(values: np.ndarray, method: str, seed: int) -> np.ndarray:
    """Pairs that a method calls different: bool (n_pairs,)."""
    n = values.shape[1]
    first, second = pairs_of_systems(RUNS)
    z = values[first] - values[second]
    if method == "stepdown":
        p = stepdown(z, 1024 if n == 10 else FLIPS, seed)[1]
    else:
        t = z.mean(axis=1) / (z.std(axis=1, ddof=1) / n**0.5)
        p = np.array(holm((2 * special.stdtr(n - 1, -np.abs(t))).tolist()))
    return significant(p, 1 - LEVEL)


def error_rates(values: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Share of experiments in which the step-down test calls any pair of equal runs different."""
    out = []
    for measure, of in values.items():
        for n in TOPICS:
            for name, n_equal in EQUAL.items():
                for symmetric in (True, False):
                    draw = np.random.default_rng([SEED, n, n_equal, symmetric])
                    wrong = 0
                    for seed in range(EXPERIMENTS):
                        made, equal = experiment(of, n_equal, n, symmetric, draw)
                        wrong += bool(called(made, "stepdown", seed)[equal].any())
                    cell = {"measure": measure, "topics": n, "equal": name, "symmetric": symmetric}
                    out.append(cell | {"wrong": wrong / EXPERIMENTS})
                    print(out[-1], flush=True)
    return out


def power(values: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Share of the truly different pairs that are found, and of experiments with an error, by
    method.
    """
    out = []
    for measure in ("nDCG@10", "RR"):
        for n in (10, 40, 100):
            draw = np.random.default_rng([SEED, n])
            wrong, found = dict.fromkeys(METHODS, 0), dict.fromkeys(METHODS, 0.0)
            for seed in range(COMPARED):
                made, equal = experiment(values[measure], EQUAL["half"], n, True, draw)
                for method in METHODS:
                    different = called(made, method, seed)
                    wrong[method] += bool(different[equal].any())
                    found[method] += float(different[~equal].mean())
            shares = {
                m: {"wrong": wrong[m] / COMPARED, "found": found[m] / COMPARED} for m in METHODS
            }
            out.append({"measure": measure, "topics": n, **shares})
            print(out[-1], flush=True)
    return out


def skewed(values: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Share of experiments with an error among equal runs whose differences have the form of real
    ones, by method.
    """
    out = []
    for n in TOPICS:
        draw = np.random.default_rng([SEED, n])
        wrong = dict.fromkeys(METHODS, 0)
        for seed in range(COMPARED):
            made, _ = experiment(values["nDCG@10"], RUNS, n, False, draw)
            for method in METHODS:
                wrong[method] += bool(called(made, method, seed).any())
        out.append({"topics": n, **{method: count / COMPARED for method, count in wrong.items()}})
        print(out[-1], flush=True)
    return out


def weak_runs(values: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Pairs of ten good runs (every fourth of the best forty) called different, alone and among the
    ten worst.
    """
    out = []
    for measure in ("nDCG@10", "AP"):
        order = np.argsort(-values[measure].mean(axis=1), kind="stable")
        for method in METHODS:
            alone, joined = (
                pair_tests(values[measure][chosen], method)
                for chosen in (order[:40:4], [*order[:40:4], *order[-10:]])
            )
            counts = [
                int(significant(of.p_adjusted[of.second < 10], 1 - LEVEL).sum())
                for of in (alone, joined)
            ]
            out.append(
                {"measure": measure, "method": method, "alone": counts[0], "joined": counts[1]}
            )
            print(out[-1], flush=True)
    return out


def false_blocks(of: dict[str, dict[str, np.ndarray]]) -> list[dict[str, Any]]:
    """Share of changes that `irpref_lab.gate` blocks: by one measure and by all four, by its bounds
    alone and by its rule.

    `exchanged`: without any effect, since the two values of a topic are exchanged at random;
    `centred`: without any, since the mean difference of the pair is taken out, so that differences
    are as skewed as real ones; `worse`: real losses."""
    out = []
    for collection, values in of.items():
        for n in TOPICS:
            for change in ("exchanged", "centred", "worse"):
                blocked = _blocked(np.array(list(values.values())), n, change)
                for rule, shares in blocked.items():
                    cell = {"collection": collection, "topics": n, "change": change, "rule": rule}
                    out.append(cell | dict(zip((*MEASURES, "all four"), shares, strict=True)))
                    print(out[-1], flush=True)
    return out


def _blocked(values: np.ndarray, n: int, change: str) -> dict[str, list[float]]:
    """Shares blocked, of values (n_measures, n_runs, n_topics), by each rule: one for each measure,
    and for all.
    """
    bounds, both, passed = (np.zeros((len(values), 2, CHANGES), bool) for _ in range(3))
    for m, z in enumerate(_changes(values, n, change)):
        for i, k in enumerate((1, len(values))):  # measures that share the level
            bounds[m, i], both[m, i] = _worse(z, k)
            passed[m, i] = _passes(z)
    shares = {}
    for rule, worse in (("bounds", bounds), ("gate", both)):
        alone = (worse[:, 0] & ~passed[:, 0]).mean(axis=1).tolist()
        every = float((worse[:, 1].any(axis=0) & ~passed[:, 1].all(axis=0)).mean())
        shares[rule] = [*alone, every]
    return shares


def _changes(values: np.ndarray, n: int, change: str) -> Iterator[np.ndarray]:
    """For each measure, differences of changes, candidate minus baseline: (CHANGES, n)."""
    _, n_runs, n_topics = values.shape
    draw = np.random.default_rng([SEED, n])
    a = draw.integers(0, n_runs, CHANGES)
    b = (a + draw.integers(1, n_runs, CHANGES)) % n_runs
    topics = draw.integers(0, n_topics, (CHANGES, n))
    signs = draw.choice([-1.0, 1.0], (CHANGES, n))
    coins = draw.choice([-0.5, 0.5], (2 * REPEATS, CHANGES, n))
    for of_measure in values:
        z = of_measure[b] - of_measure[a]
        mean = z.mean(axis=1, keepdims=True)
        if change == "centred":
            z = z - mean
        z = np.take_along_axis(z, topics, axis=1)
        if change == "exchanged":
            z = z * signs
        elif change == "worse":
            z = -np.sign(mean) * z
        elif change == "repeats":
            z = z * (coins[:REPEATS].mean(axis=0) - coins[REPEATS:].mean(axis=0))
        z[np.abs(z) < 1e-12] = 0
        yield z


def _worse(z: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Which changes (n_changes, n) the bounds and the gate call worse, if so many rows share the
    level.
    """
    n = z.shape[1]
    error = z.std(axis=1, ddof=1) / n**0.5
    bounds = z.mean(axis=1) + special.stdtrit(n - 1, 1 - LEVEL / n_rows) * error < 0
    return bounds, bounds & significant(_two_sided(z) / 2 * n_rows / RESERVE, 1 - LEVEL)


def _passes(z: np.ndarray) -> np.ndarray:
    """Which changes (n_changes, n) pass by one measure."""
    n = z.shape[1]
    error = z.std(axis=1, ddof=1) / n**0.5
    return z.mean(axis=1) - special.stdtrit(n - 1, 1 - LEVEL) * error > -MARGIN


def false_passes(of: dict[str, dict[str, np.ndarray]]) -> list[dict[str, Any]]:
    """Share of changes that pass though the true loss is as large as the margin: by one measure and
    by all four.

    `repeats`: of systems that were run three times, see `grouped`.
    """
    rows = []
    for collection, by_measure in of.items():
        values = np.array(list(by_measure.values()))
        for n in TOPICS:
            for change in ("exchanged", "centred", "repeats"):
                passed = [_passes(z - MARGIN) for z in _changes(values, n, change)]
                shares = [float(p.mean()) for p in passed]
                shares.append(float(np.all(passed, axis=0).mean()))
                cell = {"collection": collection, "topics": n, "change": change}
                rows.append(cell | dict(zip((*MEASURES, "all four"), shares, strict=True)))
                print(rows[-1], flush=True)
    return rows


def grouped(of: dict[str, dict[str, np.ndarray]]) -> list[dict[str, Any]]:
    """Share of changes without any effect that a gate blocks: on three groups of topics, half, three
    tenths and a fifth of them (`groups`); and of systems that were run three times (`repeats`).

    The value of a repeat of a topic is that of either run, by a coin, so that repeats of a system
    differ as two real runs do, and both systems have the same expected value."""
    rows = []
    for collection, by_measure in of.items():
        values = np.array(list(by_measure.values()))
        for n in TOPICS:
            ends = [round(share * n) for share in GROUPS]
            for name, change, groups in (
                ("groups", "exchanged", ends),
                ("groups, centred", "centred", ends),
                ("repeats", "repeats", [n]),
            ):
                shares = _blocked_in_groups(values, n, change, groups)
                cell = {"collection": collection, "topics": n, "change": name}
                rows.append(cell | dict(zip((*MEASURES, "all four"), shares, strict=True)))
                print(rows[-1], flush=True)
    return rows


def _blocked_in_groups(values: np.ndarray, n: int, change: str, ends: list[int]) -> list[float]:
    """Shares that the gate blocks, if groups of topics end at `ends`: one for each measure, and for
    all.
    """
    parts = [slice(0, n)]
    if len(ends) > 1:
        parts += [slice(*pair) for pair in pairwise([0, *ends])]
    alone, blocked = [], np.zeros(CHANGES, bool)
    for z in _changes(values, n, change):
        passes = _passes(z)
        alone.append(_blocked_by(z, passes, parts, len(parts)).mean())
        blocked |= _blocked_by(z, passes, parts, len(parts) * len(values))
    return [*map(float, alone), float(blocked.mean())]


def _blocked_by(z: np.ndarray, passes: np.ndarray, parts: list[slice], n_rows: int) -> np.ndarray:
    """Which changes are blocked by the whole or by a group that does not pass itself."""
    blocked = np.zeros(len(z), bool)
    for part in parts:
        inside = z[:, part]
        if inside.shape[1] < FEWEST:  # no bounds
            continue
        passed = passes if inside.shape == z.shape else _passes(inside)
        blocked |= _worse(inside, n_rows)[1] & ~passed
    return blocked


def _two_sided(z: np.ndarray) -> np.ndarray:
    """P-values of `irpref_lab.compare` for differences (n_changes, n_topics): those of `stepdown`,
    pair by pair, at once.
    """
    observed = np.abs(z.sum(axis=1)) * (1 - 1e-9) - 1e-12
    count, total = np.zeros(len(z)), 0
    for block in sign_vectors(z.shape[1], N_PERMUTATIONS, None):
        count += (np.abs(block @ z.T) >= observed).sum(axis=0)
        total += len(block)
    one = 0 if are_all(z.shape[1]) else 1
    return (count + one) / (total + one)


def compute(data: Path) -> None:
    """Evaluate the runs, simulate, and store the results."""

    of = {}
    for name in COLLECTIONS:
        (qrels,) = (data / name / "qrels").iterdir()
        runs = sorted(map(str, (data / name / "runs").iterdir()))
        found = irpref_lab.meta.topic_values(MEASURES, str(qrels), runs)
        of[name] = {measure: each.matrix for measure, each in found.items()}
    values = of["trec-covid-r3"]
    results = {
        "false_blocks": false_blocks(of),
        "false_passes": false_passes(of),
        "grouped": grouped(of),
        "weak_runs": weak_runs(values),
        "power": power(values),
        "skewed": skewed(values),
        "errors": error_rates(values),
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def percent(share: float) -> str:
    """One decimal place."""
    return f"{100 * share:.1f}"


def _rules(rates: dict[Any, list[float]], name: str, n: int, change: str) -> list[list[float]]:
    """The shares blocked by the gate, and by its bounds alone."""
    return [rates[name, n, change, rule] for rule in ("gate", "bounds")]


def page() -> str:
    """The page: what to conclude from the tables."""
    return SUMMARY.format(**numbers())


def tables() -> str:
    """All tables."""
    return TEXT.format(**numbers())


def numbers() -> dict[str, Any]:
    """What the pages print, from the stored results."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    cells = {
        (c["measure"], c["topics"], c["equal"], c["symmetric"]): c["wrong"] for c in found["errors"]
    }
    errors = {
        symmetric: table(
            ["equal pairs", *(f"{m}, {n}" for m in MEASURES for n in TOPICS)],
            [
                [name, *(percent(cells[m, n, name, symmetric]) for m in MEASURES for n in TOPICS)]
                for name in EQUAL
            ],
        )
        for symmetric in (True, False)
    }
    words = {
        "stepdown": "step-down",
        "holm": "Holm",
    }
    power_rows = [
        [
            c["measure"],
            str(c["topics"]),
            *(f"{percent(c[m]['found'])} ({percent(c[m]['wrong'])})" for m in METHODS),
        ]
        for c in found["power"]
    ]
    weak: dict[str, dict[str, str]] = {}
    for c in found["weak_runs"]:
        weak.setdefault(c["measure"], {})[c["method"]] = f"{c['alone']} → {c['joined']}"
    names = (*MEASURES, "all four")
    rates = {
        (c["collection"], c["topics"], c["change"], c["rule"]): [c[name] for name in names]
        for c in found["false_blocks"]
    }
    blocks = {
        change: table(
            ["collection", "topics", *MEASURES, "a gate on all four"],
            [
                [
                    label,
                    str(n),
                    *(
                        f"{percent(x)} ({percent(y)})"
                        for x, y in zip(*_rules(rates, name, n, change), strict=True)
                    ),
                ]
                for name, label in COLLECTIONS.items()
                for n in TOPICS
            ],
        )
        for change in ("exchanged", "centred", "worse")
    }
    every = {
        (c["collection"], c["topics"], kind, c["change"]): [c[name] for name in names]
        for kind in ("false_passes", "grouped")
        for c in found[kind]
    }

    def by_queries(*columns: tuple[str, str]) -> str:
        """A table of shares: the first column, the second in brackets, the third after a
        semicolon.
        """
        rows = []
        for name, label in COLLECTIONS.items():
            for n in TOPICS:
                shares = [map(percent, every[name, n, *column]) for column in columns]
                forms = ("{}", "{} ({})", "{} ({}); {}")
                cells = [
                    forms[len(columns) - 1].format(*cell) for cell in zip(*shares, strict=True)
                ]
                rows.append([label, str(n), *cells])
        return table(["collection", "topics", *MEASURES, "a gate on all four"], rows)

    def largest(kind: str, change: str, *, but: tuple[str, ...] = ()) -> str:
        """The largest share, but for some collections."""
        return percent(
            max(
                max(shares)
                for (name, _, of_kind, of_change), shares in every.items()
                if (of_kind, of_change) == (kind, change) and name not in but
            )
        )

    return dict(
        summary=table(
            ["measure", *(f"{n} topics" for n in TOPICS)],
            [
                [
                    measure,
                    *(
                        f"{percent(cells[measure, n, 'all', True])} "
                        f"({percent(cells[measure, n, 'all', False])})"
                        for n in TOPICS
                    ),
                ]
                for measure in MEASURES
            ],
        ),
        groups=by_queries(("grouped", "groups"), ("grouped", "groups, centred")),
        repeats=by_queries(("grouped", "repeats")),
        passes=by_queries(
            *(("false_passes", change) for change in ("exchanged", "centred", "repeats"))
        ),
        groups_text=GROUPS_TEXT.format(
            exchanged=largest("grouped", "groups"),
            centred=largest("grouped", "groups, centred", but=("dl19-passage",)),
            dl=largest("grouped", "groups, centred"),
        ),
        false_passes=largest("false_passes", "exchanged"),
        false_passes_skewed=largest("false_passes", "centred", but=("dl19-passage",)),
        false_passes_dl=largest("false_passes", "centred"),
        passes_text=PASSES_TEXT.format(
            exchanged=largest("false_passes", "exchanged"),
            centred=largest("false_passes", "centred", but=("dl19-passage",)),
            dl=largest("false_passes", "centred"),
        ),
        symmetric=errors[True],
        skewed=errors[False],
        worst=percent(max(cells[m, n, e, True] for m in MEASURES for n in TOPICS for e in EQUAL)),
        others=table(
            ["topics", *words.values()],
            [[str(c["topics"]), *(percent(c[m]) for m in METHODS)] for c in found["skewed"]],
        ),
        power=table(["measure", "topics", *words.values()], power_rows),
        weak=table(
            ["measure", *words.values()],
            [[name, *(of[m] for m in METHODS)] for name, of in weak.items()],
        ),
        exchanged=blocks["exchanged"],
        centred=blocks["centred"],
        losses=blocks["worse"],
        most=percent(
            max(
                x
                for (_, _, change, rule), of in rates.items()
                if (change, rule) == ("exchanged", "gate")
                for x in of
            )
        ),
        experiments=EXPERIMENTS,
        compared=COMPARED,
    )


SUMMARY = """\
# How often the test is wrong, and how much it finds

<!-- Written by study/significance.py from docs/significance/results.json. -->

Can you trust a significant difference? We simulated experiments, in which we know the equal runs, from the 79 runs of
TREC-COVID's third round. In short:

- **If differences are symmetric, yes**, as the test assumes. At level 5 %, the [step-down test](glossary.md#step-down-test) of
  [leaderboards](leaderboard.md), `report`, `compare` and `against` calls equal runs different in at most {worst} % of experiments.
- **With fewer than 50 topics, take a difference that is just significant as a hint.** Real differences are skewed: a few topics are
  far on one side. The test is then wrong more often.
- **Do not trust RR with few topics**, and do not gate on RR or P@5 with fewer than 50: most runs have the same value on most
  topics, and ten topics may include none of the others.

Experiments in which any two of 20 equal runs are called different, in per cent of {experiments:,}; in brackets, if differences are as
skewed as those of real runs:

{summary}
Holm's test has the same problem, and finds fewer of the pairs that truly differ. Weak runs in a table cost the step-down test next to
nothing. All tables are in `study/ERROR-RATES.md` in the repository.

## The gate

[`irpref gate`](better.md) can be wrong in two ways. These figures are for level 95 % and margin 0.02.

**It blocks a change without effect** in at most {most} % of cases, for any measure and number of topics, if a coin decides whether
the two values of a topic are swapped. A gate on four measures, or with groups of topics, blocks no more often, since they share the
level. If differences are as skewed as those of real runs, it stays below 5 % on the two collections on which its rule was chosen. On
a third, DL 2019, it does so for each measure from 40 topics on; with ten topics it blocks up to 7.8 % by RR, and a gate on all four
measures up to 19.7 %.

**It passes a change that loses exactly the margin** in at most {false_passes} % of cases with swapped values. With skewed
differences it is at most {false_passes_skewed} % on those two collections, and up to {false_passes_dl} % on DL 2019 by RR, whose few
large losses ten topics may not show.

The gate blocks only if a sign-flip test agrees with its bounds. With 40 topics or more this costs one or two points of power by
nDCG@10 and AP, and up to eight by P@5 and RR.
"""

GROUPS_TEXT = """\
At most {exchanged} % are blocked, and at most {centred} % with skewed differences on the two collections on which the rule was
chosen. On DL 2019 it is up to {dl} %, by RR: a group of eight topics has the same problem as ten topics."""
PASSES_TEXT = """\
With swapped values, at most {exchanged} % pass. With skewed differences, it is at most {centred} % on TREC-COVID and Robust, and up
to {dl} % on DL 2019 by RR, whose few large losses ten topics may not show."""

TEXT = """\
# Error rates and power of the significance test

<!-- Written by study/significance.py from docs/significance/results.json. -->

These are the tables behind [How often the test is wrong](../docs/significance.md).

The experiments use the 79 runs and 40 topics of TREC-COVID's third round. Each takes 20 runs, subtracts their means, draws topics with
replacement, and adds known means, so that we know which runs are equal. All numbers are per cent.

## Errors, if differences are symmetric

In how many of {experiments:,} experiments does the test call *any* pair of equal runs different, at level 5 %? All of the 190 pairs
are equal, or nine tenths, half or a tenth; the other runs have the means of real runs. The sign of each topic is drawn, too, which
makes differences symmetric about 0, as the test assumes. The standard error of a 5 % in the table is 0.4.

{symmetric}
The largest is {worst} %. With 10 topics, all sign vectors are tried and the test is exact.

## Errors, if differences are skewed

Without drawn signs, the differences look like those of real runs: a few topics are far on one side.

{skewed}
Here the test is wrong more often than 5 %. If all runs are equal, the excess with 40 topics is 5 to 7 percentage points for
nDCG@10, AP and P@5, and 17 for RR. With 200 topics, it is at most 1 point, and 2 for RR. With ten topics, the test is useless for RR:
most runs have RR 1 on most topics, and ten topics may include none of the others. **With fewer than 50 topics, take any
significant difference in RR as a hint.**

Holm's test has the same problem. With equal runs and nDCG@10, in {compared:,} experiments:

{others}
## What is found

Half of the pairs are equal, and differences are symmetric. How many of the pairs that truly differ does each test find, in
{compared:,} experiments? In brackets: experiments with an error.

{power}
The step-down test finds more than Holm's, and both keep the level.

## What weak runs do to good ones

Take ten good runs (every fourth of the best forty), alone and then together with the ten worst. How many of the 45 pairs of good
runs are called different?

{weak}
With more runs in the family, a pair needs a smaller p with any method. In the step-down test, weak runs have no other effect.

## False blocks of the gate

How many changes without any effect does [`irpref gate`](../docs/better.md) block (margin 0.02, level 95 %)? Each of 10,000 changes takes two
real runs and draws topics with replacement. For each topic, a coin decides whether the two values are swapped, so that neither run is
better. In brackets: what the bounds of the paired t distribution would block without the sign-flip test. The standard error of
a 5 % in the table is 0.2.

{exchanged}
The gate blocks at most {most} %. Its sign-flip test is exact here for any measure and number of topics, and it uses 0.85 of the
level. Several measures share the level, so a gate on four blocks no more than a gate on one.

The same for changes whose mean difference was subtracted instead, which leaves differences as skewed as those of real runs:

{centred}
On TREC-COVID and Robust, on which the 0.85 was chosen, the gate stays below 5 %. On DL 2019 it does so for each measure from 40
topics on. With ten topics it blocks up to 7.8 % by RR, and a gate on all four measures blocks 6.8 % with 40 and 19.7 % with ten:
most runs have the same RR and P@5 on most topics, so ten topics may all show the same small loss, and the few large gains that
make up for it may be missing. **Do not gate on RR or P@5 with fewer than 50 topics.**

What does the sign-flip test cost? The gate blocks this share of real runs that are worse than their baseline:

{losses}
With 40 topics or more, it costs one or two points by nDCG@10 and AP, and up to eight by P@5 and RR. With ten topics, it costs up to
twelve, as ten differences in P@5 or RR have few different values.

## Groups of topics, and repeats

A gate with groups blocks if the whole or a group is shown to be worse. There are more ways to be wrong, and they share the level.
Here the topics fall into three groups, of half, three tenths and a fifth of them. These are the blocked changes without any effect; in
brackets, with differences as skewed as those of real runs:

{groups}
{groups_text}

Now each system was run three times. A coin decides which of two real runs gives the value of a topic in each run, so that both
systems have the same expected value. These changes are blocked:

{repeats}

## False passes of the gate

A change that loses exactly the margin should pass in at most 5 % of experiments. It passes in these shares with swapped values; in
brackets, with differences as skewed as those of real runs; then with three runs of each system:

{passes}
{passes_text}
"""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compute(Path(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
    TABLES.write_text(tables(), encoding="utf-8")
