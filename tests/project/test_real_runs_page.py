"""The page on real runs says what its results say, and the results hold no name of a run."""

import csv
import json
from pathlib import Path

import pytest

from shells import script

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "study").is_dir():
    pytest.skip("the study is in the repository, not in the package", allow_module_level=True)


@pytest.fixture(scope="module")
def generator():
    pytest.importorskip("pandas")
    return script(ROOT / "study" / "real_runs.py")


def rows(generator, key):
    with (generator.RESULTS / f"{key}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_page_is_written_from_its_results(generator):
    for path, text in ((generator.OUT, generator.page()), (generator.TABLES, generator.tables())):
        assert path.read_text(encoding="utf-8") == text, "run: python -m study.real_runs"


def test_a_sentence_that_the_results_do_not_bear_out_stops_the_page(generator, monkeypatch):
    def power_of_p_is_none(key, measure, quantity, cutoff=0, real=generator.quantity_of):
        return (
            0.0 if (measure, quantity) == ("P", "power") else real(key, measure, quantity, cutoff)
        )

    monkeypatch.setattr(generator, "quantity_of", power_of_p_is_none)
    with pytest.raises(SystemExit, match="more discriminative power"):
        generator.page()


def test_every_collection_has_every_measure_at_every_cutoff(generator):
    expected = {
        (measure, "" if cutoff is None else str(cutoff))
        for measure in generator.MEASURES.values()
        for cutoff in (generator.CUTOFFS if measure != "R-measure" else [None])
    }
    for key in generator.COLLECTIONS:
        assert {(row["measure"], row["cutoff"]) for row in rows(generator, key)} == expected


def test_the_results_name_measures_and_no_runs(generator):
    words = set()
    for key in generator.COLLECTIONS:
        for row in rows(generator, key):
            words.add(row.pop("measure"))
            assert all(float(value or 0) >= 0 for value in row.values())
    assert words == set(generator.MEASURES.values())
    settings = json.loads((generator.RESULTS / "settings.json").read_text(encoding="utf-8"))
    assert set(settings["collections"]) == set(generator.COLLECTIONS)
    assert all(
        isinstance(value, int) for of in settings["collections"].values() for value in of.values()
    )
    assert all(isinstance(value, int) for name, value in settings["crp"].items() if name != "topic")


def test_the_pictures_of_the_page_are_there(generator):
    text = generator.page() + generator.tables()
    shown = {
        name.rpartition("/")[2]
        for name in text.replace(")", " ").replace("(", " ").split()
        if (name.endswith(".png") and "/" not in name) or name.startswith("../study/")
    }
    assert shown >= {path.name for path in generator.RESULTS.glob("*.png")}
