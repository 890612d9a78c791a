"""Columns of other names, and labels in place of grades: in files of every form, in frames, and on
the command line.
"""

import io
import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irpref
import irpref_lab
from irpref import read_qrels, read_run
from irpref.cli import main
from irpref.errors import ArgumentError, ColumnError, LabelError, Remedy
from irpref.messages import IrprefWarning
from refused import refuses, warns_of

ROWS = [("1", "a", 2), ("1", "b", 0), ("2", "c", 1)]
FORMS = ["csv", "tsv", "json", "jsonl", "parquet"]
RUN = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 c 1 1 t\n"


def _written(folder, form, names, rows=ROWS):
    path = folder / f"file.{form}"
    frame = pd.DataFrame(rows, columns=names)
    records = [dict(zip(names, row, strict=True)) for row in rows]
    if form == "parquet":
        pq.write_table(
            pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), path
        )
    elif form in ("json", "jsonl"):
        path.write_text(
            json.dumps(records) if form == "json" else "\n".join(map(json.dumps, records))
        )
    else:
        frame.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    return path


def _rows(frame):
    return list(frame.iloc[:, :3].itertuples(index=False, name=None))


# Columns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["relevance", "grade", "rating", "label", "rel"])
def test_usual_names_of_the_relevance_are_understood(form, name, tmp_path):
    found = read_qrels(_written(tmp_path, form, ["query_id", "doc_id", name]))
    assert _rows(found) == ROWS
    assert list(found.columns) == ["query_id", "doc_id", "relevance"]


@pytest.mark.parametrize("form", FORMS)
def test_any_names_with_columns(form, tmp_path):
    path = _written(tmp_path, form, ["question", "chunk_id", "usefulness"])
    found = read_qrels(
        path, columns={"query_id": "question", "doc_id": "chunk_id", "relevance": "usefulness"}
    )
    assert _rows(found) == ROWS
    assert list(found.columns) == ["query_id", "doc_id", "relevance"]
    run = read_run(
        path, columns={"query_id": "question", "doc_id": "chunk_id", "score": "usefulness"}
    )
    assert _rows(run) == [(q, d, float(s)) for q, d, s in ROWS]


