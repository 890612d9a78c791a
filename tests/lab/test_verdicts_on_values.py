"""Verdicts on the values of runs are those on the runs, to the last digit, but for facts that values
cannot hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.datasets import load
from irpref.errors import ArgumentError, JudgmentsError, MeasureError
from irpref_lab.meta import topic_values

MADE = load("synthetic")
MEASURES = ["AP", "nDCG@10", "RR", "EMeasure@10"]


@pytest.fixture(scope="module")
def given() -> Any:
    """The values of all runs, without the topics that they do not answer."""
    answered = {name: set(irpref.run(run).frame()["query_id"]) for name, run in MADE.runs.items()}
    rows = [
        (system, topic, name, value)
        for name, table in topic_values(MEASURES, MADE.qrels, MADE.runs).items()
        for system, row in zip(table.systems, table.values, strict=True)
        for topic, value in zip(table.topics, row.tolist(), strict=True)
        if topic in answered[system]
    ]
    return irpref_lab.values(pd.DataFrame(rows, columns=["system", "topic", "measure", "value"]))


def same(found: pd.DataFrame, expected: pd.DataFrame, columns: list[str]) -> None:
    """Compare to the last digit."""
    pd.testing.assert_frame_equal(
        pd.DataFrame(found[columns]), pd.DataFrame(expected[columns]), check_exact=True
    )


def test_compare(given: Any) -> None:
    found = irpref_lab.compare(MEASURES, given, "noisy", "baseline")
    runs = [MADE.runs[name] for name in ("noisy", "baseline")]
    expected = irpref_lab.compare(MEASURES, MADE.qrels, *runs, names=["noisy", "baseline"])
    numbers = ["mean_a", "mean_b", "difference", "low", "high", "p", "effect_size"]
    same(found, expected, [*numbers, "wins", "losses", "equal", "topics", "verdict", "codes"])
    assert found["could_turn"].isna().all()
    assert found.text.startswith("values only")
    assert "values only" in repr(found).splitlines()[0]
    assert any("values only" in note for note in found.notes)


def test_topics_that_a_system_lacks_count(given: Any) -> None:
    strict = irpref_lab.compare(["AP"], given, "noisy", "strong", missing=0.0)
    assert (strict["verdict"][0], strict["codes"][0]) == ("cannot tell", "unanswered")
    found = irpref_lab.compare(["AP"], given, "noisy", "strong")
    runs = [MADE.runs[name] for name in ("noisy", "strong")]
    expected = irpref_lab.compare(["AP"], MADE.qrels, *runs)
    same(found, expected, ["mean_a", "mean_b", "p", "topics", "verdict"])


@pytest.mark.parametrize("pairs", ["holm", "stepdown", "none"])
def test_leaderboard(given: Any, pairs: str) -> None:
    # Of the others, values do not know that they are shallow beside these.
    runs = {name: MADE.runs[name] for name in ("strong", "broad", "noisy")}
    found = irpref_lab.leaderboard(MEASURES, given, list(runs), pairs=pairs)
    expected = irpref_lab.leaderboard(MEASURES, MADE.qrels, runs, pairs=pairs)
    places = ["place", "place_low", "place_high", "letters"]
    same(found, expected, ["run", "measure", "mean", "low", "high", *places])
    if pairs != "none":
        same(found.pairs, expected.pairs, list(expected.pairs.columns))
    assert found["judged@10"].isna().all()
    assert any("values only" in note for note in found.notes)


def test_leaderboard_of_some_systems(given: Any) -> None:
    found = irpref_lab.leaderboard("AP", given, ["strong", "broad"])
    assert set(found["run"]) == {"strong", "broad"}


def test_against(given: Any) -> None:
    found = irpref_lab.against(MEASURES, given, "baseline")
    expected = irpref_lab.against(MEASURES, MADE.qrels, "baseline", MADE.runs)
    same(found, expected, ["run", "measure", "value", "difference", "p", "p_adjusted"])


@pytest.mark.parametrize("pair", [("noisy", "baseline"), ("baseline", "noisy")])
def test_gate(given: Any, pair: tuple[str, str]) -> None:
    found = irpref_lab.gate(MEASURES, given, *pair)
    expected = irpref_lab.gate(MEASURES, MADE.qrels, *(MADE.runs[name] for name in pair))
    numbers = ["baseline", "candidate", "difference", "low", "topics", "verdict"]
    same(found, expected, ["measure", *numbers])
    assert found.verdict == expected.verdict
    text = expected.text.replace("has no documents", "has no value")
    assert found.text == f"values only: {text}"


def test_a_gate_does_not_pass_a_candidate_that_lacks_topics() -> None:
    topics = {f"q{t:02}": 0.5 + 0.01 * t for t in range(40)}
    few = dict(list(topics.items())[:30])
    given = irpref_lab.values({"main": {"AP": topics}, "new": {"AP": few}})
    decision = irpref_lab.gate("AP", given, "main", "new")
    assert decision.verdict == "block"
    with pytest.raises(ValueError, match="nobody"):
        irpref_lab.gate("AP", given, "main", "nobody")


@pytest.mark.parametrize("margin", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_margin_that_the_baseline_cannot_lose_is_never_passed_on_values(
    given: Any, measure: str, margin: float
) -> None:
    pair = ("noisy", "baseline")
    runs = [MADE.runs[name] for name in pair]
    found = irpref_lab.gate(measure, given, *pair, margin=margin)
    expected = irpref_lab.gate(measure, MADE.qrels, *runs, margin=margin)
    same(found, expected, ["verdict", "codes", "reason"])


def _gate_of(measure: str, main: list[float], new: list[float], **how: Any) -> Any:
    systems = {
        name: {f"q{t:03}": {measure: value} for t, value in enumerate(values)}
        for name, values in (("main", main), ("new", new))
    }
    better = how.pop("higher_is_better", None)
    given = irpref_lab.values(systems, measure=measure, higher_is_better=better)
    return irpref_lab.gate(measure, given, "main", "new", **how)


def test_a_loss_of_everything_is_no_pass() -> None:
    low = [0.0119 * (0.5 + t % 2) for t in range(200)]
    assert _gate_of("nDCG@10", low, [0.0] * 200).verdict == "block"
    for new in ([0.0] * 200, low):
        found = _gate_of("nDCG@10", [0.0] * 200, new)
        assert (found.verdict, found["codes"].item()) == ("inconclusive", "wide-margin")
    # The worst value of this one is 1.
    assert _gate_of("EMeasure@10", [1.0] * 20, [1.0] * 20).verdict == "inconclusive"
    for measure, same_value in (("nDCG@10", 0.3), ("EMeasure@10", 0.0)):
        assert _gate_of(measure, [same_value] * 20, [same_value] * 20).verdict == "pass"


def test_zeros_of_an_unknown_measure_pass_only_if_they_can_be_good() -> None:
    found = _gate_of("answered", [0.0] * 20, [0.0] * 20)
    assert (found.verdict, found["codes"].item()) == ("inconclusive", "wide-margin")
    assert "all values of both systems by answered are 0" in found.text
    assert _gate_of("errors", [0.0] * 20, [0.0] * 20, higher_is_better=False).verdict == "pass"
    # Nobody knows how far a mean of .01 is from the worst.
    assert _gate_of("score", [0.01] * 20, [0.01] * 20).verdict == "pass"
    assert _gate_of("score", [0.0] * 20, [0.5] * 20).verdict == "pass"


def test_a_gate_on_values_refuses_measures_that_do_not_depend_on_grades() -> None:
    values = [0.1 * (t % 7) for t in range(20)]
    for measure in ("Judged@10", "RBPResidual"):
        with pytest.raises(MeasureError, match=f"{measure}.* depends on grades"):
            _gate_of(measure, values, values)
    for measure in ("P(rel=3)@10", "alpha_nDCG@10", "Judged at ten"):
        assert _gate_of(measure, values, values).verdict == "pass"


def test_topics_that_a_system_lacks_are_no_gain_by_a_measure_below_zero() -> None:
    main = {f"q{t:03}": {"CRP": -1.0 - 20 * (t < 4)} for t in range(100)}
    new = {topic: cells for topic, cells in main.items() if topic > "q003"}
    given = irpref_lab.values({"main": main, "new": new})
    found = irpref_lab.compare("CRP", given, "main", "new")
    assert found["difference"].tolist() == [0.0]
    assert "4 of 100 topics; they count with -21, the worst value that is known" in found.text
    board = irpref_lab.leaderboard("CRP", given)
    assert board["place"].tolist() == [1, 1]


BAD, ALL = range(35), range(50)  # topics on which the candidate is worse


def _partly(more: Any = ()) -> Any:
    """Values of AP that neither system has where the candidate is worse, and further rows."""
    rows = [
        (name, f"q{t:02}", "AP", None if t in BAD else 0.3 + 0.01 * (t % 7) + gain)
        for name, gain in (("main", 0.0), ("new", 0.05))
        for t in ALL
    ]
    table = pd.DataFrame([*rows, *more], columns=["system", "topic", "measure", "value"])
    return irpref_lab.values(table)


@pytest.mark.parametrize(
    "more",
    [
        [],
        [("old", f"q{t:02}", "AP", 0.4) for t in ALL],
        [(name, f"q{t:02}", "P@10", 0.4) for name in ("main", "new") for t in ALL],
    ],
    ids=["nobody", "a third system", "another measure"],
)
def test_topics_for_which_both_systems_lack_a_value_are_not_forgotten(more: Any) -> None:
    given = _partly(more)
    found = irpref_lab.gate("AP", given, "main", "new")
    assert (found.verdict, found["codes"].item()) == ("inconclusive", "unanswered")
    assert "35 of 50 topics" in found.text
    compared = irpref_lab.compare("AP", given, "main", "new")
    assert (compared["verdict"][0], compared["codes"][0]) == ("cannot tell", "unanswered")
    assert compared["missing_a"].tolist() == [35]
    board = irpref_lab.leaderboard("AP", given, ["main", "new"])
    assert board["letters"].tolist() == ["a"] * 2
    assert board["codes"].tolist() == ["unanswered"] * 2
    # Who means to leave them out says so.
    kept = given.only(f"q{t:02}" for t in ALL if t not in BAD)
    assert irpref_lab.gate("AP", kept, "main", "new").verdict == "pass"


def test_a_measure_on_fewer_topics_than_another_says_so() -> None:
    given = _partly([(name, f"q{t:02}", "P@10", 0.4) for name in ("main", "new") for t in ALL])
    found = irpref_lab.gate(["AP", "P@10"], given, "main", "new")
    assert found["codes"].tolist() == ["unanswered", ""]
    assert "nan" not in found.text


def test_a_few_topics_without_a_value_are_left_out() -> None:
    def with_lost(n: int) -> Any:
        data = {
            name: {f"q{t:02}": {"AP": None if t < n else 0.5 + 0.01 * (t % 7)} for t in ALL}
            for name in ("main", "new")
        }
        return irpref_lab.values(data)

    found = irpref_lab.gate("AP", with_lost(2), "main", "new")
    assert (found.verdict, found["topics"].item(), found["left_out"].item()) == ("pass", 48, 2)
    text = irpref_lab.compare("AP", with_lost(2), "main", "new").text
    assert "48 of 50 topics have a value" in text
    assert irpref_lab.gate("AP", with_lost(3), "main", "new").verdict == "inconclusive"


def test_over_collections_topics_without_a_value_are_not_forgotten() -> None:
    rows = [
        (name, c, f"q{t}", "AP", None if c == "y" and t < 36 else 0.3 + gain * (1 + t % 3))
        for name, gain in (("a", 0.0), ("b", 0.03))
        for c in "xy"
        for t in range(40)
    ]
    names = ["system", "collection", "topic", "measure", "value"]
    given = irpref_lab.values(pd.DataFrame(rows, columns=names))
    found = irpref_lab.compare("AP", given, "a", "b")
    assert (found["verdict"][0], found["codes"][0]) == ("cannot tell", "unanswered")


# From files of tools ------------------------------------------------------------------------------

TOOLS = Path(__file__).parent / "values_of_tools"
OF_TOOLS = ["AP", "nDCG@10", "RR"]
TOPICS = ("1", "10", "11", "12", "13", "14", "15", "16")
QRELS = {topic: MADE.qrels[topic] for topic in TOPICS}
RUNS = {
    name: {t: docs for t, docs in MADE.runs[name].items() if t in QRELS and (name, t) != left_out}
    for name in ("baseline", "noisy")
    for left_out in [("noisy", "11")]
}
# Most tools write 0 for a topic without documents; that it is without, values do not say.
LAX = {"missing": 0.2}


@pytest.fixture(params=["ir_measures", "pyterrier", "irpref"])
def of_tool(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Values of two runs that a tool wrote with all digits."""
    if request.param != "irpref":
        return irpref_lab.values(TOOLS / request.param)
    (tmp_path / "qrels.json").write_text(json.dumps({t: dict(QRELS[t]) for t in TOPICS}))
    for name, run in RUNS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({t: dict(run[t]) for t in run}))
    paths = [str(tmp_path / f"{name}.json") for name in ("qrels", *RUNS)]
    assert main(["eval", "-q", "-p", "-1", "-o", "csv", *paths, *OF_TOOLS]) == 0
    (tmp_path / "values.csv").write_text(capsys.readouterr().out)
    return irpref_lab.values(tmp_path / "values.csv")


