"""Read a run once and note its depth, ties, unjudged documents, ids that look like others, and what
is grave of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from irpref.data.columns import Table
from irpref.data.scores import blurs
from irpref.judged.align import Listing, Repeats, listed
from irpref.judged.match import rows_with
from irpref.judged.pool import Pool
from irpref.judged.run import Run
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, Segments
from irpref.values.changed_ids import MOST, Changed
from irpref.values.findings import Finding, finding, of_topics
from irpref.values.judged_ids import JudgedIds
from irpref.values.own_ids import own_documents

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


def seen_in(run: Run, ids: JudgedIds) -> Seen:
    """Note what `check` needs of a run.

    Raises
    ------
    ValueError
        A score is not a finite number.
    """
    pool, seen, every = ids.pool, Seen(ids.pool.n_topics), run.on(ids.pool)
    topics = every.topics
    seen.repeats, seen.further, seen.lengths = every.repeats, every.further, topics.lengths
    judged = np.append(pool.grade, -1.0)[every.row] >= 0
    seen.hits = topics.count(judged)
    seen.changed_topics = ids.changed_topics(seen.further, every.names)
    if every.names and len(seen.further) == len(every.names):
        return seen
    seen.changed_docs = ids.changed_in([every], TOP)
    _note_order(seen, every, judged)
    return seen


def _note_order(seen: Seen, run: Listing, judged: Bools) -> None:
    """Note ties, odd ids and what the order says of the grades."""
    pool, topics, score, row = run.pool, run.topics, run.score, run.row
    at_top = topics.position < TOP
    seen.top, seen.judged_top = topics.count(at_top), topics.count(at_top & judged)
    seen.own, seen.own_top = own_documents(run)
    _note_missing_ids(seen, run)
    gain = np.maximum(np.append(pool.grade, 0.0)[row], 0.0)
    tied, mixed = _ties(score, topics, gain)
    seen.tied = topics.count(tied)
    highest, lowest = topics.maximum(score, 0.0), -topics.maximum(-score, 0.0)
    seen.constant = (seen.tied > 0) & (highest == lowest)
    seen.deciding = topics.count(mixed & at_top) > 0
    seen.blurred = topics.count(blurs(score, topics)) > 0
    ends = zip(topics.starts.tolist(), topics.ends.tolist(), strict=True)
    seen.prints = np.array([hash(row[start:stop].tobytes()) for start, stop in ends], np.int64)
    if pool.graded:
        from irpref.values.scales import grade_order

        place = np.full(pool.grade.size, np.inf)
        place[row[row >= 0]] = topics.position[row >= 0]
        seen.order = grade_order(pool, place)


def _note_missing_ids(seen: Seen, run: Listing) -> None:
    """Note unjudged documents with an id such as `None`."""
    rows = rows_with(run.texts, NO_IDS)
    rows = rows[run.row[rows] < 0]
    seen.nothing[run.topics.topic[rows]] = True
    if rows.size:
        seen.no_id = run.docs_of(rows[:1])[0]


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
            shown["compared"] = "a sample of " * (ids.compared == MOST) + f"{ids.compared:,}"
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
    on_tables: Callable[[Callable[[Iterable[Table]], Changed | None]], Changed | None],
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
        seen.changed_docs = on_tables(
            lambda tables: ids.changed_in((listed(pool, table) for table in tables), TOP)
        )
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
