"""Differences of two runs by topic, and what can be said of their mean."""

from __future__ import annotations

import math

import numpy as np

from irpref.kernel import Bools, Floats
from irpref.values.matrix import TopicValues
from irpref.values.means import magnitude, settled
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.sign_flips import p_of_pair
from irpref_lab.trust.design import POWER, topics_needed

_FEW, _FEW_DIFFERENT = 50, 20  # topics; topics on which runs differ
_STRONG = 1.0  # skewness
NOT_EXACT = "the differences are few and skewed: the level of the test is not exact here"


def differences(values: TopicValues) -> Floats:
    """Second run minus first run by topic, with rounding errors set to 0."""
    return settled(values.values[1] - values.values[0], magnitude(values.values).max(keepdims=True))


def gains(values: TopicValues) -> tuple[Floats, float]:
    """Gain of the second run by topic, positive if it is better, and the mean; rounding errors are
    set to 0.
    """
    gain = differences(values) if values.higher_is_better else -differences(values)
    if not gain.size:
        return gain, math.nan
    return gain, float(settled(gain.mean(), magnitude(values.values).max()))


def is_skewed(difference: Floats) -> bool:
    """Whether differences are so few and so skewed that the level of a test is not exact.

    With fewer than 50 topics, or fewer than 20 on which the runs differ, if the skewness is beyond
    -1 or 1. See docs/significance.md.
    """
    spread = float(difference.std())
    if not spread or (difference.size >= _FEW and np.count_nonzero(difference) >= _FEW_DIFFERENT):
        return False
    skewness = float(((difference - difference.mean()) ** 3).mean()) / spread**3
    return abs(skewness) > _STRONG


def without_missing(values: TopicValues, unanswered: Bools, level: float) -> str:
    """Whether a shown difference rests on topics that one run does not answer, in words; empty if
    it does not.

    Parameters
    ----------
    values : TopicValues
        Of the two runs.
    unanswered : bool array (2, n_topics)
        Topics that each of them does not answer.
    level : float
    """
    both: Bools = np.logical_not(unanswered.any(axis=0))
    if both.all():
        return ""
    every, mean = gains(values)
    gain = every[both]
    is_same_way = gain.any() and gain.mean() * mean > 0
    if is_same_way and significant(p_of_pair(gain), level):
        return ""
    return f"on the {gain.size:,} topics that both answer, this is not shown"


def needed(distance: float, variance: float, level: float, one_sided: bool = False) -> int | None:
    """Number of topics that would show a mean this far away in 4 of 5 experiments; None if no
    number would.

    Parameters
    ----------
    distance : float
        Of the mean difference from what it is compared with.
    variance : float
        Residual variance of the two runs: half the variance of their differences.
    level : float
        The confidence level in force.
    one_sided : bool
    """
    method = "t_one_sided" if one_sided else "t"
    try:
        return topics_needed(distance, variance, method=method, level=level, power=POWER)
    except ValueError:  # no difference, nothing varies, or more than 10^9 topics
        return None


def rounded_up(n: int) -> int:
    """The number rounded up to two significant digits."""
    unit: int = 10 ** max(len(str(n)) - 2, 0)
    return -(-n // unit) * unit
