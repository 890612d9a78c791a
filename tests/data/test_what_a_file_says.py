"""What a file says, and what it does not: ranks, comments, quotation marks, ids, empty grades."""

import io
import json
import os
import threading
import warnings
from collections import namedtuple
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import irpref
from irpref import read_qrels, read_run
from irpref.data import tables
from irpref.errors import ColumnError, InputError, IrprefWarning
from refused import refuses, warns_of

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
RANKS = pd.DataFrame(
    [("q1", "a", 1), ("q1", "b", 2), ("q2", "a", 1), ("q2", "b", 2)],
    columns=["query_id", "doc_id", "rank"],
)
Ranked = namedtuple("Ranked", "query_id doc_id rank")


def rows(data: bytes, form: str, **how: Any) -> list[list[Any]]:
    found: list[list[Any]] = read_run(io.BytesIO(data), form, **how).to_numpy().tolist()
    return found


def judged(data: bytes, form: str, **how: Any) -> list[list[Any]]:
    frame = read_qrels(io.BytesIO(data), form, **how)
    found: list[list[Any]] = frame[["query_id", "doc_id", "relevance"]].to_numpy().tolist()
    return found


# Ranks --------------------------------------------------------------------------------------------


def _parquet() -> io.BytesIO:
    out = io.BytesIO()
    RANKS.to_parquet(out)
    out.seek(0)
    return out


@pytest.mark.parametrize("columns", [None, {"score": "rank"}])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_ranks_of_files_are_ranks(form: str, columns: dict[str, str] | None) -> None:
    data = {
        "csv": lambda: RANKS.to_csv(index=False),
        "tsv": lambda: RANKS.to_csv(index=False, sep="\t"),
        "jsonl": lambda: RANKS.to_json(orient="records", lines=True),
        "json": lambda: RANKS.to_json(orient="records"),
    }
    file = _parquet() if form == "parquet" else io.BytesIO(data[form]().encode())
    run = read_run(file, form, columns=columns)
    assert irpref.evaluator(["AP"], QRELS).calc_aggregate(run) == {irpref.parse("AP"): 1.0}


@pytest.mark.parametrize(
    "run",
    [
        RANKS,
        RANKS.rename(columns={"rank": "Rank", "query_id": "QID", "doc_id": "docNo"}),
        pl.from_pandas(RANKS),
        pl.from_pandas(RANKS).lazy(),
        [Ranked(*row) for row in RANKS.itertuples(index=False)],
    ],
    ids=["pandas", "case", "polars", "lazy", "namedtuples"],
)
def test_ranks_of_tables_are_ranks(run: Any) -> None:
    assert irpref.evaluator(["AP"], QRELS).calc_aggregate(run) == {irpref.parse("AP"): 1.0}


@pytest.mark.parametrize(
    ("column", "best"),
    [("position", "a"), ("doc_rank", "a"), ("Ranking", "a"), ("rank_score", "b"), ("ppos2", "b")],
)
def test_ranks_by_other_names_are_never_upside_down(column: str, best: str) -> None:
    data = f"query_id,doc_id,{column}\nq,a,1\nq,b,2\n".encode()
    for form, text in ("csv", data), ("csv", data.replace(b",", b"\t")):
        found = rows(text, form, columns={"score": column})
        assert max(found, key=lambda row: row[2])[1] == best


def test_scores_count_where_there_are_both() -> None:
    both = RANKS.assign(score=[1.0, 2.0, 1.0, 2.0])
    assert irpref.evaluator(["AP"], QRELS).calc_aggregate(both) == {irpref.parse("AP"): 0.5}


# Columns ------------------------------------------------------------------------------------------


def test_names_of_columns_in_any_case() -> None:
    assert rows(b"Query_ID,DocNo,SCORE\nq,a,1\n", "csv") == [["q", "a", 1.0]]
    assert rows(b"Query_ID\tDocNo\tSCORE\nq\ta\t1\n", "tsv") == [["q", "a", 1.0]]
    assert judged(b"Query,docid,Rating\nq,a,1\n", "csv", columns=COLUMNS) == [["q", "a", 1]]
    assert judged(b'{"Query": "q", "docid": "a", "Rating": 1}\n', "jsonl", columns=COLUMNS) == [
        ["q", "a", 1]
    ]


