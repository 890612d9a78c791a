"""`irpref demo`: its story is true, fits a screen, and needs no network."""

import io
import re
import socket
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import ir_measures
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.datasets import load

BM25, DENSE = "org_manual_bm25", "org_convdr"
RPREF = "RPref(norm='relative2')"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def told(home):
    """Run the demo once, in an empty folder and without a network: what it printed, and its
    sentences in one line.
    """

    def refused(*_, **__):
        raise AssertionError("the demo opened a socket")

    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(home)
        patch.setattr(socket, "socket", refused)
        patch.delenv("COLUMNS", raising=False)
        assert main(["demo"]) == 0
    assert err.getvalue() == ""
    return out.getvalue(), " ".join(out.getvalue().split())


def test_its_numbers_are_those_of_the_host(told):
    """Of pytrec_eval where it has the measure, of our provider elsewhere."""
    text, sentences = told
    example = load("cast2021")
    names = ["nDCG@10", RPREF, "QMeasure", "AP", "Judged@10"]
    measures = {name: irpref.parse(name) for name in [*names, "nDCG(judged_only=True)@10"]}
    means = {
        run: ir_measures.calc_aggregate(list(measures.values()), example.qrels, scores)
        for run, scores in example.runs.items()
    }
    head, *rows = [line.split() for line in text.split("\n")[3:9]]
    assert head == ["run", *names]
    assert {row[0] for row in rows} == set(example.runs)
    for run, *cells in rows:
        assert [float(cell.rstrip("*")) for cell in cells] == pytest.approx(
            [means[run][measures[name]] for name in names], abs=5.01e-5
        )
    for name, better, worse in (
        ("nDCG@10", BM25, DENSE),
        (RPREF, DENSE, BM25),
        ("nDCG(judged_only=True)@10", DENSE, BM25),
    ):
        high, low = means[better][measures[name]], means[worse][measures[name]]
        assert high > low
        assert f"{high:.4f} to {low:.4f}" in sentences
    assert f"nDCG@10 ranks {BM25} above {DENSE}" in sentences
    assert f"RPref ranks {DENSE} above {BM25}" in sentences
    assert f"86% of {BM25}'s and 70% of {DENSE}'s first ten " in sentences


def test_the_bounds_contain_the_values_and_overlap(told):
    """Values that some grades of the unjudged documents give: below and above the value without
    them.
    """
    found = re.findall(
        r"from (0\.\d{4}) to (0\.\d{4}) for (org_\w+)", told[1].partition("anywhere")[2]
    )
    bounds = {name: (float(low), float(high)) for low, high, name in found}
    assert bounds.keys() == {BM25, DENSE}
    assert bounds[BM25][0] < 0.3764 < bounds[BM25][1]
    assert bounds[DENSE][0] < 0.3444 < bounds[DENSE][1]
    assert bounds[DENSE][0] < bounds[BM25][1]
    assert "The ranges overlap" in told[1]


def test_what_the_test_says_is_what_leaderboard_says(told):
    example = load("cast2021")
    measures = ["nDCG@10", RPREF, "nDCG(judged_only=True)@10"]
    board = irpref_lab.leaderboard(measures, example.qrels_frame(), example.runs)
    pairs = board.pairs
    pairs = pairs[pairs["a"].isin([BM25, DENSE]) & pairs["b"].isin([BM25, DENSE])].set_index(
        "measure"
    )
    for measure in measures:
        p = pairs.loc[measure, "p_adjusted"]
        assert f"{measure} (adjusted p = {p:.4f})" in told[1]
    assert f"Test: {board.test}" in told[1]
    assert "not shown to differ by nDCG@10 (" in told[1]


def test_it_fits_one_screen(told, home):
    lines = told[0].rstrip("\n").split("\n")
    assert len(lines) <= 45
    assert max(len(line) for line in lines if str(home) not in line) <= 100
    assert told[0].isascii()


def test_it_says_where_the_report_is_and_what_to_type_next(told, home):
    pytest.importorskip("vl_convert")
    page = home / "irpref-demo.html"
    assert str(page) in "".join(told[0].split())
    assert "TREC CAsT 2021" in page.read_text(encoding="utf-8")
    for command in re.findall(r"^  irpref (\w+)", told[0], re.M):
        assert main([command, "--help"]) == 0


@pytest.mark.slow
def test_without_the_extra_for_reports_it_says_so(tmp_path):
    code = "import sys; sys.modules['jinja2'] = None; from irpref.cli import main; sys.exit(main(['demo']))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "No report was written (a report needs Jinja: pip install irpref[lab])." in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "status", "left"), [("y", 0, "<!DOCTYPE"), ("n", 0, "mine"), ("", 130, "mine")]
)
def test_in_a_terminal_it_asks_before_it_overwrites_its_page(
    answer, status, left, tmp_path, monkeypatch, capsys
):
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    page = tmp_path / "irpref-demo.html"
    page.write_text("mine")
    terminal = io.StringIO(answer and f"{answer}\n")
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    assert main(["demo"]) == status
    out, err = capsys.readouterr()
    assert f"{page.name} exists. Overwrite it? " in err
    assert page.read_text().lower().startswith(left.lower())
    assert max(len(line) for line in ["", *out.splitlines()] if str(tmp_path) not in line) <= 80


def test_files_are_the_collection_and_a_page_is_not_overwritten_unasked(
    tmp_path, monkeypatch, capsys
):

    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the same files may be written again
        assert main(["demo", "--files", "cast"]) == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "qrels.txt").write_text("mine")
    assert main(["demo", "--files", "mine"]) == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["qrels.txt"]
    cast = load("cast2021")
    lines = [line.split() for line in (tmp_path / "cast" / "convdr.run").read_text().splitlines()]
    keys = [(topic, -float(score), int(rank)) for topic, _, _, rank, score, _ in lines]
    assert keys == sorted(keys)  # ranks agree with scores
    for name, run in cast.runs.items():
        written = irpref.read_run(f"cast/{name.removeprefix('org_')}.run")
        pairs = zip(written["query_id"], written["doc_id"], written["score"], strict=True)
        assert {(q, d): s for q, d, s in pairs} == {
            (q, d): s for q, docs in run.items() for d, s in docs.items()
        }
    page = tmp_path / "irpref-demo.html"
    page.write_text("mine")
    assert main(["demo"]) == 0
    assert f"since {page.name} exists" in capsys.readouterr().out
    assert page.read_text() == "mine"
