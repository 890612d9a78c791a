"""Preferences: files, pools, measures, against loops, against trec_eval, and against the measures
of grades.
"""

import io
import json
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
import irpref_lab
from compared import TREC_EVAL, count
from irpref.errors import ConflictError, MeasureError, UnknownMeasureError
from irpref.measures import registered
from irpref.measures.toml_files import data
from irpref.values.prepare import prepare
from reference.explicit import OF_GROUPS as ORACLES
from reference.explicit import by_group, preferences_of
from refused import refuses, warns_of
from strategies import at_most

COLUMNS = ["query_id", "group", "subgroup", "doc_id", "relevance"]
FROZEN = json.loads(
    (Path(__file__).parents[1] / "data" / "trec_eval_preferences.json").read_text(encoding="utf-8")
)

TREC_PREFS = {
    name: irpref.parse(name)
    for name in data("names.toml")["trec_eval"]
    if name.startswith("prefs_")
}


def frame_of(rows):
    return pd.DataFrame(rows, columns=COLUMNS)


def values(measures, judgments, run):
    """Measure -> topic -> value."""
    evaluator = irpref.evaluator(measures, judgments)
    return {
        m: dict(zip(evaluator.topic_ids, v.tolist(), strict=True))
        for m, v in evaluator.values(run).items()
    }


def value(measure, rows, ranked):
    """Value of one topic `q`, the ranking as a string."""
    docs = ranked.split()
    run = {"q": {doc: float(len(docs) - i) for i, doc in enumerate(docs)}}
    return values([irpref.parse(measure)], frame_of(rows), run)[irpref.parse(measure)]["q"]


def pairs(text):
    """`a>b c>d` as judgments of topic q: one group, a subgroup for each pair."""
    return [
        ("q", "0", str(i), doc, level)
        for i, pair in enumerate(text.split())
        for doc, level in zip(pair.split(">"), (2, 1), strict=True)
    ]


def read(text, form=None):
    return irpref.read_preferences(io.BytesIO(text.encode()), form=form)


# trec_eval ----------------------------------------------------------------------------------------


def printed(measures, judgments, run):
    """What trec_eval prints, name -> topic -> text."""
    evaluator = irpref.evaluator(measures.values(), judgments)
    found = evaluator.calc(run)
    by_topic = {(str(m.measure), m.query_id): m.value for m in found.per_query}
    out = {}
    for name, measure in measures.items():
        form = "{:.0f}" if "num" in name else "{:6.4f}"
        out[name] = {
            topic: form.format(by_topic[str(measure), topic]) for topic in evaluator.topic_ids
        }
        out[name]["all"] = form.format(found.aggregated[measure])
    return out


def with_cutoff(cutoff):
    return {
        name: m(cutoff=cutoff) if cutoff and "cutoff" in m.SUPPORTED_PARAMS else m
        for name, m in TREC_PREFS.items()
    }


@pytest.mark.parametrize("case", FROZEN, ids=range(len(FROZEN)))
def test_values_are_those_that_trec_eval_printed(case):
    judgments = read(case["preferences"])
    run = irpref.read_run(io.BytesIO(case["run"].encode()))
    assert printed(with_cutoff(case["cutoff"]), judgments, run) == case["values"]
    count(TREC_EVAL, sum(map(len, case["values"].values())))


# trec_eval 10.0 -R qrels_prefs on its own qrels.test and results.test.
QRELS_TEST = {
    "prefs_num_prefs_poss": ("584916", "75768", "9020", "669704"),
    "prefs_num_prefs_ful": ("81605", "47531", "8464", "137600"),
    "prefs_num_prefs_ful_ret": ("7339", "9031", "1494", "17864"),
    "prefs_simp": ("0.1395", "0.6273", "0.9384", "0.5684"),
    "prefs_avgjg_Rnonrel": ("0.1223", "0.0700", "0.0049", "0.0657"),
    "prefs_simp_ret": ("0.5498", "0.8440", "0.7288", "0.7075"),
    "prefs_avgjg_Rnonrel_ret": ("0.1922", "0.2180", "0.0209", "0.1437"),
    "prefs_simp_imp": ("0.4995", "0.8645", "0.9384", "0.7675"),
}


