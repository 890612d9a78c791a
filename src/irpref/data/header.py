"""The names of the columns of a file, without its rows."""

from __future__ import annotations

import os

from irpref.data.cells import header_of
from irpref.data.columns import Reading
from irpref.data.forms import is_packed
from irpref.data.records import lines_of, loaded
from irpref.data.source import Source
from irpref.data.tables import form_of


def names_in(source: Source, how: Reading) -> list[str]:
    """Read the names of the columns of a file that names them; none for any other.

    Raises
    ------
    ValueError
        The file is malformed.
    """
    form = form_of(source, how.form_of_runs)
    if form in ("csv", "tsv"):
        return header_of(source, "," if form == "csv" else "\t", "score")
    if form == "jsonl":
        first = next(((n, line) for n, line in lines_of(source) if line.strip()), None)
        record = loaded(first[1].removeprefix("\ufeff"), source.name, first[0]) if first else {}
        return list(record) if isinstance(record, dict) else []
    if form == "parquet" and os.path.isfile(source.name) and not is_packed(source.name):
        from pyarrow import parquet

        return list(parquet.read_schema(source.name).names)
    return []
