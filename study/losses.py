"""Ways to lose judgments, for many samples at once: what is left of the pool and of the runs.

Samples are drawn as `irpref.meta.incompleteness` draws them: sample s of seed x is the same here and there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irpref.arrays.segments import Bools, Floats
from irpref.meta.imperfect import exchanged
from irpref.meta.incompleteness import LEAST, Thinning
from study.data import Setting
from study.hypotheses import PRIMARY_LEVEL

LEVELS: dict[str, tuple[int, ...]] = {
    "none": (0,),
    "random": (50, 20, 10, 5),
    "shallow": (30, 10, 3),
    "team": (0,),
    "gone": (90, 70, 50),
    "judges": (90, 80, 60),
}
PRIMARY = {"none": 0, **PRIMARY_LEVEL}


@dataclass(frozen=True)
class Part:
    """What is left in some samples.

    Attributes
    ----------
    keep : bool (n_samples, n_judged) or None, judgments that are left
    grade : float (n_samples, n_judged) or None, other grades
    there : bool (n_samples, n_docs) or None, documents that are left
    """

    n_samples: int
    keep: Bools | None = None
    grade: Floats | None = None
    there: Bools | None = None


class Loss:
    """A loss at a level.

    Parameters
    ----------
    setting : Setting
    name, level : of `LEVELS`
    n_samples : of the losses that are drawn; 'team' has one a team, 'none' has one
    seed : int
    """

    def __init__(self, setting: Setting, name: str, level: int, n_samples: int, seed: int) -> None:
        self.setting, self.name, self.level, self.seed = setting, name, level, seed
        if name == "none":
            n_samples = 1
        elif name == "team":
            n_samples = len(setting.teams)
        self.n_samples = n_samples

    def _rng(self, sample: int, *purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, sample, *purpose])

    @cached_property
    def in_pool(self) -> Bools | None:
        """Teams whose runs were pooled in each sample: (n_samples, n_teams); None where pools are whole."""
        n = len(self.setting.teams)
        if self.name == "shallow":
            return np.array([self._rng(s, 2).permutation(n) < max(n // 2, 1) for s in range(self.n_samples)])
        if self.name == "team":
            # A team that contributed nothing was not in the pool in any case.
            out = np.eye(n, dtype=bool)
            out[np.setdiff1d(np.arange(n), self.setting.team[self.setting.contributed])] = False
            return ~out
        return None

    @property
    def pooled(self) -> Bools | None:
        """Systems that were pooled in each sample: (n_samples, n_systems)."""
        return None if self.in_pool is None else self.in_pool[:, self.setting.team]

    def part(self, start: int, stop: int) -> Part:
        """Samples `start` to `stop - 1`."""
        samples = range(start, stop)
        of, pool = self.setting, self.setting.pool
        n = len(samples)
        if self.name == "none":
            return Part(n)
        if self.name == "random":
            return Part(n, np.array([self._thinning(s, LEAST).keep(self.level) for s in samples]))
        if self.name == "judges":
            places = (self._thinning(s, (0, 0)).place for s in samples)
            return Part(n, grade=np.array([exchanged(pool, of.rel, place, self.level) for place in places]))
        if self.name == "gone":
            kept = int(np.floor(self.level * of.n_docs / 100 + 0.5 + 1e-9))
            return Part(n, there=np.array([self._rng(s).permutation(of.n_docs) < kept for s in samples]))
        assert self.in_pool is not None
        if self.name == "shallow":
            first = of.first_by_team
            return Part(n, np.array([(first[self.in_pool[s]] <= self.level).any(axis=0) for s in samples]))
        # What no contributing run of another team has within the pool depth goes, where the team has it.
        had = of.first_by_contributing_team <= of.pool_depth
        others = had.sum(axis=0) - had
        return Part(n, np.array([~(had[s] & (others[s] == 0) & ~self.in_pool[s, s]) for s in samples]))

    def _thinning(self, sample: int, least: tuple[int, int]) -> Thinning:
        return Thinning(self.setting.pool, self.setting.rel, least, self._rng(sample))


def halves(n_samples: int, n_topics: int, seed: int) -> Bools:
    """A random half of the topics for each sample, the smaller one where their number is odd: (n_samples, n_topics)."""
    return np.array(
        [np.random.default_rng([seed, s, 1]).permutation(n_topics) < n_topics // 2 for s in range(n_samples)]
    )
