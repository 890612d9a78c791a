"""Lowest and highest value of a measure over the grades that unjudged retrieved documents could have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.frames import by_topic
from irpref.analysis.holes.filled import Holes, retrieved
from irpref.analysis.holes.forms import FORMS, Topic
from irpref.analysis.holes.search import (
    CORNERS,
    FIRST,
    PAIR_CORNERS,
    Places,
    Ways,
    alone,
    attained,
    corners,
    every_way,
    search,
)
from irpref.arrays.segments import Bools, Floats
from irpref.judged.pool import Pool
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import hosted, supports
from irpref.measures.names import parse_all
from irpref.values.evaluator import evaluator
from irpref.values.kernels import KernelEvaluator

if TYPE_CHECKING:
    import pandas as pd
    from ir_measures.measures import Measure

    from irpref.judged.types import Qrels, Run
    from irpref.measures.declare import Measures

MOST_GRADES = 256


class Bounds(NamedTuple):
    """Bounds of each topic: arrays (n_topics,)."""

    low: Floats
    high: Floats
    exact: Bools


def grade_grid(measure: Measure, arguments: dict[str, Any], pool: Pool, grades: Iterable[float] | None) -> Floats:
    """The grades that a hole can have, ascending.

    Raises
    ------
    ValueError
        No grade, one that is no finite number, a negative one of a measure for which it means unjudged; gains that
        fall as these grades rise; a scale too long to be filled with whole grades.
    """
    negative = negative_is_a_grade(measure)
    of_qrels = np.unique(pool.grade)
    gains = measure.params.get("gains") or {}
    if grades is not None:
        grid = _given(grades)
        if grid[0] < 0 and not negative:
            raise ValueError(
                f"grades: {grid[0]:g} is negative, which means unjudged for {measure}; expected grades of at least 0"
            )
    else:
        # On a scale of gains, its top is no grade.
        top = float(of_qrels[-1]) if gains or arguments.get("max_rel") is None else float(arguments["max_rel"])
        top = top if top > 0 else 1.0
        if top > MOST_GRADES:
            raise ValueError(
                f"{measure}: the scale reaches from 0 to {top:g}, too many grades to try them all; "
                "pass those that unjudged documents could have, as in grades=[0, 50, 100]"
            )
        grid = np.unique(np.append(np.arange(np.floor(top) + 1), top))
        if gains:
            # Grades that nobody uses have no gain of their own, and need not fit between those that have.
            grid = grid[np.isin(grid, of_qrels) | np.isin(grid, list(gains)) | (grid == 0)]
    if isinstance(measure, KernelMeasure):
        measure.check_gains(np.union1d(of_qrels, grid).tolist())
    return grid


def _given(grades: Iterable[float]) -> Floats:
    if isinstance(grades, (str, bytes)) or not isinstance(grades, Iterable):
        raise ValueError(f"grades={grades!r} is not accepted, expected a sequence of numbers such as [0, 1, 2]")
    given = list(grades)
    try:
        grid = np.unique(np.array(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"grades={given!r} is not accepted, expected numbers such as [0, 1, 2]") from None
    if not grid.size or grid.ndim != 1 or not np.isfinite(grid).all():
        raise ValueError(f"grades={given!r} is not accepted, expected at least one finite number, as in [0, 1, 2]")
    return grid


def negative_is_a_grade(measure: Measure) -> bool:
    """Whether documents with a negative grade are judged for a measure, and so are no holes."""
    return isinstance(measure, KernelMeasure) and type(measure).NEGATIVE_GRADES


def bounds_of(measure: Measure, task: partial[Floats], holes: Holes, grid: Floats) -> Bounds:
    """Bounds of each topic: of the value, or of the difference of two runs."""
    n, cutoff, of_host = holes.holes.n, task.keywords.get("cutoff"), hosted(measure)
    rising = of_host.ties(measure) if of_host else getattr(measure, "TIES_BY_RISING_ID", False)
    some: dict[int, Ways] = {}
    rest: dict[int, Places] = {}
    for t in range(n):
        rank = holes.ranks(t, rising)
        seen = rank < np.inf if cutoff is None else rank <= cutoff
        ways = _known(task, holes, t, grid, rank, seen) or every_way(rank.shape[1], grid)
        if ways is None:
            effect = np.subtract.reduce(np.where(seen, 1 / np.log2(rank + 1), 0.0))
            rest[t] = Places.of(effect, np.asarray(seen.any(axis=0)))
        else:
            some[t] = ways
    values = partial(holes.values, task)
    ends = attained(values, some) | search(values, rest, grid)
    low, high = np.array([ends[t] for t in range(n)]).reshape(n, 2).T
    return Bounds(low, high, np.isin(np.arange(n), list(some)))


def _known(task: partial[Floats], holes: Holes, t: int, grid: Floats, rank: Floats, seen: Bools) -> Ways | None:
    """Ways among which are the extremes, by what is known of the measure; None if there is no such thing."""
    if task.func in (CORNERS if len(seen) == 1 else PAIR_CORNERS):
        return corners(seen, grid)
    if len(seen) == 2:
        first, second = np.where(seen, rank, np.inf)
        return alone(first, second, grid) if task.func in FIRST else None
    form = FORMS.get(task.func)
    return form(Topic.of(holes, t, task.keywords.get("cutoff")), grid, **task.keywords) if form else None


def prepared(measures: Measures, qrels: Qrels) -> tuple[list[Any], KernelEvaluator]:
    """Measures, each once, and what evaluates them.

    Raises
    ------
    ValueError
        As the evaluator; a measure is left to the host; the judgments are preferences.
    """
    chosen = list(dict.fromkeys(parse_all(measures)))
    other = next((measure for measure in chosen if not supports(measure)), None)
    if other is not None:
        raise ValueError(f"{other} is left to ir_measures, which says nothing about its values: no bounds are known")
    if not chosen:
        raise ValueError("there is no measure to evaluate")
    evaluate = evaluator(chosen, qrels)
    assert isinstance(evaluate, KernelEvaluator)
    if not evaluate.pool.preferences_of_grades:
        raise ValueError(
            "unjudged documents are given grades, and these judgments are preferences without grades: pass qrels"
        )
    return chosen, evaluate


def hole_intervals(measures: Measures, qrels: Qrels, run: Run, grades: Iterable[float] | None = None) -> pd.DataFrame:
    """Lowest and highest value over all grades of the unjudged retrieved documents: see `irpref.intervals`.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels, run : in any form that `irpref.evaluator` takes
    grades : numbers, optional
        The grades that such documents could have; by default the whole grades from 0 to the top of the scale, and
        the top: the measure's `max_rel`, else the highest grade of the qrels (1 if none is above 0).

    Returns
    -------
    pandas.DataFrame
        As `irpref.intervals`, topics by rising id, then the mean of each measure (the sum, of measures that count).
        `low` and `high` were attained: there are grades that give them. If `exact` is False, they were found by a
        search, and there may be grades that give still lower or higher values.

    Raises
    ------
    ValueError
        As the evaluator; grades that cannot be.
    """
    return _intervals(measures, qrels, [run], grades)


def difference_intervals(
    measures: Measures, qrels: Qrels, run_a: Run, run_b: Run, grades: Iterable[float] | None = None
) -> pd.DataFrame:
    """Lowest and highest difference of two runs over the grades that unjudged documents of either could have.

    A document that both runs retrieve has one grade: it moves both values, and the difference less than either, or not
    at all. So the interval of a difference is narrower than the intervals of the two values suggest.

    Parameters
    ----------
    measures : measures that are computed here, or their names
    qrels, run_a, run_b : in any form that `irpref.evaluator` takes
    grades : as `irpref.intervals(over='unjudged')` takes them

    Returns
    -------
    pandas.DataFrame
        As `irpref.intervals(over='unjudged')`, of the value of `run_a` less that of `run_b`.

    Raises
    ------
    ValueError
        As `hole_intervals`.

    Examples
    --------
    Both retrieve x, which nobody judged; b retrieves y besides.

    >>> qrels, a, b = {"q": {"r": 1}}, {"q": {"r": 2, "x": 1}}, {"q": {"x": 2, "y": 1}}
    >>> difference_intervals("P@2", qrels, a, b)[["query_id", "value", "low", "high", "exact"]]
      query_id  value  low  high  exact
    0        q    0.5  0.0   0.5   True
    1     None    0.5  0.0   0.5   True
    """
    return _intervals(measures, qrels, [run_a, run_b], grades)


def _intervals(measures: Measures, qrels: Qrels, given: list[Run], grades: Iterable[float] | None) -> pd.DataFrame:
    chosen, evaluate = prepared(measures, qrels)
    runs = list(retrieved(evaluate, dict(enumerate(given))).values())
    holes = {negative: Holes(evaluate.pool, runs, negative) for negative in set(map(negative_is_a_grade, chosen))}
    columns = {}
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        found = bounds_of(measure, task, holes[negative_is_a_grade(measure)], grid)
        value = np.subtract.reduce([run.values[measure] for run in runs])
        columns[measure] = {"value": value, "expected": np.full(value.size, np.nan), **found._asdict()}
    return by_topic(evaluate, columns)


def tasks_of(
    chosen: list[Any], evaluate: KernelEvaluator, grades: Iterable[float] | None
) -> Iterator[tuple[Any, partial[Floats], Floats]]:
    """Each measure with its kernel and the grades that a hole can have."""
    for measure in chosen:
        task = evaluate.tasks[measure]
        assert isinstance(task, partial)
        yield measure, task, grade_grid(measure, task.keywords, evaluate.pool, grades)
