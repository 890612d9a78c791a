"""A pool of preferences: judgments by group and subgroup, instead of one grade a document.

    query_id  group  subgroup  doc_id  relevance

Levels (`relevance`) order the documents of a subgroup and mean nothing outside it; groups are the
preferences of different judges, who may contradict each other. See `irpref.kernel.preference_pairs`
for the preferences that follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.data.columns import Table, as_list, check_finite, objects, take
from irpref.errors import ConflictError, EmptyJudgmentsError, JudgmentsError
from irpref.judged.inputs import group, str_list
from irpref.judged.pool import Pool
from irpref.kernel.segments import Ints
from irpref.messages import DuplicateWarning, warn_user

GROUP, SUBGROUP = "group", "subgroup"
COLUMNS = (GROUP, SUBGROUP)


def pool_of_preferences(data: Table) -> Pool:
    """Build the pool of judgments that are preferences.

    The grade of a document is its highest level, which means something only if it has no other;
    `graded` of the pool says whether that holds for all documents.

    Raises
    ------
    ValueError
        Nothing is judged; a level that is NaN or infinite; preferences of a group that contradict
        each other, with topic, group and documents.

    Warns
    -----
    DuplicateWarning
        A judgment occurs twice in a group of one subgroup.
    """
    from irpref.kernel.closure import ConflictingError, build, conflict_text

    topics = group(data.query_id)
    order = topics.order
    docs = str_list(as_list(take(data.doc_id, order)))
    if not docs:
        raise EmptyJudgmentsError(
            "the preferences are empty: there is nothing to judge a run against"
        )
    level = data.value if order is None else data.value[order]
    topic = np.repeat(np.arange(len(topics.names)), topics.lengths)
    check_finite(
        "level", level, lambda at: (topics.names[int(topic[at])], docs[at]), JudgmentsError
    )
    groups, of_group = _coded(data.columns.get(GROUP), order, len(docs))
    _, of_sub = _coded(data.columns.get(SUBGROUP), order, len(docs))

    names, of_doc = _codes(docs)
    keys, document = np.unique(topic * len(names) + of_doc, return_inverse=True)
    doc_topic, doc_name = keys // len(names), keys % len(names)
    highest = np.full(keys.size, -np.inf)
    np.maximum.at(highest, document, level)
    pool = Pool.from_table(
        Table(
            [topics.names[t] for t in doc_topic.tolist()],
            [names[d] for d in doc_name.tolist()],
            highest,
            {},
            data.header,
        )
    )
    pool.graded = bool((level == highest[document]).all())
    # The documents are sorted by rising id, and so is their order.
    by_id = np.empty(keys.size, np.int64)
    by_id[pool.place] = np.arange(keys.size)
    row = pool.place[document]

    def judgment(at: int) -> tuple[str, str, str]:
        return topics.names[int(topic[at])], groups[int(of_group[at])], docs[at]

    try:
        preferences = build(topic, of_group, of_sub, row, level, len(topics.names), by_id)
    except ConflictingError as error:
        topic_id, _, doc_id = judgment(error.rows[0][0])
        raise ConflictError(
            conflict_text(error, judgment), preferences=True, topic=topic_id, doc=doc_id
        ) from None
    pool.give_preferences(preferences)
    twice = np.flatnonzero(preferences.repeats & ~preferences.several)
    if twice.size:
        t = int(preferences.groups.topic[twice[0]])
        warn_user(
            f"preferences: {twice.size} group{'s hold' if twice.size > 1 else ' holds'} a "
            f"judgment twice, first in "
            f"topic {pool.topic_ids[t]!r}; both count, as in trec_eval",
            DuplicateWarning,
            topic=pool.topic_ids[t],
        )
    return pool


def _coded(column: Any, order: Ints | None, size: int) -> tuple[list[str], Ints]:
    """Factorize a column: its distinct values and the index of each row's value; one value if there
    is no column.
    """
    if column is None:
        return ["0"], np.zeros(size, np.int64)
    return _codes(str_list(as_list(take(column, order)), GROUP))


def _codes(values: list[str]) -> tuple[list[str], Ints]:
    """Return the distinct values, rising, and the index of each value among them."""
    import pandas as pd

    codes, names = pd.factorize(objects(values), sort=True)
    return names.tolist(), codes
