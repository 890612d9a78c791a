"""Find pairs of runs that could change places once unjudged documents are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from irpref.data.run_names import named_runs
from irpref.judged import QrelsLike, RunLike
from irpref.kernel import Floats
from irpref.measures import everyday
from irpref.measures.declare import MeasureLike, Measures
from irpref.measures.everyday import declaration
from irpref_lab.trust.holes.bounds import Bounds, bounds_of, negative_is_a_grade, prepared, tasks_of
from irpref_lab.trust.holes.filled import Holes, Retrieved, retrieved
from irpref_lab.trust.holes.search import Ways, attained, corners, one_relevant

_TOP = 10


def pair_intervals(
    measures: Measures,
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Iterable[Any],
    grades: Iterable[float] | None = None,
) -> pd.DataFrame:
    """Intervals of the mean differences of all pairs of runs: which pairs could change places?

    Returns
    -------
    pandas.DataFrame
        `measure, a, b, value, low, high, exact, could_turn`. `could_turn`: with some grades the run
        that is behind is level or ahead. If `exact` is False, the bounds were found by a search,
        and a pair may still change places even if `could_turn` is False.
    """
    chosen, evaluate = prepared(measures, qrels)
    listed = retrieved(evaluate, named_runs(runs))
    rows = []
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        negative = negative_is_a_grade(measure)
        pairs = combinations(listed.values(), 2)
        if task.func is everyday.precision:
            bounds = _of_precision(list(listed.values()), grid, **task.keywords)
        else:
            bounds = (
                bounds_of(measure, task, Holes(evaluate.pool, pair, negative), grid)
                for pair in pairs
            )
        for (a, b), extremes in zip(combinations(listed, 2), bounds, strict=True):
            value = listed[a].values[measure] - listed[b].values[measure]
            means = [
                evaluate.means_of({measure: column})[measure]
                for column in (value, extremes.low, extremes.high)
            ]
            turns = (means[1] <= 0 <= means[2]) and means[1] < means[2]
            rows.append([str(measure), a, b, *means, bool(extremes.exact.all()), turns])
    return pd.DataFrame(
        rows, columns=["measure", "a", "b", "value", "low", "high", "exact", "could_turn"]
    )


def bounds_of_pair(
    measure: MeasureLike,
    qrels: QrelsLike,
    runs: Mapping[str, RunLike],
    is_enough: Callable[[float], bool],
) -> tuple[float, float, bool]:
    """Lowest and highest mean difference of two runs, as `pair_intervals` has them.

    First a few ways to grade the unjudged documents are tried, which often suffice: those that only
    one run retrieves are all good or all bad. There is no search if one of the differences that
    they attain `is_enough`.

    Returns
    -------
    low, high : float
    exact : bool
    """
    chosen, evaluate = prepared([measure], qrels)
    listed = list(retrieved(evaluate, named_runs(runs)).values())
    ((one, task, grid),) = tasks_of(chosen, evaluate, None)

    def mean(by_topic: Floats) -> float:
        return float(evaluate.means_of({one: by_topic})[one])

    if task.func is everyday.precision:
        (bounds,) = _of_precision(listed, grid, **task.keywords)
        return mean(bounds.low), mean(bounds.high), True
    holes = Holes(evaluate.pool, listed, negative_is_a_grade(one))
    if not holes.holes.size:
        difference = mean(listed[0].values[one] - listed[1].values[one])
        return difference, difference, True
    cutoff = task.keywords.get("cutoff")
    rising = getattr(one, "TIES_BY_RISING_ID", False)
    declared = declaration(one)
    first_only = declared is not None and declared.HOLES.first_only
    ways: dict[int, Ways] = {}
    for t in range(holes.holes.n):
        rank = holes.ranks(t, rising)
        if first_only:  # the highest ranks change most
            first, second = np.where(rank <= min(cutoff or _TOP, _TOP), rank, np.inf)
            ways[t] = one_relevant(first, second, grid)
        else:
            ways[t] = corners(rank < np.inf if cutoff is None else rank <= cutoff, grid)
    ends = attained(partial(holes.values, task), ways)
    low, high = map(mean, np.array([ends[t] for t in ways]).T)
    if is_enough(low) or is_enough(high):
        return low, high, False
    bounds = bounds_of(one, task, holes, grid)
    return mean(bounds.low), mean(bounds.high), bool(bounds.exact.all())


def _of_precision(
    runs: list[Retrieved], grid: Floats, *, rel: float, cutoff: int, **_: Any
) -> Iterator[Bounds]:
    """P of all pairs at once: only the numbers of holes in the top ranks of each run, and of both,
    matter.
    """
    n_topics = runs[0].topics.n
    seen = [run.topics.position < cutoff for run in runs]
    n_relevant = np.array(
        [run.topics.count(top & (run.grade >= rel)) for run, top in zip(runs, seen, strict=True)]
    )
    # Holes of the first run that the second lacks.
    lacks = np.zeros((len(runs), len(runs), n_topics), np.int64)
    holes = [top & run.unjudged(negative=False) for run, top in zip(runs, seen, strict=True)]
    for t in range(n_topics):
        codes = []
        for run, hole in zip(runs, holes, strict=True):
            rows = run.topics.span(t)
            codes.append(run.code[rows][hole[rows]])
        numbers, column = np.unique(np.concatenate(codes), return_inverse=True)
        holds = np.zeros((len(runs), numbers.size), np.float32)  # sums of ones are exact
        holds[np.repeat(np.arange(len(runs)), list(map(len, codes))), column] = 1
        lacks[:, :, t] = holds.sum(axis=1)[:, None] - holds @ holds.T
    some, all_ = grid[-1] >= rel, grid[0] >= rel
    for i, j in combinations(range(len(runs)), 2):
        # Holes that both runs hold cancel out. `some`: a hole can be relevant; `all_`: it must be.
        a, b = n_relevant[i], n_relevant[j]
        one, two = (lacks[i, j], lacks[j, i]) if some else (0 * a, 0 * b)
        low = (a + one * all_) / cutoff - (b + two) / cutoff
        high = (a + one) / cutoff - (b + two * all_) / cutoff
        yield Bounds(low, high, np.ones(n_topics, bool))
