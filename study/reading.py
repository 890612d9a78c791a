"""The result files of all collections, read and checked against each other; the claims of the hypotheses in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from study.hypotheses import HYPOTHESES, PRIMARY_LEVEL, Claim, Hypothesis, claim_verdict, verdict
from study.outcomes import holm

TABLES = ("outcomes", "intervals", "differences", "teams", "full", "losses", "seed")
DEPTH = 100  # the primary one
TITLES = {
    "trec-covid-r1": "TREC-COVID round 1",
    "trec-covid-r3": "TREC-COVID round 3",
    "dl19-passage": "TREC DL 2019",
    "dl20-passage": "TREC DL 2020",
    "clef-ehealth-2018": "CLEF eHealth 2018",
    "robust03": "TREC Robust 2003",
}


@dataclass(frozen=True)
class Difference:
    """A difference of an outcome between two measures (or an outcome of one), with its interval."""

    estimate: float
    low: float
    high: float
    p: float

    def __neg__(self) -> Difference:
        return Difference(-self.estimate, -self.high, -self.low, self.p)

    @property
    def sign(self) -> int:
        """1 or -1 where the interval lies above or below 0, else 0."""
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True)
class Row:
    """A claim in a setting."""

    collection: str
    depth: int
    found: Difference
    state: str
    p_holm: float


@dataclass(frozen=True)
class Part:
    """A claim over the settings."""

    claim: Claim
    rows: tuple[Row, ...]

    @property
    def verdict(self) -> str:
        return claim_verdict([row.state for row in self.rows])

    def count(self, state: str) -> int:
        """In how many settings it is in this state."""
        return sum(row.state == state for row in self.rows)

    @property
    def estimates(self) -> list[float]:
        return [row.found.estimate for row in self.rows]

    @property
    def together(self) -> Difference:
        """Mean of the estimates with its 95 % t-interval, collections being the sample; NaN of fewer than three."""
        return over_collections(self.estimates)


def over_collections(estimates: Sequence[float]) -> Difference:
    """Mean, 95 % interval and p-value of no difference by Student's t, collections being the sample."""
    from scipy import stats

    given = np.asarray(estimates, dtype=np.float64)
    mean = float(given.mean()) if given.size else float("nan")
    if given.size < 3 or given.std() == 0:
        return Difference(mean, float("nan"), float("nan"), float("nan"))
    error = given.std(ddof=1) / np.sqrt(given.size)
    reach = float(stats.t.ppf(0.975, given.size - 1)) * error
    return Difference(mean, mean - reach, mean + reach, float(stats.ttest_1samp(given, 0.0).pvalue))


@dataclass(frozen=True)
class Tested:
    """A hypothesis with what the files say."""

    hypothesis: Hypothesis
    parts: tuple[Part, ...]

    @property
    def verdict(self) -> str:
        return verdict([part.verdict for part in self.parts])


