"""Check the meaning of the grades of a file: are they all on one scale, and are higher grades
better?

Scale: humans and a judge may use different scales. A group of judgments (all that a column
attributes to one source, or all of a topic) stops short at a grade g if it holds p positive grades,
none above g, while a share s of the positive grades of the other groups is above g, and (1 - s)^p
is below a millionth.

Order: if higher grades are better, runs rank documents with higher grades higher. For each topic
and run we compute Spearman's rank correlation between the grades of the judged documents and their
ranks. Ties get their mean rank, and documents that were not retrieved are tied behind all others.
It is 1 if every document is ranked above all documents of lower grades, 0 if grades say nothing
about ranks, below 0 if higher grades are ranked lower. It is averaged over runs, then over topics;
means more than `ERRORS` standard errors below 0 are reported."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from irpref.data.columns import as_objects
from irpref.judged.align import Listing
from irpref.judged.judgments import Judgments
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.kernel.grades import Grades
from irpref.kernel.memo import shared
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Floats, Ints, Segments, opens

# Columns that may name the source of a grade.
_COLUMNS = (SOURCE, "iteration", "judge", "assessor", "annotator")
_MOST = 20  # different entries of such a column
_CHANCE = 1e-6
# Share of the topics. On 20 collections 0 to 11 % stop short; 38 % if a grade is used for some
# kinds of topics only, and 32 % if older topics were judged yes or no.
_SHARE = 0.25


def stops_short(grade: Floats, group: Ints) -> tuple[float, Bools] | None:
    """Find the grade at which most groups stop short.

    Parameters
    ----------
    grade : float array (n,)
    group : int array (n,)
        Numbers from 0.

    Returns
    -------
    grade : float
    which : bool array (n_groups,)
        None if no group stops short.
    """
    positive = np.bincount(group, grade > 0)
    best: tuple[float, Bools] | None = None
    levels = np.sort(grade[grade > 0])
    for g in levels[opens(levels)][:-1].tolist():
        above = np.bincount(group, grade > g)
        short = above == 0
        if short.all() or not short.any():
            continue
        share = above.sum() / positive[~short].sum()
        short &= positive * np.log1p(-min(share, 1 - 1e-12)) < np.log(_CHANCE)
        if short.any() and (best is None or short.sum() > best[1].sum()):
            best = g, short
    return best


class Short(NamedTuple):
    """Grades that stop short, as if they were on another scale.

    Attributes
    ----------
    grade, highest : float
        The highest grade there, and elsewhere.
    topics : bool array (n_topics,) or None
        Topics of the pool; None if a column tells.
    column : str
        Its name; `who` are the entries whose grades stop short.
    who : tuple of str
    n_judged : int
        Judgments with these entries.
    """

    grade: float
    highest: float
    topics: Bools | None = None
    column: str = ""
    who: tuple[str, ...] = ()
    n_judged: int = 0


@shared
def mixed_scales(pool: Pool, qrels: Judgments) -> Short | None:
    """Find grades that seem to be on different scales."""
    grades = qrels.table.value
    for name in (name for name in _COLUMNS if name in qrels.names):
        column = qrels.column(name)
        if name == SOURCE and FILLED in column and "calibrated" in pool.header:
            return None  # irpref.judgments that were filled: one scale
        texts = [*map(str, column)]
        entries = sorted(set(texts))
        if not 1 < len(entries) <= _MOST:
            continue
        number = {entry: i for i, entry in enumerate(entries)}
        group = np.array([*map(number.__getitem__, texts)])
        if (shorter := stops_short(grades, group)) is not None:
            grade, short = shorter
            who = tuple(compress(entries, short.tolist()))
            return Short(grade, float(grades.max()), None, name, who, int(short[group].sum()))
    shorter = stops_short(pool.grade, pool.judged.topic)
    if shorter is not None and shorter[1].sum() >= max(_SHARE * pool.n_topics, 2):
        return Short(shorter[0], float(pool.grade.max()), shorter[1])
    return None


# On nine collections the means of all runs are 9 to 22 errors above 0, on Cranfield 5 below.
ERRORS = 3.0
REVERSED = -0.1  # mean correlation; above it, runs may just be weak
_FEW_TOPICS = 10
_FEWEST_RANKED = 2
_AS_GRADES = 0.1  # mean correlation of numbers that runs rank as grades
_LOOKED_AT = 20  # topics that tell whether to look at the rest


def grade_order(run: Listing) -> Floats:
    """Correlate grades with ranks.

    Returns
    -------
    float array (2, n_topics)
        Among grades of 0 and more; of negative grades against positive ones. NaN if there is
        nothing to compare.
    """
    pool = run.pool
    none = np.full(pool.n_topics, np.nan)
    if not (pool.grade < 0).any():
        return np.array([_correlation(run.row, run.topics, _graded(pool)), none])
    return np.array(
        [
            _correlation(run.row, run.topics, _graded(pool)),
            _correlation(run.row, run.topics, _signed(pool)),
        ]
    )


class Compared(NamedTuple):
    """The documents of a pool that are compared, and their grades as ranks.

    Attributes
    ----------
    place : int array (n_judged + 1,)
        Place of each document of the pool among the compared ones, -1 if it is none of them; the
        last entry is -1, so that this also holds for row -1.
    topics : Segments
    y : float array (n_compared,)
        Ranks of the grades within the topic, ties averaged, minus the mean of the topic.
    size : float array (n_topics,)
        Sum of the squares of `y`.
    """

    place: Ints
    topics: Segments
    y: Floats
    size: Floats


@shared
def _graded(pool: Grades) -> Compared:
    return _compared(pool.judged, pool.grade, pool.grade >= 0)


@shared
def _graded_first(pool: Pool) -> Compared:
    """Prepare the first topics alone."""
    topics = _first(pool.judged)
    grade = pool.grade[: topics.size]
    return _compared(topics, grade, grade >= 0)


def _first(topics: Segments) -> Segments:
    """Return the segments of the first topics, which tell whether to look at the rest."""
    return Segments(topics.offsets[: _LOOKED_AT + 1])


@shared
def _signed(pool: Pool) -> Compared:
    return _compared(pool.judged, np.sign(pool.grade), pool.grade != 0)


def _compared(judged: Segments, grade: Floats, rows: Bools) -> Compared:
    topics = judged.where(rows)
    y = _centred(grade[rows], topics)
    place = np.append(np.where(rows, np.cumsum(rows) - 1, -1), -1)
    return Compared(place, topics, y, topics.total(y * y))


def _correlation(row: Ints, of_rows: Segments, of_grades: Compared) -> Floats:
    """Compute Spearman's correlation of each topic: (n_topics,).

    Of n compared documents, h are retrieved. The one at place p (from 0) of these has the centred
    rank (n - 1) / 2 - p; the others are tied at -h / 2.
    """
    place, topics, y, size = of_grades
    compared, hits = place[row], of_rows
    if compared.min(initial=0) < 0:
        at = np.flatnonzero(compared >= 0)
        compared, hits = compared[at], of_rows.part(at)
    n, n_hits = topics.lengths.astype(np.float64), hits.lengths
    first = (n - 1) / 2
    # The centred ranks of the grades add up to 0, and all numbers are exact in binary.
    x = hits.spread(first + n_hits / 2) - hits.position
    both = hits.total(x * y[compared])
    # Sums of p and of its square over the places.
    p, p_squared = n_hits * (n_hits - 1) / 2, n_hits * (n_hits - 1) * (2 * n_hits - 1) / 6
    of_hits = n_hits * first**2 - 2 * first * p + p_squared
    product = np.sqrt((of_hits + (n - n_hits) * n_hits**2 / 4) * size)
    return np.divide(both, product, out=np.full(product.size, np.nan), where=product > 0)


def _centred(values: Floats, topics: Segments) -> Floats:
    """Rank the values within their topic, ties averaged, minus the mean of the topic."""
    topic = topics.topic
    if ((np.diff(values) <= 0) | (np.diff(topic) > 0)).all():  # as grades of a pool are
        ties = Segments.of_equal(topic, values)
        place = topics.position[ties.starts] + (ties.lengths - 1) / 2
        return topics.spread((topics.lengths - 1) / 2) - ties.spread(place)
    order = np.lexsort((values, topic))
    topic, ordered = topics.topic[order], values[order]
    ties = Segments.of_equal(topic, ordered)
    rank = np.empty(values.size)
    rank[order] = ties.spread(topics.position[ties.starts] + (ties.lengths - 1) / 2)
    return rank - topics.spread((topics.lengths - 1) / 2)


class Against(NamedTuple):
    """Grades that runs rank in the opposite order: the mean correlation, and its topics."""

    correlation: float
    topics: Bools
    first: int


def ranked_against(of_runs: Sequence[Floats]) -> Against | None:
    """Test whether runs together rank the documents of higher grades lower.

    Parameters
    ----------
    of_runs : sequence of float array (n_topics,)
        Correlations of each run.
    """
    rows = np.array(of_runs)
    known = ~np.isnan(rows)
    there = known.any(axis=0)
    topics = np.flatnonzero(there)
    if topics.size < _FEW_TOPICS:
        return None
    by_topic = np.where(known, rows, 0.0)[:, topics].sum(axis=0) / known[:, topics].sum(axis=0)
    mean, error = float(by_topic.mean()), float(by_topic.std(ddof=1)) / topics.size**0.5
    if mean < -ERRORS * error and mean < 0:
        return Against(mean, there, int(topics[int(np.argmax(by_topic < 0))]))
    return None


def numbers_beside_one_grade(qrels: Judgments, pool: Pool) -> Compared | None:
    """Return the numbers of the iteration column if all judged documents have one grade; None if
    they have several, or the column does not hold two or more whole numbers.
    """
    if not pool.graded or len(pool.scale()) != 1 or "iteration" not in qrels.names:
        return None
    given = _whole_numbers(as_objects(qrels.table.columns["iteration"]))
    if given is None or np.unique(given).size < 2:
        return None
    numbers = _whole_numbers(qrels.pool(columns=("iteration",)).columns["iteration"])
    return None if numbers is None else _compared(pool.judged, numbers, np.ones(numbers.size, bool))


def _whole_numbers(column: Any) -> Floats | None:
    """Read a column as whole numbers; None if a cell is none."""
    try:
        numbers = np.asarray(column, dtype=object).astype(np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if (numbers == np.floor(numbers)).all() else None


def order_of(row: Ints, topics: Segments, numbers: Compared) -> Floats:
    """Correlate numbers of judged documents with the ranks of a run: (n_topics,).

    Parameters
    ----------
    row : int array (n_rows,)
        Row of each document in the pool, in the order of evaluation; negative if it has none.
    topics : Segments
        Of `row`.
    numbers : Compared
    """
    return _correlation(row, topics, numbers)


def ranked_as(of_runs: Sequence[Floats]) -> float | None:
    """Return the mean rank correlation if runs surely rank numbers as grades; else None.

    Parameters
    ----------
    of_runs : sequence of float array (n_topics,)
        Correlations of each run: see `order_of`.
    """
    if not of_runs:
        return None
    rows = np.array(of_runs)
    known = ~np.isnan(rows)
    topics = known.any(axis=0)
    if topics.sum() < _FEWEST_RANKED:
        return None
    by_topic = np.where(known, rows, 0.0)[:, topics].sum(axis=0) / known[:, topics].sum(axis=0)
    mean, error = float(by_topic.mean()), float(by_topic.std(ddof=1)) / by_topic.size**0.5
    return mean if mean > ERRORS * error and mean >= _AS_GRADES else None


def surely_against(of_runs: Sequence[Floats]) -> Against | None:
    """Test the same, by more than weak runs do, which rank them a little lower at most: see
    `REVERSED`.
    """
    found = ranked_against(of_runs) if of_runs else None
    return None if found is None or found.correlation >= REVERSED else found


def grade_correlation(judged: JudgedRun) -> Floats:
    """Correlate grades with ranks: (n_topics,), NaN if there is nothing to compare."""
    return judged.by_batch(lambda part: _correlation(part.row, part.hits, _graded(part.pool)))


def reversed_order(judged: JudgedRun, pool: Pool) -> float | None:
    """Return the mean rank correlation of grades and ranking if a run surely ranks documents of
    higher grade lower; else None.
    """
    if not pool.graded:
        return None
    some = _first(judged.hits)
    if _in_order(_correlation(judged.row[: some.size], some, _graded_first(pool))):
        return None
    found = surely_against([grade_correlation(judged)])
    return None if found is None else found.correlation


def _in_order(by_topic: Floats) -> bool:
    """Return whether the first topics show that higher grades are not ranked lower."""
    known = by_topic[~np.isnan(by_topic)]
    if known.size < _FEW_TOPICS:
        return False
    return float(known.mean()) > ERRORS * float(known.std(ddof=1)) / known.size**0.5
