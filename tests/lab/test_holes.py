"""Intervals over the grades of unjudged documents, against every assignment of grades, through the
oracles.
"""

import inspect
import itertools
import math
import warnings
from fractions import Fraction
from functools import cache, partial

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_laws import VARIANTS, awkward, judgments, retrieved

import irpref
import irpref_lab
from irpref.errors import MeasureError
from irpref.measures import declare, registered
from irpref.measures.declare import KernelMeasure, Param
from irpref_lab.trust.holes import hole_intervals, notes_on
from real_runs import qrels_of, runs_of
from reference import FORMULAS as ORACLES
from reference import order, scale_of
from reference.host_measures import EVERYDAY
from strategies import collections, few_relevant, parameters, positive_grades

MOST = 1500  # assignments of a topic that are tried


def _set_precision(ranking, judged, rel=1):
    return Fraction(sum(judged.get(doc, 0) >= rel for doc in ranking), max(len(ranking), 1))


HOST = {
    **EVERYDAY,
    "SetP": _set_precision,
    "SetR": EVERYDAY["R"],
    "SetAP": lambda ranking, judged, **how: (
        _set_precision(ranking, judged, **how) * EVERYDAY["R"](ranking, judged, **how)
    ),
    "NumRel": lambda ranking, judged: Fraction(sum(grade >= 1 for grade in judged.values())),
    "NumQ": lambda ranking, judged: Fraction(1),
}


def host_parameters(name):
    rel, cutoff = {"rel": st.integers(1, 3)}, {"cutoff": st.integers(1, 8)}
    gains = st.sampled_from([{1: 3, 2: 5, 3: 7}, {1: 2, 2: 2, 3: 1}, {0: 1, 3: 9}])
    needed = {"RBP": rel} | dict.fromkeys(("P", "R", "Success", "Judged"), cutoff)
    optional = {
        **dict.fromkeys(
            ("P", "R", "Success", "Rprec", "Bpref", "SetP", "SetR", "SetAP", "NumRet"), rel
        ),
        **dict.fromkeys(("AP", "RR"), rel | cutoff),
        "nDCG": cutoff | {"gains": gains},
        "SetF": rel | {"beta": st.sampled_from([0.5, 1.0, 3.0])},
        "RBP": {"p": st.sampled_from([0.5, 0.9])},
        "ERR": cutoff,
    }
    return st.fixed_dictionaries(needed.get(name, {}), optional=optional.get(name, {}))


# Brute force --------------------------------------------------------------------------------------


def grid_of(qrels, parameters, grades):
    """The grades a hole can have, as the contract has them."""
    if grades is not None:
        return sorted(set(grades))
    gains = {
        grade: gain for grade, gain in (parameters.get("gains") or {}).items() if grade != gain
    }
    present = {grade for judged in qrels.values() for grade in judged.values()}
    scale = parameters.get("max_rel") if not gains else None
    if scale is None:
        scale = max(present)
    scale = scale if scale > 0 else 1
    grid = sorted({*range(math.floor(scale) + 1), scale})
    return [g for g in grid if not gains or g in present or g in gains or g == 0]


def brute_force(oracle, qrels, run, grid, negative=False, most=MOST):
    """Lowest and highest value of each topic over all assignments; None for topics that have too
    many.
    """
    out = {}
    for topic, judged in qrels.items():
        ranking = order(run.get(topic, {}))
        holes = [doc for doc in ranking if doc not in judged or (judged[doc] < 0 and not negative)]
        if len(grid) ** len(holes) > most:
            out[topic] = None
            continue
        ways = itertools.product(grid, repeat=len(holes))
        found = [
            oracle(topic, ranking, {**judged, **dict(zip(holes, way, strict=True))}, holes)
            for way in ways
        ]
        out[topic] = min(found), max(found)
    return out


