"""The examples as ir_datasets datasets: `irpref/<example>` and `irpref/<example>/<run>`.

`irpref/<example>` has the queries (except for `cast2021`), the judgments with the meaning of the
grades, and the first run as scored documents; `irpref/<example>/<run>`, for examples with several
runs, is the same with another run. Nothing is written or downloaded: the handlers read the example
on demand.

Call `irpref.datasets.register()` to make them known to ir_datasets; the `irpref` command and all
functions of irpref that take the id of a dataset call it for you."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import ir_datasets
from ir_datasets import formats

from irpref.datasets.catalogue import COLLECTIONS, about, examples, load
from irpref.datasets.example import Example

# A judgment with the columns of the user-oriented measures: whether the user knew the document
# before the search, and how many relevant documents the user expected for the topic.
KnownQrel = namedtuple("KnownQrel", "query_id doc_id relevance iteration known expected")


def datasets() -> dict[str, Any]:
    """Return every dataset by its id, without loading any collection."""
    by_id = {}
    for id in examples():
        runs = about(id)["runs"] if id in COLLECTIONS else list(load(id).runs)
        queries = None if id in COLLECTIONS and "queries" not in about(id) else _Queries(id)
        parts = (queries, _Qrels(id))
        by_id[f"irpref/{id}"] = ir_datasets.Dataset(*parts, _ScoredDocs(id, runs[0]))
        if len(runs) > 1:
            by_id |= {
                f"irpref/{id}/{run}": ir_datasets.Dataset(*parts, _ScoredDocs(id, run))
                for run in runs
            }
    return by_id


def register() -> list[str]:
    """Register the examples with ir_datasets as `irpref/<example>` and `irpref/<example>/<run>`.

    Calling it again does nothing.

    Returns
    -------
    list of str
        The ids registered now; empty if all were registered already.
    """
    present = set(ir_datasets.registry)
    added = {name: dataset for name, dataset in datasets().items() if name not in present}
    for name, dataset in added.items():
        ir_datasets.registry.register(name, dataset)
    return list(added)


class _Part:
    """Part of an example, by name: the example is loaded only when it is iterated over."""

    def __init__(self, id: str) -> None:
        self._id = id

    @property
    def _example(self) -> Example:
        return load(self._id)


class _Queries(_Part, formats.BaseQueries):  # type: ignore[misc]
    def queries_iter(self) -> Iterator[Any]:
        return (
            formats.GenericQuery(query_id, text) for query_id, text in self._example.queries.items()
        )

    def queries_count(self) -> int:
        return len(self._example.queries)

    def queries_lang(self) -> str:
        return "en"


class _Qrels(_Part, formats.BaseQrels):  # type: ignore[misc]
    def qrels_iter(self) -> Iterator[Any]:
        example, known = self._example, self._example.known
        for query_id, grades in example.qrels.items():
            for doc_id, grade in grades.items():  # which may be a fraction
                row: Any = (query_id, doc_id, grade, "0")
                more = (doc_id in known[query_id], example.wanted[query_id]) if known else ()
                yield self.qrels_cls()(*row, *more)

    def qrels_cls(self) -> type[Any]:
        return KnownQrel if self._example.known else formats.TrecQrel

    def qrels_defs(self) -> dict[Any, str]:
        return dict(self._example.grades)

    def qrels_count(self) -> int:
        return sum(map(len, self._example.qrels.values()))


class _ScoredDocs(_Part, formats.BaseScoredDocs):  # type: ignore[misc]
    def __init__(self, id: str, run: str) -> None:
        super().__init__(id)
        self._run = run

    def scoreddocs_iter(self) -> Iterator[Any]:
        for query_id, scores in self._example.runs[self._run].items():
            for doc_id, score in scores.items():
                yield formats.GenericScoredDoc(query_id, doc_id, score)
