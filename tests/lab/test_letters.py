"""Compact letters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irpref_lab.decide.letters import letters, maximal_sets


@st.composite
def _relations(draw, max_runs=7):
    n = draw(st.integers(1, max_runs))
    different = np.zeros((n, n), bool)
    upper = np.triu_indices(n, 1)
    different[upper] = draw(st.lists(st.booleans(), min_size=upper[0].size, max_size=upper[0].size))
    return different | different.T


@st.composite
def _by_size(draw):
    """Runs by falling mean; those further apart than a bound differ."""
    means = np.array(
        sorted(draw(st.lists(st.integers(0, 30), min_size=1, max_size=12)), reverse=True)
    )
    return np.abs(means[:, None] - means) > draw(st.integers(0, 10))


def _insert_and_absorb(different):
    """Piepho's algorithm as he gives it: split the columns that hold a pair that differs, drop
    those inside others.
    """
    n = len(different)
    columns = [frozenset(range(n))]
    for i in range(n):
        for j in range(i + 1, n):
            if different[i, j]:
                split = [c - {k} for c in columns if {i, j} <= c for k in (i, j)]
                columns = list(dict.fromkeys([c for c in columns if not {i, j} <= c] + split))
                columns = [c for c in columns if not any(c < other for other in columns)]
    return {tuple(sorted(c)) for c in columns}


@given(_relations())
def test_two_runs_share_a_letter_if_and_only_if_they_do_not_differ(different):
    text = letters(different)
    if len(maximal_sets(different)) > 8:  # seven runs can need twelve letters
        assert text == [None] * len(different)
        return
    for i in range(len(different)):
        assert text[i]
        for j in range(len(different)):
            assert bool(set(text[i]) & set(text[j])) == (not different[i, j])


@given(_relations())
def test_every_column_is_one_of_insertion_and_absorption(different):
    assert {tuple(column) for column in maximal_sets(different)} <= _insert_and_absorb(different)


@given(_by_size())
def test_where_the_size_of_a_difference_decides_it_is_insertion_and_absorption(different):
    columns = maximal_sets(different)
    assert {tuple(column) for column in columns} == _insert_and_absorb(different)
    assert columns == sorted(columns)
    assert all(column == list(range(column[0], column[-1] + 1)) for column in columns)  # no gaps


def test_a_letter_each_up_to_eight_and_none_beyond():
    assert letters(~np.eye(8, dtype=bool)) == list("abcdefgh")
    assert letters(~np.eye(9, dtype=bool)) == [None] * 9
    assert letters(np.zeros((1000, 1000), dtype=bool)) == ["a"] * 1000
