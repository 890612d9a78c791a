"""The host's everyday measures from our alignment: the host's values to the last bit, and the
pipeline restored.
"""

import itertools
import json
import pickle
import re
import shutil
import warnings
from contextlib import nullcontext
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import (
    AP,
    RR,
    Bpref,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    ScoredDoc,
    SetAP,
    SetF,
    SetP,
    SetR,
    Success,
    infAP,
    nDCG,
)

import irpref
import irpref_lab
from compared import HOST as THE_HOST
from compared import count
from irpref import CRPRecovery, PPlus, QMeasure, RPref
from irpref.cli import main
from irpref.errors import MeasureError
from irpref.hosts import ir_measures as host
from irpref.judged.run import align_run
from irpref.measures.everyday import HOSTED
from irpref.measures.support import WITH_REL
from irpref.values.evaluator import CombinedEvaluator
from irpref.values.kernels import KernelEvaluator
from real_runs import COLLECTIONS, qrels_of, runs_of
from refused import refuses
from strategies import collections, for_the_host, random_collection

pytestmark = pytest.mark.usefixtures("pipeline_as_before")

# Every measure with every parameter.
HOST = [
    *(AP, AP(rel=2), AP @ 10, AP(judged_only=True) @ 20, AP(rel=2, judged_only=True)),
    *(nDCG, nDCG @ 10, nDCG @ 1, nDCG(judged_only=True), nDCG(judged_only=True) @ 5),
    *(P @ 1, P @ 10, P(rel=2) @ 2000, P(judged_only=True) @ 5),
    *(R @ 10, R(rel=2) @ 100, R(judged_only=True) @ 50),
    *(RR, RR(rel=2), RR(judged_only=True)),
    *(Rprec, Rprec(rel=2), Rprec(judged_only=True)),
    *(Bpref, Bpref(rel=2)),
    *(Success @ 1, Success(rel=2) @ 5, Success(judged_only=True) @ 3),
    *(NumRet(rel=2), NumRelRet),
    *(SetP, SetP(rel=2), SetP(judged_only=True), SetP(relative=True)),
    *(SetR, SetR(rel=2)),
    *(SetF, SetF(beta=2.0), SetF(beta=0.5, rel=2, judged_only=True), SetF(beta=0.0)),
    *(SetAP, SetAP(rel=2, judged_only=True)),
]
# The host mixes these up with others if they are asked for together; see the tests of differences.
APART = [
    NumRet,
    nDCG(gains={1: 1, 2: 3}),
    nDCG(gains={0: 1, 1: 1, 2: 0}) @ 7,
    nDCG(gains={1: 5}) @ 100,
    nDCG(gains={2: 1, 3: 9}, judged_only=True),
]


drawn_collections = (
    collections(integer_only=True)
    .map(for_the_host)
    .filter(lambda drawn: any(topic in drawn.run for topic in drawn.qrels))
)


# Where the host would take minutes for all of them.
USUAL = [
    *(
        AP,
        AP @ 10,
        nDCG,
        nDCG @ 10,
        P @ 10,
        P(rel=2) @ 5,
        R @ 100,
        RR,
        Rprec,
        Bpref,
    ),
    *(
        Bpref(rel=2),
        Success @ 5,
        NumRelRet,
        SetP,
        SetR,
        SetF,
        SetAP,
    ),
]


class Both:
    """Evaluators of the host and of ours for the same measures."""

    def __init__(self, qrels, measures=HOST, apart=APART):
        parts = [measures, *([m] for m in apart)]
        self.host = [ir_measures.DefaultPipeline.evaluator(part, qrels) for part in parts]
        self.n = len(measures) + len(apart)
        self.ours = irpref.evaluator([*measures, *apart], qrels)
        assert isinstance(self.ours, KernelEvaluator)
        self.place = {topic: i for i, topic in enumerate(self.ours.topic_ids)}

    def check(self, run, note=""):
        """Every value the same to the last bit, every mean but for the order of its sum."""
        values = self.ours.values(run)
        means = self.ours.calc_aggregate(run)
        seen = 0
        for evaluator in self.host:
            result = evaluator.calc(run)
            for metric in result.per_query:
                mine = values[metric.measure][self.place[metric.query_id]]
                assert mine == metric.value, (note, metric)
                seen += 1
            for measure, mean in result.aggregated.items():
                assert means[measure] == pytest.approx(mean, rel=1e-12), (note, measure)
        assert seen == len(self.place) * self.n
        count(THE_HOST, seen)


