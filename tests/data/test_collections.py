"""Data sets of ir_datasets by id: subtopics, pairs of documents, sampled judgments."""

import math
from collections import namedtuple

import ir_measures
import pytest
from ir_measures import AP, alpha_nDCG

import irpref
from irpref.cli import main
from irpref.data.collections import dataset
from irpref.errors import ArgumentError, InputError, JudgmentsError
from refused import refuses, warns_of

ir_datasets = pytest.importorskip("ir_datasets")
from ir_datasets.formats import BaseDocPairs, BaseQrels, GenericDocPair, TrecQrel, TrecSubQrel
from ir_datasets.formats.trec import TrecPrel


class _Qrels(BaseQrels):
    def __init__(self, rows):
        self.rows = rows

    def qrels_iter(self):
        return iter(self.rows)

    def qrels_cls(self):
        return type(self.rows[0])

    def qrels_defs(self):
        return {}


class _Pairs(BaseDocPairs):
    def docpairs_iter(self):
        return iter(
            [
                GenericDocPair("q", "a", "b"),
                GenericDocPair("q", "a", "c"),
                GenericDocPair("p", "x", "y"),
            ]
        )

    def docpairs_cls(self):
        return GenericDocPair


SUBTOPICS = [("a", "1"), ("b", "1"), ("c", "2")]


@pytest.fixture(scope="module", autouse=True)
def registered():
    known = {
        "irpref-tests/subtopics": [
            _Qrels([TrecSubQrel("q", doc, 1, subtopic) for doc, subtopic in SUBTOPICS])
        ],
        "irpref-tests/pairs": [_Pairs()],
        "irpref-tests/both": [_Qrels([TrecQrel("q", "b", 1, "0")]), _Pairs()],
        "irpref-tests/sampled": [
            _Qrels([TrecPrel("q", "a", 1, 2, 0.25), TrecPrel("q", "b", 0, 2, 0.5)])
        ],
    }
    for name, parts in known.items():
        if name not in ir_datasets.registry:
            ir_datasets.registry.register(name, ir_datasets.Dataset(*parts))


RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
# Gains 1, 1/2 (subtopic 1 again), 1 at ranks 1 to 3; ideal a c b.
ALPHA = (1 + 0.5 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3) + 0.5 / 2)


def test_subtopics_reach_the_diversity_measures(tmp_path, capsys):
    if not ir_measures.pyndeval.is_available():
        pytest.skip("no pyndeval")
    measure = alpha_nDCG @ 3
    files = tmp_path / "qrels", tmp_path / "run"
    files[0].write_text("".join(f"q {subtopic} {doc} 1\n" for doc, subtopic in SUBTOPICS))
    files[1].write_text("".join(f"q Q0 {doc} 1 {score} x\n" for doc, score in RUN["q"].items()))
    for qrels in ("irpref-tests/subtopics", dataset("irpref-tests/subtopics"), str(files[0])):
        assert irpref.evaluator([measure], qrels).calc_aggregate(RUN)[measure] == pytest.approx(
            ALPHA, abs=1e-6
        )
    for qrels in ("irpref-tests/subtopics", str(files[0])):
        assert main(["eval", qrels, str(files[1]), "alpha_nDCG@3"]) == 0
        assert f"{ALPHA:.4f}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["irpref-tests/pairs", "irpref-tests/both"])
def test_pairs_of_documents_become_preferences(name):
    # a before b holds, a before c does not: c is above a.
    run = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}, "p": {"y": 2.0, "x": 1.0}}
    values = irpref.evaluator(["PrefShare"], name)
    assert dict(
        zip(values.topic_ids, values.values(run)[irpref.PrefShare].tolist(), strict=True)
    ) == {
        "q": 1 / 2,
        "p": 0,
    }
    if name.endswith("both"):  # measures of grades take the grades
        assert irpref.evaluator(["AP"], name).calc_aggregate(run)[AP] == 1 / 3
    else:
        with pytest.raises(JudgmentsError, match="like preferences"):
            irpref.evaluator(["AP"], name)


class _Cranfield:
    def dataset_id(self):
        return "cranfield"

    def has_qrels(self):
        return True

    def has_scoreddocs(self):
        return False

    def qrels_iter(self):
        grades = {"a": 1, "b": 4, "c": -1, "d": 2}
        return iter([TrecQrel("q", doc, grade, "0") for doc, grade in grades.items()])


def test_grades_that_count_down_are_turned(monkeypatch, tmp_path, capsys):
    with pytest.warns(irpref.IrprefWarning, match=r"cranfield count down, .*\{4: 1, 3: 2"):
        read = irpref.judgments(_Cranfield())
    frame = read.frame()
    assert dict(zip(frame["doc_id"], frame["relevance"], strict=True)) == {"a": 4, "b": 1, "d": 3}
    monkeypatch.setattr(ir_datasets, "load", lambda name: _Cranfield())
    (tmp_path / "run").write_text("q Q0 a 1 1.0 x\n")
    assert main(["eval", "cranfield", str(tmp_path / "run"), "nDCG"]) == 0
    err = capsys.readouterr().err
    assert err.count("{4: 1, 3: 2, 2: 3, 1: 4}") == 1
    for option in (["--labels", "S A B C"], ["--columns", "relevance=grade"]):
        assert main(["eval", "cranfield", str(tmp_path / "run"), "AP", *option]) == 2
        assert f"{option[0]}" in capsys.readouterr().err
    for how in ({"labels": "S A B C"}, {"columns": {"relevance": "grade"}}):
        with refuses(ArgumentError, parameter=next(iter(how))):
            irpref.judgments("cranfield", **how)


@pytest.mark.parametrize("form", [iter, list])
def test_subtopics_and_probabilities_of_rows(form):
    subtopic = namedtuple("Row", "query_id doc_id relevance subtopic_id")
    rows = [subtopic("q", "a", 1, 1), subtopic("q", "b", 1, 2)]
    frame = irpref.judgments(form(rows)).frame()
    assert frame["iteration"].tolist() == ["1", "2"]
    sampled = namedtuple("Row", "query_id doc_id relevance method iprob")
    with warns_of(irpref.IrprefWarning, column="iprob"):
        read = irpref.judgments(form([sampled("q", "a", 1, 0, 0.5)]))
    assert read.frame()["iprob"].tolist() == [0.5]


def test_sampled_judgments_are_named():
    with warns_of(irpref.IrprefWarning, column="iprob"):
        assert irpref.evaluator(["AP"], "irpref-tests/sampled").calc_aggregate(RUN)[AP] == 1


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dl19", "msmarco-passage/trec-dl-2019"),
        ("DL-2020", "msmarco-passage/trec-dl-2020"),
        ("trec-dl-2019", "msmarco-passage/trec-dl-2019"),
        ("robust04", "disks45/nocr/trec-robust-2004"),
        ("cord-19", "cord19"),
        ("cranfeld", "cranfield"),
        ("msmarco-passage/trec-dl-2018", None),  # no year but its own
        ("xy19", None),
        ("qrels.txt", None),
    ],
)
def test_only_a_near_name_is_suggested(name, meant):
    with refuses(InputError) as error:
        dataset(name)
    hint = "" if meant is None else f"; did you mean {meant!r}?"
    assert str(error.value) == f"ir_datasets has no data set {name!r}{hint}"
