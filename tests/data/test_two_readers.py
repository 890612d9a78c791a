"""Files that compiled code reads are read as Python reads them: the same rows, or an error.

Files are made from a grammar of what tools write, then damaged. `tests/fuzz_native.py` does the
same with single blocks of lines, and with columns in memory."""

from __future__ import annotations

import io
import random
import warnings
from typing import Any

import numpy as np
import pytest

from irpref.data import cells, records, texts, trec
from irpref.data.columns import as_list, reading
from irpref.data.source import Source
from irpref.data.tables import Table, read

READINGS = 3_000  # of each form
FORMS = ["csv", "tsv", "jsonl", "trec", "msmarco"]
WORDS = [
    "q1",
    "q2",
    "d1",
    "d2",
    "d 3",
    "é",
    "文字",
    "#d",
    "#",
    "007",
    "a,b",
    "x;y",
    "Q0",
    "0",
    "",
    "-",
]
ODD = ['"', 'a"b', "a\tb", " d", "d ", "\ufeffd", "a\x0bb", "\x00", "\u2028", "\xa0", "1_0", "a\rb"]
NUMBERS = [
    "0",
    "1",
    "2",
    "-0",
    "+1",
    "1.5",
    ".5",
    "5.",
    "1e3",
    "-2E-3",
    "007",
    "0.30000000000000004",
]
NO_NUMBERS = [
    "",
    " ",
    "x",
    "1,5",
    "1_0",
    "٣",
    "nan",
    "inf",
    "-",
    "1e",
    "0x1",
    "1 2",
    "1e999",
    "S",
    "L1",
]
HEADERS = {
    "score": [
        "query_id{0}doc_id{0}score",
        "qid{0}docno{0}rank{0}score{0}name",
        "score{0}doc_id{0}qid",
    ],
    "relevance": [
        "query_id{0}doc_id{0}relevance",
        "qid{0}docno{0}label{0}known",
        "rel{0}docno{0}qid",
    ],
}
JSON_NUMBERS = [
    *NUMBERS,
    "1E400",
    "-1",
    "01",
    "1.",
    "NaN",
    "Infinity",
    "true",
    "null",
    '"1"',
    "[1]",
]
ENDS = ["\n", "\n", "\n", "\r\n", "\r", "\n\n", ""]
DAMAGE = [
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b" ",
    b"\t",
    b",",
    b",,",
    b'"',
    b"#",
    b"\\",
]


def word(rng: random.Random, tidy: bool) -> str:
    """The text of a cell or field."""
    return rng.choice(WORDS[:4] if tidy else WORDS + ODD)


def number(rng: random.Random, tidy: bool) -> str:
    """What stands for a score or grade."""
    return rng.choice(NUMBERS if tidy or rng.random() < 0.8 else NO_NUMBERS)


def cell_lines(rng: random.Random, form: str, value: str, tidy: bool) -> list[str]:
    """A header, and lines of cells."""
    separator = "\t" if form == "tsv" else rng.choice([",", ",", ";", "|", "\t"])
    header = rng.choice(HEADERS[value]).format(separator)
    first = ["sep=" + separator] if form == "csv" and rng.random() < 0.1 else []
    kinds = header.split(separator)
    lines = []
    for _ in range(rng.choice([0, 1, 3, 9])):
        row = [
            number(rng, tidy)
            if kind in ("score", "relevance", "label", "rel", "rank")
            else word(rng, tidy)
            for kind in kinds
        ]
        if not tidy and rng.random() < 0.1:
            row = [*row, word(rng, tidy)][rng.randint(0, 1) :]
        if not tidy and rng.random() < 0.2:
            row = [f'"{cell}"' if rng.random() < 0.5 else cell for cell in row]
        if rng.random() < 0.05:
            row.insert(rng.randint(0, len(row)), "")  # a doubled separator
            row.remove(rng.choice(row))
        lines.append(separator.join(row))
    return [*first, header, *lines]


def json_lines(rng: random.Random, value: str, tidy: bool) -> list[str]:
    """Lines of records."""
    names = ["query_id", "doc_id", value]
    lines = []
    for _ in range(rng.choice([0, 1, 3, 9])):
        cells_ = [
            f'"{word(rng, True)}"'
            if tidy
            else rng.choice(['"q"', '"a b"', '"\\u0061"', "7", "1.5"])
        ] * 2
        cells_.append(rng.choice(NUMBERS[:3] if tidy else JSON_NUMBERS))
        pairs = [f'"{name}": {cell}' for name, cell in zip(names, cells_, strict=True)]
        if not tidy and rng.random() < 0.2:
            pairs.append(
                rng.choice(['"more": [1, {"a": 2}]', '"score": 3', '"text": "a\\nb"', '"n": 1'])
            )
        gap = rng.choice([", ", ",", " ,\t"])
        lines.append("{" + gap.join(pairs) + "}")
    return lines


def trec_lines(rng: random.Random, form: str, value: str, tidy: bool) -> list[str]:
    """Lines of fields."""
    lines = []
    three = form == "msmarco" or rng.random() < 0.3
    for i in range(rng.choice([0, 1, 3, 9])):
        topic, doc = (word(rng, tidy) for _ in range(2))
        if value == "score":
            row = (
                [topic, doc, str(i)]
                if form == "msmarco"
                else [topic, "Q0", doc, str(i), number(rng, tidy), "t"]
            )
        else:
            row = [topic, doc, number(rng, tidy)] if three else [topic, "0", doc, number(rng, tidy)]
        if not tidy and rng.random() < 0.1:
            row = [*row, "more"][rng.randint(0, 1) :]
        lines.append((" " if tidy else rng.choice([" ", "\t", "  ", " \t", "\x0b"])).join(row))
    if not tidy and rng.random() < 0.2:
        lines.insert(rng.randint(0, len(lines)), "# a comment")
    return lines


