"""The `irpref` command.

`irpref.cli.command` defines commands, `irpref.cli.options` has the options that they share.
Errors that users can cause are one line on standard error.

Exit status: 0 done, 1 the input cannot be evaluated (2 for `gate`), 2 the command line cannot be
understood, 130 interrupted, 141 the reader of the output went away (as a shell reports both).
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from irpref.cli.command import CLOSED, INTERRUPTED, OK, USAGE, error_status, irpref
from irpref.cli.in_order import in_order
from irpref.cli.parameter_types import Complete
from irpref.cli.remedies import option_of, text_of
from irpref.cli.say import complain, head, put
from irpref.data.notes import remembered
from irpref.errors import QRELS_FIRST, IrprefError, IrprefWarning, Told, UnknownMeasureError
from irpref.messages import arguments_as, did_you_mean, once_per_call, visible

COMPLETE = "_IRPREF_COMPLETE"  # set by a shell that asks for completions
# Words that other tools put before the files.
_OF_FILES = ("--qrels", "--run", "--runs")
# The same, for commands that take such a file.
_OF_SOME = {"--judge": "JUDGE", "--baseline": "BASELINE", "--candidate": "CANDIDATE"}
# Options that a command has not, since another one does this.
_ELSEWHERE = {
    "--baseline": "to test runs against a baseline, type irpref against QRELS BASELINE RUN...",
    "--judge": "to fill in a judge's grades, type irpref fill HUMAN JUDGE -f filled.tsv",
}
# Parameters that are written into the name of a measure.
_IN_NAMES = {
    **dict.fromkeys(("--rel", "-l"), "AP(rel=2)"),
    **dict.fromkeys(("--cutoff", "-k"), "nDCG@10"),
}
# Names of our options in other tools.
_OTHER_NAMES = {
    "--by-topic": "--by-query",
    "--by-topics": "--by-query",
    "--per-query": "--by-query",
    "--per-topic": "--by-query",
    "--confidence": "--level",
    "--threshold": "--margin",
    "--max-loss": "--margin",
    "--tolerance": "--margin",
    "--metric": "--measure",
    "--metrics": "--measure",
    "--decimals": "--places",
    "--output": "--file",
    "-o": "--file",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the name of the command; the process's own if not given.

    Returns
    -------
    int
        Exit status, see the module.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # closed by the shell (>&-): nothing will be read
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # until the process ends
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    ctx: click.Context | None = None
    try:
        with remembered(), arguments_as(option_of, text_of), _warnings_as_lines():
            try:
                ctx = irpref.make_context("irpref", arguments)
                with ctx:
                    status = once_per_call(irpref.invoke)(ctx)
            except click.exceptions.Exit as stop:  # --help, --version
                status = stop.exit_code
            sys.stdout.flush()
        return status or OK
    except click.UsageError as error:
        complain(_in_words(error))
        return USAGE
    except BrokenPipeError:
        _flush_nowhere()
        return CLOSED
    except (KeyboardInterrupt, click.Abort):  # the second: in place of an answer
        complain("interrupted")
        return INTERRUPTED
    except SystemExit as stop:  # raised by a module of --import, or by a measure
        complain(f"ended by exit({stop.code!r}) in what the command has called")
        return error_status(ctx)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, MemoryError) as error:
        if isinstance(error, IrprefError) and error.remedy == QRELS_FIRST:
            error.remedy = in_order(arguments, ctx)
        complain(error)
        if isinstance(error, OSError):
            _flush_nowhere()
        return USAGE if isinstance(error, UnknownMeasureError) else error_status(ctx)
    except Exception as error:  # a fault of ours, which must not look like a verdict
        put(traceback.format_exc().rstrip())
        complain(f"unexpected {type(error).__name__}, see above: please report it")
        return error_status(ctx)


def script() -> NoReturn:
    """Run the command and end the process."""
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(irpref, {}, "irpref", COMPLETE, os.environ[COMPLETE]))
    for stream in (sys.stdout, sys.stderr):
        # Characters that the encoding lacks are escaped: values matter more than the letters of a
        # name.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    status = main()
    if status == INTERRUPTED:
        # Python would wait for threads that read, and a pipe may stay silent for ever.
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def _flush_nowhere() -> None:
    """Let Python's last flush of standard output succeed: the rest cannot be written."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_words(error: click.UsageError) -> str:
    """Word an error of the command line: the fault, the likely meaning, and where to find
    help.
    """
    name = error.ctx.command_path if error.ctx else "irpref"
    message = error.format_message()
    if not _of_ours(error):
        message = message.removesuffix(".")
    hint = f" (see {name} --help)"
    if isinstance(error, click.NoSuchOption):
        wrong = error.option_name
        known = [
            option
            for parameter in (error.ctx.command.get_params(error.ctx) if error.ctx else ())
            for option in parameter.opts
            if option.startswith("--")
        ]
        message = f"no such option: {wrong}"
        usage = (
            error.ctx.get_usage().partition(" ")[2].replace(" [OPTIONS]", "") if error.ctx else ""
        )
        if wrong in _OF_FILES or _OF_SOME.get(wrong, " ") in usage.split():
            return f"{message}: files are given without an option, as in {usage}"
        other = _OTHER_NAMES.get(wrong)
        if wrong == "--alpha" and "--level" in known:
            hint = "; --level 0.95 is the same as an alpha of 0.05"
        elif other in known:
            hint = f"; did you mean {other!r}?"
        elif wrong in _IN_NAMES and "MEASURE" in usage:
            hint = f"; it is a part of the name of a measure, as in {_IN_NAMES[wrong]}"
        else:
            hint = did_you_mean(wrong, [o for o in known if o != "--help"], cutoff=0.7) or hint
        if wrong in _ELSEWHERE:
            hint = f"; {_ELSEWHERE[wrong]}"
    elif isinstance(error, click.MissingParameter) and error.ctx:
        message = (
            f"{message[0].lower()}{message[1:]}, as in {error.ctx.get_usage().partition(' ')[2]}"
        )
    elif isinstance(error, (click.BadParameter, click.BadOptionUsage)):
        message = f"{message[0].lower()}{message[1:]}"
        hint = "" if isinstance(error, Complete) else hint
    elif _of_ours(error):
        hint = ""
    return message + hint


def _of_ours(error: click.UsageError) -> bool:
    """Test whether a command of ours raised it, and not click, which misses a command of a
    group.
    """
    in_group = error.ctx is not None and isinstance(error.ctx.command, click.Group)
    return type(error) is click.UsageError and not in_group


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show each warning as one line. Of those that differ only in the run, show the first at the
    end and a count.
    """
    first: dict[Any, str] = {}
    others: Counter[Any] = Counter()

    def say(text: str) -> None:
        put(f"{head(33)} warning: {visible(' '.join(text.split()))}")

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = text_of(message)
        if not isinstance(message, Told) or (message.run or message.path) is None:
            say(text)
            return
        # The base class says nothing about the kind.
        key = category, message.message if category is IrprefWarning else ""
        if first.setdefault(key, text) != text:
            others[key] += 1

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
