"""PyTerrier stages: judge, condense, explain and order a result list, or turn it into values.

    bm25 >> pt.irpref.Judge(qrels)                       labels beside the results
    bm25 >> pt.irpref.Condense(qrels)                    judged documents only, ranked again
    bm25 >> pt.irpref.Explain(qrels, RPref(norm="relative2"))   the contribution of each document
    bm25 >> pt.irpref.Oracle(qrels)                      the best order of these documents
    bm25 >> pt.irpref.PerQuery(qrels, [RPref(norm="relative2"), "nDCG@10"])
    bm25 >> RPref(norm="relative2").per_query(qrels)     the same for one measure of ours

Qrels have any form that `irpref.evaluator` takes; further columns (`known`, ...) reach the
measures. Ids are compared as `str`. Order, gains and values are as in the evaluation: ties are
broken by docno, descending, and a `rank` column is never read. If a topic has a document twice, its
last row counts, with a warning.

Rows of topics without judgments stay as they are, unless a stage says otherwise.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures.measures import Measure

from irpref.explanation import RETRIEVED, Account, Explainer
from irpref.judged.align import Listing
from irpref.judged.inputs import id_text
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.run import listing as listing_of
from irpref.judged.types import QrelsLike
from irpref.kernel.segments import Bools, Ints
from irpref.measures.declare import MeasureLike, Measures
from irpref.measures.names import names_typed
from irpref.messages import IrprefWarning, warn_user
from irpref.values.evaluator import evaluator

FIRST_RANK: int = pt.model.FIRST_RANK


def _as_run(frame: pd.DataFrame, rows: Bools) -> pd.DataFrame:
    """Take rows of a result frame as a run."""
    return frame.loc[rows, ["qid", "docno", "score"]]


class _Stage(pt.Transformer):
    """The part that our stages share.

    The qrels stay out of `repr`, which names systems in result tables, and out of drawings. Stages
    are equal only if they are the same object: two with the same `repr` may hold different qrels.
    """

    __hash__ = object.__hash__

    def __init__(self, qrels: QrelsLike) -> None:
        super().__init__()
        self._qrels = as_judgments(qrels)
        self._shown: dict[str, str] = {}  # settings, in `repr` and in drawings
        self._topic_ids = self._prepared()  # mistakes show here, not in the middle of a pipeline

    def _prepared(self) -> list[str]:
        self._pool = self.qrels.pool()
        return self._pool.topic_ids

    # Read-only: data prepared from the qrels and the measure would not follow a change.
    @property
    def qrels(self) -> Judgments:
        """The judgments."""
        return self._qrels

    def __repr__(self) -> str:
        named = (
            value if name.startswith("measure") else f"{name}={value}"
            for name, value in self._shown.items()
        )
        return f"{type(self).__name__}({', '.join(['qrels', *named])})"

    def schematic(self, *, input_columns: list[str] | None) -> dict[str, Any]:
        """Return the contents of drawings. Without `help_url` PyTerrier would download the index of
        its documentation.
        """
        settings = {"qrels": f"{len(self._topic_ids)} topics", **self._shown}
        return {"label": type(self).__name__, "settings": settings, "help_url": None}

    def _judged_rows(self, inp: pd.DataFrame) -> Bools:
        """Mark the rows that belong to topics with judgments: shape (n_rows,)."""
        return inp["qid"].map(str).isin(self._topic_ids).to_numpy()

    def _listing(self, inp: pd.DataFrame, judged: Bools) -> tuple[Listing, Ints]:
        """Put the documents of topics with judgments in evaluation order; return them and their
        rows in `inp`.
        """
        listing = listing_of(self._pool, _as_run(inp, judged))
        return listing, np.flatnonzero(judged)[listing.source]


def _in_topic_order(inp: pd.DataFrame, row: Ints) -> Ints:
    """Order rows stably, given by their row in `inp`, so that its topics are in order of first
    appearance.
    """
    return np.argsort(pd.factorize(inp["qid"])[0][row], kind="stable")


class Judge(_Stage):
    """Add labels to the results.

    R -> R, adding `label` (NaN without a judgment) and `judged` (whether there is a judgment that
    is not negative). All rows stay, in their order.

    Parameters
    ----------
    qrels : DataFrame or other qrels

    Raises
    ------
    ValueError
        Bad qrels, see `irpref.judgments`.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Add the labels."""
        pt.validate.result_frame(inp, context=self)
        pool = self._pool
        topics = np.array(pool.topic_ids, dtype=object)[pool.judged.topic]
        grades = pd.Series(pool.grade, index=pd.MultiIndex.from_arrays([topics, pool.doc_ids]))
        rows = pd.MultiIndex.from_arrays([inp["qid"].map(str), inp["docno"].map(str)])
        label = grades.reindex(rows).to_numpy()
        return inp.assign(label=label, judged=label >= 0)


class Condense(_Stage):
    """Keep only judged documents, ranked again: the condensed list that a measure with
    `judged_only=True` sees.

    R -> R. Documents without a judgment or with a negative grade are dropped, and so are topics
    without judgments. A rank cutoff before this stage is not the same as one after it.

    Parameters
    ----------
    qrels : DataFrame or other qrels
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Drop and rank again."""
        pt.validate.result_frame(inp, extra_columns=["score"], context=self)
        listing, row = self._listing(inp, self._judged_rows(inp))
        keep = listing.grade >= 0
        rank = listing.topics.where(keep).position + FIRST_RANK
        row = row[keep]
        order = _in_topic_order(inp, row)
        return inp.iloc[row[order]].assign(rank=rank[order]).reset_index(drop=True)


class Oracle(_Stage):
    """Put documents into the best order: the documents of a result list, or all known relevant
    ones.

    R -> R sorts the documents by descending grade (unjudged ones as grade 0, so before negative
    ones); equal grades keep their order. Q -> R gives the ideal list: all documents with a positive
    grade; topics without any have no rows. Ranks and scores are new.

    Parameters
    ----------
    qrels : DataFrame or other qrels
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Sort the documents, or look the ideal list up."""
        with pt.validate.any(inp, context=self) as v:
            v.result_frame(extra_columns=["score"], mode="results")
            v.query_frame(mode="queries")
        return self._sorted(inp) if v.mode == "results" else self._ideal(inp)

    def _sorted(self, inp: pd.DataFrame) -> pd.DataFrame:
        inp, judged = _ranked(inp), self._judged_rows(inp)
        listing, row = self._listing(inp, judged)
        best = np.lexsort((-np.nan_to_num(listing.grade), listing.topics.topic))  # stable
        position, size = listing.topics.position, listing.topics.spread(listing.topics.lengths)
        out = inp.iloc[row[best]].assign(
            rank=position + FIRST_RANK, score=(size - position).astype(np.float64)
        )
        if not judged.all():
            out = pd.concat([out, inp[~judged]])
        order = _in_topic_order(inp, np.concatenate([row[best], np.flatnonzero(~judged)]))
        return out.iloc[order].reset_index(drop=True)

    def _ideal(self, inp: pd.DataFrame) -> pd.DataFrame:
        pool = self._pool
        topic = [pool.topic_of.get(id_text(qid), -1) for qid in inp["qid"]]
        ideal = pd.DataFrame({"topic": pool.judged.topic, "docno": pool.doc_ids})[pool.grade > 0]
        pairs = pd.DataFrame({"row": np.arange(len(inp)), "topic": topic}).merge(ideal, on="topic")
        rank = pairs.groupby("row").cumcount()
        below = pairs.groupby("row")["topic"].transform("size") - rank
        out = inp.iloc[pairs["row"]].reset_index(drop=True)
        return out.assign(
            docno=pairs["docno"].astype(object), score=below.astype(float), rank=rank + FIRST_RANK
        )


def _ranked(inp: pd.DataFrame) -> pd.DataFrame:
    """Add a column `rank` to the results; if there is none, ranks follow the order of the rows."""
    if "rank" in inp.columns:
        return inp
    return inp.assign(rank=inp.groupby("qid", sort=False).cumcount().to_numpy() + FIRST_RANK)


class Explain(_Stage):
    """Add the contribution of each document to a measure, and the numbers it is computed from.

    R -> R, adding `label`, `judged`, the columns of the measure (`rho`, `loss` and `penalty` for
    RPref; `gain`, `cg`, `count`, `cg_I` and `BR` for the Q, O, P and P+ measures; `rp` and `crp`
    for CRP; `irpref explain` prints the meaning of each) and `contribution`. `rank` is the rank
    used in evaluation. Otherwise the results are the same, so evaluating them after this stage
    gives the same values.

    The contributions of a topic add up to its value. If a part of it belongs to documents that were
    not retrieved, or to the ranks below the end of a short list (RPref(unretrieved='infinity'),
    CRP), a warning says so. `missed=True` adds rows at the end of each topic, without `score` and
    `rank`: one for each document that was not retrieved but counts, or would have, and one without
    a `docno` for the part that belongs to no document. Then the sum is complete, but use the
    results only for reading: in an evaluation, the new rows would count as retrieved.

    Parameters
    ----------
    qrels : DataFrame or other qrels
    measure : measure that is a sum over documents, or its name
        Of irpref, or an everyday one of ir_measures.
    missed : bool
        Whether to add rows for documents that were not retrieved.
    why : bool
        Whether to add the column `why`, reasons in words.

    Raises
    ------
    ValueError
        The measure is not a sum over documents (EMeasure, CRPRecovery, Twist, RecallEffort); the
        message names one that is. A column of the qrels is missing.

    Warns
    -----
    IrprefWarning
        The contributions shown do not add up to the value.
    """

    def __init__(
        self, qrels: QrelsLike, measure: MeasureLike, missed: bool = False, why: bool = False
    ) -> None:
        self._named, self.missed, self.why = measure, missed, why
        super().__init__(qrels)

    def _prepared(self) -> list[str]:
        self._explainer = Explainer(self._named, self.qrels)
        self._pool = self._explainer.pool
        options = {"missed": self.missed, "why": self.why}
        self._shown = {
            "measure": str(self.measure),
            **{name: "True" for name, given in options.items() if given},
        }
        return self._pool.topic_ids

    @property
    def measure(self) -> Measure:
        """The measure that is explained."""
        return self._explainer.measure

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Add the columns."""
        pt.validate.result_frame(inp, extra_columns=["score"], context=self)
        judged = self._judged_rows(inp)
        at, others = np.flatnonzero(judged), np.flatnonzero(~judged)
        wanted = [self._pool.topic_of[id_text(qid)] for qid in pd.unique(inp.loc[judged, "qid"])]
        account = self._explainer.account(_as_run(inp, judged), wanted, self.missed)
        if not self.missed:
            self._check_sum(account, wanted)

        # Rows that were not retrieved take the columns about the query from a row of their topic.
        first = dict(
            zip(wanted, np.flatnonzero(judged & ~inp["qid"].duplicated().to_numpy()), strict=True)
        )
        of_topic = np.array([first[t] for t in account.topics.topic.tolist()], dtype=np.int64)
        row = np.append(
            np.where(account.kind == RETRIEVED, np.append(at, -1)[account.source], of_topic), others
        )
        out = inp.iloc[row].reset_index(drop=True)
        parts = {"label": account.grade, **account.columns, "contribution": account.contribution}
        out["rank"] = np.append(
            account.rank - 1 + FIRST_RANK, _ranked(inp)["rank"].to_numpy()[others]
        )
        out = out.assign(
            **{name: np.append(part, np.full(others.size, np.nan)) for name, part in parts.items()}
        )
        out.insert(out.columns.get_loc("label") + 1, "judged", out["label"] >= 0)
        if self.why:
            out["why"] = [*self._explainer.reasons(account), *[""] * others.size]
        lost = np.append(account.kind != RETRIEVED, np.zeros(others.size, bool))
        if lost.any():
            for name in {*inp.columns, "rank"}.difference(pt.model.query_columns(inp)):
                out[name] = (out[name].astype("Int64") if name == "rank" else out[name]).mask(lost)
            out["docno"] = out["docno"].astype(object)
            out.loc[lost, "docno"] = account.doc_ids[account.kind != RETRIEVED]
        return out.iloc[_in_topic_order(inp, row)].reset_index(drop=True)

    def _check_sum(self, account: Account, wanted: list[int]) -> None:
        gap = np.abs(account.value - account.topics.total(account.contribution))
        lacking = gap > 1e-9 * np.maximum(np.abs(account.value), 1)
        topics = [self._pool.topic_ids[t] for t in wanted if lacking[t]]
        if topics:
            where = f"{len(topics)} topics, first" if len(topics) > 1 else "topic"
            warn_user(
                f"the contributions shown do not add up to {self.measure} in {where} "
                f"{topics[0]!r}: the rest belongs to documents that were not retrieved or to ranks "
                "below the end of the list; Explain(..., missed=True) gives them rows",
                IrprefWarning,
                measure=str(self.measure),
                topic=topics[0],
            )


