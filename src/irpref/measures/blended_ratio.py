"""Q-, R-, O-, P- and P+-measure: precision and cumulated gain blended into one ratio. 1 is best.

    BR(r) = (beta cg(r) + count(r)) / (beta cgI(r) + r)

    Q  = 1/R * sum over relevant ranks of BR            Q@l divides by min(l, R)
    R-measure = BR(R), if the list is shorter too
    O  = BR(r_1)
    P  = BR(r_p)
    P+ = mean of BR over the relevant ranks up to r_p

cg, cgI   gain cumulated by the ranking, and by the ideal list of all relevant documents
count(r)  relevant documents in the top r            R  relevant documents in the pool
r_1       rank of the first relevant document
r_p       rank of the best retrieved one: highest grade, then rank
relevant  gain > 0
rel(r)    1 if the document at rank r is relevant, else 0

T. Sakai, Give me just one highly relevant document: P-measure, SIGIR 2006, 695-696,
doi:10.1145/1148170.1148322 (Q, O, P and P+, beta = 1; its section 4 names R-measure, which is of
the author's earlier work with Q); beta as in NTCIREVAL: 0 gives AP, R-precision, RR and precision
at r_p.

Why there are five: the paper looks for a measure for users who want one good document. RR ignores
grades. O uses them, but its user stops at the first relevant document, however good it is. In
figure 1 a topic has three relevant documents, of gains 3, 2 and 1. System X has gain 1 at rank 1
and gain 3 at rank 2, system Y only gain 3 at rank 2, and O prefers Y:

    O(X) = (1 + 1) / (3 + 1) = 1/2              O(Y) = (3 + 1) / (5 + 2) = 4/7
    P(X) = (4 + 2) / (5 + 2) = 6/7              P(Y) = 4/7

P's user goes on to the best document in the list, so P prefers X. Documents above r_p then count
only by their gain, so P and R-measure are 1 even for the ideal list upside down. P+ (section 4) is
the mean over the ranks down to r_p, 31/42 for this list.

The paper finds (table 1, NTCIR-5 Chinese) that Q tells 51.6% of the pairs of runs apart with 95%
confidence, AP 45.5%, P 39.2%, O 34.2% and RR 28.7%. A measure that looks at fewer documents needs
more topics, above all with a cutoff.

P and P+ can fall when a document moves up: with gains 0 1 3 1 2 0 0 3 down the list, moving the
first 3 from rank 3 to rank 2 moves r_p, too, and P falls from 6/11 to 1/2. Q and O never fall in
this way.

Left open there, decided here:

- nothing relevant in the pool or retrieved: 0;
- a document is relevant if it has a gain above 0: a grade whose gain is set to 0 does not count;
- r_p is found by grade, not by gain: if two grades have one gain, the higher grade is still
  preferred;
- R-measure, like P, is 1 for every order of the R relevant documents at the top;
- the ideal list is never cut: a cutoff l changes only what is retrieved and, for Q, the divisor
  min(l, R);
- unjudged documents and grades of 0 or below have no gain; `judged_only` drops them before ranks
  are counted.

Equalities: beta = 0 leaves count(r) / r, so Q is AP, R-measure is R-precision, O is the
reciprocal rank, P is precision at r_p. Binary Q is AP if nothing relevant is below rank R, and
larger otherwise; binary R-measure is R-precision. With one positive grade P and P+ are O.

Where tools differ: NTCIREVAL takes relevance by grade in the counts and by gain in the sums (Q of
our example `gains-zero-level` is 0.7232 here, 0.5714 there, 0.6548 in pyNTCIREVAL); both leave
topics without a relevant document out of the mean, or fail on them, as pyNTCIREVAL does on an empty
list. ir_measures' AP@l divides by R, so Q(beta=0)@l is not AP@l if l < R.

By hand: grades a 3, b 1, x 0, beta 1, ranking x b a. R = 2, the ideal list a b cumulates 3, 4, 4.

    BR(2) = (1 + 1) / (4 + 2) = 1/3       BR(3) = (4 + 2) / (4 + 3) = 6/7
    Q = (1/3 + 6/7) / 2 = 25/42    R-measure = BR(2) = 1/3    O = BR(2) = 1/3    P = BR(3) = 6/7
    P+ = (1/3 + 6/7) / 2 = 25/42   Q with beta = 0: (1/2 + 2/3) / 2 = 7/12, which is AP

The ranking b a x has a and b in the wrong order and shows how the five differ: BR(1) = 2/4 and
BR(2) = 6/6. O is 1/2, since it sees only the first; P and R-measure are 1, since they do not see
the mistake; Q and P+ are the mean, 3/4.

When 1, when 0: all are 1 for the ideal order of all relevant documents. Q is 1 for no other
ranking; for O, P and P+ a document of the best grade at rank 1 is enough. All are 0 if nothing
relevant was retrieved; R-measure is also 0 if nothing relevant is in the top R.

When to use which: Q if users want all relevant documents; P and P+ if they want one highly relevant
document; O if any relevant one will do, the sooner the better. With a large beta grades count more,
with a small one ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import (
    Bools,
    Floats,
    Gains,
    Grades,
    Ints,
    JudgedRun,
    OneDocument,
    Parts,
    Segments,
    Sum,
    Topic,
    WeightedSum,
    Working,
    shared,
)
from irpref.measures.declare import (
    COUNTED_GAINS,
    CUTOFF,
    GAINS,
    JUDGED_ONLY,
    KernelMeasure,
    Param,
    register,
)


@shared
def ideal_gain(pool: Grades, gains: Gains) -> tuple[Segments, Floats]:
    """Find the rows of the ideal list by topic, and the gain cumulated down to each.

    cgI of the definition: all documents of the pool with a gain, by falling gain. It is never cut,
    and flat after R."""
    ideal, gain = pool.ideal(gains)
    return ideal, ideal.running(gain, pool.whole(gains))


@shared
def blended_ratio(run: JudgedRun, beta: float, gains: Gains) -> tuple[JudgedRun, Floats]:
    """Compute BR at each retrieved relevant document of the run.

    All five measures are read off these numbers: Q and P+ are means, O and P a single one.

    Parameters
    ----------
    run
        The view of the run that the measure is read off, cut and condensed already.
    beta
        Weight of the cumulated gain against the count; 0 leaves precision.
    gains
        Pairs of grade and gain; None, or a grade not named: the grade itself.

    Returns
    -------
    relevant, ratio
        The retrieved relevant documents, and (n_relevant,) ratios in (0, 1]: neither the gain nor
        the count exceeds that of the ideal list at any rank.
    """
    relevant, cg, ideal = cumulated(run, gains)
    return relevant, (beta * cg + relevant.hits.ordinal) / (beta * ideal + relevant.rank)


@shared
def cumulated(run: JudgedRun, gains: Gains) -> tuple[JudgedRun, Floats, Floats]:
    """Find the retrieved relevant documents, and cg and cgI at their ranks, (n_relevant,) each."""
    # Both are only needed at relevant documents.
    relevant = run.relevant(gains)
    hits, gain = relevant.hits, run.pool.level_gain(gains).take(relevant.level)
    ideal, upto = ideal_gain(run.pool, gains)
    # Flat after R.
    row = np.minimum(hits.spread(ideal.starts - 1) + relevant.rank, hits.spread(ideal.ends - 1))
    return relevant, hits.running(gain, run.pool.whole(gains)), upto.take(row)


def _preferred(relevant: JudgedRun) -> Ints:
    """Find r_p as a row of the retrieved relevant documents: the first of the highest grade; -1 if
    there is none.

    A later document of the same grade does not move it: users stop at the first.
    """
    # Levels are in order of falling grade: the smallest is the highest grade.
    return relevant.hits.first(
        relevant.level == relevant.hits.spread(relevant.hits.minimum(relevant.level))
    )


def _parts(
    view: JudgedRun,
    size: Floats | Ints,
    adds: str = "BR",
    chosen: Bools | bool = True,
    *,
    beta: float,
    gains: Gains,
    judged_only: bool,
    **numbers: Ints,
) -> Parts:
    """Divide blended ratios, of all relevant documents retrieved or of the `chosen` ones, by a
    number of the topic.

    A document that was not retrieved loses the amount that it would have added, and is nowhere
    subtracted. `adds` and `numbers` say how to do the sum by hand.
    """
    relevant, br = blended_ratio(view, beta, gains)

    def working() -> Working:
        steps, columns = ratio_by_hand(view, gains, judged_only)
        columns = {
            name: np.where(chosen, values, np.nan) for name, values in {**columns, "BR": br}.items()
        }
        return Working({"BR": steps, "adds": adds}, numbers, columns)

    return Parts(
        relevant, np.where(chosen, br, 0.0), size, working, gain=lambda: view.pool.gain(gains)
    )


def ratio_by_hand(
    view: JudgedRun, gains: Gains, judged_only: bool
) -> tuple[str, dict[str, Floats | Ints]]:
    """Tell how to compute a blended ratio, with the numbers of each relevant document retrieved.

    `place` is the rank in a list without unjudged documents."""
    relevant, cg, ideal = cumulated(view, gains)
    columns: dict[str, Floats | Ints]
    columns = {"cg": cg, "count": relevant.hits.ordinal, "cg_I": ideal}
    if judged_only:
        columns["place"] = relevant.rank
    return f"(beta * cg + count) / (beta * cg_I + {'place' if judged_only else 'rank'})", columns


@Sum
def q_measure(
    run: JudgedRun, *, beta: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Parts:
    """Divide each blended ratio by R, or by min(l, R) with a cutoff l: the ideal list has the value
    1 at every cutoff.

    Section 2 of the paper. Relevant documents that were not retrieved add nothing to the sum, and
    count in R."""
    r = run.pool.ideal(gains)[0].lengths
    return _parts(
        run.view(cutoff, judged_only),
        r if cutoff is None else np.minimum(r, cutoff),
        "BR / R" if cutoff is None else "BR / min(R, cutoff)",
        beta=beta,
        gains=gains,
        judged_only=judged_only,
        R=r,
    )


@Sum
def r_measure(run: JudgedRun, *, beta: float, gains: Gains, judged_only: bool) -> Parts:
    """Compute (beta gain + 1) / (beta cgI(R) + R) of each relevant document down to rank R.

    BR(R) is one fraction with one divisor, so it is a sum over documents. It needs no cutoff, since
    R is one; a list shorter than R is divided by R all the same."""
    relevant = run.view(None, judged_only).relevant(gains)
    ideal, upto = ideal_gain(run.pool, gains)
    # What is below rank R has no part in BR(R).
    relevant = relevant.select(relevant.rank <= relevant.hits.spread(ideal.lengths))
    best = ideal.last_value(upto)
    adds = beta * run.pool.level_gain(gains)[relevant.level] + 1.0
    size = np.where(ideal.lengths > 0, beta * best + ideal.lengths, 1.0)

    def working() -> Working:
        step = "counted * (beta * gain + 1) / (beta * cg_I + R)"
        return Working(
            {"adds": step}, {"R": ideal.lengths, "cg_I": best}, {"counted": np.ones(adds.size)}
        )

    return Parts(relevant, adds, size, working, gain=lambda: run.pool.gain(gains), most=1.0)


@Sum
def o_measure(
    run: JudgedRun, *, beta: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Parts:
    """Compute BR at the first relevant rank r_1, (beta g + 1) / (beta cgI(r_1) + r_1) with the gain
    g found there.

    A cutoff can only hide that document.
    """
    view = run.view(cutoff, judged_only)
    first = cumulated(view, gains)[0].hits.position == 0
    size = np.ones(run.n_topics)
    return _parts(view, size, "BR", first, beta=beta, gains=gains, judged_only=judged_only)


@Sum
def p_measure(
    run: JudgedRun, *, beta: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Parts:
    """Compute BR at r_p, the rank of the best document retrieved, which need not be the best of the
    pool.

    With a cutoff r_p is looked for above it, so that another document may be the best.
    """
    view = run.view(cutoff, judged_only)
    relevant = cumulated(view, gains)[0]
    best = relevant.hits.spread(_preferred(relevant))
    chosen, size = np.arange(best.size) == best, np.ones(run.n_topics)
    return _parts(view, size, "BR", chosen, beta=beta, gains=gains, judged_only=judged_only)


@Sum
def p_plus(
    run: JudgedRun, *, beta: float, gains: Gains, judged_only: bool, cutoff: int | None
) -> Parts:
    """Average BR over the relevant ranks down to r_p.

    So a document above the best one counts by how good it is there; if the best one is the first
    relevant document this is P and O."""
    view = run.view(cutoff, judged_only)
    relevant = cumulated(view, gains)[0]
    hits, best = relevant.hits, _preferred(relevant)
    number = np.where(best < 0, 0, best + 1 - hits.starts)
    chosen = hits.position < hits.spread(number)
    return _parts(
        view, number, "BR / n", chosen, beta=beta, gains=gains, judged_only=judged_only, n=number
    )


def blended_over_ties(
    run: JudgedRun, beta: float, gains: Gains, cutoff: int | None = None
) -> WeightedSum:
    """Declare the sum of the blended ratios of relevant documents, over R or min(l, R)."""
    pool = run.pool
    ideal, upto = ideal_gain(pool, gains)
    size = ideal.lengths if cutoff is None else np.minimum(ideal.lengths, cutoff)
    relevant = pool.gain(gains) > 0

    def weight(rank: Ints, topic: Ints) -> Floats:
        best = np.append(upto, 0.0)[np.minimum(ideal.starts[topic] + rank, ideal.ends[topic]) - 1]
        return 1 / (beta * best + rank)

    adds = beta * pool.level_gain(gains)[pool.level] + 1.0
    return WeightedSum(relevant * 1.0, size, weight, np.where(relevant, adds, 0.0))


def q_over_ties(
    run: JudgedRun, *, beta: float, gains: Gains, cutoff: int | None, **_: Any
) -> WeightedSum:
    """Declare the sum of the blended ratios of the relevant documents down to the cutoff."""
    return blended_over_ties(run, beta, gains, cutoff)


def o_over_ties(run: JudgedRun, *, beta: float, gains: Gains, **_: Any) -> OneDocument:
    """Declare that the blended ratio of the first relevant document counts, which nothing
    precedes.
    """
    ratios = blended_over_ties(run, beta, gains)
    return OneDocument(ratios.merit, ratios.weight)


def r_over_ties(run: JudgedRun, *, beta: float, gains: Gains, **_: Any) -> WeightedSum:
    """Declare the gain and the number of the documents down to rank R."""
    ratios, r = blended_over_ties(run, beta, gains), ideal_gain(run.pool, gains)[0].lengths
    at_r = ratios.weight(np.maximum(r, 1), np.arange(run.n_topics))
    size = np.where(r > 0, 1 / at_r, 0.0)
    return WeightedSum(ratios.merit, size, cutoff=r)


def q_reasons(topic: Topic) -> None:
    """Say which documents are relevant."""
    topic.say(topic.relevant_retrieved(), "relevant")


def r_reasons(topic: Topic) -> None:
    """Say which relevant documents are in the top R; the others have no part in the one ratio."""
    gains = dict(topic.arguments["gains"] or ())
    r = sum(grade > 0 and gains.get(grade, grade) > 0 for grade in topic.pool_grade.tolist())
    relevant = topic.relevant_retrieved()
    topic.say(relevant, f"below rank R = {r}: not counted")
    topic.say(relevant & (topic.place <= r), f"relevant, down to rank R = {r}")


def o_reasons(topic: Topic) -> None:
    """Say which relevant document is the first; O's user sees no other."""
    topic.say_first("its BR is the value")


