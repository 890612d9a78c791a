"""Old names that work for a while: each use warns, at the user's line, until which version.

`docs/stability.md` has the policy: what is renamed or removed works for at least one minor release
after the one that deprecates it, and for at least six months.

    @deprecated(since="0.3", removal="0.5", instead="irpref_lab.compare")
    def verdict(...): ...

    @deprecated_argument("n_samples", since="0.3", removal="0.5", new="samples")
    def stability(*, samples=100): ...

Old names of measures are in the table `deprecated` of `measures/names.toml`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from irpref.errors import ArgumentError, DeprecatedWarning
from irpref.messages import warn_user

P = ParamSpec("P")
R = TypeVar("R")


def warn_of(what: str, *, since: str, removal: str, instead: str = "") -> None:
    """Warn that something is deprecated.

    Parameters
    ----------
    what : str
        What was used, such as `irpref.verdict`.
    since, removal : str
        The version that deprecates it, and the one that will not have it.
    instead : str
        What to use; empty if there is nothing.

    Warns
    -----
    DeprecatedWarning
    """
    use = f"use {instead}" if instead else "nothing replaces it"
    warn_user(
        f"{what} is deprecated since irpref {since} and will be removed in {removal}: {use}",
        DeprecatedWarning,
        removal=removal,
    )


def deprecated(
    *, since: str, removal: str, instead: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Deprecate a function: calling it warns. The parameters are those of `warn_of`."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        what = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def warning(*args: P.args, **kwargs: P.kwargs) -> R:
            warn_of(what, since=since, removal=removal, instead=instead)
            return function(*args, **kwargs)

        return warning

    return decorate


def deprecated_argument(
    old: str, *, since: str, removal: str, new: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Deprecate an argument that callers give by name.

    Parameters
    ----------
    old : str
    since, removal : str
        As `warn_of` takes them.
    new : str, optional
        The argument that now has its value. Without it, the function still takes `old`.

    Raises
    ------
    ArgumentError
        A call gives both.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        what = f"the argument {old} of {function.__module__}.{function.__qualname__}"

        @wraps(function)
        def warning(*args: P.args, **kwargs: P.kwargs) -> R:
            if old in kwargs:
                warn_of(what, since=since, removal=removal, instead=new or "")
                if new is not None:
                    if new in kwargs:
                        raise ArgumentError(
                            f"{old} and {new} are one argument: give {new}", parameter=old
                        )
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return warning

    return decorate