COLUMNS = {"query_id": "query", "doc_id": "docid"}


def test_the_exact_name_wins() -> None:
    assert rows(b"qid,docno,Score,score\nq,a,1,2\n", "csv") == [["q", "a", 2.0]]


def test_one_error_names_all_missing_columns() -> None:
    with pytest.raises(ColumnError) as error:
        rows(b"question,chunk\nq,a\n", "csv")
    assert error.value.missing == ("query_id", "doc_id", "score")
    assert error.value.remedy is not None
    likely = {"query_id": "question", "doc_id": "chunk", "score": "NAME"}
    assert error.value.remedy.example == likely


# Cells --------------------------------------------------------------------------------------------


def test_quotation_marks_have_no_meaning_in_tsv() -> None:
    data = b'query_id\tdoc_id\tscore\nq1\t"a\t1\nq1\tb"\t0\nq1\tc"d\t2\n'
    assert rows(data, "tsv") == [["q1", '"a', 1.0], ["q1", 'b"', 0.0], ["q1", 'c"d', 2.0]]
    assert judged(data.replace(b"score", b"relevance"), "tsv") == rows(data, "tsv")


@pytest.mark.parametrize("read", [rows, judged])
def test_other_separators(read: Any) -> None:
    value = "score" if read is rows else "relevance"
    wanted = [["q1", "a,b", 2], ["q1", "c;d", 1]]
    data = f'query_id;doc_id;{value}\nq1;a,b;2\nq1;"c;d";1\n'
    assert read(data.encode(), "csv") == wanted
    assert read(f"sep=;\n{data}".encode(), "csv") == wanted
    bars = [["q1", "a,b", 2], ["q1", "c|d", 1]]
    assert read(data.replace(";", "|").encode(), "csv") == bars
    # Quotation marks have no meaning between tabs.
    tabs = f'query_id\tdoc_id\t{value}\nq1\t"a\t2\n'
    assert read(tabs.encode(), "csv") == [["q1", '"a', 2]]


@pytest.mark.parametrize("read", [rows, judged])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_ids_have_no_end_of_line(read: Any, end: str) -> None:
    value = "score" if read is rows else "relevance"
    data = f'query_id,doc_id,{value}\nq1,"a{end}b",2\n'
    with refuses(InputError, column="doc_id") as error:
        read(data.encode(), "csv")
    assert "a line break" in error.value.message
    assert error.value.line is not None
    record = json.dumps({"query_id": f"q{end}1", "doc_id": "a", value: 1})
    for form, text in ("jsonl", record), ("json", f"[{record}]"):
        with refuses(InputError, column="query_id"):
            read(text.encode(), form)
    table = pa.table({"query_id": ["q1", "q2"], "doc_id": ["a", f"b{end}"], value: [1, 2]})
    for ids in (table, table.set_column(1, "doc_id", table["doc_id"].dictionary_encode())):
        parquet.write_table(ids, written := io.BytesIO())
        with pytest.raises(InputError, match="a line break"):
            read(written.getvalue(), "parquet")
    with refuses(InputError, column="doc_id"):
        read(json.dumps({"q": {f"a{end}": 1}}).encode(), "json")


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("csv", b"qid,docno,label\nq,a,3\nq,b,\nq,c, \nq,d,0\n"),
        ("tsv", b"qid\tdocno\tlabel\nq\ta\t3\nq\tb\t\nq\tc\t \nq\td\t0\n"),
        (
            "jsonl",
            b'{"qid": "q", "docno": "a", "label": 3}\n{"qid": "q", "docno": "b", "label": null}\n'
            b'{"qid": "q", "docno": "c", "label": ""}\n{"qid": "q", "docno": "d", "label": 0}\n',
        ),
    ],
)
def test_an_empty_grade_is_no_judgment(form: str, data: bytes) -> None:
    with warns_of(IrprefWarning) as caught:
        assert judged(data, form) == [["q", "a", 3], ["q", "d", 0]]
    assert "2 rows have no relevance" in str(caught[0])


