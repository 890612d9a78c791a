"""The example scripts run as a newcomer would run them, and on real collections give the known
values.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from collections_home import prepare
from shells import script

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.slow
NEEDS = {"whole_pipeline": ("pyterrier", "ir_datasets")}


def run(script, *arguments, **environment):
    """Run a script in a new process with warnings as errors; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / script, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("script", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_runs_offline_without_arguments(script, tmp_path):
    for module in NEEDS.get(script.removesuffix(".py"), ()):
        pytest.importorskip(module)
    assert run(script, IR_DATASETS_HOME=str(tmp_path)).count("\n") > 5


PROJECT = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWNER = PROJECT["urls"]["Repository"].split("/")[-2]
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_offline(path, tmp_path, monkeypatch):
    if path.stem == "pyterrier":
        pytest.importorskip("pyterrier")
        pytest.importorskip("matplotlib")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "agg")
    try:
        import ipykernel  # noqa: F401
        import nbclient  # noqa: F401
    except ImportError:  # the same cells, without what a notebook would show
        monkeypatch.chdir(tmp_path)
        space = {}
        for cell in cells(json.loads(path.read_text(encoding="utf-8"))):
            source = re.sub(r"%pip .*", "...", "".join(cell["source"]))
            exec(compile(source, path.name, "exec"), space)
        return
    monkeypatch.delenv("MPLBACKEND")
    done = script(EXAMPLES.parent / "docs" / "make_notebooks.py").executed(path, tmp_path)
    outputs = [output for cell in cells(done) for output in cell["outputs"]]
    # Neither errors nor warnings.
    assert [o for o in outputs if o.get("name") == "stderr" or o["output_type"] == "error"] == []
    # What it shows is what is stored, but for the digits of later versions of other packages:
    # if this fails, run docs/make_notebooks.py.
    stored = cells(json.loads(path.read_text(encoding="utf-8")))
    for cell, before in zip(cells(done), stored, strict=True):
        kinds = [sorted(output.get("data", {})) for output in cell["outputs"]]
        assert kinds[:1] == [sorted(output.get("data", {})) for output in before["outputs"]][:1]
        assert words(cell) == words(before)


def words(cell):
    """List the words of a cell's outputs, without numbers and without objects' addresses."""
    plain = ["".join(output.get("data", {}).get("text/plain", "")) for output in cell["outputs"]]
    return re.findall(r"[A-Za-z_]{2,}", re.sub(r" at 0x[0-9a-f]+|<Figure .*>", "", " ".join(plain)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_opens_in_colab_and_installs_the_package_first(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    place = f"https://colab.research.google.com/github/OWNER/irpref/blob/main/examples/{path.name}"
    assert place in "".join(notebook["cells"][0]["source"]).replace(OWNER, "OWNER")
    assert place in (EXAMPLES.parent / "README.md").read_text("utf8").replace(OWNER, "OWNER")
    first = "".join(cells(notebook)[0]["source"])
    assert 'if "google.colab" in sys.modules:' in first
    assert '%pip install -q "irpref[all]"' in first
    assert "import irpref" not in first


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_it_ran_from_top_to_bottom(path):
    text = path.read_text(encoding="utf-8")
    stored = cells(json.loads(text))
    assert [cell["execution_count"] for cell in stored] == list(range(1, len(stored) + 1))
    assert sum(bool(cell["outputs"]) for cell in stored) > len(stored) / 2
    assert str(Path.home()) not in text
    assert len(text) < 200_000


@pytest.fixture(scope="module")
def home(data_dir, tmp_path_factory):
    path = tmp_path_factory.mktemp("ir_datasets")
    prepare(data_dir, path)
    return path


# BM25 (k1 0.9, b 0.4) of PISA 0.4.9 under pytrec_eval; Vaswani and NFCorpus also measured
# elsewhere.
@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        ("vaswani", {"AP": 0.3053, "nDCG@10": 0.4667}),
        ("beir/nfcorpus/test", {"nDCG@10": 0.3356}),
        ("cranfield", {"AP": 0.3051, "nDCG@10": 0.3620}),
    ],
)
def test_bm25_on_real_collections(dataset, expected, home, tmp_path):
    for module in (*NEEDS["whole_pipeline"], "pyterrier_pisa"):
        pytest.importorskip(module)
    table = tmp_path / "table.csv"
    printed = run(
        "whole_pipeline.py", "--dataset", dataset, "--save", str(table), IR_DATASETS_HOME=str(home)
    )
    with open(table, newline="") as rows:
        bm25 = next(row for row in csv.DictReader(rows) if row["name"] == "BM25")
    for measure, value in expected.items():
        assert float(bm25[measure]) == pytest.approx(value, abs=0.001)
    # None of the three has judged non-relevant documents, so the bpref family is left out.
    assert not any(name.startswith(("Bpref", "RPref", "NPref")) for name in bm25)
    assert "QMeasure" in printed
