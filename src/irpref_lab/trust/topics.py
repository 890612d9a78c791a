"""Confidence intervals of a mean over topics: how far would it move on other topics of the same
kind?

There are two methods, both for one run and one measure at a time (`level` is c, n the number of
topics, s the standard deviation of the values with n - 1):

    t          mean -+ t(1 - a/2; n - 1) s / sqrt(n)        a = 1 - c
    bootstrap  quantiles q and 1 - q of the mean of n topics drawn with replacement, where
               q = Phi(-sqrt(n / (n - 1)) t(1 - a/2; n - 1))

The bootstrap is the expanded percentile interval of T. C. Hesterberg, What teachers should know
about the bootstrap, The American Statistician 69 (2015) 371-386, doi:10.1080/00031305.2015.1089789:
the plain one (q = a/2) is too narrow by a factor of about sqrt((n - 1) / n) z / t, so that at 40
topics 92 to 95 of 100 intervals hold the true mean instead of 95. Unlike the t interval it stays
within the range of the values and follows their skewness. Both see the topics as a random sample of
topics like them; neither says anything about another collection.

Where almost all topics have the same value, both see too little: of ten topics whose RR is 1, the
interval would be 1 to 1. Intervals are then widened, see `irpref_lab.trust.bounds.widened`.

Decided here: topics are drawn in ascending order of id, so that the order of the qrels does not
matter; with fewer than five topics there is no interval. If q is less than the chance 1 / n^n to
draw the lowest topic n times (five topics at 99 %), no bootstrap interval is wide enough, and the
one of t takes its place."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from ir_measures.measures import Measure
from scipy import special

from irpref import parse
from irpref.errors import ArgumentError, MeasureError
from irpref.judged import Groups, QrelsLike, RunLike, as_judgments, groups_of
from irpref.kernel import Floats
from irpref.measures.declare import Measures
from irpref.messages import check_choice
from irpref.observed import FEWEST, limits_of
from irpref.values import TopicValues
from irpref.values.matrix import evaluated
from irpref_lab.arguments import LEVEL, check_share
from irpref_lab.trust import bounds
from irpref_lab.trust.interval_tables import interval_table
from irpref_lab.trust.samples import Rng, counts, drawing

N_SAMPLES = 10_000
_PIECE = 1 << 22  # numbers of an array of draws held at a time: 32 MB


def limits_named(measure: str) -> tuple[float, float]:
    """Return the limits of a measure by name; infinite ones if the name is unknown."""
    try:
        return limits_of(parse(measure))
    except ValueError:
        return -math.inf, math.inf


def difference_in_range(measure: Measure, low: float, high: float) -> tuple[float, float]:
    """Narrow the bounds of the difference of two means to the range of the measure.

    Infinite bounds say that there are too few topics, and stay.
    """
    bottom, top = limits_of(measure)
    most = top - bottom
    if not math.isfinite(low) or not math.isfinite(high):
        return low, high
    return max(low, -most), min(high, most)


def mean_intervals(
    values: Floats,
    level: float = LEVEL,
    method: str = "bootstrap",
    rng: Rng | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[Floats, Floats, Floats]:
    """Return confidence intervals of means over topics.

    Parameters
    ----------
    values : float array (n_rows, n_topics)
        Topics in an order that depends only on the data, such as ascending id.
    level : float in (0, 1)
    method : {'bootstrap', 't'}
    rng : seed or numpy Generator, optional
        None is seed 0. All rows have the same draws.
    limits : two floats
        The least and the largest value that a topic can have. Bounds lie between them, and where
        almost all topics have the same value, they are widened towards those that are finite.

    Returns
    -------
    low, high, error : float arrays (n_rows,)
        Missing with fewer than five topics. `error`: standard error of the bounds from the random
        draws, the larger of the two; 0 for `t`.

    Raises
    ------
    ValueError
        `level` outside (0, 1), an unknown method, fewer than two topics.
    """
    level = check_share("level", level)
    check_choice("method", method, ("bootstrap", "t"))
    n = values.shape[1]
    if n < 2:
        raise ArgumentError(
            f"an interval of the mean needs at least 2 topics, got {n}", parameter="values", value=n
        )
    if n < FEWEST:
        missing = np.full(values.shape[0], np.nan)
        return missing, missing, np.zeros_like(missing)
    mean = values.mean(axis=1)
    # Rounding of the mean must not count as variation of equal values.
    spread = np.where(values.max(axis=1) == values.min(axis=1), 0.0, values.std(axis=1, ddof=1))
    t = float(special.stdtrit(n - 1, (1 + level) / 2))
    q = float(special.ndtr(-math.sqrt(n / (n - 1)) * t))
    error = np.zeros_like(mean)
    if method == "t" or q < n**-n:  # no sample of so few topics reaches the quantile
        half = t * spread / math.sqrt(n)
        low, high = mean - half, mean + half
    else:
        means = _resampled_means(values, drawing(rng))
        off = math.sqrt(q * (1 - q) / N_SAMPLES)
        # Both ends, and around each the quantiles one standard error of q away.
        wanted = np.clip([q, 1 - q, q + off, q - off, 1 - q + off, 1 - q - off], 0.0, 1.0)
        low, high, *beside = np.quantile(means, wanted, axis=1)
        error = np.maximum(beside[0] - beside[1], beside[2] - beside[3]) / 2
        same = spread == 0
        low[same] = high[same] = mean[same]
        error[same] = 0.0
    return *_widened(values, low, high, level, limits), error


def _widened(
    values: Floats, low: Floats, high: Floats, level: float, limits: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Widen intervals of rows almost all of whose topics have the same value, within limits."""
    least, most = limits
    if np.isinf(limits).all():
        return low, high
    low, high = low.copy(), high.copy()
    for row, of_row in enumerate(values):
        wide = bounds.widened(of_row, (float(low[row]), float(high[row])), level, limits)
        if math.isfinite(least):
            low[row] = wide[0]
        if math.isfinite(most):
            high[row] = wide[1]
    return np.clip(low, least, most), np.clip(high, least, most)


