"""One grammar for all commands: `irpref COMMAND QRELS RUN... MEASURE...`, and the options that all
of them share.

What a command lacks stands here, with the reason. A new command takes all of them, or is added with
its reason."""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from irpref.cli import main, whole_parser

COMMON = {
    "-t": "--topic",
    "-o": "--output",
    "-f": "--file",
    "-m": "--measure",
    "-j": "--jobs",
    "--format": "--format",
    "--float32": "--float32",
}
NO_INPUT = "reads neither judgments nor runs"
NO_MEASURE = "what it shows is no measure of the user's choice"
PICTURE = "writes a picture: -o says so"
OWN = "no measure that pytrec_eval computes has a part in it"
LACKS = {
    "check": {"--float32": "computes no values; it tells where the order by 32 bits is another"},
    "crosscheck": {"--float32": "it compares the orders by 64 and by 32 bits itself"},
    "prefer": {"-m": NO_MEASURE, "--float32": OWN},
    "explain": {"--float32": OWN},
    "judge": {"--float32": "documents of grades in common have no scores"},
    "intervals": {"--float32": "ties and ranks are those of scores as they are given"},
    **{f"curve {kind}": {"-m": NO_MEASURE} for kind in ("crp", "gain", "areas", "summary", "pr")},
    "plot": {"-o": PICTURE},
    **{f"plot {kind}": {"-m": NO_MEASURE} for kind in ("sketch", "crp", "gain", "pr")},
    "report": {"-o": "writes a page"},
    "demo": {option: "has its own judgments and runs" for option in COMMON if option != "-f"},
    "list": {option: NO_INPUT for option in ("-t", "-m", "-j", "--format", "--float32")},
    "cite": dict.fromkeys(COMMON, NO_INPUT),
}  # fmt: skip
# Arguments of their own, where those of all commands would say nothing.
POSITIONAL = {
    "demo": [],
    "judge": ["HUMAN", "JUDGE", "RUN... MEASURE..."],
    "list": ["MEASURE"],
    "cite": ["MEASURE"],
}


