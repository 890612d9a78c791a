"""Rankings of systems, and how far two agree.

    tau     Kendall's tau-b of the two lists of means (ties corrected), symmetric
    tau_ap  2/(n-1) sum over ranks i = 2 ... n of C(i)/(i-1)  - 1

C(i)  systems above rank i of the ranking that are also above the system at rank i in the reference

tau_ap gives errors near the top more weight, and is not symmetric. Both are 1 for equal rankings
and -1 for reversed ones.

E. Yilmaz, J. A. Aslam and S. Robertson, A new rank correlation coefficient for information
retrieval, SIGIR 2008, 587-594, doi:10.1145/1390334.1390435, equation (3).

The paper leaves ties open. Decided here: tau_ap is the mean over all orders of the systems that are
tied in the ranking; for systems that are tied in the reference, either order is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irpref.errors import ArgumentError
from irpref.kernel import Floats
from irpref.values import MeasureValues, places, values_in
from irpref_lab.meta.values import one_of

if TYPE_CHECKING:
    import pandas as pd

_ENTRIES = 1 << 15  # rows times systems that fit in the cache


def _scores(values: ArrayLike) -> Floats:
    """Turn means into whole-number scores, equal if the means differ only by rounding; higher is
    better: shape as `values`.
    """
    given = np.asarray(values, dtype=np.float64)
    return np.apply_along_axis(lambda row: np.where(np.isnan(row), np.nan, -places(row)), -1, given)


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Compute Kendall's tau-b of two lists of scores, shapes (n,): in [-1, 1], NaN if all scores of
    a list are tied.

    Raises
    ------
    ValueError
        The lists differ in length.
    """
    return float(kendall_taus(a, b)[0])


def kendall_taus(rows: ArrayLike, reference: ArrayLike) -> Floats:
    """Compute `kendall_tau` of several lists with one list, or with one list each: (k, n), (n,) or
    (k, n) to (k,).
    """
    return taus_of_scores(np.atleast_2d(_scores(rows)), np.atleast_2d(_scores(reference)))


