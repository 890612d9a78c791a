"""Human judgments for some topics, a judge's for all: prediction-powered estimates."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irpref
import irpref_lab
from irpref.datasets import load
from irpref.errors import AbsentRunError, ArgumentError
from irpref_lab.judges.predictions import estimates


def ppi_plus_plus(y, f_labelled, f_unlabelled, weight):
    """Mean and squared standard error as PPI++ has them (example 1 and section 5), with a weight of
    its own.
    """
    n, m = len(y), len(f_unlabelled)
    mean = (
        sum(weight * f for f in f_unlabelled) / m
        + sum(a - weight * b for a, b in zip(y, f_labelled, strict=True)) / n
    )

    def variance(values):
        middle = sum(values) / len(values)
        return sum((v - middle) ** 2 for v in values) / (len(values) - 1)

    error = variance([weight * f for f in f_unlabelled]) / m
    return mean, error + variance([a - weight * b for a, b in zip(y, f_labelled, strict=True)]) / n


@given(st.integers(0, 2**32), st.floats(0, 1), st.integers(2, 12), st.integers(2, 40))
def test_the_estimate_is_that_of_ppi(seed, weight, n, m):
    rng = np.random.default_rng(seed)
    y, f = rng.random((1, n)), rng.random((1, n + m))
    labelled = np.arange(n + m) < n
    found, _, _ = estimates(y, f, labelled, weight)
    # The judge's mean here is over all topics, there over those without human judgments.
    mean, _ = ppi_plus_plus(y[0], f[0, :n], f[0, n:], weight * m / (n + m))
    assert found[0] == pytest.approx(mean)


def test_the_error_is_that_of_ppi_in_large_samples():
    rng = np.random.default_rng(0)
    n, m, weight = 4000, 8000, 0.6
    f = rng.normal(size=(1, n + m))
    y = f[:, :n] + rng.normal(size=(1, n))
    _, error, _ = estimates(y, f, np.arange(n + m) < n, weight)
    _, square = ppi_plus_plus(y[0], f[0, :n], f[0, n:], weight * m / (n + m))
    assert error[0] ** 2 == pytest.approx(square, rel=0.03)


def test_an_example_by_hand():
    # Y - F/2 over the two topics is 1/2 and 0; the judge has 1, 0, 1 and 0.
    y, f = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0, 1.0, 0.0]])
    labelled = np.array([True, True, False, False])
    estimate, error, df = estimates(y, f, labelled, 0.5, fixed=True)
    assert estimate[0] == 0.5  # 1/2 + 1/2 (1/2 - 1/2)
    assert error[0] ** 2 == pytest.approx(float(Fraction(1, 2) * Fraction(1, 8) / 2))
    assert df[0] == 1  # never below
    _, error, _ = estimates(y, f, labelled, 0.5)
    # s_ee = 1/8, s_FF = 1/3, s_eF = 1/4: 1/16 + 1/4 * 1/3 / 4 + 2 * 1/2 * 1/4 / 4
    assert error[0] ** 2 == pytest.approx(
        float(Fraction(1, 16) + Fraction(1, 48) + Fraction(1, 16))
    )


def test_pairs_share_in_their_median_variance():
    rng = np.random.default_rng(4)
    y, f = rng.random((5, 4)), rng.random((5, 7))
    f[0, :4] = 5 * (1 - y[0])  # a covariance so negative that the error would be, too
    e, here, rest = y - f[:, :4] / 2, f[:, :4], 3 / 7
    own = e.var(axis=1, ddof=1)
    s_ee = (3 * own + rest * np.median(own)) / (3 + rest)
    r = np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(e, here, strict=True)])
    of_error = s_ee / 4 + r * np.sqrt(s_ee * here.var(axis=1, ddof=1)) / 7
    assert [*(of_error < rest * s_ee / 8)] == [True, False, False, False, False]
    square = np.maximum(of_error, rest * s_ee / 8) + f.var(axis=1, ddof=1) / 4 / 7
    assert estimates(y, f, np.arange(7) < 4, 0.5, shared=True)[1] ** 2 == pytest.approx(square)


def values(n_topics, seed=0, n_runs=4):
    rng = np.random.default_rng(seed)
    qrels = {
        f"t{t:02}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 12))}
        for t in range(n_topics)
    }
    runs = {
        f"r{i}": {
            t: {d: g * i / 3 + float(rng.random()) for d, g in docs.items()}
            for t, docs in qrels.items()
        }
        for i in range(n_runs)
    }
    return qrels, runs


@pytest.mark.parametrize("topics", ["sample", "fixed"])
def test_a_judge_that_agrees_gives_what_humans_would(topics):
    qrels, runs = values(12)
    some = dict(list(qrels.items())[:5])
    predictions = irpref_lab.judge(["nDCG@5", "AP"], some, qrels, runs, topics=topics)
    for measure in ("nDCG@5", "AP"):
        for name, run in runs.items():
            row = predictions[
                (predictions["run"] == name) & (predictions["measure"] == measure)
            ].iloc[0]
            every = next(iter(irpref.evaluator([measure], qrels).values(run).values()))
            assert row["estimate"] == pytest.approx(every.mean())
            half = (
                stats.t.ppf(0.975, 11) * every.std(ddof=1) / math.sqrt(12)
                if topics == "sample"
                else 0.0
            )
            assert (row["low"], row["high"]) == pytest.approx(
                (max(every.mean() - half, 0.0), min(every.mean() + half, 1.0))
            )
    assert predictions.agreement["kappa"].tolist() == [1, 1]
    assert not predictions.agreement[["judge_only", "human_only", "reversed"]].to_numpy().any()
    assert predictions.agreement["tau"].tolist() == pytest.approx([1, 1])
    assert predictions[["topics_human", "topics_judge"]].iloc[0].tolist() == [5, 12]


def test_with_all_topics_judged_by_humans_it_is_their_t_interval():
    qrels, runs = values(8)
    rng = np.random.default_rng(1)
    judge = {
        t: {d: int(np.clip(g + rng.integers(-1, 2), 0, 2)) for d, g in docs.items()}
        for t, docs in qrels.items()
    }
    predictions = irpref_lab.judge(["AP"], qrels, judge, runs)
    pair = predictions.pairs.iloc[0]
    a, b = (
        next(iter(irpref.evaluator(["AP"], qrels).values(runs[name]).values()))
        for name in (pair["b"], pair["a"])  # second minus first
    )
    low, high = stats.ttest_1samp(a - b, 0).confidence_interval(0.95)
    assert (pair["difference"], pair["low"], pair["high"]) == pytest.approx(
        ((a - b).mean(), low, high)
    )
    assert [pair["p"], pair["p_human"]] == pytest.approx([stats.ttest_1samp(a - b, 0).pvalue] * 2)


def test_a_judge_that_says_nothing_is_left_aside():
    qrels, runs = values(30)
    some = dict(list(qrels.items())[:10])
    judge = {t: {d: (3 * int(d[1:]) + int(t[1:])) % 5 for d in docs} for t, docs in qrels.items()}
    with pytest.warns(irpref.IrprefWarning, match="the humans' alone"):
        predictions = irpref_lab.judge(["AP"], some, judge, runs)
    assert (predictions["estimate"] == predictions["human"]).all()
    value = next(iter(irpref.evaluator(["AP"], some).values(runs["r0"]).values()))
    assert predictions["high"].iloc[0] == pytest.approx(
        value.mean() + stats.t.ppf(0.975, 9) * value.std(ddof=1) / 10**0.5
    )
    assert predictions.agreement["weight"].iloc[0] == 0
    assert math.isnan(predictions.agreement["kappa"].iloc[0])  # grades up to 4, humans up to 2


def test_neither_the_order_of_topics_nor_the_scale_of_agreement_matters():
    qrels, runs = values(12)
    rng = np.random.default_rng(2)
    judge = {
        t: {d: int(rng.random() < (0.2, 0.5, 0.9)[g]) for d, g in docs.items()}
        for t, docs in qrels.items()
    }
    some = dict(list(qrels.items())[:6])
    predictions = irpref_lab.judge(["nDCG"], some, judge, runs)
    other = irpref_lab.judge(
        ["nDCG"], dict(reversed(some.items())), dict(reversed(judge.items())), runs
    )
    assert predictions.equals(other)
    assert predictions.pairs.equals(other.pairs)
    doubled = {t: {d: 2 * g for d, g in docs.items()} for t, docs in judge.items()}
    assert np.allclose(
        predictions.iloc[:, 2:].astype(float),
        irpref_lab.judge(["nDCG"], some, doubled, runs).iloc[:, 2:].astype(float),
    )


def test_agreement_counts_the_pairs_that_matter():
    topics = [f"t{i}" for i in range(8)]
    human = {t: {"a": 1, "b": 0, "c": 0} for t in topics}
    judge = {t: {"a": 1, "b": 0, "c": 0} for t in topics[1:]} | {"t0": {"a": 1, "b": 0, "c": 1}}
    first = {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in topics}
    last = {t: {"b": 3.0, "c": 2.0 - i % 2, "a": 1.0} for i, t in enumerate(topics)}
    predictions = irpref_lab.judge(["RR"], human, judge, {"first": first, "last": last})
    of = predictions.agreement.iloc[0]
    assert (of["pairs"], of["both"], of["judge_only"], of["human_only"], of["reversed"]) == (
        1,
        1,
        0,
        0,
        0,
    )
    # Of 24 documents humans graded 8 with 1, and the judge these and one more.
    assert of["documents"] == 24
    h, j = np.array([1] * 8 + [0] * 16), np.array([1] * 9 + [0] * 15)
    expected = 1 - np.mean((h - j) ** 2) / np.mean((h[:, None] - j[None]) ** 2)
    assert of["kappa"] == pytest.approx(expected)


def test_topics_needed_are_those_of_the_other_tables():
    rng = np.random.default_rng(5)
    qrels, runs = values(20, n_runs=3)
    some = dict(list(qrels.items())[:8])
    judge = {
        t: {d: max(g - int(rng.random() < 0.2), 0) for d, g in docs.items()}
        for t, docs in qrels.items()
    }
    pair = irpref_lab.judge(["AP"], some, judge, runs).pairs.iloc[1]
    a, b = (
        next(iter(irpref.evaluator(["AP"], some).values(runs[name]).values()))
        for name in (pair["a"], pair["b"])
    )
    spread = (a - b).std(ddof=1)
    # The same meaning as everywhere: 4 of 5 experiments.
    needed = irpref_lab.topics_needed(abs(pair["difference"]), spread**2 / 2)
    assert pair["topics_needed"] == needed


def test_a_run_that_is_cut_off_has_no_p():
    qrels, runs = values(20, n_runs=3)
    some = dict(list(qrels.items())[:8])
    whole = irpref_lab.judge(["AP"], some, qrels, runs)
    assert (whole.pairs["codes"] == "").all()
    name = next(iter(runs))
    cut = runs | {name: dict(list(runs[name].items())[:1])}
    predictions = irpref_lab.judge(["AP"], some, qrels, cut)
    broken = (predictions.pairs[["a", "b"]] == name).any(axis=1)
    assert (predictions.pairs["codes"] == np.where(broken, "unanswered", "")).all()
    assert predictions.pairs.loc[broken, ["low", "high", "p"]].isna().all(axis=None)
    assert predictions.pairs.loc[~broken, "p"].notna().all()
    assert predictions.evidence.loc[
        predictions.evidence["code"] == "unanswered", "topics"
    ].tolist() == [19]
    for empty in ({}, {t: {"?": 1.0} for t in qrels}):
        with pytest.raises(AbsentRunError) as error:
            irpref_lab.judge(["AP"], some, qrels, runs | {name: empty})
        assert error.value.run == name


@pytest.mark.parametrize(
    ("human", "judge", "lacks"),
    [
        ({"q1": {"a": 1}}, {"q1": {"a": 1}, "q2": {"a": 1}}, "at least 2 topics"),
        ({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"b": 1}, "q2": {"b": 1}}, "no document"),
    ],
)
def test_too_little_in_common_is_refused(human, judge, lacks):
    with pytest.raises(ArgumentError, match=lacks) as error:
        irpref_lab.judge(["AP"], human, judge, {"r": {"q1": {"a": 1.0}}})
    assert error.value.parameter == "judge"


def test_an_unknown_question_is_refused():
    with pytest.raises(ArgumentError) as error:
        irpref_lab.judge(["AP"], {}, {}, {}, topics="all")
    assert (error.value.parameter, error.value.value) == ("topics", "all")


def test_a_level_that_is_a_text_is_refused():
    with pytest.raises(ArgumentError) as error:
        irpref_lab.judge(["AP"], {}, {}, {}, level="0.95")
    assert (error.value.parameter, error.value.value) == ("level", "0.95")


def test_topics_without_the_judges_grades_are_named():
    qrels, runs = values(5)
    with pytest.warns(irpref.IrprefWarning, match="^2 topics with human"):
        predictions = irpref_lab.judge(["AP"], qrels, dict(list(qrels.items())[:3]), runs)
    assert predictions["topics_human"].iloc[0] == 3


def test_pairs_share_in_the_median_variance():
    # No judge: variances 2, 8 and 32 of two topics, and 1/2 of the topics lack human judgments.
    y = np.array([[0.0, 2.0], [0.0, 4.0], [0.0, 8.0], [1.0, 1.0]])
    labelled = np.array([True, True, False, False])
    estimate, error, df = estimates(y, np.zeros((4, 4)), labelled, 0.0, shared=True)
    assert estimate.tolist() == [1, 2, 4, 1]
    assert error**2 == pytest.approx(
        [(s + 0.5 * 8) / 1.5 / 2 for s in (2, 8, 32)] + [0]
    )  # known without error
    assert df == pytest.approx([1.5] * 4)


@pytest.mark.parametrize(
    ("quality", "fixed", "most"), [(0.9, False, 0.8), (0.9, True, 0.7), (0.0, False, 1.02)]
)
def test_coverage_and_width_at_ten_topics(quality, fixed, most):
    rng = np.random.default_rng(7)
    reps, n, total = 4000, 10, 45
    f = rng.standard_t(8, (reps, total))
    y = quality * f + math.sqrt(1 - quality**2) * rng.standard_t(8, (reps, total))
    f[:] = f if quality else rng.standard_t(8, (reps, total))
    labelled = np.arange(total) < n
    # What the grades of the documents would say of such judges.
    estimate, error, df = estimates(
        y[:, :n], f, labelled, math.sqrt(0.6) if quality else 0.05, fixed
    )
    half = stats.t.ppf(0.975, df) * error
    true = y.mean(axis=1) if fixed else 0.0
    assert (np.abs(estimate - true) <= half).mean() >= 0.945
    human = stats.t.ppf(0.975, n - 1) * y[:, :n].std(axis=1, ddof=1) / math.sqrt(n)
    assert half.mean() / human.mean() <= most


def test_a_sample_may_need_fewer_human_grades():
    """Two runs that differ in the first ranks of many topics; whole topics are judged deeply."""
    rng = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(60)]
    grades = {f"q{t}": {d: int(rng.integers(0, 3)) for d in docs} for t in range(30)}
    judge = {
        q: {d: min(g + int(rng.integers(0, 2)), 3) for d, g in grades_of_topic.items()}
        for q, grades_of_topic in grades.items()
    }
    human = {q: grades[q] for q in list(grades)[:12]}
    runs = {
        name: {
            q: {d: g + noise * rng.normal() for d, g in grades_of_topic.items()}
            for q, grades_of_topic in grades.items()
        }
        for name, noise in (("good", 1.0), ("bad", 2.0))
    }
    predictions = irpref_lab.judge(["DCG@5", "AP"], human, judge, runs)
    table = predictions.agreement.set_index("measure")
    assert table["judged"].tolist() == [720, 720]
    assert 10 < table.loc["DCG@5", "sample"] < 300
    assert np.isnan(table.loc["AP", "sample"])
    fewer, refused = predictions.advice.splitlines()
    assert fewer.startswith("DCG@5: ")
    assert f" {table.loc['DCG@5', 'sample']:.0f} human grades" in fewer
    assert fewer.endswith(" 720")
    assert refused.startswith("AP cannot be ")
    predictions = irpref_lab.judge(["nDCG@5", "nDCG@10"], human, judge, runs)
    refused, *use = predictions.advice.split("; ")
    assert refused.startswith("nDCG@5, nDCG@10 cannot ")
    assert use == ["use DCG@5", "use DCG@10"]
    best = predictions.loc[predictions.groupby("measure")["estimate"].idxmax()]
    for measure, run in zip(best["measure"], best["run"], strict=True):
        assert predictions.sentences[measure, None].startswith(f"{measure}: {run} (")
    assert repr(predictions).startswith(predictions.sentences["nDCG@5", None][:60])


@pytest.mark.parametrize("n", [4, 5])
def test_fewer_than_five_human_topics_have_no_interval(n):
    qrels = {f"q{t}": {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    run = {topic: {"a": 2.0, "b": 1.0 + (t % 3), "c": 0.5} for t, topic in enumerate(qrels)}
    other = {topic: {"a": 1.0, "c": 2.0} for topic in qrels}
    some = dict(list(qrels.items())[:n])
    for topics in ("sample", "fixed"):
        table = irpref_lab.judge("AP", some, qrels, {"a": run, "b": other}, topics=topics)
        for frame in (table, table.pairs):
            assert (frame[["low", "high"]].isna().all().all()) == (n < 5)


def test_intervals_stay_in_the_range_of_the_measure():
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(12)}
    good = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    mixed = {t: {"a": float(n % 2), "b": 0.5} for n, t in enumerate(qrels)}
    some = dict(list(qrels.items())[:5])
    table = irpref_lab.judge("RR", some, qrels, {"good": good, "mixed": mixed}, topics="sample")
    assert (table["low"] >= 0).all()
    assert (table["high"] <= 1).all()
    assert (table.pairs[["low", "high"]].abs() <= 1).all().all()
    assert (table["low"] < table["high"]).tolist()[1]


def test_a_code_that_depends_on_both_runs_is_the_reason_in_the_first_line():
    """A run is too shallow only beside a deeper one."""
    made = load("synthetic")
    runs = {name: made.runs[name] for name in ("strong", "precise")}
    found = irpref_lab.judge(["AP"], made.qrels, made.qrels, runs)
    assert found.pairs["codes"].tolist() == ["shallow"]
    assert "fewer than half as many as another run" in found.text
