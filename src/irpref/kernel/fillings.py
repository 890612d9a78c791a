"""Grades of unjudged documents (holes) that give a measure its lowest and its highest value: what
the measures that declare `Holes.extremes` share.

A *filling* gives each hole of a topic a grade, an array (n_holes,) in rank order. The functions
return a few fillings, and the lowest and the highest value are among theirs.

*Relevant or not.* Let a of the seen holes be relevant, and b of the others. For given a and b, the
a highest holes are the best choice and the a lowest the worst: with the highest, the rank r_t of
the t-th relevant document seen is as small as possible for each t; with the lowest, as large as
possible. For given R = R0 + a + b these never rise with r_t:

    AP      1/R sum t / r_t                                  R-precision   #{t : r_t <= R} / R
    bpref   1/R sum (1 - min(r_t - t, cap) / den)

(In bpref, r_t - t documents above are judged and not relevant, since nothing is unjudged once the
holes are filled.) So all a and b are tried, with running sums instead of the measure itself.

*Grades.* nDCG is linear in gains. Let m_l holes have at least the gain v_l. In each layer between
two gains the m_l highest holes are the best choice and the m_l lowest the worst, and these choices
are compatible across layers. Both numerator and denominator are sums over layers, of functions of
m_l. By Dinkelbach (Management Science 13, 1967, 492-498, doi:10.1287/mnsc.13.7.492) the best m_l
maximise numerator - z denominator if z is the best value: start anywhere; the ratio that is best
for one z is the next z."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irpref.kernel.grades import Gains
from irpref.kernel.segments import Floats, Ints
from irpref.kernel.uncertain import Fillings, OpenTopic


def mapped(grade: Floats, gains: Gains) -> Floats:
    """The gain of each grade: a grade that `gains` does not name is its own gain."""
    gain = grade.astype(np.float64)
    for named, value in gains or ():
        gain[grade == named] = value
    return gain


def relevant_or_not(
    values: Callable[[OpenTopic, Ints, Ints, float], tuple[Floats, Floats]],
    topic: OpenTopic,
    grid: Floats,
    rel: float,
) -> Fillings:
    """The best and the worst filling for a measure with binary relevance.

    Parameters
    ----------
    values : callable
        Of the topic, each number a of relevant holes that are seen, (n + 1, 1), each number b of
        relevant holes among the others, (1, m + 1), and `rel`, to two arrays (n + 1, m + 1): values
        with the a highest seen holes relevant, and with the a lowest.
    topic : OpenTopic
    grid : float array (2,)
        Lowest and highest grade that a hole can have.
    rel : float
        Lowest relevant grade.
    """
    seen, below = topic.n_seen, topic.rank.size - topic.n_seen
    if grid[0] >= rel or grid[-1] < rel:
        return [np.full(topic.rank.size, grid[0])]
    fillings = []
    top, bottom = values(topic, np.arange(seen + 1)[:, None], np.arange(below + 1)[None, :], rel)
    for value, best, highest in ((top, np.argmax(top), True), (bottom, np.argmin(bottom), False)):
        a, b = np.unravel_index(int(best), value.shape)
        filling = np.full(topic.rank.size, grid[0])
        filling[:a] = grid[-1] if highest else grid[0]
        filling[seen - (0 if highest else a) : seen + b] = grid[-1]
        fillings.append(filling)
    return fillings


def sums_over_relevant(
    good: Ints, hole: Ints, own: Callable[[Ints], Floats], pair: Callable[[Ints], Floats]
) -> tuple[Floats, Floats]:
    """Sum over relevant documents of own(rank) + pair(rank) * (relevant documents above), with m
    relevant holes.

    Each hole brings its own summand and adds to those of the documents below it.

    Parameters
    ----------
    good, hole : int arrays
        Ranks of the judged relevant documents and of the holes, ascending.
    own, pair : callable
        Of ranks to an array of their shape.

    Returns
    -------
    highest, lowest : float arrays (n_holes + 1,)
        With the m highest holes relevant, and with the m lowest.
    """
    below = np.append(np.cumsum(pair(good)[::-1])[::-1], 0.0)
    above = np.searchsorted(good, hole)
    gain = own(hole) + above * pair(hole) + below[above]
    start = float((own(good) + np.arange(good.size) * pair(good)).sum())
    lower = np.append(0.0, np.cumsum(pair(hole)[::-1]))[:-1]
    top = np.append(0.0, np.cumsum(gain + np.arange(hole.size) * pair(hole)))
    return start + top, start + np.append(0.0, np.cumsum(gain[::-1] + lower))


# Layers of grades ---------------------------------------------------------------------------------


def _chain(reward: Floats) -> Ints:
    """m_1 >= ... >= m_G with the largest sum of reward[l, m_l]: (G, u + 1) to (G,)."""
    n_layers, size = reward.shape
    choice = np.zeros((n_layers, size), np.int64)  # the best m_l among 0 ... m
    above = np.zeros(size)
    for layer in range(n_layers - 1, -1, -1):
        total = reward[layer] + above
        above = np.maximum.accumulate(total)
        new = np.append(True, total[1:] > above[:-1])
        choice[layer] = np.maximum.accumulate(np.where(new, np.arange(size), 0))
    counts: Ints = np.zeros(n_layers, np.int64)
    most = size - 1
    for layer in range(n_layers):
        most = counts[layer] = choice[layer, most]
    return counts


def _best_counts(a: float, upper: Floats, b: float, lower: Floats, sign: float) -> Ints:
    """m_l with the extreme of (a + sum upper[l, m_l]) / (b + sum lower[l, m_l]); 0/0 is 0."""
    layers = np.arange(upper.shape[0])

    def value(m: Ints) -> float:
        below = b + float(lower[layers, m].sum())
        return (a + float(upper[layers, m].sum())) / below if below > 0 else 0.0

    counts: Ints = np.zeros(layers.size, np.int64)
    best = value(counts)
    while sign > 0 or best > 0:
        other = _chain(sign * (upper - best * lower))
        if not sign * (value(other) - best) > 0:
            break
        counts, best = other, value(other)
    return counts


def layered(grade: Floats, start: Floats, upper: Floats, fixed: float, lower: Floats) -> Fillings:
    """The fillings with the highest and the lowest value of a ratio of sums over layers,
    (start + sum upper[l, m_l]) / (fixed + sum lower[l, m_l]).

    Parameters
    ----------
    grade : float array (n_layers + 1,)
        A grade above the first l layers has this value of index l.
    start : float array (2,)
    upper : float array (2, n_layers, n_holes + 1)
        First with the m highest holes in a layer, then with the m lowest.
    fixed : float
    lower : float array (n_layers, n_holes + 1)
    """
    fillings = []
    for i, (sign, order) in enumerate(((1.0, slice(None)), (-1.0, slice(None, None, -1)))):
        counts = _best_counts(float(start[i]), upper[i], fixed, lower, sign)
        level = (np.arange(lower.shape[1] - 1) < counts[:, None]).sum(axis=0)
        fillings.append(grade[level[order]])
    return fillings


def gain_over_ideal(
    topic: OpenTopic,
    grid: Floats,
    gain: Callable[[Floats], Floats],
    weight: Callable[[Ints], Floats],
    cutoff: int | None,
) -> Fillings:
    """The best and the worst filling for a weighted sum of gains over that of the ideal list.

    Parameters
    ----------
    topic : OpenTopic
    grid : float array
        The grades that a hole can have, ascending.
    gain, weight : callable
        Of grades, and of ranks, to an array of their shape.
    cutoff : int or None
    """
    value, first = np.unique(gain(grid), return_index=True)
    u, pool = topic.rank.size, np.sort(gain(topic.pool))
    places = np.arange(1, pool.size + u + 1)
    of_ideal = np.append(
        0.0, np.cumsum(np.where(places <= (cutoff or places.size), weight(places), 0.0))
    )
    # Each thin layer, between two gains of the pool or the grid, lies in a thick one: the first
    # holds all holes, the last none.
    edges = np.unique(np.append(pool, value))
    edges = edges[edges > 0]
    lower = np.zeros((value.size + 1, u + 1))
    above = pool.size - np.searchsorted(pool, edges)
    for layer, at, thick in zip(
        np.searchsorted(value, edges), above, np.diff(edges, prepend=0.0), strict=True
    ):
        lower[layer] += thick * of_ideal[at : at + u + 1]
    fixed = float(lower[0, u] + lower[value.size, 0])
    own = np.append(weight(topic.rank[: topic.n_seen]), np.zeros(u - topic.n_seen))
    start = float((gain(topic.hit_grade) * weight(topic.hit_rank)).sum() + value[0] * own.sum())
    running = np.array([np.append(0.0, np.cumsum(weights)) for weights in (own, own[::-1])])
    upper = np.diff(value)[:, None] * running[:, None]
    return layered(grid[first], np.full(2, start), upper, fixed, lower[1 : value.size])
