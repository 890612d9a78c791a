"""`irpref_lab.meta.robustness`: outcomes against plain definitions, intervals against simulation."""

import itertools

import numpy as np
import pytest
from ir_measures import AP, Bpref, nDCG
from scipy import stats

from irpref import EMeasure
from irpref.cli import main
from irpref.errors import ArgumentError
from irpref_lab.meta import robustness, thin
from irpref_lab.meta.outcomes import told_apart
from irpref_lab.meta.robustness import Outcome, Robustness
from irpref_lab.meta.values import topic_values
from shells import qrels_text, run_text


def collection(seed=1, n_topics=12, n_runs=8, n_docs=40, depth=25):
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {f"r{k}": {} for k in range(n_runs)}
    for t in range(n_topics):
        grades = rng.choice([0, 1, 2], n_docs, p=[0.6, 0.25, 0.15])
        qrels[f"q{t:02}"] = {f"d{i}": int(g) for i, g in enumerate(grades)}
        for k, run in enumerate(runs.values()):
            score = grades + rng.normal(scale=0.6 + 0.3 * k, size=n_docs)
            best = np.argsort(-score)[:depth]
            run[f"q{t:02}"] = {f"d{i}": float(score[i]) for i in best}
    return qrels, runs


def tau(a, b):
    return stats.kendalltau(np.round(a, 10), np.round(b, 10)).statistic


def values(measure, qrels, runs):
    (found,) = topic_values([measure], qrels, runs).values()
    return found.matrix


def apart(matrix):
    """t-tests one by one, by SciPy."""
    found = []
    for a, b in itertools.combinations(matrix, 2):
        test = (
            stats.ttest_rel(a, b) if np.ptp(a - b) > 1e-9 else None
        )  # no variance: not told apart
        found.append(np.sign(test.statistic) if test is not None and test.pvalue < 0.05 else 0)
    return np.array(found)


@pytest.fixture(scope="module")
def found():
    qrels, runs = collection()
    measures = [AP, nDCG, Bpref]
    return (
        qrels,
        runs,
        robustness(measures, qrels, runs, levels=(20,), n_samples=3, n_halves=4, rng=5),
    )


def test_own_ranking_and_calls_of_significance_are_those_of_the_thinned_qrels(found):
    qrels, runs, result = found
    assert result.measures == ("AP", "nDCG", "Bpref")
    for i, measure in enumerate((AP, nDCG, Bpref)):
        full = values(measure, qrels, runs)
        own, wrong, kept, left = [], [], [], []
        for sample in range(3):
            part = thin(qrels, 20, sample=sample, rng=5)
            now = values(measure, part, runs)
            left.append(len(part))
            own.append(tau(now.mean(axis=1), full.mean(axis=1)))
            before, after = apart(full), apart(now)
            wrong.append(np.mean((after != 0) & (after != before)))
            kept.append(np.sum((after != 0) & (after == before)) / np.sum(before != 0))
        assert result.outcomes[20, "own"].samples[i] == pytest.approx(own)
        assert result.outcomes[20, "wrong"].samples[i] == pytest.approx(wrong)
        assert result.outcomes[20, "kept"].samples[i] == pytest.approx(kept)
    assert result.judgments == {100.0: 480.0, 20.0: pytest.approx(np.mean(left))}
    assert result.number(20, "own", "AP")[0] == pytest.approx(
        result.outcomes[20, "own"].samples[0].mean()
    )


def test_prediction_is_of_other_topics_and_in_both_directions(found):
    qrels, runs, result = found
    criteria = [values(m, qrels, runs) for m in (nDCG @ 10, AP)]
    for level in (100, 20):
        for sample in range(3):
            part = qrels if level == 100 else thin(qrels, 20, sample=sample, rng=5)
            now = values(AP, part, runs)
            half = np.argsort(np.random.default_rng([5, sample, 1]).random(12)) < 6
            expected = [
                tau(now[:, here].mean(axis=1), truth[:, ~here].mean(axis=1))
                for here in (half, ~half)
                for truth in criteria
            ]
            assert result.outcomes[level, "prediction"].samples[0, sample] == pytest.approx(
                np.mean(expected)
            )


def test_halves_of_the_topics_are_outcomes_on_these_topics(found):
    qrels, runs, result = found
    half = np.argsort(np.random.default_rng([5, 0, 2]).random(12)) < 6
    full = values(AP, qrels, runs)[:, half].mean(axis=1)
    each = [
        tau(values(AP, thin(qrels, 20, sample=s, rng=5), runs)[:, half].mean(axis=1), full)
        for s in range(3)
    ]
    assert result.outcomes[20, "own"].topics[0, 0] == pytest.approx(np.mean(each))


