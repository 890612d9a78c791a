"""Every public function takes every form of qrels and runs, through `irpref` as through
`pt.irpref`.
"""

import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ir_measures import AP, Qrel, ScoredDoc

import irpref
import irpref_lab
from irpref import explain, settings
from irpref.curves import (
    crp,
    cumulated_gain,
    interpolated_precision,
    npref_convergence,
    paired_differences,
    precision_histogram,
    summary_table,
)
from irpref.errors import ArgumentError, ColumnError, InputError
from irpref_lab import meta, plots
from refused import refuses

pt = pytest.importorskip("pyterrier")

QRELS = {"q1": {"007": 2, "b": 0, "c": 1, "7": 0}, "q2": {"b": 1, "d": 0}}
RUN = {"q2": {"d": 2.0, "b": 1.5, "x": 1.5}, "q1": {"b": 3.0, "007": 2.0, "7": 2.0, "z": 1.0}}
OTHER = {"q1": {"007": 3.0, "c": 2.5}, "q2": {"x": 1.0}}
OLD = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}


def rows(data, of):
    return [of(q, d, n) for q, docs in data.items() for d, n in docs.items()]


def frame(data, value):
    return pd.DataFrame(rows(data, lambda *row: row), columns=["query_id", "doc_id", value])


def both_names(data, value):
    """A frame with both names: ir-measures' win."""
    found = frame(data, value)
    other = found.rename(columns=OLD)
    return found.assign(qid=other.qid.iloc[::-1].to_numpy(), docno="none", label=7)


def written(data, value, path):
    lines = [
        f"{q} Q0 {d} 1 {n} t\n" if value == "score" else f"{q} 0 {d} {n}\n"
        for q, docs in data.items()
        for d, n in docs.items()
    ]
    path.write_text("".join(lines))
    return path


def _file(data, value, path, ending):
    path = path.with_suffix(f".{ending}")
    if ending == "json":
        path.write_text(json.dumps(data))
    elif ending == "csv":
        path.write_text(frame(data, value).to_csv(index=False))
    else:
        pl.DataFrame(frame(data, value).to_dict("list")).write_parquet(path)
    return path


FORMS = {
    "dict": lambda data, value, path: data,
    "namedtuples": lambda data, value, path: rows(data, ScoredDoc if value == "score" else Qrel),
    "iterator": lambda data, value, path: iter(rows(data, ScoredDoc if value == "score" else Qrel)),
    "pandas": lambda data, value, path: frame(data, value),
    "pandas, PyTerrier's names": lambda data, value, path: frame(data, value).rename(columns=OLD),
    "pandas, both names": lambda data, value, path: both_names(data, value),
    "polars": lambda data, value, path: pl.DataFrame(frame(data, value).to_dict("list")),
    "polars, PyTerrier's names": lambda data, value, path: pl.DataFrame(
        frame(data, value).rename(columns=OLD).to_dict("list")
    ),
    "polars lazy": lambda data, value, path: pl.LazyFrame(frame(data, value).to_dict("list")),
    "path": lambda data, value, path: written(data, value, path),
    "parquet": lambda data, value, path: _file(data, value, path, "parquet"),
    "csv": lambda data, value, path: _file(data, value, path, "csv"),
    "json": lambda data, value, path: _file(data, value, path, "json"),
}
MEASURES = ["RPref(max_rel=2)", "AP", "IPrec@0.5", "QMeasure@2"]


def table(found):
    """A frame as what can be compared."""
    if isinstance(found, pl.DataFrame):
        found = pd.DataFrame(found.to_dict(as_series=False))
    return [
        [None if pd.isna(cell) else cell for cell in row]
        for row in found.astype(object).values.tolist()
    ]


def drawn(ax):
    lines = [np.asarray(line.get_xydata()).round(12).tolist() for line in ax.get_lines()]
    bars = [patch.get_height() for patch in ax.patches]
    plt.close(ax.figure)
    return lines, bars


def names_of_columns(found):
    return set(found.columns)


