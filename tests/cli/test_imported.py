"""Measures of one's own in the shell: --import, wherever measures are taken."""

import json
import re
import sys

import ir_measures
import pytest

import irpref
import irpref_lab
from irpref.cli import main

FILE = """
import ir_measures

def first_hit(qrels, run):
    relevant = set(qrels.doc_id[qrels.relevance > 0])
    return float(run.doc_id.iloc[0] in relevant)

FirstHit = ir_measures.define_byquery(first_hit, "FirstHit")
"""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Two topics; run a has the relevant document first in both, run b in one."""
    from ir_measures.measures import registry

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "first_hit.py").write_text(FILE)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "taken.py").write_text(FILE.replace('"FirstHit"', '"AP"'))
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 a 1 2 x\n2 Q0 b 2 1 x\n")
    (tmp_path / "b.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 2 x\n2 Q0 a 2 1 x\n")
    yield
    registry.pop("FirstHit", None)


def test_a_measure_of_a_file_is_evaluated(capsys):
    assert (
        main(
            [
                "eval",
                "qrels",
                "a.run",
                "b.run",
                "FirstHit",
                "AP",
                "--import",
                "first_hit.py",
                "-o",
                "jsonl",
            ]
        )
        == 0
    )
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    values = {(row["run"], row["measure"]): row["value"] for row in rows}
    assert values == {
        ("a", "FirstHit"): 1.0,
        ("b", "FirstHit"): 0.5,
        ("a", "AP"): 1.0,
        ("b", "AP"): 0.75,
    }


@pytest.mark.parametrize(
    "command",
    [
        "leaderboard qrels a.run b.run FirstHit",
        "compare qrels a.run b.run FirstHit",
        "check qrels a.run FirstHit",
        "intervals qrels a.run FirstHit --over topics",
        "meta ranking qrels a.run b.run FirstHit AP",
        "list FirstHit",
        "cite FirstHit",
        "report qrels a.run b.run FirstHit -f page.html",
        "plot strip qrels a.run b.run FirstHit -f a.png",
    ],
)
def test_it_is_known_to_every_command(command, capsys, tmp_path):
    if "report" in command:
        pytest.importorskip("vl_convert")
    assert main([*command.split(), "--import", "first_hit"]) == 0
    out = capsys.readouterr().out + "".join(
        page.read_text(encoding="utf-8") for page in tmp_path.glob("*.html")
    )
    assert "FirstHit" in out or "plot" in command or "check" in command
    assert "is a measure of ir_measures" not in out
    assert "no installed provider" not in out


def test_it_works_in_python_as_any_measure_does():
    def first_hit(qrels, run):
        return float(run.doc_id.iloc[0] in set(qrels.doc_id[qrels.relevance > 0]))

    mine = ir_measures.define_byquery(first_hit, "FirstHit")
    runs = {name: irpref.read_run(f"{name}.run") for name in "ab"}
    assert irpref.evaluator([mine, "AP"], "qrels").calc_aggregate(runs["b"]) == {
        mine: 0.5,
        ir_measures.AP: 0.75,
    }
    board = irpref_lab.leaderboard([mine, "AP"], "qrels", runs)
    means = {(row.run, row.measure): row.mean for row in board.itertuples()}
    assert (means["a", "FirstHit"], means["b", "FirstHit"]) == (1.0, 0.5)
    (row,) = irpref_lab.compare(mine, "qrels", runs["a"], runs["b"]).to_dict("records")
    assert (row["measure"], row["difference"], row["losses"]) == ("FirstHit", -0.5, 1)
    assert (
        irpref_lab.gate(mine, "qrels", runs["a"], runs["b"])["could_turn"].isna().item()
    )  # nothing is known of it
    pytest.importorskip("vl_convert")
    assert "FirstHit" in irpref_lab.report([mine], "qrels", runs).html


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("nowhere.py", "nowhere.py: no such module"),
        ("broken", "broken cannot be imported: ZeroDivisionError: division by zero"),
        ("taken.py", "taken.py: AP is the name of another measure already"),
    ],
)
def test_what_cannot_be_imported_is_named(module, said, capsys):
    assert main(["eval", "qrels", "a.run", "AP", "--import", module]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert captured.err.count("\n") == 1


def test_two_files_of_one_name_are_two_modules(files, tmp_path, capsys):
    from ir_measures.measures import registry

    for folder, measure in (("one", "First"), ("two", "Second")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(FILE.replace('"FirstHit"', f'"{measure}"'))
    both = ["--import", "one/mine.py", "--import", "two/mine.py"]
    try:
        assert main(["eval", "qrels", "b.run", "First", "Second", *both]) == 0
    finally:
        for measure in ("First", "Second"):
            registry.pop(measure, None)
    assert capsys.readouterr().out == "First\t0.5000\nSecond\t0.5000\n"


@pytest.mark.parametrize("name", ["json.py", "./json.py", "json"])
def test_a_file_is_not_mixed_up_with_the_standard_library(name, tmp_path, capsys):
    (tmp_path / "json.py").write_text(FILE)
    assert main(["eval", "qrels", "b.run", "FirstHit", "-o", "jsonl", "--import", name]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 0.5
    assert sys.modules["json"] is json


@pytest.mark.parametrize("status", ["", "0"])
@pytest.mark.parametrize(("command", "expected"), [("eval qrels", 2), ("gate qrels a.run", 2)])
def test_a_module_that_ends_the_process_is_an_error(command, expected, status, tmp_path, capsys):
    (tmp_path / "leave.py").write_text(f"import sys\nsys.exit({status})\n")
    words = [*command.split(), "b.run", "AP", "--import", "leave.py"]
    assert main(words) == expected
    assert re.search(r"leave\.py .*: SystemExit", capsys.readouterr().err)


@pytest.mark.parametrize(("command", "expected"), [("eval qrels", 1), ("gate qrels a.run", 2)])
def test_a_measure_that_ends_the_process_is_an_error(command, expected, tmp_path, capsys):
    text = FILE.replace("    relevant =", "    raise SystemExit(0)\n    relevant =")
    (tmp_path / "leaving.py").write_text(text)
    words = [*command.split(), "b.run", "FirstHit", "--import", "leaving.py"]
    assert main(words) == expected
    assert capsys.readouterr().err
