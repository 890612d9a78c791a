"""Entry point of the `irpref` command.

It is outside of `irpref` because it must run before that package and all that it needs are
imported."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> int:
    """Run the command with the arguments of the process; returns its exit status."""
    # Modules stay to the end: looking for garbage while they are imported takes a twentieth of a
    # short run.
    gc.disable()
    # Nothing here multiplies matrices; the threads that would do so take as long to start as our
    # own modules to load.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        if "_ARGCOMPLETE" in os.environ:
            from irpref.cli.completion import complete

            complete()  # does not return
        if sys.argv[1:] in ([], ["-h"], ["--help"], ["help"]):
            with suppress(
                OSError, AttributeError
            ):  # nobody reads: the command knows what to say of that
                sys.stdout.write(text_of_help())
                sys.stdout.flush()
                return 0
        from irpref.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("irpref: interrupted\n")
        return 130
    return run()


def script() -> NoReturn:
    """Run the command and end the process without taking apart what it holds: that takes 3 ms, and
    nobody needs it.
    """
    status = main()
    atexit._run_exitfuncs()
    with suppress(
        OSError, AttributeError
    ):  # main has said what there is to say of a full or closed output
        sys.stdout.flush()
    os._exit(status)


def text_of_help() -> str:
    """What `irpref --help` prints, the list of the commands among it."""
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
        return file.read()
