"""The common part of tests of the command line: judgments and runs as files, and a call of the
command."""

import importlib.util
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from irpref.cli import main

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 d 0\n3 0 a 1\n"
R1 = "1 Q0 a 1 3 t\n1 Q0 c 2 2 t\n1 Q0 b 3 1 t\n2 Q0 d 1 2 t\n2 Q0 a 2 1 t\n"
R2 = "1 Q0 c 1 3 t\n1 Q0 a 2 2 t\n2 Q0 a 1 2 t\n2 Q0 d 2 1 t\n3 Q0 a 1 1 t\n"

MISSING = (
    "irpref: check: the run has no documents for 1 of 3 topics (first '3'); it counts as an empty "
    "ranking\n"
)

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write judgments and two runs into a directory, which becomes the current one."""
    for name, text in (("qrels", QRELS), ("r1", R1), ("r2", R2)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(files: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the command in this process: status, output, errors but for findings (`r1` lacks a
    topic).
    """

    def called(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return (
            status,
            out,
            "".join(
                line for line in err.splitlines(True) if not line.startswith("irpref: check: ")
            ),
        )

    return called


def qrels_text(qrels: Mapping[Any, Mapping[Any, Any]]) -> str:
    """Write a file of these judgments."""
    return "".join(
        f"{topic} 0 {doc} {grade}\n" for topic, docs in qrels.items() for doc, grade in docs.items()
    )


def run_text(run: Mapping[Any, Mapping[Any, Any]]) -> str:
    """Write a file of this run."""
    return "".join(
        f"{topic} Q0 {doc} 0 {score} tag\n"
        for topic, docs in run.items()
        for doc, score in docs.items()
    )


def script(path: Path) -> Any:
    """Load a script of the repository, which is in no package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def golden(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")
