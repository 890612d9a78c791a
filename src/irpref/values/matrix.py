"""The matrix that meta-evaluation looks at: systems by topics, for one measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from irpref.arrays.segments import Floats
from irpref.formats.runs import each_run
from irpref.judged.groups import groups_of
from irpref.judged.types import EachRun, Frame, Groups, Qrels
from irpref.measures.declare import MeasureLike
from irpref.messages import about

if TYPE_CHECKING:
    import pandas as pd

# Column names of the long tables we read: ours, and those of `pt.Experiment(perquery=True)`.
_SYSTEM = ("system", "name", "run")
_TOPIC = ("query_id", "qid")


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
    values: ArrayLike
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64, ndmin=2)
        systems, topics = tuple(map(str, self.systems)), tuple(map(str, self.topics))
        if values.shape != (len(systems), len(topics)) or not values.size:
            raise ValueError(
                f"{self.measure}: {len(systems)} systems and {len(topics)} topics need values of that shape "
                f"(at least 1 by 1), got {values.shape}"
            )
        for what, names in (("system", systems), ("topic", topics)):
            if len(set(names)) != len(names):
                twice = next(n for i, n in enumerate(names) if n in names[:i])
                raise ValueError(f"{self.measure}: {what} {twice!r} is there twice")
        if not np.isfinite(values).all():
            s, t = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"{self.measure}: the value of system {systems[s]!r}, topic {topics[t]!r} is {values[s, t]}"
            )
        values.flags.writeable = False
        for name, value in (("systems", systems), ("topics", topics), ("values", values)):
            object.__setattr__(self, name, value)

    @property
    def matrix(self) -> Floats:
        """The values as an array: shape (n_systems, n_topics)."""
        return self.values  # type: ignore[return-value]  # an array since __post_init__

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return len(self.systems)

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topics)

    @property
    def means(self) -> Floats:
        """Mean of each system over the topics: shape (n_systems,)."""
        return self.matrix.mean(axis=1)

    def select(self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> TopicValues:
        """Only these systems and topics, in this order.

        Raises
        ------
        ValueError
            A name is unknown.
        """

        def rows(names: Iterable[str] | None, known: Sequence[str], what: str) -> list[int]:
            if names is None:
                return list(range(len(known)))
            place = {name: i for i, name in enumerate(known)}
            wanted = [str(name) for name in names]
            missing = [name for name in wanted if name not in place]
            if missing:
                raise ValueError(f"{self.measure}: no {what} {missing[0]!r} (there are {', '.join(known[:5])}, ...)")
            return [place[name] for name in wanted]

        s, t = rows(systems, self.systems, "system"), rows(topics, self.topics, "topic")
        return replace(
            self,
            systems=[self.systems[i] for i in s],
            topics=[self.topics[i] for i in t],
            values=self.matrix[np.ix_(s, t)],
        )

    def by_group(self, groups: Groups | None, qrels: Qrels | None = None) -> dict[str, TopicValues]:
        """The values on each group of topics, for what takes values: `stability(of)` of each gives results by group.

        Parameters
        ----------
        groups : mapping of topic to group, path of a file with lines `topic group`, or name of a column of `qrels`
        qrels : judgments, optional
            Needed for the name of a column.

        Raises
        ------
        ValueError
            A topic has no group.

        Examples
        --------
        >>> values = TopicValues("AP", ["a"], ["q1", "q2", "q3"], [[0.5, 0.1, 0.4]])
        >>> {g: of.topics for g, of in values.by_group({"q1": "long", "q2": "short", "q3": "long"}).items()}
        {'long': ('q1', 'q3'), 'short': ('q2',)}
        """
        return _by_group(self, groups, qrels)

    def frame(self) -> pd.DataFrame:
        """The values as a DataFrame, systems down and topics across."""
        import pandas as pd

        return pd.DataFrame(
            self.matrix,
            index=pd.Index(self.systems, name="system"),
            columns=pd.Index(self.topics, name="query_id"),
        )

    @classmethod
    def from_runs(cls, measure: MeasureLike, qrels: Qrels, runs: EachRun) -> TopicValues:
        """Evaluate runs with one measure. For several at once see `topic_values`.

        Parameters
        ----------
        measure : ir_measures measure, or its name
        qrels, runs : as `topic_values` takes them
        """
        (only,) = topic_values([measure], qrels, runs).values()
        return only

    @classmethod
    def from_results(
        cls, results: Mapping[str, Iterable[Any]], measure: MeasureLike | None = None, missing: float | None = None
    ) -> TopicValues:
        """From ir_measures results: for each system, what `iter_calc` yields.

        Parameters
        ----------
        results : mapping of system to iterable of `ir_measures.Metric`, or to `ir_measures.CalcResults`
        measure : measure or name, needed where the results hold several
        missing : value of a topic that a system lacks; None: it is an error

        Raises
        ------
        ValueError
            As `from_frame`.
        """
        rows = [
            (str(system), str(m.query_id), str(m.measure), float(m.value))
            for system, metrics in results.items()
            for m in (getattr(metrics, "per_query", None) or metrics)
        ]
        return _from_rows(rows, None if measure is None else str(measure), missing)

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, measure: MeasureLike | None = None, missing: float | None = None
    ) -> TopicValues:
        """From a long table, such as `pt.Experiment(..., perquery=True)` returns.

        Parameters
        ----------
        frame : DataFrame with columns `name` (or `system`), `qid` (or `query_id`), `measure`, `value`
            Topics without a value (NaN) for any system, as PyTerrier gives those without judgments, are left out.
        measure : measure or name, needed where the table holds several
        missing : value of a topic that a system lacks; None: it is an error

        Raises
        ------
        ValueError
            A column is missing, the measure is not there or not said, a cell is given twice or is missing.
        """
        return _from_rows(_rows_of(frame), None if measure is None else str(measure), missing)

    @classmethod
    def from_csv(
        cls, path: str | Path, measure: MeasureLike | None = None, missing: float | None = None
    ) -> TopicValues:
        """From a CSV of such a table: `perquery.csv`, or the `save_dir` of `pt.Experiment` that holds it."""
        return cls.from_frame(read_values(path), measure, missing)


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """Comparisons of systems that are no differences of two values: a row for each pair, a column for each topic.

    Attributes
    ----------
    measure : str
        How they were compared.
    systems : tuple of str
    topics : tuple of str
    matrix : float array (n_pairs, n_topics), read-only
        Positive where the first of the pair is better; pairs in the order of `numpy.triu_indices(n_systems, 1)`.

    Raises
    ------
    ValueError
        The shape does not fit the names, or a number is NaN or infinite.
    """

    measure: str
    systems: Sequence[str]
    topics: Sequence[str]
    matrix: Floats

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64, ndmin=2)
        systems, topics = tuple(map(str, self.systems)), tuple(map(str, self.topics))
        if matrix.shape != (len(systems) * (len(systems) - 1) // 2, len(topics)):
            raise ValueError(
                f"{self.measure}: {len(systems)} systems and {len(topics)} topics need a row for each pair and a "
                f"column for each topic, got {matrix.shape}"
            )
        if not np.isfinite(matrix).all():
            raise ValueError(f"{self.measure}: a comparison is NaN or infinite")
        matrix.flags.writeable = False
        for name, value in (("systems", systems), ("topics", topics), ("matrix", matrix)):
            object.__setattr__(self, name, value)

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return len(self.systems)

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.topics)

    def select(self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> PairDifferences:
        """Only these systems and topics, in this order. Raises `ValueError` for an unknown name."""
        names = self.systems if systems is None else tuple(map(str, systems))
        chosen = self.topics if topics is None else tuple(map(str, topics))
        for what, known, wanted in (("system", self.systems, names), ("topic", self.topics, chosen)):
            missing = [name for name in wanted if name not in known]
            if missing:
                raise ValueError(f"{self.measure}: no {what} {missing[0]!r} (there are {', '.join(known[:5])}, ...)")
        square = np.zeros((self.n_systems, self.n_systems, self.n_topics))
        first, second = np.triu_indices(self.n_systems, 1)
        square[first, second], square[second, first] = self.matrix, -self.matrix
        rows = [self.systems.index(name) for name in names]
        columns = [self.topics.index(name) for name in chosen]
        matrix = square[np.ix_(rows, rows, columns)][np.triu_indices(len(rows), 1)]
        return replace(self, systems=names, topics=chosen, matrix=matrix)

    def by_group(self, groups: Groups | None, qrels: Qrels | None = None) -> dict[str, PairDifferences]:
        """The comparisons on each group of topics: see `TopicValues.by_group`."""
        return _by_group(self, groups, qrels)


Values = TypeVar("Values", TopicValues, PairDifferences)


def _by_group(of: Values, groups: Groups | None, qrels: Qrels | None) -> dict[str, Values]:
    return {
        str(group): of.select(topics=[topic for topic, here in zip(of.topics, inside.tolist(), strict=True) if here])
        for group, inside in groups_of(groups, qrels, of.topics).items()
    }


# Values of measures, as they are handed to meta-evaluation: also the result of `pt.Experiment(perquery=True)`.
MeasureValues: TypeAlias = TopicValues | Iterable[TopicValues] | Mapping[Any, TopicValues] | Frame


def values_in(data: MeasureValues, measures: Iterable[MeasureLike] = ()) -> list[TopicValues]:
    """Values of measures in what meta-evaluation and pictures are handed.

    Parameters
    ----------
    data : TopicValues, iterable or mapping of them, or the result of `pt.Experiment(perquery=True)` (or 'both')
    measures : measures or names, optional
        Which of those in a result of `pt.Experiment`; all that there are if not given.

    Raises
    ------
    ValueError
        It is none of these, or lacks a measure.
    """
    data = getattr(data, "perquery", data)
    if isinstance(data, TopicValues):
        return [data]
    if hasattr(data, "columns"):
        rows = _rows_of(data)
        names = [str(m) for m in measures] or list(dict.fromkeys(row[2] for row in rows))
        return [_from_rows(rows, name, None) for name in names]
    found = list(data.values() if isinstance(data, Mapping) else data)
    for one in found:
        if not isinstance(one, TopicValues):
            raise ValueError(
                "expected irpref.meta.TopicValues, the result of pt.Experiment(perquery=True), or qrels, runs and "
                f"measures; got {type(one).__name__}"
            )
    return found


def one_of(data: MeasureValues) -> TopicValues:
    """`values_in` where there is one measure. `ValueError` where there are several."""
    found = values_in(data)
    if len(found) != 1:
        names = ", ".join(of.measure for of in found)
        raise ValueError(
            f"expected values of one measure, got {len(found)} ({names}): irpref.meta.TopicValues.from_frame(frame, "
            f"{found[0].measure!r}) takes one of them"
        )
    return found[0]


def _rows_of(frame: pd.DataFrame) -> list[tuple[str, str, str, float]]:
    """System, topic, measure and value, without topics of which no system has a value."""
    columns = [list(frame[name]) for name in _check_columns(frame)]
    rows = [(str(s), str(q), str(m), float(v)) for s, q, m, v in zip(*columns, strict=True)]
    known = {(q, m) for _, q, m, v in rows if v == v}
    return [row for row in rows if row[1:3] in known]


def read_values(path: str | Path) -> pd.DataFrame:
    """Long table of a CSV file, or of `perquery.csv` in a directory; all names are `str`."""
    import pandas as pd

    path = Path(path)
    frame = pd.read_csv(path / "perquery.csv" if path.is_dir() else path, dtype=object, keep_default_na=False)
    _check_columns(frame)
    frame["value"] = frame["value"].astype(float)
    return frame


def _check_columns(frame: pd.DataFrame) -> list[str]:
    """Names of the columns of a long table that hold system, topic, measure and value."""
    columns = []
    for names in (_SYSTEM, _TOPIC, ("measure",), ("value",)):
        found = [name for name in names if name in frame.columns]
        if not found:
            raise ValueError(
                f"the table has no column {' or '.join(map(repr, names))} (found: "
                f"{', '.join(map(str, frame.columns))}); pt.Experiment(perquery=True) returns one"
            )
        columns.append(found[0])
    return columns


def _from_rows(rows: list[tuple[str, str, str, float]], measure: str | None, missing: float | None) -> TopicValues:
    found = list(dict.fromkeys(row[2] for row in rows))
    if measure is None and len(found) == 1:
        measure = found[0]
    if measure not in found:
        asked = "several measures: say which" if measure is None else f"no measure {measure!r}"
        raise ValueError(f"the results hold {asked} (found: {', '.join(found) or 'none'})")
    rows = [row for row in rows if row[2] == measure]
    systems = {name: i for i, name in enumerate(dict.fromkeys(row[0] for row in rows))}
    topics = {name: i for i, name in enumerate(dict.fromkeys(row[1] for row in rows))}
    values = np.full((len(systems), len(topics)), np.nan)
    for system, topic, _, value in rows:
        if not np.isnan(values[systems[system], topics[topic]]):
            raise ValueError(f"{measure}: system {system!r} has two values for topic {topic!r}")
        values[systems[system], topics[topic]] = value
    absent = np.argwhere(np.isnan(values))
    if absent.size and missing is None:
        s, t = absent[0]
        raise ValueError(
            f"{measure}: system {list(systems)[s]!r} has no value for topic {list(topics)[t]!r} "
            f"({len(absent)} values are missing; missing=0 would stand for them)"
        )
    values[np.isnan(values)] = missing
    return TopicValues(measure, list(systems), list(topics), values, higher_is_better(measure))


def higher_is_better(measure: str) -> bool:
    from irpref.measures.names import parse

    try:
        return bool(getattr(parse(measure), "higher_is_better", True))
    except Exception:  # a name that only its own tool knows, such as 'map'
        return True


def topic_values(
    measures: Iterable[MeasureLike], qrels: Qrels, runs: EachRun, *, float32: bool = False, ties: str = "id"
) -> dict[str, TopicValues]:
    """Evaluate runs with measures, ours or built in.

    All measures see the same ranking, trec_eval's: see `irpref.evaluator`.

    Parameters
    ----------
    measures : iterable of ir_measures measures, or their names
    qrels : any form of qrels
    runs : mapping of name to run in any form, list of paths, or iterable of (name, run)
        Each run is read once; an iterable may load them one by one.
    float32, ties : see `irpref.evaluator`

    Returns
    -------
    dict of str to TopicValues
        By name of the measure, over the topics of the qrels; without those that have no value (NaN) in any run.

    Raises
    ------
    ValueError
        There are no runs, or no topic has a value of a measure.
    """
    from irpref.measures.names import parse_all
    from irpref.values.evaluator import evaluator as fastest

    chosen = parse_all(measures)
    evaluator = fastest(chosen, qrels, float32=float32, ties=ties)
    topics = evaluator.topic_ids
    systems: list[str] = []
    values: dict[Any, list[Floats]] = {m: [] for m in chosen}
    several = not isinstance(runs, Mapping) or len(runs) > 1
    for name, run in each_run(runs):
        with about(name, several):
            found = evaluator.values(run)
        systems.append(name)
        for m in chosen:
            values[m].append(found[m])
    if not systems:
        raise ValueError("there are no runs to evaluate")
    out = {}
    for m in chosen:
        of = np.array(values[m])
        there = ~np.isnan(of).all(axis=0)
        if not there.any():
            raise ValueError(f"{m}: no topic has a value")
        names = [topic for topic, keep in zip(topics, there.tolist(), strict=True) if keep]
        out[str(m)] = TopicValues(str(m), systems, names, of[:, there], getattr(m, "higher_is_better", True))
    return out
