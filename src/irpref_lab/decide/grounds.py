"""What stands against a verdict: reasons not to call a run better, and runs that cannot take part.

`irpref.evidence` has the facts. Here is what they mean for the question whether a candidate is as
good as a baseline, by one measure. No pass, and no claim that the candidate is better, if

    unanswered    topics that the baseline does not answer, or on which either run has no value, are
                  more than `missing` of the answerable ones
    changed-ids   on more than `missing` of the answerable topics the baseline has unjudged
                  documents whose ids are judged ones but for a change that tools make
    out-of-reach  less than a quarter of the answerable topics are in reach of the measure
    unseen        a run retrieves a judged document on fewer than ten of the compared topics (half
                  of them, if fewer than twenty), or the baseline on none within the cutoff
    blind         on more than half of the compared topics the measure does not tell grades apart
    shallow       on more than `missing` of the answerable topics the baseline is shallow, and more
                  documents could change its value
    unjudged      the baseline's first ten are judged to less than a fifth of the candidate's share,
                  and the qrels hold documents judged non-relevant: else it is the relevant
                  documents alone that are judged, and a better run has more of them
    few-topics    fewer than five topics are left

Topics are compared if they are answerable, in reach, and answered by the baseline. Unseen and
unanswerable topics alone are no reason: a relevant document that no run retrieves is a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, ArgumentError
from irpref.kernel.segments import Bools
from irpref.values.facts import Evidence, System
from irpref.values.sensitivity import TOP
from irpref_lab.trust.topics import FEWEST

_IN_REACH, _BLIND, _JUDGED = 0.25, 0.5, 0.2
_SEEN = 10  # topics


@dataclass(frozen=True, slots=True)
class Ground:
    """A reason against a verdict: a stable code, and a sentence without its full stop."""

    code: str
    text: str


def check_missing(missing: Any) -> float:
    """The share as a float; `ValueError` unless it lies between 0 and 1."""
    if isinstance(missing, bool) or not isinstance(missing, (int, float)) or not 0 <= missing < 1:
        raise ArgumentError(
            f"missing={missing!r} is not accepted, expected a share of the topics of at least 0 "
            f"and below 1, such as 0.05",
            parameter="missing",
            value=missing,
        )
    return float(missing)


def check_depth(depth: Any) -> int | None:
    """The depth; `ValueError` unless it is a positive integer or None."""
    if depth is None:
        return None
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 1:
        raise ArgumentError(
            f"depth={depth!r} is not accepted, expected a number of documents of at least 1",
            parameter="depth",
            value=depth,
        )
    return int(depth)


def absent_runs(facts: Evidence, strict: bool = False, alone: bool = False) -> dict[str, str]:
    """Runs that take no part in tests, with the reason.

    Parameters
    ----------
    facts : Evidence
    strict : bool
        Whether such a run is an error.
    alone : bool
        Whether nothing is tested, so that one run is enough, or none: then none is set apart.

    Raises
    ------
    ValueError
        There is such a run and `strict`, or fewer than two others are left.
    """
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


def compared(facts: Evidence, measure: Measure, baseline: int, inside: Bools) -> Bools:
    """Topics that can tell something: answerable, in reach, and answered by the baseline."""
    there = facts.answerable & facts.reached[measure] & inside
    return np.asarray(there & ~facts.unanswered(measure)[baseline])


def grounds(
    facts: Evidence, measure: Measure, baseline: int, inside: Bools, missing: float
) -> list[Ground]:
    """The reasons not to call the other of two runs better than the baseline, or as good.

    Parameters
    ----------
    facts : Evidence
        Of two systems.
    measure : measure
    baseline : int
        Number of the baseline.
    inside : bool array (n_topics,)
        The topics to look at.
    missing : float
        Share of the answerable topics that may be missing.
    """
    candidate = 1 - baseline
    name = facts.systems[baseline].name
    answerable = facts.answerable & inside
    n = int(answerable.sum())
    if not n:
        return [
            Ground("unanswerable", f"none of the {inside.sum():,} topics has a relevant document")
        ]
    kept = compared(facts, measure, baseline, inside)
    n_kept = int(kept.sum())
    reasons = [*_missing(facts, measure, baseline, answerable, missing)]
    changed = facts.changed_ids[baseline] & answerable
    if changed.sum() > missing * n:
        reasons.append(Ground("changed-ids", facts.changed_text(baseline, changed, answerable)))
    in_reach = int((answerable & facts.reached[measure]).sum())
    if in_reach < _IN_REACH * n:
        text = f"nothing counts as relevant to {measure} for {n - in_reach:,} of {n:,} topics"
        reasons.append(Ground("out-of-reach", f"{text} ({facts.scale(measure)})"))
    seen = int((kept & ~facts.unseen).sum())
    if n_kept and not (kept & facts.looked_at(measure)[baseline]).any():
        depth = facts.looks_at(measure)
        where = f" in its first {depth:,}" if depth else ""
        text = f"{name} has no judged document{where} for any of {n_kept:,} topics"
        reasons.append(Ground("unseen", text))
    elif seen < min(_SEEN, n_kept / 2):
        text = f"the runs retrieve a judged document for only {seen:,} of {n_kept:,} topics"
        reasons.append(Ground("unseen", text))
    blind = int((kept & facts.blind(measure)).sum())
    if blind > _BLIND * n_kept:
        every = (
            "every judged document counts as relevant to"
            if _has_rel(measure)
            else "all grades count the same for"
        )
        text = f"{every} {measure} ({facts.scale(measure)}) for {blind:,} of {n_kept:,} topics"
        reasons.append(Ground("blind", text))
    shallow = facts.too_shallow(measure)[baseline] & answerable
    if shallow.sum() > missing * n:
        reasons.append(
            Ground("shallow", facts.shallow_text(measure, baseline, shallow, answerable))
        )
    shares = [_judged_share(system, kept) for system in facts.systems]
    if (facts.pool.grade == 0).any() and shares[baseline] < _JUDGED * shares[candidate]:
        low, high = (f"{100 * shares[i]:.0f} %" for i in (baseline, candidate))
        text = f"{low} of the first ten documents of {name} are judged, and {high} of those of "
        reasons.append(Ground("unjudged", text + facts.systems[candidate].name))
    if n_kept < FEWEST and (n_kept or not reasons):
        reasons.append(Ground("few-topics", too_few(n_kept)))
    return reasons


def _missing(
    facts: Evidence, measure: Measure, baseline: int, answerable: Bools, missing: float
) -> list[Ground]:
    n = int(answerable.sum())
    unanswered = facts.unanswered(measure)[baseline] & answerable
    no_value = np.isnan(facts.values(measure)).any(axis=0) & answerable
    if (unanswered | no_value).sum() <= missing * n:
        return []
    lost = int((unanswered & ~no_value).sum())
    parts = []
    if lost:
        who = facts.systems[baseline].name
        parts.append(f"{who} has no documents for {lost:,} of {n:,} topics")
    if no_value.any():
        parts.append(f"{measure} has no value for {int(no_value.sum()):,} of {n:,} topics")
    return [Ground("unanswered", ", and ".join(parts))]


def too_few(n_topics: int) -> str:
    """That so many topics tell nothing, in words."""
    if n_topics > 1:
        return f"{n_topics} topics are too few"
    return "one topic is too few" if n_topics else "no topic is left"


def _has_rel(measure: Measure) -> bool:
    return "rel" in measure.SUPPORTED_PARAMS


def _judged_share(system: System, topics: Bools) -> float:
    """Share of judged documents in the first ten of these topics."""
    returned = int(system.returned[TOP][topics].sum())
    return int(system.judged[TOP][topics].sum()) / returned if returned else 0.0
