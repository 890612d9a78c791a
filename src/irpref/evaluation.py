"""Our measures as a provider of ir_measures: align once, run the kernels, hand the values over."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.measures.base import SumAgg
from ir_measures.util import CalcResults, Metric

from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Floats, all_whole
from irpref.formats.columns import Table, as_list
from irpref.judged.align import differing_topics, judge
from irpref.judged.inputs import as_frame, as_table, column_names, group, is_missing, opened, str_list
from irpref.judged.order import TREC, Alignment, rounded
from irpref.judged.pool import FILLED, SOURCE, ConflictError, Pool
from irpref.judged.recent import recent_pool
from irpref.measures.declare import KernelMeasure, MeasureLike, Measures, needs
from irpref.measures.degenerate import is_degenerate, warn_degenerate
from irpref.measures.everyday import arguments_of, hosted, in_32_bits, supports
from irpref.measures.names import parse, parse_all
from irpref.measures.support import check_judgments, check_supported, of_host
from irpref.messages import (
    RangeWarning,
    ScaleWarning,
    TieWarning,
    about,
    is_named,
    on_command_line,
    our_name,
    warn_user,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from irpref.judged.types import Qrels, Run

Task = Callable[[JudgedRun], Floats]


def _columns_of(measure: KernelMeasure) -> dict[str, str]:
    """Columns of the qrels that a measure reads: parameter by column name."""
    wanted = [parameter for parameter, spec in measure.SUPPORTED_PARAMS.items() if spec.column is not None]
    arguments = measure.arguments() if wanted else {}
    return {arguments[parameter]: parameter for parameter in wanted if isinstance(arguments[parameter], str)}


def columns_for(measures: Iterable[Measure]) -> tuple[str, ...]:
    """Columns of the qrels that some measures read, beyond those that all do."""
    ours = (measure for measure in measures if isinstance(measure, KernelMeasure))
    return tuple(dict.fromkeys(name for measure in ours for name in _columns_of(measure)))


def _known(column: NDArray[Any], pool: Pool, name: str) -> Bools:
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


def _expected(column: NDArray[Any], pool: Pool, name: str) -> Floats:
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


def check_graded(pool: Pool, measures: Iterable[Measure]) -> None:
    """`ValueError` where measures need one grade a document and the judgments are preferences without."""
    for measure in measures:
        if not pool.graded and str(measure.NAME) not in ("Judged", "NumQ"):  # these ask whether there is a judgment
            raise ConflictError(
                f"{measure} needs one grade a document, and these preferences put a document on several levels: "
                "evaluate it against qrels"
            )


def prepare(measures: Iterable[KernelMeasure], qrels: Qrels | Pool) -> tuple[Pool, dict[KernelMeasure, dict[str, Any]]]:
    """The pool that measures need, and the arguments of their kernels.

    Raises
    ------
    ValueError
        Bad qrels (see `Pool.build`); a column that a measure needs is missing; gains that fall.

    Warns
    -----
    ScaleWarning
        `max_rel` was not given and is taken from these qrels.
    RangeWarning
        On these judgments a measure leaves its usual range (nCRP, with negative grades).
    DegenerateWarning
        No document is judged non-relevant, and a measure of the bpref family needs such documents.
    """
    measures = list(measures)
    for measure in measures:
        measure.validate_params()
    columns = {(parameter, name): m for m in measures for name, parameter in _columns_of(m).items()}
    wanted = [measure for measure in measures if "preferences" in measure.NEEDS]
    pool = qrels if isinstance(qrels, Pool) else recent_pool(qrels, columns_for(measures), bool(wanted))
    check_graded(pool, [measure for measure in measures if measure not in wanted])
    for (parameter, name), measure in columns.items():
        if name not in pool.columns:
            raise ValueError(
                f"{measure} needs the column {name!r} of the qrels (found: {', '.join(pool.found)}); "
                f"{our_name()}.with_known(qrels, known) adds it"
                if measure.SUPPORTED_PARAMS[parameter].column is bool
                else f"{measure} needs the column {name!r} of the qrels (found: {', '.join(pool.found)}); "
                "it holds one number a topic"
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
        grades = pool.memo(resolve, lambda: np.unique(pool.level_grade).tolist())
        measure.check_gains(grades)
    note_degenerate(measure, pool)
    caution = measure.caution(pool.level_grade)
    if caution:
        warn_user(f"{measure}: {caution}", RangeWarning, once=str(measure))
    if "max_rel" in arguments and arguments["max_rel"] is None:
        top = pool.max_gain(arguments.get("gains"))
        arguments["max_rel"] = top
        near = measure(max_rel=top)
        why = "the highest gain in these qrels" if arguments.get("gains") else "the highest grade of these qrels"
        if top == 1 and pool.level_grade.max() < 1:
            why = "since no grade of these qrels is above it"
        warn_user(
            f"{measure}: max_rel is not given, {top:g} was taken, {why}. Other qrels "
            f"(a batch, a fold) may have another: write {near}"
            + ("" if on_command_line() else f", or {our_name()}.bind(measures, qrels)"),
            ScaleWarning,
            once=str(measure),
        )
    filled = pool.memo(_low_filled, lambda: _low_filled(pool)) if measure.COUNTS else ()
    if filled:
        arguments["gains"] = tuple(sorted({**dict(arguments["gains"] or ()), **dict.fromkeys(filled, 0.0)}.items()))
    return arguments


def _low_filled(pool: Pool) -> tuple[float, ...]:
    """Grades that only a judge gave, below the lowest positive human one: these documents hardly are relevant."""
    if SOURCE not in pool.columns:
        return ()
    filled = pool.columns[SOURCE] == FILLED
    human = pool.grade[~filled]
    least = human[human > 0].min(initial=np.inf)
    low = np.unique(pool.grade[filled & (pool.grade > 0) & (pool.grade < least)])
    return tuple(np.setdiff1d(low, human).tolist()) if np.isfinite(least) else ()


def note_degenerate(measure: Measure, pool: Pool) -> None:
    """Warn where these judgments leave a measure, also one of the host, nothing to tell apart."""
    if "nonrelevant" not in needs(measure):
        return
    # Looked up for each system, and for each batch of one.
    if pool.memo((note_degenerate, measure), lambda: is_degenerate(measure, pool)):
        warn_degenerate(measure, pool.level_grade.tolist())


class ByTopic(providers.Evaluator):
    """An evaluator that has a value for each measure and topic of the qrels.

    Attributes
    ----------
    topic_ids : list of str
        Topics of the qrels: the rows of every result.
    """

    def __init__(self, measures: list[Measure], topic_ids: list[str]) -> None:
        super().__init__(measures, topic_ids)
        self.topic_ids = topic_ids
        # Sorted, so that means do not depend on the order of the rows of the qrels, even in the last bit.
        self._order = sorted(range(len(topic_ids)), key=topic_ids.__getitem__)

    def values(self, run: Run) -> dict[Measure, Floats]:
        """Values of a run: measure to float array (n_topics,), in the order of `topic_ids`."""
        raise NotImplementedError

    def iter_calc(self, run: Run) -> Iterator[Metric]:
        """One metric for every measure and topic of the qrels, sorted by measure, then topic."""
        # Every topic has a value, so there is nothing for the base class to fill in.
        return self._iter_calc(run)

    def _iter_calc(self, run: Run) -> Iterator[Metric]:
        return self._metrics(self.values(run))

    def _metrics(self, values: dict[Measure, Floats]) -> Iterator[Metric]:
        ids = [self.topic_ids[t] for t in self._order]
        for measure, of in values.items():
            for query_id, value in zip(ids, of[self._order].tolist(), strict=True):
                yield Metric(query_id=query_id, measure=measure, value=value)

    def means_of(self, values: dict[Measure, Floats]) -> dict[Measure, float]:
        """Means (or sums) over the topics that have a value, added in the order of `iter_calc`."""
        return {measure: self._aggregate(measure, of) for measure, of in values.items()}

    def _aggregate(self, measure: Measure, values: Floats) -> float:
        there = values[self._order]
        there = there[~np.isnan(there)]
        if not there.size:
            return float("nan")
        # cumsum adds one by one as the host's aggregators do: both give the same digits.
        total = float(np.cumsum(there)[-1])
        return total if isinstance(measure.aggregator(), SumAgg) else total / there.size

    def calc_aggregate(self, run: Run) -> dict[Measure, float]:
        """Mean (or sum) over the topics of the qrels by measure."""
        return self.means_of(self.values(run))

    def calc(self, run: Run) -> CalcResults:
        """Means and metrics."""
        values = self.values(run)
        means: Any = self.means_of(values)
        return CalcResults(means, list(self._metrics(values)))


class KernelEvaluator(ByTopic):
    """Computes measures of ours, and everyday ones of the host, for any number of runs against the same qrels.

    Parameters
    ----------
    measures : measures of ours, or everyday ones of the host
    qrels : any form of qrels
    alignment : Alignment
        How documents are ranked.

    Attributes
    ----------
    pool : Pool
    ties : bool
        Whether a run must be aligned with `ties=True` for these measures.
    in_host : bool
        Whether it is ir_measures or PyTerrier that asks.
    short : set of measures
        Those whose values pytrec_eval would take from scores in 32 bits.
    single : bool
        Whether a run must be aligned with `single=True`.

    Raises
    ------
    ValueError
        As `prepare`; a measure is left to its own provider.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Qrels | Pool, alignment: Alignment = TREC) -> None:
        chosen = sorted(set(measures), key=str)
        self.alignment = alignment
        self.in_host = False
        self.ties = any(isinstance(measure, KernelMeasure) and measure.TIES_BY_RISING_ID for measure in chosen)
        self.pool, arguments = prepare([m for m in chosen if isinstance(m, KernelMeasure)], qrels)
        check_graded(self.pool, [measure for measure in chosen if measure not in arguments])
        self.short: set[Measure] = set()
        self.tasks: dict[Measure, Task] = {}
        for measure in chosen:
            if isinstance(measure, KernelMeasure):
                self.tasks[measure] = partial(type(measure).kernel, **arguments[measure])
                continue
            found = hosted(measure)
            if found is None:
                raise ValueError(f"{measure} is left to its own provider; irpref.evaluator combines both")
            note_degenerate(measure, self.pool)
            self.tasks[measure] = partial(found.kernel, **arguments_of(measure))
            self.ties |= found.ties(measure)
            if in_32_bits(measure):
                self.short.add(measure)
        self.single = bool(self.short) and (alignment.float32 or alignment.by_id)
        super().__init__(chosen, self.pool.topic_ids)

    def judge(self, run: Run, *, ordered: bool = False) -> JudgedRun:
        """Align a run as the measures need it. Raises as `irpref.judged.align.judge`.

        Warns
        -----
        TieWarning
            The order of judged documents by scores in 32 bits is another, which was not asked for.
        """
        path = None if is_named() or not isinstance(run, (str, os.PathLike)) else os.fspath(run)
        data = run if path is None else opened(run, "score")
        with about(path):
            judged = judge(
                self.pool, data, ties=self.ties, single=self.single, ordered=ordered, alignment=self.alignment
            )
            self.note_ties(judged)
        return judged

    def note_ties(self, judged: JudgedRun) -> None:
        """Warn where pytrec_eval would have another order of judged documents than trec_eval. See `judge`."""
        if self.single and not self.alignment.float32:
            note_ties(judged, self.pool, self.in_host)

    def values_of(self, judged: JudgedRun) -> dict[Measure, Floats]:
        """Values of an aligned run: measure to float array (n_topics,), in the order of its topics."""
        if not self.alignment.float32 or judged.single is None:
            return self._computed(self.tasks, judged)
        short = {measure: task for measure, task in self.tasks.items() if measure in self.short}
        plain = {measure: task for measure, task in self.tasks.items() if measure not in self.short}
        found = {**self._computed(plain, judged), **self._computed(short, judged.single)}
        return {measure: found[measure] for measure in self.tasks}

    @staticmethod
    def _computed(tasks: Mapping[Measure, Task], judged: JudgedRun) -> dict[Measure, Floats]:
        out: dict[Measure, Floats] = {measure: np.empty(judged.n_topics) for measure in tasks}
        batches = list(judged.batches())

        def fill(batch: tuple[int, int]) -> None:
            # Made here and gone afterwards, with all that the measures share: memory does not grow with the topics.
            some = judged.topics(*batch)
            for measure, values in out.items():
                values[slice(*batch)] = tasks[measure](some)

        if len(batches) >= 8 and (os.cpu_count() or 1) > 1:
            # Groups of topics share nothing, and NumPy releases the interpreter's lock; a few are done sooner alone.
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(len(batches), os.cpu_count() or 1, 8)) as threads:
                list(threads.map(fill, batches))
        else:
            for batch in batches:
                fill(batch)
        return out

    def values(self, run: Run) -> dict[Measure, Floats]:
        """Values of a run: measure to float array (n_topics,), in the order of `topic_ids`.

        Raises
        ------
        ValueError
            As `Pool.judge`.
        """
        return self.values_of(self.judge(run))


