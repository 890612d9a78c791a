"""Arguments of verdicts, and runs that cannot take part in tests.

What stands against a verdict are the codes of `irpref.observed.codes`: see
`irpref.observed.evidence.Evidence.against`."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.errors import AbsentRunError, ArgumentError
from irpref.observed import Evidence


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
