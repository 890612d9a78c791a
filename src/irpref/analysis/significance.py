"""Paired tests of two systems, topic by topic: one rule for every table.

`randomisation_test` is for `pt.Experiment(..., baseline=0, test=irpref.significance.randomisation_test)`, too.

Where nothing differs, nothing can be told apart: p = 1 by every test. Where all differences are the same and not 0,
of one topic for example, the t-test has no variance to test against: NaN. The others count assignments of signs, and
give what these say: of one topic, both signs have a difference of this size, so p = 1. Differences of at most 1e-12
are rounding and count as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irpref.arrays.segments import Floats

TESTS = ("t", "wilcoxon", "randomisation")
CORRECTIONS = ("none", "bonferroni", "holm", "bh")
SAME = 1e-12  # below it, a difference is rounding


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
    if difference.size == 1:  # as it is, and with the other sign
        return statistic, 1.0
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


def t_test(a: Any, b: Any) -> tuple[float, float]:
    """Student's t-test of the mean difference between two systems, paired by topic, two-sided.

    Parameters
    ----------
    a, b : array-like (n_topics,)
        Values of two systems for the same topics in the same order.

    Returns
    -------
    statistic, pvalue : float
        0 and 1 where no topic differs; NaN where all differ by the same, which leaves no variance.

    Examples
    --------
    >>> t_test([0.5, 0.5], [0.5, 0.5])
    (0.0, 1.0)
    >>> t_test([0.5], [0.4])
    (nan, nan)
    """
    from scipy import stats

    difference = _differences(a, b)
    if not _differ(difference):
        return 0.0, 1.0
    if difference.size < 2 or np.ptp(difference) <= SAME:
        return float("nan"), float("nan")
    result = stats.ttest_1samp(difference, 0.0)
    return float(result.statistic), float(result.pvalue)


def sign_test(wins: int, losses: int) -> float:
    """Exact sign test, two-sided: how likely so uneven a share of wins is, were each as likely as a loss."""
    from scipy import stats

    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def paired_test(test: str, a: Any, b: Any) -> float:
    """Two-sided p-value of the differences between two systems.

    Parameters
    ----------
    test : one of `TESTS`
    a, b : array-like (n_topics,)

    Returns
    -------
    float
        1 where no topic differs; NaN where the t-test has no variance to test against.
    """
    difference = _differences(a, b)
    if not _differ(difference):
        return 1.0
    if test == "randomisation":
        return randomisation_test(a, b)[1]
    if test == "wilcoxon":
        from scipy import stats

        return float(stats.wilcoxon(difference).pvalue)
    return t_test(a, b)[1]


def _differences(a: Any, b: Any) -> Floats:
    return np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)


def _differ(difference: Floats) -> bool:
    return bool((np.abs(difference) > SAME).any() or np.isnan(difference).any())


def corrected(p: Sequence[float], method: str) -> list[float]:
    """P-values of a family of tests, adjusted; NaN stay, and do not count."""
    order = sorted((i for i in range(len(p)) if p[i] == p[i]), key=p.__getitem__)
    n = len(order)
    out = list(p)
    running = 0.0
    if method == "bonferroni":
        for i in order:
            out[i] = min(1.0, p[i] * n)
    elif method == "holm":
        for k, i in enumerate(order):
            running = out[i] = max(running, min(1.0, p[i] * (n - k)))
    elif method == "bh":
        running = 1.0
        for k, i in reversed(list(enumerate(order, 1))):
            running = out[i] = min(running, p[i] * n / k)
    return out