def test_plain_qrels_are_one_group_as_for_trec_eval(data_dir):
    home = data_dir / "trec_eval-test"
    qrels, run = (
        home / "qrels" / "qrels.test.gz",
        irpref.read_run(home / "runs" / "results.test.gz"),
    )
    for judgments in (
        irpref.read_qrels(qrels),
        irpref.read_preferences(qrels),
        irpref.preferences_from(irpref.read_qrels(qrels)),
    ):
        found = printed(TREC_PREFS, judgments, run)
        for name, expected in QRELS_TEST.items():
            for same in (name, *(name.replace("simp", by) for by in ("pair", "avgjg"))):
                assert tuple(found[same].values()) == expected
                count(TREC_EVAL, len(expected))


def test_the_fourteen_names_of_trec_eval_are_known():
    assert len(set(TREC_PREFS.values())) == len(TREC_PREFS) == 14
    with refuses(UnknownMeasureError, measure="prefs_simp_re", nearest="prefs_simp_ret"):
        irpref.parse("prefs_simp_re")


def test_equal_scores_stand_by_rising_id_in_prefs_and_by_falling_id_elsewhere():
    rows, run = pairs("a>b"), {"q": {"a": 1.0, "b": 1.0}}
    found = values([irpref.PrefShare, irpref.PrefPrecision], frame_of(rows), run)
    assert found[irpref.PrefShare] == {"q": 1.0}
    assert found[irpref.PrefPrecision] == {"q": 0.0}


R_X_Y = [("q", "0", "0", "r", 1), ("q", "0", "0", "x", 0), ("q", "0", "0", "y", 0)]
OF_TWO = [*R_X_Y[:2], ("q", "0", "1", "r", 1), ("q", "0", "1", "y", 0)]
# Group 2 has no document retrieved: nothing is possible among retrieved documents.
AB_CD = [
    ("q", "1", "0", "a", 1),
    ("q", "1", "0", "b", 0),
    ("q", "2", "0", "c", 1),
    ("q", "2", "0", "d", 0),
]
ABC_N = [("q", "0", "0", doc, level) for doc, level in (("a", 1), ("b", 1), ("c", 1), ("n", 0))]


@pytest.mark.parametrize(
    ("measure", "rows", "ranked", "expected"),
    [
        # R = 1, N = 2; of x y the first stays. r before x: kept. Then x with x and y with x, 2
        # possible; none kept, since neither is ranked above x. In two subgroups they are not
        # compared with themselves.
        ("prefs_avgjg_Rnonrel", R_X_Y, "r x y", 1 / 3),
        ("prefs_avgjg_Rnonrel", OF_TWO, "r x y", 1.0),
        ("prefs_avgjg_ret", AB_CD, "a b", 0.5),
        ("prefs_avgjg_Rnonrel_ret", AB_CD, "a b", 0.0),
        ("prefs_avgjg_Rnonrel", AB_CD, "a b", 0.5),
        # N = 0 retrieved, and the divisor has all three relevant documents: (0 + 2 * 2) / (0 + 3 *
        # 2).
        ("prefs_avgjg_Rnonrel_ret", ABC_N, "a b", 4 / 6),
    ],
)
def test_values_of_trec_eval_counted_by_hand(measure, rows, ranked, expected):
    assert value(measure, rows, ranked) == pytest.approx(expected)


