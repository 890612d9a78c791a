"""rpref, n-pref and bpref: J. De Beer and M.-F. Moens, SIGIR 2006; C. Buckley and E. M. Voorhees,
SIGIR 2004.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

from reference.symbols import (
    FORMULAS,
    Gains,
    Judgments,
    Number,
    Ranking,
    best_gain,
    formula,
    relevance,
    total,
    without_negative,
)


def partition_value(rho: Fraction, n: int) -> Fraction:
    """Representative of the partition that holds rho, of n of one width: 0, 1/(n-1), ..., 1."""
    partition = min(n - 1, math.floor(n * rho))
    return Fraction(partition, n - 1)


@formula("RPref")
def rpref(
    ranking: Ranking,
    judgments: Judgments,
    *,
    n: int | None = None,
    norm: str = "absolute",
    unretrieved: str = "zero",
    top: str = "keep",
    max_rel: Number | None = None,
    gains: Gains = None,
    cutoff: int | None = None,
    scale: Number | None = None,
) -> Fraction:
    """De Beer & Moens 2006, equation (1) and section 2.4: sum of rho * (1 - penalty) over the
    judged.

    With `n`, rho is rounded to n equally spaced values first.
    """
    best = best_gain(max_rel, scale)
    rho = {doc: relevance(grade, gains, best) for doc, grade in without_negative(judgments).items()}
    if n is not None:
        rho = {doc: partition_value(value, n) for doc, value in rho.items()}
    tau: dict[str, float] = dict.fromkeys(rho, math.inf)
    tau |= {doc: rank for rank, doc in enumerate(list(ranking)[:cutoff], start=1) if doc in rho}
    retrieved = [doc for doc in rho if tau[doc] < math.inf]
    if not retrieved:
        return Fraction(0)
    highest_ranked = min(retrieved, key=lambda doc: tau[doc])

    total_rho = total(rho.values())
    total_rest = total(1 - value for value in rho.values())

    summed = list(rho)
    if top == "zero":
        summed.remove(highest_ranked)
    elif top == "drop" and total_rho != rho[highest_ranked]:
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
        above = [other for other in rho if tau[other] < tau[k]]
        penalty = total((rho[k] - rho[other]) / rho[k] for other in above if rho[other] < rho[k])
        denominator = (
            total_rest if norm == "absolute" else Fraction(len(above) + (norm == "relative2"))
        )
        # 0/0 only: without a less relevant document above there is no penalty to divide.
        factor = 1 - penalty / denominator if penalty else Fraction(1)
        value += rho[k] * factor
    return value / total_rho


@formula("NPref")
def npref(
    ranking: Ranking, judgments: Judgments, *, n: int, scale: Number | None = None, **how: Any
) -> Fraction:
    """n-pref, De Beer & Moens 2006, section 3: rpref of n partitions."""
    return rpref(ranking, judgments, n=n, scale=scale, **how)


@formula("BprefVariant")
def bpref(
    ranking: Ranking,
    judgments: Judgments,
    *,
    norm: str = "min",
    rel: Number = 1,
    top: str = "keep",
    unretrieved: str = "zero",
    cutoff: int | None = None,
) -> Fraction:
    """bpref in all its normalisations: Buckley & Voorhees 2004; trec_eval's bpref_bug for 'min' and
    'old'.
    """
    judged = without_negative(judgments)
    shown = list(ranking)[:cutoff]
    n_relevant = sum(grade >= rel for grade in judged.values())
    n_nonrelevant = sum(grade < rel for grade in judged.values())
    n_nonrelevant_retrieved = sum(judged[doc] < rel for doc in shown if doc in judged)
    if n_relevant == 0:
        return Fraction(0)
    absolute = {
        "min": (n_relevant, min(n_relevant, n_nonrelevant)),
        "R": (n_relevant, n_relevant),
        "N": (n_nonrelevant, n_nonrelevant),
        "10": (n_relevant + 10, n_relevant + 10),
        "10min": (n_relevant + 10, min(n_relevant + 10, n_nonrelevant)),
        "old": (n_relevant, min(n_relevant, n_nonrelevant_retrieved)),
    }
    value, size = Fraction(0), n_relevant
    nonrelevant_above = 0
    ranked = [doc for doc in shown if doc in judged]
    missed = [doc for doc in judged if doc not in shown and judged[doc] >= rel]
    # Equation (2) read literally: below all retrieved documents, and not below each other.
    below_all = missed if unretrieved == "infinity" and ranked else []
    for i, doc in enumerate([*ranked, *below_all]):
        place = min(i, len(ranked))  # judged documents above
        if judged[doc] < rel:
            nonrelevant_above += 1
        elif place == 0 and (top == "zero" or (top == "drop" and n_relevant > 1)):
            size -= top == "drop"
        elif nonrelevant_above == 0:
            value += 1
        else:
            relative = (nonrelevant_above, place + (norm == "relative2"))
            cap, denominator = absolute.get(norm, relative)
            value += 1 - Fraction(min(nonrelevant_above, cap), denominator)
    return value / size


# Divided by R, and with the first R + 10 documents: as Buckley & Voorhees 2004 print it; N: De Beer
# & Moens 2006, (2).
FORMULAS |= {f"Bpref{norm}": partial(bpref, norm=norm) for norm in ("R", "N", "10")}
