"""The systems on each collection: their values, their evidence, and notes on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import pandas as pd
from ir_measures.measures import Measure

from irpref.errors import ArgumentError
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import message_of
from irpref.values import TopicValues
from irpref_lab.across import Collections
from irpref_lab.decide.basis import basis_of
from irpref_lab.decide.facts_basis import FactsBasis
from irpref_lab.given_values import Values
from irpref_lab.given_values.facts import measures_of
from irpref_lab.given_values.given import FIRST_LINE


@dataclass(frozen=True, eq=False)
class Part:
    """One collection.

    Attributes
    ----------
    name : str
    basis : FactsBasis or None
        Answers about the systems here; None if none of these is here.
    """

    name: str
    basis: FactsBasis | None = None

    @cached_property
    def tables(self) -> dict[str, TopicValues]:
        """The values of the systems here, by name of the measure."""
        return {} if self.basis is None else {one.measure: one for one in self.basis.tables()}

    @cached_property
    def absent(self) -> dict[str, str]:
        """The systems that take no part in tests, with the reason."""
        return {} if self.basis is None else self.basis.reasons_of_absence()

    @property
    def has_runs(self) -> bool:
        """Whether there are judged runs, not values only."""
        return self.basis is not None and not self.basis.heading


def gathered_parts(
    measures: Sequence[Measure],
    given: Collections,
    systems: Sequence[str] | None = None,
    keep: bool = False,
    ties: bool = False,
) -> list[Part]:
    """Evaluate the systems on each collection, one after the other.

    Parameters
    ----------
    measures : sequence of Measure
    given : Collections
    systems : sequence of str, optional
        Only these; all systems if not given.
    keep : bool
        Whether the runs are kept for questions about pairs.
    ties : bool
        Whether other orders of tied documents are evaluated before runs are let go.

    Raises
    ------
    ValueError
        Errors of the evaluator; there are no values of a measure.
    """
    wanted = set(given.systems if systems is None else systems)
    parts = []
    for name in given.names:
        judgments, runs = given.inputs_of(name)
        here = {system: run for system, run in runs.items() if system in wanted}
        if not here:
            parts.append(Part(name))
            continue
        try:
            basis = basis_of(measures, judgments, here, present=(), keep=keep, ties=ties)
        except ArgumentError as error:
            raise ArgumentError(
                f"collection {name!r}: {message_of(error)}",
                parameter=error.parameter,
                value=error.value,
            ) from None
        parts.append(Part(name, cast(FactsBasis, basis)))  # a collection is no sample
    return parts


def _that_count_twice(parts: Sequence[Part]) -> list[str]:
    """Name collections with the same values on the same topics as one before."""
    seen: dict[tuple[object, ...], str] = {}
    notes = []
    for part in parts:
        tables = part.tables.values()
        key = tuple((one.measure, one.systems, one.topics, one.values.tobytes()) for one in tables)
        other = seen.setdefault(key, part.name)
        if key and other != part.name:
            notes.append(
                f"{other} and {part.name} have the same values on the same topics: are they one "
                f"collection, which counts twice?"
            )
    return notes


def left_out(given: Collections, parts: Iterable[Part]) -> dict[str, str]:
    """Map systems that take no part in tests to the reason."""
    lacks: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for part in parts:
        here = set(given.systems_of(part.name))
        for system in given.systems:
            if system not in here:
                lacks.setdefault(system, []).append(part.name)
            elif system in part.absent:
                reasons.setdefault(system, f"{part.name}: {part.absent[system]}")
    return {
        system: f"it lacks {', '.join(lacks[system])}" if system in lacks else reasons[system]
        for system in given.systems
        if system in lacks or system in reasons
    }


def means_by_collection(
    parts: Sequence[Part], measure: Measure, systems: Sequence[str]
) -> pd.DataFrame:
    """Return the mean of each system on each collection, NaN where it has none: a row for each
    system, a column for each collection.
    """
    columns = {}
    for part in parts:
        table = part.tables.get(str(measure))
        means = {} if table is None else dict(zip(table.systems, table.means, strict=True))
        columns[part.name] = [
            np.nan if name in part.absent else means.get(name, np.nan) for name in systems
        ]
    return pd.DataFrame(columns, index=list(systems))


def measures_over(measures: Measures, given: Collections) -> list[Measure]:
    """Return the measures that a user names; measures that only values know stay names."""
    of_values = {name: part for name, part in given.parts.items() if isinstance(part, Values)}
    if len(of_values) == len(given.parts):
        return _measures_of_any(of_values, measures)
    return parse_all(measures)


def _measures_of_any(every: Mapping[str, Values], measures: Measures) -> list[Measure]:
    """Return the measures, each as the first collection knows it that has values of it."""
    listed = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    chosen = []
    for measure in listed:
        having = {name: of for name, of in every.items() if of.has(measure)}
        _check_directions(str(measure), having)
        of = next(iter(having.values()), next(iter(every.values())))
        chosen += measures_of(of, [measure])
    return list({str(one): one for one in chosen}.values())


def _check_directions(measure: str, every: Mapping[str, Values]) -> None:
    """Refuse a measure of which higher values are better on some collections only.

    Raises
    ------
    ArgumentError
    """
    better: dict[bool, list[str]] = {True: [], False: []}
    for name, of in every.items():
        better[of.higher_is_better(measure)].append(name)
    if all(better.values()):
        raise ArgumentError(
            f"{measure}: higher values are better on {', '.join(better[True])} and worse on "
            f"{', '.join(better[False])}, so there is no mean over these collections",
            parameter="collections",
            value=measure,
        )


def check_known(given: Collections, systems: Sequence[str], parameter: str) -> None:
    """Refuse names that are in no collection."""
    for name in systems:
        if name not in given.systems:
            raise ArgumentError(
                f"no collection has a system {name!r} (there are: {', '.join(given.systems[:5])})",
                parameter=parameter,
                value=name,
            )


def basis_on(part: Part, systems: Sequence[str], names: Sequence[str]) -> FactsBasis:
    """Return the basis of verdicts about some systems on a collection, under these names."""
    assert part.basis is not None
    numbers = [part.basis.names.index(name) for name in systems]
    return part.basis.only(numbers).called(names)


def values_only(parts: Sequence[Part]) -> bool:
    """Test whether there are values only, without runs."""
    return not any(part.has_runs for part in parts)


def heading(parts: Sequence[Part]) -> str:
    """Return what all lines begin with."""
    return f"{FIRST_LINE}: " if values_only(parts) else ""


def notes_of(parts: Sequence[Part]) -> list[str]:
    """Name the collections that have values only, and those that seem to count twice."""
    only = [part.name for part in parts if not part.has_runs]
    unknown = f"values only of {', '.join(only)}: unjudged documents and depth are unknown there"
    if values_only(parts):
        unknown = "values only: unjudged documents and depth are unknown"
    return [*[unknown] * bool(only), *_that_count_twice(parts)]


def grave_of(parts: Sequence[Part]) -> list[str]:
    """List what `irpref_lab.check` would find grave on each collection."""
    return [
        f"{part.name}: {line}"
        for part in parts
        if part.basis is not None
        for line in part.basis.grave()
    ]
