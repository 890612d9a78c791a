"""From judgments of preference to preferences: what follows from them, or how they contradict each other.

How they are kept, and what a group and a subgroup are, says `irpref.arrays.preferences`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from irpref.arrays.preferences import Preferences
from irpref.arrays.record import Record
from irpref.arrays.segments import Bools, Floats, Ints, Segments, all_whole


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


class _Given(Record):
    """Judgments by topic, group, subgroup, and from the highest level: arrays (n_judgments,).

    `order` is where each stood, `group` numbers the groups of all topics, `place` is the level in the subgroup, 0 for
    the highest.
    """

    order: Ints
    topic: Ints
    group: Ints
    row: Ints
    place: Ints
    level: Floats
    subs: Segments  # judgments (rows) by subgroup
    several: Bools  # (n_groups,)

    def of(self, several: bool) -> _Given:
        """Those of the groups of several subgroups, or of the others."""
        many = self.several[self.group]
        if (many == several).all():
            return self
        rows = np.flatnonzero(many == several)
        lengths = self.subs.lengths[many[self.subs.starts] == several]
        return _Given(
            self.order[rows],
            self.topic[rows],
            self.group[rows],
            self.row[rows],
            self.place[rows],
            self.level[rows],
            Segments.of_lengths(lengths),
            self.several,
        )


def _given(topic: Ints, group: Ints, subgroup: Ints, row: Ints, level: Floats) -> _Given:
    """Judgments in order. Raises `ConflictingError` where a document stands on two levels of a subgroup."""
    order = _order(topic, group, subgroup, _falling(level), row)
    topic, group, subgroup, row, level = topic[order], group[order], subgroup[order], row[order], level[order]
    stood = np.arange(row.size)[order]
    of_group, n_groups = _numbered(topic, group)
    of_sub, n_subs = _numbered(of_group, subgroup)
    _check_levels(of_sub, row, level, stood)
    subs = Segments.of_lengths(np.bincount(of_sub, minlength=n_subs))
    falls = np.append(False, level[1:] != level[:-1])[: level.size]
    falls[subs.starts] = False
    several = np.bincount(of_group[subs.starts], minlength=n_groups) > 1
    return _Given(stood, topic, of_group, row, subs.running_count(falls), level, subs, several)


def check(topic: Ints, group: Ints, subgroup: Ints, row: Ints, level: Floats) -> None:
    """Raise as `build` does where preferences contradict each other; nothing is closed, so it takes a part of the time.

    Groups, subgroups and rows may be numbered in any way: which of several contradictions is told depends on it.
    """
    given = _given(topic, group, subgroup, row, level)
    if given.several.any():
        _graph(given.of(several=True))


def lead_back(winner: Ints, loser: Ints) -> bool:
    """Whether pairs, of documents that are numbered from 0 by topic and group, contradict each other."""
    if not winner.size:
        return False
    n = int(max(winner.max(), loser.max())) + 1
    return bool((winner == loser).any()) or _components(winner, loser, n, "strong")[0] < n


def _components(a: Ints, b: Ints, n: int, connection: str) -> tuple[int, Ints]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Graphs of scipy 1.11 are numbered with 32 bits, and it does not say so where they are not.
    rows, columns = a.astype(np.int32), b.astype(np.int32)
    graph = coo_array((np.ones(a.size, np.int8), (rows, columns)), shape=(n, n))
    found: tuple[int, Ints] = connected_components(graph, directed=connection == "strong", connection=connection)
    return found


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
        Numbers that rise with the names. Of subgroups they need not where all levels are above 0.
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
    order = _order(topic)
    columns: tuple[Any, ...] = (topic[order], group[order], subgroup[order], row[order], level[order])
    upto = np.searchsorted(columns[0], np.arange(n_topics + 1))
    parts: list[Preferences] = []
    start = 0
    try:
        while start < n_topics or not parts:
            # Some topics at a time, so that their arrays stay in the cache.
            stop = max(int(np.searchsorted(upto, upto[start] + _ROWS, side="right")) - 1, start + 1)
            of = slice(int(upto[start]), int(upto[min(stop, n_topics)]))
            here = tuple(column[of] for column in columns[1:])
            parts.append(_built(min(stop, n_topics) - start, columns[0][of] - start, *here))
            start = stop
    except ConflictingError:
        # Which of several contradictions is told depends on all topics.
        check(topic, group, subgroup, row, level)

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def segments(name: str) -> Segments:
        return Segments.of_lengths(np.concatenate([getattr(part, name).lengths for part in parts]))

    return Preferences(
        segments("groups"),
        segments("blocks"),
        segments("entries"),
        joined("several"),
        joined("repeats"),
        joined("row"),
        joined("place"),
        joined("level"),
        segments("pairs"),
        joined("winner"),
        joined("loser"),
        by_id,
    )


_ROWS = 1 << 17


def _built(n_topics: int, topic: Ints, group: Ints, subgroup: Ints, row: Ints, level: Floats) -> Preferences:
    """Preferences of some topics."""
    given = _given(topic, group, subgroup, row, level)
    of_group, several = given.group, given.several
    n_groups = several.size
    first_of_group = np.searchsorted(of_group, np.arange(n_groups))
    groups = Segments.of_lengths(np.bincount(given.topic[first_of_group], minlength=n_topics))
    repeats = np.zeros(n_groups, bool)
    same = (given.row[1:] == given.row[:-1]) & (given.place[1:] == given.place[:-1])
    same &= np.diff(given.subs.topic) == 0
    repeats[of_group[1:][same]] = True

    winner: Ints = np.zeros(0, np.int32)
    loser, of_pair = winner, winner
    if several.all() and several.size:
        found = _close(given)
        whole = found.part
    else:
        one = given.of(several=False)
        whole = _Part(one.group, np.zeros(one.row.size, np.int64), one.row, one.place, one.level)
        if several.any():
            found = _close(given.of(several=True))
            whole = whole.and_then(found.part)
    if several.any():
        winner, loser, of_pair = found.winner, found.loser, found.group
    whole = whole.take(_order(whole.group, whole.block, whole.place, whole.row))
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
    )


class _Part(Record):
    """Entries: arrays of one length."""

    group: Ints
    block: Ints
    row: Ints
    place: Ints
    level: Floats

    def take(self, order: Ints | slice) -> _Part:
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


def _order(*keys: Ints) -> Ints | slice:
    """Stable order by whole numbers from 0, the first key first: shape (n,); a slice of all where they stand so."""
    if not keys[0].size:
        return slice(None)
    bounds = [int(key.max()) + 1 for key in keys]
    if math.prod(bounds) >= 1 << 63:
        return np.lexsort(keys[::-1])
    one = keys[0].astype(np.int64)
    for key, bound in zip(keys[1:], bounds[1:], strict=True):
        one *= bound
        one += key
    # Files mostly stand in order.
    return slice(None) if (one[1:] >= one[:-1]).all() else np.argsort(one, kind="stable")


def _falling(level: Floats) -> Ints:
    """Whole numbers from 0 that rise where levels fall: shape (n,)."""
    if all_whole(level) and level.max(initial=0) - level.min(initial=0) < 1 << 16:
        return (level.max(initial=0) - level).astype(np.int64)
    return np.unique(-level, return_inverse=True)[1].astype(np.int64)


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The different keys, whole numbers from 0, in rising order; and the number of each row among them: (n,)."""
    bound = int(keys.max(initial=-1)) + 1
    if bound > 4 * keys.size:
        return np.unique(keys, return_inverse=True)
    there = np.zeros(bound, bool)
    there[keys] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]


