"""Our measures as providers of ir_measures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from threading import Lock
from types import FrameType
from typing import TYPE_CHECKING, Any

from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.util import CalcResults, Metric

from irpref.arrays.run import JudgedRun
from irpref.judged.align import NoCommonTopicError
from irpref.judged.inputs import opened
from irpref.measures.declare import is_ours, registered
from irpref.measures.everyday import HOSTED, supports
from irpref.measures.names import parse_all
from irpref.messages import IrprefWarning, about, warn_user
from irpref.values.kernels import KernelEvaluator
from irpref.values.prepare import columns_for

if TYPE_CHECKING:
    from irpref.judged.types import Qrels, Run

_lock = Lock()


class HostEvaluator(KernelEvaluator):
    """Our evaluator as ir_measures and PyTerrier expect theirs to be.

    Topics come in the order of the run, then those that it lacks, by id. What is an error elsewhere in irpref is
    a warning here, and the result is that of the host's own measures: no rows (and NaN for means) without
    judgments, the value of an empty list if the run answers none of the topics.
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
        """Means and metrics, one for every topic of the qrels and measure, sorted as the host does: see the class."""
        judged = self.align(run)
        values = self.values_of(judged)
        lists = {measure: of.tolist() for measure, of in values.items()}
        assert judged.order is not None
        answered = judged.order.tolist()
        lacking = sorted(set(range(len(self.topic_ids))).difference(answered), key=self.topic_ids.__getitem__)
        metrics = [Metric(self.topic_ids[t], m, of[t]) for t in answered for m, of in lists.items()]
        metrics += [Metric(self.topic_ids[t], m, of[t]) for m, of in lists.items() for t in lacking]
        means: Any = self.means_of(values)
        return CalcResults(means, metrics)


class NoJudgments(providers.Evaluator):
    """The host's result without judgments: the default for each topic, though there usually are none."""

    def _iter_calc(self, run: Run) -> Iterator[Metric]:
        warn_user("the qrels are empty: there is nothing to judge a run against", IrprefWarning, once="empty qrels")
        return iter(())


def _callers() -> Iterator[FrameType]:
    """The frames that led here, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _warn_of_searches(measures: Iterable[Measure]) -> None:
    """Warn if `pt.GridSearch`, which chooses the highest value, was given a measure for which lower is better."""
    lower = [measure for measure in measures if not getattr(measure, "higher_is_better", True)]
    search = next((frame for frame in _callers() if lower and frame.f_code.co_name == "GridSearch"), None)
    if search is not None and search.f_globals.get("__name__", "").partition(".")[0] == "pyterrier":
        warn_user(
            f"{lower[0]}: lower is better, but pt.GridSearch and pt.KFoldGridSearch choose the highest value; "
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
                name = str(names[number])  # a frame without a name is called by its text, of many lines
                return (f"system {number + 1}" if "\n" in name else name) if len(names) > 1 else None
    return None


def _for_host(measures: Iterable[Measure], qrels: Qrels) -> HostEvaluator | NoJudgments:
    """An evaluator of ours that follows the host's contract."""
    measures = list(measures)
    _warn_of_searches(measures)
    data = opened(qrels, "relevance")
    if not (any(data.values()) if isinstance(data, Mapping) else len(data)):
        for measure in measures:
            measure.validate_params()
        return NoJudgments(measures, list(map(str, data)) if isinstance(data, Mapping) else [])
    return HostEvaluator(measures, data)


class IrprefProvider(providers.Provider):
    """The provider of our measures. It comes last in ir_measures' pipeline and supports nothing else."""

    NAME = "irpref"

    @property
    def SUPPORTED_MEASURES(self) -> list[Measure]:  # type: ignore[override]
        """Our measures, whatever their parameters."""
        return list(registered().values())

    def supports(self, measure: Measure) -> bool:
        """Whether the measure is ours. `ValueError` if a required parameter is missing."""
        return is_ours(measure)

    def _evaluator(self, measures: Iterable[Measure], qrels: Qrels) -> Any:
        return _for_host(measures, qrels)

    def own(self, measures: Iterable[Measure], qrels: Qrels) -> KernelEvaluator:
        """An evaluator that follows our own rules: input that cannot be evaluated is an error."""
        return KernelEvaluator(measures, qrels)

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Columns of the qrels that these measures read."""
        return [*super().qrel_inputs(measures), *columns_for(measures)]


def install(provider: providers.Provider) -> None:
    """Put the provider last in ir_measures' pipeline, in place of an older one of the same name."""
    import ir_measures

    with _lock:
        providers.registry[provider.NAME] = provider
        pipeline = ir_measures.DefaultPipeline.providers
        pipeline[:] = [p for p in pipeline if getattr(p, "NAME", None) != provider.NAME] + [provider]


