"""The oracles against what is printed: worked examples, other programs, and identities of the literature."""

import gzip
import inspect
import math
import random
from fractions import Fraction
from itertools import combinations, permutations, product

import ir_measures
import pyNTCIREVAL
import pyNTCIREVAL.metrics as ntcir
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, P, SetF, SetP, SetR, nDCG

from irpref.measures import registered
from irpref.reference import FORMULAS as ORACLES
from irpref.reference import values as oracle_calc
from irpref.reference.graded import GradedList, ncu, o_measure, original_ndcg, p_measure, p_plus, q_measure
from irpref.reference.position import (
    Positions,
    balance_point,
    crp,
    crp_curve,
    crp_recovery,
    cumulated,
    ncrp,
    published_recovery,
    recall_base,
    twist,
)
from irpref.reference.preference import bpref, bpref_10, bpref_n, bpref_r, npref, partition_value, preference, rpref
from irpref.reference.symbols import order, relevance, scale_of
from irpref.reference.user import coverage, e_measure, f_measure, novelty, recall_effort, relative_recall
from strategies import Collection, collections, parameters, positive_grades


def topic(ranking, pool=""):
    """Ranking and judgments from letters: S A B = grades 3 2 1, N = 0, X = -1, u unjudged.

    `pool` lists the grades of the judged documents that were not retrieved.
    """
    grade = {"S": 3, "A": 2, "B": 1, "N": 0, "X": -1}
    ranked = [f"d{rank:02d}" for rank in range(1, len(ranking.split()) + 1)]
    judgments = {doc: grade[word] for doc, word in zip(ranked, ranking.split(), strict=True) if word != "u"}
    judgments |= {f"p{number:02d}": grade[word] for number, word in enumerate(pool.split())}
    return ranked, judgments


def levels(ranking, pool=()):
    """The same from numbers: every document of the ranking is judged."""
    judgments = {f"d{rank}": level for rank, level in enumerate(ranking)}
    return list(judgments), judgments | {f"p{number}": level for number, level in enumerate(pool)}


# Order ------------------------------------------------------------------------------------------------------


def test_order_is_score_descending_then_document_id_descending():
    assert order({"d1": 1, "d2": 2, "d10": 1, "e": 1}) == ["d2", "e", "d10", "d1"]


def test_scores_equal_as_float64_are_ties_and_nearly_equal_ones_are_not():
    assert order({"a": 2**53 + 1, "b": 2**53}) == ["b", "a"]
    assert order({"a": 16777217.0, "b": 16777216.0}) == ["a", "b"]
    assert order({"a": 0.0, "b": -0.0}) == ["b", "a"]


def test_ids_compare_by_code_point():
    assert order({"\ue000": 1.0, "\U0001d518": 1.0}) == ["\U0001d518", "\ue000"]


# rpref and n-pref: figure 1 of De Beer & Moens 2006 ---------------------------------------------------------

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


RPREF_READINGS = {
    "absolute": {"norm": "absolute"},
    "absolute, infinity": {"norm": "absolute", "unretrieved": "infinity"},
    "relative": {"norm": "relative"},
    "relative, drop": {"norm": "relative", "top": "drop"},
    "relative2": {"norm": "relative2"},
    "relative, infinity": {"norm": "relative", "unretrieved": "infinity"},
    "relative, top zero": {"norm": "relative", "top": "zero"},
}


@pytest.mark.parametrize(
    ("tool", "reading", "value"),
    [
        (tool, reading, value)
        for tool, values in {
            "T1": (0.848101, 0.993749, 0.848101, 0.826087, 0.848101, 0.994374, 0.721519),
            "T2": (0.703079, 0.899984, 0.674729, 0.627588, 0.688919, 0.877260, 0.548146),
            "T3": (0.144085, 0.392093, 0.067511, 0.067511, 0.106600, 0.309599, 0.067511),
        }.items()
        for reading, value in zip(RPREF_READINGS, values, strict=True)
    ],
)
def test_rpref_of_figure_1(tool, reading, value):
    result = rpref(TOOLS[tool], FIGURE_1, max_rel=1, **RPREF_READINGS[reading])
    assert float(result) == pytest.approx(value, abs=5.1e-7)


def test_rpref_of_figure_1_by_hand():
    # T1 retrieves 6.7 of R = 7.9 without a misplaced pair.
    assert rpref(TOOLS["T1"], FIGURE_1, max_rel=1) == Fraction(67, 79)


