"""The everyday measures of ir_measures as kernels, so that they and ours share one alignment of the
run.

`irpref.accelerate()` puts a provider first in ir_measures' pipeline that computes

    AP  nDCG  P  R  RR  Rprec  Bpref  Success  Judged  NumQ  NumRet  NumRel  SetP  SetR  SetF  SetAP
    RBP  ERR

with their `rel`, `cutoff`, `judged_only`, `dcg`, `gains`, `beta` and `p`; `accelerate(False)` takes
it out again. Values are the host's, to the last bit of a double: both rank documents as
trec_eval does, and break ties by document id, descending. Whatever is not computed here
(`RR(judged_only=True)@10`, or a measure that is not listed) goes to the host as before.

Four measures have other values in the host, and inside it they stay the host's: it breaks ties by
ascending document id for `RR` with a cutoff and for `Judged@k`, and its `NumQ` and `NumRel` count
only the topics that the run answers. In irpref's own functions and commands, they use the order of
all other measures, and count all topics of the qrels, as `trec_eval -c` does.

Differences, all deliberate; each is pinned by a test:

- pytrec_eval keeps scores as 32-bit floats: scores that differ in the 8th digit are ties for it and
  are in the order of ids. Here scores are 64-bit floats, as in trec_eval;
  `irpref.run(run, float32=True)` gives a run pytrec_eval's order;
- means are added in the order of the topics' ids, whatever run and qrels are in. The host adds in
  the order of the run, so that a mean can have another last digit there; values of topics are
  equal;
- `nDCG(dcg='exp-log2')@k` and `ERR@k` come from a Perl script that prints 5 digits, refuses grades
  above 4 and takes numbers as topics only. Here they are not rounded and take all topics, and nDCG
  all grades;
- `RBP(rel=...)` comes from cwl_eval, which leaves tied documents in the order of the run's rows;
  here their order is as for the other measures. `RBP` with a cutoff and `ERR` without one have no
  provider in the host; the other numbers of cwl_eval (expected cost, ...) are left to it;
- the host counts `NumRet` after `judged_only` of another measure, and applies the `gains` of one
  nDCG to another, if they are asked for together (which one depends on the hash seed). Here each
  measure has its own parameters;
- a topic whose grades are all negative ends the Python process inside pytrec_eval. Here it has the
  value 0;
- pytrec_eval refuses fractional grades and numbers as ids; `irpref.evaluator` accepts them. Inside
  ir_measures and PyTerrier, fractional grades are refused even after `accelerate()`;
- a topic whose judgments are an empty dict counts as a topic here, but not there;
- NaN and infinite scores, and two judgments of one document that differ, are errors here, a run
  without a topic in common with the qrels and a repeated document a warning, as for all measures of
  this package.

Oddities of the host are kept: `SetF` takes as beta the number that the literature calls beta
squared; the mean of `NumRet` and similar counts is a sum.

Formulas: trec_eval 9.0.8, `m_*.c`; C. Burges et al., ICML 2005, doi:10.1145/1102351.1102363
(exp-log2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel import (
    Floats,
    Gains,
    Grades,
    Holes,
    Ints,
    JudgedRun,
    OneDocument,
    Unmoved,
    WeightedSum,
    ratio,
    shared,
)
from irpref.kernel.uncertain import NOTHING_KNOWN, OverTies, Weight, even, reciprocal
from irpref.measures.bpref import bpref
from irpref.measures.declare import KernelMeasure, is_ours
from irpref.measures.rank_biased import err, rbp, rbp_over_ties
from irpref.measures.support import check_parameters

__all__ = ["declaration", "supports"]

# Kernels: shape (n_topics,) -----------------------------------------------------------------------


def _hits(view: JudgedRun, rel: float) -> Ints:
    """Count relevant documents retrieved: shape (n_topics,)."""
    return view.at_least(rel).hits.lengths


def average_precision(
    run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int | None
) -> Floats:
    """Compute AP: precision at the relevant documents down to the cutoff, divided by all relevant
    ones.
    """
    relevant = run.view(cutoff, judged_only).at_least(rel)
    return ratio(
        relevant.hits.total(relevant.hits.ordinal / relevant.rank), run.pool.count_relevant(rel)
    )


def precision(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int) -> Floats:
    """Compute P@k: divided by k, however short the list."""
    return _hits(run.view(cutoff, judged_only), rel) / cutoff


def recall(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int) -> Floats:
    """Compute R@k."""
    return ratio(_hits(run.view(cutoff, judged_only), rel), run.pool.count_relevant(rel))


def r_precision(run: JudgedRun, *, rel: float, judged_only: bool) -> Floats:
    """Compute Rprec: precision at rank R."""
    relevant = run.view(None, judged_only).at_least(rel)
    size = run.pool.count_relevant(rel)
    return ratio(relevant.hits.count(relevant.rank <= relevant.hits.spread(size)), size)


def success(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int) -> Floats:
    """Compute Success@k: 1 if a relevant document is among the first k."""
    return (_hits(run.view(cutoff, judged_only), rel) > 0).astype(np.float64)


def reciprocal_rank(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int | None) -> Floats:
    """Compute RR: 1 / rank of the first relevant document; 0 if it is below the cutoff."""
    relevant = run.view(cutoff, judged_only).at_least(rel)
    return 1 / -relevant.hits.maximum(-relevant.rank.astype(np.float64), empty=-np.inf)


def judged(run: JudgedRun, *, cutoff: int | None) -> Floats:
    """Compute Judged@k: share of the first k documents (of all, if fewer) that are judged.
    Documents of a negative grade are not, here as everywhere.
    """
    seen = run.at(cutoff)
    return ratio(seen.hits.count(seen.grade >= 0), seen.n_retrieved)


def host_bpref(run: JudgedRun, *, rel: float) -> Floats:
    """Compute Bpref."""
    return bpref(run, norm="min", rel=rel, top="keep", unretrieved="zero", cutoff=None)


def set_precision(run: JudgedRun, *, rel: float, relative: bool, judged_only: bool) -> Floats:
    """Compute SetP; relative: of the best possible for a list of this length."""
    view = run.view(None, judged_only)
    size = (
        np.minimum(view.n_retrieved, run.pool.count_relevant(rel)) if relative else view.n_retrieved
    )
    return ratio(_hits(view, rel), size)


def set_recall(run: JudgedRun, *, rel: float) -> Floats:
    """Compute SetR."""
    return ratio(_hits(run, rel), run.pool.count_relevant(rel))


def set_f(run: JudgedRun, *, rel: float, beta: float, judged_only: bool) -> Floats:
    """Compute SetF, with trec_eval's beta: not squared."""
    view = run.view(None, judged_only)
    p = ratio(_hits(view, rel), view.n_retrieved)
    r = ratio(_hits(view, rel), run.pool.count_relevant(rel))
    return ratio((beta + 1.0) * p * r, beta * p + r)