class AcceleratedProvider(IrprefProvider):
    """Our measures and the host's everyday measures. It comes first in ir_measures' pipeline while it is on."""

    NAME = "irpref-accelerated"

    @property
    def SUPPORTED_MEASURES(self) -> list[Measure]:  # type: ignore[override]
        """Measures without their parameters; `supports` looks at these, too."""
        from ir_measures import measures as host

        return [*registered().values(), *(host.registry[name] for name in HOSTED)]

    def supports(self, measure: Measure) -> bool:
        """Whether we compute the measure. Raises as the host's own providers."""
        measure.validate_params()
        return supports(measure)


def accelerate(on: bool = True) -> None:
    """Let irpref also compute the everyday measures of ir-measures, for the rest of the session.

    A mixed `pt.Experiment` or `ir_measures.calc_aggregate` then takes one pass over the run, without the conversion by
    ir-measures. Values of topics stay the same; `irpref.host` lists the few deliberate differences. Names are
    registered, too: see `register_names`.

    Parameters
    ----------
    on : bool
        False: leave measures and names to ir-measures again.

    Examples
    --------
    >>> import ir_measures
    >>> accelerate()
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'irpref-accelerated'
    >>> accelerate(False)
    >>> any(provider.NAME == "irpref-accelerated" for provider in ir_measures.DefaultPipeline.providers)
    False
    """
    import ir_measures

    if not isinstance(on, bool):
        raise TypeError(f"accelerate takes True or False, got {on!r}")
    (register_names if on else unregister_names)()
    with _lock:
        # By name: after a reload, the earlier provider is no instance of our class. A new list: another thread may be
        # iterating over the old one.
        pipeline = ir_measures.DefaultPipeline.providers
        others = [p for p in pipeline if getattr(p, "NAME", None) != AcceleratedProvider.NAME]
        ir_measures.DefaultPipeline.providers = [AcceleratedProvider(), *others] if on else others


def register_names() -> None:
    """Make ir_measures and PyTerrier understand every name that `irpref.parse` does, for the rest of the session.

    `ir_measures.parse_trec_measure` knows names of trec_eval only, and `pt.Experiment`, `pt.GridSearch` and
    `pt.KFoldGridSearch` pass it every name you give them. Names that it does not know then go to `irpref.parse_all`:
    `'RPref(max_rel=3)'`, `'nDCG@10'`, `'rpref'`. Names that it knows keep their meaning. Columns of results keep the
    name as you typed it. `accelerate()` calls this; importing irpref does not.

    Examples
    --------
    >>> import ir_measures
    >>> register_names()
    >>> ir_measures.parse_trec_measure("RPref(max_rel=3)@10")
    [RPref(max_rel=3)@10]
    >>> unregister_names()
    """
    import ir_measures

    with _lock:
        if not hasattr(ir_measures.parse_trec_measure, _REGISTERED):
            ir_measures.parse_trec_measure = _understanding(ir_measures.parse_trec_measure)


def unregister_names() -> None:
    """Undo `register_names`."""
    import ir_measures

    with _lock:
        parser = ir_measures.parse_trec_measure
        ir_measures.parse_trec_measure = getattr(parser, _REGISTERED, parser)


_REGISTERED = "irpref_host_parser"  # attribute of our parser that holds the one it replaced; survives reloads


def _understanding(host: Callable[[str], list[Measure]]) -> Any:
    """A parser that asks the host's first, and ours for what that does not know."""

    @wraps(host)
    def parse_trec_measure(measure: str) -> list[Measure]:
        try:
            return host(measure)
        except ValueError:
            return parse_all(measure)

    setattr(parse_trec_measure, _REGISTERED, host)
    return parse_trec_measure
