"""The results file of `incompleteness`: nothing is lost, nothing is taken from another run."""

import errno
from types import SimpleNamespace

import numpy as np
import pytest

from irpref import QMeasure
from irpref_lab.meta import incompleteness, journal
from irpref_lab.meta.restriction import Restriction

QRELS = {f"q{t}": {f"d{i}": (i + t) % 3 for i in range(30)} for t in range(4)}
RUNS_STEPS = (("a", 3), ("b", 5), ("c", 11))
RUNS = {
    name: {
        q: {d: float((i * step + 7) % 31) for i, d in enumerate(docs)} for q, docs in QRELS.items()
    }
    for name, step in RUNS_STEPS
}


def study(path, runs=RUNS, qrels=QRELS, rng=1, **more):
    return incompleteness(
        [QMeasure], qrels, runs, levels=(50, 20), n_samples=2, rng=rng, output=path, **more
    )


@pytest.fixture
def units(monkeypatch):
    """Systems that were evaluated, one entry for each part of the judgments."""
    computed = []
    judged = Restriction.judged

    def counted(self, run):
        computed.extend([run] * len(self.keep))
        return judged(self, run)

    monkeypatch.setattr(Restriction, "judged", counted)
    return computed


def test_a_run_that_has_changed_is_computed_again_and_the_others_are_not(tmp_path, units):
    path = tmp_path / "means.jsonl"
    study(path)
    changed = {**RUNS, "b": {q: dict.fromkeys(docs, 1.0) for q, docs in QRELS.items()}}
    units.clear()
    found = study(path, changed)
    assert len(units) == 5  # all judgments, and two samples at two levels, of one run
    assert found.means.equals(study(None, changed).means)
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
        {"measures": ["AP", "infAP", "SetP"]},
        {"names": ["a\rb", "c\r\nd\n", '\\n,"\x85\u2028']},
    ],
    ids=str,
)
def test_what_is_run_twice_computes_and_writes_nothing_and_gives_the_same_table(
    tmp_path, options, units
):
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


def test_levels_that_are_nearly_equal_have_their_own_means(tmp_path):
    # Eleven of 22 documents at 50 %, ten at 49.99999999 %: rounding half up tells them apart.
    qrels = {"q": {f"d{i:02}": i % 2 for i in range(46)}}
    runs = {
        name: {"q": {d: float((i * step) % 47) for i, d in enumerate(qrels["q"])}}
        for name, step in RUNS_STEPS
    }
    options = {"n_samples": 1, "rng": 1, "least": (1, 1)}
    path = tmp_path / "means.jsonl"
    for levels in ((50,), (49.99999999,), (50, 49.99999999)):
        kept = incompleteness(["AP"], qrels, runs, levels=levels, output=path, **options)
        assert kept.means.equals(
            incompleteness(["AP"], qrels, runs, levels=levels, **options).means
        )
    assert kept.means.groupby("level")["mean"].sum().nunique() == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"qrels": {**QRELS, "q0": {**QRELS["q0"], "d1": QRELS["q0"]["d1"] + 1e-9}}},
        {"rng": 2},
        {"rel": 2},
        {"least": (2, 5)},
        {"loss": "pools"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_results_of_other_judgments_or_options_are_not_mixed_up(tmp_path, changed, units):
    path = tmp_path / "means.jsonl"
    study(path)
    units.clear()
    assert study(path, **changed).means.equals(study(None, **changed).means)
    assert len(units) == 30  # nothing was taken from the file
    units.clear()
    assert study(path).means.equals(study(path).means)
    assert not units  # and nothing that it held was lost


def test_results_of_other_pools_are_not_mixed_up(tmp_path):
    path, options = tmp_path / "means.jsonl", {"loss": "pools", "depth": 3}
    other = {
        **RUNS,
        "c": {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in QRELS.items()},
    }
    for runs, more in ((RUNS, {}), (RUNS, {"teams": {"a": "x", "b": "x", "c": "y"}}), (other, {})):
        assert study(path, runs, **options, **more).means.equals(
            study(None, runs, **options, **more).means
        )


def test_results_of_another_version_are_computed_again(tmp_path, units, monkeypatch):
    path = tmp_path / "means.jsonl"
    study(path)
    monkeypatch.setattr(journal, "distributions", lambda name: [SimpleNamespace(version="0.0.1")])
    units.clear()
    study(path)
    assert len(units) == 15


@pytest.mark.parametrize(
    "damage", ['["50', "50\n", "\0\0\0\n", "\udcff\n", '["a", 50, 0, "QMeasure", "b", "x", "y"]\n']
)
def test_what_is_no_whole_line_is_computed_again(tmp_path, damage, units):
    path = tmp_path / "means.jsonl"
    study(path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(
        "".join([*lines[:5], damage, *lines[6:]]), encoding="utf-8", errors="surrogateescape"
    )
    assert study(path).means.equals(study(None).means)
    units.clear()
    study(path)
    assert not units


def test_an_error_while_writing_names_the_file(tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"means\.jsonl") as error:
            study(tmp_path / "means.jsonl")
        assert error.value.errno == errno.EFBIG
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert study(tmp_path / "means.jsonl").means.equals(study(None).means)


def test_runs_that_differ_in_where_an_id_ends_have_another_hash():
    assert journal.hash_of_run({"1": {"a\0b": 2.0, "c": 1.0}}) != journal.hash_of_run(
        {"1": {"a": 2.0, "b\0c": 1.0}}
    )
    assert journal.hash_of_run({"1": {"a": 1.0}}) != journal.hash_of_run({"1\0a": {}})
