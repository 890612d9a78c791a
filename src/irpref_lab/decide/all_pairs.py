"""Tests of all pairs of runs: which differences are unlikely to be chance, given so many
comparisons?

Each method gives every pair a p-value adjusted for the number of pairs, so that the chance of
calling any pair of equal runs different stays at the level of the test (family-wise error):

    holm        paired t-tests, adjusted after Holm: see `irpref_lab.trust.t_tests`
    stepdown    sign flips of the topics, and step-down maxima of t: see
                `irpref_lab.decide.sign_flips`. A run that is far from all others does not affect
                their p-values. With few topics its error is above the level: see
                docs/significance.md

T. Sakai, Laboratory experiments in information retrieval, Springer 2018,
doi:10.1007/978-981-13-1199-4; S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.

An effect size is a difference over sqrt(V), V the residual variance of the two-way analysis of
variance (Sakai, chapter 5): how many standard deviations the runs are apart on a topic once the
topic's difficulty is removed. Unlike a p-value it does not depend on the number of topics. Unlike
the paired effect size, which uses the standard deviation of two runs, it is on one scale for all
pairs.

Decided here: all measures get the same permutations; differences that are only rounding count as
0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from irpref.errors import ArgumentError
from irpref.kernel import Bools, Floats, Ints
from irpref.messages import check_choice
from irpref.observed import OF_BOTH, Ground
from irpref.values import TopicValues, magnitude, settled
from irpref_lab.decide.sign_flips import (
    N_PERMUTATIONS,
    are_all,
    check_permutations,
    stepdown_of_runs,
)
from irpref_lab.trust import bounds, t_tests
from irpref_lab.trust.design import residual_variance
from irpref_lab.trust.samples import Rng, fixed_seed, pair_chunks, pairs_of_systems
from irpref_lab.trust.topics import limits_named

PAIRS = "holm"  # the test, unless you choose another
METHODS = ("holm", "stepdown", "none")
UNKNOWN, EQUAL = "cannot tell", "not shown to differ"  # verdicts that call no run better


def named_verdict(verdict: str, names: Sequence[str]) -> str:
    """Say 'bm25 better' in place of 'a better', and so on."""
    better = dict(zip(("a better", "b better"), names, strict=True))
    return f"{better[verdict]} better" if verdict in better else verdict


@dataclass(frozen=True, eq=False)
class Pairs:
    """Tests of pairs of runs by one measure.

    Attributes
    ----------
    first, second : int arrays (n_pairs,)
        Numbers of the runs: in the order of `numpy.triu_indices(n_runs, 1)`, or the baseline and
        every other run.
    difference : float array (n_pairs,)
        Mean of the second minus mean of the first.
    effect_size : float array (n_pairs,)
        0 if nothing differs; NaN if a difference does not vary at all.
    p : float array (n_pairs,)
        P-value of this pair alone, two-sided, whichever other runs there are: by the paired t-test;
        with `stepdown` by sign flips.
    p_adjusted : float array (n_pairs,)
        P-value adjusted for all pairs; NaN for `none`.
    """

    first: Ints
    second: Ints
    difference: Floats
    effect_size: Floats
    p: Floats
    p_adjusted: Floats

    def different(self, level: float, counts: Bools | None = None) -> Bools:
        """Find runs that are significantly different: a symmetric matrix (n_runs, n_runs).

        Parameters
        ----------
        level : float
        counts : bool array (n_pairs,), optional
            Pairs that nothing rules out; by default all.
        """
        n = int(self.second.max()) + 1
        out = np.zeros((n, n), bool)
        shown = significant(self.p_adjusted, level) & (True if counts is None else counts)
        out[self.first, self.second] = out[self.second, self.first] = shown
        return out


# Makes the reason against the claim that one run is worse than another, from the two, the verdict
# in the order of ids, and the verdict in expectation over the orders of tied documents.
OfTies: TypeAlias = Callable[[str, str, str, str], Ground]


class OverTies(NamedTuple):
    """Values in expectation over the orders of tied documents.

    Attributes
    ----------
    values : TopicValues
        Of all runs, on all topics.
    ground : OfTies
    """

    values: TopicValues
    ground: OfTies


class AgainstClaims(NamedTuple):
    """Reasons against the claim that one run is better than another.

    Attributes
    ----------
    by_run : mapping of run to list of Ground
        Whatever the better one is.
    of_pair : callable
        Of the worse and the better one, if it depends on both.
    of_ties : mapping of two runs to Ground
        That tied documents decide.
    """

    by_run: Mapping[str, Sequence[Ground]]
    of_pair: Callable[[str, str], Sequence[Ground]]
    of_ties: Mapping[frozenset[str], Ground] = MappingProxyType({})

    def beside(self, worse: str, better: str) -> list[Ground]:
        """Return all reasons that depend on both runs."""
        ties = self.of_ties.get(frozenset((worse, better)))
        return [*self.of_pair(worse, better), *([] if ties is None else [ties])]

    def codes(self) -> dict[str, list[str]]:
        """Map each run to the codes of the reasons, each once."""
        return {name: _codes(grounds) for name, grounds in self.by_run.items()}


NOTHING = AgainstClaims({}, lambda worse, better: ())


def _codes(grounds: Sequence[Ground]) -> list[str]:
    return list(dict.fromkeys(ground.code for ground in grounds))


def significant(p: ArrayLike, level: float) -> Bools:
    """Mark p-values that are at most 1 - level; NaN is not."""
    # 1e-9, since 1 - 0.9 is 0.09999999999999998.
    return np.asarray(p) <= (1 - level) * (1 + 1e-9)


def described(
    method: str,
    n_runs: int,
    n_topics: int | None,
    level: float,
    n_permutations: int = N_PERMUTATIONS,
    baseline: str | None = None,
) -> str:
    """Describe test, family, level and permutations in one line; `n_topics` is None if groups of
    topics are tested.
    """
    names = {
        "stepdown": "step-down sign-flip t-test",
        "holm": "paired t-tests adjusted after Holm" if n_runs > 2 else "paired t-test",
    }
    family = "one pair of runs"
    if n_runs > 2:
        family = f"all {n_runs * (n_runs - 1) // 2:,} pairs of {n_runs:,} runs"
        if baseline is not None:
            family = f"the {n_runs - 1:,} pairs with {baseline}"
    parts = [names[method]]
    if method == "stepdown":
        every = n_topics is not None and are_all(n_topics, n_permutations)
        number = f"all {2 ** (n_topics or 0):,}" if every else f"{n_permutations:,}"
        parts.append(f"{number} sign vectors")
    if n_topics is not None:
        parts.append(f"{n_topics:,} topic{'s' * (n_topics != 1)}")
    error = f"family-wise level {100 * (1 - level):.4g} %"
    return f"{', '.join(parts)}; family: {family}, by measure; {error}"


def pair_tests(
    values: Floats,
    method: str = PAIRS,
    n_permutations: int = N_PERMUTATIONS,
    rng: Rng | None = None,
    baseline: int | None = None,
) -> Pairs:
    """Test all pairs of runs, or all with a baseline.

    Parameters
    ----------
    values : float array (n_runs, n_topics)
        Topics in ascending order of id.
    method : {'holm', 'stepdown', 'none'}
    n_permutations : int
        Number of sign vectors.
    rng : seed or numpy Generator, optional
        None is seed 0. With one seed, all measures get the same permutations.
    baseline : int, optional
        Number of the run that all others are compared with, instead of all pairs.

    Raises
    ------
    ValueError
        An unknown method, fewer than one permutation, fewer than two runs or topics.
    """
    check_choice("pairs", method, METHODS)
    check_permutations(n_permutations)
    n_runs, n_topics = values.shape
    if n_topics < 2:
        raise ArgumentError(
            f"a test needs at least 2 topics, got {n_topics}", parameter="values", value=n_topics
        )
    first, second = pairs_of_systems(n_runs)
    if baseline is not None:
        first = np.full(n_runs - 1, baseline)
        second = np.delete(np.arange(n_runs), baseline)
    means, magnitudes = values.mean(axis=1), magnitude(values)
    size = np.maximum(magnitudes[first], magnitudes[second])
    difference = settled(means[second] - means[first], size)
    variance = residual_variance(values)
    if method == "stepdown":
        p, p_adjusted = stepdown_of_runs(values, first, second, n_permutations, fixed_seed(rng))
    else:
        p = t_tests.p_of_pairs(values, first, second)
        p_adjusted = t_tests.holm(p) if method == "holm" else np.full_like(p, np.nan)
    return Pairs(first, second, difference, _over(difference, math.sqrt(variance)), p, p_adjusted)


def shows_more_than_few_topics(values: TopicValues, compared: Pairs, level: float) -> Bools:
    """Find pairs that are not significant, or whose interval leaves 0 out though almost all topics
    have the same difference, as `irpref_lab.compare` asks: (n_pairs,).
    """
    out = np.ones(compared.first.size, bool)
    limits = limits_named(values.measure)
    shown = np.flatnonzero(significant(compared.p_adjusted, level))
    for part in pair_chunks(shown.size, values.values.shape[1]):
        some = shown[part]
        gaps = values.values[compared.second[some]] - values.values[compared.first[some]]
        few = bounds.differ_rarely(gaps)
        for pair, gap in zip(some[few].tolist(), gaps[few], strict=True):
            usual = t_tests.interval(gap, level)
            of_gap = bounds.of_differences(limits, [gap])
            low, high = bounds.widened(gap, usual, level, of_gap)
            out[pair] = not low <= 0 <= high
    return out


def decided_by_ties(
    values: TopicValues,
    compared: Pairs,
    over: OverTies | None,
    level: float,
    test: Callable[[Floats], Pairs],
) -> dict[frozenset[str], Ground]:
    """Find pairs with another verdict in expectation over the orders of tied documents than in the
    order of ids.

    Parameters
    ----------
    values : TopicValues
    compared : Pairs
        Their tests.
    over : OverTies or None
        None: nothing is tied.
    level : float
    test : callable
        Tests other values of the same pairs, (n_runs, n_topics).

    Returns
    -------
    dict of frozenset of two runs to Ground
    """
    if over is None:
        return {}
    averaged = over.values.select(values.systems, values.topics)
    both = (values, compared), (averaged, test(averaged.values))
    now, then = (
        (
            tested.difference,
            significant(tested.p_adjusted, level) & shows_more_than_few_topics(of, tested, level),
        )
        for of, tested in both
    )
    return turned(
        values.systems,
        (compared.first, compared.second),
        now,
        then,
        values.higher_is_better,
        over.ground,
    )


def turned(
    runs: Sequence[str],
    pairs: tuple[Ints, Ints],
    now: tuple[Floats, Bools],
    then: tuple[Floats, Bools],
    higher_is_better: bool,
    ground: OfTies,
) -> dict[frozenset[str], Ground]:
    """Give the reason of each pair that has one verdict now, and another one then.

    Parameters
    ----------
    runs : sequence of str
    pairs : two int arrays (n_pairs,)
        Numbers of the first and the second run.
    now, then : float array and bool array (n_pairs,)
        Differences, second minus first, and whether these are significant.
    higher_is_better : bool
    ground : OfTies
    """
    sign = 1 if higher_is_better else -1
    gain = sign * now[0]
    first, second = (np.sign(sign * one) * shown for one, shown in (now, then))
    out = {}
    for k in np.flatnonzero(first != second).tolist():
        two = [runs[pairs[0][k]], runs[pairs[1][k]]]
        words = [f"{two[int(way > 0)]} better" if way else EQUAL for way in (first[k], second[k])]
        worse, better = two if gain[k] >= 0 else reversed(two)
        out[frozenset(two)] = ground(worse, better, *words)
    return out


def codes_of_pairs(
    runs: Sequence[str],
    first: Ints,
    second: Ints,
    gain: Floats,
    shown: Bools,
    against: AgainstClaims,
) -> Any:
    """Return why each pair is not called different: the codes of the worse run, or those of the
    better one in `OF_BOTH`; where the test tells them apart, the codes of both, (n_pairs,).

    Parameters
    ----------
    runs : sequence of str
    first, second : int arrays (n_pairs,)
        Numbers of the runs.
    gain : float array (n_pairs,)
        Gain of the second run's mean, positive if it is better.
    shown : bool array (n_pairs,)
        Whether the difference is significant.
    against : AgainstClaims
    """
    codes, of_runs = np.full(first.size, "", dtype=object), against.codes()
    worse = np.where(gain >= 0, first, second)
    better = first + second - worse
    for number, name in enumerate(runs):
        if of_runs.get(name):
            codes[worse == number] = ", ".join(of_runs[name])
        if of_better := [code for code in of_runs.get(name, ()) if code in OF_BOTH]:
            also = (better == number) & (codes == "")
            codes[also] = ", ".join(of_better)
    numbers = {name: i for i, name in enumerate(runs)}
    pairs = [sorted(numbers[name] for name in two) for two in against.of_ties]
    by_ties = np.isin(first * len(runs) + second, [a * len(runs) + b for a, b in pairs])
    for pair in np.flatnonzero((shown | by_ties) & (codes == "")).tolist():
        found = against.beside(runs[worse[pair]], runs[better[pair]])
        codes[pair] = ", ".join(_codes(found))
    return codes


def _over(difference: Floats, deviation: float) -> Floats:
    """Divide two numbers; 0 / 0 is 0, anything else over 0 is NaN."""
    if deviation > 0:
        return difference / deviation
    return np.where(difference == 0, 0.0, np.nan)
