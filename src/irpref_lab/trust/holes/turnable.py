"""Find pairs of runs that could change places once unjudged documents are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.data import named_runs
from irpref.errors import MeasureError
from irpref.judged import Listing, QrelsLike, RunLike
from irpref.kernel import Floats, Ints
from irpref.measures.declare import KernelMeasure, Measures
from irpref.measures.everyday import declaration, supports
from irpref.values import KernelEvaluator
from irpref_lab.trust.holes.open_runs import OpenRuns, numbers, unjudged
from irpref_lab.trust.holes.over_grades import (
    Bounds,
    bounds_of,
    evaluated,
    negative_is_a_grade,
    prepared,
    tasks_of,
    ties_rise,
)
from irpref_lab.trust.holes.search import Ways, attained, corners, one_relevant

_TOP = 10


def pair_intervals(
    measures: Measures,
    qrels: QrelsLike,
    runs: Mapping[str, RunLike] | Iterable[Any],
    grades: Iterable[float] | None = None,
) -> pd.DataFrame:
    """Find the intervals of the mean differences of all pairs of runs: which pairs could change
    places?

    Returns
    -------
    pandas.DataFrame
        `measure, a, b, difference, low, high, exact, could_turn`; the difference is b - a.
        `could_turn`: with some grades the run that is behind is level or ahead. If `exact` is
        False, the bounds were found by a search, and a pair may still change places even if
        `could_turn` is False.
    """
    chosen, evaluate = prepared(measures, qrels)
    named = named_runs(runs)
    values, listings = zip(*evaluated(evaluate, named), strict=True)
    rows = []
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        negative = negative_is_a_grade(measure)
        if _is_precision(measure):
            bounds = _of_precision(listings, grid, **task.keywords)
        else:
            bounds = (
                bounds_of(measure, task, OpenRuns(evaluate.pool, pair, negative), grid)
                for pair in combinations(listings, 2)
            )
        for (i, j), extremes in zip(combinations(range(len(values)), 2), bounds, strict=True):
            difference = values[j][measure] - values[i][measure]
            means = [
                evaluate.means_of({measure: column})[measure]
                for column in (difference, 0.0 - extremes.high, 0.0 - extremes.low)
            ]
            turns = (means[1] <= 0 <= means[2]) and means[1] < means[2]
            a, b = list(named)[i], list(named)[j]
            rows.append([str(measure), a, b, *means, bool(extremes.exact.all()), turns])
    return pd.DataFrame(
        rows, columns=["measure", "a", "b", "difference", "low", "high", "exact", "could_turn"]
    )


class Turnable:
    """Two runs, and how far grades of their unjudged documents could move the difference of their
    means.

    Documents are numbered once for all measures and topics. First a few ways to grade them are
    tried, which often suffice: those that only one run retrieves are all good or all bad. If a
    measure has a cutoff, only documents in the first ranks are graded at first, since the others
    can only change the ideal list.

    Parameters
    ----------
    kernels : KernelEvaluator
    runs : two listings
        By the pool of `kernels`; the difference is the first minus the second.
    """

    def __init__(self, kernels: KernelEvaluator, runs: Sequence[Listing]) -> None:
        self.kernels, self.runs = kernels, runs
        self._open_runs: dict[Any, OpenRuns] = {}
        self._ends: dict[Any, dict[int, tuple[float, float, bool]]] = {}

    def bounds(
        self, measure: Measure, topics: Ints, is_enough: Callable[[float], bool]
    ) -> tuple[float, float, bool]:
        """Find the lowest and highest mean difference over some topics.

        Parameters
        ----------
        measure : measure
            One of `kernels`.
        topics : int array (k,)
            Topics of the pool.
        is_enough : callable
            There is no search if a difference that was found suffices.

        Returns
        -------
        low, high : float
        exact : bool
            Whether nothing lies beyond; False if it was not asked.

        Raises
        ------
        ValueError
            Nothing is known of this measure, or with these judgments.
        """
        task, grid = self._question(measure)
        sizes = self._sizes(measure, task)
        for size in sizes:
            runs = self._first_ranks(measure, size)
            if not runs.holes.lengths[topics].any() and size == sizes[-1]:
                return 0.0, 0.0, True
            few = partial(_few_ways, measure, task, runs, grid)
            low, high, _ = self._mean(measure, (measure, size), few, topics)
            if is_enough(low) or is_enough(high):
                return low, high, False
        every = partial(bounds_of, measure, task, runs, grid)
        return self._mean(measure, measure, every, topics)

    def _question(self, measure: Measure) -> tuple[partial[Floats], Floats]:
        """Look up the kernel of a measure, and the grades that a hole can have."""
        pool = self.kernels.pool
        if not supports(measure) or measure not in self.kernels.tasks:
            raise MeasureError(f"{measure} is left to ir_measures", measure=str(measure))
        reads = isinstance(measure, KernelMeasure) and "preferences" in type(measure).NEEDS
        if not pool.preferences_of_grades and (reads or not pool.graded):
            raise MeasureError(f"{measure}: preferences have no grades", measure=str(measure))
        ((_, task, grid),) = tasks_of([measure], self.kernels, None)
        return task, grid

    def _sizes(self, measure: Measure, task: partial[Floats]) -> list[int | None]:
        """List how many ranks are filled, one after the other; None: all."""
        cutoff = task.keywords.get("cutoff")
        ends = not isinstance(measure, KernelMeasure) or type(measure).CUTOFF_ENDS_LIST
        if cutoff is None or not ends or ties_rise(measure):
            return [None]
        # Nothing below the cutoff counts for these.
        ends_there = _is_of_first(measure) or _is_precision(measure)
        return [cutoff] if ends_there else [cutoff, None]

    def _first_ranks(self, measure: Measure, size: int | None) -> OpenRuns:
        """Find the holes in the first `size` ranks of both runs, once for all measures that see the
        same holes.
        """
        key = (negative_is_a_grade(measure), size)
        if key not in self._open_runs:
            runs = self.runs if size is None else [run.first(size) for run in self.runs]
            self._open_runs[key] = OpenRuns(self.kernels.pool, runs, key[0])
        return self._open_runs[key]

    def _mean(
        self, measure: Measure, key: Any, bounds: Callable[[list[int]], Bounds], topics: Ints
    ) -> tuple[float, float, bool]:
        """Average the bounds of some topics; the bounds of a topic are found once."""
        known, every = self._ends.setdefault(key, {}), topics.tolist()
        if new := [t for t in every if t not in known]:
            low, high, exact = (column.tolist() for column in bounds(new))
            known.update(zip(new, zip(low, high, exact, strict=True), strict=True))
        column = np.full((2, self.kernels.pool.n_topics), np.nan)  # others have no say
        column[:, topics] = np.array([known[t][:2] for t in every]).T
        means = [self.kernels.means_of({measure: values})[measure] for values in column]
        return means[0], means[1], all(known[t][2] for t in every)


def _is_precision(measure: Measure) -> bool:
    """Test whether a measure is P, whose bounds have a closed form."""
    return str(measure.NAME) == "P"


def _is_of_first(measure: Measure) -> bool:
    """Test whether a measure looks at the first relevant document alone."""
    declared = declaration(measure)
    return declared is not None and declared.HOLES.first_only


def _few_ways(
    measure: Measure, task: partial[Floats], runs: OpenRuns, grid: Floats, topics: Sequence[int]
) -> Bounds:
    """Find the lowest and highest difference of topics over a few ways to grade their holes."""
    cutoff, rising = task.keywords.get("cutoff"), ties_rise(measure)
    of_first = _is_of_first(measure)
    ways: dict[int, Ways] = {}
    for t in topics:
        rank = runs.ranks(t, rising)
        if of_first:  # the highest ranks change most
            first, second = np.where(rank <= min(cutoff or _TOP, _TOP), rank, np.inf)
            ways[t] = one_relevant(first, second, grid)
        else:
            ways[t] = corners(rank < np.inf if cutoff is None else rank <= cutoff, grid)
    ends = attained(partial(runs.values, task, rising=rising), ways)
    low, high = np.array([ends[t] for t in topics]).T
    return Bounds(low, high, np.zeros(low.size, bool))


def _of_precision(
    listings: Sequence[Listing], grid: Floats, *, rel: float, cutoff: int, **_: Any
) -> Iterator[Bounds]:
    """Bound P of all pairs at once: only the numbers of holes in the top ranks of each run, and of
    both, matter.
    """
    runs = [run.first(cutoff) for run in listings]
    n_topics = runs[0].topics.n
    n_relevant = np.array([run.topics.count(run.grade >= rel) for run in runs])
    # Holes of the first run that the second lacks.
    lacks = np.zeros((len(runs), len(runs), n_topics), np.int64)
    number, total = numbers(runs, [unjudged(run, negative=False) for run in runs])
    for t, size in enumerate(total.tolist()):
        holds = np.zeros((len(runs), size + 1), np.float32)  # sums of ones are exact
        for row, run, of_run in zip(holds, runs, number, strict=True):
            row[of_run[run.topics.span(t)]] = 1
        holds = holds[:, :size]  # the last is of documents that are no holes
        lacks[:, :, t] = holds.sum(axis=1)[:, None] - holds @ holds.T
    some, all_ = grid[-1] >= rel, grid[0] >= rel
    for i, j in combinations(range(len(runs)), 2):
        # Holes that both runs hold cancel out. `some`: a hole can be relevant; `all_`: it must be.
        a, b = n_relevant[i], n_relevant[j]
        one, two = (lacks[i, j], lacks[j, i]) if some else (0 * a, 0 * b)
        low = (a + one * all_) / cutoff - (b + two) / cutoff
        high = (a + one) / cutoff - (b + two * all_) / cutoff
        yield Bounds(low, high, np.ones(n_topics, bool))
