"""Judgments, or one run, from standard input and from named pipes, in every command."""

import io
import os
import sys
import threading
from contextlib import suppress

import pytest

from irpref.cli import main

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

GROUPS = "1 one\n2 two\n3 two\n"
# In each, {q} is the judgments and {r} a run.
COMMANDS = [
    "eval {q} {r} AP nDCG@2",
    "eval {q} {r} runs/r2 AP --groups groups -q --ties input",
    "explain {q} {r} RPref(max_rel=2) -t 1",
    "curve crp {q} {r}",
    "curve pr {q} {r} --float32",
    "plot strip {q} {r} AP -f a.png",
    "crosscheck {q} {r} AP",
    "compare {q} {r} runs/r2 nDCG",
    "gate {q} runs/r2 {r} nDCG",
    "against {q} {r} runs/r2 AP",
    "leaderboard {q} {r} runs/r2 AP",
    "report {q} {r} runs/r2 AP -f page.html",
    "check {q} {r} runs/r2 AP",
    "verify table {q} {r}",
    "intervals {q} {r} AP --over unjudged",
    "fill {q} judge",
    "fill qrels judge --labels 0=0,1=1,2=2",
    "judge {q} judge {r} runs/r2 AP",
    "meta ranking {q} {r} runs/r2 AP nDCG",
    "sample {q} judge {r} runs/r2 P@1 --seed 1",
]


@pytest.fixture
def inputs(files, monkeypatch):
    """Files, and named pipes of the same names in another folder."""
    (files / "groups").write_text(GROUPS)
    (files / "table").write_text("run,NumQ\nr1,3\n")
    (files / "judge").write_text((files / "qrels").read_text() + "3 0 b 1\n3 0 c 0\n")
    for folder in ("runs", "pipes"):
        (files / folder).mkdir()
    for name in ("r1", "r2"):
        (files / "runs" / name).write_bytes((files / name).read_bytes())
    for name in ("qrels", "r1"):
        os.mkfifo(files / "pipes" / name)
    return files


@pytest.fixture
def fed():
    """Write a file to a named pipe once; who opens the pipe again finds nothing in it."""
    over = threading.Event()
    feeders = []

    def feed(pipe, content):
        while not over.is_set():
            # Opening waits for a reader, who may close before all is read.
            with suppress(BrokenPipeError), open(pipe, "wb") as out:
                out.write(content)
            content = b""
            over.wait(0.05)

    def start(pipe, content):
        path = os.path.abspath(pipe)
        feeder = threading.Thread(target=feed, args=(path, content), daemon=True)
        feeders.append((feeder, path))
        feeder.start()

    yield start
    over.set()
    for feeder, path in feeders:
        while feeder.is_alive():  # it may be about to open the pipe, which waits for a reader
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            feeder.join(0.01)
            os.close(reader)


def _outcome(words, capsys, folder):
    for name in ("a.png", "page.html"):
        (folder / name).unlink(missing_ok=True)
    status = main(words)
    made = [(folder / name).exists() for name in ("a.png", "page.html")]
    return status, capsys.readouterr().out, made


@pytest.mark.parametrize("kind", ["stdin", "pipe", "run"])
@pytest.mark.parametrize("command", COMMANDS)
def test_pipes_are_as_good_as_files(command, kind, inputs, fed, capsys, monkeypatch):
    if "report" in command:
        pytest.importorskip("vl_convert")
    if kind == "run" and "{r}" not in command:
        pytest.skip("takes no run")
    plain = command.format(q="qrels", r="runs/r1").split()
    expected = _outcome(plain, capsys, inputs)
    assert expected[0] in (0, 3)
    if kind == "stdin":
        stream = io.TextIOWrapper(io.BytesIO((inputs / "qrels").read_bytes()))
        monkeypatch.setattr(sys, "stdin", stream)
        words = command.format(q="-", r="runs/r1").split()
    elif kind == "pipe":
        fed("pipes/qrels", (inputs / "qrels").read_bytes())
        words = command.format(q="pipes/qrels", r="runs/r1").split()
    else:
        fed("pipes/r1", (inputs / "r1").read_bytes())
        words = command.format(q="qrels", r="pipes/r1").split()
    assert _outcome(words, capsys, inputs) == expected


@pytest.mark.parametrize("command", [c for c in COMMANDS if "{r}" in c])
def test_a_run_from_standard_input(command, inputs, capsys, monkeypatch):
    if "report" in command:
        pytest.importorskip("vl_convert")
    stream = io.TextIOWrapper(io.BytesIO((inputs / "r1").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert _outcome(command.format(q="qrels", r="-").split(), capsys, inputs)[0] in (0, 3)