def test_an_empty_grade_in_parquet_is_no_judgment() -> None:
    out = io.BytesIO()
    pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "label": [1, None]}).write_parquet(out)
    with pytest.warns(IrprefWarning, match="no relevance"):
        assert judged(out.getvalue(), "parquet") == [["q", "a", 1]]


def test_an_empty_score_is_refused() -> None:
    with pytest.raises(InputError, match="the score is ''"):
        rows(b"qid,docno,score\nq,a,\n", "csv")


# Ids ----------------------------------------------------------------------------------------------


class Bytes(bytes):
    """Bytes of somebody else."""


@pytest.mark.parametrize("make", [bytes, np.bytes_, Bytes])
def test_bytes_are_text(make: type[bytes]) -> None:
    run = {"q1": {make(b"a"): 2.0, make(b"b"): 1.0}, "q2": {make(b"a"): 2.0, make(b"b"): 1.0}}
    frame = pd.DataFrame(
        [(make(q.encode()), d, s) for q, docs in run.items() for d, s in docs.items()],
        columns=["query_id", "doc_id", "score"],
    )
    ap = irpref.parse("AP")
    for given in (run, {make(q.encode()): docs for q, docs in run.items()}, frame):
        assert irpref.evaluator(["AP"], QRELS).calc_aggregate(given) == {ap: 1.0}
        measure = irpref.RPref(max_rel=1)
        assert irpref.evaluator([measure], QRELS).calc_aggregate(given) == {measure: 1.0}


# Folders and blocks -------------------------------------------------------------------------------


def test_hidden_parts_of_folders_are_left_out(tmp_path: Path) -> None:
    frame = RANKS.assign(score=[2.0, 1.0, 2.0, 1.0])
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_group=1").mkdir()
    for name in ("part-0", ".part-0", "_part-1", "_temporary/part-1", "_group=1/part-2"):
        shift = 1 if name == "part-0" else 2
        frame.assign(doc_id=frame["doc_id"] * shift).to_parquet(tmp_path / f"{name}.parquet")
    assert set(read_run(tmp_path)["doc_id"]) == {"a", "b", "aa", "bb"}
    assert len(read_run(tmp_path)) == 8


LINES = [("q1", "a", 2.5), ("q1", "b c", 1e-3), ("q2", "é", -2), ("q2", "#d", 7)]
UNUSUAL = [("q2", 'x"y', 1.0), ("q2", "x\ty", 1.0), ("q3", "\\", 1.0), ("q3", "\x01", 2.0)]