# Values -------------------------------------------------------------------------------------------


@given(drawn_collections)
def test_drawn_collections(collection):
    Both(collection.qrels).check(collection.run)


@pytest.mark.parametrize("grades", [(0, 1), (0, 0, 0, 1, 2, 3), (-2, -1, 0, 0, 1, 2), (1, 2)])
def test_longer_lists_with_many_ties(grades):
    collection = for_the_host(random_collection(seed=9, n_topics=25, n_docs=120, grades=grades))
    run = {t: {d: s // 9 for d, s in docs.items()} for t, docs in collection.run.items()}
    Both(collection.qrels).check(run)


@pytest.mark.slow
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_submitted_runs(collection, data_dir):
    qrels = qrels_of(data_dir, collection)
    usual, all_of_them = Both(qrels, USUAL, []), Both(qrels)
    for i, (name, run) in enumerate(runs_of(data_dir, collection)):
        (usual if i % 8 else all_of_them).check(run, name)


def test_judgments_of_more_than_one_group():
    rng = np.random.default_rng(4)
    docs = [f"d{i}" for i in range(3000)]
    qrels = {
        f"t{t}": dict(zip(docs, rng.integers(-1, 4, 3000).tolist(), strict=True)) for t in range(25)
    }
    run = {
        t: {
            f"d{i}": float(s)
            for i, s in zip(rng.choice(3500, 300, False), rng.integers(0, 60, 300), strict=True)
        }
        for t in qrels
    }
    Both(qrels).check(run)


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


@pytest.mark.parametrize(
    "form", [lambda rows, run: run, lambda rows, run: rows, lambda rows, run: pd.DataFrame(rows)]
)
def test_topics_come_in_the_order_of_the_run_and_those_it_lacks_by_id_at_the_end(form):
    qrels = {topic: {"a": 1} for topic in ("q1", "q5", "q2", "q3", "q4")}
    run = {topic: {"a": 1.0} for topic in ("q4", "q1", "other", "q3")}
    rows = [
        ScoredDoc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()
    ]
    found = [
        metric.query_id
        for metric in ir_measures.evaluator([QMeasure], qrels).iter_calc(form(rows, run))
    ]
    assert found == ["q4", "q1", "q3", "q2", "q5"]


@given(collections(), st.data())
def test_float_grades_are_welcome(collection, data):
    # pytrec_eval takes integers only. Twice the grade is an integer wherever all grades are halves.
    doubled = {t: {d: 2 * g for d, g in docs.items()} for t, docs in collection.qrels.items()}
    measures = [nDCG, nDCG @ 3, nDCG(judged_only=True)]
    found = irpref.evaluator(measures, collection.qrels).values(collection.run)
    expected = irpref.evaluator(measures, doubled).values(collection.run)
    for measure in measures:
        assert found[measure] == pytest.approx(expected[measure], rel=1e-12)


# Which measures -----------------------------------------------------------------------------------

LEFT_TO_THE_HOST = [
    infAP,
    IPrec @ 0.5,
    ir_measures.RBP(p=0.8),
    ir_measures.alpha_nDCG @ 5,
    RR(judged_only=True) @ 10,
    NumRel(rel=2),
    nDCG(dcg="exp-log2"),
    nDCG(dcg="exp-log2", gains={1: 2}) @ 5,
    nDCG(dcg="exp-log2", judged_only=True) @ 5,
    nDCG(gains={1: -1}),
    nDCG(gains={-1: 1}),
    SetF(beta=-1.0),
    AP(rel=0),
    AP(rel=-1),
    P @ 0,
]


@pytest.mark.registry
def test_measures_with_a_threshold_are_listed():
    with_rel = {n for n in HOSTED if "rel" in ir_measures.measures.registry[n].SUPPORTED_PARAMS}
    assert with_rel == set(WITH_REL)


@pytest.mark.parametrize(
    "measure", [*HOST, *APART, nDCG(dcg="exp-log2") @ 5, QMeasure, RPref @ 5], ids=str
)
def test_what_is_computed_here(measure):
    assert host.supports(measure)
    assert host.AcceleratedProvider().supports(measure)


@pytest.mark.parametrize(
    "measure", [RR @ 10, RR(rel=2) @ 5, Judged @ 3, Judged, NumQ, NumRel], ids=str
)
def test_what_has_another_value_in_the_host_is_computed_here_outside_of_it(measure):
    assert host.supports(measure)
    assert not host.AcceleratedProvider().supports(measure)


@pytest.mark.parametrize("measure", LEFT_TO_THE_HOST, ids=str)
def test_what_is_left_to_the_host(measure):
    assert not host.supports(measure)
    with refuses(MeasureError, measure=str(measure)):
        KernelEvaluator([measure], irpref.judgments({"q": {"a": 1}}))


def test_a_wrong_parameter_is_an_error_as_for_the_host():
    for measure in (P, AP(rel="x"), nDCG(dcg="log")):
        for on in (False, True):
            irpref.accelerate(on)
            with pytest.raises(AssertionError):
                ir_measures.calc_aggregate([measure], {"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(ValueError, match="NPref needs n"):
        irpref.evaluator([irpref.NPref], {"q": {"a": 1}})


# The pipeline -------------------------------------------------------------------------------------

MIXED = [AP, nDCG @ 10, Bpref, RPref(max_rel=3), QMeasure, PPlus, CRPRecovery]


def names() -> list[str]:
    return [provider.NAME for provider in ir_measures.DefaultPipeline.providers]


def test_on_and_off_again():
    before = list(ir_measures.DefaultPipeline.providers)
    assert "irpref-accelerated" not in names()
    irpref.accelerate()
    assert names() == ["irpref-accelerated", *(provider.NAME for provider in before)]
    irpref.accelerate()
    assert names().count("irpref-accelerated") == 1
    irpref.accelerate(False)
    assert ir_measures.DefaultPipeline.providers == before
    irpref.accelerate(False)
    assert ir_measures.DefaultPipeline.providers == before
    irpref.accelerate(on=True)
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline.append(pipeline.pop(0))
    irpref.accelerate()
    assert names()[0] == "irpref-accelerated"  # first again
    assert names().count("irpref-accelerated") == 1


def test_the_list_of_measures_names_it_while_it_is_on(capsys):
    irpref.accelerate()
    assert main(["list"]) == 0
    assert main(["list", "AP"]) == 0
    assert "Computed by: irpref, irpref-accelerated, pytrec_eval" in capsys.readouterr().out


def test_a_mixed_set_of_measures_costs_one_evaluator():
    qrels, run = random_collection(seed=1)
    plain = ir_measures.evaluator(MIXED, qrels)
    assert not isinstance(plain, KernelEvaluator)
    expected = plain.calc_aggregate(run)
    irpref.accelerate()
    evaluator = ir_measures.evaluator(MIXED, qrels)
    assert isinstance(evaluator, KernelEvaluator)
    assert evaluator.calc_aggregate(run) == pytest.approx(expected, rel=1e-12)
    assert {metric.measure for metric in evaluator.iter_calc(run)} == set(MIXED)
    both = [*MIXED, infAP]
    assert ir_measures.calc_aggregate(both, qrels, run) == pytest.approx(
        {**expected, infAP: ir_measures.pytrec_eval.calc_aggregate([infAP], qrels, run)[infAP]},
        rel=1e-12,
    )
    irpref.accelerate(False)
    assert ir_measures.calc_aggregate(MIXED, qrels, run) == expected


def test_metrics_of_the_host_and_of_ours_are_the_same_objects():
    qrels, run = random_collection(seed=1)
    before = sorted(
        ir_measures.iter_calc(MIXED, qrels, run), key=lambda m: (str(m.measure), m.query_id)
    )
    irpref.accelerate()
    after = list(ir_measures.iter_calc(MIXED, qrels, run))
    assert sorted(after, key=lambda m: (str(m.measure), m.query_id)) == before
    # Topics as the run has them, then those that it lacks.
    assert list(dict.fromkeys(m.query_id for m in after)) == [
        *run,
        *sorted(qrels.keys() - run.keys()),
    ]
    assert all(type(metric.value) is float for metric in after)


def test_columns_of_the_qrels_are_still_asked_for():
    irpref.accelerate()
    columns = ir_measures.DefaultPipeline.qrel_inputs([AP, irpref.Coverage])
    assert sorted(columns) == ["doc_id", "known", "query_id", "relevance"]
    qrels = irpref.judgments({"q": {"a": 1, "b": 1}}, known={"q": ["a"]}).frame()
    found = ir_measures.calc_aggregate([AP, irpref.Coverage], qrels, {"q": {"a": 1.0}})
    assert found == {AP: 0.5, irpref.Coverage: 1.0}


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:pyterrier"
)  # of pandas 3, about PyTerrier's code
def test_an_experiment_of_pyterrier_has_the_same_table():
    pt = pytest.importorskip("pyterrier")
    qrels, run = random_collection(seed=2, n_topics=6)
    rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    topics = pd.DataFrame({"qid": list(qrels), "query": list(qrels)})
    judged = pd.DataFrame(
        [(t, d, g) for t, docs in qrels.items() for d, g in docs.items()],
        columns=["qid", "docno", "label"],
    )
    systems = [
        pt.Transformer.from_df(pt.model.add_ranks(frame.assign(score=frame.score * sign)))
        for sign in (1, -1)
    ]
    measures = [*MIXED, NumRet, "recip_rank", P @ 5]
    tables = []
    for on in (False, True):
        irpref.accelerate(on)
        tables.append(pt.Experiment(systems, topics, judged, measures, names=["up", "down"]))
        tables.append(
            pt.Experiment(systems, topics, judged, measures, names=["up", "down"], perquery=True)
        )
    # The host's order of columns is that of a set.
    pd.testing.assert_frame_equal(tables[0].sort_index(axis=1), tables[2].sort_index(axis=1))
    order = ["name", "qid", "measure"]
    before, after = (
        table.sort_values(order, ignore_index=True) for table in (tables[1], tables[3])
    )
    pd.testing.assert_frame_equal(before, after)


# The evaluator ------------------------------------------------------------------------------------


def test_an_evaluator_of_both_leaves_the_pipeline_alone():
    before = list(ir_measures.DefaultPipeline.providers)
    qrels, run = random_collection(seed=5)
    asked = [IPrec @ 0.5, AP, RPref(max_rel=3), infAP, nDCG @ 5]
    evaluator = irpref.evaluator(asked, qrels)
    assert isinstance(evaluator, CombinedEvaluator)
    assert ir_measures.DefaultPipeline.providers == before
    expected = ir_measures.calc_aggregate(asked, qrels, run)
    found = evaluator.calc_aggregate(run)
    assert list(found) == asked
    assert found == pytest.approx(expected, rel=1e-12)
    result = evaluator.calc(run)
    assert result.aggregated == found
    metrics = list(evaluator.iter_calc(run))

    def key(m):
        return (str(m.measure), m.query_id)

    assert sorted(metrics, key=key) == sorted(ir_measures.iter_calc(asked, qrels, run), key=key)
    assert sorted(result.per_query, key=key) == sorted(metrics, key=key)
    values = evaluator.values(run)
    assert list(values) == asked
    for measure in asked:
        assert values[measure].mean() == pytest.approx(expected[measure])
    assert evaluator.topic_ids == list(qrels)


def test_an_evaluator_of_both_is_pickled():
    qrels, run = random_collection(seed=5)
    evaluator = irpref.evaluator(["infAP", "AP", "IPrec@0.5", RPref(max_rel=3)], qrels)
    again = pickle.loads(pickle.dumps(evaluator))
    assert again.calc(run) == evaluator.calc(run)


class Spy(ir_measures.providers.Provider):
    """Takes notes of the grades that it gets."""

    NAME = "spy"

    def __init__(self):
        super().__init__()
        self.grades = []

    def is_available(self):
        return True

    def supports(self, measure):
        return measure.NAME == "infAP"

    def _evaluator(self, measures, qrels):
        judged = ir_measures.util.QrelsConverter(qrels).as_dict_of_dict()
        self.grades.append([grade for docs in judged.values() for grade in docs.values()])
        return ir_measures.pytrec_eval.evaluator(measures, judged)


@pytest.mark.parametrize("form", ["dict", "frame", "file", "float"])
def test_grades_below_minus_one_reach_other_providers_as_minus_one(form, tmp_path, monkeypatch):
    # pytrec_eval may end the process on a topic that has only these.
    rows = [("q", "a", -2), ("r", "a", -3), ("r", "b", 2)]
    file = tmp_path / "qrels.txt"
    file.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows))
    qrels = {
        "dict": {"q": {"a": -2}, "r": {"a": -3, "b": 2}},
        "frame": pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]),
        "file": str(file),
        "float": {"q": {"a": -2.0}, "r": {"a": -3.0, "b": 2.0}},
    }[form]
    spy = Spy()
    with monkeypatch.context() as patch:
        patch.setattr(ir_measures.DefaultPipeline, "providers", [spy])
        values = irpref.evaluator(["infAP"], qrels).values({"r": {"b": 1.0}, "q": {"a": 1.0}})
    assert spy.grades == [[-1, -1, 2]]
    assert values[infAP].tolist() == [0, 1]


