"""The facts below the codes: systems beside the judgments, and the questions that can be asked of
them by topic.

Nothing here says whether a fact is worth telling: the codes (`irpref.observed.codes`) do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Self

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import MeasureError
from irpref.judged.judgments import Judgments
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.judged.run import Run
from irpref.kernel.memo import HasMemo, shared
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.measures.declare import needs, rises
from irpref.observed.observation import any_of
from irpref.observed.orders import InOrder, equal_backwards, over_ties
from irpref.observed.sensitivity import TOP, Values, blind, grades_in_words, is_count, last_rank
from irpref.observed.system import System
from irpref.values.matrix import TopicValues

if TYPE_CHECKING:
    from irpref.values.kernels import KernelEvaluator

MISSING = 0.05  # share of the answerable topics that a verdict may miss
MOST_TOPICS = 1000  # with more topics, two rankings are not compared document by document


@dataclass(frozen=True, eq=False)
class Facts(HasMemo):
    """Runs, judged and observed, and the questions that can be asked of them.

    Attributes
    ----------
    measures : list of Measure
    topics : tuple of str
        Topics of the judgments in ascending order, as in all arrays.
    systems : list of System
    pool : Pool
    qrels : Judgments
    order : int array (n_topics,)
        Number of each topic in the pool.
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
    asked : list of Measure
        The measures that the user named, if others were evaluated beside them.
    in_order : callable, optional
        Evaluates a run with its rows in another order.
    kernels : KernelEvaluator, optional
        Evaluates the measures that have a kernel; `pool` is its pool.
    reordered : dict
        Values of each system with other orders of its documents, by the name of the system.
    """

    measures: list[Measure]
    topics: tuple[str, ...]
    systems: list[System]
    pool: Pool
    qrels: Judgments
    order: Ints
    answerable: Bools
    reached: Mapping[Measure, Bools]
    alike: Mapping[Measure, Bools]
    empty: Values
    lacking: Mapping[Measure, Bools]
    depth: int | None = None
    leaves_out: str | None = None
    asked: list[Measure] = field(default_factory=list)
    in_order: InOrder | None = None
    kernels: KernelEvaluator | None = None
    reordered: dict[tuple[str, str], Values | None] = field(default_factory=dict)

    def only(self, systems: Iterable[int]) -> Self:
        """Return the evidence of some systems, by number."""
        return replace(self, systems=[self.systems[number] for number in systems])

    def __post_init__(self) -> None:
        # Each of a thousand runs asks for the same arrays of all.
        object.__setattr__(self, "_memo", {})

    # Topics ---------------------------------------------------------------------------------------

    @property
    def everything(self) -> Bools:
        """A mask of all topics: (n_topics,)."""
        return np.ones(len(self.topics), bool)

    @property
    def none(self) -> Bools:
        """A mask without topics: (n_topics,)."""
        return np.zeros(len(self.topics), bool)

    def mask_of(self, names: Iterable[str]) -> Bools:
        """Make a mask of these topics: (n_topics,)."""
        return np.isin(self.topics, list(names))

    def some(self, here: Bools, inside: Bools, names_first: bool = False) -> str:
        """Say how many topics these are and, with `names_first`, which is the first."""
        n, total = int(here.sum()), int(inside.sum())
        text = f"{n:,} of {total:,} topics" if total > 1 else "the topic"
        if names_first and 0 < n < total:
            text += f" (first {self.topics[int(here.argmax())]!r})"
        return text

    @property
    def of_preferences(self) -> bool:
        """Whether the judgments are preferences."""
        return self.pool.of_preferences

    @property
    def has_grades(self) -> bool:
        """Whether the judgments have grades; levels of preferences are not grades."""
        asked = (needs(measure) for measure in self.asked)
        return not self.of_preferences or any("preferences" not in names for names in asked)

    @property
    def top(self) -> float:
        """The highest grade."""
        return float(self.pool.grade.max())

    # Values ---------------------------------------------------------------------------------------

    def looks_at(self, measure: Measure) -> int | None:
        """Return the number of ranks that a measure looks at; None if it looks at all."""
        return last_rank(measure, self.depth)

    @shared
    def values(self, measure: Measure) -> Floats:
        """Return the values of each system, the mean of its runs: shape (n_systems, n_topics)."""
        values = np.array([system.values[measure].mean(axis=0) for system in self.systems])
        values.flags.writeable = False
        return values

    @shared
    def unanswered(self, measure: Measure | None = None) -> Bools:
        """Mark topics without documents or without a value: shape (n_systems, n_topics)."""
        without = np.array([system.retrieved == 0 for system in self.systems])
        return without if measure is None else without | np.isnan(self.values(measure))

    def compared(self, measure: Measure, baseline: int, inside: Bools) -> Bools:
        """Mark topics that can tell something: answerable, in reach, and answered by the
        baseline.
        """
        there = self.answerable & self.reached[measure] & inside
        return np.asarray(there & ~self.unanswered(measure)[baseline])

    @cached_property
    def unseen(self) -> Bools:
        """Topics for which no system retrieves a judged document: shape (n_topics,)."""
        if not self.systems:
            return self.everything
        seen: Bools = np.any([system.meets for system in self.systems], axis=0)
        return np.logical_not(seen)

    @shared
    def looked_at(self, measure: Measure) -> Bools:
        """Mark topics with a judged document where the measure looks: shape (n_systems,
        n_topics).
        """
        depth = self.looks_at(measure)
        if depth is None:
            return np.array([system.meets for system in self.systems])
        return np.array([system.judged[depth] > 0 for system in self.systems])

    @shared
    def blind(self, measure: Measure) -> Bools:
        """Mark topics whose grades a measure does not tell apart: shape (n_topics,)."""
        depth = self.looks_at(measure) or TOP
        none = np.zeros(len(self.topics), np.int64)
        judged = sum((system.judged[depth] for system in self.systems), none)
        returned = sum((system.returned[depth] for system in self.systems), none)
        return blind(self.alike[measure], judged, returned, self.lacking[measure])

    @shared
    def shallow(self, measure: Measure | None) -> Bools:
        """Mark topics with fewer documents than the measure looks at, or without a measure fewer
        than half of another run's: shape (n_systems, n_topics).
        """
        retrieved = np.array([system.retrieved for system in self.systems])
        others = _most_of_others(retrieved)
        cutoff = self.depth if measure is None else self.looks_at(measure)
        if cutoff is None:
            short = 2 * retrieved < others
        else:
            cut = retrieved.max(axis=1, keepdims=True) < cutoff
            short = (retrieved < cutoff) & (cut | (retrieved < others))
        return (retrieved > 0) & short

    @shared
    def too_shallow(self, measure: Measure) -> Bools:
        """Mark shallow topics whose value more documents could change: shape (n_systems,
        n_topics).

        A run that has a relevant document is deep enough for the reciprocal rank.
        """
        return self.shallow(measure) & np.array(
            [system.open_ends[measure] for system in self.systems]
        )

    def topic_values(
        self, measure: Measure, topics: Bools, values: Floats | None = None
    ) -> TopicValues:
        """Return the values of the systems on some topics, or the given ones, (n_systems,
        n_topics).
        """
        every = self.values(measure) if values is None else values
        return TopicValues(
            str(measure),
            [system.name for system in self.systems],
            list(compress(self.topics, topics.tolist())),
            every[:, topics],
            rises(measure),
            is_count(measure),
        )

    def tables(self) -> list[TopicValues]:
        """Return the values of each measure, without topics that have no value for any system.

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

    def grades_in_words(self, measure: Measure) -> str:
        """Describe the grades, and say which of these count for a measure."""
        return grades_in_words(measure, self.pool)

    # The order of documents -----------------------------------------------------------------------

    def same_order(self, a: int, b: int | None) -> bool:
        """Test whether two systems of one run each have the same ranking; with many topics this is
        not asked.
        """
        if b is None or len(self.topics) > MOST_TOPICS:
            return False
        return self._same_order(min(a, b), max(a, b))

    @shared
    def _same_order(self, a: int, b: int) -> bool:
        return _same_ranking(self.systems[a].runs, self.systems[b].runs, self.pool)

    @cached_property
    def first_of_ranking(self) -> dict[tuple[bytes, ...], System]:
        """The first system with each ranking of judged documents."""
        first: dict[tuple[bytes, ...], System] = {}
        for system in self.systems:
            first.setdefault(system.ranking, system)
        return first

    def equal_in_words(self, run: int, called: str | None = None) -> str:
        """Say that all documents of a system have equal scores, on more than half of the topics;
        empty if they have not.
        """
        name = self.systems[run].name if called is None else called
        for one in self.systems[run].observed:
            n, total = int(one.equal.sum()), int(one.several.sum())
            if 2 * n > total:
                where = "" if n == total else f" for {n:,} of {total:,} topics"
                return f"all scores of {name} are equal{where}: document ids decide its order"
        return ""

    def ties_in_words(self, run: int, called: str | None = None) -> str:
        """Say on how many topics ids decide the order of documents of different grades among the
        first ten; empty on up to `MISSING` of the topics, or if all scores are equal.
        """
        system = self.systems[run]
        deciding = int(any_of(system.observed, "deciding").sum())
        answered = int((system.retrieved > 0).sum())
        if deciding <= MISSING * answered or self.equal_in_words(run):
            return ""
        name = system.name if called is None else called
        share = f"{100 * deciding / answered:.0f} %"
        return (
            f"{name}: ids decide the order of tied documents of different grades in {share} of the "
            f"top tens"
        )

    def order_matters(self, run: int, measure: Measure) -> bool:
        """Test whether the values of a system would change if documents of equal scores stood the
        other way round, on topics where all scores are equal.
        """
        turned = self._turned(run)
        return turned is not None and not np.allclose(
            self.values(measure)[run], turned[measure], equal_nan=True
        )

    def _turned(self, run: int) -> Values | None:
        """Compute the values of a system whose order its ids decide, with that order reversed."""
        key = ("turned", self.systems[run].name)
        if key not in self.reordered:
            self.reordered[key] = self._equal_backwards(self.systems[run])
        return self.reordered[key]

    def _equal_backwards(self, system: System) -> Values | None:
        if self.in_order is None or not system.runs:
            return None
        values = [self.in_order(one, equal_backwards(one.on(self.pool))) for one in system.runs]
        return {m: np.mean([v[m] for v in values], axis=0) for m in self.measures}

    def expected(self, measure: Measure) -> Floats | None:
        """Compute the values of each system in expectation over the orders of tied documents,
        (n_systems, n_topics); None if nothing is tied, or the runs were let go.
        """
        if not self.tied.any():
            return None
        every = []
        for system in self.systems:
            key = ("expected", system.name)
            if key not in self.reordered:
                self.reordered[key] = self._expected(system)
            every.append(self.reordered[key])
        known = [values[measure] for values in every if values is not None]
        return np.array(known) if len(known) == len(every) else None

    @property
    def tied(self) -> Bools:
        """Topics on which a system has tied documents: (n_topics,)."""
        tied = [any_of(system.observed, "tied").astype(bool) for system in self.systems]
        return np.any(tied, axis=0)

    def _expected(self, system: System) -> Values | None:
        if not system.is_tied:
            return {m: system.values[m].mean(axis=0) for m in self.measures}
        if self.in_order is None or not system.runs:
            return system.expected or None
        return over_ties(system.runs, self.pool, self.in_order)

    @property
    def human_topics(self) -> Bools:
        """Topics with a document that a human judged, if a judge graded others: (n_topics,)."""
        source = self.pool.columns.get(SOURCE)
        if source is None:
            return self.everything
        by_human: Bools = np.asarray(source != FILLED)
        return np.asarray(self.pool.judged.count(by_human) > 0)[self.order]

    def so(self, system: System, n: int) -> str:
        """Say how topics that a system does not answer count."""
        if system.name == self.leaves_out:
            return "it is left out" if n == 1 else "they are left out"
        return "it counts as an empty ranking" if n == 1 else "they count as empty rankings"


def _same_ranking(a: Sequence[Run], b: Sequence[Run], pool: Pool) -> bool:
    if len(a) != 1 or len(b) != 1:
        return False
    first, second = a[0].on(pool), b[0].on(pool)
    same_sizes = np.array_equal(first.topics.offsets, second.topics.offsets)
    return same_sizes and first.doc_ids == second.doc_ids


def _most_of_others(numbers: Ints) -> Ints:
    """Return the largest number of any other row, 0 if there is none: (n_rows, n_columns)."""
    two = np.zeros((2, numbers.shape[1]), numbers.dtype)
    two = np.sort(np.concatenate([two, numbers]), axis=0)[-2:]
    return np.where(numbers == two[1], two[0], two[1])
