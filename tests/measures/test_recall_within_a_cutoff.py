"""CappedRecall and FullRecall by hand: ties, unjudged documents, explanations."""

from fractions import Fraction

import pytest

import irpref
import irpref_lab
from irpref.datasets import load

EVIDENCE = load("multi-hop")


def row(table):
    """Low, expected and high of the first topic."""
    return table[table["query_id"].notna()].iloc[0]


# a and b are relevant, n is not; all have the same score. Of the 6 orders, 2 begin with a and b in
# any order; the first document is relevant in 4.
TIED = {"q": {"a": 1, "b": 1, "n": 0}}, {"q": {"a": 1.0, "b": 1.0, "n": 1.0}}


@pytest.mark.parametrize(
    ("measure", "low", "expected", "high"),
    [
        ("FullRecall@2", 0, Fraction(2, 6), 1),
        ("FullRecall@1", 0, 0, 0),
        ("FullRecall", 1, 1, 1),
        ("CappedRecall@1", 0, Fraction(4, 6), 1),
        ("CappedRecall@2", Fraction(1, 2), Fraction(4, 6), 1),
        ("CappedRecall", 1, 1, 1),
    ],
)
def test_over_the_orders_of_tied_documents(measure, low, expected, high):
    of = row(irpref_lab.intervals([measure], *TIED, over="ties"))
    found = of[["low", "expected", "high"]].tolist()
    assert found == pytest.approx([float(low), float(expected), float(high)])
    assert of["exact"]


# a and b are relevant, b is at rank 3; nobody judged u, at rank 2. If u is relevant, too, there
# are three: two of them in the first two ranks.
HOLE = {"q": {"a": 1, "b": 1, "n": 0}}, {"q": {"a": 3.0, "u": 2.0, "b": 1.0}}


@pytest.mark.parametrize(
    ("measure", "low", "value", "high"),
    [
        ("FullRecall", 1, 1, 1),
        ("FullRecall@2", 0, 0, 0),
        ("CappedRecall@2", Fraction(1, 2), Fraction(1, 2), 1),
        ("CappedRecall@1", 1, 1, 1),
        ("CappedRecall", 1, 1, 1),
    ],
)
def test_over_the_grades_of_unjudged_documents(measure, low, value, high):
    of = row(irpref_lab.intervals([measure], *HOLE, over="unjudged"))
    found = of[["low", "value", "high"]].tolist()
    assert found == pytest.approx([float(low), float(value), float(high)])
    assert of["exact"]


def test_an_unjudged_document_that_is_not_found_in_time_can_take_full_recall_away():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2.0, "u": 1.0}}
    of = row(irpref_lab.intervals(["FullRecall@1"], qrels, run, over="unjudged"))
    assert of[["low", "value", "high"]].tolist() == [0, 1, 1]


def test_what_each_document_adds():
    def told(measure, topic):
        table = irpref.explain(measure, EVIDENCE.qrels, EVIDENCE.runs["run"], topic)
        return table.set_index("doc_id")[["contribution", "why"]].T.to_dict("list")

    found = told("FullRecall@3", "two")
    assert found["a"] == [0.0, "relevant"]
    assert found["b"][0] == 1.0
    assert found["b"][1].endswith("last of 2")
    found = told("FullRecall", "many")
    assert found["a"][0] == 0.0
    assert "2 of 5" in found["a"][1]
    assert found["d"][1] == "relevant, not retrieved"
    found = told("CappedRecall@3", "many")
    assert [found[doc][0] for doc in "ab"] == pytest.approx([1 / 3, 1 / 3])
    assert found["c"][0] == 0  # below the cutoff


def test_capped_recall_is_recall_or_precision():
    qrels, run = EVIDENCE.qrels, EVIDENCE.runs["run"]
    measures = irpref.parse_all("CappedRecall@2 R@2 P@2 CappedRecall SetR")
    evaluator = irpref.evaluator(measures, qrels)
    values = {
        str(m): dict(zip(evaluator.topic_ids, of.tolist(), strict=True))
        for m, of in evaluator.values(run).items()
    }
    assert values["CappedRecall@2"]["two"] == values["R@2"]["two"]  # R = 2
    assert values["CappedRecall@2"]["many"] == values["P@2"]["many"]  # R = 5
    assert values["CappedRecall"] == values["SetR"]
