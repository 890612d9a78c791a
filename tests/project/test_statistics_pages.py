"""The pages about leaderboards and checks say what the functions do."""

import doctest
from pathlib import Path

import numpy as np
import pytest

from irpref_lab.checking import check
from irpref_lab.decide.all_pairs import pair_tests
from irpref_lab.decide.letters import letters
from shells import script

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize("page", ["leaderboard.md", "check.md", "preferences.md"])
def test_the_examples_of_the_page_run(page):
    done = doctest.testfile(str(DOCS / page), module_relative=False)
    assert done.attempted > 3
    assert done.failed == 0


def test_every_code_of_check_is_on_its_page():
    listed = check.__doc__.partition("Codes:")[2].partition("`attrs")[0].split("`")[1::2]
    text = (DOCS / "check.md").read_text(encoding="utf-8")
    assert len(listed) > 15
    assert [code for code in listed if f"`{code}`" not in text] == []


def test_five_runs_by_hand():
    table = [
        line.split("|")
        for line in (DOCS / "leaderboard.md").read_text(encoding="utf-8").splitlines()
    ]
    rows = [
        cells
        for cells in table
        if len(cells) == 8 and cells[1].strip() in {"A", "B", "C", "D", "E"}
    ]
    values = np.array([[float(cell) for cell in cells[2:6]] for cells in rows])
    assert [float(cells[6]) for cells in rows] == pytest.approx(values.mean(axis=1).tolist())
    holm = pair_tests(values, "holm")
    assert holm.effect_size[0] == pytest.approx(0.04 / (0.0256 / 12) ** 0.5)
    assert letters(holm.different(0.95)) == ["a", "a", "a", "ab", "b"]
    assert holm.p[[3, 6, 8, 9]].round(4).tolist() == [0.001, 0.0015, 0.0025, 0.0074]
    assert holm.p_adjusted[[3, 6, 8, 9]].round(3).tolist() == [0.01, 0.014, 0.02, 0.052]
    assert not pair_tests(values).different(0.95).any()


@pytest.fixture(scope="module")
def module():
    return script(ROOT / "study" / "significance.py")


def test_the_page_of_error_rates_is_that_of_the_stored_results(module):
    assert module.PAGE.read_text(encoding="utf-8") == module.page()
    assert module.TABLES.read_text(encoding="utf-8") == module.tables()


def test_an_experiment_has_equal_runs_and_others(module):
    draw = np.random.default_rng(0)
    real = draw.random((30, 40))
    made, equal = module.experiment(real, 14, 100_000, True, draw)
    assert equal.sum() == 14 * 13 // 2
    means = made.mean(axis=1)
    assert np.ptp(means[:14]) < 0.01
    for method in module.METHODS:
        assert module.called(made[:, :40], method, 0).shape == (190,)
