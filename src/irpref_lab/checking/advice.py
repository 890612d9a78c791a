"""The measures that `check` suggests, and whether they can tell the runs apart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from ir_measures.measures import Measure

from irpref import parse
from irpref.judged import Judgments, Pool, Run
from irpref.messages import held
from irpref.observed import (
    BLIND,
    OUT_OF_REACH,
    SAME_VALUES,
    Code,
    Evidence,
    Gatherer,
    Row,
    System,
    alternatives,
    suggest,
    usual,
)

N_MEASURES = 3


class Advice:
    """Measures for some judgments, tried on runs together with those that the user named.

    Parameters
    ----------
    pool : Pool
    qrels : Judgments
    preferences : bool
        Whether they are preferences.
    chosen : sequence of Measure
        The measures that the user named.

    Attributes
    ----------
    chosen : list of Measure
        Those that these judgments can be evaluated with.
    """

    def __init__(
        self, pool: Pool, qrels: Judgments, preferences: bool, chosen: Sequence[Measure]
    ) -> None:
        first = _by_name(suggest(pool, preferences))
        customary = {} if preferences else _by_name(usual(pool))
        others = {} if preferences else _by_name(alternatives())
        self._rows = first | {name: row for name, row in others.items() if name not in first}
        self._expected = list(customary | first)
        self._suggested = [parse(name) for name in self._rows | customary]
        self._asked, self.chosen = list(chosen), list(chosen)
        with held():
            self._gatherer = self._tried(qrels)

    def _tried(self, qrels: Judgments) -> Gatherer:
        """Return the gatherer that evaluates; without the user's measures if the judgments lack
        what they need, which an evaluation says.
        """
        for measures in (self._asked, []):
            with suppress(ValueError):
                every = list(dict.fromkeys([*measures, *self._suggested]))
                gatherer = Gatherer(every, qrels)
                self.chosen = measures
                return gatherer
        self._suggested = []
        return Gatherer([], qrels)

    def system(self, name: str, run: Run) -> System:
        """Evaluate a run and observe it.

        Raises
        ------
        ValueError
            A score is not a finite number.
        """
        run.on(self._gatherer.pool)
        with held():
            try:
                return self._gatherer.system(name, [run])
            except ValueError:  # of a measure; nothing is known of any then
                return self._gatherer.system(name, [run], evaluates=False)

    def evidence(self, systems: list[System]) -> Evidence:
        """Gather the evidence about the systems by the measures that the user named."""
        with held():
            facts = self._gatherer.evidence(systems)
        facts.asked[:] = self._asked
        return facts

    def given(self, facts: Evidence) -> tuple[list[dict[str, str]], list[Row]]:
        """Return the measures that tell these runs apart, and findings about those that do not."""
        reasons: dict[str, tuple[Code, str]] = {}
        if any(not system.is_absent for system in facts.systems):
            for measure in self._suggested:
                if why := _why_not(facts, measure):
                    reasons[str(measure)] = why
        kept = [row for name, row in self._rows.items() if name not in reasons]
        asked = set(map(str, self.chosen))
        said = "{} would suit the judgments, but cannot tell these runs apart: {}"
        told: list[Row] = [
            {
                "code": reasons[name][0].name,
                "level": reasons[name][0].level,
                "run": None,
                "count": 1,
                "example": name,
                "text": said.format(name, reasons[name][1]),
            }
            for name in self._expected
            if name in reasons and name not in asked  # of which that is said anyway
        ]
        return kept[:N_MEASURES], told


def _by_name(rows: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """Map the name that a measure prints to its suggestion."""
    return {str(parse(row["measure"])): row for row in rows}


def _why_not(facts: Evidence, measure: Measure) -> tuple[Code, str] | None:
    """Say why a measure cannot tell runs apart; None if it can."""
    masks = facts.masks(measure)
    n = int(facts.answerable.sum())
    grades = facts.grades_in_words(measure)
    if 2 * masks[OUT_OF_REACH.name].sum() > n:
        return OUT_OF_REACH, f"nothing counts as relevant ({grades})"
    if 2 * masks[BLIND.name].sum() > n:
        return BLIND, f"every judged document counts the same ({grades})"
    present = [system for system in facts.systems if not system.is_absent]
    values = np.array([system.values[measure].mean(axis=0) for system in present])
    if len(values) > 1 and np.array_equal(values, np.broadcast_to(values[0], values.shape)):
        return SAME_VALUES, "all runs have the same value on every topic"
    return None
