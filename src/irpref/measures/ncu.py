"""Normalised cumulative utility: the mean utility for users who stop at different relevant
documents.

    NCU = sum over retrieved relevant documents of  p_stop(r) * utility(r)              1 is best

    stop           p_stop(r)
    uniform        1 / R
    graded         gain(r) / sum of the gains of the R relevant documents
    rank_biased    gamma^(count(r) - 1) / sum of gamma^(i - 1), i = 1 ... R

    utility        P: count(r) / r       BR: the blended ratio of Q-measure

T. Sakai and S. Robertson, Modelling a user population for designing information retrieval metrics,
EVIA 2008; formulas as in NTCIREVAL. uniform with P is AP, uniform with BR is Q-measure.

count(r)  relevant documents in the top r        R  relevant documents in the pool
gain(r)   gain of the document at rank r
gamma     how likely users are to go on after a relevant document

Left open there, decided here: a document is relevant if it has a gain; a user who stops at a
relevant document that was not retrieved has utility 0, so the weights include all R documents,
retrieved or not; nothing relevant gives 0; with graded stopping, gains are the stop values
(NTCIREVAL lets them differ).

Equalities: uniform with P is AP, uniform with BR is Q-measure, gamma = 1 is uniform; P is BR
with beta = 0.

Decided here, too: no cutoff. NTCIREVAL 2022 divides the rank-biased sum by min(l, R) instead of the
sum of its weights, so an ideal list of 20 relevant documents would score 0.8025 at 10, and 1
without a cutoff.

By hand: grades a 3, b 1, x 0, ranking x b a. The blended ratio (see Q-measure) is 1/3 at rank 2 and
6/7 at rank 3, precision there is 1/2 and 2/3.

    uniform, BR                  1/2 * 1/3 + 1/2 * 6/7 = 25/42
    uniform, P                   1/2 * 1/2 + 1/2 * 2/3 = 7/12
    graded, BR                   1/4 * 1/3 + 3/4 * 6/7 = 61/84
    rank_biased, gamma 1/2, BR   (1 * 1/3 + 1/2 * 6/7) / (1 + 1/2) = 32/63

When 1, when 0: 1 for the ideal list, whatever the users do; 0 if nothing relevant was retrieved.

Sensitivity: uniform users weigh every relevant document alike. Graded users stop at the
best documents, which then decide. Rank-biased users stop early: the smaller gamma, the less later
relevant documents matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import Floats, Gains, JudgedRun, Parts, Sum, Topic, WeightedSum, Working
from irpref.measures.blended_ratio import (
    BETA,
    blended_over_ties,
    blended_ratio,
    ideal_gain,
    ratio_by_hand,
)
from irpref.measures.declare import GAINS, JUDGED_ONLY, KernelMeasure, Param, register


@Sum
def ncu(
    run: JudgedRun,
    *,
    stop: str,
    utility: str,
    gamma: float,
    beta: float,
    gains: Gains,
    judged_only: bool,
) -> Parts:
    """Weight times utility of each retrieved relevant document, over the weights of all R relevant
    documents.

    A relevant document that was not retrieved keeps its weight and adds nothing.

    Parameters
    ----------
    stop
        Row of the table above: at which document users stop.
    utility
        'BR', the blended ratio, or 'P', precision.
    gamma
        For rank-biased users, in (0, 1]: the number left from one relevant document to the next.
    beta
        Weight of the cumulated gain against the count; 0 leaves precision. Only for 'BR'.
    gains
        Pairs of grade and gain; None, or a grade not named: the grade itself.
    judged_only
        Drop documents without a judgment and rank the others again.
    """
    view = run.view(None, judged_only)
    # beta = 0 turns the blended ratio into precision.
    relevant, useful = blended_ratio(view, beta if utility == "BR" else 0.0, gains)
    ideal, upto = ideal_gain(run.pool, gains)
    r = ideal.lengths
    weight: Floats
    size: Floats
    # The weights of retrieved documents, and the sum of those of all R: the table above, row by
    # row.
    adds = {
        "uniform": "utility / R",
        "graded": "utility * gain / G",
        "rank_biased": "utility * gamma ** (count - 1) / W",
    }
    if stop == "uniform":
        weight, size = np.ones(useful.size), r.astype(np.float64)
    elif stop == "graded":
        weight = run.pool.level_gain(gains)[relevant.level]
        size = ideal.last_value(upto)
    else:
        weight = gamma ** (relevant.hits.ordinal - 1)
        # Added one by one like the weights themselves, so that an ideal list has the value 1
        # exactly.
        size = np.cumsum(gamma ** np.arange(max(int(r.max(initial=0)), 1)))[r - 1]
    size = np.where(r > 0, size, 1.0)

    def working() -> Working:
        how, columns = ratio_by_hand(view, gains, judged_only)
        if utility == "P":
            how = f"count / {'place' if judged_only else 'rank'}"
            del columns["cg"], columns["cg_I"]
        steps = {"utility": how, "adds": adds[stop]}
        return Working(steps, {"R": r, "G": size, "W": size}, {**columns, "utility": useful})

    return Parts(
        relevant,
        weight * useful,
        size,
        working,
        gain=lambda: run.pool.gain(gains),
        most=1.0,
    )


def stopping_reasons(topic: Topic) -> None:
    """Say how many of the users stop at each relevant document."""
    relevant, utility = topic.relevant_retrieved(), topic.columns["utility"]
    topic.say(
        relevant,
        lambda i: f"relevant: {topic.contribution[i] / utility[i]:.3g} of the users stop here",
    )


def ncu_over_ties(
    run: JudgedRun, *, stop: str, utility: str, beta: float, gains: Gains, **_: Any
) -> WeightedSum | None:
    """Declare the same as Q-measure, if all relevant documents have the same weight."""
    if stop != "uniform":
        return None
    return blended_over_ties(run, beta if utility == "BR" else 0.0, gains)


class _NCU(KernelMeasure, kernel=ncu, reasons=stopping_reasons, over_ties=ncu_over_ties):
    r"""Mean utility for a population of users who stop at different relevant documents.

    Name
    ----
    normalised cumulative utility

    Question
    --------
    What do users get on average if they stop at different relevant documents?

    Use
    ---
    You have a model of which relevant document users stop at.

    Pitfalls
    --------
    Values with different `stop` or `utility` are not comparable, so report both.

    Formula
    -------
    \mathrm{NCU} = \sum_{r} p_s(r)\, \mathrm{NU}(r)

    Symbols
    -------
    r : rank of a relevant document that was retrieved
    p_s(r) : share of the users who stop there: uniform 1 / R; graded its gain over that of all R
        relevant documents; rank_biased gamma^(count(r) - 1) over the sum of these shares
    \mathrm{NU}(r) : utility of stopping there: with P, the precision count(r) / r; with BR, the
        blended ratio of `QMeasure`

    Parameters
    ----------
    stop : at which relevant document users stop
    utility : blended ratio or precision
    gamma : persistence of rank-biased stopping

    Columns
    -------
    gain : gain of its grade
    cg : gain cumulated down to its rank
    count : relevant documents down to its rank
    cg_I : gain that the ideal list has cumulated there
    place : its rank among the judged documents
    utility : utility of stopping at it
    R : relevant documents that were judged
    G : gain of all relevant documents
    W : sum of gamma ** i for i from 0 to R - 1

    Worked example
    --------------
    p-measure-figure-1

    Source
    ------
    Sakai & Robertson, EVIA 2008; NTCIREVAL [sakai2008ncu]
    """

    VARIANTS = (
        {},
        {"stop": "graded", "gains": {3: 7.5}},
        {"stop": "rank_biased", "utility": "P", "judged_only": True},
        {"stop": "rank_biased", "gamma": 1.0, "beta": 3.0},
    )
    SUPPORTED_PARAMS = {
        "stop": Param(str, default="uniform", choices=("uniform", "graded", "rank_biased")),
        "utility": Param(str, default="BR", choices=("BR", "P")),
        "gamma": Param(float, default=0.95, above=0, maximum=1),
        "beta": BETA,
        "gains": GAINS,
        "judged_only": JUDGED_ONLY,
    }


NCU = register(_NCU())
