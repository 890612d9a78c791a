"""How much each document adds to the value of each run: a weight for its rank, by each measure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from irpref.data import named_runs
from irpref.judged import Pool, RunLike, Runs, as_judgments, listing
from irpref.kernel import Bools, Floats
from irpref_lab.judges.additive import Additive
from irpref_lab.judges.grades import IDS


@dataclass(frozen=True, eq=False)
class RankWeights:
    """The amounts that runs add to their values for a unit of gain, document by document.

    Attributes
    ----------
    runs : list of str
    documents : pandas.DataFrame
        `query_id`, `doc_id`, ascending: documents that a run ranks above a cutoff.
    of_measure : for each measure, float array (n_runs, n_documents)
    answers : bool array (n_runs, n_topics)
        Topics for which a run (each run of a system) has documents.
    """

    runs: list[str]
    documents: pd.DataFrame
    of_measure: Sequence[Floats]
    answers: Bools


def rank_weights(measures: Sequence[Additive], runs: Runs, topics: Sequence[str]) -> RankWeights:
    """Compute the weights of each measure; topics in ascending order. A list of runs under one name
    has the mean of their weights.
    """
    depth = max(one.weight.size for one in measures)
    # The pool serves to group and order documents: its judgment of a made-up one is never used.
    pool = as_judgments(
        pd.DataFrame({"query_id": list(topics), "doc_id": "", "relevance": 0})
    ).pool()
    named = named_runs(runs)
    parts = []
    answers = np.ones((len(named), len(topics)), bool)
    for number, run in enumerate(named.values()):
        repeats = _repeats(run)
        for repeat in repeats:
            top = _top_documents(pool, repeat, depth)
            answers[number] &= np.bincount(top["topic"], minlength=len(topics)) > 0
            parts.append(top.assign(run=number, share=1 / len(repeats)))
    top = pd.concat(parts, ignore_index=True)
    top["query_id"] = np.array(pool.topic_ids, object)[top["topic"].to_numpy()]
    documents = top[IDS].drop_duplicates().sort_values(IDS, ignore_index=True)
    documents = pd.DataFrame({name: documents[name].tolist() for name in IDS})
    column = pd.MultiIndex.from_frame(documents).get_indexer(pd.MultiIndex.from_frame(top[IDS]))
    rank, share = top["rank"].to_numpy(), top["share"].to_numpy()
    of_measure: list[Floats] = []
    for one in measures:
        weights = np.zeros((len(named), len(documents)))
        inside = rank <= one.weight.size
        place = top["run"].to_numpy()[inside], column[inside]
        np.add.at(weights, place, one.weight[rank[inside] - 1] * share[inside])
        of_measure.append(weights)
    return RankWeights(list(named), documents, of_measure, answers)


def _repeats(run: Any) -> list[RunLike]:
    """List the runs of one system: items of a list that are runs, not records."""
    if isinstance(run, (list, tuple)) and run:
        first = run[0]
        if isinstance(first, (str, os.PathLike, Mapping)) or hasattr(first, "columns"):
            return list(run)
    return [run]


def _top_documents(pool: Pool, run: RunLike, depth: int) -> pd.DataFrame:
    """List the first documents of a run: columns `topic` (number in the pool), `doc_id`, `rank`."""
    ranking: Any = listing(pool, run, depth=depth)
    return pd.DataFrame(
        {"topic": ranking.topics.topic, "doc_id": ranking.doc_ids, "rank": ranking.rank}
    )
