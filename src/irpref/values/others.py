"""Measures that other providers of ir_measures compute, and qrels and runs in the form that these
take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from ir_measures.measures import Measure
from ir_measures.util import Metric, Qrel, ScoredDoc

from irpref.data.columns import Table, as_list, changes, columns_of
from irpref.judged.inputs import as_frame, by_topic, str_list
from irpref.judged.order import TREC, Alignment, rounded
from irpref.kernel.segments import Floats, all_whole
from irpref.measures.support import of_host

if TYPE_CHECKING:
    from irpref.judged.types import Qrels, Run


Ordered: TypeAlias = Callable[[Mapping[str, float]], dict[str, float]]


class Others:
    """Measures that other providers compute, on documents in trec_eval's order.

    Instead of scores, pytrec_eval gets their ranks within the topic: small whole numbers, which it
    does not round. Other providers get the documents of each topic best first, since some sort by
    score alone.

    Parameters
    ----------
    measures : list of measures
    judgments : qrels as ir_measures takes them
    alignment : Alignment
        If it rounds scores to 32 bits, providers get runs unchanged, unless ties stay in the order
        of the input.
    source : provider, optional
        What computes the measures: ir_measures' pipeline if not given. It gets runs as with scores
        of 32 bits.

    Attributes
    ----------
    in_float32 : bool
        Whether a run must be aligned with `in_float32=True`.
    """

    def __init__(
        self,
        measures: list[Measure],
        judgments: Any,
        alignment: Alignment = TREC,
        source: Any = None,
    ) -> None:
        import ir_measures

        self._arguments = (measures, judgments, alignment, source)
        self.measures = measures
        by_pytrec = [measure for measure in measures if provider_of(measure) == "pytrec_eval"]
        parts: list[tuple[list[Measure], Ordered | None]]
        if not alignment.by_id:
            parts = [(measures, partial(_as_listed, float32=alignment.float32))]
        elif alignment.float32 or source is not None:
            parts = [(measures, None)]
        else:
            parts = [
                (by_pytrec, _places),
                ([measure for measure in measures if measure not in by_pytrec], _best_first),
            ]
        self.in_float32 = any(some and ordered is _places for some, ordered in parts)
        pipeline = source or ir_measures.DefaultPipeline
        with of_host(measures):
            self._hosts = [
                (pipeline.evaluator(some, judgments), ordered) for some, ordered in parts if some
            ]

    def __reduce__(self) -> tuple[type[Others], tuple[Any, ...]]:
        # pytrec_eval's evaluators cannot be pickled: they are built again.
        return Others, self._arguments

    def values(
        self, run: Run, topic_ids: list[str]
    ) -> tuple[dict[Measure, Floats], list[Metric], set[tuple[Measure, str]]]:
        """Values of a run as `for_host` returns it, each (n_topics,), the metrics, and which values
        are the default.

        Raises
        ------
        ValueError
            A provider raised an error.
        """
        import ir_measures

        metrics: list[Metric] = []
        for host, ordered in self._hosts:
            given: Any = run
            if ordered is not None:
                docs = ir_measures.util.RunConverter(run).as_dict_of_dict()
                given = {topic: ordered(of) for topic, of in docs.items()}
            with of_host(self.measures):
                metrics += host.iter_calc(given)
        pairs = [(measure, topic) for measure in self.measures for topic in topic_ids]
        known = {(metric.measure, metric.query_id): metric.value for metric in metrics}
        rows = np.array([known.get(pair, pair[0].DEFAULT) for pair in pairs], np.float64)
        values: dict[Measure, Floats] = dict(
            zip(self.measures, rows.reshape(-1, len(topic_ids)), strict=True)
        )
        return values, metrics, set(pairs).difference(known)


def _best_first(docs: Mapping[str, float]) -> dict[str, float]:
    """The documents in trec_eval's order."""
    return dict(sorted(docs.items(), key=itemgetter(1, 0), reverse=True))


def _places(docs: Mapping[str, float]) -> dict[str, float]:
    """The negative rank of each score in the topic, so that higher is better: ties stay ties."""
    place = {score: -float(i) for i, score in enumerate(sorted(set(docs.values()), reverse=True))}
    return {doc: place[score] for doc, score in docs.items()}


def _as_listed(docs: Mapping[str, float], float32: bool) -> dict[str, float]:
    """Distinct scores that keep the order of the given ones, with ties in the order listed."""
    rank = rounded(np.fromiter(docs.values(), np.float64, len(docs))) if float32 else docs.values()
    order = sorted(
        zip(rank, docs, strict=True), key=itemgetter(0), reverse=True
    )  # which keeps ties as they are
    return {doc: -float(i) for i, (_, doc) in enumerate(order)}


def provider_of(measure: Measure) -> str:
    """Name of the provider that computes a measure in ir_measures' pipeline."""
    import ir_measures

    able = (
        p for p in ir_measures.DefaultPipeline.providers if p.is_available() and p.supports(measure)
    )
    return next((str(p.NAME) for p in able), "")


def for_host(data: Qrels | Run, value: str) -> Any:
    """Qrels or a run of any form as ir_measures and its providers take them: its column names, ids
    as `str`, grades below -1 as -1.

    All negative grades mean the same to these providers, but pytrec_eval reads memory that is not
    its own if a topic has none but grades below -1.

    Parameters
    ----------
    data : any form, as `opened` returns it
    value : 'score' or 'relevance'
    """
    if isinstance(data, Mapping):
        number = _grade if value == "relevance" else float
        return {
            topic: dict(
                zip(str_list(list(docs), "doc_id"), map(number, docs.values()), strict=True)
            )
            for topic, docs in by_topic(data, value).items()
        }
    if isinstance(data, Table):
        return _rows(data, value)
    frame = as_frame(data, value)
    names = columns_of([str(name) for name in frame.columns], value, table="DataFrame")
    ids = {
        name: as_list(frame[names[name]].to_numpy(dtype=object)) for name in ("query_id", "doc_id")
    }
    numbers = frame[names[value]].to_numpy(dtype=np.float64)
    if value == "relevance":
        numbers = _grades(numbers)
    gone = [old for name, old in names.items() if old != name]
    return frame.drop(columns=gone).assign(
        **{name: str_list(of, name) for name, of in ids.items()}, **{value: numbers}
    )


def _rows(table: Table, value: str) -> Any:
    """Namedtuples, as from ir_measures' own readers; a run as a dict, since most providers convert
    it to one.
    """
    query_id, doc_id = (
        str_list(as_list(table.query_id), "query_id"),
        str_list(as_list(table.doc_id)),
    )
    if value == "relevance":
        grades = _grades(table.value)
        iteration = table.columns.get("iteration", ["0"] * len(table))
        return list(map(Qrel, query_id, doc_id, grades.tolist(), iteration))
    scores, found = table.value.tolist(), dict[str, dict[str, float]]()
    for a, b in pairwise([*changes(table.query_id).tolist(), len(table)]):
        found.setdefault(query_id[a], {}).update(zip(doc_id[a:b], scores[a:b], strict=True))
    if sum(map(len, found.values())) == len(table):
        return found
    return list(map(ScoredDoc, query_id, doc_id, scores))  # a document is repeated


def _grade(value: Any) -> Any:
    """A grade as the host's tools take it: at least -1, and an int if it is whole."""
    return max(int(value) if float(value).is_integer() else value, -1)


def _grades(values: Floats) -> Any:
    """The same for an array."""
    grades = np.maximum(values, -1)
    return grades.astype(np.int64) if all_whole(grades) else grades
