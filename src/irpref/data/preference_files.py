"""Preferences between documents, in three forms, as one table; and grades as preferences.

    prefs        query_id  group  subgroup  doc_id  level     trec_eval -R prefs
    qrels_prefs  query_id  group  doc_id  level               trec_eval -R qrels_prefs, and any
                                          qrels of four fields
    pairs        query_id  winner  loser  [judge]
                 query_id  A  B  preferred              TREC CAsT 2019

All become a table of judgments: `query_id`, `group`, `subgroup`, `doc_id`, `relevance`. A group
holds the preferences of one judge, which must not contradict each other; a subgroup puts some
documents on levels, and higher levels are preferred. Levels say nothing outside their subgroup,
except that trec_eval takes documents of a level above 0 for relevant if a measure asks
(`PrefShare(nonrelevant='R')`).

Fields are separated by white space; blank lines and lines that begin with `#` are ignored.

The forms leave open, and we decided:

* *Which form.* Five fields are `prefs`; four are pairs and the preferred document if the last is
  one of the two in most lines (see `irpref.data.kinds`), else `qrels_prefs` if it is a number in
  the first line, else `pairs` with a judge; three are `pairs`. Say `form=` if that is wrong (judges
  that are numbers).
* *Pairs.* The judge is the group (`0` without one); with a preferred document, each line is a
  group. Each pair is a subgroup of its own (pairs of a topic are numbered), the winner on level 2
  and the loser on level 1: the file does not say which one is relevant.
* *Tables.* Files with named columns hold pairs: see `irpref.data.preference_rows`.
* *One subgroup.* `qrels_prefs` has no subgroups; all judgments get `0`.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from irpref.data.cells import first_line
from irpref.data.columns import as_objects, check_finite, to_frame
from irpref.data.forms import NAMED, form_of_name
from irpref.data.forms import PREFERENCES as FORMS
from irpref.data.kinds import are_preferred, head_pairs, rows_of
from irpref.data.preference_frames import COLUMNS, check_preferences, of_pairs, zeros
from irpref.data.preference_rows import pairs_of_file
from irpref.data.replace import replaced
from irpref.data.source import PathLike, Source
from irpref.data.trec import MOST_FIELDS, Form, is_number, lines_of, n_fields, shown, whole
from irpref.errors import QRELS_FIRST, ColumnError, InputError, JudgmentsError
from irpref.kernel.segments import all_whole
from irpref.messages import check_choice

if TYPE_CHECKING:
    import pandas as pd

PREFS = Form("prefs", "query_id group subgroup doc_id level", "level")
QRELS_PREFS = Form("qrels_prefs", "query_id group doc_id level", "level")
PAIRS = Form("pairs", "query_id winner loser", "")
JUDGED_PAIRS = Form("pairs", "query_id winner loser judge", "")
PREFERRED = Form("pairs", "query_id winner loser preferred", "")
_EVERY = (PREFS, QRELS_PREFS, PAIRS, JUDGED_PAIRS)


def read_preferences(path: PathLike | Source, form: str | None = None) -> pd.DataFrame:
    """Read preferences.

    Parameters
    ----------
    path : path, `-` for standard input, or binary file
        Plain, or compressed with gzip or zstd.
    form : 'prefs', 'qrels_prefs' or 'pairs', optional
        By default, the lines decide; see the module. A file with named columns (CSV, JSON,
        Parquet), by the ending of its name, holds pairs.

    Returns
    -------
    pandas.DataFrame
        Columns `query_id`, `group`, `subgroup`, `doc_id` (str) and `relevance` (int64 if all levels
        are whole numbers, else float64): a row for each judgment (a line of `pairs` holds two). Use
        it wherever qrels are accepted.

    Raises
    ------
    ValueError
        A line is malformed, or the preferences of a group contradict each other: the message has
        file, line, topic and group.
    OSError
        The file cannot be read.
    """
    source = path if isinstance(path, Source) else Source(path, keep=True)
    by_name = form_of_name(source.name)
    has_names = by_name in NAMED and form in (None, "pairs")
    if has_names and (by_name != "tsv" or head_pairs(first_line(source).split("\t"))):
        return pairs_of_file(source, by_name)
    chosen = _form(source, form)
    if chosen.what == "pairs":
        return _pairs(source, chosen)
    frame: pd.DataFrame = to_frame(_levels(source, chosen))
    check_preferences(frame, 1, partial(_place, source))
    return frame


def _place(source: Source, rows: Collection[int]) -> dict[str, Any]:
    """Return file and lines that hold these rows, for an error."""
    numbers = tuple(number for i, (number, _) in enumerate(lines_of(source)) if i in rows)
    return {"path": source.name, "line": numbers if len(numbers) > 1 else numbers[0]}


def _form(source: Source, form: str | None) -> Form:
    """Find the form of the lines of a file: the one asked for, else the form of its first line."""
    if form is not None:
        check_choice("form", form, FORMS)
    number, line = next(lines_of(source), (0, b""))
    fields = line.split(None, MOST_FIELDS)
    names = line.decode("utf-8", "replace").lower().split()
    may_be_pairs = form in (None, "pairs") and len(names) in (3, 4)
    if any(names == f.expected.split() for f in _EVERY) or (may_be_pairs and head_pairs(names)):
        raise InputError(
            f"a header, where preferences begin: {shown(line)!r}", path=source.name, line=number
        )
    if form == "prefs" or not fields:
        return PREFS
    if form == "qrels_prefs":
        return QRELS_PREFS
    if form is None and len(fields) == 5:
        return PREFS
    if len(fields) == 4 and are_preferred(rows_of(source, 4), small=form is not None):
        return PREFERRED
    if form is None and len(fields) == 4 and is_number(fields[3]):
        return QRELS_PREFS
    if len(fields) in (3, 4):
        return JUDGED_PAIRS if len(fields) == 4 else PAIRS
    known = (PAIRS, JUDGED_PAIRS) if form else _EVERY
    is_run = len(fields) == 6 and fields[1] == b"Q0"
    raise InputError(
        f"{(size := n_fields(line))} field{'s' * (size != 1)}, expected "
        + " or ".join(f"{f.n} ({f.expected})" for f in known)
        + "; this looks like a run" * is_run
        + f": {shown(line)!r}",
        remedy=QRELS_FIRST if is_run else None,
        path=source.name,
        line=number,
    )


def _levels(source: Source, form: Form) -> dict[str, Any]:
    """Read the judgments of a file with levels."""
    table = whole(source, form)
    topic, doc, level = as_objects(table.query_id), as_objects(table.doc_id), table.value
    check_finite("level", level, lambda at: (topic[at], doc[at]), JudgmentsError, path=source.name)
    group, subgroup = (table.columns.get(name, zeros(len(table))) for name in COLUMNS[1:3])
    numbers = level.astype(np.int64) if all_whole(level) else level
    return dict(zip(COLUMNS, (topic, group, subgroup, doc, numbers), strict=True))


def _pairs(source: Source, form: Form) -> pd.DataFrame:
    """Read the pairs of a file of lines."""
    table = whole(source, form)
    docs = np.stack([as_objects(table.doc_id), table.columns["loser"]], axis=1)
    judge, preferred = (table.columns.get(name) for name in ("judge", "preferred"))
    topic = as_objects(table.query_id)
    return of_pairs(topic, docs, judge, preferred, partial(_place, source))


def write_preferences(
    frame: pd.DataFrame, path: str | os.PathLike[str] | IO[str], form: str = "prefs"
) -> None:
    """Write preferences, so that `read_preferences` gives the same preferences back.

    Parameters
    ----------
    frame : DataFrame
        Columns `query_id`, `doc_id`, `relevance`, and `group` and `subgroup` (`0` if they are
        missing), as `read_preferences` returns them.
    path : path, or text file that is open for writing
    form : 'prefs', 'qrels_prefs' or 'pairs'
        `pairs` has each preference of the subgroups once; the group is the judge.

    Raises
    ------
    ValueError
        A column is missing; an id is empty or has white space in it; several subgroups in a group,
        which `qrels_prefs` cannot tell apart.
    """
    check_choice("form", form, FORMS)
    for name in ("query_id", "doc_id", "relevance"):
        if name not in frame.columns:
            raise ColumnError(
                f"have no column {name!r} (found: {', '.join(map(str, frame.columns))})",
                table="the preferences",
                column=name,
                missing=(name,),
                header=tuple(map(str, frame.columns)),
            )
    ids = {name: frame[name].map(str) if name in frame.columns else "0" for name in COLUMNS[:-1]}
    table = frame[["relevance"]].assign(**ids)
    for name in ids:
        bad = next(
            (
                value
                for value in table[name].unique()
                if len(value.split()) != 1 or value != value.strip()
            ),
            None,
        )
        if bad is not None:
            raise JudgmentsError(
                f"{name} {bad!r} cannot be written: the form has white space between its fields",
                column=name,
                value=bad,
            )
    lines = [
        " ".join(row) + "\n" for row in _written(table, form).itertuples(index=False, name=None)
    ]
    if isinstance(path, (str, os.PathLike)):
        with (
            replaced(path) as beside,
            open(beside, "w", encoding="utf-8", newline="\n") as file,
        ):
            file.writelines(lines)
    else:
        path.writelines(lines)


def _written(table: pd.DataFrame, form: str) -> pd.DataFrame:
    """Write the fields of each line as text."""
    if form == "pairs":
        both = table.merge(table, on=["query_id", "group", "subgroup"], suffixes=("", " below"))
        both = both[both["relevance"] > both["relevance below"]]
        return both[["query_id", "doc_id", "doc_id below", "group"]].drop_duplicates()
    table = table.assign(relevance=table["relevance"].map(_text_of))
    if form == "prefs":
        return table[[*COLUMNS]]
    subgroups = table.groupby(["query_id", "group"])["subgroup"].nunique()
    for topic, group in subgroups[subgroups > 1].index:
        raise JudgmentsError(
            f"topic {topic!r}, group {group!r} has several subgroups, which the form "
            f"'qrels_prefs' cannot tell apart: write 'prefs'",
            topic=topic,
        )
    return table[["query_id", "group", "doc_id", "relevance"]]


def _text_of(level: Any) -> str:
    return (
        repr(int(level)) if float(level).is_integer() and abs(level) < 2**53 else repr(float(level))
    )
