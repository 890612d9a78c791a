"""Differences of two runs over shared grades of unjudged documents, and the documents to judge
next.
"""

import itertools
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_holes import HOST

import irpref
from irpref.datasets import load
from irpref.kernel import Holes
from irpref.measures import registered
from irpref_lab.trust.holes import difference_intervals, hole_intervals, pair_intervals
from irpref_lab.trust.holes.turnable import Turnable
from reference import FORMULAS as ORACLES
from reference import order
from strategies import at_most, collections, few_relevant

MOST = 300

MEASURES = {
    **{name: HOST[name] for name in ("AP", "SetP", "SetR", "RR", "nDCG", "Bpref")},
    **{name: ORACLES[name] for name in ("OriginalNDCG", "GRecall", "PPlus", "QMeasure", "nCRP")},
    "P@3": partial(HOST["P"], cutoff=3),
    "P(rel=2)@4": partial(HOST["P"], rel=2, cutoff=4),
    "NumRet(rel=1)": partial(HOST["NumRet"], rel=1),
    "R(rel=2)@3": partial(HOST["R"], rel=2, cutoff=3),
    "RR(rel=2)": partial(HOST["RR"], rel=2),
    "R@3": partial(HOST["R"], cutoff=3),
    "Success@3": partial(HOST["Success"], cutoff=3),
    "nDCG@3": partial(HOST["nDCG"], cutoff=3),
    "nDCG(gains={0:1,1:3,2:2})@2": partial(HOST["nDCG"], cutoff=2, gains={0: 1, 1: 3, 2: 2}),
    "GPrecision(max_rel=2)@2": partial(ORACLES["GPrecision"], max_rel=2, cutoff=2),
    "RPref(max_rel=2)": partial(ORACLES["RPref"], max_rel=2),
    "RPref(max_rel=2,norm='relative',unretrieved='infinity')@3": partial(
        ORACLES["RPref"], max_rel=2, norm="relative", unretrieved="infinity", cutoff=3
    ),
}


def second_run(run, moves):
    """Another run of the same documents and some new ones."""
    out = {}
    for topic, docs in run.items():
        names = sorted(docs)
        kept = [name for name, (stays, _) in zip(names, moves, strict=False) if stays]
        out[topic] = {
            name: float(score)
            for name, (_, score) in zip([*kept, "new1", "new2"], moves, strict=False)
        }
    return out


@pytest.mark.parametrize("name", MEASURES)
@given(
    collection=collections(integer_only=True, max_topics=2, max_docs=6),
    moves=st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=3, max_size=8),
)
@at_most(30)
def test_the_bounds_of_a_difference_are_those_of_all_shared_assignments(name, collection, moves):
    qrels, one = collection
    _check_all_shared_assignments(
        irpref.parse(name), MEASURES[name], qrels, one, second_run(one, moves)
    )


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, measure in registered().items()
        # Holes are not known to the user.
        if Holes(binary=measure.HOLES.binary) != measure.HOLES and "known" not in measure.NEEDS
    ],
)
def test_the_bounds_of_a_difference_are_right_where_all_is_found(name):
    """What a measure declares of holes, for a difference too, where everything relevant is found."""
    measure = type(registered()[name]).variants()[0]
    with_cutoff = [{"cutoff": 2}] if "cutoff" in measure.SUPPORTED_PARAMS else []
    qrels, one = few_relevant(11, n_judged=2, n_holes=2)
    two = {
        topic: {"new": 3.0, **{doc: 2.0 - i / 4 for i, doc in enumerate(list(docs)[:-1])}}
        for topic, docs in one.items()
    }
    for more in ({}, *with_cutoff):
        of = measure(**more)
        oracle = partial(ORACLES[name], **of.params)
        _check_all_shared_assignments(of, oracle, qrels, one, two)


