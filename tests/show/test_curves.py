"""Curves and tables: the sources' numbers, loops written from the formulas, and the measures read
off the curves.
"""

import math
from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import irpref
import reference
from irpref import CRP, RPref, ScaleWarning, curves
from irpref.datasets import examples, load
from irpref.errors import ArgumentError
from reference import position
from reference.preference import partition_value
from reference.symbols import relevance
from refused import warns_of
from strategies import collections

F = Fraction
BOOK = load("mir-textbook")
PLOTTED = load("rpref-figure-1")
SYNTHETIC = load("synthetic")
COLUMNS = {
    "CG": "cg",
    "DCG": "dcg",
    "ICG": "ideal_cg",
    "IDCG": "ideal_dcg",
    "NCG": "ncg",
    "NDCG": "ndcg",
    "RP": "rp",
    "CRP": "crp",
    "interpolated_precision": "precision",
}


def topic(table, query_id, run="run"):
    """Rows of one topic of one run, numbered from 0."""
    return table[(table["query_id"] == query_id) & (table["run"] == run)].reset_index(drop=True)


# --------------------------------------------------------------------------- printed and worked out

EXPECTED = [(id, curve) for id in examples() for curve in load(id).curves]


@pytest.mark.parametrize(
    ("id", "curve"), EXPECTED, ids=[f"{id}-{curve.query_id}-{curve.name}" for id, curve in EXPECTED]
)
def test_curves_of_the_worked_examples(id, curve):
    example = load(id)
    name, _, ideal = curve.name.partition("/")
    per_topic = curve.query_id is not None
    if name in ("RP", "CRP"):
        table = curves.crp(example.qrels, example.runs, per_topic=per_topic)
    elif name == "interpolated_precision":
        table = curves.interpolated_precision(example.qrels, example.runs, per_topic=per_topic)
    else:
        table = curves.cumulated_gain(
            example.qrels, example.runs, ideal=ideal or "judged", per_topic=per_topic
        )
    values = (topic(table, curve.query_id, curve.run) if per_topic else table)[
        COLUMNS[name]
    ].tolist()
    assert len(values) == len(curve.values)
    assert values == pytest.approx([float(value) for value in curve.values], abs=1e-12)
    # Sources print with the decimals they like, truncated or rounded.
    percent = 100 if name == "interpolated_precision" else 1
    last_digit = 0.1 if max(curve.printed, default=0) > 1 else 0.01
    for value, printed in zip(values, curve.printed, strict=bool(curve.printed)):
        assert abs(percent * value - printed) <= last_digit + 1e-9


# De Beer & Moens 2006, figure 1: judgments and rankings as printed; the values were computed in
# exact arithmetic from the formula, independently of this package (the poster shows them as a plot
# only).
CONVERGENCE = {
    "zero": {
        "T1": ([1, 0.8750, 0.8727, 0.8644, 0.8531, 0.8494], 0.8481),
        "T2": ([0.6726, 0.6505, 0.6873, 0.6854, 0.6747, 0.6736], 0.6747),
        "T3": ([0.0179, 0.0460, 0.0402, 0.0558, 0.0659, 0.0665], 0.0675),
    },
    "infinity": {
        "T1": ([1, 0.9861, 0.9919, 0.9953, 0.9946, 0.9940], 0.9944),
        "T2": ([0.8393, 0.8357, 0.8671, 0.8784, 0.8760, 0.8753], 0.8773),
        "T3": ([0.2054, 0.2752, 0.2561, 0.2846, 0.3062, 0.3079], 0.3096),
    },
}
MISPLACED = {"T1": [0, 0, 0, 0], "T2": [4, 8, 9, 9], "T3": [10, 19, 19, 21]}


@pytest.mark.parametrize("unretrieved", CONVERGENCE)
def test_npref_converges_as_in_figure_1_of_the_poster(unretrieved):
    table = curves.npref_convergence(
        PLOTTED.qrels, PLOTTED.runs, RPref(norm="relative", unretrieved=unretrieved, max_rel=1)
    )
    assert sorted(set(table["run"])) == ["T1", "T2", "T3"]
    for run, (values, limit) in CONVERGENCE[unretrieved].items():
        rows = table[table["run"] == run]
        assert rows["n"].tolist() == [2, 4, 8, 16, 32, 64]
        assert rows["value"].tolist() == pytest.approx(values, abs=5.1e-5)
        assert rows["limit"].tolist() == pytest.approx([limit] * 6, abs=5.1e-5)


