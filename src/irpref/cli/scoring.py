"""What `irpref eval` computes: values of run files, each judged as it is read, by measures of any toolkit.

`irpref.values.evaluator` computes them. With `--float32`, means of ir_measures' measures are added in the order of the
run's topics, so that the numbers are those of the `ir_measures` command to the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.util import Metric

from irpref.arrays.segments import all_whole
from irpref.formats.columns import Reading
from irpref.formats.source import Source
from irpref.formats.tables import read_table
from irpref.judged.align import align_tables
from irpref.judged.order import TREC, Alignment
from irpref.judged.pool import ConflictError
from irpref.judged.stream import align_file, each, n_jobs
from irpref.measures.declare import KernelMeasure
from irpref.measures.everyday import supports
from irpref.measures.support import HIGHEST
from irpref.messages import IrprefWarning, warn_user
from irpref.values.evaluator import CombinedEvaluator
from irpref.values.kernels import mean_of

if TYPE_CHECKING:
    from irpref.analysis.findings import Finding
    from irpref.judged.align import JudgedFile
    from irpref.judged.stream import Done

_LOOKED_AT = 64 << 10  # bytes of a run whose ids are compared with the judged ones in any case


class Scores:
    """Values of one run.

    Attributes
    ----------
    means : dict of measure to float
        Over all topics (sums, for measures that count).
    lines : list of (topic, measure, value)
        In the order of the host's command; empty if values by topic were not asked for.
    missing : list of str
        Topics of the qrels that the run has no documents for.
    grave : list of Finding
        What `irpref check` finds grave about the run.
    """

    def __init__(self) -> None:
        self.missing: list[str] = []
        self.grave: list[Finding] = []
        self.means: dict[Measure, float] = {}
        self.lines: list[tuple[str, Measure, float]] = []

    def by_topic(self) -> dict[Measure, dict[str, float]]:
        """Values by measure and topic."""
        found: dict[Measure, dict[str, float]] = {measure: {} for measure in self.means}
        for topic, measure, value in self.lines:
            found[measure][topic] = value
        return found


class Scorer:
    """Computes measures for run files against the same judgments.

    Parameters
    ----------
    measures : sequence of Measure
    qrels : as `irpref.judged.inputs.opened` returns them
    exact : bool
        Whether measures of the host are left to the host, for the order of its lines.
    provider : str, optional
        A provider of ir_measures that computes all measures.
    strict : bool
        Whether a repeated document is an error.
    by_topic : bool
        Whether values by topic are kept.
    alignment : Alignment
        How documents are ranked.
    form : Reading, optional
        How run files are read.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        qrels: Any,
        *,
        exact: bool = False,
        provider: str | None = None,
        strict: bool = False,
        by_topic: bool = False,
        alignment: Alignment = TREC,
        form: Reading | None = None,
    ) -> None:
        self.measures = list(measures)
        self.strict, self.by_topic, self.form = strict, by_topic, form
        self._one = Lock()  # held while the host computes, which may not be safe in threads
        source = providers.registry[provider] if provider else None
        hosted = [] if provider else [m for m in measures if not isinstance(m, KernelMeasure) and _is_here(m)]

        def evaluator() -> CombinedEvaluator:
            here = [m for m in measures if m in hosted or (isinstance(m, KernelMeasure) and not provider)]
            rest = [m for m in measures if m not in here]
            return CombinedEvaluator(self.measures, rest, qrels, alignment, source)

        try:
            self.evaluator = evaluator()
        except ConflictError:
            if not hosted or any(isinstance(m, KernelMeasure) for m in measures):
                raise
            hosted = []
            self.evaluator = evaluator()
        self.pool: Any = self.evaluator.pool  # None for judgments by subtopic
        if conflict := self.evaluator.conflict:
            if strict:
                raise conflict
            # Judgments by subtopic, say, from which the host takes the last of each document.
            warn_user(f"{str(conflict).partition('. ')[0]}: ir_measures counts the later line", IrprefWarning)
        elif exact and hosted and not _host_errs(hosted, self.pool):
            hosted = []
            self.evaluator = evaluator()

    def score_all(self, paths: Sequence[str], jobs: int | None = None) -> Iterator[Done[str, Scores]]:
        """Values of run files, `jobs` of them at a time (by default as many as there are cores), in their order."""
        jobs = min(n_jobs() if jobs is None else jobs, max(len(paths), 1))
        return each(lambda path: self.score(path, jobs > 1), paths, jobs)

    def score(self, path: str | Source, alone: bool = False) -> Scores:
        """Values of a run file; `alone` in its thread if others read other files.

        Raises
        ------
        ValueError, OSError
            As `read_run` and `align_run`.
        """
        source = path if isinstance(path, Source) else Source(path, keep=True)
        source.alone = alone
        found = Scores()
        table = read_table(source, "score", self.form) if self.evaluator.rest else None
        judged = None if self.pool is None else self._judged(source, table)
        if judged is not None:
            answered = set(judged.topics)
            found.missing = [topic for topic in self.pool.topic_ids if topic not in answered]
            if answered:  # for an empty run there is a warning
                found.grave = self._grave(source, table, judged, bool(found.missing))
        with nullcontext() if table is None else self._one:
            values, metrics, lacking = self.evaluator.scored(None if judged is None else judged.run, table)
        ids = self.evaluator.topic_ids
        by_id = sorted(range(len(ids)), key=ids.__getitem__)
        if not self.evaluator.leaves_out:
            metrics += [Metric(topic, m, m.DEFAULT) for topic, m in sorted(((t, m) for m, t in lacking), key=str)]
        as_run = by_id
        if self.evaluator.as_host and judged is not None:  # topics that the run misses come last
            place = {topic: i for i, topic in enumerate(judged.topics)}
            as_run = sorted(by_id, key=lambda t: place.get(ids[t], len(place)))
        for measure in self.measures:
            if measure not in self.evaluator.rest:
                order = by_id if isinstance(measure, KernelMeasure) else as_run
                found.means[measure] = mean_of(measure, values[measure][order])
                continue
            of = [metric for metric in metrics if metric.measure == measure]
            of = of if self.evaluator.as_host else sorted(of, key=attrgetter("query_id"))
            found.means[measure] = mean_of(measure, np.array([metric.value for metric in of], np.float64))
        if self.by_topic:
            found.lines += [(metric.query_id, metric.measure, metric.value) for metric in metrics]
            for measure in sorted(set(values) - set(self.evaluator.rest), key=str):
                numbers = values[measure].tolist()
                found.lines += [(ids[t], measure, numbers[t]) for t in by_id]
        return found

    def _judged(self, source: Source, table: Any) -> JudgedFile:
        kernels: Any = self.evaluator.accelerated
        options: dict[str, Any] = {"strict": self.strict, "alignment": kernels.alignment}
        options |= {"ties": kernels.ties, "in_float32": kernels.in_float32}
        if table is None:
            judged = align_file(self.pool, source, form=self.form, **options)
        else:
            judged = align_tables(self.pool, [table], **options)
        kernels.note_ties(judged.run)
        if not judged.topics:
            warn_user("the run is empty: all topics have the value of an empty ranking", IrprefWarning)
        return judged

    def _grave(self, source: Source, table: Any, judged: JudgedFile, missing: bool) -> list[Finding]:
        small = source.is_file() and os.path.getsize(source.name) <= _LOOKED_AT
        enough = judged.run.n_retrieved if small else 1
        if not missing and (judged.run.hits.lengths >= enough).all():
            return []  # all topics are answered, with judged documents
        from irpref.analysis.check import grave_of_judged

        def read() -> Any:
            return read_table(source, "score", self.form) if table is None else table

        return grave_of_judged(self.pool, judged.run, judged.topics, read, small)


