"""Human grades of a plan's first documents, a judge's for the rest, and the values estimated from
them.

Differences between runs are estimated without bias, whatever the judge is worth; values of single
runs are not, since a document that all runs rank alike was never drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irpref.errors import AbsentRunError, ArgumentError, JudgmentsError
from irpref.judged import Judgments, Pool, Runs, as_judgments, as_table, hash_of_pool
from irpref.kernel import Bools, Floats, Ints
from irpref.measures.declare import Measures
from irpref.values import TopicValues
from irpref_lab.judges.additive import Additive, additive
from irpref_lab.judges.grades import IDS
from irpref_lab.judges.looks import level_of_looks, variances_at
from irpref_lab.judges.plans import Plan, hash_of_plan, looks_in_words
from irpref_lab.judges.priority_sampling import (
    Estimate,
    estimated,
    half_widths,
    levels,
    whole,
)
from irpref_lab.judges.rank_weights import rank_weights


class SampledJudgments(Judgments):
    """Judgments of a sample of documents.

    As judgments they hold the human grades of the sample. An evaluator refuses them, since the
    value of a single run is not known.

    Attributes
    ----------
    plan : Plan
    human_grade : float array (n_certain + n_judged,)
        In the order of the plan; 0 by decision if a document cannot be judged.
    n_judged : int
        Documents that humans judged, down to the first one of the plan that they did not. The last
        one does not count before the next, if these two are drawn together.
    n_drawn : int
        Documents of the plan, without those judged before.
    n_unused : int
        Human grades that are not used: of documents outside of the plan, or below the first one
        without a grade.
    looks : tuple of int
        Numbers of judged documents at which there is a verdict.
    """

    def __init__(self, plan: Plan, grade: Floats, judge: Floats, n_unused: int) -> None:
        seen = pd.DataFrame(plan[IDS]).iloc[: grade.size]
        seen = seen.assign(relevance=grade, source="human", judge=judge[: grade.size])
        super().__init__(as_table(seen, "relevance", None))
        self.plan = plan
        self.human_grade = grade
        self._level = levels(judge)
        self._topic = np.searchsorted(
            np.array(self.topic_ids, object), plan["query_id"].to_numpy(object)
        )
        order = plan["order"].to_numpy()
        self._certain = int((order == 0).sum())
        self.n_judged = grade.size - self._certain
        self.n_drawn = order.size - self._certain
        self.n_unused = n_unused
        self.looks = tuple(int(look) for look in plan.attrs["looks"])

    @cached_property
    def topic_ids(self) -> list[str]:
        """Topics of the plan, those without a difference included, in ascending order."""
        return sorted({*self.plan["query_id"], *self.plan.attrs["topics"]})

    def pool(self, columns: Iterable[str] = (), preferences: bool | None = False) -> Pool:
        """Refuse runs: none can be judged against a sample."""
        raise self.refusal()

    def only(self, topics: Iterable[str]) -> Judgments:
        """Refuse topics: they are fixed by the plan. Use `groups` of `irpref_lab.compare`."""
        raise JudgmentsError("the topics of a sample are those of its plan")

    def with_column(self, name: str, values: Any) -> Judgments:
        """Refuse columns: with one, these would be judgments of another kind."""
        raise self.refusal()

    def __iter__(self) -> Iterator[Any]:
        """Raise as `pool`."""
        raise self.refusal()

    @staticmethod
    def refusal() -> JudgmentsError:
        """Return the error for whoever needs the values of single runs."""
        return JudgmentsError(
            "judgments of a sample tell the differences of runs, not the value of one: they are "
            "for irpref_lab.compare, gate and leaderboard"
        )

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds that a new plan over these judgments must not have."""
        return (int(self.plan.attrs["seed"]),)

    @property
    def at_look(self) -> bool:
        """Whether the plan has a look here; where every document is judged, nothing is left to
        chance.
        """
        priority = self.plan["priority"].to_numpy()
        numbers = (self.n_judged, self.n_drawn, *self.looks)
        here, *others = (whole(priority, self._certain + number) for number in numbers)
        return here in others

    @property
    def hash(self) -> str:
        """Hash of the plan and of the grades that are used."""
        pool = as_judgments(self.frame()).pool()
        return f"{hash_of_plan(self.plan)}{hash_of_pool(pool)}"

    def share(self, level: float, judged: bool = False) -> float:
        """Compute the level of each look, so that all looks together have `level`.

        With `judged`, of intervals of differences on these topics: after the last document of the
        plan nothing is left to chance, so that a look there needs no level.
        """
        drawn = self.plan["order"].to_numpy() > 0
        size, priority = (self.plan[name].to_numpy()[drawn] for name in ("size", "priority"))
        variances = variances_at(size, priority, self.looks)
        uncertain = [variance for variance in variances if variance > 0]
        return level_of_looks(tuple(uncertain if judged else variances), level)

    @property
    def text(self) -> str:
        """One line: how many documents are judged, and whether a look is planned here."""
        sentence = f"judged {self.n_judged:,} of {self.n_drawn:,} documents of the plan"
        if not self.at_look:
            sentence += f"; the plan has {looks_in_words(self.looks)}, so there is no verdict now"
        elif len(self.looks) > 1:
            sentence += f"; the {looks_in_words(self.looks)} share the level"
        if self.n_unused:
            sentence += f"; {self.n_unused:,} human grades outside the sample are not used"
        return sentence

    def _origin(self) -> str:
        return self.text

    def estimated(self, measure: Additive) -> Estimate:
        """Estimate the gains of the documents of the plan."""
        certain = self.plan["order"].to_numpy() == 0
        size = np.where(certain, np.inf, self.plan["size"].to_numpy())
        priority = np.where(certain, np.inf, self.plan["priority"].to_numpy())
        gain = measure.gains(self.human_grade)
        return estimated(self._level, self._topic, gain, size, priority, self._certain)

    def values(self, measures: Measures, runs: Runs) -> list[SampledValues]:
        """Estimate values of runs by topic, of which only differences mean anything.

        Raises
        ------
        ValueError
            A measure that is not a sum over documents; a run that answers no topic; a document that
            the runs weight differently and the plan lacks.
        """
        chosen = additive(measures)
        topics = self.topic_ids
        weights = rank_weights(chosen, runs, topics)
        for name, answers in zip(weights.runs, weights.answers, strict=True):
            if not answers.any():
                raise AbsentRunError(
                    f"the run answers none of the {answers.size:,} topics of the plan", run=name
                )
        keys = pd.MultiIndex.from_frame(self.plan[IDS])
        place = keys.get_indexer(pd.MultiIndex.from_frame(weights.documents))
        out = []
        for one, of_runs in zip(chosen, weights.of_measure, strict=True):
            alone = (place < 0) & (np.ptp(of_runs, axis=0) > 0)
            if alone.any():
                query_id, doc_id = weights.documents.iloc[int(np.argmax(alone))]
                raise ArgumentError(
                    f"{one.measure}: the runs differ in {int(alone.sum()):,} documents that are "
                    f"not in the plan, first {doc_id!r} in topic {query_id!r}: a plan serves only "
                    "the runs and the cutoff that it was drawn for",
                    parameter="runs",
                    measure=str(one.measure),
                    topic=query_id,
                    doc=doc_id,
                )
            inside = place >= 0
            matrix = np.zeros((len(weights.runs), len(keys)))
            matrix[:, place[inside]] = of_runs[:, inside]
            estimate = self.estimated(one)
            values = np.array(
                [np.bincount(self._topic, row * estimate.gain, len(topics)) for row in matrix]
            )
            of_topics = TopicValues(str(one.measure), weights.runs, topics, values)
            gain = one.gains(self.human_grade[: estimate.residual.size])
            out.append(
                SampledValues(of_topics, weights.answers, self._topic, matrix, estimate, gain)
            )
        return out


