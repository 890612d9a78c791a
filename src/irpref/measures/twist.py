"""Twist: the effort of a ranking, from the recovery value and the sizes of the displacements. 1 is
best.

    tau   = (rho + sigma) / 2
    sigma = harmonic mean of 1 - RP+(run) / RP+(full) and 1 - RP-(run) / RP-(full)
    rho   = R / max(R, b)

b         the last rank before CRP is first positive; if it never is, rho is 1 if the curve is 0 all
          along, else 0
RP+, RP-  sums of the positive and of the negative relative positions down to `depth`
full      the ideal list, cut at `depth`, in reverse

N. Ferro, G. Silvello, H. Keskustalo, A. Pirkola and K. Järvelin, The twist measure for IR
evaluation: taking user's effort into account, JASIST 67(3), 2016, 620-648, doi:10.1002/asi.23416.
The formulas are from the authors' toolkit MATTERS (`twist.m`); rho is
`CRPRecovery(balance='last')`, not the paper's `CRPRecovery`. Kendall's tau of
their rankings of the 43 runs of TREC DL 2019 is .64.

Decided here: nothing relevant retrieved or in the pool gives 0; a list in perfect reverse has sigma
0 (MATTERS: 0/0); if R exceeds `depth`, R is the depth (MATTERS stops); negative grades are grades
below non-relevant.

By hand: grades a 2, b 1, c 0, depth 3, ranking a c b. The ideal list is a b c: c is one rank too
high, b one too low, so RP is 0, -1, +1. Reversed, c b a has RP -2, 0, +2. The curve of the run is
0, -1, 0 and never positive.

    sigma = harmonic mean of 1 - 1/2 and 1 - 1/2 = 1/2   rho = 0   tau = (0 + 1/2) / 2 = 1/4

When 1, when 0: a b c has RP 0 everywhere, rho 1, sigma 1 and tau 1; c b a is the reversed list
itself and has 0. With three relevant documents, grades a 2, b 1, c 1, the reversed list b c a has
sigma 0, but its curve -1, -1, +1 is positive at rank 3 only, so rho = 3 / max(3, 2) = 1 and tau is
1/2.

It is sensitive to `depth`. RP+ of the reversed list grows with it, because its relevant
documents are at the end; RP- does not once the list is long. At a depth of 1000, documents that are
too low hardly change sigma."""

from __future__ import annotations

import numpy as np

from irpref.kernel import Floats, Ints, JudgedRun, ratio
from irpref.measures.crp import recovery_of_toolkit, shown
from irpref.measures.declare import KernelMeasure, Param, register
from irpref.measures.relative_position import crp_curve, ideal, reversed_ideal


def space(
    plus: Floats | Ints, minus: Floats | Ints, most_plus: Floats, most_minus: Floats
) -> Floats:
    """Compute sigma, of the displacements of a list and of the reversed ideal list: shape as all
    four.

    The harmonic mean of the parts kept on either side, documents too low and documents too high: 1
    - run / most, at least 0; if nothing can be displaced, 1 if nothing is. 0 if both are 0."""
    a, b = (
        # In a list shorter than 2 R a run can be displaced further than the reversed ideal list.
        np.maximum(1 - np.divide(lost, most, out=(lost > 0) * 1.0, where=most > 0), 0.0)
        for lost, most in ((plus, most_plus), (-minus, -most_minus))
    )
    return ratio(2 * a * b, a + b)


def twist(run: JudgedRun, *, depth: int) -> Floats:
    """Compute Twist of each topic: shape (n_topics,), in [0, 1], higher is better.

    Returns
    -------
    array (n_topics,)
        0 if nothing is relevant or nothing relevant was retrieved.
    """
    best = ideal(run.pool)
    r = best.relevant
    n = np.maximum(depth, r)
    view = shown(run, n)
    curve = crp_curve(view, depth)
    plus, minus = (
        curve.ranks.total_whole(side(curve.rp[:-1], 0)) for side in (np.maximum, np.minimum)
    )
    rho = recovery_of_toolkit(curve, r)
    # What the displacements of the run are compared with: those of the reversed ideal list of n
    # documents.
    sigma = space(plus, minus, *reversed_ideal(view, np.maximum(view.n_retrieved, n), n, n))
    any_relevant = view.relevant(None).hits.lengths > 0
    return np.where(any_relevant, (rho + sigma) / 2, 0.0)


class _Twist(KernelMeasure, kernel=twist):
    r"""Effort caused by misplaced documents: how soon the ranking makes up for them, and how far
    they are misplaced.

    Name
    ----
    Twist

    Question
    --------
    How much effort do misplaced documents cost the user?

    Use
    ---
    You study user effort, and also report its parts (recovery, size of the displacements).

    Pitfalls
    --------
    Values with different depths are not comparable. At a depth of 1000, documents that are too low
    hardly count.

    Formula
    -------
    \tau = \frac{\rho + \sigma}{2}, \quad \rho = \frac{R}{\max(R, b)},
    \quad \sigma = \frac{2 s^{+} s^{-}}{s^{+} + s^{-}}, \quad s^{\pm} = 1 -
    \frac{\mathrm{RP}^{\pm}(\mathrm{run})}{\mathrm{RP}^{\pm}(\mathrm{full})}

    Symbols
    -------
    \rho : recovery: R over its balance point; 1 if CRP is 0 throughout, 0 if it is never positive
        otherwise
    R : relevant documents that were judged
    b : last rank before CRP is first positive
    s^{\pm} : how little the run is too low (+) or too high (-)
    \mathrm{RP}^{\pm} : sum of the positive or of the negative relative positions down to `depth`
    \mathrm{full} : the ideal list, cut at `depth`, in reverse

    Parameters
    ----------
    depth : ranks that count; shorter lists are filled up

    Negative grades
    ---------------
    one such document near the top can outweigh all others, and the value falls towards 0

    Instead
    -------
    CRP, which sums the displacements that Twist weighs

    Worked example
    --------------
    crp-recovery

    Source
    ------
    Ferro et al., JASIST 2016, doi:10.1002/asi.23416; MATTERS twist.m [ferro2016twist]
    """

    VARIANTS = ({}, {"depth": 10})
    NEGATIVE_GRADES = True
    SUPPORTED_PARAMS = {"depth": Param(int, default=1000, minimum=1)}


Twist = register(_Twist())
