"""Cumulated Relative Position: how far documents are from their place in the ideal list.

    RP(j)  = 0 inside the interval of ranks that the grade of the document at rank j has in the
             ideal list,
             j - first rank of the interval above it (negative), j - last rank below it (positive)
    CRP(j) = RP(1) + ... + RP(j)

    CRP          CRP(R), the loss: 0 for an ideal ranking; with a cutoff, CRP at that rank
    nCRP         CRP(R) / CRP(w, R),   CRP(w, R) = -R (R + 1) / 2: nothing relevant in the top R;
                 with worst='reversed' w is the reversed ideal list, as the paper has it
    CRPRecovery  R / b,   b = min {j >= R: CRP(j) >= 0}, the balance point; 0 if there is none

R      documents with a grade above 0
RP(j)  relative position: how many ranks the document at rank j is above (negative) or below
       (positive) the ranks
       that the ideal list has for documents of its grade, from first_j to last_j

M. Angelini, N. Ferro, K. Järvelin, H. Keskustalo, A. Pirkola, G. Santucci and G. Silvello,
Cumulated Relative Position: a metric for ranking evaluation, IIR 2013 (extended abstract), CEUR-WS
964, paper 9, equations (1) to (5); full paper at CLEF 2012, LNCS 7488,
doi:10.1007/978-3-642-33247-0_13.

Left open there, decided here:

- the ideal list holds all judged and all retrieved documents, by falling grade; unjudged documents
  are non-relevant; a negative grade is a grade below non-relevant (in this family only);
- a ranking shorter than R is filled up with non-relevant documents, and so is a missing topic,
  which therefore gets the worst value; beyond its end the curve stays constant;
- the search for the balance point begins at rank R; otherwise rho could exceed 1 (1 2 1 0 against
  the ideal 2 1 1 1 would have rho = 4/2);
- the worst case is the bound -R (R + 1) / 2, not the reversed ideal list, which is not even the
  minimum when fewer than R non-relevant documents are known (pool 2222 11111 00: -11; 1 0 2 2 1 2 0
  1 1 has -13). `nCRP(worst='reversed')` divides by that list all the same. The two agree if there
  are at least R non-relevant documents and no negative grades. Otherwise, values above 1 are
  possible, the worst case of a run depends on what it retrieves, and the value is 0 if the reversed
  list has CRP(w, R) >= 0 (only relevant documents: S A A A becomes A A A S, +2);
- no relevant document: CRP = nCRP = CRPRecovery = 0.

MATTERS, the authors' toolkit, computes a different recovery value and a different nCRP under the
same names. Its lists have exactly 1,000 documents: longer ones are cut; shorter ones and the ideal
list are filled up with non-relevant documents. An R above 1,000 counts as 1,000.

- `CRPRecovery(balance='last')` is its recovery value, R / max(R, b') with b' the last rank before
  CRP is first positive; 1 if CRP is 0 throughout, 0 if it is never positive otherwise.
  `CRPRecovery` follows the paper: the first rank from R on at which CRP is not negative. With one
  relevant document r, the ranking n r has 1/2 by the paper and 0 by MATTERS, for which coming back
  to 0 is not enough; n n r has 1/3 and 1/2. Kendall's tau of their rankings of the 43 runs of TREC
  DL 2019 is .64.
- `nCRP(norm='range')` is its normalised CRP, (2 CRP(R) - mu - nu) / (mu - nu), mu and nu the
  highest and the lowest value of the curve of the reversed ideal list. There, higher is better: -1
  is the worst value, and an ideal ranking, with CRP 0, is hardly above it, since mu grows with the
  depth (R = 2 with two grades: mu is 1993, nu is -3). Kendall's tau with nCRP on these runs is .87.

Several statements of the abstract hold for binary grades only. CRP can be positive before R (one S
and three A, ranked A A S A: -1, -1, +1), and rho = 1 does not imply an ideal ranking (B A S: -2,
-2, 0). CRP grows with R squared, so average nCRP rather than CRP. rho is not monotone: n r r r has
0, but n r r n n r has 1/2.

For grades of 0 and more nCRP is at most 1, but several relevant grades can take it below 0: grades
1 1 2 in this order have RP -1, 0, +2 against the ideal 2 1 1, so nCRP is 1 / -6. With negative
grades it has no bounds: a document of grade -1 at the top is as many ranks too high as the run has
documents that are better or unjudged, so nCRP grows with the depth of the run. The same document
changes CRP, and can keep the curve from coming back to 0. A `RangeWarning` says so for all measures
of the family.

By hand: grades a 2, b 1, c 0, ranking c a b. The ideal list is a b c, so the places are 1, 2 and 3,
and R = 2.

    rank     1    2    3
    grade    0    2    1
    RP      -2   +1   +1      c is two ranks too high, a and b one too low
    CRP     -2   -1    0      CRP(R) = -1,  nCRP = -1 / -3 = 1/3,  CRPRecovery = 2/3

The ideal list reversed is c b a: RP -2, 0, +2, so CRP(w, R) = -2, and nCRP(worst='reversed') = -1 /
-2 = 1/2.

Cut at 3 ranks instead of 1,000, the reversed list has the curve -2, -2, 0, so mu = 0, nu = -2, and
nCRP(norm='range') would be (2 * -1 - 0 + 2) / (0 + 2) = 0. At 1,000 ranks it begins with
non-relevant documents, -2 and -1 at ranks 1 and 2, and ends with b at rank 999 and a at rank 1,000:
nu = -3, mu = -3 + 997 + 999 = 1993, nCRP(norm='range') = (-2 - 1993 + 3) / (1993 + 3) = -1992 /
1996. The curve of c a b is never positive: CRPRecovery(balance='last') = 0.

A run of c alone is filled up with a non-relevant document: RP -2, -1, so CRP is -3 and nCRP is 1,
the worst.

It is sensitive to the distance of a document from its place, not only the order of pairs.
Moving a document within the interval of its grade changes nothing; moving it ten ranks out costs
ten times as much as moving it one rank out. Documents below rank R do not affect nCRP, nor CRP
without a cutoff; they decide CRPRecovery.

How to read the file beside the paper:

    GT(v, j)             (1)      the grade of a hit, by its level; 0 if there is none
    RS(i, rel)           (2)      ranks of a grade in the ideal list: first and last
    min_i, max_i         (3)      `first` and `last` of `ideal`
    RP(v, j)             (4)      `rp` of `crp_curve`
    CRP(v, j)            (5)      `crp` of `crp_curve`, and the measure `crp` at one rank
    R                    fig. 1   `relevant`, (n_topics,)
    CRP(r, R), CRP(w, R) fig. 1   `crp`, `worst`
    b_r, rho             sec. 2   `crp_balance`, `crp_recovery`

RW, the weights of the grades, is defined there and used in none of the five equations: only the
order of the grades counts here, and whether they are above 0."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from irpref.kernel import (
    MISSED,
    RETRIEVED,
    Floats,
    Ints,
    JudgedRun,
    Terms,
    Topic,
    ratio,
)
from irpref.measures.declare import CUTOFF, KernelMeasure, Param, register
from irpref.measures.relative_position import (
    Curve,
    crp_curve,
    ideal,
    reversed_ideal,
    worst,
    worst_reversed,
)


def crp(run: JudgedRun, *, cutoff: int | None, judged_only: bool) -> Floats:
    """Compute CRP of each topic: shape (n_topics,), 0 for an ideal ranking, mostly negative, higher
    is better.

    Returns
    -------
    array (n_topics,)
        0 too if nothing is relevant.
    """
    view = run.view(None, judged_only, negative=True)
    curve, r = crp_curve(view), ideal(run.pool).relevant
    # Beyond the end of the filled-up list the curve stays where it is. If nothing is relevant
    # nothing can be misplaced.
    return np.where(
        r > 0, curve.crp[curve.row(r if cutoff is None else np.full(r.size, cutoff))], 0.0
    )


def _loss(run: JudgedRun, kind: str, judged_only: bool) -> Floats:
    if kind == "bound":
        return worst(run.pool)
    return worst_reversed(run.view(None, judged_only, negative=True))


DEPTH = 1000  # ranks of the lists of MATTERS


def shown(run: JudgedRun, n: Ints) -> JudgedRun:
    """Select the first n documents of each topic: n is (n_topics,)."""
    # A view has one cutoff for all topics; if R exceeds the depth nothing is cut below R.
    # Documents without a judgment count, too: they push negative grades down.
    if not (run.n_retrieved > n).any():
        return run
    keep = run.rank <= run.hits.spread(n)
    return run.select(keep, np.minimum(run.n_retrieved, n))


def _curve_range(run: JudgedRun, n: Ints) -> tuple[Floats, Floats]:
    """Find the highest and the lowest value of the curve of the reversed ideal list of n ranks:
    (n_topics,) each.

    In its upper half no document is too low, in its lower half none is too high: the curve falls,
    then rises. It is highest at one of its ends.
    """
    length = np.maximum(run.n_retrieved, n)
    plus, minus = reversed_ideal(run, length, n, n)
    at_first, below = reversed_ideal(run, length, n, np.minimum(n, 1))
    return np.maximum(at_first + below, plus + minus), minus


def n_crp_range(run: JudgedRun, judged_only: bool) -> Floats:
    """Compute (2 CRP(R) - mu - nu) / (mu - nu) of each topic, as MATTERS has it: shape (n_topics,),
    higher is better; 0 if nothing is relevant.
    """
    r = ideal(run.pool).relevant
    n = np.maximum(DEPTH, r)
    view = shown(run.view(None, judged_only, negative=True), n)
    curve = crp_curve(view, DEPTH)
    value = np.where(r > 0, curve.crp[curve.row(r)], 0.0)
    high, low = _curve_range(view, n)
    return np.where(r > 0, ratio(2 * value - high - low, high - low), 0.0)


def n_crp(run: JudgedRun, *, norm: str, worst: str, judged_only: bool) -> Floats:
    """Compute CRP(R) / CRP(w, R) of each topic: shape (n_topics,), 0 ideal, 1 nothing relevant in
    the top R.

    The curve at R as a share of its worst case, so that topics of different R may be averaged.
    With `norm='range'` as `n_crp_range`.
    """
    if norm == "range":
        return n_crp_range(run, judged_only)
    loss = _loss(run, worst, judged_only)
    value = crp(run, cutoff=None, judged_only=judged_only)
    # 0 divided by the loss, which is negative, would be -0.0.
    return np.divide(value, loss, out=np.zeros_like(loss), where=(loss < 0) & (value != 0))


def crp_balance(run: JudgedRun) -> Ints:
    """Find the balance point, min {j >= R: CRP(j) >= 0}: shape (n_topics,), 0 if there is none.

    The rank b at which early misplacements are made good. Looked for from R on: before it, grades
    can lift the curve above 0 in a ranking that is not ideal."""
    curve, r = crp_curve(run), ideal(run.pool).relevant
    balance = curve.ranks.first((curve.crp[:-1] >= 0) & (curve.rank[:-1] >= curve.ranks.spread(r)))
    return np.where(r > 0, curve.rank[balance], 0)


def last_before_positive(curve: Curve) -> Ints:
    """Find the last rank before CRP is first positive: shape (n_topics,), 0 if it never is."""
    rank: Ints = curve.rank[curve.ranks.first(curve.crp[:-1] > 0)]
    return np.maximum(rank - 1, 0)


def recovery_of_toolkit(curve: Curve, r: Ints) -> Floats:
    """Compute R / max(R, b'), the recovery value of MATTERS: shape (n_topics,)."""
    last = last_before_positive(curve)
    # The curve is 0 all along, so nothing was to be made good.
    still = curve.ranks.count(curve.rp[:-1] != 0) == 0
    return np.where(last > 0, r / np.maximum(np.maximum(r, last), 1), still * 1.0)


def crp_recovery(run: JudgedRun, *, balance: str, cutoff: int | None, judged_only: bool) -> Floats:
    """Compute the recovery value R / b of each topic: shape (n_topics,), in [0, 1], higher is
    better.

    Returns
    -------
    array (n_topics,)
        1 if the curve is at 0 or above already at R. With `balance='last'` as
        `recovery_of_toolkit`, in lists of 1,000 documents.
    """
    view, r = run.view(None, judged_only, negative=True), ideal(run.pool).relevant
    if balance == "first":
        return ratio(r, crp_balance(view.at(cutoff)))
    view = shown(view, np.maximum(DEPTH, r)).at(cutoff)
    any_relevant = view.relevant(None).hits.lengths > 0
    return np.where(any_relevant, recovery_of_toolkit(crp_curve(view, DEPTH), r), 0.0)


def crp_terms(
    run: JudgedRun,
    *,
    cutoff: int | None = None,
    judged_only: bool,
    share: Floats | None = None,
    depth: int | None = None,
) -> Terms:
    """Compute RP of the documents above the rank that CRP is read at: shape (n_judged,) and by
    rank.

    RP of each document down to the rank that is asked for, times `share` of its topic, 1 if None.
    The parts are judged documents, documents without a judgment (a function of rank, since there
    may be many), and the ranks that fill a short list up (`rest`).

    In the example of the module c adds -2 and a +1; b is ranked below rank R = 2 and adds nothing.
    """
    view = run.view(None, judged_only, negative=True)
    r = ideal(run.pool).relevant
    if depth is not None:
        view = shown(view, np.maximum(depth, r))
    curve = crp_curve(view, depth)
    rank = np.where(r > 0, np.minimum(r if cutoff is None else cutoff, curve.end), 0)
    factor = np.ones(r.size) if share is None else share
    rp = curve.rp[curve.hit] * 1.0

    def rp_at(topic: Ints, at: Ints) -> Floats:
        row = curve.row(at, topic)
        return np.where(curve.rank[row] == at, curve.rp[row], 0.0)

    def unjudged(topic: Ints, at: Ints) -> Floats:
        return np.where(at <= rank[topic], rp_at(topic, at), 0.0) * factor[topic]

    return Terms(
        view.on_pool(
            np.where(view.rank <= view.hits.spread(rank), rp, 0.0) * view.hits.spread(factor), 0.0
        ),
        unjudged=None if judged_only else unjudged,
        # The ranks that fill a short list up belong to no document.
        rest=(curve.crp[curve.row(rank)] - curve.crp[curve.row(np.minimum(rank, view.n_retrieved))])
        * factor,
        columns={
            **({"place": view.on_pool(view.rank * 1.0)} if judged_only else {}),
            "rp": view.on_pool(rp),
            "crp": view.on_pool(curve.crp[curve.hit] * 1.0),
        },
        unjudged_columns={}
        if judged_only
        else {"rp": rp_at, "crp": lambda topic, at: curve.crp[curve.row(at, topic)] * 1.0},
        steps={
            "adds": f"rp * ({'place' if judged_only else 'rank'} <= "
            + ("R)" if cutoff is None else "cutoff) * (R > 0)")
        },
        numbers={"R": r},
    )


def n_crp_terms(run: JudgedRun, *, norm: str, worst: str, judged_only: bool) -> Terms:
    """Divide the terms of CRP, as in `crp_terms`, by the worst case, which is negative: documents
    that are too high add.

    In the example of the module c adds 2/3 and a takes away 1/3. With `norm='range'` each is
    divided by (mu - nu) / 2, and the rest belongs to no document.
    """
    if norm == "range":
        return _range_terms(run, judged_only)
    loss = _loss(run, worst, judged_only)
    share = np.divide(1.0, loss, out=np.zeros_like(loss), where=loss < 0)
    terms = crp_terms(run, judged_only=judged_only, share=share)
    return _with_divisor(terms, "w", w=np.where(loss < 0, loss, 0.0))


def _with_divisor(terms: Terms, divisor: str, **numbers: Floats) -> Terms:
    """Divide the terms of CRP by a number of the topic."""
    steps = {"adds": f"{terms.steps['adds']} / {divisor}"}
    return replace(terms, steps=steps, numbers={**terms.numbers, **numbers})


def _range_terms(run: JudgedRun, judged_only: bool) -> Terms:
    r = ideal(run.pool).relevant
    n = np.maximum(DEPTH, r)
    view = shown(run.view(None, judged_only, negative=True), n)
    high, low = _curve_range(view, n)
    share = ratio(np.full(r.size, 2.0), high - low)
    terms = crp_terms(run, judged_only=judged_only, share=share, depth=DEPTH)
    assert terms.rest is not None
    rest = terms.rest - np.where(r > 0, ratio(high + low, high - low), 0.0)
    return _with_divisor(replace(terms, rest=rest), "((mu - nu) / 2)", mu=high, nu=low)


def position_reasons(topic: Topic) -> None:
    """Say how far each document is from where the ideal list has its grade."""
    rp = topic.columns["rp"]
    relevant = int((topic.pool_grade > 0).sum())
    last = topic.arguments.get("cutoff") or relevant

    def words(i: int) -> str:
        off = int(abs(rp[i]))
        if off == 0:
            where = "where the ideal list has its grade"
        else:
            ideal = int(topic.place[i] - rp[i])
            where = f"{off} rank{'s' * (off > 1)} too " + (
                f"high, the ideal list has its grade from rank {ideal}"
                if rp[i] < 0
                else f"low, the ideal list has its grade to rank {ideal}"
            )
        if topic.place[i] > last:
            return where + f"; below rank {last}, where CRP is read" * (off > 0)
        return where + ("; no judgment: non-relevant" if np.isnan(topic.grade[i]) else "")

    topic.say((topic.kind == RETRIEVED) & ~np.isnan(rp) & (relevant > 0), words)
    topic.say(topic.kind == MISSED, "not retrieved: others are in its ideal place")


JUDGED_ONLY = Param(
    bool,
    "drop documents without a judgment and rank again; a negative grade is a judgment here",
    default=False,
)


class _Displacement(KernelMeasure):
    """The common part of CRP, nCRP and CRPRecovery.

    Columns
    -------
    rp : ranks between it and the place of its grade in the ideal list, negative if it is ranked too
        high
    crp : sum of rp down to its rank
    place : its rank among the judged documents
    R : relevant documents that were judged
    w : CRP(w, R), the worst case
    mu : highest value of the curve of the reversed ideal list
    nu : lowest value of that curve

    Worked example
    --------------
    crp-recovery
    """

    NEGATIVE_GRADES = True


class _CRP(_Displacement, kernel=crp, terms=crp_terms, reasons=position_reasons):
    r"""Net displacement of the documents down to rank R, against the ideal list: the paper's loss
    value.

    CRP grows with the square of R, so average `nCRP` over topics instead.

    Name
    ----
    Cumulated Relative Position

    Question
    --------
    By how many ranks are documents away from their place in the ideal list?

    Use
    ---
    You want to see, as a curve for one topic, at which ranks a ranking departs from the ideal one.

    Pitfalls
    --------
    The value grows with the square of R, so never average it over topics; use `nCRP`. A better list
    can have a lower value: grades 1 1 2 in this order give +1, but 1 2 1, with the best document
    moved up, gives 0.

    Range
    -----
    from -R(R+1)/2; 0 is ideal; positive values are possible

    Empty ranking
    -------------
    -R(R+1)/2, or nearer to 0 with a cutoff below R

    Formula
    -------
    \mathrm{CRP}(j) = \sum_{i = 1}^{j} \mathrm{RP}(i), \quad \mathrm{RP}(i) = \min(i -
    \mathrm{first}_i, 0) + \max(i -
    \mathrm{last}_i, 0)

    Symbols
    -------
    \mathrm{RP}(i) : relative position of the document at rank i: by how many ranks it is too high
        (negative) or too low
    \mathrm{first}_i : first rank that the ideal list has for documents of its grade
    \mathrm{last}_i : last rank that the ideal list has for documents of its grade
    j : rank at which CRP is read: R, the number of relevant documents, or the cutoff

    Parameters
    ----------
    cutoff : rank at which the curve is read (default: R)

    Negative grades
    ---------------
    its values fall with the depth of the run, far below -R(R+1)/2

    Source
    ------
    Angelini et al., IIR 2013, eq. (5), CEUR-WS 964 paper 9 [angelini2013crp]
    """

    BOUNDS = (-math.inf, math.inf)  # the worst case depends on R
    VARIANTS = ({}, {"cutoff": 7}, {"cutoff": 40, "judged_only": True})
    CUTOFF_ENDS_LIST = False
    SUPPORTED_PARAMS = {"cutoff": Param(int, minimum=1), "judged_only": JUDGED_ONLY}


class _nCRP(_Displacement, kernel=n_crp, terms=n_crp_terms, reasons=position_reasons):
    r"""CRP at R as a share of its worst case: 0 for an ideal ranking, 1 if nothing relevant is in
    the top R.

    Name
    ----
    normalised CRP

    Question
    --------
    What share of the worst possible displacement does the ranking have down to rank R?

    Use
    ---
    You want the mean distance from the ideal order over topics.

    Pitfalls
    --------
    Lower is better. Values can be below 0 with several relevant grades; with negative grades there
    are no bounds. With `worst='reversed'`, a run with few non-relevant documents can exceed 1. A
    better list can have a worse value: grades 1 1 2 in this order give -1/6, but 1 2 1, with the
    best document moved up, gives 0.

    Range
    -----
    0 (ideal) to 1; below 0 with several relevant grades; no bounds with negative grades

    Empty ranking
    -------------
    1 (-1 with `norm='range'`), and 0 if nothing is relevant

    Formula
    -------
    \mathrm{nCRP} = \frac{\mathrm{CRP}(r, R)}{\mathrm{CRP}(w, R)}, \quad \mathrm{CRP}(w, R) =
    -\frac{R (R + 1)}{2}

    Symbols
    -------
    \mathrm{CRP}(r, R) : CRP of the run at rank R, see `CRP`
    \mathrm{CRP}(w, R) : its worst case: nothing relevant in the top R
    R : relevant documents that were judged

    Parameters
    ----------
    norm : divide by the worst case, or map CRP to the range of the reversed ideal list's curve, as
        MATTERS does; higher is then better
    worst : worst case that CRP is divided by: nothing relevant in the top R, or the ideal list
        reversed; has no effect with `norm='range'`

    Negative grades
    ---------------
    its values have no bounds and grow with the depth of the run, so their mean means little

    Source
    ------
    after Angelini et al., IIR 2013, figure 1: CRP(r, R) and CRP(w, R) [angelini2013crp]
    """

    BOUNDS = (-math.inf, math.inf)  # 0 to 1 for binary judgments
    DEFAULT = 1.0
    higher_is_better = False
    VARIANTS = ({}, {"judged_only": True}, {"worst": "reversed"}, {"norm": "range"})
    SUPPORTED_PARAMS = {
        "norm": Param(str, default="worst", choices=("worst", "range")),
        "worst": Param(str, default="bound", choices=("bound", "reversed")),
        "judged_only": JUDGED_ONLY,
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.higher_is_better = self["norm"] == "range"  # MATTERS'


class _CRPRecovery(_Displacement, kernel=crp_recovery):
    r"""R over the rank at which the CRP curve comes back to 0: 1 for an ideal ranking, 0 if it
    never does.

    Name
    ----
    CRP recovery value

    Question
    --------
    How soon does the ranking make up for early mistakes?

    Use
    ---
    Rankings are deep, and you want to know how soon early mistakes are made good.

    Pitfalls
    --------
    It is not monotone, and needs deep rankings: a list that ends early never recovers.

    Formula
    -------
    \rho = \frac{R}{b_r}, \quad b_r = \min \{ j \ge R : \mathrm{CRP}(j) \ge 0 \}

    Symbols
    -------
    R : relevant documents that were judged
    b_r : balance point: the first rank from R on at which CRP is not negative; if there is none,
        the value is 0
    \mathrm{CRP}(j) : CRP of the run at rank j, see `CRP`

    Parameters
    ----------
    balance : 'first', as in the paper: the first rank from R on at which the curve is at least 0;
        'last', as in MATTERS: the last rank before the curve is first positive

    Negative grades
    ---------------
    one such document near the top can keep the curve from coming back to 0, so that the value is 0

    Instead
    -------
    CRP, from whose curve it is read

    Source
    ------
    Angelini et al., IIR 2013, section 2 (rho), CEUR-WS 964 paper 9 [angelini2013crp]
    """

    VARIANTS = ({}, {"judged_only": True}, {"cutoff": 20}, {"balance": "last"})
    SUPPORTED_PARAMS = {
        "balance": Param(str, default="first", choices=("first", "last")),
        "cutoff": CUTOFF,
        "judged_only": JUDGED_ONLY,
    }


CRP = register(_CRP())
nCRP = register(_nCRP())
CRPRecovery = register(_CRPRecovery())
