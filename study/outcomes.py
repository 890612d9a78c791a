"""What the study measures: pure functions of arrays, for all samples of a loss at once.

    values    (n_samples, n_systems, n_topics)  one measure, setting, loss and level: what is left
    full      (n_systems, n_topics)             the same measure with all judgments
    pooled    bool (n_samples, n_systems)       whether a system was in the pool of a sample
    team      int (n_systems,)                  systems of one number belong together

Every function returns one number a sample, shape (n_samples,); `Bootstrap` one number a replicate. Higher values are
better. The slow definitions are those of SciPy and of `irpref.meta`; the tests compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irpref.analysis import significance
from irpref.analysis.significance import SAME
from irpref.arrays.segments import Floats
from irpref.values.samples import counts

ALPHA = 0.05  # of the t-tests, and of the intervals
_NO_VARIANCE = 1e-15  # of a difference: what rounding leaves of values in [0, 1]
_BLOCK = 1 << 15  # entries (rows by systems) that stay in the cache


# ------------------------------------------------------------------------------------------------------ rankings


def _scores(means: ArrayLike) -> Floats:
    # As in irpref.meta.ranking: means that are equal but for rounding are ties.
    return np.atleast_2d(np.round(np.asarray(means, dtype=np.float64), 12))


def _rows(*arrays: Floats) -> list[Floats]:
    """The arrays with as many rows as the longest of them; one row stands for many."""
    n = max(len(array) for array in arrays)
    return [np.broadcast_to(array, (n, array.shape[1])) for array in arrays]


def _tied(scores: Floats) -> NDArray[np.bool_]:
    ordered = np.sort(scores, axis=1)
    return (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)


def taus(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Kendall's tau-b of the rows of `a` with the rows of `b`.

    Parameters
    ----------
    a, b : (n, n_systems) or (n_systems,)
        One row stands for many.
    weights : (n, n_systems), optional
        How many times a system counts: as if it stood in the list so often. Copies of one system are ties in both
        lists, which tau-b leaves out.

    Returns
    -------
    (n,)
        In [-1, 1]; NaN where a list is all ties.
    """
    given = np.ones(np.shape(a)[-1]) if weights is None else np.asarray(weights, dtype=np.float64)
    first, second, w = _rows(_scores(a), _scores(b), np.atleast_2d(given))
    n, n_systems = first.shape
    out: Floats = np.full(n, np.nan)
    if n_systems < 2:
        return out
    tied = _tied(first) | _tied(second)
    step = max(1, _BLOCK // n_systems)
    for which, count in ((np.flatnonzero(~tied), _pairs_untied), (np.flatnonzero(tied), _pairs)):
        for start in range(0, which.size, step):
            at = which[start : start + step]
            concordance, untied_a, untied_b = count(first[at], second[at], w[at].astype(np.float32))
            with np.errstate(invalid="ignore", divide="ignore"):
                out[at] = concordance / np.sqrt(untied_a * untied_b)
    # A root of a product of equal numbers can be off by a rounding error.
    return np.clip(out, -1, 1)


def _offsets(n_systems: int) -> Any:
    """Every pair once: each system with the one d further on, around the end of the list."""
    for d in range(1, n_systems // 2 + 1):
        yield slice(d, d + n_systems), (n_systems // 2 if 2 * d == n_systems else n_systems)


def _pairs_untied(a: Floats, b: Floats, w: NDArray[np.float32]) -> tuple[Floats, Floats, Floats]:
    """Concordant less discordant pairs, and all pairs (twice), weighted; no ties in a row but copies."""
    aa, bb, ww = (np.concatenate([x, x], axis=1) for x in (a, b, w))
    agree = np.zeros(a.shape, np.float32)
    for other, last in _offsets(a.shape[1]):
        same = (a[:, :last] > aa[:, other][:, :last]) == (b[:, :last] > bb[:, other][:, :last])
        agree[:, :last] += same * (w[:, :last] * ww[:, other][:, :last])
    w64 = w.astype(np.float64)
    every = (w64.sum(axis=1) ** 2 - (w64**2).sum(axis=1)) / 2
    return 2 * agree.sum(axis=1, dtype=np.float64) - every, every, every


def _pairs(a: Floats, b: Floats, w: NDArray[np.float32]) -> tuple[Floats, Floats, Floats]:
    """Concordant less discordant pairs, pairs not tied in `a`, and those not tied in `b`, weighted."""
    aa, bb, ww = (np.concatenate([x, x], axis=1) for x in (a, b, w))
    found = np.zeros((3, *a.shape), np.float32)
    for other, last in _offsets(a.shape[1]):
        x, y = aa[:, other][:, :last], bb[:, other][:, :last]
        s = (a[:, :last] > x).view(np.int8) - (a[:, :last] < x).view(np.int8)
        t = (b[:, :last] > y).view(np.int8) - (b[:, :last] < y).view(np.int8)
        both = w[:, :last] * ww[:, other][:, :last]
        found[0, :, :last] += s * t * both
        found[1, :, :last] += np.abs(s) * both
        found[2, :, :last] += np.abs(t) * both
    concordance, untied_a, untied_b = found.sum(axis=2, dtype=np.float64)
    return concordance, untied_a, untied_b


def taus_ap(scores: ArrayLike, reference: ArrayLike) -> Floats:
    """AP correlation of the rows of `scores` with the rows of `reference`, as `irpref.meta.tau_ap`: (n,)."""
    first, truth = _rows(_scores(scores), _scores(reference))
    n, n_systems = first.shape
    out: Floats = np.full(n, np.nan)
    if n_systems < 2:
        return out
    tied = _tied(first)
    step = max(1, 20 * _BLOCK // n_systems**2)
    for which, ties in ((np.flatnonzero(~tied), False), (np.flatnonzero(tied), True)):
        for start in range(0, which.size, step):
            at = which[start : start + step]
            out[at] = _tau_ap_rows(first[at], truth[at], ties)
    return out


def _tau_ap_rows(s: Floats, truth: Floats, ties: bool) -> Floats:
    right = truth[:, :, None] >= truth[:, None, :]
    correct = (right & (s[:, :, None] > s[:, None, :])).sum(axis=1).astype(np.float64)
    # Place of each system, from 0; tied systems in any order.
    above = np.argsort(np.argsort(-s, axis=1, kind="stable"), axis=1)
    if ties:
        same = (s[:, :, None] == s[:, None, :]).astype(np.float64)
        size = same.sum(axis=1)
        within = above - (s[:, :, None] > s[:, None, :]).sum(axis=1)
        right_in_group = np.einsum("rij,rj->ri", same, (same * right).sum(axis=1) - 1)
        share = right_in_group / np.maximum(size * (size - 1), 1)
        correct = np.einsum("rij,rj->ri", same, correct) / size + within * share
    n_systems = s.shape[1]
    return 2 * np.where(above > 0, correct / np.maximum(above, 1), 0).sum(axis=1) / (n_systems - 1) - 1


# ------------------------------------------------------------------------------------------- outcomes by sample


def means(values: ArrayLike) -> Floats:
    """Means over topics, in double precision: (..., n_systems, n_topics) to (..., n_systems)."""
    return np.asarray(values).mean(axis=-1, dtype=np.float64)


def prediction(values: ArrayLike, criterion: ArrayLike, halves: ArrayLike) -> Floats:
    """Tau between the ranking on one half of the topics, with what is left, and a criterion on the other half.

    Parameters
    ----------
    values : (n_samples, n_systems, n_topics)
    criterion : (n_systems, n_topics)
        Another measure, with all judgments.
    halves : bool (n_samples, n_topics)
        Topics on which `values` rank; the criterion ranks on the others.

    Returns
    -------
    (n_samples,)
    """
    given = np.asarray(values, dtype=np.float64)
    half = np.asarray(halves, dtype=bool)
    here = half / half.sum(axis=1, keepdims=True)
    there = ~half / (~half).sum(axis=1, keepdims=True)
    found = np.einsum("nst,nt->ns", given, here)
    return taus(found, there @ np.asarray(criterion, dtype=np.float64).T)


def places(scores: ArrayLike) -> Floats:
    """Place of each system, 1 the best; tied systems share the mean of theirs: (n, n_systems)."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-_scores(scores), axis=1), dtype=np.float64)


@dataclass(frozen=True)
class Bias:
    """What happens to systems that were not pooled, and to those that were; each (n_samples,), NaN of none.

    Attributes
    ----------
    value, value_pooled : change of the mean value of the systems, in percent of it with all judgments
    place, place_pooled : change of their mean place; positive is upwards
    """

    value: Floats
    place: Floats
    value_pooled: Floats
    place_pooled: Floats


def bias(values: ArrayLike, full: ArrayLike, pooled: ArrayLike) -> Bias:
    """Signed change of systems that were not pooled: values (n_samples, n_systems, n_topics), full, pooled as above."""
    left, before = means(values), np.broadcast_to(means(full), np.shape(values)[:2])
    rise = places(before[:1]) - places(left)
    known = np.asarray(pooled, dtype=bool)
    found = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for which in (~known, known):
            before_sum = (before * which).sum(axis=1)
            found.append(100 * ((left * which).sum(axis=1) - before_sum) / before_sum)
            found.append((rise * which).sum(axis=1) / which.sum(axis=1))
    return Bias(*found)


def stability(values: ArrayLike, full: ArrayLike) -> Floats:
    """Root mean square change of the systems' means, without the shift that all share, in standard deviations.

    The unit is the standard deviation between systems with all judgments. Shape (n_samples,); NaN where all systems
    are equal with all judgments.
    """
    before = means(full)
    unit = before.std()
    change = means(values) - before
    return change.std(axis=1) / (unit if unit > SAME else np.nan)


# ----------------------------------------------------------------------------------------------- significance


@lru_cache
def _critical(n: float) -> float:
    """Of |t| with n topics."""
    from scipy.stats import t

    return float(t.ppf(1 - ALPHA / 2, n - 1))


def _t_direction(values: Floats, weights: Floats | None = None) -> NDArray[np.int8]:
    """Two-sided paired t-tests of all pairs of systems at `ALPHA`: +1 row better, -1 column better, 0 neither.

    values (..., n_systems, n_topics) to (..., n_systems, n_systems); `weights` (..., n_topics) say how many times a
    topic counts. Pairs without any variance of their differences are not told apart.
    """
    if weights is None:
        n = float(values.shape[-1])
        mean = values.mean(axis=-1)
        centred = weighted = values - mean[..., None]
    else:
        n = float(weights.reshape(-1, weights.shape[-1])[0].sum())
        mean = np.einsum("...st,...t->...s", values, weights) / n
        centred = values - mean[..., None]
        weighted = centred * weights[..., None, :]
    if n < 2:
        return np.zeros((*mean.shape, mean.shape[-1]), np.int8)
    covariance = weighted @ np.swapaxes(centred, -1, -2) / (n - 1)
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    spread = variance[..., :, None] + variance[..., None, :] - 2 * covariance
    difference = mean[..., :, None] - mean[..., None, :]
    # |t| > critical, without a division by a variance of 0.
    limit = _critical(n) ** 2 / n
    told = (difference * difference > limit * spread) & (spread > _NO_VARIANCE)
    return told * ((difference > 0).view(np.int8) * np.int8(2) - np.int8(1))


@dataclass(frozen=True)
class Power:
    """Shares of the pairs of systems, each (n_samples,); definitions in the preregistration, outcome 4.

    Attributes
    ----------
    power : significant with the judgments left
    kept : of those significant with all judgments, still so, in the same direction; NaN where there are none
    wrong : of all pairs, significant with the judgments left and not with all, or in the other direction
    """

    power: Floats
    kept: Floats
    wrong: Floats


def power(values: ArrayLike, full: ArrayLike) -> Power:
    """Paired t-tests of all pairs of systems, with what is left and with all judgments."""
    before = _t_direction(np.asarray(full, dtype=np.float64))
    pair = np.triu(np.ones(before.shape, bool), 1)
    truth = before[pair]
    n_true = np.count_nonzero(truth)
    rows = []
    for sample in np.asarray(values):
        now = _t_direction(sample.astype(np.float64))[pair]
        told = now != 0
        same = told & (now == truth)
        rows.append((told.mean(), same.sum() / n_true if n_true else np.nan, (told & ~same).mean()))
    return Power(*np.array(rows, dtype=np.float64).T)


# --------------------------------------------------------------------------------------------------- bootstrap


class Bootstrap:
    """Replicates of a study: topics and teams drawn with replacement, and one of the samples of the loss.

    The draws are the same for all measures, losses and levels, so that differences of replicates are paired.

    Parameters
    ----------
    n_topics : int
    team : int (n_systems,)
        Systems of a team are drawn together.
    n_samples : int
    replicates : int
    seed : int

    Attributes
    ----------
    topics : float (replicates, n_topics)
        How many times each topic was drawn.
    teams : float (replicates, n_teams)
        How many times each team was, in the order of the sorted team numbers.
    systems : float (replicates, n_systems)
        How many times its team was.
    sample : int (replicates,)
    """

    def __init__(
        self, n_topics: int, team: ArrayLike, n_samples: int, replicates: int = 1000, seed: int = 2006
    ) -> None:
        draw = np.random.default_rng(seed)
        names, of = np.unique(np.asarray(team), return_inverse=True)
        self.topics = counts(draw.integers(0, n_topics, (replicates, n_topics)), n_topics)
        self.teams = counts(draw.integers(0, names.size, (replicates, names.size)), names.size)
        self.systems = self.teams[:, of]
        self.sample = draw.integers(0, n_samples, replicates)
        self.replicates = replicates

    def _means(self, values: ArrayLike, topics: Floats) -> Floats:
        """Means of each replicate's sample over its topics: (replicates, n_systems)."""
        given = np.asarray(values)
        if given.ndim == 2:
            given = given[None]
        total = np.maximum(topics.sum(axis=1, keepdims=True), 1)
        if len(given) == 1:
            return topics @ given[0].astype(np.float64).T / total
        out: Floats = np.empty((self.replicates, given.shape[1]))
        for sample in np.unique(self.sample):
            at = self.sample == sample
            out[at] = topics[at] @ given[sample].astype(np.float64).T
        return out / total

    def tau(self, values: ArrayLike, full: ArrayLike) -> Floats:
        """Replicates of tau between the ranking by `values` and that by `full`: (replicates,).

        `values` without samples, (n_systems, n_topics), is the same in all replicates: agreement of two measures.
        """
        return taus(self._means(values, self.topics), self._means(full, self.topics), self.systems)

    def prediction(self, values: ArrayLike, criterion: ArrayLike, halves: ArrayLike) -> Floats:
        """Replicates of `prediction`: the halves are those of the sample, so that no topic is on both sides."""
        half = np.asarray(halves, dtype=bool)[self.sample]
        return taus(self._means(values, self.topics * half), self._means(criterion, self.topics * ~half), self.systems)

    def bias(self, values: ArrayLike, full: ArrayLike, pooled: ArrayLike) -> Floats:
        """Replicates of `bias(...).value`, over the systems not pooled in the replicate's sample: (replicates,)."""
        weight = self.systems * ~np.asarray(pooled, dtype=bool)[self.sample]
        before = (self._means(full, self.topics) * weight).sum(axis=1)
        after = (self._means(values, self.topics) * weight).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return 100 * (after - before) / before

    def bias_left_out(self, values: ArrayLike, full: ArrayLike, pooled: ArrayLike) -> Floats:
        """Replicates of the mean over teams of `bias(...).value` where every sample leaves one team out.

        Samples are in the order of the sorted team numbers; a team that was drawn twice counts twice. Teams without
        a value (NaN) are left out.
        """
        out = ~np.asarray(pooled, dtype=bool)
        if len(out) != self.teams.shape[1]:
            raise ValueError(f"{len(out)} samples leave out one of {self.teams.shape[1]} teams each: give one a team")
        before = np.einsum("ns,st->nt", out, np.asarray(full, dtype=np.float64))
        after = np.einsum("ns,nst->nt", out, np.asarray(values, dtype=np.float64))
        lower = self.topics @ before.T
        with np.errstate(invalid="ignore", divide="ignore"):
            change = 100 * (self.topics @ after.T - lower) / lower
        usable = np.isfinite(change)
        weight = self.teams * usable
        total = weight.sum(axis=1)
        return np.where(total > 0, (np.where(usable, change, 0) * weight).sum(axis=1) / np.maximum(total, 1), np.nan)

    def power(self, values: ArrayLike) -> Floats:
        """Replicates of the share of pairs told apart: (replicates,). Repeated topics make it larger than it is.

        Pairs of copies of one system are no pairs.
        """
        given = np.asarray(values)
        out = np.empty(self.replicates)
        for r in range(self.replicates):
            sample = given[self.sample[r] if len(given) > 1 else 0].astype(np.float64)
            told = _t_direction(sample, self.topics[r]) != 0
            w = self.systems[r]
            pairs = w.sum() ** 2 - (w**2).sum()
            out[r] = w @ told @ w / pairs if pairs else np.nan
        return out


def interval(replicates: ArrayLike, level: float = 1 - ALPHA) -> tuple[float, float]:
    """Percentile interval of the replicates that are numbers; NaN where none is."""
    given = np.asarray(replicates, dtype=np.float64)
    given = given[np.isfinite(given)]
    if not given.size:
        return float("nan"), float("nan")
    low, high = np.quantile(given, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def p_value(replicates: ArrayLike, null: float = 0.0) -> float:
    """Two-sided bootstrap p-value: how far in the tail of the replicates `null` lies; at least 2 / (n + 1)."""
    given = np.asarray(replicates, dtype=np.float64)
    given = given[np.isfinite(given)]
    if not given.size:
        return float("nan")
    tail = min((given <= null).sum(), (given >= null).sum())
    return float(min(1.0, 2 * (tail + 1) / (given.size + 1)))


def holm(p: ArrayLike) -> Floats:
    """P-values of a family adjusted by Holm; NaN stay, and do not count."""
    return np.array(significance.holm(np.asarray(p, dtype=np.float64).tolist()), dtype=np.float64)
