"""The evidence in judgments and runs: the runs of each system as they were observed, and the codes
that hold on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from ir_measures.measures import Measure

from irpref.errors import AbsentRunError, MeasureError
from irpref.judged.align import Listing
from irpref.judged.judgments import Judgments
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.judged.run import Run
from irpref.kernel.memo import HasMemo, shared
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.measures.declare import needs
from irpref.observed.changed_ids import Changed
from irpref.observed.codes import CODES
from irpref.observed.finding import Code, Ground, View
from irpref.observed.observation import Observation, any_of, most_changed
from irpref.observed.orders import DRAWS, equal_backwards, tied_orders
from irpref.observed.sensitivity import TOP, Values, grades_in_words, is_count, last_rank
from irpref.values.matrix import TopicValues

if TYPE_CHECKING:
    import pandas as pd

    from irpref.values.kernels import KernelEvaluator

Row: TypeAlias = dict[str, Any]  # of what was found, see `Evidence.every_row`
MISSING = 0.05  # share of the answerable topics that a verdict may miss
MOST_TOPICS = 1000  # with more topics, two rankings are not compared document by document


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
    backwards : dict of Measure to float array (n_topics,)
        Values of its rankings read from the end, by measures that kernels compute.
    """

    name: str
    values: Values
    observed: tuple[Observation, ...]
    judged: Mapping[int, Ints]
    returned: Mapping[int, Ints]
    open_ends: Mapping[Measure, Bools]
    runs: tuple[Run, ...] = ()
    backwards: Values = field(default_factory=dict)

    @property
    def n_repeats(self) -> int:
        """Number of runs of the system."""
        return len(self.observed)

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


