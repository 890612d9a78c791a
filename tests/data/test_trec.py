"""Runs and judgments in TREC format: what is read, what is refused, and that every way of reading
agrees.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irpref
from irpref import read_qrels, read_run
from irpref.data import source, texts
from irpref.data import trec as trec
from irpref.data.columns import Table, as_list
from irpref.data.source import Source
from irpref.errors import InputError, LabelError
from refused import refuses

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

AWKWARD = (
    b"1 Q0 a 1 2.5 t\n1\tQ0\tb 2   1.5 t\r\n\n# a comment\n"
    b"007 Q0 \"q'd 1 -3e2 my tag\n  2 Q0 \xc3\xa9\xe6\x96\x87 1 +1 t"
)
ROWS = [("1", "a", 2.5), ("1", "b", 1.5), ("007", "\"q'd", -300.0), ("2", "é文", 1.0)]


def rows(frame: pd.DataFrame, value: str = "score") -> list[tuple[str, str, float]]:
    return list(zip(frame["query_id"], frame["doc_id"], frame[value].tolist(), strict=True))


@pytest.fixture(params=["python", "compiled"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of reading lines that hold nothing unusual."""
    if request.param == "compiled" and not texts.compiled:
        pytest.skip("nothing is compiled")
    monkeypatch.setattr(texts, "compiled", request.param == "compiled")
    return str(request.param)


def tuples(parts: Iterable[Table]) -> list[tuple[str, str, float]]:
    """The rows of some tables."""
    columns = (
        (as_list(part.query_id), as_list(part.doc_id), part.value.tolist()) for part in parts
    )
    return [row for three in columns for row in zip(*three, strict=True)]


def read(
    data: bytes, form: trec.Form = trec.RUN, block_bytes: int = trec.BLOCK_BYTES
) -> list[tuple[str, str, float]]:
    return tuples(trec.blocks(Source(io.BytesIO(data)), form, block_bytes))


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


# What is read -------------------------------------------------------------------------------------


def test_run_with_every_irregularity(way: str, tmp_path: Path) -> None:
    frame = read_run(written(tmp_path / "run", AWKWARD))
    assert rows(frame) == ROWS
    assert frame["score"].dtype == "float64"
    assert list(frame.columns) == ["query_id", "doc_id", "score"]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", id="blanks"),
        pytest.param(b"1\tQ0\ta\t1\t2\tt\n1\tQ0\tb\t2\t1\tt\n", id="tabs"),
        pytest.param(b"1 Q0 a 1 2 t\r\n1 Q0 b 2 1 t\r\n", id="crlf"),
        pytest.param(b"1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r", id="cr"),
        pytest.param(b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t", id="no final newline"),
        pytest.param(b"\n\n1 Q0 a 1 2 t\n \t \n1 Q0 b 2 1 t\n\n", id="blank lines"),
        pytest.param(b"#c\n1 Q0 a 1 2 t\n# 1 Q0 x 1 9 t\n1 Q0 b 2 1 t\n#", id="comments"),
        pytest.param(b"  1  Q0\t\ta 1 2\tt  \n\t1 Q0 b 2 1 t\t\n", id="around fields"),
        pytest.param(b"\xef\xbb\xbf1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", id="byte order mark"),
        pytest.param(b"1 Q0 a 1 2 t x y\n1 Q0 b 2 1 t z\n", id="tag with blanks"),
        pytest.param(b"1\x0bQ0\x0ca 1 2 t\n1 Q0 b 2 1 t\n", id="vertical tab and form feed"),
    ],
)
def test_same_rows_from_every_layout(way: str, data: bytes, tmp_path: Path) -> None:
    assert rows(read_run(written(tmp_path / "run", data))) == [("1", "a", 2.0), ("1", "b", 1.0)]


def test_ids_are_text(way: str, tmp_path: Path) -> None:
    ids = [
        "007",
        "1.0",
        "NaN",
        "null",
        "NA",
        "''",
        '"x',
        'x"y"',
        "a,b",
        "1e5",
        "true",
        "-",
        "\u00a0x",
        "x\x1fy",
        "d#1",
    ]
    data = "".join(f"{name} Q0 {name} 1 1 t\n" for name in ids).encode()
    frame = read_run(written(tmp_path / "run", data))
    assert frame["query_id"].tolist() == ids
    assert frame["doc_id"].tolist() == ids


