"""Precision at levels of recall and at rank R: curves and counts, not registered as measures.

    P(r_i) = max {P(j) : recall(j) >= i / 10}, i = 0 ... 10        0 where no rank reaches the level
    R-precision = relevant documents in the top R / R              also where the list is shorter

R. Baeza-Yates and B. Ribeiro-Neto, Modern Information Retrieval, 2nd ed., Addison-Wesley 2011, ch. 4. The
formula printed there takes the maximum between two levels only; its tables, and these functions, take it from
the level on.

Levels are compared in whole numbers, 10 * found >= i * R. In floating point they go wrong in the tools:
trec_eval 9, and ir_measures with it, has 0.7 * 3 + 0.9 = 2.9999999999999996 and reports, for the book's
second query, the precision of two documents found where recall 0.7 needs three (.25 for .20); trec_eval 10
rounds to the nearest document and takes recall 1/3 for the level 0.4.

Decided here: nothing relevant gives 0; unjudged documents and negative grades are not relevant.
"""

from __future__ import annotations

import numpy as np

from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats, Ints

LEVELS = 11


def interpolated_precision(run: JudgedRun, *, rel: float) -> Floats:
    """Precision of each topic at the recall levels 0, 0.1, ..., 1: shape (n_topics, 11), in [0, 1]."""
    relevant = np.flatnonzero(run.grade >= rel)
    found = run.hits.part(relevant)
    precision = (found.position + 1) / run.rank[relevant]
    best = np.zeros(precision.size + 1)  # highest precision from this relevant document on
    for _, rows, inside in found.padded():
        block = np.where(inside, precision[rows], 0.0)
        best[rows[inside]] = np.maximum.accumulate(block[:, ::-1], axis=1)[:, ::-1][inside]
    # How many relevant documents reach the level: the ceiling of i * R / 10, in integers.
    needed = np.maximum(-(-np.arange(LEVELS) * run.pool.count_relevant(rel)[:, None] // 10), 1)
    row = found.starts[:, None] + needed - 1
    return best[np.where(needed <= found.lengths[:, None], row, precision.size)]


def r_precision(run: JudgedRun, *, rel: float) -> Floats:
    """Share of relevant documents in the top R of each topic: shape (n_topics,), in [0, 1]."""
    r = run.pool.count_relevant(rel)
    found = run.hits.count((run.grade >= rel) & (run.rank <= run.hits.spread(r)))
    return np.divide(found, r, out=np.zeros(r.size), where=r > 0)


def counts(run: JudgedRun, *, rel: float) -> tuple[Ints, Ints, Ints]:
    """Documents retrieved, relevant, relevant and retrieved, of each topic: three of shape (n_topics,)."""
    return run.n_retrieved, run.pool.count_relevant(rel), run.hits.count(run.grade >= rel)
