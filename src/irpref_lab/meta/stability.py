"""Stability: how often do two samples of topics disagree about which of two systems is better?

For each pair of systems x, y and each sample of topics Q

    margin = f max(|M(x,Q)|, |M(y,Q)|)
    |M(x,Q) - M(y,Q)| < margin: a tie (EQ), else x is better (GT) or y is (LT)

    minority rate      = sum over pairs of min(GT, LT) / sum of (GT + LT + EQ)
    proportion of ties = sum of EQ                     / the same

M(x, Q)  mean of the measure for system x over the topics of Q, with repeats
f        fuzziness: differences below this share of the larger mean count as ties

A good measure has few reversals with few ties: plot minority rate against proportion of ties; the
lower and the further left the curve, the more stable the measure.

C. Buckley and E. M. Voorhees, Evaluating evaluation measure stability, SIGIR 2000, 33-40,
doi:10.1145/345508.345543; with samples drawn with replacement, as in T. Sakai, SIGIR 2006, 695-696,
doi:10.1145/1148170.1148322, figure 2.

The papers leave these open; decided here: a difference equal to the margin is not a tie, except
that equal means are always a tie (even two means of 0); means count by their absolute size, for
measures that can be negative."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from irpref.errors import ArgumentError
from irpref.kernel import Floats, Ints
from irpref.values import ROUNDING, MeasureValues
from irpref_lab.meta.result import Result
from irpref_lab.meta.values import one_of
from irpref_lab.trust.samples import Rng, counts, drawing, pair_chunks, pairs_of_systems

FUZZINESS = tuple(i / 100 for i in range(1, 11))


@dataclass(frozen=True, eq=False)
class Stability(Result):
    """Reversals and ties between samples of topics.

    `table()` has a row for each fuzziness: measure, fuzziness, minority_rate, ties; `summary()` the
    one at 5 %.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    fuzziness : float array (n_levels,), rising
    greater, less : int arrays (n_levels, n_pairs)
        Samples in which the first (second) system of the pair is better. Pairs in the order of
        `numpy.triu_indices(n_systems, 1)`.
    n_samples : int
    """

    fuzziness: Floats
    greater: Ints
    less: Ints
    n_samples: int

    @property
    def minority_rate(self) -> Floats:
        """Share of comparisons against the majority of their pair: shape (n_levels,), 0 is best."""
        observations = self.n_samples * self.greater.shape[1]
        rate: Floats = np.minimum(self.greater, self.less).sum(axis=1) / observations
        return rate

    @property
    def ties(self) -> Floats:
        """Share of comparisons that are ties: shape (n_levels,)."""
        observations = self.n_samples * self.greater.shape[1]
        decided: Floats = (self.greater + self.less).sum(axis=1) / observations
        return 1 - decided

    def table(self) -> pd.DataFrame:
        """Return a row for each fuzziness."""
        return self._frame(
            fuzziness=self.fuzziness, minority_rate=self.minority_rate, ties=self.ties
        )

    def summary(self) -> pd.DataFrame:
        """Return minority rate and ties at 5 %."""
        at = [np.argmin(np.abs(self.fuzziness - 0.05))]
        return self._frame(minority_rate=self.minority_rate[at], ties=self.ties[at])


def stability(
    values: MeasureValues,
    *,
    fuzziness: Iterable[float] = FUZZINESS,
    n_samples: int = 1000,
    rng: Rng | None = None,
    samples: ArrayLike | None = None,
) -> Stability:
    """Compute minority rate and proportion of ties over a range of fuzziness.

    Parameters
    ----------
    values : TopicValues, or the result of `pt.Experiment(perquery=True)` for one measure
    fuzziness : share of the larger mean below which a difference is a tie
    n_samples : int
        Samples of as many topics as there are, drawn with replacement.
    rng : seed or Generator, optional
        Seed 0 if not given. The same seed gives the same samples for every measure with the same
        number of topics.
    samples : int array (n_samples, size), optional
        Topic numbers, if you do not want them drawn.

    Raises
    ------
    ValueError
        A negative fuzziness; fewer than two systems.

    Examples
    --------
    System a wins on q1, b wins on q2, and over both topics they are tied:

    >>> from irpref_lab.meta import TopicValues
    >>> two = TopicValues("AP", ["a", "b"], ["q1", "q2"], [[1, 0], [0, 1]])
    >>> stability(two, samples=[[0, 1], [0, 0], [1, 1]], fuzziness=[0.05]).table()
      measure  fuzziness  minority_rate      ties
    0      AP       0.05       0.333333  0.333333
    """
    values = one_of(values)
    if samples is None:
        samples = drawing(rng).integers(0, values.n_topics, (n_samples, values.n_topics))
    levels = np.unique(np.asarray(list(fuzziness), dtype=np.float64))
    if not levels.size or levels[0] < 0 or not np.isfinite(levels).all():
        raise ArgumentError(
            f"fuzziness must be numbers of at least 0, got {list(levels)}",
            parameter="fuzziness",
            value=fuzziness,
        )
    times = counts(samples, values.n_topics)
    n, size = times.shape[0], int(times[0].sum())
    first, second = pairs_of_systems(values.n_systems)
    means = np.abs(times @ values.matrix.T) / size
    noise = ROUNDING * np.abs(values.matrix).max()
    greater = np.zeros((levels.size, first.size), dtype=np.int64)
    less = np.zeros_like(greater)
    for part in pair_chunks(first.size, n):
        x, y = first[part], second[part]
        # Subtract before multiplying, so that equal systems differ by exactly 0.
        difference = times @ (values.matrix[x] - values.matrix[y]).T / size
        larger = np.maximum(means[:, x], means[:, y])
        gap = np.abs(difference)
        share = np.divide(gap, larger, out=np.zeros_like(gap), where=larger > 0)
        # Number of levels at which the comparison is not a tie: those up to its share.
        decided = np.searchsorted(levels, share + ROUNDING, side="right")
        decided[gap <= noise] = 0
        for out, wins in ((greater, difference > 0), (less, difference < 0)):
            out[:, part] = _at_least(np.where(wins, decided, 0), levels.size)
    return Stability(values.measure, tuple(values.systems), levels, greater, less, n)


def _at_least(decided: Ints, n_levels: int) -> Ints:
    """Count the samples decided at each level: (n_samples, k) numbers of levels to (n_levels,
    k).
    """
    k = decided.shape[1]
    at = decided + (n_levels + 1) * np.arange(k)
    number = np.bincount(at.ravel(), minlength=k * (n_levels + 1)).reshape(k, n_levels + 1)
    return number[:, ::-1].cumsum(axis=1)[:, -2::-1].T