def test_four_and_three_columns_of_qrels(way: str, tmp_path: Path) -> None:
    four = read_qrels(written(tmp_path / "4", b"1 0 a 2\n1 Q0 b -1\n"))
    assert list(four.columns) == ["query_id", "doc_id", "relevance", "iteration"]
    assert rows(four, "relevance") == [("1", "a", 2), ("1", "b", -1)]
    assert four["iteration"].tolist() == ["0", "Q0"]
    assert four["relevance"].dtype == "int64"
    three = read_qrels(written(tmp_path / "3", b"1 a 2\n1 b -1\n"))
    assert rows(three, "relevance") == rows(four, "relevance")
    assert three["iteration"].tolist() == ["0", "0"]


def test_float_grades_stay_and_whole_ones_are_integers(way: str, tmp_path: Path) -> None:
    half = read_qrels(written(tmp_path / "half", b"1 0 a 0.5\n1 0 b 1\n"))
    assert half["relevance"].tolist() == [0.5, 1.0]
    assert half["relevance"].dtype == "float64"
    assert (
        read_qrels(written(tmp_path / "whole", b"1 0 a 2.0\n1 0 b 1e0\n"))["relevance"].dtype
        == "int64"
    )


@pytest.mark.parametrize("grade", ["9007199254740992", "1" * 30, "-" + "9" * 30, "9" * 300])
def test_whole_grades_beyond_what_doubles_count_stay_floats(
    way: str, grade: str, tmp_path: Path
) -> None:
    """Any finite number is a grade; from 2^53 on, whole numbers are no longer told apart."""
    frame = read_qrels(written(tmp_path / "qrels", f"1 0 a {grade}\n1 0 b 1\n".encode()))
    assert frame["relevance"].dtype == "float64"
    assert frame["relevance"].tolist() == [float(grade), 1.0]
    assert irpref.evaluator(["RR"], frame).calc_aggregate({"1": {"a": 1.0}}) == {
        irpref.parse("RR"): grade[0] != "-"
    }


def test_nothing_in_a_file_is_an_empty_table(way: str, tmp_path: Path) -> None:
    for data in (b"", b"\n\n", b"# nothing\n"):
        run, qrels = (read(written(tmp_path / "f", data)) for read in (read_run, read_qrels))
        assert len(run) == len(qrels) == 0
        assert run["score"].dtype == "float64"
        assert list(qrels.columns) == ["query_id", "doc_id", "relevance", "iteration"]


def test_nan_and_infinity_are_passed_on_and_named_by_the_evaluation(
    way: str, tmp_path: Path
) -> None:
    run = read_run(written(tmp_path / "run", b"1 Q0 a 1 nan t\n1 Q0 b 2 -inf t\n"))
    assert run["score"].isna().tolist() == [True, False]
    with pytest.raises(ValueError, match="topic '1', document 'a'"):
        irpref.evaluator([irpref.EMeasure], {"1": {"a": 1}}).calc_aggregate(run)


# Where it is read from ----------------------------------------------------------------------------


def test_gzip_by_content_not_by_name(way: str, tmp_path: Path) -> None:
    assert rows(read_run(written(tmp_path / "run", gzip.compress(AWKWARD)))) == ROWS
    assert rows(read_run(written(tmp_path / "plain.gz", AWKWARD))) == ROWS
    two = gzip.compress(AWKWARD + b"\n") + gzip.compress(b"3 Q0 z 1 1 t\n")
    assert rows(read_run(written(tmp_path / "two.gz", two))) == [*ROWS, ("3", "z", 1.0)]


def test_zstd(way: str, tmp_path: Path) -> None:
    assert rows(read_run(written(tmp_path / "run.zst", zstd.compress(AWKWARD)))) == ROWS
    skipped = b"\x50\x2a\x4d\x18\x02\x00\x00\x00ab" + zstd.compress(AWKWARD)
    assert rows(read_run(written(tmp_path / "skipped", skipped))) == ROWS
    wide = zstd.compress((AWKWARD + b"\n") * 9, options={zstd.CompressionParameter.window_log: 30})
    read_run(written(tmp_path / "wide", wide))
    two = zstd.compress(AWKWARD + b"\n") + zstd.compress(b"3 Q0 z 1 1 t\n")
    assert rows(read_run(written(tmp_path / "two", two))) == [*ROWS, ("3", "z", 1.0)]


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_lines_of_archives_are_told(way: str, compress: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "run", compress(b"1 Q0 a\x1e 1 2 t\n1 Q0 \xff 1 2 t\n"))
    with refuses(InputError, path=str(path), line=2, column="doc_id"):
        read_run(path)


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(AWKWARD)[:-9],
        zstd.compress(AWKWARD)[:-9],
        b"\x1f\x8b\x08\x00junk",
        b"\x28\xb5\x2f\xfdjunk",
    ],
    ids=["gz cut", "zst cut", "gz", "zst"],
)
def test_damaged_archives_are_named(way: str, data: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "run.gz", data)
    with refuses(InputError, path=str(path)) as error:
        read_run(path)
    assert "damaged" in error.value.message


