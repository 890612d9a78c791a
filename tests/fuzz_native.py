"""Bytes and columns of all kinds, read by compiled code and by Python: value for value, error for
error.

    python tests/fuzz_native.py [READINGS] [SEED]

Files of TREC's forms are made from a grammar and then damaged; ids from all of Unicode, with halves
of surrogate pairs and objects that are no text. A reading is one file or one column. CI runs 200,000, the
compiled part built for the sanitizers (`python hatch_build.py --sanitize`); their findings end the
process."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from irpref.data import texts, trec
from irpref.data.columns import Stretches, Table, as_list, changes
from irpref.data.texts import Texts

FORMS = (trec.RUN, trec.QRELS, trec.QRELS_3, trec.RANKS)
ALPHABETS = [
    "ab1",
    "0123456789",
    "dq-_.:#",
    "éüß文字",
    "\U0001d518\u2028\u0085\u00a0\ufeff",
    "a\0\x1f\x7f\x1c",
]
GAPS = [" ", "\t", "  ", " \t", "\x0b", ""]
ENDS = ["\n", "\r\n", "\r", "\n\n", "\n# note\n", "\r\r\n", ""]
NUMBERS = [
    "0",
    "-0",
    "1",
    "2.5",
    "-3e2",
    "1e400",
    "1e-400",
    "nan",
    "inf",
    "1_0",
    "x",
    "٣",
    ".",
    "1e",
    "+7",
    "007",
]
DAMAGE = [
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b" ",
    b"\t",
    b"#",
    b"_",
    b"\x0b",
    b"",
]


def word(rng: random.Random) -> str:
    """Draw a field that is no number."""
    return "".join(rng.choices(rng.choice(ALPHABETS), k=rng.choice([1, 1, 2, 5, 8, 9, 17])))


def number(rng: random.Random) -> str:
    """Draw a field that mostly is a number."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(NUMBERS)
    if kind < 0.6:
        return repr(rng.uniform(-100, 100))
    digits = "".join(rng.choices("0123456789", k=rng.randint(1, 40)))
    at = rng.randint(0, len(digits))
    exponent = f"e{rng.randint(-330, 330)}" if kind > 0.9 else ""
    return f"{rng.choice(['', '-', '+'])}{digits[:at]}.{digits[at:]}{exponent}"


def file_of(rng: random.Random, form: trec.Form) -> bytes:
    """Draw lines of a form: well-formed, odd, or damaged."""
    tidy = rng.random() < 0.5
    topics = [word(rng) for _ in range(2)]
    lines = []
    for _ in range(rng.choice([0, 1, 2, 3, 8])):
        fields = [word(rng) for _ in range(form.n)]
        fields[0] = rng.choice(topics)
        fields[form.columns[form.number]] = str(rng.randint(-3, 99)) if tidy else number(rng)
        if not tidy and rng.random() < 0.1:
            fields = [*fields, word(rng)][: rng.randint(1, form.n + 1)]
        gap = " " if tidy else rng.choice(GAPS)
        lines.append(gap.join(fields) + ("\n" if tidy else rng.choice(ENDS)))
    data = "".join(lines).encode()
    for _ in range(rng.choice([0, 0, 1, 2]) if data else 0):
        at = rng.randint(0, len(data))
        data = data[:at] + rng.choice(DAMAGE) + data[at + rng.randint(0, 2) :]
    return data


def shown(found: Table | trec._Malformed) -> Any:
    """Show the data read, down to the bits of its numbers; or the error."""
    if isinstance(found, trec._Malformed):
        return found.args
    columns = {name: as_list(column) for name, column in found.columns.items()}
    topics = found.query_id.names, found.query_id.lengths.tolist()
    return *topics, as_list(found.doc_id), columns, found.value.view(np.uint64).tolist()


@contextmanager
def in_python() -> Iterator[None]:
    """Read nothing by compiled code."""
    texts.compiled = False
    try:
        yield
    finally:
        texts.compiled = True


