"""Other people's programs compute the same, on drawn data and on submitted runs; and where they do
not, by how much.

pytrec_eval keeps scores as 32-bit floats, so scores that it is to order as we do must be distinct
in 32 bits; and it must never see a topic whose grades are all negative, which ends the process."""

import math
import re
import struct
from fractions import Fraction as F

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, IPrec, Rprec, SetF, SetR, nDCG
from pyNTCIREVAL import Labeler
from pyNTCIREVAL import metrics as ntcir

import irpref
from compared import HOST, NTCIREVAL, PYNTCIREVAL, count
from forms import FORMS, WAYS, looked_up
from irpref import (
    NCU,
    BprefN,
    BprefVariant,
    Coverage,
    EMeasure,
    FMeasure,
    NPref,
    OMeasure,
    OriginalNDCG,
    PMeasure,
    PPlus,
    QMeasure,
    RecallEffort,
    RelativeRecall,
    RPref,
)
from irpref.datasets import load
from irpref.errors import MeasureError
from real_runs import COLLECTIONS, qrels_of, runs_of
from reference import order
from refused import refuses
from strategies import Collection, collections, positive_grades, random_collection


def by_topic(measures, qrels, run):
    """Measure -> topic -> value, through ir_measures."""
    out: dict = {measure: {} for measure in measures}
    for metric in ir_measures.iter_calc(measures, qrels, run):
        out[metric.measure][metric.query_id] = metric.value
    return out


def for_pytrec_eval(collection: Collection) -> Collection:
    """Scores replaced by their places, which 32 bits hold; no topic with negative grades alone."""
    qrels = {topic: docs for topic, docs in collection.qrels.items() if max(docs.values()) >= 0}
    run = {}
    for topic, docs in collection.run.items():
        if docs and topic in qrels:
            place = {score: float(i) for i, score in enumerate(sorted(set(docs.values())))}
            run[topic] = {doc: place[score] for doc, score in docs.items()}
    return Collection(qrels, run)


integer_collections = (
    collections(integer_only=True)
    .map(for_pytrec_eval)
    .filter(lambda drawn: drawn.qrels and drawn.run)
)
LONGER = [
    for_pytrec_eval(random_collection(seed, n_topics=15, n_docs=80, grades=grades))
    for seed, grades in enumerate([(0, 0, 0, 1), (0, 0, 0, 1, 1, 2, 3), (-2, -1, 0, 1, 2), (1, 3)])
]


def close(a, b):
    assert sorted(a) == sorted(b)
    assert a == pytest.approx(b, rel=1e-12, abs=1e-12)


# The host's measures, on drawn data ---------------------------------------------------------------

# Ours, the host's, and whether they agree to the last bit.
IDENTITIES = [
    (BprefVariant, Bpref, True),
    (BprefVariant(rel=2), Bpref(rel=2), True),
    (QMeasure(beta=0), AP, True),
    (QMeasure(beta=0, judged_only=True), AP(judged_only=True), True),
    (NCU(utility="P"), AP, False),
    (NCU(utility="P", judged_only=True), AP(judged_only=True), False),
    (NCU(stop="rank_biased", gamma=1, utility="P"), AP, False),
    (OMeasure(beta=0), RR, True),
    (OMeasure(beta=0, judged_only=True), RR(judged_only=True), True),
    (FMeasure, SetF, False),
    (RelativeRecall(capped=False), SetR, True),
    (RelativeRecall, SetR, True),
    (RelativeRecall(rel=2), SetR(rel=2), True),
    (RelativeRecall @ 5, ir_measures.R @ 5, True),
    (RecallEffort, IPrec @ 1.0, True),
    (OriginalNDCG @ 1, nDCG @ 1, True),
    *((FMeasure(beta=b), SetF(beta=b * b), False) for b in (0.0, 0.5, 2.0, 3.0)),
    (FMeasure(beta=2, rel=2), SetF(beta=4.0, rel=2), False),
]


