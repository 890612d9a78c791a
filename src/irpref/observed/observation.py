"""Notes of a run, whatever the measure: arrays by topic, made once from its listing.

Nothing here judges: the codes (`irpref.observed.codes`) read these notes. They are small, so that a
board can observe a thousand runs and let each go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.data.columns import PLAIN, Reading, as_list, as_objects, take
from irpref.data.scores import blurs
from irpref.judged.align import Listing, Repeats, Top
from irpref.judged.match import rows_with
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.judged.run import Run
from irpref.kernel.segments import Bools, Floats, Ints, Segments
from irpref.observed.changed_ids import Changed, JudgedIds
from irpref.observed.scales import Compared, grade_order, order_of
from irpref.observed.sensitivity import TOP

# Words that tools write for a missing id.
NO_IDS = ("None", "nan", "NaN", "NULL", "null", "<NA>", "NaT", "undefined", "none", "N/A")
SEVERAL, _FEW = 6, 3  # documents of different scores in a topic
_SOME_BY_CHANCE = 0.05  # share of topics whose number is also a document's by chance
MORE = 3  # documents at the top that are judged for one other topic, beyond those for its own
# Topics that have the documents of another one: fewer, or a smaller share, may be alike.
_COPIES, _COPIED = 5, 0.1
_LONG = 5  # documents whose ids are seldom in order by chance
_SELDOM = 0.05  # share of the topics that may be in another order than that of ids


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """A run as the judgments see it. Arrays are (n_topics,), topics by ascending id.

    A document of negative grade is not judged.

    Attributes
    ----------
    lengths, hits : int arrays
        Documents; judged ones.
    top, judged_top, by_judge : int arrays
        In the first `TOP` ranks: documents, judged ones, documents that a judge graded and no
        human.
    tied : int array
        Documents tied with another of the topic.
    several, equal, deciding, blurred : bool arrays
        Whether there are several documents; whether all have the same score; whether
        documents of different grades are tied in the first ranks; whether some scores differ in
        double precision only.
    own : bool array
        Whether an unjudged document has the id of the topic, beyond chance.
    nothing : bool array
        Whether an unjudged document has an id such as `None`.
    no_id : str
        The first of these ids.
    strayed : int array
        The other topic for which at least three more of the first documents are judged than for
        the topic itself, and more than for any third one; -1 if there is none.
    by_id : bool array
        Whether there are five documents or more, in the order of their ids; nowhere if one such
        topic is in another order, or has equal scores.
    prints : int array
        Hash of the ranking as measures see it.
    further : tuple of str
        Topics without judgments.
    repeats : Repeats
    changed_topics, changed_docs : Changed or None
        Unjudged topics, and unjudged documents in the first ranks, whose ids are judged ones but
        for one change.
    grade_order : float array (2, n_topics) or None
        See `irpref.observed.scales.grade_order`; None for preferences.
    beside_order : float array (n_topics,) or None
        Correlation of ranks with the numbers beside the grades, if all grades are one: see
        `irpref.observed.scales.numbers_beside_one_grade`.
    ranks : Ranks or None
        The rank column, if there is one.
    tags : tuple of str
        Different tags, if there are several.
    mixed_tags : bool array
        Whether a topic has several tags.
    how : Reading
        How it was read: which of its rows count.
    """

    lengths: Ints
    hits: Ints
    top: Ints
    judged_top: Ints
    by_judge: Ints
    tied: Ints
    several: Bools
    equal: Bools
    deciding: Bools
    blurred: Bools
    own: Bools
    nothing: Bools
    no_id: str
    strayed: Ints
    by_id: Bools
    prints: Ints
    further: tuple[str, ...]
    repeats: Repeats
    changed_topics: Changed | None
    changed_docs: Changed | None
    grade_order: Floats | None
    beside_order: Floats | None
    ranks: Ranks | None
    tags: tuple[str, ...]
    mixed_tags: Bools
    how: Reading

    @classmethod
    def with_only(cls, lengths: Ints, hits: Ints, **notes: Any) -> Observation:
        """Make an observation of a run of which little is known: these notes, and nothing in all
        others.
        """
        n = lengths.size
        zeros, no = np.zeros(n, np.int64), np.zeros(n, bool)
        counts = dict.fromkeys(("top", "judged_top", "by_judge", "tied", "prints"), zeros)
        marks = ("several", "equal", "deciding", "blurred", "own", "nothing", "by_id", "mixed_tags")
        blank: dict[str, Any] = {
            **counts,
            **dict.fromkeys(marks, no),
            "no_id": "",
            "strayed": np.full(n, -1),
            "further": (),
            "repeats": Repeats(strict=False),
            "changed_topics": None,
            "changed_docs": None,
            "grade_order": None,
            "beside_order": None,
            "ranks": None,
            "tags": (),
            "how": PLAIN,
        }
        return cls(lengths=lengths, hits=hits, **blank | notes)

    @property
    def is_absent(self) -> bool:
        """Whether it answers no judged topic, or retrieves no judged document."""
        return not self.hits.any()


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The rank column of a run against its scores, by topic: bool arrays (n_topics,).

    Attributes
    ----------
    best : the best rank, float array (n_topics,); infinite where it is not known
    restarts : the best rank is given to documents of different scores
    several, few : six or more documents of different scores; three to five
    rise : the score rises with the rank for some pair of neighbours
    always_rise : it rises at every step
    """

    best: Floats
    restarts: Bools
    several: Bools
    few: Bools
    rise: Bools
    always_rise: Bools


