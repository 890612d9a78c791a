"""Priority sampling with a judge's grades: arrays only.

A population of N documents, each with a size z > 0 (how much it can move the differences between
runs). Each gets a priority q = z / u, with u uniform in (0, 1]; humans grade documents by falling
priority and stop after the first m. With t, the priority of the next one,

    p = min(1, z / t)                                probability to be among the first m
    e = c + (f - c) / p  if it was graded, else c    estimate of a document's gain f

c is the gain predicted from the judge's grade. Priority sampling: N. Duffield, C. Lund and
M. Thorup, Priority sampling for estimation of arbitrary subset sums, Journal of the ACM 54(6),
2007, doi:10.1145/1314690.1314696. Samples are nested: to go on is to grade the next document.

A prediction must not depend on the random number of its own document, or the estimate is biased. So
each document, graded or not, is predicted from the first m - 1 *other* documents, weighted by 1 / p
with the priority of the m-th other in place of t. Given the other random numbers, the document is
then among the first m with probability p exactly, so the mean of its estimate is f, whatever the
judge says. For a graded document the others are the sample without it, and t stays; for all other
documents they are the sample without its last one, and t is the priority of that one.

c is the weighted mean of f over the documents with the same grade of the judge, drawn towards the
mean of all by two documents of average weight.

A value is the sum of w f over documents with weights w. The variance of its estimate is estimated
by the sum of v = (1 - p) (w (f - c) / p)^2 over the graded documents: given c, the estimates of two
documents are uncorrelated (Duffield et al., theorem 1). Few of these terms can make up most of the
sum, near a census above all, so the quantile is Student's with (sum v)^2 / sum v^2 degrees of
freedom (F. E. Satterthwaite, An approximate distribution of estimates of variance components,
Biometrics Bulletin 2, 1946, doi:10.2307/3002019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from irpref.kernel.segments import Bools, Floats, Ints

FLOOR = 0.2  # share of the sizes that is the same for all documents
PRIOR = 2.0  # documents of average weight that draw the mean of a level towards that of all
MOST_LEVELS = 10  # more grades of a judge are put into this many groups


def sizes(weights: Sequence[Floats]) -> Floats:
    """How much each document can move the differences between runs.

    Parameters
    ----------
    weights : for each measure, float array (n_runs, n_documents)
        What one unit of a document's gain adds to the value of each run.

    Returns
    -------
    float array (n_documents,)
        Root mean square of the weights around their mean over the runs (for two runs, half the
        size of their difference), scaled to a mean of 1, averaged over measures, and mixed with a
        uniform floor. Without the floor, coverage falls if the judge is wrong in one place.
    """
    spreads = [each.std(axis=0) for each in weights]
    scaled = [spread / spread.mean() for spread in spreads if spread.any()]
    return FLOOR + (1 - FLOOR) * np.mean(scaled, axis=0)


def levels(grade: Floats) -> Ints:
    """Levels of a judge's grades, from 0: shape (n_documents,). NaN, no grade, is one of its own.

    Grades of more than ten values are put into ten groups of about equal size."""
    known = grade[~np.isnan(grade)]
    ends = np.unique(known)
    if ends.size > MOST_LEVELS:
        shares = np.arange(1, MOST_LEVELS + 1) / MOST_LEVELS
        ends = np.unique(np.quantile(known, shares, method="inverted_cdf"))
    return np.where(np.isnan(grade), ends.size, np.searchsorted(ends, grade)).astype(np.int64)


def probabilities(size: Floats, priority: Floats, n_judged: int) -> Floats:
    """Probability of each document, all by falling priority, to be among the first `n_judged`."""
    if n_judged >= size.size:
        return np.ones_like(size)
    return np.minimum(1.0, size / priority[n_judged])


def _predicted(level: Ints, n_levels: int, gain: Floats, weight: Floats) -> Floats:
    """Gain of each level: shape (n_levels,). 0 if there is no document."""
    if not gain.size:
        return np.zeros(n_levels)
    total = weight.sum()
    prior = PRIOR * total / gain.size
    added = np.bincount(level, weight * gain, n_levels) + prior * (weight @ gain) / total
    predicted: Floats = added / (np.bincount(level, weight, n_levels) + prior)
    return predicted


def _predicted_from_others(level: Ints, n_levels: int, gain: Floats, weight: Floats) -> Floats:
    """Gain of each document, predicted from all others: shape as `gain`."""
    if gain.size < 2:
        return np.zeros_like(gain)
    product = weight * gain
    total = weight.sum() - weight
    prior = PRIOR * total / (gain.size - 1)
    added = np.bincount(level, product, n_levels)[level] - product
    added += prior * (product.sum() - product) / total
    predicted: Floats = added / (np.bincount(level, weight, n_levels)[level] - weight + prior)
    return predicted


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated gains of all documents, in the order of the plan.

    Attributes
    ----------
    gain : float array (n_documents,)
    residual : float array (n_judged,)
        Gain of the human grade minus the predicted gain.
    probability : float array (n_judged,)
    level : int array (n_documents,)
    size, priority : float array (n_documents,)
    """

    gain: Floats
    residual: Floats
    probability: Floats
    level: Ints
    size: Floats
    priority: Floats

    @property
    def terms(self) -> Floats:
        """(1 - p) ((f - c) / p)^2 of each judged document: shape (n_judged,)."""
        terms: Floats = (1 - self.probability) * (self.residual / self.probability) ** 2
        return terms

    def variances(self, weights: Floats) -> tuple[Floats, Floats]:
        """Variances of weighted sums of gains, and their degrees of freedom.

        Parameters
        ----------
        weights : float array (n_rows, n_documents)

        Returns
        -------
        variance, freedom : float arrays (n_rows,)
            0 and infinity if all documents with a weight were judged for certain; NaN and 1 if the
            sample says nothing about the others.
        """
        certain = np.zeros(self.gain.size, bool)
        certain[: self.residual.size] = self.probability >= 1
        v = weights[:, : self.residual.size] ** 2 * self.terms
        variance, squares = v.sum(axis=1), (v**2).sum(axis=1)
        known = variance > 0
        exact = ~(weights[:, ~certain] != 0).any(axis=1)
        freedom = np.divide(variance**2, squares, out=np.ones_like(variance), where=known)
        return (
            np.where(exact, 0.0, np.where(known, variance, np.nan)),
            np.where(exact, np.inf, np.maximum(freedom, 1.0)),
        )

    def further(self, weight: Floats, share: float) -> int:
        """How many more documents would shrink the standard error of a weighted sum to a share.

        Parameters
        ----------
        weight : float array (n_documents,)
        share : float in (0, 1)

        Returns
        -------
        int
            Computed from the priorities of the plan, with the mean squared residual of each level
            for all its documents.
        """
        n, n_judged = self.gain.size, self.residual.size
        n_levels = int(self.level.max()) + 1
        squared = _predicted(
            self.level[:n_judged], n_levels, self.residual**2, 1 / self.probability
        )
        load = weight**2 * squared[self.level]

        def variance(n_graded: int) -> float:
            p = probabilities(self.size, self.priority, n_graded)
            return float((load * (1 - p) / p).sum())

        wanted = variance(n_judged) * share**2
        low, high = n_judged, n  # the variance falls as more documents are graded
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if variance(middle) <= wanted else (middle + 1, high)
        return low - n_judged


