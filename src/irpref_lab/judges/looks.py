"""Several looks at a sample that grows: the level of each, so that all intervals hold together.

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
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy import optimize, special

from irpref.kernel import Floats
from irpref_lab.judges.priority_sampling import probabilities

_MOST_LOOKS = 20  # more looks count as independent
_NODES, _LEAST_SPREAD = 80, 0.2  # of the integral over the estimates of two looks


def variances_at(size: Floats, priority: Floats, looks: Sequence[int]) -> list[float]:
    """Compute the variances of an estimate after some numbers of documents, up to a factor.

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
    """Find the level of each of several intervals, so that all hold together with a level.

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
        """Compute the probability that no estimate is off by more than `bound` standard errors."""
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
    """Return the nodes of an integral from -1 to 1, and their weights."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight


def _normal(x: Floats) -> Floats:
    density: Floats = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return density
