"""The lab: conclusions from values, and how far they can be trusted.

`compare`, `gate`, `against` and `leaderboard` tell you which system is better.
`intervals` shows how much ties, unjudged documents and the choice of topics can change a value, and
`topics_needed` how many topics you need. `check` finds problems in judgments and runs, and
`verify` recomputes a published table. `fill`, `judge`, `sample` and `sampled` make the most of few
human judgments, with the grades of an LLM or without. `report` writes an evaluation on one page,
and `meta` tests measures. The lab uses the plugin, `irpref`; the plugin works without it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

# Loaded on first use: each name and the module that has it.
_LATER = {
    "against": "decide.baseline",
    "check": "checking",
    "collections": "across",
    "compare": "decide.comparison",
    "fill": "judges.filling",
    "gate": "decide.gating",
    "intervals": "trust.intervals",
    "judge": "judges.predictions",
    "leaderboard": "decide.board",
    "report": "page",
    "sample": "judges.planning",
    "sampled": "judges.sampled",
    "topics_needed": "trust.design",
    "values": "given_values",
    "verify": "verifying",
}
_MODULES = {
    "meta": "meta",
    "plots": "plots",
    "significance": "decide.significance",
    "spark": "spark",
}

__all__ = sorted([*_LATER, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"irpref_lab.{_MODULES[name]}")
    if name in _LATER:
        return getattr(import_module(f"irpref_lab.{_LATER[name]}"), name)
    # With the name and the object, Python suggests the nearest name.
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__]
    )


def __dir__() -> list[str]:
    return list(__all__)
