"""Spark gives the values of one machine, bit for bit."""

import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irpref
from irpref.datasets import load
from irpref.errors import ColumnError, EmptyJudgmentsError, MeasureError, NoCommonTopicError

pyspark = pytest.importorskip("pyspark", reason="needs the extra `spark`")
pytest.importorskip("pyarrow")

from irpref_lab.spark import evaluate

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
)

MEASURES = [
    "RPref(max_rel=3)",
    "RPref(norm='relative',max_rel=3)",
    "NPref(n=4,max_rel=3)@10",
    "BprefVariant",
    "QMeasure(gains={1:1,2:3,3:7})@10",
    "PPlus(judged_only=True)",
    "NCU",
    "CRP",
    "EMeasure",
    "Coverage",
    "RelativeRecall(expected='expected')",
]


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def example():
    return load("synthetic")


def frames(spark, run, qrels):
    return spark.createDataFrame(run), spark.createDataFrame(qrels)


def collected(values):
    return {(row.query_id, row.measure): row.value for row in values.collect()}


def here(measures, qrels, run):
    """The same on one machine."""
    evaluator = irpref.evaluator(measures, qrels)
    return {(m.query_id, str(m.measure)): m.value for m in evaluator.iter_calc(run)}


@pytest.mark.parametrize("buckets", [1, 4, 50])
def test_values_are_those_of_one_machine_to_the_last_bit(spark, example, buckets):
    # `noisy` returns nothing for the last topic, which must be there all the same.
    run, qrels = example.run_frame("noisy"), example.qrels_frame()
    expected = here(MEASURES, qrels, run)
    assert len(expected) == len(MEASURES) * qrels["query_id"].nunique()
    assert collected(evaluate(*frames(spark, run, qrels), MEASURES, buckets=buckets)) == expected


def test_measures_of_the_host_stand_beside_ours(spark, example):
    run, qrels = example.run_frame("strong"), example.qrels_frame()
    measures = ["AP", "nDCG@10", "RPref(max_rel=3)", "RR"]
    assert collected(evaluate(*frames(spark, run, qrels), measures)) == here(measures, qrels, run)


def test_preferences_of_groups_and_subgroups_have_the_values_of_one_machine(spark):
    rows = [
        (f"q{t}", f"j{g}", str(s), f"00{d}", (d * 7 + t + g) % 5 - 1)
        for t, g, s, d in np.ndindex(5, 2, 3, 9)
        if (d * 5 + 3 * s + g + t) % 4
    ]
    judged = pd.DataFrame(
        rows, columns=["query_id", "group", "subgroup", "doc_id", "relevance"]
    ).astype(object)
    run = pd.DataFrame(
        [(f"q{t}", f"00{d * 5 % 11}", float((d * t) % 4)) for t in (0, 2, 3) for d in range(8)],
        columns=["query_id", "doc_id", "score"],
    ).astype({"query_id": object, "doc_id": object})
    measures = [
        "PrefShare",
        "PrefShare(by='pair')",
        "PrefShare(by='group',nonrelevant='R')",
        "NumPrefs",
        "PrefAP",
    ]
    found = evaluate(spark.createDataFrame(run), spark.createDataFrame(judged), measures).collect()
    expected = irpref.evaluator(measures, judged).iter_calc(run)
    assert {(r.query_id, r.measure): r.value for r in found} == {
        (m.query_id, str(m.measure)): m.value for m in expected
    }


def test_negative_grades_are_warned_of_on_the_driver(spark):
    qrels = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, -2]})
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    with pytest.warns(irpref.RangeWarning, match=r"nCRP: .* negative grades"):
        evaluate(spark.createDataFrame(run), spark.createDataFrame(qrels), ["nCRP"])


def test_the_scale_is_that_of_all_qrels_whatever_the_buckets(spark):
    # Only one topic has a document of grade 4; alone, the others would be scored on a scale up to
    # 2.
    qrels = pd.DataFrame(
        [(f"t{t}", f"d{d}", 4 if (t, d) == (0, 0) else d % 3) for t in range(8) for d in range(6)],
        columns=["query_id", "doc_id", "relevance"],
    )
    run = qrels.assign(score=np.arange(48) % 7).drop(columns="relevance")
    with pytest.warns(irpref.ScaleWarning, match="4 is used"):
        values = evaluate(*frames(spark, run, qrels), "RPref", buckets=8)
    fixed = here(["RPref(max_rel=4)"], qrels, run)
    assert collected(values) == {(topic, "RPref"): value for (topic, _), value in fixed.items()}


def test_numeric_ids_and_other_columns_do_no_harm(spark):
    qrels = pd.DataFrame(
        {"query_id": [1, 1, 2], "doc_id": [10, 11, 10], "relevance": [1, 0, 1], "iteration": 0}
    )
    run = pd.DataFrame(
        {"query_id": [1, 1, 7], "doc_id": [11, 10, 10], "score": [2, 1, 1], "rank": [9, 9, 9]}
    )
    values = collected(evaluate(*frames(spark, run, qrels), ["QMeasure", "CRP"], buckets=2))
    # Topic 1: the relevant document at rank 2 gets (1 + 1) / (2 + 1); topic 2 is not in the run: 0,
    # and -R(R+1)/2.
    assert values == {
        ("1", "QMeasure"): 2 / 3,
        ("2", "QMeasure"): 0,
        ("1", "CRP"): -1,
        ("2", "CRP"): -1,
    }