def test_nonrelevant_documents_may_stand_above_others_of_a_group():
    """c goes, since R = 1 and a stays; d, below it, is then the only document of its part, on no
    level of others.
    """
    rows = [
        ("q", "g", "0", "c", 0),
        ("q", "g", "0", "d", -1),
        ("q", "g", "1", "a", 0),
        ("q", "g", "1", "b", 2),
    ]
    run = {"q": {"d": 9.0, "a": 6.0, "c": 1.0}}
    for pairs in ("all", "retrieved"):
        measure = irpref.PrefShare(pairs=pairs, by="group", nonrelevant="R")
        expected = ORACLES["PrefShare"](by_group(rows)["q"], run["q"], **measure.params)
        assert values([measure], frame_of(rows), run)[measure]["q"] == expected


def test_a_judgment_that_stands_twice_counts_twice_with_a_warning():
    rows = [
        ("q", "0", "0", "a", 1),
        ("q", "0", "0", "a", 1),
        ("q", "0", "0", "b", 0),
        ("q", "0", "0", "c", 2),
    ]
    with warns_of(irpref.DuplicateWarning, topic="q"):
        assert value("NumPrefs", rows, "a") == 5
    several = [*rows, ("q", "0", "1", "a", 1)]
    assert value("NumPrefs", several, "a") == 3


# Loops --------------------------------------------------------------------------------------------

DOCS = ("d1", "d2", "d10", "e", "é", "a")


@st.composite
def preference_collections(draw):
    """Judgments of several groups and subgroups, consistent inside a group, and a run."""
    rows, run = [], {}
    for query_id in draw(st.sampled_from((("q1",), ("q2", "q1"), ("q10", "q9", "q1")))):
        docs = draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True))
        for group in draw(st.sampled_from((("0",), ("ann", "bob"), ("10", "9", "b")))):
            # Levels fall with the place in one order, so nothing contradicts anything.
            truth = {doc: draw(st.integers(-1, 3)) for doc in docs}
            for subgroup in draw(st.sampled_from((("0",), ("0", "1"), ("2", "10", "1", "3")))):
                some = draw(st.lists(st.sampled_from(docs), min_size=1, unique=True))
                rows += [(query_id, group, subgroup, doc, truth[doc]) for doc in some]
        score = st.sampled_from(
            draw(st.sampled_from(((0.0, 1.0), tuple(range(9)), (1.0, 1.0 + 2**-52))))
        )
        found = draw(st.lists(st.sampled_from((*DOCS, "u1", "u2")), unique=True))
        run[query_id] = {doc: draw(score) for doc in found}
    return draw(st.permutations(rows)), run


VARIANTS = [variant for name in ORACLES for variant in type(getattr(irpref, name)).variants()]


@pytest.mark.registry
def test_every_measure_of_preferences_has_a_formula_of_groups():
    asking = {name for name, one in registered().items() if "preferences" in one.NEEDS}
    assert asking == set(ORACLES), "its formula in tests/reference/explicit.py is under @entered"


@pytest.mark.registry
@given(preference_collections())
def test_measures_of_several_groups_equal_the_loops(data):
    rows, run = data
    found = values(VARIANTS, frame_of(rows), run)
    for query_id, groups in by_group(rows).items():
        for measure in VARIANTS:
            expected = float(ORACLES[str(measure.NAME)](groups, run[query_id], **measure.params))
            assert found[measure][query_id] == pytest.approx(expected, abs=1e-12), (
                measure,
                query_id,
            )