def estimated(
    level: Ints, gain: Floats, size: Floats, priority: Floats, n_certain: int
) -> Estimate:
    """Estimate the gain of each document.

    Parameters
    ----------
    level : int array (n_documents,)
        Level of the judge's grade. Documents are in the order of the plan: first `n_certain` ones
        judged before, with infinite size and priority, then the others by falling priority.
    gain : float array (n_judged,)
        Gains of the human grades of the first documents.
    size, priority : float array (n_documents,)
    """
    n_judged = gain.size
    n_levels = int(level.max(initial=0)) + 1
    seen = level[:n_judged]
    p = probabilities(size, priority, n_judged)[:n_judged]
    predicted = _predicted_from_others(seen, n_levels, gain, 1 / p)
    last = max(n_judged - 1, n_certain)
    weight = 1 / probabilities(size, priority, last)[:last]
    of_level = _predicted(seen[:last], n_levels, gain[:last], weight)
    estimate = of_level[level]
    estimate[:n_judged] = predicted + (gain - predicted) / p
    return Estimate(estimate, gain - predicted, p, level, size, priority)


def documents_needed(size: Floats, load: Floats, variance: float) -> int:
    """How many documents to judge, on average, for a variance of a weighted sum.

    Parameters
    ----------
    size : float array (n_documents,)
    load : float array (n_documents,)
        Squared weight times mean squared residual.
    variance : float
    """
    low, high = 0.0, float(size.sum()) / float(size.min())  # of the threshold, size / p
    for _ in range(60):
        middle = (low + high) / 2
        p = np.minimum(1.0, size / middle)
        low, high = (middle, high) if (load * (1 - p) / p).sum() <= variance else (low, middle)
    return int(np.ceil(np.minimum(1.0, size / low).sum())) if low > 0 else size.size


def half_widths(variance: Floats, freedom: Floats, level: float) -> Floats:
    """Half widths of intervals that hold a sum with probability `level`: shape as `variance`."""
    quantile = special.stdtrit(np.minimum(freedom, 1e9), (1 + level) / 2)
    half: Floats = quantile * np.sqrt(variance)
    return half


def repeated(size: Floats, uniform: Floats, judged: Bools) -> bool:
    """Whether judged documents look as if they had been drawn with these same random numbers.

    Parameters
    ----------
    size, uniform : float array (n_documents,)
    judged : bool array (n_documents,)

    Returns
    -------
    bool
        Either the judged documents are exactly those with the highest priorities, or their random
        numbers are so small as those of other documents are once in a million.
    """
    n = int(judged.sum())
    if n in (0, judged.size):
        return False
    priority = size / uniform
    if priority[judged].min() > priority[~judged].max():
        return True
    # The sum of -log u of n independent documents has a gamma distribution.
    return bool(special.gammaincc(n, -np.log(uniform[judged]).sum()) < 1e-6)
