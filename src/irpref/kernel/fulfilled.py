"""Count the preferences that a ranking fulfils: by group, by pair of documents, and at the higher
document.

A preference (a before b) is *kept* if a is ranked above b and *broken* if b is ranked above a; both
documents were retrieved, or the higher one alone. If neither document was retrieved, the ranking
decides nothing.

Three things are counted:

    `ranked`             by group, with five numbers from which all readings of trec_eval follow
    `by_pair`            by pair of documents, which several groups may judge
    `at_documents`       at the higher document of each: how much a document adds to a value

In an order of levels nothing is listed pair by pair: `irpref.kernel.preference_pairs.ordered`
counts there. Only `by_pair` and `pair_terms` list pairs, some millions at a time, and the former
only in topics in which two groups can judge the same one.

Numbers of preferences are whole, and sums of whole numbers are exact in a double. Shares are added
in the order in which trec_eval adds them, since the last digit of a sum depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from irpref.kernel.preference_pairs import (
    BROKEN,
    BROKEN_ALONE,
    KEPT,
    KEPT_ALONE,
    NOT_RETRIEVED,
    Preferences,
    ordered,
)
from irpref.kernel.segments import Bools, Floats, Ints, Segments, ratio


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The preferences of a pool, a ranking of its documents, and counts of both: whole numbers."""

    prefs: Preferences
    judged: Segments  # documents (rows) by topic
    rank: Ints  # (n_judged,), NOT_RETRIEVED if a document was not
    entries: Floats  # (4, n_entries) preferences of orders of levels, at the entries
    pairs: Floats  # (4, n_pairs) preferences that are listed, at the pairs
    ordered: Floats  # (4, n_groups) both; rows KEPT, KEPT_ALONE, BROKEN and BROKEN_ALONE
    number: Floats  # (n_groups,) all preferences, retrieved or not

    def fulfilled(self, pairs: str) -> Floats:
        """Count the fulfilled preferences of each group: shape (n_groups,)."""
        return self.ordered[KEPT] + (pairs != "retrieved") * self.ordered[KEPT_ALONE]

    def possible(self, pairs: str) -> Floats:
        """Count the possible preferences of each group: shape (n_groups,)."""
        counted = self.ordered[[KEPT, BROKEN]] if pairs == "retrieved" else self.ordered
        return self.number if pairs == "all" else counted.sum(axis=0)


def ranked(prefs: Preferences, judged: Segments, rank: Ints) -> Ranked:
    """Count once the numbers that all readings of this ranking need."""
    entries, pairs = ordered(prefs, rank)
    both = zip(entries, pairs, strict=True)
    by_group = np.array(
        [prefs.entries.total_whole(e) + prefs.pairs.total_whole(p) for e, p in both]
    )
    return Ranked(prefs, judged, rank, entries, pairs, by_group, prefs.number())


def as_many_nonrelevant(view: Ranked, pairs: str) -> tuple[Floats, Floats]:
    """Count fulfilled and possible preferences as if each group had R non-relevant documents:
    (n_groups,) each.

    If a group has too few non-relevant documents, those missing count as ranked below all others:
    each is one more fulfilled preference of every relevant document retrieved. If it has too many,
    the group is counted again with the R highest ones."""
    prefs, rank, entries = view.prefs, view.rank, view.prefs.entries
    relevant, retrieved = prefs.level > 0, rank[prefs.row] != NOT_RETRIEVED
    # The documents that count as non-relevant differ with the kind of group: level 0, or all that
    # is not above 0.
    other = np.where(entries.spread(prefs.several), prefs.level == 0, ~relevant)
    r_all, r_found = entries.count(relevant), entries.count(relevant & retrieved)
    r, n = r_all, entries.count(other)
    if pairs == "retrieved":
        r, n = r_found, entries.count(other & retrieved)
    missing = np.maximum(r - n, 0)
    fulfilled = view.fulfilled(pairs) + r_found * missing
    possible = view.possible(pairs) + r_all * missing
    # Fewer relevant than non-relevant documents: the second line of the definition.
    few = r < n
    if not few.any():
        return fulfilled, possible

    # The lowest level of a group of one subgroup is its last.
    last = entries.last_value(prefs.place)
    pool = np.where(entries.spread(prefs.several), other, prefs.place == entries.spread(last))
    kept = entries.spread(few)
    at = np.flatnonzero(pool & kept)
    # trec_eval sorts a group by rank, and documents that were not retrieved by rising id.
    keys = (rank,) if prefs.by_id is None else (prefs.by_id, rank)
    at = at[np.lexsort((*(key[prefs.row[at]] for key in keys), entries.topic[at]))]
    # By group, from the top of the ranking: the first R of each stay, all others leave the group.
    candidates = Segments.of_topics(entries.topic[at], entries.n)
    first_r = candidates.position < candidates.spread(np.where(prefs.several, r_all, r))
    kept[at[~first_r]] = False
    # A group that lost documents is counted from the start, since every count may have changed.
    fresh = ranked(prefs.without(kept), view.judged, rank)
    more, pairs_more = _lowest_among_themselves(
        prefs, rank, at, candidates, first_r, pairs == "retrieved"
    )
    # Groups with enough relevant documents keep what they had.
    fulfilled = np.where(few, fresh.fulfilled(pairs) + more, fulfilled)
    possible = np.where(few, fresh.possible(pairs) + pairs_more, possible)
    return fulfilled, possible