def set_ap(run: JudgedRun, *, rel: float, judged_only: bool) -> Floats:
    """Compute SetAP: precision times recall."""
    view = run.view(None, judged_only)
    hits = _hits(view, rel).astype(np.float64)
    return ratio(hits * hits, view.n_retrieved * run.pool.count_relevant(rel).astype(np.float64))


def n_retrieved(run: JudgedRun, *, rel: float | None) -> Floats:
    """Compute NumRet; with `rel`, the relevant ones among them."""
    return (run.n_retrieved if rel is None else _hits(run, rel)).astype(np.float64)


def n_relevant(run: JudgedRun, *, rel: float) -> Floats:
    """Compute NumRel: of all topics of the qrels, as `trec_eval -c` counts them."""
    return run.pool.count_relevant(rel).astype(np.float64)


def n_topics(run: JudgedRun) -> Floats:
    """Compute NumQ: 1 for every topic of the qrels, as `trec_eval -c` counts them."""
    return np.ones(run.n_topics)


_log2_table: Floats = np.zeros(1)


def log2(numbers: Ints) -> Floats:
    """Compute logarithms of positive integers by the C library, as trec_eval has them: NumPy's can
    differ in the last bit.
    """
    global _log2_table
    top = int(numbers.max(initial=1))
    if top >= _log2_table.size:
        size = max(2 * _log2_table.size, top + 1, 1024)
        _log2_table = np.array([0.0, *map(math.log2, range(1, size))])
    return _log2_table.take(numbers)


def level_gain(pool: Grades, gains: Gains, exponential: bool) -> Floats:
    """Compute the gain of each level: shape (n_levels,), 0 for negative grades."""
    gain = np.maximum(pool.level_mapped(gains), 0.0)
    return np.exp2(gain) - 1 if exponential else gain


