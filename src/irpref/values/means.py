"""Which means are equal: one rule for ranks, preferences and tests.

Sums of the same values in another order can differ by a rounding error. So means are compared with
a tolerance: they are equal if they differ by at most 1e-12 of the mean size of the values. This is
thousands of times the rounding error of a million topics, and far less than any difference that
judgments could make. The means themselves are not changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from irpref.kernel.segments import Floats, Ints
from irpref.messages import have

# Two sums of the same numbers in another order differ by about 1e-15 of their size.
ROUNDING = 1e-12
SAME = 1e-12  # smaller differences of two values in [0, 1] are rounding errors


def magnitude(values: Floats) -> Floats:
    """Mean absolute value of each system, the scale of its rounding errors: (..., n_topics) to
    (...,).
    """
    return np.abs(values).mean(axis=-1)


def settled(difference: Floats, size: Floats) -> Floats:
    """Set rounding errors in differences of means to 0: shape as `difference`.

    Parameters
    ----------
    difference : float array
    size : float array of the same shape
        Size of the values behind each difference, see `magnitude`.
    """
    return np.where(np.abs(difference) <= ROUNDING * size, 0.0, difference)


def places(means: Floats, size: Floats | None = None, higher_is_better: bool = True) -> Ints:
    """Rank each system by its mean, 1 for the best; equal means share a rank.

    Parameters
    ----------
    means : float array (n_systems,)
    size : float array (n_systems,), optional
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
    if size is None:
        size = np.full(means.shape, np.abs(means).max(initial=0.0))
    order = np.argsort(-means if higher_is_better else means, kind="stable")
    gap = np.abs(np.diff(means[order]))
    apart = gap > ROUNDING * np.maximum(size[order][1:], size[order][:-1])
    first = np.concatenate([[0], np.where(apart, np.arange(1, means.size), 0)])[: means.size]
    out = np.empty(means.size, dtype=np.int64)
    out[order] = 1 + np.maximum.accumulate(first)
    return out


def have_a_value(counts: Iterable[int], n_topics: int) -> str:
    """Say in words how many topics a mean is over; empty if it is over all.

    Parameters
    ----------
    counts : iterable of int
        How many topics have a value, for each run.
    n_topics : int
        How many there are.
    """
    several = sorted({int(count) for count in counts})
    if not several or several[0] >= n_topics:
        return ""
    few = f"{several[0]:,}" if len(several) == 1 else f"{several[0]:,} to {several[-1]:,}"
    return f"{few} of {n_topics:,} topics {have(several[-1])} a value"


def best_first(place: Ints, names: Sequence[str]) -> Ints:
    """Order systems by their ranks, ties broken by name: numbers of the systems, shape
    (n_systems,).
    """
    return np.array(sorted(range(place.size), key=lambda i: (place[i], names[i])), dtype=np.int64)
