"""The worked examples: what they say holds, and every door to them opens."""

import ast
import gzip
import hashlib
import json
import os
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import ir_measures
import numpy as np
import pytest

import irpref
from compared import PAPERS, count
from irpref.datasets import examples, load
from irpref.errors import ArgumentError
from reference import FORMULAS, order
from reference import values as oracle_calc
from reference.position import crp_curve, cumulated
from refused import refuses

COLLECTIONS = ["cast2021", "synthetic"]
WORKED = [id for id in examples() if id not in COLLECTIONS]
CASES = [(id, run) for id in WORKED for run in load(id).runs]


def mismatches(expected, computed):
    """Lines for the expected values that the computed ones do not meet; `computed` takes an
    Expected.
    """
    found = []
    for one in expected:
        value = computed(one)
        if not one.admits(value):
            found.append(
                f"{one.run} {one.query_id} {one.measure}: {one.value} expected, {value!r} computed"
            )
    return found


def in_python(code, **environment):
    """Run code in a fresh interpreter where warnings are errors; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# ---------------------------------------------------------------------------------- expected values


@pytest.mark.parametrize(("id", "run"), CASES)
def test_every_expected_value_is_what_ir_measures_computes(id, run):
    example = load(id)
    expected = [one for one in example.expected if one.run == run]
    measures = {one.measure: irpref.parse(one.measure) for one in expected}
    qrels, scores = example.qrels_frame(), example.run_frame(run)
    computed = {
        (str(metric.measure), metric.query_id): metric.value
        for metric in ir_measures.iter_calc(list(measures.values()), qrels, scores)
    }
    means = ir_measures.calc_aggregate(list(measures.values()), qrels, scores)

    def value(one):
        measure = measures[one.measure]
        return means[measure] if one.query_id is None else computed[str(measure), one.query_id]

    assert mismatches(expected, value) == []
    count(PAPERS, len(expected))


def parsed(measure):
    """Name and parameters of a measure in text form, without the package's own parser."""
    node = ast.parse(measure.replace("@", " @ "), mode="eval").body
    parameters = {}
    if isinstance(node, ast.BinOp):
        at = ast.literal_eval(node.right)
        parameters["cutoff" if isinstance(at, int) else "recall"] = at
        node = node.left
    if isinstance(node, ast.Call):
        parameters |= {word.arg: ast.literal_eval(word.value) for word in node.keywords}
        node = node.func
    return node.id, parameters


@pytest.mark.parametrize(("id", "run"), CASES)
def test_every_expected_value_is_what_the_oracle_computes(id, run):
    """The examples are checked against loops written from the formulas, not against the package
    alone.
    """
    example = load(id)

    def value(one):
        name, parameters = parsed(one.measure)
        if parameters.get("expected") == "expected":
            parameters["expected"] = example.wanted
        by_topic = oracle_calc(
            name, example.qrels, example.runs[run], known=example.known, **parameters
        )
        return (
            sum(by_topic.values()) / len(by_topic)
            if one.query_id is None
            else by_topic[one.query_id]
        )

    ours = [
        one for one in example.expected if one.run == run and parsed(one.measure)[0] in FORMULAS
    ]
    assert mismatches(ours, value) == []


@pytest.mark.registry
def test_every_measure_of_the_package_has_a_worked_example():
    shown = {parsed(one.measure)[0] for id in WORKED for one in load(id).expected}
    assert {
        ir_measures.measures.registry[name].NAME for name in FORMULAS
    } <= shown  # short forms name a variant


@pytest.mark.parametrize("id", ["crp-properties", "crp-recovery"])
def test_crp_curves_are_what_the_oracle_computes(id):
    example = load(id)
    for query_id, judgments in example.qrels.items():
        positions = example.curve("RP", query_id).values
        curve = example.curve("CRP", query_id).values
        assert list(curve) == cumulated(positions)
        assert (
            list(curve)
            == crp_curve(order(example.runs["run"].get(query_id, {})), judgments)[: len(curve)]
        )


def test_textbook_interpolated_precision_takes_the_best_precision_at_each_recall_or_above():
    example = load("mir-textbook")
    for query_id, judgments in example.qrels.items():
        relevant = len(judgments)
        points = []
        found = 0
        for rank, doc_id in enumerate(order(example.runs["run"][query_id]), 1):
            found += doc_id in judgments
            points.append((found, Fraction(found, rank)))
        values = [
            max(
                (precision for found, precision in points if 10 * found >= level * relevant),
                default=0,
            )
            for level in range(11)
        ]
        assert list(example.curve("interpolated_precision", query_id).values) == values


