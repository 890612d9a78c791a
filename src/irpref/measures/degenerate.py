"""Measures that have nothing to tell apart on some judgments: the bpref family without non-relevant
documents.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel import Bools, Floats, Grades
from irpref.measures.declare import needs
from irpref.messages import DegenerateWarning, warn_user


def nonrelevant(measure: Measure, grade: Floats) -> Bools:
    """Mark grades that are judged, and not relevant to this measure, also one of the host: shape as
    `grade`.
    """
    if "rel" in measure.SUPPORTED_PARAMS:
        return (grade >= 0) & (grade < measure["rel"])
    value = grade.copy()
    for level, gain in (measure.params.get("gains") or {}).items():
        value[grade == level] = gain
    return (grade >= 0) & (value <= 0)


def lacks_nonrelevant(measure: Measure, judgments: Grades) -> Bools:
    """Mark topics in which a measure needs a document judged non-relevant, and there is none: shape
    (n_topics,).
    """
    if "nonrelevant" not in needs(measure):
        return np.zeros(judgments.n_topics, bool)
    return judgments.levels.count(nonrelevant(measure, judgments.level_grade)) == 0


def compares_relevant(measure: Measure, grades: Iterable[float]) -> bool:
    """Test whether a measure still compares relevant documents of different grades if none is
    judged non-relevant.

    Parameters
    ----------
    measure : measure
    grades : iterable of float
        The grades that occur.
    """
    return "rel" not in measure.SUPPORTED_PARAMS and sum(grade >= 0 for grade in set(grades)) > 1


def what_is_left(compares: bool, number: int = 1) -> str:
    """Say how so many measures behave without documents judged non-relevant, for a message that has
    named them; `compares`: see `compares_relevant`.
    """
    s = "s" if number == 1 else ""
    if compares:
        return f"compare{s} only relevant documents with each other"
    return f"say{s} little more than recall"


def warn_degenerate(measure: Measure, grades: Iterable[float]) -> None:
    """Warn that no document is judged non-relevant.

    Parameters
    ----------
    measure : measure
    grades : iterable of float
        The grades that occur.
    """
    warn_user(
        f"{measure}: no document of these qrels is judged non-relevant, so the measure "
        f"{what_is_left(compares_relevant(measure, grades))}",
        DegenerateWarning,
        measure=str(measure),
    )
