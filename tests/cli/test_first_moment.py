"""What a shell sees of a command that is interrupted as it begins, or whose errors nobody can read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
    arguments: list[str], status: int, error: str, tmp_path: Path
) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n1 0 e 0\n2 0 d 1\n2 0 e 0\n3 0 e 1\n")
    (tmp_path / "a").write_text("1 Q0 d 1 2 x\n1 Q0 e 2 1 x\n2 Q0 d 1 1 x\n")
    (tmp_path / "b").write_text("1 Q0 e 1 2 x\n1 Q0 d 2 1 x\n2 Q0 d 1 1 x\n")
    program = [sys.executable, "-m", "irpref", *arguments]
    where = "2>&-" if error == "closed" else f"2>{error}"
    done = subprocess.run(
        ["sh", "-c", f'"$@" {where}', "sh", *program], stdout=subprocess.DEVNULL, cwd=tmp_path
    )
    assert done.returncode == status
