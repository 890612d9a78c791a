"""The entry points of PyTerrier, and the one of ir_measures.

PyTerrier loads entry points at the end of `import pyterrier`, and an error there breaks that import
for everybody. This is a package of its own, so that even if `import irpref` fails (another package
owns the name of a measure, a dependency is broken) you only get a warning, and an error that names
the fault when you use `pt.irpref`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any


class Unavailable:
    """Takes the place of `pt.irpref`, and of its data sets, if irpref cannot be imported, and says
    why.
    """

    def __init__(self, cause: BaseException) -> None:
        self._cause = cause

    def list_dataset_names(self) -> list[str]:
        """Return no data sets, so that other packages' can be listed."""
        return []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # asked for by inspection and notebooks
            raise AttributeError(name)
        raise ImportError(
            f"pt.irpref is not available, irpref cannot be imported: {self._cause}"
        ) from self._cause

    def __repr__(self) -> str:
        return f"<irpref, not available: {self._cause}>"


def load() -> Any:
    """Add our measures to `pyterrier.measures`, and return the object that `pt.irpref` is bound
    to.
    """

    def namespace() -> Any:
        from irpref.hosts.pyterrier import add_measures
        from irpref_pyterrier import namespace

        add_measures()
        return namespace

    return _or_unavailable(namespace)


def dataset_provider() -> Any:
    """Return the provider that `pt.get_dataset("irpref:...")` asks."""

    def provider() -> Any:
        from irpref.hosts.pyterrier.example_datasets import ExampleDatasets

        return ExampleDatasets()

    return _or_unavailable(provider)


def plugin() -> None:
    """Import irpref for ir_measures, which loads plugins at the end of its own import.

    There is no provider to return: the import registers it. Where irpref is imported first, and
    imports ir_measures, this is called in the middle of its import, and has nothing to do.
    """
    if "irpref" not in sys.modules:
        import_module("irpref")


def _or_unavailable(entry_point: Callable[[], Any]) -> Any:
    try:
        return entry_point()
    except Exception as error:
        warnings.warn(f"pt.irpref is not available: {type(error).__name__}: {error}", stacklevel=3)
        return Unavailable(error)
