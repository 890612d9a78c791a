"""Ids and numbers read by compiled code: it reads what the Python code beside it reads, or nothing."""

import gc
import itertools
import pickle
import random
import sys
import threading
from collections import OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fuzz_native
import irpref
from forms import TEXTS, WAYS, looked_up
from irpref.data import texts, trec
from irpref.data.texts import Packed, Texts, Unread, plain_lines
from irpref.data.trec import QRELS, QRELS_3, RANKS, RUN
from irpref.judged.judgments import judgments

pytestmark = pytest.mark.skipif(
    not texts.compiled, reason="irpref.data._native is not compiled here, or left out"
)

FORMS = (RUN, QRELS, QRELS_3, RANKS)


def columns(found, form):
    """What `plain_lines` found, as the exact parser has it."""
    names, lengths, further, numbers = found
    topics = [
        name for name, length in zip(names, lengths.tolist(), strict=True) for _ in range(length)
    ]
    return {
        "query_id": topics,
        **{name: of.to_list() for name, of in further.items()},
        form.number: numbers.tolist(),
    }


def read(data, form):
    return plain_lines(
        data, form.n, {name: form.columns[name] for name in form.texts}, form.columns[form.number]
    )


def fields(data, n, text, number):
    """Lines whose field `text` is the document."""
    return plain_lines(data, n, {"doc_id": text}, number)


def rows(found):
    """Topics, their lengths, documents, numbers."""
    names, lengths, columns, numbers = found
    return names, lengths.tolist(), columns["doc_id"].to_list(), numbers.tolist()


def exact(data, form):
    return trec.parse_lines(data, form)[0]


def bits(numbers):
    return np.array(numbers, dtype=np.float64).view(np.uint64).tolist()


def agrees(data, form):
    """Whether the file was read; what was read is what the exact parser says, to the bit."""
    found = read(data, form)
    if found is None:
        return False
    given, expected = columns(found, form), exact(data, form)
    assert bits(given.pop(form.number)) == bits(expected.pop(form.number))
    assert given == expected
    assert all(a != b for a, b in itertools.pairwise(found[0]))
    return True


# Lines (many more: `fuzz_native`) -----------------------------------------------------------------


@pytest.mark.parametrize("length", [*range(1, 26), *range(50, 70), 300, 5000])
def test_words_of_every_length_and_every_end(length):
    """Lines are read 64 bytes at a time: each byte that ends a field is found in any place."""
    for start in range(9):
        word = "x" * length
        line = f"{'q' * (start + 1)} Q0 {word} 1 {length} t"
        assert agrees(f"{line}\n{line}".encode(), RUN)
        for code in range(128):
            odd = f"{line}\n{line.replace(word, word[:-1] + chr(code))}\n".encode()
            read_it = agrees(odd, RUN)
            assert read_it or code <= 32 or length == 1
            if code in b"\0\1\x0b\x0c\x1c\x1f\n\r" and length > 1:
                assert not read_it


def test_all_parts_of_characters_are_told_apart_at_each_place_of_a_word():
    characters = [
        *map(chr, range(128, 0x800)),
        "\u0800",
        "\ufeff",
        "\uffff",
        "\U00010000",
        "\U0010ffff",
    ]
    for i, character in enumerate(characters):
        before, after = "a" * (i % 9), "a" * (i % 7)
        for text in (f"{before}{character}{after}", f"{character} {character}"):
            data = f"q Q0 {text} 1 2 t\n".encode()
            assert agrees(data, RUN) == (" " not in text)
            for cut in range(len(data)):
                if data[cut] > 127:
                    assert read(data[:cut] + data[cut + 1 :], RUN) is None  # no text any more


GOOD = b"q Q0 d 1 2 t"
UNUSUAL = [
    b"\n",
    b"\r",
    b" ",
    b"#\n",
    b"# Q0 d 1 2 t\n",
    b"q Q0 d 1 2\n",
    b"q Q0 d 1 nan t\n",
    b"q Q0 d 1 1_0 t\n",
]
UNUSUAL += [
    GOOD + end
    for end in (
        b" u\n",
        b"\r",
        b"\r" + GOOD,
        b"\r\r\n",
        b"\n\n",
        b"\n#\n",
        b"\n # a b c d\n",
        b"\xa0\n",
        b"\0\n",
    )
]
UNUSUAL += [GOOD + b"\n#" + GOOD, b" \t#" + GOOD, b"\xef\xbb\xbf" + GOOD, b"q Q0 d 1 2\0 t\n"]


