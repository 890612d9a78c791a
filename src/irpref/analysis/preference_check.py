"""Find problems in preferences before you evaluate: contradictions, disagreeing judges, documents never compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.analysis.findings import Finding, finding, topics_of
from irpref.arrays.preferences import Preferences
from irpref.arrays.segments import Bools, Ints
from irpref.judged.kept import kept_pool
from irpref.judged.pool import ConflictError, Pool


def has_subgroups(data: Any) -> bool:
    """Whether judgments, as `opened` returns them, are preferences: whether they have a column `subgroup`."""
    first = data[0] if isinstance(data, list) and data else data
    return "subgroup" in getattr(first, "_fields", ()) or "subgroup" in list(getattr(data, "columns", ()))


def preference_findings(preferences: Any) -> list[Finding]:
    """Find what is wrong with preferences.

    Parameters
    ----------
    preferences : frame of preferences, as `irpref.read_preferences` returns it; or a Pool of them

    Returns
    -------
    list of Finding
        - grave `contradicting-preferences`: they cannot all be true; nothing else was checked;
        - warning `disagreeing-judges`: pairs of documents for which groups of a topic have opposite preferences, so
          that no ranking can fulfil all of them;
        - note `never-compared`: documents that are in no preference.
    """
    try:
        pool = preferences if isinstance(preferences, Pool) else kept_pool(preferences, preferences=True)
    except ConflictError as error:
        return [finding("contradicting-preferences", 1, error=str(error).removeprefix("preferences: "))]
    of = pool.preferences
    found: list[Finding] = []
    disagreed = np.zeros(pool.n_topics, np.int64)
    for t in np.flatnonzero(of.groups.lengths > 1).tolist():
        rows = int(pool.judged.offsets[t]), int(pool.judged.offsets[t + 1])
        disagreed[t] = _disagreements(of.topics(t, t + 1, *rows), rows[1] - rows[0])
    if topics := topics_of(pool, disagreed > 0):
        found.append(finding("disagreeing-judges", int(disagreed.sum()), topics.first, topics=topics.of))
    alone = np.flatnonzero(~_compared(of, pool.grade.size))
    if alone.size:
        first = int(alone[0])
        topic, doc = pool.topic_ids[int(pool.judged.topic[first])], pool.doc_ids[first]
        found.append(finding("never-compared", alone.size, topic, doc=doc))
    return found


def _compared(of: Preferences, size: int) -> Bools:
    """Which documents are in a preference: (n_judged,)."""
    compared = np.zeros(size, bool)
    deepest = of.entries.maximum(of.place.astype(np.float64))
    compared[of.row[deepest[of.entries.topic] > 0]] = True
    compared[of.winner] = compared[of.loser] = True
    return compared


def _disagreements(of: Preferences, size: int) -> int:
    """Number of pairs of documents of one topic that are preferred both ways."""
    winner, loser = _listed(of)
    said = np.unique(winner * size + loser)
    back = np.unique(loser * size + winner)
    return int(np.intersect1d(said, back, assume_unique=True).size) // 2


def _listed(of: Preferences) -> tuple[Ints, Ints]:
    """Every preference: rows of the preferred document and of the other."""
    after = of.entries.spread(of.entries.ends) - np.arange(of.row.size) - 1
    after[of.entries.spread(of.several)] = 0  # listed in `winner` and `loser`
    first = np.repeat(np.arange(of.row.size), after)
    second = first + 1 + np.arange(first.size) - np.repeat(np.cumsum(after) - after, after)
    tells = of.place[first] < of.place[second]
    return (
        np.concatenate([of.row[first[tells]], of.winner]),
        np.concatenate([of.row[second[tells]], of.loser]),
    )