def test_compare_and_gate_on_files_of_tools(of_tool: Any) -> None:
    found = irpref_lab.compare(OF_TOOLS, of_tool, *RUNS, margin=0.1, **LAX)
    expected = irpref_lab.compare(
        OF_TOOLS, QRELS, *RUNS.values(), names=list(RUNS), margin=0.1, **LAX
    )
    same(found, expected, ["mean_a", "mean_b", "difference", "low", "high", "p", "verdict"])
    passed = irpref_lab.gate(OF_TOOLS, of_tool, *RUNS, **LAX)
    of_runs = irpref_lab.gate(OF_TOOLS, QRELS, *RUNS.values(), **LAX)
    same(passed, of_runs, ["baseline", "candidate", "low", "high", "p", "worse", "verdict"])
    assert passed.verdict == of_runs.verdict


def test_boards_and_design_on_files_of_tools(of_tool: Any) -> None:
    found = irpref_lab.leaderboard(OF_TOOLS, of_tool, **LAX)
    expected = irpref_lab.leaderboard(OF_TOOLS, QRELS, RUNS, **LAX)
    same(found, expected, ["run", "mean", "low", "high", "place_low", "place_high", "letters"])
    same(found.pairs, expected.pairs, list(expected.pairs.columns))
    beside = irpref_lab.against(OF_TOOLS, of_tool, "baseline", **LAX)
    of_runs = irpref_lab.against(OF_TOOLS, QRELS, "baseline", RUNS, **LAX)
    same(beside, of_runs, ["run", "value", "difference", "p", "p_adjusted"])
    sizes = irpref_lab.meta.topic_set_size(of_tool, 0.05)
    pd.testing.assert_frame_equal(
        sizes,
        irpref_lab.meta.topic_set_size(topic_values(of_tool.measures, QRELS, RUNS), 0.05),
        check_exact=True,
    )


