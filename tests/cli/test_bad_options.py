"""Options with bad values: each is refused as a part of the command line, in the shell's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from irpref.cli import main
from irpref.cli.command import SETTINGS, irpref

TOPICS, DOCS = range(6), "abcdef"
# The words after each command with which it runs; those of its group for commands below one.
WORDS = {
    **{"eval": "q r AP", "explain": "q r QMeasure", "crosscheck": "q r AP", "curve": "q r"},
    **{"plot": "q r s", "list": "AP", "settings": "cranfield", "cite": "RPref"},
    **{"compare": "q r s AP", "gate": "q r s AP", "against": "q r s AP", "demo": ""},
    **{"leaderboard": "q r s RR", "check": "q r AP", "intervals": "q r AP", "fill": "q q"},
    **{"judge": "q q r s AP", "sample": "q q r s P@10", "report": "q r AP", "verify": "t q r"},
    **{"meta": "q r s RR", "curve histogram": "q r s", "plot sketch": "q r"},
}
# What the values below may well be: words and names of files.
FREE = {"--title", "--import", "--expect", "--expect-qrels", "--measure", "--topic"}
# Numbers below 0 mean something; click takes one for an option where the value may be left out.
NEGATIVE = {"--places", "--grades", "--design"}


def commands(
    command: click.Command = irpref, path: tuple[str, ...] = (), parent: click.Context | None = None
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    ctx = click.Context(command, parent=parent, info_name="irpref", **SETTINGS)
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.list_commands(ctx):
        below = command.get_command(ctx, name)
        assert below is not None
        yield from commands(below, (*path, name), ctx)


def valued() -> Iterator[tuple[tuple[str, ...], str]]:
    """Commands with each of their options that takes a value but no file."""
    for path, command in commands():
        for option in command.params:
            if isinstance(option, click.Option) and not (option.is_flag or option.count):
                name = next(opt for opt in option.opts if opt.startswith("--") or len(opt) == 2)
                name = next((opt for opt in option.opts if opt.startswith("--")), name)
                if not isinstance(option.type, click.Path) and name not in FREE:
                    yield path, name


def words_of(path: tuple[str, ...]) -> list[str]:
    return (WORDS.get(" ".join(path)) or WORDS[path[0]]).split()


def _joined(part: tuple[str, ...] | str) -> str:
    return part if isinstance(part, str) else " ".join(part)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments and two runs in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("".join(f"{t} 0 {d} {d in 'ab':d}\n" for t in TOPICS for d in DOCS))
    Path("t").write_text("run,P@1\nr,1\n")
    for name, docs in {"r": "abcdef", "s": "fbaced"}.items():
        rows = (f"{t} Q0 {d} {i} {9 - i} x\n" for t in TOPICS for i, d in enumerate(docs, 1))
        Path(name).write_text("".join(rows))


@pytest.mark.parametrize(("path", "option"), list(valued()), ids=_joined)
def test_a_bad_value_is_an_error_of_the_command_line(
    path: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for bad in ("", "nan", "nonesuch", *["-1"] * (option not in NEGATIVE)):
        given = [*path, *words_of(path), f"{option}={bad}"]
        status = main([*given, "-f", "x.png"] if path[0] == "plot" else given)
        out, err = capsys.readouterr()
        assert status == 2, err
        assert option in err
        assert f"{option.strip('-')}=" not in err
        assert err.count("\n") == 1
        assert out == ""


@pytest.mark.parametrize("option", ["--grades=0,1", "--level=0.9", "--seed=3", "--method=t"])
def test_an_option_of_other_intervals_is_named_as_it_is_typed(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["intervals", "q", "r", "AP", option]) == 2
    name = option.partition("=")[0]
    assert f"{name} is for --over " in capsys.readouterr().err


@pytest.mark.parametrize("file", ["x.docx", "x.CSV.gz", "x.png", "x.run"])
@pytest.mark.parametrize("path", [path for path, _ in commands()], ids=" ".join)
def test_a_file_of_an_unknown_ending_is_not_written(
    path: tuple[str, ...], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = dict(commands())[path]
    takes = {name for option in command.params for name in option.opts}
    if "--file" not in takes:
        pytest.skip("it writes no file")
    if file == "x.png" and "--dpi" in takes:
        pytest.skip("it draws")
    words = words_of(path)
    if path[-1] in ("explain", "sketch"):
        words += ["-t", "1"]
    assert main([*path, *words, "-f", file]) == 2
    err = capsys.readouterr().err
    assert ".html" in err or ".csv" in err or ".svg" in err
    assert not list(Path().glob("x*"))


def test_with_a_format_any_other_ending_will_do() -> None:
    assert main(["eval", "q", "r", "AP", "-o", "csv", "-f", "x.run"]) == 0
    assert main(["eval", "q", "r", "AP", "-f", "results.2"]) == 0
    assert Path("x.run").read_text().startswith("measure,")
    assert Path("results.2").read_text()


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("gate q r s AP", "--margin=\u0660.\u0662"),
        ("gate q r s AP", "--margin=0_1"),
        ("compare q r s AP", "--level=\u0660.\u0669"),
        ("eval q r AP", "--places=\u0663"),
        ("eval q r AP", "--places=99999999999999999999"),
        ("sample q q r s P@10", "-n=\u0661"),
        ("plot sketch q r -f x.png", "--size=\u0664x\u0663"),
    ],
)
def test_numbers_are_written_in_ascii_digits_and_not_too_large(command, option, capsys):
    assert main([*command.split(), option]) == 2
    assert "expected a" in capsys.readouterr().err
