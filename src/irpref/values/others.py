"""Measures that other providers of ir_measures compute, and qrels and runs in the form that these
take.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures import Measure
from ir_measures.util import Metric, ScoredDoc

from irpref.data.columns import as_list, changes
from irpref.judged.inputs import by_topic, group, run_table, str_list
from irpref.judged.judgments import Judgments
from irpref.kernel.segments import Floats
from irpref.measures.support import of_host

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import RunLike


class Others:
    """Measures that other providers compute, on documents in trec_eval's order.

    Providers break ties in different ways, and pytrec_eval rounds scores. So they get, in place of
    the run's scores, scores that fall by one from rank to rank.

    Parameters
    ----------
    measures : list of measures
    judgments : Judgments
    source : provider, optional
        Computes the measures, from the scores of the run: ir_measures' pipeline if not given.
    """

    def __init__(self, measures: list[Measure], judgments: Judgments, source: Any = None) -> None:
        import ir_measures

        self._arguments = (measures, judgments, source)
        self.measures, self._as_given = measures, source is not None
        qrels = qrels_for_host(judgments)
        self._for_ranx: dict[str, dict[str, Any]] | None = None
        if getattr(source, "NAME", "") == "ranx":
            self._for_ranx = ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()
            return
        with of_host(measures):
            pipeline = source or ir_measures.DefaultPipeline
            self._host = pipeline.evaluator(measures, qrels)

    def __reduce__(self) -> tuple[type[Others], tuple[Any, ...]]:
        # pytrec_eval's evaluators cannot be pickled: they are built again.
        return Others, self._arguments

    def values(
        self, run: RunLike, topic_ids: list[str]
    ) -> tuple[dict[Measure, Floats], list[Metric], set[tuple[Measure, str]]]:
        """Compute the values of a run, each (n_topics,); return them, the metrics, and the pairs of
        measure and topic whose value is the default.

        Raises
        ------
        ValueError
            A provider raised an error.
        """
        import ir_measures

        given = run_for_host(run)
        if not self._as_given:
            docs = ir_measures.util.RunConverter(given).as_dict_of_dict()
            given = {topic: _by_rank(scores) for topic, scores in docs.items()}
        with of_host(self.measures):
            if self._for_ranx is None:
                metrics = list(self._host.iter_calc(given))
            else:
                metrics = self._by_ranx(self._for_ranx, given)
        pairs = [(measure, topic) for measure in self.measures for topic in topic_ids]
        known = {(metric.measure, metric.query_id): metric.value for metric in metrics}
        rows = np.array([known.get(pair, pair[0].DEFAULT) for pair in pairs], np.float64)
        values: dict[Measure, Floats] = dict(
            zip(self.measures, rows.reshape(-1, len(topic_ids)), strict=True)
        )
        return values, metrics, set(pairs).difference(known)

    def _by_ranx(self, judged: dict[str, dict[str, Any]], run: Any) -> list[Metric]:
        import ir_measures

        scored = ir_measures.util.RunConverter(run).as_dict_of_dict()
        qrels, common = for_ranx(judged, scored)
        if common.empty:
            return []
        return list(self._arguments[2].evaluator(self.measures, qrels).iter_calc(common))


def for_ranx(
    judged: Mapping[str, Mapping[str, Any]], scored: Mapping[str, Mapping[str, Any]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Turn judgments and run into the form that ranx takes: frames of the same topics, whose ids
    are objects, since ranx refuses pandas' type of strings.
    """
    import pandas as pd

    common = [topic for topic in judged if scored.get(topic)]
    frames = []
    for data, value in ((judged, "relevance"), (scored, "score")):
        rows = [(topic, doc, number) for topic in common for doc, number in data[topic].items()]
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", value])
        frames.append(frame.astype({"query_id": object, "doc_id": object}))
    return frames[0], frames[1]


def _by_rank(docs: Mapping[str, float]) -> dict[str, float]:
    """Put the documents in trec_eval's order, with scores that fall by one from rank to rank."""
    order = sorted(docs.items(), key=itemgetter(1, 0), reverse=True)
    return {doc: float(len(order) - place) for place, (doc, _) in enumerate(order)}


def qrels_for_host(judgments: Judgments) -> Any:
    """Turn judgments into the form that ir_measures and its providers take: a dict of dicts;
    namedtuples if a document is judged several times, as for subtopics.
    """
    # Negative grades mean unjudged; pytrec_eval ends the process on those below -1.
    rows = [row if row.relevance >= -1 else row._replace(relevance=-1) for row in judgments]
    by_doc: dict[str, dict[str, Any]] = {topic: {} for topic in judgments.topic_ids}
    for row in rows:
        by_doc[row.query_id][row.doc_id] = row.relevance
    one_each = sum(map(len, by_doc.values())) == len(rows)
    plain = one_each and len({row.iteration for row in rows}) < 2
    return by_doc if plain else rows


def run_for_host(run: RunLike) -> Any:
    """Turn a run of any form into the form that ir_measures and its providers take: a dict of
    dicts; namedtuples if a document is repeated.
    """
    if isinstance(run, Mapping):
        return {
            topic: dict(zip(str_list(list(docs)), map(float, docs.values()), strict=True))
            for topic, docs in by_topic(run, "score").items()
        }
    table = run_table(run)
    query_id = str_list(as_list(table.query_id), "query_id")
    doc_id = str_list(as_list(table.doc_id))
    scores: dict[str, dict[str, float]] = {topic: {} for topic in group(table.query_id).names}
    values = table.value.tolist()
    for a, b in pairwise([*changes(table.query_id).tolist(), len(table)]):
        scores[query_id[a]].update(zip(doc_id[a:b], values[a:b], strict=True))
    if sum(map(len, scores.values())) == len(table):
        return scores
    return list(map(ScoredDoc, query_id, doc_id, values))
