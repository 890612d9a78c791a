"""Prediction-powered estimates of means and differences: human judgments for some topics, a judge's
grades for all.

With human values Y of n topics and a judge's values F of these and others, N in all, the mean is
estimated by

    Y_n + lambda (F_N - F_n)                 means over n topics and over all N

(A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, Prediction-powered inference,
Science 382 (2023) 669-674, doi:10.1126/science.adi6000; lambda: A. N. Angelopoulos, J. C. Duchi, T.
Zrnic, PPI++, arXiv:2311.01453, where F_N leaves the n topics out: the same estimator, with lambda N
/ (N - n)). However bad the judge, it is unbiased. With e = Y - lambda F and variances s over
topics, the squared standard error is

    s_ee / n + lambda^2 s_FF / N + 2 lambda s_eF / N      the topics are a sample of more like them
    (1 - n / N) s_ee / n                                  these topics alone

How coverage is kept at ten topics: PPI++ tunes lambda on the topics whose variance it then reports,
and uses normal quantiles; at ten topics such intervals cover 90 of 100 instead of 95. Here lambda
is the square root of the correlation r of the judge's and the humans' grades over the *documents*
of the n topics, and 0 if r is not positive. There are hundreds or thousands of these documents, so
lambda hardly depends on the values that it weights. (Over runs of TREC DL 2019 and 2020 the best
lambda was 0.65 to 1.2 for judges with r from 0.34 to 0.59, whose roots are 0.58 to 0.77; near the
optimum the loss is of second order.) Quantiles are Student's. With the share a of the first and
third terms in the variance and w = lambda (1 - n / N), the degrees of freedom d are

    1 / d = a / (n - 1 - w) + (1 - a) / (N - 1)           the topics are a sample
    d = n - 1 - 2 w                                       these topics alone

Differences of systems have long tails, so t intervals of ten topics contain less than they promise
where s_ee happens to be small. From three runs on, each pair therefore shares in the median of s_ee
over the pairs, with the weight of 1 - n / N topics, which are added to n in d (a moderated t: G. K.
Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
experiments, Statistical Applications in Genetics and Molecular Biology 3 (2004) 3,
doi:10.2202/1544-6115.1027).

With an uninformative judge you get about the humans' t interval, and exactly that with human
judgments of all topics. With a judge that agrees with humans entirely, you get the interval of all
N topics as if humans had judged them all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from ir_measures.measures import Measure
from scipy import special

from irpref.data import named_runs
from irpref.errors import ArgumentError
from irpref.judged import QrelsLike, Runs, as_judgments, read_once
from irpref.kernel import Bools, Floats
from irpref.measures.declare import Measures, rises
from irpref.messages import IrprefWarning, check_choice, once_per_call, warn_user
from irpref.observed import FEWEST, MISSING, check_present, gathered, limits_of, thresholds
from irpref.values import TopicValues
from irpref_lab.arguments import LEVEL, check_share
from irpref_lab.calls import by_line
from irpref_lab.decide.all_pairs import AgainstClaims
from irpref_lab.decide.basis import JudgedRuns
from irpref_lab.decide.first_lines import Field, Sentences, beside_best, best_of, n_topics, where
from irpref_lab.decide.pair import Pair
from irpref_lab.decide.questions import Question
from irpref_lab.judges.calibration import correlation, useless
from irpref_lab.judges.filling import USELESS
from irpref_lab.judges.grades import IDS, grades_frame, human_rows
from irpref_lab.judges.predicted import Predictions
from irpref_lab.judges.savings import documents_instead
from irpref_lab.remarks import about_topics, without_value
from irpref_lab.trust.design import topics_for_each
from irpref_lab.trust.topics import limits_named

_COLUMNS = [
    "run",
    "measure",
    "human",
    "judge",
    "estimate",
    "low",
    "high",
    "topics_human",
    "topics_judge",
]
_PAIRS = [
    "measure",
    "a",
    "b",
    "human",
    "judge",
    "difference",
    "low",
    "high",
    "p",
    "p_human",
    "p_judge",
    "topics_needed",
    "codes",
]
_MOST = 10_000  # topics: nobody would judge more
_ROUNDING = 1e-12  # of a difference
_SHARED = 1.0  # weight, in topics, of the median variance in the variance of a pair


@by_line()
@once_per_call
def judge(
    measures: Measures,
    human: QrelsLike,
    judge: QrelsLike,
    runs: Runs,
    *,
    level: float = LEVEL,
    topics: str = "sample",
) -> Predictions:
    """Estimate means and differences of runs from human judgments for some topics and a judge's
    grades for all.

    Parameters
    ----------
    measures : measures of any toolkit, or their names
    human : any form of qrels
        Human judgments of at least 2 topics that the judge also graded; grades that
        `irpref_lab.fill` filled in are left out.
    judge : any form of qrels
        The judge's grades of all topics, including the humans' topics.
    runs : mapping of name to run, or list of paths
    level : float in (0, 1)
    topics : {'sample', 'fixed'}
        Whether you ask about more topics like these, or about the judge's topics alone.

    Returns
    -------
    Predictions
        Columns `run`, `measure`, `human` (mean over the human topics), `judge` (mean over all
        topics of the judge), `estimate`, `low`, `high` (missing with fewer than five human topics),
        `topics_human`, `topics_judge`.

    Raises
    ------
    ValueError
        Fewer than 2 topics, or no document, have grades of both; malformed input.

    Warns
    -----
    IrprefWarning
        The judge's grades say nothing about the human ones, so the judge is ignored.

    Examples
    --------
    >>> human = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    >>> grades = human | {"q3": {"a": 0, "b": 1}}
    >>> run = {topic: {"a": 2.0, "b": 1.0} for topic in grades}
    >>> judge(["RR"], human, grades, {"run": run}, topics="fixed").round(4).values.tolist()
    [['run', 'RR', 0.75, 0.6667, 0.6667, nan, nan, 2, 3]]
    """
    level = check_share("level", level)
    check_choice("topics", topics, ("sample", "fixed"))
    by_name = {name: read_once(run) for name, run in named_runs(runs).items()}
    true, by_judge = (
        human_rows(grades_frame(as_judgments(human))),
        grades_frame(as_judgments(judge)),
    )
    true, shared = _on_shared_topics(true, by_judge)
    agreement = _agreement_of_grades(true, by_judge)
    human_facts = gathered(measures, as_judgments(true), by_name)
    check_present(human_facts.systems, len(human_facts.topics))
    facts = gathered(measures, as_judgments(by_judge), by_name)
    basis = JudgedRuns(facts)
    rows: list[pd.DataFrame] = []
    tests: list[pd.DataFrame] = []
    agreements: list[dict[str, Any]] = []
    sentences: Sentences = {}
    for of_humans, of_all, measure in zip(
        human_facts.tables(), facts.tables(), facts.measures, strict=True
    ):
        y, labelled = of_humans.values, np.isin(of_all.topics, shared)
        estimator = _Estimator(labelled, agreement["weight"], topics == "fixed", level)
        pairs = _pairs(basis, measure)
        rows.append(_of_runs(estimator, y, of_all))
        tests.append(_of_pairs(estimator, y, of_all, measure, pairs))
        half = estimator.width_of_pairs(y, of_all.values)
        agreements.append(
            {
                "measure": of_all.measure,
                **agreement,
                **_agreement_of_tests(y, of_all.values[:, labelled], tests[-1], level),
                "judged": len(true),
                "sample": documents_instead(measure, true, by_judge, by_name, half, level),
            }
        )
        sentences[str(measure), None] = _sentence(rows[-1], tests[-1], measure, basis, pairs, level)
    out = Predictions(pd.concat(rows, ignore_index=True)[_COLUMNS])
    out.pairs = pd.concat(tests, ignore_index=True)[_PAIRS]
    out.evidence = facts.frame({None: facts.everything})
    out.notes = [
        *about_topics(facts, facts.measures, facts.everything),
        *without_value(facts, facts.measures, facts.everything),
        *thresholds(facts.measures, float(facts.pool.grade.max(initial=0))),
    ]
    out.agreement, out.level = pd.DataFrame(agreements), level
    out.sentences = sentences
    out.text = "\n".join(out.sentences.values())
    return out.made()


def _on_shared_topics(true: pd.DataFrame, by_judge: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Select the human grades of topics that the judge graded, too, and list these topics."""
    shared = sorted(set(true["query_id"]) & set(by_judge["query_id"]))
    if len(shared) < 2:
        raise ArgumentError(
            f"at least 2 topics need grades of both humans and the judge, got {len(shared)}",
            parameter="judge",
        )
    alone = true["query_id"].nunique() - len(shared)
    if alone:
        warn_user(
            f"{alone} topics with human grades lack the judge's and are left out", IrprefWarning
        )
    return true[true["query_id"].isin(shared)], shared


