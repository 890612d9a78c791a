"""Two systems by one measure on some topics: every verdict is made of such pairs.

`pairs` is the one loop over measures, groups of topics and systems: `compare`, `gate` and `against`
walk it. A `Basis` knows where the values come from and what rules out a verdict: judged runs, a
sample of judgments, or values alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.judged import Groups
from irpref.kernel import Bools, Floats
from irpref.observed import Ground, is_count, limits_of
from irpref.values import TopicValues, magnitude, settled
from irpref_lab.decide.all_pairs import significant
from irpref_lab.trust import bounds, t_tests
from irpref_lab.trust.design import residual_variance, topics_for_margin
from irpref_lab.trust.topics import FEWEST, difference_in_range

Verdict: TypeAlias = Literal["claim", "pass"]
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
        return bool(getattr(self.measure, "higher_is_better", True))

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

    @property
    def span(self) -> float:
        """The largest difference that a topic can have."""
        least, most = self.limits
        return most - least

    def gain_interval(self, level: float) -> tuple[float, float]:
        """Return the two-sided interval of the mean gain; NaN with fewer than five topics.

        It is that of the paired t-test, widened where almost all topics have the same difference.
        """
        if self.n_topics < FEWEST:
            return math.nan, math.nan
        usual = t_tests.interval(self.gain, level)
        return bounds.widened(self.gain, usual, level, (-self.span, self.span))

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
        text = str(self.measure) + ("" if self.higher_is_better else " (lower is better)")
        return text if self.group is None else f"{text}, {self.group}"

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


@dataclass(frozen=True, eq=False)
class Question:
    """A question: does a verdict about two systems hold?

    Attributes
    ----------
    verdict : {'claim', 'pass'}
    measure : Measure
    group : str or None
        The group of topics; None: all topics.
    inside : bool array (n_topics,)
        The topics of the group.
    missing : float
        Share of the answerable topics that may be missing.
    numbers : two int
        The numbers of the systems.
    margin : float or None
        The largest loss that a pass tolerates.
    decide : callable or None
        The verdict of a pair if nothing rules it out: codes ask whether other values would
        have another one.
    """

    verdict: Verdict
    measure: Measure
    group: str | None
    inside: Bools
    missing: float
    numbers: tuple[int, int] = (0, 1)
    margin: float | None = None
    decide: Callable[[Pair], str] | None = None

    def pair(
        self,
        names: tuple[str, str],
        query_ids: Sequence[str],
        topics: Bools,
        values: Floats,
        lacking: Bools,
        knows_means: bool = True,
    ) -> Pair:
        """Return the systems on the topics that are compared, from arrays of all topics, with no
        grounds yet.
        """
        return Pair(
            self.measure,
            self.group,
            self.inside,
            topics,
            names,
            list(compress(query_ids, topics.tolist())),
            values[:, topics],
            lacking[:, topics],
            [],
            self.numbers,
            knows_means,
        )


def labels(measure: Measure | str, group: str | None, grouped: bool) -> Row:
    """Return the first columns of a row: measure and group."""
    return {"measure": str(measure)} | ({"group": group} if grouped else {})


def rounded_up(n: int) -> int:
    """Round a number of topics or documents up to two significant digits."""
    unit: int = 10 ** max(len(str(n)) - 2, 0)
    return -(-n // unit) * unit


class Basis(Protocol):
    """Questions of verdicts about systems: judged runs, a sample of judgments, or values alone.

    What a basis does not answer is not known.

    Attributes
    ----------
    measures : sequence of Measure
        In the order that was asked for.
    heading : str
        Beginning of all sentences: "values only: ", or nothing.
    lacking : str
        Words for topics that a system lacks: "has no documents", or "has no value".
    """

    measures: Sequence[Measure]
    heading: str = ""
    lacking: str = "has no documents"

    @property
    def names(self) -> Sequence[str]:
        """The names of the systems."""
        ...

    def share(self, level: float) -> float:
        """Return the level of each test: several looks at a sample share one."""
        return level

    def parts(self, groups: Groups | None) -> dict[str | None, Bools]:
        """Map each group to its topics; without groups, None to all topics."""
        ...

    def pair(self, asked: Question) -> Pair:
        """Return two systems on a group of topics, with the grounds against the verdict."""
        ...

    def columns(self, pair: Pair, called: Sequence[str], level: float) -> Row:
        """Return the further columns of a pair; the systems are called so in their names."""
        ...

    def sentences(
        self, verdict: Verdict, pair: Pair, row: Mapping[str, Any], missing: float
    ) -> list[str]:
        """Describe in sentences the problems behind the numbers of a pair."""
        ...

    def notes(self, verdict: Verdict) -> list[str]:
        """Say which facts all pairs share, without full stops."""
        ...

    def could_turn(self, pair: Pair, verdict: Any, now: str, agrees: bool = True) -> bool | None:
        """Tell whether judging the unjudged documents could change a verdict; None if unknown."""
        return None

    def absent(self, strict: bool = False, alone: bool = False) -> dict[str, str]:
        """Return the systems that take no part in tests, with the reason."""
        return {}

    def tables(self) -> list[TopicValues]:
        """Return the values of each measure."""
        ...

    def further(self) -> list[TopicValues]:
        """Return the values of `FURTHER`."""
        ...

    def against_runs(
        self, measure: Measure, inside: Bools, missing: float
    ) -> dict[str, list[Ground]]:
        """Map each system to the grounds against the claim that another one is better."""
        ...

    def against_pair(
        self, measure: Measure, inside: Bools, missing: float, worse: str, better: str
    ) -> list[Ground]:
        """Return the grounds against the claim that one system is better than another, if these
        depend on both.
        """
        return []

    def columns_of_runs(self, measure: Measure, inside: Bools) -> dict[str, Row]:
        """Return further columns of each system."""
        ...

    def complete(self, board: Any, parts: Mapping[str | None, Bools], level: float) -> None:
        """Add the further columns of a board, and blank those that the basis does not know."""
        ...

    def notes_of_pairs(self, board: Any, parts: Mapping[str | None, Bools]) -> list[str]:
        """Describe problems behind significant differences of a board, without full stops."""
        ...

    def grave(self) -> list[str]:
        """List what `irpref_lab.check` would find grave, a line for each code."""
        return []

    def check_values(self) -> None:
        """Refuse a basis that knows no values of single systems."""
        return

    def notes_of_many(self, absent: Mapping[str, str], called: str | None = None) -> list[str]:
        """Describe problems behind the values of all systems, without full stops."""
        ...

    def frame(self, parts: Mapping[str | None, Bools]) -> Any:
        """Return the table of `irpref.evidence`; None if there is none."""
        return None

    def only(self, numbers: Sequence[int]) -> Basis:
        """Return the basis of some systems, by number."""
        ...

    def same_order(self, first: int, second: int) -> bool:
        """Tell whether two systems have the same ranking; False if unknown."""
        return False

    def check_gate(self) -> None:
        """Refuse judgments and measures that can never tell whether a change may ship.

        Raises
        ------
        EmptyJudgmentsError, MeasureError
        """
        return

    def hashes(self, parts: Mapping[str | None, Bools]) -> tuple[str, str]:
        """Return the hash of the judgments, and of all inputs besides the runs."""
        ...


def pairs(
    basis: Basis,
    verdict: Verdict,
    parts: Mapping[str | None, Bools],
    missing: float,
    numbers: Iterable[tuple[int, int]] = ((0, 1),),
    margin: float | None = None,
    decide: Callable[[Pair], str] | None = None,
) -> Iterator[Pair]:
    """Yield each pair of systems by each measure in each group of topics: see `Question`.

    Parameters
    ----------
    basis : Basis
    verdict : {'claim', 'pass'}
    parts : mapping of group to bool array (n_topics,)
    missing : float
    numbers : pairs of int
        Numbers of the systems.
    margin : float, optional
    decide : callable, optional
    """
    of_systems = list(numbers)
    for measure in basis.measures:
        for group, inside in parts.items():
            for two in of_systems:
                yield basis.pair(
                    Question(verdict, measure, group, inside, missing, two, margin, decide)
                )