@dataclass(frozen=True, eq=False)
class Evidence(HasMemo):
    """Runs, judged and observed, and the questions that can be asked about them.

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
        Evaluates a run with its documents in another order.
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
    in_order: Callable[[Run, Callable[[Listing], Ints]], Values] | None = None
    kernels: KernelEvaluator | None = None
    reordered: dict[tuple[str, str], Values | None] = field(default_factory=dict)

    def only(self, systems: Iterable[int]) -> Evidence:
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
        return "subgroup" in self.pool.header

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
        judged = sum(system.judged[depth] for system in self.systems)
        returned = sum(system.returned[depth] for system in self.systems)
        compared = (2 * judged >= returned) | self.lacking[measure]
        return np.asarray(self.alike[measure] & (returned > 0) & compared)

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
            bool(getattr(measure, "higher_is_better", True)),
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
            self.reordered[key] = self._reordered(run, equal_backwards)
        return self.reordered[key]

    def _reordered(self, run: int, order: Callable[[Listing], Ints]) -> Values | None:
        """Compute the values of a system with other orders of its documents; None if its runs were
        let go.
        """
        system = self.systems[run]
        if self.in_order is None or not system.runs:
            return None
        values = [self.in_order(one, order) for one in system.runs]
        return {m: np.mean([v[m] for v in values], axis=0) for m in self.measures}

    def expected(self, measure: Measure) -> Floats | None:
        """Compute the values of each system in expectation over the orders of tied documents,
        (n_systems, n_topics), drawn with a fixed seed; None if nothing is tied, or the runs were
        let go.
        """
        if not any(one.tied.any() for system in self.systems for one in system.observed):
            return None
        every = []
        for number, system in enumerate(self.systems):
            key = ("expected", system.name)
            if key not in self.reordered:
                self.reordered[key] = self._expected(number)
            every.append(self.reordered[key])
        known = [values[measure] for values in every if values is not None]
        return np.array(known) if len(known) == len(every) else None

    def _expected(self, number: int) -> Values | None:
        system = self.systems[number]
        if not any(one.tied.any() for one in system.observed):
            return {m: system.values[m].mean(axis=0) for m in self.measures}
        drawn = [self._reordered(number, tied_orders(draw)) for draw in range(2 * DRAWS)]
        known = [values for values in drawn if values is not None]
        if len(known) < len(drawn):
            return None
        return {m: np.mean([values[m] for values in known], axis=0) for m in self.measures}

    @property
    def human_topics(self) -> Bools:
        """Topics with a document that a human judged, if a judge graded others: (n_topics,)."""
        source = self.pool.columns.get(SOURCE)
        if source is None:
            return self.everything
        by_human: Bools = np.asarray(source != FILLED)
        return np.asarray(self.pool.judged.count(by_human) > 0)[self.order]

    # Codes ----------------------------------------------------------------------------------------

    @property
    def codes(self) -> Sequence[Code]:
        """The codes that are looked for."""
        return CODES

    def views(
        self, code: Code, inside: Bools, measure: Measure | None = None, called: str = ""
    ) -> Iterator[View]:
        """Yield the views in which a code is looked for: one of each run if it is about one."""
        if code.about in ("run", "pair"):
            for number in range(len(self.systems)):
                yield View(self, inside, number, None, measure, called)
        else:
            yield View(self, inside, None, None, measure, called)

    def masks(self, measure: Measure) -> dict[str, Bools]:
        """Mark the topics of each code by which a topic's value is no evidence: (n_topics,), or
        (n_systems, n_topics) if it is about runs.
        """
        out: dict[str, Bools] = {}
        for code in self.codes:
            if "values" not in code.against:
                continue
            masks = [
                np.any([found.topics for found in code.found(view)] or [self.none], axis=0)
                for view in self.views(code, self.everything, measure)
            ]
            out[code.name] = np.array(masks) if code.about in ("run", "pair") else masks[0]
        return out

    def rows(
        self, measure: Measure, inside: Bools, called: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield a row for each code and run: the limits of topics as evidence by a measure, over
        the topics of a mask (n_topics,). The texts name the measure as it is `called`, by default
        `str(measure)`.
        """
        name = str(measure) if called is None else called
        for code in self.codes:
            if "values" in code.against:
                yield from self._rows_of(code, inside, measure, name)

    def notes(self, inside: Bools) -> list[str]:
        """List the notes of verdicts that are given once for all measures."""
        return [
            row["text"]
            for code in self.codes
            if code.in_notes and not code.against
            for row in self._rows_of(code, inside, None)
        ]

    def _rows_of(
        self,
        code: Code,
        inside: Bools,
        measure: Measure | None,
        called: str = "",
        names_first: bool = False,
    ) -> Iterator[dict[str, Any]]:
        for view in self.views(code, inside, measure, called):
            for found in code.found(view):
                here = found.topics & inside
                first = self.topics[int(here.argmax())] if here.any() else None
                if code.about == "measure" and found.count is not None:
                    first = str(measure)  # it is counted, not its topics
                yield {
                    "measure": None if measure is None else str(measure),
                    "run": None if view.run is None else view.system.name,
                    "code": code.name,
                    "level": found.level or code.level,
                    "topics": int(here.sum()),
                    "count": int(here.sum()) if found.count is None else found.count,
                    "example": first if found.example is None else found.example,
                    "text": code.text(view, found, names_first),
                    "explains": code.instead_of,
                    "here": here,
                    "in_notes": code.in_notes,
                }

    def every_row(
        self,
        inside: Bools,
        names_first: bool = False,
        measures: Iterable[Measure] | None = None,
        called: str = "",
    ) -> list[dict[str, Any]]:
        """List all findings on the topics of a mask: a row for each code, run and measure. The
        texts name the measure as it is `called`, by default `str(measure)`.
        """
        rows: list[dict[str, Any]] = []
        chosen = self.measures if measures is None else list(measures)
        for code in self.codes:
            of_code: list[Measure | None] = [*chosen] if code.by_measure else [None]
            if not of_code and code.about == "run":
                of_code = [None]
            for measure in of_code:
                rows += self._rows_of(code, inside, measure, called, names_first)
        return [row for row in rows if not _is_explained(row, rows)]

    def against(
        self,
        verdict: Literal["pass", "claim"],
        measure: Measure,
        baseline: int,
        inside: Bools,
        missing: float,
        other: int | None = None,
        margin: float | None = None,
        decide: Callable[[Floats, Bools], str] | None = None,
        *,
        among: Collection[str] | None = None,
    ) -> list[Ground]:
        """Return the reasons not to call another system as good as the baseline (a pass), or better
        (a claim).

        Parameters
        ----------
        verdict : {'pass', 'claim'}
        measure : Measure
        baseline : int
            Number of the system.
        inside : bool array (n_topics,)
            The topics to look at.
        missing : float
            Share of the answerable topics that may be missing.
        other : int, optional
            Number of the other system; None: any, so that codes about two are not asked.
        margin : float, optional
            The largest loss of a mean that a pass tolerates.
        decide : callable, optional
            The verdict that other values, (n_systems, n_topics), would have on some topics.
        among : collection of str, optional
            The codes to ask, by name; all by default.
        """
        view = View(self, inside, baseline, other, measure, str(measure), missing, margin, decide)
        grounds: list[Ground] = []
        explained: set[str] = set()
        for code in self.codes:
            if verdict not in code.against or code.name in explained:
                continue
            if among is not None and code.name not in among:
                continue
            text = code.against_verdict(view)
            nothing_left = (
                code.name == "few-topics"
                and grounds
                and not self.compared(measure, baseline, inside).any()
            )  # for the other reasons
            if text is not None and not nothing_left:
                grounds.append(Ground(code.name, text))
                explained.update(code.instead_of)
            if code.name == "unanswerable" and text is not None:
                break  # nothing else can be told
        return grounds

    def frame(self, parts: Mapping[str | None, Bools]) -> pd.DataFrame:
        """Make the table of `irpref.evidence`, with rows for each of these groups of topics."""
        import pandas as pd

        rows = [
            row | {"group": group}
            for group, inside in parts.items()
            for row in self.every_row(inside)
        ]
        columns = ("measure", "group", "run", "code", "level", "topics", "example", "text")
        kinds = {"topics": "int64"}
        return pd.DataFrame(
            {
                name: pd.Series([row[name] for row in rows], dtype=kinds.get(name, object))
                for name in columns
            }
        )

    def so(self, system: System, n: int) -> str:
        """Say how topics that a system does not answer count."""
        if system.name == self.leaves_out:
            return "it is left out" if n == 1 else "they are left out"
        return "it counts as an empty ranking" if n == 1 else "they count as empty rankings"


def _is_explained(row: Row, rows: Sequence[Row]) -> bool:
    """Test whether other codes explain all topics of a row, so that one cause is reported once."""
    explained = [
        other["here"]
        for other in rows
        if row["code"] in other["explains"]
        and row["run"] in (None, other["run"])
        and other["measure"] in (None, row["measure"])
    ]
    if not explained or not row["topics"]:
        return False
    return not (row["here"] & ~np.any(explained, axis=0)).any()


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


def check_present(systems: Iterable[System], n_topics: int) -> None:
    """Raise `AbsentRunError` if a run answers no judged topic, or none of its documents is
    judged.
    """
    for system in systems:
        if system.is_absent:
            raise AbsentRunError(system.absence(n_topics), run=system.name)
