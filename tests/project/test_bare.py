"""What must work on the core dependencies alone, without PyTerrier, ir_datasets or matplotlib."""

import subprocess
import sys

import ir_measures
import pytest

import irpref

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 0}}
RUN = {"q1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}


@pytest.mark.registry
def test_every_measure_is_computed_beside_the_hosts():
    every = irpref.measures.registered().values()
    measures = [type(measure).variants()[0] for measure in every if "known" not in measure.NEEDS]
    values = ir_measures.calc_aggregate([ir_measures.AP, *measures], QRELS, RUN)
    assert len(values) == len(measures) + 1


@pytest.mark.parametrize(
    "command",
    [["--help"], ["list"], ["list", "RPref"], pytest.param(["demo"], marks=pytest.mark.slow)],
)
def test_the_command_line_works(command, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "irpref", *command],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "RPref" in done.stdout or command == ["--help"]


def test_eval_reads_files(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 0\n")
    (tmp_path / "run").write_text("q1 Q0 d3 1 3.0 x\nq1 Q0 d1 2 2.0 x\nq1 Q0 d2 3 1.0 x\n")
    command = [
        sys.executable,
        "-m",
        "irpref",
        "eval",
        tmp_path / "qrels",
        tmp_path / "run",
        "AP",
        "RPref(max_rel=2)",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "AP\t0.5833\nRPref(max_rel=2)\t0.3333\n")
