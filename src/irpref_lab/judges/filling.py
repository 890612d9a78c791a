"""Fill holes with an LLM judge's grades, calibrated to the mean human grade of documents with the
same judge's grade.

    1  over the documents that both graded, m(g) is the mean human grade of documents with the
       judge's grade g
    2  m is made isotonic in g (weighted by the number of documents)
    3  a document that only the judge graded, with g, gets m(g); m is linear between the grades seen
       and constant beyond

The judge's own grade never enters a value, so its scale does not matter: 0 to 1, 0 to 5, any
increasing function of these. A negative grade, of humans or of a judge, is no judgment: it plays no
part in m, and a document with a negative human grade is filled in if the judge graded it. Each of
several judges is calibrated alone; the mean of their calibrated grades of a document is then
calibrated like the grade of one judge.

An expected grade is a gain, not a verdict: a document with a mean grade of 0.2 is probably not
relevant. Measures that sum gains (nDCG) use it unchanged. Measures that count documents treat it as
not relevant if it is below the lowest positive human grade: AP, P and others by their `rel`;
Q-measure, rpref and their relatives (`Param.counts` of their gains) by the column `source`, which
`irpref.evaluator` reads. With the ranks of runs, as many documents get at least that grade as are
expected to be relevant, see `irpref_lab.judges.calibration`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irpref.data import named_runs
from irpref.errors import ArgumentError
from irpref.judged import (
    FILLED,
    LOWEST,
    SOURCE,
    Judgments,
    QrelsLike,
    RunLike,
    Runs,
    align_run,
    as_judgments,
    as_table,
)
from irpref.kernel import Floats
from irpref.measures.declare import Measures
from irpref.measures.names import parse_all
from irpref.messages import have, held
from irpref.values import KernelEvaluator
from irpref_lab.calls import by_line
from irpref_lab.judges.calibration import Completion, correlation, mean_grades, useless
from irpref_lab.judges.grades import IDS, grades_frame, human_rows

_CALIBRATED, _DEPTH = "calibrated", "depth"
USELESS = 0.1  # a judge with a lower correlation with human grades says nothing about them


class Filled(Judgments):
    """The result of `fill`: judgments with further grades filled in.

    Attributes
    ----------
    calibration : pandas.DataFrame
        A row for each grade of the judge: `grade`, `documents` (graded by both), `mean` (human
        grade of those documents, isotonic: this is filled in) and `error` (its standard error; NaN
        for fewer than two documents).
    correlation : float
        Correlation of human and filled grades over the documents that both graded.
    ranked : tuple of two numbers, or None
        If ranks of runs were used: how many runs, and how many of the filled documents are expected
        to be relevant.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        calibration: pd.DataFrame,
        correlation: float,
        ranked: tuple[int, float] | None,
    ) -> None:
        super().__init__(as_table(frame, "relevance", None))
        self.calibration, self.correlation, self.ranked = calibration, correlation, ranked

    @property
    def text(self) -> str:
        """One line: how many grades were filled in, and by which numbers."""
        table = self.frame()
        n_filled, both = int(self.filled.sum()), int(self.calibration["documents"].sum())
        shown = self.calibration if len(self.calibration) <= 6 else self.calibration.iloc[[0, -1]]
        pairs = ", ".join(
            f"{grade:g} as {mean:.2f}"
            for grade, mean in zip(shown["grade"], shown["mean"], strict=True)
        )
        sentence = (
            f"{n_filled:,} of {len(self):,} grades are filled in: the judge's {pairs}, the mean "
            f"human grades of {both:,} documents that both graded "
            f"(correlation {self.correlation:.2f})"
        )
        if self.ranked is not None:
            n_runs, relevant = self.ranked
            systems = f"{n_runs:,} runs" if n_runs > 1 else "one run"
            sentence += f"; by their ranks in {systems} about {relevant:,.0f} of them are relevant"
        human, filled = table[~self.filled], table[self.filled]
        out_of_reach = human["relevance"][human["relevance"] > filled["relevance"].max()].min()
        if n_filled and out_of_reach > 0:
            sentence += f"; with rel={out_of_reach:g} none of them counts as relevant"
        if alone := set(filled["query_id"]) - set(human["query_id"]):
            some = f"{len(alone):,} of {len(self.topic_ids):,} topics {have(len(alone))}"
            sentence += f"; {some} no human grade (use judge for these)"
        return sentence


