"""Labels, columns and forms are applied to every form of input, or refused: never ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pytest

import irpref
from irpref.errors import ArgumentError, ColumnError, LabelError
from refused import refuses


class Judged(NamedTuple):
    query_id: str
    doc_id: str
    relevance: Any


class Both(NamedTuple):
    query_id: str
    doc_id: str
    relevance: Any
    score: float
    other: float


Rows = list[tuple[Any, ...]]
ROWS: Rows = [("1", "a", 1), ("1", "b", 4)]
BOTH: Rows = [("1", "a", 1, 0.5, 3), ("1", "b", 4, 0.2, 6)]
TURNED = {1: 4, 4: 1}


def records(rows: Rows) -> list[dict[str, Any]]:
    names = Both._fields if len(rows[0]) == 5 else Judged._fields
    return [dict(zip(names, row, strict=True)) for row in rows]


def tuples(rows: Rows) -> list[Any]:
    return [Both(*row) if len(row) == 5 else Judged(*row) for row in rows]


def csv(rows: Rows, path: Path) -> Path:
    pd.DataFrame(records(rows)).to_csv(path / "file.csv", index=False)
    return path / "file.csv"


def lines(rows: Rows, path: Path) -> Path:
    pd.DataFrame(records(rows)).to_json(path / "file.jsonl", orient="records", lines=True)
    return path / "file.jsonl"


def parquet(rows: Rows, path: Path) -> Path:
    pd.DataFrame(records(rows)).to_parquet(path / "file.parquet")
    return path / "file.parquet"


def generated(rows: Rows, path: Path) -> Iterator[Any]:
    yield from tuples(rows)


# Forms whose columns have names.
NAMED: dict[str, Callable[[Rows, Path], Any]] = {
    "namedtuples": lambda rows, path: tuples(rows),
    "a tuple of them": lambda rows, path: tuple(tuples(rows)),
    "iterator": lambda rows, path: iter(tuples(rows)),
    "generator": generated,
    "records": lambda rows, path: records(rows),
    "a tuple of records": lambda rows, path: tuple(records(rows)),
    "pandas": lambda rows, path: pd.DataFrame(records(rows)),
    "polars": lambda rows, path: pl.DataFrame(records(rows)),
    "polars lazy": lambda rows, path: pl.LazyFrame(records(rows)),
    "csv": csv,
    "jsonl": lines,
    "parquet": parquet,
}
FORMS: dict[str, Callable[[Rows, Path], Any]] = {
    **NAMED,
    "bare tuples": lambda rows, path: rows,
    "dict": lambda rows, path: {"1": {doc: grade for _, doc, grade in rows}},
}


@pytest.mark.parametrize("labels", [TURNED, {1.0: 4, "4": 1}, {"1": 4, "4.0": 1}])
@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("form", FORMS)
def test_numbers_are_labels_in_every_form(form: str, kind: Any, labels: Any, tmp_path: Path):
    data = FORMS[form]([(q, d, kind(grade)) for q, d, grade in ROWS], tmp_path)
    assert irpref.judgments(data, labels=labels).frame()["relevance"].tolist() == [4, 1]


@pytest.mark.parametrize("form", FORMS)
def test_words_are_labels_in_every_form(form: str, tmp_path: Path) -> None:
    rows = [("1", "a", "good"), ("1", "b", "bad"), ("1", "c", "error")]
    labels = {"good": 2, "bad": 0, "error": None}
    with pytest.warns(irpref.IrprefWarning):
        read = irpref.judgments(FORMS[form](rows, tmp_path), labels=labels)
    assert read.frame()["relevance"].tolist() == [2, 0]
    with refuses(LabelError, label="bad"):
        irpref.judgments(FORMS[form](rows, tmp_path), labels={"good": 2, "error": None, "x": 1})


def test_labels_of_many_topics_of_a_dict() -> None:
    data = {str(t): {f"d{d}": 1 + 3 * (t % 2) for d in range(20)} for t in range(2_000)}
    read = irpref.judgments(data, labels=TURNED)
    assert set(read.frame().query("query_id == '1'")["relevance"]) == {1}
    words = {str(t): {"d": "good" if t else "bad"} for t in range(2_000)}
    graded = irpref.judgments(words, labels={"good": 1, "bad": 0})
    assert graded.table.value.sum() == 1_999


def test_labels_of_judgments_that_were_read_before() -> None:
    read = irpref.judgments(ROWS)
    assert irpref.judgments(read, labels=TURNED).frame()["relevance"].tolist() == [4, 1]
    assert irpref.judgments(read.table, labels=TURNED).frame()["relevance"].tolist() == [4, 1]
    assert read.frame()["relevance"].tolist() == [1, 4]
    assert irpref.judgments(read, labels={"good": 1}).frame()["relevance"].tolist() == [1, 4]


@pytest.mark.parametrize("form", NAMED)
def test_a_column_is_chosen_beside_the_usual_one(form: str, tmp_path: Path) -> None:
    read = irpref.judgments(NAMED[form](BOTH, tmp_path), columns={"relevance": "other"})
    assert read.frame()["relevance"].tolist() == [3, 6]
    run = irpref.run(NAMED[form](BOTH, tmp_path), columns={"score": "other"})
    assert run.frame()["doc_id"].tolist() == ["b", "a"]
    again = irpref.judgments(
        NAMED[form](BOTH, tmp_path), columns={"relevance": "other"}, labels={3: 1, 6: 0}
    )
    assert again.frame()["relevance"].tolist() == [1, 0]


@pytest.mark.parametrize("form", ["records", "pandas", "polars", "csv"])
def test_a_named_column_is_no_tag(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([("1", "a", 0.5), ("1", "b", 0.2)], columns=["query_id", "run", "score"])
    frame.to_csv(tmp_path / "file.csv", index=False)
    data: Any = {
        "records": frame.to_dict("records"),
        "pandas": frame,
        "polars": pl.DataFrame(frame.to_dict("list")),
        "csv": tmp_path / "file.csv",
    }[form]
    read = irpref.run(data, columns={"doc_id": "run"})
    assert read.frame()["doc_id"].tolist() == ["a", "b"]
    assert not read.table.columns


def test_two_columns_of_the_chosen_name() -> None:
    frame = pd.DataFrame([(*BOTH[0], 7)], columns=[*Both._fields, "other"])
    for call, value in ((irpref.judgments, "relevance"), (irpref.run, "score")):
        with refuses(ColumnError, column="other"):
            call(frame, columns={value: "other"})


def test_options_that_come_too_late_are_refused() -> None:
    judged, run = irpref.judgments(ROWS), irpref.run({"1": {"a": 1.0}})
    for call, data, options in (
        (irpref.judgments, judged, {"columns": {"relevance": "other"}}),
        (irpref.judgments, judged, {"form": "csv"}),
        (irpref.run, run, {"columns": {"score": "other"}}),
        (irpref.run, run, {"form": "csv"}),
    ):
        with refuses(ArgumentError, parameter=next(iter(options))):
            call(data, **options)


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"csv", "jsonl", "parquet"}))
def test_the_form_of_a_file_is_refused_for_anything_else(form: str, tmp_path: Path) -> None:
    with refuses(ArgumentError, parameter="form"):
        irpref.judgments(FORMS[form](ROWS, tmp_path), form="csv")
    with refuses(ArgumentError, parameter="form"):
        irpref.run(FORMS[form](ROWS, tmp_path), form="csv")


@pytest.mark.parametrize("options", [{"labels": TURNED}, {"columns": {"query_id": "topic"}}])
def test_preferences_have_no_labels_and_columns_of_their_own(options: Any, tmp_path: Path):
    pairs = [{"query_id": "1", "winner": "a", "loser": "b"}]
    (tmp_path / "pairs.csv").write_text("query_id,winner,loser\n1,a,b\n")
    for data in (pairs, pd.DataFrame(pairs), tmp_path / "pairs.csv"):
        for form in (None, "pairs"):
            if form == "pairs" and isinstance(data, Path):
                continue
            with refuses(ArgumentError, parameter=next(iter(options))):
                irpref.judgments(data, form=form, **options)


def test_data_sets_have_their_own() -> None:
    class DataSet:
        def qrels_iter(self) -> Iterator[Any]:
            return iter(tuples(ROWS))

        def scoreddocs_iter(self) -> Iterator[Any]:
            return iter(tuples(ROWS))

    for options in ({"columns": {"query_id": "topic"}}, {"form": "csv"}):
        for call in (irpref.judgments, irpref.run):
            with refuses(ArgumentError, parameter=next(iter(options))):
                call(DataSet(), **options)
    with refuses(ArgumentError, parameter="labels"):
        irpref.judgments(DataSet(), labels=TURNED)
    with pytest.raises(FileNotFoundError):
        irpref.judgments("no-such-file.csv", labels=TURNED)
