"""Generalised precision and recall: precision and recall in which a document counts by its grade. 1
is best.

    gP = 1/n * sum of rho over the retrieved documents
    gR = sum of rho over the retrieved documents / sum of rho over all judged documents

rho  grade on the scale [0, 1]: gain of the grade / max_rel, clipped
n    documents retrieved, or the cutoff

J. Kekäläinen and K. Järvelin, Using graded relevance assessments in IR evaluation, JASIST 53(13),
2002, 1120-1129, doi:10.1002/asi.10137. The article itself was not available when this was written;
the formulas are the usual ones of this name.

Decided here:

- unjudged documents and negative grades have rho = 0; if nothing was retrieved, or nothing in the
  pool has a gain, the value is 0;
- gP with a cutoff divides by the cutoff even if the list is shorter, as P@k does;
- in gR the top of the scale cancels: it has no `max_rel`, and clips nothing.

Equalities: with grades 0 and max_rel alone gP is precision and gR is recall.

By hand: grades a 2, b 1, c 2 with max_rel 2, ranking b x a: rho is 1/2, 0 and 1 in this order, 1
for c.

    gP = (1/2 + 0 + 1) / 3 = 1/2             gR = (1/2 + 1) / (1/2 + 1 + 1) = 3/5
    gP@5 = (1/2 + 1) / 5 = 3/10              gR@1 = (1/2) / (5/2) = 1/5

When 1, when 0: gP is 1 only if all documents retrieved have the best grade, which a topic may not
have; gR is 1 if all documents with a gain were retrieved. Both are 0 if none was.

Of the two, gP is sensitive to max_rel (with max_rel 4 the ranking above has 1/4), so give it if
runs are compared over collections. The order within the list, or within the cutoff, does not
matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import (
    Floats,
    Gains,
    Grades,
    Holes,
    JudgedRun,
    Parts,
    Sum,
    Topic,
    WeightedSum,
    Working,
)
from irpref.measures.declare import CUTOFF, GAINS, KernelMeasure, Param, register


def level_gains(pool: Grades, gains: Gains) -> Floats:
    """Compute the gain of each level, grade 0 included, 0 for negative grades: shape
    (n_levels,).

    The grade or its gain by `gains`, before it is put on the scale.
    """
    return np.where(pool.level_grade >= 0, pool.level_mapped(gains), 0.0)


@Sum
def g_precision(run: JudgedRun, *, max_rel: float, gains: Gains, cutoff: int | None) -> Parts:
    """Divide rho of each retrieved document by n; 0 if nothing with a gain was retrieved."""
    view, gain = run.at(cutoff), level_gains(run.pool, gains)
    rho = np.minimum(gain, max_rel) / max_rel
    n = view.n_retrieved if cutoff is None else np.full(run.n_topics, cutoff)
    divisor = "n" if cutoff is None else "cutoff"
    return Parts(
        view,
        rho[view.level],
        n,
        lambda: Working({"adds": f"min(gain, max_rel) / max_rel / {divisor}"}, {"n": n}),
        gain=lambda: gain[run.pool.level],
    )


def g_precision_over_ties(
    run: JudgedRun, *, max_rel: float, gains: Gains, cutoff: int | None
) -> WeightedSum:
    """Declare rho of each document within the cutoff."""
    rho = np.minimum(level_gains(run.pool, gains), max_rel) / max_rel
    n = run.n_retrieved if cutoff is None else np.full(run.n_topics, cutoff)
    return WeightedSum(rho[run.pool.level], n)


@Sum
def g_recall(run: JudgedRun, *, gains: Gains, cutoff: int | None) -> Parts:
    """Divide the gain of each retrieved document by the gain of all judged documents; 0 if nothing
    in the pool has a gain.
    """
    view, gain = run.at(cutoff), level_gains(run.pool, gains)
    total = run.pool.level_total(gain)
    return Parts(
        view,
        gain[view.level],
        total,
        lambda: Working({"adds": "gain / G"}, {"G": total}),
        gain=lambda: gain[run.pool.level],
        most=1.0,
    )


def g_recall_over_ties(run: JudgedRun, *, gains: Gains, **_: Any) -> WeightedSum:
    """Declare the gain of each document within the cutoff."""
    gain = level_gains(run.pool, gains)
    return WeightedSum(gain[run.pool.level], run.pool.level_total(gain))


def gain_reasons(topic: Topic) -> None:
    """Say which documents have a gain."""
    relevant = topic.relevant_retrieved("no gain")
    topic.say(relevant, "retrieved")


class _GPrecision(
    KernelMeasure, kernel=g_precision, reasons=gain_reasons, over_ties=g_precision_over_ties
):
    r"""Precision in which a document counts by its grade: 1 only if all retrieved documents have
    the best grade.

    Name
    ----
    generalised precision

    Question
    --------
    How relevant, on the scale of the grades, is a retrieved document on average?

    Use
    ---
    You want precision in which grades count.

    Pitfalls
    --------
    It depends on `max_rel`, and is 1 only if every retrieved document has the best grade.

    Formula
    -------
    \mathrm{gP} = \frac{1}{n} \sum_{d \in A} \rho_d

    Symbols
    -------
    A : the retrieved documents
    \rho_d : grade of document d on the scale from 0 to 1: its gain over `max_rel`, at most 1
    n : number of documents retrieved, or the cutoff

    Parameters
    ----------
    max_rel : top of the grade scale (default: highest grade of the qrels)

    Columns
    -------
    gain : gain of its grade
    n : retrieved documents

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Kekäläinen & Järvelin, JASIST 2002, doi:10.1002/asi.10137 [kekalainen2002graded]
    """

    HOLES = Holes(monotone=True, monotone_difference=True)
    NEEDS = ("scale",)
    VARIANTS = ({"max_rel": 3}, {"cutoff": 7}, {"gains": {3: 7.5}, "cutoff": 40})
    SUPPORTED_PARAMS = {
        "max_rel": Param((int, float), above=0),
        "gains": GAINS,
        "cutoff": CUTOFF,
    }


class _GRecall(KernelMeasure, kernel=g_recall, reasons=gain_reasons, over_ties=g_recall_over_ties):
    r"""Recall in which a document counts by its grade.

    Name
    ----
    generalised recall

    Question
    --------
    How much of all judged relevance did the list find?

    Use
    ---
    You want recall in which a missing highly relevant document costs more.

    Pitfalls
    --------
    The value depends on how many documents of low grade were judged.

    Formula
    -------
    \mathrm{gR} = \frac{\sum_{d \in A} \rho_d}{\sum_{d} \rho_d}

    Symbols
    -------
    A : the retrieved documents
    \rho_d : gain of document d; the sum below the line is over all judged documents

    Columns
    -------
    gain : gain of its grade
    G : gain of all judged documents

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Kekäläinen & Järvelin, JASIST 2002, doi:10.1002/asi.10137 [kekalainen2002graded]
    """

    HOLES = Holes(monotone=True)
    VARIANTS = ({}, {"cutoff": 7}, {"gains": {3: 7.5}})
    SUPPORTED_PARAMS = {"gains": GAINS, "cutoff": CUTOFF}

    def _maps_zero(self) -> bool:
        return True  # rho is that of generalised precision


GPrecision = register(_GPrecision())
GRecall = register(_GRecall())
