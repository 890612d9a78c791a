"""Reasons why two people get different values from the same files: one list, for `crosscheck` and
`verify`.

A reason is a change to compute with: another order of the documents, a shorter list, another
formula, fewer topics. It is only ever said if the value, computed again with the change, is the
other value. Each is of one kind; changes of different kinds can be made together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from ir_measures.measures import Measure
from ir_measures.measures.base import _NOT_PROVIDED

from irpref.measures.blended_ratio import QMeasure
from irpref.measures.original_ndcg import OriginalNDCG
from irpref.measures.seen_ap import SeenAP

Judged: TypeAlias = Mapping[str, Mapping[str, float]]
# The documents of a topic with their scores, as they came.
Rows: TypeAlias = Iterable[tuple[str, float]]
# The documents of each topic, best first.
Lists: TypeAlias = Mapping[str, Sequence[str]]

# Kinds of reasons, by the thing that they change. Two others, `grades` and `ideal`, change the
# judgments.
OF_RUN = ("documents", "order", "depth")
OF_MEASURE = (
    "threshold",
    "cutoff",
    "gain",
    "formula",
    "discount",
)  # changes are made in this order
OF_TOPICS = ("topics", "unanswered")
UNIT = "unit"


@dataclass(frozen=True, slots=True)
class Reason:
    """A known reason for another value.

    Attributes
    ----------
    kind : str
    words : str
        The habit of the other tool, or of the other person.
    change : callable or number
        By kind: `documents`, (topic, rows) -> rows; `order`, rows -> ids, best first; `depth`, the
        number of documents that are read; of a measure, measure -> measure, None if it has no such
        variant; `grades`, judgments -> judgments; `ideal`, (judgments, lists, measure) ->
        judgments; of topics, (judgments, topics of the run, lowest relevant grade) -> the
        topics whose values are averaged; `unit`, a factor.
    at : int, optional
        The number in the words, if there is a reason for each of several.
    """

    kind: str
    words: str
    change: Any
    at: int | None = None

    def __str__(self) -> str:
        return self.words


# Order -------------------------------------------------------------------------------------------


def in_our_order(rows: Rows) -> list[str]:
    """Rank by score, ties by id, descending."""
    return [doc for _, doc in sorted(((score, doc) for doc, score in rows), reverse=True)]


def _in_float32(rows: Rows) -> list[str]:
    docs, scores = zip(*rows, strict=True)
    with np.errstate(over="ignore"):
        short = np.asarray(scores, np.float64).astype(np.float32).tolist()
    return in_our_order(zip(docs, short, strict=True))


def _as_listed(rows: Rows) -> list[str]:
    return [doc for doc, _ in sorted(rows, key=lambda row: row[1], reverse=True)]  # ties stay


def _by_rising_id(rows: Rows) -> list[str]:
    return [doc for doc, _ in sorted(rows, key=lambda row: (-row[1], row[0]))]


def _as_ranx_sorts(rows: Rows) -> list[str]:
    import ranx

    return list(ranx.Run({"q": dict(rows)}).run["q"])


FLOAT32 = Reason("order", "scores rounded to 32 bits", _in_float32)
ROWS = Reason("order", "equal scores in the order of the rows", _as_listed)
RISING = Reason("order", "equal scores by ascending id", _by_rising_id)
UNSTABLE = Reason("order", "equal scores as its sort leaves them", _as_ranx_sorts)
ORDERS = (FLOAT32, ROWS, RISING)


# Documents ---------------------------------------------------------------------------------------


def _first_rows(topic: str, rows: Rows) -> Rows:
    return list(dict(reversed(list(rows))).items())[::-1]


def _best_rows(topic: str, rows: Rows) -> Rows:
    best: dict[str, float] = {}
    for doc, score in rows:
        best[doc] = max(score, best.get(doc, score))
    return list(best.items())


def _without_topic(topic: str, rows: Rows) -> Rows:
    return [row for row in rows if row[0] != topic]


FIRST_ROW = Reason("documents", "of repeated documents the first row counts", _first_rows)
BEST_ROW = Reason("documents", "of repeated documents the best row counts", _best_rows)
OWN = Reason("documents", "the query is not among its results", _without_topic)
DOCUMENTS = (FIRST_ROW, BEST_ROW, OWN)

DEEP = Reason("depth", "it reads 1,000 documents of a ranking", 1000)
DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)


def depth(k: int) -> Reason:
    """Return the reason that a ranking has no more than `k` documents."""
    return Reason("depth", f"only the first {k:,} documents of a ranking are read", k, k)


# The measure -------------------------------------------------------------------------------------


def _with(measure: Measure, **changed: Any) -> Measure | None:
    """Set parameters, or take them out where they are None; None if the measure is the same or
    does not accept them.
    """
    if not changed.keys() <= measure.SUPPORTED_PARAMS.keys():
        return None
    if all(_given(measure, name) == value for name, value in changed.items()):
        return None
    params = {name: x for name, x in {**measure.params, **changed}.items() if x is not None}
    try:
        other = type(measure)(**params)
        other.validate_params()
    except (ValueError, AssertionError):
        return None
    return None if str(other) == str(measure) else other


def _given(measure: Measure, name: str) -> Any:
    """Return the value of a parameter, or its default; None if there is neither."""
    default = measure.SUPPORTED_PARAMS[name].default
    return measure.params.get(name, None if default is _NOT_PROVIDED else default)


def threshold(rel: int) -> Reason:
    """Return the reason that relevance begins at another grade, for measures that have `rel`."""
    words = f"relevant from grade {rel} on"
    return Reason("threshold", words, lambda measure: _with(measure, rel=rel))


def only_from(rel: int) -> Reason:
    """Return the reason that relevance begins at another grade, for measures of grades."""

    def regraded(judged: Judged) -> Judged:
        return {
            topic: {doc: grade if grade >= rel else min(grade, 0) for doc, grade in docs.items()}
            for topic, docs in judged.items()
        }

    return Reason("grades", f"grades below {rel} count as not relevant", regraded)


def cutoff(k: int | None) -> Reason:
    """Return the reason that the measure is cut at another rank."""
    words = "not cut at a rank" if k is None else f"cut at {k:,}"
    return Reason("cutoff", words, lambda measure: _with(measure, cutoff=k), k)


CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def _exponential(levels: Sequence[int]) -> Callable[[Measure], Measure | None]:
    gains = {level: 2**level - 1 for level in levels}

    def change(measure: Measure) -> Measure | None:
        if measure.NAME != "nDCG" or "gains" in measure.params or measure["dcg"] != "log2":
            return None
        return _with(measure, gains=gains)

    return change


def _linear(measure: Measure) -> Measure | None:
    exponential = measure.NAME == "nDCG" and measure["dcg"] == "exp-log2"
    return _with(measure, dcg=None) if exponential else None


def _all_alike(levels: Sequence[int]) -> Callable[[Measure], Measure | None]:
    gains = dict.fromkeys(levels, 1)

    def change(measure: Measure) -> Measure | None:
        return _with(measure, gains=gains, dcg=None) if measure.NAME == "nDCG" else None

    return change


def _first_published(levels: Sequence[int]) -> Callable[[Measure], Measure | None]:
    def change(measure: Measure) -> Measure | None:
        if measure.NAME != "nDCG":
            return None
        params = {name: value for name, value in measure.params.items() if name != "dcg"}
        if measure["dcg"] == "exp-log2":
            params["gains"] = {level: 2**level - 1 for level in levels}
        return OriginalNDCG(**params)

    return change


def gains(levels: Sequence[int]) -> Iterator[Reason]:
    """Yield the reasons that nDCG has another gain or discount, given the positive grades."""
    yield Reason("gain", "gain 2^grade - 1", _exponential(levels))
    yield Reason("gain", "gain grade, not 2^grade - 1", _linear)
    if len(levels) > 1:
        yield Reason("gain", "gain 1 for every relevant document", _all_alike(levels))
    words = "no discount before rank 3: log2(rank), as first published"
    yield Reason("discount", words, _first_published(levels))


def _seen_ap(measure: Measure) -> Measure | None:
    given = {name: measure.params[name] for name in ("cutoff",) if name in measure.params}
    plain = measure.NAME == "AP" and not measure["judged_only"]
    return SeenAP(rel=measure["rel"], **given) if plain else None


def _capped_ap(measure: Measure) -> Measure | None:
    """Return Q-measure: with beta 0 its blended ratio is precision, and it divides by min(R, k)."""
    cut = measure.NAME == "AP" and "cutoff" in measure.params
    if not cut or measure["rel"] != 1:
        return None
    return QMeasure(beta=0, cutoff=measure["cutoff"], judged_only=measure["judged_only"])


SEEN = Reason(
    "formula", "divided by the relevant documents retrieved, not by all of them", _seen_ap
)
CAPPED = Reason("formula", "divided by at most as many documents as the cutoff has", _capped_ap)


# The judgments -----------------------------------------------------------------------------------


def _without_negative(judged: Judged) -> Judged:
    return {t: {doc: max(grade, 0) for doc, grade in docs.items()} for t, docs in judged.items()}


def _of_retrieved(judged: Judged, lists: Lists, measure: Measure) -> Judged | None:
    if measure.NAME not in ("nDCG", "OriginalNDCG"):
        return None
    return {
        topic: {doc: grade for doc, grade in docs.items() if doc in found} or docs
        for topic, docs in judged.items()
        for found in [set(lists.get(topic, ()))]
    }


def _of_shown(judged: Judged, lists: Lists, measure: Measure) -> Judged | None:
    k = measure.params.get("cutoff")
    if k is None:
        return None
    return _of_retrieved(judged, {topic: docs[:k] for topic, docs in lists.items()}, measure)


NEGATIVE = Reason("grades", "negative grades count as judged", _without_negative)
IDEALS = (
    Reason("ideal", "the ideal list is made of the retrieved documents alone", _of_retrieved),
    Reason("ideal", "the ideal list is made of the documents down to the cutoff alone", _of_shown),
)


# The mean ----------------------------------------------------------------------------------------


def _answered(judged: Judged, answered: Iterable[str], rel: float) -> list[str]:
    there = set(answered)
    return [topic for topic in judged if topic in there]


def _with_relevant(judged: Judged, answered: Iterable[str], rel: float) -> list[str]:
    return [topic for topic, docs in judged.items() if max(docs.values(), default=0) >= rel]


def _of_run(judged: Judged, answered: Iterable[str], rel: float) -> list[str]:
    known = list(answered)
    return known if set(known) - judged.keys() else list(judged)


ANSWERED = Reason(
    "unanswered",
    "topics without documents are left out, as trec_eval without -c does",
    _answered,
)
RELEVANT = Reason("topics", "topics without a relevant document are left out", _with_relevant)
UNJUDGED = Reason("unanswered", "topics of the run without judgments count as 0", _of_run)
TOPICS = (ANSWERED, RELEVANT, UNJUDGED)
PERCENT = Reason("unit", "in percent", 100.0)


# Whether the run is cut or the measure makes no difference: one reason is enough.
_CUT_ALIKE = ("AP", "RR", "ERR", "Judged", "R", "Success")


def reasons_for(measure: Measure, levels: Sequence[int]) -> list[Reason]:
    """List the reasons why another person's mean of a measure may be another one.

    Parameters
    ----------
    measure : Measure
    levels : sequence of int
        The positive grades of the judgments, rising.
    """
    by_threshold = [threshold(level) for level in dict.fromkeys([1, *levels])]
    if "rel" not in measure.SUPPORTED_PARAMS:
        by_threshold = [only_from(level) for level in levels[1:]]
    return [
        *by_threshold,
        *map(cutoff, (*CUTOFFS, None)),
        *(depth(k) for k in DEPTHS if measure.NAME not in _CUT_ALIKE),
        *ORDERS,
        *DOCUMENTS,
        *TOPICS,
        *gains(levels),
        *IDEALS,
        SEEN,
        CAPPED,
        PERCENT,
    ]


# Computing with them -----------------------------------------------------------------------------


def ranked(rows_of: Mapping[str, Rows], changes: Iterable[Reason]) -> dict[str, list[str]]:
    """Rank the documents of each topic, with changes of the kinds `OF_RUN`."""
    by_kind = {reason.kind: reason.change for reason in changes}
    documents, order = by_kind.get("documents"), by_kind.get("order", in_our_order)
    out = {}
    for topic, rows in rows_of.items():
        # The last row of a repeated document counts, as everywhere here.
        kept = dict(rows if documents is None else documents(topic, rows)).items()
        out[topic] = order(kept)[: by_kind.get("depth")] if kept else []
    return out


def measured(measure: Measure, changes: Iterable[Reason]) -> Measure | None:
    """Return the measure with changes of the kinds `OF_MEASURE`, or None if it has no such
    variant.
    """
    changed: Measure | None = measure
    for reason in sorted(
        (reason for reason in changes if reason.kind in OF_MEASURE),
        key=lambda reason: OF_MEASURE.index(reason.kind),
    ):
        changed = None if changed is None else reason.change(changed)
    return changed
