"""CONTRIBUTING.md as a stranger types it, in a clone: no line breaks the checkout."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
# Takes minutes, and is a step of `.ci/run`. What a release takes is tried in test_release.py.
ELSEWHERE = ("python -m sphinx",)

Type = Callable[[str], "subprocess.CompletedProcess[str]"]


def git(home: Path, *words: str) -> str:
    """Run git there."""
    return subprocess.run(
        ["git", *words], cwd=home, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with what is not committed yet, and an environment that sees what is installed here."""
    if os.name == "nt" or shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs a POSIX shell and a repository")
    home = tmp_path_factory.mktemp("clone") / "irpref"
    git(ROOT, "clone", "-q", str(ROOT), str(home))
    for name in git(ROOT, "ls-files", "-mo", "--exclude-standard").splitlines():
        (home / name).unlink(missing_ok=True)
        if (ROOT / name).is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, home / name)
    git(home, "add", "-A")
    who = ("-c", "user.name=stranger", "-c", "user.email=stranger@example.org")
    git(home, *who, "commit", "-q", "--allow-empty", "-m", "as it is")
    subprocess.run([sys.executable, "-m", "venv", home / ".venv"], check=True)
    (packages,) = (home / ".venv").glob("lib/python*/site-packages")
    # Folders named so are searched, but their own .pth files, such as that of irpref, are not read.
    (packages / "installed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home


@pytest.fixture(scope="module")
def typed(clone: Path) -> Type:
    """Type a line in the clone: pip takes what is there, pytest only collects."""
    here = [str(clone / ".venv" / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    settings = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    settings |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTEST_ADDOPTS": "--collect-only -q"}
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}

    def call(line: str) -> subprocess.CompletedProcess[str]:
        # Those beside it do the collecting many times over.
        line = line.replace("pytest -n auto", "python -m pytest").replace("mypy", "python -m mypy")
        return subprocess.run(
            ["bash", "-ec", line],
            cwd=clone,
            env={**kept, **settings, "PATH": os.pathsep.join(here)},
            capture_output=True,
            text=True,
            timeout=600,
        )

    return call


@pytest.mark.slow
def test_every_line_leaves_a_checkout_that_works(clone: Path, typed: Type) -> None:
    words = [word for line in LINES for word in line.split(" && ")]
    installs = [word for word in words if word.startswith("pip install")]
    assert len(installs) >= 2
    for word in words:
        if word.startswith(("git clone", "cd ", "python -m venv", ". ", *ELSEWHERE)):
            continue
        done = typed(word)
        assert done.returncode == 0, (word, done.stdout[-2000:] + done.stderr[-2000:])
        where = typed("python -c 'import irpref; print(irpref.__file__)'").stdout
        assert where.strip() == str(clone / "src/irpref/__init__.py"), word
    for script in ("make_readme.py", "make_types.py"):
        assert typed(f"python docs/{script}").returncode == 0
    assert git(clone, "status", "--porcelain") == ""


@pytest.mark.slow
def test_scripts_refuse_a_copy_and_say_how_to_install(clone: Path, typed: Type) -> None:
    assert typed("pip install .").returncode == 0
    for script in ("docs/make_readme.py", "docs/make_types.py", "-m study", "-m benchmarks"):
        done = typed(f"python {script}")
        assert done.returncode == 1, script
        assert "run pip install -e" in done.stderr
    assert git(clone, "status", "--porcelain") == ""


# What holds all measures at once, in tests that are not run one by one for each.
AT_ONCE = {"VARIANTS", "EVERY_SCALE_FREE", "PLAIN", "usual", "assert_all_agree"}


@pytest.mark.registry
def test_tests_of_all_measures_at_once_are_selected_by_the_command_of_the_tutorial() -> None:
    texts = {path: path.read_text("utf8") for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    of_all = {
        path: text
        for path, text in texts.items()
        if re.search(r"import VARIANTS|^VARIANTS =|^def assert_all_agree", text, re.MULTILINE)
    }
    assert len(of_all) > 3
    for path, text in of_all.items():
        for node in ast.parse(text).body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            arguments = {argument.arg for argument in node.args.args}
            used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if AT_ONCE & (used | arguments) and not arguments & {"name", "measure"}:
                marks = [ast.unparse(decorator) for decorator in node.decorator_list]
                assert "pytest.mark.registry" in marks, f"{path.name}: {node.name}"
