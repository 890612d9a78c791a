"""Which algorithm finds the extremes of which measure: by kernel, so that names and short forms do not matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.analysis.holes import blended, layers, relevance
from irpref.analysis.holes.filled import Holes, Topic
from irpref.analysis.holes.relevance import Found
from irpref.arrays.segments import Floats
from irpref.measures import (
    blended_ratio,
    bpref,
    crp,
    e_measure,
    everyday,
    expected,
    generalised,
    known,
    ncu,
    original_ndcg,
    rpref,
)
from irpref.measures.declare import KernelMeasure

# Up to this many assignments of a topic, all of them are tried where nothing better is known.
EXHAUSTIVE = 4096


def _ncu(topic: Topic, grid: Floats, *, stop: str, utility: str, beta: float, gains: Any, **_: Any) -> Found | None:
    """NCU where it is AP or Q-measure."""
    if stop != "uniform":
        return None
    return blended.q_measure(topic, grid, beta=beta if utility == "BR" else 0.0, gains=gains, cutoff=None)


def _crp_bounds(topic: Topic, grid: Floats, cutoff: int | None) -> tuple[float, float, int, int, bool]:
    """Bounds of CRP at R or at the cutoff; R at least and at most; whether grades are negative.

    A relative position at rank j is at least j - (R + 1), and not below 0 beyond R; with negative grades at least
    j - L, where L is the length of the ideal list. It is at most j - 1; and up to R at most 0 if relevant documents
    are of one grade.
    """
    r = int(np.count_nonzero(topic.pool_grade > 0))
    most = r + (topic.rank.size if grid[-1] > 0 else 0)
    negative = bool((topic.pool_grade < 0).any() or grid[0] < 0)
    length = max(topic.pool_grade.size + topic.rank.size, topic.n, most)
    deepest = most if cutoff is None else min(cutoff, max(topic.n, most))
    levels = np.unique(np.append(topic.pool_grade, grid))
    j = np.arange(1, deepest + 1)
    low = float((j - length).sum()) if negative else float(np.minimum(j - (most + 1), 0).sum())
    if np.count_nonzero(levels > 0) > 1 or negative:
        high = float((j - 1).sum())
    else:
        high = float(np.maximum(j - max(r, 1), 0).sum()) if cutoff is not None else 0.0
    return low, high, r, most, negative


def _crp(topic: Topic, grid: Floats, *, cutoff: int | None, **_: Any) -> Found:
    bounds = _crp_bounds(topic, grid, cutoff)
    return Found([], bounds[0], bounds[1])


def _ncrp(topic: Topic, grid: Floats, **_: Any) -> Found:
    """Of CRP / (-R (R + 1) / 2), with CRP between -R (R + 1) / 2, or R (R + 1) / 2 - R L, and R (R - 1) / 2."""
    _low, high, r, most, negative = _crp_bounds(topic, grid, None)
    least = max(r, 1)
    worst = 2.0 * max(topic.pool_grade.size + topic.rank.size, topic.n, most) / (least + 1) - 1 if negative else 1.0
    return Found([], -(most - 1) / (most + 1) if high > 0 and most else 0.0, max(worst, 1.0))


def _gained(topic: Topic, grid: Floats, *, cutoff: int | None, **_: Any) -> Found:
    """GP and gR: rise with the gains seen, since what was seen is no more than there is; gR falls with the others."""
    seen = np.arange(topic.rank.size) < topic.seen(cutoff)
    low, high = grid[0], grid[-1]
    return Found([np.where(seen, a, b) for a, b in product((low, high), repeat=2)])


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
    blended_ratio.o_measure: blended.o_measure,
    blended_ratio.p_measure: blended.p_measure,
    blended_ratio.q_measure: blended.q_measure,
    bpref.bpref: relevance.bpref,
    crp.crp: _crp,
    crp.n_crp: _ncrp,
    e_measure.e_measure: relevance.corners,
    e_measure.f_measure: relevance.corners,
    expected.relative_recall: relevance.corners,
    expected.recall_effort: relevance.recall_effort,
    generalised.g_precision: _gained,
    generalised.g_recall: _gained,
    known.coverage: relevance.corners,
    known.novelty: relevance.corners,
    ncu.ncu: _ncu,
    original_ndcg.original_ndcg: layers.original_ndcg,
    rpref.rpref: layers.rpref,
}


def _bounds(measure: Measure) -> tuple[float, float]:
    """The range that a measure declares."""
    return type(measure).BOUNDS if isinstance(measure, KernelMeasure) else (-np.inf, np.inf)


def extremes(measure: Measure, task: partial[Floats], holes: Holes, t: int, grid: Floats) -> Found:
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
    return found._replace(ways=_search(task, holes, t, grid, found.ways))


def _search(task: partial[Floats], holes: Holes, t: int, grid: Floats, known: list[Floats]) -> list[Floats]:
    """A low and a high value that some grades reach, by changing one hole at a time; they need not be the extremes."""
    u = int(holes.holes.lengths[t])
    steps = grid if grid.size <= 4 else grid[np.linspace(0, grid.size - 1, 4).round().astype(int)]
    low, high = grid[0], grid[-1]
    ways = [*known, *(np.full(u, grade) for grade in steps)]
    for m in sorted({1, 2, 3, 5, 8, 10, u // 8, u // 4, u // 2, u - u // 4, u - 1}):
        if 0 < m < u:
            ways += [np.append(np.full(m, a), np.full(u - m, b)) for a, b in ((high, low), (low, high))]
    moved = np.unique(np.append(np.arange(min(u, 12)), np.linspace(0, u - 1, 6).astype(int)))
    out = []
    values = holes.values(task, [(t, ways)])[0]
    for sign in (-1.0, 1.0):
        best = int(np.argmax(sign * values))
        way, value = ways[best], sign * values[best]
        for _ in range(4):
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
