"""Thinned judgments and what they do to the ranking of systems."""

import itertools
import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RR, Bpref, IPrec, nDCG

import irpref
from irpref import PrefShare, QMeasure, RPref
from irpref.errors import ArgumentError, MeasureError, NoCommonTopicError
from irpref_lab.meta import LEVELS, incompleteness, kendall_tau, thin
from irpref_lab.meta.restriction import Restriction


def collection(seed=0, n_topics=6, n_runs=5, grades=(0, 1, 2)):
    """Qrels with 4 to 40 judgments a topic, and runs that find the relevant ones better or worse."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {f"run{i}": {} for i in range(n_runs)}
    for t in range(n_topics):
        docs = [f"d{i}" for i in range(60)]
        judged = rng.choice(60, int(rng.integers(4, 41)), replace=False)
        # Nothing of the topic is relevant in one of them.
        qrels[f"q{t}"] = {docs[i]: int(rng.choice(grades)) if t else 0 for i in judged}
        for i, run in enumerate(runs.values()):
            found = rng.choice(60, 50, replace=False)
            signal = np.array([qrels[f"q{t}"].get(docs[d], 0) for d in found])
            scores = signal + (i + 1) * rng.random(50)
            run[f"q{t}"] = {
                docs[d]: float(np.float32(s)) for d, s in zip(found, scores, strict=True)
            }
    return qrels, runs


def groups(frame, rel=1):
    """Documents by topic: relevant, judged non-relevant, negative."""
    out = {}
    for row in frame.itertuples():
        which = 0 if row.relevance >= rel else 1 if row.relevance >= 0 else 2
        out.setdefault(row.query_id, ([], [], []))[which].append(row.doc_id)
    return out


# 7 relevant and 25 non-relevant documents.
DOCS = {**{f"r{i}": 1 + i % 2 for i in range(7)}, **{f"n{i}": 0 for i in range(25)}}


@pytest.mark.parametrize(
    ("docs", "level", "rel", "left"),
    [
        (DOCS, 100, 1, (7, 25, 0)),
        (DOCS, 50, 1, (4, 13, 0)),  # half up: 50 % of 7 is 3.5, of 25 12.5
        (DOCS, 30, 1, (2, 10, 0)),  # 2.1 and 7.5: at least 1 and 10 stay
        (DOCS, 1, 1, (1, 10, 0)),
        (
            dict.fromkeys(map(str, range(250)), 1),
            64.6,
            1,
            (162, 0, 0),
        ),  # 161.5, and 64.6 * 250 / 100 a little less
        ({"r": 1, "n1": 0, "n2": 0}, 1, 1, (1, 2, 0)),  # a topic that has little keeps it
        ({"n": 0}, 1, 1, (0, 1, 0)),
        ({"r1": 1, "r2": 2}, 1, 1, (1, 0, 0)),
        # Negative grades are thinned by themselves.
        (
            {**{f"s{i}": -2 for i in range(20)}, **{f"n{i}": 0 for i in range(20)}, "r": 1},
            10,
            1,
            (1, 10, 2),
        ),
        ({f"d{i}": i % 4 for i in range(80)}, 25, 2, (10, 10, 0)),
    ],
)
def test_thin_by_hand(docs, level, rel, left):
    (found,) = groups(thin({"q": docs}, level, rel=rel, rng=0), rel=rel).values()
    assert tuple(map(len, found)) == left


def test_smaller_qrels_lie_inside_larger_ones():
    qrels, _ = collection()
    for sample in range(3):
        parts = [
            set(map(tuple, thin(qrels, level, sample=sample, rng=1).itertuples(index=False)))
            for level in (100, *LEVELS)
        ]
        assert all(small <= large for large, small in itertools.pairwise(parts))
        assert len(parts[0]) > len(parts[8]) > len(parts[-1])


def test_samples_do_not_depend_on_the_order_of_the_lines():
    qrels, _ = collection()
    rows = pd.DataFrame([(q, d, g) for q, docs in qrels.items() for d, g in docs.items()])
    rows.columns = ["query_id", "doc_id", "relevance"]
    key = ["query_id", "doc_id"]
    one = thin(rows, 20, rng=3).sort_values(key, ignore_index=True)
    two = thin(rows.sample(frac=1, random_state=0), 20, rng=3).sort_values(key, ignore_index=True)
    assert one.equals(two)
    other = thin(rows, 20, rng=4).sort_values(key, ignore_index=True)
    assert not one.equals(other)


def test_every_relevant_document_is_as_likely_to_stay():
    qrels = {"q": {f"d{i}": 1 + i % 3 for i in range(12)}}
    stays = pd.concat([thin(qrels, 25, sample=s, rng=0) for s in range(800)])[
        "doc_id"
    ].value_counts()
    assert len(stays) == 12
    assert stays.between(150, 250).all()  # 200 expected, standard deviation 12


def test_several_restrictions_at_once_are_each_what_they_are_alone():
    qrels, runs = collection(1)
    evaluator = irpref.evaluator([AP, RPref(max_rel=2), QMeasure, PrefShare], qrels)
    pool = evaluator.pool
    keep = np.random.default_rng(0).random((4, pool.grade.size)) < [[0.0], [0.1], [0.5], [1.0]]
    together = Restriction(pool, keep)
    for run in runs.values():
        judged = evaluator.align(run)
        values = evaluator.values_of(together.judged(judged))
        alone = [evaluator.values_of(Restriction(pool, part).judged(judged)) for part in keep]
        for measure, found in values.items():
            expected = np.concatenate([of[measure] for of in alone])
            np.testing.assert_array_equal(found, expected, strict=True, err_msg=str(measure))


def test_grades_that_the_host_would_cut_are_refused():
    qrels = {"1": {"a": 0.5, "b": 1.0, "c": 0.0}, "2": {"a": 1.0, "b": 0.0}}
    runs = {
        name: {"1": {"a": score, "b": 2.0}, "2": {"a": 1.0}}
        for name, score in (("A", 1.0), ("B", 3.0))
    }
    with pytest.raises(MeasureError, match="pytrec_eval") as error:
        incompleteness(["IPrec@0.5", "AP"], qrels, runs, levels=[100], rng=0)
    assert (error.value.measure, error.value.value) == ("IPrec@0.5", 0.5)
    assert len(incompleteness(["AP"], qrels, runs, levels=[100], rng=0).means) == 2


# With a kernel of ours, of ours for the host, tied documents by rising id (RR@5), and left to the
# host (IPrec).
MEASURES = [
    RPref(max_rel=2),
    QMeasure(judged_only=True),
    AP,
    nDCG @ 10,
    Bpref,
    RR @ 5,
    IPrec @ 0.5,
    "RPref(norm='relative')",
]


def ordinary(name, qrels, run):
    """Mean by the host's path, on the scale of the whole collection."""
    measure = irpref.parse(name)
    if name == "RPref(norm='relative')":
        measure = measure(max_rel=2)
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