def note_ties(judged: JudgedRun, pool: Pool, in_host: bool = False) -> None:
    """Warn if pytrec_eval, which rounds scores to 32 bits, would rank judged documents differently."""
    if judged.single is None:
        return
    topics = differing_topics(judged, judged.single)
    first = pool.topic_ids[int(topics[0])]
    where = f"{topics.size} topics, first {first!r}" if topics.size > 1 else f"topic {first!r}"
    other = f"{our_name()}." + ("accelerate(False)" if in_host else "evaluator(..., float32=True)")
    other = "--float32" if on_command_line() else other
    warn_user(
        f"pytrec_eval rounds scores to 32 bits and would rank the judged documents of {where} differently. "
        f"These values are for trec_eval's order; for pytrec_eval's, use {other}",
        TieWarning,
        once="ties" if is_named() else None,
    )


class Others:
    """Measures that are left to other providers, with documents in trec_eval's order there, too.

    Where pytrec_eval would have another order, it is handed the places of the scores among those of their topic: small
    whole numbers, which it does not round. The others get each topic from the top, since some sort by scores alone.

    Parameters
    ----------
    measures : list of measures
    judgments : qrels as ir_measures takes them
    alone : bool
        Whether there are no other measures.
    as_host : bool
        Whether runs are handed on as they are, unless ties stay in the order of the input.
    alignment : Alignment
    source : provider, optional
        What computes the measures: ir_measures' pipeline if not given.

    Attributes
    ----------
    single : bool
        Whether a run must be aligned with `single=True`.
    leave_out : bool
        Whether means are without topics that a provider leaves out. The host gives them the default beside measures of
        another provider, and only there.
    """

    def __init__(
        self,
        measures: list[Measure],
        judgments: Any,
        *,
        alone: bool,
        as_host: bool = False,
        alignment: Alignment = TREC,
        source: Any = None,
    ) -> None:
        import ir_measures

        self.measures, self.as_host, self.alignment = measures, as_host, alignment
        by_pytrec = [] if as_host else [measure for measure in measures if provider_of(measure) == "pytrec_eval"]
        self.single = bool(by_pytrec) and alignment.by_id
        self.leave_out = alone and (source is not None or len(set(map(provider_of, measures))) == 1)
        parts = (by_pytrec, [measure for measure in measures if measure not in by_pytrec])
        pipeline = source or ir_measures.DefaultPipeline
        with of_host(measures):
            self._hosts = [(pipeline.evaluator(some, judgments), some is by_pytrec) for some in parts if some]

    def metrics(self, run: Run, single: bool) -> list[Metric]:
        """Their values of a run as `for_host` returns it; `single` where scores as 32-bit floats have another order.

        Raises
        ------
        ValueError
            A provider ended with an error.
        """
        import ir_measures

        docs: Mapping[str, Mapping[str, float]] = {}
        if not self.alignment.by_id:
            docs = ir_measures.util.RunConverter(run).as_dict_of_dict()
            run = {topic: _as_listed(of, self.alignment.float32) for topic, of in docs.items()}
            docs = {}
        elif not self.as_host:
            docs = ir_measures.util.RunConverter(run).as_dict_of_dict()
        found: list[Metric] = []
        for host, pytrec in self._hosts:
            given = docs or run
            if docs and pytrec and single:
                given = {topic: _places(of) for topic, of in docs.items()}
            elif docs and not pytrec:
                given = {
                    topic: dict(sorted(of.items(), key=itemgetter(1, 0), reverse=True)) for topic, of in docs.items()
                }
            with of_host(self.measures):
                found += host.iter_calc(given)
        return found