class PerQuery(_Stage):
    """Compute values by query: one column for each measure.

    R -> Q. Rows are the queries of the results, in their order, with the columns that describe
    them; a query without judgments has NaN. A query without results has no row here, but counts in
    an experiment.

    Parameters
    ----------
    qrels : DataFrame or other qrels
    measures : measure or name, or several, of any toolkit
        Columns have the names that you type (`map`, `P+`), as in `pt.Experiment`, and
        `str(measure)` for a measure.

    Raises
    ------
    ValueError
        There is no measure of this name; bad qrels.
    """

    def __init__(self, qrels: QrelsLike, measures: Measures) -> None:
        self._names = names_typed(measures)
        super().__init__(qrels)

    def _prepared(self) -> list[str]:
        self._shown = {"measures": f"[{', '.join(map(str, self.measures))}]"}
        topic_ids: list[str] = self._evaluator.topic_ids
        return topic_ids

    @cached_property
    def _evaluator(self) -> Any:
        return evaluator(self.measures, self.qrels)

    @property
    def measures(self) -> list[Any]:
        """The measures that are computed."""
        return list(self._names)

    def __getstate__(self) -> dict[str, Any]:
        # pytrec_eval's evaluators cannot be pickled; PyTerrier's parallel stages pickle pipelines.
        state = self.__dict__.items()
        return {name: value for name, value in state if name != "_evaluator"}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Compute the values."""
        pt.validate.result_frame(inp, extra_columns=["score"], context=self)
        query = set(pt.model.query_columns(inp))
        out = inp.loc[~inp["qid"].duplicated(), [c for c in inp.columns if c in query]].reset_index(
            drop=True
        )
        values = self._evaluator.values(_as_run(inp, self._judged_rows(inp)))
        columns = {name: values[measure] for measure, name in self._names.items()}
        by_topic = pd.DataFrame(columns, index=self._topic_ids)
        return out.assign(**by_topic.reindex(out["qid"].map(str)).reset_index(drop=True))


__all__ = ["Condense", "Explain", "Judge", "Oracle", "PerQuery"]
