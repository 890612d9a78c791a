"""Precision and recall of preferences, weighted, and averaged: Carterette, Bennett, Chickering,
Dumais. 1 is best.

A preference is *ordered* at rank k if at least one of its two documents is among the first k;
*correctly* ordered if the preferred one is ranked above the other. Documents that were not
retrieved come below all that were, in no order among themselves. In these terms:

    ppref@k  = correctly ordered / ordered
    rpref@k  = correctly ordered / all preferences
    wpref@k  = sum of 1 / log2(1 + r) over correctly ordered / the same over ordered
    appref   = mean of ppref@r over the ranks K

r  rank of the higher document of a preference
K  ranks at which rpref rises; a document that was not retrieved and is preferred to another such is
   one more rank, at which ppref is 0

Their rpref is recall of preferences. It is not De Beer and Moens' rpref (`RPref`), published two
years earlier.

B. Carterette, P. N. Bennett, D. M. Chickering and S. T. Dumais, Here or there: preference judgments
for relevance, ECIR 2008, 16-27, doi:10.1007/978-3-540-78646-7_5; B. Carterette and P. N. Bennett,
Evaluation measures for preference judgments, SIGIR 2008, 685-686.

Left open there, decided here:

- tied scores: by descending document id, as everywhere in this package except `PrefShare`;
- nothing ordered, or no preference at all: 0;
- implied preferences: those that follow within a group count like given ones; none is inferred
  across groups;
- several judges: their preferences are pooled. If two agree, both count; if they differ, one is
  always broken;
- duplicates, and documents on one level: no preference;
- "bad" documents, which assessors could mark: worse than every other document of that assessor, if
  the file says so (a subgroup with bad documents on a lower level than all others);
- appref of preferences that are never ordered: as above. As many zeros as there are ranks at which
  rpref would still rise if those documents followed; without such preferences it is the plain mean.

By hand: grades a 2, b 1, c 0 give a before b, a before c, b before c. Ranking b a c:

    rank 1, b   orders b before c (right) and a before b (wrong)     ppref@1 = 1/2    rpref@1 = 1/3
    rank 2, a   orders a before c (right)                            ppref@2 = 2/3    rpref@2 = 2/3
    wpref  = (1 + 1 / log2(3)) / (2 + 1 / log2(3)) = 0.6199          appref = (1/2 + 2/3) / 2 = 7/12

When 1, when 0: precision is 1 if every ordered preference is ordered correctly, however few there
are; recall is 1 if all preferences are, so all preferred documents must have been retrieved. Both
are 0 if none is correct.

When to use which: report ppref and rpref together, as you would precision and recall; appref
combines both in one number; use wpref if the top matters most."""

from __future__ import annotations

import numpy as np

from irpref.kernel import Floats, Ints, JudgedRun, Parts, Sum, Working, ratio, shared
from irpref.kernel.fulfilled import at_documents, ranked
from irpref.measures.declare import register
from irpref.measures.prefs import PreferenceMeasure, n_prefs, ranks_on_pool


@shared
def _at_all_hits(run: JudgedRun) -> tuple[Floats, Floats]:
    """Count as `_at_hits` without a cutoff."""
    preferences = run.pool.preferences
    view = ranked(preferences, run.pool.judged, ranks_on_pool(run, run.rank, None))
    _, correct, broken = at_documents(view, "all", np.zeros(preferences.groups.size))
    return correct[run.row], (correct + broken)[run.row]


def _at_hits(run: JudgedRun, cutoff: int | None = None) -> tuple[Floats, Floats]:
    """Count correctly ordered and ordered preferences whose higher document is each hit: (n_hits,),
    (n_hits,).

    A preference is decided at the rank of its higher document: of the documents below, retrieved or
    not, none can change it. So each belongs to one hit, every value at a cutoff is a sum over hits,
    and a cutoff needs no counting again: hits below it have 0."""
    correct, ordered = _at_all_hits(run)
    if cutoff is None:
        return correct, ordered
    inside = run.rank <= cutoff
    return np.where(inside, correct, 0.0), np.where(inside, ordered, 0.0)


