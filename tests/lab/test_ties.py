"""What tied documents can do to a value, against every order of them one by one."""

import itertools
import math
import random
from collections import defaultdict
from fractions import Fraction
from functools import partial

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_holes import host_parameters

import irpref
from compared import ORDERS, count
from irpref.errors import MeasureError
from irpref.judged.run import align_run
from irpref.kernel import WeightedSum
from irpref.measures import registered
from irpref.measures.declare import KernelMeasure, Param
from irpref_lab.trust.ties import tie_intervals
from irpref_lab.trust.ties.over_orders import over_ties
from reference import FORMULAS as ORACLES
from reference.host_measures import EVERYDAY
from strategies import collections, few_relevant, parameters, positive_grades

COLUMNS = ["query_id", "doc_id", "relevance", "known"]


def every_order(scores):
    """All rankings of one topic that its scores allow, as lists of document ids."""
    tied = defaultdict(list)
    for doc, score in scores.items():
        tied[float(score)].append(doc)
    groups = [itertools.permutations(tied[score]) for score in sorted(tied, reverse=True)]
    for parts in itertools.product(*groups):
        yield [doc for part in parts for doc in part]


def over_orders(value, scores):
    """Lowest, mean and highest value over all orders: exact if `value` is."""
    found = [value(ranking) for ranking in every_order(scores)]
    mean = (
        sum(found, Fraction(0)) / len(found)
        if isinstance(found[0], Fraction)
        else math.fsum(found) / len(found)
    )
    return min(found), mean, max(found)


def known(doc):
    return sum(map(ord, doc)) % 3 == 0


def rows(qrels):
    """Judgments with the column that Coverage and Novelty read."""
    return [
        {"query_id": q, "doc_id": d, "relevance": g, "known": known(d)}
        for q, of in qrels.items()
        for d, g in of.items()
    ]


def _agree(measure, value_of, collection):
    frame = tie_intervals([measure], pd.DataFrame(rows(collection.qrels)), collection.run)
    frame = frame[frame.query_id.notna()].set_index("query_id")
    assert set(frame.index) == set(collection.qrels)
    for query_id, row in frame.iterrows():
        judgments, scores = collection.qrels[query_id], collection.run.get(query_id, {})
        truth = [float(v) for v in over_orders(lambda r, j=judgments: value_of(r, j), scores)]
        assert row.exact
        assert row.error == 0
        assert row.low <= row.value <= row.high
        assert row.low <= row.expected <= row.high
        assert [row.low, row.expected, row.high] == pytest.approx(truth, rel=1e-12, abs=1e-13), (
            query_id,
            str(measure),
        )
        count(ORDERS, len(truth))


small = collections(max_topics=2, max_docs=6).filter(lambda c: any(q in c.qrels for q in c.run))


@pytest.mark.parametrize("name", list(registered()))
@given(data=st.data())
@settings(deadline=None)
def test_our_measures_agree_with_every_order_one_by_one(name, data):
    collection = data.draw(small)
    own = data.draw(parameters(name, positive_grades(collection.qrels)))
    if "max_rel" in registered()[name].SUPPORTED_PARAMS:
        own.setdefault("max_rel", 3)
    _agree(registered()[name](**own), _value_of(name, own), collection)


@pytest.mark.parametrize("name", list(registered()))
def test_our_measures_agree_with_every_order_where_all_is_found(name):
    own = dict(type(registered()[name]).VARIANTS[0])
    with_cutoff = [{"cutoff": 2}] if "cutoff" in registered()[name].SUPPORTED_PARAMS else []
    for more in ({}, *with_cutoff):
        given = {**own, **more}
        collection = few_relevant(2006, n_judged=4)
        _agree(registered()[name](**given), _value_of(name, given), collection)


def _value_of(name, own):
    def value(ranking, judgments):
        further = (
            {"known": {d for d in judgments if known(d)}}
            if "known" in registered()[name].SUPPORTED_PARAMS
            else {}
        )
        return ORACLES[name](ranking, judgments, **own, **further)

    return value


@pytest.mark.parametrize("name", list(EVERYDAY))
@given(data=st.data())
@settings(deadline=None)
def test_everyday_measures_agree_with_every_order_one_by_one(name, data):
    collection = data.draw(small)
    own = data.draw(host_parameters(name))
    if name in ("AP", "P", "R", "Success", "Rprec", "nDCG") or (
        name == "RR" and "cutoff" not in own
    ):
        own["judged_only"] = data.draw(st.booleans())
    _agree(getattr(ir_measures, name)(**own), lambda r, j: EVERYDAY[name](r, j, **own), collection)