def test_npref_includes_the_n_where_it_equals_rpref_if_grades_are_whole_numbers():
    """By default with the relative norm, as the picture of the poster."""
    with warns_of(irpref.ScaleWarning, parameter="max_rel", value=3):
        table = curves.npref_convergence(BOOK.qrels, BOOK.runs)
    assert table.attrs["measure"] == "RPref(norm='relative',max_rel=3)"
    assert set(table["n"]) == {2, 4, 8, 16, 32, 64}
    table = curves.npref_convergence(BOOK.qrels, BOOK.runs, "RPref(max_rel=10)")
    assert set(table["n"]) == {2, 4, 8, 11, 16, 32, 64}
    rows = table[table["n"] == 11]
    assert rows["value"].tolist() == rows["limit"].tolist()
    assert rows["misplaced"].tolist() == rows["misplaced_limit"].tolist()
    # Grades between whole numbers, and gains: 0.5 on a scale up to 1, 1.5 on one up to 3.
    halves = {q: {d: g / 2 for d, g in docs.items()} for q, docs in BOOK.qrels.items()}
    for qrels, measure in ((halves, "RPref(max_rel=3)"), (BOOK.qrels, RPref(gains={1: 1.5}))):
        measure = measure if isinstance(measure, str) else measure(max_rel=4)
        assert set(curves.npref_convergence(qrels, BOOK.runs, measure)["n"]) == {
            2,
            4,
            8,
            16,
            32,
            64,
        }


@pytest.mark.parametrize("run", MISPLACED)
def test_misplaced_pairs_grow_with_the_partitions_as_the_poster_says(run):
    table = curves.npref_convergence(
        PLOTTED.qrels, PLOTTED.runs[run], RPref(max_rel=1), n=(2, 4, 8, 16), per_topic=True
    )
    assert table["misplaced"].tolist() == MISPLACED[run]
    assert set(table["misplaced_limit"]) == {MISPLACED[run][-1]}


def test_pairs_with_documents_that_were_not_retrieved_are_misplaced_with_infinity():
    """T1 retrieves D12 (0.2) and neither D9, D10 nor D11 (0.4 to 0.3): half of the scale does not
    tell them apart, a quarter does.
    """
    table = curves.npref_convergence(
        PLOTTED.qrels, PLOTTED.runs["T1"], RPref(unretrieved="infinity", max_rel=1), n=(2, 4, 8, 16)
    )
    assert table["misplaced"].tolist() == [0, 3, 3, 3]
    assert table["misplaced_limit"].tolist() == [3] * 4


def test_ratios_over_topics_are_ratios_of_means():
    mean_of_topics = (
        curves.cumulated_gain(BOOK.qrels, BOOK.runs["run"], per_topic=True)
        .groupby("rank")["ndcg"]
        .mean()
    )
    over_topics = curves.cumulated_gain(BOOK.qrels, BOOK.runs["run"])["ndcg"]
    # .1667 for both at rank 1 (1/3 and 0 of 3 and 3), then the ideals of the two queries part.
    assert over_topics[0] == mean_of_topics[1] == pytest.approx(1 / 6)
    assert over_topics[9] == pytest.approx(0.2856, abs=5e-5)
    assert mean_of_topics[10] == pytest.approx((0.286765 + 0.283291) / 2, abs=1e-6)


# ------------------------------------------------------------------ where other tools are different


def rule(run, qrels, needed):
    """Interpolated precision by a loop; `needed(level, R)` says how many relevant documents reach a
    level.
    """
    ranked = reference.order(run)
    relevant = [rank for rank, doc in enumerate(ranked, 1) if qrels.get(doc, 0) >= 1]
    precision = [F(found, rank) for found, rank in enumerate(relevant, 1)]
    R = sum(grade >= 1 for grade in qrels.values())
    return [max(precision[max(needed(i / 10, R), 1) - 1 :], default=F(0)) for i in range(11)]