def test_a_name_given_counts_before_the_usual_one_and_only_where_it_is_there(tmp_path):
    names = {"relevance": "rating"}
    rows = [("1", "a", 2, 0), ("1", "b", 0, 1)]
    path = _written(tmp_path, "csv", ["query_id", "doc_id", "relevance", "rating"], rows)
    assert _rows(read_qrels(path)) == [("1", "a", 2), ("1", "b", 0)]
    assert _rows(read_qrels(path, columns=names)) == [("1", "a", 0), ("1", "b", 1)]
    assert (
        _rows(read_qrels(_written(tmp_path, "tsv", ["qid", "docno", "label"]), columns=names))
        == ROWS
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_refusal_names_the_columns_found_and_the_option(form, tmp_path):
    path = _written(tmp_path, form, ["query_id", "chunk", "relevance"])
    found = (
        "(found: query_id, chunk, relevance); irpref.read_qrels(path, columns={'doc_id': 'chunk'})"
    )
    for refused in (
        read_qrels,
        lambda path: irpref.evaluator("AP", path),
        lambda path: irpref_lab.check(path, {}),
    ):
        with pytest.raises(ValueError, match=re.escape(found)):
            refused(path)
    remedy = Remedy("columns", {"doc_id": "chunk"}, "read_run", "names it")
    with refuses(ColumnError, missing=("doc_id",), remedy=remedy):
        irpref_lab.compare(
            "AP",
            {"1": {"a": 1}},
            _written(tmp_path, form, ["query_id", "chunk", "score"]),
            {"1": {"a": 1.0}},
        )
    with refuses(ColumnError, missing=("doc_id",)) as error:
        read_qrels(path, columns={"doc_id": "passage"})
    assert error.value.remedy.example == {"doc_id": "chunk"}
    assert "'passage' (or 'doc_id')" in error.value.message
    with refuses(ArgumentError, parameter="columns", value="docid") as error:
        read_qrels(path, columns={"docid": "chunk"})
    assert str(error.value).endswith("did you mean 'doc_id'?")


def test_frames_with_usual_names():
    qrels = pd.DataFrame(ROWS, columns=["qid", "doc_id", "grade"])
    run = pd.DataFrame(
        [("1", "b", 2.0), ("1", "a", 1.0), ("2", "c", 1.0)], columns=["q_id", "docno", "score"]
    )
    assert irpref.evaluator(["RR"], qrels).calc_aggregate(run) == {irpref.parse("RR"): 0.75}
    with refuses(ColumnError, missing=("relevance",), header=("qid", "doc_id", "mark")):
        irpref.evaluator(["RR"], qrels.rename(columns={"grade": "mark"}))


# Labels -------------------------------------------------------------------------------------------

SCHEMES = {
    "S A B C": {"S": 3, "A": 2, "B": 1, "C": 0},
    "L0 L1 L2 L9": {"L0": 0, "L1": 1, "L2": 2, "L9": 9},
    "nr pr fr hr": {"nr": 0, "pr": 1, "fr": 2, "hr": 3},
}


@pytest.mark.parametrize("form", [*FORMS, "trec", "trec of three fields"])
@pytest.mark.parametrize("labels", SCHEMES)
def test_known_labels_are_read_and_the_grades_are_said(form, labels, tmp_path):
    rows = [("1", f"d{i}", label) for i, label in enumerate(SCHEMES[labels])]
    expected = [(q, d, SCHEMES[labels][label]) for q, d, label in rows]
    if form.startswith("trec"):
        path = tmp_path / "qrels"
        path.write_text(
            "".join(f"{q} {'0 ' * (form == 'trec')}{d} {label}\n" for q, d, label in rows)
        )
    else:
        path = _written(tmp_path, form, ["query_id", "doc_id", "relevance"], rows)
    with warns_of(IrprefWarning, path=str(path)) as said:
        found = read_qrels(path)
    assert all(f"{label} is {grade}" in str(said[0]) for label, grade in SCHEMES[labels].items())
    assert _rows(found) == expected
    assert found["relevance"].dtype == "int64"
    with pytest.warns(IrprefWarning):
        assert _rows(read_qrels(path, labels=labels)) == expected


@pytest.mark.parametrize("form", [*FORMS, "trec"])
def test_a_mapping_says_the_grades_itself(form, tmp_path, recwarn):
    rows = [("1", "a", "good"), ("1", "b", "bad"), ("2", "c", "S")]
    if form == "trec":
        path = tmp_path / "qrels"
        path.write_text("".join(f"{q} 0 {d} {label}\n" for q, d, label in rows))
    else:
        path = _written(tmp_path, form, ["query_id", "doc_id", "relevance"], rows)
    found = read_qrels(path, labels={"good": 1, "bad": 0, "S": 0.5})
    assert found["relevance"].tolist() == [1, 0, 0.5]
    assert not recwarn.list
    with refuses(LabelError, label="S") as error:
        read_qrels(path, labels={"good": 1, "bad": 0})
    assert error.value.message.endswith("labels good, bad")
    with pytest.raises(ValueError, match="number"):
        read_qrels(path)


@pytest.mark.parametrize("form", FORMS)
def test_labels_that_are_words_leave_numbers_as_they_are(form, tmp_path):
    path = _written(
        tmp_path, form, ["query_id", "doc_id", "relevance"], [("1", "a", 0), ("1", "b", 2)]
    )
    assert _rows(read_qrels(path, labels={"yes": 1, "no": 0})) == [("1", "a", 0), ("1", "b", 2)]
    with refuses(LabelError, label="2"):
        read_qrels(path, labels={"0": 1, "1": 0})


def test_labels_that_are_not_known():
    with refuses(ArgumentError, parameter="labels", value="X Y") as error:
        read_qrels(io.BytesIO(b"1 0 a X\n"), labels="X Y")
    assert re.search("'C B A S', 'L0 .*', 'nr pr fr hr'", str(error.value))
    with refuses(ArgumentError, parameter="labels", value="b"):
        read_qrels(io.BytesIO(b"1 0 a X\n"), labels={"a": "b"})


def test_labels_are_told_from_judges_of_pairs(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a S\n1 0 b C\n")
    (tmp_path / "pairs").write_text("1 a b S\n1 c b C\n")
    run = {"1": {"b": 2.0, "a": 1.0, "c": 0.5}}
    with pytest.warns(IrprefWarning, match="S is 3, C is 0"):
        assert irpref.evaluator(["RR"], tmp_path / "qrels").calc_aggregate(run) == {
            irpref.parse("RR"): 0.5
        }
    share = irpref.parse("PrefShare")
    assert irpref.evaluator([share], tmp_path / "pairs").calc_aggregate(run) == {share: 0.0}


# The command line ---------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.csv").write_text("question,chunk,useful\n1,a,2\n1,b,0\n2,c,1\n")
    (tmp_path / "run.csv").write_text("question,chunk,score\n1,b,3\n1,a,2\n2,c,1\n")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "labels").write_text("1 0 a C\n1 0 b S\n2 0 c A\n")


NAMES = ["--columns", "query_id=question,doc_id=chunk,relevance=useful"]


@pytest.mark.parametrize("command", ["eval", "check", "leaderboard", "compare", "intervals"])
def test_commands_take_names_of_columns(command, files, capsys):
    runs = ["run.csv", "run"] if command != "eval" else ["run.csv"]
    assert (
        main(
            [
                command,
                "qrels.csv",
                *runs,
                *(["AP"] if command != "intervals" else ["AP", "--over", "ties"]),
            ]
        )
        == 1
    )
    assert "(found: question, chunk, useful)" in capsys.readouterr().err
    assert (
        main(
            [
                command,
                "qrels.csv",
                *runs,
                "AP",
                *NAMES,
                *["--over", "ties"][: 2 * (command == "intervals")],
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "0.7500" in out or command in ("check", "compare")


def test_commands_take_labels(files, capsys):
    assert main(["eval", "labels", "run", "RR"]) == 0
    said = capsys.readouterr()
    assert said.out == "RR\t0.7500\n"
    assert "S is 3, A is 2, C is 0" in said.err
    assert main(["eval", "labels", "run", "RR", "--labels", "C=1,S=0,A=1"]) == 0
    # The words of a judge beside the numbers of humans.
    Path("grades").write_text("1 0 a 0\n1 0 b 1\n2 0 c 1\n")
    Path("words").write_text("1 0 a no\n1 0 b yes\n2 0 c yes\n2 0 d yes\n")
    capsys.readouterr()
    assert main(["fill", "grades", "words"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("irpref: words, line 1: ")
    assert "--labels LABEL=GRADE" in err
    assert main(["fill", "grades", "words", "--labels", "no=0,yes=1"]) == 0
    err = capsys.readouterr().err
    assert "1 of 4 grades" in err
    assert "0 as 0.00, 1 as 1.00" in err
    assert main(["eval", "labels", "run", "RR", "--labels", "C=1,S=0,A=1"]) == 0
    assert capsys.readouterr().out == "RR\t1.0000\n"
    Path("run.jsonl").write_text(
        '{"query_id": "1", "doc_id": "b", "score": 0.5}\n'
    )  # scores are no labels
    assert main(["eval", "labels", "run.jsonl", "P@1", "-q", "--labels", "C=1,S=0,A=1"]) == 0
    assert capsys.readouterr().out.startswith("1\tP@1\t0.0000\n")
    for wrong in (
        ["--labels", "X Y"],
        ["--labels", "a=b"],
        ["--columns", "x=y"],
        ["--columns", "doc_id"],
    ):
        assert main(["eval", "labels", "run", "RR", *wrong]) == 2
        assert f"'{wrong[0]}': " in capsys.readouterr().err