VARIANTS = [
    *(
        variant
        for m in registered().values()
        for variant in type(m).variants()
        if "'expected'" not in str(variant)
    ),
    *irpref.parse_all(
        "RPref(max_rel=3,norm='relative',top='drop')@5 "
        "RPref(max_rel=3,top='drop',unretrieved='infinity') "
        "RPref(max_rel=3,unretrieved='infinity')@5 RPref(max_rel=3,top='zero')@3 "
        "NPref(max_rel=3,n=3)@6 "
        "PPlus(judged_only=True,beta=10)@5 PPlus@4 PMeasure@4 NCU(stop='graded',utility='P') "
        "CRP(judged_only=True)@6 "
        "BprefVariant(norm='old')@5 RecallEffort(expected=3)@6 AP AP@5 P@5 R@4 RR RR@3 Rprec "
        "Bpref Success@3 Judged@4 "
        "SetF NumRet nDCG nDCG@5 nDCG(dcg='exp-log2')@4 nDCG(gains={1:5,3:1})@6 "
        "RR(judged_only=True)"
    ),
]


def _bounds(measures, rows, run):
    """Tasks, and bounds by what is known of a measure and by its kernel alone: whole orders, all or
    drawn ones.
    """
    evaluator = irpref.evaluator(measures, pd.DataFrame(rows, columns=COLUMNS))
    judged = align_run(evaluator.pool, run, ties=True)
    values = evaluator.values_of(judged)
    unknown = {str(measure): Unknown(task) for measure, task in evaluator.tasks.items()}
    alone = over_ties(unknown, judged, {str(measure): value for measure, value in values.items()})
    return over_ties(evaluator.tasks, judged, values), {m: alone[str(m)] for m in evaluator.tasks}


class Unknown:
    """A kernel that the package knows nothing of."""

    def __init__(self, task):
        self.task = task

    def __call__(self, run):
        return self.task(run)


