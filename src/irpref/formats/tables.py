"""Runs and judgments from files of any form, as tables.

    trec      lines of white-space separated fields: see `irpref.formats.trec`
    msmarco   query_id  doc_id  rank: runs in three columns, which hold ranks, not scores
    parquet   one file, or a folder of files, in which `query_id` may be a partition (`query_id=301/...`)
    csv, tsv  with a header
    json      topic -> document -> number, as ranx and pytrec_eval write it; or a list of records
    jsonl     one record a line, with the columns' names

All but Parquet plain or compressed with gzip or zstd. The form is that of the file's ending, `.gz` and `.zst` aside;
what has none of these endings is TREC. A `.tsv` without a header is TREC, too, since many qrels are. MS MARCO's runs
have no ending of their own and their third column could be taken for a score: they are read where they are asked
for by name, and their score is the negative rank.

Columns have ir_measures' names, or PyTerrier's (`qid`, `docno`, `label`), BEIR's (`query-id`, `corpus-id`, `score`)
or ranx' (`q_id`); where two are there, ir_measures' counts. Ids are text: `007` stays `007` in CSV, whole
numbers in JSON and Parquet become their `str`. Of a run, `query_id`, `doc_id` and `score` are read; of judgments
all columns, since measures may ask for more (`known`, `expected`). The readers are in `irpref.formats.readers`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.segments import all_whole
from irpref.formats import trec
from irpref.formats.columns import Coded, Table, as_list, objects, text_type
from irpref.formats.runs import ENDINGS
from irpref.formats.source import PACKED, PathLike, Source
from irpref.formats.texts import Lines
from irpref.messages import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

FORMS = tuple(ENDINGS)
BLOCK_BYTES = 1 << 20  # of a run, parsed while the block before becomes Python objects
_TEXT = ("query_id", "doc_id", "iteration")


def read_run(path: PathLike, form: str | None = None) -> pd.DataFrame:
    """Read a run.

    Parameters
    ----------
    path : path, `-` for standard input, or binary file
        Plain, or compressed with gzip or zstd (recognised by its first bytes).
    form : str, optional
        One of `trec`, `msmarco`, `parquet`, `csv`, `tsv`, `json`, `jsonl`; by the ending of the name if not given.

    Returns
    -------
    pandas.DataFrame
        Columns `query_id` and `doc_id` (str), `score` (float64): a row for each line, in their order. It goes into
        `ir_measures.calc_aggregate` and everything here as it is.

    Raises
    ------
    ValueError
        A line is malformed, the file is damaged, a column is missing: the message has the file's name, and line
        number and text where they are known.
    OSError
        The file cannot be read.
    """
    source = Source(path)
    if form_of(source, form) == "trec":
        # Some lines become Python objects while the next are parsed.
        return _frame([_of_lines(part) for part in trec.blocks(source, trec.RUN, BLOCK_BYTES)])
    return to_pandas(read_table(source, "run", form))


def read_qrels(path: PathLike, form: str | None = None) -> pd.DataFrame:
    """Read judgments; TREC files with four or three fields a line.

    Parameters
    ----------
    path, form : as for `read_run`

    Returns
    -------
    pandas.DataFrame
        Columns `query_id`, `doc_id` (str), `relevance` and, from TREC files, `iteration` (str, `0` where the file has
        none); from the other forms whatever else is there. `relevance` is int64 if all grades are whole numbers (the
        host's own measures accept no others), else float64.

    Raises
    ------
    ValueError, OSError
        As `read_run`.
    """
    return to_pandas(read_table(path, "qrels", form))


def form_of(source: PathLike | Source, form: str | None = None) -> str:
    """The form of a file: `form` if it is given, else by the ending of its name.

    Raises
    ------
    ValueError
        There is no such form.
    """
    if form is not None:
        if form not in FORMS:
            raise ValueError(f"form {form!r}: expected one of {', '.join(FORMS)}{did_you_mean(str(form), FORMS)}")
        return form
    name = source.name if isinstance(source, Source) else Source(source).name
    base = os.path.basename(os.fspath(name)).lower()
    for ending in PACKED:
        base = base.removesuffix(ending)
    found = next((form for form, endings in ENDINGS.items() if base.endswith(endings)), "trec")
    return "parquet" if found == "trec" and os.path.isdir(name) else found


def read_table(path: PathLike | Source, kind: str, form: str | None = None) -> Table:
    """A run or judgments from a file of any form.

    Parameters
    ----------
    path : path, `-`, binary file, or `Source`
    kind : 'run' or 'qrels'
    form : str, optional
        One of `FORMS`; by the ending of the name if not given.

    Returns
    -------
    Table

    Raises
    ------
    ValueError, OSError
        As `read_run`.
    """
    value = {"run": "score", "qrels": "relevance"}.get(kind)
    if value is None:
        raise ValueError(f"kind {kind!r}: expected 'run' or 'qrels'")
    source = path if isinstance(path, Source) else Source(path)
    chosen = form_of(source, form)
    if chosen == "trec" or (chosen == "msmarco" and kind == "qrels"):  # whose judgments are in TREC format
        return trec.run_table(source) if kind == "run" else trec.qrels_table(source)
    if chosen == "msmarco":
        return trec.ranks_table(source)
    from irpref.formats import readers

    found: Table = getattr(readers, chosen)(source, value)
    return found


def _are_preferences(source: Source) -> bool:
    """Whether the first line of a file has a form that no qrels have: five fields, or a last one that is no number."""
    _, line = next(trec.lines_of(source), (0, b""))
    fields = line.split(None, 5)
    return len(fields) == 5 or (len(fields) in (3, 4) and not trec.is_number(fields[-1]))


def read_judgments(source: Source, preferences: bool | None = True) -> pd.DataFrame | Table:
    """Judgments of a file: the table of its grades, or the frame of its preferences.

    Parameters
    ----------
    source : Source
    preferences : bool or None
        Whether they may be preferences. Four fields of which the last is a number are both: then they are preferences
        if topics have several groups (`qrels_prefs`), for qrels repeat one number there; with None they are grades.

    Raises
    ------
    ValueError, OSError
        As `read_qrels` or `read_preferences`.
    """
    plain = form_of(source) == "trec"
    if plain and preferences is not False and _are_preferences(source):
        from irpref.formats.preferences import read_preferences

        return read_preferences(source)
    try:
        table = read_table(source, "qrels")
    except ValueError as error:
        _, line = next(trec.lines_of(source), (0, b"")) if plain else (0, b"")
        if not plain or not _are_preferences(source) or line.split(None, 2)[1] in (b"0", b"Q0"):
            raise
        raise ValueError(f"{error}; this looks like preferences, which measures such as PrefShare take") from None
    if not (plain and preferences and _has_groups(table)):
        return table
    from irpref.formats.preferences import read_preferences

    return read_preferences(source, "qrels_prefs")


def _has_groups(table: Table) -> bool:
    topics = as_list(table.query_id)
    groups = as_list(table.columns.get("iteration", topics))
    return len(set(zip(topics, groups, strict=True))) > len(set(topics))


def to_pandas(table: Table) -> pd.DataFrame:
    """A table as a pandas frame whose text columns hold Python strings."""
    order = table.found or ("query_id", "doc_id", "score")
    value = next(name for name in order if name not in ("query_id", "doc_id", *table.columns))
    whole = value == "relevance" and all_whole(table.value)
    columns = {
        "query_id": _objects(table.query_id),
        "doc_id": _objects(table.doc_id),
        value: table.value.astype(np.int64) if whole else table.value,
        **table.columns,
    }
    return _frame([columns])


def _objects(column: Any) -> Any:
    """Text as an object array of Python strings; where it stays the same over many rows, as one string."""
    if isinstance(column, Coded):
        return _objects(column.values)[column.codes]
    if isinstance(column, np.ndarray):
        return column
    return objects(as_list(column))


def _of_lines(part: Lines) -> dict[str, Any]:
    """Columns as NumPy arrays: text as objects, each topic once."""
    return {
        "query_id": np.repeat(objects(part.names), part.lengths),
        "doc_id": objects(as_list(part.docs)),
        "score": part.number,
    }


def _frame(parts: list[dict[str, Any]]) -> pd.DataFrame:
    """A pandas frame of columns in pieces."""
    import pandas as pd

    text = text_type()
    data = {}
    parts = parts or [{"query_id": objects([]), "doc_id": objects([]), "score": np.zeros(0)}]  # of a run without lines
    for name, column in parts[0].items():
        whole = column if len(parts) == 1 else np.concatenate([part[name] for part in parts])
        is_text = whole.dtype == object and (name in _TEXT or set(map(type, whole)) in ({str}, {str, type(None)}))
        data[name] = pd.Series(whole, dtype=text if is_text else whole.dtype, copy=False)
    return pd.DataFrame(data, copy=False)
