"""Values of run files, each judged as it is read, by measures of any toolkit.

`irpref.values.evaluator` computes them. With scores of 32 bits, or a provider of ir_measures, means
of its measures are added in the order of the run's topics, so that the numbers equal the
`ir_measures` command's to the last bit."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import providers
from ir_measures.measures import Measure

from irpref.data.columns import Reading
from irpref.data.source import Source
from irpref.data.tables import read_table
from irpref.errors import ConflictError
from irpref.judged.align import align_tables
from irpref.judged.judgments import Judgments
from irpref.judged.stream import align_file, each, n_jobs
from irpref.kernel import Floats
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import has_kernel
from irpref.messages import IrprefWarning, warn_user, whole_files
from irpref.observed.changed_ids import JudgedIds
from irpref.observed.scales import grade_correlation, numbers_beside_one_grade, order_of
from irpref.observed.sensitivity import TOP
from irpref.observed.silent import silent
from irpref.observed.streamed import late_by, noted
from irpref.values.evaluator import CombinedEvaluator
from irpref.values.kernels import mean_of

if TYPE_CHECKING:
    from irpref.judged.align import JudgedFile
    from irpref.judged.stream import Done
    from irpref.observed.evidence import Evidence
    from irpref.observed.silent import Counts

_LOOKED_AT = 64 << 10  # bytes of a run whose ids are compared with the judged ones in any case


@dataclass(slots=True)
class Scores:
    """Values of one run.

    Attributes
    ----------
    means : dict of measure to float
        Over all topics (sums, for measures that count).
    by_topic : dict of measure to dict of topic to float
        Empty if values by topic were not asked for. A provider may leave topics out.
    missing : list of str
        Topics of the qrels that the run has no documents for.
    noted : Evidence or None
        The notes of the run; None if nothing seems wrong.
    late_by : float
        How surely relevant documents are nearer to the end of the ranking than to its top, in
        standard errors.
    grade_order : float array (n_topics,) or None
        Correlation of grades and ranks by topic; None for preferences.
    beside_order : float array (n_topics,) or None
        The same of the numbers beside the grades, if all grades are one.
    valued : dict of measure to int
        How many topics have a value.
    counts : dict
        See `irpref.observed.silent.Silent.counts`; empty if all measures tell something apart.
    """

    means: dict[Measure, float] = field(default_factory=dict)
    by_topic: dict[Measure, dict[str, float]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    noted: Evidence | None = None
    late_by: float = 0.0
    grade_order: Floats | None = None
    beside_order: Floats | None = None
    valued: dict[Measure, int] = field(default_factory=dict)
    counts: Counts = field(default_factory=dict)

    def mean(self, measure: Measure, topics: Collection[str] | None = None) -> float:
        """Average over some topics, if values by topic were asked for, or over all."""
        if topics is None:
            return self.means[measure]
        values = self.by_topic[measure]
        chosen = [values[topic] for topic in sorted(values) if topic in topics]
        return mean_of(measure, np.array(chosen, np.float64))


class Scorer:
    """Computes measures for run files against the same judgments.

    Parameters
    ----------
    measures : sequence of Measure
    qrels : Judgments
    provider : str, optional
        A provider of ir_measures that computes all measures.
    strict : bool
        Whether a repeated document is an error, and a file that may have been cut off.
    by_topic : bool
        Whether values by topic are kept.
    form : Reading, optional
        How run files are read, and in which order.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        qrels: Judgments,
        *,
        provider: str | None = None,
        strict: bool = False,
        by_topic: bool = False,
        form: Reading | None = None,
    ) -> None:
        self.measures, self.qrels = list(measures), qrels
        self.strict, self.by_topic, self.form = strict, by_topic, form
        self.as_host = bool(provider) or (form is not None and form.float32)
        self._one = Lock()  # held while the host computes, which may not be safe in threads
        source = providers.registry[provider] if provider else None
        rest = [m for m in measures if provider or not has_kernel(m)]
        try:
            self.evaluator = CombinedEvaluator(self.measures, rest, qrels, source)
        except ConflictError as error:  # judgments by subtopic, say
            if any(isinstance(m, KernelMeasure) for m in measures):
                raise
            latest = qrels.latest()
            self.evaluator = CombinedEvaluator(self.measures, rest, qrels, source, latest)
            self.evaluator.conflict = error
        self.pool: Any = self.evaluator.pool  # None for judgments by subtopic
        self.beside = None if self.pool is None else numbers_beside_one_grade(qrels, self.pool)
        self.ids: Any = None if self.pool is None else JudgedIds(self.pool)  # of all runs
        kernels = self.evaluator.kernels
        self.silent = silent(kernels) if kernels else None
        if conflict := self.evaluator.conflict:
            if strict:
                raise conflict
            warn_user(
                f"{conflict.where}: {conflict.message}: the later line counts",
                IrprefWarning,
            )

    def score_all(
        self, paths: Sequence[str], jobs: int | None = None
    ) -> Iterator[Done[str, Scores]]:
        """Evaluate run files in their order, `jobs` at a time (by default as many as there are
        cores).
        """
        jobs = min(n_jobs() if jobs is None else jobs, max(len(paths), 1))
        return each(lambda path: self.score(path, jobs > 1), paths, jobs)

    def score(self, path: str | Source, alone: bool = False) -> Scores:
        """Evaluate a run file; `alone` in its thread if others read other files.

        Raises
        ------
        ValueError, OSError
            As `read_run` and `align_run`.
        """
        source = path if isinstance(path, Source) else Source(path, keep=True)
        source.alone = alone
        with whole_files(self.strict):
            return self._scores(source)

    def _scores(self, source: Source) -> Scores:
        scores = Scores()
        table = read_table(source, "score", self.form) if self.evaluator.rest else None
        judged = None if self.pool is None else self._judged(source, table)
        if judged is not None:
            answered = set(judged.topics)
            scores.missing = [topic for topic in self.pool.topic_ids if topic not in answered]
            if self.silent:
                scores.counts = self.silent.counts(judged.run)
            if answered:  # for an empty run there is a warning
                scores.late_by = late_by(judged.run)
                if self.pool.graded:
                    scores.grade_order = grade_correlation(judged.run)
                if self.beside is not None:
                    run = judged.run
                    scores.beside_order = order_of(run.row, run.hits, self.beside)
                small = source.is_file() and os.path.getsize(source.name) <= _LOOKED_AT
                scores.noted = noted(
                    self.qrels, self.ids, judged, small, scores.late_by, self.evaluator.kernels
                )
        with nullcontext() if table is None else self._one:
            values, metrics, lacking = self.evaluator.scored(
                None if judged is None else judged.run, table
            )
        ids = self.evaluator.topic_ids
        by_id = as_run = self.evaluator.by_id
        if self.as_host and judged is not None:  # topics that the run misses come last
            place = {topic: i for i, topic in enumerate(judged.topics)}
            as_run = sorted(by_id, key=lambda t: place.get(ids[t], len(place)))
        for measure in self.measures:
            if measure in self.evaluator.rest:
                by_topic = {
                    metric.query_id: metric.value for metric in metrics if metric.measure == measure
                }
                if not self.evaluator.leaves_out:
                    by_topic |= dict.fromkeys(
                        sorted(topic for m, topic in lacking if m == measure), measure.DEFAULT
                    )
                kept = by_topic if self.as_host else sorted(by_topic)
                scores.means[measure] = mean_of(
                    measure, np.array([by_topic[topic] for topic in kept], np.float64)
                )
            else:
                order = by_id if isinstance(measure, KernelMeasure) else as_run
                scores.means[measure] = mean_of(measure, values[measure][order])
                by_topic = dict(zip(ids, values[measure].tolist(), strict=True))
            scores.valued[measure] = sum(value == value for value in by_topic.values())
            if self.by_topic:
                scores.by_topic[measure] = by_topic
        return scores

    def _judged(self, source: Source, table: Any) -> JudgedFile:
        kernels: Any = self.evaluator.kernels
        options: dict[str, Any] = {"strict": self.strict, "ties": kernels.ties, "top": TOP}
        if table is None:
            judged = align_file(self.pool, source, form=self.form, **options)
        else:
            judged = align_tables(self.pool, [table], **options)
        if not judged.topics:
            warn_user(
                "the run is empty: all topics have the value of an empty ranking", IrprefWarning
            )
        return judged
