"""Full recall: whether all relevant documents are in the first k ranks. 1 is best.

    FullRecall@k = 1 if the first k ranks hold all R relevant documents, else 0

R  relevant documents in the pool

A. Asai, K. Hashimoto, H. Hajishirzi, R. Socher and C. Xiong, Learning to retrieve reasoning paths
over Wikipedia graph for question answering, ICLR 2020, arXiv:1911.10470: "paragraph exact match",
whether both paragraphs that a question of HotpotQA needs are among those retrieved. Here their
number is the topic's number of relevant documents.

Equalities: it is 1 where recall, `R@k`, is 1, and 0 elsewhere. If each topic has one relevant
document, it is `Success@k`.

Decided here: nothing relevant in the pool gives 0, as recall does; unjudged documents and negative
grades are not relevant.

By hand: a b relevant, n not; nobody judged u. The ranking is a n b u.

    @2    0: b is at rank 3         recall 1/2
    @3    1                         recall 1

When 1, when 0: 1 as soon as the last relevant document is found; 0 if one is missing, and always if
there are more than k.

When to use it: for questions whose answer needs every document of a set (multi-hop questions,
claims to verify), where half of the evidence is as good as none."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import MISSED, Holes, JudgedRun, OneDocument, Parts, Sum, Topic, Working
from irpref.kernel.uncertain import even
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, register


@Sum
def full_recall(run: JudgedRun, *, rel: float, cutoff: int | None) -> Parts:
    """Give the whole value to the last relevant document if none is missing; 0 to all others."""
    relevant = run.at(cutoff).at_least(rel)
    r, count = run.pool.count_relevant(rel), relevant.hits.ordinal
    last = (count == relevant.hits.spread(r)) * 1.0

    def working() -> Working:
        return Working({"adds": "(count == R)"}, {"R": r}, {"count": count})

    return Parts(relevant, last, np.ones(run.n_topics), working)


def full_recall_reasons(topic: Topic) -> None:
    """Say which relevant document completes the set, and which are missing."""
    relevant, rel = topic.relevant_retrieved(), topic.arguments["rel"]
    wanted = int((topic.pool_grade >= rel).sum())
    missing = wanted - int(relevant.sum())
    are = "is" if missing == 1 else "are"
    but = f", but {missing} of {wanted} {are} missing" if missing else ""
    topic.say(relevant, f"relevant{but}")
    topic.say(relevant & (topic.contribution > 0), f"relevant, the last of {wanted}")
    topic.say((topic.kind == MISSED) & (topic.grade >= rel), "relevant, not retrieved")


def full_recall_over_ties(run: JudgedRun, *, rel: float, **_: Any) -> OneDocument:
    """Declare that relevant document number R alone counts, at whatever rank."""
    return OneDocument((run.pool.grade >= rel) * 1.0, even, run.pool.count_relevant(rel) * 1.0)


class _FullRecall(
    KernelMeasure,
    kernel=full_recall,
    reasons=full_recall_reasons,
    over_ties=full_recall_over_ties,
):
    r"""Whether all relevant documents are in the first k ranks.

    Name
    ----
    full recall

    Question
    --------
    Do the first k documents hold everything that is relevant?

    Use
    ---
    An answer needs all of the evidence together, as for multi-hop questions.

    Pitfalls
    --------
    Topics with more than k relevant documents are always 0. A document that nobody judged relevant
    is never missed, so incomplete judgments make it look better.

    Formula
    -------
    \mathrm{FullRecall}@k = 1 \text{ if } \sum_{r \le k} \mathrm{rel}(r) = R \text{, else } 0

    Symbols
    -------
    k : the cutoff; without one, the length of the list
    R : relevant documents that were judged
    \mathrm{rel}(r) : 1 if the document at rank r is relevant, else 0

    Columns
    -------
    count : relevant documents down to its rank
    R : relevant documents that were judged

    Worked example
    --------------
    multi-hop

    Source
    ------
    Asai et al., ICLR 2020, arXiv:1911.10470, "paragraph exact match" [asai2020paths]
    """

    HOLES = Holes(monotone=True, monotone_difference=True)
    VARIANTS = ({}, {"cutoff": 40}, {"rel": 2, "cutoff": 40})
    SUPPORTED_PARAMS = {"rel": REL, "cutoff": CUTOFF}


FullRecall = register(_FullRecall())
