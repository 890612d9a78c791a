"""The line about each measure that a table of intervals of several runs begins with."""

from __future__ import annotations

from typing import Any

import pandas as pd

from irpref.messages import visible
from irpref_lab.arguments import LEVEL

_CHANGES = {
    "ties": "another order of tied documents",
    "unjudged": "grades for unjudged documents",
}


def lines_of(means: pd.DataFrame, over: str, level: float = LEVEL) -> str:
    """Say how far the means of runs can move, a line for each measure (and group of topics).

    Parameters
    ----------
    means : DataFrame
        Rows of `irpref_lab.intervals` about means, with `run`.
    over : {'ties', 'unjudged', 'topics'}
    level : float
        Of an interval over topics.
    """
    by = ["measure", "group"] if "group" in means else ["measure"]
    lines = []
    for key, rows in means.groupby(by, sort=False):
        head = ", ".join(map(str, key))
        text = _over_topics(rows, level) if over == "topics" else _over_grades(rows, over)
        lines.append(f"{head}: {text}.")
    return "\n".join(lines)


def _over_topics(rows: pd.DataFrame, level: float) -> str:
    known = rows[rows["low"].notna()]
    if known.empty:
        return "too few topics for an interval"
    widest = _widest(known)
    interval = f"{widest['low']:.4f} to {widest['high']:.4f}"
    name, of = visible(widest["run"]), f"the {100 * level:.4g} % interval over topics"
    if len(rows) == 1:
        return f"{of} of {name} ({widest['value']:.4f}) is {interval}"
    return (
        f"{of} is widest for {name} ({widest['value']:.4f}), {interval}; to see if runs differ, "
        "compare them: intervals of runs that differ can overlap"
    )


def _over_grades(rows: pd.DataFrame, over: str) -> str:
    moved, n = rows[rows["low"] < rows["high"]], len(rows)
    of = _CHANGES[over]
    if moved.empty:
        if rows["low"].isna().any():
            return "there are no intervals"
        which = f"the mean of {visible(rows['run'].iloc[0])}" if n == 1 else f"any of {n:,} means"
        cannot = "cannot change" if rows["exact"].all() else "did not change, as far as searched,"
        return f"{of} {cannot} {which}"
    widest = _widest(moved)
    mean = f"the mean of {visible(widest['run'])} ({widest['value']:.4f})"
    beyond = "" if rows["exact"].all() else ", or beyond"
    reach = f"{widest['low']:.4f} to {widest['high']:.4f}{beyond}"
    if n == 1:
        return f"{of} can move {mean}: {reach}"
    return f"{of} can move {len(moved):,} of {n:,} means, most of all {mean}: {reach}"


def _widest(rows: pd.DataFrame) -> Any:
    """Select the row with the widest interval."""
    return rows.loc[(rows["high"] - rows["low"]).idxmax()]