def taus_of_scores(s: Floats, truth: Floats) -> Floats:
    """Compute `kendall_taus` of scores without rounding errors: (k, n), (1, n) or (k, n) to
    (k,).
    """
    # SciPy's function is much slower: it takes one pair of lists at a time and computes a p-value
    # for each.
    if s.shape[1] != truth.shape[1] or len(truth) not in (1, len(s)):
        raise ArgumentError(
            f"lists of {s.shape[1]} and {truth.shape[1]} scores: expected one of each system in "
            f"both",
            parameter="scores",
        )
    n = s.shape[1]
    truth = np.broadcast_to(truth, s.shape)
    # Concordant minus discordant pairs, then pairs not tied in each of the two lists.
    sums = np.zeros((3, len(s)))
    step = max(_ENTRIES // max(n, 1), 1)
    for part in (slice(start, start + step) for start in range(0, len(s), step)):
        a, b = np.tile(s[part], 2), np.tile(truth[part], 2)
        agree, of_a, of_b = np.zeros((3, len(a), n), np.int32)
        # Every pair: each system with the one d places further on, cyclically.
        for d in range(1, n // 2 + 1):
            last = d if 2 * d == n else n
            first = order(a[:, :last], a[:, d : d + last])
            second = order(b[:, :last], b[:, d : d + last])
            agree[:, :last] += first * second
            of_a[:, :last] += first != 0
            of_b[:, :last] += second != 0
        sums[:, part] = [pairs.sum(axis=1) for pairs in (agree, of_a, of_b)]
    with np.errstate(invalid="ignore", divide="ignore"):  # 0 of 0 pairs
        return np.clip(sums[0] / np.sqrt(sums[1]) / np.sqrt(sums[2]), -1.0, 1.0)


def order(first: Floats, second: Floats) -> NDArray[np.int8]:
    """Compare pairs: +1 if the first is better, -1 if the second is, 0 if they are equal: in the
    broadcast shape.
    """
    return (first > second).view(np.int8) - (first < second).view(np.int8)


def tau_ap(scores: ArrayLike, reference: ArrayLike) -> float:
    """Compute the AP correlation of a ranking with a reference ranking.

    Parameters
    ----------
    scores : float array (n,), higher is better
    reference : float array (n,)
        Scores of the same systems in the ranking taken as true.

    Returns
    -------
    float
        In [-1, 1]; NaN for fewer than two systems.

    Examples
    --------
    The same error is worse at the top (1/3) than at the bottom (7/9):

    >>> round(tau_ap([3, 4, 2, 1], [4, 3, 2, 1]), 4), round(tau_ap([4, 3, 1, 2], [4, 3, 2, 1]), 4)
    (0.3333, 0.7778)
    """
    s, truth = _scores(scores), _scores(reference)
    if s.size < 2:
        return float("nan")
    right = (truth[:, None] >= truth).astype(np.float64)
    correct = (right * (s[:, None] > s)).sum(axis=0)
    scores, group, sizes = np.unique(-s, return_inverse=True, return_counts=True)
    mean = np.bincount(group, correct) / sizes
    # Over all orders, each of two tied systems is above the other half of the time.
    share = np.zeros(scores.size)
    for g in np.flatnonzero(sizes > 1):
        tied = np.flatnonzero(group == g)
        share[g] = (right[np.ix_(tied, tied)].sum() - tied.size) / (tied.size * (tied.size - 1))
    above = np.arange(s.size)
    within = above - np.repeat(np.cumsum(sizes) - sizes, sizes)
    expected = np.repeat(mean, sizes) + within * np.repeat(share, sizes)
    return float(2 * (expected[1:] / above[1:]).mean() - 1)


@dataclass(frozen=True, eq=False)
class SystemRanking:
    """Systems ordered by mean, best first; ties are broken by name.

    Attributes
    ----------
    measure : str
    systems : tuple of str
    means : float array (n_systems,)
    higher_is_better : bool
    """

    measure: str
    systems: tuple[str, ...]
    means: Floats
    higher_is_better: bool = True

    def tau(self, other: SystemRanking) -> float:
        """Compute Kendall's tau-b with another ranking of the same systems. Raises `ValueError` for
        other systems.
        """
        mine, theirs = self._merits(), other._merits()
        if odd := sorted(set(mine) ^ set(theirs)):
            raise ArgumentError(
                f"{self.measure} and {other.measure} rank different systems: {odd[0]!r} is in one "
                f"only",
                parameter="other",
                value=odd[0],
            )
        return kendall_tau([*mine.values()], [theirs[name] for name in mine])

    def _merits(self) -> dict[str, float]:
        """Map each system to its mean, the sign turned if lower is better."""
        means = self.means if self.higher_is_better else -self.means
        return dict(zip(self.systems, means, strict=True))

    def table(self) -> pd.DataFrame:
        """Return a DataFrame of measure, rank (the same for equal means), system, mean: best
        first.
        """
        import pandas as pd

        rank = places(self.means, higher_is_better=self.higher_is_better)
        return pd.DataFrame(
            {"measure": self.measure, "rank": rank, "system": self.systems, "mean": self.means}
        )


def system_ranking(values: MeasureValues) -> SystemRanking:
    """Rank the systems by their mean value.

    Examples
    --------
    >>> from irpref_lab.meta import TopicValues
    >>> ap = TopicValues("AP", ["a", "b", "c"], ["q"], [[0.2], [0.4], [0.3]])
    >>> rr = TopicValues("RR", ["a", "b", "c"], ["q"], [[0.5], [1.0], [0.5]])
    >>> system_ranking(ap).systems
    ('b', 'c', 'a')
    >>> round(system_ranking(rr).tau(system_ranking(ap)), 4)
    0.8165
    """
    values = one_of(values)
    order = values.best_first
    systems = tuple(values.systems[i] for i in order.tolist())
    return SystemRanking(values.measure, systems, values.means[order], values.higher_is_better)


def agreement(values: MeasureValues) -> pd.DataFrame:
    """Compute Kendall's tau-b between the rankings of the systems by each pair of measures.

    Parameters
    ----------
    values : mapping of name to TopicValues of the same systems, or the result of
        `pt.Experiment(perquery=True)`

    Returns
    -------
    DataFrame
        Shape (n_measures, n_measures).
    """
    import pandas as pd

    named = (
        values
        if isinstance(values, Mapping)
        else {table.measure: table for table in values_in(values)}
    )
    rankings = {name: system_ranking(table) for name, table in named.items()}
    return pd.DataFrame(
        {
            name: {row: other.tau(ranking) for row, other in rankings.items()}
            for name, ranking in rankings.items()
        }
    )
