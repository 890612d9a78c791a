"""Preferences between documents as arrays: who is before whom, by topic and group, closed under transitivity.

A *group* holds the preferences of one mind: they are consistent, and what follows from two of them counts. It is
made of *subgroups*, each of which puts some documents on levels: a document is preferred to those on lower levels of
the same subgroup.

A group of one subgroup is an order of levels, and needs no pairs: n documents on levels say as much as the up to
n (n - 1) / 2 preferences between them. With several subgroups the preferences are closed under transitivity, in the
parts of the group that hang together, each document's row of bits telling whom it is before. Where what comes out is
an order of levels after all (one assessor or model that compared until all was sorted), it is kept as such; otherwise
as the list of its pairs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irpref.arrays.record import Record
from irpref.arrays.segments import Bools, Floats, Ints, Segments


class ConflictingError(Exception):
    """Preferences of a group that cannot all hold.

    Attributes
    ----------
    rows : list of (int, int)
        Judgments: the document of the first is preferred to that of the second, and the document of the second is
        that of the next pair's first; the last pair leads back to the first. One pair: a document stands on two
        levels of a subgroup.
    """

    def __init__(self, rows: list[tuple[int, int]]) -> None:
        super().__init__(rows)
        self.rows = rows


def conflict_text(error: ConflictingError, judgment: Callable[[int], tuple[str, str, str]]) -> str:
    """What contradicts what, in words; `judgment` gives topic, group and document of a row."""
    rows = error.rows
    topic, name, doc = judgment(rows[0][0])
    where = f"topic {topic!r}, group {name!r}: "
    hint = "; judges who may disagree belong to different groups"
    if len(rows) == 1:
        return f"{where}document {doc!r} is preferred to itself: it stands on two levels of one subgroup"
    docs = [judgment(winner)[2] for winner, _ in rows]
    if len(rows) == 2:
        return f"{where}{docs[0]!r} is preferred to {docs[1]!r}, and {docs[1]!r} to {docs[0]!r}{hint}"
    shown = docs if len(docs) <= 6 else [*docs[:3], "...", docs[-1]]
    way = " to ".join([repr(d) if d != "..." else d for d in [*shown, docs[0]]])
    return f"{where}the preferences go in a circle, from {way}{hint}"


class Preferences:
    """Preferences of all topics.

    An *entry* is a document in a group. A *block* is a part of a group that is an order of levels: an entry is
    preferred to those of its block that have a higher `place`. What is no order of levels is in `winner` and `loser`;
    its entries are alone in their level, and their block has no other.

    Attributes
    ----------
    groups : Segments
        Groups (rows) by topic, in the order of their names.
    blocks : Segments
        Blocks (rows) by group.
    entries : Segments
        Entries (rows) by block.
    several : bool array (n_groups,)
        Whether the group has several subgroups.
    repeats : bool array (n_groups,)
        Whether a judgment of the group stands there twice.
    row : int array (n_entries,)
        Row of the document in the judgments.
    place : int array (n_entries,)
        Level of the entry in its block, 0 for the most preferred.
    level : float array (n_entries,)
        Level as it was given (in several subgroups: in the last of them), which says whether the document is relevant.
    pairs : Segments
        Further preferences (rows) by group.
    winner, loser : int array (n_pairs,)
        Rows of the documents in the judgments.
    by_id : int array (n_judged,) or None
        Order of the documents of a topic by rising id. None where nothing depends on it.
    """

    def __init__(
        self,
        groups: Segments,
        blocks: Segments,
        entries: Segments,
        several: Bools,
        repeats: Bools,
        row: Ints,
        place: Ints,
        level: Floats,
        pairs: Segments,
        winner: Ints,
        loser: Ints,
        by_id: Ints | None = None,
    ) -> None:
        self.groups, self.blocks, self.entries = groups, blocks, entries
        self.several, self.repeats = several, repeats
        self.row, self.place, self.level = row, place, level
        self.pairs, self.winner, self.loser = pairs, winner, loser
        self.by_id = by_id
        self.members = Segments(entries.offsets[blocks.offsets])  # entries by group

    @classmethod
    def of_levels(cls, judged: Segments, level: Ints, grade: Floats) -> Preferences:
        """One group a topic: a judged document is preferred to those of a lower grade.

        Parameters
        ----------
        judged : Segments
        level : int array (n_judged,)
            Rises where the grade falls, inside each topic.
        grade : float array (n_judged,)
        """
        n = judged.n
        one = Segments(np.arange(n + 1))
        first = np.append(level, 0)[judged.starts]
        none = np.zeros(0, np.int64)
        no = np.zeros(n, bool)
        return cls(
            one,
            one,
            judged,
            no,
            no,
            np.arange(grade.size),
            level - judged.spread(first),
            grade,
            Segments(np.zeros(n + 1, np.int64)),
            none,
            none,
        )

    @property
    def n_groups(self) -> int:
        """Number of groups of all topics."""
        return self.groups.size

    def topics(self, start: int, stop: int, first_row: int, last_row: int) -> Preferences:
        """Topics `start` to `stop - 1`, whose judgments are the rows `first_row` to `last_row - 1`."""
        g = slice(int(self.groups.offsets[start]), int(self.groups.offsets[stop]))
        b = slice(int(self.blocks.offsets[g.start]), int(self.blocks.offsets[g.stop]))
        e = slice(int(self.entries.offsets[b.start]), int(self.entries.offsets[b.stop]))
        p = slice(int(self.pairs.offsets[g.start]), int(self.pairs.offsets[g.stop]))
        return Preferences(
            self.groups.slice(start, stop),
            self.blocks.slice(g.start, g.stop),
            self.entries.slice(b.start, b.stop),
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
        """Only the preferences between entries that are kept: (n_entries,). The groups stay."""
        rows = np.flatnonzero(kept)
        pairs = self.pairs
        winner, loser = self.winner, self.loser
        if winner.size:
            # A document has one entry in a group that has pairs.
            stays = self._kept_in(kept, winner) & self._kept_in(kept, loser)
            at = np.flatnonzero(stays)
            pairs, winner, loser = pairs.part(at), winner[at], loser[at]
        return Preferences(
            self.groups,
            self.blocks,
            self.entries.part(rows),
            self.several,
            self.repeats,
            self.row[rows],
            self.place[rows],
            self.level[rows],
            pairs,
            winner,
            loser,
            self.by_id,
        )

    def _kept_in(self, kept: Bools, row: Ints) -> Bools:
        """Whether the entries of these documents, (n_pairs,), are kept."""
        width = int(self.row.max()) + 1
        keys = self.members.topic * width + self.row
        order = np.argsort(keys, kind="stable")
        at = order[np.searchsorted(keys[order], self.pairs.topic * width + row)]
        return kept[at]

    def number(self) -> Floats:
        """Preferences of each group: shape (n_groups,)."""
        sizes = self.entries.lengths.astype(np.float64)
        equal: Floats = np.zeros(self.entries.n)
        if self.row.size:
            # Those of one level follow each other.
            opens = np.ones(self.row.size, bool)
            opens[1:] = self.place[1:] != self.place[:-1]
            opens[self.entries.starts[self.entries.lengths > 0]] = True
            first = np.flatnonzero(opens)
            of = np.diff(np.append(first, self.row.size)).astype(np.float64)
            equal = Segments(np.searchsorted(first, self.entries.offsets)).total_whole(of * of)
        return self.blocks.total_whole((sizes * sizes - equal) / 2) + self.pairs.lengths

    def wins(self, n_judged: int) -> Floats:
        """Preferences of each document over others, in all groups: shape (n_judged,)."""
        lower = np.zeros(self.row.size)
        if self.row.size:
            # Entries of a block stand by level: what follows the last of one's own level is on a lower one.
            last = np.ones(self.row.size, bool)
            last[:-1] = self.place[1:] != self.place[:-1]
            last[self.entries.ends[self.entries.lengths > 0] - 1] = True
            after = np.flatnonzero(last)[np.append(0, np.cumsum(last))[:-1]]
            lower = (self.entries.spread(self.entries.ends) - 1 - after).astype(np.float64)
        out = np.bincount(self.row, lower, n_judged) + np.bincount(self.winner, minlength=n_judged)
        return out.astype(np.float64)

    def against(self, row: int) -> tuple[Ints, Ints]:
        """Documents that a document is preferred to, and those preferred to it, each once: rows of the judgments."""
        mine = np.flatnonzero(self.row == row)
        below: list[Ints] = [self.loser[self.winner == row]]
        above: list[Ints] = [self.winner[self.loser == row]]
        for entry in mine.tolist():
            block = int(self.entries.topic[entry])
            rows = slice(int(self.entries.offsets[block]), int(self.entries.offsets[block + 1]))
            below.append(self.row[rows][self.place[rows] > self.place[entry]])
            above.append(self.row[rows][self.place[rows] < self.place[entry]])
        return np.unique(np.concatenate(below)), np.unique(np.concatenate(above))


# What a ranking makes of them ---------------------------------------------------------------------------------


class Ordered(Record):
    """Preferences that a ranking puts in an order, at the retrieved document of each that stands higher.

    `kept` where it is the preferred one, `broken` where it is the other; `_retrieved` if both were retrieved,
    `_alone` if the other was not. Shape (n_entries,) or (n_pairs,): entries for what blocks say, pairs for the rest.
    """

    kept_retrieved: Floats
    kept_alone: Floats
    broken_retrieved: Floats
    broken_alone: Floats


NOT_RETRIEVED = np.iinfo(np.int64).max


def ordered(of: Preferences, rank: Ints) -> tuple[Ordered, Ordered]:
    """What a ranking makes of the preferences.

    Parameters
    ----------
    of : Preferences
    rank : int array (n_judged,)
        Rank of each judged document, NOT_RETRIEVED where it was not retrieved.

    Returns
    -------
    entries, pairs : Ordered
        Of the blocks, by entry: (n_entries,). Of the pairs: (n_pairs,), 0 or 1.
    """
    return _of_entries(of, rank), _of_pairs(of, rank)


def _of_pairs(of: Preferences, rank: Ints) -> Ordered:
    winner, loser = rank[of.winner], rank[of.loser]
    both = (winner != NOT_RETRIEVED) & (loser != NOT_RETRIEVED)
    return Ordered(
        *(
            mask.astype(np.float64)
            for mask in (
                both & (winner < loser),
                ~both & (winner < loser),
                both & (winner > loser),
                ~both & (winner > loser),
            )
        )
    )


def _of_entries(of: Preferences, rank: Ints) -> Ordered:
    at = rank[of.row]
    found = at != NOT_RETRIEVED
    out = Ordered(*(np.zeros(at.size) for _ in range(4)))
    rows = np.flatnonzero(found)
    if not rows.size:
        return out
    # From the bottom of the ranking: what stands before a row here, the ranking has below it.
    block = of.entries.topic[rows]
    order = np.lexsort((-at[rows], block))
    rows = rows[order]
    blocks = of.entries.part(np.flatnonzero(found))
    place = of.place[rows]
    better = lower_before(place, blocks).astype(np.float64)
    # Those of its own level before it: rows stand together by block, level and then from the bottom.
    level = np.lexsort((np.arange(rows.size), place, blocks.topic))
    opens = np.ones(rows.size, bool)
    opens[1:] = (place[level][1:] != place[level][:-1]) | (blocks.topic[level][1:] != blocks.topic[level][:-1])
    first = np.flatnonzero(opens)
    same = np.empty(rows.size)
    same[level] = np.arange(rows.size) - np.repeat(first, np.diff(np.append(first, rows.size)))
    out.broken_retrieved[rows] = better
    out.kept_retrieved[rows] = blocks.position - better - same
    # Documents that were not retrieved stand below all others; only their number on each level matters.
    missed = np.flatnonzero(~found)
    if missed.size:
        base = of.entries.spread(of.entries.starts)  # levels of a block are no more than its entries
        on_level = np.bincount((base + of.place)[missed], minlength=at.size).astype(np.float64)
        upto = of.entries.running(on_level, whole=True)
        here = (base + of.place)[rows]
        out.broken_alone[rows] = upto[here] - on_level[here]
        out.kept_alone[rows] = np.append(upto, 0)[of.entries.ends - 1][of.entries.topic[rows]] - upto[here]
    return out


def lower_before(value: Ints, rows: Segments) -> Ints:
    """How many rows before each one, in its segment, have a lower value: integers from 0, shape (n_rows,).

    In time rows * log(values): one pass a bit, from the highest. Inside groups of equal higher bits, which stand
    together and in their order, a row whose bit is 1 has those before it whose bit is 0. Two rows of different value
    differ in a highest bit, so each two are met once.
    """
    size = value.size
    out = np.zeros(size, np.int64)
    first = rows.starts[rows.lengths > 0]
    here = np.arange(size)
    for bit in range(int(value.max(initial=0)).bit_length() - 1, -1, -1):
        one = (value >> bit & 1).astype(bool)
        upto = np.zeros(size + 1, np.int64)
        np.cumsum(~one, out=upto[1:])
        sizes = np.diff(np.append(first, size))
        begin = np.repeat(first, sizes)
        before = upto[:-1] - upto[begin]
        out[here[one]] += before[one]
        if not bit:
            break
        # Zeros to the front of each group, so that the next pass finds its groups together.
        zeros = upto[np.append(first, size)[1:]] - upto[first]
        target = np.where(one, np.repeat(first + zeros, sizes) + (np.arange(size) - begin - before), begin + before)
        order = np.empty(size, np.int64)
        order[target] = np.arange(size)
        value, here = value[order], here[order]
        opens = np.zeros(size + 1, bool)
        opens[first] = opens[first + zeros] = True
        first = np.flatnonzero(opens[:-1])
    return out


# From judgments to preferences --------------------------------------------------------------------------------


def build(
    topic: Ints,
    group: Ints,
    subgroup: Ints,
    row: Ints,
    level: Floats,
    n_topics: int,
    by_id: Ints | None = None,
) -> Preferences:
    """Preferences from judgments: arrays (n_judgments,).

    Parameters
    ----------
    topic : int array
        From 0.
    group, subgroup : int array
        Numbers that rise with the names.
    row : int array
        Row of the document; documents of different topics have different rows.
    level : float array
    n_topics : int
    by_id : int array, optional
        See `Preferences`.

    Raises
    ------
    ConflictingError
        A document stands on two levels of a subgroup, or preferences of a group lead back to where they began.
    """
    order = np.lexsort((row, -level, subgroup, group, topic))
    topic, group, subgroup, row, level = topic[order], group[order], subgroup[order], row[order], level[order]
    of_group, n_groups = _numbered(topic, group)
    of_sub, n_subs = _numbered(of_group, subgroup)
    _check_levels(of_sub, row, level, order)
    first_of_group = np.flatnonzero(np.append(True, of_group[1:] != of_group[:-1])[: of_group.size])
    groups = Segments.of_lengths(np.bincount(topic[first_of_group], minlength=n_topics))
    first_of_sub = np.flatnonzero(np.append(True, of_sub[1:] != of_sub[:-1])[: of_sub.size])
    several = np.bincount(of_group[first_of_sub], minlength=n_groups) > 1
    repeats = np.zeros(n_groups, bool)
    twice = (of_sub[1:] == of_sub[:-1]) & (row[1:] == row[:-1]) & (level[1:] == level[:-1])
    repeats[of_group[1:][twice]] = True

    # Place on the levels of the subgroup.
    falls = np.zeros(row.size, bool)
    falls[1:] = (of_sub[1:] == of_sub[:-1]) & (level[1:] != level[:-1])
    subs = Segments.of_lengths(np.bincount(of_sub, minlength=n_subs))
    place = subs.running_count(falls)

    many = several[of_group]
    one = np.flatnonzero(~many)
    parts = [_Part(of_group[one], np.zeros(one.size, np.int64), row[one], place[one], level[one])]
    winner: Ints = np.zeros(0, np.int64)
    loser, of_pair = winner, winner
    if many.any():
        at = np.flatnonzero(many)
        found = _close(of_group[at], of_sub[at], row[at], place[at], level[at], order[at])
        parts.append(found.part)
        winner, loser, of_pair = found.winner, found.loser, found.group
    whole = parts[0] if len(parts) == 1 else parts[0].and_then(parts[1])
    whole = whole.take(np.lexsort((whole.row, whole.place, whole.block, whole.group)))
    block, n_blocks = _numbered(whole.group, whole.block)
    entries = Segments.of_lengths(np.bincount(block, minlength=n_blocks))
    blocks = Segments.of_lengths(np.bincount(whole.group[entries.starts], minlength=n_groups))
    return Preferences(
        groups,
        blocks,
        entries,
        several,
        repeats,
        whole.row,
        whole.place,
        whole.level,
        Segments.of_lengths(np.bincount(of_pair, minlength=n_groups)),
        winner,
        loser,
        by_id,
    )


class _Part(Record):
    """Entries: arrays of one length."""

    group: Ints
    block: Ints
    row: Ints
    place: Ints
    level: Floats

    def take(self, order: Ints) -> _Part:
        """These entries, in this order."""
        return _Part(self.group[order], self.block[order], self.row[order], self.place[order], self.level[order])

    def and_then(self, other: _Part) -> _Part:
        """Both, one after the other."""
        return _Part(
            np.concatenate([self.group, other.group]),
            np.concatenate([self.block, other.block]),
            np.concatenate([self.row, other.row]),
            np.concatenate([self.place, other.place]),
            np.concatenate([self.level, other.level]),
        )


class _Closed(Record):
    part: _Part
    group: Ints  # (n_pairs,)
    winner: Ints
    loser: Ints


def _numbered(major: Ints, minor: Ints) -> tuple[Ints, int]:
    """Numbers from 0 of the different pairs of two arrays, the first of which ascends and the second inside it."""
    if not major.size:
        return np.zeros(0, np.int64), 0
    new = np.zeros(major.size, np.int64)
    new[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    number = np.cumsum(new)
    return number, int(number[-1]) + 1


def _check_levels(of_sub: Ints, row: Ints, level: Floats, source: Ints) -> None:
    order = np.lexsort((-level, row, of_sub))
    sub, doc, high = of_sub[order], row[order], level[order]
    bad = np.flatnonzero((sub[1:] == sub[:-1]) & (doc[1:] == doc[:-1]) & (high[1:] != high[:-1]))
    if bad.size:
        # The first in the input.
        both = np.minimum(source[order[bad]], source[order[bad + 1]])
        at = int(bad[np.argmin(both)])
        raise ConflictingError([(int(source[order[at]]), int(source[order[at + 1]]))])


def _close(group: Ints, sub: Ints, row: Ints, place: Ints, level: Floats, source: Ints) -> _Closed:
    """Groups of several subgroups, closed under transitivity. Arrays (n_judgments,), sorted by group and subgroup."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # A node is a document in a group. Its level is that of the last subgroup.
    order = np.lexsort((np.arange(row.size), row, group))
    node_sorted, n_nodes = _numbered(group[order], row[order])
    node = np.empty(row.size, np.int64)
    node[order] = node_sorted
    last = np.append(node_sorted[1:] != node_sorted[:-1], True)
    node_group, node_row, node_level = (a[order][last] for a in (group, row, level))

    new = np.append(False, sub[1:] != sub[:-1])
    sub = np.cumsum(new)
    n_subs = int(sub[-1]) + 1
    says = (np.bincount(sub, weights=place, minlength=n_subs) > 0)[sub]  # a subgroup of one level says nothing
    links = coo_array(
        (np.ones(int(says.sum()), np.int8), (node[says], n_nodes + sub[says])), shape=(n_nodes + n_subs,) * 2
    )
    part = connected_components(links, directed=False)[1][:n_nodes]
    part = np.unique(part, return_inverse=True)[1]
    n_parts = int(part.max()) + 1
    node_place = np.zeros(n_nodes, np.int64)
    block = part.copy()

    # Parts of one subgroup are orders of levels.
    rows_of = np.flatnonzero(says)
    # A subgroup that says something lies in one part.
    part_of_sub = np.full(n_subs, -1)
    part_of_sub[sub[rows_of]] = part[node[rows_of]]
    n_subs_of = np.bincount(part_of_sub[part_of_sub >= 0], minlength=n_parts)
    plain = rows_of[n_subs_of[part[node[rows_of]]] == 1]
    node_place[node[plain]] = place[plain]

    winners: list[Ints] = []
    losers: list[Ints] = []
    mixed = np.flatnonzero(n_subs_of > 1)
    if mixed.size:
        sizes = np.bincount(part, minlength=n_parts)
        of_part = np.argsort(part, kind="stable")
        nodes = Segments.of_lengths(sizes)
        inner = np.empty(n_nodes, np.int64)  # number of a node in its part
        inner[of_part] = nodes.position
        complex_rows = rows_of[n_subs_of[part[node[rows_of]]] > 1]
        complex_rows = complex_rows[np.lexsort((complex_rows, part[node[complex_rows]]))]
        judgments = Segments.of_lengths(np.bincount(part[node[complex_rows]], minlength=n_parts))
        fresh = n_parts  # blocks of their own for documents whose preferences are pairs
        for which in _batches(mixed, sizes):
            width = int(sizes[which].max())
            at = complex_rows[judgments.rows(which)]
            number = np.full(n_parts, -1)
            number[which] = np.arange(which.size)
            who = number[part[node[at]]], inner[node[at]]
            bits = _explicit(who[0], who[1], sub[at], place[at], which.size, width)
            _warshall(bits)
            before = _unpacked(bits, width)
            on_cycle = np.flatnonzero(np.einsum("ijj->ij", before).any(axis=1))
            if on_cycle.size:
                inside = who[0] == on_cycle[0]
                raise ConflictingError(_cycle(who[1][inside], sub[at][inside], place[at][inside], source[at][inside]))
            above = before.sum(axis=1)  # (parts, width): how many are before each
            for i, p in enumerate(which.tolist()):
                members = of_part[nodes.offsets[p] : nodes.offsets[p + 1]]
                higher = above[i, : members.size]
                levels, counts = np.unique(higher, return_counts=True)
                # Who is before a document has fewer before it; so an order of levels is where all those who have
                # fewer are before it.
                if np.array_equal(levels, np.cumsum(counts) - counts):
                    node_place[members] = np.searchsorted(levels, higher)
                    continue
                block[members] = fresh + np.arange(members.size)
                fresh += members.size
                win, lose = np.nonzero(before[i, : members.size, : members.size])
                winners.append(members[win])
                losers.append(members[lose])
    found = _Part(node_group, block, node_row, node_place, node_level)
    win, lose = (np.concatenate([*ends, np.zeros(0, np.int64)]) for ends in (winners, losers))
    by_group = np.argsort(node_group[win], kind="stable")
    win, lose = win[by_group], lose[by_group]
    return _Closed(found, node_group[win], node_row[win], node_row[lose])


