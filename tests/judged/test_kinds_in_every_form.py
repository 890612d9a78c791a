"""Inputs whose numbers are not what they seem, in every form that judgments and runs come in.

Each is read with the right value, or refused; a refusal with a remedy leads to the right value, or
to another refusal. Nothing is a wrong number in silence."""

from __future__ import annotations

import json
import warnings
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.cli.remedies import as_option
from irpref.errors import IrprefError

Rows = Sequence[tuple[Any, ...]]
Names = Sequence[str]
Made = Callable[[Rows, Names, Path], Any]


def frame(rows: Rows, names: Names) -> pd.DataFrame:
    """The rows as a frame."""
    return pd.DataFrame(list(rows), columns=list(names))


def by_topic(rows: Rows) -> dict[str, dict[str, Any]]:
    """Topic, document and number as dicts; further columns are lost."""
    out: dict[str, dict[str, Any]] = {}
    for topic, doc, number in (row[:3] for row in rows):
        out.setdefault(str(topic), {})[str(doc)] = number
    return out


def written(path: Path, text: str) -> Path:
    """The path of a file that holds a text."""
    path.write_text(text)
    return path


def lines(rows: Rows, _: Names, path: Path) -> Path:
    """Lines of fields."""
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    return written(path.with_suffix(".txt"), text)


def namedtuples(rows: Rows, names: Names, _: Path) -> list[Any]:
    """Rows with attributes, which cannot begin with `_` or hold `-`."""
    row = namedtuple("Row", [name.replace("-", "_").strip("_") for name in names])
    return [row(*cells) for cells in rows]


def records(rows: Rows, names: Names, _: Path | None = None) -> list[dict[str, Any]]:
    """Rows as dicts."""
    return [dict(zip(names, cells, strict=True)) for cells in rows]


def parquet(rows: Rows, names: Names, path: Path) -> Path:
    """A Parquet file."""
    frame(rows, names).to_parquet(path.with_suffix(".parquet"), index=False)
    return path.with_suffix(".parquet")


def cells(ending: str, separator: str) -> Made:
    """A file of cells with a header, perhaps packed."""

    def made(rows: Rows, names: Names, path: Path) -> Path:
        path = path.with_suffix(ending)
        frame(rows, names).to_csv(path, index=False, sep=separator)
        return path

    return made


def as_json(rows: Rows, names: Names, path: Path) -> Path:
    """A list of records."""
    return written(path.with_suffix(".json"), json.dumps(records(rows, names)))


def json_lines(rows: Rows, names: Names, path: Path) -> Path:
    """One record a line."""
    text = "\n".join(map(json.dumps, records(rows, names)))
    return written(path.with_suffix(".jsonl"), text)


NAMED: dict[str, Made] = {
    "pandas": lambda rows, names, _: frame(rows, names),
    "polars": lambda rows, names, _: pl.DataFrame(frame(rows, names).to_dict("list")),
    "lazy": lambda rows, names, _: pl.LazyFrame(frame(rows, names).to_dict("list")),
    "namedtuples": namedtuples,
    "records": records,
    "csv": cells(".csv", ","),
    "tsv": cells(".tsv", "\t"),
    "csv.gz": cells(".csv.gz", ","),
    "json": as_json,
    "jsonl": json_lines,
    "parquet": parquet,
}
PLAIN: dict[str, Made] = {
    "dict": lambda rows, _, __: by_topic(rows),
    "tuples": lambda rows, _, __: list(rows),
    "iterator": lambda rows, _, __: iter(rows),
    "JSON of dicts": lambda rows, _, path: written(
        path.with_suffix(".json"), json.dumps(by_topic(rows))
    ),
    "lines": lines,
}
FORMS = {**NAMED, **PLAIN}


# What a form comes to -----------------------------------------------------------------------------