@pytest.mark.parametrize("ideal", ["", "/retrieved"])
def test_textbook_gain_vectors_follow_the_ranking(ideal):
    example = load("mir-textbook")
    gains, best = [], []
    for query_id, judgments in example.qrels.items():
        listed = [judgments.get(doc_id, 0) for doc_id in order(example.runs["run"][query_id])]
        pool = listed if ideal else judgments.values()
        gains.append(listed)
        best.append((sorted(pool, reverse=True) + [0] * 15)[:15])
    discount = np.maximum(1, np.log2(np.arange(1, 16)))
    for name, discounts in (("CG", np.ones(15)), ("DCG", discount)):
        curve, ideals = np.cumsum(gains / discounts, axis=1), np.cumsum(best / discounts, axis=1)
        for row, query_id in enumerate(example.qrels):
            assert np.allclose(
                np.array(example.curve(name, query_id).values, float), curve[row], atol=1e-12
            )
            named = example.curve(f"I{name}{ideal}", query_id)
            assert np.allclose(np.array(named.values, float), ideals[row], atol=1e-12)
        ratio = curve.mean(axis=0) / ideals.mean(axis=0)
        assert np.allclose(
            np.array(example.curve(f"N{name}{ideal}").values, float), ratio, atol=1e-12
        )


def test_printed_vectors_agree_within_one_unit_of_the_last_decimal():
    printed = [curve for curve in load("mir-textbook").curves if curve.printed]
    assert len(printed) == 7
    for curve in printed:
        in_percent = 100 if curve.name == "interpolated_precision" else 1
        unit = 0.1 if in_percent == 100 or curve.name in ("CG", "DCG") else 0.01
        assert len(curve.printed) == len(curve.values)
        for shown, value in zip(curve.printed, curve.values, strict=True):
            assert abs(shown - in_percent * float(value)) <= unit + 1e-9, (
                curve.name,
                shown,
                float(value),
            )


# --------------------------------------------------------------------------------- form of the data


@pytest.mark.registry
def test_examples_name_their_source_and_refer_to_what_they_have():
    assert len(examples()) == len(set(examples()))
    for id in examples():
        example = load(id)
        assert example.id == id
        marks = ("doi:", "https://", "ch. 4", "EVIA", "Made for", "Synthetic")
        assert any(mark in example.source for mark in marks), (
            f"{id}: `source` names a DOI (doi:10...) or an https:// address; an example of your "
            "own begins with 'Made for this package'"
        )
        assert set(example.qrels) == set(example.queries)
        assert set(example.known) in (set(), set(example.queries))
        assert set(example.wanted) in (set(), set(example.queries))
        assert {grade for grades in example.qrels.values() for grade in grades.values()} <= set(
            example.grades
        )
        for run in example.runs.values():
            assert set(run) <= set(example.queries)
        for one in (*example.expected, *example.curves):
            assert one.run in example.runs
            assert one.query_id is None or one.query_id in example.queries
        # The same value is not stated twice.
        stated = [(one.run, one.query_id, one.measure, one.places) for one in example.expected]
        assert len(stated) == len(set(stated))


def test_frames_have_the_columns_of_ir_measures_and_are_new_each_time():
    example = load("mir-textbook")
    frame = example.qrels_frame()
    assert list(frame.columns) == ["query_id", "doc_id", "relevance", "known", "expected"]
    assert frame["relevance"].dtype == np.int64
    assert frame["known"].dtype == bool
    known = frame[(frame["query_id"] == "q1") & frame["known"]]
    assert known["doc_id"].tolist() == ["d9", "d44", "d56", "d123"]
    assert set(frame.query("query_id == 'q2'")["expected"]) == {2}
    frame["relevance"] = 0
    assert example.qrels_frame()["relevance"].sum() == 25
    assert list(load("rpref-scale").qrels_frame().columns) == ["query_id", "doc_id", "relevance"]
    assert load("rpref-figure-1").qrels_frame()["relevance"].dtype == np.float64
    run = load("rpref-figure-1").run_frame("T3")
    assert list(run.columns) == ["query_id", "doc_id", "score"]
    assert run.sort_values("score", ascending=False)["doc_id"].tolist()[:3] == ["D16", "D14", "D13"]