def _numbered(major: Ints, minor: Ints) -> tuple[Ints, int]:
    """Numbers from 0 of the different pairs of two arrays, the first of which ascends and the second inside it."""
    if not major.size:
        return np.zeros(0, np.int64), 0
    new = np.zeros(major.size, np.int64)
    new[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    number = np.cumsum(new)
    return number, int(number[-1]) + 1


def _check_levels(of_sub: Ints, row: Ints, level: Floats, source: Ints) -> None:
    key = np.sort(of_sub * (int(row.max(initial=0)) + 1) + row)
    if not (key[1:] == key[:-1]).any():
        return
    order = np.lexsort((-level, row, of_sub))
    sub, doc, high = of_sub[order], row[order], level[order]
    bad = np.flatnonzero((sub[1:] == sub[:-1]) & (doc[1:] == doc[:-1]) & (high[1:] != high[:-1]))
    if bad.size:
        # The first in the input.
        both = np.minimum(source[order[bad]], source[order[bad + 1]])
        at = int(bad[np.argmin(both)])
        raise ConflictingError([(int(source[order[at]]), int(source[order[at + 1]]))])


class _Graph(Record):
    """Preferences of groups of several subgroups, as a graph without circles.

    A vertex is a document in a group (the first `row.size`), or a level of a subgroup that holds several documents:
    those of the level above lead to it, and it leads to its own. So edges are no more than twice the judgments.
    """

    group: Ints  # (n_documents,)
    row: Ints
    node: Ints  # (n_judgments,): the document's vertex
    upper: Ints  # (n_edges,)
    lower: Ints
    depth: Ints  # (n_vertices,): edges of the longest way down
    part: Ints  # (n_vertices,): what hangs together

    @property
    def sizes(self) -> Ints:
        """Documents of each part."""
        return np.bincount(self.part[: self.row.size])


def _graph(given: _Given) -> _Graph:
    """Raises `ConflictingError` where preferences lead back to where they began."""
    base = int(given.row.min())
    width = int(given.row.max()) - base + 1
    keys, node = numbered(given.group * width + (given.row - base))
    # Judgments of a level follow each other, and so do levels.
    opens = np.append(True, given.place[1:] != given.place[:-1])
    opens[given.subs.starts] = True
    starts = np.flatnonzero(opens)
    tiers = Segments(np.append(starts, node.size))
    top = given.place[starts] == 0
    own = np.flatnonzero(~top & (tiers.lengths > 1))
    vertex = node[starts]
    vertex[own] = keys.size + np.arange(own.size)
    # From each document to the level below its own, which is the next one unless that is of another subgroup.
    leads = ~np.append(top[1:], True)
    held = tiers.rows(own)
    upper = np.concatenate([node[tiers.spread(leads)], np.repeat(vertex[own], tiers.lengths[own])])
    lower = np.concatenate([np.repeat(np.append(vertex[1:], 0)[leads], tiers.lengths[leads]), node[held]])
    n = keys.size + own.size
    part = _components(upper, lower, n, "weak")[1].astype(np.int64)
    group, row = np.divmod(keys, width)
    graph = _Graph(group, row + base, node, upper, lower, _depth(upper, lower, n), part)
    circular = graph.depth[: keys.size] < 0
    if circular.any():
        # In the smallest part.
        parts = np.unique(part[: keys.size][circular])
        at = np.flatnonzero(part[node] == parts[np.argmin(graph.sizes[parts])])
        raise ConflictingError(_cycle(node[at], given.subs.topic[at], given.place[at], given.order[at]))
    return graph


def _depth(upper: Ints, lower: Ints, n: int) -> Ints:
    """Edges of the longest way down from each vertex, -1 where there is a way to a circle: shape (n,)."""
    depth = np.full(n, -1)
    left = np.bincount(upper, minlength=n)  # edges to vertices that are not done
    order = np.argsort(lower, kind="stable")
    into = Segments.of_lengths(np.bincount(lower, minlength=n))
    upper = upper[order]
    now = np.flatnonzero(left == 0)
    level = 0
    while now.size:
        depth[now] = level
        above = upper[into.rows(now)]
        np.subtract.at(left, above, 1)
        now = np.unique(above[left[above] == 0])
        level += 1
    return depth


def _close(given: _Given) -> _Closed:
    """Groups of several subgroups, closed under transitivity."""
    graph = _graph(given)
    node, subs = graph.node, given.subs
    # The level of a document is that of the last subgroup: of several numbers for one place NumPy keeps the last.
    group, row = graph.group, graph.row
    level = np.empty(row.size)
    level[node] = given.level
    place = np.zeros(row.size, np.int64)
    block = graph.part[: place.size].copy()
    sizes = graph.sizes

    # Parts of one subgroup are orders of levels. A subgroup of several levels lies in one part; others say nothing.
    says = np.flatnonzero(given.place[subs.ends - 1] > 0)
    part_of = graph.part[node[subs.starts[says]]]
    n_subs = np.bincount(part_of, minlength=sizes.size)
    plain = subs.rows(says[n_subs[part_of] == 1])
    place[node[plain]] = given.place[plain]

    winners: list[Ints] = []
    losers: list[Ints] = []
    fresh = sizes.size  # blocks of their own for documents whose preferences are pairs
    for members, edges, levels in _batches(graph, np.flatnonzero(n_subs > 1), sizes):
        bits = _closed(graph, members, edges, levels)
        shape = members.shape
        there = members >= 0
        # Whoever comes after a document has fewer after it; so an order of levels is where all those who have fewer
        # are after it.
        after = np.where(there, _ones(bits).reshape(shape), shape[1])
        order = np.argsort(after, axis=1, kind="stable")
        after = np.take_along_axis(after, order, axis=1)
        new = np.ones(shape, bool)
        new[:, 1:] = after[:, 1:] != after[:, :-1]
        first = np.maximum.accumulate(np.where(new, np.arange(shape[1]), 0), axis=1)
        is_order = ((after == first) | (after == shape[1])).all(axis=1)
        number = np.cumsum(new & (after < shape[1]), axis=1)
        above = np.empty(shape, np.int64)
        np.put_along_axis(above, order, number[:, -1:] - number, axis=1)
        sorted_out = there & is_order[:, None]
        place[members[sorted_out]] = above[sorted_out]
        pairs = members[~is_order]
        mine = pairs[pairs >= 0]
        block[mine] = fresh + np.arange(mine.size)
        fresh += mine.size
        win, lose = _listed(bits.reshape(*shape, -1)[~is_order])
        winners.append(pairs.ravel()[win])
        losers.append(pairs.ravel()[lose])
    win, lose = (np.concatenate([*ends, np.zeros(0, np.int64)]) for ends in (winners, losers))
    # By group. Pairs of a document follow each other.
    of_winner = np.flatnonzero(np.append(True, win[1:] != win[:-1])[: win.size])
    documents = np.argsort(group[win[of_winner]], kind="stable")
    by_group = Segments(np.append(of_winner, win.size)).rows(documents)
    win, lose = win[by_group], lose[by_group]
    # Of pairs there may be many more than judgments, so they take as little room as they can.
    short = row.astype(np.int32) if row.max() < 1 << 31 else row
    return _Closed(_Part(group, block, row, place, level), group[win], short[win], short[lose])


_BITS = 1 << 22  # of a batch


def _batches(graph: _Graph, mixed: Ints, sizes: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Parts of similar size, together small enough.

    Yields
    ------
    members : shape (n_parts, width), their documents, -1 where a part has less
    edges : their edges, by depth and vertex of the upper end
    levels : their vertices that are levels
    """
    mixed = mixed[np.argsort(sizes[mixed], kind="stable")]
    batch = np.zeros(sizes.size, np.int64)
    batches: list[Ints] = []
    start = 0
    while start < mixed.size:
        widths = sizes[mixed[start:]]  # rising
        fits = (widths <= max(2 * int(widths[0]), 8)) & (np.arange(1, widths.size + 1) * widths * widths <= _BITS)
        fits[0] = True
        stop = start + (widths.size if fits.all() else int(np.argmin(fits)))
        batches.append(mixed[start:stop])
        batch[mixed[start:stop]] = len(batches)
        start = stop
    # Vertices and edges by batch; those of batch 0 are in no part of several subgroups.
    of_vertex = batch[graph.part]
    by_depth = _order(of_vertex, graph.depth)
    turn = np.empty(of_vertex.size, np.int64)
    turn[by_depth] = np.arange(of_vertex.size)
    edges = np.argsort(turn[graph.upper], kind="stable")
    bounds = np.arange(len(batches) + 2)
    of_edge = np.searchsorted(of_vertex[graph.upper[edges]], bounds)
    levels = np.argsort(of_vertex[graph.row.size :], kind="stable")
    of_level = np.searchsorted(of_vertex[graph.row.size :][levels], bounds)
    of_part = np.argsort(graph.part[: graph.row.size], kind="stable")
    nodes = Segments.of_lengths(sizes)
    for b, which in enumerate(batches, 1):
        column = np.arange(sizes[which].max())
        there = column < sizes[which, None]
        members = np.full(there.shape, -1)
        members[there] = of_part[nodes.rows(which)]
        yield (
            members,
            edges[of_edge[b] : of_edge[b + 1]],
            graph.row.size + levels[of_level[b] : of_level[b + 1]],
        )


def _closed(graph: _Graph, members: Ints, edges: Ints, levels: Ints) -> Ints:
    """Rows of bits of all preferences: (n_parts * width, n_words), bit j of row i: i before document j of its part."""
    n_parts, width = members.shape
    there = members >= 0
    at = np.zeros(graph.depth.size, np.int64)  # row of the bits
    at[members[there]] = np.flatnonzero(there)
    at[levels] = n_parts * width + np.arange(levels.size)
    bits = np.zeros((n_parts * width + levels.size, (width + 63) // 64), np.uint64)
    lower = graph.lower[edges]
    upper, depth = at[graph.upper[edges]], graph.depth[graph.upper[edges]]
    # What an edge says itself.
    to_doc = lower < graph.row.size
    inner = at[lower[to_doc]] % width
    np.bitwise_or.at(bits, (upper[to_doc], inner >> 6), np.uint64(1) << (inner & 63).astype(np.uint64))
    # What follows from it, from the bottom: what an edge leads to is complete. The lowest lead to no more.
    further = graph.depth[lower] > 0
    upper, lower, depth = upper[further], at[lower[further]], depth[further]
    opens = np.flatnonzero(np.append(True, upper[1:] != upper[:-1])[: upper.size])
    steps = np.append(opens, upper.size)
    rising = np.flatnonzero(np.append(np.append(True, np.diff(depth[opens]) > 0)[: opens.size], True))
    for start, stop in zip(rising[:-1].tolist(), rising[1:].tolist(), strict=True):
        of = slice(int(steps[start]), int(steps[stop]))
        bits[upper[opens[start:stop]]] |= np.bitwise_or.reduceat(bits[lower[of]], opens[start:stop] - of.start, axis=0)
    return bits[: n_parts * width]


_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


def _ones(bits: Ints) -> Ints:
    """Number of bits that are set in each row: shape (n_rows,)."""
    return _ONES[bits.view(np.uint8)].sum(axis=1, dtype=np.int64)


def _listed(bits: Ints) -> tuple[Ints, Ints]:
    """Documents of each bit that is set, who is before whom, of (n_parts, width, n_words): as part * width + number."""
    words = np.flatnonzero(bits)
    row, word = np.divmod(words, max(bits.shape[2], 1))
    first = row - row % max(bits.shape[1], 1) + 64 * word
    in_bytes = bits.ravel()[words].astype("<u8").view(np.uint8)
    at = np.flatnonzero(np.unpackbits(in_bytes, bitorder="little"))
    return row[at >> 6], first[at >> 6] + (at & 63)


_LOOKS = 1 << 22


def _cycle(node: Ints, sub: Ints, place: Ints, source: Ints) -> list[tuple[int, int]]:
    """A shortest way back to where it began, as pairs of judgments; of a very large graph, a short one."""
    edges: dict[int, dict[int, tuple[int, int]]] = {}
    starts = np.flatnonzero(np.append(True, sub[1:] != sub[:-1]))
    for at in np.split(np.arange(sub.size), starts[1:]):
        for i in at.tolist():
            for j in at[place[at] > place[i]].tolist():
                pair = int(source[i]), int(source[j])
                edges.setdefault(int(node[i]), {}).setdefault(int(node[j]), pair)
    best: list[tuple[int, int]] = []
    looks = 0
    for start in sorted(edges):
        if best and looks > _LOOKS:
            break
        came: dict[int, int] = {}
        layer = [start]
        steps = 0
        while layer and start not in came and (not best or steps + 1 < len(best)):
            following = []
            for here in layer:
                looks += len(edges.get(here, ()))
                for other in edges.get(here, {}):
                    if other not in came:
                        came[other] = here
                        following.append(other)
            layer = following
            steps += 1
        if start not in came:
            continue
        way: list[tuple[int, int]] = []
        here = start
        while not way or here != start:
            way.append(edges[came[here]][here])
            here = came[here]
        best = way[::-1]
        if len(best) == 2:
            break
    return best
