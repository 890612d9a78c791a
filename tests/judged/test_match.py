"""Ways of looking documents up: one by one, all at once in compiled code. The answers are the same."""

import copy
import pickle
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from forms import WAYS, look_up
from irpref.data.columns import Coded
from irpref.data.texts import Texts
from irpref.errors import ColumnError, ConflictError, RunError
from irpref.judged import align, order
from irpref.judged.judgments import judgments
from irpref.judged.run import align_run
from irpref.kernel.segments import Segments
from irpref.messages import DuplicateWarning
from refused import refuses

TOPICS, DEPTH = 6, 300


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float


class Retrieved(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def frame(rows, dtype):
    query_id, doc_id, value = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            "query_id": pd.Series(query_id, dtype=dtype),
            "doc_id": pd.Series(doc_id, dtype=dtype),
            rows[0]._fields[2]: value,
        }
    )


def nested(rows):
    out = {}
    for topic, doc, value in rows:
        out.setdefault(topic, {})[doc] = value
    return out


FORMS = {
    "dict": nested,
    "namedtuples": list,
    "object": lambda rows: frame(rows, object),
    "str": lambda rows: frame(rows, "str"),
    "category": lambda rows: frame(rows, "category"),
    "polars": lambda rows: pl.DataFrame(rows, orient="row"),
}


@pytest.fixture(scope="module")
def rows():
    """Judgments and a run, in no order, with ties, topics of one side only, and documents judged in
    many topics.
    """
    rng = np.random.default_rng(28)
    judged, run = [], []
    for t in range(TOPICS):
        for d in rng.choice(2 * DEPTH, DEPTH, replace=False).tolist():
            judged.append(Judgment(f"t{t}", f"doc-{d}", float(rng.integers(-1, 4))))
        for d in rng.choice(2 * DEPTH, DEPTH, replace=False).tolist():
            run.append(Retrieved(f"t{t + 1}", f"doc-{d}", float(rng.integers(0, 99))))
    return [judged[i] for i in rng.permutation(len(judged))], [
        run[i] for i in rng.permutation(len(run))
    ]


def plain(judged, run):
    """Rank, topic, document and grade of each retrieved judged document, straight from the rule."""
    grade = {(q, d): g for q, d, g in judged}
    out = []
    for topic in dict.fromkeys(q for q, _, _ in judged):
        ranked = sorted(((s, d) for q, d, s in run if q == topic), reverse=True)
        out += [
            (topic, i, d, grade[topic, d])
            for i, (_, d) in enumerate(ranked, 1)
            if (topic, d) in grade
        ]
    return sorted(out)


