"""From a run's ids to hits: look the documents up in the pool, put them in evaluation order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any

import numpy as np

from irpref.judged.inputs import Table, all_different, as_list, as_numbers, as_table, chunks, group, str_list, take
from irpref.judged.order import evaluation_order
from irpref.judged.pool import Pool
from irpref.judged.run import JudgedRun, Listing
from irpref.messages import DuplicateWarning, warn_user
from irpref.segments import Floats, Ints, Segments, order_by

CHUNK_ROWS = 1 << 16  # retrieved rows aligned at a time: their arrays stay in the cache


@dataclass
class Block:
    """Some topics of a run, looked up: levels, and on demand rows, in the pool; -1 where there is no judgment."""

    topics: Ints  # (k,) in the pool
    lengths: Ints  # (k,)
    score: Floats  # (n_rows,)
    level: Ints  # (n_rows,)
    rows: Callable[[], Ints]  # (n_rows,)
    docs_of: Callable[[Ints], list[str]]
    source: Ints | None  # (n_rows,) row of the input


class Repeats:
    """Repeated documents met so far: how many, and the first."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.number = 0
        self.first: tuple[str, str] | None = None

    def add(self, topic: str, doc: str, number: int) -> None:
        """Note `number` superfluous rows of a topic, the first of them of `doc`."""
        if self.strict:
            raise ValueError(f"the run holds document {doc!r} twice in topic {topic!r}")
        self.number += number
        self.first = self.first or (topic, doc)

    def warn(self) -> None:
        """Warn once for the whole run."""
        if self.first:
            warn_user(
                f"the run repeats {self.number} document{'s' * (self.number > 1)} inside a topic, first document "
                f"{self.first[1]!r} in topic {self.first[0]!r}; the last row of each counts, as for the host's "
                "own measures",
                DuplicateWarning,
            )


def judge(
    pool: Pool, run: Any, strict: bool = False, shared: Repeats | None = None, ties: bool = False
) -> JudgedRun:
    """See `Pool.judge`.

    With `shared`, repeated documents are noted there and the caller warns. With `ties`, `JudgedRun.turned` is there.
    """
    repeats = shared or Repeats(strict)
    n_retrieved = np.zeros(pool.n_topics, dtype=np.int64)
    topics: list[Ints] = []
    ranks: list[Ints] = []
    levels: list[Ints] = []
    later: list[Callable[[], Ints]] = []
    turned: list[Ints] = []
    for block in blocks(pool, run, repeats):
        segments = Segments.of_lengths(block.lengths)
        order = evaluation_order(block.score, segments, block.docs_of, block.level >= 0)
        level = block.level if order is None else block.level[order]
        at = np.flatnonzero(level >= 0)
        of = np.searchsorted(segments.ends, at, side="right")
        topics.append(block.topics[of])
        ranks.append(at - segments.starts[of] + 1)
        if ties:
            score = block.score if order is None else block.score[order]
            turned.append(_turned(score, segments, at) - segments.starts[of] + 1)
        levels.append(level[at])
        later.append(_rows_at(block.rows, at if order is None else order[at]))
        n_retrieved[block.topics] = block.lengths
    if shared is None:
        repeats.warn()
    nothing = np.zeros(0, np.int64)
    topic = np.concatenate([*topics, nothing])
    rank = np.concatenate([*ranks, nothing])
    level = np.concatenate([*levels, nothing])
    by_topic: Ints | None = None
    if (topic[1:] < topic[:-1]).any():
        by_topic = order_by(topic, np.zeros(topic.size, np.int64), pool.n_topics)
        topic, rank, level = topic[by_topic], rank[by_topic], level[by_topic]

    def rows() -> Ints:
        found = np.concatenate([*(part() for part in later), nothing])
        return found if by_topic is None else found[by_topic]

    hits = Segments.of_lengths(np.bincount(topic, minlength=pool.n_topics))
    judged = JudgedRun(pool, hits, rank, rows, n_retrieved, level)
    if ties:
        other = np.concatenate([*turned, nothing])
        judged.turned = other if by_topic is None else other[by_topic]
    return judged


