"""Preferences that a ranking fulfils: trec_eval's fourteen `prefs_` measures. 1 is best.

Judgments are on levels, a higher level being preferred, within three nested units:

    topic       has one or more groups, and one value
    group       preferences of one judge: they may not contradict each other, and preferences that
                follow from two others count
    subgroup    documents that the judge saw together: each is preferred to those on lower levels of
                the subgroup

Qrels with grades are one group of one subgroup in each topic, every grade a level.

A preference (a before b) is *fulfilled* if a is ranked above b. It counts in one of three readings:

    pairs       fulfilled                     possible                                trec_eval
    retrieved   both retrieved, a above b     both retrieved                          ..._ret
    implied     ... or only a retrieved       at least one retrieved                  ..._imp
    all         as implied                    every preference                        (no ending)

    by          value                                                                 trec_eval
    preference  fulfilled / possible, over all groups of the topic                    prefs_simp
    pair        mean over pairs of documents of (groups fulfilled / groups that
                prefer one of the two)                                                prefs_pair
    group       mean over the groups of the topic of fulfilled / possible             prefs_avgjg

With `nonrelevant='R'` (by group only; prefs_avgjg_Rnonrel) a group has as many non-relevant
documents as relevant ones, R; a document is relevant if its level is above 0. N non-relevant ones:

    R >= N   (fulfilled + (R - N) * relevant retrieved) / (possible + (R - N) * relevant)
    R < N    fulfilled / possible, with the R non-relevant documents that are ranked highest

Source: trec_eval 10.0 (https://github.com/usnistgov/trec_eval), form_prefs_counts.c and
m_prefs_*.c. If its own description differs from its code, the code is the definition. irpref
keeps some behaviour that you might not expect:

- documents with equal scores are ordered by *ascending* id; everywhere else, in trec_eval and here,
  by descending id;
- 0 / 0 is 0, for a topic without preferences and for a group without any (which still counts in the
  mean over groups); with `nonrelevant='R'` a group with 0 / 0 makes the whole topic 0;
- `nonrelevant='R'`, several levels in a group of one subgroup, R < N: the documents of the lowest
  level are compared with the first R of them as if they were preferred. Of these pairs, those with
  the first document retrieved and above the second are fulfilled; all N R of them are possible,
  each document with itself included;
- `nonrelevant='R'`, `pairs='retrieved'`: R and N count retrieved documents, but (R - N) is
  multiplied by *all* relevant documents in the denominator, and in a group of several subgroups the
  first non-relevant documents that stay are as many as all relevant ones;
- a cutoff is trec_eval's -M: documents below it count as not retrieved. There is no `judged_only`:
  documents without a preference play no part;
- a judgment that occurs twice in a group with one subgroup counts twice (with a warning);
- in a group of several subgroups a document has the level of the last of them, by name.

Left open there (the arrays are read beyond their end), decided here: negative levels are
non-relevant in a group of one subgroup, of which at most the documents of the lowest level stay; in
a group of several they are neither.

By hand: grades a 2, b 1, c 0, so three preferences: a before b, a before c, b before c. Unretrieved
documents are below all retrieved ones.

    ranking   retrieved      implied                  all
    a c       1 / 1          2 / 3                    2 / 3   a before b implied, b before c broken
    a         0 / 0 = 0      2 / 2 = 1                2 / 3   nothing says how b and c are ranked

NumPrefs is 3 for both rankings; NumPrefsFulfilled is 2, and 1 of `a c` with `pairs='retrieved'`.

Two judges, each a group: the first has the same three preferences, the second has b before a.
Ranking a b c:

    by          fulfilled of possible                                            value
    preference  3 of the first judge's, 0 of the second's: 3 of 4          3/4
    pair        a and b: 1 of 2 judges; a and c: 1 of 1; b and c: 1 of 1   (1/2 + 1 + 1) / 3 = 5/6
    group       3 of 3, and 0 of 1                                         (1 + 0) / 2 = 1/2

With `nonrelevant='R'`: grades a 2, b 1, c 0 have R = 2 and N = 1, so one non-relevant document is
missing. Ranking a c b fulfils 2 of 3 preferences, and the missing document is ranked below both
relevant ones: (2 + 2) / (3 + 2) = 4/5. Grades a 1, b 0, c 0 have R = 1 and N = 2. Ranking a b c
keeps b as the highest non-relevant document; a before b is fulfilled, 1 of 1, but the N R = 2 pairs
of the lowest level are possible, too, and none of them is fulfilled: 1/3, though nothing could be
ranked better.

When 1, when 0: `all` is 1 if every preference is fulfilled, so every document preferred to another
must be retrieved; with `retrieved`, two documents in the right order are enough. All are 0 if no
preference that counts is fulfilled.

When to use which: `all` to compare runs of different lengths. `retrieved` and `implied` leave out
the preferences that the run does not decide, so a short list can score 1. `by` chooses whether each
group, each pair of documents or each preference has the same weight.

How to read the file beside trec_eval's: `ranks_on_pool` gives each judged document its rank, by
rising id if scores are equal; `_ranked` counts by group as form_prefs_counts.c does;
`pref_share` computes from it as the m_prefs_*.c do, one `by` after the other; `names.toml` has all
fourteen names. The counting itself is in `irpref.kernel.fulfilled`: by group two numbers of
preferences fulfilled (both documents retrieved, only the higher one), two of preferences broken,
and the number of all. Each entry of the first table is one such count, or a sum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from ir_measures.measures.base import SumAgg

from irpref.errors import MeasureError
from irpref.kernel import (
    MISSED,
    REST,
    Floats,
    Ints,
    JudgedRun,
    Terms,
    Topic,
    names,
    ratio,
    shared,
)
from irpref.kernel import fulfilled as counting
from irpref.kernel.preference_pairs import NOT_RETRIEVED
from irpref.kernel.reasons import say_fulfilled
from irpref.measures.declare import CUTOFF, KernelMeasure, Param, register

PAIRS = ("all", "retrieved", "implied")


def ranks_on_pool(run: JudgedRun, rank: Ints, cutoff: int | None) -> Ints:
    """Put the ranks of the hits on the rows of the pool, NOT_RETRIEVED for all others: shape
    (n_judged,).

    NOT_RETRIEVED is higher than every rank, so "a is ranked above b" is one comparison of two
    numbers, whether b was retrieved or not. Of two documents that were not retrieved neither is
    above.

    Parameters
    ----------
    rank
        Rank of each hit, (n_hits,).
    cutoff
        Ranks beyond count as not retrieved.
    """
    out = np.full(run.pool.grade.size, NOT_RETRIEVED)
    out[run.row] = rank if cutoff is None else np.where(rank <= cutoff, rank, NOT_RETRIEVED)
    return out


@shared
def _ranked(run: JudgedRun, cutoff: int | None) -> counting.Ranked:
    """Count the preferences of the ranking, once for all readings of a cutoff."""
    rank = ranks_on_pool(run, run.rising, cutoff)
    return counting.ranked(run.pool.preferences, run.pool.judged, rank)


def pref_share(
    run: JudgedRun, *, pairs: str, by: str, nonrelevant: str, cutoff: int | None
) -> Floats:
    """Compute the share of the preferences fulfilled, of each topic: shape (n_topics,), in [0, 1],
    higher is better.

    Returns
    -------
    array (n_topics,)
        0 if no preference is possible.

    Numbers of preferences are whole and added exactly, in any order. Shares are not: they are added
    group after group, or pair after pair from the top of the ranking, as trec_eval does, so that
    the last digit is the same."""
    groups = run.pool.preferences.groups
    view = _ranked(run, cutoff)
    if by == "pair":
        return counting.by_pair(view, pairs)
    # One fraction a topic: a group with many preferences weighs more than one with few.
    if by == "preference":
        return ratio(
            groups.total_whole(view.fulfilled(pairs)), groups.total_whole(view.possible(pairs))
        )
    # One fraction a group, (n_groups,), and their mean: every judge weighs alike.
    if nonrelevant == "R":
        fulfilled, possible = counting.as_many_nonrelevant(view, pairs)
        # trec_eval divides 0 by 0 here, and the topic is lost: see the list of the module.
        undefined = groups.count(possible == 0) > 0
    else:
        fulfilled, possible = view.fulfilled(pairs), view.possible(pairs)
        undefined = np.zeros(groups.n, bool)
    # Group after group in the order of their names, as trec_eval adds.
    value = groups.total(ratio(fulfilled, possible)) / np.maximum(groups.lengths, 1)
    return np.where(undefined, 0.0, value)


def n_prefs(run: JudgedRun) -> Floats:
    """Count the preferences of each topic: shape (n_topics,).

    A property of the judgments: the run does not matter. A document on a level is preferred to all
    on lower levels of its subgroup: 2, 3 and 5 documents on three levels are 2 * 3 + 2 * 5 + 3 * 5
    = 31 preferences."""
    preferences = run.pool.preferences
    return preferences.groups.total_whole(preferences.number())


def n_prefs_fulfilled(run: JudgedRun, *, pairs: str, cutoff: int | None) -> Floats:
    """Count the preferences fulfilled, of each topic: shape (n_topics,)."""
    return run.pool.preferences.groups.total_whole(_ranked(run, cutoff).fulfilled(pairs))


def _terms(
    run: JudgedRun,
    adds: Floats,
    kept: Floats,
    broken: Floats,
    rest: Floats | None = None,
    step: str = "",
    **numbers: Floats | Ints,
) -> Terms:
    """Return the summands with their parts: numbers of preferences, NaN if a document was not
    retrieved.

    `adds`, `kept` and `broken` are (n_judged,), `rest` is (n_topics,): what belongs to no document.
    `step` and `numbers` say how to do the sum by hand; the step may use `share`, each document's
    contribution times `size`, if a number of this name is given.
    """
    retrieved = ~run.missed()
    columns = {
        "correct": np.where(retrieved, kept, np.nan),
        "wrong": np.where(retrieved, broken, np.nan),
    }
    if "size" in numbers:
        columns["share"] = np.where(
            retrieved, adds * run.pool.judged.spread(numbers["size"] * 1.0), np.nan
        )
    return Terms(
        adds,
        rest=rest,
        columns=columns,
        counts=run.pool.wins() > 0,
        steps={"adds": step} if step else {},
        numbers=numbers,
    )


def pref_share_terms(
    run: JudgedRun, *, pairs: str, by: str, nonrelevant: str, cutoff: int | None
) -> Terms:
    """Compute the amount that each document adds as the higher one of fulfilled preferences: shape
    (n_judged,).

    They add up to the value; a preference is credited to its higher document, not to both. With
    `nonrelevant='R'` the value belongs to no document, since pairs among the non-relevant ones
    count, too.

    In the example of the module, ranking a c, `all`: a adds 2/3, for it is ranked above b and c; c
    adds 0, for the only preference that it could be the higher document of, b before c, is broken.

    The amount that one fulfilled preference adds depends on `by`:

        preference  1 / possible preferences of the topic
        group       1 / (groups of the topic * possible preferences of its own group)
        pair        the share of the pair / pairs of the topic
    """
    groups, view = run.pool.preferences.groups, _ranked(run, cutoff)
    weight: Floats = np.zeros(groups.size)
    possible, rest = view.possible(pairs), None
    step = "share / size"
    numbers: dict[str, Floats | Ints] = {"size": groups.lengths}
    if by == "preference":
        total = groups.total_whole(possible)
        step, numbers = "correct / P", {"P": total}
        weight = ratio(weight + 1, groups.spread(total))
    elif by == "group" and nonrelevant == "all":
        weight = ratio(weight + 1, groups.spread(groups.lengths)) * ratio(weight + 1, possible)
    adds, kept, broken = counting.at_documents(view, pairs, weight)
    if by == "pair":
        adds, size = counting.pair_terms(view, pairs)
        numbers = {"size": size}
    elif nonrelevant == "R":  # the only reading that is not a sum over documents
        rest = pref_share(run, pairs=pairs, by=by, nonrelevant=nonrelevant, cutoff=cutoff)
        step, numbers = "", {}
    return _terms(run, adds, kept, broken, rest, step, **numbers)


def n_prefs_terms(run: JudgedRun) -> Terms:
    """Count the preferences of each document over others: shape (n_judged,). They add up to the
    value.
    """
    wins = run.pool.wins()
    return Terms(
        wins, columns={"preferences": wins}, counts=wins > 0, steps={"adds": "preferences"}
    )


def n_prefs_fulfilled_terms(run: JudgedRun, *, pairs: str, cutoff: int | None) -> Terms:
    """Count the fulfilled preferences whose higher document each one is: shape (n_judged,). They
    add up to the value.
    """
    every = np.ones(run.pool.preferences.groups.size)
    return _terms(run, *counting.at_documents(_ranked(run, cutoff), pairs, every), step="correct")


def preference_reasons(topic: Topic) -> None:
    """Say which preferences each document wins and loses, by the names of the others.

    A preference is won by the document that is preferred, if that one is ranked above; lost if it
    is ranked below."""
    say_fulfilled(topic, only_retrieved=topic.arguments.get("pairs") == "retrieved")
    topic.say(
        topic.kind == REST,
        "as many non-relevant documents as relevant: no sum over documents",
    )


def n_prefs_reasons(topic: Topic) -> None:
    """Say which documents each one is preferred to, wherever they are ranked."""
    preferences = topic.preferences
    assert preferences is not None
    numbers = {doc: i for i, doc in enumerate(topic.pool_doc)}

    def words(i: int) -> str:
        worse, _ = preferences.against(numbers[topic.doc[i]])
        return (
            f"preferred to {names(topic.pool_doc, worse)}"
            if worse.size
            else ("preferred to no document")
        )

    topic.say((topic.inside | (topic.kind == MISSED)) & ~np.isnan(topic.grade), words)


class PreferenceMeasure(KernelMeasure, reasons=preference_reasons):
    """The common part of measures of preferences.

    Columns
    -------
    correct : preferences that it wins: the other document is ranked below it or was not retrieved
    wrong : preferences that it breaks: it is ranked above a document that is preferred to it
    share : sum of its shares of a group's preferences, or of the pairs of which it is the higher
        document
    ppref : correct preferences over all that are decided, down to its rank
    weight : weight of a preference at its rank
    P : preferences that count
    D : correct and wrong preferences down to the cutoff
    W : sum of weight * (correct + wrong)
    K : ranks at which recall rises, or would rise if the missing documents followed
    size : groups, or pairs of documents, of the topic
    upto(x) : sum of x from rank 1 down to its rank

    Worked example
    --------------
    preferences-by-hand

    Source
    ------
    Carterette et al., ECIR 2008, doi:10.1007/978-3-540-78646-7_5 [carterette2008preference]
    """

    SUPPORTED_PARAMS = {"cutoff": CUTOFF}
    NEEDS = ("preferences",)
    VARIANTS: ClassVar[tuple[Any, ...]] = ({}, {"cutoff": 7})
    NEGATIVE_GRADES = True


class _PrefShare(PreferenceMeasure, kernel=pref_share, terms=pref_share_terms):
    r"""Share of the preferences between documents that a ranking fulfils: trec_eval's `prefs_`
    measures.

    For preferences (`irpref.read_preferences`) and for grades, of which a higher one is preferred
    to a lower one. `irpref.parse("prefs_simp_ret")` and the like return the measure of that name.

    Name
    ----
    Share of preferences

    Question
    --------
    How many of the preferences does the ranking fulfil?

    Use
    ---
    Your judgments are preferences that all count the same.

    Pitfalls
    --------
    Equal scores are ordered by ascending document id, as in trec_eval's `prefs_` measures and
    nowhere else. With `pairs='retrieved'` a short list can score 1.

    Formula
    -------
    \frac{|\{(a, b) : a \succ b,\ a \text{ ranked above } b\}|}{|\{(a, b) : a \succ b\}|}

    Symbols
    -------
    (a, b) : two documents that a judge compared
    a \succ b : a is preferred to b

    Parameters
    ----------
    pairs : preferences that count: all, those between retrieved documents, or those with at least
        one retrieved document
    by : what has the same weight: each preference, each pair of documents, or each group
    nonrelevant : non-relevant documents of a group that count: all, or as many as there are
        relevant ones (by='group' only)

    Source
    ------
    trec_eval 10.0, m_prefs_simp.c, m_prefs_pair.c, m_prefs_avgjg.c and their variants
    [carterette2008preference]
    """

    SUPPORTED_PARAMS = {
        "pairs": Param(str, default="all", choices=PAIRS),
        "by": Param(str, default="preference", choices=("preference", "pair", "group")),
        "nonrelevant": Param(str, default="all", choices=("all", "R")),
        "cutoff": CUTOFF,
    }
    TIES_BY_RISING_ID = True
    VARIANTS = (
        {},
        {"pairs": "retrieved"},
        {"pairs": "implied", "by": "pair", "cutoff": 7},
        {"pairs": "implied", "by": "group"},
        {"by": "group", "nonrelevant": "R"},
        {"pairs": "retrieved", "by": "group", "nonrelevant": "R", "cutoff": 20},
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.params.get("nonrelevant") == "R":
            if self.params.get("by") != "group":
                raise MeasureError(
                    "PrefShare: nonrelevant='R' is defined by group, write PrefShare(by='group', "
                    "...)"
                )
            if self.params.get("pairs") == "implied":
                raise MeasureError(
                    "PrefShare: nonrelevant='R' is defined for pairs='all' and pairs='retrieved'"
                )


class _Number(PreferenceMeasure):
    """A number of preferences; the mean over topics is a sum.

    Pitfalls
    --------
    The mean over topics is a sum.

    Range
    -----
    [0, inf)
    """

    BOUNDS = (0.0, np.inf)

    def aggregator(self) -> Any:
        """Return the aggregator: the sum over the topics."""
        return SumAgg()


class _NumPrefs(_Number, kernel=n_prefs, terms=n_prefs_terms, reasons=n_prefs_reasons):
    r"""Number of preferences of a topic, including implied ones; the mean is a sum.

    Name
    ----
    Number of preferences

    Question
    --------
    How many preferences does the topic have?

    Use
    ---
    You want to know how many preferences a value rests on.

    Empty ranking
    -------------
    the same number, since it counts judgments

    Formula
    -------
    |\{(a, b) : a \succ b\}|

    Symbols
    -------
    (a, b) : two documents that a judge compared
    a \succ b : a is preferred to b

    Columns
    -------
    preferences : documents that it is preferred to, of all groups

    Source
    ------
    trec_eval 10.0, m_prefs_num_prefs_poss.c [carterette2008preference]
    """

    SUPPORTED_PARAMS = {}
    VARIANTS = ({},)


class _NumPrefsFulfilled(_Number, kernel=n_prefs_fulfilled, terms=n_prefs_fulfilled_terms):
    r"""Number of preferences that a ranking fulfils; the mean is a sum.

    Name
    ----
    Number of preferences fulfilled

    Question
    --------
    How many preferences does the ranking fulfil?

    Use
    ---
    You want the number behind `PrefShare`.

    Formula
    -------
    |\{(a, b) : a \succ b,\ a \text{ ranked above } b\}|

    Symbols
    -------
    (a, b) : two documents that a judge compared
    a \succ b : a is preferred to b

    Parameters
    ----------
    pairs : fulfilled if the preferred document was retrieved and the other is below it or was not
        retrieved (all,
        implied), or if both were retrieved, too (retrieved)

    Source
    ------
    trec_eval 10.0, m_prefs_num_prefs_ful.c, m_prefs_num_prefs_ful_ret.c [carterette2008preference]
    """

    SUPPORTED_PARAMS = {
        "pairs": Param(str, default="all", choices=PAIRS),
        "cutoff": CUTOFF,
    }
    TIES_BY_RISING_ID = True
    VARIANTS = ({}, {"pairs": "retrieved", "cutoff": 7})


PrefShare = register(_PrefShare())
NumPrefs = register(_NumPrefs())
NumPrefsFulfilled = register(_NumPrefsFulfilled())
