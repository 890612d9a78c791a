"""The matrix of systems and topics, from everything that holds such values."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, nDCG

import irpref_lab
from irpref import EMeasure, QMeasure
from irpref.errors import ArgumentError, InputError, NoCommonTopicError
from irpref_lab.meta import TopicValues, topic_values

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUNS = {
    "one": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "a": 1.0}},
    "two": {"q1": {"b": 3.0, "c": 2.0}},
}
# AP: one, q1: (1 + 2/3)/2 = 5/6, q2: 1/2; two, q1: (1/2)/2 = 1/4, q2: not answered.
EXPECTED = [[5 / 6, 1 / 2], [1 / 4, 0]]


def test_values_of_runs():
    (found,) = topic_values([AP], QRELS, RUNS).values()
    assert (found.measure, found.systems, found.topics) == ("AP", ("one", "two"), ("q1", "q2"))
    assert found.values == pytest.approx(np.array(EXPECTED))
    assert found.means == pytest.approx([2 / 3, 1 / 8])
    assert found.frame().loc["two", "q1"] == 1 / 4
    # The mean of a measure that counts is its sum, as the evaluator has it.
    assert topic_values(["NumRet"], QRELS, RUNS)["NumRet"].means.tolist() == [5, 2]


def test_topics_are_in_the_order_of_their_ids_whatever_that_of_the_qrels():
    turned = {topic: QRELS[topic] for topic in reversed(QRELS)}
    assert topic_values([AP], turned, RUNS)["AP"].topics == ("q1", "q2")


def test_several_measures_at_once_from_iterators():
    qrels = (ir_measures.Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items())
    found = topic_values([AP, "QMeasure", EMeasure @ 2, nDCG], qrels, iter(RUNS.items()))
    assert list(found) == ["AP", "QMeasure", "EMeasure@2", "nDCG"]
    assert found["AP"].values == pytest.approx(np.array(EXPECTED))
    assert [v.higher_is_better for v in found.values()] == [True, True, False, True]
    # A topic that is not answered: the worst value, which is 1 for E.
    assert found["EMeasure@2"].values[1, 1] == 1
    assert found["QMeasure"].values[0] == pytest.approx(
        [m.value for m in sorted(ir_measures.iter_calc([QMeasure], QRELS, RUNS["one"]))]
    )


def long_table():
    return pd.DataFrame(
        [(s, q, "AP", EXPECTED[i][j]) for i, s in enumerate(RUNS) for j, q in enumerate(QRELS)],
        columns=["name", "qid", "measure", "value"],
    )


def test_from_the_table_of_an_experiment():
    found = TopicValues.from_frame(long_table())
    assert found.values == pytest.approx(np.array(EXPECTED))
    ours = long_table().rename(columns={"name": "system", "qid": "query_id"})
    assert (TopicValues.from_frame(ours).values == found.values).all()
    low = long_table().assign(measure="EMeasure(beta=2.0)@10")
    assert not TopicValues.from_frame(low).higher_is_better
    assert TopicValues.from_frame(long_table().assign(measure="map")).higher_is_better


def test_the_measure_of_a_table_must_be_said_if_there_are_several():
    table = pd.concat([long_table(), long_table().assign(measure="RR")])
    assert TopicValues.from_frame(table, AP).values == pytest.approx(np.array(EXPECTED))
    for measure in (None, nDCG):
        with pytest.raises(ArgumentError, match="found: AP, RR") as error:
            TopicValues.from_frame(table, measure)
        assert (error.value.parameter, error.value.value) == ("measure", measure)


def test_from_pt_experiment(tmp_path):
    pt = pytest.importorskip("pyterrier")
    topics = pd.DataFrame({"qid": list(QRELS), "query": ["x", "y"]})
    qrels = pd.DataFrame(
        [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()],
        columns=["qid", "docno", "label"],
    )
    frames = [
        pd.DataFrame(
            [(q, d, s) for q, docs in run.items() for d, s in docs.items()],
            columns=["qid", "docno", "score"],
        )
        for run in RUNS.values()
    ]
    table = pt.Experiment(
        frames,
        topics,
        qrels,
        [AP, QMeasure],
        names=list(RUNS),
        perquery=True,
        save_dir=str(tmp_path),
    )
    for found in (TopicValues.from_frame(table, AP), irpref_lab.values(tmp_path).of("AP")):
        assert found.select(["one", "two"], ["q1", "q2"]).values == pytest.approx(
            np.array(EXPECTED)
        )


def test_cells_must_be_there_once():
    table = long_table()
    with pytest.raises(InputError, match="'two' has no") as error:
        TopicValues.from_frame(table[:-1])
    assert (error.value.measure, error.value.topic) == ("AP", "q2")
    assert TopicValues.from_frame(table[:-1], missing=0).values == pytest.approx(np.array(EXPECTED))
    with pytest.raises(InputError, match="'one' has two") as error:
        TopicValues.from_frame(pd.concat([table, table[:1]]))
    assert (error.value.measure, error.value.topic) == ("AP", "q1")
    with pytest.raises(InputError, match="'qid'"):
        TopicValues.from_frame(table.drop(columns="qid"))


def test_values_are_frozen_and_checked():
    given = np.array([[0.5, 0.1], [0.2, 0.3]])
    found = TopicValues("AP", ["a", "b"], ["q1", "q2"], given)
    given[0, 0] = 9
    assert found.values[0, 0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1
    with pytest.raises(AttributeError):
        found.measure = "RR"
    with pytest.raises(ArgumentError, match="twice") as error:
        TopicValues("AP", ["a", "a"], ["q1", "q2"], given)
    assert (error.value.parameter, error.value.value) == ("systems", "a")
    with pytest.raises(ValueError, match=r"got \(2, 2\)"):
        TopicValues("AP", ["a"], ["q1", "q2"], given)
    with pytest.raises(ArgumentError, match="'b'") as error:
        TopicValues("AP", ["a", "b"], ["q1", "q2"], [[1, 1], [np.nan, 1]])
    assert (error.value.parameter, error.value.topic) == ("values", "q1")
    assert np.isnan(error.value.value)
    with pytest.raises(ValueError, match="no system 'c'"):
        found.select(["c"])
    with pytest.raises(ValueError, match="no runs"):
        topic_values([AP], QRELS, {})
    with pytest.raises(NoCommonTopicError) as error:
        topic_values([QMeasure], QRELS, {**RUNS, "b": {"other": {"d": 1.0}}})
    assert error.value.run == "b"


def test_select_keeps_the_order_asked_for():
    found = TopicValues("AP", ["a", "b"], ["q1", "q2"], [[1, 2], [3, 4]])
    assert found.select(["b", "a"], ["q2"]).values.tolist() == [[4], [2]]
