"""Paired randomisation test, for `pt.Experiment(..., baseline=0, test=irpref.significance.randomisation_test)`."""

from __future__ import annotations

from typing import Any

import numpy as np


def randomisation_test(a: Any, b: Any, *, n_resamples: int = 9999, seed: int = 0) -> tuple[float, float]:
    """Fisher's randomisation test of the mean difference between two systems, paired by topic, two-sided.

    If both systems were alike, each topic's difference could as well have the other sign. The p-value is the share
    of sign assignments whose mean difference is at least as large as the one observed.

    Parameters
    ----------
    a, b : array-like (n_topics,)
        Values of two systems for the same topics in the same order.
    n_resamples : int
        Up to 2**n_topics <= n_resamples all assignments are tried and the p-value is exact (13 topics by default);
        above, this many are drawn, and the p-value is (count + 1) / (n_resamples + 1).
    seed : int
        Of the draws: the same data give the same p-value.

    Returns
    -------
    statistic : float
        Mean of a - b.
    pvalue : float
        In (0, 1]; NaN where a value is NaN.

    Raises
    ------
    ValueError
        `a` and `b` differ in length, or are empty.

    Notes
    -----
    R. A. Fisher, The design of experiments, 1935; for retrieval, M. D. Smucker, J. Allan and B. Carterette, CIKM
    2007, 623-632, doi:10.1145/1321440.1321528. For other settings: `functools.partial(randomisation_test, seed=1)`.

    Examples
    --------
    Of the eight assignments of signs to 0.1, 0.2, 0.3 two have a mean of at least 0.2 in size.

    >>> statistic, p = randomisation_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3])
    >>> round(statistic, 9), p
    (0.2, 0.25)
    """
    from scipy.stats import permutation_test

    if np.shape(a) != np.shape(b) or np.ndim(a) != 1 or not np.size(a):
        raise ValueError(
            f"randomisation_test needs one value a topic of each system, got shapes {np.shape(a)} and {np.shape(b)}"
        )
    # Sorted, so that the same topics in another order get the same draws.
    difference = np.sort(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))
    statistic = float(difference.mean())
    if np.isnan(statistic):
        return statistic, float("nan")
    result = permutation_test(
        (difference,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_resamples,
        batch=max(1, (1 << 22) // difference.size),  # 32 MB at a time, however many topics
        random_state=np.random.default_rng(seed),  # called rng from SciPy 1.15 on, which takes this name, too
    )
    return statistic, float(result.pvalue)
