"""`irpref eval` says of streamed runs what `irpref check` finds grave, as far as judged documents and
the first ten ids tell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import irpref_lab
from irpref.cli import main
from irpref.cli.remedies import option_of
from irpref.datasets import load
from irpref.observed.codes import CODES

MADE = load("synthetic")
N = len(MADE.qrels)


def _qrels(path: Path, grade: Any = lambda grade: grade, iteration: Any = lambda _: 0) -> None:
    lines = [
        f"{topic} {iteration(grade_)} {doc} {grade(grade_)}\n"
        for topic, docs in MADE.qrels.items()
        for doc, grade_ in docs.items()
    ]
    path.write_text("".join(lines))


def _run(path: Path, run: Mapping[str, Mapping[str, float]], sign: int = 1) -> None:
    lines = []
    for topic, docs in run.items():
        ranked = sorted(docs, key=lambda doc: -docs[doc])
        lines += [
            f"{topic} Q0 {doc} {rank} {sign * docs[doc]} t\n"
            for rank, doc in enumerate(ranked, start=1)
        ]
    path.write_text("".join(lines))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    _qrels(tmp_path / "qrels")
    for name in ("strong", "baseline"):
        _run(tmp_path / name, MADE.runs[name])
    return tmp_path


def _said(capsys: Any, *words: str) -> list[str]:
    assert main(["eval", *words]) == 0
    err: str = capsys.readouterr().err
    return [line.removeprefix("irpref: check: ") for line in err.splitlines()]


def _codes(capsys: Any, *words: str) -> set[str]:
    assert main(["check", *words, "-o", "jsonl"]) == 0
    rows = map(json.loads, capsys.readouterr().out.splitlines())
    return {row["code"] for row in rows if row["level"] == "grave"}


@pytest.mark.parametrize("runs", [["strong"], ["strong", "baseline"]])
def test_nothing_is_said_of_runs_that_are_right(files: Path, capsys: Any, runs: list[str]) -> None:
    assert [
        line
        for line in _said(capsys, "qrels", *runs, "AP", "nDCG@10")
        if "documents for" not in line
    ] == []


def test_a_run_whose_scores_are_distances_is_named(files: Path, capsys: Any) -> None:
    _run(files / "turned", MADE.runs["strong"], -1)
    for runs in (["turned"], ["turned", "strong"]):
        (line,) = [line for line in _said(capsys, "qrels", *runs, "AP") if "distances" in line]
        assert line.startswith("turned" if len(runs) > 1 else "the run")
    assert "upside-down" in _codes(capsys, "qrels", "turned", "AP")
    said = _said(capsys, "qrels", "turned", "AP", "--lower-is-better")
    assert said == _said(capsys, "qrels", "strong", "AP")


def test_grades_that_count_down_are_named_once(files: Path, capsys: Any) -> None:
    top = max(grade for docs in MADE.qrels.values() for grade in docs.values())
    _qrels(files / "down", grade=lambda grade: top + 1 - grade)
    for runs in (["strong"], ["strong", "baseline"]):
        lines = [line for line in _said(capsys, "down", *runs, "nDCG@10") if "grade" in line]
        (line,) = lines
        assert "do the grades count down" in line
        assert "grades-reversed" in _codes(capsys, "down", *runs, "nDCG@10")


@pytest.mark.parametrize("small", [True, False])
def test_topics_that_were_shifted_are_named(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    if not small:
        monkeypatch.setattr("irpref.observed.scored_files._LOOKED_AT", 0)
    topics = list(MADE.qrels)
    run = MADE.runs["strong"]
    moved = topics[: N // 3]
    other = dict(zip(moved, [*moved[1:], moved[0]], strict=True))
    _run(files / "shifted", {other.get(topic, topic): docs for topic, docs in run.items()})
    (line,) = _said(capsys, "qrels", "shifted", "AP")
    assert main(["check", "qrels", "shifted", "AP", "-o", "jsonl"]) == 0
    rows = map(json.loads, capsys.readouterr().out.splitlines())
    (text,) = [row["text"] for row in rows if row["code"] == "other-topic"]
    assert line.removeprefix("the run") == text.removeprefix("shifted")


def test_topics_without_relevant_documents_are_named(files: Path, capsys: Any) -> None:
    lines = (files / "qrels").read_text()
    extra = "".join(f"none{i} 0 d{i} 0\n" for i in range(N // 3))
    (files / "more").write_text(lines + extra)
    said = _said(capsys, "more", "strong", "AP")
    assert any("no relevant document" in line for line in said)
    assert "unanswerable" in _codes(capsys, "more", "strong", "AP")


def test_columns_of_the_judgments_that_are_swapped_are_named(files: Path, capsys: Any) -> None:
    _qrels(files / "swapped", grade=lambda _: 1, iteration=lambda grade: grade)
    assert "one-grade" in _codes(capsys, "swapped", "strong", "AP")
    assert any("columns swapped" in line for line in _said(capsys, "swapped", "strong", "AP"))
    _qrels(files / "relevant-only", grade=lambda _: 1)
    assert not any("columns" in line for line in _said(capsys, "relevant-only", "strong", "AP"))


def test_the_rank_column_is_said_not_to_be_looked_at_where_it_may_be_at_fault(
    files: Path, capsys: Any
) -> None:
    # Of twelve documents, the relevant ones are behind the middle, and no first ones from the end,
    # so that by P@3 the run is no better backwards.
    qrels = "".join(f"{t} 0 d{d} {int(d in (7, 8))}\n" for t in range(20) for d in range(1, 31))
    (files / "late.qrels").write_text(qrels)
    rows = [f"{t} Q0 d{d} {d} {20 - d} t\n" for t in range(20) for d in range(1, 13)]
    (files / "late").write_text("".join(rows))
    (line,) = _said(capsys, "late.qrels", "late", "P@3")
    assert line.startswith("the run: relevant documents are nearer to the end")
    assert line.endswith("not looked at: irpref check does")


@pytest.mark.parametrize("command", ["check", "compare", "gate"])
def test_a_finding_names_the_option_that_mends_it(files: Path, capsys: Any, command: str) -> None:
    _run(files / "turned", MADE.runs["strong"], sign=-1)
    runs = ["turned", *["baseline"] * (command in ("compare", "gate"))]
    main([command, "qrels", *runs, "AP"])
    said = "".join(capsys.readouterr())
    assert "--lower-is-better" in said
    assert "lower_is_better" not in said


def test_in_python_a_finding_names_the_argument(files: Path) -> None:
    _run(files / "turned", MADE.runs["strong"], sign=-1)
    (text,) = irpref_lab.check("qrels", ["turned"], ["AP"]).query("code == 'upside-down'")["text"]
    assert "lower_is_better" in text


def test_the_remedy_of_each_code_is_an_option(capsys: Any) -> None:
    assert main(["eval", "--help"]) == 0
    known = capsys.readouterr().out
    for code in CODES:
        if "{remedy}" in code.says:
            assert f"{option_of(code.remedy)} " in known
