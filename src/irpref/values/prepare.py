"""Prepare judgments for measures: the pool, and the arguments of each kernel.

A measure may read further columns of the qrels, and may take the top of the grade scale from them.
Both happen here, once for all runs, with their errors and warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import (
    ConflictError,
    JudgmentsError,
    MeasureError,
    RangeWarning,
    Remedy,
    ScaleWarning,
)
from irpref.judged.inputs import is_missing
from irpref.judged.judgments import Judgments
from irpref.judged.pool import FILLED, LOWEST, SOURCE, Pool
from irpref.kernel.memo import shared
from irpref.kernel.segments import Bools, Floats
from irpref.measures.declare import KernelMeasure, arguments_of, needs
from irpref.measures.degenerate import lacks_nonrelevant, warn_degenerate
from irpref.measures.toml_files import compared
from irpref.messages import warn_user

if TYPE_CHECKING:
    from numpy.typing import NDArray


def columns_of(measure: KernelMeasure) -> dict[str, str]:
    """Map each column of the qrels that a measure reads to the parameter that names it."""
    wanted = [
        parameter for parameter, spec in measure.SUPPORTED_PARAMS.items() if spec.column is not None
    ]
    arguments = arguments_of(measure) if wanted else {}
    return {
        arguments[parameter]: parameter
        for parameter in wanted
        if isinstance(arguments[parameter], str)
    }


def columns_for(measures: Iterable[Measure]) -> tuple[str, ...]:
    """Name the columns of the qrels that these measures read besides the columns that all measures
    read.
    """
    ours = (measure for measure in measures if isinstance(measure, KernelMeasure))
    return tuple(dict.fromkeys(name for measure in ours for name in columns_of(measure)))


def _known(column: NDArray[Any], pool: Pool, name: str) -> Bools:
    """Read a column of truth values; a missing value counts as False, not known."""
    if column.dtype == bool:
        return column
    values = column.tolist()
    for row, value in enumerate(values):
        if isinstance(value, str):
            topic = pool.topic_ids[int(pool.judged.topic[row])]
            raise JudgmentsError(
                f"column {name!r} of topic {topic!r}, document {pool.doc_ids[row]!r} is the text "
                f"{value!r}, expected True or False (or 1 and 0)",
                column=name,
                topic=topic,
                doc=pool.doc_ids[row],
                value=value,
            )
    return np.array([not is_missing(value) and bool(value) for value in values], dtype=bool)


def _expected(column: NDArray[Any], pool: Pool, name: str) -> Floats:
    """Read a column with one number for each topic, and repeat it on every row of the topic."""
    values = np.array([_number(value) for value in column.tolist()], np.float64)
    given = ~np.isnan(values)
    high = pool.judged.maximum(np.where(given, values, -np.inf), -np.inf)
    low = -pool.judged.maximum(np.where(given, -values, -np.inf), -np.inf)
    bad = (pool.judged.lengths > 0) & ~((low == high) & (high >= 1) & (high < np.inf))
    if bad.any():
        t = int(np.argmax(bad))
        numbers = np.unique(values[pool.judged.span(t)])
        numbers = numbers[numbers > -np.inf].tolist()
        raise JudgmentsError(
            f"column {name!r} of topic {pool.topic_ids[t]!r} must hold one number of at least 1, "
            f"found {', '.join(f'{g:g}' for g in numbers) or 'none'}",
            column=name,
            topic=pool.topic_ids[t],
        )
    return pool.judged.spread(high)


def _number(value: Any) -> float:
    """Return the value as a number; NaN if it is missing, minus infinity if it is not a number."""
    try:
        return np.nan if is_missing(value) else float(value)
    except (TypeError, ValueError):
        return -np.inf


def check_graded(pool: Pool, measures: Iterable[Measure]) -> None:
    """Raise `ValueError` if measures need a grade for each document and the judgments are
    preferences without grades.
    """
    for measure in measures:
        # These ask at most whether there is a judgment.
        counts = str(measure.NAME) in ("Judged", "NumQ", "NumRet") and "rel" not in measure.params
        if not pool.graded and not counts:
            raise ConflictError(
                f"{measure} needs one grade per document, but these preferences put a document on "
                f"several levels: evaluate it against qrels",
                measure=str(measure),
            )


def prepare(
    measures: Iterable[KernelMeasure], qrels: Judgments | Pool
) -> tuple[Pool, dict[KernelMeasure, dict[str, Any]]]:
    """Return the pool that measures need, and the arguments of their kernels.

    Raises
    ------
    ValueError
        Bad qrels (see `Judgments.pool`); a column that a measure needs is missing; gains fall as
        grades rise.

    Warns
    -----
    ScaleWarning
        `max_rel` was not given and is taken from these qrels.
    RangeWarning
        On these judgments a measure leaves its usual range (nCRP, with negative grades).
    DegenerateWarning
        No document is judged non-relevant, and a measure of the bpref family needs such documents.
    """
    measures = list(measures)
    for measure in measures:
        measure.validate_params()
    columns = {(parameter, name): m for m in measures for name, parameter in columns_of(m).items()}
    wanted = [measure for measure in measures if "preferences" in measure.NEEDS]
    pool = qrels if isinstance(qrels, Pool) else qrels.pool(columns_for(measures), bool(wanted))
    check_graded(pool, [measure for measure in measures if measure not in wanted])
    for (parameter, name), measure in columns.items():
        known = measure.SUPPORTED_PARAMS[parameter].column is bool
        if name not in pool.columns:
            needed = (
                ""
                if name == "known"
                else "; it holds " + ("True or False" if known else "one number per topic")
            )
            raise MeasureError(
                f"{measure} needs the column {name!r} of the qrels (found: "
                f"{', '.join(pool.header)}){needed}",
                remedy=Remedy("known", None, "judgments", "adds it") if name == "known" else None,
                measure=str(measure),
                parameter=parameter,
                column=name,
            )
        if (parameter, name) not in pool.columns:
            # Store the clean column under its own key: another measure may read the original
            # differently.
            clean = _known if known else _expected
            pool.columns[parameter, name] = clean(pool.columns[name], pool, name)
    return pool, {measure: resolve(measure, pool) for measure in measures}


def resolve(measure: KernelMeasure, pool: Pool) -> dict[str, Any]:
    """Return the arguments of the kernel for this pool, `max_rel` filled in. Raises and warns as
    `prepare`.
    """
    arguments = arguments_of(measure)
    if arguments.get("gains"):
        measure.check_gains(pool.scale())
    note_degenerate(measure, pool)
    caution = measure.caution(pool.level_grade)
    if caution:
        warn_user(f"{measure}: {caution}", RangeWarning, measure=str(measure))
    if "max_rel" in arguments and arguments["max_rel"] is None:
        top = pool.max_gain(arguments.get("gains"))
        arguments["max_rel"] = top
        if measure.lacks_scale():
            warn_of_scale(measure, top, pool)
    filled = _low_filled(pool) if _counts(measure) else ()
    if filled:
        arguments["gains"] = tuple(
            sorted({**dict(arguments["gains"] or ()), **dict.fromkeys(filled, 0.0)}.items())
        )
    return arguments


def warn_of_scale(measure: KernelMeasure, top: float, pool: Pool) -> None:
    """Say which top of the scale was taken; nothing if judgments are binary, whose top is 1."""
    if top == 1 and pool.level_grade.max() == 1:
        return
    near = str(measure(max_rel=top))
    why = (
        "the highest gain in these qrels"
        if measure.params.get("gains")
        else "the highest grade of these qrels"
    )
    if top == 1 and pool.level_grade.max() < 1:
        why = "since no grade of these qrels is above it"
    recommended = compared(measure).recommended
    advised = measure(**recommended)
    if not (recommended.keys() & measure.params.keys()) and not advised.lacks_scale():
        near = f"{near}, or {advised}, which needs no max_rel"
    warn_user(
        f"{measure}: max_rel was not given; {top:g} is used, {why}. Other qrels "
        f"(a batch, a fold) may have another: write {near}",
        ScaleWarning,
        remedy=Remedy(call="bind", effect="does it for you"),
        measure=str(measure),
        parameter="max_rel",
        value=top,
    )


def _counts(measure: KernelMeasure) -> bool:
    """Test whether every document with a gain counts as relevant."""
    gains = measure.SUPPORTED_PARAMS.get("gains")
    return gains is not None and gains.counts


@shared
def _low_filled(pool: Pool) -> tuple[float, ...]:
    """Find grades from a judge alone that are below the lowest positive human grade: such documents
    are hardly relevant.
    """
    if SOURCE not in pool.columns:
        return ()
    filled = pool.columns[SOURCE] == FILLED
    human = pool.grade[~filled]
    least = (
        float(pool.columns[LOWEST][0])
        if LOWEST in pool.columns
        else human[human > 0].min(initial=np.inf)
    )
    low = np.unique(pool.grade[filled & (pool.grade > 0) & (pool.grade < least)])
    return tuple(np.setdiff1d(low, human).tolist()) if np.isfinite(least) else ()


def note_degenerate(measure: Measure, pool: Pool) -> None:
    """Warn if a measure, ours or one of the host, cannot tell rankings apart with these
    judgments.
    """
    if "nonrelevant" in needs(measure) and _is_degenerate(pool, measure):
        warn_degenerate(measure, pool.level_grade.tolist())


@shared  # for each system and each of its batches
def _is_degenerate(pool: Pool, measure: Measure) -> bool:
    """Test whether no topic has a document that is judged and not relevant to the measure."""
    return bool(lacks_nonrelevant(measure, pool).all())