def test_measures_that_are_left_to_the_host_are_evaluated_too():
    qrels, runs = collection(6)
    result = robustness(
        ["IPrec@0.5", "AP"], qrels, runs, levels=(20,), n_samples=2, n_halves=2, cutoff=15, rng=5
    )
    cut = {
        n: {q: dict(sorted(d.items(), key=lambda x: -x[1])[:15]) for q, d in run.items()}
        for n, run in runs.items()
    }
    full = values("IPrec@0.5", qrels, cut).mean(axis=1)
    each = [
        tau(values("IPrec@0.5", thin(qrels, 20, sample=s, rng=5), cut).mean(axis=1), full)
        for s in range(2)
    ]
    assert result.outcomes[20, "own"].samples[0] == pytest.approx(each)


def test_teams_are_left_out_one_at_a_time(found):
    qrels, runs, _ = found
    teams = {"r0": "first", "r1": "first"}  # the others are teams of their own
    result = robustness(
        [AP], qrels, runs, levels=(20,), n_samples=2, n_halves=2, teams=teams, rng=5
    )
    full = values(AP, qrels, runs).mean(axis=1)
    now = [values(AP, thin(qrels, 20, sample=s, rng=5), runs).mean(axis=1) for s in range(2)]
    without = [np.arange(8) > 1, *(np.arange(8) != k for k in range(2, 8))]
    expected = [np.mean([tau(of[left], full[left]) for of in now]) for left in without]
    assert result.outcomes[20, "own"].teams[0] == pytest.approx(expected)


def test_bias_is_the_net_share_of_pairs_that_turn_for_runs_that_were_not_pooled():
    qrels, runs = collection(3)
    teams = {name: f"team {k // 2}" for k, name in enumerate(runs)}
    result = robustness(
        [AP], qrels, runs, loss="pools", levels=(99, 50), depth=3, teams=teams, n_samples=4, rng=2
    )
    assert np.isnan(result.outcomes[99, "bias"].samples).all()  # all four teams were pooled
    full = values(AP, qrels, runs).mean(axis=1)
    names, expected = list(runs), []
    for s in range(4):
        inside = {f"team {t}" for t in np.random.default_rng([2, s]).permutation(4)[:2]}
        judged = {
            (topic, doc)
            for name in names
            if teams[name] in inside
            for topic, docs in runs[name].items()
            for doc in sorted(docs, key=docs.get, reverse=True)[:3]
        }
        left = {t: {d: g for d, g in docs.items() if (t, d) in judged} for t, docs in qrels.items()}
        now = values(AP, left, runs).mean(axis=1)
        turns = [
            (np.sign(now[u] - now[p]) - np.sign(full[u] - full[p])) / 2
            for u, p in itertools.product(range(8), repeat=2)
            if teams[names[u]] not in inside and teams[names[p]] in inside
        ]
        expected.append(np.mean(turns))
    assert result.outcomes[50, "bias"].samples[0] == pytest.approx(expected)
    assert result.outcomes[50, "bias"].teams.shape == (
        1,
        0,
    )  # four teams are too few to leave one out


def test_a_measure_that_is_better_low_counts_in_its_direction():
    qrels, runs = collection(4)
    result = robustness(
        ["EMeasure@10", "FMeasure@10"], qrels, runs, levels=(20,), n_samples=2, n_halves=3, rng=1
    )
    for outcome in result.outcomes.values():
        assert outcome.samples[0] == pytest.approx(outcome.samples[1])


def test_t_tests_of_all_pairs_are_those_of_scipy():
    matrix = np.random.default_rng(1).random((7, 9))
    matrix[3] = matrix[2] + 0.1
    matrix[5] += 0.8
    told = told_apart(matrix)
    assert told[np.triu_indices(7, 1)].tolist() == apart(matrix).tolist()
    assert (told == -told.T).all()


def test_standard_errors_are_of_topics_or_teams_and_of_samples_and_differences_are_paired():
    one = Outcome(
        np.array([[0.1, 0.3], [0.2, 0.2]]),
        np.array([[0.0, 0.2, 0.4], [0.0, 0.2, 0.4]]),
        np.array([[1.0, 2.0, 3.0], [0, 0, 0]]),
    )
    result = Robustness(("a", "b"), {(50.0, "own"): one}, {50.0: 10.0}, 9)
    # Samples: variance .02 of two, over 2. Topics: variance .04. Teams: 2/3 of the sum of squares 2
    # around the mean of the three that leave one out. The larger of these two counts.
    assert result.number(50, "own", "a") == pytest.approx((0.2, np.sqrt(0.01 + 4 / 3)))
    assert result.number(50, "own", lambda values: values["a"] - values["b"]) == pytest.approx(
        (0.0, np.sqrt(0.01 + 4 / 3))
    )
    assert result.number(50, "own", "b") == pytest.approx((0.2, np.sqrt(0.04)))
    (row,) = result.table("b").to_dict("records")
    assert row["high"] - row["low"] == pytest.approx(
        2 * stats.t.ppf(0.975, 9) * np.sqrt(0.01 + 4 / 3)
    )
    with pytest.raises(ArgumentError, match="'a', 'b'") as error:
        result.table("c")
    assert (error.value.parameter, error.value.value) == ("reference", "c")


