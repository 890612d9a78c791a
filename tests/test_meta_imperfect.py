"""Imperfect judgments: documents that are gone, judges who disagree."""

from collections import Counter

import ir_measures
import numpy as np
import pytest

import irpref
from irpref.judged.align import judge
from irpref.judged.pool import Pool
from irpref.meta import incompleteness
from irpref.meta.imperfect import Regraded, exchanged
from irpref.meta.incompleteness import Thinning
from test_meta_incompleteness import MEASURES, collection


def ordinary(measure, qrels, run):
    """Mean by the host's path, on the scale of the whole collection."""
    measure = irpref.parse(measure)
    if str(measure) == "RPref(norm='relative')":
        measure = measure(max_rel=2)
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


def grades_after(qrels, rel, level, seed, sample):
    """Judgments with grades exchanged, as dictionaries."""
    pool = Pool.build(qrels)
    place = Thinning(pool, rel, (0, 0), np.random.default_rng([seed, sample])).place
    out = {t: {} for t in pool.topic_ids}
    for t, doc, grade in zip(
        pool.judged.topic.tolist(), pool.doc_ids, exchanged(pool, rel, place, level).tolist(), strict=True
    ):
        out[pool.topic_ids[t]][doc] = int(grade)
    return out


@pytest.mark.parametrize("stale", [True, False])
def test_documents_that_are_gone_are_in_no_run(stale):
    qrels, runs = collection(2)
    found = incompleteness(
        MEASURES, qrels, runs, levels=(60, 15), n_samples=2, rng=9, loss="documents", stale_judgments=stale
    ).means
    everything = sorted({doc for of in (qrels, *runs.values()) for docs in of.values() for doc in docs})
    for (level, sample), part in found.groupby(["level", "sample"]):
        order = np.random.default_rng([9, sample]).permutation(len(everything))
        number = int(np.floor(level * len(everything) / 100 + 0.5))
        there = {doc for doc, place in zip(everything, order.tolist(), strict=True) if place < number}
        assert len(there) == number
        left = qrels if stale else {t: {d: g for d, g in docs.items() if d in there} for t, docs in qrels.items()}
        for row in part.itertuples():
            run = {t: {d: s for d, s in docs.items() if d in there} for t, docs in runs[row.system].items()}
            assert row.mean == pytest.approx(ordinary(row.measure, left, run), abs=1e-12), row


def test_judges_who_disagree_exchange_grades():
    qrels, _ = collection(3)
    qrels["q1"].update({"neg1": -1, "neg2": -1})
    before = set()
    for level in (100, 80, 50, 10):
        changed = grades_after(qrels, 1, level, 0, 0)
        moved = set()
        for topic, docs in qrels.items():
            assert Counter(changed[topic].values()) == Counter(docs.values())
            relevant = [doc for doc, grade in docs.items() if grade >= 1]
            others = [doc for doc, grade in docs.items() if grade == 0]
            lost = {doc for doc in relevant if changed[topic][doc] < 1}
            assert len(lost) == min(int((100 - level) * len(relevant) / 100 + 0.5), len(others))
            assert all(changed[topic][doc] == grade for doc, grade in docs.items() if grade < 0)
            moved |= {(topic, doc) for doc in docs if changed[topic][doc] != docs[doc]}
        assert before <= moved  # what is exchanged at a higher level is so at a lower one
        before = moved
    assert before


def test_means_are_those_of_the_ordinary_path_on_exchanged_grades():
    qrels, runs = collection(4)
    found = incompleteness(MEASURES, qrels, runs, levels=(70, 20), n_samples=2, rng=5, loss="flip").means
    for (level, sample), part in found.groupby(["level", "sample"]):
        changed = grades_after(qrels, 1, level, 5, sample) if level < 100 else qrels
        for row in part.itertuples():
            assert row.mean == pytest.approx(ordinary(row.measure, changed, runs[row.system]), abs=1e-12), row


def test_a_second_set_of_judgments_replaces_the_first():
    qrels, runs = collection(5)
    rng = np.random.default_rng(1)
    second = {t: {doc: int(rng.integers(0, 3)) for doc in docs} for t, docs in qrels.items()}
    asked = {"loss": "judges", "second": second, "levels": (50, 0), "n_samples": 2, "rng": 0}
    found = incompleteness(MEASURES, qrels, runs, **asked).means
    for level, judgments in ((100, qrels), (0, second)):
        for row in found[found["level"] == level].itertuples():
            assert row.mean == pytest.approx(ordinary(row.measure, judgments, runs[row.system]), abs=1e-12), row
    # Where the second judge says nothing, the first is heard.
    some = {"q1": {doc: second["q1"][doc] for doc in list(qrels["q1"])[:3]}}
    mixed = {**qrels, "q1": {**qrels["q1"], **some["q1"]}}
    found = incompleteness(["AP"], qrels, runs, **{**asked, "second": some}).means
    for row in found[found["level"] == 0].itertuples():
        assert row.mean == pytest.approx(ordinary("AP", mixed, runs[row.system]), abs=1e-12)


