"""Tables of values to rows: a system, a collection, a topic, a measure and a value each.

Two forms of tables are read:

    long    a row for each value, with a column that names the measure
    wide    a row for each topic (of each system) and a column for each measure; or, if you name
            the measure, a column for each system

Columns are found by the names that tools give them, or by those that you give. A column that is
neither is not looked at. Nothing is guessed: if the columns could be measures as well as systems,
the error says how to tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import registry

from irpref import parse
from irpref.data.columns import check_names
from irpref.errors import ArgumentError, ColumnError, InputError, Remedy
from irpref.judged import id_text
from irpref.messages import nearest

# Names of columns, in the order in which they are looked for.
NAMES = {
    "system": ("system", "name", "run", "model"),
    "collection": ("collection", "dataset"),
    "topic": ("query_id", "qid", "topic", "topic_id", "query-id"),
    "measure": ("measure", "metric"),
    "value": ("value",),
    "higher_is_better": ("higher_is_better",),
}
LISTS = ("measures", "systems")  # names for several columns, of a wide table
COLUMNS = (*NAMES, *LISTS)
# Among the attributes of rows: the columns of a table that are not read; what the columns of a wide
# table are, measures or systems, and the name of each.
NOT_READ, WIDE = "not read", "wide"
MEANS = (
    "has means only: the option -q prints the values by topic, and so does perquery=True of "
    "pt.Experiment"
)
_DOCUMENTS = ("doc_id", "docno", "docid", "doc-id", "iteration")
ROWS = ("system", "collection", "topic", "measure", "value", "higher_is_better")
_IDS = ("system", "topic", "measure")  # which every value has
_KEYS = (*_IDS, "collection")  # columns by which values are told apart
_ALIKE = 0.75  # share of equal letters from which a name of a column seems misspelt
# Grades that Inspect writes, as it turns them into numbers.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_YES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_PASSED = {"true": 1.0, "false": 0.0}  # of tests that pass or fail
_MISSING = {"nan", "na", "n/a", "null", "none"}  # as R, NumPy and JSON write them


def checked_columns(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the columns that the user names.

    Raises
    ------
    ArgumentError
        They are no mapping, or a key has something else than a name (or, for `LISTS`, names).
    ColumnError
        A key is unknown, or both measures and systems are named.
    """
    if not isinstance(columns, (Mapping, NoneType)):
        raise _no_columns(columns, "a mapping, as in {'topic': 'NAME'}")
    given = dict(columns or {})
    if unknown := [key for key in given if key not in COLUMNS]:
        raise ColumnError(
            f"columns has {unknown[0]!r}; its keys are {', '.join(COLUMNS)}", column=str(unknown[0])
        )
    if all(given.get(key) for key in LISTS):
        raise ColumnError("a wide table has a column for each measure or for each system, not both")
    for key, names in given.items():
        if key not in LISTS:
            if not isinstance(names, (str, NoneType)):
                raise _no_columns(names, f"a name for {key!r}")
        elif isinstance(names, str):
            given[key] = [names]
        elif isinstance(names, Mapping):
            given[key] = {str(column): str(name) for column, name in names.items()}
        elif isinstance(names, (Iterable, NoneType)):
            given[key] = list(map(str, names or ()))
        else:
            raise _no_columns(names, f"names for {key!r}")
    return given


def _no_columns(got: Any, expected: str) -> ArgumentError:
    return ArgumentError(
        f"columns: expected {expected}, got {got!r}", parameter="columns", value=got
    )


