"""The examples by name, read from the data files of this package.

`worked/*.json` holds one worked example each. Numbers are text where they must stay exact: `"904/1216"` is a fraction,
`"0.25"` under `printed` has the decimals of its source, and a vector (`"0 -1 2/3"`) has its numbers apart by blanks; a
number with a point in it is a double (a logarithm was taken). `"d2 d1"` is a ranking. `worked` shows the calculation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from irpref.datasets import cast2021, synthetic
from irpref.datasets.example import Curve, Example, Expected, Number
from irpref.messages import did_you_mean

WORKED = files(__package__) / "worked"
_Value = TypeVar("_Value")
# How to make a collection, and its runs, which are named without making it.
COLLECTIONS = {"cast2021": (cast2021.read, cast2021.RUNS), "synthetic": (synthetic.generate, synthetic.RUNS)}


@cache
def _names() -> tuple[str, ...]:
    return (*sorted(file.name.removesuffix(".json") for file in WORKED.iterdir()), *COLLECTIONS)


def examples() -> list[str]:
    """Return the names `load` accepts: the worked examples, then the collections."""
    return list(_names())


@cache
def _load(id: str) -> Example:
    if id in COLLECTIONS:
        return COLLECTIONS[id][0]()
    return _read(json.loads((WORKED / f"{id}.json").read_text("utf-8")))


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
    if id not in _names():
        hint = did_you_mean(id, examples(), cutoff=0.4) or "."
        raise KeyError(f"no example {id!r}{hint} There are {', '.join(examples())}")
    return _load(id)


def runs_of(id: str) -> tuple[str, ...]:
    """Names of the runs of an example."""
    return COLLECTIONS[id][1] if id in COLLECTIONS else tuple(load(id).runs)


def _read(data: Mapping[str, Any]) -> Example:
    """The example that a file of `worked` holds."""
    printed = {(run, topic, name): _numbers(text) for run, topic, name, text in _each(data.get("printed_curves", {}))}
    return Example(
        id=data["id"],
        title=data["title"],
        source=data["source"],
        queries=data["queries"],
        qrels=data["qrels"],
        runs={
            run: {topic: _scores(ranked) for topic, ranked in topics.items()} for run, topics in data["runs"].items()
        },
        grades={float(grade) if "." in grade else int(grade): meaning for grade, meaning in data["grades"].items()},
        expected=(
            *(Expected(run, topic, name, _number(value)) for run, topic, name, value in _each(data["expected"])),
            *(
                Expected(run, topic, name, float(value), places=len(value.partition(".")[2]))
                for run, topic, name, value in _each(data.get("printed", {}))
            ),
        ),
        curves=tuple(
            Curve(run, topic, name, _numbers(text), tuple(map(float, printed.get((run, topic, name), ()))))
            for run, topic, name, text in _each(data.get("curves", {}))
        ),
        known={topic: frozenset(docs.split()) for topic, docs in data.get("known", {}).items()},
        wanted=data.get("wanted", {}),
        worked="\n".join(data["worked"]),
    )


def _each(nested: Mapping[str, Mapping[str, Mapping[str, _Value]]]) -> Iterator[tuple[str, str | None, str, _Value]]:
    """Run, topic (None for the mean), name and value of what a file holds by run, topic and name."""
    for run, topics in nested.items():
        for topic, named in topics.items():
            for name, value in named.items():
                yield run, None if topic == "mean" else topic, name, value


def _scores(ranked: str) -> dict[str, float]:
    """Scores that rank the documents in the order written: the last one gets 1."""
    docs = ranked.split()
    return {doc_id: float(len(docs) - above) for above, doc_id in enumerate(docs)}


def _number(value: str | float) -> Number:
    return value if isinstance(value, float) else float(value) if "." in value else Fraction(value)


def _numbers(text: str) -> tuple[Number, ...]:
    return tuple(map(_number, text.split()))