def shown(page):
    """What stands on the page of a report, but for what the inputs were."""
    data = json.loads(page.html.split('type="application/json">')[1].split("</script>")[0])
    return {name: part for name, part in data.items() if name not in ("inputs", "made")}


USES = {
    "evaluator": lambda q, r: {
        str(m): v.tolist() for m, v in irpref.evaluator(MEASURES, q()).values(r()).items()
    },
    "bind": lambda q, r: irpref.bind(["RPref", "AP"], q()),
    "judgments": lambda q, r: irpref.judgments(q(), known={"q1": ["c"]}).frame()["known"].tolist(),
    "judgments of a run": lambda q, r: (
        pt.irpref.judgments(q(), known=(r(), 2)).frame()["known"].tolist()
    ),
    "scale_of": lambda q, r: settings.scale_of(q()).max_rel,
    "crp": lambda q, r: table(crp(q(), r(), per_topic=True)),
    "npref_convergence": lambda q, r: table(
        npref_convergence(q(), r(), measure="RPref(max_rel=2)")
    ),
    "interpolated_precision": lambda q, r: table(interpolated_precision(q(), r())),
    "cumulated_gain": lambda q, r: table(cumulated_gain(q(), r())),
    "precision_histogram": lambda q, r: table(precision_histogram(q(), r(), OTHER)),
    "paired_differences": lambda q, r: table(
        paired_differences(q(), r(), OTHER, "IPrec@0.5", per_topic=True)
    ),
    "summary_table": lambda q, r: table(summary_table(q(), r())),
    "explain": lambda q, r: table(explain("RPref(max_rel=2)", q(), r(), query_id="q1")),
    "topic_values": lambda q, r: {
        n: v.matrix.tolist()
        for n, v in meta.topic_values(MEASURES, q(), {"a": r(), "b": OTHER}).items()
    },
    "thin": lambda q, r: table(meta.thin(q(), 50, rng=0)),
    "plots.crp_sketch": lambda q, r: drawn(plots.crp_sketch(q(), r(), query_id="q1")),
    "plots.crp": lambda q, r: drawn(plots.crp(q(), r())),
    "plots.topic_strip": lambda q, r: drawn(plots.topic_strip(q(), {"a": r(), "b": OTHER}, "AP")),
    "plots.measure_scatter": lambda q, r: drawn(
        plots.measure_scatter(q(), {"a": r(), "b": OTHER}, ["AP", "nCRP"])
    ),
    "pt.irpref.Judge": lambda q, r: table(
        pt.irpref.Judge(q())(frame(RUN, "score").rename(columns=OLD))
    ),
    "pt.irpref.Explain": lambda q, r: table(
        pt.irpref.Explain(q(), "QMeasure", missed=True)(frame(RUN, "score").rename(columns=OLD))
    ),
    "pt.irpref.PerQuery": lambda q, r: table(
        pt.irpref.PerQuery(q(), MEASURES)(frame(RUN, "score").rename(columns=OLD).assign(query="x"))
    ),
}
USES["report"] = lambda q, r: shown(
    irpref_lab.report(["AP", "RPref(max_rel=2)"], q(), {"a": r(), "b": OTHER})
)
USES["intervals"] = lambda q, r: table(
    irpref_lab.intervals(["AP", "RPref(max_rel=2)"], q(), r(), over="ties")
)
USES["leaderboard"] = lambda q, r: table(
    irpref_lab.leaderboard(
        ["AP", "RPref(max_rel=2)"], q(), {"a": r(), "b": OTHER}, pairs="none", rng=0
    )
)


@pytest.fixture(scope="module")
def expected():
    return {name: use(lambda: QRELS, lambda: RUN) for name, use in USES.items()}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", USES)
def test_every_function_takes_every_form(name, form, expected, tmp_path):
    def qrels():
        return FORMS[form](QRELS, "relevance", tmp_path / "qrels")

    def run():
        return FORMS[form](RUN, "score", tmp_path / "run")

    found, other = USES[name](qrels, run), expected[name]
    if name in ("crp", "summary_table") or not isinstance(found, list):
        assert found == other
    else:  # a row of one topic may stand elsewhere, where the run has another order
        assert sorted(map(repr, found)) == sorted(map(repr, other))


