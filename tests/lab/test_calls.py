"""Runs too many, too few, or in one argument: the error has the line to type."""

import ir_measures
import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.errors import ArgumentError, InputError, IrprefError

QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": i % 2} for i in range(6)}
RUNS = {
    name: {q: {f"d{1 + (j + shift) % 3}": 3.5 - j for j in range(3)} for q in QRELS}
    for shift, name in enumerate(("one", "two", "three"))
}
MEASURES = ["AP"]


def _rows(run):
    return [(q, d, s) for q, docs in run.items() for d, s in docs.items()]


FORMS = {
    "dict": lambda name, run, folder: run,
    "frame": lambda name, run, folder: pd.DataFrame(
        _rows(run), columns=["query_id", "doc_id", "score"]
    ),
    "run": lambda name, run, folder: irpref.run(run, name=name),
    "documents": lambda name, run, folder: [ir_measures.ScoredDoc(*row) for row in _rows(run)],
    "path": lambda name, run, folder: _file(folder / name, run),
}


def _file(path, run):
    path.write_text("".join(f"{q} Q0 {d} 1 {s} {path.name}\n" for q, d, s in _rows(run)))
    return str(path)


@pytest.fixture(params=FORMS)
def runs(request, tmp_path):
    return {name: FORMS[request.param](name, run, tmp_path) for name, run in RUNS.items()}


def _refused(function, *args, **options):
    with pytest.raises(ArgumentError) as told:
        function(*args, **options)
    return str(told.value)


@pytest.mark.parametrize("name", ["compare", "gate"])
def test_two_runs_are_compared_and_more_go_to_the_leaderboard(name, runs):
    function, three = getattr(irpref_lab, name), list(runs.values())
    for args in (three, [three], [runs]):
        said = _refused(function, MEASURES, QRELS, *args)
        assert "got 3" in said
        assert f"irpref_lab.{name}(measures, qrels, " in said
        assert "irpref_lab.leaderboard(measures, qrels, runs)" in said
    said = _refused(function, MEASURES, QRELS, three[0])
    assert "got 1" in said
    assert "leaderboard" not in said


@pytest.mark.parametrize("name", ["compare", "gate"])
def test_two_runs_in_one_argument_are_two_with_a_star(name, runs):
    function = getattr(irpref_lab, name)
    del runs["three"]
    line = f"irpref_lab.{name}(measures, qrels, "
    assert f"{line}*runs.values())" in _refused(function, MEASURES, QRELS, runs)
    assert f"{line}*runs)" in _refused(function, MEASURES, QRELS, list(runs.values()))
    assert len(function(MEASURES, QRELS, *runs.values())) == 1


@pytest.mark.parametrize("name", ["compare", "gate", "against", "intervals"])
def test_a_dict_of_runs_is_not_one_run(name, runs):
    more = [] if name == "intervals" else [runs if name == "against" else runs["one"]]
    said = _refused(getattr(irpref_lab, name), MEASURES, QRELS, runs, *more)
    assert "runs['one']" in said


def test_a_list_of_runs_is_one_system_in_verdicts_only(runs):
    two = list(runs.values())[:2]
    assert "runs[0]" in _refused(irpref_lab.intervals, MEASURES, QRELS, two)
    if not isinstance(two[0], list):  # lists of rows are no repeats
        assert "repeats_b" in irpref_lab.compare(MEASURES, QRELS, runs["three"], two)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("leaderboard", "irpref_lab.leaderboard(measures, qrels, runs)"),
        ("against", "irpref_lab.against(measures, qrels, baseline, runs)"),
        ("report", "irpref_lab.report(measures, qrels, runs, path)"),
        ("judge", "irpref_lab.judge(measures, human, judge, runs)"),
        ("intervals", "irpref_lab.intervals(measures, qrels, run, over)"),
        ("check", "irpref_lab.check(qrels, runs, measures)"),
        ("verify", "irpref_lab.verify(table, qrels, runs)"),
        ("fill", "irpref_lab.fill(qrels, judge, runs)"),
        ("sample", "irpref_lab.sample(measures, qrels, judge, runs, n)"),
        ("sampled", "irpref_lab.sampled(qrels, judge, plan)"),
    ],
)
def test_arguments_too_many_or_too_few_name_the_line(name, line, runs):
    function = getattr(irpref_lab, name)
    assert line in _refused(function, MEASURES, QRELS, *runs.values(), *runs.values())
    assert line in _refused(function)


def test_a_name_that_no_argument_has_stays_a_type_error(runs):
    with pytest.raises(TypeError):
        irpref_lab.compare(MEASURES, QRELS, *list(runs.values())[:2], margins=0.1)


@pytest.mark.parametrize("name", ["leaderboard", "report", "check"])
def test_one_run_in_place_of_several_is_told_to_have_a_name(name, runs):
    if name == "check" and isinstance(runs["one"], str):
        pytest.skip("takes a path")
    first = [] if name == "check" else [MEASURES]
    with pytest.raises(TypeError, match=r"runs: .*(name|one run)"):
        getattr(irpref_lab, name)(*first, QRELS, runs["one"])


@pytest.mark.parametrize("name", ["leaderboard", "report", "check"])
def test_runs_by_name_are_no_judgments(name, runs):
    first = [] if name == "check" else [MEASURES]
    with pytest.raises(ArgumentError) as told:
        getattr(irpref_lab, name)(*first, runs, QRELS)
    assert told.value.parameter == "qrels"


def test_a_run_that_says_so_is_no_judgments():
    run = irpref.run(RUNS["one"])
    for call in (
        lambda: irpref_lab.compare(MEASURES, run, QRELS, RUNS["two"]),
        lambda: irpref_lab.intervals(MEASURES, run, QRELS),
        lambda: irpref.evaluator(MEASURES, run),
    ):
        with pytest.raises(InputError):
            call()


def test_long_values_are_clipped_in_messages(runs):
    with pytest.raises(IrprefError) as told:
        irpref_lab.topics_needed(MEASURES, QRELS, runs)
    assert len(str(told.value)) < 200
