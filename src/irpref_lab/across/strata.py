"""Means over several collections, and how far they can be trusted: pure functions of arrays.

With K collections, n_k topics in collection k, and d_kt the value (or difference of two runs) on
topic t of it:

    mean         (1 / K) sum_k mean_t(d_kt), the mean of the collections' means: a collection
                 counts as much as any other, whatever its size

    over topics  The collections are fixed, their topics a sample (stratified t):
                     variance            V = sum_k v_k,  v_k = s_k^2 / (K^2 n_k)
                     degrees of freedom  V^2 / sum_k (v_k^2 / (n_k - 1))      (Welch, Satterthwaite)
    over collections
                 The collections are the sample: t of their K means, with K - 1 degrees of freedom.
                 With fewer than five there is no interval and no test

F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics
Bulletin 2 (1946) 110-114, doi:10.2307/3002019; B. L. Welch, The generalization of Student's problem
when several different population variances are involved, Biometrika 34 (1947) 28-35,
doi:10.1093/biomet/34.1-2.28.

Decided here: every collection needs two topics. A collection without variance has too few topics to
show it, and gets the variance pooled over all collections. If nothing varies within any collection,
the test is one of signs: with m the number of topics on which the runs differ, p is 2^(1 - m) if
all differences have one sign, 1 if they have not. A pair has the same p to the last bit whether it
is tested alone or on a board."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import special, stats

from irpref.errors import ArgumentError
from irpref.kernel import Floats, Ints
from irpref.values import ROUNDING, magnitude, settled
from irpref_lab.arguments import OVER
from irpref_lab.trust.bounds import widened_over
from irpref_lab.trust.t_tests import is_constant

FEWEST = 5  # collections: with fewer there is no interval over collections
_NUMBERS = 1 << 18  # differences held at a time: 2 MB, which stay in the cache


def check_strata(strata: Sequence[Floats]) -> None:
    """Refuse no collection at all, and collections with fewer than two topics.

    Raises
    ------
    ArgumentError
    """
    if not strata:
        raise ArgumentError("there are no collections", parameter="collections")
    if few := [number for number, part in enumerate(strata) if part.shape[-1] < 2]:
        raise ArgumentError(
            f"a collection needs at least 2 topics for a test over topics, and collection "
            f"{few[0] + 1} has {strata[few[0]].shape[-1]}",
            parameter="collections",
        )


def stratum_means(strata: Sequence[Floats]) -> Floats:
    """Return the mean of each collection, K arrays (..., n_k) to (..., K)."""
    return np.stack([_settled_mean(part) for part in strata], axis=-1)


def _settled_mean(values: Floats) -> Floats:
    """Return means in which opposite values cancel."""
    rows = np.ascontiguousarray(values)
    return settled(rows.mean(axis=-1), magnitude(rows))


def over_topics(strata: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the mean over fixed collections, its standard error and its degrees of freedom.

    Parameters
    ----------
    strata : K float arrays (..., n_k)
        Values, or differences of two runs, by topic of each collection.

    Returns
    -------
    mean, error, degrees : float arrays (...,)
        Without variance the error is 0, and the degrees of freedom are those of all topics.

    Raises
    ------
    ArgumentError
        There is no collection, or one has fewer than two topics.

    Examples
    --------
    Means 2 and 6; variances 1 of three topics and 8 of two: 1 / 12 + 8 / 8.

    >>> mean, error, degrees = over_topics([np.array([1.0, 2.0, 3.0]), np.array([4.0, 8.0])])
    >>> float(mean), round(float(error**2) * 12, 9), round(float(degrees), 4)
    (4.0, 13.0, 1.1696)
    """
    check_strata(strata)
    k = len(strata)
    means = stratum_means(strata)
    mean = settled(means.mean(axis=-1), np.abs(means).mean(axis=-1))
    sizes = np.array([part.shape[-1] for part in strata])
    free = sizes - 1
    variance = np.stack([_variance(part) for part in strata], axis=-1)
    pooled = (free * variance).sum(axis=-1, keepdims=True) / free.sum()
    parts = np.where(variance > 0, variance, pooled) / sizes / k**2
    total = parts.sum(axis=-1)
    below = (parts**2 / free).sum(axis=-1)
    degrees = np.divide(
        total**2, below, out=np.full_like(total, float(free.sum())), where=below > 0
    )
    return mean, np.sqrt(total), degrees


def _variance(values: Floats) -> Floats:
    """Return variances with n - 1; 0 if values differ by rounding only."""
    rows = np.ascontiguousarray(values)
    return np.where(is_constant(rows), 0.0, rows.var(axis=-1, ddof=1))


