"""Sakai's NTCIREVAL and its port to Python, asked for the measures that we share with them.

Both take one ranking at a time, of documents with the level of their grade, and a gain for each
level. `ntcir_eval` is a program, which prints four digits; pyNTCIREVAL is a package.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from ir_measures.measures import Measure

from irpref.errors import JudgmentsError

Judged: TypeAlias = Mapping[str, Mapping[str, int]]
Scored: TypeAlias = Mapping[str, Mapping[str, float]]
Order: TypeAlias = Callable[[Mapping[str, float]], list[str]]

_BLENDED = {"OMeasure": "O-measure", "PMeasure": "P-measure", "PPlus": "P-plus"}
_NCU = {"graded": "NCUgu", "rank_biased": "NCUrb"}
_BPREF = {
    ("min", "keep"): "bpref",
    ("R", "keep"): "bpref_R",
    ("N", "keep"): "bpref_N",
    ("relative", "zero"): "bpref_relative",
}
_RPREF = {
    ("absolute", "keep"): "rpref_N",
    ("relative", "zero"): "rpref_relative",
    ("relative2", "keep"): "rpref_relative2",
}
_OF_PREFERENCES = ("BprefVariant", "RPref")  # of judged documents alone, in any case
_CLASSES = {
    "Q-measure": "QMeasure",
    "O-measure": "OMeasure",
    "P-measure": "PMeasure",
    "P-plus": "PPlusMeasure",
    "NCUgu,P": "NCUguP",
    "NCUgu,BR": "NCUguBR",
    "NCUrb,P": "NCUrbP",
    "NCUrb,BR": "NCUrbBR",
}


def ntcir_name(measure: Measure) -> str | None:
    """Return the name that `ntcir_eval` prints before the value of a measure; None if it does not
    compute it.
    """
    name, cutoff = str(measure.NAME), measure.params.get("cutoff")
    if name == "QMeasure":
        return "Q-measure" if cutoff is None else f"Q@{cutoff:04d}"
    if cutoff is not None:
        return None
    if name in _BLENDED:
        return _BLENDED[name]
    if name == "NCU":
        stop = _NCU.get(measure["stop"])
        return stop and f"{stop},{measure['utility']}"
    if name not in _OF_PREFERENCES or measure["unretrieved"] != "zero":
        return None
    if measure.params.get("rel", 1) != 1:
        return None
    names = _BPREF if name == "BprefVariant" else _RPREF
    return names.get((measure["norm"], measure["top"]))


def python_name(measure: Measure) -> str | None:
    """Return the class of pyNTCIREVAL that computes a measure; None if there is none."""
    name = ntcir_name(measure)
    return name and _CLASSES.get("Q-measure" if name.startswith("Q@") else name)


def by_program(
    binary: str, measure: Measure, order: Order, judged: Judged, scored: Scored
) -> dict[str, float]:
    """Ask the program for the value of each topic that it accepts."""
    name, gains = ntcir_name(measure), _gains(measure, judged)
    condensed = _is_condensed(measure)
    options = ["-g", ":".join(f"{gain:g}" for gain in gains), *["-j"] * condensed]
    for parameter in ("beta", "gamma"):
        if parameter in measure.SUPPORTED_PARAMS:
            options += [f"-{parameter}", f"{measure[parameter]:g}"]
    if measure.params.get("cutoff"):
        options += ["-cutoffs", str(measure["cutoff"])]
    values = {}
    with tempfile.TemporaryDirectory() as folder:
        judgments = Path(folder, "rel")
        for topic, grades, ranking in _topics(judged, scored, order, condensed):
            number = {doc: f"d{i}" for i, doc in enumerate(dict.fromkeys([*grades, *ranking]))}
            lines = [f"{number[doc]} L{grade}\n" for doc, grade in grades.items()]
            judgments.write_text("".join(lines))
            labelled = (
                f"{number[doc]} L{grades[doc]}\n" if doc in grades else f"{number[doc]}\n"
                for doc in ranking
            )
            done = subprocess.run(
                [binary, "compute", "-r", str(judgments), *options],
                input="".join(labelled),
                capture_output=True,
                text=True,
                check=False,  # it refuses topics without a relevant document, say
                timeout=600,
            )
            for line in done.stdout.splitlines():
                label, _, value = line.strip().partition("=")
                if label == name and value:
                    values[topic] = float(value)
    return values


def by_package(measure: Measure, order: Order, judged: Judged, scored: Scored) -> dict[str, float]:
    """Ask pyNTCIREVAL for the value of each topic that it accepts."""
    package = import_module("pyNTCIREVAL")
    metric = getattr(import_module("pyNTCIREVAL.metrics"), str(python_name(measure)))
    gains, condensed = _gains(measure, judged), _is_condensed(measure)
    values = {}
    for topic, grades, ranking in _topics(judged, scored, order, condensed):
        if not ranking or not any(grades.values()):
            continue  # it refuses them
        sizes = [list(grades.values()).count(level) for level in range(len(gains) + 1)]
        labels = package.Labeler(dict(grades)).label(ranking)
        values[topic] = float(metric(sizes, gains, *_options(measure, gains)).compute(labels))
    return values


def _options(measure: Measure, gains: Sequence[float]) -> list[Any]:
    """List the arguments that a class of pyNTCIREVAL takes after the gains."""
    if measure.NAME != "NCU":
        return [measure["beta"], *filter(None, [measure.params.get("cutoff")])]
    options: list[Any] = [list(gains) if measure["stop"] == "graded" else measure["gamma"]]
    return options + [measure["beta"]] * (measure["utility"] == "BR")


def _is_condensed(measure: Measure) -> bool:
    return measure.NAME in _OF_PREFERENCES or bool(measure.params.get("judged_only"))


def _gains(measure: Measure, judged: Judged) -> list[float]:
    """List the gain of each level from 1 to the highest."""
    grades = {grade for docs in judged.values() for grade in docs.values()}
    if any(grade != int(grade) for grade in grades):
        raise JudgmentsError("NTCIREVAL takes whole grades")
    given = measure.params.get("gains") or {}
    top = measure.params.get("max_rel") or max([1, *map(int, grades)])
    return [given.get(level, level) for level in range(1, int(top) + 1)]


def _topics(
    judged: Judged, scored: Scored, order: Order, condensed: bool
) -> Iterable[tuple[str, dict[str, int], list[str]]]:
    """Yield each topic with the grades that are not negative, and its ranking."""
    for topic, docs in judged.items():
        grades = {doc: int(grade) for doc, grade in docs.items() if grade >= 0}
        if scored.get(topic):
            ranking = order(scored[topic])
            yield topic, grades, [doc for doc in ranking if doc in grades or not condensed]
