"""Which algorithm finds the extremes of which measure: by kernel, so that names and short forms do not matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from irpref.analysis.holes import layers, relevance
from irpref.analysis.holes.filled import Holes, Topic
from irpref.analysis.holes.relevance import Found, two
from irpref.arrays.segments import Floats
from irpref.measures import bpref, e_measure, everyday, expected, known, ncu, original_ndcg, rpref
from irpref.measures.declare import KernelMeasure

Algorithm = Callable[..., Found]

# Up to this many assignments of a topic, all of them are tried where nothing better is known.
EXHAUSTIVE = 4096


def _ncu(topic: Topic, grid: Floats, *, stop: str, utility: str, gains: Any, **_: Any) -> Found | None:
    """NCU where it is AP."""
    if (stop, utility) != ("uniform", "P"):
        return None
    of = two(topic, grid, lambda grade: (grade > 0) & (_gain(grade, gains) > 0), None)
    return Found([np.full(topic.rank.size, grid[0])]) if of is None else relevance.precision_sum(of)


def _gain(grade: Floats, gains: Any) -> Floats:
    out = grade.astype(np.float64)
    for of, gain in gains or ():
        out[grade == of] = gain
    return out


ALGORITHMS: dict[Any, Callable[..., Found | None]] = {
    everyday.precision: relevance.corners,
    everyday.recall: relevance.corners,
    everyday.success: relevance.corners,
    everyday.reciprocal_rank: relevance.corners,
    everyday.judged: relevance.corners,
    everyday.set_precision: relevance.corners,
    everyday.set_recall: relevance.corners,
    everyday.set_f: relevance.corners,
    everyday.set_ap: relevance.corners,
    everyday.n_retrieved: relevance.corners,
    everyday.n_relevant: relevance.corners,
    everyday.n_topics: relevance.corners,
    everyday.average_precision: relevance.average_precision,
    everyday.r_precision: relevance.r_precision,
    everyday.host_bpref: relevance.host_bpref,
    everyday.ndcg: layers.ndcg,
    bpref.bpref: relevance.bpref,
    e_measure.e_measure: relevance.corners,
    e_measure.f_measure: relevance.corners,
    expected.relative_recall: relevance.corners,
    expected.recall_effort: relevance.recall_effort,
    known.coverage: relevance.corners,
    known.novelty: relevance.corners,
    ncu.ncu: _ncu,
    original_ndcg.original_ndcg: layers.original_ndcg,
    rpref.rpref: layers.rpref,
}


def _bounds(measure: Any) -> tuple[float, float]:
    """The range that a measure declares."""
    return type(measure).BOUNDS if isinstance(measure, KernelMeasure) else (-np.inf, np.inf)


def extremes(measure: Any, task: partial[Floats], holes: Holes, t: int, grid: Floats) -> Found:
    """What is known of the extremes of a measure for a topic with holes."""
    topic = holes.topic(t)
    algorithm = ALGORITHMS.get(task.func)
    found = algorithm(topic, grid, **task.keywords) if algorithm else None
    if found is None:
        found = Found([], *_bounds(measure))
    if found.low is None and found.high is None:
        return found
    if grid.size**topic.rank.size <= EXHAUSTIVE:
        return Found([np.array(way) for way in product(grid.tolist(), repeat=topic.rank.size)])
    return found if found.ways else found._replace(ways=_search(task, holes, t, grid))


def _search(task: partial[Floats], holes: Holes, t: int, grid: Floats) -> list[Floats]:
    """A low and a high value that some grades reach, by changing one hole at a time; they need not be the extremes."""
    u = int(holes.holes.lengths[t])
    steps = grid if grid.size <= 4 else grid[np.linspace(0, grid.size - 1, 4).round().astype(int)]
    low, high = grid[0], grid[-1]
    ways = [np.full(u, grade) for grade in steps]
    for m in sorted({1, 2, 3, 5, 8, 10, u // 8, u // 4, u // 2, u - u // 4, u - 1}):
        if 0 < m < u:
            ways += [np.append(np.full(m, a), np.full(u - m, b)) for a, b in ((high, low), (low, high))]
    moved = np.unique(np.append(np.arange(min(u, 20)), np.linspace(0, u - 1, 12).astype(int)))
    out = []
    values = holes.values(task, [(t, ways)])[0]
    for sign in (-1.0, 1.0):
        best = int(np.argmax(sign * values))
        way, value = ways[best], sign * values[best]
        for _ in range(6):
            changed = []
            for place, grade in product(moved.tolist(), steps.tolist()):
                if way[place] != grade:
                    other = way.copy()
                    other[place] = grade
                    changed.append(other)
            found = sign * holes.values(task, [(t, changed)])[0]
            if not found.size or found.max() <= value:
                break
            way, value = changed[int(np.argmax(found))], found.max()
        out.append(way)
    return out