def _check_all_shared_assignments(measure, oracle, qrels, one, two):
    name = str(measure.NAME)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.IrprefWarning)
        table = difference_intervals([measure], qrels, one, two)
        value = [irpref.evaluator([measure], qrels).values(run)[measure] for run in (one, two)]
    of = table[table["query_id"].notna()].set_index("query_id")
    top = max(grade for docs in qrels.values() for grade in docs.values())
    top = measure.params.get("max_rel", top if top > 0 else 1)
    for t, (topic, judged) in enumerate(qrels.items()):
        row = of.loc[topic]
        assert row["value"] == value[1][t] - value[0][t]
        assert row["low"] <= row["high"]
        a, b = order(one.get(topic, {})), order(two.get(topic, {}))
        negative = name == "nCRP"
        holes = [
            d
            for d in dict.fromkeys([*a, *b])
            if d not in judged or (judged[d] < 0 and not negative)
        ]
        if (top + 1) ** len(holes) > MOST:
            continue
        found = []
        for way in itertools.product(range(top + 1), repeat=len(holes)):
            filled = {**judged, **dict(zip(holes, way, strict=True))}
            if not negative:
                filled = {doc: grade for doc, grade in filled.items() if grade >= 0}
            found.append(oracle(b, filled) - oracle(a, filled))
        low, high = float(min(found)), float(max(found))
        assert row["low"] >= low - 1e-12
        assert row["high"] <= high + 1e-12
        assert row["exact"]  # all are tried, or the form is known
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)


BINARY = ["AP", "Bpref", "R@3", "RR", "Success@3"]


@pytest.mark.parametrize(
    ("name", "top", "n_holes"),
    [
        *((name, 1, 11) for name in (*BINARY, "nDCG", "nDCG@3", "GRecall")),
        *((name, 3, 9) for name in BINARY),
    ],
)
def test_the_bounds_of_a_difference_with_many_holes(name, top, n_holes):
    rng = np.random.default_rng(5)
    judged = {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 2, 6) * top)}
    docs = [*judged, *(f"u{i}" for i in range(n_holes))]
    one, two = (
        {doc: float(s) for doc, s in zip(docs, rng.permutation(len(docs)), strict=True)}
        for _ in "ab"
    )
    del one["u0"], one["d1"], two["u1"], two["d2"]
    a, b = order(one), order(two)
    holes = [doc for doc in docs if doc not in judged]
    oracle, found = MEASURES[name], []
    for way in itertools.product((0, top), repeat=len(holes)):
        filled = {**judged, **dict(zip(holes, way, strict=True))}
        found.append(oracle(b, filled) - oracle(a, filled))
    row = difference_intervals([name], {"q": judged}, {"q": one}, {"q": two}).iloc[0]
    # With two grades that matter, 9 holes can be filled in 512 ways, and all are tried.
    assert row["exact"] == (name in ("R@3", "RR", "Success@3") or n_holes < 10)
    assert (row["low"], row["high"]) == pytest.approx(
        (float(min(found)), float(max(found))), abs=1e-9
    )


def test_a_document_that_both_retrieve_does_not_move_their_difference():
    qrels = {"q": {"r": 1, "n": 0}}
    a, b = {"q": {"r": 3, "x": 2}}, {"q": {"n": 3, "x": 2}}
    row = difference_intervals("P@2", qrels, a, b).iloc[0]
    assert (row["low"], row["value"], row["high"]) == (-0.5, -0.5, -0.5)
    # Taken one by one, the values overlap: [1/2, 1] and [0, 1/2].
    alone = [hole_intervals("P@2", qrels, run).iloc[0] for run in (a, b)]
    assert [(of["low"], of["high"]) for of in alone] == [(0.5, 1.0), (0.0, 0.5)]


def test_tied_documents_keep_their_place():
    # Ties are broken by id, descending: v before u in a.
    qrels = {"q": {"r": 1}}
    a, b = {"q": {"u": 1.0, "v": 1.0, "r": 0.0}}, {"q": {"u": 2.0, "v": 1.0, "r": 0.0}}
    row = difference_intervals("RR@3", qrels, a, b).iloc[0]
    assert (row["low"], row["high"]) == (-0.5, 0.5)
    same = difference_intervals("RR@3", qrels, a, {"q": {"v": 2.0, "u": 1.0, "r": 0.0}}).iloc[0]
    assert (same["low"], same["high"]) == (0.0, 0.0)


