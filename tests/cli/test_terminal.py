"""Colours and widths: in a terminal, in a pipe, with NO_COLOR."""

import os
import re

import pytest

from shells import run_text

pty = pytest.importorskip("pty")

RUN = {t: {f"document-{d}": 1 / (d + 2 + t % 3) for d in range(12)} for t in range(1, 9)}
OTHER = {t: {f"document-{d}": (d * 7 + t) % 5 + d / 99 for d in range(12)} for t in range(1, 9)}
COMMANDS = [
    "intervals qrels a.run b.run RPref(max_rel=3) nDCG@10 AP --over unjudged",
    "explain qrels a.run RPref(max_rel=3) -t 1",
    "compare qrels a.run b.run RPref(max_rel=3) nDCG@10 AP",
    "gate qrels a.run b.run RPref(max_rel=3) nDCG@10 AP",
    "eval qrels a.run b.run RPref(max_rel=3) nDCG@10 AP P@5 RR Rprec Bpref",
]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def collection(files):
    lines = [
        f"{t} 0 document-{d} {(d + t) % 4}\n" for t in range(1, 9) for d in range(12) if d % 5 < 4
    ]
    (files / "qrels").write_text("".join(lines))
    for name, run in (("a.run", RUN), ("b.run", OTHER)):
        (files / name).write_text(run_text(run))
    return files


def _environment(**more):
    plain = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "TERM")}
    return plain | {"TERM": "xterm"} | more


def in_terminal(server, command, **more):
    """What a command writes to a terminal of 80 columns."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with open(os.devnull) as nothing:
        server.start(command.split(), nothing, theirs, theirs, env=_environment(**more))
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 1 << 16):
            parts.append(part)
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(ours)
    server.wait()
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_tables_fit_a_terminal_of_80_columns(command, collection, command_server):
    out = in_terminal(command_server, command)
    assert COLOUR.search(out)
    assert [line for line in COLOUR.sub("", out).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[-1], "eval qrels nowhere AP"])
def test_no_color_is_honoured(command, collection, command_server):
    assert "\x1b" not in in_terminal(command_server, command, NO_COLOR="1")


@pytest.mark.parametrize("command", [*COMMANDS, "eval qrels nowhere AP"])
def test_there_are_no_colours_in_pipes(command, collection, command_server):
    done = command_server(*command.split(), env=_environment())
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stdout + done.stderr


def test_values_of_one_run_in_a_terminal_have_the_note_on_relevance(collection, command_server):
    out = COLOUR.sub("", in_terminal(command_server, "eval qrels a.run AP"))
    assert out.splitlines()[0].startswith("AP\t")
    assert "AP: rel=1, so all grades from 1 to 3 count alike" in out
    assert "rel=1" not in in_terminal(command_server, "eval qrels a.run nDCG@10")
