"""`irpref.judgments`: judgments of any form, read once.

A `Judgments` holds the table that was read, and the pools that runs are judged against, each
indexed the first time that it is asked for. Every public function turns its qrels into
one with `as_judgments`, and passes that on; nothing else opens qrels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.data.collections import as_host, dataset_named
from irpref.data.columns import (
    Reading,
    Table,
    as_list,
    as_objects,
    has_groups,
    objects,
    reading,
    take,
)
from irpref.data.forms import PREFERENCES
from irpref.data.kinds import check_numbers, name_pairs
from irpref.data.labels import Labels, lacks_grades
from irpref.data.lists import listed_one_by_one
from irpref.data.preference_rows import pairs_in_memory
from irpref.data.rows import pairs_in
from irpref.data.source import Source
from irpref.data.tables import graded, is_in_form, read_judgments, text_form
from irpref.errors import (
    QRELS_FIRST,
    ArgumentError,
    ColumnError,
    CutWarning,
    InputError,
    JudgmentsError,
)
from irpref.judged.inputs import (
    OF_DATASET,
    OF_MEMORY,
    Opened,
    as_table,
    group,
    is_dataset,
    names_dataset,
    refuse_reading,
    run_table,
    str_list,
    unwrapped,
)
from irpref.judged.pool import FILLED, LOWEST, SOURCE, Pool
from irpref.judged.pool_cache import kept_pool
from irpref.judged.preference_pool import COLUMNS, GROUP, SUBGROUP, pool_of_preferences
from irpref.kernel.segments import Bools, all_whole
from irpref.messages import give, held, wants_whole_files

if TYPE_CHECKING:
    import pandas as pd

    from irpref.judged.types import QrelsLike


_IDS = ("query_id", "doc_id")
_OF_PREFERENCES = "these are preferences, which have columns of their own and no grades"
_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}


class Judgments:
    """Judgments that were read once and are accepted wherever qrels are. They never change.

    `irpref.judgments` and `irpref_lab.fill` return such objects.

    Attributes
    ----------
    topic_ids : list of str
        In order of first appearance.
    names : list of str
        Names of the columns: `query_id`, `doc_id`, `relevance`, and the further ones.
    table : Table
        The rows that were read; not to be changed.
    cut : CutWarning or None
        Why its file may have been cut off.

    Examples
    --------
    >>> from irpref import judgments
    >>> judgments({"q1": {"a": 2, "b": 0}, "q2": {"c": 1}})
    Judgments of 2 topics, 3 rows
    grades: 0 (1), 1 (1), 2 (1)
    filled by a judge: 0
    """

    def __init__(
        self,
        table: Table,
        *,
        kind: str = "grades",
        pairs: Callable[[], Table] | None = None,
        shared: bool = False,
        path: str | None = None,
        named: bool = False,
    ) -> None:
        """Hold the judgments of a table that nobody changes.

        Parameters
        ----------
        table : Table
            With all its columns.
        kind : {'grades', 'lines', 'preferences'}
            'lines': lines of four fields, which measures of preferences read as `qrels_prefs` if
            topics have several groups. 'preferences': a file that holds nothing else.
        pairs : callable, optional
            Reads the preferences of a data set that has both.
        shared : bool
            Whether equal judgments may come again, so that their pools are worth keeping.
        path : str, optional
            The file, or the id of ir_datasets, that they are as it is.
        named : bool
            Whether somebody has said that these are judgments, whatever they look like.
        """
        self.path = path
        self.cut: CutWarning | None = None
        self.table = table
        self._kind, self._pairs, self._shared = kind, pairs, shared
        self._named = named
        self._pools: dict[Any, Pool] = {}

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Any]:
        """Yield the judgments as namedtuples, so that ir_measures takes them, too."""
        from ir_measures.util import Qrel

        table, ids = self.table, self._ids()
        whole = [int(g) if g.is_integer() else g for g in table.value.tolist()]
        iteration = map(str, table.columns.get("iteration", ["0"] * len(table)))
        return map(Qrel, *ids, whole, iteration)

    def _ids(self) -> tuple[list[str], list[str]]:
        """Return topic and document of each row."""
        return str_list(as_list(self.table.query_id)), str_list(as_list(self.table.doc_id))

    def __repr__(self) -> str:
        n_topics, n = len(self.topic_ids), len(self)
        grades, counts = np.unique(self.table.value, return_counts=True)
        listed = [f"{g:g} ({c:,})" for g, c in zip(grades.tolist(), counts.tolist(), strict=True)]
        if len(listed) > 8:
            listed = [f"{grades[0]:g} to {grades[-1]:g}, {len(listed):,} different ones"]
        what = "levels" if self.has_preferences else "grades"
        return (
            f"{type(self).__name__} of {n_topics:,} topic{'s' * (n_topics != 1)}, "
            f"{n:,} row{'s' * (n != 1)}\n"
            f"{what}: {', '.join(listed) or 'none'}\n"
            f"{self._origin()}"
        )

    def _origin(self) -> str:
        """Say how many grades come from elsewhere than humans: the last line of `repr`."""
        return f"filled by a judge: {int(np.count_nonzero(self.filled)):,}"

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have nothing compiled, and indexes what it needs.
        table = self.table
        ids = {name: as_objects(getattr(table, name)) for name in _IDS}
        plain = replace(table, **ids, columns=dict(table.columns))
        kept = {name: value for name, value in self.__dict__.items() if name != "_base"}
        return kept | {"table": plain, "_pools": {}, "_pairs": None, "_shared": False}

    @cached_property
    def topic_ids(self) -> list[str]:
        """Topics in order of first appearance."""
        return group(self.table.query_id).names

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return ["query_id", "doc_id", "relevance", *self.table.columns]

    def column(self, name: str) -> Any:
        """Return a column by its name: (n_rows,), not to be changed."""
        table = self.table
        own = {"query_id": table.query_id, "doc_id": table.doc_id, "relevance": table.value}
        return own[name] if name in own else table.columns[name]

    @property
    def filled(self) -> Bools:
        """Which rows hold grades that `irpref_lab.fill` filled in: bool array (n_rows,)."""
        source = self.table.columns.get(SOURCE)
        return np.zeros(len(self), bool) if source is None else np.asarray(source) == FILLED

    @cached_property
    def has_preferences(self) -> bool:
        """Whether measures of preferences find preferences here, not grades that imply some."""
        if self._kind == "lines":
            return has_groups(self.table)
        return self._pairs is not None or any(name in self.table.columns for name in COLUMNS)

    def frame(self, *, pyterrier: bool = False) -> pd.DataFrame:
        """Return the judgments as a frame: `query_id`, `doc_id`, `relevance`, and further columns.

        With `pyterrier`, the first three are called `qid`, `docno` and `label`.
        """
        from irpref.data.tables import to_pandas

        ids = {name: objects(str_list(as_list(self.column(name)), name)) for name in _IDS}
        frame = to_pandas(replace(self.table, **ids), "relevance").copy()
        return frame.rename(columns=_PYTERRIER) if pyterrier else frame

    def pool(self, columns: Iterable[str] = (), preferences: bool | None = False) -> Pool:
        """Index the judgments, so that runs can be judged against them.

        Parameters
        ----------
        columns : names of further columns that the measures read
            Those that are missing are left out.
        preferences : bool or None
            Whether measures of preferences are among the measures: if `has_preferences`, the pool
            then holds these. None: only if the judgments can be nothing else.

        Raises
        ------
        ConflictError
            Two judgments of one document differ, as judgments of subtopics do.
        ValueError
            Nothing is judged; a grade that is NaN or infinite.
        """
        if preferences is None:
            preferences = self._kind != "lines" and self._pairs is None
        preferences = preferences and self.has_preferences
        wanted = tuple(sorted({*columns, SOURCE, LOWEST}.intersection(self.table.columns)))
        key = "preferences" if preferences else wanted
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pool_of_preferences() if preferences else self._pool_of_grades(wanted)
            if not (preferences or self._named) and pool.base.holds_scores:
                pool = pool.doubtful()
            self._pools[key] = pool
        return pool

    def _pool_of_grades(self, columns: tuple[str, ...]) -> Pool:
        if self._kind == "preferences":
            raise JudgmentsError(
                "this looks like preferences, which measures such as PrefShare take; measures of "
                "grades need one grade per document"
            )
        present = list(self.table.header)
        for name in columns:
            if present.count(name) > 1:
                raise ColumnError(
                    f"DataFrame has {present.count(name)} columns {name!r}", column=name
                )
        base = self._base
        if not columns:
            return base
        read = {name: self.table.columns[name] for name in columns}
        if base.grade.size == len(self.table):
            order = group(self.table.query_id).order
            return base.with_columns({name: take(column, order) for name, column in read.items()})
        # Judgments that were given twice must agree in these columns, too.
        return Pool.from_table(replace(self.table, columns=read))

    @cached_property
    def _base(self) -> Pool:
        """The pool without further columns."""
        table = replace(self.table, columns={})
        return kept_pool(table) if self._shared else Pool.from_table(table)

    def _pool_of_preferences(self) -> Pool:
        if self._pairs is not None:
            return pool_of_preferences(self._pairs())
        table = self.table
        columns = {name: table.columns[name] for name in COLUMNS if name in table.columns}
        if self._kind == "lines":
            columns = {GROUP: table.columns["iteration"], SUBGROUP: objects(["0"] * len(table))}
        return pool_of_preferences(replace(table, columns=columns))

    def with_column(self, name: str, values: Any) -> Judgments:
        """Return the judgments with another column, (n_rows,)."""
        table = self.table
        columns = {**table.columns, name: values}
        present = list(dict.fromkeys([*table.header, name]))
        return self._like(replace(table, columns=columns, header=present))

    def latest(self) -> Judgments:
        """Keep the last judgment of each document, as ir_measures counts them."""
        last = {pair: row for row, pair in enumerate(zip(*self._ids(), strict=True))}
        return self._like(self.table.rows(np.array([*last.values()])))

    def only(self, topics: Iterable[str]) -> Judgments:
        """Keep the judgments of these topics."""
        wanted = set(topics)
        ids = str_list(as_list(self.table.query_id))
        rows = np.flatnonzero([topic in wanted for topic in ids])
        return self._like(self.table.rows(rows))

    def _like(self, table: Table) -> Judgments:
        """Make judgments like these of another table."""
        made = Judgments(table, kind=self._kind, named=self._named)
        made.cut = self.cut
        return made

    def named(self) -> Judgments:
        """Give the same judgments a name; that they are judgments is not asked again."""
        if self._named:
            return self
        other: Judgments = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _named=True, _pools={})
        return other


def judgments(
    qrels: QrelsLike,
    *,
    known: Any = None,
    labels: Labels = None,
    columns: Mapping[str, str] | None = None,
    form: str | Reading | None = None,
) -> Judgments:
    """Read judgments once, in any form.

    Use it for input that can be read only once (a pipe, an iterator), to see the contents of a
    file, or to evaluate many times without reading again. The result is accepted wherever qrels
    are.

    Parameters
    ----------
    qrels : any form of qrels
        Frame of pandas or polars (eager or lazy) with the column names of ir_measures or PyTerrier,
        dict of dicts, iterable of namedtuples, path of a file (plain or compressed; also of
        preferences, as `irpref.read_preferences` reads them), or id or object of a data set of
        ir_datasets or PyTerrier. It is not modified, and may change afterwards.
    known : optional
        Documents that the user knew, for measures such as `Coverage` and `Novelty`: a mapping of
        topic to documents; judgments in any form, or the path of a file of judgments, where a grade
        above 0 means known; or a pair `(run, depth)`: the first documents of a run. They become the
        column `known`.
    labels : str or mapping, optional
        Labels that stand for grades, as for `irpref.read_qrels`, in any form of judgments; numbers
        may be labels, too: `{1: 4, 2: 3, 3: 2, 4: 1}`. Not of data sets and preferences.
    columns : mapping, optional
        Names of the columns: `{"relevance": "judgement"}`. Numbers that look like times or ids are
        grades if their column is named.
    form : str, optional
        The form of a file, as for `irpref.read_qrels`; by the ending of its name if not given. Of
        anything, 'pairs': topic, winner and loser (and judge), or topic, two documents and the
        preferred one, in frames, tuples, records or as pairs by topic.

    Returns
    -------
    Judgments

    Raises
    ------
    ValueError, OSError
        No such file or data set; a line is malformed; a column is missing; a grade is not a number;
        none of the documents of `known` is judged; an argument has no meaning for this form.

    Examples
    --------
    >>> read = judgments({"q1": {"d1": 1, "d2": 1}}, known={"q1": ["d2"]})
    >>> read.frame()["known"].tolist()
    [False, True]
    """
    how = reading(form, columns, labels)
    return as_judgments(qrels, known=known, form=how).named()


def as_judgments(
    qrels: QrelsLike, *, known: Any = None, form: str | Reading | None = None
) -> Judgments:
    """Read judgments of any form; a `Judgments` stays as it is.

    `irpref.judgments` is the public form, which says that these are judgments. Here they may be a
    run, given in the place of judgments: see `irpref.judged.roles`.

    Raises
    ------
    ValueError, OSError
        As `judgments`.
    """
    if isinstance(qrels, Opened) and not isinstance(qrels, Judgments):
        raise InputError("expected judgments, got a run", remedy=QRELS_FIRST)
    how = reading(form)
    read = _read_before(qrels, how) if isinstance(qrels, Judgments) else _read_once(qrels, how)
    return read if known is None else _with_known(read, known)


def _read_before(read: Judgments, how: Reading) -> Judgments:
    """Take judgments that were read before, with the grades of labels."""
    return _regraded(_whole(read), how)


def _whole(read: Judgments) -> Judgments:
    """Return the judgments. `InputError` if their file may be cut off, where that is refused."""
    if read.cut is not None and wants_whole_files():
        raise InputError(read.cut.message, path=read.cut.path)
    return read


def _regraded(read: Judgments, how: Reading) -> Judgments:
    """Give judgments that were read before the grades of labels. `ArgumentError` for other options,
    which come too late.
    """
    refuse_reading(how, "these judgments were read before", ("columns", "form"))
    if how.labels is None or how.shared:
        return read
    grades = how.grades_of(read.table.value.tolist(), "qrels")
    if grades is None:  # the labels are words
        return read
    table = replace(read.table, value=grades)
    other = read._like(graded(table, "qrels") if lacks_grades(how.labels) else table)
    other._pairs = read._pairs
    return other


def _read_once(qrels: Any, how: Reading) -> Judgments:
    """Read judgments of any form but our own, and note if their file may have been cut off."""
    with held() as warnings:
        read = _read(qrels, how)
    for warning in warnings:
        give(warning)
        if isinstance(warning, CutWarning):
            read.cut = warning
    return read


def _read(qrels: Any, how: Reading) -> Judgments:
    """Read judgments of any form but our own."""
    if isinstance(qrels, (str, os.PathLike)):
        if names_dataset(qrels):
            found = dataset_named(str(qrels), "qrels")
            refuse_reading(how, OF_DATASET)
            return _of_dataset(found, str(qrels))
        return _of_file(os.path.expanduser(os.fspath(qrels)), how)
    data = unwrapped(qrels)
    if is_dataset(data):
        refuse_reading(how, OF_DATASET)
        return _of_dataset(data)
    if how.form in PREFERENCES:
        return _of_pairs(data, how)
    if how.form != "trec":
        refuse_reading(how, OF_MEMORY, ("form",))
    data = listed_one_by_one(data, "relevance", how)
    is_bare = isinstance(data, list) and bool(data) and type(data[0]) is tuple
    if isinstance(data, list):
        data = as_host(data)
    if hasattr(data, "get_qrels") and hasattr(data, "get_results"):  # of PyTerrier
        data = unwrapped(data.get_qrels())
    if isinstance(data, Table):
        return _regraded(Judgments(data), how)
    is_frame = hasattr(data, "columns")
    if is_frame:
        data = data.copy() if hasattr(data, "itertuples") else data.clone()  # of pandas; polars
    try:
        table = as_table(data, "relevance", None, how.of_tables)
    except ColumnError as error:
        if not name_pairs(error.header):
            raise
        return _of_pairs(data, replace(how, form="pairs"))
    if not (set(COLUMNS) & set(table.columns) or how.form == "trec"):
        check_numbers(table, how, bare=is_bare)
    if lacks_grades(how.labels):
        table = graded(table, "qrels")
    return Judgments(table, shared=is_frame)


def _of_pairs(data: Any, how: Reading) -> Judgments:
    """Read the pairs of a table in memory. `ArgumentError` for another form of preferences."""
    if how.form != "pairs":
        raise ArgumentError(
            f"form: {how.form!r} has lines of text; a frame has the columns query_id, group, "
            f"subgroup, doc_id and relevance",
            parameter="form",
            value=how.form,
        )
    refuse_reading(how, _OF_PREFERENCES, ("columns", "labels"))
    return Judgments(as_table(pairs_in_memory(data), "relevance", None), kind="preferences")


def _of_file(name: str, how: Reading) -> Judgments:
    with Source(name, keep=True) as source:
        if how.shared and how.form is not None and not is_in_form(source, how.form):
            how = replace(how, form=None)
        read = read_judgments(source, None, how)
        if not isinstance(read, Table):
            refuse_reading(how, _OF_PREFERENCES, ("columns", "labels"))
            return Judgments(as_table(read, "relevance", None), kind="preferences", path=name)
        lines = text_form(source, "relevance", how) == "trec" and "iteration" in read.columns
    return Judgments(read, kind="lines" if lines else "grades", path=name)


def _of_dataset(data: Any, name: str | None = None) -> Judgments:
    """Read the judgments of a data set of ir_datasets; `name` if they were asked for by name."""
    from irpref.data.collections import judgments as judgments_in
    from irpref.data.collections import not_loaded

    def read(preferences: bool) -> Table:
        try:
            return as_table(judgments_in(data, preferences), "relevance", None)
        except AttributeError:
            raise InputError(f"the data set {data!r} has no qrels") from None
        except (OSError, RuntimeError) as error:
            if name is None:
                raise
            raise not_loaded(name, error) from None

    has_pairs = getattr(data, "has_docpairs", bool)()
    if has_pairs and not data.has_qrels():
        return Judgments(read(True), kind="preferences")
    return Judgments(read(False), pairs=partial(read, True) if has_pairs else None)


# Known documents ----------------------------------------------------------------------------------


def _with_known(read: Judgments, known: Any) -> Judgments:
    """Add the column `known` to the judgments."""
    pairs = _known_pairs(read, known)
    flags = np.array([pair in pairs for pair in zip(*read._ids(), strict=True)], dtype=bool)
    if not pairs:
        raise ArgumentError(
            "known: there is no document that the user knew (none is given, or all grades are 0)",
            parameter="known",
        )
    if not flags.any():
        first = ", ".join(map(repr, min(pairs)))
        raise ArgumentError(
            f"known: none of the {len(pairs):,} documents is judged (topic and document begin "
            f"{first}; the topics of the qrels begin {', '.join(map(repr, read.topic_ids[:3]))})",
            parameter="known",
        )
    return read.with_column("known", flags)


def _known_pairs(read: Judgments, known: Any) -> set[tuple[str, str]]:
    """Collect topic and id of each document that the user knew."""
    if isinstance(known, tuple) and len(known) == 2 and isinstance(known[1], int):
        from irpref.judged.align import listed

        run, depth = known
        pool = read.pool()
        ranked = listed(pool, run_table(run)).first(depth)
        ranked.check_common()
        ranked.repeats.warn()
        topics = ranked.topics.topic.tolist()
        return {(pool.topic_ids[t], doc) for t, doc in zip(topics, ranked.doc_ids, strict=True)}
    return pairs_of(known, above=0)


def pairs_of(data: Any, above: float | None = None) -> set[tuple[str, str]]:
    """Collect topic and id of each document.

    Parameters
    ----------
    data : mapping of topic to documents, or judgments in any form
    above : float, optional
        Judgments count only with a grade above this.
    """
    if isinstance(data, Mapping) and not any(isinstance(d, Mapping) for d in data.values()):
        return pairs_in(data)
    read = as_judgments(data)
    kept = np.ones(len(read), bool) if above is None else read.table.value > above
    return {
        pair for pair, is_kept in zip(zip(*read._ids(), strict=True), kept, strict=True) if is_kept
    }


def preferences_from(qrels: QrelsLike, negative: bool = True) -> pd.DataFrame:
    """Derive the preferences that graded judgments imply: one group per topic, higher grades before
    lower ones.

    Parameters
    ----------
    qrels : any form of qrels
    negative : bool
        Whether negative grades are levels, as in trec_eval's `qrels_prefs` and in `PrefShare` on
        qrels. If false, documents with negative grades are left out, as for `RPref` and `Bpref`.

    Returns
    -------
    pandas.DataFrame
        As `read_preferences` returns it.

    Notes
    -----
    Without negative grades, and with tied documents in the same order:

    * `PrefShare(pairs='retrieved')` is 1 - misplaced / possible, where *misplaced* is the number of
      pairs in the sums of `RPref` (a retrieved judged document with one of a lower grade above it);
    * with two grades, R relevant and N non-relevant documents of which all were retrieved,
      `PrefShare(pairs='retrieved')` is `BprefN` (and `RPref`): 1 - misplaced / (R N);
    * with two grades and R >= N, `PrefShare(by='group', nonrelevant='R')` is
      (R N - misplaced + R (R - N)) / (R R): the value of `BprefVariant(norm='R')` if all were
      retrieved.

    Examples
    --------
    >>> preferences_from({"q1": {"a": 2, "b": 1, "c": 0}}).values.tolist()
    [['q1', '0', '0', 'a', 2], ['q1', '0', '0', 'b', 1], ['q1', '0', '0', 'c', 0]]
    """
    import pandas as pd

    pool = as_judgments(qrels).pool()
    # In the order of the input, topic by topic.
    row = pool.place if negative else pool.place[pool.grade[pool.place] >= 0]
    grade = pool.grade[row]
    return pd.DataFrame(
        {
            "query_id": [pool.topic_ids[t] for t in pool.judged.topic[row].tolist()],
            GROUP: "0",
            SUBGROUP: "0",
            "doc_id": pool.doc_ids[row].tolist(),
            "relevance": grade.astype(np.int64) if all_whole(grade) else grade,
        }
    )
