"""`irpref sample`, and --sample of the commands that decide."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_sampling import grades_of, made

import irpref_lab
from irpref.cli import main
from irpref_lab.judges.plans import read_plan
from shells import qrels_text, run_text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a judge's grades and runs, and a plan for 60 documents, which are judged."""
    human, judge, runs = made()
    (tmp_path / "judge").write_text(qrels_text(judge))
    (tmp_path / "none").write_text("")
    for name, run in runs.items():
        (tmp_path / name).write_text(run_text(run))
    monkeypatch.chdir(tmp_path)
    words = "sample none judge r0 r1 r2 DCG@5 -n 60 --looks 30,60 --seed 1 -f plan.tsv"
    assert main(words.split()) == 0
    plan = read_plan("plan.tsv")
    (tmp_path / "human").write_text(qrels_text(grades_of(plan, human, 60)))
    return tmp_path


def records(capsys: Any, words: str, status: int = 0) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main([*words.split(), "-o", "json"]) == status
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_the_plan_is_that_of_the_function(folder: Path) -> None:
    _, judge, runs = made()
    plan = irpref_lab.sample("DCG@5", None, judge, runs, 60, looks=[30, 60], rng=1)
    assert read_plan("plan.tsv").equals(plan)
    assert read_plan("plan.tsv").attrs == plan.attrs


def test_verdicts_on_a_sample(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, runs = made()
    judgments = irpref_lab.sampled("human", "judge", "plan.tsv")
    with_plan = "DCG@5 --judge judge --sample plan.tsv"
    (row,) = records(capsys, f"compare human r0 r2 {with_plan}")
    expected = irpref_lab.compare("DCG@5", judgments, runs["r0"], runs["r2"]).iloc[0]
    for column in ("difference", "p", "low_judged", "high_judged"):
        assert row[column] == pytest.approx(expected[column], abs=1e-6)
    assert (row["mean_a"], row["wins"]) == (None, None)
    (row,) = records(capsys, f"gate human r2 r0 {with_plan}", status=1)
    assert row["high_judged"] < 0
    rows = records(capsys, f"leaderboard human r0 r1 r2 {with_plan} --tests")
    assert len(rows) == 3
    assert all(row["low_judged"] < row["difference"] < row["high_judged"] for row in rows)


@pytest.mark.parametrize(
    "command", ["compare human r0 r2", "gate human r0 r2", "leaderboard human r0 r1 r2"]
)
def test_tables_for_readers(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    capsys.readouterr()
    status = main(f"{command} DCG@5 --judge judge --sample plan.tsv".split())
    out, err = capsys.readouterr()
    assert status == 0
    assert "judged 60 of" in err
    assert "nan" not in out.lower().split()
    assert ("you may stop" in out) == (not command.startswith("leaderboard"))


def test_what_does_not_fit_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in {
        "compare human r0 r2 nDCG@5 --judge judge --sample plan.tsv": "DCG@5",
        "compare human r0 r2 DCG@5 --judge judge --sample plan.tsv -t q1": "-t does not apply",
        "compare human r0 r2 DCG@5 --sample plan.tsv": "; --judge FILE gives them",
        "sample none judge r0 r1 DCG@5 -o csv": "written as tsv",
        "sample none judge r0 DCG@5": "at least 2",
        "sample none judge r0 r1 AP": "DCG@k",
    }.items():
        capsys.readouterr()
        assert main(words.split()) != 0
        assert message in capsys.readouterr().err
    (folder / "plan.tsv").write_text((folder / "plan.tsv").read_text()[:-200])
    assert (
        main(["gate", "human", "r0", "r2", "DCG@5", "--judge", "judge", "--sample", "plan.tsv"])
        == 2
    )
