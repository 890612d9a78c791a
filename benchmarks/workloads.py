"""Seeded workloads, and the forms in which people hand them in.

    A  50 topics x 1,000 retrieved, 1,500 judged a topic, 4 grades, 600 of the judged ones retrieved
    B  many runs over the qrels of A, as an experiment with many systems
    C  the shape of MS MARCO dev: 6,980 topics x 1,000 retrieved, 1.07 judged a topic, numeric ids
    D  dense: 1,000 topics x 1,000 retrieved, all judged, 4 grades
    S  files: any number of topics x 1,000 (or 50 x 100,000), 100 judged a topic

Scores are rounded, so that about one document in ten is tied with another of its topic, as in runs
of term matching systems. The same seed gives the same rows everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rows:
    """One run or one qrels as integers: topic number, document number, value."""

    topic: np.ndarray
    doc: np.ndarray
    value: np.ndarray
    name: str  # of the value: 'score' or 'relevance'
    id_of: str = "clueweb"  # how document numbers become ids

    def __len__(self) -> int:
        return self.topic.size

    def query_ids(self) -> list[str]:
        """List the ids of the topics, row by row; equal ids are one object, as readers of files
        make them.
        """
        names = [str(1 + t) for t in range(int(self.topic.max()) + 1)]
        return [names[t] for t in self.topic.tolist()]

    def doc_ids(self) -> list[str]:
        """List the ids of the documents, row by row, a new string each."""
        return ids(self.doc, self.id_of)

    def values(self) -> list[Any]:
        """List scores or grades as Python numbers."""
        return self.value.tolist()


def ids(numbers: np.ndarray, kind: str) -> list[str]:
    """Make ids such as `clueweb12-0000tw-00-12345`, or plain numbers as strings."""
    if kind == "numeric":
        return [str(n) for n in numbers.tolist()]
    return [
        f"clueweb12-{n // 10_000_000:04d}tw-{n // 100_000 % 100:02d}-{n % 100_000:05d}"
        for n in numbers.tolist()
    ]


@dataclass(frozen=True)
class Workload:
    """Qrels and runs."""

    name: str
    qrels: Rows
    runs: list[Rows] = field(default_factory=list)

    @property
    def run(self) -> Rows:
        """The first run."""
        return self.runs[0]


def build(name: str, topics: int | None = None, runs: int = 100, depth: int = 1000) -> Workload:
    """Build workload A, B, C, D or S.

    Parameters
    ----------
    name : str
    topics : int, optional
        Instead of the usual number of topics.
    runs : int
        Number of runs of B.
    depth : int
        Documents of a topic, of S.
    """
    seed = {"A": 1, "B": 1, "C": 3, "D": 4, "S": 5}[name]
    rng = np.random.default_rng(seed)
    if name in "AB":
        return _pooled(name, rng, topics or 50, 1000, 1500, 600, runs if name == "B" else 1)
    if name == "C":
        return _sparse(rng, topics or 6980)
    if name == "D":
        return _pooled(name, rng, topics or 1000, 1000, 1000, 1000, 1)
    return _pooled(name, rng, topics or 1000, depth, 100, 60, 1)


def _pooled(
    name: str, rng: np.random.Generator, topics: int, depth: int, judged: int, hits: int, runs: int
) -> Workload:
    """Make `judged` documents a topic with grades 0 to 3, of which each run retrieves `hits`."""
    # Every topic has a range of document numbers of its own; the first `judged` of them are in the
    # pool.
    span = judged + depth
    base = np.arange(topics) * span
    pool = base[:, None] + np.argsort(rng.random((topics, judged)), axis=1)
    grade = rng.choice(4, size=(topics, judged), p=[0.6, 0.2, 0.15, 0.05])
    qrels = Rows(np.repeat(np.arange(topics), judged), pool.ravel(), grade.ravel(), "relevance")
    made = []
    for _ in range(runs):
        found = np.argsort(rng.random((topics, judged)), axis=1)[:, :hits]
        other = judged + np.argsort(rng.random((topics, depth)), axis=1)[:, : depth - hits]
        docs = np.concatenate([np.take_along_axis(pool, found, 1), base[:, None] + other], axis=1)
        # Relevant documents a little higher than others.
        lift = np.concatenate([np.take_along_axis(grade, found, 1), np.zeros_like(other)], axis=1)
        made.append(_run(rng, docs, rng.gumbel(size=docs.shape) + 0.5 * lift))
    return Workload(name, qrels, made)


def _run(
    rng: np.random.Generator, docs: np.ndarray, appeal: np.ndarray, kind: str = "clueweb"
) -> Rows:
    """Rank documents by appeal and give them falling, sometimes equal scores."""
    docs = np.take_along_axis(docs, np.argsort(-appeal, axis=1), 1)
    topics, depth = docs.shape
    step = rng.exponential(0.005, size=docs.shape)
    score = np.round(5 + step.sum(axis=1, keepdims=True) - np.cumsum(step, axis=1), 3)
    return Rows(np.repeat(np.arange(topics), depth), docs.ravel(), score.ravel(), "score", kind)


def _sparse(rng: np.random.Generator, topics: int) -> Workload:
    """Make one relevant document for most topics, 1.07 on average, found in four topics of five."""
    collection, depth = 8_841_823, 1000
    start = rng.integers(0, collection - 40_000, size=topics)
    docs = start[:, None] + np.cumsum(rng.integers(1, 40, size=(topics, depth)), axis=1)
    n_relevant = np.where(rng.random(topics) < 0.07, 2, 1)
    topic = np.repeat(np.arange(topics), n_relevant)
    place = (depth * rng.random(topic.size) ** 2).astype(int)
    found = rng.random(topic.size) < 0.8
    # Two relevant documents of a topic must differ: the second one is the next document.
    second = np.concatenate([[False], topic[1:] == topic[:-1]])
    place[second] = (place[np.flatnonzero(second) - 1] + 1) % depth
    missed = collection + second  # documents beyond the collection are in no run
    relevant = np.where(found, docs[topic, place], missed)
    qrels = Rows(topic, relevant, np.ones(topic.size, dtype=int), "relevance", "numeric")
    rank = -np.arange(depth) + rng.random((topics, depth))
    return Workload("C", qrels, [_run(rng, docs, rank, "numeric")])


# The forms. Each takes Rows and returns what a user would pass to ir_measures.


def as_dict(rows: Rows) -> dict[str, dict[str, Any]]:
    """Make a dict of dicts."""
    out: dict[str, dict[str, Any]] = {}
    for topic, doc, value in zip(rows.query_ids(), rows.doc_ids(), rows.values(), strict=True):
        out.setdefault(topic, {})[doc] = value
    return out


def as_tuples(rows: Rows) -> list[Any]:
    """Make ir_measures' namedtuples."""
    import ir_measures

    make = ir_measures.ScoredDoc if rows.name == "score" else ir_measures.Qrel
    return [make(*row) for row in zip(rows.query_ids(), rows.doc_ids(), rows.values(), strict=True)]


