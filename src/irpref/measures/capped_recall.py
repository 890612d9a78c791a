"""Capped recall: relevant documents in the first k ranks, over the most that they can hold. 1 is
best.

    CappedRecall@k = relevant documents in the first k / min(k, R)

k  the cutoff        R  relevant documents in the pool

N. Thakur, N. Reimers, A. Rücklé, A. Srivastava and I. Gurevych, BEIR: a heterogeneous benchmark for
zero-shot evaluation of information retrieval models, NeurIPS 2021 Datasets and Benchmarks,
arXiv:2104.08663, who report it for TREC-COVID, where a topic has more relevant documents than a
list of 100 can hold. Their program, and MTEB's after it, call it `R_cap` and `recall_cap`.

Equalities: for topics with k relevant documents or fewer it is recall, `R@k`; for topics with
k or more it is precision, `P@k`. Without a cutoff it is recall.

Decided here: nothing relevant in the pool gives 0, where MTEB's program divides by 0; unjudged
documents and negative grades are not relevant. Documents of equal score are ranked by id,
as everywhere here; the programs leave them in the order in which they were given.

By hand: a b c d e relevant, n not; nobody judged u. The ranking is a u b n c.

    @1    1 / min(1, 5) = 1           recall 1/5      precision 1
    @3    2 / min(3, 5) = 2/3         recall 2/5      precision 2/3
    @10   3 / min(10, 5) = 3/5        recall 3/5      precision 3/10

When 1, when 0: 1 if the first k ranks hold as many relevant documents as they can; 0 if they hold
none.

When to use it: in place of recall if some topics have more relevant documents than k, so that no
list could reach recall 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import Holes, Ints, JudgedRun, Parts, Sum, Topic, WeightedSum, Working
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, register


def attainable(run: JudgedRun, rel: float, cutoff: int | None) -> Ints:
    """Count the relevant documents that the first ranks can hold: min(k, R), shape (n_topics,)."""
    size = run.pool.count_relevant(rel)
    return size if cutoff is None else np.minimum(size, cutoff)


@Sum
def capped_recall(run: JudgedRun, *, rel: float, cutoff: int | None) -> Parts:
    """Give each relevant document in the first k ranks an equal share: 1 / min(k, R)."""
    relevant = run.at(cutoff).at_least(rel)
    size, one = attainable(run, rel, cutoff), np.ones(relevant.rank.size)

    def working() -> Working:
        return Working({"adds": "relevant / most"}, {"most": size}, {"relevant": one})

    return Parts(relevant, one, size, working)


def capped_recall_reasons(topic: Topic) -> None:
    """Say which documents are relevant."""
    topic.say(topic.relevant_retrieved(), "relevant")


def capped_recall_over_ties(
    run: JudgedRun, *, rel: float, cutoff: int | None, **_: Any
) -> WeightedSum:
    """Declare a number of documents over min(k, R)."""
    return WeightedSum((run.pool.grade >= rel) * 1.0, attainable(run, rel, cutoff))


class _CappedRecall(
    KernelMeasure,
    kernel=capped_recall,
    reasons=capped_recall_reasons,
    over_ties=capped_recall_over_ties,
):
    r"""Share of the relevant documents that the first k ranks can hold and do hold.

    Name
    ----
    capped recall

    Question
    --------
    Of the relevant documents that fit into the first k ranks, how many are there?

    Use
    ---
    Some topics have more relevant documents than the cutoff, so that no list reaches recall 1.

    Pitfalls
    --------
    Topics with few relevant documents are measured by recall, topics with many by precision: a
    mean over both mixes them. As any recall, it takes unjudged documents for not relevant.

    Formula
    -------
    \mathrm{CappedRecall}@k = \frac{1}{\min(k, R)} \sum_{r \le k} \mathrm{rel}(r)

    Symbols
    -------
    k : the cutoff; without one, R
    R : relevant documents that were judged
    \mathrm{rel}(r) : 1 if the document at rank r is relevant, else 0

    Columns
    -------
    relevant : 1 for a relevant document
    most : relevant documents that the first k ranks can hold: k or R, the smaller

    Worked example
    --------------
    multi-hop

    Source
    ------
    Thakur et al., NeurIPS 2021 Datasets and Benchmarks, arXiv:2104.08663 [thakur2021beir]
    """

    HOLES = Holes(monotone=True, monotone_difference=True)
    VARIANTS = ({}, {"cutoff": 7}, {"rel": 2, "cutoff": 40})
    SUPPORTED_PARAMS = {"rel": REL, "cutoff": CUTOFF}


CappedRecall = register(_CappedRecall())
