"""The results file of `incompleteness`: nothing is lost, nothing is taken from another run."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from irpref import QMeasure
from irpref.messages import IrprefWarning
from irpref.meta import Incompleteness, Restriction, incompleteness, journal

QRELS = {f"q{t}": {f"d{i}": (i + t) % 3 for i in range(30)} for t in range(4)}
RUNS_STEPS = (("a", 3), ("b", 5), ("c", 11))
RUNS = {
    name: {q: {d: float((i * step + 7) % 31) for i, d in enumerate(docs)} for q, docs in QRELS.items()}
    for name, step in RUNS_STEPS
}


def study(path, runs=RUNS, qrels=QRELS, **more):
    return incompleteness([QMeasure], qrels, runs, levels=(50, 20), n_samples=2, rng=1, output=path, **more)


@pytest.fixture
def units(monkeypatch):
    """Systems that were evaluated, one entry for each part of the judgments."""
    found = []
    of = Restriction.of
    monkeypatch.setattr(Restriction, "of", lambda self, run: found.extend([run] * len(self.keep)) or of(self, run))
    return found


def test_a_run_that_has_changed_is_computed_again_and_the_others_are_not(tmp_path, units):
    path = tmp_path / "means.jsonl"
    study(path)
    changed = {**RUNS, "b": {q: dict.fromkeys(docs, 1.0) for q, docs in QRELS.items()}}
    units.clear()
    found = study(path, changed)
    assert len(units) == 5  # all judgments, and two samples at two levels, of one run
    assert found.means.equals(incompleteness([QMeasure], QRELS, changed, levels=(50, 20), n_samples=2, rng=1).means)
    assert Incompleteness.read(path).means["mean"].sort_values().tolist() == found.means["mean"].sort_values().tolist()
    # Scores count, too: another order of tied documents may be the host's.
    units.clear()
    study(path, {**changed, "b": {q: dict.fromkeys(docs, 2.0) for q, docs in QRELS.items()}})
    assert len(units) == 5


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rel": np.int64(2), "least": (np.int64(1), np.int32(3))},
        {"rel": np.float32(0.1), "rng": np.int64(7)},
        {"levels": [np.float64(100) / 3, 33.333333, 1e-7, 100]},
        {"levels": [50, 49.99999999], "n_samples": 3},
        {"loss": "pools"},
        {"loss": "pools", "teams": {"a": "x", "b": "x", "c": "y"}, "depth": np.int64(3)},
        {"float32": True},
        {"measures": ["AP", "infAP", "SetP"]},
        {"names": ["a\rb", "c\r\nd\n", '\\n,"\x85\u2028']},
    ],
    ids=str,
)
def test_what_is_run_twice_computes_and_writes_nothing_and_gives_the_same_table(tmp_path, options, units):
    options = {"levels": (50, 20), "n_samples": 2, "rng": 1, **options}
    runs = dict(zip(options.pop("names", RUNS), RUNS.values(), strict=True))
    path = tmp_path / "means.jsonl"
    measures = options.pop("measures", [QMeasure])
    alone = incompleteness(measures, QRELS, runs, **options)
    first = incompleteness(measures, QRELS, runs, output=path, **options)
    text = path.read_bytes()
    units.clear()
    again = incompleteness(measures, QRELS, runs, output=path, **options)
    assert not units
    assert path.read_bytes() == text
    for found in (first, again):
        assert found.means.equals(alone.means)
        assert found.table().equals(alone.table())
    read = Incompleteness.read(path)
    cells = ["level", "sample", "measure", "system"]
    pd.testing.assert_frame_equal(*(of.means.sort_values(cells, ignore_index=True) for of in (read, alone)))
    assert read.loss == again.loss


def test_levels_that_are_nearly_equal_have_their_own_means(tmp_path):
    # Eleven of 22 documents at 50 %, ten at 49.99999999 %: rounding half up tells them apart.
    qrels = {"q": {f"d{i:02}": i % 2 for i in range(46)}}
    runs = {name: {"q": {d: float((i * step) % 47) for i, d in enumerate(qrels["q"])}} for name, step in RUNS_STEPS}
    options = {"n_samples": 1, "rng": 1, "least": (1, 1)}
    path = tmp_path / "means.jsonl"
    for levels in ((50,), (49.99999999,), (50, 49.99999999)):
        kept = incompleteness(["AP"], qrels, runs, levels=levels, output=path, **options)
        assert kept.means.equals(incompleteness(["AP"], qrels, runs, levels=levels, **options).means)
    assert kept.means.groupby("level")["mean"].sum().nunique() == 3


def test_grades_count_to_the_last_digit(tmp_path):
    path = tmp_path / "means.jsonl"
    study(path)
    with pytest.raises(ValueError, match="holds results with qrels="):
        study(path, qrels={**QRELS, "q0": {**QRELS["q0"], "d1": QRELS["q0"]["d1"] + 1e-9}})


def test_results_of_another_version_are_computed_again(tmp_path, units):
    path = tmp_path / "means.jsonl"
    study(path)
    head, _, rest = path.read_text().partition("\n")
    path.write_text(f"{json.dumps({**json.loads(head), 'ir_measures': '0.0.1'})}\n{rest}")
    units.clear()
    with pytest.warns(IrprefWarning, match=r"ir_measures 0\.0\.1: they are computed again"):
        study(path)
    assert len(units) == 15
    units.clear()
    study(path)
    assert not units


def test_half_a_line_at_the_end_is_computed_again(tmp_path):
    path = tmp_path / "means.jsonl"
    study(path)
    text = path.read_text()
    path.write_text(text[:-5])
    assert len(Incompleteness.read(path).means) == text.count("\n") - 2
    assert study(path).means.equals(incompleteness([QMeasure], QRELS, RUNS, levels=(50, 20), n_samples=2, rng=1).means)
    assert path.read_text() == text


def test_an_error_while_writing_names_the_file(tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"File too large: .*means\.jsonl"):
            study(tmp_path / "means.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert study(tmp_path / "means.jsonl").means.equals(study(None).means)


@pytest.mark.parametrize(
    "damage", ['[50, 0, "QMeasure", "b"]\n', '[50, 0, "QMeasure", "b", "x", "y"]\n', "50\n", "\0\0\0\n", "\udcff\n"]
)
def test_a_damaged_row_is_an_error_with_its_line(tmp_path, damage):
    path = tmp_path / "means.jsonl"
    study(path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:5], damage, *lines[5:]]), encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError, match=r"means\.jsonl, line 6: the row is damaged"):
        study(path)
    with pytest.raises(ValueError, match="line 6"):
        Incompleteness.read(path)


def test_two_writers_do_not_mix(tmp_path):
    path = tmp_path / "means.jsonl"

    def runs():
        yield from RUNS.items()

    study(path)
    settings = json.loads(path.read_text().partition("\n")[0])
    said = r"means\.jsonl: another process writes its results there"
    with journal.Journal(path, settings, {}), pytest.raises(ValueError, match=said):
        study(path, runs())
    study(path, runs())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["means.jsonl"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_kill_loses_nothing_that_was_computed(tmp_path):
    path = tmp_path / "means.jsonl"
    program = """
import sys, time
import test_meta_journal as t
from irpref.meta import Restriction
of = Restriction.of
Restriction.of = lambda self, run: time.sleep(0.05) or of(self, run)
t.study(sys.argv[1])
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])}
    with subprocess.Popen([sys.executable, "-c", program, path], env=environment) as process:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (path.exists() and path.read_text().count("\n") >= 5):
            time.sleep(0.01)
        process.kill()
    computed = path.read_text().splitlines()
    assert len(computed) >= 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = study(path)
    assert path.read_text().splitlines()[: len(computed) - 1] == computed[:-1]
    assert found.means.equals(incompleteness([QMeasure], QRELS, RUNS, levels=(50, 20), n_samples=2, rng=1).means)


def test_runs_that_differ_in_where_an_id_ends_have_another_hash():
    assert journal.hash_of_run({"1": {"a\0b": 2.0, "c": 1.0}}) != journal.hash_of_run({"1": {"a": 2.0, "b\0c": 1.0}})
    assert journal.hash_of_run({"1": {"a": 1.0}}) != journal.hash_of_run({"1\0a": {}})