def _resampled_means(values: Floats, rng: np.random.Generator) -> Floats:
    """Average topics drawn with replacement: (n_rows, n_topics) to (n_rows, N_SAMPLES)."""
    n = values.shape[1]
    step = max(1, _PIECE // n)
    sizes = (min(step, N_SAMPLES - start) for start in range(0, N_SAMPLES, step))
    return np.concatenate(
        [values @ counts(rng.integers(0, n, (size, n)), n).T / n for size in sizes], axis=1
    )


def topic_intervals(
    measures: Measures,
    qrels: QrelsLike,
    run: RunLike,
    level: float = LEVEL,
    method: str = "bootstrap",
    rng: Rng | None = None,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Compute the confidence interval of the mean of each measure: see `irpref_lab.intervals(...,
    over='topics')`.

    For measures that count (`NumRet`), the interval holds their sum over this number of topics.
    `exact` is True if the bounds are computed (`t`), False if they are drawn (`bootstrap`);
    `error` is the standard error of the draws."""
    read = as_judgments(qrels)
    matrices = on_the_same_topics(evaluated(measures, read, {"run": run}))
    tables = []
    for group, inside in groups_of(groups, read, matrices[0].topics).items():
        here = [matrix.on(inside) for matrix in matrices]
        of_each = [
            mean_intervals(matrix.values, level, method, rng, limits=limits_named(matrix.measure))
            for matrix in here
        ]
        low, high, error = (np.concatenate(ends) for ends in zip(*of_each, strict=True))
        scale = np.array([matrix.scale for matrix in here])
        value = [float(matrix.means[0]) for matrix in here]
        drawn = {} if method == "t" else {"error": error * scale}
        table = interval_table(
            query_id=[None] * len(here),
            measure=[matrix.measure for matrix in here],
            value=value,
            low=low * scale,
            expected=value,
            high=high * scale,
            exact=[method == "t"] * len(here),
            **drawn,
        )
        if group is not None:
            table.insert(1, "group", group)
        tables.append(table)
    return pd.concat(tables).sort_index(kind="stable").reset_index(drop=True)  # by measure


def on_the_same_topics(tables: list[TopicValues]) -> list[TopicValues]:
    """Return the values, unchanged. Raise `ValueError` if measures do not have values for the same
    topics.
    """
    by_size = sorted(tables, key=lambda one: one.n_topics)
    few, most = by_size[0], by_size[-1]
    if few.topics != most.topics:
        missing = next(topic for topic in most.topics if topic not in few.topics)
        raise MeasureError(
            f"{few.measure} has no value for {most.n_topics - few.n_topics} of {most.n_topics} "
            f"topics (first "
            f"{missing!r}), and this table needs the same topics for all measures: leave these "
            f"topics out of the qrels, or of the values",
            measure=few.measure,
            topic=missing,
        )
    return tables