def exactly(level, R):
    return math.ceil(F(str(level)) * R)


def trec_eval_9(level, R):
    return int(level * R + 0.9)


def iprec(qrels, run, levels=range(11)):
    """What ir_measures (trec_eval 9) reports at the levels of recall."""
    measures = [ir_measures.IPrec(recall=i / 10) for i in levels]
    found = ir_measures.calc_aggregate(measures, qrels, run)
    return [found[measure] for measure in measures]


def test_iprec_of_ir_measures_takes_two_documents_for_seventy_per_cent_of_three():
    qrels, run = {"q2": BOOK.qrels["q2"]}, {"q2": BOOK.runs["run"]["q2"]}
    ours = curves.interpolated_precision(qrels, run)["precision"].tolist()
    assert 0.7 * 3 + 0.9 == 2.9999999999999996
    assert ours[7] == pytest.approx(1 / 5)  # the book's 20
    theirs = iprec(qrels, run)
    assert theirs[7] == pytest.approx(1 / 4)
    assert theirs == pytest.approx([float(p) for p in rule(run["q2"], qrels["q2"], trec_eval_9)])
    assert [i for i in range(11) if abs(ours[i] - theirs[i]) > 1e-9] == [7]


@pytest.mark.parametrize("R", [3, 23, 33, 57, 67, 83])
def test_levels_are_exact_where_floating_point_is_not(R):
    # Precision k/(2k - 1) at the k-th relevant document falls strictly, so it says how many were
    # needed.
    qrels = {"q": {f"r{k:03}": 1 for k in range(R)}}
    ranked = [doc for k in range(R) for doc in (f"r{k:03}", f"n{k:03}")]
    run = {"q": {doc: float(-rank) for rank, doc in enumerate(ranked)}}
    ours = curves.interpolated_precision(qrels, run)["precision"]
    needed = [math.ceil(F(i, 10) * R) or 1 for i in range(11)]
    assert ours.tolist() == [k / (2 * k - 1) for k in needed]
    assert [max(trec_eval_9(i / 10, R), 1) for i in range(11)] != needed
    assert iprec(qrels, run) != pytest.approx(ours.tolist())


def test_f_and_e_follow_from_the_precision_and_recall_that_the_lecture_prints():
    table = topic(curves.f_and_e(BOOK.qrels, BOOK.runs["run"], beta=2, per_topic=True), "q1")
    # Rank of each relevant document; printed: recall 10 to 50 %, precision 1, .66, .5, .4, .33.
    for rank, recall, precision in (
        (1, F(1, 10), F(1)),
        (3, F(2, 10), F(2, 3)),
        (6, F(3, 10), F(1, 2)),
        (10, F(4, 10), F(2, 5)),
        (15, F(5, 10), F(1, 3)),
    ):
        harmonic = 2 / (1 / recall + 1 / precision)
        e = 1 - 5 / (4 / recall + 1 / precision)
        row = table.iloc[rank - 1]
        assert row[["rank", "recall", "precision", "f", "e"]].tolist() == pytest.approx(
            [rank, *map(float, (recall, precision, harmonic, e))]
        )
    one = topic(curves.f_and_e(BOOK.qrels, BOOK.runs["run"], per_topic=True), "q1")
    assert one["e"].tolist() == pytest.approx((1 - one["f"]).tolist())


@pytest.mark.parametrize("beta", [0, 0.5, 2])
def test_f_and_e_at_a_rank_are_the_measures_at_this_cutoff(beta):
    table = curves.f_and_e(SYNTHETIC.qrels, SYNTHETIC.runs["noisy"], beta=beta, rel=2, depth=12)
    for rank in (1, 5, 12):
        measures = [f"FMeasure(rel=2)@{rank}", f"EMeasure(rel=2,beta={beta})@{rank}"]
        found = irpref.evaluator(measures, SYNTHETIC.qrels).calc_aggregate(SYNTHETIC.runs["noisy"])
        assert table.loc[rank - 1, ["f", "e"]].tolist() == pytest.approx([*found.values()])