def observe(
    run: Run,
    ids: JudgedIds,
    order: Ints,
    depth: int | None = None,
    beside: Compared | None = None,
) -> Observation:
    """Observe a run, once for each set of judgments.

    Parameters
    ----------
    run : Run
    ids : JudgedIds
        Of the judgments.
    order : int array (n_topics,)
        Numbers of the topics of the pool by ascending id.
    depth : int, optional
        Only so many documents of each topic count; their order is taken from the whole run.
    beside : Compared, optional
        The numbers beside the grades, if all grades are one.

    Raises
    ------
    ValueError
        A score is not a finite number.
    """
    listing = run.on(ids.pool)
    if beside is not None:  # of these judgments alone, and rare
        return _noted(run, listing, ids, order, depth, beside)
    key = (observe, ids.pool, depth)
    return listing.memo(key, lambda: _noted(run, listing, ids, order, depth, None))


def _noted(
    run: Run,
    listing: Listing,
    ids: JudgedIds,
    order: Ints,
    depth: int | None,
    beside: Compared | None,
) -> Observation:
    pool = ids.pool
    topics, score, row = listing.topics, listing.score, listing.row
    grade = np.append(pool.grade, np.nan)[row]
    judged = grade >= 0
    counts = topics.position < depth if depth is not None else np.ones(row.size, bool)
    first_ranks = TOP if depth is None else min(TOP, depth)
    at_top = topics.position < TOP
    tied, mixed = _ties(score, topics, np.nan_to_num(np.maximum(grade, 0.0)))
    highest, lowest = topics.maximum(score, 0.0), -topics.maximum(-score, 0.0)
    nothing, no_id = _missing_ids(listing)
    further, is_given = listing.further, bool(topics.lengths.any())

    def by_topic(values: Any) -> Any:
        return np.asarray(values)[order]

    first = listing.top(TOP)
    return Observation(
        lengths=by_topic(topics.count(counts)),
        hits=by_topic(topics.count(counts & judged)),
        top=by_topic(topics.count(counts & at_top)),
        judged_top=by_topic(topics.count(counts & at_top & judged)),
        by_judge=by_topic(_graded_by_judge(listing, pool, counts & at_top & judged)),
        tied=by_topic(topics.count(tied)),
        several=by_topic(topics.lengths > 1),
        equal=by_topic((topics.lengths > 1) & (highest == lowest)),
        deciding=by_topic(topics.count(mixed & at_top) > 0),
        blurred=by_topic(topics.count(blurs(score, topics)) > 0),
        own=by_topic(_own_topics(listing)),
        nothing=by_topic(nothing),
        no_id=no_id,
        strayed=strayed(judged_elsewhere(first, ids), order, first),
        by_id=by_topic(_by_id(listing)),
        prints=by_topic(_prints(row, topics)),
        further=tuple(further),
        repeats=listing.repeats,
        changed_topics=ids.changed_topics(further, listing.names),
        changed_docs=ids.changed_in(listing.top(first_ranks), row[row >= 0]) if is_given else None,
        grade_order=by_topic(grade_order(listing).T).T if pool.graded and is_given else None,
        beside_order=by_topic(order_of(row, topics, beside)) if beside and is_given else None,
        ranks=_ranks(listing, order),
        tags=_tags(run),
        mixed_tags=by_topic(_mixed_tags(listing)),
        how=run.how,
    )


def _ties(score: Floats, topics: Segments, gain: Floats) -> tuple[Bools, Bools]:
    """Mark rows tied with another row of the topic, and tied rows in groups of different gains:
    (n_rows,).
    """
    groups = Segments.of_equal(topics.topic, score)
    tied = groups.spread(groups.lengths > 1)
    mixed = groups.spread(groups.maximum(gain, 0.0) != -groups.maximum(-gain, 0.0))
    return tied, mixed


def _graded_by_judge(run: Listing, pool: Pool, rows: Bools) -> Ints:
    """Count documents of each topic that only a judge graded, among some rows."""
    source = pool.columns.get(SOURCE)
    if source is None:
        return np.zeros(run.topics.n, np.int64)
    filled = np.append(np.asarray(source == FILLED), False)[run.row]
    return run.topics.count(filled & rows)


