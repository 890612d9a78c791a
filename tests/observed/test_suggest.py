"""Which measures `check` names for some judgments: those that the judgments allow and that the
study found to work.
"""

import re
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.datasets import load

ROOT = Path(__file__).resolve().parents[2]
PASSED = {
    "AP'": "AP(judged_only=True,rel=2)",
    "rpref relative2": "RPref(norm='relative2')",
}


def named(qrels, runs):
    return [row["measure"] for row in irpref_lab.check(qrels, runs).attrs["measures"]]


def graded(topics=20, deep=30):
    return {f"q{t}": {f"d{d}": (d + t) % 3 for d in range(deep)} for t in range(topics)}


def ranked(qrels, first=None):
    return {q: {d: -i for i, d in enumerate([*docs][:first])} for q, docs in qrels.items()}


@pytest.fixture(scope="module")
def passed():
    """Situations of the study, each with the measures that pass its questions."""
    if not (ROOT / "study").is_dir():
        pytest.skip("the study is in the repository, not in the package")
    sys.path.insert(0, str(ROOT))
    from study.page import situations
    from study.results import Results

    return [
        [measures for _, measures in asked]
        for _, asked in situations(Results(ROOT / "study/results"))
    ]


def test_incomplete_judgments_get_what_passed_the_study(passed):
    cast = load("cast2021")
    assert named(cast.qrels, cast.runs) == [*PASSED.values(), "nDCG@10"]
    assert all(PASSED.keys() <= measures for asked in passed[:3] for measures in asked)


@pytest.mark.registry
def test_the_rpref_of_examples_is_the_one_that_is_advised():
    assert str(irpref.RPref.recommended()) == PASSED["rpref relative2"]
    assert all(str(type(m).recommended()) for m in irpref.measures.registered().values())


def test_the_advice_is_the_same_whichever_runs_are_given():
    cast = load("cast2021")
    expected = irpref_lab.check(cast.qrels).attrs["measures"]
    for runs in (cast.runs, {"one": cast.runs["org_convdr"]}):
        assert irpref_lab.check(cast.qrels, runs).attrs["measures"] == expected
    assert "unreviewed" in expected[0]["why"]
    qrels = graded()
    deep, short = ranked(qrels), ranked(qrels, 5)
    assert named(qrels, {}) == named(qrels, {"a": deep}) == named(qrels, {"a": short})


@pytest.mark.parametrize(
    ("grade_of", "suited", "code"),
    [
        (lambda g: g + 1, ["nDCG@10", "QMeasure", "RPref(norm='relative2')"], "blind"),
        (
            lambda g: 0.8 * g / 2,
            ["nDCG@10", "QMeasure", "RPref(norm='relative2')"],
            "out-of-reach",
        ),
    ],
)
def test_measures_that_cannot_tell_runs_apart_are_not_named(grade_of, suited, code):
    qrels = {q: {d: grade_of(g) for d, g in docs.items()} for q, docs in graded().items()}
    runs = {
        "a": ranked(qrels),
        "b": {q: {d: -s for d, s in r.items()} for q, r in ranked(qrels).items()},
    }
    found = irpref_lab.check(qrels, runs)
    assert [row["measure"] for row in found.attrs["measures"]] == suited
    (text, *_) = found.loc[found["code"] == code, "text"]
    assert "rel=1" in text


def test_the_page_says_what_the_study_says():
    said = (ROOT / "docs/tutorials/which-measure.md").read_text("utf8").replace("\n", " ")
    page = (ROOT / "docs/robustness.md").read_text("utf8").replace("\xa0", " ")
    assert "Seven of the twelve hypotheses" in said
    assert "H1, H2, H6, H7, H8, H9 and H10 open" in page
    assert "5 to 19 % of all pairs" in said
    assert "5.0 to 19 % of all pairs" in page
    assert "1.25 times as many judgments" in said
    assert "1.25 times the judgments" in page
    assert "too low in all collections with shallow pools" in said
    assert "not pooled too low in all of 7 collections" in page


def test_relevant_documents_alone():
    qrels = {q: {d: g for d, g in docs.items() if g} for q, docs in graded().items()}
    assert named(qrels, {}) == ["RR@10", "R@100", "nDCG@10"]
    # A third of the first ten documents is judged, the others are new ones.
    run = {
        q: {d if i % 3 else f"x{i}": -i for i, d in enumerate(docs)} for q, docs in qrels.items()
    }
    run = {q: {f"x{i}": -i + 0.5 for i in range(20)} | docs for q, docs in run.items()}
    assert named(qrels, {"a": run}) == ["RR@10", "R@100", "nDCG@10"]


def test_preferences():
    qrels = irpref.preferences_from(graded(3, 5))
    assert named(qrels, {"a": ranked(graded(3, 5))}) == ["PrefShare", "PrefPrecision@10", "PrefAP"]


@pytest.mark.parametrize("qrels", [graded(), load("cast2021").qrels, load("synthetic").qrels])
def test_what_is_named_can_be_computed_without_a_warning(qrels):
    run = ranked(qrels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(irpref.evaluator(named(qrels, {"a": run}), qrels).calc_aggregate(run)) == 3


def test_the_command_names_them_last(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, docs in graded().items() for d, g in docs.items())
    )
    Path("run").write_text(
        "".join(f"{q} Q0 {d} 1 {-int(d[1:])} a\n" for q, docs in graded().items() for d in docs)
    )
    assert main(["check", "qrels", "run"]) == 0
    assert "these judgments\nAP(judged_only=True) " in capsys.readouterr().out
    assert main(["check", "qrels", "run", "-o", "jsonl"]) == 0
    assert "judged_only" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "grades", [{"a": 2, "b": 0}, {"a": 3, "b": 0}, {"a": 0.8, "b": 0}, {"a": 5, "b": 1}, {"a": 1}]
)
def test_eval_without_a_measure_names_the_same(grades, tmp_path, capsys):
    qrels = {f"q{t}": grades for t in range(4)}
    lines = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "run").write_text("".join(f"{q} Q0 a 1 1 x\n" for q in qrels))
    assert main(["eval", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 2
    first, second, third = named(qrels, {})
    assert f"{first}, {second} or {third} would suit" in capsys.readouterr().err


def test_what_is_said_of_the_study_is_what_leaving_one_collection_out_gives():
    # The study's page is computed: "AP' (2 of 5 times) and rpref relative2 (4 of 5 times)".
    page = (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8")
    times = dict(re.findall(r"(AP'|rpref relative2) \((\d of \d) times\)", page))
    file = ROOT / "src" / "irpref" / "observed" / "suggestions.toml"
    said = tomllib.loads(file.read_text(encoding="utf-8"))["nonrelevant-too"]
    named = {"AP'": "AP(judged_only=True{rel})", "rpref relative2": "RPref(norm='relative2')"}
    assert set(times) == set(named)
    for short, name in named.items():
        assert f"in {times[short]} cases" in said[name]