@dataclass(frozen=True, eq=False)
class _Estimator:
    """How values of humans and of the judge are put together: see `estimates`."""

    labelled: Bools
    weight: float
    fixed: bool
    level: float

    def table(self, y: Floats, f: Floats, scale: int, shared: bool = False) -> pd.DataFrame:
        """Make estimates, with a row for each row of values of the humans, (n_rows, n), and of the
        judge, (n_rows, N).
        """
        estimate, error, df = estimates(y, f, self.labelled, self.weight, self.fixed, shared)
        half = special.stdtrit(df, (1 + self.level) / 2) * error
        if y.shape[1] < FEWEST:
            half = np.full_like(half, math.nan)
        means = {"human": y.mean(axis=1), "judge": f.mean(axis=1), "estimate": estimate}
        ends = {"low": estimate - half, "high": estimate + half}
        table = pd.DataFrame(means | ends) * scale
        spread = y.std(axis=1, ddof=1)
        effect = np.divide(estimate, spread, out=np.zeros_like(spread), where=spread > 0)
        effect[np.abs(estimate) <= _ROUNDING] = 0.0
        needed = topics_for_each(effect, self.level, _MOST)
        return table.assign(
            p=_p(estimate, error, df), p_human=_p_of(y), p_judge=_p_of(f), topics_needed=needed
        )

    def width_of_pairs(self, y: Floats, f: Floats) -> Floats:
        """Compute half the width of the intervals of all pairs, on the judge's topics alone."""
        of_pairs = _differences(y), _differences(f)
        _, error, df = estimates(*of_pairs, self.labelled, self.weight, fixed=True, shared=True)
        half: Floats = special.stdtrit(df, (1 + self.level) / 2) * error
        return half


