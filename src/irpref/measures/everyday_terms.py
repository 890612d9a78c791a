"""Contributions of documents to everyday measures of ir_measures, and all that lists and the
pages say about these measures.

The kernels are those of `everyday`. The summands here are declared as for measures of irpref, with
steps that a student can follow; a test compares their sum with the kernel. Question, formula,
columns and an example by hand of each measure are in `everyday.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.kernel import Floats, Gains, Ints, JudgedRun, Parts, Sum, Terms, Topic, Working
from irpref.measures.declare import KernelMeasure
from irpref.measures.docstring import Prose, prose
from irpref.measures.everyday import hosted, ideal_dcg, level_gain, log2
from irpref.measures.rank_biased import DEEPEST, HIGHEST, comes, stops, weight_of_first
from irpref.measures.toml_files import data

# Parts of the sums -------------------------------------------------------------------------------


def _placed(
    view: JudgedRun, judged_only: bool, **columns: Floats | Ints
) -> Mapping[str, Floats | Ints]:
    """Return the columns of documents; with `judged_only` their rank among judged ones first."""
    return {"place": view.rank, **columns} if judged_only else columns


def _rank(judged_only: bool) -> str:
    """Name the rank of a document in the list that counts, as the steps do."""
    return "place" if judged_only else "rank"


def _shares(
    view: JudgedRun, size: Any, step: str, judged_only: bool = False, **numbers: Floats | Ints
) -> Parts:
    """Give each of these documents 1, over a number of the topic."""
    ones = np.ones(view.rank.size)
    own = _placed(view, judged_only, relevant=ones)
    return Parts(view, ones, size, lambda: Working({"adds": step}, numbers, own))


def ap_parts(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int | None) -> Parts:
    """Give each relevant document its precision, over all relevant ones."""
    view = run.view(cutoff, judged_only).at_least(rel)
    size = run.pool.count_relevant(rel)
    precision = view.hits.ordinal / view.rank

    def working() -> Working:
        steps = {"precision": f"count / {_rank(judged_only)}", "adds": "precision / R"}
        own = _placed(view, judged_only, count=view.hits.ordinal, precision=precision)
        return Working(steps, {"R": size}, own)

    return Parts(view, precision, size, working)


def p_parts(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int) -> Parts:
    """Give each relevant document down to rank k the share 1 / k."""
    view = run.view(cutoff, judged_only).at_least(rel)
    return _shares(view, np.full(run.n_topics, cutoff), "relevant / cutoff", judged_only)


def r_parts(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int) -> Parts:
    """Give each relevant document down to rank k the share 1 / R."""
    size = run.pool.count_relevant(rel)
    view = run.view(cutoff, judged_only).at_least(rel)
    return _shares(view, size, "relevant / R", judged_only, R=size)


def r_precision_parts(run: JudgedRun, *, rel: float, judged_only: bool) -> Parts:
    """Give each relevant document down to rank R the share 1 / R."""
    size = run.pool.count_relevant(rel)
    relevant = run.view(None, judged_only).at_least(rel)
    view = relevant.select(relevant.rank <= relevant.hits.spread(size))
    return _shares(view, size, "relevant / R", judged_only, R=size)


def set_precision_parts(run: JudgedRun, *, rel: float, relative: bool, judged_only: bool) -> Parts:
    """Give each relevant document 1 / n; if relative, over the most that there could be."""
    view, size = run.view(None, judged_only), run.pool.count_relevant(rel)
    n = view.n_retrieved
    if not relative:
        return _shares(view.at_least(rel), n, "relevant / n", n=n)
    step = "relevant / min(n, R)"
    return _shares(view.at_least(rel), np.minimum(n, size), step, n=n, R=size)


def set_recall_parts(run: JudgedRun, *, rel: float) -> Parts:
    """Give each relevant document retrieved the share 1 / R."""
    size = run.pool.count_relevant(rel)
    return _shares(run.at_least(rel), size, "relevant / R", R=size)


def _first(
    run: JudgedRun, rel: float, judged_only: bool, cutoff: int | None
) -> tuple[JudgedRun, Floats]:
    """Return relevant documents, and 1 for the first of each topic, else 0."""
    view = run.view(cutoff, judged_only).at_least(rel)
    return view, (view.hits.position == 0) * 1.0


def rr_parts(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int | None) -> Parts:
    """Give the first relevant document 1 / rank."""
    view, first = _first(run, rel, judged_only, cutoff)
    own = _placed(view, judged_only, first=first)
    step = f"first / {_rank(judged_only)}"
    return Parts(
        view, first / view.rank, np.ones(run.n_topics), lambda: Working({"adds": step}, {}, own)
    )


def success_parts(run: JudgedRun, *, rel: float, judged_only: bool, cutoff: int) -> Parts:
    """Give the first relevant document down to rank k the whole value."""
    view, first = _first(run, rel, judged_only, cutoff)
    own = _placed(view, judged_only, first=first)
    return Parts(view, first, np.ones(run.n_topics), lambda: Working({"adds": "first"}, {}, own))


def judged_parts(run: JudgedRun, *, cutoff: int | None) -> Parts:
    """Give each judged document 1 / n, of the n down to rank k."""
    view = run.at(cutoff)
    n, counted = view.n_retrieved, view.at_least(0)
    ones = np.ones(counted.rank.size)
    return Parts(
        counted,
        ones,
        n,
        lambda: Working({"adds": "counted / n"}, {"n": n}, {"counted": ones}),
        counts=lambda: run.pool.grade >= 0,
    )


def rbp_parts(run: JudgedRun, *, p: float, rel: float, cutoff: int | None) -> Parts:
    """Give each relevant document the weight of its rank."""
    view = run.at(DEEPEST if cutoff is None else cutoff).at_least(rel)
    weight = weight_of_first(p, cutoff) * p ** (view.rank - 1.0)
    step = "(1 - p) * p ** (rank - 1)"
    if cutoff is None and p == 1:
        step = f"1 / {DEEPEST}"
    elif cutoff is None and p**DEEPEST > 1e-12:  # else the sum of all weights is 1 to 12 digits
        step = f"(1 - p) / (1 - p ** {DEEPEST}) * p ** (rank - 1)"
    steps = {"weight": step, "adds": "weight"}
    return Parts(
        view, weight, np.ones(run.n_topics), lambda: Working(steps, {}, {"weight": weight})
    )


def ndcg_parts(
    run: JudgedRun, *, dcg: str, gains: Gains, judged_only: bool, cutoff: int | None
) -> Parts:
    """Give each document its discounted gain, over the ideal list's."""
    exponential = dcg == "exp-log2"
    gain = level_gain(run.pool, gains, exponential)
    view = run.view(cutoff, judged_only).of_levels(gain > 0)
    discount, ideal = log2(view.rank + 1), ideal_dcg(run.pool, gains, exponential, cutoff)

    def working() -> Working:
        first = {"gain": "max(0, 2 ** grade - 1)"} if exponential else {}
        steps = {"discount": f"log2({_rank(judged_only)} + 1)", "adds": "gain / discount / ideal"}
        own = _placed(view, judged_only, discount=discount)
        return Working({**first, **steps}, {"ideal": ideal}, own)

    return Parts(
        view,
        gain.take(view.level) / discount,
        ideal,
        working,
        gain=lambda: gain.take(run.pool.level),
    )


