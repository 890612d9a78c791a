"""Our measures as providers of ir_measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any

from ir_measures import providers
from ir_measures.measures import Measure

from irpref.measures.declare import is_ours, registered
from irpref.measures.everyday import HOSTED, as_in_host, supports
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    from irpref.judged.types import QrelsLike
    from irpref.values.kernels import KernelEvaluator

_lock = Lock()


class IrprefProvider(providers.Provider):
    """The provider of our measures. It comes last in ir_measures' pipeline and supports nothing
    else.
    """

    NAME = "irpref"

    @property
    def SUPPORTED_MEASURES(self) -> list[Measure]:  # type: ignore[override]
        """Our measures, whatever their parameters."""
        return list(registered().values())

    def supports(self, measure: Measure) -> bool:
        """Test whether the measure is ours. Raise `ValueError` if a required parameter is
        missing.
        """
        return is_ours(measure)

    def _evaluator(self, measures: Iterable[Measure], qrels: QrelsLike) -> Any:
        # Imported here, as it would slow `import irpref` down.
        from irpref.hosts.host_evaluator import for_host

        return for_host(measures, qrels)

    def own(self, measures: Iterable[Measure], qrels: QrelsLike) -> KernelEvaluator:
        """Make an evaluator that follows our own rules: input that cannot be evaluated is an
        error.
        """
        from irpref.judged.judgments import as_judgments
        from irpref.values.kernels import KernelEvaluator

        return KernelEvaluator(measures, as_judgments(qrels))

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Name the columns of the qrels that these measures read."""
        from irpref.values.prepare import columns_for

        return [*super().qrel_inputs(measures), *columns_for(measures)]


def install(provider: providers.Provider) -> None:
    """Put the provider last in ir_measures' pipeline, in place of an older one of the same name."""
    import ir_measures

    with _lock:
        providers.registry[provider.NAME] = provider
        pipeline = ir_measures.DefaultPipeline.providers
        pipeline[:] = [p for p in pipeline if getattr(p, "NAME", None) != provider.NAME] + [
            provider
        ]


class AcceleratedProvider(IrprefProvider):
    """Our measures and the host's everyday measures. It comes first in ir_measures' pipeline while
    it is on.
    """

    NAME = "irpref-accelerated"

    @property
    def SUPPORTED_MEASURES(self) -> list[Measure]:  # type: ignore[override]
        """Measures without their parameters; `supports` looks at these, too."""
        from ir_measures import measures as host

        return [*registered().values(), *(host.registry[name] for name in HOSTED)]

    def supports(self, measure: Measure) -> bool:
        """Test whether we compute the measure. Raises as the host's own providers."""
        measure.validate_params()
        return supports(measure) and (is_ours(measure) or as_in_host(measure))


class BoundedProvider(providers.PytrecEvalProvider):
    """The host's provider of trec_eval's measures, which gets -1 for grades below it.

    On a topic of such grades alone, pytrec_eval ends the process.
    """

    is_bounded = True  # known by this after a reload

    def _evaluator(self, measures: Iterable[Measure], qrels: QrelsLike) -> Any:
        from ir_measures.util import QrelsConverter

        judged = QrelsConverter(qrels).as_dict_of_dict()
        if any(min(docs.values(), default=0) < -1 for docs in judged.values()):
            judged = {
                topic: {doc: max(grade, -1) for doc, grade in docs.items()}
                for topic, docs in judged.items()
            }
        return super()._evaluator(measures, judged)


def accelerate(on: bool = True) -> None:
    """Let irpref also compute the everyday measures of ir-measures, for the rest of the session.

    A mixed `pt.Experiment` or `ir_measures.calc_aggregate` then takes one pass over the run,
    without the conversion by ir-measures. Values of topics stay the same, except for the few
    deliberate differences that `irpref.measures.everyday` lists. The measures that pytrec_eval
    still computes get -1 for grades below it, which could otherwise end the process.

    Parameters
    ----------
    on : bool
        False: let ir-measures compute these measures again.

    Examples
    --------
    >>> import ir_measures
    >>> accelerate()
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'irpref-accelerated'
    >>> accelerate(False)
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'runtime'
    """
    import ir_measures

    if not isinstance(on, bool):
        raise TypeError(f"accelerate takes True or False, got {on!r}")
    with _lock:
        # By name: after a reload, the earlier provider is not an instance of our class. A new list:
        # another thread may be iterating over the old one.
        pipeline = ir_measures.DefaultPipeline.providers
        host = providers.registry[BoundedProvider.NAME]
        others = [
            host if hasattr(p, "is_bounded") else p
            for p in pipeline
            if getattr(p, "NAME", None) != AcceleratedProvider.NAME
        ]
        if on:
            bounded = (BoundedProvider() if p is host else p for p in others)
            others = [AcceleratedProvider(), *bounded]
        ir_measures.DefaultPipeline.providers = others


def register_names() -> None:
    """Let `pt.Experiment` understand every name that `irpref.parse_all` does.

    PyTerrier asks `ir_measures.parse_trec_measure` for each name, which by itself knows only the
    names of trec_eval. This wraps that one function: it is asked first, and names that it refuses
    go to `irpref.parse_all`. Columns keep the names that you typed. Nothing else of ir_measures and
    PyTerrier is replaced.

    `import irpref` calls this, and PyTerrier imports irpref.

    Examples
    --------
    >>> import ir_measures
    >>> ir_measures.parse_trec_measure("RPref(norm='relative2')@10")
    [RPref(norm='relative2')@10]
    >>> ir_measures.parse_trec_measure("P+")
    [PPlus]
    """
    import ir_measures

    with _lock:
        host = ir_measures.parse_trec_measure
        if not hasattr(host, _REPLACED):
            ir_measures.parse_trec_measure = _asking_the_host_first(host)


def unregister_names() -> None:
    """Undo `register_names`, for the rest of the session."""
    import ir_measures

    with _lock:
        parser = ir_measures.parse_trec_measure
        ir_measures.parse_trec_measure = getattr(parser, _REPLACED, parser)


# Attribute of our parser that holds the host's; it survives reloads.
_REPLACED = "irpref_host_parser"


def _asking_the_host_first(host: Callable[[str], list[Measure]]) -> Any:
    """Wrap the host's parser: ours is asked for names at which the host's raises an error."""

    @wraps(host)
    def parser(measure: str) -> list[Measure]:
        try:
            return host(measure)
        except Exception:  # ValueError, and slips such as AttributeError
            pass
        return parse_all(measure) or host(measure)  # whose error it is if there is no name

    setattr(parser, _REPLACED, host)
    return parser