@pytest.mark.parametrize("data", UNUSUAL)
def test_what_is_unusual_is_not_read(data):
    assert read(data, RUN) is None


def test_a_file_without_lines_has_none():
    found = read(b"", RUN)
    assert rows(found) == ([], [], [], [])


def test_a_field_may_be_topic_and_text_at_once():
    found = fields(b"a 1\na 2\nb 3\n", 2, 0, 1)
    assert rows(found) == (["a", "b"], [2, 1], ["a", "a", "b"], [1, 2, 3])
    found = fields(b"a\na\nb", 1, 0, None)
    assert rows(found)[:3] == (["a", "b"], [2, 1], ["a", "a", "b"])


# Numbers ------------------------------------------------------------------------------------------


def number(text):
    """The number that compiled code reads, None where it is none."""
    found = fields(f"q {text}\n".encode(), 2, 0, 1)
    return None if found is None else float(found[3][0])


def same_number(text):
    found = number(text)
    assert found is not None, text
    assert found.hex() == float(text).hex(), text


def all_digits(value):
    """A fraction of a power of two in all its decimals."""
    power = value.denominator.bit_length() - 1
    whole = abs(value.numerator) * 5**power
    text = str(whole).rjust(power + 1, "0")
    return "-" * (value < 0) + (f"{text[:-power]}.{text[-power:]}" if power else text)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(2.2250738585072014e-308)
@example(1.7976931348623157e308)
@example(-0.0)
def test_shortest_numbers_are_read_to_the_bit(value):
    for text in (
        repr(value),
        f"{value:.17g}",
        f"{value:.20e}",
        f"+{abs(value)!r}",
        f"00{abs(value)!r}",
    ):
        same_number(text)


@given(st.integers(0, 10**25), st.integers(0, 30), st.sampled_from(["", "-", "+"]))
@example(9007199254740993, 0, "")
@example(9007199254740993, 3, "")
@example(18446744073709551615, 19, "")
@example(9999999999999999999, 19, "-")
@example(9007199254740991, 22, "")
@example(9007199254740992, 22, "")
@example(10**19 - 1, 20, "")
def test_decimals_of_any_length_are_read_to_the_bit(digits, places, sign):
    text = str(digits).rjust(places + 1, "0")
    same_number(f"{sign}{text[: len(text) - places]}.{text[len(text) - places :]}")


@given(st.integers(2**52, 2**53 - 1), st.integers(-1, 12), st.sampled_from([-1, 0, 1]))
def test_halfway_between_two_doubles_the_even_one_is_read(mantissa, power, off):
    """With at most 19 digits, which is what compiled code rounds; and a digit to either side."""
    middle = Fraction(2 * mantissa + 1, 2 ** (power + 1))
    text = all_digits(middle)
    same_number(text)
    digits = text.replace(".", "").lstrip("0")
    places = len(text) - text.find(".") - 1 if "." in text else 0
    if len(digits) <= 19:
        whole = str(int(digits) + off).rjust(places + 1, "0")
        same_number(f"{whole[: len(whole) - places]}.{whole[len(whole) - places :]}")
    same_number(f"{text}{'' if '.' in text else '.'}0000000000000000000001")


@given(st.integers(0, 2**63), st.integers(-345, 330))
@example(1, 400)
@example(1, -400)
@example(0, 99999)
@example(17976931348623158, 292)
@example(17976931348623159, 292)
@example(24703282292062327, -340)
@example(24703282292062328, -340)
def test_exponents_are_read_to_the_bit(digits, exponent):
    for form in ("{}e{}", "{}.E{:+05d}", ".{}e{}", "-{}.0e{}"):
        same_number(form.format(digits, exponent))


SHORT = "0 -0 +0 -0.0 0e5 -0e-999999 1. .5 -.5 +3 1e5 1E+05 1e-05 007 -007.50 4.9e-324 2.4e-324 1e22 1e23 1e-22 1e-23"
LONG = [
    "1e99999999999999999999",
    "-1e-99999999999999999999",
    f"0.{'0' * 400}1",
    "0" * 400 + "1.5",
    "1" + "0" * 300,
]
LONG += ["9" * 309, "1" * 400, "1." + "9" * 300]


