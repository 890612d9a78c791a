"""Average precision at seen relevant documents: relevant documents that were not retrieved do not
count against the list. 1 is best.

    SeenAP = 1/s * sum over the ranks r of the retrieved relevant documents of count(r) / r

s         relevant documents retrieved      count(r)  relevant documents in the top r

R. Baeza-Yates and B. Ribeiro-Neto, Modern Information Retrieval, ch. 4, "average precision". The
slides of that chapter print 0.57 for their first query: (1 + .66 + .5 + .4 + .33) / 5, truncated
terms, truncated again. The fraction is 2.9 / 5 = 0.58.

Equalities: AP is SeenAP times recall, s / R; if everything relevant was retrieved they are
equal.

Decided here: nothing relevant retrieved gives 0; with a cutoff s counts down to the cutoff. It
rewards lists that stop early: one relevant document at rank 1 and nothing else has the value 1.
Report recall beside it.

By hand: a b c relevant, ranking a x b. Precision is 1 at rank 1 and 2/3 at rank 3: (1 + 2/3) / 2 =
5/6. AP divides by all three relevant documents, 5/9. The ranking x a b has (1/2 + 2/3) / 2 = 7/12.

When 1, when 0: 1 if the relevant documents retrieved are at the top with nothing between them; 0 if
there is none. Adding a relevant document at the end of a list can lower the value: a has 1, a x b
has 5/6."""

from __future__ import annotations

from irpref.kernel import Holes, JudgedRun, Parts, Sum, Topic, WeightedSum, Working
from irpref.kernel.uncertain import reciprocal
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, register


@Sum
def seen_ap(run: JudgedRun, *, rel: float, cutoff: int | None) -> Parts:
    """Divide precision at each relevant document retrieved by their number; 0 if nothing relevant
    was retrieved.
    """
    relevant = run.at(cutoff).at_least(rel)
    precision = relevant.hits.ordinal / relevant.rank
    n = relevant.hits.lengths

    def working() -> Working:
        steps = {"precision": "count / rank", "adds": "precision / n"}
        return Working(steps, {"n": n}, {"count": relevant.hits.ordinal, "precision": precision})

    return Parts(relevant, precision, n, working)


def seen_ap_reasons(topic: Topic) -> None:
    """Say which documents are relevant."""
    topic.say(topic.relevant_retrieved(), "relevant")


def seen_ap_over_ties(run: JudgedRun, *, rel: float, cutoff: int | None) -> WeightedSum | None:
    """Declare the same as AP; with a cutoff, the number of relevant documents within it depends on
    the order.
    """
    relevant = (run.pool.grade >= rel) * 1.0
    size = run.at_least(rel).hits.lengths
    return WeightedSum(relevant, size, reciprocal, relevant) if cutoff is None else None


class _SeenAP(KernelMeasure, kernel=seen_ap, reasons=seen_ap_reasons, over_ties=seen_ap_over_ties):
    r"""Mean precision at the relevant documents that were retrieved. Unlike AP, it ignores those
    that were not.

    Name
    ----
    average precision at seen relevant documents

    Question
    --------
    How precise is the list down to each relevant document in it?

    Use
    ---
    Only what was found should count, for example in an interactive session.

    Pitfalls
    --------
    A run that retrieves a single relevant document, at rank 1, has the value 1. Report recall
    beside it.

    Formula
    -------
    \mathrm{SeenAP} = \frac{1}{s} \sum_{r} \mathrm{rel}(r)\, \frac{\mathrm{count}(r)}{r}

    Symbols
    -------
    s : relevant documents retrieved
    \mathrm{rel}(r) : 1 if the document at rank r is relevant, else 0
    \mathrm{count}(r) : relevant documents down to rank r

    Columns
    -------
    count : relevant documents down to its rank
    precision : precision at its rank
    n : relevant documents retrieved

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4 [baezayates1999mir]
    """

    HOLES = Holes(binary=True)
    VARIANTS = ({}, {"rel": 2}, {"cutoff": 7})
    SUPPORTED_PARAMS = {"rel": REL, "cutoff": CUTOFF}


SeenAP = register(_SeenAP())
