"""Fill holes with an LLM judge's grades, calibrated to the mean human grade of documents with the same judge's grade.

    1  over the documents that both graded, m(g) is the mean human grade of those with the judge's grade g
    2  m is made isotonic in g (pool adjacent violators, weighted by the number of documents)
    3  a document that only the judge graded, with g, gets m(g); m is linear between the grades seen and constant beyond

The judge's own grade never enters a value, so its scale does not matter: 0 to 1, 0 to 5, any increasing function of
them. Negative human grades count as 0. Each of several judges is calibrated alone; the mean of their calibrated grades
of a document is then calibrated like the grade of one judge.

An expected grade is a gain, not a verdict: a document with a mean grade of 0.2 is probably not relevant. Measures that
sum gains (nDCG) use it unchanged. Measures that count documents treat it as not relevant if it is below the lowest
positive human grade: AP, P and others by their `rel`; Q-measure, rpref and their relatives (`KernelMeasure.COUNTS`) by
the column `source`, which `irpref.evaluator` reads. With the ranks of runs, as many documents get at least that grade
as are expected to be relevant, see `irpref.analysis.calibration`.

The remaining bias is estimated by hiding half of the human grades: how far do values then move? The judge replaces
humans in both cases, on different documents.

The interval of a value is the hull of five intervals:

- the missing grades are drawn from the human grades seen with each grade of the judge. In each draw every topic has its
  own shares: Dirichlet, with the topic's own documents plus all topics' with the weight of one document. Relevant
  documents come in clusters; independent draws would spread the best grades over all topics and inflate every ideal
  list;
- the same draws with 19 of 20 documents not relevant, since documents that no human judged may hold hardly anything
  relevant;
- the values with the expected number of relevant documents from samples of the topics;
- the filled value, with the spreads of the first and of the third interval together;
- the value with the plain fill, with the spread of the first interval.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures.measures.base import SumAgg
from scipy import special

from irpref.analysis.calibration import Completion, correlation, mean_grades, warn_useless
from irpref.analysis.frames import ResultFrame, interval_table
from irpref.analysis.topics import check_level
from irpref.arrays.regraded import regraded, run_on
from irpref.arrays.segments import Bools, Floats, Ints
from irpref.formats.columns import as_list, columns_of
from irpref.formats.runs import named_runs
from irpref.judged import align
from irpref.judged.inputs import as_frame, opened, str_list
from irpref.judged.kept import kept_pool
from irpref.judged.pool import FILLED, SOURCE, Pool
from irpref.judged.types import Qrels, Run, Runs
from irpref.measures.declare import KernelMeasure, Measures
from irpref.measures.everyday import supports
from irpref.measures.names import parse_all
from irpref.messages import IrprefWarning
from irpref.values.kernels import KernelEvaluator
from irpref.values.prepare import columns_for
from irpref.values.samples import Rng, drawing

_IDS = ["query_id", "doc_id"]
_CALIBRATED, _DEPTH = "calibrated", "depth"
USELESS = 0.1  # a judge with a lower correlation with human grades says nothing about them
_DRAWS = 20
_OWN = 1.0  # weight, in documents, of all topics' shares in the shares of one topic
_THINNED = 0.95  # share of the missing documents that the second kind of draws makes not relevant


class Filled(ResultFrame):
    """What `fill` returns: qrels with further grades filled in.

    Attributes
    ----------
    calibration : pandas.DataFrame
        A row for each grade of the judge: `grade`, `documents` (graded by both), `mean` (human grade of those
        documents, isotonic: this is filled in) and `error` (its standard error; NaN for fewer than two documents).
    correlation : float
        Correlation of human and filled grades over the documents that both graded.
    ranked : tuple of two numbers, or None
        If ranks of runs were used: how many runs, and how many of the filled documents are expected to be relevant.
    """

    _metadata: ClassVar[list[str]] = ["calibration", "correlation", "ranked"]

    @property
    def text(self) -> str:
        """One line: how many grades were filled in, and with what."""
        n_filled, both = int((self["source"] == FILLED).sum()), int(self.calibration["documents"].sum())
        shown = self.calibration if len(self.calibration) <= 6 else self.calibration.iloc[[0, -1]]
        pairs = ", ".join(f"{grade:g} as {mean:.2f}" for grade, mean in zip(shown["grade"], shown["mean"], strict=True))
        said = (
            f"{n_filled:,} of {len(self):,} grades are filled in: the judge's {pairs}, the mean human grades of "
            f"{both:,} documents that both graded (correlation {self.correlation:.2f})"
        )
        if self.ranked is None:
            return said
        n_runs, relevant = self.ranked
        of = f"{n_runs:,} runs" if n_runs > 1 else "one run"
        return f"{said}; by their ranks in {of} about {relevant:,.0f} of them are relevant"


def fill(qrels: Qrels, judge: Qrels | Sequence[Any], runs: Runs | None = None) -> Filled:
    """Fill in calibrated grades of a judge for documents that no human judged.

    Parameters
    ----------
    qrels : any form of qrels
        Human judgments. They do not change. Grades that `fill` has filled in before are no human judgments: they are
        filled in again if the judge graded the document, else they stay.
    judge : any form of qrels, or a list of paths or frames
        The judge's grades on any scale, of documents judged by humans and of others; several judges as a list.
    runs : mapping of name to run, or list of paths, optional
        Their ranks are used to estimate how many of the filled documents are relevant: documents that no system ranks
        high are relevant less often than judged ones with the same grade of the judge. Grades then depend on the topic,
        too (see `irpref.analysis.calibration`). Fill once with all runs and pass the result as qrels: the keyword
        `judge` and the option `--judge` fill without runs, so that a value does not depend on which runs are evaluated
        together.

    Returns
    -------
    Filled
        Columns `query_id`, `doc_id`, `relevance` (float), `source` (`human` or `judge`), `calibrated` (the mean human
        grade of documents with this judge's grade; NaN if the judge did not grade the document), `depth` if you pass
        `runs` (log of the mean of 1 / rank), and further columns of `qrels`. A document that neither graded stays
        unjudged.

    Raises
    ------
    ValueError
        No document was graded by both; the qrels of one of them are malformed, or preferences.

    Warns
    -----
    IrprefWarning
        The judge's grades do not predict the human ones, so all documents get about the same grade.

    Examples
    --------
    >>> human = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> judge = {"q1": {"a": 1, "b": 1, "c": 0, "d": 1}}
    >>> filled = fill(human, judge)
    >>> filled.loc[filled["source"] == "judge", ["doc_id", "relevance"]].values.tolist()
    [['d', 1.5]]
    """
    given = qrels_frame(qrels, "qrels")
    if "subgroup" in given:
        raise ValueError("fill takes grades: this looks like preferences (columns group and subgroup)")
    human = human_rows(given)
    keys = pd.MultiIndex.from_frame(human[_IDS])
    grades = pd.Series(np.maximum(human["relevance"].to_numpy(np.float64), 0.0), index=keys)
    several = isinstance(judge, (list, tuple)) and not any(hasattr(row, "_fields") for row in judge[:1])
    judges: Any = judge if several else [judge]
    if not len(judges):
        raise ValueError("fill needs at least one judge, got an empty list")
    said = [qrels_frame(one, "judge").set_index(_IDS)["relevance"] for one in judges]
    if len(said) > 1:
        said = [pd.concat([_calibrated(one, grades)[0] for one in said], axis=1).mean(axis=1)]
    values, calibration, correlation = _calibrated(said[0], grades)
    earlier = given.drop(human.index).set_index(_IDS)["relevance"].astype(np.float64)  # filled in before
    values = pd.concat([values, earlier[~earlier.index.isin(values.index)]])
    alone = values[~values.index.isin(keys)]
    filled = alone.index.to_frame(index=False).set_axis(_IDS, axis=1)
    filled["relevance"] = alone.to_numpy()
    human = human.assign(relevance=human["relevance"].astype(np.float64), source="human")
    if "iteration" in human and human["iteration"].nunique() == 1:  # else filled documents have no subtopic
        filled["iteration"] = human["iteration"].iloc[0]
    out = Filled(pd.concat([human, filled.assign(source=FILLED)], ignore_index=True))
    keys = pd.MultiIndex.from_frame(out[_IDS])
    out[_CALIBRATED] = values.reindex(keys).to_numpy()
    ranked = None
    if runs is not None:
        named = named_runs(runs)
        pool = Pool.build(out)
        rows = pd.MultiIndex.from_arrays([np.array(pool.topic_ids, object)[pool.judged.topic], pool.doc_ids])
        out[_DEPTH] = _depth(pool, named.values())[rows.get_indexer(keys)]
        completion = _completion(out, pd.factorize(out["query_id"])[0])
        out["relevance"] = np.where(completion.missing, completion.grades(), out["relevance"])
        ranked = len(named), completion.relevant
    first = [*_IDS, "relevance", SOURCE, _CALIBRATED]
    out = out[[*first, *(name for name in out.columns if name not in first)]]
    out.calibration, out.correlation, out.ranked = calibration, correlation, ranked
    return out


def _depth(pool: Pool, runs: Iterable[Run]) -> Floats:
    """Logarithm of the mean of 1 / rank of each row; a document that a run lacks is ranked one below the run's last."""
    total = np.zeros(pool.grade.size)
    n_runs = 0
    for run in runs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrprefWarning)  # repeated when the run is evaluated
            judged = align.align_run(pool, opened(run, "score"))
        rank = pool.judged.spread(judged.n_retrieved) + 1.0
        rank[judged.row] = judged.rank
        total += 1 / rank
        n_runs += 1
    out: Floats = np.log(total / max(n_runs, 1))
    return out


