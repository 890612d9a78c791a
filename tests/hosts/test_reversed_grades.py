"""Grades that count down are told once inside the hosts, where nothing else would say so."""

import warnings

import ir_measures

import irpref
from irpref import QMeasure

QRELS = {f"q{t}": {f"d{i}": 1 + i % 4 for i in range(12)} for t in range(20)}
RUN = {
    q: {d: 5 * (t % 3 == 0) - g + i / 100 for i, (d, g) in enumerate(docs.items())}
    for t, (q, docs) in enumerate(QRELS.items())
}


def told(qrels, run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ir_measures.calc_aggregate([QMeasure], qrels, run)
    return [one for one in caught if "higher grade lower" in str(one.message)]


def test_grades_that_count_down_are_told():
    (one,) = told(QRELS, RUN)
    assert issubclass(one.category, irpref.IrprefWarning)


def test_grades_in_order_are_not():
    turned = {q: {d: 5 - g for d, g in docs.items()} for q, docs in QRELS.items()}
    assert told(turned, RUN) == []
    assert told(dict(list(QRELS.items())[:5]), RUN) == []  # too few topics to tell
    binary = {q: {d: int(g > 2) for d, g in docs.items()} for q, docs in QRELS.items()}
    assert len(told(binary, RUN)) <= 1


def test_what_the_first_topics_show_is_enough_only_if_it_is_sure():
    more = {f"q{t}": {f"d{i}": 1 + i % 4 for i in range(12)} for t in range(40)}
    run = {q: {d: -g for d, g in docs.items()} for q, docs in more.items()}
    assert len(told(more, dict(list(run.items())[20:]))) == 1  # answers none of the first topics
    mixed = {
        q: {d: g if t % 2 and t < 20 else -g for d, g in docs.items()}
        for t, (q, docs) in enumerate(more.items())
    }
    assert len(told(more, mixed)) == 1
