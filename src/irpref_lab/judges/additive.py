"""Measures whose value is a sum over documents of weight(rank) times gain(grade), down to a cutoff.

Only such values can be estimated from a sample of documents: in AP, nDCG and others the denominator
would be estimated, too, and the ratio is biased. Weights and gains are read off the measure's own
kernel, with lists that hold one judged document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import MeasureError
from irpref.judged import as_judgments
from irpref.kernel import Floats, Ints, JudgedRun
from irpref.measures.declare import Measures
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all
from irpref.messages import check_measures
from irpref.values import KernelEvaluator

_NAMES = ("P", "CG", "DCG", "RBP")


@dataclass(frozen=True, eq=False)
class Additive:
    """A measure of this kind.

    Attributes
    ----------
    measure : Measure
    weight : float array (cutoff,)
        The amount that a document with a gain of 1 adds at each rank.
    """

    measure: Measure
    weight: Floats

    def gains(self, grade: Floats) -> Floats:
        """Map grades to gains: shape as `grade`."""
        known, place = np.unique(grade, return_inverse=True)
        values = _values(self.measure, known, np.ones(known.size, np.int64))
        gains: Floats = (values / self.weight[0])[place]
        return gains


def additive(measures: Measures) -> list[Additive]:
    """Find the weights of measures.

    Raises
    ------
    ValueError
        No measure, or one that is no such sum.
    """
    chosen = parse_all(measures)
    check_measures(chosen, "a sample")
    return [_additive(measure) for measure in chosen]


def refusal(measures: Measures) -> str:
    """Word a sentence on the measures that are no such sums; empty if all are."""
    refused = [measure for measure in parse_all(measures) if not _is_sum(measure)]
    if not refused:
        return ""
    hints = dict.fromkeys(filter(None, map(_in_place_of, refused)))
    return "; ".join(
        [
            f"{', '.join(map(str, refused))} cannot be estimated from a sample of documents. "
            "Measures that are sums over documents down to a cutoff can: P@k, CG@k, DCG@k, "
            "RBP(rel=1)@k",
            *hints,
        ]
    )


def _is_sum(measure: Measure) -> bool:
    parameters = measure.params
    whole = measure.NAME in _NAMES and not parameters.get("judged_only")
    return bool(whole and parameters.get("cutoff") and supports(measure))


def _in_place_of(measure: Measure) -> str:
    near = {"nDCG": "DCG", "NCG": "CG", "OriginalNDCG": "DCG"}.get(str(measure.NAME), "")
    if near:
        return f"use {near}@{measure.params.get('cutoff') or 10}"
    needs_rel = measure.NAME == "RBP" and "rel" not in measure.params
    return f"use {measure(rel=1)}" if needs_rel and "cutoff" in measure.params else ""


def _additive(measure: Measure) -> Additive:
    if sentence := refusal([measure]):
        raise MeasureError(sentence, measure=str(measure))
    parameters = measure.params
    cutoff: Any = parameters["cutoff"]
    grades = {1.0, float(parameters.get("rel", 1)), *map(float, parameters.get("gains") or ())}
    candidates = np.array(sorted(grades))
    values = _values(measure, candidates, np.ones(candidates.size, np.int64))
    unit = float(candidates[values.argmax()])  # a grade whose gain is 1
    ranks = np.arange(1, cutoff + 1)
    weight = _values(measure, np.full(cutoff, unit), ranks)
    if not weight.any():
        raise MeasureError(f"{measure}: no grade has a gain", measure=str(measure))
    return Additive(measure, weight)


def _values(measure: Measure, grade: Floats, rank: Ints) -> Floats:
    """Compute the values of lists that have one judged document, with these grades at these
    ranks.
    """
    if not grade.size:
        return np.zeros(0)
    ids = [str(i) for i in range(grade.size)]
    pool = as_judgments(pd.DataFrame({"query_id": ids, "doc_id": "d", "relevance": grade})).pool()
    run = JudgedRun(pool, pool.judged, rank, np.arange(rank.size), rank)
    return KernelEvaluator([measure], pool).values_of(run)[measure]
