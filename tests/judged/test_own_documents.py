"""Documents with the id of their topic: the query is in the collection."""

from pathlib import Path

import pandas as pd
import pytest

import irpref
import irpref_lab
from irpref.cli import main
from irpref.errors import ArgumentError, IrprefWarning

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


COMMANDS = pytest.mark.parametrize(
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


def shown(command, runs, more, capsys):
    """What a command prints of two runs, or of the first."""
    first = ["curve", "pr"] if command[0] == "curve" else command[:1]
    rest = [] if command[0] == "curve" else command[1:]
    several = runs[:1] if command[0] in ("explain", "intervals") else runs
    main([*first, "qrels", *several, *rest, *more])
    out = capsys.readouterr().out.replace("one.left", "one").replace("two.left", "two")
    return " ".join(out.split())


@COMMANDS
def test_every_command_that_reads_runs_leaves_them_out(files, command, capsys):
    expected = shown(command, ["one.left", "two.left"], [], capsys)
    assert shown(command, ["one", "two"], ["--ignore-self"], capsys) == expected


@COMMANDS
@pytest.mark.parametrize("form", ["trec", "json"])
def test_every_command_leaves_out_documents_by_topic(files, command, form, capsys):
    name = f"earlier.{form}"
    if form == "trec":
        Path(name).write_text("t1 0 t1 0\nt2 0 t2 1\nt2 0 other 1\n")
    else:
        Path(name).write_text('{"t1": ["t1"], "t2": ["t2", "other"]}')
    expected = shown(command, ["one.left", "two.left"], [], capsys)
    assert shown(command, ["one", "two"], ["--exclude", name], capsys) == expected


@COMMANDS
@pytest.mark.parametrize("documents", ["^(.*)#", "documents.tsv"])
def test_every_command_counts_chunks_for_their_documents(files, command, documents, capsys):
    chunks = []
    for name in ("one.left", "two.left"):
        lines = [line.split() for line in Path(name).read_text().splitlines()]
        rows = [(t, f"{d}#{n}", float(s) - n) for t, _, d, _, s, _ in lines for n in range(2)]
        Path(f"{name}.chunks").write_text("".join(f"{t} Q0 {d} 1 {s} x\n" for t, d, s in rows))
        chunks += [doc for _, doc, _ in rows]
    lines = sorted({f"{chunk}\t{chunk.split('#')[0]}\n" for chunk in chunks})
    Path("documents.tsv").write_text("".join(lines))
    expected = shown(command, ["one.left", "two.left"], [], capsys)
    runs = ["one.left.chunks", "two.left.chunks"]
    found = shown(command, runs, ["--documents", documents], capsys)
    assert found.replace(".chunks", "") == expected


@pytest.mark.parametrize(("row", "value"), [("last", 0.5), ("first", 0.5), ("best", 1.0)])
def test_the_row_of_a_repeated_document_that_counts(files, row, value, capsys):
    Path("again").write_text("t1 Q0 a 1 1 x\nt1 Q0 b 2 5 x\nt1 Q0 a 3 9 x\nt1 Q0 a 4 2 x\n")
    main(["eval", "qrels", "again", "RR", "-q", "-t", "t1", "--repeated", row])
    assert capsys.readouterr().out == f"t1\tRR\t{value:.4f}\n"
    if row == "last":
        return  # all rows are kept
    read = irpref.read_run("again", repeats=row)
    assert irpref.evaluator(["RR"], QRELS).calc_aggregate(read) == {irpref.parse("RR"): value / 2}


def test_a_frame_of_a_file_leaves_the_same_rows_out(files):
    earlier = {"t1": ["t1"], "t2": ["t2"]}
    pd.testing.assert_frame_equal(
        irpref.read_run("one", exclude=earlier), irpref.read_run("one.left")
    )
    Path("chunks").write_text("t1 Q0 a#1 1 1 x\nt1 Q0 a#2 2 2 x\nt1 Q0 b#1 3 1.5 x\n")
    read = irpref.read_run("chunks", documents="^(.*)#")
    assert read.values.tolist() == [["t1", "a", 2.0], ["t1", "b", 1.5]]


@pytest.mark.parametrize(("left_out", "kept"), [("a#1", ["b", "a"]), ("a", ["b"]), ("b#1", ["a"])])
def test_chunks_and_documents_can_be_left_out(left_out, kept):
    chunks = {"t1": {"a#1": 3.0, "b#1": 2.0, "a#2": 1.0}}
    read = irpref.run(chunks, documents="^(.*)#", exclude={"t1": [left_out]})
    assert read.frame()["doc_id"].tolist() == kept


@pytest.mark.parametrize("form", ["memory", "file", "frame of a file"])
@pytest.mark.parametrize(("topic", "n_topics"), [("t1", 1), ("T1", 0)])
def test_it_is_said_if_nothing_is_left_out(topic, n_topics, form, files, capsys):
    read = {"memory": irpref.run, "file": irpref.run, "frame of a file": irpref.read_run}[form]
    given = RUN if form == "memory" else "one"
    with pytest.warns(IrprefWarning) as caught:
        read(given, exclude={topic: ["x", "y"]})
    assert [warning.message.parameter for warning in caught] == ["exclude"]
    assert f"0 of its 2 documents, and {n_topics} of its 1 topic" in str(caught[0].message)
    Path("left out").write_text(f"{topic} 0 x 1\n")
    for command in ("eval", "compare"):
        assert main([command, "qrels", "one", "two", "RR", "--exclude", "left out"]) == 0
        assert "exclude leaves out nothing" in capsys.readouterr().err
    read(given, exclude={})
    read(given, exclude={"t1": ["a", "x"], "t9": ["x"]})


def test_runs_of_a_verdict_are_read_alike():
    for given in (
        {"ignore_self": True},
        {"exclude": {"t1": ["t1"], "t2": ["t2"]}},
        {"ties": "input"},
        {"float32": True},
    ):
        one, other = irpref.run(RUN, **given), irpref.run(OTHER, **given)
        for name, call in (
            ("compare", lambda a, b: irpref_lab.compare("RR", QRELS, a, b)),
            ("gate", lambda a, b: irpref_lab.gate("RR", QRELS, a, b)),
            ("against", lambda a, b: irpref_lab.against("RR", QRELS, "a", {"a": a, "b": b})),
            ("leaderboard", lambda a, b: irpref_lab.leaderboard("RR", QRELS, {"a": a, "b": b})),
            ("repeats", lambda a, b: irpref_lab.compare("RR", QRELS, [a, b], [b, b])),
        ):
            for pair in ((one, OTHER), (RUN, other)):
                with pytest.raises(ArgumentError) as error:
                    call(*pair)
                assert error.value.parameter == next(iter(given)), name
            call(one, other)


def test_documents_that_are_left_out_although_they_are_relevant_are_counted():
    one, other = (irpref.run(run, exclude={"t1": ["a", "x"]}) for run in (RUN, OTHER))
    said = "1 excluded document is judged relevant, first 'a' of topic 't1'"
    assert any(said in note for note in irpref_lab.compare("RR", QRELS, one, other).notes)
    assert said in " ".join(irpref_lab.gate("RR", QRELS, one, other).notes)
    found = irpref.evidence("RR", QRELS, {"one": one, "other": other})
    (row,) = found[found["code"] == "excluded-relevant"].to_dict("records")
    assert (row["level"], row["topics"], row["example"]) == ("note", 1, "t1")
    one, other = (irpref.run(run, exclude={"t1": ["b"], "t2": ["d"]}) for run in (RUN, OTHER))
    found = irpref.evidence("RR", QRELS, {"one": one, "other": other})
    assert "excluded-relevant" not in set(found["code"])


def test_it_is_said_if_chunks_count_for_documents_in_one_run_only():
    chunks = irpref.run(
        {t: {f"{d}#1": s for d, s in docs.items()} for t, docs in RUN.items()}, documents="^(.*)#"
    )
    said = "chunks count as documents"
    assert any(said in note for note in irpref_lab.compare("RR", QRELS, chunks, OTHER).notes)
    found = irpref.evidence("RR", QRELS, {"chunks": chunks, "other": OTHER})
    assert found[found["code"] == "read-differently"]["level"].tolist() == ["note"]
    found = irpref.evidence("RR", QRELS, {"one": RUN, "other": OTHER})
    assert "read-differently" not in set(found["code"])


def test_compare_says_so():
    def compared(first, second):
        return irpref_lab.compare("RR", QRELS, first, second, names=["a", "b"])

    said = "the id of the topic for 2 of 2 topics, as if the query were in the collection"
    assert f"a and b retrieve documents with {said}" in compared(RUN, OTHER).text
    without = {topic: {d: s for d, s in docs.items() if d != topic} for topic, docs in RUN.items()}
    assert (
        "b retrieves documents with the id of the topic for 1 of 2" in compared(without, OTHER).text
    )
    left, other = irpref.run(RUN, ignore_self=True), irpref.run(OTHER, ignore_self=True)
    assert "own-topic" not in set(compared(left, other).evidence["code"])


def test_topics_and_documents_that_are_numbers_may_be_alike_by_chance():
    qrels = {str(t): {f"{t}1": 1, f"{t}2": 0} for t in range(40)}
    run = {t: {**dict.fromkeys(docs, 2.0), "x": 1.0} for t, docs in qrels.items()}
    one, other = {**run, "3": {"3": 3.0, **run["3"]}}, {t: {t: 3.0, **d} for t, d in run.items()}
    for run_b, is_said in ((one, False), (other, True)):
        found = irpref_lab.compare("AP", qrels, run, run_b).evidence["code"]
        assert ("own-topic" in set(found)) is is_said