def _own_topics(run: Listing) -> Bools:
    """Find topics with an unjudged document of their own id, as if queries were documents of the
    collection (ArguAna, Quora, chat logs).

    Where ids are numbers, a topic and a document may have the same one by chance. They then count
    only in the first ranks, and only for more topics than chance would explain.
    """
    own, own_top = np.zeros((2, run.pool.n_topics), bool)
    rows = rows_with(run.texts, run.pool.topic_ids, run.topics.topic)
    rows = rows[run.row[rows] < 0]
    own[run.topics.topic[rows]] = True
    own_top[run.topics.topic[rows[run.topics.position[rows] < TOP]]] = True
    numbers = np.array([name.isdecimal() for name in run.pool.topic_ids], bool)
    by_number = own_top & numbers
    answered = run.topics.lengths > 0
    if by_number.sum() > max(1, _SOME_BY_CHANCE * answered.sum()):
        return np.asarray((own & ~numbers) | by_number)
    return own & ~numbers


def _missing_ids(run: Listing) -> tuple[Bools, str]:
    """Find topics with an unjudged document whose id is `None` or the like, and the first such
    id.
    """
    nothing = np.zeros(run.pool.n_topics, bool)
    rows = rows_with(run.texts, NO_IDS)
    rows = rows[run.row[rows] < 0]
    nothing[run.topics.topic[rows]] = True
    return nothing, run.docs_of(rows[:1])[0] if rows.size else ""


def judged_elsewhere(top: Top, ids: JudgedIds) -> dict[int, Counter[int]]:
    """Count for which topics the first `TOP` documents of each topic are judged, where there may be
    more of another one.
    """
    may_stray = top.topics.count(top.row >= 0) <= TOP - MORE
    rows = np.flatnonzero(top.topics.spread(may_stray))
    return ids.judged_for(top.topics.topic[rows].tolist(), top.docs_of(rows))


def strayed(judged_for: Mapping[int, Counter[int]], order: Ints, top: Top | None = None) -> Ints:
    """Find the other topic that the first documents of each topic are judged for; -1 if there is
    none. Topics have their numbers by ascending id.

    More of them are judged for it than for the topic itself, or for any third one, and no third
    topic has its documents: topics were shifted, so that the other topic strays, too, or the same
    lists of several others were copied. A weak system that finds the documents of a few topics
    everywhere does neither.

    Parameters
    ----------
    judged_for : see `judged_elsewhere`
    order : int array (n_topics,)
        Numbers of the topics of the pool by ascending id.
    top : Top, optional
        The first documents of each topic; without them no list is known to be a copy.
    """
    other = np.full(order.size, -1)
    for topic, counts in judged_for.items():
        other[topic] = _other(topic, counts)
    strays = other >= 0
    alone = strays & (np.bincount(other[strays], minlength=other.size)[other] == 1)
    shifted = alone & strays[other]
    copied = np.zeros_like(alone)
    if top is not None:
        for topic in np.flatnonzero(alone & ~shifted).tolist():
            one, source = (top.docs_of(_rows(top, number)) for number in (topic, int(other[topic])))
            copied[topic] = one == source
    is_much = copied.sum() >= max(_COPIES, _COPIED * order.size)
    counted = shifted | copied if is_much else shifted
    return np.where(counted, np.argsort(order)[other], -1)[order]


def _rows(top: Top, topic: int) -> Ints:
    span = top.topics.span(topic)
    return np.arange(span.start, span.stop)


def _other(topic: int, counts: Counter[int]) -> int:
    """Return the other topic that most documents are judged for, if it leads by far."""
    own = counts.pop(topic, 0)
    (other, n), (_, next_one) = [*counts.most_common(2), (-1, 0), (-1, 0)][:2]
    return other if n >= own + MORE and n > next_one else -1


def _by_id(run: Listing) -> Bools:
    """Find topics whose documents are in the order of their ids, if almost all that are long enough
    are, in the same order: (n_topics,).
    """
    nowhere, long = np.zeros(run.topics.n, bool), run.topics.lengths >= _LONG
    most = int(_SELDOM * np.count_nonzero(long))  # topics in another order
    here = {way: nowhere.copy() for way in _ID_ORDERS}
    others = dict.fromkeys(_ID_ORDERS, 0)
    for topic in np.flatnonzero(long).tolist():
        span = run.topics.span(topic)
        docs, is_tied = run.docs_of(span), bool((np.diff(run.score[span]) == 0).any())
        for way in list(others):
            if not is_tied and way(docs):
                here[way][topic] = True
                continue
            others[way] += 1
            if others[way] > most:
                del others[way]
        if not others:
            return nowhere
    return np.any([here[way] for way in others], axis=0)