def check(measure, qrels, run, expected, rows=None, grades=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.IrprefWarning)
        table = hole_intervals([measure], rows or qrels, run, grades)
    of = table[table["query_id"].notna()].set_index("query_id")
    assert set(of.index) == set(qrels)
    for topic, known in expected.items():
        row = of.loc[topic]
        assert row["low"] <= row["high"]
        assert np.isnan(row["expected"])
        if known is None:
            continue
        low, high = map(float, known)
        assert row["low"] >= low - 1e-12, (topic, row["low"], low)
        assert row["high"] <= high + 1e-12, (topic, row["high"], high)
        if row["exact"]:
            assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)
        else:  # found by a search: more than 1,024 assignments
            assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.02)
    return of


@pytest.mark.parametrize("name", sorted(registered()))
@given(collection=collections(max_topics=2, max_docs=8), data=st.data())
def test_the_bounds_are_those_of_all_assignments(name, collection, data):
    options = data.draw(parameters(name, positive_grades(collection.qrels)))
    if type(registered()[name]).TIES_BY_RISING_ID:
        scores = [[*map(float, docs.values())] for docs in collection.run.values()]
        assume(all(len(set(of)) == len(of) for of in scores))
    _check_all_assignments(name, options, collection)


@pytest.mark.parametrize("name", sorted(registered()))
def test_the_bounds_are_those_of_all_assignments_where_all_is_found(name):
    qrels, run = few_relevant(7, n_holes=2)
    # Without ties, which some measures break the other way round.
    apart = {
        topic: {doc: docs[doc] + place / 8 for place, doc in enumerate(docs)}
        for topic, docs in run.items()
    }
    options = dict(type(registered()[name]).VARIANTS[0])
    with_cutoff = [{"cutoff": 2}] if "cutoff" in registered()[name].SUPPORTED_PARAMS else []
    for more in ({}, *with_cutoff):
        _check_all_assignments(name, {**options, **more}, (qrels, apart))


def _check_all_assignments(name, options, collection):
    qrels, run = collection
    negative = type(registered()[name]).NEGATIVE_GRADES
    wanted = inspect.signature(ORACLES[name]).parameters
    rows, further = qrels, {}
    if "known" in wanted:
        rows = judgments(qrels)
        known = {row.doc_id for row in rows if row.known}
        further = {"known": known}
    if "scale" in wanted:
        further = {"scale": scale_of(qrels, options.get("gains"))}

    def oracle(topic, ranking, judged, holes):
        if "known" in further:
            return ORACLES[name](ranking, judged, known=further["known"] - set(holes), **options)
        return ORACLES[name](ranking, judged, **options, **further)

    grid = grid_of(
        qrels, {**({"max_rel": further["scale"]} if "scale" in further else {}), **options}, None
    )
    check(
        registered()[name](**options),
        qrels,
        run,
        brute_force(oracle, qrels, run, grid, negative),
        rows,
    )


@pytest.mark.parametrize("name", sorted(HOST))
@given(collection=collections(integer_only=True, max_topics=2, max_docs=8), data=st.data())
def test_the_bounds_of_the_hosts_measures_are_those_of_all_assignments(name, collection, data):
    qrels, run = collection
    options = data.draw(host_parameters(name))
    if "cutoff" in options and name in ("RR", "Judged"):
        assume(all(len(set(map(float, docs.values()))) == len(docs) for docs in run.values()))
    measure = getattr(ir_measures, name)(**options)

    def oracle(topic, ranking, judged, holes):
        return HOST[name](ranking, {doc: g for doc, g in judged.items() if g >= 0}, **options)

    of = check(measure, qrels, run, brute_force(oracle, qrels, run, grid_of(qrels, options, None)))
    assert of["exact"].all() or name == "nDCG"  # which has more than two grades to try


