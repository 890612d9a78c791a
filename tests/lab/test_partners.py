"""Documents that are drawn together."""

import numpy as np

from irpref_lab.judges.partners import partners


def test_partners_favour_different_runs_of_a_topic() -> None:
    # Topic 0: three documents for the first run, two for the second; topic 1: one of the first.
    first = np.array([1.0, 0.2, 0.6, 0, 0, 1])
    second = np.array([0.0, 0, 0, 0.5, 0.9, 0])
    topic = np.array([0, 0, 0, 0, 0, 1])
    # The largest of both runs, then the next of both; the smallest and the other topic stay alone.
    assert partners([np.stack([first, second])], topic).tolist() == [4, 1, 3, 2, 0, 5]
    # The unit of a measure does not matter, nor a second measure of the same weights.
    assert partners([np.stack([first, second]) * 7] * 2, topic).tolist() == [4, 1, 3, 2, 0, 5]


def test_documents_that_many_runs_rank_in_other_ways_are_drawn_alone() -> None:
    weights = np.eye(4)  # each document is that of one run: a product of -1/4, a cosine of -1/3
    assert partners([weights], np.zeros(4, int)).tolist() == [0, 1, 2, 3]
    two_by_two = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    assert partners([two_by_two], np.zeros(2, int)).tolist() == [1, 0]


def test_a_measure_by_which_runs_do_not_differ_does_not_count() -> None:
    # The mean of three weights of 0.1 is not 0.1: what rounding leaves is no direction.
    alike, differing = np.full((3, 4), 0.1), np.array([[1.0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]])
    assert (alike - alike.mean(axis=0)).any()
    topic = np.zeros(4, int)
    expected = partners([differing], topic).tolist()
    assert partners([differing, alike], topic).tolist() == expected


def test_partners_of_many_topics_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    weights, topic = rng.random((2, 60)), np.repeat([0, 1, 2], [25, 5, 30])
    found = partners([weights], topic)
    # One pair after the other, over all topics at once: the most opposite of those left.
    vector = (weights - weights.mean(axis=0)).T
    expected, left = list(range(60)), set(range(60))
    while pairs := [
        (float(vector[i] @ vector[j]), i, j)
        for i in left
        for j in left
        if i < j and topic[i] == topic[j] and vector[i] @ vector[j] < 0
    ]:
        _, i, j = min(pairs)
        expected[i], expected[j] = j, i
        left -= {i, j}
    assert found.tolist() == expected


def test_what_rounding_leaves_in_products_chooses_no_partners() -> None:
    rng = np.random.default_rng(4)
    discount = np.append(1 / np.log2(np.arange(2, 12)), 0)
    weights = discount[rng.integers(0, 11, (3, 80))]  # of few ranks: many products are equal
    weights = weights[:, np.ptp(weights, axis=0) > 0]
    topic = np.arange(weights.shape[1]) // 40
    expected = partners([weights], topic).tolist()
    assert expected != list(range(topic.size))
    for _ in range(5):
        noise = 1 + 1e-14 * rng.normal(size=weights.shape)
        assert partners([weights * noise], topic).tolist() == expected
    # Nine runs, of which each document serves four others: a cosine of -0.8 is not below -0.8.
    four = np.zeros((9, 2))
    four[:4, 0] = four[4:8, 1] = 1
    assert partners([four], np.zeros(2, int)).tolist() == [0, 1]
