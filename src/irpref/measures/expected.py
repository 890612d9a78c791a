"""Relative recall and recall effort: documents found and documents expected.

    relative recall = |R and A| / e           recall effort = e / rank of the e-th relevant document

R  relevant documents    A  retrieved documents    e  relevant documents the user expected to find

R. Baeza-Yates and B. Ribeiro-Neto, Modern Information Retrieval, ch. 4 (user-oriented measures).

`expected` is a number, or the name of a column of the qrels with one number a topic; by default R,
the number of relevant documents in the pool, which makes relative recall recall.

Relative recall looks at the set that was retrieved; recall effort looks at ranks, that is, how many
documents had to be examined to find e relevant ones. If e is R, relative recall is recall
(ir_measures' SetR, or R@k with a cutoff), and recall effort is precision at the rank of the last
relevant document.

Decided here: a user who stops when satisfied finds no more than expected, so relative recall is
capped at 1 (`capped=False` for the plain ratio); recall effort is 0 if the e-th relevant document
is never reached (despite its name, higher is better); if e is not a whole
number, the next whole number must be reached.

By hand: a b c d relevant, x y not, ranking a x b y.

    e          relative recall      recall effort
    1          min(2 / 1, 1) = 1    1 / 1 = 1          2 without the cap
    2          2 / 2 = 1            2 / 3              the second relevant document is at rank 3
    4 = R      2 / 4 = 1/2          0                  the fourth is never reached
    5          2 / 5                0                  more than there are

When 1, when 0: relative recall is 1 if e relevant documents were retrieved, anywhere; recall effort
is 1 if the first e ranks are all relevant. Relative recall is 0 if nothing relevant was retrieved,
recall effort is 0 if one of the e documents is missing.

They are sensitive to e. With a small e recall effort is a measure of the top (with e = 1, the
reciprocal rank); with e = R it depends only on the last relevant document."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irpref.kernel import (
    Floats,
    Holes,
    JudgedRun,
    OneDocument,
    Parts,
    Sum,
    Topic,
    Unmoved,
    WeightedSum,
    Working,
)
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, Param, register


def wanted(run: JudgedRun, expected: float | str | None, rel: float) -> Floats:
    """Compute e of each topic: shape (n_topics,); 0 only if it is R and nothing is relevant.

    Parameters
    ----------
    expected
        A number for all topics, the name of a column of the qrels, or None for R.
    rel
        Least grade that counts as relevant. Only for R.
    """
    if expected is None:
        return run.pool.count_relevant(rel).astype(np.float64)
    if isinstance(expected, str):
        return run.pool.judged.first_value(run.pool.columns["expected", expected])
    return np.full(run.n_topics, float(expected))


@Sum
def relative_recall(
    run: JudgedRun, *, expected: float | str | None, capped: bool, rel: float, cutoff: int | None
) -> Parts:
    """Give each relevant document retrieved 1 / e; beyond e documents they add nothing if
    capped.
    """
    relevant, e = run.at(cutoff).at_least(rel), wanted(run, expected, rel)
    ordinal = relevant.hits.ordinal
    adds = (
        np.clip(relevant.hits.spread(e) - (ordinal - 1), 0.0, 1.0)
        if capped
        else np.ones(ordinal.size)
    )
    step = "min(1, max(0, e - (count - 1))) / e" if capped else "counted / e"
    column = {"count": ordinal} if capped else {"counted": np.ones(ordinal.size)}
    return Parts(relevant, adds, e, lambda: Working({"adds": step}, {"e": e}, column))


def relative_recall_reasons(topic: Topic) -> None:
    """Say which documents are relevant, and which of these more than was expected."""
    relevant = topic.relevant_retrieved()
    topic.say(
        relevant,
        lambda i: (
            "relevant and retrieved"
            if topic.contribution[i] > 0
            else "relevant, more than was expected"
        ),
    )


def recall_effort(
    run: JudgedRun, *, expected: float | str | None, rel: float, cutoff: int | None
) -> Floats:
    """Compute recall effort of each topic: shape (n_topics,), in [0, 1], higher is better.

    e over the rank of the e-th relevant document: precision at that rank, for a whole e.

    Returns
    -------
    array (n_topics,)
        0 if fewer than e relevant documents were retrieved.
    """
    view = run.at(cutoff)
    relevant = view.grade >= rel
    e = wanted(run, expected, rel)
    reached = view.hits.first(
        relevant & (view.hits.running_count(relevant) == view.hits.spread(np.ceil(e)))
    )
    rank = np.append(view.rank, 1)[reached]
    return np.where((reached >= 0) & (e > 0), e / rank, 0.0)


_EXPECTED = Param(
    (int, float, str),
    "relevant documents the user expected to find (default: R)",
    minimum=1,
    column=float,
)


def relative_recall_over_ties(
    run: JudgedRun, *, expected: float | str | None, capped: bool, rel: float, cutoff: int | None
) -> WeightedSum | Unmoved | None:
    """Declare a number of documents over e; capped at a cutoff it is no sum."""
    if capped:
        return Unmoved() if cutoff is None else None
    return WeightedSum((run.pool.grade >= rel) * 1.0, wanted(run, expected, rel))


def recall_effort_over_ties(
    run: JudgedRun, *, expected: float | str | None, rel: float, **_: Any
) -> OneDocument:
    """Declare e over the rank of the e-th relevant document."""
    e = wanted(run, expected, rel)
    relevant = (run.pool.grade >= rel) * 1.0
    return OneDocument(relevant, lambda rank, topic: e[topic] / rank, np.ceil(e))


class _RelativeRecall(
    KernelMeasure,
    kernel=relative_recall,
    reasons=relative_recall_reasons,
    over_ties=relative_recall_over_ties,
):
    r"""Relevant documents found, as a share of those the user expected to find.

    Name
    ----
    relative recall

    Question
    --------
    Did users find as many relevant documents as they expected?

    Use
    ---
    You know how many relevant documents users expect.

    Pitfalls
    --------
    By default the expected number is R, and the measure is recall.

    Range
    -----
    [0, 1]; without a cap, from 0

    Formula
    -------
    \mathrm{relative\ recall} = \frac{|R \cap A|}{e}

    Symbols
    -------
    R : relevant documents
    A : retrieved documents
    e : relevant documents that the user expected to find

    Parameters
    ----------
    capped : whether to limit values to 1, however much was found

    Columns
    -------
    count : relevant documents down to its rank
    counted : 1 for a relevant document
    e : relevant documents that were expected

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4 [baezayates1999mir]
    """

    HOLES = Holes(monotone=True)
    BOUNDS = (0.0, math.inf)
    VARIANTS = ({}, {"expected": 2.5, "capped": False}, {"expected": "expected", "cutoff": 7})
    SUPPORTED_PARAMS = {
        "expected": _EXPECTED,
        "capped": Param(bool, default=True),
        "rel": REL,
        "cutoff": CUTOFF,
    }


class _RecallEffort(KernelMeasure, kernel=recall_effort, over_ties=recall_effort_over_ties):
    r"""Relevant documents expected, as a share of the documents examined to find that many. Higher
    is better.

    Name
    ----
    recall effort

    Question
    --------
    How many documents had to be examined to find the expected relevant ones?

    Use
    ---
    You want to know how far users must read to find as many relevant documents as they expected.

    Pitfalls
    --------
    Despite its name, higher is better. It is 0 as soon as one of the expected documents is missing.

    Formula
    -------
    \mathrm{recall\ effort} = \frac{e}{\text{rank of the } e\text{-th relevant document}}

    Symbols
    -------
    e : relevant documents that the user expected to find

    Instead
    -------
    RelativeRecall, which has the same relevant documents

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4 [baezayates1999mir]
    """

    HOLES = Holes(binary=True)
    VARIANTS = ({}, {"expected": 2.5}, {"expected": "expected", "rel": 2, "cutoff": 40})
    SUPPORTED_PARAMS = {"expected": _EXPECTED, "rel": REL, "cutoff": CUTOFF}


RelativeRecall = register(_RelativeRecall())
RecallEffort = register(_RecallEffort())
