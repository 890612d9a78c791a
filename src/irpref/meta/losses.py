"""What is left of judgments: parts of a pool and runs against them, random orders, shallow pools.

`incompleteness` and `robustness` both draw with these: a sample of a seed is the same in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Ints, NDArray, Segments, order_by
from irpref.judged.fingerprint import canonical
from irpref.judged.pool import Pool
from irpref.values.samples import Rng

LEAST = (1, 10)
DEPTH = 10
T = TypeVar("T", bound=np.generic)


class Restriction:
    """Judgments of which some are taken away, several times, and what runs look like against what is left each time.

    A run is aligned with the full judgments once; here its hits are picked by mask. The topics are those of the first
    time, then those of the second, and so on: measures see one run with many topics, which takes them little longer
    than one with few.

    Attributes
    ----------
    keep : bool array (n, n_judged)
        Rows of the full pool that stay judged each time; given as (n_judged,) for one time.
    pool : Judgments
        What is left, in ideal order still.
    """

    def __init__(self, pool: Judgments, keep: Bools) -> None:
        self.keep = keep = np.atleast_2d(keep)
        n, n_judged = keep.shape
        rows = np.flatnonzero(keep)
        row = rows % n_judged
        columns = {name: column[row] for name, column in pool.columns.items()}
        self.pool = Judgments(_repeated(pool.judged, n).part(rows), pool.grade[row], columns)
        # When each row stays, a bit each time: read once for all times, and most rows of low levels never stay.
        self._times = np.packbits(keep, axis=0, bitorder="little")
        self._byte, self._bit = np.arange(n) // 8, (1 << np.arange(n) % 8).astype(np.uint8)[:, None]
        # Level here of each level there, of the first time, of the second and so on.
        self._level = np.zeros(n * pool.level_start.size, np.int64)
        self._level[pool.level[row] + rows // n_judged * pool.level_start.size] = self.pool.level

    def of(self, run: JudgedRun) -> JudgedRun:
        """The run against what is left: other documents keep their ranks and count as unjudged."""
        n = len(self.keep)
        times = np.array([byte.take(run.row) for byte in self._times])
        some = np.flatnonzero(times.any(axis=0))
        kept = np.flatnonzero((times.take(some, axis=1)[self._byte] & self._bit) != 0)

        def stay(values: NDArray[T]) -> NDArray[T]:
            return np.tile(values.take(some), n).take(kept)

        level = np.add.outer(np.arange(n) * run.pool.level_start.size, run.level.take(some)).ravel()
        part = JudgedRun(
            self.pool,
            _repeated(run.hits.part(some), n).part(kept),
            stay(run.rank),
            lambda: self._row(run.row),
            np.tile(run.n_retrieved, n),
            self._level.take(level.take(kept)),
        )
        if run.rank_rising is not None:
            part.rank_rising = stay(run.rank_rising)
        return part

    def _row(self, row: Ints) -> Ints:
        """Rows of the full pool as rows of what is left, without those that are not."""
        n, n_judged = self.keep.shape
        left = np.where(self.keep, np.cumsum(self.keep).reshape(n, n_judged) - 1, -1)[:, row].ravel()
        return left[left >= 0]


def _repeated(segments: Segments, n: int) -> Segments:
    """The same segments `n` times, one time after the other."""
    starts = np.arange(n)[:, None] * segments.size + segments.starts
    return Segments(np.append(starts, n * segments.size))


class Thinning:
    """Random orders of the judgments of one sample: which of them stay at each level.

    Parameters
    ----------
    pool : Pool
    rel : lowest relevant grade
    least : relevant and non-relevant documents of a topic that stay at any level
    draw : Generator
    """

    def __init__(self, pool: Pool, rel: float, least: tuple[int, int], draw: np.random.Generator) -> None:
        stratum = np.where(pool.grade >= rel, 0, np.where(pool.grade >= 0, 1, 2))
        group = 3 * pool.judged.topic + stratum
        self._sizes = np.bincount(group, minlength=3 * pool.n_topics)
        self._least = np.tile([*least, 0], pool.n_topics)
        self._group = group
        # Numbers are drawn in the order of the ids: the lines of the qrels may stand in any.
        shuffled = np.empty(group.size, dtype=np.int64)
        shuffled[canonical(pool)] = draw.permutation(group.size)
        order = order_by(group, shuffled, 3 * pool.n_topics)
        self.place: Ints = np.empty(group.size, dtype=np.int64)  # of each document in the order of its group
        self.place[order] = Segments.of_lengths(self._sizes).position

    def keep(self, level: float) -> Bools:
        """Judgments that stay at `level` per cent: shape (n_judged,)."""
        # The small number is for levels such as 2.5, whose products may fall short of a half by a rounding
        # error.
        share = np.floor(level * self._sizes / 100 + 0.5 + 1e-9).astype(np.int64)
        return self.place < np.maximum(share, self._least)[self._group]


class Pools:
    """Judgments that shallow pools of some of the runs would have found.

    Parameters
    ----------
    runs : mapping of system to JudgedRun
    depth : int
        Ranks of a topic that are judged.
    teams : mapping of system to team
        Who is drawn; a system that is not named is a team of its own.
    n_judged : int
    """

    def __init__(self, runs: Mapping[str, JudgedRun], depth: int, teams: Mapping[str, str], n_judged: int) -> None:
        found: dict[str, list[Ints]] = {}
        for system, run in runs.items():
            found.setdefault(teams.get(system, system), []).append(run.row[run.rank <= depth])
        # Drawn in the order of their names: it does not matter in which order the runs come.
        names = sorted(found)
        self._rows = [np.unique(np.concatenate(found[team])) for team in names]
        self._team = np.array([names.index(teams.get(system, system)) for system in runs])
        self._n_judged = n_judged

    def keep(self, level: float, draw: np.random.Generator) -> tuple[Bools, Bools]:
        """What is left if `level` per cent of the teams are pooled: judgments, (n_judged,); runs pooled, (n_runs,)."""
        order = draw.permutation(len(self._rows))
        pooled = max(int(np.floor(level * order.size / 100 + 0.5 + 1e-9)), 1)
        out = np.zeros(self._n_judged, bool)
        for team in order[:pooled].tolist():
            out[self._rows[team]] = True
        return out, np.isin(self._team, order[:pooled])


def seed_of(rng: Rng | None) -> int:
    if rng is None:
        raise ValueError("incompleteness draws samples: give rng (a seed or a numpy Generator)")
    return int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else int(rng)


def check_levels(levels: Iterable[float], rel: float, least: tuple[int, int], zero: bool = False) -> list[float]:
    chosen = [float(level) for level in dict.fromkeys(levels)]
    if not chosen or any(not 0 <= level <= 100 or (level == 0 and not zero) for level in chosen):
        raise ValueError(f"levels must be per cent, {'from' if zero else 'above'} 0 and up to 100, got {chosen}")
    if not rel > 0:
        raise ValueError(f"rel={rel!r} is not accepted, expected a grade above 0")
    if len(least) != 2 or min(least) < 0:
        raise ValueError(f"least={least!r} is not accepted, expected two numbers: relevant, non-relevant documents")
    return chosen
