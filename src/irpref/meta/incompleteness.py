"""Incomplete judgments: does a measure still rank the systems as it did, when most judgments are gone?

For each topic, a random order of the relevant and one of the judged non-relevant documents. At P % the first
P R relevant and P N non-relevant documents stay judged, at least 1 and 10; so the smaller qrels lie inside
the larger. All runs are evaluated again with each, and the ranking of the systems is compared with the one of
all judgments (Kendall's tau), by the same measure or by a reference measure. P = 90, 80, ... 40, 30, 25, 20,
15, 10, 5, 4 ... 1.

R, N  relevant and judged non-relevant documents of the topic

C. Buckley and E. M. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004, 25-32,
doi:10.1145/1008992.1009000.

Left open there, decided here: P R is rounded half up; a topic with fewer than 1 or 10 such documents keeps
all it has; graded judgments are split into the same two groups at `rel`, so that a document of any relevant
grade is as likely to stay as another; negative grades (unjudged for nearly all measures) are thinned by
themselves, with no minimum. Samples depend on the ids and the seed, not on the order of the lines of the
qrels.

Judgments are rarely missing at random, but where no pooled run had looked: with `loss='pools'` P % of the runs, or of
the teams that sent them, are drawn, and what these have in the first `depth` ranks of a topic stays judged. There is no
minimum; the runs that were not drawn are evaluated as well.

The top of the grade scale (`max_rel`) is that of all judgments, at every level: a measure that inferred it
from what is left would change its meaning with the sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures.measures import Measure

from irpref.arrays.run import BATCH_ROWS
from irpref.arrays.segments import Bools, Floats, all_whole
from irpref.judged.fingerprint import hash_of_pool
from irpref.judged.pool import Pool
from irpref.judged.types import EachRun, Qrels
from irpref.messages import did_you_mean
from irpref.meta.board import Board
from irpref.meta.imperfect import Collection, Left, Regraded, exchanged, second_grades
from irpref.meta.journal import COLUMNS, Cell, Journal, exactly, hash_of_run, read
from irpref.meta.losses import DEPTH, LEAST, Pools, Restriction, Thinning, check_levels, seed_of
from irpref.meta.progress import Bar
from irpref.meta.ranking import kendall_taus, tau_ap
from irpref.values.matrix import higher_is_better
from irpref.values.samples import Rng

if TYPE_CHECKING:
    import pandas as pd

LEVELS = (90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 4, 3, 2, 1)
LOSSES = ("random", "pools", "documents", "flip", "judges")
Unit = tuple[float, int]  # level, sample


def thin(
    qrels: Qrels, level: float, *, rel: float = 1, least: tuple[int, int] = LEAST, sample: int = 0, rng: Rng
) -> Any:
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

    (level,) = check_levels([level], rel, least)
    pool = Pool.build(qrels)
    keep = Thinning(pool, rel, least, np.random.default_rng([seed_of(rng), sample])).keep(level)
    grade = pool.grade[keep]
    return pd.DataFrame(
        {
            "query_id": [pool.topic_ids[t] for t in pool.judged.topic[keep].tolist()],
            "doc_id": pool.doc_ids[keep].tolist(),
            "relevance": grade.astype(np.int64) if all_whole(grade) else grade,
        }
    )


@dataclass(frozen=True, eq=False)
class Incompleteness:
    """Means of systems with fewer and fewer judgments.

    Attributes
    ----------
    means : DataFrame
        Columns level (per cent; 100: all judgments, sample 0), sample, measure, system, mean.
    loss : str
        What is wrong with the judgments below 100 %.
    """

    means: pd.DataFrame
    loss: str = "random"
    _compared: dict[str | None, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Incompleteness:
        """What `incompleteness(..., output=path)` wrote."""
        settings, cells = read(Path(path))
        return cls(_frame(cells), settings.get("loss", "random"))

    @property
    def of_level(self) -> str:
        """What a level is a percentage of, in words."""
        return _LEVEL[self.loss]

    @property
    def measures(self) -> list[str]:
        """Names of the measures."""
        return list(dict.fromkeys(self.means["measure"]))

    def samples(self, reference: str | None = None) -> pd.DataFrame:
        """Agreement of each sample with all judgments.

        Parameters
        ----------
        reference : name of a measure, optional
            Compare with its ranking by all judgments. None: with that of the measure itself.

        Returns
        -------
        DataFrame
            Columns measure, level, sample, tau, tau_ap, mean (over the systems).

        Raises
        ------
        ValueError
            The reference was not evaluated.
        """
        reference = None if reference is None else str(reference)
        if reference is not None and reference not in self.measures:
            raise ValueError(f"{reference} was not evaluated (there are {', '.join(self.measures)})")
        if reference not in self._compared:
            self._compared[reference] = self._compare(reference)
        return self._compared[reference].copy()

    def _compare(self, reference: str | None) -> pd.DataFrame:
        import pandas as pd

        full = self.means[self.means["level"] == 100].set_index(["measure", "system"])["mean"]
        by_part = self.means.pivot(index=["measure", "level", "sample"], columns="system", values="mean")
        parts = []
        for measure in self.measures:
            truth = full[reference or measure]
            means = by_part.loc[[measure], truth.index]
            scores, right = means.to_numpy() * _sign(measure), truth.to_numpy() * _sign(reference or measure)
            part = means.index.to_frame(index=False)
            part["tau"] = kendall_taus(scores, right)
            part["tau_ap"] = [tau_ap(row, right) for row in scores]
            part["mean"] = means.mean(axis=1).to_numpy()
            parts.append(part.sort_values(["level", "sample"], ascending=[False, True]))
        return pd.concat(parts, ignore_index=True)

    def table(self, reference: str | None = None) -> pd.DataFrame:
        """Agreement by measure and level, averaged over the samples.

        Parameters
        ----------
        reference : as in `samples`

        Returns
        -------
        DataFrame
            Columns measure, level, samples, tau, tau_min, tau_max, tau_ap, mean.
        """
        grouped = self.samples(reference).groupby(["measure", "level"], sort=False)
        return grouped.agg(
            samples=("sample", "size"),
            tau=("tau", "mean"),
            tau_min=("tau", "min"),
            tau_max=("tau", "max"),
            tau_ap=("tau_ap", "mean"),
            mean=("mean", "mean"),
        ).reset_index()


def _sign(measure: str) -> float:
    return 1.0 if higher_is_better(measure) else -1.0


def _frame(cells: Mapping[Cell, float]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([(*cell, mean) for cell, mean in cells.items()], columns=COLUMNS[:-1])


def incompleteness(
    measures: Iterable[Measure],
    qrels: Qrels,
    runs: EachRun,
    *,
    levels: Iterable[float] = LEVELS,
    n_samples: int = 5,
    rel: float = 1,
    least: tuple[int, int] = LEAST,
    rng: Rng,
    output: str | Path | None = None,
    progress: bool | None = None,
    loss: str = "random",
    second: Any = None,
    stale_judgments: bool = True,
    depth: int = DEPTH,
    teams: Mapping[str, str] | None = None,
    float32: bool = False,
) -> Incompleteness:
    """Evaluate runs with all judgments and with parts of them, or with imperfect ones.

    Parameters
    ----------
    measures : iterable of ir_measures measures, ours or built in, or their names
        Where `max_rel` is not given it is the highest grade of all the qrels.
    qrels : as `ir_measures.calc` takes them
    runs : mapping of name to run, list of paths, or iterable of (name, run)
    levels : per cent of the judgments (documents, relevant documents) that are left, or of the runs that were pooled
    n_samples : int
        Random orders of the judgments; each gives one part for each level.
    rel : lowest relevant grade
        Where relevant and non-relevant documents are told apart in thinning; that of the binary measures.
    least : relevant and judged non-relevant documents of a topic that stay at any level
        Of `loss='random'`.
    rng : seed or Generator
    output : path of a CSV file, optional
        Results are appended whenever a part is done. What the file holds already is not computed again, unless the
        run of that name, or the version of this package or of ir_measures, was another one.
    progress : bool
        Whether to show a bar on standard error. None: if that is a terminal.
    loss : {'random', 'pools', 'documents', 'flip', 'judges'}
        What is wrong with the judgments. 'random': judgments are missing. 'pools': judgments are missing where only
        some of the runs were pooled, and not deep. 'documents': documents are no longer in the collection. 'flip':
        judges disagree about which documents are relevant. 'judges': judgments come from `second`
        instead. See `irpref.meta.imperfect`.
    second : qrels
        Judgments of the same documents by others, for `loss='judges'`. A level of 0 takes all of them.
    stale_judgments : bool
        For `loss='documents'`: whether judgments of documents that are gone stay.
    depth : int
        For `loss='pools'`: ranks of each topic that were judged.
    teams : mapping of run to team, optional
        For `loss='pools'`: runs that are pooled together, or not at all.
    float32 : bool
        See `irpref.evaluator`.

    Returns
    -------
    Incompleteness

    Raises
    ------
    ValueError
        Levels that are no percentages; fewer than two runs; `output` holds results of other qrels or
        settings, or a damaged row, or is written to by another process.
    """
    from irpref.measures.names import parse_all

    _check_loss(loss, second, stale_judgments, least, depth, teams)
    chosen = check_levels(levels, rel, least, zero=loss == "judges")
    seed = seed_of(rng)
    named = {str(m): m for m in parse_all(measures)}
    board = _Board(named, qrels, runs, keep=output is not None or loss == "documents", float32=float32)
    if len(board.aligned) < 2:
        raise ValueError(f"systems are ranked, which needs at least 2 runs, got {len(board.aligned)}")
    of_team = {str(run): str(team) for run, team in (teams or {}).items()}
    lost = _Losses(board, loss, seed, rel, (least[0], least[1]), second, stale_judgments, depth, of_team)
    units: list[Unit] = [(100.0, 0)]
    units += [(level, sample) for sample in range(n_samples) for level in chosen if level < 100]
    with ExitStack() as stack:
        found: dict[Cell, float] = {}
        journal = None
        if output is not None:
            hashes = {name: hash_of_run(run) for name, run in board.raw.items()}
            journal = stack.enter_context(Journal(Path(output), lost.settings(), hashes))
            found = journal.cells
        bar = Bar(len(units), progress)
        for part in _together(_missing(board, lost, units, found, bar)):
            for level, sample in part.units:
                bar.step(f"{exactly(level)} %: {_LEVEL[loss]}, sample {sample + 1}" if level < 100 else "all judgments")
            for new in board.means(part):
                found.update(new)
                if journal is not None:
                    journal.append(new)
        bar.close()
    wanted = [(*unit, m, system) for unit in units for m in board.named for system in board.aligned]
    return Incompleteness(_frame({cell: found[cell] for cell in wanted}), loss)


class _Board(Board):
    """Measures, judgments and runs, and the means of what is left."""

    def means(self, part: _Part) -> Iterator[dict[Cell, float]]:
        """Means of each system that are not known yet."""
        pool, evaluator = self.pool, self.evaluator
        against = Restriction(pool, np.array(part.keep)) if part.grade is None else Regraded(pool, part.grade)
        grade = pool.grade if part.grade is None else part.grade
        hosts = [_host_evaluator(list(self.host.values()), pool, keep, grade) for keep in part.keep if self.host]
        for system, todo in part.missing.items():
            new: dict[Cell, float] = {}
            run = self.aligned[system] if part.left is None else part.left.of(system)
            view = against.of(run)
            short = against.of(run.single) if self.float32 and run.single is not None else view
            ours = [name for name in todo if name in self.kernels]
            values = [
                evaluator.tasks[m](short if m in evaluator.short else view) for m in map(self.kernels.__getitem__, ours)
            ]
            means = np.array(values).reshape(len(ours), len(part.units), pool.n_topics).mean(axis=2).tolist()
            for name, of_units in zip(ours, means, strict=True):
                new |= {(*unit, name, system): mean for unit, mean in zip(part.units, of_units, strict=True)}
            left_to_host = [name for name in todo if name in self.host]
            for unit, means_of in zip(part.units, hosts if left_to_host else (), strict=bool(left_to_host)):
                of = means_of(self.raw[system] if part.left is None else part.left.run(system))
                new |= {(*unit, name, system): float(of[self.host[name]]) for name in left_to_host}
            yield new


@dataclass
class _Losses:
    """What is wrong with the judgments at a level, in a sample."""

    board: _Board
    loss: str
    seed: int
    rel: float
    least: tuple[int, int]
    second: Any
    stale_judgments: bool
    depth: int
    teams: Mapping[str, str]

    def __post_init__(self) -> None:
        from irpref.measures.support import check_whole

        board, pool = self.board, self.board.pool
        self._thinning: tuple[int, Thinning] | None = None
        self._judges = Pool.build(self.second) if self.loss == "judges" else None
        if self._judges is not None:
            self._others = second_grades(pool, self._judges)
            if board.host:
                check_whole(board.host.values(), self._judges.level_grade)
        if self.loss == "documents":
            single = board.float32 and board.evaluator.single
            self._collection = Collection(pool, board.raw, board.evaluator.ties, single)
        if self.loss == "pools":
            self._pools = Pools(board.aligned, self.depth, self.teams, pool.grade.size)

    def settings(self) -> dict[str, Any]:
        """What results depend on; what is usual is not named."""
        pool = self.board.pool
        found: dict[str, Any] = {"seed": self.seed, "rel": self.rel, "least": list(self.least)}
        found |= {"topics": pool.n_topics, "judgments": int(pool.grade.size), "qrels": hash_of_pool(pool)}
        if self.loss != "random":
            found["loss"] = self.loss
        if self._judges is not None:
            found["second"] = hash_of_pool(self._judges)
        if self.board.float32:
            found["float32"] = True
        if not self.stale_judgments:
            found["stale_judgments"] = False
        if self.loss == "pools":
            found |= {"depth": self.depth, "teams": sorted(self.teams.items())}
        if self.loss in ("pools", "documents"):
            # Draws are made among all runs, or their documents.
            found["runs"] = " ".join(sorted(hash_of_run(run)[:12] for run in self.board.raw.values()))
        return found

    def part(self, level: float, sample: int, missing: dict[str, list[str]]) -> _Part:
        """The judgments, the grades or the runs of a unit."""
        pool, loss = self.board.pool, self.loss
        whole = _Part([(level, sample)], [np.ones(pool.grade.size, bool)], missing)
        if level == 100:
            return whole
        if loss == "documents":
            left = self._collection.left(level, self._draw(sample))
            return whole._replace(left=left, keep=whole.keep if self.stale_judgments else [left.keep])
        if loss == "pools":
            return whole._replace(keep=[self._pools.keep(level, self._draw(sample))[0]])
        if self._thinning is None or self._thinning[0] != sample:
            least = self.least if loss == "random" else (0, 0)
            self._thinning = sample, Thinning(pool, self.rel, least, self._draw(sample))
        thinning = self._thinning[1]
        if loss == "random":
            return whole._replace(keep=[thinning.keep(level)])
        if loss == "flip":
            return whole._replace(grade=exchanged(pool, self.rel, thinning.place, level))
        stay = thinning.keep(level) | np.isnan(self._others)
        return whole._replace(grade=np.where(stay, pool.grade, self._others))

    def _draw(self, sample: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, sample])


def _missing(board: _Board, lost: _Losses, units: list[Unit], found: Mapping[Cell, float], bar: Bar) -> Iterator[_Part]:
    """Parts of which something is not known yet."""
    for unit in units:
        todo = {system: [m for m in board.named if (*unit, m, system) not in found] for system in board.aligned}
        missing = {system: of for system, of in todo.items() if of}
        if missing:
            yield lost.part(*unit, missing)
        else:
            bar.step("")


class _Part(NamedTuple):
    """Judgments of one unit or of several, and what is not known of them yet."""

    units: list[Unit]
    keep: list[Bools]  # of each unit: (n_judged,)
    missing: dict[str, list[str]]  # measures by system
    grade: Floats | None = None  # (n_judged,) other grades
    left: Left | None = None

    @property
    def loses_judgments(self) -> bool:
        """Whether that is all: then the runs are what they were, and so are the grades."""
        return self.grade is None and self.left is None


def _together(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Parts that only lose judgments, as many at a time as fit the cache."""
    some: _Part | None = None
    rows = 0
    for part in parts:
        size = int(np.count_nonzero(part.keep[0]))
        alike = some is not None and part.missing == some.missing and part.loses_judgments and some.loses_judgments
        # Levels of a sample lie inside each other, and share what `Restriction` does first.
        most = BATCH_ROWS if some is None or part.units[0][1] == some.units[0][1] else BATCH_ROWS // 4
        if some is not None and alike and rows + size <= most:
            some.units.extend(part.units)
            some.keep.extend(part.keep)
            rows += size
            continue
        if some is not None:
            yield some
        some, rows = part, size
    if some is not None:
        yield some