def err_parts(run: JudgedRun, *, cutoff: int | None) -> Parts:
    """Give each document the probability that a user stops at it, over its rank."""
    view = run.at(cutoff).of_levels(run.pool.level_grade > 0)
    here = stops(view)
    reached = comes(view, here)
    steps = {"stops": f"(2 ** grade - 1) / {2**HIGHEST}", "adds": "stops * comes / rank"}
    own = {"stops": here, "comes": reached}
    return Parts(
        view, here * reached / view.rank, np.ones(run.n_topics), lambda: Working(steps, {}, own)
    )


# Reasons in words --------------------------------------------------------------------------------


def _relevant(topic: Topic) -> None:
    """Say which documents are relevant."""
    topic.say(topic.relevant_retrieved(), "relevant and retrieved")


def _precision(topic: Topic) -> None:
    """Say how many documents are relevant down to each relevant one."""
    count = topic.columns["count"]
    topic.say(
        topic.relevant_retrieved(),
        lambda i: f"relevant: {count[i]:g} of the first {topic.place[i]}",
    )


def _down_to_size(topic: Topic) -> None:
    """Say which relevant documents are below rank R."""
    relevant, there = topic.relevant_retrieved(), ~np.isnan(topic.columns["relevant"])
    size = int((topic.pool_grade >= topic.arguments["rel"]).sum())
    topic.say(relevant & there, f"relevant, down to rank R = {size}")
    topic.say(relevant & ~there, f"below rank R = {size}: not counted")