def over_collections(strata: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the mean over a sample of collections, its standard error and its degrees of freedom,
    as `over_topics` does; errors are NaN with fewer than five collections.
    """
    if not strata:
        raise ArgumentError("there are no collections", parameter="collections")
    means = stratum_means(strata)
    k = means.shape[-1]
    mean = settled(means.mean(axis=-1), np.abs(means).mean(axis=-1))
    error = np.full_like(mean, np.nan)
    if k >= FEWEST:
        error = np.sqrt(_variance(means) / k)
    return mean, error, np.full_like(mean, float(max(k - 1, 1)))


METHODS = dict(zip(OVER, (over_topics, over_collections), strict=True))


def p_values(strata: Sequence[Floats], over: str = "topics") -> Floats:
    """Return two-sided p-values of mean differences.

    Parameters
    ----------
    strata : K float arrays (..., n_k)
        Differences of two runs by topic of each collection, with rounding errors set to 0.
    over : {'topics', 'collections'}

    Returns
    -------
    float array (...,)
        In [0, 1]; NaN over fewer than five collections.

    Examples
    --------
    >>> one, two = np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.4])
    >>> round(float(p_values([one, two])), 4)
    0.0665
    >>> float(p_values([one, two], "collections"))
    nan
    """
    mean, error, degrees = METHODS[over](strata)
    t = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)
    p = np.where(error > 0, 2 * special.stdtr(degrees, -np.abs(t)), np.nan)
    if over == "topics":
        return np.asarray(np.where(error == 0, _signs(strata), p))
    means = stratum_means(strata)
    return np.asarray(np.where(error == 0, _signs([means]), p))


def _signs(strata: Sequence[Floats]) -> Floats:
    """Return p-values where nothing varies within a collection, (...,)."""
    every = np.concatenate(strata, axis=-1)
    differ = np.count_nonzero(every, axis=-1)
    one_sign = (every >= 0).all(axis=-1) | (every <= 0).all(axis=-1)
    return np.where(one_sign & (differ > 0), 2.0 ** (1.0 - differ), 1.0)


def p_of_pairs(strata: Sequence[Floats], first: Ints, second: Ints, over: str = "topics") -> Floats:
    """Return the p-value of each pair of runs, as `p_values` has it.

    Parameters
    ----------
    strata : K float arrays (n_runs, n_k)
        Values.
    first, second : int arrays (n_pairs,)
        Numbers of the runs of each pair.
    over : {'topics', 'collections'}

    Returns
    -------
    float array (n_pairs,)
    """
    out = np.empty(first.size)
    step = max(1, _NUMBERS // sum(part.shape[1] for part in strata))
    for start in range(0, first.size, step):
        rows = slice(start, start + step)
        out[rows] = p_values(differences(strata, first[rows], second[rows]), over)
    return out


def differences(strata: Sequence[Floats], first: Ints, second: Ints) -> list[Floats]:
    """Return the first run minus the second by topic, for each pair and collection: K arrays
    (n_pairs, n_k). Rounding errors are set to 0.
    """
    out = []
    for values in strata:
        size = magnitude(values)
        scale = np.maximum(size[first], size[second])[:, None]
        out.append(settled(values[first] - values[second], scale))
    return out


def intervals(
    strata: Sequence[Floats], level: float, over: str = "topics"
) -> tuple[Floats, Floats]:
    """Return confidence intervals of means over collections.

    Parameters
    ----------
    strata : K float arrays (..., n_k)
        Values, or differences.
    level : float in (0, 1)
    over : {'topics', 'collections'}

    Returns
    -------
    low, high : float arrays (...,)
        NaN over fewer than five collections.
    """
    mean, error, degrees = METHODS[over](strata)
    half = special.stdtrit(degrees, (1 + level) / 2) * error
    return mean - half, mean + half


def sure_interval(
    parts: Sequence[Floats], level: float, over: str, limits: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of a mean, widened where almost all topics of each collection, or almost
    all collections, have the same value.

    Parameters
    ----------
    parts : K float arrays (n_k,)
        Values, or differences.
    level, over : as for `intervals`
    limits : two floats
        See `irpref_lab.trust.bounds.widened`.

    Returns
    -------
    low, high : float
        Not widened towards a limit that is infinite; NaN over fewer than five collections.
    """
    low, high = map(float, intervals(parts, level, over))
    sampled = parts if over == "topics" else [stratum_means(parts)]
    wide = widened_over(sampled, (low, high), level, limits)
    least, most = limits
    return wide[0] if math.isfinite(least) else low, wide[1] if math.isfinite(most) else high


def borda(strata: Sequence[Floats], higher_is_better: bool = True) -> Floats:
    """Return the share of the others that a system beats, on average over the collections: Borda's
    count, scaled to [0, 1].

    Parameters
    ----------
    strata : K float arrays (n_systems, n_k)
    higher_is_better : bool

    Returns
    -------
    float array (n_systems,)
        A tie counts one half; 1 for a single system.

    Examples
    --------
    >>> borda([np.array([[0.9], [0.5], [0.1]]), np.array([[0.3], [0.3], [0.2]])]).tolist()
    [0.875, 0.625, 0.0]
    """
    shares = []
    for values in strata:
        means = values.mean(axis=1)
        size = magnitude(values)
        # Means that differ by rounding are equal: each is set to the first of its group.
        order = np.argsort(means, kind="stable")
        apart = np.diff(means[order]) > ROUNDING * np.maximum(size[order][1:], size[order][:-1])
        group = np.concatenate([[0], np.cumsum(apart)])
        level = np.empty(means.size)
        level[order] = group
        rank = stats.rankdata(level if higher_is_better else -level)
        shares.append((rank - 1) / max(means.size - 1, 1) if means.size > 1 else np.ones(1))
    share: Floats = np.mean(shares, axis=0)
    return share
