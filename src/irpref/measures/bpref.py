"""bpref and its variants: judged non-relevant documents above relevant ones. 1 is best.

    bpref = 1/R * sum over retrieved relevant r of (1 - min(a_r, cap) / den)

The fraction is 0 if a_r = 0.

a_r   judged non-relevant documents ranked above r
R, N  relevant and judged non-relevant documents in the pool; Nret: those of N that were retrieved

    norm     cap     den
    min      R       min(R, N)        trec_eval 8 and later, ir_measures' Bpref
    R        R       R                Buckley & Voorhees 2004 as printed
    N        N       N                De Beer & Moens 2006, equation (2)
    10       R + 10  R + 10           bpref-10 as printed
    10min    R + 10  min(R + 10, N)   trec_eval 8's bpref_top10pRnonrel
    old      R       min(R, Nret)     trec_eval before 8.0: counts retrieved documents only, a bug
    relative         a_r + b_r        De Beer & Moens 2006, section 2.4: judged documents above r
    relative2        a_r + b_r + 1    the same and r itself, as NTCIREVAL has it

b_r   relevant documents ranked above r

`top` is for the highest ranked judged document, which has nothing above it (section 2.5). If it is
relevant, 'drop' leaves it out of the sum and of R, unless it is the only one, and 'zero' leaves it
out of the sum only. The norms N, relative and relative2 are `RPref` of binary grades, with any
`top`.

C. Buckley and E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004, 25-32,
doi:10.1145/1008992.1009000; trec_eval's file `bpref_bug` (8 November 2005) for the correction. J.
De Beer and M.-F. Moens, Rpref, SIGIR 2006, 637-638, doi:10.1145/1148170.1148293.

`unretrieved` is for relevant documents that were not retrieved. With 'zero' they add nothing, as in
trec_eval. Equation (2) of De Beer and Moens, read literally, keeps them in the sum, below every
judged non-relevant document that was retrieved ('infinity'): a run of one relevant document then
has the value 1, and a run without judged documents 0. `RPref` has both readings, too.

Decided here, as in trec_eval: without judged non-relevant documents, every retrieved relevant one
adds 1; no relevant document gives 0; a document with a negative grade counts as unjudged.

By hand: a and b relevant, x, y and z judged non-relevant, ranking x a y b. R = 2, N = 3, Nret = 2;
one non-relevant document is ranked above a, two above b.

    min, R, old   1/2 * ((1 - 1/2) + (1 - 2/2)) = 1/4
    N, 10min      1/2 * ((1 - 1/3) + (1 - 2/3)) = 1/2
    10            1/2 * ((1 - 1/12) + (1 - 2/12)) = 7/8

The ranking x a leaves b and y out. With `norm='N'`, b adds nothing or is ranked below x:

    zero          1/2 * (1 - 1/3) = 1/3
    infinity      1/2 * ((1 - 1/3) + (1 - 1/3)) = 2/3

When 1, when 0: 1 if all relevant documents were retrieved and no judged non-relevant one is ranked
above any (a b x y z). x y a b has 0 with `min`, as two non-relevant documents already cost all;
with `N` it has 1/3. The larger the denominator, the less one misplaced document costs, and the more
misplaced documents make a difference.

It is sensitive only to the order of the judged documents, so unjudged documents change it
less than AP. In return, it does not see how deep the judged documents are ranked. With few relevant
documents `min` and `R` are coarse: if R = 1, the value is 0 or 1. The forms with 10 are finer
there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irpref.kernel import (
    REST,
    Floats,
    Holes,
    Ints,
    JudgedRun,
    Terms,
    Topic,
    ratio,
    say_preferences,
    shared,
)
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, Param, register


@dataclass(frozen=True, slots=True, eq=False)
class _Above:
    """The retrieved relevant documents, and the judged non-relevant ones above each."""

    relevant: JudgedRun  # the former
    number: Floats  # (n_relevant,) non-relevant above
    r: Ints  # (n_topics,)
    n: Ints  # (n_topics,)
    n_retrieved: Ints  # (n_topics,) non-relevant retrieved


@shared
def above(view: JudgedRun, rel: float) -> _Above:
    """Count above the relevant documents of a run, which is cut already; the pool never is.

    Parameters
    ----------
    rel
        Least grade that counts as relevant. Lower grades from 0 on are judged non-relevant.

    Every form of bpref is made of these counts, which are kept for the next one.
    """
    # Documents without a judgment, among them those of negative grade, play no part.
    judged = view.at_least(0)
    relevant = judged.at_least(rel)
    r = view.pool.count_relevant(rel)
    n = view.pool.count_relevant(0) - r
    n_retrieved = judged.hits.lengths - relevant.hits.lengths
    return _Above(relevant, judged.others_above(relevant), r, n, n_retrieved)


def bounds(r: Ints, n: Ints, n_retrieved: Ints, norm: str) -> tuple[Ints, Ints]:
    """Compute cap and den by the numbers of relevant and of other judged documents, and of the
    latter retrieved.

    The table of the module, a row a norm. `den` may be 0: then there is nothing to be misplaced.
    """
    cap = {"N": n, "10": r + 10, "10min": r + 10}.get(norm, r)
    den = {
        "min": np.minimum(r, n),
        "10min": np.minimum(r + 10, n),
        "old": np.minimum(r, n_retrieved),
    }.get(norm, cap)
    return cap, den


def bpref(
    run: JudgedRun, *, norm: str, rel: float, top: str, unretrieved: str, cutoff: int | None
) -> Floats:
    """Compute bpref of each topic: shape (n_topics,), in [0, 1], higher is better; parameters as in
    the declaration.

    0 if nothing is relevant, or nothing relevant was retrieved; with `unretrieved='infinity'`, if
    nothing judged was retrieved.
    """
    counts = above(run.at(cutoff), rel)
    summand, size = _summands(counts, norm, top)
    total = counts.relevant.hits.total(summand)
    if unretrieved == "infinity":
        total = total + _missed(counts, norm) * (counts.r - counts.relevant.hits.lengths)
    # Summed in rank order, then divided, as trec_eval does: equal to the last bit of a double.
    return ratio(total, size)


def _summands(counts: _Above, norm: str, top: str) -> tuple[Floats, Ints]:
    """Compute 1 - min(a_r, cap) / den of each retrieved relevant document, (n_relevant,), and R."""
    relevant = counts.relevant
    place = counts.number + relevant.hits.position  # judged documents above
    if norm in ("relative", "relative2"):
        summand = 1 - counts.number / np.maximum(place + (norm == "relative2"), 1.0)
    else:
        cap, den = (
            relevant.hits.spread(bound)
            for bound in bounds(counts.r, counts.n, counts.n_retrieved, norm)
        )
        # A denominator of 0 means that no judged non-relevant document can be above.
        summand = 1 - np.minimum(counts.number, cap) / np.maximum(den, 1)
    size = counts.r
    if top != "keep":
        first = np.flatnonzero(place == 0)
        if top == "drop":
            first = first[counts.r[relevant.hits.topic[first]] > 1]
            size = size.copy()
            size[relevant.hits.topic[first]] -= 1
        summand[first] = 0.0
    return summand, size


def _missed(counts: _Above, norm: str) -> Floats:
    """Compute 1 - min(a_r, cap) / den of a relevant document below all that was retrieved: shape
    (n_topics,).

    0 if nothing judged was retrieved: nothing was ordered.
    """
    number = counts.n_retrieved
    retrieved = number + counts.relevant.hits.lengths
    if norm in ("relative", "relative2"):
        lost = number / np.maximum(retrieved + (norm == "relative2"), 1.0)
    else:
        cap, den = bounds(counts.r, counts.n, number, norm)
        lost = np.minimum(number, cap) / np.maximum(den, 1)
    return np.where(retrieved > 0, 1 - lost, 0.0)


def bpref_terms(
    run: JudgedRun, *, norm: str, rel: float, top: str, unretrieved: str, cutoff: int | None
) -> Terms:
    """Compute the contribution of each judged document, (n_judged,). `lost`: judged non-relevant
    documents above it.
    """
    counts = above(run.at(cutoff), rel)
    summand, size = _summands(counts, norm, top)
    relevant, pool = counts.relevant, run.pool
    retrieved = counts.n_retrieved + relevant.hits.lengths
    adds = relevant.on_pool(ratio(summand, relevant.hits.spread(size)), 0.0)
    lost = relevant.on_pool(counts.number)
    place = relevant.on_pool(counts.number + relevant.hits.position)
    if unretrieved == "infinity":
        missed = run.at(cutoff).missed() & (pool.grade >= rel)
        adds = np.where(missed, pool.judged.spread(ratio(_missed(counts, norm), size)), adds)
        # If nothing judged was retrieved, nothing was ordered, and nothing adds anything.
        missed &= pool.judged.spread(retrieved) > 0
        lost = np.where(missed, pool.judged.spread(counts.n_retrieved), lost)
        place = np.where(missed, pool.judged.spread(retrieved), place)
    columns = {"lost": lost}
    if top != "keep":
        lost[(place == 0) & (adds == 0)] = np.nan  # taken out of the sum
    numbers = {"R": counts.r, "N": counts.n, "Nret": counts.n_retrieved, "size": size}
    if norm in ("relative", "relative2"):
        columns["above"] = place
    divisor = "size" if top == "drop" else "R"
    return Terms(
        adds, columns=columns, steps={"adds": f"(1 - {_LOST[norm]}) / {divisor}"}, numbers=numbers
    )


# min(a_r, cap) / den, as `bounds` has them.
_LOST = {
    "min": "min(lost, R) / max(1, min(R, N))",
    "R": "min(lost, R) / R",
    "N": "lost / max(1, N)",
    "10": "min(lost, R + 10) / (R + 10)",
    "10min": "min(lost, R + 10) / max(1, min(R + 10, N))",
    "old": "min(lost, R) / max(1, min(R, Nret))",
    "relative": "lost / max(1, above)",
    "relative2": "lost / (above + 1)",
}


def bpref_reasons(topic: Topic) -> None:
    """Say which non-relevant documents are ranked above each relevant one."""
    rel = topic.arguments["rel"]
    relevance = np.where(topic.grade >= rel, 1.0, np.where(topic.grade >= 0, 0.0, np.nan))
    r = max(int((topic.pool_grade >= rel).sum()), 1)
    ranked = say_preferences(topic, relevance, 1 - topic.contribution * r)
    if topic.arguments["unretrieved"] == "infinity" and ranked.size:

        def words(i: int) -> str:
            n = topic.columns["lost"][i]
            documents = "document" if n == 1 else "documents"
            return f"not retrieved, so below all that was: {n:g} judged non-relevant {documents}"

        topic.say((topic.kind != REST) & ~topic.inside & (topic.grade >= rel), words)


class _BprefVariant(KernelMeasure, kernel=bpref, terms=bpref_terms, reasons=bpref_reasons):
    r"""The forms of bpref in the literature and in tools; without parameters, ir_measures' `Bpref`.

    `BprefR`, `BprefN` and `Bpref10` are names for `norm='R'`, `'N'` and `'10'`.

    Name
    ----
    bpref (variants)

    Question
    --------
    How often are judged non-relevant documents ranked above relevant ones?

    Use
    ---
    You have binary, incomplete judgments with some documents judged non-relevant.

    Pitfalls
    --------
    The norms differ most if few documents were judged non-relevant, and a paper that says only
    'bpref' may mean any of them. Without judged non-relevant documents, every variant is recall.

    Formula
    -------
    \mathrm{bpref} = \frac{1}{R} \sum_{r\ \mathrm{retrieved}} \left(1 - \frac{\min(a_r,
    \mathrm{cap})}{\mathrm{den}}\right)

    Symbols
    -------
    r : a relevant document that was retrieved
    a_r : judged non-relevant documents ranked above r
    R : relevant documents that were judged
    \mathrm{cap} : R; with norm N: the number N of judged non-relevant documents; with 10 and
        10min: R + 10; relative norms have none
    \mathrm{den} : min(R, N) with norm min; R with R; N with N; R + 10 with 10; min(R + 10, N) with
        10min; min(R, those of N that were retrieved) with old; the judged documents above r with
        relative; these and r with relative2

    Parameters
    ----------
    norm : cap and denominator of the penalty
    top : the highest judged document: in the sum, out of it and of R, or out of the sum only
    unretrieved : relevant documents that were not retrieved: they add nothing, or are ranked below
        all retrieved ones

    Columns
    -------
    lost : judged non-relevant documents ranked above it
    above : judged documents ranked above it
    R : relevant documents that were judged
    N : judged non-relevant documents
    Nret : judged non-relevant documents that were retrieved
    size : R without the highest ranked document

    Worked example
    --------------
    bpref-lecture

    Source
    ------
    Buckley & Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; trec_eval m_bpref.c
    [buckley2004bpref]
    """

    HOLES = Holes(binary=True)
    NEEDS = ("nonrelevant",)
    VARIANTS = (
        {},
        *(
            {"norm": norm, "rel": 2, "cutoff": 7}
            for norm in ("R", "N", "10", "10min", "old", "relative")
        ),
        {"norm": "relative2", "top": "zero"},
        {"top": "drop"},
        {"norm": "N", "unretrieved": "infinity", "cutoff": 7},
        {"norm": "relative", "unretrieved": "infinity"},
    )
    SUPPORTED_PARAMS = {
        "norm": Param(
            str,
            default="min",
            choices=("min", "R", "N", "10", "10min", "old", "relative", "relative2"),
        ),
        "rel": REL,
        "top": Param(str, default="keep", choices=("keep", "drop", "zero")),
        "unretrieved": Param(str, default="zero", choices=("zero", "infinity")),
        "cutoff": CUTOFF,
    }


BprefVariant = register(_BprefVariant())
BprefR = register(BprefVariant(norm="R"), name="BprefR")
BprefN = register(BprefVariant(norm="N"), name="BprefN")
Bpref10 = register(BprefVariant(norm="10"), name="Bpref10")
