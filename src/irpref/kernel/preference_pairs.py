"""Preferences between documents as arrays: which precedes which, by topic and group, closed under
transitivity.

A *group* holds the preferences of one judge: they do not contradict each other, and a preference
that follows from two others counts, too. It consists of *subgroups*, each of which puts some
documents on levels: a document is preferred to those on lower levels of the same subgroup.

A group of one subgroup is an order of levels and needs no pairs: n documents on levels imply up to
n (n - 1) / 2 preferences. The preferences of several subgroups are closed under transitivity
(`irpref.kernel.closure`), and all are listed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from irpref.kernel.inversions import lower_before
from irpref.kernel.segments import Bools, Floats, Ints, Segments


@dataclass(frozen=True, slots=True, eq=False)
class Preferences:
    """Preferences of all topics.

    An *entry* is a document in a group. In a group of one subgroup it is preferred to those that
    have a higher `place`. In a group of several subgroups all places are 0, and `winner` and
    `loser` have the preferences.

    Attributes
    ----------
    groups : Segments
        Groups (rows) by topic, in the order of their names.
    entries : Segments
        Entries (rows) by group, in the order of their places.
    several : bool array (n_groups,)
        Whether the group has several subgroups.
    repeats : bool array (n_groups,)
        Whether a judgment of the group is given twice.
    row : int array (n_entries,)
        Row of the document in the judgments.
    place : int array (n_entries,)
        Level of the entry in its group, 0 for the most preferred.
    level : float array (n_entries,)
        Level as it was given (in several subgroups: in the last), which says whether the
        document is relevant.
    pairs : Segments
        Preferences (rows) of the groups of several subgroups, by group.
    winner, loser : int array (n_pairs,)
        Rows of the documents in the judgments.
    by_id : int array (n_judged,) or None
        Order of the documents of a topic by rising id. None if nothing depends on it.
    """

    groups: Segments
    entries: Segments
    several: Bools
    repeats: Bools
    row: Ints
    place: Ints
    level: Floats
    pairs: Segments
    winner: Ints
    loser: Ints
    by_id: Ints | None = None

    @classmethod
    def of_levels(cls, judged: Segments, level: Ints, grade: Floats) -> Preferences:
        """Make one group a topic: a judged document is preferred to all documents of a lower grade.

        Parameters
        ----------
        judged : Segments
        level : int array (n_judged,)
            Rises as the grade falls, inside each topic.
        grade : float array (n_judged,)
        """
        n = judged.n
        one = Segments(np.arange(n + 1))
        none = np.zeros(0, np.int64)
        no = np.zeros(n, bool)
        place = level - judged.spread(judged.first_value(level))
        pairs = Segments(np.zeros(n + 1, np.int64))
        return cls(one, judged, no, no, np.arange(grade.size), place, grade, pairs, none, none)

    @property
    def load(self) -> Ints:
        """Entries and pairs of all topics before each one: shape (n_topics + 1,)."""
        return self.entries.offsets[self.groups.offsets] + self.pairs.offsets[self.groups.offsets]

    def topics(self, start: int, stop: int, first_row: int, last_row: int) -> Preferences:
        """Select the topics `start` to `stop - 1`, which have the rows `first_row` to `last_row -
        1`.
        """
        g = self.groups.span(start, stop)
        e, p = self.entries.span(g.start, g.stop), self.pairs.span(g.start, g.stop)
        return Preferences(
            self.groups.slice(start, stop),
            self.entries.slice(g.start, g.stop),
            self.several[g],
            self.repeats[g],
            self.row[e] - first_row,
            self.place[e],
            self.level[e],
            self.pairs.slice(g.start, g.stop),
            self.winner[p] - first_row,
            self.loser[p] - first_row,
            None if self.by_id is None else self.by_id[first_row:last_row],
        )

    def without(self, kept: Bools) -> Preferences:
        """Keep only the preferences between entries that `kept` marks, (n_entries,). The groups
        stay.
        """
        rows = np.flatnonzero(kept)
        entries = self.entries.part(rows)
        # Levels that lost all their documents are not numbered: a group has no more levels than
        # entries.
        falls = entries.differs(self.place[rows])
        # A document has one entry in a group that has pairs.
        at = np.flatnonzero(self._kept_in(kept, self.winner) & self._kept_in(kept, self.loser))
        return replace(
            self,
            entries=entries,
            row=self.row[rows],
            place=entries.running_count(falls),
            level=self.level[rows],
            pairs=self.pairs.part(at),
            winner=self.winner[at],
            loser=self.loser[at],
        )

    def _kept_in(self, kept: Bools, row: Ints) -> Bools:
        """Look up whether the entries of these documents, (n_pairs,), are kept."""
        if not row.size:
            return np.zeros(0, bool)
        width = int(self.row.max()) + 1
        keys = self.entries.topic * width + self.row
        order = np.argsort(keys, kind="stable")
        at = order[np.searchsorted(keys[order], self.pairs.topic * width + row)]
        return kept[at]

    def number(self) -> Floats:
        """Count the preferences of each group: shape (n_groups,)."""
        sizes, levels = self.entries.lengths.astype(np.float64), self._levels()
        on_level = levels.lengths.astype(np.float64)
        equal = self.entries.part(levels.starts).total_whole(on_level * on_level)
        return (sizes * sizes - equal) / 2 + self.pairs.lengths

    def _levels(self) -> Segments:
        """Group entries (rows) by level: the entries of a level follow each other."""
        return Segments.of_equal(self.entries.topic, self.place)

    def wins(self, n_judged: int) -> Floats:
        """Count the preferences of each document over others, in all groups: shape (n_judged,)."""
        # Entries of a group are sorted by level: all entries behind the last of one's own level
        # are on a lower one.
        levels = self._levels()
        lower = self.entries.spread(self.entries.ends) - levels.spread(levels.ends)
        out = np.bincount(self.row, lower, n_judged) + np.bincount(self.winner, minlength=n_judged)
        return out.astype(np.float64)

    def against(self, row: int) -> tuple[Ints, Ints]:
        """Find the documents that a document is preferred to, and the documents preferred to it,
        each once: rows of the judgments.
        """
        mine = np.flatnonzero(self.row == row)
        below: list[Ints] = [self.loser[self.winner == row]]
        above: list[Ints] = [self.winner[self.loser == row]]
        for entry in mine.tolist():
            rows = self.entries.span(int(self.entries.topic[entry]))
            below.append(self.row[rows][self.place[rows] > self.place[entry]])
            above.append(self.row[rows][self.place[rows] < self.place[entry]])
        return np.unique(np.concatenate(below)), np.unique(np.concatenate(above))


# Kept and broken by a ranking ---------------------------------------------------------------------


NOT_RETRIEVED = np.iinfo(np.int64).max
# Rows of an array that counts preferences at the document of each that is ranked higher. It is the
# preferred one, and both were retrieved (KEPT) or it alone was (KEPT_ALONE); or it is the other
# one, and the same (BROKEN, BROKEN_ALONE).
KEPT, KEPT_ALONE, BROKEN, BROKEN_ALONE = range(4)


def ordered(prefs: Preferences, rank: Ints) -> tuple[Floats, Floats]:
    """Count the preferences that a ranking keeps and breaks.

    Parameters
    ----------
    prefs : Preferences
    rank : int array (n_judged,)
        Rank of each judged document, NOT_RETRIEVED if it was not retrieved.

    Returns
    -------
    entries, pairs : float arrays
        Rows KEPT, KEPT_ALONE, BROKEN and BROKEN_ALONE: of the orders of levels, by entry, (4,
        n_entries); of the pairs, 0 or 1, (4, n_pairs).
    """
    return _of_entries(prefs, rank), _of_pairs(prefs, rank)


def _of_pairs(prefs: Preferences, rank: Ints) -> Floats:
    winner, loser = rank[prefs.winner], rank[prefs.loser]
    both = (winner != NOT_RETRIEVED) & (loser != NOT_RETRIEVED)
    kept, broken = winner < loser, winner > loser
    return np.array([both & kept, ~both & kept, both & broken, ~both & broken], np.float64)


def _of_entries(prefs: Preferences, rank: Ints) -> Floats:
    at = rank[prefs.row]
    retrieved = at != NOT_RETRIEVED
    out = np.zeros((4, at.size))
    rows = np.flatnonzero(retrieved)
    if not rows.size:
        return out
    # From the bottom of the ranking: rows that come before a row here are ranked below it.
    rows = rows[np.lexsort((-at[rows], prefs.entries.topic[rows]))]
    groups = prefs.entries.part(np.flatnonzero(retrieved))
    place = prefs.place[rows]
    better, _ = lower_before(place, groups)
    # Rows of its own level before it: rows are sorted by group, level and then from the bottom.
    level = np.lexsort((np.arange(rows.size), place, groups.topic))
    same = np.empty(rows.size)
    same[level] = Segments.of_equal(place[level], groups.topic[level]).position
    out[BROKEN, rows] = better
    out[KEPT, rows] = groups.position - better - same
    # Documents that were not retrieved are ranked below all others; only their number on each level
    # matters.
    missed = np.flatnonzero(~retrieved)
    if missed.size:
        entries = prefs.entries
        level = entries.spread(entries.starts) + prefs.place  # no more in a group than its entries
        on_level = np.bincount(level[missed], minlength=at.size).astype(np.float64)
        upto = entries.running(on_level, whole=True)
        here = level[rows]
        out[BROKEN_ALONE, rows] = upto[here] - on_level[here]
        out[KEPT_ALONE, rows] = entries.last_value(upto)[entries.topic[rows]] - upto[here]
    return out
