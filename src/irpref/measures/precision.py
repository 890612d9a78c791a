"""Interpolated precision at a recall level, and its mean over eleven; curves and counts of
precision. 1 is best.

    P(x) = max {P(j) : recall(j) >= x}         0 if no rank reaches the level
    11-point average = mean of P(0), P(0.1), ..., P(1)
    R-precision = relevant documents in the top R / R              also if the list is shorter

P(j)  precision at rank j        recall(j)  recall at rank j        x  recall level

R. Baeza-Yates and B. Ribeiro-Neto, Modern Information Retrieval, 2nd ed., Addison-Wesley 2011, ch.
4. The formula printed there takes the maximum between two levels only; its tables, and these
functions, take it over all ranks from the level on.

How many relevant documents reach a level x, of R? Tools differ:

    rounding   number                 of
    up         ceiling of x * R       this definition, compared in whole numbers
    nearest    x * R, rounded         trec_eval 10: recall 1/3 counts as level 0.4
    (neither)  x * R + 0.9, cut off   trec_eval 9, and with it ir_measures' `IPrec`: mostly
                                      the ceiling, but 0.7 * 3 + 0.9 =
                                      2.9999999999999996, so that recall 2/3
                                      counts as level 0.7

trec_eval's names `iprec_at_recall_x` and `11pt_avg` mean `rounding='nearest'`, as version 10 has
it. For the book's second query the three have .20, .25 and .25 at level 0.7, and .25, .3333 and .25
at level 0.4.

Decided here: nothing relevant gives 0; unjudged documents and negative grades are not relevant.

By hand: R = 3, relevant at ranks 3, 8 and 15, with precision 1/3, 1/4 and 1/5. At level 0.4 `up`
needs 2 documents, 1.2 rounded up: 1/4; `nearest` needs 1: 1/3. The mean of all levels is (4/3 + 3/4
+ 4/5) / 11 with `up`.

When 1, when 0: 1 at a level if all documents are relevant until it is reached; 0 if the list ends
before.

When to use it: to compare with published recall-precision tables. Otherwise use AP, which needs no
interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from irpref.kernel import Floats, Holes, Ints, JudgedRun
from irpref.measures.declare import REL, KernelMeasure, Param, register

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def _needed(level: float, relevant: Ints, rounding: str) -> Ints:
    """Count the relevant documents that reach a level: shape (n_topics,)."""
    if rounding == "up":
        exact = Fraction(repr(level))  # 0.7 is 7/10
        return -(-exact.numerator * relevant // exact.denominator)
    product = level * relevant
    whole = np.floor(product)
    return (whole + (product - whole >= 0.5)).astype(np.int64)  # halves up, as lround


def interpolated_precision(
    run: JudgedRun, *, rel: float, levels: Sequence[float] = LEVELS, rounding: str = "up"
) -> Floats:
    """Compute the precision of each topic at recall levels: shape (n_topics, n_levels), in [0,
    1].
    """
    relevant = np.flatnonzero(run.grade >= rel)
    hits = run.hits.part(relevant)
    precision = (hits.position + 1) / run.rank[relevant]
    best = np.zeros(precision.size + 1)  # highest precision from this relevant document on
    for _, rows, inside in hits.padded():
        block = np.where(inside, precision[rows], 0.0)
        best[rows[inside]] = np.maximum.accumulate(block[:, ::-1], axis=1)[:, ::-1][inside]
    size = run.pool.count_relevant(rel)
    needed = np.maximum(np.stack([_needed(level, size, rounding) for level in levels], axis=1), 1)
    row = hits.starts[:, None] + needed - 1
    return best[np.where(needed <= hits.lengths[:, None], row, precision.size)]


def precision_at_recall(
    run: JudgedRun, *, recall: float | None, rounding: str, rel: float
) -> Floats:
    """Compute interpolated precision at a level, or its mean over eleven: shape (n_topics,), higher
    is better.
    """
    levels = LEVELS if recall is None else (recall,)
    return interpolated_precision(run, rel=rel, levels=levels, rounding=rounding).sum(axis=1) / len(
        levels
    )


def counts(run: JudgedRun, *, rel: float) -> tuple[Ints, Ints, Ints]:
    """Count documents retrieved, relevant, relevant and retrieved, of each topic: three of shape
    (n_topics,).
    """
    return run.n_retrieved, run.pool.count_relevant(rel), run.hits.count(run.grade >= rel)


class _InterpolatedPrecision(KernelMeasure, kernel=precision_at_recall):
    r"""Highest precision at any rank at which a recall level is reached; without a level, the mean
    over eleven of them.

    Name
    ----
    interpolated precision

    Question
    --------
    How precise is the ranking for a user who wants this share of the relevant documents?

    Use
    ---
    You compare with published tables of precision at recall levels, or with trec_eval 10.

    Pitfalls
    --------
    Tools differ in how many documents reach a level (see the table in the definition): name the
    tool.

    Formula
    -------
    P(x) = \max \{ P(j) : \mathrm{recall}(j) \ge x \}

    Symbols
    -------
    P(j) : precision at rank j
    \mathrm{recall}(j) : recall at rank j
    x : recall level; without one, the mean over 0, 0.1, ..., 1

    Parameters
    ----------
    recall : recall level (default: the mean over 0, 0.1, ..., 1)
    rounding : how many documents reach a level, see the definition

    Instead
    -------
    SeenAP, which averages the precision at the relevant documents

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4; trec_eval 10
    m_iprec_at_recall.c
    [baezayates1999mir]
    """

    HOLES = Holes(binary=True)
    AT_PARAM = "recall"
    VARIANTS = ({}, {"recall": 0.4}, {"recall": 0.7, "rounding": "nearest", "rel": 2})
    SUPPORTED_PARAMS = {
        "recall": Param(float, minimum=0, maximum=1),
        "rounding": Param(str, default="up", choices=("up", "nearest")),
        "rel": REL,
    }


InterpolatedPrecision = register(_InterpolatedPrecision())
