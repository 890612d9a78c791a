"""Intermediate results that several measures need of a run or of judgments, computed once and kept
there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_NOTHING = object()


class HasMemo:
    """A run or judgments, with the results that measures have computed from it so far."""

    def __init__(self) -> None:
        self._memo: dict[Hashable, Any] = {}

    def memo(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return `compute()`, called only the first time that `key` is asked for.

        The key is the function whose result it is, or a tuple that begins with it and goes on with
        its arguments: see `shared`."""
        # Looked up once: another thread may trim it.
        value = self._memo.get(key, _NOTHING)
        if value is _NOTHING:
            value = self._memo[key] = compute()
        kept: T = value
        return kept


def shared(compute: F) -> F:
    """Keep what a function returns with its first argument, a run or judgments: it is computed once
    for the same further arguments.

    >>> class Run(HasMemo):
    ...     @shared
    ...     def doubled(self, number):
    ...         print("computed")
    ...         return 2 * number
    >>> run = Run()
    >>> run.doubled(2), run.doubled(2)
    computed
    (4, 4)
    """

    @wraps(compute)
    def kept(owner: HasMemo, *arguments: Hashable) -> Any:
        return owner.memo((kept, *arguments), lambda: compute(owner, *arguments))

    return kept  # type: ignore[return-value]  # the same signature
