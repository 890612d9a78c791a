"""Preferences between documents, in three forms, as one table; and grades as preferences.

    prefs        query_id  group  subgroup  doc_id  level     trec_eval -R prefs
    qrels_prefs  query_id  group  doc_id  level               trec_eval -R qrels_prefs, and any qrels of four fields
    pairs        query_id  winner  loser  [judge]

All become a table of judgments: `query_id`, `group`, `subgroup`, `doc_id`, `relevance`. A group holds the preferences
of one mind, which must not contradict each other; a subgroup puts some documents on levels, of which a higher one is
preferred. Levels say nothing outside their subgroup, except that trec_eval takes documents of a level above 0 for
relevant where a measure asks (`PrefShare(nonrelevant='R')`).

Fields are separated by white space; blank lines and lines that begin with `#` hold nothing.

Left open by the forms, decided here:

* *Which form.* The first line decides: five fields are `prefs`; four are `qrels_prefs` if the last is a number, else
  `pairs` with a judge; three are `pairs`. `form=` says it where that is wrong (judges that are numbers).
* *Pairs.* The judge is the group (`0` without one). Each pair is a subgroup of its own (pairs of a topic are numbered),
  the winner on level 2 and the loser on level 1: which of them is relevant, nobody said.
* *One subgroup.* `qrels_prefs` has none, and gets `0`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.segments import Floats, Ints, Segments, all_whole
from irpref.formats.columns import objects, text_type
from irpref.formats.source import PathLike, Source
from irpref.formats.trec import MOST_FIELDS, Form, as_floats, columns_of, is_number, lines_of, n_fields, shown
from irpref.messages import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("query_id", "group", "subgroup", "doc_id", "relevance")


class _PrefForm(Form):
    """A form of preferences. Levels are read as text: who reads them names topic and group of one that is no number."""

    __slots__ = ()

    @property
    def expected(self) -> str:
        """The line in words."""
        fields = {field: name for name, field in self.columns.items()}
        return " ".join("level" if fields[i] == "relevance" else fields[i] for i in range(self.n))


PREFS = _PrefForm("prefs", 5, {"query_id": 0, "group": 1, "subgroup": 2, "doc_id": 3, "relevance": 4}, "")
QRELS_PREFS = _PrefForm("qrels_prefs", 4, {"query_id": 0, "group": 1, "doc_id": 2, "relevance": 3}, "")
PAIRS = _PrefForm("pairs", 3, {"query_id": 0, "winner": 1, "loser": 2}, "")
JUDGED_PAIRS = _PrefForm("pairs", 4, {"query_id": 0, "winner": 1, "loser": 2, "judge": 3}, "")
_EVERY = (PREFS, QRELS_PREFS, PAIRS, JUDGED_PAIRS)
FORMS = ("prefs", "qrels_prefs", "pairs")


def read_preferences(path: PathLike | Source, form: str | None = None) -> pd.DataFrame:
    """Read preferences.

    Parameters
    ----------
    path : path, `-` for standard input, or binary file
        Plain, or compressed with gzip or zstd.
    form : 'prefs', 'qrels_prefs' or 'pairs', optional
        Where it is not given, the first line decides, see above.

    Returns
    -------
    pandas.DataFrame
        Columns `query_id`, `group`, `subgroup`, `doc_id` (str) and `relevance` (int64 if all levels are whole numbers,
        else float64): a row for each judgment, of which a line of `pairs` holds two. It goes wherever qrels go.

    Raises
    ------
    ValueError
        A line is malformed, or the preferences of a group contradict each other: the message has file, line, topic
        and group.
    OSError
        The file cannot be read.
    """
    import pandas as pd

    source = path if isinstance(path, Source) else Source(path, keep=True)
    chosen = _form(source, form)
    fields = columns_of(source, chosen)
    columns, level = (_pairs if chosen.what == "pairs" else _levels)(source, fields)
    _check(source, chosen, columns, level)
    text = text_type()
    frame = {name: pd.Series(names[codes], dtype=text, copy=False) for name, (codes, names) in columns.items()}
    return pd.DataFrame({**frame, "relevance": level.astype(np.int64) if all_whole(level) else level}, copy=False)


def _form(source: Source, form: str | None) -> _PrefForm:
    """Form of the lines of a file: the one asked for, else that of its first line."""
    if form is not None and form not in FORMS:
        near = did_you_mean(form, FORMS) if isinstance(form, str) else ""
        raise ValueError(f"form={form!r} is not accepted, expected one of {', '.join(map(repr, FORMS))}{near}")
    number, line = next(lines_of(source), (0, b""))
    fields = line.split(None, MOST_FIELDS)
    if len(fields) <= 5 and any(line.decode("utf-8", "replace").lower().split() == f.expected.split() for f in _EVERY):
        raise ValueError(f"{source.name}, line {number}: a header, where preferences begin: {shown(line)!r}")
    if form == "prefs" or not fields:
        return PREFS
    if form == "qrels_prefs":
        return QRELS_PREFS
    if form is None and len(fields) == 5:
        return PREFS
    if form is None and len(fields) == 4 and is_number(fields[3]):
        return QRELS_PREFS
    if len(fields) in (3, 4):
        return JUDGED_PAIRS if len(fields) == 4 else PAIRS
    known = (PAIRS, JUDGED_PAIRS) if form else _EVERY
    raise ValueError(
        f"{source.name}, line {number}: {(size := n_fields(line))} field{'s' * (size != 1)}, expected "
        + " or ".join(f"{f.n} ({f.expected})" for f in known)
        + "; this looks like a run" * (len(fields) == 6 and fields[1] == b"Q0")
        + f": {shown(line)!r}"
    )


def _number(field: str) -> float:
    """A level; NaN of what is no number."""
    try:
        return as_floats([field])[0]
    except ValueError:
        return float("nan")


Coded = tuple[Ints, Any]  # names as an object array, and the number of each row's


def _coded(column: Any) -> Coded:
    """Ids by number, in no order; each is in memory once."""
    import pandas as pd

    return pd.factorize(objects(column))


def _same(name: str, size: int) -> Coded:
    return np.zeros(size, np.int64), objects([name])


def _levels(source: Source, fields: Mapping[str, Any]) -> tuple[dict[str, Coded], Floats]:
    """Judgments as they are."""
    codes, names = _coded(fields["relevance"])
    level = np.array([_number(name) for name in names], dtype=np.float64)[codes]
    bad = np.flatnonzero(~np.isfinite(level))
    if bad.size:
        at = int(bad[0])
        number, line = next(found for i, found in enumerate(lines_of(source)) if i == at)
        raise ValueError(
            f"{source.name}, line {number}: the level of topic {fields['query_id'][at]!r}, group "
            f"{fields['group'][at]!r}, document {fields['doc_id'][at]!r} is {names[codes[at]]!r}, expected a number: "
            f"{shown(line)!r}"
        )
    columns = {name: _coded(fields[name]) if name in fields else _same("0", level.size) for name in COLUMNS[:-1]}
    return columns, level


def _pairs(_: Source, fields: Mapping[str, Any]) -> tuple[dict[str, Coded], Floats]:
    """Two judgments a pair: the winner on level 2, the loser on level 1 of a subgroup of their own."""
    topic, topics = _coded(fields["query_id"])
    judge, judges = _coded(fields["judge"]) if "judge" in fields else _same("0", topic.size)
    both = fields["winner"], fields["loser"]
    doc, docs = _coded(both[0] + both[1])
    # Pairs of a topic are numbered from 1.
    order = np.argsort(topic, kind="stable")
    pair = np.empty(topic.size, np.int64)
    pair[order] = Segments.of_lengths(np.bincount(topic, minlength=len(topics))).position
    columns = {
        "query_id": (np.repeat(topic, 2), topics),
        "group": (np.repeat(judge, 2), judges),
        "subgroup": (np.repeat(pair, 2), objects([str(i) for i in range(1, int(pair.max(initial=-1)) + 2)])),
        "doc_id": (doc.reshape(2, -1).T.ravel(), docs),
    }
    return columns, np.tile([2.0, 1.0], topic.size)


def _check(source: Source, form: _PrefForm, columns: Mapping[str, Coded], level: Floats) -> None:
    """`ValueError` with file and lines where preferences contradict each other."""
    from irpref.arrays.closure import ConflictingError, check, conflict_text, lead_back, numbered

    def look(topic: Ints, group: Ints, subgroup: Ints, doc: Ints) -> None:
        row = numbered(topic * (int(doc.max(initial=0)) + 1) + doc)[1]
        check(topic, group, subgroup, row, level)

    try:
        if form.what != "pairs":
            look(*(codes for codes, _ in columns.values()))
            return
        topic, judge, _, doc = columns.values()
        node = numbered((topic[0] * len(judge[1]) + judge[0]) * len(doc[1]) + doc[0])[1]
        if not lead_back(node[0::2], node[1::2]):
            return
    except ConflictingError:
        pass
    try:
        # Which contradiction is told must not depend on how ids are numbered: now by name.
        look(*(np.argsort(np.argsort(names))[codes] for codes, names in columns.values()))
    except ConflictingError as error:
        a_line = 2 if form.what == "pairs" else 1
        rows = sorted({row // a_line for pair in error.rows for row in pair})
        numbers = [number for i, (number, _) in enumerate(lines_of(source)) if i in set(rows)]
        lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:6]))}" + ", ..." * (len(numbers) > 6)

        def judgment(at: int) -> tuple[str, str, str]:
            topic, group, _, doc = (names[codes[at]] for codes, names in columns.values())
            return topic, group, doc

        raise ValueError(f"{source.name}, {lines}: {conflict_text(error, judgment)}") from None


def write_preferences(frame: pd.DataFrame, path: str | os.PathLike[str] | IO[str], form: str = "prefs") -> None:
    """Write preferences, so that `read_preferences` gives the same preferences back.

    Parameters
    ----------
    frame : DataFrame
        Columns `query_id`, `doc_id`, `relevance`, and `group` and `subgroup` (`0` where they are missing), as
        `read_preferences` returns them.
    path : path, or text file that is open for writing
    form : 'prefs', 'qrels_prefs' or 'pairs'
        In `pairs`, the preferences that the subgroups say, each once; the group is the judge.

    Raises
    ------
    ValueError
        A column is missing; an id is empty or has white space in it; several subgroups in a group, which
        `qrels_prefs` cannot tell apart.
    """
    if form not in FORMS:
        raise ValueError(
            f"form={form!r} is not accepted, expected one of {', '.join(map(repr, FORMS))}{did_you_mean(form, FORMS)}"
        )
    for name in ("query_id", "doc_id", "relevance"):
        if name not in frame.columns:
            raise ValueError(f"the preferences have no column {name!r} (found: {', '.join(map(str, frame.columns))})")
    columns = {
        name: [str(value) for value in frame[name].tolist()] if name in frame.columns else ["0"] * len(frame)
        for name in COLUMNS[:-1]
    }
    for name, values in columns.items():
        bad = next((value for value in set(values) if len(value.split()) != 1 or value != value.strip()), None)
        if bad is not None:
            raise ValueError(f"{name} {bad!r} cannot be written: the form has white space between its fields")
    lines = _lines(columns, frame["relevance"].tolist(), form)
    if isinstance(path, (str, os.PathLike)):
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
    else:
        path.writelines(lines)


def _lines(columns: Mapping[str, list[str]], level: list[Any], form: str) -> Iterator[str]:
    rows = list(zip(*(columns[name] for name in COLUMNS[:-1]), level, strict=True))
    if form == "prefs":
        yield from (f"{q} {g} {s} {d} {_text_of(r)}\n" for q, g, s, d, r in rows)
        return
    if form == "qrels_prefs":
        subgroup: dict[tuple[str, str], str] = {}
        for q, g, s, _, _ in rows:
            if subgroup.setdefault((q, g), s) != s:
                raise ValueError(
                    f"topic {q!r}, group {g!r} has several subgroups, which the form 'qrels_prefs' cannot tell apart: "
                    "write 'prefs'"
                )
        yield from (f"{q} {g} {d} {_text_of(r)}\n" for q, g, _, d, r in rows)
        return
    levels: dict[tuple[str, str, str], list[tuple[str, Any]]] = {}
    for q, g, s, d, r in rows:
        levels.setdefault((q, g, s), []).append((d, r))
    said: dict[tuple[str, str, str, str], None] = {}
    for (q, g, _), docs in levels.items():
        said.update({(q, a, b, g): None for a, high in docs for b, low in docs if high > low})
    yield from (f"{q} {a} {b} {g}\n" for q, a, b, g in said)


def _text_of(level: Any) -> str:
    return repr(int(level)) if float(level).is_integer() and abs(level) < 2**53 else repr(float(level))