@pytest.mark.parametrize("text", [*SHORT.split(), *LONG])
def test_ways_to_write_a_number(text):
    same_number(text)


NO_NUMBERS = ". - + e5 .e5 1e 1e+ 1e- 1e.5 1e5. 1_0 0x1 0x1p3 nan NaN -nan inf -inf infinity 1.2.3 ..5 --1 +-1 1- 1+1"
NO_NUMBERS += (
    " 1f 1d5 1,5 1e5e5 1/2 ٣ \uff11 ½ a 1: 1; /1 e E -e1 1e٣ 1% 1L 1j (1) 1e--5 1e+-5 1\x00 \x001"
)


@pytest.mark.parametrize("text", NO_NUMBERS.split(" "))
def test_what_is_no_number_is_not_read(text):
    assert number(text) is None


@given(st.text(alphabet="0123456789.eE+-_xn \x00", min_size=1, max_size=12))
def test_what_is_read_is_what_python_takes_for_a_number(text):
    found = number(text)
    if found is not None:
        assert found.hex() == trec.as_floats([text.strip()])[0].hex()
    elif set(text) <= set("0123456789.eE+-"):
        assert not trec.is_number(text.encode())


# Texts --------------------------------------------------------------------------------------------

ANY = st.characters(blacklist_categories=["Cs"])
IDS = st.lists(
    st.text(st.characters(max_codepoint=127), max_size=20)
    | st.text(st.characters(blacklist_categories=["Cs"]), max_size=9),
    max_size=40,
)


