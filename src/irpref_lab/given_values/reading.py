"""Any form of values by topic to `Values`: tables, files, folders, and results of tools."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from irpref.data import run_names
from irpref.errors import ArgumentError, InputError, Remedy
from irpref.judged import unwrapped
from irpref.measures.declare import MeasureLike
from irpref.values import TopicValues
from irpref_lab.given_values.basis import GivenValues
from irpref_lab.given_values.given import Values
from irpref_lab.given_values.summaries import without_summaries
from irpref_lab.given_values.tables import (
    MEANS,
    NOT_READ,
    WIDE,
    checked_columns,
    frame_of_records,
    known_measure,
    made,
    rows_of,
)
from irpref_lab.given_values.texts import check_known, files_of, read_file

_DEPTH_OF_SYSTEMS = 3  # levels of mappings of systems, measures and topics down to numbers


def values(
    data: Any,
    *,
    measure: MeasureLike | None = None,
    higher_is_better: bool | Mapping[str, bool] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> GivenValues:
    """Read values by topic that another tool computed, to compare systems by them.

    Parameters
    ----------
    data : table, file, folder, mapping, or the result of a tool
        - a frame (pandas, polars), long or wide: a row for each value, with columns `system`,
          `topic`, `measure`, `value`; or a row for each topic, and a column for each measure. The
          result of `pt.Experiment(perquery=True)` is one;
        - the path of a file: the text of `trec_eval -q` or `ir_measures -q`, or such a table as
          CSV, TSV, JSON or JSON lines. The system has the name of the file, unless a column names
          it;
        - a folder of such files, or the `save_dir` of `pt.Experiment`;
        - a list of paths, a list of records (fields inside others are columns `outer.inner`), or a
          mapping of name of a system to any of these;
        - mappings of numbers, for one system or, by name, for several: topic to measure to value
          (`pytrec_eval`), or measure to topic to value (the `scores` of a run of ranx);
        - `irpref_lab.meta.TopicValues`, or several.
    measure : measure or name, optional
        The measure's name if the data do not have it. If each column of a wide table is a system,
        this says so.
    higher_is_better : bool or mapping of measure to bool, optional
        For measures that irpref does not know; by default higher values are better.
    columns : mapping, optional
        Names of columns that are not found: `system`, `collection`, `topic`, `measure`, `value`,
        `higher_is_better`; of a wide table, `measures` or `systems`, each a list, or a mapping of
        column to name.

    Returns
    -------
    Values

    Raises
    ------
    ValueError
        The data have none of these forms, are a run or judgments, hold means only, or hold two
        values of a system, measure and topic; a value is no finite number; a measure has both
        directions.
    FileNotFoundError
        There is no such file.

    Examples
    --------
    >>> first = {"q1": {"AP": 0.5}, "q2": {"AP": 0.25}}
    >>> second = {"q1": {"AP": 0.75}}
    >>> given = values({"first": first, "second": second})
    >>> given
    values only: 2 systems, 2 topics, 1 measure (AP)
    1 of 4 values are missing
    >>> given.of("AP").values
    array([[0.5 , 0.25],
           [0.75, 0.  ]])
    """
    name = None if measure is None else str(measure)
    parts = list(_rows(data, "values", checked_columns(columns), name))
    not_read = dict.fromkeys(column for part in parts for column in part.attrs.get(NOT_READ, ()))
    rows = without_summaries(pd.concat(parts, ignore_index=True))
    wide = next((part.attrs[WIDE] for part in parts if WIDE in part.attrs), None)
    return GivenValues(rows, higher_is_better, list(not_read), wide)


def _rows(
    data: Any, name: str, columns: Mapping[str, Any], measure: str | None
) -> Iterator[pd.DataFrame]:
    """Read any form to rows, a frame for each part."""
    data = unwrapped(data)
    data = getattr(data, "perquery", data)
    if isinstance(data, pd.Series):
        data = data.to_frame(measure or data.name)
    if isinstance(data, Values):
        yield data.frame()
    elif isinstance(data, TopicValues):
        yield _of_topic_values(data)
    elif hasattr(data, "model_names") and hasattr(data, "win_tie_loss"):
        raise ArgumentError(
            "a report of ranx holds means, not values by topic",
            parameter="data",
            remedy=Remedy(effect="{run.name: run.scores for run in runs} holds them"),
        )
    elif hasattr(data, "columns"):
        yield rows_of(data, name, columns, measure)
    elif isinstance(data, (str, os.PathLike)):
        yield from _of_path(os.fspath(data), columns, measure)
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, name, columns, measure)
    elif isinstance(data, Iterable):
        yield from _of_items(list(data), name, columns, measure)
    else:
        raise _no_form(data)


def _no_form(data: Any) -> ArgumentError:
    return ArgumentError(
        f"expected a table, a file, a folder or a mapping of values by topic, got "
        f"{type(data).__name__}",
        parameter="data",
    )


def _of_path(path: str, columns: Mapping[str, Any], measure: str | None) -> Iterator[pd.DataFrame]:
    for name, one in run_names(files_of(path)).items():
        yield from _of_file(one, name, columns, measure)


def _of_file(
    path: str, name: str, columns: Mapping[str, Any], measure: str | None
) -> Iterator[pd.DataFrame]:
    found = read_file(path, name, columns, measure)
    if isinstance(found, pd.DataFrame):
        yield found
        return
    try:
        if isinstance(found, Mapping) and found and not _depth(found):
            check_known(found)
            raise InputError("expected records, or mappings down to numbers")
        yield from _of_mapping(found, name, columns, measure)
    except InputError as error:
        error.path = error.path or path
        raise


def _of_mapping(
    data: Mapping[Any, Any], name: str, columns: Mapping[str, Any], measure: str | None
) -> Iterator[pd.DataFrame]:
    """Read a mapping: of names to systems, or of numbers."""
    if not data:
        raise InputError("there are no values")
    check_known(data)
    depth = _depth(data)
    if measure is None and _are_means(data, depth):
        raise InputError(MEANS)
    if depth == 1 and measure is not None:
        yield _of_numbers({measure: data}, name, measure)
    elif depth == 2 and _is_one_system(data, measure):
        yield _of_numbers(data, name, measure)
    elif depth == 2 and measure is not None:
        yield pd.concat(
            [_of_numbers({measure: one}, str(key), measure) for key, one in data.items()]
        )
    elif depth in (1, 2):
        raise InputError(
            "neither the keys of the mapping nor those inside are measures",
            remedy=Remedy("measure", "nDCG@10", effect="names the measure of all values"),
        )
    else:
        yield from _of_names(data, columns, measure)


def _of_names(
    data: Mapping[Any, Any], columns: Mapping[str, Any], measure: str | None
) -> Iterator[pd.DataFrame]:
    """Read a mapping of names of systems to any form.

    Raises
    ------
    InputError
        The names are of collections: systems are inside, the same under several names.
    """
    named_in: dict[str, str] = {}
    for key, one in data.items():
        name = str(key)
        if isinstance(one, Mapping) and one and not 0 < _depth(one) < _DEPTH_OF_SYSTEMS:
            raise _collections(name, list(map(str, one)))
        parts = list(
            _rows(one, name, columns, measure)
            if not isinstance(one, (str, os.PathLike))
            else _named_path(os.fspath(one), name, columns, measure)
        )
        systems = list(dict.fromkeys(system for part in parts for system in part["system"]))
        if any(named_in.setdefault(system, name) != name for system in systems):
            raise _collections(name, systems)
        yield from parts


def _collections(name: str, systems: list[str]) -> InputError:
    return InputError(
        f"expected names of systems, and {name!r} holds systems itself ({', '.join(systems[:3])}): "
        f"is it a collection?",
        remedy=Remedy(
            effect="irpref_lab.collections({name: irpref_lab.values(...)}) takes collections"
        ),
    )


def _named_path(
    path: str, name: str, columns: Mapping[str, Any], measure: str | None
) -> Iterator[pd.DataFrame]:
    """Read a file, or a folder of files of one system, under a name that the user gives."""
    for one in files_of(path):
        yield from _of_file(one, name, columns, measure)


def _depth(data: Mapping[Any, Any]) -> int:
    """Count the levels of mappings down to numbers: 0 if something else is inside."""
    inner = list(data.values())
    if all(isinstance(one, (int, float)) or _is_scalar(one) for one in inner):
        return 1
    if all(isinstance(one, Mapping) for one in inner):
        depths = {_depth(one) for one in inner if one}
        return 1 + depths.pop() if len(depths) == 1 and 0 not in depths else 0
    return 0


def _is_scalar(one: Any) -> bool:
    return one is None or (hasattr(one, "dtype") and getattr(one, "ndim", 1) == 0)


def _is_one_system(data: Mapping[Any, Any], measure: str | None) -> bool:
    """Test whether measures are on one of the two levels."""
    inner = {key for one in data.values() for key in one}
    return _share_of_measures(data, measure) > 0 or _share_of_measures(inner, measure) > 0


def _are_means(data: Mapping[Any, Any], depth: int) -> bool:
    """Test whether mappings of numbers have measures on all levels, so that none has topics.

    Groups of measures such as `{"ndcg": {"nDCG@1": 0.5}}` may have names that are no measures.
    """
    if depth == 1:
        return _share_of_measures(data, None) == 1
    inner = {key for one in data.values() for key in one} if depth == 2 else ()
    return _share_of_measures(inner, None) == 1 and _share_of_measures(data, None) >= 0.5


def _share_of_measures(keys: Collection[Any], measure: str | None) -> float:
    """Return the share of keys that name a measure, known or `measure`."""
    known = [str(key) == measure or known_measure(key) is not None for key in keys]
    return sum(known) / max(len(known), 1)


def _of_numbers(data: Mapping[Any, Any], name: str, measure: str | None = None) -> pd.DataFrame:
    """Read numbers of one system by measure and topic, or by topic and measure."""
    outside = _share_of_measures(data, measure)
    inside = _share_of_measures({key for one in data.values() for key in one}, measure)
    cells = [(a, b, value) for a, one in data.items() for b, value in one.items()]
    if inside > outside:
        cells = [(b, a, value) for a, b, value in cells]
    measures, topics, numbers = map(list, zip(*cells, strict=True)) if cells else ([], [], [])
    return made({"system": name, "topic": topics, "measure": measures, "value": numbers})


def _of_items(
    items: list[Any], name: str, columns: Mapping[str, Any], measure: str | None
) -> Iterator[pd.DataFrame]:
    """Read a list: of paths, of values of measures, or of `ir_measures.Metric`."""
    if len(items) == 1 and isinstance(items[0], (str, os.PathLike)):
        yield from _of_path(os.fspath(items[0]), columns, measure)
    elif items and all(isinstance(one, (str, os.PathLike)) for one in items):
        for short, path in run_names(list(map(os.fspath, items))).items():
            yield from _named_path(path, short, columns, measure)
    elif items and all(isinstance(one, TopicValues) for one in items):
        for one in items:
            yield _of_topic_values(one)
    elif items and all(hasattr(one, "query_id") and hasattr(one, "measure") for one in items):
        parts = {
            "topic": [one.query_id for one in items],
            "measure": [str(one.measure) for one in items],
            "value": [one.value for one in items],
        }
        yield made({"system": name, **parts})
    elif items and all(isinstance(one, Mapping) for one in items):
        yield rows_of(frame_of_records(items), name, columns, measure)
    else:
        raise _no_form(items[0] if items else items)


def _of_topic_values(data: TopicValues) -> pd.DataFrame:
    n_systems, n_topics = data.values.shape
    return made(
        {
            "system": [name for name in data.systems for _ in range(n_topics)],
            "topic": list(data.topics) * n_systems,
            "measure": data.measure,
            "value": data.values.ravel(),
            "higher_is_better": data.higher_is_better,
        }
    )
