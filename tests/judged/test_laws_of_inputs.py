"""Laws of what goes in: every form of judgments and runs has the same values, is left as it was,
and is read again.
"""

import copy

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from test_laws import VARIANTS, Judgment, awkward, by_topic, judgments, retrieved, values

import irpref
from forms import FORMS
from irpref.judged.run import listing as listing_of
from irpref.measures import registered
from irpref.values.kernels import KernelEvaluator
from irpref.values.prepare import columns_for


@pytest.fixture(scope="module")
def collection():
    return awkward()


@pytest.fixture(scope="module")
def usual(collection) -> dict:
    """Value of every variant by topic."""
    return values(VARIANTS, judgments(collection.qrels), collection.run)


def floats(rows):
    """Rows whose numbers are all float, as a column has it."""
    return [type(row)(*(float(v) if type(v) is int else v for v in row)) for row in rows]


# What dictionaries can hold: measures that read no column.
PLAIN = [measure for measure in VARIANTS if not columns_for([measure])]


@pytest.mark.registry
def test_dictionaries_have_the_same_values(usual, collection):
    assert values(PLAIN, collection.qrels, collection.run) == {m: usual[m] for m in PLAIN}


# The host's own measures take no polars frames.
@pytest.mark.parametrize("form", [form for form in FORMS if not form.startswith("polars")])
def test_the_host_passes_every_form_on(form, collection):
    """Through ir_measures' own functions, which hand an iterator to several providers."""
    integers = {t: {d: int(g) for d, g in docs.items()} for t, docs in collection.qrels.items()}
    measures = [irpref.RPref(max_rel=3), irpref.QMeasure @ 7, ir_measures.AP, ir_measures.nDCG @ 5]
    expected = ir_measures.calc_aggregate(measures, integers, collection.run)
    qrels, run = FORMS[form](judgments(integers)), FORMS[form](retrieved(collection.run))
    assert ir_measures.calc_aggregate(measures, qrels, run) == expected


@pytest.mark.registry
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_prepared_evaluator_takes_every_form(form, usual, collection):
    evaluator = irpref.evaluator(VARIANTS, form(floats(judgments(collection.qrels))))
    assert by_topic(evaluator, form(retrieved(collection.run))) == usual


@pytest.mark.registry
def test_ways_of_asking_agree(usual, collection):
    measure = irpref.NCU(stop="rank_biased", gamma=0.7)
    by_topic = measure.evaluate(collection.qrels, collection.run)
    metrics = list(measure.iter_calc(collection.qrels, collection.run))
    assert {m.query_id: m.value for m in metrics} == by_topic
    # The host's order: topics as the run has them, then those that it lacks.
    answered = [query_id for query_id in collection.run if query_id in by_topic]
    assert [m.query_id for m in metrics][: len(answered)] == answered
    mean = measure.calc_aggregate(collection.qrels, collection.run)
    calculated = measure.calc(collection.qrels, collection.run)
    assert calculated.aggregated == mean
    assert calculated.per_query == metrics
    aggregator = measure.aggregator()
    for metric in metrics:
        aggregator.add(metric.value)
    assert aggregator.result() == mean


@pytest.mark.registry
def test_inputs_are_not_modified(collection):
    qrels, run = floats(judgments(collection.qrels)), retrieved(collection.run)
    for name, form in FORMS.items():
        if name in ("iterator", "generator"):
            continue
        given = form(qrels), form(run)
        before = copy.deepcopy(given)
        values(VARIANTS, *given)
        for mine, old in zip(given, before, strict=True):
            if isinstance(mine, pd.DataFrame):
                pd.testing.assert_frame_equal(mine, old)
            elif isinstance(mine, pl.DataFrame):
                assert mine.equals(old)
                assert mine.schema == old.schema
            elif isinstance(mine, list):
                assert mine == old
    given = copy.deepcopy(collection)
    values(PLAIN, *given)
    assert given == collection
    assert [list(docs) for docs in given.run.values()] == [
        list(docs) for docs in collection.run.values()
    ]


@pytest.mark.registry
def test_an_evaluator_may_be_used_again(usual, collection):
    evaluator = irpref.evaluator(VARIANTS, judgments(collection.qrels))
    other = {
        topic: {doc: -score for doc, score in docs.items()}
        for topic, docs in collection.run.items()
    }
    for _ in range(2):
        for run in (collection.run, other, {}, iter(retrieved(collection.run))):
            found = by_topic(evaluator, run)
        assert found == usual