@pytest.mark.parametrize("n_docs", [5, 70, 130])
@pytest.mark.parametrize("share", [0.02, 0.2, 1.0])
def test_long_comparisons_equal_the_loops(n_docs, share):
    rng = np.random.default_rng(n_docs)
    docs = [f"d{i}" for i in range(n_docs)]
    said = [
        (a, b)
        for i, a in enumerate(docs)
        for b in docs[i + 1 :]
        if b == docs[min(i + 1, n_docs - 1)] or rng.random() < share / 5
    ]
    if share < 1:
        said = [pair for pair in said if rng.random() < share * 4]
    said = said or [(docs[0], docs[1])]
    rows = pairs(" ".join(f"{a}>{b}" for a, b in said))
    run = {
        "q": {
            doc: float(s)
            for doc, s in zip(docs, rng.integers(0, n_docs, n_docs), strict=True)
            if rng.random() < 0.8
        }
    }
    after = {doc: {b for a, b in said if a == doc} for doc in docs}
    for doc in reversed(docs):  # preferences go from lower to higher numbers
        for other in sorted(after[doc], key=docs.index):
            after[doc] = after[doc] | after[other]
    closed = {(a, b) for a, of in after.items() for b in of}
    found = values([irpref.NumPrefs, irpref.NumPrefsFulfilled], frame_of(rows), run)
    rank = {d: i for i, d in enumerate(sorted(run["q"], key=lambda d: (-run["q"][d], d)))}
    assert found[irpref.NumPrefs]["q"] == len(closed)
    below = len(rank)
    assert found[irpref.NumPrefsFulfilled]["q"] == sum(
        a in rank and rank[a] < rank.get(b, below) for a, b in closed
    )


def test_preferences_follow_from_others_of_the_same_group_only():
    assert value("NumPrefs", pairs("a>b b>c"), "a") == 3
    assert value("NumPrefs", [(q, s, s, d, r) for q, _, s, d, r in pairs("a>b b>c")], "a") == 2
    # Documents of one level are not the same document: a before b, b like c says nothing of a and
    # c.
    assert (
        value("NumPrefs", [*pairs("a>b"), ("q", "0", "x", "b", 1), ("q", "0", "x", "c", 1)], "a")
        == 1
    )
    assert sorted(preferences_of([("0", "a", 2), ("0", "b", 1), ("1", "b", 2), ("1", "c", 1)])) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]


@pytest.mark.registry
@given(preference_collections(), st.randoms())
def test_neither_the_order_of_rows_nor_other_topics_matter(data, rng):
    rows, run = data
    usual = values(VARIANTS, frame_of(rows), run)
    shuffled = list(rows)
    rng.shuffle(shuffled)
    assert values(VARIANTS, frame_of(shuffled), run) == usual
    for topic in {row[0] for row in rows}:
        alone = values(VARIANTS, frame_of([row for row in rows if row[0] == topic]), run)
        assert {m: {topic: v[topic]} for m, v in usual.items()} == alone
    evaluator = irpref.evaluator(VARIANTS, frame_of(rows))
    judged = evaluator.align(run)
    parts = [evaluator.values_of(judged.topics(*batch)) for batch in judged.batches(1)]
    for measure, found in evaluator.values_of(judged).items():
        assert np.concatenate([part[measure] for part in parts]).tolist() == found.tolist()


# Forms of input -----------------------------------------------------------------------------------


@pytest.mark.registry
def test_every_form_of_judgments_gives_the_same_values():
    rows = [
        ("q1", "a", "0", "x", 1.0),
        ("q1", "a", "0", "y", 0.0),
        ("q1", "b", "1", "x", 0.5),
        ("q1", "b", "1", "y", 2.0),
    ]
    run = {"q1": {"x": 2.0, "y": 1.0}}
    frame = frame_of(rows)
    usual = values(VARIANTS, frame, run)
    assert usual[irpref.NumPrefs] == {"q1": 2.0}
    for form in (
        pl.DataFrame(rows, schema=COLUMNS, orient="row"),
        frame.astype({"group": "category", "doc_id": "category"}),
        list(frame.itertuples(index=False)),
    ):
        assert values(VARIANTS, form, run) == usual
    assert ir_measures.calc_aggregate([irpref.PrefShare], frame, run) == {irpref.PrefShare: 0.5}
    found = list(ir_measures.iter_calc([irpref.PrefShare], frame.itertuples(index=False), run))
    assert [(m.query_id, m.value) for m in found] == [("q1", 0.5)]


