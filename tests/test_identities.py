"""What equals what: identities that the docstrings of measures state."""

import math
from fractions import Fraction

import pytest

import irpref
from irpref.datasets import load
from strategies import random_collection

BINARY = random_collection(5, grades=(0, 0, 1))
GRADED = random_collection(6)


def by_topic(measure, data):
    evaluator = irpref.evaluator([measure], data.qrels)
    return {m.query_id: m.value for m in evaluator.iter_calc(data.run)}


@pytest.mark.parametrize(
    ("ours", "other", "data"),
    [
        ("GPrecision(max_rel=1)", "SetP", BINARY),
        ("GPrecision(max_rel=1)@10", "P@10", BINARY),
        ("GRecall", "SetR", BINARY),
        ("GRecall@10", "R@10", BINARY),
        ("RMeasure", "Rprec", BINARY),
        ("RMeasure(beta=0)", "Rprec", GRADED),
        ("WeightedRR(norm='none',max_rel=3,gains={1:0,2:0,3:0})", "RR", GRADED),
        ("WeightedRR(max_rel=3,gains={1:0,2:0,3:0})", "RR", GRADED),
    ],
)
def test_measures_that_are_equal(ours, other, data):
    one, two = by_topic(ours, data), by_topic(other, data)
    answered = [topic for topic in data.qrels if data.run.get(topic)]
    assert len(answered) > 15
    for topic in answered:
        assert one[topic] == pytest.approx(two[topic], abs=1e-12), topic


def test_weighted_reciprocal_rank_of_binary_judgments():
    weighted, plain = by_topic("WeightedRR(max_rel=1)", BINARY), by_topic("RR", BINARY)
    for topic, value in plain.items():
        assert weighted[topic] == pytest.approx(1 / (2 / value - 1) if value else 0, abs=1e-12)


def test_average_precision_is_that_of_seen_documents_times_recall():
    ap, seen, recall = (by_topic(name, GRADED) for name in ("AP", "SeenAP", "SetR"))
    for topic, value in ap.items():
        assert value == pytest.approx(seen[topic] * recall[topic], abs=1e-12)


def test_the_slides_add_truncated_terms():
    """They print 0.57 for what is 0.58."""
    book = load("mir-textbook")
    terms = [Fraction(1), Fraction(2, 3), Fraction(1, 2), Fraction(4, 10), Fraction(5, 15)]
    cut = [Fraction(math.floor(100 * term), 100) for term in terms]
    assert float(sum(cut)) == 2.89
    assert math.floor(100 * sum(cut) / 5) == 57
    assert sum(terms) / 5 == Fraction(58, 100)
    assert irpref.SeenAP.evaluate(book.qrels, book.runs["run"])["q1"] == pytest.approx(0.58, abs=1e-12)


def test_grade_0_may_have_a_gain_in_generalised_precision_and_recall():
    """a (2) and n (0, gain 1) retrieved, b (2) missed: (1 + 1/2) / 2, and 3/5."""
    qrels, run = {"q": {"a": 2, "n": 0, "b": 2, "neg": -1}}, {"q": {"a": 3.0, "n": 2.0}}
    assert irpref.GPrecision(max_rel=2, gains={0: 1}).evaluate(qrels, run) == {"q": 0.75}
    assert irpref.GRecall(gains={0: 1}).evaluate(qrels, run) == {"q": pytest.approx(0.6)}
    with pytest.raises(ValueError, match=r"GRecall: .*falls as grades rise: grade 0 has gain 3"):
        irpref.GRecall(gains={0: 3}).evaluate(qrels, run)


def test_total_search_efficiency_is_recall_effort_over_r():
    tse, effort = by_topic("TSE", GRADED), by_topic("RecallEffort", GRADED)
    for topic, value in tse.items():
        r = sum(grade >= 1 for grade in GRADED.qrels[topic].values())
        assert value == pytest.approx(effort[topic] / max(r, 1), abs=1e-15)
    one = {topic: {next(iter(docs)): 1} for topic, docs in GRADED.qrels.items()}
    run = GRADED.run
    reciprocal = {m.query_id: m.value for m in irpref.evaluator(["RR"], one).iter_calc(run)}
    assert irpref.TSE.evaluate(one, run) == pytest.approx(reciprocal)
