"""The one form of a table of intervals, whatever they are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("query_id", "measure", "value", "low", "expected", "high", "exact")
FURTHER = ("error", "low_attained", "high_attained")


def interval_table(**columns: Any) -> pd.DataFrame:
    """A table of intervals: a column for each of `COLUMNS`, then those of `FURTHER` that are given.

    Parameters
    ----------
    **columns : sequences of one length
        `query_id` (None: the mean over the topics), `measure` (its name), `value` (as evaluated), `low`,
        `expected`, `high`, `exact` (whether the bounds are those of the definition, not an estimate of them);
        `error` (standard error of an estimate), `low_attained` and `high_attained` (values that were reached).

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
