"""Load the examples by name from the data files of this package.

A collection (`cast2021`, `synthetic`) is a folder. Its `documents.tsv.gz` has a line for each
document that was judged or retrieved for a topic: the grade, empty if the document is unjudged, and
the score in each run, empty if the run does not return it. Its `about.json` has the rest. The
judgments and runs of `cast2021` are MIT licensed, see its `LICENSE`; the runs are cut to the judged
topics. The queries were written by others and are not included.

Each file of `worked/*.json` holds one worked example. Numbers that must stay exact are text:
`"904/1216"` is a fraction, `"0.25"` under `printed` has the decimals of its source, and a vector
(`"0 -1 2/3"`) has its numbers separated by blanks; a number with a point in it is a double (a
logarithm was taken). `"d2 d1"` is a ranking. `worked` shows the calculation."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from irpref.datasets.example import Curve, Example, Expected, Number
from irpref.messages import did_you_mean

COLLECTIONS = ("cast2021", "synthetic")
_HOME = files(__package__)
_Value = TypeVar("_Value")


def examples() -> list[str]:
    """Return the names `load` accepts: the worked examples, then the collections."""
    return [
        *sorted(file.name.removesuffix(".json") for file in (_HOME / "worked").iterdir()),
        *COLLECTIONS,
    ]


@cache
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
    if id in COLLECTIONS:
        return _collection(id)
    if id not in examples():
        hint = did_you_mean(id, examples(), cutoff=0.4) or "."
        raise KeyError(f"no example {id!r}{hint} There are {', '.join(examples())}")
    return _worked(json.loads((_HOME / "worked" / f"{id}.json").read_text("utf-8")))


@cache
def about(id: str) -> Mapping[str, Any]:
    """Return the contents of a collection's `about.json`: title, source, grades, run names, queries
    if shipped.
    """
    contents: Mapping[str, Any] = json.loads((_HOME / id / "about.json").read_text("utf-8"))
    return contents


def _collection(id: str) -> Example:
    """Read the two files of a collection."""
    told = about(id)
    qrels: dict[str, dict[str, float]] = {}
    known: dict[str, set[str]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in told["runs"]}
    with (
        (_HOME / id / "documents.tsv.gz").open("rb") as packed,
        gzip.open(packed, "rt", encoding="utf-8") as lines,
    ):
        columns = next(lines).split()
        for line in lines:
            row = dict(zip(columns, line.rstrip("\n").split("\t"), strict=True))
            query_id, doc_id = row["query_id"], row["doc_id"]
            if row["relevance"]:
                qrels.setdefault(query_id, {})[doc_id] = int(row["relevance"])
            if "known" in row:
                known.setdefault(query_id, set()).update([doc_id] * (row["known"] == "1"))
            for name, topics in runs.items():
                if row[name]:
                    topics.setdefault(query_id, {})[doc_id] = float(row[name])
    return Example(
        id=id,
        title=told["title"],
        source=told["source"],
        queries=told.get("queries") or dict.fromkeys(qrels, ""),
        qrels=qrels,
        runs=runs,
        grades={int(grade): meaning for grade, meaning in told["grades"].items()},
        known={query_id: frozenset(docs) for query_id, docs in known.items()},
        wanted=told.get("expected", {}),
    )


def _worked(data: Mapping[str, Any]) -> Example:
    """Build the example that a file of `worked` holds."""
    printed = {
        (run, topic, name): _numbers(text)
        for run, topic, name, text in _each(data.get("printed_curves", {}))
    }
    return Example(
        **{name: data[name] for name in ("id", "title", "source", "queries", "qrels")},
        runs={
            run: {topic: _scores(docs) for topic, docs in topics.items()}
            for run, topics in data["runs"].items()
        },
        grades={
            float(grade) if "." in grade else int(grade): meaning
            for grade, meaning in data["grades"].items()
        },
        expected=(
            *(
                Expected(run, topic, name, _number(value))
                for run, topic, name, value in _each(data["expected"])
            ),
            *(
                Expected(run, topic, name, float(value), places=len(value.partition(".")[2]))
                for run, topic, name, value in _each(data.get("printed", {}))
            ),
        ),
        curves=tuple(
            Curve(
                run,
                topic,
                name,
                _numbers(text),
                tuple(map(float, printed.get((run, topic, name), ()))),
            )
            for run, topic, name, text in _each(data.get("curves", {}))
        ),
        known={topic: frozenset(docs.split()) for topic, docs in data.get("known", {}).items()},
        wanted=data.get("wanted", {}),
        worked="\n".join(data["worked"]),
    )


def _each(
    nested: Mapping[str, Mapping[str, Mapping[str, _Value]]],
) -> Iterator[tuple[str, str | None, str, _Value]]:
    """Yield run, topic (None for the mean), name and value, from a mapping of run to topic to name
    to value.
    """
    for run, topics in nested.items():
        for topic, named in topics.items():
            for name, value in named.items():
                yield run, None if topic == "mean" else topic, name, value


def _scores(ranked: str) -> dict[str, float]:
    """Return scores that rank the documents in the order written: the last one gets 1."""
    docs = ranked.split()
    return {doc_id: float(len(docs) - above) for above, doc_id in enumerate(docs)}


def _number(value: str | float) -> Number:
    return value if isinstance(value, float) else float(value) if "." in value else Fraction(value)


def _numbers(text: str) -> tuple[Number, ...]:
    return tuple(map(_number, text.split()))
