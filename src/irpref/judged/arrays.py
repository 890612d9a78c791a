"""Judgments and runs that are arrays already: a row for each topic, a column for each document."""

from __future__ import annotations

import numpy as np

from irpref.data.columns import Coded, Stretches, Table, objects
from irpref.judged.align import align_tables
from irpref.judged.pool import Pool
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats


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
        With `rank_rising` and `tied_from`. Topics and documents are called by their numbers. None
        if nothing is judged.
    """
    judgments, run = map(_table, (grade, score))
    return (
        align_tables(Pool.from_table(judgments), [run], ties=True).run if len(judgments) else None
    )


def _table(values: Floats) -> Table:
    """Name the rows of topics and documents by their numbers; ids rise with the columns."""
    n_topics, n_docs = values.shape
    there = ~np.isnan(values)
    docs = Coded(objects([f"{doc:09}" for doc in range(n_docs)]), np.nonzero(there)[1])
    return Table(
        Stretches([str(topic) for topic in range(n_topics)], there.sum(axis=1)), docs, values[there]
    )
