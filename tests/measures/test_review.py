"""Small cases that an outside reader of the code found wanting."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import Qrel, ScoredDoc

import irpref
from irpref import (
    CRP,
    NCU,
    Coverage,
    EMeasure,
    FMeasure,
    OriginalNDCG,
    QMeasure,
    RelativeRecall,
    RPref,
    Twist,
    parse,
    parse_all,
)
from irpref.errors import ColumnError, ConflictError, InputError, MeasureError
from refused import refuses


def value(measure, judgments, scores):
    return measure.evaluate({"q": judgments}, {"q": scores})["q"]


def ranking(docs):
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


# Numbers of any size ------------------------------------------------------------------------------


def test_the_largest_grades_beside_the_lowest_double():
    judgments = {"a": 7e255, "b": 7e255, "c": 0, "d": -1.5e308}
    assert value(CRP, judgments, ranking("cab")) == -2  # c is two ranks too early; R = 2
    assert (
        value(RPref(max_rel=7e255), judgments, ranking("acb")) == 0.5
    )  # N = 1: b loses all its weight


@pytest.mark.slow
def test_a_very_deep_topic():
    n = (1 << 21) + 10
    ids = pd.array([str(i) for i in range(n)], dtype=object)
    grade = np.zeros(n)
    grade[-1] = 1
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ids, "relevance": grade})
    run = pd.DataFrame({"query_id": "q", "doc_id": ids, "score": np.arange(n, 0, -1.0)})
    # All n - 1 others are ranked above the last: N = n - 1 + 1/2.
    want = 1 - (n - 1) / (n - 0.5)
    assert RPref(max_rel=2).evaluate(qrels, run)["q"] == pytest.approx(want, rel=1e-6)


def test_a_base_larger_than_an_integer_of_64_bits():
    assert (
        value(OriginalNDCG(base=1e300), {"a": 2, "b": 1}, ranking("xba")) == 1
    )  # no discount at any rank


# The ends of the range ----------------------------------------------------------------------------

GRADES = [0.9, 1.0, 0.3, 0.3, 0.3, 0.252, 0.967, 0.29, 0.57]


@pytest.mark.parametrize("stop", ["uniform", "graded", "rank_biased"])
@pytest.mark.parametrize("utility", ["P", "BR"])
@pytest.mark.parametrize("gamma", [0.5, 0.95, 1])
def test_a_list_of_relevant_documents_never_has_more_than_the_best_value(stop, utility, gamma):
    for size in range(1, len(GRADES) + 1):
        judgments = {f"d{i}": grade for i, grade in enumerate(GRADES[:size])}
        best = sorted(judgments, key=judgments.__getitem__, reverse=True)
        measure = NCU(stop=stop, utility=utility, gamma=gamma)
        assert value(measure, judgments, ranking(best)) == pytest.approx(1, abs=1e-15)
        assert value(measure, judgments, ranking(best)) <= 1
        assert value(measure, judgments, ranking(best[::-1])) <= 1


def test_uniform_ncu_is_q_measure_to_the_last_digit():
    rng = np.random.default_rng(3)
    qrels = {
        f"q{t}": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 4, 12))} for t in range(50)
    }
    run = {f"q{t}": {f"d{i}": float(s) for i, s in enumerate(rng.random(12))} for t in range(50)}
    values = irpref.evaluator([NCU, QMeasure], qrels).values(run)
    assert (values[NCU] == values[QMeasure]).all()


# Columns of the qrels -----------------------------------------------------------------------------

JUDGED = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "relevance": [2, 1, 1]})


def test_one_column_may_be_read_in_two_ways():
    qrels = JUDGED.assign(number=3)  # three documents expected, and all of them known
    measures = [Coverage(known="number"), RelativeRecall(expected="number")]
    run = {"q": {"a": 1.0}}
    found = irpref.evaluator(measures, qrels).calc_aggregate(run)
    assert found == {measures[0]: pytest.approx(1 / 3), measures[1]: pytest.approx(1 / 3)}


def test_a_column_asked_for_later_reaches_groups_of_topics():
    topics = [f"q{t}" for t in range(40)]
    qrels = pd.DataFrame(
        {
            "query_id": np.repeat(topics, 2000),
            "doc_id": np.tile([f"d{i}" for i in range(2000)], 40),
            "relevance": 1,
        }
    ).assign(number=4)
    run = {topic: {"d0": 1.0} for topic in topics}
    coverage = Coverage(known="number")
    assert irpref.evaluator([coverage], qrels).calc_aggregate(run)[coverage] == pytest.approx(
        1 / 2000
    )
    recall = RelativeRecall(expected="number")
    assert irpref.evaluator([recall], qrels).calc_aggregate(run)[recall] == 1 / 4


def test_the_same_judgment_known_and_missing_is_a_contradiction():
    rows = pd.DataFrame({"query_id": "q", "doc_id": ["a", "a"], "relevance": 1})
    with refuses(ConflictError, topic="q", doc="a", column="known"):
        Coverage.evaluate(
            rows.assign(known=pd.array([True, None], dtype="boolean")), {"q": {"a": 1.0}}
        )


# Forms of input -----------------------------------------------------------------------------------

FRAME = {"query_id": ["q", "q"], "doc_id": ["a", "b"]}


def test_a_column_that_is_there_twice():
    frame = pd.DataFrame({**FRAME, "relevance": [1, 0]})
    with refuses(ColumnError, column="doc_id", missing=()):
        QMeasure.evaluate(pd.concat([frame, frame[["doc_id"]]], axis=1), {"q": {"a": 1.0}})


@pytest.mark.parametrize("form", ["dict", "namedtuples"])
def test_an_integer_too_large_for_a_double(form):
    huge = 10**400
    run = {"q": {"a": huge}} if form == "dict" else [ScoredDoc("q", "a", huge)]
    with refuses(InputError, column="score", topic="q", doc="a") as error:
        QMeasure.evaluate({"q": {"a": 1}}, run)
    assert "too large" in error.value.message
    qrels = {"q": {"a": huge}} if form == "dict" else [Qrel("q", "a", huge, "0")]
    with refuses(InputError, column="relevance", topic="q", doc="a") as error:
        QMeasure.evaluate(qrels, {"q": {"a": 1.0}})
    assert "too large" in error.value.message


# Parameters and names -----------------------------------------------------------------------------


def test_parameters_of_any_size():
    judgments = {"a": 2, "b": 1}
    assert value(FMeasure(beta=1e200), judgments, ranking("ax")) == 0.5  # recall
    assert value(EMeasure(beta=1e200), judgments, ranking("ax")) == 0.5
    with refuses(MeasureError, measure="QMeasure", parameter="cutoff", value=2**70):
        QMeasure @ 2**70
    assert value(QMeasure @ 2**53, judgments, ranking("ab")) == 1


@pytest.mark.parametrize("scale", [1e300, 10**300, 1e22, 2**53, 0.1])
def test_large_numbers_in_names(scale):
    measure = RPref(max_rel=scale)
    assert len(str(measure)) < 40
    assert parse(str(measure)) == measure
    assert parse(str(measure)).params == measure.params


@pytest.mark.parametrize("column", ["a) b", "a( b", "it's (", 'say "', "back\\", "\\' ) x", " "])
def test_columns_with_brackets_quotes_and_blanks(column):
    measures = [Coverage(known=column) @ 5, QMeasure]
    assert parse_all(" ".join(map(str, measures))) == measures
    assert parse(str(measures[0])) == measures[0]


# Twist --------------------------------------------------------------------------------------------


def test_twist_does_not_look_below_its_depth():
    # Ideal to depth 8: 2, six times 0, -1. Run: 2 at 1, -1 at 3 (5 ranks early), 0 at 8 (1 rank
    # late): RP- = -5, RP+ = 1; the reversed ideal has -7 and 7. sigma = 2 * 6/7 * 2/7 / (8/7) =
    # 3/7; CRP is never positive: rho = 0.
    judgments = {"a": 2, "x": -1, "y": -1, "n": 0}
    docs = ["a", "u1", "x", "n", "u2", "u3", "u4", "u5"]
    for below in ([], ["u6"], ["u6", "u7", "u8"]):
        assert value(Twist(depth=8), judgments, ranking(docs + below)) == pytest.approx(3 / 14)


@pytest.mark.parametrize(
    "measure", [irpref.QMeasure, irpref.NCU(stop="graded"), irpref.OriginalNDCG, irpref.PPlus]
)
def test_the_largest_grades_behave_as_large_ones(measure):
    # Only ratios of gains matter where the counts beside them are below the last digit: 1e255
    # behaves as 1e100.
    run = {"q": {str(i): float(-i) for i in range(12)}}
    large, huge = (
        {"q": {str(i): grade * (1 + i % 3) for i in range(1, 11)}} for grade in (5e99, 2e255)
    )
    value = measure.evaluate(huge, run)["q"]
    assert value == pytest.approx(measure.evaluate(large, run)["q"], rel=1e-12)
    assert 0 < value < 1
