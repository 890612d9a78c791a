"""From a run's ids to hits: look the documents up in the pool, put them in evaluation order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np

from irpref.data.columns import Coded, Table, as_list, check_finite, take
from irpref.data.texts import Texts
from irpref.errors import DuplicateWarning, NoCommonTopicError, RunError
from irpref.judged.inputs import group, str_list
from irpref.judged.match import chunks, plain, texts_of
from irpref.judged.order import Moved, evaluation_order
from irpref.judged.pool import Pool
from irpref.judged.roles import in_their_roles
from irpref.kernel.memo import HasMemo
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats, Ints, Segments, order_by
from irpref.messages import warn_user


class Listing(HasMemo):
    """Every retrieved document of the judged topics of a run, in the order of evaluation.

    Attributes
    ----------
    pool : Pool
    table : Table
        The run; ids are read from it when they are asked for.
    topics : Segments
        Retrieved documents (rows) by topic.
    score : float array (n_retrieved,)
    row : int array (n_retrieved,)
        Row of the document in the pool, -1 if it is unjudged.
    source : int array (n_retrieved,)
        Row of the table.
    names : list of str
        Topics of the run in their order, topics without judgments included.
    repeats : Repeats
    """

    def __init__(
        self,
        pool: Pool,
        table: Table,
        topics: Segments,
        score: Floats,
        row: Ints,
        source: Ints,
        names: list[str],
        repeats: Repeats,
    ) -> None:
        super().__init__()
        self.pool, self.table, self.topics, self.score = pool, table, topics, score
        self.row, self.source, self.names, self.repeats = row, source, names, repeats

    @cached_property
    def doc_ids(self) -> list[str]:
        """Ids of the documents: length n_retrieved."""
        return self.docs_of(slice(None))

    @cached_property
    def texts(self) -> list[str] | Texts:
        """Ids of the documents as they are looked up: length n_retrieved."""
        ids = take(self.table.doc_id, self.source)
        return texts_of(ids) or str_list(as_list(ids))

    @property
    def rank(self) -> Ints:
        """Rank of each document, from 1: int array (n_retrieved,)."""
        return self.topics.position + 1

    @cached_property
    def grade(self) -> Floats:
        """Grade of each document, NaN if it is unjudged: float array (n_retrieved,)."""
        return np.append(self.pool.grade, np.nan)[self.row]

    def docs_of(self, rows: Ints | slice) -> list[str]:
        """Return the ids of the documents at these rows."""
        return str_list(as_list(take(self.table.doc_id, self.source[rows])))

    def top(self, depth: int) -> Top:
        """Return the first `depth` documents of each topic."""
        at = self.topics.firsts(depth)
        docs = take(self.table.doc_id, self.source[at])
        return Top(self.topics.part(at), self.row[at], docs)

    def rows_in(self, other: Listing) -> Ints:
        """Look the documents up in another listing of the same topics.

        Returns
        -------
        int array (n_retrieved,)
            Row of the same document there, -1 if it is not retrieved.
        """
        mine, its = plain(self.texts), plain(other.texts)
        if isinstance(mine, Texts) and isinstance(its, Texts):
            there = other.topics
            row = mine.match(self.topics.lengths, its, there.starts, there.lengths)
            if row is not None:
                return row
        out = np.full(self.row.size, -1)
        for t in range(self.topics.n):
            here, there_rows = self.topics.span(t), other.topics.span(t)
            known = dict(
                zip(other.doc_ids[there_rows], range(other.row.size)[there_rows], strict=True)
            )
            out[here] = [known.get(doc, -1) for doc in self.doc_ids[here]]
        return out

    @property
    def further(self) -> list[str]:
        """Topics of the run that have no judgments."""
        return [name for name in self.names if name not in self.pool.topic_of]

    def check_common(self) -> None:
        """Raise `NoCommonTopicError` if the run has topics and none is judged."""
        _check_common(self.pool, self.names)

    def first(self, depth: int) -> Listing:
        """Keep the first `depth` documents of each topic."""
        kept = self.topics.firsts(depth)
        return Listing(
            self.pool,
            self.table,
            self.topics.part(kept),
            self.score[kept],
            self.row[kept],
            self.source[kept],
            self.names,
            self.repeats,
        )

    def judged(self, pool: Pool, ties: bool = False) -> JudgedRun:
        """Return the judged documents at their ranks.

        Parameters
        ----------
        pool : Pool
            The same judgments, perhaps with other columns.
        ties : bool
            Whether to note which documents are tied: `rank_rising` and `tied_from`.
        """
        at = np.flatnonzero(self.row >= 0)
        hits = self.topics.part(at)
        before = hits.spread(self.topics.starts) - 1
        tied: dict[str, Ints] = {}
        if ties:
            first, last = _tied(self.score, self.topics, at)
            tied["rank_rising"] = first + last - at - before
            tied["tied_from"] = first - before
        return JudgedRun(
            pool,
            hits,
            at - before,
            self.row[at].astype(np.int64),
            self.topics.lengths,
            order=_order_of(pool, self.names),
            **tied,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Top:
    """The first documents of each topic, judged or not.

    Attributes
    ----------
    topics : Segments
        Documents (rows) by topic.
    row : int array (n_docs,)
        Row of the document in the pool, -1 if it is unjudged.
    docs : column of ids (n_docs,)
    """

    topics: Segments
    row: Ints
    docs: Any

    def docs_of(self, rows: Ints) -> list[str]:
        """Return the ids of the documents at these rows."""
        return str_list(as_list(take(self.docs, rows)))


@dataclass(frozen=True, slots=True, eq=False)
class JudgedFile:
    """A run judged against a pool.

    Attributes
    ----------
    run : JudgedRun
    topics : list of str
        Topics of the run in their order, those without judgments included.
    top : Top
        The first documents of each topic, as many as were asked for.
    """

    run: JudgedRun
    topics: list[str]
    top: Top


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some topics of a run as they were given."""

    topics: Ints  # (k,) in the pool
    lengths: Ints  # (k,)
    docs: list[str] | Texts | Coded  # (n_rows,)
    score: Floats  # (n_rows,)
    source: Ints  # (n_rows,) row of the input

    def docs_of(self, rows: Ints) -> list[str]:
        """Return the documents of these rows."""
        return as_list(take(self.docs, rows))

    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Order the rows of each group by descending id: shape as both; groups follow each
        other.
        """
        docs = take(self.docs, rows)
        if not isinstance(docs, list):
            return rows[plain(docs).falling(group)]
        by_id = np.array(
            sorted(range(len(docs)), key=docs.__getitem__, reverse=True), dtype=np.int64
        )
        return rows[by_id[np.argsort(group[by_id], kind="stable")]]


class GrowingTop:
    """Collects the first documents of topics, part by part.

    Parameters
    ----------
    pool : Pool
    depth : int
    """

    def __init__(self, pool: Pool, depth: int) -> None:
        self.pool, self.depth = pool, depth
        self._topic: list[Ints] = [np.zeros(0, np.int64)]
        self._row: list[Ints] = [np.zeros(0, np.int64)]
        self._docs: list[list[str] | Texts] = []

    def add(self, part: Part, topics: Segments, row: Ints, moved: Moved | None) -> None:
        """Add the first documents of a part, whose rows of the pool are in evaluation order."""
        at = topics.firsts(self.depth)
        self._topic.append(topics.part(at).spread(part.topics))
        self._row.append(row[at])
        rows = at if moved is None else moved.rows_at(at)
        docs = plain(take(part.docs, rows))
        self._docs.append(docs.compact() if isinstance(docs, Texts) else docs)

    def whole(self) -> Top:
        """Return the first documents of all parts."""
        topic, row = np.concatenate(self._topic), np.concatenate(self._row)
        docs: list[str] | Texts
        if self._docs and all(isinstance(part, Texts) for part in self._docs):
            docs = Texts.joined(part for part in self._docs if isinstance(part, Texts))
        else:
            docs = [doc for part in self._docs for doc in as_list(part)]
        if (topic[1:] < topic[:-1]).any():
            order = order_by(topic, None, self.pool.n_topics)
            topic, row, docs = topic[order], row[order], take(docs, order)
        return Top(Segments.of_topics(topic, self.pool.n_topics), row, docs)


# Some topics of a run, and their documents looked up: (n_rows,) row of the pool, -1 if there is no
# judgment.
Block: TypeAlias = tuple[Part, Ints]


class Repeats:
    """Repeated documents met so far: how many, the first, and the topics in which one has several
    scores.
    """

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.number = 0
        self.first: tuple[str, str] | None = None
        self.rescored: list[str] = []

    def add(self, topic: str, doc: str, number: int, rescored: bool = False) -> None:
        """Note `number` superfluous rows of a topic, the first a row of `doc`, and whether one has
        another score than the row that counts.
        """
        if self.strict:
            raise RunError(
                f"document {doc!r} occurs twice in topic {topic!r}", topic=topic, doc=doc
            )
        self.number += number
        self.first = self.first or (topic, doc)
        if rescored:
            self.rescored.append(topic)

    def warn(self) -> None:
        """Warn once for the whole run."""
        if self.first:
            warn_user(
                f"the run repeats {self.number} document{'s' * (self.number > 1)} within a topic, "
                f"first document "
                f"{self.first[1]!r} in topic {self.first[0]!r}; the last row of each counts, as "
                f"in ir_measures",
                DuplicateWarning,
                topic=self.first[0],
                doc=self.first[1],
            )


def align_tables(
    pool: Pool,
    parts: Iterable[Table],
    *,
    strict: bool = False,
    ties: bool = False,
    top: int = 0,
) -> JudgedFile:
    """Align tables of whole topics as one run; only the hits of each table are kept, and the `top`
    documents of each topic. See `irpref.judged.run.align_run`. With `strict`, a repeated document
    is an error.
    """
    repeats = Repeats(strict)
    growing = GrowingTop(pool, top)
    n_retrieved = np.zeros(pool.n_topics, dtype=np.int64)
    topics: list[str] = []
    kept: dict[str, list[Ints]] = {}
    small = _small(pool)

    def keep(**columns: Ints) -> None:
        for name, values in columns.items():
            kept.setdefault(name, []).append(values.astype(small, copy=False))

    for part, row in blocks(pool, parts, repeats, topics):
        segments = Segments.of_lengths(part.lengths)
        n_retrieved[part.topics] = part.lengths
        score = part.score
        moved = evaluation_order(score, segments, part.falling, row >= 0, top)
        if moved is not None:
            row = moved.put(row)
        if top:
            growing.add(part, segments, row, moved)
        at = np.flatnonzero(row >= 0)
        hits = segments.part(at)
        before = hits.spread(segments.starts) - 1
        keep(topic=hits.spread(part.topics), rank=at - before, row=row[at])
        if ties:
            first, last = _tied(score if moved is None else moved.put(score), segments, at)
            keep(rank_rising=first + last - at - before, tied_from=first - before)
    repeats.warn()
    topic = np.concatenate([np.zeros(0, np.int64), *kept.pop("topic", [])])
    by_topic: Ints | None = None
    if (topic[1:] < topic[:-1]).any():
        by_topic = order_by(topic, None, pool.n_topics)
    hits = Segments.of_topics(topic, pool.n_topics)
    del topic

    def whole(name: str) -> Ints:
        """Join a column of all hits, and free its parts."""
        column: Ints = np.concatenate([np.zeros(0, np.int64), *kept.pop(name, [])])
        return column if by_topic is None else column[by_topic]

    judged = JudgedRun(
        pool,
        hits,
        whole("rank"),
        whole("row"),
        n_retrieved,
        rank_rising=whole("rank_rising") if ties else None,
        tied_from=whole("tied_from") if ties else None,
        order=_order_of(pool, topics),
    )
    return JudgedFile(judged, topics, growing.whole())


def _small(pool: Pool) -> type[np.signedinteger[Any]]:
    """Choose the type of ranks and rows: no topic of more rows than 32 bits count fits in
    memory.
    """
    return np.int32 if pool.grade.size < 2**31 else np.int64


def _order_of(pool: Pool, names: Iterable[str]) -> Ints:
    """Number the judged topics in the order of a run."""
    return np.array([pool.topic_of[name] for name in names if name in pool.topic_of], np.int64)


def _tied(score: Floats, topics: Segments, at: Ints) -> tuple[Ints, Ints]:
    """Find the first and the last row of the documents tied with each of these rows: shape as
    `at`.
    """
    ties = Segments.of_equal(topics.topic, score)
    group = ties.topic[at]
    return ties.starts[group], ties.ends[group] - 1


def listed(pool: Pool, table: Table) -> Listing:
    """List every retrieved document of the judged topics in the order of evaluation.

    A run without a judged topic has no rows; `Listing.check_common` refuses it.

    Raises
    ------
    ValueError
        A score is not a finite number.
    """
    repeats, names = Repeats(strict=False), list[str]()
    small = _small(pool)
    parts: list[tuple[Ints, Floats, Ints, Ints]] = [
        (np.zeros(0, np.int64), np.zeros(0), *np.zeros((2, 0), small))
    ]
    for part, row in _blocks(pool, [table], repeats, names):
        segments = Segments.of_lengths(part.lengths)
        score, source = part.score, part.source
        moved = evaluation_order(score, segments, part.falling)
        if moved is not None:
            score, row, source = moved.put(score), moved.put(row), moved.put(source)
        topic = segments.spread(part.topics)
        parts.append((topic, score, row.astype(small), source.astype(small)))
    topic, score, row, source = map(np.concatenate, zip(*parts, strict=True))
    if (topic[1:] < topic[:-1]).any():
        order = order_by(topic, None, pool.n_topics)
        topic, score, row, source = topic[order], score[order], row[order], source[order]
    topics = Segments.of_topics(topic, pool.n_topics)
    return Listing(pool, table, topics, score, row, source, names, repeats)


def blocks(
    pool: Pool, parts: Iterable[Table], repeats: Repeats, topics: list[str] | None = None
) -> Iterator[Block]:
    """Look a run's documents up, some topics at a time; topics without qrels are passed over.

    Parameters
    ----------
    pool : Pool
    parts : iterable of Table
        Each topic is in one table.
    repeats : Repeats
        Where repeated documents are noted.
    topics : list of str, optional
        Where the topics of the run are noted.

    Raises
    ------
    ValueError
        As `irpref.judged.run.align_run`.
    """
    topics = [] if topics is None else topics
    yield from _blocks(pool, parts, repeats, topics)
    _check_common(pool, topics)


def _blocks(
    pool: Pool, parts: Iterable[Table], repeats: Repeats, topics: list[str]
) -> Iterator[Block]:
    """Look documents up as `blocks` does, also where no topic is judged."""
    for table in in_their_roles(parts) if pool.is_doubtful else parts:
        for given in _parts_of(pool, table, topics):
            part, row = _at_once(pool, given) or _one_by_one(pool, given, repeats)
            check_finite("score", part.score, partial(_names, pool, part), RunError)
            yield part, row


def _check_common(pool: Pool, topics: Sequence[str]) -> None:
    """Raise `NoCommonTopicError` if a run has topics and none is judged."""
    if topics and not any(name in pool.topic_of for name in topics):
        raise NoCommonTopicError(
            "run and qrels have no topic in common: the first topics of the run are "
            f"{', '.join(map(repr, topics[:3]))}, and those of the qrels "
            f"{', '.join(map(repr, pool.topic_ids[:3]))}"
        )


def _names(pool: Pool, part: Part, row: int) -> tuple[str, str]:
    """Return topic and document of a row."""
    topic = np.repeat(part.topics, part.lengths)[row]
    return pool.topic_ids[topic], part.docs_of(np.array([row]))[0]


def _parts_of(pool: Pool, data: Table, topics: list[str]) -> Iterator[Part]:
    groups = group(data.query_id)
    topics += groups.names
    numbers = np.array([pool.topic_of.get(name, -1) for name in groups.names], dtype=np.int64)
    wanted = np.flatnonzero(numbers >= 0)
    every = Segments.of_lengths(groups.lengths)
    lengths = every.lengths[wanted]
    column = data.doc_id
    if pool.texts and isinstance(column, Coded):
        column = texts_of(column) or column
    for start, stop in chunks(lengths):
        here = wanted[start:stop]
        rows = every.rows(here)
        some: Ints | slice = rows if groups.order is None else groups.order[rows]
        if groups.order is None and here[-1] - here[0] + 1 == here.size:
            some = every.span(here[0], here[-1] + 1)
        ids = take(column, some)
        docs = texts_of(ids) if pool.texts else None
        source = rows if isinstance(some, slice) else some
        yield Part(
            numbers[here],
            lengths[start:stop],
            docs or str_list(as_list(ids)),
            data.value[some],
            source,
        )


def _at_once(pool: Pool, part: Part) -> Block | None:
    """Look all documents up at once; None if one occurs twice in a topic, or nothing is
    compiled.
    """
    if isinstance(part.docs, list) or pool.texts is None:
        return None
    docs: Any = part.docs
    codes: Any = ()
    if isinstance(part.docs, Coded):
        docs, codes = part.docs.values, part.docs.codes
    judged = pool.judged.starts[part.topics], pool.judged.lengths[part.topics]
    row = docs.match(part.lengths, pool.texts, *judged, codes)
    return None if row is None else (part, pool.row_of_text[row])


def _one_by_one(pool: Pool, part: Part, repeats: Repeats) -> Block:
    """Look documents up in the pool's dicts; if one occurs twice in a topic, its last row is
    kept.
    """
    docs = part.docs if isinstance(part.docs, list) else part.docs.to_list()
    every = Segments.of_lengths(part.lengths)
    matches: list[Ints] = []
    kept: list[Ints] = []
    for i, topic in enumerate(part.topics.tolist()):
        span = every.span(i)
        here = docs[span]
        rows: Ints = np.arange(span.start, span.stop)
        if len(set(here)) != len(here):
            last = _last_rows(here, part.score[span], pool.topic_ids[topic], repeats)
            here, rows = [here[k] for k in last], rows[last]
        matches.append(
            np.fromiter(map(pool.index(topic).get, here, repeat(-1)), np.int64, len(here))
        )
        kept.append(rows)
    rows = np.concatenate(kept)
    if rows.size < len(docs):
        part = replace(
            part,
            lengths=np.array([row.size for row in kept]),
            docs=[docs[row] for row in rows.tolist()],
            score=part.score[rows],
            source=part.source[rows],
        )
    return part, np.concatenate(matches)


def _last_rows(docs: list[str], score: Floats, topic: str, repeats: Repeats) -> list[int]:
    """Find the rows that count if documents are repeated: the last row of each."""
    last = {doc: i for i, doc in enumerate(docs)}
    keep = sorted(last.values())
    lost = next(doc for i, doc in enumerate(docs) if last[doc] != i)
    counts = score[[last[doc] for doc in docs]]
    repeats.add(topic, lost, len(docs) - len(keep), bool((score != counts).any()))
    return keep
