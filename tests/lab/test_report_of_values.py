"""The page about values by topic: no rankings, curves or holes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import irpref_lab
from browser import Browser, program
from irpref.cli import main

pytest.importorskip("jinja2", reason="a report needs Jinja")
pytest.importorskip("vl_convert", reason="a report needs Vega")

FILES = [
    str(Path(__file__).parent / "values_of_tools" / "ir_measures" / f"{name}.txt")
    for name in ("baseline", "noisy")
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("values") / "page.html"
    assert main(["report", "--values", *FILES, "nDCG@10", "AP", "-f", str(path)]) == 0
    return path


def data_of(page: Path) -> dict[str, object]:
    """Return the data of a page."""
    found = re.search(r'id="data" type="application/json">(.*?)</script>', page.read_text())
    assert found is not None
    held: dict[str, object] = json.loads(found[1])
    return held


def test_the_board_and_the_verdict_are_those_of_the_values(page: Path) -> None:
    given = irpref_lab.values(FILES)
    data = data_of(page)
    board = irpref_lab.leaderboard(["nDCG@10", "AP"], given, sort="nDCG@10")
    assert data["runs"] == board["run"].unique().tolist()
    means = [of["mean"] for of in data["board"]]  # type: ignore[attr-defined]
    expected = [part["mean"].tolist() for _, part in board.groupby("measure", sort=False)]
    for found, wanted in zip(means, expected, strict=True):
        assert found == pytest.approx(wanted)
    sentence = irpref_lab.compare("nDCG@10", given, "baseline", "noisy").text.splitlines()[0]
    assert data["verdict"][0] == sentence  # type: ignore[index]
    assert data["values_only"] is True


def test_what_values_cannot_know_is_not_on_the_page(page: Path) -> None:
    text = page.read_text()
    for section in ("topic", "holes", "curves"):
        assert f'<section id="{section}"' not in text
    assert 'data-key="judged"' not in text
    assert "Values only" in text


def test_a_measure_that_nobody_knows_and_systems_that_are_named() -> None:
    values = {
        name: {f"q{t}": 0.1 * t + gain * (t % 2) for t in range(6)}
        for name, gain in (("a", 0), ("b", 0.1), ("c", 0.2))
    }
    given = irpref_lab.values(values, measure="trust", higher_is_better=False)
    page = irpref_lab.report("trust", given, ["c", "a"])
    assert "computed with irpref" not in page.html
    groups = {f"q{t}": "even" if t % 2 == 0 else "odd" for t in range(6)}
    assert "odd" in irpref_lab.report("trust", given, groups=groups, baseline="a").html


@pytest.mark.parametrize("option", ["--rankings=noisy", "--depth=3", "--known=x", "--judge=x"])
def test_an_option_about_rankings_is_refused(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--values", *FILES, "AP", option]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="no Chromium on this machine: pages are not opened")
def test_the_page_works_in_a_browser(page: Path) -> None:
    with Browser() as found:
        found.open(page)
        assert found.messages == []
        assert found.count("#two-table tbody tr") == 8
        found.run("document.querySelector('#two-table tbody tr').click()")
        assert found.messages == []


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="no Chromium on this machine: pages are not opened")
def test_the_matrix_of_many_systems_has_the_first_of_them(tmp_path: Path) -> None:
    draws = np.random.default_rng(0).random((170, 6))
    given = {
        f"s{i:03}": {f"q{t}": value + i for t, value in enumerate(row)}
        for i, row in enumerate(draws.tolist())
    }
    page = irpref_lab.report("score", irpref_lab.values(given, measure="score"))
    (tmp_path / "page.html").write_text(page.html)
    with Browser() as found:
        found.open(tmp_path / "page.html")
        assert found.messages == []
        legend = found.run("document.getElementById('pairs-legend').textContent")
        assert "150 of 170" in legend
