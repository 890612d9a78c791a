"""The PyTerrier stages, one by one. No Java and no network."""

import pickle
import warnings
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irpref
from irpref import CRP, IrprefWarning, QMeasure, RPref
from irpref.datasets import load
from irpref.errors import ColumnError, EmptyJudgmentsError, MeasureError
from irpref.measures import registered
from irpref.measures.declare import KernelMeasure
from irpref.measures.docstring import prose
from refused import refuses, warns_of
from strategies import collections

pt = pytest.importorskip("pyterrier")

from irpref.transformers import Condense, Explain, Judge, Oracle, PerQuery

QRELS = pd.DataFrame(
    [
        ("1", "a", 2, True),
        ("1", "b", 1, False),
        ("1", "c", 0, False),
        ("1", "j", -1, False),
        ("1", "z", 2, False),
        ("2", "a", 1, True),
    ],
    columns=["qid", "docno", "label", "known"],
)
RES = pd.DataFrame(
    [
        ("2", "two", "x", 3.0, 0, 5),
        ("2", "two", "a", 2.0, 1, 5),
        ("1", "one", "c", 9.0, 0, 7),
        ("1", "one", "a", 8.0, 1, 7),
        ("1", "one", "u", 7.0, 2, 7),
        ("1", "one", "j", 6.0, 3, 7),
        ("1", "one", "b", 6.0, 4, 7),
        ("3", "three", "a", 1.0, 0, 9),
    ],
    columns=["qid", "query", "docno", "score", "rank", "length"],
)
# What is evaluated: "j" before "b", as equal scores stand by docno descending.

STAGES = {
    "Judge": lambda: Judge(QRELS),
    "Condense": lambda: Condense(QRELS),
    "Explain": lambda: Explain(QRELS, RPref(max_rel=2)),
    "Explain, all rows": lambda: Explain(QRELS, CRP, missed=True, why=True),
    "PerQuery": lambda: PerQuery(QRELS, ["nDCG@10", RPref(max_rel=2)]),
    "Oracle": lambda: Oracle(QRELS),
}


@pytest.fixture(params=STAGES)
def stage(request):
    return STAGES[request.param]()


def rows(frame, *columns):
    return list(frame[list(columns)].itertuples(index=False, name=None))


# ------------------------------------------------------------------------------- what all stages do


def test_inputs_are_not_modified(stage):
    res, qrels = RES.copy(deep=True), QRELS.copy(deep=True)
    stage(res)
    pd.testing.assert_frame_equal(res, RES)
    pd.testing.assert_frame_equal(QRELS, qrels)


def test_no_rows_give_no_rows_and_the_same_columns(stage):
    full, empty = stage(RES), stage(RES.iloc[:0])
    assert len(empty) == 0
    assert list(empty.columns) == list(full.columns)
    assert pt.inspect.transformer_outputs(stage, list(RES.columns)) == list(full.columns)


@pytest.mark.parametrize("ranked", [True, False])
def test_results_without_judgments_go_through_every_stage(ranked):
    alone = RES[RES.qid == "3"].reset_index(drop=True)
    alone = pd.concat(
        [alone.assign(rank=4), alone.assign(docno="b", score=0.5, rank=9)], ignore_index=True
    )
    ranks = [4, 9] if ranked else [0, 1]
    if not ranked:
        alone = alone.drop(columns="rank")
    empty = Condense(QRELS)(alone)
    assert len(empty) == 0
    assert list(empty.columns) == list(
        Condense(QRELS)(RES if ranked else RES.drop(columns="rank")).columns
    )
    assert empty["rank"].dtype == np.int64
    best = Oracle(QRELS)(alone)
    assert best["docno"].tolist() == ["a", "b"]
    assert best["rank"].tolist() == ranks
    pd.testing.assert_frame_equal(best[alone.columns], alone)
    explained = Explain(QRELS, RPref(max_rel=2))(alone)
    assert explained["docno"].tolist() == ["a", "b"]
    assert explained["contribution"].isna().all()
    assert explained["rank"].tolist() == ranks
    assert not explained["judged"].any()


