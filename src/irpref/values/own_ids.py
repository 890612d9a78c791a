"""Runs that retrieve a document with the id of its topic, as if queries were documents of the
collection (ArguAna, Quora, chat logs).

Where ids are numbers, a topic and a document may have the same one by chance. They then count only
in the first ranks, and only for more topics than chance would explain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irpref.data.columns import Table, as_list, stretches_of
from irpref.judged.inputs import id_text, run_table, str_list
from irpref.judged.match import rows_with, texts_of
from irpref.judged.pool import Pool
from irpref.kernel.segments import Bools, Floats, Ints
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


def own_topics(pool: Pool, run: Any, answered: Bools) -> Bools:
    """Topics of a pool for which a run retrieves an unjudged document of their own id.

    Parameters
    ----------
    pool : Pool
    run : any form of run
    answered : bool array (n_topics,)
    """
    own, own_top = np.zeros((2, pool.n_topics), bool)
    above = _in_mapping(run) if isinstance(run, Mapping) else _in_table(run_table(run))
    for topic, n_above in above.items():
        t = pool.topic_of.get(topic)
        if t is not None and topic not in pool.index(t):
            own[t], own_top[t] = True, n_above < TOP
    return likely(pool.topic_ids, own, own_top, answered)


def _in_mapping(run: Mapping[Any, Any]) -> dict[str, int]:
    """The topics of a run with a document of their own id, and how many documents are above it."""
    above = {}
    for topic, docs in run.items():
        if topic in docs:
            score = docs[topic]
            above[id_text(topic)] = sum(other > score for other in docs.values())
    return above


def _in_table(run: Table) -> dict[str, int]:
    topics = stretches_of(run.query_id)
    names, stretch = list(map(id_text, topics.names)), topics.codes
    docs = texts_of(run.doc_id) or str_list(as_list(run.doc_id))
    rows = rows_with(docs, names, stretch)
    if not rows.size:
        return {}
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_stretch: Ints = np.array([numbers[name] for name in names], np.int64)
    best: Floats = np.full(len(numbers), np.inf)
    best[of_stretch[stretch[rows]]] = run.value[rows]
    higher = run.value > best[of_stretch][stretch]
    count = np.bincount(of_stretch[stretch[higher]], minlength=len(numbers))
    return {names[s]: int(count[of_stretch[s]]) for s in stretch[rows].tolist()}
