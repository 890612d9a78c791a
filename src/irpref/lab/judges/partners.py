"""Which documents are drawn together: two of a topic that move the runs in opposite directions.

A unit of gain moves the runs by the document's weights, less their mean over the runs. The more
these are opposite in two documents of the same topic, the more of what both gains have in common
cancels. Of two runs, the document that favours one run the most and that which favours the other
the most are partners, then the next two, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from irpref.kernel.segments import Floats, Ints

_OPPOSITE = -0.8  # cosine of the weights of partners, at most


def partners(weights: Sequence[Floats], topic: Ints) -> Ints:
    """The partner of each document.

    Parameters
    ----------
    weights : for each measure, float array (n_runs, n_documents)
        What one unit of a document's gain adds to the value of each run.
    topic : int array (n_documents,)
        Ascending.

    Returns
    -------
    int array (n_documents,)
        Place of the partner, the document's own if it has none. The two documents of a topic with
        the most negative product of their weights are partners, then the two of the others.
    """
    centred = [each - each.mean(axis=0) for each in weights]
    scaled = [each / each.std() for each in centred if each.any()]
    vector = np.concatenate(scaled).T
    length = np.sqrt((vector**2).sum(axis=1))
    length = np.sqrt((vector**2).sum(axis=1))
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    pairs = []
    for start, stop in pairwise([*starts.tolist(), topic.size]):
        product = vector[start:stop] @ vector[start:stop].T
        opposite = product < _OPPOSITE * np.outer(length[start:stop], length[start:stop])
        one, other = np.nonzero(opposite)
        once = one < other
        one, other = one[once], other[once]
        pairs.append((one + start, other + start, product[one, other]))
    one, other, product = (np.concatenate(each) for each in zip(*pairs, strict=True))
    order = np.argsort(product, kind="stable")
    partner = list(range(topic.size))
    for i, j in zip(one[order].tolist(), other[order].tolist(), strict=True):
        if partner[i] == i and partner[j] == j:
            partner[i], partner[j] = j, i
    return np.array(partner)