TIED = {"q": {"a": 3.0, "b": 3.0, "c": 16777217.0, "d": 16777216.0}, "r": {"a": -1.0, "b": -2.0}}
LEFT = ["Accuracy", "Compat(p=0.8)", "infAP", "IPrec@0.5"]


@pytest.mark.parametrize("name", LEFT)
def test_measures_of_other_providers_do_not_depend_on_their_company_or_on_rows(
    name, tmp_path, capsys
):
    qrels = {
        "q": {"a": 1, "b": 0, "d": 2, "c": 0},
        "r": {"a": 1, "x": 1, "b": 0},
        "s": {"a": 1, "b": 0},
    }
    if (
        name == "Accuracy"
    ):  # where no relevant document is retrieved, a topic counts in company only, as in ir_measures
        del qrels["s"]
    backwards = {topic: dict(reversed(docs.items())) for topic, docs in reversed(TIED.items())}
    (tmp_path / "qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items())
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.IrprefWarning)
        expected = irpref.evaluator(name, qrels).calc(TIED)
        for company in (), LEFT, ["AP", *reversed(LEFT)]:
            for run in TIED, backwards:
                found = irpref.evaluator([name, *company], qrels).calc(run)
                (key,) = expected.aggregated
                assert found.aggregated[key] == expected.aggregated[key]
                assert [
                    metric for metric in found.per_query if metric.measure == key
                ] == expected.per_query
                lines = (
                    f"{t} Q0 {d} 1 {s!r} t\n" for t, docs in run.items() for d, s in docs.items()
                )
                (tmp_path / "run").write_text("".join(lines))
                files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
                assert main(["eval", *files, name, *company, "-p", "-1", "-o", "jsonl"]) == 0
                printed = map(json.loads, capsys.readouterr().out.splitlines())
                assert [row["value"] for row in printed if row["measure"] == str(key)] == [
                    expected.aggregated[key]
                ]


