"""All commands read judgments and runs of any form, with any names of columns and labels, by the
same options; an option that nothing has use for is refused.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from test_commands import ALL

import irpref
import irpref_lab
from irpref.cli import main

TOPICS = "123456"
DOCS = "abcdefghij"
WORDS = {0: "none", 1: "some", 2: "all"}
# The columns of judgments and of runs, as a search team may call them.
JUDGED = {"query_id": "search_term_id", "doc_id": "product", "relevance": "stars"}
RANKED = {"query_id": "keyword", "doc_id": "sku", "score": "similarity"}
COLUMNS = [
    *("--columns", "query_id=search_term_id,doc_id=product,relevance=stars"),
    *("--columns", "query_id=keyword,doc_id=sku,score=similarity"),
]
LABELS = ["--labels", "none=0,some=1,all=2"]

# What follows the judgments in a line of each command that reads any; `a`, `b` are runs, `judge`
# has more judgments. The files have no endings, so that --format is needed.
LINES = {
    "eval": "a b nDCG@5 AP",
    "explain": "a QMeasure -t 1",
    "curve crp": "a",
    "curve npref": "a",
    "curve pr": "a",
    "curve fe": "a",
    "curve gain": "a",
    "curve areas": "a",
    "curve histogram": "a b",
    "curve summary": "a",
    "plot sketch": "a -t 1 -f p.png",
    "plot crp": "a -f p.png",
    "plot npref": "a -f p.png",
    "plot pr": "a -f p.png",
    "plot gain": "a -f p.png",
    "plot histogram": "a b -f p.png",
    "plot scatter": "a b AP RR -f p.png",
    "plot strip": "a b AP -f p.png",
    "crosscheck": "a AP",
    "compare": "a b AP --judge judge",
    "gate": "a b AP",
    "against": "a b AP",
    "leaderboard": "a b AP",
    "report": "a b AP --known known -f p.html",
    "check": "a b AP",
    "verify": "a",
    "intervals": "a AP --over unjudged",
    "fill": "judge",
    "judge": "judge a b AP",
    "sample": "judge a b DCG@5 -n 3 --seed 1",
    "meta ranking": "a b AP RR",
    "meta robustness": "a b AP --samples 1 --levels 50",
    "meta stability": "a b AP",
    "meta power": "a b AP",
    "meta swap": "a b AP",
}


def tables() -> dict[str, pd.DataFrame]:
    """Judgments, more of them by a judge, known documents, and two runs."""
    pairs = [(topic, doc) for topic in TOPICS for doc in DOCS]
    grade = {pair: (int(pair[0]) * DOCS.index(pair[1])) % 3 for pair in pairs}
    score = {
        "a": {pair: 10.0 - (DOCS.index(pair[1]) * 3 + int(pair[0])) % 10 for pair in pairs},
        "b": {pair: 10.0 - (DOCS.index(pair[1]) * 7 + int(pair[0])) % 10 for pair in pairs},
    }
    known = {pair: WORDS[1] for pair in pairs if pair[1] in "ac"}
    judge = {pair: WORDS[(g + (pair[1] == "c")) % 3] for pair, g in grade.items()}
    qrels = {pair: WORDS[g] for pair, g in grade.items() if pair[1] != "j"}

    def frame(values: dict[tuple[str, str], object], value: str) -> pd.DataFrame:
        rows = [(*pair, entry) for pair, entry in values.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", value])

    judged = {"qrels": qrels, "judge": judge, "known": known}
    return {name: frame(values, "relevance") for name, values in judged.items()} | {
        name: frame(values, "score") for name, values in score.items()
    }


def trec(frame: pd.DataFrame, path: Path) -> None:
    run = "score" in frame
    lines = [
        f"{row[0]} Q0 {row[1]} 1 {row[2]} t" if run else f"{row[0]} 0 {row[1]} {row[2]}"
        for row in frame.itertuples(index=False)
    ]
    path.write_text("\n".join(lines) + "\n")


def named(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename(columns=RANKED if "score" in frame else JUDGED)


WRITTEN: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    "trec": trec,
    "csv": lambda frame, path: named(frame).to_csv(path, index=False),
    "tsv": lambda frame, path: named(frame).to_csv(path, index=False, sep="\t"),
    "jsonl": lambda frame, path: named(frame).to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: named(frame).to_parquet(path, index=False),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same judgments and runs in each form, a folder a form; `plain` has grades and names of
    files that need no option.
    """
    pytest.importorskip("pyarrow")
    home = tmp_path_factory.mktemp("forms")
    for form, write in {"plain": trec, **WRITTEN}.items():
        (home / form).mkdir()
        (home / form / "table.csv").write_text(f"run,NumQ\na,{len(TOPICS)}\n")
        for name, frame in tables().items():
            if form == "plain" and "relevance" in frame:
                grades = {word: grade for grade, word in WORDS.items()}
                frame = frame.assign(relevance=frame["relevance"].map(grades))
            write(frame, home / form / name)
    return home


