"""Scores that give the documents of a run another order.

Every measure ranks documents by score, and breaks ties by document id, descending. To rank them in
another way, give them other scores: `irpref.ranked` and `irpref.read_run` do that here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irpref.errors import RunError
from irpref.kernel.segments import Bools, Floats, Segments
from irpref.messages import check_choice

if TYPE_CHECKING:
    import pandas as pd

TIES = ("id", "input")


def rescored(frame: pd.DataFrame, ties: str = "id", float32: bool = False) -> pd.DataFrame:
    """A run with the scores that `irpref.ranked` gives it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns `query_id`, `doc_id`, `score`. Not modified.
    ties, float32 : as for `irpref.ranked`

    Raises
    ------
    ValueError
        There is no such rule for ties; a score is no finite number.
    """
    import pandas as pd

    check_choice("ties", ties, TIES)
    score = frame["score"].to_numpy(dtype=np.float64)
    for row in np.flatnonzero(~np.isfinite(score))[:1].tolist():
        topic, doc = frame["query_id"].iloc[row], frame["doc_id"].iloc[row]
        raise RunError(
            f"the score of topic {topic!r}, document {doc!r} is {score[row]}",
            topic=str(topic),
            doc=str(doc),
            value=score[row],
        )
    if float32:
        score = rounded(score)
    if ties == "input":
        topic = pd.factorize(frame["query_id"])[0]
        order = np.lexsort((-score, topic))  # stable: equal scores stay in the order of the rows
        topics = Segments.of_lengths(np.bincount(topic))
        score = np.empty_like(score)
        score[order] = (topics.spread(topics.lengths) - topics.position).astype(np.float64)
    return frame.assign(score=score)


def rounded(score: Floats) -> Floats:
    """Scores in 32 bits, as in pytrec_eval. Those beyond the range become its ends, and tie as
    infinities would.
    """
    ends = np.finfo(np.float32)
    return np.clip(score, float(ends.min), float(ends.max)).astype(np.float32).astype(np.float64)


def blurs(score: Floats, topics: Segments) -> Bools:
    """Rows whose score differs from the one before in 64 bits but not in 32; `score` falls in each
    topic.
    """
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    out = np.zeros(score.size, bool)
    out[1:] = (short[1:] == short[:-1]) & (score[1:] != score[:-1])
    out[topics.starts[topics.lengths > 0]] = False
    return out
