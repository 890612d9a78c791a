"""Measures that tell nothing apart on judgments: `irpref eval` warns of them, and says over how
many topics a mean is.
"""

from pathlib import Path

import pytest

import irpref
from irpref.cli import main
from irpref.observed.silent import silent
from irpref.values.kernels import KernelEvaluator
from irpref.values.means import have_a_value

RATED = {"1": {"a": 5, "b": 1, "c": 3}, "2": {"d": 4, "e": 2}}  # grades from 1 to 5
BINARY = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}
GRADED = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 0}}


def suspects(names: str, qrels: dict[str, dict[str, int]]) -> list[str]:
    kernels = KernelEvaluator(irpref.parse_all(names), irpref.judgments(qrels))
    found = silent(kernels)
    return [] if found is None else sorted(map(str, found.reached))


@pytest.mark.parametrize(
    ("names", "qrels", "expected"),
    [
        ("AP nDCG RR P@2", RATED, ["AP", "P@2", "RR"]),
        ("AP nDCG AP(rel=2) AP(rel=3)", GRADED, ["AP(rel=3)"]),
        ("AP nDCG RPref(max_rel=1) Judged@10 NumRet NumRel", BINARY, []),
        ("AP nDCG", {"1": {"a": 0}, "2": {"b": 0}}, ["AP", "nDCG"]),
        # One topic that tells something apart is enough.
        ("AP", {**RATED, "3": {"a": 1, "b": 0}}, []),
        ("AP", {**{f"0{t:02}": {"a": 2, "b": 1} for t in range(40)}, "9": {"a": 1, "b": 0}}, []),
    ],
)
def test_which_measures_may_tell_nothing_apart(names, qrels, expected):
    assert suspects(names, qrels) == expected


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, qrels in (("rated", RATED), ("binary", BINARY)):
        Path(name).write_text(
            "".join(f"{t} 0 {doc} {g}\n" for t, docs in qrels.items() for doc, g in docs.items())
        )
    Path("first").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 e 1 2 x\n")
    Path("unjudged").write_text("1 Q0 x 1 3 x\n1 Q0 y 2 2 x\n1 Q0 a 3 1 x\n2 Q0 z 1 1 x\n")
    return tmp_path


def test_eval_warns_once_of_all_such_measures(files, capsys):
    assert main(["eval", "rated", "first", "AP", "nDCG", "RR"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "counts the same for AP, RR (grades 1 to 5, rel=1), for all 2 topics" in line


def test_eval_does_not_warn_where_unjudged_documents_are_what_is_told_apart(files, capsys):
    assert main(["eval", "rated", "unjudged", "AP", "nDCG", "RR"]) == 0
    assert "counts the same" not in capsys.readouterr().err


def test_eval_warns_if_no_grade_reaches_rel(files, capsys):
    assert main(["eval", "binary", "unjudged", "AP(rel=3)", "AP"]) == 0
    err = capsys.readouterr().err
    assert "nothing counts as relevant to AP(rel=3) (grades 0 to 1, rel=3)" in err


@pytest.mark.parametrize(
    ("counts", "text"),
    [([], ""), ([3], ""), ([2, 2], "2 of 3 topics have a value"), ([1, 3], "1 to 3 of 3 topics")],
)
def test_how_many_topics_have_a_value(counts, text):
    assert have_a_value(counts, 3).startswith(text)
    assert bool(have_a_value(counts, 3)) == bool(text)


def test_eval_says_over_how_many_topics_a_mean_is(files, capsys):
    Path("known").write_text("1 0 a 1\n")
    measure, said = "Coverage(undefined='nan')", "1 of 2 topics has a value"
    assert main(["eval", "binary", "unjudged", measure, "--known", "known"]) == 0
    assert capsys.readouterr().err == f"irpref: {measure}: {said}\n"
    assert main(["eval", "binary", "unjudged", "first", measure, "--known", "known"]) == 0
    assert f"\n{measure}: {said}\n" in capsys.readouterr().out