def check_values(ours, collection: Collection):
    host = by_topic([theirs for _, theirs, _ in IDENTITIES], *collection)
    for mine, theirs, exact in IDENTITIES:
        assert len(ours[mine]) == len(collection.qrels)
        if exact:
            assert ours[mine] == host[theirs], (mine, theirs)
        else:
            close(ours[mine], host[theirs])
        count(HOST, len(ours[mine]))


@given(integer_collections)
def test_measures_that_have_another_name_in_the_host(collection):
    check_values(by_topic([mine for mine, _, _ in IDENTITIES], *collection), collection)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", FORMS)
def test_the_host_agrees_whatever_the_form(form, way):
    for collection in LONGER:
        judged = [
            ir_measures.Qrel(q, d, grade, "0")
            for q, of in collection.qrels.items()
            for d, grade in of.items()
        ]
        rows = [
            ir_measures.ScoredDoc(q, d, score)
            for q, of in collection.run.items()
            for d, score in of.items()
        ]
        with looked_up(way):
            evaluator = irpref.evaluator([mine for mine, _, _ in IDENTITIES], FORMS[form](judged))
            values = evaluator.values(FORMS[form](rows))
        ours = {
            m: dict(zip(evaluator.topic_ids, v.tolist(), strict=True)) for m, v in values.items()
        }
        check_values(ours, collection)


# nDCG ---------------------------------------------------------------------------------------------


def test_the_original_ndcg_discounts_less_than_the_hosts():
    # Ranks 1 and 2 weigh the same with base 2: swapping them changes the host's value only.
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    assert OriginalNDCG.evaluate(qrels, run) == {"q": 1.0}
    found = ir_measures.calc_aggregate([nDCG], qrels, run)[nDCG]
    assert found == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    assert found < 0.87


# Exact identities between our measures ------------------------------------------------------------


def ours_by_topic(measures, collection):
    evaluator = irpref.evaluator(measures, collection.qrels)
    values = evaluator.values(collection.run)
    return {m: dict(zip(evaluator.topic_ids, v.tolist(), strict=True)) for m, v in values.items()}


binary_collections = collections(integer_only=True, max_grade=1)


@given(binary_collections, st.sampled_from([None, 1, 5]))
def test_binary_rpref_is_bpref_n_bit_for_bit(collection, cutoff):
    mine, theirs = RPref(max_rel=1, cutoff=cutoff), BprefN(cutoff=cutoff)
    found = ours_by_topic([mine, theirs], collection)
    assert found[mine] == found[theirs]


@given(collections(integer_only=True, max_grade=3), st.sampled_from([1, 2, 3, 4, 5]))
def test_two_partitions_are_bpref_n_bit_for_bit(collection, max_rel):
    mine, theirs = NPref(n=2, max_rel=max_rel), BprefN(rel=math.ceil(max_rel / 2))
    found = ours_by_topic([mine, theirs], collection)
    assert found[mine] == found[theirs]


@given(
    collections(integer_only=True),
    st.sampled_from([1, 2, 3, 4, 7]),
    st.sampled_from([1, 2, 3, 10]),
    st.sampled_from(["absolute", "relative", "relative2"]),
    st.sampled_from(["zero", "infinity"]),
    st.sampled_from(["keep", "drop", "zero"]),
)
def test_partitions_that_fit_the_grades_are_rpref(collection, max_rel, k, norm, unretrieved, top):
    options = {"max_rel": max_rel, "norm": norm, "unretrieved": unretrieved, "top": top}
    mine, theirs = NPref(n=k * max_rel + 1, **options), RPref(**options)
    found = ours_by_topic([mine, theirs], collection)
    close(found[mine], found[theirs])
    if k == 1:
        assert found[mine] == found[theirs]


@given(
    collections(),
    st.sampled_from(["relative", "relative2"]),
    st.sampled_from(["zero", "infinity"]),
    st.sampled_from(["keep", "drop", "zero"]),
)
def test_relative_norms_do_not_depend_on_the_scale(collection, norm, unretrieved, top):
    top_grade = max(1, *(g for docs in collection.qrels.values() for g in docs.values()))
    options = {"norm": norm, "unretrieved": unretrieved, "top": top}
    measures = [RPref(max_rel=top_grade * factor, **options) for factor in (1, 1.5, 3, 10)]
    first, *others = ours_by_topic(measures, collection).values()
    for other in others:
        assert other == first


