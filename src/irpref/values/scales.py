"""Check what the grades of a file mean: are they all on one scale, and are higher grades better?

Scale: humans and a judge may use different scales. A group of judgments (those that a column
attributes to one source, or those of a topic) stops short at a grade g if it holds p positive
grades, none above g, while a share s of the positive grades of the other groups is above g, and (1
- s)^p is below a millionth.

Order: if higher grades are better, runs rank documents with higher grades higher. For each topic
and run we compute Spearman's rank correlation between the grades of the judged documents and their
ranks. Ties get their mean rank, and documents that were not retrieved are tied behind all others.
It is 1 if every document is ranked above all documents of lower grades, 0 if grades say nothing
about ranks, below 0 if higher grades are ranked lower. It is averaged over runs, then over topics;
means more than `ERRORS` standard errors below 0 are reported."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irpref.judged.judgments import Judgments
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.kernel.segments import Bools, Floats, Ints, Segments
from irpref.values.findings import Finding, finding, of_topics

# Columns that may name the source of a grade.
_COLUMNS = (SOURCE, "iteration", "judge", "assessor", "annotator")
_MOST = 20  # different entries of such a column
_CHANCE = 1e-6
# Share of the topics. On 20 collections 0 to 11 % stop short; 38 % if a grade is used for some
# kinds of topics only, and 32 % if older topics were judged yes or no.
_SHARE = 0.25


def stops_short(grade: Floats, group: Ints) -> tuple[float, Bools] | None:
    """The grade at which most groups stop short.

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
    for g in np.unique(grade[grade > 0])[:-1].tolist():
        above = np.bincount(group, grade > g)
        short = above == 0
        if short.all() or not short.any():
            continue
        share = above.sum() / positive[~short].sum()
        short &= positive * np.log1p(-min(share, 1 - 1e-12)) < np.log(_CHANCE)
        if short.any() and (best is None or short.sum() > best[1].sum()):
            best = g, short
    return best


def mixed_scales(qrels: Judgments, pool: Pool) -> Iterator[Finding]:
    """Findings about grades that seem to be on different scales."""
    grades = qrels.table.value
    for name in (name for name in _COLUMNS if name in qrels.names):
        column = qrels.column(name)
        if name == SOURCE and FILLED in column and "calibrated" in pool.header:
            return  # irpref_lab.fill: one scale
        entries, group = np.unique([*map(str, column)], return_inverse=True)
        shorter = stops_short(grades, group) if 1 < entries.size <= _MOST else None
        if shorter is not None:
            grade, short = shorter
            who = [repr(entry) for entry in entries[short].tolist()]
            words = {"name": name, "who": ", ".join(who), "grade": grade, "highest": grades.max()}
            yield finding("mixed-scales", int(short[group].sum()), who[0], "column", None, **words)
            return
    shorter = stops_short(pool.grade, pool.judged.topic)
    if shorter is not None and shorter[1].sum() >= max(_SHARE * pool.n_topics, 2):
        yield from of_topics(
            "mixed-scales", pool, shorter[1], grade=shorter[0], highest=pool.grade.max()
        )


# On nine collections the means of all runs are 9 to 22 errors above 0, on Cranfield 5 below.
ERRORS = 3.0
_FEW_TOPICS = 10


def grade_order(pool: Pool, place: Floats) -> Floats:
    """Correlation of grades and ranks for one run.

    Parameters
    ----------
    pool : Pool
    place : float array (n_judged,)
        Rank of each judged document, infinite if it was not retrieved.

    Returns
    -------
    float array (2, n_topics)
        Among grades of 0 and more; of negative grades against positive ones. NaN if there is
        nothing to compare.
    """
    of_grades = _correlation(pool, place, pool.grade, pool.grade >= 0)
    return np.array([of_grades, _correlation(pool, place, np.sign(pool.grade), pool.grade != 0)])


def _correlation(pool: Pool, place: Floats, grade: Floats, rows: Bools) -> Floats:
    topics = pool.judged.where(rows)
    x, y = _centred(-place[rows], topics), _centred(grade[rows], topics)
    size = np.sqrt(topics.total(x * x) * topics.total(y * y))
    return np.divide(topics.total(x * y), size, out=np.full(size.size, np.nan), where=size > 0)


def _centred(values: Floats, topics: Segments) -> Floats:
    """Ranks of the values within their topic, ties averaged, minus the mean of the topic."""
    order = np.lexsort((values, topics.topic))
    topic, ordered = topics.topic[order], values[order]
    ties = Segments.of_equal(topic, ordered)
    rank = np.empty(values.size)
    rank[order] = ties.spread(topics.position[ties.starts] + (ties.lengths - 1) / 2)
    return rank - topics.spread((topics.lengths - 1) / 2)


def reversed_grades(pool: Pool, of_runs: list[Floats]) -> Iterator[Finding]:
    """Grades that all runs together rank in the opposite order; `of_runs` is what `grade_order`
    returns for each.
    """
    runs = "the run ranks" if len(of_runs) == 1 else f"{len(of_runs)} runs on average rank"
    for rows, sentence in zip(
        np.array(of_runs).swapaxes(0, 1) if of_runs else (), ("text", "negative"), strict=False
    ):
        known = ~np.isnan(rows)
        topics = np.flatnonzero(known.any(axis=0))
        if topics.size < _FEW_TOPICS:
            continue
        by_topic = np.where(known, rows, 0.0)[:, topics].sum(axis=0) / known[:, topics].sum(axis=0)
        mean, error = float(by_topic.mean()), float(by_topic.std(ddof=1)) / topics.size**0.5
        if mean < -ERRORS * error and mean < 0:
            first = pool.topic_ids[int(topics[int(np.argmax(by_topic < 0))])]
            yield finding("grade-order", topics.size, first, sentence, runs=runs, correlation=mean)