def _differences(values: Floats) -> Floats:
    """Subtract the first system from the second of each pair, (n_pairs, n_topics)."""
    first, second = np.triu_indices(len(values), 1)
    out: Floats = values[second] - values[first]
    return out


def _pairs(basis: JudgedRuns, measure: Measure) -> list[Pair]:
    """Ask whether a claim about each pair of systems could be made."""
    everything = basis.facts.everything
    first, second = np.triu_indices(len(basis.facts.systems), 1)
    return [
        basis.pair(Question("claim", measure, None, everything, MISSING, two))
        for two in zip(first.tolist(), second.tolist(), strict=True)
    ]


def _of_runs(estimator: _Estimator, y: Floats, of_all: TopicValues) -> pd.DataFrame:
    """Estimate the runs, with intervals within the limits of the measure."""
    estimated = estimator.table(y, of_all.values, of_all.scale)
    ends = np.clip(estimated[["low", "high"]], *limits_named(of_all.measure))
    return estimated.assign(
        run=np.array(of_all.systems, object),
        measure=of_all.measure,
        low=ends["low"],
        high=ends["high"],
        topics_human=y.shape[1],
        topics_judge=of_all.n_topics,
    )


def _of_pairs(
    estimator: _Estimator,
    y: Floats,
    of_all: TopicValues,
    measure: Measure,
    pairs: Sequence[Pair],
) -> pd.DataFrame:
    """Estimate the pairs, with intervals within the range of the measure, and without the results
    of tests that something rules out.
    """
    bottom, top = limits_of(measure)
    table = estimator.table(_differences(y), _differences(of_all.values), of_all.scale, shared=True)
    first, second = np.triu_indices(len(of_all.systems), 1)
    name = np.array(of_all.systems, object)
    table = table.assign(
        a=name[first],
        b=name[second],
        measure=of_all.measure,
        low=table["low"].clip(lower=bottom - top),
        high=table["high"].clip(upper=top - bottom),
        codes=[pair.codes for pair in pairs],
    )
    table.loc[table["codes"] != "", ["low", "high", "p"]] = math.nan
    return table.rename(columns={"estimate": "difference"})