def _completion(filled: Any, topic: Ints, hidden: Bools | None = None) -> Completion:
    """The `Completion` of filled qrels; `hidden`: documents whose human grades are ignored."""
    said = np.asarray(filled[_CALIBRATED], np.float64)
    away = np.asarray(filled[SOURCE] == FILLED)
    if hidden is not None:
        away |= hidden & ~np.isnan(said)
    human = np.where(away, np.nan, np.maximum(np.asarray(filled["relevance"], np.float64), 0.0))
    return Completion(human, said, topic, np.asarray(filled[_DEPTH], np.float64) if _DEPTH in filled else None)


def with_judge(qrels: Qrels, judge: Qrels | Sequence[Any] | None) -> Qrels:
    """Qrels, filled in if there is a judge: the keyword `judge` of all functions that evaluate.

    Runs are not used: the value of a run must not depend on which other runs are evaluated with it.
    """
    return qrels if judge is None else fill(qrels, judge)


def qrels_frame(data: Qrels, what: str) -> pd.DataFrame:
    """Qrels of any form as a frame with ids as text and one row for each document."""
    if isinstance(data, (str, os.PathLike)):
        Pool.build(data)  # an error names the file
    frame = as_frame(data, "relevance")
    names = columns_of([str(name) for name in frame.columns], "relevance", what)
    frame = frame.rename(columns={old: new for new, old in names.items()})
    frame = frame.assign(**{name: str_list(as_list(frame[name].to_numpy(dtype=object)), name) for name in _IDS})
    Pool.build(frame)  # grades are finite numbers, and one a document
    return frame.drop_duplicates(_IDS).reset_index(drop=True)


