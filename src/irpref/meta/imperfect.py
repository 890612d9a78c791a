"""Imperfect judgments: of documents that are gone, and of judges who disagree. What becomes of pool and runs then.

    documents  the collection keeps P % of its documents. The others vanish from all runs and the ranks close up. Their
               judgments stay, and name documents that nobody can find (`stale_judgments=False`: they go, too)
    flip       judges disagree about (100 - P) % of the relevant documents of a topic: as many judged non-relevant ones
               take their grades, and they take theirs. The number of documents of each grade stays as it was
    judges     P % of the judgments are those of the qrels, the others those of `second`, where it has the document

De Beer & Moens 2006, section 1 ("imperfect judgments include documents no longer part of the collection"), after
C. Buckley and E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004,
doi:10.1145/1008992.1009000; E. M. Voorhees, Variations in relevance judgments and the measurement of retrieval
effectiveness, Information Processing and Management 36(5), 2000, 697-716 (a second set of judgments).

Decided here: a document is there for all topics or for none; the collection is all documents that are judged or
retrieved by any of the runs. Exchanging grades keeps the share of relevant documents, where flipping each judgment with
the same chance would flood a topic: of a thousand non-relevant documents one in twenty is fifty. With a share f
exchanged, the relevant documents of the two judges overlap by (1 - f) / (1 + f). Samples lie inside each other: what is
gone or exchanged at 90 % is so at 80 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, Ints
from irpref.judged.align import judge
from irpref.judged.align import listing as listing_of
from irpref.judged.pool import Pool

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import Run


class Regraded:
    """The same judged documents with other grades, and what runs look like against them.

    Attributes
    ----------
    pool : Judgments
        The judgments with their new grades, in ideal order.
    """

    def __init__(self, pool: Judgments, grade: Floats) -> None:
        order = np.lexsort((np.arange(grade.size), -grade, pool.judged.topic))
        columns = {name: column[order] for name, column in pool.columns.items()}
        self.pool = Judgments(pool.judged, grade[order], columns)
        self._row: Ints = np.empty(order.size, dtype=np.int64)
        self._row[order] = np.arange(order.size)

    def of(self, run: JudgedRun) -> JudgedRun:
        """The run against the new grades: documents keep their ranks."""
        # Hits stand by rank, whatever their rows.
        part = JudgedRun(self.pool, run.hits, run.rank, self._row[run.row], run.n_retrieved)
        part.rank_rising, part.tied_from = run.rank_rising, run.tied_from
        return part


class Collection:
    """All documents that are judged or retrieved, and the runs as frames over them.

    Parameters
    ----------
    pool : Pool
    runs : mapping of system to run, in any form
    ties, single : bool
        Whether measures look at ties by rising id, and whether any wants scores in 32 bits.
    """

    def __init__(self, pool: Pool, runs: Mapping[str, Run], ties: bool, single: bool = False) -> None:
        import pandas as pd

        self._pool, self._aligned = pool, (ties, single)
        listings = {system: listing_of(pool, run) for system, run in runs.items()}
        known = set(pool.doc_ids.tolist())
        for listing in listings.values():
            known.update(listing.doc_ids)
        # Drawn in the order of the ids: it does not matter in which order runs and judgments come.
        code = {doc: i for i, doc in enumerate(sorted(known))}
        self._judged = np.fromiter((code[doc] for doc in pool.doc_ids), dtype=np.int64, count=pool.grade.size)
        self._n = len(code)
        names = np.array(pool.topic_ids, dtype=object)
        self._frames = {
            system: (
                pd.DataFrame(
                    {
                        "query_id": names[of.topics.topic],
                        "doc_id": np.array(of.doc_ids, dtype=object),
                        "score": of.score,
                    }
                ),
                np.fromiter((code[doc] for doc in of.doc_ids), dtype=np.int64, count=len(of.doc_ids)),
            )
            for system, of in listings.items()
        }

    def left(self, level: float, draw: np.random.Generator) -> Left:
        """The collection with `level` per cent of its documents."""
        kept = int(np.floor(level * self._n / 100 + 0.5 + 1e-9))
        return Left(self._pool, draw.permutation(self._n) < kept, self._judged, self._frames, self._aligned)


class Left:
    """What is left of a collection.

    Attributes
    ----------
    keep : bool array (n_judged,)
        Judgments of documents that are still there.
    """

    def __init__(
        self, pool: Pool, there: Bools, judged: Ints, frames: Mapping[str, Any], aligned: tuple[bool, bool]
    ) -> None:
        self._pool, self._there, self._frames, self._aligned = pool, there, frames, aligned
        self.keep: Bools = there[judged]

    def run(self, system: str) -> pd.DataFrame | dict[str, Any]:
        """A run without the documents that are gone."""
        frame, code = self._frames[system]
        left = frame[self._there[code]]
        return left if len(left) else {}

    def of(self, system: str) -> JudgedRun:
        """The same, judged against all judgments."""
        ties, single = self._aligned
        return judge(self._pool, self.run(system), ties=ties, single=single)


def exchanged(pool: Pool, rel: float, place: Ints, level: float) -> Floats:
    """Grades where judges disagree about the relevant documents beyond `level` per cent: shape (n_judged,).

    Parameters
    ----------
    pool : Pool
    rel : lowest relevant grade
    place : int array (n_judged,)
        Each document's place in a random order of the relevant, or of the non-relevant, documents of its topic.
    level : per cent of the relevant documents of a topic that stay relevant
    """
    relevant, other = pool.grade >= rel, (pool.grade >= 0) & (pool.grade < rel)
    n_relevant, n_other = pool.judged.count(relevant), pool.judged.count(other)
    share = np.floor((100 - level) * n_relevant / 100 + 0.5 + 1e-9).astype(np.int64)
    swaps = place < pool.judged.spread(np.minimum(share, n_other))
    grade = pool.grade.copy()
    first, second = (
        rows[np.lexsort((place[rows], pool.judged.topic[rows]))]
        for rows in (np.flatnonzero(relevant & swaps), np.flatnonzero(other & swaps))
    )
    grade[first], grade[second] = pool.grade[second], pool.grade[first]
    return grade


def second_grades(pool: Pool, second: Pool) -> Floats:
    """Grade of each judged document in another set of judgments, NaN where it has none: shape (n_judged,)."""
    found = {
        (second.topic_ids[topic], doc): grade
        for topic, doc, grade in zip(second.judged.topic.tolist(), second.doc_ids, second.grade.tolist(), strict=True)
    }
    keys: Iterable[tuple[str, Any]] = (
        (pool.topic_ids[topic], doc) for topic, doc in zip(pool.judged.topic.tolist(), pool.doc_ids, strict=True)
    )
    grade = np.array([found.get(key, np.nan) for key in keys])
    if np.isnan(grade).all():
        raise ValueError("second: no document of the qrels is judged there for the same topic")
    return grade
