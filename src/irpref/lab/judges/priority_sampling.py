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
mean of all by two documents of average weight, plus the deviation of the topic: what the documents
of the topic exceed these means by, in all, over their weight and that of five more documents. In
some topics humans are more generous than the judge, in others less.

A value is the sum of w f over documents with weights w. The variance V of its estimate is estimated
by the sum of v = (1 - p) (w (f - c) / p)^2 over the graded documents: given c, the estimates of two
documents are uncorrelated (Duffield et al., theorem 1). Few of these terms can make up most of the
sum, so the quantile is Student's. Degrees of freedom are those of a chi-squared variable with the
same relative variance, 2 V^2 / var(V) (F. E. Satterthwaite, An approximate distribution of
estimates of variance components, Biometrics Bulletin 2, 1946, doi:10.2307/3002019). The variance of
a sum over randomly drawn documents is about the sum of v^2, which makes 2 (sum v)^2 / sum v^2; one
is subtracted, so that a single term has one.

If the result is looked at several times, all intervals together hold with the level that is asked
for. Samples are nested, so the correlation of two estimates is about the square root of the ratio
of their variances, and each look only depends on the one before. The bound of all looks, the same
for each (S. J. Pocock, Group sequential methods in the design and analysis of clinical trials,
Biometrika 64, 1977, doi:10.1093/biomet/64.2.191), is computed look by look (P. Armitage,
C. K. McPherson and B. C. Rowe, Repeated significance tests on accumulating data, Journal of the
Royal Statistical Society A 132, 1969, doi:10.2307/2343787)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy import optimize, special

from irpref.kernel.segments import Bools, Floats, Ints

FLOOR = 0.2  # share of the sizes that is the same for all documents
PRIOR = 2.0  # documents of average weight that draw the mean of a level towards that of all
TOPIC_PRIOR = 5.0  # documents of average weight that draw the deviation of a topic towards 0
_MOST_LOOKS = 20  # more looks count as independent
_NODES, _LEAST_SPREAD = 80, 0.2  # of the integral over the estimates of two looks
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


def _level_means(level: Ints, n_levels: int, gain: Floats, weight: Floats) -> Floats:
    """Mean gain of each level, drawn towards that of all: shape (n_levels,)."""
    total = weight.sum()
    prior = PRIOR * total / gain.size
    added = np.bincount(level, weight * gain, n_levels) + prior * (weight @ gain) / total
    means: Floats = added / (np.bincount(level, weight, n_levels) + prior)
    return means