def test_data_sets_by_id_and_by_object():
    ir_datasets = pytest.importorskip("ir_datasets")
    irpref.datasets.register()
    example = irpref.datasets.load("synthetic")
    name = next(iter(example.runs))
    run = example.runs[name]
    expected = irpref.evaluator(["AP", "RPref(max_rel=3)"], example.qrels).calc_aggregate(run)
    data = ir_datasets.load("irpref/synthetic")
    for source in (
        "irpref/synthetic",
        data,
        pt.get_dataset("irpref:synthetic"),
        pt.get_dataset("irds:irpref/synthetic"),
    ):
        made = irpref.evaluator(["AP", "RPref(max_rel=3)"], source)
        assert made.calc_aggregate(run) == expected
        assert irpref.bind("RPref", source) == "RPref(max_rel=3)"
    assert (
        irpref.evaluator(["AP"], data).calc_aggregate(pt.get_dataset("irpref:synthetic"))[AP]
        == expected[AP]
    )
    for source in ("irpref/synthetic", data):
        if data.has_scoreddocs():
            assert irpref.evaluator(["AP"], data).calc_aggregate(source)[AP] > 0
        else:
            with pytest.raises((ValueError, FileNotFoundError), match=r"no (results|scoreddocs)"):
                irpref.evaluator(["AP"], data).calc_aggregate(source)


def test_an_id_given_as_judgments_needs_judgments_and_one_given_as_a_run_results(monkeypatch):
    ir_datasets = pytest.importorskip("ir_datasets")
    irpref.datasets.register()
    whole = ir_datasets.load("irpref/synthetic/baseline")
    parts = {
        "one-side/judged": ir_datasets.Dataset(whole.qrels_handler()),
        "one-side/retrieved": ir_datasets.Dataset(whole.scoreddocs_handler()),
    }
    load = ir_datasets.load
    monkeypatch.setattr(ir_datasets, "load", lambda name: parts.get(name) or load(name))
    expected = irpref.evaluator("AP", whole).calc_aggregate(whole)
    assert (
        irpref.evaluator("AP", "one-side/judged").calc_aggregate("one-side/retrieved") == expected
    )
    with pytest.raises(FileNotFoundError, match=r"'one-side/retrieved' .* qrels"):
        irpref.evaluator("AP", "one-side/retrieved")
    with pytest.raises(FileNotFoundError, match=r"'one-side/judged' .* scoreddocs"):
        irpref.evaluator("AP", whole).calc_aggregate("one-side/judged")


def test_a_name_of_nothing_says_so():
    with pytest.raises(
        FileNotFoundError, match="no-such-thing: no such file, and ir_datasets has no data set"
    ):
        irpref.evaluator("AP", "no-such-thing")


def test_a_list_of_paths_is_several_runs(tmp_path):
    paths = [
        written(RUN, "score", tmp_path / "one.run"),
        written(OTHER, "score", tmp_path / "two.run"),
    ]
    named = {"one": RUN, "two": OTHER}
    assert table(crp(QRELS, paths)) == table(crp(QRELS, named))
    assert list(meta.topic_values(["AP"], QRELS, paths)["AP"].systems) == ["one", "two"]
    found = meta.topic_values(["AP"], QRELS, map(tuple, named.items()))
    expected = meta.topic_values(["AP"], QRELS, named)["AP"].matrix.tolist()
    assert found["AP"].matrix.tolist() == expected
    assert meta.topic_values(["AP"], QRELS, list(named.items()))["AP"].matrix.tolist() == expected
    with refuses(ArgumentError, parameter="runs"):
        meta.topic_values(["AP"], QRELS, [])


def test_irpref_and_pt_irpref_have_the_same_functions():
    for name in (
        "bind",
        "judgments",
        "curves",
        "run",
        "evaluator",
        "score",
        "read_run",
    ):
        assert getattr(pt.irpref, name) is getattr(irpref, name)