def lines(rng: random.Random) -> None:
    """Read one file both ways."""
    form = rng.choice(FORMS)
    data = file_of(rng, form)
    found = trec._parsed(data, form)
    with in_python():
        expected = trec._parsed(data, form)
        exact = outcome(lambda: trec.parse_lines(trec._text(data), form)[0])
    assert (shown(found[0]), found[1]) == (shown(expected[0]), expected[1]), (
        form.what,
        form.n,
        data,
    )
    plain = texts.plain_lines(
        data, form.n, {name: form.columns[name] for name in form.texts}, form.columns[form.number]
    )
    if plain is not None:  # then it is what the exact parser reads, line by line
        names, lengths, columns, numbers = plain
        read = {"query_id": Stretches(names, lengths), **columns, form.number: numbers}
        assert {name: as_list(column) for name, column in read.items()} == exact, data


def outcome(read: Callable[[], Any]) -> Any:
    """Return the result of a call, or its error."""
    try:
        return read()
    except trec._Malformed as error:
        return error.args


ODD = [7, None, b"a", float("nan"), np.str_("a"), "\ud800", "a\udcff"]


def column(rng: random.Random) -> None:
    """Read one column of ids both ways, as a list and as an array, and the keys and numbers of a
    dict.
    """
    ids: list[Any] = [word(rng) for _ in range(rng.choice([0, 1, 3, 20]))]
    ids += rng.choices(ids, k=3) if ids else []
    if rng.random() < 0.2:
        ids.insert(rng.randint(0, len(ids)), rng.choice(ODD))
    array = np.empty(2 * len(ids), dtype=object)[::2]
    array[:] = ids
    for given in (ids, array):
        found = Texts.from_strings(given)
        strings = all(type(i) is str for i in ids)
        assert (found is None) == (
            not strings or any("\ud800" <= c <= "\udfff" for i in ids for c in i)
        ), ids
        if strings:
            with in_python():
                expected = changes(given).tolist()
            assert changes(given).tolist() == expected, ids
        if found is not None:
            rows = np.array(
                [rng.randrange(len(ids)) for _ in range(5)] if ids else [], dtype=np.int64
            )
            assert found[rows].to_list() == [ids[row] for row in rows]
            ranked = found[rows][found[rows].falling(np.zeros_like(rows))].to_list()
            assert ranked == sorted((ids[row] for row in rows), reverse=True)
            of = found.match(
                np.array([len(ids)]), found[rows], np.array([0]), np.array([len(rows)])
            )
            assert (of is None) == (len(set(ids)) < len(ids))
            if of is not None:
                assert [ids[i] for i in np.flatnonzero(of >= 0)] == [
                    ids[rows[k]] for k in of[of >= 0]
                ]
                assert {ids[i] for i in np.flatnonzero(of >= 0)} == {ids[row] for row in rows}
            assert found[rows].compact().data == "".join(ids[row] for row in rows).encode()
            assert found.changes().tolist() == expected
    values = [rng.choice([1, -2.5, True, 2**70, 10**400, np.float64(3), "1", None]) for _ in ids]
    if all(type(i) is str for i in ids):
        scores = dict(zip(ids, values, strict=True))
        entries = Texts.from_dicts([scores], len(scores))
        if entries is not None:
            assert entries[0].to_list() == list(scores)
            assert entries[1].tolist() == [float(value) for value in scores.values()]
        else:
            fine = all(
                isinstance(value, (int, float)) and repr(value) != repr(10**400)
                for value in scores.values()
            )
            assert not fine or Texts.from_strings(list(scores)) is None, scores


def main(readings: int = 200_000, seed: int = 0) -> None:
    """Make so many readings, two thirds of which are files; an `AssertionError` shows the input
    that is read in two ways.
    """
    assert texts.compiled, "nothing is compiled here: python hatch_build.py"
    rng = random.Random(seed)
    begin = time.monotonic()
    for i in range(readings):
        (column if i % 3 == 2 else lines)(rng)
    print(f"{readings} readings in {time.monotonic() - begin:.0f} s, seed {seed}: the same")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
