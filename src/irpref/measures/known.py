"""Coverage and novelty: how a result list relates to what the user already knew. 1 is best.

    coverage = |K and R and A| / |K and R|             novelty = |(R and A) - K| / |R and A|

R  relevant documents    A  retrieved documents    K  documents the user knew

R. Baeza-Yates and B. Ribeiro-Neto, Modern Information Retrieval, ch. 4 (user-oriented measures); R.
R. Korfhage, Information Storage and Retrieval, Wiley 1997.

K is a column of the qrels (`known`), true for documents that the user knew; see
`irpref.judgments`. Known documents that are not judged relevant do not matter.

The two reward opposite things: coverage rewards finding what the user knows, novelty finding what
the user does not know. Neither looks at ranks; with a cutoff k, both look at the first k documents.

Decided here: 0/0 is 0, for a user who knew no relevant document (coverage) as for a run that
retrieves none (novelty). The former depends on the topic, not on the run, and lowers the mean of
every run alike; the latter depends on the run. With undefined='nan' such topics have no value
(NaN), and means, intervals and `compare` use the other topics: a run can then gain in novelty by
finding nothing relevant in a topic. `pt.Experiment` computes means itself and shows NaN: use
perquery=True and pandas' mean, which leaves NaN out. Leaderboards and reports need the same topics
for all measures and raise an error.

By hand: relevant a b c d e, of which the user knew a b c; x is not relevant. The run is a x d e.

    coverage = |{a}| / |{a, b, c}| = 1/3          novelty = |{d, e}| / |{a, d, e}| = 2/3
    cut at 2: coverage 1/3, novelty 0 / 1 = 0

In a second topic the user knew only x: coverage is 0 / 0. The mean of both is (1/3 + 0) / 2 = 1/6,
and 1/3 with undefined='nan'. If the run had x alone there, novelty would be 0 / 0, too: the mean is
(2/3 + 0) / 2 = 1/3, and 2/3 with undefined='nan'.

When 1, when 0: coverage is 1 if all relevant documents that the user knew were retrieved, whatever
else was; novelty is 1 if every relevant document retrieved is new, even if it is only one. Each is
0 if there is no such document.

When to use them: together, and beside precision. Neither counts non-relevant documents, so that a
run of the whole collection has coverage 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.kernel import (
    MISSED,
    REST,
    Bools,
    Floats,
    Holes,
    Ints,
    JudgedRun,
    Terms,
    Topic,
    Unmoved,
    WeightedSum,
)
from irpref.measures.declare import CUTOFF, REL, KernelMeasure, Param, register


def coverage(
    run: JudgedRun, *, known: str, undefined: str, rel: float, cutoff: int | None
) -> Floats:
    """Compute coverage of each topic: shape (n_topics,), in [0, 1], higher is better.

    Returns
    -------
    array (n_topics,)
        0 or NaN if the user knew no relevant document.
    """
    view = run.at(cutoff)
    wanted, size = _known_relevant(run, known, rel)
    return view.hits.count(wanted[view.row]) / np.maximum(size, 1) + no_value(size, undefined)


def _known_relevant(run: JudgedRun, known: str, rel: float) -> tuple[Bools, Ints]:
    """Mark relevant documents that the user knew, (n_judged,), and count them, (n_topics,)."""
    wanted = run.pool.columns["known", known] & (run.pool.grade >= rel)
    return wanted, run.pool.judged.count(wanted)


def no_value(size: Ints, undefined: str) -> Floats:
    """Return the amount that 0/0 adds to 0, where the divisor `size` of a topic is 0: shape as
    `size`.
    """
    return np.where((size == 0) & (undefined == "nan"), np.nan, 0.0)


def coverage_terms(
    run: JudgedRun, *, known: str, undefined: str, rel: float, cutoff: int | None
) -> Terms:
    """Compute the share of each known relevant document that was retrieved: shape (n_judged,).

    1 / |K and R| of each that was retrieved; they add up to the value.
    """
    wanted, size = _known_relevant(run, known, rel)
    share = wanted / run.pool.judged.spread(np.maximum(size, 1))
    return Terms(
        np.where(run.at(cutoff).missed(), 0.0, share),
        rest=no_value(size, undefined),
        columns={"known": _of_relevant(run, known, rel)},
        counts=wanted,
        steps={"adds": "known / K"},
        numbers={"K": size},
    )


def _of_relevant(run: JudgedRun, known: str, rel: float) -> Floats:
    """Return 1 for relevant documents that the user knew, 0 for others, NaN for documents that are
    not relevant.
    """
    return np.where(run.pool.grade >= rel, run.pool.columns["known", known] * 1.0, np.nan)


def novelty(
    run: JudgedRun, *, known: str, undefined: str, rel: float, cutoff: int | None
) -> Floats:
    """Compute novelty of each topic: shape (n_topics,), in [0, 1], higher is better.

    A document that is not a row of the pool has no grade, so it is neither relevant nor new.

    Returns
    -------
    array (n_topics,)
        0 or NaN if nothing relevant was retrieved.
    """
    view = run.at(cutoff)
    new, size = _new(view, known, rel)
    return view.hits.count(new) / np.maximum(size, 1) + no_value(size, undefined)


def _new(view: JudgedRun, known: str, rel: float) -> tuple[Bools, Ints]:
    """Mark hits that are relevant and new, (n_hits,), and count the relevant ones, (n_topics,)."""
    relevant = view.grade >= rel
    return relevant & ~view.pool.columns["known", known][view.row], view.hits.count(relevant)


def novelty_terms(
    run: JudgedRun, *, known: str, undefined: str, rel: float, cutoff: int | None
) -> Terms:
    """Compute the share of each new relevant document that was retrieved: shape (n_judged,).

    1 / |R and A| of each; the known ones add nothing, and count in the divisor.
    """
    view = run.at(cutoff)
    new, size = _new(view, known, rel)
    share = new / view.hits.spread(np.maximum(size, 1))
    return Terms(
        view.on_pool(share, 0.0),
        rest=no_value(size, undefined),
        columns={"known": _of_relevant(run, known, rel)},
        steps={"adds": "(1 - known) / n"},
        numbers={"n": size},
        counts=~run.pool.columns["known", known] & (run.pool.grade >= rel),
    )


def _say(topic: Topic, wanted: Bools, words: str, other: str) -> None:
    relevant = topic.grade >= topic.arguments["rel"]
    topic.say(topic.inside & (topic.grade >= 0), "not relevant")
    topic.say(topic.inside & relevant, other)
    topic.say(topic.inside & relevant & wanted, words)
    topic.say((topic.kind == MISSED) & relevant & wanted, f"{words}, not retrieved")


def coverage_reasons(topic: Topic) -> None:
    """Say which relevant documents the user knew."""
    known = topic.columns["known"] > 0
    _say(topic, known, "relevant and known to the user", "relevant, but not known to the user")
    topic.say(topic.kind == REST, "the user knew no relevant document: there is no value")


def novelty_reasons(topic: Topic) -> None:
    """Say which relevant documents are new."""
    known = topic.columns["known"] > 0
    _say(topic, ~known, "relevant and new to the user", "relevant, but known to the user")
    topic.say(topic.kind == REST, "nothing relevant was retrieved: there is no value")


def coverage_over_ties(
    run: JudgedRun, *, known: str, undefined: str, rel: float, **_: Any
) -> WeightedSum:
    """Declare a number of documents within the cutoff."""
    wanted, size = _known_relevant(run, known, rel)
    return WeightedSum(wanted * 1.0, size, start=no_value(size, undefined))


def novelty_over_ties(run: JudgedRun, *, cutoff: int | None, **_: Any) -> Unmoved | None:
    """Declare that ties cannot move the value, unless a cutoff makes the number of relevant
    documents depend on the order.
    """
    return Unmoved() if cutoff is None else None


class _OfKnown(KernelMeasure):
    r"""The common part of Coverage and Novelty.

    Symbols
    -------
    K : documents that the user knew
    R : relevant documents
    A : retrieved documents

    Worked example
    --------------
    mir-textbook

    Source
    ------
    Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ch. 4 [baezayates1999mir]
    """

    HOLES = Holes(monotone=True)
    NEEDS = ("known",)
    VARIANTS = ({}, {"rel": 2, "cutoff": 7})
    SUPPORTED_PARAMS = {
        "known": Param(
            str,
            "column of the qrels, true for documents that the user knew",
            default="known",
            column=bool,
        ),
        "undefined": Param(
            str,
            "value of 0/0: 0, or NaN, which means leave the topic out",
            default="zero",
            choices=("zero", "nan"),
        ),
        "rel": REL,
        "cutoff": CUTOFF,
    }


class _Coverage(
    _OfKnown,
    kernel=coverage,
    terms=coverage_terms,
    reasons=coverage_reasons,
    over_ties=coverage_over_ties,
):
    r"""Share of the relevant documents known to the user that were retrieved.

    Name
    ----
    coverage ratio

    Question
    --------
    Does the system find what the user already knows to be relevant?

    Use
    ---
    You know which documents users already knew, and a system should find these, too.

    Pitfalls
    --------
    It needs a column of the documents that the user knew. A system that finds only known documents
    can reach 1. Topics in which the user knew nothing relevant count as 0 unless
    `undefined='nan'`.

    Formula
    -------
    \mathrm{coverage} = \frac{|K \cap R \cap A|}{|K \cap R|}

    Columns
    -------
    known : whether the user knew this relevant document
    K : relevant documents that the user knew
    """


class _Novelty(
    _OfKnown,
    kernel=novelty,
    terms=novelty_terms,
    reasons=novelty_reasons,
    over_ties=novelty_over_ties,
):
    r"""Share of the relevant documents retrieved that the user did not know.

    Name
    ----
    novelty ratio

    Question
    --------
    How much of what is found and relevant is new to the user?

    Use
    ---
    You know which documents users already knew, and a system should find others.

    Pitfalls
    --------
    It needs a column of the documents that the user knew. If nothing was known, the value is 1 as
    soon as anything relevant is found. With `undefined='nan'`, a run gains by finding nothing
    relevant in a topic.

    Formula
    -------
    \mathrm{novelty} = \frac{|(R \cap A) \setminus K|}{|R \cap A|}

    Columns
    -------
    known : whether the user knew this relevant document
    n : relevant documents retrieved
    """


Coverage = register(_Coverage())
Novelty = register(_Novelty())