def found(pool, run):
    judged = align_run(pool, run)
    return sorted(
        (pool.topic_ids[t], rank, pool.doc_ids[row], grade)
        for t, rank, row, grade in zip(
            judged.hits.topic.tolist(),
            judged.rank.tolist(),
            judged.row.tolist(),
            judged.grade.tolist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("run_form", FORMS)
@pytest.mark.parametrize("qrels_form", FORMS)
def test_every_way_gives_the_same(qrels_form, run_form, way, rows, monkeypatch):
    look_up(monkeypatch, way)
    judged, run = rows
    assert found(judgments(FORMS[qrels_form](judged)).pool(), FORMS[run_form](run)) == plain(
        judged, run
    )


@pytest.mark.parametrize("qrels_way", WAYS)
def test_a_pool_serves_runs_of_every_way(qrels_way, rows, monkeypatch):
    judged, run = rows
    look_up(monkeypatch, qrels_way)
    pool = judgments(frame(judged, object)).pool()
    for way in (*WAYS, *WAYS):
        look_up(monkeypatch, way)
        assert found(pool, frame(run, object)) == plain(judged, run)
        assert found(pickle.loads(pickle.dumps(pool)), frame(run, object)) == plain(judged, run)


@pytest.mark.parametrize("way", WAYS)
def test_categories_that_are_the_same_text(way, monkeypatch):
    """1 and '1' are two categories and one document: the last row counts."""
    look_up(monkeypatch, way)
    docs = pd.Series(pd.Categorical(["1", 1, 2, 1, 2, "1"], categories=[1, "1", 2]))
    run = pd.DataFrame(
        {"query_id": list("qqqrrr"), "doc_id": docs, "score": [3.0, 1.0, 2.0, 9.0, 8.0, 7.0]}
    )
    with pytest.warns(DuplicateWarning, match="repeats 2 documents"):
        assert found(judgments({"q": {"1": 1}, "r": {"1": 2}}).pool(), run) == [
            ("q", 2, "1", 1.0),
            ("r", 2, "1", 2.0),
        ]


@pytest.mark.parametrize("way", WAYS)
def test_categories_that_no_unicode_text_can_hold(way, monkeypatch):
    look_up(monkeypatch, way)
    ids = pd.Index(
        ["\ud800", "a"], dtype=object
    )  # pandas would make Arrow strings of them where it has pyarrow
    docs = pd.Series(pd.Categorical.from_codes([0, 1, 0, 1], categories=ids))
    run = pd.DataFrame({"query_id": list("qqrr"), "doc_id": docs, "score": [2.0, 1.0, 1.0, 2.0]})
    pool = judgments({"q": {"\ud800": 1}, "r": {"\ud800": 2}}).pool()
    assert found(pool, run) == [("q", 1, "\ud800", 1.0), ("r", 2, "\ud800", 2.0)]


@pytest.mark.parametrize("way", WAYS)
def test_ids_of_any_type_are_compared_as_text(way, monkeypatch):
    look_up(monkeypatch, way)
    qrels = {"1": {"7": 1, "True": 2, "2.5": 3, "x": 0}}
    run = {1: {7: 4.0, True: 3.0, 2.5: 2.0, "x": 1.0}}
    expected = [("1", 1, "7", 1.0), ("1", 2, "True", 2.0), ("1", 3, "2.5", 3.0), ("1", 4, "x", 0.0)]
    table = pd.DataFrame(
        {"query_id": [1] * 4, "doc_id": [7, True, 2.5, "x"], "score": [4.0, 3.0, 2.0, 1.0]}
    )
    for form in (
        run,
        table,
        table.astype({"doc_id": "category"}),
        [Retrieved(*r) for r in table.values.tolist()],
    ):
        assert found(judgments(qrels).pool(), form) == expected
    with refuses(RunError, topic="1", doc="7"):
        align_run(judgments(qrels).pool(), {"1": {7: 1.0, "7": 2.0}})
    with refuses(ConflictError, topic="1", doc="7", value=(2, 1)):
        judgments({"1": {7: 1, "7": 2}}).pool()
    numbers = pd.DataFrame(
        {"query_id": [1, 1], "doc_id": np.array([7, 8], dtype="uint8"), "score": [1.0, 2.0]}
    )
    assert found(judgments(qrels).pool(), numbers) == [("1", 2, "7", 1.0)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=str)
def test_a_missing_id_is_named(missing, way, monkeypatch):
    look_up(monkeypatch, way)
    for column in ("query_id", "doc_id"):
        table = pd.DataFrame(
            {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]}, dtype=object
        )
        table.loc[1, column] = missing
        rows = table.values.tolist()
        numbers = table.assign(**{column: pd.array([1, None], dtype="Int64")})
        of_polars = pl.DataFrame(table.astype(object).where(table.notna(), None).to_dict("list"))
        for form in (
            table,
            table.astype({column: "category"}),
            [Retrieved(*r) for r in rows],
            numbers,
            of_polars,
        ):
            with refuses(ColumnError, column=column, missing=()):
                align_run(judgments({"q": {"a": 1}}).pool(), form)


@pytest.mark.parametrize("way", WAYS)
def test_text_that_is_no_unicode_is_an_id(way, monkeypatch):
    """A lone surrogate, as `surrogateescape` leaves it: no UTF-8 has it."""
    look_up(monkeypatch, way)
    judged = [Judgment("q", "a", 1.0), Judgment("q", "\udcff", 2.0)]
    run = [Retrieved("q", "a", 1.0), Retrieved("q", "\udcff", 2.0), Retrieved("q", "\udcfe", 1.0)]
    for form in ("dict", "namedtuples", "object"):
        assert found(judgments(FORMS[form](judged)).pool(), FORMS[form](run)) == plain(judged, run)
        assert found(judgments(FORMS[form](judged[:1])).pool(), FORMS[form](run)) == plain(
            judged[:1], run
        )
        assert found(judgments(FORMS[form](judged)).pool(), FORMS[form](run[:1])) == plain(
            judged, run[:1]
        )


@pytest.mark.parametrize("way", WAYS)
def test_categories_that_no_row_has(way, rows, monkeypatch):
    look_up(monkeypatch, way)
    judged, run = rows
    table = frame(run, object)
    names = [*(f"none {i}" for i in range(5000)), *dict.fromkeys(table["doc_id"])]
    for categories in (names, names[4990:]):
        table["doc_id"] = pd.Categorical(frame(run, object)["doc_id"], categories=categories)
        assert found(judgments(judged).pool(), table) == plain(judged, run)


@given(
    topics=st.lists(st.lists(st.integers(0, 3), max_size=40), min_size=1, max_size=4),
    rng=st.randoms(use_true_random=False),
    name=st.sampled_from(["d{}", "clueweb09-en0000-00-{:05}", "{}é", "x" * 9 + "{}", "\0{}"]),
    falls=st.booleans(),
)
def test_the_order_is_that_of_the_rule(topics, rng, name, falls):
    if falls:
        topics = [sorted(scores, reverse=True) for scores in topics]
    score = np.array([s for scores in topics for s in scores], dtype=np.float64)
    docs = [name.format(i) for i in range(score.size)]
    rng.shuffle(docs)
    lengths = np.array([len(scores) for scores in topics])
    segments = Segments.of_lengths(lengths)
    coded = (
        Coded(Texts.from_strings(docs[::-1]), np.arange(len(docs))[::-1])
        if Texts.from_strings(docs)
        else docs
    )
    for kind in (list, lambda docs: Texts.from_strings(docs) or docs, lambda docs: coded):
        part = align.Part(np.arange(len(topics)), lengths, kind(docs), score, np.arange(len(docs)))
        moved = order.evaluation_order(score, segments, part.falling)
        rows = np.arange(score.size) if moved is None else moved.put(np.arange(score.size))
        expected = [
            i
            for a, b in zip(segments.starts.tolist(), segments.ends.tolist(), strict=True)
            for i in sorted(range(a, b), key=lambda i: (score[i], docs[i]), reverse=True)
        ]
        assert rows.tolist() == expected


def test_what_a_run_remembers_goes_with_it():
    """Scales of one pool, and what was read off with each, survive a copy of the judged run."""
    measures = irpref.parse_all(
        ["RPref(max_rel=7)", *(f"NPref(n={n},max_rel=7)" for n in range(2, 9))]
    )
    evaluator = irpref.evaluator(measures, {"q": {f"d{i}": i * i % 8 for i in range(40)}})
    for seed in range(30):
        run = {"q": {f"d{i}": float(i * (seed + 3) % 41) for i in range(40)}}
        judged = evaluator.align(run)
        expected = evaluator.values_of(judged)
        for again in (pickle.loads(pickle.dumps(judged)), copy.deepcopy(judged)):
            values = evaluator.values_of(again)
            assert all(
                values[measure].tolist() == expected[measure].tolist() for measure in measures
            )


def test_grades_that_differ_by_next_to_nothing_stand_in_order():
    # 1 - 1e-17 is 1 in doubles, which is no reason to take 1e-17 for 0.
    pool = judgments({"q1": {"a": 1.0}, "q2": {"x": 0.0, "y": 1e-17, "z": 2e-17, "w": 0.0}}).pool()
    assert pool.grade.tolist() == [1.0, 2e-17, 1e-17, 0.0, 0.0]
    grades = {"a": 1e17, "b": 1e17 - 16, "c": 1e17 - 32}
    read = judgments({"q": grades}, columns={"relevance": "relevance"})
    assert read.pool().grade.tolist() == [*grades.values()]
