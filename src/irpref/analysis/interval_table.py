"""The one form of a table of intervals, whatever they are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures.base import SumAgg

from irpref.judged.groups import groups_of
from irpref.judged.types import Groups, Qrels
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("query_id", "measure", "value", "low", "expected", "high", "exact")
FURTHER = ("error", "bias")


def interval_table(**columns: Any) -> pd.DataFrame:
    """A table of intervals: a column for each of `COLUMNS`, then those of `FURTHER` that are given.

    Parameters
    ----------
    **columns : sequences of one length
        `query_id` (None: the mean over the topics), `measure` (its name), `value` (as evaluated), `low`,
        `expected`, `high`, `exact` (whether the bounds are those of the definition, not an estimate of them);
        `error` (standard error of an estimate), `bias` (estimate of how far `expected` is off).

    Raises
    ------
    TypeError
        A column is missing or unknown.
    """
    import pandas as pd

    missing = [name for name in COLUMNS if name not in columns]
    unknown = [name for name in columns if name not in (*COLUMNS, *FURTHER)]
    if missing or unknown:
        raise TypeError(f"a table of intervals lacks the columns {missing} and does not know {unknown}")
    table = pd.DataFrame({name: columns[name] for name in (*COLUMNS, *FURTHER) if name in columns})
    # Objects, since None among strings would become NaN.
    table["query_id"] = pd.Series(list(columns["query_id"]), dtype=object, index=table.index)
    return table


def by_group(table: pd.DataFrame, measures: Measures, groups: Groups | None, qrels: Qrels) -> pd.DataFrame:
    """A table of topics and means, with the group of each topic, and means over each group in place of all topics."""
    import pandas as pd

    counts = {str(measure): isinstance(measure.aggregator(), SumAgg) for measure in parse_all(measures)}
    of_topics = table[table["query_id"].notna()]
    topics = list(dict.fromkeys(of_topics["query_id"]))
    masks = groups_of(groups, qrels, topics)
    group_of = {topic: group for group, inside in masks.items() for topic in np.array(topics, object)[inside].tolist()}
    of_topics.insert(1, "group", of_topics["query_id"].map(group_of))
    tables = []
    for measure, rows in of_topics.groupby("measure", sort=False):
        tables.append(rows)
        for group in masks:
            here = rows[rows["group"] == group]
            size = 1 if counts[str(measure)] else len(here)
            mean: dict[str, Any] = {"query_id": None, "group": group, "measure": measure}
            for name in here.columns[3:]:
                column = here[name].to_numpy(dtype=np.float64)
                # Topics are sorted by rising id, and added as the evaluator adds them.
                total = np.sqrt(np.cumsum(column * column)) if name == "error" else np.cumsum(column)
                mean[name] = bool(column.all()) if name == "exact" else float(total[-1]) / size
            # The mean of one column may be rounded otherwise than that of another.
            mean["low"], mean["high"] = min(mean["low"], mean["value"]), max(mean["high"], mean["value"])
            tables.append(pd.DataFrame([mean]).astype({"query_id": object}))
    return pd.concat(tables, ignore_index=True)
