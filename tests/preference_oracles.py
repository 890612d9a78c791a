"""Preference measures as plain loops, written from the definitions: lists of pairs, nothing clever."""

from fractions import Fraction
from math import log2


def preferences_of(rows):
    """Preferences of one group: a list of (winner, loser), from (subgroup, doc, level).

    One subgroup: each two judgments of different levels. Several: the set of what is said and what follows from it.
    """
    said = []
    for i, (sub, doc, level) in enumerate(rows):
        for j, (other_sub, other, other_level) in enumerate(rows):
            if i != j and sub == other_sub and level > other_level:
                said.append((doc, other))
    if len({sub for sub, _, _ in rows}) == 1:
        return said
    closed = set(said)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return sorted(closed)
        closed |= more


def by_group(judgments):
    """Topic -> group -> list of (subgroup, doc, level), groups in the order of their names."""
    topics = {}
    for query_id, group, subgroup, doc_id, level in judgments:
        topics.setdefault(query_id, {}).setdefault(group, []).append((subgroup, doc_id, level))
    return {query_id: dict(sorted(groups.items())) for query_id, groups in topics.items()}


def ranking(scores, cutoff=None, rising=True):
    """Document -> rank; equal scores by rising id, or by falling."""
    docs = sorted(scores, reverse=not rising)
    docs = sorted(docs, key=lambda doc: -float(scores[doc]))
    return {doc: rank for rank, doc in enumerate(docs[:cutoff], 1)}


def verdict(rank, winner, loser):
    """Whether a preference counts as retrieved, implied or neither, and whether it is fulfilled."""
    a, b = rank.get(winner), rank.get(loser)
    if a is None and b is None:
        return "neither", False
    if a is None or b is None:
        return "implied", b is None
    return "retrieved", a < b


COUNTED = {"retrieved": {"retrieved"}, "implied": {"retrieved", "implied"}, "all": {"retrieved", "implied", "neither"}}


def tally(rank, preferences, pairs):
    """Fulfilled and possible preferences."""
    found = [verdict(rank, a, b) for a, b in preferences]
    counted = [kept for kind, kept in found if kind in COUNTED[pairs]]
    return sum(counted), len(counted)


def share(kept, possible):
    return Fraction(kept, possible) if possible else Fraction(0)


def pref_share(groups, scores, pairs="all", by="preference", nonrelevant="all", cutoff=None):
    """PrefShare of one topic, as a fraction."""
    rank = ranking(scores, cutoff)
    preferences = {name: preferences_of(rows) for name, rows in groups.items()}
    if by == "preference":
        counts = [tally(rank, of, pairs) for of in preferences.values()]
        return share(sum(kept for kept, _ in counts), sum(possible for _, possible in counts))
    if by == "pair":
        pairs_of = {}
        for of in preferences.values():
            for a, b in of:
                if verdict(rank, a, b)[0] in COUNTED[pairs]:
                    pairs_of.setdefault(frozenset((a, b)), []).append(verdict(rank, a, b)[1])
        shares = [Fraction(sum(kept), len(kept)) for kept in pairs_of.values()]
        return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)
    values = []
    for name, rows in groups.items():
        if nonrelevant == "all":
            values.append(share(*tally(rank, preferences[name], pairs)))
        else:
            kept, possible = as_many_nonrelevant(rows, preferences[name], rank, pairs)
            if possible == 0:
                return Fraction(0)
            values.append(Fraction(kept, possible))
    return sum(values) / len(values)


def as_many_nonrelevant(rows, preferences, rank, pairs):
    """Fulfilled and possible preferences of a group with R non-relevant documents."""
    several = len({sub for sub, _, _ in rows}) > 1
    if several:
        level = {doc: level for _, doc, level in sorted(rows, key=lambda row: row[0])}
        docs = list(level.items())
    else:
        docs = [(doc, level) for _, doc, level in rows]
    bottom = len(rank) + 1

    def place(doc):
        return rank.get(doc, bottom), doc

    relevant = [doc for doc, level in docs if level > 0]
    other = sorted((doc for doc, level in docs if (level == 0 if several else level <= 0)), key=place)
    found = [doc for doc in relevant if doc in rank]
    other_found = [doc for doc in other if doc in rank]
    r, n = (len(found), len(other_found)) if pairs == "retrieved" else (len(relevant), len(other))
    if r >= n:
        kept, possible = tally(rank, preferences, pairs)
        return kept + len(found) * (r - n), possible + len(relevant) * (r - n)
    lowest = other if several else sorted((d for d, level in docs if level == min(v for _, v in docs)), key=place)
    stay = lowest[: len(relevant)] if several else lowest[:r]
    gone = set(lowest) - set(stay)
    left = [(a, b) for a, b in preferences if a not in gone and b not in gone]
    kept, possible = tally(rank, left, pairs)
    if not several:
        first, second = lowest, stay
        if pairs == "retrieved":
            first, second = ([doc for doc in docs if doc in rank] for docs in (lowest, stay))
        possible += len(first) * len(second)
        kept += sum(a in rank and place(a)[0] < place(b)[0] for a in first for b in second)
    return kept, possible


def n_prefs(groups):
    return sum(len(preferences_of(rows)) for rows in groups.values())


def n_prefs_fulfilled(groups, scores, pairs="all", cutoff=None):
    rank = ranking(scores, cutoff)
    return sum(tally(rank, preferences_of(rows), pairs)[0] for rows in groups.values())


def pooled(groups, scores):
    """Every preference of a topic: rank of the higher document (None if neither was retrieved), whether correct."""
    rank = ranking(scores, rising=False)
    out = []
    for rows in groups.values():
        for a, b in preferences_of(rows):
            ranks = [rank[doc] for doc in (a, b) if doc in rank]
            out.append((a, min(ranks) if ranks else None, bool(ranks) and rank.get(a) == min(ranks)))
    return out


def pref_precision(groups, scores, cutoff=None):
    found = [ok for _, r, ok in pooled(groups, scores) if r is not None and r <= (cutoff or r)]
    return share(sum(found), len(found))


def pref_recall(groups, scores, cutoff=None):
    every = pooled(groups, scores)
    return share(sum(ok for _, r, ok in every if r is not None and r <= (cutoff or r)), len(every))


def weighted_pref_precision(groups, scores, cutoff=None):
    of = [(1 / log2(1 + r), ok) for _, r, ok in pooled(groups, scores) if r is not None and r <= (cutoff or r)]
    return sum(w for w, ok in of if ok) / sum(w for w, _ in of) if of else 0.0


def pref_ap(groups, scores):
    every = pooled(groups, scores)
    rises = sorted({r for _, r, ok in every if ok})
    late = {a for a, r, _ in every if r is None}
    points = [pref_precision(groups, scores, r) for r in rises] + [Fraction(0)] * len(late)
    return sum(points) / len(points) if points else Fraction(0)


ORACLES = {
    "PrefShare": pref_share,
    "NumPrefs": lambda groups, scores: n_prefs(groups),
    "NumPrefsFulfilled": n_prefs_fulfilled,
    "PrefPrecision": pref_precision,
    "PrefRecall": pref_recall,
    "WeightedPrefPrecision": weighted_pref_precision,
    "PrefAP": pref_ap,
}