@pytest.mark.parametrize(
    ("measure", "oracle"),
    [
        ("AP(rel=2)", partial(HOST["AP"], rel=2)),
        ("nDCG@5", partial(HOST["nDCG"], cutoff=5)),
        ("nDCG(dcg='exp-log2')@5", partial(HOST["nDCG"], dcg="exp-log2", cutoff=5)),
        ("Bpref", HOST["Bpref"]),
        ("Bpref(rel=2)", partial(HOST["Bpref"], rel=2)),
        ("RPref(max_rel=3)", partial(ORACLES["RPref"], max_rel=3)),
        ("OMeasure", ORACLES["OMeasure"]),
        ("PMeasure@5", partial(ORACLES["PMeasure"], cutoff=5)),
        ("QMeasure", ORACLES["QMeasure"]),
    ],
)
@given(
    collection=collections(integer_only=True, negative=False, max_topics=1, max_docs=8),
    grades=st.sampled_from([[0, 2], [1, 2], [0, 0.5, 3], [2], [0, 1, 2, 3]]),
)
def test_the_grades_can_be_chosen(measure, oracle, grades, collection):
    qrels, run = collection
    found = brute_force(
        lambda topic, ranking, judged, holes: oracle(ranking, judged), qrels, run, grades
    )
    check(irpref.parse(measure), qrels, run, found, grades=grades)


# Longer lists -------------------------------------------------------------------------------------


EVERY = [
    *VARIANTS,
    *map(
        irpref.parse, ("AP", "AP@20", "nDCG", "nDCG@10", "Bpref", "Rprec", "RR@10", "SetF", "R@20")
    ),
]


@pytest.fixture(scope="module")
def collection():
    return awkward()


@cache
def random_assignments(negative, grid):
    """Judgments in which unjudged documents have grades, few or many of them not the lowest."""
    collection = awkward()
    qrels = {t: docs for t, docs in collection.qrels.items() if "continuous" not in t}
    rows, rng = judgments(qrels), np.random.default_rng(3)
    made = {}
    for share in (0.0, 0.05, 0.5, 1.0):
        filled = []
        for row in rows:
            if (
                negative
                or row.relevance >= 0
                or row.doc_id not in collection.run.get(row.query_id, {})
            ):
                filled.append(row)
        there = {(row.query_id, row.doc_id) for row in filled}
        expected = {row.query_id: row.expected for row in rows}
        for topic in qrels:
            for doc in collection.run.get(topic, {}):
                if (topic, doc) not in there:
                    grade = float(rng.choice(grid)) if rng.random() < share else grid[0]
                    filled.append(type(rows[0])(topic, doc, grade, False, expected[topic]))
        made[share] = irpref.judgments(filled)
    return made


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_random_assignments_stay_within_the_bounds(measure, collection):
    qrels = {t: docs for t, docs in collection.qrels.items() if "continuous" not in t}
    run = retrieved(collection.run)
    table = hole_intervals([measure], judgments(qrels), run)
    of = table[table["query_id"].notna()].set_index("query_id")
    negative = getattr(type(measure), "NEGATIVE_GRADES", False)
    grid = tuple(grid_of(qrels, measure.params, None))
    for share, filled in random_assignments(negative, grid).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", irpref.IrprefWarning)
            evaluator = irpref.evaluator([measure], filled)
            values = dict(
                zip(evaluator.topic_ids, evaluator.values(run)[measure].tolist(), strict=True)
            )
        for topic, value in values.items():
            row = of.loc[topic]
            beyond = 0 if row["exact"] else 0.1 * (row["high"] - row["low"])
            assert row["low"] - beyond - 1e-12 <= value <= row["high"] + beyond + 1e-12, (
                topic,
                share,
            )


