"""`irpref.evaluator` and `irpref.score`: measures of any toolkit, computed by kernels where there
are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures.measures import Measure
from ir_measures.util import CalcResults

from irpref.errors import ArgumentError, ConflictError, MeasureError
from irpref.judged.inputs import rereadable
from irpref.judged.judgments import Judgments, as_judgments
from irpref.judged.pool import Pool
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Floats
from irpref.measures.declare import KernelMeasure, MeasureLike, Measures
from irpref.measures.everyday import has_kernel, supports, with_rel
from irpref.measures.names import parse, parse_all
from irpref.measures.support import check_judgments, check_supported, of_host, provider_of
from irpref.messages import about
from irpref.values.kernels import ByTopic, KernelEvaluator, Scored, path_of
from irpref.values.prepare import check_graded, columns_for

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from irpref.judged.types import QrelsLike, RunLike


class CombinedEvaluator(ByTopic):
    """Evaluates measures that this package computes together with measures of other providers.

    Parameters
    ----------
    measures : list of measures, in the order of results
    rest : the part of `measures` that is left to their own providers
    qrels : Judgments
    source : provider of ir_measures, optional
        Computes `rest`, from the run as it is: ir_measures' pipeline if not given.
    latest : Judgments, optional
        The judgments that the other measures use in place of `qrels`, which may judge documents
        several times.

    Attributes
    ----------
    conflict : ConflictError or None
        The error for such judgments.
    leaves_out : bool
        Whether means leave out topics that a provider leaves out.
    """

    def __init__(
        self,
        measures: list[Measure],
        rest: list[Measure],
        qrels: Judgments,
        source: Any = None,
        latest: Judgments | None = None,
    ) -> None:
        import ir_measures

        with of_host(rest):
            check_supported(rest, source or ir_measures.DefaultPipeline, with_rel)
        mine = [measure for measure in measures if measure not in rest]
        self.kernels: KernelEvaluator | None = None
        self.pool = None
        self.conflict: ConflictError | None = None
        try:
            self.kernels = KernelEvaluator(mine, latest or qrels)
        except ConflictError as error:
            if mine:
                raise
            self.conflict = error
            super().__init__(measures, qrels.topic_ids)
        else:
            self.pool = self.kernels.pool
            super().__init__(measures, self.pool.topic_ids)
            if rest:
                check_graded(self.pool, rest)
        if rest:
            with of_host(rest):
                check_judgments(rest, self.topic_ids, np.unique(qrels.table.value)[::-1])
        self.rest = rest
        self.leaves_out = False
        if not rest:
            return
        from irpref.values.others import Others

        # The host does so only if all measures have the same provider; otherwise it fills in the
        # default.
        self.leaves_out = not mine and (source is not None or len(set(map(provider_of, rest))) == 1)
        self._others = Others(rest, qrels, source)

    def values(self, run: RunLike) -> dict[Measure, Floats]:
        """Compute the values of all measures: measure to float array (n_topics,), in the order of
        `topic_ids`.
        """
        return self.scored(*self._aligned(run))[0]

    def _aligned(self, run: RunLike) -> tuple[JudgedRun | None, Any]:
        """Return the run judged, and in a form that can be read again."""
        data = rereadable(run)
        with about(path_of(run)):
            return self.kernels.align(data) if self.kernels else None, data

    def scored(self, judged: JudgedRun | None, run: Any) -> Scored:
        """Compute the values of a run that is already aligned.

        Means leave out topics for which a provider returned nothing if `leaves_out`, else their
        values are the defaults.
        """
        values = self.kernels.values_of(judged) if self.kernels and judged is not None else {}
        if not self.rest:
            return values, [], set()
        others, metrics, lacking = self._others.values(run, self.topic_ids)
        values.update(others)
        return {measure: values[measure] for measure in self.measures}, metrics, lacking

    def calc_aggregate(self, run: RunLike) -> dict[Measure, float]:
        """Mean (or sum) over the topics by measure, in the order they were asked for."""
        return self.calc(run).aggregated  # type: ignore[return-value]

    def calc(self, run: RunLike) -> CalcResults:
        """Compute means and metrics."""
        values, _, lacking = self.scored(*self._aligned(run))
        metrics = list(self._metrics(values))
        if self.leaves_out:
            metrics = [
                metric for metric in metrics if (metric.measure, metric.query_id) not in lacking
            ]
        means: Any = {measure: measure.aggregator() for measure in self.measures}
        for metric in metrics:
            means[metric.measure].add(metric.value)
        return CalcResults({measure: mean.result() for measure, mean in means.items()}, metrics)


def evaluator(measures: Measures, qrels: QrelsLike) -> KernelEvaluator | CombinedEvaluator:
    """Evaluate runs with measures of any toolkit, without changing the pipeline of ir_measures.

    Parameters
    ----------
    measures : measures or names, of any toolkit
        Results list them in this order, each once.
    qrels : any form of qrels
        Frame of pandas or polars (eager or lazy) with the column names of ir_measures or PyTerrier,
        dict of dicts, iterable of namedtuples, path of a file, id or object of an ir_datasets
        dataset, or the result of `irpref.judgments`.

    Returns
    -------
    ir_measures.Evaluator
        With `calc_aggregate(run)`, `iter_calc(run)`, `calc(run)`, and `values(run)`, which maps
        each measure to a float array (n_topics,) in the order of `topic_ids`. A run can have any of
        these forms, too. All measures rank its documents as trec_eval does: by score as a 64-bit
        float, ties broken by document id, descending. For another order, pass the result of
        `irpref.run`.

    Warns
    -----
    ScaleWarning, RangeWarning, DegenerateWarning
        Once for each measure that needs more than these qrels contain: see `irpref.errors`.

    Examples
    --------
    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> run = {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}}
    >>> evaluator(["AP", "RPref(max_rel=2)", "IPrec@0.5"], qrels).calc_aggregate(run)
    {AP: 0.5833333333333333, RPref(max_rel=2): 0.3333333333333333, IPrec@0.5: 0.6666666666666666}
    """
    chosen, read = parse_all(measures), as_judgments(qrels)
    rest = [measure for measure in chosen if not has_kernel(measure)]
    return CombinedEvaluator(chosen, rest, read) if rest else KernelEvaluator(chosen, read)


def score(measure: MeasureLike, grades: ArrayLike, scores: ArrayLike) -> Floats:
    """Compute a measure from arrays, with a row for each topic and a column for each document.

    Parameters
    ----------
    measure : measure or name
        A measure of irpref, or an everyday measure of ir_measures.
    grades : array (n_topics, n_docs)
        NaN, or masked: the document is unjudged in this topic.
    scores : array (n_topics, n_docs)
        NaN, or masked: the document was not retrieved. If scores are equal, the later column is
        ranked first, as if columns were in ascending order of ids.

    Returns
    -------
    float array (n_topics,)
        NaN for a topic without judgments.

    Raises
    ------
    ValueError
        The shapes differ; a grade or score is infinite; another provider computes the measure; the
        measure reads another column of the qrels.

    Warns
    -----
    ScaleWarning
        `max_rel` was not given; the highest of these grades was taken.

    Examples
    --------
    >>> nan = float("nan")
    >>> score("AP", [[1, 0, 1], [nan, nan, nan]], [[0.2, 0.9, nan], [1, 2, 3]])
    array([0.25,  nan])
    """
    from irpref.judged.arrays import align_arrays

    chosen = parse(measure)
    grade, given = _matrix(grades, "grades"), _matrix(scores, "scores")
    if grade.shape != given.shape:
        raise ArgumentError(
            f"grades have the shape {grade.shape}, scores {given.shape}: expected the same",
            parameter="scores",
        )
    if not supports(chosen):
        raise MeasureError(
            f"{chosen} is computed by another provider, which does not take arrays",
            measure=str(chosen),
        )
    columns = columns_for([chosen] if isinstance(chosen, KernelMeasure) else [])
    if columns:
        raise MeasureError(
            f"{chosen} reads the column {columns[0]!r} of the qrels, which arrays do not have: "
            "irpref.evaluator takes qrels",
            measure=str(chosen),
            column=columns[0],
        )
    judged = align_arrays(grade, given)
    if judged is None:
        return np.full(grade.shape[0], np.nan)
    assert isinstance(judged.pool, Pool)
    values = KernelEvaluator([chosen], judged.pool).values_of(judged)[chosen]
    return np.where(judged.pool.judged.lengths > 0, values, np.nan)


def _matrix(values: ArrayLike, name: str) -> Floats:
    """Return the values as a matrix of doubles. Raise `ValueError` if a value is infinite."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.asarray(values, np.float64).filled(np.nan)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ArgumentError(
            f"{name}: expected numbers of the shape (n_topics, n_docs), got rows of different "
            "lengths: fill them with NaN",
            parameter=name,
        ) from None
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise ArgumentError(
            f"{name}: expected numbers of the shape (n_topics, n_docs), got {array.dtype} "
            f"{array.shape}",
            parameter=name,
        )
    array = array.astype(np.float64)
    if np.isinf(array).any():
        t, d = np.argwhere(np.isinf(array))[0].tolist()
        raise ArgumentError(f"{name}[{t}, {d}] is {array[t, d]}", parameter=name, value=array[t, d])
    return array
