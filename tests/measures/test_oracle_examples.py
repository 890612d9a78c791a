"""The oracles against what is printed: worked examples, other programs, and identities of the
literature.
"""

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given

from reference.graded import o_measure, p_measure
from reference.position import (
    crp,
    crp_curve,
    crp_recovery,
    ncrp,
    published_recovery,
    recall_base,
    twist,
)
from reference.preference import bpref, partition_value, rpref
from reference.symbols import order, relevance, scale_of
from reference.user import e_measure, f_measure
from strategies import Collection, collections


def topic(ranking, pool=""):
    """Ranking and judgments from letters: S A B = grades 3 2 1, N = 0, X = -1, u unjudged.

    `pool` lists the grades of the judged documents that were not retrieved.
    """
    grade = {"S": 3, "A": 2, "B": 1, "N": 0, "X": -1}
    ranked = [f"d{rank:02d}" for rank in range(1, len(ranking.split()) + 1)]
    judgments = {
        doc: grade[word] for doc, word in zip(ranked, ranking.split(), strict=True) if word != "u"
    }
    judgments |= {f"p{number:02d}": grade[word] for number, word in enumerate(pool.split())}
    return ranked, judgments


def levels(ranking, pool=()):
    """The same from numbers: every document of the ranking is judged."""
    judgments = {f"d{rank}": level for rank, level in enumerate(ranking)}
    return list(judgments), judgments | {f"p{number}": level for number, level in enumerate(pool)}


# Order --------------------------------------------------------------------------------------------


def test_order_is_score_descending_then_document_id_descending():
    assert order({"d1": 1, "d2": 2, "d10": 1, "e": 1}) == ["d2", "e", "d10", "d1"]


def test_scores_equal_as_float64_are_ties_and_nearly_equal_ones_are_not():
    assert order({"a": 2**53 + 1, "b": 2**53}) == ["b", "a"]
    assert order({"a": 16777217.0, "b": 16777216.0}) == ["a", "b"]
    assert order({"a": 0.0, "b": -0.0}) == ["b", "a"]


# rpref and n-pref: figure 1 of De Beer & Moens 2006 -----------------------------------------------

FIGURE_1 = dict(
    zip(
        [f"D{number}" for number in range(1, 17)],
        [1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1, 0.0, 0.0],
        strict=True,
    )
)
TOOLS = {
    "T1": ["D3", "D1", "D2", "D4", "D5", "D6", "D7", "D8", "D12"],
    "T2": ["D1", "D6", "D3", "D5", "D9", "D12", "D2", "D8", "D10"],
    "T3": ["D16", "D14", "D13", "D15", "D7", "D11", "D10", "D5"],
}


@pytest.mark.parametrize(
    ("tool", "two", "four"),
    [
        ("T1", "A A A A A A A A B", "A1 A1 A1 A1 A1 A2 A2 A2 B2"),
        ("T2", "A A A A B B A A B", "A1 A2 A1 A1 B1 B2 A1 A2 B1"),
        ("T3", "B B B B A B B A", "B2 B2 B2 B2 A2 B1 B1 A1"),
    ],
)
def test_partitions_are_the_letters_of_figure_1(tool, two, four):
    rho = [relevance(FIGURE_1[doc], None, 1) for doc in TOOLS[tool]]
    of_two = {Fraction(1): "A", Fraction(0): "B"}
    of_four = {Fraction(1): "A1", Fraction(2, 3): "A2", Fraction(1, 3): "B1", Fraction(0): "B2"}
    assert [of_two[partition_value(value, 2)] for value in rho] == two.split()
    assert [of_four[partition_value(value, 4)] for value in rho] == four.split()


@pytest.mark.parametrize(
    ("tool", "pairs"), [("T1", [0, 0, 0, 0]), ("T2", [4, 8, 9, 9]), ("T3", [10, 19, 19, 21])]
)
def test_misplaced_pairs_grow_with_the_number_of_partitions(tool, pairs):
    for n, expected in zip((2, 4, 8, 16), pairs, strict=True):
        values = [partition_value(relevance(FIGURE_1[doc], None, 1), n) for doc in TOOLS[tool]]
        assert sum(1 for above, below in combinations(values, 2) if above < below) == expected