def _lowest_among_themselves(
    prefs: Preferences,
    rank: Ints,
    at: Ints,
    candidates: Segments,
    first_r: Bools,
    only_retrieved: bool,
) -> tuple[Floats, Floats]:
    """Count the pairs among non-relevant documents that trec_eval counts in a group of one
    subgroup: (n_groups,) each.

    They are part of trec_eval's numbers, though no judgment says so: see the list in
    `irpref.measures.prefs`."""
    row = prefs.row[at]
    retrieved = rank[row] != NOT_RETRIEVED
    # Above each of the first R: those before it, except itself if it occurs twice.
    documents = Segments.of_equal(candidates.topic, row)
    before = documents.spread(documents.starts) - candidates.spread(candidates.starts)
    n_retrieved = candidates.count(retrieved)
    above = np.minimum(before, candidates.spread(n_retrieved))
    second = first_r & ~candidates.spread(prefs.several)
    if only_retrieved:
        second &= retrieved
    kept = candidates.total_whole(np.where(second, above, 0).astype(np.float64))
    size = n_retrieved if only_retrieved else candidates.lengths
    return kept, (candidates.count(second) * size).astype(np.float64)


_MANY = 1 << 22  # pairs that are listed at once


def by_pair(view: Ranked, pairs: str) -> Floats:
    """Mean over the pairs of documents of each topic of the share of groups that are fulfilled:
    (n_topics,).

    If no two groups can judge one pair this is the share of preferences, which is found without
    listing pairs."""
    prefs = view.prefs
    # One group without repeated judgments prefers one of two documents at most once: a pair is a
    # preference.
    value = ratio(
        prefs.groups.total_whole(view.fulfilled(pairs)),
        prefs.groups.total_whole(view.possible(pairs)),
    )
    # Only these topics can have a pair that two groups judge; pair by pair is slow.
    overlap = (prefs.groups.lengths > 1) | (prefs.groups.count(prefs.repeats & ~prefs.several) > 0)
    for t in np.flatnonzero(overlap).tolist():
        _, share, size = _shares_of(view, t, pairs)
        # Added one after the other, as in trec_eval.
        value[t] = np.append(0.0, share.cumsum())[-1] / max(size, 1)
    return value


def pair_terms(view: Ranked, pairs: str) -> tuple[Floats, Ints]:
    """Give the share of each pair to its higher document, over the topic's number of pairs:
    (n_judged,); and return that number, (n_topics,).
    """
    out, sizes = np.zeros(view.rank.size), np.zeros(view.judged.n, np.int64)
    for t in range(view.judged.n):
        upper, share, size = _shares_of(view, t, pairs)
        rows = view.judged.span(t)
        out[rows] = np.bincount(upper, share, rows.stop - rows.start) / max(size, 1)
        sizes[t] = size
    return out, sizes


def _shares_of(view: Ranked, t: int, pairs: str) -> tuple[Ints, Floats, int]:
    """Return higher document and share of each pair of a topic with a retrieved document, and the
    number of pairs that count.

    In the order in which trec_eval adds: pairs of two retrieved documents first, each from the top
    of the ranking."""
    rows = view.judged.span(t)
    least = {"retrieved": 2, "implied": 1, "all": 0}[pairs]
    none = np.zeros(0, np.int64), np.zeros(0)
    pieces, size = {2: [none], 1: [none]}, 0
    prefs = view.prefs.topics(t, t + 1, rows.start, rows.stop)
    for upper, share, retrieved in _shares(prefs, view.rank[rows]):
        size += int((retrieved >= least).sum())
        # A pair without a retrieved document is fulfilled in no group: its share is 0.
        for number in range(2, max(least, 1) - 1, -1):
            pieces[number].append((upper[retrieved == number], share[retrieved == number]))
    uppers, shares = zip(*pieces[2], *pieces[1], strict=True)
    return np.concatenate(uppers), np.concatenate(shares), size