def test_documents_with_the_id_of_their_topic_are_left_out_if_asked(spark):
    qrels = pd.DataFrame(
        [("1", "1", 0), ("1", "a", 1), ("2", "b", 1)], columns=["query_id", "doc_id", "relevance"]
    )
    run = pd.DataFrame(
        [("1", "1", 3.0), ("1", "a", 2.0), ("2", "1", 2.0), ("2", "b", 1.0)],
        columns=["query_id", "doc_id", "score"],
    )
    values = evaluate(*frames(spark, run, qrels), ["QMeasure"], buckets=2, ignore_self=True)
    # The relevant document has rank 1 in topic 1 and rank 2 in topic 2: (1 + 1) / (2 + 1).
    assert collected(values) == {("1", "QMeasure"): 1, ("2", "QMeasure"): 2 / 3}
    without = irpref.run(run, ignore_self=True)
    assert collected(values) == here(["QMeasure"], qrels, without)
    lacking = spark.createDataFrame(
        [("1", None, 1.0)], "query_id string, doc_id string, score double"
    )
    values = evaluate(lacking, spark.createDataFrame(qrels), ["QMeasure"], ignore_self=True)
    with pytest.raises(pyspark.errors.PySparkException, match="id is missing"):
        values.collect()


def test_what_concerns_all_topics_is_an_error_at_once(spark, example):
    run, qrels = frames(spark, example.run_frame("strong"), example.qrels_frame())
    with pytest.raises(NoCommonTopicError, match=r"'x1', .* '1'"):
        evaluate(run.selectExpr("'x1' as query_id", "doc_id", "score"), qrels, "QMeasure")
    with pytest.raises(ColumnError, match="run: ") as lacking:
        evaluate(run.drop("score"), qrels, "QMeasure")
    assert lacking.value.missing == ("score",)
    with pytest.raises(MeasureError) as unknown:
        evaluate(run, qrels.drop("known"), "Coverage")
    assert (unknown.value.measure, unknown.value.column) == ("Coverage", "known")
    with pytest.raises(ValueError, match="QMeasure"):
        evaluate(run, qrels, "QMeasure(gains={1:5,2:1})")
    with pytest.raises(EmptyJudgmentsError):
        evaluate(run, qrels.limit(0), "QMeasure")
    with pytest.raises(ValueError, match="buckets"):
        evaluate(run, qrels, "QMeasure", buckets=0)
    with pytest.raises(ValueError, match="no measures"):
        evaluate(run, qrels, [])


@pytest.mark.parametrize(
    ("run_rows", "qrels_rows", "message"),
    [
        ([("1", "a", 1.0), ("1", "a", 2.0)], [("1", "a", 1)], "'a' occurs twice in topic '1'"),
        ([("1", "a", float("nan"))], [("1", "a", 1)], "nan"),
        ([("1", "a", 1.0)], [("1", "a", 1), ("1", "a", 2)], "judges document 'a' twice"),
        ([("1", "a", 1.0), (None, "b", 1.0)], [("1", "a", 1)], "run: an id is missing"),
    ],
)
@pytest.mark.parametrize("measures", ["QMeasure", "AP", "AP QMeasure"])  # whoever computes them
def test_bad_rows_are_errors_that_name_topic_and_document(
    spark, measures, run_rows, qrels_rows, message
):
    run = spark.createDataFrame(run_rows, "query_id string, doc_id string, score double")
    qrels = spark.createDataFrame(qrels_rows, "query_id string, doc_id string, relevance int")
    with pytest.raises(pyspark.errors.PySparkException, match=message):
        evaluate(run, qrels, measures, buckets=2).collect()


def test_an_empty_run_scores_every_topic_of_the_qrels(spark, example):
    qrels = spark.createDataFrame(example.qrels_frame())
    run = spark.createDataFrame([], "query_id string, doc_id string, score double")
    values = collected(evaluate(run, qrels, ["QMeasure", "EMeasure"]))
    assert len(values) == 2 * 30
    assert {value for (_, name), value in values.items() if name == "QMeasure"} == {0.0}
    assert {value for (_, name), value in values.items() if name == "EMeasure"} == {1.0}


def test_the_code_of_the_page_runs(spark, example, tmp_path):
    page = Path(__file__).parents[2] / "docs" / "spark.md"
    (code,) = re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    for name, frame in (("run", example.run_frame("strong")), ("qrels", example.qrels_frame())):
        spark.createDataFrame(frame).write.parquet(str(tmp_path / name))
    space = {}
    exec(
        compile(
            code.replace("s3://...", tmp_path.as_posix()).replace("buckets=2000", "buckets=4"),
            "spark.md",
            "exec",
        ),
        space,
    )
    assert (tmp_path / "values").is_dir()
    assert {row.measure for row in space["values"].collect()} == {
        "RPref(norm='relative2')",
        "QMeasure",
        "nDCG@10",
    }