@given(binary_collections)
def test_binary_q_is_ap_if_nothing_relevant_is_below_rank_r(collection):
    found = ours_by_topic([QMeasure, QMeasure(beta=0)], collection)
    for topic, docs in collection.qrels.items():
        r = sum(grade > 0 for grade in docs.values())
        below = [doc for doc in order(collection.run.get(topic, {}))[r:] if docs.get(doc, 0) > 0]
        q, ap = found[QMeasure][topic], found[QMeasure(beta=0)][topic]
        assert q > ap if below else q == pytest.approx(ap, abs=1e-12)


@given(collections(max_grade=1))
def test_binary_p_and_p_plus_are_o(collection):
    # One positive grade: the best retrieved document is the first relevant one.
    assume(len(positive_grades(collection.qrels)) <= 1)
    found = ours_by_topic([OMeasure, PMeasure, PPlus], collection)
    assert found[PMeasure] == found[OMeasure]
    assert found[PPlus] == found[OMeasure]


@given(collections(), st.sampled_from([2, 5, 0.5]))
def test_larger_gains_are_a_larger_beta(collection, factor):
    mapped = {grade: grade * factor for grade in positive_grades(collection.qrels)}
    a, b = QMeasure(gains=mapped), QMeasure(beta=factor)
    found = ours_by_topic([a, b], collection)
    close(found[a], found[b])


# What the docstrings of measures say about others.
BINARY = random_collection(5, grades=(0, 0, 1))
GRADED = random_collection(6)


def values_of(data, *names):
    """Values by topic of measures of either side, as irpref.evaluator has them."""
    evaluators = [irpref.evaluator([name], data.qrels) for name in names]
    return [
        {m.query_id: m.value for m in evaluator.iter_calc(data.run)} for evaluator in evaluators
    ]


@pytest.mark.parametrize(
    ("ours", "other", "data"),
    [
        ("GPrecision(max_rel=1)", "SetP", BINARY),
        ("GPrecision(max_rel=1)@10", "P@10", BINARY),
        ("GRecall", "SetR", BINARY),
        ("GRecall@10", "R@10", BINARY),
        ("RMeasure", "Rprec", BINARY),
        ("RMeasure(beta=0)", "Rprec", GRADED),
        ("WeightedRR(norm='none',max_rel=3,gains={1:0,2:0,3:0})", "RR", GRADED),
        ("WeightedRR(max_rel=3,gains={1:0,2:0,3:0})", "RR", GRADED),
    ],
)
def test_measures_that_are_equal(ours, other, data):
    one, two = values_of(data, ours, other)
    answered = [topic for topic in data.qrels if data.run.get(topic)]
    assert len(answered) > 15
    for topic in answered:
        assert one[topic] == pytest.approx(two[topic], abs=1e-12), topic


def test_weighted_reciprocal_rank_of_binary_judgments():
    weighted, plain = values_of(BINARY, "WeightedRR(max_rel=1)", "RR")
    for topic, value in plain.items():
        assert weighted[topic] == pytest.approx(1 / (2 / value - 1) if value else 0, abs=1e-12)


def test_average_precision_is_that_of_seen_documents_times_recall():
    ap, seen, recall = values_of(GRADED, "AP", "SeenAP", "SetR")
    for topic, value in ap.items():
        assert value == pytest.approx(seen[topic] * recall[topic], abs=1e-12)


def test_the_slides_add_truncated_terms():
    """They print 0.57 for what is 0.58."""
    book = load("mir-textbook")
    terms = [F(1), F(2, 3), F(1, 2), F(4, 10), F(5, 15)]
    cut = [F(math.floor(100 * term), 100) for term in terms]
    assert float(sum(cut)) == 2.89
    assert math.floor(100 * sum(cut) / 5) == 57
    assert sum(terms) / 5 == F(58, 100)
    assert irpref.SeenAP.evaluate(book.qrels, book.runs["run"])["q1"] == pytest.approx(
        0.58, abs=1e-12
    )