@by_line()
def fill(qrels: QrelsLike, judge: QrelsLike | Sequence[Any], runs: Runs | None = None) -> Filled:
    """Fill in calibrated grades of a judge for documents that no human judged.

    Parameters
    ----------
    qrels : any form of qrels
        Human judgments. They do not change. Grades that `fill` has filled in before are no human
        judgments: they are filled in again if the judge graded the document, else they stay.
    judge : any form of qrels, or a list of paths or frames
        The judge's grades on any scale, of documents judged by humans and of others; several judges
        as a list.
    runs : mapping of name to run, or list of paths, optional
        Their ranks are used to estimate how many of the filled documents are relevant: documents
        that no system ranks high are relevant less often than judged ones with the same grade of
        the judge. Grades then depend on the topic, too (see `irpref_lab.judges.calibration`). Fill
        once with all runs, so that a value does not depend on which runs are evaluated together.

    Returns
    -------
    Filled
        Judgments, to be passed as qrels. The columns of its `frame()` are `query_id`, `doc_id`,
        `relevance` (float), `source` (`human` or `judge`), `calibrated` (the mean human grade of
        documents with this judge's grade; NaN if the judge did not grade the document), `lowest`
        (the lowest positive human grade: lower filled ones count as not relevant), `depth` if you
        pass `runs` (log of the mean of 1 / rank), and further columns of `qrels`. A document that
        neither graded stays unjudged.

    Raises
    ------
    ValueError
        No document was graded by both; the judge's grades say nothing about the human ones; the
        qrels of one are malformed, or preferences.

    Examples
    --------
    >>> human = {"q1": {"a": 2, "b": 1, "c": 0}}
    >>> judge = {"q1": {"a": 1, "b": 1, "c": 0, "d": 1}}
    >>> filled = fill(human, judge).frame()
    >>> filled.loc[filled["source"] == "judge", ["doc_id", "relevance"]].values.tolist()
    [['d', 1.5]]
    """
    read = as_judgments(qrels)
    if "subgroup" in read.names:
        raise ArgumentError(
            "fill takes grades: this looks like preferences (columns group and subgroup)",
            parameter="qrels",
        )
    given = grades_frame(read)
    # Columns that an earlier `fill` added, or columns of other meaning with these names.
    human = human_rows(given).drop(columns=[_CALIBRATED, _DEPTH, LOWEST], errors="ignore")
    judged = human[human["relevance"] >= 0]
    grades = judged.set_index(IDS)["relevance"].astype(np.float64)
    values, calibration, correlation = _calibrated(_one_judge(judge, grades), grades)
    # Filled in before.
    earlier = given.drop(human.index).set_index(IDS)["relevance"].astype(np.float64)
    values = pd.concat([values, earlier[~earlier.index.isin(values.index)]])
    alone = values[~values.index.isin(grades.index)]
    # A negative grade stays only if there is no other.
    keys = pd.MultiIndex.from_frame(human[IDS])
    human = human[(human["relevance"] >= 0).to_numpy() | ~keys.isin(alone.index)]
    filled = alone.index.to_frame(index=False).set_axis(IDS, axis=1)
    filled["relevance"] = alone.to_numpy()
    human = human.assign(relevance=human["relevance"].astype(np.float64), source="human")
    # If there are several, filled documents have no subtopic.
    if "iteration" in human and human["iteration"].nunique() == 1:
        filled["iteration"] = human["iteration"].iloc[0]
    out = pd.concat([human, filled.assign(source=FILLED)], ignore_index=True)
    out[_CALIBRATED] = values.reindex(pd.MultiIndex.from_frame(out[IDS])).to_numpy()
    out[LOWEST] = grades[grades > 0].min()
    ranked = None
    if runs is not None:
        named = named_runs(runs)
        out, n_relevant = _by_ranks(out, named)
        ranked = len(named), n_relevant
    first = [*IDS, "relevance", SOURCE, _CALIBRATED]
    out = out[[*first, *(name for name in out.columns if name not in (*first, LOWEST)), LOWEST]]
    filled = Filled(out, calibration, correlation, ranked)
    filled.cut = read.cut
    return filled