@pytest.mark.parametrize(
    ("tool", "unretrieved", "values"),
    [
        ("T1", "zero", (1, 0.8750, 0.8727, 0.8644, 0.8531, 0.8494)),
        ("T2", "zero", (0.6726, 0.6505, 0.6873, 0.6854, 0.6747, 0.6736)),
        ("T3", "zero", (0.0179, 0.0460, 0.0402, 0.0558, 0.0659, 0.0665)),
        ("T1", "infinity", (1, 0.9861, 0.9919, 0.9953, 0.9946, 0.9940)),
        ("T2", "infinity", (0.8393, 0.8357, 0.8671, 0.8784, 0.8760, 0.8753)),
        ("T3", "infinity", (0.2054, 0.2752, 0.2561, 0.2846, 0.3062, 0.3079)),
    ],
)
def test_npref_of_figure_1(tool, unretrieved, values):
    results = [
        npref(TOOLS[tool], FIGURE_1, n=n, norm="relative", unretrieved=unretrieved, max_rel=1)
        for n in (2, 4, 8, 16, 32, 64)
    ]
    assert [float(result) for result in results] == pytest.approx(values, abs=5.1e-5)


@pytest.mark.parametrize("reading", RPREF_READINGS)
@pytest.mark.parametrize("tool", TOOLS)
def test_11_pref_of_figure_1_is_rpref(tool, reading):
    options = RPREF_READINGS[reading] | {"max_rel": 1}
    assert npref(TOOLS[tool], FIGURE_1, n=11, **options) == rpref(TOOLS[tool], FIGURE_1, **options)


@pytest.mark.parametrize(("tool", "pairs"), [("T1", [0, 0, 0, 0]), ("T2", [4, 8, 9, 9]), ("T3", [10, 19, 19, 21])])
def test_misplaced_pairs_grow_with_the_number_of_partitions(tool, pairs):
    for n, expected in zip((2, 4, 8, 16), pairs, strict=True):
        values = [partition_value(relevance(FIGURE_1[doc], None, 1), n) for doc in TOOLS[tool]]
        assert sum(1 for above, below in combinations(values, 2) if above < below) == expected


@pytest.mark.parametrize(("max_rel", "value"), [(2, Fraction(1, 3)), (3, Fraction(1, 2)), (4, Fraction(5, 9))])
def test_absolute_rpref_depends_on_the_scale_and_relative_does_not(max_rel, value):
    ranking, judgments = ["c", "a", "b"], {"a": 2, "b": 1, "c": 0}
    assert rpref(ranking, judgments, max_rel=max_rel) == value
    for norm in ("relative", "relative2"):
        assert rpref(ranking, judgments, norm=norm, max_rel=max_rel) == rpref(ranking, judgments, norm=norm, max_rel=2)


def test_partitions_of_decimals_are_exact():
    assert math.floor(100 * 0.29) == 28
    assert partition_value(relevance(0.29, None, 1), 100) == Fraction(29, 99)


@pytest.mark.parametrize("norm", ["absolute", "relative", "relative2"])
@pytest.mark.parametrize("unretrieved", ["zero", "infinity"])
def test_nothing_judged_retrieved_is_0_in_every_reading(norm, unretrieved):
    judgments = {"a": 2, "b": 0}
    for ranking in ([], ["x", "y"]):
        assert rpref(ranking, judgments, norm=norm, unretrieved=unretrieved, max_rel=2) == 0
    assert rpref(["x", "a"], judgments, norm=norm, unretrieved=unretrieved, max_rel=2, cutoff=1) == 0


