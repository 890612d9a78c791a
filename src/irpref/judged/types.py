"""Types of judgments and runs, for the signatures of everything that takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias


class Frame(Protocol):
    """A frame of pandas or polars (eager or lazy), with the column names of ir_measures or
    PyTerrier.
    """

    @property
    def columns(self) -> Any:
        """Names of the columns."""


class HasQrels(Protocol):
    """A data set of ir_datasets with judgments."""

    def qrels_iter(self) -> Iterator[Any]:
        """Yield the judgments, one by one."""


class HasScoredDocs(Protocol):
    """A data set of ir_datasets with a run."""

    def scoreddocs_iter(self) -> Iterator[Any]:
        """Yield the scored documents, one by one."""


class IsRun(Protocol):
    """A run that `irpref.run` read."""

    def rows(self) -> dict[str, list[tuple[str, float]]]:
        """Return documents and scores of each topic."""


_Table: TypeAlias = (
    Mapping[Any, Mapping[Any, float]] | Frame | Iterable[tuple[Any, ...]] | str | os.PathLike[str]
)

# Topic -> document -> grade; frames; rows with names (query_id, doc_id, relevance); a path, or the
# id of a data set.
QrelsLike: TypeAlias = _Table | HasQrels
# The same with scores, or read once.
RunLike: TypeAlias = _Table | HasScoredDocs | IsRun
# Several runs by name; a list of paths, named by their files.
Runs: TypeAlias = Mapping[Any, RunLike] | Iterable[str | os.PathLike[str]]
# The same, or name and run one by one, loaded as they are asked for.
EachRun: TypeAlias = Runs | Iterable[tuple[Any, RunLike]]
# Topic -> group; a path of lines `topic group`, or the name of a column of the qrels.
Groups: TypeAlias = Mapping[Any, Any] | str | os.PathLike[str]