def _sentence(
    rows: pd.DataFrame,
    tests: pd.DataFrame,
    measure: Measure,
    basis: JudgedRuns,
    pairs: Sequence[Pair],
    level: float,
) -> str:
    """Say which run has the best estimate by a measure, and which are not shown to differ."""
    higher = rises(measure)
    rows = rows.sort_values("estimate", ascending=not higher, kind="stable")
    first = rows.iloc[0]
    size = f"humans {first['topics_human']:,}, judge {n_topics(int(first['topics_judge']))}"
    means = dict(zip(rows["run"], rows["estimate"], strict=True))
    of = Field(where(measure, None, higher), size, means, (), "estimate")
    reasons = basis.against_runs(measure, basis.facts.everything, MISSING)
    of_pairs = {frozenset(pair.names): pair.grounds for pair in pairs}
    known = beside_best(
        [first["run"]],
        means,
        tests.assign(p_adjusted=tests["p"]),  # each pair is tested alone, as the table has it
        level,
        AgainstClaims(reasons, lambda worse, better: of_pairs[frozenset((worse, better))]),
    )
    return best_of(of, [first["run"]], *known)


def _agreement_of_grades(true: pd.DataFrame, by_judge: pd.DataFrame) -> dict[str, Any]:
    """Compute lambda and the agreement of the grades of documents that both humans and the judge
    graded.
    """
    graded = (frame.loc[frame["relevance"] >= 0, [*IDS, "relevance"]] for frame in (true, by_judge))
    both = pd.merge(*graded, on=IDS)
    if not len(both):
        raise ArgumentError(
            "no document has a grade of the judge and a human one, so nothing says how they agree",
            parameter="judge",
        )
    h, j = (both[name].to_numpy(np.float64) for name in ("relevance_x", "relevance_y"))
    agreement = 1.0 if np.array_equal(h, j) and np.ptp(h) == 0 else correlation(h, j)
    kappa = math.nan
    if set(j.tolist()) <= set(h.tolist()):
        # Expected squared difference of two grades drawn independently from the margins.
        chance = h.var() + j.var() + (h.mean() - j.mean()) ** 2
        kappa = 1 - float(((h - j) ** 2).mean() / chance) if chance > 0 else 1.0
    if agreement < USELESS:
        warn_user(
            f"{useless(agreement, len(both))}: estimates are the humans' alone", IrprefWarning
        )
    weight = 0.0 if agreement < USELESS else math.sqrt(agreement)
    return {"documents": len(both), "correlation": agreement, "kappa": kappa, "weight": weight}


