"""Incomplete judgments: does a measure still rank the systems as it did, when most judgments are gone?

All runs are evaluated again with parts of the judgments (`irpref.meta.losses`), and the ranking of the systems is
compared with the one of all judgments (Kendall's tau), by the same measure or by a reference measure. P = 90, 80, ...
40, 30, 25, 20, 15, 10, 5, 4 ... 1 %, as C. Buckley and E. M. Voorhees, SIGIR 2004, 25-32,
doi:10.1145/1008992.1009000.

The top of the grade scale (`max_rel`) is that of all judgments, at every level: a measure that inferred it
from what is left would change its meaning with the sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irpref.judged.fingerprint import hash_of_pool
from irpref.judged.order import Alignment
from irpref.judged.types import EachRun, Qrels
from irpref.measures.declare import MeasureLike
from irpref.measures.names import parse_all
from irpref.messages import check_choice
from irpref.meta.board import Board
from irpref.meta.journal import CELL, Cell, Journal, hash_of_run, read
from irpref.meta.losses import Loss
from irpref.meta.ranking import kendall_taus, tau_ap
from irpref.values.matrix import higher_is_better
from irpref.values.progress import Bar
from irpref.values.samples import Rng

if TYPE_CHECKING:
    import pandas as pd

LEVELS = (90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 4, 3, 2, 1)
_LEVEL = {"random": "judgments left", "pools": "runs pooled"}


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
        import pandas as pd

        if reference is not None:
            check_choice("reference", str(reference), self.measures)
        by_part = self.means.pivot(index=["measure", "level", "sample"], columns="system", values="mean")
        parts = []
        for measure in self.measures:
            truth = str(reference or measure)
            means = by_part.loc[[measure]].sort_values(["level", "sample"], ascending=[False, True])
            sign, sign_of_truth = (1.0 if higher_is_better(of) else -1.0 for of in (measure, truth))
            scores, right = means.to_numpy() * sign, by_part.loc[truth, 100, 0].to_numpy() * sign_of_truth
            part = means.index.to_frame(index=False)
            part["tau"] = kendall_taus(scores, right)
            part["tau_ap"] = [tau_ap(row, right) for row in scores]
            part["mean"] = means.mean(axis=1).to_numpy()
            parts.append(part)
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


def _frame(cells: Mapping[Cell, float]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([(*cell, mean) for cell, mean in cells.items()], columns=[*CELL, "mean"])


def incompleteness(
    measures: Iterable[MeasureLike],
    qrels: Qrels,
    runs: EachRun,
    *,
    levels: Iterable[float] = LEVELS,
    n_samples: int = 5,
    rng: Rng,
    output: str | Path | None = None,
    float32: bool = False,
    ties: str = "id",
    **options: Any,
) -> Incompleteness:
    """Evaluate runs with all judgments and with parts of them.

    Parameters
    ----------
    measures : iterable of ir_measures measures, ours or built in, or their names
        If `max_rel` is not given, it is the highest grade of all the qrels.
    qrels : as `ir_measures.calc` takes them
    runs : mapping of name to run, list of paths, or iterable of (name, run)
    levels : per cent of the judgments that are left, or of the teams that were pooled
    n_samples : int
        Random orders of the judgments; each gives one part for each level.
    rng : seed or Generator
    output : path of a file, optional
        Results are appended whenever a part is done. What the file holds already is not computed again, unless the
        run of that name, or the version of this package or of ir_measures, was another one.
    float32, ties : see `irpref.evaluator`
    loss : {'random', 'pools'}
        Which judgments are missing: any, or those that only runs outside of a shallow pool found.
    rel : lowest relevant grade, 1 if not given
        Relevant and non-relevant documents are thinned separately. Give that of your binary measures.
    least : relevant and judged non-relevant documents of a topic that stay at any level, (1, 10) if not given
        Of `loss='random'`.
    depth : int, 10 if not given
        For `loss='pools'`: ranks of each topic that were judged.
    teams : mapping of run to team, optional
        For `loss='pools'`: runs that are pooled together, or not at all.

    Returns
    -------
    Incompleteness

    Raises
    ------
    ValueError
        Levels that are no percentages; fewer than two runs; `output` holds results of other qrels or
        settings, or a damaged row, or is written to by another process.
    """
    named = {str(m): m for m in parse_all(measures)}
    board = Board(named, qrels, runs, keep=output is not None, alignment=Alignment(ties, float32))
    if len(board.aligned) < 2:
        raise ValueError(f"systems are ranked, which needs at least 2 runs, got {len(board.aligned)}")
    lost = Loss(board.pool, board.aligned, levels, rng, **options)
    if lost.teams and lost.loss != "pools":
        raise ValueError(f"teams is for loss='pools', got loss={lost.loss!r}")
    samples = [[(100.0, 0)] * (sample == 0) + [(level, sample) for level in lost.levels] for sample in range(n_samples)]
    hashes = {name: hash_of_run(run) for name, run in board.raw.items()}
    with nullcontext() if output is None else Journal(Path(output), _settings(board, lost), hashes) as journal:
        found: dict[Cell, float] = journal.cells if journal else {}
        bar = Bar(len(samples))
        for units in samples:
            bar.step(_LEVEL[lost.loss])
            units, systems, names = _missing(units, board, found)
            keep = np.array([lost.keep(*unit)[0] for unit in units])
            for system, times, values in board.values(keep, systems, names) if units else ():
                new = {
                    (*unit, name, system): mean
                    for name, of in values.items()
                    for unit, mean in zip(units[times], of.mean(axis=1).tolist(), strict=True)
                    if (*unit, name, system) not in found
                }
                found |= new
                if journal:
                    journal.append(new)
        bar.close()
    wanted = [(*unit, m, s) for units in samples for unit in units for m in board.named for s in board.aligned]
    return Incompleteness(_frame({cell: found[cell] for cell in wanted}), lost.loss)


def _missing(units: list[tuple[float, int]], board: Board, found: Mapping[Cell, float]) -> tuple[list[Any], ...]:
    """Levels, systems and measures of which something is not known yet."""
    cells = [(unit, s, m) for unit in units for s in board.aligned for m in board.named if (*unit, m, s) not in found]
    return tuple(list(dict.fromkeys(of)) for of in zip(*cells, strict=True)) or ([], [], [])


def _settings(board: Board, lost: Loss) -> dict[str, Any]:
    """What results depend on; what is usual is not named."""
    found: dict[str, Any] = {"seed": lost.seed, "rel": lost.rel, "least": list(lost.least)}
    found |= {"topics": board.pool.n_topics, "judgments": int(board.pool.grade.size), "qrels": hash_of_pool(board.pool)}
    found |= {"float32": True} if board.alignment.float32 else {}
    found |= {} if board.alignment.by_id else {"ties": board.alignment.ties}
    if lost.loss == "pools":
        # Draws are made among all runs.
        runs = " ".join(sorted(hash_of_run(run)[:12] for run in board.raw.values()))
        found |= {"loss": "pools", "depth": lost.depth, "teams": sorted(lost.teams.items()), "runs": runs}
    return found