def test_nothing_relevant_has_f_0_and_e_1():
    table = curves.f_and_e({"q": {"a": 0}}, {"q": {"a": 1.0}})
    assert table[["recall", "precision", "f", "e"]].values.tolist() == [[0, 0, 0, 1]]
    assert curves.f_and_e({"q": {"a": 1}}, {}, depth=2)["e"].tolist() == [1, 1]
    with pytest.raises(ArgumentError):
        curves.f_and_e({"q": {"a": 1}}, {"q": {"a": 1.0}}, beta=-1)


def test_summary_counts_topics_that_were_not_answered():
    qrels = {"1": {"a": 1}, "2": {"b": 2, "c": 0}, "3": {"d": 0}}
    run = {"1": {"a": 2.0, "x": 1.0}, "9": {"a": 1.0}}
    assert curves.summary_table(qrels, run).to_dict("records") == [
        {"run": "run", "num_q": 3, "num_ret": 2, "num_rel": 2, "num_rel_ret": 1}
    ]
    theirs = ir_measures.calc_aggregate([ir_measures.NumQ, ir_measures.NumRel], qrels, run)
    assert list(theirs.values()) == [1, 1]
    graded = curves.summary_table(qrels, run, rel=2, per_topic=True)
    assert graded["num_rel"].tolist() == [0, 1, 0]
    assert graded["num_ret"].tolist() == [2, 0, 0]


# -------------------------------------------------------------------------- loops from the formulas


@given(collections())
def test_crp_as_a_loop(collection):
    table = curves.crp(collection.qrels, collection.run, per_topic=True)
    assert list(dict.fromkeys(table["query_id"])) == [
        q
        for q, judged in collection.qrels.items()
        if collection.run.get(q) or position.recall_base(judged)
    ]
    for query_id, judgments in collection.qrels.items():
        rows = topic(table, query_id)
        R = position.recall_base(judgments)
        curve = position.crp_curve(reference.order(collection.run.get(query_id, {})), judgments)
        if R == 0:
            curve = [0] * len(curve)
        assert rows["crp"].tolist() == curve
        assert rows["rank"].tolist() == list(range(1, len(curve) + 1))
        assert rows["rp"].tolist() == [b - a for a, b in zip([0, *curve], curve, strict=False)]
        worst = [-sum(R + 1 - k for k in range(1, min(j, R) + 1)) for j in range(1, len(curve) + 1)]
        assert rows["worst"].tolist() == worst
        assert rows["share"].tolist() == [crp / (R * (R + 1) / 2) if R else 0 for crp in curve]
        assert set(rows["recall_base"]) <= {R}
        if not curve:
            continue
        balance, turn = rows["balance"].iloc[0], rows["turn_around"].iloc[0]
        expected = position.balance_point(curve, R) if R else None
        assert pd.isna(balance) if expected is None else balance == expected
        assert pd.isna(turn) if R == 0 else turn == curve.index(min(curve)) + 1


@given(collections(), st.integers(1, 3))
def test_interpolated_precision_as_a_loop(collection, rel):
    table = curves.interpolated_precision(collection.qrels, collection.run, rel=rel, per_topic=True)
    for query_id, judgments in collection.qrels.items():
        binary = {doc: int(grade >= rel) for doc, grade in judgments.items()}
        expected = rule(collection.run.get(query_id, {}), binary, exactly)
        assert topic(table, query_id)["precision"].tolist() == pytest.approx(
            [float(p) for p in expected], abs=1e-12
        )
    assert table["recall"].tolist() == [i / 10 for i in range(11)] * len(collection.qrels)


@pytest.mark.parametrize("ideal", ["judged", "retrieved"])
def test_areas_are_the_mean_heights_of_the_textbooks_curves(ideal):
    kind = "" if ideal == "judged" else "/retrieved"
    (row,) = curves.gain_areas(BOOK.qrels, BOOK.runs["run"], ideal=ideal).to_dict("records")
    assert (row["run"], row["depth"]) == ("run", 15)
    for column, name in (
        ("cg", "CG"),
        ("dcg", "DCG"),
        ("ncg", f"NCG{kind}"),
        ("ndcg", f"NDCG{kind}"),
    ):
        heights = BOOK.curve(name).values
        assert row[column] == pytest.approx(float(sum(heights)) / 15, abs=1e-12), column
    by_topic = curves.gain_areas(BOOK.qrels, BOOK.runs["run"], ideal=ideal, per_topic=True)
    assert by_topic["query_id"].tolist() == ["q1", "q2"]
    assert by_topic["cg"].tolist() == [
        float(sum(BOOK.curve("CG", q).values)) / 15 for q in ("q1", "q2")
    ]