def _places(docs: Mapping[str, float]) -> dict[str, float]:
    """The place of each score among those of the topic, counted downwards: ties stay ties."""
    place = {score: -float(i) for i, score in enumerate(sorted(set(docs.values()), reverse=True))}
    return {doc: place[score] for doc, score in docs.items()}


def _as_listed(docs: Mapping[str, float], float32: bool) -> dict[str, float]:
    """Falling numbers for the documents by falling score, ties as they are listed."""
    rank = rounded(np.fromiter(docs.values(), np.float64, len(docs))) if float32 else docs.values()
    order = sorted(zip(rank, docs, strict=True), key=itemgetter(0), reverse=True)  # which keeps ties as they are
    return {doc: -float(i) for i, (_, doc) in enumerate(order)}


class CombinedEvaluator(ByTopic):
    """Measures that this package computes and measures that other providers do, in one evaluator.

    Parameters
    ----------
    measures : list of measures, in the order of results
    rest : those of them that are left to their own providers
    qrels : any form of qrels, as `opened` returns it
    alignment : Alignment

    Attributes
    ----------
    accelerated : KernelEvaluator or None
        None where the judgments are such that only other providers can use them: by subtopic.
    """

    def __init__(self, measures: list[Measure], rest: list[Measure], qrels: Qrels, alignment: Alignment = TREC) -> None:
        mine = [measure for measure in measures if measure not in rest]
        self.accelerated: KernelEvaluator | None = None
        self.pool: Pool | None = None
        try:
            self.accelerated = KernelEvaluator(mine, qrels, alignment)
        except ConflictError:
            if mine:
                raise
            table = as_table(qrels, "relevance")
            super().__init__(measures, group(table.query_id).names if isinstance(table, Table) else list(table))
        else:
            self.pool = self.accelerated.pool
            super().__init__(measures, self.pool.topic_ids)
            check_graded(self.pool, rest)
            check_judgments(rest, self.topic_ids, self.pool.level_grade)
        self.rest = rest
        judgments = for_host(qrels, "relevance")
        self._others = Others(rest, judgments, alone=not mine, as_host=alignment.float32, alignment=alignment)
        if self.accelerated:
            self.accelerated.single |= self._others.single

    def judge(self, run: Run) -> JudgedRun:
        """Align a run. Raises as `irpref.judged.align.judge`; `ValueError` where the judgments are by subtopic."""
        if self.accelerated is None:
            raise ValueError("judgments by subtopic are left to the providers of their measures")
        return self.accelerated.judge(run)

    def values(self, run: Run) -> dict[Measure, Floats]:
        """Values of all measures: measure to float array (n_topics,), in the order of `topic_ids`."""
        return self._values(run)[0]

    def _values(self, run: Run) -> tuple[dict[Measure, Floats], set[tuple[Measure, str]]]:
        """Values of all measures, and for which measures and topics other providers gave none."""
        if not isinstance(run, (str, os.PathLike)):  # an error about a file names it
            run = opened(run, "score")
        judged = self.accelerated.judge(run) if self.accelerated else None
        found = self.accelerated.values_of(judged) if self.accelerated and judged is not None else {}
        metrics = self._others.metrics(for_host(run, "score"), judged is not None and judged.single is not None)
        given = {(metric.measure, metric.query_id): metric.value for metric in metrics}
        for measure in self.rest:
            pairs = [(measure, topic) for topic in self.topic_ids]
            found[measure] = np.array([given.get(pair, measure.DEFAULT) for pair in pairs], np.float64)
        lacking = {(measure, topic) for measure in self.rest for topic in self.topic_ids}.difference(given)
        return {measure: found[measure] for measure in self.measures}, lacking

    def _iter_calc(self, run: Run) -> Iterator[Metric]:
        return iter(self.calc(run).per_query)

    def calc_aggregate(self, run: Run) -> dict[Measure, float]:
        """Mean (or sum) over the topics by measure, in the order they were asked for."""
        return self.calc(run).aggregated  # type: ignore[return-value]

    def calc(self, run: Run) -> CalcResults:
        """Means and metrics."""
        values, lacking = self._values(run)
        metrics = list(self._metrics(values))
        if self._others.leave_out:
            metrics = [metric for metric in metrics if (metric.measure, metric.query_id) not in lacking]
        means: Any = {measure: measure.aggregator() for measure in self.measures}
        for metric in metrics:
            means[metric.measure].add(metric.value)
        return CalcResults({measure: of.result() for measure, of in means.items()}, metrics)


