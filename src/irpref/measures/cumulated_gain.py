"""Cumulated gain by rank: the curves from which nDCG is read, not registered as measures.

    CG(j)  = gain(1) + ... + gain(j)
    DCG(j) = gain(1) / d(1) + ... + gain(j) / d(j),        d(j) = max(1, log_base(j))

and the same for the ideal list. For one topic, NCG = CG / ideal CG and NDCG = DCG / ideal DCG; over
several topics they are ratios of means, not means of ratios.

K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4),
2002, 422-446, doi:10.1145/582415.582418; the ratios of means in R. Baeza-Yates and B. Ribeiro-Neto,
Modern Information Retrieval, 2nd ed., Addison-Wesley 2011, ch. 4.

The logarithm models a user's patience: the later a document, the smaller the share of its gain that
reaches the user. A larger base discounts less. Ranks before the base are not discounted at all,
since their logarithm is below 1 and would raise the gain. Today's nDCG, with log2(j + 1) from the
first rank on, has no such ranks.

Left open there, decided here:

- unjudged documents and grades of 0 or below have no gain, and take a rank;
- after its end a ranking gains nothing: its curves stay level, as do the ideal list's;
- the ratios are 0 if the ideal list has no gain yet.

By hand: gains 1, 0, 3 down the ranking, base 2, so that d is 1, 1, log2 3. The ideal list has 3, 1,
0.

    CG 1, 1, 4   DCG 1, 1, 1 + 3 / log2 3 = 2.893   ideal CG and DCG 3, 4, 4   NCG 1/3, 1/4, 1

The book defines the ideal list over all judged documents but computes its example from the
retrieved ones. With the latter, relevant documents that a system misses cost it nothing; irpref
offers it only to reproduce the example."""

from __future__ import annotations

import numpy as np

from irpref.kernel import Floats, Gains, Ints, JudgedRun, Segments
from irpref.measures.original_ndcg import discount


def gain_curves(
    run: JudgedRun, depth: Ints, *, base: float, gains: Gains, judged_only: bool, ideal: str
) -> tuple[Segments, dict[str, Floats]]:
    """Compute gain and its cumulations at the ranks 1 to `depth` of each topic.

    Parameters
    ----------
    depth
        Last rank of each topic: shape (n_topics,).
    base
        Base of the logarithm, above 1.
    gains
        Pairs of grade and gain; None, or a grade not named: the grade itself.
    judged_only
        Drop documents without a judgment and rank the others again.
    ideal
        'judged' for the ideal list of all judged documents, 'retrieved' for the ideal list of the
        retrieved ones.

    Returns
    -------
    ranks, curves
        Rows by topic, and by name the columns `gain`, `cg`, `dcg`, `ideal_cg` and `ideal_dcg`:
        shape (n_ranks,).
    """
    view = run.view(None, judged_only)
    ranks = Segments.of_lengths(depth)

    def placed(topics: Segments, place: Ints, value: Floats) -> Floats:
        # Most ranks hold no judged document, and no gain.
        inside = place <= topics.spread(depth)
        out = np.zeros(ranks.size)
        out[(topics.spread(ranks.starts) + place - 1)[inside]] = value[inside]
        return out

    gain = placed(view.hits, view.rank, view.gain(gains))
    if ideal == "retrieved":
        # Rows of the pool are in ideal order, so the retrieved ones are, too, once they are sorted.
        best = placed(view.hits, view.hits.position + 1, run.pool.gain(gains)[np.sort(view.row)])
    else:
        best = placed(run.pool.judged, run.pool.judged.position + 1, run.pool.gain(gains))
    # The ideal list is discounted by its own ranks, which are those of the run: both end at
    # `depth`.
    divisor = discount(ranks.position + 1, base)
    curves = {
        "gain": gain,
        "cg": gain,
        "dcg": gain / divisor,
        "ideal_cg": best,
        "ideal_dcg": best / divisor,
    }
    return ranks, {
        name: curve if name == "gain" else ranks.running(curve) for name, curve in curves.items()
    }
