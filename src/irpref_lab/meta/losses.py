"""Losses of judgments: some are missing, or some are wrong.

    random     for each topic, the R relevant and the N judged non-relevant documents are each put
               in random order: the first P R and P N stay, at least 1 and 10
    pools      P % of the teams that submitted runs are drawn; their documents in the first
               `depth` ranks of a topic stay. There is no minimum; the runs that were not drawn are
               evaluated as well
    documents  P % of the documents stay in the collection. The others vanish from all runs, and the
               ranks close up; their judgments stay, and name documents that nobody can retrieve
    flip       for each topic, P % of the grades stay. The others change to a neighbouring grade of
               the scale, up or down alike; at the ends of the scale there is one neighbour only
    judges     P % of the topics keep the grades of the qrels. Each other topic takes the grades of
               one assessor, drawn from several; a document that this assessor did not judge keeps
               its grade

The first two are incomplete judgments, the others imperfect ones. J. De Beer and M.-F. Moens, SIGIR
2006, 637-638, doi:10.1145/1148170.1148293, leave open whether rpref is as robust to both as bpref.
random: C. Buckley and E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004,
25-32, doi:10.1145/1008992.1009000 (they also remove documents, and keep the judgments). judges:
after E. M. Voorhees, Variations in relevance judgments and the measurement of retrieval
effectiveness, IP&M 36 (2000) 697-716, doi:10.1016/S0306-4573(00)00010-8.

The papers leave these open; decided here:

- P R is rounded half up, and a topic with fewer than 1 or 10 such documents keeps all it has;
- graded judgments are split into the same two groups at `rel`, so all relevant grades are equally
  likely to stay;
- negative grades (unjudged for nearly all measures) are thinned separately, with no minimum, and
  are never changed to another grade;
- the collection is all documents that are judged or retrieved by a run; a document is there for all
  topics or for none;
- the scale is the grades of 0 and above that occur in the qrels. Most documents are not relevant,
  so most changed grades make a non-relevant document relevant;
- samples depend on the ids and the seed, not on the order of the rows of the qrels;
- in a sample, the remains at a lower level are part of the remains at a higher one;
- a seed gives the same samples in all functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from irpref.errors import ArgumentError, JudgmentsError
from irpref.judged import Pool, QrelsLike, as_judgments, canonical, hash_of_pool
from irpref.kernel import Bools, Floats, Ints, JudgedRun, Segments, all_whole, order_by
from irpref.messages import check_choice
from irpref_lab.messages import not_accepted
from irpref_lab.trust.samples import Rng

LEAST = (1, 10)
DEPTH = 10


@dataclass(frozen=True, slots=True, eq=False)
class Remains:
    """The judgments that a loss leaves.

    Attributes
    ----------
    intact : bool array (n_judged,)
        Judgments that are there and right.
    pooled : bool array (n_runs,)
        Runs that were pooled.
    grade : float array (n_judged,), optional
        Grades of all judged documents, if some are wrong. None: judgments that are not intact are
        missing.
    documents : set of str, optional
        The documents of the collection, if some are gone. None: all are there.
    """

    intact: Bools
    pooled: Bools
    grade: Floats | None = None
    documents: frozenset[str] | None = None


class Loss:
    """The remains of the judgments in each sample, at each level.

    Parameters
    ----------
    pool : Pool
    runs : mapping of system to JudgedRun
    levels : per cent that the loss leaves: see the module
    rng : seed or Generator, optional
        Seed 0 if not given.
    loss : {'random', 'pools', 'documents', 'flip', 'judges'}
    rel : lowest relevant grade
    least : relevant and non-relevant documents of a topic that stay at any level, for 'random'
    depth : int
        How deep pools are judged, in ranks, for 'pools'.
    teams : mapping of system to team, optional
        Teams are drawn; a system that is not named is a team of its own.
    judges : list of qrels
        Judgments of the same documents by other assessors, for 'judges'.
    listed : mapping of system to dict of dicts
        The same runs with all their documents, for 'documents'.

    Attributes
    ----------
    levels : list of float
        The requested levels below 100 %.
    seed : int
    teams : dict of system to team
    others : float array (n_assessors, n_judged)
        Grades of the other assessors, NaN for documents that they did not judge.

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
        judges: Sequence[QrelsLike] = (),
        listed: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
    ) -> None:
        check_choice("loss", loss, LOSSES)
        self.pool, self.loss = pool, loss
        _check_numbers(rel, least, depth)
        self.rel, self.least, self.depth = rel, least, depth
        self.levels = _check_levels(levels, zero=loss in ("flip", "judges"))
        self.teams = {str(run): str(team) for run, team in (teams or {}).items()}
        self.seed = (
            int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else int(rng or 0)
        )
        assessors: Any = judges if isinstance(judges, (list, tuple)) else [judges]
        pools = [as_judgments(one).pool() for one in assessors]
        for name, value, usual, owner in (
            ("depth", depth, DEPTH, "pools"),
            ("least", tuple(least), LEAST, "random"),
            ("judges", len(pools), 0, "judges"),
        ):
            if value != usual and loss != owner:
                raise ArgumentError(
                    f"{name}={value!r} is for loss={owner!r}, got loss={loss!r}",
                    parameter=name,
                    value=value,
                )
        self.others = _other_grades(pool, pools) if loss == "judges" else np.zeros((0, 0))
        self.hashes = [hash_of_pool(one) for one in pools]
        if loss == "flip" and sum(grade >= 0 for grade in pool.scale()) < 2:
            raise JudgmentsError("the qrels hold one grade only, and it has no neighbour")
        # Sorted by name, so that the draw does not depend on the order of the runs.
        names = sorted({self.teams.get(system, system) for system in runs})
        self.team: Ints = np.array(
            [names.index(self.teams.get(system, system)) for system in runs], dtype=np.int64
        )
        self.top = [run.row[run.rank <= depth] for run in runs.values()]
        self.documents: list[str] = []
        if loss == "documents":
            every = set(pool.doc_ids.tolist())
            every.update(
                doc for run in (listed or {}).values() for docs in run.values() for doc in docs
            )
            self.documents = sorted(every)
        self._places: dict[int, Ints] = {}

    def keep(self, level: float, sample: int) -> Remains:
        """Return the remains at a level, in a sample."""
        if level == 100:
            return Remains(np.ones(self.pool.grade.size, bool), self.everyone)
        return LOSSES[self.loss](self, level, sample)

    @property
    def everyone(self) -> Bools:
        """All runs are pooled: shape (n_runs,)."""
        return np.ones(self.team.size, bool)

    def draw(self, sample: int) -> np.random.Generator:
        """Return the random numbers of a sample, the same at every level."""
        return np.random.default_rng([self.seed, sample])

    def places(self, sample: int, group: Ints, n_groups: int) -> Ints:
        """Place each judgment in a random order of its group: shape (n_judged,)."""
        if sample not in self._places:
            shuffled = np.empty(group.size, dtype=np.int64)
            # Draw in the order of the ids: the order of the rows of the qrels does not matter.
            shuffled[canonical(self.pool)] = self.draw(sample).permutation(shuffled.size)
            place: Ints = np.empty_like(shuffled)
            sizes = np.bincount(group, minlength=n_groups)
            place[order_by(group, shuffled, n_groups)] = Segments.of_lengths(sizes).position
            self._places[sample] = place
        return self._places[sample]


