"""Counting what stands above documents that are worth more: both ways against a loop over the
pairs.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irpref.kernel import inversions as module
from irpref.kernel.inversions import inversions
from irpref.kernel.segments import Segments

TOPICS = st.lists(st.lists(st.integers(0, 12), max_size=14), min_size=1, max_size=6)


def arrays(topics, scale=1.0):
    """Rows, level of each row, levels, value and step of each level, for topics as lists of values
    in rank order.
    """
    rows = Segments.of_lengths([len(values) for values in topics])
    distinct = [sorted(set(values), reverse=True) for values in topics]
    levels = Segments.of_lengths([len(values) for values in distinct])
    level = [
        int(levels.starts[t]) + distinct[t].index(value)
        for t, values in enumerate(topics)
        for value in values
    ]
    value = np.array([v * scale for values in distinct for v in values], float)
    step = np.array(
        [len(values) - 1 - i for values in distinct for i in range(len(values))], np.int64
    )
    return rows, np.array(level, np.int64), levels, value, step


def by_pairs(topics, scale=1.0):
    """Sum of the differences, and number, for each row: a loop over the pairs."""
    total, number = [], []
    for values in topics:
        for i, value in enumerate(values):
            lower = [other for other in values[:i] if other < value]
            total.append(sum((value - other) * scale for other in lower))
            number.append(len(lower))
    return np.array(total, float), np.array(number, float)


@pytest.mark.parametrize("most", [0, 3, 80], ids=["by bits", "some of both", "by counters"])
@given(topics=TOPICS, scale=st.sampled_from([1.0, 0.25, 2.0**-40]))
def test_both_ways_are_the_loop_over_the_pairs(most, topics, scale):
    total, number = by_pairs(topics, scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY_STEPS", most)
        assert inversions(*arrays(topics, scale)).tolist() == total.tolist()
        assert inversions(*arrays(topics, scale), weighted=False).tolist() == number.tolist()


@given(topics=st.lists(st.lists(st.floats(0, 3), max_size=30), min_size=1, max_size=3))
def test_values_that_are_no_whole_numbers_agree_to_rounding(topics):
    total, number = by_pairs(topics)
    for most in (0, 80):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "MANY_STEPS", most)
            assert inversions(*arrays(topics)) == pytest.approx(total, rel=1e-12, abs=1e-12)
            assert inversions(*arrays(topics), weighted=False).tolist() == number.tolist()


@pytest.mark.parametrize("most", [0, 3, 80], ids=["by bits", "some of both", "by counters"])
@given(topics=TOPICS, scale=st.sampled_from([1.0, 0.25, 0.3]))
def test_rows_of_value_0_may_be_left_out_and_counted(most, topics, scale):
    rows, level, levels, value, step = arrays(topics, scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY_STEPS", most)
        kept = np.flatnonzero(value[level] > 0) if level.size else level
        part = rows.part(kept)
        zeros = (kept - part.position - part.spread(rows.starts)) * 1.0
        for weighted in (True, False):
            whole = inversions(rows, level, levels, value, step, weighted)
            left = inversions(part, level[kept], levels, value, step, weighted, zeros)
            assert left.tolist() == whole[kept].tolist()


def test_levels_of_equal_value_share_a_step():
    # Two grades of one gain: neither is above the other.
    rows, levels = Segments.of_lengths([3]), Segments.of_lengths([3])
    lost = inversions(
        rows, np.array([1, 0, 2]), levels, np.array([2.0, 2.0, 1.0]), np.array([1, 1, 0])
    )
    assert lost.tolist() == [0, 0, 0]
    lost = inversions(
        rows, np.array([2, 1, 0]), levels, np.array([2.0, 2.0, 1.0]), np.array([1, 1, 0])
    )
    assert lost.tolist() == [0, 1, 1]
