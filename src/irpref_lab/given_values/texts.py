"""Files of values: the text that `trec_eval -q` and `ir_measures -q` print, CSV, TSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from irpref.data import Ending, Source
from irpref.data.records import loaded
from irpref.errors import CutWarning, InputError
from irpref.messages import no_such_file, warn_user
from irpref_lab.given_values.summaries import is_all
from irpref_lab.given_values.tables import MEANS, frame_of_records, known_measure, made, rows_of

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')  # a cell in quotation marks, as R and pandas write it
_MARKS = "\t,;"  # between the cells of tables
_RUN_ID = "runid"
_NO_VALUES = (_RUN_ID, "relstring")  # text that trec_eval prints beside values
# Keys of JSON that tools write, and that holds no values by topic.
_OF_TOOLS = {
    frozenset({"stat_test", "model_names"}): "a report of ranx holds means, not values by topic",
    frozenset({"mteb_version", "scores"}): "results of mteb hold means, not values by topic; the "
    "predictions that mteb.evaluate(prediction_folder=...) writes are runs",
    frozenset({"mteb_model_meta"}): "predictions of mteb are runs: evaluate them on judgments",
}
_FIELDS = {4: "judgments", 5: "judgments or preferences", 6: "a run"}


def read_file(
    path: str, name: str, columns: Mapping[str, Any], measure: str | None
) -> pd.DataFrame | Any:
    """Read a file of values to rows, or a JSON file of another form to its object.

    Parameters
    ----------
    path, name : str
        The file, and the name of the system if the file has none.
    columns, measure : see `irpref_lab.given_values.tables.rows_of`

    Raises
    ------
    InputError
        It is empty, or has none of the forms.
    FileNotFoundError
        There is no such file.

    Warns
    -----
    CutWarning
        The last line may have been cut off.
    """
    ending = Ending()
    try:
        with Source(path).open() as file:
            data = b"".join(ending.watch(iter([file.read()])))
    except FileNotFoundError:
        raise no_such_file(path) from None
    try:
        text = _decoded(data)
        found = _read(text, name, columns, measure)
        if _lacks_cells(text):
            warn_user(
                "the last line has fewer fields than the others: was the file cut off?",
                CutWarning,
                path=path,
            )
        ending.warn(path, even=True)
        return found
    except InputError as error:
        error.path = error.path or path
        raise


def _lacks_cells(text: str) -> bool:
    """Test whether the last line of a table has fewer cells than the line before, or no end and an
    empty last cell where the line before has one.
    """
    *_, before, last = ["", "", *(line for line in text.splitlines() if line.strip())]
    mark = next((mark for mark in _MARKS if mark in text.partition("\n")[0]), None)
    if text.lstrip().startswith(("{", "[")) or mark is None or not before:
        return False
    # A mark inside of quotation marks is text.
    fewer = '"' not in before + last and last.count(mark) < before.count(mark)
    return fewer or (text.endswith(mark) and not before.endswith(mark))


def _decoded(data: bytes) -> str:
    if b"\0" in data:
        raise InputError("is no text: values are read from text in UTF-8, and from JSON")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is no text in UTF-8") from None


def _read(text: str, name: str, columns: Mapping[str, Any], measure: str | None) -> Any:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError("there are no values in it")
    if lines[0].lstrip().startswith(("{", "[")):
        return _json(text, lines, name, columns, measure)
    if (rows := lines_of_q(lines, name)) is not None:
        return rows
    frame = _table(text, next((mark for mark in _MARKS if mark in lines[0]), r"\s+"))
    return rows_of(frame, name, columns, measure)


def _table(text: str, separator: str) -> pd.DataFrame:
    """Read a table of text; in a table with tabs, quotation marks are text unless they are around
    a whole cell.

    Raises
    ------
    InputError
        Rows have more cells than there are names of columns, or two columns have the same name.
    """
    # Without a header for pandas: it would number names that occur twice, and make an index of the
    # first column if rows have more cells.
    try:
        cells = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            dtype=object,
            keep_default_na=False,
            header=None,
            index_col=False,
            quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
        )
    except ValueError:
        raise InputError(
            "is no table: its lines have different numbers of fields (with -q -o csv, irpref "
            "writes a table of values)"
        ) from None
    if separator == "\t":
        cells = cells.map(_unquoted)
    header = [str(name) or f"Unnamed: {i}" for i, name in enumerate(cells.iloc[0])]
    return cells.iloc[1:].set_axis(header, axis=1).reset_index(drop=True)


def _unquoted(cell: Any) -> Any:
    """Strip a cell of the quotation marks around it; those inside are then doubled."""
    found = _QUOTED.fullmatch(cell) if isinstance(cell, str) else None
    return cell if found is None else found[1].replace('""', '"')


def _json(
    text: str, lines: Sequence[str], name: str, columns: Mapping[str, Any], measure: str | None
) -> Any:
    data = _loaded(text)
    if isinstance(data, Mapping):
        check_known(data)
    if isinstance(data, Mapping) and not all(isinstance(one, Mapping) for one in data.values()):
        data = [data] if len(lines) == 1 else data
    if isinstance(data, list):
        if not data or not all(isinstance(one, Mapping) for one in data):
            raise InputError("expected JSON records, a value each")
        return rows_of(frame_of_records(data), name, columns, measure)
    return data


def _loaded(text: str) -> Any:
    """Load a text of JSON, or a list of JSON lines.

    Raises
    ------
    InputError
        It is neither, or a key occurs twice in one object.
    """
    numbered = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(numbered) > 1 and _is_json(numbered[0][1]):
        return [loaded(line, "", number) for number, line in numbered]
    return loaded(text, "")


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def check_known(data: Mapping[Any, Any]) -> None:
    """Refuse what other tools write and is no value by topic."""
    for keys, text in _OF_TOOLS.items():
        if keys <= set(data):
            raise InputError(text)


def lines_of_q(lines: Sequence[str], name: str) -> pd.DataFrame | None:
    """Read the lines of `trec_eval -q` (measure, topic, value) or `ir_measures -q` (topic, measure,
    value); None if the lines have another form.

    Raises
    ------
    InputError
        The lines are of a run or of judgments, of several runs, or have no topic but the
        summary; it cannot be told which field is the measure; a value is no number.
    """
    separator = "\t" if lines[0].count("\t") == 2 else None
    fields = [line.split(separator) for line in lines]
    width = len(fields[0])
    if all(len(row) == 2 and _is_number(row[1]) and known_measure(row[0]) for row in fields):
        raise InputError(MEANS)
    number = 4 if width == 6 else -1
    if width in _FIELDS and separator is None and _is_number(fields[0][number]):
        raise InputError(f"line 1 has {width} fields, as {_FIELDS[width]}: values have three")
    if width != 3 or not (_is_number(fields[0][2]) or fields[0][0].strip() in _NO_VALUES):
        return None
    if odd := next((i for i, row in enumerate(fields) if len(row) != 3), None):
        raise InputError(f"has {len(fields[odd])} fields, not three", line=odd + 1)
    rows = [tuple(field.strip() for field in row) for row in fields]
    of_measure = _measure_field(rows)
    parts = [
        (row[of_measure], row[1 - of_measure], row[2])
        for row in rows
        if row[of_measure] not in _NO_VALUES
    ]
    runs = list(dict.fromkeys(row[2] for row in rows if row[of_measure] == _RUN_ID))
    if len(runs) > 1:
        raise InputError(
            f"has values of {len(runs)} runs ({', '.join(runs[:3])}): give each run a file"
        )
    if all(is_all(topic) for _, topic, _ in parts):
        raise InputError(MEANS)
    measures, topics, numbers = map(list, zip(*parts, strict=True))
    return made({"system": name, "topic": topics, "measure": measures, "value": numbers})


def _measure_field(rows: Sequence[tuple[str, ...]]) -> int:
    """Find out whether the first or the second field is the measure."""
    for field in (0, 1):
        if any(is_all(row[field]) for row in rows):
            return 1 - field
    known = [
        sum(known_measure(name) is not None for name in {row[field] for row in rows})
        for field in (0, 1)
    ]
    if known[0] != known[1]:
        return 0 if known[0] > known[1] else 1
    raise InputError(
        "it cannot be told which field is the measure: give the file a header, as in "
        "'topic, measure, value'"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def files_of(path: str) -> list[str]:
    """List the files at a path, `~` for the home folder: the file itself, or those of a folder that
    may hold values. Of these it is `perquery.csv` alone if it is there, as in the `save_dir` of
    PyTerrier.

    Raises
    ------
    InputError
        The folder holds no file.
    """
    folder = os.path.expanduser(path)
    if not os.path.isdir(folder):
        return [folder]
    names = sorted(name for name in os.listdir(folder) if not name.startswith((".", "_")))
    paths = [os.path.join(folder, name) for name in names]
    if "perquery.csv" in names:
        return [os.path.join(folder, "perquery.csv")]
    files = [path for path in paths if os.path.isfile(path)]
    if not files:
        raise InputError("there are no files in it", path=folder)
    return files
