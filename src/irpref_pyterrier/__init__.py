"""The entry points of PyTerrier.

PyTerrier loads entry points at the end of `import pyterrier`, and an error there breaks that import
for everybody. This is a package of its own, so that even if `import irpref` fails (another package
owns the name of a measure, a dependency is broken) you only get a warning, and an error that says
what is wrong when you use `pt.irpref`."""

from __future__ import annotations

import warnings
from typing import Any


class Unavailable:
    """Takes the place of `pt.irpref`, and of its data sets, if irpref cannot be imported, and says
    why.
    """

    def __init__(self, cause: BaseException) -> None:
        self._cause = cause

    def list_dataset_names(self) -> list[str]:
        """No data sets, so that those of others can be listed."""
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
    """Return what `pt.irpref` is bound to."""
    return _returned("load")


def dataset_provider() -> Any:
    """Return the provider that `pt.get_dataset("irpref:...")` asks."""
    return _returned("dataset_provider")


def _returned(function: str) -> Any:
    try:
        from irpref.hosts import pyterrier

        return getattr(pyterrier, function)()
    except Exception as error:
        warnings.warn(f"pt.irpref is not available: {type(error).__name__}: {error}", stacklevel=3)
        return Unavailable(error)
