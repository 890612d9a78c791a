"""The hypotheses of the preregistration as data: which differences they are about, and the rule for their verdicts.

The engine computes an interval for every `Claim` here; the page reads it and applies `verdict`. A hypothesis that names
several measures is a conjunction of claims, each judged over the settings by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

# The level of each loss that the hypotheses are about. `team` and `none` have no levels: 0.
PRIMARY_LEVEL = {"random": 10, "shallow": 10, "team": 0, "gone": 70, "judges": 80, "none": 0}
EQUAL = 0.03  # differences of tau below it count as none

HOLDS, CONTRADICTED, OPEN = "holds", "contradicted", "open"
SUPPORTED, REFUTED, UNDECIDED = "supported", "refuted", "undecided"

# Measures that ignore unjudged documents, as H5 names them, and those that take them as not relevant.
IGNORING = (
    "bpref",
    "rpref absolute",
    "rpref relative",
    "rpref relative2",
    "AP'",
    "nDCG'",
    "Q'",
    "RBP'",
)
TAKING = ("AP", "nDCG", "Q", "RBP")


@dataclass(frozen=True)
class Claim:
    """A statement on the difference of an outcome between measures `a` and `b`, or on the outcome of `a` alone.

    Attributes
    ----------
    loss, outcome : as in the result files
    a, b : labels of measures; `b` empty: the outcome of `a` itself
    low, high : float
        The claim is that the difference lies between them.
    deepest : bool
        About the deepest setting of a collection, in place of that at depth 100.
    """

    loss: str
    outcome: str
    a: str
    b: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    deepest: bool = False

    @property
    def level(self) -> int:
        return PRIMARY_LEVEL[self.loss]

    def state(self, low: float, high: float) -> str:
        """What the interval of the difference says: it lies inside of the claim, outside of it, or neither."""
        if low > self.low and high < self.high:
            return HOLDS
        if high < self.low or low > self.high:
            return CONTRADICTED
        return OPEN  # also where there is no interval: comparisons with NaN are false


class Hypothesis(NamedTuple):
    """A hypothesis, in the words of the page, and its claims."""

    name: str
    words: str
    claims: tuple[Claim, ...]


def _more(loss: str, outcome: str, pairs: Iterable[tuple[str, str]], low: float = 0.0) -> tuple[Claim, ...]:
    return tuple(Claim(loss, outcome, a, b, low=low) for a, b in pairs)


HYPOTHESES = (
    Hypothesis(
        "H1",
        "rpref keeps bpref's robustness to random loss",
        (Claim("random", "tau", "rpref absolute", "bpref", low=-EQUAL),),
    ),
    Hypothesis(
        "H2",
        "condensed lists do what preferences do under random loss",
        tuple(Claim("random", "prediction", a, "rpref absolute", -EQUAL, EQUAL) for a in ("Q'", "nDCG'")),
    ),
    Hypothesis(
        "H3",
        "grades help under random loss",
        _more("random", "prediction", ((a, f"{a} binary") for a in ("rpref absolute", "Q'", "nDCG'"))),
    ),
    Hypothesis(
        "H4",
        "leaving unjudged documents out is the ingredient under random loss",
        _more("random", "prediction", ((f"{a}'", a) for a in TAKING)),
    ),
    Hypothesis(
        "H5",
        "left-out teams gain with measures that ignore unjudged documents, and lose with the others",
        (
            *(Claim("team", "bias_value", a, low=0.0) for a in IGNORING),
            *(Claim("team", "bias_value", a, high=0.0) for a in TAKING),
        ),
    ),
    Hypothesis(
        "H6",
        "the absolute norm is biased less than the relative one",
        (Claim("team", "bias_size", "rpref absolute", "rpref relative", high=0.0),),
    ),
    Hypothesis(
        "H7",
        "the absolute norm's agreement with itself comes with depth",
        (
            # The difference at the deepest setting less that at depth 100; then agreement with recall, nothing lost.
            Claim("random", "tau_deeper", "rpref absolute", "rpref relative", low=0.0, deepest=True),
            Claim("none", "tau_recall", "rpref absolute", "rpref relative", low=0.0, deepest=True),
        ),
    ),
    Hypothesis(
        "H8",
        "a penalty for what was not retrieved costs robustness",
        (Claim("random", "tau", "rpref absolute infinity", "rpref absolute", high=-0.05),),
    ),
    Hypothesis(
        "H9",
        "under random loss Q' and nDCG' keep more discriminative power than rpref, and rpref more than bpref",
        _more(
            "random",
            "power",
            (("Q'", "rpref absolute"), ("nDCG'", "rpref absolute"), ("rpref absolute", "bpref")),
        ),
    ),
    Hypothesis(
        "H10",
        "in shallow pools no measure that ignores unjudged documents predicts better than nDCG'",
        tuple(
            Claim("shallow", "prediction", a, "nDCG'", high=EQUAL)
            for a in (*(m for m in IGNORING if m != "nDCG'"), "bpref-10", "bpref N", "n-pref", "nDCG'@10")
        ),
    ),
    Hypothesis(
        "H11",
        "with documents gone, measures that ignore them lose less than AP",
        _more("gone", "tau", ((a, "AP") for a in IGNORING)),
    ),
    Hypothesis(
        "H12",
        "infAP predicts AP's own full ranking better than AP' under random loss",
        _more("random", "tau_full_ap", (("infAP", "AP'"),)),
    ),
)


def claim_verdict(states: Sequence[str]) -> str:
    """The preregistered rule over settings: held in two thirds, contradicted in none; or contradicted more often."""
    holds, contradicted = states.count(HOLDS), states.count(CONTRADICTED)
    if states and not contradicted and Fraction(holds, len(states)) >= Fraction(2, 3):
        return SUPPORTED
    return REFUTED if contradicted > holds else UNDECIDED


def verdict(claims: Sequence[str]) -> str:
    """Of a conjunction: refuted if one of its claims is, supported if all are."""
    if REFUTED in claims:
        return REFUTED
    return SUPPORTED if claims and set(claims) == {SUPPORTED} else UNDECIDED
