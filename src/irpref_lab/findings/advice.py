"""The measures that `check` suggests, and whether measures can tell the runs apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
from ir_measures.measures import Measure

from irpref.judged.judgments import Judgments
from irpref.judged.pool import Pool
from irpref.judged.run import Run
from irpref.measures.names import parse
from irpref.messages import held
from irpref.values.evidence import Gatherer
from irpref.values.facts import Evidence, System
from irpref.values.findings import Finding, finding
from irpref.values.suggestions import alternatives, suggest, usual
from irpref.values.thresholds import threshold_of, thresholds

N_MEASURES = 3


class Trial:
    """Measures, tried on runs.

    Parameters
    ----------
    measures : sequence of Measure
    qrels : Judgments
    """

    def __init__(self, measures: Sequence[Measure], qrels: Judgments) -> None:
        self.measures = list(measures)
        self.systems: list[System] = []
        self._gatherer: Gatherer | None = None
        # The judgments may lack what a measure needs, which evaluation says.
        with held(), suppress(ValueError):
            self._gatherer = Gatherer(self.measures, qrels, None) if self.measures else None

    def system(self, name: str, run: Run) -> System | None:
        """A run, evaluated; None if it cannot be, which other findings say."""
        if self._gatherer is None:
            return None
        with held():
            try:
                return self._gatherer.system(name, [run])
            except ValueError:
                return None

    def why_not(self, systems: Sequence[System | None]) -> dict[str, str]:
        """Measures that cannot tell these runs apart, by name, and why."""
        present = [system for system in systems if system is not None and not system.is_absent]
        if not present or self._gatherer is None:
            return {}
        with held():
            facts = self._gatherer.evidence(present)
        reasons = {str(measure): _why_not(facts, measure) for measure in facts.measures}
        return {name: reason for name, reason in reasons.items() if reason}


class Advice:
    """Measures for some judgments.

    Parameters
    ----------
    pool : Pool
    qrels : Judgments
    preferences : bool
        Whether they are preferences.
    """

    def __init__(self, pool: Pool, qrels: Judgments, preferences: bool) -> None:
        first = _by_name(suggest(pool, preferences))
        customary = {} if preferences else _by_name(usual(pool))
        others = {} if preferences else _by_name(alternatives())
        self._rows = first | {name: row for name, row in others.items() if name not in first}
        self._expected = list(customary | first)
        self.trial = Trial([parse(name) for name in self._rows | customary], qrels)

    def given(self, systems: Sequence[System | None]) -> tuple[list[dict[str, str]], list[Finding]]:
        """The measures that tell these runs apart, and findings about those that do not."""
        reasons = self.trial.why_not(systems)
        kept = [row for name, row in self._rows.items() if name not in reasons]
        told = [
            finding("tells-nothing", 1, name, "suited", why=reasons[name])
            for name in self._expected
            if name in reasons
        ]
        return kept[:N_MEASURES], told


def _by_name(rows: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """Suggestions by the name that a measure prints."""
    return {str(parse(row["measure"])): row for row in rows}


def untold(reasons: dict[str, str]) -> Iterator[Finding]:
    """Findings about measures of the user that cannot tell the runs apart."""
    for name, reason in reasons.items():
        yield finding("tells-nothing", 1, name, why=reason)


def of_thresholds(measures: Sequence[Measure], pool: Pool) -> Iterator[Finding]:
    """Which grades are relevant to binary measures: those that count alike, and those too low."""
    binary = [measure for measure in measures if threshold_of(measure) is not None]
    highest = float(pool.grade.max())
    for note in thresholds(binary, highest):
        yield finding("threshold", 1, note.partition(":")[0], note=note)
    by_threshold: dict[float, list[str]] = {}
    for measure in binary:
        rel = threshold_of(measure)
        assert rel is not None
        if "rel" not in measure.params and rel <= highest:
            by_threshold.setdefault(rel, []).append(str(measure))
    for rel, names in by_threshold.items():
        low = pool.grade[(pool.grade > 0) & (pool.grade < rel)]
        if low.size:
            grades, counts = np.unique(low, return_counts=True)
            listed = ", ".join(f"{g:g} ({n})" for g, n in zip(grades, counts, strict=True))
            if grades.size > N_MEASURES:
                listed = f"{grades[0]:g} to {grades[-1]:g}"
            names_of = ", ".join(names)
            yield finding("threshold", int(low.size), names_of, "low", rel=rel, grades=listed)


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
