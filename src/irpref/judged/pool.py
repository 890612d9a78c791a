"""The judgments: indexed once, in ideal order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irpref.data.columns import Table, as_list, check_finite, objects, take
from irpref.data.texts import Texts
from irpref.errors import ConflictError, EmptyJudgmentsError, JudgmentsError, Remedy
from irpref.judged.inputs import group, is_missing, str_list
from irpref.judged.match import plain, texts_of
from irpref.judged.roles import hold_scores
from irpref.kernel.grades import Gains, Grades
from irpref.kernel.preference_pairs import Preferences
from irpref.kernel.segments import Bools, Floats, Ints, Segments, order_by

# The column of filled qrels that says who graded a document, and its value for the grades of a
# judge.
SOURCE, FILLED, LOWEST = "source", "judge", "lowest"


class Pool(Grades):
    """The qrels, ready to judge any number of runs.

    Attributes
    ----------
    topic_ids : list of str
        In order of first appearance.
    doc_ids : object array of str, shape (n_judged,)
    header : names of all columns of the input
    graded : bool
        Whether each document has one grade. False for preferences that put one on several levels.
    base : Pool
        The pool that this one was made from by adding columns, or itself: rows of pools of one base
        are the same documents.
    is_doubtful : bool
        Whether it holds scores, and nobody has said that these are judgments: see
        `irpref.judged.roles`.
    """

    graded = True

    def __init__(
        self,
        topic_ids: list[str],
        judged: Segments,
        grade: Floats,
        docs: Any,
        order: Ints,
        columns: Mapping[str, Any] | None = None,
        present: Sequence[str] = (),
    ) -> None:
        super().__init__(judged, grade, columns)
        self.topic_ids = topic_ids
        self.topic_of = {name: t for t, name in enumerate(topic_ids)}
        self.header = tuple(present)
        self._given_docs: list[str] | Texts = docs  # in the order of the input, by topic
        self._order = order  # from ideal order to that order
        self._index: list[dict[str, int] | None] = [None] * len(topic_ids)
        self._base: Pool | None = None
        self.is_doubtful = False

    @property
    def base(self) -> Pool:
        """The pool that this one was made from by adding columns, or itself."""
        return self if self._base is None else self._base

    @property
    def of_preferences(self) -> bool:
        """Whether the judgments are preferences, not grades."""
        return "subgroup" in self.header

    @cached_property
    def holds_scores(self) -> bool:
        """Whether its numbers look like scores."""
        return hold_scores(self.judged, self.grade)

    def doubtful(self) -> Pool:
        """Return the same pool, of judgments that may be a run."""
        place = self.place
        pool = self.with_columns({name: column[place] for name, column in self.columns.items()})
        pool.is_doubtful = True
        return pool

    def with_columns(self, columns: Mapping[str, Any]) -> Pool:
        """Return the same pool with further columns, each (n_judged,) in the order of the input, by
        topic.
        """
        pool = Pool(
            self.topic_ids,
            self.judged,
            self.grade,
            self._given_docs,
            self._order,
            {name: column[self._order] for name, column in columns.items()},
            self.header,
        )
        pool._base, pool._index = self.base, self._index
        pool.is_doubtful = self.is_doubtful
        if "texts" in self.__dict__:
            pool.__dict__["texts"] = self.texts
        return pool

    @cached_property
    def _docs(self) -> list[str]:
        return (
            self._given_docs if isinstance(self._given_docs, list) else self._given_docs.to_list()
        )

    @property
    def has_text_ids(self) -> bool:
        """Whether all ids of documents were read as text."""
        return isinstance(self._given_docs, Texts)

    @cached_property
    def place(self) -> Ints:
        """Pool row of each judgment in the order of the input, by topic: shape (n_judged,)."""
        place = np.empty_like(self._order)
        place[self._order] = np.arange(place.size)
        return place

    @cached_property
    def row_of_text(self) -> Ints:
        """Pool row of each of `texts`, and -1 for -1: shape (n_judged + 1,)."""
        return np.append(self.place, -1)

    @cached_property
    def texts(self) -> Texts | None:
        """Ids in the order of the input, by topic; None without compiled code."""
        return (
            self._given_docs
            if isinstance(self._given_docs, Texts)
            else Texts.from_strings(self._docs)
        )

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have nothing compiled.
        state = {name: value for name, value in self.__dict__.items() if name != "texts"}
        if isinstance(self._given_docs, Texts):
            state["_given_docs"] = self._docs
        return state | {"_base": None}

    @cached_property
    def doc_ids(self) -> Any:
        """Ids of the judged documents: object array of str, shape (n_judged,)."""
        return objects(self._docs)[self._order]

    @classmethod
    def from_table(cls, data: Table) -> Pool:
        """Index the judgments of a table, with its further columns.

        Raises
        ------
        ValueError
            No judgments, a grade that is NaN or infinite, two judgments of one document that
            differ.
        """
        groups = group(data.query_id)
        names, lengths = groups.names, groups.lengths
        ids = take(data.doc_id, groups.order)
        docs: list[str] | Texts = plain(texts_of(ids)) or str_list(as_list(ids))
        grade = take(data.value, groups.order)
        if not len(docs):
            raise EmptyJudgmentsError(
                "the qrels are empty: there is nothing to judge a run against"
            )
        judged = Segments.of_lengths(lengths)
        check_finite(
            "grade", grade, lambda at: (names[judged.topic[at]], as_list(docs)[at]), JudgmentsError
        )
        order = _ideal_order(judged, grade)
        columns = {name: take(column, groups.order)[order] for name, column in data.columns.items()}
        pool = cls(names, judged, grade[order], docs, order, columns, data.header)
        return (
            pool
            if isinstance(docs, Texts) and not docs.repeated(lengths)
            else pool._without_repeats()
        )

    def _without_repeats(self) -> Pool:
        """Keep one row for each judgment that was given twice."""
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
            self.doc_ids[keep].tolist(),
            np.arange(int(keep.sum())),
            {n: c[keep] for n, c in self.columns.items()},
            self.header,
        )

    def _same_judgment(self, topic: str, a: int, b: int) -> None:
        if self.grade[a] != self.grade[b]:
            advice = (
                "qrels by subtopic look like this: reduce them to one grade per document first, "
                "for "
                "example with .groupby(['query_id', 'doc_id'], as_index=False)['relevance'].max(); "
                "so do preferences in groups, which PrefShare takes as they are"
            )
            if not {"group", "subgroup"}.isdisjoint(self.header):
                advice = (
                    "these are preferences, which measures such as PrefShare and PrefAP take; "
                    "measures of grades need one grade per document"
                )
            raise ConflictError(
                f"topic {topic!r} judges document {self.doc_ids[a]!r} twice, as "
                f"{self.grade[a]:.15g} and as {self.grade[b]:.15g}",
                remedy=Remedy(effect=advice),
                topic=topic,
                doc=self.doc_ids[a],
                value=(float(self.grade[a]), float(self.grade[b])),
            )
        for name, column in self.columns.items():
            if name == SOURCE:
                continue
            gone = is_missing(column[a]), is_missing(column[b])
            if (any(gone) and not all(gone)) or (not any(gone) and column[a] != column[b]):
                raise ConflictError(
                    f"topic {topic!r} holds document {self.doc_ids[a]!r} twice, with {name!r} "
                    f"{column[a]!r} and {column[b]!r}",
                    topic=topic,
                    doc=self.doc_ids[a],
                    column=name,
                    value=(column[a], column[b]),
                )

    def give_preferences(self, preferences: Preferences) -> None:
        """Use these preferences in place of those that the grades imply."""
        self._preferences = preferences

    def docs_of(self, topic: int, stop: int | None = None) -> list[str]:
        """Return the judged documents of a topic, or of the topics from there to `stop - 1`, in the
        order of the input; those of other topics stay as they are stored.
        """
        docs = self.__dict__.get("_docs", self._given_docs)
        return as_list(docs[self.judged.span(topic, min(stop or topic + 1, self.n_topics))])

    def index(self, topic: int) -> dict[str, int]:
        """Pool row of each judged document of a topic."""
        rows_of = self._index[topic]
        if rows_of is None:
            rows = self.judged.span(topic)
            rows_of = dict(zip(self._docs[rows], self.place[rows].tolist(), strict=True))
            self._index[topic] = rows_of
        return rows_of

    def max_gain(self, gains: Gains) -> float:
        """Find the highest mapped grade of all topics, at least 1: the top of the scale if none is
        given.
        """
        mapped = self.level_mapped(gains)[self.level_grade >= 0]  # a negative grade is no judgment
        return float(mapped.max(initial=1.0))


def _ideal_order(judged: Segments, grade: Floats) -> Ints:
    """Order the rows of each topic by descending grade, equal grades in the order of the rows:
    shape (n_judged,).
    """
    top = grade.max()
    with np.errstate(over="ignore"):  # grades may be any finite numbers
        depth = top - grade
    level: Ints = np.zeros(0, dtype=np.uint16)
    if depth.max() < 1 << 16:
        level = depth.astype(np.uint16)
    # Compare the grades, not the differences, which may have been rounded to whole numbers: 1 -
    # 1e-17 is 1.
    if not np.array_equal(top - level, grade):
        level = np.unique(-grade, return_inverse=True)[1].astype(np.int64)
    return order_by(judged.topic, level, judged.n)
