"""Arguments of verdicts: what is accepted, and what is said of the rest."""

import numpy as np
import pytest

import irpref
import irpref_lab
from irpref.errors import ArgumentError, JudgmentsError
from irpref_lab.arguments import (
    check_depth,
    check_level,
    check_margin,
    check_missing,
    check_share,
)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.501, np.float32(0.75), np.float64(0.99)])
def test_a_level_of_a_verdict_is_above_one_half(level):
    assert check_level(level) == float(level)


@pytest.mark.parametrize(("level", "meant"), [(0.05, "0.95"), (0.01, "0.99"), (0.1, "0.9")])
def test_an_error_rate_for_a_level_is_refused_with_the_level_that_was_meant(level, meant):
    with pytest.raises(ArgumentError, match=f"did you mean {meant}\\?") as told:
        check_level(level)
    assert (told.value.parameter, told.value.value) == ("level", level)


@pytest.mark.parametrize("level", [0.5, 1, 0, 95, 1e-9, -0.95, "0.95", None, True, float("nan")])
def test_anything_else_is_no_level(level):
    with pytest.raises(ArgumentError) as told:
        check_level(level)
    assert told.value.parameter == "level"
    assert "did you mean" not in str(told.value)


@pytest.mark.parametrize("share", [0.05, 0.95, np.float32(0.5)])
def test_a_share_lies_between_0_and_1(share):
    assert check_share("alpha", share) == float(share)


@pytest.mark.parametrize("share", [0, 1, 95, -0.1, "0.95", None, True, float("nan")])
def test_anything_else_is_no_share(share):
    with pytest.raises(ArgumentError, match="expected a number between 0 and 1") as told:
        check_share("alpha", share)
    assert told.value.parameter == "alpha"


def test_a_margin_is_smaller_than_the_range_of_the_measure():
    assert check_margin(0.02, (0.0, 1.0)) == 0.02
    assert check_margin(0) == 0.0
    assert check_margin(2) == 2.0  # of a measure without an upper limit
    assert check_margin(1.5, (-1.0, 1.0)) == 1.5
    with pytest.raises(ArgumentError, match=r"did you mean 0\.02\?") as told:
        check_margin(2, (0.0, 1.0))
    assert (told.value.parameter, told.value.value) == ("margin", 2)


@pytest.mark.parametrize("margin", [-0.1, float("inf"), float("nan"), "0.02", None, True])
def test_anything_else_is_no_margin(margin):
    with pytest.raises(ArgumentError) as told:
        check_margin(margin)
    assert told.value.parameter == "margin"


def test_a_share_of_topics_and_a_depth():
    assert check_missing(0) == 0.0
    assert check_depth(None) is None
    assert check_depth(np.int64(10)) == 10
    for missing in (1, -0.1, True, "0.1"):
        with pytest.raises(ArgumentError):
            check_missing(missing)
    for depth in (0, 1.5, True, "10", 10**20):
        with pytest.raises(ArgumentError):
            check_depth(depth)


QRELS = {topic: {"a": 1, "b": 0} for topic in ("q1", "q2")}
RUNS = [{topic: {"a": float(2 - n), "b": 1.0} for topic in QRELS} for n in (0, 2)]
NAMED = dict(zip("ab", RUNS, strict=True))
VERDICTS = {
    "compare": lambda measures, qrels, **more: irpref_lab.compare(measures, qrels, *RUNS),
    "gate": lambda measures, qrels, **more: irpref_lab.gate(measures, qrels, *RUNS),
    "against": lambda measures, qrels, **more: irpref_lab.against(
        measures, qrels, RUNS[0], {"b": RUNS[1]}
    ),
    "leaderboard": lambda measures, qrels, **more: irpref_lab.leaderboard(measures, qrels, NAMED),
}
RESULTS = VERDICTS | {
    "evidence": lambda measures, qrels, **more: irpref.evidence(measures, qrels, NAMED),
    "report": lambda measures, qrels, out: irpref_lab.report(measures, qrels, NAMED, out),
    **{
        f"intervals over {over}": lambda measures, qrels, over=over, **more: irpref_lab.intervals(
            measures, qrels, RUNS[0], over=over
        )
        for over in ("ties", "topics", "unjudged")
    },
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_what_has_no_measure_says_so_in_one_way(result, tmp_path):
    with pytest.raises(ArgumentError) as told:
        result([], QRELS, **{"out": tmp_path / "report"} if result is RESULTS["report"] else {})
    assert told.value.parameter == "measures"
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("verdict", [VERDICTS[name] for name in VERDICTS if name != "compare"])
def test_a_verdict_on_one_topic_is_refused_in_one_way(verdict):
    with pytest.raises(JudgmentsError):
        verdict(["AP"], {"q1": QRELS["q1"]})