def test_the_report_on_files_of_tools(of_tool: Any) -> None:
    pytest.importorskip("jinja2", reason="a report needs Jinja")
    pytest.importorskip("vl_convert", reason="a report needs Vega")

    def board(page: str) -> Any:
        found = re.search(r'id="data" type="application/json">(.*?)</script>', page)
        assert found is not None
        data = json.loads(found[1])
        return [
            {name: of_measure[name] for name in ("mean", "low", "high")}
            for of_measure in data["board"]
        ]

    found = irpref_lab.report(OF_TOOLS, of_tool)
    assert board(found.html) == board(irpref_lab.report(OF_TOOLS, QRELS, RUNS).html)


def test_files_of_trec_eval_give_the_verdict_within_their_four_digits() -> None:
    found = irpref_lab.compare(OF_TOOLS, irpref_lab.values(TOOLS / "trec_eval"), *RUNS)
    expected = irpref_lab.compare(OF_TOOLS, QRELS, *RUNS.values(), names=list(RUNS))
    same(found, expected, ["verdict", "codes", "topics"])
    for name in ("mean_a", "mean_b", "difference"):
        assert found[name].tolist() == pytest.approx(expected[name].tolist(), abs=1e-4)


def test_topics_that_the_baseline_lacks_are_said_to_be_left_out() -> None:
    topics = {f"q{t:02}": 0.5 + 0.01 * t for t in range(40)}
    few = dict(list(topics.items())[1:])
    given = irpref_lab.values({"main": {"AP": few}, "new": {"AP": topics}})
    decision = irpref_lab.gate("AP", given, "main", "new")
    assert decision["left_out"].tolist() == [1]
    assert any("left out" in note for note in decision.notes)


