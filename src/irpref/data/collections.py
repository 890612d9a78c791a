"""Data sets of ir_datasets, by their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from irpref.errors import InputError
from irpref.messages import IrprefWarning, did_you_mean, no_such_file, warn_user

# Collections whose grades count down: each grade of the file on a scale that counts up (others are
# left out), and why.
TURNED: dict[str, tuple[dict[int | float, int | float], str]] = {
    "cranfield": (
        {4: 1, 3: 2, 2: 3, 1: 4},
        "Take 5 - grade and leave out -1: the file has Cleverdon's codes, where 1 is a complete "
        "answer and 4 of "
        "minimum interest, and ir_datasets describes them the other way round. One document of "
        "each topic has -1, "
        "mostly the paper that the question came from (median rank 2 or 3 under BM25).",
    )
}

# How people call the collections of tracks at TREC: dl19, DL 2019.
_SHORT = re.compile(r"([a-z]+)(?:20)?([0-9]{2})")
_NUMBER = re.compile(r"[0-9]+")


class SubtopicQrel(NamedTuple):
    """A judgment of a document for a subtopic, named as ir_measures and its diversity measures
    expect it.
    """

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


def dataset(name: str, what: str = "qrels") -> Any:
    """Load a data set of ir_datasets, ours included.

    Parameters
    ----------
    name : str
        Its id.
    what : 'qrels' or 'scoreddocs'
        What it must have: judgments (pairs of documents will do), or results.

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
        raise ImportError(
            "data sets of ir_datasets need the package: pip install ir_datasets"
        ) from None
    from irpref.datasets import register

    try:
        if name.startswith("irpref/"):
            register()
        data = ir_datasets.load(name)
    except KeyError:
        register()  # a name of ours may be meant
        raise InputError(
            f"ir_datasets has no data set {name!r}{_nearest(name, list(ir_datasets.registry))}",
            value=name,
        ) from None
    is_judged = data.has_qrels() or data.has_docpairs()
    if not (is_judged if what == "qrels" else data.has_scoreddocs()):
        raise InputError(f"the ir_datasets data set {name!r} has no {what}", value=name)
    return data


def _nearest(name: str, known: list[str]) -> str:
    """Suggest the data set that was probably meant, as the end of a message: the shortest name of
    which this is a part, else one with the same numbers that looks much like it.
    """
    typed = _plain(name)
    parts = {other: list(map(_plain, other.split("/"))) for other in known}
    whole = [other for other in known if typed in parts[other]]
    if not whole and (short := _SHORT.fullmatch(typed)):
        track = f"trec{short[1]}20{short[2]}"
        whole = [other for other in known if parts[other][-1] == track]
    among = whole or [other for other in known if typed and typed in _plain(other)]
    if among:
        return f"; did you mean {min(among, key=len)!r}?"
    numbers = _NUMBER.findall(typed)
    return did_you_mean(name, [other for other in known if _NUMBER.findall(other) == numbers], 0.8)


def _plain(name: str) -> str:
    """Return a name in small letters, without hyphens and underscores."""
    return name.lower().replace("-", "").replace("_", "")


def judgments(data: Any, preferences: bool | None = False) -> Any:
    """Read judgments of a data set, in the form in which files of judgments are read.

    Parameters
    ----------
    data : data set of ir_datasets
    preferences : bool or None
        Whether pairs of documents (docpairs) are wanted if there are any; the first of each is the
        better one.

    Returns
    -------
    list of namedtuples, or frame of preferences

    Warns
    -----
    IrprefWarning
        The judgments are a sample, with the probability of each (`iprob`); their grades count down
        and were turned round.
    """
    if preferences and getattr(data, "has_docpairs", bool)():
        import pandas as pd

        pairs = [
            (pair.query_id, "0", str(number), doc, level)
            for number, pair in enumerate(data.docpairs_iter())
            for doc, level in ((pair.doc_id_a, 1), (pair.doc_id_b, 0))
        ]
        return pd.DataFrame(pairs, columns=["query_id", "group", "subgroup", "doc_id", "relevance"])
    rows: list[Any] = list(data.qrels_iter())
    name = getattr(data, "dataset_id", str)()
    if name in TURNED:
        grades = TURNED[name][0]
        warn_user(
            f"the grades of {name} count down, but measures assume that higher is better: they are "
            f"read as {grades}, and judgments with other grades are left out",
            IrprefWarning,
        )
        rows = [
            row._replace(relevance=grades[row.relevance]) for row in rows if row.relevance in grades
        ]
    return as_host(rows)


def as_host(rows: list[Any]) -> list[Any]:
    """Name judgments of ir_datasets as ir_measures expects; rows of anything else stay
    unchanged.

    Warns
    -----
    IrprefWarning
        They are a sample, with the probability of each (`iprob`).
    """
    fields = getattr(rows[0], "_fields", ()) if rows else ()
    if "subtopic_id" in fields:
        return [
            SubtopicQrel(row.query_id, row.doc_id, row.relevance, str(row.subtopic_id))
            for row in rows
        ]
    if "iprob" in fields:
        warn_user(
            "these judgments are a sample: measures here do not use its probabilities (iprob), so "
            "their values do not estimate those for the whole pool",
            IrprefWarning,
            column="iprob",
        )
    return rows


def dataset_named(name: str, what: str) -> Any:
    """Load the data set of ir_datasets with this id; `what` as `dataset` takes it. Raise
    `FileNotFoundError` if there is none.
    """
    try:
        return dataset(name, what)
    except (ImportError, ValueError) as error:
        why = f" ({error})" if isinstance(error, ImportError) else f", and {error}"
        raise no_such_file(name, f"no such file{why}") from None


def not_loaded(name: str, error: Exception) -> InputError:
    """Make the error for a data set that ir_datasets cannot load. Failed downloads fill pages: only
    hosts are named.
    """
    hosts = dict.fromkeys(_not_reached(error))
    why = f"no connection to {', '.join(hosts)}" if hosts else str(error)
    return InputError(f"ir_datasets could not load it ({why})", path=name)


def _not_reached(error: object) -> Iterator[str]:
    """Yield the hosts that did not answer, of requests without a response. If all sources fail,
    ir_datasets puts their errors into a list.
    """
    from urllib.parse import urlsplit

    if isinstance(error, (list, tuple)):
        for part in error:
            yield from _not_reached(part)
    elif isinstance(error, Exception):
        url = getattr(getattr(error, "request", None), "url", None)
        host = urlsplit(url).hostname if isinstance(url, str) else None
        if host and getattr(error, "response", None) is None:
            yield host
        else:
            yield from _not_reached(error.args)
