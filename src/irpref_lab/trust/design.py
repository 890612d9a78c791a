"""Topic set size: how many topics does it take to detect a difference of a given size?

Find the number n of topics at which a test at significance level a finds a true difference of at
least d with the power you want. Values of systems vary by s^2 within a topic (the residual variance
of the two-way analysis of variance, systems by topics, without replication):

    t      paired t-test of two systems: T with n - 1 degrees of freedom and noncentrality sqrt(n) d
           / sqrt(2 s^2)
           (t_one_sided: the same test, one-sided)
    anova  one-way analysis of variance of m systems, of which the best and the worst are d apart:
           F with m - 1 and m (n - 1) degrees of freedom and noncentrality n d^2 / (2 s^2), the
           smallest that such systems can have (if all others lie in the middle)

T. Sakai, Topic set size design, Information Retrieval Journal 19 (2016) 256-283,
doi:10.1007/s10791-015-9273-z; his variance of paired differences, 2 s^2, is used here, too. He
starts from approximations by Nagata and corrects them; here the noncentral distributions are
evaluated at each n that is tried."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from irpref.errors import ArgumentError
from irpref.kernel import Floats
from irpref.messages import check_choice
from irpref.values import MeasureValues, TopicValues, values_in
from irpref_lab.arguments import LEVEL, check_share
from irpref_lab.messages import not_accepted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

METHODS = ("t", "t_one_sided", "anova")
POWER = 0.8  # "topics needed" finds a difference in 4 of 5 experiments
_MOST = 10**9  # topics


def residual_variance(values: ArrayLike | TopicValues) -> float:
    """Compute the variance left after the means of systems and topics are subtracted.

    Parameters
    ----------
    values : float array (n_systems, n_topics), or TopicValues

    Returns
    -------
    float
        Sum of (x_ij - mean_i - mean_j + mean)^2 over (n_systems - 1)(n_topics - 1): the mean square
        of the residuals of the two-way analysis of variance without replication.

    Raises
    ------
    ValueError
        Fewer than two systems or topics.

    Examples
    --------
    For two systems it is half the variance of the differences, here of -1, 0, 1.

    >>> residual_variance([[0, 1, 2], [1, 1, 1]])
    0.5
    """
    matrix: Floats = np.asarray(getattr(values, "matrix", values), dtype=np.float64)
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        raise ArgumentError(
            f"a residual variance needs at least 2 systems and 2 topics, got {matrix.shape}",
            parameter="values",
        )
    rest = matrix - matrix.mean(axis=1, keepdims=True) - matrix.mean(axis=0) + matrix.mean()
    # If nothing but rounding is left, there is no variance.
    rest[np.abs(rest) <= 1e-13 * np.abs(matrix).max()] = 0.0
    return float((rest**2).sum() / ((matrix.shape[0] - 1) * (matrix.shape[1] - 1)))


def power_of(
    n_topics: int,
    difference: float,
    variance: float,
    n_systems: int = 2,
    method: str = "t",
    level: float = LEVEL,
) -> float:
    """Compute the power: the chance of finding a true difference of this size with `n_topics`
    topics.

    Parameters
    ----------
    n_topics : int of at least 2
    difference : float above 0
        Between the means of two systems; with `anova`, of the best and the worst.
    variance : float above 0
        See `residual_variance`.
    n_systems : int of at least 2
        For `anova`.
    method : {'t', 't_one_sided', 'anova'}
    level : float in (0, 1)
        1 minus the significance level.

    Returns
    -------
    float in (0, 1]
    """
    from scipy import stats

    _check(
        method,
        level=level,
        n_topics=n_topics,
        n_systems=n_systems,
        difference=difference,
        variance=variance,
    )
    alpha, squared = 1 - level, n_topics * difference**2 / (2 * variance)
    if method != "anova":
        df, shift = n_topics - 1, math.sqrt(squared)
        bound = stats.t.isf(alpha / 2 if method == "t" else alpha, df)
        # The lower tail is the upper tail of the mirrored distribution: scipy's own lower tail can
        # be NaN.
        shifts = (shift, -shift) if method == "t" else (shift,)
        # scipy 1.11 takes the logarithm of 0 on its way to a tail of 0.
        with np.errstate(divide="ignore"):
            return float(sum(stats.nct.sf(bound, df, to) for to in shifts))
    between, within = n_systems - 1, n_systems * (n_topics - 1)
    return float(stats.ncf.sf(stats.f.isf(alpha, between, within), between, within, squared))


def topics_needed(
    difference: float,
    variance: float,
    n_systems: int = 2,
    method: str = "t",
    level: float = LEVEL,
    power: float = POWER,
) -> int:
    """Find the smallest number of topics with which a test finds a difference of this size.

    Parameters
    ----------
    difference, variance, n_systems, method, level : see `power_of`
    power : float in (0, 1)
        Chance of finding such a difference.

    Returns
    -------
    int of at least 2

    Raises
    ------
    ValueError
        A difference or variance of 0 or less, a level or power outside (0, 1), fewer than two
        systems, an unknown method, more than 10^9 topics.

    Examples
    --------
    A difference of 0.05, if a residual variance of 0.02 gives differences a standard deviation of
    0.2:

    >>> topics_needed(0.05, 0.02)
    128
    >>> topics_needed(0.05, 0.02, n_systems=10, method="anova")
    252
    """
    _check(method, power=power)

    def too_few(n: int) -> bool:
        return power_of(n, difference, variance, n_systems, method, level) < power

    low, high = 1, 2  # too few, perhaps enough
    while too_few(high):
        low, high = high, 2 * high
        if low > _MOST:
            raise ArgumentError(
                f"difference={difference:g} is too small for a variance of {variance:g}: over "
                f"10^9 topics",
                parameter="difference",
                value=difference,
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_few(middle) else (low, middle)
    return high


def topics_for_margin(margin: float, variance: float, level: float = LEVEL) -> int | None:
    """Return how many topics would rule out a loss as large as the margin, if there is no loss.

    It depends on the variance only, not on the observed difference, which is far too uncertain to
    plan by.

    Parameters
    ----------
    margin : float
        The largest loss that is tolerated.
    variance : float
        See `residual_variance`: of two systems half the variance of their differences.
    level : float in (0, 1)
        Of the one-sided bound that must be above -margin.

    Returns
    -------
    int or None
        Enough for 4 of 5 experiments; None if the margin or the variance is 0, or no number below
        10^9 is enough.

    Examples
    --------
    >>> topics_for_margin(0.05, 0.02)
    101
    """
    if margin <= 0 or not 0 < variance < math.inf:
        return None
    if power_of(_MOST, margin, variance, method="t_one_sided", level=level) < POWER:
        return None
    return topics_needed(margin, variance, method="t_one_sided", level=level)


def topics_for_each(effect: ArrayLike, level: float = LEVEL, most: int = 10_000) -> Floats:
    """Find `topics_needed` by a paired t-test for many pairs of systems at once.

    Parameters
    ----------
    effect : float array
        Difference over the standard deviation of the differences by topic.
    level : float in (0, 1)
    most : int
        The largest number of interest.

    Returns
    -------
    float array
        Shape as `effect`; infinite if more than `most` topics are needed.

    Examples
    --------
    >>> topics_for_each([0.25, 0.0])
    array([128.,  inf])
    """
    from scipy import stats

    size = np.abs(np.asarray(effect, dtype=np.float64))
    low, high = np.full(size.shape, 1), np.full(size.shape, most + 1)  # too few, perhaps enough
    while (high - low > 1).any():
        n = np.where(high - low > 1, (low + high) // 2, high)
        bound, shift = special.stdtrit(n - 1, (1 + level) / 2), np.sqrt(n) * size
        with np.errstate(divide="ignore", invalid="ignore"):
            tails = [stats.nct.sf(bound, n - 1, to) for to in (shift, -shift)]
        power = np.where(shift > 30 + bound, 1.0, np.nan_to_num(tails[0]) + np.nan_to_num(tails[1]))
        enough = power >= POWER
        open_ends = high - low > 1
        high = np.where(open_ends & enough, n, high)
        low = np.where(open_ends & ~enough, n, low)
    return np.where(high > most, np.inf, high).astype(np.float64)


def detectable_difference(
    n_topics: int,
    variance: float,
    n_systems: int = 2,
    method: str = "t",
    level: float = LEVEL,
    power: float = POWER,
) -> float:
    """Find the smallest true difference that a test finds with `n_topics` topics: the inverse of
    `topics_needed`.

    Parameters
    ----------
    n_topics : int of at least 2
    variance, n_systems, method, level, power : see `topics_needed`

    Examples
    --------
    >>> round(detectable_difference(50, 0.02), 4)
    0.0808
    """
    from scipy.optimize import brentq

    _check(
        method, level=level, power=power, n_topics=n_topics, n_systems=n_systems, variance=variance
    )
    unit = math.sqrt(variance / n_topics)

    def short(difference: float) -> float:
        return power_of(n_topics, difference, variance, n_systems, method, level) - power

    if 1 - level >= power:  # found by chance alone
        return 0.0
    low, high = 1e-9 * unit, unit
    while short(high) < 0:
        low, high = high, 2 * high
    return float(brentq(short, low, high, xtol=1e-12 * unit, rtol=1e-12))


def topic_set_size(
    values: MeasureValues,
    differences: ArrayLike = (0.01, 0.02, 0.05, 0.1),
    level: float = LEVEL,
    power: float = POWER,
) -> pd.DataFrame:
    """Find how many topics each measure needs, with your values as a pilot study.

    Parameters
    ----------
    values : TopicValues, or what `topic_values` or `irpref_lab.values` returns
    differences : float, or several
        True differences that you want to find.
    level, power : see `topics_needed`

    Returns
    -------
    pandas.DataFrame
        A row for each measure and difference: `measure`, `variance` (see `residual_variance`),
        `n_topics` (of `values`), `detectable` (smallest difference that a paired t-test finds with
        these), `difference`, `topics_t` (needed by a paired t-test of two systems), `topics_anova`
        (needed by an analysis of variance of all systems in `values`, with this difference between
        the best and the worst), `topics_margin` (that would rule out a loss of this size, if there
        is none, by the bound of `irpref_lab.gate`).

    Raises
    ------
    ValueError
        As `topics_needed`; fewer than two systems or topics; the values of a measure do not vary.

    Examples
    --------
    >>> two = TopicValues("AP", ["a", "b"], ["q1", "q2", "q3"], [[0.5, 0.1, 0.3], [0.4, 0.3, 0.2]])
    >>> topic_set_size(two, 0.1)[["variance", "topics_t", "topics_anova", "topics_margin"]].round(3)
       variance  topics_t  topics_anova  topics_margin
    0     0.015        26            25             20
    """
    import pandas as pd

    rows = []
    wanted = np.atleast_1d(np.asarray(differences, dtype=np.float64)).tolist()
    for measured in values_in(values):
        variance = residual_variance(measured)
        if not variance:
            raise ArgumentError(
                f"{measured.measure}: the systems differ by the same on every topic: there is "
                "no variance",
                measure=measured.measure,
                parameter="values",
            )
        known = detectable_difference(measured.n_topics, variance, level=level, power=power)
        for difference in wanted:
            by_t = topics_needed(difference, variance, 2, "t", level, power)
            by_anova = topics_needed(
                difference, variance, measured.n_systems, "anova", level, power
            )
            rows.append(
                {
                    "measure": measured.measure,
                    "variance": variance,
                    "n_topics": measured.n_topics,
                    "detectable": known,
                    "difference": difference,
                    "topics_t": by_t,
                    "topics_anova": by_anova,
                    "topics_margin": topics_for_margin(difference, variance, level),
                }
            )
    return pd.DataFrame(rows)


def _check(method: str, **numbers: float) -> None:
    check_choice("method", method, METHODS)
    for name, given in numbers.items():
        if name in ("level", "power"):
            check_share(name, given)
            continue
        value = given if isinstance(given, (int, float, np.number)) else math.nan
        accepted, expected = 0 < value < math.inf, "a number above 0"
        if name in ("n_topics", "n_systems"):
            accepted, expected = value >= 2, "at least 2"
        if not accepted:
            raise not_accepted(name, given, expected)
