"""The commands beside eval, and what all of them share: the list of commands, help, completion,
signals, tables.
"""

import errno
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ir_measures
import pytest

import irpref
from command_server import CommandServer
from irpref.cli.command import sections
from irpref.data import trec as trec
from irpref.measures.declare import registered
from irpref.measures.toml_files import compared
from shells import R1, Call


def test_commands(call: Call) -> None:
    status, out, err = call("--help")
    assert (status, err) == (0, "")
    assert all(f"\n  {name} " in out for section in sections() for name in section.commands)
    assert call() == (0, out, "")
    assert call("--version")[1] == f"irpref {irpref.__version__}\n"
    for wrong, said in (("evl", "did you mean 'eval'?"), ("qrels", "expected one of eval, ")):
        status, out, err = call(wrong, "r1")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert said in err


def test_importing_irpref_loads_nothing_that_evaluates() -> None:
    program = (
        "import sys, irpref; print(*(name for name in sys.modules if name.startswith('irpref.')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    parts = {name.split(".")[1] for name in loaded.split()}
    assert not parts & {"analysis", "cli", "formats", "judged", "meta", "show", "values"}, parts


FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "eval --help",
        "--version",
        "list",
        "eval qrels r1 AP",
        f"eval qrels r1 AP -f {FULL}",
        "gate qrels r2 r1 AP -o jsonl",
        "gate qrels r2 r1 AP",
    ],
)
def test_a_full_disk_is_an_error(words: str, files: Path, command_server: CommandServer) -> None:
    with open(FULL, "w") as full:
        done = command_server(*words.split(), stdout=full)
    said = f"irpref: {f'{FULL}: ' * words.endswith(FULL)}No space left on device"
    status = 2 if words.startswith("gate") else 1  # where 1 is a verdict
    assert (done.returncode, done.stderr.splitlines()[-1]) == (status, said)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that say how much is in them")
@pytest.mark.parametrize(
    "named", [[], ["one"], ["one", "two"], ["one", "large1", "large2", "large3"]]
)
def test_interruption_while_pipes_are_silent_and_large_files_are_read(
    named: list[str], files: Path
) -> None:
    import fcntl
    import termios

    for name in named:
        if "large" in name:
            Path(name).write_text(
                "".join(f"{i // 1000} Q0 d{i} 1 {-i} t\n" for i in range(400_000))
            )
        else:
            os.mkfifo(name)
    pipes = [
        (end, end) for end in (os.open(name, os.O_RDWR) for name in named if "large" not in name)
    ] or [os.pipe()]
    command = [sys.executable, "-c", "from irpref.cli import script; script()"]
    command += ["eval", "qrels", *(named or "-"), "QMeasure"]
    with subprocess.Popen(command, stdin=pipes[0][0], stderr=subprocess.PIPE, text=True) as process:
        for reader, writer in pipes:
            os.write(writer, b"1 Q0")
            left = bytearray(b"1234")
            while any(left):  # until it was read: then the command waits for more
                fcntl.ioctl(reader, termios.FIONREAD, left)
                time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
            for pipe in {end for ends in pipes for end in ends}:
                os.close(pipe)
    assert (process.returncode, said) == (130, "irpref: interrupted\n")


def test_what_was_registered_for_the_end_runs() -> None:
    program = (
        "import atexit; from irpref.cli import script; atexit.register(print, 'end'); script()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"irpref {irpref.__version__}\nend\n",
        "",
    )


