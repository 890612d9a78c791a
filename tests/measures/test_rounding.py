"""Where the order of additions or the rounding of a product would show: exact, whatever the order
of rows.
"""

import functools
import operator
import random
from fractions import Fraction

import numpy as np
import pytest

import irpref
from irpref import NPref, OriginalNDCG, curves
from irpref.kernel.segments import Segments
from irpref.measures.scale import partition
from reference import values as oracle_calc


def test_the_kernel_of_n_pref_cuts_at_the_boundary_itself():
    """100 * 0.29 is 28.999999999999996 in floating point, and 0.29 belongs to the partition above
    the boundary.
    """
    assert partition(np.array([0.29, 0.28, 0.0, 1.0]), 100, 1.0).tolist() == [29, 28, 0, 99]
    qrels = {"q": {"a": 0.29, "b": 0.285, "c": 1}}
    run = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    # With 0.29 in the 28th partition a and b would be equal.
    found = NPref(n=100, max_rel=1).evaluate(qrels, run)["q"]
    assert found == pytest.approx(
        oracle_calc("NPref", qrels, run, n=100, max_rel=1)["q"], rel=1e-14
    )
    # a loses (29 - 28), c loses (99 - 28) + (99 - 29), over N = 70 + 71, of 28 + 29 + 99.
    assert found == pytest.approx(
        float((28 + 29 - Fraction(99, 141) + 99 - Fraction(141 * 99, 141)) / 156), rel=1e-14
    )


@pytest.mark.parametrize("k", [53, 54, 60])
def test_running_sums_beyond_2_to_the_53rd_stay_with_their_topic(k):
    """In one long sum the numbers of the second topic would round away beside those of the first."""
    topics = Segments.of_lengths([1, 3])
    assert topics.running(np.array([2.0**k, 1, 1, 1])).tolist() == [2.0**k, 1, 2, 3]


def test_the_same_gains_in_another_order_are_no_better_than_the_ideal_list():
    """0.1 + 0.2 + 0.3 is larger than 0.3 + 0.2 + 0.1 in floating point, and nothing is discounted
    above rank 10.
    """
    assert 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1
    qrels = {"q": {"a": 0.1, "b": 0.2, "c": 0.3}}
    assert OriginalNDCG(base=10).evaluate(qrels, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}) == {
        "q": 1.0
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_means_of_curves_have_the_digits_of_the_evaluator_whatever_the_order_of_the_qrels(seed):
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(12)]
    qrels = {f"q{t}": {d: rng.choice([0, 0.1, 0.7, 1]) for d in docs} for t in range(40)}
    run = {t: {d: rng.random() for d in docs} for t in qrels}
    topics = list(qrels)
    rng.shuffle(topics)
    shuffled = {t: qrels[t] for t in topics}
    tables = [
        curves.npref_convergence(q, run, "RPref(max_rel=1)", n=[2, 3]) for q in (qrels, shuffled)
    ]
    assert tables[0].equals(tables[1])
    means = irpref.evaluator(
        [NPref(n=2, max_rel=1), NPref(n=3, max_rel=1)], shuffled
    ).calc_aggregate(run)
    assert tables[0]["value"].tolist() == [means[NPref(n=n, max_rel=1)] for n in (2, 3)]
    # The sum in the order given differs, or the test would say nothing.
    values = NPref(n=3, max_rel=1).evaluate(qrels, run)
    # (One by one: from Python 3.12 on `sum` carries the rounding along.)
    orders = (sorted(topics), topics, topics[::-1])
    assert len({functools.reduce(operator.add, [values[t] for t in order]) for order in orders}) > 1