def evaluator(
    measures: Measures, qrels: Qrels, *, float32: bool = False, ties: str = "id"
) -> KernelEvaluator | CombinedEvaluator:
    """Prepare measures of any toolkit, as fast as they can be had; ir_measures' pipeline stays as it is.

    Parameters
    ----------
    measures : measures or names, of any toolkit
    qrels : any form of qrels
        Frame of pandas or polars (eager or lazy) with ir_measures' or PyTerrier's names of columns, dict of dicts,
        iterable of namedtuples, path of a file, or id or object of a data set of ir_datasets. With measures such as
        PrefShare the file may hold preferences, as `irpref.read_preferences` reads them.
    float32 : bool
        The host's everyday measures have trec_eval's order: scores as 64-bit floats, equal ones by falling document
        id. True: the order of pytrec_eval, through which ir_measures has most of them, with scores rounded to
        32 bits. Our own measures are the same in both.
    ties : {'id', 'input'}
        Documents with equal scores are ranked by id, descending, as in trec_eval; or in the order of the run's rows, as
        tools do that keep the order of their input. All measures see the same order.

    Returns
    -------
    ir_measures.Evaluator
        `calc_aggregate(run)`, `iter_calc(run)`, `calc(run)`, and `values(run)`: measure to float array (n_topics,)
        in the order of `topic_ids`. A run may have any of the forms, too.

    Warns
    -----
    TieWarning
        For each run: in some topics pytrec_eval would have another order of judged documents.
    ScaleWarning, RangeWarning, DegenerateWarning
        Once for a measure, where these qrels say less than it needs: see `irpref.messages`.

    Examples
    --------
    >>> qrels = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> run = {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}}
    >>> evaluator(["AP", "RPref(max_rel=2)", "IPrec@0.5"], qrels).calc_aggregate(run)
    {AP: 0.5833333333333333, RPref(max_rel=2): 0.3333333333333333, IPrec@0.5: 0.6666666666666666}
    """
    import ir_measures

    chosen, alignment = parse_all(measures), Alignment(ties, float32)
    rest = [measure for measure in chosen if not supports(measure)]
    if not rest:
        return KernelEvaluator(chosen, qrels, alignment)
    check_supported(rest, ir_measures.DefaultPipeline)
    preferences = any("preferences" in getattr(measure, "NEEDS", ()) for measure in chosen)
    return CombinedEvaluator(chosen, rest, opened(qrels, "relevance", preferences), alignment)


