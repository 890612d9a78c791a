"""What values can rest on, topic by topic."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import irpref
import irpref_lab
from irpref.observed.gathering import gathered, repeats_in
from irpref.observed.scales import grade_correlation
from irpref.observed.sensitivity import sees_grades
from irpref.observed.streamed import late_by

MEASURES = ("AP", "P@5", "R@100", "RR", "nDCG@10", "RPref(max_rel=5)", "QMeasure", "infAP")


def ranking(*docs):
    """A ranking of documents, best first."""
    return {doc: -float(rank) for rank, doc in enumerate(docs)}


# The codes that say of a topic that its value is no evidence.
OF_TOPICS = (
    *("unanswerable", "unanswered", "changed-ids", "out-of-reach", "unseen", "blind", "shallow"),
)


def evidence(*arguments, **more):
    """What is found of topics."""
    found = irpref.evidence(*arguments, **more)
    return found[found["code"].isin(OF_TOPICS)].reset_index(drop=True)


def codes(*arguments, **more):
    """The codes that are found, each with the number of its topics."""
    found = evidence(*arguments, **more)
    return dict(zip(found["code"], found["topics"], strict=True))


SOME = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
FULL = {"one": {topic: ranking("a", "b") for topic in SOME}}


def test_nothing_is_found_where_nothing_is_missing():
    assert codes(["AP", "nDCG@2", "RR"], SOME, FULL) == {}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_topic_without_a_positive_grade_is_unanswerable(measure):
    qrels = SOME | {"q3": {"a": 0, "b": -1}}
    runs = {"one": {topic: ranking("a", "b") for topic in qrels}}
    found = evidence(measure, qrels, runs).set_index("code").loc["unanswerable"]
    assert (found["topics"], found["example"], found["run"]) == (1, "q3", None)


@pytest.mark.parametrize(
    ("measure", "grades", "topics"),
    [
        ("AP(rel=3)", (1, 2), 2),
        ("AP(rel=2)", (1, 2), 1),
        ("AP", (0.8, 0), 1),
        ("nDCG(gains={1:0,2:0})", (1, 2), 2),
        ("infAP(rel=3)", (1, 2), 2),
        ("nDCG", (0.8, 0.5), 0),
        ("RPref(max_rel=1)", (0.8, 0.5), 0),
    ],
)
def test_grades_that_do_not_count_are_out_of_reach(measure, grades, topics):
    qrels = {f"q{grade}": {"a": grade, "b": 0} for grade in grades}
    runs = {"one": {topic: ranking("a", "b") for topic in qrels}}
    assert codes(measure, qrels, runs).get("out-of-reach", 0) == topics


def test_preferences_need_two_grades():
    assert codes("PrefShare", {"q": {"a": 1, "b": 1}}, {"one": {"q": ranking("a", "b")}}) == {
        "out-of-reach": 1
    }


def test_a_topic_without_documents_is_unanswered():
    found = evidence("AP", SOME, {"one": {"q1": ranking("a", "b")}} | {"two": FULL["one"]})
    (row,) = found.to_dict("records")
    assert (row["run"], row["code"], row["topics"], row["example"]) == (
        "one",
        "unanswered",
        1,
        "q2",
    )
    assert row["text"].startswith("one has no documents for 1 of 2 topics")


def test_a_run_of_other_topics_or_of_none_is_evidence_and_no_error():
    for run in ({}, {"other": ranking("a")}, pd.DataFrame(columns=["query_id", "doc_id", "score"])):
        for measure in ("AP", "infAP"):
            assert codes(measure, SOME, {"one": run}) == {"unanswered": 2, "unseen": 2}


def test_a_topic_is_unseen_if_no_run_has_a_judged_document_there():
    one, two = ({topic: ranking(doc) for topic in SOME} for doc in ("x", "y"))
    assert codes("AP", SOME, {"one": one, "two": two}) == {"unseen": 2}
    two["q1"] = ranking("b")
    found = evidence("AP", SOME, {"one": one, "two": two})
    assert found[["code", "run", "topics"]].values.tolist() == [
        ["unseen", None, 1],
        ["unseen", "one", 2],
    ]


@pytest.mark.parametrize(
    ("measure", "topics"),
    [
        *((name, 1) for name in ("AP", "P@2", "RR", "R@2", "infAP", "Success@2")),
        *((name, 0) for name in ("AP(rel=3)", "nDCG@2", "QMeasure", "RPref(max_rel=5)", "nCRP")),
    ],
)
def test_a_measure_is_blind_to_grades_that_all_count(measure, topics):
    qrels = {"q": {"a": 5, "b": 1, "c": 3}}
    runs = {"one": {"q": ranking("a", "b")}, "two": {"q": ranking("b", "a")}}
    assert codes(measure, qrels, runs).get("blind", 0) == topics
    # Half of what the runs retrieve is judged, then less than half.
    for other, expected in ((("x", "a"), topics), (("x", "y"), 0)):
        some = {"one": {"q": ranking("a", "x")}, "two": {"q": ranking(*other)}}
        assert codes(measure, qrels, some).get("blind", 0) == expected


@pytest.mark.parametrize("measure", ["Bpref", "Bpref(rel=2)", "RPref(max_rel=5)"])
def test_a_measure_that_leaves_out_unjudged_documents_is_blind_without_a_non_relevant_one(measure):
    runs = {"one": {"q": ranking("x", "y", "z", "a")}}
    assert "blind" in codes(measure, {"q": {"a": 2, "b": 2}}, runs)
    assert "blind" not in codes(measure, {"q": {"a": 2, "b": 0}}, runs)
    grades = {"q": {"a": 3, "b": 2}}
    assert ("blind" in codes(measure, grades, runs)) == measure.startswith("Bpref")


@pytest.mark.parametrize("measure", ["NumRet", "Judged@10", "RBPResidual", "NumQ", "Judged@5"])
def test_a_measure_that_does_not_depend_on_grades_is_not_blind(measure):
    qrels = {f"q{t}": {f"d{i}": i % 4 for i in range(12)} for t in range(12)}
    run = {topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in qrels.items()}
    assert "blind" not in evidence(measure, qrels, {"run": run})["code"].tolist()


def test_a_measure_of_your_own_may_need_more_than_two_documents():
    def three_relevant(qrels, run):
        relevant = set(qrels.loc[qrels["relevance"] > 0, "doc_id"])
        return float(len(relevant & set(run["doc_id"])) >= 3)

    measure = ir_measures.define_byquery(three_relevant, name="Three")
    qrels = {f"q{t}": {f"d{i}": 3 - i % 4 for i in range(12)} for t in range(12)}
    run = {topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in qrels.items()}
    pool = irpref.judgments(qrels).pool()
    assert sees_grades(measure, pool)
    assert not sees_grades(irpref.parse("Judged@10"), pool)
    assert evidence([measure], qrels, {"run": run}).empty
    assert irpref_lab.gate([measure], qrels, run, run).verdict == "pass"


def test_one_grade_alone_is_not_blindness():
    # As in MS MARCO: only relevant documents are judged, and all of them have the same grade.
    assert "blind" not in codes("AP", {"q": {"a": 1}}, {"one": {"q": ranking("a")}})


def test_depth_is_that_of_the_measure_or_of_the_other_run():
    long, short = (ranking("a", *(f"x{i}" for i in range(n))) for n in (99, 19))
    qrels = {"q": {"a": 1, "b": 0}}
    both = {"deep": {"q": long}, "top": {"q": short}}
    for measure, text in (
        ("R@100", "top has 20 documents for the topic, and R@100 looks at the first 100"),
        (
            "AP",
            "top has 20 documents for the topic, fewer than half as many as another run, and AP looks "
            "at all ranks",
        ),
    ):
        (row,) = evidence(measure, qrels, both).to_dict("records")
        assert (row["run"], row["code"]) == ("top", "shallow")
        assert row["text"].startswith(text)
    assert codes("R@20", qrels, both) == {}
    # Queries with few answers in a run that is deep elsewhere.
    qrels = {"q": {"a": 1}, "rare": {"a": 1}}
    runs = {name: {"q": long, "rare": short} for name in ("one", "two")}
    assert codes("R@100", qrels, runs) == {}
    assert codes("R@100", qrels, {name: {"q": short, "rare": short} for name in runs}) == {
        "shallow": 2
    }
    assert (
        gathered(["R@100"], irpref.judgments(qrels), runs, depth=20).looks_at(irpref.parse("R@100"))
        == 20
    )


def test_groups_are_counted_each():
    groups = {"q1": "easy", "q2": "hard"}
    found = evidence("AP", SOME, {"one": {"q1": ranking("a")}}, groups=groups)
    assert found[["group", "code", "topics"]].values.tolist() == [
        ["hard", "unanswered", 1],
        ["hard", "unseen", 1],
    ]


def test_several_runs_of_a_system_are_one():
    one, two = ({topic: ranking(*docs) for topic in SOME} for docs in ("ab", "ba"))
    facts = gathered(["AP"], SOME, {"llm": [one, two]})
    assert facts.values(facts.measures[0]).tolist() == [[0.75, 0.75]]
    found = evidence("AP", SOME, {"llm": [one, {"q2": ranking("a")}]})
    assert found[["run", "code", "topics"]].values.tolist() == [["llm", "unanswered", 1]]


def test_which_lists_are_several_runs():
    records = [("q", "a", 1.0)]
    assert repeats_in(records) == [records]
    assert repeats_in(["a.run", "b.run"]) == ["a.run", "b.run"]
    assert len(repeats_in([{"q": {}}, {"q": {}}])) == 2
    assert len(repeats_in([pd.DataFrame(), pd.DataFrame()])) == 2
    assert repeats_in({"q": {}}) == [{"q": {}}]


def test_no_two_topics_influence_each_other():
    rng = np.random.default_rng(0)
    qrels = {
        f"q{t}": {f"d{i}": int(rng.integers(-1, 4)) for i in range(rng.integers(1, 6))}
        for t in range(30)
    }
    run = {topic: ranking(*rng.permutation(8).astype(str)) for topic in qrels}
    run = {topic: {f"d{doc}": score for doc, score in docs.items()} for topic, docs in run.items()}
    measures = ["AP(rel=2)", "P@3", "nDCG@3", "RPref(max_rel=3)"]
    whole = evidence(measures, qrels, {"one": run})
    alone = pd.concat(
        evidence(measures, {topic: qrels[topic]}, {"one": {topic: run[topic]}}) for topic in qrels
    )
    # A run whose only topic has no judged document says so itself.
    whole, alone = (found[found["code"] != "unseen"].copy() for found in (whole, alone))
    for found in (whole, alone):
        found["measure"] = found["measure"].fillna("any")
    counted = alone.groupby(["measure", "code"])["topics"].sum().to_dict()
    assert whole.set_index(["measure", "code"])["topics"].to_dict() == counted


def test_the_rank_correlation_of_a_short_run_by_hand():
    # Grades 2, 1, 0, 0 have centred ranks 3/2, 1/2, -1, -1. The run ranks c and a, so that c, a and
    # the two others have 3/2, 1/2, -1, -1: -1/4 over 9/2.
    qrels = {"t": {"a": 2, "b": 1, "c": 0, "d": 0}}
    judged = irpref.evaluator(["AP"], qrels)
    found = grade_correlation(judged.align({"t": {"c": 2.0, "a": 1.0}}))
    assert found.tolist() == pytest.approx([-1 / 18])


def test_the_rank_correlation_of_many_judgments_is_that_of_each_topic():
    # So many that the topics are looked at in several batches.
    rng = np.random.default_rng(5)
    n_topics, n_docs = 30, 10_000
    docs = [f"d{i}" for i in range(n_docs)]
    grades = rng.integers(0, 4, (n_topics, n_docs))
    ranks = np.argsort(np.argsort(rng.random((n_topics, n_docs)), axis=1), axis=1)
    ids = [f"t{t}" for t in range(n_topics)]
    qrels = {
        t: dict(zip(docs, row, strict=True)) for t, row in zip(ids, grades.tolist(), strict=True)
    }
    run = {
        t: dict(zip(docs, row, strict=True)) for t, row in zip(ids, (-ranks).tolist(), strict=True)
    }
    judged = irpref.evaluator(["AP"], qrels).align(run)
    assert len(list(judged.batches())) > 1
    expected = [spearmanr(g, -r).statistic for g, r in zip(grades, ranks, strict=True)]
    by_id = dict(zip(ids, expected, strict=True))
    in_order = [by_id[topic] for topic in judged.pool.topic_ids]
    assert grade_correlation(judged) == pytest.approx(in_order, abs=1e-12)
    # Relevant documents beyond the middle, in standard errors of the mean over the topics.
    beyond = (
        np.array([((r + 0.5) / n_docs)[g > 0].mean() for g, r in zip(grades, ranks, strict=True)])
        - 0.5
    )
    errors = beyond.mean() / (beyond.std(ddof=1) / n_topics**0.5)
    assert late_by(judged) == pytest.approx(max(errors, 0.0), abs=1e-9)
