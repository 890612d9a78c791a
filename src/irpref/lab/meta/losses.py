"""Remove judgments: at random, or outside shallow pools.

    random  for each topic, the R relevant and the N judged non-relevant documents are each put in
            random order: the first P R and P N of them stay, at least 1 and 10
    pools   P % of the teams that submitted runs are drawn; what these have in the first `depth`
            ranks of a topic stays. There is no minimum; the runs that were not drawn are evaluated
            as well

C. Buckley and E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004, 25-32,
doi:10.1145/1008992.1009000.

The paper leaves these open; decided here:

- P R is rounded half up, and a topic with fewer than 1 or 10 such documents keeps all it has;
- graded judgments are split into the same two groups at `rel`, so all relevant grades are equally
  likely to stay;
- negative grades (unjudged for nearly all measures) are thinned separately, with no minimum;
- samples depend on the ids and the seed, not on the order of the rows of the qrels;
- in a sample, the judgments of a lower level are a subset of those of a higher one;
- a seed gives the same samples in all functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.errors import ArgumentError
from irpref.judged.fingerprint import canonical
from irpref.judged.judgments import judgments
from irpref.judged.pool import Pool
from irpref.judged.types import Qrels
from irpref.kernel.grades import Grades
from irpref.kernel.run import JudgedRun
from irpref.kernel.segments import Bools, Ints, Segments, all_whole, order_by
from irpref.lab.trust.samples import Rng
from irpref.messages import check_choice

if TYPE_CHECKING:
    import pandas as pd

LOSSES = ("random", "pools")
LEAST = (1, 10)
DEPTH = 10


class Restriction:
    """Several subsets of the judgments, and runs judged by each of them.

    A run is aligned with the full judgments once; a mask then picks its hits for each subset. The
    topics of the first subset come first, then those of the second, and so on: measures see one run
    with many topics, which takes little longer than one with few.

    Attributes
    ----------
    keep : bool array (n, n_judged)
        Rows of the full pool that each subset keeps; you may give (n_judged,) for one subset.
    pool : Grades
        What is left, still in ideal order.
    """

    def __init__(self, pool: Grades, keep: Bools) -> None:
        self.keep = keep = np.atleast_2d(keep)
        n, n_judged = keep.shape
        rows = np.flatnonzero(keep)
        row = rows % n_judged
        columns = {name: column[row] for name, column in pool.columns.items()}
        self.pool = Grades(_repeated(pool.judged, n).part(rows), pool.grade[row], columns)
        # New number of each level of the full pool, for the first subset, then the second, and so
        # on.
        self._level = np.zeros(n * pool.level_start.size, np.int64)
        self._level[pool.level[row] + rows // n_judged * pool.level_start.size] = self.pool.level

    def judged(self, run: JudgedRun) -> JudgedRun:
        """The run judged by what is left: all other documents keep their ranks and count as
        unjudged.
        """
        n, size, n_levels = len(self.keep), run.row.size, run.pool.level_start.size
        kept = np.flatnonzero(self.keep.take(run.row, axis=1))
        hit = kept % size
        rising = run.rank_rising
        return JudgedRun(
            self.pool,
            _repeated(run.hits, n).part(kept),
            run.rank.take(hit),
            lambda: self._row(run.row),
            np.tile(run.n_retrieved, n),
            self._level.take(kept // size * n_levels + run.level.take(hit)),
            rank_rising=None if rising is None else rising.take(hit),
        )

    def _row(self, row: Ints) -> Ints:
        """Rows of the full pool as rows of what is left; removed rows are dropped."""
        n, n_judged = self.keep.shape
        left = np.where(self.keep, np.cumsum(self.keep).reshape(n, n_judged) - 1, -1)[
            :, row
        ].ravel()
        return left[left >= 0]


def _repeated(segments: Segments, n: int) -> Segments:
    """The same segments `n` times in a row."""
    starts = np.arange(n)[:, None] * segments.size + segments.starts
    return Segments(np.append(starts, n * segments.size))


class Loss:
    """What is left of the judgments in each sample, at each level.

    Parameters
    ----------
    pool : Pool
    runs : mapping of system to JudgedRun
    levels : per cent of the judgments that are left, or of the teams that are pooled
    rng : seed or Generator, optional
        Seed 0 if not given.
    loss : {'random', 'pools'}
    rel : lowest relevant grade
    least : relevant and non-relevant documents of a topic that stay at any level, if they are lost
        at random
    depth : int
        How deep pools are judged, in ranks.
    teams : mapping of system to team, optional
        Teams are drawn; a system that is not named is a team of its own.

    Attributes
    ----------
    levels : list of float
        The requested levels below 100 %.
    seed : int
    teams : dict of system to team

    Raises
    ------
    ValueError
        An argument is not accepted, or belongs to another loss.
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
            raise ArgumentError(
                f"depth={depth!r} is not accepted, expected a whole number of at least 1",
                parameter="depth",
                value=depth,
            )
        if depth != DEPTH and loss != "pools":
            raise ArgumentError(
                f"depth={depth!r} is for loss='pools', got loss={loss!r}",
                parameter="depth",
                value=depth,
            )
        if tuple(least) != LEAST and loss != "random":
            raise ArgumentError(
                f"least={least!r} is for loss='random', got loss={loss!r}",
                parameter="least",
                value=least,
            )
        chosen = [float(level) for level in dict.fromkeys(levels)]
        if not chosen or any(not 0 < level <= 100 for level in chosen):
            raise ArgumentError(
                f"levels must be per cent, above 0 and up to 100, got {chosen}",
                parameter="levels",
                value=levels,
            )
        if not rel > 0:
            raise ArgumentError(
                f"rel={rel!r} is not accepted, expected a grade above 0", parameter="rel", value=rel
            )
        if len(least) != 2 or min(least) < 0:
            raise ArgumentError(
                f"least={least!r} is not accepted, expected two numbers: relevant, non-relevant "
                f"documents",
                parameter="least",
                value=least,
            )
        self.loss, self.rel, self.least, self.depth = loss, rel, least, depth
        self.levels = [level for level in chosen if level < 100]
        self.teams = {str(run): str(team) for run, team in (teams or {}).items()}
        self.seed = (
            int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else int(rng or 0)
        )
        self._pool = pool
        # Relevant, non-relevant and negative documents of each topic.
        self._group = 3 * pool.judged.topic + np.where(
            pool.grade >= rel, 0, np.where(pool.grade >= 0, 1, 2)
        )
        self._sizes = np.bincount(self._group, minlength=3 * pool.n_topics)
        self._places = lru_cache(maxsize=None)(self._drawn)
        of_team: dict[str, list[Ints]] = {}
        for system, run in runs.items():
            of_team.setdefault(self.teams.get(system, system), []).append(
                run.row[run.rank <= depth]
            )
        # Sorted by name, so that the draw does not depend on the order of the runs.
        names = sorted(of_team)
        self._rows = [np.unique(np.concatenate(of_team[team])) for team in names]
        self.team: Ints = np.array(
            [names.index(self.teams.get(system, system)) for system in runs], dtype=np.int64
        )

    def keep(self, level: float, sample: int) -> tuple[Bools, Bools]:
        """Judgments that are left, (n_judged,), and runs that are pooled, (n_runs,): all of them
        for random losses.
        """
        everyone = np.ones(self.team.size, bool)
        if level == 100:
            return np.ones(self._pool.grade.size, bool), everyone
        if self.loss == "random":
            stay = np.maximum(
                _per_cent(level, self._sizes), np.tile([*self.least, 0], self._pool.n_topics)
            )
            return self._places(sample) < stay[self._group], everyone
        teams = self._draw(sample).permutation(len(self._rows))
        pooled = teams[: max(_per_cent(level, teams.size), 1)]
        out = np.zeros(self._pool.grade.size, bool)
        for team in pooled.tolist():
            out[self._rows[team]] = True
        return out, np.isin(self.team, pooled)

    def _drawn(self, sample: int) -> Ints:
        """Position of each judgment in a random order of its group: shape (n_judged,)."""
        shuffled = np.empty(self._group.size, dtype=np.int64)
        # Draw in the order of the ids, so that the order of the rows of the qrels does not matter.
        shuffled[canonical(self._pool)] = self._draw(sample).permutation(shuffled.size)
        place: Ints = np.empty_like(shuffled)
        place[order_by(self._group, shuffled, self._sizes.size)] = Segments.of_lengths(
            self._sizes
        ).position
        return place

    def _draw(self, sample: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, sample])


