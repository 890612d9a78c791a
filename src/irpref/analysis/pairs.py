"""All pairs of runs tested at once: which differences would hardly come about by chance among so many runs?

Each method gives every pair a p-value adjusted for the number of pairs, so that the chance that any pair of equal runs
is called different stays at the level of the test (family-wise error). With m runs and n topics:

    randomised_tukey  the values of each topic are given to the runs in random order, and the largest difference of two
                      means is noted. p = share of such orders where it is at least the difference of the pair (Tukey's
                      honestly significant difference without its assumptions). All (m!)^(n - 1) orders that can differ
                      are tried where they are at most as many as the permutations asked for; else, of B drawn ones
                      p = (count + 1) / (B + 1), the order observed being one of them
    tukey             the same of the studentised range distribution with (m - 1)(n - 1) degrees of freedom at
                      |difference| / sqrt(V / n), V the residual variance of the two-way analysis of variance
    holm              paired t-tests, adjusted after Holm

B. Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, ACM TOIS 30
(2012) 4, doi:10.1145/2094072.2094076; T. Sakai, Laboratory experiments in information retrieval, Springer 2018,
doi:10.1007/978-981-13-1199-4; S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.

Effect sizes are differences over sqrt(V) (Sakai, chapter 5): how many standard deviations the runs lie apart on a topic
once the topic's difficulty is taken out. Unlike a p-value it does not grow with the number of topics, and unlike the
paired one, whose deviation is that of two runs, it is on one scale for all pairs.

Decided here: the same permutations serve all measures; differences of less than 1e-12 of the largest value are rounding
and count as equal; where V is 0 and runs differ, `tukey` and `holm` have nothing to test against and give NaN.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from irpref.analysis.significance import SAME, corrected
from irpref.analysis.topics import drawing
from irpref.arrays.segments import Floats, Ints
from irpref.values.design import residual_variance
from irpref.values.means import ROUNDING, magnitude, settled
from irpref.values.samples import Rng, all_pairs

METHODS = ("randomised_tukey", "tukey", "holm", "none")
N_PERMUTATIONS = 10_000
_PIECE = 1 << 15  # systems times permutations handled at a time: their sums stay in the cache
_NODES = 192  # of the interpolation of the studentised range
_SCALE = 4.0  # of it: half of the nodes lie below


@dataclass(frozen=True, eq=False)
class Pairs:
    """Tests of all pairs of runs by one measure; pairs in the order of `numpy.triu_indices(n_runs, 1)`.

    Attributes
    ----------
    first, second : int arrays (n_pairs,)
        The runs, by number.
    difference : float array (n_pairs,)
        Mean of the first minus mean of the second.
    effect_size : float array (n_pairs,)
        0 where nothing differs; NaN where a difference does not vary at all.
    p : float array (n_pairs,)
        Paired t-test of this pair alone, two-sided.
    p_adjusted : float array (n_pairs,)
        NaN throughout for `none`.
    """

    first: Ints
    second: Ints
    difference: Floats
    effect_size: Floats
    p: Floats
    p_adjusted: Floats

    def matrix(self, of: Floats, diagonal: float) -> Floats:
        """Values of the pairs (n_pairs,) as a symmetric matrix (n_runs, n_runs)."""
        n = int(self.second.max()) + 1
        out = np.full((n, n), diagonal)
        out[self.first, self.second] = out[self.second, self.first] = of
        return out


def check_method(method: Any) -> None:
    """`ValueError` for a method of comparison that is not known."""
    from irpref.messages import did_you_mean

    if method not in METHODS:
        names = ", ".join(map(repr, METHODS))
        raise ValueError(f"pairs={method!r} is not known, expected one of {names}{did_you_mean(str(method), METHODS)}")


def compare(
    values: Sequence[Floats],
    method: str = "randomised_tukey",
    n_permutations: int = N_PERMUTATIONS,
    rng: Rng | None = None,
) -> list[Pairs]:
    """Test all pairs of runs, by several measures.

    Parameters
    ----------
    values : list of float arrays (n_runs, n_topics)
        One a measure, of the same runs and topics.
    method : {'randomised_tukey', 'tukey', 'holm', 'none'}
    n_permutations : int
        Of `randomised_tukey`.
    rng : seed or numpy Generator, optional
        Of `randomised_tukey`: None is seed 0.

    Returns
    -------
    list of Pairs

    Raises
    ------
    ValueError
        Unknown method, fewer than one permutation, fewer than two runs or topics.
    """
    check_method(method)
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, (int, np.integer)) or n_permutations < 1:
        raise ValueError(f"n_permutations={n_permutations!r} is not accepted, expected an integer of at least 1")
    n_runs, n_topics = values[0].shape
    if n_topics < 2:
        raise ValueError(f"a test needs at least 2 topics, got {n_topics}")
    first, second = all_pairs(n_runs)
    differences = [_differences(of, first, second) for of in values]
    variances = [residual_variance(of) for of in values]
    single = [_t_tests(of, first, second) for of in values]
    if method == "randomised_tukey":
        adjusted = randomised_tukey(values, differences, n_permutations, rng)
    elif method == "tukey":
        pairs_of = zip(differences, variances, strict=True)
        adjusted = [tukey(difference, v, n_runs, n_topics) for difference, v in pairs_of]
    elif method == "holm":
        adjusted = [np.array(corrected(p.tolist(), "holm")) for p in single]
    else:
        adjusted = [np.full(first.size, np.nan) for _ in values]
    return [
        Pairs(first, second, difference, _over(difference, math.sqrt(v)), p, p_adjusted)
        for difference, v, p, p_adjusted in zip(differences, variances, single, adjusted, strict=True)
    ]


def _differences(values: Floats, first: Ints, second: Ints) -> Floats:
    means = values.mean(axis=1)
    of = magnitude(values)
    return settled(means[first] - means[second], np.maximum(of[first], of[second]))


def _over(difference: Floats, deviation: float) -> Floats:
    """Quotients; 0 / 0 is 0, anything else over 0 is NaN."""
    if deviation > 0:
        return difference / deviation
    return np.where(difference == 0, 0.0, np.nan)


def _t_tests(values: Floats, first: Ints, second: Ints) -> Floats:
    """P-values of `significance.t_test`, of all pairs at once: shape (n_pairs,)."""
    from scipy import special

    n = values.shape[1]
    out = np.empty(first.size)
    step = max(1, (1 << 20) // n)
    for start in range(0, first.size, step):
        part = slice(start, start + step)
        z = values[first[part]] - values[second[part]]
        mean = z.mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / (z.std(axis=1, ddof=1) / math.sqrt(n))
        t[np.ptp(z, axis=1) <= SAME] = np.nan
        p = 2 * special.stdtr(n - 1, -np.abs(t))
        p[(np.abs(z) <= SAME).all(axis=1)] = 1.0
        out[part] = p
    return out


def tukey(difference: Floats, variance: float, n_runs: int, n_topics: int) -> Floats:
    """P-values of Tukey's honestly significant difference for paired data: shape as `difference`."""
    q = _over(np.abs(difference), math.sqrt(variance / n_topics))
    return _studentised_range(q, n_runs, (n_runs - 1) * (n_topics - 1))