def score(measure: MeasureLike, grades: ArrayLike, scores: ArrayLike) -> Floats:
    """Values of a measure from arrays, a row a topic and a column a document; no ids are made.

    Parameters
    ----------
    measure : measure or name
        Of ours, or an everyday measure of the host.
    grades : array (n_topics, n_docs)
        NaN, or masked: the document is unjudged in this topic.
    scores : array (n_topics, n_docs)
        NaN, or masked: the document was not retrieved. Of equal scores the later column stands first, as ids that rise
        with the columns would have it.

    Returns
    -------
    float array (n_topics,)
        NaN for a topic without judgments.

    Raises
    ------
    ValueError
        The shapes differ; a grade or score is infinite; another provider computes the measure; the measure reads a
        further column of the qrels.

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
    from irpref.judged.arrays import judge_arrays

    chosen = parse(measure)
    grade, given = _matrix(grades, "grades"), _matrix(scores, "scores")
    if grade.shape != given.shape:
        raise ValueError(f"grades have the shape {grade.shape}, scores {given.shape}: expected the same")
    if not supports(chosen):
        raise ValueError(f"{chosen} is left to its own provider, which has no arrays")
    columns = columns_for([chosen] if isinstance(chosen, KernelMeasure) else [])
    if columns:
        raise ValueError(
            f"{chosen} reads the column {columns[0]!r} of the qrels, which arrays do not have: irpref.evaluator takes "
            "qrels"
        )
    judged = judge_arrays(grade, given)
    if judged is None:
        return np.full(grade.shape[0], np.nan)
    found = KernelEvaluator([chosen], judged.pool).values_of(judged)[chosen]
    return np.where(judged.pool.judged.lengths > 0, found, np.nan)


def _matrix(values: ArrayLike, name: str) -> Floats:
    """A matrix of doubles, none of them infinite."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.asarray(values, np.float64).filled(np.nan)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(
            f"{name}: expected numbers of the shape (n_topics, n_docs), got rows of different lengths: fill them with "
            "NaN"
        ) from None
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise ValueError(f"{name}: expected numbers of the shape (n_topics, n_docs), got {array.dtype} {array.shape}")
    array = array.astype(np.float64)
    if np.isinf(array).any():
        t, d = np.argwhere(np.isinf(array))[0].tolist()
        raise ValueError(f"{name}[{t}, {d}] is {array[t, d]}")
    return array