@given(
    collections(),
    st.sampled_from([2, 3, 10, 1.5]),
    st.sampled_from(["judged", "retrieved"]),
    st.booleans(),
)
def test_cumulated_gain_as_a_loop(collection, base, ideal, judged_only):
    table = curves.cumulated_gain(
        collection.qrels,
        collection.run,
        base=base,
        ideal=ideal,
        judged_only=judged_only,
        per_topic=True,
    )

    def discounted(gains):
        total, out = 0.0, []
        for rank, gain in enumerate(gains, 1):
            total += gain / (math.log(rank, base) if rank > base else 1)
            out.append(total)
        return out

    for query_id, judgments in collection.qrels.items():
        ranked = reference.order(collection.run.get(query_id, {}))
        if judged_only:
            ranked = [doc for doc in ranked if judgments.get(doc, -1) >= 0]
        gains = [max(judgments.get(doc, 0), 0) for doc in ranked]
        best = sorted(
            (max(g, 0) for g in judgments.values()) if ideal == "judged" else gains, reverse=True
        )
        length = max(len(gains), sum(g > 0 for g in judgments.values()))
        gains, best = ((v + [0] * length)[:length] for v in (gains, best))
        rows = topic(table, query_id)
        assert rows["gain"].tolist() == gains
        assert rows["cg"].tolist() == pytest.approx(list(np.cumsum(gains)))
        assert rows["ideal_cg"].tolist() == pytest.approx(list(np.cumsum(best)))
        dcg, idcg = discounted(gains), discounted(best)
        assert rows["dcg"].tolist() == pytest.approx(dcg)
        assert rows["ideal_dcg"].tolist() == pytest.approx(idcg)
        assert rows["ndcg"].tolist() == pytest.approx(
            [a / b if b else 0 for a, b in zip(dcg, idcg, strict=True)]
        )


@given(
    collections(),
    st.integers(2, 7),
    st.sampled_from([None, 1, 4]),
    st.sampled_from(["zero", "infinity"]),
)
def test_misplaced_pairs_as_a_loop(collection, n, cutoff, unretrieved):
    measure = RPref(max_rel=3, cutoff=cutoff, unretrieved=unretrieved)
    table = curves.npref_convergence(
        collection.qrels, collection.run, measure, n=[n], per_topic=True
    )
    for query_id, judgments in collection.qrels.items():
        ranked = reference.order(collection.run.get(query_id, {}))[:cutoff]
        rho = [relevance(judgments[d], None, 3) for d in ranked if judgments.get(d, -1) >= 0]
        left = [relevance(g, None, 3) for d, g in judgments.items() if g >= 0 and d not in ranked]
        below = left if unretrieved == "infinity" else []
        rows = topic(table, query_id)
        for column, of in (
            ("misplaced_limit", lambda value: value),
            ("misplaced", lambda value: partition_value(value, n)),
        ):
            values = list(map(of, rho))
            pairs = sum(a < b for i, b in enumerate(values) for a in values[:i])
            pairs += sum(a < of(b) for b in below for a in values)
            assert rows[column].tolist() == [pairs]


@given(collections(), st.integers(1, 3))
def test_r_precision_and_counts_as_loops(collection, rel):
    histogram = curves.precision_histogram(collection.qrels, collection.run, {}, rel=rel)
    summary = curves.summary_table(collection.qrels, collection.run, rel=rel, per_topic=True)
    for query_id, judgments in collection.qrels.items():
        ranked = reference.order(collection.run.get(query_id, {}))
        relevant = {doc for doc, grade in judgments.items() if grade >= rel}
        found = sum(doc in relevant for doc in ranked[: len(relevant)])
        row = topic(histogram, query_id).iloc[0]
        assert row["value"] == row["difference"] == (found / len(relevant) if relevant else 0)
        assert row["baseline"] == 0
        counted = topic(summary, query_id).iloc[0]
        assert counted.tolist()[2:] == [
            1,
            len(ranked),
            len(relevant),
            len(relevant.intersection(ranked)),
        ]


