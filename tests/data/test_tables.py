"""Runs and judgments from Parquet, CSV, JSON and MS MARCO's columns: what is read, and what is
refused.
"""

import gzip
import io
import itertools
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from forms import FILES
from irpref import read_qrels, read_run
from irpref.data import forms, tables
from irpref.errors import ArgumentError, InputError
from refused import refuses

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RUN = [("007", "a b", 2.5), ("007", "1e5", 1.0), ("q,2", 'x"y', -3.0), ("q,2", "é文", 1e-300)]
QRELS = [("007", "a b", 2), ("007", "NaN", 0), ("q,2", 'x"y', -1)]
IR_MEASURES = ("query_id", "doc_id")
PYTERRIER = ("qid", "docno")
OTHERS = ("q_id", "doc_id")


def rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(frame.iloc[:, :3].itertuples(index=False, name=None))


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def encoded(
    data: list[tuple[str, str, Any]], form: str, names: tuple[str, str], value: str
) -> bytes:
    """A file of this form, as pandas and polars write it."""
    found = FILES[form](pd.DataFrame(data, columns=[*names, value]))
    return found if isinstance(found, bytes) else found.encode()


# What is read -------------------------------------------------------------------------------------


def test_every_form_is_tried() -> None:
    assert FILES.keys() == set(forms.FORMS) - {"trec", "msmarco"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress], ids=["plain", "gz", "zst"])
@pytest.mark.parametrize("names", [IR_MEASURES, PYTERRIER, OTHERS], ids=lambda names: names[0])
@pytest.mark.parametrize("form", FILES)
def test_the_same_rows_from_every_form(
    form: str, names: tuple[str, str], pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    ending = {bytes: "", gzip.compress: ".gz", zstd.compress: ".zst"}[pack]
    run = read_run(
        written(tmp_path / f"run.{form}{ending}", pack(encoded(RUN, form, names, "score")))
    )
    assert rows(run) == RUN
    assert list(run.columns) == ["query_id", "doc_id", "score"]
    assert run["score"].dtype == "float64"
    label = "label" if names is PYTERRIER else "relevance"
    qrels = read_qrels(
        written(tmp_path / f"qrels.{form}{ending}", pack(encoded(QRELS, form, names, label)))
    )
    assert rows(qrels) == QRELS
    assert qrels["relevance"].dtype == "int64"
    assert {type(x) for x in run["query_id"]} == {type(x) for x in qrels["doc_id"]} == {str}


@pytest.mark.parametrize("form", FILES)
def test_the_form_can_be_told(form: str) -> None:
    assert rows(read_run(io.BytesIO(encoded(RUN, form, IR_MEASURES, "score")), form)) == RUN
    assert (
        rows(read_qrels(io.BytesIO(encoded(QRELS, form, IR_MEASURES, "relevance")), form=form))
        == QRELS
    )


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_whole_numbers_are_their_text(form: str) -> None:
    frame = pl.DataFrame({"query_id": [7, 8], "doc_id": [2**53 + 1, -1], "score": [2, 1]})
    out = io.BytesIO()
    frame.write_parquet(out) if form == "parquet" else frame.write_ndjson(out)
    out.seek(0)
    assert rows(read_run(out, form)) == [("7", str(2**53 + 1), 2.0), ("8", "-1", 1.0)]


def test_categories_of_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2, 1]})
    frame.cast({"qid": pl.Categorical, "docno": pl.Categorical}).write_parquet(
        tmp_path / "run.parquet"
    )
    assert rows(read_run(tmp_path / "run.parquet")) == [("1", "a", 2.0), ("1", "b", 1.0)]