def test_the_mean_of_counts_is_a_sum():
    rows = [*pairs("a>b b>c"), *(("p", *row[1:]) for row in pairs("a>b"))]
    found = irpref.evaluator(["NumPrefs", "NumPrefsFulfilled"], frame_of(rows)).calc_aggregate(
        {"q": {"a": 1.0}}
    )
    assert found == {irpref.NumPrefs: 4.0, irpref.NumPrefsFulfilled: 2.0}


def test_measures_of_grades_refuse_a_document_on_several_levels():
    rows = [
        ("q", "1", "0", "a", 1),
        ("q", "1", "0", "b", 0),
        ("q", "2", "0", "a", 0),
        ("q", "2", "0", "b", 1),
    ]
    run = {"q": {"a": 1.0}}
    for measures in (["PrefShare", "QMeasure"], ["PrefShare", "AP"], ["PrefShare", "IPrec@0.5"]):
        with refuses(ConflictError, measure=measures[1]) as error:
            irpref.evaluator(measures, frame_of(rows)).calc_aggregate(run)
        assert "several levels" in str(error.value)
    with refuses(ConflictError, topic="q", doc="b", value=(1, 0)) as error:
        irpref.evaluator(["QMeasure"], frame_of(rows))
    assert "these are preferences" in str(error.value)


def test_measures_of_grades_and_of_preferences_stand_side_by_side():
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    run = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    found = irpref.evaluator(["PrefShare", "QMeasure", "AP", "Judged@2"], qrels).calc_aggregate(run)
    assert found[irpref.PrefShare] == pytest.approx(2 / 3)
    assert found[irpref.parse("AP")] == 1.0
    assert irpref.evaluator(["QMeasure"], irpref.preferences_from(qrels)).calc_aggregate(run) == {
        irpref.QMeasure: found[irpref.QMeasure]
    }


def test_a_frame_that_is_changed_in_place_is_read_again():
    frame = frame_of(pairs("a>b"))
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert values([irpref.PrefShare], frame, run)[irpref.PrefShare]["q"] == 1.0
    frame.loc[0, "relevance"] = 0
    assert values([irpref.PrefShare], frame, run)[irpref.PrefShare]["q"] == 0.0
    frame["group"] = ["x", "y"]
    assert values([irpref.NumPrefs], frame, run)[irpref.NumPrefs]["q"] == 0.0


def test_as_many_nonrelevant_is_defined_by_group():
    with pytest.raises(MeasureError, match=r"write PrefShare\(by='group', ...\)"):
        irpref.PrefShare(nonrelevant="R")
    with pytest.raises(MeasureError, match="'all' and pairs='retrieved'"):
        irpref.PrefShare(by="group", nonrelevant="R", pairs="implied")


# What contradicts itself --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (pairs("a>b b>a"), "topic 'q', group '0': 'a' is preferred to 'b', and 'b' to 'a'"),
        (
            pairs("x>y a>b b>c c>a"),
            "topic 'q', group '0': the preferences form a cycle, from '.' to '.' to '.' to '.'",
        ),
        (
            [("q", "g", "0", "a", 1), ("q", "g", "0", "b", 1), ("q", "g", "0", "a", 2)],
            "topic 'q', group 'g': document 'a' is preferred to itself",
        ),
        ([("q", "g", "0", "a", float("nan"))], "level of topic 'q', document 'a' is nan"),
        ([], "preferences are empty"),
    ],
    ids=["contradiction", "circle", "itself", "nan", "empty"],
)
def test_preferences_that_contradict_each_other_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        values([irpref.PrefShare], frame_of(rows), {"q": {"a": 1.0}})


