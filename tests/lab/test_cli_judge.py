"""`irpref judge`, and --judge of the commands that evaluate."""

import json
from pathlib import Path

import pytest

import irpref
import irpref_lab
from irpref.cli import main
from shells import qrels_text, run_text

TOPICS = [f"t{i}" for i in range(6)]
HUMAN = {t: {"a": 2, "b": 1, "c": 0, "d": i % 2} for i, t in enumerate(TOPICS[:4])}
JUDGE = {
    t: {"a": 5, "b": 3 + i % 2, "c": 0, "d": 3 * (i % 2), "e": 5 - i} for i, t in enumerate(TOPICS)
}
RUNS = {
    "one": {t: {"e": 4.0, "a": 3.0, "b": 2.0, "d": 1.0} for t in TOPICS},
    "two": {t: {"c": 4.0, "d": 3.0, "b": 2.0, "a": 1.0 + i % 3} for i, t in enumerate(TOPICS)},
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, grades in {"human": HUMAN, "said": JUDGE}.items():
        (tmp_path / name).write_text(qrels_text(grades))
    for name, grades in RUNS.items():
        (tmp_path / name).write_text(run_text(grades))
    monkeypatch.chdir(tmp_path)


def shell(command, status=0):
    """Run the command in this process, which ends with this status."""
    assert main(command.split()) == status


def records(capsys, command):
    shell(f"{command} -o json")
    return json.loads(capsys.readouterr().out)


def test_judge_prints_the_estimates(files, capsys):
    rows = records(capsys, "judge human said one two nDCG AP --topics fixed")
    expected = irpref_lab.judge(["nDCG", "AP"], HUMAN, JUDGE, RUNS, topics="fixed")
    assert [row["run"] for row in rows] == expected["run"].tolist()
    for column in ("human", "judge", "estimate"):
        assert [row[column] for row in rows] == pytest.approx(expected[column].tolist())
    # Three human topics are too few for an interval.
    assert [row["low"] for row in rows] == [row["high"] for row in rows] == [None] * 4
    assert expected[["low", "high"]].isna().all().all()


def test_judge_prints_pairs_and_agreement(files, capsys):
    rows = records(capsys, "judge human said one two nDCG --tests")
    assert rows[0]["difference"] == pytest.approx(
        irpref_lab.judge(["nDCG"], HUMAN, JUDGE, RUNS).pairs["difference"][0]
    )
    shell("judge human said one two nDCG")
    out = capsys.readouterr().out
    assert "95 % interval" in out
    (row,) = irpref_lab.judge(["nDCG"], HUMAN, JUDGE, RUNS).agreement.to_dict("records")
    assert f"{row['correlation']:.2f}" in out.partition("agrees")[2]


@pytest.mark.parametrize("name", ["filled.tsv", "filled.csv", "filled.jsonl"])
def test_fill_writes_judgments_that_other_commands_read(files, capsys, name):
    shell(f"fill human said -f {name}")
    filled = irpref_lab.fill(HUMAN, JUDGE)
    assert capsys.readouterr() == ("", f"irpref: {filled.text}\n")
    shell(f"eval {name} one two nDCG@3 QMeasure -o json")
    evaluate = irpref.evaluator(["nDCG@3", "QMeasure"], filled)
    expected = {
        (name, str(m)): v
        for name, run in RUNS.items()
        for m, v in evaluate.calc_aggregate(run).items()
    }
    rows = json.loads(capsys.readouterr().out)
    assert {(r["run"], r["measure"]): r["value"] for r in rows} == pytest.approx(expected)


def test_fill_of_one_judge_or_several(files, capsys):
    shell("fill human said")
    one = capsys.readouterr().out
    assert one.splitlines()[0].split()[:3] == ["query_id", "doc_id", "relevance"]
    shell("fill human said human")
    assert capsys.readouterr().out
    shell("fill human said -f filled.txt", status=2)
    assert "table that marks" in capsys.readouterr().err
    shell("fill human", status=2)
    assert "missing argument 'JUDGE...'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "leaderboard human one two nDCG RPref(max_rel=2) --judge said",
        "leaderboard human one two nDCG --judge said --judge human -t t1 -t t2",
        "compare human one two QMeasure --judge said",
        "gate human two one nDCG QMeasure --judge said",
        "intervals human one nDCG --over topics --judge said",
        "intervals human one nDCG --over unjudged --judge said",
    ],
)
def test_a_judge_is_taken_by_all_that_evaluate(files, capsys, command):
    shell(command)
    assert "are filled in" in capsys.readouterr().err


def test_holes_shrink_when_a_judge_is_given(files, capsys):
    bare = records(capsys, "leaderboard human one two nDCG")
    filled = records(capsys, "leaderboard human one two nDCG --judge said")
    assert [row["judged@10"] for row in bare] < [row["judged@10"] for row in filled] == [1.0, 1.0]
    assert irpref_lab.leaderboard(["nDCG"], irpref_lab.fill(HUMAN, JUDGE, RUNS), RUNS)[
        "mean"
    ].tolist() == [row["mean"] for row in filled]


def test_functions_take_a_judge_as_commands_do(files):
    filled = irpref_lab.fill(HUMAN, JUDGE)
    for function in (irpref_lab.compare, irpref_lab.gate):
        found, expected = (
            function(["nDCG"], irpref_lab.fill(HUMAN, JUDGE), *RUNS.values()),
            function(["nDCG"], filled, *RUNS.values()),
        )
        assert found.equals(expected)
        assert found.text == expected.text


def test_intervals_over_unjudged_documents_with_a_judge(files, capsys):
    found = records(capsys, "intervals human one nDCG --over unjudged --judge said")
    expected = irpref_lab.intervals(
        ["nDCG"], irpref_lab.fill(HUMAN, JUDGE), RUNS["one"], over="unjudged"
    )
    assert [row["low"] for row in found] == pytest.approx(expected["low"].tolist())
    assert [row["expected"] for row in found] == pytest.approx(expected["expected"].tolist())


def test_the_report_marks_grades_that_were_filled_in(files, capsys):
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    shell("report human one two nDCG --judge said -f page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    filled = irpref_lab.fill(HUMAN, JUDGE)
    assert filled.text.partition(" (correlation")[0].replace("'", "&#39;") in page
    grade = filled.frame().query("query_id == 't0' and doc_id == 'e'")["relevance"].item()
    assert f"~{grade:.2f}" in page
