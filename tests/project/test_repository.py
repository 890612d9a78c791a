"""What GitHub and contributors read: workflows, templates, entries of the changelog, hooks."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="comes with the extra `datasets`")
ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def runs(workflow):
    return [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]


WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_scripts_of_workflows_hold_nothing_that_others_write(path):
    workflow = read(path)
    for script in runs(workflow):
        assert not re.search(r"\$\{\{(?! matrix\.)", script), script
    assert workflow["permissions"] == {"contents": "read"}


# The first major version of each action that runs on Node 24; runners no longer have Node 20. Those
# that are missing here run on no Node: composite ones, and Docker's.
ON_NODE_24 = {
    "actions/checkout": 5,
    "actions/setup-python": 6,
    "actions/setup-java": 5,
    "actions/upload-artifact": 6,
    "actions/download-artifact": 7,
    "actions/upload-pages-artifact": 5,
    "actions/deploy-pages": 5,
}
ON_NO_NODE = {"egor-tensin/vs-shell", "pypa/cibuildwheel", "pypa/gh-action-pypi-publish"}


@pytest.mark.parametrize(
    "path",
    [*WORKFLOWS, ROOT / "action.yml", ROOT / "docs" / "better.md"],
    ids=lambda path: path.stem,
)
def test_actions_run_on_a_node_that_runners_have(path):
    """Workflows here, and the one that users copy."""
    for action, version in re.findall(r"uses: (\w[\w.-]*/[\w./-]+)@(\S+)", path.read_text("utf-8")):
        if action not in ON_NO_NODE:
            assert int(re.match(r"v(\d+)", version)[1]) >= ON_NODE_24[action], action


def test_one_workflow_runs_all_checks_and_one_measures_coverage():
    scripts = "\n".join(runs(read(GITHUB / "workflows" / "ci.yml")))
    assert ".ci/run\n" in scripts
    assert "--cov" in scripts
    assert "towncrier check" in scripts


def test_a_wrong_value_comes_with_what_shows_it():
    form = read(GITHUB / "ISSUE_TEMPLATE" / "wrong_value.yml")
    needed = {
        part["id"] for part in form["body"] if part.get("validations", {}).get("required") is True
    }
    assert {"qrels", "run", "measure", "value", "expected", "source"} <= needed


def test_entries_of_the_changelog_have_a_kind_and_a_text():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    kinds = [kind["directory"] for kind in settings["tool"]["towncrier"]["type"]]
    assert kinds == ["added", "changed", "deprecated", "removed", "fixed", "security"]
    for path in (ROOT / "changelog.d").iterdir():
        if path.name not in settings["tool"]["towncrier"]["ignore"]:
            name = rf"(\d+|\+[\w-]+)\.({'|'.join(kinds)})(\.\d+)?\.md"
            assert re.fullmatch(name, path.name), path.name
            assert len(path.read_text(encoding="utf-8").split()) > 3
    start = settings["tool"]["towncrier"]["start_string"]
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count(start) == 1


def test_hooks_have_the_version_of_ruff_that_was_last_used():
    (ruff,) = (
        repo for repo in read(ROOT / ".pre-commit-config.yaml")["repos"] if "ruff" in repo["repo"]
    )
    newest = (ROOT / ".ci" / "constraints-newest.txt").read_text(encoding="utf-8")
    assert f"ruff=={ruff['rev'].removeprefix('v')}\n" in newest


# Scripts that write into the checkout -------------------------------------------------------------

GUARD = ROOT / "docs" / "own_source.py"
SCRIPTS = sorted(
    path
    for folder, pattern in (("docs", "make_*.py"), ("study", "*.py"), ("benchmarks", "*.py"))
    for path in (ROOT / folder).glob(pattern)
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8") or path.stem == "__main__"
)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_script_asks_first_whose_irpref_it_has(path):
    text = path.read_text(encoding="utf-8")
    start = (
        text.index("\n", text.rfind('if __name__ == "__main__":')) if "make_" in path.stem else 0
    )
    assert "own_source" in text[start:]
    if path.parent == ROOT / "docs":
        assert text[start:].lstrip().startswith("import own_source")


def test_only_the_irpref_of_this_checkout_will_do(tmp_path):
    for home, status in ((ROOT / "src", 0), (tmp_path, 1)):
        (tmp_path / "irpref").mkdir(exist_ok=True)
        (tmp_path / "irpref" / "__init__.py").touch()
        done = subprocess.run(
            [sys.executable, "-S", GUARD],
            env={**os.environ, "PYTHONPATH": str(home)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stderr
    assert "pip install -e" in done.stderr
    assert str(tmp_path / "irpref") in done.stderr


# The tests that a new measure can break -----------------------------------------------------------


def over_all(function):
    """Whether a test goes over all measures, or over all worked examples."""
    loops = [
        loop.iter for loop in ast.walk(function) if isinstance(loop, (ast.For, ast.comprehension))
    ]
    return any(
        re.search(r"\b(registered\(\)(?!\[)|examples\(\)|WORKED\b)", ast.unparse(i)) for i in loops
    )


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda p: p.stem)
def test_what_goes_over_all_measures_is_found_by_the_command_of_contributing(path):
    """It chooses by the name of the measure, of its example, and by the marker."""
    unmarked = [
        function.name
        for function in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(function, ast.FunctionDef)
        and function.name.startswith("test")
        and over_all(ast.Module(function.body, []))
        and not any("registry" in ast.unparse(mark) for mark in function.decorator_list)
    ]
    assert unmarked == []
