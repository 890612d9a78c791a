"""Ids of the judgments, to find the ids of a run that are judged ones but for one change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from irpref.judged.align import Listing
from irpref.judged.pool import Pool
from irpref.kernel.segments import Bools
from irpref.values.changed_ids import MOST, Changed, KnownIds, changed


class JudgedIds:
    """Judged topics and documents, prepared once for any number of runs.

    Parameters
    ----------
    pool : Pool
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._topics = KnownIds(lambda _: pool.topic_ids, lambda: pool.topic_ids)
        self._docs = KnownIds(lambda topic: pool.index(pool.topic_of[topic]), pool.doc_ids.tolist)

    def changed_topics(self, further: Sequence[str], given: Collection[str]) -> Changed | None:
        """The change by which unjudged topics of a run are judged ones that the run lacks."""
        if not further:
            return None
        names = set(given)
        n_found = len(names) - len(further)
        return changed({"": further[:MOST]}, self._topics, lambda _, name: name in names, n_found)

    def changed_docs(
        self, unknown: Mapping[str, Sequence[str]], retrieved: Bools, n_found: int
    ) -> Changed | None:
        """The change by which unjudged documents of a run are judged ones that it lacks.

        Parameters
        ----------
        unknown : mapping of topic to ids
            The unjudged documents that are looked at.
        retrieved : bool array (n_judged,)
            Whether the run has a judged document as it is.
        n_found : int
            How many judged documents there are beside those that are looked at.
        """

        def is_retrieved(topic: str, name: str) -> bool:
            return bool(retrieved[self.pool.index(self.pool.topic_of[topic])[name]])

        return changed(unknown, self._docs, is_retrieved, n_found)

    def changed_in(self, runs: Iterable[Listing], depth: int) -> Changed | None:
        """The change by which unjudged documents in the first ranks are judged ones that the run
        lacks.

        Parameters
        ----------
        runs : iterable of Listing
            The run, in parts with all documents of some topics.
        depth : int
            So many ranks are looked at; of more than `MOST` unjudged documents, a sample.
        """
        n_found, topics, docs = 0, list[str](), list[str]()
        retrieved: Bools = np.zeros(self.pool.grade.size, bool)
        for run in runs:
            at_top, judged = run.topics.position < depth, run.row >= 0
            retrieved[run.row[judged]] = True
            n_found += int((at_top & judged).sum())
            strange = np.flatnonzero(at_top & ~judged)
            topics += (self.pool.topic_ids[t] for t in run.topics.topic[strange].tolist())
            docs += run.docs_of(strange)
        rows = range(len(docs))
        if len(docs) > MOST:
            rows = np.linspace(0, len(docs) - 1, MOST).astype(np.int64).tolist()
        unknown: dict[str, list[str]] = {}
        for row in rows:
            unknown.setdefault(topics[row], []).append(docs[row])
        return self.changed_docs(unknown, retrieved, n_found)
