"""A system: one run, or several, as they were observed against judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError
from irpref.judged.run import Run
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.observed.changed_ids import Changed
from irpref.observed.observation import Observation, any_of, most_changed
from irpref.observed.sensitivity import TOP, Values, is_count


@dataclass(frozen=True, eq=False)
class System:
    """One system, with one or several runs, seen through the judgments.

    Attributes
    ----------
    name : str
    values : dict of Measure to float array (n_repeats, n_topics)
        NaN where the measure has no value.
    observed : tuple of Observation
        The notes of each run.
    judged, returned : dict of depth to int array (n_topics,)
        Judged documents, and documents, in the first so many ranks, of all runs.
    open_ends : dict of Measure to bool array (n_topics,)
        Whether the value would be another one if the relevant documents that are missing followed.
    runs : tuple of Run
        The runs themselves; empty if they were let go.
    backwards : dict of Measure to float array (n_repeats, n_topics)
        Values of its rankings read from the end, by measures that kernels compute.
    expected : dict of Measure to float array (n_topics,)
        Values in expectation over the orders of tied documents, if they were computed before the
        runs were let go.
    """

    name: str
    values: Values
    observed: tuple[Observation, ...]
    judged: Mapping[int, Ints]
    returned: Mapping[int, Ints]
    open_ends: Mapping[Measure, Bools]
    runs: tuple[Run, ...] = ()
    backwards: Values = field(default_factory=dict)
    expected: Values = field(default_factory=dict)

    @property
    def n_repeats(self) -> int:
        """Number of runs of the system."""
        return len(self.observed)

    @property
    def is_tied(self) -> bool:
        """Whether a run has tied documents."""
        return any(one.tied.any() for one in self.observed)

    @cached_property
    def lengths(self) -> Ints:
        """Number of documents of each run: shape (n_repeats, n_topics)."""
        return np.array([one.lengths for one in self.observed])

    @property
    def by_judge(self) -> Ints:
        """Documents in the first `TOP` ranks that a judge graded and no human: (n_topics,)."""
        return np.asarray(sum(one.by_judge for one in self.observed))

    @property
    def own(self) -> Bools:
        """Topics for which a document with the id of the topic is retrieved: (n_topics,)."""
        return any_of(self.observed, "own")

    @property
    def changed(self) -> Changed | None:
        """Unjudged documents whose ids are judged ones but for one change, of the run that has
        most.
        """
        return most_changed(one.changed_docs for one in self.observed)

    @property
    def change(self) -> str:
        """Say by which change ids of topics or documents would be judged ones; "" if by none."""
        found = most_changed(one.changed_topics for one in self.observed) or self.changed
        if found is None:
            return ""
        kind = "documents" if found is self.changed else "topics"
        given, judged = found.texts
        return (
            f": ids of {kind} differ from judged ones only {found.change.words}, such as {given} "
            f"for {judged}"
        )

    def judged_share(self, topics: Bools) -> float:
        """Compute the share of judged documents in the first ten of these topics."""
        returned = int(self.returned[TOP][topics].sum())
        return int(self.judged[TOP][topics].sum()) / returned if returned else 0.0

    @cached_property
    def ranking(self) -> tuple[bytes, ...]:
        """The ranks of judged documents of all runs: equal if no measure tells systems apart."""
        parts = (part for one in self.observed for part in (one.lengths, one.prints))
        return tuple(part.tobytes() for part in parts)

    def _means(self, measure: Measure, topics: Bools) -> Floats:
        """Average each run over some topics that have a value: shape (n_repeats,)."""
        means: Floats = self.values[measure][:, topics].mean(axis=1)
        return means * (topics.sum() if is_count(measure) else 1)

    def sd_of_mean(self, measure: Measure, topics: Bools) -> float:
        """Compute the standard deviation of the mean between the runs; NaN for a single run."""
        means = self._means(measure, topics)
        return float(means.std(ddof=1)) if means.size > 1 else float("nan")

    def range_of_mean(self, measure: Measure, topics: Bools) -> float:
        """Compute the difference between the highest and the lowest mean of the runs; 0 for a
        single run.
        """
        return float(np.ptp(self._means(measure, topics)))

    @cached_property
    def retrieved(self) -> Ints:
        """Number of documents; of several runs, the smallest: shape (n_topics,)."""
        number: Ints = self.lengths.min(axis=0)
        return number

    @property
    def meets(self) -> Bools:
        """Whether a judged document is retrieved: shape (n_topics,)."""
        return np.any([one.hits > 0 for one in self.observed], axis=0)

    @property
    def is_absent(self) -> bool:
        """Whether one of its runs answers no judged topic, or has no judged document."""
        return any(one.is_absent for one in self.observed)

    def absence(self, n_topics: int) -> str:
        """Say why nothing is known about an absent run, with this number of judged topics."""
        number = next(i for i, one in enumerate(self.observed) if one.is_absent)
        size = int(self.observed[number].lengths.sum())
        which = f"run {number + 1} of {self.n_repeats}" if self.n_repeats > 1 else "the run"
        if not size:
            return f"{which} answers none of the {n_topics:,} judged topics"
        if size == 1:
            return f"the only document of {which} is not judged"
        if self.n_repeats > 1:
            return f"none of the {size:,} documents of {which} is judged"
        return f"none of the run's {size:,} documents is judged"


def check_present(systems: Iterable[System], n_topics: int) -> None:
    """Raise `AbsentRunError` if a run answers no judged topic, or none of its documents is
    judged.
    """
    for system in systems:
        if system.is_absent:
            raise AbsentRunError(system.absence(n_topics) + system.change, run=system.name)