@dataclass(frozen=True, eq=False)
class SampledValues:
    """Estimated values of one measure, and how far their differences can be trusted.

    Attributes
    ----------
    values : TopicValues
        Only differences of runs mean anything.
    answers : bool array (n_runs, n_topics)
        Topics for which a run has documents.
    topic : int array (n_documents,)
        Topics of the documents of the plan; -1: one that was left out.
    weights : float array (n_runs, n_documents)
    estimate : Estimate
    human_gain : float array (n_counted,)
        Gains of the human grades that count, on all topics.
    """

    values: TopicValues
    answers: Bools
    topic: Ints
    weights: Floats
    estimate: Estimate
    human_gain: Floats

    def on(self, topics: Bools) -> SampledValues:
        """Keep only the topics that a mask (n_topics,) marks."""
        number = np.append(np.where(topics, np.cumsum(topics) - 1, -1), -1)
        topic = number[self.topic]
        weights = np.where(topic >= 0, self.weights, 0.0)
        return replace(
            self,
            values=self.values.on(topics),
            answers=self.answers[:, topics],
            topic=topic,
            weights=weights,
        )

    def select(self, numbers: Sequence[int]) -> SampledValues:
        """Return the values of some runs, by number."""
        kept = list(numbers)
        systems = [self.values.systems[number] for number in kept]
        return replace(
            self,
            values=self.values.select(systems),
            answers=self.answers[kept],
            weights=self.weights[kept],
        )

    def intervals(self, first: Ints, second: Ints, level: float) -> tuple[Floats, Floats]:
        """Compute intervals of differences under full human judgments of these topics.

        Parameters
        ----------
        first, second : int arrays (n_pairs,)
            Rows of the runs; the difference is second minus first.
        level : float in (0, 1)
            Of each interval.

        Returns
        -------
        low, high : float arrays (n_pairs,)
            NaN if the sample does not say.
        """
        n = self.values.n_topics
        means = self.values.values.sum(axis=1) / n
        low, high = np.empty(first.size), np.empty(first.size)
        for start in range(0, first.size, 64):
            rows = slice(start, start + 64)
            difference = self.weights[second[rows]] - self.weights[first[rows]]
            half = half_widths(*self.estimate.variances(difference), level) / n
            middle = means[second[rows]] - means[first[rows]]
            low[rows], high[rows] = middle - half, middle + half
        return low, high

    def further(self, first: int, second: int, share: float = 0.5) -> int:
        """Estimate how many more documents would shrink the interval of a difference to a share."""
        return self.estimate.further(self.weights[second] - self.weights[first], share)
