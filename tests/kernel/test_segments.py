"""Sums, counts and extremes of topics, against loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irpref.kernel.segments import Segments, order_by

SHAPES = {
    "none": [],
    "one": [7],
    "empty": [0, 0, 0],
    "few long": [3000, 2900],
    "many alike": [40] * 30 + [39],
    "many, some empty": [0, 5, 0, 0, 6, 5, 5, 6, 4, 5, 6, 0],
    "many of all lengths": [1, 500, 0, 3, 20, 90, 2, 2, 1, 60],
    "single rows": [1] * 50,
}


@pytest.mark.parametrize("lengths", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e300])
def test_sums_are_those_of_a_loop_to_the_last_bit(lengths, unit):
    segments = Segments.of_lengths(np.array(lengths, dtype=np.int64))
    values = np.random.default_rng(len(lengths)).normal(size=segments.size) * unit / 4096
    expected = []
    for a, b in zip(segments.starts.tolist(), segments.ends.tolist(), strict=True):
        total = 0.0
        for value in values[a:b].tolist():
            total += value
        expected.append(total)
    found = segments.total(values)
    assert found.dtype == np.float64
    assert found.tolist() == expected
    assert segments.total(values > 0).tolist() == [
        float((values[a:b] > 0).sum()) for a, b in zip(segments.starts, segments.ends, strict=True)
    ]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.data())
def test_rows_of_some_topics(lengths, data):
    segments = Segments.of_lengths(np.array(lengths))
    topics = data.draw(st.lists(st.integers(0, len(lengths) - 1), unique=True))
    expected = [row for t in topics for row in range(segments.starts[t], segments.ends[t])]
    assert segments.rows(np.array(topics, dtype=np.int64)).tolist() == expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.data())
def test_segments_of_some_rows(lengths, data):
    segments = Segments.of_lengths(np.array(lengths))
    rows = sorted(
        data.draw(st.sets(st.integers(0, max(segments.size - 1, 0)))) if segments.size else []
    )
    expected = [
        sum(a <= row < b for row in rows)
        for a, b in zip(segments.starts, segments.ends, strict=True)
    ]
    assert segments.part(np.array(rows, dtype=np.int64)).lengths.tolist() == expected


@given(st.data(), st.sampled_from([0, 24, 25, 6552, 6553, 65535, 65536, 70000]))
def test_the_order_is_stable(data, highest):
    # 10 * 25 and 10 * 6553 are the last that fit eight and sixteen bits.
    pairs = data.draw(
        st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, highest) | st.just(highest)), max_size=40
        )
    )
    major, minor = (
        np.array(column, dtype=np.int64)
        for column in (zip(*pairs, strict=True) if pairs else ([], []))
    )
    assert order_by(major, minor, 10).tolist() == sorted(range(len(pairs)), key=pairs.__getitem__)


def test_first_and_last_value_and_what_differs_stay_inside_their_topic():
    topics = Segments.of_lengths([0, 2, 0, 3, 0])
    values = np.array([1, 1, 1, 2, 2])
    assert topics.first_value(values, -1).tolist() == [-1, 1, -1, 1, -1]
    assert topics.last_value(values).tolist() == [0, 1, 0, 2, 0]
    assert topics.differs(values).tolist() == [False, False, False, True, False]
    assert Segments.of_topics(topics.topic, 5).offsets.tolist() == topics.offsets.tolist()