def test_a_wrong_name_says_what_there_is():
    with pytest.raises(KeyError, match=r"'rpref-figure1'.*'rpref-figure-1'"):
        load("rpref-figure1")
    with pytest.raises(KeyError, match=r"'Z'; .* X, Y, inverse, ideal"):
        load("p-measure-figure-1").run_frame("Z")
    with pytest.raises(KeyError, match=r"0 curves 'DCG' .* 'q3'"):
        load("mir-textbook").curve("DCG", "q3")


@pytest.mark.registry
def test_what_the_files_hold_is_exact_where_it_was_written_as_a_fraction():
    # Doubles are logarithms, of two measures.
    exact = [one for id in WORKED for one in load(id).expected if one.places is None]
    assert {one.measure for one in exact if type(one.value) is float} == {
        "OriginalNDCG@10",
        "WeightedPrefPrecision@3",
    }
    for id in WORKED:
        assert load(id).worked, id


# -------------------------------------------------------------------------------- a real collection


def test_the_real_collection_is_what_its_makers_published():
    """Counts and values of the published files, by pytrec_eval and by hand."""
    example = load("cast2021")
    grades = [grade for judged in example.qrels.values() for grade in judged.values()]
    assert (len(example.qrels), {grade: grades.count(grade) for grade in example.grades}) == (
        158,
        {4: 716, 3: 1007, 2: 1710, 1: 2072, 0: 13829},
    )
    retrieved = {run: sum(map(len, topics.values())) for run, topics in example.runs.items()}
    assert list(retrieved.values()) == [12479, 10096, 10096, 10454, 10454]
    assert all(set(topics) == set(example.qrels) for topics in example.runs.values())
    assert example.runs["org_manual_bm25"]["106_1"]["MARCO_D2706327"] == 30.53429985
    assert set(example.queries.values()) == {""}


def test_the_real_collection_is_the_published_files(data_dir):
    """Against the files themselves: each judgment, and each score of the judged topics."""
    folder = data_dir / "cast2021"
    if not folder.is_dir():
        pytest.skip("the published files are not at hand")
    example = load("cast2021")
    published = {}
    for line in (
        gzip.decompress((folder / "qrels" / "cast2021.qrels.gz").read_bytes()).decode().splitlines()
    ):
        query_id, _, doc_id, grade = line.split()
        published.setdefault(query_id, {})[doc_id] = int(grade)
    assert example.qrels == published
    for name, run in example.runs.items():
        scores = {}
        for line in (
            gzip.decompress((folder / "runs" / f"{name}.run.gz").read_bytes()).decode().splitlines()
        ):
            query_id, _, doc_id, _, score, _ = line.split()
            if query_id in published:
                scores.setdefault(query_id, {})[doc_id] = float(score)
        assert run == scores, name


def test_the_licence_goes_along_with_the_real_collection():
    folder = Path(irpref.datasets.__file__).parent / "cast2021"
    licence = (folder / "LICENSE").read_text()
    assert "Copyright (c) 2019 Jeffrey Dalton" in licence
    assert "this permission notice shall be included" in licence
    assert sum(file.stat().st_size for file in folder.iterdir()) < 600_000


# ------------------------------------------------------------------------- the synthetic collection

SYNTHETIC_SHA256 = "fbc9d76dcec36100c113164d04c81ff6e296bfad03a3235a285e776c3a97bc04"


def test_the_synthetic_collection_is_as_described():
    """If this changes, every number shown for the collection changes."""
    example = load("synthetic")
    assert "Synthetic" in example.title
    assert "No real documents" in example.source
    content = [example.queries, example.qrels, example.runs, example.wanted]
    content.append({query_id: sorted(known) for query_id, known in example.known.items()})
    assert (
        hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest() == SYNTHETIC_SHA256
    )


# -------------------------------------------------------------------------------------- ir_datasets


@pytest.mark.registry
def test_ir_datasets_knows_the_examples_once_they_are_registered():
    pytest.importorskip("ir_datasets")
    code = """
        import sys, ir_datasets, irpref
        before = [name for name in ir_datasets.registry if name.startswith("irpref/")]
        first, again = irpref.datasets.register(), irpref.datasets.register()
        dataset = ir_datasets.load("irpref/rpref-figure-1/T2")
        print(before, len(first) > 20, again, dataset.has_docs(), next(dataset.scoreddocs_iter()))
    """
    assert (
        in_python(code) == "[] True [] False GenericScoredDoc(query_id='1', doc_id='D1', score=9.0)"
    )


@pytest.fixture(scope="module")
def irds():
    ir_datasets = pytest.importorskip("ir_datasets")
    irpref.datasets.register()
    return ir_datasets


