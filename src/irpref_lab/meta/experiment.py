"""Measures, judgments and runs, aligned once and evaluated with many subsets of the judgments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref import bind, evaluator, parse
from irpref.data import each_run
from irpref.data.columns import Stretches, Table
from irpref.errors import ArgumentError
from irpref.judged import EachRun, Judgments, QrelsLike, Run, as_judgments, read_once
from irpref.kernel import BATCH_ROWS, Floats, JudgedRun
from irpref.measures.declare import MeasureLike
from irpref.messages import about
from irpref.values.others import Others
from irpref_lab.meta.losses import Remains
from irpref_lab.meta.restriction import Regraded, Restriction


class Experiment:
    """Measures, judgments and runs.

    Parameters
    ----------
    measures : mapping of name to measure
    qrels, runs : as `incompleteness` takes them
    keep : bool
        Whether to keep the runs as dicts, too.
    cutoff : int, optional
        Runs are cut to this length.

    Attributes
    ----------
    named : mapping of name to measure
    host : list of measures, those without a kernel
    aligned : mapping of system to JudgedRun
    raw : mapping of system to dict of dicts, if they are kept
    """

    def __init__(
        self,
        measures: Mapping[str, MeasureLike],
        qrels: QrelsLike,
        runs: EachRun,
        *,
        keep: bool = False,
        cutoff: int | None = None,
    ) -> None:
        read = as_judgments(qrels)
        asked = {name: parse(m) for name, m in measures.items()}
        alone = list(dict.fromkeys(asked.values()))
        bound = dict(zip(alone, bind(alone, read), strict=True))
        self.named: dict[str, Measure] = {name: bound[m] for name, m in asked.items()}
        evaluation = evaluator(bound.values(), read)
        self.host, kernels = evaluation.rest, evaluation.kernels
        if kernels is None:
            raise ArgumentError(
                "judgments by subtopic are left to the providers of their measures",
                parameter="measures",
            )
        self.evaluator = kernels
        self.pool = self.evaluator.pool
        self.aligned: dict[str, JudgedRun] = {}
        self.raw: dict[str, Any] = {}
        for name, run in each_run(runs):
            with about(name):
                if self.host or keep:
                    run = read_once(run)
                    self.raw[name] = self._as_dicts(run, cutoff)
                self.aligned[name] = self.evaluator.align(run).at(cutoff)

    def values(
        self, remains: Sequence[Remains], systems: Iterable[str], measures: Collection[str]
    ) -> Iterator[tuple[str, slice, dict[str, Floats]]]:
        """Evaluate each system with the judgments that are left each time: as many subsets at a
        time as fit the cache.

        Parameters
        ----------
        remains : sequence of Remains, n_times
        systems, measures : names

        Yields
        ------
        system, times, values by measure: (n_times, n_topics), in the direction of the measure
        """
        tasks = self.evaluator.tasks
        systems = list(systems)
        for times in _together(remains):
            view_of = self._views(remains[times])
            others = [self._others(part) for part in remains[times] if self.host]
            for system in systems:
                view = view_of(system)
                by_host = [
                    other.values(self._left(system, part.documents), self.pool.topic_ids)[0]
                    for other, part in zip(others, remains[times], strict=False)
                ]
                by_measure = {}
                for name in measures:
                    measure = self.named[name]
                    if measure in self.host:
                        by_measure[name] = np.array([values[measure] for values in by_host])
                    else:
                        by_measure[name] = tasks[measure](view).reshape(-1, self.pool.n_topics)
                yield system, times, by_measure

    def _views(self, remains: Sequence[Remains]) -> Callable[[str], JudgedRun]:
        """Judge a system by the judgments left each time, one time after the other."""
        first = remains[0]
        if first.documents is not None:
            return lambda system: self.evaluator.align(self._left(system, first.documents))
        part: Restriction | Regraded
        if first.grade is None:
            part = Restriction(self.pool, np.array([one.intact for one in remains]))
        else:
            part = Regraded(self.pool, first.grade)
        return lambda system: part.judged(self.aligned[system])

    def _left(self, system: str, documents: Collection[str] | None) -> dict[str, dict[str, float]]:
        """Return a run without the documents that are no longer in the collection."""
        run: dict[str, dict[str, float]] = self.raw[system]
        if documents is None:
            return run
        return {
            topic: {doc: score for doc, score in scores.items() if doc in documents}
            for topic, scores in run.items()
        }

    def _others(self, part: Remains) -> Others:
        """Prepare the measures without a kernel, with the judgments that are left."""
        pool = self.pool
        missing = part.grade is None and part.documents is None
        keep = part.intact if missing else np.ones(pool.grade.size, bool)
        ids = Stretches(pool.topic_ids, pool.judged.count(keep))
        grade = pool.grade if part.grade is None else part.grade
        return Others(self.host, Judgments(Table(ids, pool.doc_ids[keep], grade[keep])))

    def _as_dicts(self, run: Run, cutoff: int | None) -> dict[str, dict[str, float]]:
        """Turn the run into the form that other providers read fastest: a dict with documents in
        rank order.
        """
        listing = run.on(self.pool)
        score = listing.score.tolist()
        run_by_topic = {}
        for t in np.flatnonzero(listing.topics.lengths).tolist():
            rows = listing.topics.span(t)
            documents = zip(listing.doc_ids[rows], score[rows], strict=True)
            run_by_topic[self.pool.topic_ids[t]] = dict(islice(documents, cutoff))
        return run_by_topic


def _together(remains: Sequence[Remains]) -> Iterator[slice]:
    """Yield slices of the losses: subsets that fit the cache together, or one of the others."""
    start, rows = 0, 0
    for i, part in enumerate(remains):
        alone = part.grade is not None or part.documents is not None
        size = BATCH_ROWS if alone else int(np.count_nonzero(part.intact))
        if i > start and rows + size > BATCH_ROWS:
            yield slice(start, i)
            start, rows = i, 0
        rows += size
    yield slice(start, len(remains))
