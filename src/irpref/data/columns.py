"""Columns of runs and judgments: the result of every reader.

A reader of any form returns a `Table` of plain columns: lists, NumPy arrays, `Texts`, `Unread`,
`Coded`. No reader returns a frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from irpref.data import texts
from irpref.data.forms import PREFERENCES
from irpref.data.labels import Labels, checked, grades_of
from irpref.data.texts import Growing, GrowingTexts, Texts, Unread
from irpref.errors import QRELS_FIRST, ArgumentError, ColumnError, IrprefError, Remedy
from irpref.kernel.segments import Floats, Ints
from irpref.messages import did_you_mean


class Coded:
    """A column of ids, with many equal ones: row `i` holds `values[codes[i]]`.

    Parameters
    ----------
    values : object array, or another column
        Usually distinct ids, but two may be the same text.
    codes : int array (n_rows,)
    """

    def __init__(self, values: Any, codes: Ints) -> None:
        self.values, self.codes = values, codes

    def __len__(self) -> int:
        return self.codes.size

    def __getitem__(self, rows: Ints | slice) -> Coded:
        return Coded(self.values, self.codes[rows])

    def to_list(self) -> list[Any]:
        """List the id of each row."""
        return as_list(take(self.values, self.codes))


class Stretches(Coded):
    """A column of ids in stretches of equal ones: the first `lengths[0]` rows hold `names[0]`, and
    so on.

    Parameters
    ----------
    names : list of str
        A topic may occur again.
    lengths : int array (n_stretches,)
        0 for a topic of a dict without documents.
    """

    def __init__(self, names: list[str], lengths: Ints) -> None:
        self.names, self.lengths = names, lengths

    def __len__(self) -> int:
        return int(self.lengths.sum())

    @property
    def values(self) -> Any:
        """The ids of the stretches: object array."""
        return objects(self.names)

    @property
    def codes(self) -> Ints:  # type: ignore[override]
        """Stretch of each row: (n_rows,)."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of a run or of judgments, as columns of equal length: the result of every reader.

    Attributes
    ----------
    query_id, doc_id : list, object or integer array, `Texts`, `Unread`, `Coded`
        Files give `str`, none missing. Rows may come in any order.
    value : float array (n_rows,)
        Scores or grades; NaN for missing ones. Whole grades are floats, too.
    columns : mapping of name to array (n_rows,)
        Further columns of judgments (`iteration`, `known`, ...).
    header : sequence of str
        Names of all columns of the input, in its order.
    column : str
        Name of the column that `value` is from; empty if the input does not name it, or if the
        numbers are scores whatever it is called.
    """

    query_id: Any
    doc_id: Any
    value: Floats
    columns: Mapping[str, Any] = field(default_factory=dict)
    header: Sequence[str] = ()
    column: str = ""

    def __len__(self) -> int:
        return self.value.size

    def compact(self) -> Table:
        """Drop the text of files around the ids."""
        docs = self.doc_id.texts if isinstance(self.doc_id, Unread) else self.doc_id
        return replace(self, doc_id=docs.compact()) if isinstance(docs, Texts) else self

    def rows(self, kept: Ints) -> Table:
        """Select these rows, in this order."""
        return replace(
            self,
            query_id=take(self.query_id, kept),
            doc_id=take(self.doc_id, kept),
            value=self.value[kept],
            columns={name: take(column, kept) for name, column in self.columns.items()},
        )

    def stretches(self, start: int, stop: int) -> Table:
        """Select the rows of some stretches of a table whose topics are `Stretches`."""
        topics = self.query_id
        ends = np.append(0, np.cumsum(topics.lengths))
        rows = slice(int(ends[start]), int(ends[stop]))
        here = Stretches(topics.names[start:stop], topics.lengths[start:stop])
        columns = {name: column[rows] for name, column in self.columns.items()}
        return replace(
            self, query_id=here, doc_id=self.doc_id[rows], value=self.value[rows], columns=columns
        )

    @classmethod
    def joined(cls, tables: Iterable[Table]) -> Table:
        """Join the rows of several tables of the same columns, one after the other."""
        parts = iter(tables)
        first, second = next(parts, None), next(parts, None)
        if first is None or second is None:
            return first if first is not None else Table([], [], np.zeros(0))
        query_id: list[Any] = []
        doc_id, value = _Docs(), Growing(np.float64)
        further: dict[str, list[Any]] = {name: [] for name in first.columns}
        present, column = first.header, first.column
        every = chain([first, second], parts)
        del first, second  # each part is freed once it is copied
        for part in every:
            query_id.append(part.query_id)
            doc_id.add(part.doc_id)
            value.add(part.value)
            for name, columns in further.items():
                columns.append(part.columns[name])
        others = {name: _concatenated(further.pop(name)) for name in list(further)}
        return Table(_joined(query_id), doc_id.whole(), value.array(), others, present, column)


class _Docs:
    """A column of ids, put together from parts of any form."""

    def __init__(self) -> None:
        self._texts: GrowingTexts | None = None
        self._others: list[Any] = []

    def add(self, ids: Any) -> None:
        if isinstance(ids, Texts):
            self._texts = self._texts or GrowingTexts()
            self._texts.add(ids)
        else:
            self._end()
            self._others.append(ids)

    def _end(self) -> None:
        if self._texts is not None:
            self._others.append(self._texts.texts())
            self._texts = None

    def whole(self) -> Any:
        self._end()
        return self._others[0] if len(self._others) == 1 else _joined(self._others)


def _concatenated(arrays: list[Any]) -> Any:
    """Join arrays one after the other; if all cells are the same, return a view of this one."""
    if all(array.strides == (0,) and array.size for array in arrays):
        cells = [array[0] for array in arrays]
        if all(cell == cells[0] for cell in cells):
            return np.broadcast_to(arrays[0][:1], (sum(map(len, arrays)),))
    return np.concatenate(arrays)


def _joined(columns: list[Any]) -> Any:
    if all(isinstance(column, Stretches) for column in columns):
        names = [name for column in columns for name in column.names]
        begins = [i for i, name in enumerate(names) if not i or name != names[i - 1]]
        return Stretches(
            [names[i] for i in begins],
            np.add.reduceat(np.concatenate([column.lengths for column in columns]), begins),
        )
    if all(isinstance(column, Texts) for column in columns):
        return Texts.joined(columns)
    return np.concatenate([as_objects(column) for column in columns])


def to_frame(columns: Mapping[str, Any]) -> Any:
    """Make a pandas frame of arrays, whose text columns hold Python strings."""
    import pandas as pd

    text: Any = pd.Series(["text"]).dtype
    if getattr(text, "storage", "") == "pyarrow":  # whose strings are slow to loop over
        text = pd.StringDtype("python", na_value=np.nan)
    data = {}
    for name, whole in columns.items():
        if not whole.flags.writeable:  # one cell for all rows
            whole = whole.copy()
        is_text = whole.dtype == object and (
            name in _TEXT or set(map(type, whole)) in ({str}, {str, type(None)})
        )
        data[name] = pd.Series(whole, dtype=text if is_text else whole.dtype, copy=False)
    return pd.DataFrame(data, copy=False)


_TEXT = ("query_id", "group", "subgroup", "doc_id", "iteration")


def objects(items: Sequence[Any]) -> Any:
    """Make an object array of these items."""
    return np.fromiter(items, object, len(items))


def take(column: Any, order: Ints | slice | None) -> Any:
    """Take the rows of a column in this order; all if it is None."""
    if order is None:
        return column
    if isinstance(column, list) and not isinstance(order, slice):
        return [column[row] for row in order.tolist()]
    return column[order]


def as_list(column: Any) -> list[Any]:
    """Return a column as a list."""
    if isinstance(column, list):
        return column
    return column.tolist() if isinstance(column, np.ndarray) else column.to_list()


def as_objects(column: Any) -> Any:
    """Return a column of text as an object array of Python strings; a coded one holds each of its
    values once.
    """
    if isinstance(column, Coded):
        return as_objects(column.values)[column.codes]
    if isinstance(column, Unread):
        column = column.texts
    if isinstance(column, Texts):
        out = np.empty(len(column), dtype=object)
        column.fill(out)
        return out
    return column if isinstance(column, np.ndarray) else objects(column)


def has_groups(table: Table) -> bool:
    """Test whether topics have several groups in the second field of TREC files."""
    topics = as_list(table.query_id)
    groups = as_list(table.columns.get("iteration", topics))
    return len(set(zip(topics, groups, strict=True))) > len(set(topics))


def stretches_of(column: Any) -> Stretches:
    """Divide a column into stretches of equal ids; ids that are not text stay as they are.

    Raises
    ------
    TypeError
        Two items cannot be compared (pandas' NA).
    """
    if isinstance(column, Stretches):
        return column
    begins = changes(column)
    return Stretches(as_list(take(column, begins)), np.diff(np.append(begins, len(column))))


def changes(column: Any) -> Ints:
    """Find the rows of a column that differ from the row before, the first included. Raises as
    `stretches_of`.
    """
    if not len(column):
        return np.zeros(0, np.int64)
    if isinstance(column, Coded):
        # Two codes may be one id: that makes two stretches of one topic, which grouping joins.
        column = column.codes
    elif isinstance(column, (Texts, Unread)):
        return column.changes()
    elif (rows := texts.changes(column)) is not None:
        return rows
    elif isinstance(column, list):
        column = objects(column)
    return np.append(0, np.flatnonzero(column[1:] != column[:-1]) + 1)


# Names of our columns: ours first, then those of PyTerrier, ranx, BEIR and tools that collect
# grades.
NAMES = {
    "query_id": ("query_id", "qid", "q_id", "query-id"),
    "doc_id": ("doc_id", "docno", "corpus-id", "corpus_id"),
    "score": ("score",),
    "relevance": ("relevance", "label", "grade", "rating", "rel", "score"),
}
# A run without scores may have ranks.
RANK = "rank"
_RANKS = {RANK, "ranking", "rnk", "position", "pos", "place"}
# The last word of columns that may hold ranks: their numbers decide.
_ORDERS = {"order", "idx", "index"}
_DISTANCES = {
    *("distance", "distances", "dist", "l1", "l2", "euclidean", "manhattan", "hamming"),
    *(
        "loss",
        "losses",
        "cost",
        "divergence",
        "dissimilarity",
        "perplexity",
        "error",
        "mse",
        "rmse",
    ),
}
_TURNED = {"neg", "negative", "negated", "inv", "inverse", "inverted"}


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How to read files that do not say it themselves.

    Attributes
    ----------
    form : str, optional
        By the ending of the name if not given. One of `irpref.data.forms`: preferences, too.
    columns : mapping of our name (`query_id`, `doc_id`, `score`, `relevance`) to names in the file
        The first that a file has counts. A file that has no such column is read by our names.
    labels : str or mapping, optional
        See `irpref.data.labels`.
    shared : bool
        Whether runs and judgments are read in the same way: judgments that are not in this form
        then are in the one that their name says.
    used : set
        The parts that files had use for, so far: pairs of our name and theirs, 'labels', and
        'form'.
    seen : dict
        The columns of the files that have named ones, so far, as keys.
    ties, float32, lower_is_better, ignore_self, repeats, documents : as `irpref.run` takes them
        The order of a run's documents, and which of its rows count.
    excluded : frozenset of (topic, document), optional
        Documents that are left out.
    """

    form: str | None = None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    labels: Labels = None
    shared: bool = False
    used: set[Any] = field(default_factory=set)
    seen: dict[str, None] = field(default_factory=dict)
    ties: str = "id"
    float32: bool = False
    lower_is_better: bool = False
    ignore_self: bool = False
    excluded: frozenset[tuple[str, str]] | None = None
    repeats: str | None = None
    documents: Mapping[str, str] | str | None = None

    def unused(self) -> dict[str, str]:
        """Map the names of columns that were given and that no file has had use for to our
        names.
        """
        return {
            theirs: ours
            for ours, names in self.columns.items()
            for theirs in names
            if (ours, theirs) not in self.used
        }

    def grades_of(self, cells: Sequence[object], where: str) -> Floats | None:
        """Find the grades of a column of labels: see `irpref.data.labels.grades_of`."""
        grades = grades_of(cells, self.labels, where)
        if grades is not None:
            self.used.add("labels")
        return grades

    @property
    def of_tables(self) -> Reading | None:
        """How frames and rows in memory are read: None if nothing is said of their columns."""
        said = self.columns or self.lower_is_better or self.labels is not None
        return self if said else None

    @property
    def form_of_runs(self) -> str | None:
        """The form of runs: by the ending of the name if the form of judgments is one of
        preferences.
        """
        return None if self.shared and self.form in PREFERENCES else self.form

    @property
    def changes_runs(self) -> bool:
        """Whether a run is not evaluated as the file has it."""
        ordered = self.float32 or self.lower_is_better or self.ties != "id"
        return ordered or self.selects_rows

    @property
    def selects_rows(self) -> bool:
        """Whether some rows of a run do not count, or count for another document."""
        left_out = self.ignore_self or self.excluded is not None
        return left_out or self.repeats is not None or self.documents is not None


PLAIN = Reading()


def beyond_plain(**options: Any) -> dict[str, Any]:
    """Select the options that a plain reading does not have. What a surface already put into a
    reading stays, unless it is given again.
    """
    return {name: value for name, value in options.items() if value != getattr(PLAIN, name)}


def reading(
    form: str | Reading | None = None,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    labels: Labels = None,
    shared: bool = False,
) -> Reading:
    """Check how a file is to be read. Raises `ValueError` for columns that are not ours, and for
    unknown labels.
    """
    if isinstance(form, Reading):
        return form
    for name in columns or {}:
        if name not in NAMES:
            hint = did_you_mean(str(name), NAMES)
            raise ArgumentError(
                f"columns: {name!r} is not one of ours, expected one of {', '.join(NAMES)}{hint}",
                parameter="columns",
                value=name,
            )
    names = {
        ours: (theirs,) if isinstance(theirs, str) else tuple(theirs)
        for ours, theirs in (columns or {}).items()
    }
    return Reading(form, names, checked(labels), shared)


def columns_of(
    present: Sequence[str], value: str, how: Reading | None = None, **place: Any
) -> dict[str, str]:
    """Find the three columns of a run or of judgments among the columns of a file or frame.

    Parameters
    ----------
    present : names of the columns that are there
    value : 'score' or 'relevance'
    how : Reading, optional
        Its names count if the file has such a column; else, and for columns not named there, the
        first of `NAMES` that is there. None for the columns of a frame: unlike in files, its grades
        cannot be called `score`, except beside BEIR's names.
    **place : attributes of the error: `path` and `line` of a file, or `table`

    Returns
    -------
    dict
        Name in the file by our name: topic, document, value.

    Raises
    ------
    ColumnError
        Columns are missing (it names all), or a frame has two of this name; the scores are
        distances by their name, and `how` does not say that lower is better, or they are ranks and
        it does.
    """
    out: dict[str, str] = {}
    missing: dict[str, list[str]] = {}
    in_file = how is not None
    may_be_score = in_file or value == "score" or bool({"corpus-id", "corpus_id"} & set(present))
    if how is not None:
        how.seen.update(dict.fromkeys(map(str, present)))
    for ours in ("query_id", "doc_id", value):
        given = () if how is None else how.columns.get(ours, ())
        wanted = [*(given or [ours]), *NAMES[ours]]
        if ours == "score":
            wanted += [*_distances(present) * (how is not None and how.lower_is_better), RANK]
        wanted = [name for name in dict.fromkeys(wanted) if may_be_score or name != "score"]
        there = next(filter(None, (_there(name, present) for name in wanted)), None)
        if there is None:
            missing[ours] = wanted[: max(len(given), 1) + 1]
            continue
        if how is not None:
            how.used.update((ours, name) for name in given if _there(name, present) == there)
        if "table" in place and list(present).count(there) > 1:
            raise ColumnError(
                f"has {list(present).count(there)} columns {there!r}",
                column=there,
                header=tuple(map(str, present)),
                **place,
            )
        out[ours] = there
    if missing:
        others: dict[str, list[str]] = {}
        if how is not None and how.shared:
            # A name that no file had use for says nothing of a column that is not here either.
            others = {
                ours: [name for name in names if ours not in missing or (ours, name) in how.used]
                for ours, names in how.columns.items()
            }
        raise _missing(missing, present, value, others, place)
    if how is not None and value == "score":
        check_direction(out["score"], present, how, **place)
    return out


def check_direction(there: str, present: Sequence[str], how: Reading, **place: Any) -> None:
    """Raise `ColumnError` if the name of a column of scores contradicts the options about it."""
    about: dict[str, Any] = {"column": there, "header": tuple(map(str, present)), **place}
    if holds_distances(there) and not how.lower_is_better:
        raise ColumnError(
            f"has distances in column {there!r}, by its name: the lowest is the best",
            remedy=replace(LOWER, call="read_run" if "path" in place else "run"),
            **about,
        )
    if how.lower_is_better and (holds_ranks(there) or may_hold_ranks(there)):
        raise ColumnError(
            f"has ranks in column {there!r}, by its name: rank 1 is the best in any case, so leave "
            f"out lower_is_better",
            parameter="lower_is_better",
            **about,
        )


LOWER = Remedy("lower_is_better", True, "read_run", "reads them so")


def _there(name: str, present: Sequence[str]) -> str | None:
    """Find the column of this name, or the one whose name differs from it in case and blanks
    only.
    """
    if name in present:
        return name
    alike = [other for other in present if str(other).strip().lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def holds_ranks(column: str) -> bool:
    """Return whether a column holds ranks, by its name: `rank`, `doc_rank`, `position`, ..."""
    words = _words(column)
    return not _RANKS.isdisjoint(words) and "score" not in words


def may_hold_ranks(column: str) -> bool:
    """Return whether a column may hold ranks, by its name: `order`, `idx`, `result_index`, ..."""
    return not _ORDERS.isdisjoint(_words(column)[-1:])


def holds_distances(column: str) -> bool:
    """Return whether a column holds distances, by its name: `_distance`, `l2`, `loss`, ..."""
    words = _words(column)
    return not _DISTANCES.isdisjoint(words) and _TURNED.isdisjoint(words)


def _words(column: str) -> list[str]:
    """Split a name where its case or a mark divides it: `vectorDistance`, `vector_distance`."""
    divided = re.sub("(?<=[a-z0-9])(?=[A-Z][a-z])", " ", column)
    return re.findall("[a-z0-9]+", divided.lower())


def _distances(present: Sequence[str]) -> list[str]:
    """Find the column of distances, if there is only one."""
    there = [str(name) for name in present if holds_distances(str(name))]
    return there if len(there) == 1 else []


def check_finite(
    what: str,
    values: Floats,
    names: Callable[[int], tuple[Any, Any]],
    kind: type[IrprefError],
    **place: Any,
) -> None:
    """Raise `kind` for the first value that is NaN or infinite.

    Parameters
    ----------
    what : str
        The name of the values: `grade`, `score`.
    values : float array (n_rows,)
    names : callable
        Of a row to its topic and document.
    kind : class of the error
    **place : attributes of the error, such as `path`
    """
    for row in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        topic, doc = map(str, names(row))
        value = float(values[row])
        raise kind(
            f"the {what} of topic {topic!r}, document {doc!r} is {value}",
            topic=topic,
            doc=doc,
            value=value,
            **place,
        )


def check_names(names: Sequence[str], path: str | None = None, table: str = "") -> None:
    """Raise `ColumnError` if two columns of a file, or of a table, have the same name."""
    if len(set(names)) < len(names):
        raise ColumnError(
            f"has two columns of the same name (found: {', '.join(map(repr, names))})",
            path=path,
            table=table,
            header=tuple(names),
        )


def printable(name: Any) -> str:
    """Show a name of a column as a message does: tabs and the like as escapes."""
    text = str(name)
    return text if text.isprintable() else repr(text)


def _missing(
    missing: Mapping[str, Sequence[str]],
    present: Sequence[str],
    value: str,
    others: Mapping[str, Sequence[str]],
    place: Mapping[str, Any],
) -> ColumnError:
    """Make the error for missing columns: all missing ones, with the names that were tried, and the
    remedy. `others`: the names that other files need.
    """
    several = len(missing) > 1
    names = ", ".join(
        " (or ".join(map(repr, tried)) + ")" * (len(tried) > 1) for tried in missing.values()
    )
    known = ", ".join(map(printable, present)) or "none"
    message = f"has no column{'s' * several} {names} (found: {known})"
    ours = {other for others in NAMES.values() for other in others}
    calls = ("read_run", "read_qrels") if "path" in place else ("run", "judgments")
    call = calls[value != "score"]
    effect = f"names {'them' if several else 'it'}"
    guessed = _guessed(missing, present)
    likely = "NAME" not in guessed.values()
    for name, theirs in others.items():
        if theirs:
            guessed[name] = (*theirs, guessed[name]) if name in guessed else tuple(theirs)
    remedy: Remedy | None = Remedy("columns", guessed, call, effect)
    if wrong := _wrong_role(missing, present, value, others) or (
        "" if likely else _another_kind(missing, present, value)
    ):
        swapped = wrong in (_RUN_FOR_QRELS, _QRELS_FOR_RUN)
        message, remedy = f"{message}; {wrong}", QRELS_FIRST if swapped else None
    elif not likely and is_of_values(present):
        message, remedy = f"{message}; {OF_VALUES}", VALUES
    elif "path" in place and len(present) == 1 and len(present[0].split()) in (4, 6):
        message += "; its first line looks like one of a TREC file"
        remedy = Remedy("form", "trec", call, "reads it as one")
    elif value == "score" and not several and (distances := _distances(present)):
        message += f"; in {distances[0]!r}, by its name, the lowest is the best"
        remedy = replace(LOWER, call=call)
    elif not likely and not ours & set(present):
        message += f"; expected a header such as query_id,doc_id,{value}"
    return ColumnError(
        message,
        remedy=remedy,
        column=next(iter(missing)),
        missing=tuple(missing),
        header=tuple(map(str, present)),
        **place,
    )


# Words in the names that others give to our columns.
_WORDS = {
    "query_id": ("quer", "search", "topic", "question", "keyword", "request", "qid", "user"),
    "doc_id": (
        *("doc", "product", "item", "passage", "chunk", "page", "article", "url", "asin", "sku"),
        *(
            "corpus",
            "candidate",
            "result",
            "pid",
            "text",
            "movie",
            "book",
            "song",
            "track",
            "video",
        ),
    ),
    "score": ("score", "sim", "relevance", "bm25", "weight", "prob"),
    "relevance": (
        *("relevan", "grade", "rating", "label", "star", "judg", "useful", "gain", "score"),
        *("verdict", "level", "qualit"),
    ),
}


# Columns of a run or of judgments that nothing is read from.
_UNREAD = ("iteration", "tag", "run_id", "q0")


def _guessed(missing: Iterable[str], present: Sequence[str]) -> dict[str, Any]:
    """Guess for each missing column the one of the file that it probably is; `NAME` if none is
    likely.
    """
    ours = {*_UNREAD, *(name for names in NAMES.values() for name in names)}
    left = [str(name) for name in present if str(name).strip().lower() not in ours]
    guessed = dict.fromkeys(missing, "NAME")
    for name in guessed:
        likely = [other for other in left if any(word in other.lower() for word in _WORDS[name])]
        if name == "doc_id":  # of databases
            likely += [other for other in left if other.lower() in ("id", "_id")]
        if name == "score":
            likely = [other for other in likely if not holds_distances(other)]
            for holds in (holds_ranks, may_hold_ranks, holds_distances):
                likely += filter(holds, left)
        # Of several, an id rather than a text: `search_term_id` and `search_term`.
        likely.sort(key=lambda other: name.endswith("_id") and "id" not in other.lower())
        if likely:
            guessed[name] = likely[0]
            left.remove(likely[0])
    return guessed


OF_VALUES = "this looks like values by topic, which take the place of judgments"
VALUES = Remedy(call="irpref_lab.values", effect="reads them")


def is_of_values(names: Iterable[str]) -> bool:
    """Test whether a table has values by topic, as `pt.Experiment(perquery=True)` returns them."""
    return {"measure", "value"} <= {str(name).strip().lower() for name in names}


_RUN_FOR_QRELS = "this looks like a run, expected qrels"
_QRELS_FOR_RUN = "this looks like qrels, expected a run"


def _wrong_role(
    missing: Iterable[str], present: Sequence[str], value: str, others: Mapping[str, Sequence[str]]
) -> str:
    """Say that a table has the column that the user named for the other kind; empty if not."""
    other = "score" if value == "relevance" else "relevance"
    if value not in missing or not any(_there(name, present) for name in others.get(other, ())):
        return ""
    return _RUN_FOR_QRELS if value == "relevance" else _QRELS_FOR_RUN


def _another_kind(missing: Iterable[str], present: Sequence[str], value: str) -> str:
    """Say which other kind a table seems to be; empty if that is not clear."""
    if value in missing and value == "relevance" and "score" in present:
        return _RUN_FOR_QRELS
    if value in missing and value == "score" and not {"relevance", "label"}.isdisjoint(present):
        return _QRELS_FOR_RUN
    if {"doc_id", value} <= set(missing) and "query" in present:
        return f"this looks like topics, expected {'a run' if value == 'score' else 'qrels'}"
    return ""
