"""Codes about measures on these judgments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irpref.kernel.segments import Bools
from irpref.measures.declare import KernelMeasure, needs, rises
from irpref.measures.degenerate import lacks_nonrelevant, nonrelevant
from irpref.observed.finding import EVERY_USE, Code, Found, Level, View, nothing
from irpref.observed.sensitivity import limits_of
from irpref.observed.thresholds import threshold_of, thresholds

_IN_REACH, _BLIND = 0.25, 0.5
_TOP_OF_ERR = 4  # grade, in gdeval
_FEW_GRADES = 3
FEWEST = 5  # topics that a verdict needs, and an interval


def _scale(view: View) -> dict[str, Any]:
    assert view.measure is not None
    return {"scale": view.facts.grades_in_words(view.measure)}


def _out_of_reach(view: View) -> Found | None:
    facts, measure = view.facts, view.measure
    assert measure is not None
    which = facts.answerable & ~facts.reached[measure]
    if not which.any():
        return None
    return Found(which, facts.answerable, _scale(view), level=_level(view, which))


def _hardly_in_reach(view: View) -> Found | None:
    found = _out_of_reach(view)
    return found and Found(found.topics, found.told, found.words)


OUT_OF_REACH = Code(
    "out-of-reach",
    "measure",
    _out_of_reach,
    "nothing counts as relevant to {measure} ({scale}) for {some}",
    by_measure=True,
    against=EVERY_USE,
    from_share=1 - _IN_REACH,
    stops=_hardly_in_reach,
)


def _blind(view: View) -> Found | None:
    facts, measure = view.facts, view.measure
    assert measure is not None
    which = facts.answerable & facts.reached[measure] & facts.blind(measure)
    return Found(which, words=_scale(view), level=_level(view, which)) if which.any() else None


def _level(view: View, which: Bools) -> Level:
    """Choose the level: more than half of the answerable topics are worth a warning."""
    return "warning" if 2 * which.sum() > view.facts.answerable.sum() else "note"


def _same_values(view: View) -> Found | None:
    facts, measure = view.facts, view.measure
    assert measure is not None
    values = facts.values(measure)
    if len(values) < 2 or not np.array_equal(values, np.broadcast_to(values[0], values.shape)):
        return None
    silent = facts.blind(measure) | ~facts.reached[measure] | ~facts.answerable
    return None if silent.all() else Found(view.inside, count=1)  # all silent: other codes say why


SAME_VALUES = Code(
    "same-values",
    "measure",
    _same_values,
    "{measure} cannot tell these runs apart: all runs have the same value on every topic",
    by_measure=True,
)


def _mostly_blind(view: View) -> Found | None:
    facts, measure, baseline = view.of_verdict()
    kept = facts.compared(measure, baseline, view.inside)
    which = kept & facts.blind(measure)
    said = "all grades count the same for {measure} ({scale}) for {some}"
    if "rel" in measure.SUPPORTED_PARAMS:
        said = "every judged document counts as relevant to {measure} ({scale}) for {some}"
    return Found(which, kept, _scale(view), says=said)


BLIND = Code(
    "blind",
    "measure",
    _blind,
    "every judged document counts the same for {measure} ({scale}), for {some}",
    by_measure=True,
    against=EVERY_USE,
    from_share=_BLIND,
    stops=_mostly_blind,
    never_hides=True,
)


def _few_topics(view: View) -> Found | None:
    facts, measure, baseline = view.of_verdict()
    n_kept = int(facts.compared(measure, baseline, view.inside).sum())
    if n_kept >= FEWEST or facts.same_order(baseline, view.other):
        return None  # a change of nothing needs no number of topics
    if not n_kept and view.grounds:
        return None  # there is none left for these reasons
    return Found(view.inside, words={"text": too_few(n_kept)})


def too_few(n_topics: int) -> str:
    """Say that so many topics tell nothing."""
    if n_topics > 1:
        return f"{n_topics} topics are too few"
    return "one topic is too few" if n_topics else "no topic is left"


FEW_TOPICS = Code(
    "few-topics",
    "verdict",
    nothing,
    "{text}",
    by_measure=True,
    against=frozenset({"pass"}),  # a claim says how many topics there are
    stops=_few_topics,
)


def _wide_margin(view: View) -> Found | None:
    """Detect that the margin is at least all that the baseline has to lose."""
    facts, measure = view.facts, view.measure
    if view.margin is None or measure is None or view.run is None:
        return None
    kept = facts.compared(measure, view.run, view.inside)
    if not kept.any():
        return None
    mean = float(facts.values(measure)[view.run][kept].mean())
    least, most = limits_of(measure)
    to_lose = mean - least if rises(measure) else most - mean
    if view.margin < to_lose - 1e-12:  # the mean is rounded
        return None
    words = {"margin": view.margin, "to_lose": max(to_lose, 0.0), "mean": mean}
    return Found(view.inside, words=words)


WIDE_MARGIN = Code(
    "wide-margin",
    "verdict",
    nothing,
    "the baseline has only {to_lose:.3g} to lose by {measure} (its mean is {mean:.3g}), so a "
    "margin of {margin:g} would let any loss pass",
    by_measure=True,
    against=frozenset({"pass"}),
    stops=_wide_margin,
)


def _caution(view: View) -> Found | None:
    measure = view.measure
    if not isinstance(measure, KernelMeasure):
        return None
    caution = measure.caution(view.facts.pool.level_grade)
    return Found(view.inside, words={"caution": caution}, count=1) if caution else None


CAUTION = Code("caution", "measure", _caution, "{measure}: {caution}", by_measure=True)


def _fixed_scale(view: View) -> Found | None:
    top = view.facts.top
    if view.measure is None or view.measure.NAME != "ERR" or not 0 < top < _TOP_OF_ERR:
        return None
    value = (2**top - 1) / 2**_TOP_OF_ERR
    return Found(view.inside, words={"highest": top, "top": _TOP_OF_ERR, "value": value}, count=1)


FIXED_SCALE = Code(
    "fixed-scale",
    "measure",
    _fixed_scale,
    "{measure}: its scale goes to grade {top}, so a document of grade {highest:g} at the first "
    "rank is worth {value:.4g}, not 1",
    "note",
    by_measure=True,
)


def _max_rel_missing(view: View) -> Found | None:
    measure = view.measure
    if not isinstance(measure, KernelMeasure) or not measure.lacks_scale():
        return None
    if measure.params.get("gains"):
        return None
    return Found(view.inside, words={"taken": max(view.facts.top, 1.0)}, count=1)


MAX_REL_MISSING = Code(
    "max-rel-missing",
    "measure",
    _max_rel_missing,
    "{measure}: max_rel was not given; {taken:g} would be used, the highest grade of these "
    "judgments",
    "note",
    by_measure=True,
)


def _max_rel_below(view: View) -> Found | None:
    measure, top = view.measure, view.facts.top
    assert measure is not None
    given = measure.params.get("max_rel")
    if given is None or measure.params.get("gains") or given >= top:
        return None
    return Found(view.inside, words={"highest": top}, count=1)


MAX_REL_BELOW = Code(
    "max-rel-below-scale",
    "measure",
    _max_rel_below,
    "{measure}: a grade of these qrels is {highest:g}, above max_rel",
    by_measure=True,
)


def _has_nonrelevant(view: View) -> Iterator[Found]:
    facts, pool = view.facts, view.facts.pool
    if facts.of_preferences:
        return
    suited: dict[str, list[str]] = {}
    for measure in facts.asked:
        if "nonrelevant" in needs(measure) and not lacks_nonrelevant(measure, pool).any():
            number = pool.judged.count(nonrelevant(measure, pool.grade))
            numbers = f"{number.min()} to {number.max()}, median {np.median(number):g}"
            suited.setdefault(numbers, []).append(str(measure))
    for numbers, names in suited.items():
        words = {
            "numbers": numbers,
            "measures": ", ".join(names),
            "need": "needs" if len(names) == 1 else "need",
        }
        yield Found(view.inside, words=words, count=pool.n_topics, example=names[0])


HAS_NONRELEVANT = Code(
    "has-nonrelevant",
    "judgments",
    _has_nonrelevant,
    "every topic has documents judged non-relevant ({numbers}), as {measures} {need}",
    "note",
)


def _threshold(view: View) -> Iterator[Found]:
    """Find grades that count alike for binary measures, and grades too low to count."""
    facts, pool = view.facts, view.facts.pool
    if facts.of_preferences:
        return
    binary = [measure for measure in facts.asked if threshold_of(measure) is not None]
    for note in thresholds(binary, facts.top):
        yield Found(view.inside, words={"note": note}, count=1, example=note.partition(":")[0])
    by_threshold: dict[float, list[str]] = {}
    for measure in binary:
        rel = threshold_of(measure)
        assert rel is not None
        if "rel" not in measure.params and rel <= facts.top:
            by_threshold.setdefault(rel, []).append(str(measure))
    for rel, names in by_threshold.items():
        low = pool.grade[(pool.grade > 0) & (pool.grade < rel)]
        if not low.size:
            continue
        grades, counts = np.unique(low, return_counts=True)
        listed = ", ".join(f"{g:g} ({n})" for g, n in zip(grades, counts, strict=True))
        if grades.size > _FEW_GRADES:
            listed = f"{grades[0]:g} to {grades[-1]:g}"
        said = "{names}: rel={rel:g}, so lower grades count as not relevant: {grades}"
        words: dict[str, Any] = {"names": ", ".join(names), "rel": rel, "grades": listed}
        yield Found(
            view.inside, words=words, says=said, count=int(low.size), example=words["names"]
        )


THRESHOLD = Code("threshold", "judgments", _threshold, "{note}", "note")


CODES = (
    OUT_OF_REACH,
    BLIND,
    SAME_VALUES,
    FEW_TOPICS,
    WIDE_MARGIN,
    CAUTION,
    FIXED_SCALE,
    MAX_REL_MISSING,
    MAX_REL_BELOW,
    HAS_NONRELEVANT,
    THRESHOLD,
)