def test_ir_datasets_serves_the_whole_example(irds):
    example, dataset = load("synthetic"), irds.load("irpref/synthetic")
    assert {query.query_id: query.text for query in dataset.queries_iter()} == example.queries
    assert dataset.qrels.asdict() == example.qrels
    assert dataset.qrels_defs() == example.grades
    judgment = next(dataset.qrels_iter())
    assert judgment._fields == ("query_id", "doc_id", "relevance", "iteration", "known", "expected")
    for name, run in [("irpref/synthetic", "baseline")] + [
        (f"irpref/synthetic/{run}", run) for run in example.runs
    ]:
        scores = {}
        for row in irds.load(name).scoreddocs_iter():
            scores.setdefault(row.query_id, {})[row.doc_id] = row.score
        assert scores == example.runs[run]


def test_ir_datasets_has_the_real_collection_without_its_queries(irds):
    example, dataset = load("cast2021"), irds.load("irpref/cast2021/org_convdr")
    assert not dataset.has_queries()
    assert not dataset.has_docs()
    assert dataset.qrels.asdict() == example.qrels
    found = {(row.query_id, row.doc_id): row.score for row in dataset.scoreddocs_iter()}
    assert found == {
        (q, d): score for q, docs in example.runs["org_convdr"].items() for d, score in docs.items()
    }


def test_bind_reads_the_scale_of_the_datasets(irds):
    assert str(irpref.bind("RPref", irds.load("irpref/synthetic"))) == "RPref(max_rel=3)"
    assert str(irpref.bind("RPref", "irpref/rpref-figure-1")) == "RPref(max_rel=1)"


def test_columns_of_the_qrels_reach_the_measures_through_ir_datasets(irds):
    dataset = irds.load("irpref/mir-textbook")
    measures = [irpref.Coverage, irpref.RelativeRecall(expected="expected", capped=False)]
    values = ir_measures.calc_aggregate(measures, dataset.qrels_iter(), dataset.scoreddocs_iter())
    assert values[measures[0]] == (3 / 4 + 1) / 2
    assert values[measures[1]] == (5 / 4 + 3 / 2) / 2


# ---------------------------------------------------------------------------------------- PyTerrier


@pytest.fixture(scope="module")
def pt():
    return pytest.importorskip("pyterrier")


def test_pyterrier_has_topics_judgments_and_runs(pt):
    example, dataset = load("synthetic"), pt.get_dataset("irpref:synthetic")
    assert isinstance(dataset, pt.datasets.Dataset)
    assert dataset.get_topics().to_dict("list") == {
        "qid": list(example.queries),
        "query": list(example.queries.values()),
    }
    assert list(dataset.get_qrels().columns) == ["qid", "docno", "label", "known", "expected"]
    results = dataset.get_results("noisy")
    assert list(results.columns) == ["qid", "query", "docno", "score", "rank"]
    assert results["qid"].unique().tolist() == [str(number) for number in range(1, 30)]
    assert dataset.get_results().equals(dataset.get_results("baseline"))


def test_pyterrier_evaluates_the_real_collection(pt):
    """nDCG@10 of two runs as pytrec_eval prints it: .3764 and .3911."""
    dataset = pt.get_dataset("irpref:cast2021")
    assert set(dataset.get_topics()["query"]) == {""}
    runs = [dataset.get_results(run) for run in ("org_manual_bm25", "org_convdr_bert")]
    table = pt.Experiment(
        runs, *dataset.get_topicsqrels(), [pt.measures.nDCG @ 10], names=["a", "b"]
    )
    assert table["nDCG@10"].round(4).tolist() == [0.3764, 0.3911]


def test_pyterrier_results_are_ranked_as_they_are_evaluated(pt):
    """Equal scores by docno descending: the baseline of the synthetic collection has many."""
    results = pt.get_dataset("irpref:synthetic").get_results("baseline")
    for query_id, scores in load("synthetic").runs["baseline"].items():
        ranked = results[results["qid"] == query_id]
        assert ranked["docno"].tolist() == order(scores)
        assert ranked["rank"].tolist() == list(range(len(scores)))


def test_pyterrier_is_told_what_is_missing(pt):
    with pytest.raises(KeyError, match="irpref:nothing"):
        pt.get_dataset("irpref:nothing")
    dataset = pt.get_dataset("irpref:mir-textbook")
    with refuses(ArgumentError, parameter="variant", value="best") as error:
        dataset.get_results("best")
    assert str(error.value).endswith("there are run")
    with pytest.raises(ValueError, match="no variant 'short'"):
        dataset.get_topics("short")