def _best(topic: Topic, relevant: Bools) -> int:
    """Find the row of the document at r_p: of the highest grade, the first."""
    return int(np.argmax(np.where(relevant, topic.grade, -np.inf)))


def p_reasons(topic: Topic) -> None:
    """Say which document is the best one, at which P's user stops."""
    relevant = topic.relevant_retrieved()
    best = _best(topic, relevant)
    topic.say(
        relevant,
        lambda i: (
            "best document retrieved: its BR is the value"
            if i == best
            else f"not the best document retrieved, {topic.doc[best]}"
        ),
    )


def p_plus_reasons(topic: Topic) -> None:
    """Say which document is the best one, and which are above it."""
    relevant = topic.relevant_retrieved()
    best, row = _best(topic, relevant), np.arange(relevant.size)
    topic.say(relevant, f"below the best document, {topic.doc[best]}: not counted")
    topic.say(relevant & (row < best), "relevant, above the best document")
    topic.say(relevant & (row == best), "best document retrieved")


# Beyond 1e30 precision plays no part in any digit, and products with large gains would leave the
# range of a double.
BETA = Param(
    float,
    "weight of the cumulated gain; with 0 only precision is left",
    default=1.0,
    minimum=0,
    maximum=1e30,
)
_PARAMS = {"beta": BETA, "gains": COUNTED_GAINS, "judged_only": JUDGED_ONLY, "cutoff": CUTOFF}


