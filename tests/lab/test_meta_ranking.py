"""Rankings of systems and their agreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import meta_oracles as oracle
from irpref.errors import ArgumentError
from irpref_lab.meta import TopicValues, agreement, kendall_tau, ranking, system_ranking, tau_ap
from irpref_lab.meta.ranking import kendall_taus

few = st.integers(2, 5).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
    )
)


def test_tau_ap_by_hand():
    # Yilmaz et al.: sum of C(i)/(i-1). b a c d against a b c d: 0 + 2/2 + 3/3 = 2, 2/3 * 2 - 1 =
    # 1/3.
    assert tau_ap([3, 4, 2, 1], [4, 3, 2, 1]) == pytest.approx(1 / 3)
    # a b d c: 1 + 1 + 2/3, so 7/9: the same single error matters less at the bottom; tau is 2/3 for
    # both.
    assert tau_ap([4, 3, 1, 2], [4, 3, 2, 1]) == pytest.approx(7 / 9)
    assert kendall_tau([3, 4, 2, 1], [4, 3, 2, 1]) == pytest.approx(2 / 3)
    assert kendall_tau([4, 3, 1, 2], [4, 3, 2, 1]) == pytest.approx(2 / 3)


def test_ties_in_the_reference_are_no_error():
    assert tau_ap([3, 3, 1], [3, 3, 1]) == tau_ap([3, 2, 1], [3, 3, 1]) == 1
    # c above a and b: 0 at rank 2; a or b, whichever comes last, is right about the other only:
    # 1/2.
    assert tau_ap([2, 1, 3], [3, 3, 1]) == pytest.approx(2 / 2 * (0 + 1 / 2) - 1)


@given(few)
def test_tau_ap_equals_the_mean_over_all_orders_of_ties(case):
    assert tau_ap(*case) == pytest.approx(float(oracle.tau_ap(*case)))


def test_means_that_differ_by_rounding_are_ties():
    assert kendall_tau([0.1 + 0.2, 0.3, 0.1], [3, 3, 1]) == pytest.approx(1)
    assert tau_ap([0.1 + 0.2, 0.3, 0.1], [3, 2, 1]) == pytest.approx(2 / 2 * (1 / 2 + 1) - 1)


@pytest.mark.parametrize(("a", "b"), [([1, 2, 3], [1, 2]), ([1, 2], [1, 2, 3])])
def test_lists_of_different_lengths_have_no_tau(a, b):
    with pytest.raises(ArgumentError, match=f"{len(a)} and {len(b)} scores") as error:
        kendall_tau(a, b)
    assert error.value.parameter == "scores"


@pytest.mark.parametrize("n_systems", [1, 2, 7, 60])
def test_several_lists_beside_one_have_the_tau_of_scipy_to_the_last_bit(n_systems, monkeypatch):
    monkeypatch.setattr(ranking, "_ENTRIES", 100)  # several pieces
    rng = np.random.default_rng(n_systems)
    rows = np.vstack(
        [rng.random((9, n_systems)), rng.integers(0, 3, (9, n_systems)), np.ones((1, n_systems))]
    )
    for reference in (rng.random(n_systems), rng.integers(0, 2, n_systems), rng.random(rows.shape)):
        each = np.broadcast_to(reference, rows.shape)
        expected = [
            float("nan") if n_systems < 2 else stats.kendalltau(*two).statistic
            for two in zip(rows, each, strict=True)
        ]
        np.testing.assert_array_equal(kendall_taus(rows, reference), expected)


def make(name, means, higher_is_better=True):
    return TopicValues(name, "abc"[: len(means)], ["q"], [[m] for m in means], higher_is_better)


def test_systems_are_ranked_best_first_and_ties_share_a_rank():
    table = system_ranking(make("AP", [0.2, 0.4, 0.2])).table()
    assert table["system"].tolist() == ["b", "a", "c"]
    assert table["rank"].tolist() == [1, 2, 2]
    assert table["mean"].tolist() == [0.4, 0.2, 0.2]


def test_a_measure_that_is_better_low_ranks_the_other_way():
    low = system_ranking(make("EMeasure", [0.2, 0.4, 0.3], higher_is_better=False))
    assert low.systems == ("a", "c", "b")
    assert low.table()["rank"].tolist() == [1, 2, 3]
    assert low.tau(system_ranking(make("AP", [0.9, 0.1, 0.5]))) == 1


def test_agreement_of_measures():
    table = agreement({"x": make("x", [1, 2, 3]), "y": make("y", [1, 3, 2])})
    assert table.loc["x", "x"] == 1
    assert table.loc["x", "y"] == table.loc["y", "x"] == pytest.approx(1 / 3)


def test_errors():
    with pytest.raises(ArgumentError) as error:
        system_ranking(make("AP", [1, 2, 3])).tau(system_ranking(make("Q", [1, 2])))
    assert (error.value.parameter, error.value.value) == ("other", "c")
    assert np.isnan(tau_ap([1], [1]))
