"""Judged runs as a basis of verdicts, and runs that cannot take part in tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import EmptyJudgmentsError
from irpref.judged import as_judgments, hash_of_pool, hash_of_text
from irpref.kernel import Bools, ratio
from irpref.observed import (
    TOP,
    Evidence,
    check_present,
    gathered,
    sees_grades,
    thresholds_on,
)
from irpref.values import TopicValues
from irpref_lab.decide.facts_basis import FactsBasis
from irpref_lab.decide.in_place import InPlaceOfJudgments
from irpref_lab.decide.pair import FURTHER, Pair, Row
from irpref_lab.decide.questions import Basis, Verdict
from irpref_lab.decide.turning import Turning
from irpref_lab.remarks import (
    about_topics,
    by_judge,
    columns_of_judge,
    columns_of_repeats,
    grave_lines,
    of_many_runs,
    repeated,
    topics_by_code,
    without_value,
)


def basis_of(
    measures: Sequence[Measure],
    qrels: Any,
    runs: Mapping[str, Any],
    depth: int | None = None,
    *,
    leaves_out: str | None = None,
    present: Sequence[str] | None = None,
    keep: bool = True,
    ties: bool = False,
) -> Basis:
    """Open judgments and runs, and gather their evidence.

    Parameters
    ----------
    measures : sequence of Measure
    qrels : judgments, or values or a sample in place of them
    runs : mapping of name to run
    depth : int, optional
        Only so many documents of each topic count.
    leaves_out : str, optional
        The system whose unanswered topics are left out.
    present : sequence of str, optional
        Systems that must answer a judged topic; all by default.
    keep : bool
        Whether the runs are kept for questions about two of them.
    ties : bool
        Whether other orders of tied documents are evaluated before runs are let go.

    Raises
    ------
    ValueError
        A system answers no judged topic or retrieves no judged document; whatever the evaluator
        raises.
    """
    if isinstance(qrels, InPlaceOfJudgments):
        return qrels.basis(measures, runs, leaves_out)
    read = as_judgments(qrels)
    facts = gathered(measures, read, runs, depth, keep=keep, ties=ties)
    facts = replace(facts, leaves_out=leaves_out)
    check_present(
        (one for one in facts.systems if present is None or one.name in present),
        len(facts.topics),
    )
    return JudgedRuns(facts)


class JudgedRuns(FactsBasis):
    """Runs of systems, evaluated on judgments.

    Parameters
    ----------
    facts : Evidence
        With the runs themselves.
    """

    def __init__(self, facts: Evidence) -> None:
        super().__init__(facts)
        self._turning: dict[tuple[int, int], Turning] = {}

    def same_order(self, first: int, second: int) -> bool:
        """Test whether two systems have the same ranking; False if unknown."""
        return self.facts.same_order(first, second)

    def check_gate(self) -> None:
        """Refuse judgments without a relevant document, and measures that do not depend on grades:
        `Judged@10` may only stand beside others.
        """
        facts = self.facts
        if not facts.answerable.any():
            raise EmptyJudgmentsError("a gate needs relevant documents, and no grade is above 0")
        in_reach = [measure for measure in facts.measures if facts.reached[measure].any()]
        self.check_grades(in_reach, lambda measure: sees_grades(measure, facts.pool))

    def could_turn(
        self, pair: Pair, verdict: Callable[[float], str], now: str, agrees: bool = True
    ) -> bool | None:
        """Tell whether judging the unjudged documents could change a verdict; None if unknown."""
        turning = self._turning.get(pair.numbers)
        if turning is None:
            facts = self._facts_of(pair.numbers)
            runs = {system.name: system.runs[0] for system in facts.systems}
            turning = Turning(runs, facts, facts.same_order(0, 1))
            self._turning[pair.numbers] = turning
        return turning.could(pair.measure, pair.topics, verdict, now, agrees)

    def columns(self, pair: Pair, called: Sequence[str], level: float) -> Row:
        """Return the further columns of a pair; the systems are called so in their names."""
        facts, inside = self._facts_of(pair.numbers), pair.inside
        columns: Row = {}
        for name, system in zip(called, facts.systems, strict=True):
            columns[f"missing_{name}"] = int((system.retrieved[inside] == 0).sum())
        for name, system in zip(called, facts.systems, strict=True):
            judged = system.judged[TOP][inside] / system.n_repeats
            columns[f"unjudged_{name}"] = float(1 - (judged / TOP).mean())
        columns |= columns_of_judge(facts, inside, called)
        columns |= columns_of_repeats(facts, pair.measure, pair.topics, called)
        columns["topics_by_code"] = topics_by_code(facts, pair.measure, inside, pair.names)
        return columns

    def notes(self, verdict: Verdict) -> list[str]:
        """Say which facts all pairs share, without full stops."""
        facts, measures, everything = self.facts, self.facts.measures, self.facts.everything
        if verdict == "claim":
            numbers = range(len(facts.systems))
            orders = [
                say(i) for say in (facts.equal_in_words, facts.ties_in_words) for i in numbers
            ]
            notes = [
                *about_topics(facts, measures, everything, in_notes=True),
                *repeated(facts, measures, everything),
                *filter(None, orders),
            ]
        else:
            notes = [
                *about_topics(facts, measures, everything),
                *without_value(facts, measures, everything),
                *by_judge(facts, everything),
                *repeated(facts, measures, everything),
                *self._orders(),
            ]
        return [*notes, *thresholds_on(measures, self.facts.qrels)]

    def _orders(self) -> Iterator[str]:
        """Say where the order of documents is strange."""
        if self.facts.same_order(0, 1):
            yield "both runs have the same ranking"
        for number, system in enumerate(self.facts.systems):
            for say in (self.facts.equal_in_words, self.facts.ties_in_words):
                if text := say(number, f"the {system.name}"):
                    yield text

    def notes_of_many(self, absent: Mapping[str, str], called: str | None = None) -> list[str]:
        """Describe problems behind the values of all systems, without full stops."""
        facts = self.facts
        return [
            *of_many_runs(facts, facts.measures, absent, called),
            *thresholds_on(facts.measures, self.facts.qrels),
        ]

    def grave(self) -> list[str]:
        """List what `irpref_lab.check` would find grave, a line for each code."""
        return grave_lines(self.facts)

    def hashes(self, parts: Mapping[str | None, Bools]) -> tuple[str, str]:
        """Return the hash of the judgments, and of the judgments and the groups; these are the same
        without groups.
        """
        of_qrels = hash_of_pool(self.facts.pool)
        if set(parts) == {None}:
            return of_qrels, of_qrels
        text = of_qrels
        for group, inside in parts.items():
            if group is not None:
                members = list(compress(self.facts.topics, inside.tolist()))
                text += f"{group!r} {members!r}\n"
        return of_qrels, hash_of_text(text)

    def further(self) -> list[TopicValues]:
        """Return the share of judged documents in the first ten, and the numbers of documents."""
        facts = self.facts
        judged = [
            np.mean([ratio(one.judged_top, one.top) for one in system.observed], axis=0)
            for system in facts.systems
        ]
        retrieved = [system.lengths.mean(axis=0) for system in facts.systems]
        return [
            TopicValues(name, self.names, facts.topics, np.array(values))
            for name, values in zip(FURTHER, (judged, retrieved), strict=True)
        ]
