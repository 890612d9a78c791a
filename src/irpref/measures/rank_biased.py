"""Rank-biased precision and expected reciprocal rank, as kernels of ir_measures' `RBP` and `ERR`;
and RBP's residual.

    RBP          (1 - p) * sum over relevant r of p^(rank(r) - 1)
    RBPResidual  1 - (1 - p) * sum over judged d of p^(rank(d) - 1)
    ERR          sum over ranks j of s(j) / j * (1 - s(1)) * ... * (1 - s(j - 1))

s(j)  (2^grade(j) - 1) / 16

p  persistence: how likely a user who looked at one document is to look at the next

A. Moffat and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS
27(1), 2008, doi:10.1145/1416950.1416952, section 5 for the residual. O. Chapelle, D. Metzler, Y.
Zhang and P. Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009, 621-630,
doi:10.1145/1645953.1646033.

The weights (1 - p) p^(j - 1) of all ranks add up to 1. The residual is the weight of everything
unjudged: unjudged documents, and all ranks below the end of the list or the cutoff. Whatever these
documents are, the true RBP lies between the value and the value plus the residual.

`RBP` has the values of cwl_eval, which ir_measures uses for it: without a cutoff, ranks end at
1000, and their weights are scaled to add up to 1 (they fall short by p^1000: 4e-5 for p = .99,
nothing for p <= .95). trec_eval 10 has p = .9; ir_measures and cwl_eval have .8. `ERR` has the
values of gdeval, not rounded to five digits: 16 is 2 to the power of the highest grade, 4, whatever
the highest grade of the qrels is. A document of grade 1 therefore stops a user with probability
1/16: with binary grades a topic with one relevant document has at most 1/16, and no topic more than
ln(16) / 15 = .185. Compare values of ERR only on the same scale of grades.

Decided here: for the residual, documents with negative grades are unjudged; an empty ranking has
the residual 1.

By hand: a relevant, n judged non-relevant, u not judged; ranking a u n, p = 1/2, weights 1/2, 1/4,
1/8.

    RBP = 1/2        RBPResidual = 1 - 1/2 - 1/8 = 3/8: 1/4 of u, and 1/8 of the ranks from 4 on
    cut at 2: RBP 1/2, RBPResidual 1 - 1/2 = 1/2

When 1, when 0: the residual is 1 if no judged document was retrieved, and never quite 0, since
every list ends.

When to use it: always report it beside RBP. If it is larger than the difference between two
systems, judging more documents could reverse the difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.errors import MeasureError
from irpref.kernel import REST, Floats, Holes, JudgedRun, Terms, Topic, WeightedSum
from irpref.measures.declare import CUTOFF, KernelMeasure, Param, register

DEEPEST = 1000  # rank at which cwl_eval ends
HIGHEST = 4  # grade that gdeval knows


def rbp(run: JudgedRun, *, p: float, rel: float, cutoff: int | None) -> Floats:
    """Compute RBP of each topic: shape (n_topics,), in [0, 1], higher is better."""
    relevant = run.at(DEEPEST if cutoff is None else cutoff).at_least(rel)
    return relevant.hits.total(weight_of_first(p, cutoff) * p ** (relevant.rank - 1.0))


def weight_of_first(p: float, cutoff: int | None) -> float:
    """Return the weight of the first rank."""
    if cutoff is not None:
        return 1 - p
    # The weights of 1000 ranks add up to 1.
    return (1 - p) / (1 - p**DEEPEST) if p < 1 else 1 / DEEPEST


def rbp_over_ties(run: JudgedRun, *, p: float, rel: float, cutoff: int | None) -> WeightedSum:
    """Declare the weight of each relevant document's rank."""
    first = weight_of_first(p, cutoff)
    return WeightedSum(
        (run.pool.grade >= rel) * 1.0,
        np.ones(run.n_topics),
        lambda rank, _: first * p ** (rank - 1.0),
        cutoff=np.full(run.n_topics, DEEPEST if cutoff is None else cutoff),
    )


