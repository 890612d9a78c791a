"""Measures that can tell nothing apart on some judgments, whatever the runs: for `irpref eval`.

`irpref.observed.codes` says when a measure is silent on a topic (`unanswerable`, `out-of-reach`,
`blind`). Here each measure is tried on few topics at a time, until it tells something apart on one,
so that this costs next to nothing where all is well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel.segments import Bools, Floats, Ints
from irpref.measures.degenerate import lacks_nonrelevant
from irpref.messages import have, held
from irpref.observed.finding import Code
from irpref.observed.judgment_codes import UNANSWERABLE
from irpref.observed.measure_codes import BLIND, OUT_OF_REACH
from irpref.observed.sensitivity import (
    TOP,
    blind,
    grades_in_words,
    is_count,
    last_rank,
    tells_apart,
)

if TYPE_CHECKING:
    from irpref.judged.pool import Pool
    from irpref.kernel.run import JudgedRun
    from irpref.values.kernels import KernelEvaluator, Task

_STEP = 16  # topics
Counts = dict[int, tuple[Ints, Ints]]


@dataclass(frozen=True, eq=False)
class Silent:
    """Measures that may tell nothing apart; it depends on how many documents of runs are judged.

    Attributes
    ----------
    pool : Pool
    answerable : bool array (n_topics,)
        Whether a topic has a positive grade.
    reached, alike : dict of Measure to bool array (n_topics,)
        As `irpref.observed.sensitivity.tells_apart` returns them.
    """

    pool: Pool
    answerable: Bools
    reached: dict[Measure, Bools]
    alike: dict[Measure, Bools]

    def counts(self, run: JudgedRun) -> Counts:
        """Count judged documents, and documents, in the first ranks of each topic, by depth."""
        shown = run.at_least(0)
        return {
            depth: (shown.hits.count(shown.rank <= depth), np.minimum(run.n_retrieved, depth))
            for depth in (last_rank(measure) or TOP for measure in self.reached)
        }

    def sentences(self, runs: Iterable[Counts]) -> Iterator[str]:
        """Name the measures that tell nothing apart on any topic, and say why, for runs with these
        counts.
        """
        n = self.pool.n_topics
        some = f"all {n:,} topics" if n > 1 else "the topic"
        names: dict[tuple[Code, str], list[str]] = {}
        for measure, code in self._codes(list(runs)):
            about = "" if code is UNANSWERABLE else grades_in_words(measure, self.pool)
            names.setdefault((code, about), []).append(str(measure))
        for (code, about), measures in names.items():
            words = {"measure": ", ".join(measures), "scale": about, "some": some, "have": have(n)}
            yield code.worded(**words)

    def _codes(self, counts: list[Counts]) -> Iterator[tuple[Measure, Code]]:
        """Find measures that tell nothing apart, with the code that says so."""
        for measure, reached in self.reached.items():
            depth, zeros = last_rank(measure) or TOP, np.zeros(self.pool.n_topics, np.int64)
            judged = sum((by_depth[depth][0] for by_depth in counts), zeros)
            returned = sum((by_depth[depth][1] for by_depth in counts), zeros)
            nothing = blind(self.alike[measure], judged, returned)
            if (self.answerable & reached & ~nothing).any():
                continue
            if not self.answerable.any():
                yield measure, UNANSWERABLE
            elif not lacks_nonrelevant(measure, self.pool).any():  # else there is a warning already
                reaches = (self.answerable & reached).any()
                yield measure, BLIND if reaches else OUT_OF_REACH


def silent(kernels: KernelEvaluator) -> Silent | None:
    """Find which of the measures may tell nothing apart; None if none does."""
    pool = kernels.pool
    if pool.of_preferences or not pool.grade.size:
        return None
    answerable = pool.judged.maximum(pool.grade, -np.inf) > 0
    left = [measure for measure in kernels.tasks if not is_count(measure)]
    parts: dict[Measure, list[tuple[Bools, Bools]]] = {measure: [] for measure in left}
    for start in range(0, pool.n_topics, _STEP):
        stop = min(start + _STEP, pool.n_topics)
        tasks = {measure: kernels.tasks[measure] for measure in left}
        with held():
            reached, alike, _ = tells_apart(left, pool, partial(_values, tasks), (start, stop))
        for measure in left:
            parts[measure].append((reached[measure], alike[measure]))
        left = [
            measure
            for measure in left
            if not (answerable[start:stop] & reached[measure] & ~alike[measure]).any()
        ]
        if not left:
            return None
    joined = {m: [np.concatenate(part) for part in zip(*parts[m], strict=True)] for m in left}
    return Silent(
        pool,
        answerable,
        {measure: both[0] for measure, both in joined.items()},
        {measure: both[1] for measure, both in joined.items()},
    )


def _values(tasks: dict[Measure, Task], run: JudgedRun) -> dict[Measure, Floats]:
    return {measure: task(run) for measure, task in tasks.items()}
