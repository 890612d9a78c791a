"""Preferences in files, on the command line and at every entry point: read, written, refused."""

import contextlib
import csv
import io
import warnings

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_preferences import (
    COLUMNS,
    VARIANTS,
    frame_of,
    pairs,
    preference_collections,
    read,
    values,
)

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import ArgumentError, ColumnError, InputError, JudgmentsError, LabelError
from irpref.values.prepare import prepare
from refused import about, refuses
from strategies import at_most

PREFS = "# by hand\nq1 ann 0 d1 3\nq1 ann 0 d2 1.5\n\nq1 bob x d1 0\nq1 bob x d3 2\n"


def test_the_three_forms_are_told_apart_by_their_first_line():
    found = read(PREFS)
    assert found.columns.tolist() == COLUMNS
    assert found["relevance"].dtype == np.float64
    assert found.values.tolist() == [
        ["q1", "ann", "0", "d1", 3.0],
        ["q1", "ann", "0", "d2", 1.5],
        ["q1", "bob", "x", "d1", 0.0],
        ["q1", "bob", "x", "d3", 2.0],
    ]
    found = read("q1 0 d1 2\nq1 0 007 -1\n")
    assert found.values.tolist() == [["q1", "0", "0", "d1", 2], ["q1", "0", "0", "007", -1]]
    assert found["relevance"].dtype == np.int64
    found = read("q1 d1 d2\nq1\td2  d3\n")
    assert found.values.tolist() == [
        ["q1", "0", "1", "d1", 2],
        ["q1", "0", "1", "d2", 1],
        ["q1", "0", "2", "d2", 2],
        ["q1", "0", "2", "d3", 1],
    ]
    assert read("q1 d1 d2 ann\nq1 d2 d1 bob\n")["group"].tolist() == ["ann", "ann", "bob", "bob"]
    assert read("q1 d1 d2 7\n", form="pairs")["group"].tolist() == ["7", "7"]
    assert read("q1 12 13\n")["doc_id"].tolist() == ["12", "13"]
    assert read("").columns.tolist() == COLUMNS
    assert not len(read("# nothing\n\n"))


@pytest.mark.parametrize(
    "text",
    [
        "q 0 a 1,5\nq 0 b 1\n",
        "q 0 a x\n",
        "q Q0 a x y\n",
        "query iteration doc grade\nq i a 1\n",
        "t d g\nq a 1\n",
    ],
)
def test_qrels_with_a_header_or_a_bad_grade_are_no_preferences(text, tmp_path):
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(InputError) as error:
        irpref.evaluator(["PrefShare"], tmp_path / "qrels")
    place = about(error.value, "path", "line")
    assert place == {"path": str(tmp_path / "qrels"), "line": 1}
    assert error.value.column in ("relevance", "level")


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        (
            "q a b\nq b a\n",
            None,
            r"lines 1, 2: topic 'q', group '0': 'a' is preferred to 'b', and 'b' to 'a'",
        ),
        (
            "#\nq a b j\nq x y j\nq b c j\nq c a j\n",
            None,
            r"lines 2, 4, 5: topic 'q', group 'j': .* cycle",
        ),
        ("q a a\n", None, "line 1: topic 'q', group '0': document 'a' is preferred to itself"),
        (
            "q g s d 1\nq g s d 2\n",
            None,
            "lines 1, 2: topic 'q', group 'g': document 'd' is preferred to itself",
        ),
        (
            "q g s d 1\nq g s e high\n",
            None,
            "line 2: the level 'high' is not a number: 'q g s e high'",
        ),
        (
            "q g d 1\nq g e low\n",
            "qrels_prefs",
            "line 2: the level 'low' is not a number: 'q g e low'",
        ),
        ("q g s d 1_0\n", None, "line 1: the level '1_0' is not a number"),
        ("query_id winner loser\nq a b\n", None, "line 1: a header, where preferences begin"),
        ("q g s d nan\n", None, "judged.txt: the level of topic 'q', document 'd' is nan"),
        (
            "q g s d 1\nq g d 1\n",
            None,
            r"line 2: 4 fields, expected 5 \(query_id group subgroup doc_id level\)",
        ),
        (
            "q d\n",
            None,
            r"line 1: 2 fields, expected 5 .* or 4 .* or 3 \(query_id winner loser\) or 4 .*judge",
        ),
        ("q Q0 d 1 2.5 run\n", None, "line 1: 6 fields, .*; this looks like a run: 'q Q0 d 1"),
        ("q a b\n", "prefs", "line 1: 3 fields, expected 5"),
        ("q a b c d\n", "pairs", "line 1: 5 fields, expected 3"),
        ("q a b\n", "pair", "form='pair' is not known.*did you mean 'pairs'"),
    ],
)
def test_bad_files_are_refused_with_file_line_topic_and_group(tmp_path, text, form, message):
    path = tmp_path / "judged.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        irpref.read_preferences(path, form=form)
    assert "form=" in str(error.value) or "judged.txt" in str(error.value)


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs", "pairs"])
@given(data=preference_collections())
@at_most(20)
def test_what_is_written_is_read_back_with_the_same_values(form, data):
    rows, run = data
    if form == "qrels_prefs":
        rows = [row for row in rows if row[2] == min(r[2] for r in rows if r[:2] == row[:2])]
    frame = frame_of(rows)
    text = io.StringIO()
    irpref.write_preferences(frame, text, form=form)
    again = read(text.getvalue(), form=form)
    if form == "pairs":
        said = {r[0] for r in rows if any(r[:3] == o[:3] and r[4] != o[4] for o in rows)}
        if not said:
            assert not len(again)
            return
        found, usual = (values([irpref.NumPrefs], f, run)[irpref.NumPrefs] for f in (again, frame))
        assert found == {topic: usual[topic] for topic in found}
        assert set(found) == said
    else:
        assert values(VARIANTS, again, run) == values(VARIANTS, frame, run)


