"""Weighted reciprocal rank: how early the first relevant document is, with credit for its grade. 1
is best.

    WRR = max over ranks i of delta(X_i) / (i - 1/beta(X_i)) = 1 / (r_1 - 1/beta(X))
    normalised: WRR * (1 - 1/beta(X*))

X_i    grade at rank i
delta  1 for relevant grades, 0 for others
beta   above 1, falling as grades rise
r_1   rank of the first relevant document, X its grade     X*  best grade judged in the topic

K. Eguchi, K. Oyama, E. Ishida, N. Kando and K. Kuriyama, Overview of the web retrieval task at the
third NTCIR workshop, 2003 (the maximum over the ranks); T. Sakai writes it as 1 / (r_1 - 1/beta).
Both give the same value: with beta above 1 the value at rank i lies in [1/i, 1/(i - 1)), so no
later document beats the first relevant one. Formula and normalisation were written down from memory
of these sources, without their text. A normalised form (NWRR) is mentioned in the abstract of T.
Sakai, Bootstrap-based comparisons of IR metrics for finding one relevant document, AIRS 2006, which
finds it less sensitive than O-measure and more sensitive than the reciprocal rank.

Decided here:

- 1/beta(X) = gain of X / (max_rel + 1), the gain clipped to [0, max_rel]: with grades 1, 2, 3 beta
  is 4, 2 and 4/3. Other values are a matter of the unit: `gains={1: 5, 2: 8}` with `max_rel=9`
  gives 1/beta = 5/10 and 8/10;
- delta(X) = 1 for grades of at least `rel`;
- normalised by the best value that the topic admits (`norm='ideal'`), so that the ideal list has
  the value 1; as published (`norm='none'`) values reach max_rel + 1, and the few topics with a best
  document at rank 1 dominate the mean;
- nothing relevant in the pool or retrieved: 0.

Equalities: binary judgments on a scale up to 1 give 1 / (2 r - 1) normalised; gains of 0 give
the reciprocal rank.

By hand: grades a 3, b 2, x 0 with max_rel 3, so 1/beta is 3/4 for a and 2/4 for b; the best value
that the topic admits is 1 / (1 - 3/4) = 4.

    ranking   as published           over the best    reciprocal rank
    a b       1 / (1 - 3/4) = 4      1                1
    b a       1 / (1 - 2/4) = 2      1/2              1
    x a b     1 / (2 - 3/4) = 4/5    1/5              1/2
    x b a     1 / (2 - 2/4) = 2/3    1/6              1/2

When 1, when 0: 1 if a document of the topic's best grade is at rank 1; 0 if nothing relevant was
retrieved.

It is sensitive to the first relevant document alone. At rank 1 its grade decides much, at
rank 2 little: a step down the ranks costs more than any step down the grades."""

from __future__ import annotations

import math

import numpy as np

from irpref.kernel import Gains, JudgedRun, Parts, Sum, Topic, Working
from irpref.measures.declare import CUTOFF, GAINS, REL, KernelMeasure, Param, register
from irpref.measures.generalised import level_gains


@Sum
def weighted_rr(
    run: JudgedRun, *, norm: str, rel: float, max_rel: float, gains: Gains, cutoff: int | None
) -> Parts:
    """Give the whole value to the first relevant document; 0 if nothing relevant was retrieved.

    With g the gain of the first relevant document at rank r and g* the best one of the topic, both
    sides times max_rel + 1: (max_rel + 1 - g*) / ((max_rel + 1) r - g) normalised, (max_rel + 1) /
    ((max_rel + 1) r - g) if not."""
    view, pool = run.at(cutoff), run.pool
    # Both sides of the fraction times (max_rel + 1); a power of two keeps rank * max_rel in range
    # and takes no digit.
    shift = -max(math.frexp(max_rel)[1] - 850, 0)
    top, one = math.ldexp(max_rel, shift), math.ldexp(1.0, shift)
    gain = np.clip(level_gains(pool, gains), 0.0, max_rel)
    # 1 - 1/beta, in a form that is never 0.
    rest = (top - np.ldexp(gain, shift)) + one
    below = (top + one) * (view.rank - 1) + rest[view.level]
    above = np.full(run.n_topics, top + one)
    if norm == "ideal":
        # The first level of a topic is its best, and relevant if any is.
        above = pool.levels.first_value(rest, one)
    first = np.arange(view.rank.size) == view.hits.spread(view.hits.first(view.grade >= rel))

    def working() -> Working:
        credit = gain / (max_rel + 1.0)
        best = pool.levels.first_value(credit)
        steps = {"credit": "g / (max_rel + 1)", "adds": "1 / (rank - credit)"}
        if norm == "ideal":
            steps["adds"] = "(1 - best) / (rank - credit)"
        of_document = {"g": gain[view.level], "credit": credit[view.level]}
        return Working(
            steps,
            {"best": best},
            {name: np.where(first, values, np.nan) for name, values in of_document.items()},
        )

    adds = np.where(first, view.hits.spread(above) / below, 0.0)
    return Parts(view, adds, np.ones(run.n_topics), working)


def first_reasons(topic: Topic) -> None:
    """Say which relevant document is the first."""
    topic.say_first("its rank and gain make the value")


class _WeightedRR(KernelMeasure, kernel=weighted_rr, reasons=first_reasons):
    r"""Reciprocal rank for graded relevance: the rank of the first relevant document is reduced by
    up to 1 for its grade.

    Name
    ----
    weighted reciprocal rank

    Question
    --------
    How early is the first relevant document, and how good is it?

    Use
    ---
    One relevant document is enough, and you want values close to the reciprocal rank.

    Pitfalls
    --------
    With the published form (`norm='none'`), values exceed 1: report `norm`.

    Range
    -----
    [0, 1]; with norm='none' up to max_rel + 1

    Formula
    -------
    \mathrm{WRR} = \frac{1}{r_1 - \frac{1}{\beta(X)}} \cdot \left(1 - \frac{1}{\beta(X^{*})}\right)

    Symbols
    -------
    r_1 : rank of the first relevant document
    X : grade of the first relevant document
    X^{*} : best grade of the topic
    \beta(X) : (max_rel + 1) / gain of grade X. With norm none, the second factor is left out

    Parameters
    ----------
    norm : 'ideal': over the best value that the topic admits; 'none': as published, up to max_rel +
        1
    max_rel : top of the grade scale (default: highest grade of the qrels)

    Columns
    -------
    g : gain of its grade, at most max_rel
    credit : what is taken off its rank
    best : the credit of the topic's best document

    Worked example
    --------------
    p-measure-figure-1

    Source
    ------
    Eguchi et al., NTCIR-3 2003; normalised as by T. Sakai [eguchi2003web]
    """

    BOUNDS = (0.0, math.inf)
    NEEDS = ("scale",)
    VARIANTS = (
        {"max_rel": 3},
        {"norm": "none"},
        {"rel": 2, "cutoff": 7},
        {"gains": {3: 7.5}, "max_rel": 9},
    )
    SUPPORTED_PARAMS = {
        "norm": Param(str, default="ideal", choices=("ideal", "none")),
        "rel": REL,
        "max_rel": Param((int, float), above=0),
        "gains": GAINS,
        "cutoff": CUTOFF,
    }


WeightedRR = register(_WeightedRR())
