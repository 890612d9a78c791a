"""The paired t-test: p-values and intervals of mean differences, alone and adjusted for a family.

With d_t the difference of two runs on topic t of n, and s the standard deviation of these:

    t      mean(d) / (s / sqrt(n)), with n - 1 degrees of freedom; p is two-sided
    low    mean(d) - t(q; n - 1) s / sqrt(n), q = (1 + level) / 2; one-sided, q = level
    Holm   of m p-values in ascending order, the k-th times m - k + 1, at least the one before

Of five tests on simulated runs, the paired t-test keeps its level best: J. Urbano, H. Lima and A.
Hanjalic, Statistical significance testing in information retrieval, SIGIR 2019, 505-514,
doi:10.1145/3331184.3331259. See docs/significance.md for where it fails.

Decided here: if the differences do not vary, t is infinite or 0 / 0, and p is the share of sign
vectors with as large a mean, 2^(1 - n), or 1 if all differences are 0. A pair has the same p to the
last bit whether it is tested alone or on a board: each is computed from its own differences, since
the variance of a difference, taken from a matrix product of the values, loses digits if two runs
are nearly equal (and the product is only faster from hundreds of topics on). Differences that are
only rounding count as 0."""

from __future__ import annotations

import numpy as np
from scipy import special

from irpref.kernel import Bools, Floats, Ints
from irpref.values import ROUNDING, magnitude, settled

_NUMBERS = 1 << 18  # differences held at a time: 2 MB, which stay in the cache


def mean_and_error(differences: Floats) -> tuple[Floats, Floats]:
    """Return means over topics and their standard errors.

    Parameters
    ----------
    differences : float array (..., n_topics)

    Returns
    -------
    mean, error : float arrays (...,)
        The error is 0 if the differences do not vary, as for one topic; NaN if a difference is NaN.
    """
    rows = np.ascontiguousarray(differences)
    n = rows.shape[-1]
    mean = rows.mean(axis=-1)
    # Opposite differences cancel but for rounding.
    mean = settled(mean, np.abs(rows).mean(axis=-1))
    squares = ((rows - mean[..., None]) ** 2).sum(axis=-1)
    error = np.sqrt(squares / (max(n - 1, 1) * n))
    return mean, np.where(is_constant(rows), 0.0, error)


def is_constant(rows: Floats) -> Bools:
    """Find rows whose values differ by rounding at most, (..., n_topics) to (...,)."""
    largest = np.maximum(np.abs(rows.max(axis=-1)), np.abs(rows.min(axis=-1)))
    return np.asarray(np.ptp(rows, axis=-1) <= ROUNDING * largest)


def p_values(differences: Floats) -> Floats:
    """Return two-sided p-values of the paired t-test.

    Parameters
    ----------
    differences : float array (..., n_topics)
        Set rounding errors to 0 first: they count as differences here.

    Returns
    -------
    float array (...,)
        In [0, 1]; NaN if a difference is NaN.

    Examples
    --------
    The mean of 1, 2, 3 is 2 and its standard error 1 / sqrt(3). The difference of the second pair
    does not vary, and one of four sign vectors (and its opposite) has as large a mean.

    >>> p_values(np.array([[1.0, 2.0, 3.0], [0.5, 0.5, 0.5], [0.0, 0.0, 0.0]])).round(4)
    array([0.0742, 0.25  , 1.    ])
    """
    n = np.shape(differences)[-1]
    mean, error = mean_and_error(differences)
    t = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)
    p = np.where(error > 0, 2 * special.stdtr(max(n - 1, 1), -np.abs(t)), 2.0 ** (1 - n))
    p = np.where((error == 0) & (mean == 0), 1.0, p)
    return np.where(np.isnan(mean), np.nan, p)


def p_of_pair(difference: Floats) -> float:
    """Return the two-sided p-value of one pair, from its differences (n_topics,)."""
    return float(p_values(difference))


def p_of_pairs(values: Floats, first: Ints, second: Ints) -> Floats:
    """Return the p-value of each pair of runs, as `p_of_pair` has it.

    Parameters
    ----------
    values : float array (n_runs, n_topics)
    first, second : int arrays (n_pairs,)
        Numbers of the runs of each pair.

    Returns
    -------
    float array (n_pairs,)
    """
    out = np.empty(first.size)
    size = magnitude(values)
    step = max(1, _NUMBERS // values.shape[1])
    for start in range(0, first.size, step):
        a, b = first[start : start + step], second[start : start + step]
        scale = np.maximum(size[a], size[b])[:, None]
        out[start : start + step] = p_values(settled(values[a] - values[b], scale))
    return out


def interval(difference: Floats, level: float) -> tuple[float, float]:
    """Return the two-sided confidence interval of the mean difference.

    It holds 0 if and only if the p-value is above 1 - level, unless the differences do not vary:
    then its length is 0. See `irpref_lab.trust.bounds.widened`.

    Parameters
    ----------
    difference : float array (n_topics,)
    level : float in (0, 1)

    Examples
    --------
    >>> low, high = interval(np.array([1.0, 2.0, 3.0]), 0.95)
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    side = (1 + level) / 2
    return float(lower(difference, side)), float(upper(difference, side))


def lower(differences: Floats, level: float) -> Floats:
    """Return one-sided lower bounds of mean differences, (..., n_topics) to (...,)."""
    mean, error = mean_and_error(differences)
    n = np.shape(differences)[-1]
    out: Floats = mean - special.stdtrit(max(n - 1, 1), level) * error
    return out


def upper(differences: Floats, level: float) -> Floats:
    """Return one-sided upper bounds of mean differences, (..., n_topics) to (...,)."""
    return -lower(-np.asarray(differences), level)


def holm(p: Floats) -> Floats:
    """Return p-values of a family, adjusted after Holm; NaN stays NaN and does not count.

    Parameters
    ----------
    p : float array (n_pairs,)

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, np.nan, 0.03]))
    array([0.06, 0.03,  nan, 0.06])
    """
    order = np.argsort(p, kind="stable")  # NaN comes last
    m = int(np.count_nonzero(~np.isnan(p)))
    known = order[:m]
    out = np.full(p.shape, np.nan)
    out[known] = np.maximum.accumulate(np.minimum(p[known] * np.arange(m, 0, -1), 1.0))
    return out
