"""The paired t-test, alone and on boards, and Holm's adjustment."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irpref_lab.decide.all_pairs import pair_tests
from irpref_lab.trust.samples import pairs_of_systems
from irpref_lab.trust.t_tests import holm, interval, lower, p_of_pair, p_of_pairs, p_values, upper


def _reference(difference):
    """Student's test of one pair with exact sums: slow and plain."""
    n = len(difference)
    mean = math.fsum(difference) / n
    squares = math.fsum((d - mean) ** 2 for d in difference)
    if all(d == 0 for d in difference):
        return 1.0
    if len(set(difference)) == 1:
        return 2.0 ** (1 - n)
    return float(2 * stats.t.sf(abs(mean) / math.sqrt(squares / (n - 1) / n), n - 1))


@given(
    st.integers(2, 60), st.integers(0, 10**6), st.sampled_from([1.0, 1e-6, 1e6]), st.integers(0, 12)
)
def test_p_is_that_of_a_plain_reference_and_of_scipy(n, seed, unit, places):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0.2, 1, (4, n)).round(places) * unit
    rows[3] = rows[3, 0]
    expected = [_reference(row.tolist()) for row in rows]
    assert p_values(rows).tolist() == pytest.approx(expected, rel=1e-9)
    if np.ptp(rows[0]) > 0:
        assert p_of_pair(rows[0]) == pytest.approx(stats.ttest_1samp(rows[0], 0).pvalue, rel=1e-9)


@given(st.integers(2, 60), st.integers(2, 12), st.integers(0, 10**6))
def test_a_pair_has_the_same_p_to_the_last_bit_alone_and_on_a_board(n, n_runs, seed):
    rng = np.random.default_rng(seed)
    values = rng.random((n_runs, n)).round(1)
    first, second = pairs_of_systems(n_runs)
    p = p_of_pairs(values, first, second)
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        difference = values[a] - values[b]
        difference[np.abs(difference) < 1e-12] = 0
        assert p[pair] == p_of_pair(difference) == p_of_pair(-difference)
        assert p[pair] == p_of_pairs(values[[b, a]], np.array([0]), np.array([1]))[0]


def test_nearly_equal_runs_keep_their_digits():
    # The variance of these differences is 1e-18 of that of the values.
    rng = np.random.default_rng(1)
    one = 0.5 + 0.4 * rng.random(50)
    moved = np.round(rng.normal(0.3, 1, 50)) * 2.0**-30
    values = np.array([one, one.round(6) + 0, one.round(6) + moved])
    expected = _reference(moved.tolist())
    assert p_of_pairs(values, np.array([1]), np.array([2]))[0] == pytest.approx(expected, rel=1e-6)


def test_without_variance_p_is_that_of_sign_flips():
    assert p_values(np.full((1, 8), 0.1)).tolist() == [2.0**-7]
    assert p_of_pair(np.array([0.1 + 0.2, 0.3, 0.3])) == 0.25  # equal but for rounding
    assert p_of_pair(np.zeros(8)) == 1.0
    assert p_of_pair(np.array([0.3])) == 1.0
    assert p_of_pair(np.array([0.1, 0.2, -0.3])) == 1.0  # the sum is 5e-17
    assert math.isnan(p_of_pair(np.array([0.1, math.nan, 0.3])))


@given(st.integers(3, 40), st.integers(0, 999), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_the_interval_is_that_of_scipy_and_holds_0_if_p_is_above_the_level(n, seed, level):
    difference = np.random.default_rng(seed).normal(0.3, 1, n)
    low, high = interval(difference, level)
    expected = stats.ttest_1samp(difference, 0).confidence_interval(level)
    assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert (low <= 0 <= high) == (p_of_pair(difference) > 1 - level)


def test_one_sided_bounds_mirror_each_other():
    rows = np.random.default_rng(2).normal(0.1, 1, (3, 20))
    assert upper(rows, 0.95).tolist() == (-lower(-rows, 0.95)).tolist()
    two_sided = interval(rows[0], 0.9)
    assert (lower(rows[0], 0.95), upper(rows[0], 0.95)) == pytest.approx(two_sided)
    assert lower(np.full(9, 0.25), 0.95) == 0.25


@given(st.lists(st.floats(0, 1) | st.just(math.nan), min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(p):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    adjusted = holm(np.array(p))
    known = [x for x in p if x == x]
    assert np.isnan(adjusted).tolist() == [x != x for x in p]
    if known:
        with mock.patch("gc.collect"):  # it would go over all that the tests before left
            expected = multitest.multipletests(known, method="holm")[1]
        assert adjusted[~np.isnan(adjusted)].tolist() == pytest.approx(expected.tolist())


def test_a_board_of_t_tests_has_a_p_for_a_difference_that_does_not_vary():
    values = np.array([[0.5] * 6, [0.4] * 6, [0.1, 0.3, 0.2, 0.5, 0.1, 0.4]])
    found = pair_tests(values, "holm")
    assert found.p[0] == 2.0**-5
    assert found.p_adjusted.tolist() == holm(found.p).tolist()
