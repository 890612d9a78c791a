"""The entry points of PyTerrier.

PyTerrier loads entry points at the end of `import pyterrier`, and an error there breaks that import for everybody.
This is a package of its own, so that even if `import irpref` fails (another package owns the name of a measure, a
dependency is broken) you only get a warning, and an error that says what is wrong when you use `pt.irpref`.
"""

from __future__ import annotations

import warnings
from typing import Any


class Unavailable:
    """Takes the place of `pt.irpref` if irpref cannot be imported, and says why."""

    def __init__(self, cause: BaseException) -> None:
        self._cause = cause

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # asked for by inspection and notebooks
            raise AttributeError(name)
        raise ImportError(f"pt.irpref is not available, irpref cannot be imported: {self._cause}") from self._cause

    def __repr__(self) -> str:
        return f"<irpref, not available: {self._cause}>"


def load() -> Any:
    """Return what `pt.irpref` is bound to."""
    try:
        from irpref.hosts.pyterrier import load

        return load()
    except Exception as error:
        warnings.warn(f"pt.irpref is not available: {type(error).__name__}: {error}", stacklevel=2)
        return Unavailable(error)


def dataset_provider() -> Any:
    """Return the provider that `pt.get_dataset("irpref:...")` asks."""
    try:
        from irpref.hosts.pyterrier import dataset_provider

        return dataset_provider()
    except Exception as error:
        warnings.warn(f"no irpref datasets: {type(error).__name__}: {error}", stacklevel=2)
        return _no_datasets(error)


def _no_datasets(cause: BaseException) -> Any:
    import pyterrier as pt

    class NoDatasets(pt.datasets.DatasetProvider):
        def get_dataset(self, name: str) -> Any:
            raise ImportError(f"irpref cannot be imported: {cause}") from cause

        def list_dataset_names(self) -> list[str]:
            return []

    return NoDatasets()