class Results:
    """All result files below a folder.

    Raises
    ------
    ValueError
        There are none, or the files contradict each other.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        homes = sorted(path.parent for path in self.folder.glob("*/settings.json"))
        if not homes:
            raise ValueError(
                f"{folder} has no results (a folder a collection, with settings.json): python -m study FOLDER..."
            )
        known = [*TITLES, *sorted(home.name for home in homes if home.name not in TITLES)]
        homes.sort(key=lambda home: known.index(home.name))
        self.names = [home.name for home in homes]
        self.settings: dict[str, dict[str, Any]] = {
            home.name: json.loads((home / "settings.json").read_text(encoding="utf-8")) for home in homes
        }
        for name in TABLES:
            parts = [
                pd.read_csv(path, keep_default_na=True).assign(collection=home.name)
                for home in homes
                if (path := home / f"{name}.csv").exists()
            ]
            setattr(self, name, pd.concat(parts, ignore_index=True) if parts else pd.DataFrame())
        # What is compared with nothing is compared with 0.
        self.differences["b"] = self.differences["b"].fillna("0").astype(str)
        self.homes = {home.name: home for home in homes}
        self._check()

    outcomes: pd.DataFrame
    intervals: pd.DataFrame
    differences: pd.DataFrame
    teams: pd.DataFrame
    full: pd.DataFrame
    losses: pd.DataFrame
    seed: pd.DataFrame

    def title(self, collection: str) -> str:
        """Name of a collection in words."""
        return TITLES.get(collection, collection)

    @property
    def primary(self) -> list[tuple[str, int]]:
        """Settings at depth 100."""
        return [(name, DEPTH) for name in self.names]

    @cached_property
    def every(self) -> list[tuple[str, int]]:
        """All settings, a collection's together."""
        return [(name, int(of["depth"])) for name in self.names for of in self.settings[name]["settings"]]

    @cached_property
    def deepest(self) -> list[tuple[str, int]]:
        """The deepest setting of each collection that has one deeper than 100."""
        deep = {name: depth for name, depth in self.every if depth > DEPTH}
        return list(deep.items())

    @cached_property
    def _means(self) -> dict[tuple[Any, ...], float]:
        columns = ["collection", "depth", "loss", "level", "measure", "outcome"]
        return dict(zip(self.outcomes[columns].itertuples(index=False, name=None), self.outcomes["mean"], strict=True))

    def mean(self, collection: str, depth: int, loss: str, level: int, measure: str, outcome: str) -> float:
        """Mean over the samples; NaN where it was not computed."""
        return float(self._means.get((collection, depth, loss, level, measure, outcome), np.nan))

    @cached_property
    def _differences(self) -> dict[tuple[Any, ...], Difference]:
        return self._read_differences(["estimate", "low", "high", "p"])

    def _read_differences(self, columns: list[str]) -> dict[tuple[Any, ...], Difference]:
        of = self.differences
        keys = of[["collection", "depth", "loss", "level", "outcome", "a", "b"]].itertuples(index=False, name=None)
        rows = of[columns].itertuples(index=False, name=None)
        return {key: Difference(*row) for key, row in zip(keys, rows, strict=True)}

    def difference(
        self, collection: str, depth: int, loss: str, outcome: str, a: str, b: str = "0", level: int | None = None
    ) -> Difference | None:
        """a - b at the primary level, however it is stored; `b` '0': of a itself; None where there is none."""
        place = (collection, depth, loss, PRIMARY_LEVEL[loss] if level is None else level, outcome)
        found = self._differences.get((*place, a, b))
        if found is None and (turned := self._differences.get((*place, b, a))) is not None:
            found = -turned
        return found

    def interval(
        self, collection: str, depth: int, loss: str, level: int, outcome: str, measure: str
    ) -> Difference | None:
        """An outcome of a measure with its interval."""
        return self._intervals.get((collection, depth, loss, level, outcome, measure))

    def second(self, collection: str, depth: int, loss: str, outcome: str, a: str, b: str = "0") -> Difference | None:
        """a - b with the interval of the mean over several samples; None where there is none."""
        place = (collection, depth, loss, PRIMARY_LEVEL[loss], outcome)
        found = self._seconds.get((*place, a, b))
        if found is None and (turned := self._seconds.get((*place, b, a))) is not None:
            found = -turned
        return found if found is not None and np.isfinite(found.low) else None

    @cached_property
    def _seconds(self) -> dict[tuple[Any, ...], Difference]:
        return self._read_differences(["estimate", "mean_low", "mean_high", "mean_p"])

    def second_states(self, part: Part) -> list[str]:
        """What the second look says of a claim, by collection; empty where it was not taken."""
        claim = part.claim
        found = [
            self.second(row.collection, row.depth, claim.loss, claim.outcome, claim.a, claim.b or "0")
            for row in part.rows
        ]
        return [claim.state(one.low, one.high) for one in found if one is not None]

    @cached_property
    def _intervals(self) -> dict[tuple[Any, ...], Difference]:
        of = self.intervals
        keys = of[["collection", "depth", "loss", "level", "outcome", "measure"]].itertuples(index=False, name=None)
        rows = of[["estimate", "low", "high"]].itertuples(index=False, name=None)
        return {
            key: Difference(estimate, low, high, float("nan"))
            for key, (estimate, low, high) in zip(keys, rows, strict=True)
        }

    def samples(self, collection: str) -> pd.DataFrame:
        """Sample by sample, at depth 100."""
        return pd.read_csv(self.homes[collection] / "samples.csv.gz")

    # ------------------------------------------------------------------------------------------- consistency

    def _check(self) -> None:
        """Files that say different things of the same number are not of one study."""
        self._known_measures()
        asked = {(of["samples"], of["seed"], of["replicates"]) for of in self.settings.values()}
        if len(asked) > 1:
            raise ValueError(f"the collections differ in samples, seed or replicates: {sorted(asked)}")
        for name, of in self.settings.items():
            if DEPTH not in {int(one["depth"]) for one in of["settings"]}:
                raise ValueError(f"{name} has no setting at depth {DEPTH}")
        of = self.outcomes
        slack = 1e-4 * np.maximum(1, of["mean"].abs())
        odd = of[(of["mean"] < of["min"] - slack) | (of["mean"] > of["max"] + slack)]
        self._same(odd, "a mean outside of its samples", "outcomes.csv")
        for table, file in ((self.intervals, "intervals.csv"), (self.differences, "differences.csv")):
            self._same(table[table["low"] > table["high"]], "an interval that ends before it begins", file)
        ours = [
            self._means.get(key, np.nan)
            for key in self.intervals[["collection", "depth", "loss", "level", "measure", "outcome"]].itertuples(
                index=False, name=None
            )
        ]
        off = np.abs(np.array(ours) - self.intervals["estimate"].to_numpy())
        self._same(
            self.intervals[~(off <= 1e-4 * np.maximum(1, np.abs(ours)))],
            "another estimate than outcomes.csv",
            "intervals.csv",
        )
        stored = self.differences[~self.differences["outcome"].isin(["tau_deeper", "bias_size"])]
        place = ["collection", "depth", "loss", "level"]
        sides = []
        for side in ("a", "b"):
            keys = stored[[*place, side, "outcome"]].itertuples(index=False, name=None)
            sides.append([0.0 if key[4] == "0" else self._means.get(key, np.nan) for key in keys])
        a, b = np.array(sides[0]), np.array(sides[1])
        off = np.abs(a - b - stored["estimate"].to_numpy())
        odd = stored[~(off <= 1e-4 * np.maximum(1, np.maximum(np.abs(a), np.abs(b))))]
        self._same(odd, "a difference that the means of outcomes.csv do not have", "differences.csv")

    def _known_measures(self) -> None:
        from study.measures import LABELS

        for table, columns in ((self.outcomes, ["measure"]), (self.differences, ["a", "b"])):
            for column in columns:
                unknown = set(table[column]) - set(LABELS) - {"0"}
                if unknown:
                    raise ValueError(f"unknown measures in the results: {', '.join(sorted(unknown))}")

    def _same(self, odd: pd.DataFrame, what: str, file: str) -> None:
        if len(odd):
            first = ", ".join(f"{key}={value}" for key, value in odd.iloc[0].items())
            raise ValueError(f"{file} has {what} ({len(odd)} rows; the first: {first})")

    # --------------------------------------------------------------------------------------------- hypotheses

    @cached_property
    def tested(self) -> dict[str, Tested]:
        """Every hypothesis with its verdict."""
        return {of.name: self._test(of) for of in HYPOTHESES}

    def _test(self, hypothesis: Hypothesis) -> Tested:
        found: list[list[tuple[str, int, Difference]]] = []
        for claim in hypothesis.claims:
            where = self.deepest if claim.deepest else self.primary
            rows = []
            for collection, depth in where:
                one = self.difference(collection, depth, claim.loss, claim.outcome, claim.a, claim.b or "0")
                if one is None and claim.loss in ("team", "shallow") and not self._has(collection, claim.loss):
                    continue  # a collection of one team
                if one is None:
                    raise ValueError(
                        f"{collection} at depth {depth} has no {claim.outcome} of {claim.a} and {claim.b or 0} under "
                        f"{claim.loss}, which {hypothesis.name} is about"
                    )
                rows.append((collection, depth, one))
            found.append(rows)
        adjusted = iter(holm([one.p for rows in found for _, _, one in rows]).tolist())
        return Tested(
            hypothesis,
            tuple(
                Part(
                    claim,
                    tuple(Row(c, d, one, claim.state(one.low, one.high), next(adjusted)) for c, d, one in rows),
                )
                for claim, rows in zip(hypothesis.claims, found, strict=True)
            ),
        )

    def _has(self, collection: str, loss: str) -> bool:
        of = self.outcomes
        return bool(((of["collection"] == collection) & (of["loss"] == loss)).any())

    def claims(self) -> Iterator[tuple[Any, ...]]:
        """All claims in all settings: rows of claims.csv."""
        for of in self.tested.values():
            for part in of.parts:
                for row in part.rows:
                    one, claim = row.found, part.claim
                    yield (
                        *(of.hypothesis.name, claim.loss, claim.outcome, claim.a, claim.b, row.collection, row.depth),
                        *(one.estimate, one.low, one.high, one.p, row.p_holm, row.state),
                    )

    # ---------------------------------------------------------------------------------------------- summaries

    def over(self, a: str, b: str, loss: str, outcome: str = "prediction") -> Difference:
        """a - b over the collections at depth 100: the mean, with an interval that takes collections as the sample."""
        level = PRIMARY_LEVEL[loss]
        found = [
            self.mean(c, d, loss, level, a, outcome) - self.mean(c, d, loss, level, b, outcome) for c, d in self.primary
        ]
        return over_collections([one for one in found if np.isfinite(one)])

    def shortfalls(self, loss: str, measures: Sequence[str], outcome: str = "prediction") -> dict[str, list[float]]:
        """How far each measure is from the best of them, in each setting at depth 100; the smallest maximum first."""
        level = PRIMARY_LEVEL[loss]
        rows = np.array([[self.mean(c, d, loss, level, m, outcome) for m in measures] for c, d in self.primary])
        rows = rows[np.isfinite(rows).all(axis=1)]
        if not len(rows):
            return {}
        lost = rows.max(axis=1, keepdims=True) - rows
        return {measures[k]: lost[:, k].tolist() for k in np.argsort(lost.max(axis=0), kind="stable")}


