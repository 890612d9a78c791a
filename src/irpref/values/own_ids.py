"""Runs that retrieve a document with the id of its topic, as if queries were documents of the
collection (ArguAna, Quora, chat logs).

Where ids are numbers, a topic and a document may have the same one by chance. They then count only
in the first ranks, and only for more topics than chance would explain."""

from __future__ import annotations

import numpy as np

from irpref.judged.align import Listing
from irpref.judged.match import rows_with
from irpref.kernel.segments import Bools
from irpref.values.sensitivity import TOP

_SOME = 0.05  # share of topics whose number is that of a document by chance


def likely(topic_ids: list[str], own: Bools, own_top: Bools, answered: Bools) -> Bools:
    """Topics with a document of their own id, without what chance explains.

    Parameters
    ----------
    topic_ids : list of str
    own, own_top, answered : bool arrays (n_topics,)
        Whether a document has the id of the topic; whether it is in the first ranks; whether the
        run has documents.
    """
    numbers = np.array([name.isdecimal() for name in topic_ids], bool)
    which = own & ~numbers
    by_number = own_top & numbers
    if by_number.sum() > max(1, _SOME * answered.sum()):
        which |= by_number
    return which


def own_topics(run: Listing) -> Bools:
    """Find topics for which a run retrieves an unjudged document of their own id: (n_topics,)."""
    own, own_top = own_documents(run)
    return likely(run.pool.topic_ids, own, own_top, run.topics.lengths > 0)


def own_documents(run: Listing) -> tuple[Bools, Bools]:
    """Find topics with an unjudged document of their own id, and topics with one in the first
    ranks: both (n_topics,).
    """
    own, own_top = np.zeros((2, run.pool.n_topics), bool)
    rows = rows_with(run.texts, run.pool.topic_ids, run.topics.topic)
    rows = rows[run.row[rows] < 0]
    own[run.topics.topic[rows]] = True
    own_top[run.topics.topic[rows[run.topics.position[rows] < TOP]]] = True
    return own, own_top
