"""Which documents are drawn together: two of a topic that move the runs in opposite directions.

A unit of gain moves the runs by the document's weights, less their mean over the runs. The more
these are opposite in two documents of the same topic, the more of their common gain cancels. Of two
runs, the document that favours one run the most and the document that favours the other the most
are partners, then the next two, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from irpref.kernel import Floats, Ints

_OPPOSITE = -0.8  # cosine of the weights of partners, at most


def partners(weights: Sequence[Floats], topic: Ints) -> Ints:
    """Find the partner of each document.

    Parameters
    ----------
    weights : for each measure, float array (n_runs, n_documents)
        The amount that one unit of a document's gain adds to the value of each run.
    topic : int array (n_documents,)
        Ascending.

    Returns
    -------
    int array (n_documents,)
        Place of the partner, the document's own if it has none. The two documents of a topic with
        the most negative product of their weights are partners, then the two of the rest.
    """
    vector = _directions(weights)
    partner = np.arange(topic.size)
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    for start, stop in pairwise([*starts.tolist(), topic.size]):
        partner[start:stop] = start + _of_topic(vector[start:stop])
    return partner


def _directions(weights: Sequence[Floats]) -> Floats:
    """Measure how a unit of gain moves the runs apart: shape (n_documents, n_measures * n_runs).

    Measures count alike, without those by which the runs do not differ: of these, nothing but
    rounding would be left over."""
    differing = [each for each in weights if np.ptp(each, axis=0).any()]
    centred = [each - each.mean(axis=0) for each in differing]
    return np.concatenate([each / each.std() for each in centred]).T


def _of_topic(vector: Floats) -> Ints:
    """Find the partner of each document of one topic: shape (n_documents,), as `vector` has
    rows.
    """
    length = np.sqrt((vector**2).sum(axis=1))
    # Processors differ in the last bits of products. In single precision, those that are equal
    # are equal everywhere, so that a seed has the same plan everywhere.
    product = (vector @ vector.T).astype(np.float32)
    limit = (_OPPOSITE * np.outer(length, length)).astype(np.float32)
    one, other = np.nonzero(np.triu(product < limit))
    order = np.argsort(product[one, other], kind="stable")
    partner = list(range(len(vector)))
    for i, j in zip(one[order].tolist(), other[order].tolist(), strict=True):
        if partner[i] == i and partner[j] == j:
            partner[i], partner[j] = j, i
    return np.array(partner)
