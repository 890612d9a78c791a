"""The first ranks of runs as a table, and how much of the ranks is unjudged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from irpref.data import named_runs
from irpref.errors import NoCommonTopicError
from irpref.explanation import Explainer, explainable
from irpref.judged import Judgments, Listing, QrelsLike, Runs, align_run, as_judgments, listing
from irpref.kernel import Ints, JudgedRun
from irpref.measures.declare import Measures, needs
from irpref.measures.names import parse_all
from irpref.values.prepare import columns_for

# Last ranks of the bands that `unjudged_by_rank` has by default.
BANDS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
_COLUMNS = ("run", "query_id", "rank", "doc_id", "score", "grade", "filled", "tie", "retrieved")


def rankings(
    measures: Measures,
    qrels: QrelsLike,
    runs: Runs,
    depth: int = 20,
    n_explained: int | None = None,
) -> pd.DataFrame:
    """List the first documents of each run and topic, with grades, ties, and contributions.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
        Measures of irpref that are sums over documents are explained, as by `irpref.explain`.
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths
    depth : int
        Number of ranks.
    n_explained : int, optional
        Most measures that are explained; by default all that can be.

    Returns
    -------
    pandas.DataFrame
        A row for each run, judged topic and rank: `run`, `query_id`, `rank`, `doc_id`, `score`,
        `grade` (NaN: unjudged), `filled` (whether `irpref_lab.fill` filled the grade in), `tie`
        (number of the group of equal scores among the documents shown, from 1; 0 if no other
        document has this score), `retrieved` (documents of the run for the topic); for each
        explained measure `contribution MEASURE` and `reason MEASURE`. Runs that answer no judged
        topic have no rows.

        `attrs` holds `explained`, the names of the explained measures; `relevant`, the number of
        documents of grade 1 or more by topic; `graded`, whether there are several grades above 0;
        `least`, the lowest positive grade by a human if grades were filled in, else 0: filled
        grades below it do not count as relevant.

    Raises
    ------
    ValueError
        As the evaluator.

    Examples
    --------
    >>> table = rankings("QMeasure", {"q": {"a": 1}}, {"run": {"q": {"a": 2, "u": 1}}})
    >>> table[["run", "rank", "doc_id", "grade", "contribution QMeasure"]]
       run  rank doc_id  grade  contribution QMeasure
    0  run     1      a    1.0                    1.0
    1  run     2      u    NaN                    0.0
    """
    chosen = parse_all(measures)
    read = as_judgments(qrels)
    of_preferences = any("preferences" in needs(measure) for measure in chosen)
    pool = read.pool(columns_for(chosen), of_preferences or None)
    explainers = []
    for measure in chosen:
        with suppress(ValueError):  # no sum over documents
            explainable(measure)
            explainers.append(Explainer(measure, pool))
    explainers = explainers[:n_explained]
    columns = [*_COLUMNS]
    for explainer in explainers:
        columns += [f"contribution {explainer.measure}", f"reason {explainer.measure}"]
    filled, least = _filled(read)
    blocks: list[pd.DataFrame] = []
    for name, run in named_runs(runs).items():
        try:
            documents = listing(pool, run)
        except NoCommonTopicError:
            continue
        topics = documents.topics
        rows = np.flatnonzero(topics.position < depth)
        topic_ids = [pool.topic_ids[t] for t in topics.topic[rows].tolist()]
        doc_ids = [documents.doc_ids[row] for row in rows.tolist()]
        block: dict[str, Any] = {
            "run": name,
            "query_id": topic_ids,
            "rank": topics.position[rows] + 1,
            "doc_id": doc_ids,
            "score": documents.score[rows],
            "grade": documents.grade[rows],
            "filled": [key in filled for key in zip(topic_ids, doc_ids, strict=True)],
            "tie": _ties(documents, depth)[rows],
            "retrieved": topics.spread(topics.lengths)[rows],
        }
        for explainer in explainers:
            account = explainer.account(run, missed=False)
            reasons = explainer.reasons(account, depth)
            block[f"contribution {explainer.measure}"] = account.contribution[rows]
            block[f"reason {explainer.measure}"] = [reasons[row] for row in rows.tolist()]
        blocks.append(pd.DataFrame(block))
    table = pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(columns=columns)
    relevant = pool.judged.count(pool.grade >= 1).tolist()
    table.attrs = {
        "explained": [str(explainer.measure) for explainer in explainers],
        "relevant": dict(zip(pool.topic_ids, relevant, strict=True)),
        "graded": pool.graded,
        "least": least,
    }
    return table


def _filled(read: Judgments) -> tuple[set[tuple[str, str]], float]:
    """Find topics and documents with a filled grade, and the lowest positive human grade."""
    if not read.filled.any():
        return set(), 0.0
    table = read.frame()
    filled = table.loc[read.filled, ["query_id", "doc_id"]].itertuples(False, None)
    human = table["relevance"].where((table["relevance"] > 0) & ~read.filled)
    return set(filled), float(human.min())


def _ties(documents: Listing, depth: int) -> Ints:
    """Number the group of ties of each document, among the documents of its topic down to `depth`;
    0 if no other document has its score.
    """
    topics, score = documents.topics, documents.score
    numbers = np.zeros(score.size, np.int64)
    for start, stop in zip(topics.starts.tolist(), topics.ends.tolist(), strict=True):
        last = min(start + depth, stop)
        shown = score[start : min(last + 1, stop)]  # a tie may reach beyond the last one shown
        equal = np.concatenate([[False], shown[1:] == shown[:-1], [False]])
        before, after = equal[:-1], equal[1:]
        number = np.where(before | after, np.cumsum(after & ~before), 0)
        numbers[start:last] = number[: last - start]
    return numbers


def unjudged_by_rank(
    qrels: QrelsLike, runs: Mapping[str, Any] | Runs, ranks: Iterable[int] = BANDS
) -> pd.DataFrame:
    """Compute the share of unjudged documents in bands of ranks, over all judged topics.

    Parameters
    ----------
    qrels : in any form that `irpref.evaluator` takes
    runs : mapping of name to run, or list of paths
    ranks : numbers, ascending
        The last rank of each band; the next band begins after it. Bands that reach beyond the end
        of the longest run are left out.

    Returns
    -------
    pandas.DataFrame
        A row for each run and band: `run`, `rank` (the last of the band), `documents` (retrieved
        there), `unjudged` (their share; NaN if there are none). A document of negative grade is
        unjudged.

    Raises
    ------
    ValueError
        As the evaluator; the judgments are preferences without grades.

    Examples
    --------
    >>> qrels, run = {"q": {"a": 1}}, {"q": {"a": 3, "x": 2, "y": 1}}
    >>> unjudged_by_rank(qrels, {"run": run})[["rank", "documents", "unjudged"]]
       rank  documents  unjudged
    0     1          1       0.0
    1     2          1       1.0
    2     3          1       1.0
    """
    pool = as_judgments(qrels).pool()
    judged = {
        name: run if isinstance(run, JudgedRun) else align_run(pool, run)
        for name, run in named_runs(runs).items()
    }
    longest = max([1, *(int(run.n_retrieved.max(initial=0)) for run in judged.values())])
    last = np.array([rank for rank in ranks if rank <= longest])
    blocks = []
    for name, run in judged.items():
        documents = np.diff(np.minimum.outer(run.n_retrieved, last).sum(axis=0), prepend=0)
        graded = np.sort(run.rank[run.grade >= 0])
        hits = np.diff(np.searchsorted(graded, last, side="right"), prepend=0)
        share = np.divide(hits, documents, out=np.full(last.size, np.nan), where=documents > 0)
        columns = {"run": name, "rank": last, "documents": documents, "unjudged": 1 - share}
        blocks.append(pd.DataFrame(columns))
    return pd.concat(blocks, ignore_index=True)
