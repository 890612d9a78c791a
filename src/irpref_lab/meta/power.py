"""Discriminative power: for what share of system pairs does a measure find a significant
difference?

Each pair of systems gets a paired bootstrap test. With z the n differences by topic and w = z -
mean(z),

    t(z) = mean(z) / (sd(z) / sqrt(n))         sd with n - 1
    t_b  = t of w resampled with replacement, b = 1 ... B
    ASL  = #{b : |t_b| >= |t(z)|} / B          achieved significance level, two-sided

    discriminative power = share of pairs with ASL < alpha
    difference required  = |mean(w_b)| of the ceil(B alpha)-th largest |t_b|; the maximum over the
                         pairs

T. Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006, 525-532,
doi:10.1145/1148170.1148261.

Decided here: t is 0 for 0/0 and infinite for anything else over 0, so that two identical systems
have ASL 1. (Some software has NaN there: no t_b reaches it, so ASL is 0 and the pair counts as
significant.) Of samples with equal |t_b| the earlier one comes first."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from irpref.errors import ArgumentError
from irpref.kernel import Floats
from irpref.values import MeasureValues, magnitude, settled
from irpref_lab.arguments import check_share
from irpref_lab.meta.result import Result
from irpref_lab.meta.values import one_of
from irpref_lab.trust.samples import Rng, counts, drawing, pair_chunks, pairs_of_systems

# A variance is a difference of sums; below this share it is rounding error, set to 0.
_NO_VARIANCE = 1e-13
# Tolerance: equal statistics computed in two ways may differ in their last digits.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class DiscriminativePower(Result):
    """Bootstrap tests of all pairs of systems.

    `table()` has a row for each pair: measure, system, other, difference, asl, required;
    `summary()` has power and difference_required.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    asl : float array (n_pairs,)
        Achieved significance level; pairs in the order of `numpy.triu_indices(n_systems, 1)`.
    difference : float array (n_pairs,)
        Difference of the means of the pair, second minus first.
    required : float array (n_pairs,)
        Difference that would have been significant at `alpha`.
    alpha : float
    """

    asl: Floats
    difference: Floats
    required: Floats
    alpha: float

    @property
    def power(self) -> float:
        """Share of pairs with ASL < alpha: in [0, 1], higher is better."""
        return float((self.asl < self.alpha).mean())

    @property
    def difference_required(self) -> float:
        """Largest difference required by any pair; lower is better."""
        return float(self.required.max())

    def matrix(self) -> Floats:
        """Return the ASL of each pair: shape (n_systems, n_systems), symmetric, 1 on the
        diagonal.
        """
        out = np.ones((len(self.systems), len(self.systems)))
        first, second = pairs_of_systems(len(self.systems))
        out[first, second] = out[second, first] = self.asl
        return out

    def table(self) -> pd.DataFrame:
        """Return a row for each pair."""
        names = np.array(self.systems, dtype=object)
        first, second = pairs_of_systems(names.size)
        return self._frame(
            system=names[first],
            other=names[second],
            difference=self.difference,
            asl=self.asl,
            required=self.required,
        )

    def summary(self) -> pd.DataFrame:
        """Return the power and the difference required."""
        return self._frame(power=[self.power], difference_required=[self.difference_required])


def discriminative_power(
    values: MeasureValues,
    *,
    alpha: float = 0.05,
    n_samples: int = 1000,
    rng: Rng | None = None,
    samples: ArrayLike | None = None,
) -> DiscriminativePower:
    """Test every pair of systems by the bootstrap.

    Parameters
    ----------
    values : TopicValues, or the result of `pt.Experiment(perquery=True)` for one measure
    alpha : float
        Significance level.
    n_samples : int
    rng : seed or Generator, optional
        Seed 0 if not given. The same seed gives the same samples for all measures with the same
        number of topics.
    samples : int array (n_samples, n_topics), optional
        Topic numbers, if you do not want them drawn.

    Raises
    ------
    ValueError
        `alpha` outside (0, 1); fewer than two systems or topics.

    Examples
    --------
    The differences are 1 and 3, so t(z) = 2; of the three samples of -1 and 1, only the last has a
    t of at least 2 in absolute value:

    >>> from irpref_lab.meta import TopicValues
    >>> two = TopicValues("DCG", ["a", "b"], ["q1", "q2"], [[3, 4], [2, 1]])
    >>> discriminative_power(two, samples=[[0, 1], [1, 0], [1, 1]]).asl
    array([0.33333333])
    """
    values = one_of(values)
    alpha = check_share("alpha", alpha)
    if values.n_topics < 2:
        raise ArgumentError("a test needs at least 2 topics", parameter="values")
    if samples is None:
        samples = drawing(rng).integers(0, values.n_topics, (n_samples, values.n_topics))
    times = counts(samples, values.n_topics)
    n_samples, size = times.shape[0], int(times[0].sum())
    if size < 2:
        raise ArgumentError("a test needs samples of at least 2 topics", parameter="samples")
    first, second = pairs_of_systems(values.n_systems)
    rank = math.ceil(n_samples * alpha - 1e-9) - 1
    asl, difference, required = np.empty((3, first.size))
    for part in pair_chunks(first.size, n_samples):
        one, other = values.matrix[first[part]], values.matrix[second[part]]
        z, size_of = other - one, np.maximum(magnitude(one), magnitude(other))
        difference[part] = settled(z.mean(axis=1), size_of)
        w = z - difference[part, None]
        # Constant differences leave only the rounding of their mean.
        w[np.abs(w) <= _NO_VARIANCE * np.abs(z).max(axis=1, keepdims=True)] = 0.0
        seen = _t(difference[part], (w**2).sum(axis=1) / (values.n_topics - 1), values.n_topics)
        mean = times @ w.T / size
        squares = times @ (w**2).T
        spread = squares - size * mean**2
        spread[spread <= _NO_VARIANCE * squares] = 0.0
        mean[np.abs(mean) <= _NO_VARIANCE * np.abs(w).max(axis=1)] = 0.0
        t = np.abs(_t(mean, spread / (size - 1), size))
        asl[part] = (t >= np.abs(seen) * (1 - _SAME)).mean(axis=0)
        # Single precision makes statistics equal that differ in their last digits, so that the
        # earlier comes first.
        chosen = np.argsort(-t.astype(np.float32), axis=0, kind="stable")[rank]
        required[part] = np.abs(mean[chosen, np.arange(mean.shape[1])])
    return DiscriminativePower(
        values.measure, tuple(values.systems), asl, difference, required, alpha
    )


def _t(mean: Floats, variance: Floats, n: int) -> Floats:
    """Compute Student's statistic: 0/0 is 0, anything else over 0 infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(variance / n)
    return np.where(np.isnan(t), 0.0, t)