def _is_rising(docs: list[str]) -> bool:
    return all(map(str.__lt__, docs, docs[1:]))


def _is_rising_as_numbers(docs: list[str]) -> bool:
    if not all(map(str.isdecimal, docs)):
        return False
    numbers = list(map(int, docs))
    return all(map(int.__lt__, numbers, numbers[1:]))


_ID_ORDERS: tuple[Callable[[list[str]], bool], ...] = (
    _is_rising,
    lambda docs: _is_rising(docs[::-1]),
    _is_rising_as_numbers,
    lambda docs: _is_rising_as_numbers(docs[::-1]),
)


def _prints(row: Ints, topics: Segments) -> Ints:
    """Hash each topic's ranking, as rows of the pool."""
    ends = zip(topics.starts.tolist(), topics.ends.tolist(), strict=True)
    return np.array([hash(row[start:stop].tobytes()) for start, stop in ends], np.int64)


# The rank column and the tags ---------------------------------------------------------------------


def _ranks(run: Listing, order: Ints) -> Ranks | None:
    """Compare the rank column with the scores."""
    column = run.table.columns.get("rank")
    if column is None or not run.row.size:
        return None
    rank, topics, score = _numbers(take(column, run.source)), run.topics, run.score
    same_topic = topics.topic[1:] == topics.topic[:-1]
    none = np.zeros(topics.n, bool)
    best = -topics.maximum(np.where(np.isnan(rank), -np.inf, -rank), -np.inf)
    steps = topics.count(np.append(False, same_topic & (score[1:] < score[:-1])))[order]
    sizes = steps >= SEVERAL - 1, (steps >= _FEW - 1) & (steps < SEVERAL - 1)
    if (rank[1:][same_topic] > rank[:-1][same_topic]).all() and not np.isnan(rank).any():
        return Ranks(best[order], none, *sizes, none, none)
    restarts = _restarts(rank, best, score, topics)
    by_rank = np.lexsort((rank, topics.topic))
    topic, rank, score = topics.topic[by_rank], rank[by_rank], score[by_rank]
    pairs = (topic[1:] == topic[:-1]) & (rank[1:] > rank[:-1])
    rising = np.bincount(topic[1:], pairs & (score[1:] > score[:-1]), topics.n)
    falling = np.bincount(topic[1:], pairs & (score[1:] < score[:-1]), topics.n)
    rise, always = rising > 0, (rising > 0) & (falling == 0)
    return Ranks(best[order], restarts[order], *sizes, rise[order], always[order])


def _numbers(column: Any) -> Floats:
    """Read a column of ranks as numbers; NaN for cells that hold none."""
    try:
        return np.asarray(column, dtype=object).astype(np.float64)
    except (TypeError, ValueError):
        pass
    out = np.full(len(column), np.nan)
    for row, cell in enumerate(as_list(column)):
        try:
            out[row] = float(cell)
        except (TypeError, ValueError):
            continue
    return out


def _restarts(rank: Floats, best: Floats, score: Floats, topics: Segments) -> Bools:
    """Find topics in which documents of different scores have the best rank, and others another
    one.
    """
    known = ~np.isnan(rank)
    first = known & (rank == topics.spread(best))
    highest = topics.maximum(np.where(first, score, -np.inf), -np.inf)
    lowest = -topics.maximum(np.where(first, -score, -np.inf), -np.inf)
    several = topics.maximum(np.where(known, rank, -np.inf), -np.inf) > best
    return np.asarray(several & (topics.count(first) > 1) & (highest > lowest))


def _tags(run: Run) -> tuple[str, ...]:
    """List the different tags of a run in order of appearance; none if there is one or no tag."""
    column = run.table.columns.get("tag")
    if column is None or _is_constant(column):
        return ()
    tags = dict.fromkeys(map(str, as_objects(column).tolist()))
    return tuple(tags) if len(tags) > 1 else ()


def _mixed_tags(run: Listing) -> Bools:
    """Find topics with several tags: (n_topics,)."""
    column = run.table.columns.get("tag")
    if column is None or _is_constant(column) or not run.row.size:
        return np.zeros(run.topics.n, bool)
    return np.asarray(
        run.topics.count(run.topics.differs(as_objects(take(column, run.source)))) > 0
    )


def _is_constant(column: Any) -> bool:
    """Test whether all rows share one cell."""
    return isinstance(column, np.ndarray) and column.strides == (0,)


# Several runs of one system -----------------------------------------------------------------------


def any_of(observations: Sequence[Observation], name: str) -> Bools:
    """Mark topics for which a note is true of any of these runs: (n_topics,)."""
    return np.any([getattr(one, name) for one in observations], axis=0)


def most_changed(changes: Iterable[Changed | None]) -> Changed | None:
    """Find the change that concerns most ids in several runs."""
    return max(filter(None, changes), key=lambda one: one.number, default=None)