def test_groups_of_topics(given: Any) -> None:
    groups = {topic: "odd" if int(topic) % 2 else "even" for topic in MADE.qrels}
    found = irpref_lab.compare(["AP"], given, "noisy", "baseline", groups=groups)
    runs = [MADE.runs[name] for name in ("noisy", "baseline")]
    expected = irpref_lab.compare(["AP"], MADE.qrels, *runs, groups=groups)
    same(found, expected, ["group", "mean_a", "mean_b", "p", "topics"])


def test_measures_that_irpref_does_not_know() -> None:
    frame = pd.DataFrame(
        [
            (system, f"q{t}", "latency", 100.0 * (1 + t) + shift * (1 + t % 3))
            for system, shift in (("slow", 40.0), ("fast", 0.0))
            for t in range(12)
        ],
        columns=["system", "topic", "measure", "value"],
    )
    given = irpref_lab.values(frame, higher_is_better={"latency": False})
    found = irpref_lab.compare("latency", given, "slow", "fast").iloc[0]
    assert found["verdict"] == "b better"
    assert found["low"] < found["difference"] == pytest.approx(-80.0)
    board = irpref_lab.leaderboard("latency", given)
    assert board["run"].tolist() == ["fast", "slow"]
    assert board["high"].max() > 1


def test_judgments_that_were_read_are_no_values() -> None:
    read = irpref.judgments(MADE.qrels)
    found = irpref_lab.leaderboard("AP", read, MADE.runs)
    expected = irpref_lab.leaderboard("AP", MADE.qrels, MADE.runs)
    same(found, expected, list(expected.columns))
    runs = [MADE.runs[name] for name in ("noisy", "baseline")]
    assert irpref_lab.compare("AP", read, *runs).text == (
        irpref_lab.compare("AP", MADE.qrels, *runs).text
    )