def _agreement_of_tests(
    human: Floats, judge: Floats, pairs: pd.DataFrame, level: float
) -> dict[str, Any]:
    """Count the pairs that are significant by humans and by the judge, from values on the same
    topics.
    """
    from scipy import stats

    tau = (
        stats.kendalltau(human.mean(axis=1), judge.mean(axis=1)).statistic
        if len(human) > 1
        else math.nan
    )
    a, b = np.triu_indices(len(human), 1)
    of_human, of_judge = human[a] - human[b], judge[a] - judge[b]
    by_human, by_judge = (_p_of(differences) < 1 - level for differences in (of_human, of_judge))
    other = np.sign(of_human.mean(axis=1)) != np.sign(of_judge.mean(axis=1))
    needed = pairs["topics_needed"].to_numpy()[by_judge & (~by_human | other)]
    return {
        "tau": float(tau),
        "pairs": len(pairs),
        "both": int((by_human & by_judge & ~other).sum()),
        "judge_only": int((by_judge & ~by_human).sum()),
        "human_only": int((by_human & ~by_judge).sum()),
        "reversed": int((by_human & by_judge & other).sum()),
        "topics_needed": float(np.median(needed)) if needed.size else math.nan,
    }


def estimates(
    y: Floats, f: Floats, labelled: Bools, weight: float, fixed: bool = False, shared: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Estimate means, prediction-powered.

    Parameters
    ----------
    y : float array (n_rows, n)
        Human values.
    f : float array (n_rows, N)
        The judge's values.
    labelled : bool array (N,)
        Which n topics have human values, in the order of `y`.
    weight : float
        Lambda.
    fixed : bool
        Whether the estimate is about the N topics alone.
    shared : bool
        Whether rows share in their median variance, as differences of systems do.

    Returns
    -------
    estimate, error, df : float arrays (n_rows,)
        The mean, its standard error and the degrees of freedom.
    """
    n, total = y.shape[1], f.shape[1]
    rest = 1 - n / total
    here = f[:, labelled]
    estimate = y.mean(axis=1) + weight * (f.mean(axis=1) - here.mean(axis=1))
    e = y - weight * here
    centred = e - e.mean(axis=1, keepdims=True)
    own = (centred**2).sum(axis=1) / (n - 1)
    varies = own > 0
    extra = _SHARED * rest if shared and varies.sum() > 1 else 0.0
    topics = n - 1 + extra
    s_ee = np.where(
        varies, ((n - 1) * own + extra * np.median(own[varies] if extra else 0.0)) / topics, 0.0
    )
    if fixed:
        return (
            estimate,
            np.sqrt(rest * s_ee / n),
            np.full(len(y), max(topics - 2 * weight * rest, 1.0)),
        )
    s_ef = (centred * (here - here.mean(axis=1, keepdims=True))).sum(axis=1) / (n - 1)
    s_ef *= np.sqrt(
        np.divide(s_ee, own, out=np.zeros_like(own), where=varies)
    )  # the correlation stays
    of_judge = weight**2 * f.var(axis=1, ddof=1) / total
    # The two variances are estimated on different topics, so their sum with the covariance could be
    # negative.
    of_error = np.maximum(s_ee / n + 2 * weight * s_ef / total, rest * s_ee / n / 2)
    variance = of_judge + of_error
    share = np.divide(of_error, variance, out=np.ones_like(variance), where=variance > 0)
    df = 1 / (np.clip(share, 0, None) / (topics - weight * rest) + (1 - share) / (total - 1))
    return estimate, np.sqrt(variance), np.maximum(df, 1.0)


def _p(estimate: Floats, error: Floats, df: Floats) -> Floats:
    """Compute two-sided p-values: 1 for no difference, 0 for a difference that is known without
    error.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(estimate) / error
    same = np.abs(estimate) <= _ROUNDING
    return np.where(
        same, 1.0, np.where(error > 0, 2 * special.stdtr(df, -np.where(same, 0.0, t)), 0.0)
    )


def _p_of(differences: Floats) -> Floats:
    """Compute p-values of paired t-tests: (n_rows, n_topics) to (n_rows,)."""
    n = differences.shape[1]
    error = differences.std(axis=1, ddof=1) / math.sqrt(n)
    return _p(differences.mean(axis=1), error, np.full(len(differences), n - 1.0))
