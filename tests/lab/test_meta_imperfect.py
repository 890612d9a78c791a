"""Imperfect judgments against a slow reference: changed files, evaluated one by one."""

from collections import Counter

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RR, Bpref, nDCG
from test_meta_incompleteness import collection

import irpref
from irpref import CRP, QMeasure, RPref
from irpref.errors import ArgumentError, JudgmentsError
from irpref_lab.meta import incompleteness, robustness
from irpref_lab.meta.losses import Loss

# Ours, everyday ones, one whose provider is another, and one with further columns in its pool.
MEASURES = [AP, nDCG @ 10, Bpref, RPref(max_rel=2), QMeasure, CRP, RR, ir_measures.SetF]


def reference(qrels, runs):
    """Means by the ordinary way, for judgments and runs as they are written down."""
    evaluator = irpref.evaluator(MEASURES, qrels)
    return {
        (str(measure), name): float(np.mean(values))
        for name, run in runs.items()
        for measure, values in evaluator.values(run).items()
    }


def compare(result, changed):
    """The means of a result are those of what `changed(level, sample)` writes down."""
    parts = result.means.groupby(["level", "sample"])
    assert len(parts) > 3
    for (level, sample), part in parts:
        expected = reference(*changed(level, sample))
        for row in part.itertuples():
            assert row.mean == pytest.approx(expected[row.measure, row.system], abs=1e-12), row


def lost(qrels, **options):
    """The loss, to know what it draws."""
    pool = irpref.judgments(qrels).pool()
    return Loss(pool, {}, [50], 9, **options), pool


def graded(pool, grade):
    """Grades of the rows of a pool as a mapping of mappings."""
    out = {topic: {} for topic in pool.topic_ids}
    for topic, doc, value in zip(
        pool.judged.topic.tolist(), pool.doc_ids.tolist(), grade.tolist(), strict=True
    ):
        out[pool.topic_ids[topic]][doc] = int(value)
    return out


def test_documents_that_are_gone_are_in_no_run_and_their_judgments_stay():
    qrels, runs = collection(2)
    every = sorted(
        {doc for part in (qrels, *runs.values()) for docs in part.values() for doc in docs}
    )

    def changed(level, sample):
        place = np.random.default_rng([9, sample]).permutation(len(every)).tolist()
        number = int(level * len(every) / 100 + 0.5)
        there = {doc for doc, at in zip(every, place, strict=True) if at < number}
        assert len(there) == number
        return qrels, {
            name: {t: {d: s for d, s in docs.items() if d in there} for t, docs in run.items()}
            for name, run in runs.items()
        }

    compare(
        incompleteness(
            MEASURES, qrels, runs, levels=(60, 15), n_samples=2, rng=9, loss="documents"
        ),
        changed,
    )


def test_grades_change_to_a_neighbouring_one():
    qrels, runs = collection(3, grades=(0, 1, 3))
    qrels["q1"].update({"neg1": -1, "neg2": -2})
    loss, pool = lost(qrels, loss="flip")
    scale = [0, 1, 3]
    before = set()
    for level in (90, 50, 20, 0):
        grade = graded(pool, loss.keep(level, 0).grade)
        moved = set()
        for topic, docs in qrels.items():
            there = {doc: g for doc, g in docs.items() if g >= 0}
            other = {doc for doc, g in docs.items() if grade[topic][doc] != g}
            assert len(other) == len(there) - int(level * len(there) / 100 + 0.5)
            assert other <= set(there)
            for doc in other:
                steps = scale.index(grade[topic][doc]) - scale.index(docs[doc])
                assert abs(steps) == 1
            moved |= {(topic, doc) for doc in other}
        assert before <= moved  # what is wrong at a level is wrong at a lower one
        before = moved
    loss, pool = lost(qrels, loss="flip")
    del qrels["q1"]["neg1"], qrels["q1"]["neg2"]
    loss, pool = lost(qrels, loss="flip")
    compare(
        incompleteness(MEASURES, qrels, runs, levels=(60, 0), n_samples=2, rng=9, loss="flip"),
        lambda level, sample: (
            qrels if level == 100 else graded(pool, loss.keep(level, sample).grade),
            runs,
        ),
    )


