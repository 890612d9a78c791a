"""One list of codes: what is added to it is found by everything that asks, and has its words."""

import re
from pathlib import Path
from typing import get_args

import pytest

import irpref
import irpref_lab
from irpref.observed.codes import CODES
from irpref.observed.finding import LEVELS, About, Code, Found, View

ROOT = Path(__file__).resolve().parents[2]
TOPICS = [f"q{t:02}" for t in range(24)]
QRELS = {topic: {"a": 2, "b": 1, "c": 0, "d": 0} for topic in TOPICS}
NAMES = ("early", "late", "third", "fourth", "fifth")
SAYS = "{run} was made on a Sunday for {some}"
SAID = "was made on a Sunday for 24 of 24 topics"


def _ranked(docs, by):
    """A run that turns the documents further for each next topic."""
    ranked = {}
    for number, topic in enumerate(TOPICS):
        start = number * by % len(docs)
        ranked[topic] = {doc: -float(i) for i, doc in enumerate(docs[start:] + docs[:start])}
    return ranked


RUNS = {name: _ranked("abcd", number) for number, name in enumerate(NAMES)}


def _of_all_topics(view):
    return Found(view.inside)


@pytest.fixture
def added():
    """A code that holds for each run on all topics, in the list for the time of a test."""
    code = Code(
        "sunday",
        "run",
        _of_all_topics,
        SAYS,
        "grave",
        against=frozenset({"values", "pass", "claim"}),
    )
    CODES.append(code)
    yield code
    CODES.remove(code)


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("find", [irpref_lab.check, irpref.evidence], ids=["check", "evidence"])
def test_a_code_that_is_added_is_found_in_data(find):
    given = (["AP"], QRELS, RUNS) if find is irpref.evidence else (QRELS, RUNS, ["AP"])
    found = find(*given)
    rows = found[found["code"] == "sunday"]
    assert rows[["level", "run", "text"]].values.tolist() == [
        ["grave", name, f"{name} {SAID}"] for name in NAMES
    ]


@pytest.mark.usefixtures("added")
def test_a_code_that_is_added_stops_verdicts():
    worse, better = RUNS["late"], RUNS["early"]
    compared = irpref_lab.compare(["AP"], QRELS, worse, better)
    gated = irpref_lab.gate(["AP"], QRELS, worse, better)
    assert compared["codes"].tolist() == gated["codes"].tolist() == ["sunday"]
    assert compared["verdict"].tolist() == ["cannot tell"]
    assert gated["verdict"].tolist() == ["inconclusive"]
    for result in (compared, gated):
        assert "sunday 24" in result["topics_by_code"].item()
        assert SAID in result.text


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("number", [2, 5])
def test_a_code_that_is_added_is_said_of_boards(number):
    runs = {name: RUNS[name] for name in NAMES[:number]}
    board = irpref_lab.leaderboard(["AP"], QRELS, runs)
    differences = irpref_lab.against(["AP"], QRELS, runs["early"], runs)
    for table in (board, differences):
        assert all("sunday 24" in cell for cell in table["topics_by_code"])
        assert any(SAID in note for note in table.notes)
    assert SAID in irpref_lab.report(["AP"], QRELS, runs, baseline="early").html


@pytest.mark.usefixtures("added")
def test_a_code_that_is_added_is_said_of_predictions():
    human = {topic: QRELS[topic] for topic in TOPICS[:12]}
    predicted = irpref_lab.judge(["AP"], human, QRELS, RUNS)
    assert "sunday" in set(predicted.evidence["code"])
    assert any(SAID in note for note in predicted.notes)


def test_the_code_of_the_guide_is_found(monkeypatch):
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = re.search(r"## Add a code\n.*?^```python\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    known = {"Code": Code, "Found": Found, "View": View}
    exec(example[1], known)
    monkeypatch.setattr("irpref.observed.evidence.CODES", [*CODES, known["SINGLE_DOCUMENT"]])
    runs = {"one": RUNS["early"] | {TOPICS[3]: {"a": 1.0}}}
    found = irpref.evidence(["AP"], QRELS, runs).set_index("code").loc["single-document"]
    assert (found["run"], found["topics"], found["example"]) == ("one", 1, TOPICS[3])


def test_codes_are_listed_once_with_level_and_words():
    named = [(code.name, code.about) for code in CODES]
    assert len(set(named)) == len(named)
    for code in CODES:
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code.name)
        assert code.level in LEVELS
        assert code.about in get_args(About)
        assert code.says
        assert not code.says.endswith(".")
        assert code.against <= {"values", "pass", "claim"}
        assert set(code.instead_of) <= {name for name, _ in named}


def test_each_code_is_on_a_page():
    pages = "".join(
        (ROOT / "docs" / page).read_text(encoding="utf-8")
        for page in ("check.md", "what-a-verdict-rests-on.md")
    )
    assert [code.name for code in CODES if f"`{code.name}`" not in pages] == []