# Losses -------------------------------------------------------------------------------------------


def _random(lost: Loss, level: float, sample: int) -> Remains:
    """Remove any judgments, of relevant, non-relevant and negative documents alike."""
    pool, n_groups = lost.pool, 3 * lost.pool.n_topics
    kind = np.where(pool.grade >= lost.rel, 0, np.where(pool.grade >= 0, 1, 2))
    group = 3 * pool.judged.topic + kind
    sizes = np.bincount(group, minlength=n_groups)
    stay = np.maximum(_per_cent(level, sizes), np.tile([*lost.least, 0], pool.n_topics))
    return Remains(lost.places(sample, group, n_groups) < stay[group], lost.everyone)


def _pools(lost: Loss, level: float, sample: int) -> Remains:
    """Remove the judgments of documents that only runs outside a shallow pool found."""
    teams = lost.draw(sample).permutation(len(np.unique(lost.team)))
    pooled = np.isin(lost.team, teams[: max(_per_cent(level, teams.size), 1)])
    intact = np.zeros(lost.pool.grade.size, bool)
    for rows in compress(lost.top, pooled.tolist()):
        intact[rows] = True
    return Remains(intact, pooled)


def _documents(lost: Loss, level: float, sample: int) -> Remains:
    """Remove documents from the collection; their judgments stay."""
    n = len(lost.documents)
    stays = lost.draw(sample).permutation(n) < _per_cent(level, n)
    there = frozenset(compress(lost.documents, stays.tolist()))
    intact = np.fromiter((doc in there for doc in lost.pool.doc_ids.tolist()), bool)
    return Remains(intact, lost.everyone, documents=there)


