"""`irpref intervals`: the table of `irpref_lab.intervals`, a run after the other."""

import json

import pytest

import irpref_lab
from irpref.cli import main

# AP over the orders of r1's tied documents: 1, 1/2. RR over the grades of r2's unjudged document:
# 1, 1/2.
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 1\n"
R1 = "1 Q0 a 1 5 x\n1 Q0 b 2 5 x\n2 Q0 a 1 2 x\n2 Q0 b 2 1 x\n"
R2 = "1 Q0 u 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 2 x\n2 Q0 b 2 1 x\n"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    for name, text in (("qrels", QRELS), ("r1", R1), ("r2", R2), ("groups", "1 one\n2 two\n")):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    def called(*arguments):
        return main(["intervals", "qrels", *arguments]), *capsys.readouterr()

    return called


@pytest.mark.parametrize("over", ["ties", "unjudged", "topics"])
def test_the_command_prints_the_table_of_the_function(over, call):
    status, out, _ = call("r1", "r2", "AP", "RR", "--over", over, "-o", "jsonl")
    assert status == 0
    rows = [json.loads(line) for line in out.splitlines()]
    expected = []
    for run in ("r1", "r2"):
        table = irpref_lab.intervals(["AP", "RR"], "qrels", run, over=over)
        table = table.astype(object).where(table.notna(), None)
        expected += [{"run": run, **row} for row in table.to_dict("records")]
    assert [list(row) for row in rows] == [list(row) for row in expected]
    for row, wanted in zip(rows, expected, strict=True):
        assert [row[key] for key in ("run", "query_id", "measure", "exact")] == [
            wanted[key] for key in ("run", "query_id", "measure", "exact")
        ]
        assert [row["low"], row["high"]] == pytest.approx([wanted["low"], wanted["high"]])


def test_a_table_has_the_means_and_the_topics_on_request(call):
    line, blank, *out = call("r1", "AP")[1].splitlines()
    assert (line, blank) == (
        "AP: another order of tied documents can move the mean of r1 (0.7500): 0.7500 to 1.0000.",
        "",
    )
    assert out[0].split() == [
        "run",
        "measure",
        "value",
        "low",
        "expected",
        "high",
        "exact",
        "error",
    ]
    # Topic 1: 1/2, 3/4, 1. Topic 2: 1.
    assert out[1].split()[:6] == ["r1", "AP", "0.7500", "0.7500", "0.8750", "1.0000"]
    assert len(out) == 2
    assert len(call("r1", "AP", "-q")[1].splitlines()) == 2 + 4
    assert "0.5000" in call("r1", "AP", "-t", "1")[1]


def test_the_command_takes_the_options_of_the_function(call, tmp_path):
    rows = call("r2", "RR", "--over", "unjudged", "--grades", "1", "-o", "csv")[1].splitlines()
    assert rows[1].startswith("r2,1,RR,0.5,1.0,,1.0,")
    # Below five topics there is no interval.
    for name, text in (("qrels", QRELS), ("r1", R1)):
        lines = text.splitlines(keepends=True)
        more = [f"{line[0]}{i}{line[1:]}" for i in range(3) for line in lines]
        (tmp_path / name).write_text("".join(more))
    t = call("r1", "AP", "--over", "topics", "--method", "t", "--level", "0.9", "-o", "csv")[
        1
    ].splitlines()
    wanted = irpref_lab.intervals("AP", "qrels", "r1", over="topics", method="t", level=0.9).iloc[0]
    assert float(t[1].split(",")[4]) == pytest.approx(wanted["low"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["r1"], "no measure given"),
        (["r1", "AP", "--level", "0.9"], "--level is for --over topics, got --over ties"),
        (["r1", "AP", "--over", "unjudged", "--grades", "a"], "expected numbers such as 0,1,2"),
        (["r1", "AP", "--over", "holes"], "is not one of ties, unjudged, topics"),
    ],
)
def test_what_cannot_be_is_one_line(arguments, words, call):
    status, out, err = call(*arguments)
    assert status != 0
    assert out == ""
    assert words in err
    assert len([line for line in err.splitlines() if "check:" not in line]) == 1


@pytest.mark.parametrize("over", ["ties", "unjudged", "topics"])
def test_the_column_measure_holds_text(over, call):
    for groups in (None, {"1": "all", "2": "all"})[: 1 + (over == "topics")]:
        table = irpref_lab.intervals(
            ["AP", "RPref(max_rel=1)"], "qrels", "r1", over=over, groups=groups
        )
        assert len(table[table.measure == "AP"]) == len(table) / 2
        assert set(table.groupby("measure").size().index) == {"AP", "RPref(max_rel=1)"}