def _still_to_rise(run: JudgedRun) -> Ints:
    """Count documents that were not retrieved and are preferred to another such: shape
    (n_topics,).

    If they followed the list one by one, recall would rise at each: appref has a 0 for each.
    """
    preferences = run.pool.preferences
    missed = run.missed()
    # A document may win in several groups, and is one rank all the same.
    wins = np.zeros(missed.size, bool)
    at = np.flatnonzero(missed[preferences.row])
    lowest = preferences.entries.part(at).maximum(preferences.place[at].astype(np.float64), -1.0)
    wins[preferences.row[at[preferences.place[at] < lowest[preferences.entries.topic[at]]]]] = True
    wins[preferences.winner[missed[preferences.winner] & missed[preferences.loser]]] = True
    return run.pool.judged.count(wins)


def _parts(
    run: JudgedRun,
    adds: Floats,
    size: Floats | Ints,
    steps: dict[str, str],
    cutoff: int | None = None,
    **columns: Floats,
) -> Parts:
    """Compute the contributions of the hits: a preference is credited to its higher document, not
    to both.

    `steps` say how to do the sum by hand; `size` is the last number that they name.
    """
    correct, ordered = _at_hits(run, cutoff)

    def working() -> Working:
        own = {"correct": correct, "wrong": ordered - correct, **columns}
        return Working(steps, {steps["adds"].split()[-1]: size}, own)

    return Parts(
        run,
        adds,
        size,
        working,
        counts=lambda: run.pool.wins() > 0,
        most=1.0,
    )


@Sum
def pref_precision(run: JudgedRun, *, cutoff: int | None) -> Parts:
    """Compute ppref: correctly ordered over ordered preferences; 0 if nothing is ordered."""
    correct, ordered = _at_hits(run, cutoff)
    size = run.hits.total_whole(ordered)
    return _parts(run, correct, size, {"adds": "correct / D"}, cutoff)


@Sum
def pref_recall(run: JudgedRun, *, cutoff: int | None) -> Parts:
    """Compute rpref of Carterette et al.: correctly ordered over all preferences; 0 if there is
    none.

    It never falls as k grows.
    """
    correct = _at_hits(run, cutoff)[0]
    return _parts(run, correct, n_prefs(run), {"adds": "correct / P"}, cutoff)


@Sum
def weighted_pref_precision(run: JudgedRun, *, cutoff: int | None) -> Parts:
    """Compute wpref: the same as ppref, each preference weighted by the rank of its higher
    document.

    Both sums are weighted, so it is a mean of right and wrong in which early preferences weigh
    more."""
    (correct, ordered), weight = _at_hits(run, cutoff), 1 / np.log2(1.0 + run.rank)
    steps = {"weight": "1 / log2(1 + rank)", "adds": "weight * correct / W"}
    size = run.hits.total(weight * ordered)
    return _parts(run, weight * correct, size, steps, cutoff, weight=weight)


@Sum
def pref_ap(run: JudgedRun) -> Parts:
    """Compute appref: ppref at the ranks at which recall rises, over their number; 0 if there are
    none.

    As average precision is precision at the ranks at which recall rises. It has no cutoff.
    """
    correct, ordered = _at_hits(run)
    # Recall rises exactly where a hit is the higher document of a correct preference.
    rises = correct > 0
    precision = ratio(run.hits.running(correct, whole=True), run.hits.running(ordered, whole=True))
    steps = {"ppref": "upto(correct) / upto(correct + wrong)", "adds": "ppref / K"}
    return _parts(
        run,
        np.where(rises, precision, 0.0),
        run.hits.count(rises) + _still_to_rise(run),
        steps,
        ppref=np.where(rises, precision, np.nan),
    )