def rows_of(
    frame: Any, name: str, columns: Mapping[str, Any], measure: str | None = None
) -> pd.DataFrame:
    """Read a long or wide table.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
    name : str
        The system's, if no column has it.
    columns : mapping
        See `checked_columns`.
    measure : str, optional
        The measure's name, if no column has it.

    Returns
    -------
    DataFrame with the columns `ROWS`
        `value` is a float, NaN where it is missing: the topic is there, and so is the system. It
        has the attributes `NOT_READ` and, of a wide table, `WIDE`.
    """
    frame = _with_topics(_as_pandas(frame), columns)
    found = {key: _column(frame, key, columns) for key in NAMES}
    _refuse_runs(frame)
    if found["topic"] is None:
        raise _only_means(frame) if _are_means(frame, found) else _lacks(frame, "topic")
    if found["value"] is not None and not any(columns.get(key) for key in LISTS):
        if found["measure"] is None and measure is None:
            raise _lacks_measure(frame)
        long = frame
    else:
        long = _melted(frame, found, columns, measure)
    parts: dict[str, Any] = {
        key: long[column].tolist() for key, column in found.items() if column is not None
    }
    if long is not frame:
        parts |= {long.attrs[WIDE][0]: long[_NAME].tolist(), "value": long[_VALUE].tolist()}
    rows = made({"system": name, "measure": measure} | parts)
    read = {*found.values(), *long.attrs.get(WIDE, ((), ()))[1]}
    rows.attrs[NOT_READ] = tuple(column for column in frame.columns if column not in read)
    if WIDE in long.attrs:
        rows.attrs[WIDE] = long.attrs[WIDE]
    return rows


def _are_means(frame: pd.DataFrame, found: Mapping[str, str | None]) -> bool:
    """Test whether a table without topics has one value of each system and measure."""
    keys = [found[key] for key in ("system", "collection") if found[key] is not None]
    if found["measure"] is not None and found["value"] is not None:
        keys.append(found["measure"])
    elif not any(known_measure(column) is not None for column in frame.columns):
        return False
    if not keys:
        return len(frame) == 1
    return not frame[keys].astype(str).duplicated().any()


_NAME, _VALUE = "\0name", "\0value"  # columns of a melted table; no other has these names


def _melted(
    frame: pd.DataFrame,
    found: Mapping[str, str | None],
    columns: Mapping[str, Any],
    measure: str | None,
) -> pd.DataFrame:
    """Turn a wide table into a long one."""
    fixed = [column for column in found.values() if column is not None]
    key, chosen = _wide(frame, fixed, columns, measure)
    for column in chosen:
        if column not in frame.columns:
            raise _lacks(frame, column)
    long = frame.melt(fixed, chosen, var_name=_NAME, value_name=_VALUE)
    names = columns.get(f"{key}s")
    given = names if isinstance(names, Mapping) else {}
    if given:
        long[_NAME] = long[_NAME].map(given)
    long.attrs[WIDE] = key, {column: given.get(column, column) for column in chosen}
    return long


def _wide(
    frame: pd.DataFrame, fixed: list[str], columns: Mapping[str, Any], measure: str | None
) -> tuple[str, list[str]]:
    """Find the columns of a wide table that hold values, and whether each is a measure or a
    system.
    """
    for key, names in (("measure", "measures"), ("system", "systems")):
        if columns.get(names):
            if key == "system" and measure is None and not _column(frame, "measure", columns):
                raise _lacks_measure(frame)
            return key, list(columns[names])
    others = [column for column in frame.columns if column not in fixed]
    if measure in others:
        return "measure", [str(measure)]
    measures = [column for column in others if known_measure(column) is not None]
    if measures:
        return "measure", measures
    numbers = [column for column in others if _is_numbers(frame[column])]
    if measure is not None and "system" not in fixed and numbers:
        _check_alike(frame, numbers)
        return "system", numbers
    raise ColumnError(
        f"has no column of values that is known (found: {', '.join(map(str, frame.columns))})",
        table="the table",
        header=tuple(map(str, frame.columns)),
        missing=("value",),
        remedy=Remedy(
            "columns",
            {"measures": numbers[:2] or ["NAME"]},
            effect="names measures; if each column is a system, name the systems and one measure",
        ),
    )


