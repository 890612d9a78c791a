"""The arguments that results of the lab share: their usual values, and checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irpref.errors import ArgumentError, JudgmentsError
from irpref_lab.messages import not_accepted

LEVEL = 0.95  # of tests and intervals, unless you choose another
MARGIN = 0.02  # the smallest loss that matters to a gate, unless you choose another
OVER = ("topics", "collections")  # which of these are the sample, if there are several collections
# Arguments of verdicts on one collection that several collections refuse.
OF_ONE_COLLECTION = ("groups", "margin", "n_permutations", "rng", "sort", "strict")
_DEEPEST = 2**31 - 1  # as the cutoff of a measure
_EXPECTED_LEVEL = "a confidence level above 0.5 and below 1, such as 0.95"


def check_level(level: Any) -> float:
    """Return the confidence level of a verdict as a float.

    Raises
    ------
    ArgumentError
        It does not lie between 0.5 and 1. A level below is likely an error rate: 0.05 for 0.95.
    """
    number = _number(level)
    if 0.5 < number < 1:
        return number
    if 0 < number < 0.5:
        meant = f"{float(f'{1 - number:.12g}'):g}"
        raise ArgumentError(
            f"level={level!r} is not accepted, expected {_EXPECTED_LEVEL}"
            + f"; did you mean {meant}?" * (meant != "1"),
            parameter="level",
            value=level,
        )
    raise not_accepted("level", level, _EXPECTED_LEVEL)


def check_share(name: str, value: Any) -> float:
    """Return a value between 0 and 1 as a float: the level of an interval or a test, or a power.

    Raises
    ------
    ArgumentError
        It does not lie between 0 and 1.
    """
    number = _number(value)
    if not 0 < number < 1:
        raise not_accepted(name, value, "a number between 0 and 1")
    return number


def check_unused(where: str, **given: Any) -> None:
    """Refuse options that would have no effect: those that are neither None, nor False, nor the
    usual "topics".

    Raises
    ------
    ArgumentError
    """
    for name, value in given.items():
        if value is not None and value is not False and value != "topics":
            raise ArgumentError(f"{name} does not apply to {where}", parameter=name, value=value)


def check_names(names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse names of two runs that the columns of a table cannot have beside these.

    Raises
    ------
    ArgumentError
    """
    if len(names) != 2 or len(set(names)) != 2 or set(names) & set(columns):
        raise not_accepted("names", names, f"two different names other than {', '.join(columns)}")


def check_margin(margin: Any, limits: tuple[float, float] = (0.0, math.inf)) -> float:
    """Return the margin as a float.

    Parameters
    ----------
    margin : float
    limits : two floats
        The least and the largest value of the measure.

    Raises
    ------
    ArgumentError
        The margin is negative, or no loss can be as large. A margin of 2 is likely a percentage.
    """
    number, span = _number(margin), limits[1] - limits[0]
    if not 0 <= number < math.inf:
        raise not_accepted("margin", margin, "a difference of at least 0, such as 0.02")
    if number < span:
        return number
    share = number / 100
    meant = f"{share:g}" if 0 < share < span else None
    raise ArgumentError(
        f"margin={margin!r} is not accepted: values of the measure are at most {span:g} apart, so "
        f"no loss could be blocked" + (f"; did you mean {meant}?" if meant else ""),
        parameter="margin",
        value=margin,
    )


def check_missing(missing: Any) -> float:
    """Return the share of topics that may be missing as a float.

    Raises
    ------
    ArgumentError
        It is below 0, 1 or above, or no number.
    """
    number = _number(missing)
    if not 0 <= number < 1:
        raise not_accepted(
            "missing", missing, "a share of the topics of at least 0 and below 1, such as 0.05"
        )
    return number


def check_topics(n_topics: int, what: str, group: str | None = None, least: int = 2) -> None:
    """Refuse fewer topics than these, of a group if there are groups.

    Raises
    ------
    JudgmentsError
    """
    if n_topics < least:
        where = "" if group is None else f" in group {group!r}"
        raise JudgmentsError(
            f"{what} needs at least {least} topic{'s' * (least > 1)}, got {n_topics}{where}"
        )


def check_depth(depth: Any) -> int | None:
    """Return the depth as an integer, or None.

    Raises
    ------
    ArgumentError
        It is neither None nor an integer of at least 1.
    """
    if depth is None:
        return None
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 1:
        raise not_accepted("depth", depth, "a number of documents of at least 1")
    if depth > _DEEPEST:
        raise not_accepted("depth", depth, f"at most {_DEEPEST:,} documents")
    return int(depth)


def _number(value: Any) -> float:
    """Return a number as a float; NaN for anything else, which no check accepts."""
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    return float(value) if is_number and not isinstance(value, bool) else math.nan
