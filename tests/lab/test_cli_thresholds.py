"""Tables that name binary measures say once which grades count as relevant, if some are above 1."""

import json

import pytest

NOTE = "AP, P@2: rel=1, so all grades from 1 to 2 count alike"
COMMANDS = [
    "compare qrels r1 r2",
    "gate qrels r2 r1",
    "against qrels r2 r1",
    "leaderboard qrels r1 r2",
    "intervals qrels r1",
    "eval qrels r1 r2",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_threshold_is_said_once(command, call):
    out = call(*command.split(), "AP", "P@2", "AP(rel=2)", "nDCG")[1]
    assert out.splitlines().count(NOTE) == 1
    assert out.count("count alike") == 1
    assert "count alike" not in call(*command.split(), "AP(rel=2)", "nDCG")[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_said_where_there_is_no_choice(command, call, files):
    (files / "qrels").write_text((files / "qrels").read_text().replace(" 2\n", " 1\n"))
    assert "count alike" not in call(*command.split(), "AP", "nDCG")[1]


def test_iterations_in_the_judgments_do_not_matter(call, files):
    lines = (files / "qrels").read_text().splitlines(keepends=True)
    (files / "qrels").write_text(lines[0].replace(" 0 ", " 0.5 ") + "".join(lines[1:]))
    assert NOTE in call("eval", "qrels", "r1", "r2", "AP", "P@2")[1]


def test_the_gate_gives_it_to_programs(call):
    out = call("gate", "qrels", "r2", "r1", "AP", "AP(rel=2)", "nDCG", "-o", "jsonl")[1]
    rows = map(json.loads, out.splitlines())
    assert {row["measure"]: row["rel"] for row in rows} == {"AP": 1, "AP(rel=2)": 2, "nDCG": None}
