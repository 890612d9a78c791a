"""The judgments: indexed once, in ideal order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irpref.judged.inputs import Table, as_list, as_table, dict_columns, group, is_missing, str_list, take
from irpref.judged.match import CHUNK_ROWS, ArrowDocs, Keys, arrow_pays, chunks, repeated
from irpref.judged.run import JudgedRun, Listing
from irpref.segments import Bools, Floats, Ints, Segments, order_by

Gains = tuple[tuple[float, float], ...] | None
_KEPT = 1 << 20  # judgments up to which what measures share of them is kept for the next run


class ConflictError(ValueError):
    """Two judgments of one document differ."""


class Judgments:
    """What the measures see of the qrels: arrays, by topic, in ideal order.

    A *level* is a grade that occurs in a topic. Sums over the pool go over the few levels of a topic, not over its
    many documents.

    Attributes
    ----------
    judged : Segments
        Judged documents (rows) by topic.
    grade : float array (n_judged,)
        Grades, falling inside each topic: the rows of a topic stand in ideal order.
    levels : Segments
        Levels (rows) by topic, by falling grade.
    level_grade : float array (n_levels,)
    level_size : int array (n_levels,)
        Documents of the level.
    level_start : int array (n_levels,)
        First row of the level; its documents follow each other.
    columns : dict of str to array (n_judged,)
        Further columns of the qrels that the measures asked for, and under (parameter, name) what a measure
        reads in them: `known` truth values, `expected` numbers.
    """

    def __init__(self, judged: Segments, grade: Floats, columns: Mapping[Any, Any] | None = None) -> None:
        self.judged = judged
        self.grade = grade
        self.columns: dict[Any, Any] = dict(columns or {})
        opens = np.ones(grade.size, bool)
        opens[1:] = grade[1:] != grade[:-1]
        opens[judged.starts[judged.lengths > 0]] = True
        self.level_start: Ints = np.flatnonzero(opens)
        self.level_size: Ints = np.diff(np.append(self.level_start, grade.size))
        self.level_grade: Floats = grade[self.level_start]
        self.levels = Segments(np.searchsorted(self.level_start, judged.offsets))
        self._memo: dict[Any, Any] = {}

    @property
    def n_topics(self) -> int:
        """Number of topics of the qrels."""
        return self.judged.n

    @cached_property
    def level(self) -> Ints:
        """Level of each judged document: shape (n_judged,)."""
        return np.repeat(np.arange(self.level_start.size), self.level_size)

    def memo(self, key: Any, make: Any) -> Any:
        """Return what `make()` gave for `key` the first time."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def level_mapped(self, gains: Gains) -> Floats:
        """`gains.get(grade, grade)` of each level: shape (n_levels,)."""
        out = self.level_grade.copy()
        for grade, gain in gains or ():
            out[self.level_grade == grade] = gain
        return out

    def level_gain(self, gains: Gains) -> Floats:
        """`level_mapped`, but 0 for grades of 0 and below: shape (n_levels,)."""
        return self.memo(("level gain", gains), lambda: np.where(self.level_grade > 0, self.level_mapped(gains), 0.0))

    def gain(self, gains: Gains) -> Floats:
        """Gain of each judged document: shape (n_judged,), falling inside each topic."""
        return self.memo(("gain", gains), lambda: self.level_gain(gains)[self.level])

    def level_ratio_gain(self, gains: Gains) -> Floats:
        """`level_gain` for ratios of sums of gains, which must not leave the range of a double: shape (n_levels,).

        The gains themselves, but in a topic with a gain above 2^850 they are divided by a power of two.
        """

        def make() -> Floats:
            gain = self.level_gain(gains)
            excess = np.maximum(np.frexp(self.levels.maximum(gain))[1] - 850, 0)
            return np.ldexp(gain, -self.levels.spread(excess)) if excess.any() else gain

        return self.memo(("ratio gain", gains), make)

    def whole(self, gains: Gains) -> bool:
        """Whether all gains are whole numbers, and so small that sums of them are exact."""

        def make() -> bool:
            gain = self.level_gain(gains)
            return bool((gain == np.rint(gain)).all() and gain.max(initial=0.0) < 2.0**53 / max(self.grade.size, 1))

        return self.memo(("whole", gains), make)

    def ideal(self, gains: Gains) -> tuple[Segments, Floats]:
        """The documents with a gain: rows by topic, and gains, falling inside each topic, as `level_ratio_gain`."""

        def make() -> tuple[Segments, Floats]:
            # Gains do not rise while grades fall, so these are the first rows of each topic.
            size = np.where(self.level_gain(gains) > 0, self.level_size, 0)
            relevant = self.levels.total_whole(size.astype(np.float64))
            return Segments.of_lengths(relevant), np.repeat(self.level_ratio_gain(gains), size)

        return self.memo(("ideal", gains), make)

    def level_total(self, values: Floats) -> Floats:
        """Sum over all judged documents of a value their level has: (n_levels,) to (n_topics,)."""
        return self.levels.total(values * self.level_size)

    def count_relevant(self, rel: float) -> Ints:
        """R, the number of documents with a grade of at least `rel`: shape (n_topics,)."""
        return self.memo(("rel", rel), lambda: self.count_levels(self.level_grade >= rel))

    def count_levels(self, mask: Bools) -> Ints:
        """Judged documents of the levels where `mask` holds: (n_levels,) to (n_topics,)."""
        return self.level_total(mask.astype(np.float64)).astype(np.int64)

    def topics(self, start: int, stop: int) -> Judgments:
        """Topics `start` to `stop - 1`."""

        def make() -> Judgments:
            rows = slice(self.judged.offsets[start], self.judged.offsets[stop])
            return Judgments(
                self.judged.slice(start, stop),
                self.grade[rows],
                {name: column[rows] for name, column in dict(self.columns).items()},
            )

        if self.grade.size > _KEPT:
            return make()
        # Columns may join later, when other measures ask for them.
        return self.memo(("topics", start, stop, *self.columns), make)


