"""Other orders of the documents of a run: read from the end, or with tied documents elsewhere.

A value should not depend on the order of tied documents, which the ids decide, and a run that is
better read from the end has its scores turned round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irpref.judged.align import Listing
from irpref.kernel.segments import Bools, Floats, Ints, Segments

DRAWS = 5  # random orders of tied documents, each with its reverse
_FEWEST = 5  # topics of a test
_SURE = 0.9995  # one-sided: p below .001


def backwards(run: Listing) -> Ints:
    """Return the rows of a run with each topic read from the end: (n_rows,)."""
    topics = run.topics
    return topics.spread(topics.ends) - 1 - topics.position


def equal_backwards(run: Listing) -> Ints:
    """Return the rows with those topics read from the end whose documents have equal scores."""
    topics = run.topics
    equal = topics.maximum(run.score, 0.0) == -topics.maximum(-run.score, 0.0)
    return np.where(topics.spread(equal), backwards(run), np.arange(run.row.size))


def tied_orders(number: int) -> Callable[[Listing], Ints]:
    """Return the function that puts tied documents in one of `2 * DRAWS` orders.

    Of two following numbers, the second order is the reverse of the first.
    """

    def order(run: Listing) -> Ints:
        groups = Segments.of_equal(run.topics.topic, run.score)
        tied = np.flatnonzero(groups.spread(groups.lengths > 1))
        chance = np.random.default_rng(number // 2).random(tied.size)
        chance = -chance if number % 2 else chance
        rows = np.arange(run.row.size)
        rows[tied] = tied[np.lexsort((chance, groups.topic[tied]))]
        return rows

    return order


def surely_above(a: Floats, b: Floats, inside: Bools) -> bool:
    """Test whether the mean of `a` is above the mean of `b` by the paired t-test at p < .001.

    Parameters
    ----------
    a, b : float arrays (n_topics,)
    inside : bool array (n_topics,)
    """
    gap = (a - b)[inside]
    gap = gap[np.isfinite(gap)]
    if gap.size < _FEWEST or gap.mean() <= 0:
        return False
    from scipy import special  # not at the start: `irpref eval` seldom needs it

    error = gap.std(ddof=1) / np.sqrt(gap.size)
    return bool(gap.mean() > special.stdtrit(gap.size - 1, _SURE) * error)
