"""The five steps of CONTRIBUTING.md, taken in a copy of the repository: nothing else has to be written.

Three measures are added: the tutorial's, a sum of which an ideal list does not score 1; one with a
logarithm; and one that is lower-is-better and no sum.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "tutorials" / "adding-a-measure.md"
STEPS = ROOT / "CONTRIBUTING.md"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in (PAGE, STEPS) if page.is_file())


def block(start):
    """The code block of the page that begins so."""
    found = [
        code
        for code in re.findall(r"```[^\n]*\n(.*?)```", TEXT, flags=re.S)
        if code.startswith(start)
    ]
    return found[0] if found else ""


EXAMPLE = block('{\n  "id": "graded-rbp"')
ORACLE = "\n\n" + block("@formula")
MEASURE = block('"""Rank-biased precision with graded gains')
ADDED = Path(__file__).with_name("added")
IMPORTS = """from irpref.measures.first_discount import FirstDiscount
from irpref.measures.graded_rbp import GradedRBP
from irpref.measures.wasted_share import WastedShare
"""
TABLE = "\n" + "\n".join(
    block(f"[{name}]") or f'[{name}]\ngroup = "Sets and precision"\n'
    for name in ("GradedRBP", "FirstDiscount", "WastedShare")
)
IDEAL = block('    "GradedRBP": None')
NAMES = ["GradedRBP", "FirstDiscount", "WastedShare"]

