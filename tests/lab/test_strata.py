"""Means over several collections: tests, intervals and ranks of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from irpref.errors import ArgumentError
from irpref_lab.across import strata

SIZES = (5, 12, 40)


def made(sizes: tuple[int, ...] = SIZES, rows: int = 6, seed: int = 3) -> list[np.ndarray]:
    """Values of runs by topic of collections of these sizes."""
    rng = np.random.default_rng(seed)
    return [rng.normal(0.4, 0.1 + 0.1 * k, (rows, n)) for k, n in enumerate(sizes)]


def test_two_collections_are_tested_as_welch_tests_two_samples() -> None:
    """The mean of two means is zero if one mean is the negative of the other."""
    one, two = made((7, 23))
    expected = stats.ttest_ind(one, -two, axis=1, equal_var=False)
    np.testing.assert_allclose(strata.p_values([one, two]), expected.pvalue, rtol=1e-12)
    bounds = expected.confidence_interval(0.9)
    low, high = strata.intervals([one, two], 0.9)
    np.testing.assert_allclose([low, high], [bounds.low / 2, bounds.high / 2], rtol=1e-12)


def test_one_collection_is_the_usual_t_test() -> None:
    (values,) = made((9,))
    expected = stats.ttest_1samp(values, 0.0, axis=1)
    np.testing.assert_allclose(strata.p_values([values]), expected.pvalue, rtol=1e-12)


def test_variances_are_added_with_the_weights_of_the_means() -> None:
    values = made()
    mean, error, degrees = strata.over_topics(values)
    parts = [[np.var(row, ddof=1) / row.size / 9 for row in part] for part in values]
    free = [part.shape[1] - 1 for part in values]
    for row in range(6):
        v = [part[row] for part in parts]
        assert mean[row] == pytest.approx(np.mean([part[row].mean() for part in values]))
        assert error[row] ** 2 == pytest.approx(sum(v))
        below = sum(x * x / f for x, f in zip(v, free, strict=True))
        assert degrees[row] == pytest.approx(sum(v) ** 2 / below)


def test_a_sample_of_collections_is_tested_by_its_means() -> None:
    values = made((5, 6, 7, 8, 50, 9))
    means = np.array([part.mean(axis=1) for part in values])
    expected = stats.ttest_1samp(means, 0.0)
    np.testing.assert_allclose(strata.p_values(values, "collections"), expected.pvalue, rtol=1e-12)
    bounds = expected.confidence_interval(0.95)
    found = strata.intervals(values, 0.95, "collections")
    np.testing.assert_allclose(found, [bounds.low, bounds.high], rtol=1e-12)


def test_below_five_collections_there_is_only_a_mean() -> None:
    values = made((5, 6, 7, 8))
    mean, error, _ = strata.over_collections(values)
    assert np.isfinite(mean).all()
    assert np.isnan(error).all()
    assert np.isnan(strata.p_values(values, "collections")).all()
    assert np.isnan(strata.intervals(values, 0.95, "collections")).all()


@pytest.mark.parametrize("over", ["topics", "collections"])
def test_a_pair_has_one_p_alone_and_on_a_board(over: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = made((5, 6, 7, 8, 30), rows=9)
    first, second = np.triu_indices(9, 1)
    board = strata.p_of_pairs(values, first, second, over)
    monkeypatch.setattr(strata, "_NUMBERS", 100)
    assert np.array_equal(strata.p_of_pairs(values, first, second, over), board)
    for i in (0, 17, 35):
        pair = [part[[first[i], second[i]]] for part in values]
        alone = strata.p_of_pairs(pair, np.array([0]), np.array([1]), over)
        assert alone[0] == board[i]


def test_an_interval_holds_zero_unless_p_is_below_the_level() -> None:
    values = [part - 0.35 for part in made(rows=40)]
    low, high = strata.intervals(values, 0.9)
    assert np.array_equal((low <= 0) & (high >= 0), strata.p_values(values) > 0.1)


def test_without_variance_signs_decide() -> None:
    def p(*parts: list[float]) -> float:
        return float(strata.p_values([np.array(part) for part in parts]))

    assert p([0.0, 0.0], [0.0, 0.0, 0.0]) == 1.0
    assert p([0.1, 0.1], [0.2, 0.2, 0.2]) == 2.0**-4
    assert p([0.0, 0.0], [0.2, 0.2, 0.2]) == 2.0**-2
    assert p([-0.1, -0.1], [0.3, 0.3, 0.3]) == 1.0


def test_rounding_is_no_variance() -> None:
    value = 0.1 + 0.2
    part = np.array([value, 0.3, value])
    assert strata.over_topics([part, part])[1] == 0.0


def test_collections_of_one_topic_have_no_test_over_topics() -> None:
    for parts in ([], [np.ones((2, 5)), np.ones((2, 1))]):
        with pytest.raises(ArgumentError):
            strata.over_topics(parts)
    five = [np.full((2, 1), x) for x in (0.1, 0.2, 0.3, 0.2, 0.1)]
    assert strata.p_values(five, "collections")[0] < 0.05


def test_borda_counts_how_many_each_run_beats() -> None:
    means = np.array([[0.5, 0.1], [0.4, 0.2], [0.4, 0.3], [0.1, 0.4]])
    parts = [means[:, :1], means[:, 1:]]
    # Others beaten: 3, 1.5, 1.5, 0 and 0, 1, 2, 3 of 3.
    assert strata.borda(parts).tolist() == pytest.approx([0.5, 2.5 / 6, 3.5 / 6, 0.5])
    lower = strata.borda(parts, higher_is_better=False)
    assert lower.tolist() == pytest.approx([0.5, 3.5 / 6, 2.5 / 6, 0.5])
    equal = [np.array([[0.1 + 0.2], [0.3]])]
    assert strata.borda(equal).tolist() == [0.5, 0.5]
    assert strata.borda([np.ones((1, 3))]).tolist() == [1.0]
