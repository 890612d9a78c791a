"""The GitHub action gates a change: its steps run as they are, on files, and it fails closed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shells import qrels_text, run_text, script

yaml = pytest.importorskip("yaml", reason="comes with the extra `datasets`")
ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
(GATE,) = (step for step in STEPS if step.get("id") == "gate")
SCRIPT = script(ROOT / ".github" / "gate.py")
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
    # An environment as the first step makes it, with the installed command, whatever runs the tests.
    home = tmp_path / "runner" / "irpref-gate" / "bin"
    home.mkdir(parents=True)
    (home / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (home / "python").chmod(0o755)
    # `gh` writes down how it was called; an earlier comment is there if a file says so.
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "gh").write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        'case "$*" in\n'
        "  *--jq*) cat earlier 2>/dev/null; exit 0 ;;\n"
        "esac\n"
        'if [ -e forbidden ]; then echo "HTTP 403" >&2; exit 1; fi\n'
        'echo "$GH_TOKEN $*" >> called; cat > body.json\n'
    )
    (bin / "gh").chmod(0o755)
    (tmp_path / "event.json").write_text('{"pull_request": {"number": 7}}')

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
            "token": "secret",
            **{name.replace("_", "-"): text for name, text in inputs.items()},
        }
        env = dict(os.environ)
        for name, text in GATE["env"].items():
            (asked,) = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text).groups()  # type: ignore[union-attr]
            env[name] = given[asked]
        summary, output = tmp_path / "summary.md", tmp_path / "output"
        summary.write_text("")
        output.write_text("")
        env |= {
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_REPOSITORY": "me/search",
            "RUNNER_TEMP": str(tmp_path / "runner"),
        }
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
    asked = {re.sub(r"[^\w-]|inputs", "", text) for text in GATE["env"].values()}
    assert asked == set(ACTION["inputs"])
    for name, text in GATE["env"].items():
        assert name == "GATE_" + re.sub(r"[^\w-]|inputs", "", text).upper().replace("-", "_")
    assert {"qrels", "baseline", "candidate", "measures", "margin", "groups", "missing"} <= asked


@posix
@pytest.mark.slow
def test_a_change_that_is_no_worse_passes(gated: Callable[..., Outcome]) -> None:
    done = gated()
    assert (done.status, done.verdict) == (0, "pass"), done
    assert done.summary.startswith("## irpref gate: the change may ship\n\npassed: ")
    assert "| nDCG@10" in done.summary
    last = done.out.splitlines()[-1]
    assert last.startswith("::notice title=irpref gate::passed: nDCG@10 +")
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
        ({"candidate": "absent.run"}, 2, "error", "input `candidate`: absent.run: no such file"),
        ({"reference": "absent.run"}, 2, "error", "input `reference`: absent.run: no such file"),
        ({"measures": ""}, 2, "error", "input `measures`: no measure given"),
        ({"measures": "nDCG@10 --help"}, 2, "error", "'--help' is neither a file nor a measure"),
        ({"measures": "nDGC@10"}, 2, "error", "input `measures`: unknown measure 'nDGC'"),
        ({"qrels": "--help"}, 2, "error", "input `qrels`: --help: no such file"),
        ({"qrels": ""}, 2, "error", "input `qrels`: empty, expected a file of judgments"),
        ({"baseline": " "}, 2, "error", "input `baseline`: empty, expected a run file"),
        ({"margin": "much"}, 2, "error", "input `margin`: 'much': expected a difference"),
        ({"margin": ""}, 2, "error", "input `margin`: '': expected a difference"),
        ({"missing": "2"}, 2, "error", "input `missing`: '2'"),
        ({"format": "word"}, 2, "error", "input `format`: 'word'"),
        ({"groups": "absent.txt"}, 2, "error", "input `groups`: 'absent.txt' is neither a file"),
        ({"margin": "2"}, 2, "error", "input `margin`: 2.0 is not accepted"),
        ({"qrels": "baseline.run"}, 2, "error", "judgments belong in `qrels`"),
        ({"columns": "name=id"}, 2, "error", "input `columns`: 'name' is not one of ours"),
        ({"columns": "relevance=stars"}, 2, "error", "`columns: relevance=stars`: no column"),
        ({"candidate": "; exit 0"}, 2, "error", "input `candidate`"),
        ({"allow_inconclusive": "maybe"}, 2, "error", "input `allow-inconclusive`: 'maybe'"),
        ({"comment": ""}, 2, "error", "input `comment`: ''"),
    ],
)
def test_everything_else_fails(
    inputs: dict[str, str], status: int, verdict: str, text: str, gated: Callable[..., Outcome]
) -> None:
    done = gated(**inputs)
    assert (done.status, done.verdict) == (status, verdict), done
    assert text in done.summary
    last = done.out.splitlines()[-1]
    assert last.startswith("::error title=irpref gate::")
    # The annotation has the sentence, with numbers, or the error; options of the shell are not named.
    numbers = {"block": "blocked: nDCG@10 is worse, -0.", "inconclusive": "cannot tell: "}
    assert numbers.get(verdict, text) in last
    if verdict == "error":
        assert not re.search(r"--(?!help)", done.summary)


@posix
@pytest.mark.slow
def test_by_choice_a_change_passes_that_the_data_cannot_decide(
    gated: Callable[..., Outcome],
) -> None:
    done = gated(baseline="few.run", allow_inconclusive="true")
    assert (done.status, done.verdict) == (0, "inconclusive")
    assert done.out.splitlines()[-1].startswith("::warning title=irpref gate::cannot tell: ")
    assert gated(candidate="worse.run", allow_inconclusive="true").status == 1
    assert gated(candidate="absent.run", allow_inconclusive="true").status == 2


@posix
@pytest.mark.slow
def test_by_choice_one_comment_on_the_pull_request_has_the_summary(
    gated: Callable[..., Outcome], tmp_path: Path
) -> None:
    done = gated(comment="true")
    called = tmp_path / "called"
    assert called.read_text().split()[:3] == ["secret", "api", "repos/me/search/issues/7/comments"]
    body = json.loads((tmp_path / "body.json").read_text())["body"]
    mark, _, text = body.partition("\n")
    assert re.fullmatch(r"<!-- irpref gate \w+ -->", mark)
    assert text == done.summary
    # A second time it is brought up to date.
    (tmp_path / "earlier").write_text("123\n")
    called.unlink()
    assert gated(comment="true").status == 0
    assert "issues/comments/123 --method PATCH" in called.read_text()
    # Where it may not be written, the verdict stays.
    (tmp_path / "forbidden").touch()
    done = gated(comment="true")
    assert (done.status, done.verdict) == (0, "pass")
    assert "pull-requests: write" in done.out.splitlines()[-1]
    assert "HTTP 403" in done.out.splitlines()[-1]
    # Without a pull request there is nothing to comment on, and nobody else's job has a comment.
    called.unlink()
    (tmp_path / "event.json").write_text("{}")
    assert gated(comment="true").status == gated().status == 0
    assert not called.exists()


def test_measures_are_split_at_blanks_outside_of_brackets() -> None:
    for text, names in {
        "nDCG@10 RPref(norm='relative', max_rel=4)": [
            "nDCG@10",
            "RPref(norm='relative', max_rel=4)",
        ],
        "AP\n  R@100\n": ["AP", "R@100"],
        "nDCG(gains={1: 1, 2: 3})@10\tAP(rel=2)": ["nDCG(gains={1: 1, 2: 3})@10", "AP(rel=2)"],
        "P(rel=1 AP": ["P(rel=1 AP"],
        "": [],
    }.items():
        assert SCRIPT.measures(text) == names


def test_only_what_is_given_is_passed_on() -> None:
    given = {name: "" for name in ACTION["inputs"]}
    given |= {"qrels": "q", "baseline": "a", "candidate": "b", "measures": "AP", "margin": ".1"}
    words = ["--margin=.1", "--missing=", "--output=markdown", "--", "q", "a", "b", "AP"]
    assert SCRIPT.arguments(given) == words
    given |= {"reference": "last release.run", "groups": "g.txt"}
    options = SCRIPT.arguments(given)[: -len(words) + 2]
    assert {"--reference=last release.run", "--groups=g.txt"} <= set(options)


@pytest.mark.parametrize(
    ("status", "table", "verdict"),
    [
        (0, "", "error"),
        (1, " \n", "error"),
        (127, "table", "error"),
        (-9, "table", "error"),
        (0, "table", "pass"),
        (1, "table", "block"),
        (3, "table", "inconclusive"),
    ],
)
def test_without_status_and_table_there_is_no_verdict(
    status: int, table: str, verdict: str
) -> None:
    assert SCRIPT.outcome(status, table, "").verdict == verdict
    assert SCRIPT.outcome(status, table, "").sentence


@posix
def test_without_the_environment_it_fails(gated: Callable[..., Outcome], tmp_path: Path) -> None:
    python = tmp_path / "runner" / "irpref-gate" / "bin" / "python"
    python.write_text("#!/bin/sh\nexit 127\n")
    done = gated()
    assert done.status == 127
    assert done.verdict == ""


@posix
@pytest.mark.slow
def test_a_fault_of_the_script_is_no_block(gated: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text("no JSON")
    python = tmp_path / "runner" / "irpref-gate" / "bin" / "python"
    python.write_text(
        f'#!/bin/sh\nunset GITHUB_OUTPUT\nexec 2>/dev/null\nexec "{sys.executable}" "$@"\n'
    )
    assert gated().status == 2


@posix
def test_the_first_step_makes_an_environment_and_takes_no_module_of_the_checkout(
    tmp_path: Path,
) -> None:
    """`pip` is a stand-in that writes down its words: what is installed is tried in `.ci`."""
    (install,) = (step for step in STEPS if step is not GATE)
    python = f'#!/bin/sh\nif [ "$3" = venv ]; then shift; exec {shlex.quote(sys.executable)} -I -m venv --without-pip "$3"; fi\necho wrong >&2; exit 1\n'
    for folder in ("bin", "checkout", "temp"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / "python").write_text(python)
    (tmp_path / "bin" / "python").chmod(0o755)
    for name in ("pip", "venv", "ensurepip"):
        (tmp_path / "checkout" / f"{name}.py").write_text("raise SystemExit('of the checkout')")
    env = {
        **os.environ,
        "PATH": os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]),
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_ACTION_PATH": str(ROOT),
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", install["run"]],
        cwd=tmp_path / "checkout",
        env=env,
        capture_output=True,
        text=True,
    )
    # An environment without pip was made, and pip was asked for there, not in the checkout.
    assert "No module named pip" in done.stderr
    assert str(tmp_path / "temp" / "irpref-gate" / "bin" / "python") in done.stderr


@posix
@pytest.mark.slow
def test_what_inputs_hold_is_never_run(gated: Callable[..., Outcome], tmp_path: Path) -> None:
    done = gated(candidate="$(touch hacked).run")
    assert done.verdict == "pass"
    files = ("qrels", "baseline", "candidate", "measures", "margin", "groups", "columns")
    for text in (
        "$(touch hacked)",
        "`touch hacked`",
        '"; touch hacked; "',
        "nDCG@10; touch hacked",
    ):
        assert gated(**dict.fromkeys(files, text)).status != 0
    assert not (tmp_path / "hacked").exists()
    # A line that a file's name brings is no command to the runner.
    (tmp_path / "\n::add-mask::x").write_text("no run\n")
    lines = gated(candidate="\n::add-mask::x").out.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("::stop-commands::"))
    end = lines.index(f"::{lines[begin].rpartition('::')[2]}::")
    outside = [*lines[:begin], *lines[end + 1 :]]
    assert not any(line.startswith("::add-mask") for line in outside)
