"""rpref and n-pref where documents are unjudged: the grades of these that give the lowest and the
highest value.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from irpref.kernel import Floats, Gains, Ints, ratio
from irpref.kernel.fillings import layered, mapped, sums_over_relevant
from irpref.kernel.uncertain import Fillings, OpenTopic
from irpref.measures.scale import partition


def rpref_extremes(
    topic: OpenTopic,
    grid: Floats,
    *,
    max_rel: float,
    gains: Gains,
    norm: str,
    unretrieved: str,
    top: str,
    n: int | None = None,
    **_: Any,
) -> Fillings | None:
    """Fillings with the lowest and the highest rpref or n-pref; with the absolute norm only if the
    grades that a hole can have are equally spaced.
    """

    def rho(grade: Floats) -> Floats:
        gain = np.clip(np.where(grade >= 0, mapped(grade, gains), 0.0), 0.0, max_rel)
        return gain / max_rel if n is None else partition(gain, n, float(max_rel)) / (n - 1)

    value, first = np.unique(rho(grid), return_index=True)
    if (unretrieved, top) != ("zero", "keep"):
        return None
    if value.size == 1:
        return [np.full(topic.rank.size, grid[0])]
    pool, hit = rho(topic.pool[topic.pool >= 0]), rho(topic.hit_grade)
    if norm != "absolute":
        return _relative_extremes(topic, grid[first], value, pool, hit, norm)
    if np.ptp(np.diff(value)) > 1e-9:
        return None
    return [
        *_absolute_extremes(topic, grid[first], value, pool, hit),
        np.full(topic.rank.size, grid[0]),
    ]


def _absolute_extremes(
    topic: OpenTopic, grade: Floats, value: Floats, pool: Floats, hit: Floats
) -> Fillings:
    """The absolute norm. `grade` gives rho the values `value`, equally spaced; those of judged
    documents are `pool`, and `hit` of the retrieved ones.

    With T judged documents, R = sum of rho, S that of those retrieved, and M the sum of the
    differences of misplaced pairs,

        rpref = S/R - M / (R (T - R))

    M is a sum over layers between two values. One more of the highest holes in a layer adds (what
    the documents above lack) - (what those below have): more each time, and more in higher layers.
    So if all layers are equally thick, taking the cheapest steps first, in any layer, gives the
    lowest M for each R. One more of the lowest holes adds less each time, and more in higher
    layers. So M is highest if all layers have the same holes."""
    height = np.diff(value)
    u, below = topic.n_seen, topic.rank.size - topic.n_seen
    place = np.searchsorted(topic.hit_rank, topic.rank[:u])
    # What one more hole adds to M: the highest in a layer; the lowest, in all layers.
    more: list[Floats] = []
    less: list[Floats] = []
    for low, high in pairwise(value):
        lack_above = np.append(0.0, np.cumsum(np.clip(high - hit, 0.0, high - low)))
        have_below = np.append(np.cumsum(np.clip(hit - low, 0.0, high - low)[::-1])[::-1], 0.0)
        more.append(lack_above[place] - have_below[place])
        less.append(more[-1][::-1] + (high - low) * (u - 1 - 2 * np.arange(u)))
    ranked = np.insert(hit, place, value[0])
    edges = np.unique(ranked)
    start = sum(
        (up - low) * np.cumsum(ranked < up)[ranked >= up].sum() for low, up in pairwise(edges)
    )
    whole = pool.size + topic.rank.size
    r, s = pool.sum() + value[0] * topic.rank.size, ranked.sum()

    def values(r: Floats, s: Floats, m: Floats) -> Floats:
        return ratio(s - ratio(m, whole - r), r)

    order = np.argsort(np.concatenate(more), kind="stable")
    gained = height[0] * np.arange(order.size + 1)
    m = start + np.append(0.0, np.cumsum(np.concatenate(more)[order]))
    best = int(np.argmax(values(r + gained, s + gained, m)))
    counts = np.sort(np.bincount(order[:best] // max(u, 1), minlength=height.size))
    level = np.append((np.arange(u) < counts[:, None]).sum(axis=0), np.zeros(below, np.int64))
    rise = value[-1] - value[0]
    gained = rise * np.arange(u + 1)
    m = start + np.append(0.0, np.cumsum(np.sum(less, axis=0)))
    worst = int(np.argmin(values(r + rise * below + gained, s + gained, m)))
    lowest = np.where(np.arange(topic.rank.size) < u - worst, 0, height.size)
    return [grade[level], grade[lowest]]


def _relative_extremes(
    topic: OpenTopic, grade: Floats, value: Floats, pool: Floats, hit: Floats, norm: str
) -> Fillings:
    """The relative norms, as `_absolute_extremes`: in each layer of grades a sum over its
    documents, divided by R.

    With k documents of the layer above it, a document at rank r adds k / (r - 1), and 1 at rank 1;
    with `relative2` it adds (1 + k) / r."""

    def own(rank: Ints) -> Floats:
        return 1.0 / rank if norm == "relative2" else (rank == 1) * 1.0

    def pair(rank: Ints) -> Floats:
        return 1.0 / (rank if norm == "relative2" else np.maximum(rank - 1, 1))

    size, seen = topic.rank.size, topic.n_seen
    edges = np.unique(np.append(hit, value))
    edges = edges[edges > 0]
    upper = np.zeros((2, value.size + 1, size + 1))
    for edge, thick, layer in zip(
        edges, np.diff(edges, prepend=0.0), np.searchsorted(value, edges), strict=True
    ):
        top, bottom = sums_over_relevant(topic.hit_rank[hit >= edge], topic.rank[:seen], own, pair)
        upper[:, layer] += thick * np.array(
            [np.pad(top, (0, size - seen), "edge"), np.pad(bottom, (size - seen, 0), "edge")]
        )
    start = upper[:, 0, size] + upper[:, value.size, 0]
    lower = np.diff(value)[:, None] * np.arange(size + 1)
    return layered(
        grade, start, upper[:, 1 : value.size], float(pool.sum() + value[0] * size), lower
    )