def test_records_with_ids_of_both_kinds() -> None:
    lines = b'{"qid": 7, "docno": "x", "score": 1}\n\n{"qid": "7", "docno": 8, "score": 2.5, "rank": 1}\n'
    assert rows(read_run(io.BytesIO(lines), "jsonl")) == [("7", "x", 1.0), ("7", "8", 2.5)]
    listed = b'[{"qid": 7, "docno": "x", "label": 1, "known": true}]'
    qrels = read_qrels(io.BytesIO(listed), "json")
    assert rows(qrels) == [("7", "x", 1)]
    assert qrels["known"].tolist() == [True]


@pytest.mark.parametrize("form", ["parquet", "csv", "tsv", "jsonl"])
def test_further_columns_of_judgments_survive(form: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "qid": ["1", "1"],
            "known": [True, False],
            "docno": ["a", "b"],
            "label": [2, 1],
            "expected": [3.5, 3.5],
        }
    )
    path = tmp_path / f"qrels.{form}"
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "jsonl":
        frame.write_ndjson(path)
    else:  # pandas writes True and False
        text = "qid,known,docno,label,expected\n1,True,a,2,3.5\n1,False,b,1,3.5\n"
        path.write_text(text.replace(",", "\t" if form == "tsv" else ","))
    qrels = read_qrels(path)
    assert list(qrels.columns) == ["query_id", "doc_id", "relevance", "known", "expected"]
    assert qrels["known"].tolist() == [True, False]
    assert qrels["expected"].tolist() == [3.5, 3.5]
    run = {"1": {"a": 2.0, "b": 1.0}}
    # The one known relevant document was retrieved.
    assert irpref.evaluator([irpref.Coverage(known="known")], qrels).calc_aggregate(run) == {
        irpref.Coverage(known="known"): 1.0
    }


def test_a_tsv_without_header_is_trec(tmp_path: Path) -> None:
    assert rows(read_qrels(written(tmp_path / "qrels.dev.tsv", b"1\t0\ta\t2\n"))) == [("1", "a", 2)]
    assert rows(
        read_qrels(written(tmp_path / "t.tsv", b'query-id\tcorpus-id\tscore\n1\t"a\t2\n'))
    ) == [("1", '"a', 2)]
    with pytest.warns(irpref.IrprefWarning, match="S is 3"):
        assert rows(read_qrels(written(tmp_path / "labels.tsv", b"1\ta\tS\n"))) == [("1", "a", 3)]


def test_blank_lines_of_csv_hold_nothing(tmp_path: Path) -> None:
    data = b"query_id,doc_id,score\r\n1,a,2\r\n\r\n1,b,1\r\n\r\n"
    assert rows(read_run(written(tmp_path / "run.csv", data))) == [("1", "a", 2.0), ("1", "b", 1.0)]


def test_a_header_alone_is_an_empty_run(tmp_path: Path) -> None:
    run = read_run(written(tmp_path / "run.csv", b"query_id,doc_id,score\n"))
    assert len(run) == 0
    assert run["score"].dtype == "float64"


def test_ranks_of_msmarco_are_scores_the_other_way_round(tmp_path: Path) -> None:
    path = written(tmp_path / "run.tsv", b"19\t0070\t1\n19\tb\t2\n20\tc\t10\n")
    assert rows(read_run(path, "msmarco")) == [
        ("19", "0070", -1.0),
        ("19", "b", -2.0),
        ("20", "c", -10.0),
    ]
    with refuses(InputError, path=str(path), line=1) as error:
        read_run(path)
    assert (error.value.remedy.argument, error.value.remedy.example) == ("form", "msmarco")
    # Their judgments are in TREC format.
    assert rows(read_qrels(io.BytesIO(b"19\t0\ta\t1\n"), "msmarco")) == [("19", "a", 1)]


@pytest.mark.parametrize("rank", ["1.5", "-1", "nan"])
def test_ranks_that_are_none(rank: str) -> None:
    with refuses(InputError, path="<file>", topic="1", doc="a", column="rank"):
        read_run(io.BytesIO(f"1\ta\t{rank}\n".encode()), "msmarco")