# One rule for what is no number, and for ids that are no text -------------------------------------

NO_NUMBERS = {
    "text": "2",
    "bytes": b"2",
    "complex": 2j,
    "date": pd.Timestamp("2026-01-01"),
    "datetime64": np.datetime64("2026-01-01"),
    "difference": pd.Timedelta("1D"),
    "timedelta64": np.timedelta64(1, "s"),
}


def holders(value):
    """A run whose second score is this, in every form that can hold it."""
    yield {"q1": {"a": 1.0, "b": value}}
    yield [ScoredDoc("q1", "a", 1.0), ScoredDoc("q1", "b", value)]
    columns = {"query_id": ["q1", "q1"], "doc_id": ["a", "b"]}
    yield pd.DataFrame({**columns, "score": pd.Series([1.0, value], dtype=object)})
    yield pd.DataFrame({**columns, "score": [value, value]})
    if isinstance(value, pd.Timedelta):
        value = value.to_pytimedelta()  # polars 1.30 does not know pandas'
    if not isinstance(value, (np.generic, complex)):
        yield pl.DataFrame({**columns, "score": [value, value]})


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_number_is_refused_in_every_form(kind):
    for run in holders(NO_NUMBERS[kind]):
        with pytest.raises(InputError) as error:
            irpref.QMeasure.evaluate({"q1": {"a": 1}}, run)
        assert error.value.column == "score"
    for judged in (
        {"q1": {"a": 1, "b": NO_NUMBERS[kind]}},
        [Qrel("q1", "a", 1), Qrel("q1", "b", NO_NUMBERS[kind])],
    ):
        with refuses(InputError, column="relevance", topic="q1", doc="b"):
            irpref.QMeasure.evaluate(judged, RUN)


@pytest.mark.parametrize(
    "value", [2, 2.0, True, np.float32(2), np.int8(2), np.True_, 2**70], ids=repr
)
def test_what_is_a_number_is_taken_in_every_form(value):
    from decimal import Decimal
    from fractions import Fraction

    for number in (value, Decimal(2), Fraction(5, 2)):
        for run in (
            {"q1": {"a": 0.5, "b": number}},
            [ScoredDoc("q1", "a", 0.5), ScoredDoc("q1", "b", number)],
        ):
            assert irpref.QMeasure.evaluate({"q1": {"b": 1}}, run) == {"q1": 1.0}
        column = pd.Series([0.5, number], dtype=object)
        found = pd.DataFrame({"query_id": "q1", "doc_id": ["a", "b"], "score": column})
        assert irpref.QMeasure.evaluate({"q1": {"b": 1}}, found) == {"q1": 1.0}


@pytest.mark.parametrize(
    "ids", [[True, False], [1.5, 2.5], [1, 2], [-1, 2], [2**63 + 1, 2**63], [b"x", b"y"]], ids=repr
)
def test_ids_that_are_no_text_are_the_same_text_in_every_form(ids):
    columns = {"query_id": ["q", "q"], "doc_id": ids, "relevance": [1, 0]}
    text = [of.decode() if isinstance(of, bytes) else str(of) for of in ids]
    forms = [
        {"q": dict(zip(ids, [1, 0], strict=True))},
        [Qrel("q", of, grade) for of, grade in zip(ids, [1, 0], strict=True)],
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype({"doc_id": "category"}),
        pl.DataFrame(columns),
        pl.LazyFrame(columns),
    ]
    for form in forms:
        assert irpref.QMeasure.evaluate(form, {"q": {text[0]: 1.0, text[1]: 2.0}}) == {"q": 2 / 3}


