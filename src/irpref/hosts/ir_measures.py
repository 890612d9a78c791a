"""Our measures as providers of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ir_measures import providers

from irpref.evaluation import AcceleratedEvaluator, CombinedEvaluator, KernelEvaluator, columns_for, evaluator
from irpref.measures.declare import KernelMeasure, is_ours, registered
from irpref.measures.everyday import HOSTED, supports

__all__ = [
    "HOSTED",
    "AcceleratedEvaluator",
    "AcceleratedProvider",
    "CombinedEvaluator",
    "IrprefProvider",
    "accelerate",
    "evaluator",
    "install",
    "supports",
]


class IrprefProvider(providers.Provider):
    """The provider of our measures. It stands last in ir_measures' pipeline and supports nothing else."""

    NAME = "irpref"

    @property
    def SUPPORTED_MEASURES(self) -> list[Any]:  # type: ignore[override]
        """Our measures, whatever their parameters."""
        return list(registered().values())

    def supports(self, measure: Any) -> bool:
        """Whether the measure is ours. `ValueError` where a required parameter is missing."""
        return is_ours(measure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> KernelEvaluator:
        return KernelEvaluator(measures, qrels)

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Columns of the qrels that these measures read."""
        return [*super().qrel_inputs(measures), *columns_for(measures)]

    def install_instructions(self) -> str:
        """How to get the provider."""
        return "pip install irpref"


def install(provider: providers.Provider) -> None:
    """Put the provider last in ir_measures' pipeline, in place of an older one of the same name."""
    import ir_measures

    providers.registry[provider.NAME] = provider
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [p for p in pipeline if getattr(p, "NAME", None) != provider.NAME] + [provider]


class AcceleratedProvider(IrprefProvider):
    """Our measures and the host's everyday measures. It stands first in ir_measures' pipeline while it is on."""

    NAME = "irpref-accelerated"

    @property
    def SUPPORTED_MEASURES(self) -> list[Any]:  # type: ignore[override]
        """Measures without their parameters; `supports` looks at these, too."""
        from ir_measures import measures as host

        return [*registered().values(), *(host.registry[name] for name in HOSTED)]

    def supports(self, measure: Any) -> bool:
        """Whether we compute the measure. Raises as `irpref.host.supports`."""
        return supports(measure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> AcceleratedEvaluator:
        return AcceleratedEvaluator(measures, qrels)

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Columns of the qrels that these measures read."""
        measures = list(measures)
        ours = [m for m in measures if isinstance(m, KernelMeasure)]
        return super().qrel_inputs(ours)


def accelerate(on: bool = True) -> None:
    """Compute the host's everyday measures, too, for the rest of the session.

    A mixed `pt.Experiment` or `ir_measures.calc_aggregate` then costs one pass over the run instead of the host's
    conversion as well. Values of topics stay what they were; `irpref.host` lists the few deliberate differences.

    Parameters
    ----------
    on : bool
        False: leave them to the host again.

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
    pipeline = ir_measures.DefaultPipeline.providers
    # By name: after a reload the provider of before is not of our class.
    here = [p for p in pipeline if getattr(p, "NAME", None) == AcceleratedProvider.NAME]
    if on and pipeline[:1] == here[:1] and len(here) == 1:
        return
    for provider in here:
        pipeline.remove(provider)
    if on:
        pipeline.insert(0, AcceleratedProvider())