def test_means_are_those_of_the_ordinary_path_on_thinned_qrels():
    qrels, runs = collection(2)
    found = incompleteness(MEASURES, qrels, runs, levels=(50, 10), n_samples=2, rng=9).means
    assert len(found) == 5 * len(MEASURES) * 5  # all, and 2 levels of 2 samples
    for (level, sample), part in found.groupby(["level", "sample"]):
        left = thin(qrels, level, sample=sample, rng=9) if level < 100 else qrels
        for row in part.itertuples():
            assert row.mean == pytest.approx(
                ordinary(row.measure, left, runs[row.system]), abs=1e-12
            ), row


@pytest.mark.parametrize("teams", [None, {"run0": "x", "run1": "x", "run3": "y"}])
def test_shallow_pools_leave_what_the_drawn_runs_have_at_the_top(teams):
    qrels, runs = collection(9, n_runs=5)
    found = incompleteness(
        MEASURES,
        qrels,
        runs,
        levels=(60, 20),
        n_samples=3,
        rng=4,
        loss="pools",
        depth=3,
        teams=teams,
    ).means
    names = {run: (teams or {}).get(run, run) for run in runs}
    for (level, sample), part in found.groupby(["level", "sample"]):
        left = qrels
        if level < 100:
            order = np.random.default_rng([4, sample]).permutation(len(set(names.values())))
            n = max(int(level * order.size / 100 + 0.5), 1)
            drawn = [sorted(set(names.values()))[i] for i in order[:n].tolist()]
            top = {
                topic: {
                    doc
                    for run, team in names.items()
                    if team in drawn
                    for doc in sorted(
                        runs[run].get(topic, {}), key=lambda d: (runs[run][topic][d], d)
                    )[::-1][:3]
                }
                for topic in qrels
            }
            left = {
                topic: {d: g for d, g in docs.items() if d in top[topic]}
                for topic, docs in qrels.items()
            }
            assert sum(map(len, left.values())) < sum(map(len, qrels.values()))
        judged = [topic for topic in left if left[topic]]
        for row in part.itertuples():
            # Topics without judgments count, with the value 0.
            expected = (
                ordinary(row.measure, {t: left[t] for t in judged}, runs[row.system])
                * len(judged)
                / len(left)
            )
            assert row.mean == pytest.approx(expected, abs=1e-12), row


def test_judgments_from_an_iterator():
    runs = {"x": {"q": {"a": 1.0, "b": 3.0}}, "y": {"q": {"a": 2.0, "b": 1.0}}}
    judged = iter([ir_measures.Qrel("q", "a", 2, "0"), ir_measures.Qrel("q", "b", 0, "0")])
    found = incompleteness(["AP", "RPref"], judged, runs, levels=[100], n_samples=1, rng=0).means
    expected = {("AP", "x"): 0.5, ("AP", "y"): 1.0, ("RPref", "x"): 0.0, ("RPref", "y"): 1.0}
    assert found.set_index(["measure", "system"])["mean"].to_dict() == expected


