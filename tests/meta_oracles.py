"""Meta-evaluation in plain loops and exact rationals, written from the formulas. Slow."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import ceil, prod


def mean(row, sample):
    return sum(Fraction(row[t]) for t in sample) / len(sample)


def stability(values, samples, fuzziness):
    """Compute (minority rate, ties) for each fuzziness."""
    out = []
    for f in fuzziness:
        minority = ties = observations = 0
        for x, y in combinations(values, 2):
            greater = less = equal = 0
            for sample in samples:
                a, b = mean(x, sample), mean(y, sample)
                if a == b or abs(a - b) < f * max(abs(a), abs(b)):
                    equal += 1
                elif a > b:
                    greater += 1
                else:
                    less += 1
            minority += min(greater, less)
            ties += equal
            observations += greater + less + equal
        out.append((Fraction(minority, observations), Fraction(ties, observations)))
    return out


def swap(values, samples, others, edges):
    """Compute (observations, swaps) for each bin."""
    out = [[0, 0] for _ in edges]
    for x, y in combinations(values, 2):
        for sample, other in zip(samples, others, strict=True):
            d = mean(x, sample) - mean(y, sample)
            e = mean(x, other) - mean(y, other)
            bin_ = max(i for i, edge in enumerate(edges) if abs(d) >= edge)
            out[bin_][0] += 1
            out[bin_][1] += d * e < 0
    return out


def t_squared(w):
    """Compute t^2 of numbers: 0/0 is 0, anything else over 0 infinite."""
    n = len(w)
    m = Fraction(sum(w), n)
    variance = sum((v - m) ** 2 for v in w) / (n - 1)
    if variance == 0:
        return Fraction(0) if m == 0 else float("inf")
    return m**2 / (variance / n)


def power(values, samples, alpha):
    """Compute (ASL, difference required) for each pair."""
    out = []
    for x, y in combinations(values, 2):
        z = [Fraction(a) - Fraction(b) for a, b in zip(x, y, strict=True)]
        w = [v - Fraction(sum(z), len(z)) for v in z]
        drawn = [[w[t] for t in sample] for sample in samples]
        t = [t_squared(d) for d in drawn]
        asl = Fraction(sum(s >= t_squared(z) for s in t), len(samples))
        falling = sorted(range(len(t)), key=lambda b: -t[b])  # stable: earlier samples first
        chosen = drawn[falling[ceil(len(samples) * Fraction(alpha)) - 1]]
        out.append((asl, abs(Fraction(sum(chosen), len(chosen)))))
    return out


def tau_ap(scores, truth):
    """Mean over all orders of tied systems; a pair tied in the truth is right either way."""
    groups = [
        [i for i in range(len(scores)) if scores[i] == s] for s in sorted(set(scores), reverse=True)
    ]
    total = Fraction(0)
    for orders in product(*(permutations(g) for g in groups)):
        ranking = [i for order in orders for i in order]
        value = Fraction(0)
        for i in range(1, len(ranking)):
            value += Fraction(sum(truth[above] >= truth[ranking[i]] for above in ranking[:i]), i)
        total += 2 * value / (len(ranking) - 1) - 1
    return total / prod(len(list(permutations(g))) for g in groups)
