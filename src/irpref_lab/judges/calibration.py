"""Predict the human grades of documents that only a judge graded, from documents that both graded:
arrays only.

m(g), the mean human grade of the documents with the judge's grade g, isotonic, shows which
documents are better. It overestimates how many are relevant, since humans graded what systems rank
high. With the ranks of runs,

    1  a document is worth m(g) plus the deviation of its topic: the mean of (human grade - m(g))
       over the n documents of the topic that both graded, times n b / (n b + w); w is the variance
       within topics, b between them
    2  as many documents count as relevant as are expected to be. The chance of a human grade above
       level k, for documents that reach k, is logistic in a_k, m(g) and depth (a continuation
       ratio model); their sum is this number
    3  these are the documents with the highest m(g); ties go to the topics with the highest
       deviation

Depth is the logarithm of the mean of 1 / rank over the runs. It predicts how many documents are
relevant, not which: otherwise a system would gain from ranking high what most other systems rank
high."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from irpref.kernel import Floats, Ints

_STEPS = 12  # of Newton's method
_MOST = 10  # levels of human grades that share the slopes
# penalty on standardised coefficients, which would be infinite if judge and humans agree entirely
_RIDGE = 0.01


def mean_grades(given: Floats, true: Floats) -> tuple[Floats, Ints, Floats, Floats]:
    """Compute the mean human grade of each of a judge's grades.

    Parameters
    ----------
    given, true : float arrays (n,)
        Grades of the judge and of humans for the same documents.

    Returns
    -------
    grade, documents, mean, error : arrays (n_grades,)
        The judge's grades, ascending, how many documents have each, and the isotonic means with
        their standard errors (NaN for a single document).
    """
    grade, level = np.unique(given, return_inverse=True)
    documents = np.bincount(level)
    starts = optimize.isotonic_regression(
        np.bincount(level, true) / documents, weights=documents
    ).blocks
    block = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    n = np.bincount(block, documents)
    mean = np.bincount(block[level], true) / n
    square = np.bincount(block[level], (true - mean[block[level]]) ** 2)
    error = np.where(n > 1, np.sqrt(square / np.maximum(n - 1, 1) / n), np.nan)
    return grade, documents, mean[block], error[block]


def correlation(a: Floats, b: Floats) -> float:
    """Compute Pearson's correlation of two rows (n,), 0 if one does not vary."""
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0


def useless(agreement: float, n_documents: int) -> str:
    """Say that a judge's grades hardly correlate with the human ones."""
    turned = ", unless their scale counts down: then reverse it" * (agreement <= -0.5)
    return (
        f"the judge's grades say nothing about the human ones{turned} (correlation {agreement:.2f} "
        f"over {n_documents:,} documents that both graded)"
    )


class Completion:
    """Documents with human grades, and the predicted grades of the others.

    Parameters
    ----------
    human : float array (n,)
        Grades of at least 0; NaN if no human graded the document.
    judge : float array (n,)
        The judge's grades on any scale; NaN if it did not grade the document.
    topic : int array (n,)
    depth : float array (n,)

    Attributes
    ----------
    missing : bool array (n,)
        Documents that only the judge graded.
    chance : float array (n_missing,)
        The chance that each has the lowest positive human grade or a higher one.
    relevant : float
        How many are expected to have it.
    """

    def __init__(self, human: Floats, judge: Floats, topic: Ints, depth: Floats) -> None:
        seen, graded = ~np.isnan(judge), ~np.isnan(human)
        self.human, self.topic = human, topic
        self.both, self.missing = seen & graded, seen & ~graded
        grade, _, mean, _ = mean_grades(judge[self.both], human[self.both])
        self.mean: Floats = np.interp(judge, grade, mean)
        self.levels: Floats = np.unique(human[self.both])
        self.chance = self._chance(depth)
        self.relevant = float(self.chance.sum())

    def _chance(self, depth: Floats) -> Floats:
        if self.levels[0] > 0 or self.levels.size == 1:
            return np.full(int(self.missing.sum()), float(self.levels[0] > 0))
        columns = np.column_stack([self.mean, depth])
        known = columns[self.both]
        spread = known.std(axis=0)
        columns = (columns - known.mean(axis=0)) / np.where(spread > 1e-12, spread, np.inf)
        level = np.searchsorted(self.levels, self.human[self.both])
        rows = [np.flatnonzero(level >= k) for k in range(min(self.levels.size - 1, _MOST))]
        step = np.repeat(np.arange(len(rows)), list(map(len, rows)))
        row = np.concatenate(rows)
        x = np.column_stack([np.eye(len(rows))[step], columns[self.both][row]])
        b = _logistic(x, (level[row] > step).astype(np.float64))
        chance: Floats = special.expit(b[0] + columns[self.missing] @ b[len(rows) :])
        return chance

    def deviation(self) -> Floats:
        """Compute the deviation of each document's topic, shrunk towards 0."""
        topic, excess = self.topic[self.both], (self.human - self.mean)[self.both]
        n = np.bincount(topic, minlength=int(self.topic.max()) + 1).astype(np.float64)
        mean = np.bincount(topic, excess, minlength=n.size) / np.maximum(n, 1)
        n_topics = int((n > 0).sum())
        within = float(((excess - mean[topic]) ** 2).sum()) / max(excess.size - n_topics, 1)
        between = max(float((n * mean**2).sum()) - n_topics * within, 0.0) / excess.size
        share = np.divide(
            n * between, n * between + within, out=np.zeros_like(n), where=n * between > 0
        )
        return (share * mean)[self.topic]

    def grades(self) -> Floats:
        """Return human grades, and expected grades for missing documents; NaN for documents that
        nobody graded.
        """
        own = self.deviation()
        worth = np.clip(self.mean + own, 0.0, self.levels[-1])
        rows = np.flatnonzero(self.missing)
        least = self.levels[self.levels > 0].min(initial=np.inf)
        if rows.size and np.isfinite(least):
            keys = np.array([own[rows], self.mean[rows]])
            order = np.lexsort(-keys)
            # Documents with equal keys are alike: take all or none, at the number nearest to the
            # expected one.
            changes = (np.diff(keys[:, order]) != 0).any(axis=0)
            numbers = np.flatnonzero(np.concatenate([[True], changes, [True]]))
            counted = rows[order[: numbers[np.abs(numbers - self.relevant).argmin()]]]
            best = np.maximum(worth[counted], least)
            worth = np.minimum(worth, np.nextafter(least, 0))
            worth[counted] = best
        return np.where(self.missing, worth, self.human)


def _logistic(x: Floats, y: Floats) -> Floats:
    """Fit a logistic regression and return its coefficients: (n, k) and (n,) to (k,)."""
    b = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = special.expit(x @ b)
        curve = (x * (p * (1 - p))[:, None]).T @ x + _RIDGE * np.eye(b.size)
        b = b + np.linalg.solve(curve, x.T @ (y - p) - _RIDGE * b)
    return b
