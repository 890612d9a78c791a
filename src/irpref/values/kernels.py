"""The evaluator of measures that have a kernel: align a run once, run the kernels, return values by
topic.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.measures.base import SumAgg
from ir_measures.util import CalcResults, Metric

from irpref.errors import MeasureError
from irpref.judged.align import align_tables
from irpref.judged.inputs import rereadable, run_tables
from irpref.judged.judgments import Judgments
from irpref.judged.pool import Pool
from irpref.judged.run import Run, align_run
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats
from irpref.measures.declare import KernelMeasure, arguments_of
from irpref.measures.everyday import hosted
from irpref.messages import about, is_named
from irpref.values.prepare import check_graded, note_degenerate, prepare

if TYPE_CHECKING:
    from irpref.judged.types import RunLike

Task = Callable[[JudgedRun], Floats]
Scored: TypeAlias = tuple[dict[Measure, Floats], list[Metric], set[tuple[Measure, str]]]


class ByTopic(providers.Evaluator):
    """An evaluator with a value for each measure and topic of the qrels.

    Attributes
    ----------
    topic_ids : list of str
        Topics of the qrels, in the order of every result.
    by_id : list of int
        Numbers of the topics by ascending id: the order in which means add them, so that not even
        the last bit depends on the order of the rows of the qrels.
    kernels : KernelEvaluator or None
        Computes the measures that have a kernel. None if none has, and documents are judged several
        times (by subtopic, say).
    pool : Pool or None
        Of `kernels`.
    rest : list of Measure
        The measures that are left to their own providers.
    """

    pool: Pool | None
    rest: list[Measure]

    def __init__(self, measures: list[Measure], topic_ids: list[str]) -> None:
        super().__init__(measures, topic_ids)
        self.topic_ids = topic_ids
        self.by_id = sorted(range(len(topic_ids)), key=topic_ids.__getitem__)

    def values(self, run: RunLike) -> dict[Measure, Floats]:
        """Compute the values of a run: measure to float array (n_topics,), in the order of
        `topic_ids`.
        """
        raise NotImplementedError

    def scored(self, judged: JudgedRun | None, run: Any) -> Scored:
        """Compute the values of a run that is already aligned; `rest` needs the run itself.

        Returns
        -------
        dict of Measure to float array (n_topics,)
            Values of all measures, in the order of `topic_ids`.
        list of Metric
            The metrics that other providers returned, in their order.
        set of (Measure, str)
            Measures and topics for which they returned nothing.
        """
        raise NotImplementedError

    def iter_calc(self, run: RunLike) -> Iterator[Metric]:
        """Yield one metric for every measure and topic of the qrels: by measure, in the order asked
        for, then by topic.
        """
        # Every topic has a value already, so skip the filling in of defaults by the base class.
        return iter(self.calc(run).per_query)

    def _metrics(self, values: dict[Measure, Floats]) -> Iterator[Metric]:
        ids = [self.topic_ids[t] for t in self.by_id]
        for measure, by_topic in values.items():
            for query_id, value in zip(ids, by_topic[self.by_id].tolist(), strict=True):
                yield Metric(query_id=query_id, measure=measure, value=value)

    def means_of(self, values: dict[Measure, Floats]) -> dict[Measure, float]:
        """Compute means (or sums) over the topics that have a value, added in the order of
        `iter_calc`.
        """
        return {
            measure: mean_of(measure, by_topic[self.by_id]) for measure, by_topic in values.items()
        }

    def calc_aggregate(self, run: RunLike) -> dict[Measure, float]:
        """Mean (or sum) over the topics of the qrels by measure."""
        return self.means_of(self.values(run))

    def calc(self, run: RunLike) -> CalcResults:
        """Compute means and metrics."""
        values = self.values(run)
        means: Any = self.means_of(values)
        return CalcResults(means, list(self._metrics(values)))


class KernelEvaluator(ByTopic):
    """Computes measures of irpref, and everyday ones of the host, for any number of runs with the
    same qrels.

    Parameters
    ----------
    measures : measures of irpref, or everyday ones of the host
        All results list them in this order, each once.
    qrels : Judgments, or their Pool

    Attributes
    ----------
    ties : bool
        Whether a run must be aligned with `ties=True` for these measures.

    Raises
    ------
    ValueError
        As `prepare`; a measure that only its own provider computes.
    """

    pool: Pool

    def __init__(self, measures: Iterable[Measure], qrels: Judgments | Pool) -> None:
        chosen = list(dict.fromkeys(measures))
        self.rest = []
        self.ties = any(
            isinstance(measure, KernelMeasure) and measure.TIES_BY_RISING_ID for measure in chosen
        )
        self.pool, arguments = prepare([m for m in chosen if isinstance(m, KernelMeasure)], qrels)
        check_graded(self.pool, [measure for measure in chosen if measure not in arguments])
        self.tasks: dict[Measure, Task] = {}
        for measure in chosen:
            if isinstance(measure, KernelMeasure):
                self.tasks[measure] = partial(type(measure).kernel, **arguments[measure])
                continue
            everyday = hosted(measure)
            if everyday is None:
                raise MeasureError(
                    f"{measure} is computed by another provider; irpref.evaluator combines both",
                    measure=str(measure),
                )
            note_degenerate(measure, self.pool)
            self.tasks[measure] = partial(everyday.kernel, **arguments_of(measure))
        super().__init__(chosen, self.pool.topic_ids)

    def align(self, run: RunLike) -> JudgedRun:
        """Align a run as the measures need it: a `Run` as `irpref.judged.run.align_run`, which also
        says what it raises; any other while it is read.
        """
        path = path_of(run)
        data = run if path is None else rereadable(run)  # an error of the reader names the file
        with about(path):
            if isinstance(data, Run):
                return align_run(self.pool, data, ties=self.ties)
            tables = run_tables(data, self.pool.topic_of)
            return align_tables(self.pool, tables, ties=self.ties).run

    @property
    def kernels(self) -> KernelEvaluator:
        """The evaluator itself: all of its measures have kernels."""
        return self

    def scored(self, judged: JudgedRun | None, run: Any = None) -> Scored:
        """Compute the values of a run that is already aligned."""
        assert judged is not None
        return self.values_of(judged), [], set()

    def values_of(self, judged: JudgedRun) -> dict[Measure, Floats]:
        """Compute the values of an aligned run: measure to float array (n_topics,), in the order of
        its topics.
        """
        out: dict[Measure, Floats] = {measure: np.empty(judged.n_topics) for measure in self.tasks}
        batches = list(judged.batches())

        def fill(batch: tuple[int, int]) -> None:
            # A view of this batch alone: it and all that the measures share are freed afterwards,
            # so that memory does not grow with the number of topics.
            part = judged.topics(*batch)
            for measure, values in out.items():
                values[slice(*batch)] = self.tasks[measure](part)

        if len(batches) >= 4 and (os.cpu_count() or 1) > 1:
            # Batches are independent, and NumPy releases the GIL; for a few batches threads do not
            # pay.
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(len(batches), os.cpu_count() or 1, 8)) as threads:
                list(threads.map(fill, batches))
        else:
            for batch in batches:
                fill(batch)
        return out

    def values(self, run: RunLike) -> dict[Measure, Floats]:
        """Compute the values of a run: measure to float array (n_topics,), in the order of
        `topic_ids`.

        Raises
        ------
        ValueError
            As `align_run`.
        """
        return self.values_of(self.align(run))


def path_of(run: RunLike) -> str | None:
    """Return the path of a run, to be named in errors and warnings; None if it has a name
    already.
    """
    return None if is_named() or not isinstance(run, (str, os.PathLike)) else os.fspath(run)


def mean_of(measure: Measure, values: Floats) -> float:
    """Mean (or sum) of values over topics, added in their order, without NaN."""
    there = values[~np.isnan(values)]
    if not there.size:
        return float("nan")
    # cumsum adds one by one, as the host's aggregators do, so that both give the same digits.
    total = float(np.cumsum(there)[-1])
    return total if isinstance(measure.aggregator(), SumAgg) else total / there.size