def test_a_rank_that_is_no_number_is_named_with_its_line() -> None:
    with refuses(InputError, path="<file>", line=2, column="rank"):
        read_run(io.BytesIO(b"1\ta\t1\n1\tb\t1_7\n"), "msmarco")


def test_a_folder_by_topic(tmp_path: Path) -> None:
    for topic, doc in (("007", "a"), ("a b", "c")):
        folder = (
            tmp_path / "run" / f"query_id={topic.replace(' ', '%20')}"
        )  # as Arrow and Spark write it
        folder.mkdir(parents=True)
        pl.DataFrame({"doc_id": [doc, "b"], "score": [2.0, 1.0]}).write_parquet(
            folder / "part-0.parquet"
        )
    expected = [("007", "a", 2.0), ("007", "b", 1.0), ("a b", "c", 2.0), ("a b", "b", 1.0)]
    assert rows(read_run(tmp_path / "run")) == expected
    flat = tmp_path / "flat"
    flat.mkdir()
    for i, (topic, doc) in enumerate((("007", "a"), ("8", "c"))):
        pl.DataFrame({"qid": [topic], "docno": [doc], "score": [1]}).write_parquet(
            flat / f"{i}.parquet"
        )
    assert rows(read_run(flat)) == [("007", "a", 1.0), ("8", "c", 1.0)]


# An id with an end of line is refused.
texts = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n"), min_size=1, max_size=6
)


@given(
    st.lists(st.tuples(texts, texts, st.floats(allow_nan=False, allow_infinity=False)), max_size=8),
    st.sampled_from(["json", "jsonl", "csv", "parquet"]),
)
def test_whatever_the_ids_are(data: list[tuple[str, str, float]], form: str) -> None:
    data = list({row[:2]: row for row in data}.values())
    if form == "json":  # topic after topic
        data = [
            row
            for topic in dict.fromkeys(row[0] for row in data)
            for row in data
            if row[0] == topic
        ]
    if form == "jsonl" and not data:
        return
    if form == "csv":
        data = [row for row in data if not any("\x00" in part for part in row[:2])]
    if form == "jsonl":
        lines = [
            json.dumps(dict(zip(("query_id", "doc_id", "score"), row, strict=True))) for row in data
        ]
        written = "\n".join(lines).encode()
    else:
        written = encoded(data, form, IR_MEASURES, "score")
    assert rows(read_run(io.BytesIO(written), form)) == data


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_lines_of_csv_end_as_they_do_elsewhere(form: str, end: str, tmp_path: Path) -> None:
    lines = ["query_id,doc_id,score", "1,a,2", "1,b,1", ""]
    text = end.join(lines).replace(",", "\t" if form == "tsv" else ",")
    assert rows(read_run(written(tmp_path / f"run.{form}", text.encode()))) == [
        ("1", "a", 2.0),
        ("1", "b", 1.0),
    ]
    bad = written(tmp_path / f"bad.{form}", text.replace("1", "x").encode())
    with refuses(InputError, path=str(bad), line=3, column="score", value="x"):
        read_run(bad)


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_further_columns_of_mixed_types_are_read_as_they_are(form: str) -> None:
    cells = ["x", 3, None, 2**70, 1.5]
    records = [
        {"query_id": "1", "doc_id": f"d{i}", "relevance": 1, "note": cell}
        for i, cell in enumerate(cells)
    ]
    if form == "csv":
        text = "query_id,doc_id,relevance,note\n" + "".join(
            f"1,d{i},1,{c or ''}\n" for i, c in enumerate(cells)
        )
        cells = [None if cell is None else str(cell) for cell in cells]
    else:
        text = json.dumps(records) if form == "json" else "\n".join(map(json.dumps, records))
    found = read_qrels(io.BytesIO(text.encode()), form)["note"].astype(object)
    assert [None if pd.isna(cell) else cell for cell in found] == cells


