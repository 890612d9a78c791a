"""Warn before `pt.Experiment`, `pt.GridSearch` and `pt.KFoldGridSearch` take higher values of a
measure for better ones, if lower values are.

PyTerrier does not tell measures what they are evaluated for. So these three functions are wrapped:
each wrapper looks at the arguments, warns, and calls the function. `irpref.register_names` wraps
them, and `irpref.unregister_names` undoes it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from inspect import signature
from types import ModuleType
from typing import Any

import pyterrier as pt
from ir_measures.measures import Measure

from irpref.measures.names import parse_all
from irpref.messages import IrprefWarning, give

# Attribute of our wrappers that holds the function they replaced; it survives reloads.
_REPLACED = "irpref_host_function"


def _experiment(arguments: dict[str, Any]) -> str:
    lower = lower_is_better(arguments["eval_metrics"]) if "baseline" in arguments else ""
    if not lower or arguments["baseline"] is None:
        return ""
    return (
        f"{lower}: lower is better, but the columns '+' and '-' of pt.Experiment count topics "
        f"with a higher and a lower value: those in '+' got worse. pt.irpref.compare and "
        f"pt.irpref.table know the direction"
    )


def _search(arguments: dict[str, Any]) -> str:
    lower = lower_is_better([arguments["metric"]]) if "metric" in arguments else ""
    if not lower:
        return ""
    return (
        f"{lower}: lower is better, but pt.GridSearch and pt.KFoldGridSearch choose the "
        f"highest value; pt.irpref.GridSearch and pt.irpref.KFoldGridSearch choose the best"
    )


# What each function is wrong about, in words, by its arguments; empty if nothing is.
_FAULTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "Experiment": _experiment,
    "GridSearch": _search,
    "KFoldGridSearch": _search,
}


def lower_is_better(measures: Any) -> str:
    """The measures whose lower values are better, separated by commas. PyTerrier handles what is
    not a measure.
    """
    chosen: list[Measure] = []
    for measure in [measures] if isinstance(measures, (str, Measure)) else measures:
        with suppress(Exception):  # such as 'mrt', which only PyTerrier knows
            chosen += parse_all(measure)
    return ", ".join(str(m) for m in chosen if not getattr(m, "higher_is_better", True))


def wrap() -> None:
    """Wrap the functions wherever PyTerrier has bound them."""
    for name, fault in _FAULTS.items():
        function = getattr(pt, name)
        if not hasattr(function, _REPLACED):
            _replace(name, function, _warning_first(function, fault))


def unwrap() -> None:
    """Undo `wrap`."""
    for name in _FAULTS:
        wrapper = getattr(pt, name)
        if hasattr(wrapper, _REPLACED):
            _replace(name, wrapper, getattr(wrapper, _REPLACED))


def _replace(name: str, before: Any, after: Any) -> None:
    # Where it was defined, too: it is pickled by that name.
    for module in _modules(before):
        if getattr(module, name, None) is before:
            setattr(module, name, after)
    # The names of old versions of PyTerrier warn that they are old, and call the new ones.
    for old in vars(pt.pipelines).values():
        if getattr(old, "__wrapped__", None) is before:
            old.__wrapped__ = after


def _modules(function: Any) -> Iterator[ModuleType]:
    parts = function.__module__.split(".")
    for n in range(1, len(parts) + 1):
        module = sys.modules.get(".".join(parts[:n]))
        if module is not None:
            yield module


def _warning_first(function: Any, fault: Callable[[dict[str, Any]], str]) -> Any:
    """The function, which warns before it is called if its arguments are at fault."""
    parameters = signature(function)

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        text = ""
        with suppress(Exception):  # bad arguments are PyTerrier's to refuse
            bound = parameters.bind(*args, **kwargs)
            text = fault(bound.arguments)
        if text:
            give(IrprefWarning(text), once=True)
        return function(*args, **kwargs)

    setattr(wrapper, _REPLACED, function)
    return wrapper
