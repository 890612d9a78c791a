"""Tests, places and intervals over several collections, from the values on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, ArgumentError, Remedy
from irpref.kernel import Bools, Floats, Ints
from irpref.messages import visible
from irpref.observed import FEW_TOPICS, Ground
from irpref.values import TopicValues
from irpref_lab.across import strata
from irpref_lab.decide.all_pairs import (
    NOTHING,
    AgainstClaims,
    OfTies,
    codes_of_pairs,
    significant,
    turned,
)
from irpref_lab.decide.letters import places
from irpref_lab.decide.over_collections.parts import Part
from irpref_lab.trust import bounds, t_tests
from irpref_lab.trust.samples import pairs_of_systems
from irpref_lab.trust.topics import limits_named

METHODS = ("holm", "none")  # how all pairs of systems can be tested
_SCALE = 10  # times by which the largest values of two collections may differ


def check_sizes(of: Strata, over: str) -> None:
    """Refuse collections of a single topic where topics are the sample.

    Raises
    ------
    ArgumentError
    """
    few = [name for name, part in zip(of.names, of.values, strict=True) if part.shape[1] < 2]
    if few and over == "topics":
        raise ArgumentError(
            f"a test over topics needs at least 2 topics of each collection, and {', '.join(few)} "
            f"has 1",
            parameter="collections",
            remedy=Remedy("over", "collections", effect="tests other collections, not topics"),
        )


@dataclass(frozen=True, eq=False)
class Strata:
    """Values of the systems that all collections have, by one measure.

    Attributes
    ----------
    measure : str
    names : tuple of str
        The collections.
    systems : tuple of str
    values : list of float arrays (n_systems, n_k)
        Of each collection.
    higher_is_better : bool
    """

    measure: str
    names: tuple[str, ...]
    systems: tuple[str, ...]
    values: list[Floats]
    higher_is_better: bool

    @property
    def n_topics(self) -> int:
        """Number of topics of all collections."""
        return sum(part.shape[1] for part in self.values)

    @property
    def by_mean(self) -> TopicValues:
        """Mean of each system on each collection, as if collections were topics."""
        means = strata.stratum_means(self.values)
        return TopicValues(self.measure, self.systems, self.names, means, self.higher_is_better)

    def named(self, systems: Sequence[str]) -> Strata:
        """Return the same values with other names of the systems."""
        return replace(self, systems=tuple(systems))

    def select(self, systems: Sequence[str]) -> Strata:
        """Return only these systems, in this order."""
        rows = [self.systems.index(name) for name in systems]
        values = [part[rows] for part in self.values]
        return Strata(self.measure, self.names, tuple(systems), values, self.higher_is_better)


class StrataOverTies(NamedTuple):
    """Values in expectation over the orders of tied documents.

    Attributes
    ----------
    values : Strata
        Of all systems.
    ground : OfTies
    """

    values: Strata
    ground: OfTies


def strata_of(parts: Sequence[Part], measure: Measure, systems: Sequence[str]) -> Strata:
    """Collect the values of these systems by one measure.

    Raises
    ------
    AbsentRunError
        No system is left.
    """
    if not systems:
        raise AbsentRunError("no system has values on all collections")
    tables = [part.tables[str(measure)].select(systems) for part in parts]
    if tables[0].is_sum:
        raise ArgumentError(
            f"{measure} is a count, which has no mean over collections of unequal size",
            parameter="measures",
            value=str(measure),
        )
    return Strata(
        str(measure),
        tuple(part.name for part in parts),
        tuple(systems),
        [table.values for table in tables],
        tables[0].higher_is_better,
    )


def decided_by_scale(of: Strata) -> list[str]:
    """Say if values of an unlimited measure are on another scale on one of the collections, which
    then decides the mean.
    """
    if np.isfinite(limits_named(of.measure)).all():
        return []
    largest = np.array([np.abs(part).max() for part in of.values])
    most, least = int(largest.argmax()), int(largest.argmin())
    if largest[most] <= _SCALE * largest[least]:
        return []
    return [
        f"{of.measure}: values reach {largest[most]:g} on {of.names[most]} and "
        f"{largest[least]:g} on {of.names[least]}, so {of.names[most]} decides the mean"
    ]


def decided_by_ties(
    of: Strata,
    over: str,
    level: float,
    first: Ints,
    second: Ints,
    p: Floats,
    ties: StrataOverTies | None,
) -> dict[frozenset[str], Ground]:
    """Find pairs with another verdict in expectation over the orders of tied documents than in the
    order of ids: the reason of each.

    Parameters
    ----------
    of : Strata
    over, level : as for `board_over`
    first, second : int arrays (n_pairs,)
        Numbers of the systems of each pair.
    p : float array (n_pairs,)
        P-values of the pairs; NaN for pairs of no family.
    ties : StrataOverTies or None
        None: nothing is tied.
    """
    if ties is None:
        return {}
    expected = ties.values.select(of.systems)
    then = np.where(np.isnan(p), p, strata.p_of_pairs(expected.values, first, second, over))
    gaps, shown = [], []
    for one, p_values in ((of, p), (expected, then)):
        means = one.by_mean.means
        gaps.append(means[second] - means[first])
        low, high = _intervals_of_pairs(one, first, second, over, level, p_values)
        shown.append(_are_shown(t_tests.holm(p_values), low, high, level))
    now, later = zip(gaps, shown, strict=True)
    return turned(of.systems, (first, second), now, later, of.higher_is_better, ties.ground)


def _are_shown(p_adjusted: Floats, low: Floats, high: Floats, level: float) -> Bools:
    """Find pairs that test and interval tell apart: (n_pairs,)."""
    return significant(p_adjusted, level) & ~((low <= 0) & (high >= 0))


def pairs_over(
    of: Strata,
    over: str,
    level: float,
    against: AgainstClaims,
    ties: StrataOverTies | None = None,
) -> tuple[pd.DataFrame, AgainstClaims]:
    """Test all pairs of systems: a row for each, with p-values adjusted after Holm, and the codes
    that rule out calling them different. Return with them the reasons behind the codes.
    """
    first, second = pairs_of_systems(len(of.systems))
    p = strata.p_of_pairs(of.values, first, second, over)
    adjusted = t_tests.holm(p)
    shown = significant(adjusted, level)
    by_ties = decided_by_ties(of, over, level, first, second, p, ties)
    against = against._replace(of_ties=by_ties)
    means = of.by_mean.means
    gain = (means[second] - means[first]) * (1 if of.higher_is_better else -1)
    names = np.array(of.systems, dtype=object)
    low, high = _intervals_of_pairs(of, first, second, over, level, p)
    codes = codes_of_pairs(of.systems, first, second, gain, shown, against)
    few = shown & ~_are_shown(adjusted, low, high, level)
    codes[few & (codes == "")] = FEW_TOPICS.name
    pairs = pd.DataFrame(
        {
            "measure": of.measure,
            "a": names[first],
            "b": names[second],
            "difference": means[second] - means[first],
            "low": low,
            "high": high,
            "p": p,
            "p_adjusted": adjusted,
            "codes": codes,
        }
    )
    return pairs, against


def _intervals_of_pairs(
    of: Strata, first: Ints, second: Ints, over: str, level: float, p: Floats
) -> tuple[Floats, Floats]:
    """Compute the intervals of the differences of pairs, second minus first, a block of pairs at a
    time. Others than significant ones contain 0 anyway, and are not widened.
    """
    low, high = np.empty(first.size), np.empty(first.size)
    step = max(1, (1 << 20) // of.n_topics)
    for start in range(0, first.size, step):
        rows = slice(start, start + step)
        parts = strata.differences(of.values, second[rows], first[rows])
        low[rows], high[rows] = strata.intervals(parts, level, over)
        sampled = parts if over == "topics" else [strata.stratum_means(parts)]
        rare = np.any([bounds.differ_rarely(part) for part in sampled], axis=0)
        for pair in np.flatnonzero(rare & significant(p[rows], level)).tolist():
            of_pair = [part[pair] for part in parts]
            low[start + pair], high[start + pair] = interval_of(of_pair, of.measure, over, level)
    return low, high


def interval_of(
    difference: Sequence[Floats], measure: str, over: str, level: float
) -> tuple[float, float]:
    """Return the interval of the mean difference of two systems, from the differences by topic on
    each collection, (n_k,) each.
    """
    limits = bounds.of_differences(limits_named(measure), difference)
    return strata.sure_interval(difference, level, over, limits)


def different(pairs: pd.DataFrame, systems: Sequence[str], level: float) -> Bools:
    """Find which systems are significantly different: a symmetric matrix."""
    n = len(systems)
    out = np.zeros((n, n), bool)
    first, second = pairs_of_systems(n)
    shown = significant(pairs["p_adjusted"], level) & (pairs["codes"] == "").to_numpy()
    out[first, second] = out[second, first] = shown
    return out


def board_over(
    of: Strata,
    over: str,
    level: float,
    tested: bool = True,
    against: AgainstClaims = NOTHING,
    ties: StrataOverTies | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, AgainstClaims]:
    """Rank systems over all collections.

    Parameters
    ----------
    of : Strata
    over : {'topics', 'collections'}
    level : float in (0.5, 1)
    tested : bool
        Whether pairs are tested.
    against : AgainstClaims
    ties : StrataOverTies, optional

    Returns
    -------
    board : DataFrame
        A row for each system, the best first: `run`, `measure`, `mean`, `low`, `high`, `place`,
        `place_low`, `place_high`, `letters`, `borda` (the rank by Borda's count).
    pairs : DataFrame
        See `pairs_over`; empty if they are not tested.
    against : AgainstClaims
        The reasons against claims, with those that tied documents give.
    """
    check_sizes(of, over)
    order = of.by_mean.best_first
    of = of.select([of.systems[i] for i in order.tolist()])
    means, apart = of.by_mean, None
    limits = limits_named(of.measure)
    each = zip(*of.values, strict=True)
    intervals = [strata.sure_interval(values, level, over, limits) for values in each]
    low, high = np.clip(intervals, *limits).T
    pairs = pd.DataFrame()
    if tested and len(of.systems) > 1:
        pairs, against = pairs_over(of, over, level, against, ties)
        if pairs["p"].notna().any():
            apart = different(pairs, of.systems, level)
    shares = strata.borda(of.values, of.higher_is_better)
    beaten = TopicValues("Borda", of.systems, ["share"], shares[:, None])
    board = pd.DataFrame(
        {
            "run": list(of.systems),
            "measure": of.measure,
            "mean": means.means,
            "low": low,
            "high": high,
            **places(means.places, np.arange(len(of.systems)), apart),
            "borda": beaten.places,
        }
    )
    return board, pairs, against


def described(of: Strata, over: str, tests: int, level: float, baseline: str | None = None) -> str:
    """Describe test, sample and family in one line."""
    k, n = len(of.names), of.n_topics
    if over == "collections" and k < strata.FEWEST:
        return f"none: {k} collections are too few to be a sample"
    test = f"t-test of the means of {k} collections"
    if over == "topics":
        test = f"stratified t-test, {n:,} topics nested in {k} collections"
    family = "one pair of systems"
    if tests > 1:
        pairs = f"pairs of {len(of.systems):,} systems"
        if baseline is not None:
            pairs = f"pairs with {visible(baseline)}"
        family = f"{tests:,} {pairs}, adjusted after Holm, by measure"
    return f"{test}; family: {family}; family-wise level {100 * (1 - level):.4g} %"
