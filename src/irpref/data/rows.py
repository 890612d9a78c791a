"""Which rows of a run count: documents that are left out, repeated documents, and chunks that stand
for their document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from irpref.data.columns import Table, as_objects, objects
from irpref.errors import ArgumentError, RunError
from irpref.kernel.segments import Bools, Ints
from irpref.messages import IrprefWarning, check_choice, warn_user

REPEATS = ("last", "first", "best")
Pairs = frozenset[tuple[str, str]]  # of a topic and a document


def counted_row(repeats: str | None, documents: Mapping[str, str] | str | None) -> str | None:
    """Return which row of a repeated document counts: of chunks, the best, if nothing else is said;
    None if nothing is said of documents, of which the last row then counts, with a warning.

    Raises
    ------
    ValueError
        There is no such rule.
    """
    rule = "best" if repeats is None and documents is not None else repeats
    if rule is not None:
        check_choice("repeats", rule, REPEATS)
    return rule


def pairs_in(documents: Mapping[Any, Any]) -> set[tuple[str, str]]:
    """Return topic and id of documents, from a mapping of topic to documents."""
    listed = {
        t: [docs] if isinstance(docs, (str, bytes)) else docs for t, docs in documents.items()
    }
    return {(id_text(topic), id_text(doc)) for topic, docs in listed.items() for doc in docs}


def id_text(name: object) -> str:
    """Return the id of a topic or document, or another name, as text: bytes are UTF-8, anything
    else is its `str`.
    """
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else str(name)


def without_own(run: Table) -> Table:
    """Leave out documents that have the id of their topic; ids are text."""
    own = np.asarray(as_objects(run.doc_id) == as_objects(run.query_id), bool)
    return _kept(run, ~own)


def without(run: Table, excluded: Pairs) -> Table:
    """Leave out some documents of some topics; ids are text."""
    pairs = zip(as_objects(run.query_id).tolist(), as_objects(run.doc_id).tolist(), strict=True)
    return _kept(run, np.array([pair not in excluded for pair in pairs], bool))


def warn_of_exclusion(run: Table, excluded: Pairs) -> None:
    """Say that a run holds none of the documents that are left out."""
    topics = {topic for topic, _ in excluded}
    here = topics.intersection(as_objects(run.query_id).tolist())
    docs, of_topics = (
        f"{n:,} {what}{'s' * (n != 1)}"
        for n, what in ((len(excluded), "document"), (len(topics), "topic"))
    )
    why = "" if here else f" (such as {min(topics)!r}): are the ids of topics the same?"
    warn_user(
        f"exclude leaves out nothing: the run holds 0 of its {docs}, and {len(here):,} of its "
        f"{of_topics}{why}",
        IrprefWarning,
        parameter="exclude",
    )


def one_each(run: Table, repeats: str) -> Table:
    """Keep one row of each repeated document of a topic; ids are text.

    Parameters
    ----------
    run : Table
    repeats : {'last', 'first', 'best'}
        The last row, the first, or the first of those with the highest score.
    """
    import pandas as pd

    topic, doc = (pd.factorize(as_objects(ids))[0] for ids in (run.query_id, run.doc_id))
    rows: Ints = np.arange(len(run))
    if repeats == "best":
        rows = np.lexsort((rows, -run.value))
    elif repeats == "last":
        rows = rows[::-1]
    again = pd.DataFrame({"topic": topic[rows], "doc": doc[rows]}).duplicated().to_numpy()
    kept = np.ones(len(run), bool)
    kept[rows[again]] = False
    return _kept(run, kept)


def of_documents(run: Table, documents: Mapping[str, str] | str) -> Table:
    """Give each row the id of the document that its chunk belongs to; ids are text.

    Parameters
    ----------
    run : Table
    documents : mapping of chunk to document, or pattern whose group is the id of the document

    Raises
    ------
    ValueError
        A chunk has no document; the pattern is malformed or has no group.
    """
    chunks = as_objects(run.doc_id).tolist()
    document_of = documents.get if isinstance(documents, Mapping) else matcher(documents)
    of_chunk: dict[str, Any] = {chunk: document_of(chunk) for chunk in dict.fromkeys(chunks)}
    for chunk, document in of_chunk.items():
        if document is None:
            raise RunError(f"documents: there is no document for {chunk!r}", doc=chunk)
    return replace(run, doc_id=objects([str(of_chunk[chunk]) for chunk in chunks]))


def matcher(pattern: str) -> Any:
    """Return a function from a chunk to the first group of the pattern, None without a match."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ArgumentError(
            f"documents={pattern!r} is no regular expression ({error})",
            parameter="documents",
            value=pattern,
        ) from None
    if not compiled.groups:
        raise ArgumentError(
            f"documents={pattern!r} has no group, expected a pattern such as '^(.*)#', whose group "
            f"is the id of the document",
            parameter="documents",
            value=pattern,
        )

    def document_of(chunk: str) -> str | None:
        match = compiled.search(chunk)
        return match[1] if match else None

    return document_of


def _kept(run: Table, kept: Bools) -> Table:
    return run if kept.all() else run.rows(np.flatnonzero(kept))
