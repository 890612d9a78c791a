"""`irpref_lab.sampled`: the judgments of a sample, in place of full judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import JudgmentsError, Remedy
from irpref.judged import QrelsLike, as_judgments
from irpref.kernel import Floats
from irpref_lab.calls import by_line
from irpref_lab.decide.in_place import InPlaceOfJudgments
from irpref_lab.judges.grades import IDS, grades_frame, hash_of_grades, human_rows, no_grades
from irpref_lab.judges.plans import DECISION, UNJUDGEABLE, Plan, read_plan
from irpref_lab.judges.sampled_judgments import SampledJudgments
from irpref_lab.judges.sampled_runs import SampledRuns

if TYPE_CHECKING:
    from irpref_lab.decide.questions import Basis


class Sampled(SampledJudgments, InPlaceOfJudgments):
    """Judgments of a sample that verdicts take in place of full ones: the result of `sampled`."""

    def basis(
        self, measures: Sequence[Measure], runs: Mapping[str, Any], leaves_out: str | None = None
    ) -> Basis:
        """Return runs on this sample, as verdicts ask about them."""
        return SampledRuns(self, measures, runs)


@by_line()
def sampled(qrels: QrelsLike, judge: QrelsLike | None, plan: Any) -> Sampled:
    """Make judgments for `compare`, `gate` and `leaderboard`: humans judged the first documents of
    a plan.

    Parameters
    ----------
    qrels : any form of qrels
        Human judgments. Down to the plan's first document without one they count; all others are
        not used.
    judge : any form of qrels, or None
        The grades with which the plan was drawn.
    plan : result of `sample`, or the path of a file
        A document that cannot be judged has grade 0 if the plan says so: a column `decision` with
        `unjudgeable`, in a file as a further column of its line.

    Returns
    -------
    Sampled
        `text` says how many documents are judged.

    Raises
    ------
    ValueError
        A plan that was cut or changed, or drawn with other grades of the judge; a document judged
        before the plan has no grade; no document of the plan is judged.

    Examples
    --------
    >>> judge = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1, "b": 0}}
    >>> runs = {"first": {"q1": {"a": 3, "b": 2, "c": 1}}, "second": {"q1": {"c": 3, "a": 2}}}
    >>> from irpref_lab import sample
    >>> plan = sample("P@1", None, judge, runs, n=2, rng=7)
    >>> print(sampled({"q1": {"a": 1, "c": 1}}, judge, plan).text)
    judged 2 of 2 documents of the plan
    """
    plan = read_plan(plan)
    of_judge = no_grades() if judge is None else grades_frame(as_judgments(judge))
    _check_judge(of_judge, plan)
    human = human_rows(grades_frame(as_judgments(qrels)))
    human = human[human["relevance"] >= 0]
    keys = pd.MultiIndex.from_frame(plan[IDS])
    by_humans = _grades(human, keys)
    grade = _with_decisions(by_humans, plan, keys)
    end = _first_missing(grade, plan, keys)
    n_unused = len(human) - int(np.count_nonzero(~np.isnan(by_humans[:end])))
    judge_grades = of_judge[of_judge["relevance"] >= 0]
    return Sampled(plan, grade[:end], _grades(judge_grades, keys), n_unused)


def _check_judge(of_judge: pd.DataFrame, plan: Plan) -> None:
    """Refuse other grades of the judge than those that the plan was drawn with."""
    if hash_of_grades(of_judge) == plan.attrs["judge"]:
        return
    number = plan.attrs["judge_rows"]
    if not len(of_judge):
        raise JudgmentsError(
            f"the plan was drawn with {number:,} grades of a judge, and none are given",
            remedy=Remedy("judge", effect="gives them"),
            parameter="judge",
        )
    raise JudgmentsError(
        "the plan was drawn with other grades of the judge"
        + (f" ({number:,}, not {len(of_judge):,})" if number != len(of_judge) else ""),
        parameter="judge",
    )


def _with_decisions(grade: Floats, plan: Plan, keys: pd.MultiIndex) -> Floats:
    """Set grade 0 where the plan says that a document cannot be judged: shape (n_documents,)."""
    if DECISION not in plan:
        return grade
    decided = (plan[DECISION] == UNJUDGEABLE).to_numpy(bool)
    both = decided & ~np.isnan(grade)
    if both.any():
        query_id, doc_id = keys[int(np.argmax(both))]
        raise JudgmentsError(
            f"document {doc_id!r} of topic {query_id!r} has a human grade, and the plan says "
            "that it cannot be judged",
            topic=query_id,
            doc=doc_id,
        )
    return np.where(decided, 0.0, grade)


def _first_missing(grade: Floats, plan: Plan, keys: pd.MultiIndex) -> int:
    """Find the first document of the plan without a grade; the number of documents if all have one.

    Raises
    ------
    JudgmentsError
        It was judged before the plan was drawn, or it is the first one to judge.
    """
    missing = np.isnan(grade)
    if not missing.any():
        return len(plan)
    end = int(np.argmax(missing))
    query_id, doc_id = keys[end]
    n_certain = int((plan["order"] == 0).sum())
    if end < n_certain:
        raise JudgmentsError(
            f"document {doc_id!r} of topic {query_id!r} was judged before the plan was drawn, and "
            "has no human grade here",
            topic=query_id,
            doc=doc_id,
        )
    if end == n_certain:
        raise JudgmentsError(
            f"the first document of the plan, {doc_id!r} in topic {query_id!r}, has no human "
            "grade: nothing is judged yet",
            topic=query_id,
            doc=doc_id,
        )
    return end


def _grades(frame: pd.DataFrame, keys: pd.MultiIndex) -> Floats:
    """Look up the grades of documents, NaN if they have none: shape (n_documents,)."""
    grades = pd.Series(
        frame["relevance"].to_numpy(np.float64), index=pd.MultiIndex.from_frame(frame[IDS])
    )
    of_documents: Floats = grades.reindex(keys).to_numpy(np.float64)
    return of_documents