def test_of_several_contradictions_the_shortest_is_told_in_whatever_order_topics_come():
    rows = [("q1", *row[1:]) for row in pairs("a>b b>c c>a")] + [
        ("q2", *row[1:]) for row in pairs("a>b b>a")
    ]
    for given_rows in (rows, rows[6:] + rows[:6]):
        with refuses(ConflictError, topic="q2", doc="a", preferences=True):
            prepare([irpref.PrefShare], irpref.judgments(frame_of(given_rows)))


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (50, "'e1' is preferred to 'e2', and 'e2' to 'e1'"),
        (300, "form a cycle, from 'd000' to 'd001' to 'd002' to"),
    ],
)
def test_a_shortest_circle_is_told_but_of_a_very_large_graph_one_through_its_first_documents(
    size, message
):
    circle = [f"d{i:03}>d{(i + 1) % size:03}" for i in range(size)]
    with pytest.raises(ValueError, match=message):
        prepare(
            [irpref.PrefShare],
            irpref.judgments(frame_of(pairs(" ".join(circle) + " e1>e2 e2>e1 d007>e1"))),
        )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_exactly_the_preferences_with_a_way_back_are_refused(said):
    rows = pairs(" ".join(f"d{a}>d{b}" for a, b in said))
    circle = any(a == b for a, b in said)
    if not circle:
        closed = preferences_of([row[2:] for row in rows]) if len(said) > 1 else []
        circle = any((b, a) in closed for a, b in closed) or any(a == b for a, b in closed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values([irpref.NumPrefs], frame_of(rows), {"q": {"d1": 1.0}})
        except ValueError:
            assert circle
        else:
            assert not circle


# The bridge to grades -----------------------------------------------------------------------------


@st.composite
def graded(draw, grades=(0, 1, 2, 3)):
    """Grades of one topic, and a ranking of some of the documents and others, without ties."""
    qrels = {f"d{i}": draw(st.sampled_from(grades)) for i in range(draw(st.integers(1, 9)))}
    docs = draw(st.permutations([*qrels, "u1", "u2"]))
    some = docs[: draw(st.integers(0, len(docs)))]
    return qrels, {doc: float(-i) for i, doc in enumerate(some)}


@pytest.mark.registry
@given(graded(grades=(-1, 0, 1, 2)))
def test_preferences_from_grades_are_what_grades_imply(data):
    qrels, scores = data
    assert values(VARIANTS, irpref.preferences_from({"q": qrels}), {"q": scores}) == values(
        VARIANTS, {"q": qrels}, {"q": scores}
    )
    kept = irpref.preferences_from({"q": qrels, "p": {"x": 1}}, negative=False)
    assert sorted(kept["doc_id"]) == sorted(
        ["x", *(doc for doc, grade in qrels.items() if grade >= 0)]
    )


# Around it ----------------------------------------------------------------------------------------


def test_check_finds_disagreeing_judges_and_documents_never_compared():
    rows = [
        ("q1", "ann", "0", "a", 2),
        ("q1", "ann", "0", "b", 1),
        ("q1", "bob", "0", "b", 2),
        ("q1", "bob", "0", "a", 1),
        ("q1", "bob", "1", "c", 1),
        ("q2", "ann", "0", "a", 1),
    ]
    found = irpref_lab.check(frame_of(rows), {"mine": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}})
    assert found[["code", "level", "count", "example"]].values.tolist() == [
        ["disagreeing-judges", "warning", 1, "q1"],
        ["never-compared", "note", 2, "q1"],
    ]
    found = irpref_lab.check(frame_of(pairs("a>b b>c c>a")), {"mine": {"q": {"a": 1.0}}})
    assert found[["code", "level"]].values.tolist() == [["contradicting-preferences", "grave"]]
    assert "cycle" in found["text"][0]


@given(preference_collections())
@at_most(20)
def test_disagreements_are_pairs_preferred_both_ways(data):
    rows, _ = data
    number = 0
    for groups in by_group(rows).values():
        said = {pair for of in groups.values() for pair in preferences_of(of)}
        number += sum((b, a) in said for a, b in said) // 2
    found = irpref_lab.check(frame_of(rows)).set_index("code")["count"]
    assert found.get("disagreeing-judges", 0) == number