SEARCHED = {
    **{name: HOST[name] for name in ("AP", "Bpref", "Rprec", "nDCG")},
    **{name: ORACLES[name] for name in ("QMeasure", "OMeasure", "PMeasure", "NCG", "OriginalNDCG")},
    "RPref(max_rel=2)": partial(ORACLES["RPref"], max_rel=2),
    **{
        f"RPref(max_rel=2,norm='{norm}')": partial(ORACLES["RPref"], max_rel=2, norm=norm)
        for norm in ("relative", "relative2")
    },
}


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize(("n_holes", "grades"), [(11, [0, 1]), (7, [0, 1, 2])])
def test_the_search_attains_the_extremes(name, n_holes, grades):
    rng = np.random.default_rng(7)
    judged = {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 3, 9))}
    docs = [*list(judged)[1:], *(f"u{i}" for i in range(n_holes))]
    run = {doc: float(score) for doc, score in zip(docs, rng.permutation(len(docs)), strict=True)}
    (known,) = brute_force(
        lambda topic, ranking, filled, holes: SEARCHED[name](ranking, filled),
        {"q": judged},
        {"q": run},
        grades,
        most=3000,
    ).values()
    row = hole_intervals([irpref.parse(name)], {"q": judged}, {"q": run}, grades).iloc[0]
    # Two grades will do for measures of relevance: 128 ways of 7 holes, which are all tried.
    assert row["exact"] == (n_holes == 7 and name in ("AP", "Bpref", "Rprec"))
    assert (row["low"], row["high"]) == pytest.approx([float(value) for value in known], abs=1e-9)


@pytest.mark.registry
def test_without_holes_the_interval_is_the_value():
    qrels = {"q": {f"d{i}": i % 3 for i in range(30)}}
    run = {"q": {f"d{i}": i * 7 % 30 for i in range(0, 30, 2)}}
    table = hole_intervals(EVERY_SCALE_FREE, judgments(qrels), run)
    assert np.allclose(table["low"], table["value"], rtol=0, atol=1e-15)
    assert np.allclose(table["high"], table["value"], rtol=0, atol=1e-15)
    assert table["exact"].all()


EVERY_SCALE_FREE = [measure for measure in EVERY if "judged_only" not in measure.params]


@pytest.mark.parametrize(
    ("options", "grades", "judged", "ranking"),
    [
        (
            {"beta": 3},
            [0, 1, 3],
            {"n": 0, "a": 2, "b": 1},
            "unav",
        ),  # v may be 1, as the ideal list then has
        ({"beta": 3}, [0, 1, 2], {doc: 1 for doc in "abcde"}, "aucbvdw"),
        (
            {"cutoff": 5},
            [0, 3],
            {"n": 0, "a": 2},
            "uavwnxyz",
        ),  # so may w and others below the cutoff
        ({"cutoff": 6}, [0, 1, 3], {"a": 1, "n": 0, "b": 1}, "anuvwxyz"),
    ],
)
def test_what_is_below_the_best_document_lowers_p_measure(options, grades, judged, ranking):
    run = {doc: -float(i) for i, doc in enumerate(ranking)}
    oracle = partial(ORACLES["PMeasure"], **options)
    found = brute_force(lambda topic, *of: oracle(*of[:2]), {"q": judged}, {"q": run}, grades)
    assert found["q"] is not None
    check(irpref.PMeasure(**options), {"q": judged}, {"q": run}, found, grades=grades)


def test_the_search_sees_the_ranks_that_the_measure_sees():
    """The preference measures of trec_eval rank tied documents by rising id."""
    docs = [f"d{i:02}" for i in range(30)]
    qrels = {"q": {doc: i % 3 for i, doc in enumerate(docs[::3])}}
    tied, rising = (
        {"q": dict.fromkeys(docs, 1.0)},
        {"q": {doc: -float(i) for i, doc in enumerate(docs)}},
    )
    name, columns = "PrefShare(pairs='implied',by='pair')@7", ["value", "low", "high", "exact"]
    one, two = (
        hole_intervals(name, qrels, run)[columns].iloc[0].tolist() for run in (tied, rising)
    )
    assert one == two


# By hand, and what is refused ---------------------------------------------------------------------


