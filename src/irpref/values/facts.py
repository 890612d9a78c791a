"""Facts about measures, judgments and runs, as `irpref.values.evidence` gathers them: what each run
has for each topic, and the topics on which a measure says nothing, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, MeasureError
from irpref.judged.pool import Pool
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.values.changed_ids import Changed
from irpref.values.matrix import TopicValues
from irpref.values.sensitivity import TOP, Values, in_words, is_count, last_rank, scale

if TYPE_CHECKING:
    import pandas as pd


CODES = (
    *("unanswerable", "out-of-reach", "unanswered", "changed-ids", "unseen", "blind", "shallow"),
)
MISSING = 0.05  # share of the answerable topics that a verdict may miss
_OF_RUNS = ("unanswered", "changed-ids", "shallow")  # the codes that are about one run
_FEW_NAMES = 3  # so many runs are named


@dataclass(frozen=True, eq=False)
class System:
    """A run, or several runs of one system, as the judgments see it.

    Attributes
    ----------
    name : str
    values : dict of Measure to float array (n_repeats, n_topics)
        NaN where the measure has no value.
    lengths : int array (n_repeats, n_topics)
        Number of documents of each run.
    meetings : bool array (n_repeats, n_topics)
        Whether each run retrieves a judged document.
    judged, returned : dict of depth to int array (n_topics,)
        Judged documents, and documents, in the first so many ranks.
    by_judge : int array (n_topics,)
        Documents in the first `TOP` ranks that a judge graded and no human.
    open_ends : dict of Measure to bool array (n_topics,)
        Whether the value would be another one if the relevant documents that are missing followed.
    own : bool array (n_topics,)
        Whether it retrieves a document with the id of the topic, see `irpref.values.own_ids`.
    changed : Changed or None
        Unjudged documents in the first `TOP` ranks whose ids are judged ones but for one change.
    """

    name: str
    values: Values
    lengths: Ints
    meetings: Bools
    judged: Mapping[int, Ints]
    returned: Mapping[int, Ints]
    by_judge: Ints
    open_ends: Mapping[Measure, Bools]
    own: Bools
    changed: Changed | None = None

    @property
    def n_repeats(self) -> int:
        """Number of runs of the system."""
        return next(iter(self.values.values())).shape[0]

    def _means(self, measure: Measure, topics: Bools) -> Floats:
        """Mean of each run over some topics that have a value: shape (n_repeats,)."""
        means: Floats = self.values[measure][:, topics].mean(axis=1)
        return means * (topics.sum() if is_count(measure) else 1)

    def sd_of_mean(self, measure: Measure, topics: Bools) -> float:
        """Standard deviation of the mean between the runs; NaN for a single run."""
        means = self._means(measure, topics)
        return float(means.std(ddof=1)) if means.size > 1 else float("nan")

    def range_of_mean(self, measure: Measure, topics: Bools) -> float:
        """Difference between the highest and the lowest mean of the runs; 0 for a single run."""
        return float(np.ptp(self._means(measure, topics)))

    @property
    def retrieved(self) -> Ints:
        """Number of documents; of several runs, the smallest: shape (n_topics,)."""
        number: Ints = self.lengths.min(axis=0)
        return number

    @property
    def meets(self) -> Bools:
        """Whether a judged document is retrieved: shape (n_topics,)."""
        return np.asarray(self.meetings.any(axis=0))

    @property
    def is_absent(self) -> bool:
        """Whether a run of it answers no judged topic, or none of its documents is judged."""
        return not self.meetings.any(axis=1).all()

    def absence(self, n_topics: int) -> str:
        """Why nothing can be said of an absent run, with this number of judged topics."""
        number = int(self.meetings.any(axis=1).argmin())
        size = int(self.lengths[number].sum())
        which = f"run {number + 1} of {self.n_repeats}" if self.n_repeats > 1 else "the run"
        if not size:
            return f"{which} answers none of the {n_topics:,} judged topics"
        if size == 1:
            return f"the only document of {which} is not judged"
        if self.n_repeats > 1:
            return f"none of the {size:,} documents of {which} is judged"
        return f"none of the run's {size:,} documents is judged"


@dataclass(frozen=True, eq=False)
class Evidence:
    """Runs, judged, and what topics can say.

    Attributes
    ----------
    measures : list of Measure
    topics : tuple of str
        Topics of the qrels in ascending order, which is that of all arrays.
    systems : list of System
    pool : Pool
    answerable : bool array (n_topics,)
        Whether a topic has a positive grade.
    reached, alike : dict of Measure to bool array (n_topics,)
        Whether the ideal ranking has another value than an empty one; whether several grades count
        the same.
    empty : dict of Measure to float array (n_topics,)
        Values of a ranking without documents.
    lacking : dict of Measure to bool array (n_topics,)
        Whether the measure needs a document judged non-relevant, and there is none.
    depth : int or None
        How many documents of each topic count.
    leaves_out : str or None
        Name of the system whose unanswered topics are left out; of others they count as empty
        rankings.
    """

    measures: list[Measure]
    topics: tuple[str, ...]
    systems: list[System]
    pool: Pool
    answerable: Bools
    reached: Mapping[Measure, Bools]
    alike: Mapping[Measure, Bools]
    empty: Values
    lacking: Mapping[Measure, Bools]
    depth: int | None = None
    leaves_out: str | None = None

    def looks_at(self, measure: Measure) -> int | None:
        """How many ranks a measure looks at; None if at all of them."""
        return last_rank(measure, self.depth)

    def values(self, measure: Measure) -> Floats:
        """Values of each system, the mean of its runs: shape (n_systems, n_topics)."""
        return np.array([system.values[measure].mean(axis=0) for system in self.systems])

    def unanswered(self, measure: Measure) -> Bools:
        """Topics without documents or without a value: shape (n_systems, n_topics)."""
        retrieved = np.array([system.retrieved for system in self.systems])
        return (retrieved == 0) | np.isnan(self.values(measure))

    @cached_property
    def changed_ids(self) -> Bools:
        """Topics with ids that another tool changed: shape (n_systems, n_topics)."""
        groups = [system.changed.groups if system.changed else () for system in self.systems]
        return np.array([np.isin(self.topics, names) for names in groups], bool)

    @cached_property
    def unseen(self) -> Bools:
        """Topics for which no system retrieves a judged document: shape (n_topics,)."""
        seen: Bools = np.any([system.meets for system in self.systems], axis=0)
        return np.logical_not(seen)

    def looked_at(self, measure: Measure) -> Bools:
        """Topics with a judged document where the measure looks: shape (n_systems, n_topics)."""
        depth = self.looks_at(measure)
        if depth is None:
            return np.array([system.meets for system in self.systems])
        return np.array([system.judged[depth] > 0 for system in self.systems])

    def blind(self, measure: Measure) -> Bools:
        """Topics whose grades a measure does not tell apart: shape (n_topics,)."""
        depth = self.looks_at(measure) or TOP
        judged = sum(system.judged[depth] for system in self.systems)
        returned = sum(system.returned[depth] for system in self.systems)
        compared = (2 * judged >= returned) | self.lacking[measure]
        return np.asarray(self.alike[measure] & (returned > 0) & compared)

    def shallow(self, measure: Measure) -> Bools:
        """Topics with fewer documents than the measure looks at: shape (n_systems, n_topics)."""
        retrieved = np.array([system.retrieved for system in self.systems])
        others = np.array(
            [np.delete(retrieved, i, axis=0).max(axis=0, initial=0) for i in range(len(retrieved))]
        )
        cutoff = self.looks_at(measure)
        if cutoff is None:
            short = 2 * retrieved < others
        else:
            cut = retrieved.max(axis=1, keepdims=True) < cutoff
            short = (retrieved < cutoff) & (cut | (retrieved < others))
        return (retrieved > 0) & short

    def too_shallow(self, measure: Measure) -> Bools:
        """Shallow topics whose value more documents could change: shape (n_systems, n_topics).

        A run that has a relevant document is deep enough for the reciprocal rank.
        """
        return self.shallow(measure) & np.array(
            [system.open_ends[measure] for system in self.systems]
        )

    def masks(self, measure: Measure) -> dict[str, Bools]:
        """The topics of each code: (n_topics,), or (n_systems, n_topics) if it is about runs."""
        reached = self.reached[measure]
        return {
            "unanswerable": ~self.answerable,
            "out-of-reach": self.answerable & ~reached,
            "unanswered": self.unanswered(measure),
            "changed-ids": self.changed_ids,
            "unseen": self.unseen,
            "blind": self.answerable & reached & self.blind(measure),
            "shallow": self.shallow(measure),
        }

    def rows(
        self, measure: Measure, inside: Bools, called: str | None = None
    ) -> Iterable[dict[str, Any]]:
        """The rows of `evidence` about a measure, over the topics of a mask (n_topics,).

        The texts name the measure as it is `called`, by default `str(measure)`."""
        name = str(measure) if called is None else called
        for code, which in self.masks(measure).items():
            for number, here in enumerate(np.atleast_2d(which) & inside):
                if not here.any():
                    continue
                system = self.systems[number] if code in _OF_RUNS else None
                yield {
                    "measure": str(measure),
                    "run": None if system is None else system.name,
                    "code": code,
                    "topics": int(here.sum()),
                    "example": self.topics[int(here.argmax())],
                    "text": self._text(code, measure, name, here, inside, system),
                }

    def frame(self, parts: Mapping[str | None, Bools]) -> pd.DataFrame:
        """The table of `evidence`, with rows for each of these groups of topics."""
        import pandas as pd

        rows = [
            row | {"group": group}
            for measure in self.measures
            for group, inside in parts.items()
            for row in self.rows(measure, inside)
        ]
        columns = ("measure", "group", "run", "code", "topics", "example", "text")
        kinds = {"topics": "int64"}
        return pd.DataFrame(
            {
                name: pd.Series([row[name] for row in rows], dtype=kinds.get(name, object))
                for name in columns
            }
        )

    def topic_values(
        self, measure: Measure, topics: Bools, values: Floats | None = None
    ) -> TopicValues:
        """Values of the systems on some topics, or the given ones, (n_systems, n_topics)."""
        every = self.values(measure) if values is None else values
        return TopicValues(
            str(measure),
            [system.name for system in self.systems],
            list(compress(self.topics, topics.tolist())),
            every[:, topics],
            bool(getattr(measure, "higher_is_better", True)),
            is_count(measure),
        )

    def tables(self) -> list[TopicValues]:
        """The values of each measure, without topics that have no value for any system.

        Raises
        ------
        ValueError
            A measure has no value for any topic, or for some systems only.
        """
        tables = []
        for measure in self.measures:
            there: Bools = np.logical_not(np.isnan(self.values(measure)).all(axis=0))
            if not there.any():
                raise MeasureError(f"{measure}: no topic has a value", measure=str(measure))
            tables.append(self.topic_values(measure, there))
        return tables

    def scale(self, measure: Measure) -> str:
        """The grades, and what of them counts for a measure."""
        return scale(measure, self.pool)

    def _text(
        self,
        code: str,
        measure: Measure,
        name: str,
        here: Bools,
        inside: Bools,
        system: System | None,
    ) -> str:
        """A finding in words, with this name of the measure."""
        some, n = _some(here, inside), int(here.sum())
        if system is None:
            return in_words(code, name, self.scale(measure), some, n)
        if code == "unanswered":
            if (system.retrieved[here] == 0).all():
                return f"{system.name} has no documents for {some}; {self._so(system, n)}"
            return f"{system.name} has no documents, or {name} no value, for {some}"
        number = self.systems.index(system)
        if code == "changed-ids":
            return self.changed_text(number, here, inside)
        return self.shallow_text(measure, number, here, inside, name)

    def _so(self, system: System, n: int) -> str:
        """What becomes of topics that a system does not answer, in words."""
        if system.name == self.leaves_out:
            return "it is left out" if n == 1 else "they are left out"
        return "it counts as an empty ranking" if n == 1 else "they count as empty rankings"

    def changed_text(self, number: int, here: Bools, inside: Bools) -> str:
        """How ids of a run differ from judged ones, in words."""
        system = self.systems[number]
        assert system.changed is not None
        given, judged = system.changed.texts
        return (
            f"{system.name} has document ids that differ from judged ones only "
            f"{system.changed.change.words} for {_some(here, inside)}, such as {given} for "
            f"{judged}: they count as unjudged"
        )

    def own_text(self, inside: Bools) -> str:
        """Which runs retrieve documents with the id of their topic, in words; empty if none
        does.
        """
        names = [system.name for system in self.systems if (system.own & inside).any()]
        if not names:
            return ""
        where = np.any([system.own for system in self.systems], axis=0) & inside
        who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        if len(names) > _FEW_NAMES:
            who = f"{len(names):,} runs"
        verb = "retrieves documents" if len(names) == 1 else "retrieve documents"
        return (
            f"{who} {verb} with the id of the topic for {_some(where, inside)}, as if the query "
            f"were in the collection; ignore_self leaves them out"
        )

    def shallow_text(
        self,
        measure: Measure,
        number: int,
        here: Bools,
        inside: Bools,
        called: str | None = None,
    ) -> str:
        """How a run is too shallow for a measure, in words; see `rows` about `called`."""
        some, system = _some(here, inside), self.systems[number]
        lengths = system.retrieved[here]
        low, high = int(lengths.min()), int(lengths.max())
        size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        cutoff = self.looks_at(measure)
        less, looks = "", f"looks at {cutoff or 0:,}"
        if cutoff is None:
            less, looks = ", less than half of another run's", "looks at all ranks"
        size += " document" + "s" * (high > 1)
        name = str(measure) if called is None else called
        return f"{system.name} has {size} for {some}{less}, and {name} {looks}"


def check_present(systems: Iterable[System], n_topics: int) -> None:
    """`AbsentRunError` if a run answers no judged topic, or none of its documents is judged."""
    for system in systems:
        if system.is_absent:
            raise AbsentRunError(system.absence(n_topics), run=system.name)


def _some(here: Bools, inside: Bools) -> str:
    """Some of the topics, in words."""
    n, total = int(here.sum()), int(inside.sum())
    return f"{n:,} of {total:,} topics" if total > 1 else "the topic"
