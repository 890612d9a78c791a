"""What tied documents can do to a value, against every order of them one by one."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irpref
from irpref.analysis.ties import tie_intervals
from irpref.measures import registered
from oracles import NEEDS_KNOWN, ORACLES
from strategies import collections, parameters, positive_grades
from tie_oracles import HOST, over_orders

CUTOFF = st.integers(1, 6)
REL = st.integers(1, 2)


def _of_host(**choices):
    return st.fixed_dictionaries({}, optional={"rel": REL, **choices})


HOST_PARAMETERS = {
    "AP": _of_host(cutoff=CUTOFF, judged_only=st.booleans()),
    "P": _of_host(judged_only=st.booleans()).flatmap(lambda p: CUTOFF.map(lambda k: {**p, "cutoff": k})),
    "R": _of_host(judged_only=st.booleans()).flatmap(lambda p: CUTOFF.map(lambda k: {**p, "cutoff": k})),
    "Success": _of_host(judged_only=st.booleans()).flatmap(lambda p: CUTOFF.map(lambda k: {**p, "cutoff": k})),
    "Rprec": _of_host(judged_only=st.booleans()),
    "RR": st.one_of(_of_host(cutoff=CUTOFF), _of_host(judged_only=st.booleans())),
    "Judged": st.fixed_dictionaries({}, optional={"cutoff": CUTOFF}),
    "nDCG": st.fixed_dictionaries(
        {},
        optional={
            "cutoff": CUTOFF,
            "judged_only": st.booleans(),
            "gains": st.sampled_from(({1: 0, 2: 5}, {1: 3, 2: 1}, {0: 1})),
        },
    ),
    "NumRet": _of_host(),
    "SetF": _of_host(beta=st.sampled_from((0.5, 1.0, 2.0))),
    "Bpref": _of_host(),
}


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
    import pandas as pd

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
        assert [row.low, row.expected, row.high] == pytest.approx(truth, rel=1e-12, abs=1e-13), (query_id, str(measure))


small = collections(max_topics=2, max_docs=6).filter(lambda c: any(q in c.qrels for q in c.run))


@pytest.mark.parametrize("name", list(registered()))
@given(data=st.data())
@settings(deadline=None)
def test_our_measures_agree_with_every_order_one_by_one(name, data):
    collection = data.draw(small)
    own = data.draw(parameters(name, positive_grades(collection.qrels)))
    if "max_rel" in registered()[name].SUPPORTED_PARAMS:
        own.setdefault("max_rel", 3)

    def value(ranking, judgments):
        further = {"known": {d for d in judgments if known(d)}} if name in NEEDS_KNOWN else {}
        return ORACLES[name](ranking, judgments, **own, **further)

    _agree(registered()[name](**own), value, collection)


@pytest.mark.parametrize("name", list(HOST))
@given(data=st.data())
@settings(deadline=None)
def test_everyday_measures_agree_with_every_order_one_by_one(name, data):
    collection = data.draw(small)
    own = data.draw(HOST_PARAMETERS[name])
    _agree(getattr(ir_measures, name)(**own), lambda r, j: HOST[name](r, j, **own), collection)


def test_without_ties_every_number_is_the_value():
    rng = np.random.default_rng(3)
    qrels = {f"q{t}": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 4, 30))} for t in range(5)}
    run = {q: {f"d{i}": float(s) for i, s in enumerate(rng.permutation(50))} for q in qrels}
    names = ["AP", "nDCG@10", "RPref(max_rel=3)", "QMeasure", "PPlus", "CRP", "Twist", "Judged@10", "RR@5"]
    frame = tie_intervals(names, qrels, run)
    for column in ("low", "expected", "high"):
        assert (frame[column] == frame.value).all()
    assert frame.exact.all()
    assert (frame.error == 0).all()


def test_scores_that_only_float32_cannot_tell_apart_are_no_ties():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 16777217.0, "b": 16777216.0}}
    row = tie_intervals(["RR"], qrels, run).iloc[0]
    assert (row.low, row.expected, row.high) == (1.0, 1.0, 1.0)


def test_the_mean_of_the_topics_is_the_mean_of_their_numbers():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 1.0, "b": 1.0, "c": 1.0}}
    frame = tie_intervals(["RR", "NumRet"], qrels, run)
    mean = frame[frame.query_id.isna()].set_index(frame[frame.query_id.isna()].measure.map(str))
    assert mean.loc["RR", ["low", "expected", "high"]].tolist() == pytest.approx(
        [(1 / 2 + 1 / 3) / 3, (3 / 4 + 11 / 18) / 3, 2 / 3]
    )
    assert mean.loc["NumRet", ["low", "expected", "high"]].tolist() == [5, 5, 5]


def test_a_measure_that_only_the_host_computes_is_refused():
    with pytest.raises(ValueError, match=r"IPrec@0\.1 is computed by ir_measures alone"):
        tie_intervals(["IPrec@0.1"], {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_beyond_the_stated_number_of_orders_the_mean_is_drawn_and_says_so():
    qrels = {"q": {f"d{i}": i % 3 for i in range(40)}}
    run = {"q": {f"d{i}": 1.0 for i in range(60)}}
    row = tie_intervals([irpref.Twist], qrels, run).iloc[0]
    assert not row.exact
    assert row.error > 0
    assert row.low < row.expected < row.high
