"""Cumulated gain by rank: the curves that nDCG is read off, not registered as measures.

    CG(j)  = gain(1) + ... + gain(j)
    DCG(j) = gain(1) / d(1) + ... + gain(j) / d(j),        d(j) = max(1, log_base(j))

and the same of the ideal list. Of one topic, NCG = CG / ideal CG and NDCG = DCG / ideal DCG; over several
topics they are ratios of means, not means of ratios.

K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002,
422-446, doi:10.1145/582415.582418; the ratios of means in R. Baeza-Yates and B. Ribeiro-Neto, Modern
Information Retrieval, 2nd ed., Addison-Wesley 2011, ch. 4.

The book defines the ideal list over all judged documents, and computes its example from the retrieved ones.
Against the latter a system cannot lose by retrieving nothing; it is there to reproduce the example.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irpref.arrays.judgments import Gains
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats, Ints, Segments
from irpref.measures.original_ndcg import discount


@dataclass(frozen=True)
class GainCurves:
    """Gains by rank, topic after topic: all (n_ranks,)."""

    ranks: Segments
    gain: Floats
    ideal_gain: Floats
    cg: Floats
    dcg: Floats
    ideal_cg: Floats
    ideal_dcg: Floats


def gain_curves(run: JudgedRun, depth: Ints, *, base: float, gains: Gains, judged_only: bool, ideal: str) -> GainCurves:
    """Gain and its cumulations at the ranks 1 to `depth`, (n_topics,), of each topic.

    `ideal`: 'judged' for the ideal list of all judged documents, 'retrieved' for that of the retrieved ones.
    """
    view = run.view(None, judged_only)
    ranks = Segments.of_lengths(depth)

    def placed(topics: Segments, place: Ints, value: Floats) -> Floats:
        inside = place <= topics.spread(depth)
        out = np.zeros(ranks.size)
        out[(topics.spread(ranks.starts) + place - 1)[inside]] = value[inside]
        return out

    gain = placed(view.hits, view.rank, view.gain(gains))
    if ideal == "retrieved":
        # Rows of the pool stand in ideal order, so the retrieved ones do, too, once they are sorted.
        best = placed(view.hits, view.hits.position + 1, run.pool.gain(gains)[np.sort(view.row)])
    else:
        best = placed(run.pool.judged, run.pool.judged.position + 1, run.pool.gain(gains))
    divisor = discount(ranks.position + 1, base)
    return GainCurves(
        ranks,
        gain,
        best,
        ranks.running(gain),
        ranks.running(gain / divisor),
        ranks.running(best),
        ranks.running(best / divisor),
    )