def test_other_grades_equal_judging_anew():
    qrels, runs = collection(6)
    pool = Pool.build(qrels)
    grade = np.random.default_rng(0).integers(-1, 3, pool.grade.size).astype(float)
    part = Regraded(pool, grade)
    changed = {t: {} for t in pool.topic_ids}
    for row, value in enumerate(grade.tolist()):
        changed[pool.topic_ids[pool.judged.topic[row]]][pool.doc_ids[row]] = value
    anew = Pool.build(changed)
    assert part.pool.grade.tolist() == anew.grade.tolist()
    for run in runs.values():
        a, b = part.of(judge(pool, run, ties=True)), judge(anew, run, ties=True)
        for name in ("rank", "grade", "n_retrieved", "rank_rising"):
            assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
        assert a.hits.offsets.tolist() == b.hits.offsets.tolist()


def test_documents_that_are_gone_count_as_missed_while_they_are_judged():
    qrels, runs = collection(8, n_topics=20, n_runs=12)
    asked = {"levels": (30,), "n_samples": 3, "rng": 0, "loss": "documents"}
    stale, fresh = (
        incompleteness(["AP"], qrels, runs, stale_judgments=stale, **asked).table().set_index("level")["mean"]
        for stale in (True, False)
    )
    assert stale[100] == fresh[100]
    assert stale[30] < 0.5 * stale[100]
    assert fresh[30] > 2 * stale[30]


@pytest.mark.parametrize("teams", [None, {"run0": "x", "run1": "x", "run3": "y"}])
def test_shallow_pools_leave_what_the_drawn_runs_have_at_the_top(teams):
    qrels, runs = collection(9, n_runs=5)
    found = incompleteness(
        MEASURES, qrels, runs, levels=(60, 20), n_samples=3, rng=4, loss="pools", depth=3, teams=teams
    ).means
    names = {run: (teams or {}).get(run, run) for run in runs}
    for (level, sample), part in found.groupby(["level", "sample"]):
        left = qrels
        if level < 100:
            order = np.random.default_rng([4, sample]).permutation(len(set(names.values())))
            n = max(int(level * order.size / 100 + 0.5), 1)
            drawn = [sorted(set(names.values()))[i] for i in order[:n].tolist()]
            top = {
                topic: {
                    doc
                    for run, team in names.items()
                    if team in drawn
                    for doc in sorted(runs[run].get(topic, {}), key=lambda d: (runs[run][topic][d], d))[::-1][:3]
                }
                for topic in qrels
            }
            left = {topic: {d: g for d, g in docs.items() if d in top[topic]} for topic, docs in qrels.items()}
            assert sum(map(len, left.values())) < sum(map(len, qrels.values()))
        judged = [topic for topic in left if left[topic]]
        for row in part.itertuples():
            # Topics without judgments count, with the value 0.
            expected = ordinary(row.measure, {t: left[t] for t in judged}, runs[row.system]) * len(judged) / len(left)
            assert row.mean == pytest.approx(expected, abs=1e-12), row


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"depth": 3}, r"depth=3 is for loss='pools', got loss='random'"),
        ({"teams": {"run0": "a"}, "loss": "flip"}, r"teams is for loss='pools', got loss='flip'"),
        ({"depth": 0, "loss": "pools"}, r"depth=0 is not accepted, expected a whole number of at least 1"),
        ({"depth": 2.5, "loss": "pools"}, r"depth=2.5 is not accepted"),
        ({"loss": "document"}, r"loss='document' is not accepted, expected one of .*did you mean 'documents'"),
        ({"loss": "judges"}, r"loss='judges' needs a second set of judgments: give second=qrels"),
        ({"second": {"q1": {"d1": 1}}}, r"second is for loss='judges', got loss='random'"),
        ({"loss": "judges", "second": {"other": {"d1": 1}}}, r"second: no document of the qrels is judged there"),
        ({"stale_judgments": False}, r"stale_judgments=False is for loss='documents', got loss='random'"),
        ({"loss": "flip", "least": (2, 2)}, r"least=\(2, 2\) is for loss='random', got loss='flip'"),
        ({"loss": "flip", "levels": (0,)}, r"above 0 and up to 100"),
        ({"loss": "judges", "second": {"q1": {}}, "levels": (-1,)}, r"from 0 and up to 100"),
    ],
)
def test_errors_say_what_is_accepted(changed, says):
    qrels, runs = collection(7)
    with pytest.raises(ValueError, match=says):
        incompleteness(["AP"], qrels, **{"runs": runs, "rng": 0, **changed})


def test_output_of_another_loss_is_refused(tmp_path):
    qrels, runs = collection(5)
    path = tmp_path / "part.csv"
    settings = {"levels": (50,), "n_samples": 1, "rng": 1, "output": path}
    first = incompleteness(["AP"], qrels, runs, loss="flip", **settings)
    assert incompleteness(["AP"], qrels, runs, loss="flip", **settings).means.equals(first.means)
    with pytest.raises(ValueError, match=r"loss='flip', now it is None"):
        incompleteness(["AP"], qrels, runs, **settings)
    with pytest.raises(ValueError, match=r"loss='flip', now it is 'documents'"):
        incompleteness(["AP"], qrels, runs, loss="documents", **settings)