@pytest.mark.registry
@pytest.mark.parametrize("seed", range(3))
def test_what_is_known_of_a_measure_agrees_with_its_kernel_on_every_order(seed):
    rng = random.Random(seed)
    for scale in ([0, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [1, 2, 3], [0, 0, 0, 1, 3]):
        docs = [f"d{i}" for i in range(14)]
        rows = [
            ("q", d, rng.choice(scale), rng.random() < 0.4)
            for d in rng.sample(docs, rng.randint(5, 14))
        ]
        run = {"q": {d: float(rng.randrange(2)) for d in rng.sample(docs, 7)}}
        known, alone = _bounds(VARIANTS, rows, run)
        for measure, of in known.items():
            assert of.exact.all(), measure
            assert alone[measure].exact.all()
            for name in ("low", "expected", "high"):
                one, other = getattr(of, name), getattr(alone[measure], name)
                assert one == pytest.approx(other, rel=1e-12, abs=1e-13), (measure, name)


@pytest.mark.registry
def test_what_is_known_of_a_measure_holds_where_orders_are_too_many_to_count():
    rng = random.Random(14)
    rows = [("q", f"d{i}", rng.choice([0, 0, 1, 2, 3]), i % 3 == 0) for i in range(60)]
    run = {"q": {f"d{i}": float(i < 25) for i in range(10, 80)}}
    known, drawn = _bounds(VARIANTS, rows, run)
    for measure, of in known.items():
        error = math.hypot(of.error[0], drawn[measure].error[0])
        assert abs(of.expected[0] - drawn[measure].expected[0]) <= 4.5 * error + 1e-12, measure
        assert of.error[0] == 0 or not of.exact[0]
        assert of.low[0] <= drawn[measure].low[0] + 1e-12, measure
        assert of.high[0] >= drawn[measure].high[0] - 1e-12, measure
    closed = [irpref.parse(name) for name in ("AP", "nDCG@5", "P@5", "RR", "SetF", "Rprec", "R@4")]
    assert all(known[measure].exact[0] for measure in closed)


def test_the_standard_error_of_drawn_means_is_right():
    # AP has a closed form; put through the draws as if it had none, in topics whose ties begin at
    # other ranks.
    qrels = {f"q{t:03}": {f"d{i}": int(i % 7 == t % 7) for i in range(40)} for t in range(150)}
    run = {
        q: {f"d{i}": 1.0 for i in range(70)} | {f"x{i}": 2.0 + i for i in range(t)}
        for t, q in enumerate(qrels)
    }
    ap = ir_measures.AP
    evaluator = irpref.evaluator([ap], qrels)
    (task,) = evaluator.tasks.values()
    judged = align_run(evaluator.pool, run, ties=True)
    truth, drawn = (
        over_ties({ap: each}, judged, {ap: task(judged)})[ap] for each in (task, Unknown(task))
    )
    assert truth.exact.all()
    assert not drawn.exact.any()
    off = (drawn.expected - truth.expected) / drawn.error
    assert 0.8 < np.sqrt((off**2).mean()) < 1.25
    assert (drawn.error <= 5e-4).mean() > 0.9


def test_an_order_and_its_reverse_may_hide_what_is_rare():
    # One relevant document among 300 tied ones counts at the first two of their ranks alone, and is
    # not drawn there.
    first = {f"a{i:02}": i / 12 for i in range(12)}
    qrels = {"q": first | {"u": 1.0} | {f"z{i}": 0.0 for i in range(60)}}
    measure = irpref.parse("RPref(max_rel=1)@14")

    def value(*order):
        run = {doc: -float(rank) for rank, doc in enumerate(order)}
        return next(iter(irpref.evaluator([measure], qrels).iter_calc({"q": run}))).value

    ways = [
        value(*docs, *rest)
        for docs in (first, [*first][::-1])
        for rest in ("xu", "ux", *["xy"] * 298)
    ]
    run = dict.fromkeys(first, 2.0) | dict.fromkeys(["u", *(f"x{i}" for i in range(299))], 1.0)
    found = tie_intervals([measure], qrels, {"q": run}).iloc[0]
    assert abs(found.expected - np.mean(ways)) < 2 * found.error
    linear = tie_intervals(["CRP"], qrels, {"q": run}).iloc[0]
    assert linear.exact or linear.error < 1e-9


def test_the_draws_of_a_topic_are_those_of_the_topic_alone():
    rng = np.random.default_rng(3)
    qrels = {
        f"q{t}": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 4, 100))} for t in range(4)
    }
    run = {q: {f"d{i}": float(i % 3) for i in range(120)} for q in qrels}
    names = ["RPref(max_rel=3)", "Twist", "ERR@20", "NCU(stop='graded')"]
    frame = tie_intervals(names, qrels, run)
    assert not frame.exact.any()
    for topic in qrels:
        for name in names:
            alone = tie_intervals([name], {topic: qrels[topic]}, {topic: run[topic]}).iloc[:1]
            here = frame[(frame.query_id == topic) & (frame.measure == name)]
            pd.testing.assert_frame_equal(alone.reset_index(drop=True), here.reset_index(drop=True))