def test_grades_in_the_middle_of_the_scale_go_up_as_often_as_down():
    qrels = {"q": {f"d{i}": 1 for i in range(400)} | {"a": 0, "b": 2}}
    loss, pool = lost(qrels, loss="flip")
    grades = Counter(graded(pool, loss.keep(0, 0).grade)["q"].values())
    assert 150 < grades[0] < 250
    assert grades[0] + grades[2] == 400


def test_topics_have_the_grades_of_one_of_several_assessors():
    qrels, runs = collection(4)
    rng = np.random.default_rng(0)
    first, second = (
        {
            t: {d: int(rng.integers(3)) for d in docs if rng.random() < 0.8}
            for t, docs in qrels.items()
        }
        for _ in range(2)
    )
    first["q2"] = {}  # one of them did not judge a topic, and the other judged one more
    second["q77"] = {"d1": 1}
    topics = sorted(qrels)

    def changed(level, sample):
        draw = np.random.default_rng([9, sample])
        place, who = draw.permutation(len(topics)), draw.integers(2, size=len(topics))
        number = int(level * len(topics) / 100 + 0.5) if level < 100 else len(topics)
        out = {}
        for i, topic in enumerate(topics):
            theirs = (first, second)[who[i]][topic] if place[i] >= number else {}
            out[topic] = {doc: theirs.get(doc, grade) for doc, grade in qrels[topic].items()}
        return out, runs

    judges = [first, second]
    compare(
        incompleteness(
            MEASURES, qrels, runs, levels=(50, 0), n_samples=3, rng=9, loss="judges", judges=judges
        ),
        changed,
    )


@pytest.mark.parametrize("loss", ["documents", "flip", "judges"])
def test_with_intervals_the_ranking_is_that_of_the_means(loss):
    qrels, runs = collection(5, n_topics=8)
    judges = {"judges": [collection(6, n_topics=8)[0]]} if loss == "judges" else {}
    settings = {"levels": (50,), "n_samples": 3, "rng": 4, "loss": loss, **judges}
    result = robustness(["AP", "RPref(max_rel=2)"], qrels, runs, **settings)
    simple = incompleteness(["AP", "RPref(max_rel=2)"], qrels, runs, **settings).samples()
    for i, measure in enumerate(result.measures):
        part = simple[(simple["measure"] == measure) & (simple["level"] == 50)]
        assert result.outcomes[50, "own"].samples[i] == pytest.approx(part["tau"].to_numpy())
    assert 0 < result.judgments[50] < result.judgments[100]


@pytest.mark.parametrize(
    ("parameter", "options"),
    [
        ("loss", {"loss": "document"}),
        ("judges", {"loss": "judges"}),
        ("judges", {"judges": [{"q1": {"d1": 1}}]}),
        ("judges", {"loss": "judges", "judges": [{"z": {"d1": 1}}]}),
        ("least", {"loss": "flip", "least": (2, 2)}),
        ("levels", {"loss": "documents", "levels": (0,)}),
    ],
)
def test_what_does_not_fit_is_said(parameter, options):
    qrels, runs = collection()
    with pytest.raises(ArgumentError) as error:
        incompleteness(["AP"], qrels, runs, **options)
    assert error.value.parameter == parameter


def test_one_grade_has_no_neighbour():
    runs = {name: {"1": {"a": 1.0}} for name in "xy"}
    with pytest.raises(JudgmentsError, match="one grade only"):
        incompleteness(["AP"], {"1": {"a": 1, "b": 1}}, runs, loss="flip")


def test_a_results_file_keeps_the_judges_apart(tmp_path):
    qrels, runs = collection()
    path = tmp_path / "means.jsonl"
    settings = {"levels": (50,), "n_samples": 1, "loss": "judges", "output": path}
    one = incompleteness(["AP"], qrels, runs, judges=[collection(7)[0]], **settings).means
    lines = path.read_text().count("\n")
    other = incompleteness(["AP"], qrels, runs, judges=[collection(8)[0]], **settings).means
    assert path.read_text().count("\n") == 2 * lines
    assert not one.equals(other)
