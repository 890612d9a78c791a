"""Priority sampling against plain loops, and its promises in simulations."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irpref_lab.judges.looks import level_of_looks, variances_at
from irpref_lab.judges.priority_sampling import (
    Estimate,
    documents_needed,
    estimated,
    half_widths,
    levels,
    probabilities,
    repeated,
    sizes,
    united,
)


def predicted_from(
    others: list[int], i: int, level: list[int], topic: list[int], gain: list[float]
) -> float:
    """Ridge regression by least squares with a further row for each penalty."""
    if not others:
        return 0.0
    top = max(level)

    def columns(j: int) -> list[float]:
        line = (level[j] - (top + 1) / 2) / max(top - 1, 1) if level[j] else 0.0
        levels_of = [float(level[j] == k) for k in range(top + 1)]
        return [1.0, line, *levels_of, *(float(topic[j] == k) for k in range(max(topic) + 1))]

    penalties = [0.0, 0.5, *[2.0] * (top + 1), *[5.0] * (max(topic) + 1)]
    rows = np.array([columns(j) for j in others] + np.diag(np.sqrt(penalties)).tolist())
    wanted = np.array([gain[j] for j in others] + [0.0] * len(penalties))
    coefficients = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return float(np.array(columns(i)) @ coefficients)


def reference(
    level: list[int], topic: list[int], gain: list[float], size: list[float],
    priority: list[float], certain: list[bool], m: int,
) -> list[float]:  # fmt: skip
    """Estimates of all documents, in any order, one at a time and straight from the definition."""
    n = len(level)
    every: dict[float, list[int]] = {}
    for i in range(n):
        if not certain[i]:
            every.setdefault(priority[i], []).append(i)
    units = [every[q] for q in sorted(every, reverse=True)]
    judged_before = [i for i in range(n) if certain[i]]

    def within(those: list[list[int]], budget: int) -> tuple[list[int], float]:
        """Documents of the first units that fit, and the priority of the next unit."""
        documents: list[int] = []
        for unit in those:
            if len(documents) + len(unit) > budget:
                return documents, priority[unit[0]]
            documents += unit
        return documents, 0.0

    drawn, _ = within(units, m)
    estimates = dict.fromkeys(judged_before, 0.0) | {i: gain[i] for i in judged_before}
    for unit in units:
        others, following = within([u for u in units if u is not unit], m - len(unit))
        for i in unit:
            seen = judged_before + others
            predicted = predicted_from(seen, i, level, topic, gain)
            estimates[i] = predicted
            if i in drawn:
                p = min(1.0, size[i] / following) if following else 1.0
                estimates[i] += (gain[i] - predicted) / p
    return [estimates[i] for i in range(n)]


def drawn(size: Any, uniform: Any, n_pairs: int) -> tuple[Any, Any]:
    """Sizes and priorities where the first documents are partners, two by two."""
    partner = np.arange(size.size)
    partner[: 2 * n_pairs] ^= 1
    size, uniform = united(size, uniform, partner)
    return size, size / uniform


def fast(
    level: Any, gain: Any, size: Any, priority: Any, certain: Any, m: int, topic: Any = None
) -> tuple[Any, Estimate]:
    """The order of the documents in the plan, and the estimate in this order."""
    size, priority = (np.where(certain, np.inf, numbers) for numbers in (size, priority))
    topic = np.arange(len(level)) % 3 if topic is None else topic
    order = np.argsort(-priority, kind="stable")
    n_certain = int(np.sum(certain))
    estimate = estimated(
        np.array(level)[order],
        np.array(topic)[order],
        np.array(gain, float)[order][: n_certain + m],
        size[order],
        priority[order],
        n_certain,
    )
    return order, estimate


@given(st.data())
def test_estimates_are_those_of_the_plain_loops(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    n_certain = data.draw(st.integers(0, n - 1))
    m = data.draw(st.integers(1, n - n_certain))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    level, topic = rng.integers(0, 3, n), rng.integers(0, 3, n)
    gain, certain = rng.integers(0, 4, n).astype(float), np.arange(n) >= n - n_certain
    n_pairs = data.draw(st.integers(0, (n - n_certain) // 2))
    size, priority = drawn(rng.random(n) + 0.1, 1 - rng.random(n), n_pairs)
    columns: Any = [c.tolist() for c in (level, topic, gain, size, priority, certain)]
    slow = reference(*[*columns, m])
    order, estimate = fast(level, gain, size, priority, certain, m, topic)
    assert estimate.gain == pytest.approx(np.array(slow)[order], abs=1e-8)


def totals(n_draws: int, m: int, judge: str, n_pairs: int) -> tuple[float, Any]:
    """The total gain of 12 documents, and its estimates."""
    rng = np.random.default_rng(11)
    sizes_alone = rng.random(12) * 2 + 0.2
    gain = rng.integers(0, 4, 12).astype(float)
    level = {"right": gain.astype(int), "wrong": 3 - gain.astype(int), "none": np.zeros(12, int)}
    estimates = []
    for _ in range(n_draws):
        size, priority = drawn(sizes_alone, 1 - rng.random(12), n_pairs)
        _, estimate = fast(level[judge], gain, size, priority, np.zeros(12, bool), m)
        estimates.append(estimate.gain.sum())
    return float(gain.sum()), np.array(estimates)


@pytest.mark.parametrize("judge", ["right", "wrong", "none"])
@pytest.mark.parametrize(("m", "n_pairs"), [(1, 0), (4, 0), (8, 0), (4, 4), (7, 6)])
def test_totals_are_unbiased_whatever_the_judge_says(judge: str, m: int, n_pairs: int) -> None:
    true, estimates = totals(6000, m, judge, n_pairs)
    error = estimates.std() / np.sqrt(estimates.size)
    assert abs(estimates.mean() - true) < 4 * error


def test_predictions_from_the_own_grade_would_be_biased() -> None:
    """Why a document is left out where its own gain is predicted."""
    rng = np.random.default_rng(1)
    size, gain = np.r_[np.full(6, 3.0), np.full(6, 0.5)], np.r_[np.ones(6), np.zeros(6)]
    level = np.zeros(12, int)
    right, biased = [], []
    for _ in range(1500):
        priority = size / (1 - rng.random(12))
        order, estimate = fast(level, gain, size, priority, np.zeros(12, bool), 4)
        right.append(estimate.gain.sum() - gain.sum())
        other, those = estimate.gain.copy(), ([0] * 12, [*order % 3], [*gain[order]])
        for i in range(4):
            predicted = predicted_from([*range(4)], i, *those)
            other[i] = predicted + (those[2][i] - predicted) / estimate.probability[i]
        biased.append(other.sum() - gain.sum())
    error = np.std(right) / np.sqrt(len(right))
    assert abs(np.mean(right)) < 4 * error
    change = np.subtract(biased, right)
    assert abs(change.mean()) > 10 * change.std() / np.sqrt(change.size)


def test_a_census_is_exact() -> None:
    gain = [2.0, 0.0, 1.0]
    order, estimate = fast([0, 1, 1], gain, [1.0, 2.0, 3.0], [5.0, 9.0, 7.0], [False] * 3, 3)
    assert estimate.gain.tolist() == [gain[i] for i in order]
    variance, freedom = estimate.variances(np.ones((1, 3)))
    assert (variance.tolist(), freedom.tolist()) == ([0.0], [np.inf])


def test_a_sample_without_residuals_says_nothing_about_the_rest() -> None:
    _, estimate = fast([0] * 4, [0.0] * 4, [1.0] * 4, [9.0, 8.0, 7.0, 6.0], [False] * 4, 2)
    weights = np.array([[1.0, 1, 1, 1], [0.0, 0, 0, 0]])
    variance, freedom = estimate.variances(weights)
    assert np.isnan(variance[0])
    assert freedom[0] == 1
    assert variance[1] == 0  # no document matters


@pytest.mark.parametrize(
    ("terms", "variance", "freedom"),
    [
        ([4], 4, 1),  # at least 1
        ([1, 1, 1], 3, 2),  # all alike: one less than terms
        ([1, 1, 1, 0, 0], 3, 2),  # partners whose errors cancel are no term
        ([100, *[1] * 10], 110, 2 * 110**2 / (10010 - 110**2 / 11) - 1),  # one makes up most
        ([0, 0], np.nan, 1),
        ([], np.nan, 1),
    ],
)
def test_degrees_of_freedom_by_hand(terms: Any, variance: float, freedom: float) -> None:
    n = len(terms)
    # With p = 1/2 and weights of 1, a term is 2 (f - c)^2. One more document is not graded.
    residual, zeros = np.sqrt(np.array(terms, float) / 2), np.zeros(n + 1, int)
    estimate = Estimate(
        np.zeros(n + 1), residual, np.full(n, 0.5), zeros, np.ones(n + 1), zeros, np.arange(n)
    )
    found = estimate.variances(np.ones((1, n + 1)))
    assert np.concatenate(found) == pytest.approx([variance, freedom], nan_ok=True)


@pytest.mark.parametrize("judge", ["right", "none"])
def test_intervals_hold_the_total(judge: str) -> None:
    rng = np.random.default_rng(5)
    n, m = 300, 60
    weight = rng.random(n)
    gain = rng.integers(0, 4, n).astype(float)
    level = gain.astype(int) if judge == "right" else np.zeros(n, int)
    size = sizes([np.array([weight, 0 * weight])])
    held = []
    for _ in range(600):
        priority = size / (1 - rng.random(n))
        order, estimate = fast(level, gain, size, priority, np.zeros(n, bool), m)
        half = half_widths(*estimate.variances(weight[None, order]), 0.95)[0]
        held.append(abs(estimate.gain @ weight[order] - gain @ weight) <= half)
    assert 0.93 <= np.mean(held) <= 0.99


def test_more_documents_shrink_the_interval_as_predicted() -> None:
    rng = np.random.default_rng(6)
    n, weight = 400, np.ones(400)
    gain, size = rng.integers(0, 3, n).astype(float), rng.random(n) + 0.5
    level = rng.integers(0, 2, n)
    ratios = []
    for _ in range(60):
        priority = size / (1 - rng.random(n))
        order, estimate = fast(level, gain, size, priority, np.zeros(n, bool), 80)
        more = estimate.further(weight, 0.5)
        _, later = fast(level, gain, size, priority, np.zeros(n, bool), 80 + more)
        ratios.append(
            later.variances(weight[None, order])[0] / estimate.variances(weight[None, order])[0]
        )
    assert 0.2 < np.mean(ratios) < 0.3  # a quarter of the variance


def test_levels_of_looks_are_those_of_pocock() -> None:
    # Looks after equally many observations, without an end: variances 1, 1/2, 1/3, ...
    for n, nominal in {2: 0.0294, 3: 0.0221, 5: 0.0158}.items():
        level = level_of_looks(tuple(1 / (k + 1) for k in range(n)), 0.95)
        assert 1 - level == pytest.approx(nominal, abs=1.1e-4)
    assert level_of_looks((1.0,), 0.95) == 0.95
    assert level_of_looks((), 0.95) == 0.95
    # A census is independent of the look before, and so are looks that are many.
    assert level_of_looks((1.0, 0.0), 0.95) == pytest.approx(0.95**0.5, abs=1e-4)
    assert level_of_looks(tuple(range(30, 0, -1)), 0.95) == pytest.approx(0.95 ** (1 / 30))


def test_looks_hold_together() -> None:
    rng = np.random.default_rng(8)
    n, looks = 300, (30, 60, 120)
    weight = rng.random(n)
    gain, level = rng.integers(0, 4, n).astype(float), rng.integers(0, 3, n)
    size = sizes([np.array([weight, 0 * weight])])
    held = []
    for _ in range(600):
        priority = size / (1 - rng.random(n))
        order = np.argsort(-priority)
        share = level_of_looks(tuple(variances_at(size[order], priority[order], looks)), 0.9)
        inside = True
        for m in looks:
            order, estimate = fast(level, gain, size, priority, np.zeros(n, bool), m)
            half = half_widths(*estimate.variances(weight[None, order]), share)[0]
            inside &= abs(estimate.gain @ weight[order] - gain @ weight) <= half
        held.append(inside)
    assert 0.87 <= np.mean(held) <= 0.95


def test_probabilities_grow_with_the_sample() -> None:
    rng = np.random.default_rng(2)
    size = rng.random(30) + 0.1
    priority = -np.sort(-size / (1 - rng.random(30)))
    for before, after in pairwise(probabilities(size, priority, m) for m in range(1, 31)):
        assert (after >= before).all()
    assert (after == 1).all()


def test_size_is_the_spread_of_the_weights_with_a_floor() -> None:
    weights = np.array([[1.0, 0.5, 0], [0.0, 0.5, 0]])
    assert sizes([weights]) == pytest.approx([0.1 + 0.9 * 3, 0.1, 0.1])
    # Scaled, so that the unit of a measure does not matter.
    assert sizes([weights, 7 * weights]) == pytest.approx(sizes([weights]))
    # A measure by which runs do not differ does not count, although the mean of three is not 0.1.
    weights, alike = np.vstack([weights, weights[:1]]), np.full((3, 3), 0.1)
    assert alike.std(axis=0).any()
    assert sizes([weights, alike]) == pytest.approx(sizes([weights]))


def test_levels_group_the_grades_of_a_judge() -> None:
    assert levels(np.array([3.0, 0, np.nan, 3])).tolist() == [2, 1, 0, 2]
    many = levels(np.r_[np.linspace(0, 1, 1000), np.nan])
    assert np.bincount(many).tolist() == [1] + [100] * 10


def test_the_same_random_numbers_are_seen() -> None:
    rng = np.random.default_rng(3)
    size, uniform = rng.random(200) + 0.2, 1 - rng.random(200)
    drawn = np.argsort(-size / uniform)[:30]
    judged = np.zeros(200, bool)
    judged[drawn] = True
    assert repeated(size, uniform, judged)
    judged[drawn[3]] = False  # a gap
    judged[:10] = True  # judged before
    assert repeated(size, uniform, judged)
    assert not repeated(size, 1 - rng.random(200), judged)
    assert not repeated(size, uniform, np.zeros(200, bool))


def test_the_number_of_documents_for_a_variance() -> None:
    rng = np.random.default_rng(4)
    size, load = rng.random(100) + 0.2, rng.random(100)
    wanted = [documents_needed(size, load, variance) for variance in (0.0, 5.0, 50.0, 500.0)]
    assert wanted[0] == 100
    assert wanted == sorted(wanted, reverse=True)
    # With equal sizes p is m / n.
    assert documents_needed(np.ones(100), np.ones(100), 100 * (1 - 0.2) / 0.2) == 20
