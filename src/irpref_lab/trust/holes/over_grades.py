"""Lowest and highest value of a measure over the grades that unjudged retrieved documents could
have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref import evaluator
from irpref.errors import ArgumentError, MeasureError
from irpref.judged import Listing, Pool, QrelsLike, RunLike, read_once
from irpref.kernel import Bools, Floats, Holes
from irpref.measures.declare import KernelMeasure, Measures
from irpref.measures.everyday import declaration, supports
from irpref.measures.names import parse_all
from irpref.messages import about
from irpref.values import KernelEvaluator
from irpref_lab.messages import not_accepted
from irpref_lab.trust.holes.open_runs import OpenRuns
from irpref_lab.trust.holes.search import (
    Places,
    Ways,
    attained,
    corners,
    every_way,
    one_relevant,
    search,
)
from irpref_lab.trust.interval_tables import by_topic

MOST_GRADES = 256
_ROUNDING = 1e-9


class Bounds(NamedTuple):
    """Bounds of each topic: arrays (n_topics,)."""

    low: Floats
    high: Floats
    exact: Bools


def grade_grid(
    measure: Measure, arguments: dict[str, Any], pool: Pool, grades: Iterable[float] | None
) -> Floats:
    """List the grades that a hole can have, ascending.

    Raises
    ------
    ValueError
        There is no grade; a grade is not a finite number, or is negative and the measure counts
        such documents as unjudged; gains fall as these grades rise; the scale is too long for all
        of its whole grades.
    """
    negative = negative_is_a_grade(measure)
    of_qrels = np.array(pool.scale())
    gains = measure.params.get("gains") or {}
    if grades is not None:
        grid = _given(grades)
        if grid[0] < 0 and not negative:
            raise ArgumentError(
                f"grades: {grid[0]:g} is negative, which means unjudged for {measure}; expected "
                f"grades of at least 0",
                parameter="grades",
                value=grid[0],
            )
    else:
        top, max_rel = float(of_qrels[-1]), arguments.get("max_rel")
        if max_rel is not None and not gains:  # with gains it is a gain, not a grade
            top = float(max_rel)
        top = top if top > 0 else 1.0
        if top > MOST_GRADES:
            raise ArgumentError(
                f"{measure}: the scale reaches from 0 to {top:g}, too many grades to try them all; "
                "pass those that unjudged documents could have, as in grades=[0, 50, 100]",
                parameter="grades",
            )
        grid = np.unique(np.append(np.arange(np.floor(top) + 1), top))
        if gains:
            # Unused grades without a gain of their own may not fit between those that have one.
            grid = grid[np.isin(grid, of_qrels) | np.isin(grid, list(gains)) | (grid == 0)]
    if isinstance(measure, KernelMeasure):
        measure.check_gains(np.union1d(of_qrels, grid).tolist())
    return grid


def _given(grades: Iterable[float]) -> Floats:
    try:
        grid = np.unique([grade + 0.0 for grade in grades])
    except TypeError:
        grid = np.zeros(0)
    if not grid.size or not np.isfinite(grid).all():
        raise not_accepted("grades", grades, "one finite number or more, such as [0, 1, 2]")
    return grid


def negative_is_a_grade(measure: Measure) -> bool:
    """Test whether a measure counts documents with a negative grade as judged, not as holes."""
    return isinstance(measure, KernelMeasure) and type(measure).NEGATIVE_GRADES


def bounds_of(
    measure: Measure,
    task: partial[Floats],
    runs: OpenRuns,
    grid: Floats,
    topics: Sequence[int] | None = None,
) -> Bounds:
    """Find the bounds of each topic, or of some topics, of the value or of the difference of two
    runs.
    """
    declared = declaration(measure)
    assert declared is not None
    effects = declared.HOLES
    if effects.binary:
        grid = np.unique(grid[[0, -1]])
    cutoff, rising = task.keywords.get("cutoff"), ties_rise(measure)
    chosen = range(runs.holes.n) if topics is None else topics
    some: dict[int, Ways] = {}
    rest: dict[int, Places] = {}
    for t in chosen:
        rank = runs.ranks(t, rising)
        seen = rank < np.inf if cutoff is None else rank <= cutoff
        ways = _known(effects, grid, rank, seen)
        ways = ways or every_way(rank.shape[1], grid)
        if ways is None:
            discount = np.where(seen, 1 / np.log2(rank + 1), 0.0)
            rest[t] = Places.by_effect(np.subtract.reduce(discount), np.asarray(seen.any(axis=0)))
        else:
            some[t] = ways
    values = partial(runs.values, task, rising=rising)
    ends = attained(values, some) | search(values, rest, grid)
    low, high = np.array([ends[t] for t in chosen]).reshape(-1, 2).T
    return Bounds(low, high, np.array([t in some for t in chosen], bool))


def ties_rise(measure: Measure) -> bool:
    """Test whether a measure ranks documents of equal score by ascending id."""
    return isinstance(measure, KernelMeasure) and measure.TIES_BY_RISING_ID


def _known(effects: Holes, grid: Floats, rank: Floats, seen: Bools) -> Ways | None:
    """List ways that include the extremes, from the measure's declaration; None if there are
    others.
    """
    if len(seen) == 1:
        return corners(seen, grid) if effects.monotone else None
    if effects.monotone_difference:
        return corners(seen, grid)
    if effects.first_only:
        first, second = np.where(seen, rank, np.inf)
        return one_relevant(first, second, grid)
    return None


def prepared(measures: Measures, qrels: QrelsLike) -> tuple[list[Any], KernelEvaluator]:
    """Return the measures without duplicates, and their evaluator.

    Raises
    ------
    ValueError
        As the evaluator; only the host computes a measure; the judgments are preferences.
    """
    chosen = parse_all(measures)
    other = next((measure for measure in chosen if not supports(measure)), None)
    if other is not None:
        raise MeasureError(
            f"{other} is left to ir_measures, which says nothing about its values: no bounds are "
            f"known",
            measure=str(other),
        )
    evaluate = evaluator(chosen, qrels)
    assert isinstance(evaluate, KernelEvaluator)
    if not evaluate.pool.preferences_of_grades:
        raise ArgumentError(
            "unjudged documents are given grades, and these judgments are preferences without "
            "grades: pass qrels",
            parameter="qrels",
        )
    return chosen, evaluate


def hole_intervals(
    measures: Measures, qrels: QrelsLike, run: RunLike, grades: Iterable[float] | None = None
) -> pd.DataFrame:
    """Find the lowest and the highest value over all grades of the unjudged retrieved documents:
    see `irpref_lab.intervals`.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    qrels, run : in any form that `irpref.evaluator` takes
    grades : numbers, optional
        The grades that such documents could have. By default the whole grades from 0 to the top of
        the scale, and the top itself: the measure's `max_rel`, else the highest grade of the qrels
        (1 if none is above 0).

    Returns
    -------
    pandas.DataFrame
        As `irpref_lab.intervals`, topics in ascending order of id, then the mean of each measure
        (the sum, for measures that count). `low` and `high` are attained: there are grades that
        give them. If `exact` is False, they were found by a search, and other grades may give still
        lower or higher values. If it is True, no grades of *retrieved* unjudged documents do; a
        relevant document that nobody retrieved still may, as it is missing from R and the ideal
        list. A measure that ignores unjudged documents (Bpref) can have a `value` outside.

    Raises
    ------
    ValueError
        As the evaluator; grades that are not possible.
    """
    return _intervals(measures, qrels, [run], grades)


def difference_intervals(
    measures: Measures,
    qrels: QrelsLike,
    run_a: RunLike,
    run_b: RunLike,
    grades: Iterable[float] | None = None,
) -> pd.DataFrame:
    """Find the lowest and the highest difference of two runs over the grades that unjudged
    documents of either could have.

    A document that both runs retrieve has the same grade in both: it moves both values, and the
    difference less than either, or not at all. So the interval of a difference is narrower than the
    intervals of the two values suggest.

    Parameters
    ----------
    measures : measures that are computed here, or their names
    qrels, run_a, run_b : in any form that `irpref.evaluator` takes
    grades : as `irpref_lab.intervals(over='unjudged')` takes them

    Returns
    -------
    pandas.DataFrame
        As `irpref_lab.intervals(over='unjudged')`, for the value of `run_b` minus the value of
        `run_a`.

    Raises
    ------
    ValueError
        As `hole_intervals`.

    Examples
    --------
    Nobody judged x and y: both runs retrieve x, and b also retrieves y.

    >>> qrels, a, b = {"q": {"r": 1}}, {"q": {"r": 2, "x": 1}}, {"q": {"x": 2, "y": 1}}
    >>> difference_intervals("P@2", qrels, a, b)[["query_id", "value", "low", "high", "exact"]]
      query_id  value  low  high  exact
    0        q   -0.5 -0.5   0.0   True
    1     None   -0.5 -0.5   0.0   True
    """
    table = _intervals(measures, qrels, [run_a, run_b], grades)  # of the first minus the second
    low, high = -table["high"] + 0.0, -table["low"] + 0.0
    return table.assign(value=-table["value"] + 0.0, low=low, high=high)


def notes_on(table: pd.DataFrame, columns: str = "low, high, exact") -> list[str]:
    """Say what an interval over unjudged documents assumes, and why a value is outside of its own.

    Parameters
    ----------
    table : pandas.DataFrame
        With `measure`, `value`, `low` and `high`.
    columns : str
        Names of the columns that the reader sees.
    """
    notes = [
        f"{columns}: over the grades of unjudged documents that were retrieved; a relevant "
        f"document that nobody retrieved could move a value further"
    ]
    within = table["value"].between(table["low"] - _ROUNDING, table["high"] + _ROUNDING)
    if outside := list(dict.fromkeys(table["measure"][~within & table["value"].notna()])):
        notes.append(
            f"{', '.join(map(str, outside))}: a value can be outside low to high, since there "
            f"every unjudged document has one of the grades, and in the value it has none"
        )
    return notes


def _intervals(
    measures: Measures, qrels: QrelsLike, given: list[RunLike], grades: Iterable[float] | None
) -> pd.DataFrame:
    chosen, evaluate = prepared(measures, qrels)
    of_runs = evaluated(evaluate, dict(zip(("run_a", "run_b"), given, strict=False)))
    runs = {
        negative: OpenRuns(evaluate.pool, [listing for _, listing in of_runs], negative)
        for negative in set(map(negative_is_a_grade, chosen))
    }
    columns = {}
    for measure, task, grid in tasks_of(chosen, evaluate, grades):
        bounds = bounds_of(measure, task, runs[negative_is_a_grade(measure)], grid)
        value = np.subtract.reduce([values[measure] for values, _ in of_runs])
        # A topic without a value may have one with other grades.
        bounds = bounds._replace(exact=bounds.exact & ~np.isnan(value))
        columns[measure] = {
            "value": value,
            "expected": np.full(value.size, np.nan),
            **bounds._asdict(),
        }
    return by_topic(evaluate, columns)


def evaluated(
    evaluate: KernelEvaluator, runs: Mapping[str, RunLike]
) -> list[tuple[dict[Any, Floats], Listing]]:
    """Evaluate each run with the judgments as they are, and list its documents."""
    out = []
    for name, run in runs.items():
        with about(name, len(runs) > 1):
            read: Any = read_once(run)
            out.append((evaluate.values(read), read.on(evaluate.pool)))
    return out


def tasks_of(
    chosen: list[Any], evaluate: KernelEvaluator, grades: Iterable[float] | None
) -> Iterator[tuple[Any, partial[Floats], Floats]]:
    """Yield each measure with its kernel and the grades that a hole can have."""
    for measure in chosen:
        task = evaluate.tasks[measure]
        assert isinstance(task, partial)
        yield measure, task, grade_grid(measure, task.keywords, evaluate.pool, grades)