class Pool(Judgments):
    """The qrels, ready to judge any number of runs.

    Attributes
    ----------
    topic_ids : list of str
        In order of first appearance.
    doc_ids : object array of str, shape (n_judged,)
    found : names of all columns of the input
    """

    def __init__(
        self,
        topic_ids: list[str],
        judged: Segments,
        grade: Floats,
        docs: Any,
        order: Ints,
        columns: Mapping[str, Any] | None = None,
        found: Sequence[str] = (),
    ) -> None:
        super().__init__(judged, grade, columns)
        self.topic_ids = topic_ids
        self.topic_of = {name: t for t, name in enumerate(topic_ids)}
        self.found = tuple(found)
        self._given_docs: list[str] | ArrowDocs = docs  # in the order of the input, by topic
        self._order = order  # from ideal order to that order
        self._index: list[dict[str, int] | None] = [None] * len(topic_ids)

    @cached_property
    def _docs(self) -> list[str]:
        return self._given_docs if isinstance(self._given_docs, list) else self._given_docs.to_list()

    @cached_property
    def place(self) -> Ints:
        """Pool row of each judgment in the order of the input, by topic: shape (n_judged,)."""
        place = np.empty_like(self._order)
        for start in range(0, place.size, CHUNK_ROWS):
            some = self._order[start : start + CHUNK_ROWS]
            place[some] = np.arange(start, start + some.size)
        return place

    @cached_property
    def arrow(self) -> tuple[ArrowDocs, Keys] | None:
        """Ids and their keys, in the order of the input, by topic; None where Arrow cannot hold them."""
        docs = ArrowDocs.of(self._given_docs) if isinstance(self._given_docs, list) else self._given_docs
        return None if docs is None else (docs, _keys(docs, self.judged))

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have another polars, whose keys are others.
        return {name: value for name, value in self.__dict__.items() if name != "arrow"}

    @cached_property
    def doc_ids(self) -> Any:
        """Ids of the judged documents: object array of str, shape (n_judged,)."""
        ids = np.empty(len(self._docs), dtype=object)
        ids[:] = self._docs
        return ids[self._order]

    @classmethod
    def build(cls, qrels: Any, columns: Iterable[str] = ()) -> Pool:
        """Index the qrels.

        Parameters
        ----------
        qrels : DataFrame (pandas, polars), dict of dicts, or iterable of namedtuples
            Fields `query_id`, `doc_id`, `relevance`. Read once, never modified.
        columns : names of further columns that the measures need (`known`, ...)

        Raises
        ------
        ValueError
            Empty qrels, a grade that is NaN or infinite, two judgments of one document that differ.
        """
        return cls.of(as_table(qrels, "relevance", columns))

    @classmethod
    def of(cls, data: Table | Mapping[str, Mapping[str, Any]]) -> Pool:
        """As `build`, from what `as_table` returned."""
        docs: list[str] | ArrowDocs | None = None
        if isinstance(data, Table):
            groups = group(data.query_id)
            names, lengths = groups.names, groups.lengths
            ids = take(data.doc_id, groups.order)
            if not data.once and arrow_pays(len(ids)):
                docs = ArrowDocs.of(ids)
            if docs is None:
                docs = str_list(as_list(ids))
            grade = data.value if groups.order is None else data.value[groups.order]
            extra = {n: c if groups.order is None else c[groups.order] for n, c in data.columns.items()}
            found = data.found
            distinct = False
        else:
            names, lengths, given, grade = dict_columns(data, "relevance")
            docs = ArrowDocs.of(given) if arrow_pays(len(given)) else None
            if docs is None:
                docs = str_list(given)
            extra, found = {}, ("query_id", "doc_id", "relevance")
            distinct = docs is given  # the keys of a dict are
        if not len(docs):
            raise ValueError("the qrels are empty: there is nothing to judge a run against")
        judged = Segments.of_lengths(lengths)
        # The first thing done with them: later, they would have left the cache.
        arrow = (docs, _keys(docs, judged)) if isinstance(docs, ArrowDocs) else None
        bad = np.flatnonzero(~np.isfinite(grade))
        if bad.size:
            topic = names[int(judged.topic[bad[0]])]
            doc = _nth(docs, int(bad[0]))
            raise ValueError(f"qrels: the grade of topic {topic!r}, document {doc!r} is {grade[bad[0]]}")
        order = _ideal_order(judged, grade)
        pool = cls(names, judged, grade[order], docs, order, {n: c[order] for n, c in extra.items()}, found)
        if arrow:
            pool.arrow = arrow
            distinct = not repeated(arrow[1], judged)
        return pool if distinct else pool._without_repeats()

    def _without_repeats(self) -> Pool:
        """The same pool with one row for each judgment that was given twice."""
        keep: Bools | None = None
        for t in range(self.n_topics):
            if len(self.index(t)) == self.judged.lengths[t]:
                continue
            if keep is None:
                keep = np.ones(self.grade.size, bool)
            first: dict[str, int] = {}
            for row in range(int(self.judged.starts[t]), int(self.judged.ends[t])):
                other = first.setdefault(self.doc_ids[row], row)
                if other != row:
                    self._same_judgment(self.topic_ids[t], other, row)
                    keep[row] = False
        if keep is None:
            return self
        return Pool(
            self.topic_ids,
            self.judged.where(keep),
            self.grade[keep],
            self.doc_ids[keep].tolist(),
            np.arange(int(keep.sum())),
            {n: c[keep] for n, c in self.columns.items()},
            self.found,
        )

    def _same_judgment(self, topic: str, a: int, b: int) -> None:
        if self.grade[a] != self.grade[b]:
            raise ConflictError(
                f"qrels: topic {topic!r} judges document {self.doc_ids[a]!r} twice, as "
                f"{self.grade[a]:g} and as {self.grade[b]:g}. Qrels by subtopic look like this: reduce them to one "
                f"grade a document first, for example with "
                f".groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max()"
            )
        for name, column in self.columns.items():
            gone = is_missing(column[a]), is_missing(column[b])
            if (any(gone) and not all(gone)) or (not any(gone) and column[a] != column[b]):
                raise ValueError(
                    f"qrels: topic {topic!r} holds document {self.doc_ids[a]!r} twice, with {name!r} "
                    f"{column[a]!r} and {column[b]!r}"
                )

    def index(self, topic: int) -> dict[str, int]:
        """Pool row of each judged document of a topic."""
        found = self._index[topic]
        if found is None:
            rows = slice(int(self.judged.offsets[topic]), int(self.judged.offsets[topic + 1]))
            found = dict(zip(self._docs[rows], self.place[rows].tolist(), strict=True))
            self._index[topic] = found
        return found

    def max_gain(self, gains: Gains) -> float:
        """Highest mapped grade of all topics, at least 1: the top of the scale where none is given."""
        mapped = self.level_mapped(gains)[self.level_grade >= 0]  # a negative grade is no judgment
        return float(mapped.max(initial=1.0))

    def judge(self, run: Any, strict: bool = False) -> JudgedRun:
        """Align a run with the judgments.

        Parameters
        ----------
        run : DataFrame (pandas, polars), dict of dicts, or iterable of namedtuples
            Fields `query_id`, `doc_id`, `score`; a `rank` is never read. Read once, never modified.
        strict : bool
            Whether a repeated document is an error.

        Returns
        -------
        JudgedRun
            One topic for each topic of the qrels, in their order.

        Raises
        ------
        ValueError
            A score that is NaN or infinite; run and qrels share no topic; repeated documents if `strict`.

        Warns
        -----
        DuplicateWarning
            A document stands twice in a topic: its last row counts.
        """
        from irpref.judged.align import judge

        return judge(self, run, strict)

    def listing(self, run: Any) -> Listing:
        """Every retrieved document of the pool's topics in the order of evaluation. Raises as `judge`."""
        from irpref.judged.align import listing

        return listing(self, run)


