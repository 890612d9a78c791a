"""Lowest and highest value of a measure over the grades that unjudged retrieved documents could have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irpref.analysis.frames import COLUMNS, interval_table
from irpref.analysis.holes.filled import Holes
from irpref.analysis.holes.forms import FORMS, Topic
from irpref.analysis.holes.search import CORNERS, Found, Places, Ways, attained, corners, every_way, search
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

    @classmethod
    def of(cls, found: dict[int, Found]) -> Bounds:
        """Of each topic's, topics 0 to n - 1."""
        low, high, exact = ([of[i] for _, of in sorted(found.items())] for i in range(3))
        return cls(np.array(low, float), np.array(high, float), np.array(exact, bool))


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


def by_rising_id(measure: Measure) -> bool:
    """Whether the host's measure has tied documents by rising id."""
    of_host = hosted(measure)
    return of_host is not None and of_host.ties(measure)


def negative_is_a_grade(measure: Measure) -> bool:
    """Whether documents with a negative grade are judged for a measure, and so are no holes."""
    return isinstance(measure, KernelMeasure) and type(measure).NEGATIVE_GRADES


def bounds_of(measure: Measure, task: partial[Floats], holes: Holes, grid: Floats) -> Bounds:
    """Bounds of each topic."""
    some: dict[int, Ways] = {}
    rest: dict[int, Places] = {}
    form, cutoff = FORMS.get(task.func), task.keywords.get("cutoff")
    for t in range(holes.base.n_topics):
        places = Places.of(-holes.ranks(t).astype(np.float64), holes.seen(t, cutoff, by_rising_id(measure)))
        ways = form(Topic.of(holes, t, cutoff), grid, **task.keywords) if form else None
        if task.func in CORNERS:
            ways = corners(places, grid)
        if ways is None:
            ways = every_way(places.seen.size, grid)
        if ways is None:
            rest[t] = places
        else:
            some[t] = ways
    values = partial(holes.values, task)
    return Bounds.of(attained(values, some) | search(values, rest, grid))


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
    chosen, evaluate = prepared(measures, qrels)
    judged = evaluate.align(run)
    values = evaluate.values_of(judged)
    holes: dict[bool, Holes] = {}
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for measure in chosen:
        task = evaluate.tasks[measure]
        assert isinstance(task, partial)
        negative = negative_is_a_grade(measure)
        if negative not in holes:
            holes[negative] = Holes(judged, negative)
        found = bounds_of(measure, task, holes[negative], grade_grid(measure, task.keywords, evaluate.pool, grades))
        add_rows(columns, evaluate, measure, values[measure], found)
    return interval_table(**columns)


def add_rows(
    columns: dict[str, list[Any]], evaluate: KernelEvaluator, measure: Measure, value: Floats, of: Bounds
) -> None:
    """The rows of a measure: topics by rising id, then their mean."""
    order = sorted(range(value.size), key=evaluate.topic_ids.__getitem__)
    columns["query_id"] += [evaluate.topic_ids[t] for t in order] + [None]
    columns["measure"] += [str(measure)] * (len(order) + 1)
    columns["expected"] += [np.nan] * (len(order) + 1)
    columns["exact"] += [*of.exact[order].tolist(), bool(of.exact.all())]
    for name, column in (("value", value), ("low", of.low), ("high", of.high)):
        columns[name] += [*column[order].tolist(), evaluate.means_of({measure: column})[measure]]
