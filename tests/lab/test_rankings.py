"""Tables of the first ranks of runs, and of the shares of unjudged documents."""

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref_lab.page.rankings import rankings, unjudged_by_rank

QRELS = {"q1": {"a": 2, "b": 1, "n": 0}, "q2": {"a": 0}}
RUN = {"q1": {"a": 5, "u": 4, "n": 4, "b": 1, "v": 1}, "q2": {"a": 1}}
OTHER = {"q1": {"n": 2, "b": 1}, "elsewhere": {"a": 1}}


def test_documents_grades_and_ties():
    table = rankings("nDCG@10", QRELS, {"run": RUN, "other": OTHER}, depth=4)
    own = table[(table["run"] == "run") & (table["query_id"] == "q1")]
    assert own["doc_id"].tolist() == ["a", "u", "n", "v"]
    assert own["rank"].tolist() == [1, 2, 3, 4]
    assert own["score"].tolist() == [5, 4, 4, 1]
    assert own["grade"].isna().tolist() == [False, True, False, True]
    # b, with the score of v, is below the last rank.
    assert own["tie"].tolist() == [0, 1, 1, 2]
    assert own["retrieved"].tolist() == [5] * 4
    assert not table["filled"].any()
    assert set(table["query_id"]) == {"q1", "q2"}
    assert table.attrs["relevant"] == {"q1": 2, "q2": 0}


def test_contributions_are_those_of_explain():
    measures = ["RPref(max_rel=2)", "EMeasure@3", "QMeasure"]
    table = rankings(measures, QRELS, {"run": RUN})
    assert table.attrs["explained"] == ["RPref(max_rel=2)", "QMeasure"]
    for measure in table.attrs["explained"]:
        for topic, own in table.groupby("query_id"):
            explained = irpref.explain(measure, QRELS, RUN, topic)
            explained = explained[explained["rank"].notna()].set_index("doc_id")
            own = own.set_index("doc_id")
            contribution = own[f"contribution {measure}"]
            assert np.allclose(contribution, explained.loc[own.index, "contribution"])
            assert own[f"reason {measure}"].tolist() == explained.loc[own.index, "why"].tolist()
    assert rankings(measures, QRELS, {"run": RUN}, n_explained=1).attrs["explained"] == [
        "RPref(max_rel=2)"
    ]


def test_filled_grades_are_marked():
    judge = {"q1": {"u": 1, "a": 2, "b": 1, "n": 0}, "q2": {"a": 0}}
    table = rankings("AP", irpref_lab.fill(QRELS, judge), {"run": RUN})
    assert table.loc[table["filled"], ["query_id", "doc_id"]].values.tolist() == [["q1", "u"]]
    assert table.attrs["least"] == 1


def test_runs_that_answer_no_topic_have_no_rows():
    assert rankings("AP", QRELS, {"none": {}}).empty
    table = rankings("AP", QRELS, {"none": {"elsewhere": {"a": 1}}, "run": RUN})
    assert set(table["run"]) == {"run"}


def test_shares_of_unjudged_documents():
    table = unjudged_by_rank(QRELS, {"run": RUN, "other": OTHER}, ranks=[1, 3, 10])
    expected = pd.DataFrame(
        {
            "run": ["run", "run", "other", "other"],
            "rank": [1, 3, 1, 3],
            "documents": [2, 2, 1, 1],
            "unjudged": [0.0, 0.5, 0.0, 0.0],
        }
    )
    pd.testing.assert_frame_equal(table, expected)


def test_preferences_have_no_unjudged_shares():
    rows = pd.DataFrame(
        [
            {"query_id": "q", "group": "g", "subgroup": s, "doc_id": d, "relevance": r}
            for s, d, r in [("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 0.0), ("2", "c", 1.0)]
        ]
    )
    with pytest.raises(ValueError, match="preferences"):
        unjudged_by_rank(rows, {"run": {"q": {"a": 1}}})


def test_everyday_measures_are_explained_beside_ours():
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    table = rankings(["nDCG@10", "AP", "Bpref"], qrels, {"run": run})
    assert table.attrs["explained"] == ["nDCG@10", "AP"]
    assert table["contribution AP"].tolist() == [0, 1 / 2 / 2, pytest.approx(2 / 3 / 2)]
    assert table["reason AP"][2].endswith("2 of the first 3")
