"""The scale of a collection: facts from ir_datasets, recommendations by the stated rules."""

import json
from collections import namedtuple

import pandas as pd
import pytest

from irpref.cli import main
from irpref.errors import InputError
from irpref.settings import names_with_qrels, scale_of
from refused import refuses

ir_datasets = pytest.importorskip("ir_datasets")


def test_defined_scale_of_a_graded_track():
    scale = scale_of("msmarco-document/trec-dl-2019")
    assert (scale.max_rel, scale.min_grade, scale.has_nonrelevant, scale.note) == (3, 0, True, "")
    assert scale.grades == (0, 1, 2, 3)
    assert (scale.rel, scale.gains, scale.source) == (1, {}, "definitions")


def test_official_measures_set_the_threshold():
    # The task reports RR(rel=2) and AP(rel=2): "Related" passages do not answer the question.
    scale = scale_of("msmarco-passage/trec-dl-2019")
    assert (scale.rel, scale.gains, scale.max_rel) == (2, {1: 0}, 3)


@pytest.mark.parametrize(
    ("name", "rel"),
    [
        ("antique/test", 3),  # 1: out of context, 2: does not answer the question
        ("codec", 2),  # 1: Not Valuable
        ("clinicaltrials/2021/trec-ct-2021", 2),  # 1: Excluded
        ("trec-cast/v1/2020", 2),  # 1: does not directly answer it
        ("clueweb12/b13/ntcir-www-1", 1),  # 1: one annotator relevant, one non-relevant
        ("wapo/v2/trec-news-2018", 2),  # grades 0, 2, 4, 8, 16
        ("cord19/trec-covid/round3", 1),
    ],
)
def test_definitions_that_deny_relevance_raise_the_threshold(name, rel):
    scale = scale_of(name)
    assert scale.rel == rel
    assert scale.gains == {g: 0 for g in scale.grades if 0 < g < rel}


@pytest.mark.parametrize(
    ("name", "exist"),
    [
        ("vaswani", False),
        ("msmarco-passage/dev", False),
        ("cranfield", False),  # 1 to 4
        ("gov2/trec-tb-2005/named-page", False),  # 0 is defined and never given
        ("disks45/nocr/trec8", True),
        ("antique/test", True),  # 1 and 2 of 1 to 4 are no answers
        ("beir/scidocs", True),
    ],
)
def test_whether_judged_nonrelevant_documents_exist(name, exist):
    scale = scale_of(name)
    assert scale.has_nonrelevant is exist
    assert ("No judged non-relevant" in scale.note) is not exist


def test_a_grade_that_is_not_defined_makes_the_file_the_scale():
    # Defined as 0 to 2; the file holds 1 to 3.
    scale = scale_of("nfcorpus/test")
    assert (scale.grades, scale.max_rel, scale.source) == ((1, 2, 3), 3, "counts")
    assert "The file has 3" in scale.note
    assert "(it defines 0, 1, 2)" in scale.note


def test_a_defined_top_grade_that_nobody_gave_stays_the_top():
    scale = scale_of("clueweb09/en/trec-web-2010")
    assert (scale.max_rel, scale.min_grade) == (4, -2)
    assert max(scale.given) == 3
    assert "the scale (4)" in scale.note


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("clueweb12/trec-web-2013", "Negative grades (-2) count as unjudged"),
        ("bright/aops", "-100 marks documents to remove from the run"),
        ("clueweb12/trec-web-2013/diversity", "Judged by subtopic"),
    ],
)
def test_notes_explain_grades_and_rows(name, said):
    assert said in scale_of(name).note
    assert "Judged by subtopic" not in scale_of("clueweb12/trec-web-2013").note


def test_cranfield_counts_down():
    scale = scale_of("cranfield")
    assert scale.regrade == {1: 4, 2: 3, 3: 2, 4: 1}  # -1 is left out
    assert (scale.grades, scale.given, scale.max_rel, scale.min_grade, scale.rel) == (
        (1, 2, 3, 4),
        (1, 2, 3, 4),
        4,
        1,
        1,
    )
    # Cleverdon's code 1, which the numbers of ir_datasets call minimum interest.
    assert scale.meanings[scale.regrade[1]].startswith("References which are a complete answer")
    assert scale.note.startswith("Take 5 - grade")
    assert "leave out -1" in scale.note
    assert scale_of("antique/test").regrade == {}


def test_beir_has_counts_but_no_definitions():
    scale = scale_of("beir/nfcorpus/test")
    assert (scale.max_rel, scale.has_nonrelevant, scale.meanings, scale.source) == (
        2,
        False,
        {},
        "counts",
    )


Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance"])
ROWS = [Qrel("t1", "a", 3), Qrel("t1", "b", 0.5), Qrel("t2", "c", 0), Qrel("t2", "d", -1)]


@pytest.mark.parametrize(
    "qrels",
    [ROWS, iter(ROWS), pd.DataFrame(ROWS), {"t1": {"a": 3, "b": 0.5}, "t2": {"c": 0, "d": -1}}],
    ids=["list", "iterator", "frame", "dict"],
)
def test_qrels_at_hand(qrels):
    scale = scale_of(qrels)
    assert (scale.max_rel, scale.min_grade, scale.grades) == (3, -1, (-1, 0, 0.5, 3))
    assert scale.has_nonrelevant
    assert (scale.rel, scale.source) == (0.5, "qrels")


def test_only_nonrelevant_judgments_have_a_scale_up_to_one():
    assert scale_of({"t1": {"a": 0}}).max_rel == 1


def test_names_datasets_and_pyterrier_datasets_agree():
    pt = pytest.importorskip("pyterrier")
    by_name = scale_of("vaswani")
    assert scale_of(ir_datasets.load("vaswani")) == by_name
    assert scale_of(pt.get_dataset("irds:vaswani")) == by_name


def test_unknown_names_are_errors():
    for name in ("vaswanni", "msmarco-passage"):  # there is no such data set; it has no qrels
        with refuses(InputError, value=name):
            scale_of(name)
    with pytest.raises(ValueError, match="empty"):
        scale_of({})


def test_every_public_data_set_has_a_scale():
    names = names_with_qrels()
    assert {"cranfield", "vaswani", "msmarco-passage/trec-dl-2019"} < set(names)
    for name in names:
        scale = scale_of(name)
        assert scale.max_rel >= 1, name
        assert scale.min_grade <= scale.max_rel, name
        assert set(scale.gains) == {g for g in scale.grades if 0 < g < scale.rel}, name


def test_the_command_prints_them_and_each_note_once(capsys):
    asked = ["cranfield", "beir/nfcorpus/test", "msmarco-passage/trec-dl-2019"]
    assert main(["settings", *asked]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == asked
    assert sum("No judged non-relevant" in line for line in lines) == 1
    assert main(["settings", asked[2], "-o", "jsonl"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    row = json.loads(line)
    assert (row["rel"], row["gains"], row["max_rel"]) == (2, "1=0", 3)
    assert main(["settings", "nope"]) == 1
