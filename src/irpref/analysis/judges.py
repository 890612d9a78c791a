"""An LLM's grades beside human ones: a hole gets the grade that humans give to documents of the same judge's grade.

    1  documents that both graded: mean human grade m(g) of those with the judge's grade g
    2  m is made isotonic in g (pool adjacent violators, weighted by the number of documents)
    3  a document with a judge's grade g alone gets m(g); between and beyond the grades seen, m is linear and constant

The judge's own grade never enters a value, so its scale does not matter: 0 to 1, 0 to 5, any increasing function of
them. Negative human grades count as 0. Of several judges each is calibrated alone; the mean of what they say of a
document is then calibrated as one judge's grade would be.

An expected grade is a gain, not a verdict: a document with a mean grade of 0.2 is probably not relevant. Measures that
sum gains (nDCG) take it as it is. Those that count documents see it as not relevant below the lowest positive human
grade: AP, P and others by their `rel`, and Q-measure, rpref and their relatives (`KernelMeasure.COUNTS`) by
the column `source`, which `irpref.evaluator` reads.

The interval of a value is the hull of three: draws of the missing grades from the human grades seen with each grade
of the judge; the same, with 19 of 20 documents not relevant, since what lies below a pool holds less than what is in
it; and the first ones moved to where the filled value is. In a draw each topic has its own shares, Dirichlet with its
own documents and one document's weight of all topics', as relevant documents come in clusters. Independent draws would
spread the best grades over all topics and inflate every ideal list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures.measures.base import SumAgg

from irpref.analysis.interval_table import interval_table
from irpref.analysis.topics import check_level
from irpref.arrays.regraded import regraded, run_on
from irpref.arrays.segments import Bools, Floats
from irpref.formats.columns import as_list
from irpref.judged.inputs import as_frame, column_names, str_list
from irpref.judged.pool import FILLED, Pool
from irpref.judged.recent import recent_pool
from irpref.measures.declare import KernelMeasure, MeasureLike
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all
from irpref.messages import IrprefWarning, warn_user
from irpref.values.kernels import KernelEvaluator
from irpref.values.prepare import columns_for
from irpref.values.samples import drawing

if TYPE_CHECKING:
    from irpref.judged.types import Qrels, Run
    from irpref.values.samples import Rng

_IDS = ["query_id", "doc_id"]
_CALIBRATED = "calibrated"
_LEAST = 0.1  # correlation with human grades, below which a judge says nothing about them
_DRAWS = 20
_OWN = 1.0  # documents that a topic's shares begin with, of all topics
_THINNED = 0.95  # share of the missing documents that the other draws make not relevant


class Filled(pd.DataFrame):  # type: ignore[misc]  # pandas ships no types
    """What `fill` returns: qrels whose further grades were filled in.

    Attributes
    ----------
    calibration : pandas.DataFrame
        A row for each grade of the judge: `grade`, `documents` (graded by both), `mean` (human grade of those
        documents, isotonic: what is filled in) and `error` (its standard error; NaN below two documents).
    correlation : float
        Of human and filled grades over the documents that both graded.
    """

    _metadata: ClassVar[list[str]] = ["calibration", "correlation"]

    @property
    def _constructor(self) -> type[Filled]:
        return Filled

    @property
    def text(self) -> str:
        """One line: how many grades were filled in, and with what."""
        n_filled, both = int((self["source"] == FILLED).sum()), int(self.calibration["documents"].sum())
        shown = self.calibration if len(self.calibration) <= 6 else self.calibration.iloc[[0, -1]]
        pairs = ", ".join(f"{grade:g} as {mean:.2f}" for grade, mean in zip(shown["grade"], shown["mean"], strict=True))
        return (
            f"{n_filled:,} of {len(self):,} grades are filled in: the judge's {pairs}, the mean human grades of "
            f"{both:,} documents that both graded (correlation {self.correlation:.2f})"
        )


def fill(qrels: Qrels, judge: Qrels | Sequence[Any]) -> Filled:
    """Qrels in which documents that no human judged have the grade that the judge's grade stands for.

    Parameters
    ----------
    qrels : any form of qrels
        Human judgments. They stay as they are.
    judge : any form of qrels, or a list of paths or frames
        The judge's grades on any scale, of documents judged by humans and of others; several judges as a list.

    Returns
    -------
    Filled
        Columns `query_id`, `doc_id`, `relevance` (float), `source` (`human` or `judge`), `calibrated` (the mean human
        grade of documents with this judge's grade; NaN if the judge did not see the document), and further ones of
        `qrels`. A document that neither saw stays unjudged.

    Raises
    ------
    ValueError
        No document was graded by both; either qrels are malformed.

    Warns
    -----
    IrprefWarning
        The judge's grades say nothing about the human ones, so that all documents are filled with about the same.

    Examples
    --------
    >>> human = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> judge = {"q1": {"a": 1, "b": 1, "c": 0, "d": 1}}
    >>> filled = fill(human, judge)
    >>> filled.loc[filled["source"] == "judge", ["doc_id", "relevance"]].values.tolist()
    [['d', 1.5]]
    """
    human = qrels_frame(qrels, "qrels")
    keys = pd.MultiIndex.from_frame(human[_IDS])
    grades = pd.Series(np.maximum(human["relevance"].to_numpy(np.float64), 0.0), index=keys)
    several = isinstance(judge, (list, tuple)) and not any(hasattr(row, "_fields") for row in judge[:1])
    judges: Any = judge if several else [judge]
    said = [qrels_frame(one, "judge").set_index(_IDS)["relevance"] for one in judges]
    if len(said) > 1:
        said = [pd.concat([_calibrated(one, grades)[0] for one in said], axis=1).mean(axis=1)]
    values, calibration, correlation = _calibrated(said[0], grades)
    alone = values[~values.index.isin(keys)]
    filled = alone.index.to_frame(index=False).set_axis(_IDS, axis=1)
    filled["relevance"] = alone.to_numpy()
    human = human.assign(relevance=human["relevance"].astype(np.float64), source="human")
    out = Filled(pd.concat([human, filled.assign(source=FILLED)], ignore_index=True))
    out[_CALIBRATED] = values.reindex(pd.MultiIndex.from_frame(out[_IDS])).to_numpy()
    first = [*_IDS, "relevance", "source", _CALIBRATED]
    out = out[[*first, *(name for name in out.columns if name not in first)]]
    out.calibration, out.correlation = calibration, correlation
    return out


def with_judge(qrels: Qrels, judge: Qrels | Sequence[Any] | None) -> Qrels:
    """The qrels, filled where there is a judge: the keyword `judge` of everything that evaluates."""
    return qrels if judge is None else fill(qrels, judge)


def qrels_frame(data: Qrels, what: str) -> pd.DataFrame:
    """Qrels of any form as a frame with ids that are text, each document once."""
    if isinstance(data, (str, os.PathLike)):
        Pool.build(data)  # an error names the file
    frame = as_frame(data, "relevance")
    names = column_names([str(name) for name in frame.columns], "relevance", what)
    frame = frame.rename(columns={old: new for new, old in names.items()})
    frame = frame.assign(**{name: str_list(as_list(frame[name].to_numpy(dtype=object)), name) for name in _IDS})
    Pool.build(frame)  # grades are finite numbers, and one a document
    return frame.drop_duplicates(_IDS).reset_index(drop=True)


def _calibrated(said: pd.Series, human: pd.Series) -> tuple[pd.Series, pd.DataFrame, float]:
    """Mean human grade for each of a judge's grades: of all its documents, as a table, and their correlation."""
    both = said.index.intersection(human.index)
    if not len(both):
        raise ValueError("no document has a grade of the judge and a human one, so nothing says what its grades mean")
    given, true = said.loc[both].to_numpy(np.float64), human.loc[both].to_numpy(np.float64)
    grade, level = np.unique(given, return_inverse=True)
    documents = np.bincount(level)
    block = isotonic(np.bincount(level, true) / documents, documents.astype(np.float64))
    n = np.bincount(block, documents)
    mean = np.bincount(block[level], true) / n
    square = np.bincount(block[level], (true - mean[block[level]]) ** 2)
    error = np.where(n > 1, np.sqrt(square / np.maximum(n - 1, 1) / n), np.nan)
    fitted = mean[block][level]
    correlation = 0.0
    if np.ptp(fitted) > 0 and np.ptp(true) > 0:
        correlation = float(np.corrcoef(fitted, true)[0, 1])
    if correlation < _LEAST or (len(both) >= 10 and correlation < 2 / np.sqrt(len(both))):
        warn_user(
            f"the judge's grades say nothing about the human ones (correlation {correlation:.2f} over {len(both):,} "
            f"documents that both graded): documents are filled with about the mean human grade, {true.mean():.2f}",
            IrprefWarning,
        )
    table = pd.DataFrame({"grade": grade, "documents": documents, "mean": mean[block], "error": error[block]})
    numbers = said.to_numpy(np.float64)
    return pd.Series(np.interp(numbers, grade, mean[block]), index=said.index), table, correlation


def isotonic(mean: Floats, weight: Floats) -> Any:
    """Block of each of some means if they may not fall: pool adjacent violators.

    Parameters
    ----------
    mean, weight : float arrays (n,)

    Returns
    -------
    int array (n,)
        Numbered from 0; the fitted value is the weighted mean of a block.
    """
    blocks: list[list[float]] = []  # weighted sum, weight, size
    for value, w in zip(mean.tolist(), weight.tolist(), strict=True):
        blocks.append([value * w, w, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return np.repeat(np.arange(len(blocks)), [int(size) for *_, size in blocks])


# Intervals --------------------------------------------------------------------------------------------------------


def filled_intervals(
    measures: MeasureLike | Iterable[MeasureLike],
    qrels: Filled,
    run: Run,
    level: float = 0.95,
    rng: Rng | None = None,
) -> pd.DataFrame:
    """Values under the fill, and where those under human judgments of all filled documents are.

    Parameters
    ----------
    measures, run : as `irpref.intervals` takes them
    qrels : what `fill` returns
    level : float in (0, 1)
    rng : seed or numpy Generator, optional
        None is seed 0.

    Returns
    -------
    pandas.DataFrame
        As `irpref.intervals` returns it; `value` and `expected` are those under the fill.

    Raises
    ------
    ValueError
        Another provider computes a measure.
    """
    from scipy import special

    z = float(special.ndtri((1 + check_level(level)) / 2))
    chosen = parse_all(measures)
    others = [measure for measure in chosen if not supports(measure)]
    if others:
        raise ValueError(f"{others[0]} is left to another provider, which takes no fractional grades")
    columns = columns_for([measure for measure in chosen if isinstance(measure, KernelMeasure)])
    pool = recent_pool(qrels, (*columns, _CALIBRATED))
    evaluate = KernelEvaluator(chosen, pool)
    judged = evaluate.align(run)
    expected = evaluate.values_of(judged)
    drawn: dict[Any, tuple[list[Floats], list[Floats]]] = {measure: ([], []) for measure in chosen}
    generator = drawing(rng)
    for _ in range(_DRAWS):
        for kind, grade in enumerate(_draw(pool, generator)):
            found = evaluate.values_of(run_on(judged, *regraded(pool, grade)))
            for measure, values in found.items():
                drawn[measure][kind].append(values)
    order = np.argsort(np.array(pool.topic_ids, dtype=object))
    parts = []
    for measure in chosen:
        size = 1 if isinstance(measure.aggregator(), SumAgg) else pool.n_topics
        mean_value = evaluate.means_of({measure: expected[measure]})[measure]
        columns_of = [np.array(values)[:, order] for values in drawn[measure]]
        value = expected[measure][order]
        rows = _hull(value, columns_of, z)
        mean = _hull(mean_value, [of.sum(axis=1) / size for of in columns_of], z)
        low, middle, high = (np.append(a, b) for a, b in zip(rows, mean, strict=True))
        topics = [*(pool.topic_ids[t] for t in order), None]
        parts.append(
            interval_table(
                query_id=topics,
                measure=[str(measure)] * len(topics),
                value=middle,
                low=low,
                expected=middle,
                high=high,
                exact=[False] * len(topics),
            )
        )
    return pd.concat(parts, ignore_index=True)


def _draw(pool: Pool, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Grades of a pool with its filled documents drawn, and the same with most of them not relevant."""
    missing: Bools = pool.columns["source"] == FILLED
    said: Floats = pool.columns[_CALIBRATED].astype(np.float64)
    both = ~missing & ~np.isnan(said)
    human = np.maximum(pool.grade[both], 0.0)
    grades, at = np.unique(human, return_inverse=True)
    levels, level = np.unique(said[both], return_inverse=True)
    seen = np.zeros((pool.n_topics, levels.size, grades.size))
    np.add.at(seen, (pool.judged.topic[both], level, at), 1.0)
    overall = seen.sum(axis=0)
    weight = seen + _OWN * overall / overall.sum(axis=1, keepdims=True)
    shares = rng.gamma(np.maximum(weight, 1e-9))
    upto = shares.cumsum(axis=2)
    # The nearest grade of the judge that was seen: grades between were interpolated.
    near = np.abs(said[missing][:, None] - levels).argmin(axis=1)
    of_row = upto[pool.judged.topic[missing], near]
    place = (rng.random(of_row.shape[0])[:, None] * of_row[:, -1:] > of_row).sum(axis=1)
    drawn = pool.grade.copy()
    drawn[missing] = grades[np.minimum(place, grades.size - 1)]
    thinned = drawn.copy()
    thinned[np.flatnonzero(missing)[rng.random(of_row.shape[0]) < _THINNED]] = 0.0
    return drawn, thinned


def _hull(value: Any, drawn: Sequence[Floats], z: float) -> tuple[Any, Any, Any]:
    """Lower end, value and upper end of the hull of the draws and of those moved to the value."""
    centre = [of.mean(axis=0) for of in drawn]
    half = [z * of.std(axis=0, ddof=1) for of in drawn]
    low = np.min([centre[0] - half[0], centre[1] - half[1], value - half[0]], axis=0)
    high = np.max([centre[0] + half[0], centre[1] + half[1], value + half[0]], axis=0)
    return low, value, high
