"""Documents that the user knew: what cannot be meant is an error."""

from pathlib import Path

import pytest

import irpref
from irpref.cli import main

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
NONE = "there is no document that the user knew"
UNJUDGED = "none of the 1 documents is judged"


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({}, NONE),
        ({"q1": []}, NONE),
        ([], NONE),
        ({"q1": {"a": 0, "b": 0}}, NONE),
        (({"q1": {"a": 1.0}}, 0), NONE),
        ({"q1": ["x"]}, UNJUDGED),
        ({"q3": ["a"]}, UNJUDGED),
    ],
    ids=str,
)
def test_known_documents_that_are_none(known, text):
    with pytest.raises(irpref.errors.ArgumentError, match=text) as error:
        irpref.judgments(QRELS, known=known)
    assert error.value.parameter == "known"


@pytest.mark.parametrize(
    ("lines", "text"),
    [("", NONE), ("q1 0 a 0\n", NONE), ("q1 0 x 1\n", UNJUDGED)],
    ids=["empty", "all false", "unjudged"],
)
@pytest.mark.parametrize("command", ["eval", "explain"])
def test_a_file_of_them(command, lines, text, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("known").write_text(lines)
    Path("qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    Path("run").write_text("q1 Q0 a 1 1 x\n")
    more = ["-t", "q1"] if command == "explain" else []
    assert main([command, "qrels", "run", "Coverage", "--known", "known", *more]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert text in captured.err
    assert captured.err.count("\n") == 1
