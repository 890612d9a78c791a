"""Values of all measures for all samples of a loss: irpref's kernels, with (sample, topic) pairs as topics.

The judgments left in some samples become one pool whose topics are the pairs; a run judged against all of them at once
is a `JudgedRun` like any other. Runs are aligned with the full judgments once (`study.data`); here their hits are
picked by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.segments import Floats, Ints, Segments
from study.data import Setting, System
from study.losses import Loss, Part
from study.measures import RANDOM_ONLY, RESIDUAL, Grades, Sampled, kernels, rbp_residual

HITS = 1 << 18  # judged documents of one run in all samples of a chunk, about: so much stays in the cache
POOL = 1 << 21  # judgments in all samples of a chunk


class Judged:
    """The judgments left in some samples, and what the runs look like against them.

    Attributes
    ----------
    pool : Judgments
        Topics are (sample, topic) pairs, sample after sample.
    """

    def __init__(self, setting: Setting, part: Part) -> None:
        self.setting, self.part = setting, part
        full = setting.pool
        n, n_judged = part.n_samples, full.grade.size
        grade = np.broadcast_to(full.grade, (n, n_judged))
        every = (np.arange(n)[:, None] * n_judged + full.judged.starts).ravel()
        segments = Segments(np.append(every, n * n_judged))
        # Level of each judgment in the new pool, -1 where it is gone.
        self.level: Ints
        if part.keep is not None:
            self.pool = Judgments(segments.where(part.keep.ravel()), grade[part.keep])
            self.level = np.full((n, n_judged), -1, dtype=np.int32)
            self.level[part.keep] = self.pool.level
        else:
            # Documents that exchange their grades leave the numbers of each grade as they were.
            self.pool = Judgments(segments, grade.ravel())
            self.level = self.pool.level.reshape(n, n_judged).astype(np.int32)
            if part.grade is not None:
                self.level = self._regraded(part.grade).astype(np.int32)

    def _regraded(self, grade: Floats) -> Ints:
        """Level of each document by its new grade, which is one that its topic has."""
        grades = np.unique(self.setting.pool.grade)
        code = np.searchsorted(grades, self.pool.level_grade)
        table = np.full((self.pool.n_topics, grades.size), -1)
        table[self.pool.levels.topic, code] = np.arange(code.size)
        n_topics = self.setting.n_topics
        pair = np.arange(len(grade))[:, None] * n_topics + self.setting.pool.judged.topic
        return table[pair, np.searchsorted(grades, grade)]

    def of(self, system: System) -> Sampled:
        """A run against what is left in each sample."""
        n = self.part.n_samples
        rows = system.row[system.hit]
        level = np.take(self.level, rows, axis=1)
        rank = np.broadcast_to(system.rank, level.shape)
        lengths = np.broadcast_to(system.retrieved.lengths, (n, self.setting.n_topics))
        left = level >= 0
        if self.part.there is not None:
            there = np.take(self.part.there, system.doc, axis=1)
            upto = np.zeros((n, there.shape[1] + 1), dtype=np.int32)
            np.cumsum(there, axis=1, out=upto[:, 1:])
            before = upto[:, system.retrieved.starts]
            lengths = upto[:, system.retrieved.ends] - before
            left &= there[:, system.hit]
            rank = upto[:, system.hit + 1] - before[:, system.hits.topic]
        found = np.flatnonzero(left)
        starts = (np.arange(n)[:, None] * rows.size + system.hits.starts).ravel()
        hits = Segments(np.append(starts, n * rows.size)).part(found)
        run = Sampled(
            self.pool,
            hits,
            rank.ravel()[found].astype(np.int64),
            _no_rows,
            lengths.ravel().astype(np.int64),
            level.ravel()[found].astype(np.int64),
        )
        run.pool_above = np.broadcast_to(system.hits.position, level.shape).ravel()[found]
        return run


def _no_rows() -> Ints:
    raise AssertionError("the engine keeps no rows of the pool: a kernel of the study must not ask for them")


def chunks(setting: Setting, n_samples: int) -> Iterator[tuple[int, int]]:
    """Samples that are evaluated together: first, one past the last."""
    hits = max(max(s.hit.size for s in setting.systems), 1)
    size = max(1, min(HITS // hits, POOL // setting.pool.grade.size, n_samples))
    for start in range(0, n_samples, size):
        yield start, min(start + size, n_samples)


def labels_for(loss: str) -> list[str]:
    """Measures that are evaluated under a loss."""
    from study.measures import LABELS

    return [label for label in LABELS if label not in RANDOM_ONLY or loss in ("random", "none")]


def values_of(loss: Loss) -> tuple[dict[str, Any], dict[str, float]]:
    """Values of every measure: float arrays (n_samples, n_systems, n_topics), by label.

    The second dict says what is left: means over samples of the share of judgments and of relevant documents, and of
    the number of topics that have lost all relevant documents. With the label `RESIDUAL`: the residual of RBP.
    """
    setting = loss.setting
    functions = kernels(Grades.of(setting.pool.grade, setting.rel))
    labels = labels_for(loss.name)
    n, n_topics = loss.n_samples, setting.n_topics
    found = {label: np.empty((n, len(setting.systems), n_topics)) for label in [*labels, RESIDUAL]}
    judged = relevant = lost = 0.0
    for start, stop in chunks(setting, n):
        left = Judged(setting, loss.part(start, stop))
        judged += left.pool.grade.size
        r = left.pool.count_relevant(setting.rel)
        relevant += float(r.sum())
        lost += float((r == 0).sum())
        for s, system in enumerate(setting.systems):
            run = left.of(system)
            for label in labels:
                found[label][start:stop, s] = functions[label](run).reshape(stop - start, n_topics)
            found[RESIDUAL][start:stop, s] = rbp_residual(run).reshape(stop - start, n_topics)
    return found, {
        "judgments": judged / (n * setting.pool.grade.size),
        "relevant": relevant / (n * float(setting.pool.count_relevant(setting.rel).sum())),
        "topics_lost": lost / n,
    }
