"""Tests of all pairs of runs: step-down sign flips, Holm, and effect sizes."""

import itertools

import numpy as np
import pytest
from scipy import stats

from irpref.errors import ArgumentError
from irpref_lab.decide.all_pairs import pair_tests
from irpref_lab.decide.significance import holm, randomisation_test
from irpref_lab.trust.design import residual_variance
from irpref_lab.trust.topics import mean_intervals

# Three systems by 20 topics: T. Sakai, Information access evaluation methodology (in Japanese),
# Corona 2015, table 5.1, as the tests of elinor have it. In tenths.
BOOK = (
    np.array(
        [
            [7, 3, 2, 6, 4, 4, 0, 7, 1, 3, 5, 4, 0, 6, 5, 3, 1, 5, 2, 1],
            [5, 1, 0, 2, 4, 3, 0, 5, 3, 3, 4, 4, 1, 4, 2, 1, 1, 6, 3, 2],
            [0, 0, 2, 1, 3, 3, 1, 2, 4, 4, 4, 3, 3, 2, 2, 2, 1, 5, 4, 3],
        ]
    )
    / 10
)


@pytest.mark.parametrize("n_topics", [2, 7, 12])
def test_two_runs_have_the_randomisation_test(n_topics):
    rng = np.random.default_rng(n_topics)
    matrix = rng.integers(0, 6, (2, n_topics)) / 6
    expected = [pytest.approx(randomisation_test(*matrix)[1])]
    found = pair_tests(matrix, "stepdown")
    assert found.p_adjusted.tolist() == found.p.tolist() == expected


def test_the_worked_example_of_sakais_book():
    assert residual_variance(BOOK) * 2 * 19 == pytest.approx(0.8317, abs=5e-5)
    assert residual_variance(BOOK) == pytest.approx(0.0219, abs=5e-5)
    found = pair_tests(BOOK, "holm")
    assert found.difference[0] == pytest.approx(-0.075)  # second minus first
    assert (-found.effect_size).tolist() == pytest.approx([0.5070, 0.6760, 0.1690], abs=5e-5)
    assert found.p[0] == pytest.approx(0.048, abs=5e-4)
    # The differences of the first two systems: t 2.116, effect size of the pair 0.473, margin of
    # error 0.0742.
    z = BOOK[0] - BOOK[1]
    assert [z.var(ddof=1), z.mean() / z.std(ddof=1)] == pytest.approx([0.0251, 0.473], abs=5e-4)
    assert z.mean() / (z.std(ddof=1) / 20**0.5) == pytest.approx(2.116, abs=5e-4)
    low, high, _ = mean_intervals(z[None], method="t")
    assert [low[0], high[0]] == pytest.approx([0.075 - 0.0742, 0.075 + 0.0742], abs=5e-5)
    # The margin of error of a system's mean after the analysis of variance: 0.0670.
    assert (residual_variance(BOOK) / 20) ** 0.5 * stats.t.ppf(0.975, 38) == pytest.approx(
        0.0670, abs=5e-5
    )
    between = 20 * ((BOOK.mean(axis=1) - BOOK.mean()) ** 2).sum()
    assert [between, between / 2 / residual_variance(BOOK)] == pytest.approx(
        [0.1083, 2.475], abs=5e-4
    )


def test_the_example_of_elinor_compare():
    # P@3 of three systems on eight topics, in thirds, and the tables that its documentation prints.
    thirds = np.array(
        [[2, 2, 2, 2, 1, 2, 1, 2], [0, 1, 2, 0, 1, 1, 1, 1], [1, 1, 1, 2, 1, 2, 0, 2]]
    )
    matrix = thirds / 3
    found = pair_tests(matrix)
    assert (-found.effect_size).tolist() == pytest.approx([1.4765, 0.8437, -0.6328], abs=5e-5)
    assert residual_variance(matrix) == pytest.approx(0.0390, abs=5e-5)
    two = pair_tests(matrix[:2], "holm")
    assert two.p[0] == pytest.approx(0.0209, abs=5e-5)
    two = pair_tests(matrix[:2], "stepdown")
    assert two.p_adjusted[0] == pytest.approx(
        0.0596, abs=3 * 0.0024
    )  # Fisher's test, by 10,000 drawn orders


def test_p_is_the_paired_t_test_and_holm_adjusts_it():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    matrix = np.random.default_rng(3).random((7, 25)) + np.linspace(0, 0.5, 7)[:, None]
    found = pair_tests(matrix, "holm")
    p = [stats.ttest_rel(a, b).pvalue for a, b in itertools.combinations(matrix, 2)]
    assert found.p.tolist() == pytest.approx(p, rel=1e-9)
    assert found.p_adjusted.tolist() == pytest.approx(
        multitest.multipletests(p, method="holm")[1].tolist(), rel=1e-9
    )


@pytest.mark.parametrize("method", ["stepdown", "holm"])
def test_runs_all_alike_and_differences_that_do_not_vary(method):
    row = np.random.default_rng(5).random(10)
    alike = pair_tests(np.array([row, row, row]), method)
    assert alike.p.tolist() == alike.p_adjusted.tolist() == [1.0] * 3
    assert alike.effect_size.tolist() == [0.0] * 3
    shifted = pair_tests(np.array([row, row + 0.1, row]), method)
    assert shifted.p_adjusted[1] == 1.0  # first and third
    assert (shifted.p_adjusted[[0, 2]] < 0.01).all()
    assert np.isnan(shifted.effect_size[[0, 2]]).all()


@pytest.mark.slow
def test_equal_runs_are_called_different_in_at_most_5_of_100_experiments():
    # Skewed values, topics of very different difficulty, six equal runs: any pair called different
    # is an error.
    rng, experiments, wrong = np.random.default_rng(12), 3000, 0
    for _ in range(experiments):
        matrix = np.clip(rng.beta(1, 2, size=(1, 30)) * rng.beta(4, 2, size=(6, 30)) * 1.5, 0, 1)
        wrong += (pair_tests(matrix, "holm").p_adjusted <= 0.05).any()
    error = (0.05 * 0.95 / experiments) ** 0.5
    assert wrong / experiments <= 0.05 + 2 * error


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ({"method": "holms"}, ("pairs", "holms")),
        ({"n_permutations": 2.5}, ("n_permutations", 2.5)),
        ({"n_permutations": 0}, ("n_permutations", 0)),
        ({"method": "stepdown", "rng": "x"}, ("rng", "x")),
    ],
)
def test_what_is_not_known_is_refused(arguments, refused):
    with pytest.raises(ArgumentError) as error:
        pair_tests(BOOK, **arguments)
    assert (error.value.parameter, error.value.value) == refused


def test_one_topic_and_one_run_are_refused():
    for values, lacks in ((BOOK[:, :1], "2 topics"), (BOOK[:1], "2 systems")):
        with pytest.raises(ArgumentError, match=f"at least {lacks}") as error:
            pair_tests(values)
        assert (error.value.parameter, error.value.value) == ("values", 1)


def test_p_values_that_are_nan_stay_and_do_not_count_in_the_family():
    """Two tests, not three: the smallest is doubled, and the larger one stays above it."""
    nan = float("nan")
    assert holm([0.04, nan, 0.01]) == pytest.approx([0.04, nan, 0.02], nan_ok=True)
    assert holm([0.015, nan, 0.01, nan]) == pytest.approx([0.02, nan, 0.02, nan], nan_ok=True)
    assert np.isnan(randomisation_test([0.1, nan, 0.3], [0.2, 0.1, 0.4])).all()