@pytest.mark.parametrize("form", ["dict", "tuples", "pandas", "Int64", "numbers"])
def test_measures_of_other_providers_take_whole_grades_and_ids_of_any_type(form):
    rows = [Judgment("1", "2", 1.0), Judgment("1", "3", 0.0)]
    qrels, run = (
        {"dict": {"1": {"2": 1.0, "3": 0.0}}, "tuples": rows, "pandas": pd.DataFrame(rows)}.get(
            form
        ),
        None,
    )
    if form == "Int64":
        qrels = pd.DataFrame(rows).astype({"relevance": "Int64"})
    if form == "numbers":
        qrels = pd.DataFrame({"qid": [1, 1], "docno": [2, 3], "label": [1.0, 0.0]})
        run = pd.DataFrame({"qid": [1], "docno": [2], "score": [1]})
    found = irpref.evaluator(["IPrec@0.5", "Compat"], qrels).calc_aggregate(
        {"1": {"2": 1}} if run is None else run
    )
    assert set(found.values()) == {1.0}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "IPrec@0.5",
            "IPrec@0.5 is computed by pytrec_eval of ir_measures, which takes whole grades, not 0.5",
        ),
        (ir_measures.BPM, "BPM needs cutoff: ranking cutoff threshold, as in BPM@10"),
        *(
            (name, f"{name.partition('(')[0]} needs cutoff: ranking cutoff threshold")
            for name in ("alpha_DCG", "alpha_nDCG(alpha=0.4)", "ERR_IA", "nERR_IA", "P_IA")
        ),
        (ir_measures.StRecall, "StRecall needs cutoff: ranking cutoff threshold"),
        (
            "Accuracy",
            "ir_measures could not compute Accuracy: ZeroDivisionError: float division by zero",
        ),
    ],
)
def test_what_other_providers_cannot_compute_is_said_in_words(name, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        irpref.evaluator([name, "AP"], {"q": {"a": 0.5, "b": 1}}).calc_aggregate({"q": {"b": 1.0}})


def test_ties_must_have_been_looked_at():
    qrels, run = {"q": {"r1": 1}}, {"q": {"r1": 1.0, "z9": 1.0}}
    evaluator = irpref.evaluator([irpref.PrefShare], qrels)
    assert evaluator.ties
    assert not irpref.evaluator([RR, RR @ 3, AP, Judged @ 1], qrels).ties
    with pytest.raises(ValueError, match="ties=True"):
        evaluator.values_of(align_run(evaluator.pool, run))


def test_what_accelerate_takes():
    with pytest.raises(TypeError, match="got 'yes'"):
        irpref.accelerate("yes")


# One value from every entry point -----------------------------------------------------------------

CLOSE = {"q": {"a": 16777217.0, "b": 16777216.0}, "q2": {"a": 1.0}}
JUDGED_CLOSE = {"q": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1}}
ASKED = ["AP", "Bpref", "BprefVariant", "IPrec@0.5", "RR@5"]
IN_64_BITS = dict.fromkeys(ASKED, 1.0)
IN_32_BITS = {"AP": 0.5, "Bpref": 0.0, "BprefVariant": 0.0, "IPrec@0.5": 0.5, "RR@5": 0.5}