def _studentised_range(q: Floats, n_runs: int, df: int) -> Floats:
    """Chance that a studentised range exceeds q: shape as `q`, NaN stays."""
    from scipy.stats import studentized_range

    different, back = np.unique(q, return_inverse=True)
    known = ~np.isnan(different)
    out = np.full(different.size, np.nan)
    if different.size <= _NODES:
        out[known] = studentized_range.sf(different[known], n_runs, df)
    else:
        # One evaluation takes 10 ms, and 129 runs have 8,256 pairs. Of q / (q + c) the function is so smooth that a
        # polynomial through 192 points has all digits that scipy's own integration has (1e-11).
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
    values: Sequence[Floats], differences: Sequence[Floats], n_permutations: int, rng: Rng | None
) -> list[Floats]:
    """P-values of the randomised Tukey test of several measures: each of the shape of its differences."""
    n_runs, n_topics = values[0].shape
    orders = _all_orders(n_runs, n_topics, n_permutations)
    exact = orders is not None
    total = _n_orders(n_runs, n_topics, n_permutations) if exact else n_permutations
    if orders is None:
        orders = _drawn_orders(n_runs, n_topics, n_permutations, drawing(rng))
    ranges = _largest_differences(values, orders, total)
    out = []
    for of, difference, spread in zip(values, differences, ranges, strict=True):
        # Sums of the same values in another order differ in their last digits, and are to count as equal.
        bound = np.abs(difference) - ROUNDING * np.abs(of).max()
        count = total - np.searchsorted(np.sort(spread), bound, side="left")
        out.append(count / total if exact else (count + 1) / (total + 1))
    return out


def _n_orders(n_runs: int, n_topics: int, most: int) -> int:
    """(m!)^(n - 1), or something above `most`."""
    total = 1
    for _ in range(n_topics - 1):
        total *= math.factorial(n_runs) if n_runs < 20 else most + 1
        if total > most:
            break
    return total


def _all_orders(n_runs: int, n_topics: int, most: int) -> Iterator[tuple[int, Iterator[Ints]]] | None:
    """Every order of the runs on every topic but the first; None where there are more than `most`."""
    total = _n_orders(n_runs, n_topics, most)
    if total > most:
        return None
    table = np.array(list(itertools.permutations(range(n_runs))))

    def orders() -> Iterator[tuple[int, Iterator[Ints]]]:
        step = max(1, _PIECE // n_runs)
        for start in range(0, total, step):
            number = np.arange(start, min(start + step, total))
            digits = (number // len(table) ** t % len(table) for t in range(n_topics - 1))
            yield number.size, (table[digit] for digit in digits)

    return orders()


def _drawn_orders(
    n_runs: int, n_topics: int, n_permutations: int, draw: np.random.Generator
) -> Iterator[tuple[int, Iterator[Ints]]]:
    # The size of a piece depends on the runs alone, so that a p-value does not depend on the measures beside it.
    step = max(1, _PIECE // n_runs)
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        straight = np.tile(np.arange(n_runs), (size, 1))
        yield size, (draw.permuted(straight, axis=1) for _ in range(n_topics - 1))


def _largest_differences(
    values: Sequence[Floats], orders: Iterator[tuple[int, Iterator[Ints]]], total: int
) -> list[Floats]:
    """Largest difference of two means under each order, by measure: float arrays (total,).

    `orders` yields pieces: how many orders, and for each topic but the first, who gets whose value, (size, n_runs).
    The first topic stays as it is, since giving all runs other names changes no difference.
    """
    n_topics = values[0].shape[1]
    by_topic = np.ascontiguousarray(np.stack(values, axis=2).transpose(1, 0, 2))  # topics, runs, measures
    out = np.empty((len(values), total))
    start = 0
    for size, of_topics in orders:
        sums = np.broadcast_to(by_topic[0], (size, *by_topic[0].shape)).copy()
        taken = np.empty_like(sums)
        for t, order in enumerate(of_topics, 1):
            np.take(by_topic[t], order, axis=0, out=taken, mode="clip")  # the mode that needs no copy
            sums += taken
        out[:, start : start + size] = np.ptp(sums, axis=1).T / n_topics
        start += size
    return list(out)