def test_grade_0_may_have_a_gain_in_generalised_precision_and_recall():
    """a (2) and n (0, gain 1) retrieved, b (2) missed: (1 + 1/2) / 2, and 3/5."""
    qrels, run = {"q": {"a": 2, "n": 0, "b": 2, "neg": -1}}, {"q": {"a": 3.0, "n": 2.0}}
    assert irpref.GPrecision(max_rel=2, gains={0: 1}).evaluate(qrels, run) == {"q": 0.75}
    assert irpref.GRecall(gains={0: 1}).evaluate(qrels, run) == {"q": pytest.approx(0.6)}
    with refuses(MeasureError, measure="GRecall", parameter="gains", value={0: 3}):
        irpref.GRecall(gains={0: 3}).evaluate(qrels, run)


def test_total_search_efficiency_is_recall_effort_over_r():
    tse, effort = values_of(GRADED, "TSE", "RecallEffort")
    for topic, value in tse.items():
        r = sum(grade >= 1 for grade in GRADED.qrels[topic].values())
        assert value == pytest.approx(effort[topic] / max(r, 1), abs=1e-15)
    one = {topic: {next(iter(docs)): 1} for topic, docs in GRADED.qrels.items()}
    run = GRADED.run
    reciprocal = {m.query_id: m.value for m in irpref.evaluator(["RR"], one).iter_calc(run)}
    assert irpref.TSE.evaluate(one, run) == pytest.approx(reciprocal)


# Submitted runs -----------------------------------------------------------------------------------

# Those of set and list measures without options, and what is a kernel here and computed by the host
# there.
ON_RUNS = [
    row
    for row in IDENTITIES
    if str(row[1]) in ("Bpref", "Bpref(rel=2)", "AP", "RR", "SetF", "SetR", "nDCG@1")
]
ON_RUNS += [
    (FMeasure(beta=2), SetF(beta=4.0), False),
    *((m, m, True) for m in (nDCG, nDCG @ 10, Rprec)),
]


@pytest.mark.slow
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_submitted_runs(collection, data_dir):
    qrels = qrels_of(data_dir, collection)
    known = {topic: sorted(docs)[::2] for topic, docs in qrels.items()}
    frame = irpref.judgments(qrels, known=known).frame()
    only_known = {
        t: {d: g if d in set(known[t]) else 0 for d, g in docs.items()} for t, docs in qrels.items()
    }
    ours = irpref.evaluator([mine for mine, _, _ in ON_RUNS] + [EMeasure(beta=2), Coverage], frame)
    host = ir_measures.evaluator([theirs for _, theirs, _ in ON_RUNS], qrels)
    host_known = ir_measures.evaluator([SetR], only_known)
    scores_in_32_bits = True
    for name, run in runs_of(data_dir, collection):
        found = {
            m: dict(zip(ours.topic_ids, v.tolist(), strict=True))
            for m, v in ours.values(run).items()
        }
        theirs: dict = {}
        for metric in host.iter_calc(run):
            theirs.setdefault(metric.measure, {})[metric.query_id] = metric.value
        for mine, other, exact in ON_RUNS:
            if exact:
                assert found[mine] == theirs[other], (name, mine)
            else:
                close(found[mine], theirs[other])
            count(HOST, len(found[mine]))
        close({t: 1 - v for t, v in found[EMeasure(beta=2)].items()}, theirs[SetF(beta=4.0)])
        recall = {metric.query_id: metric.value for metric in host_known.iter_calc(run)}
        assert found[Coverage] == recall, name
        scores_in_32_bits &= all(
            len(set(s.values())) == len(set(map(as_float32, s.values()))) for s in run.values()
        )
    assert scores_in_32_bits  # or the host would have another order


# Sakai's programs ---------------------------------------------------------------------------------