def test_a_frame_without_documents_or_scores_is_refused(stage):
    with pytest.raises(pt.validate.InputValidationError):
        stage(pd.DataFrame([("a", 1.0)], columns=["docno", "score"]))
    if not isinstance(stage, (Judge, Oracle)):
        with pytest.raises(pt.validate.InputValidationError, match="score"):
            stage(RES.drop(columns="score"))


def test_row_labels_of_the_input_do_not_matter(stage):
    shuffled = RES.set_index(pd.Index([7] * len(RES)))
    pd.testing.assert_frame_equal(
        stage(shuffled).reset_index(drop=True), stage(RES).reset_index(drop=True)
    )


def test_integer_ids_are_compared_as_str(stage):
    numbers = {"a": 1, "b": 2, "c": 3, "j": 8, "u": 20, "x": 30, "z": 40}
    qrels = QRELS.assign(qid=QRELS.qid.astype(int), docno=QRELS.docno.map(numbers))
    of_int = pt.inspect.transformer_apply_attributes(stage, qrels=qrels)
    of_str = pt.inspect.transformer_apply_attributes(
        stage, qrels=qrels.astype({"qid": str, "docno": str})
    )
    res = RES.assign(docno=RES.docno.map(numbers).astype(str))
    pd.testing.assert_frame_equal(of_int(res), of_str(res))
    out = of_int(res.assign(qid=res.qid.astype(int), docno=res.docno.astype(int)))
    assert len(out) == len(of_str(res))
    assert out["qid"].dtype.kind == "i"  # what comes in goes out
    if "label" in out.columns:
        assert out["label"].notna().any()


def test_the_qrels_stay_out_of_repr_and_drawings(stage, monkeypatch):
    assert "DataFrame" not in repr(stage)
    assert "\n" not in repr(stage)
    assert repr(stage).startswith(f"{type(stage).__name__}(qrels")
    drawn = pt.schematic.transformer_schematic(stage)
    assert drawn["settings"]["qrels"] == "2 topics"
    assert drawn["help_url"] is None  # PyTerrier would look for one in the network

    def fail():
        raise AssertionError("PyTerrier asked for its documentation")

    monkeypatch.setattr(pt.documentation, "objects_inv", fail)
    assert "2 topics" in stage._repr_html_()


def test_stages_are_equal_only_if_they_are_the_same(stage):
    other = pt.inspect.transformer_apply_attributes(stage)
    assert repr(other) == repr(stage)
    assert other != stage
    assert len({stage, other}) == 2


def test_stages_are_pickled(stage):
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(stage))(RES), stage(RES))


def test_what_was_prepared_cannot_be_changed_behind_its_back(stage):
    with pytest.raises(AttributeError):
        stage.qrels = QRELS


@pytest.mark.parametrize("name", STAGES)
def test_pyterriers_own_checks_pass(name):
    import unittest

    case = pt.testing.transformer_test_class(STAGES[name])
    result = unittest.TestResult()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report of the checks is a warning
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 2
    assert not result.failures
    assert not result.errors


def test_bad_qrels_are_refused_where_the_pipeline_is_written():
    with refuses(EmptyJudgmentsError):
        Judge(QRELS.iloc[:0])
    with refuses(ColumnError, missing=("doc_id",)):
        Condense(QRELS.drop(columns="docno"))
    with refuses(ColumnError, missing=("relevance",)):
        Judge(QRELS.drop(columns="label"))
    with pytest.raises(FileNotFoundError, match=r"^qrels\.txt: "):
        Oracle("qrels.txt")


@pytest.mark.filterwarnings("ignore::irpref.DuplicateWarning")
def test_rows_of_topics_in_turn_stay_themselves_if_a_document_is_repeated():
    rows = [("1", "a", 1.0), ("2", "a", 5.0), ("1", "b", 2.0), ("2", "b", 4.0), ("1", "a", 3.0)]
    res = pd.DataFrame(rows, columns=["qid", "docno", "score"]).assign(rank=0, row=range(5))
    judged = pd.DataFrame(
        [(q, d, 1) for q in "12" for d in "ab"], columns=["qid", "docno", "label"]
    )
    assert Condense(judged)(res)["row"].tolist() == [4, 2, 1, 3]