def entry_points(float32):
    """Value of topic q by measure, through every surface that evaluates."""
    made = irpref.evaluator(ASKED, JUDGED_CLOSE)
    run = irpref.run(CLOSE, float32=float32)
    yield "values", {str(m): v[0] for m, v in made.values(run).items()}
    yield "iter_calc", {str(m.measure): m.value for m in made.iter_calc(run) if m.query_id == "q"}
    yield "calc", {str(m.measure): m.value for m in made.calc(run).per_query if m.query_id == "q"}
    means = {str(m): 2 * v - 1.0 for m, v in made.calc_aggregate(run).items()}
    yield "calc_aggregate", means
    values = irpref_lab.meta.topic_values(ASKED, JUDGED_CLOSE, {"r": run})
    yield (
        "topic_values",
        {name: of.matrix[0, list(of.topics).index("q")] for name, of in values.items()},
    )
    found = {}
    for measure in ASKED:
        table = irpref.curves.paired_differences(
            JUDGED_CLOSE, run, {"q": {"c": 1.0}}, measure, per_topic=True
        )
        found[measure] = table.set_index("query_id").value["q"]
    yield "paired_differences", found


@pytest.mark.parametrize("float32", [False, True])
def test_every_entry_point_gives_the_same_value(float32):
    expected = IN_32_BITS if float32 else IN_64_BITS
    for entry, found in entry_points(float32):
        assert found == pytest.approx(expected), entry