def test_ids_of_bytes_are_text_wherever_topics_and_documents_are_named():
    from irpref.hosts.pyterrier.systems import judgments_of
    from irpref.judged.groups import groups_of

    qrels = {b"t": {b"a": 1, b"b": 0}, b"u": {b"a": 1}}
    run = {b"t": {b"a": 1.0, b"b": 2.0}, b"u": {b"a": 1.0}}
    read = irpref.judgments(qrels, known={b"t": b"a"})
    assert read.column("known").tolist() == [True, False, False]
    assert set(explain("CG@2", qrels, run, query_id=b"t")["query_id"]) == {"t"}
    masks = groups_of({b"t": "x", b"u": "y"}, read, read.topic_ids)
    assert [inside.tolist() for inside in masks.values()] == [[True, False], [False, True]]
    topics = pd.DataFrame({"qid": [b"t"], "query": ["what"]})
    assert list(judgments_of(qrels, topics).topic_ids) == ["t"]


@pytest.mark.parametrize("topic", [True, 1.5, 7, b"x", np.str_("x"), None, np.nan], ids=repr)
def test_ids_of_topics_are_the_same_text_in_every_form(topic):
    columns = {"query_id": [topic, topic], "doc_id": ["a", "b"], "relevance": [1, 0]}
    forms = [
        {topic: {"a": 1, "b": 0}},
        [Qrel(topic, "a", 1), Qrel(topic, "b", 0)],
        pd.DataFrame(columns),
    ]
    text = topic.decode() if isinstance(topic, bytes) else str(topic)
    for form in forms:
        for measure in (irpref.QMeasure, "Judged@2"):  # the second is the host's
            if topic is None or topic != topic:
                with refuses(ColumnError, column="query_id", missing=()):
                    irpref.evaluator(measure, form)
                continue
            run = {text: {"a": 1.0, "b": 2.0}}
            assert [
                metric.query_id for metric in irpref.evaluator(measure, form).iter_calc(run)
            ] == [text]


@pytest.mark.parametrize("grade", [True, np.True_, np.int8(1), np.float32(1)], ids=repr)
def test_whole_grades_of_any_type_reach_the_measures_of_the_host(grade):
    for judged in ({"q": {"a": grade}}, [Qrel("q", "a", grade)]):
        assert [
            metric.value
            for metric in irpref.evaluator("Compat(p=0.8)", judged).iter_calc({"q": {"a": 1.0}})
        ] == [1]


def test_the_path_of_a_file_of_known_documents(tmp_path):
    path = written({"q1": {"c": 1, "b": 0}}, "relevance", Path(tmp_path) / "known")
    assert irpref.judgments(QRELS, known=path).frame()["known"].tolist() == [
        False,
        False,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "a.json",
            '{"q1": {"d1": NaN}}',
            "'a.json': run: the score of topic 'q1', document 'd1' is nan",
        ),
        ("a.txt", "other Q0 d1 1 1 t\n", "'a.txt': run and qrels have no topic in common"),
        (
            "a.csv",
            "q1,d1,2\n",
            "a.csv has no columns 'query_id' (or 'qid'), 'doc_id' (or 'docno'), 'score' (or 'rank')",
        ),
        (
            "a.csv",
            "query_id,doc_id\nq1,d1\n",
            "a.csv has no column 'score' (or 'rank') (found: query_id, doc_id)",
        ),
    ],
)
@pytest.mark.parametrize("measure", ["AP", "Compat"])
def test_an_error_about_a_file_names_it_once(name, text, said, measure, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        irpref.evaluator([measure], {"q1": {"d1": 1}}).calc_aggregate(name)
    assert str(error.value).count(name) == 1


def test_qrels_of_subtopics_with_equal_grades_are_one_judgment_in_every_form(tmp_path):
    text = "q1 1 d1 1\nq1 2 d1 1\nq1 1 d2 0\n"
    (tmp_path / "qrels").write_text(text)
    rows = [tuple(line.split()) for line in text.splitlines()]
    frame = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"]).astype(
        {"relevance": int}
    )
    for qrels in (str(tmp_path / "qrels"), frame, frame.itertuples(index=False)):
        found = irpref.evaluator(["AP", "RPref(max_rel=1)"], qrels).calc_aggregate(
            {"q1": {"d1": 1.0, "d2": 2.0}}
        )
        assert list(found.values()) == [0.5, 0.0]
