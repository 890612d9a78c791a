"""Tied documents of a run as groups, and the orders that they can have.

Documents of one group that the measures cannot tell apart (the same level, the same columns; all documents without
a judgment) are interchangeable. What differs are arrangements of such classes, each as likely as any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from irpref.analysis.ties.paths import Paths, n_steps, paths
from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments, order_by

T = TypeVar("T")
_LAST = np.iinfo(np.int64).max  # class of the documents without a judgment, behind all others


class Tied:
    """A run as groups of documents of equal score, by topic, in rank order.

    Attributes
    ----------
    run : JudgedRun
        In the order of the evaluation.
    groups : Segments
        Hits (rows) by group. Groups without a judged document are left out: their order cannot matter.
    first : int array (n_groups,)
        Rank of the group's first document.
    size : int array (n_groups,)
        Its documents, judged or not.
    topic : int array (n_groups,)
    """

    def __init__(self, run: JudgedRun, groups: Segments, first: Ints, size: Ints, by_worth: bool = False) -> None:
        self.run = run
        self.by_worth = by_worth  # whether grade 0 and no judgment are the same
        self.groups = groups
        self.first = first
        self.size = size
        self.topic: Ints = run.hits.topic[groups.starts]
        self.by_topic = Segments(np.searchsorted(self.topic, np.arange(run.n_topics + 1)))
        self._memo: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, run: JudgedRun) -> Tied:
        """Groups of an aligned run (`align_run` with `ties=True`)."""
        if run.rank_rising is None or run.tied_from is None:
            raise ValueError("align the run with ties=True")
        opens = np.ones(run.rank.size, bool)
        opens[1:] = (run.tied_from[1:] != run.tied_from[:-1]) | (run.hits.topic[1:] != run.hits.topic[:-1])
        starts = np.flatnonzero(opens)
        last = run.rank + run.rank_rising - run.tied_from
        first = run.tied_from[starts]
        return cls(run, Segments(np.append(starts, run.rank.size)), first, last[starts] - first + 1)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make()` gave for `key` the first time: measures share arrangements. See `JudgedRun.memo`."""
        if key not in self._memo:
            self._memo[key] = make()
        found: T = self._memo[key]
        return found

    def view(self, judged_only: bool, negative: bool = False) -> Tied:
        """Only documents with a judgment, ranked again from 1, if `judged_only`. See `JudgedRun.condensed`."""

        def make() -> Tied:
            view = self.run.condensed(negative)
            parts = self.groups if negative else self.groups.part(np.flatnonzero(self.run.grade >= 0))
            some = parts.lengths > 0
            groups = Segments(np.append(parts.starts[some], view.rank.size))
            return Tied(view, groups, view.rank[groups.starts], groups.lengths)

        return self.memo((Tied.view, negative), make) if judged_only else self

    def worth(self) -> Tied:
        """The same groups for measures that take a document without a judgment for one of grade 0."""
        return self.memo(Tied.worth, lambda: Tied(self.run, self.groups, self.first, self.size, by_worth=True))

    def slots(self, cutoff: int | Ints | None) -> Ints:
        """Ranks of each group that lie within the cutoff: shape (n_groups,). The cutoff may be one a topic."""
        if cutoff is None:
            return self.size
        limit = cutoff[self.topic] if isinstance(cutoff, np.ndarray) else cutoff
        return np.clip(limit - self.first + 1, 0, self.size)

    def total(self, of_groups: Floats) -> Floats:
        """Sum over the groups of each topic: (n_groups,) to (n_topics,)."""
        return self.by_topic.total(of_groups)

    def before(self, of_groups: Floats) -> Floats:
        """Sum over the groups above in the topic: (n_groups,) to (n_groups,)."""
        return self.by_topic.running(of_groups) - of_groups

    def arranged(self, key: Floats) -> JudgedRun:
        """The run with the documents of each group by falling key, (n_hits,); that of unjudged ones is 0."""
        order = np.lexsort((-key, self.groups.topic))
        alone = self.groups.spread(self.size - self.groups.lengths)
        rank = self.groups.spread(self.first) + self.groups.position + np.where(key[order] < 0, alone, 0)
        return _untied(self.run.pool, self.run.hits, rank, self.run.row[order], self.run.n_retrieved)

    # Arrangements one by one -----------------------------------------------------------------------------------

    @cached_property
    def _classes(self) -> Ints:
        """What measures can tell of each hit, as a number: shape (n_hits,)."""
        pool = self.run.pool
        if not pool.preferences_of_grades:  # each document may be preferred to others
            return self.run.row
        if self.by_worth:
            return np.where(self.run.grade == 0, _LAST, self.run.level)
        codes = [self.run.level]
        for name, column in pool.columns.items():
            if isinstance(name, tuple):  # as a measure reads it, not as it was given
                codes.append(np.unique(column[self.run.row], return_inverse=True)[1])
        return codes[0] if len(codes) == 1 else np.unique(np.array(codes), axis=1, return_inverse=True)[1].ravel()

    @cached_property
    def mixed(self) -> Bools:
        """Groups in which the order can matter: shape (n_groups,)."""
        other = np.zeros(self._classes.size, bool)
        other[1:] = self._classes[1:] != self._classes[:-1]
        other[self.groups.starts] = False
        alone = (self.size > self.groups.lengths) & (self.groups.count(self._classes != _LAST) > 0)
        return alone | (self.groups.count(other) > 0)

    def open_groups(self, cutoff: int | None) -> dict[int, list[int]]:
        """Topic to its groups in which the order can matter to a measure that sees the ranks down to `cutoff`."""
        matter = np.flatnonzero(self.mixed if cutoff is None else self.mixed & (self.first <= cutoff))
        out: dict[int, list[int]] = {}
        for group, topic in zip(matter.tolist(), self.topic[matter].tolist(), strict=True):
            out.setdefault(topic, []).append(group)
        return out

    def _counts(self, group: int) -> tuple[Ints, tuple[int, ...]]:
        """Hits of a group by class, and the size of each class; documents without a judgment are the last one."""
        return self.memo((Tied._counts, group), lambda: self._counted(group))

    def _counted(self, group: int) -> tuple[Ints, tuple[int, ...]]:
        rows = np.arange(self.groups.offsets[group], self.groups.offsets[group + 1])
        rows = rows[np.argsort(self._classes[rows], kind="stable")]
        alone = np.full(int(self.size[group]) - rows.size, _LAST)
        return rows, tuple(np.unique(np.append(self._classes[rows], alone), return_counts=True)[1].tolist())

    def n_orders(self, group: int, cutoff: int | None, most: int) -> int:
        """How many different orders a group has down to the cutoff; `most` + 1 if more than that."""
        number = 0
        for _, shown in _shown(self._counts(group)[1], int(self.slots(cutoff)[group])):
            left, orders = sum(shown), 1
            for size in shown:
                orders, left = orders * math.comb(left, size), left - size
            number += orders
            if number > most:
                return most + 1
        return number

    def every(self, topic: int, groups: list[int], cutoff: int | None) -> tuple[Ints, Floats]:
        """Every order of some groups of a topic down to the cutoff, the others as they are.

        Returns
        -------
        ranks : int array (n_orders, n_hits of the topic)
        chance : float array (n_orders,)
        """
        every = []
        for group in groups:
            rows, sizes = self._counts(group)
            every.append((rows, group, *_seen_places(sizes, int(self.slots(cutoff)[group]))))
        index = np.arange(math.prod(chance.size for *_, chance in every))
        hits, ranks = self.ranks(topic, index.size)
        share = np.ones(index.size)
        for rows, group, places, chance in every:
            ranks[:, rows - hits.start] = self.first[group] + places[index % chance.size, : rows.size]
            share *= chance[index % chance.size]
            index = index // chance.size
        return ranks, share

    def _choices(self, group: int, cutoff: int | None, divided: bool) -> Iterator[tuple[float, tuple[int, ...]]]:
        """What the first places of a group hold, with its chance; one choice unless the cutoff matters."""
        sizes, seen = self._counts(group)[1], int(self.slots(cutoff)[group])
        return _shown(sizes, seen) if divided and seen < sum(sizes) else iter([(1.0, sizes)])

    def n_steps(self, groups: list[int], cutoff: int | None, divided: bool, most: int) -> float:
        """Steps of all groups of a topic, see `paths`, or more; more than `most` if there are too many."""
        whole, divided_one, choices = 0.0, 0.0, 1  # the cutoff divides one group at most
        for group, seen in zip(groups, self.slots(cutoff)[groups].tolist(), strict=True):
            steps, number = 0.0, 0
            for _, shown in self._choices(group, cutoff, divided):
                steps, number = steps + n_steps(shown, seen), number + 1
                if steps > most:
                    return steps
            if number > 1:
                divided_one, choices = steps, number
            else:
                whole += steps
        return divided_one + choices * whole

    def walks(
        self, topic: int, groups: list[int], cutoff: int | None, divided: bool
    ) -> Iterator[tuple[Ints, tuple[float, list[Paths]]]]:
        """Orders that tell what each step of some groups of a topic adds.

        `divided`: one time for each choice of documents that a group has above the cutoff.

        Yields
        ------
        ranks : int array (n_orders, n_hits of the topic)
            The topic as it is, then the orders of one group after the other.
        chance : float
            Of the choice.
        walks : list of Paths
        """
        for choice in product(*(self._choices(group, cutoff, divided) for group in groups)):
            hits, base = self.ranks(topic, 1)
            walks, columns = [], []
            for group, (_, shown) in zip(groups, choice, strict=True):
                rows, sizes = self._counts(group)
                seen = int(self.slots(cutoff)[group])
                walks.append(paths(shown, seen))
                places = walks[-1].places if shown == sizes else _with_hidden(walks[-1].places, sizes, shown, seen)
                columns.append((rows - hits.start, self.first[group] + places[:, : rows.size]))
                if shown != sizes:
                    base[:, columns[-1][0]] = columns[-1][1][:1]
            ranks = [base]
            for at, of_group in columns:
                ranks.append(np.repeat(base, of_group.shape[0], axis=0))
                ranks[-1][:, at] = of_group
            yield np.vstack(ranks), (math.prod(chance for chance, _ in choice), walks)

    def drawn(self, topic: int, number: int, turn: int) -> Ints:
        """Orders of a topic drawn at random, an even number of them, each followed by the same with groups backwards.

        The mean of the two varies less than that of two orders, for most measures far less. The seed is made from the
        topic, so that nothing depends on other topics or measures.

        Returns
        -------
        int array (number, n_hits of the topic)
            Ranks.
        """
        hits, ranks = self.ranks(topic, number)
        which = slice(int(self.by_topic.offsets[topic]), int(self.by_topic.offsets[topic + 1]))
        documents, judged = Segments.of_lengths(self.size[which]), Segments.of_lengths(self.groups.lengths[which])
        seed = crc32(self.run.grade[hits].tobytes(), crc32(ranks[0].tobytes()))
        key = np.random.default_rng([14, turn, seed]).random((number // 2, documents.size))
        order = np.argsort(key + documents.topic, axis=1)  # groups stay where they are
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.broadcast_to(documents.position, order.shape), axis=1)
        place = place[:, judged.spread(documents.starts) + judged.position]
        first, last = (judged.spread(rank[which]) for rank in (self.first, self.first + self.size - 1))
        ranks[::2], ranks[1::2] = first + place, last - place
        return ranks

    def ranks(self, topic: int, number: int) -> tuple[slice, Ints]:
        """Hits (rows) of a topic, and their ranks as they are, `number` times: (number, n_hits of the topic)."""
        hits = slice(int(self.run.hits.offsets[topic]), int(self.run.hits.offsets[topic + 1]))
        return hits, np.tile(self.run.rank[hits], (number, 1))

    def copies(self, topics: Ints, ranks: Ints) -> Iterator[JudgedRun]:
        """Topics, each any number of times, with other ranks: one run, or one a topic where preferences were given.

        Parameters
        ----------
        topics : int array (k,)
        ranks : int array
            Of the hits of the first of these topics, then of the second, and so on.
        """
        run, pool = self.run, self.run.pool
        listed, rows = Segments.of_lengths(run.hits.lengths[topics]), run.hits.rows(topics)
        order = order_by(listed.topic, ranks, topics.size)
        row = (run.row[rows] - listed.spread(pool.judged.starts[topics]))[order]
        rank, n = ranks[order], run.n_retrieved[topics]
        if not pool.preferences_of_grades:  # they cannot be repeated with the judgments
            for i, t in enumerate(topics.tolist()):
                here = slice(int(listed.offsets[i]), int(listed.offsets[i + 1]))
                one = self.memo((Tied.copies, t), lambda t=t: pool.topics(t, t + 1))  # type: ignore[misc]
                yield _untied(one, listed.slice(i, i + 1), rank[here], row[here], n[i : i + 1])
            return
        judged, of_pool = Segments.of_lengths(pool.judged.lengths[topics]), pool.judged.rows(topics)
        columns = {name: column[of_pool] for name, column in pool.columns.items() if isinstance(name, tuple)}
        many = Judgments(judged, pool.grade[of_pool], columns)
        yield _untied(many, listed, rank, row + listed.spread(judged.starts), n)


def _untied(pool: Judgments, hits: Segments, rank: Ints, row: Ints, n_retrieved: Ints) -> JudgedRun:
    run = JudgedRun(pool, hits, rank, row, n_retrieved)
    run.rank_rising = rank
    return run


def _parts(sizes: tuple[int, ...], seen: int) -> Iterator[tuple[int, ...]]:
    """How many documents of each class `seen` places can hold."""
    if not sizes:
        yield ()
        return
    rest = sum(sizes[1:])
    for v in range(max(seen - rest, 0), min(sizes[0], seen) + 1):
        for others in _parts(sizes[1:], seen - v):
            yield (v, *others)


def _shown(sizes: tuple[int, ...], seen: int) -> Iterator[tuple[float, tuple[int, ...]]]:
    """How many documents of each class the first places can show, and the chance of it."""
    whole = math.comb(sum(sizes), seen)
    for shown in _parts(sizes, seen):
        yield float(Fraction(math.prod(map(math.comb, sizes, shown)), whole)), shown


@lru_cache(maxsize=16)
def _seen_places(sizes: tuple[int, ...], seen: int) -> tuple[Ints, Floats]:
    """As `_places`, one for each sequence that the first `seen` places can show, and the chance of each."""
    out, chances = [], []
    for chance, shown in _shown(sizes, seen):
        first = _places(tuple(v for v in shown if v))
        out.append(_with_hidden(first, sizes, shown, seen))
        chances.append(np.full(first.shape[0], chance / first.shape[0]))
    return np.vstack(out), np.concatenate(chances)


def _with_hidden(places: Ints, sizes: tuple[int, ...], shown: tuple[int, ...], seen: int) -> Ints:
    """Places of the documents shown, and of the others of each class behind them: (n_orders, n_documents)."""
    columns, at, hidden = [], 0, seen
    for v, size in zip(shown, sizes, strict=True):
        columns.append(places[:, at : at + v])
        columns.append(np.tile(np.arange(hidden, hidden + size - v), (places.shape[0], 1)))
        at, hidden = at + v, hidden + size - v
    return np.hstack(columns)


@lru_cache(maxsize=16)
def _places(sizes: tuple[int, ...]) -> Ints:
    """Places (from 0) of the documents of each class, class after class: (n_orders, n_documents)."""
    if len(sizes) == 1:
        return np.arange(sizes[0])[None, :]
    # Which places the first class takes; the others share what is left in the order of `_places`.
    n, rest = sum(sizes), _places(sizes[1:])
    out = []
    for chosen in combinations(range(n), sizes[0]):
        left = np.delete(np.arange(n), chosen)
        out.append(np.hstack([np.tile(np.array(chosen, dtype=np.int64), (rest.shape[0], 1)), left[rest]]))
    return np.vstack(out)
