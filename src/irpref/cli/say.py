"""Lines on standard error."""

from __future__ import annotations

import os
import sys

from irpref.cli.remedies import text_of
from irpref.messages import visible

__all__ = ["say"]

LONGEST = 1000  # characters of a message; those of failed downloads fill pages


def complain(error: Exception | str) -> None:
    """Print an error as one line."""
    if isinstance(error, OSError) and error.strerror:
        error = (
            f"{os.fspath(error.filename)}: {error.strerror}"
            if error.filename is not None
            else error.strerror
        )
    elif isinstance(error, KeyError) and error.args:  # whose text is quoted
        error = str(error.args[0])
    line = visible(" ".join(text_of(error).split())) or type(error).__name__
    if len(line) > LONGEST:
        line = line[:LONGEST] + " ..."
    put(f"{head(31)} {line}")


def put(line: str) -> None:
    """Write a line to standard error. If it cannot be written, nothing else can be said, and the
    exit status must not depend on that.
    """
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # the disk is full; it is closed
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # until the process ends


def head(colour: int) -> str:
    """Return the beginning of a line on standard error."""
    from irpref.show.text import coloured

    return f"\x1b[{colour}mirpref:\x1b[0m" if coloured(sys.stderr) else "irpref:"


def say(text: str) -> None:
    """Print one line on standard error."""
    put(f"irpref: {visible(text)}")
