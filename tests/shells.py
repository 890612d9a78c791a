"""What tests of the command line share: judgments and two runs as files, and a call of the command."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from irpref.cli import main

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 d 0\n3 0 a 1\n"
R1 = "1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n1 Q0 b 3 1 t\n2 Q0 d 1 2 t\n2 Q0 a 2 1 t\n"
R2 = "1 Q0 c 1 3 t\n1 Q0 a 2 2 t\n2 Q0 a 1 2 t\n2 Q0 d 2 1 t\n3 Q0 a 1 1 t\n"

MISSING = "irpref: check: no documents for 1 of 3 topics, first '3'; they count as empty rankings\n"

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with judgments and two runs, as the current one."""
    for name, text in (("qrels", QRELS), ("r1", R1), ("r2", R2)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(files: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the command in this process: status, output, errors but for findings (`r1` lacks a topic)."""

    def called(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, "".join(line for line in err.splitlines(True) if not line.startswith("irpref: check: "))

    return called


def golden(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")
