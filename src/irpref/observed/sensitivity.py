"""Which differences a measure sees on some judgments, whatever the runs.

Whether a measure can tell anything is seen from its values, not from its name. The ideal ranking
has all judged documents by descending grade. Grades count the same if the ideal ranking has the
same value upside down, and documents of the highest grade alone have the same value as equally many
of the lowest. A measure that does not depend on grades at all (Judged@10, NumRet) is not blind to
them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache

import numpy as np
from ir_measures.measures import Measure
from ir_measures.measures.base import SumAgg

from irpref.data.columns import Table
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.pool import Pool
from irpref.kernel.memo import shared
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.measures.degenerate import lacks_nonrelevant
from irpref.messages import held
from irpref.observed.thresholds import threshold_of
from irpref.values.evaluator import evaluator as evaluator_for

TOP = 10  # ranks that are looked at if a measure has no cutoff
Values = dict[Measure, Floats]


def last_rank(measure: Measure, depth: int | None = None) -> int | None:
    """Find the last rank that a measure looks at in lists of this depth; None if there is no
    end.
    """
    ends = [int(end) for end in (measure.params.get("cutoff"), depth) if end is not None]
    return min(ends, default=None)


def is_count(measure: Measure) -> bool:
    """Test whether a measure is a count, whose total over the topics is shown in place of a
    mean.
    """
    return isinstance(measure.aggregator(), SumAgg)


# Measures of ir_measures without an upper limit.
_UNLIMITED = frozenset({"BPM", "INSQ", "INST", "SDCG", "alpha_DCG", "DCG"})


def limits_of(measure: Measure) -> tuple[float, float]:
    """Return the lowest and the highest value that a topic can have by a measure."""
    bounds: tuple[float, float] | None = getattr(measure, "BOUNDS", None)
    if bounds is not None:  # of our own, or of values that were given
        return bounds
    unlimited = is_count(measure) or str(measure.NAME) in _UNLIMITED
    return 0.0, np.inf if unlimited else 1.0


def grades_in_words(measure: Measure, pool: Pool) -> str:
    """Describe the grades of judgments, and which of these count for a measure."""
    known = pool.grade[pool.grade >= 0]
    low, high = float(known.min(initial=np.inf)), float(known.max(initial=-np.inf))
    parts = [f"all grades are {low:g}" if low == high else f"grades {low:g} to {high:g}"]
    if not known.size:
        parts = ["no grade of 0 or more"]
    rel = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else None
    if isinstance(rel, (int, float)) and not isinstance(rel, bool):
        parts.append(f"rel={rel:g}")
    elif measure.params.get("gains"):
        parts.append(f"gains={measure.params['gains']}")
    return ", ".join(parts)


def ranking(pool: Pool, rows: Ints, upside_down: bool = False) -> JudgedRun:
    """Rank these rows of a pool, in ascending order: best first."""
    hits = pool.judged.part(rows)
    if upside_down:
        rows = rows[hits.spread(hits.starts) + hits.spread(hits.lengths) - 1 - hits.position]
    rank = hits.position + 1
    return JudgedRun(pool, hits, rank, rows, hits.lengths, rank_rising=rank, tied_from=rank)


def tells_apart(
    measures: Iterable[Measure],
    pool: Pool,
    values: Callable[[JudgedRun], Values],
    topics: tuple[int, int] | None = None,
) -> tuple[dict[Measure, Bools], dict[Measure, Bools], Values]:
    """Find the differences that measures see on the judgments alone, by topic in the order of the
    pool.

    Parameters
    ----------
    measures : iterable of Measure
    pool : Pool
    values : callable
        Evaluates a ranking.
    topics : (int, int), optional
        The first and one past the last topic to look at; all if not given.

    Returns
    -------
    reached, alike : dict of Measure to bool array (n_topics,)
        Whether the ideal ranking has another value than an empty one; whether several grades count
        the same.
    empty : dict of Measure to float array (n_topics,)
        Values of a ranking without documents.
    """
    start, stop = topics or (0, pool.n_topics)
    first, last = pool.judged.offsets[start], pool.judged.offsets[stop]
    rows = first + np.flatnonzero(pool.grade[first:last] >= 0)
    judged = pool.judged.part(rows)
    filled = judged.lengths > 0
    best, worst = rows[judged.starts[filled]], rows[judged.ends[filled] - 1]
    several = np.zeros(pool.n_topics, bool)
    several[filled] = pool.grade[best] > pool.grade[worst]

    def of_ranking(rows: Ints, upside_down: bool = False) -> Values:
        return values(ranking(pool, rows, upside_down).topics(start, stop))

    empty, ideal, highest, lowest = map(of_ranking, (rows[:0], rows, best, worst))
    turned: Values | None = None
    ends: list[Values] = []
    reached, alike = {}, {}
    for measure in measures:
        # A ranking without a value, since another provider cannot compute it, is no evidence.
        reached[measure] = differ(ideal[measure], empty[measure]) | np.isnan(ideal[measure])
        several_or_none = several | lacks_nonrelevant(measure, pool)
        same = several_or_none[start:stop] & ~differ(highest[measure], lowest[measure])
        same &= ~np.isnan(highest[measure])
        if same.any():
            turned = turned or of_ranking(rows, upside_down=True)
            same &= ~differ(ideal[measure], turned[measure])
        if same.any():
            ends = ends or [of_ranking(part) for part in _ends(pool, rows)]
            same &= ~differ(*(values_of[measure] for values_of in ends))
        if same.any() and not sees_grades(measure, pool):
            same[:] = False  # it is about something else, such as Judged@10
        alike[measure] = same
    return reached, alike, empty


def blind(alike: Bools, judged: Ints, returned: Ints, lacking: Bools | bool = False) -> Bools:
    """Mark topics where all that runs show a measure counts the same: shape (n_topics,).

    Parameters
    ----------
    alike : bool array (n_topics,)
        See `tells_apart`.
    judged, returned : int array (n_topics,)
        Judged documents, and documents, in the ranks that the measure looks at, of all runs: if
        most are unjudged, it tells those from the others.
    lacking : bool array (n_topics,)
        Whether the measure needs a document judged non-relevant, and there is none.
    """
    return np.asarray(alike & (returned > 0) & ((2 * judged >= returned) | lacking))


def _ends(pool: Pool, rows: Ints) -> tuple[Ints, Ints]:
    """Find the documents of the highest grade of each topic, and equally many of the lowest.

    A measure of a set, such as "has three relevant documents", sees no difference of one.
    """
    topics, grade = pool.judged.part(rows), pool.grade[rows]
    # Grades fall inside each topic.
    highest, lowest = (
        topics.count(grade == topics.spread(end))
        for end in (topics.first_value(grade), topics.last_value(grade))
    )
    number = np.minimum(highest, lowest)
    first = topics.position < topics.spread(number)
    last = topics.position >= topics.spread(topics.lengths - number)
    return rows[first], rows[last]


def sees_grades(measure: Measure, pool: Pool) -> bool:
    """Test whether a measure depends on grades at all; Judged@10 and NumRet do not.

    First a document of the highest grade is compared with one of grade 0. If they have the same
    value, the ideal ranking is evaluated again with grade 0 for all of its documents. A value that
    cannot be computed counts as if it depended on grades.
    """
    if pool.of_preferences or _tells_two_apart(measure, float(pool.grade.max())):
        return True
    return _changes_with_grades(pool, measure)


@cache
def can_see_grades(measure: Measure) -> bool:
    """Test whether a measure depends on grades, if the judgments are not known.

    It is evaluated on a topic of documents that are relevant to it, and as many of grade 0. A
    measure that another package computes counts as if it depended on grades.
    """
    relevant = max(threshold_of(measure) or 0.0, 1.0)
    grades = {f"d{number}": relevant * (number < 2 * TOP) for number in range(4 * TOP)}
    read = as_judgments({"q": grades})
    if evaluator_for([measure], read).rest:
        return True
    return sees_grades(measure, read.pool())


@cache
def _tells_two_apart(measure: Measure, highest: float) -> bool:
    """Test whether a document of this grade and one of grade 0 have different values."""
    read = as_judgments({"q": {"a": highest, "b": 0}})
    rankings = ({"a": 1}, {"b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2})
    with held(), suppress(ValueError):
        means = evaluator_for([measure], read).calc_aggregate
        a, b, a_above, b_above = (means({"q": docs})[measure] for docs in rankings)
        return bool(a != b or a_above != b_above)
    return True


@shared
def _changes_with_grades(pool: Pool, measure: Measure) -> bool:
    """Test whether the values of the ideal ranking change if no document is relevant."""
    topics = [pool.topic_ids[t] for t in pool.judged.topic.tolist()]
    docs = list(pool.doc_ids)
    ranked = Table(topics, docs, -pool.judged.position.astype(np.float64))
    with held(), suppress(ValueError):
        by_grade, by_none = (
            evaluator_for([measure], Judgments(Table(topics, docs, grades))).values(ranked)[measure]
            for grades in (pool.grade, np.minimum(pool.grade, 0.0))
        )
        return bool(differ(by_grade, by_none).any())
    return True


def differ(a: Floats, b: Floats) -> Bools:
    """Mark where two values differ by more than rounding; a value differs from none."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(a - b)
        near = np.isfinite(gap) & (gap <= 1e-12 * np.maximum(np.abs(a), np.abs(b)))
    return np.asarray(~(near | (a == b) | (np.isnan(a) & np.isnan(b))))