def test_agreement_is_with_the_measures_own_ranking_or_a_reference():
    qrels, runs = collection(3)
    found = incompleteness([AP, QMeasure], qrels, runs, levels=(20, 5), n_samples=3, rng=0)
    means = {
        key: part["mean"].tolist()
        for key, part in found.means.groupby(["measure", "level", "sample"])
    }
    index = ["measure", "level", "sample"]
    own, other = (
        found.samples(reference).set_index(index).sort_index() for reference in (None, "AP")
    )
    for key in means:
        assert own.loc[key, "tau"] == kendall_tau(means[key], means[key[0], 100, 0])
        assert other.loc[key, "tau"] == kendall_tau(means[key], means["AP", 100, 0])
        assert own.loc[key, "mean"] == pytest.approx(np.mean(means[key]))
    table = found.table()
    assert table["measure"].tolist() == ["AP"] * 3 + ["QMeasure"] * 3
    assert table["level"].tolist() == [100, 20, 5] * 2
    assert table["samples"].tolist() == [1, 3, 3] * 2
    assert table["tau"][0] == pytest.approx(1)
    row = own.loc["AP", 5]
    assert table.loc[2, ["tau", "tau_min", "tau_max"]].tolist() == pytest.approx(
        [row["tau"].mean(), row["tau"].min(), row["tau"].max()]
    )
    with pytest.raises(ArgumentError, match="'AP', 'QMeasure'") as error:
        found.table("nDCG")
    assert (error.value.parameter, error.value.value) == ("reference", "nDCG")


def test_a_measure_that_is_better_low_is_compared_in_its_direction():
    qrels, runs = collection(4)
    found = incompleteness(
        ["EMeasure@10", "FMeasure@10"], qrels, runs, levels=(10,), n_samples=2, rng=0
    )
    by = {
        name: part.drop(columns=["measure", "mean"]).to_numpy()
        for name, part in found.table(reference="FMeasure@10").groupby("measure")
    }
    # E = 1 - F topic by topic, so the rankings are the same.
    assert by["EMeasure@10"] == pytest.approx(by["FMeasure@10"])


def test_only_what_a_file_of_results_lacks_is_computed(tmp_path):
    qrels, runs = collection(5)
    settings = {"levels": (50, 10), "rng": 1, "output": tmp_path / "new" / "part.jsonl"}
    whole = incompleteness([AP, RPref(max_rel=2)], qrels, runs, n_samples=2, **settings)
    # More samples and another measure.
    more = incompleteness([AP, QMeasure], qrels, runs, n_samples=3, **settings)
    assert set(more.measures) == {"AP", "QMeasure"}
    assert settings["output"].read_text().count("QMeasure") == 7 * len(runs)
    old = more.means[(more.means["measure"] == "AP") & (more.means["sample"] < 2)]
    assert old["mean"].tolist() == whole.means[whole.means["measure"] == "AP"]["mean"].tolist()
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(ArgumentError) as error:
        incompleteness([AP], qrels, runs, **{**settings, "output": other})
    assert (error.value.parameter, error.value.value) == ("output", other)


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        ("levels", {"levels": (0,)}),
        ("levels", {"levels": (150,)}),
        ("levels", {"levels": ()}),
        ("depth", {"depth": 3}),  # without the loss that takes it, as the next and `least`
        ("teams", {"teams": {"run0": "a"}}),
        ("depth", {"depth": 0, "loss": "pools"}),
        ("depth", {"depth": 2.5, "loss": "pools"}),
        ("loss", {"loss": "pool"}),
        ("least", {"loss": "pools", "least": (2, 2)}),
        ("rel", {"rel": 0}),
        ("least", {"least": (1,)}),
    ],
)
def test_arguments_that_do_not_fit_are_refused(parameter, given):
    qrels, runs = collection(7)
    with pytest.raises(ArgumentError) as error:
        incompleteness([AP], qrels, runs, rng=0, **given)
    assert (error.value.parameter, error.value.value) == (parameter, given[parameter])


def test_two_runs_are_needed_and_one_of_other_topics_is_named():
    qrels, _ = collection(7)
    with pytest.raises(ArgumentError, match="at least 2 runs") as few:
        incompleteness([AP], qrels, {}, rng=0)
    assert few.value.parameter == "runs"
    with pytest.raises(NoCommonTopicError) as error:
        incompleteness([AP], qrels, {"b": {"other": {"d": 1.0}}}, rng=0)
    assert error.value.run == "b"


def test_condensed_measures_and_bpref_are_more_robust_than_ap():
    # As Buckley & Voorhees 2004 and Sakai 2007 found: on simulated runs that find different
    # documents.
    qrels, runs = collection(8, n_topics=20, n_runs=12)
    found = incompleteness(
        [AP, AP(judged_only=True), Bpref],
        qrels,
        runs,
        levels=(10,),
        n_samples=5,
        least=(1, 3),
        rng=0,
    )
    table = found.table().query("level == 10").set_index("measure")["tau"]
    assert table["AP(judged_only=True)"] > table["AP"]
    assert table["Bpref"] > table["AP"]
    assert not math.isnan(table["AP"])