def test_standard_input_and_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(AWKWARD))))
    assert rows(read_run("-")) == rows(read_run(io.BytesIO(AWKWARD))) == ROWS


def test_files_open_as_text() -> None:
    with pytest.raises(TypeError, match="mode 'rb'"):
        read_run(io.StringIO("1 Q0 a 1 1 t\n"))


def test_the_directory_of_test_data(data_dir: Path) -> None:
    folder = data_dir / "trec_eval-test"
    run = read_run(folder / "runs" / "results.test.gz")
    cut = read_run(folder / "runs" / "results.trunc.gz")  # "any field following run_id is ignored"
    assert run.groupby("query_id").size().tolist() == [500, 500, 500]
    assert cut.groupby("query_id").size().to_dict() == {"301": 500, "303": 84}
    assert len(cut.merge(run)) == len(cut)
    qrels = read_qrels(folder / "qrels" / "qrels.rel_level.gz")
    assert qrels["relevance"].value_counts().sort_index().to_dict() == {
        -1: 304,
        0: 2818,
        1: 462,
        2: 14,
        3: 77,
        4: 6,
    }


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "line", "text"),
    [
        (b"1 Q0 a 1 2 t\n1 Q0 b 2 1\n", 2, "1 Q0 b 2 1"),
        (b"\n# c\n1 Q0 a 1 two t\n", 3, "1 Q0 a 1 two t"),
        (b"1 Q0 a b 1 2.5 t\n", 1, "1 Q0 a b 1 2.5 t"),  # a blank in an id would shift the score
        (b"1 Q0 a 1 2 3 t\n", 1, "1 Q0 a 1 2 3 t"),
        (b"1 Q0 a 1 1_000 t\n", 1, "1_000"),
        (b"1 Q0 a 1 0x10 t\n", 1, "0x10"),
        ("1 Q0 a 1 \u0661 t\n".encode(), 1, "\u0661"),  # a digit for Python, not for TREC
        (b"1 Q0 a 1 2 t\r1 Q0 b t\r", 2, "1 Q0 b t"),
        (b"1 Q0 a 1 2 t\n1 Q0 \xff 1 2 t\n", 2, r"\\xff"),
        (b"1 Q0  1 2 t\n", 1, "1 Q0  1 2 t"),
        (
            b"1 Q0 a 1 2 t\n1 Q0 a 1 2 t more 5\n1 Q0 a 1 2\n",
            3,
            "1 Q0 a 1 2",
        ),  # the separators even out
        (b"x", 1, "x"),
    ],
)
def test_malformed_lines_of_a_run(
    way: str, data: bytes, line: int, text: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "run.txt", data)
    with pytest.raises(
        ValueError, match=f"^{re.escape(str(path))}, line {line}: .*{re.escape(text)}"
    ):
        read_run(path)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"1 0 a 1\n1 a 1\n", 2),
        (b"1 a 1\n1 0 a 1\n", 2),
        (b"1 0 a 1 x\n", 1),
        (b"1 0 a one\n", 1),
        (b"1 a\n", 1),
    ],
)
def test_malformed_lines_of_qrels(way: str, data: bytes, line: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"line {line}: "):
        read_qrels(written(tmp_path / "qrels", data))


def test_line_numbers_count_through_all_blocks(tmp_path: Path) -> None:
    good = b"1 Q0 a 1 2 t\n# c\n\n1\tQ0  b 2 1 t\r\n"
    path = written(tmp_path / "run", good * 200 + b"1 Q0 c 3\n" + good * 200)
    with pytest.raises(ValueError, match="line 801: "):
        list(trec.blocks(Source(path), trec.RUN, block_bytes=256))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="UTF-16"):
        read_run(written(tmp_path / "run", "1 Q0 a 1 2 t\n".encode(encoding)))
    with pytest.raises(ValueError, match="UTF-16"):
        read_qrels(written(tmp_path / "qrels", "1 0 a 1\n1 0 b 0".encode(encoding)))