def human_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of human grades: those of a frame that `fill` returned, or all."""
    return frame[frame[SOURCE] != FILLED] if SOURCE in frame else frame


def _calibrated(said: pd.Series, human: pd.Series) -> tuple[pd.Series, pd.DataFrame, float]:
    """Calibrate a judge: the mean human grade for each of its documents, a table by grade, and the correlation."""
    both = said.index.intersection(human.index)
    if not len(both):
        raise ValueError("no document has a grade of the judge and a human one, so nothing says what its grades mean")
    given, true = said.loc[both].to_numpy(np.float64), human.loc[both].to_numpy(np.float64)
    grade, documents, mean, error = mean_grades(given, true)
    found = correlation(np.interp(given, grade, mean), true)
    if found < USELESS or (len(both) >= 10 and found < 2 / np.sqrt(len(both))):
        so = f"documents are filled with about the mean human grade, {true.mean():.2f}"
        warn_useless(min(found, correlation(given, true)), len(both), so)
    table = pd.DataFrame({"grade": grade, "documents": documents, "mean": mean, "error": error})
    return pd.Series(np.interp(said.to_numpy(np.float64), grade, mean), index=said.index), table, found


# Intervals --------------------------------------------------------------------------------------------------------


def filled_intervals(
    measures: Measures,
    qrels: Filled,
    run: Run,
    level: float = 0.95,
    rng: Rng | None = None,
) -> pd.DataFrame:
    """Values with the filled grades, and intervals of those that human judgments of the filled documents would give.

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
        As `irpref.intervals` returns it; `value` and `expected` are those with the filled grades, `bias` estimates how
        far they are above the values with human judgments (NaN if only one document was graded by both).

    Raises
    ------
    ValueError
        Another provider computes a measure.
    """
    z = float(special.ndtri((1 + check_level(level)) / 2))
    chosen = parse_all(measures)
    others = [measure for measure in chosen if not supports(measure)]
    if others:
        raise ValueError(f"{others[0]} is left to another provider, which takes no fractional grades")
    columns = columns_for([measure for measure in chosen if isinstance(measure, KernelMeasure)])
    pool = kept_pool(qrels, (*columns, _CALIBRATED, *([_DEPTH] if _DEPTH in qrels else [])))
    evaluate = KernelEvaluator(chosen, pool)
    judged = evaluate.align(run)
    expected = evaluate.values_of(judged)
    human = pool.grade[pool.columns[SOURCE] != FILLED]
    least = human[human > 0].min(initial=np.inf)
    counting = [measure for measure in chosen if getattr(measure, "COUNTS", False)]
    counts = KernelEvaluator(counting, pool)
    found: dict[str, list[dict[Any, Floats]]] = {}
    for kind, grade in _completed(pool, drawing(rng), lambda: _depth(pool, [run])):
        values = evaluate.values_of(run_on(judged, *regraded(pool, grade)))
        if counting:  # such measures give gain 0 to filled grades below the lowest human one in `pool`
            grade = np.where((grade > 0) & (grade < least), 0.0, grade)
            values |= counts.values_of(run_on(judged, *regraded(pool, grade)))
        found.setdefault(kind, []).append(values)
    order = np.argsort(np.array(pool.topic_ids, dtype=object))
    # Hiding replaced half of the human grades; if fewer documents are filled, the bias is smaller.
    n_filled = pool.judged.count(pool.columns[SOURCE] == FILLED)
    replaced = np.minimum(1.0, n_filled / np.maximum((pool.judged.lengths - n_filled) / 2, 1))
    parts = []
    for measure in chosen:
        size = 1 if isinstance(measure.aggregator(), SumAgg) else pool.n_topics
        value = expected[measure][order]
        mean_value = evaluate.means_of({measure: expected[measure]})[measure]
        of = {kind: np.array([values[measure] for values in some])[:, order] for kind, some in found.items()}
        bias = (of.pop("half hidden", np.full((1, value.size), np.nan)).mean(axis=0) - value) * replaced[order]
        mean_bias = bias.sum() / size
        ends = _hull(value, of, z)
        mean = _hull(mean_value, {kind: values.sum(axis=1) / size for kind, values in of.items()}, z)
        low, high, middle = (np.append(a, b) for a, b in zip((*ends, value), (*mean, mean_value), strict=True))
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
                bias=np.append(bias, mean_bias),
            )
        )
    return pd.concat(parts, ignore_index=True)


def _completed(pool: Pool, rng: np.random.Generator, depth: Callable[[], Floats]) -> Iterator[tuple[str, Floats]]:
    """Versions of a pool's grades, of five kinds; `depth` is called if the qrels were filled without runs."""
    topic = pool.judged.topic
    known = pool.columns | {"relevance": pool.grade}
    side = rng.random(pool.grade.size) < 0.5
    both = (known[SOURCE] != FILLED) & ~np.isnan(known[_CALIBRATED].astype(np.float64))
    if both[side].any() and both[~side].any():
        for hidden in (side, ~side):
            half = _completion(known, topic, hidden)
            yield "half hidden", np.where(half.missing, half.grades(), pool.grade)
    whole = _completion(known if _DEPTH in known else known | {_DEPTH: depth()}, topic)
    yield "plain", np.where(whole.missing, whole.mean, pool.grade)
    for _ in range(_DRAWS):
        times = np.bincount(rng.integers(0, pool.n_topics, pool.n_topics), minlength=pool.n_topics)
        number = whole.expected(times[topic].astype(np.float64))
        yield "number", np.where(whole.missing, whole.grades(number), pool.grade)
        drawn, thinned = _draw(pool, rng)
        yield "drawn", drawn
        yield "thinned", thinned


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
    # Grades that were interpolated take the nearest grade of the judge that was seen.
    near = np.abs(said[missing][:, None] - levels).argmin(axis=1)
    of_row = upto[pool.judged.topic[missing], near]
    place = (rng.random(of_row.shape[0])[:, None] * of_row[:, -1:] > of_row).sum(axis=1)
    drawn = pool.grade.copy()
    drawn[missing] = grades[np.minimum(place, grades.size - 1)]
    thinned = drawn.copy()
    thinned[np.flatnonzero(missing)[rng.random(of_row.shape[0]) < _THINNED]] = 0.0
    return drawn, thinned


def _hull(value: Any, found: Mapping[str, Floats], z: float) -> tuple[Any, Any]:
    """Lower and upper end of the interval, from arrays (n_versions, ...) of values by kind."""
    plain = found["plain"][0]
    drawn = {kind: found[kind] for kind in ("number", "drawn", "thinned")}
    centre = {kind: of.mean(axis=0) for kind, of in drawn.items()}
    spread = {kind: z * of.std(axis=0, ddof=1) for kind, of in drawn.items()}
    near = np.hypot(spread["number"], spread["drawn"])
    low = np.min([value - near, plain - spread["drawn"], *(centre[kind] - spread[kind] for kind in drawn)], axis=0)
    high = np.max([value + near, plain + spread["drawn"], *(centre[kind] + spread[kind] for kind in drawn)], axis=0)
    return low, high
