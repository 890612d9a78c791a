"""Measures, judgments and runs, aligned once for many evaluations with fewer judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ir_measures.measures import Measure

from irpref.arrays.run import JudgedRun
from irpref.formats.runs import each_run
from irpref.judged.align import listing as listing_of
from irpref.judged.order import Alignment
from irpref.judged.pool import Pool
from irpref.judged.types import EachRun, Qrels, Run
from irpref.measures.declare import MeasureLike
from irpref.messages import about


class Board:
    """Measures, judgments and runs.

    Parameters
    ----------
    measures : mapping of name to measure
    qrels, runs : as `incompleteness` takes them
    keep : bool
        Whether runs are kept as dicts, too.
    float32 : bool
        See `irpref.evaluator`.
    cutoff : int, optional
        Runs are cut to this length.
    host : bool
        Whether measures without a kernel are left to the host; otherwise they are refused.

    Attributes
    ----------
    named, kernels, host : mappings of name to measure: all, those with a kernel, those without
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
        float32: bool = False,
        cutoff: int | None = None,
        host: bool = True,
    ) -> None:
        from irpref.evaluation import KernelEvaluator
        from irpref.measures.binding import bind
        from irpref.measures.everyday import supports
        from irpref.measures.names import parse
        from irpref.measures.support import check_whole

        if isinstance(qrels, Iterator):
            qrels = list(qrels)  # read twice: for the scale of the grades, and by the evaluator
        asked = {name: parse(m) for name, m in measures.items()}
        alone = list(dict.fromkeys(asked.values()))
        bound = dict(zip(alone, bind(alone, qrels), strict=True))
        self.named: dict[str, Measure] = {name: bound[m] for name, m in asked.items()}
        # Measures with a kernel look at arrays; what is left to the host is given qrels and runs as dicts.
        self.kernels = {name: m for name, m in self.named.items() if not host or supports(m)}
        self.host = {name: m for name, m in self.named.items() if name not in self.kernels}
        self.evaluator = KernelEvaluator(self.kernels.values(), qrels, Alignment(float32=float32))
        self.pool, self.float32 = self.evaluator.pool, float32
        if self.host:
            check_whole(self.host.values(), self.pool.level_grade)
        self.aligned: dict[str, JudgedRun] = {}
        self.raw: dict[str, Any] = {}
        for name, run in each_run(runs):
            with about(name):
                if self.host or keep:
                    run = self.raw[name] = _as_dicts(self.pool, run)
                self.aligned[name] = self.evaluator.judge(run).at(cutoff)


def _as_dicts(pool: Pool, run: Run) -> dict[str, dict[str, float]]:
    """The run as the host's evaluators read it fastest, whatever form it has."""
    listing = listing_of(pool, run)
    offsets = listing.topics.offsets.tolist()
    score = listing.score.tolist()
    return {
        topic: dict(zip(listing.doc_ids[a:b], score[a:b], strict=True))
        for topic, a, b in zip(pool.topic_ids, offsets[:-1], offsets[1:], strict=True)
        if a < b
    }