@pytest.mark.parametrize("block_bytes", [7, 100])
@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n", b""])
def test_a_line_has_a_greatest_length(
    end: bytes, block_bytes: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(source, "LONGEST_LINE", 200)
    fits = b"1 Q0 a 1 2 " + b"t" * 189
    assert read(fits + end, trec.RUN, block_bytes) == [("1", "a", 2.0)]
    if end:
        lines = end.join((b"1 Q0 a 1 2 t", b"2 Q0 a 1 2 t", fits + b"t", b""))
        with refuses(InputError, path="<file>", line=3) as error:
            read(lines, trec.RUN, block_bytes)
        assert error.value.message.startswith("longer than 64 MB")
    for long in (fits + b"t", b"a " * 300, b"x" * 300):
        for reader in (read_run, read_qrels, irpref.read_preferences):
            with refuses(InputError, line=1):
                reader(io.BytesIO(long + end))
    for name, first in (("run.csv", b"query_id,doc_id,score"), ("run.jsonl", b"")):
        with refuses(InputError, path=str(tmp_path / name), line=2) as error:
            read_run(written(tmp_path / name, first + b"\n" + b"a" * 300))
        assert error.value.message.startswith("longer than ")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a ", "x", "1 Q0 b "])
@pytest.mark.parametrize("mb", [60, 200])
def test_a_line_without_an_end_is_refused_in_little_memory(
    unit: str, mb: int, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    assert resource
    path = written(
        tmp_path / "run", gzip.compress(unit.encode() * (mb * 2**20 // len(unit)), compresslevel=1)
    )
    code = (
        "import irpref, pandas, resource, sys\n"
        "most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = most()\n"
        "try:\n    irpref.read_run(sys.argv[1])\n"
        "except ValueError as error:\n    print(most() - before)\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    memory, message = done.stdout.splitlines()
    assert message.startswith(f"{path}, line 1: ")
    assert ("longer than 64 MB" in message) == (mb > 64)
    if sys.platform == "linux":  # in kilobytes
        assert int(memory) / 1024 <= 3.3 * min(mb, 64)  # the interpreter's own, besides


@pytest.mark.parametrize("size", [65, 66, 1000])
@pytest.mark.parametrize("piece", [1, 7, 1 << 19])
def test_the_fields_of_a_long_line_are_counted(
    size: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec, "CHECK_BYTES", piece)
    assert trec.n_fields(b"  " + b" \t ".join([b"x"] * size) + b" ") == size


# Every way agrees ---------------------------------------------------------------------------------

names = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters=" \t\n\r\x0b\x0c\ufeff"),
    min_size=1,
    max_size=8,
).filter(lambda name: not name.startswith("#"))
gaps = st.text(st.sampled_from(" \t\x0b\x0c"), min_size=1, max_size=3)
edges = st.text(st.sampled_from(" \t"), max_size=2)
ends = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\n \t\n", "\n# note 1 2\n", "\r\n\r\n"])
scores = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def files(draw: st.DrawFn) -> tuple[list[tuple[str, str, float]], bytes]:
    """Rows, and a file that holds them, strangely laid out."""
    expected = draw(st.lists(st.tuples(names, names, scores), max_size=12))
    plain = draw(st.booleans())
    text = ""
    for query_id, doc_id, score in expected:
        fields = [query_id, "Q0", doc_id, "1", repr(score), "tag"]
        if plain:
            text += " ".join(fields) + "\n"
            continue
        text += draw(edges) + fields[0]
        for field in fields[1:]:
            text += draw(gaps) + field
        text += draw(edges) + draw(ends)
    if not plain and draw(st.booleans()):
        text = text.rstrip("\n\r")
    return expected, text.encode()


@given(files(), st.integers(1, 200))
def test_round_trip_of_strange_files(
    file: tuple[list[tuple[str, str, float]], bytes], block_bytes: int
) -> None:
    expected, data = file
    for compiled in {False, texts.compiled}:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(texts, "compiled", compiled)
            assert read(data, trec.RUN, block_bytes) == expected
            assert read(data) == expected


field = st.sampled_from(["1", "2.5", "a", "#", "-", "é", "", "\t"])


@given(st.lists(st.lists(field, min_size=1, max_size=9), max_size=6), st.sampled_from([" ", "\t"]))
def test_lines_too_long_beside_lines_too_short(lines: list[list[str]], separator: str) -> None:
    """Each line is read or refused for itself, whatever the others lack or have too much."""
    data = "".join(separator.join(line) + "\n" for line in lines).encode()
    for form in (trec.RUN, trec.QRELS, trec.QRELS_3):

        def exact(form: trec.Form = form) -> object:
            form = trec._form_of(data)[0] or form if form is trec.QRELS else form
            columns, _, _ = trec.parse_lines(data, form)
            return list(
                zip(columns["query_id"], columns["doc_id"], columns[form.number], strict=True)
            )

        def outcome(found: Callable[[], object]) -> object:
            try:
                return repr(found())
            except InputError as error:
                return error.worded("")
            except trec._Malformed as error:
                return f"<file>, line {error.line + 1}: {error.why}: {error.text.decode()!r}"

        for compiled in {False, texts.compiled}:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(texts, "compiled", compiled)
                assert outcome(partial(read, data, form)) == outcome(exact)


@pytest.mark.parametrize("begin", [b"#\n", b"\n\n", b"#\n" * 50, b"# made by\r\n\r\n"])
@pytest.mark.parametrize("block_bytes", [1, 5, 64])
def test_what_stands_before_the_first_line_does_not_say_how_many_fields_it_has(
    begin: bytes, block_bytes: int
) -> None:
    found = read(begin + b"1 a 2\n1 b 3\n", trec.QRELS, block_bytes)
    assert found == [("1", "a", 2.0), ("1", "b", 3.0)]


@pytest.mark.parametrize("iterations", ["0000", "7777", "0012", "1200", "0120"])
@pytest.mark.parametrize("block_bytes", [1, 20, 1 << 20])
def test_iterations(iterations: str, block_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec, "blocks", partial(trec.blocks, block_bytes=block_bytes))
    lines = "".join(f"1 {word} d{i} 1\n" for i, word in enumerate(iterations))
    qrels = irpref.read_qrels(io.BytesIO(lines.encode()))
    assert qrels.columns.tolist() == ["query_id", "doc_id", "relevance", "iteration"]
    assert qrels["iteration"].tolist() == list(iterations)
    assert qrels["doc_id"].tolist() == [f"d{i}" for i in range(4)]


def test_the_first_of_several_malformed_lines_is_told() -> None:
    for lines in (b"1 0 a x\n1 0 b\n", b"1 0 a x\n1 0 \xff 1\n", b"1 0 a x\n1 0 b y\n"):
        with refuses(LabelError, line=1, label="x"):
            irpref.read_qrels(io.BytesIO(lines))
    for lines in (b"1 0\n1 0 b x\n", b"1 0 \xff 1\n1 0 b x\n"):
        with refuses(InputError, line=1):
            irpref.read_qrels(io.BytesIO(lines))


@pytest.mark.parametrize("packed", [False, True])
def test_blocks_come_in_their_order(packed: bool, tmp_path: Path) -> None:
    text = b"".join(b"1 Q0 d%d 1 %d t\n" % (i, -i) for i in range(400))
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(text) if packed else text)
    assert tuples(trec.blocks(Source(path), trec.RUN, 64)) == [
        ("1", f"d{i}", -float(i)) for i in range(400)
    ]
    bad = text.replace(b"d300 1", b"d300")
    path.write_bytes(gzip.compress(bad) if packed else bad)
    with pytest.raises(ValueError, match="line 301: 5 fields"):
        list(trec.blocks(Source(path), trec.RUN, 64))


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_file_that_is_removed_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"".join(b"1 Q0 d%d 1 %d t\n" % (i, -i) for i in range(400)))
    rows = 0
    for part in trec.blocks(Source(path), trec.RUN, 64):
        path.unlink(missing_ok=True)
        rows += len(part)
    assert rows == 400


@pytest.mark.parametrize("block_bytes", [1, 20, 1 << 20])
@pytest.mark.parametrize("topic", ["x^1", "x\x01", "x\x9c", "x\xda", "\x1f\x8b", "(\xb5/\xfd"])
def test_topics_that_begin_like_compressed_data(topic: str, block_bytes: int) -> None:
    rows = [("1", "a", 2.0), (topic, "b", 1.0), (topic, "c", 0.5)]
    data = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows).encode()
    assert read(data, trec.RUN, block_bytes) == rows
    _, data = data.split(b"\n", 1)
    assert read(data, trec.RUN, block_bytes) == rows[1:]