def _turned(score: Floats, topics: Segments, at: Ints) -> Ints:
    """Where these rows would stand if each group of tied documents stood the other way round: shape as `at`."""
    opens = np.ones(score.size + 1, bool)
    opens[1:-1] = score[1:] != score[:-1]
    opens[topics.starts] = True
    borders = np.flatnonzero(opens)
    group = np.searchsorted(borders, at, side="right")
    return borders[group - 1] + borders[group] - 1 - at


def _rows_at(rows: Callable[[], Ints], at: Ints) -> Callable[[], Ints]:
    return lambda: rows()[at]


def listing(pool: Pool, run: Any) -> Listing:
    """See `Pool.listing`."""
    repeats = Repeats(strict=False)
    parts: list[tuple[Ints, list[str], Floats, Ints, Ints]] = []
    for block in blocks(pool, run, repeats):
        segments = Segments.of_lengths(block.lengths)
        order = evaluation_order(block.score, segments, block.docs_of)
        if order is None:
            order = np.arange(block.score.size)
        source = order if block.source is None else block.source[order]
        docs = block.docs_of(order)
        parts.append((segments.spread(block.topics), docs, block.score[order], block.rows()[order], source))
    repeats.warn()
    topic = np.concatenate([*(p[0] for p in parts), np.zeros(0, np.int64)])
    doc_ids = [doc for p in parts for doc in p[1]]
    score = np.concatenate([*(p[2] for p in parts), np.zeros(0)])
    row = np.concatenate([*(p[3] for p in parts), np.zeros(0, np.int64)])
    source = np.concatenate([*(p[4] for p in parts), np.zeros(0, np.int64)])
    order = order_by(topic, np.zeros(topic.size, np.int64), pool.n_topics)
    segments = Segments.of_lengths(np.bincount(topic, minlength=pool.n_topics))
    row = row[order]
    grade = np.append(pool.grade, np.nan)[row]
    return Listing(
        segments,
        [doc_ids[i] for i in order.tolist()],
        score[order],
        segments.position + 1,
        row,
        grade,
        source[order],
    )


def blocks(pool: Pool, run: Any, repeats: Repeats) -> Iterator[Block]:
    """Look a run's documents up, some topics at a time; topics without qrels are passed over.

    Raises
    ------
    ValueError
        As `Pool.judge`.
    """
    data = as_table(run, "score")
    if isinstance(data, Table):
        groups = group(data.query_id)
        _check_topics(pool, groups.names)
        of = np.array([pool.topic_of.get(name, -1) for name in groups.names], dtype=np.int64)
        wanted = np.flatnonzero(of >= 0)
        if isinstance(data.doc_id, (list, np.ndarray)):
            looked_up = _from_strings(pool, data, groups.lengths, groups.order, of, wanted, repeats)
        else:
            looked_up = _from_arrow(pool, data, groups.lengths, groups.order, of, repeats)
    else:
        _check_topics(pool, list(data))
        looked_up = _from_dicts(pool, data, repeats)
    for block in looked_up:
        bad = np.flatnonzero(~np.isfinite(block.score))
        if bad.size:
            topic = pool.topic_ids[int(np.repeat(block.topics, block.lengths)[bad[0]])]
            raise ValueError(
                f"run: the score of topic {topic!r}, document {block.docs_of(bad[:1])[0]!r} is {block.score[bad[0]]}"
            )
        yield block


def _check_topics(pool: Pool, names: list[str]) -> None:
    if names and not any(name in pool.topic_of for name in names):
        raise ValueError(
            "run and qrels have no topic in common: the run's topics begin "
            f"{', '.join(map(repr, names[:3]))}, those of the qrels {', '.join(map(repr, pool.topic_ids[:3]))}"
        )


def _look_up(index: dict[str, int], docs: list[str], unique: Collection[str], out: Ints) -> None:
    """Write the pool's row of each document to `out`, -1 for unjudged: shape (len(docs),)."""
    # Probing from the side of few judgments costs next to nothing per retrieved document; MS MARCO has one a topic.
    if len(index) * 4 < len(docs):
        found = [doc for doc in index if doc in unique]
        if len(found) <= 4:
            out[:] = -1
            for doc in found:
                out[docs.index(doc)] = index[doc]
            return
    out[:] = np.fromiter(map(index.get, docs, repeat(-1)), dtype=np.int64, count=len(docs))


