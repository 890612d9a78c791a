"""Worked examples as data, and a small synthetic collection.

The one home of expected values: tests, doctests, documentation and the demonstration read them here.

>>> from irpref.datasets import examples, load
>>> examples()[0]
'rpref-figure-1'
>>> example = load("p-measure-figure-1")
>>> example.runs["X"]
{'1': {'B1': 2.0, 'S1': 1.0}}
>>> [str(e.value) for e in example.expected if (e.run, e.measure) == ("X", "PMeasure")]
['6/7']

Each example is also an ir_datasets dataset (`ir_datasets.load("irpref/p-measure-figure-1")`, see `register`)
and a PyTerrier dataset (`pt.get_dataset("irpref:p-measure-figure-1")`).
"""

from __future__ import annotations

from functools import cache

from irpref.datasets.example import Curve, Document, Example, Expected, agrees
from irpref.messages import did_you_mean
from irpref.registration import register

__all__ = ["Curve", "Document", "Example", "Expected", "agrees", "examples", "load", "register"]

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
