"""The `irpref` command.

`irpref.cli.shared` says what a command is. Only the module of the chosen one is imported. Errors
that users can cause are one line on standard error.

Exit status: 0 done, 1 the input cannot be evaluated (2 for `gate`), 2 the command line cannot be
understood, 130 interrupted, 141 the reader of the output went away (what a shell reports for both).
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from traceback import walk_tb
from typing import Any

from irpref.cli import shared as frame
from irpref.cli.remedies import text_of
from irpref.cli.shared import (
    CLOSED,
    ERROR,
    INTERRUPTED,
    OK,
    USAGE,
    Parser,
    UsageError,
    add_command,
    complain,
    head,
)
from irpref.errors import IrprefWarning, Told, UnknownMeasureError
from irpref.messages import did_you_mean, visible
from irpref_command import text_of_help

COMMANDS = tuple(re.findall(r"^  (\w+) {2,}\S", text_of_help(), re.M))
_LAB = (
    "check",
    "compare",
    "demo",
    "gate",
    "intervals",
    "judge",
    "leaderboard",
    "meta",
    "prefer",
    "report",
)
_MODULES = {"list": "irpref.cli.listing"} | {name: f"irpref.lab.commands.{name}" for name in _LAB}


def whole_parser(names: Collection[str] = COMMANDS) -> Parser:
    """The parser of these commands."""
    hidden, style = argparse.SUPPRESS, argparse.RawDescriptionHelpFormatter
    parser = Parser(
        prog="irpref",
        usage=hidden,
        description=text_of_help(),
        formatter_class=style,
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="help", help=hidden)
    parser.add_argument("--version", action="store_true", help=hidden)
    below = parser.add_subparsers(dest="command", prog="irpref", help=hidden)
    for name in names:
        add_command(below, name, _MODULES.get(name, f"irpref.cli.{name}"))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the name of the command; those of the process if not given.

    Returns
    -------
    int
        Exit status, see the module.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # closed by the shell (>&-): nothing will be read
        sys.stdout = open(os.devnull, "w")  # until the process ends
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    for stream in (sys.stdout, sys.stderr):
        # Characters that the encoding lacks are escaped: values matter more than the letters of a
        # name.
        if argv is None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    failed = USAGE if _first_word(arguments) == "gate" else ERROR  # where 1 is a verdict
    # A run is many objects that all live to the end: looking for garbage among them takes longer
    # than parsing them.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with _remarks():
            try:
                status = _run(arguments)
            except SystemExit as stop:  # argparse: --help
                status = stop.code if isinstance(stop.code, int) else failed
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Python flushes standard output once more at exit: point it to something that accepts
        # writes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except KeyboardInterrupt:
        complain("interrupted")
        if argv is None:  # Python would wait for threads that read: a pipe may stay silent for ever
            os._exit(INTERRUPTED)
        return INTERRUPTED
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, MemoryError) as error:
        complain(error)
        return USAGE if isinstance(error, (UsageError, UnknownMeasureError)) else failed
    except Exception as error:
        if not _of_host(error):
            raise
        from irpref.measures.support import in_words

        complain(f"ir_measures failed: {in_words(error)}")
        return failed
    finally:
        if argv is None:
            gc.freeze()  # no search for garbage at exit either
        if collecting:
            gc.enable()


def _of_host(error: BaseException) -> bool:
    """Whether an error came from ir_measures, which lets through what its providers raise."""
    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    return any(str(frame.f_globals.get("__name__")).startswith("ir_measures.") for frame in frames)


def _run(arguments: list[str]) -> int:
    chosen = _first_word(arguments)
    if chosen == "help":  # as `git help eval`
        arguments = [*(text for text in arguments if text != "help"), "--help"]
        chosen = _first_word(arguments)
    command = next((argument for argument in arguments if argument in COMMANDS), None)
    if (
        command
        and arguments[0].startswith("-")
        and arguments[0] not in ("-h", "--help", "--version")
    ):
        raise UsageError(
            f"{arguments[0]} comes after the command: irpref {command} ... {arguments[0]} ..."
        )
    if chosen is not None and chosen not in COMMANDS:
        raise UsageError(_unknown(chosen))
    parser = whole_parser([] if chosen is None else [chosen])
    args, rest = parser.parse_known_args(arguments)
    if args.version:
        import irpref

        print(f"irpref {irpref.__version__}")
        return OK
    if chosen is None:
        if rest:
            near = did_you_mean(rest[0], parser.options())
            raise UsageError(f"unrecognized arguments: {' '.join(rest)} (see irpref --help){near}")
        parser.print_help()
        return OK if not arguments else USAGE
    if rest:
        # argparse ends a list of positional arguments at the first option after it.
        if not hasattr(args, "arguments") or any(
            text.startswith("-") and text != "-" for text in rest
        ):
            raise UsageError(_unrecognized(rest, chosen, parser))
        args.arguments += rest
    frame.keep_what_is_read(args)
    return args.run(args) or OK


def _first_word(arguments: list[str]) -> str | None:
    return next((argument for argument in arguments if not argument.startswith("-")), None)


def _unrecognized(rest: list[str], chosen: str, parser: Parser) -> str:
    wrong = next((text for text in rest if text.startswith("-")), rest[0]).partition("=")[0]
    if wrong in whole_parser().options():  # of another command
        return f"{wrong} is no option of this command (see irpref {chosen} --help)"
    near = did_you_mean(wrong, set(parser.options()) - {"--help", "--version"}, cutoff=0.7)
    if wrong in ("--qrels", "--run", "--runs"):
        near = f": files are given without an option, as in irpref {chosen} QRELS RUN..."
    return f"unrecognized arguments: {' '.join(rest)} (see irpref {chosen} --help){near}"


def _unknown(name: str) -> str:
    if os.path.exists(name):
        return f"no command given: did you mean irpref eval {name} ...?"
    if name == "version":
        return "unknown command 'version'; did you mean irpref --version?"
    near = did_you_mean(name, COMMANDS) or f"; expected one of {', '.join(COMMANDS)}"
    return f"unknown command {name!r}{near}"


@contextmanager
def _remarks() -> Iterator[None]:
    """Show each warning as one line. Of those that differ only in the run, show the first at the
    end and a count.
    """
    first: dict[Any, str] = {}
    others: Counter[Any] = Counter()

    def say(text: str) -> None:
        sys.stderr.write(f"{head(33)} warning: {visible(' '.join(text.split()))}\n")

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = text_of(message)
        if not isinstance(message, Told) or (message.run or message.path) is None:
            say(text)
            return
        # The base class says nothing about the kind.
        key = category, message.message if category is IrprefWarning else ""
        if first.setdefault(key, text) != text:
            others[key] += 1

    # irpref.messages is light, but its package is not imported for --help alone.
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        try:
            yield
        finally:
            for key, text in first.items():
                n = others[key]
                say(text + f" (and {n} other run{'s' * (n > 1)})" * bool(n))
