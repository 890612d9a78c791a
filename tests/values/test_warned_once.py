"""A call gives each warning once, though several of its steps meet the cause, at the user's line."""

import warnings
from collections import Counter

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main

TOPICS = [f"q{n}" for n in range(8)]
QRELS = {t: {"a": 2, "b": 1, "c": 0} for t in TOPICS}
JUDGE = {t: {"a": 2, "b": 1, "c": 0, "d": 1 + n % 2} for n, t in enumerate(TOPICS)}
GOOD = {t: {"a": 3.0, "b": 2.0 - n % 3, "d": 1.0} for n, t in enumerate(TOPICS)}
ROWS = [(t, d, s) for n, t in enumerate(TOPICS) for d, s in (("c", 4 - n % 4), ("a", 2), ("c", 1))]
BAD = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])  # c twice in a topic
RUNS = {"good": GOOD, "bad": BAD}
MEASURES = ["RPref", "NPref(n=3)"]  # which warn of the scale

CALLS = {
    "compare": lambda: irpref_lab.compare(MEASURES, QRELS, GOOD, BAD),
    "gate": lambda: irpref_lab.gate(MEASURES, QRELS, GOOD, BAD),
    "against": lambda: irpref_lab.against(MEASURES, QRELS, GOOD, {"bad": BAD}),
    "leaderboard": lambda: irpref_lab.leaderboard(MEASURES, QRELS, RUNS),
    "judge": lambda: irpref_lab.judge(MEASURES, QRELS, JUDGE, RUNS),
    "report": lambda: irpref_lab.report(MEASURES, QRELS, RUNS),
    "over ties": lambda: irpref_lab.intervals(MEASURES, QRELS, BAD),
    "over unjudged": lambda: irpref_lab.intervals(MEASURES, QRELS, BAD, over="unjudged"),
    "over topics": lambda: irpref_lab.intervals(MEASURES, QRELS, BAD, over="topics"),
    "evaluator": lambda: irpref.evaluator(MEASURES, QRELS).calc_aggregate(BAD),
    "explain": lambda: irpref.explain("RPref", QRELS, BAD, "q1"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_comes_once_in_a_call(name):
    if name == "report":
        pytest.importorskip("jinja2")
    for _ in range(2):  # the second call is another one
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            CALLS[name]()
        given = Counter(str(warning.message) for warning in caught)
        assert any("repeats" in text for text in given)
        assert set(given.values()) == {1}
        assert {warning.filename for warning in caught} == {__file__}


def test_a_command_gives_it_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = (f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    (tmp_path / "q").write_text("".join(rows))
    for name, docs in {"a": "abc", "b": "cab"}.items():
        rows = (f"{t} Q0 {d} {i} {9 - i} x\n" for t in TOPICS for i, d in enumerate(docs, 1))
        (tmp_path / name).write_text("".join(rows))
    assert main(["compare", "q", "a", "b", "RPref"]) == 0
    assert capsys.readouterr().err.count("RPref: max_rel ") == 1
