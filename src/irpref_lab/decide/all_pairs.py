"""Tests of all pairs of runs: which differences are unlikely to be chance, given so many
comparisons?

Each method gives every pair a p-value adjusted for the number of pairs, so that the chance of
calling any pair of equal runs different stays at the level of the test (family-wise error). With m
runs and n topics:

    stepdown          sign flips of the topics, and step-down maxima of t: see
                      `irpref_lab.decide.sign_flips`. A run that is far from all others does not
                      affect their p-values
    holm              paired t-tests, adjusted after Holm
    tukey             the studentised range distribution with (m - 1)(n - 1) degrees of freedom at
                      |difference| / sqrt(V / n), V the residual variance of the two-way analysis of
                      variance: Tukey's honestly significant difference
    randomised_tukey  the same without its assumptions: the values of each topic are given to the
                      runs in random order, and the largest difference of two means is noted. p =
                      share of such orders in which it is at least the difference of the pair. All
                      (m!)^(n - 1) orders that can differ are tried if there are no more than
                      `n_permutations`; else B are drawn, and p = (count + 1) / (B + 1), since the
                      observed order is one of them

B. Carterette, Multiple testing in statistical analysis of systems-based information retrieval
experiments, ACM TOIS 30 (2012) 4, doi:10.1145/2094072.2094076; T. Sakai, Laboratory experiments in
information retrieval, Springer 2018, doi:10.1007/978-981-13-1199-4; S. Holm, Scandinavian Journal
of Statistics 6 (1979) 65-70.

An effect size is a difference over sqrt(V) (Sakai, chapter 5): how many standard deviations the
runs are apart on a topic once the topic's difficulty is removed. Unlike a p-value it does not
depend on the number of topics. Unlike the paired effect size, which uses the standard deviation of
two runs, it is on one scale for all pairs.

Decided here: all measures get the same permutations; differences that are only rounding count as 0;
if V is 0 and runs differ, `tukey` and `holm` have nothing to test against and give NaN."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from irpref.errors import ArgumentError
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.messages import IrprefWarning, check_choice, warn_user
from irpref.values.means import ROUNDING, magnitude, settled
from irpref_lab.decide.sign_flips import N_PERMUTATIONS, are_all, check_permutations, stepdown
from irpref_lab.decide.significance import holm
from irpref_lab.trust.design import residual_variance
from irpref_lab.trust.samples import Rng, drawing, fixed_seed, pairs_of_systems

PAIRS, LEVEL = "stepdown", 0.95  # the test and its level, unless you choose others
METHODS = ("stepdown", "holm", "tukey", "randomised_tukey", "none")
_PIECE = 1 << 15  # systems times permutations handled at a time: their sums stay in the cache
_NODES = 192  # of the interpolation of the studentised range
_SCALE = 4.0  # half of these nodes lie below it


@dataclass(frozen=True, eq=False)
class Pairs:
    """Tests of pairs of runs by one measure.

    Attributes
    ----------
    first, second : int arrays (n_pairs,)
        Numbers of the runs: in the order of `numpy.triu_indices(n_runs, 1)`, or every other run and
        the baseline.
    difference : float array (n_pairs,)
        Mean of the first minus mean of the second.
    effect_size : float array (n_pairs,)
        0 if nothing differs; NaN if a difference does not vary at all.
    p : float array (n_pairs,)
        P-value of this pair alone, two-sided: by sign flips, whichever other runs there are; with
        `holm` by the paired t-test that it adjusts.
    p_adjusted : float array (n_pairs,)
        P-value adjusted for all pairs; NaN for `none`.
    """

    first: Ints
    second: Ints
    difference: Floats
    effect_size: Floats
    p: Floats
    p_adjusted: Floats

    def different(self, level: float) -> Bools:
        """Which runs are significantly different: a symmetric matrix (n_runs, n_runs)."""
        n = int(self.second.max()) + 1
        out = np.zeros((n, n), bool)
        out[self.first, self.second] = out[self.second, self.first] = significant(
            self.p_adjusted, level
        )
        return out


def significant(p: ArrayLike, level: float) -> Bools:
    """Which p-values are at most 1 - level; NaN is not."""
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
    """Test, family, level and permutations in one line; `n_topics` is None if groups of topics are
    tested.
    """
    names = {
        "stepdown": "step-down sign-flip t-test",
        "holm": "paired t-tests adjusted after Holm",
        "tukey": "Tukey's HSD test",
        "randomised_tukey": f"randomised Tukey HSD test, at most {n_permutations:,} permutations",
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
    method: str = "stepdown",
    n_permutations: int = N_PERMUTATIONS,
    rng: Rng | None = None,
    baseline: int | None = None,
) -> Pairs:
    """Test all pairs of runs, or all with a baseline.

    Parameters
    ----------
    values : float array (n_runs, n_topics)
        Topics in ascending order of id.
    method : {'stepdown', 'holm', 'tukey', 'randomised_tukey', 'none'}
    n_permutations : int
        For sign flips and `randomised_tukey`.
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
        first = np.delete(np.arange(n_runs), baseline)
        second = np.full(n_runs - 1, baseline)
    means, magnitudes, seed = values.mean(axis=1), magnitude(values), fixed_seed(rng)
    size = np.maximum(magnitudes[first], magnitudes[second])
    difference = settled(means[first] - means[second], size)
    by_topic = settled(values[first] - values[second], size[:, None])
    variance = residual_variance(values)
    if method == "holm":
        p = _t_tests(by_topic)
        p_adjusted = np.array(holm(p.tolist()))
    else:
        p, p_adjusted = stepdown(by_topic, n_permutations, seed)
    if method == "tukey":
        # Tukey's honestly significant difference for paired data.
        q = _over(np.abs(difference), math.sqrt(variance / n_topics))
        p_adjusted = _studentised_range(q, n_runs, (n_runs - 1) * (n_topics - 1))
    elif method == "randomised_tukey":
        p_adjusted = randomised_tukey(values, difference, n_permutations, seed)
    elif method == "none":
        p_adjusted = np.full_like(p, np.nan)
    if method in ("holm", "tukey") and (
        lost := int(np.isnan(p_adjusted).sum() - np.isnan(difference).sum())
    ):
        pairs = "a pair" if lost == 1 else f"{lost:,} pairs"
        warn_user(
            f"{method} has no p-value for {pairs} whose difference is the same in every topic; "
            f"stepdown has",
            IrprefWarning,
            parameter="pairs",
            value=method,
        )
    return Pairs(first, second, difference, _over(difference, math.sqrt(variance)), p, p_adjusted)


