"""Measures that ir_measures cannot compute: errors before it fails, or in one line if it does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from ir_measures.measures import Measure
from ir_measures.measures.base import _NOT_PROVIDED

from irpref.errors import MeasureError
from irpref.kernel.segments import all_whole
from irpref.messages import clipped

# Values of parameters beyond which providers end in an assertion, or the process in a crash.
_LIMITS: dict[str, tuple[float, float]] = {
    "cutoff": (1, 2**31 - 1),
    "rel": (1, 100_000),
    "beta": (0, math.inf),
    "recall": (0, 1),
    "p": (0, 1),
}
HIGHEST = 1_000_000  # grade or gain; pytrec_eval makes an array as long as it


# The measures with a threshold among those that `everyday` computes.
WITH_REL = (
    *("AP", "Bpref", "NumRel", "NumRet", "P", "R", "RBP", "RR", "Rprec"),
    *("SetAP", "SetF", "SetP", "SetR", "Success"),
)


def any_rel(measure: Measure, rel: Any) -> bool:
    """Test whether a measure of the host takes this `rel` here: a fraction, if we compute the
    measure.

    The host itself takes whole numbers alone.
    """
    fraction = isinstance(rel, float) and math.isfinite(rel) and 0 < rel <= _LIMITS["rel"][1]
    return fraction and str(measure.NAME) in WITH_REL


# Measures that no provider computes without a cutoff, though the host does not declare that.
_NEED_CUTOFF = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall")


def check_parameters(measure: Measure) -> None:
    """Raise `ValueError` if a measure of the host lacks a parameter, or does not accept one."""
    if any_rel(measure, measure.params.get("rel")):
        measure = measure(rel=1)  # what is left to check
    for name, spec in measure.SUPPORTED_PARAMS.items():
        needed = spec.required or (name == "cutoff" and measure.NAME in _NEED_CUTOFF)
        if needed and measure.params.get(name) is None:
            raise MeasureError(
                f"{measure.NAME} needs {name}: {spec.desc}, as in {_with(measure, name)}",
                measure=str(measure.NAME),
                parameter=name,
            )
    try:
        measure.validate_params()
    except AssertionError as error:
        raise MeasureError(f"{measure.NAME}: {error}") from None


def check_limits(measure: Measure) -> None:
    """Raise `ValueError` if a parameter has a value that no provider of the host survives."""
    for name, value in measure.params.items():
        if isinstance(value, Mapping):
            if not all(_is_number(v) and _is_finite(v) for pair in value.items() for v in pair):
                raise MeasureError(
                    f"{measure.NAME}: {name}={clipped(value)!r} is not accepted, expected a dict "
                    f"such as {{1: 3}}",
                    measure=str(measure.NAME),
                    parameter=name,
                    value=value,
                )
        elif (
            name in _LIMITS
            and _is_number(value)
            and not (name == "rel" and any_rel(measure, value))
        ):
            low, high = _LIMITS[name]
            finite = _is_finite(value)
            bound = (
                f"at least {low}"
                if not value >= low
                else f"at most {high}"
                if finite
                else "a number"
            )
            if not (low <= value <= high and finite):
                raise MeasureError(
                    f"{measure.NAME}: {name}={clipped(value)!r} is not accepted, expected {bound}",
                    measure=str(measure.NAME),
                    parameter=name,
                    value=value,
                )


def check_supported(
    measures: Iterable[Measure], source: Any, instead: Callable[[Measure], str]
) -> None:
    """Raise `ValueError` if a provider, or all that are installed, cannot compute a measure.

    Parameters
    ----------
    measures : measures left to the host
    source : provider, or pipeline of providers
    instead : (measure) -> measure in its place, in words
        Empty if there is none that irpref computes.
    """
    for measure in measures:
        check_parameters(measure)
        check_limits(measure)  # before any provider sees them: some end the process
        if source.supports(measure):
            continue
        every = getattr(source, "providers", None)
        if every is None:
            raise MeasureError(
                f"the provider {source.NAME} does not compute {measure}{_remark(source, measure)}"
            )
        if ours := instead(measure):
            raise MeasureError(
                f"no installed provider computes {measure}; give {ours}", measure=str(measure)
            )
        able = [p for p in every if p.supports(measure)]
        near = [
            p
            for p in every
            if p not in able and _alike(p, measure) and (not able or p.is_available())
        ]
        how = {
            p: "" if p.is_available() else f" ({p.install_instructions()})" for p in [*able, *near]
        }
        offers = "; ".join(
            f"{p.NAME}{install} does{_remark(p, measure)}" for p, install in how.items()
        )
        raise MeasureError(
            f"no installed provider computes {measure}" + (f"; {offers}" if offers else "")
        )


def check_judgments(measures: Iterable[Measure], topics: Iterable[str], grades: Any) -> None:
    """Raise `ValueError` if the host does not end with judgments, or its tools refuse them.

    Parameters
    ----------
    measures : measures left to the host
    topics : ids of the judged topics
    grades : float array, the different grades
    """
    highest = float(grades.max())
    if highest > HIGHEST:
        names = ", ".join(map(str, measures))
        raise MeasureError(
            f"{names}: computed by ir_measures, which takes grades up to {HIGHEST}, not {highest:g}"
        )
    for measure in measures:
        name = provider_of(measure)
        if name not in ("gdeval", "pytrec_eval"):
            continue
        if not all_whole(grades):
            odd = float(grades[grades != np.rint(grades)][0])
            raise MeasureError(
                f"{measure} is computed by {name} of ir_measures, which takes whole grades, not "
                f"{odd:g}",
                measure=str(measure),
                value=odd,
            )
        if name == "pytrec_eval":
            continue
        word = next((topic for topic in topics if not re.search(r"(^|-)[0-9]+$", topic)), None)
        if word is not None:
            raise MeasureError(
                f"{measure} is computed by gdeval of ir_measures, which needs numeric topic ids, "
                f"not {word!r}",
                measure=str(measure),
                topic=word,
            )
        if highest > 4:
            raise MeasureError(
                f"{measure} is computed by gdeval of ir_measures, which takes grades up to 4, not "
                f"{highest:g}",
                measure=str(measure),
                value=highest,
            )


def pipeline(ours: bool = True) -> list[Any]:
    """List the providers of ir_measures' pipeline; this package's only if `ours`."""
    from ir_measures import DefaultPipeline

    return [p for p in DefaultPipeline.providers if ours or not str(p.NAME).startswith("irpref")]


def provider_of(measure: Measure, ours: bool = True) -> str:
    """Name the provider that computes a measure in the pipeline; empty if none that is installed
    does.
    """
    able = (p for p in pipeline(ours) if p.is_available() and p.supports(measure))
    return next((str(p.NAME) for p in able), "")


@contextmanager
def of_host(measures: Iterable[Measure]) -> Iterator[None]:
    """Say which measures an error of the host is about, as a `ValueError`."""
    names = ", ".join(map(str, measures))
    try:
        yield
    except (ValueError, OSError, ImportError, MemoryError):
        raise
    except Exception as error:  # the host lets through what its providers raise
        raise MeasureError(f"ir_measures could not compute {names}: {in_words(error)}") from None


def in_words(error: BaseException) -> str:
    """Word an error that nobody has put into words for users."""
    from subprocess import CalledProcessError

    if isinstance(error, CalledProcessError):  # the command itself has temporary files for names
        return f"{error.cmd[0]} ended with status {error.returncode}"
    return f"{type(error).__name__}: {error}"


def _with(measure: Measure, name: str) -> str:
    if name == measure.AT_PARAM:
        return f"{measure.NAME}@{0.1 if measure.SUPPORTED_PARAMS[name].dtype is float else 10}"
    return f"{measure.NAME}({name}=...)"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    # A whole number may be more than a double holds.
    return -math.inf < value < math.inf and abs(value) < 2**1024


def _alike(provider: Any, measure: Measure) -> list[Any]:
    return [known for known in provider.SUPPORTED_MEASURES if known.NAME == measure.NAME]


def _remark(provider: Any, measure: Measure) -> str:
    remarks = wanted_changes(provider, measure)
    return f", {' and '.join(remarks)}" if remarks else ""


def wanted_changes(provider: Any, measure: Measure) -> list[str]:
    """List the changes that a provider that knows the measure wants: `with cutoff`, `without
    rel=2`.
    """
    try:
        if provider.supports(measure):
            return []
    except AssertionError:  # a required parameter is missing, which the measure itself declares
        return []
    # Of its forms, the one that is nearest.
    forms = [
        [name for name, spec in known.params.items() if not spec.validate(measure[name])]
        for known in _alike(provider, measure)
    ]
    words = []
    for name in min(forms, key=len, default=[]):
        value = measure.params.get(name, _NOT_PROVIDED)
        words.append(f"without {name}={value!r}" if value is not _NOT_PROVIDED else f"with {name}")
    return words
