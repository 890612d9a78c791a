"""A run that was read once: what it accepts, in which order it is evaluated, what it keeps."""

import pickle

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.errors import ArgumentError, CutWarning, InputError, RunError
from irpref.measures.declare import registered

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}
RUN = {"q1": {"a": 1.0, "b": 3.0, "x": 2.0}, "q2": {"d": 1.0}}
MEASURES = ["AP", "nDCG@10", "QMeasure", "RPref(max_rel=2)", "IPrec@0.5"]


def means(run):
    return irpref.evaluator(MEASURES, QRELS).calc_aggregate(run)


def order(run):
    """Documents of each topic, best first."""
    return run.frame().groupby("query_id", sort=False)["doc_id"].agg(list).to_dict()


def test_a_run_is_accepted_wherever_runs_are_with_the_same_values():
    read = irpref.run(RUN)
    assert means(read) == means(RUN)
    again = irpref_lab.compare("AP", QRELS, read, RUN)
    assert again["difference"].tolist() == [0.0]
    assert irpref.run(read) is read


@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("name", [*registered(), "AP", "nDCG", "RR", "Bpref"])
def test_every_measure_has_the_same_value_for_a_run_that_was_read(name):
    measure = irpref.parse("NPref(n=2)" if name == "NPref" else name)
    chosen = [measure, measure(cutoff=3)] if "cutoff" in measure.SUPPORTED_PARAMS else [measure]
    documents = {f"d{i}": i % 3 for i in range(30)}
    qrels = pd.DataFrame(
        {"query_id": "q", "doc_id": list(documents), "relevance": list(documents.values())}
    ).assign(known=True, expected=4)
    run = {"q": {f"d{i}": float(i * 7 % 13) for i in range(0, 30, 2)}}
    evaluate = irpref.evaluator(chosen, qrels)
    assert evaluate.calc_aggregate(irpref.run(run)) == evaluate.calc_aggregate(run)


def test_a_run_says_in_two_lines_what_it_holds():
    lines = repr(irpref.run(RUN, name="mine")).splitlines()
    assert lines == [
        "Run 'mine' of 2 topics, 4 documents",
        "scores 1 to 3; by score, ties by id, descending",
    ]


def test_a_file_is_named_as_eval_names_it(tmp_path):
    path = tmp_path / "bm25.run"
    path.write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n")
    assert irpref.run(path).name == "bm25"


def test_a_run_does_not_change_with_the_frame_it_was_read_from():
    frame = pd.DataFrame(
        [("q1", "a", 1.0), ("q1", "b", 0.5)], columns=["query_id", "doc_id", "score"]
    )
    read = irpref.run(frame)
    frame.loc[:, "doc_id"] = "changed"
    assert order(read) == {"q1": ["a", "b"]}


def test_its_frame_has_the_order_of_evaluation_and_evaluates_to_the_same_values():
    ties = {"q1": {"a": 1.0, "b": 1.0, "c": 2.0}, "q2": {"d": 1.0, "e": 0.0}}
    read = irpref.run(ties)
    assert read.frame().values.tolist() == [
        ["q1", "c", 2.0, 1],
        ["q1", "b", 1.0, 2],
        ["q1", "a", 1.0, 3],
        ["q2", "d", 1.0, 1],
        ["q2", "e", 0.0, 2],
    ]
    assert means(read.frame()) == means(read)
    assert list(read.frame(pyterrier=True).columns) == ["qid", "docno", "score", "rank"]
    assert read.frame(pyterrier=True)["rank"].tolist() == [0, 1, 2, 0, 1]


def test_lists_of_ids_are_runs_best_first_and_the_first_occurrence_counts():
    assert order(irpref.run({"q1": ["b", "a", "b"], "q2": []})) == {"q1": ["b", "a"]}
    assert means({"q1": ["b", "x", "a"], "q2": ["d"]}) == means(RUN)


def test_sets_and_lists_are_judgments_of_grade_one():
    for judged in ({"q1": {"a", "b"}}, {"q1": ["a", "b"]}):
        assert irpref.judgments(judged).frame()["relevance"].tolist() == [1, 1]