def _check_alike(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse columns that cannot all be systems: counts beside fractions.

    Raises
    ------
    ColumnError
    """
    cells = frame[list(columns)].apply(pd.to_numeric, errors="coerce")
    are_counts = ((cells % 1 == 0) | cells.isna()).all() & (cells.abs().max() > 1)
    are_fractions = (cells % 1 > 0).any() & (cells.abs().max() <= 1)
    if are_counts.any() and are_fractions.any():
        counts, rest = cells.columns[are_counts].tolist(), cells.columns[~are_counts].tolist()
        raise ColumnError(
            f"has {len(columns)} columns of numbers ({', '.join(columns)}), of which "
            f"{', '.join(counts)} hold{'s' * (len(counts) == 1)} counts: are all of them systems?",
            table="the table",
            header=tuple(map(str, frame.columns)),
            remedy=Remedy("columns", {"systems": rest}, effect="names those that are"),
        )


def _is_numbers(cells: pd.Series) -> bool:
    known = cells[cells.notna() & (cells != "")]
    return bool(len(known)) and bool(pd.to_numeric(known, errors="coerce").notna().all())


def made(parts: Mapping[str, Any]) -> pd.DataFrame:
    """Make rows from columns: text as `str`, values as floats, NaN where a value is missing. A row
    without a value and without an id, as at the end of a sheet, is left out.

    Raises
    ------
    InputError
        A value is no number, or infinite, or has no system, topic or measure.
    """
    rows = pd.DataFrame({key: parts.get(key) for key in ROWS}, dtype=object)
    rows["value"] = _numbers(rows)
    rows = _with_ids(rows)
    if np.isinf(rows["value"].to_numpy()).any():
        first = rows[np.isinf(rows["value"].to_numpy())].iloc[0]
        raise _bad(first, f"the value of topic {first['topic']!r} is {first['value']}")
    for key in _IDS:
        rows[key] = list(map(id_text, rows[key]))
    rows["collection"] = [None if _absent(name) else id_text(name) for name in rows["collection"]]
    rows["higher_is_better"] = list(map(_direction, rows["higher_is_better"]))
    return rows.reset_index(drop=True)


def _with_ids(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out rows without an id and without a value; refuse a value without an id."""
    for key in _IDS:
        absent = np.fromiter(map(_absent, rows[key]), bool, len(rows))
        lost = rows[absent & rows["value"].notna().to_numpy()]
        if len(lost):
            raise InputError(
                f"row {lost.index[0] + 1} has a value and no {key}",
                column=key,
                value=lost["value"].iloc[0],
            )
        rows = rows[~absent]
    return rows


def _numbers(rows: pd.DataFrame) -> Any:
    cells = rows["value"].where(rows["value"] != "", np.nan)
    letters = cells.isin(list(_LETTERS))
    if letters.any():
        # Letters are numbers where nothing else is written.
        others = set(rows.loc[cells.notna() & ~letters, "measure"])
        cells = cells.where(~letters | rows["measure"].isin(others), cells.map(_LETTERS))
    for row in cells.index[cells.map(_is_complex)][:1]:
        first = rows.loc[row]
        raise _bad(first, f"the value of topic {first['topic']!r} is complex: {first['value']}")
    numbers = pd.to_numeric(cells, errors="coerce").astype(np.float64)
    words = cells[numbers.isna() & cells.notna()].astype(str).str.strip().str.lower()
    numbers = numbers.fillna(words.map(_PASSED))
    words = words[~words.isin([*_MISSING, *_PASSED])]
    if len(words):
        first = rows.loc[words.index[0]]
        said = f"the value of topic {first['topic']!r} is no number: {first['value']!r}"
        if str(first["value"]).endswith("*"):
            said += " (of a table for readers: with -o csv, irpref writes the number alone)"
        raise _bad(first, said)
    return numbers


def _is_complex(cell: Any) -> bool:
    return isinstance(cell, (complex, np.complexfloating))


def _bad(row: Any, text: str) -> InputError:
    about = f"{row['measure']}: " if row["measure"] is not None else ""
    return InputError(about + text, topic=id_text(row["topic"]), value=row["value"])


def _direction(cell: Any) -> bool | None:
    if _absent(cell):
        return None
    if isinstance(cell, (bool, np.bool_)):
        return bool(cell)
    word = id_text(cell).strip().lower()
    if word not in _YES:
        raise InputError(f"higher_is_better is {cell!r}, expected true or false", value=cell)
    return _YES[word]


def _absent(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell == "" or cell != cell


def known_measure(name: Any) -> Any:
    """Parse the name of a measure; None if we do not know it."""
    try:
        return _parsed(name, len(registry))
    except (ValueError, TypeError):
        return None


@lru_cache(maxsize=4096, typed=True)
def _parsed(name: Any, n_registered: int) -> Any:
    """Parse a name once for each number of measures that are registered: names of topics are asked
    about in each system.
    """
    try:
        return parse(name)
    except ValueError:
        return None


def _as_pandas(frame: Any) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        frame = pd.DataFrame({name: list(frame[name]) for name in frame.columns}, dtype=object)
    named = [name for name in frame.index.names if name is not None]
    # A frame that is indexed by topic has the topics as a column after this.
    free = [name for name in named if name not in frame.columns]
    frame = frame.reset_index(free) if free else frame
    if frame.columns.nlevels > 1:
        raise ColumnError(
            "has columns of several levels, expected one", table="the table", header=()
        )
    frame = frame.rename(columns=str)
    check_names(list(frame.columns), table="the table")
    return frame


def _with_topics(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Make a column of the index if its labels are text, as in `pd.DataFrame(by_topic).T`, and no
    column has the topics.
    """
    if _column(frame, "topic", columns) is not None or "topic" in frame.columns:
        return frame
    if frame.index.nlevels > 1 or not all(isinstance(label, str) for label in frame.index):
        return frame
    return frame.rename_axis("topic").reset_index()


def frame_of_records(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Make a table of records; a field inside another one is the column `outer.inner`."""
    return pd.DataFrame(list(map(_flat, records)), dtype=object)


def _flat(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, cell in record.items():
        name = f"{prefix}{key}"
        out |= _flat(cell, f"{name}.") if isinstance(cell, Mapping) else {name: cell}
    return out


def _column(frame: pd.DataFrame, key: str, columns: Mapping[str, Any]) -> str | None:
    if columns.get(key) is not None:
        if columns[key] not in frame.columns:
            raise _lacks(frame, str(columns[key]))
        return str(columns[key])
    by_name = {str(name).strip().lower(): str(name) for name in reversed(frame.columns)}
    return next((by_name[name] for name in NAMES[key] if name in by_name), None)


def meant(not_read: Sequence[str]) -> Remedy | None:
    """Return how to name a column, of some that are not read, that has almost the name of one that
    tells values apart; None if there is none.
    """
    for key in _KEYS:
        for column in not_read:
            if nearest(column.strip(), NAMES[key], _ALIKE) is not None:
                return Remedy("columns", {key: column}, effect=f"names the column of {key}s")
    return None


def _refuse_runs(frame: pd.DataFrame) -> None:
    names = {str(name).strip().lower() for name in frame.columns}
    if here := [name for name in _DOCUMENTS if name in names]:
        raise ColumnError(
            f"has a column {here[0]!r}: it lists documents, not values by topic; evaluate it as a "
            "run",
            table="the table",
            column=here[0],
            header=tuple(map(str, frame.columns)),
        )


def _lacks(frame: pd.DataFrame, key: str, remedy: Remedy | None = None) -> ColumnError:
    names: Iterable[str] = NAMES.get(key, (key,))
    if remedy is None and key in NAMES:
        remedy = Remedy("columns", {key: "NAME"}, effect="names it")
    return ColumnError(
        f"has no column {' or '.join(map(repr, names))} (found: "
        f"{', '.join(map(str, frame.columns))})",
        table="the table",
        missing=(key,),
        header=tuple(map(str, frame.columns)),
        remedy=remedy,
    )


def _lacks_measure(frame: pd.DataFrame) -> ColumnError:
    return _lacks(frame, "measure", Remedy("measure", "nDCG@10", effect="names it"))


def _only_means(frame: pd.DataFrame) -> ColumnError:
    header = tuple(map(str, frame.columns))
    return ColumnError(MEANS, table="the table", missing=("topic",), header=header)