def test_two_unjudged_documents_by_hand():
    qrels, run = {"q": {"a": 1, "n": 0, "b": 1}}, {"q": {"u": 4, "a": 3, "v": 2, "n": 1}}
    table = (
        hole_intervals(["P@3", "AP", "Bpref"], qrels, run)
        .dropna(subset="query_id")
        .set_index("measure")
    )
    by_hand = {
        "P@3": (1 / 3, 1 / 3, 1),
        "AP": (1 / 4, 1 / 4, 3 / 4),
        "Bpref": (1 / 2, 1 / 4, 3 / 4),
    }
    for name, expected in by_hand.items():
        assert table.loc[name, ["value", "low", "high"]].tolist() == pytest.approx(
            expected, abs=1e-15
        )
    row = hole_intervals("AP", {"q": {"a": 1, "n": 0}}, {"q": {"a": 3, "n": 2, "u": 1}}).iloc[0]
    assert (row["low"], row["value"], row["high"]) == pytest.approx((5 / 6, 1, 1))


def test_o_measure_stops_at_the_first_of_two_unjudged_documents():
    # With x relevant (1 + 1)/(2 + 2); with y relevant in its place (1 + 1)/(2 + 3).
    table = hole_intervals(
        "OMeasure", {"q": {"n": 0, "r": 1}}, {"q": {"n": 3.0, "x": 2.0, "y": 1.0}}
    )
    assert table.loc[0, ["low", "high"]].tolist() == [0.0, 0.5]


def test_of_one_relevant_document_more_the_higher_place_need_not_be_the_better():
    # 3 at rank 2, holes at 1 and 3, grades 0 and 1: Q is (4/6 + 6/7) / 2 with the lower hole, (2/4
    # + 1) / 2 else.
    qrels, run = {"q": {"a": 3}}, {"q": {"u": 3, "a": 2, "v": 1}}
    row = hole_intervals("QMeasure", qrels, run, grades=[0, 1]).iloc[0]
    way = [Fraction(4, 6) + Fraction(6, 7), Fraction(2, 4) + Fraction(6, 6), Fraction(4, 5) * 2]
    assert way[0] > way[1]
    both = (Fraction(2, 4) + Fraction(6, 6) + Fraction(8, 8)) / 3
    lone = Fraction(4, 5)
    assert row["high"] == pytest.approx(float(max(way[0] / 2, way[1] / 2, both, lone)))
    assert row["low"] == pytest.approx(float(min(way[0] / 2, way[1] / 2, both, lone)))


def test_the_mean_is_that_of_the_topics_and_a_sum_for_counts():
    qrels = {t: {"a": 1, "n": 0} for t in "xyz"}
    run = {"x": {"u": 2, "a": 1}, "y": {"n": 2, "u": 1}}
    table = hole_intervals(["P@2", "NumRet(rel=1)"], qrels, run)
    means = table[table["query_id"].isna()]
    assert means[["low", "high"]].values.tolist() == pytest.approx(
        np.array([[1 / 6, 1 / 2], [1, 3]])
    )
    assert table["query_id"].tolist() == ["x", "y", "z", None] * 2


class _OneIsBest(KernelMeasure):
    """A measure of one's own with `rel` that also reads the grade: 1 is worth twice as much as any
    other.
    """

    __name__ = NAME = "OneIsBest"
    SUPPORTED_PARAMS = {"rel": Param(int, "lowest grade that counts", default=1)}
    kernel = staticmethod(
        lambda run, *, rel: run.hits.total((run.grade >= rel) / run.rank / (1 + (run.grade != 1)))
    )


def test_a_measure_of_ones_own_with_rel_may_read_grades(monkeypatch):
    monkeypatch.setitem(declare._REGISTERED, "OneIsBest", _OneIsBest())
    found = hole_intervals(
        [_OneIsBest()], {"q": {"a": 2, "n": 0}}, {"q": {"a": 3.0, "x": 2.0, "n": 1.0}}
    ).iloc[0]
    assert (found.low, found.high, found.exact) == (0.5, 1.0, True)