def test_explanations_say_what_each_document_decides():
    preferences = frame_of(pairs("a>b b>c"))
    found = irpref.explain("PrefShare", preferences, {"q": {"a": 3.0, "c": 2.0, "x": 1.0}}, "q")
    assert found[["rank", "doc_id", "why"]].fillna(0).values.tolist() == [
        [1, "a", "wins over c and b"],
        [2, "c", "ranked above b, preferred to it"],
        [3, "x", "no judgment"],
        [0, "b", "not retrieved; loses to c, less preferred but above it"],
    ]
    assert found["contribution"].tolist() == [pytest.approx(2 / 3), 0, 0, 0]
    counts = irpref.explain("NumPrefs", preferences, {"q": {"a": 3.0, "c": 2.0}}, "q")
    assert counts["why"].tolist() == [
        "preferred to b and c",
        "preferred to no document",
        "preferred to c",
    ]
    both = irpref.explain("PrefShare(pairs='retrieved')", preferences, {"q": {"a": 3.0}}, "q")
    assert both["why"].tolist() == [
        "wins and loses nothing",
        "not retrieved: its preferences do not count",
    ]
    cut = irpref.explain("PrefPrecision@1", preferences, {"q": {"c": 3.0, "a": 2.0}}, "q")
    assert cut["why"].tolist() == [
        "ranked above a and b, preferred to it",
        "below the cutoff 1: counts as not retrieved",
        "not retrieved; loses to c, less preferred but above it",
    ]


def test_explanations_have_ties_in_the_order_of_the_measure():
    preferences, run = (
        frame_of(pairs("a>b b>c")),
        {"q": {"c": 2.0, "b": 1.0, "a": 1.0, "x": 1.0, "d": 0.0}},
    )
    by_rising_id = irpref.explain("PrefShare", preferences, run, "q")
    assert by_rising_id["doc_id"].tolist() == ["c", "a", "b", "x", "d"]
    assert by_rising_id["contribution"].sum() == pytest.approx(1 / 3)
    assert irpref.explain("PrefAP", preferences, run, "q")["doc_id"].tolist() == [
        "c",
        "x",
        "b",
        "a",
        "d",
    ]


@pytest.mark.registry
@given(preference_collections())
def test_explanations_add_up_and_count_what_loops_count(data):
    rows, run = data
    preferences = frame_of(rows)
    found = values(VARIANTS, preferences, run)
    for measure in VARIANTS:
        table = irpref.explain(measure, preferences, run, why=True)
        sums = table.groupby("query_id")["contribution"].sum()
        for topic, value in found[measure].items():
            assert sums.get(topic, 0.0) == pytest.approx(value, abs=1e-11), (measure, topic)
        assert not (table["why"] == "").any()
    table = irpref.explain(irpref.PrefShare, preferences, run, why=True)
    for topic, groups in by_group(rows).items():
        said = [pair for of in groups.values() for pair in preferences_of(of)]
        part = table[table["query_id"] == topic]
        place = {doc: i for i, doc in enumerate(part["doc_id"]) if doc in run[topic]}
        for row in part[part["rank"].notna() & part["grade"].notna()].to_dict("records"):
            doc = row["doc_id"]
            lower = {other for pair in said for other in pair if place.get(other, 99) > place[doc]}
            assert row["correct"] == sum(a == doc and b in lower for a, b in said)
            assert row["wrong"] == sum(b == doc and a in lower for a, b in said)


@pytest.mark.filterwarnings("ignore:preferences. 1 group holds a judgment twice")
def test_a_pair_counts_once_however_often_a_document_was_judged():
    rows = [("q", "0", "0", doc, level) for doc, level in (("c", 2), ("a", 0), ("a", 0), ("b", 1))]
    # c > b is turned around; c > a and b > a hold, and stand in the judgments twice.
    assert value("PrefShare(by='pair')", rows, "b c") == 2 / 3
    assert value("PrefShare(by='pair',pairs='retrieved')", rows, "b c") == 0
    assert value("PrefShare(by='pair',pairs='implied')", rows, "b c") == 2 / 3
