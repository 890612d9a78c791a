"""How many topics tell a difference apart."""

import math

import numpy as np
import pytest
from scipy import stats

from irpref.errors import ArgumentError
from irpref_lab import meta
from irpref_lab.trust.design import (
    detectable_difference,
    power_of,
    residual_variance,
    topics_for_margin,
    topics_needed,
)

CASES = [(0.05, 0.02, 2), (0.1, 0.25, 10), (0.2, 0.05, 3), (0.01, 0.02, 100), (0.3, 0.001, 2)]


@pytest.mark.parametrize(("difference", "variance", "n_systems"), CASES)
@pytest.mark.parametrize(("level", "power"), [(0.95, 0.8), (0.99, 0.9)])
def test_the_number_is_that_of_statsmodels_rounded_up(
    difference, variance, n_systems, level, power
):
    tools = pytest.importorskip("statsmodels.stats.power")
    options = {"power": power, "alpha": 1 - level}
    if difference / math.sqrt(variance) < 4:  # below, statsmodels finds no root
        t = tools.TTestPower().solve_power(difference / math.sqrt(2 * variance), **options)
        assert topics_needed(difference, variance, level=level, power=power) == math.ceil(t)
        # Best and worst lie half of the difference from the middle, where all others are.
        effect = difference / math.sqrt(2 * variance * n_systems)
        f = tools.FTestAnovaPower().solve_power(effect, k_groups=n_systems, **options) / n_systems
        found = topics_needed(difference, variance, n_systems, "anova", level, power)
        assert found == math.ceil(f)


@pytest.mark.parametrize(("difference", "variance", "n_systems"), CASES)
@pytest.mark.parametrize("method", ["t", "anova"])
def test_one_topic_less_would_not_do(difference, variance, n_systems, method):
    n = topics_needed(difference, variance, n_systems, method)
    assert power_of(n, difference, variance, n_systems, method) >= 0.8
    if n > 2:
        assert power_of(n - 1, difference, variance, n_systems, method) < 0.8
        assert detectable_difference(n, variance, n_systems, method) <= difference
        assert detectable_difference(n - 1, variance, n_systems, method) > difference


def test_the_power_is_the_share_of_experiments_that_find_the_difference():
    from scipy import stats

    rng = np.random.default_rng(3)
    d = rng.normal(0.05, math.sqrt(2 * 0.02), size=(4000, 60))
    share = (stats.ttest_1samp(d, 0, axis=1).pvalue <= 0.05).mean()
    assert power_of(60, 0.05, 0.02) == pytest.approx(share, abs=0.025)


def test_the_variance_of_two_systems_is_half_of_that_of_their_differences():
    matrix = np.random.default_rng(1).random((2, 9))
    assert residual_variance(matrix) == pytest.approx(np.var(matrix[0] - matrix[1], ddof=1) / 2)
    values = meta.TopicValues("AP", ["a", "b"], list("123456789"), matrix)
    assert residual_variance(values) == residual_variance(matrix)
    assert residual_variance([[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]]) == 0


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ((0, 0.1), ("difference", 0)),
        ((0.1, -1), ("variance", -1)),
        ((0.1, 0.1, 1), ("n_systems", 1)),
        ((0.1, 0.1, 2, "f"), ("method", "f")),
        ((0.1, 0.1, 2, "t", 95), ("level", 95)),
        ((0.1, 0.1, 2, "t", 0.95, 1), ("power", 1)),
        ((1e-9, 1.0), ("difference", 1e-9)),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, refused):
    with pytest.raises(ArgumentError) as error:
        topics_needed(*arguments)
    assert (error.value.parameter, error.value.value) == refused


def test_a_residual_needs_two_systems_and_topics():
    with pytest.raises(ArgumentError, match="2 systems and 2 topics") as error:
        residual_variance([[0.1, 0.2]])
    assert error.value.parameter == "values"


def test_a_level_that_chance_alone_reaches_detects_any_difference():
    assert detectable_difference(50, 0.02, level=0.1, power=0.8) == 0


def test_a_table_for_the_runs_at_hand():
    rng = np.random.default_rng(2)
    values = {
        name: meta.TopicValues(name, list("abc"), list("123456789"), rng.random((3, 9)))
        for name in ("AP", "P@5")
    }
    table = meta.topic_set_size(values, [0.05, 0.1], level=0.9, power=0.7)
    assert table["measure"].tolist() == ["AP", "AP", "P@5", "P@5"]
    assert table["difference"].tolist() == [0.05, 0.1] * 2
    for row in table.itertuples():
        variance = residual_variance(values[row.measure])
        assert (row.variance, row.n_topics) == (variance, 9)
        assert row.topics_t == topics_needed(row.difference, variance, 2, "t", 0.9, 0.7)
        assert row.topics_anova == topics_needed(row.difference, variance, 3, "anova", 0.9, 0.7)
        assert power_of(9, row.detectable, variance, level=0.9) == pytest.approx(0.7)
    constant = meta.TopicValues("AP", ["a", "b"], ["1", "2"], [[0.1, 0.2], [0.2, 0.3]])
    with pytest.raises(ArgumentError, match="no variance") as error:
        meta.topic_set_size(constant)
    assert (error.value.measure, error.value.parameter) == ("AP", "values")


def test_topics_for_a_margin_rule_out_a_loss_in_4_of_5_experiments_without_one():
    margin, variance = 0.05, 0.02
    n = topics_for_margin(margin, variance)
    rng = np.random.default_rng(8)
    passes = []
    for size in (n, n // 2):
        d = rng.normal(0, (2 * variance) ** 0.5, (20_000, size))
        error = d.std(axis=1, ddof=1) / size**0.5
        low = d.mean(axis=1) - stats.t.ppf(0.95, size - 1) * error
        passes.append((low > -margin).mean())
    assert passes[0] == pytest.approx(0.8, abs=0.01)
    assert passes[1] < 0.6


def test_no_number_of_topics_is_given_without_a_margin_or_variance():
    assert topics_for_margin(0.0, 0.02) is None
    assert topics_for_margin(0.02, 0.0) is None
    assert topics_for_margin(1e-9, 1.0) is None
    assert topics_for_margin(0.5, 1e-9) == 2