def test_what_cannot_be_written_is_refused(tmp_path):
    with refuses(JudgmentsError, column="doc_id", value="a b"):
        irpref.write_preferences(frame_of([("q", "0", "0", "a b", 1)]), tmp_path / "x")
    with refuses(JudgmentsError, topic="q"):
        irpref.write_preferences(frame_of(pairs("a>b b>c")), tmp_path / "x", form="qrels_prefs")
    with refuses(ColumnError, missing=("doc_id",)):
        irpref.write_preferences(pd.DataFrame({"query_id": ["q"]}), tmp_path / "x")


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("xy")),
        min_size=1,
        max_size=12,
    )
)
def test_a_file_of_pairs_is_refused_exactly_where_its_frame_is(said):
    lines = [f"q d{a} d{b} {judge}" for a, b, judge in said]
    rows = [
        ("q", judge, str(i), f"d{doc}", level)
        for i, (a, b, judge) in enumerate(said)
        for doc, level in ((a, 2), (b, 1))
    ]

    def told(make):
        try:
            make()
        except ValueError as error:
            return str(error).partition("topic ")[2]
        return ""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert told(lambda: read("\n".join(lines))) == told(
            lambda: prepare([irpref.PrefShare], irpref.judgments(frame_of(rows)))
        )


def test_eval_takes_a_file_of_preferences_as_qrels(tmp_path, capsys):
    prefs, qrels, run = tmp_path / "prefs", tmp_path / "qrels", tmp_path / "run"
    prefs.write_text("q1 ann 0 a 2\nq1 ann 0 b 1\nq1 bob 0 b 2\nq1 bob 0 a 1\nq1 bob 0 c 0\n")
    qrels.write_text("q1 0 a 1\nq1 0 b 0\n")
    run.write_text("q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\n")

    def printed(*arguments):
        assert main(["eval", *map(str, arguments)]) == 0
        return [line.split() for line in capsys.readouterr().out.splitlines()]

    # a > b; b > a, b > c, a > c: three of four, since c was not retrieved.
    assert printed(prefs, run, "PrefShare", "prefs_num_prefs_poss") == [
        ["PrefShare", "0.7500"],
        ["NumPrefs", "4.0000"],
    ]
    assert printed(qrels, run, "PrefShare") == [["PrefShare", "1.0000"]]
    assert main(["eval", str(prefs), str(run), "AP"]) != 0
    assert main(["eval", str(prefs), str(run), "PrefShare", "AP"]) != 0
    assert "one grade per document" in capsys.readouterr().err