def test_pairs_that_could_turn_round():
    qrels = {"q": {"r": 1, "s": 1, "n": 0}}
    runs = {
        "a": {"q": {"r": 3, "s": 2, "n": 1}},
        "b": {"q": {"r": 3, "x": 2, "n": 1}},
        "c": {"q": {"n": 3}},
    }
    table = pair_intervals("P@3", qrels, runs).set_index(["a", "b"])
    assert table.loc[("a", "b")][["low", "difference", "high"]].tolist() == pytest.approx(
        [-1 / 3, -1 / 3, 0]
    )
    assert table["could_turn"].tolist() == [True, False, False]
    assert table["exact"].all()


@pytest.mark.parametrize("name", ["P@3", "P@1", "P(rel=2)@2", "RR", "nDCG@2"])
@given(
    grades=st.sampled_from([None, [0], [1, 2], [2]]),
    collection=collections(integer_only=True, max_topics=3, max_docs=6),
    moves=st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=3, max_size=8),
)
@at_most(60)
def test_all_pairs_at_once_are_those_one_by_one(name, grades, collection, moves):
    qrels, one = collection
    runs = {"one": one, "two": second_run(one, moves), "three": second_run(one, moves[1:])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.IrprefWarning)
        table = pair_intervals([name], qrels, runs, grades)
        assert list(zip(table["a"], table["b"], strict=True)) == list(
            itertools.combinations(runs, 2)
        )
        for row in table.itertuples():
            pair = difference_intervals([name], qrels, runs[row.a], runs[row.b], grades)
            mean = pair[pair["query_id"].isna()].iloc[0]
            for column, of_one in (("difference", "value"), ("low", "low"), ("high", "high")):
                assert getattr(row, column) == pytest.approx(mean[of_one], abs=1e-14)
            assert row.exact == mean["exact"]


def bounds_of_pair(measure, qrels, runs, is_enough):
    """Bounds of the mean difference of two runs over all topics, second minus first."""
    evaluate = irpref.evaluator([measure], qrels)
    second_first = [irpref.run(run).on(evaluate.pool) for run in reversed(runs.values())]
    turnable = Turnable(evaluate, second_first)
    topics = np.array(evaluate.by_id)
    return turnable.bounds(evaluate.measures[0], topics, is_enough)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR", "P@10", "nDCG", "RBP(rel=1)"])
@pytest.mark.parametrize("gap", [-1.0, -0.05, 0.0, 0.05, 0.2, 1.0])
def test_a_few_ways_that_suffice_say_what_the_search_says(measure, gap):
    cast = load("cast2021")
    topics = sorted(cast.qrels)[:12]
    qrels = {topic: cast.qrels[topic] for topic in topics}
    names = ("org_convdr", "org_manual_bm25")
    runs = {name: {topic: cast.runs[name][topic] for topic in topics} for name in names}
    searched = pair_intervals([measure], qrels, runs).iloc[0]
    low, high, exact = bounds_of_pair(measure, qrels, runs, lambda end: end > gap)
    # The same answer, or values that are attained within the bounds.
    assert (low > gap or high > gap) == (searched["high"] > gap)
    assert searched["low"] - 1e-12 <= low <= high <= searched["high"] + 1e-12
    if not exact and not high > gap:
        assert (low, high) == (searched["low"], searched["high"])


def test_no_unjudged_document_is_no_uncertainty():
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    runs = {"a": {"q": {"a": 2, "c": 1}}, "b": {"q": {"b": 2, "a": 1}}}
    low, high, exact = bounds_of_pair("nDCG", qrels, runs, lambda end: False)
    assert (low == high, exact) == (True, True)
