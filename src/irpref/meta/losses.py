"""What is left of judgments when some are lost: at random, or outside of shallow pools.

    random  for each topic, a random order of the relevant and one of the judged non-relevant documents: the first P R
            and P N of them stay, at least 1 and 10. R, N: relevant and judged non-relevant documents of the topic
    pools   P % of the teams that sent runs are drawn; what these have in the first `depth` ranks of a topic stays.
            There is no minimum; the runs that were not drawn are evaluated as well

C. Buckley and E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004, 25-32,
doi:10.1145/1008992.1009000.

Left open there, decided here: P R is rounded half up; a topic with fewer than 1 or 10 such documents keeps
all it has; graded judgments are split into the same two groups at `rel`, so that a document of any relevant
grade is as likely to stay as another; negative grades (unjudged for nearly all measures) are thinned by
themselves, with no minimum. Samples depend on the ids and the seed, not on the order of the lines of the
qrels; the smaller qrels of a sample lie inside the larger, and a sample of a seed is the same in all functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.arrays.judgments import Judgments
from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Bools, Ints, Segments, all_whole, order_by
from irpref.judged.fingerprint import canonical
from irpref.judged.pool import Pool
from irpref.judged.types import Qrels
from irpref.messages import check_choice
from irpref.values.samples import Rng

if TYPE_CHECKING:
    import pandas as pd

LOSSES = ("random", "pools")
LEAST = (1, 10)
DEPTH = 10


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
        # Level here of each level there, of the first time, of the second and so on.
        self._level = np.zeros(n * pool.level_start.size, np.int64)
        self._level[pool.level[row] + rows // n_judged * pool.level_start.size] = self.pool.level

    def of(self, run: JudgedRun) -> JudgedRun:
        """The run against what is left: other documents keep their ranks and count as unjudged."""
        n, size, n_levels = len(self.keep), run.row.size, run.pool.level_start.size
        kept = np.flatnonzero(self.keep.take(run.row, axis=1))
        hit = kept % size
        part = JudgedRun(
            self.pool,
            _repeated(run.hits, n).part(kept),
            run.rank.take(hit),
            lambda: self._row(run.row),
            np.tile(run.n_retrieved, n),
            self._level.take(kept // size * n_levels + run.level.take(hit)),
        )
        if run.rank_rising is not None:
            part.rank_rising = run.rank_rising.take(hit)
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


class Loss:
    """What is left of the judgments in each sample, at each level.

    Parameters
    ----------
    pool : Pool
    runs : mapping of system to JudgedRun
    levels : per cent of the judgments that are left, or of the teams that are pooled
    rng : seed or Generator
    loss : {'random', 'pools'}
    rel : lowest relevant grade
    least : relevant and non-relevant documents of a topic that stay at any level, if they are lost at random
    depth : int
        Ranks of a topic that are judged in pools.
    teams : mapping of system to team, optional
        Who is drawn; a system that is not named is a team of its own.

    Attributes
    ----------
    levels : list of float
        Those asked for below 100 %.
    seed : int
    teams : dict of system to team

    Raises
    ------
    ValueError
        Anything that is not accepted, or is of another loss.
    """

    def __init__(
        self,
        pool: Pool,
        runs: Mapping[str, JudgedRun],
        levels: Iterable[float],
        rng: Rng | None,
        loss: str = "random",
        rel: float = 1,
        least: tuple[int, int] = LEAST,
        depth: int = DEPTH,
        teams: Mapping[str, str] | None = None,
    ) -> None:
        check_choice("loss", loss, LOSSES)
        if isinstance(depth, bool) or int(depth) != depth or depth < 1:
            raise ValueError(f"depth={depth!r} is not accepted, expected a whole number of at least 1")
        if depth != DEPTH and loss != "pools":
            raise ValueError(f"depth={depth!r} is for loss='pools', got loss={loss!r}")
        if tuple(least) != LEAST and loss != "random":
            raise ValueError(f"least={least!r} is for loss='random', got loss={loss!r}")
        chosen = [float(level) for level in dict.fromkeys(levels)]
        if not chosen or any(not 0 < level <= 100 for level in chosen):
            raise ValueError(f"levels must be per cent, above 0 and up to 100, got {chosen}")
        if not rel > 0:
            raise ValueError(f"rel={rel!r} is not accepted, expected a grade above 0")
        if len(least) != 2 or min(least) < 0:
            raise ValueError(f"least={least!r} is not accepted, expected two numbers: relevant, non-relevant documents")
        if rng is None:
            raise ValueError("incompleteness draws samples: give rng (a seed or a numpy Generator)")
        self.loss, self.rel, self.least, self.depth = loss, rel, least, depth
        self.levels = [level for level in chosen if level < 100]
        self.teams = {str(run): str(team) for run, team in (teams or {}).items()}
        self.seed = int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else int(rng)
        self._pool = pool
        # Relevant, non-relevant and negative documents of each topic.
        self._group = 3 * pool.judged.topic + np.where(pool.grade >= rel, 0, np.where(pool.grade >= 0, 1, 2))
        self._sizes = np.bincount(self._group, minlength=3 * pool.n_topics)
        self._places = lru_cache(maxsize=None)(self._drawn)
        of_team: dict[str, list[Ints]] = {}
        for system, run in runs.items():
            of_team.setdefault(self.teams.get(system, system), []).append(run.row[run.rank <= depth])
        # Drawn in the order of their names: it does not matter in which order the runs come.
        names = sorted(of_team)
        self._rows = [np.unique(np.concatenate(of_team[team])) for team in names]
        self.team: Ints = np.array([names.index(self.teams.get(system, system)) for system in runs], dtype=np.int64)

    def keep(self, level: float, sample: int) -> tuple[Bools, Bools]:
        """Judgments that are left, (n_judged,), and runs that are pooled, (n_runs,): all, if losses are random."""
        everyone = np.ones(self.team.size, bool)
        if level == 100:
            return np.ones(self._pool.grade.size, bool), everyone
        if self.loss == "random":
            stay = np.maximum(_per_cent(level, self._sizes), np.tile([*self.least, 0], self._pool.n_topics))
            return self._places(sample) < stay[self._group], everyone
        teams = self._draw(sample).permutation(len(self._rows))
        pooled = teams[: max(_per_cent(level, teams.size), 1)]
        out = np.zeros(self._pool.grade.size, bool)
        for team in pooled.tolist():
            out[self._rows[team]] = True
        return out, np.isin(self.team, pooled)

    def _drawn(self, sample: int) -> Ints:
        """The place of each judgment in a random order of its group: shape (n_judged,)."""
        shuffled = np.empty(self._group.size, dtype=np.int64)
        # Numbers are drawn in the order of the ids, whatever the order of the lines of the qrels.
        shuffled[canonical(self._pool)] = self._draw(sample).permutation(shuffled.size)
        place: Ints = np.empty_like(shuffled)
        place[order_by(self._group, shuffled, self._sizes.size)] = Segments.of_lengths(self._sizes).position
        return place

    def _draw(self, sample: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, sample])


def _per_cent(level: float, number: Any) -> Any:
    """So many per cent of a number, rounded half up."""
    # The small number is for levels such as 2.5, whose products may fall short of a half by a rounding error.
    return np.floor(level * number / 100 + 0.5 + 1e-9).astype(np.int64)


def thin(
    qrels: Qrels, level: float, *, rel: float = 1, least: tuple[int, int] = LEAST, sample: int = 0, rng: Rng
) -> pd.DataFrame:
    """Qrels of which `level` per cent are left.

    Parameters
    ----------
    qrels : as `ir_measures.calc` takes them
    level : per cent
        Lower levels of the same seed and sample lie inside higher ones.
    rel : lowest relevant grade
    least : relevant and judged non-relevant documents of a topic that stay at any level
    sample : int
        Number of the sample, as `incompleteness` counts them.
    rng : seed or Generator

    Returns
    -------
    pandas.DataFrame
        Columns query_id, doc_id, relevance.

    Raises
    ------
    ValueError
        Bad qrels; a level that is no percentage.

    Examples
    --------
    >>> qrels = {"q": {"d1": 1, "d2": 1, "d3": 1, "d4": 1, "d5": 0, "d6": 0}}
    >>> left = thin(qrels, 50, least=(1, 1), rng=0)
    >>> left["relevance"].tolist()
    [1, 1, 0]
    """
    import pandas as pd

    pool = Pool.build(qrels)
    keep, _ = Loss(pool, {}, [level], rng, rel=rel, least=least).keep(float(level), sample)
    grade = pool.grade[keep]
    return pd.DataFrame(
        {
            "query_id": [pool.topic_ids[t] for t in pool.judged.topic[keep].tolist()],
            "doc_id": pool.doc_ids[keep].tolist(),
            "relevance": grade.astype(np.int64) if all_whole(grade) else grade,
        }
    )
