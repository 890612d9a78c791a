"""How many human grades `irpref.lab.sample` would need in place of whole topics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from irpref.errors import MeasureError
from irpref.judged.types import Runs
from irpref.kernel.segments import Floats
from irpref.lab.judges.additive import additive
from irpref.lab.judges.plans import IDS, rank_weights
from irpref.lab.judges.priority_sampling import PRIOR, documents_needed, levels, sizes

_PAIRS = 50  # of the runs that are looked at


def documents_instead(
    measure: Any, human: pd.DataFrame, judge: pd.DataFrame, runs: Runs, half: Floats, level: float
) -> float:
    """How many documents a sample needs for intervals as narrow: the median over pairs of runs.

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
        From the mean squared error of the judge's calibrated grades on the documents that both
        graded; NaN if the measure is not a sum over documents.
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
    squared = _squared_errors(level_of, one.gains(graded[known]), known)
    z = float(special.ndtri((1 + level) / 2))
    a, b = np.triu_indices(len(weights.runs), 1)
    numbers = []
    for pair in np.unique(np.linspace(0, a.size - 1, min(a.size, _PAIRS)).astype(int)).tolist():
        two = weights.of_measure[0][[a[pair], b[pair]]]
        differ = two[0] != two[1]
        if differ.any() and math.isfinite(half[pair]):
            load = (two[0] - two[1])[differ] ** 2 * squared[level_of[differ]]
            wanted = (half[pair] * len(topics) / z) ** 2
            numbers.append(documents_needed(sizes([two[:, differ]]), load, wanted))
    return float(np.median(numbers)) if numbers else math.nan


def _squared_errors(level: Any, gain: Floats, known: Any) -> Floats:
    """Mean squared error of each level's mean gain, drawn towards that of all: (n_levels,)."""
    seen, n_levels = level[known], int(level.max()) + 1
    number = np.bincount(seen, minlength=n_levels)
    mean = (np.bincount(seen, gain, n_levels) + PRIOR * gain.mean()) / (number + PRIOR)
    error = (gain - mean[seen]) ** 2
    of_level: Floats = (np.bincount(seen, error, n_levels) + PRIOR * error.mean()) / (
        number + PRIOR
    )
    return of_level
