"""Could judging the unjudged documents turn a verdict?

Unjudged documents can move a mean difference between two bounds (`irpref_lab.intervals`). A verdict
could be turned if it would be another one at either bound, with an interval of the same width. A
search finds values that can occur, but there may be others beyond them: then "no" is unknown. It is
slow, so a few ways to grade the documents are tried first, which mostly show that a verdict could
be turned."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ir_measures.measures import Measure

from irpref.judged import Run
from irpref.kernel import Bools
from irpref.observed import Evidence
from irpref_lab.trust.holes.turnable import Turnable

MOST_TOPICS = 1000  # with more topics we do not ask


class Turning:
    """Asks about two runs whether judging further documents could turn a verdict.

    Parameters
    ----------
    runs : mapping of name to run
        Two runs; the difference is the second minus the first.
    facts : Evidence
    same : bool
        Whether both have the same ranking, so that nothing can turn.
    """

    def __init__(self, runs: Mapping[str, Run], facts: Evidence, same: bool = False) -> None:
        self.facts, self.same = facts, same
        repeated = any(system.n_repeats > 1 for system in facts.systems)
        is_asked = len(facts.topics) <= MOST_TOPICS and not repeated and facts.depth is None
        self._turnable: Turnable | None = None
        if is_asked and not same and facts.kernels is not None:
            second_first = [run.on(facts.pool) for run in reversed(list(runs.values()))]
            self._turnable = Turnable(facts.kernels, second_first)

    def could(
        self,
        measure: Measure,
        topics: Bools,
        verdict: Callable[[float], str],
        now: str,
        agrees: bool = True,
    ) -> bool | None:
        """Tell whether the verdict could be another one; None if unknown.

        Parameters
        ----------
        measure : measure
        topics : bool array (n_topics,)
            The topics behind the verdict.
        verdict : callable
            The verdict if the mean of second minus first were this number.
        now : str
            The verdict.
        agrees : bool
            False if it depends on more than the interval: then "no" is unknown.
        """
        if self.same:
            return False
        if self._turnable is None or not topics.any():
            return None

        def turns(end: float) -> bool:
            return verdict(end) != now

        try:
            low, high, exact = self._turnable.bounds(measure, self.facts.order[topics], turns)
        except ValueError:  # no bounds for this measure, or with these judgments
            return None
        if low == high and exact:
            return False
        if turns(low) or turns(high):
            return True
        return False if exact and agrees else None