def _first_relevant(topic: Topic) -> None:
    """Say which relevant document is the first."""
    topic.say_first("the value is 1 / its rank")


def _any_relevant(topic: Topic) -> None:
    """Say which relevant document is the first."""
    topic.say_first("the value is 1")


def _judged(topic: Topic) -> None:
    """Say which documents were judged."""
    topic.say(topic.inside & (topic.grade >= 0), "judged")


def _weighted(topic: Topic) -> None:
    """Say which documents are relevant, and have the weight of their rank."""
    relevant, there = topic.relevant_retrieved(), ~np.isnan(topic.columns["weight"])
    topic.say(relevant, lambda i: f"relevant: the weight of rank {topic.place[i]}")
    topic.say(relevant & ~there, f"below rank {DEEPEST}: not counted")


def _discounted(topic: Topic) -> None:
    """Say by how much the gain of each document is divided."""
    gain = topic.columns["gain"]
    by = np.log2(np.maximum(topic.place, 1) + 1.0)

    def words(i: int) -> str:
        how = f" divided by {by[i]:.4g} at rank {topic.place[i]}"
        return f"gain {gain[i]:g}{how if by[i] > 1 else ', not discounted'}"

    topic.say(topic.relevant_retrieved("no gain"), words)


def _stopping(topic: Topic) -> None:
    """Say how many of the users who get to a document stop there."""
    here = topic.columns["stops"]
    topic.say(
        topic.relevant_retrieved(),
        lambda i: f"relevant: stops {100 * here[i]:.3g} % of the users who get here",
    )


# Which measures ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Everyday:
    """Record of an everyday measure, under the names of a measure of irpref.

    Attributes
    ----------
    name : str
        In ir_measures, and in `everyday.toml`.
    terms, reasons : callable
        As a `KernelMeasure` has them.
    kernel : callable
        The kernel of `everyday.HOSTED`.
    """

    name: str
    kernel: Callable[..., Floats]
    terms: Callable[..., Terms]
    reasons: Callable[[Topic], None]
    NEGATIVE_GRADES: bool = False
    CUTOFF_ENDS_LIST: bool = True
    TIES_BY_RISING_ID: bool = False
    NEEDS: tuple[str, ...] = ()
    higher_is_better: bool = True


_PARTS: dict[str, tuple[Callable[..., Parts], Callable[[Topic], None]]] = {
    "AP": (ap_parts, _precision),
    "nDCG": (ndcg_parts, _discounted),
    "P": (p_parts, _relevant),
    "R": (r_parts, _relevant),
    "RR": (rr_parts, _first_relevant),
    "Rprec": (r_precision_parts, _down_to_size),
    "RBP": (rbp_parts, _weighted),
    "Success": (success_parts, _any_relevant),
    "Judged": (judged_parts, _judged),
    "SetP": (set_precision_parts, _relevant),
    "SetR": (set_recall_parts, _relevant),
    "ERR": (err_parts, _stopping),
}


def everyday(measure: Any) -> Everyday | None:
    """Return the record of an everyday measure; None if it is computed elsewhere or is not a sum
    over documents.
    """
    own, parts = hosted(measure), _PARTS.get(str(measure.NAME))
    if own is None or parts is None:
        return None
    return Everyday(str(measure.NAME), own.kernel, Sum(parts[0]).terms, parts[1])


def described(name: str) -> Mapping[str, Any] | None:
    """Look a measure of ir_measures up in `everyday.toml`, by name; None if it is not there."""
    said: Mapping[str, Any] | None = data("everyday.toml").get(name)
    return said


def prose_of(measure: Any) -> Prose:
    """Return the description of a measure: from its docstring, or from `everyday.toml`."""
    said = None if isinstance(measure, KernelMeasure) else described(str(measure.NAME))
    if said is None:
        return prose(measure)
    texts = {name: said[name] for name in ("question", "use", "pitfalls", "range", "formula")}
    lists = {name: said[name] for name in ("symbols", "columns")}
    return Prose(name=said["title"], source=said["source"], **texts, **lists)


def by_hand(example: Mapping[str, Any]) -> str:
    """Write an example of `everyday.toml` in a few sentences."""
    grades = ", ".join(f"{doc} {grade}" for doc, grade in example["grades"].items())
    return f"grades {grades}, ranking {' '.join(example['ranking'])}. {example['hand']}"
