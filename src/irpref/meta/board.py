"""Measures, judgments and runs, aligned once and evaluated with many subsets of the judgments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.arrays.run import BATCH_ROWS, JudgedRun
from irpref.arrays.segments import Bools, Floats
from irpref.formats.runs import each_run
from irpref.judged.align import listing as listing_of
from irpref.judged.order import TREC, Alignment
from irpref.judged.types import EachRun, Qrels, Run
from irpref.measures.binding import bind
from irpref.measures.declare import KernelMeasure, MeasureLike
from irpref.measures.everyday import supports
from irpref.measures.names import parse
from irpref.measures.support import check_judgments
from irpref.messages import about
from irpref.meta.losses import Restriction
from irpref.values.kernels import KernelEvaluator
from irpref.values.others import Others


class Board:
    """Measures, judgments and runs.

    Parameters
    ----------
    measures : mapping of name to measure
    qrels, runs : as `incompleteness` takes them
    keep : bool
        Whether to keep the runs as dicts, too.
    alignment : Alignment
        How documents are ranked.
    cutoff : int, optional
        Runs are cut to this length.

    Attributes
    ----------
    named, host : mappings of name to measure: all, and those without a kernel
    aligned : mapping of system to JudgedRun
    raw : mapping of system to dict of dicts, if they are kept
    """

    def __init__(
        self,
        measures: Mapping[str, MeasureLike],
        qrels: Qrels,
        runs: EachRun,
        *,
        keep: bool = False,
        alignment: Alignment = TREC,
        cutoff: int | None = None,
    ) -> None:
        if isinstance(qrels, Iterator):
            qrels = list(qrels)  # read twice: for the scale of the grades, and by the evaluator
        asked = {name: parse(m) for name, m in measures.items()}
        alone = list(dict.fromkeys(asked.values()))
        bound = dict(zip(alone, bind(alone, qrels), strict=True))
        self.named: dict[str, Measure] = {name: bound[m] for name, m in asked.items()}
        # Measures with a kernel read arrays; the others get qrels and runs as dicts.
        # A measure can have a kernel without being registered.
        self.host = {name: m for name, m in self.named.items() if not (isinstance(m, KernelMeasure) or supports(m))}
        ours = [m for name, m in self.named.items() if name not in self.host]
        self.alignment = alignment
        self.evaluator = KernelEvaluator(ours, qrels, alignment)
        self.pool = self.evaluator.pool
        if self.host:
            check_judgments(self.host.values(), self.pool.topic_ids, self.pool.level_grade)
            self.evaluator.in_float32 |= self._others(np.ones(self.pool.grade.size, bool)).in_float32
        self.aligned: dict[str, JudgedRun] = {}
        self.raw: dict[str, Any] = {}
        for name, run in each_run(runs):
            with about(name):
                if self.host or keep:
                    run = self.raw[name] = self._as_dicts(run, cutoff)
                self.aligned[name] = self.evaluator.align(run).at(cutoff)

    def values(
        self, keep: Bools, systems: Iterable[str], measures: Collection[str]
    ) -> Iterator[tuple[str, slice, dict[str, Floats]]]:
        """Evaluate each system with each subset of the judgments, as many subsets at a time as fit the cache.

        Parameters
        ----------
        keep : bool array (n_times, n_judged)
        systems, measures : names

        Yields
        ------
        system, times, values by measure: (n_times, n_topics), in the direction of the measure
        """
        tasks, short = self.evaluator.tasks, self.evaluator.short
        systems = list(systems)
        for times in _together(keep):
            against = Restriction(self.pool, keep[times])
            others = [self._others(row) for row in keep[times] if self.host]
            for system in systems:
                run = self.aligned[system]
                view = against.of(run)
                rounded = against.of(run.in_float32) if self.alignment.float32 and run.in_float32 is not None else view
                found = {}
                for name in measures:
                    measure = self.named[name]
                    if name not in self.host:
                        found[name] = tasks[measure](rounded if measure in short else view)
                if len(found) < len(measures):
                    found |= self._by_host(others, system)
                yield system, times, {name: found[name].reshape(-1, self.pool.n_topics) for name in measures}

    def _by_host(self, others: list[Others], system: str) -> dict[str, Floats]:
        """Values of the measures without a kernel: (n_times, n_topics) by name."""
        rounded = self.aligned[system].in_float32 is not None
        values = [one.values(self.raw[system], rounded, self.pool.topic_ids)[0] for one in others]
        return {name: np.array([of[measure] for of in values]) for name, measure in self.host.items()}

    def _others(self, keep: Bools) -> Others:
        """The measures without a kernel, with some of the judgments."""
        qrels: dict[str, dict[str, int]] = {name: {} for name in self.pool.topic_ids}
        rows = np.flatnonzero(keep)
        columns = (self.pool.judged.topic[rows].tolist(), self.pool.doc_ids[rows].tolist(), self.pool.grade[rows])
        for t, doc, grade in zip(*columns, strict=True):
            qrels[self.pool.topic_ids[t]][doc] = int(grade)
        measures = list(dict.fromkeys(self.host.values()))
        return Others(measures, qrels, alone=False, as_host=self.alignment.float32, alignment=self.alignment)

    def _as_dicts(self, run: Run, cutoff: int | None) -> dict[str, dict[str, float]]:
        """The run, in any form, as other providers read it fastest: a dict with documents in rank order."""
        listing = listing_of(self.pool, run, alignment=self.alignment)
        offsets = listing.topics.offsets.tolist()
        score = listing.score.tolist()
        return {
            topic: dict(list(zip(listing.doc_ids[a:b], score[a:b], strict=True))[:cutoff])
            for topic, a, b in zip(self.pool.topic_ids, offsets[:-1], offsets[1:], strict=True)
            if a < b
        }


def _together(keep: Bools) -> Iterator[slice]:
    """Slices of the subsets, each small enough for the cache."""
    start, rows = 0, 0
    for i, size in enumerate(np.count_nonzero(keep, axis=1).tolist()):
        if i > start and rows + size > BATCH_ROWS:
            yield slice(start, i)
            start, rows = i, 0
        rows += size
    yield slice(start, len(keep))
