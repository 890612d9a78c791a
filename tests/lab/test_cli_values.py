"""`--values`: files of values by topic in place of judgments and runs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import irpref_lab
from irpref.cli import main

TOOLS = Path(__file__).parent / "values_of_tools"
FILES = [str(TOOLS / "ir_measures" / f"{name}.txt") for name in ("baseline", "noisy")]


def test_compare_prints_what_python_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *FILES, "nDCG@10", "map"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("values only: nDCG@10")
    expected = irpref_lab.compare(["nDCG@10", "AP"], irpref_lab.values(FILES), "baseline", "noisy")
    assert f"{expected['difference'][0]:+.4f}" in printed


def test_gate_has_the_status_of_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["gate", "--values", *FILES, "nDCG@10"])
    decision = irpref_lab.gate("nDCG@10", irpref_lab.values(FILES), "baseline", "noisy")
    assert status == {"pass": 0, "block": 1, "inconclusive": 3}[decision.verdict]
    printed = capsys.readouterr().out
    assert printed.startswith("values only")
    assert "nan" not in printed


def test_leaderboard_and_against(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("leaderboard", "against"):
        assert main([command, "--values", *FILES, "AP"]) == 0
        printed = capsys.readouterr().out
        assert "noisy" in printed
        assert "values only" in printed


def test_a_measure_without_values_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *FILES, "no-such-measure"]) == 2
    assert "no-such-measure" in capsys.readouterr().err
    assert main(["compare", "--values", *FILES, "Bpref"]) == 1
    assert "there are no values of 'Bpref'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [FILES[0], "AP"],
        FILES,
        [*FILES, "AP", "--judge", FILES[0]],
    ],
)
def test_what_is_missing_is_said(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *words]) == 2
    assert capsys.readouterr().err


def test_the_size_of_a_topic_set_is_that_of_the_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["leaderboard", "--values", *FILES, "AP", "--design", "0.05", "-o", "jsonl"]) == 0
    row = json.loads(capsys.readouterr().out)
    given = irpref_lab.values(FILES)
    expected = irpref_lab.meta.topic_set_size(given.of("AP"), 0.05).iloc[0]
    for name in ("variance", "n_topics", "topics_t", "topics_anova", "topics_margin"):
        assert row[name] == pytest.approx(expected[name])
    every = irpref_lab.meta.topic_set_size(given, 0.05)
    assert every["measure"].tolist() == list(given.measures)
    assert every.set_index("measure").loc["AP", "topics_t"] == expected["topics_t"]


def test_a_gate_takes_values_of_a_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strong = str(tmp_path / "strong.txt")
    baseline = irpref_lab.values(FILES[0]).of("AP")
    better = baseline.values[0] + 0.01 * np.arange(baseline.n_topics)
    rows = (
        f"{t}\tAP\t{value!r}\n" for t, value in zip(baseline.topics, better.tolist(), strict=True)
    )
    Path(strong).write_text("".join(rows))
    words = ["gate", "--values", *FILES, "AP", "-o", "jsonl"]
    alone = main(words)
    assert main([*words[:-2], "--reference", FILES[0]]) == alone
    assert "the same values as the baseline" in capsys.readouterr().out
    with_reference = main([*words[:-2], "--reference", strong, "-o", "jsonl"])
    row = json.loads(capsys.readouterr().out)
    given = irpref_lab.values([*FILES, strong])
    decision = irpref_lab.gate("AP", given, "baseline", "noisy", reference="strong")
    assert row["difference_reference"] == pytest.approx(decision["difference_reference"][0])
    assert with_reference == {"pass": 0, "block": 1, "inconclusive": 3}[decision.verdict]


def test_some_topics_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    topics = ["1", "10", "12", "13", "14", "16"]
    words = [word for topic in topics for word in ("-t", topic)]
    assert main(["compare", "--values", *FILES, "AP", *words, "-o", "jsonl"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["topics"] == len(topics)
    given = irpref_lab.values(FILES).of("AP")
    of_a = [given.values[0, given.topics.index(topic)] for topic in topics]
    assert row["mean_a"] == pytest.approx(np.mean(of_a), abs=1e-9)
    assert main(["compare", "--values", *FILES, "AP", "-t", "99"]) == 1
    assert "'99'" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--known=x", "--format=csv", "--repeats"])
def test_an_option_about_runs_is_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--values", *FILES, "AP", option]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err


MISSING = "nosuch.csv: no such file"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "nosuch.csv", FILES[0], "AP"], MISSING),
        (["compare", "nosuch.csv", "nosuch2.csv", "AP"], MISSING),
        (["leaderboard", FILES[0], "nosuch.csv", FILES[1], "AP"], MISSING),
        (["gate", *FILES, "AP", "--reference", "nosuch.csv"], MISSING),
        (["compare", "nosuch", "nosuch2", "AP"], "nosuch: no such file"),
        (["compare", "AP", "RR"], "no file of values given: 'AP' is a measure"),
        (["compare", *FILES, ""], "an argument is empty"),
        (["compare", "-", "-", "AP"], "can be read only once"),
    ],
)
def test_a_file_that_is_not_there_is_named(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *rest = words
    assert main([command, "--values", *rest]) in (1, 2)
    assert said in capsys.readouterr().err


def test_values_are_read_from_the_home_folder_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "home.txt").write_bytes(Path(FILES[0]).read_bytes())
    with open(FILES[1], "rb") as file:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        assert main(["compare", "--values", "~/home.txt", "-", "AP"]) == 0
    assert "home" in capsys.readouterr().out


def test_a_measure_of_the_values_may_look_like_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
    for path in paths:
        Path(path).write_text("topic,measure,value\n" + "".join(f"q{t},hit/5,1\n" for t in "12345"))
    assert main(["compare", "--values", *paths, "hit/5"]) == 0
    assert "hit/5" in capsys.readouterr().out


WIDE = "query,one,two\n" + "".join(f"q{t},0.{t},0.{t + 1}\n" for t in range(1, 8))
LONG = "query,score\n" + "".join(f"q{t},0.{t}\n" for t in range(1, 8))
ODD = "topic,myscore\n" + "".join(f"q{t},0.{t}\n" for t in range(1, 8))


@pytest.mark.parametrize(
    ("text", "measures", "columns"),
    [
        (ODD, "myscore", "measures=myscore"),
        (WIDE, "two", "topic=query,measures=one,two"),
        (WIDE, "two", "topic=query,measures=one,measures=two"),
        (LONG, "AP", "topic=query,value=score"),
    ],
)
def test_columns_of_values_are_named_as_in_python(
    text: str, measures: str, columns: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
    for path in paths:
        Path(path).write_text(text)
    assert main(["compare", "--values", *paths, measures, "--columns", columns]) == 0
    assert capsys.readouterr().out.startswith(f"values only: {measures}: ")


def test_columns_may_be_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "both.csv"
    path.write_text(WIDE)
    words = ["compare", "--values", str(path), "AP", "--columns", "topic=query,systems=one,two"]
    assert main(words) == 0
    assert "two (0.5000)" in capsys.readouterr().out
    assert main([*words, "RR"]) == 1  # which of the two it is, nobody says
    assert "has no column 'measure'" in capsys.readouterr().err


def test_the_columns_that_an_error_names_are_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
    for path in paths:
        Path(path).write_text(ODD)
    words = ["compare", "--values", *paths, "myscore"]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "--columns measures=myscore names measures" in said
    assert main([*words, "--columns", "measures=myscore"]) == 0
    for columns, refused in (
        ("topics=q", "'topics'; its keys are system, "),
        ("topic=a,topic=b", "topic is one column"),
        ("measures=", "such as topic=query,measures=recall"),
        ("measures=none", "has no column 'none' (found: topic, myscore)\n"),
    ):
        assert main([*words, "--columns", columns]) in (1, 2)
        assert refused in capsys.readouterr().err


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """One file of two systems, `main` and `candidate`, as PyTerrier sorts them; `main` is better."""
    table = "name,qid,measure,value\n" + "".join(
        f"{name},q{t},AP,{value + t / 100}\n"
        for name, value in (("candidate", 0.3), ("main", 0.5))
        for t in range(10)
    )
    path = tmp_path / "perquery.csv"
    path.write_text(table)
    return path


@pytest.mark.parametrize("command", ["gate", "against"])
def test_a_file_of_two_systems_does_not_say_which_is_the_baseline(
    command: str, both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in (both, both.parent):
        assert main([command, "--values", str(given), "AP"]) == 2
        assert "there are candidate, main" in capsys.readouterr().err


def test_systems_of_a_file_are_named_after_it(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = ["gate", "--values", str(both), "main", "candidate", "AP"]
    assert main(blocked) == 1
    assert main(["gate", "--values", str(both), "candidate", "main", "AP"]) == 0
    capsys.readouterr()
    assert main(["compare", "--values", str(both), "main", "candidate", "AP", "-o", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["difference"] == pytest.approx(-0.2)
    assert main(["compare", "--values", str(both), "main", "AP"]) == 2
    assert "got 1 (main); there are candidate, main" in capsys.readouterr().err
    assert main(["against", "--values", str(both), "main", "candidate", "AP"]) == 0
    assert "candidate" in capsys.readouterr().out


def test_a_misspelt_system_of_a_file_is_named(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["main", "candidat", "AP"], ["candidat", "AP"]):
        assert main(["compare", "--values", str(both), *words]) == 2
        error = capsys.readouterr().err
        assert "'candidat' is neither a system nor a measure" in error
        assert "did you mean 'candidate'?" in error


def test_a_folder_of_values_is_a_system_for_each_file(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = both.read_text().splitlines()
    both.unlink()
    for name in ("main", "candidate"):
        mine = [line.partition(",")[2] for line in rows if line.startswith(("name", name))]
        (both.parent / f"{name}.csv").write_text("\n".join(mine) + "\n")
    assert main(["leaderboard", "--values", str(both.parent), "AP", "-o", "csv"]) == 0
    board = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in board[1:]] == ["main", "candidate"]