def commands(
    parser: argparse.ArgumentParser, name: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield name, parser
    for action in inner:
        for word, part in action.choices.items():
            yield from commands(part, f"{name} {word}".strip())


ALL = dict(commands(whole_parser()))


def shown(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {
        text: action
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for text in action.option_strings
    }


def test_reasons_are_about_commands_that_there_are() -> None:
    assert LACKS.keys() - {"plot"} <= ALL.keys()
    assert POSITIONAL.keys() <= ALL.keys()


@pytest.mark.parametrize("name", ALL)
def test_a_command_has_the_options_that_all_share_or_a_reason(name: str) -> None:
    has = shown(ALL[name])
    assert {option for option in COMMON if option not in has} == {
        *LACKS.get(name, ()),
        *LACKS.get(name.split()[0], ()),
    }
    # Short and long are one option; no short one means something else elsewhere.
    assert all(has[long] is has[option] for option, long in COMMON.items() if option in has)


@pytest.mark.parametrize("name", ALL)
def test_a_command_takes_judgments_then_runs_then_measures(name: str) -> None:
    found = [
        action.metavar or action.dest for action in ALL[name]._actions if not action.option_strings
    ]
    if name in POSITIONAL or name.startswith("meta "):
        expected = POSITIONAL.get(name, ["QRELS", "RUN... MEASURE..."])
        assert [str(text).upper() for text in found] == expected
        return
    qrels, rest = map(str, found)
    assert qrels == "QRELS"
    assert re.fullmatch(
        r"(A B|BASELINE CANDIDATE|\[RUN\.\.\.\]|RUN( RUN)?(\.\.\.)?)( \[?MEASURE(\.\.\.)?\]?)?",
        rest,
    )
    assert ("MEASURE" in rest) == ("-m" in shown(ALL[name]))
    assert ALL[name].format_usage().startswith(f"usage: irpref {name} [options] QRELS {rest}")


@pytest.mark.parametrize("name", ALL)
def test_a_command_that_takes_measures_takes_those_of_your_own(name: str) -> None:
    takes = any(
        "MEASURE" in str(action.metavar)
        for action in ALL[name]._actions
        if not action.option_strings
    )
    assert "--import" in shown(ALL[name]) or not takes


@pytest.mark.parametrize("name", [name for name in ALL if name not in POSITIONAL])
def test_help_of_a_command_says_what_each_option_does(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*name.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: irpref ")
    assert all(action.help for action in shown(ALL[name]).values())


@pytest.mark.parametrize(("columns", "most"), [("100", 48), ("80", 50)])
def test_help_of_eval_fits_one_screen(
    columns: str, most: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["eval", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= most
    assert max(map(len, lines)) <= 100
    # An option is shown once, in the spelling of the others.
    assert [line.split("  ")[1] for line in lines if "--by" in line] == ["-q, --by-query"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments of three topics, of which only the last has grade 3; runs with a tie in 32 bits
    alone.
    """
    grades = {1: (1, 0, 1), 2: (1, 0, 1), 3: (3, 0, 1)}
    (tmp_path / "qrels").write_text(
        "".join(
            f"{t} 0 {doc} {grade}\n"
            for t, of in grades.items()
            for doc, grade in zip("abc", of, strict=True)
        )
    )
    for name, better in (("r1", "a"), ("r2", "b")):
        other = "b" if better == "a" else "a"
        rows = [
            f"{t} Q0 {better} 1 16777217 x\n{t} Q0 {other} 2 16777216 x\n{t} Q0 c 3 1 x\n"
            for t in grades
        ]
        (tmp_path / name).write_text("".join(rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "eval qrels r1 r2 RPref AP",
        "check qrels r1 r2 RPref AP",
        "compare qrels r1 r2 RPref",
        "prefer qrels r1 r2",
        "leaderboard qrels r1 r2 RPref AP --pairs none -t 2",
        "intervals qrels r1 r2 RPref AP",
        "judge qrels qrels r1 r2 AP -t 2",
        "explain qrels r1 RPref",
        "curve npref qrels r1",
        "curve histogram qrels r1 r2",
        "curve summary qrels r1",
        "plot strip qrels r1 r2 RPref -f a.png",
        "plot crp qrels r1 r2 -f a.png",
        "report qrels r1 r2 RPref -f a.html",
        "meta ranking qrels r1 r2 AP RPref",
        "meta robustness qrels r1 r2 AP RPref --samples 1 --levels 50",
    ],
)
def test_one_topic_can_be_asked_for_everywhere(
    command: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "-t", "1"]) == 0
    capsys.readouterr()
    assert main([*command.split(), "-t", "9"]) != 0
    assert "'9'" in capsys.readouterr().err


def test_topics_keep_the_scale_of_all_judgments(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Grades up to 3 among all topics, up to 1 in these two.
    for measure in ("RPref", "NPref(n=3)"):
        main(["eval", "qrels", "r2", measure, "-t", "1", "-o", "tsv", "-p", "-1"])
        one = capsys.readouterr().out.split()[-1]
        main(
            [
                "leaderboard",
                "qrels",
                "r2",
                measure,
                "-t",
                "1",
                "-t",
                "2",
                "-o",
                "jsonl",
                "--pairs",
                "none",
            ]
        )
        assert f'"mean": {one}' in capsys.readouterr().out


def test_a_report_in_32_bits(files: Path) -> None:
    def values(*options: str) -> str:
        assert main(["report", "qrels", "r1", "r2", "AP", "-f", "page.html", *options]) == 0
        return Path("page.html").read_text()

    # Relevant in all topics: a and c. By 64 bits r1 has a first: AP = (1 + 2/3) / 2 = 5/6. In 32
    # bits a and b are tied, and b stands first, since its id is higher: AP = (1/2 + 2/3) / 2 =
    # 7/12.
    plain, short = values(), values("--float32")
    assert "0.8333" in plain
    assert "0.8333" not in short
    assert "0.5833" in short


def test_robustness_in_32_bits(files: Path) -> None:
    command = [
        "meta",
        "robustness",
        "qrels",
        "r1",
        "r2",
        "AP",
        "RPref",
        "--samples",
        "1",
        "--levels",
        "50",
        "--resume",
    ]

    def found(kept: str, *options: str) -> dict[str, float]:
        assert main([*command, kept, *options]) == 0
        rows = [json.loads(line) for line in Path(kept).read_text().splitlines()]
        return {
            measure: mean
            for _, level, _, measure, run, mean in rows
            if level == 100 and run == "r1"
        }

    plain, short = found("plain"), found("short", "--float32")
    assert (round(plain["AP"], 4), round(short["AP"], 4)) == (0.8333, 0.5833)
    assert plain["RPref"] == short["RPref"]  # ours keep the scores as they are
    assert (
        found("plain", "--float32") == short
    )  # results of the one are not taken for those of the other


def test_the_form_of_runs_can_be_said(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("r1.x", "r2.x"):
        (files / name).write_text("query_id,doc_id,score\n1,a,3\n1,b,2\n2,a,1\n")
    for command in (
        "report qrels r1.x r2.x AP -f page.html",
        "leaderboard qrels r1.x r2.x AP",
        "eval qrels r1.x AP",
    ):
        assert main([*command.split(), "--jobs", "1"]) == 1
        assert "r1.x, line 1: 1 field" in capsys.readouterr().err
        main([*command.split(), "--format", "csv", "--jobs", "1"])
        assert "field" not in capsys.readouterr().err
    assert Path("page.html").exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("eval AP qrels r1", "'AP' is a measure; the order is QRELS RUN... MEASURE..."),
        ("eval qrels r1 AP,nDCG@10", "several are written with blanks between them"),
        ("curve pr qrels r1 -f a.png", "-f a.png: tables are not written as .png, but as .txt"),
        (
            "report qrels r1 AP -o a.html",
            "-o is no option of this command (see irpref report --help)",
        ),
        ("eval qrels r1 AP -f a.csv.gz", "tables are not written as .gz, but as .txt"),
        ("eval qrels r1 AP -p 2.5", "invalid int value: '2.5'"),
        ("curve crp qrels r1 --level .9", "--level is no option of this command"),
        ("-t 1 eval qrels r1 AP", "-t comes after the command: irpref eval ... -t ..."),
        ("version", "did you mean irpref --version?"),
    ],
)
def test_what_newcomers_type_is_told_in_a_sentence(
    command: str, said: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "eval"]) == 0
    assert "usage: irpref eval" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        *(
            "eval qrels r1 AP",
            "compare qrels r1 plain AP",
            "leaderboard qrels r1 plain AP",
            "curve pr qrels r1",
        ),
        *(
            "curve histogram qrels r1 plain",
            "plot histogram qrels r1 plain -f a.png",
            "meta stability qrels r1 plain AP",
        ),
    ],
)
def test_advice_on_the_command_line_is_an_option(
    command: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "plain").write_text(
        "".join(f"{t} Q0 {doc} 1 {s} x\n" for t in (1, 2, 3) for s, doc in enumerate("abc"))
    )
    assert main(command.split()) == 0
    _, err = capsys.readouterr()
    assert err.count("--float32 is pytrec_eval's order") == 1
    assert "irpref." not in err
    assert main([*command.split(), "--float32"]) == 0
    assert "pytrec_eval" not in capsys.readouterr().err


def test_a_scale_on_the_command_line_is_written_out(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "qrels", "r1", "RPref"]) == 0
    assert capsys.readouterr().err.endswith("may have another: write RPref(max_rel=3)\n")


def test_lists_fit_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    assert main(["list"]) == 0
    narrow = capsys.readouterr().out
    assert max(map(len, narrow.splitlines())) <= 50
    monkeypatch.delenv("COLUMNS")
    assert main(["list"]) == 0
    assert "".join(capsys.readouterr().out.split()) == "".join(narrow.split())
