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

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from irpref import measures
from irpref.hosts.ir_measures import IrprefProvider as _IrprefProvider
from irpref.hosts.ir_measures import install as _install
from irpref.measures import *  # noqa: F403
from irpref.measures.declare import MeasureLike
from irpref.measures.names import UnknownMeasureError, parse, parse_all
from irpref.messages import DegenerateWarning, DuplicateWarning, IrprefWarning, RangeWarning, ScaleWarning, TieWarning

__version__ = "0.2.0"

_install(_IrprefProvider())

__all__ = [
    *measures.__all__,
    "DegenerateWarning",
    "DuplicateWarning",
    "IrprefWarning",
    "MeasureLike",
    "RangeWarning",
    "ScaleWarning",
    "TieWarning",
    "UnknownMeasureError",
    "parse",
    "parse_all",
]

# What else `__init__.pyi` lists is loaded on first use, as it would slow `import irpref` down: name to where it is.
_HERE = os.path.dirname(__file__)
with open(os.path.join(_HERE, "__init__.pyi"), encoding="utf-8") as _file:
    _LINES = [line.split() for line in _file if line.startswith("from irpref") and " as " in line]
# A line is `from irpref.where import inside as name`.
_LATER = {name: (where[6:], inside) for _, where, _, inside, _, name in _LINES if name not in __all__}


def _is_module(where: str, inside: str) -> bool:
    path = f"{_HERE}{where.replace('.', os.sep)}{os.sep}{inside}"
    return os.path.exists(f"{path}.py") or os.path.exists(path)


_MODULES = {name for name, of in _LATER.items() if _is_module(*of)}
__all__ += _LATER


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        # With the name and the object, Python suggests the nearest name.
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    where, inside = _LATER[name]
    if name not in _MODULES:
        return getattr(import_module(__name__ + where), inside)
    sys.modules[f"{__name__}.{name}"] = found = import_module(f"{__name__}{where}.{inside}")
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


class _Alias(ModuleType):
    """A module under its public name: `import irpref.curves` finds it here, wherever it lives."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by the import system and by inspection
            raise AttributeError(name)
        return getattr(__getattr__(self.__name__.rpartition(".")[2]), name)


for _name in _MODULES:
    if _LATER[_name][0]:  # irpref.meta is there under its own name
        sys.modules.setdefault(f"{__name__}.{_name}", _Alias(f"{__name__}.{_name}"))
