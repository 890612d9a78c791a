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

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from irpref import measures
from irpref.hosts.ir_measures import IrprefProvider as _IrprefProvider
from irpref.hosts.ir_measures import install as _install
from irpref.measures import *  # noqa: F403
from irpref.measures.declare import MeasureLike
from irpref.measures.names import UnknownMeasureError, parse, parse_all
from irpref.messages import DegenerateWarning, DuplicateWarning, IrprefWarning, RangeWarning, ScaleWarning, TieWarning
from irpref.values.evaluator import evaluator, score

__version__ = "0.2.0"

_install(_IrprefProvider())

# What is loaded when first asked for, since what it imports would slow `import irpref` down: where it lives.
_MODULES = {
    "curves": "analysis.curves",
    "datasets": "datasets",
    "explain": "analysis.explain",
    "host": "hosts.ir_measures",
    "meta": "meta",
    "plots": "show.plots",
    "pt": "hosts.pyterrier",
    "reference": "reference",
    "settings": "measures.settings",
    "significance": "analysis.significance",
    "spark": "hosts.spark",
    "testing": "analysis.testing",
    "transformers": "hosts.pyterrier.stages",
}
_FUNCTIONS = {
    "Qrels": "judged.types",
    "Run": "judged.types",
    "accelerate": "hosts.ir_measures",
    "bind": "measures.binding",
    "check": "analysis.check",
    "fill": "analysis.judges",
    "compare": "analysis.verdict",
    "gate": "analysis.verdict",
    "prefer": "analysis.prefer",
    "preferences_from": "judged.preferences",
    "read_preferences": "formats.preferences",
    "crosscheck": "hosts.crosscheck",
    "intervals": "analysis.intervals",
    "judge": "analysis.predictions",
    "judge_next": "analysis.holes",
    "leaderboard": "analysis.leaderboard",
    "read_qrels": "formats.tables",
    "read_run": "formats.tables",
    "register_names": "hosts.ir_measures",
    "report": "show.report",
    "unregister_names": "hosts.ir_measures",
    "with_known": "measures.binding",
    "write_preferences": "formats.preferences",
}

if TYPE_CHECKING:
    from irpref import datasets, meta, reference
    from irpref.analysis import curves, explain, significance, testing
    from irpref.analysis.check import check
    from irpref.analysis.holes import judge_next
    from irpref.analysis.intervals import intervals
    from irpref.analysis.judges import fill
    from irpref.analysis.leaderboard import leaderboard
    from irpref.analysis.predictions import judge
    from irpref.analysis.prefer import prefer
    from irpref.analysis.verdict import compare, gate
    from irpref.formats.preferences import read_preferences, write_preferences
    from irpref.formats.tables import read_qrels, read_run
    from irpref.hosts import ir_measures as host
    from irpref.hosts import pyterrier as pt
    from irpref.hosts import spark
    from irpref.hosts.crosscheck import crosscheck
    from irpref.hosts.ir_measures import accelerate, register_names, unregister_names
    from irpref.hosts.pyterrier import stages as transformers
    from irpref.judged.preferences import preferences_from
    from irpref.judged.types import Qrels, Run
    from irpref.measures import settings
    from irpref.measures.binding import bind, with_known
    from irpref.show import plots
    from irpref.show.report import report


class _Public(ModuleType):
    """A module under its public name: `import irpref.curves` finds it here, wherever it lives."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by the import system and by inspection
            raise AttributeError(name)
        return getattr(_load(self.__name__.removeprefix(f"{__name__}.")), name)


def _load(name: str) -> ModuleType:
    module = import_module(f"{__name__}.{_MODULES[name]}")
    sys.modules[f"{__name__}.{name}"] = module
    return module


for _name, _home in _MODULES.items():
    if _name != _home:
        sys.modules.setdefault(f"{__name__}.{_name}", _Public(f"{__name__}.{_name}", f"See irpref.{_home}."))


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return _load(name)
        if name in _FUNCTIONS:
            return getattr(import_module(f"{__name__}.{_FUNCTIONS[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


__all__ = [
    "DegenerateWarning",
    "DuplicateWarning",
    "IrprefWarning",
    "MeasureLike",
    "Qrels",
    "RangeWarning",
    "Run",
    "ScaleWarning",
    "TieWarning",
    "UnknownMeasureError",
    "accelerate",
    "bind",
    "check",
    "compare",
    "crosscheck",
    "curves",
    "datasets",
    "evaluator",
    "explain",
    "fill",
    "gate",
    "host",
    "intervals",
    "judge",
    "judge_next",
    "leaderboard",
    "meta",
    "parse",
    "parse_all",
    "plots",
    "prefer",
    "preferences_from",
    "pt",
    "read_preferences",
    "read_qrels",
    "read_run",
    "reference",
    "register_names",
    "report",
    "score",
    "settings",
    "significance",
    "spark",
    "testing",
    "transformers",
    "unregister_names",
    "with_known",
    "write_preferences",
]
__all__ += measures.__all__
