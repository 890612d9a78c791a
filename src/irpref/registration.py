"""Making the examples known to ir_datasets, without importing ir_datasets before somebody needs it.

Importing ir_datasets takes several times as long as importing irpref, so irpref does not import it. Instead
`watch` waits for its import: whoever writes `import irpref` and `import ir_datasets`, in either order, finds
the examples under `ir_datasets.load("irpref/...")`.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

WATCHED = "ir_datasets"


def register() -> list[str]:
    """Register the examples with ir_datasets as `irpref/<example>` and `irpref/<example>/<run>`.

    Need not be called: importing irpref arranges for it to happen when ir_datasets is imported. Calling it
    again, also after a reload, does nothing.

    Returns
    -------
    list of str
        The ids registered now; empty if all of them had been registered before.

    Raises
    ------
    ImportError
        If ir_datasets is not installed.
    """
    try:
        import ir_datasets
    except ModuleNotFoundError as problem:
        if problem.name != "ir_datasets":
            raise
        raise ImportError("data sets of ir_datasets need the package: pip install ir_datasets") from None

    from irpref.datasets import irds

    if not hasattr(irds, "datasets"):
        return []  # irds is being imported and has just imported ir_datasets; it registers when it is done
    present = set(ir_datasets.registry)
    added = {name: dataset for name, dataset in irds.datasets().items() if name not in present}
    for name, dataset in added.items():
        ir_datasets.registry.register(name, dataset)
    return list(added)


def watch() -> None:
    """Register the examples as soon as ir_datasets is imported; at once if it already is."""
    if sys.modules.get(WATCHED) is not None:
        _register_quietly()
    elif not any(getattr(finder, "registers_irpref", False) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


def _register_quietly() -> None:
    try:
        register()
    except Exception as problem:  # the import of another package must not fail because of our examples
        warnings.warn(f"irpref could not register its examples with ir_datasets: {problem}", stacklevel=2)


class _Watcher:
    """Finds ir_datasets where the other finders do, and registers the examples once it has been executed."""

    registers_irpref = True  # a name rather than a class: after a reload the class is another one

    def __init__(self) -> None:
        self._searching = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != WATCHED or self._searching:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._searching = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            # Only now: a mere search for ir_datasets must not end the watch.
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            _register_quietly()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
