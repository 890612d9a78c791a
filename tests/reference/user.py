"""User-oriented and combined measures: R. Baeza-Yates and B. Ribeiro-Neto, Modern Information
Retrieval, chapter 4;
C. J. van Rijsbergen, Information Retrieval, chapter 7; F. Diaz, M. D. Ekstrand and B. Mitra, 2025.
"""

from __future__ import annotations

import math
from fractions import Fraction

from reference.symbols import Judgments, Number, Ranking, exact, formula, relevant_set, top


@formula("Coverage")
def coverage(
    ranking: Ranking,
    judgments: Judgments,
    *,
    known: set[str],
    undefined: str = "zero",
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction | float:
    """|K n R n A| / |K n R|, Modern Information Retrieval, chapter 4; 0 or NaN if nothing relevant
    is known.
    """
    relevant, answer = relevant_set(judgments, rel), set(top(ranking, cutoff))
    if not known & relevant:
        return Fraction(0) if undefined == "zero" else math.nan
    return Fraction(len(known & relevant & answer), len(known & relevant))


@formula("Novelty")
def novelty(
    ranking: Ranking,
    judgments: Judgments,
    *,
    known: set[str],
    undefined: str = "zero",
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction | float:
    """|(R n A) - K| / |R n A|, Modern Information Retrieval, chapter 4; 0 or NaN if nothing
    relevant is found.
    """
    relevant, answer = relevant_set(judgments, rel), set(top(ranking, cutoff))
    if not relevant & answer:
        return Fraction(0) if undefined == "zero" else math.nan
    return Fraction(len((relevant & answer) - known), len(relevant & answer))


@formula("RelativeRecall")
def relative_recall(
    ranking: Ranking,
    judgments: Judgments,
    *,
    expected: Number | None = None,
    capped: bool = True,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """Relevant documents found / expected, Modern Information Retrieval, chapter 4."""
    relevant = relevant_set(judgments, rel)
    if not relevant:
        return Fraction(0)
    wanted = exact(len(relevant) if expected is None else expected)
    ratio = len(relevant & set(top(ranking, cutoff))) / wanted
    return min(ratio, Fraction(1)) if capped else ratio


@formula("TSE")
def total_search_efficiency(
    ranking: Ranking,
    judgments: Judgments,
    *,
    exposure: str = "inverse",
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction | float:
    """Exposure of the lowest relevant document, Diaz et al. 2025; 0 if one is missing."""
    relevant = relevant_set(judgments, rel)
    ranks = {doc: rank for rank, doc in enumerate(top(ranking, cutoff), start=1)}
    if not relevant or not relevant <= set(ranks):
        return Fraction(0)
    last = max(ranks[doc] for doc in relevant)
    return Fraction(1, last) if exposure == "inverse" else 1 / math.log2(last + 1)


@formula("RecallEffort")
def recall_effort(
    ranking: Ranking,
    judgments: Judgments,
    *,
    expected: Number | None = None,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """Expected / examined until found, Modern Information Retrieval, chapter 4; 0 if they never
    are.
    """
    relevant = relevant_set(judgments, rel)
    wanted = exact(len(relevant) if expected is None else expected)
    ranks = [rank for rank, doc in enumerate(top(ranking, cutoff), start=1) if doc in relevant]
    enough = relevant and len(ranks) >= wanted
    return wanted / ranks[math.ceil(wanted) - 1] if enough else Fraction(0)


@formula("EMeasure")
def e_measure(
    ranking: Ranking,
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """E = 1 - (1 + b^2) / (b^2/R + 1/P), van Rijsbergen 1979, chapter 7; P@k divides by k."""
    relevant, answer = relevant_set(judgments, rel), top(ranking, cutoff)
    hits = sum(doc in relevant for doc in answer)
    if hits == 0:
        return Fraction(1)
    recall = Fraction(hits, len(relevant))
    precision = Fraction(hits, len(answer) if cutoff is None else cutoff)
    b2 = exact(beta) ** 2
    return 1 - (1 + b2) / (b2 / recall + 1 / precision)


@formula("FMeasure")
def f_measure(
    ranking: Ranking,
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """Weighted harmonic mean of recall and precision, the complement of van Rijsbergen's E."""
    return 1 - e_measure(ranking, judgments, beta=beta, rel=rel, cutoff=cutoff)


@formula("CappedRecall")
def capped_recall(
    ranking: Ranking, judgments: Judgments, *, rel: Number = 1, cutoff: int | None = None
) -> Fraction:
    """Relevant in the first k / min(k, R), Thakur et al. 2021; 0 if nothing is relevant."""
    relevant = relevant_set(judgments, rel)
    if not relevant:
        return Fraction(0)
    most = len(relevant) if cutoff is None else min(cutoff, len(relevant))
    return Fraction(len(relevant & set(top(ranking, cutoff))), most)


@formula("FullRecall")
def full_recall(
    ranking: Ranking, judgments: Judgments, *, rel: Number = 1, cutoff: int | None = None
) -> Fraction:
    """1 if all relevant documents are in the first k; 0 if nothing is relevant."""
    relevant = relevant_set(judgments, rel)
    return Fraction(bool(relevant) and relevant <= set(top(ranking, cutoff)))
