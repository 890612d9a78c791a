"""The examples by name."""

from __future__ import annotations

from functools import cache

from irpref.datasets.example import Example
from irpref.messages import did_you_mean

SYNTHETIC = "synthetic"


@cache
def _worked() -> dict[str, Example]:
    from irpref.datasets import graded, position, preference, textbook

    worked = (*preference.EXAMPLES, *graded.EXAMPLES, *position.EXAMPLES, *textbook.EXAMPLES)
    return {example.id: example for example in worked}


@cache
def _synthetic() -> Example:
    from irpref.datasets.synthetic import generate

    return generate()


def examples() -> list[str]:
    """Return the names `load` accepts: the worked examples, then `synthetic`."""
    return [*_worked(), SYNTHETIC]


def load(id: str) -> Example:
    """Return an example.

    Parameters
    ----------
    id : str
        One of `examples()`.

    Returns
    -------
    Example
        The same object on every call.

    Raises
    ------
    KeyError
        If there is no such example; the message names the nearest.
    """
    if id == SYNTHETIC:
        return _synthetic()
    if id not in _worked():
        hint = did_you_mean(id, examples(), cutoff=0.4) or "."
        raise KeyError(f"no example {id!r}{hint} There are {', '.join(examples())}")
    return _worked()[id]
