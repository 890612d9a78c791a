"""A warning about one run of several says which one it is, whatever the door."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.data.columns import as_list
from irpref.errors import DuplicateWarning

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
GOOD = {"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
ROWS = [("q1", "a", 2.0), ("q1", "b", 1.0), ("q1", "a", 3.0), ("q2", "b", 1.0), ("q2", "a", 2.0)]
BAD = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])
WORSE = pd.DataFrame([*ROWS, ("q2", "a", 4.0)], columns=["query_id", "doc_id", "score"])
RUNS = {"good": GOOD, "bad": BAD, "worse": WORSE}
MEASURES = ["AP", "RPref(max_rel=1)"]


def runs_told(call: Callable[[], Any]) -> list[str | None]:
    """The runs that warnings about repeated documents name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    told = {str(w.message): w.message for w in caught if w.category is DuplicateWarning}
    return [getattr(warning, "run", None) for warning in told.values()]


@pytest.mark.parametrize(
    "door",
    [
        lambda: irpref_lab.leaderboard(MEASURES, QRELS, RUNS, n_permutations=10),
        lambda: irpref_lab.report(MEASURES, QRELS, RUNS),
        lambda: irpref_lab.meta.topic_values(MEASURES, QRELS, RUNS),
        lambda: irpref.curves.paired_differences(QRELS, RUNS, "good", "AP"),
    ],
    ids=["leaderboard", "report", "meta", "curves"],
)
def test_functions_of_several_runs_name_the_run(door: Callable[[], Any]) -> None:
    assert sorted(map(str, runs_told(door))) == ["bad", "worse"]


def test_a_gate_warns_once_of_each_run() -> None:
    assert runs_told(lambda: irpref_lab.gate(MEASURES, QRELS, GOOD, BAD)) == ["candidate"]


@pytest.mark.parametrize("command", ["intervals", "crosscheck"])
def test_errors_of_one_run_of_several_name_it(
    command: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    Path("good").write_text("1 Q0 a 1 1 x\n")
    Path("bad").write_text("1 Q0 a 1 inf x\n")
    assert main([command, "qrels", "good", "bad", "AP"]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("irpref: 'bad': run: ")


def test_one_run_has_no_name() -> None:
    assert runs_told(lambda: irpref.evaluator(MEASURES, QRELS).calc_aggregate(BAD)) == [None]
    alone = {"bad": BAD}
    assert runs_told(lambda: irpref_lab.leaderboard(MEASURES, QRELS, alone, pairs="none")) == [None]


@pytest.mark.parametrize(
    "command", ["compare q bad worse AP", "leaderboard q good bad worse AP", "eval q bad worse AP"]
)
def test_commands_name_the_run(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    )
    for name, run in RUNS.items():
        table = irpref.run(run).table
        ids = as_list(table.query_id), as_list(table.doc_id)
        rows = zip(*ids, table.value, strict=True)
        Path(name).write_text("".join(f"{t} Q0 {d} 1 {s:.0f} x\n" for t, d, s in rows))
    assert main(command.split()) == 0
    (said,) = (line for line in capsys.readouterr().err.splitlines() if "warning" in line)
    assert said.split(": ")[2].strip("'") in ("bad", "worse")
    assert said.endswith("(and 1 other run)")
