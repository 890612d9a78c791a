"""Values, or judgments of a sample, which verdicts accept in place of judgments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ir_measures.measures import Measure

from irpref.data import named_runs
from irpref.errors import ArgumentError
from irpref.judged import Run
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    from irpref_lab.decide.questions import Basis


class InPlaceOfJudgments(ABC):
    """Values, or judgments of a sample, which have their own basis of verdicts."""

    @abstractmethod
    def basis(
        self, measures: Sequence[Measure], runs: Mapping[str, Any], leaves_out: str | None = None
    ) -> Basis:
        """Return the basis of verdicts about these systems.

        `leaves_out` is the system whose unanswered topics are left out, if there is one.
        """

    def measures_of(self, measures: Any) -> list[Measure]:
        """Return the measures that a user names."""
        return parse_all(measures)

    def systems_named(self, runs: Any) -> Mapping[str, Any]:
        """Map names of systems to the runs that a user gives."""
        return runs_by_name(runs)


def measures_of(measures: Any, qrels: Any) -> list[Measure]:
    """Parse measures; given values can have measures that nothing else knows."""
    if isinstance(qrels, InPlaceOfJudgments):
        return qrels.measures_of(measures)
    return parse_all(measures)


def runs_named(runs: Any, qrels: Any) -> Mapping[str, Any]:
    """Name the runs, or the systems of given values.

    Raises
    ------
    ArgumentError
        There are no runs.
    """
    return (qrels.systems_named if isinstance(qrels, InPlaceOfJudgments) else runs_by_name)(runs)


def runs_by_name(runs: Any) -> Mapping[str, Any]:
    """Name runs, of which there must be some."""
    if runs is None:
        raise ArgumentError(
            "there are no runs; type runs={'name': run, ...}, or a list of paths", parameter="runs"
        )
    return named_runs(runs)


def names_of_two(first: Any, second: Any) -> list[str]:
    """Return the names of two runs, of files as `irpref eval` names them; none if a run has none,
    or both have the same.
    """
    if all(isinstance(run, Run) for run in (first, second)):
        names = [run.name for run in (first, second) if run.name]
    else:
        try:
            names = list(named_runs([first, second]))
        except TypeError:
            names = []
    return names if len(set(names)) == 2 else []
