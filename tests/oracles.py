"""Slow second implementations of every measure, written from the formulas as plain loops.

They share nothing with the package: no arrays, no kernels, exact fractions wherever the value is rational.
Every oracle is called the same way,

    ORACLES[name](ranking, judgments, **parameters) -> number of one topic

ranking     document ids, best first (see `order` for how a run becomes one)
judgments   document id -> grade, all judged documents of the topic
parameters  the measure's own parameters, with the same names and defaults

What a single topic cannot know is passed in: `scale`, the highest gain of the whole qrels (at least 1), where
`max_rel` is not given; and for the user-oriented measures `known`, the set of documents the user knew, and
`expected`, a number; and `scores`, document to score, where ties stand in another order. `oracle_calc` does this for
a whole collection.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import preference_oracles

Number = int | float | Fraction
Judgments = Mapping[str, Number]
Gains = Mapping[Number, Number] | None


ORACLES: dict[str, Callable[..., Number]] = {}


def oracle(name: str) -> Callable[[Callable[..., Number]], Callable[..., Number]]:
    """Enter a function as the oracle of the measure of this name."""

    def enter(function: Callable[..., Number]) -> Callable[..., Number]:
        ORACLES[name] = function
        return function

    return enter


# Numbers and lists ------------------------------------------------------------------------------------------


def exact(number: Number) -> Fraction:
    """The number as it was written in decimals: 0.29 is 29/100, not the double next to it."""
    if isinstance(number, int | Fraction):
        return Fraction(number)
    return Fraction(repr(float(number)))


def order(scores: Mapping[str, Number]) -> list[str]:
    """Evaluation order of one topic's run: score (as float64) descending, then document id descending."""
    by_id = sorted(scores, reverse=True)
    return sorted(by_id, key=lambda doc: -float(scores[doc]))  # sorted() is stable: ids decide among equals


def top(ranking: Iterable[str], cutoff: int | None) -> list[str]:
    """The part of the ranking that the user sees."""
    ranking = list(ranking)
    return ranking if cutoff is None else ranking[:cutoff]


def without_negative(judgments: Judgments) -> dict[str, Number]:
    """A negative grade means unjudged everywhere but in cumulated relative position."""
    return {doc: grade for doc, grade in judgments.items() if grade >= 0}


def condensed(ranking: Iterable[str], judgments: Judgments) -> list[str]:
    """The ranking without its unjudged documents."""
    return [doc for doc in ranking if doc in judgments]


# Preference -------------------------------------------------------------------------------------------------


def scale_of(qrels: Mapping[str, Judgments], gains: Gains = None) -> Number:
    """Highest gain of all judged documents of all topics, at least 1: the `max_rel` of a whole qrels."""
    highest: Number = 1
    for judgments in qrels.values():
        for grade in without_negative(judgments).values():
            highest = max(highest, (gains or {}).get(grade, grade))
    return highest


def relevance(grade: Number, gains: Gains, max_rel: Number) -> Fraction:
    """rho of a grade: its share of the best grade, kept within [0, 1]."""
    gain = (gains or {}).get(grade, grade)
    return min(max(exact(gain) / exact(max_rel), Fraction(0)), Fraction(1))


def partition_value(rho: Fraction, n: int) -> Fraction:
    """Representative of the partition that holds rho, of n equally wide ones: 0, 1/(n-1), ..., 1."""
    partition = min(n - 1, math.floor(n * rho))
    return Fraction(partition, n - 1)


def preference(
    ranking: Iterable[str],
    rho: Mapping[str, Fraction],
    *,
    norm: str,
    unretrieved: str,
    top_rule: str,
    cutoff: int | None,
) -> Fraction:
    """De Beer & Moens 2006, equation (1) and section 2.4: sum of rho * (1 - penalty) over the judged."""
    tau: dict[str, float] = dict.fromkeys(rho, math.inf)
    for rank, doc in enumerate(top(ranking, cutoff), start=1):
        if doc in rho:
            tau[doc] = rank
    retrieved = [doc for doc in rho if tau[doc] < math.inf]
    if not retrieved:
        return Fraction(0)
    highest_ranked = min(retrieved, key=lambda doc: tau[doc])

    total_rho = sum(rho.values(), Fraction(0))
    total_rest = sum((1 - value for value in rho.values()), Fraction(0))

    summed = list(rho)
    if top_rule == "zero":
        summed.remove(highest_ranked)
    elif top_rule == "drop" and total_rho != rho[highest_ranked]:
        summed.remove(highest_ranked)
        total_rho -= rho[highest_ranked]
    if total_rho == 0:
        return Fraction(0)

    value = Fraction(0)
    for k in summed:
        if rho[k] == 0:
            continue
        if tau[k] == math.inf and unretrieved == "zero":
            continue
        penalty = Fraction(0)
        n_above = 0
        for other in rho:
            if tau[other] < tau[k]:
                n_above += 1
                if rho[other] < rho[k]:
                    penalty += (rho[k] - rho[other]) / rho[k]
        denominator = {
            "absolute": total_rest,
            "relative": Fraction(n_above),
            "relative2": Fraction(n_above + 1),
        }[norm]
        # 0/0 only: without a less relevant document above there is no penalty to divide.
        factor = 1 - penalty / denominator if penalty else Fraction(1)
        value += rho[k] * factor
    return value / total_rho


