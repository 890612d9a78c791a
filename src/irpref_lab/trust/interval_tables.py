"""The form of all tables of intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from ir_measures.measures import Measure
from ir_measures.measures.base import SumAgg

from irpref.values import KernelEvaluator

COLUMNS = ("query_id", "measure", "value", "low", "expected", "high", "exact")


def interval_table(**columns: Any) -> pd.DataFrame:
    """Make a table of intervals: a column for each of `COLUMNS`, then any further columns.

    Parameters
    ----------
    **columns : sequences of one length
        `query_id` (None: the mean over the topics), `measure` (its name), `value` (as evaluated),
        `low`, `expected`, `high`, `exact` (whether the bounds follow the definition; else they are
        estimates); `error` (standard error of an estimate), `bias` (estimate of how far `expected`
        is off).
    """
    # Objects, since None among strings would become NaN.
    columns["query_id"] = pd.Series(list(columns["query_id"]), dtype=object)
    return pd.DataFrame({name: columns[name] for name in (*COLUMNS, *columns)})


def by_topic(
    evaluate: KernelEvaluator, measures: Mapping[Measure, Mapping[str, Any]]
) -> pd.DataFrame:
    """Make a table of measures: topics in ascending order of id, then their mean (the sum, for
    measures that count).

    Parameters
    ----------
    evaluate : KernelEvaluator
    measures : mapping of measure to columns
        As `interval_table` takes them, each an array (n_topics,).
    """
    order = sorted(range(len(evaluate.topic_ids)), key=evaluate.topic_ids.__getitem__)
    ids = [*(evaluate.topic_ids[t] for t in order), None]
    every: dict[str, list[Any]] = {"query_id": ids * len(measures), "measure": []}
    for measure, columns in measures.items():
        every["measure"] += [str(measure)] * len(ids)
        for name, column in columns.items():
            if name == "exact":
                mean: Any = bool(column.all())
            elif name == "error":
                counts = isinstance(measure.aggregator(), SumAgg)
                mean = math.sqrt(float((column**2).sum())) / (1 if counts else column.size)
            else:
                mean = evaluate.means_of({measure: column})[measure]
            every.setdefault(name, []).extend([*column[order].tolist(), mean])
    return interval_table(**every)
