"""Tied documents of a run as groups, and the orders in which they can stand.

Documents of one group that the measures cannot tell apart (the same level, the same columns; all documents without
a judgment) are interchangeable: what differs are arrangements of such classes, each as likely as any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any, TypeVar

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints, Segments

T = TypeVar("T")
_ROWS = 1 << 19  # judgments of a batch of arrangements


class Tied:
    """A run whose documents of equal score stand together, by topic, in rank order.

    Attributes
    ----------
    run : JudgedRun
        In the order of the evaluation.
    groups : Segments
        Hits (rows) by group. Groups without a judged document are left out: no order of theirs can matter.
    topic : int array (n_groups,)
    first : int array (n_groups,)
        Rank of the group's first document.
    size : int array (n_groups,)
        Its documents, judged or not.
    whole : tuple of int arrays (n_groups,)
        `first` and `size` before documents were left out (`condensed`).
    apart : bool
        Whether each judged document is a class of its own, since judgments say more of it than grade and columns.
    """

    apart = False

    def __init__(
        self, run: JudgedRun, groups: Segments, first: Ints, size: Ints, whole: tuple[Ints, Ints] | None = None
    ) -> None:
        self.run = run
        self.groups = groups
        self.first = first
        self.size = size
        self.whole = whole or (first, size)
        self.topic: Ints = run.hits.topic[groups.starts]
        self.by_topic = Segments(np.searchsorted(self.topic, np.arange(run.n_topics + 1)))
        self._memo: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, run: JudgedRun) -> Tied:
        """Groups of an aligned run (`judge` with `ties=True`)."""
        if run.rank_rising is None or run.tied_from is None:
            raise ValueError("align the run with ties=True")
        opens = np.ones(run.rank.size, bool)
        opens[1:] = (run.tied_from[1:] != run.tied_from[:-1]) | (run.hits.topic[1:] != run.hits.topic[:-1])
        starts = np.flatnonzero(opens)
        last = run.rank + run.rank_rising - run.tied_from
        first = run.tied_from[starts]
        return cls(run, Segments(np.append(starts, run.rank.size)), first, last[starts] - first + 1)

    def told_apart(self) -> Tied:
        """The same, each judged document a class of its own."""
        other = Tied(self.run, self.groups, self.first, self.size, self.whole)
        other.apart = True
        return other

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make()` gave for `key` the first time: measures share arrangements. See `JudgedRun.memo`."""
        if key not in self._memo:
            self._memo[key] = make()
        found: T = self._memo[key]
        return found

    def condensed(self, negative: bool = False) -> Tied:
        """Only documents with a judgment, ranked again from 1. See `JudgedRun.condensed`."""

        def make() -> Tied:
            kept = np.flatnonzero(np.ones(self.run.rank.size, bool) if negative else self.run.grade >= 0)
            view = self.run.condensed(negative)
            parts = self.groups.part(kept)
            some = parts.lengths > 0
            groups = Segments(np.append(parts.starts[some], kept.size))
            return Tied(
                view, groups, view.rank[groups.starts], groups.lengths, (self.whole[0][some], self.whole[1][some])
            )

        return self.memo((Tied.condensed, negative), make)

    def view(self, judged_only: bool) -> Tied:
        """`condensed` if `judged_only`."""
        return self.condensed() if judged_only else self

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

    def arranged(self, key: Floats, missing: float) -> JudgedRun:
        """The run with the documents of each group by falling key: (n_hits,).

        `missing` is the key of documents without a judgment.
        """
        group = self.groups.topic
        order = np.lexsort((-key, group))
        alone = self.groups.spread(self.size - self.groups.lengths)
        rank = self.groups.spread(self.first) + self.groups.position + np.where(key[order] < missing, alone, 0)
        return self._run(self.run.pool, self.run.hits, rank, self.run.row[order], self.run.n_retrieved)

    @staticmethod
    def _run(pool: Judgments, hits: Segments, rank: Ints, row: Ints, n_retrieved: Ints) -> JudgedRun:
        run = JudgedRun(pool, hits, rank, row, n_retrieved)
        run.rank_rising = rank  # an arrangement has no ties
        return run

    # Arrangements one by one --------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> Ints:
        """What measures can tell of each hit, as a number: shape (n_hits,)."""
        pool = self.run.pool
        if self.apart:
            return self.run.row
        codes = [pool.level[self.run.row]]
        for name, column in pool.columns.items():
            if isinstance(name, tuple):  # as a measure reads it, not as it was given
                codes.append(np.unique(column[self.run.row], return_inverse=True)[1])
        if not pool.preferences_of_grades:  # each document may be preferred to others
            codes.append(self.run.row)
        return codes[0] if len(codes) == 1 else np.unique(np.array(codes), axis=1, return_inverse=True)[1].ravel()

    @cached_property
    def mixed(self) -> Bools:
        """Groups in which the order can matter: shape (n_groups,)."""
        other = np.zeros(self.classes.size, bool)
        other[1:] = self.classes[1:] != self.classes[:-1]
        other[self.groups.starts] = False
        return (self.size > self.groups.lengths) | (self.groups.count(other) > 0)

    def counts(self, group: int) -> tuple[Ints, tuple[int, ...]]:
        """Hits of a group by class, and the size of each class; documents without a judgment are the last one."""
        rows = np.arange(self.groups.offsets[group], self.groups.offsets[group + 1])
        rows = rows[np.argsort(self.classes[rows], kind="stable")]
        sizes = np.unique(self.classes[rows], return_counts=True)[1].tolist()
        alone = int(self.size[group]) - rows.size
        return rows, tuple([*sizes, alone] if alone else sizes)

    def arrangements(self, topic: int, cutoff: int | None = None) -> int:
        """How many different orders a topic has, down to the cutoff."""
        groups = self._mixed_of(topic, cutoff)
        slots = self.slots(cutoff)
        return math.prod((_sequences(self.counts(g)[1], int(slots[g])) for g in groups), start=1)

    def widest(self, topic: int, cutoff: int | None = None) -> int:
        """Documents of its largest group in which the order can matter, 0 if there is none."""
        return max((int(self.size[g]) for g in self._mixed_of(topic, cutoff)), default=0)

    def _mixed_of(self, topic: int, cutoff: int | None = None) -> list[int]:
        groups = slice(self.by_topic.offsets[topic], self.by_topic.offsets[topic + 1])
        matter = self.mixed[groups]
        if cutoff is not None:
            matter = matter & (self.first[groups] <= cutoff)
        return (np.flatnonzero(matter) + groups.start).tolist()

    def every(self, topic: int, cutoff: int | None = None) -> Iterator[tuple[list[JudgedRun], Floats]]:
        """Every arrangement of a topic down to the cutoff, each as a topic of one of some runs, and their chances."""
        parts = []
        slots = self.slots(cutoff)
        for g in self._mixed_of(topic, cutoff):
            rows, sizes = self.counts(g)
            places, chance = _seen_places(sizes, int(slots[g]))
            parts.append((rows, self.first[g] + places[:, : rows.size], chance))
        number = math.prod(chance.size for _, _, chance in parts)
        step = self._step(topic)
        for start in range(0, number, step):
            index = np.arange(start, min(start + step, number))
            ranks = self._ranks(topic, index.size)
            share = np.ones(index.size)
            for rows, of_group, chance in parts:
                ranks[:, rows - self.run.hits.offsets[topic]] = of_group[index % chance.size]
                share *= chance[index % chance.size]
                index = index // chance.size
            yield self._copies(topic, ranks), share

    def each(self, topic: int, cutoff: int | None = None) -> Iterator[tuple[list[JudgedRun], Floats]]:
        """As `every`, for one group after the other, all others standing as they do."""
        slots = self.slots(cutoff)
        for g in self._mixed_of(topic, cutoff):
            rows, sizes = self.counts(g)
            places, chance = _seen_places(sizes, int(slots[g]))
            ranks = self._ranks(topic, chance.size)
            ranks[:, rows - self.run.hits.offsets[topic]] = self.first[g] + places[:, : rows.size]
            yield self._copies(topic, ranks), chance

    def alone(self, topic: int, cutoff: int | None = None) -> int:
        """The largest number of arrangements of one group of a topic, down to the cutoff."""
        slots = self.slots(cutoff)
        groups = self._mixed_of(topic, cutoff)
        return max((_sequences(self.counts(g)[1], int(slots[g])) for g in groups), default=1)

    def as_it_is(self, topic: int) -> list[JudgedRun]:
        """One topic as it stands."""
        return self._copies(topic, self._ranks(topic, 1))

    def drawn(self, topic: int, number: int, rng: np.random.Generator) -> Iterator[tuple[list[JudgedRun], Floats]]:
        """As `every`, this many orders, drawn at random."""
        step = self._step(topic)
        for start in range(0, number, step):
            ranks = self._ranks(topic, min(step, number - start))
            for g in self._mixed_of(topic):
                rows = slice(self.groups.offsets[g], self.groups.offsets[g + 1])
                places = np.argsort(rng.random((ranks.shape[0], int(self.size[g]))), axis=1)
                base = self.run.hits.offsets[topic]
                ranks[:, rows.start - base : rows.stop - base] = self.first[g] + places[:, : rows.stop - rows.start]
            yield self._copies(topic, ranks), np.full(ranks.shape[0], 1 / number)

    def by_grade(self, topic: int) -> list[JudgedRun]:
        """Two arrangements of a topic, as `every`: by falling and by rising grade, those without one as 0."""
        ranks, base = self._ranks(topic, 2), self.run.hits.offsets[topic]
        for g in self._mixed_of(topic):
            rows = np.arange(self.groups.offsets[g], self.groups.offsets[g + 1])
            grade = np.append(self.run.grade[rows], np.zeros(int(self.size[g]) - rows.size))
            for copy, sign in enumerate((-1, 1)):
                place = np.argsort(np.argsort(sign * grade, kind="stable"), kind="stable")
                ranks[copy, rows - base] = self.first[g] + place[: rows.size]
        return self._copies(topic, ranks)

    def _step(self, topic: int) -> int:
        return max(_ROWS // max(int(self.run.pool.judged.lengths[topic]), int(self.run.hits.lengths[topic]), 1), 1)

    def _ranks(self, topic: int, number: int) -> Ints:
        hits = self.run.hits
        return np.tile(self.run.rank[hits.offsets[topic] : hits.offsets[topic + 1]], (number, 1))

    def _copies(self, topic: int, ranks: Ints) -> list[JudgedRun]:
        """One topic many times, with these ranks of its hits: (number, n_hits of the topic)."""
        number, width = ranks.shape
        pool, hits = self.run.pool, self.run.hits
        rows = slice(pool.judged.offsets[topic], pool.judged.offsets[topic + 1])
        size = int(rows.stop - rows.start)
        own = self.run.row[hits.offsets[topic] : hits.offsets[topic + 1]] - rows.start
        order = np.argsort(ranks, axis=1)
        rank = np.take_along_axis(ranks, order, axis=1)
        retrieved = self.run.n_retrieved[topic]
        if self.apart:
            # What else the judgments hold only they themselves can take a part of.
            one, all_of = pool.topics(topic, topic + 1), Segments([0, width])
            return [self._run(one, all_of, rank[i], own[order[i]], np.full(1, retrieved)) for i in range(number)]
        columns = {n: np.tile(c[rows], number) for n, c in pool.columns.items() if isinstance(n, tuple)}
        many = Judgments(Segments(np.arange(number + 1) * size), np.tile(pool.grade[rows], number), columns)
        row = (own[order] + np.arange(number)[:, None] * size).ravel()
        every = Segments(np.arange(number + 1) * width)
        return [self._run(many, every, rank.ravel(), row, np.full(number, retrieved))]


def _sequences(sizes: tuple[int, ...], seen: int) -> int:
    """How many different sequences of classes the first `seen` places can show."""
    ways = [1, *[0] * seen]  # by length, of the classes so far
    for size in sizes:
        ways = [
            sum(ways[t - v] * math.comb(t, v) for v in range(min(size, t) + 1) if ways[t - v]) for t in range(seen + 1)
        ]
    return ways[seen]


@lru_cache(maxsize=16)
def _seen_places(sizes: tuple[int, ...], seen: int) -> tuple[Ints, Floats]:
    """As `_places`, one for each sequence that the first `seen` places can show, and the chance of each."""
    n = sum(sizes)
    if seen == n:
        places = _places(sizes)
        return places, np.full(places.shape[0], 1 / places.shape[0])
    out, chances = [], []
    for shown in product(*(range(min(size, seen) + 1) for size in sizes)):
        if sum(shown) != seen:
            continue
        first = _places(tuple(v for v in shown if v))
        columns, at, hidden = [], 0, seen
        for v, size in zip(shown, sizes, strict=True):
            columns.append(first[:, at : at + v])
            columns.append(np.tile(np.arange(hidden, hidden + size - v), (first.shape[0], 1)))
            at, hidden = at + v, hidden + size - v
        out.append(np.hstack(columns))
        drawn = Fraction(math.prod(map(math.comb, sizes, shown)), math.comb(n, seen))
        chances.append(np.full(first.shape[0], float(drawn / first.shape[0])))
    return np.vstack(out), np.concatenate(chances)


@lru_cache(maxsize=16)
def _places(sizes: tuple[int, ...]) -> Ints:
    """Places (from 0) of the documents of each class, class after class: (n_arrangements, n_documents)."""
    if len(sizes) == 1:
        return np.arange(sizes[0])[None, :]
    # Which places the first class takes; the others share what is left in the order of `_places`.
    n, rest = sum(sizes), _places(sizes[1:])
    out = []
    for chosen in combinations(range(n), sizes[0]):
        left = np.array([place for place in range(n) if place not in chosen], dtype=np.int64)
        out.append(np.hstack([np.tile(np.array(chosen, dtype=np.int64), (rest.shape[0], 1)), left[rest]]))
    return np.vstack(out)
