"""Stability, swap rate and discriminative power: hand cases, slow oracle, statistical facts."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import meta_oracles as oracle
from irpref_lab.meta import TopicValues, discriminative_power, stability, swap


def values(matrix, measure="AP", **more):
    matrix = np.asarray(matrix, dtype=float)
    systems, topics = (
        [f"{letter}{i}" for i in range(n)] for letter, n in zip("sq", matrix.shape, strict=True)
    )
    return TopicValues(measure, systems, topics, matrix, **more)


# Two systems, two topics, three samples. Means of a: .45 .6 .3, of b: .3 .2 .4; differences .15 .4
# -.1.
A, B = [0.6, 0.3], [0.2, 0.4]
SAMPLES = [[0, 1], [0, 0], [1, 1]]
OTHERS = [[1, 1], [0, 1], [0, 0]]  # differences -.1 .15 .4


def test_stability_by_hand():
    # Shares of the larger mean: .15/.45 = 1/3, .4/.6 = 2/3, .1/.4 = 1/4.
    found = stability(values([A, B]), samples=SAMPLES, fuzziness=[0.1, 0.25, 0.3, 0.5, 0.7])
    # At 1/4 the difference equals the margin and is no tie.
    assert found.greater[:, 0].tolist() == [2, 2, 2, 1, 0]
    assert found.less[:, 0].tolist() == [1, 1, 0, 0, 0]
    assert found.minority_rate == pytest.approx([1 / 3, 1 / 3, 0, 0, 0])
    assert found.ties == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])
    assert found.n_samples == 3


def test_swap_by_hand():
    found = swap(values([A, B]), samples=(SAMPLES, OTHERS))
    # .15 and -.1: a swap; .4 and .15: none; -.1 and .4: a swap. Bins 15, 20 (the open one) and 10.
    assert np.flatnonzero(found.observations).tolist() == [10, 15, 20]
    assert found.rate[[10, 15, 20]].tolist() == [1, 1, 0]
    assert np.isnan(found.rate[0])
    assert found.difference_required() == 0.2
    assert found.sensitivity() == pytest.approx(1 / 3)
    # Differences of 0 cannot swap; .5 swaps once of twice.
    coarse = swap(values([[0, 0.5], [0, 0]]), samples=([[0], [1], [1]], [[0], [0], [1]]))
    assert (coarse.rate[0], coarse.difference_required(), coarse.sensitivity()) == (0, 0.2, 2 / 3)


def test_power_by_hand():
    # z = .4 -.1, mean .15, w = .25 -.25; t(z) = .15 / (sqrt(.125) / sqrt 2) = .6. The samples of w:
    # mean 0, so t = 0; then .25 .25 and -.25 -.25, no deviation, so t is infinite. Two of three
    # reach .6.
    found = discriminative_power(values([A, B]), samples=SAMPLES)
    assert found.asl.tolist() == [2 / 3]
    assert found.power == 0
    assert found.difference == pytest.approx([-0.15])  # second minus first
    assert found.difference_required == pytest.approx(0.25)  # ceil(3 * .05) = 1: the largest |t|


@st.composite
def cases(draw):
    n_systems, n_topics = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    cell = st.integers(0, 8).map(lambda i: Fraction(i, 8))
    matrix = [[draw(cell) for _ in range(n_topics)] for _ in range(n_systems)]
    size, n_samples = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    row = st.lists(st.integers(0, n_topics - 1), min_size=size, max_size=size)
    rows = st.lists(row, min_size=n_samples, max_size=n_samples)
    return matrix, draw(rows), draw(rows)


@given(cases())
def test_stability_equals_the_slow_oracle(case):
    matrix, samples, _ = case
    fuzziness = [Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1)]
    expected = oracle.stability(matrix, samples, fuzziness)
    found = stability(values(matrix), samples=samples, fuzziness=[float(f) for f in fuzziness])
    assert found.minority_rate == pytest.approx([float(m) for m, _ in expected])
    assert found.ties == pytest.approx([float(t) for _, t in expected])


@given(cases())
def test_swap_equals_the_slow_oracle(case):
    matrix, samples, others = case
    edges = [Fraction(i, 8) for i in range(5)]
    expected = oracle.swap(matrix, samples, others, edges)
    found = swap(values(matrix), samples=(samples, others), edges=[float(e) for e in edges])
    assert np.column_stack([found.observations, found.swaps]).tolist() == expected


@given(cases(), st.sampled_from(["0.05", "0.5", "0.9"]))
def test_power_equals_the_slow_oracle(case, alpha):
    matrix, samples, _ = case
    expected = oracle.power(matrix, samples, alpha)
    found = discriminative_power(values(matrix), samples=samples, alpha=float(alpha))
    assert found.asl == pytest.approx([float(asl) for asl, _ in expected])
    assert found.required == pytest.approx([float(r) for _, r in expected])


def simulated(n_systems, n_topics, seed, quality=0.1, noise=0.2):
    """Systems of different quality on topics of different difficulty."""
    rng = np.random.default_rng(seed)
    means = (
        0.5
        + quality * rng.standard_normal((n_systems, 1))
        + 0.15 * rng.standard_normal((1, n_topics))
    )
    return np.clip(means + noise * rng.standard_normal((n_systems, n_topics)), 0, 1)


def test_identical_systems_are_never_significant_and_always_tied():
    row = np.random.default_rng(1).random(20)
    twins = values([row, row, row])
    assert discriminative_power(twins, rng=0).asl.tolist() == [1, 1, 1]
    found = stability(twins, rng=0, fuzziness=[0, 0.1])
    assert found.ties.tolist() == [1, 1]
    assert swap(twins, rng=0).swaps.sum() == 0


def test_systems_apart_by_a_constant_are_significant():
    # Decimal constants leave rounding errors in w that must not count as variance.
    row = np.random.default_rng(1).random(20)
    found = discriminative_power(values([row, row + 0.1]), rng=0)
    assert found.asl.tolist() == [0]
    assert found.required.tolist() == [0]


def test_equal_systems_seem_different_about_as_often_as_alpha_says():
    rng = np.random.default_rng(6)
    shares = [
        discriminative_power(values(rng.random((10, 50))), alpha=alpha, rng=1).power
        for alpha in (0.05, 0.05, 0.2)
    ]
    assert 0.01 <= np.mean(shares[:2]) <= 0.12
    assert 0.1 <= shares[2] <= 0.32


def test_order_of_systems_and_sign_of_the_measure_do_not_matter():
    matrix = simulated(8, 30, seed=9)
    plain = values(matrix)
    turned = values(-matrix[::-1], higher_is_better=False)
    for method in (stability, swap):
        assert method(plain, rng=3).table().equals(method(turned, rng=3).table())
    a, b = discriminative_power(plain, rng=3), discriminative_power(turned, rng=3)
    assert a.power == b.power
    assert (a.matrix() == b.matrix()[::-1, ::-1]).all()


def test_the_same_seed_gives_the_same_samples_for_every_measure():
    one, two = values(simulated(5, 20, 1), "AP"), values(simulated(5, 20, 1), "Q")
    assert (stability(one, rng=11).ties == stability(two, rng=11).ties).all()
    samples = np.random.default_rng(11).integers(0, 20, (1000, 20))
    assert (stability(one, samples=samples).ties == stability(one, rng=11).ties).all()
    generator = np.random.default_rng(11)
    assert (stability(one, rng=generator).ties == stability(one, rng=11).ties).all()


def test_many_pairs_go_through_in_chunks(monkeypatch):
    matrix = values(simulated(12, 15, seed=2))
    whole = [stability(matrix, rng=0), swap(matrix, rng=0), discriminative_power(matrix, rng=0)]
    monkeypatch.setattr("irpref_lab.trust.samples.CHUNK", 1)  # one pair at a time
    parts = [stability(matrix, rng=0), swap(matrix, rng=0), discriminative_power(matrix, rng=0)]
    for a, b in zip(whole, parts, strict=True):
        one, other = (of.table().drop(columns="required", errors="ignore") for of in (a, b))
        assert one.equals(other)
    assert whole[2].required == pytest.approx(parts[2].required)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda v: swap(v, rng="x"), "rng='x' is not accepted"),
        (lambda v: stability(v, rng=0, fuzziness=[-1]), "fuzziness"),
        (lambda v: stability(v, samples=[[0, 2]]), "there are 0 to 1"),
        (lambda v: stability(v, samples=[0, 1]), r"shape \(n_samples, size\)"),
        (lambda v: swap(v, rng=0, edges=[0.1, 0.2]), "rise from 0"),
        (lambda v: swap(v, samples=([[0]], [[0], [1]])), "as many samples"),
        (lambda v: discriminative_power(v, rng=0, alpha=5), "alpha=5"),
        (lambda v: discriminative_power(v, rng=0, alpha="0.05"), "alpha='0.05'"),
        (lambda v: stability(v.select(["s0"]), rng=0), "at least 2 systems"),
        (lambda v: discriminative_power(v.select(topics=["q0"]), rng=0), "at least 2 topics"),
    ],
)
def test_errors_say_what_is_accepted(call, says):
    with pytest.raises(ValueError, match=says):
        call(values([A, B]))


def test_nothing_qualifies():
    found = swap(values([A, B]), samples=([[0]], [[1]]))
    assert math.isnan(found.difference_required())
    assert found.sensitivity() == 0
