"""`--collections`: a folder of collections in place of judgments and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import irpref_lab
from irpref.cli import main
from irpref.datasets import load

MADE = load("synthetic")
TOPICS = list(MADE.qrels)
SIZES = {"first": 20, "second": 30}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Two collections; the second has no run `broad`."""
    for name, n in SIZES.items():
        place = tmp_path / "both" / name
        place.mkdir(parents=True)
        judged = [
            f"{topic} 0 {doc} {grade}\n"
            for topic in TOPICS[:n]
            for doc, grade in MADE.qrels[topic].items()
        ]
        (place / "qrels.txt").write_text("".join(judged))
        for run, ranking in MADE.runs.items():
            if (name, run) == ("second", "broad"):
                continue
            rows = [
                f"{topic} Q0 {doc} 1 {score!r} {run}\n"
                for topic in TOPICS[:n]
                for doc, score in ranking.get(topic, {}).items()
            ]
            (place / f"{run}.run").write_text("".join(rows))
    return str(tmp_path / "both")


def rows(command: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """Run a command, and parse the rows that it prints."""
    assert main([*command.split(), "-o", "jsonl"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_leaderboard(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    board = irpref_lab.leaderboard("AP", irpref_lab.collections(folder), by_collection=True)
    printed = rows(f"leaderboard --collections {folder} AP --by-collection", capsys)
    assert [row["run"] for row in printed] == board["run"].tolist()
    assert printed[0]["mean"] == pytest.approx(board["mean"][0])
    assert printed[0]["first"] == pytest.approx(board["first"][0])
    two = rows(f"leaderboard --collections {folder} noisy strong AP", capsys)
    assert [row["run"] for row in two] == ["strong", "noisy"]
    assert main(["leaderboard", "--collections", folder, "AP", "--top", "2"]) == 0
    shown = capsys.readouterr().out
    assert "broad is left" in shown
    assert "noisy" not in shown


def test_compare(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    both = irpref_lab.collections(folder)
    for over in ("topics", "collections"):
        expected = irpref_lab.compare("AP", both, "baseline", "noisy", over=over)
        (row,) = rows(f"compare --collections {folder} baseline noisy AP --over {over}", capsys)
        assert row["difference"] == pytest.approx(expected["difference"][0])
        assert row["verdict"] == expected["verdict"][0]
        assert row["sentence"] == expected.text.splitlines()[0]
    parts = rows(f"compare --collections {folder} baseline noisy AP --by-collection", capsys)
    assert {row["collection"]: row["topics"] for row in parts} == SIZES
    assert main(["compare", "--collections", folder, "baseline", "noisy", "AP"]) == 0
    assert "2 collections, 50 topics" in capsys.readouterr().out


def test_against(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    every = rows(f"against --collections {folder} baseline AP", capsys)
    assert {row["run"] for row in every} == {"noisy", "precise", "strong"}
    named = rows(f"against --collections {folder} baseline noisy AP", capsys)
    assert [row["run"] for row in named] == ["noisy"]
    assert named[0]["p_adjusted"] == named[0]["p"]
    assert main(["against", "--collections", folder, "baseline", "AP"]) == 0
    shown = capsys.readouterr().out
    assert "broad is left" in shown
    assert "it lacks second" in shown


def test_values_with_a_column_of_collections(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["collection,system,topic,measure,value"]
    for name in ("x", "y"):
        for t in range(6):
            lines += [f"{name},a,{t},AP,{0.1 * t}", f"{name},b,{t},AP,{0.2 + 0.09 * t}"]
    (tmp_path / "values.csv").write_text("\n".join(lines))
    (row,) = rows(f"compare --collections {tmp_path / 'values.csv'} a b AP", capsys)
    assert row["difference"] == pytest.approx(0.2 - 0.01 * 2.5)
    assert row["collections"] == 2


@pytest.mark.parametrize(
    "words",
    [
        "compare --collections {} baseline AP",
        "compare --collections {} baseline noisy strong AP",
        "compare --collections {} baseline noisy",
        "compare --collections {} baseline noisy AP -t 1",
        "compare --collections {} baseline noisy AP --margin 0.1",
        "leaderboard --collections {} noisy AP",
        "leaderboard --collections {} AP --design",
        "leaderboard --collections {} AP --seed 1",
        "leaderboard --collections {} AP --permutations 99",
        "leaderboard --collections {} AP --sort AP",
        "leaderboard --collections {} AP --judge {}/first/qrels.txt",
        "against --collections {} AP",
        "against --collections {} baseline AP --groups {}/first/qrels.txt",
        "compare {0}/first/qrels.txt {0}/first/noisy.run {0}/first/strong.run AP --over topics",
    ],
)
def test_a_command_line_that_does_not_fit_is_refused(
    words: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(folder) for word in words.split()]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        "compare --collections {} baseline nobody AP",
        "compare --collections {} baseline broad AP",
        "leaderboard --collections {} AP --pairs stepdown",
        "leaderboard --collections {}/first AP",
        "leaderboard --collections {}/none AP",
    ],
)
def test_input_that_cannot_be_compared_is_an_error(
    words: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(folder) for word in words.split()]) in (1, 2)
    assert capsys.readouterr().err


def test_a_misspelt_system_is_named(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ("compare {} baseline nosiy AP", "leaderboard {} strong nosiy AP"):
        command, *rest = words.format(folder).split()
        assert main([command, "--collections", *rest]) == 2
        error = capsys.readouterr().err
        assert "'nosiy' is neither a system nor a measure; the systems are " in error
        assert "did you mean 'noisy'?" in error
    assert main(["compare", "--collections", folder, "baseline", "noisy", "nDGC@10"]) in (1, 2)
    assert "did you mean 'nDCG'" in capsys.readouterr().err