def _flip(lost: Loss, level: float, sample: int) -> Remains:
    """Change grades to a neighbouring one."""
    pool, n_groups = lost.pool, 2 * lost.pool.n_topics
    group = 2 * pool.judged.topic + (pool.grade < 0)
    stay = _per_cent(level, np.bincount(group, minlength=n_groups))
    intact = (lost.places(sample, group, n_groups) < stay[group]) | (pool.grade < 0)
    up = np.empty(pool.grade.size, bool)
    up[canonical(pool)] = np.random.default_rng([lost.seed, sample, 1]).random(up.size) < 0.5
    scale = np.array([grade for grade in pool.scale() if grade >= 0])
    at = np.searchsorted(scale, np.maximum(pool.grade, scale[0]))
    step = np.where((at == 0) | (up & (at < scale.size - 1)), 1, -1)
    return Remains(intact, lost.everyone, np.where(intact, pool.grade, scale[at + step]))


def _judges(lost: Loss, level: float, sample: int) -> Remains:
    """Give topics the grades of other assessors."""
    pool, draw = lost.pool, lost.draw(sample)
    by_id = sorted(range(pool.n_topics), key=pool.topic_ids.__getitem__)
    place, assessor = np.empty((2, pool.n_topics), np.int64)
    place[by_id] = draw.permutation(pool.n_topics)
    assessor[by_id] = draw.integers(len(lost.others), size=pool.n_topics)
    intact = pool.judged.spread(place < _per_cent(level, pool.n_topics))
    theirs = lost.others[pool.judged.spread(assessor), np.arange(pool.grade.size)]
    return Remains(intact, lost.everyone, np.where(intact | np.isnan(theirs), pool.grade, theirs))


LOSSES: dict[str, Callable[[Loss, float, int], Remains]] = {
    "random": _random,
    "pools": _pools,
    "documents": _documents,
    "flip": _flip,
    "judges": _judges,
}


# Arguments ----------------------------------------------------------------------------------------


def _check_numbers(rel: float, least: tuple[int, int], depth: int) -> None:
    if isinstance(depth, bool) or int(depth) != depth or depth < 1:
        raise not_accepted("depth", depth, "a whole number of at least 1")
    if not rel > 0:
        raise not_accepted("rel", rel, "a grade above 0")
    if len(least) != 2 or min(least) < 0:
        raise not_accepted("least", least, "two numbers: relevant, non-relevant documents")


def _check_levels(levels: Iterable[float], zero: bool) -> list[float]:
    """Return the levels below 100; `zero`: whether nothing may be left."""
    chosen = [float(level) for level in dict.fromkeys(levels)]
    if not chosen or any(not 0 <= level <= 100 or (level == 0 and not zero) for level in chosen):
        start = "from" if zero else "above"
        raise ArgumentError(
            f"levels must be per cent, {start} 0 and up to 100, got {chosen}",
            parameter="levels",
            value=levels,
        )
    return [level for level in chosen if level < 100]


def _other_grades(pool: Pool, pools: Sequence[Pool]) -> Floats:
    """Collect the grades of other assessors, NaN for documents that they did not judge or that the
    qrels have below 0.

    Raises
    ------
    ValueError
        There is no other assessor, or one judged none of the documents.
    """
    if not pools:
        raise ArgumentError(
            "loss='judges' needs the grades of at least one other assessor", parameter="judges"
        )
    grades = np.full((len(pools), pool.grade.size), np.nan)
    keys = list(zip(pool.judged.topic.tolist(), pool.doc_ids.tolist(), strict=True))
    for row, other in zip(grades, pools, strict=True):
        topics = np.array([pool.topic_of.get(topic, -1) for topic in other.topic_ids])
        there = other.grade >= 0
        numbers = topics[other.judged.topic[there]].tolist()
        documents = zip(numbers, other.doc_ids[there].tolist(), strict=True)
        known = dict(zip(documents, other.grade[there].tolist(), strict=True))
        row[:] = [known.get(key, np.nan) for key in keys]
        if np.isnan(row).all():
            raise ArgumentError(
                "judges: an assessor judged no document of the qrels for the same topic",
                parameter="judges",
            )
    grades[:, pool.grade < 0] = np.nan
    return grades


def _per_cent(level: float, number: Any) -> Any:
    """Compute a percentage of a number, rounded half up."""
    # 1e-9: with levels such as 2.5 a product may fall short of a half by a rounding error.
    return np.floor(level * number / 100 + 0.5 + 1e-9).astype(np.int64)


def thin(
    qrels: QrelsLike,
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
        With the same seed and sample, a lower level keeps a subset of the judgments at a higher
        one.
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
    pool = as_judgments(qrels).pool()
    keep = Loss(pool, {}, [level], rng, rel=rel, least=least).keep(float(level), sample).intact
    grade = pool.grade[keep]
    return pd.DataFrame(
        {
            "query_id": [pool.topic_ids[t] for t in pool.judged.topic[keep].tolist()],
            "doc_id": pool.doc_ids[keep].tolist(),
            "relevance": grade.astype(np.int64) if all_whole(grade) else grade,
        }
    )