def file_of(rng: random.Random, form: str, value: str) -> bytes:
    """A file: as tools write it, odd, or damaged."""
    tidy = rng.random() < 0.5
    if form in ("csv", "tsv"):
        lines = cell_lines(rng, form, value, tidy)
    elif form == "jsonl":
        lines = json_lines(rng, value, tidy)
    else:
        lines = trec_lines(rng, form, value, tidy)
    end = rng.choice(ENDS[:4])
    data = "".join(line + (end if tidy else rng.choice(ENDS)) for line in lines).encode()
    for _ in range(rng.choice([0, 0, 1, 2]) if data else 0):
        at = rng.randint(0, len(data))
        data = data[:at] + rng.choice(DAMAGE) + data[at + rng.randint(0, 2) :]
    return data


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Damage as tools do it: two lines in one, a mark of the order of bytes, a very long field, a
    doubled separator, other ends of lines.
    """
    kind = rng.random()
    at = rng.randint(0, len(data))
    if kind < 0.1 and b"\n" in data:
        at = rng.choice([i for i, byte in enumerate(data) if byte == 10])
        return data[:at] + rng.choice([b" ", b"", b"\t"]) + data[at + 1 :]
    if kind < 0.2:
        return rng.choice([b"\xef\xbb\xbf", b"\xff\xfe"]) + data
    if kind < 0.25:
        field = rng.choice([b"x", b"0", b" ", b"a\t", b"1,"]) * rng.choice([300, 5_000, 140_000])
        return data[:at] + field + data[at:]
    if kind < 0.3:
        separator = rng.choice([b",", b"\t", b" ", b";"])
        return data.replace(separator, 2 * separator, 1)
    return data.replace(b"\n", b"\r\n") if kind < 0.35 else data


def outcome(data: bytes, form: str, value: str, block_bytes: int) -> Any:
    """What is read, down to the bits of the numbers, and the warnings; None if it is refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            parts = read(Source(io.BytesIO(data)), value, reading(form), block_bytes)
            table = Table.joined(parts)
        except ValueError:  # which of several errors comes first may depend on the blocks
            return None
    columns = {name: list(map(repr, as_list(column))) for name, column in table.columns.items()}
    numbers = np.asarray(table.value, np.float64).view(np.uint64).tolist()
    said = sorted(str(warning.message) for warning in caught)
    return as_list(table.query_id), as_list(table.doc_id), numbers, columns, said


@pytest.mark.slow
@pytest.mark.skipif(not texts.compiled, reason="nothing is compiled here")
@pytest.mark.parametrize("value", ["score", "relevance"])
@pytest.mark.parametrize("form", FORMS)
def test_what_compiled_code_reads_python_reads_too(
    form: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"{form} {value}")
    read_by_both = 0
    for _ in range(READINGS):
        data = damaged(rng, file_of(rng, form, value))
        block_bytes = rng.choice([16, 64, 1 << 20])
        monkeypatch.setattr(cells, "BLOCK_BYTES", block_bytes)
        monkeypatch.setattr(records, "_LINES", rng.choice([1, 3, 100]))
        found = outcome(data, form, value, block_bytes)
        with monkeypatch.context() as patch:
            patch.setattr(texts, "compiled", False)
            expected = outcome(data, form, value, block_bytes)
            assert found == expected, (form, data)
            patch.setattr(trec, "_split", lambda *_: None)
            exact = outcome(data, form, value, block_bytes)
        assert found == exact, (form, data)
        read_by_both += found is not None
    assert read_by_both > READINGS / 4


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"query_id,doc_id,rank,score\nq,,d2,9,9\n", "csv"),
        (b"query_id,doc_id,rank,score\nq,d1,1,9\nq,,d2,9,9\n", "csv"),
        (b"query_id\tdoc_id\tscore\nq\t\td2\t9\n", "tsv"),
        (b"query_id,doc_id,score\n,q,d,1\n", "csv"),
        (b"query_id,doc_id,score\nq,d,1,\n", "csv"),
        (b'{"query_id": "q", "doc_id": "d", "score": 01}\n', "jsonl"),
        (b'{"query_id": "q", "doc_id": "d", "score": 1.}\n', "jsonl"),
    ],
)
@pytest.mark.parametrize("compiled", sorted({False, texts.compiled}))
def test_what_is_refused_by_both(
    compiled: bool, data: bytes, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "compiled", compiled)
    for value in ("score", "relevance"):
        given = data.replace(b"score", value.encode())
        with pytest.raises(ValueError, match=r"field|JSON|missing"):
            Table.joined(read(Source(io.BytesIO(given)), value, reading(form)))


def test_a_cell_may_be_empty_beside_others() -> None:
    data = b"query_id,text,doc_id,score\nq,,d1,9\nq,a,d2,8\nq,,d3,7\n"
    table = Table.joined(read(Source(io.BytesIO(data)), "score", reading("csv")))
    assert as_list(table.doc_id) == ["d1", "d2", "d3"]


@pytest.mark.parametrize("compiled", sorted({False, texts.compiled}))
def test_a_cell_has_at_most_the_length_that_csv_takes(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "compiled", compiled)
    for size, is_read in ((131_072, True), (131_073, False)):
        data = b"query_id,doc_id,score,text\nq,a,1,x\nq,b,1," + b"x" * size + b"\nq,c,1,x\n"
        assert (outcome(data, "csv", "score", 1 << 20) is not None) == is_read
