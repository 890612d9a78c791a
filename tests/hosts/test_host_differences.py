"""Where values differ from ir_measures' own on purpose, each with both numbers."""

import struct
import subprocess
from typing import NamedTuple

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RR, Bpref, Judged, NumQ, NumRel, NumRet, ScoredDoc, SetR, nDCG

import irpref
from irpref.errors import ConflictError, JudgmentsError, NoCommonTopicError, RunError
from real_runs import qrels_of, read_run
from refused import refuses
from strategies import for_the_host, random_collection

pytestmark = pytest.mark.usefixtures("pipeline_as_before")


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


# Deliberate differences: both numbers -------------------------------------------------------------


def as_float32(score: float) -> float:
    return struct.unpack("f", struct.pack("f", score))[0]


def test_difference_scores_are_64_bit():
    qrels, run = {"q": {"b": 1, "a": 0}}, {"q": {"a": 1.00000001, "b": 1.0}}
    assert ir_measures.calc_aggregate([AP, RR], qrels, run) == {AP: 1.0, RR: 1.0}
    evaluator = irpref.evaluator([AP, RR], qrels)
    assert evaluator.calc_aggregate(run) == {AP: 0.5, RR: 0.5}
    assert evaluator.calc_aggregate(irpref.run(run, float32=True)) == {AP: 1.0, RR: 1.0}


def test_difference_scores_are_64_bit_on_a_submitted_run(data_dir):
    qrels = qrels_of(data_dir, "trec-covid-r3")
    (path,) = (data_dir / "trec-covid-r3" / "runs_original").glob("UIowaS_Run2*")
    run = read_run(path)
    theirs = ir_measures.calc_aggregate([AP, nDCG], qrels, run)
    evaluator = irpref.evaluator([AP, nDCG], qrels)
    mine = evaluator.calc_aggregate(run)
    rounded = irpref.run(run, float32=True)
    assert evaluator.calc_aggregate(rounded) == pytest.approx(theirs, rel=1e-12)
    assert mine != theirs
    assert mine == pytest.approx(theirs, abs=1e-3)
    rounded = {t: {d: as_float32(s) for d, s in docs.items()} for t, docs in run.items()}
    assert evaluator.calc_aggregate(rounded) == pytest.approx(theirs, rel=1e-12)


def test_difference_means_do_not_depend_on_the_order_of_topics():
    values = {"q1": 0.1, "q2": 0.2, "q3": 0.3}  # their sum depends on the order
    qrels = {q: {f"d{i}": 1 for i in range(10)} for q in values}
    run = {q: {f"d{i}": 1.0 for i in range(round(10 * v))} for q, v in values.items()}
    turned = dict(reversed(run.items()))
    assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1
    assert ir_measures.calc_aggregate([SetR], qrels, run) == {SetR: ((0.1 + 0.2) + 0.3) / 3}
    assert ir_measures.calc_aggregate([SetR], qrels, turned) == {SetR: ((0.3 + 0.2) + 0.1) / 3}
    evaluator = irpref.evaluator([SetR], qrels)
    for order in (run, turned):
        assert evaluator.calc_aggregate(order) == {SetR: ((0.1 + 0.2) + 0.3) / 3}
        assert {m.query_id: m.value for m in evaluator.iter_calc(order)} == values


needs_perl = pytest.mark.skipif(
    not ir_measures.gdeval.is_available(), reason="no perl for ir_measures' gdeval"
)


@needs_perl
def test_difference_exponential_gains_are_not_rounded():
    collection = for_the_host(random_collection(seed=6, n_topics=8))
    number = {
        topic: str(i + 1) for i, topic in enumerate(collection.qrels)
    }  # it takes numbers as topics
    qrels = {number[t]: docs for t, docs in collection.qrels.items()}
    run = {number[t]: docs for t, docs in collection.run.items()}
    measure = nDCG(dcg="exp-log2") @ 10
    evaluator = irpref.evaluator([measure], qrels)
    mine = dict(zip(evaluator.topic_ids, evaluator.values(run)[measure].tolist(), strict=True))
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    assert {t: round(v, 5) for t, v in mine.items()} == theirs
    assert mine != theirs


@needs_perl
def test_difference_exponential_gains_of_high_grades(capfd):
    measure = nDCG(dcg="exp-log2") @ 10
    qrels, run = {"1": {"a": 5, "b": 1}}, {"1": {"b": 2.0, "a": 1.0}}
    with pytest.raises(subprocess.CalledProcessError):
        ir_measures.calc_aggregate([measure], qrels, run)
    assert "format error" in capfd.readouterr().err
    expected = (1 / 1 + 31 / np.log2(3)) / (31 / 1 + 1 / np.log2(3))
    assert irpref.evaluator([measure], qrels).calc_aggregate(run)[measure] == pytest.approx(
        expected
    )


def test_difference_documents_retrieved_beside_judged_only():
    qrels, run = {"q": {"a": 1, "c": 0}}, {"q": {"c": 4.0, "u": 3.0, "a": 2.0}}
    asked = [AP(judged_only=True), NumRet]
    assert ir_measures.pytrec_eval.calc_aggregate(asked, qrels, run)[NumRet] == 2
    assert ir_measures.pytrec_eval.calc_aggregate(asked[::-1], qrels, run)[NumRet] == 3
    assert irpref.evaluator(asked, qrels).calc_aggregate(run)[NumRet] == 3


def test_difference_two_ndcg_with_and_without_gains():
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    mapped = nDCG(gains={1: 5})
    alone = {m: ir_measures.pytrec_eval.calc_aggregate([m], qrels, run)[m] for m in (mapped, nDCG)}
    assert alone[mapped] > alone[nDCG]
    together = ir_measures.pytrec_eval.calc_aggregate([mapped, nDCG], qrels, run)
    assert together == {
        mapped: 0.0,
        nDCG: alone[mapped],
    }  # one value lost, the other under the wrong name
    assert irpref.evaluator([mapped, nDCG], qrels).calc_aggregate(run) == alone


