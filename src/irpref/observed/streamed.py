"""Grave findings about a run that was judged while it was read: only its judged documents are
there, and its other documents are looked at again only if something seems wrong with their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from irpref.data.columns import PLAIN, Table
from irpref.judged.align import JudgedFile, Repeats, listed
from irpref.judged.judgments import Judgments
from irpref.judged.pool import Pool
from irpref.observed.changed_ids import Changed, JudgedIds
from irpref.observed.evidence import Evidence, Row, System
from irpref.observed.observation import Observation
from irpref.observed.sensitivity import TOP

_FEW_JUDGMENTS = 20_000  # up to this number, ids are always compared with those of small runs


def noted(
    qrels: Judgments,
    pool: Pool,
    judged: JudgedFile,
    on_tables: Callable[[Callable[[Iterable[Table]], Changed | None]], Changed | None],
    small: bool,
) -> Evidence:
    """Note the findings from the judged documents of a run; most runs need not be read again for
    this.

    Parameters
    ----------
    qrels, pool : Judgments, Pool
    judged : JudgedFile
    on_tables : callable
        Calls a function with the tables of the run, each topic in one table, and returns its
        result. Called to compare ids if most topics have no judged document.
    small : bool
        Whether the run is so small that its ids are always compared.

    Returns
    -------
    Evidence
        Of one system without a name. In a large run it misses ids that were changed in only a few
        topics, or only for some documents of a topic.
    """
    run, ids = judged.run, JudgedIds(pool)
    hits = run.hits.count(run.grade >= 0)
    answered = run.n_retrieved > 0
    lost = answered & (hits == 0)
    changed = None
    if answered.any() and (
        2 * lost.sum() > answered.sum() or (small and pool.grade.size <= _FEW_JUDGMENTS)
    ):
        changed = on_tables(
            lambda tables: ids.changed_in((listed(pool, table) for table in tables), TOP)
        )
    order = np.array(sorted(range(pool.n_topics), key=pool.topic_ids.__getitem__), np.int64)
    seen = _observation(ids, judged, run.n_retrieved[order], hits[order], changed)
    every = np.ones(pool.n_topics, bool)
    return Evidence(
        [],
        tuple(pool.topic_ids[t] for t in order.tolist()),
        [System("", {}, (seen,), {}, {}, {})],
        pool,
        qrels,
        order,
        *(every, {}, {}, {}, {}),
    )


def _observation(
    ids: JudgedIds, judged: JudgedFile, lengths: Any, hits: Any, changed: Changed | None
) -> Observation:
    """Make the notes that the judged documents allow; nothing is said of documents not looked
    at.
    """
    zeros, none = np.zeros(lengths.size, np.int64), np.zeros(lengths.size, bool)
    further = tuple(name for name in judged.topics if name not in ids.pool.topic_of)
    return Observation(
        lengths=lengths,
        hits=hits,
        top=zeros,
        judged_top=zeros,
        by_judge=zeros,
        tied=zeros,
        several=none,
        equal=none,
        deciding=none,
        blurred=none,
        own=none,
        nothing=none,
        no_id="",
        strayed=np.full(lengths.size, -1),
        by_id=none,
        prints=zeros,
        further=further,
        repeats=Repeats(strict=False),
        changed_topics=ids.changed_topics(further, judged.topics),
        changed_docs=changed,
        grade_order=None,
        ranks=None,
        tags=(),
        mixed_tags=none,
        how=PLAIN,
    )


def grave_rows(facts: Evidence, name: str) -> list[Row]:
    """List the grave findings about the one run, by this name."""
    named = replace(facts, systems=[replace(system, name=name) for system in facts.systems])
    rows = named.every_row(named.everything, names_first=True)
    return [row for row in rows if row["run"] is not None and row["level"] == "grave"]


def lines(rows: Iterable[Row]) -> list[str]:
    """Write grave findings as lines, one for each code: the first run, and how many more runs are
    like it.
    """
    by_code: dict[str, list[Row]] = {"unanswered": []}
    for row in rows:
        by_code.setdefault(row["code"], []).append(row)
    out = []
    for first, *others in filter(None, by_code.values()):
        more = f" ({len(others)} more run{'s' * (len(others) > 1)} like this)" if others else ""
        out.append(first["text"] + more)
    return out
