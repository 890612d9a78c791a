"""Where documents of a kind stand in a group whose order is drawn: distributions that the closed forms need.

All of them are computed from ratios of neighbouring probabilities and divided by their sum, so that they are good to
about 1e-15 relative for groups of thousands, where factorials would have left the range of a double.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from irpref.arrays.segments import Floats


@lru_cache(maxsize=4096)
def drawn(n: int, marked: int, draws: int) -> Floats:
    """Chance of each number of marked documents among `draws` of `n` (hypergeometric): shape (marked + 1,)."""
    out = np.zeros(marked + 1)
    low, high = max(0, draws - (n - marked)), min(marked, draws)
    m = np.arange(low, high, dtype=np.float64)
    ratio = (marked - m) * (draws - m) / ((m + 1) * (n - marked - draws + m + 1))
    top = int(np.searchsorted(-ratio, -1.0))  # ratios fall, so the largest chance is where they pass 1
    right = np.cumprod(ratio[top:])
    left = np.cumprod(1 / ratio[:top][::-1])[::-1]
    chance = np.concatenate([left, [1.0], right])
    out[low : high + 1] = chance / chance.sum()
    return out


def at_least(n: int, marked: int, draws: int) -> Floats:
    """Chance of more than q marked documents among `draws` of `n`, q = 0, 1 ...: shape (marked,)."""
    return np.cumsum(drawn(n, marked, draws)[::-1])[::-1][1:]


@lru_cache(maxsize=4096)
def first_at(n: int, marked: int) -> Floats:
    """Chance that the first of the marked documents stands at place q of n, q = 0, 1 ...: shape (n,)."""
    q = np.arange(n - 1, dtype=np.float64)
    left = np.maximum(n - marked - q, 0.0) / (n - 1 - q)
    return marked / n * np.cumprod(np.append(1.0, left))


def nth_at(n: int, marked: int, which: int) -> Floats:
    """Chance that marked document number `which` (from 1) stands at place q of n: shape (n,)."""
    if which == 1:
        return first_at(n, marked)
    out = np.zeros(n)
    low, high = which - 1, n - 1 - (marked - which)
    # C(q, which - 1) C(n - 1 - q, marked - which) / C(n, marked)
    q = np.arange(low, high, dtype=np.float64)
    ratio = (q + 1) / (q + 2 - which) * (n - 1 - q - (marked - which)) / (n - 1 - q)
    top = int(np.searchsorted(-ratio, -1.0))
    chance = np.concatenate([np.cumprod(1 / ratio[:top][::-1])[::-1], [1.0], np.cumprod(ratio[top:])])
    out[low : high + 1] = chance / chance.sum()
    return out