@pytest.mark.parametrize("block_bytes", [1, 20, 1 << 20])
def test_files_with_byte_order_marks_put_together(block_bytes: int) -> None:
    """`cat` of two such files makes no topic of its own; inside an id the character stays."""
    bom = "\ufeff".encode()
    data = b"%s1 Q0 a 1 2 t\n%s1 Q0 b 2 1 t\r\n%s%s2 Q0 c\xef\xbb\xbf 1 1 t\n" % (
        bom,
        bom,
        bom,
        bom,
    )
    rows = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c\ufeff", 1.0)]
    assert read(data, trec.RUN, block_bytes) == rows
    qrels = read_qrels(io.BytesIO(b"%s# made by\n%s1 0 a 1\n%s1 0 b 2\n" % (bom, bom, bom)))
    assert [*qrels.itertuples(index=False, name=None)] == [("1", "a", 1, "0"), ("1", "b", 2, "0")]


@pytest.mark.parametrize(
    ("packed", "data"),
    [
        ("bzip2", bz2.compress(AWKWARD)),
        ("xz", lzma.compress(AWKWARD)),
        ("zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00junk"),
        ("7-Zip", b"7z\xbc\xaf\x27\x1c\x00\x04junk"),
    ],
)
def test_other_archives_are_named(way: str, packed: str, data: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "run", data)
    with refuses(InputError, path=str(path)) as error:
        read_run(path)
    assert f"compressed with {packed}," in error.value.message


