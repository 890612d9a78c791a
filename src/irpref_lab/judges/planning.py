"""Draw a plan: which documents a human should judge, in which order.

Decided here:

- the sizes of several measures are averaged, each scaled to a mean of 1;
- random numbers are drawn for the documents in ascending order of topic and document, including
  those judged before, so that a plan depends on nothing but its inputs and the seed;
- a negative grade of the judge is no grade;
- topics are those of the judge and of the human judgments. A topic in which the runs weight no
  document differently has no line in the plan, and a difference of 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irpref.errors import ArgumentError, EmptyJudgmentsError, RunError
from irpref.judged import QrelsLike, Runs, as_judgments
from irpref.kernel import Bools, Floats
from irpref.measures.declare import Measures
from irpref_lab.calls import by_line
from irpref_lab.judges.additive import Additive, additive
from irpref_lab.judges.grades import IDS, grades_frame, hash_of_grades, human_rows, no_grades
from irpref_lab.judges.partners import partners
from irpref_lab.judges.plans import COLUMNS, Plan, checksum
from irpref_lab.judges.priority_sampling import probabilities, repeated, sizes, united, whole
from irpref_lab.judges.rank_weights import rank_weights
from irpref_lab.messages import not_accepted
from irpref_lab.trust.samples import Rng


@by_line()
def sample(
    measures: Measures,
    qrels: QrelsLike | None,
    judge: QrelsLike | None,
    runs: Runs,
    n: int = 100,
    *,
    looks: int | Sequence[int] = 1,
    rng: Rng | None = None,
) -> Plan:
    """Plan which documents a human should judge until it is known which run is better.

    Parameters
    ----------
    measures : P@k, CG@k, DCG@k, RBP(rel=...)@k, or several
    qrels : any form of qrels, or None
        Human judgments so far, an earlier sample's included; they may be empty. Their
        documents are not drawn.
    judge : any form of qrels, or None
        The judge's grades on any scale. Without a judge you need more documents.
    runs : mapping of name to run, or list of paths
        At least two. A list of runs under one name is one system.
    n : int
        Documents to judge now. You can go on later: the plan holds all documents.
    looks : int or sequence of int
        After how many documents you look at the result, or how many times, evenly up to `n`. Looks
        share the level, and only at looks there is a verdict.
    rng : seed or numpy Generator, optional
        None draws a fresh seed. A plan over judgments that came from an earlier plan needs another
        seed than that plan.

    Returns
    -------
    Plan
        A row for each document that the runs weight differently, in the order in which to judge
        them: `order` (0: judged before), `query_id`, `doc_id`, `size` (how much it can move the
        differences), `priority`, `probability` (of the first `n` to be among them; NaN below).
        Two documents of a topic that favour different runs are drawn together, with the same
        priority; where `n` ends between them, the first one counts as soon as the second is judged,
        and has the probability of then. `attrs` has the seed, the looks, and further facts that
        `sampled` checks.

    Raises
    ------
    ValueError
        A measure that is no such sum; fewer than two runs; runs that do not differ; neither qrels
        nor a judge; `n` or `looks` that are not accepted; the seed of the plan that `qrels` came
        from.

    Examples
    --------
    >>> judge = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1, "b": 0}}
    >>> first = {"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"a": 2, "b": 1}}
    >>> second = {"q1": {"c": 3, "a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}
    >>> plan = sample("P@1", None, judge, {"first": first, "second": second}, n=1, rng=7)
    >>> plan[["order", "query_id", "doc_id", "size"]].values.tolist()
    [[1, 'q1', 'a', 1.0], [2, 'q1', 'c', 1.0]]
    """
    chosen = additive(measures)
    n = _count("n", n)
    looked = _looks(looks, n)
    seed = _seed(rng)
    judged_by = no_grades() if judge is None else grades_frame(as_judgments(judge))
    human = _humans(qrels)
    if not len(judged_by) and not len(human):
        raise EmptyJudgmentsError(
            "sample needs topics: those of human judgments, of a judge, or of both"
        )
    topics = {*judged_by["query_id"], *human["query_id"]}
    documents, of_measure = _weighted_differently(chosen, runs, sorted(topics))
    partner = partners(of_measure, pd.factorize(documents["query_id"])[0])
    alone = sizes(of_measure)
    size, uniform = united(alone, 1 - np.random.default_rng(seed).random(alone.size), partner)
    before = _among(documents, human)
    if rng is not None:
        _check_seed(seed, qrels, repeated(size, uniform, before))
    # A document whose partner was judged before is drawn alone, with its own size.
    partner = np.where(before | before[partner], np.arange(alone.size), partner)
    out = Plan(_in_order(documents, *united(alone, uniform, partner), before, n))
    n_drawn = len(out) - int(before.sum())
    out.attrs = {
        "seed": seed,
        "looks": sorted({min(look, n_drawn) for look in looked}) or [0],
        "judge": hash_of_grades(judged_by),
        "judge_rows": len(judged_by),
        "rows": len(out),
        "topics": sorted(topics - set(out["query_id"])),
        "measures": [str(one.measure) for one in chosen],
        "checksum": checksum(out),
    }
    return out


# Arguments ----------------------------------------------------------------------------------------


def _count(name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise not_accepted(name, value, "a whole number of at least 1")
    return int(value)


def _looks(looks: Any, n: int) -> list[int]:
    """List the numbers of documents after which there is a look."""
    if isinstance(looks, Iterable) and not isinstance(looks, (str, bytes)):
        numbers = [_count("looks", look) for look in looks]
        if not numbers or numbers != sorted(set(numbers)):
            raise not_accepted(
                "looks", numbers, "rising numbers of documents such as [50, 100, 200]"
            )
        return numbers
    number = _count("looks", looks)
    return sorted({max(1, round(n * (i + 1) / number)) for i in range(number)})


def _seed(rng: Rng | None) -> int:
    """Return a seed that can be written down."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**53))
    if rng is None:
        return int(np.random.default_rng().integers(2**53))
    if not isinstance(rng, (int, np.integer)) or isinstance(rng, bool) or rng < 0:
        raise not_accepted("rng", rng, "a seed such as 7 or a numpy Generator")
    return int(rng)


def _check_seed(seed: int, qrels: Any, looks_repeated: bool) -> None:
    """Refuse the seed of the plan that the judgments came from."""
    if looks_repeated or seed in getattr(qrels, "seeds", ()):
        raise ArgumentError(
            f"rng: the judgments came from a plan with the seed {seed}. Estimates from the "
            "same random numbers are biased: use another seed, or none",
            parameter="rng",
            value=seed,
        )


def _humans(qrels: QrelsLike | None) -> pd.DataFrame:
    """Select human grades: a judge's grades, and negative ones, are left out."""
    if qrels is None:
        return no_grades()
    if hasattr(qrels, "seeds"):  # an earlier sample, which has no values of runs
        return human_rows(as_judgments(qrels).frame())
    try:
        frame = human_rows(grades_frame(as_judgments(qrels)))
    except EmptyJudgmentsError:
        return no_grades()
    return frame[frame["relevance"] >= 0]


# Documents ----------------------------------------------------------------------------------------


def _weighted_differently(
    measures: Sequence[Additive], runs: Runs, topics: Sequence[str]
) -> tuple[pd.DataFrame, list[Floats]]:
    """Find the documents that the runs weight differently, and their weights by each measure:
    arrays (n_runs, n_documents).
    """
    weights = rank_weights(measures, runs, topics)
    if len(weights.runs) < 2:
        raise RunError(f"sample compares runs: it needs at least 2, got {len(weights.runs)}")
    differ = np.max([np.ptp(each, axis=0) > 0 for each in weights.of_measure], axis=0)
    if not differ.any():
        raise RunError(
            "the runs do not differ: "
            + ", ".join(str(one.measure) for one in measures)
            + " weight every document alike in all runs"
        )
    documents = weights.documents[differ].reset_index(drop=True)
    return documents, [each[:, differ] for each in weights.of_measure]


def _among(documents: pd.DataFrame, others: pd.DataFrame) -> Bools:
    """Mark documents that are among others: bool array (n_documents,)."""
    keys = pd.MultiIndex.from_frame(documents[IDS])
    return np.asarray(keys.isin(pd.MultiIndex.from_frame(others[IDS])))


def _in_order(
    documents: pd.DataFrame, size: Floats, uniform: Floats, before: Bools, n: int
) -> pd.DataFrame:
    """Order documents by priority, those judged before first, with the probability of each to be
    among the first `n` to judge.
    """
    plan = documents.assign(size=size, priority=np.where(before, np.inf, size / uniform))
    plan = plan.sort_values("priority", ascending=False, kind="stable", ignore_index=True)
    n_before = int(before.sum())
    plan.insert(0, "order", np.maximum(np.arange(1, size.size + 1) - n_before, 0))
    priority = plan["priority"].to_numpy()
    drawn_size = np.where(plan["order"] == 0, np.inf, plan["size"])
    n_counted = whole(priority, n_before + n)
    p = probabilities(drawn_size, priority, n_counted)
    if n_counted < n_before + n < p.size:  # `n` ends between partners: as if both were judged
        p[n_counted] = probabilities(drawn_size, priority, n_counted + 2)[n_counted]
    plan["probability"] = np.where(plan["order"] <= n, p, np.nan)
    return plan[COLUMNS]
