"""Evaluate our measures as ir_measures and PyTerrier expect it of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.util import CalcResults, Metric

from irpref.judged.align import NoCommonTopicError
from irpref.judged.inputs import opened
from irpref.kernel.run import JudgedRun
from irpref.messages import IrprefWarning, about, warn_user
from irpref.values.kernels import KernelEvaluator

if TYPE_CHECKING:
    from irpref.judged.types import Qrels, Run


class HostEvaluator(KernelEvaluator):
    """Our evaluator as ir_measures and PyTerrier expect theirs to be.

    Topics come in the order of the run, then those that it lacks, by id. What is an error elsewhere
    in irpref is a warning here, and the result is that of the host's own measures: no rows (and NaN
    for means) without judgments, the value of an empty list if the run answers none of the topics.
    """

    in_host = True

    def align(self, run: Run) -> JudgedRun:
        """Align a run. Warns if it has no topic in common with the judgments."""
        with about(_system()):
            try:
                return super().align(run)
            except NoCommonTopicError as error:
                text = f"{error}; all topics have the value of an empty ranking"
                warn_user(text, IrprefWarning, once="no common topic")
                return super().align({})

    def calc(self, run: Run) -> CalcResults:
        """Means and metrics, one for every topic of the qrels and measure, sorted as the host does:
        see the class.
        """
        judged = self.align(run)
        values = self.values_of(judged)
        lists = {measure: of.tolist() for measure, of in values.items()}
        assert judged.order is not None
        answered = judged.order.tolist()
        lacking = sorted(
            set(range(len(self.topic_ids))).difference(answered), key=self.topic_ids.__getitem__
        )
        metrics = [Metric(self.topic_ids[t], m, of[t]) for t in answered for m, of in lists.items()]
        metrics += [Metric(self.topic_ids[t], m, of[t]) for m, of in lists.items() for t in lacking]
        means: Any = self.means_of(values)
        return CalcResults(means, metrics)


class NoJudgments(providers.Evaluator):
    """The host's result without judgments: the default for each topic, though there usually are
    none.
    """

    def _iter_calc(self, run: Run) -> Iterator[Metric]:
        warn_user(
            "the qrels are empty: there is nothing to judge a run against",
            IrprefWarning,
            once="empty qrels",
        )
        return iter(())


def _callers() -> Iterator[FrameType]:
    """The frames that led here, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _warn_of_searches(measures: Iterable[Measure]) -> None:
    """Warn if `pt.GridSearch`, which chooses the highest value, was given a measure for which lower
    is better.
    """
    lower = [measure for measure in measures if not getattr(measure, "higher_is_better", True)]
    search = next(
        (frame for frame in _callers() if lower and frame.f_code.co_name == "GridSearch"), None
    )
    if search is not None and search.f_globals.get("__name__", "").partition(".")[0] == "pyterrier":
        warn_user(
            f"{lower[0]}: lower is better, but pt.GridSearch and pt.KFoldGridSearch choose the "
            f"highest value; "
            "pt.irpref.GridSearch and pt.irpref.KFoldGridSearch choose the best",
            IrprefWarning,
            once="GridSearch",
        )


def _system() -> str | None:
    """The name of the system that `pt.Experiment` is evaluating; None if that is not known."""
    number: int | None = None
    for frame in _callers():
        if frame.f_globals.get("__name__", "").startswith("pyterrier._evaluation"):
            found = frame.f_locals
            number = found.get("sysid") if number is None else number
            if number is not None and "names" in found:
                names = list(found["names"])
                name = str(
                    names[number]
                )  # a frame without a name is called by its text, of many lines
                return (
                    (f"system {number + 1}" if "\n" in name else name) if len(names) > 1 else None
                )
    return None


def for_host(measures: Iterable[Measure], qrels: Qrels) -> HostEvaluator | NoJudgments:
    """An evaluator of ours that follows the host's contract."""
    measures = list(measures)
    _warn_of_searches(measures)
    data = opened(qrels, "relevance")
    if not (any(data.values()) if isinstance(data, Mapping) else len(data)):
        for measure in measures:
            measure.validate_params()
        return NoJudgments(measures, list(map(str, data)) if isinstance(data, Mapping) else [])
    return HostEvaluator(measures, data)