def test_evaluators_and_accelerate_in_threads():
    from concurrent.futures import ThreadPoolExecutor

    frames = [
        pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "relevance": [1 + n, 0]})
        for n in range(12)
    ]

    def one(n):
        host.accelerate(n % 2 == 0)
        found = irpref.evaluator(["QMeasure", "AP"], frames[n % 12]).calc_aggregate(
            {"q": {"b": 2.0, "a": 1.0}}
        )
        return [found[m] for m in (QMeasure, AP)]

    with ThreadPoolExecutor(8) as threads:
        values = list(threads.map(one, range(400)))
    host.accelerate(False)
    assert [v for _, v in values] == [0.5] * 400
    assert [v for v, _ in values] == [values[n % 12][0] for n in range(400)]


def test_cells_that_can_change_are_read_anew():
    class Name:
        text = "a"

        def __str__(self):
            return self.text

    name = Name()
    frame = pd.DataFrame(
        {
            "query_id": ["q", "q"],
            "doc_id": pd.Series([name, "b"], dtype=object),
            "relevance": [1, 0],
        }
    )
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert irpref.evaluator("AP", frame).calc_aggregate(run)[AP] == 1.0
    name.text = "z"
    assert irpref.evaluator("AP", frame).calc_aggregate(run)[AP] == 0.0