def value(measure: str, qrels: Any, run: Any) -> float:
    """The mean of a measure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (found,) = irpref.evaluator(measure, qrels).calc_aggregate(run).values()
    return float(found)


def followed(make: Callable[[], Any], read: Callable[..., Any], of: Callable[[Any], float]) -> str:
    """Say how the right value, 1, is come to: 'right', by a 'remedy', or 'refused'; a
    wrong one is an error.
    """
    given: dict[str, Any] = {}
    for _ in range(3):
        try:
            found = of(read(make(), **given) if given else make())
        except (IrprefError, TypeError) as error:
            remedy = getattr(error, "remedy", None)
            if remedy is None or not remedy.argument or remedy.argument in given:
                return "refused"
            given[remedy.argument] = remedy.example
        else:
            assert found == 1.0, given
            return "remedy" if given else "right"
    return "refused"


# Cases --------------------------------------------------------------------------------------------

TOPICS = [f"q{i:02}" for i in range(12)]


@dataclass(frozen=True)
class Case:
    """Rows whose measure is 1 if they are read as they are meant, and how each form comes to it:
    'right', by a 'remedy', or 'refused'.
    """

    rows: Rows
    names: Names
    other: Any  # the run beside judgments, the judgments beside a run
    measure: str
    expected: dict[str, Sequence[str]]
    is_run: bool = False

    def of(self, given: Any) -> float:
        """The value of the measure."""
        return value(self.measure, *((self.other, given) if self.is_run else (given, self.other)))


GRADES = {t: {f"{t}a": 1, f"{t}b": 1, f"{t}c": 0, f"{t}d": 0} for t in TOPICS}
RANKED = [
    (t, doc, 0.97 - n / 999 - i / 7)
    for n, t in enumerate(TOPICS)
    for i, doc in enumerate(GRADES[t])
]
DISTANCES = [(t, doc, 0.13 + i / 7) for t in TOPICS for i, doc in enumerate(GRADES[t])]
RANKS = [(t, doc, i) for t in TOPICS for i, doc in enumerate(GRADES[t])]
JUDGED = [(t, doc, grade) for t in TOPICS for doc, grade in GRADES[t].items()]
RUN = by_topic(RANKED)
PAIRS = [("9", "101", "102"), ("9", "102", "103"), ("8", "201", "203"), ("8", "202", "203")]
KEEPS = {"9": {"101": 3.0, "102": 2.0, "103": 1.0}, "8": {"202": 3.0, "201": 2.0, "203": 1.0}}
NUMBERS = [tuple(map(int, row)) for row in PAIRS]
PREFERRED = [("7", "31", "42", "42"), ("7", "53", "31", "53"), ("6", "64", "75", "75")]
BEST = {"7": {"42": 3.0, "53": 2.0, "31": 1.0}, "6": {"75": 3.0, "64": 2.0}}
WORDS = [(topic, *(f"x{doc}" for doc in docs)) for topic, *docs in PREFERRED]
BEST_WORDS = {t: {f"x{doc}": score for doc, score in docs.items()} for t, docs in BEST.items()}
HIGH = [(topic, *(str(int(doc) + 1000) for doc in docs)) for topic, *docs in PREFERRED]
BEST_HIGH = {
    t: {str(int(doc) + 1000): score for doc, score in docs.items()} for t, docs in BEST.items()
}
RATED = [
    *(("1", "2", 3, 881250949), ("1", "3", 5, 878887116), ("1", "4", 1, 891717742)),
    *(("2", "1", 2, 880606923), ("2", "5", 4, 886397596), ("2", "6", 1, 884182806)),
]
LIKED = {"1": {"3": 3.0, "2": 2.0, "4": 1.0}, "2": {"5": 3.0, "1": 2.0, "6": 1.0}}
TIMES = [(user, item, time) for user, item, _, time in RATED]
LAST = by_topic([(user, item, float(time)) for user, item, time in TIMES])

TABLES = tuple(NAMED)
TUPLES = ("tuples", "iterator")
DICTS = ("dict", "JSON of dicts")
CASES = {
    "BEIR's run": Case(
        *(RANKED, ("query-id", "corpus-id", "score"), GRADES, "AP"),
        {"right": (*TABLES, *TUPLES, *DICTS), "refused": ("lines",)},
        is_run=True,
    ),
    "BEIR's judgments": Case(
        *(JUDGED, ("query-id", "corpus-id", "score"), RUN, "AP"),
        {"right": (*TABLES, *TUPLES, *DICTS, "lines")},
    ),
    "distances": Case(
        *(DISTANCES, ("query_id", "doc_id", "_distance"), GRADES, "AP"),
        {"remedy": TABLES},
        is_run=True,
    ),
    "distances of PyTerrier": Case(
        *(DISTANCES, ("qid", "docno", "vectorDistance"), GRADES, "AP"),
        {"remedy": TABLES},
        is_run=True,
    ),
    "distances of others": Case(
        *(DISTANCES, ("question", "chunk_id", "l2"), GRADES, "AP"),
        {"remedy": TABLES},
        is_run=True,
    ),
    "losses": Case(
        *(DISTANCES, ("q_id", "doc_id", "mean_loss"), GRADES, "AP"), {"remedy": TABLES}, is_run=True
    ),
    "orders": Case(
        *(RANKS, ("query_id", "doc_id", "order"), GRADES, "AP"), {"remedy": TABLES}, is_run=True
    ),
    "pairs": Case(
        *(PAIRS, ("topic", "winner", "loser"), KEEPS, "PrefShare"),
        {"right": TABLES, "remedy": (*TUPLES, "lines")},
    ),
    "pairs called grades": Case(
        *(NUMBERS, ("qid", "docno", "label"), KEEPS, "PrefShare"),
        {"remedy": (*TABLES, *TUPLES, *DICTS, "lines")},
    ),
    "preferred ones": Case(
        *(PREFERRED, ("topic", "A", "B", "preferred"), BEST, "PrefShare"),
        {"right": TABLES, "refused": TUPLES, "remedy": ("lines",)},
    ),
    "preferred words": Case(
        *(WORDS, ("query_id", "first", "second", "preferred"), BEST_WORDS, "PrefShare"),
        {"right": (*TABLES, "lines"), "refused": TUPLES},
    ),
    "preferred ones called grades": Case(
        *([(t, a, b, int(c)) for t, a, b, c in HIGH],),
        *(("qid", "iteration", "docno", "label"), BEST_HIGH, "PrefShare"),
        {"remedy": TABLES, "refused": TUPLES, "right": ("lines",)},
    ),
    "ratings": Case(
        *(RATED, ("user", "item", "rating", "timestamp"), LIKED, "nDCG"),
        {"remedy": TABLES, "refused": (*TUPLES, "lines")},
    ),
    "ratings called as in TREC": Case(
        *(RATED, ("query_id", "iteration", "doc_id", "relevance"), LIKED, "nDCG"),
        {"refused": (*TABLES, *TUPLES, "lines")},
    ),
    "times": Case(
        *(TIMES, ("query_id", "doc_id", "relevance"), LAST, "nDCG"),
        {"remedy": (*TABLES, *DICTS)},
    ),
}
EVERY = [
    (case, form, how)
    for case in CASES
    for how, forms in CASES[case].expected.items()
    for form in forms
]


@pytest.mark.parametrize(("case", "form", "how"), EVERY)
def test_a_form_is_read_right_or_refused(case: str, form: str, how: str, tmp_path: Path) -> None:
    given = CASES[case]
    read = irpref.run if given.is_run else irpref.judgments

    def made() -> Any:
        return FORMS[form](given.rows, given.names, tmp_path / "data")

    assert followed(made, read, given.of) == how


FILES = ("csv", "tsv", "csv.gz", "json", "jsonl", "parquet", "lines", "JSON of dicts")


@pytest.mark.parametrize(("case", "form", "how"), [one for one in EVERY if one[1] in FILES])
def test_options_that_errors_name_lead_to_the_right_value(
    case: str, form: str, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = CASES[case]
    path = FORMS[form](given.rows, given.names, tmp_path / "data")
    other = tmp_path / "other"
    of_topics = given.other.items()
    rows = [(t, doc, number) for t, docs in of_topics for doc, number in docs.items()]
    line = "{} 0 {} {}\n" if given.is_run else "{} Q0 {} 1 {} x\n"
    other.write_text("".join(line.format(*row) for row in rows))
    files = [other, path] if given.is_run else [path, other]
    read = irpref.read_run if given.is_run else irpref.judgments
    options: dict[str, Any] = {}
    words = ["eval", *map(str, files), given.measure, "-o", "tsv"]
    while (status := main(words)) != 0:
        capsys.readouterr()
        with pytest.raises(IrprefError) as error:
            read(path, **options)
        remedy = error.value.remedy
        if remedy is None or not remedy.argument or remedy.argument in options:
            break
        options[remedy.argument] = remedy.example
        option = as_option(remedy).split(" ")
        words += option[: 1 if remedy.example is True else 2]
    assert (status == 0) == (how != "refused")
    if status == 0:
        assert capsys.readouterr().out.split()[-1] == "1.0000"


TWICE = [("u1", "a", 60_000_000), ("u1", "a", 50_000_000), ("u2", "b", 1)]


@pytest.mark.parametrize("form", [*TABLES, *TUPLES, "lines"])
def test_a_high_grade_given_twice(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command takes the later one, with a warning; functions want one grade a document."""
    rows = [(t, "0", doc, grade) for t, doc, grade in TWICE] if form == "lines" else TWICE
    qrels = FORMS[form](rows, ("query_id", "doc_id", "relevance"), tmp_path / "qrels")
    run = tmp_path / "r.run"
    run.write_text("u1 Q0 a 1 2 x\nu1 Q0 c 2 1 x\nu2 Q0 c 1 1 x\n")
    if form in FILES:
        assert main(["eval", str(qrels), str(run), "nDCG@10", "AP"]) == 0
        said = capsys.readouterr()
        assert (said.out.split()[1::2], "twice" in said.err) == (["0.5000", "0.5000"], True)
    with pytest.raises(IrprefError):
        value("nDCG@10", qrels, run)


