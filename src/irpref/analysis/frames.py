"""Data frames with attributes, and the one form of a table of intervals."""

from __future__ import annotations

from typing import Any, Self

import pandas as pd

COLUMNS = ("query_id", "measure", "value", "low", "expected", "high", "exact")


class ResultFrame(pd.DataFrame):  # type: ignore[misc]  # pandas ships no types
    """A DataFrame with the attributes that its class names in `_metadata`; what pandas makes of it has them, too."""

    @property
    def _constructor(self) -> type[Self]:
        return type(self)


def interval_table(**columns: Any) -> pd.DataFrame:
    """A table of intervals: a column for each of `COLUMNS`, then further ones that are given.

    Parameters
    ----------
    **columns : sequences of one length
        `query_id` (None: the mean over the topics), `measure` (its name), `value` (as evaluated), `low`,
        `expected`, `high`, `exact` (whether the bounds are those of the definition, not an estimate of them);
        `error` (standard error of an estimate), `bias` (estimate of how far `expected` is off).
    """
    # Objects, since None among strings would become NaN.
    columns["query_id"] = pd.Series(list(columns["query_id"]), dtype=object)
    return pd.DataFrame({name: columns[name] for name in (*COLUMNS, *columns)})
