"""What the formulas share: exact numbers, the order of evaluation, cutoffs, relevance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

Number: TypeAlias = int | float | Fraction
Ranking: TypeAlias = Iterable[str]  # documents, the best first
Judgments: TypeAlias = Mapping[str, Number]  # of one topic: document to grade
Gains: TypeAlias = Mapping[Number, Number] | None
Formula: TypeAlias = Callable[..., Number]
Function = TypeVar("Function", bound=Callable[..., Any])

# Every measure's formula, by the name of the measure.
FORMULAS: dict[str, Formula] = {}


def formula(name: str) -> Callable[[Function], Function]:
    """Enter a function as the formula of the measure of this name."""

    def enter(function: Function) -> Function:
        FORMULAS[name] = function
        return function

    return enter


def exact(number: Number) -> Fraction:
    """The number as it was written in decimals: 0.29 is 29/100, not the double next to it."""
    if isinstance(number, int | Fraction):
        return Fraction(number)
    return Fraction(repr(float(number)))


def total(fractions: Iterable[Fraction]) -> Fraction:
    """Their sum, a fraction even if there are none."""
    return sum(fractions, Fraction(0))


def mean(fractions: Iterable[Fraction]) -> Fraction:
    """Their mean, 0 if there are none."""
    values = list(fractions)
    return total(values) / max(len(values), 1)


def order(scores: Mapping[str, Number]) -> list[str]:
    """Evaluation order of one topic's run: score (as float64) descending, then document id
    descending.
    """
    by_id = sorted(scores, reverse=True)
    return sorted(
        by_id, key=lambda doc: -float(scores[doc])
    )  # sorted() is stable: ids decide among equals


def top(ranking: Ranking, cutoff: int | None) -> list[str]:
    """The part of the ranking that the user sees."""
    ranking = list(ranking)
    return ranking if cutoff is None else ranking[:cutoff]


def without_negative(judgments: Judgments) -> dict[str, Number]:
    """A negative grade means unjudged everywhere but in cumulated relative position."""
    return {doc: grade for doc, grade in judgments.items() if grade >= 0}


def condensed(ranking: Ranking, judgments: Judgments) -> list[str]:
    """The ranking without its unjudged documents."""
    return [doc for doc in ranking if doc in judgments]


def scale_of(qrels: Mapping[str, Judgments], gains: Gains = None) -> Number:
    """Highest gain of all judged documents of all topics, at least 1: the `max_rel` of a whole
    qrels.
    """
    highest: Number = 1
    for judgments in qrels.values():
        for grade in without_negative(judgments).values():
            highest = max(highest, (gains or {}).get(grade, grade))
    return highest


def best_gain(max_rel: Number | None, scale: Number | None) -> Number:
    """The top of the scale: `max_rel`, or the highest gain of the whole qrels."""
    if max_rel is not None:
        return max_rel
    if scale is None:
        raise TypeError(
            "max_rel=None is not accepted, expected a number, or scale=scale_of(qrels, gains)"
        )
    return scale


def relevance(grade: Number, gains: Gains, max_rel: Number) -> Fraction:
    """rho of a grade: its share of the best grade, kept within [0, 1]."""
    gain = (gains or {}).get(grade, grade)
    return min(max(exact(gain) / exact(max_rel), Fraction(0)), Fraction(1))


def relevant_set(judgments: Judgments, rel: Number) -> set[str]:
    """R: the documents of at least this grade."""
    return {doc for doc, grade in judgments.items() if grade >= 0 and grade >= rel}
