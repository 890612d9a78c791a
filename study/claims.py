"""The confirmatory hypotheses of the preregistration as data, and the rule that gives their
verdicts.

A hypothesis is about one number in each collection: a difference of an outcome between measures
(means over the measures named), or the logarithm of a ratio. Collections are the sample. Rounds of
one collection (`-r1`, `-r3`) share topics and count once, with their mean.

    x_1 ... x_k   estimates of k collections     interval at level a:  mean -+ t(1 - a/2, k - 1) sd / sqrt(k)

    claim           supported              refuted               no effect
    'more'          interval above 0       interval below 0      interval inside (-margin, margin); goes first
    'not less'      interval above         interval below        -
                    -margin                -margin
    'less', 'not more': the same with the sign turned

The p-value of a hypothesis is the smallest a at which its interval gives any verdict. Holm's
procedure takes these p-values; a hypothesis that it passes gets the verdict of the interval at its
own level, 0.05 / (number not yet passed), and all others are open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

ALPHA = 0.05
MOSTLY_GRADED = 0.5  # least share of topics that have relevant documents of several grades, for H3
LEAST = 3  # collections for a verdict
# What halving the judgments (20 % to 10 %) costs nDCG', in the earlier results: tau with its own
# ranking; tau with the criteria on other topics; share of pairs that turn (half of the first);
# factor by which pairs that turn grow.
OWN, PREDICTION, PAIRS, TURNED = 0.04, 0.03, 0.02, 1.35
WRONG = 1.5  # half as many wrong calls again

SUPPORTED, NO_EFFECT, REFUTED, OPEN = "supported", "no effect", "refuted", "open"
# Collections of the earlier study, whose results were known when the hypotheses were written.
SEEN = (
    "clef-ehealth-2018",
    "dl19-passage",
    "dl20-passage",
    "robust03",
    "trec-covid-r1",
    "trec-covid-r3",
)

NORMS = ("rpref absolute", "rpref relative", "rpref relative2")
PLAIN = ("AP", "Q", "nDCG", "RBP")
CONDENSED = tuple(f"{name}'" for name in PLAIN)
SAFE = ("AP'", "Q'", "nDCG'")  # condensed lists that do not look at the top alone
GRADED = (*NORMS, "Q'", "nDCG'")
BINARY = tuple(f"{name} binary" for name in GRADED)


@dataclass(frozen=True)
class Hypothesis:
    """A claim on one number: outcome of `plus` (mean over the measures) less the outcome of
    `minus`.

    Attributes
    ----------
    words : the claim, as the page prints it
    loss, outcome : which results
    claim : 'more', 'less', 'not less', 'not more'
    margin : float
        Differences inside it count as none; of a ratio, its factor.
    ratio : bool
        The logarithm of the ratio in place of the difference; of `own`, the ratio of pairs that
        turn.
    graded : bool
        Only of collections whose judgments are graded: see `MOSTLY_GRADED`.
    """

    name: str
    words: str
    loss: str
    outcome: str
    plus: tuple[str, ...]
    minus: tuple[str, ...]
    claim: str
    margin: float
    ratio: bool = False
    graded: bool = False

    @property
    def bound(self) -> float:
        """The margin on the scale of the estimates."""
        return float(np.log(self.margin)) if self.ratio else self.margin

    @property
    def edge(self) -> float:
        """Where the claim begins, on the scale of the estimates."""
        return {"not less": -self.bound, "not more": self.bound}.get(self.claim, 0.0)

    def estimand(self, by_measure: Mapping[str, ArrayLike]) -> np.ndarray:
        """Compute the number from the outcome by measure; arrays (of replicates) give arrays."""

        def mean(labels: tuple[str, ...]) -> np.ndarray:
            outcome = np.mean(
                [np.asarray(by_measure[label], dtype=float) for label in labels], axis=0
            )
            return 1 - outcome if self.ratio and self.outcome == "own" else outcome

        if self.ratio:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.log(mean(self.plus) / mean(self.minus))
        return mean(self.plus) - (mean(self.minus) if self.minus else 0.0)

    def read(self, low: float, high: float) -> str:
        """Read a verdict from an interval."""
        if self.claim in ("less", "not more"):
            low, high = -high, -low
        if self.claim in ("more", "less"):
            if -self.bound < low and high < self.bound:
                return NO_EFFECT
            return SUPPORTED if low > 0 else REFUTED if high < 0 else OPEN
        return SUPPORTED if low > -self.bound else REFUTED if high < -self.bound else OPEN

    def reach(self, estimate: ArrayLike) -> np.ndarray:
        """Compute the half width below which an interval around the estimate gives a verdict."""
        x = np.asarray(estimate, dtype=float) * (-1 if self.claim in ("less", "not more") else 1)
        if self.claim in ("more", "less"):
            return np.maximum(np.abs(x), self.bound - np.abs(x))
        return np.abs(x + self.bound)


_RANDOM, _POOLS = "random 10", "pools 10"
HYPOTHESES = (
    Hypothesis(
        "H1", "rpref keeps bpref's own ranking", _RANDOM, "own", NORMS, ("bpref",), "not less", OWN
    ),
    Hypothesis(
        "H2",
        "rpref predicts as well as bpref",
        _RANDOM,
        "prediction",
        NORMS,
        ("bpref",),
        "not less",
        PREDICTION,
    ),
    Hypothesis(
        "H3",
        "grades add to the prediction",
        _RANDOM,
        "prediction",
        GRADED,
        BINARY,
        "more",
        PREDICTION,
        graded=True,
    ),
    Hypothesis(
        "H4",
        "leaving unjudged documents out adds to the prediction",
        _RANDOM,
        "prediction",
        CONDENSED,
        PLAIN,
        "more",
        PREDICTION,
    ),
    Hypothesis(
        "H5",
        "condensed AP, Q, nDCG keep their ranking as bpref does",
        _RANDOM,
        "own",
        SAFE,
        ("bpref",),
        "not less",
        OWN,
    ),
    Hypothesis(
        "H6",
        "condensed AP, Q, nDCG predict as well as rpref",
        _RANDOM,
        "prediction",
        SAFE,
        NORMS,
        "not less",
        PREDICTION,
    ),
    Hypothesis(
        "H7",
        "plain measures put systems that were not pooled too low",
        _POOLS,
        "bias",
        PLAIN,
        (),
        "less",
        PAIRS,
    ),
    Hypothesis(
        "H8",
        "leaving unjudged documents out moves them up",
        _POOLS,
        "bias",
        CONDENSED,
        PLAIN,
        "more",
        PAIRS,
    ),
    Hypothesis(
        "H9",
        "condensed measures favour systems that were not pooled",
        _POOLS,
        "bias",
        CONDENSED,
        (),
        "more",
        PAIRS,
    ),
    Hypothesis(
        "H10",
        "unretrieved='infinity' reverses more pairs than 'zero'",
        _RANDOM,
        "own",
        ("rpref absolute infinity", "rpref relative infinity"),
        ("rpref absolute", "rpref relative"),
        "more",
        TURNED,
        ratio=True,
    ),
    Hypothesis(
        "H11",
        "RBP' and nDCG'@10 call more pairs wrongly significant than nDCG'",
        _RANDOM,
        "wrong",
        ("RBP'", "nDCG'@10"),
        ("nDCG'",),
        "more",
        WRONG,
        ratio=True,
    ),
    Hypothesis(
        "H12",
        "rpref calls no more pairs wrongly significant than nDCG'",
        _RANDOM,
        "wrong",
        NORMS,
        ("nDCG'",),
        "not more",
        WRONG,
        ratio=True,
    ),
)


@dataclass(frozen=True)
class Verdict:
    """The verdict of the collections: mean over collections, the interval from which the verdict is
    read, and its level.

    `p` is adjusted by Holm; `low` and `high` are at 1 - `level`, and infinite with fewer than three
    collections. `flips` is the p-value of the exact sign-flip test over the collections, of this
    hypothesis alone: of a mean of 0, or of the bound of the claim."""

    hypothesis: Hypothesis
    units: int
    mean: float
    low: float
    high: float
    level: float
    p: float
    flips: float
    verdict: str


def unit(collection: str) -> str:
    """Name the unit that counts once: a collection without its round."""
    return re.sub(r"-r\d+$", "", collection)


def units(by_collection: Mapping[str, float]) -> list[float]:
    """Collect the estimates of the collections, rounds of one collection averaged."""
    grouped: dict[str, list[float]] = {}
    for name, estimate in by_collection.items():
        grouped.setdefault(unit(name), []).append(estimate)
    return [float(np.mean(estimates)) for estimates in grouped.values()]


def sign_flips(estimates: np.ndarray) -> float:
    """Compute the exact two-sided p-value of the mean: share of all sign vectors with as large a
    mean.
    """
    signs = np.array(list(product((1.0, -1.0), repeat=len(estimates))))
    sums = np.abs(signs @ estimates)
    return float(np.mean(sums >= sums[0] * (1 - 1e-12)))


def decide(
    estimates: np.ndarray, hypotheses: Sequence[Hypothesis] = HYPOTHESES
) -> tuple[np.ndarray, ...]:
    """Compute Holm's levels, intervals and adjusted p-values for whole simulations.

    Parameters
    ----------
    estimates : float array (n_hypotheses, n_collections, ...)
        NaN if a collection has no number for a hypothesis.

    Returns
    -------
    level, low, high, p : float arrays (n_hypotheses, ...)
        `level` is 0 for a hypothesis that Holm's procedure does not pass; its interval is at the
        level at which the procedure ended.
    """
    from scipy import stats

    n = len(estimates)
    k = np.isfinite(estimates).sum(axis=1)
    freedom = np.maximum(k - 1, 1)
    mean = np.nanmean(estimates, axis=1)
    spread = np.sqrt(np.nansum((estimates - mean[:, None]) ** 2, axis=1) / freedom)
    error = np.where(k >= LEAST, spread / np.sqrt(k), np.inf)
    reach = np.array([h.reach(x) for h, x in zip(hypotheses, mean, strict=True)])
    with np.errstate(divide="ignore"):
        p = 2 * stats.t.sf(reach / error, freedom)
    order = np.argsort(p, axis=0, kind="stable")
    left = (n - np.arange(n)).reshape(-1, *[1] * (p.ndim - 1))
    rising = np.minimum(np.maximum.accumulate(np.take_along_axis(p, order, 0) * left, axis=0), 1)
    back = np.argsort(order, axis=0, kind="stable")
    adjusted = np.take_along_axis(rising, back, 0)
    passed = rising <= ALPHA
    # Those that are not passed are all looked at with the level at which the procedure ended.
    ended = np.maximum(n - passed.sum(axis=0), 1)
    used = np.take_along_axis(np.where(passed, ALPHA / left, ALPHA / ended), back, 0)
    width = stats.t.isf(used / 2, freedom) * error
    return np.where(adjusted <= ALPHA, used, 0.0), mean - width, mean + width, adjusted


def verdicts(by_hypothesis: Mapping[str, Mapping[str, float]]) -> list[Verdict]:
    """Reach verdicts from the estimate of each hypothesis (by name) in each collection (by
    name).
    """
    each = [units(by_hypothesis[h.name]) for h in HYPOTHESES]
    most = max(map(len, each))
    table = np.array([[*estimates, *[np.nan] * (most - len(estimates))] for estimates in each])
    level, low, high, p = decide(table)
    return [
        Verdict(
            h,
            len(each[i]),
            float(np.mean(each[i])),
            float(low[i]),
            float(high[i]),
            float(level[i]),
            float(p[i]),
            sign_flips(np.array(each[i]) - h.edge),
            h.read(low[i], high[i]) if level[i] else OPEN,
        )
        for i, h in enumerate(HYPOTHESES)
    ]
