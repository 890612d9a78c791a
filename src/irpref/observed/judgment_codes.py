"""Codes about the judgments, and about all runs together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import numpy as np

from irpref.data.columns import Reading
from irpref.judged.match import rows_with
from irpref.judged.pool import Pool
from irpref.kernel.memo import shared
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.measures.declare import KernelMeasure, registered
from irpref.measures.degenerate import compares_relevant, lacks_nonrelevant, what_is_left
from irpref.measures.names import parse_all
from irpref.observed.finding import EVERY_USE, Code, Found, View, nothing
from irpref.observed.observation import NO_IDS
from irpref.observed.scales import (
    REVERSED,
    mixed_scales,
    ranked_against,
    ranked_as,
    surely_against,
)

MOST_UNANSWERABLE = 0.05  # share of topics without relevant documents
_SEEN = 10  # topics
_MANY_GRADES = 12


def _unanswerable(view: View) -> Found | None:
    facts = view.facts
    lacking = ~facts.answerable
    if not lacking.any():
        return None
    if lacking.all():
        return Found(lacking, says=_NONE_RELEVANT, level="grave")
    if lacking.mean() <= MOST_UNANSWERABLE or not view.inside.all():
        return Found(lacking)
    said = UNANSWERABLE.says + "; their means shrink by the factor {share:.2f}"
    return Found(lacking, words={"share": 1 - lacking.mean()}, says=said, level="grave")


def _no_topic_answerable(view: View) -> Found | None:
    if (view.facts.answerable & view.inside).any():
        return None
    said = "none of the {n:,} topics has a relevant document"
    return Found(view.inside, says=said)


_NONE_RELEVANT = "no document has a grade above 0: nearly every measure is 0 for every run"
UNANSWERABLE = Code(
    "unanswerable",
    "judgments",
    _unanswerable,
    "{some} {have} no relevant document (no grade above 0)",
    level="note",
    against=EVERY_USE,
    stops=_no_topic_answerable,
    ends_search=True,
    in_notes=True,
)


def _unseen(view: View) -> Found | None:
    systems = view.facts.systems
    if not systems:
        return None
    if all(system.is_absent for system in systems) and any(s.retrieved.any() for s in systems):
        return None  # each of them says so
    return Found(view.facts.unseen)


def _too_few_seen(view: View) -> Found | None:
    """Detect that a run retrieves a judged document on too few topics, or the baseline on none
    within the cutoff.
    """
    facts, measure, baseline = view.of_verdict()
    kept = facts.compared(measure, baseline, view.inside)
    n_kept = int(kept.sum())
    words = {"n_kept": f"{n_kept:,}"}
    if n_kept and not (kept & facts.looked_at(measure)[baseline]).any():
        depth = facts.looks_at(measure)
        words["where"] = f" in its first {depth:,}" if depth else ""
        said = "{run} has no judged document{where} for any of {n_kept} topics"
        return Found(kept, words=words, says=said)
    seen = int((kept & ~facts.unseen).sum())
    if seen >= min(_SEEN, n_kept / 2):
        return None
    words["seen"] = f"{seen:,}"
    said = "the runs retrieve a judged document for only {seen} of {n_kept} topics"
    return Found(kept, words=words, says=said)


UNSEEN = Code(
    "unseen",
    "judgments",
    _unseen,
    "for {some}, no run retrieves a judged document",
    level="note",
    against=EVERY_USE,
    stops=_too_few_seen,
    in_notes=True,
)


def _grade_scale(view: View) -> Found | None:
    if not view.facts.has_grades:
        return None
    pool = view.facts.pool
    grades = pool.scale()
    if len(grades) > _MANY_GRADES:
        shown = f"{len(grades)} different ones from {grades[0]:g} to {grades[-1]:g}"
    else:
        counts = (pool.level_size[pool.level_grade == grade].sum() for grade in grades)
        shown = ", ".join(f"{g:g} ({n})" for g, n in zip(grades, counts, strict=True))
    return Found(view.inside, words={"grades": shown}, count=len(grades), example=f"{grades[-1]:g}")


GRADE_SCALE = Code("grade-scale", "judgments", _grade_scale, "grades (judgments): {grades}", "note")


def _negative_grades(view: View) -> Found | None:
    pool = view.facts.pool
    negative = pool.grade < 0
    if not (view.facts.has_grades and negative.any()):
        return None
    counting = [
        str(measure)
        for measure in view.facts.asked
        if isinstance(measure, KernelMeasure) and measure.NEGATIVE_GRADES
    ]
    n = int(negative.sum())
    said = None
    if counting:
        said = NEGATIVE_GRADES.says + ", but {measures} {take} {them} as {kind} below non-relevant"
    words = {
        "they": "it counts as" if n == 1 else "they count as",
        "kind": "a grade" if n == 1 else "grades",
        "take": "takes" if len(counting) == 1 else "take",
        "measures": ", ".join(counting),
    }
    first = str(pool.doc_ids[int(negative.argmax())])
    return Found(view.inside, words=words, says=said, count=n, example=first)


NEGATIVE_GRADES = Code(
    "negative-grades",
    "judgments",
    _negative_grades,
    "{n} judgment{s} {are} negative: {they} unjudged",
    "note",
)


@shared
def _rows_without_ids(pool: Pool) -> Ints:
    """Find judged documents whose id says that there is none."""
    if pool.texts is None:
        return rows_with(pool.doc_ids.tolist(), NO_IDS)
    return np.sort(pool.row_of_text[rows_with(pool.texts, NO_IDS)])


def _missing_ids(view: View) -> Iterator[Found]:
    facts, pool = view.facts, view.facts.pool
    if not facts.has_grades:
        return
    rows = _rows_without_ids(pool)
    if rows.size:
        which = pool.judged.part(rows).lengths > 0
        yield Found(which[facts.order], words={"doc": pool.doc_ids[rows[0]]})
    for topic in pool.topic_ids:
        if topic in NO_IDS:
            yield Found(facts.mask_of([topic]), says=TOPIC_WITHOUT_ID, example=topic)


TOPIC_WITHOUT_ID = "the id of a topic is {first!r}: as if the file had been written without ids"
JUDGED_WITHOUT_ID = Code(
    "missing-ids",
    "judgments",
    _missing_ids,
    "the id of a judged document is {doc!r} in {some}: as if the judgments had been written "
    "without ids",
)


def _mixed_scales(view: View) -> Found | None:
    facts = view.facts
    if facts.of_preferences or facts.qrels is None:
        return None
    short = mixed_scales(facts.pool, facts.qrels)
    if short is None:
        return None
    words: dict[str, Any] = {"grade": short.grade, "highest": short.highest}
    if short.topics is not None:
        return Found(short.topics[facts.order], words=words)
    words |= {"name": short.column, "who": ", ".join(map(repr, short.who))}
    said = (
        "grades whose {name} is {who} end at {grade:g}, others at {highest:g}, as if they were on "
        "two scales: irpref_lab.fill translates a judge's grades"
    )
    return Found(
        view.inside, words=words, says=said, count=short.n_judged, example=repr(short.who[0])
    )


MIXED_SCALES = Code(
    "mixed-scales",
    "judgments",
    _mixed_scales,
    "{some} {have} many relevant documents but none above grade {grade:g}, while others go up to "
    "{highest:g}: as if they were graded on another scale",
)


def _grade_orders(view: View) -> list[Floats]:
    """Collect the correlations of grades with ranks of all runs: (2, n_topics) each."""
    notes = (one.grade_order for system in view.facts.systems for one in system.observed)
    return [order for order in notes if order is not None]


def _grade_order(view: View) -> Iterator[Found]:
    facts, orders = view.facts, _grade_orders(view)
    if not orders:
        return
    who = "the run ranks" if len(orders) == 1 else f"{len(orders)} runs on average rank"
    for of_runs, said in zip(np.array(orders).swapaxes(0, 1), (_UPSIDE, _NEGATIVE), strict=True):
        against = ranked_against(list(of_runs))
        is_grave = said is _UPSIDE and against is not None and against.correlation < REVERSED
        if against is not None and not is_grave:
            words = {"runs": who, "correlation": against.correlation}
            topics = against.topics
            words["n"] = int(topics.sum())
            yield Found(topics, words=words, says=said, example=facts.topics[against.first])


_UPSIDE = (
    "{runs} documents of higher grade below those of lower grade (rank correlation "
    "{correlation:.2f} over {n} topics, first {first!r}): lower grades, or lower scores, may be "
    "the better ones"
)
_NEGATIVE = (
    "{runs} documents of negative grade above relevant ones (rank correlation {correlation:.2f} "
    "over {n} topics, first {first!r}): find out what they mean before they are left out or set "
    "to 0"
)
GRADE_ORDER = Code("grade-order", "judgments", _grade_order, _UPSIDE)


def _grades_reversed(view: View) -> Found | None:
    """Detect that all runs together rank documents of higher grade lower, by more than weak runs
    do.
    """
    against = surely_against([order[0] for order in _grade_orders(view)])
    if against is None:
        return None
    n = int(against.topics.sum())
    words = {"correlation": against.correlation, "n": n}
    return Found(against.topics, words=words, example=view.facts.topics[against.first])


GRADES_REVERSED = Code(
    "grades-reversed",
    "judgments",
    _grades_reversed,
    "the runs rank documents of higher grade lower (rank correlation {correlation:.2f} over {n} "
    "topics): do the grades count down, as Cranfield's do? irpref.judgments and pt.irpref.qrels "
    "read an id of ir_datasets with its grades turned, and {remedy} turns others",
    "grave",
    against=frozenset({"pass", "claim"}),
    stops=_grades_reversed,
    instead_of=("upside-down",),
    remedy="labels=",
)


def _one_grade(view: View) -> Found | None:
    """Detect that all judged documents have one grade, and the runs rank the iteration column as
    grades.
    """
    facts = view.facts
    orders = [
        one.beside_order
        for system in facts.systems
        for one in system.observed
        if one.beside_order is not None
    ]
    found = ranked_as(orders)
    if found is None:
        return None
    return Found(view.inside, words={"grade": float(facts.pool.grade[0]), "correlation": found})


ONE_GRADE = Code(
    "one-grade",
    "judgments",
    _one_grade,
    "every judged document has grade {grade:g}, and the runs rank the iteration column as grades "
    "(rank correlation {correlation:.2f}): are the columns swapped? {remedy} names them",
    "grave",
    against=frozenset({"pass"}),
    stops=_one_grade,
    remedy="columns=",
)


def _no_nonrelevant(view: View) -> Iterator[Found]:
    facts, pool = view.facts, view.facts.pool
    if not facts.has_grades:
        return
    names_of: dict[tuple[bytes, bool], list[str]] = {}
    for measure in facts.asked or [*parse_all(["Bpref"]), *registered().values()]:
        lacking = lacks_nonrelevant(measure, pool)
        if lacking.any():
            compares = compares_relevant(measure, pool.level_grade.tolist())
            names_of.setdefault((lacking.tobytes(), compares), []).append(str(measure))
    for (lacks, compares), names in names_of.items():
        which = np.frombuffer(lacks, bool)
        words = {"measures": ", ".join(names), "left": what_is_left(compares, len(names))}
        said, level = NO_NONRELEVANT.says, NO_NONRELEVANT.level
        if which.all():
            said, level = "no document is judged non-relevant: {measures} {left}", "warning"
        yield Found(which[facts.order], words=words, says=said, level=level)


NO_NONRELEVANT = Code(
    "no-nonrelevant",
    "judgments",
    _no_nonrelevant,
    "{some} {have} no document judged non-relevant: {measures} {left} there",
    "note",
)


# Preferences --------------------------------------------------------------------------------------


def _disagreeing_judges(view: View) -> Found | None:
    facts, pool = view.facts, view.facts.pool
    if not facts.of_preferences:
        return None
    preferences = pool.preferences
    disagreed = np.zeros(pool.n_topics, np.int64)
    for t in np.flatnonzero(preferences.groups.lengths > 1).tolist():
        rows = pool.judged.span(t)
        here = preferences.topics(t, t + 1, rows.start, rows.stop)
        for row in range(rows.stop - rows.start):
            disagreed[t] += np.intersect1d(*here.against(row), assume_unique=True).size
    disagreed //= 2  # each pair is found from both of its documents
    which: Bools = disagreed[facts.order] > 0
    first = next(compress(facts.topics, which.tolist()), None)
    n = int(disagreed.sum())
    return Found(which, words={"n": n}, count=n, example=first) if n else None


DISAGREEING_JUDGES = Code(
    "disagreeing-judges",
    "judgments",
    _disagreeing_judges,
    "groups disagree about {n} pair{s} of documents, in {some}: no ranking fulfils all preferences",
)


CONTRADICTING_PREFERENCES = Code(
    "contradicting-preferences", "judgments", nothing, "{error}", "grave"
)


def _never_compared(view: View) -> Found | None:
    facts, pool = view.facts, view.facts.pool
    if not facts.of_preferences:
        return None
    preferences = pool.preferences
    entries = preferences.entries
    several_levels = entries.spread(entries.count(preferences.place > 0) > 0)
    alone = np.ones(pool.grade.size, bool)
    alone[preferences.row[several_levels]] = False
    alone[preferences.winner] = alone[preferences.loser] = False
    if not alone.any():
        return None
    row = int(alone.argmax())
    topic = pool.topic_ids[int(pool.judged.topic[row])]
    n = int(alone.sum())
    words = {"doc": pool.doc_ids[row]}
    return Found(facts.mask_of([topic]), words=words, count=n, example=topic)


NEVER_COMPARED = Code(
    "never-compared",
    "judgments",
    _never_compared,
    "{n} document{s} occur{verb_s} in no preference, first {doc!r}",
    "note",
)


def _excluded_relevant(view: View) -> Found | None:
    facts, systems = view.facts, view.facts.systems
    excluded = systems[0].observed[0].how.excluded if systems else None
    if not excluded or facts.of_preferences:
        return None
    pool, found = facts.pool, []
    for topic, doc in sorted(excluded):
        t = pool.topic_of.get(topic)
        row = None if t is None else pool.index(t).get(doc)
        if row is not None and pool.grade[row] > 0:
            found.append((topic, doc))
    if not found:
        return None
    n = len(found)
    words = {"topic": found[0][0], "doc": found[0][1]}
    return Found(facts.mask_of([topic for topic, _ in found]), words=words, count=n)


EXCLUDED_RELEVANT = Code(
    "excluded-relevant",
    "judgments",
    _excluded_relevant,
    "{n} excluded document{s} {are} judged relevant, first {doc!r} of topic {topic!r}: no run can "
    "retrieve {them}, and recall and ideal rankings still count {them}",
    "note",
    in_notes=True,
)


def _read_differently(view: View) -> Found | None:
    by_way: dict[str, str] = {}
    for system in view.facts.systems:
        by_way.setdefault(_way(system.observed[0].how), system.name)
    if len(by_way) < 2:
        return None
    words = {"ways": "; ".join(f"{name}: {way}" for way, name in by_way.items())}
    return Found(view.facts.none, words=words, count=len(by_way))


def _way(how: Reading) -> str:
    """Describe which rows of a run count."""
    chunks = "chunks count as documents, and " if how.documents is not None else ""
    return f"{chunks}the {how.repeats or 'last'} row of a repeated document counts"


READ_DIFFERENTLY = Code(
    "read-differently",
    "judgments",
    _read_differently,
    "the runs were read in {n} ways ({ways})",
    "note",
    in_notes=True,
)


CODES = (
    EXCLUDED_RELEVANT,
    READ_DIFFERENTLY,
    UNANSWERABLE,
    UNSEEN,
    GRADE_SCALE,
    NEGATIVE_GRADES,
    JUDGED_WITHOUT_ID,
    MIXED_SCALES,
    GRADES_REVERSED,
    ONE_GRADE,
    GRADE_ORDER,
    NO_NONRELEVANT,
    CONTRADICTING_PREFERENCES,
    DISAGREEING_JUDGES,
    NEVER_COMPARED,
)
