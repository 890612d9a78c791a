"""Each remedy that a message prints is followed: what comes out is right, or refused.

Remedies are found in the source, by file and by the function or variable that holds them. A new one
needs a case in `FOLLOWED`."""

from __future__ import annotations

import ast
import io
import json
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import QRELS_FIRST, IrprefError, Remedy

SOURCE = Path(__file__).parents[2] / "src"

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
GOOD = [("q1", "a"), ("q1", "b"), ("q2", "a"), ("q2", "b")]  # from the best to the worst
BEST = {q: {"a": 2.0, "b": 1.0} for q in QRELS}


def remedy_of(call: Callable[[], Any]) -> Remedy:
    """The remedy of the error that a call raises."""
    with pytest.raises(IrprefError) as error:
        call()
    assert error.value.remedy is not None
    return error.value.remedy


def ap(run: Any, qrels: Any = QRELS) -> float:
    """AP of a run."""
    return irpref.evaluator(["AP"], qrels).calc_aggregate(run)[irpref.parse("AP")]


def csv(*names: str, rows: Any) -> bytes:
    """A file with a header."""
    return pd.DataFrame(rows, columns=list(names)).to_csv(index=False).encode()


def follow_run(data: bytes, of: str | None, /, **expected: Any) -> Any:
    """Read a run as its error says: with the argument of the remedy, and those of the remedy after
    it.
    """
    given: dict[str, Any] = {}
    for _ in range(3):
        try:
            return irpref.read_run(io.BytesIO(data), **{"form": of, **given})
        except IrprefError as error:
            if error.remedy is None or error.remedy.argument in given:
                raise
            given[error.remedy.argument] = error.remedy.example
            assert given.items() <= expected.items()
    raise AssertionError("no remedy leads to an end")


# Cases --------------------------------------------------------------------------------------------


def distances() -> None:
    """The lowest is the best."""
    data = csv("query_id", "doc_id", "l2", rows=[(*pair, i) for i, pair in enumerate(GOOD)])
    assert ap(follow_run(data, "csv", lower_is_better=True)) == 1.0


def distances_in_a_frame() -> None:
    """`irpref.run` takes the frame."""
    frame = pd.DataFrame([(*pair, i) for i, pair in enumerate(GOOD)])
    frame.columns = ["query_id", "doc_id", "l2"]
    remedy = remedy_of(lambda: ap(frame))
    assert remedy.call == "run"
    assert ap(irpref.run(frame, **{remedy.argument: remedy.example})) == 1.0


def columns_of_a_file() -> None:
    """Scores, ranks, distances, what counts, and what is not guessed."""
    scores = [(*pair, 9 - i) for i, pair in enumerate(GOOD)]
    columns = {"query_id": "question", "doc_id": "url", "score": "bm25"}
    data = csv("question", "url", "bm25", rows=scores)
    assert ap(follow_run(data, "csv", columns=columns)) == 1.0
    ranks = [(*pair, i % 2) for i, pair in enumerate(GOOD)]
    for name in ("position", "order", "idx"):
        data = csv("query_id", "doc_id", name, rows=ranks)
        assert ap(follow_run(data, "csv", columns={"score": name})) == 1.0
    data = csv("query_id", "doc_id", "index", rows=[(*pair, i) for i, pair in enumerate(GOOD * 2)])
    with pytest.raises(IrprefError):
        follow_run(data, "csv", columns={"score": "index"})
    columns = {"doc_id": "chunk", "score": "distance"}
    data = csv("query_id", "chunk", "distance", rows=ranks)
    assert ap(follow_run(data, "csv", columns=columns, lower_is_better=True)) == 1.0
    data = csv("query_id", "doc_id", "nothing known", rows=ranks)
    with pytest.raises(IrprefError):  # there is no column NAME
        follow_run(data, "csv", columns={"score": "NAME"})
    data = csv("query_id", "doc_id", "verdict", rows=[(q, d, QRELS[q][d]) for q, d in GOOD])
    remedy = remedy_of(lambda: irpref.read_qrels(io.BytesIO(data), "csv"))
    read = irpref.read_qrels(io.BytesIO(data), "csv", columns=remedy.example)
    assert ap({"q1": {"a": 2.0, "b": 1.0}}, read) == 0.5