def _per_cent(level: float, number: Any) -> Any:
    """A percentage of a number, rounded half up."""
    # 1e-9: with levels such as 2.5 a product may fall short of a half by a rounding error.
    return np.floor(level * number / 100 + 0.5 + 1e-9).astype(np.int64)


def thin(
    qrels: Qrels,
    level: float,
    *,
    rel: float = 1,
    least: tuple[int, int] = LEAST,
    sample: int = 0,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Keep `level` per cent of the qrels.

    Parameters
    ----------
    qrels : as `ir_measures.calc` takes them
    level : per cent
        With the same seed and sample, a lower level keeps a subset of what a higher one keeps.
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
        Bad qrels; the level is not a percentage.

    Examples
    --------
    >>> qrels = {"q": {"d1": 1, "d2": 1, "d3": 1, "d4": 1, "d5": 0, "d6": 0}}
    >>> left = thin(qrels, 50, least=(1, 1), rng=0)
    >>> left["relevance"].tolist()
    [1, 1, 0]
    """
    import pandas as pd

    pool = judgments(qrels).pool()
    keep, _ = Loss(pool, {}, [level], rng, rel=rel, least=least).keep(float(level), sample)
    grade = pool.grade[keep]
    return pd.DataFrame(
        {
            "query_id": [pool.topic_ids[t] for t in pool.judged.topic[keep].tolist()],
            "doc_id": pool.doc_ids[keep].tolist(),
            "relevance": grade.astype(np.int64) if all_whole(grade) else grade,
        }
    )
