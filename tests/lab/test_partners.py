"""Documents that are drawn together."""

import numpy as np

from irpref.lab.judges.partners import partners


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