class SideBySide(Scorer):
    """Scorers of different measures against different judgments, as one."""

    def __init__(self, measures: Sequence[Measure], scorers: Sequence[Scorer]) -> None:
        self.measures, self.scorers = list(measures), list(scorers)
        self.pool = self.scorers[0].pool

    def score(self, path: str | Source, alone: bool = False) -> Scores:
        """Values of a run file. Raises as `Scorer.score`."""
        source = path if isinstance(path, Source) else Source(path, keep=True)  # read by each of them
        found, *more = (scorer.score(source, alone) for scorer in self.scorers)
        for part in more:
            found.means |= part.means
            found.lines += part.lines
        found.means = {measure: found.means[measure] for measure in self.measures}
        return found


def _is_here(measure: Measure) -> bool:
    """Whether a measure of ir_measures is computed here. The script behind exp-log2 rounds, so it goes first."""
    return supports(measure) and not (
        measure.params.get("dcg") == "exp-log2" and providers.registry["gdeval"].is_available()
    )


def _host_errs(measures: Sequence[Measure], pool: Any) -> bool:
    """Whether the host computes wrong values of these measures together, or crashes: see `irpref.host`."""
    gains = {repr(m.params.get("gains")) for m in measures if m.NAME == "nDCG"}
    judged_only = {bool(m.params.get("judged_only")) for m in measures}
    counted = any(m.NAME == "NumRet" and "rel" not in m.params for m in measures)
    mapped = [gain for m in measures for gain in (m.params.get("gains") or {}).values()]
    wide = any(not isinstance(gain, int) or abs(gain) > HIGHEST for gain in mapped)
    negative = (pool.judged.lengths > 0) & (pool.judged.maximum(pool.grade, -np.inf) < 0)
    high = pool.level_grade.max() > HIGHEST
    together = len(gains) > 1 or (counted and True in judged_only)
    return bool(together or negative.any() or wide or high or not all_whole(pool.grade))
