"""Boards over several collections: which systems take part, and the notes about others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irpref
import irpref_lab
from irpref.errors import AbsentRunError, ArgumentError
from irpref_lab.across import collections
from irpref_lab.decide.over_collections.numbers import Strata, board_over
from irpref_lab.decide.over_collections.numbers import strata_of as strata_by
from irpref_lab.decide.over_collections.parts import (
    Part,
    gathered_parts,
    left_out,
    means_by_collection,
)
from irpref_lab.given_values import values

AP = irpref.parse("AP")
N_TOPICS = {"x": 6, "y": 9, "z": 4}


def of_values(systems: str = "abc", seed: int = 1) -> dict[str, Any]:
    """Values of AP on three collections, `a` the best."""
    rng = np.random.default_rng(seed)
    return {
        name: values(
            {
                system: {
                    "AP": {f"q{t}": 0.4 - 0.1 * i + 0.2 * float(rng.random()) for t in range(n)}
                }
                for i, system in enumerate(systems)
            }
        )
        for name, n in N_TOPICS.items()
    }


def strata_of(given: Any, systems: str = "abc") -> tuple[list[Part], Strata]:
    """The parts, and the values on all."""
    parts = gathered_parts([AP], collections(given))
    return parts, strata_by(parts, AP, list(systems))


def test_the_mean_is_the_mean_of_the_collections_means() -> None:
    given = of_values()
    parts, of = strata_of(given)
    board, pairs, _ = board_over(of, "topics", 0.95)
    assert board["run"].tolist() == ["a", "b", "c"]
    means = means_by_collection(parts, AP, ["a", "b", "c"])
    for name in N_TOPICS:
        assert means[name].tolist() == pytest.approx(given[name].of("AP").values.mean(axis=1))
    assert board["mean"].tolist() == pytest.approx(means.mean(axis=1).tolist())
    assert board["place"].tolist() == [1, 2, 3]
    assert pairs["difference"].tolist() == pytest.approx(
        [board["mean"][j] - board["mean"][i] for i, j in ((0, 1), (0, 2), (1, 2))]
    )
    assert of.n_topics == 19


def test_pairs_are_adjusted_after_holm_and_decide_places_and_letters() -> None:
    _, of = strata_of(of_values())
    board, pairs, _ = board_over(of, "topics", 0.95)
    p = sorted(pairs["p"])
    holm = np.maximum.accumulate(np.minimum(np.array(p) * [3, 2, 1], 1))
    assert sorted(pairs["p_adjusted"]) == pytest.approx(holm.tolist())
    assert (pairs["p_adjusted"] < 0.05).all()
    assert board["place_low"].tolist() == board["place_high"].tolist() == [1, 2, 3]
    assert board["letters"].tolist() == ["a", "b", "c"]


def test_over_three_collections_as_a_sample_there_are_means_only() -> None:
    _, of = strata_of(of_values())
    board, pairs, _ = board_over(of, "collections", 0.95)
    assert board["mean"].notna().all()
    assert board[["low", "high", "place_low", "place_high", "letters"]].isna().all().all()
    assert pairs["p"].isna().all()


def test_without_tests_there_are_means_and_intervals() -> None:
    _, of = strata_of(of_values())
    board, pairs, _ = board_over(of, "topics", 0.95, tested=False)
    assert board["low"].notna().all()
    assert board["letters"].isna().all()
    assert pairs.empty


def test_a_system_that_lacks_a_collection_is_left_out_and_named() -> None:
    given = of_values() | {"z": of_values("bcd")["z"]}
    both = collections(given)
    parts = gathered_parts([AP], both)
    out = left_out(both, parts)
    assert set(out) == {"a", "d"}
    assert "z" in out["a"]
    assert "x, y" in out["d"]
    means = means_by_collection(parts, AP, both.systems)
    assert means.loc["a"].isna().tolist() == [False, False, True]
    with pytest.raises(AbsentRunError):
        strata_by(parts, AP, [])


def test_runs_are_evaluated_on_each_collection() -> None:
    qrels = {f"q{t}": {"d0": 1, "d1": 0} for t in range(4)}
    good = {topic: {"d0": 2.0, "d1": 1.0} for topic in qrels}
    bad = {topic: {"d0": 1.0, "d1": 2.0} for topic in qrels}
    other = {topic: {"e0": 1.0} for topic in qrels}
    both = collections({"x": (qrels, {"a": good, "b": bad}), "y": (qrels, {"a": good, "b": other})})
    parts = gathered_parts([AP], both)
    assert [part.tables["AP"].means.tolist() for part in parts] == [[1.0, 0.5], [1.0, 0.0]]
    out = left_out(both, parts)
    assert set(out) == {"b"}
    assert out["b"].startswith("y: ")
    assert np.isnan(means_by_collection(parts, AP, ["a", "b"]).loc["b", "y"])


def test_borda_can_put_another_system_first_than_the_mean() -> None:
    """One collection where `a` is far better; `b` is better on the others."""
    cells = {"x": (0.9, 0.2), "y": (0.3, 0.4), "z": (0.3, 0.4)}
    given = {
        name: values({"a": {"AP": {"1": a, "2": a + 0.01}}, "b": {"AP": {"1": b, "2": b + 0.02}}})
        for name, (a, b) in cells.items()
    }
    _, of = strata_of(given, "ab")
    board, _, _ = board_over(of, "topics", 0.95)
    assert board["run"].tolist() == ["a", "b"]
    assert board["borda"].tolist() == [2, 1]


def test_counts_and_mixed_directions_have_no_mean_over_collections() -> None:
    counts = irpref.parse("NumRet")
    one = values({"a": {"NumRet": {"1": 5.0, "2": 6.0}}})
    parts = gathered_parts([counts], collections({"x": one, "y": one}))
    with pytest.raises(ArgumentError):
        strata_by(parts, counts, ["a"])


def test_whether_tied_documents_decide_is_asked_of_all_collections_together() -> None:
    # The relevant document is z, which comes before a if they are tied. System `b` ties the two on
    # every topic: AP is 1 as the ids have it, 3/4 on average over both orders. System `a` has AP 1
    # on eight topics of twelve, and 1/2 on four: 5/6.
    qrels = {f"q{t}": {"z": 1, "a": 0} for t in range(12)}
    a = {topic: {"z": 1.0, "a": 2.0 * (t % 3 == 0)} for t, topic in enumerate(qrels)}
    tied = {topic: {"z": 1.0, "a": 1.0} for topic in qrels}
    apart = {topic: {"z": 1.0, "a": 0.5} for topic in qrels}
    for b, verdict, codes in ((tied, "cannot tell", "ties"), (apart, "b better", "")):
        both = collections({name: (qrels, {"a": a, "b": b}) for name in "xy"})
        compared = irpref_lab.compare(["AP"], both, "a", "b")
        against = irpref_lab.against(["AP"], both, "a")
        for table in (compared, against):
            assert table["difference"].tolist() == pytest.approx([1 / 6])
            assert table["verdict"].tolist() == [verdict]
            assert table["codes"].tolist() == [codes]
        board = irpref_lab.leaderboard(["AP"], both)
        assert board.pairs["codes"].tolist() == [codes]
        assert board["letters"].tolist() == (["a", "a"] if codes else ["a", "b"])
        if codes:
            assert "24 of 24 topics" in compared.text
            assert "24 of 24 topics" in board.text


def test_a_collection_under_two_names_is_said_to_count_twice() -> None:
    given = of_values()
    other = irpref_lab.leaderboard(["AP"], collections(given))
    twice = irpref_lab.leaderboard(["AP"], collections(given | {"again": given["x"]}))
    assert [note for note in twice.notes if note not in other.notes] == [
        "x and again have the same values on the same topics: are they one collection, which "
        "counts twice?"
    ]
