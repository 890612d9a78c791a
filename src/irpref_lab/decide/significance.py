"""Tests of two systems, paired by topic.

`randomisation_test` is the test of `irpref_lab.leaderboard` for one pair; see
`irpref_lab.decide.sign_flips`. You can also pass it to PyTerrier: `pt.Experiment(..., baseline=0,
test=irpref_lab.significance.randomisation_test)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irpref.errors import ArgumentError
from irpref.values import magnitude, settled
from irpref_lab.decide.sign_flips import N_PERMUTATIONS, stepdown
from irpref_lab.trust import t_tests


def randomisation_test(
    a: Any, b: Any, *, n_permutations: int = N_PERMUTATIONS, seed: int | None = None
) -> tuple[float, float]:
    """Test the mean difference between two systems by Fisher's randomisation, paired by topic,
    two-sided.

    If both systems were equally good, each topic's difference could as well have the other sign.
    The p-value is the share of sign vectors whose mean difference is, in absolute value, at least
    as large as the observed one.

    Parameters
    ----------
    a, b : array-like (n_topics,)
        Values of two systems for the same topics in the same order. If topics are in ascending
        order of id, p is as in `irpref_lab.leaderboard` and `irpref_lab.compare`.
    n_permutations : int
        If there are at most this many sign vectors (2^n_topics; 13 topics by default), all are
        tried and p is exact; else this many are drawn, and p = (count + 1) / (n_permutations + 1).
    seed : int, optional
        Seed of the draws; None is 0. The same data give the same p-value.

    Returns
    -------
    statistic : float
        Mean of a - b.
    pvalue : float
        In (0, 1]; NaN if a value is not finite.

    Raises
    ------
    ValueError
        `a` and `b` differ in length, or are empty.

    Notes
    -----
    R. A. Fisher, The design of experiments, 1935; for retrieval, M. D. Smucker, J. Allan and B.
    Carterette, CIKM 2007, 623-632, doi:10.1145/1321440.1321528. To change settings:
    `functools.partial(randomisation_test, seed=1)`.

    Examples
    --------
    Of the eight sign vectors of 0.1, 0.2, 0.3, two have a mean of at least 0.2 in absolute value.

    >>> statistic, p = randomisation_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3])
    >>> round(statistic, 9), p
    (0.2, 0.25)
    """
    if np.shape(a) != np.shape(b) or np.ndim(a) != 1 or not np.size(a):
        raise ArgumentError(
            f"randomisation_test needs one value a topic of each system, got shapes {np.shape(a)} "
            f"and {np.shape(b)}",
            parameter="b",
        )
    both = np.array([a, b], dtype=np.float64)
    difference = settled(both[0] - both[1], magnitude(both).max(keepdims=True))
    difference[~np.isfinite(difference)] = np.nan
    p, _ = stepdown(difference[None], n_permutations, seed)
    return float(difference.mean()), float(p[0])


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values of a family, adjusted after Holm; NaN stays NaN and does not count."""
    return t_tests.holm(np.array(p, dtype=np.float64)).tolist()