# ---------------------------------------------------------------- the measures, read off the curves


@given(collections(), st.integers(1, 14), st.booleans())
def test_crp_at_a_rank_is_the_curve_there(collection, k, judged_only):
    table = curves.crp(
        collection.qrels, collection.run, judged_only=judged_only, depth=k, per_topic=True
    )
    measure = CRP(cutoff=k, judged_only=judged_only)
    values = measure.evaluate(collection.qrels, collection.run)
    at_k = table[table["rank"] == k].set_index("query_id")["crp"]
    assert {q: float(v) for q, v in at_k.items()} == values
    over = curves.crp(collection.qrels, collection.run, judged_only=judged_only, depth=k)
    aggregate = irpref.evaluator([measure], collection.qrels).calc_aggregate(collection.run)[
        measure
    ]
    assert over["crp"].iloc[-1] == pytest.approx(aggregate, rel=1e-13)


# ------------------------------------------------------------------------ averages, runs and inputs

TABLES = {
    "crp": lambda qrels, runs, **more: curves.crp(qrels, runs, **more),
    "npref": lambda qrels, runs, **more: curves.npref_convergence(
        qrels, runs, RPref(max_rel=3), **more
    ),
    "precision": lambda qrels, runs, **more: curves.interpolated_precision(qrels, runs, **more),
    "fe": lambda qrels, runs, **more: curves.f_and_e(qrels, runs, **more),
    "gain": lambda qrels, runs, **more: curves.cumulated_gain(qrels, runs, **more),
    "histogram": lambda qrels, runs, **more: curves.precision_histogram(qrels, runs, {}, **more),
    "paired": lambda qrels, runs, **more: curves.paired_differences(
        qrels, runs, {}, "RPref(max_rel=3)", **more
    ),
    "summary": lambda qrels, runs, **more: curves.summary_table(qrels, runs, **more),
}


@pytest.mark.parametrize("name", TABLES)
def test_several_runs_follow_each_other(name):
    together = TABLES[name](SYNTHETIC.qrels, SYNTHETIC.runs, per_topic=True)
    assert list(dict.fromkeys(together["run"])) == list(SYNTHETIC.runs)
    for run in SYNTHETIC.runs:
        alone = TABLES[name](SYNTHETIC.qrels, {run: SYNTHETIC.run_frame(run)}, per_topic=True)
        assert_frame_equal(together[together["run"] == run].reset_index(drop=True), alone)


@pytest.mark.parametrize("name", ["crp", "npref", "precision", "fe", "gain"])
def test_averages_are_means_over_all_topics_of_the_qrels(name):
    options = {"depth": 40} if name in ("crp", "fe", "gain") else {}
    runs = {
        name: SYNTHETIC.runs[name] for name in ("strong", "noisy")
    }  # noisy does not answer one topic
    by_topic = TABLES[name](SYNTHETIC.qrels, runs, per_topic=True, **options)
    over = TABLES[name](SYNTHETIC.qrels, runs, **options)
    key = {"crp": "rank", "npref": "n", "precision": "recall", "fe": "rank", "gain": "rank"}[name]
    # Ratios are those of the means.
    columns = [
        column
        for column in by_topic
        if column in over and column not in ("run", key, "ncg", "ndcg")
    ]
    assert columns
    expected = by_topic.groupby(["run", key])[columns].sum() / len(SYNTHETIC.qrels)
    found = over.set_index(["run", key])[columns].sort_index()
    assert_frame_equal(found, expected.astype(float), check_exact=False, rtol=1e-12)


def test_topics_are_in_the_order_of_the_qrels_and_unknown_ones_are_left_out():
    qrels = {"z": {"a": 1}, "b": {"a": 1}}
    run = {"b": {"a": 1.0}, "x": {"a": 1.0}}
    for table in TABLES.values():
        assert list(dict.fromkeys(table(qrels, run, per_topic=True)["query_id"])) == ["z", "b"]