@dataclass(frozen=True, eq=False)
class _Graded:
    """Graded documents, from which gains are predicted.

    Attributes
    ----------
    level, topic : int arrays (n_graded,)
    gain, weight : float arrays (n_graded,)
    by_level : float array (n_topics, n_levels)
        Weight of the documents of each topic and level.
    excess : float array (n_topics,)
        Weighted sum of the gains of each topic.
    """

    level: Ints
    topic: Ints
    gain: Floats
    weight: Floats
    by_level: Floats
    excess: Floats

    @classmethod
    def of_documents(
        cls, level: Ints, topic: Ints, gain: Floats, weight: Floats, shape: tuple[int, int]
    ) -> _Graded:
        entry = topic * shape[1] + level
        by_level = np.bincount(entry, weight, shape[0] * shape[1]).astype(np.float64)
        excess = np.bincount(topic, weight * gain, shape[0]).astype(np.float64)
        return cls(level, topic, gain, weight, by_level.reshape(shape), excess)

    def predicted(self, level: Ints, topic: Ints) -> Floats:
        """Gains of other documents: shape as `level`. 0 if there is nothing to predict from."""
        if not self.gain.size:
            return np.zeros(level.size)
        means = _level_means(self.level, self.by_level.shape[1], self.gain, self.weight)
        prior = TOPIC_PRIOR * self.weight.mean()
        deviation = (self.excess - self.by_level @ means) / (self.by_level.sum(axis=1) + prior)
        predicted: Floats = means[level] + deviation[topic]
        return predicted

    def predicted_from_others(self) -> Floats:
        """Gain of each of these documents, predicted from all others: shape (n_graded,)."""
        n = self.gain.size
        if n < 2:
            return np.zeros(n)
        product, rows = self.weight * self.gain, np.arange(n)
        total = self.weight.sum() - self.weight
        mean = (product.sum() - product) / total
        prior = PRIOR * total / (n - 1)
        n_levels = self.by_level.shape[1]
        added: Floats = np.repeat(np.bincount(self.level, product, n_levels)[None], n, axis=0)
        weight: Floats = np.repeat(self.by_level.sum(axis=0)[None], n, axis=0)
        added[rows, self.level] -= product
        weight[rows, self.level] -= self.weight
        means = (added + (prior * mean)[:, None]) / (weight + prior[:, None])
        of_topic: Floats = self.by_level[self.topic]
        of_topic[rows, self.level] -= self.weight
        excess = self.excess[self.topic] - product - (of_topic * means).sum(axis=1)
        prior = TOPIC_PRIOR * total / (n - 1)
        predicted: Floats = means[rows, self.level] + excess / (of_topic.sum(axis=1) + prior)
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
        freedom = np.divide(2 * variance**2, squares, out=np.ones_like(variance), where=known) - 1
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
        squared = _level_means(
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
    level: Ints, topic: Ints, gain: Floats, size: Floats, priority: Floats, n_certain: int
) -> Estimate:
    """Estimate the gain of each document.

    Parameters
    ----------
    level : int array (n_documents,)
        Level of the judge's grade. Documents are in the order of the plan: first `n_certain` ones
        judged before, with infinite size and priority, then the others by falling priority.
    topic : int array (n_documents,)
    gain : float array (n_judged,)
        Gains of the human grades of the first documents.
    size, priority : float array (n_documents,)
    """
    n_judged = gain.size
    shape = int(topic.max(initial=0)) + 1, int(level.max(initial=0)) + 1

    def graded(n: int, p: Floats) -> _Graded:
        return _Graded.of_documents(level[:n], topic[:n], gain[:n], 1 / p[:n], shape)

    p = probabilities(size, priority, n_judged)
    predicted = graded(n_judged, p).predicted_from_others()
    p = p[:n_judged]
    last = max(n_judged - 1, n_certain)
    estimate = graded(last, probabilities(size, priority, last)).predicted(level, topic)
    estimate[:n_judged] = predicted + (gain - predicted) / p
    return Estimate(estimate, gain - predicted, p, level, size, priority)


def variances_at(size: Floats, priority: Floats, looks: Sequence[int]) -> list[float]:
    """Variances of an estimate after some numbers of documents, up to a factor.

    Parameters
    ----------
    size, priority : float array (n_documents,)
        Of the documents that are drawn, by falling priority.
    looks : sequence of int
    """
    every = (probabilities(size, priority, look) for look in looks)
    return [float((size**2 * (1 - p) / p).sum()) for p in every]


@lru_cache(maxsize=64)
def level_of_looks(variances: tuple[float, ...], level: float) -> float:
    """The level of each of several intervals, so that all of them hold with a level.

    Parameters
    ----------
    variances : tuple of float
        Of the estimates, falling. An estimate with a variance of 0 counts as independent.
    level : float in (0, 1)
    """
    n = len(variances)
    if n < 2:
        return level
    alone: float = level ** (1 / n)  # if all were independent
    if n > _MOST_LOOKS:
        return alone
    node, weight = _nodes()

    def held(bound: float) -> float:
        """Probability that no estimate is off by more than `bound` standard errors."""
        x, dx = bound * node, bound * weight
        density = _normal(x)
        for before, after in pairwise(variances):
            spread = max(math.sqrt(1 - after / before), _LEAST_SPREAD)
            steps = (x[:, None] - math.sqrt(1 - spread**2) * x) / spread
            density = _normal(steps) @ (density * dx) / spread
        return float(density @ dx)

    ends = (float(special.ndtri((1 + each) / 2)) for each in (level, alone))
    bound = optimize.brentq(lambda z: held(z) - level, *ends, xtol=1e-6)
    return math.ceil(1e4 * float(special.erf(bound / math.sqrt(2)))) / 1e4


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Nodes of an integral from -1 to 1, and their weights."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight


def _normal(x: Floats) -> Floats:
    density: Floats = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return density


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
