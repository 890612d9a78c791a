"""Evaluation measures that ir_measures and PyTerrier lack.

Importing the package registers its measures with ir_measures; they then stand beside the built-in ones in
`ir_measures.calc_aggregate`, `pt.Experiment` and everything built on them.

>>> import ir_measures
>>> from irpref import RPref
>>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
>>> run = {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}}
>>> ir_measures.calc_aggregate([RPref(max_rel=2)], qrels, run)
{RPref(max_rel=2): 0.3333333333333333}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irpref import provider as _provider
from irpref.binding import bind, with_known
from irpref.measures import (
    CRP,
    NCU,
    Bpref10,
    BprefN,
    BprefR,
    BprefVariant,
    Coverage,
    CRPRecovery,
    EMeasure,
    FMeasure,
    Novelty,
    NPref,
    OMeasure,
    OriginalNDCG,
    PMeasure,
    PPlus,
    QMeasure,
    RecallEffort,
    RelativeRecall,
    RPref,
    Twist,
    nCRP,
)
from irpref.messages import DegenerateWarning, DuplicateWarning, IrprefWarning, ScaleWarning
from irpref.parsing import UnknownMeasureError, parse, parse_all
from irpref.registration import watch as _watch

__version__ = "0.1.0"

_provider.install(_provider.IrprefProvider())
_watch()  # the worked examples join ir_datasets when that is imported


def evaluator(measures: Any, qrels: Any) -> Any:
    """Prepare measures for any number of runs against the same qrels.

    Parameters
    ----------
    measures : measures or names, of any toolkit
    qrels : as `ir_measures.calc` takes them; for measures of ours alone also a polars frame

    Returns
    -------
    ir_measures.Evaluator
        With `calc_aggregate(run)`, `iter_calc(run)`, `calc(run)`. For measures of ours alone also
        `values(run)`: measure to float array (n_topics,) in the order of `topic_ids`.
    """
    import ir_measures

    from irpref.declare import KernelMeasure

    chosen = parse_all(measures)
    if all(isinstance(measure, KernelMeasure) for measure in chosen):
        # Not through the pipeline, which takes a polars frame for an iterator.
        return _provider.KernelEvaluator(chosen, qrels)
    return ir_measures.DefaultPipeline.evaluator(chosen, qrels)


# Loaded when first asked for: what they import would slow `import irpref` down.
_LAZY = {
    "read_run": "trec",
    "read_qrels": "trec",
    "accelerate": "host",
    "host": "host",
    "curves": "curves",
    "explain": "explain",
    "plots": "plots",
    "meta": "meta",
    "datasets": "datasets",
    "transformers": "transformers",
    "spark": "spark",
    "settings": "settings",
    "significance": "significance",
}

if TYPE_CHECKING:
    from irpref.host import accelerate
    from irpref.trec import read_qrels, read_run


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'irpref' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"irpref.{_LAZY[name]}")
    return module if name == _LAZY[name] else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    "CRP",
    "NCU",
    "Bpref10",
    "BprefN",
    "BprefR",
    "BprefVariant",
    "CRPRecovery",
    "Coverage",
    "DegenerateWarning",
    "DuplicateWarning",
    "EMeasure",
    "FMeasure",
    "IrprefWarning",
    "NPref",
    "Novelty",
    "OMeasure",
    "OriginalNDCG",
    "PMeasure",
    "PPlus",
    "QMeasure",
    "RPref",
    "RecallEffort",
    "RelativeRecall",
    "ScaleWarning",
    "Twist",
    "UnknownMeasureError",
    "accelerate",
    "bind",
    "evaluator",
    "nCRP",
    "parse",
    "parse_all",
    "read_qrels",
    "read_run",
    "with_known",
]