@shared
def ideal_dcg(pool: Grades, gains: Gains, exponential: bool, cutoff: int | None) -> Floats:
    """Compute DCG of the ideal list: shape (n_topics,)."""
    gain = level_gain(pool, gains, exponential)
    # By gain, not by grade: a dict of gains may put grades in any order.
    order = np.lexsort((-gain, pool.levels.topic))
    by_rank = np.repeat(gain[order], pool.level_size[order])
    rank = pool.judged.position + 1
    counts = by_rank > 0 if cutoff is None else (by_rank > 0) & (rank <= cutoff)
    return pool.judged.where(counts).total(by_rank[counts] / log2(rank[counts] + 1))


def ndcg(
    run: JudgedRun, *, dcg: str, gains: Gains, judged_only: bool, cutoff: int | None
) -> Floats:
    """Compute NDCG with the discount log2(rank + 1), and as gain the grade or 2^grade - 1."""
    exponential = dcg == "exp-log2"
    gain = level_gain(run.pool, gains, exponential)
    relevant = run.view(cutoff, judged_only).of_levels(gain > 0)
    return ratio(
        relevant.hits.total(gain.take(relevant.level) / log2(relevant.rank + 1)),
        ideal_dcg(run.pool, gains, exponential, cutoff),
    )


# Over the orders of tied documents ----------------------------------------------------------------


def _relevant(run: JudgedRun, rel: float) -> Floats:
    return (run.pool.grade >= rel) * 1.0


def ap_over_ties(run: JudgedRun, *, rel: float, **_: Any) -> WeightedSum:
    """Declare the number of relevant documents down to each one, over its rank."""
    relevant = _relevant(run, rel)
    return WeightedSum(relevant, run.pool.count_relevant(rel), reciprocal, relevant)


def precision_over_ties(run: JudgedRun, *, rel: float, cutoff: int, **_: Any) -> WeightedSum:
    """Declare a number of documents over k."""
    return WeightedSum(_relevant(run, rel), np.full(run.n_topics, cutoff))


def recall_over_ties(run: JudgedRun, *, rel: float, **_: Any) -> WeightedSum:
    """Declare a number of documents over R."""
    return WeightedSum(_relevant(run, rel), run.pool.count_relevant(rel))


def r_precision_over_ties(run: JudgedRun, *, rel: float, **_: Any) -> WeightedSum:
    """Declare the same as recall, with the cutoff R."""
    return replace(recall_over_ties(run, rel=rel), cutoff=run.pool.count_relevant(rel))


def first_over_ties(run: JudgedRun, weight: Weight, *, rel: float, **_: Any) -> OneDocument:
    """Declare that the first relevant document alone counts."""
    return OneDocument(_relevant(run, rel), weight)


def judged_over_ties(run: JudgedRun, *, cutoff: int | None) -> WeightedSum:
    """Declare a number of documents over the number of all within the cutoff."""
    size = run.n_retrieved if cutoff is None else np.minimum(run.n_retrieved, cutoff)
    return WeightedSum((run.pool.grade >= 0).astype(np.float64), size)


def ndcg_over_ties(
    run: JudgedRun, *, dcg: str, gains: Gains, cutoff: int | None, **_: Any
) -> WeightedSum:
    """Declare a gain divided by the discount of its rank."""
    arguments = run.pool, gains, dcg == "exp-log2"
    gain = level_gain(*arguments)[run.pool.level]
    return WeightedSum(gain, ideal_dcg(*arguments, cutoff), lambda rank, _: 1 / np.log2(rank + 1))


def unmoved(run: JudgedRun, **_: Any) -> Unmoved:
    """Declare a measure of the retrieved set."""
    return Unmoved()


# Which measures -----------------------------------------------------------------------------------


def _is_ndcg(measure: Measure) -> bool:
    gains = measure.params.get("gains")
    if measure["dcg"] == "exp-log2":
        return "cutoff" in measure.params and gains is None and not measure["judged_only"]
    # A negative gain would mean "unjudged" to the host, and a gain for a negative grade a judgment.
    return all(grade >= 0 and gain >= 0 for grade, gain in (gains or {}).items())


@dataclass(frozen=True, slots=True)
class Hosted:
    """How a measure of the host is computed here.

    Attributes
    ----------
    kernel : (run: JudgedRun, **parameters) -> float array (n_topics,)
        Takes the measure's parameters under their names.
    fits : (measure) -> bool
        Whether the host gives this value for these parameters, so that we may.
    over_ties, HOLES
        Effects of ties and unjudged documents, see `KernelMeasure`.
    """

    kernel: Callable[..., Floats]
    fits: Callable[[Any], bool] = lambda measure: True
    over_ties: OverTies | None = None
    HOLES: Holes = NOTHING_KNOWN


