"""Incomplete and imperfect judgments: does a measure still rank the systems the same way when many
judgments are gone, or wrong?

All runs are evaluated again with the judgments that a loss leaves (`irpref_lab.meta.losses`). The
ranking of the systems is compared (Kendall's tau) with the ranking by all judgments as they are, of
the same measure or of a reference measure. The levels are P = 90, 80, ... 40, 30, 25, 20, 15, 10,
5, 4 ... 1 %, as in C. Buckley and E. M. Voorhees, SIGIR 2004, 25-32, doi:10.1145/1008992.1009000.

The top of the grade scale (`max_rel`) is taken from all judgments, at every level: if a measure
inferred it from the judgments left, its meaning would change with the sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any

import pandas as pd

from irpref.errors import ArgumentError
from irpref.judged import EachRun, QrelsLike, hash_of_pool
from irpref.measures.declare import MeasureLike
from irpref.measures.names import parse_all
from irpref.messages import check_choice
from irpref.values import higher_is_better
from irpref.values.progress import progress
from irpref_lab.meta.experiment import Experiment
from irpref_lab.meta.journal import CELL, Cell, Journal, hash_of, hash_of_run
from irpref_lab.meta.losses import Loss
from irpref_lab.meta.ranking import kendall_taus, tau_ap
from irpref_lab.trust.samples import Rng

LEVELS = (90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 4, 3, 2, 1)
_LEVEL = {
    "random": "judgments left",
    "pools": "runs pooled",
    "documents": "documents left in the collection",
    "flip": "grades unchanged",
    "judges": "topics with the grades of the qrels",
}


@dataclass(frozen=True, eq=False)
class Incompleteness:
    """Mean of each system with fewer and fewer judgments.

    Attributes
    ----------
    means : DataFrame
        Columns level (per cent; 100: all judgments, sample 0), sample, measure, system, mean.
    loss : str
        How judgments are lost below 100 %.
    """

    means: pd.DataFrame
    loss: str = "random"

    @property
    def of_level(self) -> str:
        """The whole that a level is a percentage of, in words."""
        return _LEVEL[self.loss]

    @property
    def measures(self) -> list[str]:
        """Names of the measures."""
        return list(dict.fromkeys(self.means["measure"]))

    def samples(self, reference: str | None = None) -> pd.DataFrame:
        """Compare the ranking by each sample with the ranking by all judgments.

        Parameters
        ----------
        reference : name of a measure, optional
            Compare with this measure's ranking by all judgments. None: each measure with its own.

        Returns
        -------
        DataFrame
            Columns measure, level, sample, tau, tau_ap, mean (over the systems).

        Raises
        ------
        ValueError
            The reference was not evaluated.
        """
        if reference is not None:
            check_choice("reference", str(reference), self.measures)
        by_part = self.means.pivot(
            index=["measure", "level", "sample"], columns="system", values="mean"
        )
        parts = []
        for measure in self.measures:
            truth = str(reference or measure)
            means = by_part.loc[[measure]].sort_values(["level", "sample"], ascending=[False, True])
            scores = means.to_numpy() * (1.0 if higher_is_better(measure) else -1.0)
            right = by_part.loc[truth, 100, 0].to_numpy()
            right = right * (1.0 if higher_is_better(truth) else -1.0)
            part = means.index.to_frame(index=False)
            part["tau"] = kendall_taus(scores, right)
            part["tau_ap"] = [tau_ap(row, right) for row in scores]
            part["mean"] = means.mean(axis=1).to_numpy()
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def table(self, reference: str | None = None) -> pd.DataFrame:
        """Average the agreement by measure and level over the samples.

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


