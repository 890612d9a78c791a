"""nDCG as first published: no discount before the rank that equals the base of the logarithm. 1 is
best.

    DCG = sum of gain(j) / max(1, log_base(j))              nDCG = DCG / DCG of the ideal list

gain(j), g_j  gain of the document at rank j        base, b  base of the logarithm

K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4),
2002, 422-446, doi:10.1145/582415.582418, section 2; the same with base 2 in R. Baeza-Yates and B.
Ribeiro-Neto, Modern Information Retrieval, ch. 4. With base 2, ranks 1 and 2 weigh the same.
ir_measures' nDCG divides by log2(rank + 1) instead, which discounts rank 2 already; NTCIREVAL has
both, this one under the name nDCG and the other as MSnDCG. A larger base models a more patient
user: no discount before rank `base`, and log_base(rank) from there.

Decided here: gain 0 for unjudged documents and for grades of 0 or below; the ideal list holds all
judged documents, cut at the cutoff; nothing relevant gives 0; a base that is not a whole number
discounts from the first rank above it. The ideal list is that of the judgments, not of the
retrieved documents: with the latter, relevant documents that a system misses would cost it nothing.

By hand: grades a 3, b 2, ranking b x y a, so gains 2 0 0 3.

    base 2   DCG = 2 / 1 + 3 / log2(4) = 7/2    ideal 3 + 2 / log2(2) = 5    nDCG = 7/10
    base 4   DCG = 2 + 3 / log4(4) = 5          ideal 3 + 2 = 5              nDCG = 1
    base 2, cut at 2                            2 / 5

When 1, when 0: 1 for the ideal list, and for any order of it within the ranks that are not
discounted: b a has 1 with base 2, too. 0 if no document with a gain was retrieved.

Sensitivity: the base decides how many ranks are alike. If the order of the first two
documents matters, use ir_measures' nDCG. Gains enter linearly: for gains of 2^grade - 1, pass them
as `gains`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irpref.kernel import (
    Floats,
    Gains,
    Grades,
    Ints,
    JudgedRun,
    Parts,
    Sum,
    Topic,
    WeightedSum,
    Working,
    shared,
)
from irpref.measures.declare import CUTOFF, GAINS, JUDGED_ONLY, KernelMeasure, Param, register


def discount(rank: Ints, base: float) -> Floats:
    """Compute the divisor of the gain at each rank: shape as `rank`, at least 1.

    max(1, log_base(rank)). Base 2: 1, 1, 1.585, 2; base 4: 1 down to rank 4.

    Parameters
    ----------
    rank
        Ranks from 1.
    base
        Base of the logarithm, above 1; infinite for no discount.
    """
    log = np.log2(rank) if base == 2 else np.log(rank) / np.log(float(base))
    return np.where(rank < base, 1.0, np.maximum(log, 1.0))


@shared
def ideal_dcg(pool: Grades, base: float, gains: Gains, cutoff: int | None) -> Floats:
    """Compute DCG of the ideal list of each topic: shape (n_topics,).

    All documents of the pool with a gain, by falling gain, whatever was retrieved.
    """
    ideal, gain = pool.ideal(gains)
    place = ideal.position + 1
    # The ideal list is discounted as the run is.
    share = gain / discount(place, base)
    if cutoff is not None:
        share = np.where(place <= cutoff, share, 0.0)
    return ideal.total(share)


def gain_parts(
    run: JudgedRun,
    *,
    base: float,
    gains: Gains,
    judged_only: bool,
    cutoff: int | None,
    normalised: bool = True,
) -> Parts:
    """Divide the gain of each document by its discount, and by the ideal list's if `normalised`; 0
    if nothing has a gain.
    """
    # Documents without a gain add nothing and are dropped; the others keep their ranks.
    view = run.view(cutoff, judged_only).relevant(gains)
    divisor = discount(view.rank, base)
    gain = run.pool.level_gain(gains)[view.level] / divisor
    size = ideal_dcg(run.pool, base, gains, cutoff) if normalised else np.ones(run.n_topics)

    def working() -> Working:
        """Show the gain, over its discount if there is one, over the gain of the ideal list."""
        share = " / ideal" if normalised else ""
        if math.isinf(base):
            return Working({"adds": f"gain{share}"}, {"ideal": size})
        steps = {
            "discount": f"max(1, log({'place' if judged_only else 'rank'}, base))",
            "adds": f"gain / discount{share}",
        }
        columns = {"place": view.rank} if judged_only else {}
        return Working(steps, {"ideal": size}, {**columns, "discount": divisor})

    return Parts(
        view,
        gain,
        size,
        working,
        gain=lambda: run.pool.gain(gains),
        most=1.0 if normalised else np.inf,
    )


original_ndcg = Sum(gain_parts)


def discount_reasons(topic: Topic) -> None:
    """Say by how much the gain of each document is divided."""
    by = discount(np.maximum(topic.place, 1), topic.arguments.get("base", np.inf))
    gain = topic.columns["gain"]

    def words(i: int) -> str:
        how = (
            f" divided by {by[i]:.4g} at rank {topic.place[i]}" if by[i] > 1 else ", not discounted"
        )
        return f"gain {gain[i]:g}{how}"

    topic.say(topic.relevant_retrieved("no gain"), words)


def gain_over_ties(
    run: JudgedRun,
    *,
    gains: Gains,
    cutoff: int | None,
    base: float = math.inf,
    normalised: bool = True,
    **_: Any,
) -> WeightedSum:
    """Declare a gain divided by the discount of its rank."""
    size = ideal_dcg(run.pool, base, gains, cutoff) if normalised else np.ones(run.n_topics)
    gain = run.pool.level_gain(gains)[run.pool.level]
    return WeightedSum(gain, size, lambda rank, _: 1 / discount(rank, base))


class _OriginalNDCG(
    KernelMeasure, kernel=original_ndcg, reasons=discount_reasons, over_ties=gain_over_ties
):
    r"""Normalised discounted cumulated gain of Järvelin and Kekäläinen: no discount before rank
    `base`.

    Name
    ----
    nDCG (Järvelin & Kekäläinen)

    Question
    --------
    How much gain do users collect, compared with the ideal list, if later ranks count less?

    Use
    ---
    You compare with papers that used nDCG as first published, or do not want to discount the first
    ranks.

    Pitfalls
    --------
    Ranks up to the base are not discounted: with base 2, the first two ranks weigh the same. Most
    tools use a different formula for nDCG.

    Formula
    -------
    \mathrm{DCG} = \sum_{i < b} g_i + \sum_{i \ge b} \frac{g_i}{\log_b i}, \quad \mathrm{nDCG} =
    \frac{\mathrm{DCG}}{\mathrm{DCG}_I}

    Symbols
    -------
    g_i : gain of the document at rank i
    b : `base` of the logarithm
    \mathrm{DCG}_I : DCG of the ideal list

    Parameters
    ----------
    base : base of the logarithm, and first rank discounted

    Columns
    -------
    gain : gain of its grade
    discount : what its gain is divided by
    place : its rank among the judged documents
    ideal : the same sum for the ideal list

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Järvelin & Kekäläinen, TOIS 2002, section 2, doi:10.1145/582415.582418 [jarvelin2002cg]
    """

    VARIANTS = ({}, {"base": 2.5, "gains": {3: 7.5}}, {"cutoff": 7, "judged_only": True})
    SUPPORTED_PARAMS = {
        "base": Param((int, float), default=2, above=1),
        "gains": GAINS,
        "judged_only": JUDGED_ONLY,
        "cutoff": CUTOFF,
    }


OriginalNDCG = register(_OriginalNDCG())
