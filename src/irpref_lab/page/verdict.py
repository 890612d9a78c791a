"""The line that a page of three or more runs begins with: which run is best, and which are not
shown to differ from it.
"""

from __future__ import annotations

import pandas as pd

from irpref_lab.decide.board import Leaderboard

MOST_NAMED = 3  # runs that are not shown to differ from the best one, before their number is given


def best_of_many(board: Leaderboard, measure: str) -> str:
    """Word which run is best by a measure and which are not shown to differ from it; return an
    empty string where nothing was tested.
    """
    rows = board[(board["measure"] == measure) & board["place_low"].notna()]
    if len(rows) < 3:
        return ""
    best, others = rows["run"].iloc[0], rows["run"].iloc[1:].tolist()
    worse = _different_from(board, measure, best)
    alike = [name for name in others if name not in worse]
    mean = f"{rows['mean'].iloc[0]:.4f}"
    if not alike:
        return f"{measure}: {best} ({mean}) is better than each of the other {len(others)} runs."
    if len(alike) == len(others):
        which = f"none of the other {len(others)} runs is shown to differ from it"
    else:
        verb = "is" if len(alike) == 1 else "are"
        which = (
            f"{len(alike)} of the other {len(others)} runs {verb} not shown to differ from it: "
            f"{_named(alike)}"
        )
    return f"{measure}: {best} has the best mean ({mean}); {which}."


def _different_from(board: Leaderboard, measure: str, run: str) -> set[str]:
    """Names of the runs that are shown to differ from one."""
    shown: pd.DataFrame = board.different_pairs()
    shown = shown[shown["measure"] == measure]
    return {*shown.loc[shown["a"] == run, "b"], *shown.loc[shown["b"] == run, "a"]}


def _named(names: list[str]) -> str:
    """Name the first few, and count the rest."""
    first, more = names[:MOST_NAMED], len(names) - MOST_NAMED
    if more > 0:
        return f"{', '.join(first)} and {more} more"
    return " and ".join([", ".join(first[:-1]), first[-1]] if len(first) > 1 else first)
