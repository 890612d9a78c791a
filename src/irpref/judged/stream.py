"""Runs judged as they are read: only the hits are kept, however long the file is; many files at
once, on all cores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from irpref.data.columns import Reading, reading
from irpref.data.source import Source
from irpref.data.tables import read, read_table
from irpref.data.trec import BLOCK_BYTES, TopicReturnsError, whole_topics
from irpref.errors import ArgumentError, IrprefWarning
from irpref.judged.align import JudgedFile, align_tables
from irpref.judged.pool import Pool
from irpref.messages import held

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
S = TypeVar("S")


def align_file(
    pool: Pool,
    source: Source,
    *,
    form: str | Reading | None = None,
    block_bytes: int = BLOCK_BYTES,
    **options: Any,
) -> JudgedFile:
    """Read and align a run file of any form.

    While the topics of a TREC or Parquet file are each in one place, memory holds the
    judgments, the hits, and a few blocks of the file. Once a topic turns up again, the whole file
    is read. A folder of Parquet files counts as one file, its files in the order of their names.

    Parameters
    ----------
    pool : Pool
    source : Source
        Told to `keep` if it cannot be read twice.
    form : str, optional
        One of `irpref.data.forms.FORMS`; by the ending of the name if not given.
    block_bytes : int
        Bytes read at a time, after decompression.
    **options : as for `irpref.judged.align.align_tables`

    Raises
    ------
    ValueError, OSError
        As `read_run` and `align_run`.
    """
    how = reading(form)
    with source:
        try:
            parts = whole_topics(read(source, "score", how, block_bytes), source.name)
            return align_tables(pool, parts, **options)
        except TopicReturnsError:
            return align_tables(pool, [read_table(source, "score", how)], **options)


@dataclass(frozen=True, slots=True, eq=False)
class Done(Generic[S, T]):
    """The outcome for one of several items: its value, or the error; and its warnings."""

    item: S
    value: T | None
    error: Exception | None
    warnings: list[IrprefWarning]


def each(
    work: Callable[[S], T], items: Iterable[S], jobs: int | None = None
) -> Iterator[Done[S, T]]:
    """Apply `work` to many items in threads, some at a time.

    Parsing, hashing and the larger array operations leave the interpreter to others, so that
    threads use the cores.

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
        In the order of the items. An error of one (`ValueError`, `TypeError`, `OSError`) does not
        end the others.

    Raises
    ------
    ValueError
        `jobs` is below 1.
    """
    jobs = n_jobs() if jobs is None else jobs
    if jobs < 1:
        raise ArgumentError(f"jobs={jobs}: expected at least 1", parameter="jobs", value=jobs)

    if jobs == 1:
        yield from (done(work, item) for item in items)
        return
    from concurrent.futures import ThreadPoolExecutor

    running: deque[Future[Done[S, T]]] = deque()
    threads = ThreadPoolExecutor(jobs)
    try:
        for item in items:
            running.append(threads.submit(done, work, item))
            if len(running) >= 2 * jobs:  # being worked on, or waiting for the caller
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        # Not waiting, as in `irpref.data.source.ahead`.
        threads.shutdown(wait=False, cancel_futures=True)


def done(work: Callable[[S], T], item: S) -> Done[S, T]:
    """Return the outcome of `work` on one item: see `each`."""
    with held() as warnings:
        try:
            return Done(item, work(item), None, warnings)
        except (ValueError, TypeError, OSError) as error:
            return Done(item, None, error, warnings)


def n_jobs() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