def _shares(prefs: Preferences, rank: Ints) -> Iterator[tuple[Ints, Floats, Ints]]:
    """List the judged pairs of documents of one topic, a few million at a time.

    Pairs are listed from the top of the ranking, so that memory does not grow with the square of
    the documents. A pair's key is the same in all groups: sorted by it, the groups of a pair are
    together.

    Yields
    ------
    upper : row of the higher document
    share : groups whose preference is fulfilled, of those that prefer one of the two
    retrieved : how many of the two were retrieved
    """
    n = rank.size
    order = np.lexsort((rank,) if prefs.by_id is None else (prefs.by_id, rank))
    # One number a document makes a pair one integer: higher times n plus lower.
    number = np.empty(n, np.int64)  # of each document, from the top of the ranking
    number[order] = np.arange(n)
    n_retrieved = int((rank != NOT_RETRIEVED).sum())
    # Entries of a group from the top: each is before all that follow.
    mine = number[prefs.row]
    sort = np.lexsort((mine, prefs.entries.topic))
    mine, place = mine[sort], prefs.place[sort]
    following = prefs.entries.spread(prefs.entries.ends) - np.arange(mine.size) - 1
    following[prefs.entries.spread(prefs.several)] = 0
    # Preferences of several subgroups are listed already.
    win, lose = number[prefs.winner], number[prefs.loser]
    high, low = np.minimum(win, lose), np.maximum(win, lose)

    # Pairs whose higher document is each one, so that a batch is a range of the ranking.
    load = np.bincount(mine, weights=following, minlength=n) + np.bincount(high, minlength=n)
    upto = np.cumsum(load)
    start = 0
    while start < n:
        stop = max(
            int(np.searchsorted(upto, (upto[start - 1] if start else 0) + _MANY, side="right")),
            start + 1,
        )
        at = np.flatnonzero((mine >= start) & (mine < stop))
        first = np.repeat(at, following[at])
        runs = Segments.of_lengths(following[at])
        second = first + runs.position + 1
        # Documents on one level are no preference.
        tells = place[first] != place[second]
        first, second = first[tells], second[tells]
        further = (high >= start) & (high < stop)
        key = np.concatenate([mine[first] * n + mine[second], high[further] * n + low[further]])
        kept = np.concatenate([place[first] < place[second], (win < lose)[further]])
        if key.size:
            key, pair, judging = np.unique(key, return_inverse=True, return_counts=True)
            fulfilled = np.bincount(pair[kept], minlength=key.size)
            upper, lower = np.divmod(key, n)
            # Retrieved documents have the first numbers.
            yield (
                order[upper],
                fulfilled / judging,
                (upper < n_retrieved) * 1 + (lower < n_retrieved),
            )
        start = stop


def at_documents(view: Ranked, pairs: str, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Sum the preferences that the ranking decides at the higher document of each: (n_judged,)
    each.

    Parameters
    ----------
    view
        The ranking.
    pairs
        'retrieved' counts preferences of two retrieved documents, 'all' and 'implied' also those of
        one.
    weight
        Of a fulfilled preference, by group: (n_groups,).

    Returns
    -------
    weights, kept, broken
        The weights of those fulfilled, their number, and the number of the others.
    """
    prefs = view.prefs

    def total(kept: bool, weighted: bool = False) -> Floats:
        rows = [KEPT, KEPT_ALONE] if kept else [BROKEN, BROKEN_ALONE]
        rows = rows[:1] if pairs == "retrieved" else rows
        at_entries, at_pairs = view.entries[rows].sum(axis=0), view.pairs[rows].sum(axis=0)
        if weighted:
            at_entries, at_pairs = (
                at_entries * prefs.entries.spread(weight),
                at_pairs * prefs.pairs.spread(weight),
            )
        higher = prefs.winner if kept else prefs.loser
        number = np.bincount(prefs.row, at_entries, view.rank.size) + np.bincount(
            higher, at_pairs, view.rank.size
        )
        return number.astype(np.float64)

    return total(True, weighted=True), total(True), total(False)
