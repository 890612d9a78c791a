"""The GitHub action gates a change: its steps run as they are, on files, and it fails closed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shells import qrels_text, run_text

yaml = pytest.importorskip("yaml", reason="comes with the extra `datasets`")
ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
(GATE,) = (step for step in STEPS if step.get("id") == "gate")
posix = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")


class Outcome(NamedTuple):
    status: int
    out: str
    summary: str
    verdict: str


def ranking(first: list[str], n_topics: int = 60) -> dict[str, dict[str, float]]:
    """A run that ranks the same documents first in each topic, but for one topic in four."""
    run = {}
    for topic in range(n_topics):
        docs = first if topic % 4 else first[::-1]
        run[str(topic)] = {doc: float(len(docs) - i) for i, doc in enumerate(docs)}
    return run


@pytest.fixture
def gated(tmp_path: Path) -> Callable[..., Outcome]:
    """Run the step on files of judgments and runs, in a folder of its own."""
    qrels = {str(t): {"good": 2, "fair": 1, "bad": 0, "worse": 0} for t in range(60)}
    runs = {
        "baseline.run": ranking(["fair", "good", "bad", "worse"]),
        "better.run": ranking(["good", "fair", "bad", "worse"]),
        "worse.run": ranking(["bad", "worse", "fair", "good"]),
        "few.run": ranking(["good", "fair", "bad", "worse"], 20),
        "$(touch hacked).run": ranking(["good", "fair", "bad", "worse"]),
    }
    (tmp_path / "qrels.txt").write_text(qrels_text(qrels))
    for name, run in runs.items():
        (tmp_path / name).write_text(run_text(run))
    (tmp_path / "groups.csv").write_text(
        "".join(f"{t},{'head' if t < 30 else 'tail'} queries\n" for t in range(60))
    )
    # The installed command, whatever runs the tests.
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "irpref").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m irpref "$@"\n')
    (bin / "irpref").chmod(0o755)

    def run_step(**inputs: str) -> Outcome:
        given = {
            "qrels": "qrels.txt",
            "baseline": "baseline.run",
            "candidate": "better.run",
            "measures": "nDCG@10 AP",
            **{
                name: about.get("default", "")
                for name, about in ACTION["inputs"].items()
                if not about.get("required")
            },
            **inputs,
        }
        env = dict(os.environ)
        for name, text in GATE["env"].items():
            (asked,) = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text).groups()  # type: ignore[union-attr]
            env[name] = given[asked]
        summary, output = tmp_path / "summary.md", tmp_path / "output"
        summary.write_text("")
        output.write_text("")
        env |= {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
        env["PATH"] = os.pathsep.join([str(bin), env["PATH"]])
        script = tmp_path / "step.sh"
        script.write_text(GATE["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.stderr == ""
        return Outcome(
            done.returncode,
            done.stdout,
            summary.read_text(),
            output.read_text().strip().removeprefix("verdict="),
        )

    return run_step


def test_inputs_reach_scripts_as_variables_only() -> None:
    for step in STEPS:
        assert "${{" not in step["run"]
    asked = {re.sub(r"\W|inputs", "", text) for text in GATE["env"].values()}
    assert asked == set(ACTION["inputs"])
    assert {"qrels", "baseline", "candidate", "measures", "margin", "groups", "missing"} <= asked


@posix
@pytest.mark.slow
def test_a_change_that_is_no_worse_passes(gated: Callable[..., Outcome]) -> None:
    done = gated()
    assert (done.status, done.verdict) == (0, "pass"), done
    assert done.summary.startswith("## irpref gate: the change may ship\n\npassed: ")
    assert "| nDCG@10" in done.summary
    assert "::error" not in done.out
    grouped = gated(groups="groups.csv", measures="nDCG@10\nAP\n")
    assert grouped.verdict == "pass"
    assert "| head queries |" in re.sub(" +", " ", grouped.summary)


@posix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("inputs", "status", "verdict", "text"),
    [
        ({"candidate": "worse.run"}, 1, "block", "blocked: the change is worse"),
        ({"baseline": "few.run"}, 3, "inconclusive", "the data cannot tell"),
        ({"candidate": "absent.run"}, 2, "error", "absent.run: no such file"),
        ({"measures": ""}, 2, "error", "no measure given"),
        ({"measures": "nDCG@10 --help"}, 2, "error", "--help"),
        ({"qrels": "--help"}, 2, "error", "--help: no such file"),
        ({"margin": "much"}, 2, "error", "'much': expected a difference"),
        ({"margin": ""}, 2, "error", "'': expected a difference"),
        ({"groups": "absent.txt"}, 2, "error", "absent.txt"),
        ({"columns": "relevance=stars"}, 2, "error", "no column 'stars'"),
        ({"candidate": "; exit 0"}, 2, "error", "neither a file nor a measure"),
    ],
)
def test_everything_else_fails(
    inputs: dict[str, str], status: int, verdict: str, text: str, gated: Callable[..., Outcome]
) -> None:
    done = gated(**inputs)
    assert (done.status, done.verdict) == (status, verdict), done
    assert text in done.summary
    assert done.out.splitlines()[-1].startswith(f"::error title=irpref gate::{verdict[:5]}")


@posix
def test_without_the_command_it_fails(gated: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "bin" / "irpref").write_text("#!/bin/sh\nexit 0\n")  # and prints nothing
    done = gated()
    assert (done.status, done.verdict) == (2, "error")
    (tmp_path / "bin" / "irpref").write_text("#!/bin/sh\nexit 127\n")
    assert gated().status == 127


@posix
@pytest.mark.slow
def test_what_inputs_hold_is_never_run(gated: Callable[..., Outcome], tmp_path: Path) -> None:
    done = gated(candidate="$(touch hacked).run")
    assert done.verdict == "pass"
    for text in (
        "$(touch hacked)",
        "`touch hacked`",
        '"; touch hacked; "',
        "nDCG@10; touch hacked",
    ):
        assert gated(**dict.fromkeys(ACTION["inputs"], text)).status != 0
    assert not (tmp_path / "hacked").exists()
    # A line that a file's name brings is no command to the runner.
    (tmp_path / "\n::add-mask::x").write_text("no run\n")
    lines = gated(candidate="\n::add-mask::x").out.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("::stop-commands::"))
    end = lines.index(f"::{lines[begin].rpartition('::')[2]}::")
    outside = [*lines[:begin], *lines[end + 1 :]]
    assert not any(line.startswith("::add-mask") for line in outside)
