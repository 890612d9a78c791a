"""Details of what commands print, each of which a change of the code went unnoticed for."""

import json
import re

import pytest

from irpref.cli import main


def write(path, rows):
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))


@pytest.fixture
def shell(capsys, monkeypatch, tmp_path):
    """What a command prints, and says, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(command):
        status = main(command.split())
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return captured.out, captured.err

    return call


def run_with_relevant_at(ranks):
    """Rows of a run whose one relevant document of each topic, `r`, is at this rank; 0: not
    retrieved.
    """
    for topic, rank in ranks.items():
        docs = [f"n{i}" for i in range(1, 30)]
        if rank:
            docs.insert(rank - 1, "r")
        yield from ((topic, "Q0", doc, 0, 100 - i, "x") for i, doc in enumerate(docs))


@pytest.fixture
def ranked(tmp_path):
    """Six topics with differences of RR (b - a) of 1/2, 1/4, 1/8, 1/20 - 1/21, 0 and -1/4."""
    a = {"t1": 0, "t2": 4, "t3": 8, "t4": 21, "t5": 1, "t6": 2}
    b = {"t1": 2, "t2": 2, "t3": 4, "t4": 20, "t5": 1, "t6": 4}
    write(
        tmp_path / "qrels",
        [(topic, 0, "r", 1) for topic in a] + [(topic, 0, "n1", 0) for topic in a],
    )
    write(tmp_path / "a", run_with_relevant_at(a))
    write(tmp_path / "b", run_with_relevant_at(b))


def test_topics_of_a_comparison_come_by_falling_difference(shell, ranked):
    shown = re.findall(
        r"^(t\d) +([\d.]+) +([\d.]+) +(-?[\d.]+)$", shell("compare qrels a b RR -q")[0], re.M
    )
    assert [topic for topic, *_ in shown] == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert [row[1:] for row in shown[:2]] == [
        ("0.0000", "0.5000", "0.5000"),
        ("0.2500", "0.5000", "0.2500"),
    ]
    (last,) = shell("compare qrels a b RR R@5 -q -t t6 -o jsonl")[0].splitlines()[:1]
    assert json.loads(last) == {
        "measure": "RR",
        "query_id": "t6",
        "a": 0.5,
        "b": 0.25,
        "difference": -0.25,
    }


def test_the_best_systems_are_those_of_the_first_measure(shell, tmp_path):
    """RR is 1, 1/2, 1/3 and 0 of a, b, d and c; R@30 is 1 of b and d, 1/2 of a."""
    write(tmp_path / "qrels", [("1", 0, "r", 1), ("1", 0, "s", 1), ("1", 0, "n", 0)])
    found = {"a": "rn", "b": "nrs", "c": "n", "d": "nmrs"}
    for name, docs in found.items():
        write(tmp_path / name, [("1", "Q0", doc, 0, -i, "x") for i, doc in enumerate(docs)])
    best = shell("meta ranking qrels a b c d RR R@30 --top 2")[0]
    assert best == shell("meta ranking qrels a b RR R@30")[0]
    assert best != shell("meta ranking qrels b d RR R@30")[0]


def test_a_folder_of_runs_is_read_without_its_hidden_files(shell, tmp_path):
    write(tmp_path / "qrels", [("1", 0, "r", 1)])
    (tmp_path / "runs").mkdir()
    for name in ("a", "b"):
        write(tmp_path / "runs" / name, [("1", "Q0", "r", 1, 9, "x")])
    (tmp_path / "runs" / ".DS_Store").write_bytes(b"\0\1\2")
    assert shell("meta ranking qrels runs AP RR")[0].startswith("2 systems, ")


def test_meta_of_some_topics_is_that_of_qrels_with_these_alone(shell, ranked, tmp_path):
    lines = (tmp_path / "qrels").read_text().splitlines(keepends=True)
    (tmp_path / "some").write_text("".join(line for line in lines if line[:2] in ("t1", "t6")))
    asked = shell("meta ranking qrels a b RR R@5 -t t1 -t t6")[0]
    assert asked == shell("meta ranking some a b RR R@5")[0]
    assert asked.splitlines()[1].startswith("2 systems, 2 topics")


def test_groups_of_topics_keep_the_scale_of_all_judgments(shell, ranked, tmp_path):
    lines = (tmp_path / "qrels").read_text().replace("t1 0 r 1", "t1 0 r 3")
    (tmp_path / "qrels").write_text(lines)
    write(tmp_path / "groups", [(f"t{i}", "low" if i > 3 else "high") for i in range(1, 7)])
    out, _ = shell("meta robustness qrels a b RPref --groups groups --samples 1 --levels 50")
    assert "RPref(max_rel=3)" in out


def test_what_is_said_of_several_runs_comes_in_the_order_of_the_runs(shell, ranked, tmp_path):
    """However many are read at a time, and however long each takes."""
    names = ["z", "m", "c", "k"]
    for at, name in enumerate(names):
        topics = ["t1"] if at % 2 else ["t1", "t2"]
        rows = [
            (t, "Q0", f"d{i}", 0, 9000 - i, "x") for t in topics for i in range(1 if at else 5000)
        ]
        write(tmp_path / name, rows)
    for jobs in (1, 4):
        out, said = shell(f"eval qrels {' '.join(names)} AP RR -o jsonl -j {jobs}")
        # One line for what is the same of all, with the first one's name: topics without documents
        # first.
        about_z = r"check: (z|none of the 10,000 documents of z) .*\(3 more runs"
        assert re.findall(about_z, said) == ["z", "none of the 10,000 documents of z"]
        assert list(dict.fromkeys(json.loads(line)["run"] for line in out.splitlines())) == names
