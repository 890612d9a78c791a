"""Cumulated gain at a rank: CG, DCG, and CG as a share of the ideal list's. Higher is better.

    CG  = sum of gain(j)                         DCG = sum of gain(j) / max(1, log_base(j))
    NCG = CG / CG of the ideal list              down to the cutoff

gain(j), g_j  gain of the document at rank j        base, b  base of the logarithm        k  cutoff

K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4),
2002, 422-446, doi:10.1145/582415.582418, section 2; R. Baeza-Yates and B. Ribeiro-Neto, Modern
Information Retrieval, 2nd ed., Addison-Wesley 2011, ch. 4. NDCG of these definitions is
`OriginalNDCG`; curves over all ranks are `irpref.curves.cumulated_gain`.

CG is the gain that a user has collected, in units of the gains. DCG discounts it from rank `base`
on. Both grow with the number of relevant documents, so topics with many of them dominate a mean;
NCG does not.

Decided here, as for `OriginalNDCG`: gain 0 for unjudged documents and for grades of 0 or below; the
ideal list holds all judged documents, cut at the cutoff; nothing relevant gives 0. The book
averages the curves of CG and of the ideal list over topics and then divides; a measure has one
value per topic, so the mean of NCG is a mean of ratios. The book's ratio of means is in
`curves.cumulated_gain`.

By hand: grades a 3, b 2, ranking b x y a, so gains 2 0 0 3.

    CG = 5     DCG with base 2 = 2 + 3 / log2(4) = 7/2     NCG = 5 / 5 = 1, cut at 2: 2 / 5

When 1, when 0: NCG is 1 if the top holds as much gain as that of the ideal list, in any order. All
are 0 if no document with a gain was retrieved."""

from __future__ import annotations

import math
from functools import partial

from irpref.kernel import Holes, Sum
from irpref.measures.declare import CUTOFF, GAINS, JUDGED_ONLY, KernelMeasure, Param, register
from irpref.measures.original_ndcg import (
    discount_reasons,
    gain_over_ties,
    gain_parts,
)

# No rank is below an infinite base, so none is discounted.
dcg = Sum(partial(gain_parts, normalised=False))
cg = Sum(partial(gain_parts, normalised=False, base=math.inf))
ncg = Sum(partial(gain_parts, base=math.inf))


class _Gain(KernelMeasure, reasons=discount_reasons):
    """The common part of CG, DCG and NCG.

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
    [baezayates1999mir]
    """

    VARIANTS = ({}, {"gains": {3: 7.5}}, {"cutoff": 7, "judged_only": True})
    SUPPORTED_PARAMS = {
        "gains": GAINS,
        "judged_only": JUDGED_ONLY,
        "cutoff": CUTOFF,
    }


class _CG(_Gain, kernel=cg, over_ties=partial(gain_over_ties, normalised=False)):
    r"""Gain collected down to the cutoff: the sum of the gains of the documents retrieved.

    Name
    ----
    cumulated gain

    Question
    --------
    How much gain has a user collected down to this rank?

    Use
    ---
    You want the gain itself, in its own units, for one topic or for similar topics.

    Pitfalls
    --------
    Topics with many relevant documents dominate the mean; use `NCG` to compare systems over topics.

    Range
    -----
    from 0

    Formula
    -------
    \mathrm{CG}@k = \sum_{i=1}^{k} g_i

    Symbols
    -------
    g_i : gain of the document at rank i
    k : the cutoff, or the length of the list
    """

    HOLES = Holes(monotone=True)
    BOUNDS = (0.0, math.inf)


class _DCG(_Gain, kernel=dcg, over_ties=partial(gain_over_ties, normalised=False)):
    r"""Gain collected down to the cutoff, each gain discounted by its rank from rank `base` on.

    Name
    ----
    discounted cumulated gain

    Question
    --------
    How much gain has a user collected down to this rank, if later ranks count less?

    Use
    ---
    You want the discounted gain itself; divided by that of the ideal list it is `OriginalNDCG`.

    Pitfalls
    --------
    The discount is log(rank) from rank `base` on, not ir-measures' log2(rank + 1). Topics with many
    relevant documents dominate the mean.

    Range
    -----
    from 0

    Formula
    -------
    \mathrm{DCG}@k = \sum_{i < b} g_i + \sum_{i = b}^{k} \frac{g_i}{\log_b i}

    Symbols
    -------
    g_i : gain of the document at rank i
    b : `base` of the logarithm
    k : the cutoff, or the length of the list

    Parameters
    ----------
    base : base of the logarithm, and first rank discounted
    """

    HOLES = Holes(monotone=True)
    BOUNDS = (0.0, math.inf)
    VARIANTS = ({}, {"base": 2.5, "gains": {3: 7.5}}, {"cutoff": 7, "judged_only": True})
    SUPPORTED_PARAMS = {
        "base": Param((int, float), default=2, above=1),
        **_Gain.SUPPORTED_PARAMS,
    }


class _NCG(_Gain, kernel=ncg, over_ties=gain_over_ties):
    r"""Gain collected down to the cutoff, as a share of what the ideal list has there.

    Name
    ----
    normalised cumulated gain

    Question
    --------
    What share of the gain available down to this rank has a user collected?

    Use
    ---
    The order within the top does not matter, but grades do.

    Pitfalls
    --------
    Without a cutoff it is recall of gain, and the order of the documents does not matter at all.

    Formula
    -------
    \mathrm{NCG}@k = \frac{\sum_{i=1}^{k} g_i}{\sum_{i=1}^{k} g^{I}_i}

    Symbols
    -------
    g_i : gain of the document at rank i
    g^{I}_i : gain of the document at rank i of the ideal list
    k : the cutoff, or the length of the list
    """


CG = register(_CG())
DCG = register(_DCG())
NCG = register(_NCG())
