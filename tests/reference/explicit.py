"""Measures of explicit preferences: trec_eval 10's and those of Carterette, Bennett, Chickering and
Dumais, ECIR 2008.

Judgments are groups of rows (subgroup, document, level), as in trec_eval's `prefs`; a run is its
scores, because these measures order equal scores in two ways. `FORMULAS` has each of them for
grades, too: one group, one subgroup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import wraps
from math import log2
from typing import Any, TypeAlias

from reference.symbols import FORMULAS, Formula, Function, Judgments, Number, Ranking, mean

Rows: TypeAlias = list[tuple[str, str, Number]]
Groups: TypeAlias = Mapping[str, Rows]
Scores: TypeAlias = Mapping[str, Number]

# By the name of the measure, called with groups and scores.
OF_GROUPS: dict[str, Formula] = {}


def entered(name: str) -> Callable[[Function], Function]:
    """Enter a function as the formula of a measure, of groups and of grades."""

    def enter(function: Function) -> Function:
        @wraps(function)
        def of_grades(
            ranking: Ranking, judgments: Judgments, *, scores: Scores | None = None, **own: Any
        ) -> Number:
            if scores is None:  # a ranking without ties
                scores = {doc: -above for above, doc in enumerate(ranking)}
            return function(
                {"0": [("0", doc, grade) for doc, grade in judgments.items()]}, scores, **own
            )

        OF_GROUPS[name], FORMULAS[name] = function, of_grades
        return function

    return enter


def preferences_of(rows: Rows) -> list[tuple[str, str]]:
    """Preferences of one group: a list of (winner, loser), from (subgroup, doc, level).

    One subgroup: each two judgments of different levels. Several: the set of what is said and what
    follows from it."""
    stated = [
        (a, b)
        for sub, a, level in rows
        for other_sub, b, other in rows
        if sub == other_sub and level > other
    ]
    if len({sub for sub, _, _ in rows}) == 1:
        return stated
    closed = set(stated)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return sorted(closed)
        closed |= more


def by_group(judgments: Iterable[tuple[str, str, str, str, Number]]) -> dict[str, dict[str, Rows]]:
    """Topic -> group -> list of (subgroup, doc, level), groups in the order of their names."""
    topics: dict[str, dict[str, Rows]] = {}
    for query_id, group, subgroup, doc_id, level in judgments:
        topics.setdefault(query_id, {}).setdefault(group, []).append((subgroup, doc_id, level))
    return {query_id: dict(sorted(groups.items())) for query_id, groups in topics.items()}


def ranks(scores: Scores, cutoff: int | None = None, rising: bool = True) -> dict[str, int]:
    """Document -> rank; equal scores by rising id, or by falling."""
    docs = sorted(scores, reverse=not rising)
    docs = sorted(docs, key=lambda doc: -float(scores[doc]))
    return {doc: rank for rank, doc in enumerate(docs[:cutoff], 1)}


def verdict(rank: Mapping[str, int], winner: str, loser: str) -> tuple[str, bool]:
    """Whether a preference counts as retrieved, implied or neither, and whether it is fulfilled."""
    a, b = rank.get(winner), rank.get(loser)
    if a is None and b is None:
        return "neither", False
    if a is None or b is None:
        return "implied", b is None
    return "retrieved", a < b


COUNTED = {
    "retrieved": {"retrieved"},
    "implied": {"retrieved", "implied"},
    "all": {"retrieved", "implied", "neither"},
}


def tally(
    rank: Mapping[str, int], preferences: Iterable[tuple[str, str]], pairs: str
) -> tuple[int, int]:
    """Fulfilled and possible preferences."""
    verdicts = [verdict(rank, a, b) for a, b in preferences]
    counted = [kept for kind, kept in verdicts if kind in COUNTED[pairs]]
    return sum(counted), len(counted)


def share(kept: int, possible: int) -> Fraction:
    return Fraction(kept, possible) if possible else Fraction(0)


@entered("PrefShare")
def pref_share(
    groups: Groups,
    scores: Scores,
    pairs: str = "all",
    by: str = "preference",
    nonrelevant: str = "all",
    cutoff: int | None = None,
) -> Fraction:
    """PrefShare of one topic, as a fraction."""
    rank = ranks(scores, cutoff)
    preferences = {name: preferences_of(rows) for name, rows in groups.items()}
    if by == "preference":
        counts = [tally(rank, group, pairs) for group in preferences.values()]
        return share(sum(kept for kept, _ in counts), sum(possible for _, possible in counts))
    if by == "pair":
        pairs_of: dict[frozenset[str], list[bool]] = {}
        for group in preferences.values():
            for a, b in group:
                if verdict(rank, a, b)[0] in COUNTED[pairs]:
                    pairs_of.setdefault(frozenset((a, b)), []).append(verdict(rank, a, b)[1])
        return mean(Fraction(sum(kept), len(kept)) for kept in pairs_of.values())
    values = []
    for name, rows in groups.items():
        if nonrelevant == "all":
            values.append(share(*tally(rank, preferences[name], pairs)))
        else:
            kept, possible = as_many_nonrelevant(rows, preferences[name], rank, pairs)
            if possible == 0:
                return Fraction(0)
            values.append(Fraction(kept, possible))
    return mean(values)


def as_many_nonrelevant(
    rows: Rows, preferences: list[tuple[str, str]], rank: Mapping[str, int], pairs: str
) -> tuple[int, int]:
    """Fulfilled and possible preferences of a group with R non-relevant documents."""
    several = len({sub for sub, _, _ in rows}) > 1
    if several:
        level = {doc: level for _, doc, level in sorted(rows, key=lambda row: row[0])}
        docs = list(level.items())
    else:
        docs = [(doc, level) for _, doc, level in rows]
    bottom = len(rank) + 1

    def place(doc: str) -> tuple[int, str]:
        return rank.get(doc, bottom), doc

    relevant = [doc for doc, level in docs if level > 0]
    other = sorted(
        (doc for doc, level in docs if (level == 0 if several else level <= 0)), key=place
    )
    retrieved = [doc for doc in relevant if doc in rank]
    other_retrieved = [doc for doc in other if doc in rank]
    r, n = (
        (len(retrieved), len(other_retrieved))
        if pairs == "retrieved"
        else (len(relevant), len(other))
    )
    if r >= n:
        kept, possible = tally(rank, preferences, pairs)
        return kept + len(retrieved) * (r - n), possible + len(relevant) * (r - n)
    lowest = (
        other
        if several
        else sorted((d for d, level in docs if level == min(v for _, v in docs)), key=place)
    )
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


@entered("NumPrefs")
def n_prefs(groups: Groups, scores: Scores) -> int:
    """Preferences of all groups."""
    return sum(len(preferences_of(rows)) for rows in groups.values())


@entered("NumPrefsFulfilled")
def n_prefs_fulfilled(
    groups: Groups, scores: Scores, pairs: str = "all", cutoff: int | None = None
) -> int:
    """Preferences that the ranking keeps."""
    rank = ranks(scores, cutoff)
    return sum(tally(rank, preferences_of(rows), pairs)[0] for rows in groups.values())


def pooled(groups: Groups, scores: Scores) -> list[tuple[str, int | None, bool]]:
    """Every preference of a topic: rank of the higher document (None if neither was retrieved),
    whether correct.
    """
    rank = ranks(scores, rising=False)
    out = []
    for rows in groups.values():
        for a, b in preferences_of(rows):
            retrieved = [rank[doc] for doc in (a, b) if doc in rank]
            out.append(
                (a, min(retrieved, default=None), bool(retrieved) and rank.get(a) == min(retrieved))
            )
    return out


@entered("PrefPrecision")
def pref_precision(groups: Groups, scores: Scores, cutoff: int | None = None) -> Fraction:
    """Correctly ordered pairs over pairs that the top of the list orders."""
    correct = [ok for _, r, ok in pooled(groups, scores) if r is not None and r <= (cutoff or r)]
    return share(sum(correct), len(correct))


@entered("PrefRecall")
def pref_recall(groups: Groups, scores: Scores, cutoff: int | None = None) -> Fraction:
    """Correctly ordered pairs over all pairs."""
    every = pooled(groups, scores)
    return share(sum(ok for _, r, ok in every if r is not None and r <= (cutoff or r)), len(every))


@entered("WeightedPrefPrecision")
def weighted_pref_precision(groups: Groups, scores: Scores, cutoff: int | None = None) -> float:
    """The same as PrefPrecision, a pair weighing 1 / log2(1 + rank of its higher document)."""
    weighted = [
        (1 / log2(1 + r), ok)
        for _, r, ok in pooled(groups, scores)
        if r is not None and r <= (cutoff or r)
    ]
    return sum(w for w, ok in weighted if ok) / sum(w for w, _ in weighted) if weighted else 0.0


@entered("PrefAP")
def pref_ap(groups: Groups, scores: Scores) -> Fraction:
    """Mean of PrefPrecision over the ranks at which PrefRecall rises, 0 for pairs never ordered."""
    every = pooled(groups, scores)
    rises = sorted({r for _, r, ok in every if ok and r is not None})
    late = {a for a, r, _ in every if r is None}
    points = [pref_precision(groups, scores, r) for r in rises] + [Fraction(0)] * len(late)
    return mean(points)
