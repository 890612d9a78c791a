"""Runs on the judgments of a sample (`irpref_lab.sampled`) as a basis of verdicts.

Tests and intervals over topics are those of full judgments: topics stay independent, so they hold
on estimated values as on any others. Beside them is the interval of the difference under full human
judgments of these same topics, `low_judged` to `high_judged`: it says whether to go on judging.
What needs the value of a single run, or the grade of a document that nobody drew, is missing.

Looks share the level of both kinds of intervals, and the pairs of a board share that of
`low_judged` and `high_judged`. After another number of documents there are numbers and no verdict.
A topic is left out only for what runs lack, never for its grades. Values may leave the range of the
measure and are not cut off.

If all human grades of the sample have the same gain, all differences are 0 whatever the runs are
worth, and there is no verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.judged import Groups, groups_of, hash_of_text
from irpref.kernel import Bools, Floats, Ints
from irpref.observed import (
    BLIND,
    FEW_TOPICS,
    FEWEST,
    OUT_OF_REACH,
    UNANSWERABLE,
    UNANSWERED,
    Ground,
    thresholds_on,
    too_few,
)
from irpref.values import TopicValues
from irpref_lab.decide.pair import FURTHER, NO_LOOK, PLACES, Pair, Row, rounded_up
from irpref_lab.decide.questions import Basis, Question, Verdict
from irpref_lab.judges.plans import looks_in_words
from irpref_lab.judges.sampled_judgments import SampledJudgments, SampledValues


class SampledRuns(Basis):
    """Runs of systems on a sample of judgments.

    Parameters
    ----------
    judgments : SampledJudgments
    measures : sequence of Measure
    runs : mapping of name to run
    """

    def __init__(
        self, judgments: SampledJudgments, measures: Sequence[Measure], runs: Mapping[str, Any]
    ) -> None:
        self.judgments, self.measures = judgments, measures
        self.values = dict(zip(measures, judgments.values(list(measures), runs), strict=True))

    def only(self, numbers: Sequence[int]) -> SampledRuns:
        """Return the basis of some systems, by number."""
        out = copy(self)
        out.values = {measure: one.select(numbers) for measure, one in self.values.items()}
        return out

    @property
    def names(self) -> Sequence[str]:
        """The names of the systems."""
        return next(iter(self.values.values())).values.systems

    @property
    def text(self) -> str:
        """How many documents are judged."""
        return self.judgments.text

    def share(self, level: float) -> float:
        """Return the level of each look."""
        return self.judgments.share(level)

    def parts(self, groups: Groups | None) -> dict[str | None, Bools]:
        """Map each group to its topics; without groups, None to all topics."""
        return dict(groups_of(groups, None, self.judgments.topic_ids))

    def pair(self, asked: Question) -> Pair:
        """Return two systems on a group of topics, with the grounds against the verdict.

        For a pass, topics without documents of the first system are left out; those without
        documents of the second are never a gain.
        """
        two, whole = list(asked.numbers), self.values[asked.measure]
        values, lacking = whole.values.values[two], np.logical_not(whole.answers[two])
        topics = asked.inside
        if asked.verdict == "pass":
            values = values.copy()
            values[1, lacking[1]] = np.minimum(*values)[lacking[1]]
            topics = asked.inside & ~lacking[0]
        first, second = (whole.values.systems[number] for number in two)
        pair = asked.pair(
            (first, second), whole.values.topics, topics, values, lacking, knows_means=False
        )
        runs = two if asked.verdict == "claim" and UNANSWERED.of_both else two[:1]
        estimates = whole.on(asked.inside)
        pair.grounds.extend(_grounds(self.judgments, estimates, asked.missing, runs))
        if asked.verdict == "pass" and pair.n_topics < FEWEST:
            pair.grounds.append(Ground(FEW_TOPICS.name, too_few(pair.n_topics)))
        return pair

    def columns(self, pair: Pair, called: Sequence[str], level: float) -> Row:
        """Return the topics that each system lacks, and the interval under full judgments."""
        whole = self.values[pair.measure].on(pair.inside)
        lost = (~whole.answers[list(pair.numbers)]).sum(axis=1).tolist()
        row: Row = {f"missing_{name}": n for name, n in zip(called, lost, strict=True)}
        row |= dict.fromkeys((f"unjudged_{name}" for name in called), math.nan)
        return row | _judged_interval(self.judgments, whole, pair.numbers, level)

    def sentences(
        self, verdict: Verdict, pair: Pair, row: Mapping[str, Any], missing: float
    ) -> list[str]:
        """Describe full judgments of these topics, and say whether to go on."""
        whole = self.values[pair.measure].on(pair.inside)
        return [_go_on(self.judgments, whole, row, pair.numbers)]

    def notes(self, verdict: Verdict) -> list[str]:
        """Say how many documents are judged, and which grades count as relevant."""
        return [self.text, *thresholds_on(self.measures, self.judgments)]

    # Many systems ---------------------------------------------------------------------------------

    def tables(self) -> list[TopicValues]:
        """Return the values of each measure, of which only differences mean anything."""
        return [one.values for one in self.values.values()]

    def further(self) -> list[TopicValues]:
        """Return which topics each system answers; judged shares are not known."""
        first = next(iter(self.values.values()))
        answered = first.answers.astype(np.float64)
        numbers = zip(FURTHER, (np.zeros_like(answered), answered), strict=True)
        return [
            TopicValues(name, first.values.systems, first.values.topics, values)
            for name, values in numbers
        ]

    def against_runs(
        self, measure: Measure, inside: Bools, missing: float
    ) -> dict[str, list[Ground]]:
        """Map each system to the grounds against a claim about it."""
        estimates = self.values[measure].on(inside)
        every = range(len(estimates.answers))
        grounds = _grounds(self.judgments, estimates, missing, every)
        return dict.fromkeys(self.names, grounds)

    def columns_of_runs(self, measure: Measure, inside: Bools) -> dict[str, Row]:
        """Return no further columns."""
        return {name: {} for name in self.names}

    def complete(self, board: Any, parts: Mapping[str | None, Bools], level: float) -> None:
        """Remove numbers that a sample does not know, and add intervals under full judgments."""
        for column in ("mean", "low", "high", "judged@10"):
            board[column] = math.nan
        board["place"] = board["place"].astype("Int64")
        tables = []
        for measure, (group, inside) in product(self.measures, parts.items()):
            rows, tested = (_about(frame, str(measure), group) for frame in (board, board.pairs))
            codes = board.loc[rows, "codes"].iloc[0]
            if codes:
                board.loc[rows, list(PLACES[codes == NO_LOOK :])] = pd.NA
                board.loc[rows, "letters"] = None
            estimates = self.values[measure].on(inside)
            table = _judged_pairs(self.judgments, estimates, board.pairs[tested], level)
            if codes not in ("", NO_LOOK):
                table[["effect_size", "p", "p_adjusted"]] = math.nan
            tables.append(table)
        if len(board.pairs):
            board.pairs = pd.concat(tables).sort_index()
        board.test = "; ".join(filter(None, [board.test, self.text]))

    def notes_of_many(self, absent: Mapping[str, str], called: str | None = None) -> list[str]:
        """Say which grades count as relevant."""
        return thresholds_on(self.measures, self.judgments)

    def notes_of_pairs(
        self, board: Any, parts: Mapping[str | None, Bools], missing: float
    ) -> list[str]:
        """Say why there is no verdict, in sentences, but for the look, which the test names."""
        unknown: dict[str, list[str]] = {}
        for measure, (group, inside) in product(self.measures, parts.items()):
            grounds = next(iter(self.against_runs(measure, inside, missing).values()))
            about = str(measure) if group is None else f"{measure} in {group}"
            for ground in grounds:
                if ground.code != NO_LOOK:
                    unknown.setdefault(ground.text, []).append(about)
        return [f"{', '.join(about)}: cannot tell, {text}" for text, about in unknown.items()]

    def check_values(self) -> None:
        """Raise the error of a sample: only differences are known."""
        raise self.judgments.refusal()

    def hashes(self, parts: Mapping[str | None, Bools]) -> tuple[str, str]:
        """Return the hash of the plan and the grades, and of these and the groups."""
        members = [(group, inside.tolist()) for group, inside in parts.items()]
        of_sample = self.judgments.hash
        return of_sample, hash_of_text(f"{of_sample} {members!r}")


def _grounds(
    judgments: SampledJudgments, estimates: SampledValues, missing: float, runs: Sequence[int]
) -> list[Ground]:
    """List the reasons why there is no verdict.

    Parameters
    ----------
    judgments : SampledJudgments
    estimates : SampledValues
    missing : float
        Share of the topics that a run may lack.
    runs : sequence of int
        Numbers of the runs that may not lack more.
    """
    reasons: list[Ground] = []
    n, lost = estimates.values.n_topics, (~estimates.answers).sum(axis=1)
    if texts := [
        f"{estimates.values.systems[run]} has no documents for {lost[run]:,} of {n:,} topics"
        for run in runs
        if lost[run] > missing * n
    ]:
        reasons.append(Ground(UNANSWERED.name, "; ".join(texts)))
    if not judgments.at_look:
        judged = f"{judgments.n_judged:,} document{'s are' if judgments.n_judged > 1 else ' is'}"
        text = f"{judged} judged, and the plan has {looks_in_words(judgments.looks)}"
        reasons.append(Ground(NO_LOOK, text))
    return [*reasons, *_same_gains(judgments, estimates)]


def _same_gains(judgments: SampledJudgments, estimates: SampledValues) -> list[Ground]:
    """Say why the grades of the sample tell nothing apart, with the codes of `irpref.evidence`."""
    gain = estimates.human_gain
    if not gain.size:
        return [
            Ground(BLIND.name, "the judged document does not count before its partner is judged")
        ]
    if np.ptp(gain) > 0:
        return []
    grade = judgments.human_grade[: gain.size]
    n, measure = f"{gain.size:,}", estimates.values.measure
    if not (grade > 0).any():
        return [Ground(UNANSWERABLE.name, f"none of the {n} judged documents is relevant")]
    low, high = grade.min(), grade.max()
    scale = f"all grades are {low:g}" if low == high else f"grades {low:g} to {high:g}"
    if gain[0] == 0:
        text = f"none of the {n} judged documents counts as relevant to {measure} ({scale})"
        return [Ground(OUT_OF_REACH.name, text)]
    return [Ground(BLIND.name, f"all {n} judged documents count the same for {measure} ({scale})")]


def _judged_interval(
    judgments: SampledJudgments, estimates: SampledValues, numbers: tuple[int, int], level: float
) -> dict[str, float]:
    """Return the interval of the difference of two systems under full human judgments of these
    topics; NaN if the sample does not say.
    """
    first, second = (np.array([number]) for number in numbers)
    low, high = _judged_intervals(judgments, estimates, first, second, level)
    return {"low_judged": float(low[0]), "high_judged": float(high[0])}


def _judged_intervals(
    judgments: SampledJudgments, estimates: SampledValues, first: Ints, second: Ints, level: float
) -> tuple[Floats, Floats]:
    """Return such intervals of pairs of systems, by number, second minus first: all hold at
    once.
    """
    gain = estimates.human_gain
    if not gain.size or np.ptp(gain) == 0:
        nothing: Floats = np.full(first.size, math.nan)
        return nothing, nothing
    alone = 1 - (1 - judgments.share(level, judged=True)) / max(first.size, 1)
    return estimates.intervals(first, second, alone)


def _go_on(
    judgments: SampledJudgments,
    estimates: SampledValues,
    row: Mapping[str, Any],
    numbers: tuple[int, int],
) -> str:
    """Describe full judgments of these topics, and say whether to go on."""
    low, high = row["low_judged"], row["high_judged"]
    if judgments.n_judged == judgments.n_drawn:
        return "all documents that matter are judged"
    if math.isnan(low):
        return "the sample does not show yet what full judgments of these topics would give"
    if not judgments.at_look:
        return f"on these topics full judgments would give a difference of {low:.3f} to {high:.3f}"
    if low > 0 or high < 0:
        ahead = estimates.values.systems[numbers[1 if low > 0 else 0]]
        least, most = sorted((abs(low), abs(high)))
        return (
            f"on these topics full judgments would put {ahead} ahead by {least:.3f} to {most:.3f}: "
            "you may stop"
        )
    more = estimates.further(*numbers)
    return (
        f"on these topics full judgments could still put either ahead ({low:.3f} to {high:.3f})"
        + (f": about {rounded_up(more):,} more documents would halve this interval" if more else "")
    )


def _about(table: pd.DataFrame, measure: str, group: str | None) -> pd.Series:
    """Find the rows about a measure, in one group of topics."""
    of_group = table["group"].isna() if group is None else table["group"] == group
    return (table["measure"] == measure) & of_group


def _judged_pairs(
    judgments: SampledJudgments, estimates: SampledValues, pairs: pd.DataFrame, level: float
) -> pd.DataFrame:
    """Add intervals of the differences under full human judgments that hold for all pairs at
    once.
    """
    place = {name: i for i, name in enumerate(estimates.values.systems)}
    first, second = (pairs[column].map(place).to_numpy(np.int64) for column in "ab")
    low, high = _judged_intervals(judgments, estimates, first, second, level)
    return pairs.assign(low_judged=low, high_judged=high)
