"""Sign flips: the step-down test of many pairs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irpref_lab.decide import sign_flips
from irpref_lab.decide.all_pairs import pair_tests, significant
from irpref_lab.decide.sign_flips import (
    are_all,
    sign_vectors,
    stepdown,
    stepdown_of_runs,
)


def _statistic(row):
    """t^2 / (n - 1 + t^2), which goes with |t|: (sum d)^2 / (n sum d^2) as a fraction; 0 without
    differences.
    """
    squares = len(row) * sum(d * d for d in row)
    return Fraction(sum(row)) ** 2 / squares if squares else Fraction(0)


def _oracle(rows):
    """Step-down maxima over all sign vectors in fractions, as Westfall and Young write them."""
    vectors = list(itertools.product((1, -1), repeat=len(rows[0])))
    observed = [_statistic(row) for row in rows]
    flipped = [
        [_statistic([s * d for s, d in zip(v, row, strict=True)]) for v in vectors] for row in rows
    ]
    order = sorted(range(len(rows)), key=lambda i: -observed[i])
    alone = [
        Fraction(sum(x >= observed[i] for x in flipped[i]), len(vectors)) for i in range(len(rows))
    ]
    adjusted, running = [Fraction(0)] * len(rows), Fraction(0)
    for k, i in enumerate(order):
        largest = [max(flipped[j][b] for j in order[k:]) for b in range(len(vectors))]
        running = max(running, Fraction(sum(x >= observed[i] for x in largest), len(vectors)))
        adjusted[i] = running
    return alone, adjusted


ROWS = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(ROWS, st.sampled_from([1.0, 0.1, 1 / 3, 1e-6]))
def test_all_sign_vectors_are_tried_where_there_are_few(rows, unit):
    p, adjusted = stepdown(np.array(rows, dtype=np.float64) * unit)
    alone, joint = _oracle(rows)
    assert p.tolist() == pytest.approx([float(x) for x in alone], rel=1e-14)
    assert adjusted.tolist() == pytest.approx([float(x) for x in joint], rel=1e-14)


def test_the_statistic_is_students_t():
    rng = np.random.default_rng(3)
    rows = rng.normal(0.3, 1, (4, 9))
    t = np.abs([stats.ttest_1samp(row, 0).statistic for row in rows])
    flipped = []
    for signs in itertools.product((1, -1), repeat=9):
        flipped.append(np.abs(stats.ttest_1samp(rows * signs, 0, axis=1).statistic))
    share = [(np.array(flipped)[:, i] >= t[i] - 1e-9).mean() for i in range(4)]
    assert stepdown(rows)[0].tolist() == pytest.approx(share)


def test_drawn_sign_vectors_count_the_observed_one():
    rows = np.ones((1, 30)) + 0.01 * np.arange(30)
    p, adjusted = stepdown(rows, n_permutations=99)
    assert p.tolist() == adjusted.tolist() == [0.01]
    exact = stepdown(rows[:, :10], 1024)[0]
    assert exact.tolist() == [2 / 1024]
    drawn = stepdown(np.random.default_rng(1).normal(0.2, 1, (1, 12)), 4000)[0]
    assert drawn[0] == pytest.approx(
        stepdown(np.random.default_rng(1).normal(0.2, 1, (1, 12)), 4096)[0][0], abs=0.03
    )


@given(st.integers(2, 30), st.integers(0, 99))
def test_p_of_a_pair_is_the_same_among_others_and_adjusted_p_is_never_below(n, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0.3, 1, (6, n)).round(1)
    p, adjusted = stepdown(rows, 200, rng=5)
    assert (adjusted >= p).all()
    for i in range(6):
        alone = stepdown(rows[i : i + 1], 200, rng=5)
        assert alone[0][0] == alone[1][0] == p[i]
        turned = stepdown(-rows[i : i + 1], 200, rng=5)
        assert turned[0][0] == p[i]


def test_a_difference_that_is_the_same_on_every_topic_has_the_largest_t():
    p, adjusted = stepdown(np.array([[0.1] * 20, [0.1] * 19 + [0.0]]), 999)
    assert p.tolist() == adjusted.tolist() == [0.001, 0.001]
    assert stepdown(np.array([[0.3]]))[0].tolist() == [1.0]


def test_missing_values_have_no_p_and_change_nothing_for_others():
    rng = np.random.default_rng(4)
    rows = rng.normal(0.3, 1, (3, 15))
    expected = stepdown(rows[1:])
    rows[0, 3] = np.nan
    p, adjusted = stepdown(rows)
    assert np.isnan(p[0])
    assert np.isnan(adjusted[0])
    assert p[1:].tolist() == expected[0].tolist()
    assert adjusted[1:].tolist() == expected[1].tolist()


# -------------------------------------------------------------------------------------- error rates


def test_any_equal_pair_is_called_different_at_most_as_often_as_the_level_says():
    # Of six runs four are equal, one is better and one is much worse, on topics of very different
    # variance.
    rng, wrong, found, experiments = np.random.default_rng(11), 0, 0, 400
    truth = np.array([0.5, 0.5, 0.5, 0.5, 0.62, 0.1])
    for _ in range(experiments):
        values = (
            truth[:, None]
            + rng.normal(0, 0.3, 20)
            + rng.normal(0, 0.15, (6, 20)) * rng.gamma(1, 1, 20)
        )
        of = pair_tests(values, n_permutations=199, rng=rng)
        called = significant(of.p_adjusted, 0.95)
        equal = truth[of.first] == truth[of.second]
        wrong += bool(called[equal].any())
        found += called[~equal].mean()
    assert wrong / experiments <= 0.05 + 2 * (0.05 * 0.95 / experiments) ** 0.5
    assert found / experiments > 0.5


# ------------------------------------------------------------------------------------ many runs


def _by_pair(differences, n_permutations):
    """Step-down p-values as they are defined: the sums of each pair, and their running maximum."""
    unit = differences / np.sqrt(differences.shape[1] * (differences**2).sum(axis=1))[:, None]
    observed = np.abs(unit.sum(axis=1))
    signs = np.concatenate(list(sign_vectors(differences.shape[1], n_permutations, None)))
    sums = np.abs(unit @ signs.T)
    alone = np.count_nonzero(sums >= observed[:, None] - 1e-12, axis=1)
    order = np.argsort(observed)
    largest = np.maximum.accumulate(sums[order], axis=0)
    joint = np.empty_like(alone)
    joint[order] = np.count_nonzero(largest >= observed[order, None] - 1e-12, axis=1)
    one = 0 if are_all(differences.shape[1], n_permutations) else 1
    p, adjusted = ((count + one) / (len(signs) + one) for count in (alone, joint))
    adjusted[order] = np.maximum.accumulate(adjusted[order][::-1])[::-1]
    return p, adjusted


@pytest.mark.parametrize("n_topics", [8, 30])
@pytest.mark.parametrize("size", [1.0, 1e-9, 1e9])
def test_signs_of_runs_give_the_p_values_of_pairs_to_the_bit(n_topics, size):
    values = np.random.default_rng(6).random((12, n_topics)).round(2) * size
    # Two runs that differ in the ninth digit: the difference of their sums has lost its digits.
    values[1] = values[0] * (1 + 1e-9 * np.arange(n_topics))
    first, second = np.triu_indices(12, 1)
    differences = values[first] - values[second]
    differences[np.abs(differences) <= 1e-14 * size] = 0
    p, adjusted = stepdown_of_runs(values, first, second, 500)
    expected = _by_pair(differences, 500)
    assert p.tolist() == expected[0].tolist() == stepdown(differences, 500)[0].tolist()
    assert adjusted.tolist() == expected[1].tolist() == stepdown(differences, 500)[1].tolist()


def test_sign_vectors_in_several_pieces_give_the_same(monkeypatch):
    values = np.random.default_rng(7).random((6, 20))
    first, second = np.triu_indices(6, 1)
    whole = stepdown_of_runs(values, first, second, 3000)
    monkeypatch.setattr(sign_flips, "_SUMS", 6 * 700)
    parts = stepdown_of_runs(values, first, second, 3000)
    assert [x.tolist() for x in parts] == [x.tolist() for x in whole]
