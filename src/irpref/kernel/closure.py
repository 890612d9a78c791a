"""Derive the preferences that follow from judgments, or find how judgments contradict each other.

See `irpref.kernel.preference_pairs` for how they are stored, and for groups and subgroups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from irpref.kernel.preference_pairs import Preferences
from irpref.kernel.segments import Bools, Floats, Ints, Segments, opens


class ConflictingError(Exception):
    """Preferences of a group that cannot all hold.

    Attributes
    ----------
    rows : list of (int, int)
        Judgments: the first document is preferred to the second, with which the next pair begins;
        the last pair leads back to the first. One pair: a document is on two levels of a subgroup.
    """

    def __init__(self, rows: list[tuple[int, int]]) -> None:
        super().__init__(rows)
        self.rows = rows


def conflict_text(error: ConflictingError, judgment: Callable[[int], tuple[str, str, str]]) -> str:
    """Describe a contradiction in words; `judgment` gives topic, group and document of a row."""
    rows = error.rows
    topic, name, doc = judgment(rows[0][0])
    where = f"topic {topic!r}, group {name!r}: "
    hint = "; put judges who may disagree into different groups"
    if len(rows) == 1:
        return (
            f"{where}document {doc!r} is preferred to itself: it is on two levels of one subgroup"
        )
    docs = [judgment(winner)[2] for winner, _ in rows]
    if len(rows) == 2:
        return (
            f"{where}{docs[0]!r} is preferred to {docs[1]!r}, and {docs[1]!r} to {docs[0]!r}{hint}"
        )
    shown = docs if len(docs) <= 6 else [*docs[:3], "...", docs[-1]]
    way = " to ".join([repr(d) if d != "..." else d for d in [*shown, docs[0]]])
    return f"{where}the preferences form a cycle, from {way}{hint}"


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """Judgments by topic, group, subgroup, and from the highest level: arrays (n_judgments,)."""

    order: Ints  # which of the judgments given each is
    topic: Ints
    group: Ints  # numbers the groups of all topics
    sub: Ints  # numbers the subgroups of all groups
    row: Ints
    place: Ints  # level in the subgroup, 0 for the highest
    level: Floats
    several: Bools  # whether its group has several subgroups

    def where(self, mask: Bools) -> _Given:
        """Select the judgments that the mask keeps."""
        return _Given(*(getattr(self, column.name)[mask] for column in fields(self)))


def _given(topic: Ints, group: Ints, subgroup: Ints, row: Ints, level: Floats) -> _Given:
    """Put judgments in order. Raise `ConflictingError` if a document is on two levels of a
    subgroup.
    """
    order = np.lexsort((row, -level, subgroup, group, topic))
    topic, group, subgroup = topic[order], group[order], subgroup[order]
    row, level = row[order], level[order]
    group = np.cumsum(opens(topic, group)) - 1
    sub = np.cumsum(opens(group, subgroup)) - 1
    _check_levels(sub, row, level, order)
    subs = Segments.of_topics(sub)
    place = subs.running_count(subs.differs(level))
    several = np.bincount(group[subs.starts]) > 1
    return _Given(order, topic, group, sub, row, place, level, several[group])


def check(topic: Ints, group: Ints, subgroup: Ints, row: Ints, level: Floats) -> None:
    """Raise as `build` does if preferences contradict each other; faster, since it does not close
    them.

    Groups, subgroups and rows may be numbered in any way. The numbers decide which of several
    contradictions is raised."""
    given = _given(topic, group, subgroup, row, level)
    if given.several.any():
        _graph(given.where(given.several))


def _components(a: Ints, b: Ints, n: int, connection: str) -> tuple[int, Ints]:
    from scipy.sparse.csgraph import connected_components

    components: tuple[int, Ints] = connected_components(
        _edges(a, b, n), directed=connection == "strong", connection=connection
    )
    return components


def _edges(a: Ints, b: Ints, n: int) -> Any:
    """Build a graph of `n` nodes with edges from each `a` to its `b`."""
    from scipy.sparse import coo_array

    # Before 1.15, scipy needs 32-bit indices for graphs; with longer ones it fails, or is wrong.
    rows, columns = a.astype(np.int32), b.astype(np.int32)
    return coo_array((np.ones(a.size), (rows, columns)), shape=(n, n))


def build(
    topic: Ints,
    group: Ints,
    subgroup: Ints,
    row: Ints,
    level: Floats,
    n_topics: int,
    by_id: Ints | None = None,
) -> Preferences:
    """Build preferences from judgments: arrays (n_judgments,).

    Parameters
    ----------
    topic : int array
        From 0.
    group, subgroup : int array
        Numbers in the order of the names. Subgroups may be numbered in any order if all levels are
        above 0.
    row : int array
        Row of the document; documents of different topics have different rows.
    level : float array
    n_topics : int
    by_id : int array, optional
        See `Preferences`.

    Raises
    ------
    ConflictingError
        A document is on two levels of a subgroup, or preferences of a group lead back to where they
        began.
    """
    given = _given(topic, group, subgroup, row, level)
    n_groups = int(given.group.max(initial=-1)) + 1
    groups = Segments.of_topics(given.topic[opens(given.group)], n_topics)
    several, repeats = np.zeros((2, n_groups), bool)
    several[given.group[given.several]] = True
    repeats[given.group[1:][~opens(given.sub, given.row, given.place)[1:]]] = True

    one = given.where(~given.several)
    entries: list[Any] = [one.group, one.place, one.row, one.level]
    of_pair = winner = loser = np.zeros(0, np.int32)
    if several.any():
        closed, (of_pair, winner, loser) = _close(given.where(given.several))
        entries = [np.concatenate(both) for both in zip(entries, closed, strict=True)]
    order = np.lexsort(entries[2::-1])
    of_group, place, row, level = (column[order] for column in entries)
    by_group, pairs = (Segments.of_topics(owner, n_groups) for owner in (of_group, of_pair))
    return Preferences(
        groups, by_group, several, repeats, row, place, level, pairs, winner, loser, by_id
    )


def _check_levels(sub: Ints, row: Ints, level: Floats, source: Ints) -> None:
    order = np.lexsort((-level, row, sub))
    same = ~opens(sub[order], row[order])[1:]
    bad = np.flatnonzero(same & (level[order[1:]] != level[order[:-1]]))
    if bad.size:
        # The first in the input.
        pairs = source[np.array([order[bad], order[bad + 1]])]
        raise ConflictingError([tuple(pairs[:, np.argmin(pairs.min(axis=0))].tolist())])


@dataclass(frozen=True, slots=True, eq=False)
class _Graph:
    """Preferences of groups of several subgroups, as a graph without cycles.

    A vertex is a document in a group (the first `row.size`, by group), or a level of a subgroup
    that holds several documents: those of the level above lead to it, and it leads to its own. So
    there are at most twice as many edges as judgments."""

    group: Ints  # (n_documents,)
    row: Ints
    node: Ints  # (n_judgments,): the document's vertex
    upper: Ints  # (n_edges,)
    lower: Ints
    depth: Ints  # (n_vertices,): edges of the longest path down
    part: Ints  # (n_documents,): connected component


def _graph(given: _Given) -> _Graph:
    """Build the graph. Raises `ConflictingError` if it has a cycle."""
    base = int(given.row.min())
    width = int(given.row.max()) - base + 1
    keys, node = np.unique(given.group * width + (given.row - base), return_inverse=True)
    # Judgments of a level follow each other, and so do levels.
    starts = np.flatnonzero(opens(given.sub, given.place))
    tiers = Segments(np.append(starts, node.size))
    top = given.place[starts] == 0
    own = np.flatnonzero(~top & (tiers.lengths > 1))
    vertex = node[starts]
    vertex[own] = keys.size + np.arange(own.size)
    # From each document to the level below its own, which is the next one unless that is of another
    # subgroup.
    leads = ~np.append(top[1:], True)
    upper = np.concatenate([node[tiers.spread(leads)], np.repeat(vertex[own], tiers.lengths[own])])
    below = np.repeat(np.append(vertex[1:], 0)[leads], tiers.lengths[leads])
    lower = np.concatenate([below, node[tiers.rows(own)]])
    n = keys.size + own.size
    part = _components(upper, lower, n, "weak")[1].astype(np.int64)[: keys.size]
    group, row = np.divmod(keys, width)
    graph = _Graph(group, row + base, node, upper, lower, _depth(upper, lower, n), part)
    circular = graph.depth[: keys.size] < 0
    if circular.any():
        # Look in the smallest component.
        parts = np.unique(part[circular])
        smallest = parts[np.argmin(np.bincount(part)[parts])]
        raise ConflictingError(
            _circle(given.where(part[node] == smallest), node[part[node] == smallest])
        )
    return graph


def _depth(upper: Ints, lower: Ints, n: int) -> Ints:
    """Count the edges of the longest path down from each vertex, -1 if a path leads to a cycle:
    shape (n,).
    """
    depth = np.full(n, -1)
    left = np.bincount(upper, minlength=n)  # edges to vertices that are not done
    order = np.argsort(lower, kind="stable")
    into = Segments.of_topics(lower[order], n)
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


def _close(given: _Given) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Close the groups of several subgroups under transitivity.

    Returns
    -------
    entries : group, place, row and level of each
    pairs : group, winner and loser of the preferences, by group
    """
    graph = _graph(given)
    group, row, part = graph.group, graph.row, graph.part
    # A document has its level in the last subgroup: of several numbers for one place NumPy
    # keeps the last.
    level = np.empty(row.size)
    level[graph.node] = given.level

    # Bit i of a document is set if it comes before document i of its component, or is that one.
    by_part = np.argsort(part, kind="stable")
    parts = Segments.of_topics(part[by_part])
    bit = np.empty(row.size, np.int64)
    bit[by_part] = parts.position
    reached = [1 << i for i in bit.tolist()] + [0] * (graph.depth.size - row.size)
    edges = np.argsort(graph.depth[graph.upper], kind="stable")
    for upper, lower in zip(graph.upper[edges].tolist(), graph.lower[edges].tolist(), strict=True):
        reached[upper] |= reached[lower]  # all that the lower one leads to is there already

    # The pairs, from the bits that are set.
    texts = [
        (bits ^ 1 << own).to_bytes(bits.bit_length() // 8 + 1, "little")
        for bits, own in zip(reached[: row.size], bit.tolist(), strict=True)
    ]
    words = np.frombuffer(b"".join(texts), np.uint8)
    of_word = Segments.of_lengths([len(text) for text in texts])
    there = np.flatnonzero(words)
    word, digit = np.nonzero(np.unpackbits(words[there, None], axis=1, bitorder="little"))
    there = there[word]
    winner = of_word.topic[there]
    loser = by_part[parts.starts[part[winner]] + 8 * of_word.position[there] + digit]
    # There may be many more pairs than judgments: 32 bits will do.
    short = row.astype(np.int32) if row.max() < 1 << 31 else row
    return (group, np.zeros_like(row), row, level), (group[winner], short[winner], short[loser])


_STARTS = 256  # documents from which a cycle is searched for


def _circle(given: _Given, node: Ints) -> list[tuple[int, int]]:
    """Find a shortest cycle through one of the first documents, as pairs of judgments."""
    from scipy.sparse.csgraph import shortest_path

    sources: dict[tuple[int, int], tuple[int, int]] = {}
    for at in np.split(np.arange(node.size), np.flatnonzero(opens(given.sub))[1:]):
        for i in at.tolist():
            for j in at[given.place[at] > given.place[i]].tolist():
                sources.setdefault(
                    (int(node[i]), int(node[j])), (int(given.order[i]), int(given.order[j]))
                )
    docs, ends = np.unique(list(sources), return_inverse=True)
    upper, lower = ends.reshape(-1, 2).T
    graph = _edges(upper, lower, docs.size)
    part = _components(upper, lower, docs.size, "strong")[1]
    # A cycle does not leave its component.
    starts = np.flatnonzero(np.bincount(part)[part] > 1)[:_STARTS]
    steps, before = shortest_path(graph, unweighted=True, indices=starts, return_predecessors=True)
    number = np.full(docs.size, -1)
    number[starts] = np.arange(starts.size)
    last = np.flatnonzero(number[lower] >= 0)
    edge = last[np.lexsort((lower[last], steps[number[lower[last]], upper[last]]))[0]]
    way = [int(lower[edge]), int(upper[edge])]
    while way[-1] != way[0]:
        way.append(int(before[number[way[0]], way[-1]]))
    names = docs[way[::-1]].tolist()
    return [sources[pair] for pair in pairwise(names)]
