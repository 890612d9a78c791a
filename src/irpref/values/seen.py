"""Read a run once and note its depth, ties, unjudged documents, ids that look like others, and what
is grave of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from irpref.data.columns import Table
from irpref.data.scores import blurs
from irpref.errors import NoCommonTopicError
from irpref.judged.align import Block, Part, Repeats, blocks
from irpref.judged.match import rows_with
from irpref.judged.order import evaluation_order
from irpref.judged.pool import Pool
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, Segments
from irpref.values.changed_ids import MOST, Changed
from irpref.values.findings import Finding, finding, of_topics
from irpref.values.judged_ids import JudgedIds

TOP = 10  # ranks that are checked more closely
_FEW_JUDGMENTS = 20_000  # up to this number, ids are always compared with those of small runs


class Seen:
    """A run as `check` sees it: arrays by topic of the qrels.

    Attributes
    ----------
    lengths, top, judged_top, hits, tied, prints : int arrays (n_topics,)
        Number of documents; of those in the first `TOP` ranks; of judged ones among these; of all
        judged ones; of documents tied with another of the topic; hash of the ranking as a measure
        sees it. Documents of negative grade are not judged.
    constant, deciding, blurred : bool arrays (n_topics,)
        Whether all documents have the same score; whether documents of different grades are tied in
        the first ranks; whether some scores differ in double precision only.
    own, own_top, nothing : bool arrays (n_topics,)
        Whether an unjudged document has the id of the topic; whether it is in the first `TOP`
        ranks; whether an unjudged document has an id such as `None`.
    further : list of str
        Topics without judgments.
    changed_topics, changed_docs : Changed or None
        Ids of unjudged topics, and of unjudged documents in the first `TOP` ranks, that are judged
        ones but for one change; of `MOST` of either.
    no_id : str
        The first id such as `None`.
    repeats : Repeats
    order : array that `grade_order` returns, or None if no topic is answered
    """

    order: Floats | None = None

    def __init__(self, n_topics: int) -> None:
        zeros: Ints = np.zeros((6, n_topics), np.int64)
        self.lengths, self.top, self.judged_top, self.hits, self.tied, self.prints = zeros
        self.constant, self.deciding, self.blurred = np.zeros((3, n_topics), bool)
        self.own, self.own_top, self.nothing = np.zeros((3, n_topics), bool)
        self.no_id = ""
        self.further: list[str] = []
        self.changed_topics: Changed | None = None
        self.changed_docs: Changed | None = None
        self.repeats = Repeats(strict=False)


# What tools write for an id that is missing.
NO_IDS = ("None", "nan", "NaN", "NULL", "null", "<NA>", "NaT", "undefined", "none", "N/A")


def seen_in(tables: Iterable[Table], ids: JudgedIds, only_grave: bool = False) -> Seen:
    """Note what `check` needs of a run, or only what `grave_of_run` does.

    Parameters
    ----------
    tables : iterable of Table
        The run; each topic is in one of them.
    ids : JudgedIds
    only_grave : bool

    Raises
    ------
    ValueError
        As `irpref.judged.align.blocks`, but for a run without judged topics.
    """
    pool, seen = ids.pool, Seen(ids.pool.n_topics)
    place = np.full(pool.grade.size, np.inf)
    names: list[str] = []
    unjudged: list[tuple[str, str]] = []  # topic and document
    with suppress(NoCommonTopicError):
        for block in blocks(pool, tables, seen.repeats, names):
            _note_block(seen, pool, block, place, unjudged, only_grave)
    seen.further = [name for name in names if name not in pool.topic_of]
    seen.changed_topics = ids.changed_topics(seen.further, names)
    if names and len(seen.further) == len(names):
        return seen

    docs: dict[str, list[str]] = {}
    for topic, doc in unjudged:
        docs.setdefault(topic, []).append(doc)
    n_found = int((place < TOP).sum())
    seen.changed_docs = ids.changed_docs(docs, np.isfinite(place), n_found)
    if pool.graded and not only_grave:
        from irpref.values.scales import grade_order

        seen.order = grade_order(pool, place)
    return seen


def _note_block(
    seen: Seen,
    pool: Pool,
    block: Block,
    place: Floats,
    unjudged: list[tuple[str, str]],
    only_grave: bool,
) -> None:
    """Note some topics of a run: in `place` the rank from 0 of each retrieved row of the pool, and
    the first unjudged documents.
    """
    part, row = block
    segments, numbers, score = Segments.of_lengths(part.lengths), part.topics, part.score
    moved = evaluation_order(score, segments, part.falling, row >= 0)
    source: Ints = np.arange(row.size)
    if moved is not None:
        source, score, row = moved.put(source), moved.put(score), moved.put(row)
    place[row[row >= 0]] = segments.position[row >= 0]
    at_top = segments.position < TOP
    judged = np.append(pool.grade, -1.0)[row] >= 0
    seen.lengths[numbers], seen.hits[numbers] = part.lengths, segments.count(judged)
    strange = np.flatnonzero(at_top & (row < 0))[: MOST - len(unjudged)]
    topics = (pool.topic_ids[t] for t in numbers[segments.topic[strange]].tolist())
    unjudged += zip(topics, part.docs_of(source[strange]), strict=True)
    if only_grave:
        return
    _note_odd_ids(seen, pool, part, segments, source, row)
    gain = np.maximum(np.append(pool.grade, 0.0)[row], 0.0)
    tied, mixed = _ties(score, segments, gain)
    seen.top[numbers], seen.judged_top[numbers] = (
        segments.count(at_top),
        segments.count(at_top & judged),
    )
    seen.tied[numbers] = segments.count(tied)
    seen.constant[numbers] = (seen.tied[numbers] > 0) & (
        segments.maximum(score, 0.0) == -segments.maximum(-score, 0.0)
    )
    seen.deciding[numbers] = segments.count(mixed & at_top) > 0
    seen.blurred[numbers] = segments.count(blurs(score, segments)) > 0
    for t, start, stop in zip(
        numbers.tolist(), segments.starts.tolist(), segments.ends.tolist(), strict=True
    ):
        seen.prints[t] = hash(row[start:stop].tobytes())


def _note_odd_ids(
    seen: Seen, pool: Pool, part: Part, topics: Segments, source: Ints, row: Ints
) -> None:
    """Note unjudged documents with the id of their topic, or with an id such as `None`.

    Parameters
    ----------
    part : Part
        Rows as they were given.
    topics : Segments
    source, row : int arrays (n_rows,)
        Of documents in the order of evaluation: their row in the part, and in the pool.
    """
    unjudged, at_top = np.zeros((2, row.size), bool)
    unjudged[source], at_top[source] = row < 0, topics.position < TOP
    names = [pool.topic_ids[t] for t in part.topics.tolist()]
    own = rows_with(part.docs, names, topics.topic)
    own = own[unjudged[own]]
    of_row = part.topics[topics.topic]
    seen.own[of_row[own]] = True
    seen.own_top[of_row[own[at_top[own]]]] = True
    nothing = rows_with(part.docs, NO_IDS)
    nothing = nothing[unjudged[nothing]]
    seen.nothing[of_row[nothing]] = True
    if nothing.size and not seen.no_id:
        seen.no_id = part.docs_of(nothing[:1])[0]


def _ties(score: Floats, topics: Segments, gain: Floats) -> tuple[Bools, Bools]:
    """Rows tied with another row of the topic, and those among them in groups of different gains:
    (n_rows,).
    """
    groups = Segments.of_equal(topics.topic, score)
    tied = groups.spread(groups.lengths > 1)
    mixed = groups.spread(groups.maximum(gain, 0.0) != -groups.maximum(-gain, 0.0))
    return tied, mixed


def grave_of_run(pool: Pool, seen: Seen) -> Iterator[Finding]:
    """What is grave about a run."""
    answered, number = seen.lengths > 0, int(seen.lengths.sum())
    if answered.any():
        yield from of_topics("topics-without-documents", pool, ~answered)
    for ids, sentence in ((seen.changed_topics, "topics"), (seen.changed_docs, "text")):
        if ids is not None:
            facts: dict[str, Any] = {"change": ids.change.words, "topic": ids.group, "top": TOP}
            shown = dict(zip(("given", "judged"), ids.texts, strict=True))
            shown["compared"] = "the first " * (ids.compared == MOST) + f"{ids.compared:,}"
            yield finding("mangled-ids", ids.number, ids.name, sentence, **facts, **shown)
    if not answered.any():
        first = next(iter(seen.further), None)
        sentence = "empty" if first is None else "text"
        yield finding("no-common-topic", pool.n_topics, first, sentence, judged=pool.topic_ids[0])
    elif not seen.hits.any():
        yield from of_topics("no-judged-document", pool, answered, count=number)


def grave_of_judged(
    pool: Pool,
    run: JudgedRun,
    topics: list[str],
    on_tables: Callable[[Callable[[Iterable[Table]], Seen]], Seen],
    small: bool,
) -> list[Finding]:
    """The grave findings of a run that is already aligned; most runs need not be read again for
    this.

    Parameters
    ----------
    pool : Pool
    run : JudgedRun
    topics : list of str
        Topics of the run, including those without judgments.
    on_tables : callable
        Calls a function with the tables of the run, each topic in one of them, and returns what
        that does. Called to compare ids if most topics have no judged document.
    small : bool
        Whether the run is so small that its ids are always compared.

    Returns
    -------
    list of Finding
        As in `check`, with `run` None. In a large run it misses ids that are mangled in only a few
        topics, or only for some documents of a topic.
    """
    ids = JudgedIds(pool)
    seen = Seen(pool.n_topics)
    seen.further = [name for name in topics if name not in pool.topic_of]
    seen.lengths, seen.hits = run.n_retrieved, run.hits.count(run.grade >= 0)
    seen.changed_topics = ids.changed_topics(seen.further, topics)
    answered = seen.lengths > 0
    lost = answered & (seen.hits == 0)
    if answered.any() and (
        2 * lost.sum() > answered.sum() or (small and pool.grade.size <= _FEW_JUDGMENTS)
    ):
        seen = on_tables(partial(seen_in, ids=ids, only_grave=True))
    return list(grave_of_run(pool, seen))


def lines(findings: Iterable[Finding]) -> list[str]:
    """Findings as lines, as from `grave`; topics without documents come first."""
    by_code: dict[str, list[Finding]] = {"topics-without-documents": []}
    for each in findings:
        by_code.setdefault(each.code, []).append(each)
    out = []
    for first, *others in filter(None, by_code.values()):
        more = f" ({len(others)} more run{'s' * (len(others) > 1)} like this)" if others else ""
        out.append(first.text + more if first.run is None else f"{first.run}: {first.text}{more}")
    return out