def _last_rows(docs: list[str], topic: str, repeats: Repeats) -> list[int]:
    """Positions of the rows that count where documents are repeated: the last of each."""
    last = {doc: i for i, doc in enumerate(docs)}
    keep = sorted(last.values())
    lost = next(doc for i, doc in enumerate(docs) if last[doc] != i)
    repeats.add(topic, lost, len(docs) - len(keep))
    return keep


def _docs_of(parts: list[list[str]]) -> Callable[[Ints], list[str]]:
    def docs_of(rows: Ints) -> list[str]:
        if rows.size < 2:
            return [_nth(parts, int(row)) for row in rows]
        flat = parts[0] if len(parts) == 1 else list(chain.from_iterable(parts))
        return list(itemgetter(*rows.tolist())(flat))

    return docs_of


def _nth(parts: list[list[str]], row: int) -> str:
    return next(islice(chain.from_iterable(parts), row, None))


def _from_dicts(pool: Pool, run: Mapping[str, Mapping[str, Any]], repeats: Repeats) -> Iterator[Block]:
    shared = [(t, run[name]) for t, name in enumerate(pool.topic_ids) if name in run]
    lengths = np.fromiter((len(docs) for _, docs in shared), np.int64, len(shared))
    by_grade = pool.given is not None and pool.has_level_table()
    for start, stop in chunks(lengths, CHUNK_ROWS):
        here = shared[start:stop]
        part = Segments.of_lengths(lengths[start:stop])
        topics = np.fromiter((t for t, _ in here), np.int64, len(here))
        parts: list[list[str]] = []
        unique: list[Collection[str]] = []
        repeated = False
        for _, scored in here:
            keys = list(scored)
            docs = str_list(keys)
            # Ids that are no strings cannot be looked for in the run's own dict.
            unique.append(scored.keys() if docs is keys else set(docs))
            repeated |= len(unique[-1]) != len(docs)
            parts.append(docs)
        if repeated:
            raise ValueError("run: two documents of one topic have the same id once compared as str")
        rows = _dict_rows(pool, topics, parts, part, unique)
        if by_grade and part.size < 4 * pool.judged.lengths[topics].sum():
            # The qrels' own dicts know the grade, and so the level: no index is needed.
            assert pool.given is not None
            grade = np.fromiter(
                chain.from_iterable(
                    map(pool.given[t].get, docs, repeat(np.nan)) for (t, _), docs in zip(here, parts, strict=True)
                ),
                np.float64,
                part.size,
            )
            level = pool.level_of(part.spread(topics), grade)
        else:
            level = _levels(pool, rows())
        score: Floats
        try:
            score = np.fromiter(
                chain.from_iterable(scored.values() for _, scored in here), np.float64, part.size
            )
        except (TypeError, ValueError, OverflowError):
            numbers = [number for _, scored in here for number in scored.values()]
            query_id = [pool.topic_ids[t] for t in part.spread(topics)]
            score = as_numbers(numbers, query_id, [doc for docs in parts for doc in docs], "score")
        yield Block(topics, part.lengths, score, level, rows, _docs_of(parts), None)


def _dict_rows(
    pool: Pool, topics: Ints, parts: list[list[str]], part: Segments, given: list[Collection[str]]
) -> Callable[[], Ints]:
    found: list[Ints] = []

    def rows() -> Ints:
        if not found:
            row = np.empty(part.size, dtype=np.int64)
            ends = zip(topics.tolist(), parts, given, part.starts.tolist(), part.ends.tolist(), strict=True)
            for topic, docs, unique, a, b in ends:
                _look_up(pool.index(topic), docs, unique, row[a:b])
            found.append(row)
        return found[0]

    return rows


def _levels(pool: Pool, row: Ints) -> Ints:
    """Level of each row of the pool, -1 for -1: shape as `row`."""
    return np.append(pool.level, -1)[row] if row.size * 4 > pool.level.size else _few_levels(pool, row)


def _few_levels(pool: Pool, row: Ints) -> Ints:
    out = np.full(row.size, -1, dtype=np.int64)
    at = np.flatnonzero(row >= 0)
    out[at] = pool.level[row[at]]
    return out


