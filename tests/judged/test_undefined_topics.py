"""Topics in which a measure has no value: `Coverage(undefined='nan')`, and `Novelty` alike.

By hand: a, b, c are relevant and n is not. The user knew a and b in q1, nothing relevant in q2
(only n), a in q3 and b in q4. The run finds a everywhere, so coverage is 1/2, none, 1 and 0: their
mean is 1/2, and 3/8 with a 0 for q2."""

import json
import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP

import irpref
import irpref_lab
from irpref import Coverage, Novelty
from irpref.cli import main
from irpref.errors import MeasureError
from refused import refuses
from shells import run_text

NAN = Coverage(undefined="nan")
KNOWN = {"q1": "ab", "q2": "n", "q3": "a", "q4": "b"}
QRELS = pd.DataFrame(
    [
        (q, doc, grade, doc in docs)
        for q, docs in KNOWN.items()
        for doc, grade in zip("abcn", (1, 2, 1, 0), strict=True)
    ],
    columns=["query_id", "doc_id", "relevance", "known"],
)
RUN = {q: {"a": 2.0, "n": 1.0} for q in KNOWN}
OTHER = {q: {"b": 3.0, "c": 2.0, "a": 2.0} for q in KNOWN}  # everything, with a tie
BY_TOPIC = {"q1": 0.5, "q2": math.nan, "q3": 1.0, "q4": 0.0}


@pytest.mark.parametrize("accelerated", [False, True])
def test_the_mean_leaves_them_out(accelerated):
    irpref.accelerate(accelerated)
    try:
        for calc in (
            lambda measures: ir_measures.calc_aggregate(measures, QRELS, RUN),
            lambda measures: ir_measures.calc(measures, QRELS, RUN).aggregated,
            lambda measures: irpref.evaluator(measures, QRELS).calc_aggregate(RUN),
        ):
            assert calc([NAN, Coverage]) == {NAN: 0.5, Coverage: 0.375}
            assert calc([NAN, AP, ir_measures.IPrec @ 0.5])[NAN] == 0.5  # beside other providers
        found = {m.query_id: m.value for m in ir_measures.iter_calc([NAN], QRELS, RUN)}
        assert found == pytest.approx(BY_TOPIC, nan_ok=True)
    finally:
        irpref.accelerate(False)


def test_no_topic_has_a_value():
    qrels = QRELS.assign(known=False)
    assert math.isnan(irpref.evaluator([NAN], qrels).calc_aggregate(RUN)[NAN])
    assert math.isnan(ir_measures.calc_aggregate([NAN], qrels, RUN)[NAN])
    with refuses(MeasureError, measure=str(NAN)):
        irpref_lab.compare([NAN], qrels, RUN, OTHER)


def test_on_the_command_line(tmp_path, capsys):
    (tmp_path / "qrels").write_text(
        "".join(f"{r.query_id} 0 {r.doc_id} {r.relevance}\n" for r in QRELS.itertuples())
    )
    (tmp_path / "known").write_text(
        "".join(f"{r.query_id} 0 {r.doc_id} 1\n" for r in QRELS[QRELS.known].itertuples())
    )
    (tmp_path / "run").write_text(run_text(RUN))
    paths = [
        str(tmp_path / "qrels"),
        str(tmp_path / "run"),
        str(NAN),
        "--known",
        str(tmp_path / "known"),
    ]
    assert main(["eval", *paths]) == 0
    assert capsys.readouterr().out.split()[-1] == "0.5000"
    assert main(["eval", *paths, "-q", "-o", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["value"] for row in rows] == [0.5, None, 1.0, 0.0, 0.5]


def test_compare_and_intervals_are_over_the_others():
    (row,) = irpref_lab.compare([NAN], QRELS, RUN, OTHER).to_dict("records")
    assert (row["topics"], row["mean_a"], row["mean_b"]) == (3, 0.5, 1.0)
    for over in ("ties", "unjudged"):
        table = irpref_lab.intervals([NAN @ 2], QRELS, OTHER, over=over).set_index("query_id")
        assert np.isnan(table.loc["q2", ["value", "low", "high"]].to_numpy(float)).all()
    # Two orders of c and a: a is above the cutoff in one of them. b is first.
    table = irpref_lab.intervals([NAN @ 2], QRELS, OTHER, over="ties")
    assert table.iloc[-1][["low", "expected", "high"]].tolist() == pytest.approx(
        [1.5 / 3, 2.25 / 3, 1]
    )
    assert irpref_lab.intervals([NAN], QRELS, RUN, over="topics")["value"].tolist() == [0.5]


@pytest.mark.parametrize(
    "table",
    [
        lambda path: irpref_lab.leaderboard([NAN, AP], QRELS, {"a": RUN, "b": OTHER}),
        lambda path: irpref_lab.report(
            [NAN, AP], QRELS, {"a": RUN, "b": OTHER}, path / "report.html"
        ),
        lambda path: irpref_lab.intervals([NAN, AP], QRELS, RUN, over="topics"),
    ],
    ids=["leaderboard", "report", "intervals"],
)
def test_a_table_over_the_same_topics_refuses(table, tmp_path):
    with refuses(MeasureError, measure=str(NAN), topic="q2") as error:
        table(tmp_path)
    assert "leave these topics out" in str(error.value)


def test_novelty_has_none_where_nothing_relevant_is_retrieved():
    """a is new in q2, known in q1 and q3, and the run of q4 has n alone: novelty 0, 1, 0, 0/0."""
    run = {**RUN, "q4": {"n": 1.0}}
    for undefined, mean in (("zero", 1 / 4), ("nan", 1 / 3)):
        measure = Novelty(undefined=undefined)
        assert irpref.evaluator([measure], QRELS).calc_aggregate(run)[measure] == pytest.approx(
            mean
        )
    left_out = Novelty(undefined="nan")
    (row,) = irpref_lab.compare([left_out], QRELS, run, OTHER).to_dict("records")
    assert row["topics"] == 3
    table = irpref.explain(left_out, QRELS, run, "q4")
    assert "no value" in table["why"].iloc[-1]
