"""`compare`, `gate` and `leaderboard` on the judgments of a sample (`irpref.lab.sampled`).

Tests and intervals over topics are those of full judgments: topics stay independent, so they hold
on estimated values as on any others. Beside them is the interval of the difference under full human
judgments of these same topics, `low_judged` to `high_judged`: whether to go on judging. What needs
the value of a single run, or the grade of a document that nobody drew, is missing.

Looks share the level of both kinds of intervals, and so do the pairs of a board the level of
`low_judged` and `high_judged`. After another number of documents there are numbers and no verdict.
A topic is left out only for what runs lack, never for its grades."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irpref.judged.groups import groups_of
from irpref.judged.types import Groups, Run, Runs
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.lab.judges.sampled import Sampled, SampledValues
from irpref.measures.declare import Measures
from irpref.values.matrix import TopicValues

MISSING = 0.05  # share of topics without documents of a run above which nothing is decided
JUDGED = ["low_judged", "high_judged"]


def values_of_two(
    judgments: Sampled, measures: Measures, names: Sequence[str], runs: Sequence[Run]
) -> list[SampledValues]:
    """Values of two runs.

    Raises
    ------
    ValueError
        As `Sampled.values`; a run has no documents for any topic.
    """
    found = judgments.values(measures, dict(zip(names, runs, strict=True)))
    answers = found[0].answers
    for name, topics in zip(names, answers, strict=True):
        if not topics.any():
            raise ValueError(f"{name} has no documents for any topic of the plan")
    return found


def grouped(
    found: SampledValues, groups: Groups | None
) -> list[tuple[dict[str, Any], SampledValues]]:
    """The values on each group of topics, with what to call it: {} without groups."""
    if groups is None:
        return [({}, found)]
    parts = groups_of(groups, None, found.values.topics)
    return [({"group": group}, found.on(inside)) for group, inside in parts.items()]


def unanswered(found: SampledValues) -> list[int]:
    """How many topics each run has no documents for."""
    numbers: list[int] = (~found.answers).sum(axis=1).tolist()
    return numbers


def lacks_topics(found: SampledValues) -> bool:
    """Whether a run lacks so many topics that nothing is decided."""
    return max(unanswered(found)) > MISSING * found.values.n_topics


def judged_columns(
    judgments: Sampled, found: SampledValues, level: float, a: int = 0, b: int = 1
) -> dict[str, float]:
    """Interval of the difference b - a under full human judgments of these topics."""
    first, second = np.array([a]), np.array([b])
    low, high = found.intervals(first, second, judgments.share(level))
    return {"low_judged": float(low[0]), "high_judged": float(high[0])}


def judged_sentence(
    judgments: Sampled, found: SampledValues, row: Mapping[str, Any], names: Sequence[str]
) -> str:
    """What full judgments of these topics would say, and whether to go on."""
    low, high = row["low_judged"], row["high_judged"]
    if not judgments.at_look:
        if math.isnan(low):
            return "The sample does not say yet what full judgments of these topics would give."
        return f"On these topics full judgments would give {low:.4f} to {high:.4f}; no look here."
    if judgments.n_judged == judgments.n_drawn:
        return "All documents that matter are judged."
    if math.isnan(low):
        return "The sample does not say yet which run full judgments would put ahead: judge more."
    if low > 0 or high < 0:
        ahead = names[1] if low > 0 else names[0]
        least, most = sorted((abs(low), abs(high)))
        return (
            f"On these topics full judgments would put {ahead} ahead by {least:.3f} to {most:.3f}: "
            "you may stop."
        )
    further = found.further(0, 1)
    more = "" if not further else f": about {about(further):,} more documents would halve it"
    return (
        f"On these topics full judgments could still put either ahead ({low:.3f} to {high:.3f})"
        f"{more}."
    )


def about(n: int) -> int:
    """The number rounded up to two significant digits."""
    unit: int = 10 ** max(len(str(n)) - 2, 0)
    return -(-n // unit) * unit


def judged_pairs(
    judgments: Sampled, found: SampledValues, pairs: pd.DataFrame, level: float
) -> pd.DataFrame:
    """The pairs of a board (`a` minus `b`), with intervals under full human judgments that hold
    together for all pairs of the table.
    """
    place = {name: i for i, name in enumerate(found.values.systems)}
    first, second = (
        np.array([place[name] for name in pairs[column]], dtype=np.int64) for column in "ba"
    )
    share = judgments.share(level)
    low, high = found.intervals(first, second, 1 - (1 - share) / max(len(pairs), 1))
    return pairs.assign(low_judged=low, high_judged=high)


def board_values(
    judgments: Sampled, measures: Measures, runs: Runs, further: Sequence[str]
) -> tuple[dict[str, TopicValues], dict[str, SampledValues]]:
    """Values for a board: those of the measures, and of what every board has besides (`further`:
    the share of judged documents, which is unknown, and the topics with documents).
    """
    found = {one.values.measure: one for one in judgments.values(measures, runs)}
    first = next(iter(found.values()))
    beside: tuple[Floats, Floats] = (
        np.zeros(first.answers.shape),
        first.answers.astype(np.float64),
    )
    values = {name: one.values for name, one in found.items()}
    for name, numbers in zip(further, beside, strict=True):
        values[name] = TopicValues(name, first.values.systems, first.values.topics, numbers)
    return values, found


def kept_topics(found: SampledValues, run: int) -> Bools:
    """Topics for which a run has documents."""
    kept: Bools = found.answers[run]
    return kept


def no_gain_where_missing(found: SampledValues, run: int, gain: Floats) -> Floats:
    """The gains by topic of a run, of which a topic without documents is never one."""
    return np.where(found.answers[run], gain, np.minimum(gain, 0.0))


def pair_rows(n_pairs: int) -> tuple[Ints, Ints]:
    """First and second run of all pairs."""
    first, second = np.triu_indices(n_pairs, 1)
    return first, second