def test_a_repeated_document_warns_and_its_last_row_counts():
    twice = pd.concat([RES, RES[RES.docno == "c"].assign(score=0.0)])
    with pytest.warns(irpref.DuplicateWarning):
        out = Condense(QRELS)(twice)
    assert rows(out[out.qid == "1"], "docno", "rank") == [("a", 0), ("b", 1), ("c", 2)]


# -------------------------------------------------------------------------------------------- Judge


def test_judge_adds_labels_and_keeps_the_rows():
    out = Judge(QRELS)(RES)
    pd.testing.assert_frame_equal(out[list(RES.columns)], RES)
    label = {
        doc: grade
        for doc, grade in zip(out.docno[2:7], out.label[2:7], strict=True)
        if grade == grade
    }
    assert label == {"c": 0, "a": 2, "j": -1, "b": 1}
    # A negative judgment is none, but is shown; topic 3 has no judgments.
    assert out.judged.tolist() == [False, True, True, True, False, False, True, False]
    assert np.isnan(out.label.iloc[-1])


# ----------------------------------------------------------------------------------------- Condense


def test_condense_drops_what_is_not_judged_and_ranks_again():
    out = Condense(QRELS)(RES)
    assert rows(out, "qid", "docno", "rank") == [
        ("2", "a", 0),
        ("1", "c", 0),
        ("1", "a", 1),
        ("1", "b", 2),
    ]
    assert out.score.tolist() == [2.0, 9.0, 8.0, 6.0]
    assert out.length.tolist() == [5, 7, 7, 7]


# Where a negative grade is a judgment, the condensed list is another.
CONDENSING = [
    name
    for name, m in registered().items()
    if "judged_only" in m.SUPPORTED_PARAMS and not m.NEGATIVE_GRADES
]


@given(collection=collections(), measure=st.sampled_from(CONDENSING))
def test_a_measure_of_the_condensed_run_is_its_judged_only_form(collection, measure):
    measure = registered()[measure]
    res = frame_of(collection.run)
    out = Condense(collection.qrels)(res).rename(columns={"qid": "query_id", "docno": "doc_id"})
    condensed = measure.evaluate(collection.qrels, out)
    assert condensed == measure(judged_only=True).evaluate(collection.qrels, collection.run)


def frame_of(run):
    columns = ["qid", "docno", "score"]
    return pd.DataFrame(
        [(q, d, s) for q, docs in run.items() for d, s in docs.items()], columns=columns
    )


# ------------------------------------------------------------------------------------------ Explain


def test_explain_shows_what_the_measure_is_made_of():
    # rho: a and z 1, b 1/2, c 0: R = 5/2, N = 3/2. c stands above a and b: each loses 2/3 of its
    # weight.
    out = Explain(QRELS, RPref(max_rel=2))(RES)
    one = out[out.qid == "1"]
    assert rows(one, "docno", "rank") == [("c", 0), ("a", 1), ("u", 2), ("j", 3), ("b", 4)]
    assert one.contribution.tolist() == pytest.approx([0, F(2, 15), 0, 0, F(1, 15)])
    assert one.loss.tolist() == pytest.approx([np.nan, 1, np.nan, np.nan, 0.5], nan_ok=True)
    assert list(out.columns) == [
        *RES.columns,
        "label",
        "judged",
        "rho",
        "loss",
        "penalty",
        "contribution",
    ]
    # A topic without judgments cannot be explained.
    assert np.isnan(out[out.qid == "3"].contribution).all()


EXPLAINABLE = [name for name, measure in registered().items() if type(measure).terms is not None]


@pytest.mark.parametrize("name", EXPLAINABLE)
def test_contributions_add_up_to_the_value(name):
    example = load("synthetic")
    qrels = example.qrels_frame()
    run = example.run_frame("noisy").rename(columns={"query_id": "qid", "doc_id": "docno"})
    measure = type(registered()[name]).variants()[0]
    out = Explain(qrels, measure, missed=True)(run)
    always = {*run.columns, "rank", "label", "judged", "contribution"}
    assert always <= set(out.columns)
    columns = set(out.columns) - always
    assert columns, "`Working` must have a column, such as `counted`: 1 for a relevant document"
    assert columns <= set(prose(measure).columns), "the section `Columns` must explain each of them"
    values = measure.evaluate(qrels, example.runs["noisy"])
    sums = out.groupby("qid").contribution.sum()
    assert len(sums) >= 20
    for qid, value in sums.items():
        assert value == pytest.approx(values[qid], abs=1e-12)