def _keys(docs: ArrowDocs, judged: Segments) -> Keys:
    # Some topics at a time, here and above: the judgments of a long run fill a good part of the memory.
    keys: Keys = np.empty(judged.size, dtype=np.uint64)
    for start, stop in chunks(judged.lengths):
        rows = slice(int(judged.offsets[start]), int(judged.offsets[stop]))
        keys[rows] = docs[rows].keys(np.arange(start, stop), judged.lengths[start:stop])
    return keys


def _nth(docs: list[str] | ArrowDocs, row: int) -> str:
    return docs[row] if isinstance(docs, list) else docs.gather(np.array([row])).item()


def _ideal_order(judged: Segments, grade: Floats) -> Ints:
    """Rows of each topic by falling grade, equal grades as they stand: shape (n_judged,)."""
    order: Ints = np.empty(grade.size, dtype=np.int32 if grade.size < 2**31 else np.int64)
    for start, stop in chunks(judged.lengths):
        a, b = int(judged.offsets[start]), int(judged.offsets[stop])
        order[a:b] = _falling(judged.slice(start, stop), grade[a:b]) + a
    return order


def _falling(judged: Segments, grade: Floats) -> Ints:
    if not grade.size:
        return np.zeros(0, dtype=np.int64)
    top = grade.max()
    with np.errstate(over="ignore"):  # grades may be any finite numbers
        depth = top - grade
    level: Ints = np.zeros(0, dtype=np.uint16)
    if depth.max() < 1 << 16:
        level = depth.astype(np.uint16)
    # The grades, not the differences, which may have been rounded to whole numbers: 1 - 1e-17 is 1.
    if not np.array_equal(top - level, grade):
        level = np.unique(-grade, return_inverse=True)[1].astype(np.int64)
    return order_by(judged.topic, level, judged.n)
