"""Which grades count as relevant to binary measures whose name does not say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ir_measures.measures import Measure

    from irpref.judged.judgments import Judgments


def thresholds_on(measures: Iterable[Measure], qrels: Judgments) -> list[str]:
    """Apply `thresholds` to the grades of judgments."""
    return thresholds(measures, float(np.max(qrels.table.value, initial=0)))


def threshold_of(measure: Measure) -> float | None:
    """Find the lowest grade that is relevant to a binary measure; None for other measures."""
    spec: Any = measure.SUPPORTED_PARAMS.get("rel")
    rel = measure.params.get("rel", getattr(spec, "default", None))
    return float(rel) if spec is not None and isinstance(rel, (int, float)) else None


def thresholds(measures: Iterable[Measure], highest: float) -> list[str]:
    """Say which threshold `rel` measures use by default: a note for outputs that name them.

    Parameters
    ----------
    measures : measures of any toolkit
    highest : float
        The highest grade of the judgments.

    Returns
    -------
    list of str
        A sentence for each threshold; none if no grade is above 1, since then there is no choice.

    Examples
    --------
    >>> from ir_measures import AP, P, nDCG
    >>> thresholds([AP, P @ 10, P(rel=2) @ 5, nDCG], highest=3)
    ['AP, P@10: rel=1, so all grades from 1 to 3 count alike']
    """
    named: dict[float, list[str]] = {}
    for measure in measures:
        spec: Any = measure.SUPPORTED_PARAMS.get("rel")
        by_default = spec is not None and "rel" not in measure.params
        if by_default and isinstance(spec.default, (int, float)) and highest > 1:
            named.setdefault(spec.default, []).append(str(measure))
    return [
        f"{', '.join(names)}: rel={rel:g}, so all grades from {rel:g} to {highest:g} count alike"
        for rel, names in named.items()
        if rel < highest
    ]
