"""Everyday measures of ir_measures, as trec_eval describes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from reference.preference import bpref
from reference.symbols import (
    Formula,
    Gains,
    Judgments,
    Number,
    Ranking,
    condensed,
    exact,
    relevant_set,
    top,
    total,
    without_negative,
)


def _shown(
    ranking: Ranking, judgments: Judgments, judged_only: bool = False, cutoff: int | None = None
) -> list[str]:
    return top(condensed(ranking, without_negative(judgments)) if judged_only else ranking, cutoff)


def average_precision(
    ranking: Ranking, judgments: Judgments, *, rel: Number = 1, **shown: Any
) -> Fraction:
    """Mean over the relevant documents of the precision at their rank, 0 for one that was not
    retrieved.
    """
    relevant = relevant_set(judgments, rel)
    at = [
        rank
        for rank, doc in enumerate(_shown(ranking, judgments, **shown), start=1)
        if doc in relevant
    ]
    return total(Fraction(number, rank) for number, rank in enumerate(at, start=1)) / max(
        len(relevant), 1
    )


def precision(
    ranking: Ranking, judgments: Judgments, *, cutoff: int, rel: Number = 1, **shown: Any
) -> Fraction:
    """Relevant documents above the cutoff, over the cutoff."""
    top_k = _shown(ranking, judgments, cutoff=cutoff, **shown)
    return Fraction(len(relevant_set(judgments, rel) & set(top_k)), cutoff)


def recall(ranking: Ranking, judgments: Judgments, *, rel: Number = 1, **shown: Any) -> Fraction:
    """Relevant documents retrieved, over all of them."""
    relevant = relevant_set(judgments, rel)
    return Fraction(len(relevant & set(_shown(ranking, judgments, **shown))), max(len(relevant), 1))


def r_precision(
    ranking: Ranking, judgments: Judgments, *, rel: Number = 1, **shown: Any
) -> Fraction:
    """Recall at rank R."""
    return recall(ranking, judgments, rel=rel, cutoff=len(relevant_set(judgments, rel)), **shown)


def reciprocal_rank(
    ranking: Ranking, judgments: Judgments, *, rel: Number = 1, **shown: Any
) -> Fraction:
    """1 / rank of the first relevant document."""
    for rank, doc in enumerate(_shown(ranking, judgments, **shown), start=1):
        if doc in relevant_set(judgments, rel):
            return Fraction(1, rank)
    return Fraction(0)


def success(ranking: Ranking, judgments: Judgments, **how: Any) -> Fraction:
    """1 if a relevant document is above the cutoff."""
    return Fraction(int(reciprocal_rank(ranking, judgments, **how) > 0))


def judged(ranking: Ranking, judgments: Judgments, *, cutoff: int | None = None) -> Fraction:
    """Share of the retrieved documents that were judged, as 0 or higher."""
    shown = top(ranking, cutoff)
    return Fraction(sum(judgments.get(doc, -1) >= 0 for doc in shown), max(len(shown), 1))


def ndcg(
    ranking: Ranking,
    judgments: Judgments,
    *,
    dcg: str = "log2",
    gains: Gains = None,
    cutoff: int | None = None,
    **shown: Any,
) -> float:
    """Sum of gain / log2(rank + 1), over that of the ideal list; 'exp-log2' gains 2^grade - 1."""

    def gain(grade: Number) -> float:
        g = max(float((gains or {}).get(grade, grade)), 0.0)
        return 2.0**g - 1 if dcg == "exp-log2" else g

    def cumulated(values: Iterable[float]) -> float:
        return math.fsum(g / math.log2(rank + 1) for rank, g in enumerate(values, start=1))

    documents = _shown(ranking, judgments, cutoff=cutoff, **shown)
    ideal = cumulated(sorted(map(gain, judgments.values()), reverse=True)[:cutoff])
    return (
        cumulated(gain(judgments[doc]) if doc in judgments else 0.0 for doc in documents) / ideal
        if ideal
        else 0.0
    )


def n_retrieved(ranking: Ranking, judgments: Judgments, *, rel: Number | None = None) -> Fraction:
    """Number of documents retrieved, or of those of at least this grade."""
    ranking = list(ranking)
    return Fraction(
        len(ranking) if rel is None else len(relevant_set(judgments, rel) & set(ranking))
    )


def set_f(
    ranking: Ranking,
    judgments: Judgments,
    *,
    rel: Number = 1,
    beta: Number = 1,
    judged_only: bool = False,
) -> Fraction:
    """F of the whole list; beta weighs precision as trec_eval's parameter does."""
    shown = _shown(ranking, judgments, judged_only)
    hits = len(relevant_set(judgments, rel) & set(shown))
    if not hits:
        return Fraction(0)
    p, r = Fraction(hits, len(shown)), Fraction(hits, len(relevant_set(judgments, rel)))
    return (exact(beta) + 1) * p * r / (exact(beta) * p + r)


def rank_biased_precision(
    ranking: Ranking,
    judgments: Judgments,
    *,
    rel: Number,
    p: Number = 0.8,
    cutoff: int | None = None,
) -> Fraction:
    """Sum of (1 - p) p^(rank - 1) over relevant documents; without a cutoff over 1000 ranks,
    weights scaled to 1.
    """
    relevant, p = relevant_set(judgments, rel), exact(p)
    weights = [
        p ** (rank - 1)
        for rank, doc in enumerate(top(ranking, cutoff or 1000), start=1)
        if doc in relevant
    ]
    return (
        total(weights) * (1 - p)
        if cutoff
        else total(weights) / total(p**rank for rank in range(1000))
    )


def expected_reciprocal_rank(
    ranking: Ranking, judgments: Judgments, *, cutoff: int | None = None
) -> float:
    """Mean of 1 / rank of the document at which a user stops, who stops at one of grade g with (2^g
    - 1) / 16.
    """
    value, comes = 0.0, 1.0
    for rank, doc in enumerate(top(ranking, cutoff), start=1):
        stops = (2.0 ** max(float(judgments.get(doc, 0)), 0.0) - 1) / 16
        value += comes * stops / rank
        comes *= 1 - stops
    return value


# By ir_measures' names.
EVERYDAY: dict[str, Formula] = {
    "AP": average_precision,
    "P": precision,
    "R": recall,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "Success": success,
    "Judged": judged,
    "nDCG": ndcg,
    "NumRet": n_retrieved,
    "SetF": set_f,
    "Bpref": bpref,
    "RBP": rank_biased_precision,
    "ERR": expected_reciprocal_rank,
}