@pytest.mark.parametrize(
    "run", [{"q1": {"a", "b"}}, {"q1": ["a"], "q2": {"d": 1.0}}, {"q1": [("a", 1.0)]}]
)
def test_what_has_no_order_or_two_forms_is_no_run(run):
    with pytest.raises(TypeError):
        irpref.run(run)


def test_lower_scores_are_better_where_they_are_distances():
    read = irpref.run({"q1": {"a": 0.1, "b": 0.9}}, lower_is_better=True)
    assert order(read) == {"q1": ["a", "b"]}


def test_documents_are_excluded_by_topic():
    for exclude in ({"q1": ["b"]}, {"q1": {"b": 0}, "q2": {"z": 1}}):
        read = irpref.run(RUN, exclude=exclude)
        assert order(read) == {"q1": ["x", "a"], "q2": ["d"]}


ROWS = pd.DataFrame(
    [("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0), ("q", "a", 0.5)],
    columns=["query_id", "doc_id", "score"],
)


@pytest.mark.parametrize(
    ("repeats", "score", "first"), [("last", 0.5, "b"), ("first", 1.0, "b"), ("best", 3.0, "a")]
)
def test_one_row_of_a_repeated_document_counts(repeats, score, first):
    frame = irpref.run(ROWS, repeats=repeats).frame().set_index("doc_id")
    assert frame.loc["a", "score"] == score
    assert frame.index[0] == first


@pytest.mark.parametrize("documents", ["^(.*)#", {"d1#1": "d1", "d1#2": "d1", "d2#1": "d2"}])
def test_chunks_become_their_documents_and_the_best_one_counts(documents):
    chunks = {"q": {"d1#1": 0.2, "d2#1": 0.5, "d1#2": 0.9}}
    frame = irpref.run(chunks, documents=documents).frame()
    assert frame[["doc_id", "score"]].values.tolist() == [["d1", 0.9], ["d2", 0.5]]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"documents": "^(.*)%"}, RunError),
        ({"documents": "^.*#"}, ArgumentError),
        ({"documents": "("}, ArgumentError),
        ({"documents": {}}, RunError),
        ({"repeats": "worst"}, ArgumentError),
        ({"ties": "score"}, ArgumentError),
    ],
)
def test_options_that_are_not_accepted(options, error):
    with pytest.raises(error):
        irpref.run({"q": {"d#1": 1.0}}, **options)


def test_a_run_that_was_ordered_when_it_was_read_is_not_ordered_again():
    read = irpref.run(RUN, ties="input")
    with pytest.raises(ArgumentError):
        irpref.run(read, float32=True)


def test_a_run_goes_to_another_process():
    read = irpref.run(RUN, name="mine")
    other = pickle.loads(pickle.dumps(read))
    assert (other.name, order(other), means(other)) == ("mine", order(read), means(read))


def test_a_run_knows_that_its_file_may_have_been_cut_off(tmp_path):
    path = tmp_path / "cut.csv"
    path.write_text("query_id,doc_id,score\nq1,a,12.5\nq1,b,11.25")
    with pytest.warns(CutWarning):
        read = irpref.run(path)
    assert read.cut is not None
    with pytest.raises(InputError):
        irpref_lab.gate("AP", {"q1": {"a": 1}, "q2": {"b": 1}}, read, read)


def test_judgments_know_that_their_file_may_have_been_cut_off(tmp_path):
    path = tmp_path / "cut.qrels"
    path.write_text("q1 0 a 10\nq1 0 b 0\nq2 0 b 10")
    with pytest.warns(CutWarning):
        read = irpref.judgments(path)
    assert read.cut is not None
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
    for given in (read, read.only(["q1", "q2"]), path):
        with pytest.raises(InputError) as error:
            irpref_lab.gate("AP", given, run, run)
        assert error.value.path == str(path)
    assert irpref.judgments({"q1": {"a": 1}}).cut is None