@pytest.mark.parametrize("dtype", ["str", object, "category"])
def test_a_frame_that_is_changed_in_place_is_read_again(dtype):
    """The pool of qrels seen before may serve again, but only while nothing has changed."""
    rows = [
        Judgment("q1", "a", 1.0, True, 2.0),
        Judgment("q1", "b", 0.0, False, 2.0),
        Judgment("q2", "a", 2.0, True, 1.0),
    ]
    run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"b": 1.0, "a": 0.5}}
    measures = [
        registered()["QMeasure"],
        registered()["Coverage"],
        registered()["RelativeRecall"](expected="expected"),
    ]
    frame = pd.DataFrame(rows).astype({"query_id": dtype, "doc_id": dtype})
    values(measures, frame, run)
    for row, column, value in [
        (1, "relevance", 3.0),
        (0, "known", False),
        (2, "expected", 4.0),
        (2, "doc_id", "b"),
    ]:
        rows[row] = rows[row]._replace(**{column: value})
        frame.loc[row, column] = value
        assert values(measures, frame, run) == values(measures, rows, run), column


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "Float64", pl.Float64, pl.Int64])
def test_grades_that_are_changed_in_place_are_read_again(dtype):
    """pandas hands out read-only arrays that share memory with the frame."""
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    data = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "relevance": [0, 0, 1]}
    of_pandas = isinstance(dtype, str)
    frame = (
        pd.DataFrame(data).astype({"relevance": dtype})
        if of_pandas
        else pl.DataFrame(data, schema_overrides={"relevance": dtype})
    )
    for row, grade in [(0, 3), (1, 2), (2, 0), (0, 0)]:
        values([irpref.QMeasure], frame, run)  # kept from here
        if of_pandas:
            frame.loc[row, "relevance"] = grade
        else:
            frame[row, "relevance"] = grade
        grades = dict(zip(frame["doc_id"], frame["relevance"].to_list(), strict=True))
        assert values([irpref.QMeasure], frame, run) == values(
            [irpref.QMeasure], {"q": grades}, run
        )


def test_arrays_that_a_frame_shares_may_change():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}}
    ids, grades = np.array(["a", "b", "c"], dtype=object), np.array([1.0, 0.0, 2.0])
    codes = np.arange(3, dtype=np.int8)
    docs = pd.Categorical.from_codes(codes, categories=pd.Index(ids, copy=False))
    pandas = pd.DataFrame({"query_id": ["q"] * 3, "doc_id": docs, "relevance": grades}, copy=False)
    polars = pl.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "relevance": pl.Series(grades)}
    )
    for _ in range(2):
        for frame in (pandas, polars):
            names = ids if frame is pandas else ["a", "b", "c"]
            given = dict(zip(names, np.asarray(frame["relevance"]).tolist(), strict=True))
            assert values([irpref.QMeasure], frame, run) == values(
                [irpref.QMeasure], {"q": given}, run
            )
        ids[0], grades[:] = "d", [0.0, 3.0, 0.0]


ODD_IDS = [
    "",
    " ",
    "a\x00",
    "a\x00b",
    "a\tb",
    "nan",
    "None",
    "NaN",
    "<NA>",
    "010",
    "10",
    "1.0",
    "1e1",
    "True",
    "-1",
]
ODD_IDS += ["x" * 300, "é", "e\u0301", "\U0001d518", "\ue000", "\uffff", "\u2028", "文", "A", "a"]


@pytest.mark.registry
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_any_text_is_an_id(form):
    if (
        form is FORMS["pandas categorical"]
        and "a\x00" not in pd.Categorical(["a", "a\x00"]).categories
    ):
        pytest.skip("this pandas takes 'a' and 'a\\x00' for one category")
    rng = np.random.default_rng(11)
    topics = ["", "nan", "a\x00", "010"]
    qrels = {t: dict(zip(ODD_IDS, rng.integers(-1, 3, 25).tolist(), strict=True)) for t in topics}
    run = {t: {ODD_IDS[i]: 1.0 for i in rng.permutation(25)} for t in topics}  # all tied
    expected = values(PLAIN, qrels, run)
    assert values(PLAIN, form(floats(judgments(qrels))), form(retrieved(run))) == expected
    listing = listing_of(irpref.judgments(qrels).pool(), form(retrieved(run)))
    assert listing.doc_ids == sorted(ODD_IDS, reverse=True) * 4


@pytest.mark.registry
def test_values_handed_out_belong_to_the_caller(usual, collection):
    evaluator = irpref.evaluator(VARIANTS, judgments(collection.qrels))
    for value in evaluator.values(collection.run).values():
        value[:] = -7
    assert by_topic(evaluator, collection.run) == usual


@pytest.mark.registry
def test_a_pool_may_be_shared(usual, collection):
    pool = irpref.judgments(collection.qrels).pool()
    for measure in PLAIN:
        found = by_topic(KernelEvaluator([measure], pool), collection.run)
        assert found[measure] == usual[measure]