# What NTCIREVAL calls it -> ours; the stop values of `gu` are the gains.
NAMES = {
    "RR": OMeasure(beta=0),
    "O-measure": OMeasure,
    "P-measure": PMeasure,
    "P-plus": PPlus,
    "AP": QMeasure(beta=0),
    "Q-measure": QMeasure,
    "NCUgu,P": NCU(stop="graded", utility="P"),
    "NCUgu,BR": NCU(stop="graded"),
    "NCUrb,P": NCU(stop="rank_biased", utility="P"),
    "NCUrb,BR": NCU(stop="rank_biased"),
    "AP@1000": QMeasure(beta=0) @ 1000,
    "Q@1000": QMeasure @ 1000,
    "AP@0002": QMeasure(beta=0) @ 2,
    "Q@0002": QMeasure @ 2,
    "nDCG@1000": OriginalNDCG @ 1000,
    "nDCG@0002": OriginalNDCG @ 2,
    "MSnDCG@1000": nDCG @ 1000,
    "MSnDCG@0002": nDCG @ 2,
}


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ("res_test_compute.txt", {}),
        ("res_test_compute_cutoff.txt", {}),
        ("res_test_compute_grade.txt", {"gains": {1: 1, 2: 4, 3: 9}}),
        ("res_test_compute_label_j.txt", {"judged_only": True}),
    ],
)
def test_the_sample_of_ntcireval(expected, options, data_dir):
    home = data_dir / "ntcireval-sample"
    rows = [line.split() for line in (home / "sample.rel").read_text().splitlines()]
    qrels = {"q": {doc: int(level[1:]) for doc, level in rows}}
    listed = (home / "sample.res").read_text().split()
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(listed)}}
    lines = re.findall(r"^ (\S+)= +([\d.]+)$", (home / expected).read_text(), re.MULTILINE)
    compared = [(NAMES[name](**options), printed) for name, printed in lines if name in NAMES]
    assert len(compared) == 14
    found = by_topic([measure for measure, _ in compared], qrels, run)
    for measure, printed in compared:
        assert f"{found[measure]['q']:.4f}" == printed, measure
    count(NTCIREVAL, len(compared))


def ntcireval_metrics(qrels: dict, gain: list, beta: float) -> dict:
    """pyNTCIREVAL's metrics by our names."""
    sizes = [sum(grade == level for grade in qrels.values()) for level in range(len(gain) + 1)]
    own = {"beta": beta} | {"gains": {level + 1: g for level, g in enumerate(gain)}}
    return {
        QMeasure(**own): ntcir.QMeasure(sizes, gain, beta),
        QMeasure(**own) @ 3: ntcir.QMeasure(sizes, gain, beta, cutoff=3),
        OMeasure(**own): ntcir.OMeasure(sizes, gain, beta),
        PMeasure(**own): ntcir.PMeasure(sizes, gain, beta),
        PPlus(**own): ntcir.PPlusMeasure(sizes, gain, beta),
        NCU(stop="graded", utility="P", **own): ntcir.NCUguP(sizes, gain, gain),
        NCU(stop="graded", **own): ntcir.NCUguBR(sizes, gain, gain, beta),
        NCU(stop="rank_biased", utility="P", gamma=0.7, **own): ntcir.NCUrbP(sizes, gain, 0.7),
        NCU(stop="rank_biased", **own): ntcir.NCUrbBR(sizes, gain, 0.95, beta),
    }


@pytest.mark.parametrize("gain", [[1, 2, 3], [1, 3, 7], [2, 2, 5]], ids=str)
@pytest.mark.parametrize("beta", [1.0, 0.0, 2.5])
@pytest.mark.parametrize("judged_only", [False, True])
def test_pyntcireval(gain, beta, judged_only):
    compared = 0
    for seed in range(6):
        qrels, run = random_collection(seed, n_topics=8, n_docs=25)
        for topic, docs in qrels.items():
            # It refuses lists without a document; its condensed lists have to be cut by us.
            labels = Labeler(docs, is_condensed=judged_only).label(order(run[topic]))
            if not labels or not any(docs.values()):
                continue
            metrics = ntcireval_metrics(docs, gain, beta)
            measures = {
                measure(judged_only=judged_only): metric for measure, metric in metrics.items()
            }
            evaluator = irpref.evaluator(list(measures), {topic: docs})
            found = evaluator.values({topic: run[topic]})
            for measure, metric in measures.items():
                assert found[measure][0] == pytest.approx(metric.compute(labels), rel=1e-12), (
                    measure
                )
                compared += 1
    assert compared > 300
    count(PYNTCIREVAL, compared)


