"""Equal means: one rule for places, preferences, tests."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref_lab
from irpref.values.means import best_first, places
from irpref_lab.decide.all_pairs import pair_tests
from irpref_lab.meta import TopicValues, discriminative_power, system_ranking

# Values as P@5, RR and AP have them: fractions of small numbers.
FRACTIONS = st.builds(Fraction, st.integers(0, 12), st.sampled_from([1, 2, 3, 5, 7, 10])).map(
    lambda f: f / 12
)
MATRICES = st.integers(1, 40).flatmap(
    lambda n: st.lists(st.lists(FRACTIONS, min_size=n, max_size=n), min_size=2, max_size=6)
)


@given(MATRICES, st.booleans())
def test_places_are_those_of_the_exact_means(rows, higher):
    exact = [sum(row) / len(row) for row in rows]
    expected = [
        1 + sum(other > mean if higher else other < mean for other in exact) for mean in exact
    ]
    values = np.array(rows, dtype=np.float64)
    found = places(values.mean(axis=1), np.abs(values).mean(axis=1), higher)
    assert found.tolist() == expected


@given(MATRICES, st.randoms(use_true_random=False), st.floats(1e-6, 1e6))
def test_the_order_of_the_values_of_a_run_changes_no_place(rows, draw, unit):
    values = np.array(rows, dtype=np.float64) * unit
    moved = np.array([draw.sample(row.tolist(), row.size) for row in values])
    one, other = (places(of.mean(axis=1), np.abs(of).mean(axis=1)) for of in (values, moved))
    assert one.tolist() == other.tolist()


def test_equal_means_come_by_name():
    assert best_first(np.array([2, 1, 2]), ["b", "c", "a"]).tolist() == [1, 2, 0]


def test_values_that_cancel_are_measured_by_their_size():
    # (0.1 + 0.2 - 0.3) / 3 is 1.9e-17 in floating point.
    values = np.array([[0.1, 0.2, -0.3], [0.0, 0.0, 0.0]])
    assert values.mean(axis=1)[0] != 0
    assert places(values.mean(axis=1), np.abs(values).mean(axis=1)).tolist() == [1, 1]


# P@5 of 20 topics, 0.2, 0.4 and 0.6 in turn, and the same values in another order: the sums differ
# in the last bit.
ROW = [0.2, 0.4, 0.6, 0.2, 0.2, 0.6, 0.4, 0.2, 0.6, 0.8]


def _unequal_sums():
    rng = np.random.default_rng(0)
    while True:
        other = rng.permutation(ROW)
        if np.mean(other) != np.mean(ROW) and np.cumsum(other)[-1] != np.cumsum(ROW)[-1]:
            return np.array([ROW, other])


def _collection():
    """Judgments and runs whose P@5 are those rows."""
    values = _unequal_sums()
    qrels = {f"q{t}": {f"d{i}": 1 for i in range(5)} for t in range(values.shape[1])}
    runs = {
        name: {
            f"q{t}": {f"{'d' if i < round(5 * value) else 'x'}{i}": 5.0 - i for i in range(5)}
            for t, value in enumerate(row)
        }
        for name, row in zip(("b", "a"), values, strict=True)
    }
    return qrels, runs


@pytest.mark.parametrize("sort", ["P@5", "AP"])
def test_equal_runs_have_one_place_and_come_by_name_on_a_board(sort):
    qrels, runs = _collection()
    board = irpref_lab.leaderboard(["P@5", "AP"], qrels, runs, sort=sort)
    of = board[board["measure"] == "P@5"]
    assert of["place"].tolist() == [1, 1]
    assert of["run"].tolist() == ["a", "b"]
    assert len(set(of["mean"])) == 2  # the means are printed as they are added
    assert (board.pairs["difference"] == 0).all()


def test_equal_means_are_at_one_rank_of_a_ranking():
    ranking = system_ranking(TopicValues("P@5", ["b", "a"], map(str, range(10)), _unequal_sums()))
    assert ranking.systems == ("a", "b")
    assert ranking.table()["rank"].tolist() == [1, 1]


def test_equal_means_have_a_significance_level_of_one():
    values = TopicValues("P@5", ["b", "a"], map(str, range(10)), _unequal_sums())
    found = discriminative_power(values, n_samples=500, rng=0)
    assert found.asl.tolist() == [1.0]
    assert found.difference.tolist() == [0.0]


def test_pairs_of_equal_means_differ_by_nothing():
    found = pair_tests(_unequal_sums(), "holm")
    assert found.difference.tolist() == [0.0]
    assert found.p_adjusted.tolist() == [1.0]
