"""The step-down test, `pairs="stepdown"`: flip the signs of topics, and adjust for many pairs at
once.

For a pair of runs, d_t is the difference on topic t of n. If the runs were equally good, each
topic's difference could as well have the other sign. So the signs of topics are flipped, with the
same sign vector s for all pairs:

    t      mean(d) / (sd(d) / sqrt(n)): Student's statistic of the pair. Flips do not change the sum
           of squares, so |t| rises with |sum_t s_t u_t|, u = d / sqrt(n sum d^2), which lies in [0,
           1] for every pair
    p      of a pair alone: share of the sign vectors with |t(s)| >= |t|, which is Fisher's
           randomisation test
    adjusted p
           with the pairs in the order of |t|, the largest first: share of the sign vectors for
           which any of the pairs from this one on has |t(s)| >= |t| of this pair; at least the
           adjusted p of the pair before

If there are at most `n_permutations` sign vectors, all 2^n are tried and the shares are exact; else
B are drawn, and p = (count + 1) / (B + 1). The chance of calling any pair of equal runs different
is at most the level, whichever other runs differ, if the differences of the equal runs are
symmetric about 0 (for large n, whatever their form).

R. A. Fisher, The design of experiments, 1935; P. H. Westfall and S. S. Young, Resampling-based
multiple testing, Wiley 1993; J. P. Romano and M. Wolf, Exact and approximate stepdown methods for
multiple hypothesis testing, Journal of the American Statistical Association 100 (2005) 94-108,
doi:10.1198/016214504000000539.

Decided here: topics come in ascending order of id and the seed is fixed, so that a pair has the
same p wherever it is tested; a pair without any difference has p = 1; sums that differ only by
rounding count as equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irpref.kernel import Bools, Floats, Ints
from irpref.values import ROUNDING, magnitude, settled
from irpref.values.progress import progress
from irpref_lab.messages import not_accepted
from irpref_lab.trust.samples import Rng, drawing

N_PERMUTATIONS = 10_000
_BLOCK = 500  # sign vectors handled at a time
_NUMBERS = 1 << 22  # numbers of an array held at a time: 32 MB
_SUMS = 10_000_000  # sums of runs held at a time: 80 MB
_MANY = 20_000  # pairs from which on their progress is shown
_EPSILON = float(np.finfo(np.float64).eps)


def check_permutations(n_permutations: Any) -> None:
    """Raise `ValueError` unless this is a valid number of permutations."""
    if (
        isinstance(n_permutations, bool)
        or not isinstance(n_permutations, (int, np.integer))
        or n_permutations < 1
    ):
        raise not_accepted("n_permutations", n_permutations, "an integer of at least 1")


def are_all(n_topics: int, n_permutations: int = N_PERMUTATIONS) -> bool:
    """Tell whether all sign vectors are tried, not a random sample."""
    return n_topics < 63 and 2**n_topics <= n_permutations


def sign_vectors(n_topics: int, n_permutations: int, rng: Rng | None) -> Iterator[Floats]:
    """Yield signs of the topics, -1 or 1: arrays (size, n_topics). Of all vectors only half, as -s
    has the same |t| as s.
    """
    # The size depends only on the number of topics, so that the draws are the same whatever is
    # tested.
    step = max(1, min(_BLOCK, _NUMBERS // n_topics))
    if are_all(n_topics, n_permutations):
        total = 2 ** (n_topics - 1)
        for start in range(0, total, step):
            number = np.arange(start, min(start + step, total))
            yield 1.0 - 2.0 * (number[:, None] >> np.arange(n_topics) & 1)
        return
    draw = drawing(rng)
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        yield 2.0 * draw.integers(0, 2, size=(size, n_topics), dtype=np.int8) - 1.0


def stepdown(
    differences: Floats, n_permutations: int = N_PERMUTATIONS, rng: Rng | None = None
) -> tuple[Floats, Floats]:
    """Return p-values of pairs, alone and adjusted for all.

    Parameters
    ----------
    differences : float array (n_pairs, n_topics)
        Topics in ascending order of id. Set rounding errors to 0 first: they count as differences
        here.
    n_permutations : int
    rng : seed or numpy Generator, optional
        None is seed 0.

    Returns
    -------
    p, p_adjusted : float arrays (n_pairs,)
        In (0, 1]; NaN if a difference is NaN, and such a pair does not count in the adjustment.

    Examples
    --------
    Of the eight sign vectors of 1, 2, 3, two have an absolute sum of at least 6. Of those of 3, 1,
    -1, six have one of at least 3.

    >>> stepdown(np.array([[1.0, 2.0, 3.0], [3.0, 1.0, -1.0]]))
    (array([0.25, 0.75]), array([0.25, 0.75]))
    """
    n_pairs, n_topics = differences.shape
    nothing = np.concatenate([differences, np.zeros((1, n_topics))])
    return stepdown_of_runs(
        nothing, np.arange(n_pairs), np.full(n_pairs, n_pairs), n_permutations, rng
    )


def stepdown_of_runs(
    values: Floats,
    first: Ints,
    second: Ints,
    n_permutations: int = N_PERMUTATIONS,
    rng: Rng | None = None,
) -> tuple[Floats, Floats]:
    """Return p-values of pairs of runs, as `stepdown` of their differences.

    Signs are multiplied with the values of each run, not with the differences of each pair, and
    only one running maximum is kept: from the pair with the smallest |t| on, the largest |t| of any
    pair so far, for each sign vector. So the cost of a pair is a few operations on a vector.

    Parameters
    ----------
    values : float array (n_runs, n_topics)
        Topics in ascending order of id.
    first, second : int arrays (n_pairs,)
        Numbers of the runs of each pair.
    n_permutations, rng : see `stepdown`

    Returns
    -------
    p, p_adjusted : float arrays (n_pairs,)
        See `stepdown`.
    """
    n_topics = values.shape[1]
    length, observed, known = _lengths(values, first, second)
    order = np.argsort(observed, kind="stable")
    pairs = _Pairs(
        values, first[order], second[order], length[order], observed[order] - ROUNDING, known[order]
    )
    alone, joint, total = np.zeros(first.size, np.int64), np.zeros(first.size, np.int64), 0
    for signs in _pieces(values.shape[0], n_topics, n_permutations, rng):
        total += len(signs)
        pairs.count(signs, alone, joint)
    # The observed signs count as one of the drawn.
    one = 0 if are_all(n_topics, n_permutations) else 1
    p, adjusted = np.full(first.size, np.nan), np.full(first.size, np.nan)
    p[order] = (alone + one) / (total + one)
    adjusted[order] = np.maximum.accumulate(((joint + one) / (total + one))[::-1])[::-1]
    p[~known] = adjusted[~known] = np.nan
    return p, adjusted


def _pieces(n_runs: int, n_topics: int, n_permutations: int, rng: Rng | None) -> Iterator[Floats]:
    """Yield sign vectors, (size, n_topics), in pieces whose sums of all runs fit into memory."""
    most = max(_BLOCK, _SUMS // max(n_runs, n_topics))
    held: list[Floats] = []
    for block in sign_vectors(n_topics, n_permutations, rng):
        if held and sum(map(len, held)) + len(block) > most:
            yield np.concatenate(held)
            held = []
        held.append(block)
    yield np.concatenate(held)


class _Pairs:
    """Pairs of runs in ascending order of |t|, to be counted under sign flips."""

    def __init__(
        self,
        values: Floats,
        first: Ints,
        second: Ints,
        length: Floats,
        bound: Floats,
        known: Bools,
    ) -> None:
        self.values = np.where(np.isnan(values), 0.0, values)
        # Less is lost to rounding if the values of a topic are near 0.
        if first.size > values.shape[0]:
            self.values = self.values - self.values.mean(axis=0)
        self.first, self.second, self.bound = first, second, bound
        self.length = length
        counted = known & (length > 0)
        self.scale = np.divide(1.0, length, out=np.zeros_like(length), where=counted)
        # Sums of runs lose the digits of pairs that are nearly equal: these are summed themselves.
        size = np.abs(self.values).max(axis=1, initial=0.0)
        lost = values.shape[1] * _EPSILON * (size[first] + size[second]) * self.scale
        self.apart: Bools = lost > ROUNDING / 4

    def count(self, signs: Floats, alone: Ints, joint: Ints) -> None:
        """Count the sign vectors that reach each pair's |t|, alone and with the pairs before it.

        Parameters
        ----------
        signs : float array (size, n_topics)
        alone, joint : int arrays (n_pairs,)
            Are added to.
        """
        sums = self.values @ signs.T
        largest, now = np.zeros(len(signs)), np.empty(len(signs))
        reached = np.empty(len(signs), bool)
        columns = (self.first, self.second, self.scale, self.bound, self.apart)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        number = self.first.size
        with progress(enumerate(rows), number if number >= _MANY else 0, "pair") as every:
            for i, (a, b, scale, bound, apart) in every:
                if apart:
                    np.matmul(signs, self._unit(i), out=now)
                else:
                    np.subtract(sums[a], sums[b], out=now)
                    np.multiply(now, scale, out=now)
                np.abs(now, out=now)
                np.maximum(largest, now, out=largest)
                alone[i] += np.count_nonzero(np.greater_equal(now, bound, out=reached))
                joint[i] += np.count_nonzero(np.greater_equal(largest, bound, out=reached))

    def _unit(self, i: int) -> Floats:
        """Return the differences of a pair over their length, (n_topics,)."""
        a, b = self.values[self.first[i]], self.values[self.second[i]]
        size = np.maximum(magnitude(a), magnitude(b))
        unit: Floats = settled(a - b, size) * self.scale[i]
        return unit


def _lengths(values: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats, Bools]:
    """Return sqrt(n sum d^2) of each pair, |sum d| over it (0 if all d are 0), and which pairs have
    no NaN.
    """
    length, observed = np.zeros(first.size), np.zeros(first.size)
    known = np.ones(first.size, bool)
    size = magnitude(values)
    step = max(1, _NUMBERS // values.shape[1])
    for start in range(0, first.size, step):
        part = slice(start, start + step)
        a, b = first[part], second[part]
        unit, of_unit, known[part] = _unit(
            settled(values[a] - values[b], np.maximum(size[a], size[b])[:, None])
        )
        length[part], observed[part] = of_unit, np.abs(unit.sum(axis=1))
    return length, observed, known


def _unit(differences: Floats) -> tuple[Floats, Floats, Bools]:
    """Return differences over sqrt(n sum d^2), in the same shape, 0 if all are 0; that length; and
    which pairs have no NaN, (n_pairs,).
    """
    known = np.asarray(~np.isnan(differences).any(axis=1))
    largest = np.abs(differences).max(axis=1, initial=0.0, keepdims=True)
    whole = known[:, None] & (largest > 0)
    unit = np.divide(differences, largest, out=np.zeros_like(differences), where=whole)
    length = np.sqrt(unit.shape[1] * (unit**2).sum(axis=1, keepdims=True))
    of_pair = np.where(whole, length * largest, 0.0)[:, 0]
    return np.divide(unit, length, out=np.zeros_like(unit), where=whole), of_pair, known
