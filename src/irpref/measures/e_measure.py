"""E-measure and F-measure: how far the retrieved set is from complete and pure.

    E = 1 - (1 + b^2) / (b^2 / recall + 1 / precision) = 1 - (1 + b^2) r / (b^2 m + n)   0 is best
    F = 1 - E                                                                             1 is best

r  relevant retrieved    n  retrieved (the cutoff if one is given)    m  relevant in the pool
b  weight of recall relative to precision: b > 1 favours recall

C. J. van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, ch. 7; R. Baeza-Yates and
B. Ribeiro-Neto, Modern Information Retrieval, ch. 4. The slides of that chapter say that b > 1
means more interest in precision, but their own formula says the opposite; irpref computes the
formula. They also say that F is 1 if all ranked documents are relevant; by the formula it is 1 only
if all relevant documents are retrieved, too.

ir_measures' `SetF(beta=x)` takes x for b^2: E with b equals 1 - SetF(beta=b*b).

Decided here: nothing relevant retrieved, nothing retrieved, nothing relevant: E = 1, F = 0.

By hand: five relevant documents, four retrieved, two of these relevant: recall 2/5, precision 1/2.

    b = 1   F = 2 * 2 / (5 + 4) = 4/9             E = 5/9
    b = 2   F = 5 * 2 / (4 * 5 + 4) = 5/12        E = 7/12
    b = 0   F = 2 / 4 = 1/2, precision
    b = 1, cut at 8: F = 2 * 2 / (5 + 8) = 4/13, since missing ranks count as retrieved

When E is 0: if the retrieved set is the relevant set. When it is 1: if they have no document in
common. Ranks do not matter within the set: use it for systems that return a set, or with a cutoff.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irpref.kernel import Floats, Holes, JudgedRun, Terms, Topic, WeightedSum, ratio
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, Param, register


def _parts(
    run: JudgedRun, beta: float, rel: float, cutoff: int | None
) -> tuple[JudgedRun, float, Floats]:
    """Compute the relevant documents retrieved, 1 + b^2, and b^2 m + n of each topic: shape
    (n_topics,).
    """
    view, square = run.at(cutoff), min(beta * beta, 1e300)  # beyond, only recall counts already
    n = view.n_retrieved if cutoff is None else cutoff
    return view.at_least(rel), 1 + square, square * run.pool.count_relevant(rel) + n


def f_measure(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> Floats:
    """Compute F of each topic: shape (n_topics,), in [0, 1], higher is better; 0 if nothing
    relevant was retrieved.
    """
    relevant, each, size = _parts(run, beta, rel, cutoff)
    # In counts rather than recall and precision: the same fraction, and no 0/0 on an empty topic.
    return ratio(each * relevant.hits.lengths, size)


def e_measure(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> Floats:
    """Compute E of each topic: shape (n_topics,), in [0, 1], lower is better.

    Parameters as for `f_measure`. 1 - F rather than its own formula, so that the two add up to 1.
    """
    return 1 - f_measure(run, beta=beta, rel=rel, cutoff=cutoff)


def f_terms(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> Terms:
    """Compute the contribution of each relevant retrieved document: shape (n_judged,).

    (1 + b^2) / (b^2 m + n) of each; they add up to F.
    """
    relevant, each, size = _parts(run, beta, rel, cutoff)
    n = "n" if cutoff is None else "cutoff"
    return Terms(
        relevant.on_pool(each / relevant.hits.spread(np.maximum(size, 1)), 0.0),
        columns={"counted": relevant.on_pool(np.ones(relevant.rank.size))},
        steps={"adds": f"counted * (1 + beta**2) / (beta**2 * R + {n})"},
        numbers={"R": run.pool.count_relevant(rel), "n": run.n_retrieved},
    )


def relevant_reasons(topic: Topic) -> None:
    """Say which documents are relevant."""
    relevant = topic.relevant_retrieved()
    topic.say(relevant, "relevant and retrieved")


def f_over_ties(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> WeightedSum:
    """Declare a number of documents within the cutoff."""
    _, each, size = _parts(run, beta, rel, cutoff)
    return WeightedSum(each * (run.pool.grade >= rel), size)


def e_over_ties(run: JudgedRun, *, beta: float, rel: float, cutoff: int | None) -> WeightedSum:
    """Declare 1 - F."""
    f = f_over_ties(run, beta=beta, rel=rel, cutoff=cutoff)
    return replace(f, gain=-f.gain, start=1.0)


class _OfSet(KernelMeasure):
    r"""The common part of EMeasure and FMeasure.

    Symbols
    -------
    b : `beta`, weight of recall; above 1 it favours recall
    \mathrm{recall} : share of the relevant documents that was retrieved
    \mathrm{precision} : share of the retrieved documents that is relevant; with a cutoff, of its
        ranks

    Worked example
    --------------
    mir-textbook

    Source
    ------
    van Rijsbergen 1979, ch. 7 [vanrijsbergen1979ir]
    """

    HOLES = Holes(monotone=True)
    SUPPORTED_PARAMS = {
        "beta": Param(
            float, "weight of recall relative to precision (not squared)", default=1.0, minimum=0
        ),
        "rel": REL,
        "cutoff": CUTOFF,
    }


class _EMeasure(_OfSet, kernel=e_measure, over_ties=e_over_ties):
    r"""Distance of the retrieved set from the relevant set, 0 (the same set) to 1 (nothing in
    common).

    Name
    ----
    E-measure

    Question
    --------
    How far is the retrieved set from exactly the relevant documents?

    Use
    ---
    You evaluate a retrieved set as a whole, without ranks.

    Pitfalls
    --------
    Lower is better. `beta` is van Rijsbergen's; some tools, such as ir_measures, take its square.

    Formula
    -------
    E = 1 - \frac{1 + b^2}{\frac{b^2}{\mathrm{recall}} + \frac{1}{\mathrm{precision}}}

    Instead
    -------
    FMeasure: E is 1 - F
    """

    DEFAULT = 1.0  # a topic missing from the run
    higher_is_better = False
    VARIANTS = ({}, {"beta": 0.3, "rel": 2}, {"cutoff": 7})


class _FMeasure(
    _OfSet, kernel=f_measure, terms=f_terms, reasons=relevant_reasons, over_ties=f_over_ties
):
    r"""Weighted harmonic mean of precision and recall, with van Rijsbergen's beta (SetF takes its
    square).

    Name
    ----
    F-measure

    Question
    --------
    How complete and how pure is the retrieved set, in one number?

    Use
    ---
    You evaluate a retrieved set as a whole, without ranks, and want higher values to be better.

    Pitfalls
    --------
    `beta` is van Rijsbergen's; some tools, such as ir_measures, take its square.

    Formula
    -------
    F = \frac{1 + b^2}{\frac{b^2}{\mathrm{recall}} + \frac{1}{\mathrm{precision}}}

    Columns
    -------
    counted : 1 for a relevant document
    R : relevant documents that were judged
    n : retrieved documents
    """

    VARIANTS = ({}, {"beta": 3.0, "rel": 2}, {"cutoff": 7})


EMeasure = register(_EMeasure())
FMeasure = register(_FMeasure())