def _frame(dtype: Callable[[], Any]) -> Callable[[Rows], Any]:
    def make(rows: Rows) -> Any:
        import pandas as pd

        text = dtype()
        return pd.DataFrame(
            {
                "query_id": pd.Series(rows.query_ids(), dtype=text),
                "doc_id": pd.Series(rows.doc_ids(), dtype=text),
                rows.name: rows.value,
            }
        )

    return make


def _str_python() -> Any:
    import pandas as pd

    return pd.StringDtype("python", na_value=np.nan)


def _str_arrow() -> Any:
    import pandas as pd
    import pyarrow  # noqa: F401  (ImportError: the form is skipped)

    return pd.StringDtype("pyarrow", na_value=np.nan)


def as_polars(rows: Rows) -> Any:
    """Make a polars frame."""
    import polars as pl

    return pl.DataFrame(
        {"query_id": rows.query_ids(), "doc_id": rows.doc_ids(), rows.name: rows.value}
    )


FORMS: dict[str, Callable[[Rows], Any]] = {
    "dict": as_dict,
    "tuples": as_tuples,
    "object": _frame(lambda: object),
    "str": _frame(_str_python),
    "str-arrow": _frame(_str_arrow),
    "category": _frame(lambda: "category"),
    "polars": as_polars,
}


def write(rows: Rows, path: Path) -> None:
    """Write a TREC file."""
    import polars as pl

    topic = pl.Series(rows.topic + 1)
    doc = pl.Series(rows.doc)
    if rows.name == "score":
        # Ranks from 1: nobody reads them, but files have them.
        starts = np.searchsorted(rows.topic, np.arange(int(rows.topic.max()) + 2))
        rank = np.arange(rows.topic.size) - np.repeat(starts[:-1], np.diff(starts)) + 1
        middle, end = "Q0", {"rank": pl.Series(rank), "score": pl.Series(rows.value), "tag": "made"}
    else:
        middle, end = "0", {"grade": pl.Series(rows.value)}
    name: Any = doc
    if rows.id_of == "clueweb":
        parts = pl.DataFrame({"n": doc}).select(
            pl.format(
                "clueweb12-{}tw-{}-{}",
                (pl.col("n") // 10_000_000).cast(pl.String).str.zfill(4),
                (pl.col("n") // 100_000 % 100).cast(pl.String).str.zfill(2),
                (pl.col("n") % 100_000).cast(pl.String).str.zfill(5),
            )
        )
        name = parts.to_series()
    frame = pl.DataFrame({"topic": topic, "doc": name}).with_columns(
        pl.lit(middle).alias("middle"),
        *[(pl.lit(v) if isinstance(v, str) else v).alias(k) for k, v in end.items()],
    )
    frame.select("topic", "middle", "doc", *end).write_csv(
        path, separator=" ", include_header=False
    )
