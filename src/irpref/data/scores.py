"""Scores that give the documents of a run another order.

Every measure ranks documents by score, and breaks ties by document id, descending. To rank them in
another way, give them other scores: `irpref.run` and `irpref.read_run` do that here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from irpref.data.columns import Reading, Table, as_list, as_objects, check_finite, objects
from irpref.data.rows import (
    id_text,
    of_documents,
    one_each,
    warn_of_exclusion,
    without,
    without_own,
)
from irpref.errors import RunError
from irpref.kernel.segments import Bools, Floats, Segments
from irpref.messages import check_choice

TIES = ("id", "input")


def rescored(run: Table, how: Reading) -> Floats:
    """Compute the scores that `irpref.run` gives to the rows of a run: shape (n_rows,).

    Parameters
    ----------
    run : Table
        Not modified.
    how : Reading
        Its `ties` and `float32` count.

    Raises
    ------
    ValueError
        There is no such rule for ties; a score is not a finite number.
    """
    check_choice("ties", how.ties, TIES)
    score: Floats = np.asarray(run.value, np.float64)
    check_finite(
        "score", score, lambda row: (as_list(run.query_id)[row], as_list(run.doc_id)[row]), RunError
    )
    if how.float32:
        score = rounded(score)
    if how.ties == "input":
        import pandas as pd

        topic = pd.factorize(as_objects(run.query_id))[0]
        order = np.lexsort((-score, topic))  # stable: equal scores stay in the order of the rows
        topics = Segments.of_topics(topic[order])
        score = np.empty_like(score)
        score[order] = (topics.spread(topics.lengths) - topics.position).astype(np.float64)
    return score


def changed(run: Table, how: Reading) -> Table:
    """Change a run that was read as its file has it into the run that is evaluated."""
    if how.selects_rows:
        run = replace(run, query_id=_as_text(run.query_id), doc_id=_as_text(run.doc_id))
    given, n_left_out = run, 0
    if how.excluded is not None:  # chunks, and below, their documents
        run = without(run, how.excluded)
        n_left_out = len(given) - len(run)
    if how.documents is not None:
        run = of_documents(run, how.documents)
    if how.ignore_self:
        run = without_own(run)
    if how.excluded is not None:
        kept = without(run, how.excluded)
        if how.excluded and n_left_out + len(run) - len(kept) == 0:
            warn_of_exclusion(given, how.excluded)
        run = kept
    if how.lower_is_better:
        run = replace(run, value=0.0 - np.asarray(run.value, np.float64))
    if how.repeats is not None:
        run = one_each(run, how.repeats)
    return replace(run, value=rescored(run, how))


def _as_text(ids: Any) -> Any:
    """Return a column of ids as an object array of `str`."""
    return objects([name if type(name) is str else id_text(name) for name in as_list(ids)])


def rounded(score: Floats) -> Floats:
    """Round scores to 32 bits, as in pytrec_eval. Scores beyond the range become its ends, and tie
    as infinities would.
    """
    ends = np.finfo(np.float32)
    return np.clip(score, float(ends.min), float(ends.max)).astype(np.float32).astype(np.float64)


def blurs(score: Floats, topics: Segments) -> Bools:
    """Mark rows whose score differs from the one before in 64 bits but not in 32; `score` falls in
    each topic.
    """
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    return topics.differs(score) & ~topics.differs(short)
