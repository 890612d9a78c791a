"""Total search efficiency: how early a user who wants every relevant document has them all. Higher
is better.

    TSE = e(p)

p  rank of the last relevant document        R  relevant documents in the pool
e  exposure of a rank: 1 / p (`inverse`, as in the reciprocal rank), or 1 / log2(p + 1) (`dcg`)

F. Diaz, M. D. Ekstrand and B. Mitra, Recall, robustness, and lexicographic evaluation, ACM TORS
4(1), 2025, doi:10.1145/3728373, arXiv:2302.11370: the reciprocal rank's counterpart at the other
end of the list, the worst case over users who want 1, 2, ... R documents, and over the relevant
documents, of which the last has the least exposure.

How well this is confirmed: we have not seen the article's own formula. Summaries of it say that e
is any falling function of the rank of the last relevant document. Its first author's README
compares total search efficiency with the reciprocal rank, as the worst case with the best, and with
the search length until all relevant documents are found (Cooper's type 3); the scripts there do not
compute it. A third-party program, which cites equation 3 of the article, uses 1 / p, and 0 if the
document was not retrieved. This is our default. `dcg`, with the discount of DCG, is our addition.

Equalities: with `inverse`, R times TSE is `RecallEffort`, precision at the rank of the last
relevant document; with one relevant document TSE is the reciprocal rank. Of two lists that have all
relevant documents, TSE is higher for the one that lexicographic recall prefers, unless their last
ones are at the same rank: lexicographic recall then goes on with the last but one.

Lexicographic recall itself is not offered here: the authors define it for two rankings. It orders
all lists of a topic, so the position in that order could be a value. But there are as many
positions as ways to choose R of n ranks, soon more than a double can distinguish, and in a mean
over topics the rank of the last relevant document would decide almost alone: that is TSE.

Decided here: a relevant document that was not retrieved has no rank, and TSE is 0 (at the end of a
collection, whose size is not known here, e is almost 0); nothing relevant in the pool: 0.

By hand: a b c relevant, x y not.

    ranking      inverse    dcg
    a b c        1/3        1 / log2(4) = 1/2       the best of three relevant documents
    a x b y c    1/5        1 / log2(6) = 0.3869
    c b y x a    1/5        the same: the ranks of the others do not matter
    a b x        0          c was not retrieved

When it is highest, when 0: e(R) for all relevant documents at the top, in any order; 0 as soon as
one is missing. In a mean, topics with few relevant documents weigh more; with `RecallEffort` they
do not.

When to use it: if a single missed document matters, as in patent or legal search and systematic
reviews, with lists deep enough that most hold all relevant documents. Elsewhere it is 0 for most
topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import (
    MISSED,
    Floats,
    Holes,
    Ints,
    JudgedRun,
    OneDocument,
    Parts,
    Sum,
    Topic,
    Working,
)
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, Param, register


@Sum
def total_search_efficiency(
    run: JudgedRun, *, exposure: str, rel: float, cutoff: int | None
) -> Parts:
    """Give the exposure of the last relevant document if none is missing; 0 at all others, and if
    none is judged.
    """
    relevant = run.at(cutoff).at_least(rel)
    last = relevant.hits.position + 1 == relevant.hits.spread(run.pool.count_relevant(rel))
    value = np.where(
        last, 1 / (relevant.rank if exposure == "inverse" else np.log2(relevant.rank + 1.0)), 0.0
    )
    exposed = "/ rank" if exposure == "inverse" else "/ log2(rank + 1)"

    def working() -> Working:
        r, count = run.pool.count_relevant(rel), relevant.hits.ordinal
        return Working({"adds": f"(count == R) {exposed}"}, {"R": r}, {"count": count})

    return Parts(relevant, value, np.ones(run.n_topics), working)


def tse_reasons(topic: Topic) -> None:
    """Say which relevant document is the last, and which are missing."""
    relevant, rel = topic.relevant_retrieved(), topic.arguments["rel"]
    missing = int((topic.pool_grade >= rel).sum() - relevant.sum())
    topic.say(relevant, "relevant, another one is ranked below")
    topic.say(
        relevant & (topic.contribution > 0),
        f"the last of {relevant.sum()} relevant documents",
    )
    if missing:
        others = "1 other is" if missing == 1 else f"{missing} others are"
        topic.say(relevant, f"relevant, but {others} missing: the value is 0")
    topic.say(
        (topic.kind == MISSED) & (topic.grade >= rel),
        "relevant, not retrieved: the value is 0",
    )


def tse_over_ties(run: JudgedRun, *, exposure: str, rel: float, **_: Any) -> OneDocument:
    """Declare the exposure of relevant document number R."""

    def weight(rank: Ints, topic: Ints) -> Floats:
        return 1 / (rank if exposure == "inverse" else np.log2(rank + 1.0))

    relevant = (run.pool.grade >= rel) * 1.0
    return OneDocument(relevant, weight, run.pool.count_relevant(rel) * 1.0)


class _TSE(
    KernelMeasure, kernel=total_search_efficiency, reasons=tse_reasons, over_ties=tse_over_ties
):
    r"""Exposure of the last relevant document, for users who want all of them. 0 if one is missing.

    Name
    ----
    total search efficiency

    Question
    --------
    How early does a user have every relevant document?

    Use
    ---
    A single missed document matters, and most lists are deep enough to hold all relevant documents.

    Pitfalls
    --------
    One missing document makes the value of a topic 0. In a mean, topics with few relevant documents
    weigh more; with `RecallEffort` they do not.

    Formula
    -------
    \mathrm{TSE} = e(p), \quad e(p) = \frac{1}{p} \text{ or } \frac{1}{\log_2(p + 1)}

    Symbols
    -------
    p : rank of the last relevant document
    e(p) : exposure of its rank: with inverse the first form, with dcg the second

    Parameters
    ----------
    exposure : of a rank p: 1/p (inverse) or 1/log2(p + 1) (dcg)

    Columns
    -------
    count : relevant documents down to its rank
    R : relevant documents that were judged

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373 [diaz2025recall]
    """

    HOLES = Holes(binary=True)
    VARIANTS = ({}, {"exposure": "dcg", "rel": 2}, {"cutoff": 40})
    SUPPORTED_PARAMS = {
        "exposure": Param(str, default="inverse", choices=("inverse", "dcg")),
        "rel": REL,
        "cutoff": CUTOFF,
    }


TSE = register(_TSE())