@pytest.mark.parametrize("form", FORMS)
def test_judgments_and_run_the_wrong_way_round(form: str, tmp_path: Path) -> None:
    names = ("query-id", "corpus-id", "score")  # which both have

    def made(rows: Rows, name: str) -> Any:
        return FORMS[form](rows, names, tmp_path / name)

    with pytest.raises(ValueError, match=r"judgments come before runs|fields"):
        irpref.evaluator("nDCG@3", made(RANKED, "run")).calc_aggregate(made(JUDGED, "qrels"))
    if form != "lines":  # a run has six fields
        assert value("nDCG@3", made(JUDGED, "qrels"), made(RANKED, "run")) == 1.0


MANY = [f"t{i:02}" for i in range(30)]


@pytest.mark.parametrize("form", [*TABLES, *TUPLES, *DICTS])
def test_a_verdict_that_the_ids_of_tied_documents_decide(form: str, tmp_path: Path) -> None:
    """The relevant document is best in one run, tied and first by its id in the other."""
    qrels = {t: {"d9": 1, **{f"d{i}": 0 for i in range(9)}} for t in MANY}
    tied = [(t, doc, 0.5) for t in MANY for doc in qrels[t]]
    second = {t: {"d0": 9.0, "d9": 8.0, "d1": 7.0} for t in MANY}
    given = FORMS[form](tied, ("qid", "docno", "score"), tmp_path / "tied")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = irpref_lab.gate("nDCG@10", qrels, second, given)
    assert found.verdict != "pass"


@pytest.mark.parametrize("form", [*TABLES, *TUPLES, *DICTS])
def test_a_candidate_that_was_cut_off(form: str, tmp_path: Path) -> None:
    qrels = {t: {"a": 1, "b": 0, "c": 0} for t in MANY}
    baseline = {t: {"a": 3.0, "b": 2.0 + 2 * (i % 3 == 0), "c": 1.0} for i, t in enumerate(MANY)}
    rows = [(t, doc, score) for t in MANY[:18] for doc, score in zip("abc", (3, 2, 1), strict=True)]
    given = FORMS[form](rows, ("qid", "docno", "score"), tmp_path / "candidate")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = irpref_lab.gate("nDCG@10", qrels, baseline, given)
    assert found.verdict != "pass"
    assert "no documents for 12 of 30 topics" in found.text