def test_missed_documents_are_available_and_their_absence_is_said_where_it_matters():
    short = RES[(RES.qid == "1") & (RES.docno == "a")]
    # z, of grade 2, was not retrieved. Read literally it counts; the default drops it, and says so.
    infinity = RPref(max_rel=2, unretrieved="infinity")
    with warns_of(IrprefWarning, measure=str(infinity), topic="1") as caught:
        Explain(QRELS, infinity)(short)
    assert "missed=True" in str(caught[0])
    out = Explain(QRELS, infinity, missed=True)(short)
    assert rows(out, "docno", "label") == [("a", 2), ("z", 2), ("b", 1)]
    assert out.contribution.sum() == pytest.approx(
        infinity.evaluate(Judge(QRELS).qrels, {"1": {"a": 1.0}})["1"]
    )
    assert out["query"].tolist() == ["one"] * 3
    assert out[["score", "rank", "length"]].iloc[1:].isna().all(axis=None)
    # It does not matter for rpref as in bpref: no warning, and the rows are there for whoever asks.
    assert len(Explain(QRELS, RPref(max_rel=2))(short)) == 1
    assert Explain(QRELS, RPref(max_rel=2), missed=True)(short).docno.tolist() == ["a", "z", "b"]


def test_ranks_below_the_end_of_a_short_list_have_a_row_without_a_document():
    short = RES[(RES.qid == "1") & (RES.docno == "a")]
    with pytest.warns(IrprefWarning, match="below the end"):
        Explain(QRELS, CRP)(short)
    out = Explain(QRELS, CRP, missed=True, why=True)(short)
    # R = 3: a in its place, ranks 2 and 3 filled up at 2 - 4 and 3 - 4.
    assert out.contribution.tolist() == [0, 0, 0, -3]
    assert pd.isna(out.docno.iloc[-1])
    assert out.why.iloc[-1].startswith("the list ends")


def test_known_documents_reach_the_measure():
    out = Explain(QRELS, "Novelty")(RES)
    one = out[out.qid == "1"].set_index("docno")
    assert one.known.dropna().to_dict() == {"a": 1.0, "b": 0.0}
    assert one.contribution.to_dict() == {"c": 0, "a": 0, "u": 0, "j": 0, "b": 0.5}
    with refuses(MeasureError, measure="Novelty", column="known") as error:
        Explain(QRELS.drop(columns="known"), "Novelty")
    assert error.value.remedy.argument == "known"


@pytest.mark.parametrize(
    "measure",
    [*(name for name in registered() if name not in EXPLAINABLE), "EMeasure(beta=2)", "Bpref"],
)
def test_a_measure_that_is_no_sum_is_refused_with_an_alternative(measure):
    chosen = irpref.parse(measure)
    instead = prose(chosen).instead or not isinstance(chosen, KernelMeasure)
    with refuses(MeasureError, measure=str(chosen)) as error:
        Explain(QRELS, measure)
    assert ("; explain " in str(error.value)) == bool(instead)


def test_everyday_measures_are_explained():
    out = Explain(QRELS, "map", missed=True, why=True)(RES)
    one = out[out.qid == "1"].set_index("docno")
    # a at rank 2, b at rank 5, and z missed.
    assert one.contribution.sum() == pytest.approx((1 / 2 + 2 / 5) / 3)
    assert one.loc[["a", "b"], "count"].tolist() == [1, 2]
    assert "2 of the first 5" in one.loc["b", "why"]


# ----------------------------------------------------------------------------------------- PerQuery


