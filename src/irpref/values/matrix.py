"""Values of one measure, systems by topics: the input of statistics and meta-evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from ir_measures.measures.base import SumAgg

from irpref.data.run_names import each_run
from irpref.errors import ArgumentError, InputError, MeasureError
from irpref.judged.groups import groups_of
from irpref.judged.inputs import id_text
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.types import EachRun, Frame, Groups, QrelsLike
from irpref.kernel.segments import Bools, Floats, Ints
from irpref.measures.declare import MeasureLike, rises
from irpref.measures.names import parse, parse_all
from irpref.messages import about, check_measures
from irpref.values.evaluator import evaluator as evaluator_for
from irpref.values.means import best_first, magnitude, places

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd

# Column names of the long tables we read: ours, and `pt.Experiment`'s with `perquery=True`.
_COLUMNS = {
    "system": ("system", "name", "run"),
    "topic": ("query_id", "qid", "topic"),
    "measure": ("measure",),
    "value": ("value",),
}


@dataclass(frozen=True, eq=False)
class TopicValues:
    """Values of one measure: a row for each system, a column for each topic.

    Attributes
    ----------
    measure : str
    systems : tuple of str, length n_systems
    topics : tuple of str, length n_topics
    values : float array (n_systems, n_topics), read-only
    higher_is_better : bool
    is_sum : bool
        Whether the measure is a count: its "mean" is the sum over the topics.

    Raises
    ------
    ValueError
        The shape does not fit the names, a name is repeated, or a value is NaN or infinite.

    Examples
    --------
    >>> TopicValues("AP", ["a", "b"], ["q1", "q2"], [[0.5, 0.1], [0.4, 0.3]]).means
    array([0.3 , 0.35])
    """

    measure: str
    systems: Sequence[str]
    topics: Sequence[str]
    values: Floats
    higher_is_better: bool = True
    is_sum: bool = False

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64, order="C", ndmin=2)
        systems, topics = tuple(map(str, self.systems)), tuple(map(id_text, self.topics))
        for what, names in (("system", systems), ("topic", topics)):
            if twice := [name for name, number in Counter(names).items() if number > 1]:
                raise ArgumentError(
                    f"{self.measure}: {what} {twice[0]!r} occurs twice",
                    measure=self.measure,
                    parameter=f"{what}s",
                    value=twice[0],
                )
        if values.shape != (len(systems), len(topics)) or not values.size:
            raise ArgumentError(
                f"{self.measure}: {len(systems)} systems and {len(topics)} topics need values of "
                f"the shape {(len(systems), len(topics))} (at least 1 by 1), got {values.shape}",
                measure=self.measure,
                parameter="values",
            )
        if not np.isfinite(values).all():
            row, t = np.argwhere(~np.isfinite(values))[0]
            raise ArgumentError(
                f"{self.measure}: the value of system {systems[row]!r}, topic {topics[t]!r} is "
                f"{values[row, t]}",
                measure=self.measure,
                parameter="values",
                topic=topics[t],
                value=values[row, t],
            )
        values.flags.writeable = False
        for name, value in (("systems", systems), ("topics", topics), ("values", values)):
            object.__setattr__(self, name, value)

    @property
    def matrix(self) -> Floats:
        """The values: shape (n_systems, n_topics)."""
        return self.values

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return len(self.systems)

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topics)

    def by_group(self, groups: Groups | None, qrels: QrelsLike | None = None) -> dict[str, Self]:
        """Split the values by group of topics, for results by group: call `stability(of)`, for
        example, with each part.

        Parameters
        ----------
        groups : mapping of topic to group, path of a file with lines `topic group`, or name of a
            column of `qrels`
        qrels : judgments, optional
            Needed for the name of a column.

        Raises
        ------
        ValueError
            A topic has no group.

        Examples
        --------
        >>> values = TopicValues("AP", ["a"], ["q1", "q2", "q3"], [[0.5, 0.1, 0.4]])
        >>> groups = values.by_group({"q1": "long", "q2": "short", "q3": "long"})
        >>> {name: part.topics for name, part in groups.items()}
        {'long': ('q1', 'q3'), 'short': ('q2',)}
        """
        return {
            str(group): self.on(inside)
            for group, inside in groups_of(
                groups, None if qrels is None else as_judgments(qrels), self.topics
            ).items()
        }

    def on(self, topics: Bools) -> Self:
        """Keep only the topics that a mask (n_topics,) marks."""
        return replace(
            self, topics=list(compress(self.topics, topics)), values=self.values[:, topics]
        )

    def among(self, topics: Iterable[str]) -> Self:
        """Keep the topics that are among these."""
        wanted = set(topics)
        return self.on(np.array([topic in wanted for topic in self.topics], bool))

    def select(
        self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None
    ) -> TopicValues:
        """Select systems and topics, in the order given.

        Raises
        ------
        ValueError
            A name is unknown.
        """
        rows = self._numbers("system", self.systems, systems)
        columns = self._numbers("topic", self.topics, topics)
        return replace(
            self,
            systems=[self.systems[i] for i in rows],
            topics=[self.topics[i] for i in columns],
            values=self.values[np.ix_(rows, columns)],
        )

    def _numbers(self, what: str, known: Sequence[str], names: Iterable[str] | None) -> list[int]:
        number = {name: i for i, name in enumerate(known)}
        wanted = known if names is None else [id_text(name) for name in names]
        for name in wanted:
            if name not in number:
                raise ArgumentError(
                    f"{self.measure}: no {what} {name!r} (there are {', '.join(known[:5])}, ...)",
                    measure=self.measure,
                    parameter=f"{what}s",
                    value=name,
                )
        return [number[name] for name in wanted]

    @property
    def scale(self) -> int:
        """Factor of a mean over the topics: 1, or the number of topics for measures that count."""
        return self.n_topics if self.is_sum else 1

    @property
    def means(self) -> Floats:
        """Mean (or sum) of each system, with the same digits as the evaluator: shape
        (n_systems,).
        """
        total: Floats = np.cumsum(self.values, axis=1)[:, -1]
        return total if self.is_sum else total / self.n_topics

    @property
    def places(self) -> Ints:
        """Rank of each system, the same for equal means: shape (n_systems,)."""
        return places(self.values.mean(axis=1), magnitude(self.values), self.higher_is_better)

    @property
    def best_first(self) -> Ints:
        """Numbers of the systems, best first, ties broken by name: shape (n_systems,)."""
        return best_first(self.places, self.systems)

    def frame(self) -> pd.DataFrame:
        """Return the values as a DataFrame, systems down and topics across."""
        import pandas as pd

        index = pd.Index(self.systems, name="system")
        return pd.DataFrame(self.values, index, pd.Index(self.topics, name="query_id"))

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, measure: MeasureLike | None = None, missing: float | None = None
    ) -> TopicValues:
        """Read a long table, such as `pt.Experiment(..., perquery=True)` returns.

        Parameters
        ----------
        frame : DataFrame with columns `name` (or `system`), `qid` (or `query_id`), `measure`,
            `value`
            Topics for which no system has a value are left out (PyTerrier gives NaN for topics
            without judgments).
        measure : measure or name, needed if the table holds several
        missing : value of a topic that a system lacks; None: raise an error

        Raises
        ------
        ValueError
            A column is missing; the measure is not in the table, or not given; a value is repeated
            or missing.
        """
        table = long_values(frame)
        measures = list(table["measure"].unique())
        name = (
            str(measure) if measure is not None else str(measures[0]) if len(measures) == 1 else ""
        )
        if name not in measures:
            asked = f"no measure {name!r}" if name else "several measures: say which"
            raise ArgumentError(
                f"the results hold {asked} (found: {', '.join(measures) or 'none'})",
                parameter="measure",
                value=measure,
            )
        table = table[table["measure"] == name]
        given = table.dropna()
        twice = given[given.duplicated(["system", "topic"])]
        if len(twice):
            system, topic = twice.iloc[0][["system", "topic"]]
            raise InputError(
                f"{name}: system {system!r} has two values for topic {topic!r}",
                measure=name,
                topic=topic,
            )
        wide = given.pivot(index="system", columns="topic", values="value")
        wide = wide.reindex(index=table["system"].unique(), columns=table["topic"].unique())
        absent = np.argwhere(wide.isna().to_numpy())
        if absent.size and missing is None:
            system, topic = wide.index[absent[0][0]], wide.columns[absent[0][1]]
            raise InputError(
                f"{name}: system {system!r} has no value for topic {topic!r} "
                f"({len(absent)} values are missing; missing=0 fills them in)",
                measure=name,
                topic=topic,
            )
        if missing is not None:
            wide = wide.fillna(missing)
        return TopicValues(
            name, list(wide.index), list(wide.columns), wide.to_numpy(), higher_is_better(name)
        )


# Values of measures, as meta-evaluation accepts them: also the result of
# `pt.Experiment(perquery=True)`.
MeasureValues: TypeAlias = TopicValues | Iterable[TopicValues] | Mapping[Any, TopicValues] | Frame


def values_in(data: MeasureValues, measures: Iterable[MeasureLike] = ()) -> list[TopicValues]:
    """Return the values of each measure, from any form that meta-evaluation and plots accept.

    Parameters
    ----------
    data : TopicValues, iterable or mapping of `TopicValues`, or the result of
        `pt.Experiment(perquery=True)` (or 'both')
    measures : measures or names, optional
        Measures to take from a result of `pt.Experiment`; all if not given.

    Raises
    ------
    ValueError
        `data` has none of these forms, or lacks a measure.
    """
    data = getattr(data, "perquery", data)
    if isinstance(data, TopicValues):
        return [data]
    if hasattr(data, "columns"):
        names = [str(m) for m in measures] or list(long_values(data)["measure"].unique())
        return [TopicValues.from_frame(data, name) for name in names]
    tables = list(data.values() if isinstance(data, Mapping) else data)
    for one in tables:
        if not isinstance(one, TopicValues):
            raise ArgumentError(
                "expected irpref_lab.meta.TopicValues, the result of pt.Experiment(perquery=True), "
                f"or qrels, runs and measures; got {type(one).__name__}",
                parameter="data",
            )
    return tables


def long_values(frame: pd.DataFrame) -> pd.DataFrame:
    """Return system, topic, measure and value, without topics for which no system has a value.
    Names become `str`.
    """
    import pandas as pd

    present = {
        wanted: [name for name in names if name in frame.columns]
        for wanted, names in _COLUMNS.items()
    }
    for wanted, names in _COLUMNS.items():
        if not present[wanted]:
            raise InputError(
                f"the table has no column {' or '.join(map(repr, names))} (found: "
                f"{', '.join(map(str, frame.columns))}); pt.Experiment(perquery=True) returns one",
                column=wanted,
            )
    table = pd.DataFrame(
        {wanted: list(map(id_text, frame[names[0]])) for wanted, names in present.items()},
        dtype=object,
    )
    numbers = frame[present["value"][0]]
    # "" is NaN in a CSV file.
    table["value"] = numbers.where(numbers != "", np.nan).to_numpy(dtype=np.float64)
    return table[table.groupby(["topic", "measure"])["value"].transform("count") > 0]


def higher_is_better(measure: str) -> bool:
    """Look up by its name whether higher values of a measure are better; True if we do not know the
    name.
    """
    try:
        return rises(parse(measure))
    except Exception:  # such as 'map'
        return True


def evaluated(
    measures: MeasureLike | Iterable[MeasureLike],
    qrels: Judgments,
    runs: EachRun,
) -> list[TopicValues]:
    """Evaluate runs with measures of any toolkit: the values of each measure, in the order given.

    The topics of the qrels are in ascending order of id, so that samples and sums do not
    depend on the order of the qrels. Topics that have no value (NaN) in any run are left out.
    """
    chosen = parse_all(measures)
    check_measures(chosen, "an evaluation")
    evaluator = evaluator_for(chosen, qrels)
    topics = [evaluator.topic_ids[t] for t in evaluator.by_id]
    systems: list[str] = []
    values: dict[Any, list[Floats]] = {m: [] for m in chosen}
    several = not isinstance(runs, Mapping) or len(runs) > 1
    for name, run in each_run(runs):
        with about(name, several):
            by_measure = evaluator.values(run)
        systems.append(name)
        for m in chosen:
            values[m].append(by_measure[m][evaluator.by_id])
    if not systems:
        raise ArgumentError("there are no runs to evaluate", parameter="runs")
    out = []
    for m in chosen:
        matrix = np.array(values[m])
        there = ~np.isnan(matrix).all(axis=0)
        if not there.any():
            raise MeasureError(f"{m}: no topic has a value", measure=str(m))
        direction, counts = rises(m), isinstance(m.aggregator(), SumAgg)
        out.append(
            TopicValues(
                str(m), systems, list(compress(topics, there)), matrix[:, there], direction, counts
            )
        )
    return out
