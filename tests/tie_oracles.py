"""Plain loops for what tied documents can do to a value: every order of them, one after the other.

    every_order(scores)          rankings, each order of tied documents once for each permutation
    over_orders(value, scores)   lowest, mean and highest of `value(ranking)`

HOST has the everyday measures of ir_measures, written from trec_eval's descriptions; those of this package are in
`oracles.ORACLES`. Both are called as value(ranking, judgments, **parameters) and know nothing of the package.
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

from oracles import bpref, condensed, exact, top, without_negative


def every_order(scores):
    """All rankings of one topic that its scores allow, as lists of document ids."""
    tied = defaultdict(list)
    for doc, score in scores.items():
        tied[float(score)].append(doc)
    groups = [itertools.permutations(tied[score]) for score in sorted(tied, reverse=True)]
    for parts in itertools.product(*groups):
        yield [doc for part in parts for doc in part]


def over_orders(value, scores):
    """Lowest, mean and highest value over all orders: exact where `value` is."""
    found = [value(ranking) for ranking in every_order(scores)]
    mean = sum(found, Fraction(0)) / len(found) if isinstance(found[0], Fraction) else math.fsum(found) / len(found)
    return min(found), mean, max(found)


def _shown(ranking, judgments, judged_only, cutoff):
    return top(condensed(ranking, without_negative(judgments)) if judged_only else ranking, cutoff)


def _relevant(judgments, rel):
    return {doc for doc, grade in judgments.items() if grade >= rel}


def average_precision(ranking, judgments, *, rel=1, judged_only=False, cutoff=None):
    relevant, found, total = _relevant(judgments, rel), 0, Fraction(0)
    for rank, doc in enumerate(_shown(ranking, judgments, judged_only, cutoff), start=1):
        if doc in relevant:
            found += 1
            total += Fraction(found, rank)
    return total / max(len(relevant), 1)


def precision(ranking, judgments, *, rel=1, judged_only=False, cutoff):
    shown = _shown(ranking, judgments, judged_only, cutoff)
    return Fraction(len(_relevant(judgments, rel) & set(shown)), cutoff)


def recall(ranking, judgments, *, rel=1, judged_only=False, cutoff=None):
    relevant = _relevant(judgments, rel)
    return Fraction(len(relevant & set(_shown(ranking, judgments, judged_only, cutoff))), max(len(relevant), 1))


def r_precision(ranking, judgments, *, rel=1, judged_only=False):
    return recall(ranking, judgments, rel=rel, judged_only=judged_only, cutoff=len(_relevant(judgments, rel)))


def reciprocal_rank(ranking, judgments, *, rel=1, judged_only=False, cutoff=None):
    for rank, doc in enumerate(_shown(ranking, judgments, judged_only, cutoff), start=1):
        if doc in _relevant(judgments, rel):
            return Fraction(1, rank)
    return Fraction(0)


def success(ranking, judgments, *, rel=1, judged_only=False, cutoff):
    return Fraction(int(reciprocal_rank(ranking, judgments, rel=rel, judged_only=judged_only, cutoff=cutoff) > 0))


def judged(ranking, judgments, *, cutoff=None):
    shown = top(ranking, cutoff)
    return Fraction(sum(doc in judgments for doc in shown), max(len(shown), 1))


def ndcg(ranking, judgments, *, dcg="log2", gains=None, judged_only=False, cutoff=None):
    def gain(grade):
        g = max(float((gains or {}).get(grade, grade)), 0.0)
        return 2.0**g - 1 if dcg == "exp-log2" else g

    def cumulated(of):
        return math.fsum(g / math.log2(rank + 1) for rank, g in enumerate(of, start=1))

    shown = _shown(ranking, judgments, judged_only, cutoff)
    ideal = cumulated(sorted(map(gain, judgments.values()), reverse=True)[:cutoff])
    return cumulated(gain(judgments[doc]) if doc in judgments else 0.0 for doc in shown) / ideal if ideal else 0.0


def n_retrieved(ranking, judgments, *, rel=None):
    return Fraction(len(ranking) if rel is None else len(_relevant(judgments, rel) & set(ranking)))


def set_f(ranking, judgments, *, rel=1, beta=1.0, judged_only=False):
    shown = _shown(ranking, judgments, judged_only, None)
    found = len(_relevant(judgments, rel) & set(shown))
    if not found:
        return Fraction(0)
    p, r = Fraction(found, len(shown)), Fraction(found, len(_relevant(judgments, rel)))
    return (exact(beta) + 1) * p * r / (exact(beta) * p + r)


HOST = {
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
    "Bpref": lambda ranking, judgments, *, rel=1: bpref(ranking, judgments, rel=rel),
}
