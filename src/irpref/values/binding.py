"""The part of a collection as a whole that measures take: the top of the grade scale."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, overload

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import ArgumentError
from irpref.judged.judgments import as_judgments
from irpref.judged.pool import Pool
from irpref.judged.types import QrelsLike
from irpref.measures.declare import KernelMeasure, MeasureLike, Measures, needs
from irpref.measures.degenerate import nonrelevant, warn_degenerate
from irpref.measures.names import parse_all


@overload  # a name is an iterable of names, too
def bind(measures: MeasureLike, source: QrelsLike) -> Measure: ...  # type: ignore[overload-overlap]
@overload
def bind(measures: Iterable[MeasureLike], source: QrelsLike) -> list[Measure]: ...
def bind(measures: Measures, source: Any) -> Any:
    """Fix the grade scale of measures once for a collection.

    `max_rel` is filled in if a measure takes it and none was given, so that values do not change
    when the qrels are evaluated in parts: PyTerrier passes measures only the qrels of a batch, of a
    fold, or of the current topics.

    Parameters
    ----------
    measures : measure, name, or iterable of measures
    source : any form of qrels
        For a data set of ir_datasets or its id, the grades are taken from `qrels_defs()`, if there
        are any (nothing is downloaded), or else from the qrels.

    Returns
    -------
    Measure, or list of measures
        Measures whose values do not depend on `max_rel` are returned unchanged.

    Warns
    -----
    DegenerateWarning
        No document is judged non-relevant, and a measure of the bpref family needs such documents.

    Examples
    --------
    >>> bind(parse_all(["RPref", "nDCG@10"]), {"q1": {"d1": 2, "d2": 0}})
    [RPref(max_rel=2), nDCG@10]
    """
    single = isinstance(measures, (Measure, str))
    chosen = parse_all(measures)
    if single and len(chosen) != 1:
        raise ArgumentError(
            f"{measures!r} names {len(chosen)} measures: pass a list",
            parameter="measures",
            value=measures,
        )
    grades, given = _grades(source, any("preferences" in needs(measure) for measure in chosen))
    bound = []
    for measure in chosen:
        if (
            "nonrelevant" in needs(measure)
            and not nonrelevant(measure, np.array(given, dtype=np.float64)).any()
        ):
            warn_degenerate(measure, given)
        if isinstance(measure, KernelMeasure) and measure.lacks_scale():
            gains = measure.params.get("gains", {})
            measure = measure(
                max_rel=max([1, *(gains.get(grade, grade) for grade in grades if grade >= 0)])
            )
        bound.append(measure)
    return bound[0] if single else bound


def _grades(source: Any, preferences: bool) -> tuple[list[float], list[float]]:
    """Return the grades of the scale of a collection, and the grades that were given."""
    names_dataset = isinstance(source, str) and not os.path.exists(source)
    if names_dataset or hasattr(source, "qrels_iter") or hasattr(source, "irds_ref"):
        from irpref.settings import scale_of

        scale = scale_of(source)
        return list(scale.grades), list(scale.given)
    pool = (
        source if isinstance(source, Pool) else as_judgments(source).pool(preferences=preferences)
    )
    return pool.scale(), pool.scale()