def _one_judge(judge: Any, human: pd.Series) -> pd.Series:
    """Return the grades of a judge by topic and document, or the mean of several calibrated
    ones.
    """
    is_list = isinstance(judge, (list, tuple))
    # A list of named tuples is the rows of one judge.
    several = is_list and not any(hasattr(row, "_fields") for row in judge[:1])
    if several and not judge:
        raise ArgumentError("fill needs at least one judge, got an empty list", parameter="judge")
    grades = []
    for one in judge if several else [judge]:
        frame = grades_frame(as_judgments(one))
        grades.append(frame[frame["relevance"] >= 0].set_index(IDS)["relevance"])
    if len(grades) == 1:
        return grades[0]
    return pd.concat([_calibrated(one, human)[0] for one in grades], axis=1).mean(axis=1)


def _by_ranks(filled: pd.DataFrame, runs: Mapping[str, RunLike]) -> tuple[pd.DataFrame, float]:
    """Let as many filled documents count as relevant as the ranks of runs let expect; return the
    qrels and this number.
    """
    grade, calibrated = (filled[name].to_numpy(np.float64) for name in ("relevance", _CALIBRATED))
    is_human = (filled[SOURCE] != FILLED).to_numpy() & (grade >= 0)
    topic, depth = pd.factorize(filled["query_id"])[0], _depth(filled, runs)
    completion = Completion(np.where(is_human, grade, np.nan), calibrated, topic, depth)
    relevance = np.where(completion.missing, completion.grades(), grade)
    return filled.assign(relevance=relevance, **{_DEPTH: depth}), completion.relevant


def _depth(filled: pd.DataFrame, runs: Mapping[str, RunLike]) -> Floats:
    """Compute the logarithm of the mean of 1 / rank of each row, (n_rows,); a document that a run
    lacks is ranked one below the run's last.
    """
    pool = as_judgments(filled).pool()
    total = np.zeros(pool.grade.size)
    for run in runs.values():
        with held():  # the warnings are repeated when the run is evaluated
            judged = align_run(pool, run)
        rank = pool.judged.spread(judged.n_retrieved) + 1.0
        rank[judged.row] = judged.rank
        total += 1 / rank
    topic_ids = np.array(pool.topic_ids, object)[pool.judged.topic]
    rows = pd.MultiIndex.from_arrays([topic_ids, pool.doc_ids])
    row = rows.get_indexer(pd.MultiIndex.from_frame(filled[IDS]))
    depth: Floats = np.log(total / max(len(runs), 1))[row]
    return depth


def _calibrated(judge: pd.Series, human: pd.Series) -> tuple[pd.Series, pd.DataFrame, float]:
    """Calibrate a judge: the mean human grade for each of its documents, a table by grade, and the
    correlation.
    """
    both = judge.index.intersection(human.index)
    if not len(both):
        raise ArgumentError(
            "no document has a grade of the judge and a human one, so nothing says what its "
            "grades mean",
            parameter="judge",
        )
    given, true = judge.loc[both].to_numpy(np.float64), human.loc[both].to_numpy(np.float64)
    grade, documents, mean, error = mean_grades(given, true)
    agreement = correlation(np.interp(given, grade, mean), true)
    if agreement < USELESS or (len(both) >= 10 and agreement < 2 / np.sqrt(len(both))):
        raise ArgumentError(
            useless(min(agreement, correlation(given, true)), len(both)), parameter="judge"
        )
    table = pd.DataFrame({"grade": grade, "documents": documents, "mean": mean, "error": error})
    return (
        pd.Series(np.interp(judge.to_numpy(np.float64), grade, mean), index=judge.index),
        table,
        agreement,
    )


def with_expected(
    measures: Measures, table: pd.DataFrame, qrels: Filled, run: RunLike
) -> pd.DataFrame:
    """Add `expected`, from the filled grades, to a table of intervals over unjudged documents.

    Parameters
    ----------
    measures, run : as `irpref_lab.intervals` takes them
    table : pandas.DataFrame
        Bounds over all grades, from the human judgments alone.
    qrels : result of `fill`
    """
    chosen = parse_all(measures)
    topics = set(human_rows(qrels.frame())["query_id"])  # those of the bounds
    evaluate = KernelEvaluator(chosen, qrels.only(topics))
    values = evaluate.values(run)
    expected: dict[tuple[str, str | None], float] = {}
    for measure, mean in evaluate.means_of(values).items():
        expected[str(measure), None] = mean
        for topic, value in zip(evaluate.topic_ids, values[measure].tolist(), strict=True):
            expected[str(measure), topic] = value
    rows = zip(table["measure"], table["query_id"], strict=True)
    return table.assign(expected=[expected.get(row, np.nan) for row in rows])