def test_per_query_has_one_column_a_measure():
    out = PerQuery(QRELS, ["map", RPref(max_rel=2), "nDCG@10", "Novelty"])(RES)
    assert list(out.columns) == ["qid", "query", "map", "RPref(max_rel=2)", "nDCG@10", "Novelty"]
    assert out.qid.tolist() == ["2", "1", "3"]
    assert out["RPref(max_rel=2)"].tolist() == pytest.approx([1, F(1, 5), np.nan], nan_ok=True)
    # AP of topic 1: a at rank 2, b at rank 5, z missed; of topic 2: rank 2.
    assert out["map"].tolist() == pytest.approx([1 / 2, (1 / 2 + 2 / 5) / 3, np.nan], nan_ok=True)


def test_columns_by_query_have_the_names_that_were_typed_as_in_an_experiment():
    typed = ["P+", "map", "rpref(max_rel=2)", irpref.QMeasure @ 5, "ndcg_cut_10"]
    columns = list(PerQuery(QRELS, typed)(RES))[2:]
    assert columns == [*typed[:3], "QMeasure@5", "ndcg_cut_10"]
    systems = [pt.Transformer.from_df(RES)]
    topics = RES[["qid", "query"]].drop_duplicates()
    table = pt.Experiment(systems, topics, QRELS, typed, filter_by_qrels=True)
    assert set(table) == {"name", *columns}


def test_a_measure_typed_twice_has_the_first_name_and_several_have_their_own():
    out = PerQuery(QRELS, ["AP", "map", "P.5,10", "recip_rank P+"])(RES)
    assert list(out)[2:] == ["AP", "P@5", "P@10", "recip_rank", "P+"]


def test_per_query_of_topics_without_judgments_alone():
    # ir_measures' Accuracy divides by the topics that a run answers.
    out = PerQuery(QRELS, ["QMeasure", "Accuracy"])(RES[RES.qid == "3"])
    assert out.qid.tolist() == ["3"]
    assert out[["QMeasure", "Accuracy"]].isna().all(axis=None)


def test_a_measure_makes_its_own_stage():
    stage = RPref(max_rel=2).per_query(QRELS)
    assert repr(stage) == "PerQuery(qrels, [RPref(max_rel=2)])"
    pd.testing.assert_frame_equal(stage(RES), PerQuery(QRELS, [RPref(max_rel=2)])(RES))
    pipeline = pt.Transformer.from_df(RES) >> stage
    assert pipeline.search("one", qid="1")["RPref(max_rel=2)"].tolist() == pytest.approx([F(1, 5)])


# ------------------------------------------------------------------------------------------- Oracle


def test_oracle_gives_the_best_order_of_these_documents():
    out = Oracle(QRELS)(RES)
    one = out[out.qid == "1"]
    # Unjudged documents as grade 0, as they stood; before negative ones.
    assert rows(one, "docno", "rank", "score") == [
        ("a", 0, 5),
        ("b", 1, 4),
        ("c", 2, 3),
        ("u", 3, 2),
        ("j", 4, 1),
    ]
    assert out.qid.drop_duplicates().tolist() == ["2", "1", "3"]
    assert rows(out[out.qid == "3"], "docno", "rank", "score") == [("a", 0, 1.0)]


def test_oracle_of_queries_is_the_ideal_list():
    topics = pd.DataFrame([("1", "one"), ("2", "two"), ("3", "three")], columns=["qid", "query"])
    out = Oracle(QRELS)(topics)
    assert rows(out, "qid", "query", "docno", "rank") == [
        ("1", "one", "a", 0),
        ("1", "one", "z", 1),
        ("1", "one", "b", 2),
        ("2", "two", "a", 0),
    ]
    for none in (topics.iloc[:0], topics.iloc[2:]):
        assert Oracle(QRELS)(none).equals(out.iloc[:0])


@given(collection=collections())
def test_no_order_of_the_same_documents_beats_the_oracle(collection):
    res = frame_of(collection.run)
    best = Oracle(collection.qrels)(res).rename(columns={"qid": "query_id", "docno": "doc_id"})
    assume(not res.empty)  # a frame without rows has no documents to order
    for measure in (QMeasure, RPref(max_rel=3), irpref.BprefVariant, irpref.OriginalNDCG):
        before = measure.evaluate(collection.qrels, collection.run)
        after = measure.evaluate(collection.qrels, best)
        assert all(after[qid] >= value - 1e-12 for qid, value in before.items())
