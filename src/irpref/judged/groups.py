"""Groups of topics: means and tests over each group instead of all topics.

Groups are a mapping of topic to group, the path of a file with lines `topic group`, or the name of
a column of the qrels. Every topic of the qrels needs one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irpref.data.columns import as_list
from irpref.data.forms import form_of_name
from irpref.data.source import Source
from irpref.data.trec import lines_of
from irpref.errors import ArgumentError, InputError, JudgmentsError
from irpref.judged.inputs import id_text, is_missing, str_list
from irpref.judged.judgments import Judgments
from irpref.judged.types import Groups
from irpref.kernel.segments import Bools, Ints
from irpref.messages import have


def groups_of(
    groups: Groups | None, qrels: Judgments | None, topics: Sequence[str]
) -> dict[str | None, Bools]:
    """Map each group to its topics, groups in the order of their names. Without groups, None maps
    to all topics.
    """
    if groups is None:
        return {None: np.ones(len(topics), bool)}
    group_of = group_of_topic(groups, qrels)
    missing = [topic for topic in topics if topic not in group_of]
    if missing:
        raise ArgumentError(
            f"groups: {len(missing)} of {len(topics)} topics {have(len(missing))} no group, "
            f"first {missing[0]!r}; "
            "every topic of the qrels needs one",
            parameter="groups",
        )
    by_topic = np.array([group_of[topic] for topic in topics], dtype=object)
    return {group: by_topic == group for group in sorted(set(by_topic.tolist()))}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Topics that a mean is taken over: a group's, or all.

    Attributes
    ----------
    group : str or None
        None if there are no groups.
    topics : int array
        Numbers of the topics, ascending.
    order : list of int
        The same in the order in which the evaluator adds them up, by ascending id, so that means
        have the same digits.
    """

    group: str | None
    topics: Ints
    order: list[int]

    @property
    def key(self) -> dict[str, str]:
        """The column that says which group it is; none without groups."""
        return {} if self.group is None else {"group": self.group}


def parts_of(groups: Groups | None, qrels: Judgments | None, topics: Sequence[str]) -> list[Part]:
    """List the groups of topics one by one; all topics together if `groups` is None."""
    return [
        Part(group, at, sorted(at.tolist(), key=topics.__getitem__))
        for group, inside in groups_of(groups, qrels, topics).items()
        for at in [np.flatnonzero(inside)]
    ]


def group_column(n_topics: int, parts: Sequence[Part]) -> dict[str, Any]:
    """Make the column with the group of each topic; none without groups."""
    if parts[0].group is None:
        return {}
    group = np.empty(n_topics, dtype=object)
    for part in parts:
        group[part.topics] = part.group
    return {"group": group}


def group_of_topic(groups: Groups, qrels: Judgments | None) -> dict[str, str]:
    """Map each topic that has a group to it, from any form of groups."""
    if isinstance(groups, Mapping) or (hasattr(groups, "items") and hasattr(groups, "index")):
        return {
            id_text(topic): str(group) for topic, group in groups.items() if not is_missing(group)
        }
    if not isinstance(groups, (str, os.PathLike)):
        raise TypeError(
            "groups: expected a mapping of topic to group, the path of a file with lines `topic "
            "group`, or the name of "
            f"a column of the qrels, got {type(groups).__name__}"
        )
    columns = [] if qrels is None else qrels.names
    if str(groups) in columns:
        return _of_column(str(groups), qrels)
    groups = os.path.expanduser(os.fspath(groups))
    if not os.path.isfile(groups):
        known = ", ".join(columns) or "none"
        raise ArgumentError(
            f"groups: {str(groups)!r} is neither a file nor a column of the qrels (found: {known})",
            parameter="groups",
            value=groups,
        )
    return read_groups(groups)


def _of_column(name: str, qrels: Judgments | None) -> dict[str, str]:
    assert qrels is not None
    topics = str_list(as_list(qrels.table.query_id), "query_id")
    out: dict[str, str] = {}
    for query_id, value in zip(topics, as_list(qrels.column(name)), strict=True):
        if is_missing(value):
            continue
        if out.setdefault(query_id, str(value)) != str(value):
            raise JudgmentsError(
                f"column {name!r} of topic {query_id!r} holds {out[query_id]!r} and "
                f"{str(value)!r}, "
                "expected one group per topic",
                column=name,
                topic=query_id,
            )
    return out


def _topic_and_group(line: bytes, form: str | None) -> list[str]:
    """Split a line into topic and group, or as many of the two as there are."""
    blank = " \t\r"  # others, such as a no-break space, are part of an id
    if form != "csv":
        parts = line.split(b"\t" if form == "tsv" else None, 1)
        return [part.decode().strip(blank + '"') for part in parts]
    import csv

    separator = "," if b"," in line else ";"
    cells = csv.reader([line.decode()], delimiter=separator, skipinitialspace=True)
    topic, *group = next(cells, [""])
    return [topic.strip(blank), separator.join(group).strip(blank)]


def read_groups(
    path: str | os.PathLike[str], names: tuple[str, str] = ("topic", "group")
) -> dict[str, str]:
    """Read lines `topic group` of a file, or of others that have such `names`.

    Blank lines and comments (`#`) are ignored. In a `.csv` file a comma is between the two, or a
    semicolon, and in a `.tsv` a tab.

    Raises
    ------
    ValueError
        A line is malformed, or contradicts another one; names file and line.
    """
    one, other = names
    out: dict[str, str] = {}
    form = form_of_name(os.fspath(path))
    for number, line in lines_of(Source(path)):
        try:
            fields = _topic_and_group(line, form)
        except UnicodeDecodeError:
            raise InputError("this is not UTF-8", path=os.fspath(path), line=number) from None
        if len(fields) < 2 or not all(fields):
            raise InputError(
                f"expected `{one} {other}`, got {line.decode()!r}",
                path=os.fspath(path),
                line=number,
            )
        topic, group = fields
        if out.setdefault(topic, group) != group:
            raise InputError(
                f"{one} {topic!r} is in {other} {out[topic]!r} and in {group!r}",
                path=os.fspath(path),
                line=number,
            )
    return out
