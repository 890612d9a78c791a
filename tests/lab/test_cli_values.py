"""`--values`: files of values by topic in place of judgments and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import irpref_lab
from irpref.cli import main

TOOLS = Path(__file__).parent / "values_of_tools"
FILES = [str(TOOLS / "ir_measures" / f"{name}.txt") for name in ("baseline", "noisy")]


def test_compare_prints_what_python_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *FILES, "nDCG@10", "map"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("values only: nDCG@10")
    expected = irpref_lab.compare(["nDCG@10", "AP"], irpref_lab.values(FILES), "baseline", "noisy")
    assert f"{expected['difference'][0]:+.4f}" in printed


def test_gate_has_the_status_of_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["gate", "--values", *FILES, "nDCG@10"])
    decision = irpref_lab.gate("nDCG@10", irpref_lab.values(FILES), "baseline", "noisy")
    assert status == {"pass": 0, "block": 1, "inconclusive": 3}[decision.verdict]
    printed = capsys.readouterr().out
    assert printed.startswith("values only")
    assert "nan" not in printed


def test_leaderboard_and_against(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("leaderboard", "against"):
        assert main([command, "--values", *FILES, "AP"]) == 0
        printed = capsys.readouterr().out
        assert "noisy" in printed
        assert "values only" in printed


def test_a_measure_without_values_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *FILES, "no-such-measure"]) == 1
    assert "no-such-measure" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [FILES[0], "AP"],
        FILES,
        [*FILES, "AP", "--judge", FILES[0]],
    ],
)
def test_what_is_missing_is_said(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *words]) == 2
    assert capsys.readouterr().err