@pytest.mark.parametrize("block_bytes", [40, 200, 1 << 20])
@pytest.mark.parametrize("unusual", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_blocks_are_read_as_the_whole(
    form: str, unusual: int, block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from irpref.data import cells, records

    monkeypatch.setattr(cells, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(cells, "_ROWS", 3)
    monkeypatch.setattr(records, "_LINES", block_bytes // 20)
    wanted = [*LINES, *UNUSUAL[:unusual], *LINES] * 3
    frame = pd.DataFrame(wanted, columns=["query_id", "doc_id", "score"])
    text = "".join(
        json.dumps(dict(zip(frame.columns, row, strict=True)), ensure_ascii=False) + "\n"
        for row in wanted
    )
    data = frame.to_csv(index=False) if form == "csv" else text
    source = tables.Source(io.BytesIO(data.encode()))
    parts = list(tables.read(source, "score", tables.reading(form)))
    assert len(parts) > 1 or block_bytes > 200 or not block_bytes
    found = tables.to_pandas(tables.Table.joined(parts), "score")
    assert found.to_numpy().tolist() == [list(row) for row in wanted]


def test_a_line_that_is_written_differently_is_read_for_itself() -> None:
    first = '{"qid": "q", "docno": "a", "score": 1}\n'
    for other in (
        '{"docno": "b", "qid": "q", "score": 2}',
        '{"qid":"q","docno":"b","score":2}',
        '{"qid": "q", "docno": "b", "score": 2, "more": [1]}',
        '  {"qid": "q", "docno": "b", "score": 2.0}  ',
        '{"qid": "q", "docno": "\\u0062", "score": 2}',
    ):
        assert rows((first + other).encode(), "jsonl") == [["q", "a", 1.0], ["q", "b", 2.0]]
    for wrong in ('{"qid": "q", "docno": "a", "docno": "5", "score": 2}', '"q", "a", 1', "{}"):
        with pytest.raises(InputError) as error:
            rows((first + wrong).encode(), "jsonl")
        assert error.value.line == 2


# Comments -----------------------------------------------------------------------------------------

SAID = [("#q1", "a", 1.0), ("#q1", "b", 0.0), ("q2", "a", 1.0), ("q2", "b", 0.0)]


@pytest.mark.parametrize("end", ["", "\r"])
@pytest.mark.parametrize("first", ["#q1", "q2"])
def test_a_topic_may_begin_with_a_number_sign(first: str, end: str) -> None:
    said = sorted(SAID, key=lambda row: row[0] != first)
    runs = "".join(f"{q} Q0 {d} 1 {s} tag{end}\n" for q, d, s in said)
    assert rows(runs.encode(), "trec") == [list(row) for row in said]
    tagged = runs.replace("tag", "a tag of words")
    assert rows(tagged.encode(), "trec") == [list(row) for row in said]
    four = "".join(f"{q} 0 {d} {g:.0f}{end}\n" for q, d, g in said)
    three = "".join(f"{q} {d} {g:.0f}{end}\n" for q, d, g in said)
    for text in (four, three):
        assert judged(text.encode(), "trec") == [list(row) for row in said]


def test_topics_that_all_begin_with_a_number_sign(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("#q1 0 a 1\n#q2 0 a 1\n")
    (tmp_path / "r").write_text("#q1 Q0 a 1 1 t\n#q2 Q0 b 1 1 t\n")
    evaluator = irpref.evaluator(["AP"], tmp_path / "q")
    assert evaluator.calc_aggregate(tmp_path / "r") == {irpref.parse("AP"): 0.5}


@pytest.mark.parametrize(
    "comment", ["# made by hand", "#qid Q0 docno rank score tag", "#", "#####"]
)
def test_comments_are_counted(comment: str) -> None:
    data = f"{comment}\nq1 Q0 a 1 1 t\n{comment}\nq1 Q0 b 1 0 t\n".encode()
    with pytest.warns(IrprefWarning, match="2 lines .*'#'"):
        assert rows(data, "trec") == [["q1", "a", 1.0], ["q1", "b", 0.0]]


def test_groups_and_preferences_of_such_topics(tmp_path: Path) -> None:
    pairs = irpref.read_preferences(io.BytesIO(b"# who wins\n#q1 a b\nq2 a b\n"), "pairs")
    assert set(pairs["query_id"]) == {"#q1", "q2"}
    levels = irpref.read_preferences(io.BytesIO(b"#q1 0 1 a 2\n#q1 0 1 b 1\nq2 0 1 a 1\n"))
    assert set(levels["query_id"]) == {"#q1", "q2"}
    from irpref.judged.groups import read_groups

    (tmp_path / "groups").write_text("# topic and group\n#q1 easy\nq2 hard\n")
    assert read_groups(tmp_path / "groups") == {"#q1": "easy", "q2": "hard"}


# MS MARCO -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_ranks_of_msmarco(first: int) -> None:
    data = "".join(f"q{t}\td{r}\t{r + first}\n" for t in range(3) for r in (2, 0, 1))
    assert len(rows(data.encode(), "msmarco")) == 9


@pytest.mark.parametrize("scores", [(20, 10), (5, 3), (9, 9), (0, 1000)])
def test_scores_are_no_ranks_of_msmarco(scores: tuple[int, int]) -> None:
    data = "".join(f"q{t}\td{i}\t{s}\n" for t in range(3) for i, s in enumerate(scores))
    with pytest.raises(InputError, match="are these scores") as error:
        rows(data.encode(), "msmarco")
    assert error.value.topic == "q0"


def test_a_topic_without_its_first_ranks_is_still_msmarco() -> None:
    assert len(rows(b"q1\ta\t1\nq1\tb\t2\nq2\ta\t3\nq3\ta\t1\n", "msmarco")) == 4


# Whole or refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "data", "cut"),
    [
        ("trec", "q Q0 a 1 12.5 t\nq Q0 b 2 11.5 t", False),  # the tag of the line above
        ("trec", "q Q0 a 1 12.5 run12\nq Q0 b 2 11.5 run1", False),
        ("trec", "q Q0 a 1 12.5 12\nq Q0 b 2 11.5 12", False),
        ("trec", "q Q0 a 1 12.5 123\nq Q0 b 2 11.5 12", True),
        ("csv", "qid,docno,score\nq,a,12.5\nq,b,11.5", True),
        ("csv", "qid,docno,score\nq,a,12.5\nq,b,11.5\n", False),
        ("csv", 'qid,docno,score\nq,a,"12.5"\nq,b,"11"', False),
        ("csv", "qid,docno,score\nq,a,12.5\nq,b,1", False),
        ("tsv", "qid\tdocno\tscore\nq\ta\t12.5\nq\tb\t11.5", True),
        ("jsonl", '{"qid": "q", "docno": "b", "score": 11.5}', False),
        ("json", '{"q": {"b": 11.5}}', False),
    ],
)
def test_a_file_that_ends_in_a_number_may_be_cut(form: str, data: str, cut: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert rows(data.encode(), form)[-1][2] in (11.0, 11.5, 1.0)
    assert [w.category for w in caught] == [irpref.errors.CutWarning] * cut


@pytest.mark.parametrize(
    ("data", "cut"), [("1 0 a 12", True), ("1 0 a 1", False), ("1 a 12", True)]
)
def test_judgments_that_may_be_cut(data: str, cut: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        judged(data.encode(), "trec")
    assert [w.category for w in caught] == [irpref.errors.CutWarning] * cut


@pytest.mark.parametrize("form", ["trec", "csv", "jsonl", "json"])
def test_a_file_that_changes_while_it_is_read_is_refused(form: str, tmp_path: Path) -> None:
    lines = {
        "trec": ("", "q Q0 d{} 1 {} t\n"),
        "csv": ("qid,docno,score\n", "q,d{},{}\n"),
        "jsonl": ("", '{{"qid": "q", "docno": "d{}", "score": {}}}\n'),
        "json": ("", ""),
    }
    begin, line = lines[form]
    text = begin + "".join(line.format(i, i) for i in range(9)) if line else '{"q": {"a": 1}}'
    path = tmp_path / f"run.{form}"
    path.write_text(text)
    source = tables.Source(path)
    with pytest.raises(InputError, match="was changed"), source.open() as file:  # noqa: PT012
        file.read()
        with open(path, "a") as other:
            other.write(line.format(9, 9) or " ")


def test_a_parquet_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    from irpref.data.columns import PLAIN
    from irpref.data.parquet import tables as tables_of

    path = tmp_path / "run.parquet"
    RANKS.to_parquet(path)
    for where in (path, tmp_path):  # a file, a folder of files
        parts = tables_of(tables.Source(where), "score", PLAIN)
        next(parts)
        os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
        with pytest.raises(InputError, match="was changed"):
            next(parts)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_judgments_that_change_while_they_are_read_are_refused(
    form: str, tmp_path: Path, monkeypatch: Any
) -> None:
    head, line = FORMS_OF_JUDGMENTS[form]
    path = tmp_path / f"qrels.{form}"
    path.write_text(head + "".join(line.format(q="q", d=f"d{i}", g=1) for i in range(40)))
    monkeypatch.setattr("irpref.data.cells.BLOCK_BYTES", 100)
    blocks_of = irpref.data.cells.blocks_of

    def changed_meanwhile(*arguments: Any) -> Any:
        for block in blocks_of(*arguments):
            os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
            yield block

    monkeypatch.setattr("irpref.data.cells.blocks_of", changed_meanwhile)
    with pytest.raises(InputError, match="was changed"):
        irpref.judgments(str(path))


# Other tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [list, iter])
def test_records_and_tuples(make: Any) -> None:
    scored = RANKS.assign(score=[2.0, 1.0, 2.0, 1.0]).drop(columns="rank")
    graded = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    names = ("qid", "docno", "label")
    records = [dict(zip(names, row, strict=True)) for row in graded]
    ap = irpref.parse("AP")
    for qrels in (graded, records):
        for run in (
            list(scored.itertuples(index=False, name=None)),
            scored.to_dict("records"),
            RANKS.to_dict("records"),
        ):
            evaluator = irpref.evaluator(["AP"], make(qrels))
            assert evaluator.calc_aggregate(make(run)) == {ap: 1.0}


def test_a_record_that_lacks_a_column_is_named() -> None:
    rows = [{"qid": "q", "docno": "a", "score": 1}, {"qid": "q", "docno": "b"}]
    with refuses(ColumnError, missing=("score",), table="record 2"):
        irpref.evaluator(["AP"], QRELS).calc_aggregate(rows)  # type: ignore[arg-type]


def test_tables_of_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    graded = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    frame = pd.DataFrame(graded, columns=["qid", "docno", "label"])
    for kind in ("object", "category"):
        qrels = pa.Table.from_pandas(frame.astype({"docno": kind}))
        run = pa.Table.from_pandas(RANKS.astype({"doc_id": kind}))
        assert irpref.evaluator(["AP"], qrels).calc_aggregate(run) == {irpref.parse("AP"): 1.0}


# Judgments in blocks ------------------------------------------------------------------------------

FORMS_OF_JUDGMENTS = {
    "csv": ("query_id,doc_id,relevance\n", "{q},{d},{g}\n"),
    "tsv": ("qid\tdocno\tlabel\n", "{q}\t{d}\t{g}\n"),
    "jsonl": ("", '{{"qid": "{q}", "docno": "{d}", "label": {g}}}\n'),
}


@pytest.mark.parametrize("form", FORMS_OF_JUDGMENTS)
@pytest.mark.parametrize("odd", ["", "2.5", "-2", "1e1"])
def test_judgments_in_blocks_are_those_of_single_rows(
    form: str, odd: str, monkeypatch: Any
) -> None:
    head, line = FORMS_OF_JUDGMENTS[form]
    wanted = [[f"q{i // 7}", f"d{i}é", i % 3] for i in range(100)]
    if odd:
        wanted[57][2] = float(odd)
    data = head + "".join(line.format(q=q, d=d, g=g) for q, d, g in wanted)
    plain = judged(data.encode(), form)
    monkeypatch.setattr("irpref.data.cells.BLOCK_BYTES", 200)
    assert judged(data.encode(), form) == plain == wanted
    # A row that has to be read for itself, in the last block: the whole is read again.
    quoted = {"csv": '"q99","a,b",1\n', "tsv": "q99\ta b\t1\n", "jsonl": line.replace(" ", "  ")}
    more = quoted[form].format(q="q99", d="a b", g=1)
    doc = "a,b" if form == "csv" else "a b"
    assert judged((data + more).encode(), form) == [*wanted, ["q99", doc, 1]]
    with pytest.raises(InputError, match="line 10[12]" if form != "jsonl" else "line 101"):
        judged((data + line.format(q="q1", d="x", g='"S"')).encode(), form)


def test_judgments_from_a_pipe_are_read_again_if_a_row_is_unusual(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    data = "query_id,doc_id,relevance\n" + "q,a,1\n" * 1 + 'q,"b",0\n'
    writer = threading.Thread(target=pipe.write_text, args=(data,))
    writer.start()
    assert len(irpref.judgments(str(pipe))) == 2
    writer.join()


def test_parts_of_tables_are_put_together_in_any_form() -> None:
    from irpref.data.columns import Table
    from irpref.data.texts import Texts

    def part(docs: Any, first: int) -> Table:
        cells = np.broadcast_to(np.array(["0"], object), len(docs))
        values = np.arange(first, first + len(docs), dtype=float)
        return Table(["q"] * len(docs), docs, values, {"iteration": cells})

    parts = [part(["a", "b"], 0), part(["é"], 2), part(["d", "e"], 3)]
    for as_texts in ([], [0, 1, 2], [0, 2], [1]):
        some = [
            replace(p, doc_id=Texts.from_strings(p.doc_id) or p.doc_id) if i in as_texts else p
            for i, p in enumerate(parts)
        ]
        whole = Table.joined(iter(some))
        assert irpref.data.columns.as_list(whole.doc_id) == ["a", "b", "é", "d", "e"]
        assert whole.value.tolist() == [0, 1, 2, 3, 4]
        assert whole.columns["iteration"].tolist() == ["0"] * 5


# Labels that are no grades ------------------------------------------------------------------------

FAILED = {
    "trec": b"q 0 a 2\nq 0 b error\nq 0 c 0\n",
    "csv": b"qid,docno,label\nq,a,2\nq,b,error\nq,c,0\n",
    "tsv": b"qid\tdocno\tlabel\nq\ta\t2\nq\tb\terror\nq\tc\t0\n",
    "jsonl": b'{"qid":"q","docno":"a","label":2}\n{"qid":"q","docno":"b","label":"error"}\n'
    b'{"qid":"q","docno":"c","label":0}\n',
    "json": b'{"q": {"a": 2, "b": "error", "c": 0}}',
}


@pytest.mark.parametrize("form", FAILED)
def test_what_a_judge_wrote_in_place_of_a_grade_is_no_grade(form: str) -> None:
    data = FAILED[form]
    with pytest.raises(InputError, match="error"):
        judged(data, form)
    with pytest.warns(IrprefWarning, match="no relevance: its document"):
        assert judged(data, form, labels={"error": None}) == [["q", "a", 2], ["q", "c", 0]]
    # Only what is named: neither another word nor nan.
    for other in (b"nan", b"timeout"):
        odd = data.replace(b"error", other)
        with pytest.raises(InputError, match=other.decode()):
            judged(odd, form, labels={"error": None})
    words = data.replace(b"2", b'"good"' if "json" in form else b"good")
    words = words.replace(b":0", b':"bad"').replace(b": 0", b': "bad"')
    words = (
        words.replace(b" 0\n", b" bad\n").replace(b",0\n", b",bad\n").replace(b"\t0\n", b"\tbad\n")
    )
    with pytest.warns(IrprefWarning, match="no relevance"):
        both = judged(words, form, labels={"good": 1, "bad": 0, "error": None})
    assert both == [["q", "a", 1], ["q", "c", 0]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_labels_of_frames_that_are_no_grades(frame: Any) -> None:
    table = frame({"qid": ["q", "q"], "docno": ["a", "b"], "label": ["good", "error"]})
    with pytest.warns(IrprefWarning, match="no relevance"):
        read = irpref.judgments(table, labels={"good": 2, "error": None})
    assert read.frame().to_numpy().tolist() == [["q", "a", 2]]


def test_the_shell_says_what_is_no_grade(tmp_path: Path, capsys: Any) -> None:
    from irpref.cli import main

    (tmp_path / "q").write_bytes(FAILED["trec"])
    (tmp_path / "r").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    words = ["eval", str(tmp_path / "q"), str(tmp_path / "r"), "AP", "Judged@2"]
    assert main([*words, "--labels", "error=unjudged"]) == 0
    assert capsys.readouterr().out.split() == ["AP", "0.5000", "Judged@2", "0.5000"]


@pytest.mark.parametrize("data", [b"q 0 a 1\nq 0 b 0\n", b"q a 1\nq b 0\n"])
def test_frames_of_judgments_can_be_changed(data: bytes) -> None:
    frame = read_qrels(io.BytesIO(data))
    for name, value in (("iteration", "7"), ("doc_id", "x"), ("relevance", 5)):
        frame.loc[0, name] = value
    assert frame.iloc[0].tolist() == ["q", "x", 5, "7"]
    assert frame["iteration"].tolist() == ["7", "0"]