class _Blended(KernelMeasure):
    r"""The common part of the measures.

    Symbols
    -------
    \mathrm{BR}(r) : blended ratio at rank r
    \mathrm{rel}(r) : 1 if the document at rank r is relevant (has a gain), else 0
    \mathrm{cg}(r) : gain that the ranking has cumulated down to rank r
    \mathrm{cg}_I(r) : gain that the ideal list of all relevant documents has cumulated there
    \mathrm{count}(r) : relevant documents down to rank r
    \beta : weight of the cumulated gain
    R : relevant documents that were judged
    r_1 : rank of the first relevant document
    r_p : rank of the best document retrieved: the highest grade, then the first rank

    Columns
    -------
    gain : gain of its grade
    cg : gain cumulated down to its rank
    count : relevant documents down to its rank
    cg_I : gain that the ideal list has cumulated there
    place : its rank among the judged documents
    BR : blended ratio at its rank
    R : relevant documents that were judged
    n : relevant documents down to the best one

    Worked example
    --------------
    p-measure-figure-1

    Source
    ------
    Sakai, SIGIR 2006, section 2, doi:10.1145/1148170.1148322 [sakai2006pmeasure]
    """

    SUPPORTED_PARAMS = _PARAMS


class _QMeasure(_Blended, kernel=q_measure, reasons=q_reasons, over_ties=q_over_ties):
    r"""Average precision for graded relevance: the mean of the blended ratio over all relevant
    documents.

    `judged_only=True` gives Q', the measure on the condensed list, which is never lower than Q.
    With a cutoff the sum is divided by min(cutoff, R). `beta=0` is AP. Doubling all gains is the
    same as doubling `beta`.

    Name
    ----
    Q-measure

    Question
    --------
    How early and how completely does the ranking have the relevant documents, the better ones
    first?

    Use
    ---
    You want all relevant documents, the better ones first, and judgments are fairly complete. If
    they are not, use `judged_only=True`.

    Pitfalls
    --------
    With a cutoff the sum is divided by min(cutoff, R), not by R as in ir_measures' `AP@k`.

    Formula
    -------
    Q = \frac{1}{R} \sum_{r} \mathrm{rel}(r)\, \mathrm{BR}(r), \quad \mathrm{BR}(r) = \frac{\beta\,
    \mathrm{cg}(r) +
    \mathrm{count}(r)}{\beta\, \mathrm{cg}_I(r) + r}
    """

    VARIANTS = (
        {},
        {"beta": 2.5, "cutoff": 7, "judged_only": True},
        {"gains": {3: 7.5}},
        {"beta": 0.0},
    )