@pytest.mark.parametrize("which", ["preferences", "run"])
def test_one_of_the_files_can_be_standard_input(which, tmp_path, capsys, monkeypatch):
    texts = {
        "preferences": "q1 a b ann\nq1 b c ann\nq1 c b bob\n",
        "run": "q1 Q0 a 1 3 t\nq1 Q0 c 2 2 t\nq1 Q0 d 3 1 t\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = {name: "-" if name == which else str(tmp_path / name) for name in texts}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(texts[which].encode())))
    assert main(["eval", paths["preferences"], paths["run"], "PrefShare"]) == 0
    assert capsys.readouterr().out == "PrefShare\t0.7500\n"
    assert main(["eval", "-", "-", "PrefShare"]) == 2
    assert "('-') can be read only once" in capsys.readouterr().err


def test_a_file_of_preferences_is_checked_without_a_measure_and_named_where_grades_are_wanted(
    tmp_path, capsys
):
    judged, run = tmp_path / "judged.txt", tmp_path / "run.txt"
    judged.write_text("q a b ann\nq b a bob\nq c d ann\n")
    run.write_text("q Q0 a 1 2 r\nq Q0 b 2 1 r\n")
    for measures in ((), ("PrefShare",)):
        found = irpref_lab.check(str(judged), [str(run)], measures)
        assert found["code"].tolist() == ["disagreeing-judges"]
        assert main(["check", str(judged), str(run), *measures, "-o", "csv"]) == 0
        assert [
            row["code"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))
        ] == found["code"].tolist()
    with refuses(JudgmentsError) as error:
        irpref.evaluator(["AP"], str(judged))
    assert "PrefShare" in str(error.value)
    judged.write_text("q 0 a high\n")
    with refuses(LabelError, label="high", line=1) as error:
        irpref.evaluator(["AP"], str(judged))
    assert error.value.remedy.argument == "labels"


JUDGED = {
    "prefs": "".join(
        f"q{t} j{g} {s} 00{d} {(d * 7 + t + g) % 5 - 1}\n"
        for t, g, s in np.ndindex(4, 2, 3)
        for d in range(9)
        if (d * 5 + 3 * s + g + t) % 4
    ),
    "qrels_prefs": "".join(
        f"q{t} {g + 1} 00{d} {(d * 7 + t + g) % 5 - 1}\n"
        for t, g, d in np.ndindex(4, 2, 9)
        if (d * 5 + g + t) % 4
    ),
    "pairs": "".join(
        f"q{t} 00{a} 00{(a + 1 + b) % 9} j{b}\n"
        for t, a, b in np.ndindex(4, 9, 2)
        if a + 1 + b < 9 and (a + b + t) % 3
    ),
}


RANKED = "".join(f"q{t} Q0 00{d * 5 % 11} 1 {(d * t) % 4} x\n" for t in (0, 2, 3) for d in range(8))


def by_key(metrics):
    return {(m.query_id, str(m.measure)): m.value for m in metrics}


def on_the_command_line(preferences, run, *more):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert (
            main(
                [
                    "eval",
                    str(preferences),
                    str(run),
                    *map(str, VARIANTS),
                    "-q",
                    "-o",
                    "csv",
                    "-p",
                    "-1",
                    *more,
                ]
            )
            == 0
        )
    rows = csv.DictReader(io.StringIO(out.getvalue()))
    return {
        (row["query_id"], row["measure"]): float(row["value"])
        for row in rows
        if row["query_id"] != "all"
    }


def accelerated(preferences, run):
    irpref.accelerate()
    try:
        return by_key(ir_measures.iter_calc(VARIANTS, preferences, run))
    finally:
        irpref.accelerate(False)


ENTRY_POINTS = {
    "frames": lambda p, r, f, g: by_key(irpref.evaluator(VARIANTS, f).iter_calc(g)),
    "polars": lambda p, r, f, g: by_key(
        irpref.evaluator(VARIANTS, pl.from_dict(f.to_dict("list"))).iter_calc(g)
    ),
    "generators": lambda p, r, f, g: by_key(
        irpref.evaluator(VARIANTS, tuples(f)).iter_calc(tuples(g))
    ),
    "calc": lambda p, r, f, g: by_key(ir_measures.calc(VARIANTS, f, g).per_query),
    "accelerate": lambda p, r, f, g: accelerated(f, g),
    "measures": lambda p, r, f, g: {
        k: v for m in VARIANTS for k, v in by_key(m.iter_calc(f, g)).items()
    },
    "eval": lambda p, r, f, g: on_the_command_line(p, r),
}


def tuples(frame):
    return (row for row in frame.itertuples(index=False))


@pytest.mark.parametrize("form", JUDGED)
@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_values_are_the_same_at_every_entry_point(entry_point, form, tmp_path):
    preferences, run = tmp_path / "judged.txt", tmp_path / "run.txt"
    preferences.write_text(JUDGED[form])
    run.write_text(RANKED)
    frame = irpref.read_preferences(preferences)
    usual = by_key(irpref.evaluator(VARIANTS, str(preferences)).iter_calc(str(run)))
    assert len(usual) == 4 * len(VARIANTS)
    assert ENTRY_POINTS[entry_point](preferences, run, frame, irpref.read_run(run)) == usual


