"""What tied documents can do to a value: every order of them, one after the other.

every_order(scores)          rankings, each order of tied documents once for each permutation
over_orders(value, scores)   lowest, mean and highest of `value(ranking)`
"""

import itertools
import math
from collections import defaultdict
from fractions import Fraction


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