# What users see of it, as JSON.
LOOK = """
import contextlib, io, json
import irpref
from irpref.cli import main
from irpref.datasets import load
def said(*words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(list(words))
    return out.getvalue()
example = load("graded-rbp")
table = irpref.explain("GradedRBP(p=0.5,max_rel=2)", example.qrels, example.runs["run"], "1")
print(json.dumps({
    "all": "GradedRBP" in irpref.__all__ and "GradedRBP" in dir(irpref),
    "list": said("list"), "page": said("list", "GradedRBP"), "help": irpref.GradedRBP.__doc__,
    "why": table[["doc_id", "contribution", "why"]].values.tolist(),
    "bound": str(irpref.bind("GradedRBP", example.qrels)),
}))
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the repository in which the five steps were taken."""
    if (ROOT / "src/irpref/measures/graded_rbp.py").exists():
        pytest.skip("somebody follows the tutorial here: its five steps are taken already")
    home = tmp_path_factory.mktemp("repository") / "irpref"
    left = shutil.ignore_patterns(".*", "__pycache__", "site", "*.egg-info", "dist", "cells")
    shutil.copytree(ROOT, home, ignore=left)
    for hidden in (".ci", ".github", ".gitignore"):
        place = ROOT / hidden
        (shutil.copytree if place.is_dir() else shutil.copy)(place, home / hidden)
    (home / "src/irpref/datasets/worked/graded-rbp.json").write_text(EXAMPLE, encoding="utf-8")  # 1
    shutil.copy(ADDED / "first-relevant.json", home / "src/irpref/datasets/worked")
    append(home / "tests/reference/graded.py", ORACLE)  # 2
    append(home / "tests/reference/graded.py", (ADDED / "oracles.txt").read_text("utf-8"))
    (home / "src/irpref/measures/graded_rbp.py").write_text(MEASURE, encoding="utf-8")  # 3
    for name in ("first_discount", "wasted_share"):
        shutil.copy(ADDED / f"{name}.txt", home / f"src/irpref/measures/{name}.py")
    names = home / "src/irpref/measures/__init__.py"  # 4
    text = names.read_text(encoding="utf-8")
    names.write_text(text.replace("\n# isort: on\n", f"{IMPORTS}\n# isort: on\n"), encoding="utf-8")
    append(home / "src/irpref/measures/measures.toml", TABLE)
    laws = home / "tests/measures/test_laws.py"
    text = laws.read_text(encoding="utf-8")
    laws.write_text(text.replace("\nIDEAL = {\n", f"\nIDEAL = {{\n{IDEAL}"), encoding="utf-8")
    for generator in ("make_readme.py", "make_types.py"):  # 5
        ran(home, f"docs/{generator}")
    return home


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def ran(home, *words):
    """What a Python of the copy prints."""
    environment = {**os.environ, "PYTHONPATH": str(home / "src"), "HYPOTHESIS_PROFILE": "quick"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


PLACES = [
    "src/irpref/datasets/",
    "tests/reference/",
    "src/irpref/measures/",
    "measures.toml",
    "docs/make_",
]


def test_the_tutorial_has_these_steps():
    text = TEXT.partition("## Add a measure in five steps")[2]
    for number, place in enumerate(PLACES, 1):
        assert (
            place
            in text.partition(f"\n{number}. ")[2]
            .partition("\n\n")[0]
            .partition(f"\n{number + 1}. ")[0]
        )


def test_the_code_of_the_tutorial_keeps_to_the_length_of_lines():
    """`ruff check`, which step 5 asks for, refuses longer ones."""
    assert "line-length = 100" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    long = [line for line in (MEASURE + ORACLE).splitlines() if len(line) > 100]
    assert long == []


def test_the_command_of_the_tutorial_passes(repository):
    """Laws, oracle, example, page, types, citation: all tests that a new measure could turn red."""
    (command,) = {line for line in TEXT.splitlines() if line.startswith("pytest ")}
    *words, names = shlex.split(command)[1:]
    assert names.startswith("GradedRBP or graded-rbp or ")
    chosen = " or ".join([*NAMES[1:], "first-relevant", names])
    # Both the tutorial and CONTRIBUTING end with it. This process is one of several already.
    assert [*words, TEXT.count(command)] == ["-n", "auto", "-m", "slow or not slow", "-k", 2]
    words = ["-m", "pytest", "-p", "no:cacheprovider", *words[2:], chosen]
    said = ran(repository, *words)
    assert int(said.rpartition(" passed")[0].split()[-1]) > 150, said


def test_the_file_alone_is_a_measure_in_the_shell(tmp_path):
    """Before the five steps: `--import` brings it, and what it says of itself is not said of
    ir_measures.
    """
    (tmp_path / "graded_rbp.py").write_text(MEASURE, encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 1\n1 0 n 0\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 3 x\n1 Q0 n 2 2 x\n1 Q0 b 3 1 x\n")
    words = [
        "eval",
        "qrels.txt",
        "a.run",
        "GradedRBP(p=0.5,max_rel=2)",
        "--import",
        "graded_rbp.py",
    ]
    assert shell(tmp_path, *words) == "GradedRBP(p=0.5,max_rel=2)\t0.5625\n"
    cited = shell(tmp_path, "cite", "GradedRBP", "--import", "graded_rbp.py")
    assert "@article{moffat2008rbp" in cited
    assert "measure of ir_measures" not in cited


def shell(folder, *words):
    """What `irpref` prints there."""
    done = subprocess.run(
        [sys.executable, "-m", "irpref", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_users_see_the_new_measure(repository):
    facts = json.loads(ran(repository, "-c", LOOK))
    assert facts["all"]
    assert all(f"\n  {name} " in facts["list"] for name in NAMES)
    assert "\n  GradedRBP " in facts["list"]
    for text, formula in (
        (facts["page"], "(1 - p) sum_{r >= 1} g(r) p^(r - 1)"),
        (facts["help"], "gain(r) * p^(r - 1)"),
    ):
        assert formula in text
        assert "10.1145/1416950.1416952" in text
    assert facts["bound"] == "GradedRBP(max_rel=2)"
    # A measure that gives no reasons of its own has reasons all the same.
    assert [row[:2] for row in facts["why"]] == [["a", 0.5], ["n", 0.0], ["b", 0.0625]]
    numbers = [re.findall(r"[\d.]+", row[2]) for row in facts["why"]]  # grade, rank, contribution
    assert numbers == [["2", "1", "0.5"], [], ["1", "3", "0.0625"]]


def test_documents_have_the_new_measure(repository):
    assert "[GradedRBP](src/irpref/measures/graded_rbp.py)" in (repository / "README.md").read_text(
        encoding="utf-8"
    )
    types = (repository / "src/irpref/measures/__init__.pyi").read_text(encoding="utf-8")
    assert "class _GradedRBP(KernelMeasure):" in types
    assert (
        "max_rel: float | None = ..."
        in types.partition("class _GradedRBP")[2].partition("class ")[0]
    )
