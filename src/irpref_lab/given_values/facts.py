"""Values as evidence, in the form in which judged runs give it.

Verdicts ask judged runs for evidence (`irpref.observed.Evidence`): values, unanswered topics, and
reasons against a claim. `facts_of` answers the same questions from values alone. Values do not
say whether documents are judged, how long rankings are, or whether a topic can tell systems apart.
They say which topics a system lacks, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, cast

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel import Bools
from irpref.measures.declare import rises
from irpref.observed import (
    FEW_TOPICS,
    TOP,
    UNANSWERED,
    WIDE_MARGIN,
    Changed,
    Code,
    Evidence,
    Found,
    Observation,
    System,
    View,
    limits_of,
    respelled,
    too_many_unanswered,
)
from irpref_lab.given_values.given import Values
from irpref_lab.given_values.tables import known_measure


class GivenMeasure(Measure):
    """A measure that irpref does not know, by its name: there are values of it, and no more.

    Attributes
    ----------
    BOUNDS : tuple of float
        No limits are known.
    """

    BOUNDS = (-np.inf, np.inf)

    def __init__(self, name: str, higher_is_better: bool, default: float) -> None:
        super().__init__()
        self.NAME = self.__name__ = name
        self.higher_is_better, self.DEFAULT = higher_is_better, default

    def __reduce__(self) -> tuple[Any, ...]:
        return GivenMeasure, (self.NAME, self.higher_is_better, self.DEFAULT)


def measures_of(values: Values, measures: Any) -> list[Measure]:
    """Return the measures that a user names, each once, in order: irpref's own, or a
    measure known by its values only.

    Raises
    ------
    ArgumentError
        There are no values of a measure.
    """
    several = not isinstance(measures, (str, Measure)) and isinstance(measures, Iterable)
    names = dict.fromkeys(map(values.name_of, measures if several else [measures]))
    return [
        known_measure(name) or GivenMeasure(name, values.higher_is_better(name), values.worst(name))
        for name in names
    ]


def _lacks(view: View) -> Iterator[Found]:
    facts, measure = view.facts, view.measure
    assert isinstance(facts, ValueFacts)
    assert measure is not None
    assert view.run is not None
    which = facts.unanswered(measure)[view.run]
    here = which & view.inside
    if not here.any():
        return
    if np.isnan(facts.values(measure)[view.run, here]).any():
        yield Found(which, says="{run} has no value for {some}")
    else:
        yield Found(which, words={"so": facts.so(view.system, int(here.sum()), measure)})


def _too_many(view: View) -> Found | None:
    """Find topics without a value as `too_many_unanswered` does, name one, and say if the systems
    write their ids in two ways.
    """
    found = too_many_unanswered(view, lacks="no value")
    facts, measure, baseline = view.of_verdict()
    assert isinstance(facts, ValueFacts)
    lost = facts.lacks[measure] & view.inside
    lacks = list(compress(facts.topics, lost[baseline].tolist()))
    # Only of many topics does a verdict say that they are lacking.
    if found is None or len(lacks) <= view.missing * int(view.inside.sum()):
        return found
    hint = _alike(lacks, facts.topics, lost, baseline) or f"such as {lacks[0]!r}"
    return replace(found, words={"parts": f"{found.words['parts']} ({hint})"})


def topics_alike(facts: ValueFacts) -> list[str]:
    """Say if systems write the ids of topics in two ways, so that each lacks topics."""
    for lost in facts.lacks.values():
        for system in range(len(facts.systems)):
            lacks = list(compress(facts.topics, lost[system].tolist()))
            if lacks and (hint := _alike(lacks, facts.topics, lost, system)):
                return [f"{facts.systems[system].name} has no value for some topics: {hint}"]
    return []


def _alike(lacks: Sequence[str], topics: Sequence[str], lost: Bools, system: int) -> str:
    """Ask if topics that a system lacks are some of its own, but for their spelling; empty if they
    do not seem to be.
    """
    alike = _changed_ids(lacks, topics, lost, system)
    if alike is None:
        return ""
    one, other = alike.texts
    differ = "differs" if alike.number == 1 else "differ"
    return f"are {one} and {other} one topic? {alike.number:,} {differ} {alike.change.words}"


def _changed_ids(
    lacks: Sequence[str], topics: Sequence[str], lost: Bools, system: int
) -> Changed | None:
    """Find the change by which topics that a system lacks are topics that only this one has."""
    both = ~lost.any(axis=0)
    has_alone = ~lost[system] & ~both
    alone = list(compress(topics, has_alone.tolist()))
    return respelled(lacks, alone, int(both.sum()))


LACKING = replace(
    UNANSWERED,
    find=_lacks,
    says="{run} has no value for {some}; {so}",
    stops=_too_many,
)


def _only_zeros(view: View) -> Found | None:
    """Detect that both systems have only zeros by a measure that irpref does not know.

    Its limits are unknown, so that a small mean may be far from the lowest. Zeros alone show no
    success that could be lost, unless lower values are better, or some are below 0.
    """
    facts, measure, baseline = view.of_verdict()
    if not isinstance(measure, GivenMeasure) or not rises(measure) or measure.DEFAULT < 0:
        return None
    kept = facts.compared(measure, baseline, view.inside)
    if not kept.any() or facts.values(measure)[:, kept].any():
        return None
    return Found(view.inside)


ONLY_ZEROS = replace(
    WIDE_MARGIN,
    says="all values of both systems by {measure} are 0: nothing shows that they could fall",
    stops=_only_zeros,
)


@dataclass(frozen=True, eq=False)
class ValueFacts(Evidence):
    """Evidence from values alone: see `irpref.observed.Evidence`.

    Attributes
    ----------
    lacks : dict of Measure to bool array (n_systems, n_topics)
        Topics for which a system has no value, whether others have one or not.
    """

    lacks: Mapping[Measure, Bools] = field(default_factory=dict)

    def unanswered(self, measure: Measure | None = None) -> Bools:
        """Mark topics for which a system lacks a value, of a measure or of all: (n_systems,
        n_topics).
        """
        masks = self.lacks
        return np.all(list(masks.values()), axis=0) if measure is None else masks[measure]

    def only(self, systems: Iterable[int]) -> ValueFacts:
        """Return the evidence of some systems, by number."""
        chosen = list(systems)
        return replace(
            self,
            systems=[self.systems[number] for number in chosen],
            lacks={measure: mask[chosen] for measure, mask in self.lacks.items()},
        )

    @property
    def codes(self) -> Sequence[Code]:
        """The codes that values can have: topics that a system lacks, too few topics, and too wide
        a margin.
        """
        return [LACKING, FEW_TOPICS, WIDE_MARGIN, ONLY_ZEROS]

    @property
    def of_preferences(self) -> bool:
        """Nobody knows."""
        return False

    @property
    def has_grades(self) -> bool:
        """Nobody knows."""
        return False

    def shallow(self, measure: Measure | None) -> Bools:
        """Mark no topic, as no ranking is known to be short: (n_systems, n_topics)."""
        return np.zeros((len(self.systems), len(self.topics)), bool)

    def so(self, system: System, n: int, measure: Measure | None = None) -> str:
        """Say how topics that a system lacks are treated, by a measure."""
        if system.name == self.leaves_out:
            return "it is left out" if n == 1 else "they are left out"
        count = "it counts" if n == 1 else "they count"
        if measure is None or self.empty[measure][0] in limits_of(measure):
            return f"{count} with the worst value"
        return f"{count} with {self.empty[measure][0]:.4g}, the worst value that is known"


def facts_of(
    values: Values,
    measures: Sequence[Measure],
    systems: Sequence[str] | None = None,
) -> ValueFacts:
    """Collect the evidence in the values of some systems, on all topics that these have rows for.

    A topic is one of the sample by whatever measure they name it, and though none has a value: to
    forget it would leave the topics on which all went well.

    Parameters
    ----------
    values : Values
    measures : from `measures_of`
    systems : sequence of str, optional
        In this order; all systems if not given.

    Raises
    ------
    ArgumentError
        A system is unknown, or has no value of a measure.
    """
    names = list(values.systems if systems is None else systems)
    named = values.named_by(names)
    topics = tuple(compress(values.topics, named.tolist()))
    n = len(topics)
    matrix, present = {}, {}
    for measure in measures:
        on_all, has_value = values.on_all_topics(str(measure), names)
        matrix[measure], present[measure] = on_all[:, named], has_value[:, named]
    some = np.any(list(present.values()), axis=0)
    every, no = np.ones(n, bool), np.zeros(n, bool)
    of_systems = [
        System(
            name=name,
            values={measure: matrix[measure][[row]] for measure in measures},
            # Only the answered topics are known: documents are counted as one a topic.
            observed=(Observation.with_only(*[some[row].astype(np.int64)] * 2),),
            judged={TOP: np.zeros(n, np.int64)},
            returned={TOP: np.zeros(n, np.int64)},
            open_ends=dict.fromkeys(measures, no),
        )
        for row, name in enumerate(names)
    ]
    return ValueFacts(
        measures=list(measures),
        topics=topics,
        systems=of_systems,
        pool=cast(Any, None),
        qrels=cast(Any, None),
        order=np.arange(n),
        answerable=every,
        reached=dict.fromkeys(measures, every),
        alike=dict.fromkeys(measures, no),
        empty={measure: np.full(n, values.worst(str(measure))) for measure in measures},
        lacking=dict.fromkeys(measures, no),
        asked=list(measures),
        # A system may lack a topic by one measure only.
        lacks={measure: np.logical_not(present[measure]) for measure in measures},
    )
