"""What `compare`, `gate` and `leaderboard` share on the judgments of a sample
(`irpref_lab.sampled`).

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
from collections.abc import Sequence

import numpy as np

from irpref.judged import Groups
from irpref.judged.groups import groups_of
from irpref.kernel import Bools, Floats, Ints
from irpref.observed import Ground
from irpref_lab.decide.paired import rounded_up
from irpref_lab.judges.plans import looks_in_words
from irpref_lab.judges.sampled import Sampled, SampledValues
from irpref_lab.trust.frames import Row

NO_LOOK = "no-look"


def parts_of(groups: Groups | None, judgments: Sampled) -> dict[str | None, Bools]:
    """Topics of each group; {None: all of them} without groups."""
    topics = judgments.topic_ids
    parts: dict[str | None, Bools] = dict(groups_of(groups, None, topics))
    return parts


def grounds_on_sample(
    judgments: Sampled, estimates: SampledValues, missing: float, runs: Sequence[int]
) -> list[Ground]:
    """Why there is no verdict.

    Parameters
    ----------
    judgments : Sampled
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
        reasons.append(Ground("unanswered", "; ".join(texts)))
    if not judgments.at_look:
        judged = f"{judgments.n_judged:,} document{'s are' if judgments.n_judged > 1 else ' is'}"
        text = f"{judged} judged, and the plan has {looks_in_words(judgments.looks)}"
        reasons.append(Ground(NO_LOOK, text))
    return [*reasons, *_same_gains(judgments, estimates)]


def _same_gains(judgments: Sampled, estimates: SampledValues) -> list[Ground]:
    """Why the grades of the sample tell nothing apart, with the codes of `irpref.evidence`."""
    gain = estimates.human_gain
    if not gain.size:
        return [Ground("blind", "the judged document does not count before its partner is judged")]
    if np.ptp(gain) > 0:
        return []
    grade = judgments.human_grade[: gain.size]
    n, measure = f"{gain.size:,}", estimates.values.measure
    if not (grade > 0).any():
        return [Ground("unanswerable", f"none of the {n} judged documents is relevant")]
    low, high = grade.min(), grade.max()
    scale = f"all grades are {low:g}" if low == high else f"grades {low:g} to {high:g}"
    if gain[0] == 0:
        text = f"none of the {n} judged documents counts as relevant to {measure} ({scale})"
        return [Ground("out-of-reach", text)]
    return [Ground("blind", f"all {n} judged documents count the same for {measure} ({scale})")]


def judged_interval(judgments: Sampled, estimates: SampledValues, level: float) -> dict[str, float]:
    """Interval of the difference under full human judgments of these topics; NaN if the sample
    does not say.
    """
    low, high = judged_intervals(judgments, estimates, np.array([0]), np.array([1]), level)
    return {"low_judged": float(low[0]), "high_judged": float(high[0])}


def judged_intervals(
    judgments: Sampled, estimates: SampledValues, first: Ints, second: Ints, level: float
) -> tuple[Floats, Floats]:
    """The same of the pairs of some runs, by number, second minus first: all hold at once."""
    gain = estimates.human_gain
    if not gain.size or np.ptp(gain) == 0:
        nothing: Floats = np.full(first.size, math.nan)
        return nothing, nothing
    alone = 1 - (1 - judgments.share(level, judged=True)) / max(first.size, 1)
    return estimates.intervals(first, second, alone)


def go_on(judgments: Sampled, estimates: SampledValues, row: Row) -> str:
    """What full judgments of these topics would say, and whether to go on."""
    low, high = row["low_judged"], row["high_judged"]
    if judgments.n_judged == judgments.n_drawn:
        return "All documents that matter are judged."
    if math.isnan(low):
        return "The sample does not show yet what full judgments of these topics would give."
    if not judgments.at_look:
        return f"On these topics full judgments would give a difference of {low:.3f} to {high:.3f}."
    if low > 0 or high < 0:
        ahead = estimates.values.systems[1 if low > 0 else 0]
        least, most = sorted((abs(low), abs(high)))
        return (
            f"On these topics full judgments would put {ahead} ahead by {least:.3f} to {most:.3f}: "
            "you may stop."
        )
    more = estimates.further(0, 1)
    return (
        f"On these topics full judgments could still put either ahead ({low:.3f} to {high:.3f})"
        + (
            f": about {rounded_up(more):,} more documents would halve this interval."
            if more
            else "."
        )
    )
