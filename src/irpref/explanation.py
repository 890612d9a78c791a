"""Why a topic has its value: the contribution of each document, and the reason in words.

>>> from irpref import RPref
>>> from irpref import explain
>>> qrels = {"q1": {"D7": 2, "D10": 1, "D12": 0}}
>>> run = {"q1": {"D12": 3.0, "D7": 2.0, "D4": 1.0}}
>>> table = explain(RPref(max_rel=2), qrels, run, "q1")
>>> table[["rank", "doc_id", "why"]].to_dict("records")[0]
{'rank': 1, 'doc_id': 'D12', 'why': 'above preferred D7'}
>>> round(float(table["contribution"].sum()), 4)
0.2222

The numbers are the summands of the kernels (`Terms`), in the order of the evaluation; nothing is
computed a second time. If a measure is not a sum over documents, you get an error that names a
measure to explain instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.errors import MeasureError
from irpref.judged.inputs import id_text
from irpref.judged.judgments import Judgments
from irpref.judged.pool import Pool
from irpref.judged.run import listing as listing_of
from irpref.judged.types import RunLike
from irpref.kernel.reasons import MISSED, REST, RETRIEVED, Topic, plain_reasons
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats, Ints, Segments, order_by
from irpref.kernel.terms import ByRank
from irpref.measures.declare import (
    KernelMeasure,
    MeasureLike,
    arguments_of,
    nearest_of_ours,
    registered,
)
from irpref.measures.docstring import prose
from irpref.measures.everyday import with_rel
from irpref.measures.everyday_terms import Everyday, everyday
from irpref.measures.names import parse
from irpref.messages import clipped, unknown_topic
from irpref.values.prepare import check_graded, prepare

if TYPE_CHECKING:
    from ir_measures.measures import Measure


__all__ = ["MISSED", "REST", "RETRIEVED", "Account", "Explainer", "explainable"]


def explainable(measure: MeasureLike) -> Measure:
    """Return the measure if it can be explained: its value must be a sum over documents.

    Raises
    ------
    TypeError
        This is not a measure.
    ValueError
        Its value is not such a sum; the message names a measure to explain instead.
    """
    chosen = parse(measure) if isinstance(measure, str) else measure
    if not hasattr(chosen, "NAME"):
        raise TypeError(
            f"expected a measure or its name, got {type(chosen).__name__}: the order is measure, "
            f"qrels, run, topic"
        )
    if not isinstance(chosen, KernelMeasure):
        if everyday(chosen) is not None:
            return chosen
        stand_in = _like(chosen, nearest_of_ours(chosen))
        instead = f"; explain {stand_in}, the nearest measure of irpref" if stand_in else ""
        if binary := with_rel(chosen):
            instead = f"; explain {binary}"
        raise MeasureError(
            f"{clipped(str(chosen))} cannot be explained document by document: it is not known "
            f"here what each document adds to it{instead}",
            measure=str(chosen),
        )
    if type(chosen).terms is None:
        instead = prose(chosen).instead
        name = re.split(r"\W", instead)[0]
        other = _like(chosen, registered().get(name))
        instead = f"; explain {other}{instead.removeprefix(name)}" if other else ""
        raise MeasureError(
            f"{chosen} is not a sum over documents, so no document has a share of it{instead}",
            measure=str(chosen),
        )
    chosen.validate_params()
    return chosen


def _like(chosen: Measure, ours: KernelMeasure | None) -> KernelMeasure | None:
    """Give our measure the parameters of a chosen one, as far as it has them and takes their
    values.
    """
    if ours is not None:
        same = {p: value for p, value in chosen.params.items() if p in ours.SUPPORTED_PARAMS}
        with suppress(ValueError):  # gains that the host accepts, for example
            return ours(**same | ours.params)
    return ours


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """Rows that add up to the value of each topic: retrieved documents in order, missed ones, the
    rest.

    Attributes
    ----------
    topics : Segments
        Rows by topic of the pool.
    kind : int array (n_rows,)
        RETRIEVED, MISSED (judged documents that the run lacks and that count, or would count if
        they were retrieved) or REST (the part that belongs to no document).
    doc_ids : object array of str (n_rows,)
        None for REST.
    rank : int array (n_rows,)
        Rank in the evaluation, from 1; 0 for rows that were not retrieved.
    score, grade, contribution : float array (n_rows,)
        NaN if there is none.
    source : int array (n_rows,)
        Row of the run's input; -1 for rows that were not retrieved.
    columns : dict of str to float array (n_rows,)
        Numbers that the contributions are made of.
    value : float array (n_topics,)
        The value of the measure, from its kernel.
    steps : dict of str to str
        How to do the sum by hand, see `irpref.kernel.Working`.
    numbers : dict of str to array (n_topics,)
        Numbers of the topic that the steps need.
    """

    topics: Segments
    kind: Ints
    doc_ids: Any
    rank: Ints
    score: Floats
    grade: Floats
    contribution: Floats
    source: Ints
    columns: dict[str, Floats]
    value: Floats
    steps: Mapping[str, str]
    numbers: Mapping[str, Floats | Ints]

    def numbers_of(self, t: int) -> dict[str, float]:
        """Return the numbers of one topic that its steps name."""
        named = set(re.findall(r"\w+", " ".join(self.steps.values())))
        return {
            name: float(of_topic[t]) for name, of_topic in self.numbers.items() if name in named
        }


class Explainer:
    """A measure prepared to explain any number of runs against the same qrels.

    Parameters
    ----------
    measure : measure, or its name
    qrels : Judgments, or a Pool

    Attributes
    ----------
    measure : Measure
    declared : KernelMeasure or Everyday
        Declares how it is computed and explained.

    Raises
    ------
    ValueError
        The measure is not a sum over documents; or as `irpref.values.prepare.prepare`.
    """

    def __init__(self, measure: MeasureLike, qrels: Judgments | Pool) -> None:
        self.measure = chosen = explainable(measure)
        self.declared: KernelMeasure | Everyday
        self.arguments: dict[str, Any]
        if isinstance(chosen, KernelMeasure):
            self.pool, resolved = prepare([chosen], qrels)
            self.declared, self.arguments = chosen, resolved[chosen]
        else:
            self.pool, _ = prepare([], qrels)
            check_graded(self.pool, [chosen])
            known = everyday(chosen)
            assert known is not None
            self.declared, self.arguments = known, arguments_of(chosen)

    def topic_number(self, query_id: Any) -> int:
        """Look up the number of a topic of the qrels. Raise `ValueError` if it has no judgments."""
        topic = id_text(query_id)
        if topic not in self.pool.topic_of:
            raise unknown_topic(topic, self.pool.topic_ids, "query_id")
        return self.pool.topic_of[topic]

    def account(
        self, run: RunLike, wanted: Sequence[int] | None = None, missed: bool = True
    ) -> Account:
        """Explain a run.

        Parameters
        ----------
        run : as `ir_measures.calc` takes it
        wanted : topics of the pool to explain, by number; all if None
        missed : whether to add rows for documents that were not retrieved, and for the rest

        Raises
        ------
        ValueError
            As `irpref.judged.align.align_run`.
        """
        pool, measure = self.pool, self.declared
        assert measure.terms is not None
        listing = listing_of(pool, run)
        topics, order = listing.topics, np.arange(listing.row.size)
        if measure.TIES_BY_RISING_ID:  # each tie the other way round
            ties = Segments.of_equal(topics.topic, listing.score)
            order = ties.spread(ties.starts + ties.ends - 1) - order
        row, docs = listing.row[order], np.array([*listing.doc_ids, None], dtype=object)
        hit = row >= 0
        rank = listing.rank[hit]
        judged = JudgedRun(
            pool, topics.where(hit), rank, row[hit], topics.lengths, rank_rising=rank
        )
        terms = measure.terms(judged, **self.arguments)

        mask = np.full(pool.n_topics, wanted is None)
        mask[list(wanted or ())] = True
        seen = np.flatnonzero(mask[topics.topic])
        lacking = rest = np.zeros(0, np.int64)
        if missed:
            # Grade of at least `rel`, or any positive grade if the measure has no such parameter.
            relevant = pool.grade >= (self.arguments.get("rel") or np.nextafter(0, 1))
            counts = (terms.judged != 0) | (relevant if terms.counts is None else terms.counts)
            lacking = np.flatnonzero(judged.missed() & counts & mask[pool.judged.topic])
            if terms.rest is not None:
                rest = np.flatnonzero((terms.rest != 0) & mask)

        topic = np.concatenate([topics.topic[seen], pool.judged.topic[lacking], rest])
        kind = np.repeat([RETRIEVED, MISSED, REST], [seen.size, lacking.size, rest.size])
        sort = order_by(topic, kind, pool.n_topics)
        topic, kind = topic[sort], kind[sort]
        # The row of the listing and of the pool, -1 if there is none: the value appended to each of
        # their columns.
        at = np.concatenate([seen, np.full(lacking.size + rest.size, -1)])[sort]
        row = np.concatenate([row[seen], lacking, np.full(rest.size, -1)])[sort]
        rank, doc = np.append(listing.rank, 0)[at], docs[np.append(order, -1)][at]
        doc[kind == MISSED] = pool.doc_ids[row[kind == MISSED]]
        unjudged = (kind == RETRIEVED) & (row < 0)

        def of_row(values: Floats, by_rank: ByRank | None, empty: float) -> Floats:
            out = np.append(values, empty)[row]
            if by_rank is not None and unjudged.any():
                out[unjudged] = by_rank(topic[unjudged], rank[unjudged])
            return out

        contribution = of_row(terms.judged, terms.unjudged, 0.0)
        if terms.rest is not None:
            contribution[kind == REST] = terms.rest[topic[kind == REST]]
        return Account(
            Segments.of_topics(topic, pool.n_topics),
            kind,
            doc,
            rank,
            np.append(listing.score, np.nan)[at],
            np.append(pool.grade, np.nan)[row],
            contribution + 0.0,  # no -0
            np.append(listing.source[order], -1)[at],
            {
                name: of_row(values, terms.unjudged_columns.get(name), np.nan)
                for name, values in terms.columns.items()
            },
            measure.kernel(judged, **self.arguments),
            terms.steps,
            terms.numbers,
        )

    def reasons(self, account: Account, first: int | None = None) -> list[str]:
        """Say in words why each row contributes as it does; empty if there is nothing to say.

        With `first`, only this many rows of each topic are sure to get all their reasons.
        """
        out: list[str] = []
        for t in np.flatnonzero(account.topics.lengths).tolist():
            topic = self._topic(account, t, first)
            self.declared.reasons(topic)
            out += topic.why
        return out

    def _topic(self, account: Account, t: int, first: int | None) -> Topic:
        """Return one topic of an account, with the reasons that apply to every measure."""
        rows, own = account.topics.span(t), self.pool.judged.span(t)
        negative = self.declared.NEGATIVE_GRADES
        place, grade = account.rank[rows], account.grade[rows]
        if self.arguments.get("judged_only"):
            stays = (account.kind[rows] == RETRIEVED) & (
                ~np.isnan(grade) if negative else grade >= 0
            )
            place = np.where(stays, np.cumsum(stays), 0)
        cutoff = self.arguments.get("cutoff") if self.declared.CUTOFF_ENDS_LIST else None
        preferences = "preferences" in self.declared.NEEDS
        topic = Topic(
            arguments=self.arguments,
            doc=account.doc_ids[rows].tolist(),
            kind=account.kind[rows],
            grade=grade,
            contribution=account.contribution[rows],
            columns={name: values[rows] for name, values in account.columns.items()},
            pool_grade=self.pool.grade[own],
            place=place,
            inside=(place > 0) & (place <= (cutoff or np.inf)),
            why=[],
            preferences=self.pool.preferences.topics(t, t + 1, own.start, own.stop)
            if preferences
            else None,
            pool_doc=self.pool.doc_ids[own].tolist() if preferences else [],
            first=first,
        )
        plain_reasons(topic, negative, cutoff)
        return topic