def _from_strings(
    pool: Pool, data: Table, lengths: Ints, order: Ints | None, of: Ints, wanted: Ints, repeats: Repeats
) -> Iterator[Block]:
    column = take(data.doc_id, order)
    score = data.value if order is None else data.value[order]
    every = Segments.of_lengths(lengths)
    for start, stop in chunks(lengths[wanted], CHUNK_ROWS):
        parts: list[list[str]] = []
        found: list[Ints] = []
        kept: list[Ints] = []
        for i in wanted[start:stop].tolist():
            a, b = int(every.offsets[i]), int(every.offsets[i + 1])
            docs = str_list(as_list(column[a:b]))
            unique = set(docs)
            topic = int(of[i])
            rows = np.arange(a, b)
            if len(unique) != len(docs):
                last = _last_rows(docs, pool.topic_ids[topic], repeats)
                docs = [docs[k] for k in last]
                rows = rows[last]
            out = np.empty(len(docs), dtype=np.int64)
            _look_up(pool.index(topic), docs, unique, out)
            parts.append(docs)
            found.append(out)
            kept.append(rows)
        part = Segments.of_lengths([len(docs) for docs in parts])
        rows, row = np.concatenate(kept), np.concatenate(found)
        yield Block(
            of[wanted[start:stop]],
            part.lengths,
            score[rows],
            _levels(pool, row),
            _same(row),
            _docs_of(parts),
            rows if order is None else order[rows],
        )


def _same(row: Ints) -> Callable[[], Ints]:
    return lambda: row


def _from_arrow(
    pool: Pool, data: Table, lengths: Ints, order: Ints | None, of: Ints, repeats: Repeats
) -> Iterator[Block]:
    import polars as pl

    source = order
    if (of < 0).any():
        known = np.repeat(of >= 0, lengths)
        source = np.flatnonzero(known) if order is None else order[known]
        of, lengths = of[of >= 0], lengths[of >= 0]
    docs = take(data.doc_id, source)
    score = data.value if source is None else data.value[source]
    topic = np.repeat(of, lengths)
    if not all_different(docs, topic):
        frame = pl.DataFrame({"t": topic, "d": docs}).with_row_index("i")
        keep = frame.unique(subset=["t", "d"], keep="last").get_column("i").sort().to_numpy()
        if keep.size != len(docs):
            gone = np.ones(len(docs), bool)
            gone[keep] = False
            lost = int(np.argmax(gone))
            repeats.add(pool.topic_ids[int(topic[lost])], docs[lost], int(gone.sum()))
            source = keep.astype(np.int64) if source is None else source[keep]
            docs, score, topic = docs.gather(keep), score[keep], topic[keep]
            lengths = Segments.of_lengths(lengths).count(~gone)
    row = _join(pool, docs, topic)
    every = Segments.of_lengths(lengths)
    for start, stop in chunks(lengths, CHUNK_ROWS):
        a, b = int(every.offsets[start]), int(every.offsets[stop])

        def docs_of(rows: Ints, base: int = a) -> list[str]:
            return docs.gather(rows + base).to_list()

        yield Block(
            of[start:stop],
            lengths[start:stop],
            score[a:b],
            _levels(pool, row[a:b]),
            _same(row[a:b]),
            docs_of,
            np.arange(a, b) if source is None else source[a:b],
        )


def _join(pool: Pool, docs: Any, topic: Ints) -> Ints:
    """Pool row of each (topic, document), -1 for unjudged: shape (n_rows,)."""
    import polars as pl

    row = np.full(len(docs), -1, dtype=np.int64)
    if not topic.size:
        return row
    # Only the judgments of these topics: a run read in blocks would join the whole pool for each of them.
    first, last = int(pool.judged.offsets[topic.min()]), int(pool.judged.offsets[topic.max() + 1])
    right = pool.table().slice(first, last - first)
    at: Ints | None = None
    if len(right) * 4 < len(docs):
        # Few judgments: sort out on the document alone first, and join what is left.
        at = docs.is_in(right["d"].unique().implode()).arg_true().to_numpy().astype(np.int64)
        docs, topic = docs.gather(at), topic[at]
    left = pl.DataFrame({"t": topic.astype(np.uint32), "d": docs})
    joined = left.join(right, on=["t", "d"], how="left", maintain_order="left")["row"].fill_null(-1).to_numpy()
    if at is None:
        return joined
    row[at] = joined
    return row