def err(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """Compute ERR of each topic: shape (n_topics,), in [0, 1], higher is better. `ValueError` for
    grades above 4.
    """
    grade = np.maximum(run.pool.level_grade, 0.0)
    if grade.max(initial=0) > HIGHEST:
        raise MeasureError(
            f"ERR is defined for grades up to {HIGHEST}, and the qrels have {grade.max():g}",
            measure="ERR",
            value=float(grade.max()),
        )
    view = run.at(cutoff).of_levels(grade > 0)
    here = stops(view)
    return view.hits.total(here * comes(view, here) / view.rank)


def stops(view: JudgedRun) -> Floats:
    """Compute how likely a user who gets to a document stops there: shape (n_hits,)."""
    return ((np.exp2(np.maximum(view.pool.level_grade, 0.0)) - 1) / 2**HIGHEST)[view.level]


def comes(view: JudgedRun, stops: Floats) -> Floats:
    """Compute how likely a user gets as far as a document: shape (n_hits,)."""
    out = np.ones(stops.size)
    for _, rows, inside in view.hits.padded():
        left = np.cumprod(np.where(inside, 1 - stops[rows], 1.0), axis=1)
        out[rows[:, 1:][inside[:, 1:]]] = left[:, :-1][inside[:, 1:]]
    return out


def rbp_residual(run: JudgedRun, *, p: float, cutoff: int | None) -> Floats:
    """Compute the weight of all unjudged ranks: shape (n_topics,), in [0, 1], lower is better."""
    judged = run.at(cutoff).at_least(0)
    return 1 - judged.hits.total((1 - p) * p ** (judged.rank - 1.0))


def rbp_residual_terms(run: JudgedRun, *, p: float, cutoff: int | None) -> Terms:
    """Compute the weight of each document without a judgment; the rest is the weight of the ranks
    below the end of the list.
    """
    view = run.at(cutoff)
    limit = np.inf if cutoff is None else cutoff

    def weight(topic: Any, rank: Any) -> Floats:
        return np.where(rank <= limit, (1 - p) * p ** (rank - 1.0), 0.0)

    return Terms(
        view.on_pool(np.where(view.grade < 0, weight(None, view.rank), 0.0), 0.0),
        unjudged=weight,
        rest=p ** np.minimum(run.n_retrieved, limit),
        columns={"weight": view.on_pool(np.where(view.grade < 0, weight(None, view.rank), np.nan))},
        unjudged_columns={
            "weight": lambda topic, rank: np.where(rank <= limit, weight(topic, rank), np.nan)
        },
        counts=run.pool.grade < 0,
        steps={"weight": "(1 - p) * p ** (rank - 1)", "adds": "weight"},
    )


def residual_reasons(topic: Topic) -> None:
    """Say which documents were judged."""
    topic.say(topic.inside, "not judged")
    topic.say(topic.inside & (topic.grade >= 0), "judged")
    n = int(topic.inside.sum())
    topic.say(topic.kind == REST, f"all ranks below {n}: p ** {n}")


def rbp_residual_over_ties(run: JudgedRun, *, p: float, **_: Any) -> WeightedSum:
    """Declare 1 less the weight of each judged document's rank."""
    return WeightedSum(
        np.where(run.pool.grade >= 0, -1.0, 0.0),
        np.ones(run.n_topics),
        lambda rank, _: (1 - p) * p ** (rank - 1.0),
        start=1.0,
    )


class _RBPResidual(
    KernelMeasure,
    kernel=rbp_residual,
    terms=rbp_residual_terms,
    reasons=residual_reasons,
    over_ties=rbp_residual_over_ties,
):
    r"""How far RBP could rise if all unjudged documents were relevant: the weight of everything
    unjudged.

    Name
    ----
    RBP residual

    Question
    --------
    How much of rank-biased precision is unknown because documents are unjudged?

    Use
    ---
    Report it beside RBP: the true value lies between RBP and RBP plus the residual.

    Pitfalls
    --------
    Lower is better, but says nothing about relevance. Use the same persistence as for RBP.

    Formula
    -------
    \mathrm{residual} = 1 - (1 - p) \sum_{d \,\mathrm{judged}} p^{\,\mathrm{rank}(d) - 1}

    Symbols
    -------
    p : persistence: how likely a user who looked at one document is to look at the next
    \mathrm{rank}(d) : rank of document d

    Parameters
    ----------
    p : persistence

    Columns
    -------
    weight : weight of its rank, for documents without a judgment

    Worked example
    --------------
    rank-biased

    Source
    ------
    Moffat & Zobel, TOIS 2008, section 5, doi:10.1145/1416950.1416952 [moffat2008rbp]
    """

    HOLES = Holes(monotone=True)
    DEFAULT = 1.0
    higher_is_better = False
    VARIANTS = ({}, {"p": 0.5, "cutoff": 7})
    SUPPORTED_PARAMS = {
        "p": Param(float, default=0.8, above=0, maximum=0.9999),
        "cutoff": CUTOFF,
    }


RBPResidual = register(_RBPResidual())