# Where they differ: both numbers ------------------------------------------------------------------


def as_float32(score: float) -> float:
    return struct.unpack("f", struct.pack("f", score))[0]


def test_the_beta_of_set_f_is_not_squared():
    # Precision 2/5, recall 2/3. F with beta 2: (1 + 4) * P * R / (4 P + R) = 10/17; SetF takes 2
    # for beta squared.
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {"a": 5.0, "b": 4.0, "x": 3.0, "y": 2.0, "z": 1.0}}
    assert ir_measures.calc_aggregate([SetF(beta=2.0)], qrels, run)[
        SetF(beta=2.0)
    ] == pytest.approx(6 / 11)
    assert FMeasure(beta=2).evaluate(qrels, run)["q"] == pytest.approx(10 / 17)
    assert EMeasure(beta=2).evaluate(qrels, run)["q"] == pytest.approx(7 / 17)


def test_the_host_breaks_ties_both_ways():
    qrels, run = {"q": {"r1": 1}}, {"q": {"r1": 1.0, "z9": 1.0}}
    found = ir_measures.calc_aggregate([RR, RR @ 3], qrels, run)
    assert found == {RR: 0.5, RR @ 3: 1.0}
    ours = irpref.evaluator([OMeasure(beta=0), OMeasure(beta=0) @ 3], qrels).calc_aggregate(run)
    assert set(ours.values()) == {0.5}


def test_interpolated_precision_of_the_host_misses_its_own_level():
    # Three relevant documents, the last of them at rank 15: recall 70 % is reached with the third
    # (3/15), not with the second (2/8): 0.7 * 3 + 0.9 is 2.9999999999999996.
    qrels = {"q": {"d3": 1, "d8": 1, "d15": 1}}
    run = {"q": {f"d{rank}": -float(rank) for rank in range(1, 16)}}
    found = ir_measures.calc_aggregate([IPrec @ 0.7, IPrec @ 1.0], qrels, run)
    assert found == {IPrec @ 0.7: 0.25, IPrec @ 1.0: 0.2}
    assert RecallEffort.evaluate(qrels, run) == {"q": 0.2}
    assert RecallEffort(expected=2).evaluate(qrels, run) == {"q": 0.25}


def test_q_at_a_cutoff_divides_by_the_smaller_of_cutoff_and_r():
    # Four relevant documents, the first of them found: Q@1 is 1, AP@1 of the host 1/4.
    qrels, run = {"q": dict.fromkeys("abcd", 1)}, {"q": {"a": 1.0}}
    assert (QMeasure(beta=0) @ 1).evaluate(qrels, run) == {"q": 1.0}
    assert ir_measures.calc_aggregate([AP @ 1], qrels, run) == {AP @ 1: 0.25}


def test_pyntcireval_refuses_empty_lists_and_goes_by_level():
    with pytest.raises(ValueError, match="empty"):
        ntcir.QMeasure([0, 1], [1], 1.0).compute([])
    assert QMeasure.evaluate({"q": {"a": 1}}, {}) == {"q": 0.0}
    # A grade that gains nothing: relevant by level for pyNTCIREVAL, not relevant for us.
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    labels = Labeler(qrels["q"]).label(["b", "a"])
    assert ntcir.QMeasure([0, 1, 1], [0, 2], 1.0).compute(labels) == pytest.approx((1 / 3 + 1) / 2)
    assert QMeasure(gains={1: 0}).evaluate(qrels, run)["q"] == pytest.approx((1 + 2) / (2 + 2))
