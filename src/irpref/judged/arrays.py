"""Judgments and runs that are arrays already: a row for each topic, a column for each document."""

from __future__ import annotations

import numpy as np

from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats, Ints, Segments
from irpref.judged.pool import Pool


def align_arrays(grade: Floats, score: Floats) -> JudgedRun | None:
    """Align a run whose documents are columns; ties are broken by column, descending.

    Parameters
    ----------
    grade : float array (n_topics, n_docs)
        NaN if a document is unjudged.
    score : float array (n_topics, n_docs)
        NaN if a document was not retrieved.

    Returns
    -------
    JudgedRun or None
        With `rank_rising` and `tied_from`. Topics of its pool are called by their numbers, documents have no names.
        None if nothing is judged.
    """
    n_topics, n_docs = grade.shape
    is_judged, retrieved = ~np.isnan(grade), ~np.isnan(score)
    if not is_judged.any():
        return None
    # Ideal order: stable by descending grade, unjudged documents last, as NaN sorts.
    ideal = np.argsort(-grade, axis=1, kind="stable")
    judged = Segments.of_lengths(is_judged.sum(axis=1))
    front = np.arange(n_docs) < judged.lengths[:, None]
    column = ideal[front]
    topic = judged.topic
    rows: Ints = np.full((n_topics, n_docs), -1, dtype=np.int64)
    rows[topic, column] = np.arange(column.size)
    names = list(map(str, range(n_topics)))
    pool = Pool(names, judged, grade[topic, column], [], np.arange(column.size))
    # Columns the other way round: a stable sort then leaves the later one of two equal scores in front.
    order = n_docs - 1 - np.argsort(-score[:, ::-1], axis=1, kind="stable")
    n_retrieved = retrieved.sum(axis=1)
    row = np.take_along_axis(rows, order, axis=1)
    hit = (row >= 0) & (np.arange(n_docs) < n_retrieved[:, None])
    hits = Segments.of_lengths(hit.sum(axis=1))
    rank = np.nonzero(hit)[1] + 1
    run = JudgedRun(pool, hits, rank, row[hit], n_retrieved)
    ordered = np.take_along_axis(score, order, axis=1)
    opens = np.ones((n_topics, n_docs + 1), bool)
    opens[:, 1:-1] = ordered[:, 1:] != ordered[:, :-1]
    place = np.arange(n_docs + 1)
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=1)[:, :-1][hit] + 1
    last = np.minimum.accumulate(np.where(opens, place, n_docs)[:, ::-1], axis=1)[:, ::-1][:, 1:][hit]
    run.rank_rising, run.tied_from = first + last - rank, first
    return run
