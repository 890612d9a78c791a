"""The pages about leaderboards and checks say what the functions do."""

import doctest
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from irpref.observed.codes import CODES
from irpref_lab.decide.all_pairs import pair_tests
from irpref_lab.decide.letters import letters

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
if not (ROOT / "study").is_dir():
    pytest.skip("the study is in the repository, not in the package", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from study import (
    error_rates,
    error_rates_page,
    over_collections,
    over_collections_page,
    sampling,
    stopped,
    stopped_page,
)


@pytest.mark.parametrize(
    "page", ["leaderboard.md", "check.md", "preferences.md", "values-from-anywhere.md"]
)
def test_the_examples_of_the_page_run(page):
    done = doctest.testfile(str(DOCS / page), module_relative=False)
    assert done.attempted > 3
    assert done.failed == 0


def test_every_code_of_check_is_on_its_page():
    text = (DOCS / "check.md").read_text(encoding="utf-8")
    listed = set(re.findall("`([a-z0-9-]+)`", "".join(re.findall("^\\| (`.*?) \\|", text, re.M))))
    # What a verdict is about is on the page about verdicts.
    assert listed == {code.name for code in CODES if code.about != "verdict"}


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
    assert holm.effect_size[0] == pytest.approx(-0.04 / (0.0256 / 12) ** 0.5)  # B minus A
    assert letters(holm.different(0.95)) == ["a", "a", "a", "ab", "b"]
    assert holm.p[[3, 6, 8, 9]].round(4).tolist() == [0.001, 0.0015, 0.0025, 0.0074]
    assert holm.p_adjusted[[3, 6, 8, 9]].round(3).tolist() == [0.01, 0.014, 0.02, 0.052]
    assert not pair_tests(values, "stepdown").different(0.95).any()


# ------------------------------------------------------------------------------- error rates


@pytest.fixture(scope="module")
def numbers():
    return error_rates_page.Numbers(json.loads(error_rates.RESULTS.read_text(encoding="utf-8")))


def test_the_pages_of_error_rates_are_written_from_the_stored_results(numbers):
    page, tables = error_rates_page.PAGE, error_rates_page.TABLES
    assert page.read_text(encoding="utf-8") == error_rates_page.page(numbers)
    assert tables.read_text(encoding="utf-8") == error_rates_page.tables(numbers)


def test_the_tables_of_samples_are_written_from_the_stored_results():
    stored = sampling.stored()
    for name, table in (
        ("table", sampling.table_of(stored["known"], sampling.KNOWN)),
        ("unseen", sampling.table_of(stored["unseen"], sampling.UNSEEN)),
        ("oracle", sampling.table_of_oracle(stored["oracle"])),
        ("few", sampling.table_of_few(stored["few"])),
        ("along", sampling.table_of_along(stored["along"])),
    ):
        assert (sampling.OUT / f"{name}.inc").read_text(encoding="utf-8") == table


def test_with_ten_topics_half_of_the_documents_are_judged_before_the_median_pair_is_decided():
    """As docs/judge-until-sure.md says."""
    for cells in sampling.stored()["few"].values():
        assert cells["10"]["share"][0] > 0.5 > cells["25"]["share"][0]


def test_the_page_about_verdicts_is_written_from_the_stored_counts():
    assert stopped_page.PAGE.read_text(encoding="utf-8") == stopped_page.page()


def test_codes_that_stop_verdicts_stop_hardly_anybody_who_is_right():
    assert not set(stopped.CHOSEN_ON) & set(stopped.NEW)
    of = stopped_page.Counts(stopped.stored(), (*stopped.CHOSEN_ON, *stopped.NEW))
    for kind in ("pass", "claim"):
        verdicts = of.total(kind, "verdicts")
        assert verdicts > 5000
        for code in ("other-topic", "changed-ids", "repeats", "id-order", "one-grade"):
            assert of.total(kind, "stopped", code) <= 0.001 * verdicts
    assert of.swapped("right_refused") == 0


def test_other_pages_have_the_figures_of_the_simulation(numbers):
    of = numbers.figures()
    for page, figure in (
        ("better.md", f"{of['chain_none']} % of"),
        ("leaderboard.md", f"{of['holm_most']} % of boards"),
    ):
        assert figure in (DOCS / page).read_text(encoding="utf-8")


def test_the_worst_cell_is_the_worst_and_50_topics_suffice(numbers):
    boards, (worst,) = numbers.stored["boards"], numbers.stored["worst"]
    cell = max(boards, key=lambda one: one["holm"])
    assert all(worst[name] == cell[name] for name in ("collection", "measure", "null", "topics"))
    assert worst["boards"] == error_rates.MANY_BOARDS
    assert max(one["holm"] for one in boards if one["topics"] == 50) <= 0.06


def test_the_page_of_collections_is_written_from_the_stored_results():
    assert over_collections_page.PAGE.read_text(encoding="utf-8") == over_collections_page.page()


def test_over_topics_holds_its_level_on_fixed_collections():
    stored = json.loads(over_collections.RESULTS.read_text(encoding="utf-8"))
    fixed = over_collections_page.cells_of(stored, "fixed")
    assert len(fixed) == len(error_rates.MEASURES) * len(over_collections.COUNTS)
    assert max(cell["error_topics"] for cell in fixed) <= 0.06
    assert max(cell["miss_topics"] for cell in fixed) <= 0.07
    sample = over_collections_page.cells_of(stored, "sample")
    assert min(cell["error_topics"] for cell in sample) > 0.1  # as the page warns
    assert max(cell["error_collections"] or 0 for cell in sample) <= 0.06


def test_the_t_test_holds_what_boards_promise(numbers):
    boards = numbers.stored["boards"]
    assert len(boards) > 100
    assert max(cell["holm"] for cell in boards if cell["topics"] == 50) <= 0.06
    # The worst cell, AP with ten topics, fails; the page says so.
    assert max(cell["holm"] for cell in boards) <= 0.1


def test_every_part_has_the_collections_of_both_halves(numbers):
    assert not set(error_rates.TUNING) & set(error_rates.CONFIRMATION)
    for name in error_rates.PARTS:
        seen = {cell["collection"] for cell in numbers.stored[name]}
        assert seen == {*error_rates.TUNING, *error_rates.CONFIRMATION}


def test_weights_make_runs_exactly_equal():
    values = np.random.default_rng(0).beta(2, 3, (4, 60))
    weights = error_rates.equal_weights(values)
    assert weights is not None
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).all()
    assert np.ptp(values @ weights) < 1e-9
    # Equal runs need no weights, and no weights make a run equal that is better on every topic.
    assert np.allclose(error_rates.equal_weights(np.array([values[0]] * 2)), 1 / 60)
    assert error_rates.equal_weights(np.array([values[0], values[0] + 0.1])) is None


@pytest.mark.parametrize("null", ["exchange", "weights"])
def test_made_boards_keep_the_values_and_have_equal_means(null):
    values = np.random.default_rng(1).beta(2, 3, (12, 40)).round(1)
    draw = np.random.default_rng(2)
    made = error_rates.boards_of(values, null, 3, 20, draw)
    drawn = made(4000, 10)
    assert drawn.shape == (4000, 3, 10)
    assert np.isin(drawn, values).all()
    assert np.ptp(drawn.mean(axis=(0, 2))) < 0.01


def test_a_second_run_can_be_made_to_lose_the_margin():
    values = np.random.default_rng(3).beta(2, 3, (12, 40))
    draw = np.random.default_rng(4)
    made = error_rates.boards_of(values, "weights", 2, 20, draw, 0.02)
    lost = -np.diff(made(20_000, 10), axis=1).mean()
    assert lost == pytest.approx(0.02, abs=0.004)