def test_parquet_without_pyarrow_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "run.parquet", encoded(RUN, "parquet", IR_MEASURES, "score"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pyarrow: pip install 'irpref\[parquet\]'$"):
        read_run(path)


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("r.csv", b"query_id,doc_id,score\n1,a,2\n1,b\n", "{path}, line 3: 2 fields, expected 3"),
        ("r.csv", b"query_id,doc_id,score\n1,a,2,3\n", "{path}, line 2: 4 fields, expected 3"),
        (
            "r.csv",
            b"query_id,doc_id,score\n1,a,two\n",
            "{path}, line 2: the score is 'two', expected a number",
        ),
        (
            "r.csv",
            b'query_id,doc_id,note,score\n1,a,"a\nb",1\n1,c,,x\n',
            "{path}, line 4: the score is 'x', expected a number",
        ),
        ("r.csv", b"query_id,doc_id,score\n1,,2\n", "{path}, line 2: the doc_id is missing"),
        (
            "r.csv",
            b"query_id,doc_id,score\n1,a,\n",
            "{path}, line 2: the score is '', expected a number",
        ),
        ("r.csv", b"query_id,doc_id,score\n,,\n", "{path}, line 2: the query_id is missing"),
        ("r.csv", b"query_id,doc_id,score\n1,\xff,2\n", "{path}, line 2: this is not UTF-8"),
        (
            "r.csv",
            b"1,a,2\n",
            "{path} has no columns 'query_id' (or 'qid'), 'doc_id' (or 'docno'), 'score' (or",
        ),
        ("r.csv", b"qid,docno,docno,score\n1,a,b,2\n", "{path} has two columns of the same name"),
        ("r.csv", b"", "{path}: the file is empty, expected a header"),
        (
            "r.tsv",
            b"qid\tdocno\tplace\n1\ta\t2\n",
            "{path} has no column 'score' (or 'rank') (found: qid, docno, place)",
        ),
        ("r.json", b'{"1": {"a": 1}', "{path}, line 1: this is not JSON"),
        (
            "r.json",
            b'{"1": {"a": "2"}}',
            "{path}: topic '1', document 'a': the score is '2', expected a number",
        ),
        (
            "r.json",
            b'{"1": {"a": true}}',
            "{path}: topic '1', document 'a': the score is True, expected a number",
        ),
        ("r.json", b'{"1": 3}', "{path}: topic '1' holds a number, expected document -> number"),
        ("r.json", b'{"1": {"a": 1, "a": 2}}', "{path}: the key 'a' occurs twice in one object"),
        ("r.json", b"3", "{path}: expected topic -> document -> number, got a number"),
        (
            "r.json",
            b'{"1": {"a": 1%s}}' % (b"0" * 400),
            "{path}: topic '1', document 'a': a number is too large for",
        ),
        ("r.json", b"[" * 100_000, "{path}: the JSON is nested too deeply"),
        ("r.json", b'{"1":\n {"\xff": 1}}', "{path}, line 2: this is not UTF-8"),
        (
            "r.jsonl",
            b'{"qid": "1", "docno": "a", "score": 1}\n{"qid"\n',
            "{path}, line 2: this is not JSON: '{{\"qid\"'",
        ),
        (
            "r.jsonl",
            b'{"qid": "1", "docno": "a", "score": "x"}\n',
            "{path}, line 1: the score is 'x'",
        ),
        (
            "r.jsonl",
            b'{"qid": "1", "score": 2}\n',
            "{path}, line 1 has no column 'doc_id' (or 'docno')",
        ),
        (
            "r.jsonl",
            b'{"qid": 1.5, "docno": "a", "score": 2}\n',
            "{path}, line 1: the query_id is a number, expected",
        ),
        (
            "r.jsonl",
            b'{"qid": null, "docno": "a", "score": 2}\n',
            "{path}, line 1: the query_id is a null",
        ),
        # A record is the same in both forms.
        (
            "r.jsonl",
            b'{"qid": "1", "docno": "a", "docno": "b", "score": 2}\n',
            "{path}, line 1: the key 'docno' occurs twice",
        ),
        (
            "r.json",
            b'[{"qid": "1", "docno": "a", "docno": "b", "score": 2}]',
            "{path}: the key 'docno' occurs twice in one object",
        ),
        (
            "r.jsonl",
            b'{"qid": "1", "docno": "a\\ud800", "score": 2}\n',
            "{path}: an id is not valid text: it contains half of",
        ),
        (
            "r.json",
            b'{"1": {"a\\ud800": 1, "a\\ud801": 2}}',
            "{path}: an id is not valid text: it contains half of",
        ),
        ("r.json", b'{"1": {"a": %s}}' % (b"1" * 5000), "{path}: a number has too many digits"),
        (
            "r.jsonl",
            b'\n{"qid": 1, "docno": %s, "score": 2}' % (b"1" * 5000),
            "{path}, line 2: a number has too many",
        ),
        ("r.csv", b'query_id,doc_id,score\n1,"a"b,2\n', "{path}, line 2: "),
        (
            "r.jsonl",
            b"[1]\n",
            "{path}, line 1: expected an object with query_id, doc_id, score, got a list",
        ),
        ("r.parquet", b"junk", "{path}: this is not a Parquet file, or it is damaged: "),
        (
            "r.parquet",
            b"PAR1" + b"x" * 99 + b"PAR1",
            "{path}: this is not a Parquet file, or it is damaged: ",
        ),
        (
            "r.csv.gz",
            gzip.compress(b"query_id,doc_id,score\n1,a,2\n", mtime=0)[:-6],
            "{path}: the compressed data is damaged",
        ),
    ],
    ids=map(str, itertools.count()),
)
def test_damaged_files_are_one_line_with_their_name(
    name: str, data: bytes, text: str, tmp_path: Path
) -> None:
    path = written(tmp_path / name, data)
    with pytest.raises(ValueError, match="^" + re.escape(text.format(path=path))) as found:
        read_run(path)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        ({"query_id": ["1"], "doc_id": ["a"]}, " has no column 'score'"),
        (
            {"query_id": ["1", None], "doc_id": ["a", "b"], "score": [1, 2]},
            ", record 2: an id is missing in column 'query_id'",
        ),
        (
            {"query_id": [1.5], "doc_id": ["a"], "score": [1]},
            ": column 'query_id' holds double, expected text",
        ),
        (
            {"query_id": ["1"], "doc_id": ["a"], "score": ["1"]},
            ": column 'score' holds large_string, expected numbers",
        ),
        (
            {"query_id": [b"\xff"], "doc_id": ["a"], "score": [1]},
            ": column 'query_id' holds bytes that are not UTF-8",
        ),
    ],
)
def test_parquet_of_other_types(frame: dict[str, list[Any]], text: str, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame(frame).write_parquet(path)
    with pytest.raises(ValueError, match=re.escape(f"{path}{text}")):
        read_run(path)


def test_a_missing_number_of_parquet_is_named_by_the_evaluation(tmp_path: Path) -> None:
    pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [None]}).write_parquet(
        tmp_path / "run.parquet"
    )
    with pytest.raises(ValueError, match="topic '1', document 'a'"):
        irpref.evaluator([irpref.EMeasure], {"1": {"a": 1}}).calc_aggregate(
            read_run(tmp_path / "run.parquet")
        )


def test_forms_that_there_are_not() -> None:
    with refuses(ArgumentError, parameter="form", value="parket") as error:
        read_run("x", "parket")
    assert str(error.value).endswith("did you mean 'parquet'?")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match=r"without \.parquet files"):
        read_run(tmp_path)
    for read in (read_run, read_qrels, irpref.run, irpref.judgments):
        for name in ("none.parquet", "none", "none.csv.gz"):
            with pytest.raises(FileNotFoundError, match=re.escape(f"{name}: no such file")):
                read(tmp_path / name)
    assert tables.form_of(tmp_path) == "parquet"
