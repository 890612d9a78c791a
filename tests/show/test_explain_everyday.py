"""AP, nDCG, P and the other everyday measures of ir_measures, explained as our own are."""

import re
from fractions import Fraction

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_working import check_by_hand

import irpref
from irpref.cli import main
from irpref.measures.everyday_terms import described, everyday
from irpref.measures.toml_files import data
from irpref.show.explained import explanation_text
from irpref.show.text import Page
from strategies import collections

MEASURES = [
    *("AP", "AP@3", "AP(rel=2)", "AP(judged_only=True)@3"),
    *("nDCG", "nDCG@3", "nDCG(dcg='exp-log2')@3", "nDCG(gains={1:3,2:7})@4"),
    *("nDCG(judged_only=True)@3", "nDCG(dcg='exp-log2')@10"),
    *("P@1", "P@3", "P(rel=2)@3", "P(judged_only=True)@3"),
    *("R@3", "R(rel=2)@2", "R(judged_only=True)@3", "RR", "RR@2", "RR(rel=2)", "RR(judged_only=True)"),
    *("Rprec", "Rprec(rel=2)", "Rprec(judged_only=True)"),
    *("RBP(rel=1)", "RBP(p=0.5,rel=2)", "RBP(rel=1)@3", "RBP(p=0.999,rel=1)", "RBP(p=1.0,rel=1)"),
    *("Success@1", "Success@3", "Success(rel=2)@3", "Success(judged_only=True)@2"),
    *("Judged", "Judged@3", "SetP", "SetP(relative=True)", "SetP(judged_only=True)", "SetR"),
    *("SetR(rel=2)", "ERR@3", "ERR"),
]  # fmt: skip
NAMES = list(data("everyday.toml"))


@pytest.mark.parametrize("name", MEASURES)
@given(collection=collections())
def test_contributions_add_up_to_the_value_and_follow_from_the_numbers_shown(name, collection):
    measure = irpref.parse(name)
    qrels = {t: {d: min(g, 4) for d, g in docs.items()} for t, docs in collection.qrels.items()}
    table = irpref.explain(measure, qrels, collection.run)
    sums = table.groupby("query_id", sort=False)["contribution"].sum()
    evaluator = irpref.evaluator([measure], qrels)
    values = evaluator.values(collection.run)[measure].tolist()
    for topic, value in zip(evaluator.topic_ids, values, strict=True):
        # Each document is divided by the size of its topic: half a unit in the last place each.
        assert sums.get(topic, 0.0) == pytest.approx(value, rel=4e-15, abs=4e-15)
    check_by_hand(measure, qrels, collection.run)


@given(rank=st.integers(990, 1010))
def test_ranks_below_1000_add_nothing_to_rank_biased_precision(rank):
    run = {"q": {f"d{i:04}": -float(i) for i in range(1, 1020)}}
    table = irpref.explain("RBP(p=0.999,rel=1)", {"q": {f"d{rank:04}": 1}}, run, "q")
    row = table[table["doc_id"] == f"d{rank:04}"].iloc[0]
    assert (row["contribution"] > 0) == (rank <= 1000)
    assert (f"weight of rank {rank}" if rank <= 1000 else "below rank 1000") in row["why"]


@pytest.mark.parametrize("name", NAMES)
def test_examples_by_hand_are_the_values_computed(name):
    example = described(name)["example"]
    ranking = example["ranking"]
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(ranking)}}
    assert set(ranking) - example["grades"].keys()  # one document is not judged
    for measure, by_hand in example["values"].items():
        (value,) = (
            irpref.evaluator([measure], {"q": example["grades"]}).calc_aggregate(run).values()
        )
        # A double cannot hold 1/3: the nearest one, or its neighbour.
        assert abs(Fraction(value) - Fraction(by_hand)) <= Fraction(2**-52), measure
        assert re.search(rf"(?<![\d/]){by_hand}(?![\d/])", example["hand"]), measure
        assert name == irpref.parse(measure).NAME


@pytest.mark.parametrize("name", NAMES)
def test_examples_by_hand_are_what_ir_measures_computes(name):
    example = described(name)["example"]
    run = {"1": {doc: -float(rank) for rank, doc in enumerate(example["ranking"])}}
    for text, by_hand in example["values"].items():
        measure = ir_measures.parse_measure(text)
        able = [p for p in ir_measures.DefaultPipeline.providers if p.is_available()]
        if not any(p.NAME != "irpref" and p.supports(measure) for p in able):
            continue
        value = ir_measures.calc_aggregate([measure], {"1": example["grades"]}, run)[measure]
        assert value == pytest.approx(float(Fraction(by_hand)), abs=5e-6), text  # gdeval rounds


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_is_said_of_our_measures_is_said_of_these(name):
    said = described(name)
    assert {"title", "question", "use", "pitfalls", "range", "formula", "source"} <= said.keys()
    assert said["question"].endswith("?")
    assert everyday(irpref.parse(next(iter(said["example"]["values"])))) is not None


