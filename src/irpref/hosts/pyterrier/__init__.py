"""`pt.irpref`: what PyTerrier users see of this package.

    import pyterrier as pt
    from pyterrier.measures import *            # AP, nDCG, ..., and RPref, QMeasure, ...

    bm25 >> pt.irpref.Condense(qrels) >> pt.irpref.PerQuery(qrels, [RPref(max_rel=3)])
    pt.Experiment(systems, topics, qrels, pt.irpref.parse_all(["map", "RPref(max_rel=3)@10"]))

It holds the stages (`Judge`, `Condense`, `Explain`, `PerQuery`, `Oracle`), `GridSearch` and
`KFoldGridSearch` for measures of either direction, `leaderboard`, `report` and `compare`, which are
called as `pt.Experiment` is, `table` for its result, `randomisation_test`, and everything that
`irpref` itself exports: its functions take PyTerrier's frames as they take all others. PyTerrier
reaches it through `irpref_pyterrier`, which survives errors of this package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import irpref

# Names that only PyTerrier's users need, and their modules.
_HOMES = {
    **dict.fromkeys(("Condense", "Explain", "Judge", "Oracle", "PerQuery"), "transformers"),
    **dict.fromkeys(("GridSearch", "KFoldGridSearch"), "hosts.pyterrier.tuning"),
    **dict.fromkeys(("compare", "leaderboard", "report"), "lab.pyterrier"),
    "randomisation_test": "lab.decide.significance",
    "table": "show.experiment",
}


def load() -> Any:
    """Add our measures to `pyterrier.measures`, and return what `pt.irpref` is bound to: this
    module.
    """
    import sys

    import ir_measures
    from pyterrier import measures

    from irpref.measures.declare import KernelMeasure

    # PyTerrier copies the names that ir_measures has when `pyterrier.measures` is imported, before
    # ours come.
    for name, measure in ir_measures.measures.registry.items():
        if isinstance(measure, KernelMeasure):
            setattr(measures, name, measure)
    return sys.modules[__name__]


def dataset_provider() -> object:
    """Return the provider of the worked examples and the synthetic collection:
    `pt.get_dataset("irpref:...")`.
    """
    from irpref.hosts.pyterrier.example_datasets import ExampleDatasets

    return ExampleDatasets()


def __getattr__(name: str) -> Any:
    # Not imported above: if you import `irpref.transformers` first, this module runs while that one
    # is half loaded.
    if name in _HOMES:
        return getattr(import_module(f"irpref.{_HOMES[name]}"), name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(irpref, name) if hasattr(irpref, name) else getattr(irpref.lab, name)


def __dir__() -> list[str]:
    return sorted({*_HOMES, *irpref.__all__})
