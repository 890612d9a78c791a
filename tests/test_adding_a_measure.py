"""The README's five steps, taken in a copy of the repository: nothing else has to be written.

The measure is rank-biased precision with graded gains, of which an ideal list does not score 1.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

EXAMPLE = """

# Graded rank-biased precision with p = 1/2: (1 - p) * (1 * 2/2 + p * 0 + p^2 * 1/2), ideal (1 - p) * (1 + p / 2).
GRADED_RBP = Example(
    id="graded-rbp",
    title="Rank-biased precision with graded gains: an ideal list does not score 1",
    source="worked out here from the formula of A. Moffat and J. Zobel, ACM TOIS 27(1), 2008, equation (2)",
    queries={"1": "one document of grade 2, one of grade 1, one not relevant"},
    qrels={"1": {"a": 2, "b": 1, "n": 0}},
    runs={"run": {"1": {"a": 3.0, "n": 2.0, "b": 1.0}}, "ideal": {"1": {"a": 2.0, "b": 1.0}}},
    grades={2: "highly relevant", 1: "relevant", 0: "not relevant"},
    expected=(
        *values("run", "1", {"GradedRBP(p=0.5,max_rel=2)": F(9, 16), "GradedRBP(p=0.5,max_rel=2)@1": F(1, 2)}),
        *values("ideal", "1", {"GradedRBP(p=0.5,max_rel=2)": F(5, 8)}),
    ),
)
EXAMPLES = (*EXAMPLES, GRADED_RBP)
"""

ORACLE = '''

@oracle("GradedRBP")
def graded_rbp(ranking, judgments, *, p=0.8, max_rel=None, cutoff=None, scale=None):
    """(1 - p) * sum of min(grade / max_rel, 1) * p^(rank - 1)."""
    value = Fraction(0)
    for rank, doc in enumerate(top(ranking, cutoff), start=1):
        grade = max(exact(judgments.get(doc, 0)), Fraction(0))
        value += min(grade / exact(_given(max_rel, scale)), Fraction(1)) * exact(p) ** (rank - 1)
    return (1 - exact(p)) * value
'''

MEASURE = '''"""Rank-biased precision with graded gains: what a user of persistence p finds.

    GradedRBP = (1 - p) * sum over ranks r of gain(r) * p^(r - 1)

gain  grade / max_rel, at most 1

A. Moffat and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1), 2008,
doi:10.1145/1416950.1416952. Decided here: unjudged documents and negative grades have gain 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irpref.arrays.run import JudgedRun
from irpref.arrays.segments import Floats
from irpref.arrays.terms import Terms
from irpref.measures.declare import CUTOFF, KernelMeasure, Param, register


def _shares(run: JudgedRun, p: float, max_rel: float, cutoff: int | None) -> tuple[JudgedRun, Floats]:
    view = run.at(cutoff)
    return view, (1 - p) * np.clip(view.grade / max_rel, 0.0, 1.0) * p ** (view.rank - 1.0)


def graded_rbp(run: JudgedRun, *, p: float, max_rel: float, cutoff: int | None) -> Floats:
    """Value of each topic: shape (n_topics,), in [0, 1], higher is better."""
    view, share = _shares(run, p, max_rel, cutoff)
    return view.hits.total(share)


def graded_rbp_terms(run: JudgedRun, *, p: float, max_rel: float, cutoff: int | None) -> Terms:
    """Share of each document: shape (n_judged,)."""
    view, share = _shares(run, p, max_rel, cutoff)
    return Terms(view.on_pool(share, 0.0))


class _GradedRBP(KernelMeasure):
    """Rank-biased precision with graded gains."""

    __name__ = NAME = "GradedRBP"
    PRETTY_NAME = "graded rank-biased precision"
    SHORT_DESC = "Expected rate of gain of a user who goes on with probability p."
    QUESTION = "How much gain does a user meet who goes on to the next document with probability p?"
    SOURCE = "Moffat & Zobel, TOIS 2008, doi:10.1145/1416950.1416952"
    EXAMPLE = "graded-rbp"
    NEEDS = ("scale",)
    IDEAL = None
    VARIANTS = ({"max_rel": 3}, {"p": 0.5, "cutoff": 7})
    SUPPORTED_PARAMS: dict[str, Any] = {
        "p": Param(float, "persistence", default=0.8, above=0, maximum=0.999),
        "max_rel": Param((int, float), "top of the grade scale (default: highest grade of the qrels)", above=0),
        "cutoff": CUTOFF,
    }
    kernel = staticmethod(graded_rbp)
    terms = staticmethod(graded_rbp_terms)


GradedRBP = register(_GradedRBP())
'''

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
    append(home / "src/irpref/datasets/graded.py", EXAMPLE)  # 1
    append(home / "tests/oracles.py", ORACLE)  # 2
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


PLACES = ["src/irpref/datasets/", "tests/oracles.py", "src/irpref/measures/", "measures/__init__.py", "docs/make_"]


def test_the_readme_has_these_steps():
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Add a measure in five steps")[2]
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
    assert "| `GradedRBP` | How much gain does a user meet" in (house / "README.md").read_text(encoding="utf-8")
    types = (house / "src/irpref/measures/__init__.pyi").read_text(encoding="utf-8")
    assert "class _GradedRBP(KernelMeasure):" in types
    assert "max_rel: float | None = ..." in types.partition("class _GradedRBP")[2].partition("class ")[0]
