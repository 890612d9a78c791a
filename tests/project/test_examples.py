"""The example scripts run as a newcomer would run them, and on real collections give the known
values.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from collections_home import prepare

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
    assert not {"Bpref", "RPref(max_rel=1)", "RPref(max_rel=2)", "RPref(max_rel=4)"} & bm25.keys()
    assert "QMeasure" in printed