class _PrefPrecision(PreferenceMeasure, kernel=pref_precision):
    r"""Precision of preferences: of the pairs that the first k documents put into an order, the
    share in the right one.

    Name
    ----
    Precision of preferences (ppref)

    Question
    --------
    Of the preferences that the top of the ranking decides, how many does it decide correctly?

    Use
    ---
    Your judgments are preferences, and the top of the ranking matters most.

    Pitfalls
    --------
    It counts only preferences that the top decides. A list of documents that nobody compared
    decides none and has the value 0.

    Formula
    -------
    \mathrm{ppref}(k) = \frac{\text{correctly ordered at } k}{\text{ordered at } k}

    Symbols
    -------
    k : the cutoff, or the length of the list
    \text{ordered at } k : preferences of which at least one document is in the top k
    \text{correctly ordered at } k : those of which the preferred document is ranked above the other
    """


class _PrefRecall(PreferenceMeasure, kernel=pref_recall):
    r"""Recall of preferences: the share of all preferences that the first k documents put in the
    right order.

    The authors call it rpref. It is not De Beer and Moens' rpref, which is `RPref` here.

    Name
    ----
    Recall of preferences

    Question
    --------
    Of all preferences, how many does the top of the ranking decide correctly?

    Use
    ---
    Your judgments are preferences, and you want to know how many of them the top of the ranking
    settles.

    Pitfalls
    --------
    Its authors call it rpref; De Beer and Moens' rpref is `RPref`.

    Formula
    -------
    \mathrm{rpref}(k) = \frac{\text{correctly ordered at } k}{\text{all preferences}}

    Symbols
    -------
    k : the cutoff, or the length of the list
    \text{correctly ordered at } k : preferences of which at least one document is in the top k, the
        preferred one above the other
    """


class _WeightedPrefPrecision(PreferenceMeasure, kernel=weighted_pref_precision):
    r"""Precision of preferences in which a pair weighs more, the higher its better-ranked document.

    Name
    ----
    Weighted precision of preferences (wpref)

    Question
    --------
    How many preferences are decided correctly, if those at the top count most?

    Use
    ---
    Your judgments are preferences, and mistakes at the top should cost more.

    Pitfalls
    --------
    The discount is by the rank of the higher document of a pair.

    Formula
    -------
    \mathrm{wpref}(k) = \frac{\sum_{\text{correctly ordered}} \frac{1}{\log_2(1 +
    r)}}{\sum_{\text{ordered}}
    \frac{1}{\log_2(1 + r)}}

    Symbols
    -------
    k : the cutoff, or the length of the list
    r : rank of the higher document of a preference
    \text{ordered} : preferences of which at least one document is in the top k
    \text{correctly ordered} : those of which the preferred document is ranked above the other
    """


class _PrefAP(PreferenceMeasure, kernel=pref_ap):
    r"""Average precision of preferences: mean of `PrefPrecision` over the ranks at which
    `PrefRecall` rises.

    Name
    ----
    Average precision of preferences (appref)

    Question
    --------
    How precisely are preferences decided, on average over the ranks that decide some correctly?

    Use
    ---
    Your judgments are preferences, and you want one number in which the top counts most.

    Pitfalls
    --------
    Preferences that are never decided count as 0: unjudged documents above cost nothing, but
    missing documents do. A better list can have a lower value: grades 1 0 0 1 in this order give 1,
    since the last document decides nothing correctly, but 1 0 1 0, with it moved up, gives 7/8.

    Formula
    -------
    \mathrm{appref} = \frac{1}{|K|} \sum_{r \in K} \mathrm{ppref}(r)

    Symbols
    -------
    \mathrm{ppref}(r) : `PrefPrecision` down to rank r
    K : ranks of the higher documents of correctly ordered preferences; and, for each document
        that was not retrieved and is preferred to another such, one more rank, at which ppref is 0
    """

    SUPPORTED_PARAMS = {}
    VARIANTS = ({},)


PrefPrecision = register(_PrefPrecision())
PrefRecall = register(_PrefRecall())
WeightedPrefPrecision = register(_WeightedPrefPrecision())
PrefAP = register(_PrefAP())
