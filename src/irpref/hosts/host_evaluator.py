"""Evaluate our measures as ir_measures and PyTerrier expect of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.util import CalcResults, Metric

from irpref.errors import JudgmentsError, NoCommonTopicError
from irpref.judged.judgments import Judgments, as_judgments
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import all_whole
from irpref.measures.declare import KernelMeasure
from irpref.measures.support import provider_of
from irpref.messages import IrprefWarning, give, held, warn_user
from irpref.observed.scales import reversed_order
from irpref.values.kernels import KernelEvaluator

if TYPE_CHECKING:
    from irpref.judged.types import QrelsLike, RunLike


_REVERSED = (
    "the run ranks documents of higher grade lower (rank correlation {:.2f}): do the grades count "
    "down, as Cranfield's do? pt.irpref.qrels('cranfield') reads them turned"
)


class HostEvaluator(KernelEvaluator):
    """Our evaluator as ir_measures and PyTerrier expect theirs to be.

    Topics come in the order of the run, then the topics that it lacks, by id. An error elsewhere in
    irpref is a warning here, and the result is as for the host's own measures: no rows (and NaN
    for means) without judgments, the value of an empty list if the run answers none of the topics.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Judgments) -> None:
        # The host passes a set, whose order is another one in each process.
        with held() as warnings:
            super().__init__(sorted(set(measures), key=str), qrels)
        _give(warnings)

    def align(self, run: RunLike) -> JudgedRun:
        """Align a run. Warns if it has no topic in common with the judgments."""
        with held() as warnings:
            try:
                judged = super().align(run)
            except NoCommonTopicError as error:
                text = f"{error.message}; all topics have the value of an empty ranking"
                warn_user(text, IrprefWarning)
                judged = super().align({})
            if (correlation := reversed_order(judged, self.pool)) is not None:
                warn_user(_REVERSED.format(correlation), IrprefWarning)
        _give(warnings)
        return judged

    def calc(self, run: RunLike) -> CalcResults:
        """Compute means and metrics, one for every topic of the qrels and measure, sorted as the
        host does: see the class.
        """
        judged = self.align(run)
        values = self.values_of(judged)
        lists = {measure: by_topic.tolist() for measure, by_topic in values.items()}
        assert judged.order is not None
        answered = judged.order.tolist()
        lacking = sorted(
            set(range(len(self.topic_ids))).difference(answered), key=self.topic_ids.__getitem__
        )
        metrics = [
            Metric(self.topic_ids[t], measure, by_topic[t])
            for t in answered
            for measure, by_topic in lists.items()
        ]
        metrics += [
            Metric(self.topic_ids[t], measure, by_topic[t])
            for measure, by_topic in lists.items()
            for t in lacking
        ]
        means: Any = self.means_of(values)
        return CalcResults(means, metrics)


def _give(warnings: Iterable[IrprefWarning]) -> None:
    """Show warnings. Each text is shown once, though the host builds an evaluator for each system
    and batch.
    """
    for warning in warnings:
        give(warning, once=True)


class NoJudgments(providers.Evaluator):
    """The host's result without judgments: the default for each topic, though there usually are
    none.
    """

    def _iter_calc(self, run: RunLike) -> Iterator[Metric]:
        _give([IrprefWarning("the qrels are empty: there is nothing to judge a run against")])
        return iter(())


def for_host(measures: Iterable[Measure], qrels: QrelsLike) -> HostEvaluator | NoJudgments:
    """Make an evaluator of ours that follows the host's contract.

    Raises
    ------
    ValueError
        Bad qrels, as for `irpref.evaluator`; fractional grades, which the host refuses for its own
        measures.
    """
    measures = list(measures)
    read = as_judgments(qrels)
    if not len(read):
        for measure in measures:
            measure.validate_params()
        return NoJudgments(measures, read.topic_ids)
    evaluator = HostEvaluator(measures, read)
    _refuse_fractions(evaluator)
    _tell_direction(evaluator.measures)
    return evaluator


def _refuse_fractions(evaluator: HostEvaluator) -> None:
    """Raise `JudgmentsError` for fractional grades and a measure of the host that refuses them.

    Without the refusal, AP would be 0 for a judge's grades of .8, which do not reach `rel=1`.
    """
    grades = evaluator.pool.level_grade
    if all_whole(grades):
        return
    for measure in evaluator.measures:
        by_host = not isinstance(measure, KernelMeasure)
        if by_host and provider_of(measure, ours=False) == "pytrec_eval":
            fraction = float(grades[grades != np.rint(grades)][0])
            raise JudgmentsError(
                f"{measure}: ir_measures takes whole grades, not {fraction:g}, and so it does "
                f"after accelerate(); irpref.evaluator takes all grades",
                measure=str(measure),
                value=fraction,
            )


@contextmanager
def direction_known() -> Iterator[None]:
    """Do not warn of measures whose lower values are better: the caller asks for the direction."""
    before = _knows_direction.set(True)
    try:
        yield
    finally:
        _knows_direction.reset(before)


_knows_direction: ContextVar[bool] = ContextVar("knows_direction", default=False)


def _tell_direction(measures: Iterable[Measure]) -> None:
    """Warn once that PyTerrier takes higher values for better ones.

    Nothing tells a provider why a measure is evaluated, so that this is said if PyTerrier is there.
    """
    lower = [m for m in measures if isinstance(m, KernelMeasure) and not m.higher_is_better]
    if not lower or _knows_direction.get() or "pyterrier" not in sys.modules:
        return
    text = (
        f"{', '.join(map(str, lower))}: lower is better, but PyTerrier takes higher values for "
        f"better: '+' of pt.Experiment(baseline=...) counts topics that got worse, and "
        f"pt.GridSearch chooses the worst setting. pt.irpref.compare, pt.irpref.table and "
        f"pt.irpref.GridSearch know the direction"
    )
    give(IrprefWarning(text), once="session")
