"""Documents with the id of their topic: the query is in the collection."""

from pathlib import Path

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main

QRELS = {"t1": {"a": 1, "b": 0}, "t2": {"c": 1, "d": 0}}
RUN = {"t1": {"t1": 9.0, "a": 8.0}, "t2": {"d": 9.0, "c": 8.0}}
OTHER = {"t1": {"b": 9.0, "a": 8.0}, "t2": {"t2": 9.0, "c": 8.0}}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(
        "".join(f"{t} 0 {doc} {g}\n" for t, docs in QRELS.items() for doc, g in docs.items())
    )
    for name, run in (("one", RUN), ("two", OTHER)):
        lines = [f"{t} Q0 {doc} 1 {s} x\n" for t, docs in run.items() for doc, s in docs.items()]
        Path(name).write_text("".join(lines))
        left = [line for line in lines if line.split()[0] != line.split()[2]]
        Path(f"{name}.left").write_text("".join(left))
    return tmp_path


def test_they_are_left_out_of_a_run(files):
    left = irpref.run(RUN, ignore_self=True).frame()
    assert list(zip(left["query_id"], left["doc_id"], strict=True)) == [
        ("t1", "a"),
        ("t2", "d"),
        ("t2", "c"),
    ]
    left = irpref.run("one.left").frame()
    for read in (irpref.read_run("one", ignore_self=True), irpref.run("one", ignore_self=True)):
        pd.testing.assert_frame_equal(irpref.run(read).frame(), left)
    numbers = irpref.run(pd.DataFrame({"qid": [7, 7], "docno": [7, 8], "score": [2.0, 1.0]}))
    assert len(numbers) == 2
    assert irpref.run(numbers, ignore_self=True).frame()["doc_id"].tolist() == ["8"]


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "RR"],
        ["eval", "RR", "ERR@10"],
        ["compare", "RR"],
        ["against", "RR"],
        ["leaderboard", "RR"],
        ["gate", "RR"],
        ["check", "RR"],
        ["crosscheck", "RR"],
        ["intervals", "P@1"],
        ["explain", "QMeasure", "-t", "t1"],
        ["curve", "pr"],
    ],
    ids=" ".join,
)
def test_every_command_that_reads_runs_leaves_them_out(files, command, capsys):
    first = ["curve", "pr"] if command[0] == "curve" else command[:1]
    rest = [] if command[0] == "curve" else command[1:]

    def output(*runs: str, more: tuple[str, ...] = ()) -> str:
        several = runs[:1] if command[0] in ("explain", "intervals") else runs
        main([*first, "qrels", *several, *rest, *more])
        out = capsys.readouterr().out.replace("one.left", "one").replace("two.left", "two")
        return " ".join(out.split())

    assert output("one", "two", more=("--ignore-self",)) == output("one.left", "two.left")


def test_compare_says_so():
    def sentence(first, second):
        return irpref_lab.compare("RR", QRELS, first, second, names=["a", "b"]).text

    said = "the id of the topic for 2 of 2 topics, as if the query were in the collection"
    assert f"a and b retrieve documents with {said}" in sentence(RUN, OTHER)
    left = irpref.run(RUN, ignore_self=True)
    assert "b retrieves documents with the id of the topic for 1 of 2" in sentence(left, OTHER)
    assert "the id of the topic" not in sentence(left, irpref.run(OTHER, ignore_self=True))


def test_topics_and_documents_that_are_numbers_may_be_alike_by_chance():
    qrels = {str(t): {f"{t}1": 1, f"{t}2": 0} for t in range(40)}
    run = {t: {**dict.fromkeys(docs, 2.0), "x": 1.0} for t, docs in qrels.items()}
    one, other = {**run, "3": {"3": 3.0, **run["3"]}}, {t: {t: 3.0, **d} for t, d in run.items()}
    assert "the id of the topic" not in irpref_lab.compare("AP", qrels, run, one).text
    assert "the id of the topic" in irpref_lab.compare("AP", qrels, run, other).text
