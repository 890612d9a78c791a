"""Our measures as a provider of ir_measures: align once, run the kernels, hand the values over."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from ir_measures import providers
from ir_measures.measures.base import SumAgg
from ir_measures.util import CalcResults, Metric

from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats
from irpref.judged.align import judge
from irpref.judged.inputs import is_missing
from irpref.judged.pool import Pool
from irpref.judged.recent import recent_pool
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import arguments_of, hosted, supports
from irpref.measures.names import parse_all
from irpref.measures.support import check_supported
from irpref.messages import ScaleWarning, warn_user

Task = Callable[[JudgedRun], Floats]


def _columns_of(measure: KernelMeasure) -> dict[str, str]:
    """Columns of the qrels that a measure reads: parameter by column name."""
    wanted = [parameter for parameter, spec in measure.SUPPORTED_PARAMS.items() if spec.column is not None]
    arguments = measure.arguments() if wanted else {}
    return {arguments[parameter]: parameter for parameter in wanted if isinstance(arguments[parameter], str)}


def columns_for(measures: Iterable[KernelMeasure]) -> tuple[str, ...]:
    """Columns of the qrels that some measures read."""
    return tuple(dict.fromkeys(name for measure in measures for name in _columns_of(measure)))


def _known(column: Any, pool: Pool, name: str) -> Bools:
    """A column of truth values; a missing value means not known."""
    if column.dtype == bool:
        return column
    values = column.tolist()
    for row, value in enumerate(values):
        if isinstance(value, str):
            raise ValueError(
                f"qrels: column {name!r} of topic {pool.topic_ids[int(pool.judged.topic[row])]!r}, document "
                f"{pool.doc_ids[row]!r} is the text {value!r}, expected True or False (or 1 and 0)"
            )
    return np.array([not is_missing(value) and bool(value) for value in values], dtype=bool)


def _expected(column: Any, pool: Pool, name: str) -> Floats:
    """A column with one number a topic, on every row of the topic."""
    values = np.full(pool.grade.size, np.nan)
    text: set[int] = set()
    for row, value in enumerate(column.tolist()):
        try:
            values[row] = np.nan if is_missing(value) else float(value)
        except (TypeError, ValueError):
            text.add(int(pool.judged.topic[row]))
    given = ~np.isnan(values)
    high = pool.judged.maximum(np.where(given, values, -np.inf), -np.inf)
    low = -pool.judged.maximum(np.where(given, -values, -np.inf), -np.inf)
    bad = (pool.judged.lengths > 0) & ~((low == high) & (high >= 1) & (high < np.inf))
    bad[list(text)] = True
    if bad.any():
        t = int(np.argmax(bad))
        rows = slice(int(pool.judged.offsets[t]), int(pool.judged.offsets[t + 1]))
        found = [] if t in text else np.unique(values[rows][given[rows]]).tolist()
        raise ValueError(
            f"qrels: column {name!r} of topic {pool.topic_ids[t]!r} must hold one number of at least 1, "
            f"found {', '.join(f'{g:g}' for g in found) or 'none'}"
        )
    return pool.judged.spread(high)


def prepare(measures: Iterable[KernelMeasure], qrels: Any) -> tuple[Pool, dict[KernelMeasure, dict[str, Any]]]:
    """The pool that measures need, and the arguments of their kernels.

    Raises
    ------
    ValueError
        Bad qrels (see `Pool.build`); a column that a measure needs is missing; gains that fall.

    Warns
    -----
    ScaleWarning
        `max_rel` was not given and is taken from these qrels.
    """
    measures = list(measures)
    for measure in measures:
        measure.validate_params()
    columns = {(parameter, name): m for m in measures for name, parameter in _columns_of(m).items()}
    pool = qrels if isinstance(qrels, Pool) else recent_pool(qrels, columns_for(measures))
    for (parameter, name), measure in columns.items():
        if name not in pool.columns:
            raise ValueError(
                f"{measure} needs the column {name!r} of the qrels (found: {', '.join(pool.found)}); "
                "irpref.with_known(qrels, known) adds it, pt.irpref.with_known to frames of PyTerrier"
                if measure.SUPPORTED_PARAMS[parameter].column is bool
                else f"{measure} needs the column {name!r} of the qrels (found: {', '.join(pool.found)}); "
                "irpref.with_known adds columns for known documents, this one holds one number a topic"
            )
        if (parameter, name) not in pool.columns:
            # Beside the column as it was given: another measure may read it as something else.
            clean = _known if measure.SUPPORTED_PARAMS[parameter].column is bool else _expected
            pool.columns[parameter, name] = clean(pool.columns[name], pool, name)
    return pool, {measure: resolve(measure, pool) for measure in measures}


def resolve(measure: KernelMeasure, pool: Pool) -> dict[str, Any]:
    """Arguments of the kernel for this pool, `max_rel` filled in. Raises and warns as `prepare`."""
    arguments = measure.arguments()
    if arguments.get("gains"):
        grades = pool.memo("grades", lambda: np.unique(pool.level_grade).tolist())
        measure.check_gains(grades)
    if "max_rel" in arguments and arguments["max_rel"] is None:
        top = pool.max_gain(arguments["gains"])
        arguments["max_rel"] = top
        near = measure(max_rel=top)
        why = "the highest gain in these qrels" if arguments["gains"] else "the highest grade of these qrels"
        if top == 1 and pool.level_grade.max() < 1:
            why = "since no grade of these qrels is above it"
        warn_user(
            f"{measure}: max_rel is not given, {top:g} was taken, {why}. Other qrels "
            f"(a batch, a fold) may have another: write {near}, or irpref.bind(measures, qrels)",
            ScaleWarning,
        )
    return arguments


class KernelEvaluator(providers.Evaluator):
    """Computes measures for any number of runs against the same qrels.

    Attributes
    ----------
    topic_ids : list of str
        Topics of the qrels: the rows of every result.
    pool : Pool
    """

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        chosen = sorted(set(measures), key=str)
        self.pool, self.tasks = self._prepare(chosen, qrels)
        self.topic_ids = self.pool.topic_ids
        super().__init__(chosen, self.topic_ids)
        # Sorted, so that means do not depend on the order of the rows of the qrels, even in the last bit.
        self._order = sorted(range(len(self.topic_ids)), key=self.topic_ids.__getitem__)

    def _prepare(self, measures: list[Any], qrels: Any) -> tuple[Pool, dict[Any, Task]]:
        """The pool, and what computes each measure."""
        pool, arguments = prepare(measures, qrels)
        return pool, {measure: partial(type(measure).kernel, **arguments[measure]) for measure in measures}

    def judge(self, run: Any) -> JudgedRun:
        """Align a run as the measures need it. Raises as `Pool.judge`."""
        return judge(self.pool, run)

    def values_of(self, judged: JudgedRun) -> dict[Any, Floats]:
        """Values of an aligned run: measure to float array (n_topics,), in the order of its topics."""
        out: dict[Any, Floats] = {measure: np.empty(judged.n_topics) for measure in self.tasks}
        batches = list(judged.batches())

        def fill(batch: tuple[int, int]) -> None:
            # Made here and gone afterwards, with all that the measures share: memory does not grow with the topics.
            some = judged.topics(*batch)
            for measure, values in out.items():
                values[slice(*batch)] = self.tasks[measure](some)

        if len(batches) >= 8 and (os.cpu_count() or 1) > 1:
            # Groups of topics share nothing, and NumPy releases the interpreter's lock; a few are done sooner alone.
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(len(batches), os.cpu_count() or 1, 8)) as threads:
                list(threads.map(fill, batches))
        else:
            for batch in batches:
                fill(batch)
        return out

    def values(self, run: Any) -> dict[Any, Floats]:
        """Values of a run: measure to float array (n_topics,), in the order of `topic_ids`.

        Raises
        ------
        ValueError
            As `Pool.judge`.
        """
        return self.values_of(self.judge(run))

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """One metric for every measure and topic of the qrels, sorted by measure, then topic."""
        # Every topic has a value, so there is nothing for the base class to fill in.
        return self._iter_calc(run)

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        return self._metrics(self.values(run))

    def _metrics(self, values: dict[Any, Floats]) -> Iterator[Metric]:
        ids = [self.topic_ids[t] for t in self._order]
        for measure, of in values.items():
            for query_id, value in zip(ids, of[self._order].tolist(), strict=True):
                yield Metric(query_id=query_id, measure=measure, value=value)

    def means_of(self, values: dict[Any, Floats]) -> dict[Any, float]:
        """Means over the topics (sums, for measures that count), added in the order of `iter_calc`."""
        return {measure: self._aggregate(measure, of) for measure, of in values.items()}

    def _aggregate(self, measure: Any, values: Floats) -> float:
        # cumsum adds one by one as the host's aggregators do: both give the same digits.
        total = float(np.cumsum(values[self._order])[-1])
        return total if isinstance(measure.aggregator(), SumAgg) else total / values.size

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Mean (or sum) over the topics of the qrels by measure."""
        return self.means_of(self.values(run))

    def calc(self, run: Any) -> CalcResults:
        """Means and metrics."""
        values = self.values(run)
        return CalcResults(self.means_of(values), list(self._metrics(values)))


