"""Our measures as providers of ir_measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any

from ir_measures import providers
from ir_measures.measures import Measure

from irpref.measures.declare import is_ours, registered
from irpref.measures.everyday import HOSTED, supports
from irpref.measures.names import parse_all

if TYPE_CHECKING:
    from irpref.judged.types import Qrels
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
        """Whether the measure is ours. `ValueError` if a required parameter is missing."""
        return is_ours(measure)

    def _evaluator(self, measures: Iterable[Measure], qrels: Qrels) -> Any:
        # Imported here, as it would slow `import irpref` down.
        from irpref.hosts.inside import for_host

        return for_host(measures, qrels)

    def own(self, measures: Iterable[Measure], qrels: Qrels) -> KernelEvaluator:
        """An evaluator that follows our own rules: input that cannot be evaluated is an error."""
        from irpref.values.kernels import KernelEvaluator

        return KernelEvaluator(measures, qrels)

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Columns of the qrels that these measures read."""
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
        """Whether we compute the measure. Raises as the host's own providers."""
        measure.validate_params()
        return supports(measure)


def accelerate(on: bool = True) -> None:
    """Let irpref also compute the everyday measures of ir-measures, for the rest of the session.

    A mixed `pt.Experiment` or `ir_measures.calc_aggregate` then takes one pass over the run,
    without the conversion by ir-measures. Values of topics stay the same; `irpref.host` lists the
    few deliberate differences. Names are registered, too: see `register_names`.

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
        # By name: after a reload, the earlier provider is no instance of our class. A new list:
        # another thread may be iterating over the old one.
        pipeline = ir_measures.DefaultPipeline.providers
        others = [p for p in pipeline if getattr(p, "NAME", None) != AcceleratedProvider.NAME]
        ir_measures.DefaultPipeline.providers = [AcceleratedProvider(), *others] if on else others


def register_names() -> None:
    """Make ir_measures and PyTerrier understand every name that `irpref.parse` does, for the rest
    of the session.

    `ir_measures.parse_trec_measure` knows names of trec_eval only, and `pt.Experiment`,
    `pt.GridSearch` and `pt.KFoldGridSearch` pass it every name you give them. Names that it does
    not know then go to `irpref.parse_all`: `'RPref(max_rel=3)'`, `'nDCG@10'`, `'rpref'`. Names that
    it knows keep their meaning. Columns of results keep the name as you typed it. `accelerate()`
    calls this; importing irpref does not.

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


_REGISTERED = (
    "irpref_host_parser"  # attribute of our parser that holds the one it replaced; survives reloads
)


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
