"""Runs judged as they are read: only the hits stay, however long the file is; many files at once, on all cores."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from irpref.arrays.record import Record
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Ints, Segments, order_by
from irpref.formats.columns import Coded, Reading, Table, as_list, changes, objects, reading, take
from irpref.formats.source import Source
from irpref.formats.tables import form_of, read_table
from irpref.formats.trec import BLOCK_BYTES, RUN, TopicBlock, TopicReturnsError, blocks, whole_topics
from irpref.judged.align import Repeats, align_run
from irpref.judged.order import TREC, Alignment
from irpref.judged.pool import Pool
from irpref.messages import Held, held

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

T = TypeVar("T")
S = TypeVar("S")


class JudgedFile(Record):
    """A run file judged against a pool.

    Attributes
    ----------
    run : JudgedRun
    in_float32 : JudgedRun
        The same with scores rounded to 32 bits, as pytrec_eval holds them: scores that differ in the 8th digit are
        ties. It is `run` itself where rounding changes nothing, or was not asked for; else `run.in_float32`.
    topics : list of str
        Topics of the run in their order, those without judgments included.
    """

    run: JudgedRun
    in_float32: JudgedRun
    topics: list[str]


def align_file(
    pool: Pool,
    source: Source,
    *,
    form: str | Reading | None = None,
    strict: bool = False,
    ties: bool = False,
    rounded: bool = False,
    alignment: Alignment = TREC,
    block_bytes: int = BLOCK_BYTES,
) -> JudgedFile:
    """Read and align a run file of any form.

    While the topics of a TREC or Parquet file are each in one place, memory is that of the judgments, the hits, and a
    few blocks of the file. Once a topic turns up again, the whole file is read. A folder of Parquet files counts as
    one file, its files in the order of their names.

    Parameters
    ----------
    pool : Pool
    source : Source
        Told to `keep` if it cannot be read twice.
    form : str, optional
        One of `irpref.formats.tables.FORMS`; by the ending of the name if not given.
    strict : bool
        Whether a repeated document is an error.
    ties : bool
        Whether `JudgedRun.rank_rising` is asked for.
    rounded : bool
        Whether `JudgedFile.in_float32` is asked for.
    alignment : Alignment
    block_bytes : int
        Bytes read at a time, after decompression.

    Raises
    ------
    ValueError, OSError
        As `read_run` and `align_run`.
    """
    options: dict[str, Any] = {"strict": strict, "ties": ties, "rounded": rounded, "alignment": alignment}
    how = reading(form)
    found = form_of(source, how.form)
    if found not in ("parquet", "trec") or (found == "trec" and source.is_short(block_bytes)):
        return align_table(pool, read_table(source, "run", how), **options)
    from irpref.formats.arrow import run_blocks  # not loaded for other forms

    parts = blocks(source, RUN, block_bytes) if found == "trec" else run_blocks(source, how)
    try:
        return align_parts(pool, _as_tables(whole_topics(parts, source.name)), **options)
    except TopicReturnsError:
        return align_table(pool, read_table(source, "run", how), **options)


class Done(Record, Generic[S, T]):
    """What became of one of several: its value, or the error; and the warnings it gave."""

    item: S
    value: T | None
    error: Exception | None
    warnings: list[Held]


def each(work: Callable[[S], T], items: Iterable[S], jobs: int | None = None) -> Iterator[Done[S, T]]:
    """Do the same for many, some at a time, in threads.

    Parsing, hashing and the larger array operations leave the interpreter to others, so that threads use the cores.

    Parameters
    ----------
    work : callable
        For one item. Warnings of this package that it gives are kept, not shown.
    items : iterable
    jobs : int, optional
        How many at a time, by default the number of cores.

    Yields
    ------
    Done
        In the order of the items. An error of one (`ValueError`, `TypeError`, `OSError`) does not end the others.

    Raises
    ------
    ValueError
        `jobs` is below 1.
    """
    jobs = n_jobs() if jobs is None else jobs
    if jobs < 1:
        raise ValueError(f"jobs={jobs}: expected at least 1")

    items = iter(items)
    if jobs == 1:
        yield from (done(work, item) for item in items)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as threads:
        yield from _in_turn(threads, partial(done, work), items, 2 * jobs)


def done(work: Callable[[S], T], item: S) -> Done[S, T]:
    """What becomes of one: see `each`."""
    with held() as warnings:
        try:
            return Done(item, work(item), None, warnings)
        except (ValueError, TypeError, OSError) as error:
            return Done(item, None, error, warnings)


def _in_turn(threads: Executor, work: Callable[[S], T], items: Iterator[S], ahead: int) -> Iterator[T]:
    """Results in the order of the items, `ahead` of which are being worked on or wait for the caller."""
    running: deque[Future[T]] = deque()
    try:
        for item in items:
            running.append(threads.submit(work, item))
            if len(running) >= ahead:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:  # the caller has gone
        for future in running:
            future.cancel()


def n_jobs() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def align_table(pool: Pool, table: Table, **options: Any) -> JudgedFile:
    """`align_file` for a table that was read before."""
    topics = take(table.query_id, changes(table.query_id))
    names = list(dict.fromkeys(as_list(topics)))
    return align_parts(pool, [(table, names)], **options)


def _as_tables(parts: Iterable[TopicBlock]) -> Iterator[tuple[Table, list[str]]]:
    for lines, names, lengths in parts:
        topics = Coded(objects(names), np.repeat(np.arange(len(names)), lengths))
        yield Table(topics, lines.docs, lines.number), names


def align_parts(
    pool: Pool,
    parts: Iterable[tuple[Table, list[str]]],
    *,
    strict: bool = False,
    ties: bool = False,
    rounded: bool = False,
    alignment: Alignment = TREC,
) -> JudgedFile:
    """Judge tables that each hold whole topics, with their names, as one run. Raises as `align_run`."""
    repeats = Repeats(strict)
    plain, in_float32 = _Hits(pool, ties), _Hits(pool, ties=False)
    topics: list[str] = []
    same = True
    for table, names in parts:
        topics.extend(names)
        if not any(name in pool.topic_of for name in names):
            continue
        run = align_run(pool, table, shared=repeats, ties=ties, in_float32=rounded, alignment=alignment)
        plain.add(run)
        if rounded:
            same &= run.in_float32 is None
            in_float32.add(run.in_float32 or run)
    if topics and not plain.columns[0]:
        align_run(pool, {name: {} for name in topics[:3]})  # raises: no topic in common
    repeats.warn()
    whole = plain.run()
    if not same:
        whole.in_float32 = in_float32.run()
    return JudgedFile(whole, whole.in_float32 or whole, topics)


class _Hits:
    """Runs with different topics put together: what is kept of each are its hits."""

    def __init__(self, pool: Pool, ties: bool) -> None:
        self.pool, self.ties = pool, ties
        self.n_retrieved: Ints = np.zeros(pool.n_topics, dtype=np.int64)
        self.columns: list[list[Ints]] = [[], [], [], []]
        self._small = np.int32 if pool.grade.size < 2**31 else np.int64  # a topic of as many rows fits no memory

    def add(self, run: JudgedRun) -> None:
        """Add a run."""
        self.n_retrieved += run.n_retrieved
        rank_rising = run.rank_rising if self.ties else None
        for column, values in zip(self.columns, (run.hits.topic, run.rank, run.row, rank_rising), strict=True):
            if values is not None:
                column.append(values.astype(self._small))

    def run(self) -> JudgedRun:
        """All of them as one."""
        topic = self._whole(0)
        order: Ints | None = None
        if (topic[1:] < topic[:-1]).any():
            order = order_by(topic, np.zeros(topic.size, np.int64), self.pool.n_topics)
        hits = Segments.of_lengths(np.bincount(topic, minlength=self.pool.n_topics))
        del topic
        run = JudgedRun(self.pool, hits, self._whole(1, order), self._whole(2, order), self.n_retrieved)
        run.rank_rising = self._whole(3, order) if self.ties else None
        return run

    def _whole(self, column: int, order: Ints | None = None) -> Ints:
        """A column of all hits; its parts are gone then."""
        whole: Ints = np.concatenate([np.zeros(0, np.int64), *self.columns[column]])
        self.columns[column].clear()
        return whole if order is None else whole[order]
