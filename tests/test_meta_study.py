"""The robustness study runs on a small collection, and the page is what the stored results say."""

import importlib.util
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from irpref import datasets
from irpref.meta import Incompleteness

ROOT = Path(__file__).parents[1]


def script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses with postponed annotations look their module up.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the study writes for the synthetic collection."""
    pytest.importorskip("matplotlib").use("Agg")
    root = tmp_path_factory.mktemp("study")
    example = datasets.load("synthetic")
    with (root / "qrels.txt").open("w") as file:
        for topic, docs in example.qrels.items():
            file.writelines(f"{topic} 0 {doc} {grade}\n" for doc, grade in docs.items())
    (root / "runs").mkdir()
    for name, run in example.runs.items():
        with (root / "runs" / f"{name}.txt").open("w") as file:
            for topic, docs in run.items():
                file.writelines(f"{topic} Q0 {doc} 0 {score} {name}\n" for doc, score in docs.items())
    study = script(ROOT / "examples" / "robustness_study.py")
    arguments = ["--qrels", root / "qrels.txt", "--runs", root / "runs", "--out", root / "out"]
    study.main([*map(str, arguments), "--samples", "2", "--bootstrap", "20", "--name", "Synthetic"])
    return root / "out", example


def test_every_file_is_written(results):
    out, example = results
    settings = json.loads((out / "settings.json").read_text())
    assert settings["name"] == "Synthetic"
    assert settings["runs"] == len(example.runs)
    assert settings["topics"] == len(example.qrels)
    labels = pd.read_csv(out / "measures.csv")["label"].tolist()
    assert {"bpref", "rpref", "rpref relative infinity", "n-pref (n=2)", "Q'", "P+"} <= set(labels)
    robustness = pd.read_csv(out / "robustness.csv")
    assert len(robustness) == len(labels) * 17
    assert set(pd.read_csv(out / "agreement.csv")["measure"]) == set(labels)
    for name in ("robustness_ap", "paired", "shallow", "stability", "swap", "sensitivity"):
        assert set(pd.read_csv(out / f"{name}.csv")["measure"]) == set(labels), name
    for name in ("robustness", "means", "stability", "swap", "significance"):
        assert (out / f"{name}.png").stat().st_size > 3000


def test_paired_counts_samples(results):
    out, _ = results
    labels = dict(pd.read_csv(out / "measures.csv")[["measure", "label"]].itertuples(index=False))
    found = Incompleteness.read(out / "means.csv").samples()
    tau = found.assign(measure=found["measure"].map(labels)).set_index(["measure", "level", "sample"])["tau"]
    paired = pd.read_csv(out / "paired.csv").set_index(["measure", "other", "level"])
    for level in (90, 10, 1):
        gains = [tau["rpref", level, s] - tau["bpref", level, s] for s in (0, 1)]
        row = paired.loc["rpref", "bpref", level]
        assert row["difference"] == pytest.approx(sum(gains) / 2, abs=1e-5)
        assert (row["better"], row["samples"]) == (sum(g > 0 for g in gains), 2)


def test_the_page_is_what_the_stored_results_say():
    page = ROOT / "docs" / "robustness.md"
    assert script(ROOT / "docs" / "make_robustness.py").page() == page.read_text(encoding="utf-8")