def incompleteness(
    measures: Iterable[MeasureLike],
    qrels: QrelsLike,
    runs: EachRun,
    *,
    levels: Iterable[float] = LEVELS,
    n_samples: int = 5,
    rng: Rng | None = None,
    output: str | Path | None = None,
    **options: Any,
) -> Incompleteness:
    """Evaluate runs with all judgments, and with fewer and fewer judgments that are there and
    right.

    Parameters
    ----------
    measures : iterable of ir_measures measures, ours or built in, or their names
        If `max_rel` is not given, it is the highest grade of all the qrels.
    qrels : as `ir_measures.calc` takes them
    runs : mapping of name to run, list of paths, or iterable of (name, run)
    levels : per cent that the loss leaves
        Of the judgments, of the teams that were pooled, of the documents, of the grades, or of the
        topics with the grades of the qrels. 'flip' and 'judges' may leave 0 per cent.
    n_samples : int
        Random orders of the judgments; each gives one sample for each level.
    rng : seed or Generator, optional
        Seed 0 if not given.
    output : path of a file, optional
        Results are appended as each part is done. Results that the file already holds for the same
        runs, judgments, options and versions of irpref and ir_measures are not computed again.
    loss : {'random', 'pools', 'documents', 'flip', 'judges'}
        The fault of the judgments. Some are missing: random ones, or judgments of documents that
        only runs outside a shallow pool found. Or they are imperfect: documents are no longer in
        the collection; grades are changed to a neighbouring one; topics have the grades of one of
        several other assessors.
    rel : lowest relevant grade, 1 if not given
        Relevant and non-relevant documents are thinned separately. Give the one that your binary
        measures use.
    least : relevant and judged non-relevant documents of a topic that stay at any level, (1, 10) if
        not given
        For `loss='random'`.
    depth : int, 10 if not given
        For `loss='pools'`: how deep each topic is judged, in ranks.
    teams : mapping of run to team, optional
        For `loss='pools'`: the runs of a team are pooled together, or not at all.
    judges : list of qrels
        For `loss='judges'`: judgments of the same documents by other assessors.

    Returns
    -------
    Incompleteness

    Raises
    ------
    ValueError
        A level is not a percentage; fewer than two runs; `output` holds something else.
    """
    named = {str(m): m for m in parse_all(measures)}
    whole = output is not None or options.get("loss") == "documents"
    experiment = Experiment(named, qrels, runs, keep=whole)
    if len(experiment.aligned) < 2:
        raise ArgumentError(
            f"systems are ranked, which needs at least 2 runs, got {len(experiment.aligned)}",
            parameter="runs",
        )
    lost = Loss(experiment.pool, experiment.aligned, levels, rng, listed=experiment.raw, **options)
    if lost.teams and lost.loss != "pools":
        raise ArgumentError(
            f"teams is for loss='pools', got loss={lost.loss!r}",
            parameter="teams",
            value=lost.teams,
        )
    samples = [
        [(100.0, 0)] * (sample == 0) + [(level, sample) for level in lost.levels]
        for sample in range(n_samples)
    ]
    journal = Journal(output, {} if output is None else _keys(experiment, lost))
    with progress(samples, len(samples), "sample") as steps:
        for parts in steps:
            units, systems, names = _missing(parts, experiment, journal.cells)
            if not units:
                continue
            remains = [lost.keep(*unit) for unit in units]
            for system, times, values in experiment.values(remains, systems, names):
                new = {}
                for name, by_topic in values.items():
                    means = by_topic.mean(axis=1).tolist()
                    for unit, mean in zip(units[times], means, strict=True):
                        if (*unit, name, system) not in journal.cells:
                            new[*unit, name, system] = mean
                journal.append(new)
    rows = [
        (*unit, measure, system, journal.cells[*unit, measure, system])
        for unit, measure, system in product(chain(*samples), experiment.named, experiment.aligned)
    ]
    return Incompleteness(pd.DataFrame(rows, columns=[*CELL, "mean"]), lost.loss)


def _missing(
    units: list[tuple[float, int]], experiment: Experiment, known: Mapping[Cell, float]
) -> tuple[list[Any], ...]:
    """List levels, systems and measures that still have something to compute."""
    cells = [
        (unit, s, m)
        for unit in units
        for s in experiment.aligned
        for m in experiment.named
        if (*unit, m, s) not in known
    ]
    return tuple(list(dict.fromkeys(column)) for column in zip(*cells, strict=True)) or ([], [], [])


def _keys(experiment: Experiment, lost: Loss) -> dict[str, str]:
    """Hash all that the means of each system depend on."""
    runs = {name: hash_of_run(run) for name, run in experiment.raw.items()}
    settings = [lost.seed, lost.rel, lost.least, lost.depth, sorted(lost.teams.items())]
    settings += lost.hashes  # of other assessors' judgments
    # Teams and documents are drawn from all runs, so results depend on every one of them.
    drawn = sorted(runs.values()) if lost.loss in ("pools", "documents") else []
    return {
        name: hash_of(hash_of_pool(experiment.pool), run, lost.loss, drawn, *settings)
        for name, run in runs.items()
    }
