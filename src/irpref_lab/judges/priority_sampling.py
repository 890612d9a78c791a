"""Priority sampling with a judge's grades: arrays only.

A population of N documents, each with a size z > 0 (how much it can move the differences between
runs). Each gets a priority q = z / u, with u uniform in (0, 1]; humans grade documents by falling
priority and stop after the first m. With t, the priority of the next one,

    p = min(1, z / t)                                probability to be among the first m
    e = c + (f - c) / p  if it was graded, else c    estimate of a document's gain f

c is the gain predicted from the judge's grade. Priority sampling: N. Duffield, C. Lund and
M. Thorup, Priority sampling for estimation of arbitrary subset sums, Journal of the ACM 54(6),
2007, doi:10.1145/1314690.1314696. Samples are nested: to go on is to grade the next document.

In some topics humans are more generous than the judge, in others less. A document that favours one
run and one of the same topic that favours another make the same error then, and in the difference
of the runs these errors cancel. So documents are drawn in units, of two such documents
(`irpref_lab.judges.partners`) or of one: partners share u and z, thus q and p. Where grading ends
between partners, the first does not count yet.

A prediction must not depend on the random number of its own unit, or the estimate is biased. So
each document, graded or not, is predicted from those *other* units that would be graded besides its
own, if its own were: m - 1 documents, or m - 2 if it has a partner, without any that is cut. Given
the other random numbers, its unit is then drawn with probability p exactly, with the priority of
the next of the other units as t, so the mean of its estimate is f, whatever the judge says. For a
graded document the others are the sample without its unit, and t stays; for all other documents
they are the sample without its end.

c is a ridge regression of f: a line over the levels of the judge's grades, plus a deviation of each
level from the line, plus one of each topic. Deviations are drawn towards 0 as by 2 more documents
of the level, and by 5 of the topic. Graded documents count alike here: the larger p, the more a
document weighs in the differences, so that weights of 1 / p would serve documents that matter
least.

A value is the sum of w f over documents with weights w. The variance V of its estimate is estimated
by the sum of v = (1 - p) (sum of w (f - c) / p)^2 over the graded units: given c, the estimates of
two units are uncorrelated (Duffield et al., theorem 1). Few of these k terms can make up most of
the sum, so the quantile is Student's. Degrees of freedom are taken from a chi-squared variable with
the same relative variance, 2 V^2 / var(V) (F. E. Satterthwaite, An approximate distribution of
estimates of variance components, Biometrics Bulletin 2, 1946, doi:10.2307/3002019). The variance of
a sum of k independent terms is about the sum of v^2 less V^2 / k, which makes
2 V^2 / (sum of v^2 - V^2 / k), at most k as for normal errors; one is subtracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from irpref.kernel import Bools, Floats, Ints

FLOOR = 0.1  # share of the sizes that is the same for all documents
PRIOR = 2.0  # documents that draw a level's deviation towards 0
TOPIC_PRIOR = 5.0  # documents that draw a topic's deviation towards 0
_LINE_PRIOR = 0.5  # documents at the ends of the levels that draw the slope of the line towards 0
MOST_LEVELS = 10  # more grades of a judge are put into this many groups


def sizes(weights: Sequence[Floats]) -> Floats:
    """Measure how much each document can move the differences between runs.

    Parameters
    ----------
    weights : for each measure, float array (n_runs, n_documents)
        The amount that one unit of a document's gain adds to the value of each run.

    Returns
    -------
    float array (n_documents,)
        Root mean square of the weights around their mean over the runs (for two runs, half the
        size of their difference), scaled to a mean of 1, averaged over measures, and mixed with a
        uniform floor. Without the floor, coverage falls if the judge is wrong in one place.
    """
    # Where the runs do not differ by a measure, its spreads would be nothing but rounding.
    spreads = [each.std(axis=0) for each in weights if np.ptp(each, axis=0).any()]
    scaled = [spread / spread.mean() for spread in spreads]
    return FLOOR + (1 - FLOOR) * np.mean(scaled, axis=0)


def united(size: Floats, uniform: Floats, partner: Ints) -> tuple[Floats, Floats]:
    """Unite the sizes and random numbers of documents that are drawn with their partners.

    Parameters
    ----------
    size, uniform : float array (n_documents,)
    partner : int array (n_documents,)
        Place of the partner, the document's own if it has none.

    Returns
    -------
    size, uniform : float array (n_documents,)
        Of partners, the root mean square and the number of the first one.
    """
    first = np.minimum(np.arange(size.size), partner)
    return np.sqrt((size**2 + size[partner] ** 2) / 2), uniform[first]


def levels(grade: Floats) -> Ints:
    """Number the levels of a judge's grades, from 1: shape (n_documents,). NaN, no grade, is level
    0.

    Grades of more than ten values are put into ten groups of about equal size."""
    known = grade[~np.isnan(grade)]
    ends = np.unique(known)
    if ends.size > MOST_LEVELS:
        shares = np.arange(1, MOST_LEVELS + 1) / MOST_LEVELS
        ends = np.unique(np.quantile(known, shares, method="inverted_cdf"))
    return np.where(np.isnan(grade), 0, np.searchsorted(ends, grade) + 1).astype(np.int64)


def probabilities(size: Floats, priority: Floats, n_judged: int) -> Floats:
    """Compute the probability of each document, all by falling priority, to be among the first
    `n_judged`.
    """
    if n_judged >= size.size:
        return np.ones_like(size)
    return np.minimum(1.0, size / priority[n_judged])


def whole(priority: Floats, n_judged: int) -> int:
    """Count how many of the first `n_judged` documents count: all but one whose partner is the
    next.
    """
    cut = 0 < n_judged < priority.size and priority[n_judged - 1] == priority[n_judged] < np.inf
    return n_judged - int(cut)


@dataclass(frozen=True, eq=False)
class _Model:
    """Gains predicted from graded documents: a ridge regression on levels and topics.

    With penalties L of the columns X (1, the line, the levels) and l of the topics, the topics are
    eliminated first: D = documents of each topic + l, and x = X less the sum of X over the
    document's topic / D. The coefficients of X are then (X'x + L)^-1 x'f.

    Attributes
    ----------
    column : float array (n_documents, n_columns)
        X, of all documents of the plan.
    topic : int array (n_documents,)
    gain : float array (n_graded,)
        Of the first documents.
    inverse : float array (n_columns, n_columns)
    divisor : float array (n_topics,)
        D.
    centred : float array (n_graded, n_columns)
        x.
    fitted : float array (n_documents,)
    """

    column: Floats
    topic: Ints
    gain: Floats
    inverse: Floats
    divisor: Floats
    centred: Floats
    fitted: Floats

    @classmethod
    def of_graded(cls, column: Floats, penalty: Floats, topic: Ints, gain: Floats) -> _Model:
        n, n_topics = gain.size, int(topic.max(initial=0)) + 1
        seen, its_topic = column[:n], topic[:n]
        divisor = np.bincount(its_topic, minlength=n_topics) + TOPIC_PRIOR
        place = its_topic[:, None] * seen.shape[1] + np.arange(seen.shape[1])
        total = np.bincount(place.ravel(), seen.ravel(), n_topics * seen.shape[1])
        total = total.reshape(n_topics, -1)
        centred = seen - (total / divisor[:, None])[its_topic]
        inverse = np.linalg.inv(seen.T @ centred + np.diag(penalty))
        coefficient = inverse @ (centred.T @ gain)
        of_topic = np.bincount(its_topic, gain, n_topics) - total @ coefficient
        fitted = column @ coefficient + (of_topic / divisor)[topic]
        return cls(column, topic, gain, inverse, divisor, centred, fitted)

    def without_own_unit(self, partner: Ints) -> Floats:
        """Predict the gain of each graded document from all other units: shape (n_graded,).

        With the hat matrix H of the fit, the residuals of the documents of a unit, where the unit
        is left out, are (1 - H)^-1 times the residuals of the fit, with the unit's rows and
        columns.

        Parameters
        ----------
        partner : int array (n_graded,)
            Place of the partner; its own for a document without.
        """
        x = self.centred @ self.inverse
        topic = self.topic[: self.gain.size]
        same_topic = 1 / self.divisor[topic]
        two = partner != np.arange(partner.size)
        # Of 1 - H, the unit's rows and columns are (own, -shared; -shared, own[partner]).
        own = 1 - (x * self.centred).sum(axis=1) - same_topic
        shared = (x * self.centred[partner]).sum(axis=1) + same_topic * (topic == topic[partner])
        shared = np.where(two, shared, 0.0)
        residual = self.gain - self.fitted[: self.gain.size]
        error = own[partner] * residual + shared * residual[partner]
        alone: Floats = self.gain - error / (own * own[partner] - shared**2)
        return alone


def _columns(level: Ints) -> tuple[Floats, Floats]:
    """Return the columns of the regression, (n_documents, n_columns), and their penalties."""
    n_levels = int(level.max(initial=0))
    middle = (n_levels + 1) / 2
    place = np.where(level > 0, level - middle, 0.0) / max(n_levels - 1, 1)
    column = np.column_stack([np.ones(level.size), place, np.eye(n_levels + 1)[level]])
    return column, np.r_[0.0, _LINE_PRIOR, np.full(n_levels + 1, PRIOR)]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated gains of all documents, in the order of the plan.

    Attributes
    ----------
    gain : float array (n_documents,)
    residual : float array (n_counted,)
        Gain of the human grade minus the predicted gain, of the judged documents that count.
    probability : float array (n_counted,)
    level : int array (n_documents,)
    size, priority : float array (n_documents,)
    start : int array (n_units,)
        Places of the first documents of the units that count.
    """

    gain: Floats
    residual: Floats
    probability: Floats
    level: Ints
    size: Floats
    priority: Floats
    start: Ints

    def terms(self, weights: Floats) -> Floats:
        """Compute (1 - p) (sum of w (f - c) / p)^2 of each unit: shape (n_rows, n_units).

        Parameters
        ----------
        weights : float array (n_rows, n_documents)
        """
        errors = weights[:, : self.residual.size] * (self.residual / self.probability)
        totals = np.add.reduceat(errors, self.start, axis=1) if self.start.size else errors
        terms: Floats = (1 - self.probability[self.start]) * totals**2
        return terms

    def variances(self, weights: Floats) -> tuple[Floats, Floats]:
        """Compute variances of weighted sums of gains, and their degrees of freedom.

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
        v = self.terms(weights)
        variance, squares, number = v.sum(axis=1), (v**2).sum(axis=1), (v > 0).sum(axis=1)
        known = variance > 0
        exact = ~(weights[:, ~certain] != 0).any(axis=1)
        spread = squares - variance**2 / np.maximum(number, 1)  # 0 if all terms are equal
        as_chi_squared = 2 * variance**2 / np.where(spread > 0, spread, np.nan)
        freedom = np.fmin(as_chi_squared, number) - 1
        return (
            np.where(exact, 0.0, np.where(known, variance, np.nan)),
            np.where(exact, np.inf, np.maximum(freedom, 1.0)),
        )

    def further(self, weight: Floats, share: float) -> int:
        """Estimate how many more documents would shrink the standard error of a weighted sum to a
        share.

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
        seen, n_levels = self.level[:n_judged], int(self.level.max()) + 1
        number = np.bincount(seen, minlength=n_levels) + PRIOR
        squared = self.residual**2
        squared = (np.bincount(seen, squared, n_levels) + PRIOR * squared.mean()) / number
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
        judged before, with infinite size and priority, then the others by falling priority; those
        of the same priority, at most two, are a unit.
    topic : int array (n_documents,)
    gain : float array (n_judged,)
        Gains of the human grades of the first documents.
    size, priority : float array (n_documents,)
    """
    n_judged, place = gain.size, np.arange(size.size)
    column, penalty = _columns(level)
    # A unit has the same priority as the document before or after.
    second = np.r_[False, (priority[1:] == priority[:-1]) & np.isfinite(priority[1:])]
    first = np.r_[second[1:], False]
    n = whole(priority, n_judged)
    p = probabilities(size, priority, n)[:n]
    start = np.flatnonzero(~second[:n])
    predicted: Floats = np.zeros(n)
    if start.size > 1:  # a single unit has no others: predicted is 0
        model = _Model.of_graded(column, penalty, topic, gain[:n])
        predicted = model.without_own_unit((place + first - second)[:n])
    estimate: Floats = np.zeros(size.size)
    with_partner = first | second
    # Those not graded, from the others that would be if their unit, of one or two, were graded.
    for unit_size, documents in ((1, ~with_partner), (2, with_partner)):
        others = max(whole(priority, max(n_judged - unit_size, 0)), n_certain)
        if others and documents.any():
            fitted = _Model.of_graded(column, penalty, topic, gain[:others]).fitted
            estimate[documents] = fitted[documents]
    estimate[:n] = predicted + (gain[:n] - predicted) / p
    return Estimate(estimate, gain[:n] - predicted, p, level, size, priority, start)


def documents_needed(size: Floats, load: Floats, variance: float) -> int:
    """Estimate how many documents to judge, on average, for a variance of a weighted sum.

    Parameters
    ----------
    size : float array (n_documents,)
    load : float array (n_documents,)
        Squared weight times mean squared residual, or any other amount that a document adds to the
        variance.
    variance : float

    Returns
    -------
    int
        Sum of the probabilities with which the variance is reached.
    """
    low, high = 0.0, float(size.sum()) / float(size.min())  # of the threshold, size / p
    for _ in range(60):
        middle = (low + high) / 2
        p = np.minimum(1.0, size / middle)
        low, high = (middle, high) if (load * (1 - p) / p).sum() <= variance else (low, middle)
    return int(np.ceil(np.minimum(1.0, size / low).sum())) if low > 0 else size.size


def half_widths(variance: Floats, freedom: Floats, level: float) -> Floats:
    """Compute half widths of intervals that hold a sum with probability `level`: shape as
    `variance`.
    """
    quantile = special.stdtrit(np.minimum(freedom, 1e9), (1 + level) / 2)
    half: Floats = quantile * np.sqrt(variance)
    return half


def repeated(size: Floats, uniform: Floats, judged: Bools) -> bool:
    """Test whether judged documents look as if they had been drawn with these same random
    numbers.

    Parameters
    ----------
    size, uniform : float array (n_documents,)
        As `united` returns them.
    judged : bool array (n_documents,)

    Returns
    -------
    bool
        Either the judged documents are exactly those with the highest priorities, or their random
        numbers are as small as those of other documents are once in a million.
    """
    if judged.all() or not judged.any():
        return False
    priority = size / uniform
    if priority[judged].min() >= priority[~judged].max():
        return True
    # The sum of -log u of n independent documents has a gamma distribution.
    drawn = np.unique(uniform[judged])  # partners share theirs
    return bool(special.gammaincc(drawn.size, -np.log(drawn).sum()) < 1e-6)