def test_difference_a_topic_with_negative_grades_only():
    # Never in a process of ours: pytrec_eval would end it.
    found = irpref.evaluator([AP, Bpref, nDCG, NumRel], {"q": {"a": -1, "b": -2}}).calc_aggregate(
        {"q": {"a": 1.0}}
    )
    assert set(found.values()) == {0.0}


def test_difference_float_grades_and_numbers_as_ids():
    run = {"1": {"7": 2.0, "8": 1.0}}
    for qrels, message in (({"1": {"7": 0.5, "8": 1.5}}, "integer"), ({1: {7: 0, 8: 1}}, "string")):
        with pytest.raises(TypeError, match=message):
            ir_measures.calc_aggregate([AP], qrels, run)
        assert irpref.evaluator([AP], qrels).calc_aggregate(run) == {AP: 0.5}


@pytest.mark.parametrize("measure", [AP, nDCG @ 10], ids=str)
def test_fractional_grades_are_refused_inside_the_host_whoever_computes(measure):
    qrels, run = {"q": {"a": 0.8, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
    with pytest.raises(TypeError, match="integer"):
        ir_measures.calc_aggregate([measure], qrels, run)
    irpref.accelerate()
    # Not an AP of 0, which a threshold that no grade reaches would give.
    with refuses(JudgmentsError, measure=str(measure), value=0.8):
        ir_measures.calc_aggregate([measure, irpref.QMeasure], qrels, run)
    values = ir_measures.calc_aggregate([irpref.QMeasure, Judged @ 1], qrels, run)
    assert values[Judged @ 1] == 1


def test_difference_bad_input_is_not_passed_over():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    assert ir_measures.calc_aggregate([AP], qrels, {"x": {"a": 1.0}}) == {AP: 0.0}
    twice = [Judgment("q", "a", 0), Judgment("q", "a", 1)]
    assert ir_measures.calc_aggregate([AP], twice, run) == {AP: 1.0}
    repeated = [ScoredDoc("q", "a", 3.0), ScoredDoc("q", "b", 2.0), ScoredDoc("q", "a", 1.0)]
    assert ir_measures.calc_aggregate([AP], qrels, repeated) == {AP: 0.5}
    irpref.accelerate()
    with pytest.warns(irpref.IrprefWarning, match="in common"):
        assert ir_measures.calc_aggregate([AP], qrels, {"x": {"a": 1.0}}) == {AP: 0.0}
    with refuses(NoCommonTopicError):
        irpref.evaluator([AP], qrels).calc_aggregate({"x": {"a": 1.0}})
    with refuses(ConflictError, topic="q", doc="a", value=(1, 0)):
        ir_measures.calc_aggregate([AP], twice, run)
    with refuses(RunError, topic="q", doc="a"):
        ir_measures.calc_aggregate([AP], qrels, {"q": {"a": float("nan")}})
    with pytest.warns(irpref.DuplicateWarning):
        assert ir_measures.calc_aggregate([AP], qrels, repeated) == {AP: 0.5}


def test_difference_counts_are_over_all_topics_of_the_judgments():
    qrels, run = {"q": {"a": 1}, "r": {"b": 1, "c": 1}}, {"q": {"a": 1.0}}
    mine = irpref.evaluator([NumQ, NumRel], qrels)
    assert mine.calc_aggregate(run) == {NumQ: 2.0, NumRel: 3.0}
    assert irpref.evaluator(["num_q", "num_rel"], qrels).calc_aggregate(run) == {NumQ: 2, NumRel: 3}
    theirs = {NumQ: 1.0, NumRel: 1.0}
    assert ir_measures.calc_aggregate([NumQ, NumRel], qrels, run) == theirs
    irpref.accelerate()
    try:
        assert ir_measures.calc_aggregate([NumQ, NumRel], qrels, run) == theirs
    finally:
        irpref.accelerate(False)


def test_difference_a_cutoff_does_not_change_the_order_of_tied_documents():
    from ir_measures import Judged

    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    measures = [RR, RR @ 10, Judged @ 1]
    mine = {RR: 1 / 3, RR @ 10: 1 / 3, Judged @ 1: 0.0}
    theirs = {RR: 1 / 3, RR @ 10: 1.0, Judged @ 1: 1.0}
    assert irpref.evaluator(measures, qrels).calc_aggregate(run) == pytest.approx(mine)
    assert ir_measures.calc_aggregate(measures, qrels, run) == pytest.approx(theirs)
    irpref.accelerate()
    try:
        assert ir_measures.calc_aggregate(measures, qrels, run) == pytest.approx(theirs)
    finally:
        irpref.accelerate(False)


def test_difference_a_topic_without_judgments_is_a_topic():
    qrels, run = {"1": {}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}
    assert irpref.evaluator([NumQ, NumRet], qrels).calc_aggregate(run) == {NumQ: 2.0, NumRet: 2.0}
    assert ir_measures.calc_aggregate([NumQ, NumRet], qrels, run) == {NumQ: 1.0, NumRet: 1.0}


def test_difference_infinite_scores_are_errors():
    run = {"q": {"a": float("inf")}}
    with refuses(RunError, topic="q", doc="a", value=float("inf")):
        irpref.evaluator([NumRet], {"q": {"a": 1}}).calc_aggregate(run)
    assert ir_measures.calc_aggregate([NumRet], {"q": {"a": 1}}, run) == {NumRet: 1.0}