class _RMeasure(_Blended, kernel=r_measure, reasons=r_reasons, over_ties=r_over_ties):
    r"""R-precision for graded relevance: the blended ratio at rank R.

    It is 1 for every order of the relevant documents at the top, even the ideal order reversed. If
    the order within the top R matters, use `QMeasure`.

    Name
    ----
    R-measure

    Question
    --------
    How good are the top R documents, if R are relevant?

    Use
    ---
    You want a graded R-precision: users look at exactly as many documents as are relevant.

    Pitfalls
    --------
    It ignores the order within the top R, and R differs from topic to topic.

    Formula
    -------
    \mathrm{RMeasure} = \mathrm{BR}(R), \quad \mathrm{BR}(r) = \frac{\beta\, \mathrm{cg}(r) +
    \mathrm{count}(r)}{\beta\, \mathrm{cg}_I(r) + r}

    Columns
    -------
    gain : gain of its grade
    counted : 1 for a relevant document down to rank R
    cg_I : gain that the ideal list has cumulated at rank R
    R : relevant documents that were judged

    Source
    ------
    T. Sakai, NTCIR-4 2004; named by Sakai, SIGIR 2006, section 4, doi:10.1145/1148170.1148322
    [sakai2006pmeasure]
    """

    VARIANTS = ({}, {"beta": 2.5, "judged_only": True}, {"gains": {3: 7.5}}, {"beta": 0.0})
    SUPPORTED_PARAMS = {"beta": BETA, "gains": GAINS, "judged_only": JUDGED_ONLY}