def test_a_board_of_one_measure_shows_the_topics_that_have_a_value(tmp_path: Path) -> None:
    rows = [
        (system, f"q{t}", "faithfulness", None if t == 3 else level + t % 5 / 10)
        for level, system in ((0.1, "a"), (0.5, "b"))
        for t in range(30)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "measure", "value"])
    board = irpref_lab.leaderboard("faithfulness", irpref_lab.values(frame))
    without = irpref_lab.leaderboard("faithfulness", irpref_lab.values(frame.dropna()))
    same(board, without, ["run", "mean", "low", "high", "place", "letters"])
    assert board.n_topics == {None: 29}
    assert any("1 of 30 topics" in note for note in board.notes)
    groups = {f"q{t}": "odd" if t % 2 else "even" for t in range(30)}
    by_group = irpref_lab.leaderboard("faithfulness", irpref_lab.values(frame), groups=groups)
    assert by_group.n_topics == {"even": 15, "odd": 14}
    irpref_lab.report(
        "faithfulness", irpref_lab.values(frame), None, tmp_path / "page.html", groups=groups
    )


def test_topics_of_another_system_are_not_asked_about() -> None:
    rows = [
        (name, f"q{t:02}", "AP", level + t % 5 / 10)
        for name, level, n in (("a", 0.1, 20), ("b", 0.4, 20), ("z", 0.2, 60))
        for t in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "measure", "value"])
    beside = irpref_lab.compare("AP", irpref_lab.values(frame), "a", "b")
    alone = irpref_lab.compare("AP", irpref_lab.values(frame[frame["system"] != "z"]), "a", "b")
    same(beside, alone, ["mean_a", "mean_b", "difference", "verdict", "codes"])
    assert beside["verdict"].item() == "b better"


