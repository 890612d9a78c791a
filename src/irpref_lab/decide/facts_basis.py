"""Verdicts from values on topics and the evidence, whatever these come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, Self, TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, MeasureError
from irpref.judged import Groups, groups_of
from irpref.kernel import Bools, Floats
from irpref.measures.declare import rises
from irpref.observed import TIES_DECIDE, Evidence, Ground
from irpref.values import TopicValues, have_a_value
from irpref_lab.decide.all_pairs import OverTies
from irpref_lab.decide.pair import Pair, Row
from irpref_lab.decide.questions import Basis, Question, Verdict
from irpref_lab.remarks import (
    by_judge,
    columns_of_runs,
    each_within_repeats,
    own_topics,
    within_repeats,
)

Decide: TypeAlias = Callable[[Floats, Bools], str]


class FactsBasis(Basis):
    """Values of systems on topics, and the evidence: what judged runs and values alone have in
    common.

    Parameters
    ----------
    facts : Evidence
    """

    def __init__(self, facts: Evidence) -> None:
        self.facts, self.measures = facts, facts.measures
        self._of_pairs: dict[tuple[int, ...], Evidence] = {}
        self._alone: dict[tuple[Measure, bytes, float], dict[str, list[Ground]]] = {}
        self._depend: dict[tuple[Measure, bytes, float], dict[str, frozenset[str]]] = {}

    def only(self, numbers: Sequence[int]) -> Self:
        """Return the basis of some systems, by number."""
        return type(self)(self.facts.only(numbers))

    def called(self, names: Sequence[str]) -> Self:
        """Return the basis of the systems under other names."""
        systems = [
            replace(system, name=name)
            for system, name in zip(self.facts.systems, names, strict=True)
        ]
        return type(self)(replace(self.facts, systems=systems, reordered={}))

    @property
    def names(self) -> Sequence[str]:
        """The names of the systems."""
        return [system.name for system in self.facts.systems]

    def parts(self, groups: Groups | None) -> dict[str | None, Bools]:
        """Map each group to its topics; without groups, None to all topics."""
        return dict(groups_of(groups, self.facts.qrels, self.facts.topics))

    def frame(self, parts: Mapping[str | None, Bools]) -> Any:
        """Return the table of `irpref.evidence`."""
        return self.facts.frame(parts)

    @staticmethod
    def check_grades(measures: Sequence[Measure], sees: Callable[[Measure], bool]) -> None:
        """Refuse measures none of which depends on grades."""
        if measures and not any(map(sees, measures)):
            raise MeasureError(
                f"{', '.join(map(str, measures))}: a gate needs a measure that depends on grades, "
                f"and others say nothing about which ranking is better",
                measure=str(measures[0]),
            )

    # Pairs ----------------------------------------------------------------------------------------

    def _facts_of(self, numbers: Sequence[int]) -> Evidence:
        """Return the facts about two systems."""
        key = tuple(numbers)
        if key == tuple(range(len(self.facts.systems))):
            return self.facts
        if key not in self._of_pairs:
            self._of_pairs[key] = self.facts.only(key)
        return self._of_pairs[key]

    def pair(self, asked: Question) -> Pair:
        """Return two systems on a group of topics, with the grounds against the verdict.

        A claim is about all topics, where an unanswered one has the value of an empty ranking. A
        pass leaves out topics that cannot tell, and not to answer is never a gain.
        """
        facts, measure = self._facts_of(asked.numbers), asked.measure
        values, lacking = facts.values(measure), facts.unanswered(measure)
        if asked.verdict == "claim":
            topics: Bools = asked.inside & ~np.isnan(values).any(axis=0)
            if not topics.any():
                where = "" if asked.group is None else f" of group {asked.group!r}"
                raise MeasureError(
                    f"{measure} has no value for both runs on any topic{where}",
                    measure=str(measure),
                )
        else:
            values = self._never_a_gain(measure, values, lacking[1])
            topics = facts.compared(measure, 0, asked.inside) & ~np.isnan(values).any(axis=0)
        first, second = (system.name for system in facts.systems)
        pair = asked.pair((first, second), facts.topics, topics, values, lacking)

        def decided(values: Floats, topics: Bools) -> str:
            assert asked.decide is not None
            return asked.decide(_with_values(pair, values, topics, facts.topics))

        against = self._against_claim if asked.verdict == "claim" else self._against_pass
        grounds = list(against(asked, pair, None if asked.decide is None else decided))
        pair.grounds.extend(grounds)
        return pair

    def _never_a_gain(self, measure: Measure, values: Floats, lacking: Bools) -> Floats:
        """Give the second system the worse value of the two where it does not answer."""
        values, no_value = values.copy(), lacking & np.isnan(values[1])
        values[1, no_value] = self.facts.empty[measure][no_value]
        worst = np.minimum if rises(measure) else np.maximum
        values[1, lacking] = worst(values[1, lacking], values[0, lacking])
        return values

    def _against_claim(
        self, asked: Question, pair: Pair, decide: Decide | None
    ) -> Iterator[Ground]:
        """Yield the reasons not to call the system with the better mean better."""
        worse, better = (0, 1) if pair.mean_gain >= 0 else (1, 0)
        facts = self._facts_of(pair.numbers)
        yield from facts.against_claim(
            pair.measure, worse, better, pair.inside, asked.missing, decide
        )

    def _against_pass(self, asked: Question, pair: Pair, decide: Decide | None) -> Iterator[Ground]:
        """Yield the reasons not to call the second system as good as the first."""
        facts = self._facts_of(pair.numbers)
        yield from facts.against(
            "pass", pair.measure, 0, pair.inside, asked.missing, 1, asked.margin, decide
        )

    def sentences(
        self, verdict: Verdict, pair: Pair, row: Mapping[str, Any], missing: float
    ) -> list[str]:
        """Describe problems behind the numbers of a pair that did not rule out the verdict."""
        facts, measure, inside = self._facts_of(pair.numbers), pair.measure, pair.inside
        repeats = self.repeats(pair, row)
        if verdict == "pass":
            return repeats
        stopped = {ground.code for ground in pair.grounds}
        texts = []
        for fact in facts.rows(measure, inside):
            code = fact["record"]
            least = 0 if code.never_hides else missing * inside.sum()
            if not code.in_notes and code.name not in stopped and fact["topics"] > least:
                texts.append(fact["text"])
        valued = int((pair.topics & facts.answerable & inside).sum())
        texts += filter(None, [have_a_value([valued], int((facts.answerable & inside).sum()))])
        texts += own_topics(facts, inside)
        if row["could_turn"] is True:
            texts.append("judging the unjudged documents could change this")
        elif row["could_turn"] is None and not pair.grounds and _some_unjudged(row):
            texts.append("whether judging the unjudged documents could change this is not known")
        return [*texts, *by_judge(facts, inside), *repeats]

    def repeats(self, pair: Pair, row: Mapping[str, Any]) -> list[str]:
        """Say if the difference is no larger than between repeated runs of a system."""
        facts = self._facts_of(pair.numbers)
        return within_repeats(facts, pair.measure, pair.topics, (0, 1), row["difference"])

    # Many systems ---------------------------------------------------------------------------------

    def absent(self, strict: bool = False, alone: bool = False) -> dict[str, str]:
        """Return the runs that take no part in tests, with the reason.

        Parameters
        ----------
        strict : bool
            Whether such a run is an error.
        alone : bool
            Whether nothing is tested, so that one run is enough, or none: then none is set apart.

        Raises
        ------
        AbsentRunError
            There is such a run and `strict`, or fewer than two others are left.
        """
        reasons = self.reasons_of_absence()
        left = len(self.facts.systems) - len(reasons)
        if reasons and (strict or (left < 2 and not alone)):
            every = "; ".join(f"{name!r}: {why}" for name, why in reasons.items())
            if not strict:
                every = f"{left or 'no'} run{'s' * (left != 1)} left to compare: {every}"
            raise AbsentRunError(every)
        return reasons if left else {}

    def reasons_of_absence(self) -> dict[str, str]:
        """Map each system that answers no judged topic, or retrieves no judged document, to the
        reason.
        """
        n_topics = len(self.facts.topics)
        return {
            system.name: system.absence(n_topics)
            for system in self.facts.systems
            if system.is_absent
        }

    def tables(self) -> list[TopicValues]:
        """Return the values of each measure, without topics that have no value for any system."""
        return self.facts.tables()

    def against_runs(
        self, measure: Measure, inside: Bools, missing: float
    ) -> dict[str, list[Ground]]:
        """Map each system to the grounds against the claim that another one is better."""
        key = measure, inside.tobytes(), missing
        if key not in self._alone:
            facts = self.facts
            self._alone[key] = {
                system.name: facts.against("claim", measure, number, inside, missing)
                for number, system in enumerate(facts.systems)
            }
        return self._alone[key]

    def against_pair(
        self, measure: Measure, inside: Bools, missing: float, worse: str, better: str
    ) -> list[Ground]:
        """Return the grounds against the claim that one system is better than another, if these
        depend on both.
        """
        codes = self._beside_others(measure, inside, missing)[worse]
        if not codes:
            return []
        names = self.names
        two = self.facts.only((names.index(worse), names.index(better)))
        return two.against("claim", measure, 0, inside, missing, 1, among=codes)

    def over_ties(self, measure: Measure, inside: Bools) -> OverTies | None:
        """Return the values in expectation over the orders of tied documents; None if nothing is
        tied, or this is not known.
        """
        facts = self.facts
        expected = facts.expected(measure)
        if expected is None:
            return None

        def ground(worse: str, better: str, now: str, then: str) -> Ground:
            two = facts.only(map(self.names.index, (worse, better)))
            some = two.some(two.tied & inside, inside)
            words = {"some": some, "measure": str(measure), "now": now, "then": then}
            return Ground(TIES_DECIDE.name, TIES_DECIDE.worded(**words))

        return OverTies(facts.topic_values(measure, facts.everything, expected), ground)

    def _beside_others(
        self, measure: Measure, inside: Bools, missing: float
    ) -> dict[str, frozenset[str]]:
        """Find the codes that might rule out claims about each system of a pair: it is too shallow,
        or judged too rarely.

        The deepest runs and the one with most judged documents stand for all others.
        """
        key = measure, inside.tobytes(), missing
        if key not in self._depend:
            facts = self.facts
            shares = [system.judged_share(inside) for system in facts.systems]
            first, second = np.argsort(shares)[:-3:-1].tolist()
            codes = {}
            alone = self.against_runs(measure, inside, missing)
            for number, name in enumerate(self.names):
                other = second if number == first else first
                beside = facts.against("claim", measure, number, inside, missing, other)
                codes[name] = frozenset(one.code for one in beside if one not in alone[name])
            self._depend[key] = codes
        return self._depend[key]

    def columns_of_runs(self, measure: Measure, inside: Bools) -> dict[str, Row]:
        """Return further columns of each system."""
        return columns_of_runs(self.facts, measure, inside)

    def complete(self, board: Any, parts: Mapping[str | None, Bools], level: float) -> None:
        """Add the further columns of a board."""
        columns = {
            (str(measure), group): self.columns_of_runs(measure, inside)
            for measure in self.measures
            for group, inside in parts.items()
        }
        rows = board[["measure", "group", "run"]].itertuples(index=False)
        of_rows = [columns[measure, group][run] for measure, group, run in rows]
        for name in of_rows[0]:
            board[name] = [row[name] for row in of_rows]

    def notes_of_pairs(
        self, board: Any, parts: Mapping[str | None, Bools], missing: float
    ) -> list[str]:
        """Say which significant differences are no larger than between repeats."""
        told_apart = board.different_pairs().to_dict("records")
        pairs = [(f"{row['a']} and {row['b']}, ", (row["a"], row["b"]), row) for row in told_apart]
        return each_within_repeats(self.facts, parts, pairs)


def _some_unjudged(row: Mapping[str, Any]) -> bool:
    """Test whether a run of a pair has unjudged documents in its first ten."""
    return any(value > 0 for name, value in row.items() if name.startswith("unjudged_"))


def _with_values(pair: Pair, values: Floats, inside: Bools, topics: Sequence[str]) -> Pair:
    """Return the pair with other values, (2, n_topics), on those of its topics that are inside."""
    kept = pair.topics & inside & ~np.isnan(values).any(axis=0)
    return replace(
        pair,
        topics=kept,
        query_ids=list(compress(topics, kept.tolist())),
        values=values[:, kept],
        lacking=pair.lacking[:, kept[pair.topics]],
        grounds=[],
    )