class AcceleratedEvaluator(KernelEvaluator):
    """Computes measures of ours and of the host for any number of runs against the same qrels.

    Attributes
    ----------
    ties : bool
        Whether a run must be aligned with `ties=True` for these measures.
    """

    ties: bool

    def _prepare(self, measures: list[Any], qrels: Any) -> tuple[Pool, dict[Any, Task]]:
        pool, arguments = prepare([m for m in measures if isinstance(m, KernelMeasure)], qrels)
        tasks: dict[Any, Task] = {}
        self.ties = False
        for measure in measures:
            if measure in arguments:
                tasks[measure] = partial(type(measure).kernel, **arguments[measure])
                continue
            found = hosted(measure)
            if found is None:
                raise ValueError(f"{measure} is left to its own provider; irpref.evaluator combines both")
            tasks[measure] = partial(found.kernel, **arguments_of(measure))
            self.ties |= found.ties(measure)
        return pool, tasks

    def judge(self, run: Any) -> JudgedRun:
        """Align a run as the measures need it. Raises as `Pool.judge`."""
        return judge(self.pool, run, ties=self.ties)


class CombinedEvaluator(providers.Evaluator):
    """Measures that this module computes and measures that the host does, in one evaluator.

    Attributes
    ----------
    accelerated : AcceleratedEvaluator
    host : ir_measures.Evaluator
    topic_ids : list of str
    """

    def __init__(self, measures: list[Any], accelerated: AcceleratedEvaluator, host: Any) -> None:
        super().__init__(measures, accelerated.topic_ids)
        self.accelerated = accelerated
        self.host = host
        self.topic_ids = accelerated.topic_ids
        self.pool = accelerated.pool

    def values(self, run: Any) -> dict[Any, Floats]:
        """Values of the measures computed here: measure to float array (n_topics,), as `topic_ids`."""
        return self.accelerated.values(run)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """One metric for every measure and topic: those computed here, then those of the host."""
        run = _readable_twice(run)
        return chain(self.accelerated.iter_calc(run), self.host.iter_calc(_for_host(run)))

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Mean (or sum) over the topics by measure, in the order they were asked for."""
        run = _readable_twice(run)
        found = {**self.accelerated.calc_aggregate(run), **self.host.calc_aggregate(_for_host(run))}
        return {measure: found[measure] for measure in self.measures}

    def calc(self, run: Any) -> CalcResults:
        """Means and metrics."""
        run = _readable_twice(run)
        mine, rest = self.accelerated.calc(run), self.host.calc(_for_host(run))
        means = {**mine.aggregated, **rest.aggregated}  # type: ignore[dict-item]
        return CalcResults({m: means[m] for m in self.measures}, [*mine.per_query, *rest.per_query])


def evaluator(measures: Any, qrels: Any) -> AcceleratedEvaluator | CombinedEvaluator | Any:
    """Prepare measures of any toolkit, as fast as they can be had; ir_measures' pipeline stays as it is.

    Parameters
    ----------
    measures : measures or names, of any toolkit
    qrels : as `ir_measures.calc` takes them, or a polars frame

    Returns
    -------
    ir_measures.Evaluator
        `calc_aggregate(run)`, `iter_calc(run)`, `calc(run)`; and, unless the host computes all of them,
        `values(run)` with what is computed here: measure to float array (n_topics,) in the order of `topic_ids`.

    Examples
    --------
    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> run = {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}}
    >>> evaluator(["AP", "RPref(max_rel=2)", "IPrec@0.5"], qrels).calc_aggregate(run)
    {AP: 0.5833333333333333, RPref(max_rel=2): 0.3333333333333333, IPrec@0.5: 0.6666666666666666}
    """
    import ir_measures

    chosen = parse_all(measures)
    mine = [measure for measure in chosen if supports(measure)]
    rest = [measure for measure in chosen if measure not in mine]
    if not rest:
        return AcceleratedEvaluator(mine, qrels)
    check_supported(rest, ir_measures.DefaultPipeline)
    qrels = _readable_twice(qrels)
    host = ir_measures.DefaultPipeline.evaluator(rest, _for_host(qrels))
    return CombinedEvaluator(chosen, AcceleratedEvaluator(mine, qrels), host) if mine else host


def _readable_twice(data: Any) -> Any:
    return list(data) if isinstance(data, Iterator) else data


def _for_host(data: Any) -> Any:
    """What the host takes: a polars frame as a pandas frame, everything else as it is."""
    if type(data).__module__.partition(".")[0] != "polars":
        return data
    import pandas as pd

    frame = data.collect() if hasattr(data, "collect") else data
    return pd.DataFrame(frame.to_dict(as_series=False))
