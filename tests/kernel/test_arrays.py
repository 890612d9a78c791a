"""Values from arrays are those of the same judgments and run with ids that rise with the columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from irpref import BprefVariant, RPref, ScaleWarning

NAN = float("nan")
MEASURES = (
    *(
        "AP",
        "nDCG@3",
        "RR",
        "RR@2",
        "Bpref",
        "Judged@2",
        "SetF",
        "P@2",
        "Rprec",
        "AP(judged_only=True)",
    ),
    *(
        "RPref(max_rel=3)",
        "NPref(n=4,max_rel=3)@5",
        "BprefVariant",
        "QMeasure@4",
        "PPlus(judged_only=True)",
        "NCU",
    ),
    *("CRP", "nCRP", "CRPRecovery", "Twist", "EMeasure", "RelativeRecall", "OriginalNDCG"),
)


@st.composite
def matrices(draw):
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 7)))
    cell = st.sampled_from((NAN, 0.0, 1.0, 2.0, 3.0, -1.0, 0.5))
    score = st.sampled_from((NAN, 0.0, -1.0, 2.5, 16777216.0, 16777217.0))
    return tuple(
        np.array(
            draw(st.lists(of, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
        ).reshape(shape)
        for of in (cell, score)
    )


@given(matrices(), st.sampled_from(MEASURES))
def test_arrays_and_ids_have_the_same_values(both, measure):
    grades, scores = both
    found = irpref.score(measure, grades, scores)
    assert found.shape == grades.shape[:1]
    for row, value in enumerate(found.tolist()):
        qrels = {"q": {str(d): g for d, g in enumerate(grades[row].tolist()) if g == g}}
        run = {"q": {str(d): s for d, s in enumerate(scores[row].tolist()) if s == s}}
        if not qrels["q"]:
            assert np.isnan(value)
            continue
        # Their own words for a run without a document: no topic at all.
        made = irpref.evaluator([measure], qrels)
        (expected,) = made.values(run if run["q"] else {}).values()
        assert value == expected[0]


def test_of_equal_scores_the_later_column_stands_first():
    assert irpref.score("RR", [[1, 0, 0]], [[5, 5, 5]]).tolist() == [1 / 3]
    assert irpref.score("RR", [[0, 0, 1]], [[5, 5, 5]]).tolist() == [1]


def test_a_topic_without_judgments_has_no_value():
    found = irpref.score(BprefVariant, [[NAN, NAN], [1, 0]], [[1, 2], [2, 1]])
    np.testing.assert_array_equal(found, [NAN, 1.0])
    assert np.isnan(irpref.score("AP", np.full((2, 3), NAN), np.ones((2, 3)))).all()
    assert irpref.score("AP", np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)


def test_what_is_masked_is_not_there():
    grades = np.ma.masked_array([[1, 1, 0]], mask=[[0, 1, 0]])
    scores = np.ma.masked_array([[1, 2, 3]], mask=[[0, 0, 1]])
    assert (
        irpref.score("AP", grades, scores).tolist()
        == irpref.score("AP", [[1, NAN, 0]], [[1, 2, NAN]]).tolist()
    )
    assert irpref.score("AP", grades, scores).tolist() == [0.5]


def test_the_scale_is_taken_from_these_grades_with_a_warning():
    with pytest.warns(ScaleWarning, match="2 is used"):
        found = irpref.score("RPref", [[2, 1, 0]], [[1, 2, 3]])
    assert found.tolist() == irpref.score(RPref(max_rel=2), [[2, 1, 0]], [[1, 2, 3]]).tolist()


@pytest.mark.parametrize(
    ("measure", "grades", "scores", "text"),
    [
        ("AP", [[1]], [[1, 2]], r"grades have the shape \(1, 1\), scores \(1, 2\)"),
        ("AP", [1, 2], [1, 2], r"expected numbers of the shape \(n_topics, n_docs\)"),
        ("AP", [["1"]], [[1]], "grades: expected numbers"),
        ("AP", [[1, 0]], [[1, float("inf")]], r"scores\[0, 1\] is inf"),
        ("infAP", [[1]], [[1]], "infAP is computed by another provider"),
        (
            "Coverage",
            [[1]],
            [[1]],
            "reads the column 'known' of the qrels, which arrays do not have",
        ),
        ("P@5,10", [[1]], [[1]], "names 2 measures"),
    ],
)
def test_what_is_refused(measure, grades, scores, text):
    with pytest.raises(ValueError, match=text):
        irpref.score(measure, grades, scores)
