"""Two rankings compared directly: recall-paired preference, lexicographic recall and precision."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
import irpref_lab
from irpref.cli import main
from irpref.datasets import load
from irpref.reference import order
from irpref_lab.decide.by_preference import HOW, WEIGHTS
from strategies import collections

# What the first author's scripts (pref_eval of 2025) print for runs of `synthetic`, with -b 1:
# means over the topics of rpp, invrpp, dcgrpp, lexirecall, lexiprecision.
SCRIPTS = {
    ("baseline", "broad"): (
        -0.4305699855699856,
        -0.1985149334570481,
        -0.3081054888421065,
        -24 / 30,
        -8 / 30,
    ),
    ("baseline", "noisy"): (
        0.3718783068783069,
        0.18552872890269545,
        0.2718987517857705,
        30 / 30,
        -2 / 30,
    ),
    ("broad", "precise"): (
        0.17081289081289083,
        -0.10127363149266606,
        0.0227713203104398,
        28 / 30,
        -6 / 30,
    ),
    ("noisy", "strong"): (
        -0.5148124098124098,
        -0.3842679662062343,
        -0.4470278774435075,
        -26 / 30,
        -20 / 30,
    ),
}
WAYS = (
    {},
    {"weights": "inverse"},
    {"weights": "dcg"},
    {"how": "lexirecall"},
    {"how": "lexiprecision"},
)


def by_hand(a, b, judgments, how="rpp", weights="uniform", rel=1, graded=False):
    """Preference of one topic from the definition: rankings as lists of documents, best first."""

    def ranks(ranking, least):
        found = [rank for rank, doc in enumerate(ranking, 1) if judgments.get(doc, -1) >= least]
        return found + [math.inf] * (
            sum(grade >= least for grade in judgments.values()) - len(found)
        )

    def signs(least):
        return [(p < q) - (p > q) for p, q in zip(ranks(a, least), ranks(b, least), strict=True)]

    if how != "rpp":
        decided = [s for s in signs(rel) if s]
        return (decided[-1] if how == "lexirecall" else decided[0]) if decided else 0
    thresholds = (
        sorted({grade for grade in judgments.values() if grade >= rel}) if graded else [rel]
    )
    total, size = 0, 0
    for least in thresholds:
        s = signs(least)
        of = {
            "uniform": lambda i: Fraction(1),
            "inverse": lambda i: Fraction(1, i),
            "dcg": lambda i: 1 / math.log2(i + 1),
        }
        w = [of[weights](i) for i in range(1, len(s) + 1)]
        if s:
            total += len(s) * sum(x * y for x, y in zip(w, s, strict=True)) / sum(w)
        size += len(s)
    return total / size if size else 0


ways = st.one_of(
    st.fixed_dictionaries({"weights": st.sampled_from(WEIGHTS), "graded": st.booleans()}),
    st.fixed_dictionaries({"how": st.sampled_from(HOW[1:])}),
)


@given(
    collection=collections(),
    other=st.randoms(use_true_random=False),
    way=ways,
    rel=st.sampled_from((1, 2, 0.5)),
)
def test_preferences_equal_the_definition_counted_one_by_one(collection, other, way, rel):
    qrels, run = collection
    second = {
        q: {d: float(other.randrange(4)) for d in [*docs, "z"] if other.random() < 0.7}
        for q, docs in qrels.items()
    }
    judged = {(q, doc) for q, docs in qrels.items() for doc, grade in docs.items() if grade >= 0}
    if not all(any((q, d) in judged for q in each for d in each[q]) for each in (run, second)):
        with pytest.raises(irpref.errors.AbsentRunError):
            irpref_lab.prefer(qrels, run, second, rel=rel, **way)
        return
    table = irpref_lab.prefer(qrels, run, second, rel=rel, **way)
    assert table["query_id"].tolist() == list(qrels)
    for topic, value in table.itertuples(index=False):
        judgments = {doc: grade for doc, grade in qrels[topic].items() if grade >= 0}
        expected = by_hand(
            order(run.get(topic, {})), order(second.get(topic, {})), judgments, rel=rel, **way
        )
        assert value == pytest.approx(float(expected), abs=1e-12), topic


@pytest.mark.parametrize("pair", list(SCRIPTS), ids="-".join)
def test_means_are_those_of_the_authors_scripts(pair):
    example = load("synthetic")
    a, b = (example.runs[name] for name in pair)
    for way, printed in zip(WAYS, SCRIPTS[pair], strict=True):
        assert irpref_lab.prefer(example.qrels, a, b, **way)["preference"].mean() == pytest.approx(
            printed, abs=1e-12
        )


def test_weights_that_cancel_leave_a_tie():
    """i = 1 for one run, i = 2, 3, 6 for the other, 4 and 5 for none: 1 - 1/2 - 1/3 - 1/6 = 0."""
    qrels = {"q": {f"r{i}": 1 for i in range(6)}}
    places = {"a": (1, 12, 13, 20, 25, 33), "b": (2, 11, 12, 20, 25, 32)}

    def run(relevant):
        docs = {rank: f"n{rank}" for rank in range(1, 40)} | {
            rank: f"r{i}" for i, rank in enumerate(relevant)
        }
        return {"q": {doc: -float(rank) for rank, doc in docs.items()}}

    a, b = run(places["a"]), run(places["b"])
    assert irpref_lab.prefer(qrels, a, b, weights="inverse")["preference"].tolist() == [0.0]
    table = irpref_lab.prefer(qrels, {"a": a, "b": b}, weights="inverse")
    assert table[["wins", "losses", "ties", "place"]].to_numpy().tolist() == [[0, 0, 1, 1]] * 2


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_table_of_many_runs_is_made_of_its_pairs(way):
    example = load("synthetic")
    table = irpref_lab.prefer(example.qrels, example.runs, **way)
    assert list(table.columns) == ["run", "preference", "wins", "losses", "ties", "place"]
    assert sorted(table["run"]) == sorted(example.runs)
    assert table["preference"].is_monotonic_decreasing
    assert table["place"].tolist() == [1, 2, 3, 4, 5]
    assert len(table.pairs) == 10
    for a, b, preference, wins, losses, ties, p in table.pairs.itertuples(index=False):
        one = irpref_lab.prefer(example.qrels, example.runs[a], example.runs[b], **way)[
            "preference"
        ]
        assert preference == one.mean()
        assert (wins, losses, ties) == ((one > 0).sum(), (one < 0).sum(), (one == 0).sum())
        assert p == irpref_lab.significance.sign_test(wins, losses)
    both = pd.concat(
        [
            table.pairs,
            table.pairs.rename(columns={"a": "b", "b": "a"}).assign(
                preference=-table.pairs["preference"]
            ),
        ]
    )
    for run, mean in zip(table["run"], table["preference"], strict=True):
        assert mean == pytest.approx(both[both["a"] == run]["preference"].mean(), abs=1e-15)
    assert table["wins"].sum() == table["losses"].sum()


def test_grades_are_thresholds_in_turn():
    """x (2) before y (1) against y before x: at 1 no difference, at 2 the first is better; 2 and 1
    documents.
    """
    qrels = {"q": {"x": 2, "y": 1, "n": 0}}
    a, b = {"q": {"x": 2, "y": 1}}, {"q": {"y": 2, "x": 1}}
    assert irpref_lab.prefer(qrels, a, b)["preference"].tolist() == [0.0]
    assert irpref_lab.prefer(qrels, a, b, graded=True)["preference"].tolist() == [1 / 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"how": "rrp"},
            r"how='rrp' is not known, expected one of 'rpp', 'lexirecall', 'lexiprecision'",
        ),
        (
            {"weights": "log"},
            r"weights='log' is not known, expected one of 'uniform', 'inverse', 'dcg'",
        ),
        ({"rel": 0}, r"rel=0 is not accepted, expected a number above 0"),
        (
            {"how": "lexirecall", "graded": True},
            r"graded=True is for how='rpp', got how='lexirecall'",
        ),
        ({"how": "lexiprecision", "weights": "dcg"}, r"weights='dcg' is for how='rpp'"),
    ],
)
def test_options_that_are_not_accepted_are_named(options, message):
    run = {"q": {"a": 1.0}}
    with pytest.raises(ValueError, match=message):
        irpref_lab.prefer({"q": {"a": 1}}, run, run, **options)


# Power, and the command line ----------------------------------------------------------------------


def test_power_of_preferences_is_the_bootstrap_on_their_numbers():
    example = load("synthetic")
    found = irpref_lab.prefer(example.qrels, example.runs).differences
    assert found.matrix.shape == (10, len(example.qrels))
    power = irpref_lab.meta.discriminative_power(found, n_samples=200, rng=1)
    # A pair as two systems of which one has nothing but zeros.
    for (a, b), z, asl in zip(
        zip(*np.triu_indices(5, 1), strict=True), found.matrix, power.asl, strict=True
    ):
        one = irpref_lab.prefer(
            example.qrels, example.runs[found.systems[a]], example.runs[found.systems[b]]
        )
        assert one["preference"].tolist() == z.tolist()
        two = irpref_lab.meta.TopicValues("rpp", ["a", "b"], found.topics, [z, np.zeros_like(z)])
        assert irpref_lab.meta.discriminative_power(two, n_samples=200, rng=1).asl.tolist() == [asl]
    assert power.table()["measure"].unique().tolist() == ["rpp"]


def test_differences_of_pairs_are_checked():
    with pytest.raises(ValueError, match=r"need values of the shape \(1, 1\)"):
        irpref_lab.meta.PairDifferences("rpp", "ab", ["p"], [[1], [2]])
    with pytest.raises(ValueError, match="the value of systems 'a' and 'b', topic 'p' is nan"):
        irpref_lab.meta.PairDifferences("rpp", "ab", ["p"], [[np.nan]])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    home = tmp_path_factory.mktemp("prefer")
    (home / "qrels.txt").write_text("q1 0 x 1\nq1 0 y 1\nq2 0 z 2\n")
    (home / "a.run").write_text(
        "q1 Q0 x 1 9 t\nq1 Q0 n1 2 8 t\nq1 Q0 n2 3 7 t\nq1 Q0 y 4 6 t\nq2 Q0 z 1 1 t\n"
    )
    (home / "b.run").write_text("q1 Q0 n1 1 9 t\nq1 Q0 x 2 8 t\nq1 Q0 y 3 7 t\nq2 Q0 z 1 1 t\n")
    return home


def call(files, *more):
    return main(["prefer", *(str(files / name) for name in ("qrels.txt", "a.run", "b.run")), *more])


def test_the_command_prints_the_order_the_pairs_and_the_topics(files, capsys):
    assert call(files, "--how", "lexirecall") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "lexirecall, 2 topics; positive: the run is better"
    assert [line.split() for line in lines[1:]] == [
        ["run", "preference", "wins", "losses", "ties", "place"],
        ["b", "0.5000", "1", "0", "1", "1"],
        ["a", "-0.5000", "0", "1", "1", "2"],
    ]
    assert call(files, "--how", "lexirecall", "--tests", "-o", "csv") == 0
    assert capsys.readouterr().out == "a,b,preference,wins,losses,ties,p_sign\na,b,-0.5,0,1,1,1\n"
    assert call(files, "--how", "lexiprecision", "-q", "-o", "tsv") == 0
    assert capsys.readouterr().out == "a\tb\tquery_id\tpreference\na\tb\tq1\t1\na\tb\tq2\t0\n"
    assert call(files, "-t", "q2", "-q", "-o", "tsv") == 0
    assert capsys.readouterr().out == "a\tb\tquery_id\tpreference\na\tb\tq2\t0\n"


@pytest.mark.parametrize(
    ("more", "says", "status"),
    [
        (["--tests", "-q"], "irpref: --tests and --by-query are two tables: choose one", 2),
        (
            ["--how", "lexirecall", "--weights", "dcg"],
            "irpref: --weights is for --how rpp, got --how lexi",
            2,
        ),
        (["-t", "q9"], "irpref: the qrels have no topic 'q9' (the first are 'q1', 'q2')", 1),
        (["--how", "lexirecall", "--graded"], "irpref: --graded is for --how rpp, got --how", 2),
        (["--rel", "0"], "irpref: invalid value for '--rel': '0': expected a number above 0", 2),
    ],
)
def test_what_the_command_cannot_do_is_said_in_one_line(more, says, status, files, capsys):
    assert call(files, *more) == status
    error = capsys.readouterr().err
    assert error.startswith(says)
    assert error.count("\n") == 1


def test_one_run_cannot_be_compared(files, capsys):
    assert main(["prefer", str(files / "qrels.txt"), str(files / "a.run")]) == 2
    assert "expected at least two runs after the qrels, got 1: " in capsys.readouterr().err


ABSENT = {
    "other topics": {"z": {"a": 1.0}},
    "other documents": {"q1": {"zz": 1.0}, "q2": {"zz": 1.0}},
    "empty": {"q1": {}, "q2": {}},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", ABSENT)
def test_a_run_that_answers_nothing_takes_no_part(what):
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    runs = {"good": {t: {"a": 2.0, "b": 1.0} for t in qrels}, "bad": {"q1": {"b": 2.0, "a": 1.0}}}
    alone = irpref_lab.prefer(qrels, runs)
    table = irpref_lab.prefer(qrels, {"lost": ABSENT[what], **runs})
    assert table["run"].tolist() == ["good", "bad", "lost"]
    assert table["preference"].tolist()[:2] == alone["preference"].tolist()
    assert table["place"].isna().tolist() == [False, False, True]
    reason = irpref_lab.leaderboard("AP", qrels, {"lost": ABSENT[what], **runs})["reason"].iloc[-1]
    assert table["reason"].tolist() == [None, None, reason]
    assert table.pairs[["a", "b"]].to_numpy().tolist() == [["good", "bad"]]
    lacks = "bad has no documents for 1 of 2 topics; it counts as an empty ranking"
    assert table.notes == [f"lost is left out of all tests: {reason}", lacks]
    with pytest.raises(ValueError, match="1 run left to compare"):
        irpref_lab.prefer(qrels, {"lost": ABSENT[what], "good": runs["good"]})
    with pytest.raises(ValueError, match="the second run"):
        irpref_lab.prefer(qrels, runs["good"], ABSENT[what])