def test_intervals_takes_the_grades():
    qrels, run = {"q": {"a": 1}}, {"q": {"u": 2, "a": 1}}
    assert irpref_lab.intervals("AP", qrels, run, over="unjudged").equals(
        hole_intervals("AP", qrels, run)
    )
    assert (
        irpref_lab.intervals("AP", qrels, run, over="unjudged", grades=[0]).iloc[0]["high"] == 0.5
    )


@pytest.mark.parametrize(
    ("grades", "words"),
    [
        *(
            (grades, "expected one finite number or more")
            for grades in ([], [0, float("nan")], "01", 3, ["high"])
        ),
        ([-1, 1], "-1 is negative, which means unjudged for AP"),
    ],
)
def test_grades_that_cannot_be_are_refused(grades, words):
    with pytest.raises(ValueError, match=words):
        hole_intervals("AP", {"q": {"a": 1}}, {"q": {"u": 2}}, grades)


def test_a_scale_of_a_thousand_grades_wants_to_know_which():
    with pytest.raises(ValueError, match=r"from 0 to 1000.*grades=\[0, 50, 100\]"):
        hole_intervals("nDCG", {"q": {"a": 1000}}, {"q": {"u": 2}})
    assert (
        hole_intervals("nDCG", {"q": {"a": 1000}}, {"q": {"u": 2}}, [0, 1000]).iloc[0]["high"] > 0
    )


def test_measures_of_the_host_without_known_bounds_say_so():
    with pytest.raises(MeasureError, match="no bounds") as error:
        hole_intervals("Compat(p=0.8)", {"q": {"a": 1}}, {"q": {"u": 2}})
    assert error.value.measure == "Compat(p=0.8)"


def test_preferences_have_no_grades_to_give():
    rows = [
        {"query_id": "q", "group": "g", "subgroup": s, "doc_id": d, "relevance": r}
        for s, d, r in [("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 0.0), ("2", "c", 1.0)]
    ]
    with pytest.raises(ValueError, match="preferences"):
        hole_intervals("PrefAP", pd.DataFrame(rows), {"q": {"a": 2, "u": 1}})


@pytest.mark.parametrize("folder", ["dl19-passage", "trec-covid-r3"])
def test_values_of_submitted_runs_lie_in_their_intervals(folder, data_dir):
    qrels = qrels_of(data_dir, folder)
    for _, run in itertools.islice(runs_of(data_dir, folder), 0, 40, 20):
        table = hole_intervals(["P@10", "AP", "nDCG@10", "RR", "R@100", "Rprec"], qrels, run)
        assert table[table["measure"].isin(["P@10", "RR", "R@100"])]["exact"].all()
        assert (table["low"] <= table["value"] + 1e-12).all()  # unjudged is not relevant for these
        assert (table["value"] <= table["high"] + 1e-12).all()


def test_a_relevant_document_that_nobody_retrieved_is_in_no_interval():
    run = {"q": {"a": 1.0}}
    row = hole_intervals("nDCG", {"q": {"a": 1}}, run).iloc[0]
    assert (row["low"], row["value"], row["high"], row["exact"]) == (1.0, 1.0, 1.0, True)
    later = irpref.evaluator("nDCG", {"q": {"a": 1, "b": 4}}).calc_aggregate(run)
    assert [*later.values()] == pytest.approx([1 / (4 + 1 / math.log2(3))])


def test_a_value_outside_its_interval_is_said():
    # Nobody judged u. Without it no judged non-relevant document is above a; with grade 0, u is.
    qrels = {"q": {"a": 1, "n": 0}}
    inside = hole_intervals(["P@1"], qrels, {"q": {"u": 2.0, "a": 1.0}})
    assert len(notes_on(inside)) == 1
    outside = hole_intervals(["Bpref"], qrels, {"q": {"u": 2.0, "a": 1.0, "n": 0.0}}, [0])
    assert outside["value"].tolist() == [1.0, 1.0]
    assert outside["high"].tolist() == [0.0, 0.0]
    _, reason = notes_on(outside)
    assert "Bpref" in reason