class _OMeasure(_Blended, kernel=o_measure, reasons=o_reasons, over_ties=o_over_ties):
    r"""Reciprocal rank for graded relevance: the blended ratio at the first relevant document.

    It is 1 if and only if a document of the topic's highest grade is ranked first. With one
    positive grade it equals RR down to rank R, and is larger below, since the ideal list gains
    nothing more there.

    Name
    ----
    O-measure

    Question
    --------
    How good, and how early, is the first relevant document?

    Use
    ---
    Any relevant document is enough, but a better one should count more.

    Pitfalls
    --------
    Only the first relevant document counts, however bad the next ones are, so you need many topics.

    Formula
    -------
    O = \mathrm{BR}(r_1), \quad \mathrm{BR}(r) = \frac{\beta\, \mathrm{cg}(r) +
    \mathrm{count}(r)}{\beta\, \mathrm{cg}_I(r) + r}
    """

    VARIANTS = ({}, {"beta": 2.5, "cutoff": 3, "judged_only": True})


class _PMeasure(_Blended, kernel=p_measure, reasons=p_reasons):
    r"""For one highly relevant document: the blended ratio at the rank of the best retrieved
    document.

    Its user can tell a good document from a fair one and reads on to the best in the list, as in a
    search for a known item. It is 1 even for some rankings that are not ideal, such as the ideal
    order reversed; `PPlus` is not.

    Name
    ----
    P-measure

    Question
    --------
    How soon does a user who wants the best document on offer find it?

    Use
    ---
    Users want one document, the best one.

    Pitfalls
    --------
    A better list can have a lower value: if the best document moves up, so does the rank at which
    the ratio is read (`p-measure-limits`). Grades 0 1 2 in this order give 5/6, but 0 2 1 gives
    3/5.

    Formula
    -------
    P = \mathrm{BR}(r_p), \quad \mathrm{BR}(r) = \frac{\beta\, \mathrm{cg}(r) +
    \mathrm{count}(r)}{\beta\, \mathrm{cg}_I(r) + r}
    """

    VARIANTS = ({}, {"beta": 2.5, "cutoff": 7, "judged_only": True})


