"""Laws that hold for all commands: help, what is misspelled, options that commands share."""

import inspect
import json
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

import irpref_lab
from irpref.cli import command as commands
from irpref.cli import main
from irpref.cli.command import Section, irpref
from irpref_lab.meta.losses import LOSSES
from irpref_lab.trust.intervals import SOURCES
from shells import Call


def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """The command, or those below it, by name."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    with click.Context(command) as ctx:
        for word in command.list_commands(ctx):
            below = command.get_command(ctx, word)
            assert below is not None
            yield from walk(below, f"{name} {word}".strip())


ALL = dict(walk(irpref, ""))
SHARED = {
    "-t": "--topic",
    "-o": "--output",
    "-f": "--file",
    "-m": "--measure",
    "-j": "--jobs",
    "-q": "--by-query",
}


def options(command: click.Command) -> dict[str, click.Parameter]:
    return {name: p for p in command.params for name in p.opts if isinstance(p, click.Option)}


@pytest.mark.parametrize("name", ["", "curve", "plot", "meta", *ALL])
@pytest.mark.parametrize("columns", ["80", "120"])
def test_every_command_has_help_as_wide_as_the_screen(
    name: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main([*name.split(), "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"Usage: irpref {name}".rstrip() + " ")
    assert max(map(len, out.splitlines())) <= min(int(columns), 100)
    assert "..." not in out.partition("Commands:")[2]  # a line of help that was cut


@pytest.mark.parametrize("name", ALL)
def test_a_misspelled_option_is_answered_with_the_nearest(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    long = next(option for option in options(ALL[name]) if option.startswith("--"))
    assert main([*name.split(), f"{long}x"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{long}x; did you mean " in err


@pytest.mark.parametrize("name", ALL)
def test_a_command_that_reads_judgments_reads_them_in_all_forms(name: str) -> None:
    has = options(ALL[name])
    if any(p.name == "qrels" for p in ALL[name].params):
        assert {"--columns", "--labels"} <= has.keys()
    if any(p.name == "arguments" for p in ALL[name].params):
        assert {"--format", "--jobs", "--topic"} <= has.keys()
        metavar = next(p.metavar for p in ALL[name].params if p.name == "arguments")
        assert ("MEASURE" in str(metavar)) == ("--measure" in has) == ("--import" in has)


@pytest.mark.parametrize("name", ALL)
def test_short_and_long_options_are_the_same_everywhere(name: str) -> None:
    has = options(ALL[name])
    for short, long in SHARED.items():
        assert has.get(short) is has.get(long)


@pytest.mark.parametrize("name", ["curve", "plot", "meta"])
def test_a_group_of_commands_wants_one_of_them(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    assert main([name]) == 2
    assert main([name, "nothing"]) == 2
    assert "'nothing'; expected one of" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("eval AP qrels r1", "'AP' is a measure; the order is QRELS RUN... MEASURE..."),
        ("eval qrels r1 AP,nDCG@10", "separate several with spaces"),
        ("curve pr qrels r1 -f a.png", "-f a.png: tables are not written as .png, but as .txt"),
        ("eval qrels r1 AP -f a.csv.gz", "tables are not written as .gz, but as .txt"),
        ("eval qrels r1 AP -o jsn", "did you mean 'json'?"),
        ("leaderboard qrels r1 r2 AP --pairs holmes", "did you mean 'holm'?"),
        ("explain qrels r1 RPref 106_2", "select a topic with -t 106_2"),
        ("leaderbord qrels", "unknown command 'leaderbord'; did you mean 'leaderboard'?"),
        ("meta stabilty qrels r1", "did you mean 'stability'?"),
        ("curve", "no command given; expected one of areas, crp, "),
        ("plot", "no command given; expected one of "),
        ("meta", "no command given; expected one of "),
    ],
)
def test_what_newcomers_type_is_told_in_a_sentence(command: str, said: str, call: Call) -> None:
    status, out, err = call(*command.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_underscores_are_read_as_hyphens(call: Call) -> None:
    wanted = call("eval", "qrels", "r1", "AP", "--by-query", "--no-summary", "--output", "tsv")
    assert wanted[0] == 0
    same = call("eval", "qrels", "r1", "AP", "--by_query", "--no_summary", "--output_format", "tsv")
    assert same == wanted


@pytest.mark.parametrize(
    "command",
    [
        "eval qrels r1 r2 RPref AP",
        "check qrels r1 r2 RPref AP",
        "compare qrels r1 r2 RPref",
        "against qrels r1 r2 RPref -t 2",
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
def test_one_topic_can_be_asked_for_everywhere(command: str, call: Call) -> None:
    assert call(*command.split(), "-t", "1")[0] == 0
    status, _, err = call(*command.split(), "-t", "9")
    assert status != 0
    assert "'9'" in err


def test_topics_keep_the_scale_of_all_judgments(call: Call, files: Path) -> None:
    # Grades up to 3 among all topics, up to 1 in topics 1 and 2, which are alike.
    (files / "q").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in "12") + "3 0 a 3\n")
    (files / "r").write_text("".join(f"{t} Q0 b 1 2 x\n{t} Q0 a 2 1 x\n" for t in "12"))
    for measure in ("RPref", "NPref(n=3)"):
        one = call("eval", "q", "r", measure, "-t", "1", "-p", "-1")[1].split()[-1]
        words = ["leaderboard", "q", "r", measure, "--pairs", "none", "-o", "jsonl"]
        board = call(*words, "-t", "1", "-t", "2")[1]
        assert json.loads(board)["mean"] == float(one)


def test_the_reading_of_judgments_is_an_option_of_all(call: Call, files: Path) -> None:
    lines = (files / "qrels").read_text().splitlines()
    rows = [
        (topic, doc, "no" if grade == "0" else "yes")
        for topic, _, doc, grade in map(str.split, lines)
    ]
    table = "".join(f"{','.join(row)}\n" for row in [("query_id", "text", "useful"), *rows])
    (files / "odd.csv").write_text(table)
    how = ["--columns", "doc_id=text,relevance=useful", "--labels", "yes=1,no=0"]
    for command in (
        "eval odd.csv r1 r2 AP",
        "check odd.csv r1",
        "compare odd.csv r1 r2 AP",
        "gate odd.csv r1 r2 AP",
        "against odd.csv r1 r2 AP",
        "leaderboard odd.csv r1 r2 AP",
        "explain odd.csv r1 QMeasure -t 1",
        "crosscheck odd.csv r1 AP",
        "curve pr odd.csv r1",
        "plot pr odd.csv r1 -f a.png",
        "report odd.csv r1 r2 AP -f a.html",
        "meta ranking odd.csv r1 r2 AP RR",
    ):
        status, _, err = call(*command.split(), *how)
        assert (status in (0, 3), err.count("odd.csv")) == (True, 0), (command, err)
        assert call(*command.split())[0] in (1, 2)


def test_other_packages_add_commands(
    call: Call, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @commands.command("depth")
    def depth() -> None:
        """Documents of each run."""
        click.echo("found")

    section = Section("Ours", {"depth": (f"{__name__}:depth", "documents of each run")})
    monkeypatch.setitem(globals(), "depth", depth)
    monkeypatch.setitem(globals(), "OURS", section)
    points = [
        EntryPoint("ours", f"{__name__}:OURS", "irpref.commands"),
        EntryPoint("broken", "no_such_module:SECTION", "irpref.commands"),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    commands._of_packages.cache_clear()
    try:
        status, out, err = call("--help")
        assert (status, err.count("no_such_module")) == (0, 2)
        assert "Ours:\n  depth       documents of each run" in out
        assert call("depth")[:2] == (0, "found\n")
        assert call("eval", "qrels", "r1", "AP")[0] == 0
    finally:
        commands._of_packages.cache_clear()


# Commands say what an option takes, and what it is if not given, without loading what computes:
# --help is quick. So both stand in the function, too.

FUNCTIONS = {
    name: function
    for name in ALL
    if inspect.isfunction(
        function := getattr(
            irpref_lab.meta if name.startswith("meta ") else irpref_lab, name.split()[-1], None
        )
    )
}
OF_THE_SHELL = ("rng", "samples")  # None in Python: seed 0, and as many samples as here


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_have_the_defaults_of_the_function(name: str) -> None:
    takes = inspect.signature(FUNCTIONS[name]).parameters
    for option in set(options(ALL[name]).values()):
        assert isinstance(option, click.Option)
        assert option.name is not None
        if option.name not in takes or option.name in OF_THE_SHELL:
            continue
        default = takes[option.name].default
        if option.show_default:
            assert option.default == default, option.name
        elif isinstance(default, (str, float)):  # worded in the help, since it fits one choice only
            assert f"(default: {default})" in str(option.help), option.name


@pytest.mark.parametrize(
    ("name", "option", "known"),
    [
        ("intervals", "--over", SOURCES),
        ("meta robustness", "--loss", LOSSES),
    ],
)
def test_options_have_the_choices_of_the_function(
    name: str, option: str, known: Iterable[str]
) -> None:
    choice = options(ALL[name])[option].type
    assert isinstance(choice, click.Choice)
    assert list(choice.choices) == list(known)
