"""Compute the means of a run again, with known reasons why another person has other ones."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from ir_measures.measures import Measure

import irpref
from irpref.judged import Judgments, as_judgments
from irpref.observed import is_count
from irpref.values import (
    OF_RUN,
    OF_TOPICS,
    PERCENT,
    UNIT,
    Reason,
    measured,
    ranked,
    reasons_for,
)
from irpref_lab.trust.ties import tie_intervals
from irpref_lab.verifying.published import Figure

Together: TypeAlias = tuple[Reason, ...]  # reasons that hold at the same time
TIES = "ties"  # the kind of the reason that some order of tied documents may give a figure
_KEPT = 12  # rankings, judgments


class Recomputed:
    """A run, computed again with reasons.

    Parameters
    ----------
    judged : Judgments
    grades : dict of dicts
        The same, topic to document to grade.
    run : Run
    """

    def __init__(
        self, judged: Judgments, grades: Mapping[str, Mapping[str, int]], run: Any
    ) -> None:
        self.judged, self.grades, self.run, self.rows = judged, grades, run, run.rows()
        self.levels = sorted({g for docs in grades.values() for g in docs.values() if g > 0})
        self._runs: OrderedDict[Any, Any] = OrderedDict()
        self._judgments: OrderedDict[Any, Any] = OrderedDict()
        self._values: dict[Any, dict[str, float] | None] = {}
        self._ranges: dict[Measure, tuple[float, float] | None] = {}

    def why(self, figure: Figure) -> list[Together]:
        """Find the reasons that give a figure: all that do alone, else the order of tied documents
        if it may, and all pairs that do.
        """
        known = reasons_for(figure.measure, self.levels)
        applicable = [reason for reason in known if self._applies(reason)]
        single: list[Together] = [(reason,) for reason in applicable]
        alone = [together for together in single if self._gives(figure, together)]
        if alone:
            return alone
        pairs = [pair for pair in _pairs(applicable) if self._gives(figure, pair)]
        return [*self._by_ties(figure), *pairs]

    def _by_ties(self, figure: Figure) -> Iterator[Together]:
        """Yield the reason that tied documents may have another order, if a figure lies between the
        lowest and the highest mean. No order that gives it is looked for.
        """
        if figure.measure not in self._ranges:
            self._ranges[figure.measure] = self._range(figure.measure)
        ends = self._ranges[figure.measure]
        if ends is None:
            return
        low, high = (end * figure.factor for end in ends)
        if low < high and (low <= figure.value <= high or any(map(figure.shows, ends))):
            shown = " to ".join(f"{end:.{max(figure.places, 0)}f}" for end in (low, high))
            words = f"another order of tied documents can give {shown}"
            yield (Reason(TIES, words, ends),)

    def _range(self, measure: Measure) -> tuple[float, float] | None:
        """Find the lowest and highest mean over the orders of tied documents; None if only the
        measure's own provider computes it.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = tie_intervals([measure], self.judged, self.run)
            except ValueError:
                return None
        of_mean = found[found["query_id"].isna()]
        low, high = (float(of_mean[end].iloc[0]) for end in ("low", "high"))
        return low, high

    def _applies(self, reason: Reason) -> bool:
        """Tell whether a change of the run changes its rankings."""
        return reason.kind not in OF_RUN or self._lists((reason,))[0] != self._lists(())[0]

    def _gives(self, figure: Figure, together: Together) -> bool:
        if PERCENT in together and figure.factor != 1:
            return False
        mean = self.mean(figure.measure, together)
        return mean is not None and figure.shows(mean, _factor(together))

    def mean(self, measure: Measure, together: Together) -> float | None:
        """Compute the mean of a measure with reasons; None if it has no such variant."""
        values = self._of_topics(measure, together)
        if values is None:
            return None
        topics = list(self.grades)
        for reason in (reason for reason in together if reason.kind in OF_TOPICS):
            there = set(topics)
            kept = reason.change(self._topics_of(together), self.rows, _rel(measure, together))
            topics = [t for t in kept if t in there or t not in self.grades]
        if not topics:
            return None
        found = np.array([values.get(topic, 0.0) for topic in topics])
        there = found[~np.isnan(found)]
        if not there.size:
            return None
        return float(there.sum() if is_count(measure) else there.mean())

    def _of_topics(self, measure: Measure, together: Together) -> dict[str, float] | None:
        """Return values by topic; None if there are none with these reasons."""
        changed = measured(measure, together)
        if changed is None:
            return None
        key = (str(changed), *(r for r in together if r.kind in (*OF_RUN, "grades", "ideal")))
        if key not in self._values:
            self._values[key] = self._computed(changed, together)
        return self._values[key]

    def _computed(self, measure: Measure, together: Together) -> dict[str, float] | None:
        lists, run = self._lists(together)
        qrels = self._regraded(measure, together, lists)
        if qrels is None:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the scale, ties, ...: this is about values
            try:
                evaluator = irpref.evaluator([measure], qrels)
                (values,) = evaluator.values(run).values()
            except ValueError:  # a grade above 4 for ERR, for example
                return None
        return dict(zip(evaluator.topic_ids, np.asarray(values).tolist(), strict=True))

    def _topics_of(self, together: Together) -> Mapping[str, Mapping[str, int]]:
        """Return the judgments that say which topics have relevant documents."""
        grades: Any = self.grades
        for reason in (reason for reason in together if reason.kind == "grades"):
            grades = reason.change(grades)
        return grades

    def _lists(self, together: Together) -> tuple[dict[str, list[str]], Any]:
        """Rank the documents with these reasons; return the rankings, and a run of them."""
        changes = tuple(reason for reason in together if reason.kind in OF_RUN)

        def made() -> Any:
            lists = ranked(self.rows, changes)
            listed: Any = {topic: docs for topic, docs in lists.items() if docs}
            return lists, irpref.run(listed)

        return _kept(self._runs, changes, made)

    def _regraded(
        self, measure: Measure, together: Together, lists: Mapping[str, Sequence[str]]
    ) -> Judgments | None:
        """Change the judgments by these reasons; None if they do not apply to the measure."""
        regrading = [reason for reason in together if reason.kind in ("grades", "ideal")]
        if not regrading:
            return self.judged
        grades: Any = self.grades
        for reason in regrading:
            given = (lists, measure) if reason.kind == "ideal" else ()
            grades = reason.change(grades, *given)
            if grades is None:
                return None
        if any(reason.kind == "ideal" for reason in regrading):
            return as_judgments(grades)
        return _kept(self._judgments, tuple(regrading), lambda: as_judgments(grades))


def _rel(measure: Measure, together: Together) -> float:
    """Return the lowest relevant grade of a measure with these reasons."""
    changed = measured(measure, together) or measure
    return float(changed.params.get("rel", 1))


def _factor(together: Together) -> float:
    """Return the factor between a mean and its printed figure."""
    return float(np.prod([reason.change for reason in together if reason.kind == UNIT]))


def _pairs(reasons: Sequence[Reason]) -> Iterator[Together]:
    """Yield pairs of reasons of different kinds; pairs that change the run alike follow each
    other.
    """
    pairs = [(a, b) for a, b in combinations(reasons, 2) if a.kind != b.kind]
    place = {reason: i for i, reason in enumerate(reasons)}

    def of_run(pair: Together) -> tuple[int, ...]:
        return tuple(place[reason] for reason in pair if reason.kind in OF_RUN)

    yield from sorted(pairs, key=of_run)


def _kept(store: OrderedDict[Any, Any], key: Any, make: Any) -> Any:
    """Look a key up in a store, and make its value if it is not there; the oldest goes."""
    if key not in store:
        store[key] = make()
        while len(store) > _KEPT:
            # The first is the plain one, which every figure needs.
            store.pop(next(name for name in store if name))
    store.move_to_end(key)
    return store[key]
