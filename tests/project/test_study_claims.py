"""The study's rule: what an interval says, Holm over the hypotheses, and the power that was
reported beforehand.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from study import claims, power
from study.claims import HYPOTHESES, NO_EFFECT, OPEN, REFUTED, SUPPORTED, Hypothesis, decide


def hypothesis(claim, margin=0.03, ratio=False, outcome="prediction"):
    return Hypothesis("H", "", "random 10", outcome, ("a", "b"), ("c",), claim, margin, ratio)


@pytest.mark.parametrize(
    ("claim", "low", "high", "said"),
    [
        ("more", 0.01, 0.05, SUPPORTED),
        ("more", 0.01, 0.02, NO_EFFECT),
        ("more", -0.01, 0.05, OPEN),
        ("more", -0.05, -0.01, REFUTED),
        ("less", -0.05, -0.01, SUPPORTED),
        ("less", 0.01, 0.05, REFUTED),
        ("not less", -0.02, 0.10, SUPPORTED),
        ("not less", -0.04, 0.10, OPEN),
        ("not less", -0.10, -0.04, REFUTED),
        ("not more", -0.10, 0.02, SUPPORTED),
        ("not more", 0.04, 0.10, REFUTED),
    ],
)
def test_what_an_interval_says(claim, low, high, said):
    assert hypothesis(claim).read(low, high) == said


def test_numbers_are_means_over_measures_or_logarithms_of_their_ratio():
    of = {"a": 0.5, "b": 0.7, "c": 0.8}
    assert hypothesis("more").estimand(of) == pytest.approx(-0.2)
    assert hypothesis("more", ratio=True).estimand(of) == pytest.approx(np.log(0.6 / 0.8))
    # Of `own`, pairs that turn.
    assert hypothesis("more", ratio=True, outcome="own").estimand(of) == pytest.approx(
        np.log(0.4 / 0.2)
    )


def test_rounds_of_one_collection_count_once():
    assert claims.units(
        {"trec-covid-r1": 0.1, "trec-covid-r3": 0.3, "robust03": 0.5}
    ) == pytest.approx([0.2, 0.5])


def test_holm_by_hand():
    # Means .1, .05 and .01 with a standard error of .01 each, of three collections.
    spread = np.array([-1, 0, 1]) * 0.01 * np.sqrt(3)
    found = np.array([mean + spread for mean in (0.1, 0.05, 0.01)])
    level, low, _high, p = decide(found, [hypothesis("more")] * 3)
    # The third could be inside of the margin: .03 - .01 is further than .01 from 0.
    alone = [2 * stats.t.sf(reach / 0.01, 2) for reach in (0.1, 0.05, 0.02)]
    assert p == pytest.approx([3 * alone[0], 2 * alone[1], max(2 * alone[1], alone[2])])
    assert p[0] < 0.05 < p[1]
    assert level == pytest.approx([0.05 / 3, 0, 0])
    assert low == pytest.approx(
        [
            m - 0.01 * stats.t.isf(a / 2, 2)
            for m, a in zip((0.1, 0.05, 0.01), (0.05 / 3, 0.025, 0.025), strict=True)
        ]
    )


def test_one_study_in_twenty_says_anything_wrong():
    """Truth on the boundary of a false verdict for each hypothesis: the worst case of the rule."""
    draw = np.random.default_rng(1)
    edge = [
        0.0 if h.claim in ("more", "less") else h.bound * (-1 if h.claim == "not less" else 1)
        for h in HYPOTHESES
    ]
    found = np.array(edge)[:, None, None] + draw.normal(scale=0.4, size=(len(HYPOTHESES), 6, 4000))
    level, low, high, _ = decide(found)
    wrong = np.zeros(4000, bool)
    for i, h in enumerate(HYPOTHESES):
        said = np.array([h.read(a, b) for a, b in zip(low[i], high[i], strict=True)])
        # No effect is right where the truth is 0.
        wrong |= (level[i] > 0) & np.isin(said, (SUPPORTED, REFUTED))
    assert 0.025 < wrong.mean() < 0.06


def test_the_power_that_was_reported_is_what_the_program_prints():
    assert power.table() in (ROOT / "study" / "PREREGISTRATION.md").read_text(encoding="utf-8")


def test_too_few_collections_leave_everything_open():
    found = claims.verdicts({h.name: {"a": 0.5, "b": 0.4} for h in HYPOTHESES})
    assert {v.verdict for v in found} == {OPEN}