_BINARY = Holes(binary=True)
_MONOTONE = Holes(monotone=True)
_OF_FIRST = Holes(monotone=True, first_only=True)
_OF_SHARES = Holes(monotone=True, monotone_difference=True)

HOSTED: dict[str, Hosted] = {
    "AP": Hosted(average_precision, over_ties=ap_over_ties, HOLES=_BINARY),
    "nDCG": Hosted(ndcg, fits=_is_ndcg, over_ties=ndcg_over_ties),
    "P": Hosted(precision, over_ties=precision_over_ties, HOLES=_OF_SHARES),
    "R": Hosted(recall, over_ties=recall_over_ties, HOLES=_OF_SHARES),
    "RR": Hosted(
        reciprocal_rank,
        fits=lambda m: "cutoff" not in m.params or not m["judged_only"],
        over_ties=partial(first_over_ties, weight=reciprocal),
        HOLES=_OF_FIRST,
    ),
    "Rprec": Hosted(r_precision, over_ties=r_precision_over_ties, HOLES=_BINARY),
    "Bpref": Hosted(host_bpref, HOLES=_BINARY),
    "Success": Hosted(success, over_ties=partial(first_over_ties, weight=even), HOLES=_OF_FIRST),
    "Judged": Hosted(judged, over_ties=judged_over_ties, HOLES=_MONOTONE),
    "NumQ": Hosted(n_topics, over_ties=unmoved, HOLES=_MONOTONE),
    "NumRet": Hosted(n_retrieved, over_ties=unmoved, HOLES=_OF_SHARES),
    "NumRel": Hosted(n_relevant, fits=lambda m: m["rel"] == 1, over_ties=unmoved, HOLES=_MONOTONE),
    "SetP": Hosted(set_precision, over_ties=unmoved, HOLES=_MONOTONE),
    "SetR": Hosted(set_recall, over_ties=unmoved, HOLES=_OF_SHARES),
    "SetF": Hosted(set_f, fits=lambda m: m["beta"] >= 0, over_ties=unmoved, HOLES=_MONOTONE),
    "SetAP": Hosted(set_ap, over_ties=unmoved, HOLES=_MONOTONE),
    "RBP": Hosted(rbp, fits=lambda m: "rel" in m.params, over_ties=rbp_over_ties, HOLES=_MONOTONE),
    # A document adds more at its own rank than it takes away below.
    "ERR": Hosted(err, HOLES=_MONOTONE),
}


def hosted(measure: Measure) -> Hosted | None:
    """Find how we compute this measure of the host; None if the host is to do it."""
    own = HOSTED.get(str(measure.NAME))
    if own is None or type(measure).__module__.partition(".")[0] != "ir_measures":
        return None
    check_parameters(measure)
    cutoff, rel = measure.params.get("cutoff", 1), measure.params.get("rel", 1)
    return own if cutoff >= 1 and rel > 0 and own.fits(measure) else None


def with_rel(measure: Measure) -> str:
    """Word which measure is computed here in place of one that needs a threshold of relevance for
    it; empty if that is not what it lacks.
    """
    if "rel" not in measure.SUPPORTED_PARAMS or "rel" in measure.params or hosted(measure):
        return ""
    binary: Measure = measure(rel=1)
    words = f"{binary}, with the grade from which a document is relevant"
    return words if hosted(binary) else ""


def declaration(measure: Any) -> KernelMeasure | Hosted | None:
    """Return the declaration of a measure: its kernel, and the effects of ties and holes."""
    return measure if isinstance(measure, KernelMeasure) else hosted(measure)


def as_in_host(measure: Measure) -> bool:
    """Test whether our value of a measure of the host is the host's, whatever the run.

    Its providers of `RR@k` and `Judged@k` break ties by rising document id, its `Judged` counts
    documents of negative grade, and its `NumQ` and `NumRel` leave out the topics that the run does
    not answer.
    """
    name, ends = str(measure.NAME), "cutoff" in measure.params
    return name not in ("NumQ", "NumRel", "Judged") and not (ends and name == "RR")


def has_kernel(measure: Measure) -> bool:
    """Test whether the measure is computed by a kernel: as `supports`, or one of ours that is not
    registered.
    """
    return isinstance(measure, KernelMeasure) or supports(measure)


def supports(measure: Measure) -> bool:
    """Test whether this module computes the measure: one of ours, or one of the host's that gives
    the host's value.

    Raises
    ------
    ValueError
        A parameter is missing or wrong.
    """
    if isinstance(measure, KernelMeasure):
        return is_ours(measure)
    return hosted(measure) is not None
