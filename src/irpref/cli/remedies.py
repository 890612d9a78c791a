"""Remedies of errors and warnings as options of the `irpref` command."""

from __future__ import annotations

from collections.abc import Mapping

from irpref.errors import Remedy, Told

# The option in place of an argument in Python, or the command in place of a call. One that ends
# with `=` takes its value from the remedy's example; arguments that no command has are not here.
OPTIONS = {
    "columns": "--columns=",
    "float32": "--float32",
    "irpref_lab.values": "--values",
    "form": "--format=",
    "ignore_self": "--ignore-self",
    "judge": "--judge FILE",
    "known": "--known FILE",
    "labels": "--labels=",
    "lower_is_better": "--lower-is-better",
    "measures.names.known_names": "irpref list",
    "repeats": "--repeated",
}


def option_of(argument: str) -> str:
    """Name the option in place of an argument; the argument itself if no option does the same."""
    option = OPTIONS.get(argument.rstrip("="), argument)
    return option.partition(" ")[0].rstrip("=") if option.startswith("--") else argument


def as_option(remedy: Remedy | None) -> str:
    """Word a remedy for the shell; empty if no option does the same."""
    if remedy is None:
        return ""
    if not remedy.argument and not remedy.call:
        return remedy.effect
    from shlex import quote

    option = OPTIONS.get(remedy.argument or remedy.call, "")
    if not option:
        return ""
    if option.endswith("="):
        example = remedy.example
        if isinstance(example, Mapping):
            example = ",".join(
                f"{name}={value}"
                for name, values in example.items()
                for value in (values if isinstance(values, (list, tuple)) else [values])
            )
        option = f"{option[:-1]} {quote(str(example))}"
    return f"{option} {remedy.effect}".rstrip()


def text_of(told: Exception | str) -> str:
    """Return the message of an error or a warning, its remedy as an option."""
    return told.worded(as_option(told.remedy)) if isinstance(told, Told) else str(told)