_BITS = 1 << 22  # of a batch


def _batches(parts: Ints, sizes: Ints) -> list[Ints]:
    """Parts of similar size, together small enough."""
    order = parts[np.argsort(sizes[parts], kind="stable")]
    out: list[Ints] = []
    start = 0
    while start < order.size:
        stop = start + 1
        bound = max(2 * int(sizes[order[start]]), 8)
        while stop < order.size:
            size = int(sizes[order[stop]])
            if size > bound or (stop + 1 - start) * size * size > _BITS:
                break
            stop += 1
        out.append(order[start:stop])
        start = stop
    return out


def _explicit(part: Ints, inner: Ints, sub: Ints, place: Ints, n_parts: int, width: int) -> Ints:
    """Rows of bits of the preferences that are given: (n_parts, width, n_words), bit j of row i: i before j."""
    words = (width + 63) // 64
    bits = np.zeros((n_parts, width, words), np.uint64)
    order = np.lexsort((place, sub))
    part, inner, sub, place = (a[order] for a in (part, inner, sub, place))
    first = np.flatnonzero(np.append(True, sub[1:] != sub[:-1]))
    sizes = np.diff(np.append(first, sub.size))
    two = first[sizes == 2]
    _set(bits, part[two], inner[two], inner[two + 1])
    for start, size in zip(first[sizes > 2].tolist(), sizes[sizes > 2].tolist(), strict=True):
        here = slice(start, start + size)
        below = np.zeros(words, np.uint64)
        p = int(part[start])
        for level in np.unique(place[here])[::-1].tolist():
            docs = inner[here][place[here] == level]
            bits[p, docs] |= below
            np.bitwise_or.at(below, docs >> 6, np.uint64(1) << (docs & 63).astype(np.uint64))
    return bits


