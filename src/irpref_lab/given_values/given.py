"""Values by topic of several systems, measures and topics, which stand where judgments do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from irpref.errors import ArgumentError, InputError, Remedy
from irpref.kernel import Bools, Floats
from irpref.measures.declare import MeasureLike, rises
from irpref.values import TopicValues
from irpref_lab.given_values.tables import known_measure, meant
from irpref_lab.trust.topics import limits_named

if TYPE_CHECKING:
    from typing import Self

    from ir_measures.measures import Measure

FIRST_LINE = "values only"  # what every verdict on them begins with
_ROUNDING = 1e-6  # by which a value may be outside the range of its measure


class Values:
    """Values of systems by topic, which somebody else computed: see `irpref_lab.values`.

    It takes the place of judgments in `irpref_lab.compare`, `gate`, `against`, `leaderboard` and
    `report`; the names of its systems replace runs. The functions of `irpref_lab.meta` that take
    values of systems take it too: iterating over it yields the `irpref_lab.meta.TopicValues` of
    each measure.

    Attributes
    ----------
    systems, measures, topics : tuple of str
        Topics in ascending order, those that the data name without a value among them. A measure
        that irpref knows has its name here: `AP` for `map`.
    collections : tuple of str
        Names of collections; empty if the table has no such column.
    """

    def __init__(
        self,
        rows: pd.DataFrame,
        higher_is_better: Mapping[str, bool] | bool | None,
        not_read: Sequence[str] = (),
        wide: tuple[str, Mapping[str, str]] | None = None,
    ) -> None:
        if rows["value"].isna().all():
            raise InputError("there are no values")
        self._not_read = not_read  # columns of tables
        rows = rows.assign(measure=rows["measure"].map(_names(rows["measure"])))
        _check_range(rows, wide)
        self.collections: tuple[str, ...] = tuple(dict.fromkeys(rows["collection"].dropna()))
        if self.collections:
            rows = _with_collections(rows)
        self.topics: tuple[str, ...] = tuple(sorted(set(rows["topic"])))
        self._collection_of = dict(zip(rows["topic"], rows["collection"], strict=True))
        has_value = rows["value"].notna()
        self._without = rows[~has_value]  # systems and topics that are there without a value
        rows = rows[has_value]
        self.systems: tuple[str, ...] = tuple(dict.fromkeys(rows["system"]))
        self.measures: tuple[str, ...] = tuple(dict.fromkeys(rows["measure"]))
        self._better = _directions(rows, higher_is_better)
        self._values = {
            measure: self._matrix(measure, part) for measure, part in rows.groupby("measure")
        }

    def _matrix(self, measure: str, rows: pd.DataFrame) -> Floats:
        """Return the values of a measure, (n_systems, n_topics), NaN where there is none."""
        at = (
            pd.Index(self.systems).get_indexer(rows["system"]),
            pd.Index(self.topics).get_indexer(rows["topic"]),
        )
        place = at[0] * len(self.topics) + at[1]
        if len(set(place.tolist())) < len(place):
            twice = rows[pd.Series(place, rows.index).duplicated()].iloc[0]
            also = f" (columns not read: {_some(self._not_read)})" if self._not_read else ""
            raise InputError(
                f"{measure}: system {twice['system']!r} has two values for topic "
                f"{twice['topic']!r}{also}",
                measure=measure,
                topic=twice["topic"],
                remedy=meant(self._not_read),
            )
        matrix = np.full((len(self.systems), len(self.topics)), np.nan)
        matrix[at] = rows["value"].to_numpy(np.float64)
        return matrix

    def __repr__(self) -> str:
        n, m, k = len(self.systems), len(self.topics), len(self.measures)
        size = f"{n:,} system{'s' * (n != 1)}, {m:,} topic{'s' * (m != 1)}"
        missing = sum(int(np.isnan(matrix).sum()) for matrix in self._values.values())
        lines = [f"{FIRST_LINE}: {size}, {k:,} measure{'s' * (k != 1)} ({_some(self.measures)})"]
        if self.collections:
            lines[0] += f", {len(self.collections):,} collections"
        if missing:
            lines.append(f"{missing:,} of {n * m * k:,} values are missing")
        return "\n".join(lines)

    def has(self, measure: MeasureLike) -> bool:
        """Tell whether there are values of a measure."""
        known = known_measure(measure)
        return str(measure) in self._values or (known is not None and str(known) in self._values)

    def name_of(self, measure: MeasureLike) -> str:
        """Return the name of a measure in these values.

        Raises
        ------
        ArgumentError
            There are no values of it.
        """
        known = known_measure(measure)
        for name in (str(measure), str(known) if known is not None else ""):
            if name in self._values:
                return name
        there = ", ".join(self.measures)
        if self._not_read:
            there += f"; columns not read: {_some(self._not_read)}"
        raise ArgumentError(
            f"there are no values of {str(measure)!r} (there are: {there})",
            parameter="measures",
            value=measure,
        )

    def higher_is_better(self, measure: MeasureLike) -> bool:
        """Tell whether higher values are better."""
        return self._better[self.name_of(measure)]

    def matrix(
        self, measure: MeasureLike, systems: Sequence[str] | None = None
    ) -> tuple[list[str], Floats]:
        """Return topics for which one of some systems has a value, and values, NaN where a system
        lacks one: (n_systems, n_topics).

        Raises
        ------
        ArgumentError
            A system is unknown, or has no value of the measure.
        """
        matrix = self._rows_of(measure, systems)
        there = np.flatnonzero((~np.isnan(matrix)).any(axis=0))
        return [self.topics[i] for i in there.tolist()], matrix[:, there]

    def on_all_topics(
        self, measure: MeasureLike, systems: Sequence[str] | None = None
    ) -> tuple[Floats, Bools]:
        """Return values of some systems on `topics`, and where these have one: two arrays
        (n_systems, n_topics).

        As in `of`, a system that lacks a topic has the value `worst` there; on topics for which no
        system at all has a value, the measure is NaN.

        Raises
        ------
        ArgumentError
            See `matrix`.
        """
        matrix = self._rows_of(measure, systems)
        name, present = self.name_of(measure), ~np.isnan(matrix)
        defined = (~np.isnan(self._values[name])).any(axis=0)
        return np.where(present | ~defined, matrix, self.worst(name)), np.asarray(present)

    def named_by(self, systems: Sequence[str]) -> Bools:
        """Mark the topics that these systems have rows for, by any measure, with a value or
        without: (n_topics,).
        """
        rows = [self._number(system) for system in systems]
        has_value = [~np.isnan(matrix[rows]).all(axis=0) for matrix in self._values.values()]
        without = set(self._without.loc[self._without["system"].isin(systems), "topic"])
        others = np.fromiter((topic in without for topic in self.topics), bool, len(self.topics))
        return np.asarray(np.any([others, *has_value], axis=0))

    def _rows_of(self, measure: MeasureLike, systems: Sequence[str] | None) -> Floats:
        """Return the values of some systems on all topics, NaN where a system lacks one."""
        name = self.name_of(measure)
        chosen = list(self.systems if systems is None else systems)
        matrix = self._values[name][[self._number(system) for system in chosen]]
        for system, row in zip(chosen, ~np.isnan(matrix), strict=True):
            if systems is not None and not row.any():
                raise ArgumentError(
                    f"{system!r} has no value of {name}", parameter="runs", value=system
                )
        return np.asarray(matrix)

    def of(self, measure: MeasureLike, systems: Sequence[str] | None = None) -> TopicValues:
        """Return values of a measure on the union of the topics of some systems.

        A system that lacks a topic has the value of an empty list there, or the worst of all if
        that is not known to be the worst (see `worst`).
        """
        name = self.name_of(measure)
        topics, matrix = self.matrix(name, systems)
        known = known_measure(name)
        return TopicValues(
            name,
            self.systems if systems is None else list(systems),
            topics,
            np.where(np.isnan(matrix), self.worst(name), matrix),
            self._better[name],
            known is not None and _is_sum(known),
        )

    def __iter__(self) -> Iterator[TopicValues]:
        """Iterate over the values of each measure, of the systems that have some."""
        for measure in self.measures:
            there = np.flatnonzero((~np.isnan(self._values[measure])).any(axis=1))
            yield self.of(measure, [self.systems[number] for number in there.tolist()])

    def answered(self, measure: MeasureLike, systems: Sequence[str] | None = None) -> Bools:
        """Find the topics of `of` for which a system has a value: (n_systems, n_topics)."""
        return np.asarray(~np.isnan(self.matrix(measure, systems)[1]))

    def worst(self, measure: MeasureLike) -> float:
        """Return the value of a topic that a system lacks.

        It is the value of an empty list if irpref knows the measure, and no value of it is worse.
        Else nobody knows how bad an empty list is, as with CRP, where the ideal list has 0: then it
        is the worst value of any system and topic, and not better than the value of an empty
        list (0 if irpref does not know the measure).
        """
        name = self.name_of(measure)
        of_empty = float(getattr(known_measure(name), "DEFAULT", 0.0))
        if self.knows_worst(name):
            return of_empty
        matrix = self._values[name]
        if self._better[name]:
            return min(of_empty, float(np.nanmin(matrix)))
        return max(of_empty, float(np.nanmax(matrix)))

    def knows_worst(self, measure: MeasureLike) -> bool:
        """Tell whether an empty list is known to have the worst value that a topic can have."""
        name = self.name_of(measure)
        known = known_measure(name)
        worst = limits_named(name)[0 if self._better[name] else 1]
        return known is not None and getattr(known, "DEFAULT", 0.0) == worst

    def _number(self, system: str) -> int:
        number = self._numbers.get(str(system))
        if number is None:
            raise ArgumentError(
                f"there are no values of system {str(system)!r} (there are: {_some(self.systems)})",
                parameter="runs",
                value=system,
            )
        return number

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.systems)}

    def only(self, topics: Iterable[str]) -> Self:
        """Keep the values of these topics, and the measures that have some."""
        wanted = set(topics)
        kept = np.array([topic in wanted for topic in self.topics], bool)
        out = copy(self)
        out.topics = tuple(compress(self.topics, kept.tolist()))
        parts = {measure: matrix[:, kept] for measure, matrix in self._values.items()}
        out._values = {name: part for name, part in parts.items() if not np.isnan(part).all()}
        out.measures = tuple(name for name in self.measures if name in out._values)
        out._without = self._without[self._without["topic"].isin(wanted)]
        return out

    def collection(self, name: str) -> Self:
        """Return the values on one collection.

        Raises
        ------
        ArgumentError
            There is no such collection.
        InputError
            The data name it, and have no value.
        """
        frame = self.frame()
        part = frame[frame["collection"] == name]
        if not len(part):
            raise ArgumentError(
                f"there is no collection {name!r} (there are: {_some(self.collections) or 'none'})",
                parameter="collection",
                value=name,
            )
        if part["value"].isna().all():
            raise InputError(f"collection {name!r} has no values")
        start = len(name) + 1
        topics = [topic[start:] for topic in part["topic"]]
        measures = set(part.loc[part["value"].notna(), "measure"])
        better = {measure: up for measure, up in self._better.items() if measure in measures}
        return type(self)(part.assign(topic=topics, collection=None), better)

    def frame(self) -> pd.DataFrame:
        """Return a long table: `system`, `collection`, `topic`, `measure`, `value`,
        `higher_is_better`. `value` is NaN where the data have a row without one.
        """
        better = self._without["measure"].map(self._better)
        parts = [self._without.assign(higher_is_better=better)] if len(self._without) else []
        for measure, matrix in self._values.items():
            row, column = np.nonzero(~np.isnan(matrix))
            topics = [self.topics[i] for i in column.tolist()]
            parts.append(
                pd.DataFrame(
                    {
                        "system": [self.systems[i] for i in row.tolist()],
                        "collection": [self._collection_of[topic] for topic in topics],
                        "topic": topics,
                        "measure": measure,
                        "value": matrix[row, column],
                        "higher_is_better": self._better[measure],
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)


def _is_sum(measure: Measure) -> bool:
    from ir_measures.measures.base import SumAgg

    return isinstance(measure.aggregator(), SumAgg)


def _names(measures: Iterable[str]) -> dict[str, str]:
    """Map names of measures to those that irpref gives them."""
    distinct = dict.fromkeys(measures)
    known = {name: known_measure(name) for name in distinct}
    return {name: name if one is None else str(one) for name, one in known.items()}


def _check_range(rows: pd.DataFrame, wide: tuple[str, Mapping[str, str]] | None) -> None:
    """Refuse values that a measure cannot have, such as percentages: margins and intervals would
    be on another scale.

    Parameters
    ----------
    rows : DataFrame
    wide : tuple of str and mapping, or None
        Whether each column of a table is a measure or a system, and the name of each column.
    """
    limits = {measure: limits_named(str(measure)) for measure in pd.unique(rows["measure"])}
    low, high = rows["measure"].map(limits).str[0], rows["measure"].map(limits).str[1]
    outside = rows[(rows["value"] < low - _ROUNDING) | (rows["value"] > high + _ROUNDING)]
    if not len(outside):
        return
    first = outside.iloc[0]
    measure = str(first["measure"])
    effect = "divide percentages by 100; another measure of this name needs another name"
    raise InputError(
        f"{measure}: the value of topic {first['topic']!r} is {first['value']:g}, and "
        f"values of this measure lie between {limits[measure][0]:g} and {limits[measure][1]:g}",
        measure=measure,
        topic=first["topic"],
        value=first["value"],
        remedy=_other_columns(outside, wide, effect) or Remedy(effect=effect),
    )


def _other_columns(
    outside: pd.DataFrame, wide: tuple[str, Mapping[str, str]] | None, effect: str
) -> Remedy | None:
    """Return how to name the columns of a table that have no values outside of a range; None if
    there are none, or no columns.
    """
    if wide is None:
        return None
    key, named = wide
    called = _names(named.values()) if key == "measure" else {}
    others = set(outside[key])
    left = [column for column, name in named.items() if called.get(name, name) not in others]
    if not left:
        return None
    return Remedy("columns", {f"{key}s": left}, effect=f"reads these columns alone; {effect}")


def _with_collections(rows: pd.DataFrame) -> pd.DataFrame:
    """Name topics after their collections, since two collections may share ids."""
    if rows["collection"].isna().any():
        topic = rows.loc[rows["collection"].isna(), "topic"].iloc[0]
        raise InputError(f"topic {topic!r} has no collection, and others have", topic=topic)
    topics = [f"{a}/{b}" for a, b in zip(rows["collection"], rows["topic"], strict=True)]
    return rows.assign(topic=topics)


def _directions(rows: pd.DataFrame, given: Mapping[str, bool] | bool | None) -> dict[str, bool]:
    """Find out for each measure whether higher values are better.

    By the user's word, then by the table, then by the measure; else higher is better.

    Raises
    ------
    ArgumentError
        The user names a measure that is not there, or something else than True and False.
    InputError
        The table has both directions of one measure, or another one than the measure's own.
    """
    measures = list(dict.fromkeys(rows["measure"]))
    said: dict[str, bool] = {}
    if isinstance(given, Mapping):
        renamed = _names(map(str, given))
        said = {renamed[str(name)]: _as_direction(value) for name, value in given.items()}
        if unknown := [name for name in said if name not in measures]:
            raise ArgumentError(
                f"higher_is_better names {unknown[0]!r}, and there are values of "
                f"{', '.join(measures)}",
                parameter="higher_is_better",
                value=unknown[0],
            )
    elif given is not None:
        said = dict.fromkeys(measures, _as_direction(given))
    out = {}
    for measure, cells in rows.groupby("measure", sort=False)["higher_is_better"]:
        in_table = set(cells.dropna())
        known = known_measure(measure)
        own = None if known is None else rises(known)
        if len(in_table) > 1:
            raise InputError(
                f"{measure}: higher values are better in some rows and worse in others",
                measure=measure,
                column="higher_is_better",
            )
        stated = said.get(measure, next(iter(in_table), None))
        if None not in (stated, own) and stated != own:
            raise InputError(
                f"{measure}: {'higher' if own else 'lower'} values are better, and "
                f"{'the table' if measure not in said else 'higher_is_better'} says otherwise",
                measure=measure,
                column="higher_is_better",
            )
        out[measure] = stated if stated is not None else own if own is not None else True
    return out


def _as_direction(value: Any) -> bool:
    """Return a direction that the user gives."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArgumentError(
        f"higher_is_better={value!r} is not accepted, expected True or False, or a mapping of "
        f"measures to these",
        parameter="higher_is_better",
        value=value,
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