def trec_files_by_another_name() -> None:
    """Runs and judgments in a file that is called .csv."""
    trec = "".join(f"{q} Q0 {d} 1 {9 - i} tag\n" for i, (q, d) in enumerate(GOOD))
    assert ap(follow_run(trec.encode(), "csv", form="trec")) == 1.0
    judged = "".join(f"{q} 0 {d} {QRELS[q][d]}\n" for q, d in GOOD).encode()
    remedy = remedy_of(lambda: irpref.read_qrels(io.BytesIO(judged), "csv"))
    read = irpref.read_qrels(io.BytesIO(judged), **{remedy.argument: remedy.example})
    assert ap(irpref.read_run(io.BytesIO(trec.encode()), "trec"), read) == 1.0


def columns_of_a_frame() -> None:
    """`irpref.run` and `irpref.judgments` take the frame."""
    frame = pd.DataFrame([(*pair, 9 - i) for i, pair in enumerate(GOOD)])
    frame.columns = ["query_id", "doc_id", "bm25"]
    remedy = remedy_of(lambda: ap(frame))
    assert remedy.call == "run"
    assert ap(irpref.run(frame, **{remedy.argument: remedy.example})) == 1.0
    rated = pd.DataFrame([(q, d, QRELS[q][d]) for q, d in GOOD], columns=["user", "item", "rating"])
    remedy = remedy_of(lambda: irpref.evaluator(["AP"], rated))
    assert remedy.call == "judgments"
    read = irpref.judgments(rated, **{remedy.argument: remedy.example})
    assert ap({"q1": {"a": 2.0, "b": 1.0}}, read) == 0.5


