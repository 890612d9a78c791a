"""What is the wrong way round, and what else decides: each damage beside users who are right."""

import numpy as np
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.datasets import load

CAST = load("cast2021")
GOOD, OTHER = CAST.runs["org_convdr"], CAST.runs["org_manual_bm25"]
N_TOPICS = 40


def turned(run):
    return {topic: {doc: -score for doc, score in docs.items()} for topic, docs in run.items()}


def made(seed=1, n_docs=20, noise=1.0):
    """Judgments with grades 0 to 3, and two runs that rank them with noise."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{t}": {f"d{t}-{i}": int(g) for i, g in enumerate(rng.integers(0, 4, n_docs))}
        for t in range(N_TOPICS)
    }
    runs = [
        {q: {d: g + rng.normal(0, noise) for d, g in docs.items()} for q, docs in qrels.items()}
        for _ in range(2)
    ]
    return qrels, *runs


def codes(result):
    return set(", ".join(result["codes"]).split(", ")) - {""}


def with_ranks(run, turned_topics=()):
    """A frame whose rank column is right, and whose scores are distances on some topics."""
    rows = []
    for topic, docs in run.items():
        ordered = sorted(docs, key=lambda doc: -docs[doc])
        for rank, doc in enumerate(ordered, 1):
            score = -docs[doc] if topic in turned_topics else docs[doc]
            rows.append((topic, doc, rank, score))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])


def test_a_baseline_of_distances_is_no_baseline():
    gated = irpref_lab.gate("nDCG@10", CAST.qrels, turned(GOOD), OTHER)
    assert (gated.verdict, codes(gated)) == ("inconclusive", {"upside-down"})
    compared = irpref_lab.compare("nDCG@10", CAST.qrels, turned(GOOD), OTHER)
    assert (compared["verdict"].item(), codes(compared)) == ("cannot tell", {"upside-down"})
    right = irpref.run(turned(GOOD), lower_is_better=True)
    assert codes(irpref_lab.gate("nDCG@10", CAST.qrels, right, OTHER)) == set()
    assert codes(irpref_lab.gate("nDCG@10", CAST.qrels, OTHER, GOOD)) == set()


def test_a_loss_is_measured_in_what_is_gained():
    """E is 1 - F: what shows by one shows by the other."""
    qrels, good, other = made(n_docs=60)
    rare = {q: {d: int(g == 3) for d, g in docs.items()} for q, docs in qrels.items()}
    for measure in ("FMeasure@10", "EMeasure@10"):
        gated = irpref_lab.gate(measure, rare, turned(good), other)
        assert gated.verdict == "inconclusive"
        assert "upside-down" in codes(gated)
        assert codes(irpref_lab.gate(measure, rare, good, other)) == set()


@pytest.mark.parametrize("repeats", [1, 2])
def test_one_of_several_repeats_of_distances_is_no_baseline(repeats):
    # Their mean is lower than the baseline's, so that a worse candidate would pass.
    mixed = [*[GOOD] * repeats, turned(GOOD)]
    assert codes(irpref_lab.gate("nDCG@10", CAST.qrels, mixed, OTHER)) == {"upside-down"}
    assert codes(irpref_lab.compare("nDCG@10", CAST.qrels, mixed, OTHER)) == {"upside-down"}
    assert codes(irpref_lab.gate("nDCG@10", CAST.qrels, [GOOD] * 3, OTHER)) == set()


@pytest.mark.parametrize(
    ("n_turned", "n_docs", "stops"), [(0, 8, False), (3, 8, True), (15, 4, False), (25, 4, True)]
)
def test_scores_that_rise_at_every_rank(n_turned, n_docs, stops):
    qrels, run, other = made(n_docs=n_docs)
    frame = with_ranks(run, {f"q{t}" for t in range(n_turned)})
    found = irpref.evidence("P@1", qrels, {"run": frame})
    row = found[(found["code"] == "upside-down") & (found["level"] == "grave")]
    assert len(row) == stops
    if stops:
        assert row["topics"].item() == n_turned
        assert irpref_lab.gate("P@1", qrels, frame, other).verdict != "pass"


@pytest.mark.parametrize("measure", ["AP", "PrefAP"])
def test_equal_scores_are_no_distances(measure):
    docs = [f"d{i}" for i in range(8)]  # the order of equal scores begins with the last
    qrels = {f"q{t}": {doc: 8 - i for i, doc in enumerate(docs)} for t in range(12)}
    judged = {q: {doc: int(g > 5) for doc, g in of.items()} for q, of in qrels.items()}
    pairs = irpref.preferences_from(qrels)
    equal = {q: dict.fromkeys(docs, 1.0) for q in qrels}
    of_measure = pairs if measure == "PrefAP" else judged
    found = set(irpref.evidence(measure, of_measure, {"run": equal})["code"])
    assert "equal-scores" in found
    assert "upside-down" not in found
    rising = {q: {doc: float(i) for i, doc in enumerate(docs)} for q in qrels}
    assert "upside-down" in set(irpref.evidence(measure, of_measure, {"run": rising})["code"])


def test_ranks_of_a_first_stage_are_a_note():
    qrels, run, other = made()
    rng = np.random.default_rng(1)
    frame = with_ranks(run).assign(score=lambda rows: rng.random(len(rows)))
    found = irpref.evidence("nDCG@10", qrels, {"run": frame, "other": other})
    assert found.loc[found["code"] == "upside-down", "level"].tolist() == ["note"]


def test_grades_that_count_down_stop_both_verdicts():
    qrels, one, two = made()
    down = {q: {d: 3 - g for d, g in docs.items()} for q, docs in qrels.items()}
    for call in (irpref_lab.compare, irpref_lab.gate):
        assert "grades-reversed" in codes(call("nDCG@10", down, one, two))
        assert "grades-reversed" not in codes(call("nDCG@10", qrels, one, two))
        # One weak run, or a bad one beside a good one, is no evidence about the grades.
        _, weak, _ = made(noise=100.0)
        assert "grades-reversed" not in codes(call("nDCG@10", qrels, weak, two))


def test_the_order_of_ids_decides_no_verdict():
    others = {f"x{i}": 0 for i in range(6)}
    qrels = {f"q{t}": {"a": 1, "b": 0, **others} for t in range(N_TOPICS)}
    tail = {doc: -1.0 for doc in others}
    tied = {q: {"a": 1.0, "b": 1.0, **tail} for q in qrels}
    # By ids, b stands before a: the tied run has RR .5, as the one that is always wrong.
    wrong = {q: {"a": 1.0, "b": 2.0, **tail} for q in qrels}
    found = irpref_lab.compare("RR", qrels, wrong, tied)
    assert (found["verdict"].item(), codes(found)) == ("cannot tell", {"ties"})
    gated = irpref_lab.gate("RR", qrels, tied, wrong)
    assert (gated.verdict, codes(gated)) == ("inconclusive", {"ties"})
    many = {"wrong": wrong, "tied": tied}
    assert irpref_lab.against("RR", qrels, "wrong", many)["codes"].tolist() == ["", "ties"]
    board = irpref_lab.leaderboard("RR", qrels, many)
    assert (board["letters"].tolist(), board.pairs["codes"].item()) == (["a", "a"], "ties")
    # A refactoring that changes nothing passes, and ties that do not matter are no reason.
    assert irpref_lab.gate("RR", qrels, tied, tied).verdict == "pass"
    right = {q: {"a": 3.0, "b": 1.0, **dict.fromkeys(others, 1.0)} for q in qrels}
    nearly = right | {"q0": {"a": 3.0, "b": 2.0, **tail}}
    assert codes(irpref_lab.gate("RR", qrels, right, nearly)) == set()
    assert codes(irpref_lab.compare("RR", qrels, wrong, right)) == set()


def test_swapped_columns_of_judgments_are_seen_by_the_runs():
    qrels, one, two = made()
    rows = [(q, g, d, 1) for q, docs in qrels.items() for d, g in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    assert codes(irpref_lab.gate("P@10", frame, one, two)) >= {"one-grade"}
    # Relevant-only judgments are right, with any iteration that is no grade.
    only = frame[frame["iteration"] > 1].assign(iteration="0")
    assert "one-grade" not in codes(irpref_lab.gate("P@10", only, one, two))
    rng = np.random.default_rng(0)
    rounds = frame[frame["iteration"] > 1].assign(iteration=lambda of: rng.integers(1, 4, len(of)))
    assert "one-grade" not in codes(irpref_lab.gate("P@10", rounds, one, two))


def test_a_judge_alone_does_not_let_a_change_pass():
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(60)}
    good = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    # Ten topics that humans judged lose; the judge sees a gain on fifty.
    candidate = {q: {"a": 1.0, "b": 2.0} if t < 10 else dict(good[q]) for t, q in enumerate(qrels)}
    baseline = {q: good[q] if t < 10 else {"a": 1.0, "b": 2.0} for t, q in enumerate(qrels)}
    frame = pd.DataFrame(
        [
            (q, d, g, "human" if int(q[1:]) < 10 else "judge")
            for q, docs in qrels.items()
            for d, g in docs.items()
        ],
        columns=["query_id", "doc_id", "relevance", "source"],
    )
    gated = irpref_lab.gate("RR", frame, baseline, candidate)
    assert (gated.verdict, codes(gated)) == ("inconclusive", {"judge-decides"})
    human = frame.assign(source="human")
    assert irpref_lab.gate("RR", human, baseline, candidate).verdict == "pass"


def test_all_pairs_are_tested_again_in_expectation_over_the_orders_of_ties():
    """Alone, the run is better in expectation, too; beside four others it is not."""
    qrels = {f"q{t}": {"z": 1, "a": 0, "b": 0} for t in range(12)}
    # RR is 1/2 on five topics, 1/3 on four and 1 on three; of the tied run it is 1 as the ids have
    # it, and 3/4 on average: the difference is then 1/4, 5/12 and -1/4, p = .04.
    first = {
        q: {"z": 2.0, "a": 3.0 * (t < 9), "b": 3.0 * (5 <= t < 9)} for t, q in enumerate(qrels)
    }
    tied = {q: {"z": 1.0, "a": 1.0, "b": 0.5} for q in qrels}
    others = {f"same {n}": {q: {**docs, "c": -n} for q, docs in first.items()} for n in range(4)}
    runs = {"first": first, "tied": tied, **others}
    assert irpref_lab.compare("RR", qrels, first, tied)["verdict"].item() == "b better"
    against = irpref_lab.against("RR", qrels, "first", runs).set_index("run")
    assert against.loc["tied", "p_adjusted"] < 0.001
    assert against["codes"].to_dict() == dict.fromkeys(runs, "") | {"tied": "ties"}
    assert pd.isna(against.loc["tied", "differs"])
    board = irpref_lab.leaderboard("RR", qrels, runs)
    of_tied = board.pairs[(board.pairs["a"] == "tied") | (board.pairs["b"] == "tied")]
    assert of_tied["codes"].tolist() == ["ties"] * 5
    assert set(board["letters"]) == {"a"}
    given = irpref_lab.collections({name: (qrels, runs) for name in "xy"})
    assert irpref_lab.against("RR", given, "first")["codes"].tolist() == [""] * 5
    apart = {"first": first, "tied": {q: {"z": 1.0, "a": 0.7, "b": 0.5} for q in qrels}, **others}
    assert irpref_lab.leaderboard("RR", qrels, apart)["letters"].tolist() == ["a", *"bbbbb"]


def test_a_reference_that_says_nothing_is_said_to():
    whole = irpref_lab.gate("nDCG@10", CAST.qrels, OTHER, OTHER, reference=GOOD)
    assert "says nothing" not in whole.text
    short = dict(list(GOOD.items())[:20])
    for reference in (
        turned(GOOD),
        short,
        {t: dict.fromkeys(docs, 1.0) for t, docs in GOOD.items()},
    ):
        gated = irpref_lab.gate("nDCG@10", CAST.qrels, OTHER, OTHER, reference=reference)
        assert gated.verdict == "pass"
        assert "the reference says nothing about a loss of nDCG@10: " in gated.text


def test_a_board_says_whose_order_ids_decide():
    tied = {t: {doc: float(round(s / 4)) for doc, s in docs.items()} for t, docs in OTHER.items()}
    board = irpref_lab.leaderboard("nDCG@10", CAST.qrels, {"good": GOOD, "tied": tied})
    (said,) = [note for note in board.notes if "tied documents" in note]
    assert said.startswith("tied: ids decide")
    many = {"good": GOOD, "one": tied, "two": tied, "three": tied}
    board = irpref_lab.leaderboard("nDCG@10", CAST.qrels, many)
    (said,) = [note for note in board.notes if "tied documents" in note]
    assert "3 runs (one, two, three)" in said


def test_further_topics_of_a_reference_are_no_topics_of_the_two():
    """Of values, too: the union of the topics of baseline and candidate is compared."""
    main = {f"q{t}": {"AP": 0.5 + t / 500} for t in range(50)}
    candidate = {q: {"AP": row["AP"] + 0.01} for q, row in main.items()}
    further = main | {f"r{t}": {"AP": 0.6} for t in range(3)}
    values = irpref_lab.values({"main": main, "candidate": candidate, "release": further})
    decision = irpref_lab.gate("AP", values, "main", "candidate", reference="release")
    assert (decision.verdict, decision["topics"].item()) == ("pass", 50)
    many = main | {f"r{t}": {"AP": 0.6} for t in range(25)}
    values = irpref_lab.values({"main": main, "candidate": candidate, "release": many})
    decision = irpref_lab.gate("AP", values, "main", "candidate", reference="release")
    assert decision.verdict == "block"
    assert "has no value for 25 of 75 topics of the reference" in decision.text


def test_a_reference_with_the_values_of_the_baseline_is_one_comparison():
    main = {f"q{t}": {"AP": 0.5 + t / 500} for t in range(40)}
    candidate = {
        q: {"AP": row["AP"] - 0.009 - 0.001 * (t % 2)} for t, (q, row) in enumerate(main.items())
    }
    values = irpref_lab.values({"main": main, "candidate": candidate, "release": main})
    for reference in ("release", "main"):
        decision = irpref_lab.gate("AP", values, "main", "candidate", reference=reference)
        assert decision.verdict == "pass"
        assert any("same values as the baseline" in note for note in decision.notes)


def test_ties_are_asked_of_what_is_shown_and_name_the_better_run():
    """With few topics that differ, the interval leaves the average open, too."""
    qrels = {f"q{t}": {"b": 1, "a": 0} for t in range(12)}
    tied = {q: {"b": 1.0, "a": 1.0} for q in qrels}
    right = {q: {"b": 2.0, "a": 1.0} for q in qrels}
    few = {"tied": tied, "right": right}
    compared = irpref_lab.compare("RR", qrels, tied, right)
    board = irpref_lab.leaderboard("RR", qrels, few)
    against = irpref_lab.against("RR", qrels, "tied", few)
    assert [codes(one) for one in (compared, board.pairs, against)] == [set()] * 3
    qrels = {f"q{t}": {"z": 1, "a": 0, "b": 0} for t in range(12)}
    first = {
        q: {"z": 2.0, "a": 3.0 * (t < 9), "b": 3.0 * (5 <= t < 9)} for t, q in enumerate(qrels)
    }
    tied = {q: {"z": 1.0, "a": 1.0, "b": 1.0} for q in qrels}
    said = irpref_lab.compare("RR", qrels, first, tied, names=["b", "a"])
    assert "'a better' in this order" in said.text


def test_parallel_topics_with_nearly_the_same_lists_are_no_copies():
    """A run in two languages finds much the same documents for both forms of a question."""
    qrels = {
        f"q{t}{way}": {f"{way}{t}-{i}": 1 for i in range(10)} for t in range(20) for way in "ed"
    }
    run = {
        f"q{t}{way}": {f"e{t}-{i}": 20.0 - (i + (way == "d")) % 10 for i in range(10)}
        for t in range(20)
        for way in "ed"
    }
    other = {q: {doc: 1.0 + i for i, doc in enumerate(docs)} for q, docs in qrels.items()}
    assert "other-topic" not in codes(irpref_lab.gate("nDCG@10", qrels, run, other))
