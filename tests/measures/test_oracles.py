"""Every measure of the package against its oracle, topic by topic, on collections drawn by
Hypothesis.
"""

import gzip
import itertools
import random
import warnings
from typing import NamedTuple

import ir_measures
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ir_measures import ScoredDoc

import irpref
from compared import ORACLE, count
from forms import FORMS, WAYS, looked_up
from irpref.measures import registered
from reference import FORMULAS as ORACLES
from reference import values as oracle_calc
from strategies import Collection, collections, parameters, positive_grades, random_collection

REGISTRY = ir_measures.measures.registry
ANOTHER_NAME = {name for name in ORACLES if name != REGISTRY[name].NAME}  # of a variant
NEEDS_KNOWN = {name for name in ORACLES if "known" in REGISTRY[name].NEEDS}
LEAVES_OUT = [
    name
    for name in registered()
    if {"gains", "max_rel", "top"} <= set(registered()[name].SUPPORTED_PARAMS)
]
COUNTS_EXPECTED = [
    name for name in registered() if "expected" in registered()[name].SUPPORTED_PARAMS
]


def plain(name: str) -> dict:
    """Parameters without which a measure has no value, and small ones where the usual are for long
    lists.
    """
    spec = registered().get(name)
    if spec is None:
        return {}
    given = {p: v for p, v in type(spec).VARIANTS[0].items() if spec.SUPPORTED_PARAMS[p].required}
    return given | ({"depth": 50} if "depth" in spec.SUPPORTED_PARAMS else {})


class FloatQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float


def package_calc(name, qrels, run, parameters):
    """Values by topic, each topic once. An inferred scale warns, which is right and not of interest
    here.
    """
    measure = REGISTRY[name](**parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.ScaleWarning)
        metrics = list(ir_measures.iter_calc([measure], qrels, run))
    values = {metric.query_id: metric.value for metric in metrics}
    assert len(values) == len(metrics)
    return values


def with_column(qrels, name, value):
    """The judgments as a frame, with a further column: value(topic, document)."""
    rows = [
        (topic, doc, float(grade), value(topic, doc))
        for topic, docs in qrels.items()
        for doc, grade in docs.items()
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", name])


def knowing(qrels, known):
    return with_column(qrels, "known", lambda topic, doc: doc in known[topic])


def assert_same(values, expected):
    """Same topics, then same values to 1e-12."""
    assert sorted(values) == sorted(expected)
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)
    count(ORACLE, len(values))


@pytest.mark.registry
def test_every_measure_has_an_oracle():
    assert set(ORACLES) - ANOTHER_NAME == set(registered()) - ANOTHER_NAME


@pytest.mark.parametrize("name", sorted(set(ORACLES) - NEEDS_KNOWN))
@given(collection=collections(), data=st.data())
def test_measure_equals_its_oracle(name, collection: Collection, data):
    options = data.draw(parameters(name, positive_grades(collection.qrels)))
    assert_same(
        package_calc(name, collection.qrels, collection.run, options),
        oracle_calc(name, collection.qrels, collection.run, **options),
    )


@pytest.mark.parametrize("name", sorted(set(ORACLES) - NEEDS_KNOWN))
@given(
    collection=collections(),
    data=st.data(),
    forms=st.tuples(st.sampled_from(sorted(FORMS)), st.sampled_from(sorted(FORMS))),
    way=st.sampled_from(WAYS),
)
def test_measure_of_every_form_equals_its_oracle(name, collection: Collection, data, forms, way):
    qrels = {
        query_id: docs for query_id, docs in collection.qrels.items() if docs
    }  # rows hold no empty topic
    judged = [
        FloatQrel(query_id, doc, float(grade))
        for query_id, docs in qrels.items()
        for doc, grade in docs.items()
    ]
    rows = [
        ScoredDoc(query_id, doc, score)
        for query_id, docs in collection.run.items()
        for doc, score in docs.items()
    ]
    assume(rows and any(row.query_id in qrels for row in rows))
    options = data.draw(parameters(name, positive_grades(qrels)))
    measure = REGISTRY[name](**options)
    with warnings.catch_warnings(), looked_up(way):
        warnings.simplefilter("ignore", irpref.ScaleWarning)
        evaluator = irpref.evaluator([measure], FORMS[forms[0]](judged))
        values = {
            metric.query_id: metric.value for metric in evaluator.iter_calc(FORMS[forms[1]](rows))
        }
    assert_same(values, oracle_calc(name, qrels, collection.run, **options))


@pytest.mark.parametrize("name", sorted(NEEDS_KNOWN))
@given(collection=collections(), data=st.data())
def test_measure_of_the_known_documents_equals_its_oracle(name, collection: Collection, data):
    options = data.draw(parameters(name))
    known = {
        query_id: set(data.draw(st.lists(st.sampled_from(sorted(judgments)), unique=True)))
        for query_id, judgments in collection.qrels.items()
    }
    assert_same(
        package_calc(name, knowing(collection.qrels, known), collection.run, options),
        oracle_calc(name, collection.qrels, collection.run, known=known, **options),
    )