def lists_of_ids(path: Path) -> None:
    """Columns of lists that are called as documents are, in files and in memory."""
    rows = [{"query_id": "q1", "doc_id": ["a", "b"]}, {"query_id": "q2", "doc_id": ["a"]}]
    frame = pd.DataFrame(rows)
    frame.assign(score=1.0).to_parquet(path)
    remedy = remedy_of(lambda: irpref.read_run(path, "parquet"))
    assert ap(irpref.run(path, form="parquet", **{remedy.argument: remedy.example})) == 1.0
    remedy = remedy_of(lambda: irpref.evaluator(["AP"], frame.assign(relevance=1)))
    read = irpref.judgments(frame, **{remedy.argument: remedy.example})
    assert ap({"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}, read) == 1.0


def lists_in_another_order() -> None:
    """Scores beside a ranking count, or nothing does."""
    records = [{"topic": q, "found": ["b", "a"], "scores": [1.0, 2.0]} for q in QRELS]
    columns = {"query_id": "topic", "doc_id": "found"}
    remedy = remedy_of(lambda: irpref.run(records, columns=columns))
    assert ap(irpref.run(records, **{remedy.argument: remedy.example})) == 1.0


def grades_that_look_like_times() -> None:
    """Their column is named, or they are no grades."""
    times = {"q1": {"a": 881250949, "b": 878887116}, "q2": {"a": 891717742}}
    remedy = remedy_of(lambda: irpref.evaluator(["nDCG"], times))
    read = irpref.judgments(times, **{remedy.argument: remedy.example})
    ndcg = irpref.parse("nDCG")
    assert irpref.evaluator([ndcg], read).calc_aggregate(BEST) == {ndcg: 1.0}
    rows = [("q1", "7", "a", 881250949), ("q1", "8", "b", 878887116), ("q2", "7", "a", 891717742)]
    rated = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    with pytest.raises(IrprefError) as error:  # the second column is the item
        irpref.evaluator(["nDCG"], rated)
    assert error.value.remedy is None


def pairs(path: Path) -> None:
    """Three numbers: a grade or the loser at the end."""
    path.write_text("q 101 102\nq 101 103\n")
    remedy = remedy_of(lambda: irpref.judgments(path))
    read = irpref.judgments(path, form=remedy.example)
    run = {"q": {"101": 3.0, "102": 2.0, "103": 1.0}}
    share = irpref.parse("PrefShare")
    assert irpref.evaluator([share], read).calc_aggregate(run) == {share: 1.0}
    path.write_text("q 2 3\nq 3 0\n")
    remedy_of(lambda: irpref.judgments(path))
    read = irpref.judgments(path, form="trec")  # which the remedy names, too
    assert ap({"q": {"2": 2.0, "3": 1.0}}, read) == 1.0


def many_labels() -> None:
    """What each label is worth."""
    words = "abcdefghi"
    lines = "".join(f"q1 0 {word} x{word}\n" for word in words).encode()
    remedy = remedy_of(lambda: irpref.read_qrels(io.BytesIO(lines)))
    assert remedy.argument == "labels"
    grades = {f"x{word}": i for i, word in enumerate(words)}
    read = irpref.read_qrels(io.BytesIO(lines), labels=grades)
    assert read["relevance"].tolist() == list(range(9))
    with pytest.raises(IrprefError):  # as it is printed
        irpref.read_qrels(io.BytesIO(lines), labels=remedy.example)


def few_labels() -> None:
    """The remedy has the labels, and the reader knows the grades."""
    data = b"query_id,doc_id,relevance\nq1,a,good\nq1,b,bad\n"
    remedy = remedy_of(lambda: irpref.read_qrels(io.BytesIO(data), "csv"))
    assert set(remedy.example) == {"good", "bad"}
    with pytest.raises(IrprefError):
        irpref.read_qrels(io.BytesIO(data), "csv", labels=remedy.example)
    read = irpref.read_qrels(io.BytesIO(data), "csv", labels={"good": 1, "bad": 0})
    assert read["relevance"].tolist() == [1, 0]


def header_of_beir() -> None:
    """From a stream, whose name says nothing."""
    lines = "".join(f"{q}\t{d}\t{9 - i}\n" for i, (q, d) in enumerate(GOOD))
    data = f"query-id\tcorpus-id\tscore\n{lines}".encode()
    assert ap(follow_run(data, None, form="tsv")) == 1.0


def three_columns() -> None:
    """Ranks are read, and scores are refused."""
    ranks = "".join(f"{q}\t{d}\t{i % 2 + 1}\n" for i, (q, d) in enumerate(GOOD)).encode()
    assert ap(follow_run(ranks, None, form="msmarco")) == 1.0
    scores = "".join(f"{q}\t{d}\t{20 - i}\n" for i, (q, d) in enumerate(GOOD)).encode()
    with pytest.raises(IrprefError):
        follow_run(scores, None, form="msmarco")


def judgments_first(path: Path) -> None:
    """The files in the other order."""
    run = path.with_name("run")
    path.write_text("".join(f"{q} 0 {d} {QRELS[q][d]}\n" for q, d in GOOD))
    run.write_text("".join(f"{q} Q0 {d} 1 {9 - i} t\n" for i, (q, d) in enumerate(GOOD)))
    remedy_of(lambda: irpref.evaluator(["AP"], run))
    assert ap(run, path) == 1.0


def one_grade_a_document() -> None:
    """Judgments by subtopic, reduced as the remedy says."""
    frame = pd.DataFrame(
        [("q1", "a", 0, 1), ("q1", "a", 1, 2), ("q1", "b", 0, 1)],
        columns=["query_id", "doc_id", "relevance", "iteration"],
    )
    remedy = remedy_of(lambda: ap({"q1": {"a": 2.0}}, frame))
    assert "groupby" in remedy.effect
    reduced = frame.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    assert ap({"q1": {"a": 2.0, "b": 1.0}}, reduced) == 1.0
    for name in ("group", "subgroup"):  # of preferences, for which a maximum is no grade
        pairs = frame.rename(columns={"iteration": name})
        remedy = remedy_of(partial(ap, {"q1": {"a": 2.0}}, pairs))
        assert "groupby" not in remedy.effect


def known_documents() -> None:
    """Judgments with the documents that the user knew."""
    remedy = remedy_of(lambda: irpref.evaluator(["Coverage"], QRELS))
    assert (remedy.call, remedy.argument) == ("judgments", "known")
    read = irpref.judgments(QRELS, known={"q1": ["a"], "q2": ["a"]})
    measure = irpref.parse("Coverage")
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    assert irpref.evaluator([measure], read).calc_aggregate(run) == {measure: 1.0}


VALUES = pd.DataFrame(
    {"question": ["q1", "q2"], "system": ["a", "a"], "measure": ["AP", "AP"], "value": [0.5, 1.0]}
)


def column_of_topics() -> None:
    """The column that holds them."""
    remedy = remedy_of(lambda: irpref_lab.values(VALUES))
    assert remedy.argument == "columns"
    columns = dict.fromkeys(remedy.example, "question")
    assert irpref_lab.values(VALUES, columns=columns).of("AP").values.tolist() == [[0.5, 1.0]]
    with pytest.raises(IrprefError):  # there is no column NAME
        irpref_lab.values(VALUES, columns=remedy.example)


def measure_of_values() -> None:
    """All values are by the measure that is named."""
    frame = VALUES.rename(columns={"question": "topic"}).drop(columns="measure")
    for data in (frame, {"q1": 0.5, "q2": 1.0}):
        remedy = remedy_of(partial(irpref_lab.values, data))
        given = irpref_lab.values(data, **{remedy.argument: remedy.example})
        assert given.of(remedy.example).values.tolist() == [[0.5, 1.0]]


def columns_of_measures() -> None:
    """Columns are measures as the remedy has it, or systems."""
    frame = pd.DataFrame({"topic": ["q1", "q2"], "x": [0.5, 1.0]})
    remedy = remedy_of(lambda: irpref_lab.values(frame))
    given = irpref_lab.values(frame, **{remedy.argument: remedy.example})
    assert given.of("x").values.tolist() == [[0.5, 1.0]]
    assert irpref_lab.values(frame, measure="AP").systems == ("x",)


def percentages() -> None:
    """Divided by 100 they are read."""
    percent = {"q1": {"AP": 53.0}, "q2": {"AP": 100.0}}
    remedy = remedy_of(lambda: irpref_lab.values(percent))
    assert "100" in remedy.effect
    shares = {q: {"AP": of["AP"] / 100} for q, of in percent.items()}
    assert irpref_lab.values(shares).of("AP").values.tolist() == [[0.53, 1.0]]


def predictions_of_mteb() -> None:
    """One of the runs in the file."""
    content = {"mteb_model_meta": {}, "default": {"test": BEST, "dev": {"q1": {"b": 1.0}}}}
    data = json.dumps(content).encode()
    remedy = remedy_of(lambda: irpref.read_run(io.BytesIO(data), form="json"))
    assert remedy.effect.startswith("json.load(file)['default']['test'] ")
    assert ap(content["default"]["test"]) == 1.0


def collections_as_the_sample() -> None:
    """Means of collections, of which one has a single topic."""
    one, two = ({"a": {"AP": t}, "b": {"AP": t}} for t in ({"q1": 0.5}, {"q1": 0.5, "q2": 1.0}))
    given = irpref_lab.collections({"one": irpref_lab.values(one), "two": irpref_lab.values(two)})
    remedy = remedy_of(lambda: irpref_lab.leaderboard("AP", given))
    board = irpref_lab.leaderboard("AP", given, **{remedy.argument: remedy.example})
    assert board["mean"].tolist() == [0.625, 0.625]


def scores_of_ranx() -> None:
    """The values that runs hold after the report was made."""
    report = type("Report", (), {"model_names": ["a"], "win_tie_loss": {}})()
    assert "run.scores" in remedy_of(lambda: irpref_lab.values(report)).effect
    run = type("Run", (), {"name": "a", "scores": {"map": {"q1": 0.5, "q2": 1.0}}})()
    given = irpref_lab.values({run.name: run.scores for run in [run]})
    assert given.of("AP").values.tolist() == [[0.5, 1.0]]


def files_in_order(path: Path) -> None:
    """The command line that the message has, typed instead."""
    run = path.with_name("a run")
    path.write_text("".join(f"{q} 0 {d} {QRELS[q][d]}\n" for q, d in GOOD))
    run.write_text("".join(f"{q} Q0 {d} 1 {9 - i} t\n" for i, (q, d) in enumerate(GOOD)))
    words = ["eval", str(run), str(path), "AP", "-o", "tsv"]
    status, _, said = typed(words)
    assert status == 1
    program, *right = shlex.split(said.split("judgments come before runs: ")[1])
    assert (program, typed(right)) == ("irpref", (0, "AP\t1.0000\n", ""))
    for command in ("gate", "compare"):  # the baseline stays the first of the runs
        _, _, said = typed([command, str(run), str(path), str(run), "AP"])
        assert QRELS_FIRST.effect in said


def typed(words: Sequence[str]) -> tuple[int, str, str]:
    """Status, output and errors of the command."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    return status, out.getvalue(), err.getvalue()


def a_list_of_names() -> None:
    """A text that was taken for a list."""
    remedy = remedy_of(lambda: irpref.evaluator(list("map"), QRELS))
    (value,) = irpref.evaluator(remedy.example, QRELS).calc_aggregate(BEST).values()
    assert value == 1.0


def all_names() -> None:
    """Every name that is listed is read."""
    remedy = remedy_of(lambda: irpref.parse("qqqqzzzz"))
    names = attrgetter(f"irpref.{remedy.call}")(SimpleNamespace(irpref=irpref))()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {"AP", "nDCG", "map"} <= set(names)
        assert all(irpref.parse_all(name) for name in names)


def scale() -> None:
    """The scale of all judgments, on a part of these."""
    qrels = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"b": 2.0, "c": 1.5, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
    measure = irpref.parse("RPref")
    with pytest.warns(irpref.ScaleWarning) as warned:
        whole = irpref.evaluator([measure], qrels).values(run)[measure]
    remedy = warned[0].message.remedy
    (bound,) = getattr(irpref, remedy.call)([measure], qrels)
    part = irpref.evaluator([bound], {"q2": qrels["q2"]}).values(run)[bound]
    assert part.tolist() == whole[1:].tolist()


def grades_of_a_judge() -> None:
    """The grades that the plan was drawn with."""
    judge = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1, "b": 0}}
    runs = {"first": {"q1": {"a": 3.0, "b": 2.0}}, "second": {"q1": {"c": 3.0, "a": 2.0}}}
    plan = irpref_lab.sample("P@1", None, judge, runs, n=2, rng=7)
    human = {"q1": {"a": 1, "c": 0}}
    remedy = remedy_of(lambda: irpref_lab.sampled(human, None, plan))
    given = irpref_lab.sampled(human, plan=plan, **{remedy.argument: judge})
    # P@1 is 1 and 0 on the first topic, and 0 on the other, which no run answers.
    assert irpref_lab.compare("P@1", given, *runs.values())["difference"].item() == -0.5


def runs_named_like_rows() -> None:
    """The keys of the runs, as the rows of a published table have them."""
    table, runs = "run,AP\nBM25+RM3,1.0\nTAS-B,1.0\n", {"x": BEST, "y": BEST}
    remedy = remedy_of(lambda: irpref_lab.verify(table, QRELS, runs))
    assert "keys of a dict of runs" in remedy.effect
    assert irpref_lab.verify(
        table, QRELS, dict(zip(("BM25+RM3", "TAS-B"), runs.values(), strict=True))
    )


def transposed_table() -> None:
    """A published table with a row for each measure, and the other way round."""
    frame = pd.DataFrame({"x": ["1.0", "0.5"], "y": ["1.0", "0.5"]}, index=["AP", "P@2"])
    remedy = remedy_of(lambda: irpref_lab.verify(frame, QRELS, {"x": BEST, "y": BEST}))
    assert remedy.effect.startswith("transpose it")
    assert irpref_lab.verify(frame.T, QRELS, {"x": BEST, "y": BEST})


def values_in_place_of_judgments() -> None:
    """The values of a table that was given as judgments."""
    table = pd.DataFrame(
        [(s, t, "AP", 0.5) for s in "ab" for t in ("1", "2")],
        columns=["name", "qid", "measure", "value"],
    )
    remedy = remedy_of(lambda: irpref_lab.compare("AP", table, "a", "b"))
    given = attrgetter(remedy.call)(SimpleNamespace(irpref_lab=irpref_lab))(table)
    assert irpref_lab.compare("AP", given, "a", "b")["difference"].item() == 0


def measures_among_columns() -> None:
    """All columns but the one that holds counts."""
    table = pd.DataFrame({"topic": ["1", "2"], "AP": [0.5, 1.0], "R": [12, 14]})
    remedy = remedy_of(lambda: irpref_lab.values(table))
    given = irpref_lab.values(table, **{remedy.argument: remedy.example})
    assert (given.measures, given.of("AP").values.tolist()) == (("AP",), [[0.5, 1.0]])


def systems_among_columns() -> None:
    """All columns but the one that holds counts."""
    table = pd.DataFrame({"topic": ["1", "2"], "a": [0.5, 1.0], "n": [12, 14]})
    remedy = remedy_of(lambda: irpref_lab.values(table, measure="x"))
    given = irpref_lab.values(table, measure="x", **{remedy.argument: remedy.example})
    assert (given.systems, given.of("x").values.tolist()) == (("a",), [[0.5, 1.0]])


def a_misspelt_column() -> None:
    """The systems of a column that was not read."""
    table = pd.DataFrame({"topic": ["1", "1"], "sytem": ["a", "b"], "AP": [0.5, 1.0]})
    remedy = remedy_of(lambda: irpref_lab.values(table))
    given = irpref_lab.values(table, **{remedy.argument: remedy.example})
    assert (given.systems, given.of("AP").values.tolist()) == (("a", "b"), [[0.5], [1.0]])


def collections_of_values() -> None:
    """Two collections, each with its own values."""
    data = {name: {"a": {"AP": {"1": 0.5}}, "b": {"AP": {"1": 1.0}}} for name in ("x", "y")}
    assert "irpref_lab.collections(" in remedy_of(lambda: irpref_lab.values(data)).effect
    given = irpref_lab.collections({name: irpref_lab.values(one) for name, one in data.items()})
    assert given.names == ("x", "y")


FOLLOWED: dict[str, Callable[..., None]] = {
    "irpref/cli/in_order.py in_order": files_in_order,
    "irpref/data/columns.py LOWER": distances,
    "irpref/data/columns.py _missing": columns_of_a_file,
    "irpref/data/columns.py _missing 2": trec_files_by_another_name,
    "irpref/data/columns.py VALUES": values_in_place_of_judgments,
    "irpref/data/kinds.py _as_grades": grades_that_look_like_times,
    "irpref/data/kinds.py as_pairs": pairs,
    "irpref/data/lists.py _check_order": lists_in_another_order,
    "irpref/data/lists.py as_lists": lists_of_ids,
    "irpref/data/labels.py WORTH": many_labels,
    "irpref/data/labels.py worth": few_labels,
    "irpref/data/trec.py _fields_wrong": header_of_beir,
    "irpref/data/trec.py _fields_wrong 2": three_columns,
    "irpref/errors.py QRELS_FIRST": judgments_first,
    "irpref/judged/pool.py _same_judgment": one_grade_a_document,
    "irpref/measures/names.py _unknown": a_list_of_names,
    "irpref/measures/names.py _unknown 2": all_names,
    "irpref/values/prepare.py prepare": known_documents,
    "irpref/data/records.py _prediction": predictions_of_mteb,
    "irpref_lab/given_values/given.py _check_range": percentages,
    "irpref_lab/decide/over_collections/numbers.py check_sizes": collections_as_the_sample,
    "irpref_lab/given_values/given.py _other_columns": measures_among_columns,
    "irpref_lab/given_values/tables.py _check_alike": systems_among_columns,
    "irpref_lab/given_values/tables.py meant": a_misspelt_column,
    "irpref_lab/given_values/reading.py _collections": collections_of_values,
    "irpref_lab/given_values/reading.py _of_mapping": measure_of_values,
    "irpref_lab/given_values/reading.py _rows": scores_of_ranx,
    "irpref_lab/given_values/tables.py _lacks": column_of_topics,
    "irpref_lab/given_values/tables.py _wide": columns_of_measures,
    "irpref_lab/given_values/tables.py _lacks_measure": measure_of_values,
    "irpref/values/prepare.py warn_of_scale": scale,
    "irpref_lab/judges/sampled.py _check_judge": grades_of_a_judge,
    "irpref_lab/verifying/__init__.py _matched": runs_named_like_rows,
    "irpref_lab/verifying/published.py _without_figures": transposed_table,
}


# The source ---------------------------------------------------------------------------------------


def places() -> list[str]:
    """Where the source makes remedies: the file, and the function or the name; a number for further
    ones.
    """
    found: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        for name in _in(ast.parse(path.read_text(encoding="utf-8")), ""):
            before = sum(place.rsplit(" ", 1)[0] == f"{file} {name}" for place in found)
            before += f"{file} {name}" in found
            found.append(f"{file} {name}" + f" {before + 1}" * bool(before))
    return found


def _in(node: ast.AST, name: str) -> Iterator[str]:
    """The name of the innermost function, or of the variable, of each remedy."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and ast.unparse(child.func).split(".")[-1] == "Remedy":
            yield name
        inner = name
        if isinstance(child, ast.FunctionDef):
            inner = child.name
        elif not name and isinstance(child, ast.Assign):
            inner = ast.unparse(child.targets[0])
        yield from _in(child, inner)


def test_each_remedy_has_a_case() -> None:
    found = places()
    assert len(found) == len(set(found))
    assert set(found) == FOLLOWED.keys()


def test_a_remedy_for_frames_is_followed() -> None:
    distances_in_a_frame()
    columns_of_a_frame()


@pytest.mark.parametrize("place", FOLLOWED)
def test_a_remedy_leads_to_the_right_value_or_is_refused(place: str, tmp_path: Path) -> None:
    case = FOLLOWED[place]
    case(tmp_path / "judgments") if case.__code__.co_argcount else case()
