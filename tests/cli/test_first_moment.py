"""What a shell sees of a command that is interrupted as it begins, or whose errors nobody can read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_server import CLOSED, CommandServer
from irpref.cli import main

PROGRAM = "import irpref_command, os; os.write(1, b'.'); irpref_command.script()"
COMMAND = [sys.executable, "-c", PROGRAM]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("seconds", [0.02, 0.05, 0.1, 0.2, 0.35, 0.5])
def test_an_interrupt_is_one_line_from_the_beginning(seconds: float, tmp_path: Path) -> None:
    # It waits for standard input, if it gets there.
    command = [*COMMAND, "eval", str(tmp_path / "qrels"), "-", "AP"]
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    read, write = os.pipe()
    with subprocess.Popen(
        command, stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
            os.close(read)
            os.close(write)
    assert (process.returncode, said) == (130, "irpref: interrupted\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["gate", "q", "a", "b", "AP"], 3),
        (["gate", "q", "none", "b", "AP"], 2),
        (["gate", "q", "a", "b", "AP", "--nothing"], 2),
        (["eval", "q", "a", "AP"], 0),
        (["eval", "q", "none", "AP"], 1),
    ],
    ids=["verdict", "no file", "no option", "values", "no run"],
)
@pytest.mark.parametrize("error", ["/dev/full", "closed"])
def test_a_status_does_not_depend_on_standard_error(
    arguments: list[str],
    status: int,
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command_server: CommandServer,
) -> None:
    _write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    if error == "closed":
        assert command_server(*arguments, stderr=CLOSED).returncode == status
    else:
        with open(error, "w") as full:
            assert command_server(*arguments, stderr=full).returncode == status


def test_a_shell_may_close_standard_error_from_the_beginning(tmp_path: Path) -> None:
    _write_files(tmp_path)
    command = [sys.executable, "-m", "irpref", "gate", "q", "a", "b", "AP"]
    done = subprocess.run(
        ["sh", "-c", '"$@" 2>&-', "sh", *command], stdout=subprocess.DEVNULL, cwd=tmp_path
    )
    assert done.returncode == 3


def _write_files(folder: Path) -> None:
    (folder / "q").write_text("1 0 d 1\n1 0 e 0\n2 0 d 1\n2 0 e 0\n3 0 e 1\n")
    (folder / "a").write_text("1 Q0 d 1 2 x\n1 Q0 e 2 1 x\n2 Q0 d 1 1 x\n")
    (folder / "b").write_text("1 Q0 e 1 2 x\n1 Q0 d 2 1 x\n2 Q0 d 1 1 x\n")


@pytest.mark.parametrize(("command", "status"), [("eval q a AP", 1), ("gate q a b AP", 2)])
def test_a_fault_of_irpref_is_no_verdict(
    command: str,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TypeError("a fault")

    _write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("irpref.judged.judgments.Judgments.pool", fail)
    assert main(command.split()) == status
    *lines, last = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback")
    assert "TypeError" in last