def _over(difference: Floats, deviation: float) -> Floats:
    """Quotients; 0 / 0 is 0, anything else over 0 is NaN."""
    if deviation > 0:
        return difference / deviation
    return np.where(difference == 0, 0.0, np.nan)


def _t_tests(differences: Floats) -> Floats:
    """P-values of paired t-tests, two-sided, (n_pairs,): 1 if all differences are 0, NaN if equal
    but not 0.
    """
    n = differences.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / math.sqrt(n))
    t[np.ptp(differences, axis=1) <= ROUNDING * np.abs(differences).max(axis=1)] = np.nan
    p: Floats = 2 * special.stdtr(n - 1, -np.abs(t))
    p[(differences == 0).all(axis=1)] = 1.0
    return p


def _studentised_range(q: Floats, n_runs: int, df: int) -> Floats:
    """Chance that a studentised range exceeds q: shape as `q`, NaN stays."""
    from scipy.stats import studentized_range

    different, back = np.unique(q, return_inverse=True)
    known = ~np.isnan(different)
    out = np.full(different.size, np.nan)
    if different.size <= _NODES:
        out[known] = studentized_range.sf(different[known], n_runs, df)
    else:
        # One evaluation takes 10 ms, and 129 runs have 8,256 pairs. As a function of q / (q + c) it
        # is so smooth that a polynomial through 192 points is as exact as scipy's own integration
        # (1e-11).
        x = 2 * different[known] / (different[known] + _SCALE) - 1
        out[known] = np.polynomial.chebyshev.chebval(x, np.array(_coefficients(n_runs, df)))
    out[different == 0] = 1.0
    return np.clip(out, 0.0, 1.0)[back.reshape(q.shape)]


@lru_cache(maxsize=64)
def _coefficients(n_runs: int, df: int) -> tuple[float, ...]:
    """Chebyshev series of `studentized_range.sf`, as a function of 2 q / (q + c) - 1."""
    from scipy.stats import studentized_range

    x = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    values = studentized_range.sf(_SCALE * (1 + x) / (1 - x), n_runs, df)
    return tuple(np.polynomial.chebyshev.chebfit(x, values, _NODES - 1).tolist())


def randomised_tukey(
    values: Floats, difference: Floats, n_permutations: int, rng: Rng | None
) -> Floats:
    """P-values of the randomised Tukey test of these differences of means: shape as
    `difference`.
    """
    n_runs, n_topics = values.shape
    every = math.factorial(n_runs) ** (n_topics - 1)
    exact, total = every <= n_permutations, min(every, n_permutations)
    draw, by_topic, largest = drawing(rng), np.ascontiguousarray(values.T), np.empty(total)
    step = max(1, _PIECE // n_runs)
    for start in range(0, total, step):
        number = np.arange(start, min(start + step, total))
        # Renaming all runs does not change the largest difference, so the first topic is not
        # permuted.
        sums = np.tile(by_topic[0], (number.size, 1))
        for t, order in enumerate(_orders(n_runs, n_topics, number, None if exact else draw), 1):
            sums += by_topic[t][order]
        largest[number] = np.ptp(sums, axis=1) / n_topics
    # Sums of the same values in another order differ in their last digits and must count as equal.
    bound = np.abs(difference) - ROUNDING * np.abs(values).max()
    count = total - np.searchsorted(np.sort(largest), bound, side="left")
    return count / total if exact else (count + 1) / (total + 1)


def _orders(
    n_runs: int, n_topics: int, number: Ints, draw: np.random.Generator | None
) -> Iterator[Ints]:
    """For each topic but the first, which run gets the value of which: int arrays (n_orders,
    n_runs).
    """
    if draw is not None:
        straight = np.tile(np.arange(n_runs), (number.size, 1))
        yield from (draw.permuted(straight, axis=1) for _ in range(n_topics - 1))
        return
    table = np.array(list(itertools.permutations(range(n_runs))))
    yield from (table[number // len(table) ** t % len(table)] for t in range(n_topics - 1))
