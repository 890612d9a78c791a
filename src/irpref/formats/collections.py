"""Data sets of ir_datasets, by their ids."""

from __future__ import annotations

import re
from typing import Any

from irpref.messages import did_you_mean


def dataset(name: str, what: str = "qrels") -> Any:
    """A data set of ir_datasets, ours included.

    Parameters
    ----------
    name : str
        Its id.
    what : 'qrels' or 'scoreddocs'
        What it must have.

    Raises
    ------
    ImportError
        ir_datasets is not installed.
    ValueError
        There is no such data set, or it has no judgments (no results, for 'scoreddocs').
    """
    try:
        import ir_datasets
    except ModuleNotFoundError as problem:
        if problem.name != "ir_datasets":
            raise
        raise ImportError("data sets of ir_datasets need the package: pip install ir_datasets") from None
    if name.startswith("irpref/"):
        from irpref.datasets import register

        register()
    try:
        found = ir_datasets.load(name)
    except KeyError:
        raise ValueError(f"ir_datasets has no data set {name!r}{did_you_mean(name, ir_datasets.registry)}") from None
    if not (found.has_qrels() if what == "qrels" else found.has_scoreddocs()):
        raise ValueError(f"the ir_datasets data set {name!r} has no {what}")
    return found


def not_loaded(name: str, error: Exception) -> ValueError:
    """The error for a data set of ir_datasets that could not be had; what failed downloads have to say fills pages."""
    hosts = re.findall(r"host=[\\'\"]+([\w.-]+)", str(error))
    why = f"no connection to {', '.join(dict.fromkeys(hosts))}" if hosts else str(error)
    return ValueError(f"{name}: ir_datasets could not load it ({why})")
