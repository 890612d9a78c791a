"""What the tags and ranks of a run say, which no measure looks at: is it one run, and do its ranks
agree with its scores?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irpref.data.columns import RANK, Table, as_objects, take
from irpref.judged.inputs import group
from irpref.kernel.segments import Bools, Floats, Segments
from irpref.values.findings import Finding, finding

_SHOWN = 3


def of_tags(read: Table) -> Iterator[Finding]:
    """Findings about the tags and ranks of a run."""
    if not len(read) or not read.columns:
        return
    groups = group(read.query_id)
    topics = Segments.of_lengths(groups.lengths)
    restarts = np.zeros(topics.n, bool)
    if RANK in read.columns:
        rank = take(_numbers(read.columns[RANK]), groups.order)
        score = take(read.value, groups.order)
        restarts = _restarts(rank, score, topics)
        yield from _of_topics("ranks-restart", groups.names, restarts)
        yield from _contradictions(rank, score, topics, groups.names, ~restarts)
    if "tag" in read.columns:
        tags = take(as_objects(read.columns["tag"]), groups.order)
        yield from _several(tags, topics, groups.names)


def _numbers(column: Any) -> Floats:
    """A column of ranks as numbers; NaN for what is none."""
    out = np.full(len(column), np.nan)
    for row, cell in enumerate(column):
        try:
            out[row] = float(cell)
        except (TypeError, ValueError):
            continue
    return out


def _restarts(rank: Floats, score: Floats, topics: Segments) -> Bools:
    """Topics in which documents of different scores have the best rank, and others another one."""
    known = ~np.isnan(rank)
    best = -topics.maximum(np.where(known, -rank, -np.inf), -np.inf)
    first = known & (rank == topics.spread(best))
    highest = topics.maximum(np.where(first, score, -np.inf), -np.inf)
    lowest = -topics.maximum(np.where(first, -score, -np.inf), -np.inf)
    several = topics.maximum(np.where(known, rank, -np.inf), -np.inf) > best
    return several & (topics.count(first) > 1) & (highest > lowest)


def _contradictions(
    rank: Floats, score: Floats, topics: Segments, names: list[str], usable: Bools
) -> Iterator[Finding]:
    order = np.lexsort((rank, topics.topic))
    topic, rank, score = topics.topic[order], rank[order], score[order]
    pairs = (topic[1:] == topic[:-1]) & (rank[1:] > rank[:-1])
    rising = np.bincount(topic[1:], pairs & (score[1:] > score[:-1]), topics.n)
    falling = np.bincount(topic[1:], pairs & (score[1:] < score[:-1]), topics.n)
    against = usable & (rising > falling)
    compared = usable & (rising + falling > 0)
    if 2 * against.sum() > compared.sum():
        yield from _of_topics("ranks-contradict", names, against, "reverse", "grave")
    else:
        yield from _of_topics("ranks-contradict", names, usable & (rising > 0))


def _of_topics(code: str, names: list[str], which: Bools, *how: str) -> Iterator[Finding]:
    """A finding about some of the topics of a run."""
    if which.any():
        first = names[int(which.argmax())]
        n = int(which.sum())
        yield finding(code, n, first, *how, of=f"{n} of {which.size} topics")


def _several(tags: Any, topics: Segments, names: list[str]) -> Iterator[Finding]:
    distinct = list(dict.fromkeys(map(str, tags.tolist())))
    if len(distinct) < 2:
        return
    listed = ", ".join(map(repr, distinct[:_SHOWN])) + ", ..." * (len(distinct) > _SHOWN)
    mixed = topics.count(topics.differs(tags)) > 0
    n = len(distinct)
    if mixed.any():
        of_topics = f"{int(mixed.sum())} of {mixed.size} topics"
        first = names[int(mixed.argmax())]
        yield finding("several-tags", n, first, tags=listed, of=of_topics)
    else:
        yield finding("several-tags", n, distinct[0], "topics", "note", tags=listed)
