"""The judgments: indexed once, in ideal order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irpref.judged.inputs import (
    Table,
    as_list,
    as_table,
    dict_columns,
    group,
    str_list,
    take,
)
from irpref.judged.run import JudgedRun, Listing
from irpref.segments import Bools, Floats, Ints, Segments, order_by

Gains = tuple[tuple[float, float], ...] | None


class Judgments:
    """What the measures see of the qrels: arrays, by topic, in ideal order.

    Attributes
    ----------
    judged : Segments
        Judged documents (rows) by topic.
    grade : float array (n_judged,)
        Grades, falling inside each topic: the rows of a topic stand in ideal order.
    """

    def __init__(self, judged: Segments, grade: Floats, columns: Mapping[str, Any] | None = None) -> None:
        self.judged = judged
        self.grade = grade
        self.columns: dict[str, Any] = dict(columns or {})
        self._gain: dict[Any, Any] = {}

    @property
    def n_topics(self) -> int:
        """Number of topics of the qrels."""
        return self.judged.n

    def memo(self, key: Any, make: Any) -> Any:
        """Return what `make()` gave for `key` the first time."""
        if key not in self._gain:
            self._gain[key] = make()
        return self._gain[key]

    def mapped(self, gains: Gains) -> Floats:
        """`gains.get(grade, grade)` of each judged document: shape (n_judged,)."""
        if not gains:
            return self.grade

        def make() -> Floats:
            out = self.grade.copy()
            for grade, gain in gains:
                out[self.grade == grade] = gain
            return out

        return self.memo(("mapped", gains), make)  # type: ignore[no-any-return]

    def gain(self, gains: Gains) -> Floats:
        """`mapped`, but 0 for grades of 0 and below: shape (n_judged,), falling inside each topic."""
        return self.memo(  # type: ignore[no-any-return]
            ("gain", gains), lambda: np.where(self.grade > 0, self.mapped(gains), 0.0)
        )

    def count_relevant(self, rel: float) -> Ints:
        """R, the number of documents with a grade of at least `rel`: shape (n_topics,)."""
        return self.memo(("rel", rel), lambda: self.judged.count(self.grade >= rel))  # type: ignore[no-any-return]

    def topics(self, start: int, stop: int) -> Judgments:
        """Topics `start` to `stop - 1`."""
        key = ("topics", start, stop)
        if key not in self._gain:
            rows = slice(self.judged.offsets[start], self.judged.offsets[stop])
            self._gain[key] = Judgments(
                self.judged.slice(start, stop),
                self.grade[rows],
                {name: column[rows] for name, column in self.columns.items()},
            )
        return self._gain[key]  # type: ignore[no-any-return]


class Pool(Judgments):
    """The qrels, ready to judge any number of runs.

    Attributes
    ----------
    topic_ids : list of str
        In order of first appearance.
    doc_ids : object array of str, shape (n_judged,)
    found : names of all columns of the input
    """

    def __init__(
        self,
        topic_ids: list[str],
        judged: Segments,
        grade: Floats,
        doc_ids: Any,
        columns: Mapping[str, Any] | None = None,
        found: Sequence[str] = (),
    ) -> None:
        super().__init__(judged, grade, columns)
        self.topic_ids = topic_ids
        self.topic_of = {name: t for t, name in enumerate(topic_ids)}
        self.doc_ids = doc_ids
        self.found = tuple(found)
        self._index: list[dict[str, int] | None] = [None] * len(topic_ids)

    @classmethod
    def build(cls, qrels: Any, columns: Iterable[str] = ()) -> Pool:
        """Index the qrels.

        Parameters
        ----------
        qrels : DataFrame (pandas, polars), dict of dicts, or iterable of namedtuples
            Fields `query_id`, `doc_id`, `relevance`. Read once, never modified.
        columns : names of further columns that the measures need (`known`, ...)

        Raises
        ------
        ValueError
            Empty qrels, a grade that is NaN or infinite, two judgments of one document that differ.
        """
        data = as_table(qrels, "relevance", columns)
        if isinstance(data, Table):
            groups = group(data.query_id)
            names, lengths = groups.names, groups.lengths
            docs = str_list(as_list(take(data.doc_id, groups.order)))
            grade = data.value if groups.order is None else data.value[groups.order]
            extra = {n: c if groups.order is None else c[groups.order] for n, c in data.columns.items()}
            found = data.found
        else:
            names, lengths, docs, grade = dict_columns(data, "relevance")
            docs, extra, found = str_list(docs), {}, ("query_id", "doc_id", "relevance")
        if not docs:
            raise ValueError("the qrels are empty: there is nothing to judge a run against")
        judged = Segments.of_lengths(lengths)
        bad = np.flatnonzero(~np.isfinite(grade))
        if bad.size:
            topic = names[int(judged.topic[bad[0]])]
            raise ValueError(f"qrels: the grade of topic {topic!r}, document {docs[bad[0]]!r} is {grade[bad[0]]}")
        order = _ideal_order(judged, grade)
        ids = np.empty(len(docs), dtype=object)
        ids[:] = docs
        pool = cls(
            names, judged, grade[order], ids[order], {n: c[order] for n, c in extra.items()}, found
        )
        return pool._without_repeats()

    def _without_repeats(self) -> Pool:
        """The same pool with one row for each judgment that was given twice."""
        keep: Bools | None = None
        for t in range(self.n_topics):
            if len(self.index(t)) == self.judged.lengths[t]:
                continue
            if keep is None:
                keep = np.ones(self.grade.size, bool)
            first: dict[str, int] = {}
            for row in range(int(self.judged.starts[t]), int(self.judged.ends[t])):
                other = first.setdefault(self.doc_ids[row], row)
                if other != row:
                    self._same_judgment(self.topic_ids[t], other, row)
                    keep[row] = False
        if keep is None:
            return self
        return Pool(
            self.topic_ids,
            self.judged.where(keep),
            self.grade[keep],
            self.doc_ids[keep],
            {n: c[keep] for n, c in self.columns.items()},
            self.found,
        )

    def _same_judgment(self, topic: str, a: int, b: int) -> None:
        if self.grade[a] != self.grade[b]:
            raise ValueError(
                f"qrels: topic {topic!r} judges document {self.doc_ids[a]!r} twice, as "
                f"{self.grade[a]:g} and as {self.grade[b]:g}. Qrels by subtopic look like this: reduce them to one "
                f"grade a document first, for example with "
                f".groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max()"
            )
        for name, column in self.columns.items():
            if column[a] != column[b] and (column[a] == column[a] or column[b] == column[b]):
                raise ValueError(
                    f"qrels: topic {topic!r} holds document {self.doc_ids[a]!r} twice, with {name!r} "
                    f"{column[a]!r} and {column[b]!r}"
                )

    def index(self, topic: int) -> dict[str, int]:
        """Pool row of each judged document of a topic."""
        found = self._index[topic]
        if found is None:
            start, stop = int(self.judged.offsets[topic]), int(self.judged.offsets[topic + 1])
            found = dict(zip(self.doc_ids[start:stop].tolist(), range(start, stop), strict=True))
            self._index[topic] = found
        return found

    def table(self) -> Any:
        """Polars frame (t, d, row) of the judgments, to join Arrow columns with."""
        import polars as pl

        return self.memo(
            "table",
            lambda: pl.DataFrame(
                {
                    "t": self.judged.topic.astype(np.uint32),
                    "d": pl.Series("d", self.doc_ids.tolist(), dtype=pl.String),
                    "row": np.arange(self.grade.size),
                }
            ),
        )

    def max_gain(self, gains: Gains) -> float:
        """Highest mapped grade of all topics, at least 1: the top of the scale where none is given."""
        return max(1.0, float(self.mapped(gains).max()))

    def judge(self, run: Any, strict: bool = False) -> JudgedRun:
        """Align a run with the judgments.

        Parameters
        ----------
        run : DataFrame (pandas, polars), dict of dicts, or iterable of namedtuples
            Fields `query_id`, `doc_id`, `score`; a `rank` is never read. Read once, never modified.
        strict : bool
            Whether a repeated document is an error.

        Returns
        -------
        JudgedRun
            One topic for each topic of the qrels, in their order.

        Raises
        ------
        ValueError
            A score that is NaN or infinite; run and qrels share no topic; repeated documents if `strict`.

        Warns
        -----
        DuplicateWarning
            A document stands twice in a topic: its last row counts.
        """
        from irpref.judged.align import judge

        return judge(self, run, strict)

    def listing(self, run: Any) -> Listing:
        """Every retrieved document of the pool's topics in the order of evaluation. Raises as `judge`."""
        from irpref.judged.align import listing

        return listing(self, run)


def _ideal_order(judged: Segments, grade: Floats) -> Ints:
    """Rows of each topic by falling grade, equal grades as they stand: shape (n_judged,)."""
    top = grade.max()
    depth = top - grade
    if depth.max() < 65536 and not (depth != np.rint(depth)).any():
        level = depth.astype(np.int64)
    else:
        level = np.unique(-grade, return_inverse=True)[1].astype(np.int64)
    return order_by(judged.topic, level, judged.n)
