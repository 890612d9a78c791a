"""Files as other tools and collections have them: read for what their columns hold, or refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import warnings
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import QRELS_FIRST, ColumnError, InputError, MeasureError

AP = irpref.parse("AP")
QRELS = {f"q{t}": {f"d{i}": int(i < 2) for i in range(6)} for t in range(4)}
# The two relevant documents are nearest: AP is 1 if less is better, else (1/5 + 2/6) / 2.
DISTANCES = [(f"q{t}", f"d{i}", i + 1.25) for t in range(4) for i in range(6)]
UPSIDE_DOWN = (1 / 5 + 2 / 6) / 2


def written(form: str, column: str, rows: list[tuple[str, str, Any]], path: Path) -> Path:
    """A file of these rows, whose third column has this name."""
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", column])
    path = path / f"run.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "json":
        path.write_text(frame.to_json(orient="records"))
    elif form == "jsonl":
        path.write_text(frame.to_json(orient="records", lines=True))
    else:
        frame.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    return path


def ap(run: Any, qrels: Any = QRELS) -> float:
    """AP of a run."""
    return irpref.evaluator(["AP"], qrels).calc_aggregate(run)[AP]


# Distances ----------------------------------------------------------------------------------------

DISTANCE_NAMES = ["distance", "_distance", "l2", "loss", "Cosine Distance", "distance_score"]
NAMED = ["csv", "tsv", "json", "jsonl", "parquet"]


@pytest.mark.parametrize("form", NAMED)
@pytest.mark.parametrize("name", DISTANCE_NAMES)
def test_distances_are_read_as_such_or_refused(form: str, name: str, tmp_path: Path) -> None:
    path = written(form, name, DISTANCES, tmp_path)
    for columns in (None, {"score": name}):
        with pytest.raises(ColumnError) as error:
            irpref.read_run(path, columns=columns)
        assert error.value.remedy is not None
        assert error.value.remedy.argument == "lower_is_better"
        assert ap(irpref.read_run(path, columns=columns, lower_is_better=True)) == 1.0


def test_the_gate_takes_distances_by_the_option_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    written("csv", "distance", DISTANCES, tmp_path).rename("main.csv")
    turned = [(q, d, 9 - s) for q, d, s in DISTANCES]
    written("csv", "distance", turned, tmp_path).rename("candidate.csv")
    words = ["gate", "qrels.json", "main.csv", "candidate.csv", "AP"]
    for more in ([], ["--columns", "score=distance"]):
        assert main([*words, *more]) in (1, 2)
        assert "--lower-is-better" in capsys.readouterr().err
        assert main([*words, *more, "--lower-is-better"]) in (1, 3)  # blocked, or cannot tell
        assert main(["eval", *words[1:3], "AP", *more, "--lower-is-better"]) == 0
        assert capsys.readouterr().out.endswith("AP\t1.0000\n")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_with_distances_are_read_as_such_or_refused(
    make: Callable[..., Any],
) -> None:
    frame = make(
        pd.DataFrame(DISTANCES, columns=["query_id", "doc_id", "distance"]).to_dict("list")
    )
    with pytest.raises(ColumnError) as error:
        ap(frame)
    assert error.value.missing == ("score",)
    assert error.value.remedy is not None
    assert (error.value.remedy.call, error.value.remedy.argument) == ("run", "lower_is_better")
    assert ap(irpref.run(frame, lower_is_better=True)) == 1.0
    with pytest.raises(ColumnError):
        irpref.run(frame, columns={"score": "distance"})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", ["position", "order"])
def test_ranks_of_frames_stay_ranks_under_another_name(make: Callable[..., Any], name: str) -> None:
    rows = pd.DataFrame(DISTANCES, columns=["query_id", "doc_id", name]).round().astype({name: int})
    frame = make((rows.assign(**{name: rows.groupby("query_id").cumcount()})).to_dict("list"))
    assert ap(irpref.run(frame, columns={"score": name})) == 1.0
    if name == "order":
        other = make(rows.assign(order=range(len(rows))).to_dict("list"))
        with pytest.raises(InputError):
            irpref.run(other, columns={"score": name})


def test_records_with_distances_are_read_as_such_or_refused() -> None:
    row = namedtuple("row", ["query_id", "doc_id", "distance"])
    rows = [row(*values) for values in DISTANCES]
    for records in (rows, [one._asdict() for one in rows], iter(rows)):
        if isinstance(records, list):
            with pytest.raises(ColumnError) as error:
                ap(records)
            assert error.value.remedy is not None
            assert error.value.remedy.argument == "lower_is_better"
        assert ap(irpref.run(records, lower_is_better=True)) == 1.0


def test_a_score_beside_a_distance_is_the_score(tmp_path: Path) -> None:
    frame = pd.DataFrame(DISTANCES, columns=["query_id", "doc_id", "distance"])
    frame.assign(score=10 - frame["distance"]).to_csv(tmp_path / "run.csv", index=False)
    assert ap(tmp_path / "run.csv") == 1.0
    assert ap(irpref.read_run(tmp_path / "run.csv", columns={"score": "score"})) == 1.0


def test_negated_distances_are_scores(tmp_path: Path) -> None:
    rows = [(q, d, -s) for q, d, s in DISTANCES]
    path = written("csv", "negative_distance", rows, tmp_path)
    assert ap(irpref.read_run(path, columns={"score": "negative_distance"})) == 1.0


@pytest.mark.parametrize("name", ["rank", "position", "order"])
def test_ranks_are_not_turned_twice(name: str, tmp_path: Path) -> None:
    path = written("csv", name, [(q, d, int(s)) for q, d, s in DISTANCES], tmp_path)
    assert ap(irpref.read_run(path, columns={"score": name})) == 1.0
    with pytest.raises(ColumnError) as error:
        irpref.read_run(path, columns={"score": name}, lower_is_better=True)
    assert error.value.parameter == "lower_is_better"
    plain = "".join(f"{q}\t{d}\t{int(s)}\n" for q, d, s in DISTANCES).encode()
    with pytest.raises(ColumnError):
        irpref.read_run(io.BytesIO(plain), "msmarco", lower_is_better=True)


def test_scores_of_trec_files_may_be_distances(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in DISTANCES))
    assert ap(tmp_path / "run") == pytest.approx(UPSIDE_DOWN)
    assert ap(irpref.read_run(tmp_path / "run", lower_is_better=True)) == 1.0


# Ranks of other names -----------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["order", "idx", "index", "result_index"])
@pytest.mark.parametrize("form", NAMED)
def test_numbers_that_count_are_ranks(form: str, name: str, first: int, tmp_path: Path) -> None:
    rows = [(q, d, int(s) - 1 + first) for q, d, s in DISTANCES]
    path = written(form, name, rows, tmp_path)
    with pytest.raises(ColumnError) as error:
        irpref.read_run(path)
    assert error.value.remedy is not None
    assert error.value.remedy.example == {"score": name}
    assert ap(irpref.read_run(path, columns=error.value.remedy.example)) == 1.0


@pytest.mark.parametrize("numbers", [range(24), range(24, 0, -1), [2.5] * 24])
def test_numbers_that_do_not_count_are_refused(numbers: Any, tmp_path: Path) -> None:
    rows = [(q, d, n) for (q, d, _), n in zip(DISTANCES, numbers, strict=True)]
    path = written("csv", "index", rows, tmp_path)
    with pytest.raises(InputError) as error:
        irpref.read_run(path, columns={"score": "index"})
    assert error.value.column == "index"


def test_a_column_of_which_nothing_is_known_is_not_guessed(tmp_path: Path) -> None:
    path = written("csv", "x", DISTANCES, tmp_path)
    with pytest.raises(ColumnError) as error:
        irpref.read_run(path)
    assert error.value.remedy is not None
    assert error.value.remedy.example == {"score": "NAME"}


# BEIR ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.tsv", "run.txt", "run"])
def test_a_run_may_have_the_header_of_beir(name: str, tmp_path: Path) -> None:
    lines = "".join(f"{q}\t{d}\t{10 - s}\n" for q, d, s in DISTANCES)
    (tmp_path / name).write_text(f"query-id\tcorpus-id\tscore\n{lines}")
    assert ap(tmp_path / name) == 1.0


def test_from_a_stream_it_is_read_by_the_form_that_the_error_names(tmp_path: Path) -> None:
    data = b"query-id\tcorpus-id\tscore\nq0\td0\t2\nq0\td5\t1\n"
    with pytest.raises(InputError) as error:
        irpref.read_run(io.BytesIO(data))
    assert error.value.remedy is not None
    assert (error.value.remedy.argument, error.value.remedy.example) == ("form", "tsv")
    assert irpref.read_run(io.BytesIO(data), "tsv")["score"].tolist() == [2.0, 1.0]


@pytest.mark.parametrize("form", ["pandas", "polars", "records", "parquet", "jsonl"])
def test_judgments_with_the_columns_of_beir_call_their_grades_score(
    form: str, tmp_path: Path
) -> None:
    rows = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    frame = pd.DataFrame(rows, columns=["query-id", "corpus-id", "score"])
    run = frame.assign(score=frame["score"] + 0.5)
    given: Any = tmp_path / f"qrels.{form}"
    if form == "parquet":
        frame.to_parquet(given)
    elif form == "jsonl":
        given.write_text(frame.to_json(orient="records", lines=True))
    else:
        given = {
            "pandas": frame,
            "polars": pl.DataFrame(frame.to_dict("list")),
            "records": frame.to_dict("records"),
        }[form]
    assert ap(run, given) == 1.0
    if form in ("pandas", "polars"):  # other frames are runs if they have scores
        names = {"query-id": "query_id", "corpus-id": "doc_id"}
        other = given.rename(columns=names) if form == "pandas" else given.rename(names)
        with pytest.raises(ColumnError):
            irpref.judgments(other)


# Preferences --------------------------------------------------------------------------------------


def values(qrels: Any, run: Any, *names: str, **how: Any) -> list[float]:
    """Values of measures, in their order."""
    read = irpref.judgments(qrels, **how)
    found = irpref.evaluator(list(names), read).calc_aggregate(run)
    return [found[irpref.parse(name)] for name in names]


def ranking(*docs: str) -> dict[str, float]:
    """Scores that fall from document to document."""
    return {doc: float(-i) for i, doc in enumerate(docs)}


@pytest.mark.parametrize(
    "lines",
    [
        "q1 a b b\nq1 a c c\nq2 d e e\nq2 f e e\n",  # b over a, c over a; e over d, e over f
        "q1 b a b\nq1 a c c\nq2 e d e\nq2 f e e\n",
        "q1 b a b\nq1 c a c\nq2 e d e\nq2 e f e\n",
    ],
)
@pytest.mark.parametrize("number", [False, True])
def test_the_fourth_field_may_be_the_preferred_document(
    lines: str, number: bool, tmp_path: Path
) -> None:
    def named(text: str) -> str:
        """The same with numbers for documents."""
        digits = str.maketrans({doc: f"{i}01" for i, doc in enumerate("abcdef", 1)})
        return text.translate(digits) if number else text

    topics = {"q1": "bca", "q2": "edf"}
    run = {t: ranking(*(named(doc) for doc in docs)) for t, docs in topics.items()}
    path = tmp_path / "prefs"
    rows = map(_split, lines.splitlines())
    path.write_text("".join(f"{q} {named(rest)}\n" for q, rest in rows))
    assert values(path, run, "PrefShare", "NumPrefs", "PrefAP") == [1.0, 4.0, 1.0]
    assert len(irpref.read_preferences(path)) == 8


def _split(line: str) -> tuple[str, str]:
    topic, _, rest = line.partition(" ")
    return topic, rest


def test_people_may_disagree_about_a_pair(tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text("q a b b\nq a b a\nq a b b\n")
    assert values(tmp_path / "prefs", {"q": ranking("b", "a")}, "PrefShare") == [2 / 3]


def test_a_preferred_document_that_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text("q a b b\nq a c c\nq a d x\n")
    with pytest.raises(InputError) as error:
        irpref.judgments(tmp_path / "prefs")
    assert error.value.line == 3


def test_small_numbers_may_be_grades_or_documents(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q 7 1 1\nq 2 3 2\n")
    with pytest.raises(InputError) as error:
        irpref.judgments(tmp_path / "q")
    assert error.value.remedy is not None
    run = {"q": ranking("1", "7", "2", "3")}
    assert values(tmp_path / "q", run, "PrefShare", form="pairs") == [1.0]
    assert values(tmp_path / "q", run, "nDCG", form="trec")[0] < 1.0


PAIRS = "9 101 102\n9 102 103\n8 201 203\n8 202 203\n"
GOOD = {"9": ranking("101", "102", "103"), "8": ranking("201", "202", "203")}
BAD = {"9": ranking("103", "102", "101"), "8": ranking("203", "202", "201")}


def test_pairs_of_numbers_are_read_or_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text(PAIRS)
    for read in (irpref.judgments, irpref.read_qrels):
        with pytest.raises(InputError) as error:
            read(tmp_path / "pairs")
        assert error.value.remedy is not None
        assert (error.value.remedy.argument, error.value.remedy.example) == ("form", "pairs")
    # 101 over 103 follows.
    names = "PrefShare", "NumPrefs"
    assert values(tmp_path / "pairs", GOOD, *names, form="pairs") == [1.0, 5.0]
    assert values(tmp_path / "pairs", BAD, *names, form="pairs") == [0.0, 5.0]
    # Most losers win against others.
    (tmp_path / "pairs").write_text("9 101 102\n9 102 103\n9 103 104\n")
    run = {"9": ranking("101", "102", "103", "104")}
    assert values(tmp_path / "pairs", run, *names) == [1.0, 6.0]


def test_the_shell_reads_pairs_by_the_option_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs").write_text(PAIRS)
    run = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, docs in GOOD.items() for d, s in docs.items())
    (tmp_path / "run").write_text(run)
    (tmp_path / "run.json").write_text(json.dumps(GOOD))
    assert main(["eval", "pairs", "run", "PrefShare"]) == 1
    assert "--format pairs" in capsys.readouterr().err
    for name in ("run", "run.json"):
        assert main(["eval", "pairs", name, "PrefShare", "--format", "pairs"]) == 0
        assert capsys.readouterr().out == "PrefShare\t1.0000\n"


def test_three_fields_with_ids_among_the_grades_need_a_form(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("u 2 3\nu 3 5\nu 4 1\n")
    with pytest.raises(InputError):
        irpref.judgments(tmp_path / "q")
    assert values(tmp_path / "q", {"u": ranking("3", "2", "4")}, "nDCG", form="trec") == [1.0]
    (tmp_path / "q").write_text("u 12 3\nu 13 5\n")  # no document is 3 or 5
    assert values(tmp_path / "q", {"u": ranking("13", "12")}, "nDCG") == [1.0]
    (tmp_path / "q").write_text("query-id\tcorpus-id\tscore\nu\t1\t1\nu\t2\t0\n")
    assert values(tmp_path / "q", {"u": ranking("1", "2")}, "nDCG") == [1.0]


# Neither runs nor judgments -----------------------------------------------------------------------

RATINGS = "1 2 3 881250949\n1 3 5 891717742\n1 4 1 878887116\n2 1 2 880606923\n"


@pytest.mark.parametrize("gap", [" ", "\t"])
def test_times_are_no_grades(gap: str, tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text(RATINGS.replace(" ", gap))
    for read in (irpref.judgments, irpref.read_qrels):
        with pytest.raises(InputError) as error:
            read(tmp_path / "u.data")
        assert error.value.column == "relevance"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ("2 qid:10 1:0.03 2:0.05\n1 qid:10 1:0.1 2:0.2\n", "LETOR"),
        ("2 qid:10 1:0.03\n", "LETOR"),
        ("2 1:0.03 2:0.05\n1 1:0.1 2:0.2\n", "svmlight"),
        ("d1 L1\nd2 L0\n", "NTCIR"),
        ("1 2 3.5 2005-04-03\n1 3 5 2005-04-04\n", "rating"),
    ],
)
def test_other_forms_are_named(data: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "data").write_text(data)
    with pytest.raises(InputError, match=word):
        irpref.judgments(tmp_path / "data")
    if word != "rating":
        with pytest.raises(InputError, match=word):
            irpref.read_run(tmp_path / "data")


@pytest.mark.parametrize("joint", ["", " "])
def test_joined_lines_of_a_run_are_refused(joint: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"q Q0 a 1 2 t{joint}q Q0 b 2 1 t\n")
    with pytest.raises(InputError) as error:
        irpref.read_run(path)
    assert error.value.line == 1
    path.write_text("7 Q0 a 1 9.57 Q0 b 2 8.5 t\n")  # the end of a score is missing, too
    with pytest.raises(InputError):
        irpref.read_run(path)
    path.write_text("q Q0 a 1 2 a tag of 7 words\n")
    assert len(irpref.read_run(path)) == 1


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz", "txt"])
def test_preferences_may_have_tabs_and_any_ending(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{ending}"

    def write(lines: str) -> None:
        data = lines.replace(" ", "\t").encode()
        path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)

    write("q1 a b b\nq1 a c c\nq2 d e e\nq2 f e e\n")
    run = {"q1": ranking("b", "c", "a"), "q2": ranking("e", "d", "f")}
    assert values(path, run, "PrefShare", "NumPrefs") == [1.0, 4.0]
    write("9 101 102\n9 101 103\n")
    with pytest.raises(InputError) as error:
        irpref.judgments(path)
    assert error.value.remedy is not None
    run = {"9": ranking("101", "102", "103")}
    assert values(path, run, "PrefShare", form=error.value.remedy.example) == [1.0]


# Large grades -------------------------------------------------------------------------------------

RUN = {"u1": ranking("a", "b"), "u2": ranking("c")}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("u1 0 a 60000000\nu2 0 b 1\n", ("0.5000", "0.5000")),
        ("u1 0 a 60000000\nu1 0 a 50000000\nu2 0 b 1\n", ("0.5000", "0.5000")),
        # a is the best and b the second of u1, c the second of u2: AP is 1 and 1/2, and nDCG 1 and
        # 5 / (891717742 + 5 / log2(3)), all but 0.
        (
            "u1 0 a 881250949\nu1 0 b 878887116\nu2 0 a 891717742\nu2 0 c 5\nu1 0 a 881250940\n",
            ("0.5000", "0.7500"),
        ),
    ],
)
def test_grades_may_be_large_and_given_twice(
    lines: str,
    expected: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from irpref.values import others

    def refused(*_: Any) -> None:
        raise AssertionError("another provider is asked")

    monkeypatch.setattr(others.Others, "values", refused)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text(lines)
    (tmp_path / "r.json").write_text(json.dumps(RUN))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(["eval", "q", "r.json", "nDCG@10", "AP"]) == 0
    assert capsys.readouterr().out == f"nDCG@10\t{expected[0]}\nAP\t{expected[1]}\n"


def test_other_providers_are_not_asked_about_large_grades(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = {"u1": {"a": 60_000_000}, "u2": {"b": 1}}
    with pytest.raises(MeasureError):
        irpref.evaluator(["IPrec@0.5"], qrels)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("u1 0 a 60000000\nu1 0 a 50000000\nu2 0 b 1\n")
    (tmp_path / "r.json").write_text(json.dumps(RUN))
    assert main(["eval", "q", "r.json", "IPrec@0.5"]) == 1
    assert main(["eval", "q", "r.json", "AP", "--provider", "pytrec_eval"]) == 1
    assert capsys.readouterr().out == ""


# Judgments and run the wrong way round ------------------------------------------------------------

SCORES = {
    f"q{t}": {f"d{i}": round(9.5 - i + 0.37 * ((5 * i + t) % 3), 3) for i in range(6)}
    for t in range(4)
}
FORMS = ["dict", "pandas", "polars", "tuples", "csv", "json", "jsonl", "tsv"]


def in_form(data: dict[str, dict[str, Any]], form: str, path: Path, value: str = "score") -> Any:
    """Judgments or a run in a form that does not say which of them it is."""
    rows = [(q, d, n) for q, docs in data.items() for d, n in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", value])
    if form == "dict":
        return data
    if form == "pandas":
        return frame
    if form == "polars":
        return pl.DataFrame(frame.to_dict("list"))
    if form == "tuples":
        return rows
    path = path.with_name(f"{path.name}.{form}")
    if form == "json":
        path.write_text(json.dumps(data))
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")))
    else:
        frame.to_csv(path, index=False, sep="," if form == "csv" else "\t")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_judgments_and_a_run_that_are_swapped_are_refused(form: str, tmp_path: Path) -> None:
    values = {"pandas": ("relevance", "score"), "polars": ("relevance", "score")}
    given, first = values.get(form, ("score", "score"))
    scores = in_form(SCORES, form, tmp_path / "a", given)
    grades = in_form(QRELS, form, tmp_path / "b", first)
    other = {q: {d: -s for d, s in docs.items()} for q, docs in SCORES.items()}
    calls: list[Callable[[], Any]] = [
        lambda: irpref.evaluator(["nDCG@3"], scores).calc_aggregate(grades),
        lambda: irpref.evidence(["nDCG@3"], scores, {"a": grades}),
        lambda: irpref_lab.compare("nDCG@3", scores, grades, other),
        lambda: irpref_lab.compare("nDCG@3", scores, other, grades),
        lambda: irpref_lab.gate("nDCG@3", scores, grades, other),
        lambda: irpref_lab.against("nDCG@3", scores, "a", {"a": grades, "b": other}),
        lambda: irpref_lab.leaderboard("nDCG@3", scores, {"a": grades, "b": other}),
        lambda: irpref.explain("DCG@3", scores, grades, "q1"),
    ]
    for call in calls:
        with pytest.raises(InputError) as error:
            call()
        assert error.value.remedy == QRELS_FIRST
    found = irpref_lab.check(scores, {"a": grades})
    assert found["code"][0] == "invalid-run"


def test_the_command_says_in_which_order_files_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(json.dumps(SCORES))
    Path("qrels.json").write_text(json.dumps(QRELS))
    for command in ("eval", "compare", "gate", "against", "intervals", "crosscheck"):
        runs = ["qrels.json", "a.json"][: 1 + (command in ("compare", "gate", "against"))]
        assert main([command, "a.json", *runs, "nDCG@3"]) in (1, 2)
        out = capsys.readouterr()
        assert out.out == ""
        assert "judgments come before runs" in out.err
    assert main(["eval", "qrels.json", "a.json", "nDCG@3"]) == 0


def test_copies_among_the_documents_share_their_scores_and_are_scores_still() -> None:
    # Every sixth document has a copy, with the same score.
    docs = {f"d{i}{copy}": 18.0 - i for i in range(18) for copy in ("", "x")[: 1 + (i % 6 == 0)]}
    shared = {f"q{t}": docs for t in range(3)}
    grades = {q: {doc: i % 3 for i, doc in enumerate(docs)} for q, docs in shared.items()}
    with pytest.raises(InputError) as error:
        irpref.evaluator(["nDCG@3"], shared).calc_aggregate(grades)
    assert error.value.remedy == QRELS_FIRST


@pytest.mark.parametrize("numbers", ["grades", "probabilities", "ties", "lists", "one topic"])
def test_judgments_and_runs_in_their_places_are_not_taken_for_each_other(numbers: str) -> None:
    probable = {q: {d: 1 / (1 + s) for d, s in docs.items()} for q, docs in SCORES.items()}
    tied = {q: dict.fromkeys(docs, 1.0) for q, docs in SCORES.items()}
    lists = {q: list(docs) for q, docs in SCORES.items()}
    qrels, run = {
        "grades": (QRELS, SCORES),
        "probabilities": (probable, SCORES),
        "ties": (QRELS, tied),
        "lists": (probable, lists),
        "one topic": ({"q": {"a": 0.5, "b": 0.25, "c": 0.1}}, {"q": {"a": 1, "b": 1, "c": 2}}),
    }[numbers]
    ndcg = irpref.parse("nDCG")
    assert irpref.evaluator([ndcg], qrels).calc_aggregate(run)[ndcg] > 0


def test_whoever_names_the_judgments_or_the_run_is_believed() -> None:
    tied = {q: dict.fromkeys(docs, 1.0) for q, docs in SCORES.items()}
    assert ap(tied, irpref.judgments(SCORES)) == 1.0
    assert ap(irpref.run(tied), SCORES) == 1.0
    named = irpref.judgments(SCORES, known={"q1": ["d1"]})
    assert ap(tied, named) == ap(tied, irpref.judgments(named).only(["q1"])) == 1.0
    with pytest.raises(InputError):
        ap(tied, SCORES)


def test_the_functions_of_pyterrier_refuse_the_same() -> None:
    pt = pytest.importorskip("pyterrier")
    rows = [(q, d, s, QRELS[q][d]) for q, docs in SCORES.items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "label"])
    topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
    right = frame[["qid", "docno", "score"]], frame[["qid", "docno", "label"]]
    wrong = frame[["qid", "docno"]].assign(score=frame["label"] * 1.0)
    scores = frame[["qid", "docno"]].assign(label=frame["score"])
    assert pt.irpref.leaderboard([right[0]], topics, right[1], ["AP"], pairs="none") is not None
    names = [pt.irpref.leaderboard, pt.irpref.compare, pt.irpref.gate, pt.irpref.intervals]
    for call in names:
        systems = [wrong] if call is pt.irpref.intervals else [wrong, wrong]
        with pytest.raises(InputError):
            call(systems, topics, scores, ["AP"])
    with pytest.raises(InputError):
        pt.Experiment([wrong], topics, scores, [irpref.parse("QMeasure")])
    distances = right[0].rename(columns={"score": "distance"}).assign(distance=-frame["score"])
    with pytest.raises(ColumnError) as error:
        pt.irpref.compare([distances, distances], topics, right[1], ["AP"])
    assert error.value.remedy is not None
    read = irpref.run(distances, **{error.value.remedy.argument: error.value.remedy.example})
    means = pt.irpref.compare([right[0], read], topics, right[1], ["AP"])
    assert means["difference"].tolist() == [0.0]


# Fused and rounded scores; topics that were cut off -------------------------------------------------

TOPICS = [f"t{t:02}" for t in range(30)]
GRADED = {topic: {f"d{i}": int(i < 4) for i in range(12)} for topic in TOPICS}


def fused(places: int) -> dict[str, dict[str, float]]:
    """Reciprocal ranks, rounded: the four relevant documents are in the first five of each topic."""
    order = [0, 1, 4, 2, 3, *range(5, 12)]
    docs = {f"d{i}": round(1 / (60 + rank), places) for rank, i in enumerate(order, 1)}
    return dict.fromkeys(TOPICS, docs)


def lines_of(run: dict[str, dict[str, float]]) -> str:
    """A run as TREC has it."""
    return "".join(
        f"{topic} Q0 {doc} {rank} {score} x\n"
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    )


def evidence_of(path: Path) -> dict[str, Any]:
    """The evidence on a run by code."""
    found = irpref.evidence(["AP"], GRADED, {"run": path})
    return {row["code"]: row for row in found.to_dict("records")}


def test_ties_that_rounding_makes_are_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.json").write_text(json.dumps(GRADED))
    for places in (3, 6):
        Path(f"{places}.run").write_text(lines_of(fused(places)))
    assert "ties" not in evidence_of(Path("6.run"))
    found = evidence_of(Path("3.run"))["ties"]
    assert (found["level"], found["topics"], found["example"]) == ("warning", 30, "t00")
    # Ranks 1, 2, 4 and 5; with three decimals, the first four tie at .016, and ids put d4 first.
    exact = (1 + 1 + 3 / 4 + 4 / 5) / 4
    assert ap(Path("6.run"), GRADED) == pytest.approx(exact)
    assert ap(irpref.run("3.run", ties="input"), GRADED) == pytest.approx(exact)
    assert ap(Path("3.run"), GRADED) < exact - 0.1
    main(["eval", "qrels.json", "3.run", "AP", "--ties", "input"])
    assert capsys.readouterr().out == "AP\t0.8875\n"
    main(["check", "qrels.json", "3.run", "-o", "csv"])
    assert "ties" in {row["code"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}


@pytest.mark.parametrize("form", ["trec", "dict", "pandas"])
def test_a_candidate_that_was_cut_off_does_not_pass(form: str, tmp_path: Path) -> None:
    main_run, short = fused(6), {topic: fused(6)[topic] for topic in TOPICS[:18]}
    given: Any = short
    if form == "trec":
        given = tmp_path / "short.run"
        given.write_text(lines_of(short))
    elif form == "pandas":
        given = in_form(short, form, tmp_path)
    found = irpref.evidence(["AP"], GRADED, {"main": main_run, "short": given})
    (row,) = found[found["code"] == "unanswered"].to_dict("records")
    assert (row["run"], row["level"], row["topics"], row["example"]) == (
        *("short", "grave", 12),
        "t18",
    )
    assert "12 of 30 topics" in row["text"]
    gated = irpref_lab.gate("AP", GRADED, main_run, given)
    assert gated.verdict != "pass"
    assert "12 of 30 topics" in " ".join(gated.notes)
    assert irpref_lab.compare("AP", GRADED, main_run, given)["verdict"].tolist() == ["cannot tell"]
    # Topics that both answer: the same values.
    both = {topic: GRADED[topic] for topic in TOPICS[:18]}
    assert irpref_lab.gate("AP", both, main_run, given).verdict == "pass"


# Names that are not UTF-8 -------------------------------------------------------------------------


def test_names_of_runs_that_are_not_utf8_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import os

    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    names = [os.fsdecode(name) for name in (b"r\xff.run", b"s\xfe.run")]
    for name in names:
        try:
            Path(name).write_text("".join(f"{q} Q0 {d} 1 {9 - s} t\n" for q, d, s in DISTANCES))
        except OSError:
            pytest.skip("this file system has no such names")
    commands = ["eval", "compare", "gate", "against", "leaderboard", "intervals", "crosscheck"]
    for command in (*commands, "check", "explain", "curve pr"):
        for form in ("table", "json"):
            runs = names[:1] if command in ("crosscheck", "explain") else names
            words = [*command.split(), "qrels.json", *runs]
            words += [] if command == "curve pr" else ["RPref(max_rel=1)"]
            words += ["-t", "q1"] if command == "explain" else []
            assert main([*words, "-o", form]) in (0, 3)
            out = capsys.readouterr()
            assert out.out.encode(), (command, form, out.err)
    assert main(["report", "qrels.json", *names, "AP", "-f", "report.html"]) == 0