@pytest.mark.parametrize("name", COUNTS_EXPECTED)
@given(collection=collections(), data=st.data())
def test_numbers_expected_by_topic(name, collection: Collection, data):
    options = data.draw(parameters(name).map(lambda drawn: drawn | {"expected": "expected"}))
    expected = {
        query_id: data.draw(st.sampled_from((1, 2, 3, 1.5, 9)), label=query_id)
        for query_id in collection.qrels
    }
    assert_same(
        package_calc(
            name,
            with_column(collection.qrels, "expected", lambda topic, _: expected[topic]),
            collection.run,
            options,
        ),
        oracle_calc(name, collection.qrels, collection.run, **options | {"expected": expected}),
    )


@pytest.mark.parametrize("top", ["keep", "drop"])
@pytest.mark.parametrize("name", LEAVES_OUT)
@given(collection=collections(integer_only=True))
def test_a_gain_for_grade_0(name, top, collection: Collection):
    options = {**type(registered()[name]).VARIANTS[0], "gains": {0: 0.5}, "max_rel": 3, "top": top}
    assert_same(
        package_calc(name, collection.qrels, collection.run, options),
        oracle_calc(name, collection.qrels, collection.run, **options),
    )


def assert_agrees(name, qrels, run, options):
    known = {}
    if name in NEEDS_KNOWN:
        known = {
            "known": {
                query_id: set(sorted(judgments)[::2]) for query_id, judgments in qrels.items()
            }
        }
    given = knowing(qrels, known["known"]) if known else qrels
    assert_same(
        package_calc(name, given, run, options), oracle_calc(name, qrels, run, **known, **options)
    )


@pytest.mark.parametrize(
    "grades", [(0, 0, 0, 1, 1, 2, 3), (-2, -1, 0, 0, 1, 2), (0.0, 0.1, 0.25, 1.0)]
)
@pytest.mark.parametrize("name", sorted(ORACLES))
def test_longer_lists(name, grades):
    assert_agrees(name, *random_collection(seed=2006, grades=grades), plain(name))


def test_twist_at_its_usual_depth():
    qrels, run = random_collection(seed=2016, n_topics=5)
    assert_same(package_calc("Twist", qrels, run, {}), oracle_calc("Twist", qrels, run))


@pytest.mark.registry
@given(collections(), st.data())
def test_measures_asked_for_together(collection: Collection, data):
    names = sorted(set(ORACLES) - NEEDS_KNOWN)
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=2, max_size=5, unique=True))
    options = {
        name: data.draw(parameters(name, positive_grades(collection.qrels)), label=name)
        for name in chosen
    }
    measures = {REGISTRY[name](**options[name]): name for name in chosen}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irpref.ScaleWarning)
        metrics = list(ir_measures.iter_calc(list(measures), collection.qrels, collection.run))
    assert len(metrics) == len(measures) * len(collection.qrels)
    for measure, name in measures.items():
        values = {metric.query_id: metric.value for metric in metrics if metric.measure == measure}
        assert_same(values, oracle_calc(name, collection.qrels, collection.run, **options[name]))


def read_trec(path, column):
    """topic -> document -> number of one TREC file, by the plainest means."""
    table: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            fields = line.split()
            table.setdefault(fields[0], {})[fields[2]] = float(fields[column])
    return table


def assert_all_agree(qrels, run):
    for name in ORACLES:
        options = {
            parameter: value for parameter, value in plain(name).items() if parameter != "depth"
        }
        assert_agrees(name, qrels, run, options)


@pytest.mark.registry
@pytest.mark.slow
def test_a_submitted_run(data_dir):
    collection = data_dir / "trec-covid-r3"
    qrels = read_trec(next((collection / "qrels").iterdir()), column=3)
    run = read_trec(collection / "runs" / "CORD-19-LTR.run.gz", column=4)
    assert_all_agree(dict(list(qrels.items())[:12]), run)


@pytest.mark.registry
@pytest.mark.slow
def test_judgments_with_negative_grades(data_dir):
    # Only the judgments are public: the run is a shuffle of every second judged document and some
    # others.
    qrels = read_trec(data_dir / "qrels-only" / "qrels" / "web2011-adhoc.txt.gz", column=3)
    # Loops over pairs: 150 documents of a topic take a sixth of the time of all.
    qrels = {
        query_id: dict(list(judgments.items())[:150])
        for query_id, judgments in list(qrels.items())[:12]
    }
    assert min(grade for judgments in qrels.values() for grade in judgments.values()) < 0
    rng = random.Random(2011)
    run = {
        query_id: {
            doc: rng.randint(0, 200)
            for doc in [*list(judgments)[::2], *(f"u{n}" for n in range(80))]
        }
        for query_id, judgments in qrels.items()
    }
    assert_all_agree(qrels, run)


@pytest.mark.parametrize("name", ["CRP", "CRPRecovery", "Twist"])
def test_a_topic_with_negative_grades_beside_one_without(name):
    # With it, both are read at all ranks of the list; without it, only as far as the curve moves.
    for ranking in itertools.permutations(["a", "n", "m", "x"]):
        qrels = {"q": {"a": 1, "n": -1, "m": 0}, "plain": {"a": 1, "m": 0}}
        run = {query_id: {doc: -float(i) for i, doc in enumerate(ranking)} for query_id in qrels}
        assert_same(
            package_calc(name, qrels, run, plain(name)),
            oracle_calc(name, qrels, run, **plain(name)),
        )
