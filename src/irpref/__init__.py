"""Evaluation measures that ir_measures and PyTerrier lack.

Importing the package registers its measures and their names with ir_measures. You can then use them
like the built-in ones in `ir_measures.calc_aggregate`, `pt.Experiment` and everything built on
them. All that goes beyond single values (comparisons, a gate for CI, leaderboards, LLM judges) is
in the package `irpref_lab`.

>>> import ir_measures
>>> from irpref import RPref
>>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
>>> run = {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}}
>>> ir_measures.calc_aggregate([RPref(norm="relative2")], qrels, run)
{RPref(norm='relative2'): 0.5555555555555556}
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from irpref import measures
from irpref.errors import CutWarning as CutWarning
from irpref.errors import DegenerateWarning as DegenerateWarning
from irpref.errors import DuplicateWarning as DuplicateWarning
from irpref.errors import IrprefError as IrprefError
from irpref.errors import IrprefWarning as IrprefWarning
from irpref.errors import RangeWarning as RangeWarning
from irpref.errors import ScaleWarning as ScaleWarning
from irpref.errors import UnknownMeasureError as UnknownMeasureError
from irpref.hosts.ir_measures import IrprefProvider as _IrprefProvider
from irpref.hosts.ir_measures import install as _install
from irpref.hosts.ir_measures import register_names as register_names
from irpref.measures import *  # noqa: F403
from irpref.measures.declare import MeasureLike as MeasureLike
from irpref.measures.names import parse as parse
from irpref.measures.names import parse_all as parse_all

__version__ = "0.1.0"

_install(_IrprefProvider())
register_names()

# `from irpref import *` brings the measures, as `from ir_measures import *` does, and replaces
# nothing else.
__all__ = list(measures.__all__)

# Loaded on first use, so that `import irpref` stays light: each name and the module that has it.
_LATER = {
    "Judgments": "judged.judgments",
    "QrelsLike": "judged.types",
    "RunLike": "judged.types",
    "Run": "judged.run",
    "accelerate": "hosts.ir_measures",
    "bind": "values.binding",
    "cite": "measures.citations",
    "crosscheck": "hosts.other_tools",
    "evaluator": "values.evaluator",
    "evidence": "observed.gathering",
    "explain": "show.explained",
    "judgments": "judged.judgments",
    "preferences_from": "judged.judgments",
    "read_preferences": "data.preference_files",
    "read_qrels": "data.tables",
    "read_run": "data.tables",
    "run": "judged.run",
    "score": "values.evaluator",
    "unregister_names": "hosts.ir_measures",
    "write_preferences": "data.preference_files",
}
_MODULES = (
    "curves",
    "datasets",
    "errors",
    "settings",
    "testing",
    "transformers",
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"irpref.{name}")
    if name in _LATER:
        return getattr(import_module(f"irpref.{_LATER[name]}"), name)
    hint = ""
    if name == "lab":
        hint = "; the lab is a package of its own: import irpref_lab"
    elif not name.startswith("_") and name in dir(import_module("irpref_lab")):
        hint = f"; did you mean irpref_lab.{name}?"
    # With the name and the object, Python suggests the nearest name.
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}{hint}",
        name=name,
        obj=sys.modules[__name__],
    )


def __dir__() -> list[str]:
    public = {
        name
        for name in globals()
        # Without modules that something has loaded: what is listed is always the same.
        if not name.startswith("_") and f"irpref.{name}" not in sys.modules
    }
    imported = {"Any", "annotations", "import_module", "sys"}  # what this file itself needs
    return sorted({*public - imported, *_LATER, *_MODULES, "__version__"})