@oracle("RPref")
def rpref(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    norm: str = "absolute",
    unretrieved: str = "zero",
    top: str = "keep",
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """rpref, De Beer & Moens 2006, equation (1)."""
    best = _given(max_rel, scale)
    rho = {doc: relevance(grade, gains, best) for doc, grade in without_negative(judgments).items()}
    return preference(ranking, rho, norm=norm, unretrieved=unretrieved, top_rule=top, cutoff=cutoff)


@oracle("NPref")
def npref(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    n: int,
    norm: str = "absolute",
    unretrieved: str = "zero",
    top: str = "keep",
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """n-pref, De Beer & Moens 2006, section 3: rpref after rounding rho to n equally spaced values."""
    best = _given(max_rel, scale)
    rho = {doc: partition_value(relevance(grade, gains, best), n) for doc, grade in without_negative(judgments).items()}
    return preference(ranking, rho, norm=norm, unretrieved=unretrieved, top_rule=top, cutoff=cutoff)


def _given(max_rel: Number | None, scale: Number | None) -> Number:
    if max_rel is not None:
        return max_rel
    if scale is None:
        raise TypeError("an oracle of one topic needs max_rel, or scale=scale_of(qrels, gains)")
    return scale


@oracle("BprefVariant")
def bpref(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    norm: str = "min",
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """bpref in all its normalisations: Buckley & Voorhees 2004; trec_eval's bpref_bug for 'min' and 'old'."""
    judged = without_negative(judgments)
    shown = top(ranking, cutoff)
    n_relevant = sum(1 for grade in judged.values() if grade >= rel)
    n_nonrelevant = sum(1 for grade in judged.values() if grade < rel)
    n_nonrelevant_retrieved = sum(1 for doc in shown if doc in judged and judged[doc] < rel)
    if n_relevant == 0:
        return Fraction(0)
    cap, denominator = {
        "min": (n_relevant, min(n_relevant, n_nonrelevant)),
        "R": (n_relevant, n_relevant),
        "N": (n_nonrelevant, n_nonrelevant),
        "10": (n_relevant + 10, n_relevant + 10),
        "10min": (n_relevant + 10, min(n_relevant + 10, n_nonrelevant)),
        "old": (n_relevant, min(n_relevant, n_nonrelevant_retrieved)),
    }[norm]
    value = Fraction(0)
    nonrelevant_above = 0
    for doc in shown:
        if doc not in judged:
            continue
        if judged[doc] < rel:
            nonrelevant_above += 1
        elif nonrelevant_above == 0:
            value += 1
        else:
            value += 1 - Fraction(min(nonrelevant_above, cap), denominator)
    return value / n_relevant


@oracle("BprefR")
def bpref_r(ranking: Iterable[str], judgments: Judgments, **parameters: Any) -> Fraction:
    """bpref as printed by Buckley & Voorhees 2004: divided by R."""
    return bpref(ranking, judgments, norm="R", **parameters)


@oracle("BprefN")
def bpref_n(ranking: Iterable[str], judgments: Judgments, **parameters: Any) -> Fraction:
    """bpref divided by all judged nonrelevant documents, De Beer & Moens 2006, equation (2)."""
    return bpref(ranking, judgments, norm="N", **parameters)


@oracle("Bpref10")
def bpref_10(ranking: Iterable[str], judgments: Judgments, **parameters: Any) -> Fraction:
    """bpref-10 as printed by Buckley & Voorhees 2004: the first R + 10 judged nonrelevant documents."""
    return bpref(ranking, judgments, norm="10", **parameters)


# Graded relevance -------------------------------------------------------------------------------------------


def gain_of(grade: Number, gains: Gains) -> Fraction:
    """Gain of a grade; none for grades of 0 and below."""
    if grade <= 0:
        return Fraction(0)
    return exact((gains or {}).get(grade, grade))


class GradedList:
    """The symbols of Sakai 2006, section 2, for one topic. Ranks start at 1."""

    def __init__(
        self,
        ranking: Iterable[str],
        judgments: Judgments,
        gains: Gains,
        judged_only: bool,
        cutoff: int | None,
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
        for rank in self.ranks:
            if self.is_relevant(rank):
                return rank
        return None

    @property
    def preferred_rank(self) -> int | None:
        """First record after sorting the output by relevance level, then rank; None if it is not relevant."""
        best = None
        for rank in self.ranks:
            if self.is_relevant(rank) and (best is None or self.level[rank - 1] > self.level[best - 1]):
                best = rank
        return best


@oracle("QMeasure")
def q_measure(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    gains: Gains = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> Fraction:
    """Q-measure, Sakai 2006, section 2; with a cutoff divided by min(cutoff, R) as NTCIREVAL does."""
    lst = GradedList(ranking, judgments, gains, judged_only, cutoff)
    if lst.n_relevant == 0:
        return Fraction(0)
    total = sum((lst.blended_ratio(r, beta) for r in lst.ranks if lst.is_relevant(r)), Fraction(0))
    return total / (lst.n_relevant if cutoff is None else min(cutoff, lst.n_relevant))


@oracle("OMeasure")
def o_measure(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    gains: Gains = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> Fraction:
    """O-measure, Sakai 2006, section 2: blended ratio at the first relevant rank."""
    lst = GradedList(ranking, judgments, gains, judged_only, cutoff)
    rank = lst.first_relevant_rank
    return Fraction(0) if rank is None else lst.blended_ratio(rank, beta)


@oracle("PMeasure")
def p_measure(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    gains: Gains = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> Fraction:
    """P-measure, Sakai 2006, section 2: blended ratio at the preferred rank."""
    lst = GradedList(ranking, judgments, gains, judged_only, cutoff)
    rank = lst.preferred_rank
    return Fraction(0) if rank is None else lst.blended_ratio(rank, beta)


@oracle("PPlus")
def p_plus(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    gains: Gains = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> Fraction:
    """P-plus-measure, Sakai 2006, section 4: mean blended ratio of relevant ranks up to the preferred one."""
    lst = GradedList(ranking, judgments, gains, judged_only, cutoff)
    preferred = lst.preferred_rank
    if preferred is None:
        return Fraction(0)
    ratios = [lst.blended_ratio(r, beta) for r in range(1, preferred + 1) if lst.is_relevant(r)]
    return sum(ratios, Fraction(0)) / len(ratios)


@oracle("RMeasure")
def r_measure(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    gains: Gains = None,
    judged_only: bool = False,
) -> Fraction:
    """R-measure, named in Sakai 2006, section 4: the blended ratio at rank R."""
    lst = GradedList(ranking, judgments, gains, judged_only, None)
    return lst.blended_ratio(lst.n_relevant, beta) if lst.n_relevant else Fraction(0)


@oracle("WeightedRR")
def weighted_rr(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    norm: str = "ideal",
    rel: Number = 1,
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """Eguchi et al. 2003: the maximum over the ranks of delta / (rank - 1/beta), over that of the ideal list."""
    best = _given(max_rel, scale)
    judged = without_negative(judgments)
    inverse_beta = {
        doc: relevance(grade, gains, best) * exact(best) / (exact(best) + 1) for doc, grade in judged.items()
    }

    def value(ranked: Iterable[str]) -> Fraction:
        found = [
            1 / (rank - inverse_beta[doc]) for rank, doc in enumerate(ranked, 1) if doc in judged and judged[doc] >= rel
        ]
        return max(found, default=Fraction(0))

    ideal = value(sorted(judged, key=lambda doc: -judged[doc]))
    own = value(top(ranking, cutoff))
    return own / ideal if norm == "ideal" and ideal > 0 else own


@oracle("NCU")
def ncu(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    stop: str = "uniform",
    utility: str = "BR",
    gamma: float = 0.95,
    beta: Number = 1.0,
    gains: Gains = None,
    judged_only: bool = False,
) -> Number:
    """Normalised cumulative utility, Sakai & Robertson 2008: sum over ranks of p_stop(r) * utility(r)."""
    lst = GradedList(ranking, judgments, gains, judged_only, None)
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


@oracle("OriginalNDCG")
def original_ndcg(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    base: Number = 2,
    gains: Gains = None,
    judged_only: bool = False,
    cutoff: int | None = None,
) -> float:
    """nDCG of Järvelin & Kekäläinen 2002: no discount above rank `base`, then log_base(rank)."""
    lst = GradedList(ranking, judgments, gains, judged_only, cutoff)

    def discounted(gains_by_rank: list[Fraction]) -> float:
        total = 0.0
        for rank, gain in enumerate(gains_by_rank, start=1):
            total += float(gain) if rank < base else float(gain) / (math.log(rank) / math.log(base))
        return total

    best = discounted(lst.ideal[:cutoff])
    return discounted(lst.gain) / best if best > 0 else 0.0


# Cumulated relative position --------------------------------------------------------------------------------


class Positions:
    """Ideal intervals and relative positions of one topic, Angelini et al. 2013, equations (2) to (5).

    The ranking is filled up with non-relevant documents to `length` where it is shorter. The ideal vector
    holds all judged, all retrieved and the filling documents; unjudged ones are non-relevant (weight 0);
    documents of negative grade come after the non-relevant ones. It is never cut.
    """

    def __init__(self, ranking: list[str], judgments: Judgments, length: int) -> None:
        n_filling = max(0, length - len(ranking))
        self.grades = [judgments.get(doc, 0) for doc in ranking] + [0] * n_filling
        unjudged = [doc for doc in ranking if doc not in judgments]
        self.ideal = sorted([*judgments.values(), *[0] * (len(unjudged) + n_filling)], reverse=True)
        self.first: dict[Number, int] = {}
        self.last: dict[Number, int] = {}
        for rank, grade in enumerate(self.ideal, start=1):
            self.first.setdefault(grade, rank)
            self.last[grade] = rank

    def relative_position(self, grade: Number, rank: int) -> int:
        """Equation (4)."""
        if rank < self.first[grade]:
            return rank - self.first[grade]
        if rank > self.last[grade]:
            return rank - self.last[grade]
        return 0

    def of(self, grades: list[Number]) -> list[int]:
        """Relative position by rank of a vector of grades."""
        return [self.relative_position(grade, rank) for rank, grade in enumerate(grades, start=1)]


def cumulated(values: Iterable[int]) -> list[int]:
    """Running totals."""
    totals = []
    total = 0
    for value in values:
        total += value
        totals.append(total)
    return totals


def recall_base(judgments: Judgments) -> int:
    """R of this family: documents of positive grade."""
    return sum(1 for grade in judgments.values() if grade > 0)


def crp_curve(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    cutoff: int | None = None,
    judged_only: bool = False,
) -> list[int]:
    """Cumulated relative position by rank, Angelini et al. 2013, equation (5); at least to rank R."""
    if judged_only:
        ranking = condensed(ranking, judgments)
    shown = top(ranking, cutoff)
    positions = Positions(shown, judgments, recall_base(judgments))
    return cumulated(positions.of(positions.grades))


@oracle("CRP")
def crp(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    cutoff: int | None = None,
    judged_only: bool = False,
) -> int:
    """CRP at the cutoff or at R ("loss value"), Angelini et al. 2013, figure 1; constant after the end.

    A cutoff reads the curve of the whole run: with negative grades the ideal vector depends on what is
    retrieved, and it is to stay whole.
    """
    curve = crp_curve(ranking, judgments, judged_only=judged_only)
    R = recall_base(judgments)
    if R == 0:
        return 0
    rank = R if cutoff is None else min(cutoff, len(curve))
    return curve[rank - 1]


@oracle("nCRP")
def ncrp(ranking: Iterable[str], judgments: Judgments, *, judged_only: bool = False) -> Fraction:
    """CRP(r, R) / CRP(w, R) with the worst case w of no relevant document in the top R."""
    R = recall_base(judgments)
    if R == 0:
        return Fraction(0)
    worst = Fraction(-R * (R + 1), 2)
    return crp(ranking, judgments, judged_only=judged_only) / worst


def balance_point(curve: list[int], R: int) -> int | None:
    """First rank from R on where the curve is not below 0."""
    for rank in range(R, len(curve) + 1):
        if rank >= 1 and curve[rank - 1] >= 0:
            return rank
    return None


@oracle("CRPRecovery")
def crp_recovery(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    cutoff: int | None = None,
    judged_only: bool = False,
) -> Fraction:
    """Recovery value rho = R / balance point, Angelini et al. 2013, section 2."""
    R = recall_base(judgments)
    if R == 0:
        return Fraction(0)
    balance = balance_point(crp_curve(ranking, judgments, cutoff=cutoff, judged_only=judged_only), R)
    return Fraction(0) if balance is None else Fraction(R, balance)


def published_recovery(curve: list[int], R: int) -> Fraction:
    """rho of the authors' toolkit MATTERS: R over the last rank before the curve first changes its side."""
    if all(value == 0 for value in curve):
        return Fraction(1)
    above = [value > 0 for value in curve]
    for rank in range(1, len(curve)):
        if above[rank] != above[rank - 1]:
            return Fraction(R, max(R, rank))
    return Fraction(0)


@oracle("Twist")
def twist(ranking: Iterable[str], judgments: Judgments, *, depth: int = 1000) -> Fraction:
    """Twist, Ferro et al. 2016, formulas of MATTERS: mean of the recovery and of the space ratio."""
    R = recall_base(judgments)
    depth = max(depth, R)
    shown = top(ranking, depth)
    if not any(judgments.get(doc, 0) > 0 for doc in shown):
        return Fraction(0)
    positions = Positions(shown, judgments, depth)
    run = positions.of(positions.grades)
    full = positions.of(positions.ideal[:depth][::-1])

    def share(late: bool) -> Fraction:
        """1 - displacement of the run over that of the reversed ideal, in one direction."""
        of_run = sum(abs(rp) for rp in run if rp != 0 and (rp > 0) == late)
        of_full = sum(abs(rp) for rp in full if rp != 0 and (rp > 0) == late)
        if of_full == 0:
            return Fraction(1 if of_run == 0 else 0)
        # In a list shorter than 2R a run can be displaced further than the reversed ideal.
        return max(Fraction(0), 1 - Fraction(of_run, of_full))

    late, early = share(late=True), share(late=False)
    sigma = 2 * late * early / (late + early) if late + early > 0 else Fraction(0)
    rho = published_recovery(cumulated(run), R)
    return (rho + sigma) / 2


# Precision and recall by grade, precision of what was seen ---------------------------------------------------


@oracle("SeenAP")
def seen_ap(ranking: Iterable[str], judgments: Judgments, *, rel: Number = 1, cutoff: int | None = None) -> Fraction:
    """Modern Information Retrieval, chapter 4: mean of the precision after each new relevant document."""
    relevant = relevant_set(judgments, rel)
    shown = top(ranking, cutoff)
    precision = [
        Fraction(sum(doc in relevant for doc in shown[: rank + 1]), rank + 1)
        for rank, doc in enumerate(shown)
        if doc in relevant
    ]
    return sum(precision, Fraction(0)) / len(precision) if precision else Fraction(0)


@oracle("GPrecision")
def g_precision(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """Kekäläinen & Järvelin 2002: mean relevance of the retrieved documents."""
    shown, judged = top(ranking, cutoff), without_negative(judgments)
    total = sum((relevance(judged[doc], gains, _given(max_rel, scale)) for doc in shown if doc in judged), Fraction(0))
    n = len(shown) if cutoff is None else cutoff
    return total / n if n else Fraction(0)


@oracle("GRecall")
def g_recall(
    ranking: Iterable[str], judgments: Judgments, *, gains: Gains = None, cutoff: int | None = None
) -> Fraction:
    """Kekäläinen & Järvelin 2002: relevance retrieved over all relevance."""
    gain = {doc: exact((gains or {}).get(grade, grade)) for doc, grade in without_negative(judgments).items()}
    whole = sum(gain.values(), Fraction(0))
    return sum((gain.get(doc, Fraction(0)) for doc in top(ranking, cutoff)), Fraction(0)) / whole if whole else whole


# User-oriented and combined measures ------------------------------------------------------------------------


def relevant_set(judgments: Judgments, rel: Number) -> set[str]:
    """R of Modern Information Retrieval, chapter 4."""
    return {doc for doc, grade in judgments.items() if grade >= 0 and grade >= rel}


@oracle("Coverage")
def coverage(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    known: set[str],
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """|K n R n A| / |K n R|, Modern Information Retrieval, chapter 4; 0 if nothing relevant is known."""
    relevant, answer = relevant_set(judgments, rel), set(top(ranking, cutoff))
    if not known & relevant:
        return Fraction(0)
    return Fraction(len(known & relevant & answer), len(known & relevant))


@oracle("Novelty")
def novelty(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    known: set[str],
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """|(R n A) - K| / |R n A|, Modern Information Retrieval, chapter 4; 0 if nothing relevant found."""
    relevant, answer = relevant_set(judgments, rel), set(top(ranking, cutoff))
    if not relevant & answer:
        return Fraction(0)
    return Fraction(len((relevant & answer) - known), len(relevant & answer))


@oracle("RelativeRecall")
def relative_recall(
    ranking: Iterable[str],
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


@oracle("TSE")
def total_search_efficiency(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    exposure: str = "inverse",
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction | float:
    """Exposure of the lowest relevant document, Diaz, Ekstrand and Mitra 2025; 0 if one is missing."""
    relevant = relevant_set(judgments, rel)
    ranks = {doc: rank for rank, doc in enumerate(top(ranking, cutoff), start=1)}
    if not relevant or not relevant <= set(ranks):
        return Fraction(0)
    last = max(ranks[doc] for doc in relevant)
    return Fraction(1, last) if exposure == "inverse" else 1 / math.log2(last + 1)


@oracle("RecallEffort")
def recall_effort(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    expected: Number | None = None,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """Expected / examined until found, Modern Information Retrieval, chapter 4; 0 if they never are."""
    relevant = relevant_set(judgments, rel)
    if not relevant:
        return Fraction(0)
    wanted = exact(len(relevant) if expected is None else expected)
    found = 0
    for rank, doc in enumerate(top(ranking, cutoff), start=1):
        if doc in relevant:
            found += 1
            if found >= wanted:
                return wanted / rank
    return Fraction(0)


@oracle("EMeasure")
def e_measure(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """E = 1 - (1 + b^2) / (b^2/R + 1/P), van Rijsbergen 1979, chapter 7; P@k divides by k."""
    relevant, answer = relevant_set(judgments, rel), top(ranking, cutoff)
    found = sum(1 for doc in answer if doc in relevant)
    if found == 0:
        return Fraction(1)
    recall = Fraction(found, len(relevant))
    precision = Fraction(found, len(answer) if cutoff is None else cutoff)
    b2 = exact(beta) ** 2
    return 1 - (1 + b2) / (b2 / recall + 1 / precision)


@oracle("FMeasure")
def f_measure(
    ranking: Iterable[str],
    judgments: Judgments,
    *,
    beta: Number = 1.0,
    rel: Number = 1,
    cutoff: int | None = None,
) -> Fraction:
    """Weighted harmonic mean of recall and precision, the complement of van Rijsbergen's E."""
    return 1 - e_measure(ranking, judgments, beta=beta, rel=rel, cutoff=cutoff)


# Preferences --------------------------------------------------------------------------------------------------


def _of_preferences(name: str) -> Callable[..., Number]:
    """Oracle of a measure of preferences: of the grades, one group a topic."""

    def one(
        ranking: Iterable[str], judgments: Judgments, *, scores: Mapping[str, Number] | None = None, **own: Any
    ) -> Number:
        groups = {"0": [("0", doc, grade) for doc, grade in judgments.items()]}
        if scores is None:  # a ranking without ties
            scores = {doc: -i for i, doc in enumerate(ranking)}
        return preference_oracles.ORACLES[name](groups, scores, **own)

    return one


for _name in preference_oracles.ORACLES:
    oracle(_name)(_of_preferences(_name))


# All of them ------------------------------------------------------------------------------------------------


def oracle_calc(
    name: str,
    qrels: Mapping[str, Judgments],
    run: Mapping[str, Mapping[str, Number]],
    *,
    known: Mapping[str, set[str]] | None = None,
    expected: Number | Mapping[str, Number] | None = None,
    **parameters: Any,
) -> dict[str, float]:
    """Value of each topic of the qrels, in their order; a topic missing from the run is an empty ranking.

    `known` maps topics to documents; `expected` is one number for all topics or maps topics to numbers.
    """
    wanted = inspect.signature(ORACLES[name]).parameters
    if "scale" in wanted:
        parameters["scale"] = scale_of(qrels, parameters.get("gains"))
    values = {}
    for query_id, judgments in qrels.items():
        own = dict(parameters)
        if "known" in wanted:
            own["known"] = set((known or {}).get(query_id, ()))
        if "scores" in wanted:
            own["scores"] = run.get(query_id, {})
        if expected is not None:
            own["expected"] = expected[query_id] if isinstance(expected, Mapping) else expected
        values[query_id] = float(ORACLES[name](order(run.get(query_id, {})), judgments, **own))
    return values
