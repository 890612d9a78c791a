"""Bounds of a mean for samples that show too little: almost all topics have the same value, or the
runs differ on a few topics only.

A t interval sees the variance of the topics at hand. If RR is 1 on all of ten topics, this is 0,
and the interval has length 0, though one query in four may fail. How large the share of the
*other* topics may be is a question about a binomial share. With CP(k) the upper Clopper-Pearson
bound for k of n topics:

    few other values   more than half of the topics have the same value v, and fewer than five have
                       another: the interval is the hull of the usual one and of
                       [v - CP(n below) (v - least), v + CP(n above) (most - v)], with least and
                       most the limits of a value and each bound at (1 + level) / 2. Over several
                       collections, v is the mean of the values that are common on each, and a
                       share is the mean of theirs, of as many topics as if all collections were as
                       small as the smallest
    few differences    fewer than ten topics differ, and some lose: the lower bound of the mean
                       difference is at most
                       (sum of the gains) / n - CP(n losses) (largest loss), one-sided at the level
    no loss seen       a share of CP(0), about 3 / n, of all queries may lose, each at most the
                       largest value of the baseline

C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of
the binomial, Biometrika 26 (1934) 404-413, doi:10.1093/biomet/26.4.404. How often these bounds hold
is in docs/significance.md.

Decided here: a value that half of the topics or fewer have is not common (of five different values
each is the commonest). A measure without an upper limit has an infinite bound there; differences
are taken to be no larger than the largest that is seen (a thousand topics that all gain the same
would show nothing otherwise)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from irpref.kernel import Bools, Floats
from irpref.values import ROUNDING
from irpref_lab.trust import t_tests

FEW_OTHERS = 5  # topics that differ from the commonest value, with which the usual interval holds
_FEW_DIFFERENT = 10  # topics on which two runs differ, with which the usual bound holds


def largest_share(count: ArrayLike, n: int, level: float) -> Floats:
    """Return the one-sided upper Clopper-Pearson bound of a share.

    Parameters
    ----------
    count : int array
        How many of the n have the property.
    n : int
    level : float in (0, 1)

    Examples
    --------
    If none of 100 topics fails, up to 3 % of all may.

    >>> round(float(largest_share(0, 100, 0.95)), 3)
    0.03
    """
    k = np.asarray(count, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        share = special.betaincinv(k + 1, np.maximum(n - k, 1e-300), level)
    return np.where(k >= n, 1.0, share)


def widened(
    values: Floats,
    bounds: tuple[float, float],
    level: float,
    limits: tuple[float, float],
) -> tuple[float, float]:
    """Return an interval of the mean that also holds if almost all topics have the same value.

    Parameters
    ----------
    values : float array (n_topics,)
        Values or differences.
    bounds : two floats
        The usual interval.
    level : float in (0, 1)
    limits : two floats
        The least and the largest value that a topic can have; of a difference, minus the range of
        the measure and its range.

    Returns
    -------
    low, high : float
        `bounds` if five or more topics differ from the commonest value.

    Examples
    --------
    RR is 1 on all of ten topics.

    >>> low, high = widened(np.ones(10), (1.0, 1.0), 0.95, (0.0, 1.0))
    >>> round(low, 3), high
    (0.692, 1.0)
    """
    return widened_over([values], bounds, level, limits)


def widened_over(
    parts: Sequence[Floats],
    bounds: tuple[float, float],
    level: float,
    limits: tuple[float, float],
) -> tuple[float, float]:
    """Return an interval of the mean of means that also holds if almost all topics of each
    collection have the same value.

    Parameters
    ----------
    parts : K float arrays (n_k,)
        Values or differences on each collection.
    bounds, level, limits : as for `widened`

    Examples
    --------
    RR is 1 on all of five topics of each of two collections.

    >>> low, high = widened_over([np.ones(5), np.ones(5)], (1.0, 1.0), 0.95, (0.0, 1.0))
    >>> round(low, 3), high
    (0.692, 1.0)
    """
    low, high = bounds
    common = [_commonest(part) for part in parts]
    others = sum(part.size - one.same for part, one in zip(parts, common, strict=True))
    rare = any(2 * one.same <= part.size for part, one in zip(parts, common, strict=True))
    if others >= FEW_OTHERS or rare:
        return bounds
    # As many topics as if all collections were as small as the smallest: no share is larger then.
    n = len(parts) * min(part.size for part in parts)
    n_below = sum(one.below * n / part.size for part, one in zip(parts, common, strict=True))
    n_above = sum(one.above * n / part.size for part, one in zip(parts, common, strict=True))
    counts = [math.ceil(share / len(parts) - ROUNDING) for share in (n_below, n_above)]
    side, (least, most) = (1 + level) / 2, limits
    for_low, for_high = (float(largest_share(count, n, side)) for count in counts)
    values = [one.value for one in common]
    value = sum(values) / len(values)
    low = min(low, value - for_low * (max(values) - least))
    room = most - min(values)
    high = max(high, value + for_high * room if room > 0 else value)
    return low, high


def differ_rarely(values: Floats) -> Bools:
    """Find rows in which fewer than five topics have another value than most: float array
    (..., n_topics) to bool array (...,).
    """
    apart = np.abs(values - np.median(values, axis=-1, keepdims=True)) > ROUNDING
    others = np.count_nonzero(apart, axis=-1)
    return np.asarray((others < FEW_OTHERS) & (2 * others < values.shape[-1]))


def of_differences(limits: tuple[float, float], parts: Sequence[Floats]) -> tuple[float, float]:
    """Return the least and the largest difference that a topic can have, by the limits of the
    measure; without these, the largest that is seen.

    Parameters
    ----------
    limits : two floats
        The least and the largest value of a topic.
    parts : K float arrays (n_k,)
        The differences, on each collection.
    """
    least, most = limits
    span = most - least
    if not math.isfinite(span):
        span = max(float(np.abs(part).max(initial=0.0)) for part in parts)
    return -span, span


class _Common(NamedTuple):
    """The commonest of some values, how many have it, and how many are below and above."""

    value: float
    same: int
    below: int
    above: int


def _commonest(values: Floats) -> _Common:
    """Find the commonest value; values that differ by rounding are equal. There is none of no
    values, and if one is missing.
    """
    n = values.size
    ordered = np.sort(values)
    if not n or np.isnan(ordered[-1]):
        return _Common(math.nan, 0, 0, 0)
    starts = np.flatnonzero(np.diff(ordered) > ROUNDING * np.abs(ordered).max()) + 1
    first = np.concatenate([[0], starts])
    count = np.diff(np.concatenate([first, [n]]))
    most, below = int(count.max()), int(first[count.argmax()])
    return _Common(float(ordered[below]), most, below, n - below - most)


def lower(gains: Floats, level: float) -> Floats:
    """Return the one-sided lower bound of the mean gain: by t, and by `few_differences`.

    Parameters
    ----------
    gains : float array (..., n_topics)
        Positive where the second run is better.
    level : float in (0, 1)

    Returns
    -------
    float array (...,)
    """
    return np.minimum(t_tests.lower(gains, level), few_differences(gains, level))


def few_differences(gains: Floats, level: float) -> Floats:
    """Return an upper limit of the lower bound if fewer than ten topics differ, and some lose.

    Parameters
    ----------
    gains : float array (..., n_topics)
        Positive where the second run is better; 0 where the runs do not differ.
    level : float in (0, 1)

    Returns
    -------
    float array (...,)
        Infinite where ten topics or more differ, or none loses.

    Examples
    --------
    Two of 50 topics lose all, and up to 12 % of all queries may.

    >>> gains = np.zeros(50)
    >>> gains[:2] = -1.0
    >>> round(float(few_differences(gains, 0.95)), 3)
    -0.121
    """
    gains = np.asarray(gains, dtype=np.float64)
    n = gains.shape[-1]
    losses, wins = np.count_nonzero(gains < 0, axis=-1), np.count_nonzero(gains > 0, axis=-1)
    gained = np.where(gains > 0, gains, 0.0).sum(axis=-1) / n
    largest = -np.minimum(gains.min(axis=-1), 0.0)
    bound = gained - largest_share(losses, n, level) * largest
    applies = (losses > 0) & (losses + wins < _FEW_DIFFERENT)
    return np.where(applies, bound, np.inf)


def unseen(n_topics: int, level: float) -> float:
    """Return the largest share of queries that may break though none of these topics does.

    Examples
    --------
    >>> round(unseen(60, 0.95), 3)
    0.049
    """
    return float(largest_share(0, n_topics, level))


def unseen_loss(gains: Floats, baseline: Floats, level: float, worst: float) -> float | None:
    """Return how much of the mean could be lost on queries like none of these topics.

    Parameters
    ----------
    gains : float array (n_topics,)
    baseline : float array (n_topics,)
        Values of the baseline.
    level : float in (0, 1)
    worst : float
        The worst value that a topic can have.

    Returns
    -------
    float or None
        The share of queries that may break, times the most that one can lose; None if a topic
        loses, or ten or more differ: then the lower bound says it.

    Examples
    --------
    >>> round(unseen_loss(np.zeros(60), np.full(60, 0.5), 0.95, 0.0), 3)
    0.024
    """
    if (gains < 0).any() or np.count_nonzero(gains) >= _FEW_DIFFERENT:
        return None
    largest = float(np.abs(baseline - worst).max())
    return unseen(gains.size, level) * largest if math.isfinite(largest) else None
