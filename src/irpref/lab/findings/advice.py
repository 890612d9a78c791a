"""The measures that `check` suggests: they suit the judgments and can tell the runs apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from ir_measures.measures import Measure

from irpref.judged.pool import Pool
from irpref.measures.names import parse
from irpref.messages import held
from irpref.values.evidence import Evidence, Gatherer, System
from irpref.values.findings import Finding, finding
from irpref.values.suggestions import alternatives, suggest

if TYPE_CHECKING:
    from irpref.data.columns import Table
    from irpref.judged.judgments import Judgments

N_MEASURES = 3


class Advice:
    """Measures for some judgments, tried on runs.

    Parameters
    ----------
    pool : Pool
    qrels : Judgments
    preferences : bool
        Whether they are preferences.
    """

    def __init__(self, pool: Pool, qrels: Judgments, preferences: bool) -> None:
        self.first = suggest(pool, preferences)
        every = [*self.first, *([] if preferences else alternatives())]
        self.rows = {row["measure"]: row for row in reversed(every)}
        self.names = list(dict.fromkeys(row["measure"] for row in every))
        with held():
            measures = [parse(name) for name in self.names]
            self._gatherer = Gatherer(measures, qrels, None)

    def system(self, name: str, run: Table) -> System | None:
        """A run, evaluated; None if it cannot be, which other findings say."""
        with held():
            try:
                return self._gatherer.system(name, [run])
            except ValueError:
                return None

    def given(self, systems: list[System]) -> tuple[list[dict[str, str]], list[Finding]]:
        """The measures that tell these runs apart, and findings about those that do not."""
        present = [system for system in systems if not system.is_absent]
        if not present:
            return self.first, []
        with held():
            facts = self._gatherer.evidence(present)
        reasons = {
            name: reason
            for name, measure in zip(self.names, facts.measures, strict=True)
            if (reason := _why_not(facts, measure))
        }
        kept = [self.rows[name] for name in self.names if name not in reasons][:N_MEASURES]
        dropped = [row["measure"] for row in self.first if row["measure"] in reasons]
        return kept, [*_findings(dropped, reasons)]


def _findings(names: list[str], reasons: dict[str, str]) -> Iterator[Finding]:
    for name in names:
        yield finding("tells-nothing", 1, name, why=reasons[name])


def _why_not(facts: Evidence, measure: Measure) -> str:
    """Why a measure cannot tell runs apart; empty if it can."""
    masks = facts.masks(measure)
    n = int(facts.answerable.sum())
    if 2 * masks["out-of-reach"].sum() > n:
        return f"nothing counts as relevant ({facts.scale(measure)})"
    if 2 * masks["blind"].sum() > n:
        return f"every judged document counts the same ({facts.scale(measure)})"
    values = facts.values(measure)
    if len(values) > 1 and np.array_equal(values, np.broadcast_to(values[0], values.shape)):
        return "all runs have the same value on every topic"
    return ""
