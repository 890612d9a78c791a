"""What is refused, what is mended with a warning, and what the messages say: read them aloud."""

import io
import re
import warnings
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ir_measures import AP, ScoredDoc, nDCG

import forms
import irpref
import irpref_lab
from forms import WAYS, look_up
from irpref import (
    CRP,
    BprefVariant,
    Coverage,
    EMeasure,
    Novelty,
    NPref,
    QMeasure,
    RelativeRecall,
    RPref,
)
from irpref.errors import (
    QRELS_FIRST,
    ArgumentError,
    ColumnError,
    ConflictError,
    EmptyJudgmentsError,
    InputError,
    JudgmentsError,
    MeasureError,
    NoCommonTopicError,
    RunError,
)
from irpref.messages import forget
from refused import QRELS, RUN, about, mean, refusal, refuses, warns_of


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: Any


@pytest.fixture(autouse=True, params=WAYS)
def looked_up(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every input is refused, or mended, the same whichever way documents are looked up."""
    look_up(monkeypatch, request.param)


# A file refuses some of these rows in its own words, and categories of polars are text.
FORMS = {
    name: form
    for name, form in forms.FORMS.items()
    if name not in ("TREC file", "polars categorical")
}


def as_dict(rows: list) -> dict:
    out: dict = {}
    for query_id, doc_id, value in rows:
        out.setdefault(query_id, {})[doc_id] = value
    return out


every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
every_form_and_dicts = pytest.mark.parametrize(
    "form", [*FORMS.values(), as_dict], ids=[*FORMS, "dicts"]
)


# Scores and grades --------------------------------------------------------------------------------


@every_form_and_dicts
@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
def test_a_score_that_is_no_finite_number(form, score):
    rows = [ScoredDoc("q2", "a", 3.0), ScoredDoc("q1", "b", 2.0), ScoredDoc("q1", "a", score)]
    with refuses(RunError, topic="q1", doc="a") as error:
        mean(QMeasure, QRELS, form(rows))
    assert str(error.value.value) == str(score)


@every_form_and_dicts
@pytest.mark.parametrize("grade", [float("nan"), float("inf")])
def test_a_grade_that_is_no_finite_number(form, grade):
    rows = [Judgment("q1", "b", 0.0), Judgment("q1", "a", grade), Judgment("q2", "a", 2.0)]
    with refuses(JudgmentsError, topic="q1", doc="a") as error:
        mean(QMeasure, form(rows), RUN)
    assert str(error.value.value) == str(grade)


def test_missing_values_of_pandas_and_polars_are_no_numbers():
    rows = [ScoredDoc("q1", "b", 2.0), ScoredDoc("q1", "a", None)]
    for run in (
        rows,
        pd.DataFrame(rows),
        pd.DataFrame(rows).astype({"score": "Float64"}),
        pl.DataFrame(rows, orient="row", schema=list(ScoredDoc._fields)),
        pl.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "score": [None]}),
        as_dict(rows),
    ):
        assert about(refusal(QMeasure, QRELS, run), "topic", "doc") == {"topic": "q1", "doc": "a"}
    judged = [Judgment("q1", "b", 1), Judgment("q1", "a", None)]
    for qrels in (judged, pd.DataFrame(judged).astype({"relevance": "Int64"}), as_dict(judged)):
        assert about(refusal(QMeasure, qrels, RUN), "topic", "doc") == {"topic": "q1", "doc": "a"}


def test_bad_scores_of_topics_without_judgments_are_passed_over():
    assert mean(QMeasure, QRELS, {**RUN, "q9": {"a": float("nan")}}) == mean(QMeasure, QRELS, RUN)


def test_text_is_no_number():
    rows = [ScoredDoc("q1", "b", 2.0), ScoredDoc("q1", "a", "high")]
    place = {"topic": "q1", "doc": "a"}
    for run in (rows, as_dict(rows), pd.DataFrame(rows)):
        with refuses(InputError, **place, column="score", value="high"):
            mean(QMeasure, QRELS, run)
    frame = pl.DataFrame({"query_id": ["q1"], "doc_id": ["a"], "score": ["1.0"]})
    with refuses(ColumnError, column="score", missing=()):
        mean(QMeasure, QRELS, frame)
    judged = [Judgment("q1", "b", 1), Judgment("q1", "a", "yes")]
    with refuses(InputError, **place, column="relevance", value="yes"):
        mean(QMeasure, judged, RUN)


# Repeated rows ------------------------------------------------------------------------------------

REPEATED = [
    ScoredDoc("q1", "b", 2.0),
    ScoredDoc("q1", "a", 1.0),
    ScoredDoc("q2", "a", 3.0),
    ScoredDoc("q1", "b", 0.5),  # now below a
    ScoredDoc("q1", "b", 0.25),
    ScoredDoc("q9", "z", 1.0),  # no topic of the qrels: not counted
    ScoredDoc("q9", "z", 1.0),
]


@every_form
def test_the_last_of_repeated_documents_counts(form):
    evaluator = irpref.evaluator([QMeasure, BprefVariant], QRELS)
    with warns_of(irpref.DuplicateWarning, topic="q1", doc="b") as caught:
        found = evaluator.calc_aggregate(form(REPEATED))
    message = str(caught[0])
    assert "repeats 2 documents" in message
    assert "last row" in message
    last = as_dict(REPEATED)
    assert found == evaluator.calc_aggregate(last)
    # What the host does, so that its measures stay comparable with ours.
    host = ir_measures.calc_aggregate([AP, ir_measures.Bpref], QRELS, REPEATED)
    assert host == ir_measures.calc_aggregate([AP, ir_measures.Bpref], QRELS, last)
    assert host[ir_measures.Bpref] == found[BprefVariant]


def test_ids_that_are_the_same_as_text():
    assert "same id" in str(refusal(QMeasure, QRELS, {1: {"a": 1.0}, "1": {"a": 2.0}}))
    assert "two topics" in str(refusal(QMeasure, {1: {"a": 1}, "1": {"b": 1}}, RUN))
    assert "'1' twice" in str(refusal(QMeasure, {"q1": {1: 1, "1": 2}}, RUN))


JUDGED = [Judgment("q1", "a", 1), Judgment("q1", "b", 0), Judgment("q2", "a", 2)]


@every_form
def test_the_same_judgment_twice_is_one(form):
    rows = [*JUDGED, Judgment("q1", "b", 0), Judgment("q2", "a", 2)]
    measures = [
        QMeasure,
        BprefVariant(norm="N"),
        CRP,
        RPref(max_rel=2, unretrieved="infinity"),
        EMeasure,
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = irpref.evaluator(measures, form(rows)).calc_aggregate(RUN)
    assert found == irpref.evaluator(measures, JUDGED).calc_aggregate(RUN)


@every_form
def test_judgments_that_differ(form):
    with refuses(ConflictError, topic="q1", doc="b", value=(2, 0)) as error:
        mean(QMeasure, form([*JUDGED, Judgment("q1", "b", 2)]), RUN)
    assert "subtopic" in error.value.remedy.effect
    assert "groupby(['query_id', 'doc_id']" in error.value.remedy.effect


def test_what_the_message_advises_works():
    qrels = pd.DataFrame([*JUDGED, Judgment("q1", "b", 2)])
    reduced = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    assert mean(QMeasure, reduced, RUN) == mean(
        QMeasure, {"q1": {"a": 1, "b": 2}, "q2": {"a": 2}}, RUN
    )


# Columns and forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("qrels", [QRELS, JUDGED, pd.DataFrame(JUDGED), pl.DataFrame(JUDGED)])
def test_a_missing_column_of_known_documents(qrels):
    with refuses(MeasureError, measure="Coverage", parameter="known", column="known") as error:
        mean(Coverage, qrels, RUN)
    assert "found: query_id, doc_id, relevance" in str(error.value)
    assert "judgments(qrels, known=...)" in str(error.value)
    with refuses(MeasureError, measure="Coverage(known='seen')@5", column="seen"):
        mean(Coverage(known="seen") @ 5, qrels, RUN)


def test_a_missing_column_of_expected_numbers():
    measure = RelativeRecall(expected="wanted")
    with refuses(
        MeasureError, measure=str(measure), parameter="expected", column="wanted"
    ) as error:
        mean(measure, pd.DataFrame(JUDGED), RUN)
    assert "one number per topic" in str(error.value)


def test_known_documents_are_truth_values():
    qrels = pd.DataFrame(JUDGED)
    with refuses(JudgmentsError, column="known", topic="q1", doc="a", value="yes"):
        mean(Coverage, qrels.assign(known=["yes", "no", "no"]), RUN)
    boolean = pd.array([True, None, False], dtype="boolean")
    for known in (
        [1, 0, 0],
        [True, None, None],
        [1.0, np.nan, 0.0],
        boolean,
    ):  # a missing value means not known
        for measure in (Coverage, Novelty):
            expected = mean(measure, qrels.assign(known=[True, False, False]), RUN)
            assert mean(measure, qrels.assign(known=known), RUN) == expected
            assert mean(measure, pd.concat([qrels.assign(known=known)] * 2), RUN) == expected


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([1, 2, 1], "1, 2"),
        ([0, 0, 1], "0"),
        ([np.nan] * 3, "none"),
        ([np.inf] * 3, "inf"),
        (["x"] * 3, "none"),
    ],
)
def test_expected_numbers_are_one_a_topic(numbers, found):
    measure, qrels = RelativeRecall(expected="wanted"), pd.DataFrame(JUDGED).assign(wanted=numbers)
    with refuses(JudgmentsError, column="wanted", topic="q1") as error:
        mean(measure, qrels, RUN)
    assert str(error.value).endswith(f"found {found}")


def test_missing_columns():
    run = pd.DataFrame([ScoredDoc("q1", "a", 1.0)])
    assert str(refusal(QMeasure, QRELS, run.drop(columns="score"))) == (
        "DataFrame has no column 'score' (or 'rank') (found: query_id, doc_id); "
        "irpref.run(data, columns={'score': 'NAME'}) names it"
    )
    with refuses(ColumnError, missing=("doc_id",)):
        mean(QMeasure, QRELS, run.rename(columns={"doc_id": "doc"}))
    with refuses(ColumnError, missing=("relevance",)):
        mean(QMeasure, pd.DataFrame(JUDGED).rename(columns={"relevance": "points"}), RUN)
    with refuses(ColumnError, missing=("score",)):
        mean(QMeasure, QRELS, pl.DataFrame({"query_id": ["q1"], "doc_id": ["a"]}))


def test_tables_of_another_kind():
    run, topics = pd.DataFrame([ScoredDoc("q1", "a", 1.0)]), pd.DataFrame({"qid": ["q1"]})
    with refuses(ColumnError, header=tuple(run), remedy=QRELS_FIRST) as error:
        mean(QMeasure, run, RUN)
    assert "looks like a run" in error.value.message
    for judged in (JUDGED, pd.DataFrame(JUDGED)):
        with refuses(ColumnError, missing=("score",), remedy=QRELS_FIRST) as error:
            mean(QMeasure, QRELS, judged)
        assert "looks like qrels" in error.value.message
    with refuses(ColumnError, remedy=None) as error:
        mean(QMeasure, topics.assign(query="one"), RUN)
    assert "looks like topics" in error.value.message


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (b"run.txt", "got bytes"),
        (None, "got NoneType"),
        (3.0, "got float"),
        ([("q1", "a")], "first item is a tuple"),
        ({"q1": 3.0}, "topic 'q1' holds a float"),
    ],
)
def test_other_forms_are_a_type_error(run, text):
    with pytest.raises(TypeError, match=re.escape(text)):
        mean(QMeasure, QRELS, run)


# Nothing there ------------------------------------------------------------------------------------


def empty(value: str) -> dict[str, Any]:
    """Runs or qrels without rows, in every form."""
    frame = pd.DataFrame(columns=["query_id", "doc_id", value])
    plain = {
        "dicts": {},
        "empty topic": {"q1": {}},
        "list": [],
        "iterator": iter(()),
        "pandas": frame,
    }
    text = {"query_id": "str", "doc_id": "str", value: float}
    of_polars = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, value: pl.Float64})
    untyped = pl.DataFrame({name: [] for name in frame.columns})
    return plain | {
        "pandas str": frame.astype(text),
        "polars": of_polars,
        "polars without types": untyped,
    }


@pytest.mark.parametrize("form", empty("score"))
def test_an_empty_run_scores_what_an_empty_list_scores(form):
    evaluator = irpref.evaluator([QMeasure, EMeasure, CRP, RPref(max_rel=2)], QRELS)
    found = evaluator.values(empty("score")[form])
    assert {m: v.tolist() for m, v in found.items()} == {
        QMeasure: [0.0, 0.0],
        EMeasure: [1.0, 1.0],
        CRP: [-1.0, -1.0],
        RPref(max_rel=2): [0.0, 0.0],
    }


@pytest.mark.parametrize("form", empty("relevance"))
def test_empty_qrels(form):
    assert type(refusal(QMeasure, empty("relevance")[form], RUN)) is EmptyJudgmentsError


def test_a_topic_without_judgments_among_others():
    qrels = {**QRELS, "q3": {}}  # possible in dicts only
    evaluator = irpref.evaluator([QMeasure, EMeasure, CRP], qrels)
    assert evaluator.topic_ids == ["q1", "q2", "q3"]
    found = evaluator.values({**RUN, "q3": {"a": 1.0}})
    assert [values[2] for values in found.values()] == [
        {"QMeasure": 0.0, "EMeasure": 1.0, "CRP": 0.0}[str(measure)] for measure in found
    ]


@every_form_and_dicts
def test_no_topic_in_common(form):
    run = form([ScoredDoc("x1", "a", 1.0), ScoredDoc("x2", "b", 1.0)])
    with refuses(NoCommonTopicError) as error:
        mean(QMeasure, QRELS, run)
    assert re.findall("'..'", str(error.value)) == ["'x1'", "'x2'", "'q1'", "'q2'"]


@every_form_and_dicts
def test_numbers_as_ids_are_compared_as_text(form):
    qrels = form([Judgment(1, 10, 1), Judgment(1, 9, 0), Judgment(2, 10, 2)])
    run = [ScoredDoc("1", "9", 1.0), ScoredDoc("1", "10", 1.0), ScoredDoc("2", "10", 1.0)]
    evaluator = irpref.evaluator([QMeasure], qrels)
    assert evaluator.topic_ids == ["1", "2"]
    # Equal scores: "9" stands before "10" as text.
    assert evaluator.values(run)[QMeasure].tolist() == [2 / 3, 1.0]
    numbers = form([ScoredDoc(int(q), int(d), s) for q, d, s in run])
    assert irpref.evaluator([QMeasure], as_dict(JUDGED)).topic_ids == ["q1", "q2"]
    assert evaluator.values(numbers)[QMeasure].tolist() == [2 / 3, 1.0]


def test_polars_frames_are_for_our_evaluator():
    with pytest.raises(TypeError, match=r"polars frames, irpref\.evaluator does"):
        ir_measures.calc_aggregate([QMeasure], pl.DataFrame(JUDGED), pl.DataFrame(JUDGED))


def test_parameters_go_by_name():
    with pytest.raises(TypeError, match=r"^RPref .* by name, got 3 \(it takes norm,"):
        RPref(3)


def test_the_host_hands_bad_input_on():
    for measures in ([QMeasure], [QMeasure, EMeasure @ 5]):
        forget()  # else a line is told once
        with pytest.warns(irpref.IrprefWarning, match="in common"):
            found = ir_measures.calc_aggregate(measures, QRELS, {"x": {"a": 1.0}})
        assert found == {
            measure: measure.DEFAULT for measure in measures
        }  # as the host does for its own
        with refuses(RunError, topic="q1", doc="a"):
            ir_measures.calc_aggregate(measures, QRELS, {"q1": {"a": float("nan")}})


# Scale --------------------------------------------------------------------------------------------


def test_a_scale_that_is_not_given_is_taken_from_the_qrels_with_a_warning():
    with warns_of(irpref.ScaleWarning, measure="RPref@5", parameter="max_rel", value=2) as caught:
        value = mean(RPref @ 5, QRELS, RUN)
    assert value == mean(RPref(max_rel=2) @ 5, QRELS, RUN)
    message = str(caught[0])
    assert "write RPref(max_rel=2)@5, or RPref(norm='relative2')@5, which needs no " in message
    assert caught[0].remedy.call == "bind"


def test_the_scale_is_that_of_the_gains_and_at_least_1():
    with warns_of(irpref.ScaleWarning, value=5):
        value = mean(RPref(gains={2: 5}), QRELS, RUN)
    assert value == mean(RPref(gains={2: 5}, max_rel=5), QRELS, RUN)
    with pytest.warns(irpref.ScaleWarning, match="1 is used"):
        mean(RPref, {"q1": {"a": 0.5, "b": 0.25}}, RUN)
    with pytest.warns(irpref.ScaleWarning, match=" 2 is used"):  # a negative grade is no judgment
        mean(RPref(gains={-1: 7}), {"q1": {"a": 2, "b": -1}}, RUN)


def test_each_measure_warns_by_itself():
    with pytest.warns(irpref.ScaleWarning) as caught:
        irpref.evaluator([RPref, NPref(n=3), RPref(max_rel=2), QMeasure], QRELS)
    assert sorted(w.message.measure for w in caught) == ["NPref(n=3)", "RPref"]


def test_bind_fixes_the_scale():
    bound = irpref.bind([RPref, "NPref(n=3)@5", "RPref(max_rel=7)", nDCG @ 5, QMeasure], JUDGED)
    assert bound == [
        RPref(max_rel=2),
        NPref(n=3, max_rel=2) @ 5,
        RPref(max_rel=7),
        nDCG @ 5,
        QMeasure,
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irpref.evaluator([bound[0]], QRELS).calc_aggregate(RUN)


def test_bind_one_measure():
    assert irpref.bind(RPref, QRELS) == RPref(max_rel=2)
    assert irpref.bind("RPref(gains={2:9})", QRELS) == RPref(gains={2: 9}, max_rel=9)
    assert irpref.bind(QMeasure @ 3, QRELS) == QMeasure @ 3
    assert irpref.bind(RPref, {"q": {"a": 0, "b": -1}}) == RPref(max_rel=1)
    with pytest.raises(ValueError, match="names 9 measures"):
        irpref.bind("P", QRELS)
    with pytest.raises(ValueError, match="empty"):
        irpref.bind(RPref, {})


def test_a_collection_without_non_relevant_documents():
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 3}}
    with pytest.warns(irpref.DegenerateWarning) as caught:
        bound = irpref.bind([RPref, BprefVariant, ir_measures.Bpref, QMeasure], qrels)
    assert bound[0] == RPref(max_rel=3)
    assert [w.message.measure for w in caught] == ["RPref", "BprefVariant", "Bpref"]
    assert "non-relevant" in str(caught[0].message)


# Known documents ----------------------------------------------------------------------------------


def test_known_documents_by_topic():
    known = {"q1": ["b", "zzz"], "q2": "a", "q9": ["a"]}
    frame = irpref.judgments(QRELS, known=known).frame()
    assert list(frame.columns) == ["query_id", "doc_id", "relevance", "known"]
    assert dict(zip(zip(frame.query_id, frame.doc_id, strict=True), frame.known, strict=True)) == {
        ("q1", "a"): False,
        ("q1", "b"): True,
        ("q2", "a"): True,
    }
    assert Coverage.evaluate(frame, RUN) == {"q1": 0.0, "q2": 1.0}


def test_known_documents_of_another_run():
    assert irpref.judgments(QRELS, known=(RUN, 1)).frame().known.tolist() == [False, True, True]
    assert irpref.judgments(QRELS, known=(RUN, 10)).frame().known.all()


def test_known_documents_as_judgments():
    grades = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
    for known in (grades, pd.DataFrame(JUDGED), irpref.judgments(grades)):
        assert len(irpref.judgments(QRELS, known=known).frame()) == 3
    assert irpref.judgments(QRELS, known=grades).frame().known.tolist() == [True, False, True]


def test_known_documents_leave_the_input_alone():
    frame = pd.DataFrame(JUDGED)
    before = frame.copy()
    irpref.judgments(frame, known={"q1": ["a"]})
    pd.testing.assert_frame_equal(frame, before)


def test_known_documents_that_nobody_judged_are_refused():
    for known in ({"x": ["a"]}, {}, {"q1": ["zzz"]}, {"q1": {"a": 0}}):
        with refuses(ArgumentError, parameter="known"):
            irpref.judgments(QRELS, known=known)
    frame = pd.DataFrame(JUDGED)
    with refuses(ColumnError, missing=("query_id",)):
        irpref.judgments(frame.rename(columns={"query_id": "topic"}), known={"q1": ["a"]})
    with pytest.raises(TypeError, match="got int"):
        irpref.judgments(QRELS, known=3)


def test_ids_of_mixed_types_in_a_long_run_are_found():
    run = {"q1": {"first": 100.0, **{i: float(-i) for i in range(50)}}}
    assert irpref.RecallEffort.evaluate({"q1": {7: 1}}, run) == {"q1": 1 / 9}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: irpref.evaluator({"q": {"a": 1}}, ["AP"]),
            "measures or their names, which come first, got dict",
        ),
        (
            lambda: irpref.evaluator(pd.DataFrame({"query_id": []}), ["AP"]),
            "which come first, got DataFrame",
        ),
        (
            lambda: irpref.evaluator("AP", {"q": {"a": 1}}).values(io.StringIO("q Q0 a 1 1 t")),
            "of a file give the path",
        ),
        (lambda: irpref_lab.leaderboard("AP", {"q": {"a": 1}}, "my.run"), r"one run: \['my.run'\]"),
        (
            lambda: irpref.score("AP", [[1, 0], [1]], [[2, 1], [1, 0]]),
            "rows of different lengths: fill them with NaN",
        ),
    ],
)
def test_what_newcomers_type_is_told_in_a_sentence(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        call()
