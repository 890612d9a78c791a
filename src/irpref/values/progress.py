"""A progress bar on a terminal, and nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

T = TypeVar("T")


def progress(
    items: Iterable[T], total: int, unit: str = "run"
) -> AbstractContextManager[Iterable[T]]:
    """Show a bar on standard error that counts the items, if that is a terminal.

    Parameters
    ----------
    items : iterable
    total : int
        How many there are. A bar is shown from two on.
    unit : str
        The name of an item.

    Returns
    -------
    context manager
        Gives the iterable; the bar is cleared at its end, errors included.
    """
    if total < 2 or sys.stderr is None or not sys.stderr.isatty():
        return nullcontext(items)
    from tqdm import tqdm

    return tqdm(items, total=total, unit=f" {unit}", leave=False, dynamic_ncols=True)
