"""Two systems by one measure on some topics: every verdict is made of such pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel import Bools, Floats
from irpref.measures.declare import rises
from irpref.observed import FEWEST, Ground, is_count, limits_of
from irpref.values import magnitude, settled
from irpref_lab.decide.all_pairs import significant
from irpref_lab.decide.first_lines import where
from irpref_lab.trust import bounds, t_tests
from irpref_lab.trust.design import residual_variance, topics_for_margin
from irpref_lab.trust.topics import difference_in_range

Row: TypeAlias = dict[str, Any]  # of a table: a value for each column
NO_LOOK = "no-look"  # a sample between two looks: its numbers hold, and there is no verdict yet
NOT_EXACT = "the differences are few and skewed: the level of the test is not exact here"
FURTHER = ("Judged@10", "NumRet")  # what boards say of runs besides your measures
PLACES = ("place", "place_low", "place_high")  # columns of boards
_FEW, _FEW_DIFFERENT = 50, 20  # topics; topics on which systems differ
_STRONG = 1.0  # skewness


@dataclass(frozen=True, eq=False)
class Pair:
    """Two systems by one measure on some topics.

    Attributes
    ----------
    measure : Measure
    group : str or None
        The group of topics; None: all topics.
    inside : bool array (n_topics,)
        The topics of the group.
    topics : bool array (n_topics,)
        The topics that are compared.
    names : the names of the two systems
    query_ids : sequence of str
        The topics that are compared.
    values : float array (2, n_compared)
    lacking : bool array (2, n_compared)
        Topics that each system does not answer.
    grounds : list of Ground
        Reasons against the verdict.
    numbers : two int
        The numbers of the systems.
    knows_means : bool
        Whether values of a single system mean something, not only differences.
    """

    measure: Measure
    group: str | None
    inside: Bools
    topics: Bools
    names: tuple[str, str]
    query_ids: Sequence[str]
    values: Floats
    lacking: Bools
    grounds: list[Ground]
    numbers: tuple[int, int] = (0, 1)
    knows_means: bool = True

    @property
    def codes(self) -> str:
        """The codes of the grounds, as a column has them."""
        return ", ".join(ground.code for ground in self.grounds)

    @property
    def reason(self) -> str:
        """The grounds in words."""
        return "; ".join(ground.text for ground in self.grounds)

    @property
    def is_between_looks(self) -> bool:
        """Whether it is too early, or too late, for a verdict on a sample."""
        return any(ground.code == NO_LOOK for ground in self.grounds)

    @property
    def has_numbers(self) -> bool:
        """Whether the test and the interval mean something."""
        return all(ground.code == NO_LOOK for ground in self.grounds)

    @property
    def higher_is_better(self) -> bool:
        """The direction of the measure."""
        return rises(self.measure)

    @property
    def sign(self) -> float:
        """1 if higher values are better, -1 if lower ones are."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def n_topics(self) -> int:
        """Number of topics that are compared."""
        return len(self.query_ids)

    @property
    def scale(self) -> int:
        """Factor of a mean: 1, or the number of topics for measures that count."""
        return self.n_topics if is_count(self.measure) else 1

    # Numbers --------------------------------------------------------------------------------------

    @cached_property
    def differences(self) -> Floats:
        """Second system minus first by topic, with rounding errors set to 0: (n_compared,)."""
        size = magnitude(self.values).max(keepdims=True) if self.n_topics else np.zeros(1)
        return settled(self.values[1] - self.values[0], size)

    @cached_property
    def gain(self) -> Floats:
        """Gain of the second system by topic, positive where it is better: (n_compared,)."""
        return self.differences if self.higher_is_better else -self.differences

    @cached_property
    def mean_gain(self) -> float:
        """Mean of the gains, with rounding errors set to 0; NaN without topics."""
        if not self.n_topics:
            return math.nan
        return float(settled(self.gain.mean(), magnitude(self.values).max()))

    @property
    def difference(self) -> float:
        """Mean of the second system minus mean of the first, in the units of the measure."""
        return self.sign * self.mean_gain * self.scale + 0.0

    @property
    def means(self) -> tuple[float, float]:
        """The means of the two systems, sums for measures that count; NaN if not known."""
        if not self.knows_means or not self.n_topics:
            return math.nan, math.nan
        # The digits of the evaluator.
        first, second = (
            np.cumsum(self.values, axis=1)[:, -1] * self.scale / self.n_topics
        ).tolist()
        return first, second

    @property
    def variance(self) -> float:
        """Residual variance of the two systems: half the variance of their differences."""
        return residual_variance(self.values) if self.n_topics > 1 else 0.0

    @cached_property
    def p(self) -> float:
        """Two-sided p of the difference by the paired t-test; NaN without topics."""
        return t_tests.p_of_pair(self.gain) if self.n_topics else math.nan

    @property
    def effect_size(self) -> float:
        """Difference over the residual standard deviation; NaN if only the mean differs."""
        deviation = math.sqrt(self.variance)
        if deviation:
            return self.sign * self.mean_gain / deviation + 0.0
        return 0.0 if self.mean_gain == 0 else math.nan

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value that a topic can have."""
        return limits_of(self.measure)

    def gain_interval(self, level: float) -> tuple[float, float]:
        """Return the two-sided interval of the mean gain; NaN with fewer than five topics.

        It is that of the paired t-test, widened where almost all topics have the same difference.
        """
        if self.n_topics < FEWEST:
            return math.nan, math.nan
        usual = t_tests.interval(self.gain, level)
        limits = bounds.of_differences(self.limits, [self.gain])
        return bounds.widened(self.gain, usual, level, limits)

    def in_units(self, low: float, high: float) -> tuple[float, float]:
        """Return bounds of the mean gain as bounds of the difference, no wider than the measure."""
        if not self.higher_is_better:
            low, high = -high, -low
        if self.scale > 1:
            return low * self.scale + 0.0, high * self.scale + 0.0
        low, high = difference_in_range(self.measure, low, high)
        return low + 0.0, high + 0.0

    def interval(self, level: float) -> tuple[float, float]:
        """Return the two-sided interval of the difference; NaN with fewer than five topics."""
        return self.in_units(*self.gain_interval(level))

    def is_shown(self, level: float) -> bool:
        """Tell whether the systems are shown to differ: by the test, and by the interval if any."""
        if not self.mean_gain or not significant(self.p, level):
            return False
        low, high = self.gain_interval(level)
        return not low <= 0 <= high

    def topics_needed(self, margin: float, level: float) -> int | None:
        """Return how many topics would rule out a loss as large as the margin; None if these are
        enough, or no number is.
        """
        wanted = topics_for_margin(margin / self.scale, self.variance, level)
        return wanted if wanted is not None and wanted > self.n_topics else None

    # Words and columns ----------------------------------------------------------------------------

    @property
    def is_skewed(self) -> bool:
        """Whether the differences are so few and so skewed that the level of a test is not exact.

        With fewer than 50 topics, or fewer than 20 on which the systems differ, if the skewness is
        beyond -1 or 1. See docs/significance.md.
        """
        if self.n_topics < FEWEST:
            return False
        difference = self.differences
        spread = float(difference.std())
        many = difference.size >= _FEW and np.count_nonzero(difference) >= _FEW_DIFFERENT
        if not spread or many:
            return False
        skewness = float(((difference - difference.mean()) ** 3).mean()) / spread**3
        return abs(skewness) > _STRONG

    def where_both_answer(self, level: float) -> str:
        """Say that a difference is not shown on the topics that both systems answer; empty if it
        is.
        """
        both: Bools = np.logical_not(self.lacking.any(axis=0))
        if both.all():
            return ""
        gain = self.gain[both]
        is_same_way = gain.any() and gain.mean() * self.mean_gain > 0
        if is_same_way and significant(t_tests.p_of_pair(gain), level):
            return ""
        return f"on the {gain.size:,} topics that both answer, this is not shown"

    @property
    def where(self) -> str:
        """The measure and the group, as a sentence begins."""
        return where(self.measure, self.group, self.higher_is_better)

    def counts(self) -> Row:
        """Return the numbers of topics on which the second system is better, worse, the same."""
        if not self.knows_means:
            return dict.fromkeys(("wins", "losses", "equal"))
        gain = self.gain
        return {
            "wins": int((gain > 0).sum()),
            "losses": int((gain < 0).sum()),
            "equal": int((gain == 0).sum()),
        }

    def by_topic(self) -> Row:
        """Return columns of the values by topic, named as the systems."""
        values = self.values if self.knows_means else np.full(self.values.shape, math.nan)
        columns = dict(zip(self.names, values, strict=True))
        return {"query_id": self.query_ids, **columns, "difference": self.differences}


def labels(measure: Measure | str, group: str | None, grouped: bool) -> Row:
    """Return the first columns of a row: measure and group."""
    return {"measure": str(measure)} | ({"group": group} if grouped else {})


def rounded_up(n: int) -> int:
    """Round a number of topics or documents up to two significant digits."""
    unit: int = 10 ** max(len(str(n)) - 2, 0)
    return -(-n // unit) * unit