def test_a_constant_scorer_of_a_thousand_documents_has_its_expectation():
    n, found, missed = 1000, {3: 40, 2: 60, 1: 100, 0: 300}, {2: 50, 0: 200}
    grades = [g for g, size in found.items() for _ in range(size)]
    qrels = {
        "q": {f"d{i}": g for i, g in enumerate(grades)}
        | {f"m{g}.{i}": g for g, k in missed.items() for i in range(k)}
    }
    run = {"q": {f"d{i}": 1.0 for i in range(n)}}
    relevant, pool = 200, 250
    ap = (
        sum((1 + Fraction((relevant - 1) * (r - 1), n - 1)) / r for r in range(1, n + 1))
        * relevant
        / n
        / pool
    )
    rr = sum(
        Fraction(math.comb(n - r, relevant - 1), math.comb(n, relevant)) / r
        for r in range(1, n + 1)
    )
    mean_gain = Fraction(3 * 40 + 2 * 60 + 100, n)
    ideal = sorted([3] * 40 + [2] * 110 + [1] * 100, reverse=True)
    dcg = float(mean_gain) * math.fsum(1 / math.log2(r + 1) for r in range(1, n + 1))
    # Each relevant document adds its gain + 1 to the numerator of its own ratio and of those below.
    below = [sum(ideal[:r]) + r for r in range(1, n + 1)]
    added, best = sum((g + 1) * found[g] for g in (1, 2, 3)), found[3]
    q = (
        sum(
            Fraction(added, n) * (1 + Fraction((relevant - 1) * r, n - 1)) / d
            for r, d in enumerate(below)
        )
        / pool
    )
    o = sum(
        Fraction(math.comb(n - 1 - r, relevant - 1), math.comb(n, relevant))
        * Fraction(added, relevant)
        / d
        for r, d in enumerate(below)
    )
    p = sum(
        Fraction(math.comb(n - 1 - r, best - 1), math.comb(n, best))
        * (4 + Fraction((added - 4 * best) * r, n - best))
        / d
        for r, d in enumerate(below)
    )
    # Of the first ten, the best is at place r if no better one is among them, and no other of its
    # grade is above.
    at_10, better = 0, 0
    for grade in (3, 2, 1):
        lower = [found[g] * (g + 1) for g in range(1, grade)]
        rest = n - better - found[grade]
        for r in range(10):
            chance = Fraction(
                math.perm(rest, r) * found[grade] * math.perm(n - better - r - 1, 9 - r),
                math.perm(n, 10),
            )
            at_10 += chance * (grade + 1 + Fraction(sum(lower) * r, rest)) / below[r]
        better += found[grade]
    # A relevant document has each number of the 300 non-relevant ones above it with the same
    # probability.
    bpref_r = Fraction(relevant, pool) * (
        1 - Fraction(sum(min(a, 250) for a in range(301)), 301) / 250
    )
    truth = {
        "AP": ap,
        "QMeasure": q,
        "NCU": q,
        "OMeasure": o,
        "RR": rr,
        "P@10": Fraction(relevant, n),
        "nDCG": dcg / math.fsum(g / math.log2(r + 1) for r, g in enumerate(ideal, start=1)),
    }
    drawn = {"BprefVariant(norm='R')": bpref_r, "PMeasure": p, "PMeasure@10": at_10}
    frame = tie_intervals([*truth, *drawn], qrels, run)
    first = frame[frame.query_id == "q"].set_index("measure")
    assert first.exact.to_dict() == dict.fromkeys(truth, True) | dict.fromkeys(drawn, False)
    for measure, expected in truth.items():
        assert first.expected[measure] == pytest.approx(float(expected), rel=1e-12), measure
    for measure, expected in drawn.items():
        assert abs(first.expected[measure] - float(expected)) <= 4 * first.error[measure] + 1e-12, (
            measure
        )
    assert first.low["AP"] == pytest.approx(
        float(sum(Fraction(i, n - relevant + i) for i in range(1, relevant + 1)) / pool)
    )
    assert first.high["AP"] == pytest.approx(relevant / pool)


def _rank_biased(run, *, p):
    """A measure of the tests' own: rank-biased precision of the grades."""
    share = (1 - p) * p ** (run.rank - 1.0) * np.maximum(run.grade, 0)
    return run.hits.total(share)


class _RankBiased(KernelMeasure, kernel=_rank_biased):
    NAME = "RankBiasedGrades"
    SUPPORTED_PARAMS = {"p": Param(float, "persistence", default=0.8)}


class _RankBiasedWithForm(_RankBiased):
    @staticmethod
    def over_ties(run, *, p):
        gain = np.maximum(run.pool.grade, 0.0)
        return WeightedSum(gain, np.ones(run.n_topics), lambda rank, _: (1 - p) * p ** (rank - 1.0))


