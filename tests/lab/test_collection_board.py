"""Leaderboards and comparisons over several collections."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irpref_lab
from irpref.datasets import load
from irpref.errors import AbsentRunError, ArgumentError
from irpref_lab.across import Collections, collections
from irpref_lab.arguments import OF_ONE_COLLECTION
from irpref_lab.decide.over_collections.board import leaderboard_over
from irpref_lab.decide.over_collections.pairs import against_over, compare_over
from irpref_lab.given_values import values
from irpref_lab.meta import topic_values

MADE = load("synthetic")
TOPICS = sorted(MADE.qrels)
# Three collections of unequal size, of one: which topics, does not matter here.
PARTS = {"x": TOPICS[:6], "y": TOPICS[6:16], "z": TOPICS[16:]}
MEASURES = ["AP", "EMeasure@10"]


def of_runs(systems: tuple[str, ...] = ("baseline", "strong", "broad")) -> dict[str, Any]:
    """Judgments and runs of each collection."""
    return {
        name: (
            {topic: MADE.qrels[topic] for topic in topics},
            {system: MADE.runs[system] for system in systems},
        )
        for name, topics in PARTS.items()
    }


def as_values(given: dict[str, Any]) -> dict[str, Any]:
    """The values of these runs."""
    return {
        name: values(topic_values(MEASURES, qrels, runs).values())
        for name, (qrels, runs) in given.items()
    }


@pytest.fixture(scope="module")
def three() -> Collections:
    return collections(of_runs())


def test_a_board_of_runs_is_that_of_their_values_to_the_last_digit(three: Collections) -> None:
    of_values = collections(as_values(of_runs()))
    for over in ("topics", "collections"):
        one, other = (leaderboard_over(MEASURES, given, over=over) for given in (three, of_values))
        assert one.to_dict("list").keys() == other.to_dict("list").keys()
        for column in one.columns:
            # Values do not know that a run is too shallow for AP; depth does not matter to E@10.
            is_number = column not in ("place_low", "place_high", "letters", "codes")
            rows = slice(None) if is_number else one["measure"] == "EMeasure@10"
            assert one.loc[rows, column].equals(other.loc[rows, column]), column
        assert one.pairs.drop(columns="codes").equals(other.pairs.drop(columns="codes"))
    assert not one.values_only
    assert other.values_only
    assert "values only" in repr(other).splitlines()[0]
    assert "values only" not in repr(one)


def test_a_table_with_collections_is_several_for_boards_and_one_for_none() -> None:
    frames = [one.frame().assign(collection=name) for name, one in as_values(of_runs()).items()]
    given = values(pd.concat(frames))
    board = irpref_lab.leaderboard("AP", given)
    expected = irpref_lab.leaderboard("AP", collections(as_values(of_runs())))
    assert board["mean"].tolist() == expected["mean"].tolist()
    found = irpref_lab.compare("AP", given, "baseline", "strong")
    assert found["collections"].tolist() == [3]
    assert irpref_lab.against("AP", given, "baseline")["collections"].tolist() == [3, 3]
    for refused in (
        lambda: irpref_lab.gate("AP", given, "baseline", "strong"),
        lambda: irpref_lab.gate("AP", collections(given), "baseline", "strong"),
        lambda: irpref_lab.report("AP", given),
    ):
        with pytest.raises(ArgumentError):
            refused()


def test_options_without_effect_are_refused(three: Collections) -> None:
    qrels, runs = of_runs()["z"]
    for refused in (
        lambda: irpref_lab.leaderboard("AP", three, groups={}),
        lambda: irpref_lab.leaderboard("AP", three, sort="AP"),
        lambda: irpref_lab.compare("AP", three, "baseline", "strong", margin=0.1),
        lambda: irpref_lab.against("AP", three, "baseline", strict=True),
        lambda: irpref_lab.leaderboard("AP", qrels, runs, over="collections"),
        lambda: irpref_lab.leaderboard("AP", qrels, runs, by_collection=True),
        lambda: irpref_lab.compare("AP", qrels, *list(runs.values())[:2], over="collections"),
        lambda: irpref_lab.against("AP", qrels, "baseline", runs, over="collections"),
    ):
        with pytest.raises(ArgumentError):
            refused()


@pytest.mark.parametrize(
    ("verdict", "arguments"),
    [
        (irpref_lab.compare, ("baseline", "strong")),
        (irpref_lab.against, ("baseline",)),
        (irpref_lab.leaderboard, ()),
    ],
)
def test_every_argument_of_one_collection_is_refused(
    verdict: Any, arguments: tuple[str, ...], three: Collections
) -> None:
    others = {"margin": 0.1, "n_permutations": 99, "rng": 0, "strict": True}
    accepted = inspect.signature(verdict).parameters
    for name in OF_ONE_COLLECTION:
        if name in accepted:
            with pytest.raises(ArgumentError) as error:
                verdict("AP", three, *arguments, **{name: others.get(name, "AP")})
            assert error.value.parameter == name
    with_effect = {"level", "missing", "names", "over", "pairs", "by_collection"}
    named = {"measures", "qrels", "a", "b", "baseline", "runs"}
    assert set(accepted) <= {*OF_ONE_COLLECTION, *with_effect, *named}


def test_pairs_with_a_baseline_are_tested_as_asked(three: Collections) -> None:
    tested, untested = (
        irpref_lab.against("AP", three, "baseline", pairs=pairs) for pairs in ("holm", "none")
    )
    numbers = ["run", "mean_b", "difference", "p", "codes"]
    assert untested[numbers].equals(tested[numbers])
    assert untested["p_adjusted"].isna().all()
    told = tested["codes"] == ""
    assert 0 < told.sum() < len(told)
    assert untested["verdict"][told].isna().all()
    assert set(untested["verdict"][~told]) == {"cannot tell"}
    assert "differences were not tested" in untested.text
    assert untested.test == ""
    assert "p_adjusted" not in str(untested)
    with pytest.raises(ArgumentError, match="stepdown"):
        irpref_lab.against("AP", three, "baseline", pairs="stepdown")


def test_a_comparison_names_systems_as_asked(three: Collections) -> None:
    usual = irpref_lab.compare("AP", three, "baseline", "broad")
    found = irpref_lab.compare("AP", three, "baseline", "broad", names=["base", "new"])
    said = usual.text.replace("baseline", "base").replace("broad", "new")
    assert found.text == said
    assert found.names == ["base", "new"]
    assert found.by_collection.columns.tolist()[-3:] == ["base", "new", "difference"]
    given = values({"a": {"AP": {"q1": 0.5, "q2": 0.6}}, "b": {"AP": {"q1": 0.3, "q3": 0.2}}})
    both = collections({"x": given, "y": given})
    text = irpref_lab.compare("AP", both, "a", "b", names=["base", "new"]).text
    assert "new has no value for 1 of 3 topics" in text
    for refused in (["base"], ["base", "base"], ["base", "topics"]):
        with pytest.raises(ArgumentError, match="names="):
            irpref_lab.compare("AP", three, "baseline", "broad", names=refused)


def test_collections_of_other_scales_and_of_one_topic_are_named() -> None:
    def of(scale: float, n: int = 8) -> Any:
        by_topic = {
            name: {f"q{t}": scale * (0.5 + 0.01 * t + gain * (t % 2)) for t in range(n)}
            for name, gain in (("a", 0), ("b", 0.1))
        }
        return values(by_topic, measure="score")

    for scale in (2, 100):
        both = collections({"x": of(1), "y": of(scale)})
        board = leaderboard_over("score", both)
        pair, others = compare_over("score", both, "a", "b"), against_over("score", both, "a")
        for notes in (board.notes, pair.notes, others.notes):
            assert any("y decides the mean" in note for note in notes) == (scale == 100)
    with pytest.raises(ArgumentError, match="small") as error:
        leaderboard_over("score", collections({"x": of(1), "small": of(1, 1)}))
    assert error.value.remedy is not None
    given = collections({"x": of(1), "small": of(1, 1)})
    over = {error.value.remedy.argument: error.value.remedy.example}
    assert irpref_lab.leaderboard("score", given, **over)["low"].isna().all()
    other = values({"a": {"q": {"AP": 0.5}}, "b": {"q": {"AP": 0.5}}})
    with pytest.raises(ArgumentError, match="'other'"):
        leaderboard_over("score", collections({"x": of(1), "other": other}))


def test_a_measure_that_rises_on_one_collection_and_falls_on_another_is_refused() -> None:
    data = {"a": {"q1": 1.0, "q2": 2.0}, "b": {"q1": 3.0, "q2": 5.0}}
    falls = values(data, measure="latency", higher_is_better=False)
    rises = values(data, measure="latency")
    for given in ({"x": falls, "y": rises}, {"y": rises, "x": falls}):
        both = collections(given)
        for call in (
            lambda both=both: leaderboard_over("latency", both),
            lambda both=both: compare_over("latency", both, "a", "b"),
            lambda both=both: against_over("latency", both, "a"),
        ):
            with pytest.raises(ArgumentError, match=r"latency: .*better on y and worse on x"):
                call()
    both = collections({"x": falls, "y": falls})
    assert compare_over("latency", both, "a", "b")["verdict"][0] != "b better"


def test_a_comparison_is_a_pair_of_the_board(three: Collections) -> None:
    board = leaderboard_over("AP", three)
    found = compare_over("AP", three, "baseline", "strong").iloc[0]
    pairs = board.pairs.set_index(["a", "b"])
    sign = 1 if ("baseline", "strong") in pairs.index else -1
    row = pairs.loc[("baseline", "strong") if sign > 0 else ("strong", "baseline")]
    assert found["p"] == row["p"]
    assert found["difference"] == pytest.approx(sign * row["difference"])
    ends = sorted([sign * row["low"], sign * row["high"]])
    assert [found["low"], found["high"]] == pytest.approx(ends)
    assert found["collections"] == 3
    assert found["topics"] == 30
    means = board.set_index("run")["mean"]
    assert found["mean_a"] == means["baseline"]
    assert found["mean_b"] == means["strong"]


def test_lower_is_better_turns_the_verdict_and_not_the_numbers(three: Collections) -> None:
    table = compare_over(MEASURES, three, "baseline", "strong").set_index("measure")
    ap, e = table.loc["AP"], table.loc["EMeasure@10"]
    assert (ap["difference"] > 0) == (ap["wins"] > ap["losses"])
    assert (e["difference"] < 0) == (e["wins"] > e["losses"])
    board = leaderboard_over("EMeasure@10", three)
    assert board["mean"].is_monotonic_increasing


def test_the_means_of_five_collections_are_a_sample() -> None:
    rng = np.random.default_rng(1)
    given = {
        f"c{k}": values(
            {
                system: {
                    "AP": {f"q{t}": 0.1 * k + shift + 0.05 * float(rng.random()) for t in range(9)}
                }
                for system, shift in (("a", 0.0), ("b", 0.04))
            }
        )
        for k in range(5)
    }
    both = collections(given)
    row = compare_over("AP", both, "a", "b", over="collections").iloc[0]
    means = [np.diff(part.of("AP").means)[0] for part in given.values()]
    assert row["p"] == pytest.approx(stats.ttest_1samp(means, 0.0).pvalue)
    assert row["verdict"] == "b better"
    few = collections(dict(list(given.items())[:4]))
    row = compare_over("AP", few, "a", "b", over="collections").iloc[0]
    assert row["verdict"] == "cannot tell"
    assert np.isnan(row["p"])
    assert row["mean_b"] > row["mean_a"]
    board = leaderboard_over("AP", few, over="collections")
    assert board.method == "none"
    assert board["low"].isna().all()


def test_all_against_one_are_adjusted_after_holm() -> None:
    three = collections(as_values(of_runs()))  # against which nothing stands
    table = against_over(MEASURES, three, "baseline")
    assert table["run"].tolist() == ["strong", "broad"] * 2
    for measure in MEASURES:
        rows = table[table["measure"] == measure]
        for row in rows.to_dict("records"):
            alone = compare_over(measure, three, "baseline", row["run"]).iloc[0]
            assert row["p"] == alone["p"]
            assert row["mean_b"] == alone["mean_b"]
        low, high = sorted(rows["p"])
        assert sorted(rows["p_adjusted"]) == pytest.approx(
            [min(2 * low, 1), max(min(2 * low, 1), high)]
        )


def test_a_system_that_lacks_a_collection_is_on_the_board_and_in_no_test() -> None:
    given = of_runs()
    qrels, runs = given["y"]
    given["y"] = qrels, {name: run for name, run in runs.items() if name != "broad"}
    both = collections(given)
    board = leaderboard_over("AP", both, by_collection=True)
    last = board.iloc[-1]
    assert last["run"] == "broad"
    assert "y" in last["reason"]
    assert np.isnan(last["mean"])
    assert last["x"] > 0
    assert np.isnan(last["y"])
    assert set(board.pairs[["a", "b"]].to_numpy().ravel()) == {"baseline", "strong"}
    assert any("broad" in note for note in board.notes)
    assert set(against_over("AP", both, "baseline").left_out) == {"broad"}
    for call in (
        lambda: compare_over("AP", both, "baseline", "broad"),
        lambda: against_over("AP", both, "broad"),
        lambda: leaderboard_over("AP", both, ["baseline", "broad"]),
    ):
        with pytest.raises(AbsentRunError):
            call()


def test_what_one_collection_cannot_tell_stands_against_the_claim() -> None:
    given = of_runs(("baseline", "strong"))
    qrels, runs = given["y"]
    few = {topic: MADE.runs["baseline"][topic] for topic in PARTS["y"][:5]}
    given["y"] = qrels, runs | {"baseline": few}
    both = collections(given)
    row = compare_over("AP", both, "baseline", "strong").iloc[0]
    assert row["verdict"] == "cannot tell"
    assert "unanswered" in row["codes"]
    assert np.isnan(row["p"])
    allowed = compare_over("AP", both, "baseline", "strong", missing=0.6).iloc[0]
    assert "unanswered" not in allowed["codes"]
    board = leaderboard_over("AP", both)
    assert board.pairs["codes"].tolist() == ["unanswered"]
    assert board.different_pairs().empty
    assert board["place_high"].tolist() == [2, 2]
    assert board.set_index("run")["codes"].to_dict() == {"strong": "", "baseline": "unanswered"}
    assert leaderboard_over("AP", both, missing=0.6).pairs["codes"].tolist() == [""]


def test_values_that_a_system_lacks_stand_against_the_claim() -> None:
    topics = {f"q{t}": 0.5 + 0.01 * t for t in range(10)}
    few = dict(list(topics.items())[:8])
    x = values({"a": {"AP": topics}, "b": {"AP": topics}})
    y = values({"a": {"AP": few}, "b": {"AP": topics}})
    both = collections({"x": x, "y": y})
    row = compare_over("AP", both, "a", "b").iloc[0]
    assert (row["verdict"], row["codes"]) == ("cannot tell", "unanswered")
    assert row["topics"] == 20
    assert compare_over("AP", both, "a", "b", missing=0.3).iloc[0]["codes"] == ""


JUDGED = {f"q{t:02}": {f"r{i}": 1 for i in range(8)} | {"z": 0} for t in range(20)}


def ranked(n: int, relevant: int, first: int, change: str = "") -> dict[str, Any]:
    """Rank n documents for each topic, the first relevant ones after some others; `change` is put
    behind the id of the last relevant one.
    """
    run = {}
    for t, topic in enumerate(JUDGED):
        docs = [f"n{i}" for i in range(first + t % 3)] + [f"r{i}" for i in range(relevant)]
        docs[-1] += change
        docs += [f"x{i}" for i in range(n - len(docs))]
        run[topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
    return run


GOOD, POOR, SHALLOW = ranked(60, 8, 0), ranked(60, 4, 3), ranked(8, 4, 1)
LACKING = {topic: GOOD[topic] for topic in list(GOOD)[4:]}


def codes_of_all(qrels: Any, runs: Any = None, **how: Any) -> set[str]:
    """The codes by compare and against, each system first, and by a board: their lines agree."""
    a, b = runs or ("a", "b")
    named = None if runs is None else {"a": a, "b": b}
    verdicts = {"pair": irpref_lab.compare("AP", qrels, a, b, **how)}
    verdicts["turned"] = irpref_lab.compare("AP", qrels, b, a, **how)
    for base in "ab":
        verdicts[base] = irpref_lab.against("AP", qrels, base, named, **how)
    codes = [one["codes"].max() for one in verdicts.values()]
    board = irpref_lab.leaderboard("AP", qrels, named, **how)
    codes += board.pairs["codes"].tolist()
    lines = [one.text for one in (*verdicts.values(), board)]
    assert ["cannot tell" in line for line in lines] == [code != "" for code in codes]
    return set(codes)


@pytest.mark.parametrize(
    ("runs", "code"), [((SHALLOW, GOOD), "shallow"), ((POOR, LACKING), "unanswered")]
)
def test_a_claim_that_one_collection_rules_out_is_ruled_out_over_three(
    runs: tuple[Any, Any], code: str
) -> None:
    assert codes_of_all(JUDGED, runs) == {code}
    three = {name: (JUDGED, dict(zip("ab", runs, strict=True))) for name in "xyz"}
    assert codes_of_all(collections(three)) == {code}
    once = three | {name: (JUDGED, {"a": POOR, "b": GOOD}) for name in "yz"}
    assert codes_of_all(collections(once)) == {code}
    text = irpref_lab.leaderboard("AP", collections(once)).text
    assert "cannot tell, x: " in text
    if code == "unanswered":
        assert codes_of_all(collections(three), missing=0.2) == {""}


def test_the_line_of_a_board_gives_the_reason_of_the_pair_not_of_the_better_run() -> None:
    changed = ranked(60, 8, 0, change="#1")
    board = irpref_lab.leaderboard("AP", JUDGED, {"best": changed, "low": SHALLOW})
    assert board.pairs["codes"].tolist() == ["shallow"]
    assert board.set_index("run")["codes"]["best"] == "changed-ids"
    assert "cannot tell, low has 8 documents" in board.text
    qrels_and_runs = JUDGED, {"best": changed, "low": SHALLOW}
    over = irpref_lab.leaderboard("AP", collections(dict.fromkeys("xyz", qrels_and_runs)))
    assert "cannot tell, x: low has 8 documents" in over.text


def test_values_that_the_better_system_lacks_rule_out_a_claim() -> None:
    a = {topic: 0.3 + 0.01 * t for t, topic in enumerate(JUDGED)}
    b = {topic: 0.2 + value for topic, value in list(a.items())[4:]}
    given = values({"a": {"AP": a}, "b": {"AP": b}})
    assert codes_of_all(given) == {"unanswered"}
    assert codes_of_all(collections(dict.fromkeys("xyz", given))) == {"unanswered"}


@pytest.mark.parametrize(
    "on_x",
    [
        {"a": POOR, "b": ranked(60, 3, 6, change="#1")},
        {"a": ranked(60, 4, 3, change="#1"), "b": ranked(60, 2, 6)},
    ],
)
def test_both_systems_are_asked_where_they_are_in_the_other_order(on_x: Any) -> None:
    other = (JUDGED, {"a": POOR, "b": GOOD})
    three = collections({"x": (JUDGED, on_x), "y": other, "z": other})
    assert codes_of_all(three) == {"changed-ids"}


def test_arguments_are_checked(three: Collections) -> None:
    for call in (
        lambda: leaderboard_over("AP", three, over="systems"),
        lambda: leaderboard_over("AP", three, level=1.5),
        lambda: leaderboard_over("AP", three, pairs="tukey"),
        lambda: compare_over("AP", three, "baseline", "nobody"),
    ):
        with pytest.raises(ArgumentError):
            call()


def test_measures_that_only_values_know_are_compared() -> None:
    one = values({"a": {"q1": 0.5, "q2": 0.25}, "b": {"q1": 0.75, "q2": 0.5}}, measure="trust")
    board = leaderboard_over("trust", collections({"x": one, "y": one}))
    assert board["run"].tolist() == ["b", "a"]
    assert board["measure"].tolist() == ["trust"] * 2


def test_a_picture_is_drawn(three: Collections) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    ax = irpref_lab.plots.leaderboard(leaderboard_over("AP", three))
    assert len(ax.get_yticks()) == 3
    pyplot.close(ax.figure)