def test_partitions_of_decimals_are_exact():
    assert math.floor(100 * 0.29) == 28
    assert partition_value(relevance(0.29, None, 1), 100) == Fraction(29, 99)


def test_the_only_relevant_document_at_the_top():
    judgments = {"a": 2, "b": 0}
    values = {
        rule: rpref(["a", "b"], judgments, norm="relative", top=rule, max_rel=2)
        for rule in ("keep", "drop", "zero")
    }
    assert values == {"keep": 1, "drop": 1, "zero": 0}  # dropping would leave nothing


def preference_by_pairs(ranking, rho):
    """The absolute variant arranged differently: rho of the retrieved minus misplaced pairs."""
    total, rest = sum(rho.values()), sum(1 - value for value in rho.values())
    judged = [rho[doc] for doc in ranking if doc in rho]
    if not judged or total == 0:
        return 0
    misplaced = sum(below - above for above, below in combinations(judged, 2) if above < below)
    return sum(judged) / total - (misplaced / (total * rest) if misplaced else 0)


@given(collections())
def test_absolute_rpref_in_its_pair_form(collection: Collection):
    scale = scale_of(collection.qrels)
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        rho = {doc: relevance(grade, None, scale) for doc, grade in judgments.items() if grade >= 0}
        assert rpref(ranking, judgments, max_rel=scale) == preference_by_pairs(ranking, rho)


# bpref --------------------------------------------------------------------------------------------


@given(collections())
def test_order_among_the_bprefs(collection: Collection):
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        value = {norm: bpref(ranking, judgments, norm=norm) for norm in ("old", "min", "R", "N")}
        assert value["old"] <= value["min"] <= value["R"]
        assert value["min"] <= value["N"]
        assert value["min"] in (value["R"], value["N"])


# Q, O, P, P+ --------------------------------------------------------------------------------------


def test_a_cutoff_moves_the_preferred_rank_into_the_list_and_leaves_the_ideal():
    ranking, judgments = topic("B S")
    assert p_measure(ranking, judgments, cutoff=1) == Fraction(1 + 1, 3 + 1)
    assert o_measure(*topic("u B"), cutoff=1) == 0


# Cumulated relative position ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranking", "pool", "curve", "recovery", "published"),
    [
        ("N B", "", [-1, 0], Fraction(1, 2), 0),
        ("N N B", "", [-1, -1, 1], Fraction(1, 3), Fraction(1, 2)),
        ("B A S", "", [-2, -2, 0], 1, 0),
        ("A A S u u u", "A A A", [-1, -1, 1, -2, -4, -5], 0, 1),
        ("A A S A", "", [-1, -1, 1, 1], 1, None),
        ("S X N", "", [0, -1, 0], 1, None),
        ("S N N N", "A B", [0, -2, -3, -3], 0, None),
        ("N B B B", "", [-3, -3, -3, -2], 0, None),
        ("N B B u u B", "", [-3, -3, -3, -3, -3, 0], Fraction(1, 2), None),
        ("N B B u u u B", "", [-3, -3, -3, -3, -3, -3, 1], Fraction(3, 7), None),
        ("B A B N", "B", [-1, 0, 0, -1], 0, None),
        ("", "B A", [-2, -3], 0, None),
    ],
)
def test_crp_curves_and_recovery(ranking, pool, curve, recovery, published):
    ranking, judgments = topic(ranking, pool)
    R = recall_base(judgments)
    assert crp_curve(ranking, judgments) == curve
    assert crp(ranking, judgments) == curve[R - 1]
    assert crp_recovery(ranking, judgments) == recovery
    if published is not None:
        assert published_recovery(curve, R) == published


