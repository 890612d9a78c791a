"""Swap rate: given a difference on one set of topics, how likely is the opposite on another?

For each pair of systems and each pair of samples Q, Q'

    D = M(x,Q) - M(y,Q)      D' = M(x,Q') - M(y,Q')      a swap: D D' < 0

Observations are binned by |D|; the swap rate of a bin is its share of swaps. The difference
required is the lower edge of the first bin whose rate is at most 5 %; sensitivity is the share of
all observations with at least this difference.

E. M. Voorhees and C. Buckley, The effect of topic set size on retrieval experiment error, SIGIR
2002, 316-323, doi:10.1145/564376.564432; with samples drawn with replacement, as in T. Sakai, SIGIR
2006, 695-696, doi:10.1145/1148170.1148322, table 1.

The papers leave these open; decided here: D D' = 0 is not a swap (some scripts count it as one);
rates may rise again after the first bin that qualifies; a bin without observations has no rate and
does not qualify, nor does the one from 0 without a swap: its differences may all be 0, as with
coarse measures."""

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

EDGES = tuple(i / 100 for i in range(21))


@dataclass(frozen=True, eq=False)
class Swap(Result):
    """Swaps by the size of the difference.

    `table()` has a row for each bin: measure, difference (lower edge), observations, swaps, rate;
    `summary()` has difference_required and sensitivity at a swap rate of 5 %.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    edges : float array (n_bins,)
        Lower edge of each bin; the last bin has no upper edge.
    observations, swaps : int arrays (n_bins,)
    """

    edges: Floats
    observations: Ints
    swaps: Ints

    @property
    def rate(self) -> Floats:
        """Share of swaps in each bin: shape (n_bins,), NaN without observations."""
        some = self.observations > 0
        rate: Floats = np.divide(
            self.swaps, self.observations, out=np.full(some.size, np.nan), where=some
        )
        return rate

    def _first(self, rate: float) -> int | None:
        good = np.flatnonzero((self.rate <= rate) & ((self.edges > 0) | (self.swaps > 0)))
        return int(good[0]) if good.size else None

    def difference_required(self, rate: float = 0.05) -> float:
        """Return the lower edge of the first bin with a swap rate of at most `rate`, NaN without
        such a bin: lower is better.
        """
        first = self._first(rate)
        return np.nan if first is None else float(self.edges[first])

    def sensitivity(self, rate: float = 0.05) -> float:
        """Compute the share of observations with at least the difference required, 0 if no
        difference suffices.
        """
        first = self._first(rate)
        if first is None:
            return 0.0
        return float(self.observations[first:].sum() / self.observations.sum())

    def table(self) -> pd.DataFrame:
        """Return a row for each bin."""
        return self._frame(
            difference=self.edges, observations=self.observations, swaps=self.swaps, rate=self.rate
        )

    def summary(self) -> pd.DataFrame:
        """Return the difference required and the sensitivity at a swap rate of 5 %."""
        return self._frame(
            difference_required=[self.difference_required()], sensitivity=[self.sensitivity()]
        )


def swap(
    values: MeasureValues,
    *,
    edges: ArrayLike = EDGES,
    n_samples: int = 1000,
    rng: Rng | None = None,
    samples: Iterable[ArrayLike] | None = None,
) -> Swap:
    """Compute swap rates by the size of the difference.

    Parameters
    ----------
    values : TopicValues, or the result of `pt.Experiment(perquery=True)` for one measure
    edges : rising lower edges of the bins, from 0
    n_samples : int
        Pairs of samples of as many topics as there are, drawn with replacement.
    rng : seed or Generator, optional
        Seed 0 if not given.
    samples : pair of int arrays (n_samples, size), optional
        Topic numbers of Q and Q', if you do not want them drawn. Voorhees and Buckley use disjoint
        halves.

    Raises
    ------
    ValueError
        Edges that do not rise from 0; fewer than two systems.

    Examples
    --------
    >>> from irpref_lab.meta import TopicValues
    >>> two = TopicValues("AP", ["a", "b"], ["q1", "q2"], [[0.9, 0.3], [0.2, 0.4]])
    >>> seen = swap(two, edges=[0, 0.2], samples=([[0], [1], [1]], [[1], [0], [1]]))
    >>> seen.table()
      measure  difference  observations  swaps  rate
    0      AP         0.0             2      1   0.5
    1      AP         0.2             1      1   1.0
    """
    values = one_of(values)
    if samples is None:
        samples = drawing(rng).integers(0, values.n_topics, (2, n_samples, values.n_topics))
    lower = np.asarray(edges, dtype=np.float64)
    if lower.ndim != 1 or not lower.size or lower[0] != 0 or (np.diff(lower) <= 0).any():
        raise ArgumentError(
            f"edges must rise from 0, got {lower.tolist()}", parameter="edges", value=edges
        )
    here, there = (counts(s, values.n_topics) for s in samples)
    if here.shape != there.shape:
        raise ArgumentError(
            f"both sets of samples must have as many samples, got {len(here)} and {len(there)}",
            parameter="samples",
        )
    sizes = here[0].sum(), there[0].sum()
    first, second = pairs_of_systems(values.n_systems)
    noise = ROUNDING * np.abs(values.matrix).max()
    observations = np.zeros(lower.size, dtype=np.int64)
    swaps = np.zeros_like(observations)
    for part in pair_chunks(first.size, len(here)):
        apart = (values.matrix[first[part]] - values.matrix[second[part]]).T
        d, other = here @ apart / sizes[0], there @ apart / sizes[1]
        d[np.abs(d) <= noise] = 0.0
        other[np.abs(other) <= noise] = 0.0
        swapped = np.sign(d) * np.sign(other) < 0
        bins = np.searchsorted(lower, np.abs(d) + noise, side="right") - 1
        observations += np.bincount(bins.ravel(), minlength=lower.size)
        swaps += np.bincount(bins[swapped], minlength=lower.size)
    return Swap(values.measure, tuple(values.systems), lower, observations, swaps)
