"""`pt.irpref`: the plugin and the lab for users of PyTerrier.

    import pyterrier as pt
    from pyterrier.measures import *            # AP, nDCG, ..., and RPref, QMeasure, ...

    bm25 >> pt.irpref.Condense(qrels) >> pt.irpref.PerQuery(qrels, [RPref(norm="relative2")])
    pt.Experiment(systems, topics, qrels, ["map", "RPref(norm='relative2')"])
    pt.irpref.compare(systems, topics, qrels, ["RPref(norm='relative2')"])

It holds

- the stages `Judge`, `Condense`, `Explain`, `PerQuery` and `Oracle`;
- `GridSearch` and `KFoldGridSearch` for measures of either direction;
- functions that take `(systems, topics, qrels, measures, names=None, ...)`, as `pt.Experiment`
  does: `crosscheck` and `explain`, and from the lab `against`, `check`, `compare`, `gate`,
  `intervals`, `leaderboard` and `report`;
- `qrels` for judgments as a frame, with grades that count up;
- `table` for the result of `pt.Experiment`, and `randomisation_test` for its argument `test`;
- the measures, and everything else that `irpref` and `irpref_lab` export: these functions take
  PyTerrier's frames as they take all others.

Neither half of the package imports the other for this: it is put together here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import irpref
import irpref_lab
from irpref.messages import did_you_mean

# Names that only PyTerrier's users need, or that are called as `pt.Experiment` here.
_HOMES = {
    **dict.fromkeys(("Condense", "Explain", "Judge", "Oracle", "PerQuery"), "irpref.transformers"),
    **dict.fromkeys(("GridSearch", "KFoldGridSearch"), "irpref.hosts.pyterrier.tuning"),
    **dict.fromkeys(("crosscheck", "explain"), "irpref.hosts.pyterrier.calls"),
    **dict.fromkeys(
        ("against", "check", "compare", "gate", "intervals", "leaderboard", "report"),
        "irpref_lab.pyterrier",
    ),
    "qrels": "irpref.hosts.pyterrier.systems",
    "randomisation_test": "irpref_lab.decide.significance",
    "table": "irpref.show.experiment",
}
# What packages are built with, or are annotated with; all of it can be reached here all the same.
_FOR_PACKAGES = frozenset(
    (
        *("MeasureLike", "QrelsLike", "RunLike"),
        *("settings", "testing", "transformers"),
        *("register_names", "unregister_names"),
    )
)


def __getattr__(name: str) -> Any:
    # Not imported above: `import pyterrier` stays light, and `irpref.transformers`, which imports
    # PyTerrier, may be half loaded when this module runs.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in (irpref, irpref_lab):
        if name in dir(module):
            return getattr(module, name)
    if hasattr(irpref, name):  # a package within it; `irpref.values` is one, and a function above
        return getattr(irpref, name)
    near = did_you_mean(name, __dir__())
    raise AttributeError(f"pt.irpref has no attribute {name!r}{near}")


def __dir__() -> list[str]:
    names = {*dir(irpref), *dir(irpref_lab)} - _FOR_PACKAGES
    return sorted({*_HOMES, *(name for name in names if not name.startswith("_"))})