def test_an_experiment_takes_preferences():
    pt = pytest.importorskip("pyterrier")
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    judged = frame_of(pairs("a>b b>c")).rename(columns=names)
    run = pd.DataFrame({"qid": "q", "docno": ["a", "c"], "score": [2.0, 1.0], "rank": [0, 1]})
    topics = pd.DataFrame({"qid": ["q"], "query": ["x"]})
    table = pt.Experiment([run], topics, judged, [irpref.PrefShare, irpref.NumPrefs])
    assert table["PrefShare"][0] == pytest.approx(2 / 3)
    assert table["NumPrefs"][0] == 3


def test_a_path_of_preferences_goes_where_a_path_of_qrels_goes(tmp_path):
    for text in ("q a b\nq c d\n", "q g 0 a 2\nq g 0 b 1\nq g 1 c 2\nq g 1 d 1\n"):  # pairs, prefs
        path = tmp_path / "preferences"
        path.write_text(text)
        run = {"q": {"a": 4.0, "b": 3.0, "d": 2.0, "c": 1.0}}  # a before b, but not c before d
        for measures in (["PrefShare"], ["PrefShare", "NumPrefs"]):
            given = irpref.evaluator(measures, path).calc_aggregate(run)
            assert given == irpref.evaluator(
                measures, irpref.read_preferences(path)
            ).calc_aggregate(run)
            assert given[irpref.parse("PrefShare")] == 1 / 2
        with pytest.raises(ValueError, match="preferences"):  # they are no grades
            irpref.evaluator(["AP"], path)
        assert "invalid-run" not in set(irpref_lab.check(path, {"r": run}, ["PrefShare"])["code"])
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\nq 0 b 0\nq 0 c 1\n")  # plain qrels are one group
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0}}
    assert irpref.evaluator(["PrefShare"], str(qrels)).calc_aggregate(run) == {
        irpref.parse("PrefShare"): 1 / 2
    }


# What the fields are ------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["AB", ("left", "right"), ("model_a", "model_b")])
def test_a_word_for_the_preferred_one_is_no_judge_unless_it_is_said(words, tmp_path):
    (tmp_path / "pairs").write_text("q1 a b {}\nq1 c b {}\nq1 a c tie\n".format(*words))
    with pytest.raises(InputError):
        irpref.judgments(tmp_path / "pairs")
    assert len(irpref.judgments(tmp_path / "pairs", form="pairs")) == 6
    frame = pd.DataFrame([("q1", "a", "b", words[0]), ("q1", "c", "b", words[1])])
    with pytest.raises(InputError):
        irpref.judgments(frame, form="pairs")
    frame.columns = ["topic", "winner", "loser", "judge"]
    assert len(irpref.judgments(frame)) == 4


def test_the_number_of_a_judge_is_no_grade_unless_it_is_said(tmp_path):
    (tmp_path / "pairs").write_text("q1 101 102 1\nq1 102 103 2\nq2 201 202 1\n")
    with pytest.raises(InputError) as error:
        irpref.judgments(tmp_path / "pairs")
    assert (error.value.remedy.argument, error.value.remedy.example) == ("form", "pairs")
    assert irpref.judgments(tmp_path / "pairs", form="pairs").topic_ids == ["q1", "q2"]
    assert len(irpref.judgments(tmp_path / "pairs", form="trec")) == 3


def test_time_and_rating_in_the_other_order_are_refused(tmp_path):
    (tmp_path / "rated").write_text("1 2 881250949 3\n1 3 878887116 5\n1 4 891717742 1\n")
    with pytest.raises(InputError):
        irpref.judgments(tmp_path / "rated")
    assert len(irpref.judgments(tmp_path / "rated", form="trec")) == 3


@pytest.mark.parametrize("data", [{"q": {"a": ["b", "c"]}}, {"q": [("a", "b"), ("a", "c")]}])
def test_pairs_by_topic(data):
    read = irpref.judgments(data, form="pairs")
    share = irpref.parse("PrefShare")
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert irpref.evaluator([share], read).calc_aggregate(run) == {share: 1.0}
    with pytest.raises(ValueError, match="preferences"):
        irpref.evaluator(["AP"], read)


@pytest.mark.parametrize(
    "rows",
    [
        [("q", "a", None)],
        [("q", "a", 2.5)],
        [("q", "a")],
        [("q", "a", "b", "c", "d")],
        [("q", "a", "b"), ("q", "b", "a")],
        [{"topic": "q", "winner": "a", "loser": "b"}, {"topic": "q", "winner": "a"}],
    ],
)
def test_rows_that_are_no_pairs_are_refused(rows):
    with pytest.raises(ValueError, match=r"expected|missing|preferred|columns"):
        irpref.judgments(rows, form="pairs")


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs"])
def test_other_forms_of_preferences_have_lines(form):
    with pytest.raises(ArgumentError):
        irpref.judgments([("q", "a", "b")], form=form)
