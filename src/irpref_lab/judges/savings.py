"""How many human grades `irpref_lab.sample` would need in place of whole topics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from irpref.errors import MeasureError
from irpref.judged import Runs
from irpref.kernel import Bools, Floats, Ints
from irpref_lab.judges.additive import additive
from irpref_lab.judges.grades import IDS
from irpref_lab.judges.partners import partners
from irpref_lab.judges.priority_sampling import PRIOR, documents_needed, levels, sizes, united
from irpref_lab.judges.rank_weights import rank_weights

_PAIRS = 50  # of the runs that are looked at


def documents_instead(
    measure: Any, human: pd.DataFrame, judge: pd.DataFrame, runs: Runs, half: Floats, level: float
) -> float:
    """Estimate how many documents a sample needs for intervals as narrow: the median over pairs of
    runs.

    Parameters
    ----------
    measure : measure
    human, judge : pandas.DataFrame
        Their grades.
    runs : mapping of name to run
    half : float array (n_pairs,)
        Half widths of the intervals of the differences, for these topics alone.
    level : float in (0, 1)

    Returns
    -------
    float
        From the errors of the judge's calibrated grades on the documents that both graded; the
        part they share within a topic cancels in partners. NaN if the measure is not a sum over
        documents.
    """
    try:
        (one,) = additive([measure])
    except MeasureError:
        return math.nan
    topics = sorted(set(judge["query_id"]))
    weights = rank_weights([one], runs, topics)
    grades = judge.set_index(IDS)["relevance"].where(lambda grade: grade >= 0)
    keys = pd.MultiIndex.from_frame(weights.documents)
    level_of = levels(grades.reindex(keys).to_numpy(np.float64))
    true = human.set_index(IDS)["relevance"].where(lambda grade: grade >= 0)
    graded = true.reindex(keys).to_numpy(np.float64)
    known = ~np.isnan(graded)
    if known.sum() < 2:
        return math.nan
    topic = pd.factorize(weights.documents["query_id"])[0]
    squared, shared = _squared_errors(level_of, topic, one.gains(graded[known]), known)
    z = float(special.ndtri((1 + level) / 2))
    a, b = np.triu_indices(len(weights.runs), 1)
    numbers = []
    for pair in np.unique(np.linspace(0, a.size - 1, min(a.size, _PAIRS)).astype(int)).tolist():
        two = weights.of_measure[0][[a[pair], b[pair]]]
        differ = two[0] != two[1]
        if differ.any() and math.isfinite(half[pair]):
            two = two[:, differ]
            weight, partner = two[0] - two[1], partners([two], topic[differ])
            own = weight**2 * squared[level_of[differ]]
            # Of two partners, each bears half of the reduction by the product of their errors.
            with_partner = partner != np.arange(partner.size)
            load = own + np.where(with_partner, weight * weight[partner] * shared, 0.0)
            size, _ = united(sizes([two]), np.ones(partner.size), partner)
            wanted = (half[pair] * len(topics) / z) ** 2
            numbers.append(documents_needed(size, load, wanted))
    return float(np.median(numbers)) if numbers else math.nan


def _squared_errors(level: Ints, topic: Ints, gain: Floats, known: Bools) -> tuple[Floats, float]:
    """Compute squared errors of each level's mean gain, drawn towards the mean of all.

    Parameters
    ----------
    level, topic : int array (n_documents,)
    gain : float array (n_known,)
    known : bool array (n_documents,)

    Returns
    -------
    squared : float array (n_levels,)
        Mean squared error of each level.
    shared : float
        Mean product of the errors of two documents of a topic, from 0 to the least of `squared`.
    """
    seen, n_levels = level[known], int(level.max()) + 1
    number = np.bincount(seen, minlength=n_levels) + PRIOR
    mean = (np.bincount(seen, gain, n_levels) + PRIOR * gain.mean()) / number
    error = gain - mean[seen]
    square = error**2
    squared: Floats = (np.bincount(seen, square, n_levels) + PRIOR * square.mean()) / number
    n_seen, total = np.bincount(topic[known]), np.bincount(topic[known], error)
    n_products = (n_seen * (n_seen - 1)).sum()
    product = ((total**2).sum() - square.sum()) / max(n_products, 1)
    return squared, float(np.clip(product, 0, squared.min()))
