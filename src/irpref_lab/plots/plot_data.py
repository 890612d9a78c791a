"""The data of pictures: tables of `irpref.curves`, and values of systems by topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from irpref import curves
from irpref.data import named_runs
from irpref.errors import ArgumentError, ColumnError
from irpref.values import TopicValues, values_in
from irpref_lab.meta.values import topic_values
from irpref_lab.plots.drawing import count

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged import QrelsLike, RunLike, Runs
    from irpref.measures.declare import MeasureLike

# Data from which pictures of values by topic are drawn.
Values: TypeAlias = "QrelsLike | TopicValues | Iterable[TopicValues]"
# One run, or several by name; None with a table.
GivenRuns: TypeAlias = "RunLike | Runs | None"


def curve_table(
    name: str, needed: Sequence[str], data: Any, runs: GivenRuns, options: Any
) -> pd.DataFrame:
    """Return the table you pass, or the one that a function of `irpref.curves` makes from qrels,
    runs and options.

    Raises
    ------
    ValueError
        `data` is not such a table, or is empty.
    """
    if runs is not None:
        return getattr(curves, name)(data, runs, **options)
    columns = [str(column) for column in getattr(data, "columns", ())]
    missing = [column for column in ("run", *needed) if column not in columns]
    if missing:
        raise ColumnError(
            f"expected the table of irpref.curves.{name} or qrels and runs; column {missing[0]!r} "
            f"is missing "
            f"(found: {', '.join(columns) or 'none'})",
            missing=tuple(missing),
            header=tuple(columns),
        )
    if not len(data):
        raise ArgumentError(
            f"the table of irpref.curves.{name} is empty: there is nothing to draw",
            parameter="data",
        )
    return data


def curve_means(
    name: str, needed: Sequence[str], data: Any, runs: GivenRuns, options: Any
) -> pd.DataFrame:
    """Return the table as `curve_table` does, for means or one topic: each run and group of topics
    becomes a run of its own.
    """
    table = curve_table(name, needed, data, runs, options)
    if "query_id" in table:
        return only(table, "query_id", None)
    if "group" not in table:
        return table
    alone = set(table["run"]) == {"run"}  # the name of a run without one
    drawn = table.assign(
        run=table["group"] if alone else table["run"] + " (" + table["group"] + ")"
    )
    drawn.attrs = table.attrs
    return drawn


def only(table: pd.DataFrame, column: str, wanted: str | None) -> pd.DataFrame:
    """Select the rows of one run or topic. Raise `ValueError` if there are several and none is
    named, or if none has this name.
    """
    present = list(dict.fromkeys(table[column]))
    what = {"run": "run", "query_id": "topic"}[column]
    names = ", ".join(map(str, present[:6])) + (", ..." if len(present) > 6 else "")
    if wanted is None and len(present) > 1:
        raise ArgumentError(
            f"the table holds {len(present)} {what}s ({names}): name one with {column}=",
            parameter=column,
        )
    if wanted is not None and wanted not in present:
        raise ArgumentError(
            f"no {what} {wanted!r} in the table (found: {names})", parameter=column, value=wanted
        )
    return table if wanted is None else table[table[column] == wanted]


def differences(
    data: Any, runs: GivenRuns, baseline: Any, measure: MeasureLike | None, options: dict[str, Any]
) -> pd.DataFrame:
    """Compute differences of runs from a baseline by topic, from a table of differences, values by
    topic, or qrels and runs.
    """
    if runs is not None:
        options = {**options, "baseline": baseline, "per_topic": True}
        if measure is not None:
            return curves.paired_differences(data, runs, measure=measure, **options)
    elif _are_values(data):
        if not isinstance(baseline, str):
            raise ArgumentError(
                "with values by topic, give the baseline by its name",
                parameter="baseline",
                value=baseline,
            )
        (by_topic,) = values(data, None, [] if measure is None else [measure], 1)
        return curves.value_differences(by_topic, baseline, per_topic=True)
    return curve_table("precision_histogram", ("query_id", "difference"), data, runs, options)


def values(
    data: Any, runs: GivenRuns, measures: Sequence[MeasureLike], number: int
) -> list[TopicValues]:
    """Return values by topic of one or two measures, from values, or from qrels and runs.

    Raises
    ------
    ValueError
        The number of measures is not `number`.
    """
    if runs is None:
        by_measure = values_in(data, measures)
    elif measures:
        by_measure = list(topic_values(measures, data, named_runs(runs, "run")).values())
    else:
        raise ArgumentError("with qrels and runs, say which measure", parameter="measure")
    if len(by_measure) != number:
        names = ", ".join(each.measure for each in by_measure)
        held = f"{count(len(by_measure), 'measure')} ({names})"
        if len(measures) == len(by_measure):
            raise ArgumentError(
                f"the picture is of {count(number, 'measure')}, got {held}",
                parameter="measures",
                value=measures,
            )
        which = (
            f"say which {number}"
            if number > 1
            else f"say which, such as measure={by_measure[0].measure!r}"
        )
        raise ArgumentError(f"the results hold {held}: {which}", parameter="measure")
    return by_measure


def _are_values(data: Any) -> bool:
    """Test whether these are values by topic, not a table of a curve."""
    if isinstance(data, TopicValues) or hasattr(data, "perquery"):
        return True
    return {"measure", "value"} <= {str(name) for name in getattr(data, "columns", ())}


def constant_npref(table: pd.DataFrame) -> str:
    """Word the note on a picture of n-pref if no value depends on the number of partitions, else
    empty.
    """
    of_run = table.groupby("run")["value"]
    same = table["n"].nunique() > 1 and bool((of_run.max() - of_run.min() <= 1e-12).all())
    return "the same for every n, as always with binary judgments" if same else ""
