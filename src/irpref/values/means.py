"""Means that are equal: one rule for places, preferences and tests.

Five values of 0.2 add up to 1, or to 1 less a rounding error, as their order has it. So means are compared with a
tolerance: they are equal if they differ by at most 1e-12 of the mean size of the values, which is thousands of times
what rounding leaves of a million topics and far less than any difference that judgments could make. The means
themselves stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irpref.arrays.segments import Floats, Ints

# Two sums of the same numbers in another order differ by about 1e-15 of their size.
ROUNDING = 1e-12


def magnitude(values: Floats) -> Floats:
    """Mean size of the values of each system, what a rounding error is measured by: (..., n_topics) to (...,)."""
    return np.abs(values).mean(axis=-1)


def settled(difference: Floats, of: Floats) -> Floats:
    """Differences of means, 0 if they are rounding: shape as `difference`.

    Parameters
    ----------
    difference : float array
    of : float array of the same shape
        Size of the values behind each difference, see `magnitude`.
    """
    return np.where(np.abs(difference) <= ROUNDING * of, 0.0, difference)


def places(means: Floats, of: Floats | None = None, higher_is_better: bool = True) -> Ints:
    """Place of each system: 1 + the number of systems with a better mean, equal means having the same.

    Parameters
    ----------
    means : float array (n_systems,)
    of : float array (n_systems,), optional
        Size of the values behind each mean, see `magnitude`; the largest mean if None.
    higher_is_better : bool

    Returns
    -------
    int array (n_systems,)

    Examples
    --------
    >>> places(np.array([0.1 + 0.2, 0.3, 0.4]))
    array([2, 2, 1])
    """
    if of is None:
        of = np.full(means.shape, np.abs(means).max(initial=0.0))
    order = np.argsort(-means if higher_is_better else means, kind="stable")
    gap = np.abs(np.diff(means[order]))
    apart = gap > ROUNDING * np.maximum(of[order][1:], of[order][:-1])
    first = np.concatenate([[0], np.where(apart, np.arange(1, means.size), 0)])[: means.size]
    out = np.empty(means.size, dtype=np.int64)
    out[order] = 1 + np.maximum.accumulate(first)
    return out


def best_first(place: Ints, names: Sequence[str]) -> Ints:
    """Systems in the order of their places, those with the same place by name: numbers, shape (n_systems,)."""
    return np.array(sorted(range(place.size), key=lambda i: (place[i], names[i])), dtype=np.int64)
