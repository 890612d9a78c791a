"""What is true of "the relative normalization variant becomes safe for averaging over requests" (De
Beer & Moens 2006).

True: documents judged beyond those that rank above a document do not change its penalty, and in a
random sample of the judgments its expected penalty is that of all judgments, but for samples that
have nothing above it, which cost nothing.

Not true: that requests are then on one scale. In a random order the relative variant expects the
share R / (R + N) of relevant documents among the judged ones, which differs from request to
request; the absolute one expects 1/2 in all."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import irpref
from reference import FORMULAS as ORACLES

ABSOLUTE, RELATIVE = (irpref.RPref(max_rel=2, norm=norm) for norm in ("absolute", "relative"))


def in_order(ranking):
    return {"q": {doc: float(-rank) for rank, doc in enumerate(ranking)}}


def value(measure, judgments, ranking):
    return measure.evaluate({"q": judgments}, in_order(ranking))["q"]


@pytest.mark.parametrize("n_more", [1, 10, 1000])
def test_documents_judged_below_the_others_change_the_absolute_norm_only(n_more):
    judgments = {"n1": 0, "a": 2, "b": 1, "n2": 0, "c": 1}
    more = {f"m{i}": 0 for i in range(n_more)}
    ranking = list(judgments)
    relative, absolute = value(RELATIVE, judgments, ranking), value(ABSOLUTE, judgments, ranking)
    for below in ([], list(more)):  # not retrieved, or retrieved at the end
        assert value(RELATIVE, {**judgments, **more}, ranking + below) == relative
        assert value(ABSOLUTE, {**judgments, **more}, ranking + below) > absolute
    # The penalties are fixed sums; over a growing N nothing is left of them.
    assert n_more < 1000 or value(ABSOLUTE, {**judgments, **more}, ranking) > 0.99


@pytest.mark.parametrize("size", range(7))
def test_the_expected_penalty_in_a_random_sample_is_that_of_all_judgments(size):
    ranking = ["n1", "b", "n2", "a2", "n3", "b2", "a"]
    judgments = {"n1": 0, "b": 1, "n2": 0, "a2": 2, "n3": 0, "b2": 1, "a": 2, "n4": 0, "b3": 1}

    def penalty(judged):
        table = irpref.explain(RELATIVE, {"q": judged}, in_order([*ranking, "n4", "b3"]), "q")
        return float(table.set_index("doc_id").loc["a", "penalty"])

    whole = penalty(judgments)
    assert whole == pytest.approx(4 / 6)  # n1, n2, n3 cost 1, b and b2 a half, a2 nothing
    others = [doc for doc in judgments if doc != "a"]
    samples = [
        {"a": 2} | {doc: judgments[doc] for doc in chosen}
        for chosen in itertools.combinations(others, size)
    ]
    some_above = [sample for sample in samples if set(sample) & set(ranking[:-1])]
    assert sum(map(penalty, some_above)) == pytest.approx(whole * len(some_above))
    nothing_above = [sample for sample in samples if sample not in some_above]
    assert all(penalty(sample) == 0 for sample in nothing_above)  # few judgments are kind


@pytest.mark.parametrize(("n_relevant", "n_other"), [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2)])
def test_the_chance_level_of_the_relative_norm_differs_by_request(n_relevant, n_other):
    judgments = {f"r{i}": 2 for i in range(n_relevant)} | {f"n{i}": 0 for i in range(n_other)}
    orders = list(itertools.permutations(judgments))
    for measure, expected in (
        (RELATIVE, Fraction(n_relevant, n_relevant + n_other)),
        (ABSOLUTE, Fraction(1, 2)),
    ):
        by_hand = sum(
            ORACLES["RPref"](order, judgments, **measure.params) for order in orders
        ) / len(orders)
        assert by_hand == expected
        qrels = {str(i): judgments for i in range(len(orders))}
        run = {str(i): in_order(order)["q"] for i, order in enumerate(orders)}
        assert sum(measure.evaluate(qrels, run).values()) / len(orders) == pytest.approx(
            float(expected)
        )


def test_bpref_has_the_norms_and_the_top_of_the_poster():
    """Relevant a, b, c; ranking x a b y c: above a 1 of 1 judged is not relevant, above b 1 of 2,
    above c 2 of 4.
    """
    qrels = {"q": {"a": 1, "b": 1, "c": 1, "x": 0, "y": 0}}
    run = {"q": {d: -float(i) for i, d in enumerate("xabyc")}}
    after = {"q": {d: -float(i) for i, d in enumerate("axbyc")}}  # the highest is relevant
    expected = {
        "BprefVariant(norm='relative')": (0 + 1 / 2 + 1 / 2) / 3,
        "BprefVariant(norm='relative2')": (1 / 2 + 2 / 3 + 3 / 5) / 3,
        "BprefVariant(norm='relative',top='drop')": (0 + 1 / 2 + 1 / 2) / 3,  # x is the highest
    }
    for name, value in expected.items():
        measure = irpref.parse(name)
        assert irpref.evaluator([measure], qrels).calc_aggregate(run)[measure] == pytest.approx(
            value, abs=1e-15
        )
    for top, value in (
        ("keep", (1 + 1 / 2 + 1 / 2) / 3),
        ("drop", (1 / 2 + 1 / 2) / 2),
        ("zero", (1 / 2 + 1 / 2) / 3),
    ):
        for binary in (
            irpref.BprefVariant(norm="relative", top=top),
            irpref.RPref(norm="relative", top=top, max_rel=1),
        ):
            assert irpref.evaluator([binary], qrels).calc_aggregate(after)[binary] == pytest.approx(
                value, abs=1e-15
            )
    alone = irpref.BprefVariant(top="drop")  # nothing would be left
    assert (
        irpref.evaluator([alone], {"q": {"a": 1, "x": 0}}).calc_aggregate({"q": {"a": 1.0}})[alone]
        == 1
    )


def test_equation_2_read_literally_ranks_missed_documents_below_all():
    # x a leaves b and y out: x is above a, and above b if b is ranked below all.
    qrels = {"q": {"a": 1, "b": 1, "x": 0, "y": 0, "z": 0}}
    names = ["BprefN", "BprefVariant(norm='N',unretrieved='infinity')"]
    run = {"q": {"x": 2.0, "a": 1.0}}
    values = irpref.evaluator(irpref.parse_all(" ".join(names)), qrels).calc_aggregate(run)
    assert list(values.values()) == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize("top", ["keep", "drop", "zero"])
@pytest.mark.parametrize("norm", ["N", "relative", "relative2"])
def test_equation_2_read_literally_is_rpref_of_binary_grades(norm, top):
    rng = np.random.default_rng(5)
    qrels = {
        f"q{t}": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 2, 9))} for t in range(40)
    }
    run = {
        q: {f"d{i}": float(s) for i, s in enumerate(rng.random(14)) if rng.random() < 0.5}
        for q in qrels
    }
    ours = irpref.BprefVariant(norm=norm, top=top, unretrieved="infinity")
    other = irpref.RPref(
        max_rel=1, norm="absolute" if norm == "N" else norm, top=top, unretrieved="infinity"
    )
    for one, two in ((ours, other), (ours @ 4, other @ 4)):
        values = irpref.evaluator([one, two], qrels)
        by_topic = {}
        for metric in values.iter_calc(run):
            by_topic.setdefault(metric.query_id, []).append(metric.value)
        assert len(by_topic) == 40
        for first, second in by_topic.values():
            assert first == pytest.approx(second, abs=1e-15)


def test_relative_norms_need_no_top_of_the_scale(recwarn):
    qrels = {"q": {"a": 3, "b": 1, "n": 0}}
    run = {"q": {"n": 3.0, "b": 2.0, "a": 1.0}}
    measures = ["RPref(norm='relative2')", "RPref(norm='relative2',max_rel=9)"]
    plain, scaled = irpref.evaluator(measures, qrels).calc_aggregate(run).values()
    assert plain == scaled
    assert str(irpref.bind(measures[0], qrels)) == measures[0]
    assert not recwarn.list
    with pytest.warns(irpref.ScaleWarning):
        irpref.evaluator(["RPref", "NPref(n=4,norm='relative2')"], qrels)
