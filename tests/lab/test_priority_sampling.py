"""Priority sampling against plain loops, and its promises in simulations."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irpref.lab.judges.priority_sampling import (
    Estimate,
    documents_needed,
    estimated,
    half_widths,
    level_of_looks,
    levels,
    probabilities,
    repeated,
    sizes,
    variances_at,
)


def reference(
    level: list[int], topic: list[int], gain: list[float], size: list[float],
    priority: list[float], certain: list[bool], m: int,
) -> list[float]:  # fmt: skip
    """Estimates of all documents, in any order, one at a time and straight from the definition."""
    n = len(level)
    order = sorted((i for i in range(n) if not certain[i]), key=lambda i: -priority[i])
    estimates = []
    for i in range(n):
        if certain[i]:
            estimates.append(gain[i])
            continue
        others = [j for j in order if j != i]
        threshold = priority[others[m - 1]] if len(others) >= m else 0.0
        weight = {j: max(1.0, threshold / size[j]) for j in others[: m - 1]}
        weight |= {j: 1.0 for j in range(n) if certain[j]}
        predicted = 0.0
        if weight:
            total = sum(weight.values())
            mean = sum(w * gain[j] for j, w in weight.items()) / total
            average = total / len(weight)
            of_level = {}
            for one in level:
                alike = {j: w for j, w in weight.items() if level[j] == one}
                of_level[one] = sum(w * gain[j] for j, w in alike.items()) + 2 * average * mean
                of_level[one] /= sum(alike.values()) + 2 * average
            near = {j: w for j, w in weight.items() if topic[j] == topic[i]}
            excess = sum(w * (gain[j] - of_level[level[j]]) for j, w in near.items())
            predicted = of_level[level[i]] + excess / (sum(near.values()) + 5 * average)
        if i in order[:m]:
            following = priority[order[m]] if m < len(order) else 0.0
            p = min(1.0, size[i] / following) if following else 1.0
            estimates.append(predicted + (gain[i] - predicted) / p)
        else:
            estimates.append(predicted)
    return estimates


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
    gain, size = rng.integers(0, 4, n).astype(float), rng.random(n) + 0.1
    priority, certain = size / (1 - rng.random(n)), np.arange(n) < n_certain
    columns: Any = [c.tolist() for c in (level, topic, gain, size, priority, certain)]
    slow = reference(*[*columns, m])
    order, estimate = fast(level, gain, size, priority, certain, m, topic)
    assert estimate.gain == pytest.approx(np.array(slow)[order])


def totals(n_draws: int, m: int, judge: str) -> tuple[float, Any, Any]:
    """The total gain of 12 documents, its estimates and their variances."""
    rng = np.random.default_rng(11)
    size = rng.random(12) * 2 + 0.2
    gain = rng.integers(0, 4, 12).astype(float)
    level = {"right": gain.astype(int), "wrong": 3 - gain.astype(int), "none": np.zeros(12, int)}
    estimates, variances = [], []
    for _ in range(n_draws):
        priority = size / (1 - rng.random(12))
        _, estimate = fast(level[judge], gain, size, priority, np.zeros(12, bool), m)
        estimates.append(estimate.gain.sum())
        variances.append(estimate.terms.sum())
    return float(gain.sum()), np.array(estimates), np.array(variances)


@pytest.mark.parametrize("judge", ["right", "wrong", "none"])
@pytest.mark.parametrize("m", [1, 4, 8])
def test_totals_are_unbiased_whatever_the_judge_says(judge: str, m: int) -> None:
    true, estimates, _ = totals(6000, m, judge)
    error = estimates.std() / np.sqrt(estimates.size)
    assert abs(estimates.mean() - true) < 4 * error


def test_predictions_from_the_whole_sample_would_be_biased() -> None:
    """Why documents that were not drawn leave out the last one of the sample."""
    rng = np.random.default_rng(1)
    size, gain = np.r_[np.full(6, 3.0), np.full(6, 0.5)], np.r_[np.ones(6), np.zeros(6)]
    level = np.zeros(12, int)
    right, biased = [], []
    for _ in range(4000):
        priority = size / (1 - rng.random(12))
        order, estimate = fast(level, gain, size, priority, np.zeros(12, bool), 4)
        right.append(estimate.gain.sum() - gain.sum())
        weight = 1 / estimate.probability
        other, seen, given_gain = estimate.gain.copy(), level[order][:4], gain[order][:4]
        prior = 2 * weight.mean()
        for i in range(4, 12):
            alike = seen == level[order][i]
            mean = (weight @ given_gain) / weight.sum()
            other[i] = ((weight * given_gain)[alike].sum() + prior * mean) / (
                weight[alike].sum() + prior
            )
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
    assert sizes([weights]) == pytest.approx([0.2 + 0.8 * 3, 0.2, 0.2])
    # Scaled, so that the unit of a measure does not matter.
    assert sizes([weights, 7 * weights]) == pytest.approx(sizes([weights]))


def test_levels_group_the_grades_of_a_judge() -> None:
    assert levels(np.array([3.0, 0, np.nan, 3])).tolist() == [1, 0, 2, 1]
    many = levels(np.r_[np.linspace(0, 1, 1000), np.nan])
    assert np.bincount(many).tolist() == [100] * 10 + [1]


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
