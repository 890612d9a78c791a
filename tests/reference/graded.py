"""Measures of graded relevance: Q, O, P, P+, R and NCU of Sakai's papers, weighted reciprocal rank,
the first nDCG,
generalised precision and recall."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from reference.symbols import (
    Gains,
    Judgments,
    Number,
    Ranking,
    best_gain,
    condensed,
    exact,
    formula,
    mean,
    relevance,
    relevant_set,
    top,
    total,
    without_negative,
)


def gain_of(grade: Number, gains: Gains) -> Fraction:
    """Gain of a grade; none for grades of 0 and below."""
    if grade <= 0:
        return Fraction(0)
    return exact((gains or {}).get(grade, grade))


class GradedList:
    """The symbols of Sakai 2006, section 2, for one topic. Ranks start at 1.

    `gains` maps grades to gains, `judged_only` removes the unjudged documents, `cutoff` what is
    below it."""

    def __init__(
        self,
        ranking: Ranking,
        judgments: Judgments,
        *,
        gains: Gains = None,
        judged_only: bool = False,
        cutoff: int | None = None,
    ) -> None:
        judged = without_negative(judgments)
        if judged_only:
            ranking = condensed(ranking, judged)
        shown = top(ranking, cutoff)
        self.level = [judged.get(doc, 0) for doc in shown]
        self.gain = [gain_of(level, gains) for level in self.level]
        pool_gains = [gain_of(grade, gains) for grade in judged.values()]
        self.ideal = sorted((gain for gain in pool_gains if gain > 0), reverse=True)
        self.n_relevant = len(self.ideal)

    @property
    def ranks(self) -> range:
        return range(1, len(self.gain) + 1)

    def is_relevant(self, rank: int) -> bool:
        return self.gain[rank - 1] > 0

    def count(self, rank: int) -> int:
        return sum(1 for gain in self.gain[:rank] if gain > 0)

    def precision(self, rank: int) -> Fraction:
        return Fraction(self.count(rank), rank)

    def blended_ratio(self, rank: int, beta: Number) -> Fraction:
        b = exact(beta)
        return (b * sum(self.gain[:rank]) + self.count(rank)) / (b * sum(self.ideal[:rank]) + rank)

    @property
    def first_relevant_rank(self) -> int | None:
        return next(filter(self.is_relevant, self.ranks), None)

    @property
    def preferred_rank(self) -> int | None:
        """First record after sorting the output by relevance level, then rank; None if it is not
        relevant.
        """
        return max(
            filter(self.is_relevant, self.ranks),
            key=lambda rank: self.level[rank - 1],
            default=None,
        )


@formula("QMeasure")
def q_measure(
    ranking: Ranking,
    judgments: Judgments,
    *,
    beta: Number = 1,
    cutoff: int | None = None,
    **how: Any,
) -> Fraction:
    """Q-measure, Sakai 2006, section 2; with a cutoff over min(cutoff, R) as NTCIREVAL has it."""
    lst = GradedList(ranking, judgments, cutoff=cutoff, **how)
    if lst.n_relevant == 0:
        return Fraction(0)
    ratios = [lst.blended_ratio(r, beta) for r in lst.ranks if lst.is_relevant(r)]
    return total(ratios) / (lst.n_relevant if cutoff is None else min(cutoff, lst.n_relevant))


@formula("OMeasure")
def o_measure(ranking: Ranking, judgments: Judgments, *, beta: Number = 1, **how: Any) -> Fraction:
    """O-measure, Sakai 2006, section 2: blended ratio at the first relevant rank."""
    lst = GradedList(ranking, judgments, **how)
    rank = lst.first_relevant_rank
    return Fraction(0) if rank is None else lst.blended_ratio(rank, beta)


@formula("PMeasure")
def p_measure(ranking: Ranking, judgments: Judgments, *, beta: Number = 1, **how: Any) -> Fraction:
    """P-measure, Sakai 2006, section 2: blended ratio at the preferred rank."""
    lst = GradedList(ranking, judgments, **how)
    rank = lst.preferred_rank
    return Fraction(0) if rank is None else lst.blended_ratio(rank, beta)


@formula("PPlus")
def p_plus(ranking: Ranking, judgments: Judgments, *, beta: Number = 1, **how: Any) -> Fraction:
    """P-plus-measure, Sakai 2006, section 4: mean blended ratio of relevant ranks up to the
    preferred one.
    """
    lst = GradedList(ranking, judgments, **how)
    upto = range(1, (lst.preferred_rank or 0) + 1)
    return mean(lst.blended_ratio(r, beta) for r in upto if lst.is_relevant(r))


@formula("RMeasure")
def r_measure(ranking: Ranking, judgments: Judgments, *, beta: Number = 1, **how: Any) -> Fraction:
    """R-measure, named in Sakai 2006, section 4: the blended ratio at rank R."""
    lst = GradedList(ranking, judgments, **how)
    return lst.blended_ratio(lst.n_relevant, beta) if lst.n_relevant else Fraction(0)


@formula("WeightedRR")
def weighted_rr(
    ranking: Ranking,
    judgments: Judgments,
    *,
    norm: str = "ideal",
    rel: Number = 1,
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """Eguchi et al. 2003: the maximum over the ranks of delta / (rank - 1/beta), over that of the
    ideal list.
    """
    best = best_gain(max_rel, scale)
    judged = without_negative(judgments)
    inverse_beta = {
        doc: relevance(grade, gains, best) * exact(best) / (exact(best) + 1)
        for doc, grade in judged.items()
    }

    def value(ranked: Iterable[str]) -> Fraction:
        reciprocals = [
            1 / (rank - inverse_beta[doc])
            for rank, doc in enumerate(ranked, 1)
            if doc in judged and judged[doc] >= rel
        ]
        return max(reciprocals, default=Fraction(0))

    ideal = value(sorted(judged, key=lambda doc: -judged[doc]))
    own = value(top(ranking, cutoff))
    return own / ideal if norm == "ideal" and ideal > 0 else own


@formula("NCU")
def ncu(
    ranking: Ranking,
    judgments: Judgments,
    *,
    stop: str = "uniform",
    utility: str = "BR",
    gamma: float = 0.95,
    beta: Number = 1,
    **how: Any,
) -> Number:
    """Normalised cumulative utility, Sakai & Robertson 2008: sum over ranks of p_stop(r) *
    utility(r).
    """
    lst = GradedList(ranking, judgments, **how)
    if lst.n_relevant == 0:
        return Fraction(0)
    value: Number = Fraction(0)
    for rank in lst.ranks:
        if not lst.is_relevant(rank):
            continue
        p_stop: Number
        if stop == "uniform":
            p_stop = Fraction(1, lst.n_relevant)
        elif stop == "graded":
            p_stop = lst.gain[rank - 1] / sum(lst.ideal)
        else:
            all_weights = sum(gamma ** (i - 1) for i in range(1, lst.n_relevant + 1))
            p_stop = gamma ** (lst.count(rank) - 1) / all_weights
        useful = lst.precision(rank) if utility == "P" else lst.blended_ratio(rank, beta)
        value += p_stop * useful
    return value


def discounted(gains_by_rank: list[Fraction], base: Number) -> float:
    """Sum of the gains, each divided by log_base(rank) from rank `base` on."""
    value = 0.0
    for rank, gain in enumerate(gains_by_rank, start=1):
        value += float(gain) if rank < base else float(gain) / (math.log(rank) / math.log(base))
    return value


@formula("OriginalNDCG")
def original_ndcg(
    ranking: Ranking,
    judgments: Judgments,
    *,
    base: Number = 2,
    cutoff: int | None = None,
    **how: Any,
) -> float:
    """nDCG of Järvelin & Kekäläinen 2002: no discount above rank `base`, then log_base(rank)."""
    lst = GradedList(ranking, judgments, cutoff=cutoff, **how)

    best = discounted(lst.ideal[:cutoff], base)
    return discounted(lst.gain, base) / best if best > 0 else 0.0


@formula("SeenAP")
def seen_ap(
    ranking: Ranking, judgments: Judgments, *, rel: Number = 1, cutoff: int | None = None
) -> Fraction:
    """Modern Information Retrieval, chapter 4: mean of the precision after each new relevant
    document.
    """
    relevant = relevant_set(judgments, rel)
    shown = top(ranking, cutoff)
    at = [rank for rank, doc in enumerate(shown, start=1) if doc in relevant]
    return mean(Fraction(number, rank) for number, rank in enumerate(at, start=1))


@formula("GPrecision")
def g_precision(
    ranking: Ranking,
    judgments: Judgments,
    *,
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """Kekäläinen & Järvelin 2002: mean relevance of the retrieved documents."""
    shown, judged = top(ranking, cutoff), without_negative(judgments)
    gained = total(
        relevance(judged[doc], gains, best_gain(max_rel, scale)) for doc in shown if doc in judged
    )
    return gained / max(len(shown) if cutoff is None else cutoff, 1)


@formula("GRecall")
def g_recall(
    ranking: Ranking, judgments: Judgments, *, gains: Gains = None, cutoff: int | None = None
) -> Fraction:
    """Kekäläinen & Järvelin 2002: relevance retrieved over all relevance."""
    gain = {
        doc: exact((gains or {}).get(grade, grade))
        for doc, grade in without_negative(judgments).items()
    }
    whole = total(gain.values())
    return (
        total(gain[doc] for doc in top(ranking, cutoff) if doc in gain) / whole if whole else whole
    )


@formula("DCG")
def dcg(ranking: Ranking, judgments: Judgments, *, base: Number = 2, **how: Any) -> float:
    """Sum of the gains, each divided by log_base(rank) from rank `base` on."""
    return discounted(GradedList(ranking, judgments, **how).gain, base)


@formula("CG")
def cg(ranking: Ranking, judgments: Judgments, **how: Any) -> Fraction:
    """Sum of the gains down to the cutoff."""
    return total(GradedList(ranking, judgments, **how).gain)


@formula("NCG")
def ncg(
    ranking: Ranking, judgments: Judgments, *, cutoff: int | None = None, **how: Any
) -> Fraction:
    """CG over that of the best list that could be had."""
    best = total(GradedList(ranking, judgments, cutoff=cutoff, **how).ideal[:cutoff])
    return cg(ranking, judgments, cutoff=cutoff, **how) / best if best else Fraction(0)


@formula("RBPResidual")
def rbp_residual(
    ranking: Ranking, judgments: Judgments, *, p: Number = 0.8, cutoff: int | None = None
) -> Fraction:
    """Weight of the documents that nobody judged, and of all ranks below the end of the list."""
    shown, judged, p = top(ranking, cutoff), without_negative(judgments), exact(p)
    unjudged = total(
        (1 - p) * p ** (rank - 1) for rank, doc in enumerate(shown, 1) if doc not in judged
    )
    return unjudged + p ** len(shown)


@formula("InterpolatedPrecision")
def interpolated_precision(
    ranking: Ranking,
    judgments: Judgments,
    *,
    recall: Number | None = None,
    rounding: str = "up",
    rel: Number = 1,
) -> Fraction:
    """Highest precision at a rank where the recall level is reached; without a level, the mean over
    0, 0.1, ..., 1.
    """
    if recall is None:
        levels, shown = [Fraction(i, 10) for i in range(11)], list(ranking)
        return mean(
            interpolated_precision(shown, judgments, recall=x, rounding=rounding, rel=rel)
            for x in levels
        )
    relevant, hits, best = relevant_set(judgments, rel), 0, Fraction(0)
    # trec_eval 10 multiplies doubles, and rounds halves away from 0.
    level = (
        exact(recall) * len(relevant)
        if rounding == "up"
        else Fraction(float(recall) * len(relevant))
    )
    needed = math.ceil(level) if rounding == "up" else math.floor(level + Fraction(1, 2))
    for rank, doc in enumerate(ranking, start=1):
        hits += doc in relevant
        if hits >= max(needed, 1):
            best = max(best, Fraction(hits, rank))
    return best
