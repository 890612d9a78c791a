"""Ids of the judgments, to find the ids of a run that are judged ones but for one change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from irpref.judged.align import listing
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

    def changed_in(self, run: Any, retrieved: Bools, depth: int) -> Changed | None:
        """The same of the first documents of each topic of a run, in any form: fewer of them if
        there are so many topics that they would be more than `MOST`.
        """
        depth = max(1, min(depth, MOST // self.pool.n_topics))
        ranked = listing(self.pool, run, quiet=True, depth=depth)
        strange = np.flatnonzero(ranked.row < 0)
        topics = [self.pool.topic_ids[t] for t in ranked.topics.topic[strange].tolist()]
        unknown: dict[str, list[str]] = {}
        for topic, row in zip(topics, strange.tolist(), strict=True):
            unknown.setdefault(topic, []).append(ranked.doc_ids[row])
        return self.changed_docs(unknown, retrieved, ranked.row.size - strange.size)
