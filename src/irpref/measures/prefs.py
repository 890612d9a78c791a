"""Preferences that a ranking fulfils: trec_eval's fourteen `prefs_` measures. 1 is best.

A preference (a before b) is *fulfilled* where a stands above b. It counts in one of three readings:

    pairs       fulfilled                     possible                                trec_eval
    retrieved   both retrieved, a above b     both retrieved                          ..._ret
    implied     ... or only a retrieved       at least one retrieved                  ..._imp
    all         as implied                    every preference                        (no ending)

    by          value                                                                 trec_eval
    preference  fulfilled / possible, over all groups of the topic                    prefs_simp
    pair        mean over pairs of documents of (groups fulfilled / groups that
                prefer one of the two)                                                prefs_pair
    group       mean over the groups of the topic of fulfilled / possible             prefs_avgjg

With `nonrelevant='R'` (by group only; prefs_avgjg_Rnonrel) a group has as many non-relevant documents as relevant
ones, R; a document is relevant where its level is above 0. N non-relevant ones:

    R >= N   (fulfilled + (R - N) * relevant retrieved) / (possible + (R - N) * relevant)
    R < N    fulfilled / possible, with the R non-relevant documents that are ranked highest

Source: trec_eval 10.0 (https://github.com/usnistgov/trec_eval), form_prefs_counts.c and m_prefs_*.c. The code is the
definition where its own description differs. What it does that one would not guess, all kept:

- documents of equal score stand by *rising* id; everywhere else, in trec_eval and here, by falling id;
- 0 / 0 is 0: of a topic without preferences, of a group without any (which still counts in the mean over groups);
  with `nonrelevant='R'` a group with 0 / 0 makes the whole topic 0;
- `nonrelevant='R'`, several levels in a group of one subgroup, R < N: the documents of the lowest level are compared
  with the first R of them as if they were preferred. Of these pairs, those with the first document retrieved and
  above the second are fulfilled; all N R of them are possible, each document with itself included;
- `nonrelevant='R'`, `pairs='retrieved'`: R and N count retrieved documents, but (R - N) is multiplied by *all*
  relevant documents in the denominator, and in a group of several subgroups the first non-relevant documents that
  stay are as many as all relevant ones;
- a cutoff is trec_eval's -M: documents below it count as not retrieved. There is no `judged_only`: documents without
  a preference play no part;
- a judgment that stands twice in a group of one subgroup counts twice (with a warning);
- in a group of several subgroups a document has the level of the last of them, by name.

Left open there (the arrays are read beyond their end), decided here: negative levels are non-relevant in a group of
one subgroup, where at most the documents of the lowest level stay; in a group of several they are neither.

By hand: grades a 2, b 1, c 0, so three preferences: a before b, a before c, b before c. What is not retrieved stands
below all that is.

    ranking   retrieved      implied                  all
    a c       1 / 1          2 / 3                    2 / 3        a before b is implied, b before c broken
    a         0 / 0 = 0      2 / 2 = 1                2 / 3        nothing says how b and c stand

NumPrefs is 3 for both rankings; NumPrefsFulfilled is 2, and 1 of `a c` with `pairs='retrieved'`.

When 1, when 0: `all` is 1 where every preference is fulfilled, which asks for every document
that is preferred to another;
`retrieved` is 1 already for two documents in the right order. 0 where none of those that count is fulfilled.

When to use which: `all` to compare runs of different lengths. `retrieved` and `implied` leave out what the run does
not decide, so a short list can have 1. By group every group weighs alike, by preference every preference does.

How the file is laid out: preferences inside a group whose documents stand on levels are counted block by block, without
listing pairs; what is no order of levels is a list of pairs (`irpref.arrays.preferences`). `_Counts` has four numbers a
group, from which all readings follow. Only `by='pair'` with groups that overlap lists all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from ir_measures.measures.base import SumAgg

from irpref.arrays.preferences import NOT_RETRIEVED, Ordered, Preferences, ordered
from irpref.arrays.reasons import MISSED, REST, Topic, names
from irpref.arrays.record import Record
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments
from irpref.arrays.terms import Terms
from irpref.measures.declare import CUTOFF, KernelMeasure, Param, register

PAIRS = ("all", "retrieved", "implied")


class _Counts(Record):
    """Preferences by group: float arrays (n_groups,)."""

    kept_retrieved: Floats
    kept_alone: Floats
    broken_retrieved: Floats
    broken_alone: Floats
    number: Floats

    def fulfilled(self, pairs: str) -> Floats:
        """Fulfilled preferences: shape (n_groups,)."""
        return self.kept_retrieved if pairs == "retrieved" else self.kept_retrieved + self.kept_alone

    def possible(self, pairs: str) -> Floats:
        """Possible preferences: shape (n_groups,)."""
        if pairs == "all":
            return self.number
        both = self.kept_retrieved + self.broken_retrieved
        return both if pairs == "retrieved" else both + self.kept_alone + self.broken_alone


def _ranks(run: JudgedRun, cutoff: int | None) -> Ints:
    """Rank of each judged document, equal scores by rising id: shape (n_judged,).

    Parameters
    ----------
    run
        The run, judged against the qrels; its topics are the rows of the result.
    cutoff
        Ranks beyond count as not retrieved; None for all.

    The one place where ties stand by rising id, as trec_eval has it in these measures only.
    """
    if run.rank_rising is None:
        raise ValueError("preferences have tied documents by rising id: align the run with ties=True")
    return run.memo((_ranks, cutoff), lambda: ranks_on_pool(run, run.rank_rising, cutoff))


def ranks_on_pool(run: JudgedRun, rank: Ints | None, cutoff: int | None) -> Ints:
    """Ranks of the hits on the rows of the pool, NOT_RETRIEVED for all others: shape (n_judged,).

    Parameters
    ----------
    run
        The run, judged against the qrels; its topics are the rows of the result.
    rank
        Rank of each hit, (n_hits,).
    cutoff
        Ranks beyond count as not retrieved.
    """
    assert rank is not None
    out = np.full(run.pool.grade.size, NOT_RETRIEVED)
    out[run.row] = rank if cutoff is None else np.where(rank <= cutoff, rank, NOT_RETRIEVED)
    return out


def _ordered(run: JudgedRun, cutoff: int | None) -> tuple[Ordered, Ordered]:
    return run.memo((_ordered, cutoff), lambda: ordered(run.pool.preferences, _ranks(run, cutoff)))


def _by_group(of: Preferences, entries: Ordered, pairs: Ordered) -> _Counts:
    """Those inside blocks of levels (`entries`), and those that are no order of levels (`pairs`)."""

    def total(name: str) -> Floats:
        return of.members.total_whole(getattr(entries, name)) + of.pairs.total_whole(getattr(pairs, name))

    return _Counts(
        total("kept_retrieved"),
        total("kept_alone"),
        total("broken_retrieved"),
        total("broken_alone"),
        of.number(),
    )


def _counts(run: JudgedRun, cutoff: int | None) -> _Counts:
    of = run.pool.preferences
    return run.memo((_counts, cutoff), lambda: _by_group(of, *_ordered(run, cutoff)))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros(denominator.size), where=denominator > 0)


def pref_share(run: JudgedRun, *, pairs: str, by: str, nonrelevant: str, cutoff: int | None) -> Floats:
    """Share of the preferences fulfilled, of each topic: shape (n_topics,), in [0, 1], higher is better.

    Parameters
    ----------
    run
        The run, judged against the qrels; its topics are the rows of the result.
    pairs
        'all', 'retrieved' or 'implied': which preferences are possible, the first table of the module.
    by
        'preference', 'pair' or 'group': over what is averaged, the second table.
    nonrelevant
        'all', or 'R' for as many non-relevant documents as relevant ones in each group.
    cutoff
        Documents below count as not retrieved (trec_eval's -M).

    Returns
    -------
    array (n_topics,)
        0 where no preference is possible.
    """
    groups = run.pool.preferences.groups
    if by == "pair":
        return _by_pair(run, pairs, cutoff)
    counts = _counts(run, cutoff)
    if by == "preference":
        return _ratio(groups.total_whole(counts.fulfilled(pairs)), groups.total_whole(counts.possible(pairs)))
    if nonrelevant == "R":
        fulfilled, possible = _as_many_nonrelevant(run, pairs, cutoff)
        # trec_eval divides 0 by 0 here, and the topic is lost: see the list of the module.
        undefined = groups.count(possible == 0) > 0
    else:
        fulfilled, possible = counts.fulfilled(pairs), counts.possible(pairs)
        undefined = np.zeros(groups.n, bool)
    # Group after group in the order of their names, as trec_eval adds.
    value = groups.total(_ratio(fulfilled, possible)) / np.maximum(groups.lengths, 1)
    return np.where(undefined, 0.0, value)


def _as_many_nonrelevant(run: JudgedRun, pairs: str, cutoff: int | None) -> tuple[Floats, Floats]:
    """Fulfilled and possible preferences of each group that has R non-relevant documents: (n_groups,) each.

    Where a group has too few non-relevant documents, those missing count as ranked below all others: each is
    one more fulfilled preference of every relevant document retrieved. Where it has too many, the group is counted
    again with the R highest of them.
    """
    of = run.pool.preferences
    rank = _ranks(run, cutoff)
    counts = _counts(run, cutoff)
    only_retrieved = pairs == "retrieved"
    # The documents that count as non-relevant differ with the kind of group: level 0, or all that is not above 0.
    found = rank[of.row] != NOT_RETRIEVED
    several = of.members.spread(of.several)
    relevant = of.level > 0
    other = np.where(several, of.level == 0, ~relevant)
    r_all, r_found = of.members.count(relevant), of.members.count(relevant & found)
    n_all, n_found = of.members.count(other), of.members.count(other & found)
    r, n = (r_found, n_found) if only_retrieved else (r_all, n_all)
    missing = np.maximum(r - n, 0)
    fulfilled = counts.fulfilled(pairs) + r_found * missing
    possible = counts.possible(pairs) + r_all * missing
    # Fewer relevant than non-relevant documents: the second line of the definition.
    few = r < n
    if not few.any():
        return fulfilled, possible

    # The lowest level of a group of one subgroup is its last.
    lowest = np.zeros(of.row.size, bool)
    last = np.append(of.place, 0)[of.entries.ends - 1]
    lowest[:] = ~several & (of.place == of.entries.spread(last))
    pool = np.where(several, other, lowest)
    at = np.flatnonzero(pool & of.members.spread(few))
    at = at[np.lexsort((*_document_order(of, rank, at), of.members.topic[at]))]
    # By group, from the top of the ranking: the first R of each stay, all others leave the group.
    candidates = Segments(np.searchsorted(of.members.topic[at], np.arange(of.n_groups + 1)))
    first_r = candidates.position < candidates.spread(np.where(of.several, r_all, r))
    kept = of.members.spread(few)
    kept[at[~first_r]] = False
    # A group that lost documents is counted from the start, since every count may have changed.
    again = of.without(kept)
    fresh = _by_group(again, *ordered(again, rank))
    more, pairs_more = _lowest_among_themselves(of, rank, at, candidates, first_r, only_retrieved)
    # Groups with enough relevant documents keep what they had.
    fulfilled = np.where(few, fresh.fulfilled(pairs) + more, fulfilled)
    possible = np.where(few, fresh.possible(pairs) + pairs_more, possible)
    return fulfilled, possible


def _document_order(of: Preferences, rank: Ints, at: Ints) -> tuple[Ints, ...]:
    """Keys of entries, the last first: by rank, and documents that were not retrieved by rising id.

    trec_eval sorts a group by it before it takes the first R.
    """
    row = of.row[at]
    return (rank[row],) if of.by_id is None else (of.by_id[row], rank[row])


def _lowest_among_themselves(
    of: Preferences, rank: Ints, at: Ints, candidates: Segments, first_r: Bools, only_retrieved: bool
) -> tuple[Floats, Floats]:
    """The pairs among non-relevant documents that trec_eval counts in a group of one subgroup: (n_groups,) each.

    They are part of trec_eval's numbers, though no judgment says so (see the module's list).
    """
    row = of.row[at]
    found = rank[row] != NOT_RETRIEVED
    # Above each of the first R: those before it, but for itself where it stands twice.
    same = np.zeros(row.size, bool)
    same[1:] = (row[1:] == row[:-1]) & (candidates.topic[1:] == candidates.topic[:-1])
    start = np.maximum.accumulate(np.where(same, 0, np.arange(row.size))) if row.size else row
    before = start - candidates.spread(candidates.starts)
    n_found = candidates.count(found)
    above = np.minimum(before, candidates.spread(n_found))
    second = first_r & ~candidates.spread(of.several)
    if only_retrieved:
        second &= found
    kept = candidates.total_whole(np.where(second, above, 0).astype(np.float64))
    size = n_found if only_retrieved else candidates.lengths
    return kept, (candidates.count(second) * size).astype(np.float64)


_MANY = 1 << 22  # pairs that are listed at once


def _by_pair(run: JudgedRun, pairs: str, cutoff: int | None) -> Floats:
    """Where no two groups can judge one pair this is the share of preferences, which is found without listing pairs."""
    of = run.pool.preferences
    counts = _counts(run, cutoff)
    # One group without repeated judgments prefers one of two documents at most once: a pair is a preference.
    value = _ratio(of.groups.total_whole(counts.fulfilled(pairs)), of.groups.total_whole(counts.possible(pairs)))
    # Only these topics can have a pair that two groups judge; pair by pair is slow.
    overlap = (of.groups.lengths > 1) | (of.groups.count(of.repeats & ~of.several) > 0)
    for t in np.flatnonzero(overlap).tolist():
        rows = slice(int(run.pool.judged.offsets[t]), int(run.pool.judged.offsets[t + 1]))
        value[t] = _pair_ratio(of.topics(t, t + 1, rows.start, rows.stop), _ranks(run, cutoff)[rows], pairs)
    return value


class _Shares(Record):
    """Pairs of documents of a topic, from the top of the ranking: arrays (n_pairs,)."""

    upper: Ints  # row of the higher document
    share: Floats  # groups whose preference is fulfilled, of those that prefer one of the two
    both: Bools  # whether both were retrieved
    alone: Bools  # whether the higher one was


def _shares(of: Preferences, rank: Ints) -> Iterator[_Shares]:
    """The pairs of documents of one topic that are judged, a few million at a time.

    Pairs are listed from the top of the ranking, so that memory does not grow with the square of the documents. A
    pair's key is the same in all groups: sorted by it, the groups of a pair stand together.
    """
    n = rank.size
    order = np.lexsort((rank,) if of.by_id is None else (of.by_id, rank))
    # One number a document makes a pair one integer: higher times n plus lower.
    number = np.empty(n, np.int64)  # of each document, from the top of the ranking
    number[order] = np.arange(n)
    n_found = int((rank != NOT_RETRIEVED).sum())
    # Entries of a block from the top: each stands before all that follow.
    mine = number[of.row]
    sort = np.lexsort((mine, of.entries.topic))
    mine, place = mine[sort], of.place[sort]
    following = of.entries.spread(of.entries.ends) - np.arange(mine.size) - 1
    # Preferences that are no order of levels, pair by pair.
    win, lose = number[of.winner], number[of.loser]
    high, low = np.minimum(win, lose), np.maximum(win, lose)

    # Pairs whose higher document is each one, so that a batch is a range of the ranking.
    load = np.bincount(mine, weights=following, minlength=n) + np.bincount(high, minlength=n)
    upto = np.cumsum(load)
    start = 0
    while start < n:
        stop = max(int(np.searchsorted(upto, (upto[start - 1] if start else 0) + _MANY, side="right")), start + 1)
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
        by_key = np.argsort(key, kind="stable")
        key, kept = key[by_key], kept[by_key]
        opens = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: key.size])
        if opens.size:
            share = np.add.reduceat(kept.astype(np.float64), opens) / np.diff(np.append(opens, key.size))
            upper, lower = np.divmod(key[opens], n)
            # Retrieved documents have the first numbers: a look at two numbers tells the reading a pair belongs to.
            both, alone = lower < n_found, (upper < n_found) & (lower >= n_found)
            yield _Shares(order[upper], share, both, alone)
        start = stop


def _pair_ratio(of: Preferences, rank: Ints, pairs: str) -> float:
    """Mean over the pairs of documents of one topic of the share of groups whose preference is fulfilled.

    The shares are added in the order of the ranking, as trec_eval adds.
    """
    size = 0
    of_retrieved: list[Floats] = []
    of_alone: list[Floats] = []
    for batch in _shares(of, rank):
        of_retrieved.append(batch.share[batch.both])
        of_alone.append(batch.share[batch.alone])
        size += _possible(batch, pairs)
    # Of a pair that was not retrieved no group is fulfilled: its share is 0, and only `size` counts it.
    shares = np.concatenate([np.zeros(1), *of_retrieved, *(of_alone if pairs != "retrieved" else [])])
    return float(np.cumsum(shares)[-1]) / size if size else 0.0


def _possible(batch: _Shares, pairs: str) -> int:
    """Pairs that count in this reading."""
    if pairs == "all":
        return int(batch.share.size)
    return int(batch.both.sum() + (batch.alone.sum() if pairs == "implied" else 0))


def n_prefs(run: JudgedRun) -> Floats:
    """Preferences of each topic: shape (n_topics,).

    A property of the judgments: the run does not matter. A document on a level is preferred to all on lower levels
    of its subgroup.
    """
    of = run.pool.preferences
    return of.groups.total_whole(of.number())


def n_prefs_fulfilled(run: JudgedRun, *, pairs: str, cutoff: int | None) -> Floats:
    """Preferences fulfilled, of each topic: shape (n_topics,).

    Parameters
    ----------
    run
        The run, judged against the qrels; its topics are the rows of the result.
    pairs
        'retrieved' counts those of two retrieved documents, 'all' and 'implied' also those of one.
    cutoff
        Documents below count as not retrieved.
    """
    return run.pool.preferences.groups.total_whole(_counts(run, cutoff).fulfilled(pairs))


def _at_documents(run: JudgedRun, pairs: str, cutoff: int | None, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """At the higher document of each preference that the ranking decides: (n_judged,) each.

    Parameters
    ----------
    run
        The run, judged against the qrels; its topics are the rows of the result.
    pairs, cutoff
        As in `pref_share`.
    weight
        Of a fulfilled preference, by group: (n_groups,).

    Returns
    -------
    weights, kept, broken
        The weights of those fulfilled, their number, and the number of the others.
    """
    of = run.pool.preferences
    entries, further = _ordered(run, cutoff)
    size = run.pool.grade.size

    def total(name: str, weighted: bool = False) -> Floats:
        at_entries, at_pairs = getattr(entries, f"{name}_retrieved"), getattr(further, f"{name}_retrieved")
        if pairs != "retrieved":
            at_entries = at_entries + getattr(entries, f"{name}_alone")
            at_pairs = at_pairs + getattr(further, f"{name}_alone")
        if weighted:
            at_entries, at_pairs = at_entries * of.members.spread(weight), at_pairs * of.pairs.spread(weight)
        higher = of.winner if name == "kept" else of.loser
        found = np.bincount(of.row, at_entries, size) + np.bincount(higher, at_pairs, size)
        return found.astype(np.float64)

    return total("kept", True), total("kept"), total("broken")


def _terms(run: JudgedRun, adds: Floats, kept: Floats, broken: Floats, rest: Floats | None = None) -> Terms:
    """The summands, with what they are made of: numbers of preferences, NaN where a document was not retrieved."""
    found = ~run.missed()
    columns = {"correct": np.where(found, kept, np.nan), "wrong": np.where(found, broken, np.nan)}
    return Terms(adds, rest=rest, columns=columns, counts=run.pool.preferences.wins(run.pool.grade.size) > 0)


def pref_share_terms(run: JudgedRun, *, pairs: str, by: str, nonrelevant: str, cutoff: int | None) -> Terms:
    """What each document adds as the higher one of fulfilled preferences: shape (n_judged,).

    They add up to the value; a preference is credited to its higher document, not to both. With `nonrelevant='R'`,
    what the pairs among the non-relevant documents add belongs to none.
    """
    of = run.pool.preferences
    groups = of.groups
    counts = _counts(run, cutoff)
    none = np.zeros(of.n_groups)
    if by == "pair":
        _, kept, broken = _at_documents(run, pairs, cutoff, none)
        return _terms(run, _pair_terms(run, pairs, cutoff), kept, broken)
    if by == "preference":
        possible = groups.spread(groups.total_whole(counts.possible(pairs)))
        return _terms(run, *_at_documents(run, pairs, cutoff, _ratio(np.ones(of.n_groups), possible)))
    each = 1 / groups.spread(np.maximum(groups.lengths, 1))  # every group weighs alike
    if nonrelevant == "all":
        return _terms(
            run, *_at_documents(run, pairs, cutoff, each * _ratio(np.ones(of.n_groups), counts.possible(pairs)))
        )
    # Not every summand of this reading belongs to a document: what does is shown, the rest follows from the value.
    _, kept, broken = _at_documents(run, pairs, cutoff, none)
    value = pref_share(run, pairs=pairs, by=by, nonrelevant=nonrelevant, cutoff=cutoff)
    _, possible = _as_many_nonrelevant(run, pairs, cutoff)
    undefined = groups.count(possible == 0) > 0
    weight = np.where(groups.spread(undefined), 0.0, each * _ratio(np.ones(of.n_groups), possible))
    adds = _whole_groups(run, pairs, cutoff, weight)
    return _terms(run, adds, kept, broken, value - run.pool.judged.total(adds))


def _whole_groups(run: JudgedRun, pairs: str, cutoff: int | None, weight: Floats) -> Floats:
    """As `_at_documents`, of the groups that keep all their documents with `nonrelevant='R'`: shape (n_judged,).

    Where non-relevant documents are missing, each is one more fulfilled preference of a relevant document retrieved.
    """
    of = run.pool.preferences
    found = _ranks(run, cutoff)[of.row] != NOT_RETRIEVED
    relevant = of.level > 0
    other = np.where(of.members.spread(of.several), of.level == 0, ~relevant)
    r, n = (
        of.members.count(mask & found) if pairs == "retrieved" else of.members.count(mask) for mask in (relevant, other)
    )
    weight = np.where(r < n, 0.0, weight)
    adds, _, _ = _at_documents(run, pairs, cutoff, weight)
    missing = of.members.spread(np.maximum(r - n, 0) * weight)
    return adds + np.bincount(of.row, np.where(relevant & found, missing, 0.0), run.pool.grade.size)


def _pair_terms(run: JudgedRun, pairs: str, cutoff: int | None) -> Floats:
    """Shares of the pairs at their higher document, over the number of pairs of the topic: shape (n_judged,)."""
    of, rank = run.pool.preferences, _ranks(run, cutoff)
    out = np.zeros(run.pool.grade.size)
    for t in range(run.pool.n_topics):
        rows = slice(int(run.pool.judged.offsets[t]), int(run.pool.judged.offsets[t + 1]))
        size = 0
        for batch in _shares(of.topics(t, t + 1, rows.start, rows.stop), rank[rows]):
            counts = batch.both if pairs == "retrieved" else batch.both | batch.alone
            out[rows] += np.bincount(batch.upper[counts], batch.share[counts], rows.stop - rows.start)
            size += _possible(batch, pairs)
        out[rows] /= max(size, 1)
    return out


def n_prefs_terms(run: JudgedRun) -> Terms:
    """Preferences of each document over others: shape (n_judged,). They add up to the value."""
    wins = run.pool.preferences.wins(run.pool.grade.size)
    return Terms(wins, columns={"preferences": wins}, counts=wins > 0)


def n_prefs_fulfilled_terms(run: JudgedRun, *, pairs: str, cutoff: int | None) -> Terms:
    """Fulfilled preferences whose higher document each one is: shape (n_judged,). They add up to the value."""
    return _terms(run, *_at_documents(run, pairs, cutoff, np.ones(run.pool.preferences.n_groups)))


def preference_reasons(topic: Topic) -> None:
    """Which preferences each document wins and loses, by the names of the others.

    A preference is won by the document that is preferred, if that one stands above; lost if it stands below.
    """
    of = topic.preferences
    assert of is not None
    only_retrieved = topic.arguments.get("pairs") == "retrieved"
    numbers = {doc: i for i, doc in enumerate(topic.pool_doc)}
    place = np.full(len(topic.pool_doc), NOT_RETRIEVED)
    for doc, at, inside in zip(topic.doc, topic.place.tolist(), topic.inside.tolist(), strict=True):
        if inside and doc in numbers:
            place[numbers[doc]] = at

    def listed(rows: Ints) -> str:
        by_rank = rows[np.lexsort((rows, place[rows]))]
        return names(topic.pool_doc, by_rank)

    def words(i: int) -> str:
        row = numbers[topic.doc[i]]
        worse, better = of.against(row)
        if only_retrieved:
            worse, better = (rows[place[rows] != NOT_RETRIEVED] for rows in (worse, better))
        won, lost = worse[place[worse] > place[row]], worse[place[worse] < place[row]]
        said = []
        if won.size:
            said.append(f"wins over {listed(won)}")
        if lost.size:
            said.append(f"loses to {listed(lost)}, less preferred but above it")
        if topic.inside[i]:
            yields = better[place[better] > place[row]]
            if yields.size:
                said.append(f"stands above {listed(yields)}, preferred to it")
            return "; ".join(said) or "wins and loses nothing"
        if only_retrieved:
            return "not retrieved: its preferences do not count"
        open_ = worse[place[worse] == NOT_RETRIEVED]
        if open_.size:
            said.append(f"preferred to {listed(open_)}, which was not retrieved either")
        return "; ".join(["not retrieved", *said])

    topic.say(topic.inside & ~np.isnan(topic.grade), words)
    topic.say(topic.kind == MISSED, words)
    topic.say(
        topic.kind == REST, lambda i: "pairs of groups whose non-relevant documents are cut to as many as relevant"
    )


def n_prefs_reasons(topic: Topic) -> None:
    """Which documents each one is preferred to, wherever they stand."""
    of = topic.preferences
    assert of is not None
    numbers = {doc: i for i, doc in enumerate(topic.pool_doc)}

    def words(i: int) -> str:
        worse, _ = of.against(numbers[topic.doc[i]])
        return f"preferred to {names(topic.pool_doc, worse)}" if worse.size else ("preferred to no document")

    topic.say((topic.inside | (topic.kind == MISSED)) & ~np.isnan(topic.grade), words)


COLUMNS = {
    "correct": "preferences that it wins: it stands above, or the other was not retrieved",
    "wrong": "preferences that it breaks: it stands above the document that is preferred to it",
}


class _PrefShare(KernelMeasure):
    """Share of the preferences between documents that a ranking fulfils: trec_eval's `prefs_` measures.

    For preferences (`irpref.read_preferences`) and for grades, of which a higher one is preferred to a lower one.
    `irpref.parse("prefs_simp_ret")` and the like give the measure of that name. Equal scores stand by rising document
    id here, as in trec_eval's `prefs_` measures only.
    """

    __name__ = NAME = "PrefShare"
    PRETTY_NAME = "Share of preferences"
    SHORT_DESC = "Share of the preferences between documents that the ranking fulfils."
    QUESTION = "How many of the preferences does the ranking fulfil?"
    USE = "Judgments are preferences, and all of them count alike."
    TRAPS = (
        "Equal scores stand by rising id, as in trec_eval's `prefs` measures and nowhere else. With "
        "`pairs='retrieved'` a short list can have 1."
    )
    SOURCE = "trec_eval 10.0, m_prefs_simp.c, m_prefs_pair.c, m_prefs_avgjg.c and their variants"
    FORMULA = r"\frac{|\{(a, b) : a \succ b,\ a \text{ ranked above } b\}|}{|\{(a, b) : a \succ b\}|}"
    CITE = ("carterette2008preference",)
    SUPPORTED_PARAMS: dict[str, Any] = {
        "pairs": Param(
            str,
            "preferences that count: all, those of two retrieved documents, those of at least one",
            default="all",
            choices=PAIRS,
        ),
        "by": Param(
            str,
            "what counts alike: each preference, each pair of documents, each group",
            default="preference",
            choices=("preference", "pair", "group"),
        ),
        "nonrelevant": Param(
            str,
            "non-relevant documents of a group: all, or as many as relevant ones (by='group' only)",
            default="all",
            choices=("all", "R"),
        ),
        "cutoff": CUTOFF,
    }
    TIES_BY_RISING_ID = True
    EXAMPLE = "preferences-by-hand"
    NEEDS = ("preferences",)
    IDEAL = None
    VARIANTS = (
        {},
        {"pairs": "retrieved"},
        {"pairs": "implied", "by": "pair", "cutoff": 7},
        {"pairs": "implied", "by": "group"},
        {"by": "group", "nonrelevant": "R"},
        {"pairs": "retrieved", "by": "group", "nonrelevant": "R", "cutoff": 20},
    )
    NEGATIVE_GRADES = True
    COLUMNS = COLUMNS
    kernel = staticmethod(pref_share)
    terms = staticmethod(pref_share_terms)
    reasons = staticmethod(preference_reasons)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.params.get("nonrelevant") == "R":
            if self.params.get("by") != "group":
                raise ValueError("PrefShare: nonrelevant='R' is defined by group, write PrefShare(by='group', ...)")
            if self.params.get("pairs") == "implied":
                raise ValueError("PrefShare: nonrelevant='R' is defined for pairs='all' and pairs='retrieved'")


class _NumPrefs(KernelMeasure):
    """Number of preferences of a topic, those that follow from others included; the mean is a sum."""

    __name__ = NAME = "NumPrefs"
    PRETTY_NAME = "Number of preferences"
    SHORT_DESC = "Preferences of the judgments, retrieved or not."
    QUESTION = "How many preferences are there?"
    USE = "You want to know how much a preference measure rests on."
    TRAPS = "The mean over topics is a sum."
    SOURCE = "trec_eval 10.0, m_prefs_num_prefs_poss.c"
    CITE = ("carterette2008preference",)
    RANGE = "[0, inf)"
    BOUNDS = (0.0, np.inf)
    SUPPORTED_PARAMS: dict[str, Any] = {}
    EXAMPLE = "preferences-by-hand"
    NEEDS = ("preferences",)
    IDEAL = None
    NEGATIVE_GRADES = True
    COLUMNS: ClassVar[dict[str, str]] = {"preferences": "documents that it is preferred to, of all groups"}
    kernel = staticmethod(n_prefs)
    terms = staticmethod(n_prefs_terms)
    reasons = staticmethod(n_prefs_reasons)

    def aggregator(self) -> Any:
        """The sum over the topics."""
        return SumAgg()


class _NumPrefsFulfilled(KernelMeasure):
    """Number of preferences that a ranking fulfils; the mean is a sum."""

    __name__ = NAME = "NumPrefsFulfilled"
    PRETTY_NAME = "Number of preferences fulfilled"
    SHORT_DESC = "Preferences that the ranking fulfils."
    QUESTION = "How many preferences does the ranking fulfil?"
    USE = "You want the number behind `PrefShare`."
    TRAPS = "The mean over topics is a sum."
    SOURCE = "trec_eval 10.0, m_prefs_num_prefs_ful.c, m_prefs_num_prefs_ful_ret.c"
    CITE = ("carterette2008preference",)
    RANGE = "[0, inf)"
    BOUNDS = (0.0, np.inf)
    SUPPORTED_PARAMS: dict[str, Any] = {
        "pairs": Param(
            str,
            "fulfilled where the preferred document was retrieved and the other is below it or was not retrieved "
            "(all, implied), or where both were (retrieved)",
            default="all",
            choices=PAIRS,
        ),
        "cutoff": CUTOFF,
    }
    TIES_BY_RISING_ID = True
    EXAMPLE = "preferences-by-hand"
    NEEDS = ("preferences",)
    IDEAL = None
    VARIANTS = ({}, {"pairs": "retrieved", "cutoff": 7})
    NEGATIVE_GRADES = True
    COLUMNS = COLUMNS
    kernel = staticmethod(n_prefs_fulfilled)
    terms = staticmethod(n_prefs_fulfilled_terms)
    reasons = staticmethod(preference_reasons)

    def aggregator(self) -> Any:
        """The sum over the topics."""
        return SumAgg()


PrefShare = register(_PrefShare())
NumPrefs = register(_NumPrefs())
NumPrefsFulfilled = register(_NumPrefsFulfilled())

# trec_eval's names. Its parameters are none, so neither are there any here.
TREC_PREFS: dict[str, KernelMeasure] = {
    "prefs_simp": PrefShare(),
    "prefs_pair": PrefShare(by="pair"),
    "prefs_avgjg": PrefShare(by="group"),
    "prefs_avgjg_Rnonrel": PrefShare(by="group", nonrelevant="R"),
    "prefs_simp_ret": PrefShare(pairs="retrieved"),
    "prefs_pair_ret": PrefShare(pairs="retrieved", by="pair"),
    "prefs_avgjg_ret": PrefShare(pairs="retrieved", by="group"),
    "prefs_avgjg_Rnonrel_ret": PrefShare(pairs="retrieved", by="group", nonrelevant="R"),
    "prefs_simp_imp": PrefShare(pairs="implied"),
    "prefs_pair_imp": PrefShare(pairs="implied", by="pair"),
    "prefs_avgjg_imp": PrefShare(pairs="implied", by="group"),
    "prefs_num_prefs_poss": NumPrefs(),
    "prefs_num_prefs_ful": NumPrefsFulfilled(),
    "prefs_num_prefs_ful_ret": NumPrefsFulfilled(pairs="retrieved"),
}
