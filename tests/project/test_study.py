"""The robustness study: folders in, results, verdicts and pages out, the same bytes each time."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "study").is_dir():
    pytest.skip("the study is in the repository, not in the package", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from study import data, measures, page, run
from study.__main__ import main
from study.claims import HYPOTHESES
from study.results import Results
from study.text import fraction, listed, percent, signed, table, times

import irpref

pytestmark = pytest.mark.slow


def make(home, seed, n_runs=7, n_topics=8, teams=True):
    """A collection in a folder; the first run is compressed, and a topic has no relevant document."""
    rng = np.random.default_rng(seed)
    (home / "qrels").mkdir(parents=True)
    (home / "runs").mkdir()
    (home / "qrels" / "README.md").write_text("not judgments")
    lines, runs = ["t9 0 d1 0\n"], {f"team{k // 2}_r{k}": [] for k in range(n_runs)}
    for t in range(n_topics):
        grades = rng.choice([0, 1, 2], 60, p=[0.6, 0.2, 0.2])
        lines += [f"t{t} 0 d{i} {g}\n" for i, g in enumerate(grades[:50])]
        for k, rows in enumerate(runs.values()):
            score = grades + rng.normal(scale=0.5 + 0.2 * k, size=60)
            rows += [f"t{t} Q0 d{i} 0 {score[i]:.4f} x\n" for i in np.argsort(-score)[:30]]
    (home / "qrels" / "qrels.txt").write_text("".join(lines))
    for k, (name, rows) in enumerate(runs.items()):
        text = "".join(rows)
        if k:
            (home / "runs" / f"{name}.run").write_text(text)
        else:
            (home / "runs" / f"{name}.run.gz").write_bytes(gzip.compress(text.encode()))
    if teams:
        rows = [f"team{k // 2}_r{k}\tgroup {k // 2}\n" for k in range(n_runs)]
        (home / "runs.tsv").write_text("run\tteam\n" + "".join(rows))


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """Three collections, computed by one command that is given the folder of all of them."""
    home = tmp_path_factory.mktemp("study")
    for seed in range(3):
        make(home / "all" / f"made{'abc'[seed]}", seed)
    # Levels and depths as in the study; a few samples do.
    assert main([str(home / "all"), "-o", str(home / "out"), "--samples", "2"]) == 0
    return home


def test_one_command_writes_results_verdicts_and_pages(computed):
    names = sorted(path.name for path in (computed / "out").iterdir())
    stored = [f"made{x}.{form}" for x in "abc" for form in ("csv", "json")]
    assert names == sorted(
        [*stored, "APPENDIX.md", "robustness.md", "robustness.svg", "verdicts.csv"]
    )
    about = json.loads((computed / "out" / "madea.json").read_text())
    # The topic without relevant documents is left out.
    assert (about["runs"], about["teams"], about["topics"]) == (7, 4, 8)
    assert set(about["claims"]) == {h.name for h in HYPOTHESES}
    text = (computed / "out" / "robustness.md").read_text()
    assert "3 collections with 21 runs" in text
    assert "not been looked at" in text  # none was known when the hypotheses were written


def test_the_same_results_give_the_same_bytes(computed, tmp_path):
    names = ("robustness.md", "APPENDIX.md", "robustness.svg", "verdicts.csv")
    before = {name: (computed / "out" / name).read_bytes() for name in names}
    assert main(["-o", str(computed / "out")]) == 0
    assert {name: (computed / "out" / name).read_bytes() for name in names} == before
    # And the same collection the same results, whatever the order of the lines of its files.
    home = computed / "all" / "madea"
    for path in [home / "qrels" / "qrels.txt", *(home / "runs").glob("*.run")]:
        path.write_text("".join(sorted(path.read_text().splitlines(keepends=True))))
    run.write(tmp_path, *run.compute(data.read(home), 2))
    for name in ("madea.csv", "madea.json"):
        assert (tmp_path / name).read_bytes() == (computed / "out" / name).read_bytes()


def test_the_pages_of_the_repository_are_those_of_the_stored_results(tmp_path):
    results = Results(ROOT / "study" / "results")
    for name, text in (
        ("docs/robustness.md", page.page(results)),
        ("study/APPENDIX.md", page.appendix_page(results)),
        ("study/results/verdicts.csv", page.verdicts_csv(results)),
    ):
        assert (ROOT / name).read_text(encoding="utf-8") == text, (
            f"write {name} anew: python -m study"
        )
    assert len(page.page(results).split()) <= 1200


def test_estimates_of_hypotheses_are_those_of_their_measures():
    results = Results(ROOT / "study" / "results")
    for h in HYPOTHESES:
        for name, estimate in results.claim(h).items():
            of = {m: results.estimate(name, h.loss, h.outcome, m) for m in (*h.plus, *h.minus)}
            assert float(h.estimand(of)) == pytest.approx(estimate, rel=1e-3, abs=2e-4)


def test_graded_rbp_by_hand():
    # Grades 1 and 2 of 2, at ranks 1 and 3; condensed at 1 and 2.
    qrels, ranking = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 3.0, "x": 2.0, "c": 1.0}}
    whole, condensed = measures.GradedRBP(top=2), measures.GradedRBP(top=2, judged_only=True)
    values = irpref.evaluator([whole, condensed], qrels).values(ranking)
    assert values[whole].tolist() == pytest.approx([0.2 * (0.5 + 0.64)])
    assert values[condensed].tolist() == pytest.approx([0.2 * (0.5 + 0.8)])


def test_teams_come_from_the_record_the_first_stage_or_the_name(tmp_path):
    make(tmp_path / "a", 1)
    assert data.read(tmp_path / "a").source == "runs.tsv"
    make(tmp_path / "b", 1, teams=False)
    assert len(set(data.read(tmp_path / "b").teams.values())) == 7  # all begin with "team"
    assert data._teams(tmp_path, ["ab1", "ab-x", "cd"])[0] == {
        "ab1": "ab",
        "ab-x": "ab",
        "cd": "cd",
    }
    stages = ["first.BM25", "BM25.rerank_1", "ANCE__first_x", "ANCE__rerank"]
    teams, source = data._teams(tmp_path, stages)
    assert (list(teams.values()), source) == (["BM25", "BM25", "ANCE", "ANCE"], "first stage")


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (
            lambda home: (home / "qrels" / "more.txt").write_text("t 0 d 1\n"),
            "expected one file, there are 2",
        ),
        (
            lambda home: [p.unlink() for p in list((home / "runs").iterdir())[:5]],
            "2 runs of different names",
        ),
        (
            lambda home: (home / "qrels" / "qrels.txt").write_text("t1 0 d1 1\n"),
            "1 topics have a relevant document",
        ),
        (lambda home: (home / "runs").rename(home / "gone"), "no qrels/ and runs/"),
    ],
)
def test_what_cannot_be_studied_is_said_in_one_line(tmp_path, capsys, break_it, says):
    make(tmp_path / "a", 1)
    break_it(tmp_path / "a")
    assert main([str(tmp_path / "a"), "-o", str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("study: ")
    assert says in line


def test_numbers_as_the_page_prints_them():
    assert [fraction(x) for x in (0.456, -0.04, 0.001, 1.0, float("nan"))] == [
        ".46",
        "-.04",
        ".00",
        "1.00",
        "–",
    ]
    assert [signed(x) for x in (0.456, -0.04, 0.001)] == ["+.46", "−.04", ".00"]
    assert [percent(x) for x in (0.021, 0.149, 0)] == ["2.1", "15", "0"]
    assert [percent(x, True) for x in (0.021, -0.149)] == ["+2.1", "−15"]
    assert times(np.log(2.34)) == "×2.3"
    assert listed("ABC") == "A, B and C"
    assert table(["", "x"], [["a", "1"]]) == "|  | x |\n| --- | --: |\n| a | 1 |"
