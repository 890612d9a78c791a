"""rpref and n-pref: preferences between judged documents, weighted by how far their grades are
apart. 1 is best.

    rpref = 1/R * sum_k rho_k * (1 - 1/den_k * sum_{l above k, rho_l < rho_k} (rho_k - rho_l) /
    rho_k)

rho    grade on the scale [0, 1]: gain of the grade / max_rel, clipped
R      sum of rho over the judged documents      N   sum of (1 - rho)
den_k  absolute: N   relative: judged documents ranked above k   relative2: the same and k itself

n-pref is rpref after rho has been cut into n partitions of equal width: partition i = min(n - 1,
floor(n rho)) represents the value i / (n - 1). With n = 2 it is bpref with the denominator N; with
larger n it approaches rpref. If your thresholds are not equally spaced, pass the values of the
grades to rpref as `gains`.

J. De Beer and M.-F. Moens, Rpref: a generalization of bpref towards graded relevance judgments,
SIGIR 2006, 637-638, doi:10.1145/1148170.1148293, equation (1) and sections 2.4, 2.5 and 3.

Left open there, decided here:

- a judged document that was not retrieved adds nothing (`unretrieved='zero'`, as for bpref); read
  literally, it stays in the sum with every retrieved less relevant document above it
  (`'infinity'`), which gives a run of one relevant document the value 1;
- nothing judged retrieved, or nothing relevant in the pool: 0 in every reading;
- no judged document of a lower grade (N = 0): nothing can be misplaced, so the factor is 1;
- 0/0 for the highest judged document (relative norm): the penalty is 0, so that a perfect ranking
  has the value 1;
- the authors' "case for omitting the highest ranked document": `top='drop'` takes it out of the sum
  and of R (not if nothing would be left), `top='zero'` out of the sum only, as NTCIREVAL does;
- den_k of the relative norm: the words, "the number of preference pairs for D_k", suggest the
  documents of a lower grade, and the formula has lost its letters in every copy that we have. We
  take the documents ranked above, because the text has 0/0 for the highest ranked document, and
  NTCIREVAL divides by their number;
- the boundary of two partitions belongs to the upper one, as in their figure 1; partitions are
  computed in exact arithmetic, because 100 * 0.29 is 28.999999999999996 in floating point;
- a positive gain below 1e-250 of max_rel is refused: products with it could underflow.

Equalities: with only the grades 0 and max_rel, rpref (absolute) is bpref with the denominator
N, which trec_eval 10 calls `prefs_simp` on such qrels; n-pref with n = k max_rel + 1 partitions is
rpref for whole grades; the relative norms do not depend on max_rel, since it cancels.

Where tools differ: NTCIREVAL prints rpref_N (ours, absolute) and rpref_relative (ours with
`top='zero'`, with which an ideal list scores less than 1); its `gcompute` takes each topic's
highest grade for the top of the scale; ours is one for the whole collection, or N would mean
something else in each topic.

How it is computed: grades enter as ratios of whole numbers wherever they are whole, all in the unit
of the topic's best document, so that fractions that are equal have equal bits
(`irpref.measures.scale`). The differences above each document are counted by
`irpref.kernel.inversions`, once for all norms and readings.

Limits of precision: a document keeps 1 - penalty_k of its weight, to 16 digits of the whole. In the
relative norm that is 0 if all documents above are worth less than 1e-16 of it: values are exact to
1e-16, but not to the last digit.

By hand: grades a 2, b 1, c 0, d 0 with max_rel 2, ranking c a b d. The grades are rho = 1, 1/2, 0,
0, so R = 3/2 and N = 0 + 1/2 + 1 + 1 = 5/2. c is above a, which costs 1, and above b, which costs
(1/2 - 0) / (1/2) = 1; a is above b, as it should be.

    absolute    (1 * (1 - 1 / (5/2)) + 1/2 * (1 - 1 / (5/2))) / (3/2) = (3/5 + 3/10) / (3/2) = 3/5
    relative    one judged document above a, two above b:   (1 * 0 + 1/2 * (1 - 1/2)) / (3/2) = 1/6
    relative2   the same with the document itself:          (1 * 1/2 + 1/2 * 2/3) / (3/2) = 5/9
    n = 2       a and b share the upper partition, N = 2:   (1/2 + 1/2) / 2 = 1/2
    n = 3       a partition for each grade:                 3/5, as rpref

If only c and a were retrieved, b would add nothing with `unretrieved='zero'`: (3/5) / (3/2) = 2/5.
With `'infinity'` it is ranked below both and loses as much as above, and the value stays 3/5.

When 1, when 0: 1 if every judged document with a gain was retrieved and none of a lower grade is
ranked above it; 0 if no document with a gain was retrieved, or if each one lost its whole weight.
Unjudged documents may be anywhere: without a cutoff they change no value.

In the absolute norm, the value of this ranking changes with `max_rel`, because N does: it is 2/3 on
a scale up to 3, and 9/13 on one up to 4. Values in the relative norms do not change.

Figure 1 of the paper prints grades and rankings of three tools, but their scores only as a plot.
From the rankings:

                                           T1      T2      T3
    absolute                            0.848   0.703   0.144   T1: no mistake, 6.7 of R = 7.9
    absolute, unretrieved='infinity'    0.994   0.900   0.392
    relative                            0.848   0.675   0.068
    relative, n = 2                     1.000   0.673   0.018   A and B of the figure
    relative, n = 4                     0.875   0.651   0.046   A1, A2, B1 and B2

It is sensitive to the judged non-relevant documents. If there are few, N is small and one
misplaced document costs a lot. In the absolute norm, a mistake costs the same at every rank. The
relative norms look at the share of the judged documents above that is less relevant, so a mistake
at the top costs more.

How to read the file beside the paper: `scale` makes rho, N and R; `misplaced` is the inner sum;
`summands` has the summands of the outer sum, for every norm and reading; `rpref` adds up and
divides by R; `rpref_terms` hands the same summands to `explain`, one a document. Its symbols are
these variables:

    S           judged documents: rows of the pool, (n_judged,); those retrieved are the hits,
                (n_hits,)
    tau_k       `place` of a hit and 1, counted among judged documents; infinity for the rows that
                are no hit
    c           `cutoff`: documents below rank c of the whole list are no hits
    rho_k       `grades.value[level] / grades.top`; documents of one grade share
                a level, so it is kept by level
    R, N        `grades.r / grades.top` and `grades.n / grades.top`, (n_topics,)
    inner sum   `above / grades.value[level]`: the division by rho_k comes with that by den_k
    den_k       `den` is rho_k times N; in the relative norms rho_k alone, times a number of
                documents
    1 / R       a division by `size`, at the end
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.kernel import (
    Floats,
    Gains,
    Grades,
    Ints,
    JudgedRun,
    Segments,
    Terms,
    ratio,
    shared,
)
from irpref.kernel.inversions import inversions
from irpref.kernel.reasons import MISSED, REST, Topic, names, say_preferences
from irpref.measures.declare import COUNTED_GAINS, CUTOFF, KernelMeasure, Need, Param, register
from irpref.measures.scale import Scale, scale


def misplaced(
    view: JudgedRun, grades: Scale, positive: JudgedRun | None = None, weighted: bool = True
) -> Floats:
    """Add up the differences of each hit from the retrieved judged documents with a lower value
    above it: (n_hits,).

    If `weighted` is false, count them. `positive`, the documents of the view with a value above 0,
    restricts the result to these: nothing is lower than 0.

    The inner sum of equation (1) before it is divided by rho_k and den_k; as numbers, the
    misplaced pairs. rho_k is the same in all summands of the inner sum, so it is taken
    out of it. Differences of grades are left; if grades are whole their sum is exact, in
    whatever order they are added."""
    hits, zeros = (view, None) if positive is None else (positive, view.others_above(positive))
    return inversions(
        hits.hits, hits.level, view.pool.levels, grades.value, grades.step, weighted, zeros
    )


def misplaced_pairs(view: JudgedRun, grades: Scale, unretrieved: str) -> Ints:
    """Count the pairs of judged documents that are in the wrong order: (n_topics,).

    With 'infinity', documents that were not retrieved are ranked below all retrieved ones, and
    pairs with them count; in no order among themselves."""
    pairs = view.hits.total(misplaced(view, grades, weighted=False))
    if unretrieved == "infinity":
        levels = view.pool.levels
        retrieved = np.bincount(view.level, minlength=grades.value.size)
        missed = view.pool.level_size - retrieved
        pairs = pairs + levels.total(missed * _of_lower_steps(levels, grades.step, retrieved * 1.0))
    return pairs.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """rpref as a sum: of `hits` and `missed`, divided by `size`; all in the unit of the topic's
    best document.
    """

    grades: Scale
    view: JudgedRun  # judged documents within the cutoff
    positive: JudgedRun  # those of them with rho_k > 0, which alone can add something
    hits: Floats  # (n_hits of positive,)
    missed: Floats | None  # (n_judged,), None if unretrieved documents add nothing
    size: Floats  # (n_topics,)
    loss: Floats  # (n_hits of positive,) differences to less relevant documents above
    penalty: Floats  # (n_hits of positive,)
    missed_loss: Floats | None  # (n_judged,)
    missed_penalty: Floats | None  # (n_judged,)
    left_out: Ints  # of positive, the documents that `top` takes out of the sum


def summands(
    run: JudgedRun,
    *,
    norm: str,
    unretrieved: str,
    top: str,
    max_rel: float,
    gains: Gains,
    cutoff: int | None,
    n: int | None = None,
) -> _Parts:
    """Compute the amount that each document adds, before it is divided.

    One summand is rho_k (1 - penalty_k), with the penalty of equation (1):

        penalty_k = 1/den_k * sum_{l above k, rho_l < rho_k} (rho_k - rho_l) / rho_k

    No penalty is above 1: a summand of the inner sum, 1 - rho_l / rho_k, is at most 1 - rho_l, and
    these add up to N; in the relative norms the sum has no more summands than den_k counts, each at
    most 1.

    Parameters
    ----------
    norm
        den of equation (1): 'absolute' N, 'relative' the judged documents above, 'relative2' these
        and itself.
    unretrieved
        'zero' or 'infinity': whether a judged document that was not retrieved adds nothing, or is
        ranked below all.
    top
        'keep', 'drop' or 'zero': whether the highest judged document is in the sum and in R.
    max_rel
        Top of the scale, which is 1; higher gains count as it.
    gains
        Pairs of grade and gain; None, or a grade not named: the grade itself.
    cutoff
        Documents looked at from the top; None for all. The pool is never cut.
    n
        Partitions of n-pref, None for rpref.
    """
    pool = run.pool
    grades = scale(pool, gains, max_rel, n)
    # Only judged documents are in the formula, and only those with rho_k > 0 in the outer sum. The
    # cutoff comes first: it counts ranks of the list as it is.
    view = run.at(cutoff).at_least(0)
    positive = view.of_levels(grades.value > 0)
    hits, level = positive.hits, positive.level
    # The inner sum, (n_positive,): the differences above each document serve every norm.
    above = view.memo((misplaced, grades), lambda: misplaced(view, grades, positive))
    den, weight, size = _divisors(pool, grades, norm)
    # N and the differences are in units of the top of the scale, so the top is put back into the
    # fraction. The other norms (section 2.4) divide by a number of documents: the judged ones
    # above, or these and itself. Of the highest there are none above, and the sum is 0, too (0/0 in
    # section 2.5): by 1.
    if norm == "absolute":
        penalty = above * grades.top / den.take(level)
    else:
        place = view.others_above(positive) + hits.position
        penalty = above / (den.take(level) * np.maximum(place + (norm == "relative2") * 1.0, 1.0))
    # rho_k (1 - penalty_k), (n_positive,).
    summand = weight.take(level) * (1 - penalty)

    # "A case for omitting the highest ranked document" (section 2.5): the first hit of each topic,
    # if rho_k > 0.
    first = np.zeros(0, np.int64)
    if top != "keep":
        first = np.flatnonzero(view.others_above(positive) + hits.position == 0)
        topics = hits.topic[first]
        if top == "drop":
            # Summed without the document, not subtracted: it may be all that the other sum is made
            # of in a double.
            others = pool.level_size.astype(np.float64)
            others[level[first]] -= 1
            without = pool.levels.total(grades.value * others)[topics]
            left = without > 0
            first, topics, size = first[left], topics[left], size.copy()
            size[topics] = without[left] / grades.unit[topics]
        summand[first] = 0.0

    missed = missed_loss = missed_penalty = None
    if unretrieved == "infinity":
        losses, penalties = _penalty_of_missed(view, grades, den, norm)
        missed_loss, missed_penalty = losses[pool.level], penalties[pool.level]
        # If no judged document was retrieved nothing was ordered: the topic has the value 0.
        ordered = pool.judged.spread((view.hits.lengths > 0) * 1.0)
        # Documents below the cutoff are missed, too.
        missed = np.where(view.missed(), weight[pool.level], 0.0) * (1 - missed_penalty) * ordered
    return _Parts(
        grades,
        view,
        positive,
        summand,
        missed,
        size,
        above,
        penalty,
        missed_loss,
        missed_penalty,
        first,
    )


@shared
def _divisors(pool: Grades, grades: Scale, norm: str) -> tuple[Floats, Floats, Floats]:
    """Compute den_k and rho_k, (n_levels,) each, and R: the last two in the unit of the topic's
    best document, which cancels.
    """
    # Grades enter as ratios of whole numbers wherever they are whole, so equal fractions give equal
    # bits: binary rpref is bpref, k * max_rel + 1 partitions are rpref, relative norms ignore
    # max_rel.
    den = grades.value * (pool.levels.spread(grades.n) if norm == "absolute" else 1.0)
    # rho_k = 0 has no weight, N = 0 nothing below: the difference is 0, and may be divided by
    # anything.
    den = np.where(den > 0, den, 1.0)
    return den, grades.value / pool.levels.spread(grades.unit), grades.r / grades.unit


def _penalty_of_missed(
    view: JudgedRun, grades: Scale, den: Floats, norm: str
) -> tuple[Floats, Floats]:
    """Compute differences and penalty of a judged document that was not retrieved, by level:
    (n_levels,) each.

    It is ranked below every retrieved one, so its penalty depends on its grade alone. Over the
    retrieved documents l of a lower grade, sum (rho_k - rho_l) = their number * rho_k - sum rho_l.
    Those that were not retrieved either are not in it: infinity is not below infinity."""
    levels = view.pool.levels
    counts = np.bincount(view.level, minlength=grades.value.size).astype(np.float64)
    lower, lower_total = (
        _of_lower_steps(levels, grades.step, c) for c in (counts, counts * grades.value)
    )
    differences = lower * grades.value - lower_total
    if norm == "absolute":
        return differences, differences * grades.top / den
    n_above = levels.spread(view.hits.lengths) + (norm == "relative2")
    return differences, differences / (den * np.maximum(n_above, 1.0))


def _of_lower_steps(levels: Segments, step: Ints, values: Floats) -> Floats:
    """Sum the values of the levels with a lower step, in each topic: (n_levels,) to (n_levels,).

    With it the unretrieved documents are placed below all retrieved ones without looking at pairs:
    the number of less relevant ones, and the sum of their grades, is all that their penalty
    needs."""
    base = Segments.of_lengths(levels.lengths)
    at = levels.spread(base.starts) + step  # steps are no more than levels
    of_step = np.bincount(at, weights=values, minlength=base.size) if at.size else np.zeros(0)
    return (base.running(of_step) - of_step)[at]


def rpref(run: JudgedRun, **parameters: Any) -> Floats:
    """Compute rpref (or n-pref) of each topic: shape (n_topics,), in [0, 1], higher is better.

    Equation (1), with the parameters of `summands`; with `n` it is n-pref of section 3, which has
    no kernel of its own.

    Returns
    -------
    array (n_topics,)
        0 if nothing is relevant, and if nothing judged was retrieved.
    """
    parts = summands(run, **parameters)
    value = parts.positive.hits.total(parts.hits)
    # Two sums, by rank and by row of the pool: the order in which doubles are added stays the same.
    if parts.missed is not None:
        value = value + run.pool.judged.total(parts.missed)
    # A perfect ranking of graded documents may add up to 1 + 2e-16.
    return np.clip(ratio(value, parts.size), 0.0, 1.0)


def rpref_terms(run: JudgedRun, **parameters: Any) -> Terms:
    """Compute the contribution of each judged document: shape (n_judged,). `penalty` is the share
    of its weight it loses.

    They add up to the value. Parameters as for `rpref`. The example of the module, ranking c a b d,
    absolute:

        document   rho    loss   penalty   adds
        c          0      0      -         0
        a          1      1      2/5       1 * 3/5 / (3/2) = 2/5
        b          1/2    1/2    2/5       1/2 * 3/5 / (3/2) = 1/5
        d          0      0      -         0
    """
    parts = summands(run, **parameters)
    pool, grades, norm = run.pool, parts.grades, parameters["norm"]
    positive, value = parts.positive, grades.value[pool.level]
    judged = positive.on_pool(parts.hits, 0.0)
    loss, penalty = positive.on_pool(parts.loss), positive.on_pool(parts.penalty)
    above = parts.view.on_pool(parts.view.hits.position * 1.0)
    if parts.missed is not None and parts.missed_loss is not None:
        assert parts.missed_penalty is not None
        judged = judged + parts.missed
        # If nothing judged was retrieved, nothing was ordered, and nothing adds anything.
        retrieved = pool.judged.spread(parts.view.hits.lengths)
        missed = parts.view.missed() & (retrieved > 0)
        loss = np.where(missed, parts.missed_loss, loss)
        penalty = np.where(missed, parts.missed_penalty, penalty)
        above = np.where(missed, retrieved, above)
    judged = ratio(judged, pool.judged.spread(parts.size))
    penalty[positive.row[parts.left_out]] = np.nan
    columns = {
        "rho": np.where(pool.grade >= 0, value / grades.top, np.nan),
        "loss": np.where(value > 0, loss / grades.top, np.nan),
        "above": above,
        # A document of value 0 has no weight to lose.
        "penalty": np.where(value > 0, penalty, np.nan),
    }
    numbers = {"R": parts.size * grades.unit / grades.top, "N": grades.n / grades.top}
    if norm == "absolute":
        del columns["above"]
    den = {"absolute": "N", "relative": "max(1, above)", "relative2": "(above + 1)"}[norm]
    return Terms(
        judged,
        columns=columns,
        counts=value > 0,
        steps={"penalty": f"loss / (rho * {den})", "adds": "rho * (1 - penalty) / R"},
        numbers=numbers,
    )


def preference_reasons(topic: Topic) -> None:
    """Say which documents are ranked above or below each one against the preference."""
    relevance = topic.columns["rho"]
    ranked = say_preferences(topic, relevance, topic.columns["penalty"])
    left_out = topic.arguments["top"]
    if (
        left_out != "keep"
        and ranked.size
        and topic.contribution[ranked[0]] == 0 < relevance[ranked[0]]
    ):
        reason = f"highest ranked judged document, not in the sum (top={left_out!r})"
        topic.why[int(ranked[0])] = "; ".join([reason, *topic.why[int(ranked[0])].split("; ")[1:]])
    if topic.arguments["unretrieved"] == "infinity":
        for i in np.flatnonzero((topic.kind != REST) & ~topic.inside & (relevance > 0)).tolist():
            above = ranked[relevance[ranked] < relevance[i]]
            what = "not retrieved" if topic.kind[i] == MISSED else "below the cutoff"
            topic.why[i] = f"{what}, so below all that was" + (
                f", less relevant {names(topic.doc, above)} included: "
                f"loses {100 * topic.columns['penalty'][i]:.1f}% of its weight"
                if above.size
                else ": nothing less relevant above, full weight"
            )
            if not ranked.size:
                topic.why[i] = f"{what}, and nothing judged was: adds nothing"


class _GradedPreference(KernelMeasure, kernel=rpref, terms=rpref_terms, reasons=preference_reasons):
    """The common part of RPref and NPref.

    Columns
    -------
    rho : grade on the scale from 0 to 1
    loss : sum of the differences in rho to the less relevant judged documents ranked above it
    above : judged documents ranked above it
    penalty : share of its weight that it loses to them
    R : sum of rho over the judged documents
    N : sum of 1 - rho over them

    Worked example
    --------------
    rpref-figure-1
    """

    NEEDS: tuple[Need, ...] = ("scale", "nonrelevant")
    SUPPORTED_PARAMS = {
        "norm": Param(str, default="absolute", choices=("absolute", "relative", "relative2")),
        "unretrieved": Param(str, default="zero", choices=("zero", "infinity")),
        "top": Param(str, default="keep", choices=("keep", "drop", "zero")),
        "max_rel": Param((int, float), above=0),
        "gains": COUNTED_GAINS,
        "cutoff": CUTOFF,
    }


class _RPref(_GradedPreference):
    r"""Share of the preferences between judged documents that the ranking keeps, weighted by
    grades.

    bpref for graded relevance: every judged document loses weight for each less relevant document
    ranked above it, in proportion to how much less relevant it is. Documents without a judgment (or
    with a negative grade) do not count. Grades may be fractions.

    Name
    ----
    rpref

    Question
    --------
    How well does the ranking keep the graded preferences between judged documents?

    Use
    ---
    You have graded, incomplete judgments with some documents judged non-relevant, and the whole
    ranking matters. Use `norm='relative2'`: of the norms, it did best in our study of missing
    judgments, and it does not depend on the top of the scale.

    Pitfalls
    --------
    Without `max_rel`, the top of the scale is the highest grade of your judgments. Without judged
    non-relevant documents, it tells you little more than recall. With `unretrieved='infinity'`, a
    run gains by retrieving few judged documents. No norm is fair to systems that were not pooled.

    Formula
    -------
    \mathrm{rpref} = \frac{1}{R} \sum_{k} \rho_k \left(1 - \frac{1}{\mathrm{den}_k}
    \sum_{l \text{ above } k,\, \rho_l < \rho_k} \frac{\rho_k - \rho_l}{\rho_k}\right)

    Symbols
    -------
    \rho_k : grade of document k on the scale from 0 to 1: its gain over `max_rel`, at most 1
    k : a judged document that was retrieved
    l : a judged document ranked above k
    R : sum of rho over the judged documents
    \mathrm{den}_k : with norm absolute: N, the sum of 1 - rho over the judged documents;
        relative: the judged documents ranked above k; relative2: these and k

    Parameters
    ----------
    norm : what a document's penalty is divided by: N, the number of judged documents above it, or
        this number + 1
    unretrieved : judged documents that were not retrieved: they add nothing, or are ranked below
        all retrieved ones
    top : the highest ranked judged document: in the sum, out of it and of R, or out of the sum only
    max_rel : top of the grade scale; higher grades count as this one (default: highest grade of the
        qrels, with a warning)

    Source
    ------
    De Beer & Moens, SIGIR 2006, eq. (1), doi:10.1145/1148170.1148293 [debeer2006rpref]
    """

    VARIANTS = (
        {"max_rel": 3},
        {"norm": "relative", "unretrieved": "infinity"},
        {"norm": "relative2", "top": "drop", "cutoff": 7},
        {"top": "zero", "unretrieved": "infinity", "gains": {3: 7.5}},
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["norm"] != "absolute":  # the top of the scale cancels
            self.NEEDS = ("nonrelevant",)


class _NPref(_GradedPreference):
    r"""rpref after the grade scale has been cut into n partitions: bpref for n = 2, close to rpref
    for large n.

    Name
    ----
    n-pref

    Question
    --------
    How well does the ranking keep preferences if only n levels of relevance are distinguished?

    Use
    ---
    You want to know how much the finer levels of a scale matter: compare n = 2 with n = number of
    levels.

    Pitfalls
    --------
    If n does not match the scale, two neighbouring grades can share a partition while the next two
    do not.

    Formula
    -------
    \mathrm{npref} = \frac{1}{R} \sum_{k} \rho_k \left(1 - \frac{1}{\mathrm{den}_k}
    \sum_{l \text{ above } k,\, \rho_l < \rho_k} \frac{\rho_k - \rho_l}{\rho_k}\right),
    \quad \rho_k = \frac{\min(n - 1, \lfloor n g_k / g_{\max} \rfloor)}{n - 1}

    Symbols
    -------
    \rho_k : value of the partition of document k, from 0 to 1
    n : number of partitions
    g_k : gain of document k
    g_{\max} : top of the scale, `max_rel`
    l : a judged document ranked above k
    R : sum of rho over the judged documents
    \mathrm{den}_k : with norm absolute: N, the sum of 1 - rho over the judged documents;
        relative: the judged documents ranked above k; relative2: these and k

    Parameters
    ----------
    n : number of partitions of the grade scale

    Source
    ------
    De Beer & Moens, SIGIR 2006, section 3, doi:10.1145/1148170.1148293 [debeer2006rpref]
    """

    VARIANTS = (
        {"max_rel": 3, "n": 5},
        {"n": 2, "norm": "relative"},
        {"n": 100, "unretrieved": "infinity", "cutoff": 7},
    )
    SUPPORTED_PARAMS = {
        "n": Param(int, required=True, minimum=2),
        **_RPref.SUPPORTED_PARAMS,
    }


RPref = register(_RPref())
NPref = register(_NPref())