def test_the_only_relevant_document_at_the_top():
    judgments = {"a": 2, "b": 0}
    values = {
        rule: rpref(["a", "b"], judgments, norm="relative", top=rule, max_rel=2) for rule in ("keep", "drop", "zero")
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


@given(collections(integer_only=True), st.data())
def test_reductions_of_the_preference_family(collection: Collection, data):
    scale = scale_of(collection.qrels)
    cutoff = data.draw(st.none() | st.integers(1, 8))
    options = {
        "unretrieved": data.draw(st.sampled_from(("zero", "infinity"))),
        "norm": data.draw(st.sampled_from(("absolute", "relative", "relative2"))),
        "top": data.draw(st.sampled_from(("keep", "drop", "zero"))),
        "cutoff": cutoff,
    }
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        value = rpref(ranking, judgments, max_rel=scale, **options)
        assert 0 <= value <= 1
        # Integer grades on k * max_rel + 1 partitions keep their place.
        for k in (1, 2, 3):
            assert npref(ranking, judgments, n=k * scale + 1, max_rel=scale, **options) == value
        # Two partitions are binary judgments split at half of the scale.
        assert npref(ranking, judgments, n=2, max_rel=scale, cutoff=cutoff) == bpref_n(
            ranking, judgments, rel=math.ceil(scale / 2), cutoff=cutoff
        )
        # The scale itself does not matter.
        tripled = {doc: 3 * grade for doc, grade in judgments.items()}
        assert rpref(ranking, tripled, max_rel=3 * scale, **options) == value
        if options["norm"] != "absolute":
            assert rpref(ranking, judgments, max_rel=7 * scale, **options) == value
        binary = {doc: min(grade, 1) for doc, grade in judgments.items()}
        assert rpref(ranking, binary, max_rel=1, cutoff=cutoff) == bpref_n(ranking, binary, cutoff=cutoff)


@given(collections(negative=False))
def test_ideal_order_of_all_judged_documents_is_1(collection: Collection):
    scale = scale_of(collection.qrels)
    for judgments in collection.qrels.values():
        if max(judgments.values()) <= 0:
            continue
        ideal = sorted(judgments, key=lambda doc: -judgments[doc])
        for norm, unretrieved, rule in product(
            ("absolute", "relative", "relative2"), ("zero", "infinity"), ("keep", "drop")
        ):
            assert rpref(ideal, judgments, norm=norm, unretrieved=unretrieved, top=rule, max_rel=scale) == 1
        relevant_only = [doc for doc in ideal if judgments[doc] > 0]
        least = min(judgments[doc] for doc in relevant_only)
        for name, measure in registered().items():
            if measure.IDEAL is not None and not measure.NEEDS:
                small = {p: v for p, v in {"rel": least, "depth": 40}.items() if p in measure.SUPPORTED_PARAMS}
                value = ORACLES[name](relevant_only, judgments, **small)
                assert value == pytest.approx(measure.IDEAL, abs=1e-12), name


# bpref ------------------------------------------------------------------------------------------------------


def test_bpref_of_the_lecture():
    # Lillis: R = 4, contributions 0.75, 0.75, 0, 0.
    ranking, judgments = topic("N B u B u N N N B N B")
    for norm in ("min", "R", "old"):
        assert bpref(ranking, judgments, norm=norm) == Fraction("0.375")
    assert bpref_r(ranking, judgments) == Fraction("0.375")
    # One below by hand: 1, 1, 4 and 5 nonrelevant above.
    assert bpref_10(ranking, judgments) == Fraction(13 + 13 + 10 + 9, 14 * 4)
    assert bpref(ranking, judgments, norm="10min") == Fraction(4 + 4 + 1 + 0, 5 * 4)
    assert bpref_n(ranking, judgments) == Fraction(4 + 4 + 1 + 0, 5 * 4)


def test_bpref_of_trec_evals_bug_report():
    # bpref_bug: R = 6, N = 4, one nonrelevant document, then four relevant ones.
    ranking, judgments = topic("N B B B B", pool="B B N N N")
    assert bpref(ranking, judgments) == Fraction(1, 2)
    assert bpref(ranking, judgments, norm="old") == 0


def test_bpref_with_few_judged_nonrelevant():
    ranking, judgments = topic("N B B B")
    assert bpref(ranking, judgments, norm="min") == 0
    assert bpref(ranking, judgments, norm="R") == Fraction(2, 3)


def test_bpref_without_judged_nonrelevant_is_recall():
    ranking, judgments = topic("u B u B", pool="B")
    for norm in ("min", "R", "N", "10", "10min", "old"):
        assert bpref(ranking, judgments, norm=norm) == Fraction(2, 3)


@given(collections())
def test_order_among_the_bprefs(collection: Collection):
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        value = {norm: bpref(ranking, judgments, norm=norm) for norm in ("old", "min", "R", "N")}
        assert value["old"] <= value["min"] <= value["R"]
        assert value["min"] <= value["N"]
        R = sum(1 for grade in judgments.values() if grade >= 1)
        N = sum(1 for grade in judgments.values() if 0 <= grade < 1)
        if R <= N:
            assert value["min"] == value["R"]
        if R >= N:
            assert value["min"] == value["N"]


# Q, O, P, P+ ------------------------------------------------------------------------------------------------

SYSTEM_X = topic("B S", pool="A")
SYSTEM_Y = topic("u S", pool="A B")
INVERSE = topic("B A S")


@pytest.mark.parametrize(
    ("measure", "of_x", "of_y", "of_inverse"),
    [
        (p_measure, (6, 7), (4, 7), (1, 1)),
        (o_measure, (1, 2), (4, 7), (1, 2)),
        (p_plus, (19, 28), (4, 7), (31, 42)),
        (q_measure, (19, 42), (4, 21), (31, 42)),
    ],
)
def test_figure_1_of_sakai_2006(measure, of_x, of_y, of_inverse):
    assert measure(*SYSTEM_X) == Fraction(*of_x)
    assert measure(*SYSTEM_Y) == Fraction(*of_y)
    assert measure(*INVERSE) == Fraction(*of_inverse)


def test_p_measure_can_be_below_o_and_p_plus():
    ranking, judgments = levels([1, 0, 0, 2, 2])
    assert (o_measure(ranking, judgments), p_measure(ranking, judgments), p_plus(ranking, judgments)) == (
        Fraction(2, 3),
        Fraction(5, 9),
        Fraction(11, 18),
    )


def test_moving_the_best_document_up_can_lower_p_measure():
    assert p_measure(*levels([0, 1, 3, 1, 2, 0, 0, 3])) == Fraction(6, 11)
    assert p_measure(*levels([0, 3, 1, 1, 2, 0, 0, 3])) == Fraction(1, 2)


def test_preferred_rank_goes_by_level_not_by_gain():
    merged = {1: 1, 2: 1, 3: 1}
    ranking, judgments = topic("B u u u u S")
    assert o_measure(ranking, judgments, gains=merged) == 1
    assert p_measure(ranking, judgments, gains=merged) == Fraction(1, 2)


def test_a_cutoff_moves_the_preferred_rank_into_the_list_and_leaves_the_ideal():
    ranking, judgments = topic("B S")
    assert p_measure(ranking, judgments, cutoff=1) == Fraction(1 + 1, 3 + 1)
    assert o_measure(*topic("u B"), cutoff=1) == 0


def test_lists_are_condensed_first_and_cut_afterwards():
    ranking, judgments = topic("u N S")
    assert q_measure(ranking, judgments, judged_only=True, cutoff=2) == Fraction(4, 5)
    ranking, judgments = topic("X N S")
    assert q_measure(ranking, judgments, judged_only=True, cutoff=2) == Fraction(4, 5)


def test_gain_0_for_a_positive_grade_is_not_relevant():
    ranking, judgments = topic("B S", pool="B")
    # R = 1, one relevant document at rank 2.
    assert q_measure(ranking, judgments, gains={1: 0}) == Fraction(3 + 1, 3 + 2)


@given(collections(negative=False))
def test_identities_of_the_graded_family(collection: Collection):
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        binary = {doc: int(grade > 0) for doc, grade in judgments.items()}
        relevant_ranks = [rank for rank, doc in enumerate(ranking, start=1) if binary.get(doc)]
        R = sum(binary.values())
        average_precision = sum(
            (Fraction(found, rank) for found, rank in enumerate(relevant_ranks, start=1)), Fraction(0)
        ) / max(R, 1)
        reciprocal_rank = Fraction(1, relevant_ranks[0]) if relevant_ranks else 0

        assert q_measure(ranking, judgments, beta=0) == average_precision
        assert o_measure(ranking, judgments, beta=0) == reciprocal_rank
        if all(rank <= R for rank in relevant_ranks):
            assert q_measure(ranking, binary) == average_precision
        else:
            assert q_measure(ranking, binary) > average_precision
        if not relevant_ranks or relevant_ranks[0] <= R:
            assert o_measure(ranking, binary) == reciprocal_rank
        else:
            assert o_measure(ranking, binary) > reciprocal_rank
        assert p_measure(ranking, binary) == p_plus(ranking, binary) == o_measure(ranking, binary)

        q = q_measure(ranking, judgments)
        assert q == ncu(ranking, judgments)
        assert ncu(ranking, judgments, stop="rank_biased", gamma=1.0) == pytest.approx(q)
        assert ncu(ranking, binary, stop="graded") == q_measure(ranking, binary)
        assert ncu(ranking, judgments, utility="P") == average_precision
        assert q_measure(ranking, judgments, judged_only=True) >= q
        assert p_measure(ranking, judgments, judged_only=True) >= p_measure(ranking, judgments)
        assert p_plus(ranking, judgments, judged_only=True) >= p_plus(ranking, judgments)
        for measure in (q_measure, o_measure, p_measure, p_plus):
            tripled = {grade: 3 * grade for grade in positive_grades(collection.qrels)}
            assert 0 <= measure(ranking, judgments) <= 1
            assert float(measure(ranking, judgments, gains=tripled)) == pytest.approx(
                float(measure(ranking, judgments, beta=3))
            )


def test_rank_biased_ncu_of_an_ideal_list_is_1():
    assert ncu(*levels([1] * 20), stop="rank_biased") == pytest.approx(1)


def test_graded_ncu_by_hand():
    # B at rank 1, S at rank 2, A not found: stops 1/6 and 3/6, blended ratios 2/4 and 6/7.
    assert ncu(*SYSTEM_X, stop="graded") == Fraction(1, 6) * Fraction(1, 2) + Fraction(1, 2) * Fraction(6, 7)
    assert ncu(*SYSTEM_X, stop="graded", utility="P") == Fraction(1, 6) + Fraction(1, 2)


def test_rank_biased_ncu_by_hand():
    weights = 1 + 0.5 + 0.25
    assert ncu(*SYSTEM_X, stop="rank_biased", gamma=0.5) == pytest.approx((1 / 2 + 0.5 * 6 / 7) / weights)


# NTCIREVAL --------------------------------------------------------------------------------------------------


def _ntcireval_sample(directory, expected):
    judgments = {}
    for line in (directory / "sample.rel").read_text().splitlines():
        doc, level = line.split()
        judgments[doc] = int(level.removeprefix("L"))
    ranking = (directory / "sample.res").read_text().split()
    values = {}
    for line in (directory / expected).read_text().splitlines():
        if "=" in line and not line.lstrip().startswith("#"):
            name, value = line.split("=")
            values[name.strip()] = float(value)
    return ranking, judgments, values


@pytest.mark.parametrize(
    ("file", "gains", "judged_only", "cutoff"),
    [
        ("res_test_compute.txt", None, False, 1000),
        ("res_test_compute_cutoff.txt", None, False, 2),
        ("res_test_compute_grade.txt", {1: 1, 2: 4, 3: 9}, False, 1000),
        ("res_test_compute_label_j.txt", None, True, 1000),
    ],
)
def test_sample_of_ntcireval(data_dir, file, gains, judged_only, cutoff):
    ranking, judgments, printed = _ntcireval_sample(data_dir / "ntcireval-sample", file)
    options = {"gains": gains, "judged_only": judged_only}
    computed = {
        "RR": o_measure(ranking, judgments, beta=0, **options),
        "O-measure": o_measure(ranking, judgments, **options),
        "P-measure": p_measure(ranking, judgments, **options),
        "P-plus": p_plus(ranking, judgments, **options),
        "AP": q_measure(ranking, judgments, beta=0, **options),
        "Q-measure": q_measure(ranking, judgments, **options),
        "NCUgu,P": ncu(ranking, judgments, stop="graded", utility="P", **options),
        "NCUgu,BR": ncu(ranking, judgments, stop="graded", **options),
        "NCUrb,P": ncu(ranking, judgments, stop="rank_biased", utility="P", **options),
        "NCUrb,BR": ncu(ranking, judgments, stop="rank_biased", **options),
        f"AP@{cutoff:04}": q_measure(ranking, judgments, beta=0, cutoff=cutoff, **options),
        f"Q@{cutoff:04}": q_measure(ranking, judgments, cutoff=cutoff, **options),
        f"nDCG@{cutoff:04}": original_ndcg(ranking, judgments, cutoff=cutoff, **options),
    }
    for name, value in computed.items():
        assert float(value) == pytest.approx(printed[name], abs=5.1e-5), name


def _ntcir_measures(judgments, grades, beta, cutoff):
    """pyNTCIREVAL's measures with ours beside them: name, theirs, our oracle, its options."""
    xrelnum = [0] * (len(grades) + 1)
    for level in judgments.values():
        xrelnum[level] += 1
    yield "O", ntcir.OMeasure(xrelnum, grades, beta), o_measure, {"beta": beta}
    yield "P", ntcir.PMeasure(xrelnum, grades, beta), p_measure, {"beta": beta}
    yield "P+", ntcir.PPlusMeasure(xrelnum, grades, beta), p_plus, {"beta": beta}
    yield "Q", ntcir.QMeasure(xrelnum, grades, beta), q_measure, {"beta": beta}
    yield "Q@l", ntcir.QMeasure(xrelnum, grades, beta, cutoff), q_measure, {"beta": beta, "cutoff": cutoff}
    yield "AP", ntcir.AP(xrelnum, grades), q_measure, {"beta": 0}
    yield "NCUgu,P", ntcir.NCUguP(xrelnum, grades, grades), ncu, {"stop": "graded", "utility": "P"}
    yield "NCUgu,BR", ntcir.NCUguBR(xrelnum, grades, grades, beta), ncu, {"stop": "graded", "beta": beta}
    rank_biased = {"stop": "rank_biased", "gamma": 0.9}
    yield "NCUrb,P", ntcir.NCUrbP(xrelnum, grades, 0.9), ncu, rank_biased | {"utility": "P"}
    yield "NCUrb,BR", ntcir.NCUrbBR(xrelnum, grades, 0.9, beta), ncu, rank_biased | {"beta": beta}
    for base in (2, 3, 10):
        yield (
            "nDCG",
            ntcir.nDCG(xrelnum, grades, base, cutoff),
            original_ndcg,
            {"base": base, "cutoff": cutoff},
        )


@pytest.mark.parametrize("seed", range(40))
def test_pyntcireval_on_random_lists(seed):
    rng = random.Random(seed)
    docs = [f"d{number}" for number in range(rng.randint(1, 30))]
    judgments = {doc: rng.choice((0, 0, 1, 1, 2, 3)) for doc in rng.sample(docs, rng.randint(1, len(docs)))}
    judgments["relevant"] = rng.choice((1, 2, 3))  # it divides by R
    ranking = rng.sample([*docs, "relevant"], rng.randint(1, len(docs)))
    grades = rng.choice([[1, 2, 3], [1, 3, 7], [1, 1, 5], [10, 20, 30]])
    beta, cutoff = rng.choice((0.0, 0.5, 1.0, 10.0)), rng.choice((1, 2, 5, 100))
    gains = dict(enumerate(grades, start=1))
    for judged_only in (False, True):
        labelled = pyNTCIREVAL.Labeler(judgments, is_condensed=judged_only).label(ranking)
        if not labelled:  # it raises on an empty list
            continue
        for name, theirs, oracle, options in _ntcir_measures(judgments, grades, beta, cutoff):
            ours = oracle(ranking, judgments, gains=gains, judged_only=judged_only, **options)
            assert float(ours) == pytest.approx(theirs.compute(labelled)), name


# Cumulated relative position --------------------------------------------------------------------------------


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


def test_the_plateau_of_a_balanced_curve():
    ranking, judgments = topic("B N N N N N N B N N N B N B", pool="B")
    curve = crp_curve(ranking, judgments)
    assert curve[11:13] == [0, 0]
    assert crp_recovery(ranking, judgments) == Fraction(5, 12)
    assert published_recovery(curve, 5) == Fraction(5, 13)


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
    # MATTERS' documentation: run Brkly24, topic 351, R = 59; CRP at 5, 10, 15, 20, 30 = -171 ... -1169. The
    # first two steps are three and four non-relevant documents: ranks 1 3 5 and 6 7 9 10.
    relevant_ranks = {2, 4, 8}
    ranking = [f"d{rank}" for rank in range(1, 31)]
    judgments = {f"d{rank}": 1 for rank in relevant_ranks} | {f"p{number}": 1 for number in range(56)}
    curve = crp_curve(ranking, judgments)
    assert [curve[rank - 1] for rank in (5, 10, 15, 20, 30)] == [-171, -379, -614, -824, -1169]


def test_only_classes_and_their_order_matter():
    ranking, judgments = topic("B u A S N", pool="A")
    stretched = {doc: {0: 0, 1: 0.1, 2: 7, 3: 100}[grade] for doc, grade in judgments.items()}
    assert crp_curve(ranking, judgments) == crp_curve(ranking, stretched)


@given(collections(negative=False))
def test_what_holds_for_grades_from_0_up(collection: Collection):
    for query_id, judgments in collection.qrels.items():
        ranking = order(collection.run.get(query_id, {}))
        R = recall_base(judgments)
        if R == 0:
            assert crp(ranking, judgments) == crp_recovery(ranking, judgments) == twist(ranking, judgments) == 0
            continue
        curve = crp_curve(ranking, judgments)
        last_relevant = max((rank for rank, doc in enumerate(ranking, 1) if judgments.get(doc, 0) > 0), default=0)
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


@given(collections())
def test_the_ideal_ranking_has_a_flat_curve(collection: Collection):
    for judgments in collection.qrels.values():
        ideal = sorted(judgments, key=lambda doc: -judgments[doc])
        assert set(crp_curve(ideal, judgments)) <= {0}
        if recall_base(judgments):
            assert crp_recovery(ideal, judgments) == 1
            assert twist(ideal, judgments, depth=len(ideal)) == 1


@pytest.mark.parametrize("pool", [(1, 1, 0), (2, 1, 0, 0), (2, 1, 1, 0), (2, 2, 1), (3, 2, 1, 0)])
def test_below_0_until_R_iff_every_lower_grade_is_single(pool):
    R = sum(1 for grade in pool if grade > 0)
    lower = [grade for grade in pool if 0 < grade < max(pool)]
    highest = max(value for p in permutations(pool) for value in crp_curve(*levels(p))[:R])
    assert (highest <= 0) == (len(lower) == len(set(lower)))


def test_twist_by_hand():
    # R = 2, depth 4. Reversed ideal n n r r: -2 -1 +1 +2, so 3 early and 3 late.
    judgments = {"r1": 1, "r2": 1}
    # 0 -1 +1 0: both shares 2/3; the curve never rises above 0.
    assert twist(["r1", "n1", "r2", "n2"], judgments, depth=4) == (0 + Fraction(2, 3)) / 2
    # 0 -1 0 +2: shares 2/3 and 1/3, harmonic mean 4/9; the curve 0 -1 -1 +1 changes side after rank 3.
    assert twist(["r1", "n1", "n2", "r2"], judgments, depth=4) == (Fraction(2, 3) + Fraction(4, 9)) / 2
    assert twist(["r1", "r2"], judgments, depth=4) == 1
    assert twist(["n1", "n2"], judgments, depth=4) == 0
    assert twist(["n1", "n2", "r1", "r2"], judgments, depth=4) == 0  # both shares 0, curve -2 -3 -2 0
    assert twist([], judgments) == 0


# Modern Information Retrieval, chapter 4 --------------------------------------------------------------------

Q1 = {"d3": 3, "d5": 3, "d9": 3, "d25": 2, "d39": 2, "d44": 2, "d56": 1, "d71": 1, "d89": 1, "d123": 1}
Q2 = {"d3": 3, "d56": 2, "d129": 1}
ANSWER_1 = [f"d{n}" for n in (123, 84, 56, 6, 8, 9, 511, 129, 187, 25, 38, 48, 250, 113, 3)]
ANSWER_2 = [f"d{n}" for n in (425, 87, 56, 32, 124, 615, 512, 129, 4, 130, 193, 715, 810, 5, 3)]


@pytest.mark.parametrize(("beta", "value"), [(0.5, 0.7619), (1, 2 / 3), (2, 0.4444)])
def test_e_of_the_second_query(beta, value):
    assert float(e_measure(ANSWER_2, Q2, beta=beta, cutoff=15)) == pytest.approx(value, abs=5.1e-5)


def test_e_and_f_at_the_ends():
    assert e_measure(["r", "n"], {"r": 1, "p": 1}, beta=0) == Fraction(1, 2)  # 1 - P
    assert e_measure([], {"r": 1}) == e_measure(["n"], {"r": 1}) == e_measure(["n"], {"n": 0}) == 1
    assert f_measure([], {"r": 1}) == 0


def test_precision_at_a_cutoff_beyond_the_list_divides_by_the_cutoff():
    ranking, judgments = topic("B N", pool="B B")
    assert f_measure(ranking, judgments) == Fraction(2, 5)
    assert f_measure(ranking, judgments, cutoff=5) == Fraction(1, 4)


def test_original_ndcg_of_the_first_query():
    # Gains 1 0 1 0 0 3 0 0 0 2 at the first ten ranks.
    dcg = 1 + 1 / math.log2(3) + 3 / math.log2(6) + 2 / math.log2(10)
    ideal = 3 + 3 + 3 / math.log2(3) + sum(2 / math.log2(rank) for rank in (4, 5, 6))
    ideal += sum(1 / math.log2(rank) for rank in (7, 8, 9, 10))
    assert original_ndcg(ANSWER_1, Q1, cutoff=10) == pytest.approx(dcg / ideal)
    assert original_ndcg(ANSWER_1, Q1, cutoff=10) == pytest.approx(0.286765, abs=5.1e-7)


def test_original_ndcg_has_no_discount_before_rank_base():
    ranking, judgments = topic("u u u u S")
    assert original_ndcg(ranking, judgments, base=10) == 1
    assert original_ndcg(ranking, judgments, base=5) == pytest.approx(1)
    assert original_ndcg(ranking, judgments, base=2) == pytest.approx(1 / math.log2(5))


def test_user_oriented_measures_by_hand():
    judgments = {"a": 1, "b": 2, "c": 1, "d": 1, "n": 0, "x": -1}
    ranking = ["n", "a", "u", "b", "x"]
    known = {"a", "c", "n", "elsewhere"}
    assert coverage(ranking, judgments, known=known) == Fraction(1, 2)
    assert novelty(ranking, judgments, known=known) == Fraction(1, 2)
    assert novelty(ranking, judgments, known=known, cutoff=2) == 0
    assert coverage(ranking, judgments, known={"elsewhere"}) == novelty(["n"], judgments, known=known) == 0
    assert relative_recall(ranking, judgments) == Fraction(2, 4)
    assert relative_recall(ranking, judgments, expected=1) == 1
    assert relative_recall(ranking, judgments, expected=1, capped=False) == 2
    assert recall_effort(ranking, judgments, expected=2) == Fraction(2, 4)
    assert recall_effort(ranking, judgments, expected=2, cutoff=3) == 0
    assert recall_effort(ranking, judgments) == 0


# The measures that ir_measures has itself -------------------------------------------------------------------


def agrees_with_host(name, host, collection: Collection, transform=lambda value: value, **options):
    """Compare with a measure of ir_measures on scores that its 32-bit floats can hold."""
    run = {
        query_id: {doc: float(len(scores) - rank) for rank, doc in enumerate(order(scores))}
        for query_id, scores in collection.run.items()
    }
    assume(any(run.get(query_id) for query_id in collection.qrels))  # the host takes no empty run
    theirs = {metric.query_id: metric.value for metric in ir_measures.iter_calc([host], collection.qrels, run)}
    for query_id, value in oracle_calc(name, collection.qrels, run, **options).items():
        assert transform(value) == pytest.approx(theirs[query_id], abs=1e-12), query_id


@given(collections(integer_only=True, negative=False), st.integers(1, 3))
def test_host_bpref_ap_rr_and_sets(collection: Collection, rel):
    agrees_with_host("BprefVariant", Bpref(rel=rel), collection, rel=rel)
    agrees_with_host("QMeasure", AP, collection, beta=0)
    agrees_with_host("QMeasure", AP(judged_only=True), collection, beta=0, judged_only=True)
    agrees_with_host("OMeasure", RR, collection, beta=0)
    agrees_with_host("FMeasure", SetF(rel=rel), collection, rel=rel)
    agrees_with_host("EMeasure", SetF(rel=rel, beta=4.0), collection, lambda e: 1 - e, rel=rel, beta=2)
    agrees_with_host("EMeasure", SetP(rel=rel), collection, lambda e: 1 - e, rel=rel, beta=0)
    agrees_with_host("RelativeRecall", SetR(rel=rel), collection, rel=rel)
    agrees_with_host("EMeasure", P(rel=rel) @ 5, collection, lambda e: 1 - e, rel=rel, beta=0, cutoff=5)


@given(collections(integer_only=True, negative=False))
def test_coverage_is_recall_of_the_known_and_novelty_precision_of_the_unknown(collection: Collection):
    # Known: every second judged document.
    for query_id, judgments in collection.qrels.items():
        known = set(list(judgments)[::2])
        ranking = order(collection.run.get(query_id, {}))
        of_known = {doc: grade for doc, grade in judgments.items() if doc in known}
        assert coverage(ranking, judgments, known=known) == relative_recall(ranking, of_known)
        relevant_answer = [doc for doc in ranking if judgments.get(doc, 0) >= 1]
        unknown = {doc: grade for doc, grade in judgments.items() if doc not in known}
        assert novelty(ranking, judgments, known=known) == 1 - e_measure(relevant_answer, unknown, beta=0)


def test_original_ndcg_and_the_hosts_differ_in_the_discount():
    run = {"q": {doc: float(-rank) for rank, doc in enumerate(ANSWER_1)}}
    assert ir_measures.calc_aggregate([nDCG @ 10], {"q": Q1}, run)[nDCG @ 10] == pytest.approx(0.315332, abs=5.1e-7)
    assert original_ndcg(ANSWER_1, Q1, cutoff=10) == pytest.approx(0.286765, abs=5.1e-7)


def test_bpref_of_trec_evals_own_test(data_dir):
    directory = data_dir / "trec_eval-test"
    qrels, run = {}, {}
    with gzip.open(directory / "qrels" / "qrels.test.gz", "rt") as lines:
        for line in lines:
            query_id, _, doc_id, grade = line.split()
            qrels.setdefault(query_id, {})[doc_id] = int(grade)
    with gzip.open(directory / "runs" / "results.test.gz", "rt") as lines:
        for line in lines:
            query_id, _, doc_id, _, score, _ = line.split()
            run.setdefault(query_id, {})[doc_id] = float(score)
    printed = {}
    for line in (directory / "expected" / "out.test.aq").read_text().splitlines():
        name, query_id, value = line.split()
        printed[name, query_id] = value
    for name, oracle, options in (
        ("bpref", "BprefVariant", {}),
        ("map", "QMeasure", {"beta": 0}),
        ("recip_rank", "OMeasure", {"beta": 0}),
    ):
        for query_id, value in oracle_calc(oracle, qrels, run, **options).items():
            if (name, query_id) in printed:
                assert value == pytest.approx(float(printed[name, query_id]), abs=5.1e-5), (name, query_id)


# The whole table --------------------------------------------------------------------------------------------


@given(collections(), st.data())
def test_every_oracle_answers_exactly_the_topics_of_the_qrels(collection: Collection, data):
    for name in ORACLES:
        options = data.draw(parameters(name, positive_grades(collection.qrels)), label=name)
        if "depth" in inspect.signature(ORACLES[name]).parameters:
            options.setdefault("depth", 40)  # the loops are slow
        values = oracle_calc(name, collection.qrels, collection.run, **options)
        assert list(values) == list(collection.qrels)
        assert all(math.isfinite(value) for value in values.values())


def test_a_cutoff_cannot_be_seen_past():
    # One law for all: a cutoff is the same as a shorter run.
    rng = random.Random(7)
    docs = [f"d{number}" for number in range(12)]
    for _ in range(50):
        judgments = {doc: rng.choice((-1, 0, 1, 2)) for doc in rng.sample(docs, 8)}
        ranking = rng.sample(docs, 10)
        for name in ("RPref", "BprefVariant", "OMeasure", "PMeasure", "PPlus", "CRPRecovery"):
            scale = {"scale": 2} if name == "RPref" else {}
            whole = ORACLES[name](ranking, judgments, cutoff=4, **scale)
            assert whole == ORACLES[name](ranking[:4], judgments, **scale)


def test_helpers_of_the_oracles_that_the_tests_above_take_for_granted():
    lst = GradedList(["a", "u", "b"], {"a": 1, "b": 3, "c": 2})
    assert (lst.first_relevant_rank, lst.preferred_rank, lst.count(3), lst.n_relevant) == (1, 3, 2, 3)
    assert lst.precision(3) == Fraction(2, 3)
    assert cumulated([1, -1, 2]) == [1, 0, 2]
    assert balance_point([-1, -1, 0], 2) == 3
    assert balance_point([0, 0, -1], 3) is None
    positions = Positions(["a", "b"], {"a": 0, "b": 1}, 3)
    assert positions.ideal == [1, 0, 0]
    assert preference([], {}, norm="absolute", unretrieved="zero", top_rule="keep", cutoff=None) == 0
