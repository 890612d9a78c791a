"""Evaluation measures that ir_measures and PyTerrier lack.

Importing the package registers its measures with ir_measures. You can then use them like the built-in ones in
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

# Modules and functions that are loaded on first use, as they would slow `import irpref` down, and where they are.
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

if TYPE_CHECKING:  # `as` marks what is public
    from irpref import datasets as datasets
    from irpref import meta as meta
    from irpref import reference as reference
    from irpref.analysis import curves as curves
    from irpref.analysis import explain as explain
    from irpref.analysis import significance as significance
    from irpref.analysis import testing as testing
    from irpref.analysis.check import check as check
    from irpref.analysis.holes import judge_next as judge_next
    from irpref.analysis.intervals import intervals as intervals
    from irpref.analysis.judges import fill as fill
    from irpref.analysis.leaderboard import leaderboard as leaderboard
    from irpref.analysis.predictions import judge as judge
    from irpref.analysis.prefer import prefer as prefer
    from irpref.analysis.verdict import compare as compare
    from irpref.analysis.verdict import gate as gate
    from irpref.formats.preferences import read_preferences as read_preferences
    from irpref.formats.preferences import write_preferences as write_preferences
    from irpref.formats.tables import read_qrels as read_qrels
    from irpref.formats.tables import read_run as read_run
    from irpref.hosts import ir_measures as host
    from irpref.hosts import pyterrier as pt
    from irpref.hosts import spark as spark
    from irpref.hosts.crosscheck import crosscheck as crosscheck
    from irpref.hosts.ir_measures import accelerate as accelerate
    from irpref.hosts.ir_measures import register_names as register_names
    from irpref.hosts.ir_measures import unregister_names as unregister_names
    from irpref.hosts.pyterrier import stages as transformers
    from irpref.judged.preferences import preferences_from as preferences_from
    from irpref.judged.types import Qrels as Qrels
    from irpref.judged.types import Run as Run
    from irpref.measures import settings as settings
    from irpref.measures.binding import bind as bind
    from irpref.measures.binding import with_known as with_known
    from irpref.show import plots as plots
    from irpref.show.report import report as report


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
    "RangeWarning",
    "ScaleWarning",
    "TieWarning",
    "UnknownMeasureError",
    "evaluator",
    "host",
    "parse",
    "parse_all",
    "pt",
    "score",
    "transformers",
]
__all__ += measures.__all__
__all__ += [name for name in (*_MODULES, *_FUNCTIONS) if name not in __all__]