def _set(bits: Ints, part: Ints, i: Ints, j: Ints) -> None:
    np.bitwise_or.at(bits, (part, i, j >> 6), np.uint64(1) << (j & 63).astype(np.uint64))


def _warshall(bits: Ints) -> None:
    """Close under transitivity, in place."""
    n_parts, width, _ = bits.shape
    for j in range(width):
        leads = (bits[:, :, j >> 6] >> np.uint64(j & 63) & np.uint64(1)).astype(bool)
        if n_parts == 1:
            rows = np.flatnonzero(leads[0])
            if rows.size:
                bits[0, rows] |= bits[0, j]
        else:
            p, i = np.nonzero(leads)
            bits[p, i] |= bits[p, j]


def _unpacked(bits: Ints, width: int) -> Bools:
    """The bits as truth values: (n_parts, width, width)."""
    n_parts, _, words = bits.shape
    as_bytes = bits.astype("<u8").view(np.uint8).reshape(n_parts, width, 8 * words)
    return np.unpackbits(as_bytes, axis=2, bitorder="little", count=width).astype(bool)


def _cycle(inner: Ints, sub: Ints, place: Ints, source: Ints) -> list[tuple[int, int]]:
    """A shortest way back to where it began, as pairs of judgments."""
    edges: dict[int, dict[int, tuple[int, int]]] = {}
    for s in np.unique(sub).tolist():
        at = np.flatnonzero(sub == s)
        for i in at.tolist():
            for j in at[place[at] > place[i]].tolist():
                pair = int(source[i]), int(source[j])
                edges.setdefault(int(inner[i]), {}).setdefault(int(inner[j]), pair)
    best: list[tuple[int, int]] = []
    for start in sorted(edges):
        came: dict[int, int] = {}
        layer = [start]
        while layer and start not in came:
            following = []
            for node in layer:
                for other in edges.get(node, {}):
                    if other not in came:
                        came[other] = node
                        following.append(other)
            layer = following
        if start not in came:
            continue
        way: list[tuple[int, int]] = []
        node = start
        while not way or node != start:
            way.append(edges[came[node]][node])
            node = came[node]
        if not best or len(way) < len(best):
            best = way[::-1]
        if len(best) == 2:
            break
    return best