def test_judgments_needed_by_hand():
    def exact(*means):
        return Outcome(np.array(means)[:, None], np.empty((2, 0)), np.empty((2, 0)))

    levels = {(100.0, "prediction"): exact(0.8, 0.9), (10.0, "prediction"): exact(0.6, 0.7)}
    result = Robustness(("a", "b"), levels, {100.0: 1000.0, 10.0: 100.0}, 9)
    needed = result.judgments_needed("a", "b")
    # .7 lies half way between .6 and .8: the middle of 100 and 1000 on a logarithmic scale; .9 is
    # never reached.
    assert needed["needed"].tolist() == pytest.approx([np.sqrt(100 * 1000), np.inf])
    assert result.judgments_needed("b", "a")["needed"].tolist() == pytest.approx(
        [0, np.sqrt(100 * 1000)]
    )
    assert needed[["low", "high"]].to_numpy() == pytest.approx(
        needed[["needed", "needed"]].to_numpy()
    )


def test_intervals_cover_what_other_topics_and_teams_would_have_said():
    """Own ranking and prediction in 60 simulated collections; the truth is the mean of all of them."""
    estimates, errors = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        ability = np.repeat(rng.normal(size=8), 2) * 0.5 + rng.normal(size=16) * 0.3
        qrels, runs = {}, {f"r{k}": {} for k in range(16)}
        for t in range(16):
            relevant = rng.random(24) < 0.4
            qrels[f"q{t}"] = {f"d{i}": int(x) for i, x in enumerate(relevant)}
            for k, run in enumerate(runs.values()):
                score = relevant * (1.2 + ability[k]) + rng.normal(size=24)
                run[f"q{t}"] = {f"d{i}": float(x) for i, x in enumerate(score)}
        teams = {f"r{k}": f"t{k // 2}" for k in range(16)}
        result = robustness(
            ["AP", "Bpref"],
            qrels,
            runs,
            levels=(40,),
            n_samples=4,
            teams=teams,
            criteria=["AP"],
            n_halves=30,
            rng=seed,
        )
        found = [
            result.number(40, "own", "AP"),
            result.number(40, "prediction", "AP"),
            result.number(40, "own", lambda values: values["AP"] - values["Bpref"]),
        ]
        estimates.append([x for x, _ in found])
        errors.append([result.width() * error for _, error in found])
    away = np.abs(np.array(estimates) - np.mean(estimates, axis=0))
    cover = (away < np.array(errors)).mean(axis=0)
    # A little wide, as said: as wide as 1.7 times the true standard errors, by Student with 7
    # degrees of freedom.
    assert (cover >= 0.9).all()
    assert (
        np.sqrt(np.mean(np.square(errors), axis=0)) < 1.7 * 2.36 * np.std(estimates, axis=0)
    ).all()


@pytest.mark.parametrize(("parameter", "value"), [("loss", "swap"), ("runs", {}), ("levels", (0,))])
def test_arguments_that_do_not_fit_are_refused(parameter, value):
    qrels, runs = collection()
    given = {"measures": [AP], "qrels": qrels, "runs": runs, "rng": 1, parameter: value}
    with pytest.raises(ArgumentError) as error:
        robustness(given.pop("measures"), given.pop("qrels"), given.pop("runs"), **given)
    assert error.value.parameter == parameter


def test_the_command_prints_the_tables_of_the_library(tmp_path, capsys):
    qrels, runs = collection()
    (tmp_path / "qrels").write_text(qrels_text(qrels))
    (tmp_path / "runs").mkdir()
    for name, run in runs.items():
        (tmp_path / "runs" / f"{name}.run").write_text(run_text(run))
    call = ["meta", "robustness", str(tmp_path / "qrels"), str(tmp_path / "runs"), "AP", "Bpref"]
    call += ["--levels", "20", "--samples", "3", "-o", "csv"]
    library = robustness(["AP", "Bpref"], qrels, runs, levels=(20,), n_samples=3, rng=0)
    assert main([*call, "--intervals"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "measure,level,judgments,outcome,estimate,low,high"
    assert len(shown) == 1 + len(library.table())
    assert float(shown[1].split(",")[4]) == pytest.approx(library.table()["estimate"][0], abs=1e-4)
    assert main([*call, "--needed", "AP"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "measure,level,judgments,needed,low,high"
    assert [line.split(",")[0] for line in shown[1:]] == ["Bpref", "Bpref"]
    assert main([*call, "--intervals", "--resume", "x"]) == 2
    said = capsys.readouterr().err
    assert "--resume" in said
    assert "--intervals" in said


def test_measures_under_names_of_ones_own():
    qrels, runs = collection()
    named = {"E": EMeasure, "short": "AP@5"}
    result = robustness(named, qrels, runs, levels=(50,), n_samples=2, n_halves=2, rng=1)
    assert result.measures == ("E", "short")
