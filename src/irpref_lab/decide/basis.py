"""Judged runs as a basis of verdicts, and runs that cannot take part in tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, EmptyJudgmentsError, MeasureError
from irpref.judged import Groups, Judgments, as_judgments, groups_of, hash_of_pool, hash_of_text
from irpref.kernel import Bools, Floats, ratio
from irpref.measures.declare import rises
from irpref.observed import (
    TOP,
    Evidence,
    Ground,
    check_present,
    gathered,
    sees_grades,
    thresholds_on,
)
from irpref.values import TopicValues, have_a_value
from irpref_lab.decide.in_place import InPlaceOfJudgments
from irpref_lab.decide.pair import FURTHER, Pair, Row
from irpref_lab.decide.questions import Basis, Question, Verdict
from irpref_lab.decide.turning import Turning
from irpref_lab.remarks import (
    about_topics,
    by_judge,
    columns_of_judge,
    columns_of_repeats,
    columns_of_runs,
    each_within_repeats,
    grave_lines,
    of_many_runs,
    own_topics,
    repeated,
    topics_by_code,
    within_repeats,
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

    Raises
    ------
    ValueError
        A system answers no judged topic or retrieves no judged document; whatever the evaluator
        raises.
    """
    if isinstance(qrels, InPlaceOfJudgments):
        return qrels.basis(measures, runs, leaves_out)
    read = as_judgments(qrels)
    facts = replace(gathered(measures, read, runs, depth, keep=keep), leaves_out=leaves_out)
    check_present(
        (one for one in facts.systems if present is None or one.name in present),
        len(facts.topics),
    )
    return JudgedRuns(facts, read)


Decide: TypeAlias = Callable[[Floats, Bools], str]


class JudgedRuns(Basis):
    """Runs of systems, evaluated on judgments.

    Parameters
    ----------
    facts : Evidence
        With the runs themselves.
    qrels : Judgments
    """

    def __init__(self, facts: Evidence, qrels: Judgments) -> None:
        self.facts, self.qrels, self.measures = facts, qrels, facts.measures
        self._turning: Turning | None = None
        self._of_pairs: dict[tuple[int, ...], Evidence] = {}
        self._alone: dict[tuple[Measure, bytes, float], dict[str, list[Ground]]] = {}
        self._depend: dict[tuple[Measure, bytes, float], dict[str, frozenset[str]]] = {}

    def only(self, numbers: Sequence[int]) -> JudgedRuns:
        """Return the basis of some systems, by number."""
        return JudgedRuns(self.facts.only(numbers), self.qrels)

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
        self._check_grades(in_reach, lambda measure: sees_grades(measure, facts.pool))

    @staticmethod
    def _check_grades(measures: Sequence[Measure], sees: Callable[[Measure], bool]) -> None:
        """Refuse measures none of which depends on grades."""
        if measures and not any(map(sees, measures)):
            raise MeasureError(
                f"{', '.join(map(str, measures))}: a gate needs a measure that depends on grades, "
                f"and others say nothing about which ranking is better",
                measure=str(measures[0]),
            )

    @property
    def names(self) -> Sequence[str]:
        """The names of the systems."""
        return [system.name for system in self.facts.systems]

    def parts(self, groups: Groups | None) -> dict[str | None, Bools]:
        """Map each group to its topics; without groups, None to all topics."""
        return dict(groups_of(groups, self.qrels, self.facts.topics))

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
                raise MeasureError(
                    f"{measure} has no value for both runs on any topic", measure=str(measure)
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

    def could_turn(
        self, pair: Pair, verdict: Callable[[float], str], now: str, agrees: bool = True
    ) -> bool | None:
        """Tell whether judging the unjudged documents could change a verdict; None if unknown."""
        if self._turning is None:
            first, second = self.facts.systems
            runs = {system.name: system.runs[0] for system in (first, second)}
            same = self.facts.same_order(0, 1)
            self._turning = Turning(runs, self.facts, same)
        return self._turning.could(pair.measure, pair.topics, verdict, now, agrees)

    # Columns and words ----------------------------------------------------------------------------

    def columns(self, pair: Pair, called: Sequence[str], level: float) -> Row:
        """Return the further columns of a pair; the systems are called so in their names."""
        facts, inside = self.facts, pair.inside
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
        return [*texts, *by_judge(facts, inside), *repeats]

    def repeats(self, pair: Pair, row: Mapping[str, Any]) -> list[str]:
        """Say if the difference is no larger than between repeated runs of a system."""
        facts = self._facts_of(pair.numbers)
        return within_repeats(facts, pair.measure, pair.topics, (0, 1), row["difference"])

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
        return [*notes, *thresholds_on(measures, self.qrels)]

    def _orders(self) -> Iterator[str]:
        """Say where the order of documents is strange."""
        if self.facts.same_order(0, 1):
            yield "both runs have the same ranking"
        for number, system in enumerate(self.facts.systems):
            for say in (self.facts.equal_in_words, self.facts.ties_in_words):
                if text := say(number, f"the {system.name}"):
                    yield text

    def grave(self) -> list[str]:
        """List what `irpref_lab.check` would find grave, a line for each code."""
        return grave_lines(self.facts)

    def frame(self, parts: Mapping[str | None, Bools]) -> Any:
        """Return the table of `irpref.evidence`."""
        return self.facts.frame(parts)

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
        facts = self.facts
        n_topics = len(facts.topics)
        reasons = {
            system.name: system.absence(n_topics) for system in facts.systems if system.is_absent
        }
        left = len(facts.systems) - len(reasons)
        if reasons and (strict or (left < 2 and not alone)):
            every = "; ".join(f"{name!r}: {why}" for name, why in reasons.items())
            if not strict:
                every = f"{left or 'no'} run{'s' * (left != 1)} left to compare: {every}"
            raise AbsentRunError(every)
        return reasons if left else {}

    def tables(self) -> list[TopicValues]:
        """Return the values of each measure, without topics that have no value for any system."""
        return self.facts.tables()

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

    def notes_of_many(self, absent: Mapping[str, str], called: str | None = None) -> list[str]:
        """Describe problems behind the values of all systems, without full stops."""
        facts = self.facts
        return [
            *of_many_runs(facts, facts.measures, absent, called),
            *thresholds_on(facts.measures, self.qrels),
        ]

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