_LEVEL = {
    "random": "judgments left",
    "pools": "runs pooled",
    "documents": "documents left",
    "flip": "relevant documents that stay relevant",
    "judges": "judgments of the first judges",
}


def _check_loss(
    loss: Any,
    second: Any,
    stale_judgments: bool,
    least: tuple[int, int],
    depth: int,
    teams: Mapping[str, str] | None,
) -> None:
    if loss not in LOSSES:
        hint = did_you_mean(loss, LOSSES) if isinstance(loss, str) else ""
        raise ValueError(f"loss={loss!r} is not accepted, expected one of {', '.join(map(repr, LOSSES))}{hint}")
    if (second is None) == (loss == "judges"):
        raise ValueError(
            "loss='judges' needs a second set of judgments: give second=qrels"
            if second is None
            else f"second is for loss='judges', got loss={loss!r}"
        )
    if not stale_judgments and loss != "documents":
        raise ValueError(f"stale_judgments=False is for loss='documents', got loss={loss!r}")
    if isinstance(depth, bool) or int(depth) != depth or depth < 1:
        raise ValueError(f"depth={depth!r} is not accepted, expected a whole number of at least 1")
    if (depth != DEPTH or teams is not None) and loss != "pools":
        given = "teams" if depth == DEPTH else f"depth={depth!r}"
        raise ValueError(f"{given} is for loss='pools', got loss={loss!r}")
    if tuple(least) != LEAST and loss != "random":
        raise ValueError(f"least={least!r} is for loss='random', got loss={loss!r}")


def _host_evaluator(measures: list[Measure], pool: Pool, keep: Bools, grades: Floats) -> Any:
    """Means of measures that are not ours, from a run as dict of dicts."""
    import ir_measures

    qrels: dict[str, dict[str, int]] = {name: {} for name in pool.topic_ids}
    rows = np.flatnonzero(keep)
    for t, doc, grade in zip(
        pool.judged.topic[rows].tolist(), pool.doc_ids[rows].tolist(), grades[rows].tolist(), strict=True
    ):
        qrels[pool.topic_ids[t]][doc] = int(grade)
    evaluator = ir_measures.evaluator(measures, qrels)
    return evaluator.calc_aggregate