@pytest.fixture
def typed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Run a command on the files of a form: status, output, errors."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")

    def run(form: str, command: str, *options: str) -> tuple[int, str, str]:
        monkeypatch.chdir(home / form)
        name = next(name for name in LINES if f"{command} ".startswith(f"{name} "))
        table = ["table.csv"] if name == "verify" else []
        words = [*name.split(), *table, "qrels", *shlex.split(LINES[name]), *options]
        status = main(words)
        out, err = capsys.readouterr()
        return status, out, err

    yield run
    for path in home.glob("*/p.*"):
        path.unlink()


def test_each_command_that_reads_judgments_is_tried() -> None:
    assert set(LINES) == {
        name for name, command in ALL.items() if any(p.name == "qrels" for p in command.params)
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize("form", WRITTEN)
def test_judgments_and_runs_of_any_form_give_the_same(
    form: str, command: str, typed: Callable[..., tuple[int, str, str]], home: Path
) -> None:
    status, wanted, _ = typed("plain", command)
    assert status in (0, 3)
    how = [*LABELS, *(["--format", form] if form != "trec" else [])]
    if form != "trec":
        how += COLUMNS[:2] if command == "fill" else COLUMNS  # the columns of runs, too
    again, out, err = typed(form, command, *how)
    if command == "fill":  # TREC files have one more column
        out, wanted = ("\n".join(_first_fields(text)) for text in (out, wanted))
    assert (again, out) == (status, wanted), err
    if "-f p" in LINES[command]:
        (written,) = (home / form).glob("p.*")
        assert written.stat().st_size > 1000


@pytest.mark.filterwarnings("ignore::irpref.IrprefWarning")
@pytest.mark.parametrize("command", ["eval", "curve pr", "compare", "verify", "judge", "meta swap"])
def test_a_tilde_is_the_home_folder_for_each_file(
    command: str,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home / "plain"))
    table = ["table.csv"] if command == "verify" else []
    files = {"table.csv", "qrels", "a", "b", "judge"}
    words = [*table, "qrels", *LINES[command].split()]
    said = []
    for folder, where in ((home / "plain", ""), (tmp_path, "~/")):
        monkeypatch.chdir(folder)
        again = [where + word if word in files else word for word in words]
        assert main([*command.split(), *again, f"--exclude={where}known"]) in (0, 1)
        said.append(capsys.readouterr())
    assert said[0].out
    assert said[0] == said[1]


def test_a_file_in_the_home_folder_is_not_overwritten(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home / "plain"))
    assert main(["eval", "~/qrels", "~/a", "AP", "-f", str(home / "plain" / "a")]) == 2
    assert "would be overwritten" in capsys.readouterr().err