def test_worst_case_is_the_triangular_number():
    pool = [2, 2, 2, 2, 1, 1, 1, 1, 1, 0, 0]
    ranking, judgments = levels([1, 0, 2, 2, 1, 2, 0, 1, 1], pool=[2, 1])
    assert sorted(judgments.values(), reverse=True) == pool
    assert crp(ranking, judgments) == -13
    assert crp(*levels(pool[::-1])) == -11
    assert crp([], judgments) == -45
    assert ncrp([], judgments) == 1
    assert ncrp(ranking, judgments) == Fraction(13, 45)


def test_steps_of_the_published_curve():
    # MATTERS' documentation: run Brkly24, topic 351, R = 59; CRP at 5, 10, 15, 20, 30 = -171 ...
    # -1169. The first two steps are three and four non-relevant documents: ranks 1 3 5 and 6 7 9
    # 10.
    relevant_ranks = {2, 4, 8}
    ranking = [f"d{rank}" for rank in range(1, 31)]
    judgments = {f"d{rank}": 1 for rank in relevant_ranks} | {
        f"p{number}": 1 for number in range(56)
    }
    curve = crp_curve(ranking, judgments)
    assert [curve[rank - 1] for rank in (5, 10, 15, 20, 30)] == [-171, -379, -614, -824, -1169]


@given(collections(negative=False))
def test_what_holds_for_grades_from_0_up(collection: Collection):
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        R = recall_base(judgments)
        if R == 0:
            assert (
                crp(ranking, judgments)
                == crp_recovery(ranking, judgments)
                == twist(ranking, judgments)
                == 0
            )
            continue
        curve = crp_curve(ranking, judgments)
        last_relevant = max(
            (rank for rank, doc in enumerate(ranking, 1) if judgments.get(doc, 0) > 0), default=0
        )
        after = curve[R - 1 :]
        assert after == sorted(after)
        assert len(set(curve[max(R, last_relevant) - 1 :])) == 1
        assert curve[R - 1] >= Fraction(-R * (R + 1), 2)
        assert curve.index(min(curve)) + 1 <= R
        assert 0 <= crp_recovery(ranking, judgments) <= 1
        assert 0 <= twist(ranking, judgments, depth=40) <= 1
        padded = [*ranking, *(f"filling {number}" for number in range(20))]
        assert crp_recovery(padded, judgments) == crp_recovery(ranking, judgments)
        assert crp_curve(padded, judgments)[: len(curve)] == curve


def test_twist_by_hand():
    # R = 2, depth 4. Reversed ideal n n r r: -2 -1 +1 +2, so 3 early and 3 late.
    judgments = {"r1": 1, "r2": 1}
    # 0 -1 +1 0: both shares 2/3; the curve never rises above 0.
    assert twist(["r1", "n1", "r2", "n2"], judgments, depth=4) == (0 + Fraction(2, 3)) / 2
    # 0 -1 0 +2: shares 2/3 and 1/3, harmonic mean 4/9; the curve 0 -1 -1 +1 changes side after rank
    # 3.
    assert (
        twist(["r1", "n1", "n2", "r2"], judgments, depth=4) == (Fraction(2, 3) + Fraction(4, 9)) / 2
    )
    assert twist(["r1", "r2"], judgments, depth=4) == 1
    assert twist(["n1", "n2"], judgments, depth=4) == 0
    assert (
        twist(["n1", "n2", "r1", "r2"], judgments, depth=4) == 0
    )  # both shares 0, curve -2 -3 -2 0
    assert twist([], judgments) == 0


# Modern Information Retrieval, chapter 4 ----------------------------------------------------------


def test_e_and_f_at_the_ends():
    assert e_measure(["r", "n"], {"r": 1, "p": 1}, beta=0) == Fraction(1, 2)  # 1 - P
    assert e_measure([], {"r": 1}) == e_measure(["n"], {"r": 1}) == e_measure(["n"], {"n": 0}) == 1
    assert f_measure([], {"r": 1}) == 0