@pytest.mark.parametrize("name", MEASURES)
def test_every_column_of_an_everyday_measure_is_described(name):
    table = irpref.explain(name, {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}})
    own = {"query_id", "rank", "doc_id", "score", "grade", "judged", "contribution"}
    assert {*table.columns} - own <= described(irpref.parse(name).NAME)["columns"].keys()


REASONS = {
    "AP": ("relevant: 1 of the first 2", "relevant: 2 of the first 4"),
    "P@10": ("relevant and retrieved", "relevant and retrieved"),
    "R@10": ("relevant and retrieved", "relevant and retrieved"),
    "RR": (
        "first relevant document: the value is 1 / its rank",
        "below the first relevant document a: not counted",
    ),
    "Success@5": (
        "first relevant document: the value is 1",
        "below the first relevant document a: not counted",
    ),
    "Rprec": ("relevant, down to rank R = 3", "below rank R = 3: not counted"),
    "RBP(rel=1)": ("relevant: the weight of rank 2", "relevant: the weight of rank 4"),
    "Judged@10": ("judged", "judged"),
    "nDCG@10": ("gain 2 divided by 1.585 at rank 2", "gain 1 divided by 2.322 at rank 4"),
    "ERR@10": (
        "relevant: stops 18.8 % of the users who get here",
        "relevant: stops 6.25 % of the users who get here",
    ),
}


@pytest.mark.parametrize(("measure", "reasons"), REASONS.items())
def test_each_document_has_a_reason(measure, reasons):
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "d": 1}}
    run = {"q": {"b": 6.0, "a": 5.0, "x": 4.0, "c": 3.0}}
    why = irpref.explain(measure, qrels, run, "q").set_index("doc_id")["why"]
    assert (why["a"], why["c"]) == reasons
    assert why["x"] == "no judgment"
    assert why["d"] == "not retrieved"
    others = {"nDCG@10": "no gain", "Judged@10": "judged"}
    assert why["b"] == others.get(measure, "not relevant")


QRELS = {"q": {"s": 2, "a": 1, "b": 1, "x": 0, "m": 1}}
RUN = {"q": {"x": 5.0, "s": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
BY_HAND = """\
Topic q: AP = 0.4417 (higher is better)
How early and how completely does the ranking have the relevant documents?

precision = count / rank
adds = precision / R
R = 4

rank  document  grade  count  precision    adds  why
   1  x             0                    0.0000  not relevant
   2  s             2      1     0.5000  0.1250  relevant: 1 of the first 2
   3  a             1      2     0.6667  0.1667  relevant: 2 of the first 3
   4  y                                  0.0000  no judgment
   5  b             1      3     0.6000  0.1500  relevant: 3 of the first 5

   -  m             1                    0.0000  not retrieved

      sum                                0.4417

count      relevant documents down to its rank
precision  precision at its rank
R          relevant documents that were judged
"""


def test_average_precision_is_a_sum_that_a_student_can_do(tmp_path, capsys):
    """(1/2 + 2/3 + 3/5) / 4 = 53/120."""
    assert float(Fraction(53, 120)) == pytest.approx(0.4417, abs=5e-5)
    assert explanation_text(QRELS, RUN, "AP", "q", page=Page(80)) == BY_HAND
    (tmp_path / "qrels").write_text("".join(f"q 0 {d} {g}\n" for d, g in QRELS["q"].items()))
    (tmp_path / "run").write_text("".join(f"q Q0 {d} 0 {s} x\n" for d, s in RUN["q"].items()))
    assert main(["explain", str(tmp_path / "qrels"), str(tmp_path / "run"), "map"]) == 0
    assert capsys.readouterr() == (BY_HAND, "")


@pytest.mark.parametrize("name", MEASURES)
def test_explanations_of_everyday_measures_have_80_columns(name):
    text = explanation_text(QRELS, RUN, name, "q", page=Page(80))
    assert max(map(len, text.splitlines())) <= 80, text


def test_a_notebook_shows_the_sum_and_the_legend():
    explained = irpref.explain("AP", QRELS, RUN, "q")
    html = explained._repr_html_()
    for part in (
        "adds = precision / R",
        "<th",
        r">\s*sum\s*</td>",
        "0.4417",
        "precision at its rank",
    ):
        assert re.search(part, html)
    assert "NaN" not in html
    assert repr(explained).startswith("Topic q: AP = 0.4417")
    # A part of it, and all topics at once, are frames as any other.
    for frame in (explained[["doc_id", "contribution"]], irpref.explain("AP", QRELS, RUN)):
        assert "adds =" not in frame._repr_html_()
        assert "contribution" in repr(frame)
    np.testing.assert_allclose(explained["contribution"].sum(), explained.value)