def test_broken_pipe(files: Path) -> None:
    (files / "big").write_text("".join(f"{t} 0 a 1\n" for t in range(20000)))
    (files / "run").write_text("".join(f"{t} Q0 a 1 1 t\n" for t in range(20000)))
    process = subprocess.Popen(
        [sys.executable, "-m", "irpref", "eval", "big", "run", "CRPRecovery", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert err == ""


@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_a_closed_output_is_no_verdict(
    files: Path, form: str, command_server: CommandServer
) -> None:
    words = ["gate", "qrels", "r2", "r1", "AP", "-o", form]
    reader, writer = os.pipe()
    os.close(reader)
    done = command_server(*words, stdout=writer)
    os.close(writer)
    assert done.returncode == 141


def test_an_option_without_its_value_names_the_command(call: Call) -> None:
    said = "irpref: option '-t' requires an argument (see irpref explain --help)\n"
    assert call("explain", "qrels", "r1", "RPref", "-t") == (2, "", said)


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from irpref.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "ir_measures" in loaded
    assert not loaded & {
        "pandas",
        "polars",
        "scipy",
        "matplotlib",
        "pytrec_eval",
        "ir_datasets",
        "pyterrier",
    }


# irpref list --------------------------------------------------------------------------


@pytest.mark.registry
def test_list_names_all_measures(call: Call) -> None:
    _, out, _ = call("list")
    for name in (*irpref.measures.registered(), "nDCG", "AP", "Compat"):
        assert re.search(rf"^[- ] {name} ", out, re.M), name
    there = ir_measures.cwl_eval.is_available()
    assert ("\n  SDCG " in out) == there
    assert ("irpref[providers]" in out) == (not there or not ir_measures.pyndeval.is_available())


@pytest.mark.registry
def test_list_groups_measures_as_the_documentation_does(call: Call) -> None:
    _, out, _ = call("list")
    headings = [line for line in out.splitlines() if line and not line.startswith((" ", "-"))]
    groups = dict.fromkeys(
        compared(measure).group for measure in irpref.measures.registered().values()
    )
    assert headings[: len(groups) + 2] == ["Measures of irpref", *groups, "Measures of ir_measures"]
    below = out.partition("\nCumulated gain\n")[2].partition("\n\n")[0]
    names = [
        line.split()[0] for line in below.splitlines() if line.startswith("  ") and line[2] != " "
    ]
    assert names == [m.NAME for m in registered().values() if compared(m).group == "Cumulated gain"]


def test_page_of_a_measure(call: Call) -> None:
    def said(name: str) -> dict[str, list[str]]:
        """Lines `heading: text` of a page by heading."""
        by_heading: dict[str, list[str]] = {}
        for line in call("list", name)[1].splitlines():
            heading, _, text = line.partition(": ")
            by_heading.setdefault(heading, []).append(text)
        return by_heading

    page = said("EMeasure")
    assert page["Range"] == ["[0, 1], lower is better"]
    assert page["Computed by"] == ["irpref"]
    assert "van Rijsbergen" in page["Source"][0]
    assert "  beta (float, default 1.0)" in page
    scale, documents = said("RPref")["Needs"]
    assert "max_rel" in scale
    # What holds of a variant only: this norm needs no top of the scale.
    assert said("RPref(norm='relative2')")["Needs"] == [documents]
    assert documents.startswith("documents judged non-relevant")
    assert "Needs" not in said("P")
    assert said("AP")["Computed by"][0].startswith("irpref, pytrec_eval")
    assert said("ERR_IA")["Computed by"] == ["pyndeval"]
    assert "cite." not in call("list", "ERR_IA")[1]
    assert call("list", "ndcg_cut_10")[1].startswith("nDCG")
    assert call("list", "emeasures") == (
        2,
        "",
        "irpref: unknown measure 'emeasures'; did you mean 'EMeasure'?\n",
    )


@pytest.mark.parametrize("name", registered())
def test_a_measure_is_explained_on_one_screen_and_in_full_on_request(call: Call, name: str) -> None:
    _, out, _ = call("list", name)
    assert out.count("\n") <= 42
    assert f"{name} --long" in out
    _, whole, _ = call("list", name, "--long")
    assert re.search(r"^Definition( of .*)?\n\n  ", whole, re.MULTILINE)
    assert len(whole) > len(out)


def test_list_says_of_err_that_its_scale_goes_to_4(call: Call) -> None:
    """A binary judgment is worth 1/16 there, as `ERR` has it."""
    (value,) = (
        irpref.evaluator(["ERR@5"], {"q": {"a": 1}}).calc_aggregate({"q": {"a": 1.0}}).values()
    )
    assert value == 1 / 16
    assert "at most 1/16" in " ".join(call("list", "ERR")[1].split())


def test_list_as_json(call: Call) -> None:
    facts = {fact["name"]: fact for fact in json.loads(call("list", "-o", "json")[1])}
    assert facts["EMeasure"]["higher_is_better"] is False
    assert facts["NPref"]["parameters"][0]["required"] is True
    assert facts["nDCG"]["from"] == "ir_measures"
    assert [fact["name"] for fact in json.loads(call("list", "RPref", "-o", "json")[1])] == [
        "RPref"
    ]


def test_check(call: Call) -> None:
    status, out, _ = call("check", "qrels", "r1", "r2", "AP")
    assert status == 0
    shown = out
    status, out, _ = call("check", "qrels", "r1", "--strict", "-o", "jsonl")
    assert status == 1
    first = json.loads(out.splitlines()[0])
    text = first.pop("text")
    assert first == {
        "code": "unanswered",
        "level": "grave",
        "run": "r1",
        "count": 1,
        "example": "3",
    }
    assert text.startswith("r1 ")
    assert f"\n\nGrave\n- {text}\n\n" in shown
    assert call("check", "qrels", "r2", "--strict")[0] == 0


def test_check_of_judgments_alone(call: Call) -> None:
    status, out, err = call("check", "qrels", "Bpref")
    assert (status, err) == (0, "")
    assert "judged non-relevant" in out
    assert "\nMeasures that suit these judgments\n" in call("check", "qrels")[1]
    assert call("check", "qrels", "Bpreff")[0] == 2
    assert "judged non-relevant" in call("list", "Bpref")[1]


def test_leaderboard(call: Call) -> None:
    status, out, _ = call("leaderboard", "qrels", "r1", "r2", "AP", "--permutations", "100")
    assert status == 0
    first, *lines = out.splitlines()
    assert first.startswith("AP: ")
    # Three topics: no interval.
    columns = ["run", "mean", "place", "place_low", "place_high", "letters"]
    assert lines[1].split() == [*columns, "answered", "Judged@10", "codes"]
    assert lines[2].split()[:2] == ["r2", "0.7500"]
    assert lines[2].split()[-2] == "3"
    assert lines[3].split()[-3:] == ["2", "0.6667", "unanswered"]
    assert any(re.fullmatch("answered: .* of 3", line) for line in lines)
    assert (
        "answered"
        not in call("leaderboard", "qrels", "r2", "./r2", "AP", "--permutations", "100")[1]
    )
    rows = call("leaderboard", "qrels", "r1", "r2", "AP", "nCRP", "--pairs", "none", "-o", "jsonl")[
        1
    ].splitlines()
    assert [(json.loads(row)["run"], json.loads(row)["measure"]) for row in rows][1:3] == [
        ("r1", "AP"),
        ("r2", "nCRP"),
    ]


def test_a_board_of_a_group_counts_its_own_topics(call: Call, files: Path) -> None:
    (files / "groups").write_text("1 some\n2 some\n3 other\n4 other\n")
    (files / "qrels").write_text((files / "qrels").read_text() + "4 0 a 1\n")
    (files / "r2").write_text((files / "r2").read_text() + "4 Q0 a 1 1 t\n")
    out = call(
        "leaderboard", "qrels", "r1", "r2", "AP", "--groups", "groups", "--permutations", "100"
    )[1]
    other, some = out.split("AP, some: ")
    assert re.search("^answered: .* of 2$", other, re.MULTILINE)
    _, _, head, *rows = other.splitlines()
    at = head.index("answered")
    assert [row[at : at + len("answered")].strip() for row in rows[:2]] == ["2", "0"]
    assert "answered" not in some


# One grammar --------------------


def test_a_topic_and_a_file_to_write(call: Call, files: Path) -> None:
    assert call("eval", "qrels", "r1", "AP", "-t", "2")[1] == "2\tAP\t0.5000\n"
    said = call("eval", "qrels", "r1", "AP", "-t", "9")[2]
    assert re.findall("'(.)'", said) == ["9", "1", "2", "3"]  # there is none, the first are
    expected = call("eval", "qrels", "r1", "r2", "AP", "-o", "csv")[1]
    assert call("eval", "qrels", "r1", "r2", "AP", "-f", "out.csv") == (0, "", "")
    assert (files / "out.csv").read_text() == expected
    assert call("eval", "qrels", "r1", "nDGC", "-f", "out.csv")[0] == 2
    assert (files / "out.csv").read_text() == expected  # whole or as it was
    said = call("eval", "qrels", "r1", "AP", "-f", "no/out.csv")[2]
    assert said == f"irpref: no/out.csv: {os.strerror(errno.ENOENT)}\n"
    assert sorted(p.name for p in files.iterdir()) == ["out.csv", "qrels", "r1", "r2"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("irpref cur", {"curve"}),
        ("irpref curve hist", {"histogram"}),
        ("irpref eval --no-s", {"--no-summary"}),
        ("irpref eval -o mark", {"markdown"}),
        ("irpref eval q r -m Rela", {"RelativeRecall"}),
        ("irpref eval q r QMea", {"QMeasure"}),
        ("irpref eval q r Pre", {"PrefAP", "PrefShare", "Prefs.run", "PrefsDir/"}),
        ("irpref cite NPre", {"NPref"}),
    ],
)
def test_completion(
    line: str, expected: set[str], files: Path, command_server: CommandServer
) -> None:
    """As bash asks through click: the line typed so far in, what could stand at its end out."""
    (files / "Prefs.run").touch()
    (files / "PrefsDir").mkdir()
    words = line.split()
    asked = {
        "_IRPREF_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = command_server(env={**os.environ, **asked})
    assert (done.returncode, done.stderr) == (0, "")
    found = {answer.partition(",")[2] for answer in done.stdout.splitlines()}
    assert expected <= found if "Pre" in line else found == expected


@pytest.mark.parametrize(
    ("line", "kind"), [("irpref eval q", "file"), ("irpref eval q r -f o", "file")]
)
def test_completion_leaves_files_to_the_shell(
    line: str, kind: str, files: Path, command_server: CommandServer
) -> None:
    asked = {
        "_IRPREF_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
    }
    done = command_server(env={**os.environ, **asked})
    assert done.stdout.startswith(f"{kind},")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_each_shell(shell: str, command_server: CommandServer) -> None:
    done = command_server(env={**os.environ, "_IRPREF_COMPLETE": f"{shell}_source"})
    assert "_IRPREF_COMPLETE" in done.stdout


# Tables --------------------


def test_tables_fit_the_screen(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    measures = [
        "AP",
        "RPref(norm='relative',max_rel=2)@10",
        "QMeasure(judged_only=True)",
        "nDCG@10",
        "P@5",
    ]
    whole = call("eval", "qrels", "r1", "r2", *measures)[1]
    for width in (30, 40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        out = call("eval", "qrels", "r1", "r2", *measures)[1]
        assert max(map(len, out.splitlines())) <= width
        assert sorted(re.findall(r"\d\.\d{4}", out)) == sorted(re.findall(r"\d\.\d{4}", whole))
    monkeypatch.setenv("COLUMNS", "200")
    assert call("eval", "qrels", "r1", "r2", *measures)[1] == whole


def test_names_do_not_move_the_cursor_or_break_rows(call: Call, files: Path) -> None:
    name = "a\x1b[31m\nb,\r"
    (files / name).write_text(R1)
    for form in ("table", "tsv", "markdown", "latex"):
        out = call("eval", "qrels", "r2", name, "AP", "-o", form)[1]
        assert "\x1b" not in out
        assert "\r" not in out
        assert out.count("\n") == call("eval", "qrels", "r2", "r1", "AP", "-o", form)[1].count("\n")
    assert '\n"a\\x1b[31m\nb,\r",AP,' in call("eval", "qrels", "r2", name, "AP", "-o", "csv")[1]
    assert "\x1b" not in call("eval", "qrels", name, "nope\x1b[1m.txt", "AP")[2]


def test_one_bad_run_names_itself(call: Call, files: Path) -> None:
    (files / "bad").write_text("1 Q0 a 1 x t\n")
    for command in (["leaderboard"], ["curve", "pr"], ["meta", "ranking"]):
        status, out, err = call(
            *command, "qrels", "r1", "bad", "r2", *(["AP"] if command != ["curve", "pr"] else [])
        )
        assert (status, out) == (1, "")
        assert err.startswith("irpref: bad, line 1: ")
    assert call("compare", "qrels", "r1", "bad", "AP")[2].startswith("irpref: bad, line 1: ")
    status, out, _ = call(
        "check", "qrels", "r1", "bad", "r2", "-o", "jsonl"
    )  # the others are looked at
    found = {(row["run"], row["code"]) for row in map(json.loads, out.splitlines())}
    assert status == 0
    assert {("bad", "invalid-run"), ("r1", "unanswered")} <= found


def test_float32_gives_the_order_of_pytrec_eval(call: Call, files: Path) -> None:
    # 2^24 + 1 is 2^24 in 32 bits: a tie, in which the later id comes first.
    (files / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (files / "close").write_text("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n2 Q0 a 1 1 t\n")
    for more, ap, precision in (([], "1.0000", "1.0000"), (["--float32"], "0.7500", "0.5000")):
        assert (
            call("eval", "q", "close", "AP", "Rprec", *more)[1] == f"AP\t{ap}\nRprec\t{precision}\n"
        )


def test_topics_needed_beside_the_leaderboard(call: Call) -> None:
    from irpref_lab.meta import topics_needed

    # AP: 5/6, 1/2, 0 and 1/4, 1, 1. Differences 7/12, -1/2, -1: half of their variance
    # is 1698/5184.
    variance = 1698 / 5184
    for option, difference in (["--design"], 0.02), (["--design", "0.1"], 0.1):
        (row,) = map(
            json.loads,
            call("leaderboard", "qrels", "r1", "r2", "AP", "-o", "jsonl", *option)[1].splitlines(),
        )
        assert float(row["variance"]) == pytest.approx(variance)
        assert float(row["difference"]) == pytest.approx(difference)
        assert int(row["topics_t"]) == topics_needed(difference, variance)
    out = call("leaderboard", "qrels", "r1", "r2", "AP", "--permutations", "10", "--design")[1]
    assert out.startswith("AP: ")
    assert "AP: about " in out
    assert call("leaderboard", "qrels", "r1", "AP", "--design")[0] == 2
    assert call("leaderboard", "qrels", "r1", "r2", "AP", "--design", "0")[0] == 2


# r1: a c b in topic 1 (a>b kept, c>a lost), d a in topic 2 (a>d lost); r2 keeps all.
def test_preferences_keep_their_groups_in_every_command(call: Call, files: Path) -> None:
    (files / "p").write_text(
        "1 g0 s a 2\n1 g0 s b 1\n1 g1 s c 2\n1 g1 s a 1\n2 g0 s a 2\n2 g0 s d 1\n"
    )
    assert (
        call("eval", "p", "r1", "PrefShare", "NumPrefs")[1]
        == "PrefShare\t0.2500\nNumPrefs\t3.0000\n"
    )
    _, out, _ = call("leaderboard", "p", "r1", "r2", "PrefShare", "-o", "jsonl")
    assert [(row["run"], row["mean"]) for row in map(json.loads, out.splitlines())] == [
        ("r2", 1.0),
        ("r1", 0.25),
    ]
    assert (
        json.loads(call("compare", "p", "r1", "r2", "PrefShare", "-o", "jsonl")[1])["difference"]
        == 0.75
    )
    assert call("meta", "ranking", "p", "r1", "r2", "PrefShare")[0] == 0
    assert call("check", "p", "r1", "PrefShare")[0] == 0
    assert call("eval", "p", "r1", "PrefShare", "-t", "1")[1] == "1\tPrefShare\t0.5000\n"


@pytest.mark.parametrize(
    ("name", "status"), [("page.html", 0), ("page", 0), ("page.pdf", 2), ("page.csv", 2)]
)
def test_a_page_is_not_written_under_the_name_of_another_form(
    call: Call, files: Path, name: str, status: int
) -> None:
    pytest.importorskip("vl_convert")
    found, _, err = call("report", "qrels", "r1", "AP", "-f", name)
    assert found == status, err
    assert (files / name).exists() == (status == 0)


def test_explain_takes_data_sets_too(call: Call, files: Path) -> None:
    pytest.importorskip("ir_datasets")
    (files / "run").write_text("1 Q0 D1 1 1 t\n")
    status, out, _ = call("explain", "irpref/rpref-figure-1/T1", "run", "QMeasure")
    assert status == 0
    assert out.startswith("Topic 1: QMeasure")
    assert call("explain", "qrels", "r1", "QMeasure", "-t", "1")[0] == 0
    assert call("explain", "-", "-", "QMeasure", "-t", "1")[0] == 2


def not_reached(url: str, response: object = None) -> OSError:
    """What `requests` raises: with the request, and the response if there was one."""
    error: Any = OSError("Max retries exceeded: host='z.org'")
    error.request, error.response = SimpleNamespace(url=url), response
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (
            not_reached("https://a.org/x.zip"),
            "no connection to a.org",
        ),
        (
            RuntimeError(
                "All download sources failed",
                [("one", not_reached("https://a.org/x")), ("two", not_reached("http://b.org:80/"))],
            ),
            "no connection to a.org, b.org",
        ),
        (not_reached("https://a.org/", response=404), "Max retries exceeded: host='z.org'"),
        (OSError("disk full"), "disk full"),
    ],
)
def test_a_data_set_that_cannot_be_loaded(
    call: Call, error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")

    class Unreachable:
        def has_qrels(self) -> bool:
            return True

        def has_scoreddocs(self) -> bool:
            return False

        def qrels_iter(self) -> object:
            raise error

    monkeypatch.setattr(ir_datasets, "load", lambda name: Unreachable())
    said = f"irpref: some/set: ir_datasets could not load it ({why})\n"
    assert call("eval", "some/set", "r1", "AP") == (1, "", said)


# Against the host's command --------------------

# Without Judged@10, which is another one there: documents of negative grade count.
HOST_MEASURES = [
    *(
        "AP",
        "AP(rel=2)",
        "nDCG",
        "nDCG@10",
        "P@5",
        "R@100",
        "RR",
        "RR@10",
        "Rprec",
        "Bpref",
        "Success@5",
    ),
    *("NumRet", "NumRet(rel=1)", "NumRel", "NumQ", "SetP", "SetR", "SetF", "IPrec@0.1", "infAP"),
]


def both(command_server: CommandServer, *arguments: object) -> Iterator[tuple[list[str], int]]:
    """Lines and status of our command, in pytrec_eval's order, and of the host's, each in a process
    of its own.

    The host's order of lines by topic depends on the hashes of a process, so these are sorted.
    """
    words = [str(argument) for argument in arguments]
    host = [sys.executable, "-W", "ignore", "-m", "ir_measures", *words]
    for done in (
        command_server("eval", "--float32", *words),
        subprocess.run(host, capture_output=True, text=True),
    ):
        lines = done.stdout.splitlines()
        yield sorted(lines) if "-q" in arguments else lines, done.returncode


@pytest.mark.parametrize(
    "options", [[], ["-q"], ["-p", "-1"], ["-q", "-n", "-o", "jsonl"]], ids=" ".join
)
def test_same_output_as_the_host_on_its_test_data(
    data_dir: Path, options: list[str], command_server: CommandServer
) -> None:
    folder = data_dir / "trec_eval-test"
    ours, host = both(
        command_server,
        folder / "qrels" / "qrels.rel_level.gz",
        folder / "runs" / "results.test.gz",
        *HOST_MEASURES,
        *options,
    )
    assert ours == host


def test_same_output_as_the_host_with_repeated_documents(
    files: Path, command_server: CommandServer
) -> None:
    (files / "twice").write_text(R1 + "1 Q0 c 9 0.5 t\n3 Q0 a 1 1 t\n1 Q0 zzz 1 9 t\n")
    for options in ([], ["-q"]):
        ours, host = both(command_server, "qrels", "twice", *HOST_MEASURES, *options)
        assert ours == host


@pytest.mark.parametrize("rows", [40, 1500], ids=["small", "large"])
def test_same_output_as_the_host_on_generated_files(
    files: Path, rows: int, command_server: CommandServer
) -> None:
    rng = random.Random(rows)
    judged = [f"{t} 0 d{d:04} {rng.randrange(-1, 4)}\n" for t in range(30) for d in range(50)]
    found = [
        # Scores that only 64 bits tell apart, ties, and topics in a strange order.
        f"{t} Q0 d{d:04} {i} {10 + rng.randrange(5) + rng.randrange(3) * 1e-9!r} "
        f"system-with-a-name-{'x' * 200}\n"
        for t in rng.sample(range(32), 32)
        for i, d in enumerate(rng.sample(range(2000), rows))
    ]
    (files / "judged").write_text("".join(judged))
    (files / "found").write_text("".join(found))
    assert ((files / "found").stat().st_size > trec.BLOCK_BYTES) == (rows > 40)
    # The host breaks ties by rising id in RR@k; here all measures see one order.
    measures = [name for name in HOST_MEASURES if name != "RR@10"]
    ours, host = both(command_server, "judged", "found", *measures, "-p", "-1")
    assert ours == host