def test_a_topic_may_begin_like_the_name_of_an_archive() -> None:
    assert rows(read_run(io.BytesIO(b"BZh9 Q0 a 1 2 t\n"))) == [("BZh9", "a", 2.0)]
    assert rows(read_run(io.BytesIO(b"PK Q0 a 1 2 t\n"))) == [("PK", "a", 2.0)]


@pytest.mark.parametrize("rank", ["1_7", "x", "\u0661", "1.0"])
def test_a_line_with_another_field_is_no_tag_with_blanks_if_its_rank_is_none(
    way: str, rank: str
) -> None:
    with pytest.raises(ValueError, match="line 1: 7 fields"):
        read_run(io.BytesIO(f"1 Q0 a {rank} 2.5 my tag\n".encode()))
    assert rows(read_run(io.BytesIO(b"1 Q0 a +17 2.5 1_0 tag\n"))) == [
        ("1", "a", 2.5)
    ]  # no number, so a tag


def test_a_stream_that_has_nothing_yet_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    def write() -> None:
        with open(writing, "wb", buffering=0) as out:
            for part in (b"1 Q0 a ", b"1 2 t\n1 Q0", b" b 2 1 t\n"):
                time.sleep(0.03)
                out.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    with open(reading, "rb", buffering=0) as file:
        assert rows(read_run(file)) == [("1", "a", 2.0), ("1", "b", 1.0)]
    writer.join()


def test_a_stream_that_cannot_be_waited_for_is_an_error() -> None:
    class Idle(io.RawIOBase):
        def read(self, size: int = -1) -> None:  # type: ignore[override]
            return None

    with pytest.raises(ValueError, match="no data yet"):
        read_run(Idle())  # type: ignore[arg-type]


# Whole topics, block by block ---------------------------------------------------------------------


@given(st.lists(st.integers(1, 30), max_size=8), st.integers(20, 600))
def test_blocks_hold_whole_topics(sizes: list[int], block_bytes: int) -> None:
    lines = [(f"q{t}", f"d{i}", float(-i)) for t, size in enumerate(sizes) for i in range(size)]
    data = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in lines).encode()
    parts = trec.blocks(Source(io.BytesIO(data)), trec.RUN, block_bytes)
    blocks = list(trec.whole_topics(parts, "run"))
    assert tuples(blocks) == lines
    assert [name for part in blocks for name in part.query_id.names] == [
        f"q{t}" for t in range(len(sizes))
    ]


@pytest.mark.parametrize("block_bytes", [16, 30])
def test_a_topic_that_returns_is_signalled(block_bytes: int) -> None:
    data = b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n1 Q0 c 1 2 t\n"
    with pytest.raises(trec.TopicReturnsError, match="topic '1'"):
        list(trec.whole_topics(trec.blocks(Source(io.BytesIO(data)), trec.RUN, block_bytes), "run"))


def test_a_stream_can_be_read_again_when_it_is_kept() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.inner = io.BytesIO(data)

        def read(self, size: int = -1) -> bytes:
            return self.inner.read(size)

    data = b"".join(b"%d Q0 d%d 1 1 t\n" % (i // 9, i) for i in range(99))
    source = Source(Pipe(gzip.compress(data)), keep=True)
    with source.open() as file:
        begin = file.read(40)
    assert data.startswith(begin)
    for _ in range(2):
        with source.open() as file:
            assert file.read() == data
