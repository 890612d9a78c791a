"""Values as a basis of verdicts, in place of judged runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, Self

import numpy as np
from ir_measures.measures import Measure

from irpref.judged import hash_of_text
from irpref.kernel import Bools
from irpref.observed import can_see_grades
from irpref.values import TopicValues
from irpref_lab.decide.facts_basis import FactsBasis
from irpref_lab.decide.in_place import InPlaceOfJudgments
from irpref_lab.decide.pair import FURTHER, Pair, Row
from irpref_lab.decide.questions import Verdict
from irpref_lab.given_values.facts import (
    GivenMeasure,
    ValueFacts,
    facts_of,
    measures_of,
    topics_alike,
)
from irpref_lab.given_values.given import FIRST_LINE, Values
from irpref_lab.remarks import about_topics, of_many_runs, topics_by_code

ONLY_VALUES = f"{FIRST_LINE}: unjudged documents and depth are unknown"


class GivenValues(Values, InPlaceOfJudgments):
    """Values that verdicts take in place of judgments: the result of `irpref_lab.values`."""

    def measures_of(self, measures: Any) -> list[Measure]:
        """Return the measures that a user names; unknown ones, too."""
        return measures_of(self, measures)

    def basis(
        self, measures: Sequence[Measure], runs: Mapping[str, Any], leaves_out: str | None = None
    ) -> ValueBasis:
        """Return the basis of verdicts; in place of runs there are names of systems."""

        def facts_about(numbers: Sequence[int]) -> ValueFacts:
            names = [list(runs)[number] for number in numbers]
            facts = facts_of(self, measures, [str(runs[name]) for name in names])
            systems = [
                replace(one, name=name) for one, name in zip(facts.systems, names, strict=True)
            ]
            return replace(facts, systems=systems, leaves_out=leaves_out)

        return ValueBasis(facts_about(range(len(runs))), facts_about)

    def systems_named(self, runs: Any) -> dict[str, Any]:
        """Return the systems that a user names, all systems if none is named."""
        names = self.systems if runs is None else list(map(str, runs))
        return {name: name for name in names}


class ValueBasis(FactsBasis):
    """Values of systems, of which nothing else is known: see `irpref_lab.decide.questions.Basis`.

    Parameters
    ----------
    facts : ValueFacts
    facts_about : callable, optional
        Makes the facts about some systems, by number, on their own topics.
    """

    facts: ValueFacts
    heading = f"{FIRST_LINE}: "
    lacking = "has no value"
    hashed = "topics"
    same = "values"

    def __init__(
        self,
        facts: ValueFacts,
        facts_about: Callable[[Sequence[int]], ValueFacts] | None = None,
    ) -> None:
        super().__init__(facts)
        self._facts_about = facts_about

    def only(self, numbers: Sequence[int]) -> Self:
        """Return the basis of some systems, by number, on the topics that these have."""
        if self._facts_about is None:
            return super().only(numbers)
        return type(self)(self._facts_about(numbers))

    def same_order(self, first: int, second: int) -> bool:
        """Tell whether two systems have the same values by all measures."""
        tables = map(self.facts.values, self.measures)
        return all(np.array_equal(one[first], one[second], equal_nan=True) for one in tables)

    def check_gate(self) -> None:
        """Refuse measures that depend on the grades of no judgments: those behind the values are
        not known.
        """
        self.check_grades(
            self.measures,
            lambda measure: isinstance(measure, GivenMeasure) or can_see_grades(measure),
        )

    def columns(self, pair: Pair, called: Sequence[str], level: float) -> Row:
        """Return how many topics each system lacks; shares of unjudged documents are unknown."""
        facts = self._facts_of(pair.numbers)
        lost = facts.unanswered(pair.measure)[:, pair.inside].sum(axis=1).tolist()
        columns: Row = {f"missing_{name}": n for name, n in zip(called, lost, strict=True)}
        columns |= {f"unjudged_{name}": np.nan for name in called}
        columns["topics_by_code"] = topics_by_code(facts, pair.measure, pair.inside, pair.names)
        return columns

    def notes(self, verdict: Verdict) -> list[str]:
        """Name the unknown, and all that pairs have in common."""
        everything = self.facts.everything
        if verdict == "claim":  # its sentences name the topics
            return [ONLY_VALUES]
        notes = about_topics(self.facts, self.measures, everything)
        return [ONLY_VALUES, *topics_alike(self.facts), *notes]

    def notes_of_many(self, absent: Mapping[str, str], called: str | None = None) -> list[str]:
        """Name the unknown, and the limits of all systems' values."""
        return [ONLY_VALUES, *of_many_runs(self.facts, self.facts.measures, absent, called)]

    def further(self) -> list[TopicValues]:
        """Return which topics have a value; judged shares are blanked by `complete`."""
        there = np.array([system.retrieved > 0 for system in self.facts.systems], np.float64)
        has_value, topics = self._has_value, self.facts.topics
        return [
            TopicValues(name, self.names, topics, values).on(has_value)
            for name, values in zip(FURTHER, (0 * there, there), strict=True)
        ]

    def on_tables(self, parts: Mapping[str | None, Bools]) -> dict[str | None, Bools]:
        """Return the groups as masks of the topics that have a value by all measures."""
        return {group: inside[self._has_value] for group, inside in parts.items()}

    @property
    def _has_value(self) -> Bools:
        known = [~np.isnan(self.facts.values(one)).any(axis=0) for one in self.measures]
        return np.asarray(np.all(known, axis=0))

    def complete(self, board: Any, parts: Mapping[str | None, Bools], level: float) -> None:
        """Add the further columns of a board; judged shares are unknown."""
        super().complete(board, parts, level)
        board["judged@10"] = np.nan

    def hashes(self, parts: Mapping[str | None, Bools]) -> tuple[str, str]:
        """Return the hash of the topics, and of topics and groups: there are no judgments."""
        topics = hash_of_text("\n".join(self.facts.topics))
        text = topics
        for group, inside in parts.items():
            if group is not None:
                text += f"{group!r} {list(compress(self.facts.topics, inside.tolist()))!r}\n"
        return topics, topics if set(parts) == {None} else hash_of_text(text)
