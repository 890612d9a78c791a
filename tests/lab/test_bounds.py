"""Bounds where almost all topics have the same value, or few topics differ."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irpref_lab
from irpref_lab.across import strata
from irpref_lab.trust import t_tests
from irpref_lab.trust.bounds import (
    few_differences,
    largest_share,
    lower,
    of_differences,
    unseen,
    unseen_loss,
    widened,
)


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.8, 0.95, 0.975]))
def test_the_largest_share_is_that_of_scipy(n, count, level):
    count = min(count, n)
    exact = stats.binomtest(count, n, alternative="less").proportion_ci(level, method="exact")
    assert largest_share(count, n, level) == pytest.approx(exact.high)


def test_all_topics_alike_have_an_interval_with_a_length():
    # No failure among ten: at .975, .025^(1/10) of all may succeed at least.
    low, high = widened(np.ones(10), (1.0, 1.0), 0.95, (0.0, 1.0))
    assert (low, high) == (pytest.approx(0.025**0.1), 1.0)
    low, high = widened(np.zeros(10), (0.0, 0.0), 0.95, (-1.0, 1.0))
    assert (low, high) == pytest.approx((-(1 - 0.025**0.1), 1 - 0.025**0.1))


def test_few_other_values_widen_the_interval_to_their_side_and_the_other():
    values = np.array([0.5] * 16 + [0.0] * 3 + [1.0])
    usual = t_tests.interval(values, 0.95)
    low, high = widened(values, usual, 0.95, (0.0, 1.0))
    below = stats.binomtest(3, 20).proportion_ci(0.95, method="exact").high
    above = stats.binomtest(1, 20).proportion_ci(0.95, method="exact").high
    assert low == pytest.approx(min(usual[0], 0.5 - below * 0.5))
    assert high == pytest.approx(max(usual[1], 0.5 + above * 0.5))


def test_five_other_values_or_none_in_common_leave_the_interval():
    usual = (0.2, 0.4)
    assert widened(np.array([0.5] * 15 + [0.0] * 5), usual, 0.95, (0.0, 1.0)) == usual
    assert widened(np.arange(5) / 5, usual, 0.95, (0.0, 1.0)) == usual
    assert widened(np.array([0.5] * 9 + [math.nan]), usual, 0.95, (0.0, 1.0)) == usual


def test_values_that_differ_by_rounding_are_common():
    values = np.array([0.1 + 0.2] * 4 + [0.3] * 6)
    assert widened(values, (0.3, 0.3), 0.95, (0.0, 1.0))[0] < 0.25


def test_a_value_of_half_of_the_topics_is_not_common():
    usual = (0.4, 0.6)
    assert widened(np.array([0.0] * 4 + [1.0] * 4), usual, 0.95, (0.0, 1.0)) == usual
    assert widened(np.array([0.0] * 3 + [1.0] * 5), usual, 0.95, (0.0, 1.0)) != usual


def test_a_measure_without_a_limit_has_no_bound_there():
    assert widened(np.zeros(10), (0.0, 0.0), 0.95, (0.0, math.inf)) == (0.0, math.inf)


def test_a_difference_is_as_large_as_the_largest_seen_without_limits():
    """A constant gain on fifty topics is one, whatever the measure's limits."""
    gaps = np.full(50, 0.25)
    assert of_differences((0.0, 1.0), [gaps]) == (-1.0, 1.0)
    assert of_differences((0.0, math.inf), [gaps, -2 * gaps]) == (-0.5, 0.5)
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(50)}
    right, wrong = ({q: {"a": 2.0, "b": s} for q in qrels} for s in (1.0, 3.0))
    for measure in ("P@1", "CG@1"):
        compared = irpref_lab.compare(measure, qrels, right, wrong)
        assert compared["verdict"].item() == "a better"
        assert math.isfinite(compared["high"].item())


@pytest.mark.parametrize("sizes", [(12, 12), (5, 20, 100), (10,) * 8, (100, 5), (10, 40, 160, 640)])
@pytest.mark.parametrize("share", [0.01, 0.03, 0.1])
def test_an_interval_over_collections_covers_the_mean_of_rare_failures(sizes, share):
    rng, shares = np.random.default_rng(5), share * np.linspace(0.5, 1.5, len(sizes))
    covered = 0
    for _ in range(200):
        parts = [(rng.random(n) >= q).astype(float) for n, q in zip(sizes, shares, strict=True)]
        low, high = strata.sure_interval(parts, 0.95, "topics", (0.0, 1.0))
        covered += low <= 1 - shares.mean() <= high
    assert covered >= 190


def test_a_collection_without_variance_gets_the_pooled_one():
    """Variances 0 with 1 and 1 with 2 degrees of freedom pool to 2/3: the error is the root of
    (2/3 / 2 + 1 / 3) / 4 = 1/6, with (1/6)^2 / ((1/12)^2 / 1 + (1/12)^2 / 2) = 8/3 degrees.
    """
    mean, error, degrees = strata.over_topics([np.ones(2), np.array([0.0, 1.0, 2.0])])
    assert float(mean) == 1.0
    assert float(error**2) == pytest.approx(1 / 6)
    assert float(degrees) == pytest.approx(8 / 3)


def test_a_small_collection_without_variance_does_not_decide():
    """y loses on every seventh topic, and has five: mostly it shows no loss, and no variance."""
    rng, claims = np.random.default_rng(6), 0
    for _ in range(300):
        x = rng.choice([1.0, 0.0, -1.0], 100, p=[0.25, 0.65, 0.10])
        y = -(rng.random(5) < 0.15).astype(float)
        claims += float(strata.p_values([x, y])) <= 0.05
    assert claims <= 15


def test_an_interval_over_collections_is_not_widened_towards_no_limit():
    parts = [np.array([0.8] * 19 + [0.9]), np.full(20, 0.9)]
    usual = strata.intervals(parts, 0.95)
    assert strata.sure_interval(parts, 0.95, "topics", (-math.inf, math.inf)) == usual
    assert strata.sure_interval(parts, 0.95, "topics", (0.0, math.inf))[1] == usual[1]


def test_few_losses_bound_the_mean_by_their_largest_share():
    gains = np.zeros(50)
    gains[:3] = 0.3, -0.2, -0.5
    share = stats.binomtest(2, 50, alternative="less").proportion_ci(0.95, method="exact").high
    assert few_differences(gains, 0.95) == pytest.approx(0.3 / 50 - share * 0.5)
    assert lower(gains, 0.95) == min(few_differences(gains, 0.95), t_tests.lower(gains, 0.95))


def test_the_bound_is_for_few_differences_with_a_loss():
    ten = np.array([0.1] * 9 + [-0.1] + [0.0] * 20)
    assert few_differences(ten, 0.95) == math.inf
    assert few_differences(np.abs(ten[1:]), 0.95) == math.inf
    assert few_differences(np.zeros(20), 0.95) == math.inf
    several = np.array([ten[1:], np.abs(ten[1:])])
    assert np.isfinite(few_differences(several, 0.95)).tolist() == [True, False]


def test_what_could_break_unseen_is_about_3_in_n():
    assert unseen(300, 0.95) == pytest.approx(3 / 300, rel=0.01)
    gains, baseline = np.zeros(60), np.linspace(0, 0.8, 60)
    assert unseen_loss(gains, baseline, 0.95, 0.0) == pytest.approx(unseen(60, 0.95) * 0.8)
    gains[3] = -0.1
    assert unseen_loss(gains, baseline, 0.95, 0.0) is None
    assert unseen_loss(np.full(60, 0.1), baseline, 0.95, 0.0) is None
