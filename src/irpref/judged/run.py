"""`irpref.run`: a run of any form, read once.

A `Run` holds the table that was read and knows how its documents are ordered. Against one
`Judgments` it is aligned once: its documents are looked up and put in the order of evaluation the
first time that somebody asks, and everybody after that gets the same `Listing`. Every public
function turns the runs that it takes into `Run` objects, and passes these on. An evaluator alone
aligns a run of another form while it reads it, keeps its judged documents and lets it go."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.data import trec
from irpref.data.collections import dataset_named
from irpref.data.columns import (
    PLAIN,
    RANK,
    Reading,
    Stretches,
    Table,
    as_list,
    as_objects,
    beyond_plain,
    objects,
    reading,
)
from irpref.data.header import names_in
from irpref.data.lists import check_no_distances, hold_ids, listed_one_by_one
from irpref.data.rows import counted_row
from irpref.data.run_names import run_names
from irpref.data.scores import TIES, changed
from irpref.data.source import Source
from irpref.data.tables import as_written, read_table, text_form, to_pandas
from irpref.errors import ArgumentError, CutWarning, InputError
from irpref.judged.align import Listing, Part, listed
from irpref.judged.inputs import (
    OF_DATASET,
    OF_MEMORY,
    Opened,
    group,
    is_dataset,
    names_dataset,
    refuse_reading,
    rereadable,
    str_list,
    tables,
    unwrapped,
)
from irpref.judged.match import texts_of
from irpref.judged.order import evaluation_order
from irpref.judged.pool import Pool
from irpref.judged.roles import in_their_roles
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Ints, Segments
from irpref.messages import check_choice, give, held, wants_whole_files

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import RunLike

# Columns that may name the run.
TAGS = ("tag", "run", "run_id", "run_name", "system")
_KEPT = 2  # listings of one run: of its judgments, and of a part of them


class Run(Opened):
    """A run that was read once and is accepted wherever runs are. It never changes.

    `irpref.run` returns such objects.

    Attributes
    ----------
    name : str or None
    path : str or None
        The file, or the id of a data set, that it was read from.
    table : Table
        The rows that were read, with the columns `rank` and `tag` if there are any; not to be
        changed.
    how : Reading
        How its documents are ordered, and which rows count.
    cut : CutWarning or None
        Why its file may have been cut off.

    Examples
    --------
    >>> from irpref import run
    >>> run({"q1": {"a": 1.0, "b": 2.0}, "q2": {"c": 0.5}}, name="bm25")
    Run 'bm25' of 2 topics, 3 documents
    scores 0.5 to 2; by score, ties by id, descending
    """

    def __init__(
        self,
        table: Table,
        how: Reading = PLAIN,
        *,
        name: str | None = None,
        path: str | None = None,
        cut: CutWarning | None = None,
        named: bool = False,
    ) -> None:
        self.table, self.how, self.name, self.path, self.cut = table, how, name, path, cut
        self._named = named  # somebody has said that it is a run, whatever it looks like
        self._listings: list[tuple[Pool, Listing]] = []

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        n, called = len(self.topic_ids), "" if self.name is None else f" {self.name!r}"
        documents = f"{len(self):,} document{'s' * (len(self) != 1)}"
        scores = np.asarray(self.table.value)
        known = scores[np.isfinite(scores)]
        spread = f"scores {known.min():g} to {known.max():g}; " if known.size else ""
        topics = f"{n:,} topic{'s' * (n != 1)}"
        return f"Run{called} of {topics}, {documents}\n{spread}" + self._order_in_words

    @property
    def _order_in_words(self) -> str:
        how = self.how
        parts = [
            "by score" if how.ties == "id" else "by score, ties in the order of the input",
            "ties by id, descending" if how.ties == "id" else "",
            "lower scores first" if how.lower_is_better else "",
            "rounded to 32 bits" if how.float32 else "",
            "without the topic's own id" if how.ignore_self else "",
            f"without {len(how.excluded):,} excluded document{'s' * (len(how.excluded) != 1)}"
            if how.excluded
            else "",
            "chunks as documents" if how.documents is not None else "",
            f"of repeated documents the {how.repeats}" if how.repeats else "",
        ]
        return ", ".join(filter(None, parts))

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have nothing compiled, and aligns what it needs.
        table = self.table
        ids = {name: as_objects(getattr(table, name)) for name in ("query_id", "doc_id")}
        plain = replace(table, **ids, columns=dict(table.columns))
        return self.__dict__ | {"table": plain, "_listings": []}

    @property
    def topic_ids(self) -> list[str]:
        """Topics in order of first appearance."""
        return group(self.table.query_id).names

    def frame(self, *, pyterrier: bool = False) -> pd.DataFrame:
        """Return the run as a frame in the order that is evaluated.

        Returns
        -------
        pandas.DataFrame
            `query_id`, `doc_id`, `score` and `rank` (from 1); topics as they came, documents best
            first; of a repeated document the row that counts. With `pyterrier`, the columns are
            `qid`, `docno`, `score` and `rank` (from 0).
        """
        rows, rank = self._in_order()
        frame = to_pandas(replace(self.table.rows(rows), columns={}), "score")
        frame["rank"] = rank - pyterrier
        return frame.rename(columns=_PYTERRIER) if pyterrier else frame

    def rows(self) -> dict[str, list[tuple[str, float]]]:
        """Return documents and scores of each topic as they came, repeated documents included."""
        topics = as_list(as_objects(self.table.query_id))
        docs, scores = as_list(as_objects(self.table.doc_id)), self.table.value.tolist()
        out: dict[str, list[tuple[str, float]]] = {}
        for topic, doc, score in zip(topics, docs, scores, strict=True):
            out.setdefault(str(topic), []).append((str(doc), score))
        return out

    def _in_order(self) -> tuple[Ints, Ints]:
        """Return the rows of the table in the order of evaluation, and the rank of each, from 1."""
        import pandas as pd

        topics, docs = (as_objects(ids) for ids in (self.table.query_id, self.table.doc_id))
        again = pd.DataFrame({"topic": topics, "doc": docs}).duplicated(keep="last").to_numpy()
        kept = np.flatnonzero(~again)
        groups = group(topics[kept])
        rows = kept if groups.order is None else kept[groups.order]
        segments = Segments.of_lengths(groups.lengths)
        ids = objects(str_list(as_list(docs[rows])))
        part = Part(
            np.arange(segments.n),
            groups.lengths,
            texts_of(ids) or ids.tolist(),
            self.table.value[rows],
            rows,
        )
        moved = evaluation_order(part.score, segments, part.falling)
        return rows if moved is None else moved.put(rows), segments.position + 1

    def on(self, pool: Pool) -> Listing:
        """List the documents of the judged topics in the order of evaluation.

        They are looked up and ordered once for each set of judgments, whoever asks.

        Raises
        ------
        ValueError
            A score is not a finite number.
        """
        if pool.is_doubtful and not self._named:
            deque(in_their_roles([self.table]), 0)
        for known, listing in self._listings:
            if known is pool.base:
                return listing
        listing = listed(pool.base, self.table)
        self._listings = [*self._listings, (pool.base, listing)][-_KEPT:]
        return listing

    def first(self, pool: Pool, depth: int) -> Run:
        """Keep the first `depth` documents of each judged topic, at their ranks."""
        short = self.on(pool).first(depth)
        topics = Stretches(pool.topic_ids, short.topics.lengths)
        table = Table(topics, objects(short.doc_ids), -short.rank.astype(np.float64))
        run = self._like(table)
        here: Ints = np.arange(len(table))
        listing = Listing(
            short.pool,
            table,
            short.topics,
            table.value,
            short.row,
            here,
            [name for name in short.names if name in pool.topic_of],
            short.repeats,
        )
        run._listings = [(pool.base, listing)]
        return run

    def _like(self, table: Table, **other: Any) -> Run:
        """Make a run like this one of another table."""
        own = {"how": self.how, "name": self.name, "path": self.path, "cut": self.cut}
        return Run(table, **{**own, "named": self._named, **other})


_PYTERRIER = {"query_id": "qid", "doc_id": "docno"}


def run(
    data: RunLike,
    *,
    name: str | None = None,
    ties: str = "id",
    float32: bool = False,
    lower_is_better: bool = False,
    ignore_self: bool = False,
    exclude: Any = None,
    repeats: str | None = None,
    documents: Mapping[str, str] | str | None = None,
    columns: Mapping[str, str] | None = None,
    form: str | Reading | None = None,
) -> Run:
    """Read a run once, in any form.

    Use it for input that can be read only once (a pipe, an iterator), to evaluate a run several
    times without reading it again, or to change the order of its documents. The result is accepted
    wherever runs are.

    Every measure here ranks documents by score as a 64-bit float and breaks ties by document id,
    descending, as trec_eval does.

    Parameters
    ----------
    data : any form of run
        Frame of pandas or polars with the column names of ir_measures or PyTerrier, dict of dicts,
        dict of lists of ids (best first; the first occurrence of an id counts), iterable of
        namedtuples, path of a file, or id or object of a data set. It is not modified, and may
        change afterwards.
    name : str, optional
        By default a file is named as `irpref eval` names it.
    ties : {'id', 'input'}
        'input': tied documents stay in the order of the run's rows. The scores of each topic then
        fall by 1 from rank to rank.
    float32 : bool
        Whether scores are first rounded to 32 bits, as pytrec_eval does, so that scores that differ
        only in further digits are tied.
    lower_is_better : bool
        Whether scores are distances: the documents with the lowest ones come first.
    ignore_self : bool
        Whether documents with the id of their topic are left out, for collections whose queries
        are documents, too (BEIR's ArguAna and Quora).
    exclude : optional
        Documents that are left out: a mapping of topic to documents, or judgments in any form, such
        as the judgments of an earlier round (TREC-COVID) or the excluded ids of BRIGHT. With
        `documents`, they may be chunks, too.
    repeats : {'last', 'first', 'best'}, optional
        Which row of a repeated document counts: the last, the first, or the one with the best
        score. By default 'best' with `documents`, else the last, as in ir_measures, with a warning;
        a gate does not pass if that decides between two scores on many topics.
    documents : mapping or str, optional
        Chunks become their documents: a mapping of chunk to document, or a regular expression whose
        group is the id of the document, such as '^(.*)#'.
    columns : mapping, optional
        Names of the columns of a file or frame: `{"doc_id": "chunk_id"}`.
    form : str, optional
        Form of a file, as for `irpref.read_run`; by the ending of its name if not given.

    Returns
    -------
    Run

    Raises
    ------
    ValueError, OSError
        No such file or data set; a line is malformed; a column is missing; a score is not a number;
        an argument that is not accepted, or has no meaning for this form of data.

    Examples
    --------
    >>> read = run({"q1": {"a": 1.0, "b": 1.0, "c": 2.0}}, ties="input")
    >>> read.frame()["doc_id"].tolist()
    ['c', 'a', 'b']
    >>> chunks = {"q1": {"d1#1": 0.2, "d1#2": 0.9, "d2#1": 0.5}}
    >>> run(chunks, documents="^(.*)#").frame()["doc_id"].tolist()
    ['d1', 'd2']
    """
    check_choice("ties", ties, TIES)
    how = reading(form, columns)
    given = beyond_plain(
        ties=ties,
        float32=float32,
        lower_is_better=lower_is_better,
        ignore_self=ignore_self,
        excluded=None if exclude is None else excluded_documents(exclude),
        repeats=counted_row(repeats, documents),
        documents=documents,
    )
    how = replace(how, **given)
    if isinstance(data, Run):
        refuse_reading(how, "this run was read before")
        if not given:
            return _named(data, name)
        return _ordered(data, how, given, name)
    return _named(read_once(_own(data, how), how, name))


def excluded_documents(exclude: Any) -> frozenset[tuple[str, str]]:
    """Collect topic and id of the documents that are left out, from a mapping of topic to documents
    or from judgments in any form, whatever their grades.
    """
    from irpref.judged.judgments import pairs_of

    return frozenset(pairs_of(exclude))


def _named(data: Run, name: str | None = None) -> Run:
    """Say that this is a run, perhaps with another name; keep the documents already looked up."""
    if data._named and name is None:
        return data
    other = data._like(data.table, name=data.name if name is None else name, named=True)
    other._listings = data._listings
    return other


def _ordered(data: Run, how: Reading, given: Mapping[str, Any], name: str | None) -> Run:
    """Order the documents of a run in another way."""
    if data.how.changes_runs:
        raise ArgumentError(
            f"{', '.join(given)}: this run was ordered in another way when it was read, so pass "
            f"all options to the first call of run",
            parameter=next(iter(given)),
        )
    table = changed(data.table, replace(PLAIN, **given))
    return data._like(table, how=how, name=name or data.name, named=True)


def _own(data: Any, how: Reading) -> Any:
    """Copy a frame, so that nobody else can change it; return anything else as it is."""
    data = listed_one_by_one(unwrapped(data), "score", how)
    is_path = isinstance(data, (str, os.PathLike))
    if is_dataset(data) or (is_path and names_dataset(data)):
        if is_path:
            dataset_named(str(data), "scoreddocs")  # there is one
        refuse_reading(how, OF_DATASET)
    elif not is_path:
        refuse_reading(how, OF_MEMORY, ("form",))
    if isinstance(data, Mapping) and hold_ids(data, "score"):
        check_no_distances(how)
    if hasattr(type(data), "columns") and not isinstance(data, Mapping):
        data = unwrapped(data)
        data = data.copy() if hasattr(data, "itertuples") else data.clone()
    return data


def read_once(data: Any, how: Reading = PLAIN, name: str | None = None) -> Run:
    """Read a run of any form; a `Run` stays as it is.

    `irpref.run` is the public form. Here a frame is not copied: for functions that are done with a
    run when they return.

    Raises
    ------
    ValueError, OSError
        As `irpref.run`.
    InputError
        A file may have been cut off, inside of `irpref.messages.whole_files`.
    """
    if isinstance(data, Run):
        if data.cut is not None and wants_whole_files():
            raise InputError(data.cut.message, path=data.cut.path, run=data.name)
        return data
    is_path = isinstance(data, (str, os.PathLike))
    path = os.path.expanduser(os.fspath(data)) if is_path else None
    with held() as warnings:
        table = _rows_of(data, how)
    cut = next((warning for warning in warnings if isinstance(warning, CutWarning)), None)
    for warning in warnings:
        give(warning)
    if how.changes_runs:
        table = changed(table, how)
    if name is None and path is not None:
        name = next(iter(run_names([path])))
    return Run(table, how, name=name, path=path, cut=cut)


def _rows_of(data: Any, how: Reading) -> Table:
    """Read all rows of a run in any form, with the columns `rank` and `tag` if there are any."""
    if not isinstance(data, (str, os.PathLike)) or names_dataset(data):
        wanted = tuple(name for name in (RANK, *TAGS) if name not in _given(how))
        said = how.of_tables
        read = Table.joined(tables(rereadable(data, wanted, said), "score", wanted, how=said))
        return replace(read, columns=_named_columns(read))
    with Source(data, keep=True) as source:
        if text_form(source, "score", how) == "trec":
            return Table.joined(part.compact() for part in trec.blocks(source, trec.RUN_WITH_TAGS))
        read = Table.joined(part.compact() for part in as_written(source, "score", how))
        return replace(read, columns=dict(_further(source, how, len(read))))


def _given(how: Reading) -> set[str]:
    """Collect the columns that the user named, which hold something else than ranks and tags."""
    return {name for several in how.columns.values() for name in several}


def _named_columns(read: Table) -> dict[str, Any]:
    """Select the columns `rank` and `tag` among the further ones of a table."""
    tag = next((name for name in TAGS if name in read.columns), None)
    columns = {name: read.columns[name] for name in (RANK,) if name in read.columns}
    if tag is not None:
        columns["tag"] = read.columns[tag]
    return columns


def _further(source: Source, how: Reading, size: int) -> Iterator[tuple[str, Any]]:
    """Read the columns `rank` and `tag` of a file with a header, which is read again for each."""
    names = names_in(source, how)
    rank = next((name for name in names if name.strip().lower() == RANK), None)
    tag = next((name for name in names if name.strip().lower() in TAGS), None)
    wanted = [("score", rank, RANK), ("doc_id", tag, "tag")]
    for ours, name, out in wanted:
        if name is None or name in _given(how):
            continue
        try:
            lower = how.lower_is_better and out != RANK
            other = Reading(how.form, {**how.columns, ours: (name,)}, lower_is_better=lower)
            read = read_table(source, "score", other)
        except ValueError:  # a cell is empty, or no number
            continue
        if len(read) == size:
            yield out, -read.value if out == RANK else read.doc_id


# Any form, once ---------------------------------------------------------------------------------


def align_run(pool: Pool, data: RunLike, ties: bool = False) -> JudgedRun:
    """Align a run with the judgments.

    Parameters
    ----------
    pool : Pool
    data : any form of run
    ties : bool
        Whether to note which documents are tied: `rank_rising` and `tied_from`.

    Raises
    ------
    ValueError
        A score is not a finite number, or a column is missing; no topic in common
        (`NoCommonTopicError`).
    """
    return listing(pool, data).judged(pool, ties)


def listing(pool: Pool, data: RunLike, depth: int | None = None) -> Listing:
    """List every retrieved document of the judged topics, or the first `depth` of each.

    Parameters
    ----------
    pool : Pool
    data : any form of run
    depth : int, optional

    Raises
    ------
    ValueError
        As `align_run`.
    """
    whole = read_once(data).on(pool)
    whole.check_common()
    whole.repeats.warn()
    return whole if depth is None else whole.first(depth)