def object_array(items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


@given(IDS, st.data())
def test_texts_are_the_strings_they_were(ids, data):
    for column in (ids, object_array(ids), object_array(ids)[::-1][::-1]):
        found = Texts.from_strings(column)
        assert len(found) == len(ids)
        assert found.to_list() == ids
        assert found.data == "".join(ids).encode()
    rows = data.draw(st.lists(st.integers(0, len(ids) - 1), max_size=30)) if ids else []
    rows = np.array(rows, dtype=np.int64)
    assert found[rows].to_list() == [ids[i] for i in rows]
    start, stop = sorted(data.draw(st.lists(st.integers(0, len(ids)), min_size=2, max_size=2)))
    part = found[start:stop]
    assert part.to_list() == ids[start:stop]
    joined = Texts.joined([part, found, found[rows], found[:0]])
    assert joined.to_list() == [*ids[start:stop], *ids, *(ids[i] for i in rows)]
    assert joined.hashes.tolist() == Texts.from_strings(joined.to_list()).hashes.tolist()


@pytest.mark.parametrize("end", ["csv", "qrels"])
def test_judgments_of_a_file_hold_only_text_and_length_of_ids_until_they_are_looked_up(
    tmp_path, monkeypatch, end
):
    rows = [(f"q{i // 30}", f"d{i % 30}") for i in range(600)]
    lines = {
        "csv": ["query_id,doc_id,relevance", *(f"{q},{d},1" for q, d in rows)],
        "qrels": [f"{q} 0 {d} 1" for q, d in rows],
    }
    path = tmp_path / f"made.{end}"
    path.write_text("".join(f"{line}\n" for line in lines[end]))
    monkeypatch.setattr("irpref.data.cells.BLOCK_BYTES", 2000)
    docs = judgments(path).table.doc_id
    assert type(docs) is Packed
    assert bytes(docs.data) == "".join(doc for _, doc in rows).encode()
    assert {"data", "length"} == set(vars(docs))
    assert docs.hashes.tolist() == Texts.from_strings([d for _, d in rows]).hashes.tolist()


@given(IDS)
def test_arrow_holds_the_same_texts(ids):
    pa = pytest.importorskip("pyarrow")
    texts_of_python = Texts.from_strings(ids)
    for kind in (pa.string(), pa.large_string()):
        whole = pa.array(["x", *ids, "y"], kind)
        part = whole.slice(1, len(ids))
        chunks = pa.chunked_array([part[:1], part[1:]])
        read = [Texts.from_arrow(column) for column in (part, chunks, pa.array(ids, kind))]
        for found in (*read, Texts.from_stream(chunks)):
            assert found.to_list() == ids
            assert found.hashes.tolist() == texts_of_python.hashes.tolist()
            assert found.compact().data == "".join(ids).encode()
    for other in (pa.array([1, 2]), pa.array([b"a"]), pa.array(ids).dictionary_encode()):
        assert Texts.from_arrow(other) is None


@given(IDS, st.integers(0, 9))
def test_polars_holds_the_same_texts(ids, cut):
    pl = pytest.importorskip("polars")
    ids = [*ids, "a text of more than twelve bytes"]
    begin, end = (pl.Series(some, dtype=pl.String) for some in (ids[:cut], ids[cut:]))
    for column in (pl.Series(ids), pl.Series(["x", *ids])[1:], begin.append(end)):
        assert Texts.from_stream(column).to_list() == ids
    assert Texts.from_stream(pl.Series([1, 2])) is None


@given(IDS, st.integers(1, 4), st.data())
def test_columns_of_other_libraries_are_read_when_they_are_needed(ids, chunk_rows, data):
    pa = pytest.importorskip("pyarrow")
    found = Unread.wrapping(pa.chunked_array([pa.array(ids, pa.string())]), Texts.from_arrow)
    start, stop = sorted(data.draw(st.lists(st.integers(0, len(ids)), min_size=2, max_size=2)))
    assert (len(found), found.to_list(), found[start:stop].to_list()) == (
        len(ids),
        ids,
        ids[start:stop],
    )
    assert found[np.arange(len(ids))[::2]].to_list() == ids[::2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "CHUNK_ROWS", chunk_rows)
        assert found.changes().tolist() == Texts.from_strings(ids).changes().tolist()
    assert Unread.wrapping(pa.array([1, 2]), Texts.from_arrow) is None


@given(IDS)
def test_changes_of_texts_are_those_of_strings(ids):
    found = Texts.from_strings(ids)
    assert found.changes().tolist() == [
        i for i, text in enumerate(ids) if i == 0 or ids[i - 1] != text
    ]
    assert found[np.arange(len(ids))[::2]].compact().data == "".join(ids[::2]).encode()


@given(
    groups=st.lists(
        st.tuples(
            st.lists(st.sampled_from("abcdefgh"), max_size=9), st.sets(st.sampled_from("abcdxy"))
        )
    ),
    bits=st.sampled_from([0, 1, 3, 64]),
    rng=st.randoms(use_true_random=False),
)
def test_match_finds_what_a_dict_finds(groups, bits, rng):
    """With few different hashes, different texts have the same."""
    one, other = (
        Texts.from_strings([d for docs, _ in groups for d in docs]),
        Texts.from_strings([d for _, its in groups for d in its]),
    )
    for texts_of_group in (one, other):
        texts_of_group.hashes &= np.uint64((2**bits - 1) << (64 - bits))
    lengths, its_lengths = (
        np.array([len(group[i]) for group in groups], dtype=np.int64) for i in (0, 1)
    )
    begins = np.cumsum(its_lengths) - its_lengths
    order = rng.sample(range(len(one)), len(one))
    coded = one[np.array(order, dtype=np.int64)].match(
        lengths, other, begins, its_lengths, np.argsort(order)
    )
    found = one.match(lengths, other, begins, its_lengths)
    repeated = any(len(set(docs)) < len(docs) for docs, _ in groups)
    assert (found is None, coded is None, one.repeated(lengths)) == (repeated,) * 3
    if not repeated:
        rows = {
            (g, doc): row
            for row, (g, doc) in enumerate((g, d) for g, (_, its) in enumerate(groups) for d in its)
        }
        expected = [rows.get((g, doc), -1) for g, (docs, _) in enumerate(groups) for doc in docs]
        assert found.tolist() == coded.tolist() == expected


@pytest.mark.parametrize("size", [1, 2**16, 2**17 + 1])
def test_match_takes_many_texts(size):
    texts_of_row = Texts.from_strings([f"d{i}" for i in range(size)])
    back, every = texts_of_row[::-1][np.arange(size)], np.array([size])
    assert (back.match(every, texts_of_row, np.array([0]), every)[::-1] == np.arange(size)).all()


@given(IDS)
def test_equal_texts_have_equal_hashes_wherever_they_stand(ids):
    ids = [i for i in ids if i.split() == [i] and i[0] != "#" and i.isascii() and i.isprintable()]
    hashes = dict(zip(ids, Texts.from_strings(ids).hashes.tolist(), strict=True))
    again = Texts.from_strings([f"x{i}"[1:] for i in reversed(ids)])
    assert again.hashes.tolist() == [hashes[i] for i in reversed(ids)]
    in_dicts, _ = Texts.from_dicts([dict.fromkeys(ids, 1)], len(set(ids)))
    assert in_dicts.hashes.tolist() == [hashes[i] for i in dict.fromkeys(ids)]
    in_lines = fields("".join(f"q {i} 1\n" for i in ids).encode(), 3, 1, 2)
    assert in_lines[2]["doc_id"].hashes.tolist() == [hashes[i] for i in ids]


def test_hashes_tell_many_ids_apart():
    ids = (
        [f"{'D' * (i % 20)}{i}" for i in range(50000)]
        + ["a" * n for n in range(50)]
        + ["\0" * n for n in range(1, 20)]
    )
    assert len(set(Texts.from_strings(ids).hashes.tolist())) == len(ids)


@given(IDS, st.data())
def test_falling_is_the_order_of_strings(ids, data):
    ids = [
        *ids,
        "a",
        "a\0",
        "",
        "a",
        "b",
        "a" * 8,
        "a" * 9,
        "a" * 8 + "\0",
        "aé",
        "a\U0001d518",
        "a\uffff",
    ]
    group = np.array(
        sorted(data.draw(st.lists(st.integers(0, 3), min_size=len(ids), max_size=len(ids))))
    )
    some = Texts.from_strings(ids).falling(group).tolist()
    assert sorted(some) == list(range(len(ids)))
    expected = sorted(zip(group.tolist(), ids, strict=True), key=lambda pair: pair[1], reverse=True)
    assert [ids[i] for i in some] == [
        text for _, text in sorted(expected, key=lambda pair: pair[0])
    ]


SIMILAR = ["", "a", "b", "ab", "301", "a\0", "é", "e\u0301", "\ud800", "\U0001d518"]


@given(st.lists(st.sampled_from(SIMILAR), max_size=30))
def test_changes_are_the_rows_that_differ_from_the_one_before(topics):
    expected = [i for i, topic in enumerate(topics) if i == 0 or topics[i - 1] != topic]
    copies = ["".join(["x", topic])[1:] for topic in topics]  # equal, and not the same object
    for column in (topics, copies, object_array(topics), object_array(copies)[::-1][::-1]):
        assert texts.changes(column).tolist() == expected


NO_TEXTS = {
    "a surrogate": "\udcff",
    "no text": 7,
    "missing": None,
    "NaN": float("nan"),
    "NA": pd.NA,
    "bytes": b"a",
    "of NumPy": np.str_("a"),
    "of a class": type("Name", (str,), {"__eq__": lambda a, b: True, "__hash__": str.__hash__})(
        "a"
    ),
}


@pytest.mark.parametrize("odd", NO_TEXTS.values(), ids=NO_TEXTS)
@pytest.mark.parametrize("at", [0, 1, 12, 13, 199])
def test_other_ids_are_left_to_python(odd, at):
    ids = [f"d{i}" for i in range(200)]
    ids[at] = odd
    for column in (ids, object_array(ids), object_array(ids)[::-1]):
        assert Texts.from_strings(column) is None
        if odd is not NO_TEXTS["a surrogate"]:  # which can be compared
            assert texts.changes(column) is None
    scores = dict.fromkeys(ids, 1.0)
    assert Texts.from_dicts([{}, scores], len(scores)) is None


def test_other_columns_are_left_to_python():
    others = [
        ("a", "b"),
        np.array(["a", "b"]),
        np.array([1, 2]),
        np.array([["a"], ["b"]], dtype=object),
    ]
    others += [
        np.array("a", dtype=object),
        {"a": 1},
        pd.Series(["a"]),
        np.array([], dtype=object).reshape(0, 2),
    ]
    for column in others:
        assert Texts.from_strings(column) is None
        assert texts.changes(column) is None


def test_columns_that_lie_oddly_in_memory():
    rows = np.zeros(5, dtype=[("n", "i1"), ("id", "O")])  # addresses at odd places
    rows["id"] = ids = ["a", "b", "b", "", "c"]
    assert Texts.from_strings(rows["id"]).to_list() == ids
    assert texts.changes(rows["id"][::2]).tolist() == [0, 1, 2]
    fixed = object_array(ids)
    fixed.flags.writeable = False
    assert Texts.from_strings(fixed[3:1:-1]).to_list() == ["", "b"]
    assert Texts.from_strings(np.broadcast_to(object_array(["x"]), (3,))).to_list() == ["x"] * 3
    assert (
        Texts.from_strings(np.empty(0, dtype=object)).to_list()
        == Texts.from_strings([]).to_list()
        == []
    )
    assert texts.changes(np.empty(3, dtype=object)) is None


def test_where_nothing_is_compiled_nothing_is_read(monkeypatch):
    monkeypatch.setattr(texts, "compiled", False)
    assert fields(b"q a 1\n", 3, 1, 2) is None
    assert Texts.from_strings(["a"]) is None
    assert Texts.from_dicts([{"a": 1.0}], 1) is None
    assert texts.changes(["a"]) is None


# Dicts --------------------------------------------------------------------------------------------

VALUES = (
    st.floats()
    | st.integers(-(2**70), 2**70)
    | st.booleans()
    | st.sampled_from([-1, -1.0, -0.0, 2**53 + 1, 2**1023, 1e308, 10**400, np.float64(0.5)])
)


@given(st.lists(st.dictionaries(st.text(ANY, max_size=5), VALUES, max_size=20), max_size=5))
def test_entries_from_dicts_are_their_keys_and_numbers(dicts):
    size = sum(map(len, dicts))
    found = Texts.from_dicts(dicts, size)
    values = [value for one in dicts for value in one.values()]
    if any(isinstance(value, int) and abs(value) >= 2**1024 for value in values):
        assert found is None
        return
    ids, numbers = found
    assert ids.to_list() == [key for one in dicts for key in one]
    assert bits(numbers) == bits([float(value) for value in values])


def test_dicts_of_many_entries():
    dicts = [
        {f"{i}-{n}": n / 7 for n in range(size)}
        for i, size in enumerate([127, 0, 128, 129, 1, 256, 1000])
    ]
    gone = dicts[3]
    for n in range(0, 129, 3):  # places of a dict that hold nothing any more
        del gone[f"3-{n}"]
    ids, numbers = Texts.from_dicts(dicts, sum(map(len, dicts)))
    assert ids.to_list() == [key for one in dicts for key in one]
    assert numbers.tolist() == [value for one in dicts for value in one.values()]


class Twice(float):
    def __float__(self):
        return 2.0 * super().__float__()


class Whole(int):
    def __float__(self):
        return 0.5


class Dict(dict):
    def values(self):
        return [9.0] * len(self)


@pytest.mark.parametrize(
    "value",
    [
        "1",
        None,
        1j,
        Decimal(1),
        Fraction(1, 2),
        np.float32(1),
        np.int64(1),
        Twice(1),
        Whole(1),
        10**400,
        pd.NA,
    ],
)
def test_other_numbers_are_left_to_python(value):
    assert Texts.from_dicts([{"a": 1.0, "b": value}], 2) is None


def test_other_dicts_are_left_to_python():
    plain = {"a": 1.0}
    for other in (Dict(plain), OrderedDict(plain), defaultdict(float, plain), [("a", 1.0)], None):
        assert Texts.from_dicts([plain, other], 2) is None


def test_readings_of_all_kinds_are_those_of_python():
    """A hundredth of what CI tries with the sanitizers."""
    fuzz_native.main(2000, seed=random.randrange(10**9))


# The whole ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [Twice(1), Whole(1), True, np.float64(0.1), -1, -1.0, 2**53 + 1, Fraction(1, 3)]
)
def test_scores_of_any_class_count_the_same(value):
    run = {"q": {"a": 0.75, "b": value, "c": 1.5}}
    found = []
    for way in WAYS:
        with looked_up(way):
            evaluator = irpref.evaluator(["RR", "RPref(max_rel=1)"], {"q": {"b": 1, "c": 0}})
            found.append([(m.measure, m.value) for m in evaluator.iter_calc(run)])
    assert all(one == found[0] for one in found)