def _first_fields(text: str) -> list[str]:
    return ["\t".join(line.split("\t")[:4]) for line in text.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("command", LINES)
def test_what_nothing_has_use_for_is_refused(
    command: str, typed: Callable[..., tuple[int, str, str]], home: Path
) -> None:
    for options, named in (
        (["--columns", "relevance=stars"], "--columns relevance=stars: no column 'stars'"),
        (["--labels", "good=1,bad=0"], "--labels: the judgments hold numbers"),
    ):
        status, out, err = typed("plain", command, *options)
        assert (status, out) == (2, ""), (command, out)
        assert named in err.splitlines()[-1]
    assert not list((home / "plain").glob("p.*"))


def test_a_form_that_no_file_has_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home / "plain")
    for words in (["check", "qrels"], ["fill", "qrels", "judge"]):
        assert main([*words, "--format", "csv"]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith("irpref: --format csv: ")


@pytest.mark.parametrize("option", [["--labels", "good=1"], ["--columns", "relevance=stars"]])
def test_a_data_set_has_columns_and_grades_of_its_own(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ir_datasets")
    run = irpref.datasets.load("synthetic").run_frame("strong")
    run.rename(columns=RANKED).to_csv(tmp_path / "run.csv", index=False)
    words = ["eval", "irpref/synthetic", str(tmp_path / "run.csv"), "AP"]
    columns = ["--columns", "query_id=keyword,doc_id=sku,score=similarity"]
    assert main([*words, *columns]) == 0  # those of the run
    assert main([*words, *columns, *option]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"irpref: {option[0]}")


@pytest.mark.parametrize("command", ["eval", "report", "gate", "fill", "judge"])
def test_one_error_names_all_columns_and_the_option_to_type(
    command: str, typed: Callable[..., tuple[int, str, str]]
) -> None:
    status, out, err = typed("csv", command, "--format", "csv")
    assert (status, out) == (2 if command == "gate" else 1, "")
    assert re.search("'query_id' .*'doc_id' .*'relevance'", err)
    option = "--columns query_id=search_term_id,doc_id=product,relevance=stars"
    assert f"; {option} " in err
    assert "irpref.read_qrels" not in err
    if command == "fill":
        return
    # Those of the runs come on top.
    status, out, err = typed("csv", command, *option.split()[:2], *LABELS, "--format", "csv")
    both = (
        "query_id=search_term_id,query_id=keyword,doc_id=product,doc_id=sku,score=similarity,"
        "relevance=stars"
    )
    assert f"; --columns {both} " in err
    assert typed("csv", command, "--columns", both, *LABELS, "--format", "csv")[0] in (0, 3)


def test_a_fault_that_check_finds_is_worded_for_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\n")
    Path("run.csv").write_text("qqq,ddd,sss\nq1,a,2\n")
    assert main(["check", "qrels", "run.csv"]) == 0
    said = capsys.readouterr().out
    assert "; --columns query_id=NAME,doc_id=NAME,score=NAME names them" in said
    assert "irpref.read_run" not in said
    findings = irpref_lab.check("qrels", ["run.csv"])
    assert "irpref.read_run(path, columns=" in findings["text"].iloc[0]


def test_a_name_that_no_file_has_is_not_named_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\n")
    Path("run.csv").write_text("qqq,ddd,sss\nq1,a,2\n")
    columns = "query_id=qrry,doc_id=ddd,score=sss"
    assert main(["eval", "qrels", "run.csv", "AP", "--columns", columns]) == 1
    err = capsys.readouterr().err
    assert "; --columns query_id=NAME,doc_id=ddd,score=sss names it" in err


def test_python_words_it_in_python(home: Path) -> None:
    with pytest.raises(irpref.errors.ColumnError) as error:
        irpref.read_qrels(home / "csv" / "qrels", "csv")
    columns = {"query_id": "search_term_id", "doc_id": "product", "relevance": "stars"}
    assert f"read_qrels(path, columns={columns}) " in str(error.value)
    assert error.value.missing == tuple(columns)
    read = irpref.judgments(
        str(home / "csv" / "qrels"),
        form="csv",
        columns=columns,
        labels={"none": 0, "some": 1, "all": 2},
    )
    assert len(read) == 54


@pytest.mark.parametrize(
    ("header", "option"),
    [
        ("query,_id,_score", "query_id=query,doc_id=_id,score=_score"),
        ("Search Term,Product SKU,BM25", "'query_id=Search Term,doc_id=Product SKU,score=BM25'"),
        ("topic_number,url,x", "query_id=topic_number,doc_id=url,score=NAME"),
        ("search_term,search_term_id,asin,sim", "query_id=search_term_id,doc_id=asin,score=sim"),
        ("a,b,c,d", "query_id=NAME,doc_id=NAME,score=NAME"),
    ],
)
def test_the_option_to_type_has_the_columns_that_are_likely(
    header: str, option: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "run.csv").write_text(f"{header}\n1,a,2\n")
    assert main(["eval", "qrels", "run.csv", "AP"]) == 1
    assert f"; --columns {option} " in capsys.readouterr().err


def test_each_label_of_a_file_is_in_the_option(typed: Callable[..., tuple[int, str, str]]) -> None:
    _, _, err = typed("csv", "eval", "--format", "csv", *COLUMNS)
    assert "; --labels all=GRADE,none=GRADE,some=GRADE " in err


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_judgments_may_have_another_form_than_the_runs(
    form: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(home)
    assert main(["eval", "plain/qrels", "plain/a", "AP"]) == 0
    wanted = capsys.readouterr().out
    words = ["eval", "plain/qrels", f"{form}/a", "AP", "--format", form]
    assert main([*words, *COLUMNS[2:]]) == 0
    assert capsys.readouterr().out == wanted


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        ("r.csv", "this looks like a run, expected qrels"),
        ("q.csv", "this looks like qrels, expected a run"),
    ],
)
def test_a_file_with_the_column_named_for_the_other_kind_is_in_the_wrong_place(
    first: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.csv").write_text("question,passage,stars\n1,a,2\n1,b,0\n")
    (tmp_path / "r.csv").write_text("question,passage,sim\n1,a,.5\n1,b,.25\n")
    names = "query_id=question,doc_id=passage,relevance=stars,score=sim"
    words = ["eval", str(tmp_path / first), str(tmp_path / "q.csv"), "P@1", "--columns", names]
    assert main(words) == 1
    assert kind in capsys.readouterr().err
