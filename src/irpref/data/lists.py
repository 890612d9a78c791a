"""Lists of ids, as tools for retrieval-augmented generation have them: a ranking, best
first, or documents that are relevant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from irpref.data.columns import NAMES, RANK, Reading
from irpref.errors import ColumnError, InputError, Remedy

_RELEVANT = "relevance"


def are_ids(docs: Any, value: str) -> bool:
    """Return whether these are ids of documents without scores or grades; a set has no order."""
    kinds: Any = (list, tuple) if value == "score" else (list, tuple, set, frozenset)
    return isinstance(docs, kinds) and all(isinstance(doc, (str, int, bytes)) for doc in docs)


def hold_ids(data: Mapping[Any, Any], value: str) -> bool:
    """Return whether each topic of a mapping holds ids of documents without scores or grades."""
    return bool(data) and all(are_ids(docs, value) for docs in data.values())


def numbered(docs: Collection[Any], value: str) -> dict[Any, float]:
    """Give ids the numbers that their list stands for: scores that fall by 1 from rank to rank, the
    first occurrence of an id counts; or grade 1.
    """
    different = dict.fromkeys(docs)
    if value != "score":
        return dict.fromkeys(different, 1.0)
    return dict(zip(different, map(float, range(len(different), 0, -1)), strict=True))


def as_lists(column: str) -> Remedy:
    """Return the remedy for a column of lists of ids that nobody has named."""
    return Remedy("columns", {"doc_id": column}, effect="says that these are lists of ids")


def check_no_distances(how: Reading, **place: Any) -> None:
    """Raise `ColumnError` if the order of a list is the rank, and the lowest is said to be the
    best.
    """
    if how.lower_is_better:
        raise ColumnError(
            "holds lists of ids, best first, so leave out lower_is_better",
            parameter="lower_is_better",
            **place,
        )


def one_by_one(
    entry: Mapping[str, Any], value: str, how: Reading, **place: Any
) -> Iterator[Mapping[str, Any]]:
    """Turn a record whose document is a list of ids into records of one document each; others are
    passed on.

    Parameters
    ----------
    entry : mapping
        With names of columns.
    value : 'score' or 'relevance'
    how : Reading
        Its columns name the list, and perhaps one of numbers beside it: a list is not guessed.
    **place : attributes of errors

    Raises
    ------
    InputError
        The list holds something else than ids, or the one beside it is not as long.
    """
    ours = next((name for name in how.columns.get("doc_id", ()) if name in entry), None)
    docs = None if ours is None else entry[ours]
    if ours is None or not isinstance(docs, (list, tuple, set, frozenset)):
        yield entry
        return
    if not are_ids(docs, value):
        raise InputError(f"{ours!r} is no list of ids", column=ours, **place)
    _check_role(ours, value, how, **place)
    rest = {name: cell for name, cell in entry.items() if name != ours}
    beside = next((name for name in how.columns.get(value, ()) if name in entry), None)
    if beside is not None:
        numbers = entry[beside]
        if not isinstance(numbers, Sequence) or len(numbers) != len(docs):
            raise InputError(f"{beside!r} is no list as long as {ours!r}", column=beside, **place)
        for doc, number in zip(docs, numbers, strict=True):
            yield {**rest, ours: doc, beside: number}
        return
    if value == "score":
        _check_order(entry, docs, how, **place)
    rest = {name: cell for name, cell in rest.items() if name not in NAMES[value]}
    ranks = enumerate(dict.fromkeys(docs), 1)
    for rank, doc in ranks:
        yield {**rest, ours: doc, **({RANK: rank} if value == "score" else {_RELEVANT: 1})}


def _check_role(column: str, value: str, how: Reading, **place: Any) -> None:
    """Raise `ColumnError` if the lists of a file are read as rankings and as judgments, where both
    are read alike.
    """
    if not how.shared:
        return
    file = ("lists", place.get("path"), column)
    other = "relevance" if value == "score" else "score"
    if (other, *file) in how.used:
        raise ColumnError(
            f"has one column for the rankings and the judgments, {column!r}: write the judgments "
            f"to a file of their own",
            column=column,
            path=place.get("path"),
        )
    how.used.add((value, *file))


def _check_order(
    entry: Mapping[str, Any], docs: Collection[Any], how: Reading, **place: Any
) -> None:
    """Raise `ColumnError` if scores beside a ranking, which nobody has named, have another
    order.
    """
    for name in ("score", "scores"):
        scores = entry.get(name)
        if not isinstance(scores, (list, tuple)) or len(scores) != len(docs):
            continue
        numbers = [score for score in scores if isinstance(score, (int, float))]
        if numbers != sorted(numbers, reverse=True):
            columns = {ours: theirs[0] for ours, theirs in how.columns.items()}
            raise ColumnError(
                f"has lists that are not in the order of {name!r}: name it, too",
                remedy=Remedy("columns", {**columns, "score": name}, effect="takes its numbers"),
                column=name,
                path=place.get("path"),
            )


def listed_one_by_one(data: Any, value: str, how: Reading) -> Any:
    """Turn records in memory into a frame, with one document a row where they hold lists.

    Anything else is passed on, and records of which `how` says nothing.

    Parameters
    ----------
    data : any form
        Records are a list of mappings or namedtuples, or the rows of a frame of pandas or polars
        that has lists.
    value : 'score' or 'relevance'
    how : Reading

    Raises
    ------
    InputError
        As `one_by_one`.
    """
    if not (how.columns or how.lower_is_better):
        return data
    if isinstance(data, list) and data and isinstance(data[0], Mapping):
        records = data
    elif isinstance(data, list) and data and hasattr(data[0], "_asdict"):  # namedtuples
        records = [row._asdict() for row in data]
    elif hasattr(data, "to_dict") and hasattr(data, "itertuples"):  # of pandas
        if not _are_objects(data, how):
            return data
        records = data.to_dict("records")
    elif hasattr(data, "to_dicts") and hasattr(data, "columns"):  # of polars
        if not any(data.schema[name].is_nested() for name in _there(data.columns, how)):
            return data
        records = data.to_dicts()
    else:
        return data
    import pandas as pd

    rows = [row for one in records for row in _row(one, value, how)]
    return pd.DataFrame(rows)


def _row(record: Mapping[str, Any], value: str, how: Reading) -> Iterator[Mapping[str, Any]]:
    """Yield records of one document each; arrays are lists."""
    plain = {
        name: cell.tolist() if type(cell).__name__ == "ndarray" else cell
        for name, cell in record.items()
    }
    return one_by_one(plain, value, how)


def _there(present: Iterable[Any], how: Reading) -> list[str]:
    """Select the columns of documents that are there."""
    names = how.columns.get("doc_id", ())
    return [name for name in names if name in list(present)]


def _are_objects(frame: Any, how: Reading) -> bool:
    """Return whether a frame of pandas has lists in its column of documents."""
    kinds = (list, tuple, set, frozenset)
    for name in _there(frame.columns, how):
        first = next(iter(frame[name].tolist()), None)
        if isinstance(first, kinds) or type(first).__name__ == "ndarray":
            return True
    return False