def test_a_system_without_a_value_on_a_collection_is_left_out() -> None:
    rows = [
        (s, c, f"q{t}", "AP", None if (s, c) == ("z", "y") else level + t % 5 / 10)
        for s, level in (("a", 0.1), ("b", 0.4), ("z", 0.2))
        for c in "xy"
        for t in range(12)
    ]
    names = ["system", "collection", "topic", "measure", "value"]
    board = irpref_lab.leaderboard("AP", irpref_lab.values(pd.DataFrame(rows, columns=names)))
    assert board["run"].tolist() == ["b", "a", "z"]
    assert board["reason"].tolist() == [None, None, "it lacks y"]
    wide = pd.DataFrame({"a": [0.5, 0.2], "b": [0.1, 0.3], "z": [None, None]}, index=["1", "2"])
    given = irpref_lab.values(wide, measure="AP", columns={"systems": ["a", "b", "z"]})
    assert given.systems == ("a", "b")


def test_a_group_without_any_value_is_named() -> None:
    rows = [
        (s, f"t{t}", "AP", None if t < 5 else level + t % 5 / 10)
        for s, level in (("a", 0.1), ("b", 0.4))
        for t in range(30)
    ]
    given = irpref_lab.values(pd.DataFrame(rows, columns=["system", "topic", "measure", "value"]))
    groups = {f"t{t}": "lost" if t < 5 else "kept" for t in range(30)}
    with pytest.raises(MeasureError, match="'lost'"):
        irpref_lab.compare("AP", given, "a", "b", groups=groups)
    for pairs in ("holm", "none"):
        with pytest.raises(JudgmentsError, match="'lost'"):
            irpref_lab.leaderboard("AP", given, groups=groups, pairs=pairs)
    gated = irpref_lab.gate("AP", given, "a", "b", groups=groups)
    assert dict(zip(gated["group"], gated["codes"], strict=True))["lost"] == "unanswered"


def test_a_measure_that_only_the_second_collection_has_names_the_first() -> None:
    rows = [
        (s, c, "1", measure, 0.5)
        for s in "ab"
        for c, measure in (("x", "AP"), ("y", "AP"), ("y", "RR"))
    ]
    names = ["system", "collection", "topic", "measure", "value"]
    with pytest.raises(ArgumentError, match="collection 'x'"):
        irpref_lab.compare("RR", irpref_lab.values(pd.DataFrame(rows, columns=names)), "a", "b")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (str.upper, "are 'Q01' and 'q01' one topic? 30 differ in case"),
        (lambda topic: topic[1:].lstrip("0"), "in 'q' at the beginning"),
        (lambda topic: f"{topic}.0", "are 'q01.0' and 'q01' one topic? 30 differ in a '.0'"),
        (lambda topic: f"{topic} ", "are 'q01 ' and 'q01' one topic? 30 differ in blanks"),
        (lambda topic: topic.replace("q0", "q"), "are 'q1' and 'q01' one topic? 9 differ in zeros"),
        (lambda topic: chr(ord(topic[1]) + 50) + chr(ord(topic[2]) + 50), "such as '"),
    ],
)
def test_topics_under_two_spellings_are_named(change: Any, words: str) -> None:
    main = {f"q{t:02}": {"AP": 0.3 + 0.01 * (t % 7)} for t in range(1, 31)}
    new = {change(topic): {"AP": cells["AP"] + 0.1} for topic, cells in main.items()}
    given = irpref_lab.values({"main": main, "new": new})
    found = irpref_lab.compare("AP", given, "main", "new")
    assert found["verdict"][0] == "cannot tell"
    assert words in found.text
    notes = irpref_lab.gate("AP", given, "main", "new").notes
    assert any("one topic?" in note for note in notes) == ("such as" not in words)


def test_a_topic_that_a_system_lacks_is_named() -> None:
    main = {f"q{t:02}": {"AP": 0.3 + 0.01 * (t % 7)} for t in range(1, 31)}
    new = {topic: {"AP": cells["AP"] + 0.1} for topic, cells in main.items() if topic > "q09"}
    given = irpref_lab.values({"main": main, "new": new})
    text = irpref_lab.compare("AP", given, "main", "new").text
    assert "new has no value for 9 of 30 topics (such as 'q01')" in text
