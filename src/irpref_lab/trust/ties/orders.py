"""Tied documents of a run as groups, and the orders that they can have.

Documents of a group are interchangeable if the measures cannot tell them apart: they have the same
level and the same columns, or are all unjudged. Only the arrangements of such classes differ, and
all are equally likely."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any
from zlib import crc32

import numpy as np

from irpref.errors import ArgumentError
from irpref.kernel import Bools, Floats, Grades, Ints, JudgedRun, Levels, Segments, opens, order_by

# up to this number of different orders of a topic all are tried, if there is no closed form
ARRANGEMENTS = 1_000
_LAST = np.iinfo(np.int64).max  # class of the unjudged documents, after all others


class Tied:
    """A run as groups of documents of equal score, by topic, in rank order.

    Attributes
    ----------
    run : JudgedRun
        In the order of the evaluation.
    groups : Segments
        Hits (rows) by group. Groups without a judged document are left out: their order cannot
        matter.
    first : int array (n_groups,)
        Rank of the group's first document.
    size : int array (n_groups,)
        Number of documents in the group, judged or not.
    topic : int array (n_groups,)
    """

    def __init__(self, run: JudgedRun, groups: Segments, first: Ints, size: Ints) -> None:
        self.run = run
        self.groups = groups
        self.first = first
        self.size = size
        self.topic: Ints = run.hits.topic[groups.starts]
        self.by_topic = Segments(np.searchsorted(self.topic, np.arange(run.n_topics + 1)))

    @classmethod
    def of_run(cls, run: JudgedRun) -> Tied:
        """Group the hits of an aligned run (`align_run` with `ties=True`)."""
        if run.rank_rising is None or run.tied_from is None:
            raise ArgumentError("align the run with ties=True", parameter="run")
        starts = np.flatnonzero(opens(run.tied_from, run.hits.topic))
        last = run.rank + run.rank_rising - run.tied_from
        first = run.tied_from[starts]
        return cls(run, Segments(np.append(starts, run.rank.size)), first, last[starts] - first + 1)

    def view(self, judged_only: bool, negative: bool = False) -> Tied:
        """Select the judged documents, ranked again, if `judged_only`. See
        `JudgedRun.condensed`.
        """

        def compute() -> Tied:
            view, parts = self.run.condensed(negative), self.groups
            if not negative:
                parts = parts.part(np.flatnonzero(self.run.grade >= 0))
            some = parts.lengths > 0
            groups = Segments(np.append(parts.starts[some], view.rank.size))
            return Tied(view, groups, view.rank[groups.starts], groups.lengths)

        return self.run.memo((Tied.view, negative), compute) if judged_only else self

    def slots(self, cutoff: int | Ints | None) -> Ints:
        """Count the ranks of each group within the cutoff: shape (n_groups,). The cutoff may differ
        by topic.
        """
        if cutoff is None:
            return self.size
        limit = cutoff[self.topic] if isinstance(cutoff, np.ndarray) else cutoff
        return np.clip(limit - self.first + 1, 0, self.size)

    def before(self, of_groups: Floats) -> Floats:
        """Sum over the groups above in the topic: (n_groups,) to (n_groups,)."""
        return self.by_topic.running(of_groups) - of_groups

    def arranged(self, key: Floats) -> JudgedRun:
        """Sort each group of the run by falling key, (n_hits,); the key of unjudged documents
        is 0.
        """
        order = np.lexsort((-key, self.groups.topic))
        alone = self.groups.spread(self.size - self.groups.lengths)
        rank = (
            self.groups.spread(self.first)
            + self.groups.position
            + np.where(key[order] < 0, alone, 0)
        )
        return _untied(
            self.run.pool, self.run.hits, rank, self.run.row[order], self.run.n_retrieved
        )

    # Arrangements one by one ----------------------------------------------------------------------

    @cached_property
    def _classes(self) -> Ints:
        """Class of each hit, the same for hits that measures cannot tell apart: shape (n_hits,)."""
        pool = self.run.pool
        if not pool.preferences_of_grades:  # every document may be in different preferences
            return self.run.row
        codes = [self.run.level]
        for name, column in pool.columns.items():
            if isinstance(name, tuple):  # as a measure reads it, not as it was given
                codes.append(np.unique(column[self.run.row], return_inverse=True)[1])
        if len(codes) == 1:
            return codes[0]
        return np.unique(np.array(codes), axis=1, return_inverse=True)[1].ravel()

    @cached_property
    def mixed(self) -> Bools:
        """Groups in which the order can matter: shape (n_groups,)."""
        other = opens(self._classes)
        other[self.groups.starts] = False
        alone = (self.size > self.groups.lengths) & (self.groups.count(self._classes != _LAST) > 0)
        return alone | (self.groups.count(other) > 0)

    def open_groups(self, cutoff: int | None) -> dict[int, list[int]]:
        """Map each topic to its groups in which the order can matter to a measure that reads the
        ranks down to `cutoff`.
        """
        is_open = self.mixed if cutoff is None else self.mixed & (self.first <= cutoff)
        matter = np.flatnonzero(is_open)
        out: dict[int, list[int]] = {}
        for group, topic in zip(matter.tolist(), self.topic[matter].tolist(), strict=True):
            out.setdefault(topic, []).append(group)
        return out

    @cached_property
    def _by_class(self) -> tuple[Ints, list[int], list[int]]:
        """Hits, in each group by class; the sizes of all classes, and where the classes of each
        group begin.
        """
        order = np.lexsort((self._classes, self.groups.topic))
        classes = Segments.of_equal(self.groups.topic, self._classes[order])
        begin = classes.starts.searchsorted(self.groups.offsets)
        sizes, last = classes.lengths.copy(), self._classes[order[self.groups.ends - 1]] == _LAST
        # Unjudged documents count as these.
        sizes[begin[1:][last] - 1] += (self.size - self.groups.lengths)[last]
        return order, sizes.tolist(), begin.tolist()

    def _counts(self, group: int) -> tuple[Ints, tuple[int, ...]]:
        """Return the hits of a group by class, and the size of each class; unjudged documents are
        the last class.
        """
        order, sizes, begin = self._by_class
        rows = order[self.groups.span(group)]
        of_group = tuple(sizes[begin[group] : begin[group + 1]])
        alone = int(self.size[group]) - sum(of_group)
        return rows, (*of_group, alone) if alone else of_group

    def every(
        self, topic: int, groups: list[int], cutoff: int | None
    ) -> tuple[Ints, Floats] | None:
        """List every order of some groups of a topic down to the cutoff; other groups keep their
        order.

        Returns
        -------
        ranks : int array (n_orders, n_hits of the topic)
        chance : float array (n_orders,)
            None in place of both if there are more than `ARRANGEMENTS`.
        """
        every, number = [], 1
        for group in groups:
            rows, sizes = self._counts(group)
            arrangement = _orders(sizes, int(self.slots(cutoff)[group]))
            if arrangement is None or number * arrangement[1].size > ARRANGEMENTS:
                return None
            number *= arrangement[1].size
            every.append((rows, group, *arrangement))
        index = np.arange(number)
        hits, ranks = self.ranks(topic, number)
        share = np.ones(number)
        for rows, group, places, chance in every:
            ranks[:, rows - hits.start] = (
                self.first[group] + places[index % chance.size, : rows.size]
            )
            share *= chance[index % chance.size]
            index = index // chance.size
        return ranks, share

    def drawn(self, topic: int, number: int, turn: int) -> Ints:
        """Draw an even number of random orders of a topic, each followed by the same order with its
        groups reversed.

        The mean of such a pair varies less than the mean of two independent orders, for most
        measures far less. The seed is derived from the topic, so that the draws do not depend on
        other topics or measures.

        Returns
        -------
        int array (number, n_hits of the topic)
            Ranks.
        """
        hits, ranks = self.ranks(topic, number)
        which = self.by_topic.span(topic)
        documents = Segments.of_lengths(self.size[which])
        judged = Segments.of_lengths(self.groups.lengths[which])
        seed = crc32(self.run.grade[hits].tobytes(), crc32(ranks[0].tobytes()))
        key = np.random.default_rng([14, turn, seed]).random((number // 2, documents.size))
        order = np.argsort(key + documents.topic, axis=1)  # groups stay where they are
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.broadcast_to(documents.position, order.shape), axis=1)
        place = place[:, judged.spread(documents.starts) + judged.position]
        first = judged.spread(self.first[which])
        last = first + judged.spread(self.size[which]) - 1
        ranks[::2], ranks[1::2] = first + place, last - place
        return ranks

    def ranks(self, topic: int, number: int) -> tuple[slice, Ints]:
        """Return the hits (rows) of a topic, and `number` copies of their ranks: (number, n_hits of
        the topic).
        """
        hits = self.run.hits.span(topic)
        return hits, np.tile(self.run.rank[hits], (number, 1))

    def copies(self, topics: Ints, ranks: Ints) -> Iterator[JudgedRun]:
        """Copy topics with other ranks: one run, or a run for each copy if the judgments are
        preferences.

        Parameters
        ----------
        topics : int array (k,)
        ranks : int array
            Ranks of the hits of the first of these topics, then of the second, and so on.
        """
        run, pool = self.run, self.run.pool
        listed, rows = Segments.of_lengths(run.hits.lengths[topics]), run.hits.rows(topics)
        order = order_by(listed.topic, ranks, topics.size)
        rank, n = ranks[order], run.n_retrieved[topics]
        row = (run.row[rows] - listed.spread(pool.judged.starts[topics]))[order]
        if not pool.preferences_of_grades:  # preferences cannot be repeated with the judgments
            for i, t in enumerate(topics.tolist()):
                here = listed.span(i)
                yield _untied(
                    pool.topics(t, t + 1),
                    listed.slice(i, i + 1),
                    rank[here],
                    row[here],
                    n[i : i + 1],
                )
            return
        of_topics = pool.levels.rows(topics)

        def columns() -> dict[Any, Any]:
            of_pool = pool.judged.rows(topics)
            return {
                name: column[of_pool]
                for name, column in pool.columns.items()
                if isinstance(name, tuple)
            }

        levels = Segments.of_lengths(pool.levels.lengths[topics])
        many = Levels(levels, pool.level_grade[of_topics], pool.level_size[of_topics], columns)
        level = (run.level[rows] + listed.spread(many.levels.starts - pool.levels.starts[topics]))[
            order
        ]
        yield _untied(many, listed, rank, row + listed.spread(many.judged.starts), n, level)


def _untied(
    pool: Grades,
    hits: Segments,
    rank: Ints,
    row: Ints,
    n_retrieved: Ints,
    level: Ints | None = None,
) -> JudgedRun:
    return JudgedRun(pool, hits, rank, row, n_retrieved, level, rank_rising=rank)


@lru_cache(maxsize=16)
def _orders(sizes: tuple[int, ...], seen: int) -> tuple[Ints, Floats] | None:
    """List each sequence of classes that the first places can hold, and its probability; None if
    there are too many.

    Returns
    -------
    places : int array (n_orders, n_documents)
        Places, from 0, of the documents of each class, class after class.
    chance : float array (n_orders,)
    """
    shown, left, chance = np.zeros((1, 0), np.int16), np.array([sizes]), np.ones(1)
    for place in range(seen):
        row, kind = np.nonzero(left)
        if row.size > ARRANGEMENTS:
            return None
        chance = chance[row] * left[row, kind] / (sum(sizes) - place)
        shown, left = np.column_stack([shown[row], kind.astype(np.int16)]), left[row]
        left[np.arange(row.size), kind] -= 1
    rest = np.repeat(np.tile(np.arange(len(sizes)), chance.size), left.ravel()).reshape(
        chance.size, -1
    )
    return np.argsort(np.hstack([shown, rest]), axis=1, kind="stable"), chance
