"""Runs and judgments from files of any form, as tables.

    trec      lines of white-space separated fields: see `irpref.data.trec`
    msmarco   query_id  doc_id  rank: runs in three columns, which hold ranks, not scores
    parquet   one file, or a folder of files, in which `query_id` may be a partition
              (`query_id=301/...`)
    csv, tsv  with a header
    json      topic -> document -> number, as ranx and pytrec_eval write it; or a list of records
    jsonl     one record a line, with the columns' names

All but Parquet may be plain or compressed with gzip or zstd. The ending of the file's name says the
form, `.gz` and `.zst` aside; a file with none of these endings is TREC. A `.tsv` without a header
is TREC, too, since many qrels are. MS MARCO's runs have no ending of their own, and their third
column could be taken for a score: they are read only with `form='msmarco'`, and their score is the
negative rank.

Columns have ir_measures' names, or PyTerrier's (`qid`, `docno`, `label`), BEIR's (`query-id`,
`corpus-id`, `score`), ranx' (`q_id`), or `grade`, `rating`, `rel` for the relevance; if a file has
several, ir_measures' name wins. `columns` gives other names. Ids are text: `007` stays `007` in
CSV, whole numbers in JSON and Parquet become their `str`. Of a run, `query_id`, `doc_id` and
`score` are read; of judgments all columns, since measures may ask for more (`known`, `expected`).
The readers are in `irpref.data.records`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irpref.data import trec
from irpref.data.cells import first_line, has_header, is_beir, warn_of_ungraded
from irpref.data.columns import (
    PLAIN,
    RANK,
    Reading,
    Table,
    as_objects,
    beyond_plain,
    check_direction,
    has_groups,
    objects,
    reading,
    to_frame,
)
from irpref.data.forms import FORMS, NAMED, PREFERENCES, form_of_name
from irpref.data.kinds import (
    are_pairs,
    are_preferred,
    check_fields,
    check_grades,
    check_judges,
    check_numbers,
    check_pairs,
    check_preferred,
    name_pairs,
    rows_of,
)
from irpref.data.labels import Labels, lacks_grades, scheme
from irpref.data.preference_files import read_preferences
from irpref.data.preference_rows import pairs_of_file
from irpref.data.ranks import as_scores
from irpref.data.rows import counted_row, pairs_in
from irpref.data.scores import TIES, changed
from irpref.data.source import PathLike, Source
from irpref.data.texts import Texts
from irpref.errors import ColumnError, InputError
from irpref.kernel.segments import all_whole
from irpref.messages import check_choice

if TYPE_CHECKING:
    import pandas as pd

_ITERATIONS = (b"0", b"Q0")  # what the second field of qrels usually is
FRAME_BLOCK_BYTES = 1 << 20  # of a run, parsed while the previous block becomes Python objects


def read_run(
    path: PathLike,
    form: str | Reading | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    ties: str = "id",
    ignore_self: bool = False,
    lower_is_better: bool = False,
    exclude: Mapping[str, Iterable[str]] | None = None,
    repeats: str | None = None,
    documents: Mapping[str, str] | str | None = None,
) -> pd.DataFrame:
    """Read a run.

    Parameters
    ----------
    path : path, `-` for standard input, or binary file
        Plain, or compressed with gzip or zstd (recognised by its first bytes).
    form : str, optional
        One of `trec`, `msmarco`, `parquet`, `csv`, `tsv`, `json`, `jsonl`. By default, the file
        name's extension decides.
    columns : mapping, optional
        Names of the columns in the file: `{"doc_id": "chunk_id"}`.
    ties : {'id', 'input'}
        'input': tied documents stay in the order of the file, see `irpref.run`.
    ignore_self : bool
        Whether documents with the id of their topic are left out, see `irpref.run`.
    lower_is_better : bool
        Whether the scores are distances, of which the lowest is the best: they become negative. A
        column called `distance`, `l2`, `loss` or the like is read only so.
    exclude : mapping of topic to documents, optional
        Documents that are left out. (`irpref.run` takes judgments in any form, too.)
    repeats : {'last', 'first', 'best'}, optional
        Of a repeated document, keep this row only. By default 'best' with `documents`; else all
        rows are kept, of which the last one counts.
    documents : mapping or str, optional
        Chunks become their documents, see `irpref.run`.

    Returns
    -------
    pandas.DataFrame
        Columns `query_id` and `doc_id` (str), `score` (float64), with one row per line, in order.
        Pass it to `ir_measures.calc_aggregate` or any function here.

    Raises
    ------
    ValueError
        A line is malformed, the file is damaged, or a column is missing. The message has the name
        of the file, and line number and text if they are known.
    OSError
        The file cannot be read.
    """
    check_choice("ties", ties, TIES)
    source, how = Source(path), reading(form, columns)
    given = beyond_plain(
        ties=ties,
        ignore_self=ignore_self,
        lower_is_better=lower_is_better,
        excluded=None if exclude is None else frozenset(pairs_in(exclude)),
        repeats=counted_row(repeats, documents),
        documents=documents,
    )
    how = replace(how, **given)
    with source:
        return _run_frame(read(source, "score", how, FRAME_BLOCK_BYTES), source.size())


def read_qrels(
    path: PathLike,
    form: str | Reading | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Labels = None,
) -> pd.DataFrame:
    """Read judgments, including TREC files with four or three fields per line.

    Parameters
    ----------
    path, form : as for `read_run`
    columns : mapping, optional
        Names of the columns in the file: `{"relevance": "judgement"}`. Not needed for `grade`,
        `rating`, `label` and `rel`, which are understood as relevance.
    labels : str or mapping, optional
        Labels that the file has instead of grades: `'S A B C'`, `'L0 L1 L2'`, `'nr pr fr hr'`, or
        the grade of each label, `{"bad": 0, "good": 1}`, with None for a label that is not a grade
        (`{"error": None}`: the document is unjudged). Not needed for the first three; a warning
        then shows the grades.

    Returns
    -------
    pandas.DataFrame
        Columns `query_id`, `doc_id` (str), `relevance` and, from TREC files, `iteration` (str, `0`
        if the file has none); from the other forms whatever else is there. `relevance` is int64 if
        all grades are whole numbers (ir-measures' own measures accept no others), else float64.

    Raises
    ------
    ValueError, OSError
        As `read_run`.
    """
    return to_pandas(
        read_table(Source(path, keep=True), "relevance", reading(form, columns, labels)),
        "relevance",
    )


def form_of(source: PathLike | Source, form: str | None = None) -> str:
    """Find the form of a file: `form` if it is given, else by the ending of its name.

    Raises
    ------
    ValueError
        There is no such form.
    """
    if form is not None:
        check_choice("form", form, FORMS)
        return form
    name = source.name if isinstance(source, Source) else Source(source).name
    by_name = form_of_name(os.path.basename(os.fspath(name)))
    return "parquet" if by_name == "trec" and os.path.isdir(name) else by_name


def is_in_form(source: Source, form: str) -> bool:
    """Test whether judgments begin as a file of this form does."""
    if os.path.isdir(source.name):
        return form == "parquet"
    line = first_line(source)
    if form in PREFERENCES:
        return len(line.split()) in (3, 4, 5) or form_of_name(source.name) in NAMED
    if line.startswith("PAR1"):
        return form == "parquet"
    if line.startswith(("{", "[")):
        return form == ("jsonl" if _is_record(line) else "json")
    if form in ("trec", "msmarco"):
        return len(line.split()) in (3, 4, 5) and "," not in line
    if form not in ("csv", "tsv"):
        return False
    cells = line.replace(";", ",").split("\t" if form == "tsv" else ",")
    return len(cells) > 1 and not trec.is_number(cells[-1].strip().encode())


def _is_record(line: str) -> bool:
    """Test whether a line is a record, with the names of columns as its keys."""
    import json

    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and not any(isinstance(v, dict) for v in record.values())


def text_form(source: Source, value: str, how: Reading) -> str:
    """Find the form of a file as `form_of` does, with 'trec' for a `.tsv` without a header."""
    given = how.form_of_runs if value == "score" else how.form
    form = form_of(source, given)
    if given is not None:
        how.used.add("form")
    if value == "score" and given is None and form == "trec" and source.is_file():
        return "tsv" if is_beir(first_line(source)) else form
    return "trec" if form == "tsv" and not has_header(source, value, how) else form


def read(
    source: Source, value: str, how: Reading = PLAIN, block_bytes: int = trec.BLOCK_BYTES
) -> Iterator[Table]:
    """Yield the rows of a file of any form, in their order: some at a time if the form allows it,
    no table empty.

    Parameters
    ----------
    source : Source
    value : 'score' or 'relevance'
        Whether the file holds a run or judgments.
    how : Reading, optional
    block_bytes : int
        Bytes of a run in TREC format that are read at a time, after decompression.

    Raises
    ------
    ValueError, OSError
        As `read_run`.
    """
    if value == "score" and how.changes_runs:
        table = changed(_joined(as_written(source, value, how)), how)
        if len(table):
            yield table
    else:
        yield from as_written(source, value, how, block_bytes)


def as_written(
    source: Source, value: str, how: Reading = PLAIN, block_bytes: int = trec.BLOCK_BYTES
) -> Iterator[Table]:
    """Read a file as `read` does, but leave the scores and the documents of a run as they are."""
    form = text_form(source, value, how)
    if form in ("trec", "msmarco") and value == "relevance":  # the judgments of both are TREC's
        yield _qrels_table(source, how)
    elif form == "trec":
        yield from trec.blocks(source, trec.RUN, block_bytes)
    elif form == "msmarco":
        check_direction(RANK, (), how, path=source.name)
        yield from trec.ranks(source)
    else:
        from irpref.data import records as readers

        tables = getattr(readers, form)(source, value, how)
        tables = [tables] if isinstance(tables, Table) else tables
        yield from as_scores(tables, source.name) if value == "score" else tables


def _joined(parts: Iterable[Table]) -> Table:
    return Table.joined(part.compact() for part in parts)


def read_table(path: PathLike | Source, value: str, form: str | Reading | None = None) -> Table:
    """Read all rows of a file of any form. Raises as `read_run`.

    Parameters
    ----------
    path : path, `-`, binary file, or `Source`
    value : 'score' or 'relevance'
    form : str or Reading, optional
        One of `FORMS`; by the ending of the name if not given.
    """
    source = path if isinstance(path, Source) else Source(path)
    how = reading(form)
    with source:
        table = _joined(read(source, value, how))
    if value == "relevance" and lacks_grades(how.labels):
        return graded(table, source.name)
    return table


def graded(table: Table, name: str) -> Table:
    """Drop the judgments whose label is not a grade; a warning says how many."""
    rows = np.flatnonzero(~np.isnan(table.value))
    warn_of_ungraded(len(table) - rows.size, name)
    return table.rows(rows)


def _qrels_table(source: Source, how: Reading) -> Table:
    """Read the judgments of a TREC file, which may hold labels instead of grades."""
    grades = None
    first = trec.first_fields(source)
    if how.labels is not None or _are_labels(first):
        form = trec.QRELS_3 if len(first) == 3 else trec.QRELS
        table = trec.whole(source, replace(form, number=""))
        grades = how.grades_of(table.columns["relevance"].tolist(), source.name)
    # All are numbers, or labels are mixed with something else, which is an error.
    table = trec.whole(source, trec.QRELS) if grades is None else replace(table, value=grades)
    if how.form is None and grades is None:
        if len(first) == 4 and first[1] not in _ITERATIONS and are_preferred(rows_of(source, 4)):
            raise InputError(f"the fourth field is {_LIKE_PREFERENCES}", path=source.name)
        if first != trec.BEIR:
            check_grades(table, len(first), source.name)
    iteration = table.columns.get("iteration", np.broadcast_to(objects(["0"]), len(table)))
    names = ("query_id", "doc_id", "relevance", "iteration")
    return replace(table, columns={"iteration": iteration}, header=names)


def _are_labels(fields: list[bytes]) -> bool:
    """Test whether the first line of a file of judgments has a label instead of a grade."""
    return len(fields) in (3, 4) and scheme([fields[-1].decode("utf-8", "replace")]) is not None


_LIKE_PREFERENCES = "the preferred one of two documents: irpref.judgments reads such preferences"


def _are_preferences(fields: list[bytes], source: Source, form: str | None) -> bool:
    """Test whether a file holds preferences, or none of the forms: five fields, a last one that is
    not a number (save a header's), or is a document. With `form`, numbers are grades.
    """
    n = len(fields)
    if n not in (3, 4) or fields[1] in _ITERATIONS:
        return n == 5
    if not trec.is_number(fields[-1]):
        return not trec.is_header(source)
    if form is not None:
        return False
    rows = rows_of(source, n)
    if n == 3:
        return are_pairs(rows)
    if found := are_preferred(rows):
        return found
    check_preferred(rows, source.name)
    check_fields(rows, path=source.name)
    return False


def read_judgments(
    source: Source, preferences: bool | None = True, form: str | Reading | None = None
) -> pd.DataFrame | Table:
    """Read judgments of a file: the table of its grades, or the frame of its preferences.

    Parameters
    ----------
    source : Source
    preferences : bool or None
        Whether they may be preferences. Lines of four fields that end with a number may be either:
        they are preferences if topics have several groups (`qrels_prefs`), since qrels repeat one
        number there; with None they are grades. A second field `0` or `Q0` tells qrels from pairs
        with a judge.
    form : str or Reading, optional

    Raises
    ------
    ValueError, OSError
        As `read_qrels` or `read_preferences`.
    """
    how = reading(form)
    if how.form in PREFERENCES:
        how.used.add("form")
        return read_preferences(source, how.form)
    if (kind := text_form(source, "relevance", how)) != "trec":
        try:
            table = read_table(source, "relevance", how)
        except ColumnError as error:
            if not name_pairs(error.header):
                raise
            return pairs_of_file(source, kind)
        check_numbers(table, how, path=source.name)
        return table
    first = trec.first_fields(source)
    if kind := trec.another_kind(first):
        raise InputError(kind, path=source.name)
    labelled = how.labels is not None or (_are_labels(first) and first[1] in _ITERATIONS)
    if not labelled and preferences is not False and _are_preferences(first, source, how.form):
        if len(first) == 4 and not trec.is_number(first[3]):
            check_pairs(rows_of(source, 4), path=source.name)
            check_judges(rows_of(source, 4), "give form='pairs'", path=source.name)
        return read_preferences(source)
    try:
        table = read_table(source, "relevance", how)
    except InputError as error:
        if labelled or not _are_preferences(first, source, how.form):
            raise
        raise InputError(
            f"{error.message}; this looks like preferences, which measures such as PrefShare take",
            path=error.path,
            line=error.line,
        ) from None
    if preferences and has_groups(table):
        return read_preferences(source, "qrels_prefs")
    return table


def to_pandas(table: Table, value: str) -> pd.DataFrame:
    """Turn a table into a pandas frame whose text columns hold Python strings."""
    whole = value == "relevance" and all_whole(table.value)
    numbers = table.value.astype(np.int64) if whole else table.value
    query_id, doc_id = as_objects(table.query_id), as_objects(table.doc_id)
    return to_frame({"query_id": query_id, "doc_id": doc_id, value: numbers, **table.columns})


def _run_frame(parts: Iterator[Table], size: int) -> pd.DataFrame:
    """Turn a run into a frame: some rows become Python objects while the next are read. `size`:
    bytes of the file.
    """
    docs, n = objects([]), 0
    read = []
    for part in parts:
        if n + len(part) > docs.size:
            # Unused memory costs nothing; copying strings would cost as much as making them.
            rows = max(len(part) * size * 2 // FRAME_BLOCK_BYTES, 2 * docs.size, len(part))
            docs, before = np.empty(n + rows, dtype=object), docs
            docs[:n] = before[:n]
        here = docs[n : n + len(part)]
        if isinstance(part.doc_id, Texts):
            part.doc_id.fill(here)
        else:
            here[:] = as_objects(part.doc_id)
        read.append(replace(part, doc_id=here))
        n += len(part)
    whole = Table.joined(replace(part, doc_id=[]) for part in read)
    return to_frame(
        {"query_id": as_objects(whole.query_id), "doc_id": docs[:n], "score": whole.value}
    )