def test_what_kept_pools_share_is_bounded(monkeypatch):
    from irpref.judged import pool_cache

    frame = pd.DataFrame(
        {
            "query_id": "q",
            "doc_id": [str(i) for i in range(200)],
            "relevance": [i % 3 for i in range(200)],
        }
    )
    monkeypatch.setattr(pool_cache, "MOST_BYTES", 50_000)
    run = {"q": {str(i): float(i) for i in range(200)}}
    for beta in range(300):
        made = irpref.evaluator([QMeasure(beta=beta, gains={1: beta, 2: beta + 1})], frame)
        made.calc_aggregate(run)
    assert made.pool._held() < 100_000


def test_a_run_of_other_topics_has_the_values_of_an_empty_ranking_inside_the_host():
    """For each topic of the qrels by id, as the host gives its own: 0 for AP, 1 for E, the worst
    case of CRP.
    """
    qrels = {"q2": {"a": 1, "b": 1, "c": 0}, "q1": {"a": 2}}
    measures = [irpref.EMeasure, irpref.CRP, irpref.QMeasure]
    expected = {("q1", "EMeasure"): 1, ("q2", "EMeasure"): 1, ("q1", "CRP"): -1, ("q2", "CRP"): -3}
    expected |= {("q1", "QMeasure"): 0, ("q2", "QMeasure"): 0}
    for run in ({"x": {"a": 1.0}}, {}):
        evaluator = ir_measures.evaluator(measures, qrels)
        with pytest.warns(irpref.IrprefWarning, match="in common") if run else nullcontext():
            found = list(evaluator.iter_calc(run))
        assert {(m.query_id, str(m.measure)): m.value for m in found} == expected
        assert [m.query_id for m in found] == ["q1", "q2"] * 3
        with pytest.warns(irpref.IrprefWarning, match="in common") if run else nullcontext():
            means = evaluator.calc(run).aggregated
        assert means == {irpref.EMeasure: 1, irpref.CRP: -2, irpref.QMeasure: 0}


def test_rbp_and_err_have_the_values_of_the_hosts_providers(data_dir):
    """cwl_eval to the last digits where scores differ, gdeval to the five digits that it prints."""
    rbp = [ir_measures.RBP(rel=1), ir_measures.RBP(rel=2, p=0.95), ir_measures.RBP(rel=2, p=0.99)]
    err = [ir_measures.ERR @ 5, ir_measures.ERR @ 20]
    qrels = qrels_of(data_dir, "dl19-passage")
    for _, run in itertools.islice(runs_of(data_dir, "dl19-passage"), 3):
        ours = {
            (m.query_id, m.measure): m.value
            for m in irpref.evaluator([*rbp, *err], qrels).iter_calc(run)
        }
        for metric in ir_measures.cwl_eval.iter_calc(rbp, qrels, run):
            assert ours[metric.query_id, metric.measure] == pytest.approx(metric.value, abs=1e-13)
        if shutil.which("perl"):
            for metric in ir_measures.gdeval.iter_calc(err, qrels, run):
                assert ours[metric.query_id, metric.measure] == pytest.approx(
                    metric.value, abs=5.001e-6
                )
    with refuses(MeasureError, measure="ERR", value=5):
        irpref.evaluator(err, {"q": {"a": 5}}).values({"q": {"a": 1.0}})