@pytest.mark.parametrize("measure", [_RankBiased(), _RankBiasedWithForm()])
def test_a_measure_of_ones_own_works_with_and_without_a_form(measure):
    rng = random.Random(8)
    rows = [("q", f"d{i}", rng.choice([0, 0, 1, 2]), False) for i in range(30)]
    run = {"q": {f"d{i}": float(-(i // 4)) for i in range(40)}}
    task = partial(_rank_biased, p=0.8)
    judged = align_run(
        irpref.evaluator([ir_measures.AP], pd.DataFrame(rows, columns=COLUMNS)).pool, run, ties=True
    )
    bounds = over_ties({measure: task}, judged, {measure: task(judged)})[measure]
    # A gain at a rank: the mean gain of the group at each of its ranks, and the sorted orders at
    # the ends.
    grade = {d: g for _, d, g, _ in rows}
    low, mean, high = 0.0, 0.0, 0.0
    for start in range(0, 40, 4):
        grades = sorted(grade.get(f"d{i}", 0) for i in range(start, start + 4))
        weights = [0.2 * 0.8**r for r in range(start, start + 4)]
        low += sum(g * w for g, w in zip(grades, weights, strict=True))
        high += sum(g * w for g, w in zip(grades[::-1], weights, strict=True))
        mean += sum(grades) / 4 * sum(weights)
    assert bounds.low[0] == pytest.approx(low)  # by rising grade
    assert bounds.high[0] == pytest.approx(high)
    if isinstance(measure, _RankBiasedWithForm):
        assert bounds.exact[0]
        assert bounds.expected[0] == pytest.approx(mean, rel=1e-12)
    else:
        assert not bounds.exact[0]
        assert abs(bounds.expected[0] - mean) <= 4.5 * bounds.error[0]


def test_documents_that_preferences_tell_apart_are_not_interchangeable(tmp_path):
    (tmp_path / "preferences").write_text("q a b\nq b c\n")
    qrels = irpref.read_preferences(tmp_path / "preferences")
    frame = tie_intervals(["PrefShare"], qrels, {"q": dict.fromkeys("abc", 1.0)})
    # Of a > b, b > c and a > c the six orders agree with 3, 2, 2, 1, 1, 0.
    assert frame.iloc[0, 3:7].tolist() == pytest.approx([0, 1 / 2, 1, True])


def test_documents_that_are_dropped_take_no_rank_before_the_cutoff():
    run = {"x": 3.0, "a": 2.0, "b": 2.0, "c": 2.0, "y": 2.0}
    found = tie_intervals(
        ["CG(judged_only=True)@1"], {"q": {"a": 2, "b": 1, "c": 0, "d": 2}}, {"q": run}
    ).iloc[0]
    assert (found.low, found.expected, found.high, found.exact) == (0, 1, 2, True)


def test_only_what_is_above_the_cutoff_is_arranged():
    rng = random.Random(5)
    qrels = {"q": {f"d{i}": rng.choice([0, 0, 1, 2]) for i in range(60)}}
    run = {"q": {f"d{i}": float(i // 20) for i in range(80)}}
    frame = tie_intervals(["CRPRecovery@2", "CRPRecovery"], qrels, run)
    assert frame.exact.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    "name", ["QMeasure", "OMeasure", "PMeasure", "PPlus", "NCU", "NCU(stop='graded')"]
)
def test_the_largest_gains_are_ratios_still(name):
    huge, plain = ({"q": {"a": g, "b": 2 * g, "c": 0}} for g in (2e255, 1))
    run = {"q": dict.fromkeys("abcd", 1.0)}
    beta = "beta=1e20" if "(" not in name else "stop='graded',beta=1e20"
    one = tie_intervals([name], huge, run).iloc[0]
    other = tie_intervals([f"{name.partition('(')[0]}({beta})"], plain, run).iloc[0]
    columns = ["value", "low", "expected", "high"]
    assert one[columns].tolist() == pytest.approx(other[columns].tolist(), rel=1e-9)


def test_scores_that_only_float32_cannot_tell_apart_are_no_ties():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 16777217.0, "b": 16777216.0}}
    row = tie_intervals(["RR"], qrels, run).iloc[0]
    assert (row.low, row.expected, row.high) == (1.0, 1.0, 1.0)


def test_the_mean_of_the_topics_is_the_mean_of_their_numbers():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 1.0, "b": 1.0, "c": 1.0}}
    frame = tie_intervals(["RR", "NumRet"], qrels, run)
    mean = frame[frame.query_id.isna()].set_index(frame[frame.query_id.isna()].measure)
    assert mean.loc["RR", ["low", "expected", "high"]].tolist() == pytest.approx(
        [(1 / 2 + 1 / 3) / 3, (3 / 4 + 11 / 18) / 3, 2 / 3]
    )
    assert mean.loc["NumRet", ["low", "expected", "high"]].tolist() == [5, 5, 5]


def test_a_measure_that_only_the_host_computes_is_refused():
    with pytest.raises(MeasureError, match="alone") as error:
        tie_intervals(["IPrec@0.1"], {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert error.value.measure == "IPrec@0.1"
