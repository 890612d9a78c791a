"""Whether higher grades are ranked higher, as they are wherever grades count up and scores mean something.

For each topic and run: Spearman's rank correlation of the grades of the judged documents with their places in the
ranking, ties given their mean rank, documents that were not retrieved tied behind all others. It is 1 if no
document is ranked above one of a higher grade, 0 if grades say nothing about places, below 0 if higher
grades are ranked lower. Averaged over runs, then over topics; means that are more than `ERRORS` standard errors
below 0 are reported.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irpref.arrays.record import Record
from irpref.arrays.segments import Bools, Floats, Segments
from irpref.judged.pool import Pool

ERRORS = 3.0  # On nine collections means of all runs are 9 to 22 errors above 0, on Cranfield 5 below.
_FEW_TOPICS = 10


class GradeOrder(Record):
    """What one run shows, by topic of the qrels: arrays (n_topics,), NaN if a topic has nothing to compare."""

    grades: Floats  # among grades of 0 and more
    signs: Floats  # negative ones against positive ones


class Reversed(Record):
    """Grades that the runs put in the opposite order: see `reversed_grades`."""

    negative: bool  # whether it is negative grades, above the positive ones
    correlation: float
    topics: int
    first: int  # the first topic where the correlation is negative


def grade_order(pool: Pool, place: Floats) -> GradeOrder:
    """Correlation of grades and places.

    Parameters
    ----------
    pool : Pool
    place : float array (n_judged,)
        Place of each judged document in the ranking, infinite if it was not retrieved.
    """
    return GradeOrder(
        _correlation(pool, place, pool.grade, pool.grade >= 0),
        _correlation(pool, place, np.sign(pool.grade), pool.grade != 0),
    )


def _correlation(pool: Pool, place: Floats, grade: Floats, rows: Bools) -> Floats:
    topics = pool.judged.where(rows)
    x, y = _centred(-place[rows], topics), _centred(grade[rows], topics)
    size = np.sqrt(topics.total(x * x) * topics.total(y * y))
    return np.divide(topics.total(x * y), size, out=np.full(size.size, np.nan), where=size > 0)


def _centred(values: Floats, topics: Segments) -> Floats:
    """Mean ranks of the values within their topic, less their mean."""
    order = np.lexsort((values, topics.topic))
    of, ordered = topics.topic[order], values[order]
    opens = np.ones(values.size, bool)
    opens[1:] = (of[1:] != of[:-1]) | (ordered[1:] != ordered[:-1])
    ties = Segments(np.append(np.flatnonzero(opens), values.size))
    rank = np.empty(values.size)
    rank[order] = ties.spread(topics.position[ties.starts] + (ties.lengths - 1) / 2)
    return rank - topics.spread((topics.lengths - 1) / 2)


def reversed_grades(looks: list[GradeOrder]) -> Iterator[Reversed]:
    """Grades that all runs together put in the opposite order, if there are any."""
    for negative in (False, True):
        rows = np.array([look.signs if negative else look.grades for look in looks])
        known = ~np.isnan(rows)
        topics = np.flatnonzero(known.any(axis=0))
        if topics.size < _FEW_TOPICS:
            continue
        of = np.where(known, rows, 0.0)[:, topics].sum(axis=0) / known[:, topics].sum(axis=0)
        mean, error = float(of.mean()), float(of.std(ddof=1)) / topics.size**0.5
        if mean < -ERRORS * error and mean < 0:
            yield Reversed(negative, mean, topics.size, int(topics[int(np.argmax(of < 0))]))
