"""The account that owns the repository, `OWNER` until it is filled in: a release without one is refused."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PLACES = ["pyproject.toml", "README.md", "CITATION.cff", "examples"]  # with the address


def unfilled(root):
    """Files in which `OWNER` stands where a name must."""
    files = [
        file
        for place in PLACES
        for file in (
            [root / place] if (root / place).is_file() else sorted((root / place).rglob("*.ipynb"))
        )
    ]
    return [
        file.relative_to(root).as_posix()
        for file in files
        if re.search(r"\bOWNER\b", file.read_text(encoding="utf-8"))
    ]


def filling_in():
    """The line of CONTRIBUTING.md that fills it in."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ *(sed -i .*OWNER.*)$", text, re.M)
    return line


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def test_on_a_tag_the_owner_is_filled_in():
    if not any(re.match(r"v\d", tag) for tag in git("tag", "--points-at", "HEAD")):
        pytest.skip("no release is tagged here")
    assert unfilled(ROOT) == [], (
        f"fill in the account that owns the repository (CONTRIBUTING.md, Release): {filling_in()}"
    )


def test_the_address_is_in_the_files_that_the_list_fills_in_and_nowhere_else(tmp_path):
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    owner = urls["Repository"].split("/")[-2]
    others = [
        *(ROOT / "docs").rglob("*.md"),
        *(path for path in ROOT.glob("*.md") if path.name not in PLACES),
    ]
    address = rf"github\.(com|io)/\S*irpref|{re.escape(owner)}\.github\.io"
    assert [path for path in others if re.search(address, path.read_text(encoding="utf-8"))] == []
    assert urls["Issues"] == urls["Repository"] + "/issues"
    assert urls["Changelog"].startswith(urls["Repository"] + "/")
    # The line of the list fills in all of them.
    for place in PLACES:
        (shutil.copytree if (ROOT / place).is_dir() else shutil.copy)(
            ROOT / place, tmp_path / place
        )
    if owner == "OWNER" and sys.platform == "linux":  # where sed takes -i so
        assert unfilled(tmp_path)
        subprocess.run(["bash", "-ec", filling_in()], cwd=tmp_path, check=True)
        assert unfilled(tmp_path) == []


@pytest.mark.skipif(os.name == "nt" or shutil.which("git") is None, reason="needs bash and git")
def test_the_workflow_refuses_an_owner_that_is_not_filled_in(tmp_path):
    yaml = pytest.importorskip("yaml", reason="comes with the extra `datasets`")
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    (step,) = (
        step for step in workflow["jobs"]["build"]["steps"] if "OWNER" in step.get("run", "")
    )
    for name in PLACES[:3]:
        (tmp_path / name).write_text("https://github.com/me/irpref\n")
    (tmp_path / "examples").mkdir()
    for text, status in (("me", 0), ("OWNER", 1)):
        (tmp_path / "examples" / "a.ipynb").write_text(text)
        subprocess.run("git init -q && git add -A", shell=True, cwd=tmp_path, check=True)
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == status
    assert "examples/a.ipynb" in done.stdout
    assert "CONTRIBUTING.md" in done.stdout