def test_a_pool_is_the_same_elsewhere():
    """What is pickled has strings, since another process may have nothing compiled."""
    with looked_up(TEXTS):
        pool = judgments({"q": {f"d{i}": i % 3 for i in range(300)}}).pool()
        assert isinstance(pool._given_docs, Texts)
        again = pickle.loads(pickle.dumps(pool))
        assert again._given_docs == pool._given_docs.to_list()
        assert again.doc_ids.tolist() == pool.doc_ids.tolist()
        assert again.texts.hashes.tolist() == pool.texts.hashes.tolist()
        state = pickle.dumps(pool)
    assert b"Texts" not in state


def test_threads_that_change_what_is_read_do_no_harm():
    """The interpreter is kept while objects are read; what changed between two calls is noticed."""
    shared = {f"d{i}": float(i) for i in range(500)}
    column = [f"d{i}" for i in range(500)]
    stop = threading.Event()

    def change():
        i = 0
        while not stop.is_set():
            shared[f"x{i % 97}"] = 1.0
            shared.pop(f"x{(i * 7) % 97}", None)
            column.append("z" * (i % 9)) if len(column) < 520 else column.clear() or column.extend(
                ["a"] * 500
            )
            i += 1

    thread = threading.Thread(target=change)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        for _ in range(2000):
            found = Texts.from_dicts([shared], len(shared))
            assert found is None or len(found[0]) == found[1].size
            ids = Texts.from_strings(column)
            assert ids is None or len(ids.to_list()) == len(ids)
            rows = texts.changes(column)
            assert rows is None or (np.diff(rows) > 0).all()
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)