def provider_of(measure: Measure) -> str:
    """Name of the provider that computes a measure in ir_measures' pipeline."""
    import ir_measures

    able = (p for p in ir_measures.DefaultPipeline.providers if p.is_available() and p.supports(measure))
    return next((str(p.NAME) for p in able), "")


def for_host(data: Qrels | Run, value: str) -> Any:
    """Qrels or a run of any form as ir_measures and its providers take them: its names, ids that are `str`.

    Parameters
    ----------
    data : any form, as `opened` returns it
    value : 'score' or 'relevance'
    """
    if isinstance(data, Mapping):
        checked = as_table(data, value)
        assert isinstance(checked, Mapping)
        number = _grade if value == "relevance" else float
        return {
            topic: dict(zip(str_list(list(docs), "doc_id"), map(number, docs.values()), strict=True))
            for topic, docs in checked.items()
        }
    if isinstance(data, list) and all(_is_plain(row, value) for row in data):
        return data
    frame = as_frame(data, value)
    names = column_names([str(name) for name in frame.columns], value, "DataFrame")
    ids = {name: as_list(frame[names[name]].to_numpy(dtype=object)) for name in ("query_id", "doc_id")}
    numbers = frame[names[value]].to_numpy(dtype=np.float64)
    if value == "relevance" and all_whole(numbers):
        numbers = numbers.astype(np.int64)
    gone = [old for name, old in names.items() if old != name]
    return frame.drop(columns=gone).assign(**{name: str_list(of, name) for name, of in ids.items()}, **{value: numbers})


def _grade(value: Any) -> Any:
    """A grade as the host's tools take it: whole ones as integers."""
    return int(value) if float(value).is_integer() else value


def _is_plain(row: Any, value: str) -> bool:
    """Whether a namedtuple has ir_measures' names, ids that are `str`, and a number as the host's tools take it."""
    ids = (getattr(row, name, None) for name in ("query_id", "doc_id"))
    number = getattr(row, value, None)
    return all(isinstance(of, str) for of in ids) and isinstance(number, float if value == "score" else int)
