"""Lists of ids, in files and in memory: runs best first, and judgments of grade 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import irpref
from irpref.cli import main
from irpref.errors import ColumnError, InputError

AP = irpref.parse("AP")
RETRIEVED = {"q1": ["b", "a", "b"], "q2": ["c", "d"]}
RELEVANT = {"q1": ["a"], "q2": ["c"]}
VALUE = (1 / 2 + 1) / 2
RECORDS = [
    {"query_id": q, "retrieved_ids": docs, "reference_ids": RELEVANT[q]}
    for q, docs in RETRIEVED.items()
]
RUN, QRELS = {"doc_id": "retrieved_ids"}, {"doc_id": "reference_ids"}


def in_form(form: str, path: Path, records: list[dict[str, Any]] = RECORDS) -> Any:
    """The records in memory or in a file."""
    if form == "records":
        return records
    if form in ("pandas", "polars"):
        return (pd.DataFrame if form == "pandas" else pl.DataFrame)(records)
    if form in ("arrays", "arrow", "parquet", "folder"):
        file = path / "records.parquet"
        pd.DataFrame(records).to_parquet(file)
        if form == "arrow":
            return pa.Table.from_pylist(records)
        return {"arrays": pd.read_parquet(file), "parquet": file, "folder": path}[form]
    path = path / f"records.{form}"
    lines = [json.dumps(record) for record in records]
    path.write_text("\n".join(lines) if form == "jsonl" else json.dumps(records))
    return path


IN_MEMORY = ["records", "pandas", "polars", "arrays", "arrow"]
IN_FILES = ["json", "jsonl", "parquet", "folder"]


@pytest.mark.parametrize("form", [*IN_MEMORY, *IN_FILES])
def test_columns_say_which_list_is_the_ranking_and_which_the_judgments(
    form: str, tmp_path: Path
) -> None:
    data = in_form(form, tmp_path)
    qrels, run = irpref.judgments(data, columns=QRELS), irpref.run(data, columns=RUN)
    assert irpref.evaluator([AP], qrels).calc_aggregate(run) == {AP: VALUE}
    assert run.frame()["doc_id"].tolist() == ["b", "a", "c", "d"]
    for call in (irpref.run, irpref.judgments):
        with pytest.raises(ColumnError):  # nothing is guessed
            call(data)
    with pytest.raises(ColumnError):
        irpref.run(data, columns=RUN, lower_is_better=True)


@pytest.mark.parametrize("form", [*IN_MEMORY, *IN_FILES])
def test_lists_of_scores_beside_lists_of_ids_are_named_too(form: str, tmp_path: Path) -> None:
    records = [
        {**record, "distances": [float(n) for n in range(len(record["retrieved_ids"]))]}
        for record in RECORDS
    ]
    data = in_form(form, tmp_path, records)
    columns = {**RUN, "score": "distances"}
    with pytest.raises(ColumnError):
        irpref.run(data, columns=columns)
    read = irpref.run(data, columns=columns, lower_is_better=True, repeats="first")
    assert read.frame()["doc_id"].tolist() == ["b", "a", "c", "d"]


@pytest.mark.parametrize("form", [*IN_MEMORY, *IN_FILES])
def test_lists_under_our_names_are_not_guessed_either(form: str, tmp_path: Path) -> None:
    records = [{"qid": q, "docno": docs, "label": 1} for q, docs in RELEVANT.items()]
    data = in_form(form, tmp_path, records)
    with pytest.raises((ColumnError, InputError)):
        irpref.evaluator([AP], data)
    read = irpref.judgments(data, columns={"doc_id": "docno"})
    assert irpref.evaluator([AP], read).calc_aggregate(RETRIEVED) == {AP: VALUE}


@pytest.mark.parametrize(
    "record",
    [
        {"query_id": "q1", "ids": ["a", "b"], "scores": [1.0]},
        {"query_id": "q1", "ids": ["a", "b"], "scores": 1.0},
        {"query_id": "q1", "ids": [["a"], ["b"]], "scores": [1.0, 2.0]},
        {"query_id": "q1", "ids": [{"id": "a"}], "scores": [1.0]},
    ],
)
def test_lists_that_do_not_fit_are_refused(record: dict[str, Any], tmp_path: Path) -> None:
    columns = {"doc_id": "ids", "score": "scores"}
    (tmp_path / "run.jsonl").write_text(json.dumps(record))
    for data in ([record], tmp_path / "run.jsonl"):
        with pytest.raises(InputError):
            irpref.run(data, columns=columns)


def test_an_object_of_lists_is_a_run_or_judgments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps(RETRIEVED))
    Path("qrels.json").write_text(json.dumps(RELEVANT))
    in_jsonl = in_form("jsonl", tmp_path).name
    assert main(["eval", "qrels.json", "run.json", "AP"]) == 0
    columns = "doc_id=retrieved_ids"
    assert main(["eval", "qrels.json", in_jsonl, "AP", "--columns", columns]) == 0
    columns += ",doc_id=reference_ids"
    assert capsys.readouterr().out == f"AP\t{VALUE:.4f}\n" * 2
    with pytest.raises(ColumnError):
        irpref.read_run("run.json", lower_is_better=True)
    with pytest.raises(ColumnError):
        irpref.run(RETRIEVED, lower_is_better=True)
    Path("run.json").write_text(json.dumps({"q1": ["a"], "q2": {"c": 1.0}}))
    with pytest.raises(InputError):
        irpref.read_run("run.json")


@pytest.mark.parametrize(
    "data", [["a", "b"], [["a", "b"], ["c"]], {"q1": {"a", "b"}}, {"q1": (["a"], [1.0])}]
)
def test_lists_without_topics_and_sets_are_no_runs(data: Any) -> None:
    with pytest.raises(TypeError):
        irpref.run(data)


def test_one_column_is_not_both_rankings_and_judgments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for form in ("jsonl", "json", "parquet"):
        file = str(in_form(form, tmp_path))
        assert main(["eval", file, file, "AP", "--columns", "doc_id=retrieved_ids"]) == 1
        said = capsys.readouterr()
        assert (said.out, "'retrieved_ids'" in said.err) == ("", True)
