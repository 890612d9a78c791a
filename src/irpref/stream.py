"""Evaluation of a run file topic by topic: only the hits stay, however long the file is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irpref.judged import JudgedRun, Pool
from irpref.judged.align import Repeats, judge
from irpref.segments import Ints, Segments, order_by
from irpref.trec import BLOCK_BYTES, Source, topic_blocks


def judge_file(
    pool: Pool,
    source: Source,
    strict: bool = False,
    block_bytes: int = BLOCK_BYTES,
    progress: Callable[[int], None] | None = None,
) -> JudgedRun:
    """`Pool.judge` for a run file whose topics each stand in one place.

    Memory is that of the judgments, the hits, and a few blocks of the file.

    Parameters
    ----------
    pool : Pool
    source : Source
    strict : bool
        Whether a repeated document is an error.
    block_bytes : int
        Bytes read at a time, after decompression.
    progress : callable, optional
        Receives the number of rows of each block.

    Raises
    ------
    TopicReturnsError
        A topic stands in two places: read the whole file instead.
    ValueError, OSError
        As `read_run` and `Pool.judge`.
    """
    repeats = Repeats(strict)
    n_retrieved = np.zeros(pool.n_topics, dtype=np.int64)
    topics: list[Ints] = []
    ranks: list[Ints] = []
    rows: list[Ints] = []
    first: list[str] = []
    known = False
    for frame, names in topic_blocks(source, block_bytes):
        first = first or names[:3]
        if any(name in pool.topic_of for name in names):
            known = True
            part = judge(pool, frame, shared=repeats)
            topics.append(part.hits.topic)
            ranks.append(part.rank)
            rows.append(part.row)
            n_retrieved += part.n_retrieved
        if progress:
            progress(frame.height)
    if first and not known:
        judge(pool, {name: {} for name in first})  # raises: no topic in common
    repeats.warn()
    nothing = np.zeros(0, np.int64)
    topic, rank, row = (np.concatenate([*parts, nothing]) for parts in (topics, ranks, rows))
    if (topic[1:] < topic[:-1]).any():
        order = order_by(topic, np.zeros(topic.size, np.int64), pool.n_topics)
        topic, rank, row = topic[order], rank[order], row[order]
    hits = Segments.of_lengths(np.bincount(topic, minlength=pool.n_topics))
    return JudgedRun(pool, hits, rank, row, n_retrieved)