# ------------------------------------------------------------------------------------------------ mixed model


@dataclass(frozen=True)
class Effect:
    """A factor's effect on prediction in the mixed model, and the smallest and largest by collection."""

    name: str
    estimate: float
    error: float
    by_collection: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Factor:
    """A line of the table of variance."""

    name: str
    df: int
    squares: float
    f: float
    p: float
    share: float  # partial eta squared


@dataclass(frozen=True)
class Model:
    """The mixed model of one loss: effects, variances of the random intercepts, and the table of variance."""

    effects: tuple[Effect, ...]
    collection: float
    sample: float
    residual: float
    rows: int
    table: tuple[Factor, ...]


def mixed_model(results: Results, loss: str) -> Model:
    """Linear mixed model of prediction at the primary level: see `fit`."""
    from study.measures import FACTS

    level = PRIMARY_LEVEL[loss]
    blocks, owner = [], []
    measures = [m for m, of in FACTS.items() if of.family in ("AP", "nDCG", "Q", "RBP", "preferences")]
    measures = [m for m in measures if m not in ("infAP", "nDCG@10", "nDCG'@10", "n-pref", "bpref-10")]
    for name in results.names:
        of = results.samples(name)
        of = of[(of["loss"] == loss) & (of["level"] == level)]
        if of.empty:
            continue
        wide = of.pivot(index="sample", columns="measure", values="prediction")[measures].dropna()
        blocks.append(wide.to_numpy())
        owner += [name] * len(wide)
    columns: dict[str, list[list[float]]] = {"family": [], "condensed": [], "grades": [], "norm": [], "unretrieved": []}
    names: dict[str, list[str]] = {
        "family": [
            "nDCG rather than AP",
            "Q rather than AP",
            "RBP rather than AP",
            "preferences (norm N) rather than AP",
        ],
        "condensed": ["unjudged documents left out"],
        "grades": ["grades"],
        "norm": ["norm R rather than N", "norm relative rather than N", "norm relative2 rather than N"],
        "unretrieved": ["infinity rather than zero"],
    }
    for m in measures:
        facts = FACTS[m]
        columns["family"].append([float(facts.family == f) for f in ("nDCG", "Q", "RBP", "preferences")])
        # A preference measure is one on judged documents; what distinguishes it beside is its family.
        columns["condensed"].append([float(facts.condensed)])
        columns["grades"].append([float(facts.graded)])
        columns["norm"].append([float(facts.norm == n) for n in ("R", "relative", "relative2")])
        columns["unretrieved"].append([float(facts.unretrieved == "infinity")])
    factors = {name: np.array(rows) for name, rows in columns.items()}
    return fit(np.concatenate(blocks), owner, factors, names)