def test_nothing_is_kept():
    """Objects that were read have as many references as before."""
    ids = [f"{'d' * 40}{i}" for i in range(300)]
    column, scores = object_array(ids), {name: 0.25 + i for i, name in enumerate(ids)}
    data = "".join(f"q {name} 0.12345678901234567890123\n" for name in ids).encode()

    def counts():
        gc.collect()
        held = [data, ids, column, scores, *ids, *scores.values()]
        return [sys.getrefcount(one) for one in held]

    before = counts()
    for _ in range(20):
        for good in (ids, column):
            Texts.from_strings(good), texts.changes(good)
        found = Texts.from_dicts([scores], len(scores))[0]
        every = np.arange(300)
        found.to_list(), found.changes(), found.falling(every // 50)
        (
            found.match(np.array([300]), found, np.array([0]), np.array([300])),
            found.repeated(np.array([300])),
        )
        fields(data, 3, 1, 2), fields(data + b"#", 3, 1, 2), fields(data, 3, 1, 1)
        (
            Texts.from_strings([*ids, None]),
            texts.changes([*ids, 1]),
            Texts.from_dicts([{**scores, "x": "y"}], 301),
        )
    del found, good
    assert counts() == before


def test_calls_that_make_no_sense_are_errors():
    """Nobody makes them; still, none ends the process."""
    native, n = texts._native, np.zeros(2, np.int64)
    short, wide, number = np.zeros(2, np.int32), np.zeros(2, np.uint64), np.zeros(2)
    for name in (name for name in dir(native) if not name.startswith("_")):
        with pytest.raises(TypeError):
            getattr(native, name)()
    with pytest.raises(TypeError, match="items of 8 bytes"):
        native.collect(["a", "b"], short, short, wide)
    with pytest.raises(TypeError, match="array of objects"):
        native.changes(np.empty((2, 2), dtype=object), n)
    assert native.collect(["a"] * 3, n, short, wide) is None
    assert native.changes(["a"] * 3, n) is None
    assert native.entries([{"a": 1.0}], n, short, wide, number) is None
    assert (
        native.lines(
            b"q a 1\n" * 3, 3, 1, 2, n, short, wide, number, n.copy(), n.copy(), short.copy()
        )
        is None
    )
    far, texts_there = np.array([2**62, 2**63 - 1]), np.array([1, 2**31 - 1], np.int32)
    for call in (
        native.packed,
        lambda *of: native.strings(*of, np.empty(2, object)),
        lambda *of: native.falling(*of, n, n),
    ):
        with pytest.raises(IndexError):
            call(b"ab", far, texts_there)
    assert native.changes_of(b"ab", far, texts_there, n.copy()) == 2
    one = Texts.from_strings(["a", "b"])
    for codes in ([0, 2], [-1, 0]):
        assert one.match(np.array([2]), one, n[:1], n[:1], codes) is None
    with pytest.raises(ValueError, match="other sizes"):
        one.match(np.array([3]), one, n[:1], n[:1])
    assert one.match(np.array([2]), one, np.array([-5]), np.array([9])).tolist() == [-1, -1]
    assert one.match(np.array([2]), one, np.array([1]), np.array([9])).tolist() == [-1, 1]
