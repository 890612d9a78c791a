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

Columns have ir_measures' names, or PyTerrier's (`qid`, `docno`, `label`), BEIR's (`query-id`, `corpus-id`, `score`),
ranx' (`q_id`), or `grade`, `rating`, `rel` for the relevance; where two are there, ir_measures' counts. `columns` names
others. Ids are text: `007` stays `007` in CSV, whole
numbers in JSON and Parquet become their `str`. Of a run, `query_id`, `doc_id` and `score` are read; of judgments
all columns, since measures may ask for more (`known`, `expected`). The readers are in `irpref.formats.readers`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.segments import Floats, Ints, all_whole
from irpref.formats import trec
from irpref.formats.columns import Reading, Table, as_list, as_objects, objects, reading, text_type
from irpref.formats.labels import Labels, grades_of, scheme
from irpref.formats.runs import ENDINGS
from irpref.formats.source import PACKED, PathLike, Source
from irpref.messages import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

FORMS = tuple(ENDINGS)
BLOCK_BYTES = 1 << 19  # of a run, parsed while the block before becomes Python objects
_TEXT = ("query_id", "doc_id", "iteration")


def read_run(
    path: PathLike, form: str | Reading | None = None, *, columns: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Read a run.

    Parameters
    ----------
    path : path, `-` for standard input, or binary file
        Plain, or compressed with gzip or zstd (recognised by its first bytes).
    form : str, optional
        One of `trec`, `msmarco`, `parquet`, `csv`, `tsv`, `json`, `jsonl`; by the ending of the name if not given.
    columns : mapping, optional
        What columns are called in the file: `{"doc_id": "chunk_id"}`.

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
    how, source = reading(form, columns), Source(path)
    if form_of(source, how.form) == "trec":
        return _run_frame(source)
    return to_pandas(read_table(source, "run", how))


def read_qrels(
    path: PathLike,
    form: str | Reading | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Labels = None,
) -> pd.DataFrame:
    """Read judgments; TREC files with four or three fields a line.

    Parameters
    ----------
    path, form : as for `read_run`
    columns : mapping, optional
        What columns are called in the file: `{"relevance": "judgement"}`. `grade`, `rating`, `label` and `rel` are
        understood as relevance without it.
    labels : str or mapping, optional
        Labels that the file has in place of grades: `'S A B C'`, `'L0 L1 L2'`, `'nr pr fr hr'`, or the grade of each,
        `{"bad": 0, "good": 1}`. The first three are understood without it; a warning says the grades assumed.

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
    return to_pandas(read_table(Source(path, keep=True), "qrels", reading(form, columns, labels)))


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


def read_table(path: PathLike | Source, kind: str, form: str | Reading | None = None) -> Table:
    """A run or judgments from a file of any form.

    Parameters
    ----------
    path : path, `-`, binary file, or `Source`
    kind : 'run' or 'qrels'
    form : str or Reading, optional
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
    how = reading(form)
    chosen = form_of(source, how.form)
    if chosen == "trec" or (chosen == "msmarco" and kind == "qrels"):  # whose judgments are in TREC format
        return trec.run_table(source) if kind == "run" else _qrels_table(source, how)
    if chosen == "msmarco":
        return trec.ranks_table(source)
    from irpref.formats import readers

    found: Table = getattr(readers, chosen)(source, value, how)
    return found


def _qrels_table(source: Source, how: Reading) -> Table:
    """Judgments of a TREC file, which may hold labels in place of grades."""
    if how.labels is None:
        try:
            return trec.qrels_table(source)
        except ValueError:
            if not _are_labels(source):
                raise
    _, line = next(trec.lines_of(source), (0, b""))
    form = trec.QRELS_3 if len(line.split(None, 3)) == 3 else trec.QRELS
    columns = trec.columns_of(source, form.but(number=""))
    grades = grades_of(columns["relevance"], how.labels, source.name)
    if grades is None:  # some are labels, others are none
        return trec.qrels_table(source)
    iteration = objects(columns.get("iteration", ["0"] * grades.size))
    names = ("query_id", "doc_id", "relevance", "iteration")
    return Table(columns["query_id"], columns["doc_id"], grades, {"iteration": iteration}, names)


def _are_labels(source: Source) -> bool:
    """Whether the first line of a file of judgments has a label in place of a grade."""
    _, line = next(trec.lines_of(source), (0, b""))
    fields = line.decode("utf-8", "replace").split(None, 4)
    return len(fields) in (3, 4) and scheme(fields[-1:]) is not None


def _are_preferences(source: Source) -> bool:
    """Whether the first line of a file has a form that no qrels have: five fields, or a last one that is no number."""
    _, line = next(trec.lines_of(source), (0, b""))
    fields = line.split(None, 5)
    return len(fields) == 5 or (len(fields) in (3, 4) and not trec.is_number(fields[-1]))


def read_judgments(
    source: Source, preferences: bool | None = True, form: str | Reading | None = None
) -> pd.DataFrame | Table:
    """Judgments of a file: the table of its grades, or the frame of its preferences.

    Parameters
    ----------
    source : Source
    preferences : bool or None
        Whether they may be preferences. Four fields of which the last is a number are both: then they are preferences
        if topics have several groups (`qrels_prefs`), for qrels repeat one number there; with None they are grades.
        Labels in place of grades are told from judges of pairs by the second field, `0` or `Q0`.
    form : str or Reading, optional

    Raises
    ------
    ValueError, OSError
        As `read_qrels` or `read_preferences`.
    """
    how = reading(form)
    plain = form_of(source, how.form) == "trec"
    labelled = plain and (how.labels is not None or (_are_labels(source) and _second(source) in (b"0", b"Q0")))
    if plain and not labelled and preferences is not False and _are_preferences(source):
        from irpref.formats.preferences import read_preferences

        return read_preferences(source)
    try:
        table = read_table(source, "qrels", how)
    except ValueError as error:
        if not plain or labelled or not _are_preferences(source) or _second(source) in (b"0", b"Q0"):
            raise
        raise ValueError(f"{error}; this looks like preferences, which measures such as PrefShare take") from None
    if not (plain and preferences and _has_groups(table)):
        return table
    from irpref.formats.preferences import read_preferences

    return read_preferences(source, "qrels_prefs")


def _second(source: Source) -> bytes:
    """The second field of the first line."""
    _, line = next(trec.lines_of(source), (0, b""))
    return b"".join(line.split(None, 2)[1:2])


def _has_groups(table: Table) -> bool:
    topics = as_list(table.query_id)
    groups = as_list(table.columns.get("iteration", topics))
    return len(set(zip(topics, groups, strict=True))) > len(set(topics))


def to_pandas(table: Table) -> pd.DataFrame:
    """A table as a pandas frame whose text columns hold Python strings."""
    order = table.found or ("query_id", "doc_id", "score")
    value = next(name for name in order if name not in ("query_id", "doc_id", *table.columns))
    whole = value == "relevance" and all_whole(table.value)
    numbers = table.value.astype(np.int64) if whole else table.value
    query_id, doc_id = as_objects(table.query_id), as_objects(table.doc_id)
    return _frame({"query_id": query_id, "doc_id": doc_id, value: numbers, **table.columns})


def _run_frame(source: Source) -> pd.DataFrame:
    """A run in TREC format: some lines become Python objects while the next are parsed."""
    names: list[str] = []
    lengths: list[Ints] = [np.zeros(0, np.int64)]
    numbers: list[Floats] = [np.zeros(0)]
    docs, n = objects([]), 0
    for part in trec.blocks(source, trec.RUN, BLOCK_BYTES):
        if n + len(part) > docs.size:
            # Memory that nothing is put into costs nothing; to copy strings would cost as much as to make some.
            rows = max(len(part) * source.size() * 2 // BLOCK_BYTES, 2 * docs.size, len(part))
            docs, before = np.empty(n + rows, dtype=object), docs
            docs[:n] = before[:n]
        here = docs[n : n + len(part)]
        if isinstance(part.docs, list):
            here[:] = part.docs
        else:
            part.docs.fill(here)
        names += part.names
        lengths.append(part.lengths)
        numbers.append(part.number)
        n += len(part)
    query_id = np.repeat(objects(names), np.concatenate(lengths))
    return _frame({"query_id": query_id, "doc_id": docs[:n], "score": np.concatenate(numbers)})


def _frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """A pandas frame of arrays."""
    import pandas as pd

    text = text_type()
    data = {}
    for name, whole in columns.items():
        is_text = whole.dtype == object and (name in _TEXT or set(map(type, whole)) in ({str}, {str, type(None)}))
        data[name] = pd.Series(whole, dtype=text if is_text else whole.dtype, copy=False)
    return pd.DataFrame(data, copy=False)