def fit(values: Any, owner: Sequence[str], factors: dict[str, Any], names: dict[str, list[str]]) -> Model:
    """Linear mixed model with random intercepts for collections and for samples within them.

    Parameters
    ----------
    values : (n_samples, n_measures)
        Every sample has every measure. The design is balanced, so that the estimates of the fixed effects are those of
        least squares after each sample's mean is taken out, and the variances are those of the table of variance.
    owner : collection of each sample
    factors : name to (n_measures, n_columns)
    names : name to what each column is called
    """
    from scipy import stats

    y = np.asarray(values, dtype=np.float64)
    n_samples, n_measures = y.shape
    within = y - y.mean(axis=1, keepdims=True)
    x = np.concatenate(list(factors.values()), axis=1)
    x = x - x.mean(axis=0)

    def residual_squares(design: Any) -> float:
        if not design.shape[1]:
            return float((within**2).sum())
        coefficients = np.linalg.lstsq(design, within.T, rcond=None)[0]
        # The same design in every sample: the fit is that of the mean over samples.
        fitted = design @ coefficients.mean(axis=1)
        return float(((within - fitted) ** 2).sum())

    df = n_samples * (n_measures - 1) - np.linalg.matrix_rank(x)
    rss = residual_squares(x)
    sigma2 = rss / df
    estimate = np.linalg.lstsq(x, within.mean(axis=0), rcond=None)[0]
    error = np.sqrt(np.diag(np.linalg.pinv(x.T @ x)) * sigma2 / n_samples)
    of = np.asarray(owner)
    collections = list(dict.fromkeys(owner))
    single = {c: np.linalg.lstsq(x, within[of == c].mean(axis=0), rcond=None)[0] for c in collections}
    labels = [label for name in factors for label in names[name]]
    effects = tuple(
        Effect(label, float(estimate[k]), float(error[k]), {c: float(single[c][k]) for c in collections})
        for k, label in enumerate(labels)
    )
    table = []
    for name in factors:
        others = [rows for other, rows in factors.items() if other != name]
        reduced = np.concatenate(others, axis=1) if others else np.zeros((n_measures, 0))
        reduced = reduced - reduced.mean(axis=0)
        squares = residual_squares(reduced) - rss
        n_df = int(np.linalg.matrix_rank(x) - (np.linalg.matrix_rank(reduced) if reduced.shape[1] else 0))
        f = squares / max(n_df, 1) / sigma2
        table.append(Factor(name, n_df, squares, f, float(stats.f.sf(f, n_df, df)), squares / (squares + rss)))
    block = y.mean(axis=1)
    inner = float(np.mean([block[of == c].var(ddof=1) for c in collections]))
    sample = max(0.0, inner - sigma2 / n_measures)
    centre = np.array([block[of == c].mean() for c in collections])
    size = np.mean([np.count_nonzero(of == c) for c in collections])
    collection = max(0.0, float(centre.var(ddof=1)) - inner / float(size)) if len(collections) > 1 else 0.0
    return Model(effects, collection, sample, sigma2, y.size, tuple(table))
