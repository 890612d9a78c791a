"""The tutorial's five steps, taken in a copy of the repository: nothing else has to be written.

The measure is rank-biased precision with graded gains, of which an ideal list does not score 1.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PAGE = ROOT / "docs" / "tutorials" / "adding-a-measure.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""


def block(start):
    """The code block of the page that begins so."""
    found = [code for code in re.findall(r"```[^\n]*\n(.*?)```", TEXT, flags=re.S) if code.startswith(start)]
    return found[0] if found else ""


EXAMPLE = block('{\n  "id": "graded-rbp"')
ORACLE = "\n\n" + block("@formula")
MEASURE = block("%%writefile graded_rbp.py\n").partition("\n")[2]
IMPORT = "from irpref.measures.graded_rbp import GradedRBP\n"

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
table = irpref.explain.explain(example.qrels, example.runs["run"], "GradedRBP(p=0.5,max_rel=2)", "1")
print(json.dumps({
    "all": "GradedRBP" in irpref.__all__ and "GradedRBP" in dir(irpref),
    "list": said("list"), "page": said("list", "GradedRBP"), "help": irpref.GradedRBP.__doc__,
    "why": table[["doc_id", "contribution", "why"]].values.tolist(),
    "bound": str(irpref.bind("GradedRBP", example.qrels)),
}))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the repository in which the five steps were taken."""
    home = tmp_path_factory.mktemp("house")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, home / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (home / "docs").mkdir()
    for file in ("README.md", "pyproject.toml", "docs/make_readme.py", "docs/make_types.py"):
        shutil.copy(ROOT / file, home / file)
    (home / "src/irpref/datasets/worked/graded-rbp.json").write_text(EXAMPLE, encoding="utf-8")  # 1
    append(home / "src/irpref/reference/graded.py", ORACLE)  # 2
    (home / "src/irpref/measures/graded_rbp.py").write_text(MEASURE, encoding="utf-8")  # 3
    names = home / "src/irpref/measures/__init__.py"  # 4
    text = names.read_text(encoding="utf-8")
    names.write_text(text.replace("\n# isort: on\n", f"{IMPORT}\n# isort: on\n"), encoding="utf-8")
    for generator in ("make_readme.py", "make_types.py"):  # 5
        ran(home, f"docs/{generator}")
    return home


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def ran(home, *words):
    """What a Python of the copy prints."""
    environment = {**os.environ, "PYTHONPATH": str(home / "src"), "HYPOTHESIS_PROFILE": "dev"}
    done = subprocess.run(
        [sys.executable, *words], cwd=home, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


PLACES = ["src/irpref/datasets/", "src/irpref/reference/", "src/irpref/measures/", "measures/__init__.py", "docs/make_"]


def test_the_tutorial_has_these_steps():
    text = TEXT.partition("## Into irpref, in five steps")[2]
    for number, place in enumerate(PLACES, 1):
        assert place in text.partition(f"\n{number}. ")[2].partition("\n\n")[0].partition(f"\n{number + 1}. ")[0]


def test_the_laws_hold_of_the_new_measure(house):
    laws = "tests/test_laws.py", "tests/test_oracles.py", "tests/test_datasets.py", "tests/test_types.py"
    chosen = "(GradedRBP or graded-rbp or others or in_groups or dir_shows or worked_example or registry) and not mypy"
    said = ran(house, "-m", "pytest", "-x", "-p", "no:cacheprovider", *laws, "-k", chosen)
    assert int(said.rpartition(" passed")[0].split()[-1]) > 30, said


def test_users_see_the_new_measure(house):
    facts = json.loads(ran(house, "-c", LOOK))
    assert facts["all"]
    assert "\n  GradedRBP(p, max_rel, cutoff)\n" in facts["list"]
    for text in (facts["page"], facts["help"]):
        assert "gain(r) * p^(r - 1)" in text
        assert "10.1145/1416950.1416952" in text
    assert facts["bound"] == "GradedRBP(max_rel=2)"
    # A measure that gives no reasons of its own has reasons all the same.
    assert facts["why"] == [
        ["a", 0.5, "grade 2, at rank 1: adds 0.5"],
        ["n", 0.0, "not relevant"],
        ["b", 0.0625, "grade 1, at rank 3: adds 0.0625"],
    ]


def test_documents_have_the_new_measure(house):
    assert "`GradedRBP`" in (house / "README.md").read_text(encoding="utf-8")
    types = (house / "src/irpref/measures/__init__.pyi").read_text(encoding="utf-8")
    assert "class _GradedRBP(KernelMeasure):" in types
    assert "max_rel: float | None = ..." in types.partition("class _GradedRBP")[2].partition("class ")[0]