@pytest.mark.parametrize("runs", [{}, {"q": {}}, {"empty": {"q": {}}}, {"empty": {}}], ids=str)
def test_empty_runs(runs):
    qrels = {"q": {"a": 2, "b": 0}}
    table = curves.crp(qrels, runs)
    assert table["crp"].tolist() == [-1.0]
    assert curves.cumulated_gain(qrels, runs)["ndcg"].tolist() == [0.0]
    assert set(curves.interpolated_precision(qrels, runs)["precision"]) == {0.0}
    assert curves.summary_table(qrels, runs)["num_rel"].tolist() == [1]


def test_nothing_relevant_has_no_curve_but_counts_as_a_topic():
    table = curves.crp({"q": {"a": 0}}, {}, per_topic=True)
    assert table.empty
    assert list(table.columns)[:3] == ["run", "query_id", "rank"]
    assert curves.crp({"q": {"a": 0}}, {}).empty
    assert curves.summary_table({"q": {"a": 0}}, {}).loc[0, "num_q"] == 1


def test_the_scale_of_npref_is_announced_when_it_is_taken_from_the_qrels():
    with warns_of(ScaleWarning, parameter="max_rel", value=3):
        table = curves.npref_convergence(BOOK.qrels, BOOK.runs, "RPref(norm='relative')")
    assert table.attrs["measure"] == "RPref(norm='relative',max_rel=3)"
    assert_frame_equal(
        table, curves.npref_convergence(BOOK.qrels, BOOK.runs, RPref(norm="relative", max_rel=3))
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda q, r: curves.crp(q, r, depth=0),
            "crp: depth=0 is not accepted, expected an integer of at least 1",
        ),
        (lambda q, r: curves.cumulated_gain(q, r, ideal="best"), "one of 'judged', 'retrieved'"),
        (lambda q, r: curves.cumulated_gain(q, r, base=1), "base=1 is not accepted"),
        (lambda q, r: curves.cumulated_gain(q, r, gains={1: 3}), "falls as grades rise"),
        (lambda q, r: curves.interpolated_precision(q, r, rel=0), "rel=0 is not accepted"),
        (
            lambda q, r: curves.npref_convergence(q, r, "AP"),
            "measure=AP is not accepted, expected RPref",
        ),
        (
            lambda q, r: curves.npref_convergence(q, r, RPref(max_rel=3), n=[1]),
            "n=1 is not accepted",
        ),
        (lambda q, r: curves.npref_convergence(q, r, RPref(max_rel=3), n=[]), "n is empty"),
        (
            lambda q, r: curves.precision_histogram(q, r, {}, rel=0),
            "rel=0 is not accepted",
        ),
        (
            lambda q, r: curves.precision_histogram(q, r, "best"),
            "baseline='best' is not one of the runs: run",
        ),
        (
            lambda q, r: curves.precision_histogram(q, r, "run"),
            "no run to compare with the baseline 'run'",
        ),
        (
            lambda q, r: curves.crp(q, {"run": {"other": {"a": 1.0}}}),
            "^run and qrels have no topic in common",
        ),
        (
            lambda q, r: curves.crp(q, {**r, "b": {"other": {"a": 1.0}}}),
            "^'b': run and qrels have no topic in common",
        ),
        (
            lambda q, r: curves.precision_histogram(q, {**r, "b": {"other": {"a": 1.0}}}, r["run"]),
            "^'b': run and",
        ),
        (
            lambda q, r: curves.precision_histogram(q, r, {"other": {"a": 1.0}}),
            "^'baseline': run and qrels have no",
        ),
        (
            lambda q, r: curves.paired_differences(q, {"other": {"a": 1.0}}, r["run"], "QMeasure"),
            "^'run': run and",
        ),
    ],
)
def test_wrong_options_are_named(call, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        call(BOOK.qrels, BOOK.runs)


# --------------------------------------------------------------------------------- pairs of systems

PAIR_QRELS = {str(q): {"a": 1, "b": 1, "c": 0} for q in range(1, 6)}
BETTER = {str(q): {"a": 3.0, "b": 2.0, "c": 1.0} for q in (1, 2, 3)} | {"4": {"c": 2.0, "b": 1.0}}
WORSE = {
    "1": {"a": 1.0},
    "2": {"c": 2.0, "a": 1.0},
    "3": {"a": 2.0, "b": 1.0},
    "4": {"b": 2.0, "a": 1.0},
}


def test_histogram_by_topic_and_its_counts():
    table = curves.precision_histogram(PAIR_QRELS, {"A": BETTER, "B": WORSE}, "B")
    assert set(table["run"]) == {"A"}
    assert table["value"].tolist() == [1, 1, 1, 1 / 2, 0]
    assert table["baseline"].tolist() == [1 / 2, 1 / 2, 1, 1, 0]
    assert table["difference"].tolist() == [1 / 2, 1 / 2, 0, -1 / 2, 0]
    assert (table.attrs["curve"], table.attrs["measure"]) == ("precision_histogram", "Rprec")
    same = curves.precision_histogram(PAIR_QRELS, BETTER, BETTER, per_topic=False).iloc[0]
    assert same[["wins", "losses", "equal"]].tolist() == [0, 0, 5]
    counted = curves.precision_histogram(PAIR_QRELS, BETTER, WORSE, per_topic=False).iloc[0]
    assert counted[["wins", "losses", "equal"]].tolist() == [2, 1, 2]
    assert counted["difference"] == pytest.approx(1 / 10)


def test_a_win_is_a_better_value_where_lower_is_better():
    runs = {"A": BETTER, "B": WORSE}
    precision = curves.paired_differences(PAIR_QRELS, runs, "B", "P@2").iloc[0]
    loss = curves.paired_differences(PAIR_QRELS, runs, "B", "EMeasure@2").iloc[0]
    assert (precision["wins"], precision["losses"]) == (loss["wins"], loss["losses"]) == (2, 1)
    assert precision["difference"] > 0 > loss["difference"]


def test_medians_by_rank_and_the_share_of_curves_that_have_ended():
    # CRP of the topics: a is ideal (0, 0, 0); b is "n r": -1, then 0; c retrieves nothing: -1 at R
    # = 1.
    qrels = {"a": {"r": 1, "n": 0}, "b": {"r": 1, "n": 0}, "c": {"r": 1, "n": 0}}
    run = {"a": {"r": 3, "n": 2, "x": 1}, "b": {"n": 2, "r": 1}}
    table = curves.crp(qrels, run)
    per_topic = curves.crp(qrels, run, depth=3, per_topic=True)
    median = per_topic.groupby("rank")[["crp", "share", "worst"]].median()
    assert per_topic[per_topic["rank"] == 1]["crp"].tolist() == [0, -1, -1]
    for name in ("crp", "share", "worst"):
        assert table[f"{name}_median"].tolist() == median[name].tolist()
    assert table["crp_median"].tolist()[0] == -1
    assert table["ended"].tolist() == [0, 1 / 3, 2 / 3]  # the curves have 3, 2 and 1 ranks
    assert table["exhausted"].tolist() == [1 / 3, 1 / 3, 2 / 3]  # c retrieves nothing
    assert table.attrs["negative_topics"] == []
    assert curves.cumulated_gain(qrels, run)["ended"].tolist() == [
        1 / 3,
        1 / 3,
        2 / 3,
    ]  # c retrieves nothing


def test_ties_and_scores_of_32_bits_are_ranked_as_in_the_evaluator():
    qrels = {"q": {"a": 1, "z": 0}}
    tied = pd.DataFrame({"query_id": "q", "doc_id": ["a", "z"], "score": 1.0})
    near = {"q": {"a": 1.00000001, "z": 1.0}}  # the same in 32 bits
    # By id z is first, with CRP -1 at R = 1; in the order of the rows a is.
    for ties, precision, crp in (("id", 1 / 2, -1), ("input", 1, 0)):
        run = irpref.run(tied, ties=ties)
        assert curves.interpolated_precision(qrels, run)["precision"].tolist() == [precision] * 11
        assert curves.crp(qrels, run)["crp"].iloc[0] == crp
    rounded = irpref.run(near, float32=True)
    assert curves.interpolated_precision(qrels, rounded)["precision"].tolist() == [1 / 2] * 11
    assert curves.precision_histogram(qrels, rounded, {})["value"].tolist() == [0]
    assert curves.interpolated_precision(qrels, near)["precision"].tolist() == [1] * 11