class _PPlus(_Blended, kernel=p_plus, reasons=p_plus_reasons):
    r"""P-measure that also counts the relevant documents above the best one: the mean of their
    blended ratios.

    Like `OMeasure`, it is 1 if and only if a document of the topic's highest grade is ranked first,
    but a fair document above a good one costs only part of the value.

    Name
    ----
    P+-measure

    Question
    --------
    How good is the ranking down to the best retrieved document?

    Use
    ---
    Users want one good answer, and read what is above it.

    Pitfalls
    --------
    How much of the list counts depends on the rank of the best document, so a better list can have
    a lower value: grades 0 1 2 in this order give 37/60, but 0 2 1, with the best document moved
    up, gives 3/5.

    Formula
    -------
    P^{+} = \frac{1}{\mathrm{count}(r_p)} \sum_{r \le r_p} \mathrm{rel}(r)\, \mathrm{BR}(r), \quad
    \mathrm{BR}(r) =
    \frac{\beta\, \mathrm{cg}(r) + \mathrm{count}(r)}{\beta\, \mathrm{cg}_I(r) + r}

    Source
    ------
    Sakai, SIGIR 2006, section 4, doi:10.1145/1148170.1148322 [sakai2006pmeasure]
    """

    VARIANTS = ({}, {"gains": {3: 7.5}, "cutoff": 7, "judged_only": True})


QMeasure = register(_QMeasure())
RMeasure = register(_RMeasure())
OMeasure = register(_OMeasure())
PMeasure = register(_PMeasure())
PPlus = register(_PPlus())
